"""The verb that reports on a change: `report`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gitsearch.cli.answering import NO, YES, Verb, meter, output, page, print_json
from gitsearch.cli.grammar import Opt
from gitsearch.cli.options import HOW, OUTPUT, json_flag, terminal_options
from gitsearch.cli.terminal import here
from gitsearch.errors import UsageError

_WHICH = "Which change (default: from where HEAD parted from the usual branch)"


def _report(**given: Any) -> int:
    from gitsearch.commands.report import Request, report
    from gitsearch.render import exchange, review, rundown, sarif

    _check(given)
    request = Request(
        given["base"], given["head"] or "HEAD", bool(given["cached"]), bool(given["check"])
    )
    with meter() as progress:
        found = report(here(), request, progress)
    if given["json"]:
        print_json(exchange.report(found))
    elif given["sarif"]:
        print_json(sarif.sarif(found))
    elif given["md"]:
        output(review.markdown(found))
    else:
        shown = rundown.broken if given["check"] else rundown.lines
        page((), partial(shown, found), given)
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
