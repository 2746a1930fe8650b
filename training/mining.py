"""Pairs of what people write and the chunk of code it is about, from one repository.

The code side of a pair is a chunk as the index has it: cut by the same program, with the names of
the definitions around it and the comments in it. What was taken for the query is taken out.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract.comments import about, cleaned
from gitsearch.features.identifiers import parts
from training import wording
from training.sources import Source, code_of, prose_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.git.repo import Repo
    from training.sources import Span

# Drawn from each repository at most, so that large ones do not outweigh the others.
FILES = 1200
_MOST = {"documentation": 2500, "name": 700, "remark": 1200, "prose": 500, "file": 300}

_SHORTEST = 60  # characters of code that say anything
_SHORT = 120  # characters of a first chunk that is hardly more than a documentation
_TESTS = {"test", "tests"}  # definitions that hold tests, in languages that have them in one file
_OFTEN = 3  # definitions of one name among which any may be meant
_LATER = 0.3  # share of pairs with another than the first chunk of a definition
_SENTENCE = 0.5  # share of pairs with the first sentence of a documentation only
_NAME = re.compile(r"`+([A-Za-z_][\w.:]*)(?:\(\))?`+")
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_PARAGRAPH = re.compile(r"\n\s*\n|\n\s*[-*] ")
_PROSE = range(30, 700)  # characters of a paragraph
_WHOLE_WORD = 4  # letters of the shortest name that a text is believed to mean


class Pair(NamedTuple):
    """A query, and the chunk that answers it: text, enclosing names, file, number in the file."""

    kind: str
    query: str
    text: str
    scope: tuple[str, ...]
    path: str
    chunk: int


def pair(kind: str, query: str, source: Source, chunk: int, without: Sequence[Span] = ()) -> Pair:
    """A query with a chunk of a file, ranges of bytes taken out of it."""
    text = source.text(chunk, without)
    return Pair(kind, query, text, source.scope(chunk), source.path, chunk)


@dataclass
class _Place:
    """A definition of a file."""

    source: Source
    which: int


@dataclass
class Mined:
    """The files of a repository and the pairs that were found in them."""

    sources: list[Source]
    pairs: list[Pair]
    named: dict[str, list[_Place]] = field(default_factory=dict)


def generator(name: str, seed: int) -> np.random.Generator:
    """Random choices that depend on the name of a repository and a seed, not on its company."""
    digest = hashlib.blake2b(f"{seed} {name}".encode(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def mine(repo: Repo, tree: str, order: np.random.Generator) -> Mined:
    """All pairs that the tree of a repository gives."""
    mined = Mined(list(code_of(repo, tree, FILES, order)), [])
    for source in mined.sources:
        for which, one in enumerate(source.definitions):
            mined.named.setdefault(one.name, []).append(_Place(source, which))
    found: dict[str, list[Pair]] = {kind: [] for kind in _MOST}
    for source in mined.sources:
        found["documentation"] += _documented(source, order)
        found["remark"] += _remarked(source)
        found["file"] += _introduced(source, order)
    found["name"] += _named(mined, order)
    found["prose"] += _told(mined, prose_of(repo, tree), order)
    for kind, most in _MOST.items():
        mined.pairs += _drawn(found[kind], most, order)
    return mined


def _drawn(pairs: Sequence[Pair], most: int, order: np.random.Generator) -> list[Pair]:
    """At most so many pairs, those left out whose words are in their own code or came before."""
    seen: set[str] = set()
    kept = []
    for i in order.permutation(len(pairs)):
        one = pairs[i]
        key = "".join(wording.words(one.query))
        honest = one.kind == "name" or not wording.repeats(one.query, one.text)
        if key not in seen and honest and worthy(one):
            seen.add(key)
            kept.append(one)
            if len(kept) == most:
                break
    return kept


def worthy(pair: Pair) -> bool:
    """Whether the code of a pair is long enough to say anything, and no test."""
    return len(pair.text.strip()) >= _SHORTEST and _TESTS.isdisjoint(pair.scope)


# ---------------------------------------------------------------- what documents a definition


def _documented(source: Source, order: np.random.Generator) -> Iterator[Pair]:
    for which, one in enumerate(source.definitions):
        query = wording.plain(one.doc)
        if order.random() < _SENTENCE:
            query = wording.first_sentence(query)
        if wording.fit(query):
            without = source.documentation(which)
            yield _answered("documentation", query, _Place(source, which), order, without)


def _answered(
    kind: str,
    query: str,
    place: _Place,
    order: np.random.Generator,
    without: Sequence[Span] = (),
) -> Pair:
    """A query with the chunk in which a definition begins, or sometimes another one of it.

    Where hardly anything but what is taken out begins in that chunk, it is the next one.
    """
    source, own = place.source, place.source.definitions[place.which]
    chunks = source.within(own.start, own.end)
    chunk = min(source.at(max(own.signature_end - 1, own.start)), chunks[-1])
    text = source.text(chunk, without)
    if len(chunks) > 1 and order.random() < _LATER:
        chunk = int(order.choice(chunks))
    elif chunk < chunks[-1] and len(" ".join(text.split())) < _SHORT:
        chunk += 1
    return pair(kind, query, source, chunk, without)


# ---------------------------------------------------------------- remarks inside of definitions


def blocks(source: Source) -> Iterator[Span]:
    """Comments that document no definition, those of consecutive lines as one."""
    taken = {
        span for which in range(len(source.definitions)) for span in source.documentation(which)
    }
    start = end = -1
    for first, last, role in source.remarks:
        if role != "comment" or (first, last) in taken:
            continue
        between = source.data[end:first]
        if start >= 0 and not between.strip() and between.count(b"\n") <= 1:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def _remarked(source: Source) -> Iterator[Pair]:
    for start, end in blocks(source):
        query = wording.plain(cleaned(source.data[start:end]))
        chunk = source.at(start)
        # what stands before any definition is about the file
        if source.chunks[chunk].symbol >= 0 and wording.fit(query):
            yield pair("remark", query, source, chunk, [(start, end)])


# ---------------------------------------------------------------- names and places


def _named(mined: Mined, order: np.random.Generator) -> Iterator[Pair]:
    for name, places in mined.named.items():
        split = " ".join(parts(name))
        if len(places) <= _OFTEN and len(split) > _WHOLE_WORD:
            place = places[int(order.integers(len(places)))]
            source = place.source
            chunk = source.at(source.definitions[place.which].start)
            query = _phrased(name, split, source.path, order)
            yield pair("name", query, source, chunk)


def _phrased(name: str, split: str, path: str, order: np.random.Generator) -> str:
    """A name as people type it: as it is, in words, with where it is."""
    folder, _, file = path.rpartition("/")
    stem = " ".join(parts(file.partition(".")[0]))
    inside = " ".join(parts(folder.rpartition("/")[2]))
    forms = (name, split, f"{split} in {stem}", f"{inside} {stem} {split}".strip())
    return forms[int(order.choice(4, p=(0.25, 0.3, 0.2, 0.25)))]


# ---------------------------------------------------------------- documents and heads of files


def _told(
    mined: Mined, documents: Iterator[tuple[str, str]], order: np.random.Generator
) -> Iterator[Pair]:
    """Paragraphs that name a definition: with its name, its words, or nothing in its place."""
    for _, text in documents:
        for paragraph in _PARAGRAPH.split(_FENCE.sub("", text)):
            if len(paragraph) not in _PROSE:
                continue
            for name in dict.fromkeys(_NAME.findall(paragraph)):
                last = re.split(r"\.|::", name)[-1]
                places = mined.named.get(last, ())
                if len(last) > _WHOLE_WORD and 0 < len(places) < _OFTEN:
                    yield from _mention(paragraph, name, places[0], order)


def _mention(
    paragraph: str, name: str, place: _Place, order: np.random.Generator
) -> Iterator[Pair]:
    instead = (name, " ".join(parts(name)), "")[int(order.choice(3, p=(0.3, 0.5, 0.2)))]
    query = wording.plain(paragraph).strip("#>|- ")
    query = wording.first_sentence(query) if order.random() < _SENTENCE else query
    query = " ".join(query.replace(name, instead).split())[:300]
    if wording.fit(query):
        yield _answered("prose", query, place, order)


def _introduced(source: Source, order: np.random.Generator) -> Iterator[Pair]:
    query = wording.plain(about(source.data))
    if wording.fit(query) and len(source.chunks) > 1:
        chunk = int(order.integers(1, len(source.chunks)))
        yield pair("file", query, source, chunk)
