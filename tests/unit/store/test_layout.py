"""A file of the index is replaced whole or not at all, and the folder explains itself."""

import pytest

from gitsearch.errors import Unwritable
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
