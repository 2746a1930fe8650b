"""Which repositories are trained on, and which never are.

`repositories.tsv` names each by URL, revision and licence. `refused.txt` names the repositories
that the program is measured on; `refused-roots.txt` has the first commits of their histories. A
repository is refused by its name, by the name after the slash (a fork keeps it), and by a first
commit in common (a fork that was renamed keeps that).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gitsearch.errors import SearchError
from gitsearch.git import repo as repository
from gitsearch.git.repo import Repo

HERE = Path(__file__).parent
LIST = HERE / "repositories.tsv"
REFUSED = HERE / "refused.txt"
REFUSED_ROOTS = HERE / "refused-roots.txt"

_HEAD = ["url", "revision", "licence", "use"]
_USES = ("trained on", "held out")


class BadList(SearchError):
    """A list of repositories that cannot be trained on as it stands."""


class Entry(NamedTuple):
    """One repository: where it is from, the commit that is read, its licence, what it is for."""

    url: str
    revision: str
    licence: str
    use: str

    @property
    def name(self) -> str:
        """Owner and name, as in "pallets/werkzeug"."""
        return "/".join(self.url.removesuffix(".git").rstrip("/").split("/")[-2:])

    @property
    def folder(self) -> str:
        """The folder of the checkout: owner+name."""
        return self.name.replace("/", "+")

    @property
    def held_out(self) -> bool:
        """Whether it measures the training instead of taking part."""
        return self.use == "held out"


class Refusal(NamedTuple):
    """What may not be trained on: names in lower case, and first commits with whose they are."""

    names: frozenset[str]
    roots: dict[str, str]

    def by_name(self, name: str) -> str | None:
        """Why a repository of this name is refused, or None."""
        lower = name.lower()
        if lower in self.names:
            return f"{name} is measured on"
        last = lower.rpartition("/")[2]
        same = sorted(one for one in self.names if one.rpartition("/")[2] == last)
        return f"{name} has the name of {same[0]}, which is measured on" if same else None

    def by_history(self, name: str, repo: Repo, revision: str) -> str | None:
        """Why a repository of this history is refused, or None."""
        for root in first_commits(repo, revision):
            if root in self.roots:
                return f"{name} begins with the same commit as {self.roots[root]}: {root}"
        return None


def first_commits(repo: Repo, revision: str) -> list[str]:
    """The commits without parents that a revision goes back to."""
    out = repo.run("rev-list", "--max-parents=0", revision, "--")
    return out.decode("ascii").split()


def read_list(path: Path = LIST) -> list[Entry]:
    """The repositories of a list, in its order; BadList for a row that is none."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or lines[0].split("\t") != _HEAD:
        raise BadList(f"'{path}' must begin with the columns {', '.join(_HEAD)}")
    entries = []
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if len(fields) != len(_HEAD) or not all(fields) or fields[-1] not in _USES:
            raise BadList(f"line {number} of '{path}' is no repository: {line}")
        entries.append(Entry(*fields))
    return entries


def read_refusal(names: Path = REFUSED, roots: Path = REFUSED_ROOTS) -> Refusal:
    """The names and first commits that are refused."""
    rows = [line.split() for line in roots.read_text(encoding="utf-8").splitlines()]
    return Refusal(
        frozenset(names.read_text(encoding="utf-8").lower().split()),
        {row[0]: row[1] for row in rows},
    )


def opened(entries: list[Entry], folder: Path, refusal: Refusal) -> list[tuple[Entry, Repo]]:
    """The checkouts of a list, all of them there and none of them refused; else BadList.

    Folders beside those of the list are not read, but refused as well where a name says it.
    """
    beside = [path.name.replace("+", "/") for path in sorted(folder.iterdir()) if path.is_dir()]
    reasons = [
        refusal.by_name(name) for name in dict.fromkeys([*(e.name for e in entries), *beside])
    ]
    found: list[tuple[Entry, Repo]] = []
    for entry in entries:
        if not (folder / entry.folder).is_dir():
            raise BadList(f"no checkout '{folder / entry.folder}'", f"git clone {entry.url}")
        repo = repository.open_repo(folder / entry.folder)
        repository.resolve(repo, entry.revision)
        reasons.append(refusal.by_history(entry.name, repo, entry.revision))
        found.append((entry, repo))
    refused = [reason for reason in reasons if reason]
    if refused:
        raise BadList("not trained: " + "; ".join(refused))
    return found


def absence(found: list[tuple[Entry, Repo]], refusal: Refusal) -> list[str]:
    """What is printed before a training: what takes part, and that nothing measured on does."""
    licences: dict[str, int] = {}
    for entry, _ in found:
        licences[entry.licence] = licences.get(entry.licence, 0) + 1
    counted = ", ".join(f"{count} {name}" for name, count in sorted(licences.items()))
    return [
        f"{len(found)} repositories: {counted}",
        f"absent, by name, by name after the slash and by {len(refusal.roots)} first commits: "
        + " ".join(sorted(refusal.names)),
    ]
