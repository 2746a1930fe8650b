"""Postings come back as they were, whatever rows hold a term and however often."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsearch.features.ragged import narrowed
from gitsearch.index import postings

NARROW, WIDE = 255, 65535


def encoded(lists, rows):
    """Arrays for one list of (row, tf) a term, handed over in no order."""
    every = [(row, term, tf) for term, one in enumerate(lists) for row, tf in one]
    np.random.default_rng(5).shuffle(every)
    row, term, tf = np.asarray(every, np.int64).reshape(-1, 3).T
    keys = postings.keys_of(row.astype(np.uint32), term, tf.astype(np.uint16), rows)
    counts = np.asarray([*map(len, lists)], np.int64)
    made = postings.encoded(lambda a, b: keys[(term >= a) & (term < b)], counts, rows)
    return {name: narrowed(array) for name, array in made.items()}


def decoded(arrays, terms, rows):
    found = []
    for term in range(terms):
        ((row, often),) = postings.decoded(arrays, np.asarray([term]), rows)
        assert row.dtype == np.int64
        found.append(list(zip(row.tolist(), often.tolist(), strict=True)))
    return found


def assert_kept(lists, rows):
    """The lists come back, frequencies of at most 15."""
    arrays = encoded(lists, rows)
    right = [sorted((row, min(tf, 15)) for row, tf in one) for one in lists]
    assert decoded(arrays, len(lists), rows) == right
    assert arrays["posting_ends"].tolist() == np.cumsum([0, *map(len, lists)]).tolist()
    assert arrays["posting_tf"].nbytes == -(-sum(map(len, lists)) // 2)
    return arrays


def digits(arrays, term, kind):
    first, last = arrays["posting_step_ends"].astype(int)[term : term + 2]
    return np.frombuffer(arrays["posting_step"][first:last].tobytes(), kind).tolist()


@st.composite
def some_postings(draw):
    rows = draw(st.sampled_from([1, 2, 254, 255, 256, 600, 65534, 65535, 65536, 300_000]))
    one = st.dictionaries(st.integers(0, rows - 1), st.integers(1, 65535), max_size=30)
    return rows, [list(held.items()) for held in draw(st.lists(one, max_size=6))]


@pytest.mark.slow
@given(some_postings())
def test_any_postings_come_back(made):
    rows, lists = made
    assert_kept(lists, rows)


@given(some_postings())
def test_rows_of_many_terms_are_those_of_each(made):
    rows, lists = made
    arrays = encoded(lists, rows)
    asked = np.arange(len(lists))[::-1]
    each = decoded(arrays, len(lists), rows)
    found = postings.decoded(arrays, asked, rows)
    for (row, often), term in zip(found, asked.tolist(), strict=True):
        assert list(zip(row.tolist(), often.tolist(), strict=True)) == each[term]


@given(st.sets(st.integers(0, 1999), min_size=8))
def test_a_term_of_many_rows_takes_a_byte_a_step(held):
    arrays = assert_kept([[(row, 1) for row in held]], 2000)
    assert len(arrays["posting_step"]) <= len(held) + 2000 // NARROW


@pytest.mark.parametrize("step", [1, 254, 255, 256, 509, 510, 511, 5 * 255, 5 * 255 + 1])
def test_a_step_of_several_narrow_digits(step):
    rows = step + 300
    held = [step - 1, *range(step, step + 300)]
    arrays = assert_kept([[(row, 2) for row in held]], rows)
    full, rest = divmod(step, NARROW)
    assert digits(arrays, 0, "u1") == [NARROW] * full + [rest] + [1] * 300


@pytest.mark.parametrize("step", [1, 65534, 65535, 65536, 2 * 65535, 2 * 65535 + 1, 10**6])
def test_a_step_of_several_wide_digits(step):
    rows = 1_200_000
    arrays = assert_kept([[(step - 1, 1), (step, 3)]], rows)
    full, rest = divmod(step, WIDE)
    assert digits(arrays, 0, "<u2") == [WIDE] * full + [rest, 1]


def test_the_base_changes_where_a_byte_is_enough_on_average():
    # 2 of 510 rows: steps of 255 on average; 2 of 511: longer
    lists = [[(0, 1), (1, 1)]]
    assert digits(assert_kept(lists, 510), 0, "u1") == [1, 1]
    assert digits(assert_kept(lists, 511), 0, "<u2") == [1, 1]


def test_both_bases_lie_side_by_side():
    lists = [[(row, 1) for row in range(0, 1000, 2)], [(999, 1)], [], [(0, 20), (500, 15)], []]
    arrays = assert_kept(lists, 1000)
    assert np.diff(arrays["posting_step_ends"].astype(int)).tolist() == [500, 2, 0, 4, 0]


def test_frequencies_are_two_to_a_byte_across_terms():
    arrays = assert_kept([[(0, 1), (1, 2), (2, 3)], [(0, 4)], [(3, 99)]], 4)
    assert arrays["posting_tf"].tolist() == [0x21, 0x43, 0x0F]


def test_terms_that_nothing_holds_are_empty():
    assert_kept([[], [], []], 9)
    assert_kept([], 9)
    assert_kept([[]], 0)


@pytest.mark.parametrize("block", [1, 2, 7, 100])
def test_postings_are_the_same_however_many_are_encoded_at_once(monkeypatch, block):
    rng = np.random.default_rng(block)
    lists = [
        [(row, int(rng.integers(1, 40))) for row in np.flatnonzero(rng.random(900) < share)]
        for share in (0.5, 0, 0.001, 0.01, 0, 0, 0.9, 0.002)
    ]
    right = encoded(lists, 900)
    monkeypatch.setattr(postings, "_BLOCK", block)
    monkeypatch.setattr(postings, "_SORTED", 3 * block)
    found = encoded(lists, 900)
    assert found.keys() == right.keys()
    for name, array in found.items():
        assert array.dtype == right[name].dtype
        assert array.tolist() == right[name].tolist(), name
    assert_kept(lists, 900)
