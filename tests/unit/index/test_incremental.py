"""Whatever way the index came to a tree, it answers as one that was built for this tree."""

import shutil

import pytest

from gitsearch.index import segment_assembly
from tests.builder import RepoBuilder
from tests.sample import CACHE, METRIC, RETRY
from tests.unit.commands.asked import (
    QUERIES,
    Aside,
    answers,
    fresh_answers,
    indexed,
    meta_of,
    opened,
    searched,
)

pytestmark = pytest.mark.slow

REVISIONS = ("v0.1", "v0.2", "v1.0", "v1.0~8", "v0.2~3")


@pytest.fixture(scope="module")
def right(sample_template, tmp_path_factory):
    """What an index of its own says about each revision."""
    path = tmp_path_factory.mktemp("right") / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    repo = RepoBuilder.adopt(path)
    return {rev: fresh_answers(repo, at=rev) for rev in REVISIONS}


def coverage(repo, **options):
    return searched(repo, "retry", **options).coverage


# ---------------------------------------------------------------- revisions


@pytest.mark.long
def test_an_index_that_grew_answers_as_a_fresh_one(sample, right):
    for rev in REVISIONS:
        sample.checkout(rev)
        found = answers(sample)
        assert found == right[rev], rev
        assert coverage(sample) == coverage(sample, at=rev)
    assert any(meta["base"] for rev in REVISIONS for meta in meta_of(sample, at=rev))


@pytest.mark.slow
def test_other_revisions_are_asked_without_a_checkout(sample, right):
    for rev in reversed(REVISIONS):
        assert answers(sample, at=rev) == right[rev], rev


def test_a_few_changes_are_a_delta_over_the_base(current):
    current.append("service/retry_policy.py", "\n\ndef give_up_early():\n    return None\n")
    current.remove("docs/page-cache.md")
    current.commit()
    below, above = meta_of(current)
    assert below["base"] is None
    assert above["base"] == below["tree"]
    assert above["files"] == 1
    assert answers(current) == fresh_answers(current)


@pytest.mark.slow
def test_many_changes_are_a_base_of_their_own(sample):
    indexed(sample, at="v0.1")
    (meta,) = meta_of(sample)
    assert meta["base"] is None


@pytest.mark.slow
def test_a_delta_stands_on_the_newest_base_that_fits(sample):
    indexed(sample, at="v0.1")
    indexed(sample, at="v1.0")
    _, above = meta_of(sample, at="v1.0~1")
    assert above["base"] == sample.rev("v1.0^{tree}")
    _, above = meta_of(sample, at="v0.1~1")
    assert above["base"] == sample.rev("v0.1^{tree}")


def test_a_base_whose_tree_git_has_dropped_is_no_base_any_more(current):
    current.append("service/retry_policy.py", "\nAMENDED = 1\n")
    current.git("commit", "-q", "-a", "--amend", "-m", "another last commit")
    current.git("tag", "-d", "v1.0")
    current.git("reflog", "expire", "--expire=now", "--all")
    current.git("gc", "-q", "--prune=now")
    assert len(meta_of(current)) == 1
    assert answers(current) == fresh_answers(current)


def test_a_delta_of_deletions_alone_holds_no_file(current):
    current.remove("service/retry_policy.py")
    current.commit()
    _, above = meta_of(current)
    assert (above["files"], above["chunks"]) == (0, 0)
    assert answers(current) == fresh_answers(current)


def test_an_empty_commit_needs_nothing_new(current):
    right = answers(current)
    before = current.index_dir.stat().st_mtime_ns
    current.commit_staged("empty")
    found = answers(current)
    assert current.index_dir.stat().st_mtime_ns == before
    assert len(meta_of(current)) == 1
    assert found == right


@pytest.mark.parametrize(
    "rule",
    [
        "service/** -search\n*.min.js search\n*.ts linguist-generated\n",
        pytest.param("service/** linguist-vendored\n", marks=pytest.mark.slow),
        pytest.param("*.lock -linguist-generated\n", marks=pytest.mark.slow),
        pytest.param("*.py binary\n", marks=pytest.mark.slow),
    ],
)
@pytest.mark.long
def test_a_changed_rule_reaches_files_that_did_not_change(current, rule):
    before = answers(current)
    current.append(".gitattributes", rule)
    current.commit()
    found, covered = answers(current), coverage(current)
    with Aside(current):
        assert answers(current) == found
        assert coverage(current) == covered
    current.revert()
    assert answers(current) == before


@pytest.mark.slow
def test_a_rule_in_a_folder_is_a_rule_too(current):
    current.write("service/.gitattributes", "* -search\n")
    current.commit()
    assert not any(one.path.startswith("service/") for one in searched(current, "retry").results)
    assert answers(current) == fresh_answers(current)


