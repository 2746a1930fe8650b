"""Messages that are like a query."""

from gitsearch.retrieval import query
from gitsearch.retrieval.similar_messages import SplitMessages

MESSAGES = (
    "Fix rounding of prices in the cart",
    "Bump version",
    "Add a parser for rounding modes\n\nThe price is not touched.",
    "Document the release",
)


def found(text, count=10):
    return [one.number for one in SplitMessages(MESSAGES).similar(query.parse(text), count)]


def test_the_rarest_and_most_words_come_first():
    assert found("rounding of a price in the cart") == [0, 2]
    assert found("rounding", count=1) == [0]


def test_without_common_words_there_is_none():
    assert found("unheard of") == []
    assert SplitMessages(()).similar(query.parse("cart"), 3) == []


def test_names_match_by_their_parts_and_the_share_is_at_most_one():
    (best, *_) = SplitMessages(MESSAGES).similar(query.parse("cartRounding"), 1)
    assert best.number == 0
    assert 0 < best.share <= 1
