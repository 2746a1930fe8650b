"""From checkouts to the pairs that are trained on and the questions that measure, kept on disk."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import extract
from gitsearch.features import identifiers
from gitsearch.git import repo as repository
from gitsearch.index import fact_columns
from training import changes, held, mining, sources, wording
from training.held import HeldOut
from training.mining import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.git.repo import Repo
    from training.listing import Entry


# The modules that decide what is mined, beside the package that cuts files.
_MINING = (changes, held, mining, sources, wording, fact_columns, identifiers)


class Gathered(NamedTuple):
    """Pairs with the repository of each, and what measures."""

    pairs: list[Pair]
    repositories: list[str]
    held: list[HeldOut]


def gather(found: Sequence[tuple[Entry, Repo]], folder: Path, seed: int) -> Gathered:
    """Mine each repository, or read what this program mined from the same revision before."""
    folder.mkdir(parents=True, exist_ok=True)
    program = _digest(_program())
    whole = Gathered([], [], [])
    for entry, repo in found:
        kept = folder / f"{entry.folder}-{entry.revision}-{seed}-{program}.json"
        if not kept.is_file():
            text = json.dumps(_mined(entry, repo, seed))
            kept.write_text(text, encoding="utf-8")
        mined = json.loads(kept.read_text(encoding="utf-8"))
        if entry.held_out:
            whole.held.append(HeldOut(*mined))
        else:
            whole.pairs.extend(Pair(*row) for row in mined)
            whole.repositories.extend([entry.name] * len(mined))
    return whole


def _program() -> Iterator[Path]:
    """The files whose content decides what is mined."""
    yield Path(__file__)
    yield from (Path(str(module.__file__)) for module in _MINING)
    for path in sorted(Path(extract.__file__).parent.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path


def _digest(paths: Iterator[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def _mined(entry: Entry, repo: Repo, seed: int) -> list[Pair] | HeldOut:
    order = mining.generator(entry.name, seed)
    tree = repository.resolve(repo, entry.revision).tree
    mined = mining.mine(repo, tree, order)
    pairs = [*mined.pairs, *changes.changed(repo, entry.revision, mined.sources, order)]
    return held.held_out(entry.name, mined.sources, pairs) if entry.held_out else pairs
