"""The seal notices every change of a file, and holds for files that nobody touched."""

import json
import os
import shutil
import zlib

import pytest

from gitsearch.store import layout
from gitsearch.store.checksums import Checksums

NAME = "index.duckdb"
VIEW = f"views/{'a' * 40}-01234567.view"
VECTORS = "vectors-0123456789abcdef-01234567.i4"


@pytest.fixture
def folder(tmp_path):
    layout.prepare(tmp_path)
    (tmp_path / NAME).write_bytes(b"content")
    (tmp_path / VIEW).write_bytes(b"a view")
    Checksums(tmp_path).add(NAME, VIEW)
    return tmp_path


def test_a_file_that_nobody_touched_needs_no_check(folder):
    checksums = Checksums(folder)
    assert checksums.holds(NAME)
    assert checksums.holds(VIEW)
    assert checksums.names() == [NAME, VIEW]
    assert not checksums.broken


def flip(file):
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    file.write_bytes(data)


def flip_with_the_old_times(file):
    stat = file.stat()
    flip(file)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def replace_with_a_twin(file):
    copy = file.with_name("copy")
    shutil.copy2(file, copy)
    copy.replace(file)


@pytest.mark.parametrize(
    "change",
    [
        flip,
        flip_with_the_old_times,
        replace_with_a_twin,
        lambda file: os.truncate(file, 3),
        lambda file: file.write_bytes(b""),
        os.utime,
    ],
)
def test_a_change_is_noticed(folder, change):
    change(folder / NAME)
    checksums = Checksums(folder)
    assert not checksums.holds(NAME)
    assert checksums.holds(VIEW)
    checksums.add(NAME)
    assert Checksums(folder).holds(NAME)


def test_a_file_that_was_never_checked_is_not_trusted(folder):
    (folder / VECTORS).write_bytes(b"x")
    assert not Checksums(folder).holds(VECTORS)
    assert not Checksums(folder).lost(VECTORS)


def test_a_file_that_is_gone_is_lost_until_it_is_forgotten(folder):
    (folder / NAME).unlink()
    checksums = Checksums(folder)
    assert checksums.lost(NAME)
    assert not checksums.holds(NAME)
    checksums.forget(NAME)
    assert not Checksums(folder).lost(NAME)
    assert Checksums(folder).holds(VIEW)


def test_sealing_one_file_keeps_the_others(folder):
    (folder / VECTORS).write_bytes(b"x")
    Checksums(folder).add(VECTORS)
    assert Checksums(folder).names() == [NAME, VECTORS, VIEW]


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"00000000\n{}", b"zz\n{}", b"\xff\xfe", b"12345678\nno JSON"],
)
def test_a_damaged_seal_only_means_new_checks(folder, content):
    (folder / layout.SEAL).write_bytes(content)
    checksums = Checksums(folder)
    assert checksums.broken
    assert checksums.names() == []
    assert not checksums.holds(NAME)


def test_any_one_flipped_byte_breaks_the_seal_or_leaves_it_as_it_is(folder):
    file = folder / layout.SEAL
    whole = bytearray(file.read_bytes())
    right = Checksums(folder).names()
    for place in range(len(whole)):
        whole[place] ^= 0x01
        file.write_bytes(whole)
        whole[place] ^= 0x01
        checksums = Checksums(folder)
        assert checksums.broken or (checksums.names() == right and checksums.holds(NAME)), place


def test_a_folder_without_a_record_has_no_seal_to_miss(tmp_path):
    assert not Checksums(tmp_path).broken
    assert not Checksums(tmp_path / "none").broken


def test_a_seal_that_cannot_be_written_is_no_failure(folder):
    (folder / layout.SEAL).unlink()
    (folder / layout.SEAL).mkdir()
    Checksums(folder).add(NAME)


@pytest.mark.parametrize("name", ["../x", "views/../../x", "/etc/passwd", "views", "lock", "a\0b"])
def test_a_seal_that_names_other_files_is_damaged(folder, name):
    body = json.dumps({name: [1, 2, 3, 4]}).encode()
    (folder / layout.SEAL).write_bytes(b"%08x\n" % zlib.crc32(body) + body)
    assert Checksums(folder).broken
    assert Checksums(folder).names() == []


def test_a_seal_of_another_user_vouches_for_nothing(folder, monkeypatch):
    assert Checksums(folder).holds(NAME)
    monkeypatch.setattr(os, "geteuid", lambda: (folder / layout.SEAL).stat().st_uid + 1)
    checksums = Checksums(folder)
    assert not checksums.holds(NAME)
    assert not checksums.broken


def test_a_seal_without_an_end_is_damaged(folder):
    os.truncate(folder / layout.SEAL, 1 << 40)
    assert Checksums(folder).broken


@pytest.mark.parametrize("depth", [10, 300_000])
def test_a_seal_that_nests_is_damaged(folder, depth):
    body = b"[" * depth
    (folder / layout.SEAL).write_bytes(b"%08x\n" % zlib.crc32(body) + body)
    assert Checksums(folder).broken


def test_a_folder_in_place_of_a_seal_is_replaced(folder):
    (folder / layout.SEAL).unlink()
    (folder / layout.SEAL / "inside").mkdir(parents=True)
    checksums = Checksums(folder)
    assert checksums.broken
    checksums.add(NAME)
    assert Checksums(folder).holds(NAME)
