"""`git search ci plan`: the steps that the Action runs for an event, and the key of its cache.

The modes exist because of forks: the token of their checks may not comment, so a second workflow
comments, which has the permission and runs none of their code.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.ci.runner import Run, Steps
    from gitsearch.index.session import Session


class CacheKey(NamedTuple):
    """The cache key of HEAD's index, the prefix of older keys that serve as well, and the folder.

    The folder is relative to the current one, because a cache is found by the same path only.
    """

    key: str
    prefix: str
    folder: str


def key_of(session: Session) -> CacheKey:
    """Return the cache key of a repository.

    Facts are kept by blob, so the index of another tree is right too, and saves all but the
    difference. An index of another version or model would save nothing: these are in the prefix.
    """
    from gitsearch.store.facts_schema import RECORD_VERSION

    store, head = session.store, session.head
    prefix = f"git-search-v{RECORD_VERSION}-{store.fingerprint}-{store.recipe}-"
    folder = os.path.relpath(store.folder, session.cwd)
    return CacheKey(prefix + (head.tree if head else "empty"), prefix, folder)


def plan(session: Session, mode: str, run: Run, steps: Steps, *, cache: bool) -> None:
    """Set the outputs that the conditions of the other steps read."""
    comments_only = mode == "comment" or (mode == "auto" and run.name == "workflow_run")
    if run.name == "pull_request_target":
        steps.warning(
            "a job on pull_request_target checks out the base branch, so there is no change to "
            "report: run it on pull_request"
        )
    # without a checkout this raises before any output is set, and no other step runs
    key = None if comments_only else key_of(session)
    flags = {
        "run": not comments_only,
        "comment": comments_only or (mode == "auto" and run.pull is not None),
        "restore": cache and not comments_only,
        "save": cache and not comments_only and run.may_save,
    }
    for name, flag in flags.items():
        steps.output(name, "true" if flag else "false")
    for name, value in key._asdict().items() if key else ():
        steps.output(name, value)
