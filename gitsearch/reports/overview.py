"""The records of the map and the architecture of a code base."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import Coverage, TreeName

# Files that are named because they are too large for what is left of a budget.
MOST_TOO_LARGE = 4


class SignatureLine(NamedTuple):
    """A definition of a file."""

    line: int
    text: str


class Module(NamedTuple):
    """A file on the map: its tier, its rank among all files, the first sentence of its docs.

    `signatures` are its definitions that lie in no other.
    """

    path: str
    language: str
    tier: str
    rank: float
    doc: str
    signatures: tuple[SignatureLine, ...]


class MapReport(NamedTuple):
    """The files that most others lean on, as far as the budget of tokens goes.

    `paths` and `query` are what the map is drawn for. Of `files` of code `left_out` are not shown;
    `too_large` are the first of them that rank higher than the last that is.
    """

    tree: TreeName
    coverage: Coverage
    paths: tuple[str, ...]
    query: str | None
    budget: int
    tokens: int
    files: int
    modules: tuple[Module, ...]
    left_out: int
    too_large: tuple[str, ...]
    warnings: tuple[str, ...]


class Need(NamedTuple):
    """A component that another one imports, and by how many edges."""

    name: str
    edges: int


class Component(NamedTuple):
    """Files that are linked more with each other than with others; `needs` are components.

    layer: 0 needs no other; components that need each other are in one layer. `core` are the files
    of the highest rank.
    """

    name: str
    size: int
    layer: int
    core: tuple[str, ...]
    needs: tuple[Need, ...]


class Role(NamedTuple):
    """A file and its role; how many files import it, and how many it imports."""

    path: str
    role: str
    component: str | None
    imported_by: int
    imports: int


class ArchitectureReport(NamedTuple):
    """Components, the largest first, the role of each file by path, circles of imports.

    `aside` counts tests, examples and the like, which belong to no component; a component of None
    is that of a file without edges.
    """

    tree: TreeName
    coverage: Coverage
    components: tuple[Component, ...]
    files: tuple[Role, ...]
    cycles: tuple[tuple[str, ...], ...]
    aside: int
    warnings: tuple[str, ...]
