"""The records that flow between the layers.

Named tuples: to define as many dataclasses would take 10 ms of every search.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitsearch.git_conventions import MODE_SUBMODULE

# ---------------------------------------------------------------- git


class TreeEntry(NamedTuple):
    """One entry of a tree or of the index: raw path bytes, hex object id, mode (0o100644, ...)."""

    path: bytes
    oid: str
    mode: int

    @property
    def regular(self) -> bool:
        """Return True for a file, False for a link or a submodule."""
        return stat.S_ISREG(self.mode)

    @property
    def special(self) -> str:
        """Return "symlink" or "submodule" for what has no text to be searched; "" for a file."""
        if self.regular:
            return ""
        return "submodule" if self.mode == MODE_SUBMODULE else "symlink"


class TreeChange(NamedTuple):
    """One path that differs between two trees; `old` or `new` is None where it does not exist."""

    path: bytes
    old: TreeEntry | None
    new: TreeEntry | None


class Revision(NamedTuple):
    """A resolved revision: what was asked, the commit (None for a bare tree), the tree."""

    rev: str
    commit: str | None
    tree: str


class DirtyFile(NamedTuple):
    """A file of the working tree that differs from HEAD or the index, as the blob git would store.

    `data` is None where the path is gone from the working tree or where `skip` gives a reason.
    """

    path: bytes
    oid: str
    mode: int
    data: bytes | None
    skip: str | None = None


# Lines of files by path: the first and last ones of runs, 1-based and in order.
LineRanges = Mapping[bytes, Sequence[tuple[int, int]]]


# ---------------------------------------------------------------- languages


class LexicalSyntax(NamedTuple):
    """The syntax of comments and strings of a language, as far as languages differ.

    `line_comments` are regular expressions of the start of a comment that ends with its line;
    `block_comments` are pairs of such an expression and the literal end. They hold for the flag
    re.MULTILINE. `triple_quotes` are the delimiters of strings that may span lines. `character`:
    a single quote encloses one character only.
    """

    line_comments: tuple[str, ...] = ()
    block_comments: tuple[tuple[str, str], ...] = ()
    nested: bool = False
    triple_quotes: tuple[str, ...] = ()
    character: bool = False


# ---------------------------------------------------------------- facts of one blob


class Chunk(NamedTuple):
    """A byte range [start, end) of a blob with its 1-based inclusive lines.

    `scope` is the index of the innermost definition that encloses the chunk's first byte of code
    without starting in it, or -1; `symbol` the index of the definition that the chunk is best
    named after (the first that starts in it, else the enclosing one), or -1.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    scope: int
    symbol: int


class Definition(NamedTuple):
    """A named definition: byte range [start, end), 1-based inclusive lines, parent index or -1.

    `signature_end` is the byte where the signature ends (before the body).
    """

    name: str
    qualified: str
    kind: str
    signature: str
    doc: str
    start: int
    end: int
    signature_end: int
    first_line: int
    last_line: int
    parent: int


class ParsedText(NamedTuple):
    """The part of the facts of a text that takes a parser; all else follows from the text.

    starts: the first byte of each chunk; definitions: in order of position, without `signature`
    and `doc`.
    """

    starts: tuple[int, ...]
    definitions: tuple[Definition, ...]


class Reference(NamedTuple):
    """A use of a name at a 1-based line; kind is call, type, or name."""

    name: str
    kind: str
    line: int


# The owner of a member of the bases of the enclosing class.
SUPER = "super()"


class Use(NamedTuple):
    """A use of a name that was asked for, at a 1-based line.

    kind is call, type, import, export (named in a list of what is offered) or name; owner is what
    stands before it and a dot (or `->`, `::`, `:`, by language), as far as it is names (`a.b`; ""
    after anything else), None for a name alone; local: the name is bound again around it; classes:
    in Python, where owner is `self`, `cls` or SUPER, the enclosing class and its bases, by their
    names; in Go, where it is the receiver of the enclosing method, its type.
    """

    line: int
    kind: str
    owner: str | None
    local: bool
    classes: tuple[str, ...] = ()


class Import(NamedTuple):
    """A raw import as written; kind is import, from, require, include, use, ...

    `names` are the imported names joined by commas (empty: the whole module); line is 1-based.
    """

    specifier: str
    kind: str
    names: str
    line: int


class Structure(NamedTuple):
    """The facts from the syntax tree of a blob besides its chunks, each in order of position."""

    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
