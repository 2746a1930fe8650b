"""Tables as Parquet files, which DuckDB writes: one file a table and repository.

A table is a folder with a partition for each repository, as Hive lays it out, so that readers take
the repository for a column.
"""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING
from urllib.parse import quote

from gitsearch.errors import SearchError, Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import duckdb
    import numpy as np

    Columns = dict[str, np.ndarray]

_FILE = "data.parquet"

# The columns of a query are written as they are, in their order.
EVERYTHING = "select * from data"


class ParquetFolder:
    """A folder with tables, in which the partitions of one repository are written anew."""

    def __init__(self, folder: Path, repository: str) -> None:
        self._folder = folder
        self._partition = f"repository={quote(repository, safe='')}"

    def write(
        self, table: str, data: Columns, query: str = EVERYTHING, **others: Columns
    ) -> tuple[int, int]:
        """Write the rows of a query over the table `data` and others; returns rows and bytes.

        A file that is there is replaced as a whole. Raises Unwritable.
        """
        path = self._folder / table / self._partition / _FILE
        temporary = path.with_name(f"{_FILE}.{secrets.token_hex(4)}{layout.TEMPORARY}")
        with layout.writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            rows = _copied(temporary, query, {"data": data, **others})
            with layout.writing(path):
                temporary.replace(path)
                return rows, path.stat().st_size
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _copied(path: Path, query: str, tables: Mapping[str, Columns]) -> int:
    """Write the rows of a query to a new file; returns how many."""
    with _connected(path) as connection:
        for name, columns in tables.items():
            connection.register(name, columns)
        target = str(path).replace("'", "''")
        rows = connection.execute(
            f"copy ({query}) to '{target}' (format parquet, compression zstd)"
        ).fetchall()
    return int(rows[0][0])


@contextlib.contextmanager
def _connected(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory; one thread writes the same bytes each time."""
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
    except duckdb.IOException as error:
        line = str(error).splitlines()[0]
        raise Unwritable(f"cannot write '{path.parent}': {line}") from error
    except duckdb.Error as error:
        raise SearchError(f"DuckDB: {str(error).splitlines()[0]}") from error
    except RuntimeError as error:  # a Ctrl-C during a statement
        raise KeyboardInterrupt from error
