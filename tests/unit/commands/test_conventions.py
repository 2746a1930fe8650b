"""`conventions` finds the rules of a repository in any tree, and those for a path."""

import pytest

from gitsearch.commands.conventions import conventions
from gitsearch.errors import BadPath
from tests.unit.commands.asked import session


@pytest.fixture
def ruled(repo):
    repo.write("CLAUDE.md", "# Claude\n\nRun the tests.\n")
    repo.symlink("AGENTS.md", "CLAUDE.md")
    repo.write(".github/CODEOWNERS", "* @all\n/web/ @web # theirs\n/web/free\n")
    repo.write("docs/CODEOWNERS", "* @nobody\n")
    repo.write(".editorconfig", "root = true\n")
    repo.write("web/AGENTS.md", "Web rules.\n")
    repo.write("web/.eslintrc.json", "{}\n")
    repo.write("web/src/a.js", "a\n")
    repo.write("web/src/CLAUDE.md", "Deep rules.\n")
    repo.write("web/free/a.js", "a\n")
    repo.write("pyproject.toml", "[tool.ruff]\nline-length = 99\n")
    repo.write("lib/pyproject.toml", "[project]\n")
    repo.write("lib/a.py", "a\n")
    repo.commit()
    return repo


def asked(repo, path=None, at=None, folder="", **options):
    return conventions(session(repo.path / folder), path, at, **options)


def paths(report):
    return [file.path for file in report.files]


def test_all_are_found_in_the_order_of_kinds(ruled):
    report = asked(ruled)
    assert [(file.path, file.kind, file.scope) for file in report.files] == [
        ("AGENTS.md", "agents", ""),
        ("CLAUDE.md", "agents", ""),
        ("web/AGENTS.md", "agents", "web/"),
        ("web/src/CLAUDE.md", "agents", "web/src/"),
        (".github/CODEOWNERS", "owners", ""),
        ("docs/CODEOWNERS", "owners", ""),
        ("pyproject.toml", "lint", ""),
        ("web/.eslintrc.json", "lint", "web/"),
        (".editorconfig", "editor", ""),
    ]
    assert (report.asked, report.owners) == (None, ())
    assert report.warnings == ("docs/CODEOWNERS does not count, for there is .github/CODEOWNERS",)
    assert not ruled.index_dir.exists()


def test_texts_are_read_and_links_are_not_followed(ruled):
    link, text, *_ = asked(ruled).files
    assert (link.link, link.text, link.prose) == ("CLAUDE.md", None, True)
    assert (text.link, text.text, text.size) == (None, "# Claude\n\nRun the tests.\n", 25)


def test_those_for_a_path_come_nearest_first_with_its_owners(ruled):
    report = asked(ruled, "web/src/a.js")
    assert paths(report)[:4] == [
        "web/src/CLAUDE.md",
        "web/AGENTS.md",
        "web/.eslintrc.json",
        "AGENTS.md",
    ]
    assert (report.asked, report.owners) == ("web/src/a.js", ("@web",))
    assert "web/AGENTS.md" not in paths(asked(ruled, "lib/a.py"))
    assert asked(ruled, "lib/a.py").owners == ("@all",)
    assert asked(ruled, "web/free/a.js").owners == ()


def test_a_path_may_be_a_folder_and_is_relative_to_the_current_one(ruled):
    assert paths(asked(ruled, "web"))[0] == "web/AGENTS.md"
    assert paths(asked(ruled, "web/src/"))[0] == "web/src/CLAUDE.md"
    assert paths(asked(ruled, "src", folder="web")) == paths(asked(ruled, "web/src"))
    assert paths(asked(ruled, "..", folder="web")) == paths(asked(ruled, "."))
    assert "web/AGENTS.md" not in paths(asked(ruled, "."))


@pytest.mark.parametrize("path", ["nowhere", "web/src/b.js", "../x", "/etc", "we"])
def test_a_path_that_is_not_there_is_refused(ruled, path):
    with pytest.raises(BadPath, match=r"no file or folder|outside the repository"):
        asked(ruled, path)


def test_edits_staged_files_and_other_revisions(ruled):
    ruled.write("CLAUDE.md", "Edited.\n")
    ruled.remove("web/AGENTS.md")
    ruled.write("GEMINI.md", "Staged.\n")
    ruled.git("add", "GEMINI.md")
    ruled.write("QWEN.md", "untracked\n")
    now, staged, before = asked(ruled), asked(ruled, cached=True), asked(ruled, at="HEAD")
    assert paths(now)[:4] == ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "web/src/CLAUDE.md"]
    assert now.files[1].text == "Edited.\n"
    assert "web/AGENTS.md" in paths(staged)
    assert (staged.files[1].text, staged.files[2].text) == (before.files[1].text, "Staged.\n")
    assert "GEMINI.md" not in paths(before)
    assert (now.tree.rev, staged.tree.rev, before.tree.rev) == ("HEAD", "index", "HEAD")


def test_a_file_that_is_too_large_is_named_and_not_read(repo):
    repo.write("CODEOWNERS", "* @all\n" + "#" * (4 << 20))
    repo.commit()
    report = asked(repo, ".")
    assert [(file.path, file.text, file.size) for file in report.files] == [
        ("CODEOWNERS", None, (4 << 20) + 7)
    ]
    assert report.warnings == ("CODEOWNERS is not read: it is too large, or not here",)
    assert asked(repo, "CODEOWNERS").owners == ()


def test_what_a_partial_clone_lacks_is_said(ruled, tmp_path):
    clone = ruled.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    report = asked(clone, at="HEAD")
    assert {file.text for file in report.files} == {None}
    assert "CLAUDE.md" in paths(report)
    assert report.warnings[-2:] == (
        ".github/CODEOWNERS is not read: it is too large, or not here",
        "2 files that may hold settings are not here",
    )


def test_a_repository_without_rules_or_commits(repo):
    assert asked(repo).files == ()
    repo.write("a.txt", "a\n")
    repo.git("add", "-A")
    assert asked(repo).files == ()
    repo.commit()
    assert asked(repo, "a.txt").files == ()


def test_bytes_that_are_no_text(repo, tmp_path):
    repo.write(b"caf\xe9/CLAUDE.md", b"caf\xe9\n")
    repo.commit()
    (file,) = asked(repo.clone(tmp_path / "bare", "--bare")).files
    assert (file.path, file.scope, file.text) == (
        "caf\udce9/CLAUDE.md",
        "caf\udce9/",
        "caf\ufffd\n",
    )
