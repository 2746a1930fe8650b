"""The map of the package, as tests."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gitsearch"
MODULES = sorted(PACKAGE.rglob("*.py"))
INITS = [path for path in MODULES if path.name == "__init__.py"]
LINE_LIMIT = 400
NAMELESS = {"utils", "util", "helpers", "common", "misc", "core", "base", "shared"}
HEAVY = ("pygit2", "numpy", "scipy", "duckdb", "igraph", "model2vec", "tokenizers", "tree_sitter")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_are_modules_to_check():
    # a glob that finds nothing would make every test below pass
    assert len(MODULES) > 40
    assert len(INITS) > 8


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_module_is_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINE_LIMIT


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_module_has_a_real_name(path):
    assert path.stem not in NAMELESS


def test_no_two_modules_share_a_name():
    names = Counter(path.stem for path in MODULES if path.stem != "__init__")
    assert [stem for stem, count in names.items() if count > 1] == []


@pytest.mark.parametrize("path", INITS, ids=name)
def test_init_imports_nothing(path):
    code = path.read_text(encoding="utf-8").split('"""')[-1]
    assert not re.search(r"^\s*(import|from)\b", code, re.MULTILINE)


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
