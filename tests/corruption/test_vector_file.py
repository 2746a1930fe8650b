"""Every field of a vector file, broken on purpose: it is said, answered and healed.

Offsets and widths are those of docs/format.md, written down again: a change there is seen here.
"""

import os

import pytest

from gitsearch.commands.verify import verify
from tests.corruption.tables import rows
from tests.unit.commands.asked import session

pytestmark = pytest.mark.long

HEADER = 64
MAGIC, VERSION, WIDTH, FINGERPRINT, GENERATION, ZEROS = 0, 8, 12, 16, 32, 40
CRC, ROW = 64, 64 + 4

HEADER_MESSAGE = "header of another format or version"
NAME_MESSAGE = "header of another model or generation"
WIDTH_MESSAGE = "vectors of {} bytes instead of 64"


def damage(file, place, content):
    with file.open("r+b") as handle:
        handle.seek(place)
        assert handle.read(len(content)) != content
        handle.seek(place)
        handle.write(content)


def rows_of(file):
    count, rest = divmod(file.stat().st_size - HEADER, ROW)
    assert rest == 0
    return count


def assert_healed(damaged, file, expected):
    assert damaged.asked() == [f"{file.name}: {expected}; rebuilding"]
    assert verify(session(damaged.repo.path)).problems == ()
    assert damaged.asked() == []


def test_a_whole_file_is_answered_without_a_word(damaged):
    data = damaged.file("vectors").read_bytes()
    assert data[:16] == b"gitsvec\n\x05\0\0\0\x40\0\0\0"
    fingerprint, generation = data[FINGERPRINT:GENERATION], data[GENERATION:ZEROS]
    assert damaged.file("vectors").name == (
        f"vectors-{fingerprint.decode()}-{generation.decode()}.i4"
    )
    assert not any(data[ZEROS:HEADER])
    assert rows_of(damaged.file("vectors")) > 10
    assert damaged.asked() == []


FIELDS = [
    (MAGIC, b"GITSVEC\n", HEADER_MESSAGE),
    (VERSION, b"\x04", HEADER_MESSAGE),
    (WIDTH, b"\0\x01", WIDTH_MESSAGE.format(256)),
    (MAGIC + 7, b" ", HEADER_MESSAGE),
    (VERSION, b"\x01", HEADER_MESSAGE),
    (VERSION + 3, b"\x01", HEADER_MESSAGE),
    (WIDTH, b"\0", HEADER_MESSAGE),
    (WIDTH + 3, b"\x7f", HEADER_MESSAGE),
    (FINGERPRINT, b"x", NAME_MESSAGE),
    (GENERATION, b"x", NAME_MESSAGE),
]


@pytest.mark.parametrize(("place", "content", "expected"), rows(FIELDS, 3))
def test_a_field_of_the_header(damaged, place, content, expected):
    file = damaged.file("vectors")
    damage(file, place, content)
    assert_healed(damaged, file, expected)


@pytest.mark.parametrize("place", rows([HEADER - 1, ZEROS], 1))
def test_the_rest_of_the_header_changes_no_answer(damaged, place):
    damage(damaged.file("vectors"), place, b"\x01")
    damaged.asked()
    assert damaged.asked() == []


@pytest.mark.parametrize("field", rows([0, CRC + 3, CRC - 1, CRC, CRC // 2], 2))
@pytest.mark.parametrize("row", ["first", "last"])
def test_a_field_of_a_row(damaged, row, field):
    file = damaged.file("vectors")
    number = 0 if row == "first" else rows_of(file) - 1
    place = HEADER + number * ROW + field
    damage(file, place, bytes([file.read_bytes()[place] ^ 0x40]))
    assert_healed(damaged, file, f"row {number} does not match its checksum")


@pytest.mark.parametrize("size", rows([HEADER - 1, 0, 1], 1))
def test_a_file_that_ends_in_its_header(damaged, size):
    file = damaged.file("vectors")
    os.truncate(file, size)
    assert_healed(damaged, file, f"truncated at {size} bytes")


@pytest.mark.parametrize("missing", rows([3 * ROW + 7, 1, ROW], 1))
def test_a_file_that_ends_too_early(damaged, missing):
    file = damaged.file("vectors")
    os.truncate(file, file.stat().st_size - missing)
    notes = damaged.asked()
    assert len(notes) == 1
    assert notes[0].startswith(f"{file.name}: ")
    assert verify(session(damaged.repo.path)).problems == ()
    assert damaged.asked() == []


def test_a_file_that_is_only_a_header(damaged):
    file = damaged.file("vectors")
    os.truncate(file, HEADER)
    assert len(damaged.asked()) == 1
    assert damaged.asked() == []


@pytest.mark.parametrize("extra", rows([b"\x01" * 3 * ROW, b"half a row", b"\0" * ROW], 1))
def test_what_a_dead_writer_left_behind_the_rows(damaged, extra):
    file = damaged.file("vectors")
    with file.open("ab") as handle:
        handle.write(extra)
    notes = damaged.asked()
    assert len(notes) <= 1
    assert damaged.asked() == []
    damaged.repo.write("service/more.py", "def more(): ...\n")
    damaged.repo.commit()
    damaged.repo.git("reset", "-q", "--hard", "HEAD~1")
    assert damaged.asked() == []


def test_a_file_that_is_gone(damaged):
    file = damaged.file("vectors")
    file.unlink()
    assert_healed(damaged, file, "is missing")


def test_a_folder_in_its_place(damaged):
    file = damaged.file("vectors")
    file.unlink()
    file.mkdir()
    assert len(damaged.asked()) <= 3


def test_a_file_of_another_model_under_its_name(damaged):
    file = damaged.file("vectors")
    data = bytearray(file.read_bytes())
    count = rows_of(file)
    # 4 bytes of a vector: 8 a row
    small = data[:WIDTH] + b"\x04\0\0\0" + data[WIDTH + 4 : HEADER] + b"\x01" * 8 * count
    file.write_bytes(small)
    assert_healed(damaged, file, WIDTH_MESSAGE.format(4))
