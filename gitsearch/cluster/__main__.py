"""`python -P -m gitsearch.cluster`: many repositories on a cluster.

    up                          start a cluster of this machine, or connect to one
    index LIST [--shards N]     clone or fetch, and index, the repositories of a list
    search [OPTIONS] QUERY...   as `git search`, of all of them
    status                      the shards, and what is not searched

A list has the address or the folder of a repository on each line. Clones and indexes are in one
folder, which all machines of the cluster see under the same path.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.cli.application import route, run
from gitsearch.errors import SearchError, UsageError
from gitsearch.render.output import refuse, say, write

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDER = "GIT_SEARCH_CLUSTER"


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words ask for; returns the exit code."""
    given = _parser().parse_args(words)
    folder = Path(os.path.realpath(given.folder or os.environ.get(_FOLDER) or "."))
    try:
        return _VERBS[given.verb](given.words, folder, given.address)
    except SearchError as error:
        refuse(error)
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -P -m gitsearch.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--address", help="of a Ray cluster; default: that of this machine")
    parser.add_argument(
        "--folder", help=f"of clones and indexes; default: ${_FOLDER}, else the current one"
    )
    parser.add_argument("verb", choices=_VERBS)
    parser.add_argument("words", nargs=argparse.REMAINDER, help="of the verb")
    return parser


def _none(words: Sequence[str], verb: str) -> None:
    if words:
        raise UsageError(f"'{verb}' takes no argument")


def _connected(address: str | None) -> None:
    _check_ray()
    from gitsearch.cluster import ray_tasks

    ray_tasks.connect(address)


def _check_ray() -> None:
    try:
        import ray  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(
            "a cluster needs the package ray", "pip install 'git-semantic-search[cluster]'"
        ) from error


def _up(words: Sequence[str], folder: Path, address: str | None) -> int:
    _none(words, "up")
    _check_ray()
    from gitsearch.cluster import operations

    count = operations.up(folder, address)
    write([f"{count} shards of '{folder}' are up\n"])
    return 0


def _index(words: Sequence[str], folder: Path, address: str | None) -> int:
    parser = argparse.ArgumentParser(prog="python -P -m gitsearch.cluster index")
    parser.add_argument("list", type=Path)
    parser.add_argument("--shards", type=int, help="default: one for each processor")
    given = parser.parse_args(words)
    if given.shards is not None and given.shards < 1:
        raise UsageError(f"--shards: {given.shards} is less than 1")
    _connected(address)
    from gitsearch.cluster import operations

    done = operations.index(folder, given.list, given.shards, say)
    for line in done.said:
        say(line)
    write(
        [
            f"{done.repositories} repositories, {done.chunks} chunks; {done.extracted} files "
            f"extracted, {done.known} taken from other repositories\n"
        ]
    )
    return 0 if done.repositories else 1


def _search(words: Sequence[str], folder: Path, address: str | None) -> int:
    asked = ["--in", str(folder / "repositories"), *words]
    if route(asked)[0].name:
        raise UsageError("a cluster only searches", "put a query that begins with a verb after -e")
    _connected(address)
    from gitsearch.cluster import operations

    return run(asked, operations.opener(folder))


def _status(words: Sequence[str], folder: Path, address: str | None) -> int:
    _none(words, "status")
    _connected(address)
    from gitsearch.cluster import operations

    shards, unsearched = operations.status(folder)
    for one in shards:
        state = one.reason or f"process {one.process}"
        write(
            [
                f"shard {one.number}: {one.repositories} repositories, {one.chunks} chunks, "
                f"{state}\n"
            ]
        )
    for line in unsearched:
        say(f"not searched: {line}")
    return 0


_VERBS = {"up": _up, "index": _index, "search": _search, "status": _status}


if __name__ == "__main__":
    sys.exit(main())
