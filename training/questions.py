"""Questions that a language model wrote for places in the code of the repositories that train.

It read a definition and wrote what somebody types who does not know it: a question, the title of
a report or a commit, and a phrase. `questions.jsonl.xz` has no text of the code, only where it is;
`xz -dc` prints it.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from training.mining import Pair, pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.sources import Source

QUESTIONS = Path(__file__).with_name("questions.jsonl.xz")

# What was written about each place of the file.
KINDS = ("question", "report", "phrase")


class Question(NamedTuple):
    """Words, which of KINDS they are, and a line (from 1) of the chunk that they are about."""

    repository: str
    path: str
    line: int
    kind: str
    query: str


def read(path: Path) -> list[Question]:
    """All questions about the places of a compressed file, in their order."""
    found: list[Question] = []
    for line in lzma.decompress(path.read_bytes()).decode("utf-8").splitlines():
        row = json.loads(line)
        place = row["repository"], row["path"], row["line"]
        found.extend(Question(*place, kind, row[kind]) for kind in KINDS if kind in row)
    return found


def pairs(sources: Sequence[Source], questions: Sequence[Question]) -> list[Pair]:
    """The questions whose files are among the sources, each with its chunk."""
    by_path = {source.path: source for source in sources}
    found = []
    for one in questions:
        source = by_path.get(one.path)
        if source is not None:
            found.append(pair(one.kind, one.query, source, source.at_line(one.line)))
    return found
