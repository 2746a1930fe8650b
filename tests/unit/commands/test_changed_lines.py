"""Only what a change added, or only what it took away: in the tree that has it."""

import shutil

import pytest

from gitsearch.commands import file_candidates
from gitsearch.errors import (
    BadContinuation,
    BadPath,
    BadRevision,
    GitFailed,
    SearchError,
    UsageError,
)
from gitsearch.index import first_view
from gitsearch.reports.code_match import Capture
from tests.builder import RepoBuilder
from tests.unit.commands.asked import searched

EVERY = "check the session of a user"


def step(name):
    """A function that is a chunk of its own."""
    lines = [f"    # check the session of a user: {name} {number}" for number in range(6)]
    return (
        "\n".join([f"def {name}(session, user):", *lines, f"    return {name!r}", "", ""]) + "\n"
    )


BEFORE = step("login") + step("logout") + step("renew")
# Lines of it.
LINES = 8


@pytest.fixture
def repo(repo):
    """Three functions in one file on the branch main, and a guide."""
    return repo.having({"auth.py": BEFORE, "guide.md": "# Guide\n\nHow a user logs in.\n"})


def names(repo, text=EVERY, **options):
    """The definitions, or else the paths, that are found."""
    results = searched(repo, text, **options).results
    return sorted({result.symbol or result.path for result in results})


# ---------------------------------------------------------------- which lines


def test_what_is_edited_or_staged_is_found_alone(repo):
    assert names(repo) == ["guide.md", "login", "logout", "renew"]
    repo.replace("auth.py", "logout 3", "logout three")
    repo.git("add", "-A")
    repo.replace("auth.py", "renew 3", "renew three")
    assert names(repo, changed="") == ["logout", "renew"]
    assert names(repo, changed="", cached=True) == ["logout"]
    assert names(repo, removed="") == ["logout", "renew"]
    report = searched(repo, EVERY, changed="")
    assert report.changed == (repo.rev(), "working tree", False, 1, 2)
    assert report.tree.dirty == 1
    assert report.coverage.searchable == 2
    report = searched(repo, EVERY, removed="", cached=True)
    assert report.changed == (repo.rev(), "index", True, 1, 1)
    assert (report.tree.rev, report.tree.dirty) == ("HEAD", 0)
    assert [result.symbol for result in report.results] == ["logout"]
    assert "logout 3" in report.results[0].text


@pytest.mark.parametrize("mode", ["lexical", "semantic", "symbol", "hybrid"])
def test_no_leg_ranks_anything_else(repo, mode):
    repo.replace("auth.py", "renew 3", "renew three")
    assert names(repo, "renew", mode=mode, changed="") == ["renew"]
    # the best answer of the whole tree has not changed
    assert names(repo, "logout", mode=mode, changed="") in ([], ["renew"])


def test_code_beside_what_changed_has_not_changed(repo):
    repo.append("auth.py", step("expire"))
    assert names(repo, changed="") == ["expire"]
    repo.write("auth.py", step("login") + "\n\n" + step("logout") + step("renew"))
    assert names(repo, changed="") == []
    repo.write("auth.py", step("login") + step("renew"))
    assert names(repo, changed="") == []
    assert names(repo, removed="") == ["logout"]


def test_a_deleted_file_is_what_was_removed(repo):
    repo.remove("auth.py")
    assert names(repo, changed="") == []
    assert names(repo, removed="") == ["login", "logout", "renew"]


def test_a_renamed_file_has_only_its_edited_lines(repo):
    repo.git("mv", "auth.py", "sessions.py")
    assert names(repo, changed="") == []
    repo.replace("sessions.py", "renew 3", "renew three")
    assert names(repo, changed="") == ["renew"]
    repo.commit()
    assert names(repo, changed="HEAD^..HEAD") == ["renew"]
    assert names(repo, removed="HEAD^..HEAD") == ["renew"]


def test_untracked_files_are_new_as_a_whole_when_they_are_searched(repo):
    repo.write("audit.py", step("audit").rstrip("\n"))
    repo.write("ignored.py", step("ignored"))
    repo.write(".git/info/exclude", "ignored.py\n")
    repo.replace("auth.py", "renew 3", "renew three")
    assert names(repo, changed="") == ["renew"]
    report = searched(repo, EVERY, changed="", untracked=True)
    assert {result.symbol for result in report.results} == {"audit", "renew"}
    assert report.changed == (repo.rev(), "working tree", False, 2, LINES + 1)
    repo.git("rm", "-q", "--cached", "guide.md")
    assert names(repo, changed="", untracked=True) == ["audit", "renew"]


