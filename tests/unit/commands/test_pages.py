"""Pages of an answer, and answers that fit into a budget of tokens."""

import json
import random
import re
import shutil
from functools import partial

import pytest

from gitsearch.cli.application import run
from gitsearch.commands.budget import fitted
from gitsearch.errors import BadContinuation, SmallBudget
from gitsearch.features.token_count import count
from gitsearch.render import search_answer
from gitsearch.render.presentation import Presentation
from gitsearch.settings import FILES
from tests.builder import RepoBuilder
from tests.unit.commands.asked import indexed, searched

QUERY = "pause before a failed request is sent again"
FORMS = ("json", "jsonl", "lines", "blocks", "files", "counts")


@pytest.fixture(scope="module")
def shared(sample_template, tmp_path_factory):
    """The sample repository with an index; never to be changed."""
    path = tmp_path_factory.mktemp("pages") / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    repo = RepoBuilder.adopt(path, sample_template.clock)
    indexed(repo)
    return repo


def place(result):
    return result.path, result.start, result.end


def pages(repo, query, look=None, **options):
    """The results of each page, up to the last."""
    token, seen = None, []
    while True:
        report = searched(repo, query, page=token, **options)
        if look is not None:
            report = fitted(report, look.budget, lambda page: search_answer.text(page, look))
        seen.append(report.results)
        token = report.next
        if token is None:
            return seen
        assert len(seen) < 200


def test_pages_together_have_each_result_once_and_in_order(shared):
    seen = pages(shared, QUERY, max_count=3)
    places = [place(result) for page in seen for result in page]
    assert len(places) == len(set(places)) > 20
    assert all(len(page) == 3 for page in seen[:-1])
    assert [result.rank for page in seen for result in page] == list(range(1, len(places) + 1))
    assert seen[0] == searched(shared, QUERY, max_count=3).results


def test_the_order_does_not_depend_on_how_many_are_asked_for(repo):
    words = ["retry", "pause", "request", "backoff", "server", "answer", "header", "socket"]
    draw = random.Random(3)
    for number in range(60):
        bodies = [
            f"def {'_'.join(draw.sample(words, 3))}_{i}({draw.choice(words)}):\n"
            f"    # {' '.join(draw.choices(words, k=12))}\n"
            f"    return {' + '.join(draw.choices(words, k=8))}\n\n\n"
            for i in range(8)
        ]
        repo.write(f"src/{draw.choice(words)}_{number}.py", "".join(bodies))
    repo.commit("code")
    indexed(repo)
    counts = 3, 10, 40, 150, 400, 10_000
    for query in (QUERY, "backoff", "where is the socket of a server", "retry_pause"):
        found = [
            [place(one) for one in searched(repo, query, max_count=k).results] for k in counts
        ]
        everything = found.pop()
        assert len(everything) > 400
        assert len(set(everything)) == len(everything)
        assert [len(own) for own in found] == list(counts[:-1])
        assert all(own == everything[: len(own)] for own in found)
        scores = [one.score for one in searched(repo, query, max_count=400).results]
        assert scores == sorted(scores, reverse=True)


def test_the_last_page_has_no_next_one(shared):
    report = searched(shared, "RetryPolicy", max_count=1000)
    assert report.results
    assert (report.next, report.more) == (None, False)


def test_pages_of_a_budget_leave_nothing_out_for_good(shared):
    ranks, token, budgets = [], None, [150]
    for _ in range(30):
        report = searched(shared, QUERY, page=token, budget=budgets[-1])
        look = Presentation(form="blocks", budget=budgets[-1])
        try:
            page = fitted(report, budgets[-1], partial(search_answer.text, look=look))
        except SmallBudget as error:
            # all that is left of the page is too large
            budgets.append(enough(error))
            continue
        ranks += [result.rank for result in page.results]
        token = page.next
    assert len(budgets) > 1
    assert len(ranks) == len(set(ranks))
    left = [int(rank) for rank in str(token).split("-")[2:]]
    assert sorted(ranks + left) == list(range(1, max(ranks) + 1))


def enough(error):
    return int(re.findall(r"\d+", error.hint)[0])


@pytest.mark.parametrize("form", FORMS)
def test_a_budget_without_room_for_a_result_is_refused_with_one_that_has_it(shared, form):
    report = searched(shared, QUERY, max_count=30)
    look = Presentation(form="jsonl", budget=480)
    token = fitted(report, 480, lambda page: search_answer.text(page, look)).next
    second = searched(shared, QUERY, max_count=30, page=token)
    for answer in (report, second, report._replace(results=(), more=False)):
        results = answer.results
        refused = False
        for budget in range(64, 720, 80):
            look = Presentation(form=form, budget=budget)
            try:
                page = fitted(answer, budget, partial(search_answer.text, look=look))
            except SmallBudget as error:
                refused = True
                larger = enough(error)
                assert larger > budget
                look = Presentation(form=form, budget=larger)
                page = fitted(answer, larger, partial(search_answer.text, look=look))
            assert bool(page.results) == bool(results)
        assert refused or form not in {"json", "blocks"} or not results


