"""Arrays come back from a section file as they went in, or the file is refused."""

import numpy as np
import pytest

from gitsearch.errors import Damaged
from gitsearch.store import sections

ARRAYS: dict[str, np.ndarray] = {
    "bytes": np.frombuffer(b"some text", np.uint8),
    "flat": np.arange(1000, dtype=np.uint32),
    "table": np.arange(12, dtype=np.int8).reshape(3, 4),
    "wide": np.arange(6, dtype=np.uint64).reshape(2, 3),
    "signed": np.asarray([-1, 0, 2**31 - 1], np.int32),
    "real": np.asarray([0.5, -1e-30], np.float64),
    "empty": np.zeros(0, np.uint16),
    "empty_table": np.zeros((0, 40), np.uint8),
    "column": np.ones((5, 1), np.uint16),
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.view"
    sections.write(
        tmp_path, "x.view", ARRAYS, {"tree": "abc", "files": 3, "names": ["ü", ""], "base": None}
    )
    return path


def test_arrays_and_meta_come_back_as_they_were(file):
    found = sections.read(file.parent, "x.view")
    found.check()
    assert found.meta == {"tree": "abc", "files": 3, "names": ["ü", ""], "base": None}
    assert set(found.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype, name
        assert found[name].shape == array.shape, name
        assert (found[name] == array).all(), name
        assert name in found


def test_arrays_of_any_layout_in_memory_are_stored_by_value(tmp_path):
    square = np.arange(9, dtype=np.int16).reshape(3, 3)
    given = {"across": square.T, "every_other": square[::2], "big": square.astype(">i2")}
    sections.write(tmp_path, "f", given, {})
    found = sections.read(tmp_path, "f")
    found.check()
    for name, array in given.items():
        assert (found[name] == array).all(), name


def test_sections_are_aligned_for_mapping(file):
    found = sections.read(file.parent, "x.view")
    for name, array in found.arrays.items():
        assert array.ctypes.data % 64 == 0 or not array.size, name


def test_a_section_cannot_be_written_to(file):
    with pytest.raises(ValueError, match="read-only"):
        sections.read(file.parent, "x.view")["flat"][0] = 7


def test_an_unknown_section_is_damage_with_its_name(file):
    with pytest.raises(Damaged, match=r"x\.view: section 'other' is missing"):
        sections.read(file.parent, "x.view")["other"]
    assert "other" not in sections.read(file.parent, "x.view")


def test_the_same_arrays_make_the_same_bytes(file, tmp_path):
    reordered = {"names": ["ü", ""], "base": None, "files": 3, "tree": "abc"}
    (tmp_path / "again").mkdir()
    sections.write(tmp_path / "again", "x.view", ARRAYS, reordered)
    assert (tmp_path / "again" / "x.view").read_bytes() == file.read_bytes()


def test_a_file_that_is_not_there_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        sections.read(tmp_path, "none")


def test_every_truncation_is_refused(file):
    whole = file.read_bytes()
    for size in [*range(40), *range(40, len(whole), 97), len(whole) - 1]:
        file.write_bytes(whole[:size])
        with pytest.raises(Damaged):
            sections.read(file.parent, "x.view")


def test_a_file_with_something_behind_it_is_refused(file):
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(Damaged, match="bytes instead of"):
        sections.read(file.parent, "x.view")


@pytest.mark.slow
def test_any_one_flipped_byte_is_found_or_changes_nothing(file):
    whole = bytearray(file.read_bytes())
    unnoticed = 0
    for place in range(len(whole)):
        whole[place] ^= 0x81
        file.write_bytes(whole)
        whole[place] ^= 0x81
        try:
            found = sections.read(file.parent, "x.view")
            found.check()
        except Damaged:
            continue
        unnoticed += 1
        for name, array in ARRAYS.items():
            assert (found[name] == array).all(), (place, name)
    # what fills up to the next multiple of 64, and the last field of the header
    assert 0 < unnoticed < 64 * (len(ARRAYS) + 3)
