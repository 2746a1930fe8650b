"""Texts made to hurt a parser: each is cut whole, in little memory, and ends no process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]

# Megabytes that a text of a megabyte may take beyond those of the program; seconds of processor
# time after which it counts as a hang.
MOST = 500
HANG = 30

# Language, name, beginning, what is repeated, bytes, end; and whether any parser can be expected
# to read it. The worst of each class, as `python -m bench.hostile_texts` finds them.
LINES, EITHER = "lines", "either"
TEXTS = [
    # recovery from an error with all of the text on the stack
    ("java", "arrows", "", "a=>", 1_000_000, "", LINES),
    ("java", "arrows with other names", "", "a=>b1=>", 60_000, "", LINES),
    ("c", "lines of arrows", "", "a=>\n", 60_000, "", LINES),
    ("java", "arrows behind a class", "class A { int a; }\n", "a=>\n", 60_000, "", LINES),
    ("java", "as many arrows as are parsed", "", "a=>", 2_000, "", EITHER),
    ("csharp", "lines of generics", "", "< a < a < a < a\n", 150_000, "", LINES),
    ("bash", "pipes", "", "a |", 150_000, "", LINES),
    ("kotlin", "annotations", "", "@a\n", 150_000, "", LINES),
    ("java", "short stretches", "", "a=>" * 20 + ";\n", 150_000, "", LINES),
    # scanners that look ahead to the end from each token
    ("swift", "number signs", "", "#", 150_000, "", LINES),
    ("swift", "number signs, then a line", "", "#", 150_000, "\nx\n", LINES),
    ("bicep", "quotes", "", '"', 150_000, "", LINES),
    ("haskell", "backslashes", "", "\\", 150_000, "", LINES),
    ("javascript", "comments in comments", "", "/**\n", 1_000_000, "", LINES),
    ("rst", "nested calls", "", "f(", 150_000, ")" * 9, LINES),
    ("pony", "angles", "", "<a", 150_000, "", LINES),
    ("lua", "lines of byte-order marks", "", "\ufeff" * 20 + "\n", 150_000, "", LINES),
    # scanners that write behind their buffer
    ("yaml", "sequences", "", "- ", 60_000, "", LINES),
    ("yaml", "sequences behind a key", "a: >", "- ", 60_000, "", LINES),
    ("yaml", "keys", "", "? ", 60_000, "", LINES),
    ("yaml", "values", "", ": ", 60_000, "", LINES),
    ("markdown", "quotations", "", "> ", 150_000, "", LINES),
    ("markdown", "items of a list", "", "- ", 60_000, "a", LINES),
    ("agda", "brackets", "", ")", 60_000, "", LINES),
    ("typst", "brackets", "", "#[", 60_000, "]", LINES),
    # a scanner that never returns
    ("perl", "a comment that ends with the text", "foo ", "#", 1, "", EITHER),
    ("perl", "a quote that ends with the text", "", 'q#"', 60_000, "", EITHER),
    # work after the parse
    ("cpp", "names", "int a", ",a", 150_000, ";\n", EITHER),
    ("json", "brackets", "", "[", 500_000, "", EITHER),
    ("python", "closing brackets", "", ")", 1_000_000, "", EITHER),
    ("html", "elements", "", "<div>", 1_000_000, "", EITHER),
]  # fmt: skip

# Each text in a child of its own, all of one process that has what they need.
CHILDREN = """
import json, os, resource, sys
from gitsearch.extract import syntax
from gitsearch.extract.facts import facts
from gitsearch.extract.languages import LANGUAGES

def cut(language, data, writer):
    resource.setrlimit(resource.RLIMIT_CPU, (HANG, HANG))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = facts(data, language, searched=True)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    ends = [0, *(chunk.end for chunk in found.chunks)]
    whole = ends[-1] == len(data) and ends[:-1] == [chunk.start for chunk in found.chunks]
    parsed = syntax.parse(data, LANGUAGES[language].grammar) is not None
    os.write(writer, json.dumps([used / 1024, whole, parsed]).encode())

HANG, texts = json.load(sys.stdin)
answers = []
for language, _, head, unit, size, tail, _ in texts:
    data = (head + unit * (size // len(unit)) + tail).encode()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            cut(language, data, writer)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        answer = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    answers.append([code, json.loads(answer) if answer else None])
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def answers():
    done = subprocess.run(
        [sys.executable, "-c", CHILDREN],
        cwd=ROOT,
        input=json.dumps([HANG, TEXTS]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return {text[:2]: answer for text, answer in zip(TEXTS, json.loads(done.stdout), strict=True)}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"{text[0]}: {text[1]}")
def test_a_text_is_cut_whole_in_little_memory_and_ends_no_process(answers, text):
    code, answer = answers[text[:2]]
    assert code == 0, "a negative number is the signal that ended the process"
    megabytes, whole, parsed = answer
    assert whole
    assert megabytes < MOST
    if text[-1] == LINES:
        assert not parsed


def test_a_repository_of_such_texts_is_searched(installed, repo):
    names = {"java": "java", "swift": "swift", "yaml": "yaml", "perl": "pl", "typst": "typ"}
    for number, (language, _, head, unit, size, tail, _) in enumerate(TEXTS):
        if language in names:
            text = head + unit * (min(size, 60_000) // len(unit)) + tail
            repo.write(f"{number}.{names[language]}", text)
    repo.write(".gitattributes", "* search\n")
    repo.write("retry.py", "def retry_delay():\n    return 1\n")
    repo.commit()
    done = installed.run("retry", "delay", cwd=repo.path, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("retry.py:")
