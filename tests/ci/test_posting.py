"""One comment: made, found again, edited, left alone; and what happens when it cannot be."""

import dataclasses
import json

import pytest

from gitsearch.ci import artifact, post_comment, runner
from gitsearch.ci.github import GitHub
from gitsearch.ci.post_comment import marker_line
from gitsearch.ci.runner import read
from gitsearch.errors import Unfit, UsageError
from tests.builder import RepoBuilder
from tests.ci.hub import JOBS, Fault
from tests.ci.pulls import PullRequest
from tests.ci.pulls import environment as event
from tests.ci.reports import NOTHING, filled

HEAD = "a" * 40
MARKER = "<!-- git-search:impact:default -->"


def nowhere(folder):
    """No repository: nobody looks at it."""
    return RepoBuilder.adopt(folder)


@pytest.fixture
def post(environment, hub, tmp_path):
    """Posts a report as a step of a job; returns the outputs, the summary and the waits."""

    def run(report=None, *, name="pull_request", fork="", head=HEAD, **wish):
        pull = PullRequest(nowhere(tmp_path), "b" * 40, head, "c" * 40, fork=fork)
        about = read({**environment, **event(pull, tmp_path, name)})
        file = tmp_path / "report.json"
        if isinstance(report, bytes):
            file.write_bytes(report)
        else:
            file.write_bytes(artifact.encode(report or filled()))
        output, summary = (tmp_path / name for name in ("output", "summary"))
        for written in (output, summary):
            written.write_text("")
        waits: list[float] = []
        request = post_comment.CommentRequest(file, **wish)
        post_comment.comment(
            request, about, runner.Steps(about), GitHub(about, sleep=waits.append)
        )
        return output.read_text(), summary.read_text(), waits

    return run


def changes(hub):
    return [method for method, _ in hub.calls if method != "GET"]


def test_the_first_report_makes_a_comment(hub, post):
    output, summary, _ = post()
    (body,) = hub.bodies(7)
    assert body.startswith(f"{MARKER}\n")
    assert "src/a b.py" in body
    assert body.endswith(
        f"\n[Run](https://github.example/octo-org/depot/actions/runs/4711) for `{HEAD}`\n"
    )
    assert "https://github.com/octo-org/depot/pull/7#issuecomment-" in output
    assert summary == ""
    assert len(hub.calls) == 3


def test_the_same_report_again_changes_nothing(hub, post):
    post()
    hub.calls.clear()
    output, _, _ = post()
    assert changes(hub) == []
    assert "#issuecomment-" in output


def test_another_report_edits_the_comment(hub, post):
    post()
    post(filled("src/other.py"))
    (body,) = hub.bodies(7)
    assert "src/other.py" in body
    assert changes(hub) == ["POST", "PATCH"]


def test_with_nothing_to_say_nothing_is_posted(hub, post):
    output, _, _ = post(NOTHING)
    assert hub.bodies(7) == []
    assert "comment-url" in output


def test_a_comment_that_has_nothing_to_say_any_more_says_so(hub, post):
    post()
    post(NOTHING)
    (body,) = hub.bodies(7)
    assert "nothing to report" in body


def test_always_comments_and_never_does_not(hub, post):
    post(NOTHING, when="never")
    assert hub.calls == []
    post(NOTHING, when="always")
    assert len(hub.bodies(7)) == 1


def test_markers_tell_comments_apart(hub, post):
    post(marker="one")
    post(filled("src/two.py"), marker="two")
    post(marker="one")
    assert [body.split("\n")[0] for body in hub.bodies(7)] == [
        marker_line("one"),
        marker_line("two"),
    ]


@pytest.mark.parametrize("marker", ["", "a b", "-->", "x" * 65, "é"])
def test_a_marker_that_could_end_the_line_is_refused(post, marker):
    with pytest.raises(UsageError, match="marker"):
        post(marker=marker)


