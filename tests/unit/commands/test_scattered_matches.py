"""Exact text and patterns of code in shards: the bytes that one process prints over all."""

import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gitsearch.cli.application import run
from gitsearch.commands import scattered_matches, shard_matches
from gitsearch.commands.scattered_answer import scattered_search
from gitsearch.commands.search import search
from gitsearch.errors import (
    BadContinuation,
    BadLanguage,
    BadPath,
    BadPattern,
    NoCluster,
    SearchError,
    UsageError,
)
from gitsearch.git import line_grep
from gitsearch.index.session import Session
from gitsearch.reports.search import UnsearchedRepository
from gitsearch.settings import ANY, COUNTS, EXTENDED, RepositoryNames, SearchRequest
from tests.builder import RepoBuilder
from tests.sample import CACHE, METRIC, RETRY, SESSION
from tests.unit.commands.asked import indexed, indexed_each, session
from tests.unit.commands.shards import Failing, InProcess, Restarting

MANY = "".join(f"def step_{number}(x):\n    return x + {number}\n\n\n" for number in range(40))

FILES = {
    "alpha": {"retry_policy.py": RETRY.render("python"), "steps.py": MANY},
    "beta": {"web/login-session.ts": SESSION.render("typescript"), "tests/use.py": MANY[:400]},
    "delta": {"internal/metric.go": METRIC.render("go"), "cache.rb": CACHE.render("ruby")},
    # the lines of another one, so that scores and paths are the same
    "gamma": {"retry_policy.py": RETRY.render("python"), "NOTES.md": "# Notes\n\nReturn it.\n"},
    "zeta": {"odd \tname.py": "Max = 'max of MAX'\nmaximum = 1\n", "empty.txt": ""},
}

QUESTIONS = (
    ["-F", "return"],
    ["-F", "compute_delay"],
    ["-E", "def [a-z_0-9]+\\("],
    ["-E", "-i", "^(return|def) "],
    ["-F", "-v", "return"],
    ["-E", "-o", "ret|urn"],
    ["-P", "(?<=def )\\w+(?=\\()"],
    ["-F", "-w", "max"],
    ["-F", "-w", "-i", "max"],
    ["-F", "no such text"],
    ["'def compute_delay'"],
    ["-F", "-k3", "return"],
    ["-F", "--sort", "path", "return"],
    ["-F", "--sort", "path", "-k4", "return"],
    ["-F", "-t", "python,go", "return"],
    ["-F", "--tests", "exclude", "return"],
    ["-F", "--content", "docs", "-i", "return"],
    ["-F", "--grep", "delay", "return"],
    ["-F", "return", "--", "*.py", ":(exclude)tests"],
    ["-F", "return", "--", "nowhere/*"],
    ["-F", "-k3", "return", "--", "nowhere/*"],
    ["-F", "-k3", "return", "--", "*.go"],
    ["-F", "--at", "HEAD", "return"],
    ["-F", "--budget", "300", "return"],
    ["-E", "(("],
    ["-F", "-q", "return"],
    ["-F", "-c", "return"],
    ["-F", "-l", "return"],
    ["-F", "-l", "-z", "return"],
    ["-F", "-z", "return"],
    ["-F", "-C1", "-k5", "return"],
    ["-F", "-W", "compute_delay"],
    ["-F", "--max-lines", "0", "return"],
    ["-F", "--explain", "-k5", "return"],
    ["-F", "--vimgrep", "return"],
    ["--mode", "structural", "return $X"],
    ["--mode", "structural", "-k3", "return $X"],
    ["--mode", "structural", "-c", "return $X"],
    ["--mode", "structural", "--vimgrep", "$F($$$A)"],
    ["--mode", "structural", "-t", "go", "return $X"],
    ["--mode", "structural", "foo("],
    ["--mode", "structural", "def $F($$$A) -> $T: $$$B"],
    ["$F($$$A)"],
)
# Of exact text, and of a pattern.
QUESTIONS_OF_RETURNS = (
    ["-F", "return"],
    pytest.param(["--mode", "structural", "return $X"], marks=pytest.mark.long),
)

FORMS: tuple[list[str], ...] = ([], ["--json"], ["--jsonl"])


@pytest.fixture(scope="module")
def folder(isolation, tmp_path_factory):
    """A folder with repositories and their indexes; never to be changed."""
    del isolation
    return indexed_each(tmp_path_factory.mktemp("work"), FILES)


