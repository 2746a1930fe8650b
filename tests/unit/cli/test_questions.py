"""Many questions to one process: each is answered as by a process of its own."""

import json
import os
import re
import signal

import pytest

from gitsearch.cli.application import run
from gitsearch.cli.questions import Questions
from gitsearch.cli.verb_names import NO_QUESTIONS, VERBS
from gitsearch.serving.tools import TOOLS
from tests.comparing import EDITED, build_small, copied, edit
from tests.e2e.test_freshness import HAPPENINGS, RARER, UNSEEN
from tests.unit.commands.asked import Listener

ASKED = (
    ("-k", "20", "--explain", "-e", "pause before a failed request is sent again"),
    ("--at", "HEAD~1", "-k2", "delay"),
    ("def", "compute_delay"),
    ("exists", "compute_delay", "no_such_word"),
)
USUAL = ("reset --hard", "save in place", "an orphan branch")
OTHERS = (("refs", "compute_delay"), ("outline", EDITED), ("impact", EDITED), ("dup",))


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A small repository with the index of its main branch."""
    repo = build_small(tmp_path_factory.mktemp("small") / "small")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path)
        assert Questions(run).answer(["--refresh=wait", "delay"]).code == 0
    return repo


@pytest.fixture
def small(template, monkeypatch):
    repo = copied(template)
    monkeypatch.chdir(repo.path)
    return repo


def answers(questions, asked=ASKED):
    return [questions.answer(words) for words in asked]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in USUAL else pytest.mark.long)
        for name in (*HAPPENINGS, *RARER)
    ],
)
def test_whatever_happened_the_next_answer_is_that_of_a_new_process(small, name):
    questions = Questions(run)
    before = answers(questions)
    {**HAPPENINGS, **RARER}[name](small, lambda: answers(questions))
    found = answers(questions)
    assert found == answers(Questions(run))
    assert (found == before) == (name in UNSEEN)


def test_a_commit_is_seen_by_each_verb(small):
    questions = Questions(run)
    before = answers(questions, OTHERS)
    edit(small)
    edited = answers(questions, OTHERS)
    small.commit()
    found = answers(questions, OTHERS)
    assert found == answers(Questions(run), OTHERS)
    assert all(one not in (*before, *edited) for one in found)


def elsewhere(repo):
    repo.git("worktree", "add", "-q", "-f", str(repo.path.parent / "other"), "side")
    os.chdir(repo.path.parent / "other")


def deeper(repo):
    repo.git("init", "-q", "part")
    os.chdir(repo.file("part"))


CHANGES = {
    "a setting": lambda repo: repo.git("config", "search.maxCount", "1"),
    "an upstream": lambda repo: repo.git("branch", "-q", "--set-upstream-to=side"),
    "attributes": lambda repo: repo.write(".gitattributes", "*.md -search\n"),
    "the current folder": elsewhere,
    "a repository in the place of another": lambda repo: (
        repo.file(".git").rename(repo.path.parent / "old"),
        repo.git("init", "-q", "-b", "main"),
        repo.commit("all in one"),
    ),
    "a repository on the way to another": deeper,
    "no index": lambda repo: repo.index_dir.rename(repo.path / "old"),
    "a damaged view": lambda repo: [
        file.write_bytes(file.read_bytes()[:-64] + bytes(64))
        for file in repo.index_dir.glob("views/*.view")
    ],
    "packed objects and references": lambda repo: repo.git("gc", "-q", "--prune=now"),
    "no HEAD": lambda repo: repo.git("checkout", "-q", "--orphan", "new"),
}


# The other half is left to the long tests.
OFTEN = ("a setting", "an upstream", "a repository in the place of another", "a damaged view")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in OFTEN else pytest.mark.long) for name in CHANGES],
)
def test_no_change_beside_the_files_is_missed(small, name):
    small.git("branch", "-q", "--set-upstream-to=main", "side")
    asked = [*ASKED[:2], ("--at", "@{upstream}", "delay")]
    questions = Questions(run)
    for words in asked:
        questions.answer(words)
    CHANGES[name](small)
    found = [questions.answer(words) for words in asked]
    assert found == [Questions(run).answer(words) for words in asked]


def test_without_a_repository_each_question_says_so(small, tmp_path, monkeypatch):
    questions = Questions(run)
    assert questions.answer(["delay"]).code == 0
    monkeypatch.chdir(tmp_path)
    refused = questions.answer(["delay"])
    assert refused.refused
    assert "not-a-repository" in refused.text
    monkeypatch.chdir(small.path)
    assert questions.answer(["delay"]).code == 0


def test_a_confined_process_answers_about_one_repository(small, repo, monkeypatch):
    questions = Questions(run, confined=True)
    assert questions.answer(["delay"]).code == 0
    repo.having({"a.py": "def delay(): pass\n"})
    monkeypatch.chdir(repo.path)
    assert "another repository" in questions.answer(["delay"]).text


def test_a_confined_process_says_that_its_repository_was_moved(repo, tmp_path, monkeypatch):
    repo.having({"a.py": "def delay(): pass\n"})
    monkeypatch.chdir(repo.path)
    questions = Questions(run, confined=True)
    assert questions.answer(["delay"]).code == 0
    folder = repo.git_dir
    repo.path.rename(tmp_path / "elsewhere")
    said = questions.answer(["delay"]).text
    assert f"'{folder}', of which this server answers, was moved or deleted" in said


@pytest.mark.parametrize("verb", sorted(NO_QUESTIONS))
def test_a_verb_that_does_more_than_ask_is_refused(small, verb):
    before = sorted(small.git_dir.rglob("*"))
    for words in ([verb], ["--at", "HEAD", verb, "install"]):
        answer = Questions(run).answer(words)
        assert answer.refused
        assert f"'{verb}' is no question" in answer.text
    assert sorted(small.git_dir.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [
        *(["def", "a\ud83d"], ["-t", "a\ud83d", "delay"], ["outline", "\ude00"]),
        *(["-E", "a\ud83d"], ["delay", "--", "a\ud83d"], ["a\ud83d\0"]),
    ],
)
def test_half_a_character_is_refused_before_anything_is_asked(small, words):
    answer = Questions(run).answer(words)
    assert answer.code == 129
    assert json.loads(answer.text)["error"]["code"] == "usage"
    assert "Unicode" not in answer.text
    # bytes that are no text may be the name of a file
    assert json.loads(Questions(run).answer(["exists", "\udcff"]).text)["words"]


@pytest.mark.parametrize("words", [["-h"], ["def", "--help"], ["-q", "delay"], ["--version"]])
def test_what_has_no_answer_in_json_is_refused(small, words):
    answer = Questions(run).answer(words)
    assert answer.code == 129
    assert "has no answer in JSON" in answer.text


def test_each_other_verb_answers_in_json(small):
    for verb in VERBS.keys() - NO_QUESTIONS:
        answer = Questions(run).answer([verb])
        assert answer.text.startswith("{")
        assert answer.text.endswith("}\n")
        assert "has no answer" not in answer.text


def test_ctrl_c_is_not_left_to_the_system(small):
    handler = signal.getsignal(signal.SIGINT)
    assert '"rows": [[1]]' in Questions(run).answer(["sql", "select 1"]).text
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_ends_all_questions(small, monkeypatch):
    def interrupted(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("gitsearch.commands.define.define", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Questions(run).answer(["def", "delay"])


def test_the_answer_is_one_line_inside_gits_pager_too(small, monkeypatch):
    monkeypatch.setenv("GIT_PAGER_IN_USE", "true")
    assert Questions(run).answer(["delay"]).text.count("\n") == 1


def test_a_git_process_and_the_views_stay_open(small, monkeypatch):
    questions = Questions(run)
    questions.answer(["delay"])
    opened = questions._opener(small.path, Listener()).store.kept
    views = dict(opened.segments)
    edit(small)
    questions.answer(["delay"])
    assert dict(questions._opener(small.path, Listener()).store.kept.segments) == views != {}
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr("gitsearch.git.repo.spawn", _counting(started))
    questions.answer(["-k1", "delay"])
    # nothing, or where the system does not tell of edits, as these may be made at any time
    assert {words[1] for words in started if "check-attr" not in words} <= {"status"}


def _counting(started):
    from gitsearch.git.repo import spawn

    def counting(command, *rest, **options):
        started.append(command)
        return spawn(command, *rest, **options)

    return counting


def call(tool, **arguments):
    (wanted,) = (one for one in TOOLS if one.name == tool)
    answer = Questions(run).call(wanted, arguments)
    assert not answer.refused, answer.text
    return answer


def next_call(answer):
    """The tool and the arguments of the first call that the text of an answer says is next."""
    found = re.search(r"\bnext: (?:other words; )?(\w+)\((.*?)\)(?:;|$)", answer.text, re.M)
    assert found is not None
    name, written = found.groups()
    return name, json.loads("{" + re.sub(r"(\w+)=", r'"\1": ', written) + "}")


def test_the_call_of_the_next_page_asks_the_same_of_the_same_tree(small):
    filters = {"paths": ["*.py"], "language": "python", "tests": "exclude"}
    limits = {"lines": 3, "budget": 3000, "max_results": 1}
    for tree in ({"rev": "HEAD~1"}, {}):
        first = call("search", query="delay", mode="lexical", **filters, **limits, **tree)
        name, arguments = next_call(first)
        second = call(name, **arguments)
        assert second.document["tree"] == first.document["tree"]
        assert [one["rank"] for one in second.document["results"]] == [2]


def test_what_is_to_be_asked_next_is_about_the_tree_of_the_answer(small):
    rev = small.rev("HEAD~1")
    for tool, asked in (
        ("search", {"query": "compute_delay"}),
        ("search", {"query": "zzqx", "mode": "literal"}),
        ("symbol", {"name": "compute_delay"}),
        ("symbol", {"name": "no_such_name"}),
    ):
        assert next_call(call(tool, **asked, rev="HEAD~1"))[1]["rev"] == "HEAD~1"
        assert "rev" not in next_call(call(tool, **asked))[1]
    found = call("search", query="compute_delay", changed=f"{rev}~1..{rev}")
    assert next_call(found)[1]["rev"] == rev