def test_a_comment_of_somebody_else_with_our_marker_is_let_be(hub, post):
    theirs = hub.comment(7, f"{MARKER}\nmine", "mallory")
    post()
    assert theirs["body"] == f"{MARKER}\nmine"
    assert len(hub.bodies(7)) == 1
    post(filled("src/other.py"))
    assert theirs["body"] == f"{MARKER}\nmine"
    assert len(hub.bodies(7)) == 1


def test_a_comment_of_ours_that_only_quotes_the_marker_is_let_be(hub, post):
    quoting = hub.comment(7, f"> {MARKER}\nwhat is this", JOBS, "Bot")
    post()
    assert quoting["body"].startswith("> ")
    assert len(hub.bodies(7)) == 2


def test_of_two_comments_of_ours_the_newest_is_edited(hub, post):
    older = hub.comment(7, f"{MARKER}\nolder", JOBS, "Bot")
    newer = hub.comment(7, f"{MARKER}\nnewer", JOBS, "Bot")
    post()
    assert older["body"] == f"{MARKER}\nolder"
    assert "src/a b.py" in newer["body"]


def test_our_comment_is_found_behind_many_others(hub, post):
    hub.page = 30
    post()
    for number in range(200):
        hub.comment(7, f"{number}", "somebody")
    post(filled("src/other.py"))
    assert len(hub.bodies(7)) == 1
    assert "src/other.py" in hub.bodies(7)[0]


def test_a_token_of_a_person_finds_its_own_comment(hub, post):
    hub.author, hub.author_type = "octocat", "User"
    post()
    post(filled("src/other.py"))
    assert len(hub.bodies(7, "octocat")) == 1


def test_the_token_of_an_app_needs_a_name_before_it_comments_twice(hub, post):
    hub.author = "our-app[bot]"
    post()
    _, summary, _ = post(filled("src/other.py"))
    assert len(hub.bodies(7, "our-app[bot]")) == 1
    assert "our-app[bot]" in summary
    post(filled("src/other.py"), author="our-app[bot]")
    assert len(hub.bodies(7, "our-app[bot]")) == 1
    assert "src/other.py" in hub.bodies(7, "our-app[bot]")[0]


def test_a_token_without_rights_leaves_the_summary(hub, post, capfd):
    hub.writable = False
    output, summary, waits = post()
    assert hub.bodies(7) == []
    assert "`the token has no permission to comment" in summary
    assert (
        "::warning::no comment: the token has no permission to comment" in capfd.readouterr().err
    )
    assert waits == []
    assert output == ""


@pytest.mark.parametrize("fault", [
    Fault("POST", 500, done=True),
    Fault("POST", 502, done=True),
    Fault("POST", done=True, silent=True),
])  # fmt: skip
def test_a_comment_that_was_made_although_the_call_failed_is_not_made_again(hub, post, fault):
    hub.faults.append(fault)
    output, _, _ = post()
    assert len(hub.bodies(7)) == 1
    assert changes(hub) == ["POST"]
    assert "#issuecomment-" in output


def test_a_comment_that_was_not_made_is_made_at_the_second_call(hub, post):
    hub.faults.append(Fault("POST", 500))
    post()
    assert len(hub.bodies(7)) == 1
    assert changes(hub) == ["POST", "POST"]


@pytest.mark.parametrize("status", [500, 503])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_a_github_that_is_down_costs_the_comment_and_nothing_else(hub, post, method, status):
    post()
    before = hub.bodies(7) if method != "POST" else hub.comments[7].clear() or []
    hub.faults.append(Fault(method, status, times=99))
    output, summary, waits = post(filled("src/other.py"))
    assert hub.bodies(7) == before
    assert "could not comment" in summary
    assert output == ""
    assert sum(waits) <= 180


def test_a_limit_is_waited_for_and_the_comment_made_once(hub, post):
    hub.faults.append(Fault("POST", 403, {"Retry-After": "2"}, "secondary rate limit"))
    hub.faults.append(Fault("GET", 429, {"Retry-After": "1"}, "secondary rate limit"))
    _, _, waits = post()
    assert waits == [1, 2]
    assert len(hub.bodies(7)) == 1


