"""The same search asked otherwise: with whole definitions, or without a filter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from gitsearch.reports.search import Action

if TYPE_CHECKING:
    from gitsearch.cli.option_parser import GitCommand
    from gitsearch.reports.search import SearchReport


def actions(command: GitCommand, words: Sequence[str], report: SearchReport) -> Iterator[Action]:
    """Yield what to ask next of the words that were asked."""
    first = report.results[0] if report.results else None
    if first and first.context and first.symbol:
        argv = _asked_again(command, words, {"function_context"}, ["--function-context"])
        yield Action(argv, f"all of {first.symbol}, of which this is a part")
    for miss in report.near_misses:
        argv = _asked_again(command, words, {miss.option}, [])
        found = "1 result" if miss.results == 1 else f"{miss.results} results"
        yield Action(argv, f"{found} without {miss.shown}")


def _asked_again(
    command: GitCommand, words: Sequence[str], without: Collection[str], more: Sequence[str]
) -> tuple[str, ...]:
    """The words without some options, and without the pathspecs if `pathspecs` is among those.

    Nor is `--refresh` among them: it changes nothing in a complete answer.
    """
    kept: list[str] = []
    for item in command.read(words):
        if item.word is not None:
            kept.append(item.word)
        elif item.option is None:
            rest = [] if "pathspecs" in without else words[item.position :]
            return (*more, *kept, *rest)
        elif item.option.name not in {*without, "next_page", "refresh"}:
            name = max(item.option.opts, key=len)
            if item.value is None:
                kept += [] if name in kept else [name]
            else:
                kept += [f"{name}={item.value}"] if name.startswith("--") else [name, item.value]
    return (*more, *kept)
