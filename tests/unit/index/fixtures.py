"""Repositories with an index, built once in this process and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.unit.commands.asked import indexed


def copy_of(template: RepoBuilder, path: Path) -> RepoBuilder:
    shutil.copytree(template.path, path, symlinks=True)
    return RepoBuilder.adopt(path, template.clock)


@pytest.fixture(scope="session")
def current_template(
    sample_template: RepoBuilder, tmp_path_factory: pytest.TempPathFactory
) -> RepoBuilder:
    """The sample repository with the index of its HEAD; never to be changed."""
    repo = copy_of(sample_template, tmp_path_factory.mktemp("current") / "sample")
    indexed(repo)
    return repo


@pytest.fixture
def current(current_template: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A copy of the sample repository with the index of its HEAD."""
    return copy_of(current_template, tmp_path / "sample")


@pytest.fixture(scope="session")
def grown_template(
    current_template: RepoBuilder, tmp_path_factory: pytest.TempPathFactory
) -> RepoBuilder:
    """The sample repository with an index of three of its revisions; never to be changed."""
    repo = copy_of(current_template, tmp_path_factory.mktemp("grown") / "sample")
    for rev in ("v0.1", "v0.2"):
        indexed(repo, at=rev)
    return repo


@pytest.fixture
def grown(grown_template: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A copy of the sample repository with an index of v0.1, v0.2 and v1.0."""
    return copy_of(grown_template, tmp_path / "sample")
