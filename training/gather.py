"""From checkouts to the pairs that are trained on and the questions that measure, kept on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git import repo as repository
from training.changes import changed
from training.held import HeldOut, held_out
from training.mining import Pair, generator, mine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gitsearch.git.repo import Repo
    from training.listing import Entry


class Gathered(NamedTuple):
    """Pairs with the repository of each, and what measures."""

    pairs: list[Pair]
    repositories: list[str]
    held: list[HeldOut]


def gather(found: Sequence[tuple[Entry, Repo]], folder: Path, seed: int) -> Gathered:
    """Mine each repository, or read what an earlier run mined from the same revision."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = Gathered([], [], [])
    for entry, repo in found:
        kept = folder / f"{entry.folder}-{entry.revision}-{seed}.json"
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


def _mined(entry: Entry, repo: Repo, seed: int) -> list[Pair] | HeldOut:
    order = generator(entry.name, seed)
    tree = repository.resolve(repo, entry.revision).tree
    mined = mine(repo, tree, order)
    pairs = [*mined.pairs, *changed(repo, entry.revision, mined.sources, order)]
    return held_out(entry.name, mined.sources, pairs) if entry.held_out else pairs
