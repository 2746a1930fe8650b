"""Clones of one repository, forks and vendored copies: extracted once, shown once."""

import json
import shutil

import duckdb
import pytest

from gitsearch.cli.application import run
from gitsearch.commands import repositories
from gitsearch.commands.index import index, index_in
from gitsearch.commands.search import search
from gitsearch.commands.sql import sql
from gitsearch.git import background_process
from gitsearch.render import search_text
from gitsearch.render.presentation import Presentation
from gitsearch.settings import RepositoryNames, SearchRequest
from tests.builder import RepoBuilder
from tests.sample import CACHE, LEXER, RETRY, UPLOAD
from tests.unit.commands.asked import answers, fresh_answers, searched, session, warm_parsers

HERE = RepositoryNames((".",))
SET_VERSION = "update meta set value = '0.0'"
FILES = {
    "service/retry.py": RETRY.render("python"),
    "service/cache.go": CACHE.render("go"),
    "README.md": RETRY.render("markdown"),
    "web/lexer.ts": LEXER.render("typescript"),
    "empty.py": "",
}


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A repository, a second clone of it that is behind, a fork, and one that has a copy of it."""
    del isolation
    warm_parsers()
    folder = tmp_path_factory.mktemp("work")
    origin = RepoBuilder(folder / "origin").having(FILES)
    origin.git("clone", "-q", str(origin.path), str(folder / "behind"))
    origin.having({"service/upload.rs": UPLOAD.render("rust")})
    origin.git("clone", "-q", str(origin.path), str(folder / "fork"))
    fork = RepoBuilder.adopt(folder / "fork")
    fork.append("service/retry.py", "\n\ndef give_up_early():\n    return None\n")
    fork.commit()
    vendored = {f"vendor/{path}": text for path, text in FILES.items()}
    RepoBuilder(folder / "user").having({"main.py": "import retry\n", **vendored})
    return folder


@pytest.fixture
def clones(template, tmp_path):
    return shutil.copytree(template, tmp_path / "work", symlinks=True)


def blobs(folder, names):
    """What facts are recorded of, by repository."""
    rows = {
        name: sql(session(folder / name), "select oid, hint, forced from blob").rows
        for name in names
    }
    return {name: set(own) for name, own in rows.items()}


def indexed(folder, names=HERE):
    report = index_in(session(folder), names, None, rebuild=False, dry_run=False)
    return {one.repository: (one.files_parsed, one.files_known) for one in report.repositories}


# ---------------------------------------------------------------- extracted once


def test_no_blob_is_extracted_twice(clones):
    work = indexed(clones)
    recorded = blobs(clones, work)
    assert sum(parsed for parsed, _ in work.values()) == len(set.union(*recorded.values()))
    for name, (parsed, known) in work.items():
        assert parsed + known == len(recorded[name])
    # in order of their names: the first has nothing to begin with, the last one file of its own
    assert work["behind"] == (5, 0)
    assert work["fork"] == (2, 4)
    assert work["origin"] == (0, 6)
    assert work["user"] == (1, 5)
    assert set(indexed(clones).values()) == {(0, 0)}


def test_of_very_many_clones_those_of_one_repository_are_asked(clones, monkeypatch):
    monkeypatch.setattr(repositories, "_SIBLINGS", 1)
    work = indexed(clones)
    # that of the same address comes first, whatever else there is
    assert work["fork"] == (2, 4)
    assert work["origin"] == (1, 5)


@pytest.mark.long
def test_answers_are_those_of_an_index_that_was_made_alone(clones):
    indexed(clones)
    for name in ("fork", "user"):
        repo = RepoBuilder.adopt(clones / name)
        assert answers(repo) == fresh_answers(repo)


def test_a_search_that_waits_extracts_nothing_twice(clones):
    request = SearchRequest("retry", refresh="wait", repositories=HERE)
    search(session(clones), request)
    assert set(indexed(clones).values()) == {(0, 0)}
    (clones / "origin" / ".git" / "search" / "index.duckdb").unlink()
    assert indexed(clones)["origin"] == (0, 6)


@pytest.mark.long
def test_a_process_that_is_left_behind_knows_the_other_clones(clones, monkeypatch):
    indexed(clones, RepositoryNames(("origin",)))
    started = []
    monkeypatch.setattr(background_process, "start", lambda _, *words: started.append(words))
    request = SearchRequest("retry", refresh="background", repositories=HERE)
    search(session(clones), request)
    own = f"--beside={clones / 'origin' / '.git' / 'search'}"
    assert len(started) == 2
    assert all(words[:2] == ("index", "--background") and words[-1] == own for words in started)
    monkeypatch.chdir(clones / "fork")
    assert run(("index", "--background", own)) == 0
    assert indexed(clones)["fork"] == (0, 0)
    log = (clones / "fork" / ".git" / "search" / "worker.log").read_text()
    assert "done: 1 files parsed" in log


def altered(record, statement):
    with duckdb.connect(str(record)) as database:
        database.execute(statement)


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda record: record.write_bytes(b"no database"), (6, 0)),
        (lambda record: altered(record, f"{SET_VERSION} where key = 'facts_version'"), (6, 0)),
        # a document and an empty file have no definitions
        (lambda record: altered(record, "update symbol set name = 'forged'"), (4, 2)),
        (lambda record: altered(record, 'update chunk set "end" = "end" + 7'), (5, 1)),
    ],
)  # fmt: skip
def test_what_another_record_says_is_checked(clones, damage, expected):
    indexed(clones, RepositoryNames(("fork",)))
    record = clones / "fork" / ".git" / "search" / "index.duckdb"
    damage(record)
    before = record.read_bytes()
    own = session(clones / "origin")
    own.siblings = [record.parent]
    report = index(own, None, rebuild=False, dry_run=False)
    assert (report.files_parsed, report.files_known) == expected
    assert record.read_bytes() == before
    origin = RepoBuilder.adopt(clones / "origin")
    assert answers(origin) == fresh_answers(origin)


# ---------------------------------------------------------------- shown once


def asked(folder, text="compute_delay", **options):
    request = SearchRequest(text, repositories=HERE, **{"max_count": 50, **options})
    return search(session(folder), request)


def places(result):
    own = {(result.repository, result.path)}
    return own | {(copy.repository, copy.path) for copy in result.copies}


def test_identical_code_is_one_result_that_says_where_else_it_stands(clones):
    indexed(clones)
    report = asked(clones)
    keys = [(result.blob, result.start, result.end) for result in report.results]
    assert len(keys) == len(set(keys))
    every = {
        (name, one.path, one.blob, one.start)
        for name in ("behind", "fork", "origin", "user")
        for one in searched(RepoBuilder.adopt(clones / name), "compute_delay").results
    }
    shown = {(*place, one.blob, one.start) for one in report.results for place in places(one)}
    assert every <= shown
    first = next(one for one in report.results if one.path.endswith("README.md"))
    assert places(first) == {
        ("behind", "README.md"),
        ("fork", "README.md"),
        ("origin", "README.md"),
        ("user", "vendor/README.md"),
    }


@pytest.mark.long
def test_pages_are_those_of_the_whole_answer(clones):
    indexed(clones)
    whole = [(one.repository, one.path, one.start) for one in asked(clones, "retry").results]
    pages: list[tuple[str | None, str, int]] = []
    token = None
    while token is not None or not pages:
        page = asked(clones, "retry", max_count=3, page=token)
        assert len(page.results) == 3 or not page.more
        pages += [(one.repository, one.path, one.start) for one in page.results]
        token = page.next
    assert len(pages) == len(set(pages)) == len(whole)


def test_filters_and_edited_files_are_no_copies(clones):
    indexed(clones)
    (clones / "behind" / "README.md").write_text("# Another text\n\ncompute_delay\n")
    report = asked(clones, pathspecs=("README.md",))
    by_name = {one.repository: places(one) for one in report.results}
    assert {("fork", "README.md"), ("origin", "README.md")} in by_name.values()
    assert by_name["behind"] == {("behind", "README.md")}


def test_copies_in_text_and_json(clones, monkeypatch, capsys):
    indexed(clones)
    monkeypatch.chdir(clones)
    assert run(("--in", ".", "--json", "compute_delay", "--", "*.md")) == 0
    (result, *_) = json.loads(capsys.readouterr().out)["results"]
    assert len(result["copies"]) == 3
    assert result["copies"][-1] == {"repository": "user", "path": "vendor/README.md"}
    assert run(("--in", ".", "compute_delay", "--", "*.md")) == 0
    assert "the same" not in capsys.readouterr().out, "a line is a place and nothing else"
    blocks = "".join(search_text.hits(asked(clones), Presentation(form="blocks")))
    assert "  the same in fork:README.md, origin:README.md, user:vendor/README.md\n" in blocks
    monkeypatch.chdir(clones / "origin")
    assert run(("--json", "compute_delay")) == 0
    assert "copies" not in capsys.readouterr().out


@pytest.mark.long
def test_the_report_of_many_indexes(clones, monkeypatch, capsys):
    monkeypatch.chdir(clones)
    assert run(("index", "--in", ".", "--in", "gone", "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["repository"] for one in document["repositories"]] == [
        "behind", "fork", "origin", "user"
    ]  # fmt: skip
    assert [one["folder"] for one in document["unsearched"]] == ["gone"]
    for name in ("behind", "fork", "origin"):
        shutil.rmtree(clones / name / ".git" / "search")
    assert run(("index", "--in", ".")) == 0
    out = capsys.readouterr().out
    assert "parsed 0 files, 6 known to other clones; 20 chunks" in out
    assert run(("index", "--in", ".", "--history")) == 129
