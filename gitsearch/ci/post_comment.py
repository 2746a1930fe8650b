"""`git search ci comment`: post the report of a run as one comment on the pull request.

The comment is found again by its first line and its author, and edited. Whoever may comment can
write our first line too, and a token may edit what others wrote: so both must match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.ci import artifact
from gitsearch.ci.github import FORBIDDEN, GitHub
from gitsearch.ci.run import default_file, text_of
from gitsearch.errors import Foreign, Refused, SearchError, Unanswered, UsageError
from gitsearch.render.markdown import code
from gitsearch.render.output import say

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.ci.github import Comment
    from gitsearch.ci.runner import Pull, Run, Steps, WorkflowRun

_MARKER = re.compile(r"[\w.-]{1,64}", re.ASCII)
# In GitHub's answer where a text is longer than it takes.
_TOO_LONG = "too long"
# The account of the token that each job is given, here and on GitHub Enterprise.
_JOBS = "github-actions[bot]"


class CommentRequest(NamedTuple):
    """The file with the report, when to comment, and the marker and author of our comment."""

    file: Path | None = None
    when: str = "changes"
    marker: str = "default"
    author: str = ""


def comment(request: CommentRequest, run: Run, steps: Steps, hub: GitHub | None = None) -> None:
    """Post the report as a comment, or edit our comment; if neither is needed, say why.

    If the token lacks permissions or GitHub fails, the report is in the summary of the job, which
    does not fail. Raises Unfit for a file that is no report.
    """
    if not _MARKER.fullmatch(request.marker):
        raise UsageError(
            f"the comment marker '{request.marker}' is not valid",
            "use 1 to 64 of the characters A-Z a-z 0-9 _ . -",
        )
    file = request.file or default_file(run)
    if file is None:
        raise UsageError("no report file is given", "add --report <file>")
    if request.when == "never":
        return
    if run.name != "workflow_run" and not file.exists():
        steps.notice("no comment is posted: the previous step wrote no report")
        return
    report = artifact.read(file)
    text = text_of(report, run)
    try:
        pull = _pull(hub := hub or GitHub(run), run)
        if isinstance(pull, str):
            steps.notice(f"no comment is posted: {pull}")
            return
        new = request.when == "always" or not report.silent
        url, outcome = _post(hub, pull, request, text, run, new=new)
    except (Refused, Unanswered, Foreign) as error:
        _summarise_instead(error, text, run, steps)
        return
    steps.output("comment-url", url)
    say(f"pull request #{pull.number}: {outcome}")


def _pull(hub: GitHub, run: Run) -> Pull | str:
    """Return the pull request to comment on, or the reason why there is none.

    If GitHub knows of a later commit, the run that checks that one will comment.
    """
    if run.name == "workflow_run" and run.payload.workflow_run is not None:
        return _pull_of(hub, run.payload.workflow_run)
    if run.pull is None:
        return "this workflow run does not belong to a pull request"
    now = hub.pull(run.pull.number)
    if now.head.sha != run.pull.head.sha:
        return f"pull request #{now.number} has newer commits, whose workflow run will comment"
    return now


def _pull_of(hub: GitHub, checked: WorkflowRun) -> Pull | str:
    """Return the pull request of another run, by what GitHub says of that run and no file.

    GitHub names no pull request in the event where it comes from a fork.
    """
    if checked.event != "pull_request" or checked.conclusion != "success":
        return "the workflow run before this one was not a successful run for a pull request"
    if checked.head_repository is None or checked.head_branch is None:
        return "the branch or fork of the pull request was deleted"
    name = checked.head_repository.full_name
    pulls = [
        pull
        for pull in hub.pulls_from(checked.head_repository.owner.login, checked.head_branch)
        if pull.head.sha == checked.head_sha
        and pull.head.repo
        and pull.head.repo.full_name == name
    ]
    if len(pulls) > 1:
        return "several open pull requests have the checked commit as their head"
    return pulls[0] if pulls else "no open pull request has the checked commit as its head"


def _post(
    hub: GitHub, pull: Pull, request: CommentRequest, text: str, run: Run, *, new: bool
) -> tuple[str, str]:
    """Create or edit the comment; without `new` only edit it. Returns its URL, and what was done.

    Raises Refused and Unanswered as GitHub does, and Foreign if it is unknown whether a comment
    with the marker is ours.
    """
    first_line = marker_line(request.marker)
    checked = run.payload.workflow_run if run.name == "workflow_run" else None
    foot = f"\n[Run]({run.log_of(checked.id if checked else run.id)}) for `{pull.head.sha}`\n"

    def ours() -> Comment | None:
        return _newest_of_ours(hub, hub.comments(pull.number), first_line, request.author)

    def write(text: str) -> tuple[str, str]:
        body = f"{first_line}\n{text}{foot}"
        known = ours()
        if known is None:
            if not new:
                return "", "nothing to report, and no comment to update"
            return hub.create(pull.number, body, ours).html_url, "comment created"
        if known.body.replace("\r\n", "\n").rstrip() == body.rstrip():
            return known.html_url, "comment is up to date"
        return hub.edit(known.id, body).html_url, "comment updated"

    try:
        return write(text)
    except Refused as error:
        # longer by GitHub's own way of counting
        if _TOO_LONG not in error.message:
            raise
    return write("The report is too long for a comment.")


def marker_line(marker: str) -> str:
    """Return the first line of a comment, which is not shown."""
    return f"<!-- git-search:impact:{marker} -->"


def _newest_of_ours(
    hub: GitHub, comments: list[Comment], first_line: str, author: str
) -> Comment | None:
    newest = {
        each.user.login: each
        for each in comments
        if each.user and each.body.startswith(first_line)
    }
    if not newest:
        return None
    login: str | None = author or _JOBS
    if login not in newest and not author:
        login = hub.login()
    if login is not None:
        return newest.get(login)
    bots = [name for name, each in newest.items() if each.user and each.user.type == "Bot"]
    if bots:
        raise Foreign(
            f"'{bots[0]}' wrote a comment with this marker, and GitHub does not say whether that "
            "is the account of this token",
            "if it is, set comment-author to that name; else choose another comment-marker",
        )
    return None


def _summarise_instead(error: SearchError, text: str, run: Run, steps: Steps) -> None:
    """Write the reason, and in the second workflow also the report, to the summary of the job."""
    forbidden = isinstance(error, Refused) and error.status in FORBIDDEN
    reason = error.message
    if forbidden:
        reason = f"the token has no permission to comment ({reason})"
    steps.warning(f"no comment: {reason}{f'; {error.hint}' if error.hint else ''}")
    steps.summarise(f"git search could not comment: {code(reason)}\n")
    if run.name == "workflow_run":
        steps.summarise(text)
