"""No grammar of the table hangs, crashes or loses a byte, whatever text it is given."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gitsearch.extract import languages
from tests.sample import TOPICS

ROOT = Path(__file__).parents[2]
GRAMMARS = sorted({row.grammar for row in languages.LANGUAGES.values() if row.grammar})

# Scanners are C code: they may loop where no signal of Python reaches them, or end the process.
# So each grammar works in a process of its own that may use so many seconds.
CUT = """
import json, os, resource, sys
from itertools import pairwise
from gitsearch.extract import chunks, syntax

def cut(grammar, texts):
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for text in texts:
        tree = syntax.parse(text, grammar)
        if tree is not None:
            starts = chunks.cut_tree(tree.root_node, text)
            assert starts[0] == 0
            assert all(a < b for a, b in pairwise([*starts, len(text)]))

asked = json.load(sys.stdin)
texts = [bytes.fromhex(text) for text in asked["texts"]]
ends = {}
for grammar in asked["grammars"]:
    child = os.fork()
    if not child:
        try:
            cut(grammar, texts)
        except BaseException as error:
            print(grammar, repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    ends[grammar] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
json.dump(ends, sys.stdout)
"""

WORDS = [
    "if",
    "then",
    "else",
    "end",
    "begin",
    "do",
    "while",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "<",
    ">",
    "'",
    '"',
    "`",
    "\\",
    "#",
    "@",
    "$",
    "%",
    "&",
    "|",
    "~",
    "^",
    "!",
    "?",
    "1",
    "a",
    "_",
    "-",
    "IDENTIFICATION",
    "DIVISION",
]
TEXTS = [
    *("\n".join(t.render(name) for t in TOPICS[:3]).encode() for name in ("c", "markdown")),
    " ".join(WORDS[(7 * n * n + 3 * n) % len(WORDS)] for n in range(400)).encode(),
    "\n".join(WORDS[(5 * n * n + n) % len(WORDS)] for n in range(200)).encode(),
    bytes(range(1, 256)) * 4,
    "größe 名前\n".encode() * 30,
    b"(" * 300 + b"'\"`" * 100,
    b"\n\n   \n\t\n x",
]  # fmt: skip


def ends(grammars):
    asked = {"grammars": grammars, "texts": [text.hex() for text in TEXTS]}
    done = subprocess.run(
        [sys.executable, "-c", CUT],
        cwd=ROOT,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_are_grammars_to_try():
    assert len(GRAMMARS) > 100


@pytest.mark.long
def test_a_grammar_cuts_any_text_whole():
    failed = {grammar: end for grammar, end in ends(GRAMMARS).items() if end}
    assert failed == {}, "a negative number is the signal that ended the process"
