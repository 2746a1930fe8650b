"""Another model embeds the known words anew, and parses nothing for it."""

import shutil

import pytest

from gitsearch.errors import BadModel
from tests.unit.commands.asked import answers, fresh_answers, indexed, opened, searched
from tests.unit.features.models import write_model


@pytest.fixture
def toy(tmp_path):
    """A model that knows a few words, two of which mean the same."""
    words = [
        "retry",
        "policy",
        "page",
        "cache",
        "delay",
        "attempt",
        "limit",
        "value",
        "session",
        "token",
        "invoice",
    ]
    return write_model(tmp_path / "toy", ["pause wait", *words])


def choose(repo, folder):
    repo.git("config", "search.model", str(folder))


def forget(repo):
    repo.git("config", "--unset", "search.model")


@pytest.mark.slow
def test_a_new_model_embeds_everything_and_parses_nothing(sample, toy):
    terms = indexed(sample).terms_embedded
    before = answers(sample)
    choose(sample, toy)
    report = indexed(sample)
    assert report.files_parsed == 0
    assert report.terms_embedded == terms
    assert answers(sample) != before
    assert answers(sample) == fresh_answers(sample)


@pytest.mark.slow
def test_changing_back_gives_the_old_answers_and_parses_nothing(current, toy):
    before = answers(current)
    choose(current, toy)
    there = answers(current)
    forget(current)
    assert indexed(current).files_parsed == 0
    assert answers(current) == before
    choose(current, toy)
    assert indexed(current).files_parsed == 0
    assert answers(current) == there


@pytest.mark.slow
def test_a_model_may_change_while_files_change(current, toy):
    for number, model in enumerate((toy, None)):
        choose(current, model) if model else forget(current)
        current.append("service/retry_policy.py", f"\nROUND_{number} = retry_pause\n")
        current.commit()
        assert indexed(current).files_parsed == 1
        assert answers(current) == fresh_answers(current)


@pytest.mark.slow
def test_dirty_files_are_embedded_by_the_model_of_the_view(current, toy):
    choose(current, toy)
    indexed(current)
    current.append("service/retry_policy.py", "\ndef pause_and_wait(): ...\n")
    dirty = answers(current)
    current.commit()
    assert answers(current) == dirty


def test_the_model_decides_what_is_near(sample, toy):
    sample.write("deep/one.py", "wait = wait\n" * 3)
    sample.commit()
    choose(sample, toy)
    (first, *_) = searched(sample, "pause", mode="semantic", rerank=False).results
    assert first.path == "deep/one.py"


@pytest.mark.slow
def test_a_model_that_is_edited_in_place_is_another_model(sample, toy):
    choose(sample, toy)
    before = answers(sample)
    shutil.rmtree(toy)
    write_model(toy, ["retry", "session policy cache"])
    assert indexed(sample).files_parsed == 0
    assert answers(sample) != before
    assert answers(sample) == fresh_answers(sample)


@pytest.mark.slow
def test_a_model_of_other_dimensions_is_no_problem(sample, toy, tmp_path):
    choose(sample, toy)
    indexed(sample)
    choose(sample, write_model(tmp_path / "small", ["retry", "page cache"], dims=7))
    assert indexed(sample).files_parsed == 0
    assert answers(sample) == fresh_answers(sample)


def test_a_model_that_knows_no_word_leaves_the_other_legs(sample, tmp_path):
    choose(sample, write_model(tmp_path / "mute", ["zzz"]))
    assert searched(sample, "RetryPolicy").results
    assert searched(sample, "RetryPolicy", mode="semantic").results == ()


def test_a_bad_model_is_refused_and_harms_nothing(current, tmp_path):
    before = answers(current)
    choose(current, tmp_path / "nowhere")
    with pytest.raises(BadModel, match="nowhere"):
        searched(current, "retry")
    forget(current)
    assert opened(current).counters.files_parsed == 0
    assert answers(current) == before


def test_a_model_in_the_home_folder_may_be_named_with_a_tilde(sample, toy, monkeypatch):
    monkeypatch.setenv("HOME", str(toy.parent))
    choose(sample, "~/toy")
    assert searched(sample, "retry").results
