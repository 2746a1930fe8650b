"""Facts of blobs go into the record and come out; gc keeps just those that are wanted."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest

from gitsearch.errors import Busy, Damaged, SearchError
from gitsearch.store import facts_schema
from gitsearch.store.facts_db import FactsDb, copy_kept, rows_of
from gitsearch.store.facts_schema import TABLES

ROOT = Path(__file__).parents[3]
HOLD = """
import pathlib, sys
from gitsearch.store.facts_db import FactsDb
with FactsDb(pathlib.Path(sys.argv[1]), write=True) as record:
    record.set_meta("held", "yes")
    print("held", flush=True)
    sys.stdin.read()
"""


def texts(*values):
    out = np.empty(len(values), object)
    out[:] = values
    return out


def numbers(*values):
    return np.asarray(values, np.uint32)


def fill(path):
    """Three blobs of two, none and one chunks."""
    with FactsDb(path, write=True) as made:
        made.set_meta("generation", "00000001")
        made.insert("blob", {
            "id": numbers(0, 1, 2), "oid": texts("aa", "bb", "cc"),
            "hint": texts("python", "python", "?h"), "forced": np.asarray([False, True, False]),
            "language": texts("python", "python", "c"), "skip": texts("", "binary", ""),
            "size": np.asarray([100, 5, 2**33]), "lines": numbers(9, 0, 3),
            "first_chunk": numbers(0, 0, 2), "chunks": numbers(2, 0, 1),
        })  # fmt: skip
        made.insert("chunk", {
            "id": numbers(0, 1, 2), "blob": numbers(0, 0, 2), "start": numbers(0, 60, 0),
            "end": numbers(60, 100, 20), "first_line": numbers(1, 7, 1),
            "last_line": numbers(6, 9, 3), "scope": np.asarray([-1, 0, -1]),
            "symbol": np.asarray([0, 1, 0]),
        })  # fmt: skip
        rows = {
            "blob": numbers(0, 0, 2), "ordinal": numbers(0, 1, 0),
            "name": texts("Ä", "run", "main"), "qualified": texts("Ä", "Ä.run", "main"),
            "kind": texts("class", "method", "function"), "start": numbers(0, 60, 0),
            "end": numbers(100, 100, 20), "signature_end": numbers(8, 70, 5),
            "first_line": numbers(1, 7, 1), "last_line": numbers(9, 9, 3),
            "parent": np.asarray([-1, 0, -1]),
        }  # fmt: skip
        made.insert("symbol", rows)


@pytest.fixture
def path(tmp_path):
    fill(tmp_path / "index.duckdb")
    return tmp_path / "index.duckdb"


def read(path, table):
    return rows_of(f'select * from "{table}" order by all', path)[1]


# ---------------------------------------------------------------- reading and writing


def test_rows_come_back_as_they_were(path):
    assert read(path, "blob")[2] == (2, "cc", "?h", False, "c", "", 2**33, 3, 2, 1)
    assert read(path, "symbol")[1][2:4] == ("run", "Ä.run")
    assert read(path, "symbol")[0][-1] == -1


def test_a_query_may_join_with_arrays(path):
    with FactsDb(path) as opened:
        found = opened.query(
            "select w.place, b.oid from wanted w join blob b on b.id = w.id order by place",
            {"wanted": {"place": numbers(0, 1), "id": numbers(2, 1)}},
        )
    assert found["oid"].tolist() == ["cc", "bb"]


def test_a_query_without_rows_still_has_columns(path):
    with FactsDb(path) as opened:
        found = opened.query("select id, oid from blob where oid = 'none'")
    assert {name: len(column) for name, column in found.items()} == {"id": 0, "oid": 0}


def test_nothing_is_inserted_from_empty_columns(path):
    with FactsDb(path, write=True) as opened:
        opened.insert("symbol", {"blob": numbers(), "name": texts()})
        assert opened.count("symbol") == 3


def test_ids_go_on_where_they_ended(path, tmp_path):
    with FactsDb(path) as opened:
        assert [opened.next_id(table) for table in ("blob", "chunk")] == [3, 3]
    with FactsDb(tmp_path / "new.duckdb", write=True) as opened:
        assert opened.next_id("chunk") == 0


def test_a_failure_inside_takes_everything_back(path):
    def fail():
        with FactsDb(path, write=True) as opened:
            opened.set_meta("generation", "00000002")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with FactsDb(path) as opened:
        assert opened.meta()["generation"] == "00000001"


def test_a_record_that_is_not_there_is_only_made_for_writing(tmp_path):
    with pytest.raises(FileNotFoundError):
        FactsDb(tmp_path / "none.duckdb")
    assert list(tmp_path.iterdir()) == []


def test_readers_do_not_write(path):
    with pytest.raises(SearchError), FactsDb(path) as opened:
        opened.execute("delete from blob")
    assert len(read(path, "blob")) == 3


def test_any_duckdb_reads_it(path):
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = {name for (name,) in connection.execute("show tables").fetchall()}
    assert tables == set(TABLES)


def test_nothing_is_printed_however_long_a_query_takes(path):
    # where no script runs DuckDB takes the process for an interactive one, and shows its progress
    code = (
        "import pathlib, sys; from gitsearch.store import facts_db; p = pathlib.Path(sys.argv[1]);"
        "sql = \"select current_setting('enable_progress_bar')\";"
        "print(facts_db.rows_of(sql, p)[1], facts_db.FactsDb(p).execute(sql))"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "((False,),) [(False,)]\n"


# ---------------------------------------------------------------- several processes


@pytest.fixture
def holder(path):
    """Another process in the middle of a transaction."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    with process:
        yield process
        process.kill()


