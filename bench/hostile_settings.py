"""Cost of settings files that are made to hurt the resolution of imports.

    python -m bench.hostile_settings [NAME ...] [--size BYTES] [--seconds S] [--megabytes M]

Every settings file that says where imports lead is filled, up to --size, with one unit after the
other: those of `bench.hostile_texts`, and every text that the modules of the resolution hold, as
they hold them, in quotes, and as keys and lists of the format. An import of a file beside it is
resolved in a child with a limit on its memory and processor time.

Prints a row for each text that takes more than --seconds of processor time or --megabytes of
memory, or ends its process.
"""

from __future__ import annotations

import argparse
import ast
import json
import resource
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import gitsearch.graph
from bench.hostile_texts import PATTERNS, Cost, in_child
from gitsearch.graph.project import RESOLVER_OF, Project, SourceFile, resolver_class
from gitsearch.records import Import

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Each settings file, the language whose imports make it be read, and the end of that one's names.
_FILES = {
    "pyproject.toml": ("python", ".py"),
    "setup.cfg": ("python", ".py"),
    "setup.py": ("python", ".py"),
    "requirements.txt": ("python", ".py"),
    "Pipfile": ("python", ".py"),
    "mypy.ini": ("python", ".py"),
    "tox.ini": ("python", ".py"),
    "pytest.ini": ("python", ".py"),
    "package.json": ("typescript", ".ts"),
    "tsconfig.json": ("typescript", ".ts"),
    "jsconfig.json": ("javascript", ".js"),
    "lerna.json": ("typescript", ".ts"),
    "rush.json": ("typescript", ".ts"),
    "pnpm-workspace.yaml": ("typescript", ".ts"),
    "vite.config.ts": ("typescript", ".ts"),
    "webpack.config.js": ("javascript", ".js"),
    "go.mod": ("go", ".go"),
    "go.work": ("go", ".go"),
    "Cargo.toml": ("rust", ".rs"),
    "pom.xml": ("java", ".java"),
    "build.gradle": ("java", ".java"),
    "build.gradle.kts": ("kotlin", ".kt"),
    "settings.gradle": ("java", ".java"),
    "build.sbt": ("scala", ".scala"),
    "module.yaml": ("kotlin", ".kt"),
    "CMakeLists.txt": ("c", ".c"),
    "meson.build": ("cpp", ".cpp"),
    "Makefile": ("c", ".c"),
    "compile_commands.json": ("c", ".c"),
    "a.csproj": ("csharp", ".cs"),
    "Directory.Build.props": ("csharp", ".cs"),
    "a.gemspec": ("ruby", ".rb"),
    "Gemfile": ("ruby", ".rb"),
    "config/application.rb": ("ruby", ".rb"),
    "composer.json": ("php", ".php"),
    "Package.swift": ("swift", ".swift"),
    "mix.exs": ("elixir", ".ex"),
    "a.rockspec": ("lua", ".lua"),
    ".luarc.json": ("lua", ".lua"),
    "a.cabal": ("haskell", ".hs"),
    "package.yaml": ("haskell", ".hs"),
    "build.zig": ("zig", ".zig"),
    "build.zig.zon": ("zig", ".zig"),
    ".bashrc": ("bash", ".sh"),
}

# What is imported: a name, a path, and each of them in the ways that some language writes them.
_WRITTEN = ("a", "a.b", "a/b", "./a", "@a/b", "a::b", "A\\B", "../a/b.h", "crate::a", "a.B.C")
_KINDS = ("import", "from", "include", "use", "require", "source")
_FACTS = SourceFile(tuple(Import(written, kind, "", 1) for written in _WRITTEN for kind in _KINDS))

# Texts of the modules that are longer are sentences, or patterns that no text holds.
_LONGEST = 40


def main() -> None:
    args = _parser().parse_args()
    for name in args.names or _FILES:
        print(f"{name}: {in_child(partial(_resolved, name, ['a'])).end}", flush=True)
        for unit in dict.fromkeys(_units(name)):
            texts = list(_texts(name, unit, args.size))
            if _harmless(in_child(partial(_resolved, name, texts)), args):
                continue
            for text in texts:
                cost = in_child(partial(_resolved, name, [text]))
                if not _harmless(cost, args):
                    figures = f"{len(text):,}", f"{cost.seconds:.2f}", f"{cost.megabytes:.0f}"
                    row = (name, repr(text[:40]), *figures, str(cost.end))
                    print(f"| {' | '.join(row)} |", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*_FILES, []])
    parser.add_argument("--size", type=int, default=150_000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--megabytes", type=float, default=500.0)
    return parser


def _harmless(cost: Cost, args: argparse.Namespace) -> bool:
    little = cost.seconds <= args.seconds and cost.megabytes <= args.megabytes
    return little and not cost.end.startswith("died")


def _units(name: str) -> Iterator[str]:
    """Texts to repeat in a settings file: every pattern, and every string of the resolver."""
    yield from PATTERNS
    language = _FILES[name][0]
    home = Path(gitsearch.graph.__file__).parent
    module = RESOLVER_OF[language].partition(".")[0]
    files = [*sorted(home.glob(f"resolvers/{module}*.py")), home / "resolvers/settings_files.py"]
    if module == "javascript":
        files += [home / "resolvers/tsconfig.py"]
    if module == "rust":
        files += [home / "resolvers/cargo.py"]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and 0 < len(value) <= _LONGEST:
                yield value


def _texts(name: str, unit: str, size: int) -> Iterator[str]:
    """A unit repeated: bare, before a quote, as lines; and in the forms of the file's format."""
    times = size // len(unit)
    yield unit * times
    for more in (f'{unit}("', f"{unit} a\n", f'{unit} = "a"\n', f"{unit}\n"):
        yield more * (size // len(more))
    if name.endswith(".json"):
        words = [f"{unit}{number}" for number in range(times // 2 or 1)]
        for value in (
            unit * times,
            words,
            dict.fromkeys(words, "a"),
            dict.fromkeys(words, words[:9]),
        ):
            yield json.dumps({"a": value})[:size]
            yield json.dumps({unit: value})[:size]
    if name.endswith((".xml", ".csproj", ".props")):
        yield f"<{unit}>" * (size // (len(unit) + 2))
        yield f"<{unit}>a</{unit}>" * (size // (2 * len(unit) + 6))
    if name.endswith((".toml", "Pipfile", ".cfg", ".ini")):
        yield f"[{unit}]\n" + f"a.{unit} = 'a'\n" * (size // (len(unit) + 9))
        yield "".join(f"[{unit}.a{number}]\n" for number in range(size // (len(unit) + 9)))


def _resolved(name: str, texts: Sequence[str]) -> tuple[float, float, str]:
    """Seconds and megabytes of resolving imports beside a settings file, for each of its texts."""
    language, ending = _FILES[name]
    paths = sorted({name, f"a{ending}", f"a/b{ending}", f"src/a/b{ending}", f"tests/a{ending}"})
    languages = [language if path.endswith(ending) else "" for path in paths]
    before = resource.getrusage(resource.RUSAGE_SELF)
    for text in texts:
        project = Project(paths, languages, lambda _: _FACTS, {name: text.encode()}.get)
        found = resolver_class(RESOLVER_OF[language])(project)
        list(found.depends_on())
        for file, own in enumerate(languages):
            if own:
                for imported in _FACTS.imports:
                    found.resolve(file, imported)
                found.uses(file)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    read = "read" if project.read else "not read"
    return seconds, (after.ru_maxrss - before.ru_maxrss) / 1024, read


if __name__ == "__main__":
    main()
