"""The verbs that look something up in a tree without ranking it: `exists`, `conventions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gitsearch.cli.answering import NO, YES, Verb, meter, output, print_json, warn
from gitsearch.cli.grammar import Opt
from gitsearch.cli.options import HOW, OUTPUT, TREE, at, json_flag
from gitsearch.cli.terminal import here
from gitsearch.errors import UsageError


def _cached() -> Opt:
    return Opt("--cached", section=TREE, is_flag=True, help="look at the index (what is staged)")


def _exists(**given: Any) -> int:
    from gitsearch.commands.exists import exists

    if given["at"] and given["cached"]:
        raise UsageError("--at and --cached cannot be used together")
    options = {name: bool(given[name]) for name in ("cached", "quick")}
    with meter() as progress:
        report = exists(here(), given["words"], given["at"], progress, **options)
    if given["json"]:
        from gitsearch.render import document

        print_json(document.existence(report))
    else:
        from gitsearch.render.listing import existence, not_looked_at

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
            _cached(),
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


BUILDERS: dict[str, Callable[[], Verb]] = {"exists": _exists_verb}
