"""Exported tables that are taken in: the same answers, and nothing of them is trusted."""

import json
import re
import shutil

import duckdb
import pytest

from gitsearch.cli.application import run
from gitsearch.commands.export import export_tables
from gitsearch.commands.share import import_
from gitsearch.commands.verify import verify
from gitsearch.errors import BadShare
from gitsearch.settings import ALONE
from tests.unit.commands.asked import indexed, session, warm_parsers
from tests.unit.index.fixtures import copy_of

# Questions of every kind; those about the index itself tell when it was made.
QUESTIONS = (
    ("pause before a failed request is sent again",),
    ("--explain", "-k", "50", "retry"),
    ("RetryPolicy",),
    ("--mode", "semantic", "test of the login session"),
    ("--mode", "lexical", "max", "delay"),
    ("--mode", "symbol", "compute_delay"),
    ("-F", "RetryPolicy"),
    ("-E", "def [a-z]+_"),
    ("-t", "go", "cache"),
    ("--tests", "only", "retry"),
    ("--content", "docs", "retry"),
    ("--at", "HEAD~1", "retry"),
    ("--changed=HEAD~1..HEAD", "retry"),
    ("retry", "--", "service"),
    ("nothing_has_this_word",),
    ("def", "RetryPolicy"),
    ("def", "compute_delay"),
    ("refs", "RetryPolicy"),
    ("outline", "service/retry_policy.py"),
    ("impact", "service/retry_policy.py"),
    ("impact", "service/retry_policy.py:RetryPolicy"),
    ("related", "service/retry_policy.py"),
    ("related", "service/retry_policy.py:3"),
    ("map",),
    ("architecture",),
    ("exists", "RetryPolicy", "nowhere_at_all"),
    ("conventions",),
    ("dup", "--changed=HEAD~1..HEAD"),
    ("context", "change how long a retry waits", "--budget", "3000"),
    ("history", "retry"),
    ("why", "service/retry_policy.py:1"),
    ("experts", "service"),
    ("report", "--base", "HEAD~1"),
    ("sql", "select oid, hint, forced, language, skip, size, lines from blob order by all"),
    ("sql", "select oid, c.start, c.\"end\", c.first_line, c.last_line from chunk c join blob on"
            " c.blob = blob.id order by all"),
    ("sql", "select oid, s.* exclude (blob) from symbol s join blob on s.blob = blob.id"
            " order by all"),
)  # fmt: skip


def exported(repo, folder):
    warm_parsers()
    export_tables(session(repo.path), ALONE, str(folder), "HEAD", text=False)


def without_index(template, path):
    """A copy of a repository, without an index."""
    repo = copy_of(template, path / template.path.name)
    shutil.rmtree(repo.index_dir)
    return repo


@pytest.fixture(scope="module")
def made(current_template, tmp_path_factory):
    """The tables of the sample repository; never to be changed."""
    folder = tmp_path_factory.mktemp("tables")
    exported(current_template, folder)
    return folder


@pytest.fixture
def clone(current_template, tmp_path):
    return without_index(current_template, tmp_path)


@pytest.fixture
def tables(made, tmp_path):
    return shutil.copytree(made, tmp_path / "tables")


def told(repo, capsys, monkeypatch):
    """The answers in JSON, with times left out."""
    monkeypatch.chdir(repo.path)
    answers = []
    for question in QUESTIONS:
        code = run((*question, "--json"))
        said = capsys.readouterr()
        answers.append((question, code, re.sub(r'"seconds": ?[0-9.e-]+', "", said.out)))
        assert code in (0, 1), (question, said.err)
    return answers


@pytest.mark.long
def test_what_is_exported_and_imported_answers_the_same(
    current_template, clone, tables, capsys, monkeypatch
):
    report = import_(session(clone.path), str(tables))
    assert (report.added, report.refused, report.files_parsed) == (report.blobs, 0, 0)
    assert report.sampled > 0
    assert report.trees == (clone.rev("HEAD^{tree}"),)
    found = told(clone, capsys, monkeypatch)
    assert found == told(current_template, capsys, monkeypatch)
    assert verify(session(clone.path)).problems == ()
    assert import_(session(clone.path), str(tables)).known == report.blobs


def test_an_export_of_what_was_imported_is_the_same_file(clone, tables, tmp_path):
    import_(session(clone.path), str(tables))
    exported(clone, tmp_path / "again")
    again = {
        path.relative_to(tmp_path / "again"): path.read_bytes()
        for path in (tmp_path / "again").rglob("*.parquet")
    }
    assert again == {
        path.relative_to(tables): path.read_bytes() for path in tables.rglob("*.parquet")
    }


def changed(tables, table, query):
    """Write a table anew from a query over what it was."""
    (path,) = (tables / table).rglob("data.parquet")
    other = path.with_suffix(".other")
    with duckdb.connect() as database:
        database.execute(
            f"create view was as from read_parquet('{path}', hive_partitioning=false)"
        )
        database.execute(f"copy ({query}) to '{other}' (format parquet)")
    other.replace(path)


