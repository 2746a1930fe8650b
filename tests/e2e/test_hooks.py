"""Hooks prepare the index behind the user's back, live beside others, and leave no trace."""

import fcntl
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time

import pytest

from tests.background import log, settles
from tests.builder import RepoBuilder
from tests.unit.features.bad_models import bad_model

EVENTS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
VERSION = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
GIT = tuple(map(int, VERSION.split()[2].split(".")[:2]))
by_file = pytest.mark.skipif(GIT >= (2, 54), reason="this git runs hooks of its configuration")
by_config = pytest.mark.skipif(GIT < (2, 54), reason="this git runs no hooks of its configuration")
LFS = """#!/bin/sh
command -v git-lfs >/dev/null 2>&1 || { printf >&2 "git-lfs is not there"; exit 0; }
exec true post-commit "$@"
"""
EXISTING = {
    "strict": "#!/bin/sh\nset -eu\nprintf '%s' \"$*\" > seen\nexit 0\n",
    "lfs": LFS,
    "env": "#!/usr/bin/env bash\n[[ -n $BASH_VERSION ]] && exit 0\n",
    "options": "#! /bin/bash -e\nexit 0\n",
    "only a first line": "#!/bin/sh",
    "no line feed at the end": "#!/bin/sh\nexit 0",
    "first line and nothing": "#!/bin/sh\n",
}


@pytest.fixture(autouse=True)
def place_of_pre_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))


@pytest.fixture
def hooked(installed, indexed, monkeypatch):
    """An indexed repository with the hooks, where git finds the program."""
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    done = installed.run("hooks", "install", cwd=indexed.path)
    assert done.returncode == 0, done.stderr
    return indexed


def hook(repo, event):
    return repo.path / ".git" / "hooks" / event


def write_hook(repo, event, text, mode=0o755):
    hook(repo, event).parent.mkdir(exist_ok=True)
    hook(repo, event).write_text(text)
    hook(repo, event).chmod(mode)


