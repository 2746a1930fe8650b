"""Parsing of queries: terms, signs of intent (a symbol, tests, documents, usage), word forms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from gitsearch.features import identifiers

# A symbol, not prose: Foo::bar, a.b, _private, getUserById, HTTPServer, snake_case, CONSTANT.
# No two adjacent repetitions may match the same letters: that would backtrack catastrophically.
_SYMBOL = re.compile(
    r"""^\s*(?:
        [A-Za-z_$][\w$]*(?:(?:::|\.|->|\#|/)~?[A-Za-z_$][\w$]*[!?]?)+   # qualified
      | _\w+                                                         # _private
      | [a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+                              # camelCase
      | [A-Z][a-z0-9][A-Za-z0-9]*                                      # Pascal, PascalCase
      | [A-Z][A-Z0-9]+(?:[a-z]\w*)?                                    # HTTPServer, CONSTANT
      | (?=\w+_\w)\w++[!?]?                                           # snake_case
    )(?:\(\))?\s*$""",
    re.VERBOSE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEST_WORDS = _words("test tests testing tested spec specs fixture fixtures mock mocks benchmark")
_DOCS_WORDS = _words("""
    doc docs documentation readme changelog guide tutorial example examples sample demo
""")

# Words of questions that carry no meaning for code; kept if a query has no others.
STOP_WORDS = _words("""
    a an and are as at be been by can could did do does for from had has have how i if in into is
    it its my of on or our should so than that the their them then there these they this those to
    was we were what when where which who whom whose why will with would you your
""")

# A question of use, which documents answer. "How do we" is asked by authors of the program, and
# "where do I" asks for a place in it. No repetition is followed by what it can match, so that
# there is no catastrophic backtracking.
_USE = re.compile(
    r"""(?:.*?\b)?(?<!why\ )(?<!where\ )(?:
        do\ (?:i|you|one) | (?:can|could|should|must|may)\ (?:i|we|you|one) )\b
    | how\ to\b
    | (?:can|could|does)\ (?:it|this)\b | does\ \w+\ (?:support|work)\b
    | is\ it\ possible\b | any\ way\ to\b
    | (?:is|are)\ there\ (?:an?\ |any\ )?(?:way|option|setting|flag|support)s?\b
    | (?:what|which)\ (?:(?:is|are)\ the\ )?(?:option|setting|flag)s?\b
    | (?:installing|installation|configuring|upgrading|migrating|setting\ up)\b
    | install\ (?:\w+\ )?(?:on|with|from|via|using)\b
    | build(?:ing)?\ (?:it\ )?from\ source\b""",
    re.VERBOSE,
)

# A question of uses: what it names is there to be used, and who asks wants the places that do.
# A name is followed by fixed words or by the end, so that matching takes time in proportion.
_USES = re.compile(
    r"""(?:
        (?:where|when)\ (?:is|are|does|do)\ (?:the\ |an?\ )?(?P<passive>.+?)\ (?:get\ )?
        (?:called|invoked|triggered|used|referenced|instantiated)(?:\ from)?
      | (?:
            (?:who|what|which\ \w+)\ (?:calls?|invokes?|triggers?|uses?|references?)
          | where\ (?:do\ we|does\ it)\ (?:call|invoke|trigger|use|reference)
          | (?:callers|call\ sites|usages|uses)\ of | references\ to
        )\ (?:the\ |an?\ )?(?P<active>.+)
    )[\ ?.]*""",
    re.VERBOSE | re.IGNORECASE,
)

# The most distinct words of a query that are used: about those of a page of text.
MOST_WORDS = 256


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    words: identifiers as written, without stop words; terms: distinct BM25 terms in order; parts:
    lower-case words for the vector, in order; symbol: it has the form of a symbol's name; how: it
    asks how something is done, which several files may answer together; use: it asks how something
    is used, which documents answer; uses: it asks for the uses of what it names, and words, terms
    and parts are those of the name alone; left: the number of words that are ignored.
    """

    text: str
    words: tuple[str, ...]
    terms: tuple[str, ...]
    parts: tuple[str, ...]
    symbol: bool
    wants_tests: bool
    wants_docs: bool
    how: bool
    use: bool
    uses: bool
    left: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names that all words together may be, with and without stop words, folded."""
        joined = ("".join(self.parts), "".join(identifiers.parts_of(self.words)))
        return tuple(dict.fromkeys(joined))

    @property
    def spread(self) -> bool:
        """True if the answer is mostly in several files: the first results show many then."""
        # a question of use is answered in one place, even if it begins with "how"
        return self.how and not self.use

    @property
    def warnings(self) -> list[str]:
        """One line if the query is too long to be used as a whole, else none."""
        if not self.left:
            return []
        last = "word" if self.left == 1 else f"{self.left} words"
        were = "was" if self.left == 1 else "were"
        return [f"the last {last} of the query {were} not looked at: it is too long"]


def parse(text: str) -> Query:
    """Parse a query."""
    line = " ".join(text.split())
    uses = _USES.fullmatch(line)
    named = (uses["passive"] or uses["active"]) if uses else text
    written = identifiers.identifiers(named)
    words = _limited(written)
    kept = [word for word in words if word.lower() not in STOP_WORDS] or words
    parts = identifiers.parts_of(words)
    lower = set(parts)
    return Query(
        text,
        tuple(kept),
        tuple(
            dict.fromkeys(chain.from_iterable(chain(*identifiers.terms(word)) for word in kept))
        ),
        tuple(parts),
        bool(_SYMBOL.match(text)),
        bool(lower & _TEST_WORDS),
        bool(lower & _DOCS_WORDS),
        parts[:1] == ["how"],
        bool(_USE.match(line.lower())),
        uses is not None,
        len(written) - len(words),
    )


def _limited(words: list[str]) -> list[str]:
    """The longest prefix with at most `MOST_WORDS` distinct words."""
    seen: set[str] = set()
    for i, word in enumerate(words):
        seen.add(word)
        if len(seen) > MOST_WORDS:
            return words[:i]
    return words


# Suffixes of English words that are stripped and appended.
_ENDINGS = frozenset(
    (
        *("s", "es", "d", "ed", "r", "er", "ers", "or", "ors", "e", "y", "ies", "ing", "ings"),
        *("ion", "ions", "ation", "ations", "able", "al", "ly", "ity"),
        *("ment", "ments"),  # codespell:ignore ment
    )
)
_LONGEST = max(map(len, _ENDINGS))

# Suffixes before which a final consonant is doubled: stopped, mapping, logger.
_DOUBLING = ("ed", "er", "ers", "ing")

# The least length of a stem.
_MIN_STEM = 4


def inflected(word: str) -> list[str]:
    """Return possible forms of a lower-case word, sorted, without itself; some are no words.

    For cache they are caches, cached, caching and others. Terms of code are not stemmed, because
    names that differ mean different things. But a question of how retries are counted is also
    about code that says retry or retrying; so it is expanded with these forms, at a lower weight.
    """
    if len(word) < _MIN_STEM or not (word.isascii() and word.isalpha()):
        return []
    # the longest suffix is stripped that leaves a stem of the least length
    longest = 0 if word.endswith("ss") else min(_LONGEST, len(word) - _MIN_STEM)
    sizes = (size for size in range(longest, 0, -1) if word[-size:] in _ENDINGS)
    stem = word[: len(word) - next(sizes, 0)]
    forms = {stem, *(stem + ending for ending in _ENDINGS)}
    forms.update(stem + stem[-1] + ending for ending in _DOUBLING)
    return sorted(forms - {word})
