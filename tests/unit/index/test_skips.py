"""Every file that is not searched has a reason, and the counts add up."""

from typing import Any

import pytest

from gitsearch.commands.define import define
from gitsearch.commands.outline import outline
from gitsearch.commands.status import status
from tests.builder import RepoBuilder
from tests.sample import LFS_POINTER, PNG, lock_file, minified
from tests.unit.commands.asked import indexed, searched, session

TEXT = "def kept_words():\n    return 1\n"


def reasons(repo):
    """Why which file is skipped."""
    report = status(session(repo.path))
    covered = report.coverage
    assert covered.tracked == covered.searchable + sum(covered.skipped.values()) + covered.pending
    counted: dict[str, int] = {}
    for _, reason in report.skipped:
        counted[reason] = counted.get(reason, 0) + 1
    assert counted == {reason: count for reason, count in covered.skipped.items() if count}
    return dict(report.skipped)


def found(repo, text="kept_words", **options):
    return {
        one.path for one in searched(repo, text, mode="lexical", max_count=100, **options).results
    }


def test_the_current_has_a_file_for_most_reasons(current):
    assert reasons(current) == {
        "data/model.bin": "lfs",
        "docs/latest": "symlink",
        "internal/depot/depot.pb.go": "generated",
        "poetry.lock": "generated",
        "private/notes.md": "excluded",
        "vendor/left/pad.js": "vendored",
        "web/dist/bundle.min.js": "generated",
        "web/logo.png": "binary",
    }


FILES: dict[str, tuple[Any, str | None]] = {
    "text.py": (TEXT, None),
    "empty.py": ("", None),
    "blank.py": ("\n\n", None),
    "latin.py": (b"kept_words = '\xe9'\n", None),
    "crlf.py": (TEXT.replace("\n", "\r\n"), None),
    "no-newline.py": (TEXT.rstrip(), None),
    "picture.png": (PNG, "binary"),
    "late-nul.bin": (b"kept_words " * 500 + b"\0", "binary"),
    "pointer.bin": (LFS_POINTER, "lfs"),
    "package-lock.json": ('{"kept_words": 1}\n', "generated"),
    "poetry.lock": (lock_file(), "generated"),
    "app.min.js": ("kept_words\n", "generated"),
    "one-line.js": (minified(), "generated"),
    "one-line.json": ('{"kept_words": "' + "x" * 9000 + '"}', "generated"),
    "one-line.txt": ("kept_words " * 1000, None),
    "huge.txt": ("kept_words\n" * 100_000, "too-large"),
    "just.txt": ("kept_words".ljust(63) + "\n" + ("other".ljust(63) + "\n") * 16383, None),
    "over.txt": (("kept_words".ljust(63) + "\n") * (1 << 14) + "x", "too-large"),
}  # fmt: skip


@pytest.fixture(scope="module")
def odd_template(tmp_path_factory, isolation):
    repo = RepoBuilder(tmp_path_factory.mktemp("odd") / "odd")
    for name, (content, _) in FILES.items():
        repo.write(f"files/{name}", content)
    repo.symlink("files/link.py", "text.py")
    repo.symlink("files/out", "/etc/passwd")
    repo.symlink("files/broken", "nowhere")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},files/library")
    repo.git("add", "-A", "files", ":!files/library")
    repo.commit_staged()
    indexed(repo)
    return repo


@pytest.fixture(scope="module")
def odd_reasons(odd_template):
    return reasons(odd_template)


@pytest.mark.parametrize("name", FILES)
def test_a_content_is_searched_or_skipped_for_a_reason(odd_reasons, name):
    assert odd_reasons.get(f"files/{name}") == FILES[name][1]


def test_links_and_submodules_are_skipped_and_never_followed(odd_reasons):
    assert odd_reasons["files/link.py"] == "symlink"
    assert odd_reasons["files/out"] == "symlink"
    assert odd_reasons["files/broken"] == "symlink"
    assert odd_reasons["files/library"] == "submodule"


def test_what_is_skipped_is_not_found(odd_template, odd_reasons):
    assert found(odd_template, pathspecs=("files/just.txt",)) == {"files/just.txt"}
    paths = found(odd_template, pathspecs=(":!files/just.txt", ":!files/one-line.txt"))
    assert paths.isdisjoint(odd_reasons)
    assert {"files/text.py", "files/crlf.py", "files/latin.py"} <= paths


# ---------------------------------------------------------------- attributes


RULES = [
    ("-search", "a.py", "excluded"),
    ("search=false", "a.py", "excluded"),
    ("linguist-generated", "a.py", "generated"),
    ("linguist-generated=true", "a.py", "generated"),
    ("linguist-generated=false", "a.py", None),
    ("linguist-vendored", "a.py", "vendored"),
    ("linguist-vendored=true", "a.py", "vendored"),
    ("-linguist-vendored", "a.py", None),
    ("binary", "a.py", "binary"),
    ("-diff", "a.py", None),
    ("-text", "a.py", None),
    ("search", "a.py", None),
    ("search linguist-vendored linguist-generated", "a.py", None),
    ("search", "yarn.lock", None),
    ("search", "one.min.js", None),
    ("search", "one-line.js", None),
    ("-linguist-generated", "yarn.lock", None),
    ("-linguist-generated", "one-line.js", None),
    ("search", "picture.png", "binary"),
    ("search", "pointer.bin", "lfs"),
    ("!search", "a.py", None),
]