def everything(repo):
    """Names, bytes and permissions of all hook files, and the configuration."""
    files = sorted((repo.path / ".git" / "hooks").glob("*"))
    looks = [(path.name, path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files]
    return looks, (repo.path / ".git" / "config").read_bytes()


def current(installed, path):
    return installed.run("status", "--check", cwd=path).returncode == 0


def idle(repo):
    """No run is at work or asked for."""
    return (
        not (repo.index_dir / "pending").exists()
        and log(repo).count(" start\n") == log(repo).count(" done: ")
        and log(repo) != ""
    )


def change(repo, name="added.py"):
    repo.write(name, f"def {name.removesuffix('.py')}():\n    return 'something new'\n")
    return repo.commit(f"add {name}")


# ---------------------------------------------------------------- install and uninstall


@by_file
@pytest.mark.parametrize("text", EXISTING.values(), ids=EXISTING)
def test_uninstall_leaves_everything_as_it_was(installed, indexed, text):
    write_hook(indexed, "post-commit", text, 0o750)
    write_hook(indexed, "post-merge", text)
    before = everything(indexed)
    done = installed.run("hooks", "install", cwd=indexed.path)
    assert (done.returncode, done.stderr) == (0, "")
    first = everything(indexed)
    assert first != before
    assert stat.S_IMODE(hook(indexed, "post-commit").stat().st_mode) == 0o750
    assert hook(indexed, "post-commit").read_text().splitlines()[0] == text.splitlines()[0]
    assert installed.run("hooks", "install", cwd=indexed.path).returncode == 0
    assert everything(indexed) == first
    assert installed.run("hooks", "uninstall", cwd=indexed.path).returncode == 0
    assert everything(indexed) == before
    assert installed.run("hooks", "uninstall", cwd=indexed.path).returncode == 0
    assert everything(indexed) == before


@by_config
def test_configuration_is_as_it_was_after_uninstall(installed, indexed):
    write_hook(indexed, "post-commit", LFS)
    before = everything(indexed)
    for _ in range(2):
        assert installed.run("hooks", "install", cwd=indexed.path).returncode == 0
    files, _ = everything(indexed)
    assert files == before[0]
    assert indexed.git("config", "--get-all", "hook.git-search.event").split() == list(EVENTS)
    assert installed.run("hooks", "status", cwd=indexed.path).returncode == 0
    assert installed.run("hooks", "uninstall", cwd=indexed.path).returncode == 0
    assert everything(indexed) == before


@by_config
def test_one_installation_serves_all_repositories(installed, indexed, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert installed.run("hooks", "install", "--global", cwd=indexed.path).returncode == 0
    change(indexed)
    assert settles(lambda: current(installed, indexed.path))
    assert installed.run("hooks", "uninstall", "--global", cwd=indexed.path).returncode == 0
    assert "git-search" not in (tmp_path / "gitconfig").read_text()


@by_file
def test_an_older_git_has_no_hooks_for_all_repositories(installed, indexed):
    done = installed.run("hooks", "install", "--global", cwd=indexed.path)
    assert done.returncode == 128
    assert "--global wants git 2.54 or later" in done.stderr


@by_file
@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("#!/usr/bin/env python3\nprint()\n", 0o755, "is not a shell script"),
        ("echo no first line\n", 0o755, "is not a shell script"),
        ("", 0o755, "is not a shell script"),
        ("#!/bin/sh\r\nexit 0\n", 0o755, "has CR LF line ends, so git cannot run it"),
        ("#!/bin/sh\nexit 0\n", 0o644, "is not executable, so git does not run it"),
        ("#!/bin/sh\n# File generated by pre-commit: x\n", 0o755, "belongs to pre-commit"),
        ("#!/bin/sh\ncall_lefthook run post-merge\n", 0o755, "belongs to lefthook"),
    ],
)
def test_what_belongs_to_others_is_refused_with_a_snippet(installed, indexed, text, mode, said):
    write_hook(indexed, "post-merge", text, mode)
    before = everything(indexed)
    done = installed.run("hooks", "install", cwd=indexed.path)
    first, _, snippet = done.stderr.partition("\n")
    assert (done.returncode, done.stdout) == (128, "")
    assert f"post-merge' {said}; nothing was installed; paste this into the hooks" in first
    assert "hooks run" in snippet
    assert subprocess.run(["sh", "-n"], input=snippet, text=True, check=False).returncode == 0
    assert everything(indexed) == before
    answer = json.loads(installed.run("hooks", "install", "--json", cwd=indexed.path).stdout)
    assert answer["error"]["code"] == "hooks-refused"
    status = installed.run("hooks", "status", cwd=indexed.path)
    assert status.returncode == 1
    assert f"post-merge     not installed: the file {said}" in status.stdout


@by_file
def test_a_symbolic_link_is_refused(installed, indexed, tmp_path):
    (tmp_path / "shared").write_text("#!/bin/sh\n")
    hook(indexed, "post-commit").parent.mkdir(exist_ok=True)
    hook(indexed, "post-commit").symlink_to(tmp_path / "shared")
    done = installed.run("hooks", "install", cwd=indexed.path)
    assert (done.returncode, "is a symbolic link" in done.stderr) == (128, True)
    assert (tmp_path / "shared").read_text() == "#!/bin/sh\n"


@by_file
def test_a_hooks_folder_of_another_program_is_refused(installed, indexed):
    indexed.git("config", "core.hooksPath", ".husky/_")
    done = installed.run("hooks", "install", cwd=indexed.path)
    assert done.returncode == 128
    assert "core.hooksPath gives" in done.stderr
    assert not (indexed.path / ".husky").exists()