@pytest.fixture
def own(folder, tmp_path):
    """A copy of it."""
    return shutil.copytree(folder, tmp_path / "work", symlinks=True)


def opener(shards, left_out=()):
    """A function that opens sessions whose searches shards answer."""

    def opened(cwd, progress):
        asking = Session(cwd, progress)
        asking.elsewhere = lambda own, wanted: scattered_search(shards, left_out, own, wanted)
        return asking

    return opened


@pytest.fixture
def printed(capfdbinary, monkeypatch, tmp_path):
    """A function that runs the program: its exit code, and the bytes that it prints."""
    monkeypatch.chdir(tmp_path)

    def answer(folder, words, shards=None):
        code = run(["--in", str(folder), *words], shards and opener(shards))
        return code, *capfdbinary.readouterr()

    return answer


def request(text, **options):
    return SearchRequest(
        text, **{"mode": "literal", "repositories": RepositoryNames((".",)), **options}
    )


def of_one(folder, wanted):
    return whole(search(session(folder), wanted))


def of_shards(folder, shards, wanted, left_out=()):
    return whole(search(opener(shards, left_out)(folder, None), wanted))


def whole(report):
    """A report with its results, which are made as they are asked for, and without its spans."""
    return report._replace(results=list(report.results), spans=None)


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("form", FORMS)
def test_all_that_is_printed_is_what_one_process_prints(folder, printed, count, form):
    shards = InProcess(folder, count)
    codes = set()
    for question in QUESTIONS:
        words = [*form, *question]
        alone = printed(folder, words)
        assert printed(folder, words, shards) == alone, words
        codes.add(alone[0])
    assert codes == {0, 1, 128, 129}


@pytest.mark.parametrize("question", QUESTIONS_OF_RETURNS)
def test_pages_follow_each_other(folder, question):
    shards, mode = InProcess(folder, 2), "structural" if "--mode" in question else "literal"
    wanted, seen = request(question[-1], mode=mode, max_count=7), []
    for _ in range(3):
        report = of_shards(folder, shards, wanted)
        assert report == of_one(folder, wanted)
        seen += report.results
        wanted = request(question[-1], mode=mode, max_count=7, page=report.next)
    assert [one.rank for one in seen] == list(range(1, 22))


@pytest.mark.parametrize("mode", ["literal", pytest.param("structural", marks=pytest.mark.long)])
def test_a_page_has_matches_where_it_is_only_asked_if_there_are_any(folder, mode):
    text = "return $X" if mode == "structural" else "return"
    shards, wanted = InProcess(folder, 2), request(text, mode=mode, max_count=3)
    last = of_one(folder, replace(wanted, max_count=1000)).results[-1].rank
    digest = str(of_one(folder, wanted).next).split("-")[0]
    for before, found in ((1, True), (3, True), (last - 1, True), (last, False)):
        following = replace(wanted, page=f"{digest}-{before}", shown=ANY)
        assert bool(of_one(folder, following).counts) == found
        assert bool(of_shards(folder, shards, following).counts) == found


@pytest.mark.parametrize("together", [1, 3])
def test_results_are_fetched_a_few_at_a_time(folder, printed, monkeypatch, together):
    monkeypatch.setattr(scattered_matches, "_TOGETHER", together)
    for question in (["-F", "return"], ["-F", "-k9", "return"], ["-F", "--vimgrep", "return"]):
        assert printed(folder, question, InProcess(folder, 2)) == printed(folder, question)


def test_what_matches_in_lines_is_told_of_each_result(folder):
    wanted = request("[r]eturn", syntax=EXTENDED, highlighted=True, max_count=30)
    alone = search(session(folder), wanted)
    report = search(opener(InProcess(folder, 2))(folder, None), wanted)
    for one in report.results:
        for line in range(one.start, one.end + 1):
            spans = [list(own(one.full_path, line)) for own in (report.spans, alone.spans) if own]
            assert spans[0]
            assert spans[0] == spans[1]


def test_repositories_that_take_long_are_asked_in_several_rounds(folder, printed, monkeypatch):
    monkeypatch.setattr(shard_matches, "_SECONDS", -1.0)
    for question in (["-F", "return"], ["-F", "-k3", "return"], ["-E", "(("]):
        shards = InProcess(folder, 2)
        assert printed(folder, question, shards) == printed(folder, question)
        assert "((" in question or shards.calls >= 3


