"""What a blob holds follows from its bytes and its language, and skipping has a reason."""

import gc

import pytest

from gitsearch.extract.facts import BlobFacts, facts, structure
from gitsearch.extract.languages import hint, settled
from gitsearch.extract.skip_reasons import skip_reason
from tests.sample import LFS_POINTER, PNG, RETRY, minified

CODE = b"def f():\n    return g()\n"


def test_code_has_chunks_definitions_references_and_imports():
    data = RETRY.render("python").encode()
    found = facts(data, "python")
    assert found.skip is None
    names = {one.qualified for one in found.definitions}
    assert {"RetryPolicy", "RetryPolicy.compute_delay", "clamp_jitter"} <= names
    more = structure(data, "python")
    assert tuple(d._replace(signature="", doc="") for d in more.definitions) == found.definitions
    assert "clamp_jitter" in {one.name for one in more.references}
    assert "logging" in {one.specifier for one in more.imports}
    assert found.lines == RETRY.render("python").count("\n")


def test_facts_are_the_same_each_time():
    data = RETRY.render("typescript").encode()
    assert facts(data, "typescript") == facts(data, "typescript")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", b"WORD = '\xe4'\nclass Last:\n    pass\n"),
        ("javascript", b"const word = '\xe4';\nfunction Last() {}\n"),
        ("typescript", b"const word: string = '\xe4';\nfunction Last() {}\n"),
        ("ruby", b"WORD = '\xe4'\nclass Last\nend\n"),
        ("php", b"<?php\ndefine('\xe4', '\xe4');\nfunction Last() {}\n"),
        ("go", b'package a\nvar word = "\xe4"\nfunc Last() {}\n'),
        ("java", b'class A {\n  String word = "\xe4";\n}\nclass Last {}\n'),
        ("c", b'char *w\xf6rd = "\xe4";\n#define NAME \xe4\nint Last(void) { return 0; }\n'),
        ("rust", b"// \xe4\nfn Last() {}\n"),
    ],
)
def test_a_text_that_is_not_utf8_has_definitions(language, text):
    # a predicate of a query that fails leaves its error to what comes after it
    assert "Last" in [one.name for _ in range(3) for one in facts(text, language).definitions]
    assert "Last" in [one.name for one in structure(text, language).definitions]


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_afterwards_as_it_was_before(enabled):
    assert gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        facts(CODE, "python")
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def test_nothing_is_left_for_a_collection():
    data = RETRY.render("typescript").encode()
    facts(data, "typescript")
    gc.collect()
    kept = facts(data, "typescript")
    assert gc.collect() == 0
    assert kept.definitions


@pytest.mark.parametrize("language", ["text", "no such language", "requirements"])
def test_a_text_without_a_grammar_is_cut_by_lines(language):
    found = facts(b"one\ntwo\n", language)
    assert [(chunk.start, chunk.end) for chunk in found.chunks] == [(0, 8)]
    assert found.definitions == ()
    assert found.lines == 2


@pytest.mark.parametrize(
    ("data", "lines"), [(b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"a\r\nb\r\n", 2), (b"\na\n", 2)]
)
def test_lines_are_counted_as_an_editor_does(data, lines):
    assert facts(data, "text").lines == lines


def test_an_empty_file_holds_nothing_and_is_not_skipped():
    assert facts(b"", "python") == BlobFacts()


@pytest.mark.parametrize("data", [b" ", b"\n\n", b"\t\r\n  \x0c"])
def test_a_blank_file_is_one_chunk(data):
    found = facts(data, "python")
    assert [(chunk.start, chunk.end) for chunk in found.chunks] == [(0, len(data))]


