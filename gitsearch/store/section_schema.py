"""What a section file must hold: the arrays, how they refer to each other, and the meta.

A checksum says that a file is what somebody wrote, not that it was this program. Where a reader
uses a number of a file as an index, that number is declared here to be one and is compared with
what it counts in, once for each state of a file, so that readers need not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.store import layout

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

# What meta says: the type of each value, none of which may be missing. A list and a map hold
# strings, "tree" is an object id, "tree?" one or null.
Meta = dict[str, str]

_WHOLE = {"uint": (0, "u1 u2 u4 i8"), "int": (-1, "u1 u2 u4 i1 i2 i4 i8")}
_TYPES = {name: [np.dtype(kind) for kind in row[1].split()] for name, row in _WHOLE.items()}

# Values that are compared at once: bounds the memory that takes.
_BLOCK = 1 << 20

# No number in meta is larger: it is added to others.
_MOST = 1 << 48


def check_meta(meta: Mapping[str, Any], wanted: Meta, name: str) -> None:
    """Compare keys and types of values; raises Damaged for the first that does not fit."""
    if more := set(meta) - set(wanted):
        raise Damaged(name, f"meta '{min(more):.99}' is unknown")
    for key, kind in wanted.items():
        if key not in meta or not _fits(meta[key], kind):
            raise Damaged(name, f"meta '{key}' is no {kind}")


def _fits(value: object, kind: str) -> bool:
    if kind == "number":
        return type(value) is int and 0 <= value <= _MOST
    if kind == "list":
        return isinstance(value, list) and all(type(one) is str for one in value)
    if kind == "map":
        return isinstance(value, dict) and all(type(one) is str for one in value.values())
    if value is None or kind == "null":
        return value is None and kind in ("tree?", "null")
    return type(value) is str and (kind == "text" or layout.is_oid(value))


def check_arrays(found: Sections, wanted: Arrays, sizes: Mapping[str, int]) -> dict[str, int]:
    """Compare arrays with what is declared; raises Damaged for the first that does not fit.

    Arrays that are declared must be there, others must not. `sizes` are letters that are known
    beforehand; returned are all of them.
    """
    if set(found.arrays) != set(wanted):
        odd = min(set(found.arrays) ^ set(wanted))
        raise Damaged(
            found.name, f"section '{odd}' {'is unknown' if odd in found else 'is missing'}"
        )
    known = dict(sizes)
    for name, one in wanted.items():
        array = found[name]
        if array.dtype not in _TYPES.get(one.dtype, (np.dtype(one.dtype),)):
            raise Damaged(found.name, f"section '{name}' is of type {array.dtype}")
        if not _shaped(array, one.shape, known):
            raise Damaged(found.name, f"section '{name}' has the shape {array.shape}")
    for name, one in wanted.items():
        if wrong := _wrong(found, name, one, known):
            raise Damaged(found.name, f"section '{name}' {wrong}")
    return known


def _shaped(array: np.ndarray, shape: str, known: dict[str, int]) -> bool:
    """Whether an array has the sizes that are declared; letters that are new become known."""
    formulas = shape.split(" x ")
    if len(formulas) != array.ndim:
        return False
    for size, formula in zip(array.shape, formulas, strict=True):
        letter, _, more = formula.partition(" + ")
        own = size - int(more or 0)
        if own < 0 or (formula != "bytes" and known.setdefault(letter, own) != own):
            return False
    return True


def _wrong(found: Sections, name: str, one: Array, known: Mapping[str, int]) -> str:
    """What does not fit in the values of an array, or nothing."""
    array = found[name]
    if array.size and one.dtype in _WHOLE:
        low, high = int(array.min()), int(array.max())
        if low < _WHOLE[one.dtype][0]:
            return f"holds {low}"
        if one.below and high >= known[one.below]:
            return f"refers to {high} of {known[one.below]}"
    if one.cuts:
        whole = len(found[one.cuts]) if one.cuts in found else known[one.cuts]
        if not len(array) or (int(array[0]), int(array[-1])) != (0, whole):
            return f"does not cut '{one.cuts}'"
    if (one.cuts or one.ascends) and not _ascends(array):
        return "does not ascend"
    if one.dtype == "float64" and not np.isfinite(array).all():
        return "holds what is no number"
    if one.text and not _is_text(array, found[one.text]):
        return "is no UTF-8"
    return "is not sorted" if one.sorted_by and not _is_sorted(array, found[one.sorted_by]) else ""


def _ascends(array: np.ndarray) -> bool:
    blocks = (array[i : i + _BLOCK + 1] for i in range(0, len(array), _BLOCK))
    return all(bool((block[1:] >= block[:-1]).all()) for block in blocks)


def _is_sorted(text: np.ndarray, ends: np.ndarray) -> bool:
    whole = text.tobytes()
    runs = (whole[a:b] for a, b in pairwise(ends.tolist()))
    return all(low < high for low, high in pairwise(runs))


def _is_text(text: np.ndarray, ends: np.ndarray) -> bool:
    """Whether text is UTF-8, and cut between two characters only."""
    inner = ends[(ends > 0) & (ends < len(text))].astype(np.int64)
    if ((text[inner] & 0xC0) == 0x80).any():
        return False
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True
