"""The record: facts of blobs in DuckDB, the only module that knows it.

Tables and columns are documented in docs/format.md, "The record". One read-write connection
locks out every other process, so it is opened for one short transaction at a time and readers
retry until a deadline.

A database file can hold more than tables: views and macros that read other files or never end,
under the names of our tables and even of functions. So no connection reaches any file but the
record, functions are looked for among DuckDB's own before those of the file, and each of our
tables must be one, with the columns that it was made with.
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


class FactsDb:
    """An open record. Use as a context manager; writing happens in `transaction`."""

    def __init__(self, path: Path, *, write: bool = False, wait: float | None = None) -> None:
        """Open, and create when writing; raises FileNotFoundError, Damaged, Busy or Unwritable."""
        self._path = path
        if not layout.exists(path):
            if not write:
                raise FileNotFoundError(path)
            _create(path)
        if wait is None:
            wait = WRITE_DEADLINE if write else READ_DEADLINE
        self._connection = _connect(path, write=write, wait=wait)
        try:
            self._identify()
        except BaseException:
            self.close()
            raise

    def _identify(self) -> None:
        """Raise Damaged unless tables and meta are those of this version."""
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
        """Start a transaction that ends with the block."""
        try:
            self.execute("begin")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit, or roll back after an exception, and close."""
        try:
            if kind is None:
                self.execute("commit")
                with _complaints(self._path):
                    self._connection.close()
        finally:
            self.close()

    def close(self) -> None:
        """Close after an error, which is the one to be told of."""
        with contextlib.suppress(SearchError), _complaints(self._path):
            self._connection.close()

    @contextlib.contextmanager
    def _registered(self, arrays: dict[str, Columns]) -> Iterator[None]:
        """Let statements see arrays as tables."""
        with _complaints(self._path):
            for name, columns in arrays.items():
                self._connection.register(name, columns)
        try:
            yield
        finally:
            # after a fatal error a connection takes none back; that error is the one to be told of
            with contextlib.suppress(SearchError), _complaints(self._path):
                for name in arrays:
                    self._connection.unregister(name)

    def query(self, sql: str, arrays: dict[str, Columns] | None = None) -> Columns:
        """The answer as one array a column; `arrays` are tables the query may join with."""
        with self._registered(arrays or {}), _complaints(self._path):
            found = self._connection.execute(sql).fetchnumpy()
        return {k: v.filled() if np.ma.isMaskedArray(v) else v for k, v in found.items()}

    def insert(self, table: str, columns: Columns) -> None:
        """Append rows; the columns are matched by name."""
        if not len(next(iter(columns.values()))):
            return
        names = ", ".join(f'"{name}"' for name in columns)
        with self._registered({"fresh": columns}):
            self.execute(f'insert into "{table}" ({names}) select {names} from fresh')

    def forget(self, blobs: np.ndarray) -> None:
        """Let these blob ids be of no object: their rows stay, for ids count rows of vectors."""
        if len(blobs):
            self.query(
                "update blob set oid = repeat('0', length(oid)) where id in (from forgotten)",
                {"forgotten": {"id": blobs.astype(np.uint32)}},
            )

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """A statement and its rows, if any."""
        with _complaints(self._path):
            return self._connection.execute(sql, parameters).fetchall()

    def rows(self, sql: str) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
        """Columns and rows of a query that may be wrong; raises duckdb.Error, or SearchError."""
        try:
            cursor = self._connection.execute(sql)
            if cursor is None:
                raise SearchError("the query is empty", _TABLES_HINT)
            names = tuple(column[0] for column in cursor.description or ())
            return names, tuple(cursor.fetchall())
        except RuntimeError as error:
            raise KeyboardInterrupt from error

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
        """Read all of it; raises Damaged where it is not what this program writes."""
        self.check_catalog()
        for table in facts_schema.TABLES:
            self.execute(f'select bit_xor(hash(t)) from "{table}" t')

    def check_catalog(self) -> None:
        """Raise Damaged for anything but the tables; for tables of more rows than any file holds.

        A column of equal values takes no room: a small file may claim any number of rows.
        """
        here = f"database_name = '{_catalog(self._path)}'"
        for kind, sql in facts_schema.OTHERS:
            also = "and" if " where " in sql else "where"
            if found := self.execute(
                f"{sql.format(tables=facts_schema.TABLES)} {also} {here} limit 1"
            ):
                raise Damaged(self._path.name, f"holds the {kind} {found[0][0]!r:.99}")
        size = sum(file.stat().st_size for file in _files(self._path))
        if any(self.count(table) > size for table in facts_schema.TABLES):
            raise Damaged(self._path.name, "has more rows than bytes")

    def contradictions(self) -> list[str]:
        """What no writer would have written: rows twice, and rows that refer to what is not there.

        At most one line for each kind, of its first case.
        """
        return [
            line.format(*found[0])
            for line, sql in facts_schema.CONTRADICTIONS
            if (found := self.execute(f"{sql} order by 1 limit 1"))
        ]


