"""A name is found whole, qualified, by its beginning and by its words, the best meeting first."""

import numpy as np
import pytest

from gitsearch.extract import chunks
from gitsearch.features.embedding import Model
from gitsearch.retrieval import engine, filters, query, symbol_leg
from gitsearch.retrieval.constants import Ranking
from tests.unit.features.models import write_model
from tests.unit.index.views import places_of, view_of

POLICY = '''\
class RetryPolicy:
    """How often."""

    def compute_delay(self, attempt):
        return attempt


class RetryPolicyError(Exception):
    """Too often."""


def clamp_jitter(value):
    return value
'''
SESSION = '''\
class LoginSession:
    """Who."""

    def compute_delay(self, attempt):
        return attempt

    def refresh_token(self):
        return RetryPolicy


def retry_policy_of(session):
    return session


RETRY_LIMIT = 3
'''
HTTP = "class HTTPServer:\n    def getUserById(self, id):\n        return id\n"
FILES = {"a/policy.py": POLICY, "b/session.py": SESSION, "c/http.py": HTTP}


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    model = Model(write_model(tmp_path_factory.mktemp("models") / "m", ["word"]))
    # small chunks, so that every definition has one of its own
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "BUDGET", 40)
        patch.setattr(chunks.cut_tree, "__defaults__", (40,))
        return view_of(model, FILES)


def named(view, text, mask=None):
    """Qualified names of the chunks that a query by name finds, best first."""
    allowed = filters.by_file(view) if mask is None else mask
    options = engine.Options("symbol", 50, rerank=False, ranking=Ranking())
    out = []
    for one in engine.search(view, query.parse(text), allowed, options):
        segment, row = view.locate(one.row)
        out.append(segment.qualified(int(segment["chunk_symbol"][row])))
    return out


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("RetryPolicy", "RetryPolicy"),
        ("retry_policy", "RetryPolicy"),
        ("RETRY_POLICY", "RetryPolicy"),
        ("retry policy", "RetryPolicy"),
        ("RetryPolicyError", "RetryPolicyError"),
        ("RetryPolicy.compute_delay", "RetryPolicy.compute_delay"),
        ("RetryPolicy::compute_delay", "RetryPolicy.compute_delay"),
        ("RetryPolicy#compute_delay", "RetryPolicy.compute_delay"),
        ("LoginSession->compute_delay", "LoginSession.compute_delay"),
        ("LoginSession.computeDelay()", "LoginSession.compute_delay"),
        ("clampJitter", "clamp_jitter"),
        ("clamp jitter", "clamp_jitter"),
        ("getUserById", "HTTPServer.getUserById"),
        ("get_user_by_id", "HTTPServer.getUserById"),
        ("HttpServer", "HTTPServer"),
        ("RetryPolicyErr", "RetryPolicyError"),
        ("LoginSess", "LoginSession"),
    ],
)
def test_a_name_is_found_first(view, text, first):
    assert named(view, text)[0] == first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("policy retry", "RetryPolicy"),
        ("retrying policies", "RetryPolicy"),
        ("computing delays", "RetryPolicy.compute_delay"),
        ("id user get by", "HTTPServer.getUserById"),
        ("get user id", "HTTPServer.getUserById"),
        ("method get user by id", "HTTPServer.getUserById"),
        ("user ids by get", "HTTPServer.getUserById"),
    ],
)
def test_a_name_is_found_by_its_words_in_any_order_and_form(view, text, first):
    assert named(view, text)[0] == first


@pytest.mark.parametrize(
    "text", ["delay", "user retry policy limit", "jitter token", "refreshing"]
)
def test_other_words_are_no_name(view, text):
    assert named(view, text) == []


