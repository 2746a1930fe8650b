"""Imports of JavaScript and TypeScript against the TypeScript compiler's own resolution.

python -m bench.oracles.javascript --tools FOLDER CHECKOUT...

FOLDER has node_modules with typescript 5 and yaml. The tracked files are
copied to a scratch folder, where the packages of each workspace are linked into node_modules; the
imports are found in the compiler's syntax trees and resolved with the settings that include the
file (else the nearest), where that fails with those of bundlers or of old Node. Of a declaration
`x.d.ts` the file is meant that it declares, too. Files of other languages (.vue, .css) count as
modules of their very name.

In a checkout nothing is built. What the compiler cannot find (a package whose `main` is in dist/,
aliases of bundlers), or only a declaration of, it says nothing of, nor of a file that is named by
its path: what we resolve there is left out of the comparison, and its edges are counted as beyond
the compiler.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.oracles import edges
from bench.oracles.edges import Edge, Ours
from gitsearch.graph.resolvers.javascript import JavaScript

_REFERENCE = re.compile(r"""^///.*\b(?:path|types)\s*=\s*["']([^"']+)""")
_ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
_SCRIPT = Path(__file__).with_suffix(".mjs")


class Compiler:
    """The oracle; it remembers of which imports it knows nothing."""

    def __init__(self, tools: Path) -> None:
        self.tools = tools
        self.checkout = Path()
        self.beyond: set[Edge] = set()

    def __call__(self, checkout: Path) -> set[Edge]:
        self.checkout = checkout
        paths = edges.project_of(checkout).paths
        with tempfile.TemporaryDirectory() as scratch:
            _copy(checkout, paths, Path(scratch))
            done = subprocess.run(
                ["node", "--max-old-space-size=4096", str(_SCRIPT), scratch],
                input=json.dumps(list(paths)).encode(),
                env={**os.environ, "ORACLE_TOOLS": str(self.tools.resolve())},
                stdout=subprocess.PIPE,
                check=True,
            )
        found = json.loads(done.stdout)
        self.beyond = {(path, specifier) for path, specifier in found["beyond"]}
        return {(source, target) for source, target in found["edges"]}

    def known(self, found: Ours, theirs: set[Edge]) -> set[Edge]:
        """Our edges without those from imports that the compiler does not find."""
        project = edges.project_of(self.checkout)
        family = JavaScript(project)
        outside: set[Edge] = set()
        inside: set[Edge] = set()
        for file in project.of(family.languages):
            path = project.paths[file]
            if not path.endswith(_ENDINGS):  # x.ts.old
                continue
            for imported in project.facts(file).imports:
                reference = _REFERENCE.search(imported.specifier)
                specifier = reference[1] if reference else imported.specifier
                unread = imported.kind == "path" or (path, specifier) in self.beyond
                which = outside if unread else inside
                leads = family.resolve(file, imported).resolved
                which.update((path, project.paths[one]) for one in leads)
        beyond = (outside & found.resolved) - inside - theirs
        print(f"{self.checkout.name}: {len(beyond)} edges beyond the compiler")
        for source, target in sorted(beyond)[: int(os.environ.get("SHOW_BEYOND", "0"))]:
            print(f"beyond: {source} -> {target}")
        return {edge for edge in found.resolved - beyond if edge[0].endswith(_ENDINGS)}


def _copy(checkout: Path, paths: Sequence[str], scratch: Path) -> None:
    for path in paths:
        target = scratch / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((checkout / path).read_bytes())


if __name__ == "__main__":
    at = sys.argv.index("--tools")
    compiler = Compiler(Path(sys.argv[at + 1]))
    del sys.argv[at : at + 2]
    edges.main(__doc__, "javascript", compiler, JavaScript.languages, compiler.known)
