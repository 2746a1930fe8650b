"""Pairs of a commit's subject and a chunk that still has what the commit wrote."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git.repo import end
from training import wording
from training.mining import Pair, pair, worthy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from gitsearch.git.repo import Repo
    from training.sources import Source

# Commits that are looked at, newest first, and pairs that are kept.
_LOOKED_AT = 4000
_MOST = 900

_FILES = 3  # a commit that changes more is no one thing
_LINES = (2, 80)  # lines that a commit wrote into a file
_LEFT = 0.5  # share of them that must still be there
_WORDY = re.compile(rb"[A-Za-z]{3}")
_BARE = 0.7  # share of subjects that lose their prefix


class Change(NamedTuple):
    """A commit: its subject, and the lines that it wrote, without blanks around them, by path."""

    subject: str
    written: dict[str, list[bytes]]


def read(repo: Repo, revision: str, most: int = _LOOKED_AT) -> Iterator[Change]:
    """The latest commits of a revision that are no merges."""
    process = repo.pipe(
        *("log", "--no-merges", f"--max-count={most}", "--patch", "--unified=0", "--no-renames"),
        *("--diff-filter=M", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x01%s"),
        *("-z", revision, "--"),
        stdin=False,
    )
    assert process.stdout is not None
    try:
        subject: str | None = None
        written: dict[str, list[bytes]] = {}
        lines: list[bytes] = []
        for line in process.stdout:
            if b"\x01" in line[:2]:
                if subject is not None:
                    yield Change(subject, written)
                subject = line.lstrip(b"\0\x01").rstrip(b"\n\0").decode("utf-8", "replace")
                written, lines = {}, []
            elif line.startswith(b"+++ "):
                path = line[4:].rstrip(b"\n\t").removeprefix(b"b/").decode("utf-8", "replace")
                lines = written.setdefault(path, [])
            elif line.startswith(b"+"):
                lines.append(line[1:].strip())
        if subject is not None:
            yield Change(subject, written)
    finally:
        end(process)


def changed(
    repo: Repo, revision: str, sources: Sequence[Source], order: np.random.Generator
) -> list[Pair]:
    """A pair for each of the latest commits whose lines are still in one of the files."""
    by_path = {source.path: source for source in sources}
    found: dict[str, Pair] = {}
    for change in read(repo, revision):
        query = wording.subject(change.subject, bare=bool(order.random() < _BARE))
        if not query or not 0 < len(change.written) <= _FILES:
            continue
        for path, lines in change.written.items():
            source = by_path.get(path)
            chunk = surviving(source, lines) if source else None
            if source is not None and chunk is not None:
                one = pair("commit", query, source, chunk)
                if worthy(one) and not wording.repeats(query, one.text):
                    found.setdefault(query, one)
                    break
        if len(found) == _MOST:
            break
    return list(found.values())


def surviving(source: Source, lines: Sequence[bytes]) -> int | None:
    """The chunk that has most of some lines, if half of them are still in the file."""
    wordy = {line for line in lines if _WORDY.search(line)}
    if not _LINES[0] <= len(wordy) <= _LINES[1]:
        return None
    there: Counter[int] = Counter()
    left = set()
    for number, chunk in enumerate(source.chunks):
        for line in source.data[chunk.start : chunk.end].splitlines():
            if line.strip() in wordy:
                there[number] += 1
                left.add(line.strip())
    if len(left) < _LEFT * len(wordy):
        return None
    return min(there, key=lambda number: (-there[number], number))
