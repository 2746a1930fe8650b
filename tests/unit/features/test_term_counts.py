"""The terms of every chunk are counted as one would by hand."""

from collections import Counter

import numpy as np

from gitsearch.features import identifiers
from gitsearch.features.term_counts import SCOPE_WEIGHT, TermCounter, TermCounts


def naive(text: str, scope: list[str]) -> tuple[Counter[str], Counter[str]]:
    """Occurrences for BM25, and weights for the vector, counted word by word."""
    frequency: Counter[str] = Counter()
    weight: Counter[str] = Counter()
    for times, source in ((1, [text]), (SCOPE_WEIGHT, scope)):
        for word in identifiers.identifiers(" ".join(source)):
            parts = identifiers.parts(word)
            frequency.update(parts)
            weight.update(parts * times)
            if len(parts) > 1:
                frequency[identifiers.compound(word)] += 1
            frequency.update(identifiers.fragments(word))
    return frequency, weight


def counted(counts: TermCounts) -> list[tuple[dict[str, int], dict[str, int]]]:
    """The same by chunk, read from the arrays."""
    found = []
    for start, end in zip(counts.indptr, counts.indptr[1:], strict=False):
        row = counts.term[start:end]
        assert (np.diff(row.astype(np.int64)) > 0).all(), "terms of a chunk ascend"
        texts = [counts.terms[i] for i in row]
        frequency = dict(zip(texts, counts.tf[start:end].tolist(), strict=True))
        weight = dict(zip(texts, counts.weight[start:end].tolist(), strict=True))
        found.append((frequency, {text: times for text, times in weight.items() if times}))
    return found


CHUNKS = [
    ("def computeDelay(self, attempt): return self.base_delay * 2 ** attempt", ["RetryPolicy"]),
    ("", []),
    ("x = 1", []),
    ("{ } ( ) ; ---", []),
    ("baseDelay base_delay basedelay BASE_DELAY", ["base_delay", "Outer"]),
    ("größe Größe GRÖSSE", []),
    ("the same words the same words", ["same", "same"]),
    ("消息队列的管理器 重试失败的请求 x", ["重试Policy"]),
    ("a" * 200 + " kept", []),
]


def test_counts_are_those_of_a_naive_counter():
    counter = TermCounter()
    for text, scope in CHUNKS:
        counter.add(text, scope)
    counts = counter.counts()
    assert len(set(counts.terms)) == len(counts.terms)
    expected = [naive(text, scope) for text, scope in CHUNKS]
    assert counted(counts) == [(dict(tf), dict(weight)) for tf, weight in expected]


def test_a_compound_counts_for_bm25_and_not_for_the_vector():
    counter = TermCounter()
    counter.add("retryPolicy", ())
    ((frequency, weight),) = counted(counter.counts())
    assert frequency == {"retry": 1, "policy": 1, "retrypolicy": 1}
    assert weight == {"retry": 1, "policy": 1}


def test_a_word_that_is_a_part_here_and_a_compound_there_is_one_term():
    counter = TermCounter()
    counter.add("retrypolicy retryPolicy", ())
    ((frequency, weight),) = counted(counter.counts())
    assert frequency == {"retrypolicy": 2, "retry": 1, "policy": 1}
    assert weight == {"retrypolicy": 1, "retry": 1, "policy": 1}


def test_enclosing_names_count_once_for_bm25_and_more_for_the_vector():
    counter = TermCounter()
    counter.add("return delay", ["delay", "Policy"])
    ((frequency, weight),) = counted(counter.counts())
    assert frequency == {"return": 1, "delay": 2, "policy": 1}
    assert weight == {"return": 1, "delay": 1 + SCOPE_WEIGHT, "policy": SCOPE_WEIGHT}


def test_very_frequent_terms_stop_at_the_largest_number_instead_of_wrapping():
    counter = TermCounter()
    counter.add("x " * 70_000, ())
    ((frequency, weight),) = counted(counter.counts())
    assert frequency == weight == {"x": 65535}


def test_nothing_added_is_no_chunk():
    counts = TermCounter().counts()
    assert counts.terms == []
    assert counts.indptr.tolist() == [0]
