"""What `go list` and the parser of Go say that files import.

    python -m bench.oracles.go CHECKOUT...

An edge leads from each importing file to every file of the imported package, whatever it is built
for, but tests. `go` must be on the PATH; nothing is downloaded. With --uses the edges are those
within packages instead, as the type checker sees them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.oracles import edges

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the packages of a platform import is known on that platform alone.
_PLATFORMS = ("linux", "windows", "darwin")

_ENVIRONMENT = {**os.environ, "GOFLAGS": "", "GOPROXY": "off", "GOTOOLCHAIN": "local"}


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    at = 0
    while text[at:].strip():
        one, at = decoder.raw_decode(text, at)
        yield one
        while at < len(text) and text[at].isspace():
            at += 1


def _packages(checkout: Path) -> Iterator[dict[str, Any]]:
    """What `go list` knows in each module of the checkout, with what it leads to."""
    listed = subprocess.run(
        ["git", "ls-files", "*go.mod"], cwd=checkout, capture_output=True, check=True, text=True
    )
    for name in listed.stdout.splitlines():
        folder = (checkout / name).parent
        if name.rpartition("/")[2] != "go.mod" or "/vendor/" in f"/{name}":
            continue
        for platform in _PLATFORMS:
            said = subprocess.run(
                ["go", "list", "-e", "-test", "-deps", "-json", "./..."],
                cwd=folder,
                env={**_ENVIRONMENT, "GOOS": platform},
                capture_output=True,
                check=False,
                text=True,
            )
            for one in _objects(said.stdout):
                if one.get("Dir") and Path(one["Dir"]).is_relative_to(checkout):
                    yield {**one, "Main": folder}


def _looked(folders: list[str], *, uses: bool) -> dict[str, Any]:
    """What the parser says of the files in some folders."""
    program = Path(__file__).with_name("go_files.go")
    said = subprocess.run(
        ["go", "run", str(program), *(["-uses"] if uses else []), *folders],
        env=_ENVIRONMENT,
        capture_output=True,
        check=True,
        text=True,
    )
    return {one["Dir"]: one for one in _objects(said.stdout)}


def oracle(checkout: Path, *, uses: bool = False) -> set[edges.Edge]:
    """The edges between files of a checkout."""
    checkout = checkout.resolve()
    packages = list(_packages(checkout))
    listed = [one for one in packages if "ForTest" not in one and not one.get("Standard")]
    looked = _looked(sorted({one["Dir"] for one in listed}), uses=uses)
    found: set[edges.Edge] = set()
    # What each import path means in each module; no name: there is nothing for a platform.
    leads = {(one["Main"], one["ImportPath"]): one for one in listed if one.get("Name")}
    for one in listed:
        here = Path(one["Dir"]).relative_to(checkout)
        if uses:
            for source, target in looked[one["Dir"]]["Uses"] or ():
                found.add((str(here / source), str(here / target)))
            continue
        renamed = one.get("ImportMap") or {}
        for name, facts in looked[one["Dir"]]["Files"].items():
            for path in facts["Imports"] or ():
                target = leads.get((one["Main"], renamed.get(path, path)))
                if target is not None:
                    files = _importable(target, looked[target["Dir"]]["Files"])
                    there = Path(target["Dir"]).relative_to(checkout)
                    found.update((str(here / name), str(there / other)) for other in files)
    return {(source, target) for source, target in found if source != target}


def _importable(package: dict[str, Any], files: dict[str, Any]) -> list[str]:
    """The files of a package that are no tests, whatever they are built for."""
    parts = ("GoFiles", "CgoFiles", "IgnoredGoFiles", "InvalidGoFiles")
    names = {name for part in parts for name in package.get(part) or ()}
    return [
        name
        for name in names
        if not name.endswith("_test.go") and files[name]["Package"] == package.get("Name")
    ]


def _spoken_of(found: edges.Ours, theirs: set[edges.Edge], *, uses: bool) -> set[edges.Edge]:
    """Our edges between Go files (not to those embedded) from folders that `go list` knows."""
    folders = {source.rpartition("/")[0] for source, _ in theirs}
    mine = found.used if uses else found.resolved
    return {
        (source, target)
        for source, target in mine
        if source.rpartition("/")[0] in folders and target.endswith(".go")
    }


if __name__ == "__main__":
    wanted = "--uses" in sys.argv
    if wanted:
        sys.argv.remove("--uses")
    edges.main(
        __doc__,
        "go",
        partial(oracle, uses=wanted),
        frozenset({"go"}),
        partial(_spoken_of, uses=wanted),
    )