def test_who_gives_a_whole_name_does_not_mean_forms_of_it(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    view = view_of(model, {"a.py": "def caches(): ...\n", "b.py": "def cached(): ...\n"})
    assert named(view, "caches") == ["caches"]
    assert set(named(view, "caching")) == {"caches", "cached"}


def test_the_chunk_with_the_name_is_found_not_that_with_its_decorator(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    before = "def first(value):\n    return value + 1\n"
    asked = "@cached\ndef second_one_of_all(value):\n    return value + 2\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks.cut_tree, "__defaults__", (44,))
        view = view_of(model, {"a.py": before + asked})
    for text in ("second_one_of_all", "second all of one"):
        (found, *_) = engine.search(
            view, query.parse(text), filters.by_file(view), engine.Options("symbol")
        )
        ((_, first, last),) = places_of(view, [found.row])
        assert first <= 4 <= last
        assert found.symbol is not None
        assert view.segments[0].name(found.symbol) == "second_one_of_all"


def test_a_whole_name_comes_before_those_that_it_begins(view):
    found = named(view, "RetryPolicy")
    assert found[0] == "RetryPolicy"
    assert set(found[1:]) >= {"RetryPolicyError", "retry_policy_of"}


def test_of_a_qualified_name_the_last_part_is_the_name(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    inside = "module Rack\n  class {0}\n    def {1}; end\n  end\nend\n"
    files = {
        f"lib/{name}.rb": inside.format(name.title(), f"say_{name}")
        for name in ("cookie", "request", "response", "session")
    }
    several = view_of(model, files)
    options = engine.Options("symbol", 50)
    # every file opens the module, which is not what was asked for
    first, *_ = engine.search(
        several, query.parse("Rack::Response"), filters.by_file(several), options
    )
    assert places_of(several, [first.row])[0][0] == "lib/response.rb"
    assert first.symbol is not None
    assert several.segments[0].name(first.symbol) == "Response"
    assert len(named(several, "Rack::Nowhere")) == len(files)


def test_who_types_a_name_as_it_is_spelt_means_that_one(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    both = view_of(
        model,
        {
            "a.go": "package a\n\nfunc ComputeDelay() int {\n\treturn 1\n}\n",
            "b.py": "def compute_delay():\n    return 1\n",
        },
    )
    assert named(both, "compute_delay") == ["compute_delay", "ComputeDelay"]
    assert named(both, "ComputeDelay") == ["ComputeDelay", "compute_delay"]


def test_a_method_is_found_in_every_class_that_has_it(view):
    assert set(named(view, "compute_delay")[:2]) == {
        "RetryPolicy.compute_delay", "LoginSession.compute_delay"
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "?", "unheardOf", "the", "where is it", "x" * 500])
def test_nothing_is_so_named(view, text):
    assert named(view, text) == []


def test_only_allowed_chunks_are_found(view):
    mask = filters.by_file(view, paths={b"b/session.py"})
    assert named(view, "compute_delay", mask) == ["LoginSession.compute_delay"]
    assert named(view, "RetryPolicy", np.zeros(len(view.live), bool)) == []


# ---------------------------------------------------------------- def


def defined(view, name):
    found = []
    for segment, symbol in symbol_leg.defined(view, name):
        path = segment.path(int(segment["symbol_file"][symbol])).decode()
        found.append((path, segment.qualified(symbol)))
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RetryPolicy", [("a/policy.py", "RetryPolicy")]),
        ("retry_policy", [("a/policy.py", "RetryPolicy")]),
        ("compute_delay", [("a/policy.py", "RetryPolicy.compute_delay"),
                           ("b/session.py", "LoginSession.compute_delay")]),
        ("LoginSession.compute_delay", [("b/session.py", "LoginSession.compute_delay")]),
        ("LoginSession::compute_delay", [("b/session.py", "LoginSession.compute_delay")]),
        ("LoginSession#computeDelay", [("b/session.py", "LoginSession.compute_delay")]),
        ("HTTPServer/getUserById", [("c/http.py", "HTTPServer.getUserById")]),
        ("RetryPolicy.refresh_token", []),
        ("Retry", []),
        ("policy", []),
        ("", []),
        (".", []),
        ("::", []),
        ("nowhere", []),
    ],
)  # fmt: skip
def test_definitions_are_those_of_the_whole_name(view, name, expected):
    assert defined(view, name) == expected


def test_a_spelling_that_is_there_comes_before_others(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    files = {"a.py": "def fetch_all(): ...\n", "b.py": "def fetchAll(): ...\n"}
    view = view_of(model, files)
    assert defined(view, "fetch_all") == [("a.py", "fetch_all")]
    assert defined(view, "fetchAll") == [("b.py", "fetchAll")]
    assert len(defined(view, "FetchAll")) == 2


def test_definitions_come_by_path_and_line_also_from_several_layers(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    text = "def again(): ...\n\nclass A:\n    def again(self): ...\n"
    view = view_of(
        model, {"m.py": text, "b.py": text, "gone.py": text}, {"c.py": text, "gone.py": None}
    )
    assert defined(view, "again") == [
        (path, name) for path in ("b.py", "c.py", "m.py") for name in ("again", "A.again")
    ]
    assert places_of(view, [0])


def test_a_name_of_more_than_letters_is_whole_without_them(tmp_path):
    model = Model(write_model(tmp_path / "m", ["word"]))
    files = {
        "a.rb": "def valid?(x)\n  x\nend\n",
        "b.rb": "def valid(x)\n  x\nend\n",
        "c.sh": "my-name() { :; }\n",
    }
    view = view_of(model, files)
    assert named(view, "valid?") == ["valid?", "valid"]
    assert named(view, "valid") == ["valid", "valid?"]
    assert named(view, "my-name") == ["my-name"]
