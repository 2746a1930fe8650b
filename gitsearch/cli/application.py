"""The one door: from the words after `git search` to the exit code; no exception passes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gitsearch.cli.option_parser import OPENER, RUNNER, UnknownOptionError
from gitsearch.cli.verb_names import NO_QUESTIONS, VERBS
from gitsearch.errors import HooksRefused, InternalError, SearchError, UsageError
from gitsearch.render.output import ClosedPipeError, refuse, tell, write

if TYPE_CHECKING:
    from gitsearch.cli.option_parser import GitCommand
    from gitsearch.commands.tree_selection import SessionOpener

REFUSED = 128
INTERRUPTED = 130
_TRACES = ("GITSEARCH_DEBUG", "GIT_TRACE2")
_OFF = {"", "0", "false", "no", "off"}


def run(arguments: Sequence[str], opener: SessionOpener | None = None) -> int:
    """Do what the words ask for; returns the exit code.

    opener: opens the session of a process that answers many questions, where verbs that do more
    than ask are refused.
    """
    words = list(arguments)
    try:
        command, rest = route(words)
        if opener is not None and command.name in NO_QUESTIONS:
            raise UsageError(f"'{command.name}' is no question", "it is a command of its own")
        try:
            return command.execute(rest, **{OPENER: opener, RUNNER: run})
        except UnknownOptionError as error:
            error.hint = error.hint or _as_query(words, rest)
            raise
    except ClosedPipeError:
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except SearchError as error:
        return _refused(error, words)
    except click.ClickException as error:
        return _refused(UsageError(error.format_message()), words)
    except (SystemExit, GeneratorExit):
        raise
    # the last line of defence: a bug is one line too, and a panic of Rust code no Exception
    except BaseException as error:  # noqa: BLE001
        return _failed(error, words)


def route(words: list[str]) -> tuple[GitCommand, list[str]]:
    """The command that the words are for, and its own words.

    Options may stand before a verb; with `-e` there is no verb.
    """
    if words and words[0] in VERBS:
        return _verb(words, 0)
    from gitsearch.cli.search_verb import command

    search = command()
    position = _first_word(words, search) if words and words[0].startswith("-") else None
    if position is None:
        return search, words
    return _verb(words, position) if words[position] in VERBS else (search, words)


def _first_word(words: list[str], search: GitCommand) -> int | None:
    for item in search.read(words):
        if item.option is None:
            return item.position if item.word is not None else None
        if "-e" in item.option.opts or item.option.is_eager:
            return None
    return None


def _verb(words: list[str], position: int) -> tuple[GitCommand, list[str]]:
    from gitsearch.cli.verbs import verb

    return verb(words[position]), words[:position] + words[position + 1 :]


def _as_query(words: list[str], rest: list[str]) -> str:
    """The search for the verb of some words; "" if it comes first. rest: the words without it."""
    position = next((i for i, word in enumerate(words) if rest[i : i + 1] != [word]), 0)
    if len(rest) == len(words) or not position:
        return ""
    from shlex import join

    from gitsearch.cli.search_verb import command

    asked = [*words[:position], "-e", *words[position:]]
    try:
        list(command().read(asked))
    except UsageError:
        return ""
    return f"to search for '{words[position]}': {join(['git', 'search', *asked])}"


def _before_pathspecs(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


def _wants_json(words: list[str]) -> bool:
    """Return True if JSON is wanted, by the raw words, which may not parse."""
    return not {"--json", "--jsonl"}.isdisjoint(_before_pathspecs(words))


def _refused(error: SearchError, words: list[str]) -> int:
    """Say the one line, or the JSON in its place; returns the exit code."""
    if _wants_json(words):
        return _refused_in_json(error)
    refuse(error)
    if isinstance(error, HooksRefused):
        tell(error.snippet)
    if isinstance(error, UnknownOptionError):
        from gitsearch.cli.help_text import short_usage

        tell(short_usage(error.synopsis))
    return error.exit_code


def _refused_in_json(error: SearchError) -> int:
    from gitsearch.render import json_document

    try:
        write([json_document.dump(json_document.refusal(error))])
    except ClosedPipeError:
        return error.exit_code
    except SearchError as unwritable:
        refuse(unwritable)
    return error.exit_code


def _failed(error: BaseException, words: list[str]) -> int:
    """A bug: one line with its place; the traceback only for those who look for it."""
    if any(os.environ.get(name, "").lower() not in _OFF for name in _TRACES):
        from traceback import format_exception

        tell("".join(format_exception(error)))
    return _refused(InternalError.of(error), words)
