"""The verbs that show a code base as a whole: `map`, `architecture`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gitsearch.cli.answering import NO, YES, Verb, at_most_one, meter, or_words, page, print_json
from gitsearch.cli.grammar import Opt, number
from gitsearch.cli.options import AMOUNT, HOW, at, cached, json_flag, terminal_options
from gitsearch.cli.terminal import here
from gitsearch.errors import BadPath


def _map(**given: Any) -> int:
    from gitsearch.commands.map import BUDGET, Request, chart
    from gitsearch.render import charts, maps

    at_most_one(given, "at", "cached")
    words = tuple(given["words"])
    budget = given["budget"] or BUDGET
    request = Request(words, given["text"], given["at"], given["cached"], budget)
    try:
        with meter() as progress:
            report = chart(here(), request, progress)
    except BadPath as error:
        raise or_words(error, "map", *words) from None
    if given["json"]:
        print_json(charts.chart(report))
    else:
        page(report.warnings, partial(maps.chart, report), given)
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
    from gitsearch.commands.architecture import Request, architecture
    from gitsearch.render import charts, maps

    at_most_one(given, "at", "cached")
    with meter() as progress:
        report = architecture(here(), Request(given["at"], given["cached"]), progress)
    if given["json"]:
        print_json(charts.architecture(report))
    else:
        page(report.warnings, partial(maps.architecture, report), given)
    return YES if report.files else NO


def _architecture_verb() -> Verb:
    options = [at(), cached(), json_flag(), *terminal_options()]
    return Verb("architecture", _architecture, options)


BUILDERS: dict[str, Callable[[], Verb]] = {
    "map": _map_verb,
    "architecture": _architecture_verb,
}
