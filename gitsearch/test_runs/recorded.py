"""Data of test runners in any of the formats that are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.errors import BadCoverage
from gitsearch.test_runs import coverage_py, go_profile, jacoco, lcov

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gitsearch.test_runs.ran_lines import RanLines

_FORMATS = (
    "data of coverage.py with contexts (.coverage or JSON), lcov, XML of JaCoCo and profiles of "
    "go are read"
)
_BOM = b"\xef\xbb\xbf"

# The lines that a test ran, as bits, by the name of the test and the path of the file.
Recorded = dict[tuple[str, str], int]


def recorded(name: str, data: bytes) -> Recorded:
    """Return the lines that tests ran, by the content of a file of data.

    name: that of the file: of a test that the data does not name, the stem of it is the name.
    Raises BadCoverage, whose message names the file.
    """
    read = _reader(data)
    found: Recorded = {}
    nobody = Path(name).name.partition(".")[0]
    try:
        if read is None:
            raise BadCoverage("it is in no format that is read", _FORMATS)
        named = read is not coverage_py.read_sqlite and read is not coverage_py.read_json
        for test, path, lines in read(data):
            # without a context coverage.py notes what ran outside of all tests
            key = (test or nobody if named else test), path
            if key[0] and lines:
                found[key] = found.get(key, 0) | lines
        if not found:
            raise BadCoverage("it does not say that a test ran a line", _how(named=named))
    except BadCoverage as error:
        raise BadCoverage(f"'{name}' cannot be used: {error.message}", error.hint) from error
    return found


def _how(*, named: bool) -> str:
    if named:
        return "record it anew"
    return (
        "record contexts: `dynamic_context = test_function`, or --cov-context=test of pytest-cov"
    )


def _reader(data: bytes) -> Callable[[bytes], Iterable[RanLines]] | None:
    start = data.removeprefix(_BOM)[:4096].lstrip()
    if data.startswith(coverage_py.SQLITE):
        return coverage_py.read_sqlite
    if start.startswith(b"{"):
        return coverage_py.read_json
    if start.startswith(b"<"):
        return jacoco.read
    if start.startswith(go_profile.START):
        return go_profile.read
    return lcov.read if start.startswith(lcov.STARTS) else None
