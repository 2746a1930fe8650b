"""Do names have the same answers without an index as with it? Counts the differences.

    python -m bench.first_names CHECKOUT... [--names N] [--seed N] [--jobs N] [--out FILE]

Each checkout is cloned and indexed aside. N names are drawn of it: defined ones, qualified ones,
used ones that nothing defines, names in a spelling of another language, words of any text, and
words that are nowhere. `def`, `refs`, `exists`, and `outline` of as many files as a fifth of the
names, are asked while the index is put aside, then with it. What differs is listed, and the exit
code is 1. However small a tree is, its index is not made first, and it is looked at that none was.

What a content alone tells (its definitions, the uses of a name in it) and the graph of the same
files and resolvers are made once for all names of a checkout and kept; all else happens for each
name as at the command line.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bench import filing
from bench.evaluation import Quiet
from bench.inprocess import update
from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.define import define
from gitsearch.commands.exists import exists
from gitsearch.commands.outline import outline
from gitsearch.commands.refs import references
from gitsearch.commands.tree_selection import select_tree
from gitsearch.graph import graph_builder
from gitsearch.graph.graph import Graph
from gitsearch.index import child_processes, extraction_pool, first_view
from gitsearch.index.fact_columns import BlobKey, extract_columns
from gitsearch.index.session import Session

_WORD = re.compile(rb"[^\W\d]\w{2,30}")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# The share of each kind of name; the rest are defined ones.
_QUALIFIED, _USED, _RESPELT, _WRITTEN, _NOWHERE = 0.15, 0.2, 0.1, 0.1, 0.05


class Asked(NamedTuple):
    """A verb, and the name, word or path that it is asked for."""

    verb: str
    text: str


def main() -> None:
    args = _parser().parse_args()
    # what is measured is the answer before there is an index, of which none must be left behind
    os.environ["CI"] = "1"
    vars(first_view)["_SOON_INDEXED"] = 0
    figures: dict[str, Any] = {"names": args.names, "seed": args.seed, "repositories": []}
    _keep_what_contents_tell()
    with ProcessPoolExecutor(args.jobs, get_context("fork")) as pool:
        checkouts = [checkout.resolve() for checkout in args.checkouts]
        for own in pool.map(_compared, checkouts, repeat(args.names), repeat(args.seed)):
            figures["repositories"].append(own)
            print("  ".join(f"{key} {value}" for key, value in own.items()), flush=True)
    filing.write("first-names", figures, args.out)
    sys.exit(any(own["differences"] for own in figures["repositories"]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.first_names",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("checkouts", nargs="+", type=Path)
    add("--names", type=int, default=300, help="of each (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--jobs", type=int, default=1, help="checkouts asked at once")
    add("--out", type=Path, help="where to file the figures")
    return parser


def _compared(checkout: Path, count: int, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / checkout.name
        filing.git("clone", "-q", "--shared", "--no-checkout", str(checkout), str(clone))
        update(clone)
        asked = list(_questions(clone, count, seed))
        index, aside = clone / ".git" / "search", clone / ".git" / "search-aside"
        index.rename(aside)
        first = _answers(clone, asked)
        assert not index.exists(), "answered with an index"
        aside.rename(index)
        second = _answers(clone, asked)
    verbs = sorted({one.verb for one in asked})
    different = [one for one in asked if first[one] != second[one]]
    for one in different:
        print(f"{checkout.name}: git search {one.verb} '{one.text}'", file=sys.stderr, flush=True)
    return {
        "repository": checkout.name,
        "revision": filing.git("rev-parse", "HEAD", cwd=checkout),
        "asked": {verb: sum(one.verb == verb for one in asked) for verb in verbs},
        "answered": {
            verb: sum(bool(second[o]) for o in asked if o.verb == verb) for verb in _VERBS
        },
        "lines": {verb: sum(len(second[o]) for o in asked if o.verb == verb) for verb in verbs},
        "differences": [list(one) for one in different],
    }


# ---------------------------------------------------------------- questions


def _questions(clone: Path, count: int, seed: int) -> Iterator[Asked]:
    random = Random(seed)
    names = _names(clone, count, random)
    for name in names:
        yield from (Asked(verb, name) for verb in ("def", "refs", "exists"))
    paths = filing.git("ls-tree", "-r", "-z", "--name-only", "HEAD", cwd=clone).split("\0")[:-1]
    for path in random.sample(paths, min(len(paths), count // 5)):
        yield Asked("outline", path)


def _names(clone: Path, count: int, random: Random) -> list[str]:
    code_graph = open_code_graph(select_tree(Session(clone, Quiet())))
    view, graph = code_graph.opened.view, code_graph.graph
    # parsers that are ready here are so in every child
    languages = graph.meta["languages"]
    extract_columns([(BlobKey(name, name), b"x = 1\n") for name in languages])
    defined: set[str] = set()
    qualified: set[str] = set()
    for segment, file in view.each_file():
        for symbol in segment.symbols_of(file):
            defined.add(segment.name(symbol))
            qualified.add(segment.qualified(symbol))
    used = {name for file in range(graph.files) for name in graph.row(file).names} - defined
    files = [segment.oid(file) for segment, file in view.each_file() if not segment.reason(file)]
    texts = code_graph.opened.texts.read(random.sample(files, min(len(files), 200)))
    written = {word.decode("ascii", "ignore") for t in texts.values() for word in _WORD.findall(t)}
    drawn: dict[str, None] = {}
    for kind, share in (
        (sorted(qualified - defined), _QUALIFIED),
        (sorted(used), _USED),
        (sorted(set(map(_respelt, sorted(defined))) - defined - {""}), _RESPELT),
        (sorted(written - {""}), _WRITTEN),
        ([f"nowhere_{random.randrange(10**9)}" for _ in range(count)], _NOWHERE),
    ):
        drawn |= dict.fromkeys(random.sample(kind, min(len(kind), round(share * count))))
    rest = sorted(defined - drawn.keys())
    drawn |= dict.fromkeys(random.sample(rest, min(len(rest), count - len(drawn))))
    return list(drawn)


def _respelt(name: str) -> str:
    """A name with underscores in place of capitals, or the other way round."""
    parts = [part.lower() for part in _PARTS.findall(name)]
    if "_" in name:
        return parts[0] + "".join(map(str.capitalize, parts[1:])) if parts else ""
    return "_".join(parts)


# ---------------------------------------------------------------- answers


def _answers(clone: Path, asked: Sequence[Asked]) -> dict[Asked, tuple[Any, ...]]:
    words = tuple(one.text for one in asked if one.verb == "exists")
    proofs = exists(Session(clone, Quiet()), words, None).words
    found: dict[Asked, tuple[Any, ...]] = {
        Asked("exists", proof.word): (proof.path, proof.line) if proof.exists else ()
        for proof in proofs
    }
    for number, one in enumerate(asked):
        if one not in found:
            found[one] = _VERBS[one.verb](Session(clone, Quiet()), one.text)
        if number % 100 == 0:
            print(f"{clone.name}: {number} of {len(asked)}", file=sys.stderr, flush=True)
    return found


def _defined(session: Session, name: str) -> tuple[Any, ...]:
    return define(session, name, None).symbols


def _used(session: Session, name: str) -> tuple[Any, ...]:
    return references(session, name, None).references


def _outlined(session: Session, path: str) -> tuple[Any, ...]:
    return outline(session, path, None).symbols


_VERBS = {"def": _defined, "refs": _used, "outline": _outlined}


def _keep_what_contents_tell() -> None:
    """Keep what `each` extracts, by contents and question, and graphs, by files and resolvers."""
    each, build = extraction_pool.each, graph_builder.build
    answers: dict[tuple[str, BlobKey, int], Any] = {}
    graphs: dict[tuple[int, frozenset[str]], Graph] = {}

    def kept_each(
        function: Callable[[BlobKey, bytes], Any],
        blobs: Iterable[tuple[BlobKey, bytes]],
        total_bytes: int,
        meanwhile: Callable[[], object] = child_processes.nothing,
    ) -> Iterator[Any]:
        asked = [((function.__qualname__, key, hash(data)), key, data) for key, data in blobs]
        fresh = {place: (key, data) for place, key, data in asked if place not in answers}
        found = each(function, fresh.values(), total_bytes, meanwhile)
        answers.update(zip(fresh, found, strict=True))
        return iter([answers[place] for place, _, _ in asked])

    def kept_build(
        files: Sequence[graph_builder.Node],
        source: graph_builder.FactSource,
        before: Graph | None,
        among: frozenset[bytes] | None = None,
        families: frozenset[str] = graph_builder.RESOLVERS,
    ) -> Graph:
        if not families:
            # it tells no more than the languages, which are those that one name needs
            return build(files, source, before, among, families)
        place = hash(tuple((node.path, node.oid) for node in files)), families
        if place not in graphs:
            graphs[place] = build(files, source, before, among, families)
        return graphs[place]

    extraction_pool.each = kept_each
    graph_builder.build = kept_build


if __name__ == "__main__":
    main()
