"""A small repository with an index of one base view, one delta and one vector file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.sample import CACHE, INVOICE, LEXER, RETRY, SESSION
from tests.unit.commands.asked import Listener, answers, indexed
from tests.unit.index.fixtures import copy_of

QUERIES = ("pause before a failed request is sent again", "RetryPolicy", "evict oldest")
TOPICS = (RETRY, CACHE, INVOICE, LEXER, SESSION)


class Damaged:
    """A repository whose index is damaged, and what it must answer all the same."""

    def __init__(self, repo: RepoBuilder, right: list[object]) -> None:
        self.repo = repo
        self.right = right

    def file(self, kind: str) -> Path:
        """The base view, the delta, or the vector file."""
        if kind == "vectors":
            (found,) = self.repo.index_dir.glob("vectors-*")
            return found
        rev = "HEAD~1" if kind == "base" else "HEAD"
        (found,) = self.repo.index_dir.glob(f"views/{self.repo.rev(rev + '^{tree}')}-*")
        return found

    def asked(self) -> list[str]:
        """What is said while the right answers are given."""
        listener = Listener()
        assert answers(self.repo, QUERIES, listener=listener) == self.right
        return listener.notes


@pytest.fixture(scope="session")
def damaged_template(
    tmp_path_factory: pytest.TempPathFactory, isolation: Path
) -> tuple[RepoBuilder, list[object]]:
    repo = RepoBuilder(tmp_path_factory.mktemp("damaged") / "small")
    for topic in TOPICS:
        repo.write(f"service/{topic.names()['name']}.py", topic.render("python"))
    repo.write("service/zone_key.py", f'KEY = "{"x" * 200}"\n')
    repo.symlink("latest", "service")
    repo.commit("base")
    indexed(repo)
    repo.append("service/retry_policy.py", "\n\ndef give_up_early():\n    return None\n")
    repo.commit("delta")
    indexed(repo)
    assert len(list((repo.index_dir / "views").iterdir())) == 2
    return repo, list(answers(repo, QUERIES))


@pytest.fixture
def damaged(damaged_template: tuple[RepoBuilder, list[object]], tmp_path: Path) -> Damaged:
    """A copy of the repository and its index, to be damaged."""
    repo, right = damaged_template
    return Damaged(copy_of(repo, tmp_path / "small"), right)
