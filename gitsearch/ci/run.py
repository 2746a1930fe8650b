"""`git search ci run`: bring the index up to date, and report on the change if there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gitsearch import trace
from gitsearch.ci import artifact, compared_commits, workflow_commands
from gitsearch.render import findings, report_markdown
from gitsearch.render.escape import lossy
from gitsearch.render.output import say

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.ci.event import Run
    from gitsearch.index.session import Session
    from gitsearch.reports.change import ChangeReport

# The file that a run leaves for the comment, where nothing else is said.
NAME = "git-search-report.json"
NOTHING = "git search has nothing to say of this change."
# Outputs are for conditions and short scripts.
_SYMBOLS = 1000


class RunRequest(NamedTuple):
    """What to compare with, if not what the event says; where to write; whether to annotate."""

    base: str | None = None
    report: Path | None = None
    annotations: bool = False


def run(session: Session, request: RunRequest, about: Run, steps: workflow_commands.Steps) -> None:
    """Do it; where nothing is compared, the index alone is made for those that come after."""
    with trace.stage("find the change"):
        found = compared_commits.find(session.repo, about, request.base)
    if found is None:
        _index(session)
        say("no pull request and no base: the index is up to date, nothing is compared")
        return
    from gitsearch.commands.report import ReportRequest as Compared
    from gitsearch.commands.report import report

    with trace.stage("report"):
        told = report(session, Compared(base=found.base, head=found.head))
    _write(_named(told, request, about), request, about, steps)


def _named(told: ChangeReport, request: RunRequest, about: Run) -> ChangeReport:
    """The report with names of its two ends, which were found by their ids."""
    pull = about.pull
    base, head = request.base, "HEAD"
    if pull is not None:
        base, head = base or pull.base.ref, pull.head.ref
    return replace(
        told,
        base=replace(told.base, rev=base or told.base.rev),
        head=replace(told.head, rev=head),
    )


def _index(session: Session) -> None:
    """The index of HEAD with what a comparison asks for: who imports whom, in which component."""
    from gitsearch.commands.architecture import ArchitectureRequest as Whole
    from gitsearch.commands.architecture import architecture
    from gitsearch.commands.gc import collect
    from gitsearch.commands.index import index
    from gitsearch.index import garbage_collection

    if session.head is None:
        return
    made = index(session, "HEAD", rebuild=False, dry_run=False)
    architecture(session, Whole(at="HEAD"))
    # a cache is saved again and again, and would keep what only past commits hold
    if garbage_collection.due(session.reopened_store(), made.chunks):
        collect(session)


def _write(
    told: ChangeReport, request: RunRequest, about: Run, steps: workflow_commands.Steps
) -> None:
    file = request.report or default_file(about)
    if file is not None:
        workflow_commands.write_file(file, artifact.encode(told))
        steps.output("report", str(file))
    symbols = sorted({lossy(f"{one.path}:{one.symbol}") for one in told.exports})[:_SYMBOLS]
    steps.output("changed-symbols", msgspec.json.encode(symbols).decode())
    steps.summarise(text_of(told, about))
    say(findings.summary(told) or NOTHING)
    if request.annotations:
        for broken in told.dangling[: workflow_commands.ANNOTATIONS]:
            steps.mark(f"broken import: {broken.specifier}", broken.path, broken.line)


def text_of(told: ChangeReport, about: Run) -> str:
    """The report as Markdown, with addresses where GitHub has the commits."""
    address = f"{about.server}/{about.repository}" if about.repository else ""
    return "".join(report_markdown.markdown(told, address)) or f"{NOTHING}\n"


def default_file(about: Run) -> Path | None:
    """Where one step leaves the report for another of the same job."""
    return about.temporary / NAME if about.temporary else None
