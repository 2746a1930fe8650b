"""The text of the comments of definitions and of files."""

from textwrap import dedent

import pytest

from gitsearch.extract.comments import about

TEXTS = {
    '"""Reads things. And more."""\nimport os\n': "Reads things.",
    "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n'''Reads\nthings\n\nmore'''\n": "Reads things",
    "# Copyright 2024 Somebody\n\n# What it is\nx = 1\n": "What it is",
    "# frozen_string_literal: true\n\n# What it is\nclass A; end\n": "What it is",
    "/*\n * Licensed under a licence\n */\n\n// Package a reads things.\npackage a\n": (
        "Package a reads things."
    ),
    "//! Reads things.\n//!\n//! More.\n\nuse a;\n": "Reads things.",
    "#![warn(x)]\n//! Reads things.\n": "Reads things.",
    "/* eslint-disable */\n'use strict';\n/** @file Reads things */\n": "Reads things",
    "-- Reads things\nlocal a = 1\n": "Reads things",
    ";;; Reads things\n(define a 1)\n": "Reads things",
    'defmodule A do\n  @moduledoc """\n  Reads things.\n  """\n': "Reads things.",
    "<?php\n\n/**\n * Reads things.\n */\n": "Reads things.",
    "#ifndef A_H\n#define A_H\n\n/* Reads things */\n": "Reads things",
    "#include <a.h>\n/* not of the file */\nint a;\n": "",
    "import os\n\n# of the next line\nx = 1\n": "",
    "": "",
    "\n": "",
    "/* never closed": "",
    '"""never closed': "",
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_first_sentence_at_the_head(text):
    assert about(text.encode()) == TEXTS[text]


JAVA = dedent("""\
    /*
     * Copyright somebody
     */
    package a;

    import b.C;

    /**
     * Keeps {@link C} in order. Not for the faint.
     *
     * @see C
     */
    public class Order {}
    """)


def test_what_stands_above_the_definition_that_a_file_is_about():
    assert about(JAVA.encode()) == ""
    assert about(JAVA.encode(), JAVA.index("public")) == "Keeps C in order."
    rust = "use a;\n\n/// Keeps\n/// order.\npub struct Order;\n"
    assert about(rust.encode(), rust.index("pub")) == "Keeps order."
    plain = "use a;\n\n// done later\npub struct Order;\n"
    assert about(plain.encode(), plain.index("pub")) == ""


def test_a_long_sentence_is_shortened_at_a_word():
    found = about(b"# " + b"word " * 60)
    assert len(found) <= 120
    assert found.endswith("word...")