@pytest.mark.parametrize(
    ("changed", "query"),
    [({}, "another question"), ({"mode": "lexical"}, QUERY), ({"tests": "only"}, QUERY)],
)
def test_a_token_of_another_question_is_refused(shared, changed, query):
    token = searched(shared, QUERY, max_count=3).next
    assert token
    with pytest.raises(BadContinuation, match="belongs to an answer to another question"):
        searched(shared, query, page=token, **changed)


def test_a_token_of_another_tree_is_refused(sample):
    indexed(sample)
    token = searched(sample, QUERY, max_count=3).next
    sample.write("service/new.py", "def again():\n    return 1\n")
    assert searched(sample, QUERY, page=token, max_count=3).results, "it is not tracked yet"
    sample.git("add", "service/new.py")
    with pytest.raises(BadContinuation):
        searched(sample, QUERY, page=token)
    sample.git("rm", "-q", "--cached", "service/new.py")
    assert searched(sample, QUERY, page=token).results
    with pytest.raises(BadContinuation):
        searched(sample, QUERY, page=token, at="HEAD~1")


@pytest.mark.parametrize(
    "token",
    ["", "x", "0123456789", "0123456789-0", "0123456789-1-0", "g123456789-1", "1-" * 9999],
)
def test_what_is_no_token_is_refused(shared, token):
    with pytest.raises(BadContinuation, match="no token"):
        searched(shared, QUERY, page=token)


def test_the_size_of_pages_may_change_on_the_way(shared):
    first = searched(shared, QUERY, max_count=2)
    second = searched(shared, QUERY, max_count=5, page=first.next)
    third = searched(shared, QUERY, max_count=1, page=second.next)
    ranks = [result.rank for report in (first, second, third) for result in report.results]
    assert ranks == list(range(1, 9))


@pytest.mark.parametrize("form", FORMS)
def test_a_budget_is_never_exceeded(shared, form):
    draw = random.Random(form)
    report = searched(shared, QUERY, max_count=60)
    whole = count(search_answer.text(report, Presentation(form=form)))
    refused = full = 0
    for _ in range(40):
        budget = draw.randrange(64, whole + 64)
        look = Presentation(form=form, budget=budget, explain=draw.random() < 0.3)
        answer = report._replace(results=report.results[: draw.randrange(1, 60)])
        try:
            page = fitted(answer, budget, partial(search_answer.text, look=look))
        except SmallBudget:
            refused += 1
            continue
        used = count(search_answer.text(page, look))
        assert used <= budget
        assert page.left_out == len(answer.results) - len(page.results)
        full += page.left_out == 0 or used > 0.85 * budget
    assert refused < 40
    # where results are large against the budget, less of it may be used
    assert full > (40 - refused) / 2


def test_a_budget_and_what_it_left_out_are_in_the_json(shared):
    look = Presentation(form="json", budget=600)
    report = searched(shared, QUERY, budget=600)
    page = fitted(report, 600, lambda page: search_answer.text(page, look))
    document = json.loads("".join(search_answer.pieces(page, look)))
    assert document["budget"] == {"tokens": 600, "left_out": page.left_out}
    assert page.left_out > 0
    assert document["next"] == page.next
    ranks = [result["rank"] for result in document["results"]]
    assert ranks == sorted(ranks)


def test_pages_of_files_have_each_file_once(shared):
    token, paths, results = None, [], set()
    while True:
        report = searched(shared, QUERY, max_count=4, page=token, shown=FILES)
        paths += [file.path for file in report.counts]
        results |= {result.path for result in report.results}
        token = report.next
        if token is None:
            break
    assert len(paths) == len(set(paths)) > 4
    assert set(paths) == results


def test_a_page_without_a_new_file_is_not_the_end(repo, monkeypatch, capsysbinary):
    functions = [
        f"def pause_{n}(request):\n    return request.pause({n})\n\n\n" for n in range(60)
    ]
    repo.write("one.py", "".join(functions))
    repo.write("two.py", functions[0])
    repo.commit("code")
    indexed(repo)
    monkeypatch.chdir(repo.path)
    paths: list[list[dict[str, object]]] = []
    more: list[str] = []
    while True:
        code = run(("--json", "-l", "-k", "2", *more, "pause request"))
        document = json.loads(capsysbinary.readouterr().out)
        paths.append(document["files"])
        if document["next"] is None:
            break
        assert code == 0
        more = ["--continue", document["next"]]
    assert [] in paths[:-1]
