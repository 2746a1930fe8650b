"""Verbs that are asked of many repositories: patterns of code, related code, history, SQL."""

import json
import shutil

import pytest

from gitsearch.cli.application import run
from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.history import history, history_in
from gitsearch.commands.related import RelatedRequest, related, related_in
from gitsearch.commands.search import search
from gitsearch.commands.sql import sql, sql_in
from gitsearch.errors import BadPath, SearchError
from gitsearch.settings import RepositoryNames, SearchRequest
from tests.builder import RepoBuilder
from tests.sample import RETRY
from tests.unit.commands.asked import indexed, session, warm_parsers

HERE = RepositoryNames((".",))
FILES = {
    "shop": {
        "retry_policy.py": RETRY.render("python"),
        "use.py": "import time\n\n\ndef rest():\n    time.sleep(1)\n",
        "tests/test_use.py": "def test_rest():\n    time.sleep(2)\n",
    },
    "site": {"lib/again.py": RETRY.render("python"), "a.py": "time.sleep(3)\ntime.sleep(4)\n"},
    "stats": {"metric.go": "package metric\n\nfunc Sum(a, b int) int { return a + b }\n"},
}


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A folder with three indexed repositories; never to be changed."""
    folder = tmp_path_factory.mktemp("work")
    for name, files in FILES.items():
        indexed(RepoBuilder(folder / name).having(files))
    del isolation
    warm_parsers()
    return folder


@pytest.fixture
def three(template, tmp_path):
    """A copy of it."""
    return shutil.copytree(template, tmp_path / "work", symlinks=True)


# ---------------------------------------------------------------- patterns of code


def matched(folder, names=HERE, **options):
    request = SearchRequest("time.sleep($X)", mode="structural", repositories=names, **options)
    return search(session(folder), request)


def test_patterns_match_in_all_repositories(template):
    report = matched(template)
    assert [(one.rank, one.repository, one.path, one.start) for one in report.results] == [
        (1, "site", "a.py", 1),
        (2, "site", "a.py", 2),
        (3, "shop", "use.py", 5),
        # tests come after code, whichever repository they are of
        (4, "shop", "tests/test_use.py", 2),
    ]
    counts = [tuple(one) for one in report.counts]
    assert counts[:2] == [("a.py", 2, "site"), ("use.py", 1, "shop")]
    # the third has no language in which it is a pattern, and is searched without a match
    assert [one.repository for one in report.repositories or ()] == sorted(FILES)
    assert report.warnings == ()


def test_why_a_pattern_may_match_nothing_is_said_where_nothing_in_all_matches(three):
    RepoBuilder.adopt(three / "shop").having({"data.json": "{}\n"})

    def warnings(pattern):
        request = SearchRequest(pattern, mode="structural", repositories=HERE)
        return search(session(three), request).warnings

    assert "shop: this is no pattern of json (1 file)" in warnings("time.sleep(7)")
    assert not any("no pattern of json" in one for one in warnings("time.sleep(3)"))


def test_pages_of_matches_follow_each_other(template):
    every = matched(template)
    first = matched(template, max_count=3)
    assert first.more
    rest = matched(template, max_count=3, page=first.next)
    assert [*first.results, *rest.results] == list(every.results)
    assert not rest.more


def test_lists_of_editors_have_paths_from_the_current_folder(template, monkeypatch, capsys):
    monkeypatch.chdir(template / "shop")
    assert run(("--in", "..", "--mode", "structural", "--vimgrep", "time.sleep($X)")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "../site/a.py:1:1:time.sleep(3)",
        "../site/a.py:2:1:time.sleep(4)",
        "use.py:5:5:time.sleep(1)",
        "tests/test_use.py:2:5:time.sleep(2)",
    ]
    assert run(("--in", "..", "-F", "--vimgrep", "sleep")) == 0
    assert "../site/a.py:2:6:time.sleep(4)" in capsys.readouterr().out.splitlines()
    assert run(("--in", "..", "--vimgrep", "rest")) == 0
    assert any(line.startswith("use.py:") for line in capsys.readouterr().out.splitlines())


# ---------------------------------------------------------------- related code


def test_related_code_of_other_repositories(template, monkeypatch, capsys):
    request = RelatedRequest("shop/retry_policy.py")
    report = related_in(session(template), HERE, request)
    best = report.results[0]
    assert (best.repository, best.path) == ("site", "lib/again.py")
    assert report.target.path == "retry_policy.py"
    assert [one.repository for one in report.repositories or ()] == sorted(FILES)
    # from within a repository, of a place in a file
    there = session(template / "site" / "lib")
    place = related_in(there, RepositoryNames(("../..",)), RelatedRequest("again.py:12"))
    assert place.results[0].repository == "shop"
    written = RelatedRequest(f"{template}/site/lib/again.py:12")
    assert related_in(there, RepositoryNames(("../..",)), written).results == place.results
    monkeypatch.chdir(template)
    assert run(("related", "--in", ".", "-k1", "shop/retry_policy.py")) == 0
    assert capsys.readouterr().out.startswith("site:lib/again.py:")


def test_the_related_code_of_one_is_that_without_a_name(template):
    alone = related(session(template / "site"), RelatedRequest("a.py"))
    named = related_in(session(template / "site"), HERE, RelatedRequest("a.py"))
    assert [(one.path, one.score) for one in named.results] == [
        (one.path, one.score) for one in alone.results
    ]


def test_a_target_outside_of_all_repositories_is_refused(template):
    with pytest.raises(BadPath, match="in none of the repositories"):
        related_in(session(template), HERE, RelatedRequest("nowhere.py"))


# ---------------------------------------------------------------- history


def test_commits_of_all_repositories(three, monkeypatch, capsys):
    for name, number in (("shop", 7), ("site", 8)):
        built = RepoBuilder.adopt(three / name)
        built.write("limits.py", f"BURST = {number}\n")
        built.commit(f"Raise the burst limit of the throttle in {name}")
    asked = HistoryRequest("raise the burst limit of the throttle", refresh="wait", most=3)
    report = history_in(session(three), HERE, asked)
    found = [(one.rank, one.repository) for one in report.results]
    assert {name for _, name in found[:2]} == {"shop", "site"}
    assert [rank for rank, _ in found] == list(range(1, len(found) + 1))
    assert report.window.commits == sum(
        history(session(three / name), asked).window.commits for name in FILES
    )
    monkeypatch.chdir(three)
    assert run(("history", "--in", ".", "--json", "-k2", "--refresh=wait", "burst limit")) == 0
    document = json.loads(capsys.readouterr().out)
    assert {one["repository"] for one in document["results"]} == {"shop", "site"}
    assert [one["repository"] for one in document["repositories"]] == sorted(FILES)


def test_the_best_commit_of_a_repository_that_has_nothing_does_not_come_first(three):
    built = RepoBuilder.adopt(three / "shop")
    for number in range(3):
        built.write("limits.py", f"BURST = {number}\n")
        built.commit(f"Raise the burst limit of the throttle, step {number}")
    other = RepoBuilder.adopt(three / "site")
    other.write("notes.txt", "limit\n")
    other.commit("Mention a limit")
    asked = HistoryRequest("raise the burst limit of the throttle", refresh="wait", most=4)
    report = history_in(session(three), HERE, asked)
    assert [one.repository for one in report.results[:3]] == ["shop"] * 3
    scores = [one.score for one in report.results]
    assert scores == sorted(scores, reverse=True)


def test_a_commit_that_several_clones_have_is_one_result(three):
    built = RepoBuilder.adopt(three / "shop")
    built.write("limits.py", "BURST = 7\n")
    built.commit("Raise the burst limit of the throttle")
    alone = HistoryRequest("raise the burst limit", refresh="wait", most=1)
    before = history_in(session(three), HERE, alone)
    shutil.copytree(three / "shop", three / "zebra", symlinks=True)
    after = history_in(session(three), HERE, alone._replace(most=50))
    oids = [one.commit for one in after.results]
    assert len(oids) == len(set(oids))
    assert after.results[0].repository == "shop"
    assert after.results[0].score == before.results[0].score


# ---------------------------------------------------------------- SQL


def test_records_of_all_repositories_are_asked_at_once(three, monkeypatch, capsys):
    RepoBuilder(three / "new").having({"a.py": "a = 1\n"})
    query = "select repository, count(*) from blob group by all order by all"
    report = sql_in(session(three), HERE, query)
    alone = [
        (name, *sql(session(three / name), "select count(*) from blob").rows[0])
        for name in sorted(FILES)
    ]
    assert list(report.rows) == alone
    assert report.unsearched[0].reason == "there is no index yet"
    assert report.warnings[0].startswith("not searched: 1 (")
    monkeypatch.chdir(three)
    assert run(("sql", "--in", ".", query)) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"shop\t{alone[0][1]}"


@pytest.mark.parametrize(
    "query",
    ["select * from read_csv('/etc/passwd')", "attach '/tmp/x.db' as x", "drop view chunk; copy"],
)
def test_a_query_over_many_reaches_no_other_file(template, query):
    with pytest.raises(SearchError):
        sql_in(session(template), HERE, query)


def test_a_damaged_record_is_left_out(three):
    record = three / "site" / ".git/search/index.duckdb"
    record.write_bytes(b"no database" * 1000)
    report = sql_in(session(three), HERE, "select distinct repository from blob order by 1")
    assert [row[0] for row in report.rows] == ["shop", "stats"]
    assert [one.folder for one in report.unsearched] == [str(three / "site")]
