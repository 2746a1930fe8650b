"""What in a tree can be broken, found by its text alone, and how to break it.

Five languages are read by expressions that know nothing of the graph: who imports which file, and
which of its names, as these are written in most code. What they do not see is not broken.
"""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Texts = dict[str, str]


class Tie(NamedTuple):
    """A file imports another, or a name of it, which is defined at an offset there."""

    importer: str
    target: str
    symbol: str | None = None
    at: int = 0


class Mutation(NamedTuple):
    """What is done to a tree, and who must be told: paths with their new text, or None."""

    kind: str
    tie: Tie
    edits: Mapping[str, str | None]


def mutation(texts: Texts, ties: list[Tie], kind: str, random: Random) -> Mutation | None:
    """Break one tie: "delete" or "rename" the file, or remove the "export"."""
    wanted = [tie for tie in ties if (tie.symbol is None) == (kind != "export")]
    for tie in random.sample(wanted, len(wanted)):
        if kind == "export":
            text = texts[tie.target]
            edits: dict[str, str | None] = {tie.target: _without(text, tie.at, tie.target)}
        else:
            gone = [path for path in texts if _part(path, tie.target)]
            edits = dict.fromkeys(gone)
            if kind == "rename":
                edits |= dict(_renamed(path, tie.target, texts[path]) for path in gone)
        if tie.importer not in edits:
            return Mutation(kind, tie, edits)
    return None


def _part(path: str, target: str) -> bool:
    """Whether a path is what is deleted: the file, or a file of the package in Go."""
    return path == target or (target.endswith("/") and dirname(path) + "/" == target)


def _renamed(path: str, target: str, text: str) -> tuple[str, str]:
    """The new path and text of a file; a public type of Java is called like its file."""
    if target.endswith("/"):
        return f"{target[:-1]}_moved/{path[len(target) :]}", text
    stem, dot, ending = path.rpartition("/")[2].partition(".")
    if path.endswith(".java"):
        text = re.sub(rf"\b{stem}\b", f"{stem}Moved", text)
    return join(dirname(path), f"{stem}Moved{dot}{ending}"), text


def _without(text: str, at: int, path: str) -> str:
    """A text without the definition that begins at an offset."""
    if path.endswith(".py"):
        end = re.compile(r"^(?![ \t\n#)\]}])", re.MULTILINE).search(text, text.index("\n", at) + 1)
        return text[:at] + text[end.start() if end else len(text) :]
    depth, place = 0, at
    blank = re.sub(
        r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/',
        lambda one: re.sub(r"[^\n]", " ", one[0]),
        text,
        flags=re.DOTALL,
    )
    while place < len(blank):
        sign = blank[place]
        depth += (sign in "{([") - (sign in "})]")
        place += 1
        # a value ends with its statement, a body with its brace
        ends = sign == "}" or (sign in ";\n" and "=" in blank[at:place])
        if depth == 0 and (sign == ";" or ends):
            break
    return text[:at] + text[place:].lstrip(";")


# ---------------------------------------------------------------- who imports what

_PUBLIC = r"pub(?:\([^)]*\))? (?:async |unsafe |const )*(?:struct|enum|trait|fn|type|const|static)"
_STATIC = r"[ \t]+(?:public |protected |final )*static (?:final )?[\w<>\[\], .?]+"


