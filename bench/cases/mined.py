"""Many cases that nobody has read, to choose by: candidates with their marks taken off.

    python -m bench.cases.mined CHECKOUTS --out FILE [--seed N] [--newest N] [--jobs N]

CHECKOUTS: a folder of clones with their history, as owner+name, clean, of repositories in no
other list (refused.txt). At most 24 commits and 8 sentences of documents a repository, none that
its lines quote. About a third of them ask for something else than their lines say: compare
rankings by them, quote no figure as one of quality.
`python -m bench.quality --mined FILE --mined-checkouts CHECKOUTS` asks them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.cases import candidates
from bench.cases.checking import quotes
from bench.cases.definitions import Checkout, words
from bench.filing import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Candidates of a kind that are taken of one repository.
_MOST = {"commit": 24, "documentation": 8}

# Fitting commits of a repository that are looked at: of about one in six enough lines are left.
_DRAWN = 100

# Words of a query; shorter ones ask for nothing, longer ones are no query.
_WORDS = range(3, 26)
_LONGEST = 160

# Lines of a place: in longer ones nobody looks for the answer.
_MOST_LINES = 90

# Lines outside all definitions that are a place of their own.
_LEAST_LINES = 3

_MARKS = re.compile(r"\(?(?:\b(?:fix(?:e[sd])?|closes) )?#\d+\)?|[`…*]", re.IGNORECASE)
_HISTORY = re.compile(
    r"(change|history|release|news|upgrad)[^/]*(\.(md|rst|adoc|txt|mdx|markdown|xml|html)|/[^.]*)$"
    r"|(change|history|release|news|upgrad)[^./]*$",
    re.IGNORECASE,
)


def cases(
    folder: Path, seed: int, newest: int | None = None, kinds: Sequence[str] = tuple(_MOST)
) -> Iterator[dict[str, Any]]:
    """The cases of one clone, as those of cases.jsonl; documents that quote them are hidden."""
    checkout = Checkout(folder)
    revision = git("rev-parse", "HEAD", cwd=folder)
    histories = [path for path in checkout.tracked if _HISTORY.search(path)]
    every: dict[str, Iterator[candidates.Candidate]] = {
        "commit": candidates.from_commits(checkout, newest, (_DRAWN, seed)),
        "documentation": candidates.from_documentation(checkout),
    }
    for kind in kinds:
        found = every[kind]
        try:
            some = list(found)
        except SystemExit as error:  # a clone without all objects has no history to read
            print(f"{folder.name}: no {kind} cases: {error}", file=sys.stderr)
            continue
        random.Random(seed).shuffle(some)
        kept = [case for one in some if (case := _case(one, checkout))][: _MOST[kind]]
        for number, (query, targets, source) in enumerate(kept):
            yield {
                "id": f"{folder.name} {kind} {number}",
                "kind": kind,
                "repo": folder.name.replace("+", "/"),
                "language": checkout.language(targets[0]["path"]),
                "revision": revision,
                "query": query,
                "source": source,
                "targets": targets,
                "hidden": histories + [source] * (kind == "documentation"),
            }


def _case(
    one: candidates.Candidate, checkout: Checkout
) -> tuple[str, list[dict[str, Any]], str] | None:
    """The words, the places and the source of a candidate that can be asked."""
    query = " ".join(_MARKS.sub("", one.query.split(" | ")[0]).split())[:_LONGEST]
    # an import or a blank line that a change added too answers nothing
    places = [own for own in one.places if own.name or own.end - own.start + 1 >= _LEAST_LINES]
    targets = [{"path": own.path, "start": own.start, "end": own.end} for own in places]
    long = any(own.end - own.start >= _MOST_LINES for own in places)
    if long or not targets or len(query.split()) not in _WORDS:
        return None
    if any(quotes(tuple(words(checkout.text(own))), query) for own in places):
        return None
    return query, targets, one.source.split(":")[0]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cases.mined",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkouts", type=Path, help="folder of clones, as owner+name")
    parser.add_argument("--out", type=Path, required=True, help="where to write the cases")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--newest", type=int, help="read only so many commits: trees are large")
    parser.add_argument("--kind", choices=_MOST, action="append", help="only such cases")
    parser.add_argument("--jobs", type=int, default=1, help="clones read at once")
    args = parser.parse_args()
    folders = sorted(path for path in args.checkouts.iterdir() if (path / ".git").exists())
    mine = partial(_cases, seed=args.seed, newest=args.newest, kinds=args.kind or tuple(_MOST))
    with args.out.open("w", encoding="utf-8") as out, ProcessPoolExecutor(args.jobs) as pool:
        for folder, own in zip(folders, pool.map(mine, folders), strict=True):
            out.writelines(json.dumps(case, ensure_ascii=False) + "\n" for case in own)
            out.flush()
            print(f"{folder.name}: {len(own)}", file=sys.stderr, flush=True)


def _cases(
    folder: Path, seed: int, newest: int | None, kinds: Sequence[str]
) -> list[dict[str, Any]]:
    return list(cases(folder, seed, newest, kinds))


if __name__ == "__main__":
    main()
