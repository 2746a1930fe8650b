"""Views made in memory from texts, for tests of what looks at a view."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from gitsearch.extract.languages import hint
from gitsearch.features.embedding import Model
from gitsearch.index import segment
from gitsearch.index.fact_columns import BlobKey, extract_columns
from gitsearch.index.segment import FileRow
from gitsearch.index.segment_input import Dictionary, embedded, facts_of_columns
from gitsearch.index.view import Segment, View, row_of

# The content of each path; None: the path is deleted, a text after "skip:" is a reason.
Files = Mapping[str, str | None]


def oid_of(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def segment_of(files: Files, model: Model) -> Segment:
    """One segment of all files that are not deleted."""
    present = sorted((path.encode(), text) for path, text in files.items() if text is not None)
    keys = {
        path: BlobKey(oid_of(text), hint(path))
        for path, text in present
        if not text.startswith("skip:")
    }
    contents = {keys[path]: text.encode() for path, text in present if path in keys}
    found = extract_columns(iter(contents.items()))
    place = {key: i for i, key in enumerate(found.keys)}
    rows = []
    for path, text in present:
        if path not in keys:
            rows.append(FileRow(path, oid_of(text), "text", text.removeprefix("skip:"), -1))
            continue
        i = place[keys[path]]
        reason = found.skips[i]
        blob = -1 if reason else i
        rows.append(FileRow(path, keys[path].oid, found.languages[i], reason, blob))
    dictionary = Dictionary(model.tokens)
    numbers = dictionary.numbers(found.terms.terms)
    facts = facts_of_columns(found, embedded(model, found.terms, dictionary, numbers), numbers)
    arrays, meta = segment.build(rows, facts, model, dictionary)
    return Segment(arrays, {**meta, "base": None})


def view_of(model: Model, *layers: Files) -> View:
    """A view of files; each further layer changes, adds or deletes some of those before."""
    segments: list[Segment] = []
    live: list[np.ndarray] = []
    for files in layers:
        for below, mask in zip(segments, live, strict=True):
            rows = [row_of(below, path.encode()) for path in files]
            mask[[row for row in rows if row >= 0]] = False
        made = segment_of(files, model)
        segments.append(made)
        live.append(np.ones(made.files, bool))
    return View(tuple(segments), tuple(live), model)


def texts_of(view: View, files: Files, rows: Sequence[int]) -> list[str]:
    """The texts of chunk rows."""
    out = []
    for row in rows:
        part, inside = view.locate(row)
        path = part.path(int(part["chunk_file"][inside])).decode()
        data = (files[path] or "").encode()
        start, size = int(part["chunk_start"][inside]), int(part["chunk_size"][inside])
        out.append(data[start : start + size].decode("utf-8", "replace"))
    return out


def places_of(view: View, rows: Sequence[int]) -> list[tuple[str, int, int]]:
    """(path, first line, last line) of chunk rows."""
    out = []
    for row in rows:
        part, inside = view.locate(row)
        path = part.path(int(part["chunk_file"][inside])).decode()
        first, more = (int(part[f"chunk_{name}"][inside]) for name in ("first_line", "more_lines"))
        out.append((path, first, first + more))
    return out
