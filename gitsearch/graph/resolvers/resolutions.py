"""Combine candidate files and partial resolutions into one resolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def one_of(files: Sequence[int]) -> Resolution:
    """Return a resolved import for a single file, an ambiguous one for several."""
    return Resolution(tuple(files)) if len(files) == 1 else Resolution(ambiguous=tuple(files))


def merged(resolutions: Iterable[Resolution]) -> Resolution:
    """Return the union of several resolutions, with the first reason why one is unresolved.

    A file that one of them resolves to is not ambiguous in the result.
    """
    parts = [part for part in resolutions if any(part)]
    if len(parts) < 2:
        return parts[0] if parts else EXTERNAL
    resolved = dict.fromkeys(file for part in parts for file in part.resolved)
    ambiguous = dict.fromkeys(file for part in parts for file in part.ambiguous)
    unresolved = next((part.unresolved for part in parts if part.unresolved), "")
    remaining = tuple(file for file in ambiguous if file not in resolved)
    return Resolution(tuple(resolved), remaining, unresolved)
