"""Reading files that are regular, up to a bound."""

import os

import pytest

from gitsearch.git import regular_file


def test_a_file_is_read_up_to_its_bound(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10)
    assert regular_file.read(file, 10) == b"x" * 10
    with pytest.raises(OSError, match="more than 9 bytes"):
        regular_file.read(file, 9)


def test_a_file_without_a_size_is_read_up_to_its_bound(tmp_path):
    """As those of /proc, which say that they are empty."""
    if not os.path.exists("/proc/self/environ"):  # noqa: PTH110
        pytest.skip("there is no /proc")
    link = tmp_path / "link"
    link.symlink_to("/proc/self/status")
    assert b"Name:" in regular_file.read(link, 1 << 20)
    with pytest.raises(OSError, match="more than 4 bytes"):
        regular_file.read(link, 4)


def test_what_is_no_regular_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            regular_file.read(path, 10)
    with pytest.raises(FileNotFoundError):
        regular_file.read(tmp_path / "nothing", 10)
