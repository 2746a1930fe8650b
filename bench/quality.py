"""How good the answers are, by two yardsticks; what each part of the ranking is worth.

    python -m bench.quality --yardstick DIR --checkouts DIR [--whole DIR] [--lines-checkouts DIR]
                            [--cases-checkouts DIR] [--mined FILE --mined-checkouts DIR]

DIR of --checkouts: repositories that hold one folder each; of all others: clones with their
history. --cases-checkouts asks our own cases and questions of use (bench/cases/README.md). All
are indexed on the way (.git/search). Prints what the yardstick's own scorers print and files the
figures in bench/results/. --ablation or --change print a Markdown table instead, one row per
change of the ranking, with the yardsticks side by side.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import filing, variants
from bench.cases import CASES, HOWTO
from bench.evaluation import Variant, answer
from bench.howto import Howto
from bench.yardsticks import FEW_WORDS, LARGE_TREES, Files, Lines, Miss, Scored
from gitsearch.retrieval.constants import DEFAULT

if TYPE_CHECKING:
    from bench.evaluation import Answers

# Results printed above a target that came late, or instead of one that never came.
_ABOVE = 5

Yardstick = Files | Lines


def main() -> None:
    args = _parser().parse_args()
    asked = yardsticks(args)
    rows = [Variant("default")]
    if args.ablation or args.change:
        rows = variants.ablation() if args.ablation else variants.changed([])
        rows += variants.changed(args.change)[1:]
    runs: dict[str, tuple[Answers, list[Scored]]] = {}
    started = time.monotonic()
    for one in asked:
        answers = answer(one.trees(), one.count, rows, args.jobs)
        with tempfile.TemporaryDirectory() as scratch:
            scored = [one.score(found, Path(scratch)) for found in answers]
        runs[one.name] = (answers, scored)
        if args.keep:
            _keep(args.keep, one.name, answers[0])
    took = round(time.monotonic() - started, 1)
    figures: dict[str, Any] = {"ranking": dataclasses.asdict(DEFAULT), "seconds": took}
    scores = {name: scored for name, (_, scored) in runs.items()}
    if len(rows) > 1:
        figures["rows"] = _ablated(rows, scores)
    else:
        figures["figures"] = _official(scores)
    if args.misses:
        for name, (answers, scored) in runs.items():
            count = next(one.count for one in asked if one.name == name)
            _print_misses(name, count, scored[0].misses, answers[0])
    _file(args, "quality-ablation" if len(rows) > 1 else "quality", figures)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add_yardsticks(parser)
    add("--ablation", action="store_true", help="a row per change of a constant")
    add("--change", action="append", default=[], metavar="NAME=VALUE,...", help="a row like this")
    add("--misses", action="store_true", help="questions whose target is not in the first three")
    add("--jobs", type=int, default=1, help="repositories asked at once")
    add("--keep", type=Path, metavar="DIR", help="keep the results of the default ranking here")
    add("--out", type=Path, help="where to file the figures")
    return parser


def add_yardsticks(parser: argparse.ArgumentParser) -> None:
    """The options that say what is asked, and of which repositories."""
    add = parser.add_argument
    add("--yardstick", type=Path, required=True, help="folder with the questions and scorers")
    add("--checkouts", type=Path, help="repositories made of one folder, by name")
    add("--whole", type=Path, help="the same repositories whole")
    add("--lines-checkouts", type=Path, help="repositories of the line cases, as owner+name")
    add("--cases-checkouts", type=Path, help="repositories of our own cases, as owner+name")
    add("--mined", type=Path, help="cases that bench.cases.mined has made")
    add("--mined-checkouts", type=Path, help="the repositories that they were made of")
    add("--only", nargs="+", default=[], metavar="NAME", help="only these (filed if --out)")


def yardsticks(args: argparse.Namespace) -> list[Yardstick]:
    """The yardsticks whose repositories are given; exits if there is none, or one is missing."""
    only = frozenset(args.only)
    out: list[Yardstick] = []
    if args.checkouts:
        out.append(Files(args.yardstick.resolve(), args.checkouts.resolve(), False, only))
    if args.whole:
        out.append(Files(args.yardstick.resolve(), args.whole.resolve(), True, only))
    if args.lines_checkouts:
        out.append(Lines(args.yardstick.resolve(), args.lines_checkouts.resolve(), only))
    if args.cases_checkouts:
        cases = args.cases_checkouts.resolve()
        out.append(Lines(args.yardstick.resolve(), cases, only, CASES))
        out.append(Howto(args.yardstick.resolve(), cases, only, HOWTO))
    if bool(args.mined) != bool(args.mined_checkouts):
        sys.exit("--mined and --mined-checkouts are asked for together")
    if args.mined:
        mined = args.mined_checkouts.resolve()
        out.append(Lines(args.yardstick.resolve(), mined, only, args.mined.resolve()))
    # a yardstick of which --only leaves nothing is not asked
    out = [one for one in out if one.trees()]
    if not out:
        sys.exit("nothing to ask: give --checkouts or another folder of repositories")
    missing = [str(tree.folder) for one in out for tree in one.trees() if not tree.folder.is_dir()]
    if missing:
        sys.exit("no such folder: " + ", ".join(dict.fromkeys(missing)))
    return out


def _official(scores: dict[str, list[Scored]]) -> dict[str, Any]:
    for name, scored in scores.items():
        print(f"== {name}\n{scored[0].said}")
    return {name: scored[0].figures for name, scored in scores.items()}


# ---------------------------------------------------------------- ablation

_FILE_COLUMNS = ("ndcg10", "semantic", "architecture", "symbol")
_BY_LINE = ("lines", "cases", "mined", "howto")
_LINE_COLUMNS = (
    *("read50", "read100", "read200", "files_hit3", "files_hit10", "lines_hit10"),
    *("few read50", "few read100", "few read200"),
    *("large read50", "large read100", "large read200", "large files_hit10", "large lines_hit10"),
)
# those of the second kind of questions with their kind before them
_HOWTO_COLUMNS = (
    *("lines_hit3", "lines_hit10", "read50", "read100", "read200", "code10", "right10"),
    *("where code1", "where lines_hit3", "where lines_hit10"),
)


def _ablated(rows: list[Variant], scores: dict[str, list[Scored]]) -> list[dict[str, Any]]:
    """Print the table, and return its rows."""
    out: list[dict[str, Any]] = []
    for i, row in enumerate(rows):
        columns: dict[str, Any] = {"change": row.name, "group": row.group}
        for name, scored in scores.items():
            columns[name] = _columns(scored[i], name)
            if i:
                columns[name]["pairs"] = _pairs(scored[0].each, scored[i].each)
        out.append(columns)
    head = ["change"]
    for name in scores:
        keys = _keys(name)
        head += [f"{name} {keys[0]}", *keys[1:], "+/-"]
    cells = [_cells(columns, out[0], list(scores)) for columns in out]
    print(filing.table(head, cells))
    print(
        "\n+/-: questions answered better and worse than by the default; lines: read sooner, later"
        "\nfew: questions of which few words are in the lines that answer; large: of large trees"
    )
    return out


def _keys(name: str) -> tuple[str, ...]:
    if name == "howto":
        return _HOWTO_COLUMNS
    return _LINE_COLUMNS if name in _BY_LINE else _FILE_COLUMNS


def _columns(scored: Scored, name: str) -> dict[str, Any]:
    figures = scored.figures
    if name == "howto":
        own = {f"where {key}": value for key, value in figures["where"].items()}
        own.update(figures["howto"])
        return {key: round(own[key], 4) for key in _HOWTO_COLUMNS}
    if name in _BY_LINE:
        own = dict(figures["all"])
        for short, group in (("few", FEW_WORDS), ("large", LARGE_TREES)):
            own.update({f"{short} {key}": value for key, value in figures.get(group, {}).items()})
        return {key: round(own[key], 4) for key in _LINE_COLUMNS if key in own}
    by = figures["by_category"]
    return {
        "ndcg10": round(figures["ndcg10"], 4),
        **{key: round(by[key]["ndcg10"], 4) for key in _FILE_COLUMNS[1:] if key in by},
    }


def _pairs(base: dict[str, float], other: dict[str, float]) -> list[int]:
    """Questions that went better and worse: differences of means hide how many took part."""
    better = sum(other[key] > value + 1e-9 for key, value in base.items())
    worse = sum(other[key] < value - 1e-9 for key, value in base.items())
    return [better, worse]


def _cells(columns: dict[str, Any], base: dict[str, Any], names: list[str]) -> list[str]:
    out = [columns["change"]]
    for name in names:
        own = columns[name]
        for place, key in enumerate(_keys(name)):
            if key not in own:
                out.append("")
                continue
            digits = 4 if name not in _BY_LINE and not place else 3
            out.append(f"{own[key]:.{digits}f}")
            if columns is not base and not place:
                out[-1] += f" ({own[key] - base[name][key]:+.{digits}f})"
        out.append("/".join(map(str, own["pairs"])) if "pairs" in own else "")
    return out


# ---------------------------------------------------------------- misses


def _print_misses(name: str, count: int, misses: list[Miss], answers: dict[str, Any]) -> None:
    groups: dict[str, list[Miss]] = {}
    for miss in misses:
        groups.setdefault(miss.group, []).append(miss)
    print(f"\n== {name}: of {len(answers)} questions {len(misses)} have no target in the first 3")
    for group, own in sorted(groups.items()):
        print(f"\n{group}: {len(own)}")
        for miss in own:
            where = f"rank {miss.rank}" if miss.rank else f"not in the first {count}"
            print(f"  {miss.repo}: {miss.text}  [{where}]")
            print(f"      wanted {', '.join(miss.wanted)}")
            above = answers[miss.key][: (miss.rank or _ABOVE + 1) - 1]
            for place, found in enumerate(above[:_ABOVE], 1):
                print(f"      {place:>2}. {found}")


# ---------------------------------------------------------------- files


def _keep(folder: Path, name: str, answers: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as out:
        for key, found in answers.items():
            results = [dataclasses.asdict(one) for one in found]
            out.write(json.dumps({"key": key, "results": results}) + "\n")


def _file(args: argparse.Namespace, name: str, figures: dict[str, Any]) -> None:
    """Only whole runs go under the name of a commit, not parts or trials."""
    if (args.only or args.change) and args.out is None:
        print("not filed: a part or a trial; --out files it", file=sys.stderr)
        return
    filing.write(name, figures, args.out)


if __name__ == "__main__":
    main()
