"""Differences between `git search --mode structural` and the program ast-grep, and their times.

    python -m bench.structural --ast-grep PROGRAM FOLDER:LANGUAGE... [--patterns N]

Each folder is a clone with its files checked out, without edits. It is indexed first; with
--without-index another clone of it is searched, which has no index and does not get one. A
language has the patterns of bench/cases/structural.tsv and others that are drawn from the code: a
node of a file, some nodes of which become metavariables. What matches in ast-grep has to match
here at the same places with the same captures, in the files that both search as this language.
What matches here alone is counted apart: ast-grep reads a pattern in one way, and a definition has
no parts there that its pattern lacks. Prints the numbers of matches and differences and
milliseconds of processor time, and files the figures in bench/results/; a file that is named with
--out keeps its rows of other repositories and languages.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from ast_grep_py import SgNode, SgRoot

from bench import filing
from gitsearch.extract.code_patterns import GRAMMARS
from gitsearch.extract.languages import detect

if TYPE_CHECKING:
    from collections.abc import Iterable

_CASES = filing.ROOT / "bench" / "cases" / "structural.tsv"
_PATTERNS = 40
# Drawn patterns: characters, and the most nodes that become metavariables.
_SHORT, _LONG, _REPLACED = 6, 300, 3
_ONLY_METAVARIABLE = re.compile(r"\$+\w+")
_SEPARATORS = (",", ";")
_FOUND, _NOTHING, _REFUSED = 0, 1, 129
_EVERYTHING = 1_000_000
_SHOWN = 5

Place = tuple[int, int, int, int]
Match = tuple[str, Place, tuple[Any, ...]]


@dataclass
class Tally:
    """The results of comparing the patterns of one language."""

    matches: int = 0
    missing: int = 0
    further: int = 0
    refused: int = 0
    refused_wrongly: int = 0
    empty: int = 0
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)


def main() -> None:
    args = _parser().parse_args()
    rows = []
    for name in args.folders:
        folder, _, language = name.rpartition(":")
        rows.append(_measured(Path(folder), language, args))
    measured = {(row["repository"], row["language"]) for row in rows}
    if args.out and args.out.exists():
        before = json.loads(args.out.read_text("utf-8"))["languages"]
        kept = (row for row in before if (row["repository"], row["language"]) not in measured)
        rows = [*kept, *rows]
    filing.write("structural", {"patterns": args.patterns, "languages": rows}, args.out)
    head = ["repository", "language", "patterns", "matches", "further", "differences"]
    head += ["ms", "ast-grep ms"]
    keys = ("repository", "language", "patterns", "matches", "further", "differences")
    times = ("median_cpu_ms", "ast_grep_median_cpu_ms")
    cells = [[str(row[key]) for key in (*keys, *times)] for row in rows]
    print(filing.table(head, cells, left=2))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.structural",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folders", nargs="+", metavar="FOLDER:LANGUAGE")
    add("--ast-grep", required=True, help="the program, of the same version as ast-grep-py")
    add("--patterns", type=int, default=_PATTERNS, help="of each language (default: %(default)s)")
    add("--seed", type=int, default=1)
    add("--without-index", action="store_true")
    add("--out", type=Path)
    return parser


def _measured(folder: Path, language: str, args: argparse.Namespace) -> dict[str, Any]:
    files = _files(folder, language)
    patterns = _written(language)
    patterns += _drawn(folder, files, language, args.patterns - len(patterns), args.seed)
    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        place = folder
        if args.without_index:
            place = Path(scratch, folder.name)
            filing.git("clone", "-q", "-s", "-n", str(folder.resolve()), str(place))
        searched = frozenset(map(os.fsdecode, files))
        comparison = Comparison(folder, place, language, args.ast_grep, searched, tally)
        for pattern in patterns:
            comparison.of(pattern)
    differences = tally.missing + tally.refused_wrongly
    return {
        "repository": folder.resolve().name,
        "indexed": not args.without_index,
        "language": language,
        "files": len(files),
        "patterns": len(patterns),
        "matches": tally.matches,
        "differences": differences,
        "missing": tally.missing,
        "further": tally.further,
        "refused": tally.refused,
        "refused_wrongly": tally.refused_wrongly,
        "without_matches": tally.empty,
        "median_cpu_ms": round(1000 * median(tally.ours)),
        "ast_grep_median_cpu_ms": round(1000 * median(tally.theirs)),
        "most_cpu_ms": round(1000 * max(tally.ours)),
        "differing": tally.differing[:_SHOWN],
    }


# ---------------------------------------------------------------- patterns


def _written(language: str) -> list[str]:
    lines = (line.split("\t", 1) for line in _CASES.read_text("utf-8").splitlines())
    return [pattern for name, pattern in lines if name == language]


def _drawn(folder: Path, files: list[bytes], language: str, count: int, seed: int) -> list[str]:
    """Patterns from the code of some files: nodes, parts of which become metavariables."""
    random = Random(seed)
    patterns: list[str] = []
    while len(patterns) < count:
        path = folder / os.fsdecode(random.choice(files))
        root = SgRoot(path.read_text("utf-8", "replace"), GRAMMARS[language].name).root()
        nodes = [node for node in _named(root) if _SHORT <= len(node.text()) <= _LONG]
        pattern = _with_metavariables(random.choice(nodes), random) if nodes else "$X"
        # one that every node matches says nothing
        if not _ONLY_METAVARIABLE.fullmatch(pattern):
            patterns.append(pattern)
    return patterns


def _with_metavariables(node: SgNode, random: Random) -> str:
    text, start = node.text(), node.range().start.index
    below = [one.range() for one in _named(node)][1:]
    chosen = random.sample(below, min(len(below), random.randint(1, _REPLACED)))
    end = len(text)
    for number, place in enumerate(sorted(chosen, key=lambda one: -one.start.index)):
        first, last = place.start.index - start, place.end.index - start
        if last <= end:
            name = random.choice(("$$$", "$$", "$", "$")) + random.choice("ABC_") + str(number)
            text, end = text[:first] + name + text[last:], first
    return text


def _named(node: SgNode) -> list[SgNode]:
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        found += [one] * one.is_named()
        waiting += one.children()
    return found


# ---------------------------------------------------------------- comparison


def _files(folder: Path, language: str) -> list[bytes]:
    """The files that both programs search: tracked, not skipped, of this language for both."""
    _git_search(folder, "index", "--quiet")
    skipped = json.loads(_git_search(folder, "status", "--skipped", "--json").stdout)["skipped"]
    left_out = {file["path"] for file in skipped}
    listed = filing.git("ls-files", "-z", cwd=folder).split("\0")[:-1]
    theirs = _AS_AST_GREP_SEES.get(language, {language})
    files = []
    for path in listed:
        name = os.fsencode(path)
        if path not in left_out and (folder / path).is_file():
            head = (folder / path).read_bytes()[:4096]
            extension = path.rpartition(".")[2]
            if detect(name, head) == language and extension in theirs:
                files.append(name)
    return files


# Extensions, as in crates/language/src/lib.rs of ast-grep.
_AS_AST_GREP_SEES = {
    "c": {"c", "h"},
    "cpp": {"cc", "hpp", "cpp", "c++", "hh", "cxx"},
    "go": {"go"},
    "java": {"java"},
    "javascript": {"cjs", "js", "mjs", "jsx"},
    "kotlin": {"kt", "ktm", "kts"},
    "python": {"py", "py3", "pyi"},
    "ruby": {"rb", "rbw", "gemspec"},
    "rust": {"rs"},
    "scala": {"scala", "sc", "sbt"},
    "tsx": {"tsx"},
    "typescript": {"ts", "cts", "mts"},
}


@dataclass(frozen=True)
class Comparison:
    """Both programs in one repository and language.

    folder: with its files checked out; place: the clone in which git search is asked; searched:
    the paths that count.
    """

    folder: Path
    place: Path
    language: str
    program: str
    searched: frozenset[str]
    tally: Tally

    def of(self, pattern: str) -> None:
        """Search for a pattern with both, and count what differs."""
        tally = self.tally
        before = _cpu()
        ours = self._git_search(pattern)
        between = _cpu()
        theirs = self._ast_grep(pattern)
        tally.ours.append(between - before)
        tally.theirs.append(_cpu() - between)
        want = self._counted(map(_of_ast_grep, _lines(theirs)))
        if ours.returncode == _REFUSED:
            tally.refused += 1
            tally.refused_wrongly += bool(want)
            got = want
        else:
            got = self._counted(map(_of_git_search, _lines(ours)))
        tally.matches += got.total()
        tally.missing += (want - got).total()
        tally.further += (got - want).total()
        tally.empty += not want
        missing = want - got
        if missing or (want and ours.returncode == _REFUSED):
            tally.differing.append(pattern)
            one = next(iter(missing), "refused")
            print(f"{self.folder} {self.language} {pattern!r}: {one}", file=sys.stderr)

    def _counted(self, matches: Iterable[Match]) -> Counter[Match]:
        return Counter(match for match in matches if match[0] in self.searched)

    def _git_search(self, pattern: str) -> subprocess.CompletedProcess[bytes]:
        done = _git_search(
            self.place,
            *("--mode", "structural", "--at", "HEAD", "-t", self.language),
            *("-k", str(_EVERYTHING), "--jsonl", "-e", pattern),
        )
        if done.returncode not in (_FOUND, _NOTHING, _REFUSED):
            sys.exit(f"{self.place}: {pattern!r}: {done.stderr.decode()}")
        return done

    def _ast_grep(self, pattern: str) -> subprocess.CompletedProcess[bytes]:
        command = (self.program, "run", "-l", GRAMMARS[self.language].name)
        ignored = ("--no-ignore", "hidden", "--no-ignore", "vcs")
        return _run(self.folder, *command, f"--pattern={pattern}", *ignored, "--json=stream", ".")


def _lines(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def _of_git_search(found: dict[str, Any]) -> Match:
    captures = [
        (name, tuple((part["text"], _place(part)) for part in _listed(capture)))
        for name, capture in found["captures"].items()
    ]
    return found["path"], _place(found), tuple(sorted(captures))


def _place(found: dict[str, Any]) -> Place:
    return found["start"], found["start_column"], found["end"], found["end_column"]


def _listed(capture: Any) -> list[dict[str, Any]]:
    return capture if isinstance(capture, list) else [capture]


def _of_ast_grep(found: dict[str, Any]) -> Match:
    variables = found.get("metaVariables") or {"single": {}, "multi": {}}
    every = {name: [node] for name, node in variables["single"].items()}
    for name, nodes in variables["multi"].items():
        every[name] = [node for node in nodes if node["text"] not in _SEPARATORS]
    captures = [
        (name, tuple((node["text"], _place_of(node)) for node in nodes))
        for name, nodes in every.items()
    ]
    return found["file"].removeprefix("./"), _place_of(found), tuple(sorted(captures))


def _place_of(node: dict[str, Any]) -> Place:
    """A range of ast-grep with lines and columns from 1; a line feed at its end is left out."""
    start, end = node["range"]["start"], node["range"]["end"]
    last, behind = end["line"], end["column"]
    if behind == 0 and last > start["line"]:
        last -= 1
        lines = node["text"].split("\n")
        behind = len(lines[-2]) + (start["column"] if len(lines) == len(lines[:2]) else 0)
    return start["line"] + 1, start["column"] + 1, last + 1, behind + 1


def _git_search(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    program = (sys.executable, "-P", "-m", "gitsearch")
    # in CI no process is left behind that makes an index
    env = {**os.environ, "PYTHONPATH": str(filing.ROOT), "CI": "1"}
    return _run(folder, *program, *args, env=env)


def _run(
    folder: Path, *command: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)


def _cpu() -> float:
    """Processor seconds of all processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()
