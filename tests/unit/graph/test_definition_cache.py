"""What is kept of graphs of definitions: found again, made anew if it is damaged, and bounded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gitsearch import trace
from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.commands.verify import verify
from gitsearch.errors import Damaged
from gitsearch.graph import definition_cache
from gitsearch.store import layout, lock, sections
from tests.builder import RepoBuilder
from tests.killing import killed
from tests.unit.commands.asked import Aside, Listener, session, warm_parsers
from tests.unit.index.fixtures import copy_of

FILES = {
    "one.py": "class One:\n    def run(self):\n        return 1\n",
    "two.py": "from one import One\n\n\nclass Two(One):\n    def go(self):\n        self.run()\n",
    "use.py": (
        "from two import Two\n\n\ndef use(other):\n    other.stop()\n    return Two().run()\n"
    ),
    "notes.md": "# Notes\n",
}


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A repository whose definitions are resolved; never to be changed."""
    warm_parsers()
    repo = RepoBuilder(tmp_path_factory.mktemp("known") / "repo").having(FILES)
    asked(repo)
    return repo


@pytest.fixture
def known(template, tmp_path):
    """A copy of it."""
    return copy_of(template, tmp_path / "repo")


def asked(repo):
    """The arrays of the graph of the working tree, and what was said on the way."""
    listener = Listener()
    code_graph = open_code_graph(select_tree(session(repo.path, listener)))
    arrays = {name: array.copy() for name, array in code_graph.definitions.arrays.items()}
    return arrays, listener.notes


def kept(repo, kind):
    return sorted((repo.index_dir / layout.VIEWS).glob(f"*{kind}*"), key=lambda one: one.name)


def counted(repo):
    """How many files are extracted, and resolved, until a question is answered."""
    names = ("files with uses extracted", "files with uses resolved")
    before = [trace._counts.get(name, 0) for name in names]
    asked(repo)
    return tuple(trace._counts[name] - count for name, count in zip(names, before, strict=True))


def same(one, other):
    assert one.keys() == other.keys()
    return all(np.array_equal(array, other[name]) for name, array in one.items())


def test_what_is_kept_is_found_again(known):
    assert counted(known) == (0, 0)


def test_a_tree_with_the_same_contents_at_other_places_extracts_nothing(known):
    known.rename("two.py", "app/two.py")
    known.commit()
    assert counted(known) == (0, 2)


@pytest.mark.parametrize("kind", [layout.DEFINITIONS, layout.USES])
def test_a_damaged_file_is_told_of_and_made_anew(known, kind):
    first, _ = asked(known)
    [file] = kept(known, kind)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    if kind == layout.USES:
        # it is needed for another tree only
        known.append("one.py", "\n")
    found, notes = asked(known)
    assert [note.rpartition("; ")[2] for note in notes] == ["making it anew"]
    assert same(found, first) or kind == layout.USES
    known.commit()
    for file in [*kept(known, layout.DEFINITIONS), *kept(known, layout.USES)]:
        file.unlink()
    assert same(found, asked(known)[0])


def test_files_are_resolved_anew_where_the_graph_of_files_is_gone(known):
    for file in kept(known, layout.GRAPH):
        file.unlink()
    known.replace("one.py", "return 1", "return 2")
    assert counted(known) == (1, 3)


def test_the_graph_of_files_stays_that_the_next_tree_is_made_from(known):
    for number in range(12):
        known.append("one.py", f"\nx{number} = {number}\n")
        assert open_code_graph(select_tree(session(known.path))).graph.files == 4
    # eight as of all kinds, and the one
    assert len(kept(known, layout.GRAPH)) == 9
    assert counted(known) == (1, 1)


def test_who_cannot_write_answers_all_the_same(known):
    known.replace("one.py", "def run", "def walk")
    names = [file.name for file in kept(known, layout.USES)]
    with lock.writer(known.index_dir, 0.0):
        held, _ = asked(known)
    assert [file.name for file in kept(known, layout.USES)] == names
    assert same(held, asked(known)[0])
    assert len(kept(known, layout.USES)) == 2


@pytest.mark.long
def test_few_files_are_kept(known):
    for number in range(12):
        known.append("one.py", f"\nx{number} = {number}\n")
        asked(known)
    assert len(kept(known, layout.USES)) == 2
    assert len(kept(known, layout.DEFINITIONS)) == 8


