"""Each stage after fusion does its own thing, seen with all the others switched off."""

import math

import pytest

from gitsearch.features.embedding import Model
from gitsearch.retrieval import engine, filters, query
from tests.unit.features.models import write_model
from tests.unit.index.views import places_of, view_of
from tests.unit.retrieval.rankings import alone


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return Model(write_model(tmp_path_factory.mktemp("models") / "m", ["word"]))


def run(view, text, mode="lexical", **stage):
    """Score by (path, first line)."""
    options = engine.Options(mode, 100, ranking=alone(**stage))
    found = engine.search(view, query.parse(text), filters.by_file(view), options)
    places = places_of(view, [one.row for one in found])
    return {place[:2]: one.score for one, place in zip(found, places, strict=True)}


def gains(view, text, mode="lexical", **stage):
    """What one stage adds to each score, in units of the best score before it."""
    plain, changed = run(view, text, mode), run(view, text, mode, **stage)
    assert plain.keys() == changed.keys()
    best = max(plain.values())
    return {place: (changed[place] - plain[place]) / best for place in plain}


def factors(view, text, **stage):
    """By what one stage multiplies the scores of each file."""
    plain, changed = run(view, text), run(view, text, **stage)
    return {place[0]: changed[place] / plain[place] for place in plain}


FILLER = "\n".join(f"some other text that fills line {n} of this chunk" for n in range(12))


# ---------------------------------------------------------------- coherence


def test_the_best_chunk_of_the_file_with_most_evidence_gains(model):
    many = f"pause pause pause\n{FILLER}\npause\n{FILLER}\npause\n{FILLER}\n"
    view = view_of(model, {"many.txt": many, "one.txt": f"pause\n{FILLER}\n"})
    found = gains(view, "pause", coherence=0.5)
    of_many = [gain for (path, _), gain in found.items() if path == "many.txt"]
    assert sorted(of_many)[-1] == pytest.approx(0.5)
    assert sorted(of_many)[:-1] == pytest.approx([0.0] * (len(of_many) - 1))
    assert 0 < found["one.txt", 1] < 0.5


def test_without_coherence_nobody_gains(model):
    view = view_of(model, {"a.txt": "pause", "b.txt": "pause pause"})
    assert set(gains(view, "pause", coherence=0.0).values()) == {0.0}


# ---------------------------------------------------------------- whole files


def test_all_chunks_of_a_file_gain_by_what_the_file_has_as_a_whole(model):
    both = f"pause\n{FILLER}\nresume\n{FILLER}\n"
    view = view_of(model, {"both.txt": both, "one.txt": f"pause\n{FILLER}\n{FILLER}\n"})
    found = gains(view, "pause resume", file=0.5)
    of_both = [gain for (path, _), gain in found.items() if path == "both.txt"]
    # each of its chunks says one of the words, the file says both
    assert of_both == pytest.approx([0.5] * 2)
    assert 0 < found["one.txt", 1] < 0.5


def test_meaning_alone_knows_nothing_of_the_words_of_files(model):
    view = view_of(model, {"a.txt": "word", "b.txt": "word word"})
    assert set(gains(view, "word", mode="semantic", file=0.5).values()) == {0.0}


# ---------------------------------------------------------------- coverage


def test_a_chunk_gains_by_the_terms_that_it_has(model):
    texts = {"all.txt": "pauses, resume", "one.txt": "pause pause pause", "no.txt": "resume"}
    found = gains(view_of(model, texts), "pause resume", coverage=0.4)
    # a form of a word is the word; one that is said often is still one
    assert found["all.txt", 1] == pytest.approx(0.4)
    assert found["one.txt", 1] + found["no.txt", 1] == pytest.approx(0.4)


def test_the_rarer_term_covers_more(model):
    texts = {f"{n}.txt": "pause" for n in range(8)} | {"rare.txt": "resume"}
    found = gains(view_of(model, texts), "pause resume", coverage=0.4)
    assert found["rare.txt", 1] > found["1.txt", 1] > 0


def test_a_chunk_of_a_definition_gains(model):
    texts = {"a.py": "def pause():\n    return 1\n", "b.py": "import pause\n"}
    found = gains(view_of(model, texts), "the pause of a request", in_definition=0.1)
    assert found == {("a.py", 1): pytest.approx(0.1), ("b.py", 1): pytest.approx(0.0)}


