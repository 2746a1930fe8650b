"""The seal notices every change of a file, and holds for files that nobody touched."""

import json
import os
import shutil
import zlib

import pytest

from gitsearch.store import layout
from gitsearch.store.seal import Seal

NAME = "index.duckdb"
VIEW = f"views/{'a' * 40}-01234567.view"
VECTORS = "vectors-0123456789abcdef-01234567.i8"


@pytest.fixture
def folder(tmp_path):
    layout.prepare(tmp_path)
    (tmp_path / NAME).write_bytes(b"content")
    (tmp_path / VIEW).write_bytes(b"a view")
    Seal(tmp_path).add(NAME, VIEW)
    return tmp_path


def test_a_file_that_nobody_touched_needs_no_check(folder):
    seal = Seal(folder)
    assert seal.holds(NAME)
    assert seal.holds(VIEW)
    assert seal.names() == [NAME, VIEW]
    assert not seal.broken


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
    seal = Seal(folder)
    assert not seal.holds(NAME)
    assert seal.holds(VIEW)
    seal.add(NAME)
    assert Seal(folder).holds(NAME)


def test_a_file_that_was_never_checked_is_not_trusted(folder):
    (folder / VECTORS).write_bytes(b"x")
    assert not Seal(folder).holds(VECTORS)
    assert not Seal(folder).lost(VECTORS)


def test_a_file_that_is_gone_is_lost_until_it_is_forgotten(folder):
    (folder / NAME).unlink()
    seal = Seal(folder)
    assert seal.lost(NAME)
    assert not seal.holds(NAME)
    seal.forget(NAME)
    assert not Seal(folder).lost(NAME)
    assert Seal(folder).holds(VIEW)


def test_sealing_one_file_keeps_the_others(folder):
    (folder / VECTORS).write_bytes(b"x")
    Seal(folder).add(VECTORS)
    assert Seal(folder).names() == [NAME, VECTORS, VIEW]


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"00000000\n{}", b"zz\n{}", b"\xff\xfe", b"12345678\nno JSON"],
)
def test_a_damaged_seal_only_means_new_checks(folder, content):
    (folder / layout.SEAL).write_bytes(content)
    seal = Seal(folder)
    assert seal.broken
    assert seal.names() == []
    assert not seal.holds(NAME)


def test_any_one_flipped_byte_breaks_the_seal_or_leaves_it_as_it_is(folder):
    file = folder / layout.SEAL
    whole = bytearray(file.read_bytes())
    right = Seal(folder).names()
    for place in range(len(whole)):
        whole[place] ^= 0x01
        file.write_bytes(whole)
        whole[place] ^= 0x01
        seal = Seal(folder)
        assert seal.broken or (seal.names() == right and seal.holds(NAME)), place


def test_a_folder_without_a_record_has_no_seal_to_miss(tmp_path):
    assert not Seal(tmp_path).broken
    assert not Seal(tmp_path / "none").broken


def test_a_seal_that_cannot_be_written_is_no_failure(folder):
    (folder / layout.SEAL).unlink()
    (folder / layout.SEAL).mkdir()
    Seal(folder).add(NAME)


@pytest.mark.parametrize("name", ["../x", "views/../../x", "/etc/passwd", "views", "lock", "a\0b"])
def test_a_seal_that_names_other_files_is_damaged(folder, name):
    body = json.dumps({name: [1, 2, 3, 4]}).encode()
    (folder / layout.SEAL).write_bytes(b"%08x\n" % zlib.crc32(body) + body)
    assert Seal(folder).broken
    assert Seal(folder).names() == []


def test_a_seal_of_another_user_vouches_for_nothing(folder, monkeypatch):
    assert Seal(folder).holds(NAME)
    monkeypatch.setattr(os, "geteuid", lambda: (folder / layout.SEAL).stat().st_uid + 1)
    seal = Seal(folder)
    assert not seal.holds(NAME)
    assert not seal.broken


def test_a_seal_without_an_end_is_damaged(folder):
    os.truncate(folder / layout.SEAL, 1 << 40)
    assert Seal(folder).broken


@pytest.mark.parametrize("depth", [10, 300_000])
def test_a_seal_that_nests_is_damaged(folder, depth):
    body = b"[" * depth
    (folder / layout.SEAL).write_bytes(b"%08x\n" % zlib.crc32(body) + body)
    assert Seal(folder).broken


def test_a_folder_in_place_of_a_seal_is_replaced(folder):
    (folder / layout.SEAL).unlink()
    (folder / layout.SEAL / "inside").mkdir(parents=True)
    seal = Seal(folder)
    assert seal.broken
    seal.add(NAME)
    assert Seal(folder).holds(NAME)
