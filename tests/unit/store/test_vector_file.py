"""Vectors are appended row by row, and every row knows whether it is whole."""

import numpy as np
import pytest

from gitsearch.errors import Damaged, Unwritable
from gitsearch.store import vector_file

WIDTH = 5
NAME = "vectors-0123456789abcdef-01234567.i4"


def some(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (count, WIDTH), np.uint8)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / NAME
    vector_file.append(path, NAME, 0, some(7))
    return path


def content(path):
    found = vector_file.open_rows(path.parent, NAME, WIDTH)
    vector_file.check(found, path.name)
    return found["vector"].tolist()


def test_rows_come_back_as_they_were(file):
    assert content(file) == some(7).tolist()


def test_rows_are_added_behind_those_that_count(file):
    vector_file.append(file, NAME, 7, some(2, seed=1))
    assert content(file) == [*some(7).tolist(), *some(2, seed=1).tolist()]


def test_rows_of_a_writer_that_died_are_written_over(file):
    vector_file.append(file, NAME, 4, some(1, seed=2))
    assert content(file) == [*some(7)[:4].tolist(), *some(1, seed=2).tolist()]


def test_half_a_row_at_the_end_is_not_there(file):
    size = file.stat().st_size
    with file.open("r+b") as handle:
        handle.truncate(size - 3)
    assert content(file) == some(7)[:6].tolist()


def test_a_reader_keeps_the_rows_it_opened(file):
    before = vector_file.open_rows(file.parent, NAME, WIDTH)
    vector_file.append(file, NAME, 7, some(3, seed=1))
    assert len(before) == 7
    vector_file.check(before, "x")


def test_an_empty_file_of_vectors_has_no_rows(tmp_path):
    path = tmp_path / NAME
    vector_file.append(path, NAME, 0, some(0))
    assert len(vector_file.open_rows(path.parent, NAME, WIDTH)) == 0
    assert vector_file.open_rows(path.parent, NAME, None).dtype["vector"].shape == (WIDTH,)


def test_any_one_flipped_byte_of_a_row_is_found_with_the_row(file):
    whole = bytearray(file.read_bytes())
    size = vector_file.row_type(WIDTH).itemsize
    for place in range(vector_file.HEADER_SIZE, len(whole)):
        whole[place] ^= 0x01
        file.write_bytes(whole)
        whole[place] ^= 0x01
        row = (place - vector_file.HEADER_SIZE) // size
        with pytest.raises(Damaged, match=f"row {row} does not match its checksum"):
            vector_file.check(vector_file.open_rows(file.parent, NAME, WIDTH), file.name)


def test_rows_beyond_the_first_thousands_are_checked_too(tmp_path):
    path = tmp_path / NAME
    vector_file.append(path, NAME, 0, some(5000))
    whole = bytearray(path.read_bytes())
    whole[-5] ^= 0x01
    path.write_bytes(whole)
    with pytest.raises(Damaged, match="row 4999"):
        vector_file.check(vector_file.open_rows(path.parent, NAME, WIDTH), path.name)


def test_rows_that_were_never_written_are_found(file):
    # a hole, as when the file was cut before the next rows were appended
    vector_file.append(file, NAME, 9, some(1))
    with pytest.raises(Damaged, match="row 7"):
        vector_file.check(vector_file.open_rows(file.parent, NAME, WIDTH), file.name)


@pytest.mark.parametrize(
    ("place", "content"),
    [
        (0, b"X"),
        (8, b"\x01"),
        (11, b"\xff"),
        (12, b"\0\0\0\0"),
        (12, b"\x06"),
        (16, b"f"),
        (32, b"f"),
    ],
)
def test_a_header_of_something_else_is_refused(file, place, content):
    with file.open("r+b") as handle:
        handle.seek(place)
        handle.write(content)
    expected = "header of another (format|model)|bytes instead"
    with pytest.raises(Damaged, match=expected):
        vector_file.open_rows(file.parent, NAME, WIDTH)


@pytest.mark.parametrize("size", [0, 1, 40, vector_file.HEADER_SIZE - 1])
def test_a_file_without_a_whole_header_is_refused(file, size):
    with file.open("r+b") as handle:
        handle.truncate(size)
    with pytest.raises(Damaged, match=f"truncated at {size} bytes"):
        vector_file.open_rows(file.parent, NAME, WIDTH)


def test_a_missing_file_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        vector_file.open_rows(tmp_path, NAME, WIDTH)


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(Unwritable, match="none"):
        vector_file.append(tmp_path / "none" / "v", NAME, 0, some(1))


def test_rows_are_taken_in_any_number_and_order(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_file, "_TAKEN", 16)
    drawn = np.random.default_rng(5).integers(0, 256, (200, WIDTH), np.uint8)
    vector_file.append(tmp_path / NAME, NAME, 0, drawn)
    mapped = vector_file.open_rows(tmp_path, NAME, WIDTH)
    for rows in (mapped, np.array(mapped), mapped[:150]):
        for wanted in ([], [3], range(150), range(149, -1, -3), [7] * 40):
            found = vector_file.taken(rows, np.asarray(wanted, np.int64))
            assert np.array_equal(found["vector"], drawn[list(wanted)])
