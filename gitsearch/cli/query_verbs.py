"""The verbs that answer questions about code, and about a change of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from gitsearch.cli.invocation import (
    NO,
    YES,
    ExactVerb,
    Verb,
    ask,
    at_most_one,
    brush_of,
    output,
    print_json,
    printed,
    show,
    warn,
)
from gitsearch.cli.option_parser import flag, fraction, number, one_of, valued
from gitsearch.cli.options import (
    AMOUNT,
    FILTERS,
    HOW,
    OTHER,
    OUTPUT,
    TREE,
    at,
    cached,
    count,
    json_flag,
    repositories,
    repository_names,
    terminal_options,
    tests,
)
from gitsearch.cli.verb_names import escape_hatch
from gitsearch.commands.file_filter import EVERY_FILE, FileFilter
from gitsearch.errors import UsageError

if TYPE_CHECKING:
    from gitsearch.reports.lookup import ImpactReport

# Lines of each text that a person is shown, and bytes of all texts that a program gets.
GIST_LINES = 5
TEXT_BUDGET = 1 << 18

# What `impact` prints in place of lines for people.
_DRAWINGS = ("md", "mermaid", "dot", "svg", "html")

_CHANGE = "The change (default: from the merge base of the main branch and HEAD, to HEAD)"


def _def(**given: Any) -> int:
    from gitsearch.render import json_document, lookup_text

    name, at, names = given["words"][0], given["at"], repository_names(given)
    if given["removed"]:
        return _removed_definitions(given)
    which = _which(given)
    if names:
        from gitsearch.commands.define import define_in

        asked = ask("def", given, lambda session: define_in(session, names, name, at, which))
    else:
        from gitsearch.commands.define import define

        asked = ask("def", given, lambda session: define(session, name, at, which))
    show(asked, given, lookup_text.definitions, json_document.definitions)
    return YES if asked.report.symbols else NO


def _which(given: dict[str, Any]) -> FileFilter:
    """The files that an answer about a name is about."""
    return FileFilter(given["pathspecs"], given["tests"] or EVERY_FILE.tests, given["max_count"])


def _removed_definitions(given: dict[str, Any]) -> int:
    from gitsearch.commands.removed_code import removed_definitions
    from gitsearch.render import history_text

    name, at = given["words"][0], given["at"]
    if repository_names(given):
        raise UsageError("--removed looks at one repository")
    if _which(given) != EVERY_FILE:
        raise UsageError("--removed takes no pathspecs, no --tests and no -k")
    asked = ask("def", given, lambda session: removed_definitions(session, name, at))
    show(asked, given, history_text.removed)
    return YES if asked.report.results else NO


def _outline(**given: Any) -> int:
    from gitsearch.commands.outline import outline
    from gitsearch.render import json_document, lookup_text

    asked = ask("outline", given, lambda session: outline(session, given["words"][0], given["at"]))
    show(asked, given, lookup_text.outline, json_document.symbols)
    return YES if asked.report.symbols else NO


def _refs(**given: Any) -> int:
    from gitsearch.render import json_document, lookup_text

    name, at, names = given["words"][0], given["at"], repository_names(given)
    which = _which(given)
    if names:
        from gitsearch.commands.refs import references_in

        asked = ask("refs", given, lambda session: references_in(session, names, name, at, which))
    else:
        from gitsearch.commands.refs import references

        asked = ask("refs", given, lambda session: references(session, name, at, which))
    show(asked, given, lookup_text.references, json_document.references)
    return YES if asked.report.references else NO


def _impact(**given: Any) -> int:
    from gitsearch.commands.impact import ImpactRequest, impact
    from gitsearch.render import impact_text, json_document

    words = tuple(given["words"])
    at_most_one(given, "at", "cached", "diff")
    at_most_one(given, "json", *_DRAWINGS)
    if given["diff"] and words:
        raise UsageError("--diff takes the files that changed, and no others")
    if given["recorded_at"] and not given["coverage"]:
        raise UsageError("--recorded-at says of what --coverage is, which is missing")
    if not (given["diff"] or given["cached"] or words):
        raise UsageError("'impact' wants a path, --diff or --cached", escape_hatch(["impact"]))
    request = ImpactRequest(
        words,
        given["at"],
        given["cached"],
        given["diff"],
        given["hops"],
        given["tests"] or "include",
        given["max_count"],
        given["label"] or "possible",
        tuple(given["coverage"]),
        given["recorded_at"],
    )
    if names := repository_names(given):
        from gitsearch.commands.impact import impact_in

        _refuse_in(given)
        asked = ask("impact", given, lambda session: impact_in(session, names, request))
    else:
        asked = ask("impact", given, lambda session: impact(session, request))
    form = next((name for name in _DRAWINGS if given[name]), None)
    if form is not None:
        output(_drawing(form)(asked.report))
    elif not (asked.report.targets or given["json"]):
        warn(["nothing is staged" if given["cached"] else "nothing changed"])
    else:
        show(asked, given, impact_text.lines, json_document.impact)
    return YES if asked.report.dependents else NO


def _refuse_in(given: dict[str, Any]) -> None:
    """Refuse what `impact` tells of one repository only."""
    for name in ("cached", "diff", "coverage", *_DRAWINGS):
        if given[name]:
            raise UsageError(f"'impact --{name}' looks at one repository")


def _drawing(form: str) -> Callable[[ImpactReport], Iterable[str]]:
    """The renderer of a form; that of pictures is imported only where one is drawn."""
    if form in ("svg", "html"):
        from gitsearch.render import impact_picture

        return impact_picture.svg if form == "svg" else impact_picture.html
    from gitsearch.render import impact_text

    return {
        "md": impact_text.markdown,
        "mermaid": impact_text.mermaid,
        "dot": impact_text.dot,
    }[form]


def _related(**given: Any) -> int:
    at_most_one(given, "at", "cached")
    names = repository_names(given)
    if given["by"] == "change":
        if names:
            raise UsageError("--by=change looks at one repository")
        return _changed_together(given)
    from gitsearch.commands.related import RelatedRequest
    from gitsearch.render import similarity_text

    request = RelatedRequest(
        given["words"][0],
        given["at"],
        given["cached"],
        given["max_count"],
        given["tests"] or "include",
    )
    if names:
        from gitsearch.commands.related import related_in

        asked = ask("related", given, lambda session: related_in(session, names, request))
    else:
        from gitsearch.commands.related import related

        asked = ask("related", given, lambda session: related(session, request))
    show(asked, given, similarity_text.related)
    return YES if asked.report.results else NO


def _changed_together(given: dict[str, Any]) -> int:
    from gitsearch.commands.changed_together import ChangedTogetherRequest, changed_together
    from gitsearch.render import history_text

    if given["cached"]:
        raise UsageError("--cached and --by=change cannot be used together")
    request = ChangedTogetherRequest(
        given["words"][0], given["at"], given["max_count"], given["tests"] or "include"
    )
    asked = ask("related", given, lambda session: changed_together(session, request))
    show(asked, given, history_text.together)
    return YES if asked.report.results else NO


def _dup(**given: Any) -> int:
    from gitsearch.commands.dup import DupRequest, dup
    from gitsearch.render import similarity_text

    at_most_one(given, "cached", "changed")
    request = DupRequest(
        given["cached"],
        given["changed"] or None,
        given["threshold"],
        given["tests"] or "include",
    )
    asked = ask("dup", given, lambda session: dup(session, request))
    check = given["warn"] or given["strict"]
    if not (asked.report.looked or check or given["json"]):
        warn(["there is no new code to compare"])
    show(asked, given, similarity_text.dup)
    found = bool(asked.report.copies)
    if check:
        return NO if found and given["strict"] else YES
    return YES if found else NO


def _map(**given: Any) -> int:
    from gitsearch.commands.map import BUDGET, MapRequest, code_map
    from gitsearch.render import json_document, overview_text

    at_most_one(given, "at", "cached")
    request = MapRequest(
        tuple(given["words"]),
        given["text"],
        given["at"],
        given["cached"],
        BUDGET if given["budget"] is None else given["budget"],
    )
    forms = (overview_text.code_map, json_document.code_map)
    asked = ask(
        "map",
        given,
        lambda session: code_map(session, request, printed(session, given, *forms)),
    )
    show(asked, given, *forms)
    return YES if asked.report.modules else NO


def _context(**given: Any) -> int:
    from gitsearch.commands.context import BUDGET, ContextRequest, context
    from gitsearch.render import context_text, json_document

    at_most_one(given, "at", "cached")
    request = ContextRequest(
        tuple(given["words"]),
        given["at"],
        bool(given["cached"]),
        given["tests"] or "include",
        BUDGET if given["budget"] is None else given["budget"],
    )

    forms = (context_text.context, json_document.context)
    asked = ask(
        "context",
        given,
        lambda session: context(session, request, printed(session, given, *forms)),
    )
    show(asked, given, *forms)
    return YES if asked.report.items else NO


def _architecture(**given: Any) -> int:
    from gitsearch.commands.architecture import ArchitectureRequest, architecture
    from gitsearch.render import overview_text

    at_most_one(given, "at", "cached")
    at_most_one(given, "json", "svg", "html")
    request = ArchitectureRequest(given["at"], given["cached"])
    asked = ask("architecture", given, lambda session: architecture(session, request))
    if given["svg"] or given["html"]:
        from gitsearch.render import architecture_picture

        draw = architecture_picture.svg if given["svg"] else architecture_picture.html
        output(draw(asked.report))
    else:
        show(asked, given, overview_text.architecture)
    return YES if asked.report.files else NO


def _exists(**given: Any) -> int:
    from gitsearch.render import json_document, lookup_text

    at_most_one(given, "at", "cached")
    options = {name: bool(given[name]) for name in ("cached", "quick")}
    words, at, names = given["words"], given["at"], repository_names(given)
    if names:
        from gitsearch.commands.exists import exists_in

        asked = ask(
            "exists", given, lambda session: exists_in(session, names, words, at, **options)
        )
    else:
        from gitsearch.commands.exists import exists

        asked = ask("exists", given, lambda session: exists(session, words, at, **options))
    report = asked.report
    if given["json"]:
        print_json(json_document.words(report))
    else:
        warn((*report.warnings, *lookup_text.not_looked_at(report)))
        if not given["quiet"]:
            output(lookup_text.existence(report, brush_of(asked)))
    return YES if all(word.exists for word in report.words) else NO


def _conventions(**given: Any) -> int:
    from gitsearch.commands.conventions import conventions
    from gitsearch.render import convention_summary, json_document

    at_most_one(given, "at", "cached")
    path = given["words"][0] if given["words"] else None
    budget = TEXT_BUDGET if given["max_bytes"] is None else given["max_bytes"]
    lines = GIST_LINES if given["max_lines"] is None else given["max_lines"]
    asked = ask(
        "conventions",
        given,
        lambda session: conventions(session, path, given["at"], cached=bool(given["cached"])),
    )
    show(
        asked,
        given,
        partial(convention_summary.conventions, lines=lines),
        lambda report: json_document.conventions(report, budget),
    )
    return YES if asked.report.files else NO


def _report(**given: Any) -> int:
    from gitsearch.commands.report import ReportRequest, report
    from gitsearch.render import json_document, report_markdown, report_sarif, report_text

    if given["cached"]:
        at_most_one(given, "base", "cached")
        at_most_one(given, "head", "cached")
    at_most_one(given, "json", "md", "sarif")
    request = ReportRequest(
        given["base"], given["head"] or "HEAD", bool(given["cached"]), bool(given["check"])
    )
    asked = ask("report", given, lambda session: report(session, request))
    if given["sarif"]:
        print_json(report_sarif.sarif(asked.report))
    elif given["md"]:
        output(report_markdown.markdown(asked.report))
    else:
        text = report_text.broken if given["check"] else report_text.lines
        show(asked, given, text, json_document.change_report)
    if given["check"]:
        return NO if asked.report.dangling else YES
    return NO if asked.report.silent else YES


# ---------------------------------------------------------------- options


def _impact_verb() -> Verb:
    options = [
        at(),
        flag(
            "--cached",
            TREE,
            "the index of git (staged contents); without a path, what is staged against HEAD",
        ),
        valued(
            "--diff",
            "<A>...<B>",
            TREE,
            "the files that differ between two revisions, and what the change does to the graph; "
            "three dots: from their merge base",
        ),
        *repositories(),
        valued("--hops", "<n>", AMOUNT, "at most <n> imports away", number(1, 1000)),
        tests(),
        valued(
            "--label",
            "<label>",
            FILTERS,
            "only what is at least <label>: certain, likely or possible (default)",
            one_of(("certain", "likely", "possible")),
        ),
        valued(
            "--coverage",
            "<file>",
            OTHER,
            "what a test runner recorded: a test that ran the target is certain; may be repeated",
            multiple=True,
        ),
        valued(
            "--recorded-at",
            "<rev>",
            OTHER,
            "the commit that the tests were run on (default: the tree; with --diff, its base)",
        ),
        count("at most <n> dependents and tests; the number of others is shown"),
        json_flag(),
        flag("--md", OUTPUT, "print a list in Markdown"),
        flag("--mermaid", OUTPUT, "print a flowchart for Mermaid, of at most 30 files"),
        flag("--dot", OUTPUT, "print a graph for Graphviz"),
        flag("--svg", OUTPUT, "print a picture: rings by distance, sectors by folder"),
        flag("--html", OUTPUT, "print a page with the picture and a list of the files"),
        *terminal_options(),
    ]
    return Verb("impact", _impact, options, optional="path", several=True)


def _architecture_verb() -> Verb:
    options = [
        at(),
        cached(),
        json_flag(),
        flag("--svg", OUTPUT, "print a picture: components in layers, and what they need"),
        flag("--html", OUTPUT, "print a page with the picture, the components and the cycles"),
        *terminal_options(),
    ]
    return Verb("architecture", _architecture, options)


def _dup_verb() -> Verb:
    options = [
        cached(),
        valued(
            "--changed",
            "[=<range>]",
            TREE,
            "what A..B has added, A...B since their merge base, or the working tree since A "
            "(default: HEAD)",
            bare="",
        ),
        tests(),
        valued(
            "--threshold",
            "<score>",
            FILTERS,
            "the lowest score of a copy, from 0 to 1 (default: 0.75)",
            fraction,
        ),
        json_flag(),
        *terminal_options(),
        flag("--warn", OUTPUT, "as a check: always exit with 0"),
        flag("--strict", OUTPUT, "as a check: exit with 1 if a copy is found, else 0"),
    ]
    return Verb("dup", _dup, options)


def _map_verb() -> Verb:
    options = [
        at(),
        cached(),
        valued("--query text", "<query>", HOW, "rank files by a search for this"),
        valued(
            "--budget",
            "<tokens>",
            AMOUNT,
            "at most <tokens> tokens (cl100k) of all that is printed, JSON included "
            "(default: 2000)",
            number(0),
        ),
        json_flag(),
        *terminal_options(),
    ]
    return Verb("map", _map, options, optional="path", several=True)


def _context_verb() -> Verb:
    options = [
        at(),
        cached(),
        tests(),
        valued(
            "--budget",
            "<tokens>",
            AMOUNT,
            "at most <tokens> tokens (cl100k) of all that is printed, JSON included "
            "(default: 4000); what does not fit is left out whole, and counted",
            number(0),
        ),
        json_flag(),
        *terminal_options(),
    ]
    return Verb("context", _context, options, argument="task or path", several=True)


def _exists_verb() -> Verb:
    options = [
        at(),
        cached(),
        *repositories(),
        flag(
            "--quick",
            HOW,
            "ask only the filter: a word that it lacks is in no text file, one that it has is "
            "likely in one",
        ),
        flag("-q --quiet", OUTPUT, "print nothing"),
        json_flag(),
    ]
    return ExactVerb("exists", _exists, options, argument="word", several=True)


def _conventions_verb() -> Verb:
    options = [
        at(),
        cached(),
        valued(
            "--max-lines",
            "<n>",
            AMOUNT,
            f"at most <n> lines of each text (default: {GIST_LINES}); 0: none",
            number(0),
        ),
        valued(
            "--max-bytes",
            "<n>",
            AMOUNT,
            f"with --json, at most <n> bytes of all texts (default: {TEXT_BUDGET})",
            number(0, 1 << 30),
        ),
        json_flag(),
        *terminal_options(),
    ]
    return Verb("conventions", _conventions, options, optional="path")


def _report_verb() -> Verb:
    options = [
        valued(
            "--base",
            "<rev>",
            _CHANGE,
            "the branch to merge into: the change begins at the merge base of it and the head; "
            "without one, and with trees, the two are compared directly",
        ),
        valued("--head", "<rev>", _CHANGE, "the branch to be merged (default: HEAD)"),
        flag("--cached", _CHANGE, "what is staged, against HEAD"),
        flag(
            "--check",
            HOW,
            "only find imports and uses that the change breaks; exit with 1 if there are any",
        ),
        json_flag(),
        flag("--md", OUTPUT, "print a comment in Markdown"),
        flag("--sarif", OUTPUT, "print the findings as SARIF 2.1.0"),
        *terminal_options(),
    ]
    return Verb("report", _report, options)


BUILDERS: dict[str, Callable[[], Verb]] = {
    "def": lambda: Verb(
        "def",
        _def,
        [
            at(),
            *repositories(),
            flag("--removed", HOW, "list the commits that took definitions of the name away"),
            tests(),
            count("at most <n> definitions; the number of others is shown"),
            json_flag(),
            *terminal_options(),
        ],
        argument="name",
        pathspecs=True,
    ),
    "refs": lambda: Verb(
        "refs",
        _refs,
        [
            at(),
            *repositories(),
            tests(),
            count("at most <n> uses, by path and line; the number of others is shown"),
            json_flag(),
            *terminal_options(),
        ],
        argument="name",
        pathspecs=True,
    ),
    "outline": lambda: Verb(
        "outline", _outline, [at(), json_flag(), *terminal_options()], argument="path"
    ),
    "impact": _impact_verb,
    "related": lambda: Verb(
        "related",
        _related,
        [
            at(),
            cached(),
            *repositories(),
            valued(
                "--by",
                "<evidence>",
                HOW,
                "code (default): by words, names and meaning; change: files that the history "
                "changes together with the file or folder, and with PATH:SYMBOL definitions "
                "that it changes together with that one",
                one_of(("code", "change")),
            ),
            tests(),
            count(),
            json_flag(),
            *terminal_options(),
        ],
        argument="path",
    ),
    "dup": _dup_verb,
    "map": _map_verb,
    "context": _context_verb,
    "architecture": _architecture_verb,
    "exists": _exists_verb,
    "conventions": _conventions_verb,
    "report": _report_verb,
}
