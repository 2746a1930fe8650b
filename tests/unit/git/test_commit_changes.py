"""The hunks of commits."""

import pytest

from gitsearch.git.commit_changes import Bounds, read_changes
from gitsearch.git.commit_records import newest_commits, read_commits
from gitsearch.git.repo import open_repo

LARGE = Bounds(text=1 << 20, file=1 << 20, files=1000)


def changes(repo, bounds=LARGE, count=100):
    opened = open_repo(repo.path)
    records = read_commits(opened, newest_commits(opened, repo.rev(), count))
    pairs = [(oid, (*one.parents, "")[0]) for oid, one in records.items()]
    found = list(read_changes(opened, pairs, bounds))
    assert [one.oid for one in found] == [oid for oid, _ in pairs]
    return found


def lines(hunk):
    return (hunk.path, hunk.first, hunk.added, hunk.lines)


def test_hunks_have_their_lines_of_the_new_side(repo):
    repo.write("a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n")
    repo.commit()
    repo.write("a.py", "def one():\n    return 1\n\n\ndef two():\n    x = 3\n    return x\n")
    repo.commit()
    new, first = changes(repo)
    assert list(map(lines, new.hunks)) == [
        (b"a.py", 6, 2, (b"-    return 2", b"+    x = 3", b"+    return x"))
    ]
    assert new.hunks[0].around == b"def two():"
    assert [hunk.added for hunk in first.hunks] == [6]


def test_a_renamed_file_has_both_paths_and_its_edit_alone(repo):
    text = "".join(f"line number {n}\n" for n in range(30))
    repo.having({"old name.txt": text})
    repo.rename("old name.txt", "new \t name.txt")
    repo.append("new \t name.txt", "one more\n")
    repo.commit()
    new, _ = changes(repo)
    assert new.paths == [(b"new \t name.txt", b"old name.txt")]
    assert list(map(lines, new.hunks)) == [(b"new \t name.txt", 31, 1, (b"+one more",))]


def test_a_merge_has_the_change_against_its_first_parent(repo):
    repo.having({"a": "1\n"})
    repo.branch("topic")
    repo.having({"b": "2\n"})
    repo.checkout("main")
    repo.having({"c": "3\n"})
    repo.merge("topic")
    assert [hunk.path for hunk in changes(repo)[0].hunks] == [b"b"]


def test_commits_without_a_change_are_told_too(repo):
    repo.having({"a": "1\n"})
    repo.commit_staged("nothing")
    assert [len(one.hunks) for one in changes(repo)] == [0, 1]


def test_lines_that_look_like_headers_are_lines(repo):
    odd = "--- a/x\n+++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n" + "a" * 40 + "\n"
    repo.having({"a.diff": odd})
    repo.having({"a.diff": "\0" + odd.replace("@@", "\\ No")})
    repo.having({"b.txt": odd[:-1]})
    assert [len(one.hunks) for one in changes(repo)] == [1, 0, 1]
    assert changes(repo)[0].hunks[0].lines[-1] == b"+" + b"a" * 40


def test_bounds_leave_the_first_lines_and_files(repo):
    repo.having({f"{name}.txt": "twenty bytes a line\n" * 20 for name in "abcde"})
    (cut,) = changes(repo, Bounds(text=200, file=100, files=3))
    assert len(cut.paths) == 3
    assert [len(hunk.lines) for hunk in cut.hunks] == [5, 5]
    assert cut.cut
    assert not changes(repo)[0].cut


def test_nothing_of_the_working_tree_or_the_settings_matters(repo):
    repo.having({"a.txt": "1\n", "b.txt": "2\n"})
    before = changes(repo)
    repo.write(".gitattributes", "*.txt -diff\n")
    repo.git("add", ".gitattributes")
    for key, value in (("diff.noprefix", "true"), ("diff.context", "5"), ("diff.renames", "no")):
        repo.git("config", key, value)
    assert changes(repo) == before


def test_large_files_are_no_text(repo):
    repo.having({"big": "x" * (2 << 20), "small": "y\n"})
    (found,) = changes(repo)
    assert [hunk.path for hunk in found.hunks] == [b"small"]


@pytest.mark.parametrize("gone", [1, 2])
def test_a_commit_that_git_fails_at_stops_no_other(repo, gone):
    for number in range(4):
        repo.having({"a.txt": f"the content number {number}\n"})
    oid = repo.rev(f"HEAD~{gone}:a.txt")
    (repo.git_dir / "objects" / oid[:2] / oid[2:]).unlink()
    found = changes(repo)
    # one that adds the blob, and one that replaces it
    assert [one.absent for one in found] == [i in (gone - 1, gone) for i in range(4)]
    assert all(one.hunks for one in found if not one.absent)


def test_of_a_clone_without_contents_nothing_is_asked_for_ever(repo):
    for number in range(30):
        repo.having({"a.txt": f"the content number {number}\n"})
    for number in range(30):
        oid = repo.rev(f"HEAD~{number}:a.txt")
        (repo.git_dir / "objects" / oid[:2] / oid[2:]).unlink()
    assert all(one.absent for one in changes(repo))


def test_whole_commits_of_a_partial_clone_have_their_changes_behind_many_others(repo, tmp_path):
    for number in range(20):
        repo.having({"a.txt": f"the content number {number}\n"})
    repo.having({"b.txt": "new\n"})
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none")
    repo.having({"c.txt": "newer\n"})
    clone.git("pull", "-q")
    found = changes(clone)
    assert len(found) == 22
    assert {path for one in found if not one.absent for path, _ in one.paths} == {
        b"b.txt",
        b"c.txt",
    }


def test_a_damaged_commit_of_a_partial_clone_stops_no_other(repo, tmp_path):
    for number in range(20):
        repo.having({"a.txt": f"the content number {number}\n"})
    repo.git("config", "remote.origin.promisor", "true")
    pairs = [("0" * 39 + "1", ""), (repo.rev(), repo.rev("HEAD~1"))]
    pairs += [(repo.rev(f"HEAD~{n}"), repo.rev(f"HEAD~{n + 1}")) for n in range(1, 18)]
    found = list(read_changes(open_repo(repo.path), pairs, LARGE))
    assert [one.absent for one in found] == [True, *[False] * 18]
