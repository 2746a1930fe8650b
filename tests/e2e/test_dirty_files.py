"""Edited files rank and score as they would if they were committed as git would store them."""

import pytest

from tests.comparing import (
    EDITED,
    OF_THE_TREE,
    asked,
    assert_as_committed,
    build_small,
    copied,
    differences,
)
from tests.sample import LFS_POINTER, RETRY
from tests.unit.commands.asked import answers, fresh_answers

RULES = """\
*.crlf.py text eol=crlf
*.utf16.py text working-tree-encoding=UTF-16
*.quiet.py filter=quiet
*.id.py ident
*.bin filter=lfs diff=lfs merge=lfs -text
"""


def on_windows(text):
    return text.replace("\n", "\r\n").encode()


def with_noise(text):
    return text.replace("\n", "\n# LOUD a failed request\n").encode()


def with_an_id(text):
    return text.replace('"""', '"""$Id: a failed request $ ', 1).encode()


# What an editor on Windows, one that writes UTF-16 and two filters make of a text.
WRITTEN = {
    "service/retry.crlf.py": on_windows,
    "service/retry.utf16.py": lambda text: text.encode("utf-16"),
    "service/retry.quiet.py": with_noise,
    "service/retry.id.py": with_an_id,
}
# Git LFS as far as git knows it: a program that makes a pointer of a file, and says that it ran.
LFS = f"""\
#!/bin/sh
echo ran >>"$0.said"
cat >/dev/null
cat <<'end'
{LFS_POINTER}end
"""


@pytest.fixture(scope="module")
def template(installed, isolation, tmp_path_factory):
    """A small repository whose rules convert some files, with the index of its main branch."""
    repo = build_small(tmp_path_factory.mktemp("small") / "small")
    repo.git("config", "filter.quiet.clean", "grep -v LOUD")
    repo.write(".gitattributes", RULES)
    for path, written in WRITTEN.items():
        repo.write(path, written(RETRY.render("python")))
    repo.commit("converted files")
    assert "LOUD" not in repo.git("show", "HEAD:service/retry.quiet.py")
    assert installed.run("index", "-q", cwd=repo.path).returncode == 0
    return repo


def edited():
    text = RETRY.render("python")
    return text.replace("compute_delay", "compute_hasty_delay").replace("1.5", "0.75")


# ---------------------------------------------------------------- what git would store


def test_converted_files_count_as_git_would_store_them(installed, small):
    for path, written in WRITTEN.items():
        small.write(path, written(edited()))
    found = assert_as_committed(installed, small)
    assert found[0]["tree"]["dirty"] == len(WRITTEN)
    shown = {one["path"]: one["text"] for one in found[1]["results"]}
    assert {*WRITTEN} <= {*shown}
    assert not any("LOUD" in text or "\r" in text for text in shown.values())


@pytest.mark.long
def test_files_of_autocrlf_count_as_git_would_store_them(installed, small):
    small.git("config", "core.autocrlf", "true")
    small.write(EDITED, edited().replace("\n", "\r\n"))
    small.write("service/windows.py", edited().replace("\n", "\r\n"))
    small.git("add", "-N", "service/windows.py")
    found = assert_as_committed(installed, small)
    assert found[0]["tree"]["dirty"] == 2


def test_a_file_that_only_looks_edited_is_not(installed, small):
    before = asked(installed, small)
    small.git("config", "core.autocrlf", "true")
    for path in (EDITED, "docs/retry-policy.md"):
        text = small.file(path).read_bytes()
        small.write(path, text.replace(b"\n", b"\r\n"))
    small.file("part/step_1.py").touch()
    small.file("part/step_2.py").chmod(0o755)
    assert small.git("status", "--porcelain").count("\n") >= 2
    assert differences(asked(installed, small), before) == []


@pytest.mark.long
def test_a_file_of_git_lfs_is_its_pointer_and_no_program_runs(installed, small):
    program = small.path.with_name("lfs")
    program.write_text(LFS, encoding="utf-8")
    program.chmod(0o755)
    small.git("config", "filter.lfs.clean", str(program))
    small.git("config", "filter.lfs.required", "true")
    small.write("service/model.bin", "compute_delay\n" * 50)
    small.git("add", "service/model.bin")
    small.write("service/model.bin", "compute_delay before a failed request\n" * 60)
    said = program.with_name("lfs.said")
    said.unlink()
    found = asked(installed, small)
    assert not said.exists()
    assert found[0]["coverage"]["skipped"]["lfs"] == 1
    assert_as_committed(installed, small)


# ---------------------------------------------------------------- entries of every kind


@pytest.mark.long
def test_all_files_edited_at_once(installed, small):
    for path in small.git("ls-files", "part", "docs", "web", "tests").splitlines():
        small.append(path, "\n# a failed request\n")
    small.write(EDITED, edited())
    assert_as_committed(installed, small)


