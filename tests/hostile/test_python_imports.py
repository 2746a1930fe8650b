"""Trees that make it hard to say where an import of Python leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builder import RepoBuilder
from tests.hostile.outcome import survived

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.installation import Installation

DEEP = "a/" * 1200

TREES: dict[str, Callable[[], dict[str, str]]] = {
    "more folders than Python has frames": lambda: {
        f"{DEEP}m.py": "import n\nfrom a.b import c\n",
        f"{DEEP}n.py": "",
        "top.py": "import n\n",
    },
    "more packages than Python has frames": lambda: {
        **{f"{'a/' * depth}__init__.py": "import a.b\n" for depth in range(1, 1200)},
        "top.py": "import a\n",
    },
    "a library of one name in each folder": lambda: {
        path: text
        for i in range(2000)
        for path, text in (
            (f"p{i}/setup.py", ""),
            (f"p{i}/yaml/__init__.py", "import yaml\n"),
            (f"q{i}/top.py", "import yaml\nfrom yaml import load\nimport yaml.x\n"),
        )
    },
}


@pytest.mark.parametrize("tree", TREES)
def test_imports_are_resolved_in_every_tree(
    tree: str, tmp_path: Path, installed: Installation
) -> None:
    repo = RepoBuilder(tmp_path / "repo.git", bare=True)
    files = TREES[tree]()
    stream = ["commit refs/heads/main", "committer a <a@example.org> 0 +0000", "data 0"]
    for path, text in files.items():
        stream += [f"M 644 inline {path}", f"data {len(text)}", text]
    repo.git("fast-import", "--quiet", stdin=("\n".join(stream) + "\n").encode())
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    # nothing depends on it, which can only be said once all imports are resolved
    path = next(one for one in files if one.endswith("top.py"))
    survived(installed, "impact", path, cwd=repo.path, codes={1})
