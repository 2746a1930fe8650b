"""How the rival answers the questions of the yardsticks, by the same scorers as we are.

    python -m bench.rival --semble PROGRAM --yardstick DIR [--checkouts DIR]
                          [--lines-checkouts DIR] [--cases-checkouts DIR] [--whole DIR]

It searches work trees: each revision is checked out into a scratch folder. Documents that a case
hides are left out of its results as they are of ours; it searches code only unless told otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench import contenders, filing, quality
from bench.evaluation import Found
from bench.howto import Howto

if TYPE_CHECKING:
    from bench.evaluation import Tree
    from bench.quality import Yardstick
    from bench.yardsticks import Answer, Scored


def main() -> None:
    args = _parser().parse_args()
    figures = {}
    for yardstick in quality.yardsticks(args):
        if isinstance(yardstick, Howto):  # it is asked for code, as it does without options
            continue
        scored = _asked(yardstick, args)
        print(f"== {yardstick.name}\n{scored.said}", flush=True)
        figures[yardstick.name] = scored.figures
    if not args.only or args.out:
        filing.write("rival", {"model": args.model.name, "figures": figures}, args.out)


def _asked(yardstick: Yardstick, args: argparse.Namespace) -> Scored:
    answers: Answer = {}
    for tree in yardstick.trees():
        with tempfile.TemporaryDirectory() as scratch:
            answers.update(_answered(tree, yardstick.count, args, Path(scratch)))
        print(f"{tree.folder.name}: {len(tree.questions)} questions", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        return yardstick.score(answers, Path(scratch))


def _answered(tree: Tree, count: int, args: argparse.Namespace, scratch: Path) -> Answer:
    work = contenders.checked_out(tree.folder, tree.revision, scratch)
    environment = contenders.rival_environment(args.model, scratch / "cache")
    out: Answer = {}
    for key, text in tree.questions:
        # the query comes after "--", as it may begin with a dash
        command = [args.semble.resolve(), "search", "-k", str(count), "--max-snippet-lines", "0"]
        command += ["--content", args.content, "--", text, work]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        out[key] = [
            Found(one["file_path"], one["start_line"], one["end_line"], "", {})
            for one in json.loads(done.stdout)["results"]
        ]
    return out


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.rival",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    quality.add_yardsticks(parser)
    contenders.add_rival(parser, required=True)
    add("--out", type=Path, help="where to file the figures")
    return parser


if __name__ == "__main__":
    main()
