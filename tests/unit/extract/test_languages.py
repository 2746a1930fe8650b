from __future__ import annotations

import typing

import pytest
import tree_sitter_language_pack

from gitsearch.extract import languages, path_kinds
from gitsearch.extract.ambiguous_extensions import AMBIGUOUS, interpreter
from tests.every import check_every

CONTENTS = ("code", "docs", "config", "data")

# Grammars of pieces of files (comments, format strings, ...) and of files nobody keeps in git.
NOT_FILES = {
    "cobol",  # takes gigabytes for some lines of other text
    *("chatito", "comment", "doxygen", "gitcommit", "gstlaunch", "jsdoc", "luadoc", "luap"),
    *("markdown_inline", "printf", "psv", "test"),
}

GRAMMARS = sorted({row.grammar for row in languages.LANGUAGES.values() if row.grammar})


def test_every_grammar_of_the_pack_is_in_the_table_or_known_to_be_no_file():
    pack = set(typing.get_args(tree_sitter_language_pack.SupportedLanguage))
    assert len(pack) > 150
    assert pack - set(GRAMMARS) == NOT_FILES


def test_the_pack_has_the_grammar():
    def check(grammar):
        assert tree_sitter_language_pack.get_language(grammar).node_kind_count > 1

    check_every(GRAMMARS, check)


def test_rows_are_well_formed():
    assert len(languages.LANGUAGES) > 200
    for name, row in languages.LANGUAGES.items():
        assert row.name == name == name.lower()
        assert row.content in CONTENTS
        assert all(extension == extension.lower() for extension in row.extensions)
        assert not any(extension.startswith(".") for extension in row.extensions)


@pytest.mark.parametrize("values", ["extensions", "filenames", "interpreters", "aliases"])
def test_no_two_languages_claim_the_same(values):
    claims = [value for row in languages.LANGUAGES.values() for value in getattr(row, values)]
    twice = {claim for claim in claims if claims.count(claim) > 1}
    assert twice == set()


