"""A slip is one letter missing, too many, another, or two swapped; no other term is near."""

import random

import numpy as np
import pytest

from gitsearch.features.ragged import joined
from gitsearch.index.view import Segment
from gitsearch.retrieval import spelling

LETTERS = "abc_é"


def distance(one, other):
    """Damerau and Levenshtein's, by the book."""
    table = np.zeros((len(one) + 1, len(other) + 1), int)
    table[:, 0], table[0] = range(len(one) + 1), range(len(other) + 1)
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            steps = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b)]
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                steps.append(table[i - 2, j - 2] + 1)
            table[i, j] = min(steps)
    return table[-1, -1]


def segment_with(words):
    text, ends = joined(sorted(word.encode() for word in words))
    return Segment({"term_text": text, "term_ends": ends}, {"files": 0, "chunks": 0})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("policy", "polic", True),
        ("policy", "ploicy", True),
        ("policy", "policyy", True),
        ("policy", "olicy", True),
        ("policy", "polisy", True),
        ("policy", "policy", False),
        ("policy", "ploiyc", False),
        ("policy", "poly", False),
        ("policy", "policies", False),
        ("ab", "ba", True),
        ("abc", "cba", False),
        ("", "a", True),
        ("", "ab", False),
        ("", "", False),
    ],
)
def test_one_slip(one, other, expected):
    assert spelling.is_one_edit(one.encode(), other.encode()) is expected
    assert spelling.is_one_edit(other.encode(), one.encode()) is expected


def test_all_terms_at_a_distance_of_one_are_found_and_no_others():
    chance = random.Random(11)
    sizes = range(1, 9)
    words = {"".join(chance.choices(LETTERS, k=chance.choice(sizes))) for _ in range(400)}
    segment = segment_with(words)
    near = 0
    for _ in range(60):
        asked = "".join(chance.choices("abc", k=chance.choice(sizes))).encode()
        found = [
            segment.term_text(term).encode() for term in spelling.within_one_edit(segment, asked)
        ]
        assert found == sorted(w.encode() for w in words if distance(w.encode(), asked) == 1)
        near += len(found)
    assert near > 60


@pytest.mark.parametrize("words", [[], ["a"], ["retry"]])
def test_a_word_may_have_no_neighbours(words):
    assert spelling.within_one_edit(segment_with(words), b"tokenizer") == []
