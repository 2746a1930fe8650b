"""The verbs that ask about code: definitions, structure, what depends on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gitsearch.cli.grammar import Opt, number
from gitsearch.cli.options import (
    AMOUNT,
    HOW,
    OUTPUT,
    TREE,
    at,
    cached,
    json_flag,
    terminal_options,
    tests,
)
from gitsearch.cli.terminal import here, survey
from gitsearch.cli.verb import NO, YES, Verb, progress, show, show_json, warn
from gitsearch.cli.words import escape_hatch
from gitsearch.errors import BadPath, UsageError

if TYPE_CHECKING:
    from gitsearch.records import SymbolReport


def _def(**given: Any) -> int:
    from gitsearch.commands.define import define
    from gitsearch.render.listing import definitions

    with progress() as meter:
        report = define(here(), given["words"][0], given["at"], meter)
    return _list(report, definitions, given)


def _outline(**given: Any) -> int:
    from gitsearch.commands.outline import outline
    from gitsearch.render import listing

    path = given["words"][0]
    try:
        with progress() as meter:
            report = outline(here(), path, given["at"], meter)
    except BadPath as error:
        raise _or_words(error, "outline", path) from None
    return _list(report, listing.outline, given)


def _impact(**given: Any) -> int:
    from gitsearch.commands.impact import Request, impact
    from gitsearch.render import impacts

    words = tuple(given["words"])
    _check_impact(words, given)
    request = Request(
        words,
        given["at"],
        given["cached"],
        given["diff"],
        given["hops"],
        given["tests"] or "include",
        given["max_count"],
    )
    try:
        with progress() as meter:
            report = impact(here(), request, meter)
    except BadPath as error:
        raise _or_words(error, "impact", *words) from None
    drawn = {"md": impacts.markdown, "mermaid": impacts.mermaid, "dot": impacts.dot}
    form = next((name for name in drawn if given[name]), None)
    if form is not None and not given["json"]:
        show(drawn[form](report))
    else:
        _draw(report, impacts.lines, "impact", given)
    return YES if report.dependents else NO


def _check_impact(words: tuple[str, ...], given: dict[str, Any]) -> None:
    asked = [name for name in ("at", "cached", "diff") if given[name]]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot be used together")
    if given["diff"] and words:
        raise UsageError("--diff takes the files that changed, and no others")
    if not given["diff"] and not words:
        raise UsageError("'impact' wants a path, or --diff", escape_hatch(["impact"]))


def _impact_verb() -> Verb:
    options = [
        at(),
        cached(),
        Opt(
            "--diff",
            section=TREE,
            metavar="<A>...<B>",
            help="the files that differ between two revisions, and what the change does to the "
            "graph; with three dots from where they part",
        ),
        Opt(
            "--hops",
            section=AMOUNT,
            metavar="<n>",
            accepts=number(1, 1000),
            help="no further than so many imports away",
        ),
        tests(),
        Opt(
            "-k",
            "--max-count",
            section=AMOUNT,
            metavar="<n>",
            accepts=number(1),
            help="at most so many dependents, and how many more there are",
        ),
        json_flag(),
        Opt("--md", section=OUTPUT, is_flag=True, help="print a list in Markdown"),
        Opt("--mermaid", section=OUTPUT, is_flag=True, help="print a flowchart for Mermaid"),
        Opt("--dot", section=OUTPUT, is_flag=True, help="print a graph for Graphviz"),
        *terminal_options(),
    ]
    return Verb("impact", _impact, options, optional="path", several=True)


def _map(**given: Any) -> int:
    from gitsearch.commands.map import BUDGET, Request, chart
    from gitsearch.render import maps

    words = tuple(given["words"])
    request = Request(
        words, given["text"], given["at"], given["cached"], given["budget"] or BUDGET
    )
    _check_tree(given)
    try:
        with progress() as meter:
            report = chart(here(), request, meter)
    except BadPath as error:
        raise _or_words(error, "map", *words) from None
    _draw(report, maps.chart, "chart", given)
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
    from gitsearch.render import maps

    _check_tree(given)
    with progress() as meter:
        report = architecture(here(), Request(given["at"], given["cached"]), meter)
    _draw(report, maps.architecture, "architecture", given)
    return YES if report.files else NO


def _architecture_verb() -> Verb:
    options = [at(), cached(), json_flag(), *terminal_options()]
    return Verb("architecture", _architecture, options)


def _check_tree(given: dict[str, Any]) -> None:
    if given["at"] and given["cached"]:
        raise UsageError("--at and --cached cannot be used together")


def _or_words(error: BadPath, verb: str, *words: str) -> BadPath:
    """The refusal of what may be no path at all, but words to search for."""
    query = escape_hatch([verb, *words])
    return BadPath(error.message, f"{error.hint}; {query}" if error.hint else query)


def _draw(
    report: Any, lines: Callable[..., Iterable[str]], form: str, given: dict[str, Any]
) -> None:
    """Show a report as one document, by the function of this name, or as lines."""
    if given["json"]:
        from gitsearch.render import document

        show_json(getattr(document, form)(report))
        return
    warn(report.warnings)
    color = "never" if given["no_color"] else given["color"]
    terminal = survey(color, paging=not given["no_pager"])
    terminal.show(lines(report, colour=terminal.colour))


def _list(report: SymbolReport, lines: Callable[..., Iterable[str]], given: dict[str, Any]) -> int:
    _draw(report, lines, "symbols", given)
    return YES if report.symbols else NO


BUILDERS: dict[str, Callable[[], Verb]] = {
    "def": lambda: Verb("def", _def, [at(), json_flag(), *terminal_options()], argument="name"),
    "outline": lambda: Verb(
        "outline", _outline, [at(), json_flag(), *terminal_options()], argument="path"
    ),
    "impact": _impact_verb,
    "map": _map_verb,
    "architecture": _architecture_verb,
}
