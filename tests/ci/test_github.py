"""Calls of GitHub's API: what is asked, how often, and how long is waited in between."""

import dataclasses

import pytest

from gitsearch.ci.github import GitHub
from gitsearch.errors import Refused, SearchError, Unanswered
from tests.ci.hub import NOW_SECONDS, Fault


@pytest.fixture
def waits():
    return []


def never():
    """Looks for a comment that was not made."""


@pytest.fixture
def client(about, waits):
    return GitHub(about, sleep=waits.append)


def test_all_pages_are_read(hub, client):
    for number in range(250):
        hub.comment(7, f"comment {number}", "somebody")
    assert [one.body for one in client.comments(7)][-1] == "comment 249"
    assert hub.calls == [("GET", f"/repos/{hub.repository}/issues/7/comments")] * 3


def test_a_pull_request_is_read(hub, client):
    assert client.pull(7).head.sha == "a" * 40


def test_pull_requests_are_found_by_owner_and_branch(hub, client):
    hub.open_pull(8, "b" * 40, branch="a/b c#d", fork="octocat")
    hub.open_pull(9, "c" * 40, branch="a/b c#d")
    assert [pull.number for pull in client.pulls_from("octocat", "a/b c#d")] == [8]


def test_a_comment_is_made_and_edited(hub, client):
    made = client.create(7, "one", never)
    assert client.edit(made.id, "two").body == "two"
    assert hub.bodies(7) == ["two"]


def test_the_account_of_a_token_is_known_unless_it_is_an_app(hub, client):
    assert client.login() is None
    hub.author, hub.author_type = "octocat", "User"
    assert client.login() == "octocat"


def test_what_failed_on_their_side_is_asked_again_with_growing_pauses(hub, client, waits):
    hub.faults.append(Fault("GET", 502, times=3))
    assert client.pull(7).number == 7
    assert len(hub.calls) == 4
    assert waits == sorted(waits)
    assert 1 <= waits[0] < 2 <= waits[1] < 4 <= waits[2] < 8


def test_a_connection_that_breaks_is_made_again(hub, client, waits):
    hub.faults.append(Fault("GET", silent=True))
    assert client.pull(7).number == 7
    assert len(waits) == 1


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "17"}, 17),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOW_SECONDS + 90)}, 90),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(NOW_SECONDS - 90)}, 0),
    ],
)
def test_a_limit_is_waited_for_as_long_as_github_says(
    hub, client, waits, status, headers, seconds
):
    for method in ("POST", "GET"):
        hub.faults.append(Fault(method, status, headers, "API rate limit exceeded"))
    client.create(7, "text", never)
    assert [one.body for one in client.comments(7)] == ["text"]
    assert waits == [seconds, seconds]


def test_a_limit_without_an_end_is_waited_for_a_minute_and_then_twice_that(hub, client, waits):
    hub.faults.append(Fault("GET", 429, times=9))
    with pytest.raises(Unanswered):
        client.pull(7)
    assert waits == [60, 120]


def test_nobody_waits_an_hour(hub, client, waits):
    hub.faults.append(Fault("GET", 403, {"Retry-After": "3600"}, "You have exceeded a limit"))
    with pytest.raises(Unanswered, match="exceeded a limit"):
        client.pull(7)
    assert waits == []


def test_a_refusal_is_not_asked_again(hub, client, waits):
    hub.writable = False
    with pytest.raises(Refused, match="403: Resource not accessible by integration") as refused:
        client.create(7, "text", never)
    assert refused.value.status == 403
    assert len(hub.calls) == 1
    assert waits == []


@pytest.mark.parametrize(
    "fault", [Fault("POST", 502, times=9), Fault("POST", silent=True, times=9)]
)
def test_a_comment_is_tried_again_after_growing_pauses_and_a_look_each(hub, client, waits, fault):
    hub.faults.append(fault)
    looks = []
    with pytest.raises(Unanswered):
        client.create(7, "text", lambda: looks.append(len(waits)))
    assert len(hub.calls) == 4
    assert looks == [1, 2, 3]
    assert 1 <= waits[0] < 2 <= waits[1] < 4 <= waits[2] < 8


@pytest.mark.parametrize("fault", [Fault("POST", 502, times=9), Fault("POST", silent=True)])
def test_a_comment_that_a_failed_call_has_made_is_not_made_again(hub, client, waits, fault):
    hub.faults.append(fault)
    there = client.edit(hub.comment(7, "text", hub.author, "Bot")["id"], "text")
    hub.calls.clear()
    assert client.create(7, "text", lambda: there) == there
    assert len(hub.calls) == 1
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("seconds", "expected"), [("9", [9.0]), ("3600", []), ("9" * 400, []), ("-1", None)]
)
def test_a_comment_waits_as_long_as_github_says(hub, client, waits, seconds, expected):
    hub.faults.append(Fault("POST", 503, {"Retry-After": seconds}))
    if expected == []:
        with pytest.raises(Unanswered):
            client.create(7, "text", never)
    else:
        client.create(7, "text", never)
    assert len(waits) == 1 if expected is None else waits == expected


def test_a_text_that_is_too_long_is_refused_with_422(hub, client):
    with pytest.raises(Refused, match="422: Validation Failed: Body is too long"):
        client.create(7, "x" * 65_537, never)
    assert hub.bodies(7) == []


def test_an_answer_of_another_shape_is_one_line(hub, client):
    hub.faults.append(Fault("GET", 200))
    with pytest.raises(SearchError, match=r"pull request: .*number"):
        client.pull(7)


@pytest.mark.parametrize("name", ["", "octo-org", "octo-org/depot/..", "octo-org/de?pot"])
def test_a_repository_that_is_none_is_not_asked_about(about, name):
    with pytest.raises(SearchError, match="is not owner/name"):
        GitHub(dataclasses.replace(about, repository=name))


def test_without_a_token_nothing_is_asked(about):
    with pytest.raises(SearchError, match="no token"):
        GitHub(dataclasses.replace(about, token=""))


def test_a_request_against_the_description_is_noticed(hub, about):
    client = GitHub(about)
    with pytest.raises(Unanswered):
        client._request("POST", f"{client._repository}/issues/7/comments", {"text": "no body"})
    with pytest.raises(Unanswered):
        client._request("POST", f"{client._repository}/issues/seven/comments", {"body": "x"})
    client._headers.pop("X-GitHub-Api-Version")
    with pytest.raises(Unanswered):
        client._request("POST", f"{client._repository}/issues/7/comments", {"body": "x"})
    first, second, third = hub.problems
    hub.problems.clear()
    assert "'body' is a required property" in first
    assert "seven" in second
    assert "X-GitHub-Api-Version" in third
