"""`git search ci plan`: which steps of the Action are for this event, and the key of the cache.

Forks are why there are modes at all: their checks have a token that may not comment, so a second
workflow does it, which has the rights and none of their code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.ci.cache_key import key_of

if TYPE_CHECKING:
    from gitsearch.ci.event import Run
    from gitsearch.ci.workflow_commands import Steps
    from gitsearch.index.session import Session


def plan(session: Session, mode: str, about: Run, steps: Steps, *, cache: bool) -> None:
    """Set the outputs that the conditions of the steps ask for."""
    posts_only = mode == "comment" or (mode == "auto" and about.name == "workflow_run")
    comments = posts_only or (mode == "auto" and about.pull is not None)
    if about.name == "pull_request_target":
        steps.warning("pull_request_target checks the base: use pull_request, as the manual says")
    # before anything is said: without a checkout it raises, and no step has anything to do
    key = None if posts_only else key_of(session)
    steps.output("run", _word(not posts_only))
    steps.output("comment", _word(comments))
    steps.output("restore", _word(cache and not posts_only))
    steps.output("save", _word(cache and not posts_only and about.may_save))
    if key is not None:
        for name, value in key._asdict().items():
            steps.output(name, value)


def _word(value: bool) -> str:  # noqa: FBT001
    return "true" if value else "false"
