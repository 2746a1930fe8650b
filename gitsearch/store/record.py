"""The record: facts of blobs in DuckDB, the only module that knows it.

Tables and columns are documented in docs/format.md, "The record". One read-write connection
locks out every other process, so it is opened for one short transaction at a time and readers
retry until a deadline.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, SearchError, Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

# 1: first version
# 2: no terms and postings: they are counted from the text of the chunks
RECORD_VERSION = 2

Columns = dict[str, np.ndarray]

_SCHEMA = """
create table meta(key varchar primary key, value varchar not null);
create table blob(id uinteger not null, oid varchar not null, hint varchar not null,
    forced boolean not null, language varchar not null, skip varchar not null,
    size ubigint not null, lines uinteger not null,
    first_chunk uinteger not null, chunks uinteger not null);
create table chunk(id uinteger not null, blob uinteger not null, start uinteger not null,
    "end" uinteger not null, first_line uinteger not null, last_line uinteger not null,
    scope integer not null, symbol integer not null);
create table symbol(blob uinteger not null, ordinal uinteger not null, name varchar not null,
    qualified varchar not null, kind varchar not null, signature varchar not null,
    doc varchar not null, start uinteger not null, "end" uinteger not null,
    signature_end uinteger not null, first_line uinteger not null, last_line uinteger not null,
    parent integer not null);
create table reference(blob uinteger not null, name varchar not null, kind varchar not null,
    line uinteger not null);
create table import(blob uinteger not null, specifier varchar not null, kind varchar not null,
    names varchar not null, line uinteger not null);
"""

TABLES = ("meta", "blob", "chunk", "symbol", "reference", "import")

_TABLES_HINT = "git search sql 'show tables' lists the tables"

# Seconds. A writer holds the file for one transaction, and a reader does not wait longer than this
# for it. The one writer waits for a gap between readers, who come and go.
READ_DEADLINE = 1.0
WRITE_DEADLINE = 60.0
_POLL = 0.02

# What DuckDB says when the file system, and not the file, is at fault.
_REFUSALS = (
    "no space left",
    "read-only file system",
    "file too large",
    "quota exceeded",
    "permission denied",
    "input/output error",
    "could not write",
    "could not truncate",
    "fsync failed",
)


class Record:
    """An open record. Use as a context manager; writing happens in `transaction`."""

    def __init__(self, path: Path, *, write: bool = False, wait: float | None = None) -> None:
        """Open, and create when writing; raises FileNotFoundError, Damaged, Busy or Unwritable."""
        self._path = path
        if not write and not path.exists():
            raise FileNotFoundError(path)
        if wait is None:
            wait = WRITE_DEADLINE if write else READ_DEADLINE
        if not path.exists():
            _create(path)
        self._connection = _connect(path, write=write, wait=wait)
        self._open = False
        if self.meta().get("record_version") != str(RECORD_VERSION):
            self._connection.close()
            raise Damaged(path.name, "written by another version of this program")

    def __enter__(self) -> Record:
        """Start a transaction that ends with the block."""
        self.execute("begin")
        self._open = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit, or roll back after an exception, and close."""
        try:
            if kind is None:
                self.execute("commit")
        finally:
            self._guard(self._connection.close)

    def _guard(self, action: Any) -> Any:
        """Run an action, turning DuckDB's complaints into ours."""
        import duckdb

        try:
            with _interruptible():
                return action()
        except duckdb.Error as error:
            raise _refused(self._path, error) from error

    def query(self, sql: str, tables: dict[str, Columns] | None = None) -> Columns:
        """The answer as one array a column; `tables` are arrays the query may join with."""
        names = list(tables or {})
        for name in names:
            self._connection.register(name, (tables or {})[name])
        try:
            found = self._guard(lambda: self._connection.execute(sql).fetchnumpy())
        finally:
            for name in names:
                self._connection.unregister(name)
        return {k: v.filled() if np.ma.isMaskedArray(v) else v for k, v in found.items()}

    def insert(self, table: str, columns: Columns) -> None:
        """Append rows; the columns are matched by name."""
        if not len(next(iter(columns.values()))):
            return
        names = ", ".join(f'"{name}"' for name in columns)
        self._connection.register("fresh", columns)
        try:
            self._guard(
                lambda: self._connection.execute(
                    f'insert into "{table}" ({names}) select {names} from fresh'
                )
            )
        finally:
            self._connection.unregister("fresh")

    def forget(self, blobs: np.ndarray) -> None:
        """Let these blob ids be of no object: their rows stay, for ids count rows of vectors."""
        if len(blobs):
            self.query(
                "update blob set oid = repeat('0', length(oid)) where id in (from forgotten)",
                {"forgotten": {"id": blobs.astype(np.uint32)}},
            )

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """A statement and its rows, if any."""
        return self._guard(lambda: self._connection.execute(sql, parameters).fetchall())  # type: ignore[no-any-return]

    def meta(self) -> dict[str, str]:
        """All pairs of the table meta."""
        return dict(self.execute("select key, value from meta"))

    def set_meta(self, key: str, value: str) -> None:
        """Set one pair of the table meta."""
        self.execute("insert or replace into meta values (?, ?)", [key, value])

    def next_id(self, table: str) -> int:
        """The first unused id of a table."""
        return int(self.execute(f'select coalesce(max(id) + 1, 0) from "{table}"')[0][0])

    def count(self, table: str) -> int:
        """Rows of a table."""
        return int(self.execute(f'select count(*) from "{table}"')[0][0])

    def check(self) -> None:
        """Read every block of every table; raises Damaged where one is not what was written."""
        for table in TABLES:
            self.execute(f'select bit_xor(hash(t)) from "{table}" t')

    def contradictions(self) -> list[str]:
        """What no writer would have written: rows twice, and rows that refer to what is not there.

        At most one line for each kind, of its first case.
        """
        return [
            line.format(*found[0])
            for line, sql in _CONTRADICTIONS
            if (found := self.execute(f"{sql} order by 1 limit 1"))
        ]


