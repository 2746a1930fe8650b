"""PHP: classes by the autoload rules of composer.json or by declaration, and included files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged, nested_files, one_of
from gitsearch.graph.resolvers.php_include_paths import ROOT, evaluate_path
from gitsearch.graph.resolvers.settings_files import parse_json_object, texts_named
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.settings_values import object_or_empty, strings_in
from gitsearch.graph.tree_paths import folder_of, joined, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import FileFacts
    from gitsearch.records import Import

_DYNAMIC = Resolution(unseen="dynamic-import")
_COMPOSER = "composer.json"
# Kinds of definitions that other files name; class-like kinds share one namespace of names.
_NAME_KINDS = dict.fromkeys(("class", "interface", "trait", "enum"), "class")
_NAME_KINDS |= {"function": "function", "constant": "constant"}
# Extensions of files that programs load; others are templates and fixtures with code in them.
_LOADED_EXTENSIONS = frozenset(
    {"php", "inc", "phtml", "hh", "module", "install", "theme", "profile", "engine"}
)

Files = tuple[int, ...]


class _Autoload(NamedTuple):
    """Autoload rules.

    psr4 and psr0: folders by namespace prefix; files: files that are always loaded; declared: True
    if the tree has any composer.json.
    """

    psr4: dict[str, dict[str, None]]
    psr0: dict[str, dict[str, None]]
    files: frozenset[str]
    declared: bool


class _Scope(NamedTuple):
    """The namespaces of a file, the aliases that its imports define, and the names it qualifies.

    aliases: the qualified names by alias, which is in lower case as PHP compares them.
    """

    namespaces: tuple[str, ...]
    aliases: dict[str, str]
    qualified: frozenset[str]


class _Declarations(NamedTuple):
    """Kinds and qualified names of top-level declarations of a file, and its method names.

    last_parts: the last parts of the qualified names, in lower case.
    """

    names: tuple[tuple[str, str], ...]
    methods: frozenset[str]
    last_parts: frozenset[str]


_NO_DECLARATIONS = _Declarations((), frozenset(), frozenset())


class Php(Resolver):
    """Files refer to classes, functions and constants of others by qualified name."""

    languages = frozenset({"php"})
    settings = frozenset({_COMPOSER})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._autoload = _autoload(project)
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
        declared = self._declarations(file).last_parts
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

    # ------------------------------------------------------------ names

    def _resolve_unqualified(self, namespace: str, name: str) -> Resolution:
        """Resolve an unqualified name that the file itself does not declare."""
        qualified = _in_namespace(namespace, name)
        if qualified in self._table("class"):
            return self._class(qualified)
        functions = self._table("function")
        files = functions.get(qualified) or functions.get(name, ())
        if self._autoload.declared:
            # With composer, a function is available only if its file is always loaded.
            paths = self.project.paths
            files = tuple(file for file in files if paths[file] in self._autoload.files)
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
            files = self._existing(self._autoload.psr4.get(prefix, ()), f"{rest}.php")
            if files:
                return files
        namespace, separator, last = name.rpartition("\\")
        path = (namespace + separator).replace("\\", "/") + last.replace("_", "/") + ".php"
        for prefix, folders in self._autoload.psr0.items():
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
        return _scope_of(self.project.facts(file))

    # ------------------------------------------------------------ declarations

    @memoized
    def _declarations(self, file: int) -> _Declarations:
        path, facts = self.project.paths[file], self.project.facts(file)
        return _declarations_in(path, facts, self._scope(file))

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

    # ------------------------------------------------------------ files

    def _include(self, file: int, expression: str) -> Resolution:
        path = self.project.paths[file]
        target = evaluate_path(expression, path)
        if target is None:
            return _DYNAMIC
        if target.startswith((ROOT, "/")):
            return Resolution(self._file("", target.removeprefix(f"{ROOT}/")))
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


def _autoload(project: Project) -> _Autoload:
    """Return the combined autoload rules of all composer.json files of a project."""
    rules: dict[str, dict[str, dict[str, None]]] = {"psr-4": {}, "psr-0": {}}
    files: set[str] = set()
    settings = [
        (folder, parse_json_object(text)) for folder, text in texts_named(project, _COMPOSER)
    ]
    for folder, values in settings:
        for section in (object_or_empty(values.get(key)) for key in ("autoload", "autoload-dev")):
            files.update(_paths_in_tree(folder, section.get("files")))
            for standard, folders in rules.items():
                for prefix, value in object_or_empty(section.get(standard)).items():
                    paths = dict.fromkeys(_paths_in_tree(folder, value))
                    folders.setdefault(prefix.strip("\\"), {}).update(paths)
    return _Autoload(rules["psr-4"], rules["psr-0"], frozenset(files), bool(settings))


def _paths_in_tree(folder: str, value: object) -> Iterator[str]:
    """Yield the paths in a value, a string or a list of strings, that are inside the tree."""
    for item in strings_in(value):
        path = relative_path_in_tree(folder, item)
        if path is not None:
            yield path


def _scope_of(facts: FileFacts) -> _Scope:
    """Return the scope in which the names of a file are resolved."""
    namespaces: list[str] = []
    aliases: dict[str, str] = {}
    qualified: set[str] = set()
    for imported in facts.imports:
        if imported.kind == "namespace":
            namespaces.append(imported.specifier)
        elif imported.kind == "name":
            qualified.add(_last_part(imported.specifier))
        elif imported.kind in ("use", "function", "const"):
            aliases.update((alias.lower(), name) for alias, name, _ in _use_clauses(imported))
    return _Scope(tuple(dict.fromkeys(namespaces)) or ("",), aliases, frozenset(qualified))


def _declarations_in(path: str, facts: FileFacts, scope: _Scope) -> _Declarations:
    """Return the declarations of a file."""
    if path.rpartition(".")[2].lower() not in _LOADED_EXTENSIONS:
        return _NO_DECLARATIONS
    namespaces = scope.namespaces
    names: set[tuple[str, str]] = set()
    methods: set[str] = set()
    for qualified, kind in facts.definitions:
        if kind not in _NAME_KINDS and kind != "method":
            continue
        namespace, _, last = qualified.replace(".", "\\").rpartition("\\")
        # Definitions in a namespace with braces are qualified by it, and a function in one has the
        # kind "method".
        if namespace != "" and namespace in namespaces:
            names.add((_NAME_KINDS.get(kind, "function"), f"{namespace}\\{last}"))
        elif kind == "method":
            methods.add(last.lower())
        elif not namespace:
            names.update((_NAME_KINDS[kind], _in_namespace(outer, last)) for outer in namespaces)
    last_parts = frozenset(_last_part(name) for _, name in names)
    return _Declarations(tuple(sorted(names)), frozenset(methods), last_parts)


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
