"""C and C++: what gcc's preprocessor includes, unit by unit, against our edges.

The commands of a checkout come from its own build, configured in a copy that is thrown away:
CMake writes them down (compile_commands.json), a Makefile says them (`make -n`, after ./configure
or its like). Nothing is compiled. Each unit is run through `gcc -E -dI`, which names every
#include that is executed, also those that a guard makes empty, and the file that holds it; the
file it leads to is looked up as gcc documents it (the folder of the file that includes, for a
quoted one; then the folders of the command in their order; then the system's). A header that
exists nowhere (made by the build, or of a library that is not on this machine) gets an empty
stand-in behind all other folders, so that the rest of the unit is seen.

Limits: grammars for lex and yacc, whose lines gcc names, are none of the family's languages and
left out. Files that no unit reaches, and what conditions leave out on this machine, are unseen. So
an edge of ours is judged only where its file was entered and an executed #include of that file
ends as the path does that it leads to.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shlex
import shutil
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from bench.oracles.edges import Edge, Ours, main

_COMPILER = re.compile(r"(?:.*/)?(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?")
_SOURCE = re.compile(r".*\.(?:c|cc|cpp|cxx|C|c\+\+)")
_PAIRED = ("-I", "-iquote", "-isystem", "-idirafter", "-include", "-imacros", "-D", "-U", "-x")
_KEPT = ("-std", "-m", "-f", "-pthread", "-nostdinc", "-ansi", *_PAIRED)
_MISSING = re.compile(r"fatal error: (.+): No such file or directory")
_MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"')
_INCLUDE = re.compile(r'#(include|include_next|import) ([<"])([^>"]+)[>"]')
_STAND_INS = 200  # of one unit
# What the configuration of a build must be told where a library that it asks for is missing, or
# that it should build its tests too.
_OPTIONS = {
    "abseil-cpp": (
        *("-DABSL_BUILD_TESTING=ON", "-DABSL_USE_EXTERNAL_GOOGLETEST=ON"),
        "-DABSL_FIND_GOOGLETEST=ON",
    ),
    "curl": ("-DCURL_ENABLE_SSL=OFF", "-DCURL_USE_LIBPSL=OFF"),
    "jq": ("--with-oniguruma=no", "--disable-docs"),
    "leveldb": ("-DLEVELDB_BUILD_TESTS=OFF", "-DLEVELDB_BUILD_BENCHMARKS=OFF"),
    "nginx": ("--without-http_rewrite_module",),
}
_CONFIGURES = ("configure", "auto/configure")

# What the last oracle has seen executed, by file: the ends of specifiers.
_executed: dict[str, set[str]] = defaultdict(set)


class Unit(NamedTuple):
    """One source, where the compiler runs, and what it is told."""

    folder: str
    source: str
    options: tuple[str, ...]


def oracle(checkout: Path) -> set[Edge]:
    """What gcc includes directly, between tracked files."""
    _executed.clear()
    edges: set[Edge] = set()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary).resolve() / "copy"
        tracked = _copied(checkout, root)
        stand_ins = root.parent / "stand-ins"
        units = sorted(set(_units(root, _OPTIONS.get(checkout.name, ()))))
        print(f"{checkout.name}: {len(units)} units", flush=True)
        for unit in units:
            _preprocess(unit, root, stand_ins, tracked, edges)
            shutil.rmtree(stand_ins, ignore_errors=True)
    return edges


def _copied(checkout: Path, root: Path) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=checkout, capture_output=True, check=True
    ).stdout
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    tracked = set()
    for name in names:
        source, target = checkout / name, root / name
        if source.is_dir() and not source.is_symlink():  # a submodule, which builds look for
            target.mkdir(parents=True, exist_ok=True)
            continue
        if not source.is_symlink() and not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
        tracked.add(name)
    return tracked


def _run(command: list[str], folder: Path | str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )


def _units(root: Path, options: tuple[str, ...]) -> list[Unit]:
    """The units of each build that the checkout has at its root."""
    found = []
    if (root / "CMakeLists.txt").is_file():
        build = root.parent / "build"
        said = "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
        done = _run(["cmake", "-S", str(root), "-B", str(build), said, *options], root)
        if done.returncode:
            print(done.stderr[-1500:])
        database = build / "compile_commands.json"
        for one in json.loads(database.read_text()) if database.is_file() else []:
            found += _of_command(shlex.split(one["command"]), one["directory"])
    if (root / "configure.ac").is_file() and not (root / "configure").is_file():
        _run(["autoreconf", "-fi"], root)
    for name in _CONFIGURES:
        if not (root / "Makefile").is_file() and (root / name).is_file():
            _run([f"./{name}", *options], root)
    if (root / "Makefile").is_file():
        found += _said(_run(["make", "-n", "-k", "-w", "-i"], root).stdout, root)
    return found


def _said(output: str, root: Path) -> list[Unit]:
    """The units among what make says that it would do."""
    found: list[Unit] = []
    folders = [str(root)]
    for line in output.replace("\\\n", " ").splitlines():
        entering = re.fullmatch(r"make(?:\[\d+\])?: (Entering|Leaving) directory '(.+)'", line)
        if entering:
            if entering[1] == "Entering":
                folders.append(entering[2])
            elif len(folders) > 1:
                folders.pop()
            continue
        for command in re.split(r"&&|\|\||;", line):
            try:
                words = shlex.split(command)
            except ValueError:
                continue
            found += _of_command(words, folders[-1])
    return found


def _of_command(words: list[str], folder: str) -> list[Unit]:
    """The units of one command; none where it is no compilation."""
    start = next((i for i, word in enumerate(words) if _COMPILER.fullmatch(word)), None)
    if start is None:
        return []
    options: list[str] = []
    sources = []
    rest = iter(words[start + 1 :])
    for word in rest:
        if word in _PAIRED:
            options += [word, next(rest, "")]
        elif word.startswith(_KEPT) and not word.startswith("-MF"):
            options.append(word)
        elif _SOURCE.fullmatch(word):
            sources.append(word)
    return [Unit(folder, source, tuple(options)) for source in sources]


def _preprocess(
    unit: Unit, root: Path, stand_ins: Path, tracked: set[str], edges: set[Edge]
) -> None:
    """Add the edges of one unit."""
    compiler = "gcc" if unit.source.endswith(".c") else "g++"
    command = [compiler, "-E", "-dI", "-w", *unit.options, "-idirafter", str(stand_ins)]
    for _ in range(_STAND_INS):
        done = _run([*command, unit.source], unit.folder)
        missing = _MISSING.search(done.stderr)
        if not missing:
            break
        stand_in = (stand_ins / missing[1].replace("../", "")).resolve()
        if stand_in.exists():
            break
        stand_in.parent.mkdir(parents=True, exist_ok=True)
        stand_in.touch()
    search = _Search(unit, root, tracked, _system(compiler))
    inside = ""
    for line in done.stdout.splitlines():
        if not line.startswith("#"):
            continue
        marker = _MARKER.match(line)
        if marker:
            inside = marker[1].replace('\\"', '"').replace("\\\\", "\\")
            continue
        included = _INCLUDE.match(line)
        source = search.path(inside) if included else None
        if not included or source is None or source.endswith((".l", ".y")):
            continue
        _executed[source].add(_end(included[3]))
        target = search.found(inside, included[3], quoted=included[2] == '"')
        if target and target != source and included[1] != "include_next":
            edges.add((source, target))


def _end(specifier: str) -> str:
    """A specifier without the steps up that it starts with."""
    return re.sub(r"^(?:\.\.?/)+", "", posixpath.normpath(specifier))


_systems: dict[str, list[str]] = {}


def _system(compiler: str) -> list[str]:
    """The folders of the system that a compiler looks in."""
    if compiler not in _systems:
        language = "c" if compiler == "gcc" else "c++"
        said = _run([compiler, "-E", "-v", "-x", language, "/dev/null"], "/").stderr
        _systems[compiler] = [line[1:] for line in said.splitlines() if line.startswith(" /")]
    return _systems[compiler]


class _Search:
    """Where gcc looks for what one unit includes."""

    def __init__(self, unit: Unit, root: Path, tracked: set[str], system: list[str]) -> None:
        self.folder = unit.folder
        self.root = str(root)
        self.tracked = tracked
        folders: dict[str, list[str]] = {"-iquote": [], "-I": [], "-isystem": [], "-idirafter": []}
        words = iter(unit.options)
        for word in words:
            for option, named in folders.items():
                if word == option:
                    named.append(next(words, ""))
                elif word.startswith(option):
                    named.append(word[len(option) :])
        self.quoted = folders["-iquote"]
        self.angled = [*folders["-I"], *folders["-isystem"], *system, *folders["-idirafter"]]
        self.kept: dict[tuple[str, str, bool], str | None] = {}

    def path(self, name: str) -> str | None:
        """The tracked path of a file as gcc names it, or None."""
        absolute = os.path.realpath(posixpath.join(self.folder, name))
        path = os.path.relpath(absolute, self.root)
        return path if path in self.tracked else None

    def found(self, inside: str, specifier: str, *, quoted: bool) -> str | None:
        """The tracked path that an #include of a file leads to, or None."""
        own = posixpath.dirname(inside) if quoted else ""
        key = (own, specifier, quoted)
        if key not in self.kept:
            self.kept[key] = self._found(own, specifier, quoted=quoted)
        return self.kept[key]

    def _found(self, own: str, specifier: str, *, quoted: bool) -> str | None:
        for folder in ([own, *self.quoted] if quoted else []) + self.angled:
            name = posixpath.join(folder, specifier)
            if Path(self.folder, name).is_file():
                return self.path(name)
        return None


def judged(found: Ours, theirs: set[Edge]) -> set[Edge]:
    """Our resolved edges that gcc has an opinion on."""
    del theirs
    return {
        (source, target)
        for source, target in found.resolved
        if any(("/" + target).endswith("/" + end) for end in _executed.get(source, ()))
    }


if __name__ == "__main__":
    main(__doc__, "c", oracle, frozenset({"c", "cpp", "objc"}), judged)