@by_file
def test_what_was_pasted_there_counts_and_is_left(installed, indexed):
    folder = indexed.path / "tools"
    indexed.git("config", "core.hooksPath", str(folder))
    refusal = installed.run("hooks", "install", cwd=indexed.path).stderr
    folder.mkdir()
    for event in EVENTS:
        (folder / event).write_text("#!/bin/sh\n# git-search hooks run\n")
        (folder / event).chmod(0o755)
    assert installed.run("hooks", "status", cwd=indexed.path).returncode == 1
    for event in EVENTS:
        (folder / event).write_text("#!/bin/sh\n" + refusal.partition("\n")[2])
    pasted = (folder / EVENTS[0]).read_bytes()
    for action in ("install", "uninstall", "status"):
        done = installed.run("hooks", action, cwd=indexed.path)
        assert (done.returncode, done.stdout.count("by hand in ")) == (0, len(EVENTS))
        assert {(folder / event).read_bytes() for event in EVENTS} == {pasted}
    assert "\nhooks       installed\n" in installed.run("status", cwd=indexed.path).stdout
    change(indexed)
    assert settles(lambda: current(installed, indexed.path))
    # git does not run it
    (folder / EVENTS[0]).chmod(0o644)
    assert installed.run("hooks", "status", cwd=indexed.path).returncode == 1


@by_file
def test_an_empty_hooks_path_names_the_root_as_it_does_for_git(installed, indexed):
    indexed.git("config", "core.hooksPath", "")
    done = installed.run("hooks", "install", cwd=indexed.path)
    assert done.returncode == 128
    assert "core.hooksPath gives '/' to another program" in done.stderr
    for words, code in ((("status",), 0), (("status", "--check"), 0), (("hooks", "status"), 1)):
        done = installed.run(*words, cwd=indexed.path)
        assert (done.returncode, done.stderr) == (code, "")


@by_config
def test_a_hooks_folder_of_another_program_is_no_obstacle(installed, indexed, monkeypatch):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    indexed.git("config", "core.hooksPath", ".husky/_")
    assert installed.run("hooks", "install", cwd=indexed.path).returncode == 0
    change(indexed)
    assert settles(lambda: current(installed, indexed.path))


@pytest.mark.long
@by_file
def test_what_pre_commit_moved_away_works_and_is_removed(installed, hooked):
    assert hook(hooked, "post-commit").exists()
    pre_commit(hooked, "install", "-t", "post-commit")
    hooked.write(".pre-commit-config.yaml", "repos: []\n")
    assert hook(hooked, "post-commit.legacy").exists()
    status = installed.run("hooks", "status", cwd=hooked.path)
    assert (status.returncode, "post-commit.legacy" in status.stdout) == (0, True)
    change(hooked)
    assert settles(lambda: current(installed, hooked.path))
    again = everything(hooked)
    assert installed.run("hooks", "install", cwd=hooked.path).returncode == 0
    assert everything(hooked) == again
    assert installed.run("hooks", "uninstall", cwd=hooked.path).returncode == 0
    assert not hook(hooked, "post-commit.legacy").exists()
    assert "pre-commit" in hook(hooked, "post-commit").read_text()


@pytest.mark.parametrize(
    "words",
    [
        *([], ["remove"], ["install", "x"], ["install", "--wait"], ["uninstall", "--wait"]),
        *(["status", "--wait"], ["status", "--global"], ["run", "--global"]),
    ],
)
def test_other_words_are_refused(installed, indexed, words):
    before = everything(indexed)
    done = installed.run("hooks", *words, cwd=indexed.path)
    assert done.returncode == 129
    assert done.stderr.count("\n") == 1
    assert everything(indexed) == before


# ---------------------------------------------------------------- what they do


@by_file
def test_a_hook_that_was_there_still_runs_with_its_words_and_its_exit_code(installed, indexed):
    write_hook(indexed, "post-checkout", '#!/bin/sh\nset -eu\necho "$#" > seen\nexit 3\n')
    assert installed.run("hooks", "install", cwd=indexed.path).returncode == 0
    assert indexed.run("checkout", "-q", "-b", "other", check=False).returncode == 1
    assert (indexed.path / "seen").read_text() == "3\n"


def test_a_commit_is_prepared_before_anyone_asks(installed, hooked):
    assert current(installed, hooked.path)
    change(hooked)
    assert settles(lambda: current(installed, hooked.path))
    assert settles(lambda: idle(hooked))
    assert "done: 1 files parsed" in log(hooked)
    counts = json.loads(
        installed.run("--trace=json", "-q", "something", "new", cwd=hooked.path).stderr
    )["counts"]
    assert counts.get("files parsed", 0) == 0


