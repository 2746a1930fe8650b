"""`git search conventions [PATH]`: the repository's own rules for contributors and agents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.rule_files import FoundRule, found_rules
from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import BadPath
from gitsearch.extract import convention_files
from gitsearch.git.codeowners import Owners, find
from gitsearch.reports.lookup import ConventionFile, ConventionsReport

if TYPE_CHECKING:
    from gitsearch.commands.tree_selection import TreeFiles
    from gitsearch.index.session import Session


def conventions(
    session: Session, path: str | None, at: str | None, *, cached: bool = False
) -> ConventionsReport:
    """All such files, or those that apply to a path, nearest first; raises BadPath."""
    selection = select_tree(session, at=at, cached=cached)
    files = selection.files()
    wanted = None if path is None else _placed(files, selection.placed(path))
    every = list(found_rules(session.repo, files))
    recognised = [file for file in every if file.rule.kind]
    owners, warnings = _owners(recognised, wanted)
    if len(recognised) < len(every):
        absent = len(every) - len(recognised)
        one = "1 file that may hold settings is"
        said = one if absent == 1 else f"{absent} files that may hold settings are"
        warnings.append(f"{said} not here")
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


def _owners(recognised: list[FoundRule], wanted: str | None) -> tuple[tuple[str, ...], list[str]]:
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


def _text(file: FoundRule) -> ConventionFile:
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


def _by_kind(file: FoundRule) -> tuple[int, str]:
    return convention_files.KINDS.index(file.rule.kind), file.path


def _nearest_first(file: FoundRule) -> tuple[int, int, str]:
    return -file.rule.scope.count("/"), *_by_kind(file)
