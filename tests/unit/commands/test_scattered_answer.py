"""Shards answer together as one process does over all of their repositories."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gitsearch.commands.scattered_answer import scattered_search
from gitsearch.commands.search import search
from gitsearch.commands.shards import Stale
from gitsearch.errors import BadLanguage, BadPath, NoCluster, SearchError, UsageError
from gitsearch.reports.search import UnsearchedRepository
from gitsearch.settings import RepositoryNames, SearchRequest
from tests.builder import RepoBuilder
from tests.sample import CACHE, METRIC, RETRY, SESSION
from tests.unit.commands.asked import indexed, indexed_each, session
from tests.unit.commands.shards import Failing, InProcess, Restarting
from tests.unit.features.models import write_model

SAID = "# Conduct\n\n" + "Be kind to others who wait for a review.\n" * 30

RETRIES = RETRY.render("python")
FILES = {
    "shop": {"retry_policy.py": RETRIES, "README.md": "# Shop\n\nIt sells.\n"},
    "site": {"web/login-session.ts": SESSION.render("typescript")},
    "stats": {"internal/metric.go": METRIC.render("go"), "cache.rb": CACHE.render("ruby")},
    # a fork that went on, and a copy in another place
    "shop-fork": {"retry_policy.py": RETRIES, "README.md": "# Shop\n\nIt buys.\n"},
    # the same words at the same path, but not at the same place
    **{
        f"notes-{number}": {"NOTES.md": f"# {'Note ' * (9 - number)}\n\n{SAID}"}
        for number in range(8)
    },
    "vendor": {"third/retry_policy.py": RETRIES, "tests/test_max.py": "def test_max(): ...\n"},
}

TEXTS = (
    "pause before a failed request is sent again",
    "RetryPolicy",
    "compute_delay",
    "compute_dleay",
    "retires of the policcy",
    "session login tests",
    "how is the metric counted",
    "how do i install the shop",
    "max",
    "xyzzy qwrtp",
    "kind conduct of others in a review",
    "who uses the retry policy",
    "where is GetConuter called",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {"pathspecs": ("*.go", "third"), "at": "HEAD"},
    {"mode": "lexical"},
    {"mode": "semantic"},
    {"mode": "symbol"},
    {"grep": "def "},
    {"rerank": False, "alpha": 0.2},
    {"languages": ("python",)},
    {"tests": "exclude"},
    {"tests": "only"},
    {"content": "docs"},
    {"max_count": 2},
    {"context": (2, 2), "max_lines": 3},
    {"whole": True},
)


@pytest.fixture(scope="module")
def folder(isolation, tmp_path_factory):
    """A folder with repositories and their indexes; never to be changed."""
    del isolation
    return indexed_each(tmp_path_factory.mktemp("work"), FILES)


def asked(text, **options):
    names = RepositoryNames((".",))
    return SearchRequest(text, repositories=names, **{"explain": True, **options})


def of_one(folder, request):
    return search(session(folder), request)


def of_shards(folder, shards, request, left_out=()):
    asking = session(folder)
    asking.elsewhere = lambda own, wanted: scattered_search(shards, left_out, own, wanted)
    return search(asking, request)


@pytest.mark.parametrize(
    "count",
    [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(4, marks=pytest.mark.long)],
)
@pytest.mark.parametrize(
    "options",
    [{}, *(pytest.param(one, marks=pytest.mark.long) for one in OPTIONS)],
    ids=str,
)
def test_every_answer_is_that_of_one_process(folder, count, options):
    shards = InProcess(folder, count)
    found = 0
    for text in TEXTS:
        request = asked(text, **options)
        alone = of_one(folder, request)
        assert of_shards(folder, shards, request) == alone
        found += len(alone.results)
    assert found > 1


def test_the_second_page_follows_the_first(folder):
    shards = InProcess(folder, 2)
    request = asked("retry", max_count=2)
    first = of_shards(folder, shards, request)
    assert first.more
    request = replace(request, page=first.next)
    assert of_shards(folder, shards, request) == of_one(folder, request)


@pytest.mark.long
def test_a_shard_that_has_just_started_answers_in_the_middle_of_a_question(folder):
    shards = InProcess(folder, 2)
    request = asked("compute the delay before a retry")
    alone = of_one(folder, request)
    assert of_shards(folder, shards, request) == alone
    rounds = shards.calls
    assert rounds > 4
    for lost in range(1, rounds):
        restarted = Restarting(InProcess(folder, 2), lost)
        assert of_shards(folder, restarted, request) == alone


@pytest.mark.parametrize("when", [1, 4])
def test_a_shard_that_is_lost_is_a_line_and_the_others_answer(folder, when):
    shards = InProcess(folder, 2)
    report = of_shards(folder, Failing(shards, 1, when), asked("retry"))
    assert report.unsearched == (UnsearchedRepository("shard 1", "its worker is lost"),)
    assert report.warnings[0] == "not searched: 1 ('shard 1': its worker is lost)"
    assert {one.repository for one in report.results} <= set(shards.names[0].values())
    assert report.results


def test_if_no_shard_answers_it_is_an_error(folder):
    with pytest.raises(SearchError, match="its worker is lost"):
        of_shards(folder, Failing(InProcess(folder, 1), 0, 1), asked("retry"))


@pytest.mark.parametrize("restarts", [False, pytest.param(True, marks=pytest.mark.long)])
def test_an_answer_is_of_one_state_of_each_repository(folder, tmp_path, restarts):
    own = shutil.copytree(folder, tmp_path / "work", symlinks=True)
    shop = RepoBuilder.adopt(own / "shop")

    class Updating(Restarting):
        def call(self, calls):
            if self._shards.calls == self._before:
                shop.append("README.md", "And it waits before a retry.\n")
                shop.commit("more")
                indexed(shop, at="HEAD")
                if restarts:
                    self._shards.restart()
            return self._shards.call(calls)

    request = asked("waits before a retry", at="HEAD")
    before = of_one(own, request)
    report = of_shards(own, Updating(InProcess(own, 2), 3), request)
    assert report == (of_one(own, request) if restarts else before)


def test_one_that_never_stays_as_it_was_is_an_error(folder):
    class Forgetful(Restarting):
        def call(self, calls):
            if calls[0][1] == "ask":
                return [Stale("updated") for _ in calls]
            return self._shards.call(calls)

    with pytest.raises(NoCluster, match="updated"):
        of_shards(folder, Forgetful(InProcess(folder, 2), 0), asked("retry"))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"languages": ("klingon",)}, BadLanguage),
        ({"pathspecs": ("nowhere/*",)}, BadPath),
        ({"cached": True}, UsageError),
        ({"page": "0123456789-10-10"}, SearchError),
    ],
)
def test_what_one_process_refuses_is_refused(folder, options, error):
    with pytest.raises(error):
        of_shards(folder, InProcess(folder, 2), asked("retry", **options))


def test_a_damaged_index_is_told_and_the_rest_answers(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "work", symlinks=True)
    for view in RepoBuilder.adopt(own / "site").index_dir.glob("views/*.view"):
        view.write_bytes(b"\0" * 64)
    report = of_shards(own, InProcess(own, 2), asked("retry login session"))
    assert report.results
    assert any(line.startswith("site: ") for line in report.warnings) or report.coverage.pending


def test_trees_with_vectors_of_another_model_are_left_out_wherever_they_are(tmp_path):
    model = write_model(tmp_path / "model", ["retry", "delay"])
    made = tmp_path / "work"
    # the second of these is the first of the second shard
    for name, other in (("a", False), ("b", True), ("c", False), ("d", False)):
        built = RepoBuilder(made / name).having({"retry_policy.py": f"{RETRIES}\n# {name}\n"})
        if other:
            built.git("config", "search.model", str(model))
        indexed(built)
    shards = InProcess(made, 2)
    request = asked("compute the delay", max_count=5)
    answer = of_shards(made, shards, request)
    assert answer == of_one(made, request)
    assert [one.repository for one in answer.repositories] == ["a", "c", "d"]
    assert [one.reason for one in answer.unsearched] == [
        "its index has vectors of another model than that of 'a'"
    ]


@pytest.mark.long
def test_a_folder_that_is_no_repository_is_told(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "work", symlinks=True)
    shards = InProcess(own, 2)
    shutil.rmtree(own / "stats" / ".git")
    left_out = [UnsearchedRepository("https://example.org/gone", "it is not indexed yet")]
    report = of_shards(own, shards, asked("retry"), left_out)
    assert [Path(one.folder).name for one in report.unsearched] == ["stats", "gone"]
    assert report.results
