"""The lines of each side of a change: those that git diff shows, and no other."""

import os
import random
from itertools import chain, pairwise

import pytest

from gitsearch.errors import GitFailed
from gitsearch.git.line_changes import END, between_trees, since_tree
from gitsearch.git.repo import open_repo
from tests.builder import RepoBuilder

BEFORE = "first line\nsecond line\nthird line\n"


@pytest.fixture
def repo(repo):
    return repo.having({"a.txt": BEFORE})


def numbers(ranges):
    """The line numbers of each path; the ranges are in order, and no two touch or overlap."""
    for own in ranges.values():
        assert all(after > last for (_, last), (after, _) in pairwise(own))
    return {
        os.fsdecode(path): [line for first, last in own for line in range(first, last + 1)]
        for path, own in ranges.items()
    }


def edited(repo, base="HEAD", **options):
    return numbers(since_tree(open_repo(repo.path), repo.rev(f"{base}^{{tree}}"), **options))


def between(repo, old, new, **options):
    trees = (repo.rev(f"{side}^{{tree}}") for side in (old, new))
    return between_trees(open_repo(repo.path), *trees, **options)


def test_each_side_has_its_own_lines(repo):
    repo.write("a.txt", "a line between\nfirst line\nanother second line\n")
    assert edited(repo) == {"a.txt": [1, 3]}
    assert edited(repo, removed=True) == {"a.txt": [2, 3]}


def test_the_index_and_the_working_tree_are_two_things(repo):
    repo.append("a.txt", "staged\n")
    repo.git("add", "-A")
    repo.append("a.txt", "edited\n")
    assert edited(repo, cached=True) == {"a.txt": [4]}
    assert edited(repo) == {"a.txt": [4, 5]}
    repo.write("a.txt", BEFORE)
    assert edited(repo, cached=True) == {"a.txt": [4]}
    assert edited(repo) == {}


def test_a_file_that_is_to_be_added_counts_in_the_working_tree(repo):
    repo.write("new.txt", "one\n")
    repo.git("add", "-N", "new.txt")
    assert edited(repo) == {"new.txt": [1]}
    assert edited(repo, cached=True) == {}


def test_files_come_and_go(repo):
    repo.write("b/c.txt", "one\ntwo")
    repo.remove("a.txt")
    repo.commit()
    assert numbers(between(repo, "HEAD^", "HEAD")) == {"b/c.txt": [1, 2]}
    assert numbers(between(repo, "HEAD^", "HEAD", removed=True)) == {"a.txt": [1, 2, 3]}
    assert between(repo, "HEAD", "HEAD") == {}


def test_a_new_name_or_mode_changes_no_line(repo):
    repo.write("b.txt", BEFORE * 9)
    repo.commit()
    repo.rename("b.txt", "sub folder/c.txt")
    repo.append("sub folder/c.txt", "a new line\n")
    repo.rename("a.txt", "d.txt")
    repo.file("d.txt").chmod(0o755)
    repo.commit()
    assert numbers(between(repo, "HEAD^", "HEAD")) == {"sub folder/c.txt": [28]}
    assert between(repo, "HEAD^", "HEAD", removed=True) == {}
    assert numbers(between(repo, "HEAD", "HEAD^", removed=True)) == {"sub folder/c.txt": [28]}


def test_a_moved_or_indented_line_counts_on_both_sides(repo):
    repo.write("a.txt", "second line\nfirst line\n  third line\n")
    assert sum(map(len, edited(repo).values())) == 2
    assert sum(map(len, edited(repo, removed=True).values())) == 2


def test_line_endings_count_as_git_stores_them(repo):
    repo.write("a.txt", BEFORE.replace("\n", "\r\n"))
    assert edited(repo) == {"a.txt": [1, 2, 3]}
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")
    assert edited(repo) == {}
    repo.write("a.txt", (BEFORE + "fourth\n").replace("\n", "\r\n"))
    assert edited(repo) == {"a.txt": [4]}


