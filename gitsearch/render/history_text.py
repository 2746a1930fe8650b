"""Answers about the past of code as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitsearch.render import color
from gitsearch.render.escape import folded, plain
from gitsearch.reports.history import (
    CommitShare,
    ExpertsReport,
    FoundCommit,
    HistoryIndexReport,
    HistoryReport,
    RelatedCommit,
    RemovedCode,
    RemovedReport,
    TogetherReport,
    WhyReport,
)

# Digits of the id of a commit, and characters of a date that are shown: the day.
_ID, _DAY = 10, 10
# Characters of a subject that are shown.
_SUBJECT = 120
# The colours of git diff.
_REMOVED, _ADDED = "\x1b[31m", "\x1b[32m"


def history(report: HistoryReport, brush: color.Paint) -> Iterator[str]:
    """Each commit on a line, then the place of the hunk that answers, and its lines."""
    brush = brush.highlighting(report.words)
    for found in report.results:
        yield f"{_commit(found, brush)}\n"
        if found.path is not None:
            lines = str(found.start) if found.start == found.end else f"{found.start}-{found.end}"
            yield f"    {brush.place(found.path, lines, found.repository)}\n"
        for line in found.text.splitlines():
            yield f"    {_changed(plain(line), brush)}\n"


def removed(report: RemovedReport, brush: color.Paint) -> Iterator[str]:
    """Each commit on a line, then where the code stood, what took its place, and its lines."""
    brush = brush.highlighting(report.words)
    for gone in report.results:
        yield f"{'not committed yet' if gone.commit is None else _commit(gone, brush)}\n"
        now = f", now {brush.name(gone.replaced_by)}" if gone.replaced_by is not None else ""
        lines = str(gone.start) if gone.start == gone.end else f"{gone.start}-{gone.end}"
        yield f"    {brush.place(gone.path, lines)}  (last in {gone.last[:_ID]}{now})\n"
        for line in gone.text.splitlines():
            yield f"    {_changed(plain(f'-{line}'), brush)}\n"


def indexed(report: HistoryIndexReport) -> Iterator[str]:
    """Yield the numbers of commits that are indexed, and that this run indexed."""
    yield f"{_count(report.window.commits, 'commit')} indexed, {report.added} of them now\n"


def _changed(line: str, brush: color.Paint) -> str:
    if not brush.colour:
        return line
    return brush(_REMOVED if line.startswith("-") else _ADDED, line)


def why(report: WhyReport, brush: color.Paint) -> Iterator[str]:
    """The lines, then one commit a line: its share, and what it says of itself."""
    lines = report.lines
    symbol = f" {brush(color.BOLD, folded(lines.symbol))}" if lines.symbol else ""
    place = brush.place(lines.path, f"{lines.start}-{lines.end}")
    yield f"{place}{brush(color.SEPARATOR, ':')}{symbol}\n"
    for share in report.exact:
        moved = "" if share.path == lines.path else f"  in {brush.name(share.path)}"
        older = "  (or older)" if share.oldest else ""
        yield f"{share.share:6.1%}  {_commit(share, brush)}{moved}{older}\n"
    if report.uncommitted:
        total = lines.end - lines.start + 1
        yield f"{report.uncommitted / total:6.1%}  not committed yet\n"
    if report.related:
        yield "related, by what their messages say:\n"
    for related in report.related:
        yield f"{related.score:6.2f}  {_commit(related, brush)}\n"


def experts(report: ExpertsReport, brush: color.Paint) -> Iterator[str]:
    """One author a line: share, name, address, lines and commits."""
    for expert in report.experts:
        last = f", the last on {folded(expert.last[:_DAY])}" if expert.last else ""
        name = brush(color.BOLD, folded(expert.author))
        yield (
            f"{expert.score:6.1%}  {name} <{folded(expert.email)}>  "
            f"{_count(expert.lines, 'line')}, {_count(expert.commits, 'commit')}{last}\n"
        )


def together(report: TogetherReport, brush: color.Paint) -> Iterator[str]:
    """One file or definition a line: how often it changed together with the others, and at all."""
    for one in report.results:
        facts = f"{one.together} of {_count(report.changes, 'change')}, {one.changes} of its own"
        path = brush.path(one.path)
        name = "" if one.symbol is None else f":{folded(one.symbol)}"
        yield f"{path}{name}  {brush(color.DIM, f'({one.score:.2f}: {facts})')}\n"


def not_looked_at(report: ExpertsReport) -> Iterator[str]:
    """Yield a line if the numbers of `experts` are of some of the files only."""
    if report.blamed < report.files:
        yield f"the lines of {report.blamed} of {report.files} files were counted"


def _commit(
    commit: CommitShare | FoundCommit | RelatedCommit | RemovedCode, brush: color.Paint
) -> str:
    subject = folded(commit.subject)[:_SUBJECT]
    return (
        f"{brush(color.LINE, (commit.commit or '')[:_ID])} {folded(commit.date[:_DAY])} "
        f"{brush(color.BOLD, folded(commit.author))}  {subject}"
        f"{brush(color.DIM, _named(commit.references, subject))}"
    )


def _named(references: Sequence[str], subject: str) -> str:
    """The references that the subject does not show."""
    others = [folded(name) for name in references if name not in subject]
    return f"  ({', '.join(others)})" if others else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
