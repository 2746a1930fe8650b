"""The arrays of a segment say what the files say, and a view of several is a view of one."""

import gc
import weakref
from collections import Counter

import numpy as np
import pytest

from gitsearch.extract.facts import facts
from gitsearch.features import identifiers
from gitsearch.features.embedding import PACKAGED, Model, scales
from gitsearch.features.ragged import joined, narrowed
from gitsearch.index import view_terms
from gitsearch.index.view import Segment, View, row_of
from tests.sample import CACHE, LEXER, METRIC, RETRY
from tests.unit.index.views import segment_of, texts_of, view_of

FILES = {
    "service/network/retry_policy.py": RETRY.render("python"),
    "service/copy/retry_again.py": RETRY.render("python"),
    "src/page_cache.rs": CACHE.render("rust"),
    "a/b/c/d/e/token-stream.md": LEXER.render("markdown"),
    "internal/latency.go": METRIC.render("go"),
    "größe.txt": "Die größe zählt, 名前 auch.\n",
    "empty.py": "",
    "data.bin": "\0",
    "vendor/x.js": "skip:vendored",
    "link": "skip:symlink",
    "README": "Nothing but words, retry words.\n" * 80,
}


@pytest.fixture(scope="module")
def model():
    return Model(PACKAGED)


@pytest.fixture(scope="module")
def whole(model):
    return segment_of(FILES, model)


@pytest.fixture(scope="module")
def view(model):
    return view_of(model, FILES)


def naive_terms(text, names=(), path=""):
    """Occurrences of each term in a chunk: in text and enclosing names, in the path."""
    own = identifiers.identifiers(text) + [
        w for name in names for w in identifiers.identifiers(name)
    ]
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    far = identifiers.identifiers(stem) * 2
    far += [word for folder in folders[-3:] for word in identifiers.identifiers(folder)]
    return counted(own), counted(far)


def counted(words):
    found: Counter[str] = Counter()
    for word in words:
        parts = identifiers.parts(word)
        found.update(parts + identifiers.fragments(word))
        if len(parts) > 1:
            found[identifiers.compound(word)] += 1
    return found


def expected_terms(view):
    """The same for all rows of a view of FILES, in order."""
    out = []
    for path in sorted(FILES, key=str.encode):
        text = FILES[path]
        if text.startswith("skip:") or text == "\0":
            continue
        data = text.encode()
        kind = {"py": "python", "rs": "rust", "md": "markdown", "go": "go"}
        found = facts(data, kind.get(path.rpartition(".")[2], "text"))
        for chunk in found.chunks:
            names, at = [], chunk.scope
            while at >= 0:
                names.append(found.definitions[at].name)
                at = found.definitions[at].parent
            out.append(naive_terms(data[chunk.start : chunk.end].decode(), names, path))
    return out


def test_postings_are_those_of_a_naive_count(view, whole):
    expected = expected_terms(view)
    found: list[Counter[str]] = [Counter() for _ in range(whole.chunks)]
    for number in range(len(whole["term_ends"]) - 1):
        text = whole._text("term", number).decode()
        ((rows, tf),) = whole.postings(np.asarray([number]))
        assert (np.diff(rows) > 0).all()
        for row, times in zip(rows.tolist(), tf.tolist(), strict=True):
            found[row][text] = times
    # occurrences in the text count up to 15, lengths are whole
    kept = [Counter({text: min(n, 15) for text, n in own.items()}) + far for own, far in expected]
    assert [dict(one) for one in found] == [dict(one) for one in kept]
    assert max(max(own.values(), default=0) for own, _ in expected) > 15
    assert whole["length"].tolist() == [own.total() + far.total() for own, far in expected]


def test_terms_are_found_by_their_text(whole):
    texts = [whole._text("term", i).decode() for i in range(len(whole["term_ends"]) - 1)]
    assert texts == sorted(texts, key=str.encode)
    assert [whole.term(text) for text in texts] == list(range(len(texts)))
    assert {"gr", "öß", "e", "größe", "名前"} <= set(texts)
    for text in ("nowhere", "", "~", "zzzzzz", "\U0010ffff"):
        assert whole.term(text) == -1