@pytest.mark.long
def test_a_conflict_counts_as_it_lies_there(installed, small):
    small.replace(EDITED, "1.5", "9.75")
    small.replace("service/page_cache.py", "def ", "def cached_")
    small.commit()
    assert small.run("merge", "side", check=False).returncode != 0
    assert "<<<<<<<" in small.file(EDITED).read_text(encoding="utf-8")
    found = assert_as_committed(installed, small)
    assert any("<<<<<<<" in one["text"] for one in found[0]["results"])
    # one side deletes what the other edits
    small.git("reset", "-q", "--hard")
    small.git("rm", "-q", EDITED)
    small.commit()
    assert small.run("merge", "-s", "resolve", "side", check=False).returncode != 0
    assert small.git("ls-files", "-u", EDITED)
    assert_as_committed(installed, small)


def test_what_is_only_intended_to_be_added_counts(installed, small):
    small.write("service/intended.py", edited())
    small.git("add", "-N", "service/intended.py")
    found = assert_as_committed(installed, small)
    assert "service/intended.py" in {one["path"] for one in found[1]["results"]}
    # in the index it is still nothing
    staged = asked(installed, small, "--cached")
    assert "service/intended.py" not in {one["path"] for one in staged[1]["results"]}


@pytest.mark.long
def test_a_move_that_git_was_not_told_of(installed, small):
    small.rename(EDITED, "service/moved.py")
    found = assert_as_committed(installed, small)
    paths = {one["path"] for one in found[1]["results"]}
    assert not paths & {EDITED, "service/moved.py"}
    assert_as_committed(installed, small, ("-A",), "--untracked")


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
@pytest.mark.long
def test_what_git_was_told_to_overlook_is_as_in_head(installed, small, bit):
    before = asked(installed, small)
    small.git("update-index", bit, EDITED, "docs/retry-policy.md")
    small.write(EDITED, edited())
    small.remove("docs/retry-policy.md")
    assert differences(asked(installed, small), before) == []
    # git says more of it as soon as it is told to look
    small.git("update-index", bit.replace("--", "--no-"), EDITED, "docs/retry-policy.md")
    assert asked(installed, small)[0]["tree"]["dirty"] == 2


@pytest.mark.slow
def test_index_working_tree_and_head_are_three_answers(installed, small):
    small.write(EDITED, edited())
    small.git("add", EDITED)
    small.append(EDITED, "\n\ndef compute_third_delay():\n    return 3\n")
    three = [asked(installed, small, *how) for how in ((), ("--cached",), ("--at", "HEAD"))]
    assert_as_committed(installed, small)
    copy = copied(small, index=False)
    copy.commit_staged()
    assert differences(three[1], asked(installed, copy, "--at", "HEAD"), *OF_THE_TREE) == []
    copy.git("reset", "-q", "--hard", "HEAD~1")
    assert differences(three[2], asked(installed, copy, "--at", "HEAD"), *OF_THE_TREE) == []
    names = ["compute_third_delay", "compute_hasty_delay"]
    shown = ["".join(one["text"] for one in found[1]["results"]) for found in three]
    assert [[name in text for name in names] for text in shown] == [
        [True, True],
        [False, True],
        [False, False],
    ]


# ---------------------------------------------------------------- rules, and what lies below


@pytest.mark.long
def test_a_first_file_of_rules_reaches_files_that_did_not_change(repo):
    repo.write("a.py", RETRY.render("python"))
    repo.write("b.py", edited())
    repo.commit()
    before = answers(repo)
    repo.write(".gitattributes", "b.py -search\n")
    repo.git("add", ".gitattributes")
    for cached in (False, True):
        found = answers(repo, cached=cached)
        assert "b.py" in {one.path for one in before[0]}
        assert "b.py" not in {one.path for one in found[0]}
    dirty = answers(repo)
    repo.commit_staged()
    assert answers(repo) == dirty


@pytest.mark.long
def test_edits_are_laid_over_a_view_that_was_made_anew_in_another_way(repo):
    for number in range(9):
        repo.write(f"m{number}.py", f"def retry_{number}():\n    return {number}\n")
    repo.commit()
    first = answers(repo)
    repo.write("a.py", RETRY.render("python"))
    repo.commit()
    # now the view is a delta over that of the first commit
    repo.append("m3.py", "\n\ndef retry_of_the_edit():\n    return 3\n")
    right = answers(repo)
    assert right != first
    for path in (*repo.index_dir.glob("views/*.view"), repo.index_dir / "seal"):
        path.unlink()
    # and now it stands alone, its files in other rows
    assert answers(repo) == right == fresh_answers(repo)