class Measured(InProcess):
    """Shards that remember what was sent by them."""

    def __init__(self, folder, count):
        super().__init__(folder, count)
        self.results = 0
        self.rows = []
        self.sent = 0

    def call(self, calls):
        answers = super().call(calls)
        self.sent += sum(len(pickle.dumps(answer)) for answer in answers)
        for call, answer in zip(calls, answers, strict=True):
            if call[1] == "made":
                self.results += sum(map(len, answer.results))
            else:
                self.rows.append(sum(len(one.matches.place) for one in answer.matched))
        return answers


@pytest.mark.long
def test_no_more_is_sent_than_a_limit_shows(tmp_path):
    made, lines = tmp_path / "work", 100_000
    for name in "ab":
        text = "".join(f"a needle {number}\n\n" for number in range(lines // 2))
        indexed(RepoBuilder(made / name).having({"many.txt": text}))
    shards = Measured(made, 2)
    report = of_shards(made, shards, request("needle", max_count=50))
    assert (len(report.results), report.more) == (50, True)
    assert shards.results == 50
    assert shards.rows == [51, 51]
    assert shards.sent < 100_000
    # all of them: places and scores, and results when they are looked at
    shards = Measured(made, 2)
    asking = opener(shards)(made, None)
    report = search(asking, request("needle", shown=COUNTS))
    assert sum(one.results for one in report.counts) == lines
    assert shards.results == 0
    assert shards.sent < 30 * lines
    report = search(asking, request("needle"))
    assert len(report.results) == lines
    assert shards.results <= 1000
    assert report.results[lines // 2].repository == "b"
    assert shards.results <= 2000


@pytest.mark.long
def test_a_shard_that_has_just_started_answers_in_the_middle_of_a_question(folder, monkeypatch):
    monkeypatch.setattr(scattered_matches, "_TOGETHER", 20)
    monkeypatch.setattr(shard_matches, "_SECONDS", -1.0)
    for wanted in (request("return"), request("return $X", mode="structural", max_count=30)):
        shards = InProcess(folder, 2)
        alone = of_one(folder, wanted)
        assert of_shards(folder, shards, wanted) == alone
        assert shards.calls > 4
        for lost in range(1, shards.calls):
            assert of_shards(folder, Restarting(InProcess(folder, 2), lost), wanted) == alone


@pytest.mark.parametrize("when", [1, 2])
def test_a_shard_that_is_lost_is_a_line_and_the_others_answer(folder, when):
    shards = InProcess(folder, 2)
    wanted = request("return", max_count=200)
    report = of_shards(folder, Failing(shards, 1, when), wanted)
    assert report.unsearched == (UnsearchedRepository("shard 1", "its worker is lost"),)
    assert report.warnings[0] == "not searched: 1 ('shard 1': its worker is lost)"
    assert {one.repository for one in report.results} <= set(shards.names[0].values())
    assert len(report.results) > 1
    with pytest.raises(SearchError, match="its worker is lost"):
        of_shards(folder, Failing(InProcess(folder, 1), 0, when), wanted)


@pytest.mark.parametrize("before", [1, 2])
def test_an_answer_is_of_one_state_of_each_repository(own, before):
    alpha = RepoBuilder.adopt(own / "alpha")

    class Updating(Restarting):
        def call(self, calls):
            if self._shards.calls == self._before:
                alpha.append("steps.py", "    return 'new'\n")
                alpha.commit("more")
                indexed(alpha, at="HEAD")
            return super().call(calls)

    wanted = request("return", at="HEAD", max_count=100)
    report = of_shards(own, Updating(InProcess(own, 2), before), wanted)
    assert report == of_one(own, wanted)


def test_an_index_that_is_made_meanwhile_changes_no_places(own):
    for name in ("alpha", "beta"):
        shutil.rmtree(own / name / ".git" / "search")

    class Indexing(Restarting):
        def call(self, calls):
            if self._shards.calls == self._before:
                for name in ("alpha", "beta"):
                    indexed(RepoBuilder.adopt(own / name))
            return super().call(calls)

    wanted = request("return", max_count=100, refresh="off")
    before = of_one(own, wanted)
    report = of_shards(own, Indexing(InProcess(own, 2), 1), wanted)
    assert before.results != report.results
    assert report == of_one(own, wanted)


def test_one_that_is_updated_while_results_are_looked_at_is_an_error(own, monkeypatch):
    monkeypatch.setattr(scattered_matches, "_TOGETHER", 5)
    shards = InProcess(own, 2)
    report = search(opener(shards)(own, None), request("return", at="HEAD"))
    first = report.results[0]
    alpha = RepoBuilder.adopt(own / "alpha")
    alpha.append("steps.py", "    return 'new'\n")
    alpha.commit("more")
    shards.restart()
    assert report.results[0] == first
    with pytest.raises(NoCluster, match="updated"):
        list(report.results)


def test_the_same_question_again_is_about_the_trees_of_now(own):
    shards, wanted = InProcess(own, 2), request("return", at="HEAD")
    before = of_shards(own, shards, wanted)
    alpha = RepoBuilder.adopt(own / "alpha")
    alpha.append("steps.py", "    return 'new'\n")
    alpha.commit("more")
    after = of_shards(own, shards, wanted)
    assert after == of_one(own, wanted) != before


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"languages": ("klingon",)}, BadLanguage),
        ({"pathspecs": ("nowhere/*",)}, BadPath),
        ({"cached": True}, UsageError),
        ({"untracked": True}, UsageError),
        ({"page": "0123456789-10-10", "max_count": 3}, BadContinuation),
        ({"page": "no token", "max_count": 3}, BadContinuation),
        ({"page": "no token", "text": "((", "syntax": EXTENDED}, BadContinuation),
        ({"page": "0123456789-10-10", "text": "((", "syntax": EXTENDED}, UsageError),
        ({"page": "no token", "pathspecs": ("nowhere/*",)}, BadContinuation),
        ({"mode": "structural", "languages": ("python",), "text": "foo("}, BadPattern),
    ],
)
def test_what_one_process_refuses_is_refused(folder, options, error):
    wanted = request(**{"text": "return", **options})
    with pytest.raises(error) as refused:
        of_shards(folder, InProcess(folder, 2), wanted)
    if not (wanted.cached or wanted.untracked):
        with pytest.raises(error) as alone:
            of_one(folder, wanted)
        assert (refused.value.message, refused.value.hint) == (
            alone.value.message,
            alone.value.hint,
        )


