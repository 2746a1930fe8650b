"""Lists of lists as flat arrays, and numbers in the narrowest type."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsearch.features import ragged
from tests.unit.features.models import csr_of

LISTS = st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), max_size=12)


def lists_of(ends, values):
    return [values[a:b].tolist() for a, b in itertools.pairwise(ends)]


@given(LISTS, st.randoms(use_true_random=False))
def test_lists_in_another_order_are_the_same_lists(lists, random):
    order = random.sample(range(len(lists)), len(lists))
    ends, values = ragged.reordered(*csr_of(lists), np.asarray(order, np.int64))
    assert lists_of(ends, values) == [lists[i] for i in order]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5)), max_size=9))
def test_runs_are_gathered_one_after_the_other(pairs):
    starts, lengths = np.asarray(pairs, np.int64).reshape(-1, 2).T
    found = ragged.gather(starts, lengths)
    assert found.tolist() == [start + i for start, length in pairs for i in range(length)]


@given(st.lists(st.integers(0, 7), max_size=20), st.booleans())
def test_values_are_numbered_in_their_order(values, is_sorted):
    values = sorted(values) if is_sorted else values
    distinct, places = ragged.numbered(np.asarray(values, np.int64))
    assert distinct.tolist() == sorted(set(values))
    assert distinct[places].tolist() == values


@given(st.lists(st.integers(0, 7), max_size=20))
def test_rows_are_counted_by_group(groups):
    ends = ragged.ends_of(np.asarray(sorted(groups), np.int64), 8)
    assert np.diff(ends).tolist() == [groups.count(i) for i in range(8)]
    assert ends[0] == 0


@given(st.lists(st.integers(0, 9), max_size=20))
def test_each_value_occurs_once_in_order(values):
    assert ragged.unique(np.asarray(values, np.int64)).tolist() == sorted(set(values))


@given(
    st.lists(st.integers(0, 300), max_size=20),
    st.lists(st.integers(0, 300), max_size=20),
    st.sampled_from(["narrow", "int64"]),
)
def test_what_is_among_others_is_found_whatever_the_types(values, others, kind):
    ascending = np.asarray(sorted(others), np.int64)
    among = ragged.narrowed(ascending) if kind == "narrow" else ascending
    found = ragged.contained(np.asarray(values, np.int64), among)
    assert found.tolist() == [value in others for value in values]


@given(st.lists(st.integers(0, 255), max_size=20), st.lists(st.integers(0, 600), max_size=20))
def test_runs_are_found_of_numbers_that_the_type_holds_and_others(groups, values):
    among = np.asarray(sorted(groups), np.uint8)
    starts, ends = ragged.runs_of(among, np.asarray(values, np.int64))
    found = [list(range(a, b)) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    assert found == [np.flatnonzero(among == value).tolist() for value in values]


@given(st.lists(st.binary(max_size=5), max_size=8))
def test_texts_lie_end_to_end(texts):
    text, ends = ragged.joined(texts)
    assert [text[a:b].tobytes() for a, b in itertools.pairwise(ends)] == texts


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], "u1"), ([0], "u1"), ([255], "u1"), ([256], "u2"), ([65535], "u2"), ([65536], "u4"),
        ([2**32 - 1], "u4"), ([2**32], "i8"), ([-1], "i1"), ([-1, 127], "i1"), ([-1, 128], "i2"),
        ([-129, 0], "i2"), ([-1, 32768], "i4"), ([-1, 2**31], "i8"),
    ],
)  # fmt: skip
def test_numbers_are_kept_in_the_narrowest_type_that_holds_them(values, kind):
    found = ragged.narrowed(np.asarray(values, np.int64))
    assert found.dtype == np.dtype(kind)
    assert found.tolist() == values


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "i4", "i8", "u8"])
@given(st.lists(st.integers(0, 127), max_size=5))
def test_the_type_depends_on_the_values_alone(kind, values):
    found = ragged.narrowed(np.asarray(values, kind))
    assert found.dtype == np.uint8
    assert found.tolist() == values
