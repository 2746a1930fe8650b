"""`git search --removed` without a range: a search of what the history has taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitsearch.cli.invocation import NO, YES, Asked, show
from gitsearch.errors import UsageError

if TYPE_CHECKING:
    from gitsearch.index.session import Session
    from gitsearch.settings import SearchRequest

# Options of a search that say nothing about commits, by the name of their values.
_REFUSED = {
    **{name: f"--{name}" for name in ("mode", "grep", "alpha", "budget", "jsonl", "explain")},
    "fixed_strings": "-F",
    "extended_regexp": "-E",
    "perl_regexp": "-P",
    "invert_match": "-v",
    "only_matching": "-o",
    "files_without_match": "-L",
    "no_rerank": "--no-rerank",
    "reader": "--reader",
    "names_only": "-l",
    "count": "-c",
    "null": "-z",
    "vimgrep": "--vimgrep",
    "interactive": "-I",
    "next_page": "--continue",
    "repositories": "--in",
    "submodules": "--recurse-submodules",
    "untracked": "--untracked",
    "context": "-C",
    "after_context": "-A",
    "before_context": "-B",
    "function_context": "-W",
}


def is_removal_search(given: dict[str, Any]) -> bool:
    """Return True if the options ask for what any commit removed; of the index there is none."""
    return given["removed"] == "" and not given["cached"]


def search_removals(session: Session, request: SearchRequest, given: dict[str, Any]) -> int:
    """Print the commits that took away what a query means, and return the exit code."""
    for name, option in _REFUSED.items():
        if given[name] not in (None, False, ()):
            raise UsageError(
                f"--removed without a range looks for commits, and {option} does not",
                "--removed=HEAD: what is edited",
            )
    from gitsearch.commands.commit_search import SHOWN, HistoryRequest
    from gitsearch.commands.removed_code import removed_code
    from gitsearch.render import history_text

    report = removed_code(
        session,
        HistoryRequest(
            request.text,
            request.pathspecs,
            request.at,
            most=request.max_count,
            lines=SHOWN if request.max_lines is None else request.max_lines,
            refresh=request.refresh,
            languages=request.languages,
            content=request.content,
            tests=request.tests,
            edits=request.at is None,
        ),
    )
    if not given["quiet"]:
        show(Asked(session, report), given, history_text.removed)
    return YES if report.results else NO
