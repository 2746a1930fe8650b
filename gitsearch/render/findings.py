"""What a report on a change says, in sentences: the worst first, and only what there is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.reports.change import ChangeReport, Copy, MissingCochange, Similar
    from gitsearch.reports.lookup import BrokenReference, Dependent, RemovedDefinition

# Files that are told one by one; of more it is told how many there are in which component.
_FEW = 8

# Places that are named in one sentence.
_PLACES = 4

# Reasons that are told; we know no more.
_REASONS = 12

# Files that are named of a chain, or of a circle.
_STEPS = 6

# Characters of an id that are shown.
_ID = 10

_NOTES = {
    "shallow": "This clone is shallow and knows of no commit that base and head have in common: "
    "their trees were compared as they are.",
    "unrelated": "Base and head have no commit in common: their trees were compared as they are.",
    "history": "This clone does not have the whole history, which says what changes together.",
    "large": "Not all of the new code was compared with what there is: it is too much.",
    "submodules": "A submodule was changed; what is in it was not looked at.",
}


class FindingFormat(Protocol):
    """How text of a repository is written, so that it stays text."""

    def word(self, text: str) -> str:
        """A name, a line of code."""

    def place(self, path: str, line: int = 0, *, gone: bool = False) -> str:
        """A path, with a line; `gone`: it is one of the base."""


class Section(NamedTuple):
    """A part of the report: `entries` are sentences, or with `bare` what is to be copied as it is.

    full: what the entries sum up, one by one, which is called `kind`; more: entries left out.
    """

    title: str
    kind: str
    entries: Sequence[str]
    full: Sequence[str] = ()
    more: int = 0
    bare: bool = False


def summary(report: ChangeReport) -> str:
    """All of it in one line."""
    said = [
        _said(report, "dangling", "import leads nowhere", "imports lead nowhere"),
        _said(
            report,
            "exports",
            "definition that is used changed",
            "definitions that are used changed",
        ),
        _said(
            report, "dependents", "file depends on what changed", "files depend on what changed"
        ),
        _said(report, "tests", "test to run", "tests to run"),
        _said(report, "cycles", "new cycle", "new cycles"),
        _said(
            report,
            "copies",
            "piece of code that exists already",
            "pieces of code that exist already",
        ),
        _said(report, "habits", "file that usually changes too", "files that usually change too"),
    ]
    return ", ".join(filter(None, said))


def _said(report: ChangeReport, part: str, one: str, several: str) -> str:
    count = total(report, part)
    return f"{count} {one if count == 1 else several}" if count else ""


def total(report: ChangeReport, part: str) -> int:
    """How many there are of a part, those included that were left out."""
    return len(getattr(report, part)) + report.truncated.get(part, 0)


def sections(report: ChangeReport, pen: FindingFormat) -> list[Section]:
    """The parts that have something to say, in order of value."""
    more = report.truncated.get
    told = [
        Section(
            "Imports that lead nowhere",
            "imports that lead nowhere",
            [broken(one, pen) for one in report.dangling],
            more=more("dangling", 0),
        ),
        Section(
            "Changed definitions, and who uses them",
            "changed definitions, as they were and as they are",
            [lost(one, pen) for one in report.exports],
            [_was(one, pen) for one in report.exports],
            more=more("exports", 0),
        ),
        _impact(report, pen),
        Section("Tests to run", "tests", report.tests, more=more("tests", 0), bare=True),
        Section(
            "New cycles",
            "new cycles",
            [cycle(one, pen) for one in report.cycles],
            more=more("cycles", 0),
        ),
        Section(
            "Exists already",
            "copies",
            [copy(one, pen) for one in report.copies],
            more=more("copies", 0),
        ),
        Section(
            "Usually changed together, not now",
            "files",
            [_habit(one, pen) for one in report.habits],
            more=more("habits", 0),
        ),
        Section(
            "Similar code",
            "places",
            [_spot(one, pen) for one in report.related],
            more=more("related", 0),
        ),
    ]
    return [one for one in told if one.entries]


def broken(one: BrokenReference, pen: FindingFormat) -> str:
    """What an import or a use lacks now."""
    where, what = pen.place(one.path, one.line), pen.word(one.specifier)
    if one.symbol is None:
        return f"{where} needs {what}: {pen.place(one.target, gone=True)} is gone"
    target = pen.place(one.target)
    return f"{where} uses {pen.word(one.symbol)} of {what}, which {target} no longer has"


def lost(one: RemovedDefinition, pen: FindingFormat) -> str:
    """A definition that changed, and who uses it."""
    used = [pen.place(path, line) for path, line in one.users[:_PLACES]]
    if len(one.users) > _PLACES:
        used.append(f"{len(one.users) - _PLACES} more")
    what = "has another signature" if one.after else "is gone"
    where = pen.place(one.path, gone=not one.after)
    return f"{pen.word(one.symbol)} of {where} {what}; used in {', '.join(used)}"


def cycle(one: tuple[str, ...], pen: FindingFormat) -> str:
    """Files that import each other in a circle."""
    steps = [pen.place(path) for path in one[:_STEPS]]
    more = [f"{len(one) - _STEPS} more"] if len(one) > _STEPS else []
    return " → ".join((*steps, *more, steps[0]))


def _was(one: RemovedDefinition, pen: FindingFormat) -> str:
    now = pen.word(one.after) if one.after else "gone"
    return f"{pen.place(one.path, gone=not one.after)}: {pen.word(one.before)} → {now}"


# ---------------------------------------------------------------- impact


def _impact(report: ChangeReport, pen: FindingFormat) -> Section:
    """The dependents, or where they are if there are many."""
    one_by_one = [_way(one, pen) for one in report.dependents]
    title, more = "What depends on the change", report.truncated.get("dependents", 0)
    if len(one_by_one) <= _FEW:
        return Section(title, "files", one_by_one, more=more)
    return Section(title, "files", list(_grouped(report, pen)), one_by_one, more)


def _way(one: Dependent, pen: FindingFormat) -> str:
    """A dependent and how it comes to depend."""
    verb = {"reference": "uses", "export": "exports from"}.get(one.kind, "imports")
    steps = [pen.place(path) for path in one.via[1:]]
    if len(steps) > _STEPS:
        steps[_STEPS - 1 : -1] = [f"{len(steps) - _STEPS} more"]
    way = " ← ".join(steps)
    marks = ["ambiguous"] * (one.label == "ambiguous") + ["test"] * one.test
    notes = f" ({', '.join(marks)})" if marks else ""
    owners = "".join(f" {pen.word(owner)}" for owner in one.owners[:_PLACES])
    return f"{pen.place(one.path, one.line)} {verb} {way}{notes}{owners}"


def _grouped(report: ChangeReport, pen: FindingFormat) -> Iterator[str]:
    """One sentence a component, those with the most files first."""
    groups: dict[str, list[Dependent]] = {}
    for one in report.dependents:
        groups.setdefault(report.components.get(one.path) or _folder(one.path), []).append(one)
    for name, files in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        count = f"{len(files)} file{'s' * (len(files) > 1)} in {pen.word(name)}"
        shown = ", ".join([count, *_marks(files), f"nearest {_nearest(files, pen)}"])
        owners = Counter(owner for one in files for owner in one.owners)
        yield shown + "".join(f" {pen.word(owner)}" for owner, _ in owners.most_common(_PLACES))


def _folder(path: str) -> str:
    """The first folder of what belongs to no component."""
    return path.partition("/")[0] if "/" in path else "."


def _marks(files: Sequence[Dependent]) -> Iterator[str]:
    direct, tests = sum(one.hops == 1 for one in files), sum(one.test for one in files)
    if direct:
        yield f"{direct} directly"
    if tests:
        yield f"{tests} test{'s' * (tests > 1)}" if tests < len(files) else "tests only"


def _nearest(files: Sequence[Dependent], pen: FindingFormat) -> str:
    return pen.place(files[0].path, files[0].line)


# ---------------------------------------------------------------- what is similar


def _spot(one: Similar, pen: FindingFormat) -> str:
    named = f" {pen.word(one.symbol)}" if one.symbol else ""
    return f"{pen.place(one.path, one.start)}{named}"


def copy(one: Copy, pen: FindingFormat) -> str:
    """New code, and where it exists already."""
    new = one.new
    named = f" {pen.word(new.symbol)}" if new.symbol else ""
    place = _spot(one.existing, pen)
    return f"{pen.place(new.path, new.start)}{named} exists already at {place} ({_share(one)})"


def _share(one: Copy) -> str:
    """How sure it is; what is not wholly the same is never called so."""
    return f"{min(int(one.existing.score * 100), 100)} %"


def _habit(one: MissingCochange, pen: FindingFormat) -> str:
    return (
        f"{pen.place(one.path)} changed in {one.together} of the {one.times} commits that "
        f"changed {pen.place(one.changed)}"
    )


# ---------------------------------------------------------------- what it is of


def origin(report: ChangeReport, pen: FindingFormat) -> str:
    """Which trees were compared, and by which recipe."""
    ends = " to ".join(
        f"{pen.word(one.rev)} {pen.word((one.commit or one.tree or '')[:_ID])}"
        if one.commit or one.tree
        else pen.word(one.rev)
        for one in (report.base, report.head)
    )
    files = total(report, "changes")
    return f"{files} changed file{'s' * (files != 1)}, {ends}, recipe {pen.word(report.recipe)}."


def limits(report: ChangeReport, pen: FindingFormat) -> Iterator[str]:
    """How much was looked at, and what cannot be seen."""
    coverage = report.coverage
    skipped = sum(coverage.skipped.values()) + coverage.pending
    if skipped:
        held = sorted(coverage.skipped.items())
        reasons = [f"{count} {pen.word(name)}" for name, count in held if count][:_REASONS]
        reasons += [f"{coverage.pending} pending"] * (coverage.pending > 0)
        yield (
            f"{coverage.searchable} of {coverage.tracked} files were looked at "
            f"({', '.join(reasons)})."
        )
    if report.unseen:
        first = report.unseen[0]
        more = total(report, "unseen")
        reasons = [f"{count} {pen.word(name)}" for name, count in _reasons(report)][:_REASONS]
        cut = " at least" if report.truncated.get("unseen") else ""
        places = f"{more} places depend" if more > 1 else "1 place depends"
        yield (
            f"It cannot be seen what {places} on "
            f"({', '.join(reasons)}{cut}), as {pen.place(first.path, first.line)}."
        )
    for note in report.notes[:_REASONS]:
        yield _NOTES.get(note, pen.word(note))


def _reasons(report: ChangeReport) -> list[tuple[str, int]]:
    return sorted(Counter(one.reason for one in report.unseen).items())
