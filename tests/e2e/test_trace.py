"""`--trace`: what a search does, in counts that no change may raise unnoticed."""

import json

import pytest


def traced(installed, repo, *words, json_form=True):
    done = installed.run("--trace=json" if json_form else "--trace", *words, cwd=repo.path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.splitlines()[-1]) if json_form else done.stderr


@pytest.fixture
def settled(installed, sample):
    """A repository whose index is up to date."""
    assert installed.run("index", "-q", cwd=sample.path).returncode == 0
    return sample


def test_a_first_search_parses_and_embeds(installed, sample):
    counts = traced(installed, sample, "retry", "policy")["counts"]
    assert counts["files parsed"] > 20
    assert counts["terms embedded"] > 100
    assert counts["bytes read"] > 10_000


def test_a_search_of_a_settled_index_only_maps_files(installed, settled):
    found = traced(installed, settled, "retry", "policy")
    counts = found["counts"]
    assert "files parsed" not in counts
    assert "record opened" not in counts, "DuckDB is not needed to search"
    assert counts["files mapped"] == 2, "a view and the vectors"
    assert counts["git processes"] <= 4
    sizes = [path.stat().st_size for path in settled.index_dir.rglob("*") if path.is_file()]
    assert 0 < counts["bytes mapped"] < sum(sizes)
    assert {one["stage"] for one in found["stages"]} >= {"repository", "view", "words", "meaning"}


def test_a_search_of_a_settled_index_loads_only_what_it_needs(installed, settled):
    env = {"PYTHONPROFILEIMPORTTIME": "1"}
    done = installed.run("retry", "policy", cwd=settled.path, env=env)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "numpy" in loaded
    # masked arrays come with np.isin, and take as long as a search
    spared = {"numpy.ma", "pygit2", "scipy", "duckdb", "igraph", "tokenizers", "tree_sitter"}
    assert loaded.isdisjoint(spared), loaded & spared


def test_edited_files_are_parsed_once(installed, settled):
    settled.append("service/retry_policy.py", "\nPAUSE = 3\n")
    first = traced(installed, settled, "pause")["counts"]
    assert (first["edited files"], first["files parsed"]) == (1, 1)
    again = traced(installed, settled, "pause")["counts"]
    assert again["edited files"] == 1
    assert "files parsed" not in again
    assert again["files mapped"] == 3, "and what was laid over them"


def test_a_commit_parses_what_it_changed(installed, settled):
    settled.append("service/retry_policy.py", "\nPAUSE = 3\n")
    settled.commit()
    assert traced(installed, settled, "pause")["counts"]["files parsed"] == 1
    settled.revert()
    counts = traced(installed, settled, "pause")["counts"]
    assert "files parsed" not in counts
    assert "terms embedded" not in counts or counts["terms embedded"] == 0


def test_people_get_a_table(installed, settled):
    text = traced(installed, settled, "retry", json_form=False)
    assert text.startswith("trace: ")
    assert "meaning" in text
    assert "bytes mapped" in text


def test_every_verb_takes_it(installed, settled):
    for verb in ("index", "status", "verify", "gc"):
        done = installed.run(verb, "--trace", cwd=settled.path)
        assert (done.returncode, "trace: " in done.stderr) == (0, True), verb
    assert installed.run("--trace=xml", "retry", cwd=settled.path).returncode == 129
