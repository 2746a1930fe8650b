"""Tables for other programs: they say what the record and the answers say."""

import json
import os

import duckdb
import pytest

from gitsearch.cli.application import run
from gitsearch.commands.define import define
from gitsearch.commands.export import export_tables
from gitsearch.commands.refs import references
from gitsearch.commands.sql import sql
from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import Unwritable
from gitsearch.graph.graph_cache import graph_of
from gitsearch.index.versions import EXPORT_VERSION
from gitsearch.retrieval import lexical_leg
from gitsearch.settings import ALONE, RepositoryNames
from gitsearch.store import parquet_files
from tests.builder import RepoBuilder
from tests.unit.commands.asked import indexed, session, warm_parsers


def exported(repo, folder, names=ALONE, at="HEAD", *, text=True):
    """The report, and a function that asks the tables in SQL."""
    warm_parsers()
    report = export_tables(session(repo.path), names, str(folder), at, text=text)
    database = duckdb.connect()
    for table in report.repositories[0].rows:
        place = f"{folder}/{table}/**/*.parquet"
        database.execute(f"create view {table} as from read_parquet('{place}')")
    return report, lambda query: database.execute(query).fetchall()


@pytest.fixture(scope="module")
def tables(current_template, tmp_path_factory):
    """The sample repository, the report, and its tables."""
    return current_template, *exported(current_template, tmp_path_factory.mktemp("tables"))


def test_chunks_and_definitions_are_those_of_the_record(tables):
    repo, report, ask = tables
    own = session(repo.path)
    blobs = {blob for (blob,) in ask("select blob from files where skipped = ''")}
    rows = sql(
        own,
        'select oid, start, "end", first_line, last_line from chunk join blob'
        " on chunk.blob = blob.id",
    ).rows
    recorded = {row for row in rows if row[0] in blobs}
    assert recorded == set(
        ask(
            'select distinct blob, start, "end", first_line, last_line from chunks'
            " join files using (repository, file)"
        )
    )
    rows = sql(
        own,
        "select oid, name, qualified, kind, start, first_line, last_line from symbol"
        " join blob on symbol.blob = blob.id",
    ).rows
    recorded = {row for row in rows if row[0] in blobs}
    assert recorded == set(
        ask(
            "select distinct blob, name, qualified, kind, start, first_line, last_line"
            " from definitions join files using (repository, file)"
        )
    )
    counts = dict(report.repositories[0].rows)
    assert counts["chunks"] == counts["vectors"] > 100
    assert counts["repositories"] == 1


def test_files_are_those_of_the_tree_with_their_texts(tables):
    repo, report, ask = tables
    tracked = repo.git("ls-tree", "-r", "-z", "HEAD").split("\0")[:-1]
    # bytes that are no UTF-8 are replaced
    names = (os.fsencode(line.partition("\t")[2]).decode("utf-8", "replace") for line in tracked)
    listed = dict(zip(names, (line.split()[2] for line in tracked), strict=True))
    assert len(listed) == report.repositories[0].rows["files"]
    searched = ask("select path, blob from files where skipped = ''")
    assert all(listed[path] == blob for path, blob in searched)
    assert dict(ask("select skipped, count(*) from files group by all"))["lfs"] == 1
    whole = dict(
        ask(
            "select path, string_agg(text, '' order by chunk) from chunks"
            " join files using (file) group by all"
        )
    )
    assert whole["service/retry_policy.py"] == repo.file("service/retry_policy.py").read_text()
    tests = {path for (path,) in ask("select path from files where test")}
    assert tests
    assert all("test" in path.lower() or "spec" in path.lower() for path in tests)


def test_terms_and_vectors_are_those_that_are_ranked(tables):
    repo, _, ask = tables
    view = select_tree(session(repo.path), at="HEAD").open().view
    for term in ("delay", "retrypolicy"):
        (count,) = ask(f"select count(*) from terms where term = '{term}'")[0]
        assert 0 < count <= lexical_leg.frequency(view, term)
    ((least, most),) = ask("select min(count), max(count) from terms")
    assert 1 <= least <= most <= 15
    kind = ask("select typeof(vector::tinyint[128]), count(*) from vectors group by all")
    assert kind == [("TINYINT[128]", view.count)]
    ((path, start),) = ask(
        "select path, start from vectors join chunks using (chunk) join files using (file)"
        " order by array_cosine_similarity(vector::float[128], (select vector::float[128]"
        " from vectors where chunk = 3)) desc, chunk limit 1"
    )
    assert [(path, start)] == ask(
        "select path, start from chunks join files using (file) where chunk = 3"
    )


