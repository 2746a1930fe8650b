"""The import resolver of each language."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from gitsearch.graph.project import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterable

# The languages of each resolver, which is named by module and class.
_LANGUAGES = {
    "python.Python": ("python",),
    "javascript.JavaScript": ("javascript", "typescript", "tsx", "vue", "svelte"),
    "go.Go": ("go",),
    "rust.Rust": ("rust",),
    "jvm.Jvm": ("java", "kotlin", "scala"),
    "c.C": ("c", "cpp", "objc"),
    "csharp.CSharp": ("csharp",),
    "ruby.Ruby": ("ruby",),
    "php.Php": ("php",),
    "swift.Swift": ("swift",),
    "elixir.Elixir": ("elixir",),
    "lua.Lua": ("lua",),
    "haskell.Haskell": ("haskell",),
    "zig.Zig": ("zig",),
    "bash.Bash": ("bash",),
}

RESOLVER_OF = {language: name for name, languages in _LANGUAGES.items() for language in languages}


def resolvers_of(languages: Iterable[str]) -> list[str]:
    """Return the sorted, distinct names of the resolvers of some languages."""
    return sorted({RESOLVER_OF[name] for name in languages if name in RESOLVER_OF})


@cache
def resolver_class(name: str) -> type[Resolver]:
    """Import and return a resolver class, named by a value of RESOLVER_OF."""
    module, _, class_name = name.partition(".")
    imported = import_module(f"gitsearch.graph.resolvers.{module}")
    resolver: type[Resolver] = getattr(imported, class_name)
    return resolver
