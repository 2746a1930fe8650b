"""Record the test files that run each function of a Python repository, from its own tests.

    python -m bench.impact_oracle CHECKOUT SOURCE OUT.json --python PYTHON
        [--tests FOLDER] [--ignore TEST]...

PYTHON is the interpreter of an environment with the repository, what its tests need, pytest and
coverage.py. The tests run once with the dynamic context `test_function` of coverage.py, which
notes for each line the test function that was running; code that runs while modules are imported
or fixtures are set up has no test. Written is

    {"revision": commit, "tests": folder, "functions": [[path, name, line, [test file, ...]], ...]}

with one entry for each function below SOURCE of which a line of the body was run by a test. The
coverage data is not part of the program: only this measurement needs it.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench import filing

_SETTINGS = "[run]\ndynamic_context = test_function\nsource = {source}\ndata_file = {data}\n"


def main() -> None:
    args = _parser().parse_args()
    checkout = args.checkout.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        measured = _measure(checkout, args, Path(scratch))
    modules = _modules(checkout, args.tests)
    functions = [
        [path, name, line, tests]
        for path in sorted(measured)
        for name, line, tests in _functions(checkout / path, measured[path]["contexts"], modules)
    ]
    filing.write_oracle(args.out, checkout, functions, {"tests": args.tests})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.impact_oracle", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("source", help="the folder of the program, as src")
    parser.add_argument("out", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--tests", default="tests")
    parser.add_argument(
        "--ignore", action="append", default=[], help="a test file that is not run"
    )
    return parser


def _measure(checkout: Path, args: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Run the tests; returns what coverage.py says of each file, by path."""
    settings, data, out = (scratch / name for name in ("settings", "data", "out.json"))
    settings.write_text(_SETTINGS.format(source=args.source, data=data), "utf-8")
    coverage = [args.python, "-m", "coverage"]
    left_out = [f"--ignore={path}" for path in args.ignore]
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out, args.tests]
    subprocess.run([*coverage, "run", f"--rcfile={settings}", *tests], cwd=checkout, check=False)
    report = ["json", f"--rcfile={settings}", "--show-contexts", "-q", "-o", str(out)]
    subprocess.run([*coverage, *report], cwd=checkout, check=True)
    files: dict[str, Any] = json.loads(out.read_bytes())["files"]
    return files


def _modules(checkout: Path, tests: str) -> dict[str, str]:
    """The test files by the names under which pytest may import them."""
    modules: dict[str, str] = {}
    for path in sorted((checkout / tests).rglob("*.py")):
        parts = path.relative_to(checkout).with_suffix("").parts
        for first in range(len(parts)):
            modules.setdefault(".".join(parts[first:]), str(path.relative_to(checkout)))
    return modules


def _functions(
    file: Path, contexts: dict[str, list[str]], modules: dict[str, str]
) -> list[tuple[str, int, list[str]]]:
    """The functions of a file that tests run: name, line, test files."""
    found = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = {
                inner.lineno
                for statement in node.body
                for inner in ast.walk(statement)
                if hasattr(inner, "lineno")
            }
            running = {name for line in lines for name in contexts.get(str(line), ())}
            tests = {path for name in running if (path := _file_of(name, modules))}
            if tests:
                found.append((node.name, node.lineno, sorted(tests)))
    return found


def _file_of(context: str, modules: dict[str, str]) -> str | None:
    """The test file of a context, which is a dotted name of a test function."""
    name = context
    while name:
        if name in modules:
            return modules[name]
        name = name.rpartition(".")[0]
    return None


if __name__ == "__main__":
    main()
