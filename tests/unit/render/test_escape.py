import json
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsearch.render.escape import folded, json_safe, lossy, plain, quoted, raw

HOSTILE = ["\x1b[2J", "\x07", "\x9b31m", "\r", "\x7f", "\u202e", "\u2066", "\u200f", "\udcff"]
ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\u202eb", "a\\u202eb"),
        ("\x9b31m", "\\x9b31m"),
        ("\U000e0041", "\\U000e0041"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\\ud800"),
        ("\tif x:", "\tif x:"),
        ("Grüße 中文 👩‍💻", "Grüße 中文 👩‍💻"),
        ("C:\\new", "C:\\new"),
    ],
)
def test_plain_text_spells_out_what_steers_a_terminal(text, shown):
    assert plain(text) == shown


@given(ANY_TEXT)
def test_nothing_unsafe_is_left_in_any_text(text):
    for harmless in (plain(text), folded(text), quoted(text), json_safe(json.dumps(text))):
        harmless.encode("utf-8")
        for character in harmless.replace("\t", ""):
            assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
            assert unicodedata.bidirectional(character) not in (
                *("LRE", "RLE", "LRO", "RLO", "PDF"),
                *("LRI", "RLI", "FSI", "PDI"),
            )


@pytest.mark.parametrize(
    "name",
    [
        b"plain.py",
        b"two words",
        b'quo"te',
        b"back\\slash",
        b"a\nb",
        b"\x1b[1m",
        b"\xff\xfe",
        b"t\tb",
    ],
)
def test_paths_are_quoted_as_git_quotes_them(repo, name):
    repo.run("update-index", "--add", "--cacheinfo", f"100644,{'1' * 40},x")
    entry = b"100644 " + b"1" * 40 + b"\t" + name + b"\0"
    subprocess.run(
        ["git", "update-index", "-z", "--index-info"], cwd=repo.path, input=entry, check=True
    )
    listed = subprocess.run(
        ["git", "-c", "core.quotePath=false", "ls-files", "--", ":(exclude)x"],
        cwd=repo.path,
        check=True,
        capture_output=True,
    ).stdout
    shown = quoted(name.decode("utf-8", "surrogateescape"))
    # git prints bytes that are no UTF-8 as they are, with core.quotePath=false
    assert shown == listed.decode().strip("\n") if name.isascii() else shown == '"\\377\\376"'


def test_bidi_in_a_path_is_quoted_although_git_would_not():
    assert quoted("a\u202eb") == '"a\\342\\200\\256b"'


@given(ANY_TEXT)
def test_json_keeps_its_meaning(text):
    value = lossy(text)
    document = json.dumps({"k": value}, ensure_ascii=False, indent=1)
    assert json.loads(json_safe(document)) == {"k": value}


@given(st.binary())
def test_raw_gives_back_the_bytes_of_a_path(data):
    assert raw(data.decode("utf-8", "surrogateescape")) == data


def test_lossy_is_valid_unicode_and_leaves_valid_text_alone():
    assert lossy("caf\udce9") == "caf\ufffd"
    assert lossy("café") == "café"


@pytest.mark.parametrize("bad", HOSTILE)
def test_folded_is_one_harmless_line(bad):
    assert "\n" not in folded(f"a\n {bad}\tb")
    assert bad not in folded(f"a\n {bad}\tb") or bad.isspace()
