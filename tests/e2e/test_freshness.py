"""No hook is installed here: whatever happened to the tree, the next answer is of the new one."""

import json
import os
import shutil
import subprocess
import time

import pytest

from gitsearch.commands.tree_selection import select_tree
from gitsearch.index.session import Session
from tests.comparing import (
    EDITED,
    QUERIES,
    asked,
    asked_afresh,
    assert_as_fresh,
    build_small,
    copied,
    differences,
    edit,
)
from tests.sample import build_crowd
from tests.terminal import Terminal
from tests.unit.commands.asked import Aside

CROWD = 500
FEW_FILES = 20
PATIENCE = 60


@pytest.fixture(scope="module")
def template(installed, isolation, tmp_path_factory):
    """A small repository with the index of its main branch."""
    repo = build_small(tmp_path_factory.mktemp("small") / "small")
    assert installed.run("index", "-q", cwd=repo.path).returncode == 0
    assert not list((repo.git_dir / "hooks").glob("*"))
    return repo


# ---------------------------------------------------------------- what git does without a hook


def stash(repo, ask):
    edit(repo)
    ask()
    repo.git("stash", "-q")
    repo.write("part/step_1.py", "def step_1(delay):\n    return delay\n")


def stash_pop(repo, ask):
    edit(repo)
    repo.git("stash", "-q")
    ask()
    repo.git("stash", "pop", "-q")


def stash_of_what_is_staged(repo, ask):
    edit(repo)
    repo.git("add", "-u")
    edit(repo, "careful")
    ask()
    repo.git("stash", "-q", "--keep-index")


def amend(repo, ask):
    edit(repo)
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")


def mailed(repo, ask):
    patches = repo.run("format-patch", "--stdout", "main..side").stdout
    repo.run("am", "-q", stdin=patches)


def plumbing(repo, ask):
    edit(repo)
    oid = repo.git("hash-object", "-w", EDITED)
    repo.git("update-index", "--cacheinfo", f"100644,{oid},part/step_1.py")
    tree = repo.git("write-tree")
    repo.git("update-ref", "HEAD", repo.git("commit-tree", "-m", "by hand", "-p", "HEAD", tree))


def save_by_renaming(repo, ask):
    # as many editors do; the size and the time stay, so that only git knows
    path = repo.file(EDITED)
    before = path.stat()
    text = path.read_text(encoding="utf-8")
    draft = repo.write("part/.draft", text.replace("attempt", "endeavr"))
    os.utime(draft, ns=(before.st_atime_ns, before.st_mtime_ns))
    draft.replace(path)
    assert path.stat().st_size == before.st_size


def save_in_place(repo, ask):
    edit(repo)
    ask()
    text = repo.file(EDITED).read_text(encoding="utf-8")
    repo.write(EDITED, text.replace("hasty", "tardy"))


def git(*words):
    return lambda repo, ask: repo.git(*words)


HAPPENINGS = {
    "reset --hard": git("reset", "-q", "--hard", "HEAD~2"),
    "stash": stash,
    "am": mailed,
    "update-ref": git("update-ref", "refs/heads/main", "side"),
    "save by renaming": save_by_renaming,
    "save in place": save_in_place,
}
RARER = {
    "plumbing": plumbing,
    "stash pop": stash_pop,
    "stash --keep-index": stash_of_what_is_staged,
    "reset --soft": git("reset", "-q", "--soft", "HEAD~2"),
    "reset": git("reset", "-q", "HEAD~2"),
    "symbolic-ref": git("symbolic-ref", "HEAD", "refs/heads/side"),
    "cherry-pick": git("cherry-pick", "side~1", "side"),
    "rebase": git("rebase", "-q", "side"),
    "rebase --apply": git("rebase", "-q", "--apply", "side"),
    "merge --squash": git("merge", "-q", "--squash", "side"),
    "commit --amend": amend,
    "restore --source": git("restore", "--source=side", "--staged", "--worktree", "."),
    "read-tree": lambda repo, ask: (
        repo.git("update-index", "-q", "--refresh"),
        repo.git("read-tree", "-m", "-u", "HEAD~2"),
    ),
    "rm --cached": git("rm", "-q", "--cached", EDITED),
    "an orphan branch": git("checkout", "-q", "--orphan", "new"),
    "gc": lambda repo, ask: (
        repo.git("reset", "-q", "--hard", "HEAD~2"),
        repo.git("branch", "-q", "-D", "side"),
        repo.git("reflog", "expire", "--expire=now", "--all"),
        repo.git("gc", "-q", "--prune=now"),
    ),
    "a replaced commit": git("replace", "HEAD", "side"),
}


