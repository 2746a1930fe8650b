"""The findings of a report on a change as sentences, the most severe first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitsearch.reports.change import ChangeReport, Copy, MissingCochange, Similar
    from gitsearch.reports.lookup import (
        BrokenReference,
        Dependent,
        ImpactReport,
        RemovedDefinition,
        UnresolvedImport,
    )

# More dependents than this are summed up by component.
_FEW = 8

# Places that are named in one sentence.
_PLACES = 4

# Reasons that are listed; we know no more.
_REASONS = 12

# Files that are named of a chain of imports, or of a cycle.
_STEPS = 6

# Characters of an id that are shown.
_ID = 10

# The reason of files whose imports are not read: nobody knows what they depend on.
_UNSUPPORTED = "unsupported-language"

# Why files with code are not read. What else is left out, such as binary files, imports nothing.
_UNREAD = ("generated", "too-large", "unreadable", "absent")

_NOTES = {
    "shallow": "This clone is shallow, and no commit is known that base and head have in common: "
    "their trees were compared directly.",
    "unrelated": "Base and head have no commit in common: their trees were compared directly.",
    "history": "This clone does not have the whole history, which shows what changes together.",
    "large": "Not all of the new code was compared with existing code: the change is too large.",
    "submodules": "A submodule was changed; its contents were not looked at.",
}


# The verbs for the kinds of imports, and for uses of definitions that have one of their own.
_VERBS = {
    "import": "imports",
    "dynamic-import": "imports",
    "export": "exports from",
    "call": "calls",
    "declaration": "declares",
    "subclass": "extends",
    "changed-together": "changes with",
    "name": "is named like",
    "ran": "ran",
}


class _Part(NamedTuple):
    """A part of the report: its title, and its entries in the singular and plural."""

    title: str
    one: str
    several: str


_PARTS = {
    "dangling": _Part("Broken imports and uses", "broken reference", "broken references"),
    "exports": _Part(
        "Changed definitions and their users",
        "changed definition with users",
        "changed definitions with users",
    ),
    "dependents": _Part(
        "Files that depend on the change",
        "file depends on the change",
        "files depend on the change",
    ),
    "tests": _Part("Tests to run", "test to run", "tests to run"),
    "cycles": _Part("New import cycles", "new import cycle", "new import cycles"),
    "copies": _Part("Code that exists already", "possible duplicate", "possible duplicates"),
    "habits": _Part(
        "Files that usually change together with these",
        "file that usually changes too",
        "files that usually change too",
    ),
    "related": _Part("Similar code", "similar place", "similar places"),
}


class FindingFormat(Protocol):
    """A format in which names and paths of a repository cannot be taken for markup."""

    def word(self, text: str) -> str:
        """A name, or a line of code."""

    def place(self, path: str, line: int = 0, *, gone: bool = False) -> str:
        """A path, with a line if it is not 0; gone: the path is one of the base."""


class Section(NamedTuple):
    """A part of the report: sentences, or with `bare` texts to be copied.

    kind: what the entries are called together; full: the entries without summing up, if `entries`
    sums up; more: the number of entries that the report leaves out.
    """

    title: str
    kind: str
    entries: Sequence[str]
    full: Sequence[str] = ()
    more: int = 0
    bare: bool = False


def summary(report: ChangeReport) -> str:
    """The number of findings of each kind, on one line."""
    counts = {name: total(report, name) for name in _PARTS if name != "related"}
    return ", ".join(
        counted(count, _PARTS[name].one, _PARTS[name].several)
        for name, count in counts.items()
        if count
    )


def counted(count: int, one: str, several: str = "") -> str:
    """A number with its noun: "1 file", "2 files"."""
    return f"{count} {one if count == 1 else several or one + 's'}"


def total(report: ChangeReport, part: str) -> int:
    """The number of entries of a part, including those that the report leaves out."""
    return len(getattr(report, part)) + report.truncated.get(part, 0)


def sections(report: ChangeReport, pen: FindingFormat) -> list[Section]:
    """The parts that have entries, in order of severity."""
    dependents = [dependent(file, pen) for file in report.dependents]
    grouped = len(dependents) > _FEW
    entries: dict[str, Sequence[str]] = {
        "dangling": [broken(reference, pen) for reference in report.dangling],
        "exports": [changed(definition, pen) for definition in report.exports],
        "dependents": list(_by_component(report, pen)) if grouped else dependents,
        "tests": report.tests,
        "cycles": [cycle(files, pen) for files in report.cycles],
        "copies": [copy(found, pen) for found in report.copies],
        "habits": [_habit(file, pen) for file in report.habits],
        "related": [_similar(place, pen) for place in report.related],
    }
    full = {
        "exports": [_before_and_after(definition, pen) for definition in report.exports],
        "dependents": dependents if grouped else (),
    }
    return [
        Section(
            _PARTS[name].title,
            "files" if name == "dependents" else _PARTS[name].several,
            sentences,
            full.get(name, ()),
            report.truncated.get(name, 0),
            bare=name == "tests",
        )
        for name, sentences in entries.items()
        if sentences
    ]


def broken(reference: BrokenReference, pen: FindingFormat) -> str:
    """An import or a use, and what it lacks now."""
    where, what = pen.place(reference.path, reference.line), pen.word(reference.specifier)
    if reference.symbol is None:
        return f"{where} imports {what}, but {pen.place(reference.target, gone=True)} is gone"
    symbol, target = pen.word(reference.symbol), pen.place(reference.target)
    return f"{where} uses {symbol} of {what}, but {target} no longer defines it"


def changed(definition: RemovedDefinition, pen: FindingFormat) -> str:
    """A removed or changed definition, and its users."""
    users = definition.users
    used = [pen.place(path, line) for path, line in users[:_PLACES]]
    used += [f"{len(users) - _PLACES} more"] * (len(users) > _PLACES)
    what = "has another signature" if definition.after else "is removed"
    where = pen.place(definition.path, gone=not definition.after)
    return f"{pen.word(definition.symbol)} of {where} {what}; used in {', '.join(used)}"


def cycle(files: tuple[str, ...], pen: FindingFormat) -> str:
    """Files that import each other."""
    steps = [pen.place(path) for path in files[:_STEPS]]
    more = [f"{len(files) - _STEPS} more"] * (len(files) > _STEPS)
    return " → ".join((*steps, *more, steps[0]))


def _before_and_after(definition: RemovedDefinition, pen: FindingFormat) -> str:
    after = pen.word(definition.after) if definition.after else "removed"
    where = pen.place(definition.path, gone=not definition.after)
    return f"{where}: {pen.word(definition.before)} → {after}"


# ---------------------------------------------------------------- dependents


def dependent(file: Dependent, pen: FindingFormat) -> str:
    """A dependent, and the chain of imports from it to the target."""
    steps = [pen.place(path) for path in file.via[1:]]
    if len(steps) > _STEPS:
        steps[_STEPS - 1 : -1] = [f"{len(steps) - _STEPS} more"]
    chain, marks = " ← ".join(steps), ", ".join(marks_of(file))
    notes = f" ({marks})" if marks else ""
    owners = "".join(f" {pen.word(owner)}" for owner in file.owners[:_PLACES])
    return f"{pen.place(file.path, file.line)} {verb(file)} {chain}{notes}{owners}"


def verb(file: Dependent) -> str:
    """The verb for a dependency of this kind."""
    return _VERBS.get(file.kind, "uses")


def marks_of(file: Dependent) -> list[str]:
    """The properties of a dependent that are shown, a word each."""
    return ["ambiguous"] * (file.resolution == "ambiguous") + ["test"] * file.test


def evidence_of(file: Dependent) -> str:
    """Return that a test ran a target, or how often a file changed with it; "" otherwise."""
    for one in file.evidence:
        if one.kind == "ran":
            return "ran it"
        if one.kind == "changed-together":
            return f"changed with it in {one.together} of {one.times}"
    return ""


def granularity(report: ImpactReport) -> str:
    """Return a sentence on how the dependents were found, where it is needed; "" otherwise."""
    if report.granularity != "definitions" and report.dependents:
        return "For some targets only imports of files are known, not which definitions are used."
    if report.unlikely:
        more = counted(report.unlikely, "file imports", "files import")
        return f"{more} it too, directly or not, and nothing says that they run it."
    return ""


def who_knows(report: ChangeReport, pen: FindingFormat) -> str:
    """A sentence that names who could review code that has no owner; "" if nobody is known."""
    if not report.reviewers:
        return ""
    names = ", ".join(
        f"{pen.word(one.author)} ({counted(one.lines, 'line')}, {counted(one.commits, 'commit')})"
        for one in report.reviewers[:_PLACES]
    )
    return f"Not all of these files have owners; who knows the code around the change: {names}."


def recorded(report: ImpactReport, pen: FindingFormat) -> Iterator[str]:
    """What could not be used of the data of test runners, a sentence for each reason."""
    runs = report.recorded
    if runs is None:
        return
    if other := runs.other_content:
        had = counted(len(other), "file had", "files had")
        yield f"{had} another content when tests were recorded, for example {pen.place(other[0])}."
    if tests := runs.other_tests:
        named = counted(len(tests), "recorded name means", "recorded names mean")
        yield f"{named} no test file here, for example {pen.word(tests[0])}."
    if not runs.files:
        yield "The recorded data is of no file of this tree."


def _by_component(report: ChangeReport, pen: FindingFormat) -> Iterator[str]:
    """A sentence for each component, those with the most dependents first."""
    groups: dict[str, list[Dependent]] = {}
    for file in report.dependents:
        folder = file.path.partition("/")[0] if "/" in file.path else "."
        groups.setdefault(report.components.get(file.path) or folder, []).append(file)
    for name, files in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        direct, tests = sum(file.hops == 1 for file in files), sum(file.test for file in files)
        facts = [f"{counted(len(files), 'file')} in {pen.word(name)}"]
        facts += [f"{direct} directly"] * bool(direct)
        facts += [counted(tests, "test") if tests < len(files) else "tests only"] * bool(tests)
        facts.append(f"likeliest {pen.place(files[0].path, files[0].line)}")
        owners = Counter(owner for file in files for owner in file.owners)
        shown = "".join(f" {pen.word(owner)}" for owner, _ in owners.most_common(_PLACES))
        yield ", ".join(facts) + shown


# ---------------------------------------------------------------- similar code and history


def _similar(place: Similar, pen: FindingFormat) -> str:
    named = f" {pen.word(place.symbol)}" if place.symbol else ""
    return f"{pen.place(place.path, place.start)}{named}"


def copy(found: Copy, pen: FindingFormat) -> str:
    """New code, where it exists already, and how similar the two are: rounded down."""
    new, existing = found.new, found.existing
    named = f" {pen.word(new.symbol)}" if new.symbol else ""
    share = min(int(existing.score * 100), 100)
    where = _similar(existing, pen)
    return f"{pen.place(new.path, new.start)}{named} exists already at {where} ({share} %)"


def _habit(file: MissingCochange, pen: FindingFormat) -> str:
    return (
        f"{pen.place(file.path)} changed in {file.together} of the {file.times} commits that "
        f"changed {pen.place(file.changed)}"
    )


# ---------------------------------------------------------------- scope


def origin(report: ChangeReport, pen: FindingFormat) -> str:
    """The trees that were compared, and the versions that decide what is found."""
    ends = []
    for end in (report.base, report.head):
        oid = (end.commit or end.tree or "")[:_ID]
        ends.append(f"{pen.word(end.rev)} {pen.word(oid)}" if oid else pen.word(end.rev))
    files = counted(total(report, "changes"), "changed file")
    return f"{files}, {' to '.join(ends)}, recipe {pen.word(report.recipe)}."


def limits(report: ChangeReport, pen: FindingFormat) -> Iterator[str]:
    """Sentences on files and imports that were not searched, resolved or compared."""
    coverage = report.coverage
    if any(coverage.skipped.values()) or coverage.pending:
        skipped = sorted(coverage.skipped.items())
        reasons = [f"{count} {pen.word(name)}" for name, count in skipped if count][:_REASONS]
        reasons += [f"{coverage.pending} pending"] * bool(coverage.pending)
        searched = f"{coverage.searchable} of {coverage.tracked} files"
        yield f"{searched} were searched ({', '.join(reasons)})."
    at_least = "at least " if report.truncated.get("unseen") else ""
    for sentence in unresolved(report.unseen, pen):
        yield at_least + sentence
    for note in report.notes[:_REASONS]:
        yield _NOTES.get(note, pen.word(note))


def unread(skipped: Mapping[str, int], pen: FindingFormat) -> Iterator[str]:
    """A sentence on files whose imports nobody knows because they were not read."""
    reasons = [f"{skipped[name]} {pen.word(name)}" for name in _UNREAD if skipped.get(name)]
    if reasons:
        count = sum(skipped.get(name, 0) for name in _UNREAD)
        which = counted(count, "file was", "files were")
        yield f"{which} not read ({', '.join(reasons)})."


def unresolved(places: Sequence[UnresolvedImport], pen: FindingFormat) -> Iterator[str]:
    """Sentences on imports without a known target, and on files of unsupported languages."""
    imports = [place for place in places if place.reason != _UNSUPPORTED]
    if imports:
        counts = sorted(Counter(place.reason for place in imports).items())
        reasons = ", ".join(f"{count} {pen.word(name)}" for name, count in counts[:_REASONS])
        first = pen.place(imports[0].path, imports[0].line)
        yield (
            f"{counted(len(imports), 'import')} could not be resolved "
            f"({reasons}), for example {first}."
        )
    files = [place for place in places if place.reason == _UNSUPPORTED]
    if files:
        which = counted(len(files), "file is in a language", "files are in languages")
        yield f"{which} whose imports are not read, for example {pen.place(files[0].path)}."
