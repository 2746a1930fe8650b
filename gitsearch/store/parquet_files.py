"""Tables as Parquet files, which DuckDB writes and reads: one file a table and repository.

A table is a folder with a partition for each repository, as Hive lays it out, so that readers take
the repository for a column.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import numpy as np

from gitsearch.errors import BadShare, SearchError, Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import duckdb

    Columns = dict[str, np.ndarray]

_FILE = "data.parquet"
_PARTITION = "repository="

# What means more than itself where DuckDB is told to read a file.
_WILD = re.compile(r"([*?\[])")

# The most rows and bytes of texts that are read of one table, several times what the largest
# repositories have.
_MOST_ROWS = 1 << 23
_MOST_BYTES = 1 << 30

# What DuckDB may take to read one.
_MEMORY = "2GB"

_REMAKE = "git search export --parquet writes the tables with this version"

# The columns of a query are written as they are, in their order.
EVERYTHING = "select * from data"


def repositories_in(folder: Path, table: str) -> list[str]:
    """Return the names of the repositories of which a folder has a table, in order.

    Raises BadShare for a folder that cannot be read.
    """
    try:
        entries = [entry.name for entry in (folder / table).iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadShare(f"cannot read '{folder}': {error.strerror}") from error
    return sorted(
        unquote(name.removeprefix(_PARTITION)) for name in entries if name.startswith(_PARTITION)
    )


class ParquetFolder:
    """A folder with tables, in which the partitions of one repository are written or read.

    Tables that are written become visible together, by `publish`; `close` drops the others.
    """

    def __init__(self, folder: Path, repository: str) -> None:
        self._folder = folder
        self._partition = f"{_PARTITION}{quote(repository, safe='')}"
        # of each table that is written, in their order: the temporary file, and that of the table
        self._written: list[tuple[Path, Path]] = []

    def write(
        self, table: str, data: Columns, query: str = EVERYTHING, **others: Columns
    ) -> tuple[int, int]:
        """Write the rows of a query over the table `data` and others; returns rows and bytes.

        The file that is there stays until `publish`. Raises Unwritable.
        """
        path = self._folder / table / self._partition / _FILE
        temporary = path.with_name(f"{_FILE}.{secrets.token_hex(4)}{layout.TEMPORARY}")
        with layout.writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._written.append((temporary, path))
        rows = _copied(temporary, query, {"data": data, **others})
        with layout.writing(path):
            return rows, temporary.stat().st_size

    def publish(self) -> None:
        """Let the tables that were written take the place of those that are there.

        The first one that was written is the last: it says what the others are of. Raises
        Unwritable.
        """
        while self._written:
            temporary, path = self._written[-1]
            with layout.writing(path):
                temporary.replace(path)
            self._written.pop()

    def close(self) -> None:
        """Drop what was written and not published."""
        for temporary, _ in self._written:
            with contextlib.suppress(OSError):
                temporary.unlink()
        self._written = []

    def read(self, table: str, types: Mapping[str, str], nullable: Mapping[str, int]) -> Columns:
        """Return columns of a table, in its order; raises BadShare if it is not as it should be.

        types: of the columns, as DuckDB calls them; nullable: what stands for null, by column.
        """
        path = self._folder / table / self._partition / _FILE
        if not path.is_file():
            raise BadShare(f"'{path}' is missing or no regular file", _REMAKE)
        with _reading(path) as connection:
            connection.execute(
                "create view data as from"
                f" read_parquet('{_escaped(_literal(path))}', hive_partitioning = false)"
            )
            _check_types(connection, path, types)
            _check_size(connection, path, types)
            names = ", ".join(f'"{name}"' for name in types)
            columns = connection.execute(f"select {names} from data").fetchnumpy()
        return {name: _filled(path, name, columns[name], nullable) for name in types}

    def size(self, tables: Iterable[str]) -> int:
        """Return the bytes of the files of some tables, as far as they are there."""
        paths = [self._folder / table / self._partition / _FILE for table in tables]
        return sum(path.stat().st_size for path in paths if path.is_file())


def _check_types(
    connection: duckdb.DuckDBPyConnection, path: Path, types: Mapping[str, str]
) -> None:
    told = connection.execute("describe data").fetchall()
    actual = {name: kind for name, kind, *_ in told}
    for name, kind in types.items():
        if actual.get(name) != kind:
            found = f"is {actual[name]}" if name in actual else "is missing"
            raise BadShare(f"'{path}': the column {name} {found}, not {kind}", _REMAKE)


def _check_size(
    connection: duckdb.DuckDBPyConnection, path: Path, types: Mapping[str, str]
) -> None:
    """Raise BadShare for a table that is too large; no row is read before their number is."""
    texts = [f'strlen("{name}")' for name, kind in types.items() if kind == "VARCHAR"]
    for value, most in (
        ("count(*)", _MOST_ROWS),
        (f"coalesce(sum({'+'.join(texts) or '0'}), 0)", _MOST_BYTES),
    ):
        ((found,),) = connection.execute(f"select {value} from data").fetchall()
        if found > most:
            raise BadShare(f"'{path}' has more than {most:,} rows or bytes of texts")


def _filled(path: Path, name: str, values: np.ndarray, nullable: Mapping[str, int]) -> np.ndarray:
    """Return a column without nulls."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if name not in nullable and values.mask.any():
        raise BadShare(f"'{path}': the column {name} has nulls", _REMAKE)
    return np.asarray(values.filled(nullable.get(name)))


def _literal(path: Path) -> str:
    """Return a pattern of DuckDB that matches a path alone."""
    return _WILD.sub(r"[\1]", str(path))


def _escaped(text: str) -> str:
    return text.replace("'", "''")


def _copied(path: Path, query: str, tables: Mapping[str, Columns]) -> int:
    """Write the rows of a query to a new file; returns how many."""
    with _connected(path) as connection:
        for name, columns in tables.items():
            connection.register(name, columns)
        rows = connection.execute(
            f"copy ({query}) to '{_escaped(str(path))}' (format parquet, compression zstd)"
        ).fetchall()
    return int(rows[0][0])


@contextlib.contextmanager
def _connected(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that writes; one thread writes the same bytes each time."""
    import duckdb

    try:
        with _opened() as connection:
            yield connection
    except duckdb.IOException as error:
        raise Unwritable(f"cannot write '{path.parent}': {_first_line(error)}") from error
    except duckdb.Error as error:
        raise SearchError(f"DuckDB: {_first_line(error)}") from error


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that reads a file, which may come from anybody."""
    import duckdb

    try:
        with _opened() as connection:
            connection.execute(f"set memory_limit = '{_MEMORY}'")
            connection.execute("set temp_directory = ''")
            yield connection
    except duckdb.Error as error:
        raise BadShare(f"'{path}' is damaged: {_first_line(error)}", _REMAKE) from error


@contextlib.contextmanager
def _opened() -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
    }
    try:
        with contextlib.closing(duckdb.connect(":memory:", config=config)) as connection:
            # it is enabled by default where Python runs no file, and then prints to stdout
            connection.execute("set enable_progress_bar = false")
            yield connection
    except RuntimeError as error:  # a Ctrl-C during a statement
        raise KeyboardInterrupt from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
