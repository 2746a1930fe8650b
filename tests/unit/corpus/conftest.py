"""Repositories for the tests of this folder."""

from tests.unit.corpus.fixtures import current, current_template, grown, grown_template

__all__ = ["current", "current_template", "grown", "grown_template"]
