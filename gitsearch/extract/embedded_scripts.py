"""The scripts inside a component file (Vue, Svelte), and their imports.

The grammars of such files return a script as one text node. All scripts of a file are parsed as
one program in which the markup is replaced with blanks, so that line numbers stay the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.extract import symbols, syntax

if TYPE_CHECKING:
    from gitsearch.records import Import

COMPONENTS = frozenset({"vue", "svelte"})

_BLANKS = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


def imports(root: syntax.Node, data: bytes, language: str) -> tuple[Import, ...]:
    """Return the imports of the scripts below a node, in order of position."""
    scripts = program(root, data, language)
    tree = syntax.parse(*scripts) if scripts else None
    return symbols.structure(tree.root_node, *scripts).imports if scripts and tree else ()


def program(root: syntax.Node, data: bytes, language: str) -> tuple[bytes, str] | None:
    """Return the scripts below a node as one text, and its grammar; None if there is no script.

    The text has the length of `data`, and each script is at its own offset.
    """
    query = syntax.grammar_query(language, "scripts")
    if query is None:
        return None
    matches = [captures for _, captures in syntax.matches(query, root)]
    spans = sorted({node.byte_range for match in matches for node in match.get("script", ())})
    if not spans:
        return None
    text = bytearray(data.translate(_BLANKS))
    for start, end in spans:
        text[start:end] = data[start:end]
        text[end : end + 1] = b";"[: len(text) - end]
    # The grammar of TypeScript accepts JavaScript too, but parses a JSX element as a cast.
    return bytes(text), "tsx" if any("jsx" in match for match in matches) else "typescript"
