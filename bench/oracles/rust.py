"""What rustc resolves the `use` and `mod` items of crates to, as its dump of the HIR says.

    python -m bench.oracles.rust CHECKOUT... [--extern name=lib.rmeta] [--cfg condition]

Each target of each package is lowered, as a library and as a test, with all features and without
optional dependencies, and with the conditions given; dependencies are missing unless given, and
what needs them stays unresolved. An edge leads from a file to those of the modules it declares,
and from a `use` to the file of the module that has the name and to that of the definition. Only
edges within one crate are spoken of; what a macro brings itself is left out. RUSTC_BOOTSTRAP=1
lets a stable compiler do that.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.oracles import edges

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWNER = re.compile(r"^DefId\(0:\d+ ~ [^\[]+\[\w+\]((?:::[^)]*)?)\) => ")
_SPAN = re.compile(r"^ {16}span: (.+?\.rs):\d+:\d+: \d+:\d+ \(#0\)")
_INNER = re.compile(r"^ +inner_span: (.+?\.rs):\d+:\d+: \d+:\d+ \(#0\)")
_USE = re.compile(r"^ +span: (.+?\.rs):(\d+):\d+: \d+:\d+ \(#(\d+)\)")
_DEFINED = re.compile(r"^ +DefId\((\d+):\d+ ~ [^\[]+\[\w+\]((?:::.*)?)\),$")


_PLACES = {"bin": "src/bin", "test": "tests", "example": "examples", "bench": "benches"}


class _Crate:
    """What the dump of one crate says."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}  # of each definition
        self.modules: set[str] = set()
        # The file, the definition, the path but its last name, and what that is.
        self.uses: list[tuple[str, str, list[tuple[str, str]], set[str]]] = []

    def read(self, lines: Iterator[str]) -> None:
        """Take in the dump, an owner of definitions at a time."""
        owner = ""
        block: list[str] = []
        for line in lines:
            match = _OWNER.match(line)
            if match:
                self._owner(owner, block)
                owner, block = match[1], []
            elif len(block) < 4000:  # bodies of functions are not looked at
                block.append(line)
        self._owner(owner, block)

    def _owner(self, owner: str, block: list[str]) -> None:
        kind = next((line.strip() for line in block if line.startswith(" " * 16 + "kind: ")), "")
        for line in block:
            match = _INNER.match(line) if kind.startswith("kind: Mod(") else _SPAN.match(line)
            match = match or (_INNER.match(line) if not owner else None)
            if match:
                self.files.setdefault(owner, match[1])
                break
        if kind.startswith("kind: Mod(") or not owner:
            self.modules.add(owner)
        if kind.startswith("kind: Use("):
            self._use(owner, block)

    def _use(self, owner: str, block: list[str]) -> None:
        span = next((m for line in block if (m := _USE.match(line))), None)
        if span is None or span[3] != "0":
            return
        start = next(i for i, line in enumerate(block) if "segments: [" in line)
        last = {m[2] for line in block[:start] if (m := _DEFINED.search(line)) and m[1] == "0"}
        # The names of the path, each with what it is, as far as the dump says.
        path: list[tuple[str, str]] = []
        for line in block[start:]:
            text = line.strip()
            if text.startswith("ident: ") and line.startswith(" " * 32):
                path.append((text[len("ident: ") :].partition("#")[0], "?"))
            elif (match := _DEFINED.search(line)) and match[1] == "0" and path:
                path[-1] = (path[-1][0], match[2])
            elif text in ("Glob,", "ListStem,") or text.startswith("Single("):
                break
        self.uses.append((span[1], owner, path[:-1], last))

    def _before(self, owner: str, path: list[tuple[str, str]]) -> str | None:
        """The module that the last name of a path is looked up in."""
        at: str | None = owner
        while at is not None and at not in self.modules:
            at = _above(at)
        for name, what in path:
            if what != "?":
                at = what
            elif name == "crate":
                at = ""
            elif name == "super":
                at = _above(at) if at else None
            elif name != "self":
                at = None
        return at if path and at in self.modules else None

    def file_of(self, defined: str) -> str:
        """The file of a definition: that of the nearest one around it that is known."""
        while defined not in self.files and defined:
            defined = _above(defined)
        return self.files.get(defined, "")

    def all(self) -> set[str]:
        """The files of the crate."""
        return {*self.files.values(), *(use[0] for use in self.uses)}

    def edges(self) -> Iterator[edges.Edge]:
        """The edges between files."""
        for module in self.modules:
            if module:
                above = self.file_of(_above(module))
                yield above, self.file_of(module)
        for file, owner, path, last in self.uses:
            before = self._before(owner, path)
            for defined in last:
                yield file, self.file_of(defined)
            inside = any(one in self.modules and before == _above(one) for one in last)
            if before is not None and not inside:
                yield file, self.file_of(before)


