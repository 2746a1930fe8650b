"""Numbers of thousands of digits, and what only looks like a number: one line each."""

from __future__ import annotations

import pytest

from gitsearch.cli.application import run
from gitsearch.commands.line_ranges import line_number
from gitsearch.errors import UsageError
from gitsearch.index.session import settings_of
from gitsearch.settings import LARGEST_FILE, MOST_SHOWN, whole_number
from tests.builder import RepoBuilder

HUGE = "9" * 5000
NUMBERS = (
    *(HUGE, f"-{HUGE}", f"0.{HUGE}", "9" * 20, str(1 << 31), str(1 << 63), str(1 << 64)),
    *("1e400", "nan", "inf", "-1", "\u0663", "\u00b2", "0x10", "1_0", "", " 1", "+1"),
)


@pytest.fixture(scope="module")
def repo(tmp_path_factory, isolation):
    made = RepoBuilder(tmp_path_factory.mktemp("numbers") / "repo")
    made.having({"a.py": "def helper():\n    return 1\n", "b.py": "from a import helper\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.path)
        assert run(["index", "-q"]) == 0
    return made


@pytest.fixture
def ask(repo, monkeypatch, capfd):
    monkeypatch.chdir(repo.path)

    def asked(*words):
        code = run(words)
        out, err = capfd.readouterr()
        assert code in {0, 1, 128, 129}, (words, code, err)
        assert "internal error" not in out + err, err
        assert len(err.splitlines()) <= 1 or "usage" in err
        return code, err

    return asked


PLACES = [
    *(("impact", "a.py:{}"), ("related", "a.py:{}"), ("def", "a.py:{}"), ("outline", "a.py:{}")),
    *(("helper", "-k", "{}"), ("helper", "-C", "{}"), ("helper", "--max-lines", "{}")),
    *(("helper", "--alpha={}"), ("dup", "--threshold={}"), ("map", "--budget={}")),
    *(("impact", "a.py", "--hops={}"), ("conventions", "--max-bytes={}"), ("helper", "-{}")),
]


@pytest.mark.parametrize("words", PLACES, ids=" ".join)
def test_a_number_in_an_argument_is_taken_or_refused_in_one_line(ask, words):
    for number in NUMBERS:
        code, _ = ask(*(word.format(number) for word in words))
        if number == HUGE and words[0] not in ("def", "outline"):
            assert code == 129


@pytest.mark.parametrize("key", ["search.maxcount", "search.maxfilesize"])
@pytest.mark.parametrize("text", [*NUMBERS, "0", "5kk", "k", "2g", f"{1 << 40}g", "10k"])
def test_a_number_in_the_configuration_is_in_its_range_or_refused(key, text):
    most = MOST_SHOWN if key == "search.maxcount" else LARGEST_FILE
    fitting = {"10k": 10 << 10, "2147483648": 1 << 31}.get(text, 0)
    if 0 < fitting <= most:
        settings = settings_of({key: [text]})
        assert fitting in (settings.max_count, settings.max_file_size)
        return
    with pytest.raises(UsageError, match=f"git config {key}: .* from 1 to {most}$") as refused:
        settings_of({key: [text]})
    assert len(refused.value.message) < 200


def test_a_whole_number_has_ascii_digits_and_is_in_range():
    assert whole_number("0007", 1, 9) == 7
    assert whole_number("0", 0, 9) == 0
    assert whole_number("0" * 10_000, 0, 9) == 0
    for text in ("", "10", "-1", "\u0663", "7 ", HUGE):
        assert whole_number(text, 0, 9) is None


def test_a_line_is_a_number_that_a_file_can_have():
    assert line_number("12") == 12
    assert line_number("helper") is None
    assert line_number("\u0663") is None
    with pytest.raises(UsageError, match=r"no file has a line 9{60}\.\.\.$"):
        line_number(HUGE)
