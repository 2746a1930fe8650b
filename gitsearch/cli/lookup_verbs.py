"""The verbs that look something up in a tree without ranking it: `exists`, `conventions`."""

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
    output,
    page,
    print_json,
    warn,
)
from gitsearch.cli.option_parser import Opt, number
from gitsearch.cli.options import AMOUNT, HOW, OUTPUT, at, cached, json_flag, terminal_options
from gitsearch.errors import BadPath

# Lines of each text that a person is shown, and bytes of all texts that a program gets.
GIST_LINES = 5
TEXT_BUDGET = 1 << 18


def _exists(**given: Any) -> int:
    from gitsearch.commands.exists import exists

    at_most_one(given, "at", "cached")
    options = {name: bool(given[name]) for name in ("cached", "quick")}
    with current_session() as session:
        report = exists(session, given["words"], given["at"], **options)
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.document(report))
    else:
        from gitsearch.render.lookup_text import existence, not_looked_at

        warn((*report.warnings, *not_looked_at(report)))
        if not given["quiet"]:
            output(existence(report))
    return YES if all(word.exists for word in report.words) else NO


def _exists_verb() -> Verb:
    return Verb(
        "exists",
        _exists,
        [
            at(),
            cached(),
            Opt(
                "--quick",
                section=HOW,
                is_flag=True,
                help="ask the filter only: a word that it lacks is in no text file, "
                "one that it has is likely there",
            ),
            Opt("-q", "--quiet", section=OUTPUT, is_flag=True, help="print nothing"),
            json_flag(),
        ],
        argument="word",
        several=True,
    )


def _conventions(**given: Any) -> int:
    from gitsearch.commands.conventions import conventions

    at_most_one(given, "at", "cached")
    path = given["words"][0] if given["words"] else None
    try:
        with current_session() as session:
            cached = bool(given["cached"])
            report = conventions(session, path, given["at"], cached=cached)
    except BadPath as error:
        raise or_words(error, "conventions", path or "") from None
    if given["json"]:
        from gitsearch.render import json_document

        budget = TEXT_BUDGET if given["max_bytes"] is None else given["max_bytes"]
        print_json(json_document.conventions(report, budget))
    else:
        from gitsearch.render.convention_summary import conventions as listed

        lines = GIST_LINES if given["max_lines"] is None else given["max_lines"]
        page(session, report.warnings, partial(listed, report, lines), given)
    return YES if report.files else NO


def _conventions_verb() -> Verb:
    return Verb(
        "conventions",
        _conventions,
        [
            at(),
            cached(),
            Opt(
                "--max-lines",
                section=AMOUNT,
                metavar="<n>",
                accepts=number(0),
                help=f"at most so many lines of each text (default: {GIST_LINES}); 0: none",
            ),
            Opt(
                "--max-bytes",
                section=AMOUNT,
                metavar="<n>",
                accepts=number(0, 1 << 30),
                help=f"with --json, at most so much text in all (default: {TEXT_BUDGET})",
            ),
            json_flag(),
            *terminal_options(),
        ],
        optional="path",
    )


BUILDERS: dict[str, Callable[[], Verb]] = {
    "exists": _exists_verb,
    "conventions": _conventions_verb,
}
