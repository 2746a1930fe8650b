"""Repositories for the tests of this folder."""

from tests.unit.index.fixtures import current, current_template

__all__ = ["current", "current_template"]
