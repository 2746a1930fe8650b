"""No module of the repository is imported, whatever is asked, started or killed."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gitsearch.cli.verb_names import VERBS
from gitsearch.index import extraction_pool
from tests.builder import RepoBuilder
from tests.ci import pulls
from tests.ci.hub import Hub, serving
from tests.ci.jobs import Cache, Jobs
from tests.ci.pulls import proposed
from tests.hostile.outcome import HANG, comes, noted, orderly, processes
from tests.installation import locked
from tests.sample import RETRY

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]

# Files of the repository beside its modules.
FILES = 12

# What our scripts and those that they call import, beside the standard library and our packages.
TOOLS = frozenset({"gitsearch", "hatchling", "pip", "pre_commit", "setuptools", "sitecustomize",
                   "tests", "usercustomize", "virtualenv"})  # fmt: skip

VERB_CASES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "index": (("index", "--rebuild"), ("index", "--at", "v1"), ("index", "-n"),
              ("index", "--in", ".")),
    "status": (("status",), ("status", "--check"), ("status", "--skipped")),
    "verify": (("verify",),),
    "gc": (("gc",),),
    "sql": (("sql", "select count(*) from chunk"),),
    "batch": (("batch",),),
    "mcp": (("mcp",),),
    "serve": (("serve", "--listen", "nowhere"),),
    "context": (("context", "retry delay"), ("context", "--changes")),
    "share": (("share", "export", "../made.share"), ("share", "import", "../made.share")),
    "def": (("def", "compute_delay"), ("def", "--removed", "compute_delay")),
    "refs": (("refs", "compute_delay"), ("refs", "--in", ".", "compute_delay")),
    "outline": (("outline", "lib/retry_0.py"),),
    "impact": (("impact", "lib/retry_0.py"), ("impact", "--diff", "v1..HEAD"),
               ("impact", "--in", ".", "lib/retry_0.py")),
    "related": (("related", "lib/retry_0.py"), ("related", "lib/retry_0.py:20"),
                ("related", "--by=change", "lib")),
    "history": (("history", "retry delay"), ("history", "--removed", "retry delay")),
    "why": (("why", "lib/retry_0.py:20"),),
    "experts": (("experts", "lib"), ("experts", "retry", "delay")),
    "export": (("export", "--parquet", "../made"), ("export", "--parquet", "../made", "--text"),
               ("share", "import", "../made")),
    "dup": (("dup",), ("dup", "--cached")),
    "map": (("map",),),
    "architecture": (("architecture",),),
    "exists": (("exists", "compute_delay", "nowhere_at_all"),),
    "conventions": (("conventions",),),
    "report": (("report", "--base", "v1"), ("report", "--cached", "--check")),
    "hooks": (("hooks", "install"), ("hooks", "status"), ("hooks", "run", "--wait"),
              ("hooks", "run"), ("hooks", "uninstall")),
    "ci": (("ci", "plan"), ("ci", "run"), ("ci", "comment")),
    "help": (("help", "index"),),
}  # fmt: skip
# What verbs that answer many questions are asked, one a line.
LINES = {
    "batch": "".join(f"{json.dumps({'argv': words})}\n" for words in (
        ["retry", "delay"], ["def $F($$$A): $$$B"], ["def", "compute_delay"], ["dup"],
    )),
    "mcp": "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in (
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "trap", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "search", "arguments": {"query": "retry delay"}}},
    )),
}  # fmt: skip
SEARCHES = (
    ("-F", "compute_delay"),
    ("--cached", "-E", "def .*delay"),
    ("--mode", "structural", "def $F($$$A): $$$B"),
    ("--changed=v1..HEAD", "retry"),
    ("retry", "delay"),
    ("--in", "..", "retry", "delay"),
    ("--refresh", "background", "retry", "delay"),
    ("--at", "v1", "--refresh", "background", "retry"),
    ("--cached", "retry"),
    ("--untracked", "--grep", "def ", "--json", "retry"),
)

# A system's own modules, without which the standard library cannot be imported there.
DARWIN = """\
import sys, sysconfig, types
sysconfig.get_config_vars()
sys.platform = "darwin"
sys.modules["_scproxy"] = types.SimpleNamespace(_get_proxies=dict, _get_proxy_settings=dict)
"""


class Trap:
    """A repository whose modules have the names of those that a Python of ours may import."""

    def __init__(self, folder: Path) -> None:
        self.said = folder / "imported"
        self.repo = RepoBuilder(folder / "trap")
        self.names = sorted({*sys.stdlib_module_names, *packages(), *TOOLS})
        text = f"open({str(self.said)!r}, 'a').write(__name__ + chr(10))\n"
        for name in self.names:
            self.repo.write(f"{name}.py", text)
        # as much text as several processes share out
        code = RETRY.render("python")
        copies = 1 + extraction_pool.ALONE_BYTES // (FILES * len(code))
        for number in range(FILES):
            large = "".join(code.replace("Retry", f"Retry{number}_{n}") for n in range(copies))
            self.repo.write(f"lib/retry_{number}.py", large)
        self.repo.commit("start")
        self.repo.git("tag", "v1")
        self.repo.append("lib/retry_0.py", "\n\ndef more():\n    return 1\n")
        self.repo.commit("more")
        # git itself runs us in the git directory of a bare repository
        for name in self.names:
            Path(self.repo.path, ".git", f"{name}.py").write_text(text)

    def edit(self) -> None:
        """Stage and edit some files."""
        self.repo.append("lib/retry_1.py", "\n\ndef staged():\n    return 1\n")
        self.repo.git("add", "lib/retry_1.py")
        self.repo.append("lib/retry_2.py", "\n\ndef edited():\n    return 1\n")

    def imported(self) -> list[str]:
        """The modules of the repository that were imported."""
        return self.said.read_text().split() if self.said.exists() else []


def packages() -> set[str]:
    """Names under which installed packages are imported, ours among them."""
    return {name for name in importlib.metadata.packages_distributions() if name.isidentifier()}


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    made = Trap(tmp_path)
    assert len(made.names) > 350
    assert {"struct", "signal", "json", "numpy", "gitsearch", "pip", "venv"} <= set(made.names)
    return made


@pytest.fixture(params=["linux", "darwin"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """An environment whose Pythons say that they run on a system."""
    if request.param == "linux":
        return {}
    folder = tmp_path / "as-darwin"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(DARWIN)
    return {"PYTHONPATH": str(folder)}


def test_no_verb_imports_a_module_of_the_repository(installed, trap, platform, tmp_path):
    assert set(VERB_CASES) == set(VERBS)
    assert set(LINES) <= set(VERB_CASES)
    with noted(tmp_path) as env:
        for words in (*SEARCHES[1:2], *SEARCHES):
            orderly(installed.run(*words, cwd=trap.repo.path, env=env | platform))
        trap.edit()
        for case in (*SEARCHES, *(case for cases in VERB_CASES.values() for case in cases)):
            lines = LINES.get(case[0], "")
            orderly(installed.run(*case, cwd=trap.repo.path, env=env | platform, input=lines))
            assert trap.imported() == [], case
        # from below the top, and where there is no working tree
        orderly(installed.run("retry", cwd=trap.repo.path / "lib", env=env | platform))
        words = ("--at", "v1", "--refresh", "background", "retry")
        orderly(installed.run(*words, cwd=trap.repo.path / ".git", env=env | platform))
    assert trap.imported() == []


def test_a_worker_that_is_killed_imports_none(installed, trap, platform, tmp_path):
    with noted(tmp_path) as env:
        process = installed.start("index", cwd=trap.repo.path, env=env | platform)
        killed: set[int] = set()
        seen: set[int] = set()
        while process.poll() is None:
            children = children_of(git_search(process.pid))
            # one that is there for the first time may be on its way to be git
            for child in children & seen - killed if len(killed) < 6 else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                killed.add(child)
            seen = children
            time.sleep(0.05)
        orderly(subprocess.CompletedProcess([], process.returncode, *process.communicate()))
    assert len(killed) > 2
    assert trap.imported() == []
    # what they died over was made by others
    status = installed.run("status", cwd=trap.repo.path).stdout
    assert re.search(r"searchable +\d+ of \d+", status)
    assert "pending" not in status


def git_search(pid: int) -> int:
    """The process of ours that git has started."""
    return next(iter(children_of(pid)), 0)


def children_of(pid: int) -> set[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return set()
    return {int(word) for word in listed.split() if not is_git(int(word))} if pid else set()


def is_git(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "git"
    except OSError:
        return True


def test_no_hook_of_git_or_of_pre_commit_imports_one(
    installed, trap, platform, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", installed.environment()["PATH"])
    with noted(tmp_path) as env:
        for name, value in (env | platform).items():
            monkeypatch.setenv(name, value)
        for words in (("index",), ("hooks", "install")):
            orderly(installed.run(*words, cwd=trap.repo.path))
        trap.edit()
        trap.repo.commit("by a hook")
        trap.repo.git("checkout", "-q", "-b", "other", "v1")
        trap.repo.write("lib/other.py", "def other():\n    return 1\n")
        trap.repo.commit("beside")
        trap.repo.git("checkout", "-q", "main")
        trap.repo.git("merge", "-q", "--no-edit", "other")
        trap.repo.git("rebase", "-q", "v1")
        trap.edit()
        manifest = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        entries = re.findall(r"^  entry: (.*)$", manifest, re.MULTILINE)
        assert len(entries) >= 5
        for entry in entries:
            done = subprocess.run(
                shlex.split(entry),
                cwd=trap.repo.path,
                capture_output=True,
                text=True,
                check=False,
                timeout=HANG,
            )
            orderly(done)
    assert "done:" in (trap.repo.index_dir / "worker.log").read_text()
    assert trap.imported() == []


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub()) as found:
        yield found


def job(trap: Trap, jobs: Jobs) -> tuple[Path, pulls.PullRequest]:
    """A checkout of a pull request of the repository."""
    trap.repo.write("lib/user.py", "from lib.retry_3 import RetryPolicy\n")
    trap.repo.commit("used")
    trap.repo.branch("feature")
    trap.repo.remove("lib/retry_3.py")
    trap.repo.commit("proposed")
    trap.repo.checkout("main")
    pull = proposed(trap.repo)
    return pulls.checked_out(trap.repo, jobs.folder / "work", pull.merge, 1).path, pull


@pytest.mark.slow
def test_no_step_of_the_action_imports_one(
    installed, trap, platform, hub, tmp_path, outside_environment
):
    """pip builds the checkout, and its packages come from where those of the tests do."""
    (tmp_path / "cache").mkdir()
    jobs = Jobs(installed, hub, Cache(tmp_path / "cache"), tmp_path)
    checkout, pull = job(trap, jobs)
    hub.open_pull(7, pull.head)
    event = {**pulls.environment(pull, jobs.folder), **platform}
    if not platform:  # pip itself would look for packages of another system
        event |= outside_environment
        event["XDG_CACHE_HOME"] = f"{outside_environment['HOME']}/.cache"  # where pip has wheels
        event["PATH"] = os.environ["PATH"]  # without the program of the tests
    found = jobs.run(checkout, event, install=not platform)
    assert not found.troubled, found.log
    assert {"plan", "run", "comment"} <= set(found.ran)
    assert len(hub.bodies(7)) == 1
    assert trap.imported() == []


def test_of_processes_that_searches_leave_behind_one_waits(installed, indexed, tmp_path):
    with noted(tmp_path) as env, locked(indexed.index_dir / "lock"):
        (mark,) = ("=".join(item) for item in env.items())
        for number in range(5):
            indexed.write(f"more/part{number}.py", f"def part{number}():\n    return 1\n" * 400)
            indexed.commit()
            words = ("--refresh", "background", "retry")
            orderly(installed.run(*words, cwd=indexed.path, env=env))
        comes(lambda: len(processes(mark)) == 1, "several processes wait")
    assert installed.run("status", "--check", cwd=indexed.path).returncode in (0, 1)
    assert "part4.py" in installed.run("-l", "part4", cwd=indexed.path).stdout
