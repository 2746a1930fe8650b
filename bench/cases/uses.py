"""Cases of who uses a function: its name in a question, and the lines that call it.

    python -m bench.cases.uses CHECKOUTS CASES --out FILE [--seed N]

CHECKOUTS: a folder of clones, as owner+name, that are indexed on the way; CASES: cases about them,
which say at what revision. Drawn are functions of the program whose name has three to six words
and is that of no other one, and that one to four lines outside of them call. In every third
question the name is written as in the code, in the others in words.
`python -m bench.quality --mined FILE --mined-checkouts CHECKOUTS` asks them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.evaluation import opened_tree
from gitsearch.features import identifiers
from gitsearch.retrieval import lexical_leg, query, rerank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment

# Cases of a repository, and definitions that are looked at for them.
_MOST = 6
_DRAWN = 6000

_WORDS = range(3, 7)
_CALLS = range(1, 5)
# Chunks with the name: the definition, and those that call it.
_CHUNKS = range(2, 7)

_ASKED = (
    *("where is {} called", "who calls {}", "where is {} used", "callers of {}"),
    *("what uses {}", "where do we call {}", "where is {} triggered", "uses of {}"),
)

# A line that declares or defines, in whatever language.
_DEFINES = re.compile(r"\b(?:def|func|fn|fun|function|override|virtual|void)\b")

_ANY = query.parse("any words")


def calls(tree: OpenView, order: random.Random) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yield names of functions of a tree and the lines that call them, as (path, number)."""
    for segment, live in tree.view.live_segments:
        count = len(segment["symbol_file"])
        for symbol in order.sample(range(count), min(count, _DRAWN)):
            file, name = int(segment["symbol_file"][symbol]), segment.name(symbol)
            parts = identifiers.parts(name)
            if len(parts) not in _WORDS or "test" in parts or not live[file]:
                continue
            if segment.kind(symbol) not in ("function", "method") or _is_beside(segment, file):
                continue
            found = _lines(tree, name, (segment, symbol))
            if len(found) in _CALLS:
                yield name, found


def _lines(tree: OpenView, name: str, own: tuple[Segment, int]) -> list[tuple[str, int]]:
    """Lines with the name and a bracket outside of the definition; none if it is a common one."""
    view = tree.view
    folded = identifiers.compound(name)
    if sum(_named(segment, folded) for segment, _ in view.live_segments) != 1:
        return []
    if lexical_leg.frequency(view, folded) not in _CHUNKS:
        return []
    found: dict[tuple[str, int], None] = {}
    rows = [row for rows, _ in view.occurrences([folded])[0] for row in rows.tolist()]
    for row in sorted(rows):
        segment, inside = view.locate(row)
        chunk = segment.chunk(inside)
        if _is_beside(segment, chunk.file):
            continue
        lines = tree.texts.lines(segment.oid(chunk.file))
        for number in range(chunk.first, chunk.last + 1):
            line = lines[number - 1]
            if f"{name}(" not in line or _DEFINES.search(line):
                continue
            if not _is_within(own, segment, chunk.file, number):
                found[segment.path(chunk.file).decode("utf-8", "replace"), number] = None
    return list(found)


def _named(segment: Segment, folded: str) -> int:
    """Count the definitions of a segment with a folded name."""
    term = segment.term(folded)
    return int((segment["symbol_term"] == term).sum()) if term >= 0 else 0


def _is_within(own: tuple[Segment, int], segment: Segment, file: int, number: int) -> bool:
    home, symbol = own
    if segment is not home or file != int(home["symbol_file"][symbol]):
        return False
    return bool(home["symbol_first"][symbol] <= number <= home["symbol_last"][symbol])


def _is_beside(segment: Segment, file: int) -> bool:
    return rerank.is_penalized(_ANY, segment, file)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cases.uses",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkouts", type=Path, help="folder of clones, as owner+name")
    parser.add_argument("cases", type=Path, help="cases about them, in JSON lines")
    parser.add_argument("--out", type=Path, required=True, help="where to write the cases")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    args = parser.parse_args()
    known = map(json.loads, args.cases.read_text(encoding="utf-8").splitlines())
    repositories = {case["repo"]: case for case in known}
    made: list[dict[str, Any]] = []
    for repo, case in sorted(repositories.items()):
        tree = opened_tree(args.checkouts / repo.replace("/", "+"), case["revision"])
        found = calls(tree, random.Random(args.seed))
        for number, (name, lines) in zip(range(_MOST), found, strict=False):
            words = name if len(made) % 3 == 0 else " ".join(identifiers.parts(name))
            made.append(
                {
                    "id": f"{repo} uses {number}",
                    "kind": "uses",
                    "repo": repo,
                    "language": case["language"],
                    "revision": case["revision"],
                    "query": _ASKED[len(made) % len(_ASKED)].format(words),
                    "targets": [{"path": at, "start": n, "end": n} for at, n in lines],
                }
            )
        print(f"{repo}: {len(made)} so far", flush=True)
    text = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in made)
    args.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
