"""The verbs that answer questions about the past of code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gitsearch.cli.invocation import NO, YES, Verb, ask, show, warn
from gitsearch.cli.options import at, count, json_flag, terminal_options


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