def test_the_tokens_of_many_terms_are_those_of_each(whole):
    texts = [whole._text("term", i).decode() for i in range(len(whole["term_ends"]) - 1)]
    assert max(map(len, texts)) > 8 > min(map(len, texts))
    found = whole.spelt(["", "zzz", *reversed(texts), "retrypolicx", "名", "\U0010ffff" * 3])
    assert list(found) == texts[::-1]
    assert found == {text: whole.tokens(i) for i, text in enumerate(texts)}
    assert whole.spelt([]) == {}


def test_few_terms_of_many_are_found_before_all_are_prepared():
    numbers = [f"{n:0{1 + n % 9}d}" for n in range(3_000)]
    texts = sorted({*numbers, *(f"beginning_alike_{n}" for n in range(900)), "z"})
    text, ends = joined([one.encode() for one in texts])
    asked = [*texts, "beginning_alike", "beginning_alike_1000", "", "zz", "beginning"]
    places = {one: i for i, one in enumerate(texts)}
    for size in (1, 7, 1_000):
        for start in range(0, len(asked), size):
            few = asked[start : start + size]
            # a segment of its own, for all are prepared where many were asked for
            arrays = {"term_text": text, "term_ends": narrowed(ends)}
            segment = Segment(arrays, {"files": 0, "chunks": 0})
            assert segment.numbers(few) == [places.get(one, -1) for one in few]


def test_terms_are_found_in_all_segments_at_once(monkeypatch, model):
    parts: tuple[dict[str, str], ...] = (
        {"a.py": "def beginning_alike(): retry12 retry1234"},
        {},
        {"b.py": "retry1234x"},
    )
    segments = [segment_of(files, model) for files in parts]
    view = View(tuple(segments), tuple(np.ones(one.files, bool) for one in segments), model)
    texts = ["retry", "1234", "beginningalike", "beginningali", "alike", "x", "b", "nowhere", "py"]
    expected = [[segment.term(text) for segment in segments] for text in texts]
    assert any(number >= 0 for own in expected for number in own)
    for most in (1 << 19, 1, 0):
        # however few are remembered, also where all are prepared for the search
        monkeypatch.setattr(view_terms, "_REMEMBERED", most)
        for size in (1, 4, len(texts)):
            for start in range(0, len(texts), size):
                found = view.numbers(texts[start : start + size])
                assert found.tolist() == expected[start : start + size]
    assert view.numbers([]).shape == (0, len(segments))


def test_a_segment_without_terms_spells_nothing(model):
    assert segment_of({}, model).spelt(["retry"]) == {}


@pytest.mark.parametrize("prefix", ["re", "retry", "r", "", "zzz", "ü", "名", "~", "retrypolic"])
def test_terms_are_found_by_how_they_begin(model, prefix):
    own = segment_of(FILES, model)
    texts = [own._text("term", i).decode() for i in range(len(own["term_ends"]) - 1)]
    expected = [text for text in texts if text.encode().startswith(prefix.encode())]
    assert [texts[i] for i in own.prefixed(prefix)] == expected
    # where all terms are prepared for the search
    own.numbers(texts)
    assert own._has_heads
    assert [texts[i] for i in own.prefixed(prefix)] == expected


def test_files_are_found_by_path(view, whole):
    for path in FILES:
        found = view.find(path.encode())
        assert found is not None
        assert found[0].path(found[1]).decode() == path
        assert whole.path(row_of(whole, path.encode())).decode() == path
    for other in (b"", b"service", b"zzz", b"READM", b"README ", b"\xff"):
        assert view.find(other) is None
    assert [segment.path(file).decode() for segment, file in view.each_file()] == sorted(
        FILES, key=str.encode
    )


