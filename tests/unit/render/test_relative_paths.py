"""Paths of text are written as in the current folder, as git writes them."""

import posixpath
import random
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from gitsearch.git_conventions import relative_path
from gitsearch.render import (
    context_text,
    convention_summary,
    exact_text,
    history_text,
    impact_text,
    lookup_text,
    maintenance_text,
    overview_text,
    report_text,
    search_text,
    similarity_text,
)
from gitsearch.render.color import Paint
from gitsearch.render.presentation import Presentation
from gitsearch.reports.lookup import UnresolvedImport
from gitsearch.reports.search import FileCount
from tests.unit.render import reports
from tests.unit.render.test_impact_text import report as impact

TEXTS: dict[str, tuple[Any, Any]] = {
    "def": (lookup_text.definitions, reports.symbols(reports.CLASS, reports.METHOD)),
    "exists": (lookup_text.existence, reports.existence(reports.THERE)),
    "history": (history_text.history, reports.HISTORY),
    "removed": (history_text.removed, reports.REMOVED),
    "why": (history_text.why, reports.WHY),
    "together": (history_text.together, reports.TOGETHER),
    "map": (overview_text.code_map, reports.CHART),
    "architecture": (overview_text.architecture, reports.ARCHITECTURE),
    "context": (
        context_text.context,
        reports.CONTEXT._replace(
            items=tuple(item._replace(reason="near") for item in reports.CONTEXT.items)
        ),
    ),
    "related": (similarity_text.related, reports.RELATED),
    "dup": (similarity_text.dup, reports.DUP),
    "impact": (
        impact_text.lines,
        impact(
            "src/b.py",
            tests=("src/test_b.py",),
            unseen=(UnresolvedImport("dynamic-import", "src/c.py", 1),),
        ),
    ),
    "conventions": (
        partial(convention_summary.conventions, lines=2),
        reports.rules(reports.RULES._replace(path="src/AGENTS.md", scope="src/")),
    ),
    "skipped": (maintenance_text.skipped, SimpleNamespace(skipped=[("src/a.bin", "binary")])),
}


@pytest.mark.parametrize("verb", TEXTS)
def test_every_verb_writes_paths_as_in_the_folder(verb):
    render, report = TEXTS[verb]
    top = "".join(render(report, Paint()))
    assert "src/" in top
    here = "".join(render(report, Paint(folder="src/")))
    assert "src/" not in here
    elsewhere = "".join(render(report, Paint(folder="docs/deep/")))
    assert elsewhere.count("../../src/") == elsewhere.count("src/") >= top.count("src/")


def test_a_change_names_its_files_so():
    report = reports.pull("src/a.py")
    assert "src/a.py:7 imports" in "".join(report_text.lines(report, Paint()))
    assert "\na.py:7 imports" in "".join(report_text.lines(report, Paint(folder="src/")))


@pytest.mark.parametrize("form", ["blocks", "lines", "files", "counts"])
@pytest.mark.parametrize("answer", [search_text.hits, exact_text.answer])
def test_results_of_one_repository_are_seen_from_the_folder(answer, form):
    look = Presentation(form=form)
    one, other = reports.RETRY, reports.OTHER_FILE
    counts = tuple(FileCount(result.path, 1) for result in (one, other))

    def shown(*results, folder=""):
        report = reports.found(*results, counts=counts, repositories=())
        pieces = answer(report, look._replace(folder=folder))
        return "".join(one if isinstance(one, str) else bytes(one).decode() for one in pieces)

    assert "src/retry.py" in shown(one, other)
    here = shown(one, other, folder="src/")
    assert "src/" not in here
    assert "../docs/a b.md" in here


def test_a_path_in_a_folder_leads_to_the_same_file():
    draw = random.Random(1)
    for _ in range(2000):
        path, folder = ("/".join(draw.choices("ab", k=draw.randint(1, 4))) for _ in range(2))
        seen = relative_path(path, f"{folder}/")
        if path != folder:
            assert posixpath.normpath(posixpath.join(folder, seen)) == path
        if not f"{folder}/".startswith(f"{path}/"):
            assert seen == posixpath.relpath(path, folder)
    assert relative_path("a/b", "") == "a/b"
