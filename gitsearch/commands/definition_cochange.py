"""Definitions that changed together with one, told by the hunks of the landings that changed it.

The names are those that the files define now. A hunk changes the definition that git shows above
it, and those that its own lines begin.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.file_cochange import LEAST, Together
from gitsearch.git.blame import shallow_commits
from gitsearch.git.commit_changes import Bounds, read_changes
from gitsearch.git.commit_records import read_commits
from gitsearch.git.hunks import wordy
from gitsearch.index.commit_documents import begun_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from gitsearch.git.commit_changes import CommitChange, Hunk
    from gitsearch.git.repo import Repo

# What is read of a landing.
_BOUNDS = Bounds(text=256 << 10, file=64 << 10, files=200)
_WORD = re.compile(rb"(\w{1,80})(\s?\()?")
# A line that is a comment or a decorator belongs to what follows.
_ASIDE = (b"#", b"//", b"/*", b"*", b"@", b"--", b'"""', b"'''")

_CONTROL = re.compile(rb"\s*(?:\}\s*)?(?:if|for|while|switch|catch|else|return|do)\b")
_TYPED = re.compile(rb"\w[\w *&<>:,]{1,80}\([^;]{0,200}\)\s{0,9}$")

# How often names are matched with what was learnt of others.
_ROUNDS = 3

# The path of a file now, and the name of a definition in it.
Definition = tuple[bytes, bytes]


class Landing(NamedTuple):
    """A commit along first parents, and the files that it changes, by their paths now."""

    commit: str
    paths: Set[bytes]


class DefinitionCochange(NamedTuple):
    """In how many landings some definitions changed, and which others did in them."""

    occasions: int
    definitions: dict[Definition, Together]


def changed_with(changed: Sequence[Set[Definition]], own: Set[Definition]) -> DefinitionCochange:
    """Return the definitions that changed at least twice with some.

    changed: the definitions that each landing changed.
    """
    occasions = [landing for landing in changed if not own.isdisjoint(landing)]
    together = Counter(one for landing in occasions for one in landing - own)
    changes = Counter(one for landing in changed for one in landing if one in together)
    return DefinitionCochange(
        len(occasions),
        {
            one: Together(count, changes[one], count / math.sqrt(len(occasions) * changes[one]))
            for one, count in together.items()
            if count >= LEAST
        },
    )


def changed_definitions(
    repo: Repo, landings: Sequence[Landing], names: Mapping[bytes, Set[bytes]]
) -> list[set[Definition]]:
    """Return the definitions that each landing changed, of those that files have now.

    names: of the definitions of each file that matters, by its path. Raises GitFailed.
    """
    records = read_commits(repo, [landing.commit for landing in landings])
    ends = shallow_commits(repo)
    read = [landing for landing in landings if landing.commit not in ends]
    pairs = [(one.commit, (*records[one.commit].parents, "")[0]) for one in read]
    changes = list(read_changes(repo, pairs, _BOUNDS, by_language=True))
    now = _paths_now(changes, read)
    return [
        {
            (path, name)
            for hunk in change.hunks
            for path in [hunk.path if hunk.path in landing.paths else now.get(hunk.path, b"")]
            if path in names
            for name in _changed(hunk, names[path])
        }
        for change, landing in zip(changes, read, strict=True)
    ]


def _paths_now(changes: Sequence[CommitChange], landings: Sequence[Landing]) -> dict[bytes, bytes]:
    """The paths of now of files that have been renamed since, by their paths then.

    Of a landing, the files that have another name now belong to the names that are no others':
    by the name of the file, by what other landings tell, or because one is left.
    """
    found: dict[bytes, bytes] = {}
    for _ in range(_ROUNDS):
        before = len(found)
        for change, landing in zip(changes, landings, strict=True):
            then = {path for path, _ in change.paths}
            gone, new = then - landing.paths, landing.paths - then
            new -= {found[path] for path in gone if path in found}
            left = gone - found.keys()
            for path in sorted(left):
                same = [one for one in new if _file_name(one) == _file_name(path)]
                if len(same) == 1 or len(left) == len(new) == 1:
                    found[path] = (same or list(new))[0]
        if len(found) == before:
            break
    return found


def _file_name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def _changed(hunk: Hunk, names: Set[bytes]) -> Iterator[bytes]:
    """The names, of these, of the definitions that a hunk changes."""
    for sign in (b"-", b"+"):
        inside, margin = _named(hunk.around, names), _indentation(hunk.around)
        for line in hunk.lines:
            text = line[1:].strip()
            if not line.startswith(sign) or not wordy(text) or text.startswith(_ASIDE):
                continue
            begun = _begun(line[1:], names)
            if begun is not None:
                inside, margin = begun, _indentation(line[1:])
            elif _indentation(line[1:]) <= margin:
                inside = None  # it stands beside the definition above
            if inside is not None:
                yield inside


def _begun(line: bytes, names: Set[bytes]) -> bytes | None:
    """The name, of some, of the definition that a line begins, as far as the line alone tells."""
    defined = [name for name in begun_names(line) if name in names]
    if defined:
        return defined[-1]
    # without a word such as `def`: a type, a name and parentheses, or parentheses and a brace
    braced = line.rstrip().endswith(b"{") and not _CONTROL.match(line)
    return _named(line, names) if braced or _TYPED.match(line) else None


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _named(line: bytes, names: Set[bytes]) -> bytes | None:
    """The name that a line defines, of some: rather one before a parenthesis."""
    defined: Iterable[bytes] = (name for name in begun_names(line) if name in names)
    # what stands behind a sign of equality is called there
    words = [match for match in _WORD.finditer(line.partition(b"=")[0]) if match[1] in names]
    called = (match[1] for match in words if match[2])
    return next(chain(defined, called, (match[1] for match in words[-1:])), None)
