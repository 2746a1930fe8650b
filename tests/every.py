"""Check one property of many items in one test: collecting a test costs more than most checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def check_every(
    items: Iterable[Item], check: Callable[[Item], None], name: Callable[[Item], str] = str
) -> None:
    """Run a check for each item; raises ExceptionGroup with every failure, each with its item.

    Fails if there are no items, as an empty glob would let every check pass.
    """
    failures: list[Exception] = []
    count = 0
    for item in items:
        count += 1
        try:
            check(item)
        except Exception as error:  # noqa: BLE001
            error.add_note(f"item: {name(item)}")
            failures.append(error)
    assert count, "nothing to check"
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {count} items fail", failures)
