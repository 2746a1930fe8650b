"""A report on changed files whose text has beginnings without ends, 256 KB of each.

The files define a name that others use, so that both sides of the change are read: before it they
are in order, after it they are hostile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.hostile.outcome import survived
from tests.installation import Installation

pytestmark = pytest.mark.long

SIZE = 256 << 10
# A file of longer lines is taken for a generated one, and not looked at.
LINE = 80

# A file before and after the change, by path; None: it stays.
Files = dict[str, tuple[str, str | None]]


def lines_of(text: str) -> str:
    """Lines that repeat a text, SIZE characters in all."""
    line = text * max(LINE // len(text), 1) + "\n"
    return line * (SIZE // len(line))


def javascript() -> Files:
    """Exports that never end, and files that hand on all names of two others each."""
    hostile = {
        "patterns": lines_of("export const ["),
        "lists": lines_of("export { "),
        "types": lines_of("export type { "),
        "variables": lines_of("export const "),
        "blanks": "export function" + lines_of(" "),
        "values": "export const a, " + lines_of("a:"),
        "comments": lines_of("/* "),
        "quotes": lines_of('"\\'),
        "keys": "module.exports = {async" + lines_of(" ") + "}",
        "brackets": "module.exports = {" + lines_of("[") + lines_of("]") + "}",
    }
    files: Files = {}
    for name, text in hostile.items():
        files[f"{name}.js"] = ("export function f() {}\n", text)
        use = f"import {{ f }} from './{name}';\nimport * as m from './{name}';\nf();\nm.f();\n"
        files[f"use_{name}.js"] = (use, None)
    layers = 40
    for layer in range(layers):
        both = "".join(f"export * from './layer{layer + 1}{one}';\n" for one in "ab")
        for one in "ab":
            files[f"layer{layer}{one}.js"] = (both, None)
    for one in "ab":
        files[f"layer{layers}{one}.js"] = (f"export const f{one} = 1;\n", "const g = 1;\n")
    files["use_layers.js"] = ("import { fa } from './layer0a';\nfa;\n", None)
    return files


def python() -> Files:
    """Strings that never end, and one name that is used in every line."""
    hostile = {
        "double": lines_of('"\\'),
        "single": lines_of("'\\"),
        "tripled": lines_of("''' \"\"\" '\\"),
        "gone": "",
    }
    files: Files = {}
    for name, text in hostile.items():
        files[f"{name}.py"] = ("def f():\n    pass\n", text)
        files[f"use_{name}.py"] = (f"import {name}\n" + f"{name}.f\n", None)
    files["use_often.py"] = ("import gone\n" + "gone.f\n" * (SIZE // 7), None)
    return files


def java() -> Files:
    """Types without bodies, and arguments of types that never end."""
    hostile = {
        "Arguments": lines_of("a<"),
        "Types": lines_of("class "),
        "Lines": "\n" * SIZE,
        "Dollars": lines_of("$"),
        "Quotes": lines_of('"\\'),
    }
    files: Files = {}
    for name, text in hostile.items():
        files[f"{name}.java"] = (f"class {name} {{ static int f() {{ return 1; }} }}\n", text)
        use = f"class Use{name} {{ int g() {{ return {name}.f(); }} }}\n"
        files[f"Use{name}.java"] = (use, None)
    return files


def go() -> Files:
    """Methods without receivers, and a name that is used in every line."""
    return {
        "go.mod": ("module ex.com/m\n", None),
        "p/a.go": ("package p\n\nfunc F() {}\n", "package p\n" + lines_of("func (")),
        "p/b.go": ("package p\n\nfunc g() { F() }\n", "package p\n\nfunc g() { F() }\n//\n"),
        "q/q.go": ('package q\n\nimport "ex.com/m/p"\n\n' + "p.F\n" * (SIZE // 4), None),
    }


CASES: Mapping[str, Files] = {one.__name__: one() for one in (javascript, python, java, go)}


def written(files: Files, *, after: bool) -> Iterator[tuple[str, str]]:
    for path, (first, then) in files.items():
        if not after:
            yield path, first
        elif then is not None:
            yield path, then


@pytest.mark.parametrize("files", CASES.values(), ids=CASES)
def test_a_report_ends(installed: Installation, tmp_path: Path, files: Files):
    repo = RepoBuilder(tmp_path / "repo")
    for after in (False, True):
        for path, text in written(files, after=after):
            repo.write(path, text)
        repo.git("add", ".")
        repo.git("commit", "-q", "-m", "text")
    done = survived(installed, "report", "--base", "HEAD~1", cwd=repo.path, codes={0})
    assert "Broken imports and uses" in done.stdout
