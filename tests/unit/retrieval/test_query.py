"""What a query asks for: its terms, and whether it is a name, or about tests or documents."""

import re
from dataclasses import replace

import pytest

from gitsearch.retrieval.query import MOST_WORDS, STOP_WORDS, parse

NAMES = [
    "RetryPolicy",
    "retryPolicy",
    "retry_policy",
    "_private",
    "__init__",
    "MAX_RETRIES",
    "HTTPServer",
    "Foo::bar",
    "std::vector",
    "a.b",
    "os.path.join",
    "Foo#bar",
    "ptr->field",
    "getUserById",
    "getUser()",
    "Foo.bar()",
    "parseHTTPResponse2",
    "Policy",
    "  RetryPolicy  ",
]
PROSE = [
    "retry",
    "where are retries configured",
    "retry policy",
    "how does RetryPolicy work",
    "",
    "   ",
    "a b",
    "Retry policy",
    "what?",
    "3.14",
    "1",
    "...",
    "名前",
]


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_recognised(text):
    assert parse(text).symbol


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_name(text):
    assert not parse(text).symbol


def test_terms_are_parts_and_compounds_once_each_in_order():
    query = parse("retryPolicy of the retry_policy and a delay")
    assert query.words == ("retryPolicy", "retry_policy", "delay")
    assert query.terms == ("retry", "policy", "retrypolicy", "delay")


def test_the_vector_sees_every_word_with_repetitions():
    query = parse("where is the retryPolicy, the policy")
    assert query.parts == ("where", "is", "the", "retry", "policy", "the", "policy")


def test_words_that_say_nothing_are_no_terms_unless_nothing_else_is_left():
    assert parse("where is the cache").terms == ("cache",)
    assert parse("Where is it").terms == ("where", "is", "it")
    assert parse("to be or not to be").terms == ("not",)


@pytest.mark.parametrize("text", ["", "   ", "?!", "...", "\t\n", "a" * 200, "\udce9"])
def test_a_query_without_words_has_no_terms(text):
    query = parse(text)
    assert query.terms == query.parts == ()
    assert not query.wants_tests


@pytest.mark.parametrize(
    ("text", "tests", "docs"),
    [
        ("test of the cache", True, False),
        ("retry specs", True, False),
        ("TestCache", True, False),
        ("test_retry_policy", True, False),
        ("fixtures", True, False),
        ("documentation of retries", False, True),
        ("README", False, True),
        ("example of a test", True, True),
        ("latest contest", False, False),
        ("docker", False, False),
        ("retry", False, False),
    ],
)
def test_a_query_may_ask_for_tests_or_documents(text, tests, docs):
    assert (parse(text).wants_tests, parse(text).wants_docs) == (tests, docs)


@pytest.mark.parametrize(
    "text",
    [
        "how do I set a timeout",
        "How do I  set a timeout?",
        "how to turn colours off",
        "how can we run it in docker",
        "with cobra, how do I bind a flag",
        "can I use it with fzf",
        "can it be used as a library",
        "does viper support yaml",
        "is there a way to mock requests",
        "is there any option for the colours",
        "is it possible to resume a download",
        "what is the option for retries",
        "which setting limits the pool",
        "what do I need to install",
        "which router should I use",
        "installing on Fedora",
        "install it with homebrew",
        "upgrading from version 2",
        "building from source",
    ],
)
def test_a_question_of_use(text):
    assert parse(text).use


@pytest.mark.parametrize(
    "text",
    [
        "where is the timeout parsed",
        "where do I find the parser",
        "why do I see two requests",
        "how are timeouts handled",
        "how does the pool limit connections",
        "how do we invalidate the cache",
        "how toJSONKeyText makes a key",
        "which function parses an option",
        "timeout handling",
        "timeout option",
        "is there a race between the writers",
        "install hooks",
        "build the index",
        "upgrade a connection to websocket",
        "candoit",
        "getTimeout",
        "",
    ],
)
def test_no_question_of_use(text):
    assert not parse(text).use


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("where is parseHeader called", ["parseHeader"]),
        ("Where are  retry policies used from?", ["retry", "policies"]),
        ("when does the rebalance get triggered", ["rebalance"]),
        ("who calls parse_header?", ["parse_header"]),
        ("which code uses the cache", ["cache"]),
        ("where do we use the cache", ["cache"]),
        ("callers of Foo::bar", ["Foo", "bar"]),
        ("references to the cache", ["cache"]),
    ],
)
def test_a_question_of_uses_is_about_what_it_names(text, words):
    asked = parse(text)
    assert asked.uses
    assert list(asked.words) == words


@pytest.mark.parametrize(
    "text",
    [
        "what is the exported sheet called",
        "where are variables used to configure the pool",
        "where is used",
        "usage of the command line",
        "parse the caller",
        "callers",
        "uses",
    ],
)
def test_no_question_of_uses(text):
    assert not parse(text).uses


def test_the_name_of_a_question_of_uses_may_have_stop_words():
    assert parse("where is is remote used").names == ("isremote", "remote")


def test_a_very_long_query_is_no_problem():
    query = parse("retry policy " * 20_000)
    assert query.terms == ("retry", "policy")
    assert parse("a." * 5_000 + "b").terms
    assert parse("x" * 50_000 + "(").terms == ()
    assert parse("aB" * 20_000).symbol in (True, False)


def test_stop_words_are_words_as_they_are_compared():
    assert all(word.islower() and word.isalpha() for word in STOP_WORDS)


@pytest.mark.parametrize(
    "text",
    ["a_" * 5000 + "a -", "Ab" + "A" * 5000 + " -", "aB" * 5000 + " -", "a.b" * 5000 + " -"],
)
def test_what_is_nearly_a_name_is_told_apart_at_once(text):
    # one of the first two would take longer than the universe is old, were letters divided anew
    assert not parse(text).symbol
    assert parse(text.removesuffix(" -")).symbol


@pytest.mark.parametrize(
    "text", ["_", "__", "a__", "_a_", "a_b?", "a_b!", "a_!", "éa_é", "A1b", "Ab_"]
)
def test_the_shape_of_a_name_is_as_it_was_first_written_down(text):
    first = re.compile(
        r"(?:_\w+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)*"
        r"|[A-Z][A-Z0-9]+(?:[a-z]\w*)?|\w+(?:_\w+)+[!?]?)"
    )
    assert parse(text).symbol == bool(first.fullmatch(text))


def test_words_behind_the_first_different_ones_are_left_and_said():
    words = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(MOST_WORDS)]
    whole = parse(" ".join([*words, *words[:9]]))
    assert (whole.left, whole.warnings) == (0, [])
    assert len(whole.words) == MOST_WORDS + 9
    cut = parse(" ".join([*words, "one", *words[:9], "more"]))
    assert cut.words == tuple(words)
    assert cut.terms == whole.terms
    assert cut.left == 11
    assert "last 11 words of the query were" in cut.warnings[0]
    assert "last word of the query was" in replace(cut, left=1).warnings[0]


def test_fragments_are_terms_and_no_words_for_the_vector():
    found = parse("消息队列")
    assert found.parts == ("消息队列",)
    assert {"消息", "队列", "列"} < set(found.terms)
