"""A small transformer that reads a question with a text, run by onnxruntime where it is installed.

Its folder has the layers as an ONNX graph, the table of token vectors, a tokeniser and a list of
these files (training/reader.py writes it). Each text is computed alone with the question, so its
score does not depend on what is read beside it.
"""

from __future__ import annotations

import json
import os
import zlib
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.errors import BadReader
from gitsearch.features.embedding import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Encoding

PACKAGED = Path(__file__).with_name("reader")

LAYERS = "layers.onnx"
TABLE = "tokens.safetensors"
TOKENIZER = "tokenizer.json"
MANIFEST = "manifest.json"

# Of the folder, its files and what the layers expect: another one where the program could not use
# a folder of before.
VERSION = 2

# Tokens of a text, and of a question, that count; the first and the last of them say where it
# begins and ends. The tokeniser leaves punctuation out, and parts names into words.
LONGEST = 128
LONGEST_QUESTION = 40

# A token is a character at least, and few have more than eight; as many again are white space and
# punctuation. The text is cut before the tokeniser sees it, which works through all of it.
CHARACTERS = 16 * LONGEST

_THREADS = 2

# A word of another script, all of which are alike.
_UNKNOWN = "[UNK]"
_LIBRARY = "onnxruntime"
_AGAIN = "install the program again"
_ANOTHER = "pip install --upgrade onnxruntime"


def is_installed() -> bool:
    """Return True if there is a package that can run the layers; it is not loaded."""
    try:
        return find_spec(_LIBRARY) is not None
    except ValueError:  # a module that was not found by a finder
        return False


def manifest(folder: Path) -> dict[str, Any]:
    """The list of the files of an encoder, with the length and the CRC-32 of each."""
    files = {}
    for name in (LAYERS, TABLE, TOKENIZER):
        data = (folder / name).read_bytes()
        files[name] = [len(data), zlib.crc32(data)]
    return {"version": VERSION, "files": files}


def fingerprint(folder: Path = PACKAGED) -> str:
    """Return what scores depend on: contents of the encoder, by its list, and the library.

    "" if there is no such thing.
    """
    with suppress(OSError, ValueError, TypeError, AttributeError, KeyError):
        crcs = [crc for _, crc in _listed(folder)["files"].values()]
        # this file has the version; to import importlib.metadata takes 24 ms
        library = Path(getattr(find_spec(_LIBRARY), "origin", None) or "")
        both = repr(crcs).encode(), library.read_bytes()
        return "-".join([str(VERSION), *(f"{zlib.crc32(one):08x}" for one in both)])
    return ""


def _listed(folder: Path) -> dict[str, Any]:
    listed: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return listed


def _check(folder: Path) -> None:
    """Compare the files with their list. Raises BadReader."""
    try:
        listed = _listed(folder)
        if listed.get("version") != VERSION:
            raise BadReader(f"the reader in '{folder}' is of another version", _AGAIN)
        if listed != manifest(folder):
            raise BadReader(f"the reader in '{folder}' is damaged", _AGAIN)
    except FileNotFoundError as error:
        name = Path(error.filename).name
        raise BadReader(f"the reader in '{folder}' has no {name}", _AGAIN) from error
    except OSError as error:
        reason = error.strerror or error
        raise BadReader(f"the reader in '{folder}' cannot be read: {reason}", _AGAIN) from error
    except (ValueError, AttributeError) as error:
        raise BadReader(f"the reader in '{folder}' is damaged", _AGAIN) from error


class SentenceEncoder:
    """The encoder of a folder, all of which is read and checked at once."""

    def __init__(self, folder: Path = PACKAGED) -> None:
        """Load it. Raises BadReader with the reason."""
        # from 1.32 on the library reports its use to its makers, and looks here when it is loaded
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            import onnxruntime
        except Exception as error:  # one that does not fit numpy has many ways to fail
            raise BadReader(
                f"the reader needs onnxruntime ({error})",
                "pip install 'git-semantic-search[reader]'",
            ) from error
        # not above: most searches have no reader
        from concurrent.futures import ThreadPoolExecutor

        from safetensors import numpy as safetensors
        from tokenizers import Tokenizer

        _check(folder)
        self._pool = partial(ThreadPoolExecutor, _THREADS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # warnings of the library are no lines for the user
        options.log_severity_level = 4
        try:
            self._table = safetensors.load_file(folder / TABLE)
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._tokenizer.enable_truncation(LONGEST)
            self._session = onnxruntime.InferenceSession(
                str(folder / LAYERS), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the libraries' own errors have no base but this
            reason = " ".join(str(error).split())
            raise BadReader(f"onnxruntime cannot use the reader: {reason}", _ANOTHER) from error

    def knows(self, question: str) -> bool:
        """Return True if half of the tokens of a question are known, or more."""
        tokens = self._encoded([question])[0].tokens[1:-1]
        return 2 * tokens.count(_UNKNOWN) <= len(tokens)

    def scores(self, question: str, texts: Sequence[str]) -> np.ndarray:
        """Return scores that are the higher, the nearer a text is to a question: float32 (texts,).

        They have no bounds, and those of texts that are far are not 0. Of a text as much counts as
        LONGEST tokens have, of the question LONGEST_QUESTION.
        """
        asked, *each = (one.ids for one in self._encoded([question, *texts]))
        if len(asked) > LONGEST_QUESTION:
            asked = [*asked[: LONGEST_QUESTION - 1], asked[-1]]
        score = partial(self._score, self._rows(asked))
        # while threads are there, a process frees all objects at its end, which takes 40 ms
        with self._pool() as pool:
            return np.asarray(list(pool.map(score, each)), np.float32)

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        # bytes that are no text stand in a query as halves of characters
        read = [text[:CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        found: list[Encoding] = self._tokenizer.encode_batch(read)
        return found

    def _rows(self, ids: list[int]) -> np.ndarray:
        """The vectors of tokens at their places: float32 (tokens, width)."""
        table = self._table
        rows: np.ndarray = unpacked(table["rows"][ids]) * table["steps"][ids, None]
        rows += table["places"][: len(ids)]
        return rows

    def _score(self, question: np.ndarray, ids: list[int]) -> float:
        text = self._rows(ids)
        of_text = np.repeat(np.asarray([0, 1], np.float32), (len(question), len(text)))
        tokens = np.concatenate([question, text])
        return float(self._session.run(None, {"tokens": tokens, "of_text": of_text})[0])
