"""A view of many segments, each a delta over the one below, answers as a view of one."""

import itertools
import json

import numpy as np
import pytest

from gitsearch.commands.gc import collect
from gitsearch.commands.status import status
from gitsearch.commands.verify import verify
from gitsearch.git import repo as repository
from gitsearch.index import segment_assembly
from gitsearch.index import view_store as shelves
from gitsearch.index.view_store import open_view_store
from gitsearch.render import json_document
from gitsearch.render.presentation import Presentation
from gitsearch.settings import Settings
from gitsearch.store import sections
from tests.sample import CACHE, LEXER, METRIC, RETRY
from tests.unit.commands.asked import (
    QUERIES,
    Aside,
    Listener,
    answers,
    fresh_answers,
    indexed,
    meta_of,
    opened,
    quiet_answers,
    searched,
    session,
)
from tests.unit.index.fixtures import copy_of

# What each commit does; every one adds a file of its own, so that the next is nearest to it.
STEPS = (
    lambda repo: (
        repo.append("service/retry_policy.py", "\n\ndef give_up_early(): ...\n"),
        repo.remove("docs/page-cache.md"),
        repo.write("lib/stream.py", LEXER.render("python")),
    ),
    lambda repo: (
        repo.rename("service/retry_policy.py", "service/network/again.py"),
        repo.git("checkout", "-q", "v1.0", "--", "docs/page-cache.md"),
        repo.append("lib/stream.py", "\nSTREAM = 'of tokens'\n"),
    ),
    lambda repo: (
        repo.git("checkout", "-q", "v1.0", "--", "service/retry_policy.py"),
        repo.remove("lib/stream.py"),
        repo.remove("docs/page-cache.md"),
    ),
    lambda repo: (
        repo.rename("service/network/again.py", "lib/stream.py"),
        repo.write("docs/page-cache.md", "# Page cache\n\nWritten again, shorter.\n"),
        repo.git("rm", "-q", "-r", "internal"),
    ),
    lambda repo: (
        repo.write("internal/retry.go", RETRY.render("go")),
        repo.write("service/copy.py", repo.file("service/retry_policy.py").read_bytes()),
        repo.remove("docs/page-cache.md"),
    ),
)


def grow(repo, number):
    STEPS[number](repo)
    repo.write(f"steps/step_{number}.py", f"def step_{number}(): ...\n")
    repo.commit()


