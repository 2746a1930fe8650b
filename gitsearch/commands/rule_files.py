"""The files of a tree with rules for contributors, with their contents."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract import convention_files
from gitsearch.extract.convention_files import RuleFile
from gitsearch.git import blobs
from gitsearch.git.codeowners import PLACES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.commands.tree_selection import TreeFiles
    from gitsearch.git.repo import Repo
    from gitsearch.records import TreeEntry

# A larger file is named, not read; GitHub reads CODEOWNERS of up to 3 MB.
_LARGEST = 3 << 20

_UNKNOWN = RuleFile("", "", "")


class FoundRule(NamedTuple):
    """A file with rules: its path, what it is, its size, and its content or the target of a link.

    size and data are None where the file was not read. A file whose content would tell what it
    is, and is not here, has the kind "".
    """

    path: str
    rule: RuleFile
    size: int | None
    data: bytes | None
    link: bool


def found_rules(repo: Repo, files: TreeFiles) -> Iterator[FoundRule]:
    """The files of a tree that are recognised by their path or content."""
    rules: dict[bytes, RuleFile | None] = {}
    for path in files.entries:
        text = path.decode("utf-8", "surrogateescape")
        rule = RuleFile("owners", "", "") if text in PLACES else convention_files.recognised(text)
        if rule is not None or convention_files.may_embed(text):
            rules[path] = rule
    sizes, contents = _contents(repo, files, [files.entries[path] for path in rules])
    for path, rule in rules.items():
        entry, text = files.entries[path], path.decode("utf-8", "surrogateescape")
        data = contents.get(entry.oid)
        link = stat.S_ISLNK(entry.mode)
        if rule is None and not link:
            rule = _UNKNOWN if data is None else convention_files.embedded(text, data)
        if rule is not None:
            yield FoundRule(text, rule, sizes.get(entry.oid), data, link)


def _contents(
    repo: Repo, files: TreeFiles, entries: list[TreeEntry]
) -> tuple[dict[str, int], dict[str, bytes | None]]:
    """Sizes and contents by id; of a link the content is its target."""
    edited = files.contents
    stored = [entry.oid for entry in entries if entry.oid and entry.oid not in edited]
    sizes = blobs.sizes(repo, stored)
    small = [oid for oid, size in sizes.items() if size <= _LARGEST]
    contents: dict[str, bytes | None] = dict(blobs.read_blobs(repo, small))
    return sizes | {oid: len(data) for oid, data in edited.items()}, {**contents, **edited}
