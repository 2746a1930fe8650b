"""Of the commands that the configuration of a clone names only those of `git status` run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.hostile.outcome import orderly

pytestmark = pytest.mark.long

# Every setting of git that names a command, as far as any git command of ours could meet it.
COMMANDS = (
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.trap.command",
    "diff.trap.textconv",
    "filter.trap.clean",
    "filter.trap.process",
    "filter.trap.smudge",
    "gpg.program",
    "interactive.diffFilter",
    "merge.trap.driver",
    "pager.search",
    "sequence.editor",
    "uploadpack.packObjectsHook",
    *(f"pager.{name}" for name in ("diff", "grep", "log", "config", "branch")),
)
HOOKS = (
    "post-checkout", "post-commit", "post-index-change", "post-merge", "post-rewrite",
    "pre-auto-gc", "pre-commit", "pre-push", "reference-transaction", "fsmonitor-watchman",
)  # fmt: skip

ASKED = (
    ("retry", "delay"),
    ("--json", "--grep", "def ", "retry", "--", "service"),
    ("exists", "compute_delay", "nowhere_at_all"),
    ("def", "compute_delay"),
    ("refs", "compute_delay"),
    ("outline", "service/retry_policy.py"),
    ("map",),
    ("architecture",),
    ("conventions",),
    ("impact", "service/retry_policy.py"),
    ("related", "service/retry_policy.py:20"),
)
AT = (
    *((*words[:1], "--at", "v1.0", *words[1:]) for words in ASKED),
    ("index", "--at", "v0.2"),
    ("report", "--base", "v0.2", "--head", "v1.0"),
    ("impact", "--diff", "v0.2..v1.0"),
    ("dup", "--changed=v0.2..v1.0"),
)
CACHED = (
    ("--cached", "retry", "delay"),
    ("--cached", "--grep", "def ", "retry", "--", "service"),
    ("impact", "--cached"),
    ("dup", "--cached"),
    ("report", "--cached"),
)


class Armed:
    """The sample repository, with each setting and each hook set to a command that says so."""

    def __init__(self, repo: RepoBuilder, folder: Path) -> None:
        self.repo = repo
        self.said = folder / "ran"
        for number, name in enumerate(COMMANDS):
            self.repo.git("config", name, self._program(folder / f"setting{number}", name))
        for name in HOOKS:
            self._program(repo.git_dir / "hooks" / name, name)
        attributes = repo.git_dir / "info" / "attributes"
        attributes.parent.mkdir(exist_ok=True)
        attributes.write_text("* filter=trap diff=trap merge=trap\n")

    def _program(self, path: Path, name: str) -> str:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {name} >> '{self.said}'\ncat 2>/dev/null\nexit 0\n")
        path.chmod(0o755)
        return str(path)

    def ran(self) -> set[str]:
        """The settings and hooks whose commands have run."""
        return set(self.said.read_text().split()) if self.said.exists() else set()


@pytest.fixture
def armed(sample: RepoBuilder, tmp_path: Path) -> Armed:
    sample.append("service/page_cache.py", "\n\ndef staged():\n    return 1\n")
    sample.git("add", "service/page_cache.py")
    sample.append("service/retry_policy.py", "\n\ndef edited():\n    return 1\n")
    return Armed(sample, tmp_path)


@pytest.mark.parametrize("cases", [AT, CACHED], ids=["at", "cached"])
def test_no_command_of_the_configuration_runs_for_a_tree_or_the_index(installed, armed, cases):
    for words in cases:
        orderly(installed.run(*words, cwd=armed.repo.path), codes={0, 1})
        assert armed.ran() == set(), words


def test_for_edited_files_those_of_git_status_run_and_no_other(installed, armed):
    for words in (*ASKED, ("--untracked", "retry"), ("dup",), ("report",), ("status",)):
        orderly(installed.run(*words, cwd=armed.repo.path), codes={0, 1})
    assert armed.ran() <= {"core.fsmonitor", "filter.trap.process", "filter.trap.clean"}
    assert armed.ran()
