"""Files that git takes from its index are known in every format of an index."""

import pytest

from gitsearch.git import repo as repository
from gitsearch.git.index_flags import flagged_files
from gitsearch.git.repo import Repo
from tests.builder import RepoBuilder

PATHS = ("a", "b/\u00fcber.txt", "b/" + "folder/" * 60 + "deep.txt", *map(str, range(20)), "z")
FORMATS = ("sha1", "sha256")
VERSIONS = (2, 4)


def written(path, object_format, version):
    builder = RepoBuilder(path, object_format=object_format)
    builder.having({name: f"{name}\n" for name in PATHS})
    builder.git("update-index", "--index-version", str(version))
    return builder


def opened(builder):
    return repository.open_repo(builder.path)


@pytest.mark.parametrize("object_format", FORMATS)
@pytest.mark.parametrize("version", VERSIONS)
def test_git_is_not_asked_about_an_index_without_flags(
    tmp_path, monkeypatch, object_format, version
):
    repo = opened(written(tmp_path / "repo", object_format, version))
    monkeypatch.setattr(Repo, "run", None)
    assert flagged_files(repo) == {}


@pytest.mark.parametrize("object_format", FORMATS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", [PATHS[1], PATHS[2], "z"])
def test_both_flags_are_found(tmp_path, object_format, version, path):
    builder = written(tmp_path / "repo", object_format, version)
    for flag, skipped in (("skip-worktree", True), ("assume-unchanged", False)):
        builder.git("update-index", f"--{flag}", path)
        (file,) = flagged_files(opened(builder)).values()
        assert file.entry == (path.encode(), builder.rev(f":{path}"), 0o100644)
        assert file.skipped == skipped
        builder.git("update-index", f"--no-{flag}", path)
        assert flagged_files(opened(builder)) == {}


def test_an_index_in_parts_is_asked_about(repo):
    repo.having(dict.fromkeys(PATHS, "text\n"))
    repo.git("update-index", "--skip-worktree", "z")
    repo.git("update-index", "--split-index")
    assert list(flagged_files(opened(repo))) == [b"z"]


def test_a_file_that_is_only_intended_to_be_added_has_no_flag(repo, monkeypatch):
    repo.having({"a": "a\n"})
    repo.write("b", "b\n")
    repo.git("add", "--intent-to-add", "b")
    own = opened(repo)
    monkeypatch.setattr(Repo, "run", None)
    assert flagged_files(own) == {}


def test_without_an_index_nothing_has_a_flag(repo):
    assert flagged_files(opened(repo)) == {}
