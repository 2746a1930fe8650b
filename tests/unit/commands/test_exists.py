"""`exists` answers as `git grep -w -F` does, whatever kind of file a word stands in."""

import json
import os
import random

import pytest

from gitsearch.commands.exists import exists
from gitsearch.commands.gc import collect
from gitsearch.commands.verify import verify
from gitsearch.errors import UsageError
from gitsearch.git import word_grep
from gitsearch.index import word_filter
from gitsearch.store import cache_files
from tests.unit.commands.asked import indexed, session

WORDS = [
    *("alpha", "Alpha", "alphaBeta", "beta", "alpha_beta", "gamma", "nowhere", "e9", "_x", "x"),
    *(
        "in_binary",
        "in_lock",
        "in_link",
        "in_large",
        "in_vendor",
        "in_latin",
        "x" * 200,
        "y" * 200,
    ),
    *(
        "naïve",
        "na",
        "ve",
        "日本",
        "本",
        "日",
        "語",
        "café",
        "->",
        "alpha beta",
        "a.b",
        ".b",
        "b.",
    ),
    *("beta-gamma", "-gamma", "--", "a", "(", "\\", "[x]", "x" * 129, "in_latin\udce9"),
]


@pytest.fixture
def mixed(repo):
    """Files of all kinds that a search skips, and words at their edges."""
    repo.write("a.py", "alphaBeta = alpha_beta(beta-gamma)  # naïve 日本語\n")
    repo.write("b.txt", "x.a.b. e9 alpha beta\n_x -> y\n[x]\n" + "x" * 200 + "\n")
    repo.write("c.bin", b"\0\0 in_binary\0")
    repo.write("package-lock.json", '{"in_lock": 1}\n')
    repo.write("large.txt", "in_large\n" + "z " * (1 << 20))
    repo.write("vendor/v.js", "in_vendor\n")
    repo.write(".gitattributes", "vendor/* linguist-vendored\n")
    repo.write("latin.txt", b"in_latin\xe9 caf\xe9\n")
    repo.write("no space.txt", "")
    repo.symlink("link", "in_link")
    repo.commit()
    return repo


def asked(repo, *words, at=None, **options):
    return exists(session(repo.path), words, at, **options)


def found(repo, *words, **options):
    return [word.exists for word in asked(repo, *words, **options).words]


def by_git(repo, word, *what):
    done = repo.run("grep", "-q", "-w", "-F", "-e", word, *what, check=False)
    assert done.returncode in (0, 1)
    return done.returncode == 0


def filters(repo):
    return sorted((repo.index_dir / "views").glob("*.bloom"))


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["filter", "search"])
def test_git_grep_agrees(mixed, monkeypatch, kept):
    if not kept:
        monkeypatch.setattr(word_filter, "word_filter_of", lambda *_: None)
    assert found(mixed, *WORDS) == [by_git(mixed, word, "HEAD") for word in WORDS]
    assert len(filters(mixed)) == kept


@pytest.mark.slow
def test_git_grep_agrees_about_random_texts(repo):
    draw = random.Random(5)
    letters = ["a", "b", "_", "1", " ", ".", "-", "\n", "é", "日"]
    texts = ["".join(draw.choices(letters, k=12)) for _ in range(8)]
    for number, text in enumerate(texts):
        repo.write(f"{number}.txt", text)
    repo.commit()
    drawn = {"".join(draw.choices(letters, k=draw.randint(1, 3))) for _ in range(300)}
    words = sorted(word for word in drawn if "\n" not in word)
    assert found(repo, *words) == [by_git(repo, word, "HEAD") for word in words]


def test_a_place_is_shown(mixed):
    report = asked(mixed, "_x", "in_binary", "nowhere", "beta alpha")
    assert [(one.path, one.line, one.proof) for one in report.words] == [
        ("b.txt", 2, "search"),
        ("c.bin", None, "search"),
        (None, None, "filter"),
        (None, None, "search"),
    ]
    assert report.unseen == {}
    assert report.coverage.tracked == 10


