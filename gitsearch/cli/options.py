"""The options of the command line, each declared once: parser, help and manual read them here."""

from __future__ import annotations

import click

from gitsearch import __version__
from gitsearch.cli.option_parser import GitCommand, Opt, fraction, number, one_of
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


def help_option() -> Opt:
    """`-h`, on every command."""
    return Opt(
        "-h",
        "--help",
        section=OTHER,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_help,
        help="show this help",
    )


def trace_option() -> Opt:
    """`--trace`, on every command."""
    return Opt(
        "--trace",
        section=OTHER,
        metavar="[=<form>]",
        bare="text",
        accepts=one_of(FORMS),
        help="say on stderr what was done and how long it took: text (default) or json",
    )


def at() -> Opt:
    """`--at`, of all that can look at another tree."""
    return Opt(
        "--at",
        section=TREE,
        metavar="<rev>",
        help="look at another tree: a branch, tag, commit, stash or tree id",
    )


def cached() -> Opt:
    """`--cached`, of all that can look at the index."""
    return Opt("--cached", section=TREE, is_flag=True, help="look at the index (what is staged)")


def count(what: str = "") -> Opt:
    """`-k`, of all whose answers may be long."""
    usual = f"at most so many results (default: search.maxCount or {MAX_COUNT})"
    return Opt(
        "-k",
        "--max-count",
        section=AMOUNT,
        metavar="<n>",
        accepts=number(1),
        help=what or usual,
    )


def tests() -> Opt:
    """`--tests`, of all that can tell tests from the rest."""
    return Opt(
        "--tests",
        section=FILTERS,
        metavar="<which>",
        accepts=one_of(TESTS),
        help="include (default), only or exclude tests",
    )


def json_flag() -> Opt:
    """`--json`, on every verb."""
    return Opt("--json", section=OUTPUT, is_flag=True, help="print one JSON document")


def terminal_options() -> list[Opt]:
    """Colour and pager, of all that print for people."""
    return [
        Opt(
            "--color",
            section=OUTPUT,
            metavar="[=<when>]",
            bare="always",
            accepts=one_of(WHEN),
            help="colour the output: auto (default), always or never",
        ),
        Opt("--no-color", section=OUTPUT, is_flag=True, hidden=True, help="same as --color=never"),
        Opt("--no-pager", section=OUTPUT, is_flag=True, help="do not start a pager"),
    ]


def _tree() -> list[Opt]:
    return [
        at(),
        cached(),
        Opt("--untracked", section=TREE, is_flag=True, help="also search untracked files"),
    ]


def _how() -> list[Opt]:
    return [
        Opt(
            "-e",
            "query",
            section=HOW,
            metavar="<query>",
            multiple=True,
            help="the query, where its first word is a verb or begins with a dash",
        ),
        Opt(
            "--mode",
            section=HOW,
            metavar="<mode>",
            accepts=one_of(MODES, LATER_MODES),
            help="auto (default): by the look of the query; hybrid: words and meaning; "
            "semantic: meaning; lexical: words; symbol: names of definitions",
        ),
        Opt(
            "--grep",
            section=HOW,
            metavar="<regex>",
            help="only results with a line that matches, as in git grep -E",
        ),
        Opt(
            "--alpha",
            section=HOW,
            metavar="<0..1>",
            accepts=fraction,
            help="weight of meaning against words (default: by the look of the query)",
        ),
        Opt("--no-rerank", section=HOW, is_flag=True, help="keep the order of the fused legs"),
    ]


def _filters() -> list[Opt]:
    return [
        Opt(
            "-t",
            "--type",
            "languages",
            section=FILTERS,
            metavar="<language>",
            multiple=True,
            help="only these languages; may be repeated or joined by commas",
        ),
        Opt(
            "--content",
            section=FILTERS,
            metavar="<kind>",
            accepts=one_of(CONTENTS),
            help="all (default), code, docs or config",
        ),
        tests(),
    ]


def _amount() -> list[Opt]:
    return [
        count(),
        Opt(
            "--max-lines",
            section=AMOUNT,
            metavar="<n>",
            accepts=number(0),
            help="at most so many lines a result; 0: locations only",
        ),
        Opt(
            "-A",
            "--after-context",
            section=AMOUNT,
            metavar="<n>",
            accepts=number(0),
            help="show lines after each result",
        ),
        Opt(
            "-B",
            "--before-context",
            section=AMOUNT,
            metavar="<n>",
            accepts=number(0),
            help="show lines before each result",
        ),
        Opt(
            "-C",
            "--context",
            section=AMOUNT,
            metavar="<n>",
            accepts=number(0),
            help="both; -<n> for short",
        ),
        Opt(
            "-W",
            "--function-context",
            section=AMOUNT,
            is_flag=True,
            help="show the whole enclosing definition",
        ),
    ]


def _output() -> list[Opt]:
    return [
        Opt(
            "-l",
            "--name-only",
            "--files-with-matches",
            "names_only",
            section=OUTPUT,
            is_flag=True,
            help="print the paths of files only",
        ),
        Opt("-c", "--count", section=OUTPUT, is_flag=True, help="print results per file"),
        Opt(
            "-q",
            "--quiet",
            section=OUTPUT,
            is_flag=True,
            help="print nothing; the exit code says if something was found",
        ),
        Opt(
            "-z",
            "--null",
            section=OUTPUT,
            is_flag=True,
            help="end paths with NUL and do not quote them",
        ),
        json_flag(),
        Opt("--jsonl", section=OUTPUT, is_flag=True, help="print one JSON object a result"),
        Opt("--explain", section=OUTPUT, is_flag=True, help="show why each result stands there"),
        *terminal_options(),
    ]


def _other() -> list[Opt]:
    return [
        Opt(
            "--refresh",
            section=OTHER,
            metavar="<how>",
            accepts=one_of(REFRESH),
            help="wait (default): update the index first; background: answer from what is there "
            "and update afterwards; off: answer from what is there",
        ),
        trace_option(),
        help_option(),
        Opt(
            "--version",
            section=OTHER,
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="show the version",
        ),
    ]


def _coming() -> list[Opt]:
    """Options of the contract that a later version will have: refused, never ignored."""
    return [
        Opt("--budget", metavar="<tokens>", absent="-k and --max-lines bound the answer"),
        Opt("--continue", "next_page", metavar="<token>", absent="-k asks for more results"),
        Opt("--changed", metavar="[=<range>]", bare="", absent="git diff shows what changed"),
        Opt("--removed", metavar="[=<range>]", bare="", absent="git diff shows what went"),
        Opt("-F", "--fixed-strings", is_flag=True, absent="use git grep -F, or --grep <regex>"),
        Opt("-E", "--extended-regexp", is_flag=True, absent="use git grep -E, or --grep <regex>"),
    ]


def search_options() -> list[Opt]:
    """All options of a search, in the order of the help."""
    return [*_tree(), *_how(), *_filters(), *_amount(), *_output(), *_other(), *_coming()]
