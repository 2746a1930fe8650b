"""The verbs for those who review a change: what is like it, what it repeats."""

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
    warn,
)
from gitsearch.cli.option_parser import Opt, fraction
from gitsearch.cli.options import (
    FILTERS,
    OUTPUT,
    TREE,
    at,
    cached,
    count,
    json_flag,
    terminal_options,
    tests,
)
from gitsearch.errors import BadPath


def _related(**given: Any) -> int:
    from gitsearch.commands.related import RelatedRequest, related
    from gitsearch.render import json_document, similarity_text

    target = given["words"][0]
    at_most_one(given, "at", "cached")
    which = given["tests"] or "include"
    request = RelatedRequest(target, given["at"], given["cached"], given["max_count"], which)
    try:
        with current_session() as session:
            report = related(session, request)
    except BadPath as error:
        raise or_words(error, "related", target) from None
    if given["json"]:
        print_json(json_document.document(report))
    else:
        page(session, report.warnings, partial(similarity_text.related, report), given)
    return YES if report.results else NO


def _related_verb() -> Verb:
    options = [
        at(),
        cached(),
        tests(),
        count(),
        json_flag(),
        *terminal_options(),
    ]
    return Verb("related", _related, options, argument="path")


def _dup(**given: Any) -> int:
    from gitsearch.commands.dup import DupRequest, dup
    from gitsearch.render import json_document, similarity_text

    at_most_one(given, "cached", "changed")
    check = given["warn"] or given["strict"]
    which = given["tests"] or "include"
    request = DupRequest(given["cached"], given["changed"] or None, given["threshold"], which)
    with current_session() as session:
        report = dup(session, request)
    if given["json"]:
        print_json(json_document.document(report))
    else:
        if not report.looked and not check:
            warn(["there is no new code to compare"])
        page(session, report.warnings, partial(similarity_text.dup, report), given)
    if check:
        return NO if report.copies and given["strict"] else YES
    return YES if report.copies else NO


def _dup_verb() -> Verb:
    options = [
        cached(),
        Opt(
            "--changed",
            section=TREE,
            metavar="[=<range>]",
            bare="",
            help="what A..B has added, or A...B since they parted (default: what is edited)",
        ),
        tests(),
        Opt(
            "--threshold",
            section=FILTERS,
            metavar="<score>",
            accepts=fraction,
            help="only copies of this score, from 0 to 1, or a higher one (default: 0.75)",
        ),
        json_flag(),
        *terminal_options(),
        Opt("--warn", section=OUTPUT, is_flag=True, help="as a check: exit 0 in any case"),
        Opt(
            "--strict",
            section=OUTPUT,
            is_flag=True,
            help="as a check: exit 1 if anything is found, else 0",
        ),
    ]
    return Verb("dup", _dup, options)


BUILDERS: dict[str, Callable[[], Verb]] = {"related": _related_verb, "dup": _dup_verb}
