"""What a table of arrays demands is demanded, and nothing else."""

import numpy as np
import pytest

from gitsearch.errors import Damaged
from gitsearch.store.section_schema import Array, check_arrays, check_meta
from gitsearch.store.sections import Sections


def checked(array, declared, sizes=None, **more):
    arrays = {"x": np.asarray(array), **{name: np.asarray(one) for name, one in more.items()}}
    table = {"x": declared, **{name: Array(str(arrays[name].dtype), "bytes") for name in more}}
    return check_arrays(Sections(arrays, {}, "f"), table, sizes or {})


def u1(*values):
    return np.asarray(values, np.uint8)


@pytest.mark.parametrize(
    ("array", "declared", "sizes"),
    [
        (u1(0, 3, 3), Array("uint", "N", below="T"), {"T": 4}),
        # none of them refers to anything
        (np.asarray([-1, -1], np.int8), Array("int", "N", below="T"), {"T": 0}),
        (u1(), Array("uint", "N", below="T"), {"T": 0}),
        (u1(0), Array("uint", "N + 1", cuts="T"), {"T": 0, "N": 0}),
        (u1(0, 2, 2, 5), Array("uint", "N + 1", cuts="T"), {"T": 5, "N": 3}),
        (np.zeros((2, 3), np.int8), Array("int8", "N x D"), {"N": 2, "D": 3}),
        (np.asarray([0.5]), Array("float64", "N"), {}),
    ],
)
def test_what_fits_passes(array, declared, sizes):
    checked(array, declared, sizes)


@pytest.mark.parametrize(
    ("array", "declared", "sizes", "expected"),
    [
        (u1(0, 4), Array("uint", "N", below="T"), {"T": 4}, "refers to 4 of 4"),
        (u1(0), Array("uint", "N", below="T"), {"T": 0}, "refers to 0 of 0"),
        (np.asarray([-2], np.int8), Array("int", "N"), {}, "holds -2"),
        (np.asarray([-1], np.int64), Array("uint", "N"), {}, "holds -1"),
        (u1(1, 5), Array("uint", "N + 1", cuts="T"), {"T": 5}, "does not cut 'T'"),
        (u1(0, 4), Array("uint", "N + 1", cuts="T"), {"T": 5}, "does not cut 'T'"),
        (u1(0, 4, 2, 5), Array("uint", "N + 1", cuts="T"), {"T": 5}, "does not ascend"),
        (u1(), Array("uint", "N + 1", cuts="T"), {"T": 0}, "has the shape"),
        (u1(1), Array("uint", "N"), {"N": 2}, "has the shape"),
        (u1(1), Array("uint", "N x D"), {}, "has the shape"),
        (np.asarray([1.0]), Array("uint", "N"), {}, "is of type float64"),
        (np.asarray([np.inf]), Array("float64", "N"), {}, "is no number"),
    ],
)
def test_what_does_not_fit_is_damage(array, declared, sizes, expected):
    with pytest.raises(Damaged, match=f"section 'x' .*{expected}"):
        checked(array, declared, sizes)


@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("abä", [0, 1, 2, 4], None),
        ("abä", [0, 1, 3, 4], "no UTF-8"),
        ("ba", [0, 1, 2], "not sorted"),
        ("aa", [0, 1, 2], "not sorted"),
    ],
)
def test_texts_are_cut_between_characters_and_sorted(text, ends, expected):
    declared = Array("uint8", "bytes", text="ends", sorted_by="ends")
    data = np.frombuffer(text.encode(), np.uint8)
    if expected is None:
        checked(data, declared, ends=ends)
    else:
        with pytest.raises(Damaged, match=expected):
            checked(data, declared, ends=ends)


def test_a_letter_is_the_same_number_everywhere():
    arrays = {"a": u1(1, 2), "b": u1(1)}
    table = {"a": Array("uint", "N"), "b": Array("uint", "N")}
    with pytest.raises(Damaged, match="section 'b' has the shape"):
        check_arrays(Sections(arrays, {}, "f"), table, {})
    assert check_arrays(Sections({"a": u1(1, 2)}, {}, "f"), {"a": table["a"]}, {}) == {"N": 2}


@pytest.mark.parametrize("value", [{}, {"n": 1, "more": 1}, {"n": True}, {"n": -1}, {"n": "1"}])
def test_meta_has_its_keys_and_types_and_no_others(value):
    check_meta({"n": 1}, {"n": "number"}, "f")
    with pytest.raises(Damaged, match="meta '"):
        check_meta(value, {"n": "number"}, "f")
