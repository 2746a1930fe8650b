"""The commit of each line."""

import pytest

from gitsearch.errors import GitFailed, UsageError
from gitsearch.git.blame import shallow_commits, start_blame
from gitsearch.git.repo import open_repo

ALPHABET = "".join(f"the line of the letter {letter}\n" for letter in "abcdefghij")


def blamed(repo, path=b"a.txt", **options):
    return start_blame(open_repo(repo.path), path, **options).result()


def test_each_line_has_the_commit_that_wrote_it(repo):
    repo.write("a.txt", "one\ntwo\nthree\n")
    first = repo.commit()
    repo.write("a.txt", "one\n2\nthree\n")
    second = repo.commit()
    assert blamed(repo).commits == (first, second, first)
    assert blamed(repo, lines=[(1, 1), (3, 3)]).commits == (first, first)
    assert blamed(repo, rev=first).commits == (first,) * 3


def test_white_space_alone_writes_nothing(repo):
    repo.write("a.txt", "if x:\nreturn\n")
    first = repo.commit()
    repo.write("a.txt", "if x:\n    return\n")
    repo.commit()
    assert blamed(repo).commits == (first, first)


def test_lines_that_were_moved_to_another_file_have_the_commit_that_wrote_them(repo):
    repo.write("old.txt", ALPHABET)
    first = repo.commit()
    repo.write("old.txt", "")
    repo.write("a.txt", ALPHABET)
    second = repo.commit()
    found = blamed(repo)
    assert (set(found.commits), found.origins) == ({first}, {first: b"old.txt"})
    assert set(blamed(repo, followed=False).commits) == {second}


@pytest.mark.parametrize("quoting", ["true", "false"])
@pytest.mark.parametrize("name", ["pl/café.py", 'a\t"b".py', "back\\slash.py", "two\nlines.py"])
def test_the_file_of_a_line_is_named_as_it_is(repo, name, quoting):
    repo.git("config", "core.quotePath", quoting)
    repo.write(name, "one\n")
    first = repo.commit()
    assert blamed(repo, name.encode()).origins == {first: name.encode()}


def test_lines_that_are_not_committed_have_no_commit(repo):
    repo.write("a.txt", "one\n")
    first = repo.commit()
    repo.append("a.txt", "two\n")
    assert blamed(repo).commits == (first, "")
    assert blamed(repo, rev="HEAD").commits == (first,)


def test_ignored_commits_are_passed_over_and_their_lines_counted(repo):
    repo.write("a.txt", "one and one\ntwo and two\n")
    first = repo.commit()
    repo.write("a.txt", "one and 1\ntwo and two\n")
    second = repo.commit()
    repo.write("ignored", f"{second}\n")
    repo.git("config", "blame.ignoreRevsFile", "ignored")
    found = blamed(repo, ignoring=True)
    assert (found.commits, found.passed_over) == ((first, first), 1)


def test_a_list_of_ignored_commits_that_is_not_there_is_refused_as_by_git(repo):
    repo.having({"a.txt": "one\n"})
    repo.git("config", "blame.ignoreRevsFile", "absent")
    with pytest.raises(UsageError, match=r"blame\.ignoreRevsFile: 'absent' is no list"):
        blamed(repo, ignoring=True)


def test_no_filter_of_the_configuration_is_run(repo):
    repo.write("a.txt", "one\n")
    repo.write(".gitattributes", "*.txt diff=loud\n")
    first = repo.commit()
    repo.git("config", "diff.loud.textconv", "touch ran; cat")
    assert blamed(repo).commits == (first,)
    assert not repo.file("ran").exists()


def test_text_that_looks_like_a_header_is_text(repo):
    repo.write("a.txt", f"{'a' * 40} 1 1 1\nfilename b\n")
    first = repo.commit()
    assert blamed(repo).origins == {first: b"a.txt"}
    assert len(blamed(repo).commits) == 2


def test_lines_that_are_not_there_are_an_error(repo):
    repo.write("a.txt", "one\n")
    repo.commit()
    with pytest.raises(GitFailed, match="has only 1 line"):
        blamed(repo, lines=[(5, 6)])


def test_a_shallow_clone_says_where_it_ends(repo, tmp_path):
    for number in range(3):
        repo.write("a.txt", f"{number}\n")
        repo.commit()
    assert shallow_commits(open_repo(repo.path)) == frozenset()
    repo.git("clone", "-q", "--depth=2", f"file://{repo.path}", str(tmp_path / "clone"))
    assert shallow_commits(open_repo(tmp_path / "clone")) == {repo.rev("HEAD~1")}


def test_a_file_that_a_sparse_checkout_leaves_out_is_as_in_head(repo):
    commit = repo.having({"a/x.py": "x\n", "b/y.py": "y\n"}).rev()
    repo.git("sparse-checkout", "set", "a")
    assert blamed(repo, b"b/y.py").commits == (commit,)
