"""Words that mean about the same in code, as the packaged embedding has learned it.

Its file is made from the table of the embedding (training/near_words.py), for to compare a word
with all others takes longer than to look it up. What is near does not depend on the index.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np

from gitsearch.errors import BadModel

PACKAGED = Path(__file__).with_name("near_words.bin")

# Before the words: how many bytes they have, and how many near ones each has at most.
_HEADER = np.dtype("<u4")
_NUMBER = np.dtype("<u2")
_NONE = 0xFFFF


def near(word: str) -> list[str]:
    """Return words near to a lower-case word, the nearest first, none of them a form of it.

    Raises BadModel.
    """
    words, numbers = _table()
    place = words.find(f"\n{word}\n")
    if place < 0:
        return []
    own = numbers[words.count("\n", 0, place)]
    listed = _listed()
    return [listed[number] for number in own.tolist() if number != _NONE]


def packed(words: list[str], numbers: np.ndarray) -> bytes:
    """Return the content of the file: words in any order, for each the numbers of those near.

    numbers: integers (words, most), -1 where there is none.
    """
    text = "".join(f"\n{word}" for word in words).encode() + b"\n"
    header = np.asarray([len(text), numbers.shape[1]], _HEADER)
    rows = np.where(numbers < 0, _NONE, numbers).astype(_NUMBER)
    return zlib.compress(header.tobytes() + text + rows.tobytes(), 9)


@cache
def _table() -> tuple[str, np.ndarray]:
    """The words, each between line ends, and for each the numbers of those near."""
    try:
        data = zlib.decompress(PACKAGED.read_bytes())
        length, most = np.frombuffer(data, _HEADER, 2).tolist()
        first = 2 * _HEADER.itemsize
        numbers = np.frombuffer(data, _NUMBER, offset=first + length)
        return data[first : first + length].decode(), numbers.reshape(-1, most)
    except (OSError, ValueError, zlib.error) as error:
        raise BadModel(
            f"the words in '{PACKAGED}' cannot be read: {error}", "install the program again"
        ) from error


@cache
def _listed() -> list[str]:
    return _table()[0].split("\n")[1:-1]
