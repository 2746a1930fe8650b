"""The verbs that answer questions about the past of code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gitsearch.cli.invocation import NO, YES, Verb, ask, show, warn
from gitsearch.cli.option_parser import flag, number, one_of, valued
from gitsearch.cli.options import (
    AMOUNT,
    OTHER,
    at,
    count,
    json_flag,
    repositories,
    repository_names,
    terminal_options,
)
from gitsearch.errors import UsageError
from gitsearch.settings import REFRESH

_WHICH = "Which commits (as in git log; what follows `--` are pathspecs)"
_REFRESH = (
    "soon (default): an answer at once, from the newest commits if not all are indexed; wait: all "
    "commits are indexed first; background, off: from those that are indexed"
)


def _history(**given: Any) -> int:
    from gitsearch.commands.commit_search import SHOWN, HistoryRequest
    from gitsearch.commands.history import history
    from gitsearch.commands.removed_code import removed_code
    from gitsearch.render import history_text

    request = HistoryRequest(
        " ".join(given["words"]),
        given["pathspecs"],
        given["at"],
        given["since"],
        given["until"],
        tuple(given["author"] or ()),
        given["max_count"],
        SHOWN if given["max_lines"] is None else given["max_lines"],
        given["refresh"],
    )
    names = repository_names(given)
    if given["removed"] and names:
        raise UsageError("--removed looks at one repository")
    if names:
        from gitsearch.commands.history import history_in

        every = ask("history", given, lambda session: history_in(session, names, request))
        show(every, given, history_text.history)
        return YES if every.report.results else NO
    if given["removed"]:
        gone = ask("history", given, lambda session: removed_code(session, request))
        show(gone, given, history_text.removed)
        return YES if gone.report.results else NO
    asked = ask("history", given, lambda session: history(session, request))
    show(asked, given, history_text.history)
    return YES if asked.report.results else NO


def _history_verb() -> Verb:
    options = [
        at("the commits that this one reaches (default: HEAD)"),
        *repositories(),
        valued("--since", "<date>", _WHICH, "commits since this date, as in git log"),
        valued("--until", "<date>", _WHICH, "commits up to this date"),
        valued(
            "--author",
            "<pattern>",
            _WHICH,
            "commits of authors that match; may be repeated",
            multiple=True,
        ),
        flag("--removed", _WHICH, "commits that took away what the query means, with its code"),
        count(),
        valued(
            "--max-lines",
            "<n>",
            AMOUNT,
            "at most <n> lines of each hunk (default: 12); 0: none",
            number(0),
        ),
        valued("--refresh", "<when>", OTHER, _REFRESH, one_of(REFRESH)),
        json_flag(),
        *terminal_options(),
    ]
    return Verb("history", _history, options, argument="query", several=True, pathspecs=True)


def _why(**given: Any) -> int:
    from gitsearch.commands.why import WhyRequest, why
    from gitsearch.render import history_text

    request = WhyRequest(given["words"][0], given["at"], given["max_count"])
    asked = ask("why", given, lambda session: why(session, request))
    show(asked, given, history_text.why)
    return YES if asked.report.exact or asked.report.uncommitted else NO


def _experts(**given: Any) -> int:
    from gitsearch.commands.experts import ExpertsRequest, experts
    from gitsearch.render import history_text

    request = ExpertsRequest(given["words"], given["at"], given["max_count"])
    asked = ask("experts", given, lambda session: experts(session, request))
    if not given["json"]:
        warn(history_text.not_looked_at(asked.report))
    show(asked, given, history_text.experts)
    return YES if asked.report.experts else NO


BUILDERS: dict[str, Callable[[], Verb]] = {
    "history": _history_verb,
    "why": lambda: Verb(
        "why",
        _why,
        [
            at("the lines of this commit (default: those of the working tree)"),
            count("at most <n> related commits (default: 5)"),
            json_flag(),
            *terminal_options(),
        ],
        argument="path",
    ),
    "experts": lambda: Verb(
        "experts",
        _experts,
        [
            at(),
            count("at most <n> authors (default: search.maxCount or 10)"),
            json_flag(),
            *terminal_options(),
        ],
        argument="query or path",
        several=True,
    ),
}
