"""What pages with pictures have in common: colours, and text that is harmless in XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from gitsearch.render.escape import plain

# The colours of pictures and pages, for bright and dark screens.
COLOURS = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #8c959f; --line: #d0d7de;
  --file: #0969da; --test: #1a7f37; --alarm: #cf222e; --ground: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #8d96a0; --line: #30363d;
  --file: #58a6ff; --test: #56d364; --alarm: #ff7b72; --ground: #0d1117; } }
"""

_STYLE = """
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; background: var(--ground);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .2rem .6rem .2rem 0;
  text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td, h1 { overflow-wrap: anywhere; } td:nth-child(2) { font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; max-height: 90vh; } p { color: var(--soft); }
"""


def text(words: str) -> str:
    """Return text of a repository, harmless to terminals first, then for XML."""
    return escape(plain(words))


def page(title: str, body: Iterable[str]) -> Iterator[str]:
    """A page of HTML that loads nothing. title: as `text` returns it."""
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width">\n'
    yield f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<h1>{title}</h1>\n"
    yield from body
    yield "</body>\n</html>\n"


def row(cells: Iterable[str], name: str = "td") -> str:
    """A row of a table; the cells are as `text` returns them."""
    return f"<tr>{''.join(f'<{name}>{cell}</{name}>' for cell in cells)}</tr>\n"