def test_a_name_alone_asks_for_no_coverage(model):
    texts = {"a.py": "def pause_all():\n    return 1\n", "b.py": "pause_all()\n"}
    found = gains(view_of(model, texts), "pause_all", coverage=0.4, in_definition=0.1)
    assert set(found.values()) == {0.0}


# ---------------------------------------------------------------- definition


CODE = {
    "lib/retry_policy.py": f'class RetryPolicy:\n    """{FILLER}"""\n',
    "lib/other.py": f'class RetryPolicy:\n    """{FILLER}"""\n',
    "lib/usage.py": f'"""{FILLER}"""\n\nprint(RetryPolicy, RetryPolicy, RetryPolicy)\n',
}


def test_a_chunk_that_defines_the_name_gains_more_where_the_file_is_named_so(model):
    view = view_of(model, CODE)
    found = gains(view, "RetryPolicy", "hybrid", definition=2.0, definition_stem=1.5)
    by_file: dict[str, float] = {}
    for (path, _), gain in found.items():
        by_file[path] = max(by_file.get(path, 0.0), gain)
    assert by_file["lib/usage.py"] == 0
    assert by_file["lib/other.py"] > 0
    assert by_file["lib/retry_policy.py"] == pytest.approx(1.5 * by_file["lib/other.py"])


def test_a_name_in_a_question_counts_less_than_a_name_alone(model):
    view = view_of(model, CODE)
    alone_gain = max(gains(view, "RetryPolicy", "hybrid", definition=2.0).values())
    asked_gain = max(gains(view, "how does RetryPolicy end", "hybrid", definition=2.0).values())
    assert 0 < asked_gain < alone_gain


def test_a_word_that_is_no_name_defines_nothing(model):
    view = view_of(model, {"a.py": "def pause():\n    return pause\n", "b.py": "pause = pause\n"})
    assert set(gains(view, "the long pause of a request", "hybrid", definition=2.0).values()) == {
        0
    }


# ---------------------------------------------------------------- path stem


STEMS = {
    "retry_policy.txt": "pause words",
    "net/retry/x.txt": "pause words",
    "net/retries.txt": "pause words",
    "net/re.txt": "pause words",
    "other.txt": "pause words",
}


def stem_gains(model, text, **stage):
    found = gains(view_of(model, STEMS), text, **stage)
    return {path: gain for (path, _), gain in found.items()}


USED = {
    "policy.py": "def retry_policy(tries):\n" + "    print('some other text')\n" * 40,
    "client.py": "def fetch():\n    return retry_policy(3)\n",
    "notes.txt": "the policy is to retry",
}


@pytest.mark.parametrize("text", ["where is retry_policy called", "who uses the retry policy"])
def test_of_what_is_asked_for_the_uses_of_all_chunks_are_lowered(model, text):
    view = view_of(model, USED)
    plain, changed = (run(view, text, "hybrid", definition_used=share) for share in (1.0, 0.5))
    assert len({place for place in plain if place[0] == "policy.py"}) > 1
    for place, score in plain.items():
        share = 0.5 if place[0] == "policy.py" else 1.0
        assert changed[place] == pytest.approx(share * score)


def test_a_definition_gains_nothing_where_its_uses_are_asked_for(model):
    view = view_of(model, USED)
    found = gains(view, "where is retry_policy called", "hybrid", definition=4.0)
    assert set(found.values()) == {0.0}


def test_files_that_are_named_as_the_query_gain_by_the_share_of_its_words(model):
    found = stem_gains(model, "pause retry policy words", stem_boost=1.0, stem_share=0.1)
    assert found == pytest.approx(
        {
            "retry_policy.txt": 2 / 4,
            "net/retry/x.txt": 1 / 4,
            "net/retries.txt": 0.0,
            "net/re.txt": 0.0,
            "other.txt": 0.0,
        }
    )


def test_a_word_and_what_it_begins_are_the_same_there(model):
    found = stem_gains(model, "pause config words", stem_boost=1.0, stem_share=0.1)
    assert set(found.values()) == {0.0}
    view = view_of(model, {"configuration.txt": "pause", "con.txt": "pause"})
    gained = gains(view, "pause config", stem_boost=1.0, stem_share=0.1)
    assert gained == pytest.approx({("configuration.txt", 1): 0.5, ("con.txt", 1): 0.5})