HOSTILE = {
    "invalid UTF-8": b"\xff\xfe\x80 def f():\n" * 50,
    "half a character": "名".encode()[:2],
    "control characters": bytes(range(1, 32)) * 40,
    "a lone carriage return": b"a\rb\rc",
    "unclosed": b"((((([[[[[{{{{{'''\"\"\"",
    "deeply nested": b"(" * 3_000 + b")" * 3_000,
    "nothing but quotes": b"'" * 10_000,
    "very long name": b"def " + b"a" * 50_000 + b"(): pass\n",
    "a byte-order mark": b"\xef\xbb\xbf" + CODE,
    "two byte-order marks": b"\xff\xfe" + CODE,
}


@pytest.mark.parametrize("language", ["python", "javascript", "cpp", "markdown", "yaml", "text"])
@pytest.mark.parametrize("content", HOSTILE)
def test_no_content_is_too_strange(content, language):
    data = HOSTILE[content]
    found = facts(data, language, searched=True)
    assert found.skip is None
    assert found.chunks[0].start == 0
    assert found.chunks[-1].end == len(data)


# ---------------------------------------------------------------- skipping


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (PNG, "binary"),
        (b"text" * 10 + b"\0", "binary"),
        (b"a" * 7_999 + b"\0", "binary"),
        (b"a\n" * 4_000 + b"\0", None),
        (LFS_POINTER.encode(), "lfs"),
        (LFS_POINTER.encode() + b"more\n" * 300, None),
        (b"The line\nversion https://git-lfs.github.com/spec/v1\n", None),
        (minified().encode(), "generated"),
        (minified(3_000).encode(), None),
        (CODE * 1000, None),
        (b"x" * 100_000, "generated"),
        ((b"x" * 390 + b"\n") * 100, None),
        (b"", None),
    ],
)
def test_a_content_is_skipped_for_a_reason(data, reason):
    assert skip_reason(data, "javascript") == reason
    found = facts(data, "javascript")
    assert found.skip == reason
    if reason:
        assert found == BlobFacts(skip=reason)


@pytest.mark.parametrize("language", ["markdown", "text", "rst"])
def test_prose_with_one_paragraph_a_line_is_not_generated(language):
    paragraph = "A paragraph that is written in one long line, as some editors like it. " * 12
    assert skip_reason((paragraph + "\n\n").encode() * 20, language) is None


def test_what_is_asked_for_is_searched_though_it_is_generated():
    data = minified().encode()
    found = facts(data, "javascript", searched=True)
    assert found.skip is None
    assert found.definitions[0].name == "f0"


@pytest.mark.parametrize("data", [PNG, LFS_POINTER.encode()])
def test_what_is_no_text_is_not_searched_even_when_asked_for(data):
    assert facts(data, "javascript", searched=True).skip is not None


# ---------------------------------------------------------------- languages


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        (b"a/b.py", b"", "python"),
        (b"Makefile", b"", "make"),
        (b"script", b"#!/usr/bin/env python3\n", "python"),
        (b"bin/run", b"#!/bin/sh\n", "bash"),
        (b"x.h", b"#include <stdio.h>\nint f(void);\n", "c"),
        (b"x.h", b"#pragma once\nnamespace a {\nclass B {\npublic:\n};\n}\n", "cpp"),
        (b"notes", b"just words\n", "text"),
        (b"x.unheard-of", b"just words\n", "text"),
    ],
)
def test_a_language_is_settled_by_path_and_content(path, content, language):
    assert settled(hint(path), content) == language


def test_where_the_path_decides_the_content_has_no_say():
    assert settled(hint(b"a.py"), b"#!/bin/sh\n") == "python"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"a/b.py", b"c/d.py"),
        (b"a.h", b"lib/b.h"),
        (b"scripts/copy-backup", b"scripts/nightly-copy"),
        (b"LICENSE", b"docs/COPYING"),
        (b"run", b"bin/run-all"),
    ],
)
def test_what_a_path_tells_of_a_content_survives_a_rename(one, other):
    # facts are kept by (blob, hint): another hint is another extraction of the same content
    assert hint(one) == hint(other)
