"""Options that several commands have; parser, help and manual read them from the commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gitsearch import __version__
from gitsearch.cli.option_parser import (
    GitCommand,
    Opt,
    flag,
    number,
    one_of,
    valued,
)
from gitsearch.settings import MAX_COUNT, TESTS, RepositoryNames
from gitsearch.trace import FORMS

TREE = "Which tree (default: HEAD, with staged and edited files)"
HOW = "How to search"
FILTERS = "Which files (applied before ranking)"
AMOUNT = "How much to show"
OUTPUT = "Output"
OTHER = "Other"

WHEN = ("auto", "always", "never")


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


def version_option() -> Opt:
    """`--version`, without a verb."""
    return _eager("--version", _show_version, "show the version")


def trace_option() -> Opt:
    """`--trace`, on every command."""
    text = "report on stderr the work that was done and its time: text (default) or json"
    return valued("--trace", "[=<form>]", OTHER, text, one_of(FORMS), bare="text")


def at(text: str = "", *, multiple: bool = False) -> Opt:
    """`--at`, of commands that can use another tree, or `multiple` ones."""
    text = text or "another tree: that of a branch, tag, commit or stash, or the id of a tree"
    return valued("--at", "<rev>", TREE, text, multiple=multiple)


def repositories() -> list[Opt]:
    """`--in` and `--recurse-submodules`, of commands that can ask many repositories."""
    return [
        valued(
            "--in repositories",
            "<where>",
            TREE,
            "many repositories: all in and below a folder, below each folder that a pattern "
            "matches, or of the list @<name> (git config search.repos.<name>, or a file); may be "
            "repeated; --at is looked up in each",
            multiple=True,
        ),
        flag(
            "--recurse-submodules submodules",
            TREE,
            "also submodules, at the commits that the superproject names",
        ),
    ]


def repository_names(given: dict[str, Any]) -> RepositoryNames:
    """Return the repositories that these two options name."""
    return RepositoryNames(tuple(given["repositories"] or ()), bool(given["submodules"]))


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
