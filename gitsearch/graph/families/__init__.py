"""The families of languages, a module each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from gitsearch.graph.project import Family

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

FAMILY_OF = {language: name for name, languages in _FAMILIES.items() for language in languages}


@cache
def family(name: str) -> type[Family]:
    """The class of a family, by a value of FAMILY_OF."""
    module, _, kind = name.partition(".")
    found: type[Family] = getattr(import_module(f"{__name__}.{module}"), kind)
    return found
