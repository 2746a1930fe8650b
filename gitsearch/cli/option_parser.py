"""Options in git's manner on top of click: what each word is, and what it may be.

click declares and converts; the reading of words is ours, because git's rules are not click's:
`--color` takes its value only after `=`, long names may be shortened, `--` separates pathspecs.

Here and in what else a search needs before it starts there are named tuples and no dataclasses:
making a frozen dataclass takes 0.35 ms, a named tuple 0.04 ms (Python 3.11).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import click

from gitsearch import trace
from gitsearch.errors import UsageError, brief
from gitsearch.render.output import tell
from gitsearch.settings import MOST_SHOWN, whole_number

# What a running command knows of the program that runs it: what opens the session, in place of
# `tree_selection.open_session`, and the function that runs other commands.
OPENER, RUNNER = "gitsearch.opener", "gitsearch.runner"

Handler = Callable[..., int]
# Turns the text of a value into the value; gets the name of the option, for its refusal.
Accepts = Callable[[str, str], object]


class UnknownOptionError(UsageError):
    """An option that the command does not have; its usage lines are shown after the refusal."""

    synopsis: tuple[str, ...] = ()

    def __init__(self, option: str, hint: str = "") -> None:
        super().__init__(f"unknown option '{option}'", hint)
        self.option = option


class Opt(click.Option):
    """An option with its place in the help.

    `accepts` turns the text of its value into the value. `bare` is the value of an option whose
    value may be left out. `absent` says what to do instead where the option belongs to a version
    to come.
    """

    def __init__(
        self,
        *names: str,
        section: str = "",
        accepts: Accepts | None = None,
        bare: str | None = None,
        absent: str | None = None,
        **attributes: Any,
    ) -> None:
        attributes.setdefault("hidden", absent is not None)
        if accepts is not None:
            attributes["callback"] = _converter(accepts)
        super().__init__(list(names), **attributes)
        self.section = section
        self.bare = bare
        self.absent = absent

    @property
    def label(self) -> str:
        """The name of the option in messages: `-k/--max-count`."""
        return "/".join(self.opts[:2])

    @property
    def takes_value(self) -> bool:
        """Return True if the option has a value."""
        return not self.is_flag


def flag(names: str, section: str, help: str = "", **attributes: Any) -> Opt:
    """An option without a value; its names are separated by spaces."""
    return Opt(*names.split(), section=section, is_flag=True, help=help, **attributes)


def valued(
    names: str,
    metavar: str,
    section: str,
    help: str = "",
    accepts: Accepts | None = None,
    **attributes: Any,
) -> Opt:
    """An option with a value, which the help shows as `metavar`."""
    return Opt(
        *names.split(),
        section=section,
        accepts=accepts,
        metavar=metavar,
        help=help,
        **attributes,
    )


def _converter(
    accepts: Accepts,
) -> Callable[[click.Context, click.Parameter, str | None], object]:
    def convert(_: click.Context, param: click.Parameter, text: str | None) -> object:
        return None if text is None else accepts(_label(param), text)

    return convert


def number(low: int, high: int = MOST_SHOWN) -> Accepts:
    """Accepts a whole number in a range."""

    def accept(label: str, text: str) -> int:
        value = whole_number(text, low, high)
        if value is None:
            raise UsageError(f"{label} wants a number from {low} to {high}, not '{brief(text)}'")
        return value

    return accept


def fraction(label: str, text: str) -> float:
    """Accepts a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0 <= value <= 1:
        return value
    raise UsageError(f"{label} wants a number from 0 to 1, not '{brief(text)}'")


def one_of(words: tuple[str, ...]) -> Accepts:
    """Accepts one of a few words."""

    def accept(label: str, text: str) -> str:
        if text in words:
            return text
        allowed = f"{', '.join(words[:-1])} or {words[-1]}"
        raise UsageError(f"{label} wants {allowed}, not '{brief(text)}'")

    return accept


def _label(param: click.Parameter | None) -> str:
    return param.label if isinstance(param, Opt) else str(param and param.name)


class Item(NamedTuple):
    """One thing on a command line: an option with its value, a word, or the end of options."""

    position: int
    option: Opt | None = None
    value: str | None = None
    word: str | None = None


def walk(arguments: Sequence[str], options: Iterable[Opt]) -> Iterator[Item]:
    """Each thing on the command line in turn; raises UsageError where it does not fit.

    After the item for `--` nothing more comes.
    """
    names = {name: option for option in options for name in option.opts}
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if argument == "--":
            yield Item(position)
            return
        if argument == "-" or not argument.startswith("-"):
            yield Item(position, word=argument)
            position += 1
            continue
        read = _long if argument.startswith("--") else _short
        for item, needs_next in read(position, argument, names):
            if needs_next:
                position += 1
                if position == len(arguments):
                    raise UsageError(f"{_label(item.option)} requires a value")
                yield Item(item.position, option=item.option, value=arguments[position])
            else:
                yield item
        position += 1


