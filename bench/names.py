"""Whether a definition is found by its name: whole, spelt otherwise, half remembered, mistyped.

    python -m bench.names REPOSITORY... [--names N]

The index is brought up to date first. Then names of definitions are drawn from HEAD: at least
eight letters, defined once or twice, in code that is no test or example and not vendored. Each is
asked for in several ways. Prints for each way how often the chunk with the line on which it is
defined is the first result or one of the first three, and milliseconds within the process, and
files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import re
import string
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench import filing
from bench.evaluation import Found, Question, Variant, opened
from bench.inprocess import update
from gitsearch.features import identifiers

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsearch.index.view import View

_NAMES = 100
_COUNT = 10
_SHORTEST = 8
_MOST_DEFINED = 2
_MISSPELT = 5  # letters of a word of which one is wrong

_NAME = re.compile(r"[A-Za-z_]\w*")
_VOWELS = "aeiou"


class Name(NamedTuple):
    """A drawn name: its words, what it is, on which lines it is defined."""

    text: str
    words: tuple[str, ...]
    kind: str
    places: frozenset[tuple[str, int]]


def main() -> None:
    args = _parser().parse_args()
    rows: dict[str, list[tuple[int, float]]] = defaultdict(list)
    repositories = []
    for folder in args.repositories:
        update(folder)
        found = _measured(folder, args)
        repositories.append({"repository": folder.resolve().name, **_of(found)})
        for way, own in found.items():
            rows[way].extend(own)
    figures = {"names": args.names, "seed": args.seed, "all": _of(rows)}
    filing.write("names", {**figures, "repositories": repositories}, args.out)
    head = ["asked for", "questions", "first", "first 3", "median ms", "95 % ms"]
    keys = ("asked", "first", "first_3", "median_ms", "p95_ms")
    cells = [[way, *(str(own[key]) for key in keys)] for way, own in _of(rows).items()]
    print(filing.table(head, cells))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.names",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("repositories", nargs="+", type=Path, help="each is indexed where it lies")
    add("--names", type=int, default=_NAMES, help="of each (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--misses", action="store_true", help="print what is not among the first three")
    add("--out", type=Path, help="where to file the figures")
    return parser


def _measured(folder: Path, args: argparse.Namespace) -> dict[str, list[tuple[int, float]]]:
    """The rank of each name, 0 where it is not found, and the seconds, by the way of asking."""
    view = opened(folder, "HEAD")
    random = Random(args.seed)
    names = _names(view, folder)
    drawn = random.sample(names, min(args.names, len(names)))
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for name in drawn:
        for way, asked in WAYS.items():
            text = asked(name, Random(f"{args.seed} {way} {name.text}"))
            if not text:
                continue
            started = time.perf_counter()
            results = Question(view, text, _COUNT).answered(Variant("default"))
            seconds = time.perf_counter() - started
            rank = _rank(results, name)
            found[way].append((rank, seconds))
            if args.misses and not 0 < rank <= 3:
                shown = "; ".join(f"{one.symbol}" for one in results[:3])
                print(f"{folder.name}: {way}: {name.text}: {text!r} [{rank}] {shown}")
    return found


def _names(view: View, folder: Path) -> list[Name]:
    """The distinctive names of the tree, in one order."""
    spelt: dict[str, tuple[str, str]] = {}
    places: dict[str, set[tuple[str, int]]] = defaultdict(set)
    defined: Counter[str] = Counter()
    noisy: set[str] = set()
    for segment, file in view.each_file():
        first = np.searchsorted(segment["symbol_file"], file, "left")
        last = np.searchsorted(segment["symbol_file"], file, "right")
        path = segment.path(file).decode("utf-8", "surrogateescape")
        lines = _lines(folder / path)
        for symbol in range(int(first), int(last)):
            text = segment.name(symbol)
            folded = identifiers.compound(text)
            defined[folded] += 1
            start = int(segment["symbol_first"][symbol])
            places[folded].add((path, _line_of(text, lines, start)))
            spelt.setdefault(folded, (text, segment.kind(symbol)))
            if segment["path_kind"][file]:
                noisy.add(folded)
    return [
        Name(text, tuple(identifiers.parts(text)), kind, frozenset(places[folded]))
        for folded, (text, kind) in sorted(spelt.items())
        if defined[folded] <= _MOST_DEFINED
        and folded not in noisy
        and len(folded) >= _SHORTEST
        and folded.isascii()
        and _NAME.fullmatch(text)
        and identifiers.parts(text)
    ]


def _lines(path: Path) -> list[str]:
    plain = path.is_file() and not path.is_symlink()
    return path.read_text("utf-8", "replace").split("\n") if plain else []


def _line_of(name: str, lines: list[str], start: int) -> int:
    """The line of a definition that says its name: it may start with decorators."""
    return next((i for i, line in enumerate(lines[start - 1 :], start) if name in line), start)


def _rank(results: list[Found], name: Name) -> int:
    for rank, one in enumerate(results, 1):
        if any(path == one.path and one.start <= line <= one.end for path, line in name.places):
            return rank
    return 0


def _of(rows: dict[str, list[tuple[int, float]]]) -> dict[str, Any]:
    return {way: _figures(rows[way]) for way in WAYS if rows.get(way)}


def _figures(own: list[tuple[int, float]]) -> dict[str, float]:
    ranks = np.asarray([rank for rank, _ in own])
    milliseconds = np.asarray([seconds for _, seconds in own]) * 1e3
    return {
        "asked": len(own),
        "first": round(float((ranks == 1).mean()), 4),
        "first_3": round(float(((ranks > 0) & (ranks <= 3)).mean()), 4),
        "median_ms": round(float(np.median(milliseconds)), 2),
        "p95_ms": round(float(np.percentile(milliseconds, 95)), 2),
    }


# ---------------------------------------------------------------- ways to ask


def _same(name: Name, _random: Random) -> str:
    return name.text


def _convention(name: Name, random: Random) -> str:
    """As another language would write it."""
    camel = "".join(map(str.capitalize, name.words))
    forms = (
        "_".join(name.words),
        camel,
        camel[0].lower() + camel[1:],
        "_".join(name.words).upper(),
    )
    others = [form for form in forms if form != name.text]
    return random.choice(others) if len(name.words) > 1 else ""


def _words(name: Name, _random: Random) -> str:
    return " ".join(name.words) if len(name.words) > 1 else ""


def _shuffled(name: Name, random: Random) -> str:
    words = list(name.words)
    random.shuffle(words)
    return " ".join(words) if len(words) > 1 and tuple(words) != name.words else ""


def _without_one(name: Name, random: Random) -> str:
    words = list(name.words)
    del words[random.randrange(len(words))]
    return " ".join(words) if len(words) > 1 else ""


def _with_one_more(name: Name, _random: Random) -> str:
    """And what it is: function parse retry policy."""
    return f"{name.kind} {' '.join(name.words)}" if len(name.words) > 1 else ""


def _other_form(name: Name, random: Random) -> str:
    words = list(name.words)
    long = [i for i, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    if len(words) < 2 or not long:
        return ""
    i = random.choice(long)
    words[i] = random.choice((_plural, _ing))(words[i])
    return " ".join(words)


def _plural(word: str) -> str:
    if word.endswith("s"):
        return word if word.endswith("ss") else word[:-1]
    return word[:-1] + "ies" if word[-1] == "y" and word[-2] not in _VOWELS else word + "s"


def _ing(word: str) -> str:
    return (word[:-1] if word.endswith("e") else word) + "ing"


def _deleted(word: str, i: int, _random: Random) -> str:
    return word[:i] + word[i + 1 :]


def _inserted(word: str, i: int, random: Random) -> str:
    # a letter is doubled as often as another one slips in
    more = random.choice((word[i - 1], random.choice(string.ascii_lowercase)))
    return word[:i] + more + word[i:]


def _substituted(word: str, i: int, random: Random) -> str:
    letters = [letter for letter in string.ascii_lowercase if letter != word[i].lower()]
    return word[:i] + random.choice(letters) + word[i + 1 :]


def _swapped(word: str, _i: int, random: Random) -> str:
    pairs = [i for i in range(1, len(word) - 1) if word[i].lower() != word[i + 1].lower()]
    i = random.choice(pairs or [0])
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :] if pairs else ""


_SLIPS = (_deleted, _inserted, _substituted, _swapped)


def _mistyped(word: str, slip: Callable[[str, int, Random], str], random: Random) -> str:
    """A word with one slip, not in its first letter, in which one is seen at once."""
    found = slip(word, random.randrange(1, len(word)), random)
    return "" if identifiers.compound(found) == identifiers.compound(word) else found


def _slip(slip: Callable[[str, int, Random], str]) -> Callable[[Name, Random], str]:
    return lambda name, random: _mistyped(name.text, slip, random)


def _slip_in_words(name: Name, random: Random) -> str:
    """The words of the name, a slip in one of the longest."""
    words = list(name.words)
    i = max(range(len(words)), key=lambda i: len(words[i]))
    if len(words) < 2 or len(words[i]) < _MISSPELT:
        return ""
    words[i] = _mistyped(words[i], random.choice(_SLIPS), random)
    return " ".join(words) if words[i] else ""


def _slip_in_question(name: Name, random: Random) -> str:
    asked = _slip_in_words(name, random)
    return f"where is the {asked}" if asked else ""


WAYS: dict[str, Callable[[Name, Random], str]] = {
    "name": _same,
    "other convention": _convention,
    "words": _words,
    "words shuffled": _shuffled,
    "words but one": _without_one,
    "words and one more": _with_one_more,
    "another form": _other_form,
    "letter missing": _slip(_deleted),
    "letter too many": _slip(_inserted),
    "letter wrong": _slip(_substituted),
    "letters swapped": _slip(_swapped),
    "slip in words": _slip_in_words,
    "slip in a question": _slip_in_question,
}


if __name__ == "__main__":
    main()
