"""The record: facts of blobs in DuckDB; the only module that uses it.

Tables and columns are documented in docs/format.md, "The record". A read-write connection locks
out other processes, so it lives for one short transaction, and readers retry until a deadline.

A database file can also contain views and macros that read other files or never end, under the
names of our tables and even of functions. So no connection reaches any file but the record, names
of functions resolve to DuckDB's own first, and each of our tables must have exactly its columns.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, SearchError, Unwritable
from gitsearch.store import facts_schema, layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

Columns = dict[str, np.ndarray]

_TABLES_HINT = "git search sql 'show tables' lists the tables"

# Seconds that a reader waits for a writer, who holds the file for one transaction, and that the
# one writer waits for a gap between readers.
READ_DEADLINE = 1.0
WRITE_DEADLINE = 60.0
_POLL = 0.02

# Two threads, as more only add memory; small blocks, as a table takes at least two and the usual
# 256 KB would outweigh a small repository; no access to Python's variables as tables.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": "2",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "512MB",
    "default_block_size": "32768",
}

# Parts of DuckDB's messages for faults of the file system, not of the file.
_FILE_SYSTEM_ERRORS = (
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


class FactsDb:
    """An open record, and its connection. As a context manager, the block is one transaction."""

    def __init__(self, path: Path, *, write: bool = False, wait: float | None = None) -> None:
        """Open a record, created if missing and `write`, after at most `wait` seconds.

        Raises FileNotFoundError, Damaged, Busy or Unwritable.
        """
        self._path = path
        if not layout.exists(path):
            if not write:
                raise FileNotFoundError(path)
            _create(path)
        if wait is None:
            wait = WRITE_DEADLINE if write else READ_DEADLINE
        self.connection = _connect(path, write=write, wait=wait)
        try:
            self._identify()
        except BaseException:
            self.close()
            raise

    def _identify(self) -> None:
        """Raise Damaged unless the tables and meta data are those of this version."""
        columns = " union all ".join(
            f"select '{table}', * from pragma_table_info('{_catalog(self._path)}.main.{table}')"
            for table in facts_schema.TABLES
        )
        if sorted(self.execute(columns)) != sorted(facts_schema.COLUMNS):
            raise Damaged(self._path.name, "does not have the tables of this program")
        meta = self.meta()
        if meta.get("record_version") != str(facts_schema.RECORD_VERSION):
            raise Damaged(self._path.name, "written by another version of this program")
        for key, value in meta.items():
            if key in facts_schema.META and not facts_schema.META[key].fullmatch(value):
                raise Damaged(self._path.name, f"meta '{key}' makes no sense")

    def __enter__(self) -> FactsDb:
        """Begin a transaction that ends with the block."""
        try:
            self.execute("begin")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit, or roll back after an exception, and close the connection."""
        try:
            if kind is None:
                self.execute("commit")
                with _translated_errors(self._path):
                    self.connection.close()
        finally:
            self.close()

    def close(self) -> None:
        """Close the connection; errors of closing are ignored in favour of an earlier one."""
        with contextlib.suppress(SearchError), _translated_errors(self._path):
            self.connection.close()

    def query(self, sql: str, arrays: dict[str, Columns] | None = None) -> Columns:
        """Return the result as one array per column; `arrays` are tables that it may join."""
        arrays = arrays or {}
        with _translated_errors(self._path):
            for name, table in arrays.items():
                self.connection.register(name, table)
            try:
                columns = self.connection.execute(sql).fetchnumpy()
            finally:
                # after a fatal error this fails too; the first error is the one to report
                with contextlib.suppress(SearchError), _translated_errors(self._path):
                    for name in arrays:
                        self.connection.unregister(name)
        return {
            name: column.filled() if np.ma.isMaskedArray(column) else column
            for name, column in columns.items()
        }

    def insert(self, table: str, columns: Columns) -> None:
        """Append rows to a table; columns are matched by name."""
        if not len(next(iter(columns.values()))):
            return
        names = ", ".join(f'"{name}"' for name in columns)
        sql = f'insert into "{table}" ({names}) select {names} from new_rows'
        self.query(sql, {"new_rows": columns})

    def forget(self, blobs: np.ndarray) -> None:
        """Set the object ids of blobs to zeros; rows stay, as ids are row numbers of vectors."""
        if len(blobs):
            self.query(
                "update blob set oid = repeat('0', length(oid)) where id in (from forgotten)",
                {"forgotten": {"id": blobs.astype(np.uint32)}},
            )

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows."""
        with _translated_errors(self._path):
            return self.connection.execute(sql, parameters).fetchall()

    def meta(self) -> dict[str, str]:
        """Return all pairs of the table meta."""
        return dict(self.execute("select key, value from meta"))

    def set_meta(self, key: str, value: str) -> None:
        """Set one pair of the table meta."""
        self.execute("insert or replace into meta values (?, ?)", [key, value])

    def next_id(self, table: str) -> int:
        """Return the first unused id of a table."""
        return int(self.execute(f'select coalesce(max(id) + 1, 0) from "{table}"')[0][0])

    def count(self, table: str) -> int:
        """Return the number of rows of a table."""
        return int(self.execute(f'select count(*) from "{table}"')[0][0])

    def check(self) -> None:
        """Read all data. Raises Damaged if it is not what this program writes."""
        self.check_catalog()
        for table in facts_schema.TABLES:
            self.execute(f'select bit_xor(hash(t)) from "{table}" t')

    def check_catalog(self) -> None:
        """Raise Damaged if the file has anything but the tables, or more rows than bytes.

        A column of equal values takes no space, so a small file may claim any number of rows.
        """
        here = f"database_name = '{_catalog(self._path)}'"
        for kind, sql in facts_schema.OTHERS:
            also = "and" if " where " in sql else "where"
            sql = f"{sql.format(tables=facts_schema.TABLES)} {also} {here} limit 1"
            if rows := self.execute(sql):
                raise Damaged(self._path.name, f"holds the {kind} {rows[0][0]!r:.99}")
        size = sum(file.stat().st_size for file in _files(self._path))
        if any(self.count(table) > size for table in facts_schema.TABLES):
            raise Damaged(self._path.name, "has more rows than bytes")

    def contradictions(self) -> list[str]:
        """Describe the first duplicate row, dangling reference or bad range of each kind."""
        return [
            line.format(*rows[0])
            for line, sql in facts_schema.CONTRADICTIONS
            if (rows := self.execute(f"{sql} order by 1 limit 1"))
        ]


def _create(path: Path) -> None:
    """Create an empty record under a temporary name, and rename it when it is complete."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}{layout.TEMPORARY}")
    with layout.writing(path):
        with _new(temporary, path) as connection:
            version = ["record_version", str(facts_schema.RECORD_VERSION)]
            connection.execute("insert into meta values (?, ?)", version)
            connection.execute("commit")
        # the log of a record that was deleted does not belong to this one
        layout.remove(path.with_name(f"{path.name}.wal"))
    layout.adopt(temporary, path)


