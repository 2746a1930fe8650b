"""The map of the package, as tests."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.every import check_every

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gitsearch"
MODULES = sorted(PACKAGE.rglob("*.py"))
INITS = [path for path in MODULES if path.name == "__init__.py"]
NAMELESS = {"utils", "util", "helpers", "common", "misc", "core", "base", "shared"}
HEAVY = ("pygit2", "numpy", "scipy", "duckdb", "igraph", "model2vec", "tokenizers", "tree_sitter")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_are_modules_to_check():
    # a glob that finds nothing would make every test below pass
    assert len(MODULES) > 40
    assert len(INITS) > 8


def test_module_has_a_real_name():
    def check(path):
        assert path.stem not in NAMELESS

    check_every(MODULES, check)


def test_init_imports_nothing():
    def check(path):
        code = path.read_text(encoding="utf-8").split('"""')[-1]
        assert not re.search(r"^\s*(import|from)\b", code, re.MULTILINE)

    check_every(INITS, check)


def test_command_line_starts_without_heavy_libraries():
    code = f"import sys, gitsearch.__main__; print([m for m in {HEAVY!r} if m in sys.modules])"
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert out.stdout.strip() == "[]"


def test_layer_contracts_hold():
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert re.search(r"Contracts: ([1-9]\d*) kept, 0 broken", done.stdout)


# Without -I or -P a Python looks for every module in the current folder first, and ours run in
# repositories that nobody has read yet. Only this function starts one in the program.
STARTER = ("gitsearch/git/background_process.py", "isolated_python")
ISOLATED = re.compile(r"[\s\"',]+-[IP]\b")
PYTHON = re.compile(
    r"(?:\bpython[\d.]*|\$name|\$1|sys\.executable|\.python)[\"']?(?=[\s,]+[\"']?-)"
)
SCRIPTS = [
    *(path for folder in ("action", "hooks", ".ci") for path in sorted(ROOT.glob(f"{folder}/*"))),
    *sorted(ROOT.glob(".*.yaml")),
    *sorted(ROOT.glob("tests/e2e/test_[hi]*.py")),
    ROOT / "tests/run",
    ROOT / "tests/installation.py",
]


def test_only_one_function_starts_a_python():
    banned = {"multiprocessing", "runpy", "ProcessPoolExecutor", "executable"}
    banned |= {name for name in dir(os) if name.startswith(("exec", "spawn"))}
    found = set()
    for path in MODULES:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                words = {
                    node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)
                }
                words |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                imported = [node for node in ast.walk(function) if isinstance(node, ast.Import)]
                words |= {one.name for node in imported for one in node.names}
                if words & banned:
                    found.add((name(path), function.name))
    assert found == {
        STARTER,
        ("gitsearch/git/hook_installer.py", "_program"),
    }  # which takes its folder


def test_scripts_start_isolated_pythons():
    def check(path):
        text = path.read_text(encoding="utf-8")
        starts = [text[match.end() :][:20] for match in PYTHON.finditer(text)]
        assert [after for after in starts if not ISOLATED.match(after)] == []

    check_every(SCRIPTS, check)


def test_the_scripts_that_start_a_python_are_found():
    starts = {path.name: len(PYTHON.findall(path.read_text(encoding="utf-8"))) for path in SCRIPTS}
    assert starts["install"] == 3
    assert min(starts["run"], starts["installation.py"], starts["test_install.py"]) > 0
