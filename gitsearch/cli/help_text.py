"""The text of `-h`: usage, options by group, verbs, examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from gitsearch.cli.option_parser import GitCommand, Opt
from gitsearch.cli.verb_names import VERBS

WIDTH = 80
_COLUMN = 30
_INDENT = "    "

EXAMPLES = (
    ("git search where are retries configured", "words, no quotes needed"),
    ("git search parseQuery", "a name: its definition first"),
    ("git search -t go,rust connection pool -- src", "languages, a folder"),
    ("git search --at v2.0 cache eviction", "another revision"),
    ("git search -F 'retry('", "exact text, as git grep"),
    ("git search -l --tests exclude open a socket", "only paths"),
    ("git search --json -k 5 rate limit", "for a program"),
)


def short_usage(synopsis: Sequence[str]) -> str:
    """The usage lines, as git prints them after a mistake."""
    return "".join(
        f"{'usage' if number == 0 else '   or'}: git search {line}\n"
        for number, line in enumerate(synopsis)
    )


def sections(command: GitCommand) -> dict[str, list[Opt]]:
    """The visible options by group, in the order of their declaration.

    A verb has too few for more than one group.
    """
    groups: dict[str, list[Opt]] = {}
    for option in command.options:
        if not option.hidden:
            section = option.section if command.pathspecs else "Options"
            groups.setdefault(section, []).append(option)
    return groups


def spelling(option: Opt) -> str:
    """`-k, --max-count <n>`, with at most two of its names."""
    names = ", ".join(option.opts[:2])
    if not option.takes_value:
        return names
    return names + ("" if option.bare is not None else " ") + (option.metavar or "<value>")


def full_help(command: GitCommand) -> str:
    """Everything about a command on one page."""
    return "\n".join(_help(command)) + "\n"


def _help(command: GitCommand) -> Iterator[str]:
    yield short_usage(command.synopsis)
    yield from wrap(_sentence(command.summary), WIDTH)
    for section, options in sections(command).items():
        yield ""
        yield section
        for option in options:
            yield from _entry(spelling(option), option.help or "")
    if command.pathspecs:
        yield from _ending()


def _ending() -> Iterator[str]:
    yield from ("", "Verbs")
    for verb, summary in VERBS.items():
        yield from _entry(verb, summary)
    yield from ("", "Examples")
    for line, meaning in EXAMPLES:
        yield f"{_INDENT}{line:<46} {meaning}"
    yield from ("", "Exit: 0 found, 1 nothing found, 128 refused or failed, 129 wrong usage.")
    yield "git search <verb> -h tells of a verb, git search --help opens the manual."


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:].rstrip(".") + "."


def _entry(name: str, text: str) -> Iterator[str]:
    lines = wrap(text, WIDTH - _COLUMN) or [""]
    head = f"{_INDENT}{name}"
    if len(head) < _COLUMN:
        head = f"{head:<{_COLUMN}}{lines.pop(0)}"
    yield head
    for line in lines:
        yield " " * _COLUMN + line