def test_line_endings_that_git_converts_are_no_change(repo):
    repo.git("config", "core.autocrlf", "true")
    text = repo.file("auth.py").read_text(encoding="utf-8")
    text = text.replace("renew 3", "renew three")
    repo.write("auth.py", text.replace("\n", "\r\n"))
    assert names(repo, changed="") == ["renew"]


def test_filters_apply_too(repo):
    repo.replace("auth.py", "renew 3", "renew three")
    repo.append("guide.md", "\nA session of a user can be renewed.\n")
    assert names(repo, changed="") == ["guide.md", "renew"]
    assert names(repo, changed="", pathspecs=("*.md",)) == ["guide.md"]
    assert names(repo, changed="", languages=("python",)) == ["renew"]
    assert names(repo, changed="", grep="renew") == ["guide.md", "renew"]
    assert names(repo, changed="", grep="logout") == []
    with pytest.raises(BadPath):
        names(repo, changed="", pathspecs=("*.go",))


def test_a_page_belongs_to_its_change(repo):
    repo.append("auth.py", step("expire") + step("revoke"))
    repo.commit()
    first = searched(repo, EVERY, changed="HEAD^", max_count=1)
    rest = searched(repo, EVERY, changed="HEAD^", page=first.next)
    assert {result.symbol for result in (*first.results, *rest.results)} == {"expire", "revoke"}
    with pytest.raises(BadContinuation):
        searched(repo, EVERY, page=first.next)
    # the same tree and the same words, but another commit to compare with
    repo.git("commit", "-q", "--allow-empty", "-m", "empty")
    with pytest.raises(BadContinuation):
        searched(repo, EVERY, changed="HEAD^", page=first.next)


# ---------------------------------------------------------------- which trees


def test_a_range_is_searched_in_its_last_tree_or_the_merge_base(repo):
    repo.branch("topic")
    repo.append("auth.py", step("expire"))
    repo.commit()
    repo.checkout("main")
    repo.having({"other.py": step("audit")})
    repo.append("auth.py", step("edited"))
    assert names(repo, changed="main...topic") == ["expire"]
    assert names(repo, changed="...topic") == ["expire"]
    assert names(repo, changed="topic..") == ["audit"]
    assert names(repo, removed="main..topic") == ["audit"]
    assert names(repo, removed="main...topic") == []
    report = searched(repo, EVERY, changed="main...topic")
    start = repo.git("merge-base", "main", "topic")
    assert report.tree == ("topic", repo.rev("topic"), repo.rev("topic^{tree}"), 0)
    assert report.changed == (start, repo.rev("topic"), False, 1, LINES + 2)


def test_a_single_revision_is_the_old_side_of_the_tree_that_is_searched(repo):
    repo.having({"other.py": step("audit")})
    repo.append("auth.py", step("staged"))
    repo.git("add", "-A")
    repo.append("auth.py", step("edited"))
    assert names(repo, changed="HEAD^") == ["audit", "edited", "staged"]
    assert names(repo, changed="HEAD^", cached=True) == ["audit", "staged"]
    assert names(repo, changed="HEAD^", at="HEAD") == ["audit"]
    assert names(repo, removed="HEAD", at="HEAD^") == ["audit"]
    assert names(repo, removed="HEAD^") == []


def test_of_a_revision_alone_its_own_commit_counts(repo):
    repo.branch("topic")
    repo.append("auth.py", step("expire"))
    repo.commit()
    repo.checkout("main")
    repo.having({"other.py": step("audit")})
    merge = repo.merge("topic")
    assert names(repo, changed="", at=merge) == ["expire"]
    assert names(repo, changed=f"{merge}^2..{merge}") == ["audit"]
    assert names(repo, changed="", at="topic^") == ["guide.md", "login", "logout", "renew"]
    assert names(repo, removed="", at="topic^") == []
    repo.remove("other.py")
    repo.commit()
    assert names(repo, removed="", at="HEAD") == ["audit"]
    with pytest.raises(BadRevision, match="is a tree, and has no parent"):
        names(repo, changed="", at="HEAD^{tree}")
    assert names(repo, changed="topic^{tree}..HEAD^{tree}") == []


