"""A shape is kept beside the graph, and worked out again only where edges change."""

import pytest

from gitsearch.commands.verify import verify
from gitsearch.graph import graph_cache, graph_metrics
from gitsearch.store import cache_files
from tests.unit.commands.asked import opened, session, warm_parsers

FILES = {
    "low/a.py": "def a():\n    return 1\n",
    "low/b.py": "from low.a import a\n",
    "low/c.py": "from low.a import a\nfrom low import b\n",
    "top/d.py": "from low import b\nfrom top import e\n",
    "top/e.py": "from top import d\n",
    "top/f.py": "from top import d, e\n",
    "tests/test_a.py": "from low.a import a\n",
    "README.md": "words\n",
}


@pytest.fixture
def repo(repo):
    return repo.having(FILES)


@pytest.fixture
def worked_out(monkeypatch):
    """One entry for each shape that is worked out."""
    calls = []
    made = graph_metrics._compute

    def counted(code):
        calls.append(code)
        return made(code)

    monkeypatch.setattr(graph_metrics, "_compute", counted)
    return calls


def shaped(repo, **options):
    warm_parsers()
    view = opened(repo, **options)
    return graph_metrics.metrics_of(view.session, graph_cache.graph_of(view))


def said(found):
    """All that a shape says."""
    return found.code.paths, {k: v.tolist() for k, v in found.arrays.items()}, found.names


def files(repo):
    return sorted((repo.index_dir / "views").glob("*.shape*"))


def test_only_code_has_ranks_and_tests_are_in_no_component(repo):
    found = shaped(repo)
    assert b"README.md" not in found.code.paths
    place = {path: i for i, path in enumerate(found.code.paths)}
    assert found.rank.argmax() == place[b"low/a.py"]
    assert found.aside.tolist() == [path.startswith(b"tests/") for path in found.code.paths]
    assert found.arrays["component"][place[b"tests/test_a.py"]] == -1
    circle = found.arrays["circle"]
    assert [path for path, i in place.items() if circle[i] == 0] == [b"top/d.py", b"top/e.py"]


CHANGES = {
    "a body": (lambda repo: repo.append("low/a.py", "\n\ndef more():\n    return 2\n"), 0),
    "a line before an import": (lambda repo: repo.write("low/b.py", "\n" + FILES["low/b.py"]), 0),
    "prose": (lambda repo: repo.write("MORE.md", "more\n"), 0),
    "an import": (lambda repo: repo.append("top/f.py", "from low import c\n"), 1),
    "a new file": (lambda repo: repo.write("low/g.py", "x = 1\n"), 1),
    "a file that moves": (lambda repo: repo.rename("top/f.py", "top/g.py"), 1),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.long
def test_a_shape_is_worked_out_again_where_edges_change(repo, worked_out, change):
    shaped(repo)
    assert len(worked_out) == 1
    alter, times = CHANGES[change]
    alter(repo)
    repo.commit()
    grown = said(shaped(repo))
    assert len(worked_out) == 1 + times
    assert len(files(repo)) == 1 + times
    for path in files(repo):
        path.unlink()
    assert said(shaped(repo)) == grown


def test_a_shape_that_is_there_is_read(repo, worked_out):
    assert said(shaped(repo)) == said(shaped(repo))
    assert len(worked_out) == 1


@pytest.mark.parametrize("offset", [10, 60, 500, -64])
@pytest.mark.long
def test_a_damaged_shape_is_found_by_verify_and_compute_again(repo, offset):
    right = said(shaped(repo))
    (path,) = files(repo)
    assert verify(session(repo.path)).problems == ()
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x40
    path.write_bytes(data)
    assert [name for name, _ in verify(session(repo.path)).problems] == [f"views/{path.name}"]
    assert said(shaped(repo)) == right
    assert verify(session(repo.path)).problems == ()


@pytest.mark.slow
def test_only_a_few_shapes_are_kept_and_none_pushes_out_a_graph(repo, monkeypatch):
    monkeypatch.setattr(cache_files, "MOST", 2)
    for number in range(4):
        repo.write(f"low/new{number}.py", "from low import a\n")
        repo.commit()
        shaped(repo)
    assert len(files(repo)) == 2
    assert len(list((repo.index_dir / "views").glob("*.graph*"))) == 2


def test_an_index_that_cannot_be_written(repo, worked_out, monkeypatch):
    monkeypatch.setattr(cache_files, "keep", lambda *_, **_options: None)
    assert said(shaped(repo)) == said(shaped(repo))
    assert len(worked_out) == 2


def test_a_repository_of_tests_alone(repo):
    for path in FILES:
        if not path.startswith("tests/"):
            repo.remove(path)
    repo.commit()
    found = shaped(repo)
    assert found.aside.tolist() == [False]
