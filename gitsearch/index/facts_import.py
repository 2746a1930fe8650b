"""Import of an exported index: its facts are recorded for the blobs that are in this repository.

A file may come from anybody, so its facts are data to be checked: each blob's against its text,
and those of some blobs by parsing them anew, which ones the file cannot know.
"""

from __future__ import annotations

import hashlib
import secrets
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.errors import BadShare, brief
from gitsearch.extract.ambiguous_extensions import AMBIGUOUS
from gitsearch.extract.languages import LANGUAGES
from gitsearch.git import blobs
from gitsearch.git_conventions import is_object_id
from gitsearch.index import extraction_pool
from gitsearch.index.facts_writer import known
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.shared_facts import SharedFacts, decoded
from gitsearch.index.shared_file import SharedFile
from gitsearch.index.update_counts import Counters
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.session import Session
    from gitsearch.index.shared_facts import SharedBlob

# Blobs that git is asked for at once.
_BLOBS = 4096

# Blobs that are parsed anew, and bytes of their text, which take about half a second. Where every
# tenth blob is forged, none of 32 is in 3 % of cases.
_SAMPLE = 32
_SAMPLE_BYTES = 512 << 10


class SharedIndex(NamedTuple):
    """An exported index that was read whole.

    bytes: its size; blobs: how many it has; facts: of those that are wanted here; sizes: of these,
    in bytes by object id.
    """

    name: str
    bytes: int
    trees: tuple[str, ...]
    blobs: int
    facts: SharedFacts
    sizes: dict[str, int]


def read(session: Session, stream: IO[bytes], name: str) -> SharedIndex:
    """Read and check an exported index; facts of blobs that are not in this clone are left out.

    name: of the file, for messages. Raises BadShare.
    """
    file = SharedFile(stream, name)
    index = selected(session, file.lines(), file.damaged)
    return index._replace(name=name, bytes=file.size, trees=tuple(file.header.trees))


def selected(
    session: Session, lines: Iterator[bytes], damaged: Callable[[str], BadShare]
) -> SharedIndex:
    """Check the lines of blobs; returns an index of those that are wanted here, without a name.

    damaged: the error for a reason. Raises it.
    """
    wanted: dict[BlobKey, bytes] = {}
    sizes: dict[str, int] = {}
    count = 0
    limit = session.settings.max_file_size
    while batch := list(islice(lines, _BLOBS)):
        read_blobs = [_decoded(line, count + i, damaged) for i, line in enumerate(batch, 2)]
        count += len(batch)
        here = blobs.sizes(session.repo, {blob.oid for blob in read_blobs})
        for blob, line in zip(read_blobs, batch, strict=True):
            if blob.key in wanted:
                raise damaged(f"it has the blob {blob.oid} twice")
            if here.get(blob.oid, limit + 1) <= limit and _is_hint(blob.hint):
                wanted[blob.key] = line
                sizes[blob.oid] = here[blob.oid]
    return SharedIndex("", 0, (), count, SharedFacts(wanted), sizes)


def _decoded(line: bytes, number: int, damaged: Callable[[str], BadShare]) -> SharedBlob:
    try:
        blob = decoded(line)
    except ValueError as error:
        raise damaged(f"line {number}: {brief(str(error))}") from error
    if not is_object_id(blob.oid):
        raise damaged(f"line {number} is of no object")
    return blob


def _is_hint(hint: str) -> bool:
    """Return True if a path can tell this language, or leave it to the content."""
    if not hint.startswith("?"):
        return hint in LANGUAGES
    extension = hint[1:].encode("utf-8", "replace")
    return not extension or extension in AMBIGUOUS


def prove(session: Session, shared: SharedIndex) -> int:
    """Parse some of the blobs anew; returns how many. Raises BadShare if one has other facts."""
    sample = _sample(shared)
    contents = blobs.read_blobs(session.repo, [key.oid for key in sample])
    texts = [
        (key, data) for key, (_, data) in zip(sample, contents, strict=True) if data is not None
    ]
    with trace.stage("prove"):
        total = sum(len(data) for _, data in texts)
        answers = list(extraction_pool.each(shared.facts.proved, texts, total))
    # None: the text takes its parser down, so it proves nothing
    if wrong := answers.count(False):
        raise BadShare(
            f"'{shared.name}' is forged, or written with other parsers: of {len(texts)} files "
            f"that were parsed to check it, {wrong} came out otherwise; nothing was imported",
            "git search index makes the index from the repository",
        )
    return len(texts)


def _sample(shared: SharedIndex) -> list[BlobKey]:
    """Return blobs to be parsed, in an order that nobody can know beforehand."""
    secret = secrets.token_bytes(hashlib.blake2b.MAX_KEY_SIZE)

    def order(key: BlobKey) -> bytes:
        text = "\n".join((key.oid, key.hint, str(key.forced)))
        return hashlib.blake2b(text.encode(), key=secret).digest()

    sample = []
    size = 0
    for key in sorted(shared.facts.lines, key=order):
        sample.append(key)
        size += shared.sizes[key.oid]
        if len(sample) == _SAMPLE or size >= _SAMPLE_BYTES:
            break
    return sample


def record(session: Session, shared: SharedIndex) -> tuple[Counters, tuple[str, ...]]:
    """Make the view of HEAD's tree with these facts, and record those that it does not need.

    Files of HEAD without facts in the file are parsed. Returns counts of the work, and warnings.
    Raises Unwritable.
    """
    opener = ViewOpener(session, must_write=True, known=shared.facts)
    counters = Counters()
    warnings: tuple[str, ...] = ()
    if session.head is not None:
        opened = opener.open(session.head, [])
        counters, warnings = opened.counters, opened.warnings
    if rest := _unrecorded(session, list(shared.facts.lines)):
        opener.record(rest, counters)
    return counters, warnings


def _unrecorded(session: Session, keys: list[BlobKey]) -> list[BlobKey]:
    try:
        with FactsDb(session.store.folder / layout.RECORD) as record:
            ids = known(record, keys).id.tolist()
    except FileNotFoundError:
        return keys
    return [key for key, number in zip(keys, ids, strict=True) if number < 0]
