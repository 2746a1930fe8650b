"""Every field of a view file, broken on purpose: it is said, answered and healed.

Offsets and widths are those of docs/format.md, written down again: a change there is seen here.
"""

import json
import struct
import zlib
from pathlib import Path

import pytest

from gitsearch.commands.verify import verify
from tests.corruption.tables import rows
from tests.unit.commands.asked import session

pytestmark = pytest.mark.long

HEADER = 32
MAGIC, VERSION, SECTIONS, LENGTH, TABLE_CRC, RESERVED = 0, 8, 12, 16, 24, 28
ENTRY = 72
NAME, DTYPE, ROWS, COLUMNS, OFFSET, BYTES, CRC, AXES = 0, 24, 32, 40, 48, 56, 64, 68

ARRAYS = {
    "path_text", "path_ends", "oid", "language", "reason", "path_kind", "file_chunk", "term_text",
    "term_ends", "token_ends", "token", "posting_ends", "posting_tf", "posting_step",
    "posting_step_ends", "path_term", "path_term_ends", "path_term_file", "path_term_tf", "length",
    "file_length", "unlisted_text", "unlisted_ends",
    "symbol_text", "symbol_ends", "symbol_name_size", "symbol_kind", "kind_text", "kind_ends",
    "symbol_file", "symbol_first", "symbol_last", "symbol_start", "symbol_body", "symbol_chunk",
    "symbol_term",
    "name_ends", "name_symbol", "chunk_file", "chunk_start", "chunk_size", "chunk_first_line",
    "chunk_more_lines", "chunk_scope", "chunk_symbol", "code", "row", "path_vector",
}  # fmt: skip


def entries(data):
    """Name of each section -> (offset of its entry, offset in the file, bytes)."""
    found = {}
    for number in range(struct.unpack_from("<I", data, SECTIONS)[0]):
        at = HEADER + ENTRY * number
        name = bytes(data[at : at + 24]).rstrip(b"\0").decode()
        offset, size = struct.unpack_from("<QQ", data, at + OFFSET)
        found[name] = (at, offset, size)
    return found


def damage(file: Path, place: int, content: bytes) -> None:
    """Write bytes into a file, which must change it."""
    data = bytearray(file.read_bytes())
    before = bytes(data[place : place + len(content)])
    assert before != content
    data[place : place + len(content)] = content
    file.write_bytes(data)


def assert_healed(damaged, file, expected):
    """The damage was said in one line, the answers were right, and nothing is wrong any more."""
    assert damaged.asked() == [f"views/{file.name}: {expected}; rebuilding"]
    assert verify(session(damaged.repo.path)).problems == ()
    assert damaged.asked() == []


TABLE = "the table of sections does not match its checksum"


@pytest.mark.parametrize("kind", ["base", "delta"])
def test_a_whole_file_is_answered_without_a_word(damaged, kind):
    data = damaged.file(kind).read_bytes()
    assert struct.unpack_from("<Q", data, LENGTH) == (len(data),)
    own = {"removed", "removed_ends"} if kind == "delta" else set()
    assert set(entries(data)) == {"meta", *ARRAYS} | own
    assert damaged.asked() == []
    assert verify(session(damaged.repo.path)).problems == ()


# ---------------------------------------------------------------- the header


FIELDS = [
    ("magic", MAGIC, b"GITSRCH\n", "not a section file"),
    ("a future version", VERSION, b"\x03\0\0\0", "format version 3, this program reads 2"),
    ("too many sections", SECTIONS, b"\xff\xff\xff\x7f", TABLE),
    ("another checksum", TABLE_CRC, b"\x12\x34\x56\x78", TABLE),
    ("the end of the magic", MAGIC + 7, b"\r", "not a section file"),
    ("an older version", VERSION, b"\0\0\0\0", "format version 0, this program reads 2"),
    ("no sections", SECTIONS, b"\0\0\0\0", TABLE),
    ("fewer sections", SECTIONS, b"\x05\0\0\0", TABLE),
    ("a shorter length", LENGTH, b"\x40\0\0\0\0\0\0\0", "{size} bytes instead of 64"),
    ("an enormous length", LENGTH + 7, b"\x7f", "{size} bytes instead of {length}"),
]


@pytest.mark.parametrize(("what", "place", "content", "expected"), rows(FIELDS, 4))
def test_a_field_of_the_header(damaged, what, place, content, expected):
    file = damaged.file("base")
    damage(file, place, content)
    data = file.read_bytes()
    (length,) = struct.unpack_from("<Q", data, LENGTH)
    assert_healed(damaged, file, expected.format(size=len(data), length=length))


def test_the_last_field_of_the_header_has_no_meaning(damaged):
    damage(damaged.file("base"), RESERVED, b"\xff\xff\xff\xff")
    assert damaged.asked() == []


# ---------------------------------------------------------------- the table


