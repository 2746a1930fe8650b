"""A runner of composite actions: each step in a shell, with the files and variables of GitHub.

What it leaves out is what the action does not use; what it meets and does not know is an error.
Of other actions there are stand-ins: functions of their inputs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.ci import expressions

SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
# What a runner takes for a command: at the start of a line, or in the old form anywhere.
COMMAND = re.compile(r"^\s*::(?P<name>[\w-]+)[^:]*::|##\[(?P<old>[\w-]+)[^\]]*\]")
KNOWN = {"id", "name", "if", "shell", "env", "run", "uses", "with", "continue-on-error"}

StandIn = Callable[[Mapping[str, str], Path], Mapping[str, str]]


@dataclass
class Outcome:
    """What a run has left: outputs of the action and of its steps, the summary, the log."""

    outputs: dict[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    troubled: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    summary: str = ""
    log: str = ""
    failed: bool = False

    @property
    def commands(self) -> list[str]:
        """The lines that a runner has taken for commands."""
        return list(commands(self.log))


@dataclass
class Runner:
    """A job in a folder of its own."""

    workspace: Path
    temporary: Path
    environment: dict[str, str]
    stand_ins: Mapping[str, StandIn]

    def run(self, action: Path, inputs: Mapping[str, str], token: str) -> Outcome:
        """Run the action with these inputs; unknown ones are an error."""
        read = yaml.safe_load((action / "action.yml").read_text())
        assert read["runs"]["using"] == "composite"
        assert set(inputs) <= set(read["inputs"])
        contexts: dict[str, Any] = {"github": {"token": token}, "failed": False, "steps": {}}
        contexts["inputs"] = {
            name: expressions.filled(inputs.get(name, one.get("default", "")), contexts)
            for name, one in read["inputs"].items()
        }
        outcome = Outcome()
        for number, step in enumerate(read["runs"]["steps"]):
            assert set(step) <= KNOWN, step
            self._step(step, number, action, contexts, outcome)
        outcome.outputs = {
            name: expressions.filled(one["value"], contexts)
            for name, one in read["outputs"].items()
        }
        outcome.failed = contexts["failed"]
        return outcome

    def _step(
        self, step: dict[str, Any], number: int, action: Path, contexts: Any, outcome: Outcome
    ) -> None:
        name = step.get("id", str(number))
        if not expressions.holds(step.get("if", "success()"), contexts):
            return
        outcome.ran.append(name)
        started, spent = time.monotonic(), _of_children()
        if "uses" in step:
            given = {key: expressions.filled(one, contexts) for key, one in step["with"].items()}
            set_by = dict(self.stand_ins[step["uses"].split("@")[0]](given, self.workspace))
            code = 0
        else:
            code, set_by = self._shell(name, step, action, contexts, outcome)
        outcome.seconds[name] = time.monotonic() - started
        outcome.cpu[name] = _of_children() - spent
        contexts["steps"][name] = {"outputs": set_by}
        outcome.steps[name] = set_by
        if code:
            outcome.troubled.append(name)
            contexts["failed"] |= not step.get("continue-on-error")

    def _shell(
        self, name: str, step: dict[str, Any], action: Path, contexts: Any, outcome: Outcome
    ) -> tuple[int, dict[str, str]]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an expression in a script can be an injection"
        stand_in = self.stand_ins.get(name)
        if stand_in is not None:
            return 0, dict(stand_in({}, self.workspace))
        files = self.temporary / "_runner_file_commands" / name
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir(parents=True)
        names = {"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH"}
        for each in names:
            (files / each).touch()
        own = {key: expressions.filled(one, contexts) for key, one in step.get("env", {}).items()}
        script = files / "script.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            [*SHELL, script],
            cwd=self.workspace,
            env={
                **self.environment,
                **{each: str(files / each) for each in names},
                "GITHUB_ACTION_PATH": str(action),
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self.temporary),
                **own,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        outcome.log += done.stdout.decode(errors="replace")
        outcome.summary += (files / "GITHUB_STEP_SUMMARY").read_text()
        assert (files / "GITHUB_STEP_SUMMARY").stat().st_size <= 1 << 20
        assert (files / "GITHUB_ENV").read_text() == ""
        for line in (files / "GITHUB_PATH").read_text().splitlines():
            self.environment["PATH"] = f"{line}:{self.environment['PATH']}"
        return done.returncode, dict(outputs((files / "GITHUB_OUTPUT").read_text()))


def _of_children() -> float:
    """The processor's seconds that ended children have taken."""
    return sum(os.times()[2:4])


def outputs(text: str) -> Any:
    """The pairs of a file of outputs, in both of its forms."""
    lines = iter(text.splitlines())
    for line in lines:
        name, sign, end = line.partition("<<")
        if "=" in name or not sign:
            name, _, value = line.partition("=")
            yield name, value
            continue
        held = []
        for inner in lines:
            if inner == end:
                break
            held.append(inner)
        else:
            raise AssertionError(f"the output {name} has no end")
        yield name, "\n".join(held)


def commands(log: str) -> Any:
    """The lines that a runner takes for commands, by its own rules for stopping."""
    resume = None
    for line in log.splitlines():
        if resume is not None:
            if line.strip() == f"::{resume}::":
                resume = None
            continue
        found = COMMAND.search(line)
        if found is None:
            continue
        if found["name"] == "stop-commands":
            resume = line.rpartition("::")[2]
            continue
        yield line
