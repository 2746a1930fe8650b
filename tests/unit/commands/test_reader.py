"""The first results of a question in words, read again by a sentence encoder."""

import json
import shutil
import subprocess
import sys
import threading
from importlib.machinery import ModuleSpec

import numpy as np
import pytest

from gitsearch.commands import reader
from gitsearch.commands.search import search
from gitsearch.errors import BadReader, UsageError
from gitsearch.features import sentence_encoder
from gitsearch.features.sentence_encoder import SentenceEncoder
from gitsearch.index.kept_open import KeptOpen
from gitsearch.index.session import Session
from gitsearch.retrieval.engine import Ranked
from gitsearch.retrieval.reading import READ, reordered
from gitsearch.settings import SearchRequest
from tests.unit.commands.asked import searched

QUESTION = "pause before a failed request is sent again"


@pytest.fixture(scope="module")
def encoder():
    return SentenceEncoder()


def places(report):
    return [(result.path, result.start, result.end) for result in report.results]


def test_what_is_nearer_to_the_question_overtakes_what_is_less_near(current):
    before = places(searched(current, QUESTION, reader="off", max_count=READ))
    after = searched(current, QUESTION, reader="on", max_count=READ)
    assert after.read
    assert after.warnings == ()
    assert places(after) != before
    assert sorted(places(after)) == sorted(before)
    scores = [result.score for result in after.results]
    assert scores == sorted(scores, reverse=True)
    gains = [result.explain["reader"] for result in after.results]
    rank = [before.index(place) for place in places(after)]
    overtaken = [(i, j) for j in range(len(rank)) for i in range(j) if rank[i] > rank[j]]
    assert overtaken
    assert all(gains[i] > gains[j] for i, j in overtaken)


def test_the_same_question_has_the_same_answer(current):
    once, again = (searched(current, QUESTION, reader="on").results for _ in range(2))
    assert once == again
    assert len(once) > 10


def test_pages_are_parts_of_one_order(current):
    whole = places(searched(current, QUESTION, reader="on", max_count=60))
    token: str | None = None
    seen: list[tuple[str, int, int]] = []
    scores: list[float] = []
    while len(seen) < 60:
        page = searched(current, QUESTION, reader="on", max_count=20, page=token)
        seen += places(page)
        scores += [result.score for result in page.results]
        token = page.next
    assert seen[:READ] == whole[:READ]
    assert len(set(seen)) == len(seen)
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("RetryPolicy", {}),
        ("where is RetryPolicy used", {}),
        (QUESTION, {"mode": "semantic"}),
        (QUESTION, {"mode": "lexical"}),
        (QUESTION, {"rerank": False}),
        ("'RetryPolicy('", {}),
    ],
)
def test_what_is_no_question_in_words_is_not_read(current, text, options):
    asked = searched(current, text, reader="on", **options)
    assert asked.results
    assert not asked.read
    assert places(asked) == places(searched(current, text, reader="off", **options))


def test_where_it_takes_long_only_a_process_that_stays_reads(current, monkeypatch):
    assert searched(current, QUESTION, reader="auto").read
    monkeypatch.setattr(reader, "_processors", lambda: 1)
    assert not searched(current, QUESTION, reader="auto").read
    assert searched(current, QUESTION, reader="on").read
    lasting = Session(current.path, kept=KeptOpen())
    assert search(lasting, SearchRequest(QUESTION, reader="auto")).read


def test_the_setting_is_followed_and_checked(current):
    current.git("config", "search.reader", "on")
    assert searched(current, QUESTION).read
    assert not searched(current, QUESTION, reader="off").read
    current.git("config", "search.reader", "off")
    assert not searched(current, QUESTION).read
    current.git("config", "search.reader", "perhaps")
    with pytest.raises(UsageError, match=r"search\.reader"):
        searched(current, QUESTION)


