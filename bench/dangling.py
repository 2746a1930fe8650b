"""Whether the check of a change finds what it breaks, and cries when nothing is broken.

    python -m bench.dangling REPOSITORY... [--mutations N] [--commits N] [--seed N]

Of each repository some commits are taken, and in the tree of each one thing is broken: a file that
others import is deleted or renamed, or a name is removed that another file uses (`bench.breaking`
finds both by text alone, without the graph). The check must name the file that is broken by it.
Then it looks at the last commits of each repository that touch code as they are: what it finds
there is listed, and is a false alarm unless bench/results/dangling-judged.json says, after a look,
that the commit broke it. Files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench import filing, histories
from bench.breaking import ENDINGS, READERS, Mutation, mutation
from gitsearch.commands.report import ReportRequest, report
from gitsearch.git import blobs, trees
from gitsearch.git import repo as repository
from gitsearch.index.session import Session
from gitsearch.reports.lookup import BrokenReference

_KINDS = ("delete", "export", "rename", "export")
_JUDGED = filing.RESULTS / "dangling-judged.json"
_RECENT = 600


def main() -> None:
    args = _parser().parse_args()
    judged = json.loads(_JUDGED.read_text()) if _JUDGED.exists() else {}
    figures: dict[str, Any] = {"seed": args.seed, "repositories": []}
    with ProcessPoolExecutor(args.jobs) as pool:
        for own in pool.map(_measured, args.repositories, repeat(args), repeat(judged)):
            figures["repositories"].append(own)
            figures |= _sums(figures["repositories"])
            filing.write("dangling", figures, args.out)
            print({key: value for key, value in own.items() if not isinstance(value, list)})
    print({key: value for key, value in figures.items() if key != "repositories"})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.dangling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("repositories", type=Path, nargs="+", help="clones of them are used")
    add("--mutations", type=int, default=13, help="of each repository (%(default)s)")
    add("--commits", type=int, default=38, help="of each repository (%(default)s)")
    add("--jobs", type=int, default=2, help="repositories at once (%(default)s)")
    add("--seed", type=int, default=6, help="of the choice (%(default)s)")
    add("--scratch", type=Path, help="folder for clones (default: the system's)")
    add("--out", type=Path, help="where to file the figures")
    return parser


def _sums(rows: list[dict[str, Any]]) -> dict[str, Any]:
    def total(key: str) -> int:
        return sum(row[key] for row in rows)

    return {
        "mutations": total("mutations"),
        "found": total("found"),
        "recall": round(total("found") / max(total("mutations"), 1), 4),
        "commits": total("commits"),
        "alarms": total("alarms"),
        "true_alarms": total("true_alarms"),
        "false_rate": round(
            (total("alarms") - total("true_alarms")) / max(total("commits"), 1), 4
        ),
    }


def _measured(folder: Path, args: argparse.Namespace, judged: dict[str, str]) -> dict[str, Any]:
    with histories.cloned(folder, args.scratch, folder.name) as (clone,):
        return _asked_of(clone, folder.name, args, judged)


def _asked_of(
    clone: Path, name: str, args: argparse.Namespace, judged: dict[str, str]
) -> dict[str, Any]:
    seconds: list[float] = []
    language = _language(clone)
    broken = _mutations(clone, language, args, seconds)
    alarms: list[dict[str, Any]] = []
    commits = _touching(clone, language, args.commits)
    for commit in commits:
        found = _asked(clone, f"{commit}^", commit, seconds)
        if found:
            key = f"{name} {commit[:10]}"
            told = [_line(one) for one in found[:20]]
            alarms.append({"commit": key, "judged": judged.get(key), "told": told})
            print("alarm", key, judged.get(key, "NOT JUDGED"), *told, sep="\n    ", flush=True)
    return {
        "repository": name,
        "language": language,
        "mutations": len(broken),
        "found": sum(one["found"] for one in broken),
        "commits": len(commits),
        "alarms": len(alarms),
        "true_alarms": sum(one["judged"] is not None for one in alarms),
        "median_ms": round(median(seconds) * 1e3),
        "missed": [one for one in broken if not one["found"]],
        "alarmed": alarms,
    }


def _line(one: BrokenReference) -> str:
    return f"{one.path}:{one.line}: {one.specifier} > {one.target} {one.symbol or ''}".rstrip()


def _language(clone: Path) -> str:
    """What most of the code of a repository is written in."""
    paths = filing.git("ls-tree", "-r", "--name-only", "HEAD", cwd=clone).splitlines()
    return max(ENDINGS, key=lambda name: sum(path.endswith(ENDINGS[name]) for path in paths))


def _asked(clone: Path, base: str, head: str, seconds: list[float]) -> tuple[BrokenReference, ...]:
    start = time.monotonic()
    # trees are compared as they are
    found = report(Session(clone), ReportRequest(f"{base}^{{tree}}", head, check=True))
    seconds.append(time.monotonic() - start)
    return found.dangling


# ---------------------------------------------------------------- untouched commits


def _touching(clone: Path, language: str, count: int) -> list[str]:
    """The last commits on the first line that touch code, the oldest first."""
    globs = [f"*{ending}" for ending in ENDINGS[language]]
    how = ("rev-list", "--first-parent", "--min-parents=1", "--reverse", f"--max-count={count}")
    return filing.git(*how, "HEAD", "--", *globs, cwd=clone).splitlines()


# ---------------------------------------------------------------- mutations


def _mutations(
    clone: Path, language: str, args: argparse.Namespace, seconds: list[float]
) -> list[dict[str, Any]]:
    random = Random(f"{args.seed} {clone.name}")
    recent = histories.commits(clone, _RECENT)
    chosen = sorted(random.sample(range(len(recent)), args.mutations))
    rows = []
    for number, place in enumerate(chosen):
        commit = recent[place]
        texts = _texts(clone, commit, language)
        ties = list(dict.fromkeys(READERS[language](texts)))
        made = mutation(texts, ties, _KINDS[number % len(_KINDS)], random)
        if made is None:
            print(f"nothing to break in {commit}", file=sys.stderr)
            continue
        found = _asked(clone, commit, _mutated(clone, commit, made), seconds)
        tie = made.tie
        hit = any(
            one.path == tie.importer
            and (one.target == tie.target or one.target.startswith(tie.target))
            and (tie.symbol is None or one.symbol in (tie.symbol, None))
            for one in found
        )
        rows.append({"commit": commit[:10], "kind": made.kind, "tie": tie[:3], "found": hit})
        if not hit:
            print("missed", clone.name, rows[-1], *map(_line, found[:5]), sep="\n    ", flush=True)
    return rows


def _texts(clone: Path, commit: str, language: str) -> dict[str, str]:
    """The code of a commit by path."""
    repo = repository.open_repo(clone)
    entries = [
        one
        for one in trees.list_tree(repo, repository.resolve(repo, commit).tree)
        if one.regular and one.path.decode(errors="replace").endswith(ENDINGS[language])
    ]
    read = dict(blobs.read_blobs(repo, list({one.oid for one in entries})))
    return {
        one.path.decode(errors="surrogateescape"): (read[one.oid] or b"").decode("latin-1")
        for one in entries
    }


def _mutated(clone: Path, commit: str, made: Mutation) -> str:
    """The tree of a commit after a mutation."""
    repo = repository.open_repo(clone)
    with TemporaryDirectory() as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        repo.run("read-tree", commit, env=env)
        lines = []
        for path, text in made.edits.items():
            if text is None:
                lines.append(f"0 {'0' * repo.hexsz}\t{path}\0")
                continue
            data = text.encode("latin-1")
            oid = repo.run("hash-object", "-w", "--stdin", stdin=data).decode().strip()
            lines.append(f"100644 {oid}\t{path}\0")
        ordered = sorted(lines, key=lambda line: line[0] != "0")
        repo.run("update-index", "-z", "--index-info", stdin="".join(ordered).encode(), env=env)
        return repo.run("write-tree", env=env).decode().strip()


if __name__ == "__main__":
    main()
