"""`git search ci comment`: what a run has found out becomes one comment on the pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.ci import artifact, sticky_comment
from gitsearch.ci.github import FORBIDDEN, GitHub
from gitsearch.ci.run import default_file, text_of
from gitsearch.errors import Foreign, Refused, SearchError, Unanswered, UsageError
from gitsearch.render.markdown import code
from gitsearch.render.output import say

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.ci.event import Pull, Run, WorkflowRun
    from gitsearch.ci.workflow_commands import Steps

_MARKER = re.compile(r"[\w.-]{1,64}", re.ASCII)
# In GitHub's answer where a text is longer than it takes.
_TOO_LONG = "too long"


class CommentRequest(NamedTuple):
    """The file with the report, when to comment, and how our own comment is known."""

    file: Path | None = None
    when: str = "changes"
    marker: str = "default"
    author: str = ""


def comment(request: CommentRequest, about: Run, steps: Steps, hub: GitHub | None = None) -> None:
    """Post the report, or edit or leave the comment that is there; else say why not.

    A report that is none, a token without rights or a GitHub that fails are told of in the job's
    summary, and are no failure of the job.
    """
    if not _MARKER.fullmatch(request.marker):
        raise UsageError(f"a marker has 1 to 64 of A-Z a-z 0-9 _ . -, not '{request.marker}'")
    file = request.file or default_file(about)
    if file is None:
        raise UsageError("no report is given", "say --report <file>")
    if request.when == "never":
        return
    if about.name != "workflow_run" and not file.exists():
        steps.notice("no report was made: there is nothing to comment on")
        return
    report = artifact.read(file)
    text = text_of(report, about)
    try:
        pull = _pull(hub := hub or GitHub(about), about)
        if isinstance(pull, str):
            steps.notice(pull)
            return
        new = request.when == "always" or not report.silent
        body = text + _foot(pull, about)
        posted = _posted(hub, pull, request, body, about, new=new)
    except (Refused, Unanswered, Foreign) as error:
        _instead(error, text, about, steps)
        return
    steps.output("comment-url", posted.url or "")
    say(f"comment on #{pull.number}: {posted.done}")


def _pull(hub: GitHub, about: Run) -> Pull | str:
    """The pull request to comment on, or why there is none.

    Where GitHub knows of a later commit, the run that checks that one will comment.
    """
    other = about.payload.workflow_run
    if about.name == "workflow_run" and other is not None:
        return _pull_of(hub, other)
    mine = about.pull
    if mine is None:
        return "this run is about no pull request: there is nothing to comment on"
    now = hub.pull(mine.number)
    if now.head.sha != mine.head.sha:
        return f"#{now.number} has another head by now: its own run comments"
    return now


def _pull_of(hub: GitHub, other: WorkflowRun) -> Pull | str:
    """The pull request that another run was for, by what GitHub says of that run, and no file.

    GitHub names no pull request in the event where it comes from a fork.
    """
    if other.event != "pull_request" or other.conclusion != "success":
        return "the other run was no successful check of a pull request"
    if other.head_repository is None or other.head_branch is None:
        return "the branch of the other run is gone"
    name = other.head_repository.full_name
    found = [
        pull
        for pull in hub.pulls_from(other.head_repository.owner.login, other.head_branch)
        if pull.head.sha == other.head_sha and pull.head.repo and pull.head.repo.full_name == name
    ]
    if len(found) > 1:
        return "several open pull requests have this head, and which was checked GitHub hides"
    return found[0] if found else "no open pull request has the commit of the other run as head"


def _posted(
    hub: GitHub, pull: Pull, request: CommentRequest, body: str, about: Run, *, new: bool
) -> sticky_comment.Posted:
    def post(text: str) -> sticky_comment.Posted:
        return sticky_comment.post(hub, pull.number, request.marker, text, request.author, new=new)

    try:
        return post(body)
    except Refused as error:
        if _TOO_LONG not in error.message:
            raise
    # by a count of GitHub's own
    return post("The report is too long for a comment." + _foot(pull, about))


def _foot(pull: Pull, about: Run) -> str:
    """What is said of the report by who posts it."""
    other = about.payload.workflow_run
    run = other.id if about.name == "workflow_run" and other else about.id
    return f"\n[Run]({about.log_of(run)}) for `{pull.head.sha}`\n"


def _instead(error: SearchError, text: str, about: Run, steps: Steps) -> None:
    """The summary takes the place of the comment."""
    forbidden = isinstance(error, Refused) and error.status in FORBIDDEN
    why = f"the token may not comment ({error.message})" if forbidden else error.message
    steps.warning(f"no comment: {why}{f'; {error.hint}' if error.hint else ''}")
    steps.summarise(f"git search has not commented: {code(why)}\n")
    if about.name == "workflow_run":
        steps.summarise(text)