def _long(position: int, argument: str, names: dict[str, Opt]) -> Iterator[tuple[Item, bool]]:
    name, glued, value = argument.partition("=")
    option = _known(names[name] if name in names else _abbreviated(name, names))
    if not option.takes_value:
        if glued:
            raise UsageError(f"{option.label} takes no value")
        yield Item(position, option=option), False
    elif glued:
        yield Item(position, option=option, value=value), False
    elif option.bare is not None:
        yield Item(position, option=option, value=option.bare), False
    else:
        yield Item(position, option=option), True


def _short(position: int, argument: str, names: dict[str, Opt]) -> Iterator[tuple[Item, bool]]:
    """A cluster: `-lq`, `-k5`, `-lk 5`; or `-3`, which is `-C 3` as in git grep."""
    if argument[1:].isdigit() and "-C" in names:
        yield Item(position, option=names["-C"], value=argument[1:]), False
        return
    for place, letter in enumerate(argument[1:], 2):
        option = names.get(f"-{letter}")
        if option is None:
            raise UnknownOptionError(f"-{letter}")
        if not _known(option).takes_value:
            yield Item(position, option=option), False
            continue
        value = argument[place:]
        yield Item(position, option=option, value=value or None), not value
        return


def _known(option: Opt) -> Opt:
    if option.absent is not None:
        raise UsageError(f"{option.label} is not in this version", option.absent)
    return option


def _abbreviated(name: str, names: dict[str, Opt]) -> Opt:
    """The one option whose long name begins so, as git allows."""
    long = {known: option for known, option in names.items() if known.startswith("--")}
    fitting = {option.name: known for known, option in long.items() if known.startswith(name)}
    if len(fitting) == 1:
        return long[next(iter(fitting.values()))]
    if fitting:
        candidates = ", ".join(known for known in fitting.values() if not long[known].hidden)
        raise UsageError(f"ambiguous option '{name}'", f"it could be {candidates}")
    from difflib import get_close_matches

    visible = [known[2:] for known, option in long.items() if not option.hidden]
    near = get_close_matches(name[2:], visible, n=1, cutoff=0.7)
    hint = f"did you mean --{near[0]}?" if near else ""
    raise UnknownOptionError(name, hint)


class GitCommand(click.Command):
    """A command whose words are read by git's rules.

    `synopsis` are its usage lines; with `pathspecs`, what follows `--` are pathspecs, not words.
    """

    def __init__(
        self,
        name: str,
        run: Handler,
        options: Sequence[Opt],
        *,
        synopsis: Sequence[str],
        summary: str,
        pathspecs: bool = False,
    ) -> None:
        words = click.Argument(["words"], nargs=-1)
        super().__init__(
            name, callback=run, params=[*options, words], help=summary, add_help_option=False
        )
        self.synopsis = tuple(synopsis)
        self.summary = summary
        self.pathspecs = pathspecs

    @property
    def options(self) -> list[Opt]:
        """The options, hidden ones too."""
        return [param for param in self.params if isinstance(param, Opt)]

    def read(self, words: Sequence[str]) -> Iterator[Item]:
        """Each thing among the words, by the options of this command."""
        try:
            yield from walk(words, self.options)
        except UnknownOptionError as error:
            error.synopsis = self.synopsis
            raise

    def check_words(self, words: Sequence[str]) -> None:
        """Refuse words that the command has no use for; a query may have any."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words by our rules, and let click convert the values."""
        # what is not given is said so: click has another word for it in each version
        values: dict[str, Any] = {
            str(option.name): False if option.is_flag else None for option in self.options
        }
        words: list[str] = []
        rest: list[str] = []
        for item in self.read(args):
            if item.word is not None:
                words.append(item.word)
            elif item.option is None:
                rest = args[item.position + 1 :]
            elif item.option.multiple:
                name = str(item.option.name)
                values[name] = [*(values[name] or ()), item.value]
            else:
                values[str(item.option.name)] = item.value if item.option.takes_value else True
        words, rest = self.divided(words, rest)
        for param in sorted(self.params, key=lambda param: not param.is_eager):
            param.handle_parse_result(ctx, {**values, "words": tuple(words)}, [])
        self.check_words(words)
        if self.pathspecs:
            ctx.params["pathspecs"] = tuple(rest)
        return []

    def divided(self, words: list[str], rest: list[str]) -> tuple[list[str], list[str]]:
        """Return the words and the pathspecs, of words before and after `--`."""
        return (words, rest) if self.pathspecs else (words + rest, [])

    def execute(self, arguments: list[str], **known: object) -> int:
        """Parse and run; returns the exit code. `known`: by OPENER and RUNNER."""
        try:
            name = f"git search {self.name}"
            with self.make_context(name, arguments, obj=tuple(arguments)) as context:
                context.meta.update(known)
                form = context.params.get("trace")
                try:
                    return int(self.invoke(context))
                finally:
                    if form:
                        tell("".join(trace.report(form)))
        except click.exceptions.Exit as end:
            return end.exit_code