@pytest.fixture(scope="module")
def ruled_reasons(tmp_path_factory, isolation):
    """One folder a rule, each with its own file."""
    repo = RepoBuilder(tmp_path_factory.mktemp("ruled") / "ruled")
    contents: dict[str, Any] = {
        "picture.png": PNG,
        "pointer.bin": LFS_POINTER,
        "one-line.js": minified(),
    }
    for number, (rule, name, _) in enumerate(RULES):
        repo.write(f"{number}/{name}", contents.get(name, TEXT))
        repo.append(".gitattributes", f"/{number}/** {rule}\n")
    repo.commit()
    indexed(repo)
    return reasons(repo)


@pytest.mark.parametrize("number", range(len(RULES)), ids=[rule[0] for rule in RULES])
def test_an_attribute_decides(ruled_reasons, number):
    _, name, reason = RULES[number]
    assert ruled_reasons.get(f"{number}/{name}") == reason


def test_attributes_are_those_of_the_tree_that_is_asked(repo):
    repo.write("a.py", TEXT)
    repo.write(".gitattributes", "*.py -search\n")
    repo.commit("excluded")
    repo.write(".gitattributes", "# nothing\n")
    repo.commit("searched")
    assert found(repo) == {"a.py"}
    assert found(repo, at="HEAD~1") == set()
    assert found(repo, at="HEAD") == {"a.py"}
    repo.checkout("HEAD~1")
    assert found(repo, at="main") == {"a.py"}


def test_the_repositorys_own_rules_count_and_their_change_is_seen(repo):
    repo.write("a.py", TEXT)
    repo.commit()
    assert found(repo) == {"a.py"}
    repo.write(".git/info/attributes", "*.py -search\n")
    assert found(repo) == set()
    assert reasons(repo) == {"a.py": "excluded"}
    repo.write(".git/info/attributes", "")
    assert found(repo) == {"a.py"}


def test_a_line_of_a_generated_file_that_is_searched_can_be_outlined(repo):
    repo.write("one-line.js", minified(6000))
    repo.write(".gitattributes", "*.js search\n")
    repo.commit()
    assert found(repo, "f7") == {"one-line.js"}
    assert len(outline(session(repo.path), "one-line.js", None).symbols) > 100
    (line,) = define(session(repo.path), "f7", None).symbols
    assert (line.path, line.name) == ("one-line.js", "f7")


# ---------------------------------------------------------------- limits and absence


def test_the_largest_file_is_a_setting(repo):
    repo.write("small.txt", "kept_words\n")
    repo.write("large.txt", "kept_words\n" * 1000)
    repo.commit()
    assert found(repo) == {"small.txt", "large.txt"}
    repo.git("config", "search.maxFileSize", "1k")
    assert found(repo) == {"small.txt"}
    assert reasons(repo) == {"large.txt": "too-large"}
    repo.git("config", "--unset", "search.maxFileSize")
    assert found(repo) == {"small.txt", "large.txt"}


@pytest.mark.parametrize("dirty", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_edited_file_may_become_too_large(repo, dirty):
    repo.git("config", "search.maxFileSize", "1k")
    repo.write("a.txt", "kept_words\n")
    repo.commit()
    assert found(repo) == {"a.txt"}
    repo.write("a.txt", "kept_words\n" * 1000)
    if not dirty:
        repo.commit()
    assert found(repo) == set()
    if not dirty:
        indexed(repo)
    assert reasons(repo) == {"a.txt": "too-large"}


@pytest.mark.slow
def test_a_partial_clone_says_what_is_absent_and_finds_it_when_it_came(sample, tmp_path):
    clone = sample.clone(tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    clone.git("read-tree", "HEAD")
    indexed(clone, at="HEAD")
    report = searched(clone, "RetryPolicy", at="HEAD")
    assert report.results == ()
    assert report.coverage.searchable == 0
    assert report.coverage.skipped["absent"] > 40
    clone.git("checkout", "-q", "HEAD", "--", ".")
    after = searched(clone, "RetryPolicy", at="HEAD")
    assert after.coverage.skipped["absent"] == 0
    assert after.results == searched(sample, "RetryPolicy", at="HEAD").results


def test_a_lost_object_is_absent_and_the_rest_is_found(repo):
    repo.write("a.py", TEXT)
    repo.write("b.py", TEXT + "# more\n")
    repo.commit()
    oid = repo.rev("HEAD:b.py")
    lost = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    data = lost.read_bytes()
    lost.chmod(0o644)
    lost.unlink()
    assert found(repo, at="HEAD") == {"a.py"}
    assert searched(repo, "kept_words", at="HEAD").coverage.skipped["absent"] == 1
    lost.write_bytes(data)
    assert found(repo, at="HEAD") == {"a.py", "b.py"}