def test_a_report_that_github_finds_too_long_is_replaced_by_a_line(hub, post, monkeypatch):
    monkeypatch.setattr("tests.ci.hub.LONGEST", 300)
    post()
    (body,) = hub.bodies(7)
    assert "too long for a comment" in body


def test_the_check_of_an_earlier_head_does_not_write_over_that_of_a_later_one(hub, post, capfd):
    post()
    hub.open_pull(7, "e" * 40)
    before = hub.bodies(7)
    post(filled("src/other.py"))
    assert hub.bodies(7) == before
    assert "has newer commits" in capfd.readouterr().err


# ---------------------------------------------------------------- the second workflow


def test_the_second_workflow_finds_the_pull_request_of_a_fork(hub, post):
    hub.open_pull(7, HEAD, fork="octocat")
    hub.open_pull(8, HEAD, fork="mallory")
    hub.open_pull(9, "e" * 40, fork="octocat")
    post(name="workflow_run", fork="octocat")
    assert [len(hub.bodies(number)) for number in (7, 8, 9)] == [1, 0, 0]
    assert f"runs/815) for `{HEAD}`" in hub.bodies(7)[0]


def test_a_number_in_the_file_is_nobodys_pull_request(hub, post):
    hub.open_pull(8, HEAD, fork="octocat")
    document = {**json.loads(artifact.encode(filled())), "number": 7}
    with pytest.raises(Unfit):
        post(json.dumps(document).encode(), name="workflow_run", fork="octocat")
    assert hub.calls == []


@pytest.mark.parametrize(("sha", "fork"), [("e" * 40, "octocat"), (HEAD, "mallory"), (HEAD, "")])
def test_without_an_open_pull_request_for_that_commit_nothing_is_posted(hub, post, sha, fork):
    hub.open_pull(7, sha, fork=fork)
    post(name="workflow_run", fork="octocat")
    assert hub.bodies(7) == []
    assert changes(hub) == []


def test_of_two_pull_requests_with_one_head_neither_is_commented_on(hub, post, capfd):
    hub.open_pull(7, HEAD, fork="octocat")
    hub.open_pull(8, HEAD, fork="octocat", base="release")
    post(name="workflow_run", fork="octocat")
    assert changes(hub) == []
    assert "several open pull requests" in capfd.readouterr().err


def test_the_second_workflow_has_the_report_in_its_summary_where_it_may_not_comment(hub, post):
    hub.open_pull(7, HEAD, fork="octocat")
    hub.writable = False
    _, summary, _ = post(name="workflow_run", fork="octocat")
    assert "src/a b.py" in summary


@pytest.mark.parametrize(
    "change", [{"event": "push"}, {"conclusion": "failure"}, {"head_branch": None}]
)
def test_another_run_than_a_check_that_passed_is_not_commented_on(
    hub, environment, tmp_path, change
):
    hub.open_pull(7, HEAD, fork="octocat")
    pull = PullRequest(nowhere(tmp_path), "b" * 40, HEAD, "c" * 40, fork="octocat")
    names = event(pull, tmp_path, "workflow_run")
    document = pull.ended
    document["workflow_run"] |= change
    (tmp_path / "event.json").write_text(json.dumps(document))
    about = read({**environment, **names})
    file = tmp_path / "report.json"
    file.write_bytes(artifact.encode(filled()))
    post_comment.comment(post_comment.CommentRequest(file), about, runner.Steps(about))
    assert changes(hub) == []


def test_a_run_that_is_about_no_pull_request_posts_nothing(hub, about, tmp_path):
    file = tmp_path / "report.json"
    file.write_bytes(artifact.encode(filled()))
    post_comment.comment(post_comment.CommentRequest(file), about, runner.Steps(about))
    assert hub.calls == []


def test_by_hand_a_file_must_be_named(about):
    steps = runner.Steps(about)
    with pytest.raises(UsageError, match="no report file is given"):
        post_comment.comment(
            post_comment.CommentRequest(), dataclasses.replace(about, temporary=None), steps
        )
