"""An index that somebody else made: every verb says one line and answers as over a sound one.

Each case copies a small repository with a sound index, damages the copy, and asks. Files of a copy
look otherwise than its seal says, as those of any index that is handed over.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from gitsearch.store import sections
from tests.builder import RepoBuilder
from tests.confinement import allows
from tests.corruption.tables import rows
from tests.hostile.forked import forked
from tests.hostile.outcome import orderly, survived
from tests.sample import CACHE, RETRY
from tests.unit.commands.asked import warm_parsers
from tests.unit.index.fixtures import copy_of

pytestmark = pytest.mark.long

# What is asked; the answers must be those of the sound index.
ASKING = {
    "search": ("pause before a failed request is sent again",),
    "def": ("def", "main"),
    "refs": ("refs", "give_up"),
    "outline": ("outline", "main.py"),
    "impact": ("impact", "main.py"),
    "related": ("related", "main.py"),
    "dup": ("dup",),
    "map": ("map",),
    "architecture": ("architecture",),
    "exists": ("exists", "give_up"),
    "exists not": ("exists", "never_written"),
    "conventions": ("conventions", "main.py"),
    "report": ("report", "--base", "HEAD~1"),
}
# What looks after the index; what they say depends on its state.
KEEPING = {
    "refresh off": ("retry", "--refresh", "off"),
    "status": ("status",),
    "status --check": ("status", "--check"),
    "index": ("index",),
    "index --dry-run": ("index", "--dry-run"),
    "index --rebuild": ("index", "--rebuild"),
    "verify": ("verify",),
    "gc": ("gc",),
    "sql": ("sql", "select count(*) from chunk"),
    "hooks run": ("hooks", "run", "--wait"),
    "hooks status": ("hooks", "status"),
}

# Asks for every kind of file: views, edits, vectors; graph and shape; the filter of words.
EVERY_FILE = ("search", "map", "exists not")

long = pytest.mark.long


class Index:
    """A repository with an index to be damaged, and what it must answer all the same."""

    def __init__(self, repo: RepoBuilder, right: dict[str, tuple[int, str]]) -> None:
        self.repo = repo
        self.right = right
        self.folder = repo.index_dir
        self.outside = repo.path.parent / "outside"

    def file(self, pattern: str) -> Path:
        """The newest file of a pattern."""
        return max(self.folder.glob(pattern), key=lambda path: (path.stat().st_mtime_ns, path))

    def name(self, pattern: str) -> str:
        """Its name relative to the folder."""
        return self.file(pattern).relative_to(self.folder).as_posix()

    def read(self, name: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Copies of the arrays of a section file, and its meta."""
        found = sections.read(self.folder, name)
        return {key: np.array(array) for key, array in found.arrays.items()}, found.meta

    def asked(self, verb: str) -> str:
        """Ask, and require the right answer; returns what was said on the way."""
        done = forked(*ASKING[verb], cwd=self.repo.path)
        orderly(done)
        assert (done.returncode, done.stdout) == self.right[verb], (verb, done.stderr)
        return done.stderr

    def problems(self) -> str:
        """What verify says."""
        done = forked("verify", cwd=self.repo.path)
        orderly(done)
        return done.stdout if done.returncode else ""


@pytest.fixture(scope="session")
def template(
    tmp_path_factory: pytest.TempPathFactory, isolation: Path
) -> tuple[RepoBuilder, dict[str, tuple[int, str]]]:
    """A base, a delta, an edited file; and a file of every kind that is kept beside."""
    warm_parsers()
    repo = RepoBuilder(tmp_path_factory.mktemp("handed") / "over")
    for topic in (RETRY, CACHE):
        repo.write(f"service/{topic.names()['name']}.py", topic.render("python"))
    repo.write("main.py", "from service import retry_policy\n\n\ndef main():\n    return 1\n")
    repo.write("other.py", "import main\n\nmain.main()\n")
    repo.commit("base")
    assert forked("index", cwd=repo.path).returncode == 0
    repo.append("main.py", "\n\ndef give_up():\n    return None\n")
    repo.commit("delta")
    assert forked("index", cwd=repo.path).returncode == 0
    repo.append("other.py", "\n\ndef edited():\n    return main.give_up()\n")
    right = {}
    for verb, words in ASKING.items():
        done = forked(*words, cwd=repo.path)
        assert done.returncode in (0, 1), (verb, done.stderr)
        right[verb] = done.returncode, done.stdout
    kept = {path.suffix.rstrip("0123456789") for path in (repo.index_dir / "views").iterdir()}
    beside = {".graph", ".shape", ".definitions", ".uses", ".landings", ".bloom"}
    assert kept == {".view", ".edits", *beside}
    return repo, right