HOSTILE = (
    ("repositories", "select * exclude (version) from was", "version is missing"),
    ("repositories", "select * replace (2::integer as version) from was", "of version 2"),
    ("repositories", "select * replace (99::integer as version) from was", "of version 99"),
    ("repositories", "select * replace (1::integer as extract) from was", "extraction 1"),
    ("repositories", "select * replace ('HEAD' as tree) from was", "not of one tree"),
    ("repositories", "select * from was union all select * from was", "not of one tree"),
    ("files", "select * exclude (hint) from was", "hint is missing"),
    ("files", "select * replace (file::varchar as file) from was", "file is VARCHAR"),
    ("files", "select * replace (null::varchar as blob) from was", "blob has nulls"),
    ("files", "select * replace ('x' as blob) from was", "is of no object"),
    ("files", "select * replace ('../' || path as path) from was", "is no path"),
    ("files", "select * replace ('/etc/passwd' as path) from was", "is no path"),
    ("files", "from was order by file desc", "not numbered from 0"),
    ("chunks", "select * replace (start::integer as start) from was", "start is INTEGER"),
    ("chunks", 'select * replace (-1::bigint as start) from was', "bounds that are none"),
    ("chunks", 'select * replace (9e15::bigint as "end") from was', "bounds that are none"),
    ("chunks", 'select * replace ("end" + 1000000 as "end") from was', "do not follow"),
    ("chunks", 'select * replace (if(lead(file, 1, -1) over () = file, "end", "end" + 1000000) as'
               ' "end") from was', "outside of its"),
    ("chunks", "select * replace (999999::integer as file) from was", "order of their files"),
    ("chunks", "select * replace (-1::integer as file) from was", "order of their files"),
    ("chunks", "from was order by file desc", "order of their files"),
    ("definitions", "select * replace (definition + 1 as parent) from was", "enclosed by none"),
    ("definitions", "select * replace (-7::integer as parent) from was", "enclosed by none"),
    ("definitions", "select * replace (0::integer as definition) from was", "not numbered"),
    ("definitions", 'select * replace ("end" + 1000000 as "end") from was', "outside of its"),
    ("definitions", "select * replace (upper(name) as name) from was", "is forged"),
)  # fmt: skip


def refused(repo, tables, capsys, monkeypatch):
    """The one line that an import of these tables gets."""
    monkeypatch.chdir(repo.path)
    assert run(("share", "import", str(tables))) == 128
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    return said.err


@pytest.mark.parametrize(("table", "query", "reason"), HOSTILE)
def test_hostile_tables_get_one_line_and_change_nothing(
    current, tables, table, query, reason, capsys, monkeypatch
):
    changed(tables, table, query)
    before = {path: path.read_bytes() for path in current.index_dir.rglob("*") if path.is_file()}
    assert reason in refused(current, tables, capsys, monkeypatch)
    assert before == {
        path: path.read_bytes() for path in current.index_dir.rglob("*") if path.is_file()
    }


def cut_short(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (cut_short, "is damaged"),
        (lambda path: path.write_bytes(b""), "is damaged"),
        (lambda path: path.write_bytes(b"PAR1" + bytes(1000) + b"PAR1"), "is damaged"),
        (lambda path: path.unlink(), "is missing"),
        (lambda path: (path.unlink(), path.mkdir()), "no regular file"),
    ],
)
@pytest.mark.parametrize("table", ["repositories", "files", "chunks", "definitions"])
def test_damaged_files_get_one_line(current, tables, table, fault, reason, capsys, monkeypatch):
    (path,) = (tables / table).rglob("data.parquet")
    fault(path)
    assert reason in refused(current, tables, capsys, monkeypatch)


def test_the_tables_of_this_clone_are_chosen(current_template, clone, tables, tmp_path):
    for table in tables.iterdir():
        (own,) = table.iterdir()
        shutil.copytree(own, own.with_name("repository=other"))
    assert import_(session(clone.path), str(tables)).added > 0
    for table in tables.iterdir():
        (table / "repository=sample").rename(table / f"repository={tmp_path.name}%2Fsample")
    assert import_(session(clone.path), str(tables)).known > 0
    renamed = clone.path.rename(tmp_path / "renamed")
    with pytest.raises(BadShare, match=r"but of: 'other', '.*/sample'"):
        import_(session(renamed), str(tables))
    for table in tables.iterdir():
        shutil.rmtree(table / "repository=other")
    assert import_(session(renamed), str(tables)).known > 0
    with pytest.raises(BadShare, match="is no folder of"):
        import_(session(renamed), str(tmp_path))


def test_names_with_wildcards_are_names(clone, tables):
    other = tables.rename(tables.with_name("t*[1]'?"))
    assert import_(session(clone.path), str(other)).added > 0


@pytest.mark.long
def test_too_many_rows_are_not_read(clone, tables, capsys, monkeypatch):
    changed(tables, "files", "select was.* from was, range(400000)")
    assert "more than 8,388,608 rows" in refused(clone, tables, capsys, monkeypatch)


def test_the_report_in_json_is_that_of_a_shared_file(clone, tables, capsys, monkeypatch):
    monkeypatch.chdir(clone.path)
    assert run(("share", "import", "--json", str(tables))) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["blobs"] == document["added"] > 0
    assert document["bytes"] > 0


def test_files_that_came_later_are_parsed(clone, tables):
    clone.write("later.py", "def written_later():\n    return 1\n")
    clone.commit()
    report = import_(session(clone.path), str(tables))
    assert report.files_parsed == 1
    assert indexed(clone).files_parsed == 0
