"""The lines of an exported index: nothing is parsed again, and no forged line is believed."""

import msgspec
import pytest

from gitsearch.extract.facts import facts
from gitsearch.index.fact_columns import BlobKey
from gitsearch.index.shared_facts import SharedFacts, decoded, extracted
from tests.sample import RETRY, TOPICS, minified

TEXT = RETRY.render("python").encode()
KEY = BlobKey("1" * 40, "python")
TEXTS = {
    **{f"{topic.words} in {language}": (language, topic.render(language).encode())
       for topic in TOPICS[:4] for language in ("python", "go", "rust", "markdown")},
    "nothing": ("python", b""),
    "blank": ("python", b"\n \n"),
    "binary": ("python", b"\0\1"),
    "generated": ("javascript", minified().encode()),
    "told by its content": ("?h", b"class A { public: int b(); };\n"),
    "no UTF-8": ("python", b"def \xff\xfe():\n    pass\n\n\ndef caf\xc3\xa9():\n    pass\n"),
    "white space in a name": ("markdown", b"# a   b\tc\n\ntext\n\n## d *  e\n\ntext\n"),
    "qualifiers": ("typescript", b"(globalThis as any).fetch = function () { return 1 };\n"),
    "types": ("cpp", b"template <typename T> int A<T *>::B::run(int x) { return x; }\n"),
}  # fmt: skip


def parsed(line, data, key=KEY):
    return SharedFacts({key: line}).parsed(key, data)


@pytest.mark.parametrize("name", TEXTS)
def test_a_line_gives_the_facts_of_its_text(name):
    hint, data = TEXTS[name]
    key = BlobKey("2" * 40, hint)
    line = extracted(key, data)
    known = parsed(line, data, key)
    assert known is not None
    language = "cpp" if hint == "?h" else hint
    found, right = (facts(data, language, known=one) for one in (known, None))
    assert (found.chunks, found.lines, found.skip) == (right.chunks, right.lines, right.skip)
    plain = [each._replace(signature="", doc="") for each in right.definitions]
    assert [*found.definitions] == plain
    assert SharedFacts({key: line}).proved(key, data)


def forged(**changes):
    whole = msgspec.json.decode(extracted(KEY, TEXT))
    return msgspec.json.encode({**whole, **changes})


def symbol(place=0, **changes):
    names = ("kind", "name", "qualified", "step", "size", "signature", "up")
    rows = msgspec.json.decode(extracted(KEY, TEXT))["symbols"]
    for name, value in changes.items():
        rows[place][names.index(name)] = value
    return forged(symbols=rows)


SIZE = len(TEXT)
NOT_OF_THE_TEXT = {
    "no chunks": forged(chunks=[]),
    "chunks of less than the text": forged(chunks=[SIZE - 1]),
    "chunks of more than the text": forged(chunks=[SIZE, 1]),
    "an empty chunk": forged(chunks=[0, SIZE]),
    "a definition that ends behind the text": symbol(size=SIZE),
    "a definition that begins behind the text": symbol(step=SIZE + 1, size=0, signature=0),
    "a signature that ends behind the text": symbol(signature=SIZE + 1),
    "a definition around it that comes later": symbol(up=1),
    "a definition outside of the one around it": symbol(1, up=1, size=SIZE - 300),
    "an unknown kind": symbol(kind="trap"),
    "no name": symbol(name=""),
    "a name that is not in the text": symbol(name="rm_rf"),
    "a name that is elsewhere in the text": symbol(name="attempt", size=3),
    "a qualified name that is not in the text": symbol(qualified="evil.site"),
    "a qualified name that grows for ever": symbol(qualified="max." * 200 + "max"),
}


@pytest.mark.parametrize("name", NOT_OF_THE_TEXT)
def test_what_contradicts_the_text_is_not_believed(name):
    line = NOT_OF_THE_TEXT[name]
    decoded(line)
    assert parsed(line, TEXT) is None
    assert not SharedFacts({KEY: line}).proved(KEY, TEXT)


def test_what_the_text_allows_is_told_by_parsing_only():
    moved = symbol(kind="class")
    assert parsed(moved, TEXT) is not None
    assert not SharedFacts({KEY: moved}).proved(KEY, TEXT)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{" * 9999,
        b"[" * 99999,
        forged(oid=1),
        forged(forced="no"),
        forged(chunks=[-1]),
        forged(chunks=[1.5]),
        forged(chunks=[1 << 40]),
        forged(chunks=[10**30]),
        forged(more=1),
        forged(symbols=[["class"]]),
        forged(symbols=[["class", "a", "a", 0, 0, 0, 0, 0]]),
        symbol(name=None),
        symbol(up=-1),
        extracted(KEY, TEXT).replace(b"class", b"\xff"),
        extracted(KEY, TEXT).replace(b'"class"', rb'"\ud800"'),
    ],
)
def test_what_is_no_line_is_a_value_error(line):
    with pytest.raises(ValueError, match=r"."):
        decoded(line)
