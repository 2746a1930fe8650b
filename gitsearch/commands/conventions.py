"""`git search conventions [PATH]`: the repository's own rules for contributors and agents."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import BadPath
from gitsearch.extract import convention_files
from gitsearch.extract.convention_files import RuleFile
from gitsearch.git import blobs
from gitsearch.git.codeowners import PLACES, Owners, find
from gitsearch.reports.lookup import ConventionFile, ConventionsReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.commands.tree_selection import TreeFiles
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.records import TreeEntry

# A larger file is named, not read; GitHub reads CODEOWNERS of up to 3 MB.
_LARGEST = 3 << 20

_UNKNOWN = RuleFile("", "", "")


class _Found(NamedTuple):
    """A file by its path, what it is, and its content: None where it was not read."""

    path: str
    rule: RuleFile
    size: int | None
    data: bytes | None
    link: bool


def conventions(
    session: Session, path: str | None, at: str | None, *, cached: bool = False
) -> ConventionsReport:
    """All such files, or those that apply to a path, nearest first; raises BadPath."""
    selection = select_tree(session, at=at, cached=cached)
    files = selection.files()
    wanted = None if path is None else _placed(files, selection.placed(path))
    every = list(_found(session.repo, files))
    recognised = [file for file in every if file.rule.kind]
    owners, warnings = _owners(recognised, wanted)
    if len(recognised) < len(every):
        warnings.append(
            f"{len(every) - len(recognised)} files that may hold settings are not here"
        )
    if wanted is not None:
        recognised = [file for file in recognised if f"{wanted}/".startswith(file.rule.scope)]
    recognised.sort(key=_nearest_first if wanted is not None else _by_kind)
    texts = tuple(map(_text, recognised))
    return ConventionsReport(wanted, files.tree, texts, owners, tuple(warnings))


def _placed(files: TreeFiles, wanted: str) -> str:
    """A path that must be a file or a folder of the tree."""
    raw = os.fsencode(wanted)
    folder = raw + b"/"
    if (
        wanted
        and raw not in files.entries
        and not any(entry.startswith(folder) for entry in files.entries)
    ):
        raise BadPath(
            f"no file or folder '{wanted}' in {files.tree.rev}",
            "for a file that is not there yet, ask for its folder",
        )
    return wanted


def _found(repo: Repo, files: TreeFiles) -> Iterator[_Found]:
    """The files that are recognised by their path or content.

    A file whose content would tell and is not here has the kind "".
    """
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
            yield _Found(text, rule, sizes.get(entry.oid), data, link)


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


def _owners(recognised: list[_Found], wanted: str | None) -> tuple[tuple[str, ...], list[str]]:
    """The owners of a path, and what is odd about the files that name them."""
    texts = {file.path: file for file in recognised if file.rule.kind == "owners"}
    place = find(texts)
    if place is None:
        return (), []
    warnings = [f"{path} does not count, for there is {place}" for path in texts if path != place]
    file = texts[place]
    data = None if file.link else file.data
    owners = Owners("" if data is None else data.decode("utf-8", "surrogateescape"))
    if owners.too_large or (data is None and not file.link):
        warnings.append(f"{place} is not read: it is too large, or not here")
    return owners.of(wanted) if wanted else (), warnings


def _text(file: _Found) -> ConventionFile:
    content = None if file.data is None else file.data.decode("utf-8", "replace")
    return ConventionFile(
        file.path,
        file.rule.kind,
        file.rule.tool,
        file.rule.scope,
        file.rule.kind in convention_files.PROSE,
        file.size,
        None if file.link else content,
        content if file.link else None,
    )


def _by_kind(file: _Found) -> tuple[int, str]:
    return convention_files.KINDS.index(file.rule.kind), file.path


def _nearest_first(file: _Found) -> tuple[int, int, str]:
    return -file.rule.scope.count("/"), *_by_kind(file)
