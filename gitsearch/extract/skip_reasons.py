"""The reasons to skip a file for its content; `index.file_selection` has those for its path."""

from __future__ import annotations

from gitsearch.extract.languages import LANGUAGES
from gitsearch.git_conventions import LFS_POINTER, is_binary

# A Git LFS pointer is smaller, in bytes.
_LFS_MOST = 1024

# A file with a longer mean line (in bytes) is generated; linguist takes 110 for JavaScript and CSS
# alone. Below the second number a file may be prose with one paragraph a line.
_MINIFIED_MEAN = 400
_MINIFIED_SIZE = 4096


def skip_reason(data: bytes, language: str, *, forced: bool = False) -> str | None:
    """Return the reason not to search a content (binary, lfs, generated), or None.

    forced: an attribute overrules the recognition of generated content.
    """
    if is_binary(data):
        return "binary"
    if len(data) < _LFS_MOST and data.startswith(LFS_POINTER):
        return "lfs"
    row = LANGUAGES.get(language)
    prose = row is not None and row.content == "docs"
    if len(data) >= _MINIFIED_SIZE and not prose and not forced:
        mean = len(data) / (data.count(b"\n") + 1)
        return "generated" if mean > _MINIFIED_MEAN else None
    return None
