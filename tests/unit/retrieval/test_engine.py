"""Legs, masks, order and choice: what a search does with any constants."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gitsearch.features.embedding import Model
from gitsearch.retrieval import engine, filters, query
from tests.unit.features.models import write_model
from tests.unit.index.fixtures import current, current_template
from tests.unit.index.views import places_of, view_of
from tests.unit.retrieval.rankings import alone

__all__ = ["current", "current_template"]

ROOT = Path(__file__).parents[3]
LONG = "".join(
    f"def pause_{n}():\n    return 'pause number {n} of many'\n\n\n" for n in range(300)
)
FILES = {
    "a.txt": "pause",
    "b.txt": "wait a moment",
    "c.txt": "bread and butter",
    "names.py": "class Pause:\n    def wait_long(self):\n        return 1\n",
    "long.py": LONG,
    "docs/pause.md": "# Pause\n\nHow long a pause is.\n",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "m"
    return Model(write_model(folder, ["pause wait", "bread butter", "moment", "long"]))


@pytest.fixture(scope="module")
def view(model):
    return view_of(model, FILES)


def run(view, text, *, mask=None, **options):
    options = {"ranking": alone(), "count": 10, **options}
    allowed = filters.by_file(view) if mask is None else mask
    return engine.search(view, query.parse(text), allowed, engine.Options(**options))


def paths(view, found):
    return [path for path, *_ in places_of(view, [one.row for one in found])]


# ---------------------------------------------------------------- modes


@pytest.mark.parametrize(
    ("mode", "legs"),
    [
        ("lexical", {"lexical"}),
        ("semantic", {"dense"}),
        ("symbol", {"symbol"}),
        ("hybrid", {"lexical", "dense", "symbol"}),
    ],
)
def test_a_mode_uses_its_own_legs(view, mode, legs):
    found = run(view, "pause", mode=mode, count=50)
    assert found
    used = {name for one in found for name, rank in one.legs.items() if rank is not None}
    assert used == legs
    assert all(set(one.legs) == {"lexical", "dense", "symbol"} for one in found)


def test_meaning_finds_what_words_do_not(view):
    assert "b.txt" not in paths(view, run(view, "pause", mode="lexical", count=50))
    assert "b.txt" in paths(view, run(view, "pause", mode="semantic", count=50))


def test_alpha_is_the_weight_of_meaning(view):
    words = run(view, "pause bread", alpha=0.0, mode="hybrid")
    meaning = run(view, "pause bread", alpha=1.0, mode="hybrid")
    assert all(one.score == 0 for one in words if one.legs["lexical"] is None)
    assert all(one.score == 0 for one in meaning if one.legs["dense"] is None)
    assert [one.legs["lexical"] for one in words[:3]] == [1, 2, 3]
    assert [one.legs["dense"] for one in meaning[:3]] == [1, 2, 3]


@pytest.mark.parametrize("count", [1, 10, 40, 1000])
def test_as_many_are_given_as_are_asked_for_and_there_are(view, count):
    for deeper in (1, 4):
        found = run(view, "pause", mode="lexical", count=count, deeper=deeper)
        everything = run(view, "pause", mode="lexical", count=9999, deeper=deeper)
        assert len(everything) > 40
        assert [one.row for one in found] == [one.row for one in everything][:count]


@pytest.mark.parametrize("mode", ["lexical", "semantic", "symbol"])
@pytest.mark.parametrize("alpha", [None, 0.0, 1.0])
@pytest.mark.parametrize("text", ["pause", "Pause", "class pause", "wait_long"])
def test_a_leg_alone_ranks_by_itself_whatever_its_weight(view, mode, alpha, text):
    leg = {"semantic": "dense"}.get(mode, mode)
    for ranking in (alone(), alone(names_prose=0.0, coherence=0.5, stem_boost=1.0)):
        found = run(view, text, mode=mode, alpha=alpha, ranking=ranking, count=50)
        assert all(np.isfinite(one.score) for one in found)
        assert all(one.score > 0 for one in found)
    plain = run(view, text, mode=mode, alpha=alpha, rerank=False, count=50)
    assert [one.legs[leg] for one in plain] == list(range(1, len(plain) + 1))


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic", "symbol"])
@pytest.mark.parametrize("text", ["", "?!", "\udcff", "a" * 300])
def test_a_query_without_words_finds_nothing(view, mode, text):
    assert run(view, text, mode=mode) == []


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic", "symbol"])
def test_nothing_is_found_in_nothing(model, mode):
    assert run(view_of(model, {}), "pause", mode=mode) == []
    gone = view_of(model, {"a.txt": "pause"}, {"a.txt": None})
    assert run(gone, "pause", mode=mode) == []


# ---------------------------------------------------------------- filters


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_filters_mask_before_ranking(view, mode):
    # the files that are asked for are far behind the first candidates of any leg
    mask = filters.by_file(view, paths={b"a.txt", b"docs/pause.md"})
    ranking = alone(depth=2, scan=2)
    found = run(view, "pause", mode=mode, mask=mask, count=2, ranking=ranking)
    assert set(paths(view, found)) == {"a.txt", "docs/pause.md"}


def test_a_mask_does_not_change_the_scores_of_words(view):
    everything = {one.row: one for one in run(view, "pause", mode="lexical", count=500)}
    mask = filters.by_file(view, paths={b"long.py"})
    masked = run(view, "pause", mode="lexical", count=500, mask=mask)
    order = [row for row, one in everything.items() if mask[row]]
    assert [one.row for one in masked] == order


# ---------------------------------------------------------------- order


def test_scores_fall_and_ties_are_in_the_order_of_paths_and_lines(model):
    files = {f"{folder}/{n}.txt": "pause and bread" for folder in "ba" for n in (3, 1, 2)}
    files |= {"first.txt": "pause pause bread bread", "z.txt": "pause"}
    view = view_of(model, files)
    for mode in ("lexical", "semantic"):
        found = run(view, "pause bread", mode=mode, count=50)
        keys = [
            (-one.score, path.encode(), line)
            for one, (path, line, _) in zip(
                found, places_of(view, [one.row for one in found]), strict=True
            )
        ]
        assert keys == sorted(keys)
        assert len(found) == len(files)


def test_the_order_holds_after_saturation_too(model):
    # rank 1 and 2: chunks of b.txt, rank 3: a.txt; saturation makes the last two equal
    text = (
        "pause\n" * 40 + "\n".join(f"filler {n} of the text" for n in range(40)) + "\npause\n" * 9
    )
    view = view_of(model, {"b.txt": text, "a.txt": "pause or something else that is not meant"})
    plain = run(view, "pause", mode="lexical", ranking=alone(rrf_k=0))
    assert paths(view, plain) == ["b.txt", "b.txt", "a.txt"]
    ranking = alone(rrf_k=0, saturation=2 / 3)
    found = run(view, "pause", mode="lexical", ranking=ranking)
    assert found[1].score == found[2].score
    assert paths(view, found) == ["b.txt", "a.txt", "b.txt"]


def test_the_answer_does_not_depend_on_how_a_view_is_split(model, view):
    old = {**FILES, "a.txt": "old", "gone.txt": "pause pause", "docs/pause.md": "old"}
    split = view_of(model, old, {"gone.txt": None, "a.txt": FILES["a.txt"]},
                    {"docs/pause.md": FILES["docs/pause.md"]})  # fmt: skip
    ranking = alone(coherence=0.4, group=0.3, definition=2.0, stem_boost=1.0, saturation=0.7)
    for text in ("pause", "Pause.wait_long", "how long is a pause", "bread", "pau", "Pau"):
        left = run(view, text, count=60, ranking=ranking, explain=True)
        right = run(split, text, count=60, ranking=ranking, explain=True)
        assert places_of(view, [one.row for one in left]) == places_of(
            split, [one.row for one in right]
        )
        assert [(one.score, one.legs, one.factors) for one in left] == [
            (one.score, one.legs, one.factors) for one in right
        ]


ASK = """
import json, pathlib, sys
from gitsearch.commands.search import search
from gitsearch.settings import SearchRequest
from tests.unit.commands.asked import session, QUERIES, Listener

