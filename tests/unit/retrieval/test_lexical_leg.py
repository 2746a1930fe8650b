"""The lexical leg is BM25 by the book, over the live chunks of a tree."""

import math
from collections import Counter, defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gitsearch.features import identifiers
from gitsearch.features.embedding import Model
from gitsearch.index.view import Rest
from gitsearch.retrieval import lexical_leg
from gitsearch.retrieval.constants import Ranking
from tests.unit.features.models import write_model
from tests.unit.index.views import texts_of, view_of

RANKING = Ranking(k1=1.2, b=0.6)
FILES = {
    "a.txt": "retry the request after a pause, then retry again",
    "b.txt": "the cache evicts pages; retryPolicy is elsewhere",
    "long.txt": "filler words everywhere\n" * 200 + "one retry at the end\n",
    "x/y/z/w/policy.txt": "nothing but the path speaks of it",
    "often.txt": "retry " * 300,
    "empty.txt": "",
}
LATER = {"a.txt": "retry, but changed", "b.txt": None, "new.txt": "a new retry policy"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return Model(write_model(tmp_path_factory.mktemp("models") / "m", ["retry"]))


def terms_of(text, path):
    """Occurrences of each term in a chunk of a text file, and in its path."""
    *folders, name = path.split("/")
    words = identifiers.identifiers(name.rpartition(".")[0] or name) * 2
    words += [word for folder in folders[-3:] for word in identifiers.identifiers(folder)]
    return counted(identifiers.identifiers(text)), counted(words)


def counted(words):
    found: Counter[str] = Counter()
    for word in words:
        parts = identifiers.parts(word)
        found.update(parts)
        if len(parts) > 1:
            found[identifiers.compound(word)] += 1
    return found


def naive(view, files, query):
    """BM25 of every live row (Robertson; the idf that is never negative), else 0."""
    rows = np.flatnonzero(view.live).tolist()
    counts = {}
    for row, text in zip(rows, texts_of(view, files, rows), strict=True):
        segment, inside = view.locate(row)
        path = segment.path(int(segment["chunk_file"][inside])).decode()
        counts[row] = terms_of(text, path)
    mean = sum(own.total() + far.total() for own, far in counts.values()) / len(counts)
    out = np.zeros(len(view.live))
    for term in query:
        holding = sum(term in own or term in far for own, far in counts.values())
        idf = math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
        for row, (own, far) in counts.items():
            # occurrences in the text count up to 15, lengths are whole
            tf, length = min(own[term], 15) + far[term], own.total() + far.total()
            norm = RANKING.k1 * (1 - RANKING.b + RANKING.b * length / mean)
            out[row] += idf * tf * (RANKING.k1 + 1) / (tf + norm)
    return out


QUERIES = [
    ("retry",), ("retry", "policy"), ("retrypolicy",), ("filler", "words"), ("nowhere",), (),
    ("policy", "x", "w", "z"), ("often", "retry"),
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=" ".join)
def test_scores_are_those_of_the_formula(model, query):
    view = view_of(model, FILES)
    found = lexical_leg.scores(view, query, RANKING)
    assert found == pytest.approx(naive(view, FILES, query), rel=1e-12)
    assert bool(found.any()) is (query not in [("nowhere",), ()])


@pytest.mark.parametrize("query", QUERIES, ids=" ".join)
def test_changed_and_deleted_files_count_no_more(model, query):
    view = view_of(model, FILES, LATER)
    files = {**FILES, **LATER}
    found = lexical_leg.scores(view, query, RANKING)
    assert found == pytest.approx(naive(view, files, query), rel=1e-12)
    assert not found[~view.live].any()


def test_scores_are_the_same_to_the_last_bit_however_the_view_is_split(model):
    files = {path: text for path, text in {**FILES, **LATER}.items() if text is not None}
    one = view_of(model, files)
    split = view_of(model, FILES, LATER)
    for query in QUERIES:
        left, right = (lexical_leg.scores(view, query, RANKING) for view in (one, split))
        assert sorted(left[left > 0].tolist()) == sorted(right[right > 0].tolist())


def test_the_order_of_files_is_of_no_account(model):
    names = {path: f"{9 - n}{path}" for n, path in enumerate(FILES)}
    view = view_of(model, {names[path]: text for path, text in FILES.items()})
    left = lexical_leg.scores(view_of(model, FILES), ("filler", "retry"), Ranking(b=0.0))
    right = lexical_leg.scores(view, ("filler", "retry"), Ranking(b=0.0))
    assert sorted(left.tolist()) == sorted(right.tolist())


def test_nothing_is_scored_in_nothing(model):
    assert lexical_leg.scores(view_of(model, {}), ("retry",), RANKING).tolist() == []
    gone = view_of(model, {"a.txt": "retry"}, {"a.txt": None})
    assert lexical_leg.scores(gone, ("retry",), RANKING).tolist() == [0.0]


FORMS = {
    "one.txt": "retry",
    "other.txt": "retries",
    "both.txt": "retry retries",
    "none.txt": "retrieval",
}


def widened(view, query):
    return lexical_leg.QueryTerms(view, query, RANKING, expanded=True).chunks()


def test_another_form_of_a_word_counts_for_less(model):
    view = view_of(model, FORMS)
    (segment,) = view.segments
    places = {segment.path(int(file)): row for row, file in enumerate(segment["chunk_file"])}
    strict = lexical_leg.scores(view, ["retry"], RANKING)
    asked = widened(view, ["retry"])
    assert strict[places[b"other.txt"]] == 0
    other = lexical_leg.scores(view, ["retries"], RANKING)
    assert asked[places[b"other.txt"]] == pytest.approx(0.5 * other[places[b"other.txt"]])
    # who has the word itself has no more of it for another form
    for path in (b"one.txt", b"both.txt"):
        assert asked[places[path]] == strict[places[path]] > 0
    assert asked[places[b"none.txt"]] == 0


def test_a_form_that_is_asked_for_itself_counts_once(model):
    view = view_of(model, FORMS)
    asked = widened(view, ["retry", "retries"])
    assert asked == pytest.approx(lexical_leg.scores(view, ["retry", "retries"], RANKING))


def test_forms_are_found_however_a_view_is_split(model):
    whole = widened(view_of(model, FORMS), ["retry"])
    first = {path: text for path, text in FORMS.items() if path != "other.txt"}
    view = view_of(model, first, {"other.txt": FORMS["other.txt"]})
    split = widened(view, ["retry"])
    assert sorted(split.tolist()) == sorted(whole.tolist())


def files_of(view, query, **how):
    """BM25 of each live file, by its path."""
    numbers = np.flatnonzero(np.concatenate(view.live_files))
    found = lexical_leg.QueryTerms(view, query, RANKING, **how).files(numbers)
    places = [view.file(number) for number in numbers.tolist()]
    paths = [segment.path(file).decode() for segment, file in places]
    return dict(zip(paths, found.tolist(), strict=True))


@pytest.mark.parametrize("query", QUERIES, ids=" ".join)
def test_a_file_is_scored_as_one_text_that_has_the_words_of_its_chunks(model, query):
    view = view_of(model, FILES, LATER)
    rows = np.flatnonzero(view.live).tolist()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    lengths: Counter[str] = Counter()
    for row, text in zip(rows, texts_of(view, {**FILES, **LATER}, rows), strict=True):
        segment, inside = view.locate(row)
        path = segment.path(int(segment["chunk_file"][inside])).decode()
        own, far = terms_of(text, path)
        counts[path].update({term: min(own[term], 15) + far[term] for term in own | far})
        lengths[path] += own.total() + far.total()
    mean = lengths.total() / len(lengths)
    wanted = dict.fromkeys(files_of(view, query), 0.0)
    for term in query:
        holding = sum(term in own for own in counts.values())
        idf = math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
        for path, own in counts.items():
            norm = RANKING.k1 * (1 - RANKING.b + RANKING.b * lengths[path] / mean)
            wanted[path] += idf * own[term] * (RANKING.k1 + 1) / (own[term] + norm)
    assert files_of(view, query) == pytest.approx(wanted, rel=1e-12)
    said = {term for own in counts.values() for term in own}
    assert any(wanted.values()) is any(term in said for term in query)


def test_what_files_have_is_the_same_however_the_view_is_split(model):
    files = {path: text for path, text in {**FILES, **LATER}.items() if text is not None}
    one, split = view_of(model, files), view_of(model, FILES, LATER)
    for query in QUERIES:
        assert files_of(one, query) == files_of(split, query)


def test_a_file_that_says_a_word_in_several_forms_says_it_so_often(model):
    found = files_of(view_of(model, FORMS), ["retry"], expanded=True)
    assert found["both.txt"] > found["one.txt"] > found["other.txt"] > found["none.txt"] == 0


def test_forms_of_a_word_may_be_equally_common(model, monkeypatch):
    monkeypatch.setattr(lexical_leg, "_FEW", 0)
    view = view_of(model, {f"{i}.txt": "caches cached caching" for i in range(8)})
    words = lexical_leg.QueryTerms(view, ["cache"], RANKING, expanded=True)
    rows, scores = words.leaders(view.live, 2)
    assert rows.tolist() == list(range(8))
    assert scores.tolist() == words.chunks().tolist()
    assert scores.min() > 0


@pytest.mark.parametrize("few", [0, 1 << 15])
@pytest.mark.parametrize("common", [2, 8, 1000])
def test_the_best_rows_are_those_of_all_segments(model, monkeypatch, few, common):
    monkeypatch.setattr(lexical_leg, "_FEW", few)
    monkeypatch.setattr(lexical_leg, "_COMMON", common)
    view = view_of(model, FILES, LATER)
    for query in QUERIES:
        words = lexical_leg.QueryTerms(view, query, RANKING, expanded=True)
        every = words.chunks()
        mask = view.live & (np.arange(len(every)) % 3 > 0)
        for count in (1, 3, 100):
            rows, scores = words.leaders(mask, count)
            assert every[rows].tolist() == scores.tolist()
            allowed = every[mask & (every > 0)]
            least = sorted(allowed)[-count:][:1]
            best = np.flatnonzero(mask & (every >= min(least, default=np.inf)))
            assert set(best.tolist()) <= set(rows.tolist())


NEAR = {"signin.txt": "signin page", "login.txt": "login page", "page.txt": "page of a book"}


def test_a_word_near_to_one_of_a_question_counts_less(model):
    view = view_of(model, NEAR)
    words = lexical_leg.QueryTerms(view, ["login"], RANKING, expanded=True)
    by_path = dict(zip([path_of(view, row) for row in range(3)], words.chunks(), strict=True))
    assert by_path["login.txt"] > by_path["signin.txt"] > by_path["page.txt"] == 0
    as_it_is = lexical_leg.QueryTerms(view, ["login"], RANKING).chunks()
    assert np.count_nonzero(as_it_is) == 1


def test_a_near_word_does_not_say_that_the_term_is_there(model):
    view = view_of(model, {path: text for path, text in NEAR.items() if path != "login.txt"})
    words = lexical_leg.QueryTerms(view, ["login", "page"], RANKING, expanded=True)
    rows = np.arange(2)
    assert words.known < 0.5
    assert words.told(rows).tolist() == [1, 1]
    signin = [path_of(view, row) for row in range(2)].index("signin.txt")
    assert 1 > words.coverage(rows)[signin] > words.coverage(rows)[1 - signin]


def path_of(view, row):
    segment, inside = view.locate(row)
    return segment.path(int(segment["chunk_file"][inside])).decode()


@pytest.mark.parametrize("seed", range(6))
def test_no_row_that_can_be_a_leader_is_left_out_by_a_sample(monkeypatch, seed):
    for name, value in (("_FEW", 0), ("_EVERY", 4), ("_RUN", 4), ("_MORE", 1), ("_HIGH", 1)):
        monkeypatch.setattr(lexical_leg, name, value)
    order = np.random.default_rng(seed)
    rows, wanted = 5000, 20
    live = order.random(rows) < 0.9
    lengths = order.integers(1, 60, rows).astype(np.uint8)
    view: Any = SimpleNamespace(lengths=lengths, longest=int(lengths.max()), live=live)
    terms, frequency = [], {}
    for term in range(4):
        forms = []
        for form in range(2):
            own = np.flatnonzero((order.random(rows) < order.choice([0.01, 0.05, 0.3])) & live)
            frequency[f"{term} {form}"] = len(own)
            times = order.integers(1, 16, len(own)).astype(np.uint8)
            forms.append((1.0 - form / 2, f"{term} {form}", [(own, times)]))
        terms.append(forms)
    total = lexical_leg.TermStatistics(
        int(live.sum()), int(lengths[live].sum()), 10, frequency, Rest()
    )
    scorer = lexical_leg._Scorer(view, terms, total, RANKING)
    having = scorer.having()
    scores = scorer.scores(having)
    leaders = having[scores >= np.sort(scores)[-wanted]]
    assert wanted <= len(leaders) < len(having)
    assert set(leaders.tolist()) <= set(scorer.reaching(wanted, live).tolist())