@pytest.mark.parametrize("write", [False, True])
def test_a_record_in_use_is_waited_for_and_then_said(path, holder, write):
    start = time.monotonic()
    with pytest.raises(Busy, match=r"index\.duckdb"):
        FactsDb(path, write=write, wait=0.2)
    assert 0.2 <= time.monotonic() - start < 5


def test_who_waits_reads_what_was_committed(path, holder):
    holder.communicate()
    with FactsDb(path, wait=10) as opened:
        assert opened.meta()["held"] == "yes"


def test_what_a_killed_writer_began_never_happened(path, holder):
    holder.kill()
    holder.wait()
    with FactsDb(path, wait=10) as opened:
        assert "held" not in opened.meta()
        opened.check()


# ---------------------------------------------------------------- damage


def test_a_record_of_another_version_is_damage(path):
    with FactsDb(path, write=True) as opened:
        opened.set_meta("record_version", str(facts_schema.RECORD_VERSION + 1))
    for write in (False, True):
        with pytest.raises(Damaged, match="another version"):
            FactsDb(path, write=write)


def truncate(path, share):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def foreign(path):
    path.unlink()
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table other(a int)")


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not DuckDB at all" * 1000),
        lambda path: truncate(path, 0.3),
        foreign,
    ],
)
def test_what_is_no_record_is_damage(path, damage):
    damage(path)
    with pytest.raises(Damaged, match=r"index\.duckdb"), FactsDb(path) as opened:
        opened.check()


def test_a_flipped_byte_is_found_by_a_check(path):
    data = bytearray(path.read_bytes())
    # the name of a definition, in the middle of a block of data
    place = data.index(b"main")
    data[place] ^= 0x01
    path.write_bytes(data)
    with pytest.raises(Damaged, match=r"index\.duckdb"), FactsDb(path) as opened:
        opened.check()


# ---------------------------------------------------------------- a copy of some blobs


def copied(path, *blobs):
    target = path.with_name("copy.duckdb")
    chunks = copy_kept(path, target, {"id": numbers(*blobs)}, "00000002")
    return target, chunks.tolist()


