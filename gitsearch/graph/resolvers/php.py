"""PHP: classes by the autoload rules of composer.json or by declaration, and included files."""

from __future__ import annotations

import re
from functools import cached_property
from posixpath import dirname
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged, nested_files, one_of
from gitsearch.graph.resolvers.settings_files import parse_json_object, table, texts_named
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.settings_values import strings_in
from gitsearch.graph.tree_paths import folder_of, joined, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import Import

_DYNAMIC = Resolution(unresolved="dynamic-import")
_COMPOSER = "composer.json"
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<word>__DIR__|__FILE__|dirname\b|realpath\b)
      | '(?P<single>[^'\\]*)' | "(?P<double>[^"$\\]*)"
      | (?P<number>\d{1,3})
      | (?P<sign>[(),.])
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# A single literal, which extraction returns without quotes, has a dot or slash and none of these.
_CODE = re.compile(r"[$'\"(){}<>:]")
_MAX_LENGTH = 1000  # characters of an expression
_MAX_TOKENS = 50
# Represents the root of the tree at the start of a path; no source file contains it.
_ROOT = "\0"
# Kinds of definitions that other files name; class-like kinds share one namespace of names.
_NAME_KINDS = dict.fromkeys(("class", "interface", "trait", "enum"), "class")
_NAME_KINDS |= {"function": "function", "constant": "constant"}
# Extensions of files that programs load; others are templates and fixtures with code in them.
_LOADED_EXTENSIONS = frozenset(
    {"php", "inc", "phtml", "hh", "module", "install", "theme", "profile", "engine"}
)

Files = tuple[int, ...]


class _Scope(NamedTuple):
    """The namespaces of a file, the aliases that its imports define, and the names it qualifies.

    aliases: the qualified names by alias, which is in lower case as PHP compares them.
    """

    namespaces: tuple[str, ...]
    aliases: dict[str, str]
    qualified: frozenset[str]


class _Declarations(NamedTuple):
    """Kinds and qualified names of top-level declarations of a file, and its method names."""

    names: tuple[tuple[str, str], ...]
    methods: frozenset[str]


_NO_DECLARATIONS = _Declarations((), frozenset())