def _create(path: Path) -> None:
    """An empty record, whole from the first moment that it has its name."""
    import duckdb

    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}{layout.TEMPORARY}")
    try:
        with (
            _interruptible(),
            contextlib.closing(_connect(fresh, write=True, wait=0.0)) as connection,
        ):
            connection.execute("begin")
            connection.execute(_SCHEMA)
            version = ["record_version", str(RECORD_VERSION)]
            connection.execute("insert into meta values (?, ?)", version)
            connection.execute("commit")
            _take_in(connection)
        # the log of a record that was deleted does not belong to this one
        path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
    except duckdb.Error as error:
        raise _refused(path, error) from error
    except OSError as error:
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error
    layout.adopt(fresh, path)


# Each finds rows, of which the line tells the first.
_CONTRADICTIONS = (
    (
        "two rows of the table blob have the id {}",
        "select id from blob group by id having count(*) > 1",
    ),
    (
        "two rows of the table blob are of the object {} as {}",
        # the objects that git has lost are all called by the same zeros
        "select oid, hint from blob where trim(oid, '0') <> ''"
        " group by oid, hint, forced having count(*) > 1",
    ),
    (
        "two rows of the table chunk have the id {}",
        "select id from chunk group by id having count(*) > 1",
    ),
    (
        "row {} of the table blob says it has {} chunks, and has {}",
        "select b.id, b.chunks, count(c.id) from blob b left join chunk c on c.blob = b.id and"
        " c.id >= b.first_chunk and c.id < b.first_chunk::bigint + b.chunks"
        " group by b.id, b.chunks having count(c.id) <> b.chunks",
    ),
    *(
        (
            f"a row of the table {table} refers to the blob {{}}, which is not there",
            f'select t.blob from "{table}" t anti join blob b on b.id = t.blob',
        )
        for table in ("chunk", "symbol", "reference", "import")
    ),
    (
        "two rows of the table symbol have the number {1} in the blob {0}",
        "select blob, ordinal from symbol group by blob, ordinal having count(*) > 1",
    ),
    *(
        (
            f"chunk {{}} refers to the symbol {{}}, which is not there, as its {column}",
            f"select c.id, c.{column} from chunk c anti join symbol s"
            f" on s.blob = c.blob and s.ordinal = c.{column} where c.{column} >= 0",
        )
        for column in ("scope", "symbol")
    ),
    (
        "chunk {} is not a range of its blob",
        'select c.id from chunk c join blob b on b.id = c.blob where c.start > c."end"'
        ' or c."end" > b.size',
    ),
)


def copy_kept(source: Path, target: Path, blobs: Columns, generation: str) -> np.ndarray:
    """Write a record with only some blobs to a new file, ids numbered afresh.

    blobs: {"id"}; returns the old chunk id of each new one, ascending: uint32.
    """
    import duckdb

    try:
        with (
            _interruptible(),
            contextlib.closing(_connect(target, write=True, wait=0.0)) as connection,
        ):
            return _copied(connection, source, blobs, generation)
    except duckdb.Error as error:
        raise _refused(source, error) from error


