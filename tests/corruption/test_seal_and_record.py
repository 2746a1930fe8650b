"""The seal, the lock and the record, broken on purpose."""

import shutil

import duckdb
import pytest

from gitsearch.commands.verify import verify
from tests.builder import RepoBuilder
from tests.corruption.tables import rows
from tests.unit.commands.asked import indexed, session

pytestmark = pytest.mark.long

SEAL = "seal: missing or damaged; every file is checked again"


def assert_sound(damaged):
    assert verify(session(damaged.repo.path)).problems == ()
    assert damaged.asked() == []


@pytest.mark.parametrize(
    "content", rows([None, b"00000000\n{}", b"", b"\n", b"no seal at all", b"\xff" * 100], 2)
)
def test_a_bad_seal_is_said_and_written_again(damaged, content):
    file = damaged.repo.index_dir / "seal"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    assert damaged.asked() == [SEAL]
    assert_sound(damaged)


@pytest.mark.parametrize("share", rows([0.5, 0.0, 0.2, 0.99], 1))
def test_a_truncated_record_is_made_anew(damaged, share):
    file = damaged.repo.index_dir / "index.duckdb"
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    notes = damaged.asked()
    assert len(notes) == 1
    assert notes[0].startswith("index.duckdb: ")
    assert_sound(damaged)


def test_a_record_of_something_else_is_made_anew(damaged):
    file = damaged.repo.index_dir / "index.duckdb"
    file.unlink()
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table other(a int)")
    (note,) = damaged.asked()
    assert note.startswith("index.duckdb: ")
    assert_sound(damaged)


@pytest.mark.parametrize("table", rows(["chunk", "blob", "symbol"], 1))
def test_a_record_that_lacks_a_table_is_made_anew(damaged, table):
    file = damaged.repo.index_dir / "index.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f'drop table "{table}"')
    (note,) = damaged.asked()
    assert note.startswith("index.duckdb: ")
    assert_sound(damaged)


@pytest.mark.parametrize(
    "key", rows(["generation", "model", "record_version", "facts_version"], 1)
)
@pytest.mark.parametrize("value", ["'something else'", None])
def test_a_record_with_other_marks_is_made_anew_or_used_rightly(damaged, key, value):
    file = damaged.repo.index_dir / "index.duckdb"
    with duckdb.connect(str(file)) as connection:
        if value is None:
            connection.execute(f"delete from meta where key = '{key}'")
        else:
            connection.execute(f"update meta set value = {value} where key = '{key}'")
    damaged.asked()
    damaged.repo.write("service/more.py", "def more_of_it(): ...\n")
    damaged.repo.commit()
    damaged.repo.git("rm", "-q", "service/more.py")
    damaged.repo.commit()
    damaged.asked()
    assert_sound(damaged)


@pytest.mark.long
@pytest.mark.parametrize("place", range(1, 40))
def test_a_flipped_byte_of_the_record_is_found_or_harmless(damaged, place):
    file = damaged.repo.index_dir / "index.duckdb"
    data = bytearray(file.read_bytes())
    data[len(data) * place // 40] ^= 0x10
    file.write_bytes(data)
    assert len(damaged.asked()) <= 1
    damaged.repo.write("service/more.py", "def more_of_it(): ...\n")
    damaged.repo.commit()
    damaged.repo.git("rm", "-q", "service/more.py")
    damaged.repo.commit()
    damaged.asked()
    assert damaged.asked() == []


def test_all_files_damaged_at_once(damaged):
    for file in damaged.repo.index_dir.rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged\n" * 50)
    notes = damaged.asked()
    assert 1 <= len(notes) <= 3
    assert_sound(damaged)


def test_an_index_of_another_repository(damaged, tmp_path):
    other = RepoBuilder(tmp_path / "other")
    other.write("a.py", "def something_else(): ...\n")
    other.commit()
    indexed(other)
    shutil.rmtree(damaged.repo.index_dir)
    shutil.copytree(other.index_dir, damaged.repo.index_dir)
    damaged.asked()
    assert_sound(damaged)


def test_a_lock_that_is_gone_or_filled_matters_to_nobody(damaged):
    (damaged.repo.index_dir / "lock").write_bytes(b"x" * 100)
    assert damaged.asked() == []
    (damaged.repo.index_dir / "lock").unlink()
    assert damaged.asked() == []
