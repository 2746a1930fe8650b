"""Work in parts: each part is done once, and what goes wrong in one is raised."""

import threading

import numpy as np
import pytest

from gitsearch.retrieval import side_by_side
from gitsearch.retrieval.side_by_side import side_by_side as beside


@pytest.fixture(autouse=True)
def processors(monkeypatch):
    monkeypatch.setattr(side_by_side, "_processors", lambda: 3)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 100])
def test_each_part_is_done_once(count):
    done = np.zeros(count, int)
    threads = set()

    def work(part):
        done[part] += 1
        threads.add(threading.get_ident())

    beside(work, count, 4)
    assert (done == 1).all()
    assert threading.get_ident() in threads


def test_what_is_too_little_is_done_at_once():
    parts: list[slice] = []
    beside(parts.append, 7, 4)
    assert parts == [slice(0, 7)]


def test_an_error_of_any_part_is_raised():
    def work(part):
        if part.start:
            raise MemoryError

    with pytest.raises(MemoryError):
        beside(work, 100, 4)
