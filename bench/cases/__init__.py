"""Cases of our own: questions in people's words and the lines that answer them (README.md)."""

from __future__ import annotations

from pathlib import Path

CASES = Path(__file__).with_name("cases.jsonl")
HOWTO = CASES.with_name("howto.jsonl")
QUESTIONS = CASES.with_name("questions.jsonl")
WRITTEN = CASES.with_name("written.jsonl")
