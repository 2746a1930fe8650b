"""`git search ci run`: update the index, and report on the change if there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gitsearch import trace
from gitsearch.ci import artifact, compared_commits, runner
from gitsearch.render import color, findings, report_markdown, report_text
from gitsearch.render.escape import lossy
from gitsearch.render.output import say

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.ci.runner import Run
    from gitsearch.index.session import Session
    from gitsearch.reports.change import ChangeReport

# The default file name of the report, which the comment is made from.
_FILE_NAME = "git-search-report.json"
# The page with the picture, which a later step keeps.
_PICTURE = "git-search-impact.html"
_NOTHING = "git search has nothing to report about this change."
# Outputs are for conditions and short scripts.
_MAX_SYMBOLS = 1000


class RunRequest(NamedTuple):
    """The base, if it is not that of the event; the file for the report; the flag to annotate."""

    base: str | None = None
    report: Path | None = None
    annotations: bool = False


def run(session: Session, request: RunRequest, event: Run, steps: runner.Steps) -> None:
    """Report on the change; if there is none to compare, update the index for later runs."""
    with trace.stage("find the change"):
        commits = compared_commits.find(session.repo, event, request.base)
    if commits is None:
        _index(session)
        say("no pull request and no base to compare with: only the index was updated")
        return
    from gitsearch.commands.report import ReportRequest, report

    with trace.stage("report"):
        change = report(session, ReportRequest(base=commits.base, head=commits.head))
    # the two trees were found by their ids, and are shown by their names
    base, head = request.base, "HEAD"
    if event.pull is not None:
        base, head = base or event.pull.base.ref, event.pull.head.ref
    change = replace(
        change,
        base=replace(change.base, rev=base or change.base.rev),
        head=replace(change.head, rev=head),
    )
    _write(change, request, event, steps)
    if event.temporary is not None:
        with trace.stage("picture"):
            _draw(session, f"{commits.base}..{commits.head}", event.temporary / _PICTURE, steps)


def _draw(session: Session, change: str, file: Path, steps: runner.Steps) -> None:
    """Write a page with what depends on a change, if anything does."""
    from gitsearch.commands.impact import ImpactRequest, impact
    from gitsearch.render import impact_picture

    found = impact(session, ImpactRequest(diff=change))
    if found.dependents:
        runner.write_file(file, "".join(impact_picture.html(found)).encode())
        steps.output("picture", str(file))


def _index(session: Session) -> None:
    """Index HEAD with all that a comparison needs: also its graph and its components."""
    from gitsearch.commands.architecture import ArchitectureRequest, architecture
    from gitsearch.commands.gc import collect
    from gitsearch.commands.index import index
    from gitsearch.index import garbage_collection

    if session.head is None:
        return
    indexed = index(session, "HEAD", rebuild=False, dry_run=False)
    architecture(session, ArchitectureRequest(at="HEAD"))
    # a cache is saved again and again, and would keep what only past commits hold
    if garbage_collection.due(session.reopened_store(), indexed.chunks):
        collect(session)


def _write(report: ChangeReport, request: RunRequest, event: Run, steps: runner.Steps) -> None:
    file = request.report or default_file(event)
    if file is not None:
        runner.write_file(file, artifact.encode(report))
        steps.output("report", str(file))
    symbols = sorted({lossy(f"{export.path}:{export.symbol}") for export in report.exports})
    steps.output("changed-symbols", msgspec.json.encode(symbols[:_MAX_SYMBOLS]).decode())
    steps.summarise(text_of(report, event))
    say(findings.summary(report) or _NOTHING)
    if request.annotations:
        pen = report_text.Pen(color.Paint())
        for broken in report.dangling[: runner.MAX_ANNOTATIONS]:
            steps.mark(findings.broken(broken, pen), broken.path, broken.line)


def text_of(report: ChangeReport, event: Run) -> str:
    """Return the report as Markdown, with links if the commits are on GitHub."""
    url = f"{event.server}/{event.repository}" if event.repository else ""
    return "".join(report_markdown.markdown(report, url)) or f"{_NOTHING}\n"


def default_file(event: Run) -> Path | None:
    """Return the file in which one step leaves the report for the next one of the job."""
    return event.temporary / _FILE_NAME if event.temporary else None
