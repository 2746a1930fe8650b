"""Reports on a change, written by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

from gitsearch.reports.change import (
    ChangedFile,
    ChangeReport,
    ComparedTree,
    Copy,
    MissingCochange,
    Place,
    Reviewer,
    Similar,
)
from gitsearch.reports.lookup import (
    BrokenReference,
    Dependent,
    PathLine,
    RemovedDefinition,
    UnresolvedImport,
)
from gitsearch.reports.search import Coverage

BASE, HEAD, TREE = "b" * 40, "c" * 40, "d" * 40
SKIPPED = {"absent": 0, "binary": 1, "generated": 0, "too-large": 0, "unreadable": 0}

NOTHING = ChangeReport(
    base=ComparedTree("main", BASE, TREE),
    head=ComparedTree("HEAD", HEAD, TREE),
    recipe="2.1.2.1-0a1b2c3d",
    coverage=Coverage(3, 2, SKIPPED, 0),
)


def filled(text: str = "src/a b.py", **fields: Any) -> ChangeReport:
    """A report with something of everything, in which this text stands wherever text may."""
    place = Place(text, 3, 9, text)
    similar = Similar(text, 3, 9, text, 0.75, {"vector": 0.5, "terms": 0.25})
    some = dataclasses.replace(
        NOTHING,
        changes=(ChangedFile(text, "modified"), ChangedFile(text, "renamed", text)),
        dangling=(BrokenReference(text, 7, text, text),),
        exports=(RemovedDefinition(text, text, "removed", text, None, (PathLine(text, 4),)),),
        dependents=(Dependent(text, 1, (text, text), "resolved", "import", 3, False, (text,)),),
        components={text: text},
        tests=(text,),
        cycles=((text, text),),
        copies=(Copy(place, similar),),
        related=(similar,),
        habits=(MissingCochange(text, text, 3, 4),),
        reviewers=(Reviewer(text, 0.5, 12, 1),),
        unseen=(UnresolvedImport("computed-import", text, 1),),
        truncated={"dependents": 3},
        notes=("shallow",),
    )
    return dataclasses.replace(some, **fields)