ENTRY_FIELDS = [
    (OFFSET, b"\x41"), (NAME, b"other"), (DTYPE, b"<u8"), (ROWS, b"\x01"), (COLUMNS, b"\x63"),
    (BYTES, b"\x03"), (CRC, b"\x01\x02\x03\x04"), (AXES, b"\x07"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "content"), rows(ENTRY_FIELDS, 2))
def test_a_field_of_an_entry(damaged, field, content):
    file = damaged.file("base")
    at, _, _ = entries(file.read_bytes())["posting_step"]
    damage(file, at + field, content)
    assert_healed(damaged, file, TABLE)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_every_entry_of_the_table(damaged, name):
    file = damaged.file("base")
    at, _, _ = entries(file.read_bytes())[name]
    damage(file, at + CRC, b"\x01\x02\x03\x04")
    assert_healed(damaged, file, TABLE)


# ---------------------------------------------------------------- the sections


def flip(file, place):
    damage(file, place, bytes([file.read_bytes()[place] ^ 0x10]))


FIRST = ["meta", "posting_step", "code", "row"]


@pytest.mark.parametrize("name", rows([*FIRST, *sorted(ARRAYS - set(FIRST))], len(FIRST)))
def test_every_section(damaged, name):
    file = damaged.file("base")
    _, offset, size = entries(file.read_bytes())[name]
    assert size, f"section {name} is empty, so that it cannot be damaged"
    flip(file, offset + size // 2)
    assert_healed(damaged, file, f"section '{name}' does not match its checksum")


@pytest.mark.parametrize("name", rows(["removed", "removed_ends", "meta", "row", "path_text"], 1))
def test_sections_of_a_delta(damaged, name):
    file = damaged.file("delta")
    _, offset, size = entries(file.read_bytes())[name]
    flip(file, offset + size - 1)
    assert_healed(damaged, file, f"section '{name}' does not match its checksum")


def test_the_base_of_a_delta(damaged):
    file = damaged.file("base")
    _, offset, _ = entries(file.read_bytes())["term_ends"]
    flip(file, offset)
    assert_healed(damaged, file, "section 'term_ends' does not match its checksum")


def test_what_fills_up_between_sections_has_no_meaning(damaged):
    file = damaged.file("base")
    data = bytearray(file.read_bytes())
    found = sorted(entries(data).values(), key=lambda entry: entry[1])
    gaps = 0
    for (_, offset, size), following in zip(
        found, [*(e[1] for e in found[1:]), len(data)], strict=True
    ):
        for place in range(offset + size, following):
            assert not data[place]
            data[place] = 0x55
            gaps += 1
    assert gaps
    file.write_bytes(data)
    assert damaged.asked() == []


# ---------------------------------------------------------------- the whole file


@pytest.mark.parametrize("size", rows([0, HEADER + ENTRY, -1, 1, HEADER - 1, HEADER, -64], 3))
def test_a_truncated_file(damaged, size):
    file = damaged.file("base")
    data = file.read_bytes()
    kept = data[:size]
    file.write_bytes(kept)
    expected = f"{len(kept)} bytes instead of {len(data)}"
    if len(kept) < HEADER:
        expected = f"truncated at {len(kept)} bytes"
    assert_healed(damaged, file, expected)


def test_a_file_with_something_behind_it(damaged):
    file = damaged.file("base")
    data = file.read_bytes()
    file.write_bytes(data + b"\0" * 64)
    assert_healed(damaged, file, f"{len(data) + 64} bytes instead of {len(data)}")


def test_a_file_that_is_gone(damaged):
    file = damaged.file("delta")
    file.unlink()
    assert damaged.asked() == [f"views/{file.name}: is missing; rebuilding"]
    assert damaged.asked() == []


def test_a_folder_in_its_place(damaged):
    file = damaged.file("delta")
    file.unlink()
    file.mkdir()
    damaged.asked()


def resealed(data):
    """A file of which only the content is wrong: its table has the right checksums."""
    count = struct.unpack_from("<I", data, SECTIONS)[0]
    for at, offset, size in entries(data).values():
        struct.pack_into("<I", data, at + CRC, zlib.crc32(data[offset : offset + size]))
    table = data[HEADER : HEADER + ENTRY * count]
    struct.pack_into("<I", data, TABLE_CRC, zlib.crc32(table))
    return data


def test_a_view_that_names_vectors_that_are_not_there(damaged):
    file = damaged.file("base")
    data = bytearray(file.read_bytes())
    _, offset, size = entries(data)["meta"]
    meta = json.loads(data[offset : offset + size])
    other = meta["vectors"][:-4] + ("0" if meta["vectors"][-4] != "0" else "1") + ".i4"
    text = json.dumps({**meta, "vectors": other}, sort_keys=True, separators=(",", ":")).encode()
    assert len(text) == size, "the damage must not move anything"
    data[offset : offset + size] = text
    file.write_bytes(resealed(data))
    (note,) = damaged.asked()
    assert note == f"{other}: is missing; rebuilding"
    assert damaged.asked() == []
