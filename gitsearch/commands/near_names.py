"""What may have been meant by a name that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def near_paths(wanted: str, paths: Iterable[bytes]) -> str:
    """A hint with the paths that are most like one: of the same name, else spelt alike."""
    from difflib import get_close_matches

    shown = [path.decode("utf-8", "replace") for path in paths]
    name = wanted.rpartition("/")[2]
    same = [path for path in shown if path.rpartition("/")[2] == name]
    near = same[:3] or get_close_matches(wanted, shown, 3)
    return "did you mean " + " or ".join(f"'{path}'" for path in near) + "?" if near else ""
