"""Commands that run test files, as they are pasted into a shell at the top of the repository."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.commands.code_graph import CodeGraph

# The most test files of one command.
_MOST = 200

_VITEST = tuple(f"vitest.config.{ending}".encode() for ending in ("ts", "mts", "js", "mjs"))
_GRADLE = (b"gradlew", b"build.gradle", b"build.gradle.kts")


def runner_commands(code_graph: CodeGraph, tests: Sequence[str]) -> tuple[str, ...]:
    """Return a command for the tests of each runner; paths that cannot be typed are left out."""
    groups: dict[Callable[[CodeGraph, list[str]], str], list[str]] = defaultdict(list)
    for path in tests:
        language = code_graph.graph.language(code_graph.graph.file(os.fsencode(path)))
        runner = _RUNNERS.get(language)
        if runner is not None and path.isprintable() and len(groups[runner]) < _MOST:
            groups[runner].append(path)
    return tuple(runner(code_graph, paths) for runner, paths in groups.items() if paths)


def _typed(words: Sequence[str]) -> str:
    return shlex.join([f"./{word}" if word.startswith("-") else word for word in words])


def _options(option: str, names: Sequence[str]) -> str:
    # a value behind "=" is no option, whatever it begins with
    return shlex.join([f"{option}={name}" for name in names])


def _has(code_graph: CodeGraph, *names: bytes) -> bool:
    return any(code_graph.graph.file(name) >= 0 for name in names)


def _pytest(code_graph: CodeGraph, paths: list[str]) -> str:
    # what pytest is given it imports, also what is there for the tests: conftest.py, or data
    tests = [path for path in paths if _has_tests(code_graph, path)]
    # and no `python -m`, which would look for pytest in the repository first
    return f"pytest {_typed(tests or paths)}"


def _has_tests(code_graph: CodeGraph, path: str) -> bool:
    """Return True for a file that is named for its tests or defines any, by the usual names."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    if stem.startswith("test_") or stem.endswith("_test"):
        return True
    graph = code_graph.graph
    definitions = graph.row(graph.file(os.fsencode(path))).definitions
    return any(name.rpartition(".")[2].lower().startswith("test") for name, _ in definitions)


def _go(_: CodeGraph, paths: list[str]) -> str:
    packages = dict.fromkeys(path.rpartition("/")[0] for path in paths)
    return f"go test {_typed([f'./{package}' if package else '.' for package in packages])}"


def _javascript(code_graph: CodeGraph, paths: list[str]) -> str:
    runner = "vitest run" if _has(code_graph, *_VITEST) else "jest"
    return f"npx {runner} {_typed(paths)}"


def _jvm(code_graph: CodeGraph, paths: list[str]) -> str:
    classes = [path.rpartition("/")[2].partition(".")[0] for path in paths]
    if _has(code_graph, *_GRADLE):
        program = "./gradlew" if _has(code_graph, b"gradlew") else "gradle"
        return f"{program} test {_options('--tests', classes)}"
    return f"mvn test -Dtest={shlex.quote(','.join(classes))}"


def _cargo(_: CodeGraph, paths: list[str]) -> str:
    names = [path.rpartition("/")[2].removesuffix(".rs") for path in paths]
    return f"cargo test {_options('--test', names)}"


_RUNNERS: dict[str, Callable[[CodeGraph, list[str]], str]] = {
    "python": _pytest,
    "go": _go,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "java": _jvm,
    "kotlin": _jvm,
    "rust": _cargo,
}