def test_every_byte_of_a_searched_file_lies_in_one_row(view):
    texts: dict[str, str] = {}
    for row, text in enumerate(texts_of(view, FILES, range(view.count))):
        segment, inside = view.locate(row)
        path = segment.path(int(segment["chunk_file"][inside])).decode()
        texts[path] = texts.get(path, "") + text
    searched = {path: text for path, text in FILES.items() if text and text[0] not in "s\0"}
    assert texts == searched


def test_symbols_stand_in_the_chunk_in_which_they_start(whole):
    assert len(whole["symbol_chunk"]) > 20
    for symbol, row in enumerate(whole["symbol_chunk"].tolist()):
        assert whole["chunk_file"][row] == whole["symbol_file"][symbol]
        within = int(whole["symbol_start"][symbol]) - int(whole["chunk_start"][row])
        assert 0 <= within < int(whole["chunk_size"][row])


def test_symbols_have_their_names_and_kinds(whole):
    found = {
        (whole.qualified(i), whole.name(i), whole.kind(i))
        for i in range(len(whole["symbol_kind"]))
    }
    assert ("RetryPolicy.compute_delay", "compute_delay", "method") in found
    assert ("RetryPolicy", "RetryPolicy", "class") in found


def test_symbols_are_found_by_the_terms_of_their_names(whole):
    for word, name in (("retrypolicy", "RetryPolicy"), ("delay", "compute_delay")):
        number = whole.term(word)
        start, end = whole["name_ends"][number : number + 2].tolist()
        names = {whole.name(symbol) for symbol in whole["name_symbol"][start:end].tolist()}
        assert name in names


def test_chunks_of_one_content_at_two_places_have_their_own_symbols(view, whole):
    for path in ("service/network/retry_policy.py", "service/copy/retry_again.py"):
        file = row_of(whole, path.encode())
        first, last = whole["file_chunk"][file : file + 2].tolist()
        symbols = whole["chunk_symbol"][first:last]
        assert (symbols >= 0).any()
        assert {int(whole["symbol_file"][symbol]) for symbol in symbols if symbol >= 0} == {file}


def test_vectors_and_codes_agree(view, whole):
    vectors = view.vectors(np.arange(view.count))
    bits = np.unpackbits(
        np.ascontiguousarray(whole["code"].T).view(np.uint8), axis=1, bitorder="little"
    )
    assert (bits[:, : vectors.shape[1]] == (vectors > 0)).all()
    norms = np.linalg.norm(vectors * scales(vectors)[:, None], axis=1)
    assert norms == pytest.approx(1, abs=1e-12)


def test_tokens_of_words_are_those_of_the_model(view, model):
    words = ["retry", "policy", "großvater", "unheardof"]
    assert view.tokens(words) == [token for one in model.tokens(words) for token in one]


def test_coverage_counts_files_by_reason(view):
    covered = view.coverage()
    assert covered.tracked == len(FILES)
    skipped = {reason: count for reason, count in covered.skipped.items() if count}
    assert skipped == {"binary": 1, "symlink": 1, "vendored": 1}
    assert covered.searchable == len(FILES) - 3


# ---------------------------------------------------------------- several segments


LAYERS = (
    {
        **FILES,
        "README": "Other words.\n",
        "gone.py": "GONE = retry\n",
        "src/page_cache.rs": "//\n",
    },
    {"README": FILES["README"], "gone.py": None, "empty.py": "x = 1\n", "link": "retry\n"},
    {"empty.py": "", "src/page_cache.rs": FILES["src/page_cache.rs"], "link": "skip:symlink"},
)


@pytest.fixture(scope="module")
def layered(model):
    return view_of(model, *LAYERS)


def in_order(view):
    """Live rows by path and position."""
    keys = []
    for row in np.flatnonzero(view.live).tolist():
        segment, inside = view.locate(row)
        path = segment.path(int(segment["chunk_file"][inside]))
        keys.append((path, int(segment["chunk_start"][inside]), row))
    return [row for _, _, row in sorted(keys)]


