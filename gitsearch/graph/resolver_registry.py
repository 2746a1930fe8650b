"""Which family resolves the imports of a language."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from gitsearch.graph.project import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterable

# The module and the class that resolve the imports of each language.
_FAMILIES = {
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

RESOLVER_OF = {language: name for name, languages in _FAMILIES.items() for language in languages}


def resolvers_of(languages: Iterable[str]) -> list[str]:
    """The families of some languages, each once."""
    return sorted({RESOLVER_OF[one] for one in languages if one in RESOLVER_OF})


@cache
def resolver_class(name: str) -> type[Resolver]:
    """The class of a family, by a value of FAMILY_OF."""
    module, _, kind = name.partition(".")
    found: type[Resolver] = getattr(import_module(f"gitsearch.graph.resolvers.{module}"), kind)
    return found
