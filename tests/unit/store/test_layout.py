"""A file of the index is replaced whole or not at all, and the folder explains itself."""

import os

import pytest

from gitsearch.errors import Damaged, Unwritable
from gitsearch.store import layout


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    file = tmp_path / "seal"
    file.write_bytes(b"old")
    layout.replace(file, [b"new ", memoryview(b"content")])
    assert file.read_bytes() == b"new content"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_half_way_leaves_the_old_file_alone(tmp_path):
    file = tmp_path / "seal"
    file.write_bytes(b"old")

    def pieces():
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(Unwritable, match="No space left on device"):
        layout.replace(file, pieces())
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_reader_of_the_old_file_goes_on_reading_it(tmp_path):
    file = tmp_path / "view"
    file.write_bytes(b"old")
    with file.open("rb") as reader:
        layout.replace(file, [b"new"])
        assert reader.read() == b"old"


def test_a_folder_that_is_no_folder_cannot_be_written(tmp_path):
    (tmp_path / "search").write_text("a file", encoding="utf-8")
    with pytest.raises(Unwritable, match="search"):
        layout.prepare(tmp_path / "search")
    with pytest.raises(Unwritable):
        layout.replace(tmp_path / "search" / "seal", [b"x"])


def test_the_folder_says_what_it_is(tmp_path):
    layout.prepare(tmp_path / "search")
    assert "safe to delete" in (tmp_path / "search" / "README").read_text(encoding="utf-8")
    tag = (tmp_path / "search" / "CACHEDIR.TAG").read_text(encoding="utf-8")
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_what_the_folder_says_is_not_written_twice(tmp_path):
    layout.prepare(tmp_path)
    (tmp_path / "README").write_text("changed by hand", encoding="utf-8")
    layout.prepare(tmp_path)
    assert (tmp_path / "README").read_text(encoding="utf-8") == "changed by hand"


def test_only_temporary_files_are_leftovers(tmp_path):
    layout.prepare(tmp_path)
    for name in ("seal", "index.duckdb", "views/a.view"):
        (tmp_path / name).touch()
    stray = [tmp_path / "seal.01ab.tmp", tmp_path / "views" / "a.view.01ab.tmp"]
    for file in stray:
        file.touch()
    assert layout.leftovers(tmp_path) == stray


def test_files_are_listed_by_name_with_their_sizes(tmp_path):
    layout.prepare(tmp_path)
    (tmp_path / "views" / "a.view").write_bytes(b"12345")
    listed = dict(layout.files(tmp_path))
    assert listed["views/a.view"] == 5
    assert set(listed) == {"README", "CACHEDIR.TAG", "views/a.view"}
    assert list(listed) == sorted(listed)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (f"views/{'a' * 40}-01234567.view", True),
        (f"views/{'0' * 64}-01234567.graph3", True),
        (f"views/{'A' * 40}-01234567.view", False),
        (f"views/{'a' * 39}-01234567.view", False),
        (f"views/{'a' * 40}-01234567.view/x", False),
        (f"views/../{'a' * 40}-01234567.view", False),
        (f"views/--output={'a' * 40}-01234567.view", False),
        (f"{'a' * 40}-01234567.view", False),
    ],
)
def test_names_of_kept_files_are_those_the_program_gives(name, kept):
    assert layout.is_kept(name) is kept


@pytest.mark.parametrize(
    ("name", "vectors"),
    [
        ("vectors-0123456789abcdef-01234567.i4", True),
        ("vectors-0123456789abcdef-../../x.i4", False),
        ("vectors-0123456789abcdef-01234567", False),
        ("0123456789abcdef-01234567.i4", False),
        ("/vectors-0123456789abcdef-01234567.i4", False),
    ],
)
def test_names_of_vector_files_are_those_the_program_gives(name, vectors):
    assert layout.is_vectors(name) is vectors


def test_what_is_no_regular_file_is_not_opened(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert layout.content(tmp_path / "file", "file", 7) == b"content"
    for name in ("link", "folder", "pipe"):
        with pytest.raises(Damaged, match=f"{name}: cannot be read: not a regular file"):
            layout.reader(tmp_path / name, name)
    with pytest.raises(Damaged, match="more than 6 bytes"):
        layout.content(tmp_path / "file", "file", 6)
    with pytest.raises(FileNotFoundError):
        layout.reader(tmp_path / "none", "none")


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_log_is_written_whatever_stood_in_its_place(tmp_path, kind):
    log = tmp_path / layout.LOG
    if kind == "link":
        log.symlink_to(tmp_path / "outside")
    elif kind == "folder":
        (log / "inside").mkdir(parents=True)
    else:
        os.mkfifo(log)
    layout.append(log, "a line\n", 100)
    layout.append(log, "another\n", 100)
    assert log.read_text() == "a line\nanother\n"
    assert not (tmp_path / "outside").exists()
    layout.append(log, "afresh\n", 10)
    assert log.read_text() == "afresh\n"


def test_nothing_is_made_behind_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "search").symlink_to("elsewhere")
    with pytest.raises(Unwritable, match="is not a folder"):
        layout.prepare(tmp_path / "search")
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "views").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "real" / "README").symlink_to(tmp_path / "elsewhere" / "new")
    layout.prepare(tmp_path / "real")
    assert (tmp_path / "real" / "views").is_dir()
    assert not (tmp_path / "real" / "views").is_symlink()
    assert list((tmp_path / "elsewhere").iterdir()) == []
