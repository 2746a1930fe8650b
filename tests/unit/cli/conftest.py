"""Commands that are not called but recorded."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gitsearch.cli.application import run
from gitsearch.reports.maintenance import (
    ExportReport,
    FileSize,
    GcReport,
    IndexReport,
    SkippedFile,
    SqlReport,
    StatusReport,
    VerifyReport,
)
from tests.unit.render.reports import (
    ARCHITECTURE,
    CHART,
    CLASS,
    CONTEXT,
    COVERAGE,
    DUP,
    EXPERTS,
    HISTORY,
    METHOD,
    RELATED,
    REMOVED,
    RETRY,
    RULES,
    THERE,
    TOGETHER,
    TREE,
    WHY,
    existence,
    found,
    pull,
    rules,
    symbols,
)

ROOT = Path(__file__).parents[3]
STATUS = StatusReport(
    TREE,
    COVERAGE,
    "/r/.git/search",
    True,
    (),
    (),
    1,
    2,
    3,
    4,
    (),
    "m",
    (SkippedFile("a.bin", "binary"),),
    (),
    (),
)
ANSWERS = {
    "search": ("search", found(RETRY)),
    "index": ("index", IndexReport(TREE, COVERAGE, 1, 2, 3, 4, 0.5, False, ())),
    "status": ("status", STATUS),
    "verify": ("verify", VerifyReport((FileSize("seal", 3),), ())),
    "gc": ("collect", GcReport(1, 2, 3, 4, 5)),
    "share": ("export", ExportReport("f", (TREE,), 1, 2, 0.5, ())),
    "sql": ("sql", SqlReport(("n",), ((1,),))),
    "define": ("define", symbols(METHOD)),
    "outline": ("outline", symbols(CLASS, METHOD)),
    "map": ("code_map", CHART),
    "context": ("context", CONTEXT),
    "architecture": ("architecture", ARCHITECTURE),
    "related": ("related", RELATED),
    "changed_together": ("changed_together", TOGETHER),
    "report": ("report", pull("src/a.py")),
    "dup": ("dup", DUP),
    "history": ("history", HISTORY),
    "removed_code": ("removed_code", REMOVED),
    "why": ("why", WHY),
    "experts": ("experts", EXPERTS),
    "conventions": ("conventions", rules(RULES)),
    "exists": ("exists", existence(THERE)),
}


class Commands:
    """Stand-ins for the commands: what they answer, and how they were called."""

    def __init__(self, monkeypatch):
        self.calls = []
        self.answers: dict[str, object] = {
            module: answer for module, (_, answer) in ANSWERS.items()
        }
        for module, (function, _) in ANSWERS.items():
            request = f"{''.join(map(str.capitalize, module.split('_')))}Request"
            own = {"BUDGET": 2000, request: lambda *fields: fields}
            stand_in = SimpleNamespace(**own, **{function: self._record(module)})
            if module == "removed_code":
                stand_in.removed_definitions = self._record(module)
            monkeypatch.setitem(sys.modules, f"gitsearch.commands.{module}", stand_in)

    def _record(self, module):
        def command(*arguments, **options):
            self.calls.append((module, arguments, options))
            answer = self.answers[module]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return command

    @property
    def request(self):
        """The request of the only search."""
        ((_, (_, request), _),) = self.calls
        return request


@pytest.fixture
def commands(monkeypatch):
    return Commands(monkeypatch)


@pytest.fixture
def ask(commands, capsys):
    """Run the command line in this process: exit code, stdout, stderr."""

    def call(*words):
        code = run(words)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call


@pytest.fixture
def start():
    """Start the program in a process of its own, with a command of `program.py`."""
    started = []

    def start(behaviour, *words, **options):
        command = [sys.executable, "-m", "tests.unit.cli.program", behaviour, *words]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        environment = options.pop("env", {})
        process = subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, **options
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
