"""Bloom filters as bytes: right, small, and read without trust."""

import struct
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pybloom_live import ScalableBloomFilter

from gitsearch.errors import Damaged
from gitsearch.store.bloom import ERROR_RATE, Bloom, encoded

WORDS = {f"word{number}" for number in range(3000)}
DATA = encoded(WORDS)


def test_what_was_put_in_is_in():
    found = Bloom(DATA, "x")
    assert [word for word in WORDS if word not in found] == []


def test_what_was_not_put_in_is_seldom_in():
    found = Bloom(DATA, "x")
    wrong = sum(f"other{number}" in found for number in range(10_000))
    assert 0 < wrong <= 10_000 * ERROR_RATE * 1.1


def test_it_takes_about_a_byte_an_entry():
    assert len(DATA) < 1.1 * len(WORDS) + 200


def test_nothing_is_something():
    assert "a" not in Bloom(encoded(()), "x")


@pytest.mark.parametrize("size", [0, 1, 35, 36, 50, 84, len(DATA) - 1])
def test_a_part_is_refused(size):
    with pytest.raises(Damaged, match=r"^x: is no bloom filter$"):
        Bloom(DATA[:size], "x")


HEAD = struct.Struct("<idQdl")


def forged(count=1, sizes=(41,), filters=((0.01, 1, 8, 1, 0),)):
    head = HEAD.pack(2, 0.9, 1, 0.02, count)
    parts = [struct.pack("<Q", size) for size in sizes]
    return head + b"".join(parts) + b"".join(struct.pack("<dQQQQ", *f) + b"\0" for f in filters)


@pytest.mark.parametrize(
    "data",
    [
        forged(count=2**31 - 1),
        forged(count=-1),
        forged(count=0, sizes=(), filters=()),
        forged(sizes=(2**63,)),
        forged(sizes=(40,)),
        forged(sizes=(0,)),
        forged(filters=((0.01, 2**62, 8, 1, 0),)),
        forged(filters=((0.01, 0, 8, 1, 0),)),
        forged(filters=((0.01, 1, 0, 1, 0),)),
        forged(filters=((0.01, 1, 2**63, 1, 0),)),
        forged(filters=((0.01, 1, 9, 1, 0),)),
        forged() + b"\0",
    ],
)
def test_numbers_that_ask_for_more_than_there_is_are_refused(data):
    with pytest.raises(Damaged):
        Bloom(data, "x")


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data):
    with pytest.raises(Damaged):
        Bloom(data, "x")


def test_a_filter_of_another_hashing_is_refused():
    made = ScalableBloomFilter(10, ERROR_RATE)
    made.add("word")
    file = BytesIO()
    made.tofile(file)
    with pytest.raises(Damaged, match="another version"):
        Bloom(file.getvalue(), "x")


def test_one_that_has_grown_is_read():
    made = ScalableBloomFilter(16, ERROR_RATE)
    for word in (*(f"\0{number}" for number in range(16)), *WORDS):
        made.add(word)
    assert len(made.filters) > 2
    file = BytesIO()
    made.tofile(file)
    assert all(word in Bloom(file.getvalue(), "x") for word in list(WORDS)[:50])
