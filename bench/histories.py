"""Clones in which the history of a repository is played again."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from bench import contenders
from bench.filing import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.processes import Contender

# Commits are made by nobody, and git tidies nothing while we measure.
_CONFIG = {
    "user.name": "bench",
    "user.email": "bench@example.com",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}


def parser(name: str, doc: str | None, *, several: bool = False) -> argparse.ArgumentParser:
    """For a program that plays histories again, with the arguments that all of them have."""
    made = argparse.ArgumentParser(
        prog=f"python -m bench.{name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    which, many = ("repositories", "*") if several else ("repository", None)
    add(which, type=Path, nargs=many, help="clones are used, which borrow the objects")
    add("--environment", type=Path, help="where git-search is installed (default: this Python's)")
    add("--scratch", type=Path, help="folder for clones (default: the system's)")
    add("--out", type=Path, help="where to file the figures")
    made.set_defaults(query=contenders.QUERY, semble=None)
    return made


@contextmanager
def cloned(repository: Path, scratch: Path | None, *names: str) -> Iterator[list[Path]]:
    """Clones without a work tree yet; removed in the end, but kept for a look after a failure."""
    folder = Path(mkdtemp(dir=scratch, prefix=f"{repository.resolve().name}-"))
    try:
        clones = [folder / name for name in names]
        for clone in clones:
            source = str(repository.resolve())
            git("clone", "-q", "--shared", "--no-checkout", source, str(clone), cwd=folder)
            for key, value in _CONFIG.items():
                git("config", key, value, cwd=clone)
        yield clones
    except BaseException:
        print(f"left for a look: {folder}", file=sys.stderr)
        raise
    shutil.rmtree(folder)


def commits(clone: Path, count: int) -> list[str]:
    """The last commits of HEAD's first parents, the oldest first."""
    found = git(
        "rev-list", "--first-parent", "--reverse", f"--max-count={count}", "HEAD", cwd=clone
    )
    return found.splitlines()


def check_out(clone: Path, commit: str) -> None:
    """Move branch and work tree; git runs no hook for this."""
    git("reset", "-q", "--hard", commit, cwd=clone)


def folder(clone: Path) -> Path:
    """Where our index lies."""
    return clone / ".git" / "search"


def weight(clone: Path) -> int:
    """Bytes of the index."""
    return sum(path.stat().st_size for path in folder(clone).rglob("*") if path.is_file())


def said(contender: Contender) -> subprocess.CompletedProcess[bytes]:
    """What a program answers, whatever its exit code."""
    return subprocess.run(
        [str(word) for word in contender.command],
        cwd=contender.cwd,
        env=dict(contender.env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The least of the values that no more than 1 - `share` of them exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
