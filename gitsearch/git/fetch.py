"""Commits that a clone does not have, from where it came from.

The only place that lets git use a network, and only `git search ci` comes here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsearch.errors import BadRevision, GitFailed, UsageError, brief
from gitsearch.git.merge_bases import is_shallow
from gitsearch.git.repo import resolve
from gitsearch.git.trees import checked_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo

# Where all other processes of ours may use no protocol at all.
_PROTOCOLS = "https:http:ssh:git:file"
# Nothing is tidied while a check waits, and a connection that stands still ends after a minute.
_OPTIONS = (
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60"),
)
# git takes no larger number of settings.
_COUNT_DIGITS = 9
_FETCH = (
    *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"),
    *("--no-auto-maintenance",),
)


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a clone came from; `header` is sent by HTTP to `server` if it lets nobody in else."""

    repo: Repo
    server: str = ""
    header: str = ""

    def fetch(self, wants: Sequence[str], depth: int | None = None) -> None:
        """Fetch commits by their ids, with so many generations each, or with all (None).

        A clone that has all of its history keeps it, for a depth would cut that off. Raises
        GitFailed where a commit is not to be had.
        """
        limit = []
        if is_shallow(self.repo):
            limit = ["--unshallow" if depth is None else f"--depth={depth}"]
        # an id, for a refspec could also say where to store what comes
        self._run(*_FETCH, *limit, "--end-of-options", "origin", *checked_ids(*wants))

    def tip(self, branch: str) -> str:
        """The id of the commit that a branch is at, there; "" without such a branch."""
        wanted = f"refs/heads/{branch}"
        # git takes the name for a pattern that the end of a ref may match: others come, too
        out = self._run("ls-remote", "--quiet", "--end-of-options", "origin", wanted)
        for line in os.fsdecode(out).split("\n"):
            oid, _, name = line.partition("\t")
            if name == wanted:
                return oid
        return ""

    def _run(self, *args: str) -> bytes:
        allowed = os.environ.get("GIT_ALLOW_PROTOCOL", _PROTOCOLS)
        env = {"GIT_ALLOW_PROTOCOL": allowed}
        try:
            return self.repo.run(*_OPTIONS, *args, env=env)
        except GitFailed:
            if not self.header:
                raise
        # a second header beside one in the configuration would be refused: so it comes second
        return self.repo.run(*_OPTIONS, *args, env=env | self._with_header())

    def _with_header(self) -> dict[str, str]:
        """The configuration as environment: words of a command line can be read by anybody."""
        text = os.environ.get("GIT_CONFIG_COUNT") or "0"
        if not (text.isascii() and text.isdecimal() and len(text) <= _COUNT_DIGITS):
            raise UsageError(
                f"GIT_CONFIG_COUNT is '{brief(text)}', and no number of settings", "unset it"
            )
        count = int(text)
        return {
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": f"http.{self.server}/.extraHeader",
            f"GIT_CONFIG_VALUE_{count}": self.header,
        }


def holds(repo: Repo, rev: str) -> bool:
    """Whether a commit and its tree are here."""
    try:
        resolve(repo, rev)
    except BadRevision:
        return False
    return True
