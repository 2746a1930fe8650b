"""Every array and every value of meta of each kind of file is checked, and a sound file passes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gitsearch.errors import Damaged
from gitsearch.git import repo as repository
from gitsearch.graph import graph_cache, graph_metrics
from gitsearch.index import overlay_cache, word_filter
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.session import Session
from gitsearch.records import DirtyFile
from gitsearch.store import sections
from gitsearch.store.sections import Sections
from tests.builder import RepoBuilder
from tests.sample import CACHE, RETRY


def head(opened):
    return repository.resolve(opened, "HEAD")


@pytest.fixture(scope="module")
def files(tmp_path_factory, isolation):
    """A sound file of each kind, and what checks it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("formats") / "small")
    for topic in (RETRY, CACHE):
        repo.write(f"service/{topic.names()['name']}.py", topic.render("python"))
    repo.write("main.py", "from service import retry_policy, cache\nimport gone\n")
    repo.write("other.py", "import main\n")
    for i in range(6):
        repo.write(f"left{i}.py", f"left = {i}\n")
    repo.commit()
    session = Session(repo.path)
    ViewOpener(session, must_write=True).open(session.head, [])
    repo.append("main.py", "\n\ndef more():\n    return 1\n")
    repo.append("other.py", "\n\ndef more():\n    return 2\n")
    repo.commit()
    edited = DirtyFile(b"left0.py", "e" * 40, 0o100644, b"import main\n\n\ndef new(): ...\n")
    session = Session(repo.path)
    view = ViewOpener(session, must_write=True).open(session.head, [edited])
    graph_metrics.metrics_of(session, graph_cache.graph_of(view))
    store = session.store
    assert session.head is not None
    word_filter.word_filter_of(session, session.head.tree)
    checks = {
        "view": store.check_view,
        "edits": lambda found: overlay_cache.check(found, store),
        "graph": graph_cache.check,
        "shape": graph_metrics.check,
        "bloom": word_filter.check,
    }
    found = {}
    for kind, check in checks.items():
        newest = max(repo.index_dir.glob(f"views/*.{kind}*"), key=lambda p: p.stat().st_mtime_ns)
        found[kind] = sections.read(repo.index_dir, f"views/{newest.name}"), check
    assert found["view"][0].meta["base"] is not None
    return found


KINDS = ("view", "edits", "graph", "shape", "bloom")


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_passes(files, kind):
    found, check = files[kind]
    check(found)


WRONG = {
    "missing": lambda _: None,
    "of one more dimension": lambda a: a[None],
    "of another type": lambda a: a.astype(np.float32),
    "signed": lambda a: np.full(a.shape, -5, np.int16),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", WRONG)
def test_every_array_must_be_there_and_of_its_type(files, kind, how):
    found, check = files[kind]
    for name, array in found.arrays.items():
        changed = WRONG[how](array)
        arrays = {key: one for key, one in found.arrays.items() if key != name}
        if changed is not None:
            arrays[name] = changed
        if how == "signed" and not array.size:
            continue
        with pytest.raises(Damaged):
            check(Sections(arrays, dict(found.meta), found.name))


@pytest.mark.parametrize("kind", KINDS)
def test_no_array_may_be_added(files, kind):
    found, check = files[kind]
    with pytest.raises(Damaged, match="section 'more' is unknown"):
        check(Sections({**found.arrays, "more": np.zeros(1)}, dict(found.meta), found.name))


# What counts in something else, runs, and what must fit the size of another array.
BOUND = {
    "view": "path_ends language reason file_chunk term_ends token_ends token posting_ends"
    " posting_step posting_step_ends path_term path_term_ends path_term_file symbol_ends"
    " symbol_kind kind_ends symbol_file symbol_chunk symbol_term name_ends name_symbol chunk_file"
    " chunk_symbol row length",
    "graph": "path_ends language word_text word_ends import_ends import_specifier import_kind"
    " import_names name_ends name definition_ends definition definition_kind edge_source"
    " edge_target edge_place unseen_file unseen_place unseen_reason",
    "shape": "circle component link_from link_to rank",
}
BOUND["edits"] = BOUND["view"].replace("row", "")


@pytest.mark.parametrize("kind", BOUND)
def test_every_number_must_refer_to_what_is_there(files, kind):
    found, check = files[kind]
    for name in BOUND[kind].split():
        array = found.arrays[name]
        if not array.size:
            continue
        largest = np.nan if array.dtype == "f8" else np.iinfo(array.dtype).max
        arrays = {**found.arrays, name: np.full_like(array, largest)}
        with pytest.raises(Damaged):
            check(Sections(arrays, dict(found.meta), found.name))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [-1, 1 << 60, "../../x", [1], {"a": 1}, True, 0.5, None])
def test_every_value_of_meta_must_be_of_its_type(files, kind, value):
    found, check = files[kind]
    for key, right in found.meta.items():
        if right is value:
            continue
        with pytest.raises(Damaged):
            check(Sections(dict(found.arrays), {**found.meta, key: value}, found.name))


@pytest.mark.parametrize("name", ["path", "term"])
def test_what_is_searched_in_halves_must_be_sorted(files, name):
    found, check = files["edits"] if name == "term" else files["view"]
    ends = found.arrays[f"{name}_ends"].tolist()
    text = found.arrays[f"{name}_text"].tobytes()
    assert len(ends) > 2
    runs = [text[a:b] for a, b in pairwise(ends)][::-1]
    changed = {
        f"{name}_text": np.frombuffer(b"".join(runs), np.uint8),
        f"{name}_ends": np.cumsum([0, *map(len, runs)]),
    }
    with pytest.raises(Damaged, match="is not sorted"):
        check(Sections({**found.arrays, **changed}, dict(found.meta), found.name))