KINDS = {
    "a file becomes a link": lambda repo: (
        repo.remove("service/page_cache.py"),
        repo.symlink("service/page_cache.py", "retry_policy.py"),
    ),
    "a link becomes a file": lambda repo: (
        repo.remove("docs/latest"),
        repo.write("docs/latest", "How a retry is paused.\n"),
    ),
    "a file becomes a folder": lambda repo: (
        repo.remove("service/page_cache.py"),
        repo.write("service/page_cache.py/retry.py", RETRY.render("python")),
    ),
    "a folder becomes a file": lambda repo: (
        repo.remove("service"),
        repo.write("service", "How a retry is paused.\n"),
    ),
    "a text becomes binary": lambda repo: repo.write("service/retry_policy.py", b"\0\1\2" * 99),
    "a binary becomes text": lambda repo: repo.write("web/logo.png", "no picture, a retry\n"),
    "a script becomes executable": lambda repo: repo.file("service/retry_policy.py").chmod(0o755),
    "a file becomes empty": lambda repo: repo.write("service/retry_policy.py", ""),
    "an empty file is filled": lambda repo: repo.write("service/py.typed", "retry = 1\n"),
    "a file becomes too large": lambda repo: repo.write("README.md", "retry\n" * 200_000),
    "two files change places": lambda repo: (
        repo.rename("service/page_cache.py", "x"),
        repo.rename("service/retry_policy.py", "service/page_cache.py"),
        repo.rename("x", "service/retry_policy.py"),
    ),
    "a file changes its language": lambda repo: repo.rename(
        "service/retry_policy.py", "service/retry_policy.txt"
    ),
}


def assert_followed(repo, *changes):
    for change in changes:
        KINDS[change](repo)
    repo.git("add", "-A")
    dirty, covered = answers(repo), coverage(repo)
    repo.commit_staged()
    found = answers(repo)
    assert found == fresh_answers(repo)
    assert dirty == found
    assert covered == coverage(repo)


@pytest.mark.parametrize(
    "changes",
    [
        ("a file becomes a link", "a binary becomes text", "a script becomes executable",
         "an empty file is filled", "a file becomes too large", "a file changes its language"),
        ("a link becomes a file", "a file becomes a folder", "a text becomes binary"),
    ],
)  # fmt: skip
def test_many_kinds_of_change_at_once_are_followed(current, changes):
    assert_followed(current, *changes)


@pytest.mark.parametrize("change", KINDS)
@pytest.mark.long
def test_every_kind_of_change_is_followed(current, change):
    assert_followed(current, change)


def test_a_submodule_that_moves_is_followed(current, tmp_path):
    library = RepoBuilder(tmp_path / "library")
    library.write("retry.py", RETRY.render("python"))
    library.commit()
    current.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
               str(library.path), "extern/library")  # fmt: skip
    current.commit()
    before = answers(current)
    assert coverage(current).skipped["submodule"] == 1
    nested = RepoBuilder.adopt(current.path / "extern" / "library", library.clock)
    nested.write("more.py", "def retry_more(): ...\n")
    nested.commit()
    current.git("add", "extern/library")
    current.commit_staged()
    assert answers(current) == before == fresh_answers(current)
    current.git("rm", "-q", "-f", "extern/library", ".gitmodules")
    current.commit_staged()
    assert "submodule" not in coverage(current).skipped


def test_one_content_at_several_places_is_found_at_each(current):
    text = "def handshake_of_penguins():\n    return 'waddle'\n"
    for path in ("service/one.py", "service/two.py", "lib/three.py"):
        current.write(path, text)
    current.commit()
    found = searched(current, "handshake_of_penguins").results
    assert {one.path for one in found[:3]} == {"service/one.py", "service/two.py", "lib/three.py"}
    queries = ("handshake_of_penguins", *QUERIES)
    assert answers(current, queries) == fresh_answers(current, queries=queries)


def test_many_names_that_begin_alike_are_cut_off_alike(repo):
    repo.write(
        "base.py", "".join(f"def fetch_{n:03}_item():\n    return {n}\n" for n in range(90))
    )
    for n in range(9):
        repo.write(f"other_{n}.py", f"OTHER_{n} = {n}\n")
    repo.commit()
    indexed(repo)
    more = "".join(f"def fetch_{n:03}_extra():\n    return {n}\n" for n in range(60))
    repo.write("added.py", more)
    repo.commit()
    queries = ("fetch_", "fetch", "_fetc", "Fetc", "fetch_01", "fetchItem", "getFetch")
    assert len(meta_of(repo)) == 2
    found = answers(repo, queries, mode="symbol", max_count=200)
    assert found == fresh_answers(repo, queries=queries, mode="symbol", max_count=200)


@pytest.mark.parametrize("share", [10.0, pytest.param(0.0, marks=pytest.mark.long)])
def test_a_tree_may_be_any_base_or_any_delta(sample, right, monkeypatch, share):
    # every revision a base of its own, or every one a delta over what lies nearest
    monkeypatch.setattr(segment_assembly, "MOST_CHANGED", share)
    for rev in REVISIONS:
        assert answers(sample, at=rev) == right[rev]
    kinds = [len(meta_of(sample, at=rev)) for rev in REVISIONS]
    assert kinds == ([1, 2, 3, 3, 3] if share else [1] * len(REVISIONS))


