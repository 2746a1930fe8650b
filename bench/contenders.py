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
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.filing import ROOT, git
from bench.processes import Contender

if TYPE_CHECKING:
    from collections.abc import Iterator

# The model that we ship: rivals get the same one.
MODEL = ROOT / "gitsearch" / "features" / "model"

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
    add("repositories", nargs="+", type=Path, help="clean repositories; copies of them are used")
    add("--environment", type=Path, help="where git-search is installed (default: this Python's)")
    add("--semble", type=Path, help="the rival's program; left out without it")
    add("--model", type=Path, default=MODEL, help="the rival's model (default: ours)")
    add("--query", default=QUERY)
    add("--runs", type=int, default=runs, help=f"of each, in turn (default {runs})")
    add("--scratch", type=Path, help="folder for copies (default: the system's)")
    add("--out", type=Path, help="where to file the figures")


def add_rival(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """The arguments of a comparison of answers with those of semble."""
    add = parser.add_argument
    left_out = "" if required else "; left out without it"
    add("--semble", type=Path, required=required, help=f"the rival's program{left_out}")
    add("--model", type=Path, default=MODEL, help="its model (default: ours)")
    add("--content", default="code", help="what it searches: code (default), docs, config or all")


def rival_environment(model: Path, cache: Path) -> dict[str, str]:
    """The environment in which semble uses a model of this machine, and a folder for its index."""
    return {
        **os.environ,
        "SEMBLE_MODEL_NAME": str(model.resolve()),
        "SEMBLE_CACHE_LOCATION": str(cache),
        "HF_HUB_OFFLINE": "1",
    }


def checked_out(folder: Path, rev: str, scratch: Path) -> Path:
    """A clone of a repository in a scratch folder, with the files of a revision."""
    work = scratch / folder.name
    git("clone", "-q", "--shared", "--no-checkout", str(folder), str(work))
    git("checkout", "-q", "--detach", git("rev-parse", rev, cwd=folder), cwd=work)
    return work


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


def numpy(args: argparse.Namespace, folder: Path) -> Contender:
    """What a program that computes with arrays cannot be quicker than."""
    return _python(args, folder, "import numpy")


def _python(args: argparse.Namespace, folder: Path, code: str) -> Contender:
    # the interpreter of the environment that git-search is installed in
    program = _programs(args) / "python"
    return Contender(f"python -c '{code}'", [program, "-c", code], folder, os.environ)


def semble(args: argparse.Namespace, repository: Path) -> Contender:
    """The rival with a local model and a cache beside the copy."""
    env = rival_environment(args.model, semble_cache(repository))
    command = [args.semble.resolve(), "search", args.query, repository, "-k", "10"]
    return Contender("semble search", command, repository, env)


def semble_cache(repository: Path) -> Path:
    """The rival's cache for this copy."""
    return repository.parent / "semble-cache"


def _programs(args: argparse.Namespace) -> Path:
    # not resolved: the python of an environment is a link to one outside
    return args.environment.absolute() / "bin" if args.environment else Path(sys.executable).parent


def about(args: argparse.Namespace, repository: Path) -> dict[str, Any]:
    """What was searched: the repository, its size and that of our index."""
    status = json.loads(_said(ours(args, repository, "status", "--json")))
    # lists of many files stay out of this process, which must not grow
    with get_context("spawn").Pool(1) as pool:
        tracked, text = pool.apply(weighed, (repository,))
    return {
        "repository": repository.name,
        "revision": git("rev-parse", "HEAD", cwd=repository),
        "tracked": tracked,
        "text_mb": round(text / 1e6, 2),
        "chunks": status["chunks"],
        "coverage": status["coverage"],
    }


def weighed(repository: Path) -> tuple[int, int]:
    """Files of HEAD, and bytes of its distinct blobs that are not binary; in a clean work tree."""
    # both commands quote paths alike
    text = set(git("grep", "-I", "-l", "-e", "", cwd=repository).splitlines())
    entries = git("ls-tree", "-r", "-l", "HEAD", cwd=repository).splitlines()
    sizes = {}
    for line in entries:
        entry, _, path = line.partition("\t")
        if path in text:
            _, _, oid, size = entry.split()
            sizes[oid] = int(size)
    return len(entries), sum(sizes.values())


def programs(args: argparse.Namespace) -> dict[str, Any]:
    """What was compared: the query and the versions of those who answer it."""
    out = {
        "query": args.query,
        "version": _said(ours(args, ROOT, "--version")).strip(),
        "environment": _environment(args),
    }
    if args.semble:
        interpreter = args.semble.absolute().parent / "python"
        asked = "from importlib.metadata import version; print(version('semble'))"
        rival = Contender("semble", [interpreter, "-c", asked], ROOT.parent, os.environ)
        out["semble"] = _said(rival).strip()
        out["semble_model"] = args.model.name
    return out


def _environment(args: argparse.Namespace) -> dict[str, Any]:
    """Versions of what runs us, and whether it is the program of this commit that runs."""
    # not in the checkout, which would be found before what is installed
    found: dict[str, Any] = json.loads(_said(_python(args, ROOT.parent, _VERSIONS)))
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
    text = f"{figures['text_mb']:.1f} MB of text"
    return (
        f"{figures['repository']}: {figures['tracked']} files, {text}, {figures['chunks']} chunks"
    )


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
    """The first files of code that our search finds."""
    words = ("-l", "--content", "code", "-k", str(count * 10), *args.query.split())
    found = _said(ours(args, repository, *words)).splitlines()[:count]
    if len(found) < count:
        sys.exit(f"{repository.name}: {len(found)} files answer the query, {count} are needed")
    return found