def test_without_onnxruntime_one_line_says_what_to_install(current):
    def asked(*words):
        program = (
            "import sys; sys.modules['onnxruntime'] = None; sys.argv[0] = 'git-search';"
            "from gitsearch.__main__ import main; main()"
        )
        command = [sys.executable, "-c", program, "--json", *words, QUESTION]
        done = subprocess.run(command, cwd=current.path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    plain, told, silent = (asked("--reader", when) for when in ("off", "on", "auto"))
    assert plain["results"] == told["results"] == silent["results"]
    assert (plain["warnings"], silent["warnings"]) == ([], [])
    (line,) = told["warnings"]
    assert "onnxruntime" in line
    assert "pip install" in line


def missing(folder):
    (folder / sentence_encoder.LAYERS).unlink()


def nothing(folder):
    shutil.rmtree(folder)


def damaged(folder):
    path = folder / sentence_encoder.TABLE
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def truncated(folder):
    path = folder / sentence_encoder.LAYERS
    path.write_bytes(path.read_bytes()[:-1])


def of_another_version(folder):
    path = folder / sentence_encoder.MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))


def without_list(folder):
    (folder / sentence_encoder.MANIFEST).unlink()


def random_bytes(folder):
    (folder / sentence_encoder.MANIFEST).write_bytes(b"\xfd\x00\xff")


def no_list(folder):
    (folder / sentence_encoder.MANIFEST).write_text("[1, 2")


def another_list(folder):
    (folder / sentence_encoder.MANIFEST).write_text("[1, 2]")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (missing, "/reader' has no layers.onnx; the order"),
        (nothing, "/reader' has no manifest.json; the order"),
        (without_list, "/reader' has no manifest.json; the order"),
        (random_bytes, "/reader' is damaged; the order"),
        (no_list, "/reader' is damaged; the order"),
        (another_list, "/reader' is damaged; the order"),
        (damaged, "damaged"),
        (truncated, "damaged"),
        (of_another_version, "another version"),
    ],
)
def test_an_encoder_that_cannot_be_used_costs_one_line(current, tmp_path, monkeypatch, harm, said):
    folder = tmp_path / "reader"
    shutil.copytree(sentence_encoder.PACKAGED, folder)
    harm(folder)
    with pytest.raises(BadReader):
        SentenceEncoder(folder)
    if harm in (nothing, without_list, random_bytes, no_list, another_list):
        assert sentence_encoder.fingerprint(folder) == ""
    monkeypatch.setattr(reader, "_encoder", lambda: SentenceEncoder(folder))
    report = searched(current, QUESTION, reader="on")
    assert not report.read
    (line,) = report.warnings
    assert said in line
    assert places(report) == places(searched(current, QUESTION, reader="off"))


# ---------------------------------------------------------------- the encoder


def test_a_text_that_answers_has_the_higher_score(encoder):
    near, far = encoder.scores(
        "read a file from disk",
        ["def load(path):\nreturn open(path).read()", "a fish in the sea"],
    )
    assert near > far + 0.1


def test_a_score_does_not_depend_on_what_is_read_beside(encoder):
    texts = ["a short one", "x = " + "1 + " * 300, "retry after a pause"]
    together = encoder.scores(QUESTION, texts)
    assert together.shape == (3,)
    for text, score in zip(texts, together, strict=True):
        assert encoder.scores(QUESTION, [text])[0] == score


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "!" * 400,
        "src/a.py x\n((()))",
        "名前を取得する",
        "\x00",
        "\udcff x",
        "é̈ ñ",
        "word " * 100_000,
        "x" * 1_000_000,
    ],
)
def test_any_text_is_read_as_far_as_it_counts(encoder, text):
    scores = encoder.scores(QUESTION, [text, text[:1024]])
    assert np.isfinite(scores).all()
    assert scores[0] == scores[1]


def test_a_name_is_read_as_its_words(encoder):
    question, names = "how long is a response waited for", "getResponseTimeout(maxSeconds);"
    words = encoder.scores(question, ["get response timeout max seconds"])
    assert np.array_equal(encoder.scores(question, [names]), words)
    assert np.array_equal(encoder.scores("how_long: is a Response waited for?", [names]), words)


