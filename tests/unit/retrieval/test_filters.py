"""Filters let through just the chunks of the files that are asked for."""

from itertools import pairwise

import numpy as np
import pytest

from gitsearch.features.embedding import Model
from gitsearch.retrieval import filters
from tests.unit.features.models import write_model
from tests.unit.index.views import places_of, view_of

FILES = {
    "src/app.py": "def run(): ...\n",
    "src/app.go": "package main\n",
    "tests/test_app.py": "def test_run(): ...\n",
    "docs/guide.md": "# Guide\n",
    "README": "words\n",
    "config/app.toml": "a = 1\n",
    "data/rows.csv": "a,b\n",
    "query.sql": "select 1;\n",
    "skipped.py": "skip:vendored",
    "empty.py": "",
}


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    model = Model(write_model(tmp_path_factory.mktemp("models") / "m", ["word"]))
    old = {**FILES, "README": "old", "gone.py": "gone = 1\n"}
    return view_of(model, old, {"README": FILES["README"], "gone.py": None})


def paths(view, mask):
    return [path for path, *_ in places_of(view, np.flatnonzero(mask).tolist())]


def test_without_a_filter_everything_that_lives_is_let_through(view):
    mask = filters.by_file(view)
    assert (mask == view.live).all()
    assert "gone.py" not in paths(view, mask)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"languages": {"python"}}, {"src/app.py", "tests/test_app.py"}),
        ({"languages": {"python", "go"}}, {"src/app.py", "src/app.go", "tests/test_app.py"}),
        ({"languages": {"rust"}}, set()),
        ({"content": "docs"}, {"docs/guide.md", "README"}),
        ({"content": "config"}, {"config/app.toml", "data/rows.csv"}),
        ({"content": "code"}, {"src/app.py", "src/app.go", "tests/test_app.py", "query.sql"}),
        ({"tests": "only"}, {"tests/test_app.py"}),
        ({"tests": "only", "languages": {"go"}}, set()),
        ({"tests": "exclude", "content": "code"}, {"src/app.py", "src/app.go", "query.sql"}),
        ({"paths": {b"README", b"src/app.go", b"nowhere"}}, {"README", "src/app.go"}),
        ({"paths": set()}, set()),
        ({"paths": {b"skipped.py", b"gone.py", b"empty.py"}}, set()),
    ],
)
def test_a_filter_lets_through_what_it_names(view, options, expected):
    assert set(paths(view, filters.by_file(view, **options))) == expected


@pytest.mark.parametrize("content", ["code", "docs", "config"])
def test_every_file_is_of_one_content(view, content):
    kinds = [filters.by_file(view, content=kind) for kind in ("code", "docs", "config")]
    assert (sum(kind.astype(int) for kind in kinds) == view.live).all()


# ---------------------------------------------------------------- lines


LONG = "".join(f"line {n}\n\n" if n % 50 == 0 else f"line {n}\n" for n in range(1, 400))


@pytest.fixture(scope="module")
def long_view(view):
    return view_of(view.model, {"a.txt": "a\n", "long.txt": "old"}, {"long.txt": LONG})


@pytest.mark.parametrize("line", [1, 2, 77, 200, 390, 406])
def test_the_chunk_of_a_line_is_let_through(long_view, line):
    mask = filters.by_lines(long_view, {b"long.txt": [line]})
    ((path, first, last),) = places_of(long_view, np.flatnonzero(mask).tolist())
    assert path == "long.txt"
    assert first <= line <= last


def test_a_line_that_is_not_shown_belongs_to_the_chunk_before_it(long_view):
    text = "void first(void) {\n" + "  step();\n" * 30 + "}\n\n"
    text += text.replace("first", "second")
    view = view_of(long_view.model, {"a.c": text})
    shown = places_of(view, list(range(view.count)))
    lines = text.count("\n")
    assert shown[-1][2] < lines
    assert any(after > last + 1 for (*_, last), (_, after, _) in pairwise(shown))
    for line in range(1, lines + 1):
        mask = filters.by_lines(view, {b"a.c": [line]})
        ((_, first, _),) = places_of(view, np.flatnonzero(mask).tolist())
        assert first == max(start for _, start, _ in shown if start <= line)


def test_only_chunks_that_are_shown_with_a_line_of_a_range_are_let_through(long_view):
    text = "void first(void) {\n" + "  step();\n" * 30 + "}\n\n"
    view = view_of(long_view.model, {"a.c": text + text.replace("first", "second")})
    shown = places_of(view, list(range(view.count)))
    (gap,) = [
        (last + 1, after - 1) for (*_, last), (_, after, _) in pairwise(shown) if after > last + 1
    ]
    cases: list[list[tuple[int, int]]] = [
        *([(line, line)] for line in range(1, text.count("\n") * 2 + 1)),
        [(1, 1), gap, (gap[1] + 1, gap[1] + 9)],
        [(2, 1000)],
        [gap],
    ]
    for ranges in cases:
        mask = filters.by_ranges(view, {b"a.c": ranges, b"nowhere": [(1, 9)]})
        assert places_of(view, np.flatnonzero(mask).tolist()) == [
            place
            for place in shown
            if any(first <= place[2] and last >= place[1] for first, last in ranges)
        ]


def test_other_files_and_no_lines_let_nothing_through(long_view):
    cases: list[dict[bytes, list[int]]] = [
        {b"nowhere": [1]},
        {b"a": []},
        {},
    ]
    for lines in cases:
        assert not filters.by_lines(long_view, lines).any()


def test_lines_of_several_files_and_chunks_add_up(long_view):
    mask = filters.by_lines(long_view, {b"long.txt": [399, 1, 2], b"a.txt": [1]})
    found = places_of(long_view, np.flatnonzero(mask).tolist())
    assert [path for path, *_ in found] == ["a.txt", "long.txt", "long.txt"]
