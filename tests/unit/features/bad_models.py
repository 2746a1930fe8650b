"""Model folders of which each has one fault, and what must be said of it."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from tests.unit.features.models import save, tokenizer_of, word_vector, write_model

WORDS = ["retry", "policy", "delay", "cache", "evict", "token"]
COUNT = len(WORDS) + 1

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)

Spoil = Callable[[Path], object]


def table(rows: int = COUNT) -> np.ndarray:
    """A table with as many rows."""
    return np.stack([word_vector(str(i)) for i in range(rows)])


def _with(at: tuple[int, ...], value: float) -> np.ndarray:
    """The table with another value in one place."""
    changed = table()
    changed[at] = value
    return changed


def _tensors(**tensors: np.ndarray) -> Spoil:
    """Other tensors in the file of the model."""

    def spoil(folder: Path) -> None:
        shutil.rmtree(folder)
        save(folder, tensors, tokenizer_of(WORDS))

    return spoil


def _weights(content: Callable[[bytes], bytes]) -> Spoil:
    """Other bytes in the file of the model."""

    def spoil(folder: Path) -> None:
        file = folder / "model.safetensors"
        file.write_bytes(content(file.read_bytes()))

    return spoil


def _tokeniser(content: bytes) -> Spoil:
    return lambda folder: (folder / "tokenizer.json").write_bytes(content)


def _typed(name: str, size: int) -> Spoil:
    """A table of a type that numpy may not know."""
    tensor = {"dtype": name, "shape": [COUNT, 96], "data_offsets": [0, COUNT * 96 * size]}
    header = json.dumps({"embeddings": tensor}).encode()
    body = struct.pack("<Q", len(header)) + header + b"\1" * (COUNT * 96 * size)
    return _weights(lambda _: body)


def _a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("a model\n", encoding="utf-8")


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _folder_as_file(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").mkdir()


def _high_id(folder: Path) -> None:
    file = folder / "tokenizer.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    found["model"]["vocab"]["token"] = 9999
    file.write_text(json.dumps(found), encoding="utf-8")


def _stumbling(folder: Path) -> None:
    """A tokeniser that has nothing for a word that it does not know."""
    file = folder / "tokenizer.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    found["model"]["unk_token"] = "[none]"
    file.write_text(json.dumps(found), encoding="utf-8")


def _stepping(**steps: object) -> Spoil:
    """Another normaliser or pre-tokeniser."""

    def spoil(folder: Path) -> None:
        file = folder / "tokenizer.json"
        found = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps({**found, **steps}), encoding="utf-8")

    return spoil


def _sparse(folder: Path) -> None:
    """A table that claims to be larger than any."""
    os.truncate(folder / "model.safetensors", 5 << 30)


# A pattern over which a backtracking matcher does not come back from "aaaa...!".
NEVER_ENDING = {"Regex": "(a+)+$"}
DOUBLING = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}


def _nested(folder: Path) -> None:
    """The other layout, of which a file is missing."""
    shutil.rmtree(folder)
    save(folder / "0_StaticEmbedding", {"embedding.weight": table()}, tokenizer_of(WORDS))
    (folder / "0_StaticEmbedding" / "tokenizer.json").unlink()


def _encoder(folder: Path) -> None:
    """A model of sentence-transformers that is no static one."""
    names = ("embeddings.word_embeddings.weight", "encoder.layer.0.attention.self.query.weight")
    _tensors(**dict.fromkeys(names, table()))(folder)
    (folder / "modules.json").write_text("[]", encoding="utf-8")


BAD: Mapping[str, tuple[Spoil, str]] = {
    "missing": (shutil.rmtree, "no such folder"),
    "a file": (_a_file, "not a folder"),
    "empty": (
        _emptied,
        "no model.safetensors and no tokenizer.json",
    ),
    "no table": (lambda folder: (folder / "model.safetensors").unlink(), "no model.safetensors"),
    "no tokeniser": (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json"),
    "nested, no tokeniser": (_nested, "it has no tokenizer.json"),
    "a folder as table": (_folder_as_file, "no model.safetensors"),
    "empty table": (_weights(lambda _: b""), "model.safetensors is empty"),
    "something else": (_weights(lambda _: b"x" * 999), "model.safetensors is damaged"),
    "header cut": (_weights(lambda whole: whole[:40]), "damaged or cut short"),
    "data cut": (_weights(lambda whole: whole[:-100]), "damaged or cut short"),
    "data too long": (_weights(lambda whole: whole + bytes(100)), "damaged or cut short"),
    "header beyond the end": (
        _weights(lambda whole: struct.pack("<Q", 1 << 40) + whole[8:]),
        "damaged or cut short",
    ),
    "pointer for the table": (_weights(lambda _: POINTER), "git lfs pull"),
    "pointer for the tokeniser": (_tokeniser(POINTER), "git lfs pull"),
    "an encoder": (_encoder, "not Model2Vec"),
    "a line": (_tensors(embeddings=table()[0]), "shape"),
    "a cube": (_tensors(embeddings=table()[None]), "shape"),
    "no rows": (_tensors(embeddings=table()[:0]), "shape"),
    "no dimensions": (_tensors(embeddings=table()[:, :0]), "shape"),
    "too many dimensions": (_tensors(embeddings=np.zeros((COUNT, 5000), np.float32)), "shape"),
    "bfloat16": (_typed("BF16", 2), "BF16"),
    "float8": (_typed("F8_E4M3", 1), "F8_E4M3"),
    "flags": (_typed("BOOL", 1), "BOOL"),
    "one NaN": (_tensors(embeddings=_with((3, 4), np.nan)), "no numbers"),
    "NaN in the last row": (_tensors(embeddings=_with((-1, -1), np.nan)), "no numbers"),
    "infinity": (_tensors(embeddings=_with((1,), -np.inf)), "no numbers"),
    "NaN in the weights": (
        _tensors(embeddings=table(), weights=np.full(COUNT, np.nan, np.float32)),
        "no numbers",
    ),
    "too few weights": (
        _tensors(embeddings=table(), weights=np.ones(3, np.float32)),
        "weights of shape [3] for 7 tokens",
    ),
    "too many weights": (
        _tensors(embeddings=table(), weights=np.ones(9, np.float32)),
        "weights of shape [9] for 7 tokens",
    ),
    "weights in two columns": (
        _tensors(embeddings=table(), weights=np.ones((COUNT, 2), np.float32)),
        "weights of shape [7, 2]",
    ),
    "mapping beyond the table": (
        _tensors(embeddings=table(3), mapping=np.full(COUNT, 3, np.int64)),
        "mapping leads out",
    ),
    "mapping before the table": (
        _tensors(embeddings=table(3), mapping=np.full(COUNT, -1, np.int64)),
        "mapping leads out",
    ),
    "mapping too short": (
        _tensors(embeddings=table(3), mapping=np.zeros(4, np.int64)),
        "token 6 of 4",
    ),
    "mapping of fractions": (
        _tensors(embeddings=table(3), mapping=np.zeros(COUNT, np.float32)),
        "mapping is no list of rows",
    ),
    "empty mapping": (
        _tensors(embeddings=table(3), mapping=np.zeros(0, np.int64)),
        "mapping is no list of rows",
    ),
    "empty tokeniser": (_tokeniser(b""), "tokenizer.json is empty"),
    "tokeniser that is no JSON": (_tokeniser(b"no JSON"), "tokenizer.json is damaged"),
    "tokeniser that is no text": (_tokeniser(b"\xff\xfe\0"), "tokenizer.json is damaged"),
    "JSON that is no tokeniser": (_tokeniser(b"{}"), "tokenizer.json is damaged"),
    "tokeniser without a model": (_tokeniser(b'{"model": null}'), "tokenizer.json is damaged"),
    "tokeniser of a larger model": (
        lambda folder: tokenizer_of([*WORDS, "more"]).save(str(folder / "tokenizer.json")),
        "8 tokens, its table 7",
    ),
    "tokeniser of a smaller model": (
        lambda folder: tokenizer_of(WORDS[:3]).save(str(folder / "tokenizer.json")),
        "4 tokens, its table 7",
    ),
    "token beyond the table": (_high_id, "token 9999 of 7"),
    "tokeniser that stumbles": (_stumbling, "its tokeniser fails"),
    "normaliser that never ends": (
        _stepping(normalizer={"type": "Replace", "pattern": NEVER_ENDING, "content": ""}),
        "is not known to end",
    ),
    "pre-tokeniser that never ends": (
        _stepping(
            pre_tokenizer={
                "type": "Split",
                "pattern": NEVER_ENDING,
                "behavior": "Isolated",
                "invert": False,
            }
        ),
        "is not known to end",
    ),
    "normaliser that doubles": (
        _stepping(normalizer={"type": "Sequence", "normalizers": [DOUBLING] * 30}),
        "characters of a word",
    ),
    "deep tokeniser": (_tokeniser(b"[" * 100_000), "tokenizer.json is damaged"),
    "a table without an end": (_sparse, "model.safetensors has more than"),
}


def bad_model(folder: Path, fault: str) -> str:
    """Write a folder with a fault; returns what must be said of it."""
    spoil, reason = BAD[fault]
    write_model(folder, WORDS)
    spoil(folder)
    return reason