def test_what_has_no_lines_has_none(repo):
    repo.write("image.png", b"\0\1\n\2\n")
    repo.symlink("link", "a.txt")
    repo.commit()
    repo.write("image.png", b"\0\1\n\3\n")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.rev()},module")
    # a file of which git compares no lines counts whole; this one is not searched
    assert since_tree(open_repo(repo.path), repo.rev("HEAD^{tree}")) == {b"image.png": [(1, END)]}


def test_a_text_that_is_to_be_compared_as_binary_counts_whole(repo):
    repo.write(".gitattributes", "*.txt -diff\n")
    repo.commit()
    repo.append("a.txt", "hidden from git diff\n")
    repo.rename("a.txt", "to b/to b/a.txt")
    repo.commit()
    assert between(repo, "HEAD^", "HEAD") == {b"to b/to b/a.txt": [(1, END)]}
    assert between(repo, "HEAD^", "HEAD", removed=True) == {b"a.txt": [(1, END)]}


@pytest.mark.parametrize("form", ["file", "link"])
def test_a_file_becomes_a_link_and_a_link_a_file(repo, form):
    repo.remove("a.txt")
    repo.symlink("a.txt", "elsewhere")
    repo.commit()
    ends = ("HEAD^", "HEAD") if form == "link" else ("HEAD", "HEAD^")
    assert numbers(between(repo, *ends)) == {"a.txt": [1] if form == "link" else [1, 2, 3]}


def test_a_conflict_is_compared_as_it_lies_in_the_working_tree(repo):
    repo.branch("other")
    repo.having({"a.txt": BEFORE.replace("second", "their")})
    repo.checkout("main")
    repo.having({"a.txt": BEFORE.replace("second", "our")})
    repo.run("merge", "other", check=False)
    assert edited(repo) == {"a.txt": [2, 4, 5, 6]}
    assert edited(repo, cached=True) == {}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.external", "false"),
        ("diff.algorithm", "patience"),
        ("diff.relative", "true"),
        ("diff.submodule", "log"),
        ("diff.wsErrorHighlight", "all"),
        ("color.ui", "always"),
        ("core.quotePath", "false"),
        ("diff.renames", "copies"),
        ("diff.suppressBlankEmpty", "true"),
    ],
)
def test_settings_change_nothing(repo, monkeypatch, key, value):
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=5")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    repo.git("config", key, value)
    repo.write("a.txt", "first line\n\nsecond line, changed\nthird line\n")
    repo.write("übung.txt", BEFORE)
    repo.git("add", "-A")
    assert edited(repo) == {"a.txt": [2, 3], "übung.txt": [1, 2, 3]}


def test_programs_of_attributes_do_not_run(repo):
    repo.git("config", "diff.odd.textconv", "rev <")
    repo.git("config", "diff.odd.command", "touch ran; false")
    repo.write(".gitattributes", "*.txt diff=odd\n")
    repo.commit()
    repo.append("a.txt", "fourth\n")
    assert edited(repo) == {"a.txt": [4]}
    assert not repo.file("ran").exists()


def test_a_partial_clone_says_what_it_lacks(repo, tmp_path):
    repo.append("a.txt", "a fourth line\n")
    repo.commit()
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none")
    with pytest.raises(GitFailed) as refusal:
        between(partial, "HEAD^", "HEAD")
    assert refusal.value.message == "this partial clone lacks files of the change"
    assert refusal.value.hint.startswith("`git diff --stat ")


def test_another_failure_has_the_message_of_git(repo):
    with pytest.raises(GitFailed, match="bad object"):
        between_trees(open_repo(repo.path), "1" * 40, repo.rev("HEAD^{tree}"))


# ---------------------------------------------------------------- any history

