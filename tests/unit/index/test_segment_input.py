"""Terms are spelt once, also those that were expected."""

from gitsearch.index.segment_input import Spelling


def test_expected_terms_are_not_spelt_again():
    asked: list[list[str]] = []

    def spell(terms):
        asked.append(list(terms))
        return [[len(text)] for text in terms]

    spelling = Spelling(spell)
    spelling.expect(["one", "three"])
    assert spelling(["three", "seven", "one"]) == [[5], [5], [3]]
    assert spelling(["seven"]) == [[5]]
    assert [terms for terms in asked if terms] == [["one", "three"], ["seven"]]
