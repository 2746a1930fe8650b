"""What the hooks cost the commands that call them, and whether the index follows.

    python -m bench.hooks REPOSITORY --environment VENV [--commits N] [--picks N] [--rebases N]

Three clones, the same commands in turn in all: without hooks, with a post-commit hook that does
nothing, which is what any hook costs at least, and with ours installed. Each command is waited for
as an editor waits that reads what git says: until no process holds its output any more.

    commit   `git commit` of one file
    rebase   a rebase of --picks commits; in the clone with ours also the runs in the background
             that it starts, and how long after it the index is that of the final tree

Runs are counted by their lines in .git/search/worker.log. Before each command the last run has
ended. Prints a Markdown table with the targets and files the figures in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import contenders, filing, histories
from bench.edits import Edits
from bench.processes import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COMMITS = 50
_PICKS = 60
_REBASES = 5

# Picks touch these files in turn, the commit below them another one.
_TOUCHED = 10

# Milliseconds that hooks may add to a commit; runs of the background in a rebase.
_MORE_COMMIT = 4
_MORE_PICK = 5
_MOST_RUNS = 3

_PATIENCE = 60.0
_PAUSE = 0.1
# Nothing happens for so long: no run is at work or about to start.
_QUIET = 1.0

_CLONES = ("plain", "empty", "hooked")

_BASE, _ONTO, _TOPIC = "base", "onto", "topic"


def main() -> None:
    args = _parser().parse_args()
    # in continuous integration hooks do nothing
    os.environ.pop("CI", None)
    figures: dict[str, Any] = {
        "load_before": os.getloadavg(),
        **contenders.programs(args),
        "repository": args.repository.resolve().name,
    }
    with histories.cloned(args.repository, args.scratch, *_CLONES) as clones:
        for clone in clones:
            histories.check_out(clone, "HEAD")
            run(contenders.ours(args, clone, "index", "-q"))
        figures["revision"] = filing.git("rev-parse", "HEAD", cwd=clones[0])
        paths = contenders.found_paths(args, clones[0], _TOUCHED + 1)
        for clone in clones:
            _prepare(clone, paths, args.picks)
        _, empty, hooked = clones
        _do_nothing(empty / ".git" / "hooks" / "post-commit")
        run(contenders.ours(args, hooked, "hooks", "install"))
        figures["one_commit"] = _commits(args, clones, paths[0])
        filing.write("hooks", figures, args.out)
        figures["rebase"] = _rebases(args, clones)
        filing.write("hooks", figures, args.out)
    print(_table(figures))


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("hooks", __doc__)
    add = parser.add_argument
    add("--commits", type=int, default=_COMMITS, help="of each clone (default: %(default)s)")
    add("--picks", type=int, default=_PICKS, help="commits that a rebase moves (%(default)s)")
    add("--rebases", type=int, default=_REBASES, help="of each clone (default: %(default)s)")
    return parser


def _prepare(clone: Path, paths: Sequence[str], picks: int) -> None:
    """Branches: some commits on a base, and a commit beside them to move them onto."""
    onto, *touched = paths
    filing.git("branch", _BASE, cwd=clone)
    Edits(clone, [onto]).make(0)
    _commit(clone, "moved onto")
    filing.git("branch", _ONTO, cwd=clone)
    histories.check_out(clone, _BASE)
    for pick in range(picks):
        Edits(clone, [touched[pick % len(touched)]]).make(pick)
        _commit(clone, f"pick {pick}")
    filing.git("branch", _TOPIC, cwd=clone)
    histories.check_out(clone, _BASE)


def _do_nothing(hook: Path) -> None:
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n:\n", encoding="ascii")
    hook.chmod(0o755)


def _commit(clone: Path, message: str) -> None:
    filing.git("commit", "-q", "-a", "-m", message, cwd=clone)


# ---------------------------------------------------------------- commands


def _commits(args: argparse.Namespace, clones: list[Path], path: str) -> dict[str, Any]:
    edits = [Edits(clone, [path]) for clone in clones]
    took: list[list[float]] = [[] for _ in clones]
    _settle(args, clones[-1])
    for turn in range(args.commits + 1):
        for clone, own, edit in zip(clones, took, edits, strict=True):
            edit.make(turn)
            own.append(_timed(clone, "commit", "-q", "-a", "-m", f"edit {turn}"))
        _settle(args, clones[-1])
    return {**_compared(took, 1), "target_more_ms": _MORE_COMMIT}


def _rebases(args: argparse.Namespace, clones: list[Path]) -> dict[str, Any]:
    took: list[list[float]] = [[] for _ in clones]
    hooked = clones[-1]
    runs, caught_up = [], []
    for _ in range(args.rebases + 1):
        for clone, own in zip(clones, took, strict=True):
            histories.check_out(clone, _TOPIC)
            run(contenders.ours(args, clone, "index", "-q"))
            before = _runs(clone)
            own.append(_timed(clone, "rebase", "-q", "--onto", _ONTO, _BASE))
            if clone is hooked:
                caught_up.append(_settle(args, clone))
                runs.append(_runs(clone) - before)
    return {
        **_compared(took, args.picks),
        "target_more_ms": _MORE_PICK,
        "picks": args.picks,
        "runs": runs,
        "target_runs": _MOST_RUNS,
        "caught_up_after_s": [round(seconds, 2) for seconds in caught_up],
    }


def _timed(clone: Path, *words: str) -> float:
    """Seconds until git has ended, and all who could still write where it writes."""
    started = time.perf_counter()
    done = subprocess.run(
        ["git", *words], cwd=clone, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    took = time.perf_counter() - started
    if done.returncode or done.stdout or done.stderr:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        sys.exit(f"git {' '.join(words)} in {clone}: exit code {done.returncode}: {said}")
    return took


def _settle(args: argparse.Namespace, clone: Path) -> float:
    """Wait until the index is that of HEAD and nobody is at work; seconds until the former."""
    started = time.perf_counter()
    check = contenders.ours(args, clone, "status", "--check")
    while histories.said(check).returncode:
        if time.perf_counter() - started > _PATIENCE:
            sys.exit(f"{clone}: the index does not follow, see .git/search/worker.log")
        time.sleep(_PAUSE)
    took = time.perf_counter() - started
    lines, since = _log(clone), time.perf_counter()
    while time.perf_counter() - since < _QUIET or (histories.folder(clone) / "pending").exists():
        time.sleep(_PAUSE)
        if _log(clone) != lines:
            lines, since = _log(clone), time.perf_counter()
        if time.perf_counter() - started > _PATIENCE:
            sys.exit(f"{clone}: the background does not come to rest")
    return took


def _runs(clone: Path) -> int:
    return sum(line.endswith(" start") for line in _log(clone))


def _log(clone: Path) -> list[str]:
    # the log starts afresh when it is long
    folder = histories.folder(clone)
    paths = [folder / "worker.log.1", folder / "worker.log"]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.exists()]
    return "".join(texts).splitlines()


# ---------------------------------------------------------------- figures


def _compared(took: list[list[float]], commits: int) -> dict[str, Any]:
    """Medians of a command, and what hooks add for each of the commits that it makes."""
    counted = [own[1:] for own in took]  # the first one warms the caches of files
    out: dict[str, Any] = {}
    for name, own in zip(_CLONES, counted, strict=True):
        more = median(b - a for a, b in zip(counted[0], own, strict=True)) / commits
        out[name] = {
            "ms": round(median(own) * 1e3, 2),
            "least_ms": round(min(own) * 1e3, 2),
            "more_ms": round(more * 1e3, 2),
            "least_more_ms": round((min(own) - min(counted[0])) / commits * 1e3, 2),
            "runs_ms": [round(one * 1e3, 2) for one in own],
        }
    return out


def _table(figures: dict[str, Any]) -> str:
    head = ["command", "hooks", "ms", "least", "more a commit", "of the least", "target"]
    rows = []
    for command in ("one_commit", "rebase"):
        for name in _CLONES:
            own = figures[command][name]
            cells = [f"{own[key]:.1f}" for key in ("ms", "least_ms", "more_ms", "least_more_ms")]
            target = str(figures[command]["target_more_ms"]) if name == "hooked" else ""
            rows.append([command, name, *cells, target])
    rebase = figures["rebase"]
    runs = ", ".join(map(str, rebase["runs"]))
    after = ", ".join(f"{seconds:.1f}" for seconds in rebase["caught_up_after_s"])
    return (
        f"{filing.table(head, rows, left=2)}\n\nruns in the background of a rebase: {runs}"
        f" (target: {_MOST_RUNS}); index of the final tree after {after} s"
    )


if __name__ == "__main__":
    main()