@contextlib.contextmanager
def _new(
    path: Path, named: Path, beside: Path | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Make a record to be renamed: the block fills the tables and commits. Errors name `named`."""
    with (
        _translated_errors(named),
        contextlib.closing(_connect(path, write=True, wait=0.0, beside=beside)) as connection,
    ):
        connection.execute("begin")
        connection.execute(
            facts_schema.SCHEMA.replace("create table ", f"create table {_catalog(path)}.main.")
        )
        yield connection
        # closing would merge the write-ahead log into the file too, but hide a failure
        connection.execute(f"checkpoint {_catalog(path)}")


def copy_kept(source: Path, target: Path, blobs: Columns, generation: str) -> np.ndarray:
    """Write a record with only some blobs to a new file, with new dense ids.

    blobs: {"id"}. Returns the old chunk id of each new one, ascending: uint32.
    """
    with _new(target, source, beside=source) as connection:
        connection.execute("commit")
        connection.register("kept", blobs)
        for statement in facts_schema.COPY:
            connection.execute(statement)
        connection.execute("update meta set value = ? where key = 'generation'", [generation])
        ids = connection.execute("select old from c order by id").fetchnumpy()
        connection.execute("drop table b; drop table c; detach o")
    chunks: np.ndarray = ids["old"]
    return chunks


@contextlib.contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    """Translate DuckDB's exceptions: Unwritable if the file system is at fault, else Damaged.

    DuckDB catches a Ctrl-C during a statement, and raises a RuntimeError instead.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        line = _first_line(error)
        if any(word in str(error).lower() for word in _FILE_SYSTEM_ERRORS):
            raise Unwritable(f"cannot write '{path}': {line}") from error
        raise Damaged(path.name, line) from error
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise Damaged(path.name, _first_line(error)) from error
    except (UnicodeDecodeError, MemoryError) as error:
        raise Damaged(path.name, f"cannot be read: {_first_line(error)}") from error


def _connect(
    path: Path, *, write: bool, wait: float, beside: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """Connect with access to this file only, and read access to `beside` as the database `o`."""
    import duckdb

    trace.count("record opened")
    deadline = time.monotonic() + wait
    _check_files(path, write=write)
    config = dict(_CONFIG)
    if beside is None:
        config["enable_external_access"] = "false"
    while True:
        try:
            with _translated_errors(path):
                connection = duckdb.connect(str(path), read_only=not write, config=config)
                _confine(connection, path, beside)
            return connection
        except Damaged as damage:
            if "lock on file" not in damage.reason:
                if not write and not layout.exists(path):  # another process has replaced it
                    raise FileNotFoundError(path) from damage
                raise
            if time.monotonic() > deadline:
                raise Busy(f"'{path.name}' is in use by another process", "try again") from damage
            time.sleep(_POLL)


def _confine(connection: duckdb.DuckDBPyConnection, path: Path, beside: Path | None) -> None:
    """Forbid access to other files, and let no macro of the file replace a function."""
    if beside is not None:
        _check_files(beside, write=False)
        name = str(beside).replace("'", "''")
        connection.execute(f"attach '{name}' as o (read_only)")
        connection.execute("set enable_external_access = false")
    connection.execute(f"set search_path = 'system.main,{_catalog(path)}.main'")
    # it is enabled by default where Python runs no file, and then prints to stdout
    connection.execute("set enable_progress_bar = false")
    connection.execute("set lock_configuration = true")


def _catalog(path: Path) -> str:
    """Return DuckDB's name of the database in a file."""
    return path.name.partition(".")[0]


def _files(path: Path) -> list[Path]:
    """Return those that exist of the record and its write-ahead log."""
    return list(filter(layout.exists, (path, path.with_name(f"{path.name}.wal"))))


def _check_files(path: Path, *, write: bool) -> None:
    """Raise Damaged if DuckDB would wait for a pipe, or follow a link out of the folder.

    Nothing is opened, because closing a file releases the locks that this process holds on it.
    """
    for file in _files(path):
        if layout.obstructed(file):
            raise Damaged(path.name, f"'{file.name}' is not a regular file")
        if not write and not os.access(file, os.R_OK):
            raise Damaged(path.name, "cannot be read: Permission denied")
    spill = path.with_name(f"{path.name}{layout.TEMPORARY}")
    if layout.exists(spill) and (spill.is_symlink() or not spill.is_dir()):
        raise Damaged(path.name, f"'{spill.name}' is not a folder")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def rows_of(sql: str, path: Path) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Run a user's query read-only, without access to files or network; return columns and rows.

    Raises FileNotFoundError, Damaged or Busy as FactsDb, else SearchError with DuckDB's message.
    """
    with contextlib.closing(FactsDb(path)) as record:
        record.check_catalog()
        return _asked(record.connection, sql)


def rows_of_many(
    sql: str, records: Sequence[tuple[str, Path]]
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Do what `rows_of` does over several records; the first column of tables is `repository`.

    records: names of repositories, and sound records. Raises as `rows_of`.
    """
    import duckdb

    with (
        _translated_errors(records[0][1]),
        contextlib.closing(duckdb.connect(":memory:", config=dict(_CONFIG))) as connection,
    ):
        for number, (_, path) in enumerate(records):
            quoted = str(path).replace("'", "''")
            connection.execute(f"attach '{quoted}' as r{number} (read_only)")
        connection.execute("set enable_external_access = false")
        for table in facts_schema.TABLES:
            parts = (
                f"select {_text(name)} as repository, * from r{number}.main.{table}"
                for number, (name, _) in enumerate(records)
            )
            connection.execute(f"create view {table} as {' union all '.join(parts)}")
        connection.execute("set search_path = 'system.main,memory.main'")
        connection.execute("set enable_progress_bar = false")
        connection.execute("set lock_configuration = true")
        return _asked(connection, sql)


def check_sound(path: Path) -> None:
    """Raise Damaged, Busy or FileNotFoundError for a record that a user's query cannot read."""
    with contextlib.closing(FactsDb(path)) as record:
        record.check_catalog()


def _text(value: str) -> str:
    """A literal of SQL."""
    return "'" + value.replace("'", "''") + "'"


def _asked(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Columns and rows of a user's query. Raises SearchError."""
    import duckdb

    try:
        cursor = connection.execute(sql)
        if cursor is None:
            raise SearchError("the query is empty", _TABLES_HINT)
        names = tuple(column[0] for column in cursor.description or ())
        return names, tuple(cursor.fetchall())
    except duckdb.Error as error:
        raise SearchError(_first_line(error), _TABLES_HINT) from error
    except RuntimeError as error:  # a Ctrl-C, as in `_translated_errors`
        raise KeyboardInterrupt from error
