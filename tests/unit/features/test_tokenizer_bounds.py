"""Tokenisers that are in use are bounded; those that backtrack, grow or are unknown are not."""

import base64
import json

import pytest

from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.features.tokenizer_bounds import UnboundedTokenizer, paths, require

# The patterns of tokenisers that are in wide use.
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT4O = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def written(*steps, key="normalizers"):
    return json.dumps({"type": "Sequence", key: list(steps)}).encode()


def replaced(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def split(pattern):
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


def charsmap(*texts):
    return base64.b64encode(b"\4\0\0\0trie" + b"\0".join(texts) + b"\0").decode()


@pytest.mark.parametrize("pattern", [GPT2, LLAMA3, GPT4O, r"\s+", " {2,}", r"[\!\"\#\[\]\\]", "x"])
def test_patterns_in_use_are_taken(pattern):
    require(None, written(split(pattern), {"type": "ByteLevel"}, key="pretokenizers"))


def test_the_steps_of_sentencepiece_and_of_the_packaged_model_are_taken():
    table = {"type": "Precompiled", "precompiled_charsmap": charsmap(b"a", b"x" * 18)}
    plain = ({"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"})
    require(written(replaced("``", '"'), *plain, table, replaced(" {2,}", " ", "Regex")), None)
    assert Model(PACKAGED).tokens(["retry"])


HANGING = {
    "nested": r"(a+)+$",
    "alternatives": r"(?:a|aa)+$",
    "counted group": r"(?:a{1,50}){50}b",
    "optional ones": "a?" * 40 + "a" * 40,
    "groups of alternatives": "(?:a|aa)" * 40 + "b",
    "many loops": r"\w*" * 6 + "!",
    "back reference": r"(\w+)\1",
    "recursion": r"(?<x>a\g<x>*b)",
    "named": r"(?P<x>a+)",
    "absent": r"(?~ab)",
    "repeated quantity": "a{2,}{2,}{2,}",
    "cut short": "(a",
    "closed twice": "a)",
    "class in class": "[a-z&&[^b]]+",
    "count without bounds": "a{1,100000}",
}


@pytest.mark.parametrize("name", HANGING)
def test_patterns_that_may_hang_are_not(name):
    with pytest.raises(UnboundedTokenizer):
        require(written(replaced(HANGING[name], "", "Regex")), None)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([replaced("a", "aa")] * 30, "characters of a word"),
        ([replaced("", "aa")] * 30, "characters of a word"),
        ([replaced("x", "y" * 5000)], "characters of a word"),
        ([replaced("x", "y" * 5000, "Regex")], "characters of a word"),
        ([{"type": "Prepend", "prepend": "y" * 200_000}], "characters of a word"),
        ([{"type": "ByteLevel"}] * 12, "characters of a word"),
        (
            [{"type": "Precompiled", "precompiled_charsmap": charsmap(b"y" * 9999)}],
            "characters of a word",
        ),
        ([{"type": "Precompiled", "precompiled_charsmap": "?"}], "cannot be read"),
        ([{"type": "Lua"}], "unknown kind 'Lua'"),
        ([{"type": "Lowercase"}] * 40, "40 steps"),
    ],
)
def test_steps_that_grow_without_bound_or_are_unknown_are_not(steps, expected):
    with pytest.raises(UnboundedTokenizer, match=expected):
        require(written(*steps), None)


def test_ways_multiply_along_a_sequence_and_add_up_over_alternatives():
    assert paths("abc", 50) == 1
    assert paths("a?b?", 50) == 4
    assert paths("a*b+", 50) == 2500
    assert paths("a*|b+|c", 50) == 101
    assert paths("(?:a*|b)?c*", 50) == (51 + 1) * 50
    assert paths("a{1,3}", 50) == 3
    assert paths("a{2,}", 50) == 50