def _create(path: Path) -> None:
    """An empty record, whole from the first moment that it has its name."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}{layout.TEMPORARY}")
    try:
        with (
            _complaints(path),
            contextlib.closing(_connect(fresh, write=True, wait=0.0)) as connection,
        ):
            _fill(connection, fresh)
            version = ["record_version", str(facts_schema.RECORD_VERSION)]
            connection.execute("insert into meta values (?, ?)", version)
            connection.execute("commit")
            _take_in(connection, fresh)
        # the log of a record that was deleted does not belong to this one
        layout.remove(path.with_name(f"{path.name}.wal"))
    except OSError as error:
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error
    layout.adopt(fresh, path)


def _fill(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Make the tables in a file that has none, and begin a transaction."""
    connection.execute("begin")
    connection.execute(
        facts_schema.SCHEMA.replace("create table ", f"create table {_catalog(path)}.main.")
    )


def copy_kept(source: Path, target: Path, blobs: Columns, generation: str) -> np.ndarray:
    """Write a record with only some blobs to a new file, ids numbered afresh.

    blobs: {"id"}; returns the old chunk id of each new one, ascending: uint32.
    """
    with (
        _complaints(source),
        contextlib.closing(_connect(target, write=True, wait=0.0, beside=source)) as connection,
    ):
        return _copied(connection, target, blobs, generation)


def _copied(
    connection: duckdb.DuckDBPyConnection, target: Path, blobs: Columns, generation: str
) -> np.ndarray:
    _fill(connection, target)
    connection.execute("commit")
    connection.register("kept", blobs)
    for statement in facts_schema.COPY:
        connection.execute(statement)
    connection.execute("update meta set value = ? where key = 'generation'", [generation])
    chunks: np.ndarray = connection.execute("select old from c order by id").fetchnumpy()["old"]
    connection.execute("drop table b; drop table c; detach o")
    _take_in(connection, target)
    return chunks


def _take_in(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Take the log into the file, which gets another name: closing would, and hide a failure."""
    connection.execute(f"checkpoint {_catalog(path)}")


@contextlib.contextmanager
def _complaints(path: Path) -> Iterator[None]:
    """Turn DuckDB's complaints of a record into ours.

    A Ctrl-C during a statement is one: DuckDB takes it and complains of a RuntimeError.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _refused(path, error) from error
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise Damaged(path.name, _first_line(error)) from error
    except (UnicodeDecodeError, MemoryError) as error:
        raise Damaged(path.name, f"cannot be read: {_first_line(error)}") from error


def _connect(
    path: Path, *, write: bool, wait: float, beside: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection that sees this file only, and `beside`, to be read, as the database `o`."""
    import duckdb

    trace.count("record opened")
    deadline = time.monotonic() + wait
    _check_files(path, write=write)
    # two threads: more only add memory; small blocks: a table takes at least two, and blocks of
    # the usual 256 KB would outweigh a small repository; Python's variables are no tables
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": "2",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "memory_limit": "512MB",
        "default_block_size": "32768",
    }
    if beside is None:
        config["enable_external_access"] = "false"
    while True:
        try:
            with _complaints(path):
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
    """Let statements reach no other file, and the file's macros replace no function."""
    if beside is not None:
        _check_files(beside, write=False)
        name = str(beside).replace("'", "''")
        connection.execute(f"attach '{name}' as o (read_only)")
        connection.execute("set enable_external_access = false")
    connection.execute(f"set search_path = 'system.main,{_catalog(path)}.main'")
    # on by itself where Python runs no file, and then on stdout
    connection.execute("set enable_progress_bar = false")
    connection.execute("set lock_configuration = true")


def _catalog(path: Path) -> str:
    """What DuckDB calls the database in a file."""
    return path.name.partition(".")[0]


def _files(path: Path) -> list[Path]:
    """The record and the log that belongs to it, as far as they are there."""
    both = (path, path.with_name(f"{path.name}.wal"))
    return [file for file in both if layout.exists(file)]


def _check_files(path: Path, *, write: bool) -> None:
    """Raise Damaged where DuckDB would wait for a pipe, or follow a link out of the folder.

    Nothing is opened: to close a file ends the locks that this process holds on it.
    """
    for file in _files(path):
        if layout.obstructed(file):
            raise Damaged(path.name, f"'{file.name}' is not a regular file")
        if not write and not os.access(file, os.R_OK):
            raise Damaged(path.name, "cannot be read: Permission denied")
    spilt = path.with_name(f"{path.name}{layout.TEMPORARY}")
    if layout.exists(spilt) and (spilt.is_symlink() or not spilt.is_dir()):
        raise Damaged(path.name, f"'{spilt.name}' is not a folder")


def _refused(path: Path, error: duckdb.Error) -> SearchError:
    """What an error of DuckDB means: the disk is full or read-only, or the file is damaged."""
    line = _first_line(error)
    if any(word in str(error).lower() for word in _REFUSALS):
        return Unwritable(f"cannot write '{path}': {line}")
    return Damaged(path.name, line)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def rows_of(sql: str, path: Path) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """A read-only query of the user's: columns and rows; files and network are out of reach.

    Raises FileNotFoundError, Damaged or Busy as Record does, else SearchError in DuckDB's words.
    """
    import duckdb

    record = FactsDb(path)
    try:
        record.check_catalog()
        return record.rows(sql)
    except duckdb.Error as error:
        raise SearchError(_first_line(error), _TABLES_HINT) from error
    finally:
        record.close()