def test_layers_are_the_files_they_leave(view, layered):
    assert not all(layered.whole)
    assert layered.coverage() == view.coverage()
    assert layered.count == view.count
    assert layered.total_length == view.total_length
    paths = [[segment.path(file) for segment, file in one.each_file()] for one in (view, layered)]
    assert paths[0] == paths[1]


def test_rows_of_layers_hold_what_rows_of_one_segment_hold(view, layered):
    here, there = (np.asarray(in_order(one)) for one in (view, layered))
    lines = ("chunk_first_line", "chunk_more_lines")
    for name in ("chunk_start", "chunk_size", *lines, "length"):
        assert (view.column(name, here) == layered.column(name, there)).all(), name
    assert (view.vectors(here) == layered.vectors(there)).all()
    here, there = view.files(here), layered.files(there)
    assert (view.path_vectors(here) == layered.path_vectors(there)).all()


def test_files_are_numbered_across_segments(layered):
    rows = np.flatnonzero(layered.live)
    for row, number in zip(rows.tolist(), layered.files(rows).tolist(), strict=True):
        segment, inside = layered.locate(row)
        found, file = layered.file(number)
        assert found is segment
        assert file == segment["chunk_file"][inside]
    with pytest.raises(IndexError):
        layered.file(sum(segment.files for segment in layered.segments))


def test_a_path_is_found_where_it_lives(layered):
    found = layered.find(b"README")
    assert found is not None
    assert layered.segments.index(found[0]) == 1
    assert layered.find(b"gone.py") is None


def test_a_view_of_nothing_has_nothing(model):
    nothing = view_of(model, {})
    assert (nothing.count, nothing.total_length) == (0, 0)
    assert nothing.coverage().tracked == 0
    assert nothing.find(b"x") is None
    assert nothing.tokens([]) == []
    removed = view_of(model, {"a.py": "x = 1\n"}, {"a.py": None})
    assert removed.count == 0
    assert removed.coverage().tracked == 0


def test_where_terms_occur_is_read_once_and_found_again(monkeypatch):
    sizes = {"few": 2, "many": 900, "none": 0, "most": 5_000, "other": 800}
    read = []

    def find(texts):
        read.extend(texts)
        return [[(np.arange(sizes[text]), np.ones(sizes[text], np.uint8))] for text in texts]

    def asked(*texts):
        read.clear()
        found = terms.of(texts, find)
        assert [len(parts[0][0]) for parts in found] == [sizes[text] for text in texts]
        return set(read)

    monkeypatch.setattr(view_terms, "_MOST_ROWS", 1_000)
    monkeypatch.setattr(view_terms, "_LEAST_ROWS", 10)
    terms = view_terms.TermOccurrences()
    assert asked("few", "many", "few") == {"few", "many"}
    assert asked("many", "few") == set()
    assert asked("none") == {"none"}
    assert asked("few", "many", "none") == set()
    # more than is remembered of all
    assert asked("few", "most") == asked("most") == {"most"}
    assert asked("few", "many", "none") == set()
    # what was asked for last is remembered
    assert asked("other") == {"other"}
    assert asked("other", "few", "none") == set()
    assert asked("many") == {"many"}


def test_occurrences_that_are_remembered_keep_no_others_in_memory():
    every = [np.arange(100_000)]
    others = weakref.ref(every[0])
    terms = view_terms.TermOccurrences()
    terms.of(["few"], lambda _: [[(every[0][:2_000], np.ones(2_000, np.uint8))]])
    every.clear()
    gc.collect()
    assert others() is None
    ((rows, _),) = terms.of(["few"], lambda _: [])[0]
    assert rows.tolist() == list(range(2_000))


def test_a_view_finds_the_same_occurrences_again(view):
    texts = ["retry", "delay", "nowhere"]
    before = view.occurrences(texts)
    again = view.occurrences([*reversed(texts), "policy"])
    for parts, same in zip(before, again[2::-1], strict=True):
        for own, other in zip(parts, same, strict=True):
            assert all(map(np.array_equal, own, other))
