"""Lines about a search that may not ask for what was meant, with what to type."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from shlex import join
from typing import TYPE_CHECKING

from gitsearch.errors import BadPath, BadRevision, brief
from gitsearch.git import trees
from gitsearch.settings import EXTENDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.cli.option_parser import GitCommand
    from gitsearch.index.session import Session
    from gitsearch.reports.search import SearchReport
    from gitsearch.settings import SearchRequest

# An escaped character, or a bracket expression, in which none is escaped.
_PARTS = re.compile(r"\\(.)|\[\^?\]?([^\]]*)")
_ESCAPED_LETTER = re.compile(r"\\([A-Za-z])")
# GNU's own escapes, and what to write for some that are none.
_KNOWN = frozenset("wWsSbB")
_INSTEAD = {
    "d": "write [0-9], or use -P",
    "D": "write [^0-9], or use -P",
    "n": "a match lies within a line",
}
_EXCLUDED = (":!", ":^", ":(exclude")
_MOST_IN_DOUBT = 8


def advice(
    session: Session,
    command: GitCommand,
    typed: Sequence[str],
    request: SearchRequest,
    report: SearchReport,
) -> Iterator[str]:
    """Yield the lines about the answer to a request, of which some words were typed."""
    if request.syntax == EXTENDED:
        yield from _plain_escapes(request.text)
    if request.of_many:
        return
    for pathspec in _in_doubt(session, request, report):
        if not _names_files(session, request, report, pathspec):
            dashed = "; options go before --" if pathspec.startswith("-") else ""
            yield f"no file matches '{brief(pathspec)}'{dashed}"
    if not report.counts:
        yield from _of_words(session, command, typed, request, report)


def _in_doubt(session: Session, request: SearchRequest, report: SearchReport) -> list[str]:
    """Return those of several pathspecs that no path and no file with results answers.

    Empty if they are many: each costs a process of git.
    """
    if len(request.pathspecs) < 2:
        return []
    paths = [os.path.relpath(one.path, session.repo.prefix or ".") for one in report.counts]
    left = [
        pathspec
        for pathspec in request.pathspecs
        if not pathspec.startswith(_EXCLUDED)
        and not os.path.lexists(session.cwd / pathspec)
        and not any(fnmatchcase(path, pathspec) for path in paths)
    ]
    return left if len(left) <= _MOST_IN_DOUBT else []


def _plain_escapes(expression: str) -> Iterator[str]:
    """Yield a line about the first escape that is none in an extended regular expression."""
    for part in _PARTS.finditer(expression):
        letter = part[1] or ""
        if letter.isascii() and letter.isalpha() and letter not in _KNOWN:
            yield f"\\{letter} is the letter {letter} in -E; {_INSTEAD.get(letter, 'use -P')}"
            return
        if escaped := _ESCAPED_LETTER.search(part[2] or ""):
            yield f"{escaped[0]} in brackets is a backslash or {escaped[1]} in -E; use -P"
            return


def _of_words(
    session: Session,
    command: GitCommand,
    typed: Sequence[str],
    request: SearchRequest,
    report: SearchReport,
) -> Iterator[str]:
    """Yield lines about words of a query without results that may be something else."""
    items = list(command.read(typed))
    words = [item for item in items if item.word is not None]
    queries = [item for item in items if item.option is not None and item.option.name == "query"]
    if not words or len(words) + len(queries) < 2:
        return
    first, last = str(words[0].word), str(words[-1].word)
    if not last:
        return
    if request.changed == "" and _is_revision(session, first):
        yield f"to see what changed since {brief(first)}: {join([f'--changed={first}'])}"
    if not request.pathspecs and _names_files(session, request, report, f":(literal){last}"):
        at = words[-1].position
        others = [word for word in (*typed[:at], *typed[at + 1 :]) if word != "--"]
        yield f"to search in {brief(last)}: {join(['git', 'search', *others, '--', last])}"


def _is_revision(session: Session, word: str) -> bool:
    try:
        session.resolve(word)
    except BadRevision:
        return False
    return True


def _names_files(
    session: Session, request: SearchRequest, report: SearchReport, pathspec: str
) -> bool:
    """Return True if a pathspec matches a file of the tree that was searched."""
    repo, tree = session.repo, report.tree.tree
    try:
        if request.cached or (request.in_working_tree and repo.worktree is not None):
            return bool(trees.match_worktree(repo, [pathspec], untracked=request.untracked))
        return tree is not None and bool(trees.match_paths(repo, tree, [pathspec]))
    except BadPath:
        return False
