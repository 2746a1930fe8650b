"""Commits as documents: what is indexed of a message, of the lines that change, and of names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.path_kinds import KINDS, noise
from gitsearch.git.commit_changes import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.git.commit_changes import CommitChange, Hunk

# What is read of a commit for the index. A change of 24 kB is among the largest tenth.
BOUNDS = Bounds(text=24 << 10, file=6 << 10, files=200)
_MESSAGE = 4000

# Lines of a message that name people: `Signed-off-by: ...`.
_TRAILER = re.compile(r"^(?:[A-Z][\w-]*-by|Cc|Change-Id|git-svn-id|Reviewers?): .*$", re.MULTILINE)
# What defines a name in most languages; a name follows such a word.
_DEFINITION = re.compile(
    rb"\b(?:def|class|func|function|fn|fun|struct|interface|trait|enum|type|module|macro|sub|record"
    rb"|object|const|var|let|val|#define)\s+([A-Za-z_]\w{1,80})"
)
# A method behind its receiver, and a name at the beginning of a line that is given a value.
_PLAIN = re.compile(
    rb"^(?:\s*def\s+self\.|func\s*\([^)]*\)\s*)(\w{1,80})"
    rb"|^([A-Za-z_]\w{1,80})\s*+(?::[^=]*+)?=(?!=)"
)
_WORD = re.compile(rb"[A-Za-z_]\w{1,80}")

_UNWRITTEN = KINDS["generated"] | KINDS["vendored"]


class CommitDocument(NamedTuple):
    """The document of one commit; `texts`: message, change and names.

    absent: git could not tell the change, so only the message is there.
    """

    oid: str
    seconds: int
    merge: bool
    absent: bool
    texts: tuple[str, str, str]


def document(
    oid: str, seconds: int, message: str, change: CommitChange, *, merge: bool
) -> CommitDocument:
    """Return what is indexed of a commit with a message and a change."""
    # nobody wrote the lines of generated and vendored files; their paths count
    written = {path for path, _ in change.paths if not noise(path) & _UNWRITTEN}
    hunks = [hunk for hunk in change.hunks if hunk.path in written]
    lines = b"\n".join(line[1:] for hunk in hunks for line in hunk.lines)
    names = b"\n".join(_names(change, hunks))
    texts = (
        _TRAILER.sub("", message[:_MESSAGE]),
        lines.decode("utf-8", "replace"),
        names.decode("utf-8", "replace"),
    )
    return CommitDocument(oid, seconds, merge, change.absent, texts)


def defined_names(line: bytes) -> list[bytes]:
    """Return the names that a line defines, as far as a word such as `def` or `class` tells."""
    return _DEFINITION.findall(line)


def begun_names(line: bytes) -> list[bytes]:
    """Return the names that a line defines, by such a word or because it begins with them.

    The line is as it is in its file, with its indentation.
    """
    return [
        *defined_names(line),
        *(match[match.lastindex or 0] for match in _PLAIN.finditer(line)),
    ]


def _names(change: CommitChange, hunks: Iterable[Hunk]) -> Iterable[bytes]:
    """The paths of a change, and the names that lines define or that enclose them, each once."""
    found = dict.fromkeys(path for pair in change.paths for path in pair)
    for hunk in hunks:
        found.update(dict.fromkeys(_WORD.findall(hunk.around)))
        for line in hunk.lines:
            found.update(dict.fromkeys(defined_names(line)))
    return found
