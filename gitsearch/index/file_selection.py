"""The files of a tree with their languages, and the reasons why some are not searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import hint
from gitsearch.git import attributes
from gitsearch.index.fact_columns import BlobKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitsearch.git.repo import Repo
    from gitsearch.records import TreeEntry

_ON = frozenset({"set", "true"})
_OFF = frozenset({"unset", "false"})


@dataclass(frozen=True, slots=True)
class SelectedFile:
    """One tracked file and the reason to skip it that path and attributes give ("": none)."""

    path: bytes
    key: BlobKey
    reason: str
    documentation: bool = False

    def skipped(self, reason: str) -> SelectedFile:
        """Return the file with this reason, unless it has one already."""
        return replace(self, reason=self.reason or reason)


def select_files(
    repo: Repo, entries: Iterable[TreeEntry], contents: Mapping[str, bytes] | None = None
) -> list[SelectedFile]:
    """Return a row for every entry, sorted by path.

    `contents` holds blobs that git does not store, by id: those of edited .gitattributes files.
    """
    listed = sorted(entries, key=lambda entry: entry.path)
    settings = attributes.attributes(repo, listed, contents or {})
    files = []
    for entry in listed:
        own = settings.get(entry.path, {})
        forced = _is_forced(own)
        key = BlobKey(entry.oid, hint(entry.path), forced)
        documentation = own.get("linguist-documentation") in _ON
        files.append(
            SelectedFile(entry.path, key, _reason(entry, own, forced=forced), documentation)
        )
    return files


def select_some(
    repo: Repo,
    entries: Iterable[TreeEntry],
    rules: Iterable[TreeEntry],
    contents: Mapping[str, bytes] | None = None,
) -> list[SelectedFile]:
    """Return the rows of some entries, by the .gitattributes files of their tree.

    `contents` is as for `select_files`.
    """
    wanted = {entry.path: entry for entry in entries}
    every = {entry.path: entry for entry in rules} | wanted
    return [file for file in select_files(repo, every.values(), contents) if file.path in wanted]


def path_reasons(
    repo: Repo, entries: Iterable[TreeEntry], contents: Mapping[str, bytes]
) -> dict[bytes, str]:
    """Return the reason to skip each entry that path and attributes give ("": none), by path.

    `contents` is as for `select_files`.
    """
    listed = list(entries)
    settings = attributes.attributes(repo, listed, contents)
    reasons = {}
    for entry in listed:
        own = settings.get(entry.path, {})
        reasons[entry.path] = _reason(entry, own, forced=_is_forced(own))
    return reasons


def _is_forced(settings: dict[str, str]) -> bool:
    """Return True if an attribute overrules the recognition of generated content."""
    return settings.get("search") in _ON or settings.get("linguist-generated") in _OFF


def _reason(entry: TreeEntry, settings: dict[str, str], *, forced: bool) -> str:
    if entry.special:
        return entry.special
    if settings.get("search") in _OFF:
        return "excluded"
    if settings.get("search") in _ON:
        return ""
    if settings.get("linguist-vendored") in _ON:
        return "vendored"
    if settings.get("binary") in _ON:
        return "binary"
    generated = settings.get("linguist-generated") in _ON
    if generated or (not forced and path_kinds.is_generated_name(entry.path)):
        return "generated"
    return ""