@pytest.mark.parametrize(
    "question", ["где повторяется неудачный retry запроса", "失败的请求如何 retry"]
)
def test_a_question_in_unknown_words_keeps_its_order(current, encoder, question):
    assert not encoder.knows(question)
    before, after = (searched(current, question, reader=when) for when in ("off", "on"))
    assert before.results
    assert places(after) == places(before)
    assert [one.confidence for one in after.results] == [one.confidence for one in before.results]
    assert not after.read


def test_a_few_unknown_words_keep_nobody_from_reading(encoder):
    assert encoder.knows("how is запрос retried after a pause")
    assert encoder.knows("")


def test_the_names_of_special_tokens_are_words_in_a_text(encoder):
    plain, special = encoder.scores(QUESTION, ["unk sep pad", "[UNK] [SEP] [PAD]"])
    assert plain == special


def test_no_thread_is_left_when_all_is_read(encoder):
    before = threading.active_count()
    encoder.scores(QUESTION, ["retry after a pause"] * 5)
    assert threading.active_count() == before


def test_another_version_of_the_library_has_another_fingerprint(tmp_path, monkeypatch):
    library = tmp_path / "__init__.py"
    monkeypatch.setattr(
        sentence_encoder, "find_spec", lambda name: ModuleSpec(name, None, origin=str(library))
    )
    found = set()
    for version in ("1.20.0", "1.32.0"):
        library.write_text(f'__version__ = "{version}"\n')
        found.add(sentence_encoder.fingerprint())
    assert len(found) == 2
    assert "" not in found
    library.unlink()
    assert sentence_encoder.fingerprint() == ""


def test_of_a_long_question_its_beginning_counts(encoder):
    texts = ["retry after a pause", "a fish in the sea"]
    words = QUESTION.split() * 8
    scores = encoder.scores(" ".join(words), texts)
    assert np.array_equal(scores, encoder.scores(" ".join(words[:45]), texts))
    assert not np.array_equal(scores, encoder.scores(" ".join(words[:20]), texts))


# ---------------------------------------------------------------- the order


def test_results_that_are_not_read_stay_behind():
    hits = [Ranked(row, 1.0 - row / 100, {}, {}) for row in range(6)]
    order = reordered(hits, np.asarray([0.1, 0.2, 0.9, -0.5]), np.arange(4))
    assert [hit.row for hit in order] == [2, 1, 0, 3, 4, 5]
    assert [hit.read for hit in order] == [1, 2, 3, 4, None, None]
    scores = [hit.score for hit in order]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_what_is_far_ahead_stays_and_what_is_far_behind_is_read():
    hits = [Ranked(row, score, {}, {}) for row, score in enumerate((1.0, 0.8, 0.4, 0.2))]
    order = reordered(hits, np.asarray([0.5, 0.9, 0.5, 0.6]), np.arange(4))
    assert [hit.row for hit in order] == [1, 0, 3, 2]
    order = reordered(hits, np.asarray([0.5, 0.9, 0.5, 0.6]) / 2, np.arange(4))
    assert [hit.row for hit in order] == [0, 1, 3, 2]


def test_what_differs_only_in_the_last_digits_keeps_its_order():
    hits = [Ranked(row, 1.0, {}, {}) for row in range(3)]
    order = reordered(hits, np.asarray([0.30000, 0.30001, 0.30004]), np.arange(3))
    assert [hit.row for hit in order] == [0, 1, 2]


def test_the_first_results_of_a_question_of_how_are_of_several_files():
    hits = [Ranked(row, 1.0 - row / 100, {}, {}) for row in range(14)]
    nearness = np.asarray([0.9, 0.8, 0.7, 0.6, *[0.1] * 10])
    files = np.asarray([7, 7, 7, 8, *range(10, 20)])
    together = reordered(hits, nearness, files)
    assert [hit.row for hit in together] == list(range(14))
    order = reordered(hits, nearness, files, spread=0.5)
    assert [hit.row for hit in order[:4]] == [0, 3, 1, 2]
    scores = [hit.score for hit in order]
    assert scores == sorted(scores, reverse=True)
