"""The verb that reports on a change: `report`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gitsearch.cli.invocation import NO, YES, Verb, current_session, output, page, print_json
from gitsearch.cli.option_parser import Opt
from gitsearch.cli.options import HOW, OUTPUT, json_flag, terminal_options
from gitsearch.errors import UsageError

_WHICH = "Which change (default: from where HEAD parted from the usual branch)"


def _report(**given: Any) -> int:
    from gitsearch.commands.report import ReportRequest, report
    from gitsearch.render import json_document, report_markdown, report_sarif, report_text

    _check(given)
    request = ReportRequest(
        given["base"], given["head"] or "HEAD", bool(given["cached"]), bool(given["check"])
    )
    with current_session() as session:
        found = report(session, request)
    if given["json"]:
        print_json(json_document.change_report(found))
    elif given["sarif"]:
        print_json(report_sarif.sarif(found))
    elif given["md"]:
        output(report_markdown.markdown(found))
    else:
        shown = report_text.broken if given["check"] else report_text.lines
        page(session, (), partial(shown, found), given)
    if given["check"]:
        return NO if found.dangling else YES
    return NO if found.silent else YES


def _check(given: dict[str, Any]) -> None:
    ends = [name for name in ("base", "head") if given[name]]
    if given["cached"] and ends:
        raise UsageError(f"--{ends[0]} and --cached cannot be used together")
    forms = [name for name in ("json", "md", "sarif") if given[name]]
    if len(forms) > 1:
        raise UsageError(f"--{forms[0]} and --{forms[1]} cannot be used together")


def _report_verb() -> Verb:
    options = [
        Opt(
            "--base",
            section=_WHICH,
            metavar="<rev>",
            help="what it is to be merged into: the change begins where head parted from it; "
            "without a commit in common, and with trees, the two are compared as they are",
        ),
        Opt(
            "--head", section=_WHICH, metavar="<rev>", help="what is to be merged (default: HEAD)"
        ),
        Opt(
            "--cached",
            section=_WHICH,
            is_flag=True,
            help="what is staged (the index), against HEAD",
        ),
        Opt(
            "--check",
            section=HOW,
            is_flag=True,
            help="only look for what the change breaks: imports of what is gone; exit with 1 if "
            "there are any",
        ),
        json_flag(),
        Opt("--md", section=OUTPUT, is_flag=True, help="print a comment in Markdown"),
        Opt("--sarif", section=OUTPUT, is_flag=True, help="print the findings as SARIF 2.1.0"),
        *terminal_options(),
    ]
    return Verb("report", _report, options)


BUILDERS: dict[str, Callable[[], Verb]] = {"report": _report_verb}