@pytest.mark.parametrize("how", ["checkout", "merge", "rebase", "amend"])
@pytest.mark.long
def test_each_way_to_move_head_is_prepared(installed, hooked, how):
    hooked.branch("topic", "HEAD~3")
    hooked.write("topic.py", "def topic():\n    return 1\n")
    hooked.commit("topic")
    settles(lambda: current(installed, hooked.path) and idle(hooked))
    if how == "checkout":
        hooked.checkout("main")
        hooked.git("reset", "-q", "--hard", "HEAD~5")
        hooked.checkout("HEAD~4")
    elif how == "merge":
        hooked.git("merge", "-q", "--no-edit", "main")
    elif how == "rebase":
        hooked.git("rebase", "-q", "main")
    else:
        hooked.write("topic.py", "def topic():\n    return 2\n")
        hooked.git("commit", "-q", "--amend", "-a", "--no-edit")
    assert settles(lambda: current(installed, hooked.path))


@pytest.mark.long
def test_every_worktree_is_prepared(installed, hooked, tmp_path):
    linked = hooked.worktree(tmp_path / "linked", "HEAD~2")
    linked.write("linked.py", "def linked():\n    return 1\n")
    linked.commit("linked")
    assert settles(lambda: current(installed, linked.path))
    assert current(installed, hooked.path)


@pytest.mark.long
def test_a_rebase_is_one_run_at_its_end(installed, hooked):
    hooked.branch("long", "HEAD~10")
    for number in range(30):
        hooked.write(f"pick{number}.py", f"def pick{number}():\n    return {number}\n")
        hooked.git("add", "-A")
        hooked.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", f"pick {number}")
        hooked.tick()
    settles(lambda: idle(hooked) or not log(hooked))
    before = log(hooked).count(" start\n")
    hooked.git("rebase", "-q", "main")
    assert settles(lambda: current(installed, hooked.path) and idle(hooked))
    assert 1 <= log(hooked).count(" start\n") - before <= 3


@pytest.mark.long
def test_a_bad_model_fails_in_the_log_and_nowhere_else(installed, hooked, tmp_path):
    reason = bad_model(tmp_path / "model", "mapping beyond the table")
    record = hooked.index_dir / "index.duckdb"
    before = record.read_bytes()
    hooked.git("config", "search.model", str(tmp_path / "model"))
    hooked.write("added.py", "def added(): ...\n")
    hooked.git("add", "-A")
    done = hooked.run("commit", "-q", "-m", "added")
    assert (done.stdout, done.stderr) == (b"", b"")
    settles(lambda: " failed: " in log(hooked))
    (line,) = (line for line in log(hooked).splitlines() if " failed: " in line)
    assert f"'{tmp_path / 'model'}'" in line
    assert reason in line
    assert "Traceback" not in log(hooked)
    assert record.read_bytes() == before
    # good again: the next commit has it indexed
    hooked.git("config", "--unset", "search.model")
    change(hooked, "later.py")
    assert settles(lambda: current(installed, hooked.path))


@pytest.mark.long
def test_a_stopped_rebase_starts_nothing(installed, hooked):
    hooked.branch("side", "HEAD~2")
    change(hooked, "side.py")
    settles(lambda: current(installed, hooked.path) and idle(hooked))
    done = hooked.run("rebase", "-q", "--exec", "false", "main", check=False)
    assert done.returncode != 0
    settles(lambda: idle(hooked))
    before = log(hooked)
    change(hooked, "between.py")
    time.sleep(1)  # a hook asks in the background, and its run says at once that it starts
    assert log(hooked) == before
    assert not (hooked.index_dir / "pending").exists()
    assert not current(installed, hooked.path)
    hooked.git("rebase", "--continue")
    assert settles(lambda: current(installed, hooked.path) and idle(hooked))


