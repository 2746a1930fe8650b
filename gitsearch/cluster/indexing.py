"""The steps that index a list of repositories; each can be done again, and does what is left.

Facts of a blob are extracted once. Blobs that several repositories have are put together in
repositories of their own, which are indexed first; the repositories take the facts from there.
"""

from __future__ import annotations

import json
import os
import resource
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import NotARepository, SearchError
from gitsearch.git import background_process, mirror, trees
from gitsearch.git.repo import open_at_head
from gitsearch.git_conventions import MODE_FILE
from gitsearch.index.child_processes import PROCESSORS
from gitsearch.index.file_selection import select_files
from gitsearch.records import TreeEntry
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Blob(NamedTuple):
    """A blob with what else its facts depend on, and a path at which it lies."""

    oid: str
    hint: str
    forced: bool
    path: bytes

    @property
    def key(self) -> tuple[str, str, bool]:
        """The key of the facts of the blob."""
        return self[:3]


class Fetched(NamedTuple):
    """A clone that is up to date with its source, and the blobs of its HEAD; else the reason."""

    name: str
    blobs: tuple[Blob, ...] = ()
    reason: str = ""


class Indexed(NamedTuple):
    """The cost of the index of a clone: files extracted, files known, chunks; else the reason.

    seconds: processor time.
    """

    name: str
    extracted: int = 0
    known: int = 0
    chunks: int = 0
    reason: str = ""
    seconds: float = 0.0


def fetched(folder: Path, source: str) -> Fetched:
    """Clone a repository, or fetch what is new in it; what fails is said, not raised."""
    try:
        mirror.update(source, folder)
        repo, head = open_at_head(folder, apart=True)
        if head is None:
            raise NotARepository("it has no commit")
        files = select_files(repo, trees.list_tree(repo, head.tree))
        repo.end_idle()
    except (SearchError, OSError) as error:
        return Fetched(folder.name, reason=_line(error))
    blobs = tuple(Blob(*file.key, file.path) for file in files if not file.reason)
    return Fetched(folder.name, blobs)


def indexed(folder: Path, beside: Sequence[Path]) -> Indexed:
    """Index the HEAD of a clone; what indexes beside it know is taken from there."""
    siblings = [f"--beside={other / layout.FOLDER}" for other in beside]
    before = _processor_time()
    # Ray tells a task by this what it has of the machine
    os.environ[PROCESSORS] = os.environ.get("OMP_NUM_THREADS", "")
    try:
        said = background_process.answer(folder, "index", "--json", "--at", "HEAD", *siblings)
        report = json.loads(said)
    except (SearchError, OSError, ValueError) as error:
        return Indexed(folder.name, reason=_line(error))
    if "error" in report:
        return Indexed(folder.name, reason=str(report["error"]["message"]))
    return Indexed(
        folder.name,
        report["files_parsed"],
        report["files_known"],
        report["chunks"],
        seconds=_processor_time() - before,
    )


def _processor_time() -> float:
    """Seconds that the children of this process have taken so far, those that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def indexed_common(folder: Path, blobs: Sequence[Blob], clones: Sequence[Path]) -> Indexed:
    """Index blobs that several clones have; what one of these knows already is taken from it."""
    plain = [
        TreeEntry(b"%d/%s" % (number, blob.path), blob.oid, MODE_FILE)
        for number, blob in enumerate(blobs)
    ]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        mirror.repository_of(folder, plain, [clone / "objects" for clone in clones])
    except (SearchError, OSError) as error:
        return Indexed(folder.name, reason=_line(error))
    return indexed(folder, [clone for clone in clones if (clone / layout.FOLDER).is_dir()])


def shared_blobs(each: Iterable[Fetched], parts: int) -> list[tuple[list[Blob], list[str]]]:
    """Return the blobs that several repositories have, in parts of even size by their ids.

    Each part comes with the names of the repositories that have blobs of it.
    """
    holders: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    first: dict[tuple[str, str, bool], Blob] = {}
    for one in each:
        for key, blob in {blob.key: blob for blob in one.blobs}.items():
            holders[key].append(one.name)
            first.setdefault(key, blob)
    found: list[tuple[list[Blob], dict[str, None]]] = [([], {}) for _ in range(parts)]
    for key, names in holders.items():
        # an attribute that overrules the recognition of generated content is that of a clone
        if len(names) > 1 and not first[key].forced:
            blobs, of = found[int(key[0][:8], 16) % parts]
            blobs.append(first[key])
            of |= dict.fromkeys(names)
    return [(blobs, list(of)) for blobs, of in found]


def shards_of(sizes: dict[str, int], known: dict[str, int], count: int) -> dict[str, int]:
    """Return the shard of each repository: the largest first, each to the smallest shard.

    known: of those that have one, which they keep.
    """
    filled = [0] * count
    shards = {name: shard for name, shard in known.items() if name in sizes and shard < count}
    for name, shard in shards.items():
        filled[shard] += sizes[name]
    for name in sorted(sizes.keys() - shards.keys(), key=lambda name: (-sizes[name], name)):
        shards[name] = filled.index(min(filled))
        filled[shards[name]] += sizes[name]
    return shards


def _line(error: Exception) -> str:
    return error.message if isinstance(error, SearchError) else str(error)