def test_a_stash_is_a_commit_like_others(repo):
    repo.replace("auth.py", "logout 3", "logout three")
    repo.git("stash")
    assert names(repo, changed="stash@{0}^..stash@{0}") == ["logout"]
    assert names(repo, changed="", at="stash@{0}") == ["logout"]
    assert names(repo, changed="") == []


def test_before_the_first_commit_everything_staged_is_new(tmp_path):
    fresh = RepoBuilder(tmp_path / "fresh")
    fresh.write("auth.py", step("login"))
    fresh.git("add", "-A")
    assert names(fresh, changed="") == ["login"]
    assert names(fresh, changed="", cached=True) == ["login"]
    assert names(fresh, removed="") == []


def test_a_clone_without_a_checkout_has_no_edits(repo, tmp_path):
    clone = repo.clone(tmp_path / "clone", "--no-checkout")
    assert names(clone, changed="") == []
    assert names(clone, removed="") == []


# ---------------------------------------------------------------- what is said


def test_one_line_says_that_nothing_changed(repo):
    for options, line in (
        ({"changed": ""}, "no line was added since HEAD"),
        ({"removed": "", "cached": True}, "no line was removed in the index since HEAD"),
        ({"changed": "HEAD..main"}, "no line was added in HEAD..main"),
        ({"removed": "HEAD", "at": "main"}, "no line was removed in HEAD..main"),
        ({"removed": "", "at": "main"}, "no line was removed by the commit main"),
    ):
        report = searched(repo, EVERY, **options)
        assert report.results == ()
        assert report.warnings == (line,)
        assert report.changed is not None
        assert report.changed[3:] == (0, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"changed": "a..b", "at": "HEAD"},
        {"changed": "a...b", "cached": True},
        {"changed": "a..b", "untracked": True},
        {"removed": "", "untracked": True},
        {"changed": "HEAD....HEAD"},
    ],
)
def test_what_contradicts_itself_is_refused(repo, options):
    with pytest.raises(UsageError):
        searched(repo, EVERY, **options)


def test_ends_that_are_not_here_are_named(repo, tmp_path):
    with pytest.raises(BadRevision, match="'mian' names no commit or tree") as refused:
        searched(repo, EVERY, changed="mian...")
    assert "did you mean 'main'?" in refused.value.hint
    repo.commit("second")
    apart = repo.git("commit-tree", "-m", "apart", "HEAD^{tree}")
    with pytest.raises(BadRevision, match="have no commit in common") as refused:
        searched(repo, EVERY, changed=f"main...{apart}")
    assert refused.value.hint.startswith(f"with --changed=main..{apart} ")
    repo.git("branch", "other", apart)
    shallow = repo.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch")
    for text in ("origin/other...", "HEAD^..", "HEAD~1"):
        with pytest.raises(BadRevision, match="and this clone is shallow") as refused:
            searched(shallow, EVERY, changed=text)
        assert refused.value.hint == "`git fetch --unshallow` fetches the history"
    with pytest.raises(BadRevision, match="and this clone is shallow") as refused:
        searched(shallow, EVERY, changed="origin/gone..")
    assert refused.value.hint == "`git fetch --depth=1 origin gone` fetches it"


def test_another_tree_that_a_shallow_clone_lacks(repo, tmp_path):
    repo.commit("second")
    shallow = repo.clone(tmp_path / "shallow", "--depth=1")
    with pytest.raises(BadRevision) as refused:
        searched(shallow, EVERY, at="HEAD~1")
    assert refused.value.message == ("'HEAD~1' names no commit or tree, and this clone is shallow")
    assert refused.value.hint == "`git fetch --unshallow` fetches the history"
    with pytest.raises(BadRevision, match="and this clone is shallow") as refused:
        searched(shallow, EVERY, at="mian")
    assert refused.value.hint == (
        "did you mean 'main'? `git fetch --depth=1 origin mian` fetches it"
    )
    with pytest.raises(BadRevision, match=r"'HEAD:nowhere' names no commit or tree$"):
        searched(shallow, EVERY, at="HEAD:nowhere")


def test_a_range_is_no_tree(repo):
    with pytest.raises(BadRevision, match=r"'main\.\.topic' is a range") as refused:
        searched(repo, EVERY, at="main..topic")
    assert "`git search --changed=main..topic`" in refused.value.hint


