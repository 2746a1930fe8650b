"""The scripts inside a component file (Vue, Svelte), and what they import.

The grammars of such files leave a script as one piece of text. All of them are parsed as one
program, in which blanks stand for the markup around, so that lines stay what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.extract import symbols, syntax

if TYPE_CHECKING:
    from gitsearch.records import Import

COMPONENTS = frozenset({"vue", "svelte"})

_BLANKS = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


def imports(root: syntax.Node, data: bytes, language: str) -> tuple[Import, ...]:
    """What the scripts below a node import, in order of position."""
    found = program(root, data, language)
    tree = syntax.parse(*found) if found else None
    return symbols.structure(tree.root_node, *found).imports if found and tree else ()


def program(root: syntax.Node, data: bytes, language: str) -> tuple[bytes, str] | None:
    """The scripts below a node as a text of the same length, and its language; None: no script."""
    query = syntax.grammar_query(language, "scripts")
    if query is None:
        return None
    found = [captures for _, captures in syntax.matches(query, root)]
    spans = sorted({node.byte_range for one in found for node in one.get("script", ())})
    if not spans:
        return None
    text = bytearray(data.translate(_BLANKS))
    for start, end in spans:
        text[start:end] = data[start:end]
        text[end : end + 1] = b";"[: len(text) - end]
    # The grammar for TypeScript reads JavaScript too, but takes an element for a cast.
    return bytes(text), "tsx" if any("jsx" in one for one in found) else "typescript"
