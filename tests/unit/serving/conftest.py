"""The command line without a process of its own."""

from types import SimpleNamespace

import pytest

from gitsearch.cli.application import run


@pytest.fixture
def ask(capsys):
    """Run the command line in this process: exit code, stdout, stderr."""

    def call(*words):
        code = run(words)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call