def test_too_small_a_share_gains_nothing(model):
    text = "pause retry words one two three four five six seven"
    assert stem_gains(model, text, stem_boost=1.0, stem_share=0.1)["net/retry/x.txt"] > 0
    assert set(stem_gains(model, text, stem_boost=1.0, stem_share=0.5).values()) == {0.0}


def test_a_name_is_not_looked_for_in_paths(model):
    view = view_of(model, {"retry_policy.txt": "retryPolicy", "b.txt": "retryPolicy"})
    assert set(gains(view, "retryPolicy", stem_boost=1.0).values()) == {0.0}


# ---------------------------------------------------------------- links


LINKED = {
    "best.py": "print(pause, pause, pause, make_clock())\n",
    "clock.py": f'def make_clock():\n    """pause {FILLER}"""\n',
    "other.py": f'def make_bell():\n    """pause {FILLER}"""\n',
}


def link_gains(model, files, text="a pause", **stage):
    found = gains(view_of(model, files), text, **stage)
    return {path: max(gain for (at, _), gain in found.items() if at == path) for path in files}


def test_who_is_linked_to_a_better_file_gains_more_than_that_one_does(model):
    found = link_gains(model, LINKED, link=0.5)
    # ranks 1 and 2, as in DCG: a file that is linked to the first has 1, that one 1 / log2(3)
    near = 1 / math.log2(3)
    expected = {"clock.py": 0.5 * 1 / 2, "best.py": 0.5 * near / (1 + near), "other.py": 0.0}
    assert found == pytest.approx(expected)


def test_only_the_best_files_are_looked_at(model):
    assert set(link_gains(model, LINKED, link=0.5, link_files=1).values()) == {0.0}
    assert set(link_gains(model, LINKED, link=0.5, link_files=2).values()) != {0.0}


def test_who_asks_for_a_name_is_not_shown_what_is_only_linked(model):
    files = {path: text.replace("pause", "pauseTime") for path, text in LINKED.items()}
    assert set(link_gains(model, files, "pauseTime", link=0.5).values()) == {0.0}
    assert set(link_gains(model, files, "the pauseTime", link=0.5).values()) != {0.0}


def test_without_links_nobody_gains(model):
    assert set(link_gains(model, LINKED, link=0.0).values()) == {0.0}


# ---------------------------------------------------------------- noise


NOISE = {
    "src/app.py": 1.0,
    "tests/test_app.py": 0.3,
    "examples/app.py": 0.4,
    "docs/app.py": 0.5,
    "compat/app.py": 0.6,
    "types/app.d.ts": 0.7,
    "third_party/app.py": 0.8,
    "app.toml": 0.2,
    "app.md": 0.9,
    "docs/app.md": 0.5,
    "docs/examples/app.py": 0.5 * 0.4,
    "tests/examples/test_app.py": 0.3 * 0.4,
    "third_party/tests/test_app.py": 0.8 * 0.3,
}
FACTORS = {
    "test": 0.3, "example": 0.4, "docs": 0.5, "compat": 0.6, "declarations": 0.7, "vendored": 0.8,
    "config": 0.2, "prose": 0.9,
}  # fmt: skip


@pytest.fixture(scope="module")
def noisy(model):
    return view_of(model, dict.fromkeys(NOISE, "pause = 1\n"))


def test_kinds_of_files_have_factors_that_compound(noisy):
    assert factors(noisy, "pause", **FACTORS) == pytest.approx(NOISE)


def test_who_asks_for_tests_gets_them(noisy):
    found = factors(noisy, "pause test", **FACTORS)
    assert found["tests/test_app.py"] == pytest.approx(1.0)
    assert found["third_party/tests/test_app.py"] == pytest.approx(0.8)
    assert found["docs/app.py"] == pytest.approx(0.5)


def test_who_asks_for_documents_gets_them(noisy):
    found = factors(noisy, "pause documentation", **FACTORS)
    for path in (
        "docs/app.py",
        "docs/app.md",
        "examples/app.py",
        "docs/examples/app.py",
        "app.md",
    ):
        assert found[path] == pytest.approx(1.0), path
    assert found["tests/test_app.py"] == pytest.approx(0.3)


