"""The reports of `index`, `status`, `verify` and `gc` in plain figures."""

from __future__ import annotations

from collections.abc import Iterator

from gitsearch.records import (
    Coverage,
    GcReport,
    IndexReport,
    StatusReport,
    TreeName,
    VerifyReport,
)
from gitsearch.render.escape import folded, plain, quoted

_LABEL = 12
_KILO = 1000


def indexed(report: IndexReport) -> Iterator[str]:
    """What `index` did or would do."""
    yield _row("tree", _tree(report.tree))
    yield from _coverage(report.coverage)
    yield _row("chunks", f"{report.chunks}")
    parsed = "to parse" if report.dry_run else "parsed"
    yield _row(
        parsed,
        f"{_files(report.files_parsed)}, {size(report.bytes_read)}; "
        f"terms {'to embed' if report.dry_run else 'embedded'}: {report.terms_embedded}",
    )
    if not report.dry_run:
        yield _row("time", f"{report.seconds:.1f} s")


def status(report: StatusReport) -> Iterator[str]:
    """The state of the index."""
    yield _row("tree", _tree(report.tree))
    yield _row("index", "current" if report.current else "behind; the next search updates it")
    yield from _coverage(report.coverage)
    contents = f"{report.blobs} blobs, {report.chunks} chunks, {report.symbols} symbols"
    yield _row("record", f"{contents}, {report.terms} terms")
    yield _row("views", f"{len(report.views)}")
    yield _row("model", folded(report.model))
    yield _row("folder", f"{quoted(report.folder)} ({size(sum(n for _, n in report.files))})")
    for name, count in report.files:
        yield _row("", f"{size(count):>9}  {quoted(name)}")


def skipped(report: StatusReport) -> Iterator[str]:
    """Each file that is not searchable, with the reason."""
    for path, reason in report.skipped:
        yield f"{quoted(path)}: {plain(reason)}\n"


def verified(report: VerifyReport) -> Iterator[str]:
    """Each file under .git/search, sound or not."""
    wrong = dict(report.problems)
    for name, count in report.checked:
        if name not in wrong:
            yield f"ok       {quoted(name)} ({size(count)})\n"
    for name, problem in report.problems:
        yield f"damaged  {quoted(name)}: {folded(problem)}\n"


def collected(report: GcReport) -> Iterator[str]:
    """What `gc` dropped."""
    freed = max(report.bytes_before - report.bytes_after, 0)
    yield _row("blobs", f"{report.blobs_dropped} dropped, {report.blobs_kept} kept")
    yield _row("views", f"{report.views_dropped} dropped")
    yield _row("size", f"{size(report.bytes_after)}, {size(freed)} freed")


def size(count: int) -> str:
    """A number of bytes for people, in powers of 1000 as in `MB/s`."""
    value, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < _KILO:
            break
        value, unit = value / _KILO, larger
    return f"{count} bytes" if unit == "bytes" else f"{value:.1f} {unit}"


def _row(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{text}\n"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _tree(tree: TreeName) -> str:
    identity = tree.commit or tree.tree
    text = folded(tree.rev)
    if identity and identity != tree.rev:
        text += f" ({identity[:12]})"
    return f"{text}, {_files(tree.dirty)} edited" if tree.dirty else text


def _coverage(coverage: Coverage) -> Iterator[str]:
    yield _row("searchable", f"{coverage.searchable} of {coverage.tracked} tracked files")
    reasons = [f"{plain(reason)} {count}" for reason, count in coverage.skipped.items() if count]
    if reasons:
        yield _row("skipped", f"{sum(coverage.skipped.values())}: {', '.join(reasons)}")
    if coverage.pending:
        yield _row("pending", f"{coverage.pending}")
