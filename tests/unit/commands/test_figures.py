"""`status`, `index` and `sql` say what there is in plain figures."""

import pytest

from gitsearch.commands.sql import sql
from gitsearch.commands.status import status
from gitsearch.errors import SearchError
from tests.unit.commands.asked import indexed, opened, searched, session
from tests.unit.features.models import write_model


@pytest.mark.slow
def test_status_counts_what_the_record_holds(current):
    found = status(session(current.path))
    assert found.current
    for count, table in (
        (found.blobs, "blob"),
        (found.chunks, "chunk"),
        (found.symbols, "symbol"),
    ):
        assert ((count,),) == sql(session(current.path), f"select count(*) from {table}").rows
        assert count > 0
    assert found.terms == opened(current).view.terms > 100
    assert found.folder == str(current.index_dir)
    assert dict(found.files)["index.duckdb"] == (current.index_dir / "index.duckdb").stat().st_size
    ((tree, _, names),) = found.views
    assert (tree, names[:2]) == (current.rev("HEAD^{tree}"), ("HEAD", "main"))
    assert found.model == "packaged"
    assert found.warnings == ()


def test_status_before_anything_was_indexed(sample):
    found = status(session(sample.path))
    assert not found.current
    assert (found.blobs, found.chunks, found.files, found.views) == (0, 0, (), ())
    assert found.coverage.pending > 0


def test_status_of_a_repository_without_commits(repo):
    found = status(session(repo.path))
    assert found.current
    assert found.coverage.tracked == 0


def test_status_knows_the_model_that_is_chosen(current, tmp_path):
    folder = write_model(tmp_path / "m", ["retry"])
    current.git("config", "search.model", str(folder))
    found = status(session(current.path))
    assert found.model == str(folder)
    assert not found.current


def test_status_of_a_changed_working_tree_is_current(current):
    current.append("README.md", "more\n")
    found = status(session(current.path))
    assert found.current
    assert found.tree.dirty == 1


def test_a_small_change_that_searches_read_themselves_stays_pending_until_it_is_indexed(current):
    current.write("small.py", "def okapi():\n    return 1\n")
    current.commit()
    assert "small.py" in [result.path for result in searched(current, "okapi").results]
    found = status(session(current.path))
    assert (found.current, found.coverage.pending) == (False, 1)
    indexed(current)
    found = status(session(current.path))
    assert (found.current, found.coverage.pending) == (True, 0)


def test_an_index_report_names_the_tree_and_counts(sample):
    report = indexed(sample, at="v0.2")
    assert report.tree.rev == "v0.2"
    assert report.tree.commit == sample.rev("v0.2^{commit}")
    assert report.chunks == opened(sample, at="v0.2").view.count > 0
    assert report.seconds > 0
    assert report.coverage.pending == 0
    again = indexed(sample, at="v0.2")
    assert (again.files_parsed, again.terms_embedded, again.bytes_read) == (0, 0, 0)
    assert again.chunks == report.chunks


def test_facts_can_be_asked_for_in_sql(current):
    found = sql(
        session(current.path),
        "select s.qualified, s.kind from symbol s join blob b on b.id = s.blob"
        " where b.language = 'python' and s.name = 'RetryPolicy'",
    )
    assert found.columns == ("qualified", "kind")
    assert ("RetryPolicy", "class") in found.rows


def test_sql_without_an_index_says_what_to_do(sample):
    with pytest.raises(SearchError, match="no index") as caught:
        sql(session(sample.path), "select 1")
    assert "git search index" in caught.value.hint
