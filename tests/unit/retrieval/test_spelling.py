"""For a word that no file has the one that was meant is taken; all others stay as they are."""

import pytest

from gitsearch.features.embedding import Model
from gitsearch.retrieval import query, spelling
from tests.unit.features.models import write_model
from tests.unit.index.views import view_of

POLICY = """\
class RetryPolicy:
    def parse_retry_policy(self, text):
        return color_of(text)


def getUserById(id):
    # the tokenizer analyses what the catalog has; police
    return Tokenizer.load(id)


class Tokenizer:
    def normalize(self, settings, happened):
        return settings


MAX_RETRY_COUNT = 3
"""
FILES = {"policy.py": POLICY, "notes.md": "Nothing but the stream and some colors.\n"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    known = ["sitting", "happens", "retries"]
    return Model(write_model(tmp_path_factory.mktemp("models") / "m", known))


@pytest.fixture(scope="module")
def view(model):
    return view_of(model, FILES)


def taken(view, text):
    asked = query.parse(text)
    found, words = spelling.respelt(view, asked)
    assert found == query.parse(found.text)
    assert bool(words) == (found.text != asked.text)
    return found.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # one letter wrong, missing, too many, swapped, in any convention
        ("getUserByld", "getUserById"),
        ("parse_rtry_policy", "parse_retry_policy"),
        ("parseRetryPoliccy", "parse_retry_policy"),
        ("praseRetryPolicy", "parse_retry_policy"),
        ("RetryPolciy", "RetryPolicy"),
        ("MAX_RETYR_COUNT", "MAX_RETRY_COUNT"),
        ("Tokeniser", "Tokenizer"),
        ("tokeniezr", "tokenizer"),
        ("RetryPolicy.parse_rety_policy", "RetryPolicy.parse_retry_policy"),
        # two slips, one a word
        ("parse_rtry_polixy", "parse_retry_policy"),
        # among other words, with what the tree lacks
        ("retry polixy parse", "retry policy parse"),
        ("where is the tokeniser loaded", "where is the tokenizer loaded"),
        ("where is getUserByld called?", "where is getUserById called?"),
        ("colour of the strream", "color of the stream"),
        ("how does the tokenizer normalise", "how does the tokenizer normalize"),
        ("the catalogue", "the catalog"),
    ],
)
def test_what_was_meant_is_taken(view, text, expected):
    assert taken(view, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "getUserById",
        "get_user_by_id",
        "GETUSERBYID",
        "where are retry policies parsed",
        # it is there, if only once
        "police",
        # another form of it is
        "tokenizers",
        "normalized",
        # the beginning of a name, words of one in another order
        "getUserB",
        "policyRetryParse",
        # a word that the tree lacks is no slip for one that it has
        "sitting",
        "where is what happens",
        # nothing is near
        "frobnicate",
        "xqzw",
        "",
        "?",
        "é",
        "tokenizér",
        "the",
    ],
)
def test_other_words_stay(view, text):
    assert taken(view, text) == text


def test_the_words_are_told(view):
    _, words = spelling.respelt(view, query.parse("getUserByld or getUserByld of the tokeniser"))
    assert words == (("getUserByld", "getUserById"), ("tokeniser", "tokenizer"))


def test_of_near_names_the_defined_one_is_taken_then_the_one_in_most_places(model):
    files = {"a.py": "send_all()\n" * 50, "b.py": "def send_ball(): ...\n"}
    assert taken(view_of(model, files), "send_aall") == "send_ball"
    many = {f"{i}.md": "gateway" for i in range(3)} | {"z.md": "gatewax"}
    assert taken(view_of(model, many), "gatewaz") == "gateway"


def test_only_what_is_in_the_tree_counts(model):
    """The same words are taken however the view came about."""
    gone = view_of(model, {**FILES, "old.py": "def parse_retry_polixy(): ..."}, {"old.py": None})
    assert taken(gone, "parse_retry_polixy") == "parse_retry_policy"
    without = view_of(model, FILES, {"policy.py": None})
    assert taken(without, "parse_retry_polixy") == "parse_retry_polixy"
    later = view_of(model, {"notes.md": FILES["notes.md"]}, {"policy.py": POLICY})
    assert taken(later, "where is getUserByld") == "where is getUserById"


@pytest.mark.parametrize("text", ["where is the get user by id called", "callers of getUserByld"])
def test_a_question_of_uses_has_the_name_that_its_words_make_if_anything_has_it(view, text):
    asked, _ = spelling.respelt(view, query.parse(text))
    assert asked.terms[-1] == "getuserbyid"
    other, _ = spelling.respelt(view, query.parse("callers of user policy"))
    assert other.terms == ("user", "policy")
