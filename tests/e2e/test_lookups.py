"""`exists` and `conventions` as programs: exit codes, documents, and repositories that are odd."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

from tests.confinement import read_only

WORDS = ("compute_delay", "RetryPolicy", "png", "nowhere_at_all", "retry")


def filters(repo):
    return list((repo.index_dir / "views").glob("*.bloom"))


def by_git(repo, word):
    return repo.run("grep", "-q", "-w", "-F", "-e", word, check=False).returncode == 0


def test_words_get_an_exit_code_a_line_and_a_document(installed, indexed):
    done = installed.run("exists", "compute_delay", "nowhere_at_all", cwd=indexed.path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[1] == "nowhere_at_all: no"
    assert installed.run("exists", "compute_delay", cwd=indexed.path).returncode == 0
    done = installed.run("exists", "--json", *WORDS, cwd=indexed.path)
    document = json.loads(done.stdout)
    assert [word["exists"] for word in document["words"]] == [
        by_git(indexed, word) for word in WORDS
    ]
    coverage = document["coverage"]
    assert coverage["tracked"] == coverage["searchable"] + sum(coverage["skipped"].values())
    assert len(filters(indexed)) == 1


def test_verify_and_gc_know_the_filter(installed, indexed):
    installed.run("exists", "x", cwd=indexed.path)
    assert ".bloom" in installed.run("verify", cwd=indexed.path).stdout
    assert installed.run("gc", cwd=indexed.path).returncode == 0
    (path,) = filters(indexed)
    path.write_bytes(path.read_bytes()[:-64])
    assert installed.run("verify", cwd=indexed.path).returncode == 1
    assert installed.run("exists", "nowhere_at_all", cwd=indexed.path).returncode == 1
    assert installed.run("verify", cwd=indexed.path).returncode == 0


def test_many_at_once_make_one_filter_and_agree(installed, indexed):
    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(lambda _: installed.run("exists", *WORDS, cwd=indexed.path), range(4))
        )
    assert len({one.stdout for one in done}) == 1
    assert {one.stderr for one in done} == {""}
    assert len(filters(indexed)) == 1


def test_where_nothing_can_be_written_the_answer_is_the_same(installed, indexed):
    right = installed.run("exists", *WORDS, cwd=indexed.path)
    for path in filters(indexed):
        path.unlink()
    wrapper = read_only(indexed.git_dir)
    done = installed.run("exists", *WORDS, cwd=indexed.path, wrapper=wrapper)
    assert (done.returncode, done.stdout) == (right.returncode, right.stdout)
    assert filters(indexed) == []


def test_conventions_need_no_index_and_write_nothing(installed, sample):
    sample.write("CLAUDE.md", "# Rules\n\x1b[2J\n")
    sample.write("service/AGENTS.md", "Deep.\n")
    sample.git("add", "-A")
    done = installed.run("conventions", "service/retry_policy.py", cwd=sample.path)
    assert done.returncode == 0
    assert done.stdout.startswith("service/AGENTS.md: agents (AGENTS.md), for service/, 6 bytes\n")
    assert "\x1b" not in done.stdout
    document = json.loads(installed.run("conventions", "--json", cwd=sample.path).stdout)
    assert {"CLAUDE.md", "service/AGENTS.md"} <= {file["path"] for file in document["files"]}
    assert not sample.index_dir.exists()


def test_a_repository_without_rules_is_exit_one(installed, repo):
    repo.write("a.txt", "a\n")
    repo.commit()
    done = installed.run("conventions", cwd=repo.path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    shutil.rmtree(repo.git_dir)
    assert installed.run("conventions", cwd=repo.path).returncode == 128


def test_context_keeps_to_its_budget_and_has_the_exit_codes_of_a_search(installed, indexed):
    task = ("context", "compute", "the delay before a retry")
    done = installed.run(*task, "--json", "--budget=900", cwd=indexed.path)
    document = json.loads(done.stdout)
    assert (done.returncode, done.stderr, document["next"]) == (0, "", None)
    assert 0 < document["budget"]["used"] <= 900
    assert document["budget"]["left_out"] > 0
    assert "service/retry_policy.py" in {item["path"] for item in document["items"]}
    assert installed.run("context", "zzqxv wwkjq", cwd=indexed.path).returncode == 1
    for words, said in (
        (["nowhere.py:x"], "no file 'nowhere.py'"),
        (["retry", "--budget=0"], "0"),
    ):
        done = installed.run("context", *words, cwd=indexed.path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (128, "", 1)
        assert said in done.stderr


def test_paths_of_text_are_seen_from_the_current_folder(installed, indexed):
    folder = indexed.path / "service"
    for words in (
        ("-F", "retry"),
        ("-F", "-l", "retry"),
        ("-F", "-c", "retry"),
        ("-F", "-o", "retry"),
        ("-F", "-z", "retry"),
        ("-F", "-C1", "retry"),
        ("-E", "--color=always", "retr[y]"),
    ):
        done = installed.run(*words, "--sort=path", cwd=folder)
        git = ("grep", "-n", *words) if "-c" not in words else ("grep", *words)
        right = indexed.run("-C", "service", *git, "--", ":/").stdout.decode()
        assert len(done.stdout.splitlines()) > 3
        assert done.stdout == right
    found = installed.run("-l", "compute the delay before a retry", cwd=folder).stdout
    assert "retry_policy.py" in found.splitlines()
    assert all((folder / path).exists() for path in found.splitlines())
    top = installed.run("-l", "compute the delay before a retry", "--full-name", cwd=folder)
    assert [os.path.normpath(f"service/{path}") for path in found.splitlines()] == (
        top.stdout.splitlines()
    )


def test_what_a_verb_prints_in_a_folder_may_be_given_to_it_there(installed, indexed):
    folder = indexed.path / "service"
    (shown,) = installed.run("def", "compute_delay", cwd=folder).stdout.splitlines()
    assert shown.startswith("retry_policy.py:")
    found = installed.run("impact", "retry_policy.py", cwd=folder).stdout
    first = found.partition(":")[0]
    assert (folder / first).exists()
    as_shown, from_top = (
        installed.run("outline", path, "--json", cwd=folder)
        for path in (first, ":/" + os.path.relpath(folder / first, indexed.path))
    )
    assert (as_shown.returncode, as_shown.stderr) == (0, "")
    assert as_shown.stdout == from_top.stdout
    wrong = installed.run("outline", "service/retry_policy.py", cwd=folder)
    assert (wrong.returncode, wrong.stdout) == (128, "")
    assert "did you mean 'retry_policy.py'?" in wrong.stderr


def test_lines_for_an_editor_are_the_matches_of_git_grep(installed, indexed):
    folder = indexed.path / "service"
    done = installed.run("--vimgrep", "-F", "retry", cwd=folder)
    found = [line.split(":", 3)[:3] for line in done.stdout.splitlines()]
    right = indexed.git("grep", "-n", "-o", "--column", "-F", "retry").splitlines()
    assert len(found) > 10
    assert sorted((os.path.normpath(f"service/{path}"), *rest) for path, *rest in found) == sorted(
        tuple(line.split(":", 3)[:3]) for line in right
    )
