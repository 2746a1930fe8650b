"""Two files are linked where one says a name that of all files only the other defines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsearch.features.embedding import Model
from gitsearch.retrieval import file_links
from tests.unit.features.models import write_model
from tests.unit.index.views import view_of


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return Model(write_model(tmp_path_factory.mktemp("models") / "m", ["word"]))


def paths_of(view):
    """The path of each live file, by its number in the view."""
    every = range(view.file_starts[-1])
    live = np.concatenate(view.live_files)
    places = {number: view.file(number) for number in every if live[number]}
    return {number: segment.path(row).decode() for number, (segment, row) in places.items()}


def linked(view, among=None):
    """Pairs of paths that are linked, of all files or of some."""
    paths = {n: path for n, path in paths_of(view).items() if among is None or path in among}
    numbers = np.asarray([*paths], np.int64)
    found = file_links.adjacency(view, numbers)
    assert (found == found.T).all()
    names = [*paths.values()]
    return {(names[i], names[j]) for i, j in np.argwhere(found) if names[i] < names[j]}


CLOCK = "def make_clock():\n    return 1\n"


def test_who_says_a_name_is_linked_to_who_defines_it(model):
    files = {"a.py": "print(make_clock())\n", "clock.py": CLOCK, "z.py": "print(1)\n"}
    assert linked(view_of(model, files)) == {("a.py", "clock.py")}


def test_case_and_underscores_are_of_no_account(model):
    assert linked(view_of(model, {"a.js": "new MakeClock()\n", "clock.py": CLOCK}))


def test_a_part_of_a_name_is_another_name(model):
    files = {"a.py": "print(clock)\n", "clock.py": CLOCK, "b.py": "print(make_clock_again)\n"}
    assert linked(view_of(model, files)) == set()


def test_a_name_that_two_files_define_links_nobody(model):
    files = {"a.py": "print(make_clock())\n", "clock.py": CLOCK, "other.py": CLOCK + "\n"}
    assert linked(view_of(model, files)) == set()
    # be the other one asked about or not
    assert linked(view_of(model, files), {"a.py", "clock.py"}) == set()


def test_a_name_that_one_file_defines_twice_is_its_own(model):
    files = {"a.py": "print(make_clock())\n", "clock.py": CLOCK + "\n\n" + CLOCK}
    assert linked(view_of(model, files)) == {("a.py", "clock.py")}


@pytest.mark.parametrize(("others", "found"), [(18, True), (19, True), (20, False)])
def test_a_name_that_many_files_say_links_nobody(model, others, found):
    users = {f"u{i}.py": f"print(make_clock(), {i})\n" for i in range(others)}
    assert bool(linked(view_of(model, {"clock.py": CLOCK, **users}))) == found


def test_a_short_name_links_nobody(model):
    assert not linked(view_of(model, {"a.py": "run()\n", "b.py": "def run():\n    return 1\n"}))
    assert linked(view_of(model, {"a.py": "runs()\n", "b.py": "def runs():\n    return 1\n"}))


def test_common_words_hide_no_definition(model):
    """More symbols have the word in their names than are looked at first."""
    many = "".join(f"def all_of_clock_{i:02}():\n    return {i}\n\n\n" for i in range(40))
    files = {"a.py": many, "b.py": "print(clock)\n", "y.py": "def clock():\n    return 1\n"}
    assert linked(view_of(model, files)) >= {("b.py", "y.py")}
    assert linked(view_of(model, {**files, "z.py": "def clock():\n    return 2\n"})) == set()


def test_a_skipped_file_and_one_without_words_link_nobody(model):
    files = {"a.py": "skip:binary", "b.py": "", "clock.py": CLOCK}
    assert linked(view_of(model, files)) == set()


TEXTS = [
    None,
    CLOCK,
    "print(make_clock())\n",
    "def ring_bell():\n    return make_clock()\n",
    "ring_bell(open_door)\n",
    "def open_door():\n    return 1\n",
]
LAYER = st.dictionaries(st.sampled_from(["a.py", "b.py", "c.py", "d.py"]), st.sampled_from(TEXTS))


@given(st.lists(LAYER, min_size=1, max_size=4))
def test_edits_on_edits_are_linked_as_the_files_that_result(model, layers):
    result = {path: text for layer in layers for path, text in layer.items()}
    result = {path: text for path, text in result.items() if text is not None}
    if result:
        assert linked(view_of(model, *layers)) == linked(view_of(model, result))
