"""Permalinks: the address at which a forge shows lines of a file of a commit."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

# Addresses of remotes: https://host/path, ssh://git@host:22/path, and git@host:path.
_URL = re.compile(r"(?:https?|ssh|git)://(?:[^@/\s]*@)?([^/:@\s]+)(?::\d+)?/([^\s?#]+)")
_SCP = re.compile(r"(?:[^@/\s:]+@)?([^/:@\s]+):(?!/)([^\s?#]+)")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)


class _Form(NamedTuple):
    """The forms of an address: of a file at a commit, of one line, and of several."""

    file: str
    line: str
    lines: str


_GITHUB = _Form("{base}/blob/{commit}/{path}", "#L{start}", "#L{start}-L{end}")
_GITLAB = _Form("{base}/-/blob/{commit}/{path}", "#L{start}", "#L{start}-{end}")
_GITEA = _Form("{base}/src/commit/{commit}/{path}", "#L{start}", "#L{start}-L{end}")
_BITBUCKET = _Form("{base}/src/{commit}/{path}", "#lines-{start}", "#lines-{start}:{end}")

# By a label of the host: github.com, gitlab.example.org, codeberg.org.
_FORMS = {
    "github": _GITHUB,
    "gitlab": _GITLAB,
    "gitea": _GITEA,
    "forgejo": _GITEA,
    "codeberg": _GITEA,
    "bitbucket": _BITBUCKET,
}


class Forge(NamedTuple):
    """A repository on a forge: its address, and the form of the addresses of its files."""

    base: str
    form: _Form

    def permalink(self, commit: str, path: str, start: int, end: int) -> str:
        """Return the address of lines of a file at a commit."""
        quoted = quote(path.encode("utf-8", "surrogateescape"), safe="/")
        address = self.form.file.format(base=self.base, commit=commit, path=quoted)
        place = self.form.lines if end > start else self.form.line
        return address + place.format(start=start, end=end)


def forge_of(remote: str) -> Forge | None:
    """Return the forge that the address of a remote is of; None for one that is not known."""
    found = _URL.fullmatch(remote) or _SCP.fullmatch(remote)
    if found is None or not _HOST.fullmatch(found[1]):
        return None
    host, path = found[1].lower(), found[2].strip("/").removesuffix(".git")
    form = next((form for name, form in _FORMS.items() if name in host.split(".")), None)
    if form is None or not path:
        return None
    return Forge(f"https://{host}/{quote(path, safe='/~')}", form)