def test_quick_looks_nowhere_and_says_so(mixed, monkeypatch):
    asked(mixed, "alpha")
    for name in ("in_tree", "in_blobs", "in_worktree"):
        monkeypatch.setattr(word_grep, name, lambda *_: pytest.fail("searched"))
    report = asked(mixed, "alpha", "nowhere", "in_binary", quick=True)
    assert [(one.exists, one.proof, one.path) for one in report.words] == [
        (True, "none", None),
        (False, "none", None),
        (False, "none", None),
    ]
    assert report.unseen == {"binary": 1}
    assert asked(mixed, "alpha", quick=True).unseen == {}


def test_quick_is_a_proof_where_every_file_is_text(repo):
    repo.write("a.txt", "alpha\n")
    repo.commit()
    report = asked(repo, "nowhere", quick=True)
    assert (report.words[0].exists, report.words[0].proof, report.unseen) == (False, "filter", {})


def test_edits_are_looked_at_in_place_of_what_they_replace(mixed):
    assert found(mixed, "gamma", "fresh", "in_vendor") == [True, False, True]
    mixed.replace("a.py", "gamma", "fresh")
    mixed.remove("vendor/v.js")
    mixed.write("untracked.txt", "in_untracked")
    assert found(mixed, "gamma", "fresh", "in_vendor", "in_untracked") == [
        False,
        True,
        False,
        False,
    ]
    report = asked(mixed, "fresh")
    assert (report.words[0].path, report.words[0].line, report.tree.dirty) == ("a.py", 1, 2)
    assert found(mixed, "gamma", "fresh", "in_vendor", at="HEAD") == [True, False, True]
    assert len(filters(mixed)) == 1


@pytest.mark.slow
def test_what_is_staged_is_another_tree(mixed):
    mixed.replace("a.py", "gamma", "staged")
    mixed.write("big.txt", "big_and_staged\n" + "z " * (1 << 20))
    mixed.git("add", "-A")
    mixed.replace("a.py", "staged", "edited")
    mixed.replace("big.txt", "big_and_staged", "big_and_edited")
    words = ("gamma", "staged", "edited", "big_and_staged", "big_and_edited")
    assert found(mixed, *words, cached=True) == [False, True, False, True, False]
    assert found(mixed, *words) == [False, False, True, False, True]
    assert [by_git(mixed, word, "--cached") for word in words] == found(mixed, *words, cached=True)
    assert [by_git(mixed, word) for word in words] == found(mixed, *words)
    assert asked(mixed, "nowhere", quick=True).unseen == {"binary": 1, "too-large": 1}


def test_a_tree_that_differs_little_uses_the_filter_of_another(mixed, monkeypatch):
    found(mixed, "alpha")
    mixed.replace("a.py", "gamma", "later")
    mixed.remove("b.txt")
    mixed.write("d.bin", b"\0 in_new_binary\0")
    mixed.commit()
    monkeypatch.setattr(word_filter, "_made", lambda *_: pytest.fail("made anew"))
    words = ("later", "gamma", "in_new_binary", "in_binary", "e9", "alpha_beta", "nowhere")
    assert found(mixed, *words) == [by_git(mixed, word, "HEAD") for word in words]
    assert asked(mixed, "later").words[0].path == "a.py"


@pytest.mark.slow
def test_a_tree_that_differs_much_gets_its_own(mixed):
    found(mixed, "alpha")
    for number in range(300):
        mixed.write(f"many/{number}.txt", f"word{number}\n")
    mixed.commit()
    assert found(mixed, "word7", "nowhere") == [True, False]
    assert len(filters(mixed)) == 2
    assert found(mixed, "word7", at="HEAD~1") == [False]


@pytest.mark.slow
def test_only_a_few_are_kept(repo, monkeypatch):
    monkeypatch.setattr(word_filter, "_near", lambda *_: None)
    for number in range(cache_files.MOST + 2):
        repo.write("a.txt", f"word{number}\n")
        repo.commit()
        assert found(repo, f"word{number}", "nowhere") == [True, False]
    assert len(filters(repo)) == cache_files.MOST


