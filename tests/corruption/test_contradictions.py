"""Files that are each sound and do not fit together: verify says it, and nothing wrong is told."""

import contextlib
import os
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from gitsearch.commands.gc import collect
from gitsearch.commands.verify import verify
from tests.corruption.tables import rows
from tests.corruption.test_section_files import entries, resealed
from tests.unit.commands.asked import Listener, indexed, session

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def record(damaged):
    return damaged.repo.index_dir / "index.duckdb"


def change(damaged, sql):
    with duckdb.connect(str(record(damaged))) as connection:
        connection.execute(sql)


def problems(damaged):
    return [f"{name}: {reason}" for name, reason in verify(session(damaged.repo.path)).problems]


# What is changed in the record -> what verify says of it.
CONTRADICTIONS = [
    (
        "insert into blob select * from blob where id = 1",
        "two rows of the table blob have the id 1",
    ),
    (
        "insert into blob select * replace (900 as id) from blob where id = 2",
        "two rows of the table blob are of the object {oid} as python",
    ),
    ("delete from blob where id = 0", "a row of the table chunk refers to the blob 0, which is"),
    (
        "delete from chunk where id = (select max(first_chunk) from blob)",
        "row {last} of the table blob says it has",
    ),
    ("insert into chunk select * from chunk where id = 3", "two rows of the table chunk have the"),
    (
        "update symbol set ordinal = 0 where blob = 1 and ordinal = 1",
        "two rows of the table symbol have the number 0 in the blob 1",
    ),
    (
        "update symbol set blob = 700 where blob = 1 and ordinal = 0",
        "a row of the table symbol refers to the blob 700, which is not there",
    ),
    ("update chunk set scope = 4000 where id = 0", "chunk 0 refers to the symbol 4000, which is"),
    ("update chunk set symbol = 4000 where id = 1", "chunk 1 refers to the symbol 4000, which is"),
    ('update chunk set "end" = 4000000 where id = 1', "chunk 1 is not a range of its blob"),
]


@pytest.mark.parametrize(("sql", "expected"), rows(CONTRADICTIONS, 5))
def test_the_record_contradicts_itself(damaged, sql, expected):
    with duckdb.connect(str(record(damaged)), read_only=True) as connection:
        (oid,) = connection.execute("select oid from blob where id = 2").fetchone() or ("",)
        (last,) = connection.execute(
            "select id from blob order by first_chunk desc, id limit 1"
        ).fetchone() or (0,)
    change(damaged, sql)
    expected = f"index.duckdb: {expected.format(oid=oid, last=last)}"
    assert [line for line in problems(damaged) if line.startswith(expected)], problems(damaged)
    # a record that was changed is checked by the next search, and then made anew
    (note,) = damaged.asked()
    assert note.startswith("index.duckdb: ")
    assert problems(damaged) == []
    assert damaged.asked() == []


@pytest.mark.parametrize(
    ("name", "expected"),
    rows(
        [
            ("row", "section 'row' refers to {value} of"),
            ("chunk_file", "section 'chunk_file' refers to {value} of"),
            ("symbol_file", "section 'symbol_file' refers to {value} of"),
            ("symbol_chunk", "section 'symbol_chunk' refers to {value} of"),
        ],
        2,
    ),
)
def test_a_view_that_refers_to_what_is_not_there(damaged, name, expected):
    file = damaged.file("base")
    data = bytearray(file.read_bytes())
    at, offset, size = entries(data)[name]
    width = int(bytes(data[at + 24 : at + 32]).rstrip(b"\0")[-1:])
    value = (1 << 8 * width) - 1
    data[offset + size - width : offset + size] = struct.pack("<Q", value)[:width]
    file.write_bytes(resealed(data))
    found = problems(damaged)
    assert len(found) == 1
    assert found[0].startswith(f"views/{file.name}: {expected.format(value=value)}")


def test_vectors_that_end_before_a_view_does(damaged):
    file = damaged.file("vectors")
    os.truncate(file, 64 + 132)  # the header and one row
    assert [line for line in problems(damaged) if "1 rows instead of" in line]


# ---------------------------------------------------------------- DuckDB's own log


# Adds a file to the record, and dies before DuckDB takes its log into the file.
DIE = """
import os, pathlib, signal, sys
from gitsearch.commands.index import index
from gitsearch.store.facts_db import FactsDb
from gitsearch.index.session import Session
left = FactsDb.__exit__
def die(self, *error):
    if self.count("blob") > int(sys.argv[1]):
        self.execute("commit")
        os.kill(os.getpid(), signal.SIGKILL)
    left(self, *error)
FactsDb.__exit__ = die
index(Session(pathlib.Path.cwd()), None, rebuild=False, dry_run=False)
"""