def test_a_copy_of_everything_is_equal(path):
    target, chunks = copied(path, 0, 1, 2)
    assert chunks == [0, 1, 2]
    for table in set(TABLES) - {"meta"}:
        assert read(target, table) == read(path, table), table
    version = str(facts_schema.RECORD_VERSION)
    assert dict(read(target, "meta")) == {"generation": "00000002", "record_version": version}


def test_a_copy_of_one_blob_is_numbered_from_zero(path):
    target, chunks = copied(path, 2)
    assert chunks == [2]
    assert read(target, "blob") == ((0, "cc", "?h", False, "c", "", 2**33, 3, 0, 1),)
    assert read(target, "chunk") == ((0, 0, 0, 20, 1, 3, -1, 0),)
    assert [row[:4] for row in read(target, "symbol")] == [(0, 0, "main", "main")]


def test_kept_rows_close_up_in_the_old_order(path):
    target, chunks = copied(path, 0, 2)
    assert chunks == [0, 1, 2]
    assert [row[:2] for row in read(target, "blob")] == [(0, "aa"), (1, "cc")]
    assert [row[:2] for row in read(target, "chunk")] == [(0, 0), (1, 0), (2, 1)]
    assert [row[0] for row in read(target, "symbol")] == [0, 0, 1]


def test_a_copy_of_nothing_is_an_empty_record(path):
    target, chunks = copied(path)
    assert chunks == []
    assert all(read(target, table) == () for table in set(TABLES) - {"meta"})
    with FactsDb(target, write=True) as opened:
        assert opened.next_id("blob") == 0


def test_a_copy_is_a_record_like_any_other(path):
    target, _ = copied(path, 0)
    with FactsDb(target, write=True) as opened:
        opened.check()
        opened.set_meta("more", "of it")
    with duckdb.connect(str(target), read_only=True) as connection:
        tables = {name for (name,) in connection.execute("show tables").fetchall()}
    assert tables == set(TABLES)


def test_a_copy_is_made_in_a_folder_with_any_name(tmp_path):
    folder = tmp_path / 'it\'s a "folder"'
    folder.mkdir()
    fill(folder / "index.duckdb")
    assert copied(folder / "index.duckdb", 1)[1] == []


# ---------------------------------------------------------------- the user's own queries


def test_a_users_query_gives_names_and_rows(path):
    names, rows = rows_of("select oid, size as bytes from blob order by oid limit 1", path)
    assert (names, rows) == (("oid", "bytes"), (("aa", 100),))


@pytest.mark.parametrize(
    "sql",
    [
        "delete from blob",
        "drop table blob",
        "create table mine as select 1",
        "insert into meta values ('a', 'b')",
        "update blob set size = 0",
        "copy blob to '{folder}/out.csv'",
        "select * from read_csv('{folder}/secret.csv')",
        "select * from '{folder}/secret.csv'",
        "select * from read_text('{folder}/secret.csv')",
        "attach '{folder}/other.duckdb'",
        "export database '{folder}/out'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set lock_configuration = false",
        "selec oid from blob",
        "select nothing from blob",
    ],
)
def test_a_users_query_only_reads_the_record(path, sql):
    folder = path.parent
    (folder / "secret.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(SearchError) as caught:
        rows_of(sql.format(folder=folder), path)
    assert "\n" not in caught.value.message
    assert len(read(path, "blob")) == 3
    assert {file.name for file in folder.iterdir()} == {"index.duckdb", "secret.csv"}


@pytest.mark.parametrize("sql", ["", ";", "-- nothing"])
def test_an_empty_query_has_no_rows_or_is_refused(path, sql):
    with contextlib.suppress(SearchError):
        assert rows_of(sql, path) == ((), ())


def test_a_users_query_over_a_damaged_record_is_said(path):
    path.write_bytes(b"x" * 5000)
    with pytest.raises(Damaged):
        rows_of("select 1", path)
