"""Count the tokens that an agent reads until the right lines are on its screen.

    python -m bench.answer_tokens --yardstick DIR --lines-checkouts DIR [--mined FILE
                                  --mined-checkouts DIR] [--semble PROGRAM] [--out FILE]

An answer is read from its first character. A case counts for N tokens (cl100k) if the text up to
the end of the first line of a target has at most N. Compared are the text of `git search`, that of
semble with the same number of results, and `git grep -n -i` for the words of the query.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import contenders, filing, quality
from bench.yardsticks import Lines
from gitsearch.commands.search import search
from gitsearch.features.token_count import count
from gitsearch.index.session import Session
from gitsearch.render import search_answer
from gitsearch.render.presentation import Presentation
from gitsearch.retrieval import query
from gitsearch.settings import SearchRequest

if TYPE_CHECKING:
    from bench.evaluation import Tree

# A line of an answer, and the path and number of the line of code that it shows, if it does.
Shown = tuple[str, str, int]

Program = Callable[["Tree", str], Iterator[Shown]]

AT = (500, 1000, 2000, 4000)
RESULTS = 40

_NUMBERED = re.compile(r" *(\d+)([:=-])")
_PLACE = re.compile(r"(.+):(\d+)-(\d+)")
_GREP = re.compile(r"[^:]+:([^:]+):(\d+):")


def main() -> None:
    args = _parser().parse_args()
    figures = {}
    for yardstick in quality.yardsticks(args):
        if isinstance(yardstick, Lines):
            figures[yardstick.name] = _measured(yardstick, args)
    filing.write("answer-tokens", {"results": RESULTS, "tokens": AT, "figures": figures}, args.out)


def _measured(yardstick: Lines, args: argparse.Namespace) -> dict[str, Any]:
    targets = {case["id"]: case["targets"] for case in yardstick.cases()}
    read: dict[str, list[int | None]] = {}
    for tree in yardstick.trees():
        with tempfile.TemporaryDirectory() as scratch:
            programs: dict[str, Program] = {"git search": _ours, "git grep": _git_grep}
            if args.semble:
                programs["semble"] = _semble(tree, args, Path(scratch))
            for key, text in tree.questions:
                for name, ask in programs.items():
                    tokens = _tokens(ask(tree, text), targets[key])
                    read.setdefault(name, []).append(tokens)
        print(f"{tree.folder.name}: {len(tree.questions)}", file=sys.stderr, flush=True)
    shares = {name: _shares(tokens) for name, tokens in read.items()}
    for name, found in shares.items():
        print(f"{yardstick.name} {name}: {found}", flush=True)
    return shares


def _shares(tokens: list[int | None]) -> list[float]:
    """The share of cases whose right lines are within each number of tokens."""
    return [
        round(sum(t is not None and t <= most for t in tokens) / len(tokens), 3) for most in AT
    ]


def _tokens(answer: Iterator[Shown], targets: list[dict[str, Any]]) -> int | None:
    """The tokens up to the end of the first line of a target; None if there are too many."""
    text = ""
    for line, path, number in answer:
        text += line
        if any(t["path"] == path and t["start"] <= number <= t["end"] for t in targets):
            tokens = count(text)
            return tokens if tokens <= AT[-1] else None
        if len(text) > AT[-1] * 16:
            return None
    return None


def _ours(tree: Tree, text: str) -> Iterator[Shown]:
    request = SearchRequest(text, at=tree.revision, max_count=RESULTS, refresh="wait")
    report = search(Session(tree.folder), request)
    answer = "".join(search_answer.pieces(report, Presentation(form="blocks")))
    path = ""
    for line in answer.splitlines(keepends=True):
        numbered = _NUMBERED.match(line)
        if not line.startswith(" ") and numbered is None:
            path = line.rstrip("\n")
        number = int(numbered[1]) if numbered and numbered[2] == ":" else 0
        yield line, path, number


def _git_grep(tree: Tree, text: str) -> Iterator[Shown]:
    words = [part for word in query.parse(text).words for part in ("-e", word)]
    command = ["git", "grep", "-n", "-i", "-I", "-F", "--no-color", *words, tree.revision]
    done = subprocess.run(command, cwd=tree.folder, capture_output=True, check=False)
    for line in done.stdout.decode("utf-8", "replace").splitlines(keepends=True):
        match = _GREP.match(line)
        yield (
            line.partition(":")[2],
            match[1] if match else "",
            int(match[2]) if match else 0,
        )


def _semble(
    tree: Tree, args: argparse.Namespace, scratch: Path
) -> Callable[[Tree, str], Iterator[Shown]]:
    work = contenders.checked_out(tree.folder, tree.revision, scratch)
    environment = contenders.rival_environment(args.model, scratch / "cache")

    def ask(_: Tree, text: str) -> Iterator[Shown]:
        command = [args.semble.resolve(), "search", "-k", str(RESULTS), "--format", "text"]
        done = subprocess.run(
            [*command, "--content", args.content, "--", text, work],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        path, number = "", 0
        for line in done.stdout.splitlines(keepends=True):
            place = _PLACE.fullmatch(line.rstrip("\n"))
            if place and (work / place[1]).is_file():
                # its heading is followed by an empty line
                path, number = place[1], int(place[2]) - 2
                yield line, "", 0
            else:
                number += 1
                yield line, path, number

    return ask


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.answer_tokens",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    quality.add_yardsticks(parser)
    contenders.add_rival(parser)
    add("--out", type=Path, help="where to file the figures")
    return parser


if __name__ == "__main__":
    main()