# Of these git tells us nothing else than before.
UNSEEN = ("a replaced commit",)


@pytest.mark.parametrize(
    "name", [*HAPPENINGS, *(pytest.param(name, marks=pytest.mark.long) for name in RARER)]
)
@pytest.mark.long
def test_what_fires_no_hook_is_seen_by_the_next_query(installed, small, name):
    before = asked(installed, small)
    {**HAPPENINGS, **RARER}[name](small, lambda: asked(installed, small))
    found = assert_as_fresh(installed, small)
    assert bool(differences(found, before)) == (name not in UNSEEN)


@pytest.mark.long
def test_a_rebase_in_another_worktree_is_seen_there_and_not_here(installed, small, tmp_path):
    other = small.worktree(tmp_path / "other", "side")
    here, there = asked(installed, small), asked(installed, other)
    other.git("rebase", "-q", "main")
    edit(other)
    found = asked(installed, other)
    assert differences(found, there)
    assert found[0]["tree"]["commit"] == other.rev() != small.rev()
    assert differences(asked(installed, small), here) == []
    # a linked worktree holds no repository that could be copied
    with Aside(other):
        assert differences(found, asked(installed, other)) == []


@pytest.mark.long
def test_a_rebase_that_stops_is_seen_at_each_step(installed, small):
    small.replace(EDITED, "1.5", "9.75")
    small.commit("against what the other branch says")
    assert small.run("rebase", "side", check=False).returncode != 0
    text = small.file(EDITED).read_text(encoding="utf-8")
    assert "<<<<<<<" in text
    assert_as_fresh(installed, small)
    small.write(EDITED, text.replace("<", "").replace(">", "").replace("=======", ""))
    small.git("add", "-u")
    small.git("commit", "-q", "-m", "of both")
    small.git("rebase", "--continue")
    assert_as_fresh(installed, small)


def test_a_commit_between_two_looks_at_the_repository_does_no_harm(small):
    # HEAD is resolved by one process and edited files are found by another
    session = Session(small.path)
    assert session.head is not None
    edit(small)
    small.commit()
    found = select_tree(session).open()
    assert found.tree.tree == small.rev("HEAD^{tree}")
    assert found.tree.dirty == 0


# ---------------------------------------------------------------- large gaps


@pytest.fixture(scope="module")
def behind_template(installed, isolation, tmp_path_factory):
    """A repository of many files whose index is of a commit with few of them."""
    repo = build_small(tmp_path_factory.mktemp("behind") / "behind")
    assert installed.run("index", "-q", cwd=repo.path).returncode == 0
    crowd = build_crowd(tmp_path_factory.mktemp("crowd") / "crowd", CROWD)
    repo.git("fetch", "-q", str(crowd.path), "main:crowd")
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "many", "crowd")
    return repo


@pytest.fixture
def behind(behind_template):
    return copied(behind_template)


@pytest.fixture(scope="module")
def up_to_date(installed, behind_template):
    return asked_afresh(installed, behind_template)


@pytest.mark.long
def test_a_large_gap_is_finished_with_progress(installed, behind, up_to_date):
    command = ("git", "search", "--no-pager", *QUERIES[0].split())
    terminal = Terminal(*command, cwd=behind.path, env=installed.environment())
    total = int(terminal.read(rb"indexing.* \d+/(\d+) files").group(1))
    assert terminal.finish() == 0
    assert total > FEW_FILES
    assert differences(asked(installed, behind), up_to_date) == []


