"""Whether a file offers a name to others: what it defines, imports by that name, or hands on.

Nothing is run, so the answer may be that it cannot be told: where all names of something unknown
are handed on, or where the text may bind the name in a way that extraction does not list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gitsearch.graph.plaintext import code_of

if TYPE_CHECKING:
    from gitsearch.graph.graph import Graph
    from gitsearch.records import Import

# The contents of some files, by their numbers.
Texts = Callable[[Sequence[int]], dict[int, bytes]]

ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
JVM = frozenset({"java", "kotlin", "scala"})
WHOLE = "*"

# Languages in which all names of another file can be handed on at once.
_HANDING_ON = ECMASCRIPT | {"python", "rust"}

# Files that stand for the folder that they lie in.
_OF_FOLDER = frozenset({"__init__", "mod", "index", "lib"})

# What stands before a name where it is defined, in one language or another.
_DEFINING = (
    "def|class|func|function|fn|struct|enum|union|trait|type|interface|const|let|var|val|static|"
    "mod|module|namespace|macro_rules!|object|record|import|define"
)

# ---------------------------------------------------------------- JavaScript and TypeScript

_DECLARED = re.compile(
    r"\bexport\s+(?:declare\s+|default\s+|abstract\s+|async\s+)*"
    r"(?:function\s*\*?|class|const\s+enum|const|let|var|type|interface|enum|namespace|module)"
    r"\s+([\w$]+)"
)
_LISTED = re.compile(r"\bexport\s+(?:type\s+)?\{([^}]*)\}")
_TAKEN_APART = re.compile(r"\bexport\s+(?:const|let|var)\s*[{\[]([^=]*)[}\]]\s*=")
_SEVERAL = re.compile(r"\bexport\s+(?:const|let|var)\s+([^;\n]*,[^;\n]*)")
_NAMESPACE = re.compile(r"\bexport\s*\*\s*as\s+([\w$]+)")
_DEFAULT = re.compile(r"\bexport\s+default\b")
_ASSIGNED = re.compile(r"\bexports\.([\w$]+)\s*=")
# all that is exported is one value, of which the names are not known
_OPAQUE = re.compile(
    r"\bmodule\.exports\s*=|\bexports\[|\bexport\s*=|defineProperty\(\s*(?:module\.)?exports"
)
_OBJECT = re.compile(r"\bmodule\.exports\s*=\s*(?=\{)")
_INNER = re.compile(r"\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]")
_KEY = re.compile(r"(?:^|,)\s*(?:(?:async|get|set)\s+)?\*?\s*([\w$]+)\s*(?=[,:]|$)")
_NAME = re.compile(r"[\w$]+")


class Offering:
    """What the files of one graph offer."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self.graph = graph
        self._texts = texts
        self._code: dict[int, str] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._defined: dict[int, frozenset[str]] = {}

    def code(self, file: int) -> str:
        """The text of a file without comments and strings."""
        if file not in self._code:
            self.read([file])
        return self._code[file]

    def searched(self, file: int) -> bool:
        """Whether the content of a file is looked at."""
        return bool(self.graph.arrays["searched"][file])

    def read(self, files: Sequence[int]) -> None:
        """Read several files at once."""
        fresh = [file for file in files if file not in self._code]
        for file, text in self._texts(fresh).items() if fresh else ():
            self._code[file] = code_of(text, self.graph.language(file))

    def defines(self, file: int, name: str) -> bool:
        """Whether a file has a name of its own, not from another."""
        return name in self._own(file)

    def has(self, file: int, name: str, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a file surely offers a name, itself or from another."""
        if name in self.names(file):
            return True
        further = [one for one in self._handed_on(file) if one is not None and one not in seen]
        return any(self.has(one, name, seen | {file}) for one in further)

    def may_have(self, file: int, name: str, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a file offers a name as far as can be told: False only if surely not."""
        if name in self._own(file) or self._has_by_import(file, name, seen):
            return True
        further = self._handed_on(file)
        if None in further or self._hides(file, name):
            return True
        fresh = [one for one in further if one is not None and one not in seen]
        return any(self.may_have(one, name, seen | {file}) for one in fresh)

    def _has_by_import(self, file: int, name: str, seen: frozenset[int]) -> bool:
        """Whether a file imports something by a name that may be where it is imported from."""
        if name not in self.names(file):
            return False
        for place, one in enumerate(self.graph.row(file).imports):
            if name not in bound_by(one):
                continue
            led = [edge.target for edge in self.graph.out_of(file) if edge.place == place]
            if not led or name not in imported_by(one):
                return True
            fresh = [target for target in led if target not in seen]
            if any(self.may_give(one, target, name, seen | {file}) for target in fresh):
                return True
        return False

    def takes(self, one: Import, file: int, name: str) -> bool:
        """Whether an import of a name takes a file itself, as a module of that name."""
        if self._is_script(file) or module_name(self.graph.path(file)) != name:
            return False
        parts = ["", *re.split(r"::|[./\\]", one.specifier)]
        # `from a.read import read` is about what is in the module
        return parts[-1 if one.names else -2] != name

    def may_give(
        self, one: Import, file: int, name: str, seen: frozenset[int] = frozenset()
    ) -> bool:
        """Whether an import of a name that leads to a file may find it there."""
        return self.takes(one, file, name) or self.may_have(file, name, seen)

    def gives(self, one: Import, file: int, name: str) -> bool:
        """Whether it finds it there as far as can be seen, not only by a broken import."""
        if self.takes(one, file, name) or name in self._own(file):
            return True
        return self._has_by_import(file, name, frozenset())

    def _hides(self, file: int, name: str) -> bool:
        """Whether a file may offer a name that is not among its names."""
        if self._is_script(file):
            return self._opaque(file)
        return self._binds(file, name)

    def names(self, file: int) -> frozenset[str]:
        """The names that a file surely offers by itself."""
        if file not in self._names:
            imports = self.graph.row(file).imports if not self._is_script(file) else ()
            bound = (name for one in imports for name in bound_by(one))
            self._names[file] = self._own(file).union(bound)
        return self._names[file]

    def _own(self, file: int) -> frozenset[str]:
        """The names that a file defines, or that its statements export."""
        if file not in self._defined:
            if self._is_script(file):
                self._defined[file] = _exported(self.code(file))
            else:
                nested = self.graph.language(file) in JVM
                every = (name for name, _ in self.graph.row(file).definitions)
                found = (name.rpartition(".")[2] for name in every if nested or "." not in name)
                self._defined[file] = frozenset(found)
        return self._defined[file]

    def _is_script(self, file: int) -> bool:
        return self.graph.language(file) in ECMASCRIPT

    def _opaque(self, file: int) -> bool:
        path = self.graph.path(file)
        # all that such a file declares is there for others, and components export themselves
        ours = path.endswith(
            (b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts")
        )
        declares = path.endswith((b".d.ts", b".d.mts", b".d.cts"))
        return declares or not ours or _OPAQUE.search(_listed(self.code(file))[0]) is not None

    def _binds(self, file: int, name: str) -> bool:
        """Whether the text may bind a name in a way that extraction does not list."""
        code = self.code(file)
        if name not in code:
            return False
        escaped = re.escape(name)
        binding = (
            rf"\b(?:{_DEFINING})\s+{escaped}(?!\w|::)|\bfor\s+{escaped}\s+in\b"
            rf"|^[^\n=(){{}}]*(?<![\w.]){escaped}(?!\w|::|\.)[^\n=(){{}}]*\s=\s"
        )
        if self.graph.language(file) == "python":
            binding += rf"|\bas\s+{escaped}(?!\w)"
        return re.search(binding, code, re.MULTILINE) is not None

    def hands_on_all(self, file: int, place: int) -> bool:
        """Whether an import gives all names of what it leads to to those who import the file."""
        if self.graph.language(file) not in _HANDING_ON:
            return False
        return _of_all(self.graph.row(file).imports[place])

    def _handed_on(self, file: int) -> list[int | None]:
        """The files of which a file hands on all names; None: one that is not known."""
        if self.graph.language(file) not in _HANDING_ON:
            return []
        row = self.graph.row(file)
        if any(name == "__getattr__" for name, _ in row.definitions):
            return [None]
        wanted = [place for place, one in enumerate(row.imports) if _of_all(one)]
        if not wanted:
            return []
        targets: dict[int, list[int]] = {place: [] for place in wanted}
        for edge in self.graph.out_of(file):
            if edge.place in targets:
                targets[edge.place].append(edge.target)
        found: list[int | None] = []
        for place in wanted:
            found += targets[place] or [None]
        if self._is_script(file):
            self.read([one for one in found if one is not None])
        return found


def _of_all(one: Import) -> bool:
    """Whether an import takes all names of what it leads to."""
    if one.kind == "export":
        return one.names == ""
    return WHOLE in (part.strip() for part in one.names.strip("{}").split(","))


def bound_by(one: Import) -> list[str]:
    """The names by which a file has what it imports."""
    if one.kind in ("package", "enter", "leave"):
        return []
    if not one.names:
        return [re.split(r"::|[./\\]", one.specifier)[-1]]
    parts = [re.split(r"\bas\b|:", part)[-1] for part in one.names.strip("{} ").split(",")]
    return [found[-1] for part in parts if (found := _NAME.findall(part))]


def imported_by(one: Import) -> list[str]:
    """The names that an import takes from what it leads to, as they are called there."""
    parts = [part.removeprefix("type ").strip() for part in one.names.strip("{} ").split(",")]
    firsts = [re.split(r"\s+as\s+|:", part)[0].strip() for part in parts]
    return [name for name in firsts if _NAME.fullmatch(name)]


def module_name(path: bytes) -> str:
    """What a file is called where it is imported."""
    folder, _, name = path.decode("utf-8", "surrogateescape").rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in _OF_FOLDER and folder else stem


def _exported(code: str) -> frozenset[str]:
    """What statements of modules export."""
    code, keys = _listed(code)
    one_each = (_DECLARED, _NAMESPACE, _ASSIGNED)
    found = {one[1] for pattern in one_each for one in pattern.finditer(code)} | keys
    for one in _LISTED.finditer(code):
        found.update(names[-1] for part in one[1].split(",") if (names := _NAME.findall(part)))
    for one in _TAKEN_APART.finditer(code):
        found.update(_NAME.findall(one[1]))
    for one in _SEVERAL.finditer(code):
        found.update(re.findall(r"([\w$]+)\s*(?::[^=,]*)?=(?![=>])", one[1]))
    if _DEFAULT.search(code):
        found.add("default")
    return frozenset(found)


def _listed(code: str) -> tuple[str, set[str]]:
    """The keys of the object that a module exports, and the code without it.

    Where the keys are not all written there, nothing is taken away.
    """
    start = _OBJECT.search(code)
    if start is None:
        return code, set()
    depth = 0
    for end in re.finditer(r"[{}]", code[start.end() :]):
        depth += 1 if end[0] == "{" else -1
        if depth == 0:
            body = code[start.end() + 1 : start.end() + end.start()]
            rest = code[: start.start()] + code[start.end() + end.end() :]
            return (code, set()) if "..." in body else (rest, _keys(body))
    return code, set()


def _keys(body: str) -> set[str]:
    inner = 1
    while inner:
        body, inner = _INNER.subn(" ", body)
    return set(_KEY.findall(body))
