"""What may be asked next, where an answer makes it plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.reports.search import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.reports.lookup import ExistsReport, ReferenceReport, SymbolReport
    from gitsearch.reports.search import SearchReport, TreeName

# As many places or words are worth an action each.
_MOST = 2


def after_search(report: SearchReport) -> Iterator[Action]:
    """Yield who uses the definition that was found, then what the command line knows."""
    first = report.results[0] if report.results else None
    if first and first.symbol and first.confidence != "low" and first.repository is None:
        argv = ("refs", *_tree(report.tree), first.symbol)
        yield Action(argv, f"who uses {first.symbol}")
    yield from report.actions


def after_definitions(report: SymbolReport) -> Iterator[Action]:
    """Yield who uses the only definition; where there is none, a search for the name."""
    if report.repositories is not None or report.truncated:
        return
    at = _tree(report.tree)
    if not report.symbols:
        yield Action((*at, "-e", report.asked), "code about this name")
    names = {symbol.qualified for symbol in report.symbols}
    if len(names) == 1:
        yield Action(("refs", *at, *names), f"who uses {next(iter(names))}")


def after_references(report: ReferenceReport) -> Iterator[Action]:
    """Yield what depends on the only definition that is meant."""
    if report.repositories is not None or report.truncated:
        return
    targets = {use.target for use in report.references if use.target is not None}
    if len(targets) == 1:
        target = next(iter(targets))
        # from the top, wherever it is asked
        place = f":/{target.path}:{target.line}"
        yield Action(("impact", *_tree(report.tree), place), "what depends on the definition")


def after_words(report: ExistsReport) -> Iterator[Action]:
    """Yield searches for the words that are not in the tree."""
    if report.repositories is not None:
        return
    missing = [proof.word for proof in report.words if not proof.exists]
    for word in missing[:_MOST]:
        yield Action((*_tree(report.tree), "-e", word), f"code that is about {word}")


def _tree(tree: TreeName) -> tuple[str, ...]:
    """The options that choose the same tree again."""
    if tree.rev == "HEAD":
        return ()
    return ("--cached",) if tree.rev == "index" else ("--at", tree.rev)
