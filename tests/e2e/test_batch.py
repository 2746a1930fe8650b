"""A conversation with `git search batch`."""

import json
import os
import signal
import subprocess
from typing import Any

import pytest

from tests.comparing import EDITED, build_small, edit

ASKED = [
    ["def", "compute_delay"],
    ["refs", "compute_delay"],
    ["outline", EDITED],
    ["status"],
    ["outline", "no/such/file"],
    ["pause", "before", "a", "failed", "request"],
    ["--at", "HEAD~1", "-k", "3", "compute_delay", "--", "*.py"],
    ["--at", "nowhere", "delay"],
    [],
]


class Batch:
    """A process that answers questions."""

    def __init__(self, installed, repo, **options):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process: Any = subprocess.Popen(
            # not through git, whose own exit code it would be
            [installed.bin / "git-search", "batch"],
            cwd=repo.path,
            env=installed.environment(),
            start_new_session=True,
            **(pipes | options),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def ask(self, *argv):
        self.process.stdin.write(json.dumps({"argv": argv}).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().decode()

    def end(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, (out or b"").decode(), err.decode()


@pytest.fixture(scope="module")
def template(installed, isolation, tmp_path_factory):
    repo = build_small(tmp_path_factory.mktemp("small") / "small")
    assert installed.run("index", "-q", cwd=repo.path).returncode == 0
    return repo


def test_each_answer_is_that_of_a_command_of_its_own(installed, small):
    edit(small)
    with Batch(installed, small) as batch:
        for number, words in enumerate(ASKED, 1):
            place = 1 if words and words[0].isalpha() and number < 6 else 0
            words_in_json = [*words[:place], "--json", *words[place:]]
            alone = installed.run(*words_in_json, cwd=small.path).stdout
            if '"error"' in alone:
                alone = f'{{"line": {number}, {alone[1:]}'
            assert batch.ask(*words) == alone
        assert batch.end() == (0, "", "")


def test_a_commit_between_two_questions_is_seen(installed, small):
    with Batch(installed, small) as batch:
        before = json.loads(batch.ask("compute_hasty_delay"))
        edit(small)
        edited = json.loads(batch.ask("compute_hasty_delay"))
        small.commit()
        after = json.loads(batch.ask("compute_hasty_delay"))
    assert before["results"][0]["symbol"] != edited["results"][0]["symbol"]
    assert (edited["tree"]["dirty"], after["tree"]["dirty"]) == (1, 0)
    assert after["tree"]["commit"] == small.rev() != before["tree"]["commit"]
    assert after["results"][0]["symbol"] == "compute_hasty_delay"


def test_ctrl_c_ends_it(installed, small):
    with Batch(installed, small) as batch:
        assert batch.ask("delay")
        os.killpg(batch.process.pid, signal.SIGINT)
        assert batch.end() == (130, "", "")


def test_without_a_reader_it_is_silent(installed, small):
    reader, writer = os.pipe()
    os.close(reader)
    with Batch(installed, small, stdout=writer) as batch:
        os.close(writer)
        batch.process.stdin.write(b"\n" * 3)
        assert batch.end() == (0, "", "")


def test_without_questions_it_ends(installed, small):
    for stdin in ("</dev/null", "<&-"):
        done = subprocess.run(
            ["sh", "-c", f"git search batch {stdin}"],
            cwd=small.path,
            env=installed.environment(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