@pytest.fixture
def logged(damaged):
    """An index whose last transaction lies in the log alone; HEAD is a commit further."""
    with duckdb.connect(str(record(damaged)), read_only=True) as connection:
        (count,) = connection.execute("select count(*) from blob").fetchone() or (0,)
    repo = damaged.repo
    repo.write("more.py", "def more_words_of_a_reader(): ...\n")
    repo.commit("more")
    done = subprocess.run(
        [sys.executable, "-c", DIE, str(count)],
        cwd=repo.path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert log(damaged).stat().st_size > 100
    return damaged


def log(damaged):
    return record(damaged).with_name("index.duckdb.wal")


def assert_right_again(damaged):
    """The answers to all trees are right, and no view was answered with the rows of another."""
    repo = damaged.repo
    repo.git("checkout", "-q", "HEAD~1")
    damaged.asked()
    repo.git("checkout", "-q", "main")
    indexed(repo)
    repo.git("checkout", "-q", "HEAD~1")
    assert damaged.asked() == []
    assert problems(damaged) == []


def test_a_log_is_part_of_the_record(logged):
    assert problems(logged) == []
    assert indexed(logged.repo).files_parsed == 0
    assert_right_again(logged)


@pytest.mark.parametrize("damage", ["lost", "cut", "flipped", "emptied", "exchanged"])
def test_a_log_that_is_damaged(logged, damage):
    file = log(logged)
    data = bytearray(file.read_bytes())
    if damage == "lost":
        file.unlink()
    elif damage == "flipped":
        data[len(data) * 2 // 3] ^= 0x40
        file.write_bytes(data)
    elif damage == "exchanged":
        file.write_bytes(b"something else\n" * 20)
    else:
        file.write_bytes(data[: len(data) // 2 if damage == "cut" else 0])
    assert_right_again(logged)


def test_a_log_does_not_survive_the_record_it_belongs_to(logged):
    repo = logged.repo
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    assert collect(session(repo.path)).blobs_dropped > 0
    assert not log(logged).exists()
    assert problems(logged) == []
    assert logged.asked() == []


def test_a_rebuild_leaves_no_log_of_the_old_record(logged):
    indexed(logged.repo, rebuild=True)
    assert not log(logged).exists()
    assert problems(logged) == []
    assert_right_again(logged)


def test_a_record_that_is_older_than_the_views(damaged, tmp_path):
    # rows that are appended to the old record must not become those of the newer view
    repo = damaged.repo
    older = tmp_path / "older"
    shutil.copy(record(damaged), older)
    repo.write("more.py", "def more_words_of_a_reader(): ...\n")
    repo.commit("more")
    indexed(repo)
    shutil.copy(older, record(damaged))
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.write("other.py", "class Other:\n    def quite_something_else(self): ...\n")
    repo.commit("other")
    listener = Listener()
    indexed(repo, progress=listener)
    assert listener.notes == [
        "index.duckdb: has lost chunks that a view refers to; rebuilding",
    ]
    assert problems(damaged) == []
    assert_right_again_on(damaged, "main~1")


def assert_right_again_on(damaged, rev):
    damaged.repo.git("checkout", "-q", rev)
    damaged.asked()
    assert damaged.asked() == []


# ---------------------------------------------------------------- what dead writers left


@pytest.mark.parametrize(
    "name",
    ["index.duckdb.tmp/spilt", "index.duckdb.0a1b2c3d.tmp.wal", "0a1b2c3d.tmp/views/x.view"],
)
def test_leftovers_of_any_kind_are_swept(damaged, name):
    place = damaged.repo.index_dir / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"half of it")
    left, _, _ = name.partition("/")
    report = verify(session(damaged.repo.path))
    assert (report.problems, report.leftovers) == ((), (left,))
    assert not [file.name for file in report.checked if file.name.startswith(left)]
    assert damaged.asked() == []
    with contextlib.suppress(FileNotFoundError):
        collect(session(damaged.repo.path))
    assert not place.exists()
    assert verify(session(damaged.repo.path)).leftovers == ()
    assert damaged.asked() == []


def test_what_a_writer_renames_meanwhile_is_not_left(damaged, monkeypatch):
    place = damaged.repo.index_dir / "0a1b2c3d.tmp"
    place.write_bytes(b"half of it")

    def held(_):
        place.unlink()
        return False

    monkeypatch.setattr("gitsearch.index.fsck.lock.held", held)
    assert problems(damaged) == []