def _copied(
    connection: duckdb.DuckDBPyConnection, source: Path, blobs: Columns, generation: str
) -> np.ndarray:
    connection.execute(_SCHEMA)
    connection.execute(f"attach '{str(source).replace(chr(39), chr(39) * 2)}' as o (read_only)")
    connection.register("kept", blobs)
    for statement in _COPY:
        connection.execute(statement)
    connection.execute("update meta set value = ? where key = 'generation'", [generation])
    chunks: np.ndarray = connection.execute("select old from c order by id").fetchnumpy()["old"]
    connection.execute("drop table b; drop table c; detach o")
    _take_in(connection)
    return chunks


def _take_in(connection: duckdb.DuckDBPyConnection) -> None:
    """Take the log into the file, which gets another name: closing would, and hide a failure."""
    connection.execute("checkpoint")


_COPY = (
    "create table b as select (row_number() over (order by x.id) - 1)::uinteger as id, x.id as old"
    " from o.blob x semi join kept k on k.id = x.id",
    "create table c as select (row_number() over (order by x.id) - 1)::uinteger as id,"
    " x.id as old, b.id as blob from o.chunk x join b on b.old = x.blob",
    "insert into meta select * from o.meta",
    "insert into blob select b.id, oid, hint, forced, language, skip, size, lines,"
    " coalesce((select min(c.id) from c where c.blob = b.id), 0), chunks"
    " from o.blob x join b on b.old = x.id order by b.id",
    'insert into chunk select c.id, c.blob, start, "end", first_line, last_line, scope, symbol'
    " from o.chunk x join c on c.old = x.id order by c.id",
    "insert into symbol select b.id, x.* exclude (blob) from o.symbol x join b on b.old = x.blob"
    " order by b.id, ordinal",
    "insert into reference select b.id, x.* exclude (blob) from o.reference x"
    " join b on b.old = x.blob order by b.id, line",
    "insert into import select b.id, x.* exclude (blob) from o.import x"
    " join b on b.old = x.blob order by b.id, line",
)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """A Ctrl-C during a statement is one: DuckDB takes it and complains of a RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def _connect(path: Path, *, write: bool, wait: float) -> duckdb.DuckDBPyConnection:
    import duckdb

    trace.count("record opened")
    deadline = time.monotonic() + wait
    # two threads: more only add memory; no network: extensions are never fetched; small blocks: a
    # table takes at least two, and blocks of the usual 256 KB would outweigh a small repository
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": "2",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": "512MB",
        "default_block_size": "32768",
    }
    while True:
        try:
            with _interruptible():
                connection = duckdb.connect(str(path), read_only=not write, config=config)
                # on by itself where Python runs no file, and then on stdout
                connection.execute("set enable_progress_bar = false")
            return connection
        except duckdb.IOException as error:
            if "lock on file" not in str(error):
                if not write and not path.exists():  # another process has replaced it
                    raise FileNotFoundError(path) from error
                raise _refused(path, error) from error
            if time.monotonic() > deadline:
                raise Busy(f"'{path.name}' is in use by another process", "try again") from error
            time.sleep(_POLL)
        except duckdb.Error as error:
            raise _refused(path, error) from error


def _refused(path: Path, error: duckdb.Error) -> SearchError:
    """What an error of DuckDB means: the disk is full or read-only, or the file is damaged."""
    line = str(error).splitlines()[0]
    if any(word in str(error).lower() for word in _REFUSALS):
        return Unwritable(f"cannot write '{path}': {line}")
    return Damaged(path.name, line)


def rows_of(sql: str, path: Path) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """A read-only query of the user's: columns and rows; files and network are out of reach."""
    import duckdb

    try:
        with (
            contextlib.closing(_connect(path, write=False, wait=READ_DEADLINE)) as connection,
            _interruptible(),
        ):
            return _rows(connection, sql)
    except duckdb.Error as error:
        raise SearchError(str(error).splitlines()[0], _TABLES_HINT) from error


def _rows(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    cursor = connection.execute(sql)
    if cursor is None:
        raise SearchError("the query is empty", _TABLES_HINT)
    names = tuple(column[0] for column in cursor.description or ())
    return names, tuple(cursor.fetchall())