def test_what_lacks_the_name_comes_after_what_has_it(model):
    """The parts of a name say less than the name, wherever it stands."""
    view = view_of(model, {"a.py": "pause = all\n" * 9, "tests/test_b.py": "print(pause_all)\n"})
    assert factors(view, "pause_all", unnamed=0.03) == {
        "a.py": pytest.approx(0.03),
        "tests/test_b.py": pytest.approx(1.0),
    }
    assert set(factors(view, "pause_any", unnamed=0.03).values()) == {1.0}  # nothing has it
    assert set(factors(view, "pause all", unnamed=0.03).values()) == {1.0}  # no name


def test_a_definition_need_not_have_the_variable_before_its_name(model):
    texts = {"a.py": "def send(x):\n    return x\n", "b.py": "client.send(1)\n"}
    view = view_of(model, texts | {"c.py": "other(send)\n"})
    plain, changed = (run(view, "client.send", "hybrid", unnamed=value) for value in (1.0, 0.03))
    assert changed == {
        ("a.py", 1): plain["a.py", 1],
        ("b.py", 1): plain["b.py", 1],
        ("c.py", 1): pytest.approx(0.03 * plain["c.py", 1]),
    }


GUIDES = {
    "README.md": 1.2,
    "docs/guide.rst": 1.2,
    "guides/examples/queue.md": 1.2,
    "doc/app.1": 1.2,
    "vendor/README.md": 1.2 * 0.8,
    "examples/app.py": 1.0,
    "docs/site.py": 0.5,
    "src/app.py": 1.0,
    "app.toml": 0.2,
    "tests/test_app.py": 0.3,
    "CHANGELOG.md": 0.5,
    "docs/CHANGELOG-2.x.md": 0.5,
    "Pro-Changes.md": 0.9,
    "LICENSE": 0.5,
    ".github/ISSUE_TEMPLATE/question.md": 0.9,
}


def test_who_asks_how_to_use_it_gets_what_documents_say(model):
    """Changelogs, licences and forms to fill in stay low: they say much and explain nothing."""
    view = view_of(model, dict.fromkeys(GUIDES, "pause = 1\n"))
    asked = factors(view, "how do I pause", guide=1.2, **FACTORS)
    assert asked == pytest.approx(GUIDES)
    placed = factors(view, "where is the pause", guide=1.2, **FACTORS)
    assert placed["README.md"] == pytest.approx(0.9)
    assert placed["docs/guide.rst"] == pytest.approx(0.5)
    assert placed["examples/app.py"] == pytest.approx(0.4)


@pytest.mark.parametrize("kind", FACTORS)
def test_a_factor_of_one_changes_nothing(noisy, kind):
    assert set(factors(noisy, "pause", **{kind: 1.0}).values()) == {1.0}


def test_a_front_that_only_hands_on_names_counts_less(model):
    files = {
        "web/index.ts": "export { pause } from './pause';\n",
        "lib/__init__.py": f'"""{FILLER}"""\n\n\ndef pause():\n    return "{FILLER[:300]}"\n',
        "lib/pause.py": "pause = 1\n",
    }
    view = view_of(model, files)
    plain, changed = run(view, "pause"), run(view, "pause", barrel=0.5)
    found = {place: changed[place] / plain[place] for place in plain}
    assert found["web/index.ts", 1] == pytest.approx(0.5)
    assert found["lib/pause.py", 1] == 1.0
    assert max(value for (path, _), value in found.items() if path == "lib/__init__.py") == 1.0


# ---------------------------------------------------------------- together


def test_stages_are_applied_to_nothing(model):
    assert run(view_of(model, {"a.txt": "x"}), "pause", coherence=1.0, definition=3.0) == {}


def test_gains_come_before_factors_and_saturation_last(model):
    view = view_of(model, {"tests/test_a.txt": f"pause pause\n{FILLER}\npause\n{FILLER}\n"})
    plain = run(view, "pause")
    found = run(view, "pause", coherence=0.5, test=0.3, saturation=0.5)
    first, second = sorted(plain.values(), reverse=True)[:2]
    expected = [0.3 * (first + 0.5 * first), 0.3 * 0.5 * second]
    assert sorted(found.values(), reverse=True)[:2] == pytest.approx(expected)
