"""Imports between the modules of Python packages, against grimp.

    python -m bench.oracles.python CHECKOUT... [--show N] [--out FILE]

grimp (BSD-2-Clause; `pip install grimp` into an environment whose python GRIMP_PYTHON names) reads
every outermost package of the checkout, each in a process of its own, with the folder that holds
it on the path. It knows the modules of that package only: imports of other packages and by scripts
are not judged, and neither are stubs and folders without an __init__.py inside a package. Imports
by a call, which it does not read, count as wrong.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bench.oracles.edges import Edge, Ours, main

# Runs in grimp's environment: modules and imports of the package named by its arguments.
_PROGRAM = """
import json, sys, grimp
sys.path.insert(0, sys.argv[1])
graph = grimp.build_graph(
    sys.argv[2],
    include_external_packages=False,
    exclude_type_checking_imports=False,
    cache_dir=None,
)
edges = [
    (one, other)
    for one in graph.modules
    for other in graph.find_modules_directly_imported_by(one)
]
json.dump({"modules": sorted(graph.modules), "edges": edges}, sys.stdout)
"""

_known: dict[str, int] = {}


def tracked(checkout: Path) -> set[Path]:
    """The tracked modules; links to files and to folders are other names of some of them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.py"], cwd=checkout, capture_output=True, check=True
    ).stdout
    paths = {Path(os.fsdecode(path)) for path in listed.split(b"\0") if path}
    return {path for path in paths if not (checkout / path).is_symlink()}


def packages(files: set[Path]) -> list[Path]:
    """Folders with an __init__.py in folders without one."""
    folders = {path.parent for path in files if path.name == "__init__.py"}
    return sorted(one for one in folders if one.parent not in folders and one.name.isidentifier())


def oracle(checkout: Path) -> set[Edge]:
    """The edges of all packages, each module as the path of its file."""
    python = os.environ.get("GRIMP_PYTHON", sys.executable)
    _known.clear()
    edges: set[Edge] = set()
    files = tracked(checkout)
    for number, package in enumerate(packages(files)):
        root = checkout / package.parent
        done = subprocess.run(
            [python, "-I", "-c", _PROGRAM, str(root.resolve()), package.name],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"{package}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        graph = json.loads(done.stdout)
        paths = {name: _path(files, package.parent, name) for name in graph["modules"]}
        _known.update(dict.fromkeys(filter(None, paths.values()), number))
        pairs = ((paths[one], paths[other]) for one, other in graph["edges"])
        edges.update((one, other) for one, other in pairs if one and other and one != other)
    return edges


def _path(files: set[Path], root: Path, module: str) -> str:
    path = root / module.replace(".", "/")
    for file in (path / "__init__.py", path.with_name(path.name + ".py")):
        if file in files:
            return str(file)
    return ""


def judged(found: Ours, theirs: set[Edge]) -> set[Edge]:
    """Our edges between modules of one package that the oracle read."""
    del theirs
    return {
        (one, other)
        for one, other in found.resolved
        if one in _known and _known[one] == _known.get(other)
    }


if __name__ == "__main__":
    main(__doc__, "python", oracle, frozenset({"python"}), judged)