def test_nobody_waits_for_the_run(installed, hooked):
    """git and who reads its output go on while the run cannot, and many commits are few runs."""
    with (hooked.index_dir / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for number in range(12):
            change(hooked, f"waiting{number}.py")  # reads both ends of git to their end
        assert settles(lambda: " start\n" in log(hooked))
        told = json.loads(installed.run("status", "--json", cwd=hooked.path).stdout)
        assert not told["current"]
        assert told["updating"]
    assert settles(lambda: current(installed, hooked.path) and idle(hooked))
    assert log(hooked).count(" start\n") <= 3


@pytest.mark.long
def test_a_run_that_was_killed_costs_nothing_but_time(installed, hooked):
    with (hooked.index_dir / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        change(hooked, "lost.py")
        assert settles(lambda: " start\n" in log(hooked))
        os.kill(int(log(hooked).split()[1]), 9)
    (hooked.index_dir / "pending").touch()  # as if it had been killed even earlier
    answer = installed.answer("something", "new", "lost", cwd=hooked.path)
    assert "lost.py" in {one["path"] for one in answer["results"][:3]}
    assert not (hooked.index_dir / "pending").exists()
    change(hooked, "later.py")
    assert settles(lambda: current(installed, hooked.path))


@pytest.mark.parametrize("why", ["removed", "ci", "setting"])
def test_the_hooks_are_inert(installed, hooked, monkeypatch, why):
    if why == "removed":
        shutil.rmtree(hooked.index_dir)
    elif why == "ci":
        monkeypatch.setenv("CI", "true")
    else:
        hooked.git("config", "search.hooks", "false")
    change(hooked)
    done = installed.run("hooks", "run", "--wait", cwd=hooked.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    if why == "removed":
        assert not hooked.index_dir.exists()
        return
    settles(lambda: not (hooked.index_dir / "pending").exists())
    assert log(hooked) == ""
    assert not current(installed, hooked.path)


def test_a_program_that_is_gone_troubles_nobody(installed, indexed, tmp_path):
    assert installed.run("hooks", "install", cwd=indexed.path).returncode == 0
    for path in [*(indexed.path / ".git" / "hooks").glob("post-*"), indexed.path / ".git/config"]:
        mode = path.stat().st_mode
        text = path.read_text().replace(str(installed.bin), "/nowhere")
        path.write_text(text.replace("git-search hooks", "gone hooks"))
        path.chmod(mode)
    for command in (("checkout", "-q", "-b", "x"), ("commit", "-q", "--allow-empty", "-m", "x")):
        done = indexed.run(*command)
        assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.long
def test_the_index_does_not_grow_for_ever(installed, hooked):
    def run():
        assert installed.run("hooks", "run", "--wait", cwd=hooked.path).returncode == 0
        return json.loads(installed.run("status", "--json", cwd=hooked.path).stdout)["chunks"]

    fresh = run()
    files = sorted(hooked.path.glob("**/*.py"))
    assert len(files) > 10
    for turn in range(6):
        for file in files:
            with file.open("a") as text:
                text.write(f"\n\ndef turn{turn}():\n    return {turn}\n")
        hooked.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "turn")
        held = run()
    assert " gc: " in log(hooked)
    assert held < 2.5 * fresh
    assert installed.run("verify", cwd=hooked.path).returncode == 0


def test_the_log_stays_small(installed, hooked):
    path = hooked.index_dir / "worker.log"
    path.write_text("x" * 70_000)
    installed.run("hooks", "run", "--wait", cwd=hooked.path)
    assert path.stat().st_size < 1000
    assert path.with_name("worker.log.1").stat().st_size == 70_000


def test_a_bad_setting_is_in_the_log_and_nowhere_else(installed, hooked):
    hooked.git("config", "search.maxFileSize", "much")
    change(hooked)
    assert settles(lambda: "failed: git config search.maxfilesize: 'much'" in log(hooked))


def test_status_says_whether_hooks_are_installed(installed, indexed):
    assert "\nhooks       not installed" in installed.run("status", cwd=indexed.path).stdout
    installed.run("hooks", "install", cwd=indexed.path)
    assert "\nhooks       installed\n" in installed.run("status", cwd=indexed.path).stdout
    states = json.loads(installed.run("hooks", "status", "--json", cwd=indexed.path).stdout)
    assert [state["event"] for state in states["hooks"]] == list(EVENTS)


# ---------------------------------------------------------------- pre-commit


def pre_commit(repo, *words, check=True, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-m", "pre_commit", *words],
        cwd=repo.path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=check,
    )


@pytest.mark.long
def test_pre_commit_runs_the_program_that_is_installed(installed, indexed, monkeypatch):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    indexed.write(
        ".pre-commit-config.yaml",
        "default_install_hook_types: [post-commit, pre-push]\n"
        "repos:\n- repo: local\n  hooks:\n"
        "  - {id: git-search-update, name: update, entry: git search hooks run,\n"
        "     language: system, stages: [post-commit], always_run: true, pass_filenames: false}\n"
        "  - {id: git-search-check, name: check, entry: git search status --check,\n"
        "     language: system, stages: [pre-push], always_run: true, pass_filenames: false}\n",
    )
    pre_commit(indexed, "install")
    change(indexed)
    # no search and no pause between the commit and the push
    assert pre_commit(indexed, "run", "--hook-stage", "pre-push").returncode == 0
    states = json.loads(installed.run("hooks", "status", "--json", cwd=indexed.path).stdout)
    assert states["hooks"][0] == {
        "event": "post-commit",
        "state": "pre-commit",
        "where": ".pre-commit-config.yaml",
    }
    indexed.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "HEAD~7")
    indexed.write(
        ".pre-commit-config.yaml", indexed.git("show", "main@{1}:.pre-commit-config.yaml")
    )
    assert not current(installed, indexed.path)
    assert pre_commit(indexed, "run", "--hook-stage", "pre-push", check=False).returncode == 1


def hooks_of_manifest(request, repo, *names):
    """Use hooks as the manifest has them, but with the program that is installed."""
    manifest = (request.config.rootpath / ".pre-commit-hooks.yaml").read_text()
    entries = [f"- id{entry}" for entry in manifest.split("- id")[1:]]
    chosen = [entry for entry in entries if entry.splitlines()[0].removeprefix("- id: ") in names]
    assert len(chosen) == len(names)
    hooks = "".join(chosen).replace("language: python", "language: system")
    indented = hooks.replace("\n", "\n  ").rstrip(" ")
    repo.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n  {indented}")
    pre_commit(repo, "install")


def test_pre_commit_stops_what_breaks_an_import(request, installed, indexed, monkeypatch):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    indexed.write("kept/user.py", "from kept.tools import fold\n\nfold(1)\n")
    indexed.write("kept/tools.py", "def fold(x):\n    return x\n\n\ndef other():\n    pass\n")
    hooks_of_manifest(request, indexed, "git-search-dangling")
    indexed.commit("is fine")
    head = indexed.rev()

    # what is edited and not staged is not looked at, neither to blame nor to excuse
    indexed.remove("kept/tools.py")
    indexed.write("other.txt", "x\n")
    indexed.git("add", "other.txt")
    assert indexed.run("commit", "-q", "-m", "x", check=False).returncode == 0
    indexed.git("add", "-A")
    indexed.write("kept/tools.py", "def fold(x):\n    return x\n")
    done = indexed.run("commit", "-q", "-m", "x", check=False)
    assert done.returncode == 1
    assert "kept/user.py:1 imports kept.tools, but kept/tools.py is gone" in done.stderr.decode()

    indexed.write("kept/tools.py", "def other():\n    pass\n")
    indexed.git("add", "-A")
    done = indexed.run("commit", "-q", "-m", "x", check=False)
    assert done.returncode == 1
    told = done.stderr.decode()
    assert "kept/user.py:1 uses fold of kept.tools, but kept/tools.py no longer defines it" in told

    indexed.write("kept/user.py", "from kept.tools import other\n")
    assert indexed.run("commit", "-q", "-a", "-m", "x", check=False).returncode == 0
    assert indexed.rev("HEAD~2") == head


@pytest.mark.long
def test_pre_commit_prints_what_depends_on_what_is_staged(
    request, installed, indexed, monkeypatch
):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    indexed.write("kept/user.py", "from kept.tools import fold\n\nfold(1)\n")
    indexed.write("kept/tools.py", "def fold(x):\n    return x\n")
    hooks_of_manifest(request, indexed, "git-search-impact")
    indexed.commit("is fine")
    indexed.write("kept/tools.py", "def fold(x):\n    return x + 1\n")
    indexed.git("add", "-A")
    done = indexed.run("commit", "-q", "-m", "x", check=False)
    assert done.returncode == 0
    assert "kept/user.py:3: calls kept/tools.py" in done.stderr.decode()
    # with nothing to say, and where nothing can be said
    indexed.write("alone.txt", "x\n")
    indexed.commit("quiet")
    indexed.git("config", "search.model", "/nowhere")
    indexed.write("alone.txt", "y\n")
    indexed.commit("refused")


def test_pre_commit_warns_of_staged_copies_and_fails_when_told(
    request, installed, indexed, monkeypatch
):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    manifest = request.config.rootpath.joinpath(".pre-commit-hooks.yaml").read_text("utf-8")
    (entry,) = re.findall(r"^  entry: (git-search dup .*)$", manifest, re.M)
    original = indexed.file("service/retry_policy.py").read_text("utf-8")
    indexed.write("service/copied.py", original)
    indexed.git("add", "service/copied.py")
    # what is not staged does not count
    indexed.write("service/copied.py", "x = 1\n")
    indexed.write("service/another.py", original)
    for strict, code in (("", 0), ("--strict", 1)):
        indexed.write(
            ".pre-commit-config.yaml",
            "repos:\n- repo: local\n  hooks:\n"
            f"  - {{id: git-search-duplicates, name: duplicates, entry: '{entry}',\n"
            f"     language: system, args: [{strict}], always_run: true,\n"
            "     pass_filenames: false, verbose: true}\n",
        )
        indexed.git("add", ".pre-commit-config.yaml")
        done = pre_commit(indexed, "run", check=False)
        assert done.returncode == code, done.stdout
        assert "exists already at service/retry_policy.py:" in done.stdout
        assert "service/copied.py:" in done.stdout
        assert "service/another.py:" not in done.stdout
    indexed.git("reset", "-q", "--", "service/copied.py")
    assert pre_commit(indexed, "run").returncode == 0


@pytest.mark.long
def test_pre_commit_can_install_the_checkout(request, installed, indexed, tmp_path):
    """From a copy with what is not committed yet; what it requires is on the path already."""
    root = request.config.rootpath
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")[:-1]
    assert ".pre-commit-hooks.yaml" in listed
    for name in listed:
        if (root / name).is_file():
            (tmp_path / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tmp_path / "copy" / name)
    revision = RepoBuilder(tmp_path / "copy").commit("all")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    offline = {
        "PYTHONPATH": os.pathsep.join(packages),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "false",  # pip reads it as the value of --build-isolation
        # pip and virtualenv leave things there
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "home" / "cache"),
    }
    words = ["try-repo", str(tmp_path / "copy"), "git-search-check", "--hook-stage", "pre-push"]
    done = pre_commit(indexed, *words, check=False, **offline)
    assert done.returncode == 0, done.stdout
    # as a user has it: what try-repo installs is gone when it ends, before a run in the background
    indexed.write(
        ".pre-commit-config.yaml",
        f"repos:\n- repo: {tmp_path / 'copy'}\n  rev: {revision}\n"
        "  hooks: [{id: git-search-update}]\n",
    )
    indexed.commit("use it")
    words = ["run", "git-search-update", "--hook-stage", "manual"]
    done = pre_commit(indexed, *words, check=False, **offline)
    assert done.returncode == 0, done.stdout
    assert settles(lambda: idle(indexed) and current(installed, indexed.path))


def test_the_manifest_is_valid(request):
    manifest = request.config.rootpath / ".pre-commit-hooks.yaml"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pre_commit", "validate-manifest", manifest],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
