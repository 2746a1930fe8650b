"""What the whole GitHub Action costs on a pull request, without its installation.

    python -m bench.action REPOSITORY --environment VENV [--files N] [--runs N]

A real commit that changed so many files becomes a pull request against its parent: the merge of
the two is checked out at depth 1, the index of the base is in the cache, and the steps of
action/action.yml run one after the other, as the tests run them, against a GitHub on this machine.
Then `git search ci run` once more, with its counts. Needs what the tests need.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from bench import contenders, filing, histories
from bench.filing import git
from tests.builder import RepoBuilder
from tests.ci import pulls
from tests.ci.composite import Outcome
from tests.ci.hub import Hub, serving
from tests.ci.jobs import Cache, Jobs
from tests.ci.pulls import PullRequest
from tests.installation import Installation

_RUNS = 5
_FILES = 10
_MOST_SECONDS = 10.0
# Commits that are looked at for one of that size.
_AMONG = 3000


def main() -> None:
    args = _parser().parse_args()
    figures: dict[str, Any] = {"load_before": os.getloadavg(), **contenders.programs(args)}
    with (
        histories.cloned(args.repository, args.scratch, args.repository.name) as (clone,),
        serving(Hub()) as hub,
    ):
        commit = _of_size(clone, args.files)
        pull = _pull(clone, commit)
        jobs = _jobs(args, hub, clone.parent)
        jobs.push(pull.origin)
        figures |= {"repository": args.repository.name, "commit_of_the_pull": commit}
        figures |= _measured(jobs, pull, args)
        if hub.problems:
            raise SystemExit("\n".join(hub.problems))
    filing.write("action", figures, args.out)
    print(_table(figures))


def _parser() -> argparse.ArgumentParser:
    parser = histories.parser("action", __doc__)
    add = parser.add_argument
    add("--files", type=int, default=_FILES, help=f"of the pull request (default {_FILES})")
    add("--runs", type=int, default=_RUNS, help=f"of the Action (default {_RUNS})")
    return parser


def _of_size(clone: Path, files: int) -> str:
    """The newest commit that modified exactly so many files."""
    words = ("log", f"-{_AMONG}", "--no-merges", "--no-renames", "--name-status", "--format=@%H")
    for part in git(*words, cwd=clone).split("@")[1:]:
        commit, *lines = part.split("\n")
        changed = [line for line in lines if line]
        if len(changed) == files and all(line.startswith("M") for line in changed):
            return commit
    raise SystemExit(f"none of the last {_AMONG} commits modified {files} files")


def _pull(clone: Path, head: str) -> PullRequest:
    base = git("rev-parse", f"{head}^", cwd=clone)
    tree = git("rev-parse", f"{head}^{{tree}}", cwd=clone)
    merge = git("commit-tree", tree, "-p", base, "-p", head, "-m", "merge", cwd=clone)
    for name, commit in (("heads/main", base), ("heads/feature", head), ("pull/7/merge", merge)):
        git("update-ref", f"refs/{name}", commit, cwd=clone)
    return PullRequest(RepoBuilder.adopt(clone), base, head, merge)


def _jobs(args: argparse.Namespace, hub: Hub, folder: Path) -> Jobs:
    (folder / "cache").mkdir()
    program = Installation(args.environment.absolute(), wheel=None)
    return Jobs(program, hub, Cache(folder / "cache"), folder)


def _measured(jobs: Jobs, pull: PullRequest, args: argparse.Namespace) -> dict[str, Any]:
    outcomes = [jobs.pull(pull) for _ in range(args.runs)]
    for one in outcomes:
        found = one.steps["restore"]["cache-hit"] == "false"  # that of the base
        if one.troubled or not found or not one.outputs["comment-url"]:
            raise SystemExit(one.log)
    steps = [name for name in outcomes[0].ran if name != "install"]
    return {
        "seconds": round(median(map(_whole, outcomes)), 2),
        "runs_seconds": [round(_whole(one), 2) for one in outcomes],
        "steps_seconds": {
            name: round(median(one.seconds[name] for one in outcomes), 2) for name in steps
        },
        "cpu_seconds": round(median(sum(one.cpu.values()) for one in outcomes), 2),
        "most_seconds": _MOST_SECONDS,
        "changed_files": args.files,
        **_counted(jobs, pull),
    }


def _whole(outcome: Outcome) -> float:
    return sum(seconds for name, seconds in outcome.seconds.items() if name != "install")


def _counted(jobs: Jobs, pull: PullRequest) -> dict[str, Any]:
    """What one more run of its longest step does, by its own counts."""
    clone = pulls.checked_out(pull.origin, jobs.folder / "counted", pull.merge)
    key = jobs.cache.saved[0]
    jobs.cache.restore({"key": key, "path": ".git/search", "restore-keys": ""}, clone.path)
    done = subprocess.run(
        ["git", "search", "ci", "run", "--trace=json"],
        cwd=clone.path,
        env={**jobs.installed.environment(), **pulls.environment(pull, jobs.folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("{")]
    found = json.loads(line)
    return {
        "files": len(clone.git("ls-files").splitlines()),
        "files_parsed": found["counts"].get("files parsed", 0),
        "counts": found["counts"],
        "stages": found["stages"],
    }


def _table(figures: dict[str, Any]) -> str:
    rows = [[name, f"{seconds:.2f}"] for name, seconds in figures["steps_seconds"].items()]
    rows.append(["all", f"{figures['seconds']:.2f}"])
    rows.append(["all, of the processor", f"{figures['cpu_seconds']:.2f}"])
    table = filing.table(["step", "seconds"], rows)
    parsed = f"{figures['files_parsed']} files parsed for {figures['changed_files']} changed ones"
    return f"{figures['repository']}: {figures['files']} files\n\n{table}\n\n{parsed}"


if __name__ == "__main__":
    main()
