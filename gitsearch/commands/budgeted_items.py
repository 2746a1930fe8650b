"""The items of an answer that fit into a budget of tokens, each whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from gitsearch.errors import SmallBudget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")


class BudgetedItems(Generic[Item]):
    """Items of an answer: each is counted alone when it is added, and all together in the end.

    written: the text of the whole answer with some items, as it is printed.
    """

    def __init__(self, budget: int, written: Callable[[Sequence[Item]], str]) -> None:
        self._budget = budget
        self._written = written
        self._items: list[Item] = []
        self._empty = self._used = self.tokens([])
        self._least: int | None = None
        self.left_out = 0

    def add(self, item: Item) -> bool:
        """Add an item if it fits; else it is counted as left out."""
        added = self.try_add(item, share=1.0)
        self.left_out += not added
        return added

    def try_add(self, item: Item, share: float, largest: float = 1.0) -> bool:
        """Add an item unless the answer would have more than a share of the budget with it.

        largest: the share that the item alone may have.
        """
        tokens = self.tokens([item]) - self._empty
        self._least = tokens if self._least is None else min(self._least, tokens)
        largest = min(largest * self._budget, share * self._budget - self._used)
        fits = tokens <= largest
        if fits:
            self._items.append(item)
            self._used += tokens
        return fits

    def fitting(self) -> list[Item]:
        """Return the items that were added, without the last ones if all together do not fit.

        Raises SmallBudget if not even the smallest answer fits.
        """
        while self._items and self.tokens(self._items) > self._budget:
            self._items.pop()
            self.left_out += 1
        least = self._empty + (self._least or 0)
        if not self._items and least > self._budget:
            raise SmallBudget(
                f"no answer fits into a budget of {self._budget} tokens",
                f"the least that works is --budget {least}",
            )
        return self._items

    def tokens(self, items: Sequence[Item]) -> int:
        """Return the number of tokens of the answer with some items."""
        from gitsearch.features.token_count import count

        return count(self._written(items))
