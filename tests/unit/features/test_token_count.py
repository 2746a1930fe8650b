"""A text has as many tokens as tiktoken finds in it, or is said to have more."""

import base64
import hashlib
import heapq
import random
import zlib
from pathlib import Path

import pytest
import tiktoken

from gitsearch.features import token_count
from training import token_data

ROOT = Path(token_count.__file__).parents[2]
URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

# Characters at which the pattern decides, of all classes.
DECISIVE = (
    "ab sdmtlvre'STLVRE\u017f\r\n\t\v 0129\x1c\x85\xa0\u2028\u3000.,;=(){}_-\x00\x7féßñ日本語"
    "한글ไทยक्ष😀👍🏽²½Ⅷ٣\u0301\u200d\ufeff\ud83d\ude00\udc80"
)


def vocabulary() -> bytes:
    """The packaged tokens, written as tiktoken's file."""
    return b"".join(
        base64.b64encode(token) + b" %d\n" % rank for token, rank in token_count.ranks().items()
    )


@pytest.fixture(scope="module")
def encoding(tmp_path_factory):
    """tiktoken itself, which takes the packaged vocabulary for its own download."""
    cache = tmp_path_factory.mktemp("tiktoken")
    (cache / hashlib.sha1(URL.encode()).hexdigest()).write_bytes(vocabulary())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
        return tiktoken.get_encoding("cl100k_base")


def compare(encoding, texts):
    counted = {text: token_count.count(text) for text in texts}
    assert counted == {text: len(encoding.encode_ordinary(text)) for text in counted}


def random_texts(seed, number, longest, character):
    rng = random.Random(seed)
    for _ in range(number):
        yield "".join(character(rng) for _ in range(rng.randrange(1, longest)))


def test_the_vocabulary_is_the_file_that_tiktoken_demands():
    assert hashlib.sha256(vocabulary()).hexdigest() == SHA256


def test_the_data_is_what_the_script_makes_of_tiktoken(encoding):
    tokens = zlib.decompress((token_count.DATA / "tokens.zlib").read_bytes())
    assert token_data.tokens(encoding) == tokens
    assert token_data.classes() == (token_count.DATA / "classes.txt").read_text("ascii")


def test_code_and_prose_have_as_many_tokens_as_tiktoken_finds(encoding):
    paths = [*ROOT.glob("gitsearch/*/*.py"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*/*.py")]
    compare(encoding, [path.read_text("utf-8") for path in paths])
    # A text may begin and end anywhere.
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    compare(encoding, [text[at : at + 37] for at in range(0, len(text), 29)])


@pytest.mark.parametrize(
    "character",
    [
        pytest.param(lambda rng: chr(rng.randrange(128)), id="ascii"),
        pytest.param(lambda rng: rng.choice(DECISIVE), id="decisive"),
        pytest.param(lambda rng: chr(rng.randrange(0x3000)), id="alphabets"),
        pytest.param(lambda rng: chr(rng.randrange(0x110000)), id="all planes"),
        pytest.param(lambda rng: chr(rng.randrange(0xAC00, 0xD7A4)), id="hangul"),
        pytest.param(lambda rng: chr(rng.randrange(0x1F300, 0x1FB00)), id="emoji"),
        pytest.param(lambda rng: rng.choice("日月木水火土金一二三the "), id="without spaces"),
        pytest.param(lambda rng: rng.choice(" \t\n\r\u3000"), id="white space"),
        pytest.param(lambda rng: rng.choice("a\u0301\u0308\u200d\u20dd"), id="combining"),
        pytest.param(lambda rng: rng.choice("etaoinsrhl"), id="letters"),
        pytest.param(lambda rng: chr(rng.randrange(0xD7F0, 0xE010)), id="surrogates"),
    ],
)
def test_random_texts_have_as_many_tokens_as_tiktoken_finds(encoding, character):
    compare(encoding, random_texts(1, 600, 40, character))


@pytest.mark.parametrize("run", ["a", " ", "\n", "\t ", "=", "-", "7", "é", "字", "ab", "\u0301"])
def test_long_runs_have_as_many_tokens_as_tiktoken_finds(encoding, run):
    lengths = (2, 3, 63, 64, 65, 128, 129, 500, 1000)
    compare(encoding, [before + run * length for length in lengths for before in ("", "x")])


def test_a_piece_counts_exactly_up_to_a_length_and_by_its_bytes_beyond(encoding):
    letters = "".join(random.Random(2).choices("etaoinsrhl", k=token_count.LONGEST_PIECE + 1))
    compare(encoding, [letters[1:]])
    assert token_count.count(letters) == len(letters) > len(encoding.encode_ordinary(letters))
    assert token_count.count(f"short {letters} words") == 1 + len(f" {letters}") + 1


@pytest.mark.parametrize("letters", ["a", "ab", "etaoinsrhl"])
def test_merging_a_piece_takes_a_number_of_steps_in_proportion_to_its_length(letters, monkeypatch):
    steps = []

    def push(queue, pair):
        steps.append(pair)
        heapq.heappush(queue, pair)

    monkeypatch.setattr("gitsearch.features.token_count.heappush", push)
    piece = "".join(random.Random(3).choices(letters, k=token_count.LONGEST_PIECE))
    token_count.count(piece)
    assert 0 < len(steps) < 2 * len(piece)


def test_counts_stay_right_when_more_pieces_are_met_than_are_kept(encoding, monkeypatch):
    monkeypatch.setattr(token_count, "_CACHED", 50)
    token_count._counts.cache_clear()
    compare(encoding, random_texts(4, 200, 30, lambda rng: rng.choice("etaoinsrhl ")))
    assert len(token_count._counts()) <= 50


def test_no_text_has_no_tokens():
    assert token_count.count("") == 0
