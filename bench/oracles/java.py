"""Import edges between Java files against javac: python -m bench.oracles.java CHECKOUT...

javac attributes all sources of a checkout together, and each class that an import or a name in
the code stands for is mapped to its file (JavaNames.java, with the public API of the compiler).
jdeps would miss constants, annotations that are not kept, and imports for documentation alone;
classes of dependencies may be missing here. An import that is not used is an edge as well, and so
is a whole name in the code.

With --uses the edges without an import (of the same package) are compared too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bench.oracles.edges import Edge, Ours, main

_SOURCE = Path(__file__).with_name("JavaNames.java")
_JARS = (Path("/usr/share/java"), Path.home() / ".m2/repository")


class Told(NamedTuple):
    """What javac says: edges by how they come about."""

    edges: dict[str, set[Edge]]
    files: set[str]


@cache
def told(checkout: Path) -> Told:
    """What javac says of the Java files of a checkout that declare no class twice."""
    listed = subprocess.run(
        ["git", "ls-files", "*.java"], cwd=checkout, capture_output=True, check=True, text=True
    ).stdout.split("\n")[:-1]
    jars = [str(jar) for folder in _JARS for jar in folder.rglob("*.jar")]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(unique(checkout, listed)))
        names.flush()
        run = subprocess.run(
            ["java", _SOURCE, names.name, ":".join(jars)],
            cwd=checkout,
            capture_output=True,
            check=True,
            text=True,
        )
    found = Told({"import": set(), "name": set(), "member": set()}, set())
    for line in run.stdout.splitlines():
        how, *paths = line.split("\t")
        if how == "file":
            found.files.add(paths[0])
        else:
            found.edges[how].add((paths[0], paths[1]))
    return found


def unique(checkout: Path, paths: list[str]) -> list[str]:
    """Of files with the same name and package all but those that come first.

    Test data that is no Java and declarations of modules are left out as well.
    """
    seen: set[str] = set()
    kept = []
    for path in paths:
        text = (checkout / path).read_text("utf-8", "replace")
        package = next((x for x in text.split("\n") if x.startswith("package ")), path)
        key = package + path.rpartition("/")[2]
        if key not in seen and "/resources/" not in path and not key.endswith("module-info.java"):
            seen.add(key)
            kept.append(path)
    return kept


def imports(checkout: Path) -> set[Edge]:
    return told(checkout).edges["import"]


def names(checkout: Path) -> set[Edge]:
    edges = told(checkout).edges
    return edges["import"] | edges["name"]


def _known(edges: set[Edge]) -> set[Edge]:
    files = set().union(*(told(checkout).files for checkout in _CHECKOUTS))
    return {edge for edge in edges if edge[0] in files and edge[1] in files}


def ours_imported(found: Ours, theirs: set[Edge]) -> set[Edge]:
    del theirs
    return _known(found.resolved)


def ours_used(found: Ours, theirs: set[Edge]) -> set[Edge]:
    del theirs
    return _known(found.resolved | found.used)


if __name__ == "__main__":
    _CHECKOUTS = [Path(one) for one in sys.argv[1:] if Path(one).is_dir()]
    languages = frozenset({"java"})
    if "--uses" in sys.argv:
        sys.argv.remove("--uses")
        main(__doc__, "java-uses", names, languages, ours_used)
    else:
        main(__doc__, "java", imports, languages, ours_imported)
