"""Fetching of missing commits and files from the remote of a clone.

The only place that lets git use a network; only `git search ci` calls it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from gitsearch.errors import BadRevision, GitFailed, UsageError, brief
from gitsearch.git.merge_bases import is_shallow
from gitsearch.git.repo import Repo, resolve
from gitsearch.git.trees import absent_objects, checked_ids

# Other git processes of this program may use no protocol at all.
PROTOCOLS = "https:http:ssh:git:file"
# No garbage collection while a check waits; a stalled connection ends after a minute.
OPTIONS = (
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60"),
)
# git accepts no larger number of settings.
_COUNT_DIGITS = 9
_FETCH = (
    *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"),
    *("--no-auto-maintenance",),
)
# Nothing that is there is named to the server, as a clone that has a tree is taken to have its
# files. Without a filter, as one also drops a file that is wanted if a folder of it is, too.
_FETCH_OBJECTS = ("-c", "fetch.negotiationAlgorithm=noop", *_FETCH, "--no-filter", "--stdin")


@dataclass(frozen=True, slots=True)
class Remote:
    """The remote "origin"; `header` is sent to `server` if a request without it fails."""

    repo: Repo
    server: str = ""
    header: str = ""

    def fetch(self, wants: Sequence[str], depth: int | None = None) -> None:
        """Fetch commits by id, with `depth` generations each, or with the whole history (None).

        The depth is ignored in a complete clone, as it would cut its history. Raises GitFailed if
        a commit is not available.
        """
        limit = []
        if is_shallow(self.repo):
            limit = ["--unshallow" if depth is None else f"--depth={depth}"]
        # ids only, because a refspec could also update refs
        self._run(*_FETCH, *limit, "--end-of-options", "origin", *checked_ids(*wants))

    def complete(self, commits: Sequence[str]) -> None:
        """Fetch the trees and files of commits that a partial clone lacks, all at once.

        Raises GitFailed if one of them is not available.
        """
        if missing := absent_objects(self.repo, *commits):
            ids = "".join(f"{oid}\n" for oid in sorted(missing)).encode("ascii")
            self._run(*_FETCH_OBJECTS, "--end-of-options", "origin", stdin=ids)

    def tip(self, branch: str) -> str:
        """Return the commit id of a branch of the remote; "" if it has no such branch."""
        wanted = f"refs/heads/{branch}"
        # git lists all refs that end in the name, so others have to be filtered out
        out = self._run("ls-remote", "--quiet", "--end-of-options", "origin", wanted)
        for line in os.fsdecode(out).split("\n"):
            oid, _, name = line.partition("\t")
            if name == wanted:
                return oid
        return ""

    def _run(self, *args: str, stdin: bytes | None = None) -> bytes:
        allowed = os.environ.get("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        env = {"GIT_ALLOW_PROTOCOL": allowed}
        try:
            return self.repo.run(*OPTIONS, *args, stdin=stdin, env=env)
        except GitFailed:
            if not self.header:
                raise
        # only now, because a server refuses two headers, and one may be configured already
        return self.repo.run(*OPTIONS, *args, stdin=stdin, env=env | self._with_header())

    def _with_header(self) -> dict[str, str]:
        """Settings with the header, as environment: all users can read command lines."""
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
    """Return True if a commit and its tree are in this repository."""
    try:
        resolve(repo, rev)
    except BadRevision:
        return False
    return True
