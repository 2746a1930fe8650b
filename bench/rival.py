"""How the rival answers our own cases, by the same scorer as we are (bench/quality.py).

    python -m bench.rival --semble PROGRAM --yardstick DIR --checkouts DIR

It searches work trees: every checkout must be at the revision of its cases. Documents that a case
hides are left out of its results as they are of ours; it searches code only unless told otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench import contenders, filing
from bench.cases import CASES
from bench.evaluation import Found
from bench.yardsticks import Lines

if TYPE_CHECKING:
    from bench.evaluation import Tree
    from bench.yardsticks import Answer


def main() -> None:
    args = _parser().parse_args()
    cases = Lines(args.yardstick.resolve(), args.checkouts.resolve(), frozenset(args.only), CASES)
    with tempfile.TemporaryDirectory() as scratch:
        answers: Answer = {}
        for tree in cases.trees():
            answers.update(_answered(tree, cases.count, args, Path(scratch)))
        scored = cases.score(answers, Path(scratch))
    print(scored.said)
    if args.only and args.out is None:
        return
    filing.write("rival", {"model": args.model.name, "figures": scored.figures}, args.out)


def _answered(tree: Tree, count: int, args: argparse.Namespace, scratch: Path) -> Answer:
    if filing.git("rev-parse", "HEAD", cwd=tree.folder) != tree.revision:
        sys.exit(f"{tree.folder} is not at {tree.revision}")
    environment = {
        **os.environ,
        "SEMBLE_MODEL_NAME": str(args.model.resolve()),
        "SEMBLE_CACHE_LOCATION": str(scratch / "cache"),
        "HF_HUB_OFFLINE": "1",
    }
    out: Answer = {}
    for key, text in tree.questions:
        # the query comes after "--", as it may begin with a dash
        command = [args.semble.resolve(), "search", "-k", str(count), "--max-snippet-lines", "0"]
        command += ["--content", args.content, "--", text, tree.folder]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        out[key] = [
            Found(one["file_path"], one["start_line"], one["end_line"], "", {})
            for one in json.loads(done.stdout)["results"]
        ]
    print(f"{tree.folder.name}: {len(out)} questions", file=sys.stderr, flush=True)
    return out


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.rival",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--semble", type=Path, required=True, help="the rival's program")
    add("--yardstick", type=Path, required=True, help="folder with the scorer")
    add("--checkouts", type=Path, required=True, help="repositories of the cases, as owner+name")
    add("--model", type=Path, default=contenders.MODEL, help="its model (default: ours)")
    add("--content", default="code", help="what it searches: code (default), docs, config or all")
    add("--only", nargs="+", default=[], metavar="NAME", help="only these (not filed)")
    add("--out", type=Path, help="where to file the figures")
    return parser


if __name__ == "__main__":
    main()