for text in QUERIES:
    request = SearchRequest(text, max_count=30, explain=True)
    for one in search(session(pathlib.Path.cwd()), request).results:
        print(json.dumps([one.path, one.start, one.end, float(one.score), one.legs, one.symbol,
                          {name: float(value) for name, value in one.explain.items()}]))
"""


def asked_with(repo, monkeypatch, **environment):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=repo.path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_answers_do_not_depend_on_hash_seeds_or_threads(current, monkeypatch):
    current.append("service/retry_policy.py", "\nEDITED = 1\n")
    said = {
        asked_with(current, monkeypatch, PYTHONHASHSEED=seed, OPENBLAS_NUM_THREADS=threads)
        for seed, threads in (("0", "1"), ("1", "2"), ("2", "1"), ("3", "4"))
    }
    assert len(said) == 1
    assert len([json.loads(line) for line in said.pop().splitlines()]) > 100


# ---------------------------------------------------------------- choice


@pytest.mark.parametrize(("reach", "first"), [(1, "tests/test_00.py"), (4, "src/a.py")])
def test_tests_do_not_take_the_places_of_the_program_among_the_candidates(model, reach, first):
    tests = {f"tests/test_{n:02}.py": "pause pause" for n in range(30)}
    view = view_of(model, {**tests, "src/a.py": "pause and other words"})
    ranking = alone(depth=10, reach=reach, test=0.3)
    found = run(view, "pause", mode="lexical", count=5, ranking=ranking)
    assert paths(view, found)[0] == first
    assert len(found) == 5


def test_each_further_chunk_of_a_file_counts_less(view):
    plain = {one.row: one.score for one in run(view, "pause", mode="lexical", count=500)}
    ranking = alone(saturation=0.5, saturation_later=0.5)
    found = run(view, "pause", mode="lexical", count=500, ranking=ranking)
    times: dict[str, int] = {}
    for one, path in zip(found, paths(view, found), strict=True):
        assert one.score == pytest.approx(plain[one.row] * 0.5 ** times.get(path, 0))
        times[path] = times.get(path, 0) + 1
    assert times["long.py"] > 20
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_after_the_first_results_more_of_their_files_is_shown(view):
    """What comes later is weighed down less, and its scores go on below those above."""
    few = {"saturation": 0.5, "first_results": 3}
    strict = run(view, "pause", count=40, ranking=alone(**few, saturation_later=0.5))
    found = run(view, "pause", count=40, ranking=alone(**few, saturation_later=0.9))
    assert [one.row for one in found][:3] == [one.row for one in strict][:3]
    assert paths(view, found)[3:8].count("long.py") > paths(view, strict)[3:8].count("long.py")
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[3] == pytest.approx(0.99 * scores[2])


def test_saturation_lets_other_files_in(view):
    first = paths(view, run(view, "pause number", mode="lexical", count=4))
    assert set(first) == {"long.py"}
    found = run(view, "pause number", mode="lexical", count=4, ranking=alone(saturation=0.1))
    assert len(set(paths(view, found))) > 1


def test_who_asks_how_sees_more_files(view):
    ranking = alone(saturation=1.0, saturation_how=0.1)
    one, many = (
        paths(view, run(view, text, mode="lexical", count=4, ranking=ranking))
        for text in ("pause number", "how: pause number")
    )
    assert set(one) == {"long.py"}
    assert len(set(many)) > 1


def test_who_asks_how_to_use_it_asks_for_a_place(view):
    ranking = alone(saturation=1.0, saturation_how=0.1)
    found = run(view, "how do I pause number", mode="lexical", count=4, ranking=ranking)
    assert set(paths(view, found)) == {"long.py"}


def test_without_reranking_nothing_is_saturated_or_explained(view):
    ranking = alone(saturation=0.1, coherence=5.0, definition=9.0, docs=0.0)
    found = run(view, "pause", ranking=ranking, rerank=False, explain=True, count=20)
    assert [one.score for one in found] == [
        one.score for one in run(view, "pause", ranking=alone(), count=20)
    ]
    assert all(one.factors == {} for one in found)


def test_what_the_stages_did_is_told_only_when_asked_for(view):
    ranking = alone(coherence=1.0, docs=0.5)
    assert all(one.factors == {} for one in run(view, "pause", ranking=ranking))
    told = run(view, "pause", ranking=ranking, explain=True, count=30)
    assert any(one.factors for one in told)
    assert all(np.isfinite(value) for one in told for value in one.factors.values())


# ---------------------------------------------------------------- twins

TWINS = {
    "v1/pause.py": "def pause(moment):\n    return wait(moment, 1)\n",
    "v2/pause.py": "def pause(moment):\n    return wait(moment, 2)\n",
    "rest.py": "def rest(bread):\n    butter(bread)\n    pause()\n",
}


def test_of_twins_in_several_files_one_stands_for_all(model):
    view = view_of(model, TWINS)
    alike = run(view, "wait a moment in pause", ranking=alone())
    assert paths(view, alike)[:2] == ["v1/pause.py", "v2/pause.py"]
    found = run(view, "wait a moment in pause", ranking=alone(twin=0.5))
    assert paths(view, found) == ["v1/pause.py", "rest.py", "v2/pause.py"]
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)


def test_who_asks_for_a_name_is_shown_all_that_have_it(model):
    view = view_of(model, TWINS)
    found = run(view, "pause_moment", ranking=alone(twin=0.5))
    assert {"v1/pause.py", "v2/pause.py"} <= set(paths(view, found))
    assert found == run(view, "pause_moment", ranking=alone(twin=1.0))


def test_chunks_of_one_file_are_no_twins(model):
    text = "pause moment wait\n" * 60
    view = view_of(model, {"a.txt": text, "b.txt": "bread butter\n"})
    found = run(view, "the pause of a moment", ranking=alone(twin=0.0), count=50)
    assert paths(view, found).count("a.txt") > 1
    assert all(one.score > 0 for one in found)
