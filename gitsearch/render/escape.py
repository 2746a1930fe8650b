"""Make text from a repository harmless: terminal escapes, control and bidi characters, paths."""

from __future__ import annotations

import re
from functools import cache

# C0 (but tab), DEL, C1, line and paragraph separators, bidi controls and marks, invisible
# operators, byte-order marks, interlinear anchors, lone surrogates (bytes that are no UTF-8),
# tag characters. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
_UNSAFE = (
    "\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
# A path is also quoted where git quotes it: a tab, a double quote, a backslash.
_QUOTED = '\t"\\\\'
_QUOTED_ASCII = re.compile(rb'[\x00-\x1f\x7f"\\]')
_QUOTED_BYTES = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')
_LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


@cache
def _unsafe(more: str = "") -> re.Pattern[str]:
    """Compiled when something has to be escaped, which is seldom."""
    return re.compile(f"[{_UNSAFE}{more}]")


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if 0xDC80 <= point <= 0xDCFF:  # a byte that is no UTF-8, as os.fsdecode keeps it
        return f"\\x{point - 0xDC00:02x}"
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def plain(text: str) -> str:
    r"""`text` with whatever could steer a terminal spelled out, as \x1b or \u202e."""
    if text.replace("\t", "").isprintable():
        return text
    return _unsafe().sub(_escape, text)


def folded(text: str) -> str:
    """`text` on one line: runs of white space become one space, the rest as in `plain`."""
    return plain(" ".join(text.split()))


def _octal(match: re.Match[str]) -> str:
    character = match.group()
    letter = _LETTERS.get(ord(character))
    if letter:
        return "\\" + letter
    return "".join(f"\\{byte:03o}" for byte in raw(character))


def quoted(path: str) -> str:
    """`path` as git shows it with core.quotePath=false: in C quotes where that is needed."""
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    unquotable = _unsafe(_QUOTED)
    return f'"{unquotable.sub(_octal, path)}"' if unquotable.search(path) else path


def c_quoted(path: bytes, *, beyond_ascii: bool) -> bytes:
    """`path` as git prints it to programs: in C quotes where that is needed.

    beyond_ascii: every byte beyond ASCII needs it, as with core.quotePath, git's default.
    """
    needed = _QUOTED_BYTES if beyond_ascii else _QUOTED_ASCII
    if needed.search(path) is None:
        return path
    return b'"%s"' % needed.sub(_quoted_byte, path)


def _quoted_byte(match: re.Match[bytes]) -> bytes:
    byte = match.group()[0]
    letter = _LETTERS.get(byte)
    return f"\\{letter}".encode() if letter else b"\\%03o" % byte


def raw(text: str) -> bytes:
    """The bytes that `text` was decoded from; a surrogate of no byte is kept as its code."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def lossy(text: str) -> str:
    """`text` as valid Unicode: bytes that are no UTF-8 become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return raw(text).decode("utf-8", "replace")
    return text


def _json_escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x10000:
        return f"\\u{point:04x}"
    point -= 0x10000
    return f"\\u{0xD800 + (point >> 10):04x}\\u{0xDC00 + (point & 0x3FF):04x}"


def json_safe(document: str) -> str:
    """A JSON document with unsafe characters spelled as JSON escapes; the values stay equal.

    Line feeds stay, for they can only stand between tokens.
    """
    # of ASCII, JSON itself spells out all that is unsafe but DEL
    if document.isascii() and "\x7f" not in document:
        return document
    if document.isprintable():
        return document
    return _unsafe().sub(lambda m: "\n" if m.group() == "\n" else _json_escape(m), document)
