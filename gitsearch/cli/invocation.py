"""The common part of all verbs: check their words, ask, and show the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import click

from gitsearch.cli.option_parser import OPENER, RUNNER, GitCommand, Handler, Opt
from gitsearch.cli.options import help_option, trace_option
from gitsearch.cli.terminal import Terminal, folder_of, here, read_by_person, survey
from gitsearch.cli.verb_names import VERBS, escape_hatch
from gitsearch.errors import BadPath, UsageError

if TYPE_CHECKING:
    from gitsearch.commands.tree_selection import SessionOpener
    from gitsearch.index.session import Session
    from gitsearch.render.color import Paint

    Runner = Callable[[Sequence[str], SessionOpener], int]

YES, NO = 0, 1

Answer = TypeVar("Answer")


class Asked(NamedTuple, Generic[Answer]):
    """A session and the report that answers a question."""

    session: Session
    report: Answer


class Verb(GitCommand):
    """A verb with at most one argument, which may be required, or with several of a kind."""

    def __init__(
        self,
        name: str,
        run: Handler,
        options: list[Opt],
        *,
        argument: str = "",
        optional: str = "",
        several: bool = False,
        pathspecs: bool = False,
    ) -> None:
        self.argument = argument or optional
        self._required = bool(argument)
        self._several = several
        shown = f"<{argument}>" if argument else f"[<{optional}>]" if optional else ""
        shown += "..." if several else ""
        after = "[-- <pathspec>...]" if pathspecs else ""
        usage = " ".join(part for part in (name, "[<options>]", shown, after) if part)
        super().__init__(
            name,
            run,
            [*options, trace_option(), help_option()],
            synopsis=(usage,),
            summary=VERBS[name],
            pathspecs=pathspecs,
        )

    def check_words(self, words: Sequence[str]) -> None:
        """Refuse too many words, which are likely a query, or too few."""
        if len(words) > bool(self.argument) and not self._several:
            takes = f"one {self.argument}" if self.argument else "no argument"
            raise UsageError(
                f"'{self.name}' takes {takes}", escape_hatch([str(self.name), *words])
            )
        if self._required and not any(map(self.says_something, words)):
            article = "an" if self.argument[0] in "aeiou" else "a"
            raise UsageError(
                f"'{self.name}' wants {article} {self.argument}", escape_hatch([str(self.name)])
            )

    def divided(self, words: list[str], rest: list[str]) -> tuple[list[str], list[str]]:
        """Return the argument and the pathspecs; an argument like an option is after `--`, too."""
        words, rest = super().divided(words, rest)
        if self.pathspecs and self._required and not self._several and not words:
            words, rest = rest[:1], rest[1:]
            rest = rest[1:] if rest[:1] == ["--"] else rest
        return words, rest

    def says_something(self, word: str) -> bool:
        """Return False for a word that is as good as none."""
        return bool(word.strip())


class ExactVerb(Verb):
    """A verb that looks for its words exactly as they are, white space too."""

    def says_something(self, word: str) -> bool:
        """Return False for the empty word."""
        return bool(word)


class ChoiceVerb(Verb):
    """A verb whose argument is one of a few words, which may want an `operand`."""

    def __init__(
        self,
        name: str,
        run: Handler,
        options: list[Opt],
        *,
        argument: str,
        choices: tuple[str, ...],
        operand: str = "",
    ) -> None:
        super().__init__(name, run, options, argument=argument)
        self._choices = choices
        self._operand = operand
        if operand:
            self.synopsis = tuple(f"{name} [<options>] {word} <{operand}>" for word in choices)

    def check_words(self, words: Sequence[str]) -> None:
        """Refuse what is none of them, and too many words or too few."""
        super().check_words(words[:1] if self._operand else words)
        if words[0] not in self._choices:
            raise UsageError(
                f"'{self.name}' takes one of {', '.join(self._choices)}, not '{words[0]}'",
                escape_hatch([str(self.name), *words]),
            )
        if self._operand and len(words) != 2:
            raise UsageError(
                f"'{self.name} {words[0]}' wants one {self._operand}",
                escape_hatch([str(self.name), *words]),
            )


def output(pieces: Iterable[str]) -> None:
    """Print an answer."""
    from gitsearch.render.output import write

    write(pieces)


def print_json(document: dict[str, Any]) -> None:
    """Print an answer as one document."""
    from gitsearch.render.json_document import dump

    output([dump(document, indent=read_by_person())])


def ask(verb: str, given: dict[str, Any], question: Callable[[Session], Answer]) -> Asked[Answer]:
    """Answer a question about the repository of the current folder; raises SearchError.

    A word that is no path may be one of a query: the error says how to search for it.
    """
    with current_session() as session:
        try:
            return Asked(session, question(session))
        except BadPath as error:
            query = escape_hatch([verb, *given["words"]])
            hint = f"{error.hint}; {query}" if error.hint else query
            raise BadPath(error.message, hint) from None


def show(
    asked: Asked[Any],
    given: dict[str, Any],
    text: Callable[..., Iterable[str]],
    document: Callable[[Any], dict[str, Any]] | None = None,
) -> None:
    """Print a report as one JSON document if asked for, else as text, in the pager of git.

    text: renders a report with colours and paths; document: renders it as JSON, by default by the
    names of its fields.
    """
    session, report = asked
    if given["json"]:
        from gitsearch.render import json_document

        print_json((document or json_document.document)(report))
        return
    warn(getattr(report, "warnings", ()))
    terminal = _terminal(session, given)
    terminal.show(text(report, brush_of(asked, colour=terminal.colour)))


def printed(
    session: Session,
    given: dict[str, Any],
    text: Callable[..., Iterable[str]],
    document: Callable[[Any], dict[str, Any]],
) -> Callable[[Any], str]:
    """Return a function that gives all that `show` prints of a report, warnings included."""
    if given["json"]:
        from gitsearch.render.json_document import dump

        return lambda report: dump(document(report), indent=read_by_person())
    colour = _terminal(session, given).colour

    def written(report: Any) -> str:
        said = (f"git search: {warning}\n" for warning in report.warnings)
        brush = brush_of(Asked(session, report), colour=colour)
        return "".join((*said, *text(report, brush)))

    return written


def _terminal(session: Session, given: dict[str, Any]) -> Terminal:
    color = "never" if given["no_color"] else given["color"]
    return survey(session, color, paging=not given["no_pager"])


def brush_of(asked: Asked[Any], *, colour: bool = False) -> Paint:
    """Return what colours text, and writes paths as seen from the current folder.

    Those of an answer about several repositories begin at the top of each.
    """
    from gitsearch.render.color import Paint

    is_of_many = getattr(asked.report, "repositories", None) is not None
    return Paint(colour=colour, folder="" if is_of_many else folder_of(asked.session))


def warn(warnings: Iterable[str]) -> None:
    """Say on standard error what is odd about an answer."""
    from gitsearch.render.output import say

    for warning in warnings:
        say(warning)


def at_most_one(given: dict[str, Any], *names: str) -> None:
    """Refuse options that exclude each other; raises UsageError."""
    chosen = [f"--{name}" for name in names if given[name] not in (None, False)]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} cannot be used together")


def current_runner() -> Runner:
    """The function that runs other commands in this process; returns the exit code."""
    runner: Runner = click.get_current_context().meta[RUNNER]
    return runner


@contextmanager
def current_session() -> Iterator[Session]:
    """The session of the current folder, which shows how far it is and leaves a clean terminal."""
    from gitsearch.commands.tree_selection import open_session
    from gitsearch.render.progress import Meter

    context = click.get_current_context(silent=True)
    # a process that answers many questions has its own way to open a session
    opener = (context and context.meta.get(OPENER)) or open_session
    meter = Meter()
    try:
        yield opener(here(), meter)
    finally:
        meter.close()
