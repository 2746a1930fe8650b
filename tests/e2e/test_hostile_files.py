"""Files that were made to hurt: skipped with a reason or searched by lines, never a crash."""

import os
import re

import pytest

from tests.terminal import Terminal

pytestmark = pytest.mark.long

ESCAPE = "\x1b"
ATTACK = (
    f"{ESCAPE}]0;owned\x07{ESCAPE}[2J{ESCAPE}[5mblink{ESCAPE}P+q544e{ESCAPE}\\"
    f"\x9b2J\r\b\x7f{ESCAPE}c"
)
# What we may send to a terminal: styles other than blinking, and wiping our own progress line.
ALLOWED = re.compile(rb"\x1b\[(?!5m)[0-9;]*m|\r\x1b\[K")


def on_a_terminal(installed, *words, cwd):
    """What `git search` writes to a terminal."""
    command = ("git", "-c", "core.pager=cat", "search", *words)
    terminal = Terminal(*command, cwd=cwd, env=installed.environment())
    assert terminal.finish() == 0, terminal.seen
    return terminal.seen


def controls(seen: bytes) -> set[bytes]:
    """Control characters beside colours and line ends."""
    plain = ALLOWED.sub(b"", seen).replace(b"\r\n", b"\n")
    text = plain.decode("utf-8", errors="replace")
    return {c.encode() for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160}


def skipped(installed, repo):
    document = installed.answer("retry", cwd=repo.path)
    coverage = document["coverage"]
    counted = coverage["searchable"] + sum(coverage["skipped"].values()) + coverage["pending"]
    assert counted == coverage["tracked"]
    return coverage["skipped"]


def test_escapes_in_text_and_names_never_reach_a_terminal(installed, repo):
    repo.write("plain.py", f'"""A harmless needle."""\n\nTEXT = "needle {ATTACK}"\n')
    repo.write(f"dir{ATTACK.replace('/', '')}/needle.py", "needle = 1\n")
    repo.write("names.py", f"def needle{ESCAPE}[31m():\n    return 1\n")
    repo.commit("attack")
    seen = on_a_terminal(installed, "needle", cwd=repo.path)
    assert b"needle" in seen
    assert controls(seen) == set()


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["outline", "names.py"],
        ["def", "needle"],
        ["exists", "\x1b[2J", "needle"],
        ["conventions", "--max-lines=9"],
    ],
)
def test_escapes_do_not_reach_a_terminal_through_verbs(installed, repo, words):
    repo.write("names.py", f'def needle():\n    """Says {ATTACK} to all."""\n\nA = "{ATTACK}"\n')
    repo.write("CLAUDE.md", f"Rules {ATTACK}\n")
    repo.commit(f"attack {ATTACK}")
    repo.git("branch", "harmless")
    assert controls(on_a_terminal(installed, *words, cwd=repo.path)) == set()


def test_escapes_in_the_query_do_not_reach_a_terminal(installed, repo):
    repo.write("a.py", "needle = 1\n")
    repo.commit()
    assert controls(on_a_terminal(installed, "needle", ATTACK, cwd=repo.path)) == set()


