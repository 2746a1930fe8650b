"""Repositories for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.comparing import copied
from tests.hostile.forked import ForkedProgram


@pytest.fixture
def program() -> ForkedProgram:
    """The program without the start of a process: for tables of words that change nothing else."""
    return ForkedProgram()


@pytest.fixture
def small(template: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A copy of the module's own `template`, to be changed."""
    repo = RepoBuilder.adopt(tmp_path / "small", template.clock)
    copied(template).path.rename(repo.path)
    return repo