def python(texts: Texts) -> Iterator[Tie]:
    """`from a.b import c`, relative or from the top or `src`."""
    modules: dict[str, str] = {}
    for path in texts:
        if path.endswith(".py"):
            name = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
            modules[name.replace("/", ".")] = path
    for path, text in texts.items():
        here = path.removeprefix("src/").split("/")[:-1]
        for one in re.finditer(
            r"^from ([.\w]+) import (?:\(([^)]*)\)|([^\n(]+))", text, re.MULTILINE
        ):
            dots = len(one[1]) - len(one[1].lstrip("."))
            above = here[: len(here) - dots + 1] if dots else []
            module = ".".join([*above, *filter(None, [one[1].lstrip(".")])])
            for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?\s*(?:,|$|#)", one[2] or one[3]):
                inner = modules.get(f"{module}.{name}")
                target = modules.get(module)
                if inner:
                    yield Tie(path, inner)
                elif target:
                    if not target.endswith("__init__.py"):
                        yield Tie(path, target)
                    yield from _defined(
                        texts,
                        path,
                        target,
                        name,
                        rf"(?:async )?def {name}\b|class {name}\b|{name} *=",
                    )


def ecmascript(texts: Texts) -> Iterator[Tie]:
    """`import {a} from './b'`."""
    endings = (".ts", ".tsx", ".js", ".jsx", "/index.ts", "/index.tsx", "/index.js")
    for path, text in texts.items():
        for one in re.finditer(
            r"^import (?:type )?\{([^}]*)\} from ['\"](\.[^'\"]*)['\"]", text, re.MULTILINE
        ):
            place = normpath(join(dirname(path), one[2]))
            target = next((place + end for end in ("", *endings) if place + end in texts), None)
            if target is None:
                continue
            yield Tie(path, target)
            for name in re.findall(r"(?:type )?(\w+)(?: as \w+)?\s*(?:,|$)", one[1]):
                kinds = "(?:async )?function|const|class|type|interface|enum"
                yield from _defined(texts, path, target, name, rf"export (?:{kinds}) {name}\b")


def go(texts: Texts) -> Iterator[Tie]:
    """Packages of the modules of the tree, and `package.Name`."""
    modules = {
        dirname(path): found[1]
        for path, text in texts.items()
        if path.rpartition("/")[2] == "go.mod"
        and (found := re.search(r"^module (\S+)", text, re.M))
    }
    packages: dict[str, list[str]] = {}
    for path in texts:
        if path.endswith(".go") and not path.endswith("_test.go"):
            inside = [top for top in modules if f"{path}/".startswith(f"{top}/" if top else "")]
            if inside:
                top = max(inside, key=len)
                folder = dirname(path)
                rest = folder[len(top) :].strip("/")
                packages.setdefault("/".join(filter(None, (modules[top], rest))), []).append(path)
    for path, text in texts.items():
        for one in re.finditer(r'^(?:import )?\s*"([^"]+)"$', text, re.MULTILINE):
            files = packages.get(one[1], ())
            name = one[1].rpartition("/")[2]
            if not files or not all(
                re.search(rf"^package {name}$", texts[file], re.M) for file in files
            ):
                continue
            yield Tie(path, dirname(files[0]) + "/")
            for used in set(re.findall(rf"(?<![\w.]){name}\.([A-Z]\w*)", text)):
                having = [
                    f for f in files if re.search(rf"^(?:func|type) {used}\b", texts[f], re.M)
                ]
                if len(having) == 1:
                    yield from _defined(texts, path, having[0], used, rf"(?:func|type) {used}\b")


def rust(texts: Texts) -> Iterator[Tie]:
    """Modules that are declared, and `use crate::a::b::C`."""
    for path, text in texts.items():
        folder, _, name = path.rpartition("/")
        own = folder if name in ("mod.rs", "lib.rs", "main.rs") else path.removesuffix(".rs")
        for one in re.finditer(r"^(?:pub(?:\([^)]*\))? )?mod (\w+);", text, re.MULTILINE):
            inner = [f"{own}/{one[1]}.rs", f"{own}/{one[1]}/mod.rs"]
            yield from (Tie(path, place) for place in inner if place in texts)
        source = path[: path.find("/src/") + 5] if "/src/" in f"/{path}" else ""
        source = source or ("src/" if path.startswith("src/") else "")
        for one in re.finditer(
            r"^use crate::([\w:]+)::(?:(\w+)|\{([^{}]*)\});", text, re.MULTILINE
        ):
            place = source + one[1].replace("::", "/")
            target = next((p for p in (f"{place}.rs", f"{place}/mod.rs") if p in texts), None)
            for used in (
                re.findall(r"(\w+)(?: as \w+)?\s*(?:,|$)", one[2] or one[3]) if target else ()
            ):
                yield from _defined(texts, path, str(target), used, rf"{_PUBLIC} {used}\b")


def java(texts: Texts) -> Iterator[Tie]:
    """`import a.b.C;`, and `C.NAME` of what is static there."""
    types: dict[str, str] = {}
    for path, text in texts.items():
        if path.endswith(".java") and (found := re.search(r"^package ([\w.]+);", text, re.M)):
            types[f"{found[1]}.{path.rpartition('/')[2][:-5]}"] = path
    for path, text in texts.items():
        for one in re.finditer(r"^import ([\w.]+);", text, re.MULTILINE):
            target = types.get(one[1])
            if target is None:
                continue
            yield Tie(path, target)
            name = one[1].rpartition(".")[2]
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
            for used in set(re.findall(rf"(?<![\w.]){name}\.(\w+)\b", code)):
                found_there = list(_defined(texts, path, target, used, rf"{_STATIC} {used} *[(=]"))
                yield from (
                    found_there if len(re.findall(rf"\b{used} *[(=]", texts[target])) == 1 else ()
                )


def _defined(texts: Texts, importer: str, target: str, name: str, pattern: str) -> Iterator[Tie]:
    """The definition of a name at the start of a line, if there is exactly one."""
    found = list(re.finditer(rf"^(?:{pattern})", texts[target], re.MULTILINE))
    if len(found) == 1:
        yield Tie(importer, target, name, found[0].start())


READERS: dict[str, Callable[[Texts], Iterator[Tie]]] = {
    "python": python,
    "javascript": ecmascript,
    "go": go,
    "rust": rust,
    "java": java,
}
ENDINGS = {
    "python": (".py",),
    "javascript": (".ts", ".tsx", ".js", ".jsx"),
    "go": (".go", "go.mod"),
    "rust": (".rs",),
    "java": (".java",),
}
