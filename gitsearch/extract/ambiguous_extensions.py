"""File extensions that several languages share, decided by the first bytes of the file."""

from __future__ import annotations

_OBJC = (b"@interface", b"@protocol", b"@class ", b"\n#import ", b"\n@import ", b"@implementation")
_CPP = (
    *(b"\nclass ", b"\nnamespace ", b"\ntemplate<", b"\ntemplate <", b"\nusing ", b"std::"),
    *(b"\npublic:", b"enum class ", b"C++ -*-", b"-*-C++", b'.hpp"', b".hpp>"),
    *(
        b"#include <%s>" % header
        for header in b"algorithm array cassert cstddef cstdint cstdlib cstring functional".split()
        + b"iostream map memory string type_traits utility vector".split()
    ),
)
_PERL = (b"perl", b"\nuse strict", b"\nuse warnings", b"\npackage ", b"\nmy $", b"\nuse Test::")
_PROLOG = (b"\n:- ", b"\n:-", b"\n% ", b"\n%%")
_MAN = (b"\n.TH", b'\n.\\"', b"\n'\\\"", b"\n.Dd", b"\n.so ")

# The rules of an extension, in order: a language, and the marks of which one is enough. A mark
# that starts with a line feed must be at the start of a line. The last rule has no marks and names
# the language of most files with that extension; "" leaves the decision to the first line (a
# shebang).
AMBIGUOUS: dict[bytes, tuple[tuple[str, tuple[bytes, ...]], ...]] = {
    b"h": (("objc", _OBJC), ("cpp", _CPP), ("c", ())),
    b"m": (
        ("objc", (*_OBJC, b"\n#", b"\n//", b"\n/*")),
        ("matlab", (b"\nfunction", b"\n%")),
        ("objc", ()),
    ),
    b"pl": (("perl", _PERL), ("prolog", _PROLOG), ("perl", ())),
    b"pro": (("prolog", _PROLOG), ("text", ())),
    b"t": (("perl", _PERL), ("", ())),
    b"ts": (("xml", (b"\n<?xml", b"\n<!DOCTYPE TS", b"\n<TS ")), ("typescript", ())),
    b"v": (
        ("v", (b"\nmodule main\n", b"\nfn ", b"\npub fn ")),
        ("verilog", (b"`timescale", b"`include", b"`define", b"\nmodule ", b"\n//")),
        (
            "coq",
            (b"\nRequire ", b"\nFrom ", b"\nTheorem ", b"\nLemma ", b"\nDefinition ", b"\n(*"),
        ),
        ("verilog", ()),
    ),
    b"fs": (
        ("glsl", (b"#version", b"\nprecision ", b"\nuniform ", b"\nvarying ", b"gl_", b"\nvoid ")),
        ("fsharp", ()),
    ),
    b"pp": (("pascal", (b"\nunit ", b"\nprogram ", b"{$")), ("puppet", ())),
    b"inc": (
        ("php", (b"<?php", b"<?\n")),
        ("c", (b"\n#include", b"\n#define", b"\n#if", b"\n/*", b"\n//")),
        ("pascal", (b"{$",)),
        ("asm", (b"\n;", b"%macro", b".macro")),
        ("bitbake", (b"\nSUMMARY", b"\nLICENSE", b"\nrequire ", b"\ninherit ", b"\nPV ")),
        ("", ()),
    ),
    b"cls": (
        ("latex", (b"\\", b"\n%")),
        ("vb", (b"VERSION 1.0", b"Attribute VB_")),
        ("apex", ()),
    ),
    b"d": (("make", (b".o:", b".rmeta:", b".rlib:", b".lo:")), ("d", ())),
    b"cl": (("c", (b"__kernel", b"\n#", b"\n//", b"\n/*")), ("commonlisp", ())),
    b"scm": (("query", (b") @", b"] @", b'" @', b"; inherits")), ("scheme", ())),
    b"sls": (("scheme", (b"\n(", b"\n;", b"#!r6rs")), ("yaml", ())),
    b"bb": (("clojure", (b"\n#!", b"\n(", b"\n;")), ("bitbake", ())),
    b"ll": (("parser", (b"\n%{", b"\n%option", b"\n/*")), ("llvm", ())),
    b"fc": (("func", (b"\n;;", b"\n{-", b"#include", b"#pragma", b"\nint ", b"\n()")), ("", ())),
    b"rules": (("udev", (b"SUBSYSTEM", b"KERNEL", b"ACTION", b"ATTR", b"ENV{")), ("", ())),
    b"config": (("xml", (b"\n<", b"\xef\xbb\xbf<")), ("conf", ())),
    **{str(section).encode(): (("man", _MAN), ("", ())) for section in range(1, 9)},
}

# The first bytes of files whose name says nothing, in lower case.
_STARTS = (
    (b"<?xml", "xml"),
    (b"<?php", "php"),
    (b"<!doctype html", "html"),
    (b"<html", "html"),
    (b"-----begin ", "pem"),
    (b"diff --git ", "diff"),
)


def by_head(extension: bytes, head: bytes) -> str:
    """Return the language of a file with an ambiguous extension, "" if its first bytes tell none.

    Raises KeyError for an extension that is not in AMBIGUOUS.
    """
    text = b"\n" + head
    for language, marks in AMBIGUOUS[extension]:
        if not marks or any(mark in text for mark in marks):
            return language
    return ""


def by_first_bytes(head: bytes) -> str:
    """Return the language that the first bytes of a file prove, whatever its name, or ""."""
    start = head[:16].lower()
    return next((language for mark, language in _STARTS if start.startswith(mark)), "")


def interpreter(head: bytes) -> str:
    """Return the program of a `#!` line in lower case, without folder and version, or ""."""
    if not head.startswith(b"#!"):
        return ""
    words = head[2:].split(b"\n", 1)[0].split()
    names = [word.rpartition(b"/")[2] for word in words]
    if names and names[0] == b"env":
        names = [word for word in names[1:] if not word.startswith(b"-") and b"=" not in word]
    if not names:
        return ""
    return names[0].decode("latin-1").lower().rstrip("0123456789.-")
