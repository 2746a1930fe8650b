"""Answers of the installed program as data, and whether they are those of a fresh index."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.builder import RepoBuilder
from tests.installation import Installation
from tests.sample import CACHE, METRIC, RETRY, SESSION

# What tells how a tree is called and asked again, beside what was found in it.
OF_THE_TREE = ("tree", "next", "actions")

Answers = list[dict[str, Any]]

# Words and a name: all legs have something to say.
QUERIES = ("pause before a failed request is sent again", "compute_delay")
# What a person may compare by hand, and so enough to say where two answers part.
FEW = 3

EDITED = "service/retry_policy.py"


def build_small(path: Path, **options: Any) -> RepoBuilder:
    """Some modules on a branch `main` of four commits, and a branch `side` of two beside it."""
    repo = RepoBuilder(path, **options)
    repo.write(EDITED, RETRY.render("python"))
    repo.write("service/page_cache.py", CACHE.render("python"))
    repo.write("docs/retry-policy.md", RETRY.render("markdown"))
    for number in range(6):
        repo.write(f"part/step_{number}.py", f"def step_{number}(delay):\n    return {number}\n")
    repo.commit("one")
    repo.write("web/login-session.ts", SESSION.render("typescript"))
    repo.commit("two")
    repo.branch("side")
    repo.write("internal/metric.go", METRIC.render("go"))
    repo.commit("side: metrics")
    repo.replace(EDITED, "1.5", "0.25")
    repo.append("service/page_cache.py", "\n\ndef compute_side_delay():\n    return 'aside'\n")
    repo.commit("side: wait less")
    repo.checkout("main")
    repo.append("docs/retry-policy.md", "\nA request that failed twice is paused for longer.\n")
    repo.commit("three")
    repo.rename("part/step_0.py", "part/first_step.py")
    repo.write("tests/test_retry_policy.py", RETRY.render("test_python"))
    repo.commit("four")
    return repo


def edit(repo: RepoBuilder, word: str = "hasty") -> None:
    """One more definition for both queries to find."""
    repo.append(EDITED, f"\n\ndef compute_{word}_delay():\n    return 'a failed request'\n")


def copied(repo: RepoBuilder, *, index: bool = True) -> RepoBuilder:
    """A copy beside the repository, with or without its index."""
    path = Path(tempfile.mkdtemp(prefix="copy-", dir=repo.path.parent)) / repo.path.name
    shutil.copytree(repo.path, path, symlinks=True)
    copy = RepoBuilder.adopt(path, repo.clock)
    if not index:
        shutil.rmtree(copy.index_dir, ignore_errors=True)
    return copy


def asked(installed: Installation, repo: RepoBuilder, *options: str, folder: str = "") -> Answers:
    """What the program says to each query: results with scores and reasons, tree and coverage."""
    return [
        installed.answer("--explain", "-k", "20", *options, query, cwd=repo.path / folder)
        for query in QUERIES
    ]


def asked_afresh(installed: Installation, repo: RepoBuilder, *options: str) -> Answers:
    """The same from an index that is built from nothing, in a copy of the repository."""
    return asked(installed, copied(repo, index=False), *options)


def differences(found: Answers, right: Answers, *without: str) -> list[str]:
    """Where answers differ, in few words: pytest would explain whole ones for minutes."""
    out = []
    for query, one, other in zip(QUERIES, found, right, strict=True):
        for key in sorted({*one, *other} - {*without}):
            mine, theirs = _items(one.get(key)), _items(other.get(key))
            if mine != theirs:
                parted = [
                    f"{_short(a)} not {_short(b)}"
                    for a, b in zip(mine, theirs, strict=False)
                    if a != b
                ]
                sizes = f"{len(mine)} and {len(theirs)}"
                out.append(f"{query}: {key} ({sizes}): {'; '.join(parted[:FEW])}")
    return out


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _short(value: Any) -> str:
    if isinstance(value, dict) and "path" in value:
        return f"{value['path']}:{value['start']} {value['score']}"
    return str(value)


def assert_as_fresh(installed: Installation, repo: RepoBuilder, *options: str) -> Answers:
    """The kept index answers as one built from nothing; returns the answers."""
    found = asked(installed, repo, *options)
    assert any(one["results"] for one in found), "nothing was found, so nothing was compared"
    assert differences(found, asked_afresh(installed, repo, *options)) == []
    return found


def assert_as_committed(
    installed: Installation, repo: RepoBuilder, add: Sequence[str] = ("-u",), *options: str
) -> Answers:
    """Edits count as they would after `git add` and `git commit`; returns the answers."""
    found = asked(installed, repo, *options)
    copy = copied(repo, index=False)
    copy.git("add", *add)
    copy.commit_staged()
    right = asked(installed, copy)
    assert right[0]["tree"]["dirty"] == 0
    assert differences(found, right, *OF_THE_TREE) == []
    return found
