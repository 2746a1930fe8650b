"""The verbs that show a code base as a whole: `map`, `architecture`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gitsearch.cli.invocation import (
    NO,
    YES,
    Verb,
    at_most_one,
    current_session,
    or_words,
    page,
    print_json,
)
from gitsearch.cli.option_parser import Opt, number
from gitsearch.cli.options import AMOUNT, HOW, at, cached, json_flag, terminal_options
from gitsearch.errors import BadPath


def _map(**given: Any) -> int:
    from gitsearch.commands.map import BUDGET, MapRequest, code_map
    from gitsearch.render import json_document, overview_text

    at_most_one(given, "at", "cached")
    words = tuple(given["words"])
    budget = given["budget"] or BUDGET
    request = MapRequest(words, given["text"], given["at"], given["cached"], budget)
    try:
        with current_session() as session:
            report = code_map(session, request)
    except BadPath as error:
        raise or_words(error, "map", *words) from None
    if given["json"]:
        print_json(json_document.code_map(report))
    else:
        page(session, report.warnings, partial(overview_text.code_map, report), given)
    return YES if report.modules else NO


def _map_verb() -> Verb:
    options = [
        at(),
        cached(),
        Opt(
            "--query",
            "text",
            section=HOW,
            metavar="<query>",
            help="ranked for what a search for this finds",
        ),
        Opt(
            "--budget",
            section=AMOUNT,
            metavar="<tokens>",
            accepts=number(100),
            help="at most so many tokens of four characters (default: 2000)",
        ),
        json_flag(),
        *terminal_options(),
    ]
    return Verb("map", _map, options, optional="path", several=True)


def _architecture(**given: Any) -> int:
    from gitsearch.commands.architecture import ArchitectureRequest, architecture
    from gitsearch.render import json_document, overview_text

    at_most_one(given, "at", "cached")
    with current_session() as session:
        report = architecture(session, ArchitectureRequest(given["at"], given["cached"]))
    if given["json"]:
        print_json(json_document.document(report))
    else:
        page(session, report.warnings, partial(overview_text.architecture, report), given)
    return YES if report.files else NO


def _architecture_verb() -> Verb:
    options = [at(), cached(), json_flag(), *terminal_options()]
    return Verb("architecture", _architecture, options)


BUILDERS: dict[str, Callable[[], Verb]] = {
    "map": _map_verb,
    "architecture": _architecture_verb,
}
