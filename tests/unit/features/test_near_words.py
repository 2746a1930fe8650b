"""Words that the packaged embedding finds near to each other, kept in a file."""

import numpy as np
import pytest

from gitsearch.errors import BadModel
from gitsearch.features import near_words
from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.retrieval.query import inflected
from training import near_words as making

WORDS = ("login", "delete", "config", "throttle", "permission", "button", "parse", "queue")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The file is another one, of which nothing is known yet."""
    path = tmp_path / "near_words.bin"
    monkeypatch.setattr(near_words, "PACKAGED", path)
    for one in (near_words._table, near_words._listed):
        monkeypatch.setattr(near_words, one.__name__, one.__wrapped__)
    return path


def test_the_file_is_made_of_the_packaged_embedding():
    words, rows = making.known(Model(PACKAGED))
    assert len(words) > 20_000
    for word in WORDS:
        at = words.index(word)
        (made,) = making.nearest(words, rows, range(at, at + 1)).values()
        assert made
        assert near_words.near(word) == made
        assert not {word, *inflected(word)} & {*made}
    assert "signin" in near_words.near("login")


@pytest.mark.parametrize(
    "word", ["", "xyzzyplugh", "\n", "log\nin", "名前", "\udcff", "a" * 10_000]
)
def test_nothing_is_near_to_other_words(word):
    assert near_words.near(word) == []


def test_what_is_packed_is_found(kept):
    words = ["open", "close", "shut"]
    numbers = np.asarray([[-1, -1], [2, -1], [1, 0]])
    kept.write_bytes(near_words.packed(words, numbers))
    assert [near_words.near(word) for word in words] == [[], ["shut"], ["close", "open"]]


@pytest.mark.parametrize("part", [0, 1, 4, -1])
def test_a_damaged_file_is_said(kept, part):
    whole = near_words.packed(["open", "shut"], np.asarray([[1], [0]]))
    kept.write_bytes(whole[:part])
    with pytest.raises(BadModel, match=r"near_words\.bin"):
        near_words.near("open")


def test_a_file_that_is_absent_is_said(kept):
    with pytest.raises(BadModel, match=r"near_words\.bin"):
        near_words.near("open")
    assert not kept.exists()
