"""An exported index as a file: it is read whole or refused with one line, whatever it holds."""

import gzip
import io
import random
import zlib

import pytest

from gitsearch.errors import BadShare, Unwritable
from gitsearch.index import shared_file
from gitsearch.index.shared_file import SharedFile, packed
from gitsearch.index.versions import EXTRACT_VERSION, SHARE_VERSION

TREE = "0123456789" * 4
LINES = [f'{{"number":{n},"text":"{"x" * (n % 50)}"}}'.encode() for n in range(400)]


def file_of(lines=LINES):
    return b"".join(packed([TREE], lines))


def read(data):
    file = SharedFile(io.BytesIO(data), "some.share")
    return file, list(file.lines())


def refusal(data):
    with pytest.raises(BadShare) as refused:
        read(data)
    said = refused.value
    assert "\n" not in said.message
    assert "'some.share'" in said.message
    return f"{said.message}; {said.hint}"


def header(**changes):
    whole = {
        "git-search-share": SHARE_VERSION,
        "extract": EXTRACT_VERSION,
        "trees": [f'"{TREE}"'],
        "blobs": 0,
    }
    texts = {name: str(value).replace("'", "") for name, value in {**whole, **changes}.items()}
    parts = (f'"{name}":{text}' for name, text in texts.items())
    return gzip.compress(f"{{{','.join(parts)}}}\n".encode())


def test_lines_come_back_and_the_bytes_are_always_the_same():
    data = file_of()
    assert data == file_of()
    file, lines = read(data)
    assert lines == LINES
    assert (file.header.trees, file.header.blobs, file.size) == ([TREE], len(LINES), len(data))


def test_any_program_that_unpacks_gzip_shows_what_is_inside():
    first, *lines = gzip.decompress(file_of()).splitlines()
    assert first.startswith(b'{"git-search-share":1,')
    assert lines == LINES


def test_a_file_may_be_read_in_any_pieces():
    class Slow(io.BytesIO):
        def read(self, _=-1):
            return super().read(7)

    assert list(SharedFile(Slow(file_of()), "x").lines()) == LINES


def test_a_file_that_is_cut_short_is_refused_wherever_it_is_cut():
    data = file_of()
    for end in [*range(1, 40), *range(40, len(data), 11), len(data) - 1]:
        assert "is cut short" in refusal(data[:end]), end
    assert "is cut short" in refusal(b"")


def test_each_flipped_byte_is_noticed():
    data = file_of()
    dice = random.Random(1)
    # the bytes before are the time and the system of gzip's header, which nobody reads
    for place in [*range(10, 60), *dice.sample(range(60, len(data)), 60), *range(-8, 0)]:
        flipped = bytearray(data)
        flipped[place] ^= 1 << dice.randrange(8)
        refusal(bytes(flipped))


def test_a_damaged_file_is_called_so_and_no_foreign_one():
    data = file_of()
    # behind the table of codes with which the first block begins, without which nothing is known,
    # and before the last byte of the last one, which has bits that mean nothing
    for place in range(len(data) // 4, len(data) - 9, 7):
        flipped = bytearray(data)
        flipped[place] ^= 1 << place % 8
        said = refusal(bytes(flipped))
        assert "is damaged" in said, place
        assert said.endswith("git search share export makes one with this version")
    foreign = bytearray(gzip.compress(b"".join(LINES)))
    foreign[len(foreign) // 2] ^= 1
    assert "is no file of git search share export" in refusal(bytes(foreign))


def test_what_follows_the_end_is_refused():
    assert "something follows its end" in refusal(file_of() + b"\0")
    assert "something follows its end" in refusal(file_of() + b"x" * (1 << 17))
    assert "something follows its end" in refusal(file_of() * 2)


@pytest.mark.parametrize("data", [b"hello", b"PK\3\4" + bytes(99), bytes(1000), b"\x1f\x8b"])
def test_another_file_is_called_so(data):
    said = refusal(data)
    assert "is no file of git search share export" in said or "is cut short" in said


def test_gzip_of_anything_else_is_called_so():
    for text in (b"", b"\n", b"hello\n", b"[]\n", b'{"git-search-share":"1"}\n', b"\xff\n"):
        assert "is no file of git search share export" in refusal(gzip.compress(text)), text


def test_another_version_is_named_with_what_to_do():
    newer = {"git-search-share": SHARE_VERSION + 1}
    assert "a newer version of git search: format 2" in refusal(header(**newer))
    # whatever else it says
    assert "a newer version" in refusal(gzip.compress(b'{"git-search-share":7,"new":[]}\n'))
    assert "an older version" in refusal(header(**{"git-search-share": 0}))
    said = refusal(header(extract=EXTRACT_VERSION + 1))
    assert f"extraction {EXTRACT_VERSION + 1}, that of this version is {EXTRACT_VERSION}" in said
    assert said.endswith("git search share export makes one with this version")


@pytest.mark.parametrize(
    "changes",
    [
        {"blobs": -1},
        {"blobs": 1},
        {"blobs": "9" * 5000},
        {"extract": "null"},
        {"trees": "[1]"},
        {"trees": '["HEAD"]'},
        {"more": 1},
        {"more" * 500: 1},
    ],
)
def test_a_first_line_that_makes_no_sense_is_refused(changes):
    said = refusal(header(**changes))
    assert "is damaged" in said
    assert len(said) < 300


def test_a_last_line_without_an_end_is_refused():
    data = gzip.compress(gzip.decompress(file_of()).removesuffix(b"\n"))
    assert "has no end" in refusal(data)


def test_a_file_that_unpacks_to_more_than_it_may_is_refused(monkeypatch):
    monkeypatch.setattr(shared_file, "_MOST", 1 << 22)
    deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = deflater.compress(gzip.decompress(header(blobs=99)))
    line = b"x" * (1 << 20) + b"\n"
    bomb += b"".join(deflater.compress(line) for _ in range(64)) + deflater.flush()
    assert len(bomb) < 100_000
    with pytest.raises(BadShare, match="unpacks to more than 4 MB"):
        read(bomb)


def test_a_line_may_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(shared_file, "LONGEST", 1 << 21)
    data = gzip.compress(gzip.decompress(header(blobs=1)) + b"x" * (1 << 23) + b"\n")
    with pytest.raises(BadShare, match="a line has more than 2 MB"):
        read(data)


def test_nothing_is_written_that_could_not_be_read(monkeypatch):
    monkeypatch.setattr(shared_file, "_MOST", 1000)
    with pytest.raises(BadShare, match="these trees need more"):
        file_of()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "made.share"
    assert shared_file.write(path, [b"one", b"two"]) == 6
    path.chmod(0o600)

    def failing():
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shared_file.write(path, failing())
    assert path.read_bytes() == b"onetwo"
    assert [file.name for file in tmp_path.iterdir()] == ["made.share"]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "link").symlink_to("target")
    shared_file.write(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["folder", "/dev/null", "missing/file", "loop"])
def test_what_is_no_file_is_left_alone(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "precious").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(Unwritable, match="cannot write"):
        shared_file.write(tmp_path / name, [b"new"])
    assert (tmp_path / "folder" / "precious").exists()
