"""Definitions: which of those that universal-ctags names do we find?

    python -m bench.oracles.ctags CHECKOUT ...

Files of each language are given to ctags by our own idea of their language. One of its tags is
found where we have a definition of the same name at its line or the one beside it, or one whose
range holds its line. Counted are the kinds that a reader calls definitions (`_LANGUAGES`): no
imports (C#: `using X = Y`), aliases of a shell, packages, a file's namespace (PHP) or module
(Haskell, of which ctags has only the first part), labels, parameters, implementations, symbols of
conditional compilation (C#); and no variables inside functions. Names that ctags makes up
(`__anon...`) and files that we skip as generated are left out.

ctags 5.9 knows no Scala, Swift and Zig. Its other parsers guess where ours have a grammar, and a
tag counts only where it is no wrong guess (`_wrong`), which is said of a tag that we have not:
- its name does not stand at its line, or stands there in a comment, a string or an import;
- a macro of C that is called (`TEST(...)`, an enumerator `X(...)`) is taken for what it makes;
- a name that no language could have (`x=` of a shell's `x=()`, `{__index` and `['a']` of Lua,
  `<lambda>` of Kotlin), or a keyword (`deriving`, `unquote`, `as`, `Companion`, `_`);
- TypeScript: entries of objects are called constants; Rust: the type of one (`&'static str`);
  Java: annotations of an enum's constants are some, too;
- Kotlin: the parameter of a lambda is called a method; Lua: whatever an `=` before `function`
  stands behind;
- JavaScript: an object is called a class, and its entries are properties; we take only those for
  definitions that hold functions.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import filing
from gitsearch.extract import syntax
from gitsearch.extract.facts import facts
from gitsearch.extract.languages import LANGUAGES, hint, settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.extract.syntax import Node, Tree
    from gitsearch.records import Definition

# The name in ctags, and the kinds that are definitions.
_LANGUAGES = {
    "bash": ("Sh", "function"),
    "c": ("C", "macro enumerator function enum member struct typedef union variable"),
    "cpp": (
        "C++",
        "macro enumerator function enum member struct typedef union variable class namespace",
    ),
    "csharp": (
        "C#",
        "class enumerator event field enum interface method namespace property struct",
    ),
    "elixir": (
        "Elixir",
        "protocol module function callback delegate exception guard macro operator record type",
    ),
    "go": ("Go", "func const type var struct interface member methodSpec talias"),
    "haskell": ("Haskell", "type constructor function"),
    "java": ("Java", "annotation class enumConstant field enum interface method"),
    "javascript": (
        "JavaScript",
        "function class method property constant variable generator getter setter field",
    ),
    "kotlin": ("Kotlin", "interface class object method typealias constant variable"),
    "lua": ("Lua", "function"),
    "php": ("PHP", "class define function interface trait variable"),
    "python": ("Python", "class function member variable"),
    "ruby": ("Ruby", "class method module singletonMethod constant accessor alias"),
    "rust": (
        "Rust",
        "module struct interface function enum typedef variable macro field enumerator method",
    ),
    "typescript": (
        "TypeScript",
        "function class interface enum enumerator method namespace property variable constant"
        " generator alias",
    ),
}
_MISSING = ("scala", "swift", "zig")  # in ctags

_VALUES = frozenset({"variable", "constant", "property", "field", "member", "var", "const"})
_ODD = re.compile(r"[\[\]{}<>'\",]|^[^=]+ |.=$|^\W*$")
_KEYWORDS = frozenset(
    {
        *("_", "as", "bool", "case", "class", "const", "deriving", "export", "extends", "family"),
        *("infix", "infixl", "infixr", "instance", "pattern", "self", "type", "unquote", "void"),
        "Companion",
    }
)
_MACRO = re.compile(r"[A-Z][A-Z0-9_]*")
# Kinds of nodes of grammars.
_NO_CODE = re.compile(
    r"comment|string|heredoc|sigil|charlist|text|import|export_(?:clause|specifier)|using_directive"
)
_LOCAL = re.compile(
    r"function_(?:body|definition|declaration|expression|item)|function | function$|func_literal"
    r"|lambda|closure|method|arrow|statement_block|compound_statement|catch|for_(?:in_)?statement"
)
# What stands at the line of a definition.
_NEEDED = {
    ("java", "enumConstant"): rb"(?<![@.\w])%s",
    ("javascript", "class"): rb"\bclass\b|=>|\bfunction\b",
    ("javascript", "property"): rb"=>|\bfunction\b",
    ("kotlin", "method"): rb"\bfun\b[^{=]*\b%s",
    ("lua", "function"): rb"\bfunction\s+[\w.:]*%s|%s\s*=\s*function",
    ("rust", "variable"): rb"(?<!')\b(?:static|const)\s+(?:ref\s+|mut\s+)*%s",
    ("typescript", "constant"): rb"\bconst\s+%s",
}
_FILES = 300  # of a language in a checkout


class Tag(NamedTuple):
    """What ctags names in a file."""

    name: str
    line: int
    kind: str
    inside: str


def tags(checkout: Path, paths: Sequence[str], language: str) -> dict[str, list[Tag]]:
    """The tags of files, by path."""
    name, kinds = _LANGUAGES[language]
    command = ["ctags", "--options=NONE", f"--language-force={name}", "--output-format=json"]
    said = subprocess.run(
        [
            *command,
            "--fields=NFnKs",
            "--extras=-{anonymous}{qualified}{reference}",
            "-f",
            "-",
            "-L",
            "-",
        ],
        cwd=checkout,
        input="\n".join(paths).encode(errors="surrogateescape"),
        capture_output=True,
        check=True,
    ).stdout
    wanted = frozenset(kinds.split())
    found = defaultdict(list)
    for line in said.splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if one.get("kind") in wanted and not one["name"].startswith("__anon"):
            tag = Tag(one["name"], one["line"], one["kind"], one.get("scopeKind", ""))
            found[one["path"]].append(tag)
    return found


def _files(checkout: Path) -> dict[str, list[str]]:
    """The files of each language, some of them where there are many."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=checkout, capture_output=True, check=True
    ).stdout
    found = defaultdict(list)
    for name in sorted(listed.split(b"\0")):
        path = checkout / name.decode("utf-8", "surrogateescape")
        if b"\n" in name or not name or path.is_symlink() or not path.is_file():
            continue
        hinted = hint(name)
        if hinted in _LANGUAGES or hinted.startswith("?"):
            language = settled(hinted, path.read_bytes()[:4096])
            if language in _LANGUAGES:
                found[language].append(str(path.relative_to(checkout)))
    return {one: paths[:: -(-len(paths) // _FILES)] for one, paths in found.items()}


def _plain(name: str) -> str:
    """A name without what the two write differently."""
    name = re.sub(r"/\d+$", "", name)  # Elixir: name/arity
    return re.sub(r"\s+", "", name).strip("\"'`").rstrip("=?!")


def missing(
    theirs: list[Tag], ours: Sequence[Definition], data: bytes, language: str
) -> Iterator[tuple[Tag, bool]]:
    """Each tag that counts, and whether it is missing."""
    tree = syntax.parse(data, LANGUAGES[language].grammar or "")
    lines = defaultdict(list)
    for one in ours:
        span = (one.first_line - 1, max(one.last_line, one.first_line + 1))
        lines[_plain(one.name)].append(span)
        lines[_plain(one.qualified)].append(span)
    for tag in theirs:
        spans = lines.get(_plain(tag.name), ()) or lines.get(_plain(_last(tag.name)), ())
        if any(start <= tag.line <= end for start, end in spans):
            yield tag, False
        elif not _wrong(tag, data, tree, language):
            yield tag, True


def _wrong(tag: Tag, data: bytes, tree: Tree | None, language: str) -> bool:
    """Whether a tag is no definition, or one that we leave out on purpose (see above)."""
    name = tag.name.strip("\"'`").rstrip("=")
    if _ODD.search(tag.name) or name in _KEYWORDS:
        return True
    lines = data.split(b"\n")
    around = range(max(tag.line - 1, 0), min(tag.line + 1, len(lines)))
    at = next((i for i in around if _word(name, lines[i])), None)
    if at is None or tree is None:
        return at is None
    line = lines[at]
    found = _word(name, line)
    column, behind = (found.start(), line[found.end() :].lstrip()) if found else (0, b"")
    needed = _NEEDED.get((language, tag.kind), b"").replace(b"%s", re.escape(name.encode()))
    called = tag.kind in ("function", "enumerator") and behind.startswith(b"(")
    if (language in ("c", "cpp") and called and _MACRO.fullmatch(name)) or (
        not re.search(needed, line)
    ):
        return True
    above = _above(tree.root_node.descendant_for_point_range((at, column), (at, column)))
    return bool(_NO_CODE.search(above)) or (tag.kind in _VALUES and bool(_LOCAL.search(above)))


def _word(name: str, line: bytes) -> re.Match[bytes] | None:
    return re.search(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", line)


def _above(node: Node | None) -> str:
    """The kinds of a node and of those that it lies in, after a space each."""
    kinds = ""
    while node is not None:
        kinds += f" {node.type}"
        node = node.parent
    return kinds


def _last(name: str) -> str:
    return re.split(r"::|[.:\\]", name)[-1]


def main() -> None:
    """Compare the files of each language, print what is missed, and file the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--language", choices=sorted(_LANGUAGES))
    parser.add_argument("--show", type=int, default=0, help="misses of each kind to print")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    missed: dict[tuple[str, str], list[str]] = defaultdict(list)
    files: Counter[str] = Counter()
    for checkout in args.checkouts:
        for language, paths in _files(checkout).items():
            if args.language not in (None, language):
                continue
            found = tags(checkout, paths, language)
            for path in paths:
                data = (checkout / path).read_bytes()
                blob = facts(data, language)
                if blob.skip:
                    continue
                files[language] += 1
                for tag, lost in missing(found[path], blob.definitions, data, language):
                    total[language, tag.kind] += 1
                    if lost:
                        place = f"{checkout.name}/{path}:{tag.line} {tag.name} ({tag.inside})"
                        missed[language, tag.kind].append(place)
    _report(total, missed, files, args.show, args.out)


def _report(
    total: Counter[tuple[str, str]],
    missed: dict[tuple[str, str], list[str]],
    files: Counter[str],
    show: int,
    out: Path | None,
) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for language in sorted(files):
        kinds = {kind: count for (one, kind), count in total.items() if one == language}
        lost = {kind: len(missed[language, kind]) for kind in sorted(kinds)}
        every = sum(kinds.values())
        rows[language] = {
            "files": files[language],
            "definitions": every,
            "recall": round(1 - sum(lost.values()) / every, 4) if every else 1.0,
            "missed": {kind: [count, kinds[kind]] for kind, count in lost.items() if count},
        }
        for kind in lost if show else ():
            places = missed[language, kind]
            print(f"\n{language} {kind}: {len(places)} of {kinds[kind]}")
            for place in places[:: max(1, len(places) // show)][:show]:
                print(f"  {place}")
    cells = [
        [
            language,
            str(row["files"]),
            str(row["definitions"]),
            str(row["recall"]),
            ", ".join(f"{kind} {a}/{b}" for kind, (a, b) in row["missed"].items()),
        ]
        for language, row in rows.items()
    ]
    print(filing.table(["language", "files", "definitions", "recall", "missed"], cells, left=1))
    filing.write("oracle-ctags", {"languages": rows, "not in ctags": _MISSING}, out)


if __name__ == "__main__":
    main()
