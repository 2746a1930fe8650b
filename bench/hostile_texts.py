"""Cost of extraction for texts that are made to hurt a parser, and which end its process.

    python -m bench.hostile_texts [LANGUAGE ...] [--size BYTES] [--only TEXT] [--random N]
                                  [--seconds S] [--megabytes M] [--file PATH]

Every text is one short pattern repeated up to --size: each character of punctuation, what opens or
begins something in some language, every literal of the grammar itself, alone, before and after a
name, on one line and on many; indentation that only grows; brackets that close again; --random
sequences of a grammar's literals with a fixed seed. Each is extracted in a child process with
a limit on its memory and on its processor time.

Prints a row for each text that takes more than --seconds of processor time or --megabytes of
memory, or ends its process; nothing is filed, unless --file names where to append the rows to.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import string
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tree_sitter_language_pack import get_language

from gitsearch.extract import syntax
from gitsearch.extract.facts import facts
from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.term_counts import TermCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Limits of a child: bytes of address space, seconds of processor time.
_ADDRESSES = 3 << 30
_PATIENCE = 30

# Bytes of a line where a pattern is spread over lines: short enough that the text does not count
# as generated.
_LINE = 60

# Deeper ladders of indentation would take more text than they are worth.
_STEPS = 1400

# Begins something, or a thing within it, in one language or another.
PATTERNS = (
    "a=>", "a->", "a->b ", "()->", "(a)->", "\\a->", "fn(a)", "f(", "f[", "f{", "a<", "a<b,",
    "a::", "a.b.", "a?.", "a?b:", "a?", "a:", "a,", "a=", "a;", "a|", "a&", "a+", "!a", "-a",
    "*a", "&a", "((", "[[", "{{", "<<", "([{", "({", "[(", "{[", "<(", "`${", "${", "$(", "$((",
    "#{", '"#{', '"${', '"\\(', "'{", "{%", "{{#", "{#", "<%", "<%=", "<?", "<?php ", "?>", "<a>",
    "</a>", "<a ", '<a b="', "<a><b>", "<!--", "-->", "<![CDATA[", "<!DOCTYPE ", "<script>",
    "<style>", "<svg>", "/*", "*/", "/**", "//", "///", "--[[", "[[[", "--[=[", "{-", "-}", "(*",
    "*)", "#|", "|#", "=begin\n", "- ", "-\n", "+ ", "* ", "? ", ": ", "> ", "1. ", "# ", "## ",
    "a: ", "- a: ", "? - ", "|\n", ">-\n", "'", "''", "'''", '"', '""', '"""', "`", "``", "```",
    "```\n", "~~~\n", '"\\', "'\\", "\\", "\\\n", 'r#"', 'r##"', 'R"(', 'R"a(', '@"', '$"{',
    '$@"{', 'f"{', "f'{", "%q(", "%w[", "%(", "q{", "qq{", "m/", "s/a/", "/a/", "<<E\n", "<<-E ",
    "<<~E\n", "<<<E\n", "<<'E'\n", "<< E ", "cat <<E;", "E\n", "@", "@a", "@a(", "@{", "#", "#a",
    "#!", "#[", "#![", "#if a\n", "#ifdef A\n", "#else\n", "#define a(", "#include <",
    "\\begin{a}", "\\a{", "$a", "$$", "$", "%", "%{", "%[", "^", "^[", "~", "~[", "if a ",
    "if (a) ", "if a then ", "if(a){", "else ", "else if ", "for a in ", "while (a) ", "do ",
    "do\n", "begin ", "end ", "end\n", "case a of ", "switch(a){", "match a {", "try {",
    "let a = ", "let a in ", "where ", "fn a(){", "function a(){", "def a():\n", "def a\n",
    "def a = ", "class A{", "class A ", "class A:\n", "struct A{", "enum A{", "module A ",
    "namespace a{", "template<", "template<class a>", "typedef ", "a a ", "a\n", "int a(",
    "int(*", "new ", "new a(", "return ", "lambda a:", "lambda:", "await ", "async ", "yield ",
    "not ", "a and ", "a or ", "a in ", "a is ", "a as ", "import a.", "import {",
    "from a import ", "select ", "select a from (", "(select ", "where a in (", "union ", "a{b:",
    "a{", "a{}", "a()", "a[]", "a<>", "<>", "{}", "[]", "()", "a b{", "@media a{", "&:a{",
    "a:not(", "a>", "1", "1.", ".1", "0x", "1e", "_", "a", "A", "a ", "A ", "é", "名", "\t", " ",
    "\n", "\r", "\r\n", "\x0c", " \n", "\n\n", "\t\n", " a\n", "\ta\n", "a\n b\n", "\x01", "ÿ",
    "\ufeff", "\u2028", "́", "| a ", "|-", "| - |\n", "===\n", "---\n", "***\n", "[a](", "[a][",
    "![", "![a](", "**", "__", "*a ", "_a ", "**a ", "~~", "<a@", "&a;", "&#", ":a:", ".. a::\n",
    "::\n", "a_ ", "`a`_", "|a|", "* a\n  ", "*\n", "** a\n", ":a\n", ";", ";;", ",", ",,", ".",
    "..", "...",
)  # fmt: skip
_OPENERS = ("()", "[]", "{}", "<>", "f()", "a[]", "a{}", "begin end ", "<a></a>", "(**)", "/**/")


