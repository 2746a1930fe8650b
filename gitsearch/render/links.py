"""Hyperlinks to files for terminals: the escape sequence OSC 8 around a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from gitsearch.errors import bad_setting
from gitsearch.git_conventions import boolean

if TYPE_CHECKING:
    from pathlib import Path

# The address of a file as RFC 8089 has it, and as GNU ls and ripgrep write it.
_FILE = "file://{host}{path}"
_PATH, _LINE, _HOST = "{path}", "{line}", "{host}"


class Links(NamedTuple):
    """The top of the working tree, and the form of an address with {path}, {line} and {host}."""

    top: Path
    form: str

    def around(self, text: str, path: str, line: int | str = 1) -> str:
        """`text` as a link to a line of a file; line: its number, or a first and a last one."""
        first = str(line).partition("-")[0]
        whole = quote(bytes(self.top / path), safe="/")
        address = self.form.replace(_PATH, whole).replace(_LINE, first)
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def links_of(wish: str, top: Path) -> Links | None:
    """Return the links that a value of `color.search.link` means, None for none.

    true: addresses that begin with `file:`; any other text: the form of an address. Raises
    UsageError.
    """
    if boolean(wish) is False:
        return None
    form = _FILE if boolean(wish) else wish
    if _PATH not in form or ":" not in form or not form.isprintable():
        raise bad_setting("color.search.link", wish, f"true, false or an address with {_PATH}")
    if _HOST in form:
        import socket

        form = form.replace(_HOST, quote(socket.gethostname()))
    return Links(top, form)
