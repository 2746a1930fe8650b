"""Whether copies that are planted in real code are found, and what is said of real commits.

    python -m bench.duplicates REPOSITORY... [--copies N] [--commits N]

Plants copies of functions of each repository at HEAD in other files of it, stages them all, and
asks `dup --cached`. A copy is exact, renamed (its own name and its variables, one for one),
edited (about every eighth line is dropped, doubled with a change, or has another constant), both,
or foreign (every name is renamed, those of what it calls too). It is found when it is said to be
like lines of the function it was made from, or like code that is as like it as that.

Then asks `dup` for each of the last commits that add code: what it says there is not planted, so
each is a false alarm or a real copy; they are listed, to be looked at by hand (`--judged`: a file
with a verdict a line, `REPOSITORY COMMIT PATH:FIRST-LAST yes|no`, taken into account at once or
afterwards with `--again FILED`). Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from bench import filing, histories
from gitsearch.commands.dup import DupRequest, dup
from gitsearch.commands.similar_code import THRESHOLD
from gitsearch.commands.tree_selection import select_tree
from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.lexemes import NAME, Lexemes, lexemes
from gitsearch.index.session import Session
from gitsearch.reports.change import Copy
from gitsearch.retrieval import changed_units

KINDS = ("exact", "renamed", "edited", "both", "foreign")
_SEED = 20261122
_LINES = range(8, 80)
_LEXEMES = 50
_TRIMMED = 0.03  # what a place may lack at its ends
# What is filed, so that thresholds can be compared afterwards.
_LEAST = 0.7
_WORDS = (
    *("amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "jetty"),
    *("knoll", "lagoon", "meadow", "nectar", "orchard", "pebble", "quarry", "ridge", "summit"),
    *("thicket", "upland", "valley", "willow", "yonder", "zephyr", "atlas", "bronze", "copper"),
    *("dune", "eagle", "flint", "garnet", "hazel", "indigo", "jasper", "kelp", "linden", "maple"),
    *("nickel", "onyx", "pine", "quartz", "raven"),
)


class _Function(NamedTuple):
    path: str
    language: str
    first: int
    last: int
    lines: list[str]


class _Plant(NamedTuple):
    kind: str
    origin: _Function
    path: str
    first: int
    last: int
    lines: list[str]


def main() -> None:
    args = _parser().parse_args()
    if args.again:
        figures = json.loads(args.again.read_text("utf-8"))
        figures |= _figures(figures["repositories"], figures["real"], _judged(args.judged))
        args.again.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        _show(figures)
        return
    planted: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    for repository in args.repositories:
        with histories.cloned(repository, args.scratch, repository.name) as (clone,):
            histories.check_out(clone, "HEAD")
            planted.append(_planted(clone, args.copies))
            histories.check_out(clone, "HEAD")
            if args.commits:
                said.append(_real(clone, args.commits))
    figures = _figures(planted, said, _judged(args.judged))
    filing.write("duplicates", figures, args.out)
    _show(figures)


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("duplicates", __doc__, several=True)
    parser.add_argument("--copies", type=int, default=40, help="in each (%(default)s)")
    parser.add_argument("--commits", type=int, default=60, help="of each (%(default)s)")
    parser.add_argument("--judged", type=Path, help="verdicts on real commits")
    parser.add_argument("--again", type=Path, help="count what is filed again")
    return parser


# ---------------------------------------------------------------- planted copies


def plants_in(clone: Path, count: int) -> list[_Plant]:
    random = Random(_SEED)
    functions = _functions(clone)
    origins = random.sample(functions, min(count, len(functions)))
    taken = {one.path for one in origins}
    plants = []
    for number, origin in enumerate(origins):
        hosts = [
            one for one in functions if one.language == origin.language and one.path not in taken
        ]
        host = random.choice(hosts) if hosts else None
        if host is None:
            continue
        taken.add(host.path)
        plants.append(_plant(clone, origin, host, KINDS[number % len(KINDS)], random))
    return plants


def _planted(clone: Path, count: int) -> dict[str, Any]:
    plants = plants_in(clone, count)
    filing.git("add", "-A", cwd=clone)
    dup(Session(clone), DupRequest(cached=True))  # the index is made
    start = time.monotonic()
    report = dup(Session(clone), DupRequest(cached=True, threshold=_LEAST))
    seconds = time.monotonic() - start
    rows = [_found(clone, plant, report.copies) for plant in plants]
    wrong = [one for one in report.copies if not any(_is_new(one, plant) for plant in plants)]
    return {
        "repository": clone.name,
        "seconds": round(seconds, 2),
        "looked": report.looked,
        "plants": rows,
        "beside": len(wrong),
    }


def _lexemes(lines: list[str], language: str) -> Lexemes:
    return lexemes("\n".join(lines), LANGUAGES[language].syntax)


def _functions(clone: Path) -> list[_Function]:
    opened = select_tree(Session(clone)).open()
    places = list(opened.view.each_file())
    opened.texts.read(segment.oid(file) for segment, file in places)
    found = []
    for segment, file in places:
        if not changed_units.is_handwritten(segment, file, "include"):
            continue
        language = segment.language(file)
        path = segment.path(file).decode("utf-8", "surrogateescape")
        lines = opened.texts.lines(segment.oid(file))
        for first, last, _ in changed_units.outermost_functions(segment, file):
            own = lines[first - 1 : last]
            long_enough = last - first + 1 in _LINES
            if long_enough and len(_lexemes(own, language).texts) >= _LEXEMES:
                found.append(_Function(path, language, first, last, own))
    return found


def _plant(clone: Path, origin: _Function, host: _Function, kind: str, random: Random) -> _Plant:
    lines = list(origin.lines)
    if kind in ("edited", "both"):
        lines = _edited(lines, random)
    if kind in ("renamed", "both", "foreign"):
        lines = _renamed(lines, origin.language, random, every=kind == "foreign")
    lines = _indented(lines, _indent(host.lines[0]))
    file = clone / host.path
    text = file.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    text[host.last : host.last] = ["", *lines]
    file.write_bytes("\n".join(text).encode("utf-8", "surrogateescape"))
    first = host.last + 2
    return _Plant(kind, origin, host.path, first, first + len(lines) - 1, lines)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(lines: list[str], indent: str) -> list[str]:
    own = _indent(lines[0])
    return [indent + line.removeprefix(own) if line.strip() else line for line in lines]


def _edited(lines: list[str], random: Random) -> list[str]:
    out = list(lines)
    for _ in range(max(1, len(lines) // 8)):
        simple = [i for i in range(1, len(out) - 1) if out[i].rstrip().endswith((";", ")", "]"))]
        if not simple:
            break
        at = random.choice(simple)
        what = random.choice(("drop", "double", "change"))
        if what == "drop":
            del out[at]
        elif what == "double":
            out.insert(at, _changed(out[at], random))
        else:
            out[at] = _changed(out[at], random)
    return out


def _changed(line: str, random: Random) -> str:
    words = [word for word in line.replace("(", " ").replace(".", " ").split() if word.isalpha()]
    return line.replace(random.choice(words), random.choice(_WORDS), 1) if words else line


def _renamed(lines: list[str], language: str, random: Random, *, every: bool) -> list[str]:
    text = "\n".join(lines)
    found = _lexemes(lines, language)
    names: dict[str, bool] = {}
    for i, (shape, word) in enumerate(zip(found.shapes, found.texts, strict=True)):
        if shape != NAME:
            continue
        before = found.texts[i - 1] if i else ""
        after = found.texts[i + 1] if i + 1 < len(found.texts) else ""
        own = found.lines[i] == found.lines[0]
        used = before in (".", "::", "->", "@") or (after in ("(", "!", "::") and not own)
        names[word] = names.get(word, True) and not used and word[0].islower()
    chosen = [name for name, own in names.items() if every or own]
    new = {name: _name(name, random) for name in chosen}
    return _replaced(text, new).split("\n")


def _name(old: str, random: Random) -> str:
    word = "_".join(random.sample(_WORDS, 2))
    if "_" in old or old.islower():
        return word
    camel = word.title().replace("_", "")
    return camel if old[0].isupper() else camel[0].lower() + camel[1:]


def _replaced(text: str, new: dict[str, str]) -> str:
    return re.sub(r"[^\W\d]\w*", lambda match: new.get(match[0], match[0]), text)


def _found(clone: Path, plant: _Plant, copies: tuple[Copy, ...]) -> dict[str, Any]:
    own = [one for one in copies if _is_new(one, plant)]
    good = [one for one in own if _is_origin(one, plant)]
    equal = [one for one in own if _is_as_like(clone, one, plant)]
    best = max(own, key=lambda one: one.existing.score, default=None)
    return {
        "kind": plant.kind,
        "language": plant.origin.language,
        "path": f"{plant.path}:{plant.first}",
        "origin": f"{plant.origin.path}:{plant.origin.first}-{plant.origin.last}",
        "found": bool(good or equal),
        "said": best is not None,
        "score": best.existing.score if best else None,
        "why": best.existing.why if best else None,
        "at": f"{best.existing.path}:{best.existing.start}" if best else None,
    }


def _is_new(one: Copy, plant: _Plant) -> bool:
    place = one.new
    return place.path == plant.path and place.start <= plant.last and place.end >= plant.first


def _is_origin(one: Copy, plant: _Plant) -> bool:
    place, origin = one.existing, plant.origin
    return place.path == origin.path and place.start <= origin.last and place.end >= origin.first


def _is_as_like(clone: Path, one: Copy, plant: _Plant) -> bool:
    """Whether a place is as like what was planted as the origin: a copy from before."""
    place, language = one.existing, plant.origin.language
    data = filing.git("show", f":{place.path}", cwd=clone).split("\n")
    new = _lexemes(plant.lines, language).texts
    old, origin = (
        _lexemes(lines, language).texts
        for lines in (data[place.start - 1 : place.end], plant.origin.lines)
    )
    return _ratio(new, old) >= _ratio(new, origin) - _TRIMMED


def _ratio(first: list[str], second: list[str]) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


# ---------------------------------------------------------------- real commits


def _real(clone: Path, count: int) -> dict[str, Any]:
    rows, seconds, looked = [], [], 0
    for commit in reversed(commits := _adding(clone, count)):
        start = time.monotonic()
        report = dup(Session(clone), DupRequest(changed=f"{commit}^..{commit}", threshold=_LEAST))
        seconds.append(time.monotonic() - start)
        looked += report.looked
        rows += [_said(commit, one) for one in report.copies]
    return {
        "repository": clone.name,
        "commits": len(commits),
        "looked": looked,
        "median_seconds": round(median(seconds), 2) if seconds else None,
        "said": rows,
    }


def _said(commit: str, one: Copy) -> dict[str, Any]:
    old = one.existing
    return {
        "commit": commit[:10],
        "new": f"{one.new.path}:{one.new.start}-{one.new.end}",
        "old": f"{old.path}:{old.start}-{old.end}",
        "symbols": [one.new.symbol, old.symbol],
        "score": old.score,
        "why": old.why,
    }


def _adding(clone: Path, count: int) -> list[str]:
    log = filing.git("log", "--no-merges", "--numstat", "--format=%x01%H", "-n", "1000", cwd=clone)
    found = []
    for part in log.split("\x01")[1:]:
        oid, *rows = part.split("\n")
        added = [int(row.split("\t")[0]) for row in rows if row[:1].isdecimal()]
        if 10 <= sum(added) <= 2000:
            found.append(oid)
        if len(found) == count:
            break
    return found


# ---------------------------------------------------------------- figures


def _judged(file: Path | None) -> dict[tuple[str, str, str], bool]:
    if file is None:
        return {}
    rows = (line.split() for line in file.read_text("utf-8").splitlines() if line.strip())
    return {(row[0], row[1], row[2]): row[3] == "yes" for row in rows}


def _figures(
    planted: list[dict[str, Any]],
    said: list[dict[str, Any]],
    judged: dict[tuple[str, str, str], bool],
) -> dict[str, Any]:
    plants = [_counted(row) for one in planted for row in one["plants"]]
    usual = [row for row in plants if row["kind"] != "foreign"]
    real = [
        (one["repository"], row)
        for one in said
        for row in one["said"]
        if row["score"] >= THRESHOLD
    ]
    true = sum(judged.get((name, row["commit"], row["new"]), False) for name, row in real)
    right = true + sum(row["found"] for row in plants)
    wrong = sum(row["said"] and not row["found"] for row in plants)
    alarms = len(real) - true + wrong + sum(one["beside"] for one in planted)
    figures = {
        "threshold": THRESHOLD,
        "precision": round(right / max(right + alarms, 1), 4),
        "commits": sum(one["commits"] for one in said),
        "units_of_commits": sum(one["looked"] for one in said),
        "said_of_commits": len(real),
        "true_of_those": true,
        "repositories": planted,
        "real": said,
    }
    return {**(_recalls(plants, usual) if plants else {}), **figures}


def _recalls(plants: list[dict[str, Any]], usual: list[dict[str, Any]]) -> dict[str, Any]:
    languages = sorted({row["language"] for row in plants})
    return {
        "planted": len(usual),
        "recall": _share([row["found"] for row in usual]),
        "told": _share([row["said"] for row in usual]),
        "recall_by_kind": {
            kind: _share([row["found"] for row in plants if row["kind"] == kind]) for kind in KINDS
        },
        "recall_by_language": {
            name: _share([row["found"] for row in usual if row["language"] == name])
            for name in languages
        },
    }


def _counted(row: dict[str, Any]) -> dict[str, Any]:
    """A planted copy as the threshold of today has it; a lower one may have been asked for."""
    said = row["said"] and row["score"] >= THRESHOLD
    return {**row, "said": said, "found": row["found"] and said}


def _share(found: list[bool]) -> float:
    return round(sum(found) / max(len(found), 1), 4)


def _show(figures: dict[str, Any]) -> None:
    for name, value in figures.items():
        if name not in ("repositories", "real"):
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
