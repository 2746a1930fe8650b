"""Which files are read first: by the words that git finds in them, by their paths and kinds."""

import re

import numpy as np
import pytest

from gitsearch.index.view import RestTerm
from gitsearch.retrieval import file_choice
from gitsearch.retrieval.file_choice import Classifier, WordCounts
from gitsearch.retrieval.query import parse


class Files:
    """Files that need no git: texts by path."""

    def __init__(self, texts, absent=()):
        self.paths = list(texts)
        self._texts = list(texts.values())
        self._absent = absent

    def sizes(self, numbers):
        known = [-1 if i in self._absent else len(self._texts[i]) for i in numbers]
        return np.asarray(known, np.int64)

    def counts(self, sought):
        found = re.compile(file_choice.pattern(sought, perl=False).encode(), re.IGNORECASE)
        places = [(i, text) for i, data in enumerate(self._texts) for text in found.findall(data)]
        distinct = list(dict.fromkeys(text for _, text in places))
        return WordCounts(
            sought,
            np.asarray([file for file, _ in places], np.int64),
            np.asarray([distinct.index(text) for _, text in places], np.int64),
            list(map(Classifier(sought), distinct)),
            {},
        )

    def ranked(self, text):
        query = parse(text)
        sought = file_choice.names(query) or file_choice.words(query)
        order = file_choice.ranked(query, self, sought, self.counts(sought))
        return [self.paths[number] for number in order]


def found(text, query, *, perl=True):
    """What a pattern for a query matches in a text, by Python's own expressions."""
    parsed = parse(query)
    sought = file_choice.names(parsed) or file_choice.words(parsed)
    pattern = file_choice.pattern(sought, perl=perl)
    return [one[0] for one in re.finditer(pattern, text, re.IGNORECASE)]


@pytest.mark.parametrize("perl", [True, False])
def test_a_word_is_found_in_all_its_forms_and_in_longer_names(perl):
    text = "retry Retries retried MAX_RETRIES shouldRetryNow entry"
    assert found(text, "how is a retry counted", perl=perl) == [
        *("retry", "Retries", "retried", "RETRIES", "RetryNow")
    ]


def test_a_short_word_is_found_only_where_it_stands_alone():
    assert found("id userId ID width identity", "what is the id of it") == ["id", "Id", "ID"]


def test_a_name_is_found_whole_however_it_is_written():
    text = "getUserById get_user_by_id forgetUserById GetUserByIdOrNull getUser"
    assert found(text, "getUserById") == ["getUserById", "get_user_by_id", "GetUserByIdOrNull"]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("where is it retried", b"Retried", [("retried", 1.0)]),
        ("where is it counted", b"count_later", [("count", 0.5)]),
        ("where is it retried", b"retrograde", []),
        ("Router", b"Router", [("router", 1.0)]),
        ("Router", b"RouterGroup", [("", 0.2)]),
        ("消息队列 where", "消息队列".encode(), [("消息队列", 1.0)]),
    ],
)
def test_a_text_counts_for_the_words_in_it(query, text, expected):
    parsed = parse(query)
    sought = file_choice.names(parsed) or file_choice.words(parsed)
    assert [(one.term, one.weight) for one in Classifier(sought)(text)] == expected


def test_files_with_rarer_words_come_first_and_tests_later():
    files = Files(
        {
            b"src/backoff.py": b"def pause(): retry with jitter\n" * 5,
            b"src/client.py": b"retry\n" * 40,
            b"tests/test_backoff.py": b"retry with jitter\n" * 40,
            b"src/other.py": b"nothing of it\n" * 40,
        }
    )
    assert files.ranked("where is the jitter of a retry") == [
        *(b"src/backoff.py", b"src/client.py", b"tests/test_backoff.py")
    ]


def test_the_path_alone_is_enough():
    files = Files({b"lib/scheduler.c": b"int main;", b"lib/other.c": b"int main;"})
    assert files.ranked("how does the scheduler work") == [b"lib/scheduler.c"]


def test_a_file_that_cannot_be_read_is_left_out():
    files = Files({b"a.py": b"jitter", b"b.py": b"jitter"}, absent=[0])
    assert files.ranked("what has jitter") == [b"b.py"]


def test_terms_are_counted_in_the_files_that_are_not_read():
    files = Files({b"a.py": b"jitter jitters", b"b.py": b"jitter jitter", b"c.py": b"none"})
    counts = files.counts(file_choice.words(parse("what has jitter")))
    read = np.asarray([True, False, False])
    assert counts.terms(read) == {"jitter": RestTerm(2, 1), "jitters": RestTerm(0, 0)}
    assert counts.terms(~read) == {"jitter": RestTerm(1, 1), "jitters": RestTerm(1, 1)}


def test_words_that_are_everywhere_are_left_out_with_an_estimate(monkeypatch):
    monkeypatch.setattr(file_choice, "_MOST_PLACES", 1000)
    sought = file_choice.words(parse("where is the jitter of a string"))
    kept, left_out = file_choice.telling(sought, [b"string string", b"string jitter"], 1000)
    assert [word.text for word in kept] == ["jitter"]
    assert left_out == {"string": RestTerm(1500, 1000)}
    alone, _ = file_choice.telling(sought[1:], [b"string string"], 1000)
    assert [word.text for word in alone] == ["string"]