def adds_up(covered):
    counted = covered["searchable"] + sum(covered["skipped"].values()) + covered["pending"]
    return counted == covered["tracked"]


@pytest.mark.long
def test_off_answers_from_what_is_known_and_says_what_is_pending(installed, behind, up_to_date):
    edit(behind)
    for _ in range(2):
        found = asked(installed, behind, "--refresh", "off")
        covered = found[0]["coverage"]
        assert adds_up(covered)
        assert covered["tracked"] == up_to_date[0]["coverage"]["tracked"]
        assert 0 < covered["searchable"] < FEW_FILES
        assert covered["pending"] >= CROWD
        assert found[0]["warnings"]
    assert any("compute_hasty_delay" in one["text"] for one in found[1]["results"])


def test_in_the_background_another_process_finishes_the_gap(installed, behind, up_to_date):
    found = asked(installed, behind, "--refresh", "background")[0]
    assert adds_up(found["coverage"])
    assert found["results"], "some files answer at once"
    until = time.monotonic() + PATIENCE
    while installed.answer("--refresh", "off", QUERIES[0], cwd=behind.path)["coverage"]["pending"]:
        assert time.monotonic() < until, "nothing was finished in the background"
        time.sleep(0.2)
    assert differences(asked(installed, behind, "--refresh", "off"), up_to_date) == []


# ---------------------------------------------------------------- readers that stay

# What a server does: it keeps one opener, and here also all that it ever opened. For each line of
# input it opens anew and says what all its views hold of the query.
READER = """
import json, sys
from pathlib import Path
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.session import Session
from gitsearch.git import repo as repository, worktree
from gitsearch.render.progress import Meter
from gitsearch.retrieval import engine, filters, query

session = Session(Path.cwd(), Meter(visible=False))
repo, settings = session.repo, session.settings
opener = ViewOpener(session)
views = []
for line in sys.stdin:
    status = worktree.start_status(repo, untracked=False)
    dirty = worktree.read_status(repo, status, settings.max_file_size).dirty
    views.append(opener.open(repository.head(repo), dirty).view)
    told = []
    for view in views:
        mask = filters.by_file(view)
        found = engine.search(view, query.parse(line.strip()), mask, engine.Options(count=20))
        places = [(*view.locate(one.row), round(float(one.score), 6)) for one in found]
        told.append([
            [segment.path(int(segment["chunk_file"][row])).decode(), score]
            for segment, row, score in places
        ])
    print(json.dumps(told), flush=True)
"""


class Reader:
    """A process that holds a repository open."""

    def __init__(self, installed, repo):
        self._process = subprocess.Popen(
            [installed.python, "-c", READER],
            cwd=repo.path,
            env=installed.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate()
        assert self._process.returncode == 0

    def ask(self):
        """What all views that it opened say, the newest last."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{QUERIES[0]}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def told(answers):
    return [[one["path"], one["score"]] for one in answers[0]["results"]]


@pytest.mark.long
def test_a_reader_that_stays_sees_every_new_tree_and_keeps_its_old_ones(installed, small):
    with Reader(installed, small) as reader:
        said = [reader.ask()[-1]]
        assert said[0] == told(asked(installed, small))

        def assert_new():
            # asked before the program is, it finishes the gap itself
            *kept, new = reader.ask()
            assert kept == said
            assert new == told(asked_afresh(installed, small))
            assert new != said[-1]
            said.append(new)

        edit(small)
        assert_new()
        small.commit()
        edit(small, "careful")
        small.commit()
        # another process finishes this one
        assert told(asked(installed, small)) != said[-1]
        assert_new()
        small.git("reset", "-q", "--hard", "side")
        small.git("branch", "-q", "-D", "side")
        small.git("reflog", "expire", "--expire=now", "--all")
        small.git("gc", "-q", "--prune=now")
        assert installed.run("gc", cwd=small.path).returncode == 0
        assert_new()
        shutil.rmtree(small.index_dir)
        edit(small)
        assert_new()
