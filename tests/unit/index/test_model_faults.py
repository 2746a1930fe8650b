"""A model that cannot be used is refused before a byte of the index is written."""

import os

import pytest

from gitsearch.commands.gc import collect
from gitsearch.errors import BadModel
from tests.builder import RepoBuilder
from tests.unit.commands.asked import answers, indexed, opened, searched, session
from tests.unit.features.bad_models import BAD, WORDS, bad_model
from tests.unit.features.models import write_model

pytestmark = pytest.mark.long

# One that opening sees, one that only reading it all does, one of the tokeniser.
FAULTS = ["data cut", "NaN in the last row", "JSON that is no tokeniser"]


def choose(repo, folder):
    repo.git("config", "search.model", str(folder))


def index_of(repo):
    """Every file under .git/search: its bytes and when it was written; None without an index."""
    if not repo.index_dir.exists():
        return None
    return {
        path.relative_to(repo.index_dir): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(repo.index_dir.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_model_leaves_no_index_where_there_was_none(sample, tmp_path, fault):
    reason = bad_model(tmp_path / "model", fault)
    choose(sample, tmp_path / "model")
    with pytest.raises(BadModel) as refused:
        searched(sample, "retry delay")
    assert reason in f"{refused.value.message}; {refused.value.hint}"
    assert index_of(sample) is None


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_model_leaves_the_index_as_it_was(current, tmp_path, fault):
    answers(current)
    before = index_of(current)
    bad_model(tmp_path / "model", fault)
    choose(current, tmp_path / "model")
    with pytest.raises(BadModel):
        searched(current, "retry delay")
    assert index_of(current) == before


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "ask",
    [
        indexed,
        lambda repo: indexed(repo, rebuild=True),
        lambda repo: indexed(repo, dry_run=True),
        lambda repo: collect(session(repo.path)),
        lambda repo: opened(repo, at="v0.1"),
        lambda repo: opened(repo, cached=True),
        lambda repo: opened(repo, refresh="off"),
        lambda repo: opened(repo, refresh="background"),
    ],
    ids=["index", "rebuild", "dry run", "gc", "at", "cached", "off", "background"],
)
def test_no_request_touches_the_index_with_a_bad_model(current, tmp_path, fault, ask):
    bad_model(tmp_path / "model", fault)
    current.write("later.py", "LATER = 1\n")
    current.commit()
    current.append("service/retry_policy.py", "\nLATER = 2\n")
    before = index_of(current)
    choose(current, tmp_path / "model")
    with pytest.raises(BadModel):
        ask(current)
    assert index_of(current) == before


@pytest.mark.parametrize("fault", FAULTS)
def test_a_repository_without_commits_refuses_a_bad_model_too(repo, tmp_path, fault):
    bad_model(tmp_path / "model", fault)
    choose(repo, tmp_path / "model")
    with pytest.raises(BadModel):
        searched(repo, "retry")
    assert index_of(repo) is None


def test_a_model_that_goes_bad_is_refused_and_good_again_needs_nothing(current, tmp_path):
    folder = write_model(tmp_path / "model", WORDS)
    choose(current, folder)
    before = answers(current)
    files = index_of(current)
    tokeniser = folder / "tokenizer.json"
    good = tokeniser.read_bytes()
    tokeniser.write_bytes(good[:-10])
    with pytest.raises(BadModel, match=r"tokenizer\.json"):
        searched(current, "retry")
    assert index_of(current) == files
    tokeniser.write_bytes(good)
    assert answers(current) == before
    assert index_of(current) == files


def test_a_model_is_read_whole_only_before_it_makes_vectors(current, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(
        "gitsearch.features.embedding.Model.check", lambda model: read.append(model.folder)
    )
    answers(current)
    assert read == [], "the packaged one never"
    choose(current, write_model(tmp_path / "model", WORDS))
    answers(current)
    assert len(read) == 1
    current.append("service/retry_policy.py", "\nLATER = 1\n")
    answers(current)
    assert len(read) == 1


def test_a_relative_folder_is_the_same_from_everywhere(current, tmp_path, monkeypatch):
    write_model(tmp_path / "a model", WORDS)
    choose(current, os.path.relpath(tmp_path / "a model", current.path))
    found = searched(current, "retry").results
    assert searched(current, "retry", folder="service").results == found
    monkeypatch.chdir(tmp_path)
    assert searched(current, "retry").results == found
    bare = RepoBuilder.adopt(current.path / ".git")
    bare.git("config", "core.bare", "true")
    # there it begins at the git directory
    with pytest.raises(BadModel, match="no such folder"):
        searched(bare, "retry")