@pytest.fixture
def index(
    template: tuple[RepoBuilder, dict[str, tuple[int, str]]], tmp_path: Path
) -> Iterator[Index]:
    repo, right = template
    found = Index(copy_of(repo, tmp_path / "over"), right)
    found.outside.mkdir()
    (found.outside / "precious").write_text("precious")
    yield found
    assert [path.name for path in found.outside.iterdir()] == ["precious"]
    assert (found.outside / "precious").read_text() == "precious"


# ---------------------------------------------------------------- what stands under a name


def _gone(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").write_text("x")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # names of sockets are short
        server.bind(path.name)
        os.chdir(here)


STANDING: dict[str, Callable[[Path, Index], object]] = {
    "random bytes": lambda path, _: path.write_bytes(random.Random(1).randbytes(5000)),
    "a folder": lambda path, _: _folder(path),
    "a pipe": lambda path, _: os.mkfifo(path),
    "nothing": lambda path, _: None,
    "no bytes": lambda path, _: path.write_bytes(b""),
    "a link to nothing": lambda path, index: path.symlink_to(index.outside / "new"),
    "a link to a file": lambda path, index: path.symlink_to(index.outside / "precious"),
    "a link to a folder": lambda path, index: path.symlink_to(index.outside),
    "a text": lambda path, _: path.write_text("hello\n" * 99),
    "an empty folder": lambda path, _: path.mkdir(),
    "a socket": lambda path, _: _socket(path),
}
FILES = (
    *("index.duckdb", "views/*.view", "vectors-*", "seal", "lock", "views", "views/*.graph*"),
    *("views/*.bloom", "views/*.edits", "views/*.shape*", "index.duckdb.wal", "index.duckdb.tmp"),
    *("pending", "worker.lock", "worker.log", "README", "."),
)
OF_HOOKS = ("pending", "worker.lock", "worker.log", "lock", ".")
# each file with every third thing, and each thing under the name of every third file
PLACES = [
    (name, what)
    for row, what in enumerate(STANDING)
    for column, name in enumerate(FILES)
    if (row + column) % 3 == 0
]
# one file of each kind, and one of each thing to stand there
QUICK = {
    *(("index.duckdb", what) for what in list(STANDING)[:4]),
    *((name, "a pipe") for name in ("seal", "lock", "views", "index.duckdb.wal", "worker.log")),
    *((name, "a link to a folder") for name in (".", "views", "views/*.view", "pending")),
    *(("seal", "a folder"), ("views/*.bloom", "a folder"), ("README", "a link to nothing")),
}


def placed(index: Index, name: str, what: str) -> None:
    """Let something stand under the name of a file, or under that of the folder itself."""
    path = index.folder / name if name == "." or "*" not in name else index.file(name)
    _gone(path)
    STANDING[what](path, index)


@pytest.mark.parametrize(
    ("name", "what"),
    [one if one in QUICK else pytest.param(*one, marks=long) for one in sorted({*PLACES, *QUICK})],
)
def test_anything_may_stand_under_our_names(index, name, what):
    placed(index, name, what)
    if name in OF_HOOKS:
        orderly(forked("hooks", "status", cwd=index.repo.path), {0, 1})
        orderly(forked("hooks", "run", "--wait", cwd=index.repo.path), {0})
    said = "".join(index.asked(verb) for verb in EVERY_FILE)
    assert len(set(said.splitlines())) <= 2, said
    orderly(forked("index", cwd=index.repo.path))
    index.asked("search")


WALKED = [
    ("index.duckdb", "random bytes"),
    ("views/*.view", "random bytes"),
    ("seal", "a folder"),
    ("index.duckdb", "no bytes"),
    ("index.duckdb", "a folder"),
    ("vectors-*", "random bytes"),
    ("vectors-*", "nothing"),
    ("lock", "a folder"),
    ("views", "a pipe"),
    (".", "a link to nothing"),
    (".", "a text"),
]


VERBS = [*ASKING, *KEEPING]


@pytest.mark.parametrize(
    ("verb", "name", "what"),
    [
        *((verb, *WALKED[0]) for verb in VERBS),
        # each verb with two more, and each of those with several verbs
        *(
            pytest.param(verb, *WALKED[1 + (2 * row + more) % (len(WALKED) - 1)], marks=long)
            for row, verb in enumerate(VERBS)
            for more in range(2)
        ),
    ],
)
def test_every_verb_meets_a_damaged_file(index, verb, name, what):
    placed(index, name, what)
    if verb in ASKING:
        assert len(index.asked(verb).splitlines()) <= 3
    else:
        orderly(forked(*KEEPING[verb], cwd=index.repo.path))
    index.asked("search")


# ---------------------------------------------------------------- the record


# The table of definitions as a view, over a file of the user's or without an end.
SYMBOLS = "drop table symbol; create view symbol as select 0::uinteger as blob,"
# The table of chunks without its last column.
CHUNKS = (
    "drop table chunk; create table chunk(id uinteger not null, blob uinteger not null,"
    ' start uinteger not null, "end" uinteger not null, first_line uinteger not null,'
    " last_line uinteger not null, scope integer not null,"
)
RECORDS = {
    "a parent of itself": "update symbol set parent = ordinal",
    "a line feed in an id": "update blob set oid = oid || chr(10) || 'x' where id = 0",
    "ids at the end of their type": "update chunk set id = 4294967295 where id = 3",
    "a view of a file": f"{SYMBOLS} content as name from read_text('{{outside}}/precious')",
    "a view without an end": f"{SYMBOLS} range::varchar as name from range(1000000000000)",
    "a trigger": "create trigger t after insert on blob for each statement"
    " insert into meta select range::varchar, '' from range(1000000000000)",
    "a macro for a function": "create macro hash(x) as"
    " (select count(*) from range(1000000000000))",
    "a macro for an operator": 'create macro "+"(x, y) as 99',
    "a generated column": f"{CHUNKS} symbol integer generated always as (scope + 1))",
    "a default": "alter table symbol alter kind set default 'x'",
    "a check": f"{CHUNKS} symbol integer not null check (symbol > 7))",
    "another type": "alter table chunk alter last_line type ubigint",
    "one more table": "create table wanted as select 1 as blob",
    "one more view": "create view more as from range(1000000000000)",
    "a schema": "create schema other",
    "a sequence": "create sequence s",
    "a type": "create type color as enum ('red')",
    "an index": "create index i on blob(id)",
    "more rows than bytes": "insert into chunk select 0, 0, 0, 0, 0, 0, 0, 0 from range(9000000)",
    "chunks that are gone": "delete from chunk",
    "a circle of parents": "update symbol set parent = 1 - ordinal where ordinal < 2",
    "a parent that is not there": "update symbol set parent = 99999",
    "a parent below -1": "update symbol set parent = -7",
    "a scope that is not there": "update chunk set scope = 99999",
    "a symbol below -1": "update chunk set symbol = -9",
    "blobs at the end of their type": "update blob set id = 4294967295 where id = 0",
    "chunks that are no ranges": 'update chunk set start = 99999, "end" = 5',
    "lines in the wrong order": "update chunk set first_line = 4294967295",
    "an option for an id": "update blob set oid = '--batch-all-objects' where id = 1",
    "an escape for a language": "update blob set language = chr(27) || '[2J' where id = 1",
    "a reason that is none": "update blob set skip = 'pending' where id = 1",
    "a size without bounds": "update blob set size = 18446744073709551615 where id = 1",
    "a kind that is none": "update symbol set kind = 'evil'",
    "a generation outside": "update meta set value = '/../../x' where key = 'generation'",
    "a model outside": "update meta set value = '/../../x' where key = 'model'",
    "a count that is none": "insert into meta values ('left_by_gc', 'many')",
}


def _changed_record(index: Index, sql: str) -> None:
    with duckdb.connect(str(index.folder / "index.duckdb")) as connection:
        connection.execute(sql.replace("{outside}", str(index.outside)))


@pytest.mark.long
@pytest.mark.parametrize("name", rows(list(RECORDS), 8))
def test_a_record_with_something_else_in_it_is_made_anew(index, name):
    _changed_record(index, RECORDS[name])
    assert "index.duckdb: " in index.problems()
    for verb in ("refresh off", "sql", "gc"):
        orderly(forked(*KEEPING[verb], cwd=index.repo.path))
    assert "index.duckdb: " in index.asked("search")
    index.repo.append("main.py", "\n\ndef more():\n    return give_up()\n")
    index.repo.commit("more")
    orderly(forked("index", cwd=index.repo.path), {0})
    assert index.problems() == ""


@pytest.mark.parametrize("name", ["a view of a file", "a macro for a function", "one more view"])
def test_a_query_of_the_user_is_not_asked_of_such_a_record(index, name):
    _changed_record(index, RECORDS[name])
    done = forked("sql", "select name from symbol", cwd=index.repo.path)
    orderly(done, {128})
    assert "precious" not in done.stdout
    assert "index.duckdb: " in done.stderr


# ---------------------------------------------------------------- files of another tree


@pytest.mark.parametrize("ending", ["view", "edits", "graph*", "shape*", "bloom"])
def test_a_sound_file_of_another_tree_is_not_believed(index, ending):
    ours = index.file(f"views/*.{ending}")
    another = RepoBuilder(index.repo.path.parent / "another")
    another.write("a.py", "def quite_another():\n    return 7\n")
    another.write("b.py", "import a\n\na.quite_another()\n")
    another.commit()
    another.append("b.py", "\n\ndef edited():\n    return a\n")
    for verb in EVERY_FILE:
        forked(*ASKING[verb], cwd=another.path)
    (other,) = another.index_dir.glob(f"views/*.{ending}")
    shutil.copy(other, ours)
    assert f"views/{ours.name}: was written as 'views/{other.name}'" in index.problems()
    for verb in (*EVERY_FILE, "impact", "exists"):
        index.asked(verb)


def test_vectors_of_another_record_are_not_believed(index):
    ours = index.file("vectors-*")
    another = RepoBuilder(index.repo.path.parent / "another")
    another.write("a.py", "".join(f"def f{i}():\n    return {i}\n\n\n" for i in range(900)))
    another.commit()
    forked("index", cwd=another.path)
    (other,) = another.index_dir.glob("vectors-*")
    assert other.stat().st_size > ours.stat().st_size
    shutil.copy(other, ours)
    assert f"{ours.name}: header of another model or generation" in index.problems()
    assert f"{ours.name}: header of another model or generation" in index.asked("search")


# ---------------------------------------------------------------- arrays with right checksums


ARRAYS: dict[str, Callable[[np.ndarray], np.ndarray | None]] = {
    "below 0": lambda a: np.full(a.shape, -5, np.int8),
    "the largest": lambda a: np.full_like(a, np.iinfo(a.dtype).max if a.dtype != "f8" else np.nan),
    "backwards": lambda a: a[::-1].copy(),
    "random": lambda a: np.random.default_rng(3).integers(0, 99, a.shape).astype(a.dtype),
    "shorter": lambda a: a[:-1].copy(),
    "longer": lambda a: np.concatenate([a, a]),
    "of one more dimension": lambda a: a.reshape(1, -1),
    "of another type": lambda a: a.astype(np.float64),
    "missing": lambda _: None,
}
# What may be as true as anything that is written there: a rank, a line, a length.
LIES = ("the largest", "backwards", "random")
META = {
    "missing": None,
    "below 0": -1,
    "too large": 10**30,
    "a text": "../../../x",
    "a list of numbers": [1, 2],
    "a flag": True,
}
ASKS = {
    "view": ("search",),
    "edits": ("search",),
    "graph*": ("impact",),
    "definitions*": ("impact",),
    "shape*": ("map",),
    "bloom": ("exists not",),
}


def _rewritten(index: Index, name: str, arrays: dict[str, np.ndarray], meta: object) -> None:
    pieces = sections.encode(arrays, {**meta, "name": name})  # type: ignore[dict-item]
    (index.folder / name).write_bytes(b"".join(map(bytes, pieces)))


@pytest.mark.long
@pytest.mark.parametrize("ending", ASKS)
@pytest.mark.parametrize("how", rows(list(ARRAYS), 1))
def test_arrays_that_no_program_wrote(index, ending, how):
    name = index.name(f"views/*.{ending}")
    whole, meta = index.read(name)
    # all arrays are tried in tests/unit/index/test_segment_schema.py
    for key in list(whole)[:: 1 + len(whole) // 5]:
        changed = ARRAYS[how](whole[key])
        rest = {other: one for other, one in whole.items() if other != key}
        _rewritten(index, name, rest if changed is None else {**rest, key: changed}, meta)
        for verb in ASKS[ending]:
            if how in LIES:
                orderly(forked(*ASKING[verb], cwd=index.repo.path))
            else:
                index.asked(verb)


@pytest.mark.long
@pytest.mark.parametrize("ending", ASKS)
@pytest.mark.parametrize("what", rows(list(META), 1))
def test_meta_that_no_program_wrote(index, ending, what):
    name = index.name(f"views/*.{ending}")
    whole, meta = index.read(name)
    for key in meta:
        changed = {other: value for other, value in meta.items() if other != key}
        if META[what] is not None:
            changed[key] = META[what]
        _rewritten(index, name, whole, changed)
        index.asked(ASKS[ending][0])


@pytest.mark.parametrize("what", ["deep", "many sections", "two of a name", "objects"])
def test_tables_of_sections_that_no_program_wrote(index, what):
    name = index.name("views/*.view")
    whole, meta = index.read(name)
    if what == "deep":
        meta = {"tree": "[" * 20_000}
    elif what == "many sections":
        whole |= {f"x{i}": np.zeros(1, np.uint8) for i in range(2000)}
    _rewritten(index, name, whole, meta)
    data = (index.folder / name).read_bytes()
    if what == "two of a name":
        data = data.replace(b"path_text".ljust(24, b"\0"), b"term_text".ljust(24, b"\0"), 1)
    elif what == "objects":
        data = data.replace(b"|u1".ljust(8, b"\0"), b"|O".ljust(8, b"\0"), 2)
    (index.folder / name).write_bytes(data)
    index.asked("search")
    assert index.problems() == ""


# ---------------------------------------------------------------- what may not be read


# A wrapper: root without the right to read and write what belongs to others.
LIKE_OTHERS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
NOBODY = 65534


@pytest.mark.parametrize(
    "closed", [".", "views", "views/*.view", "index.duckdb", "vectors-*", "seal"]
)
def test_an_index_that_may_not_be_read(installed, index, closed):
    if os.geteuid() or not allows(*LIKE_OTHERS):
        pytest.skip("nothing can be of another user here")
    path = index.file(closed) if "*" in closed else index.folder / closed
    path.chmod(0o600 if path.is_file() else 0o700)
    os.chown(path, NOBODY, NOBODY)
    for verb in EVERY_FILE:
        done = installed.run(
            *ASKING[verb],
            cwd=index.repo.path,
            wrapper=LIKE_OTHERS,
        )
        orderly(done)
        assert (done.returncode, done.stdout) == index.right[verb], done.stderr
        assert len(done.stderr.splitlines()) <= 1


@pytest.mark.parametrize(
    ("name", "what"),
    [("index.duckdb", "random bytes"), ("index.duckdb", "a pipe"), ("seal", "a folder")],
)
def test_the_installed_program_survives(installed, index, name, what):
    placed(index, name, what)
    done = survived(installed, *ASKING["search"], cwd=index.repo.path)
    assert (done.returncode, done.stdout) == index.right["search"]
    survived(installed, "status", "--check", cwd=index.repo.path)
