"""The list of a cluster: which clone is whose, and that none is lost."""

import stat

import pytest

from gitsearch.cluster.catalog import Catalog, Entry
from gitsearch.cluster.indexing import fetched
from tests.builder import RepoBuilder


def names(catalog):
    return [entry.name for entry in catalog.entries]


def test_an_address_gives_the_end_of_its_name_and_keeps_its_password(tmp_path):
    secret = "https://user:ghp_token@host/repo.git"
    catalog, _ = Catalog(tmp_path).listing([secret, "https://ghp_token@host/owner/repo"])
    assert names(catalog) == ["host+repo", "owner+repo"]
    assert [one.folder for one in catalog.unsearched()] == [
        "https://host/repo.git",
        "https://host/owner/repo",
    ]
    catalog.write()
    assert stat.S_IMODE(catalog.file.stat().st_mode) == 0o600
    assert Catalog.read(tmp_path).entries[0].source == secret


@pytest.mark.parametrize(
    "twice",
    [
        ("https://h/o/r", "https://h/o/r.git"),
        ("https://h/o/r", "https://h/o/r/"),
        ("/srv/x", "/srv/x/.git"),
    ],
)
def test_two_ways_to_write_an_address_are_one_clone(tmp_path, twice):
    catalog, said = Catalog(tmp_path).listing(twice)
    assert [entry.source for entry in catalog.entries] == [twice[0]]
    assert said == ["named more than once: 1"]


def test_with_fewer_shards_each_repository_is_still_in_one(tmp_path):
    entries = tuple(Entry(f"r{i}", f"/r{i}", shard=i if i < 4 else None) for i in range(5))
    catalog = Catalog(tmp_path, 4, entries).with_shards(2)
    found = [name for shard in range(2) for name in catalog.names(shard).values()]
    assert sorted(found) == ["r0", "r1", "r2", "r3"]
    assert [one.folder for one in catalog.unsearched()] == ["/r4"]


def made(path, name):
    repo = RepoBuilder(path)
    repo.write(name, "x = 1\n")
    repo.commit(name)
    return repo


def test_a_clone_of_another_source_is_made_anew(tmp_path):
    first, second = (made(tmp_path / folder / "r", f"{folder}.py") for folder in "ab")
    clone = tmp_path / "clone"
    for repo, path in ((first, b"a.py"), (second, b"b.py")):
        told = fetched(clone, str(repo.path))
        assert told.reason == ""
        assert [blob.path for blob in told.blobs] == [path]


def test_the_default_branch_may_get_another_name(tmp_path):
    repo = made(tmp_path / "r", "a.py")
    clone = tmp_path / "clone"
    assert fetched(clone, str(repo.path)).reason == ""
    repo.git("branch", "--move", "main", "trunk")
    repo.write("b.py", "y = 2\n")
    repo.commit("more")
    told = fetched(clone, str(repo.path))
    assert told.reason == ""
    assert [blob.path for blob in told.blobs] == [b"a.py", b"b.py"]