class Text(NamedTuple):
    """A hostile text: the language it is read as, what it consists of, and itself."""

    language: str
    name: str
    data: bytes


class Cost(NamedTuple):
    """The cost of one text: seconds of processor time, megabytes beyond those at the start."""

    seconds: float
    megabytes: float
    end: str  # whole: parsed; lines: cut by lines; why it was skipped; or what its process died of


def main() -> None:
    args = _parser().parse_args()
    languages = args.languages or _one_for_each_grammar()
    for language in languages:
        syntax.grammar_query(language, "tags", "imports")
        for text in texts(language, args.size, args.random):
            if args.only and args.only not in text.name:
                continue
            cost = measured(text)
            costly = cost.seconds > args.seconds or cost.megabytes > args.megabytes
            if costly or cost.end.startswith("died"):
                row = (
                    f"| {language} | `{text.name}` | {len(text.data):,} | {cost.seconds:.2f} "
                    f"| {cost.megabytes:.0f} | {cost.end} |"
                )
                print(row, flush=True)
                if args.file:
                    with args.file.open("a", encoding="utf-8") as file:
                        file.write(row + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--size", type=int, default=150_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--random", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--megabytes", type=float, default=500.0)
    parser.add_argument("--file", type=Path)
    return parser


def _one_for_each_grammar() -> list[str]:
    """A language of each grammar, one with queries where there is a choice."""
    rows = sorted(
        (row for row in LANGUAGES.values() if row.grammar), key=lambda row: row.name == row.grammar
    )
    return sorted({row.grammar: row.name for row in rows}.values())


def texts(language: str, size: int, random: int) -> Iterator[Text]:
    """The hostile texts of a language, each of about this many bytes."""
    for pattern in dict.fromkeys(_patterns(language, random)):
        unit = pattern.encode()
        if not unit:
            continue
        flat = unit * (size // len(unit))
        yield Text(language, f"{pattern!r}", flat)
        if b"\n" not in unit:
            line = unit * max(_LINE // len(unit), 1) + b"\n"
            yield Text(language, f"lines of {pattern!r}", line * (size // len(line)))
            yield Text(language, f"{pattern!r} a line", (unit + b"\n") * (size // (len(unit) + 1)))
    for pair in _OPENERS:
        half = len(pair) // 2
        opener, closer = pair[:-half].encode(), pair[-half:].encode()
        depth = size // len(pair)
        yield Text(language, f"nested {pair!r}", opener * depth + b"1" + closer * depth)
    yield from _ladders(language, size)


def _ladders(language: str, size: int) -> Iterator[Text]:
    """Indentation that only grows."""
    for step in (" ", "\t"):
        for head in ("a:", "- a", "if a:", "a", "def a", "where", "* a", "class A", "{", "do"):
            lines: list[bytes] = []
            room = min(size, _STEPS * _STEPS)
            for depth in range(_STEPS):
                lines.append(f"{step * depth}{head}\n".encode())
                room -= len(lines[-1])
                if room < 0:
                    break
            yield Text(language, f"ladder of {head!r} by {step!r}", b"".join(lines))


def _patterns(language: str, random: int) -> Iterator[str]:
    yield from PATTERNS
    yield from string.punctuation
    literals = _literals(language)
    for literal in literals:
        yield from (literal, f"{literal} ", f"{literal} a ", f"a {literal}", f"{literal}a")
    if literals:
        chance = Random(language)
        words = [*literals, *"aA1 \n", "a", "a "]
        for _ in range(random):
            blank = chance.choice(("", " "))
            yield blank.join(chance.choices(words, k=chance.randint(2, 6)))


def _literals(language: str) -> list[str]:
    """Every literal of a grammar, as its table of node types has them."""
    grammar = get_language(cast("Any", LANGUAGES[language].grammar))
    kinds = range(grammar.node_kind_count)
    return sorted(
        {
            name
            for kind in kinds
            if grammar.node_kind_is_visible(kind) and not grammar.node_kind_is_named(kind)
            if (name := grammar.node_kind_for_id(kind))
        }
    )


def measured(text: Text) -> Cost:
    """The cost of extracting a text and counting its terms."""
    return in_child(partial(_extracted, text))


def in_child(work: Callable[[], tuple[float, float, str]]) -> Cost:
    """The cost of some work in a child of its own, with limits; `work` says what it took."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE))
            resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
            with os.fdopen(writer, "wb") as out:
                pickle.dump(work(), out)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        answer = file.read()
    _, status, used = os.wait4(child, 0)
    if answer:
        return Cost(*pickle.loads(answer))
    seconds = used.ru_utime + used.ru_stime
    return Cost(seconds, used.ru_maxrss / 1024, f"died of {os.waitstatus_to_exitcode(status)}")


def _extracted(text: Text) -> tuple[float, float, str]:
    """Seconds, megabytes, and how the text was read."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    found = facts(text.data, text.language, searched=True)
    counter = TermCounter()
    for chunk in found.chunks:
        counter.add(text.data[chunk.start : chunk.end].decode("utf-8", "replace"), ())
    counter.counts()
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    tree = syntax.parse(text.data, LANGUAGES[text.language].grammar or "")
    end = found.skip or ("whole" if tree else "lines")
    return seconds, (after.ru_maxrss - before.ru_maxrss) / 1024, end


if __name__ == "__main__":
    main()