def test_names_and_edges_are_those_of_the_verbs(tables):
    repo, _, ask = tables
    own = session(repo.path)
    found = ask(
        "select path, first_line from definitions join files using (file)"
        " where name = 'RetryPolicy' order by all"
    )
    assert found == [(one.path, one.line) for one in define(own, "RetryPolicy", "HEAD").symbols]
    using = {
        path
        for (path,) in ask(
            "select path from uses join files using (file) where name = 'RetryPolicy'"
        )
    }
    assert {one.path for one in references(own, "RetryPolicy", "HEAD").references} & using
    graph = graph_of(select_tree(own, at="HEAD").open())
    edges = {
        (edge.source, edge.target) for file in range(graph.files) for edge in graph.out_edges(file)
    }
    assert {(graph.path(a).decode(), graph.path(b).decode()) for a, b in edges} == set(
        ask(
            "select s.path, t.path from edges join files s on s.file = source"
            " join files t on t.file = target"
        )
    )
    assert ask("select count(*) from edges where kind = 'import' and line is null") == [(0,)]


def test_commits_are_those_that_git_lists(tables):
    repo, _, ask = tables
    listed = repo.git("log", "--format=%H%x1f%P%x1f%aN%x1f%aI%x1f%s").splitlines()
    rows = ask('select "commit", parents, author, date, subject from commits order by place')
    assert rows == [tuple(line.split("\x1f")) for line in listed]
    assert ask("select message from commits order by place limit 1") == [
        (repo.git("log", "-1", "--format=%B").strip(),)
    ]


def test_the_version_says_how_to_read_them(tables):
    repo, _, ask = tables
    ((version, rev, commit, tree, dimensions, name),) = ask(
        "select version, rev, commit, tree, dimensions, repository from repositories"
    )
    assert (version, rev, dimensions) == (EXPORT_VERSION, "HEAD", 128)
    assert (commit, tree) == (repo.rev(), repo.rev("HEAD^{tree}"))
    assert name == repo.path.name


@pytest.mark.long
def test_repositories_are_partitions_and_are_replaced_alone(tmp_path):
    for name in ("a", "b=c d"):
        indexed(RepoBuilder(tmp_path / name).having({"x.py": f"def of_{name[0]}(): pass\n"}))
    here = RepoBuilder.adopt(tmp_path)
    names = RepositoryNames(("a", "b*", "gone"))
    report, ask = exported(here, tmp_path / "out", names)
    assert [one.repository for one in report.repositories] == ["a", "b=c d"]
    assert [one.folder for one in report.unsearched] == ["gone"]
    found = ask("select repository, name from definitions order by all")
    assert found == [("a", "of_a"), ("b=c d", "of_b")]
    RepoBuilder.adopt(tmp_path / "a").having({"x.py": "def later(): pass\n"})
    _, ask = exported(here, tmp_path / "out", RepositoryNames(("a",)), text=False)
    found = ask("select repository, name from definitions order by all")
    assert found == [("a", "later"), ("b=c d", "of_b")]
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    exported(here, tmp_path / "out", RepositoryNames(("a",)), text=False)
    assert before == {
        path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
    }


def test_an_export_that_fails_midway_leaves_the_tables_of_the_tree_before(tmp_path, monkeypatch):
    def content():
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def failing(path, *args):
        if "terms" in path.parts:
            raise Unwritable(f"cannot write '{path.parent}': No space left on device")
        return copied(path, *args)

    folder = tmp_path / "out"
    repo = RepoBuilder(tmp_path / "r").having({"x.py": "def first(): pass\n"})
    exported(repo, folder)
    before = content()
    repo.having({"x.py": "def second(): pass\n"})
    copied = parquet_files._copied
    monkeypatch.setattr(parquet_files, "_copied", failing)
    with pytest.raises(Unwritable):
        exported(repo, folder)
    assert content() == before
    monkeypatch.undo()
    _, ask = exported(repo, folder)
    assert ask("select name, tree from definitions, repositories") == [
        ("second", repo.rev("HEAD^{tree}"))
    ]


def test_refusals_are_one_line(tmp_path, monkeypatch, capsys):
    repo = RepoBuilder(tmp_path / "r").having({"x.py": "x = 1\n"})
    monkeypatch.chdir(repo.path)
    assert run(("export",)) == 129
    assert run(("export", "--parquet", "out", "words")) == 129
    assert run(("export", "--parquet", "out", "--at", "nowhere")) == 128
    (tmp_path / "file").write_text("")
    assert run(("export", "--parquet", str(tmp_path / "file"))) == 128
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 4
    assert "--parquet" in said.err.splitlines()[0]
    assert run(("export", "--parquet", "out", "--json")) == 0
    (one,) = json.loads(capsys.readouterr().out)["repositories"]
    assert (one["repository"], one["rows"]["files"]) == ("r", 1)


def test_an_empty_tree_has_empty_tables(tmp_path):
    repo = RepoBuilder(tmp_path / "r")
    repo.commit_staged()
    report, ask = exported(repo, tmp_path / "out")
    assert report.repositories[0].rows["chunks"] == 0
    assert ask("select count(*) from vectors") == [(0,)]
