"""What a step says to its runner, and what the runner takes it for."""

import pytest

from gitsearch.ci.runner import SUMMARY_BYTES, Steps, read
from gitsearch.errors import SearchError
from tests.ci.composite import commands, outputs

HOSTILE = "a\n::error::b\r\n##[warning]c%0Ad :,\x1b[0m\udcff"


@pytest.fixture
def steps(about):
    return Steps(about)


def test_an_output_is_read_as_it_was_set(steps, tmp_path):
    for value in ("", "one", "one\ntwo", "x<<EOF\nEOF\n::error::", "=", "a=b"):
        (tmp_path / "output").write_text("")
        steps.output("name", value)
        assert dict(outputs((tmp_path / "output").read_text())) == {"name": value}


def test_by_hand_outputs_and_the_summary_are_printed(capfd):
    steps = Steps(read({}))
    with steps.quiet():
        steps.output("name", "value")
        steps.summarise("# Title")
        steps.notice("a word")
        steps.mark("nothing", "a.py", 1)
    out, err = capfd.readouterr()
    assert out == "name=value\n# Title\n"
    assert err == "git search: a word\n"


def test_what_is_printed_is_no_command_and_a_notice_is_one(steps, capfd):
    from gitsearch.render.output import say, tell

    with steps.quiet():
        tell("::error::x\n##[error]y\n")
        say(HOSTILE)
        steps.notice(HOSTILE)
        tell("::error::z\n")
        steps.mark(HOSTILE, "a:b,c\n::error::d.py", 3)
        tell("::error::z\n")
    out, err = capfd.readouterr()
    assert out == ""
    notice, mark = commands(err)
    assert notice.startswith("::notice::a ::error::b ##[warning]c%250Ad")
    assert mark.startswith("::warning file=a%3Ab%2Cc %3A%3Aerror%3A%3Ad.py,line=3::a ")


def test_the_word_that_ends_the_quiet_cannot_be_guessed(about, capfd):
    seen = set()
    for _ in range(3):
        with Steps(about).quiet():
            pass
        first, last = capfd.readouterr().err.splitlines()
        assert first == f"::stop-commands::{last.strip(':')}"
        seen.add(last)
    assert len(seen) == 3


def test_commands_are_heard_again_after_a_failure(steps, capfd):
    with pytest.raises(RuntimeError), steps.quiet():
        raise RuntimeError
    steps.notice("heard")
    assert list(commands(capfd.readouterr().err)) == ["::notice::heard"]


def test_a_summary_that_github_would_drop_is_left_out(steps, tmp_path, capfd):
    steps.summarise("x" * SUMMARY_BYTES)
    assert (tmp_path / "summary").read_text() == ""
    assert "too long" in capfd.readouterr().err
    steps.summarise("short")
    assert (tmp_path / "summary").read_text() == "short\n"


# ---------------------------------------------------------------- the event


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pull_request": {"number": "7"}}', "\xff"])
def test_an_event_that_is_none_is_refused(tmp_path, text):
    event = tmp_path / "event.json"
    event.write_bytes(text.encode("latin-1"))
    with pytest.raises(SearchError, match="GITHUB_EVENT_PATH"):
        read({"GITHUB_EVENT_PATH": str(event)})


def test_an_event_that_is_missing_is_refused(tmp_path):
    with pytest.raises(SearchError, match="No such file"):
        read({"GITHUB_EVENT_PATH": str(tmp_path / "none")})


def test_github_enterprise_is_where_the_environment_says():
    names = {"GITHUB_API_URL": "https://h/api/v3/", "GITHUB_SERVER_URL": "https://h/"}
    about = read({**names, "GITHUB_REPOSITORY": "o/r"})
    assert about.api == "https://h/api/v3"
    assert about.log_of(7) == "https://h/o/r/actions/runs/7"


@pytest.mark.parametrize(
    ("name", "ref", "may"),
    [
        ("push", "refs/heads/main", True),
        ("push", "refs/heads/other", False),
        ("push", "refs/tags/main", False),
        ("schedule", "refs/heads/main", True),
        ("workflow_dispatch", "refs/heads/other", True),
        ("pull_request", "refs/pull/7/merge", False),
        ("pull_request_target", "refs/heads/main", False),
        ("workflow_run", "refs/heads/main", False),
        ("merge_group", "refs/heads/gh-readonly-queue/main/pr-7", False),
        ("", "", False),
    ],
)
def test_a_cache_is_saved_where_others_can_use_it(tmp_path, name, ref, may):
    event = tmp_path / "event.json"
    event.write_text(
        '{"repository": {"full_name": "o/r", "owner": {"login": "o"}, "default_branch": "main"}}'
    )
    names = {"GITHUB_EVENT_NAME": name, "GITHUB_REF": ref, "GITHUB_EVENT_PATH": str(event)}
    assert read(names).may_save is may
