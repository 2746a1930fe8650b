"""Our own cases are well formed; whether their lines are there is held against checkouts."""

import json
import re
from collections import Counter
from pathlib import Path, PurePosixPath

from tests.every import check_every

FOLDER = Path(__file__).parents[3] / "bench" / "cases"
CASES = [json.loads(line) for line in (FOLDER / "cases.jsonl").read_text("utf-8").splitlines()]
HOWTO = [json.loads(line) for line in (FOLDER / "howto.jsonl").read_text("utf-8").splitlines()]
QUESTIONS = [
    json.loads(line) for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()
]
COMMITS = [json.loads(line) for line in (FOLDER / "commits.jsonl").read_text("utf-8").splitlines()]
REFUSED_BY_TRAINING = FOLDER.parents[1] / "training" / "refused.txt"
README = (FOLDER / "README.md").read_text("utf-8")
FIELDS = ["id", "kind", "repo", "language", "revision", "query", "names_place"]
FIELDS += ["source", "targets", "hidden"]
SOURCES = {"commit": [{"commit"}], "documentation": [{"path", "line"}]}
SOURCES["issue"] = [{"thread"}, {"thread", "commit"}]
SOURCES["question"] = [{"read"}]
OID = re.compile(r"[0-9a-f]{40}")


def inside(path):
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts


def test_there_are_enough_cases():
    assert len(CASES) >= 150
    assert len({case["repo"] for case in CASES}) >= 12
    assert len({case["language"] for case in CASES}) >= 8


def test_no_two_cases_share_an_id_or_a_question():
    every = [*CASES, *QUESTIONS, *COMMITS]
    assert max(Counter(case["id"] for case in every).values()) == 1
    assert max(Counter((case["repo"], case["query"]) for case in every).values()) == 1


def test_a_case_is_well_formed():
    def check(case):
        assert list(case) == FIELDS
        assert OID.fullmatch(case["revision"])
        assert 2 <= len(case["query"].split()) <= 26
        assert set(case["source"]) in SOURCES[case["kind"]]
        assert OID.fullmatch(case["source"].get("commit", case["revision"]))
        assert case["targets"]
        for target in case["targets"]:
            assert list(target) == ["path", "start", "end"]
            assert 1 <= target["start"] <= target["end"]
            assert inside(target["path"])
            assert target["path"] not in case["hidden"]

    check_every([*CASES, *QUESTIONS], check, lambda case: case["id"])


def test_no_case_is_of_a_refused_repository():
    refused = {name.lower() for name in (FOLDER / "refused.txt").read_text("utf-8").split()}
    assert refused
    assert not refused & {case["repo"].lower() for case in [*CASES, *QUESTIONS]}


def test_what_is_chosen_by_is_neither_measured_nor_trained_on():
    chosen_by = {case["repo"].lower() for case in QUESTIONS}
    assert not chosen_by & {case["repo"].lower() for case in CASES}
    refused = {name.lower() for name in REFUSED_BY_TRAINING.read_text("utf-8").split()}
    assert chosen_by <= refused


def test_there_are_enough_cases_to_choose_by():
    every = [*QUESTIONS, *COMMITS]
    assert len(every) >= 1500
    assert len({case["repo"] for case in every}) >= 60
    assert len({case["language"] for case in QUESTIONS}) >= 18


def test_commits_to_choose_by_are_of_the_trees_that_the_questions_are_of():
    trees = {(case["repo"], case["revision"]) for case in QUESTIONS}
    assert trees >= {(case["repo"], case["revision"]) for case in COMMITS}


def test_a_repository_is_searched_at_one_revision_which_the_table_names():
    counts = Counter((case["repo"], case["revision"]) for case in CASES)
    assert len(counts) == len({repo for repo, _ in counts})
    for (repo, revision), count in counts.items():
        row = next(line for line in README.splitlines() if line.startswith(f"| [{repo}]("))
        assert f"`{revision}`" in row
        assert row.endswith(f"| {count} |")


def test_the_readme_counts_the_cases():
    assert f"{len(CASES)} questions" in README
    assert (
        f"{len(QUESTIONS)} questions over {len({case['repo'] for case in QUESTIONS})} " in README
    )
    for kind, count in Counter(case["kind"] for case in CASES).items():
        assert f"| {kind} | {count} |" in README
    named = sum(case["names_place"] for case in CASES)
    assert f"{named} queries ({named / len(CASES):.0%}".replace("%", " %") in README


# ---------------------------------------------------------------- questions of use and of place


def test_questions_of_use_are_of_the_same_trees():
    revisions = {(case["repo"], case["revision"]) for case in CASES}
    assert {(case["repo"], case["revision"]) for case in HOWTO} <= revisions
    assert max(Counter(case["id"] for case in HOWTO).values()) == 1
    assert max(Counter((case["repo"], case["query"]) for case in HOWTO).values()) == 1


def test_a_question_of_use_is_well_formed():
    def check(case):
        assert list(case) == [
            "id",
            "kind",
            "repo",
            "language",
            "revision",
            "query",
            "targets",
            "code",
        ]
        assert 2 <= len(case["query"].split()) <= 16
        assert case["targets"]
        if case["kind"] == "where":
            assert case["targets"] == case["code"]
        for target in (*case["targets"], *case["code"]):
            assert list(target) == ["path", "start", "end"]
            assert 1 <= target["start"] <= target["end"]
            assert inside(target["path"])

    check_every(HOWTO, check, lambda case: case["id"])


def test_the_readme_counts_the_questions_of_use():
    counts = Counter(case["kind"] for case in HOWTO)
    known = sum(bool(case["code"]) for case in HOWTO if case["kind"] == "howto")
    assert set(counts) == {"howto", "where"}
    assert f"{counts['howto']} questions of use" in README
    assert f"{counts['where']} of place" in README
    assert f"For {known} of them" in README
    assert f"{len({case['repo'] for case in HOWTO})} of the repositories" in README
