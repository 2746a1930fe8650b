"""`git search batch`: questions as lines of JSON, and an answer to each, in the same order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

from gitsearch.errors import InternalError, SearchError, UsageError, brief
from gitsearch.serving.answer import Answer, Answerer

# Bytes of a question: more than a command line may have on most systems.
LONGEST = 1 << 20

# Characters, or digits, of the id of a question.
_LONGEST_ID = 256

_KEYS = ("id", "argv")
_FORM = 'a question is {"argv": ["words", "after", "git search"]}, and may have an "id"'


def answer_lines(
    lines: IO[bytes], answerer: Answerer, refusal: Callable[[SearchError], Answer]
) -> Iterator[str]:
    """Yield a line for each line, before the next one is read.

    refusal: makes an answer of an error.
    """
    for number, line in enumerate(_lines(lines), 1):
        marks: dict[str, Any] = {}
        try:
            question = _parsed(line)
            if question.get("id") is not None:
                marks["id"] = _checked_id(question["id"])
            answer = answerer(_checked_argv(question))
        except SearchError as error:
            answer = refusal(error)
        except Exception as error:  # noqa: BLE001  a bug in one answer leaves the others
            answer = refusal(InternalError.of(error))
        if answer.refused:
            marks["line"] = number
        yield _marked(answer.text, marks)


def _marked(text: str, marks: dict[str, Any]) -> str:
    """A document with fields before its own, which stay as they are byte for byte."""
    if not marks:
        return text
    return json.dumps(marks, ensure_ascii=True)[:-1] + ", " + text[1:]


def _lines(file: IO[bytes]) -> Iterator[bytes | None]:
    """Yield each line without its end; None for one that is too long."""
    while line := file.readline(LONGEST + 1):
        if len(line) <= LONGEST or line.endswith(b"\n"):
            yield line.removesuffix(b"\n")
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST)
        yield None


def _parsed(line: bytes | None) -> dict[str, Any]:
    """The object on a line; raises UsageError for anything else."""
    if line is None:
        raise UsageError(f"the line has more than {LONGEST} bytes", _FORM)
    try:
        question = json.loads(line.decode("utf-8"), object_pairs_hook=_distinct)
    except UnicodeDecodeError as error:
        raise UsageError(f"the line is not UTF-8 at byte {error.start}", _FORM) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the line is not JSON: {brief(str(error))}", _FORM) from None
    if not isinstance(question, dict):
        raise UsageError("the line is not a JSON object", _FORM)
    return question


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands there twice")
    return members


def _checked_id(own: object) -> str | int:
    if isinstance(own, bool) or not isinstance(own, str | int) or len(str(own)) > _LONGEST_ID:
        raise UsageError(
            f'"id" has to be a string or a whole number of up to {_LONGEST_ID} characters', _FORM
        )
    return own


def _checked_argv(question: dict[str, Any]) -> list[str]:
    for key in question:
        if key not in _KEYS:
            raise UsageError(f"unknown key '{brief(key)}'", _FORM)
    argv = question.get("argv")
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        raise UsageError('"argv" has to be a list of strings', _FORM)
    return argv
