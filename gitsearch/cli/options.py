"""The options of the command line, each declared once: parser, help and manual read them here."""

from __future__ import annotations

from collections.abc import Callable

import click

from gitsearch import __version__
from gitsearch.cli.option_parser import (
    GitCommand,
    Opt,
    flag,
    fraction,
    number,
    one_of,
    valued,
)
from gitsearch.settings import CONTENTS, MAX_COUNT, MODES, REFRESH, TESTS
from gitsearch.trace import FORMS

TREE = "Which tree (default: HEAD, with the index and edited files)"
HOW = "How to search"
FILTERS = "Which files (applied before ranking)"
AMOUNT = "How much to show"
OUTPUT = "Output"
OTHER = "Other"

WHEN = ("auto", "always", "never")
LATER_MODES = ("literal", "structural")


def _show_help(context: click.Context, _: click.Parameter, asked: object) -> None:
    if not asked or not isinstance(context.command, GitCommand):
        return
    from gitsearch.cli.help_text import full_help
    from gitsearch.render.output import write

    write([full_help(context.command)])
    context.exit(0)


def _show_version(context: click.Context, _: click.Parameter, asked: object) -> None:
    if not asked:
        return
    from gitsearch.render.output import write

    write([f"git-search version {__version__}\n"])
    context.exit(0)


def _eager(names: str, callback: Callable[..., None], help: str) -> Opt:
    return flag(names, OTHER, help, is_eager=True, expose_value=False, callback=callback)


def help_option() -> Opt:
    """`-h`, on every command."""
    return _eager("-h --help", _show_help, "show this help")


def trace_option() -> Opt:
    """`--trace`, on every command."""
    text = "report on stderr the work that was done and its time: text (default) or json"
    return valued("--trace", "[=<form>]", OTHER, text, one_of(FORMS), bare="text")


def at() -> Opt:
    """`--at`, of commands that can use another tree."""
    text = "another tree: that of a branch, tag, commit or stash, or the id of a tree"
    return valued("--at", "<rev>", TREE, text)


def cached() -> Opt:
    """`--cached`, of commands that can use the index."""
    return flag("--cached", TREE, "the index of git (staged contents)")


def count(text: str = f"at most <n> results (default: search.maxCount or {MAX_COUNT})") -> Opt:
    """`-k`, of commands with long answers."""
    return valued("-k --max-count", "<n>", AMOUNT, text, number(1))


def tests() -> Opt:
    """`--tests`, of commands that distinguish tests."""
    text = "include (default), only or exclude tests"
    return valued("--tests", "<which>", FILTERS, text, one_of(TESTS))


def json_flag() -> Opt:
    """`--json`, on every verb."""
    return flag("--json", OUTPUT, "print one JSON document")


def no_pager() -> Opt:
    """`--no-pager`, of commands with long answers."""
    return flag("--no-pager", OUTPUT, "do not start a pager")


def terminal_options() -> list[Opt]:
    """Colour and pager, of commands that print for people."""
    text = "colour the output: auto (default), always or never"
    return [
        valued("--color", "[=<when>]", OUTPUT, text, one_of(WHEN), bare="always"),
        flag("--no-color", OUTPUT, "same as --color=never", hidden=True),
        no_pager(),
    ]


def _lines(names: str, help: str) -> Opt:
    return valued(names, "<n>", AMOUNT, help, number(0))


def search_options() -> list[Opt]:
    """All options of a search, in the order of the help."""
    return [
        at(),
        cached(),
        flag("--untracked", TREE, "also search untracked files"),
        valued(
            "-e query",
            "<query>",
            HOW,
            "the query, if its first word is a verb or begins with a dash",
            multiple=True,
        ),
        valued(
            "--mode",
            "<mode>",
            HOW,
            "auto (default): depends on the form of the query; hybrid: words and meaning; "
            "semantic: meaning; lexical: words; symbol: names of definitions",
            one_of(MODES, LATER_MODES),
        ),
        valued("--grep", "<regex>", HOW, "only results with a line that git grep -E would match"),
        valued(
            "--alpha",
            "<0..1>",
            HOW,
            "weight of meaning against words (default: depends on the form of the query)",
            fraction,
        ),
        flag("--no-rerank", HOW, "keep the order of the fused rankings"),
        valued(
            "-t --type languages",
            "<language>",
            FILTERS,
            "only these languages; may be repeated or joined by commas",
            multiple=True,
        ),
        valued(
            "--content", "<kind>", FILTERS, "all (default), code, docs or config", one_of(CONTENTS)
        ),
        tests(),
        count(),
        _lines("--max-lines", "at most <n> lines of each result; 0: locations only"),
        _lines("-A --after-context", "show <n> lines after each result"),
        _lines("-B --before-context", "show <n> lines before each result"),
        _lines("-C --context", "both; -<n> for short"),
        flag("-W --function-context", AMOUNT, "show the whole enclosing definition"),
        flag("-l --name-only --files-with-matches names_only", OUTPUT, "print only paths"),
        flag("-c --count", OUTPUT, "print the number of results of each file"),
        flag("-q --quiet", OUTPUT, "print nothing; exit with 0 if something is found, else 1"),
        flag("-z --null", OUTPUT, "end paths with NUL and do not quote them"),
        json_flag(),
        flag("--jsonl", OUTPUT, "print one JSON object for each result"),
        flag("--explain", OUTPUT, "show the factors of each score"),
        *terminal_options(),
        valued(
            "--refresh",
            "<how>",
            OTHER,
            "wait (default): update the index first; background: answer from the index as it is "
            "and update it afterwards; off: answer from the index as it is",
            one_of(REFRESH),
        ),
        trace_option(),
        help_option(),
        _eager("--version", _show_version, "show the version"),
        *_later_options(),
    ]


def _later_options() -> list[Opt]:
    """Options that are kept for a later version: refused, never ignored."""
    return [
        Opt("--budget", metavar="<tokens>", absent="-k and --max-lines bound the answer"),
        Opt("--continue", "next_page", metavar="<token>", absent="-k asks for more results"),
        Opt("--changed", metavar="[=<range>]", bare="", absent="git diff shows what changed"),
        Opt("--removed", metavar="[=<range>]", bare="", absent="git diff shows what went"),
        Opt("-F", "--fixed-strings", is_flag=True, absent="use git grep -F, or --grep <regex>"),
        Opt("-E", "--extended-regexp", is_flag=True, absent="use git grep -E, or --grep <regex>"),
    ]
