"""The verbs that ask about code: definitions, structure, what depends on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

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
)
from gitsearch.cli.option_parser import Opt, number
from gitsearch.cli.options import (
    AMOUNT,
    OUTPUT,
    TREE,
    at,
    count,
    json_flag,
    terminal_options,
    tests,
)
from gitsearch.cli.verb_names import escape_hatch
from gitsearch.errors import BadPath, UsageError

if TYPE_CHECKING:
    from gitsearch.index.session import Session
    from gitsearch.reports.lookup import SymbolReport


def _def(**given: Any) -> int:
    from gitsearch.commands.define import define
    from gitsearch.render.lookup_text import definitions

    with current_session() as session:
        report = define(session, given["words"][0], given["at"])
    return _list(session, report, definitions, given)


def _refs(**given: Any) -> int:
    from gitsearch.commands.refs import references
    from gitsearch.render import json_document, lookup_text

    with current_session() as session:
        report = references(session, given["words"][0], given["at"])
    if given["json"]:
        print_json(json_document.document(report))
    else:
        page(session, report.warnings, partial(lookup_text.references, report), given)
    return YES if report.references else NO


def _outline(**given: Any) -> int:
    from gitsearch.commands.outline import outline
    from gitsearch.render import lookup_text

    path = given["words"][0]
    try:
        with current_session() as session:
            report = outline(session, path, given["at"])
    except BadPath as error:
        raise or_words(error, "outline", path) from None
    return _list(session, report, lookup_text.outline, given)


def _impact(**given: Any) -> int:
    from gitsearch.commands.impact import ImpactRequest, impact
    from gitsearch.render import impact_text, json_document

    words = tuple(given["words"])
    _check_impact(words, given)
    request = ImpactRequest(
        words,
        given["at"],
        given["cached"],
        given["diff"],
        given["hops"],
        given["tests"] or "include",
        given["max_count"],
    )
    try:
        with current_session() as session:
            report = impact(session, request)
    except BadPath as error:
        raise or_words(error, "impact", *words) from None
    drawn = {"md": impact_text.markdown, "mermaid": impact_text.mermaid, "dot": impact_text.dot}
    form = next((name for name in drawn if given[name]), None)
    if given["json"]:
        print_json(json_document.impact(report))
    elif form is not None:
        output(drawn[form](report))
    else:
        page(session, report.warnings, partial(impact_text.lines, report), given)
    return YES if report.dependents else NO


def _check_impact(words: tuple[str, ...], given: dict[str, Any]) -> None:
    at_most_one(given, "at", "cached", "diff")
    if given["diff"] and words:
        raise UsageError("--diff takes the files that changed, and no others")
    if not (given["diff"] or given["cached"] or words):
        raise UsageError("'impact' wants a path, --diff or --cached", escape_hatch(["impact"]))


def _impact_verb() -> Verb:
    options = [
        at(),
        Opt(
            "--cached",
            section=TREE,
            is_flag=True,
            help="look at the index (what is staged); without a path at what is staged itself, "
            "against HEAD",
        ),
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
        count("at most so many dependents, and how many more there are"),
        json_flag(),
        Opt("--md", section=OUTPUT, is_flag=True, help="print a list in Markdown"),
        Opt("--mermaid", section=OUTPUT, is_flag=True, help="print a flowchart for Mermaid"),
        Opt("--dot", section=OUTPUT, is_flag=True, help="print a graph for Graphviz"),
        *terminal_options(),
    ]
    return Verb("impact", _impact, options, optional="path", several=True)


def _list(
    session: Session,
    report: SymbolReport,
    lines: Callable[..., Iterable[str]],
    given: dict[str, Any],
) -> int:
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.symbols(report))
    else:
        page(session, report.warnings, partial(lines, report), given)
    return YES if report.symbols else NO


BUILDERS: dict[str, Callable[[], Verb]] = {
    "def": lambda: Verb("def", _def, [at(), json_flag(), *terminal_options()], argument="name"),
    "refs": lambda: Verb("refs", _refs, [at(), json_flag(), *terminal_options()], argument="name"),
    "outline": lambda: Verb(
        "outline", _outline, [at(), json_flag(), *terminal_options()], argument="path"
    ),
    "impact": _impact_verb,
}