def test_shared_extensions_name_languages_of_the_table():
    named = {language for rules in AMBIGUOUS.values() for language, _ in rules if language}
    assert named <= set(languages.LANGUAGES)
    assert all(rules[-1][1] == () for rules in AMBIGUOUS.values())


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/app.py", "python"),
        ("types.pyi", "python"),
        ("a/b.C", "c"),
        ("main.CPP", "cpp"),
        ("x.tsx", "tsx"),
        ("x.mts", "typescript"),
        ("x.jsx", "javascript"),
        ("build.gradle.kts", "kotlin"),
        ("build.gradle", "groovy"),
        ("project.csproj", "xml"),
        ("Gemfile", "ruby"),
        ("lib/x.gemspec", "ruby"),
        ("Rakefile", "ruby"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("ci/Containerfile", "dockerfile"),
        ("Makefile", "make"),
        ("makefile", "make"),
        ("GNUmakefile", "make"),
        ("Makefile.linux", "make"),
        ("Makefile-cross", "make"),
        ("rules.mk", "make"),
        ("CMakeLists.txt", "cmake"),
        ("CMakeLists.txt.in", "cmake"),
        ("config.h.in", ""),
        ("nginx.conf.template", "conf"),
        ("pkg/BUILD", "starlark"),
        ("pkg/BUILD.bazel", "starlark"),
        ("WORKSPACE", "starlark"),
        ("MODULE.bazel", "starlark"),
        ("pkg/build", ""),
        ("go.mod", "gomod"),
        ("go.sum", "gosum"),
        ("Cargo.lock", "toml"),
        ("Pipfile", "toml"),
        ("yarn.lock", "lockfile"),
        ("package-lock.json", "json"),
        ("Jenkinsfile", "groovy"),
        ("Jenkinsfile.release", "groovy"),
        (".bashrc", "bash"),
        ("install.bats", "bash"),
        (".gitignore", "gitignore"),
        ("sub/.gitattributes", "gitattributes"),
        (".editorconfig", "ini"),
        ("setup.cfg", "ini"),
        (".env.production", "properties"),
        ("requirements.txt", "requirements"),
        ("dev-requirements.txt", "requirements"),
        ("requirements_test.txt", "requirements"),
        ("notes.txt", "text"),
        ("README.md", "markdown"),
        ("README", ""),
        ("LICENSE-MIT", ""),
        ("docs/index.rst", "rst"),
        ("paper.tex", "latex"),
        ("a.yml", "yaml"),
        (".clang-format", "yaml"),
        ("a.svg", "svg"),
        ("de.po", "po"),
        ("key.pem", "pem"),
        ("x.tf", "terraform"),
        ("x.nix", "nix"),
        ("a.html.erb", "embeddedtemplate"),
        ("meson.build", "meson"),
        ("folder.py/file", ""),
        ("no-extension", ""),
        (".hidden", ""),
    ],
)
def test_the_path_decides(path, language):
    assert languages.decided_by_path(path.encode()) == language
    assert languages.detect(path.encode(), b"") in {language, "text", "c"}


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a.h", b"#ifndef A_H\n#define A_H\nint f(void);\n", "c"),
        ("a.h", b"#pragma once\n#include <vector>\n", "cpp"),
        ("a.h", b"#pragma once\nnamespace a {\n", "cpp"),
        ("a.h", b"class A {\npublic:\n", "cpp"),
        ("a.h", b"/* this class of errors is template material */\n", "c"),
        ("a.h", b"#import <Foundation/Foundation.h>\n@interface A : NSObject\n", "objc"),
        ("config.h.in", b"#undef HAVE_X\n", "c"),
        ("a.m", b"#import <UIKit/UIKit.h>\n", "objc"),
        ("a.m", b"function y = f(x)\n% F doubles\n", "matlab"),
        ("a.m", b"% a script\nx = 1;\n", "matlab"),
        ("a.pl", b"use strict;\n", "perl"),
        ("a.pl", b":- module(a, [b/1]).\n", "prolog"),
        ("a.t", b"use Test::More;\n", "perl"),
        ("a.t", b"  $ hg init\n", "text"),
        ("a.ts", b"import x from 'y'\n", "typescript"),
        ("a.ts", b'<?xml version="1.0"?>\n<!DOCTYPE TS>\n', "xml"),
        ("a.v", b"`timescale 1ns/1ps\nmodule top(input clk);\n", "verilog"),
        ("a.v", b"module main\n\nfn main() {\n", "v"),
        ("a.v", b"Require Import List.\n", "coq"),
        ("a.fs", b"module Main\nopen System\n", "fsharp"),
        ("a.fs", b"#version 330\n", "glsl"),
        ("a.pp", b"class apache {\n", "puppet"),
        ("a.pp", b"unit Foo;\ninterface\n", "pascal"),
        ("a.inc", b"<?php\n", "php"),
        ("a.inc", b"#define X 1\n", "c"),
        ("a.cls", b"\\NeedsTeXFormat{LaTeX2e}\n", "latex"),
        ("a.cls", b"public class A {\n", "apex"),
        ("a.d", b"main.o: main.c\n", "make"),
        ("a.d", b"module a;\n", "d"),
        ("highlights.scm", b"(identifier) @variable\n", "query"),
        ("a.scm", b"(define x 1)\n", "scheme"),
        ("git.1", b'.\\" man page\n.TH GIT 1\n', "man"),
        ("lib.so.1", b"\x7fELF", "text"),
        ("run", b"#!/usr/bin/env python3\n", "python"),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#!/usr/bin/env -S deno run --allow-net\n", "typescript"),
        ("run", b"#!/usr/bin/node --harmony\n", "javascript"),
        ("run", b"#! /usr/bin/perl -w\n", "perl"),
        ("run", b"#!/opt/unknown\n", "text"),
        ("run.in", b"#!/usr/bin/ruby2.7\n", "ruby"),
        ("page", b"<!DOCTYPE html>\n", "html"),
        ("feed", b'<?xml version="1.0"?>\n', "xml"),
        ("x.unknown", b"hello", "text"),
        ("\udcff\udcfe.py", b"", "python"),
    ],
)
def test_the_first_bytes_decide_where_the_path_does_not(path, head, language):
    assert languages.detect(path.encode(errors="surrogateescape"), head) == language


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"#!/usr/bin/python3.11\n", "python"),
        (b"#!/usr/bin/env LANG=C bash", "bash"),
        (b"#!/usr/bin/env", ""),
        (b"#!\n", ""),
        (b"# comment", ""),
        (b"#!/usr/bin/lua5.4 -i", "lua"),
    ],
)
def test_the_interpreter_of_a_shebang(line, name):
    assert interpreter(line) == name


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("Python", "python"),
        ("c++", "cpp"),
        ("C#", "csharp"),
        ("sh", "bash"),
        (".rs", "rust"),
        ("rb", "ruby"),
        ("golang", "go"),
        ("md", "markdown"),
        ("yml", "yaml"),
        ("objective-c", "objc"),
        ("klingon", None),
        ("\udcff", None),
        ("", None),
    ],
)
def test_a_person_names_a_language(word, language):
    assert languages.named(word) == language


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "a/test_b.py",
        "b_test.py",
        "conftest.py",
        "pkg/a_test.go",
        "spec/a.rb",
        "a_spec.rb",
        "src/a.test.ts",
        "src/a.spec.jsx",
        "src/a.cy.ts",
        "src/__tests__/a.js",
        "src/test/java/A.java",
        "ATest.java",
        "ATests.kt",
        "ASpec.scala",
        "ASuite.scala",
        "OrderIT.java",
        "TestOrder.java",
        "Tests/ATests/A.swift",
        "SnapKitTests/A.swift",
        "MessagePack.Tests/A.cs",
        "ATest.php",
        "t/t0001-init.sh",
        "checks/parser.bats",
        "test_parser.sh",
        "testdata/a.json",
        "tests.rs",
        "kotlinx-coroutines-core/jvm/test/A.kt",
        "commonTest/A.kt",
    ],
)
def test_these_are_tests(path):
    assert path_kinds.is_test(path.encode())
    assert path_kinds.noise(path.encode()) & path_kinds.TEST