@pytest.mark.parametrize("harm", ["truncate", "flip", "folder", "empty", "version", "gone"])
@pytest.mark.long
def test_one_that_is_bad_is_made_anew(mixed, monkeypatch, harm):
    right = found(mixed, *WORDS)
    (path,) = filters(mixed)
    data = bytearray(path.read_bytes())
    data[-100] ^= 0xFF
    if harm == "version":
        monkeypatch.setattr(word_filter, "WORDS_VERSION", 99)
    else:
        path.unlink()
    if harm == "folder":
        path.mkdir()
    elif harm in ("truncate", "flip", "empty"):
        path.write_bytes({"truncate": data[:999], "flip": data, "empty": b""}[harm])
    problems = [name for name, _ in verify(session(mixed.path)).problems]
    assert problems == ([] if harm == "gone" else [f"views/{path.name}"])
    assert found(mixed, *WORDS) == right
    if harm != "folder":
        assert verify(session(mixed.path)).problems == ()
        assert len(filters(mixed)) == 1


@pytest.mark.slow
def test_gc_keeps_the_filter_of_what_is_checked_out(repo, monkeypatch):
    monkeypatch.setattr(word_filter, "_near", lambda *_: None)
    for number in range(2):
        repo.write("a.txt", f"word{number}\n")
        repo.commit()
        found(repo, "alpha")
    indexed(repo)
    assert len(filters(repo)) == 2
    collect(session(repo.path))
    (kept,) = filters(repo)
    assert kept.name.startswith(repo.rev("HEAD^{tree}"))
    assert found(repo, "word1", "word0") == [True, False]


def test_a_commit_not_made_yet_has_only_what_is_staged(repo):
    assert found(repo, "alpha") == [False]
    repo.write("a.txt", "alpha\n")
    repo.git("add", "-A")
    assert found(repo, "alpha", "beta") == [True, False]
    assert filters(repo) == []


@pytest.mark.slow
def test_absent_blobs_are_counted_and_found_once_they_are_here(mixed, tmp_path):
    clone = mixed.clone(tmp_path / "clone", "--filter=blob:limit=1k", "--no-checkout")
    report = asked(clone, "in_large", "alpha", "nowhere", at="HEAD")
    assert [word.exists for word in report.words] == [False, True, False]
    assert report.unseen == {"absent": 1}
    quick = asked(clone, "nowhere", at="HEAD", quick=True)
    assert (quick.words[0].proof, quick.unseen) == ("none", {"absent": 1, "binary": 1})
    assert "not in this clone" in report.warnings[0]
    clone.git("cat-file", "-t", "HEAD:large.txt")
    assert found(clone, "in_large", "alpha", "nowhere", at="HEAD") == [True, True, False]


def test_where_nothing_can_be_kept_the_text_is_searched(mixed, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    report = asked(mixed, "alpha", "nowhere", quick=True)
    assert [(one.exists, one.proof) for one in report.words] == [
        (True, "search"),
        (False, "search"),
    ]
    assert filters(mixed) == []


@pytest.mark.parametrize("word", ["", "a\nb", "a\0b", "\ud800"])
def test_what_can_be_no_word_is_refused(mixed, word):
    with pytest.raises(UsageError):
        asked(mixed, "alpha", word)


def test_a_word_is_no_option_and_no_pattern(mixed):
    words = ["--open-files-in-pager=touch stray", "-O", "alpha.", "HEAD", "--"]
    assert found(mixed, *words) == [by_git(mixed, word, "HEAD") for word in words]
    assert not list(mixed.path.rglob("stray"))


def test_settings_of_grep_change_nothing(mixed):
    for key, value in (("patternType", "perl"), ("fullName", "false"), ("lineNumber", "true")):
        mixed.git("config", f"grep.{key}", value)
    assert asked(mixed, "e9").words[0].path == "b.txt"


@pytest.mark.slow
def test_a_name_that_is_no_utf8_and_a_bare_repository(repo, tmp_path):
    repo.write(b"caf\xe9\n.txt", "alpha\n")
    repo.commit()
    assert asked(repo, "alpha").words[0].path == "caf\udce9\n.txt"
    bare = repo.clone(tmp_path / "bare", "--bare")
    assert found(bare, "alpha", "nowhere") == [True, False]
    assert json.dumps(asked(bare, "alpha").unseen) == "{}"
