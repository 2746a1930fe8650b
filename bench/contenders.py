"""The programs that are compared, and the copies of repositories in which they run."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.filing import ROOT, git
from bench.processes import Contender

if TYPE_CHECKING:
    from collections.abc import Iterator

# The model that we ship: rivals get the same one.
_MODEL = ROOT / "gitsearch" / "features" / "model"

_VERSIONS = """
import json, platform
from importlib.metadata import version
from importlib.util import find_spec
place = find_spec("gitsearch").submodule_search_locations[0]
versions = {"python": platform.python_version(), "numpy": version("numpy")}
print(json.dumps({**versions, "place": place}))
"""

QUERY = "where are retries configured"


def add_arguments(parser: argparse.ArgumentParser, runs: int) -> None:
    """The arguments of every comparison."""
    add = parser.add_argument
    add("repository", type=Path, help="a clean repository; a copy of it is used")
    add("--environment", type=Path, help="where git-search is installed (default: this Python's)")
    add("--semble", type=Path, help="the rival's program; left out without it")
    add("--model", type=Path, default=_MODEL, help="the rival's model (default: ours)")
    add("--query", default=QUERY)
    add("--runs", type=int, default=runs, help=f"of each, in turn (default {runs})")
    add("--scratch", type=Path, help="folder for copies (default: the system's)")
    add("--out", type=Path, help="where to file the figures")


@contextmanager
def copied(repository: Path, scratch: Path | None) -> Iterator[Path]:
    """A copy of a repository without its index; removed in the end."""
    if not (repository / ".git").is_dir():
        sys.exit(f"{repository}: give the top of a repository with a .git folder of its own")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        copy = Path(folder) / repository.resolve().name
        shutil.copytree(repository, copy, symlinks=True, ignore=_without_index)
        # The copies have other inodes and times than git's index says: without this every
        # `git status` would read every file again.
        subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=copy, check=False)
        changes = git("status", "--porcelain", "--untracked-files=no", cwd=copy)
        if changes:
            sys.exit(f"{repository} is not clean:\n{changes}")
        yield copy


def _without_index(folder: str, names: list[str]) -> set[str]:
    return {"search"} & set(names) if folder.endswith("/.git") else set()


def ours(args: argparse.Namespace, repository: Path, *words: str) -> Contender:
    """`git search` as a user types it: git finds the program on PATH."""
    programs = _programs(args)
    if not (programs / "git-search").exists():
        sys.exit(f"{programs}: no git-search there; install the project and give --environment")
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    command = ["git", "search", *(words or args.query.split())]
    return Contender("git search", command, repository, {**os.environ, "PATH": path})


def python(args: argparse.Namespace, repository: Path, code: str) -> Contender:
    """The interpreter of the environment that git-search is installed in."""
    program = _programs(args) / "python"
    return Contender(f"python -c '{code}'", [program, "-c", code], repository, os.environ)


def semble(args: argparse.Namespace, repository: Path) -> Contender:
    """The rival with a local model and a cache beside the copy."""
    env = {
        **os.environ,
        "SEMBLE_MODEL_NAME": str(args.model.resolve()),
        "SEMBLE_CACHE_LOCATION": str(semble_cache(repository)),
        "HF_HUB_OFFLINE": "1",
    }
    command = [args.semble.resolve(), "search", args.query, repository, "-k", "10"]
    return Contender("semble search", command, repository, env)


def semble_cache(repository: Path) -> Path:
    """The rival's cache for this copy."""
    return repository.parent / "semble-cache"


def _programs(args: argparse.Namespace) -> Path:
    # not resolved: the python of an environment is a link to one outside
    return args.environment.absolute() / "bin" if args.environment else Path(sys.executable).parent


def about(args: argparse.Namespace, repository: Path) -> dict[str, Any]:
    """What was compared on what: versions, size of the repository and of our index."""
    status = json.loads(_said(ours(args, repository, "status", "--json")))
    out = {
        "repository": args.repository.resolve().name,
        "revision": git("rev-parse", "HEAD", cwd=repository),
        "tracked": len(git("ls-files", cwd=repository).splitlines()),
        "query": args.query,
        "chunks": status["chunks"],
        "coverage": status["coverage"],
        "version": _said(ours(args, repository, "--version")).strip(),
        "environment": _environment(args, repository),
    }
    if args.semble:
        interpreter = args.semble.absolute().parent / "python"
        asked = "from importlib.metadata import version; print(version('semble'))"
        rival = Contender("semble", [interpreter, "-c", asked], repository, os.environ)
        out["semble"] = _said(rival).strip()
        out["semble_settings"] = {
            key: value
            for key, value in semble(args, repository).env.items()
            if key.startswith("SEMBLE_") and key != "SEMBLE_CACHE_LOCATION"
        }
    return out


def _environment(args: argparse.Namespace, repository: Path) -> dict[str, Any]:
    """Versions of what runs us, and whether it is the program of this commit that runs."""
    found: dict[str, Any] = json.loads(_said(python(args, repository, _VERSIONS)))
    place, source = Path(found.pop("place")), ROOT / "gitsearch"
    if place.resolve() == source:
        found["program"] = "editable"
        print("an editable installation starts slower than a plain one", file=sys.stderr)
    elif _sources(place) == _sources(source):
        found["program"] = "as checked out"
    else:
        found["program"] = "differs"
        print("what is installed differs from the checkout: install it anew", file=sys.stderr)
    return found


def _sources(folder: Path) -> dict[str, bytes]:
    paths = [*folder.rglob("*.py"), *folder.rglob("*.scm")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def size(figures: dict[str, Any]) -> str:
    """A heading for a table."""
    return f"{figures['repository']}, {figures['tracked']} files, {figures['chunks']} chunks"


def _said(contender: Contender) -> str:
    done = subprocess.run(
        [str(word) for word in contender.command],
        cwd=contender.cwd,
        env=dict(contender.env),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{contender.name}: {done.stderr.strip()}")
    return done.stdout


def found_paths(args: argparse.Namespace, repository: Path, count: int) -> list[str]:
    """The first files that our search finds."""
    words = ("-l", "-k", str(count * 10), *args.query.split())
    return _said(ours(args, repository, *words)).splitlines()[:count]
