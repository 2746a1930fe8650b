"""A matcher that counts its steps, and backtracks by the rules of CPython's `re`.

`re` counts nothing, so its parse tree is compiled to instructions here and run the same way:
alternatives in order, greedy repeats from the longest to the shortest, nothing remembered between
attempts. Each instruction that is run and each character that a repeat reads is a step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from re._constants import (  # type: ignore[import-not-found]
    ANY,
    ASSERT,
    ASSERT_NOT,
    ATOMIC_GROUP,
    BRANCH,
    GROUPREF,
    IN,
    LITERAL,
    MAX_REPEAT,
    MAXREPEAT,
    MIN_REPEAT,
    NOT_LITERAL,
    POSSESSIVE_REPEAT,
    SUBPATTERN,
)
from typing import Any

SINGLE = frozenset({LITERAL, NOT_LITERAL, ANY, IN})
REPEATS = frozenset({MAX_REPEAT, MIN_REPEAT, POSSESSIVE_REPEAT})

# A repeat of several elements is unrolled up to here; a higher bound counts as none.
_UNROLLED = 32
_FAIL = -1


class TooManySteps(Exception):
    """More steps than are allowed."""


class _Attempt:
    """A match under way: where it is, what its groups hold, and what is left to try."""

    __slots__ = ("at", "marks", "size", "stack", "text")

    def __init__(self, text: Any, at: int, marks: dict[Any, int]) -> None:
        self.text = text
        self.size = len(text)
        self.at = at
        self.marks = marks
        # The instruction, the first and last position to try it at, and the groups.
        self.stack: list[tuple[int, int, int, dict[Any, int]]] = []


# Returns the next instruction, or _FAIL.
_Instruction = Callable[[_Attempt], int]


class _Unit(dict[Any, bool]):
    """The characters that an element of one character matches."""

    def __init__(self, node: Any, state: Any, flags: int) -> None:
        super().__init__()
        self._one = compiled([node], state, flags)
        repeated = (MAX_REPEAT, (0, MAXREPEAT, _parser.SubPattern(state, [node])))
        self._run = compiled([repeated], state, flags)

    def __missing__(self, key: Any) -> bool:
        text = bytes([key]) if isinstance(key, int) else key
        found = self[key] = self._one.fullmatch(text) is not None
        return found

    def end(self, text: Any, at: int) -> int:
        """Where a run of such characters from a position on ends."""
        found: int = self._run.match(text, at).end()  # type: ignore[union-attr]
        return found


def compiled(nodes: list[Any], state: Any, flags: int) -> re.Pattern[Any]:
    """What `re` makes of some elements."""
    pattern: re.Pattern[Any] = _compiler.compile(_parser.SubPattern(state, nodes), flags)
    return pattern


def parsed(pattern: re.Pattern[Any]) -> Any:
    """The parse tree of a pattern."""
    return _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)


class Matcher:
    """One pattern; `steps` goes on from match to match, up to `limit`."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.steps = 0
        self.limit = 0
        tree = parsed(pattern)
        self._state = tree.state
        self._code: list[_Instruction] = []
        self._loops = 0
        self._emit(tree, pattern.flags)
        self._end = self._add(lambda _: _FAIL)

    def match(self, text: Any, at: int = 0, *, whole: bool = False) -> int | None:
        """Where the match from a position on ends, or None; `whole`: at the end of the text."""
        return self._run(_Attempt(text, at, {}), 0, self._end, whole=whole)

    def search(self, text: Any) -> None:
        """All matches from left to right, as `finditer` and `sub` look for them."""
        at = 0
        while at <= len(text):
            end = self.match(text, at)
            at = at + 1 if end is None else max(end, at + 1)

    def tokens(self, text: Any) -> None:
        """Matches each from where the last one ended, until there is none."""
        at = 0
        while (end := self.match(text, at)) is not None and end > at:
            at = end

    def _run(self, attempt: _Attempt, start: int, end: int, *, whole: bool = False) -> int | None:
        code, stack = self._code, attempt.stack
        pc = start
        while True:
            self.steps += 1
            if self.steps > self.limit:
                raise TooManySteps
            if pc == end:
                if not whole or attempt.at == attempt.size:
                    return attempt.at
                pc = _FAIL
            else:
                pc = code[pc](attempt)
            if pc == _FAIL:
                if not stack:
                    return None
                pc, attempt.at, last, attempt.marks = stack.pop()
                if attempt.at != last:
                    step = 1 if last > attempt.at else -1
                    stack.append((pc, attempt.at + step, last, attempt.marks))

    # ------------------------------------------------------------ from the tree to instructions

    def _add(self, instruction: _Instruction) -> int:
        self._code.append(instruction)
        return len(self._code) - 1

    def _emit(self, nodes: Iterable[Any], flags: int) -> None:
        for node in nodes:
            op, value = node
            if op in SINGLE:
                self._add(_test(_Unit(node, self._state, flags), len(self._code) + 1))
            elif op in REPEATS:
                self._repeat(op, value, flags)
            elif op is SUBPATTERN:
                number, added, removed, inner = value
                self._group(number, inner, (flags | added) & ~removed)
            elif op is BRANCH:
                self._branch(value[1], flags)
            elif op is _constants.AT:
                self._add(_at(compiled([node], self._state, flags), len(self._code) + 1))
            elif op in (ASSERT, ASSERT_NOT):
                self._look(value, flags, wanted=op is ASSERT)
            elif op is ATOMIC_GROUP:
                self._atomic(value, flags)
            elif op is GROUPREF:
                self._add(_again(value, len(self._code) + 1))
            else:
                raise NotImplementedError(str(op))

    def _group(self, number: int | None, inner: Any, flags: int) -> None:
        if number is not None:
            self._add(_mark(("start", number), len(self._code) + 1))
        self._emit(inner, flags)
        if number is not None:
            self._add(_mark(("end", number), len(self._code) + 1))

    def _branch(self, alternatives: list[Any], flags: int) -> None:
        """Each alternative behind a choice between it and the next one."""
        ends = []
        for alternative in alternatives[:-1]:
            choice = self._add(_FAILING)
            self._emit(alternative, flags)
            ends.append(self._add(_FAILING))
            self._code[choice] = _choice(choice + 1, len(self._code))
        self._emit(alternatives[-1], flags)
        for end in ends:
            self._code[end] = _jump(len(self._code))

    def _nested(self, inner: Any, flags: int) -> tuple[int, int]:
        """Reserve an instruction for what is matched by itself and not gone back into."""
        place = self._add(_FAILING)
        self._emit(inner, flags)
        return place, self._add(_FAILING)

    def _look(self, value: Any, flags: int, *, wanted: bool) -> None:
        direction, inner = value
        back = inner.getwidth()[0] if direction < 0 else 0
        place, end = self._nested(inner, flags)

        def look(attempt: _Attempt) -> int:
            start = attempt.at - back
            inside = _Attempt(attempt.text, start, attempt.marks)
            found = start >= 0 and self._run(inside, place + 1, end) is not None
            return end + 1 if found == wanted else _FAIL

        self._code[place] = look

    def _atomic(self, inner: Any, flags: int) -> None:
        place, end = self._nested(inner, flags)

        def atomic(attempt: _Attempt) -> int:
            inside = _Attempt(attempt.text, attempt.at, attempt.marks)
            found = self._run(inside, place + 1, end)
            if found is None:
                return _FAIL
            attempt.at, attempt.marks = found, inside.marks
            return end + 1

        self._code[place] = atomic

    def _repeat(self, op: Any, value: Any, flags: int) -> None:
        least, most, inner = value
        node = single(inner)
        if node is not None:
            unit = _Unit(node, self._state, flags)
            self._add(self._run_of(unit, op, (least, most), len(self._code) + 1))
        elif op is POSSESSIVE_REPEAT:
            atom = [(ATOMIC_GROUP, inner)]
            repeat = (MAX_REPEAT, (least, most, _parser.SubPattern(self._state, atom)))
            self._atomic(_parser.SubPattern(self._state, [repeat]), flags)
        else:
            least = min(least, _UNROLLED)
            for _ in range(least):
                self._emit(inner, flags)
            if most > _UNROLLED:
                self._loop(op, inner, flags)
            else:
                self._optional(op, inner, flags, most - least)

    def _run_of(
        self, unit: _Unit, op: Any, bounds: tuple[int, int], following: int
    ) -> _Instruction:
        """A repeat of one character, which `re` reads at once; shorter ones are tried later."""
        least, most = bounds

        def run(attempt: _Attempt) -> int:
            start = attempt.at
            end = min(unit.end(attempt.text, start), start + most)
            if end - start < least:
                self.steps += end - start
                return _FAIL
            shortest = start + least
            lazy = op is MIN_REPEAT
            attempt.at = shortest if lazy else end
            self.steps += attempt.at - start
            if end > shortest and op is not POSSESSIVE_REPEAT:
                tried = (shortest + 1, end) if lazy else (end - 1, shortest)
                attempt.stack.append((following, *tried, attempt.marks))
            return following

        return run

    def _loop(self, op: Any, inner: Any, flags: int) -> None:
        self._loops += 1
        mark = ("loop", self._loops)
        empty = inner.getwidth()[0] == 0
        start = self._add(_FAILING)
        if empty:
            self._add(_mark(mark, len(self._code) + 1))
        self._emit(inner, flags)
        if empty:
            self._add(_moved(mark, len(self._code) + 1))
        self._add(_jump(start))
        self._code[start] = _ordered(op, start + 1, len(self._code))

    def _optional(self, op: Any, inner: Any, flags: int, times: int) -> None:
        choices = []
        for _ in range(times):
            choices.append(self._add(_FAILING))
            self._emit(inner, flags)
        for choice in choices:
            self._code[choice] = _ordered(op, choice + 1, len(self._code))