class Php(Resolver):
    """Files refer to classes, functions and constants of others by qualified name."""

    languages = frozenset({"php"})
    settings = frozenset({_COMPOSER})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        # Folders by namespace prefix, and the files that are always loaded.
        self._psr4: dict[str, dict[str, None]] = {}
        self._psr0: dict[str, dict[str, None]] = {}
        self._loaded: set[str] = set()
        for folder, text in texts_named(project, _COMPOSER):
            settings = parse_json_object(text)
            for section in (table(settings, "autoload"), table(settings, "autoload-dev")):
                self._loaded.update(_paths_in_tree(folder, section.get("files")))
                for standard, folders in (("psr-4", self._psr4), ("psr-0", self._psr0)):
                    for prefix, value in table(section, standard).items():
                        paths = dict.fromkeys(_paths_in_tree(folder, value))
                        folders.setdefault(prefix.strip("\\"), {}).update(paths)
        self._resolutions: dict[str, Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that `use`, `require` or a qualified name refers to."""
        kind, specifier = imported.kind, imported.specifier
        if kind == "namespace":
            return EXTERNAL
        if kind in ("require", "include"):
            return self._include(file, specifier)
        if kind == "name":
            return self._resolve_name(_qualified_name(specifier, self._scope(file)), "")
        return merged(self._resolve_name(name, kind) for _, name, kind in _use_clauses(imported))

    def uses(self, file: int) -> Resolution:
        """Return the files of used classes and functions of the namespace, or global functions."""
        scope = self._scope(file)
        declared = {_last_part(name) for _, name in self._declarations(file).names}
        names = self._last_parts.intersection(map(str.lower, self.project.facts(file).names))
        resolutions = []
        for name in sorted(names - declared - scope.aliases.keys()):
            for namespace in scope.namespaces:
                resolution = self._resolve_unqualified(namespace.lower(), name)
                if name in scope.qualified:
                    # The file may only use `\Name`, not the name in its own namespace.
                    files = resolution.ambiguous + resolution.resolved
                    resolution = Resolution(ambiguous=files)
                resolutions.append(resolution)
        return merged(resolutions)

    def depends_on(self) -> Iterator[str]:
        """Also yield the declarations of every file."""
        yield from super().depends_on()
        for file in self.project.of(self.languages):
            declared = self._declarations(file)
            if declared is not _NO_DECLARATIONS:
                yield f"{self.project.paths[file]}\n{declared.names}{sorted(declared.methods)}"

    def _resolve_unqualified(self, namespace: str, name: str) -> Resolution:
        """Resolve an unqualified name that the file itself does not declare."""
        qualified = _in_namespace(namespace, name)
        if qualified in self._table("class"):
            return self._class(qualified)
        functions = self._table("function")
        files = functions.get(qualified) or functions.get(name, ())
        if _COMPOSER in self.project.by_name:
            # With composer, a function is available only if its file is always loaded.
            paths = self.project.paths
            files = tuple(file for file in files if paths[file] in self._loaded)
        # Nothing imports the function, so a method of the same name may be meant.
        return Resolution((), files) if name in self._methods else one_of(files)

    def _resolve_name(self, name: str, kind: str) -> Resolution:
        """Resolve a qualified name: a class unless `kind` says a function or a constant."""
        name = name.lstrip("\\")
        if kind == "const":
            return one_of(self._table("constant").get(name, ()))
        lower = name.lower()
        if kind == "function":
            return one_of(self._table("function").get(lower, ()))
        if lower not in self._resolutions:
            resolution = self._class(lower, name)
            if resolution == EXTERNAL:
                functions = self._table("function").get(lower)
                resolution = one_of(functions or self._table("constant").get(name, ()))
            self._resolutions[lower] = resolution
        return self._resolutions[lower]

    def _class(self, lower: str, name: str = "") -> Resolution:
        """Return the file of a class; of several that declare it, the autoloaded one."""
        declaring = self._table("class").get(lower, ())
        if len(declaring) == 1:
            return Resolution(declaring)
        autoloaded = self._autoloaded(name or self._declared_spelling.get(lower, lower))
        both = tuple(file for file in autoloaded if file in declaring)
        return one_of(both or declaring or autoloaded)

    def _autoloaded(self, name: str) -> Files:
        """Return the files where PSR-4 or PSR-0 locate a class, by the longest prefix."""
        parts = name.split("\\")
        for end in range(len(parts) - 1, -1, -1):
            prefix, rest = "\\".join(parts[:end]), "/".join(parts[end:])
            files = self._existing(self._psr4.get(prefix, ()), f"{rest}.php")
            if files:
                return files
        namespace, separator, last = name.rpartition("\\")
        path = (namespace + separator).replace("\\", "/") + last.replace("_", "/") + ".php"
        for prefix, folders in self._psr0.items():
            if name.startswith(prefix) and (files := self._existing(folders, path)):
                return files
        return ()

    def _existing(self, folders: Iterable[str], path: str) -> Files:
        """Return the files that exist at a path below some folders."""
        number = self.project.number
        paths = (joined(folder, path) for folder in folders)
        return tuple(dict.fromkeys(number[target] for target in paths if target in number))

    @memoized
    def _scope(self, file: int) -> _Scope:
        """Return the scope in which the names of a file are resolved."""
        namespaces: dict[str, None] = {}
        aliases: dict[str, str] = {}
        qualified: set[str] = set()
        for imported in self.project.facts(file).imports:
            if imported.kind == "namespace":
                namespaces[imported.specifier] = None
            elif imported.kind == "name":
                qualified.add(_last_part(imported.specifier))
            elif imported.kind in ("use", "function", "const"):
                aliases.update((alias.lower(), name) for alias, name, _ in _use_clauses(imported))
        return _Scope(tuple(namespaces) or ("",), aliases, frozenset(qualified))

    @memoized
    def _declarations(self, file: int) -> _Declarations:
        """Return the declarations of a file."""
        if self.project.paths[file].rpartition(".")[2].lower() not in _LOADED_EXTENSIONS:
            return _NO_DECLARATIONS
        namespaces = self._scope(file).namespaces
        names: set[tuple[str, str]] = set()
        methods: set[str] = set()
        for qualified, kind in self.project.facts(file).definitions:
            if kind not in _NAME_KINDS and kind != "method":
                continue
            namespace, _, last = qualified.replace(".", "\\").rpartition("\\")
            # Definitions in a namespace with braces are qualified by it, and a function in one has
            # the kind "method".
            if namespace != "" and namespace in namespaces:
                names.add((_NAME_KINDS.get(kind, "function"), f"{namespace}\\{last}"))
            elif kind == "method":
                methods.add(last.lower())
            elif not namespace:
                qualified_names = (_in_namespace(outer, last) for outer in namespaces)
                names.update((_NAME_KINDS[kind], name) for name in qualified_names)
        return _Declarations(tuple(sorted(names)), frozenset(methods))

    @cached_property
    def _declared(self) -> dict[str, list[tuple[str, int]]]:
        """The names of all classes, functions and constants by kind, with the declaring files."""
        return grouped(
            (kind, (name, file))
            for file in self.project.of(self.languages)
            for kind, name in self._declarations(file).names
        )

    @memoized
    def _table(self, kind: str) -> dict[str, tuple[int, ...]]:
        """Return the declaring files by name; names other than of constants in lower case."""
        pairs = self._declared.get(kind, ())
        table = grouped(
            (name if kind == "constant" else name.lower(), file) for name, file in pairs
        )
        return {name: tuple(dict.fromkeys(files)) for name, files in table.items()}

    @cached_property
    def _last_parts(self) -> frozenset[str]:
        return frozenset(map(_last_part, (*self._table("class"), *self._table("function"))))

    @cached_property
    def _methods(self) -> frozenset[str]:
        files = self.project.of(self.languages)
        return frozenset().union(*(self._declarations(file).methods for file in files))

    @cached_property
    def _declared_spelling(self) -> dict[str, str]:
        """The names of classes as declared, by name in lower case."""
        names = dict.fromkeys(name for name, _ in self._declared.get("class", ()))
        return {name.lower(): name for name in names}

    def _include(self, file: int, expression: str) -> Resolution:
        path = self.project.paths[file]
        target = evaluate_path(expression, path)
        if target is None:
            return _DYNAMIC
        if target.startswith((_ROOT, "/")):
            return Resolution(self._file("", target.removeprefix(f"{_ROOT}/")))
        folder = folder_of(path)
        files = dict.fromkeys(self._file(folder, target) + self._file("", target))
        return one_of(tuple(files)) if files else Resolution((), self._with_suffix(target))

    def _file(self, folder: str, path: str) -> Files:
        target = relative_path_in_tree(folder, path)
        file = self.project.number.get(target) if target else None
        return () if file is None or self.project.languages[file] != "php" else (file,)

    @memoized
    def _with_suffix(self, suffix: str) -> Files:
        """Return the files with a path suffix, for a path on the include path of a program."""
        is_exact = "/" in suffix and "./" not in suffix
        return nested_files(self.project, suffix) if is_exact else ()


def _paths_in_tree(folder: str, value: object) -> Iterator[str]:
    """Return the paths in a value, a string or a list of strings, that are inside the tree."""
    paths = (relative_path_in_tree(folder, item) for item in strings_in(value))
    return (path for path in paths if path is not None)


def _use_clauses(imported: Import) -> Iterator[tuple[str, str, str]]:
    """Yield the alias, the qualified name and the kind of each name that one `use` imports."""
    base = imported.specifier.lstrip("\\")
    last = base.rpartition("\\")[2]
    if not imported.names or imported.names.startswith(f"{imported.specifier} as "):
        yield imported.names.rpartition(" as ")[2] or last, base, imported.kind
        return
    for clause in imported.names.split(","):
        kind, _, rest = clause.strip().partition(" ")
        typed = kind in ("function", "const") and rest != "" and not rest.startswith("as ")
        name, _, alias = (rest if typed else clause.strip()).partition(" as ")
        yield (
            alias or name.rpartition("\\")[2],
            _in_namespace(base, name.strip()),
            kind if typed else imported.kind,
        )


def _qualified_name(name: str, scope: _Scope) -> str:
    """Return the fully qualified name of a qualified name in a file."""
    if name.startswith("\\"):
        return name
    first, _, rest = name.partition("\\")
    aliased = scope.aliases.get(first.lower())
    return _in_namespace(aliased, rest) if aliased else _in_namespace(scope.namespaces[0], name)


def _last_part(name: str) -> str:
    """Return the last part of a qualified name, in lower case."""
    return name.rpartition("\\")[2].lower()


def _in_namespace(namespace: str, name: str) -> str:
    """Return the qualified name of a name in a namespace."""
    return f"{namespace}\\{name}" if namespace else name


def evaluate_path(text: str, path: str) -> str | None:
    """Return the path that an expression in a file evaluates to, None if it is not constant.

    The path starts with _ROOT if it is built from that of the file itself.
    """
    if len(text) > _MAX_LENGTH:
        return None
    if not _CODE.search(text) and ("." in text or "/" in text):
        return text
    tokens = _tokens(text)
    if not tokens:  # extraction strips the first and the last quote, whatever is between them
        quote = "'" if "'" in text else '"'
        tokens = _tokens(f"{quote}{text}{quote}") if quote in text else []
    value = _concatenation(tokens, f"{_ROOT}/{path}")
    return None if tokens else value


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of the tokens, reversed; none if any other token occurs."""
    tokens: list[tuple[str, str]] = []
    position = 0
    text = text.strip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or len(tokens) >= _MAX_TOKENS:
            return []
        kind = token.lastgroup or ""
        tokens.append((kind, token[kind]))
        position = token.end()
    return tokens[::-1]


def _concatenation(tokens: list[tuple[str, str]], path: str) -> str | None:
    """Take terms joined by dots from the end of reversed tokens; return their value or None."""
    value = _term(tokens, path)
    while value is not None and _take(tokens, "."):
        term = _term(tokens, path)
        value = None if term is None else value + term
    return value


def _term(tokens: list[tuple[str, str]], path: str) -> str | None:
    """Take a literal, a magic constant, a call or a group."""
    kind, text = tokens.pop() if tokens else ("", "")
    if kind in ("single", "double"):
        return text
    if text == "(":
        value = _concatenation(tokens, path)
        return value if _take(tokens, ")") else None
    word = text.lower() if kind == "word" else ""
    if word.startswith("__"):
        return dirname(path) if word == "__dir__" else path
    if not word or not _take(tokens, "("):
        return None
    value = _concatenation(tokens, path)  # of dirname(path, levels) or realpath(path)
    levels = 1
    if _take(tokens, ","):
        kind, text = tokens.pop() if tokens else ("", "")
        if kind != "number":
            return None
        levels = int(text)
    if value is None or not _take(tokens, ")"):
        return None
    for _ in range(levels if word == "dirname" else 0):
        value = dirname(value)
    return value


def _take(tokens: list[tuple[str, str]], sign: str) -> bool:
    """Take a sign from the end of reversed tokens; return False if another token is there."""
    is_there = tokens[-1:] == [("sign", sign)]
    if is_there:
        tokens.pop()
    return is_there
