"""Schema of section files: their arrays, references between these, and the meta data.

A checksum shows that a file is unchanged, not that this program wrote it. Every number that
readers use as an index is declared here as a reference, and is checked against the size of its
target once for each state of a file, so that readers need not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.git_conventions import is_object_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitsearch.store.sections import Sections


class Array(NamedTuple):
    """One array of a kind of file.

    dtype: "uint" and "int" are any whole numbers, at least 0 and at least -1; else one of numpy's
    names. shape: sizes as docs/format.md has them ("F x H", "C + 1", "bytes" for any number),
    letters meaning the same number everywhere. below: each value is less than this size. cuts: the
    values ascend from 0 to the length of this array or to this size. ascends: each value is at
    least the one before. text, sorted_by: the array that cuts this one into runs that are UTF-8,
    and into runs that ascend, each once.
    """

    dtype: str
    shape: str
    below: str = ""
    cuts: str = ""
    ascends: bool = False
    text: str = ""
    sorted_by: str = ""


# Arrays of a kind of file by name.
Arrays = dict[str, Array]

# The type of each value of the meta data, none of which may be missing. A list and a map hold
# strings, "tree" is an object id, "tree?" one or null.
Meta = dict[str, str]

_WHOLE = {"uint": (0, "u1 u2 u4 i8"), "int": (-1, "u1 u2 u4 i1 i2 i4 i8")}
_TYPES = {name: [np.dtype(kind) for kind in row[1].split()] for name, row in _WHOLE.items()}

# Values that are compared at once, which bounds the memory of the comparison.
_BLOCK = 1 << 20

# The largest number in the meta data, so that sums of them do not overflow.
_MOST = 1 << 48


def check_meta(meta: Mapping[str, Any], wanted: Meta, name: str) -> None:
    """Check keys and types of values. Raises Damaged for the first that is wrong."""
    if more := set(meta) - set(wanted):
        raise Damaged(name, f"meta '{min(more):.99}' is unknown")
    for key, kind in wanted.items():
        if key not in meta or not _fits(meta[key], kind):
            raise Damaged(name, f"meta '{key}' is no {kind}")


def _fits(value: object, kind: str) -> bool:
    if kind == "number":
        return type(value) is int and 0 <= value <= _MOST
    if kind == "list":
        return isinstance(value, list) and all(type(item) is str for item in value)
    if kind == "map":
        return isinstance(value, dict) and all(type(item) is str for item in value.values())
    if value is None or kind == "null":
        return value is None and kind in ("tree?", "null")
    return type(value) is str and (kind == "text" or is_object_id(value))


def check_arrays(sections: Sections, wanted: Arrays, sizes: Mapping[str, int]) -> dict[str, int]:
    """Check arrays against their declarations, and return the size of each letter.

    sizes: letters that are known beforehand. Raises Damaged for the first array that is missing,
    not declared, or does not fit.
    """
    if odd := set(sections.arrays) ^ set(wanted):
        fault = "is unknown" if min(odd) in sections else "is missing"
        raise Damaged(sections.name, f"section '{min(odd)}' {fault}")
    known = dict(sizes)
    for name, spec in wanted.items():
        array = sections[name]
        if array.dtype not in _TYPES.get(spec.dtype, (np.dtype(spec.dtype),)):
            raise Damaged(sections.name, f"section '{name}' is of type {array.dtype}")
        if not _shaped(array, spec.shape, known):
            raise Damaged(sections.name, f"section '{name}' has the shape {array.shape}")
    for name, spec in wanted.items():
        if wrong := _wrong(sections, name, spec, known):
            raise Damaged(sections.name, f"section '{name}' {wrong}")
    return known


def _shaped(array: np.ndarray, shape: str, known: dict[str, int]) -> bool:
    """Return True if an array has the declared shape; new letters are added to `known`."""
    formulas = shape.split(" x ")
    if len(formulas) != array.ndim:
        return False
    for size, formula in zip(array.shape, formulas, strict=True):
        letter, _, more = formula.partition(" + ")
        own = size - int(more or 0)
        if own < 0 or (formula != "bytes" and known.setdefault(letter, own) != own):
            return False
    return True


def _wrong(sections: Sections, name: str, spec: Array, known: Mapping[str, int]) -> str:
    """Describe the first fault in the values of an array; "" if there is none."""
    array = sections[name]
    if array.size and spec.dtype in _WHOLE:
        low, high = int(array.min()), int(array.max())
        if low < _WHOLE[spec.dtype][0]:
            return f"holds {low}"
        if spec.below and high >= known[spec.below]:
            return f"refers to {high} of {known[spec.below]}"
    if spec.cuts:
        whole = len(sections[spec.cuts]) if spec.cuts in sections else known[spec.cuts]
        if not len(array) or (int(array[0]), int(array[-1])) != (0, whole):
            return f"does not cut '{spec.cuts}'"
    if (spec.cuts or spec.ascends) and not _ascends(array):
        return "does not ascend"
    if spec.dtype == "float64" and not np.isfinite(array).all():
        return "holds what is no number"
    if spec.text and not _is_text(array, sections[spec.text]):
        return "is no UTF-8"
    if spec.sorted_by and not _is_sorted(array, sections[spec.sorted_by]):
        return "is not sorted"
    return ""


def _ascends(array: np.ndarray) -> bool:
    blocks = (array[i : i + _BLOCK + 1] for i in range(0, len(array), _BLOCK))
    return all(bool((block[1:] >= block[:-1]).all()) for block in blocks)


def _is_sorted(text: np.ndarray, ends: np.ndarray) -> bool:
    whole = text.tobytes()
    runs = (whole[a:b] for a, b in pairwise(ends.tolist()))
    return all(low < high for low, high in pairwise(runs))


def _is_text(text: np.ndarray, ends: np.ndarray) -> bool:
    """Return True if text is UTF-8, and is cut between characters only."""
    inner = ends[(ends > 0) & (ends < len(text))].astype(np.int64)
    if ((text[inner] & 0xC0) == 0x80).any():
        return False
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True