def _above(defined: str) -> str:
    return defined.rpartition("::")[0]


def _targets(folder: Path, settings: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """The roots of the crates of a package, and how each is called."""
    name = settings["package"]["name"].replace("-", "_")
    lib = settings.get("lib", {})
    yield folder / lib.get("path", "src/lib.rs"), lib.get("name", name)
    yield folder / "src/main.rs", name
    yield folder / "build.rs", "build_script_build"
    for kind, place in (
        ("bin", "src/bin"),
        ("test", "tests"),
        ("example", "examples"),
        ("bench", "benches"),
    ):
        for target in settings.get(kind, ()):
            if "path" in target:
                yield folder / target["path"], target["name"].replace("-", "_")
        for root in [*(folder / place).glob("*.rs"), *(folder / place).glob("*/main.rs")]:
            yield root, "target"


def _dumped(checkout: Path, root: Path, options: list[str]) -> _Crate:
    crate = _Crate()
    with subprocess.Popen(
        [
            "rustc",
            "-Zunpretty=hir-tree",
            "--cap-lints=allow",
            *options,
            str(root.relative_to(checkout)),
        ],
        cwd=checkout,
        env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        crate.read(process.stdout)
    return crate


def _crates(checkout: Path, externs: list[str], conditions: list[str]) -> Iterator[_Crate]:
    listed = subprocess.run(
        ["git", "ls-files", "*Cargo.toml"],
        cwd=checkout,
        capture_output=True,
        check=True,
        text=True,
    )
    shared = tomllib.loads((checkout / "Cargo.toml").read_text()).get("workspace", {})
    for name in listed.stdout.splitlines():
        settings = tomllib.loads((checkout / name).read_text())
        if "package" not in settings:
            continue
        edition = settings["package"].get("edition", "2015")
        if isinstance(edition, dict):
            edition = shared["package"]["edition"]
        features = {"default", *settings.get("features", ())}
        optional = {
            key
            for table in [settings, *settings.get("target", {}).values()]
            for key, value in table.get("dependencies", {}).items()
            if isinstance(value, dict) and value.get("optional")
        }
        given = ["--edition", edition]
        given += [word for one in externs for word in ("--extern", one)]
        few = [*given, *(f'--cfg=feature="{one}"' for one in sorted(features - optional))]
        all_ = [*given, *(f'--cfg=feature="{one}"' for one in sorted(features | optional))]
        extra = [f"--cfg={one}" for one in conditions]
        modes = (
            [*all_, "--crate-type=lib", *extra],
            [*all_, "--test"],
            [*few, "--crate-type=lib"],
            [*few, "--test", *extra],
        )
        for root, crate in dict.fromkeys(_targets((checkout / name).parent, settings)):
            if root.is_file():
                named = [] if crate == "target" else ["--crate-name", crate]
                for mode in modes:
                    yield _dumped(checkout, root, [*mode, *named])


class _Theirs:
    """The edges of a checkout, and the files of each crate."""

    def __init__(self, externs: list[str], conditions: list[str]) -> None:
        self.externs = externs
        self.conditions = conditions
        self.together: set[edges.Edge] = set()

    def __call__(self, checkout: Path) -> set[edges.Edge]:
        """The oracle."""
        found: set[edges.Edge] = set()
        self.together = set()
        checkout = checkout.resolve()
        for crate in _crates(checkout, self.externs, self.conditions):
            files = {
                one: os.path.relpath((checkout / one).resolve(), checkout) for one in crate.all()
            }
            found |= {(files[a], files[b]) for a, b in crate.edges() if a and b}
            self.together |= {(a, b) for a in files.values() for b in files.values()}
        return {(a, b) for a, b in found if a != b}

    def mine(self, found: edges.Ours, _: set[edges.Edge]) -> set[edges.Edge]:
        """Ours between files of one crate."""
        return found.resolved & self.together


def _taken(option: str) -> list[str]:
    """The values of an option of ours, which are taken off the command line."""
    found = []
    while option in sys.argv:
        at = sys.argv.index(option)
        found.append(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    return found


if __name__ == "__main__":
    theirs = _Theirs(_taken("--extern"), _taken("--cfg"))
    edges.main(__doc__, "rust", theirs, frozenset({"rust"}), theirs.mine)
