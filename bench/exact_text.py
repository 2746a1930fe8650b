"""Does `git search` find the lines of `git grep`, and how long does each take?

    python -m bench.exact_text FOLDER... [--patterns N] [--seed N] [--out FILE]

Each folder is a repository with an index. N patterns are drawn from its text: words, pairs of
words, parts of words, pieces of lines, runs of punctuation, regular expressions made of these, and
texts that occur nowhere; each with or without -i and -w, as fixed strings or extended regular
expressions. For each pattern the lines of the working tree, of the index and of an old revision
are compared with those of `git grep`, byte for byte. The index of the old revision is made first.
Times are of processors, of our side in process and of git as it is started. The exit code is 1 if
there is a difference.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import filing
from gitsearch.commands.exact_search import exact_search
from gitsearch.commands.index import index
from gitsearch.index.session import Session
from gitsearch.settings import BY_PATH, EXTENDED, FIXED, LITERAL, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PATTERNS = 1000
_SAMPLE = 400
_SPECIAL = re.compile(r"([\\.\[\](){}*+?^$|])")
_WORD = re.compile(r"\w{2,}")
_PUNCTUATION = re.compile(r"[^\w\s]{2,6}")
_ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8"}
_FOUND, _NOTHING = 0, 1


class Pattern(NamedTuple):
    """A text, and how it is meant."""

    text: str
    regex: bool
    ignore_case: bool
    word: bool

    def options(self) -> list[str]:
        """The options of `git grep`."""
        flags = [flag for flag, given in (("-i", self.ignore_case), ("-w", self.word)) if given]
        return ["-E" if self.regex else "-F", *flags, "-e", self.text]


class Tree(NamedTuple):
    """One of the trees of a repository, for `git grep` and for us."""

    name: str
    argument: str | None
    fields: dict[str, Any]


def main() -> None:
    args = _parser().parse_args()
    figures = [_measured(folder, args.patterns, args.seed) for folder in args.folders]
    answer = {"patterns": args.patterns, "seed": args.seed, "repositories": figures}
    filing.write("exact-text", answer, args.out)
    sys.exit(any(tree["differences"] for figure in figures for tree in figure["trees"].values()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.exact_text",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folders", nargs="+", type=Path)
    add("--patterns", type=int, default=_PATTERNS)
    add("--seed", type=int, default=0)
    add("--out", type=Path)
    return parser


def _measured(folder: Path, count: int, seed: int) -> dict[str, Any]:
    old = filing.git("rev-list", "-n", "1", "--skip=100", "HEAD", cwd=folder)
    for rev in ("HEAD", old):
        index(Session(folder), rev, rebuild=False, dry_run=False)
    drawn = list(_patterns(folder, count, Random(seed)))
    trees = (
        Tree("working tree", None, {}),
        Tree("index", "--cached", {"cached": True}),
        Tree("old revision", old, {"at": old}),
    )
    figures = {tree.name: _compared(folder, drawn, tree) for tree in trees}
    return {
        "repository": folder.name,
        "revision": filing.git("rev-parse", "HEAD", cwd=folder),
        "old": old,
        "trees": figures,
    }


def _compared(folder: Path, patterns: Sequence[Pattern], tree: Tree) -> dict[str, Any]:
    differences: list[list[str]] = []
    ours = theirs = 0.0
    refused = lines = 0
    for pattern in patterns:
        start = _processor_time()
        expected = _by_git(folder, pattern, tree)
        middle = _processor_time()
        found = _by_us(folder, pattern, tree)
        ours, theirs = ours + _processor_time() - middle, theirs + middle - start
        refused += expected is None
        lines += (expected or b"").count(b"\n")
        if found != expected:
            differences.append(pattern.options())
            print(folder.name, tree.name, pattern.options(), file=sys.stderr)
    return {
        "patterns": len(patterns),
        "lines": lines,
        "refused": refused,
        "differences": len(differences),
        "different": differences,
        "seconds": {"git search": round(ours, 1), "git grep": round(theirs, 1)},
    }


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _by_git(folder: Path, pattern: Pattern, tree: Tree) -> bytes | None:
    where = [tree.argument] if tree.argument else []
    command = ["git", "grep", "-n", "-I", "-z", "--no-color", *pattern.options(), *where, "--"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, env=_ENVIRONMENT)
    if done.returncode not in (_FOUND, _NOTHING):
        return None
    prefix = f"{tree.argument}:".encode() if "at" in tree.fields else b""
    return done.stdout.removeprefix(prefix).replace(b"\n" + prefix, b"\n")


def _by_us(folder: Path, pattern: Pattern, tree: Tree) -> bytes | None:
    request = SearchRequest(
        pattern.text,
        mode=LITERAL,
        syntax=EXTENDED if pattern.regex else FIXED,
        ignore_case=pattern.ignore_case,
        word=pattern.word,
        sort=BY_PATH,
        refresh="off",
        **tree.fields,
    )
    from gitsearch.errors import UsageError

    try:
        report = exact_search(Session(folder), request)
    except UsageError:
        return None
    assert report.lines is not None
    return b"".join(lines for _, lines in report.lines(nul=True))


# ---------------------------------------------------------------- patterns


def _patterns(folder: Path, count: int, random: Random) -> Iterator[Pattern]:
    lines = _lines(folder, random)
    kinds = (_one_word, _two_words, _part, _piece, _signs, _expression, _nowhere)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        text = kind(lines, random)
        regex = kind is _expression or random.random() < 0.3
        if regex and kind is not _expression:
            text = _SPECIAL.sub(r"\\\1", text)
        yield Pattern(text, regex, random.random() < 0.3, random.random() < 0.3)


def _lines(folder: Path, random: Random) -> list[str]:
    paths = filing.git("ls-files", cwd=folder).splitlines()
    out: list[str] = []
    for path in random.sample(paths, min(_SAMPLE, len(paths))):
        try:
            data = (folder / path).read_bytes()
        except OSError:
            continue
        if b"\0" not in data:
            out += [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return [line for line in out if _WORD.search(line)]


def _one_word(lines: list[str], random: Random) -> str:
    return str(random.choice(_WORD.findall(random.choice(lines))))


def _two_words(lines: list[str], random: Random) -> str:
    line = random.choice(lines)
    at = [match.start() for match in _WORD.finditer(line)]
    start = random.choice(at)
    ends = [match.end() for match in _WORD.finditer(line) if match.start() >= start]
    return line[start : ends[min(1, len(ends) - 1)]]


def _part(lines: list[str], random: Random) -> str:
    word = _one_word(lines, random)
    start = random.randrange(max(len(word) - 2, 1))
    return word[start : start + random.randint(2, 12)]


def _piece(lines: list[str], random: Random) -> str:
    line = random.choice(lines).strip()
    start = random.randrange(len(line))
    return line[start : start + random.randint(3, 30)]


def _signs(lines: list[str], random: Random) -> str:
    for _ in range(100):
        if found := _PUNCTUATION.findall(random.choice(lines)):
            return str(random.choice(found))
    return "=="


def _expression(lines: list[str], random: Random) -> str:
    words = [_one_word(lines, random) for _ in range(3)]
    first, second, third = (_SPECIAL.sub(r"\\\1", word) for word in words)
    shapes = (
        f"{first}|{second}|{third}",
        f"({first}|{second})[a-z_]*",
        f"^ *{first}",
        f"{first}.*{second}",
        f"{first[:3]}[a-zA-Z]+{first[-2:]}",
        f"{first}(\\.|->){second}",
        f"{first}+ ?(=|:)",
        f"[A-Z]{first[1:]}\\(",
        f"({first}){{1,2}}[^a-z]",
        f"{first}s?$",
        f"\\<{first}\\>",
        f"{first}\\w*\\b",
        f"(_|\\b){first[:4]}",
    )
    return random.choice(shapes)


def _nowhere(lines: list[str], random: Random) -> str:
    word = list(_one_word(lines, random) * 2)
    random.shuffle(word)
    return "".join(word) + "qz"


if __name__ == "__main__":
    main()
