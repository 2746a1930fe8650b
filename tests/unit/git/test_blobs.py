"""Blobs come as they are stored, in the order asked, and whatever is wrong with one is its own."""

import pytest

from gitsearch.errors import GitFailed
from gitsearch.git import repo as gateway
from gitsearch.git.blobs import read_blobs, read_one, sizes
from gitsearch.git.repo import Repo, open_repo
from tests.builder import RepoBuilder

CONTENTS = [b"", b"\n", b"text\n", b"no end", b"\0\xff\r\n", b"blob 3\nabc\n", b"x" * 3_000_000]
UNKNOWN = "1" * 40


@pytest.fixture
def stored(repo):
    """A repository and the ids of its blobs."""
    return repo, [repo.git("hash-object", "-w", "--stdin", stdin=data) for data in CONTENTS]


def loose(builder, oid):
    return builder.file(f".git/objects/{oid[:2]}/{oid[2:]}")


def count_processes(monkeypatch):
    started = []
    pipe = Repo.pipe

    def count(*args, **kwargs):
        started.append(args[1:])
        return pipe(*args, **kwargs)

    monkeypatch.setattr(Repo, "pipe", count)
    return started


def test_bytes_in_the_order_asked(stored):
    repo, oids = stored
    asked = [*reversed(oids), oids[0]]
    found = list(read_blobs(open_repo(repo.path), asked))
    assert [oid for oid, _ in found] == asked
    assert [data for _, data in found] == [*reversed(CONTENTS), CONTENTS[0]]


def test_sizes(stored):
    repo, oids = stored
    opened = open_repo(repo.path)
    assert sizes(opened, oids) == {
        oid: len(data) for oid, data in zip(oids, CONTENTS, strict=True)
    }
    assert sizes(opened, [*oids, *oids, UNKNOWN]) == sizes(opened, iter(oids))
    assert sizes(opened, []) == {}


def test_many_small_blobs_are_one_process(repo, monkeypatch):
    data = [b"%d\n" % number for number in range(6000)]
    names = "".join(f"blob\ndata <<E\n{number}\nE\n\n" for number in range(6000))
    repo.git("fast-import", "--quiet", "--done", stdin=f"{names}done\n".encode())
    out = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    opened = open_repo(repo.path)
    started = count_processes(monkeypatch)
    found = list(read_blobs(opened, out.split()))
    assert {content for _, content in found} == set(data)
    assert len(started) == 1


def test_nothing_asked_starts_nothing(repo, monkeypatch):
    opened = open_repo(repo.path)
    started = count_processes(monkeypatch)
    assert list(read_blobs(opened, [])) == []
    assert sizes(opened, []) == {}
    assert not started


def test_one(stored):
    repo, oids = stored
    opened = open_repo(repo.path)
    assert read_one(opened, oids[2]) == b"text\n"
    assert read_one(opened, UNKNOWN) is None


def test_sha256(tmp_path):
    built = RepoBuilder(tmp_path / "new", object_format="sha256")
    oid = built.git("hash-object", "-w", "--stdin", stdin=b"new\n")
    assert len(oid) == 64
    assert read_one(open_repo(built.path), oid) == b"new\n"


@pytest.mark.parametrize("odd", [UNKNOWN, "", "HEAD:nothing", "1234"])
def test_what_is_missing_is_none(stored, odd):
    repo, oids = stored
    opened = open_repo(repo.path)
    asked = [oids[2], odd, oids[3]]
    assert list(read_blobs(opened, asked)) == [
        (oids[2], b"text\n"),
        (odd, None),
        (oids[3], b"no end"),
    ]
    assert sizes(opened, asked) == {oids[2]: 5, oids[3]: 6}


def test_what_is_no_blob_is_none(stored):
    repo, oids = stored
    repo.write("a", "a\n")
    commit = repo.commit()
    asked = [commit, repo.rev("HEAD^{tree}"), oids[2]]
    opened = open_repo(repo.path)
    assert [data for _, data in read_blobs(opened, asked)] == [None, None, b"text\n"]
    assert sizes(opened, asked) == {oids[2]: 5}


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x78\x9c\x4b"])
def test_a_broken_blob_is_none_and_the_next_ones_come(stored, damage):
    repo, oids = stored
    for broken in (oids[1], oids[2], oids[4]):
        loose(repo, broken).chmod(0o644)
        loose(repo, broken).write_bytes(damage)
    opened = open_repo(repo.path)
    expected = [None if place in (1, 2, 4) else data for place, data in enumerate(CONTENTS)]
    assert [data for _, data in read_blobs(opened, oids)] == expected
    assert sizes(opened, oids) == {
        oid: len(data) for oid, data in zip(oids, expected, strict=True) if data is not None
    }


def test_a_truncated_blob_is_none(stored):
    # its header is good: git finds out in the middle
    repo, oids = stored
    file = loose(repo, oids[-1])
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:2000])
    opened = open_repo(repo.path)
    assert [data for _, data in read_blobs(opened, [oids[-1], oids[2]])] == [None, b"text\n"]


def test_an_unfinished_stream_leaves_no_process(stored):
    repo, oids = stored
    stream = read_blobs(open_repo(repo.path), oids * 2000)
    assert next(stream) == (oids[0], CONTENTS[0])
    # the warnings of an open pipe or a running child are errors here
    stream.close()


@pytest.mark.parametrize("count", [1, 500])
def test_a_name_of_two_lines_is_refused(stored, count):
    repo, oids = stored
    opened = open_repo(repo.path)
    with pytest.raises(GitFailed):
        list(read_blobs(opened, [f"{oids[2]}\n{oids[3]}"] * count))
    assert read_one(opened, oids[2]) == b"text\n"


def test_a_repository_that_is_gone_is_an_error(stored):
    repo, oids = stored
    opened = open_repo(repo.path)
    repo.file(".git/HEAD").unlink()
    with pytest.raises(GitFailed):
        list(read_blobs(opened, oids))


# ---------------------------------------------------------------- partial clones


def test_a_partial_clone_fetches_nothing(repo, tmp_path, monkeypatch):
    for number in range(50):
        repo.write(f"{number}", f"{number}\n")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    clone.git("checkout", "HEAD", "--", "7", "42")
    oids = [repo.rev(f"HEAD:{number}") for number in range(50)]
    opened = open_repo(clone.path)
    started = count_processes(monkeypatch)
    found = dict(read_blobs(opened, oids))
    assert {oid: data for oid, data in found.items() if data is not None} == {
        oids[7]: b"7\n",
        oids[42]: b"42\n",
    }
    assert list(found) == oids
    assert sizes(opened, oids) == {oids[7]: 2, oids[42]: 3}
    assert read_one(opened, oids[8]) is None
    # one to meet the first missing blob, one to ask what there is, one for the others; three times
    assert len(started) <= 9
    assert read_one(open_repo(clone.path), oids[8]) is None
    missing = clone.git("rev-list", "--objects", "--missing=print", "--no-walk", "HEAD")
    assert missing.count("?") == 48


@pytest.mark.parametrize("setting", ["GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL"])
def test_one_of_two_bars_is_enough(repo, tmp_path, monkeypatch, setting):
    # versions of git that do not know the first obey the second
    repo.write("a", "a\n")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    monkeypatch.delitem(gateway.FIXED, setting)
    assert read_one(open_repo(clone.path), repo.rev("HEAD:a")) is None
    monkeypatch.undo()
    assert read_one(open_repo(clone.path), repo.rev("HEAD:a")) is None