def test_without_a_working_tree_a_range_is_wanted(repo, tmp_path):
    repo.append("auth.py", step("expire"))
    repo.commit()
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    with pytest.raises(SearchError, match="without a working tree --changed wants a range"):
        searched(bare, EVERY, changed="")
    assert names(bare, changed="HEAD^..") == ["expire"]


def test_a_partial_clone_that_lacks_the_old_side_says_so(repo, tmp_path):
    repo.replace("auth.py", "renew 3", "renew three")
    repo.commit()
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none")
    with pytest.raises(GitFailed, match="this partial clone lacks files of the change"):
        searched(partial, EVERY, changed="HEAD^..")


# ---------------------------------------------------------------- before there is an index


@pytest.fixture
def large(repo, monkeypatch):
    """A repository of which some files are read for a first answer, without what is asked."""
    for number in range(30):
        repo.write(f"src/other_{number}.py", step(f"check_{number}"))
    repo.commit()
    monkeypatch.setattr(first_view, "_SOON_INDEXED", 0)
    monkeypatch.setattr(first_view, "FILES", 4)
    monkeypatch.setenv("CI", "true")
    return repo


def test_an_answer_is_complete_before_there_is_an_index(large):
    assert searched(large, EVERY).coverage.pending
    large.branch("topic")
    large.append("auth.py", step("expire"))
    large.write("words.txt", "nothing of the question\n")
    large.git("mv", "src/other_1.py", "src/moved.py")
    large.remove("src/other_2.py")
    large.commit()
    report = searched(large, EVERY, changed="main...")
    assert report.coverage.pending == 0
    assert report.warnings == ()
    assert {result.symbol or result.path for result in report.results} == {"expire", "words.txt"}
    whole = searched(large, EVERY, changed="main...", refresh="wait")
    assert {result[1:4] for result in whole.results} == {result[1:4] for result in report.results}
    # the tree of main has no index, that of topic has
    report = searched(large, EVERY, removed="main...")
    assert report.coverage.pending == 0
    assert [result.symbol for result in report.results] == ["check_2"]
    shutil.rmtree(large.index_dir)
    assert names(large, removed="main...") == ["check_2"]
    large.replace("src/other_3.py", "check_3 3", "check_3 three")
    report = searched(large, EVERY, changed="")
    assert ([result.symbol for result in report.results], report.coverage.pending) == (
        ["check_3"],
        0,
    )
    assert not large.index_dir.exists()


def test_a_few_files_that_pathspecs_name_are_all_read(large):
    report = searched(large, EVERY, pathspecs=("src/other_1*",))
    assert report.coverage.pending == 0
    assert len({result.path for result in report.results}) == 11


def test_a_range_with_much_text_is_answered_from_a_part(large, monkeypatch):
    monkeypatch.setattr(file_candidates, "_FEW_BYTES", 1000)
    report = searched(large, EVERY, changed="HEAD^..")
    assert report.coverage.pending
    assert {result.path.partition("_")[0] for result in report.results} == {"src/other"}


# ---------------------------------------------------------------- other modes


def test_exact_text_is_found_on_lines_of_the_change_alone(repo):
    repo.replace("auth.py", "logout 3", "logout three")
    repo.write("new.py", "# check the session\n# nothing\n")
    repo.git("add", "-N", "new.py")
    number = BEFORE[: BEFORE.index("logout 3")].count("\n") + 1

    def found(**options):
        report = searched(repo, "check the session", mode="literal", sort="path", **options)
        return [(one.path, one.start, one.end, one.text.strip()) for one in report.results]

    line = ("auth.py", number, number, "# check the session of a user: logout")
    assert len(found()) == 4, "neighbouring lines are one result"
    new = ("new.py", 1, 1, "# check the session")
    assert found(changed="") == [(*line[:3], f"{line[3]} three"), new]
    assert found(removed="") == [(*line[:3], f"{line[3]} 3")]
    assert found(changed="HEAD..HEAD") == []


def test_patterns_of_code_match_where_the_change_is(repo):
    repo.replace("auth.py", "logout 3", "logout three")

    def found(**options):
        pattern = "def $NAME(session, user):\n    $$$BODY"
        report = searched(repo, pattern, mode="structural", **options)
        captured = [one.match.captures["NAME"] for one in report.results if one.match]
        return sorted(one.text for one in captured if isinstance(one, Capture))

    assert found() == ["login", "logout", "renew"]
    assert found(changed="") == ["logout"]
    assert found(removed="") == ["logout"]
    assert found(changed="HEAD..HEAD") == []