# Lines that could be taken for headers of a patch.
LINES = (
    *(
        b"",
        b" ",
        b"x",
        b"return x",
        b"- x",
        b"+ x",
        b"-- a/other",
        b"++ b/other",
        b"\\ No newline",
    ),
    *(
        b"@@ -1,9 +1,9 @@",
        b"diff --git a/x b/x",
        b"rename to x",
        b"Binary files a/x and b/x differ",
    ),
    *(b"--- a/other", b"+++ b/other", b"caf\xe9", b"word\r", b"index 123..456 100644"),
)
PATHS = ("a b.txt", 'quo"te.txt', "tab\tbed.txt", "new\nline.txt", b"\xff.txt", "ü b/ü.txt")


def randomly_edited(repo, chance):
    """Edit, add, delete and rename some files."""
    for path in PATHS:
        file = repo.file(path)
        if chance.random() < 0.3:
            continue
        if not file.exists():
            lines = chance.choices(LINES, k=chance.randrange(30))
        elif chance.random() < 0.2:
            file.unlink()
            continue
        else:
            lines = file.read_bytes().split(b"\n")
            for _ in range(chance.randrange(6)):
                place = chance.randrange(len(lines) + 1)
                lines[place : place + chance.randrange(4)] = chance.choices(
                    LINES, k=chance.randrange(4)
                )
        if chance.random() < 0.2:
            file.unlink(missing_ok=True)
            path = f"moved {chance.randrange(3)}/{chance.randrange(3)}.txt"
        repo.write(path, b"\n".join(lines))


def lines_of(repo, tree, path):
    """The lines of a file as git counts them."""
    data = repo.run("cat-file", "blob", b"%s:%s" % (tree.encode(), path)).stdout
    return data.removesuffix(b"\n").split(b"\n") if data else []


def sides_of(repo, old, new):
    """The two paths of each changed file that is on both sides."""
    out = repo.run("diff-tree", "-r", "-z", "--name-status", "-M50%", "-l1000", old, new).stdout
    fields = iter(out.split(b"\0")[:-1])
    for status in fields:
        path = next(fields)
        if status.startswith(b"R"):
            yield path, next(fields)
        elif status == b"M":
            yield path, path


def shown_whole(repo, old, new):
    """Numbers of the added and removed lines, counted in patches that show whole files."""
    options = ("-r", "-M50%", "-l1000", "--no-prefix", "-U9999", "--no-color", "--line-prefix=|")
    added, removed = [], []
    before = after = 0
    for line in repo.run("diff-tree", "-p", *options, old, new).stdout.split(b"\n|"):
        sign = line.removeprefix(b"|")[:1]
        if line.removeprefix(b"|").startswith(b"diff --git "):
            before = after = -1
        elif sign == b"@" and before < 0:
            before = after = 0
        elif before >= 0 and sign in b" +-":
            before += sign != b"+"
            after += sign != b"-"
            added += [after] if sign == b"+" else []
            removed += [before] if sign == b"-" else []
    return sorted(added), sorted(removed)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_both_sides_is_the_same(repo: RepoBuilder, seed):
    chance = random.Random(seed)
    commits = [repo.rev("HEAD^{tree}")]
    for _ in range(5):
        randomly_edited(repo, chance)
        repo.commit()
        commits.append(repo.rev("HEAD^{tree}"))
    for old, new in [*pairwise(commits), (commits[0], commits[-1]), (commits[-1], commits[1])]:
        opened = open_repo(repo.path)
        added = between_trees(opened, old, new)
        removed = between_trees(opened, old, new, removed=True)
        for before, after in sides_of(repo, old, new):
            kept = [
                [
                    line
                    for number, line in enumerate(lines_of(repo, tree, path), 1)
                    if not any(first <= number <= last for first, last in ranges.get(path, ()))
                ]
                for tree, path, ranges in ((old, before, removed), (new, after, added))
            ]
            assert kept[0] == kept[1], (before, after)
        found = [sorted(chain(*numbers(ranges).values())) for ranges in (added, removed)]
        assert found == list(shown_whole(repo, old, new))