@pytest.fixture(scope="module")
def chain_template(current_template, tmp_path_factory):
    """An index of six segments, one over the other, and the trees from the lowest up."""
    repo = copy_of(current_template, tmp_path_factory.mktemp("chain") / "sample")
    trees = [repo.rev("HEAD^{tree}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_assembly, "MOST_CHANGED", 10.0)
        for number in range(len(STEPS)):
            grow(repo, number)
            indexed(repo)
            trees.append(repo.rev("HEAD^{tree}"))
    return repo, trees


@pytest.fixture
def chain(chain_template, tmp_path):
    """A copy of the repository whose index has six segments, and its trees."""
    template, trees = chain_template
    return copy_of(template, tmp_path / "sample"), trees


def as_json(repo, **options):
    found = [
        json_document.search(searched(repo, text, **options), Presentation())
        for text in (*QUERIES, "step", "stream of tokens", "retry")
    ]
    return json.dumps(found, sort_keys=True)


def views(repo):
    return {path.name.partition("-")[0] for path in (repo.index_dir / "views").iterdir()}


def shelf_of(repo):
    return open_view_store(repository.open_repo(repo.path), Settings())


# ---------------------------------------------------------------- answers


def test_a_chain_answers_as_one_segment_to_the_last_byte(chain):
    repo, trees = chain
    found = meta_of(repo)
    assert [meta["tree"] for meta in found] == trees
    assert [meta["base"] for meta in found] == [None, *trees[:-1]]
    answer = as_json(repo)
    said = status(session(repo.path))
    with Aside(repo):
        assert as_json(repo) == answer
        fresh = status(session(repo.path))
    assert said.coverage == fresh.coverage


@pytest.mark.long
def test_every_tree_of_a_chain_is_answered_right(chain):
    repo, trees = chain
    for back, tree in enumerate(reversed(trees)):
        rev = f"HEAD~{back}"
        assert repo.rev(f"{rev}^{{tree}}") == tree
        assert len(meta_of(repo, at=rev)) == len(trees) - back
        assert as_json(repo, at=rev) == fresh_json(repo, at=rev)


def fresh_json(repo, **options):
    with Aside(repo):
        return as_json(repo, **options)


@pytest.mark.slow
def test_edits_lie_over_a_chain(chain):
    repo, trees = chain
    repo.append("internal/retry.go", "\n// edited over all of it\n")
    repo.git("checkout", "-q", "v1.0", "--", "docs/page-cache.md")
    repo.remove("steps/step_1.py")
    repo.append("README.md", "\nRetry once more.\n")
    assert len(meta_of(repo)) == len(trees) + 1
    assert as_json(repo) == fresh_json(repo)


def test_each_segment_says_what_it_takes_from_all_below(chain):
    repo, trees = chain
    layers = shelf_of(repo).load(trees[-1])
    live = [np.ones(segment.files, bool) for segment, _ in layers]
    for depth, (_, removed) in enumerate(layers):
        assert len(removed) == depth
        for mask, rows in zip(live, removed, strict=False):
            assert (np.diff(rows.astype(np.int64)) > 0).all()
            mask[rows] = False
    held = [
        segment.path(int(file))
        for (segment, _), mask in zip(layers, live, strict=True)
        for file in np.flatnonzero(mask)
    ]
    tracked = repo.run("ls-tree", "-r", "-z", "--name-only", "HEAD").stdout
    assert sorted(held) == sorted(tracked.split(b"\0")[:-1])


@pytest.mark.long
def test_a_rule_of_the_base_is_a_rule_for_all_above(current, monkeypatch):
    monkeypatch.setattr(segment_assembly, "MOST_CHANGED", 10.0)
    for number in range(3):
        current.write(f"private/step_{number}.md", "A retry is paused.\n")
        current.write(f"step_{number}.md", "A retry is paused.\n")
        current.commit()
        indexed(current)
    assert len(meta_of(current)) == 4
    assert as_json(current) == fresh_json(current)
    current.append(".gitattributes", "*.md -search\n")
    current.commit()
    assert len(meta_of(current)) == 1
    assert as_json(current) == fresh_json(current)


# ---------------------------------------------------------------- where a delta stands


@pytest.mark.long
def test_a_delta_is_at_most_a_quarter_of_what_it_stands_on(current):
    (base,) = meta_of(current)
    first = base["files"] // 4
    for name, count in (("one", first), ("two", first // 4)):
        for number in range(count):
            current.write(f"{name}/file_{number}.py", f"def {name}_{number}(): ...\n")
        current.commit()
        indexed(current)
    sizes = [meta["files"] for meta in meta_of(current)]
    assert sizes == [base["files"], first, first // 4]
    # one file is more than a quarter of the last segment, so it is compiled with what lies there
    current.write("three.py", "def three(): ...\n")
    current.commit()
    metas = meta_of(current)
    for below, above in itertools.pairwise(metas):
        assert 4 * above["files"] <= below["files"]
    assert as_json(current) == fresh_json(current)


@pytest.mark.long
def test_as_history_grows_a_view_keeps_few_segments(current):
    files = current.git("ls-tree", "-r", "--name-only", "HEAD").count("\n") + 1
    most = 0
    for number in range(12):
        current.write(f"grown/file_{number}.py", f"def grown_{number}(): ...\n")
        current.commit()
        metas = meta_of(current)
        most = max(most, len(metas))
        assert 4 ** (len(metas) - 1) <= files + number
    assert most == 3
    assert answers(current) == fresh_answers(current)


@pytest.mark.slow
def test_nothing_stands_on_a_delta_of_deletions_alone(current):
    current.remove("docs/page-cache.md")
    current.commit()
    indexed(current)
    assert meta_of(current)[-1]["files"] == 0
    current.write("lib/more.py", "def more(): ...\n")
    current.commit()
    base, above = meta_of(current)
    assert above["base"] == base["tree"] == current.rev("HEAD~2^{tree}")
    assert answers(current) == fresh_answers(current)


@pytest.mark.slow
def test_a_tree_that_is_like_nothing_is_a_base(chain):
    repo, _ = chain
    repo.git("rm", "-q", "-r", "service", "web", "docs", "scripts")
    repo.write("other/cache.rs", CACHE.render("rust"))
    repo.commit()
    assert [meta["base"] for meta in meta_of(repo)] == [None]
    assert answers(repo) == fresh_answers(repo)


# ---------------------------------------------------------------- what is kept


@pytest.mark.slow
def test_what_a_kept_delta_stands_on_is_kept(chain, monkeypatch):
    repo, trees = chain
    monkeypatch.setattr(shelves, "_MOST_BASES", 1)
    monkeypatch.setattr(shelves, "_MOST_DELTAS", 1)
    shelf_of(repo).prune()
    assert views(repo) == set(trees)
    assert quiet_answers(repo) == fresh_answers(repo)
    repo.checkout("v0.1")
    indexed(repo)
    # the new base is the one base that is kept for itself, the old one for what stands on it
    assert views(repo) == {*trees, repo.rev("HEAD^{tree}")}


@pytest.mark.slow
def test_what_no_kept_delta_stands_on_goes(chain, monkeypatch):
    repo, trees = chain
    repo.git("reset", "-q", "--hard", "HEAD~3")
    repo.write("lib/other.py", METRIC.render("python"))
    repo.commit()
    monkeypatch.setattr(segment_assembly, "MOST_CHANGED", 10.0)
    indexed(repo)
    monkeypatch.setattr(shelves, "_MOST_DELTAS", 1)
    shelf_of(repo).prune()
    tree = repo.rev("HEAD^{tree}")
    assert views(repo) == {tree, *(meta["tree"] for meta in meta_of(repo))}
    assert trees[-1] not in views(repo)
    assert verify(session(repo.path)).problems == ()
    assert quiet_answers(repo) == fresh_answers(repo)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 2, 5])
def test_a_view_that_lost_a_segment_is_made_anew(chain, level):
    repo, trees = chain
    before = answers(repo)
    (lost,) = (repo.index_dir / "views").glob(f"{trees[level]}-*")
    lost.unlink()
    listener = Listener()
    assert answers(repo, listener=listener) == before
    assert listener.notes == [f"views/{lost.name}: is missing; rebuilding"]
    assert quiet_answers(repo) == before
    assert verify(session(repo.path)).problems == ()


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 3])
def test_a_damaged_segment_is_made_anew(chain, level):
    repo, trees = chain
    before = answers(repo)
    (file,) = (repo.index_dir / "views").glob(f"{trees[level]}-*")
    data = bytearray(file.read_bytes())
    data[
        data.index(sections.read(file.parent.parent, f"views/{file.name}")["term_text"].tobytes())
        + 9
    ] ^= 0xFF
    file.write_bytes(data)
    listener = Listener()
    assert answers(repo, listener=listener) == before
    assert listener.notes == [
        f"views/{file.name}: section 'term_text' does not match its checksum; rebuilding"
    ]
    assert quiet_answers(repo) == before


@pytest.mark.slow
def test_a_delta_without_what_it_stands_on_counts_as_missing(chain):
    repo, trees = chain
    store = shelf_of(repo)
    name = store.name(trees[2])
    store.checksums.forget(name)
    (store.folder / name).unlink()
    assert store.load(trees[1]) is not None
    assert store.load(trees[2]) is None
    assert store.load(trees[5]) is None
    assert set(store.foundations()) <= {*trees} - {trees[2]}
    store.prune()
    grown = set(trees) - {trees[2]}
    assert views(repo) <= grown
    assert answers(repo) == fresh_answers(repo)
    repo.write("one_more.py", "def one_more(): ...\n")
    repo.commit()
    assert answers(repo) == fresh_answers(repo)


# ---------------------------------------------------------------- gc


@pytest.mark.slow
def test_gc_keeps_the_whole_chain_of_a_worktree(chain):
    repo, trees = chain
    before = answers(repo)
    report = collect(session(repo.path))
    assert (report.blobs_dropped, report.views_dropped) == (0, 0)
    assert views(repo) == set(trees)
    assert quiet_answers(repo) == before


@pytest.mark.slow
def test_gc_drops_the_deltas_above(chain):
    repo, trees = chain
    repo.git("reset", "-q", "--soft", "HEAD~2")
    repo.git("stash", "-q")
    before = answers(repo)
    collect(session(repo.path))
    assert views(repo) == set(trees[:4])
    assert quiet_answers(repo) == before == fresh_answers(repo)


@pytest.mark.slow
def test_gc_with_facts_to_drop_makes_one_view_of_a_chain(chain):
    repo, _ = chain
    repo.write("gone.py", "def gone_for_good(): ...\n")
    repo.commit()
    indexed(repo)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    before = answers(repo)
    assert collect(session(repo.path)).blobs_dropped == 1
    assert [meta["base"] for meta in meta_of(repo)] == [None]
    assert quiet_answers(repo) == before == fresh_answers(repo)
    assert opened(repo).counters.files_parsed == 0
