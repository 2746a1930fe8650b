"""`git search share`: the index of some trees as one file, and the import of such a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gitsearch.errors import BadShare
from gitsearch.reports.maintenance import ExportReport, ImportReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitsearch.index.session import Session

    # Writes bytes to standard output, and returns how many.
    Output = Callable[[Iterable[bytes]], int]

# Microseconds are enough.
_DIGITS = 6


def export(
    session: Session, file: str, revs: Sequence[str], output: Output | None = None
) -> ExportReport:
    """Write the facts of the trees of these revisions to a file; what is missing is indexed first.

    output: takes the bytes instead of the file. Raises Unwritable, and BadRevision.
    """
    started = time.monotonic()
    revisions = [session.resolve(rev) for rev in revs]
    from gitsearch.index import facts_export, shared_file
    from gitsearch.index.open_view import ViewOpener

    opener = ViewOpener(session, must_write=True)
    opened = [opener.open(one, [], rev) for one, rev in zip(revisions, revs, strict=True)]
    trees = list(dict.fromkeys(revision.tree for revision in revisions))
    lines = facts_export.lines_of_trees(session.repo, session.store, trees)
    pieces = shared_file.packed(trees, lines)
    size = output(pieces) if output else shared_file.write(Path(file), pieces)
    return ExportReport(
        file,
        tuple(view.tree for view in opened),
        len(lines),
        size,
        round(time.monotonic() - started, _DIGITS),
        tuple(dict.fromkeys(warning for view in opened for warning in view.warnings)),
    )


def import_(session: Session, file: str, stream: IO[bytes] | None = None) -> ImportReport:
    """Record the facts of an exported index for the blobs that are in this repository.

    file: its name, or that of a folder with exported tables. stream: is read
    instead of the file. Raises BadShare, and Unwritable.
    """
    started = time.monotonic()
    session.store.require_model()
    from gitsearch.index import facts_import

    if stream is not None:
        shared = facts_import.read(session, stream, "standard input")
    elif Path(file).is_dir():
        from gitsearch.index import tables_import

        shared = tables_import.read(session, Path(file), file)
    else:
        with _opened(file) as opened:
            shared = facts_import.read(session, opened, file)
    sampled = facts_import.prove(session, shared)
    counters, warnings = facts_import.record(session, shared)
    wanted = len(shared.facts.lines)
    added, refused = counters.parses_known, counters.parses_refused
    return ImportReport(
        file,
        shared.trees,
        shared.blobs,
        shared.bytes,
        added,
        max(wanted - added - refused, 0),
        shared.blobs - wanted,
        refused,
        sampled,
        counters.files_parsed,
        round(time.monotonic() - started, _DIGITS),
        warnings,
    )


def _opened(file: str) -> IO[bytes]:
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise BadShare(f"cannot read '{file}': {error.strerror}") from error
