"""Bare clones that are brought up to their source, and repositories made of blobs of others.

Only `gitsearch.cluster` calls it: it lets git use a network.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gitsearch.git.fetch import OPTIONS, PROTOCOLS
from gitsearch.git.repo import (
    DROPPED,
    LOCATION,
    NO_COMMANDS,
    Repo,
    Running,
    environment,
    open_at_head,
    spawn,
)
from gitsearch.git.trees import private_index
from gitsearch.records import TreeEntry

# The line of `git ls-remote --symref` that names the default branch.
_DEFAULT = re.compile(rb"^ref: (refs/heads/\S+)\tHEAD$", re.MULTILINE)

# Seconds after which a clone or a fetch is given up: `git://` waits for ever by itself.
LONGEST = 2 * 3600.0

# How the names of clones begin that are not done.
_UNDONE = ".clone-"

# Asks nobody, and ends a connection that says nothing for a minute.
_SSH = "ssh -oBatchMode=yes -oConnectTimeout=30 -oServerAliveInterval=15 -oServerAliveCountMax=4"

# An author and a date, so that the same blobs make the same commit.
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "git search"), ("EMAIL", "git-search"), ("DATE", "@0 +0000"))
}


def sweep(folder: Path) -> None:
    """Remove what clones that were killed have left in a folder; none may be under way."""
    for left in folder.glob(f"{_UNDONE}*"):
        shutil.rmtree(left, ignore_errors=True)


def update(source: str, folder: Path) -> None:
    """Clone a repository, bare, or fetch what is new in it. Raises GitFailed, NotARepository.

    A clone that was interrupted leaves nothing behind under its name; one of another source is
    made anew.
    """
    if folder.exists():
        repo = open_at_head(folder, apart=True)[0]
        if repo.run("config", "--get", "remote.origin.url").decode().strip("\n") == source:
            _fetch(repo)
            return
        repo.end_idle()
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=_UNDONE, dir=folder.parent))
    try:
        _run(folder.parent, *OPTIONS, "clone", "--quiet", "--bare", "--", source, str(made))
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fetch(repo: Repo) -> None:
    branches = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    options = ("--quiet", "--prune", "--no-write-fetch-head", "--no-auto-maintenance")
    # a fetch does not tell which branch is the default one now
    told = _asked(repo, "ls-remote", "--symref", "origin", "HEAD")
    _asked(repo, "fetch", *options, "origin", *branches)
    if default := _DEFAULT.search(told):
        repo.run("symbolic-ref", "HEAD", os.fsdecode(default[1]))


def _asked(repo: Repo, *args: str) -> bytes:
    """The output of a command that uses a network."""
    process = repo.pipe(*OPTIONS, *args, env=_allowed(), stdin=False, stderr=True)
    return Running(process, args, ok=(0,)).result(timeout=LONGEST)


def repository_of(folder: Path, entries: Iterable[TreeEntry], stores: Sequence[Path]) -> Repo:
    """Return a bare repository whose HEAD has these files, which lie in stores of objects."""
    if not folder.exists():
        _run(folder.parent, "init", "--quiet", "--bare", "--", str(folder))
    alternates = folder / "objects" / "info" / "alternates"
    alternates.write_text("".join(f"{store}\n" for store in stores), encoding="utf-8")
    repo = open_at_head(folder, apart=True)[0]
    with tempfile.TemporaryDirectory(dir=folder) as private:
        env = private_index(repo, Path(private), entries)
        tree = os.fsdecode(repo.run("write-tree", env=env)).strip()
    made = repo.run("commit-tree", "-m", "blobs of several repositories", tree, env=_AUTHOR)
    repo.run("update-ref", "HEAD", os.fsdecode(made).strip())
    return repo


def _allowed() -> Mapping[str, str]:
    given = os.environ.get
    return {
        "GIT_ALLOW_PROTOCOL": given("GIT_ALLOW_PROTOCOL", PROTOCOLS),
        "GIT_SSH_COMMAND": given("GIT_SSH_COMMAND", _SSH),
    }


def _run(folder: Path, *args: str) -> None:
    env = {**environment(LOCATION | DROPPED), **_allowed()}
    process = spawn(("git", *NO_COMMANDS, *args), folder, env, stdin=False, stderr=True)
    Running(process, args, ok=(0,)).result(timeout=LONGEST)
