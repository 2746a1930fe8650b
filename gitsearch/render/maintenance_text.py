"""The reports of `index`, `status`, `verify`, `gc` and `share` in plain figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitsearch.render.color import Paint
from gitsearch.render.escape import folded, plain, quoted
from gitsearch.render.findings import counted
from gitsearch.reports.maintenance import (
    DescriptionCounts,
    ExportReport,
    GcReport,
    HooksReport,
    HookState,
    ImportReport,
    IndexesReport,
    IndexReport,
    StatusReport,
    TablesReport,
    VerifyReport,
)
from gitsearch.reports.search import Coverage, TreeName

_LABEL = 12
_KILO = 1000
_NAMES = 4


def indexed(report: IndexReport) -> Iterator[str]:
    """The report of `index`."""
    yield _row("tree", _tree(report.tree))
    yield from _coverage(report.coverage)
    yield _row("chunks", f"{report.chunks}")
    work = f"{counted(report.files_parsed, 'file')}, {size(report.bytes_read)}"
    if report.dry_run:
        yield _row("to parse", work)
    else:
        yield _row("parsed", f"{work}; terms embedded: {report.terms_embedded}")
        yield _row("time", f"{report.seconds:.1f} s")


def indexed_many(report: IndexesReport) -> Iterator[str]:
    """The report of `index --in`."""
    parsed = "to parse" if report.dry_run else "parsed"
    for one in report.repositories:
        yield _row("repository", f"{quoted(one.repository)}, {_tree(one.tree)}")
        known = f", {one.files_known} known to other clones" if one.files_known else ""
        files = counted(one.files_parsed, "file")
        yield _row("", f"{parsed} {files}{known}; {one.chunks:,} chunks")
    if not report.dry_run:
        yield _row("time", f"{report.seconds:.1f} s")


def status(report: StatusReport) -> Iterator[str]:
    """The state of the index."""
    yield _row("tree", _tree(report.tree))
    yield _row("index", _state(report))
    yield from _coverage(report.coverage)
    contents = f"{report.blobs} blobs, {report.chunks} chunks, {report.symbols} symbols"
    yield _row("record", f"{contents}, {report.terms} terms")
    yield _row("trees", _trees(report))
    yield _row("model", folded(report.model))
    if report.descriptions is not None:
        yield _row("described", _described(report.descriptions))
    yield _row("hooks", _installed(report.hooks))
    yield _row("folder", f"{quoted(report.folder)} ({size(sum(n for _, n in report.files))})")
    for name, count in report.files:
        yield _row("", f"{size(count):>9}  {quoted(name)}")


def _described(counts: DescriptionCounts) -> str:
    text = f"{counted(counts.described, 'chunk')}, {counts.pending} to ask about"
    return f"{text}; search.describeCommand: {plain(counts.refusal)}" if counts.refusal else text


def _state(report: StatusReport) -> str:
    if report.updating:
        return f"being updated by process {', '.join(map(str, report.updating))}"
    if report.current:
        return "current"
    return "behind; git search index brings it up to date; a search reads a small change itself"


def skipped(report: StatusReport, brush: Paint) -> Iterator[str]:
    """Each file that is not searchable, with the reason."""
    for path, reason in report.skipped:
        yield f"{brush.name(path)}: {plain(reason)}\n"


def verified(report: VerifyReport) -> Iterator[str]:
    """Each file under .git/search, sound or not."""
    wrong = dict(report.problems)
    for name, count in report.checked:
        if name not in wrong:
            yield f"ok       {quoted(name)} ({size(count)})\n"
    for name, problem in report.problems:
        yield f"damaged  {quoted(name)}: {folded(problem)}\n"
    for name in report.leftovers:
        yield f"leftover {quoted(name)}: of a writer that was killed; the next one removes it\n"


def collected(report: GcReport) -> Iterator[str]:
    """The report of `gc`."""
    freed = max(report.bytes_before - report.bytes_after, 0)
    yield _row("blobs", f"{report.blobs_dropped} dropped, {report.blobs_kept} kept")
    yield _row("views", f"{report.views_dropped} dropped")
    yield _row("size", f"{size(report.bytes_after)}, {size(freed)} freed")


def exported(report: ExportReport) -> Iterator[str]:
    """The report of `share export`."""
    for tree in report.trees:
        yield _row("tree", _tree(tree))
    yield _row("blobs", f"{report.blobs}")
    yield _row("size", size(report.bytes))


def tables(report: TablesReport) -> Iterator[str]:
    """The report of `export`."""
    for one in report.repositories:
        chunks, files = one.rows["chunks"], one.rows["files"]
        yield _row("repository", f"{quoted(one.repository)}, {_tree(one.tree)}")
        rows = f"{files:,} file{'s' * (files != 1)}, {chunks:,} chunk{'s' * (chunks != 1)}"
        yield _row("", f"{rows}, {size(one.bytes)}")


def imported(report: ImportReport) -> Iterator[str]:
    """The report of `share import`."""
    for tree in report.trees:
        yield _row("tree", tree[:12])
    parts = [f"{report.added} added", f"{report.known} known"]
    parts += [f"{report.dropped} not in this clone"] * bool(report.dropped)
    parts += [f"{report.refused} refused"] * bool(report.refused)
    yield _row("blobs", f"{report.blobs}: {', '.join(parts)}")
    yield _row("checked", f"{counted(report.sampled, 'file')} parsed")
    if report.files_parsed:
        yield _row("parsed", counted(report.files_parsed, "file"))
    yield _row("time", f"{report.seconds:.1f} s")


def hooks(report: HooksReport) -> Iterator[str]:
    """The state of the hooks, and the end of their log."""
    width = max(len(hook.event) for hook in report.hooks) + 2
    for hook in report.hooks:
        where = {
            "config": "in git's configuration",
            "file": "in",
            "by-hand": "by hand in",
            "pre-commit": "through",
        }
        text = f"{where[hook.state]} " if hook.state in where else "not installed"
        if hook.state == "config":
            text += f"({hook.where})"
        elif hook.state != "absent":
            text += quoted(hook.where)
        elif hook.where:
            text += f": the file {plain(hook.where)}"
        yield f"{hook.event:<{width}}{text}\n"
    if report.pending:
        yield "a run is pending\n"
    for line in report.log:
        yield f"{plain(line)}\n"


def _trees(report: StatusReport) -> str:
    """The trees that have a view, by their names."""
    named = [names for _, _, names in report.views if names]
    named.sort(key=lambda names: (names[0] != "HEAD", names))
    shown = [f"{folded(names[0])}" + _also(names[1:]) for names in named[:_NAMES]]
    others = len(report.views) - len(shown)
    if others:
        shown.append(f"{others} more" if shown else f"{others} without a name")
    return ", ".join(shown) or "none"


def _also(names: Sequence[str]) -> str:
    return f" ({folded(', '.join(names[:_NAMES]))})" if names else ""


def _installed(states: Sequence[HookState]) -> str:
    absent = [hook.event for hook in states if hook.state == "absent"]
    if not absent:
        return "installed"
    if len(absent) == len(states):
        return "not installed; with them searches never wait: git search hooks install"
    return f"not for {', '.join(absent)}: git search hooks status"


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


def _tree(tree: TreeName) -> str:
    identity = tree.commit or tree.tree
    text = folded(tree.rev)
    if identity and identity != tree.rev:
        text += f" ({identity[:12]})"
    return f"{text}, {counted(tree.dirty, 'file')} edited" if tree.dirty else text


def _coverage(coverage: Coverage) -> Iterator[str]:
    yield _row("searchable", f"{coverage.searchable} of {coverage.tracked} tracked files")
    reasons = [f"{plain(reason)} {count}" for reason, count in coverage.skipped.items() if count]
    if reasons:
        yield _row("skipped", f"{sum(coverage.skipped.values())}: {', '.join(reasons)}")
    if coverage.pending:
        yield _row("pending", f"{coverage.pending}")
