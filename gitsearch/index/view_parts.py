"""Parts of a view, published while the rest of its tree is indexed, for the searches meanwhile.

A part holds some files of the tree, with facts that are recorded: it is right, whatever becomes of
the process that indexes the others. No file is in two parts.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gitsearch.errors import Unwritable
from gitsearch.index.segment_assembly import file_rows, files_in_order
from gitsearch.index.segment_input import concatenated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.facts_writer import AddedBlobs, FactsWriter
    from gitsearch.index.file_selection import SelectedFile
    from gitsearch.index.segment_assembly import SegmentAssembler
    from gitsearch.index.segment_input import Dictionary, SegmentFacts

# Bytes of text in a part: as many as are recorded at once, and at least this share of what is in
# the parts before it, so that there are few of them in any repository.
FIRST = 8 << 20
GROWTH = 0.5

# The share of the text that is compiled twice, once for a part: after that the view is soon there.
# To compile all of it takes 5 % of the processor time of an index (kafka, 70 MB).
MOST = 0.75


@dataclass(slots=True)
class ViewParts:
    """Publishes the parts of one view.

    writer: records their facts, with their vectors; dictionary: has all terms of the facts; total:
    bytes of text in the tree, of which so many are `done`, recorded by others before or in a part.
    """

    assembler: SegmentAssembler
    tree: str
    selected: Sequence[SelectedFile]
    writer: FactsWriter
    dictionary: Dictionary
    total: int
    done: int
    _waiting: list[AddedBlobs] = field(default_factory=list)
    _size: int = 0

    def add(self, recorded: Sequence[AddedBlobs]) -> None:
        """Publish a part, or wait for more facts."""
        self._waiting += recorded
        self._size += sum(int(batch.sizes.sum()) for batch in recorded)
        done = self.done + self._size
        if self._size >= max(FIRST, GROWTH * self.done) and done <= MOST * self.total:
            # whatever is wrong with the disk, who writes what is needed says it
            with contextlib.suppress(Unwritable):
                self._publish()
            self._waiting, self._size, self.done = [], 0, done

    def _publish(self) -> None:
        known_files = files_in_order(self._waiting)
        files = [file for file in self.selected if file.key in known_files]
        rows = file_rows(files, known_files)
        facts = concatenated([_shared(batch.facts) for batch in self._waiting])
        dictionary, facts.term = self.dictionary.only(facts.term)
        built = self.assembler.built(rows, facts, self.writer.vectors, dictionary)
        self.assembler.store.publish_part(self.tree, *built)


def _shared(facts: SegmentFacts) -> SegmentFacts:
    """Return facts with the same arrays, which may be used up without the others."""
    return replace(facts, chunks={**facts.chunks}, symbols={**facts.symbols})