@pytest.mark.long
def test_an_expression_that_takes_for_ever_is_ended_in_each_repository(
    folder, printed, monkeypatch
):
    monkeypatch.setattr(line_grep, "SECONDS", 1)
    for name in ("a", "b"):
        shutil.copytree(folder / "zeta", Path.cwd() / "hostile" / name)
        repo = RepoBuilder.adopt(Path.cwd() / "hostile" / name)
        repo.having({"long.txt": "ab" * 5000 + "\n"})
    hostile = Path.cwd() / "hostile"
    words = ["-E", "(a*b*)*(b*a*)*\\1\\2!"]
    code, out, said = printed(hostile, words, InProcess(hostile, 2))
    assert (code, out) == (128, b"")
    assert b"took more than 1 seconds" in said
    assert printed(hostile, words) == (code, out, said)


@pytest.mark.parametrize("question", QUESTIONS_OF_RETURNS)
def test_repositories_that_cannot_be_searched_are_told_as_by_one_process(own, printed, question):
    # in the order of shards, gamma would come before beta and delta before the others
    for name in ("beta", "gamma", "delta"):
        shutil.rmtree(own / name / ".git" / "objects")
        (own / name / ".git" / "objects").mkdir()
        shutil.rmtree(own / name / ".git" / "search")
    for words in (question, ["--json", *question], ["retry"]):
        shards = InProcess(own, 3)
        found = printed(own, words, shards)
        assert b"not searched: 3" in found[1] + found[2]
        assert found == printed(own, words)
    for view in (own / "alpha").glob(".git/search/views/*.view"):
        view.write_bytes(b"\0" * 64)
    words = ["--refresh", "off", *question]
    assert printed(own, words, InProcess(own, 3)) == printed(own, words)


def test_one_without_an_index_is_searched_all_the_same(own, printed):
    for name in ("alpha", "delta"):
        shutil.rmtree(own / name / ".git" / "search")
    for question in (["-F", "--json", "return"], ["--mode", "structural", "return $X"]):
        found = printed(own, ["--refresh", "off", *question], InProcess(own, 2))
        assert found == printed(own, ["--refresh", "off", *question])
        assert found[0] == 0