# ---------------------------------------------------------------- instructions


def _FAILING(_: _Attempt) -> int:  # noqa: N802
    return _FAIL


def _test(unit: _Unit, following: int) -> _Instruction:
    def test(attempt: _Attempt) -> int:
        at = attempt.at
        if at < attempt.size and unit[attempt.text[at]]:
            attempt.at = at + 1
            return following
        return _FAIL

    return test


def _at(pattern: re.Pattern[Any], following: int) -> _Instruction:
    return lambda attempt: following if pattern.match(attempt.text, attempt.at) else _FAIL


def _jump(target: int) -> _Instruction:
    return lambda _: target


def _choice(first: int, second: int) -> _Instruction:
    def choose(attempt: _Attempt) -> int:
        attempt.stack.append((second, attempt.at, attempt.at, attempt.marks))
        return first

    return choose


def _ordered(op: Any, inside: int, behind: int) -> _Instruction:
    return _choice(behind, inside) if op is MIN_REPEAT else _choice(inside, behind)


def _mark(mark: tuple[str, int], following: int) -> _Instruction:
    def note(attempt: _Attempt) -> int:
        attempt.marks = {**attempt.marks, mark: attempt.at}
        return following

    return note


def _moved(mark: tuple[str, int], following: int) -> _Instruction:
    return lambda attempt: following if attempt.marks[mark] != attempt.at else _FAIL


def _again(number: int, following: int) -> _Instruction:
    def again(attempt: _Attempt) -> int:
        start, end = (attempt.marks.get((side, number)) for side in ("start", "end"))
        if start is None or end is None:
            return _FAIL
        if not attempt.text.startswith(attempt.text[start:end], attempt.at):
            return _FAIL
        attempt.at += end - start
        return following

    return again


# ---------------------------------------------------------------- the tree


def single(inner: Any) -> Any | None:
    """The element of a subpattern that is one of one character, or None."""
    if len(inner) != 1:
        return None
    op, value = inner[0]
    if op is SUBPATTERN:
        number, added, removed, nested = value
        return None if number is not None or added or removed else single(nested)
    return inner[0] if op in SINGLE else None


def nested(op: Any, value: Any) -> list[Any]:
    """The subpatterns of an element."""
    if op is SUBPATTERN:
        return [value[3]]
    if op in REPEATS:
        return [value[2]]
    if op is BRANCH:
        return list(value[1])
    if op in (ASSERT, ASSERT_NOT):
        return [value[1]]
    return [value] if op is ATOMIC_GROUP else []
