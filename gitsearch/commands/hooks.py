"""`git search hooks`: install, remove and show the hooks; `run` is what they start."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace

from gitsearch.errors import Damaged, SearchError, Unwritable
from gitsearch.git import background_process, hook_installer
from gitsearch.index.session import Session
from gitsearch.reports.maintenance import HooksReport
from gitsearch.store import layout

_SHOWN = 6

# Bytes of the log that are read; it is renamed long before it has as many.
_LARGEST = 1 << 20


def install(session: Session, *, everywhere: bool) -> HooksReport:
    """Install the hooks in this repository, or in the user's configuration."""
    hook_installer.install(session.cwd, everywhere=everywhere)
    return status(session)


def uninstall(session: Session, *, everywhere: bool) -> HooksReport:
    """Remove the hooks; all files are as they were before."""
    hook_installer.uninstall(session.cwd, everywhere=everywhere)
    return status(session)


def status(session: Session) -> HooksReport:
    """The state of the hooks, and the end of their log."""
    folder = session.repo.common_dir / layout.FOLDER
    try:
        text = layout.content(folder / layout.LOG, layout.LOG, _LARGEST)
        lines = text.decode("utf-8", "replace").splitlines()
    except (FileNotFoundError, Damaged):
        lines = []
    pending = layout.exists(folder / layout.PENDING)
    return HooksReport(tuple(hook_installer.states(session.cwd)), pending, tuple(lines[-_SHOWN:]))


def run(session: Session, *, wait: bool) -> None:
    """Prepare the index for HEAD of every worktree, in a process of its own unless `wait`."""
    repo = session.repo
    folder = repo.common_dir / layout.FOLDER
    if os.environ.get("CI") or not layout.exists(folder / layout.RECORD):
        layout.clear(folder / layout.PENDING)
        return
    if not wait:
        # who looks for a run sees that it is asked for, before its process holds the lock
        with suppress(Unwritable):
            layout.add(folder / layout.PENDING, b"")
        if not background_process.detach(repo.common_dir):
            return
    from gitsearch.index import background_update

    # what git says to a hook is about one worktree and one command, and soon not true any more
    for name in repo.run("rev-parse", "--local-env-vars").decode("ascii").split():
        os.environ.pop(name, None)
    shared = replace(repo, git_dir=repo.common_dir, worktree=None, prefix="")
    every = Session.of(shared, repo.top)
    try:
        every.settings  # noqa: B018  what is wrong with them is logged before anything is done
        enabled = every.hooks_enabled
    except SearchError as error:
        background_update.log(folder, f"failed: {error.message}")
        layout.clear(folder / layout.PENDING)
        return
    if enabled:
        background_update.run(every, folder)
    else:
        layout.clear(folder / layout.PENDING)