# ---------------------------------------------------------------- the working tree


def edit(repo):
    """Every kind of edit at once: changed, added, deleted, renamed, staged and not."""
    repo.append("service/retry_policy.py", "\n\ndef give_up_early(attempt):\n    return attempt\n")
    repo.replace("web/src/retry-policy.ts", "export", "export /* again */")
    repo.write("service/new_histogram.py", METRIC.render("python"))
    repo.write("docs/failed.md", "# Failed requests\n\nA pause before it is sent again.\n")
    repo.git("add", "service/new_histogram.py", "docs/failed.md")
    repo.append("docs/failed.md", "\nEdited after it was staged.\n")
    repo.remove("service/page_cache.py")
    repo.git("rm", "-q", "docs/page-cache.md")
    repo.git("mv", "service/login_session.py", "service/session_login.py")


def test_edits_count_as_if_they_were_committed(current):
    edit(current)
    dirty, covered = answers(current), coverage(current)
    assert searched(current, "retry").tree.dirty == 8
    current.git("add", "-u")
    current.commit_staged()
    assert answers(current) == dirty == fresh_answers(current)
    assert coverage(current) == covered


def test_edits_lie_over_a_delta_as_over_a_base(current):
    current.write("service/more.py", "def more_retries(): ...\n")
    current.commit()
    indexed(current)
    edit(current)
    assert [bool(meta.get("base")) for meta in meta_of(current)] == [False, True, False]
    dirty = answers(current)
    current.git("add", "-u")
    current.commit_staged()
    assert answers(current) == dirty == fresh_answers(current)


@pytest.mark.slow
def test_an_edit_that_is_taken_back_is_forgotten(current):
    before = answers(current)
    edit(current)
    assert answers(current) != before
    current.git("reset", "-q", "--hard")
    assert answers(current) == before


def test_untracked_files_count_only_when_asked_for(current):
    before = answers(current)
    current.write("service/untracked_retry.py", RETRY.render("python"))
    current.write("ignored/retry.py", RETRY.render("python"))
    current.write(".git/info/exclude", "ignored/\n")
    assert answers(current) == before
    found, covered = answers(current, untracked=True), coverage(current, untracked=True)
    current.commit()
    assert answers(current) == found == fresh_answers(current)
    assert coverage(current) == covered


def test_the_staged_tree_counts_as_if_it_were_committed(current):
    edit(current)
    staged, covered = answers(current, cached=True), coverage(current, cached=True)
    current.commit_staged()
    assert answers(current, at="HEAD") == staged == fresh_answers(current, at="HEAD")
    assert coverage(current, at="HEAD") == covered


def test_a_repository_without_a_commit_is_its_working_tree(repo):
    repo.write("retry.py", RETRY.render("python"))
    repo.write("cache.py", CACHE.render("python"))
    repo.git("add", "-A")
    dirty, staged = answers(repo), answers(repo, cached=True)
    repo.commit_staged()
    assert answers(repo) == dirty == staged


@pytest.mark.slow
def test_line_ends_are_those_that_git_would_store(current):
    current.git("config", "core.autocrlf", "true")
    text = current.file("service/retry_policy.py").read_text(encoding="utf-8")
    current.write("service/retry_policy.py", text.replace("\n", "\r\n").replace("1.5", "0.5"))
    dirty = answers(current)
    current.git("add", "-u")
    current.commit_staged()
    assert answers(current) == dirty == fresh_answers(current)


RULES = {
    "changed": lambda repo: repo.append(".gitattributes", "service/** -search\n"),
    "deleted": lambda repo: repo.remove(".gitattributes"),
    "staged": lambda repo: (
        repo.append(".gitattributes", "service/** -search\n"),
        repo.git("add", ".gitattributes"),
    ),
}


@pytest.mark.parametrize(
    "change", ["changed", "deleted", pytest.param("staged", marks=pytest.mark.slow)]
)
def test_an_edited_rule_counts_as_if_it_were_committed(current, change):
    RULES[change](current)
    current.append("private/notes.md", "\nA retry is paused.\n")
    current.append("service/page_cache.py", "\nRETRY_PAGES = 1\n")
    dirty, covered = answers(current), coverage(current)
    current.git("add", "-u")
    current.commit_staged()
    assert coverage(current) == covered
    assert answers(current) == dirty == fresh_answers(current)


def test_every_worktree_has_its_own_edits_and_shares_the_index(current, tmp_path):
    other = current.worktree(tmp_path / "other", "v0.2")
    assert other.index_dir == current.index_dir
    other.append("service/retry_policy.py", "\nOTHER_RETRY = 1\n")
    before = answers(current)
    there, here = answers(other), answers(current)
    assert there == fresh_answers(other)
    assert here == before != there
    assert opened(other).tree.dirty == 1
    assert opened(current).tree.dirty == 0