def test_words_that_are_unused_are_dropped(known, monkeypatch):
    def words():
        newest = max(kept(known, layout.USES), key=lambda file: file.stat().st_mtime_ns)
        return len(read(known, newest)["word_ends"]) - 1

    before = words()
    many = "".join(f"    other.name_{number}()\n" for number in range(3 * before))
    known.append("use.py", f"\n\ndef more(other):\n{many}")
    asked(known)
    known.append("one.py", "\n")
    asked(known)
    assert words() > 3 * before
    # both trees that are kept have too many words: the next one is made from nothing but facts
    known.write("use.py", FILES["use.py"])
    known.append("one.py", "\n")
    assert counted(known)[1] == 3
    known.append("one.py", "\n")
    assert counted(known) == (1, 1)


# ---------------------------------------------------------------- several processes, and kills

PREPARE = """
from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
"""
ASK = "graph = open_code_graph(select_tree(Session(pathlib.Path()))).definitions"


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", pytest.param("after", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "call", [1, *(pytest.param(call, marks=pytest.mark.long) for call in range(2, 6))]
)
def test_a_process_that_is_killed_while_it_writes_leaves_what_is_sound(repo, call, when):
    # no copy, the record of which would be written anew first
    asked(repo.having(FILES))
    repo.replace("one.py", "def run", "def walk")
    repo.commit()
    # the view, the graph of files, that of definitions and what is kept of files are written
    moment = ("gitsearch.store.layout", "replace", call, when)
    assert killed(repo.path, PREPARE, ASK, moment) == (call < 5)
    found, notes = asked(repo)
    assert notes == []
    with Aside(repo):
        assert same(found, asked(repo)[0])
    assert verify(session(repo.path)).problems == ()


@pytest.mark.long
def test_processes_that_ask_at_once_have_one_answer(known):
    known.replace("one.py", "def run", "def walk")
    tell = "print({name: array.tolist() for name, array in graph.arrays.items()})"
    imports = "import pathlib\nfrom gitsearch.index.session import Session\n"
    program = f"{imports}{PREPARE}\n{ASK}\n{tell}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=known.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    told = [process.communicate() for process in asking]
    assert [error for _, error in told] == [b"", b"", b""]
    arrays = {name: array.tolist() for name, array in asked(known)[0].items()}
    assert {answer.decode().strip() for answer, _ in told} == {str(arrays)}
    assert verify(session(known.path)).problems == ()


# ---------------------------------------------------------------- what is refused


def read(repo, file):
    return sections.read(repo.index_dir, f"{layout.VIEWS}/{file.name}")


FAULTS = {
    "edge_target": lambda array, nodes: array.__setitem__(0, nodes),
    "edge_source": lambda array, nodes: array.__setitem__(0, nodes),
    "edge_kind": lambda array, _: array.__setitem__(0, 200),
    "base_of": lambda array, nodes: array.__setitem__(0, nodes),
    "base_value": lambda array, nodes: array.__setitem__(0, nodes),
    "called": lambda array, nodes: array.__setitem__(0, nodes),
    "use_name": lambda array, nodes: array.__setitem__(0, nodes),
    "definition_parent": lambda array, _: array.__setitem__(0, 0),
    "use_scope": lambda array, _: array.__setitem__(0, 100),
    "edge_ends": lambda array, _: array.__setitem__(-1, 1),
    "asked_ends": lambda array, _: array.__setitem__(-1, 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_facts_that_refer_to_what_is_not_there_are_refused(known, name):
    [file] = kept(known, layout.USES)
    sound = read(known, file)
    definition_cache.check_facts(sound)
    array = sound[name].astype(np.int64)
    FAULTS[name](array, 10_000)
    wrong = sections.Sections({**sound.arrays, name: array}, sound.meta, sound.name)
    with pytest.raises(Damaged, match=name):
        definition_cache.check_facts(wrong)


@pytest.mark.parametrize("name", ["edge_target", "edge_kind", "definition", "name"])
def test_a_graph_that_refers_to_what_is_not_there_is_refused(known, name):
    [file] = kept(known, layout.DEFINITIONS)
    sound = read(known, file)
    definition_cache.check_graph(sound)
    array = sound[name].astype(np.int64)
    array[-1] = 10_000
    wrong = sections.Sections({**sound.arrays, name: array}, sound.meta, sound.name)
    with pytest.raises(Damaged, match=name):
        definition_cache.check_graph(wrong)
