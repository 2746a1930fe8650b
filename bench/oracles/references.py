"""Lines that refer to Python definitions, as `git search refs` shows them, against pyright.

    python -m bench.oracles.references --tools FOLDER CHECKOUT... [--show N] [--out FILE]

FOLDER has node_modules with pyright 1.1 (MIT; `npm install pyright`). The tracked modules are
copied to a scratch folder, without the settings that keep pyright from some of them, and its
language server is asked for the references of functions and classes on the top level of a module:
a sample, with a fixed seed, of those that something refers to and whose name the module binds
once. Libraries are not installed; where a type comes from one, pyright does not know which
attribute is meant.

Of what we show for the name, the lines of a sampled definition are those with it as their target
(`resolved`), and those without a target, which may mean any of that name. A line counts once.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlparse

from bench import filing
from bench.oracles.languageserver import LanguageServer
from bench.oracles.python import tracked
from gitsearch.commands.refs import references
from gitsearch.index.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEED = 20261122
_LABELS = ("resolved", "ambiguous", "by-name")
_SETTINGS = {
    "python.analysis": {
        "autoSearchPaths": True,
        "diagnosticMode": "openFilesOnly",
        "indexing": False,
        "typeCheckingMode": "off",
        "useLibraryCodeForTypes": False,
    }
}

_Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

# A path and a line.
Place = tuple[str, int]


class Definition(NamedTuple):
    """A function or class: its name, its first line, decorators included, and where the name is.

    Lines count from 1, columns from 0.
    """

    path: str
    name: str
    first: int
    line: int
    column: int


def definitions(checkout: Path) -> list[Definition]:
    """The functions and classes on the top level of all modules, each the only one of its name."""
    found = []
    for path in sorted(tracked(checkout)):
        text = (checkout / path).read_text("utf-8", "replace")
        with contextlib.suppress(SyntaxError, ValueError):
            bound = _bound(ast.parse(text))
            lines = text.splitlines()
            for name, node in bound.items():
                if node:
                    first = min(one.lineno for one in (node, *node.decorator_list))
                    at = lines[node.lineno - 1].find(name)
                    found.append(Definition(str(path), name, first, node.lineno, at))
    return found


def _bound(module: ast.Module) -> dict[str, _Defined | None]:
    """The names that a module binds; None: not by one `def` or `class` alone."""
    found: dict[str, _Defined | None] = {}
    todo: list[ast.AST] = [module]
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            if isinstance(node, _Defined):
                found[node.name] = None if node.name in found else node
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = None
            elif isinstance(node, ast.alias):
                found[node.asname or node.name] = None
            todo.append(node)
    return found


class Pyright:
    """The oracle: a language server for a copy of the modules."""

    def __init__(self, tools: Path, scratch: Path) -> None:
        self._root = scratch.resolve()
        program = str((tools / "node_modules" / ".bin" / "pyright-langserver").resolve())
        self.server = LanguageServer([program, "--stdio"], self._root, _SETTINGS)
        self.server.wait_for("source file")  # found; before that it answers from the open ones
        self._open: set[str] = set()

    def references(self, one: Definition) -> set[Place]:
        """Where a definition is referred to, the line of the definition itself left out."""
        uri = (self._root / one.path).as_uri()
        if one.path not in self._open:
            self._open.add(one.path)
            text = (self._root / one.path).read_text("utf-8", "replace")
            document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
            self.server.tell("textDocument/didOpen", {"textDocument": document})
        asked = {
            "textDocument": {"uri": uri},
            "position": {"line": one.line - 1, "character": one.column},
            "context": {"includeDeclaration": False},
        }
        found = set()
        for place in self.server.ask("textDocument/references", asked) or ():
            path = Path(unquote(urlparse(place["uri"]).path))
            line = place["range"]["start"]["line"] + 1
            found.add((str(path.relative_to(self._root)), line))
        return found - {(one.path, one.line)}


@contextlib.contextmanager
def copied(checkout: Path) -> Iterator[Path]:
    """A folder with the tracked modules of a checkout, all of which pyright looks at."""
    with tempfile.TemporaryDirectory() as scratch:
        for path in tracked(checkout):
            target = Path(scratch, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((checkout / path).read_bytes())
        Path(scratch, "pyrightconfig.json").write_text('{"include": ["."]}', "utf-8")
        yield Path(scratch)


class Judged(NamedTuple):
    """A definition, the lines that refer to it, and ours by label."""

    definition: Definition
    theirs: set[Place]
    ours: dict[str, set[Place]]


def judged(checkout: Path, tools: Path, sample: int) -> list[Judged]:
    """A sample of definitions with what both sides say."""
    known = {str(path) for path in tracked(checkout)}
    candidates = definitions(checkout)
    random.Random(_SEED).shuffle(candidates)
    out: list[Judged] = []
    with copied(checkout) as scratch, (oracle := Pyright(tools, scratch)).server:
        for one in candidates:
            if len(out) == sample:
                break
            if theirs := oracle.references(one):
                out.append(Judged(one, theirs, ours(checkout, one, known)))
    return out


def ours(checkout: Path, one: Definition, known: set[str]) -> dict[str, set[Place]]:
    """The lines in Python files that we show for a definition, by label."""
    shown: dict[str, set[Place]] = {label: set() for label in _LABELS}
    for line in references(Session(checkout), one.name, None).references:
        meant = line.target is None or line.target == (one.path, one.first)
        if line.path in known and meant:
            shown[line.label].add((line.path, line.line))
    for better, worse in ((0, 1), (0, 2), (1, 2)):
        shown[_LABELS[worse]] -= shown[_LABELS[better]]
    return shown


def figures(found: list[Judged]) -> dict[str, float]:
    """Counts of lines, recall of all and of the resolved ones, precision of each label."""
    lines = sum(len(one.theirs) for one in found)
    counts: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for one in found:
        for label, shown in one.ours.items():
            counts[label] += len(shown)
            right[label] += len(shown & one.theirs)
    row: dict[str, float] = {
        "definitions": len(found),
        "lines": lines,
        "recall": round(right.total() / lines, 4),
        "recall_resolved": round(right["resolved"] / lines, 4),
    }
    for label in _LABELS:
        row[label] = counts[label]
        row[f"precision_{label}"] = round(right[label] / counts[label], 4) if counts[label] else 1
    return row


def show(checkout: Path, found: list[Judged], most: int) -> None:
    """Print lines that are missed, and resolved ones that are wrong."""
    for one in found:
        every = set().union(*one.ours.values())
        wrong = one.ours["resolved"] - one.theirs
        unsure = (one.theirs & every) - one.ours["resolved"]
        for what, places in (("missed", one.theirs - every), ("wrong", wrong), ("unsure", unsure)):
            for path, line in sorted(places)[:most]:
                text = (checkout / path).read_text("utf-8", "replace").splitlines()[line - 1]
                who = f"{one.definition.path}:{one.definition.name}"
                print(f"{what}: {who} at {path}:{line}: {text.strip()[:100]}")


def main() -> None:
    """Compare each checkout, print a table and file the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=150, help="definitions in a repository")
    parser.add_argument("--show", type=int, default=0, help="lines of a definition to print")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    rows = {}
    for checkout in args.checkouts:
        found = judged(checkout, args.tools, args.sample)
        rows[checkout.name] = figures(found)
        show(checkout, found, args.show)
    columns = list(next(iter(rows.values())))
    cells = [[key, *(str(row[column]) for column in columns)] for key, row in rows.items()]
    print(filing.table(["repository", *columns], cells, left=1))
    filing.write("oracle-references", {"repositories": rows}, args.out)


if __name__ == "__main__":
    main()