@pytest.mark.parametrize(
    "path",
    [
        "src/latest.py",
        "contest.go",
        "latest/a.py",
        "attestation.rs",
        "Testament.java",
        "src/a.ts",
        "lib/inspect.rb",
        "src/spectrum.c",
        "src/Audit.java",
        "test",
        "protest/a.c",
        "lib/test_functions.bash",
    ],
)
def test_these_are_not_tests(path):
    assert not path_kinds.is_test(path.encode())


@pytest.mark.parametrize(
    "path",
    [
        "package-lock.json",
        "web/yarn.lock",
        "pnpm-lock.yaml",
        "Cargo.lock",
        "poetry.lock",
        "uv.lock",
        "Gemfile.lock",
        "composer.lock",
        "go.sum",
        "flake.lock",
        "a.min.js",
        "a.min.css",
        "a.js.map",
        "a.pb.go",
        "a_pb2.py",
        "a_pb2_grpc.pyi",
        "a.g.dart",
        "Form.Designer.cs",
        "App.xcodeproj/project.pbxproj",
        "zz_generated.deepcopy.go",
    ],
)
def test_these_are_generated(path):
    assert path_kinds.is_generated_name(path.encode())
    assert path_kinds.noise(path.encode()) & path_kinds.GENERATED


@pytest.mark.parametrize(
    "path",
    ["package.json", "Cargo.toml", "src/lock.py", "map.js", "a.map", "admin.js", "generated.md"],
)
def test_these_are_not_generated(path):
    assert not path_kinds.is_generated_name(path.encode())


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("src/a.py", ()),
        ("examples/a.py", ("example",)),
        ("docs_src/a.py", ("example",)),
        ("docs/guide/a.py", ("docs",)),
        ("CHANGELOG.md", ("docs",)),
        ("HISTORY", ("docs",)),
        ("src/history.go", ()),
        ("src/history.h", ()),
        ("src/compat/a.py", ("compat",)),
        ("a/_compat.py", ("compat",)),
        ("src/compatible.py", ()),
        ("a/__init__.py", ("barrel",)),
        ("src/index.ts", ("barrel",)),
        ("src/mod.rs", ("barrel",)),
        ("types/a.d.ts", ("declarations",)),
        ("index.d.ts", ("barrel", "declarations")),
        ("vendor/github.com/a/b.go", ("vendored",)),
        ("deps/lua/lapi.c", ("vendored",)),
        ("src/deps/a.c", ()),
        ("third_party/x/tests/y.cc", ("test", "vendored")),
        ("Examples/Tests/a.swift", ("test", "example")),
    ],
)
def test_the_kinds_of_a_path(path, kinds):
    found = path_kinds.noise(path.encode())
    assert {name for name, bit in path_kinds.KINDS.items() if found & bit} == set(kinds)


def test_every_kind_has_its_own_bit():
    assert sorted(path_kinds.KINDS.values()) == [1 << bit for bit in range(len(path_kinds.KINDS))]


@pytest.mark.parametrize(
    "path",
    [
        *("src/cart.py", "tests/test_cart.py", "cart_test.go", "CartTest.java", "docs/Cart.md"),
        *("cart.spec.ts", "a/b/cart.h", "CartTests.cs", "cart-test.js", ".cart.yml"),
    ],
)
def test_files_about_one_thing_have_one_stem(path):
    assert path_kinds.stem(path.encode()) == b"cart"


def test_a_stem_is_never_empty_and_folds_dashes():
    stems = [path_kinds.stem(path) for path in (b"test_.py", b"a-b.c", b".x", b"Test.java", b"")]
    assert stems == [b"test_", b"a_b", b"x", b"test", b""]