def test_progress_leaves_a_clean_terminal(installed, sample):
    seen = on_a_terminal(installed, "retry", "delay", cwd=sample.path)
    assert b"service/retry_policy.py" in ALLOWED.sub(b"", seen)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("brackets.py", "x = " + "(" * 50_000 + "1" + ")" * 50_000 + "\n"),
        ("lists.json", "[" * 100_000 + "]" * 100_000),
        ("blocks.c", "int f(void) {" + "{" * 30_000 + "}" * 30_000 + "}\n"),
        ("operators.js", "x = " + "1+" * 100_000 + "1;\n"),
        ("open.py", "def f(\n" * 20_000),
        ("indented.py", "".join(f"{' ' * n}if x:\n" for n in range(1200))),
        ("headings.md", "#" * 60_000 + "\n" + "> " * 30_000 + "x\n"),
        ("strings.ts", "`${" * 20_000),
        ("tags.html", "<div>" * 50_000),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_deep_nesting_stops_nobody(installed, repo, name, text):
    repo.write(name, text)
    repo.write("retry.py", "def retry_delay():\n    return 1\n")
    repo.commit()
    done = installed.run("retry", "delay", cwd=repo.path, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("retry.py:")


def test_a_file_of_one_huge_line_is_skipped_with_a_reason(installed, repo):
    repo.write("huge.js", b"var retry=1;" * (100 * 1024 * 1024 // 12))
    repo.write("retry.py", "def retry_delay():\n    return 1\n")
    repo.commit()
    done = installed.run("retry", "delay", cwd=repo.path, timeout=60)
    assert done.stdout.startswith("retry.py:")
    assert skipped(installed, repo)["too-large"] == 1


def test_a_dirty_huge_file_is_skipped_too(installed, repo):
    repo.write("huge.js", "var retry=1;\n")
    repo.write("retry.py", "def retry_delay():\n    return 1\n")
    repo.commit()
    repo.write("huge.js", b"var retry=2;" * (20 * 1024 * 1024 // 12))
    assert skipped(installed, repo)["too-large"] == 1


def test_minified_lock_and_binary_files_are_skipped_with_a_reason(installed, sample):
    reasons = skipped(installed, sample)
    assert reasons["binary"] == 1
    assert reasons["generated"] >= 3
    done = installed.run("status", "--skipped", cwd=sample.path)
    for path in ("web/logo.png", "web/dist/bundle.min.js", "poetry.lock", "private/notes.md"):
        assert path in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        b"retry \xff\xfe\x00delay\n",
        "retry delay\n".encode("utf-16"),
        "retry delay\n".encode("utf-32"),
        b"\x00" * 10_000,
        b"\xed\xa0\x80 retry delay \xf5\n",
        b"\xef\xbb\xbfretry delay\n",
        b"retry\rdelay\r" * 50,
        b"\n" * 100_000,
        b"retry delay",
        b"",
    ],
)
def test_bytes_that_are_no_text_stop_nobody(installed, repo, content):
    repo.write("odd.py", content)
    repo.write("retry.py", "def retry_delay():\n    return 1\n")
    repo.commit()
    done = installed.run("retry", "delay", cwd=repo.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "retry.py:" in done.stdout
    skipped(installed, repo)


def test_names_that_are_no_text_are_found_and_shown(installed, sample):
    words = ("--content", "docs", "how", "is", "the", "coffee", "machine", "cleaned")
    document = installed.answer(*words, cwd=sample.path)
    assert document["results"][0]["path"].startswith("docs/caf")
    done = installed.run("-z", "-l", *words, cwd=sample.path)
    assert os.fsencode(done.stdout.split("\0")[0]) == b"docs/caf\xe9.md"


@pytest.mark.parametrize(
    "name", ["-x.py", "--at", "a\nb.py", "a\tb.py", 'quo"te.py', ":(top)x.py", "~", "*.py", " .py"]
)
def test_names_that_look_like_something_else_are_only_names(installed, repo, name):
    repo.write(name, "def needle():\n    return 1\n")
    repo.commit()
    repo.write(name, "def needle():\n    return 2\n")
    document = installed.answer("needle", cwd=repo.path)
    assert [result["path"] for result in document["results"]] == [name]
    done = installed.run("-z", "-l", "needle", cwd=repo.path)
    assert done.stdout == f"{name}\0"


def test_a_link_out_of_the_tree_is_not_followed(installed, repo, tmp_path):
    tmp_path.joinpath("secret.py").write_text("def needle_outside(): ...\n", encoding="utf-8")
    repo.symlink("link.py", "../secret.py")
    repo.symlink("loop", "loop")
    repo.symlink("folder", "..")
    repo.write("inside.py", "def needle_inside(): ...\n")
    repo.commit()
    repo.symlink("untracked.py", str(tmp_path / "secret.py"))
    for words in (["needle"], ["--untracked", "needle"]):
        document = installed.answer(*words, cwd=repo.path)
        assert [result["path"] for result in document["results"]] == ["inside.py"]


def test_a_folder_that_becomes_a_link_is_not_followed(installed, repo, tmp_path):
    repo.write("folder/inside.py", "def needle_inside(): ...\n")
    repo.commit()
    outside = tmp_path / "outside"
    outside.mkdir()
    outside.joinpath("inside.py").write_text("def needle_outside(): ...\n", encoding="utf-8")
    repo.remove("folder")
    repo.symlink("folder", str(outside))
    done = installed.run("needle", cwd=repo.path)
    assert "needle_outside" not in done.stdout


def test_nothing_in_the_repository_is_executed(installed, repo, tmp_path):
    proof = tmp_path / "executed"
    touch = f"touch '{proof}'"
    code = f"import pathlib; pathlib.Path({str(proof)!r}).touch()\n"
    for name in (
        "sitecustomize.py",
        "gitsearch.py",
        "numpy.py",
        "click.py",
        "json.py",
        "conftest.py",
    ):
        repo.write(name, f"# needle\n{code}")
    repo.write(".gitattributes", "*.py diff=evil filter=evil textconv=evil\n")
    repo.commit()
    repo.write("needle.py", "needle = 1\n")
    config = {"diff.evil.textconv": touch, "core.fsmonitor": ""}
    done = installed.run("--untracked", "needle", cwd=repo.path, config=config)
    assert done.returncode == 0, done.stderr
    assert not proof.exists()
