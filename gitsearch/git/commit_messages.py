"""The messages of commits."""

from __future__ import annotations

from collections.abc import Sequence

from gitsearch.git.repo import Repo

# The end of a message: no message has a NUL.
_END = b"\0\n"


def messages(repo: Repo, commits: Sequence[str]) -> list[str]:
    """Return the messages of commits, given by their ids, in order. Raises GitFailed."""
    if not commits:
        return []
    out = repo.run(
        *("rev-list", "--no-walk=unsorted", "--encoding=UTF-8", "--format=%B%x00", "--stdin"),
        stdin="".join(f"{commit}\n" for commit in commits).encode("ascii"),
    )
    # a line with the id of the commit stands before each message
    texts = (part.partition(b"\n")[2] for part in out.split(_END)[:-1])
    return [text.decode("utf-8", "replace").strip() for text in texts]
