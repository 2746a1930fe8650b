"""A pair is what somebody wrote and the chunk it is about, without what was written."""

import pytest

from gitsearch.git import repo as repository
from training import changes, mining, wording
from training.mining import generator
from training.sources import cut, prose_of

PYTHON = b'''"""Keeps what was fetched from servers for a while."""


class Pantry:
    """A store of answers that forgets the oldest of them first."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.shelves = {}

    def remember(self, address, answer):
        """Put an answer on the shelf and throw away what is too old."""
        self.shelves[address] = answer
        # the oldest entries go first when there is no room left
        while len(self.shelves) > self.capacity:
            self.shelves.pop(next(iter(self.shelves)))
        return answer
'''
GO = b"""package pantry

import "time"

// Remember puts an answer on the shelf and
// throws away whatever is too old by now.
func (p *Pantry) Remember(address string, answer []byte) {
	p.shelves[address] = shelf{answer: answer, stored: time.Now()}
	for len(p.shelves) > p.capacity {
		p.evict()
	}
}
"""
JAVA = b"""package pantry;

class Pantry {
    /**
     * Puts an answer on the shelf and throws away whatever is too old by now.
     */
    @Override
    void remember(String address, byte[] answer) {
        shelves.put(address, new Shelf(answer, clock.now()));
        while (shelves.size() > capacity) {
            evict();
        }
    }
}
"""
RUST = b"""impl Pantry {
    /// Puts an answer on the shelf and throws away whatever is too old by now.
    #[inline]
    pub fn remember(&mut self, address: &str, answer: Vec<u8>) {
        self.shelves.insert(address.to_owned(), Shelf::new(answer, Instant::now()));
        while self.shelves.len() > self.capacity {
            self.evict();
        }
    }
}
"""
ELIXIR = b'''defmodule Pantry do
  @doc """
  Puts an answer on the shelf and throws away whatever is too old by now.
  """
  def remember(pantry, address, answer) do
    shelves = Map.put(pantry.shelves, address, {answer, System.monotonic_time()})
    evict(%{pantry | shelves: shelves}, pantry.capacity)
  end
end
'''
LANGUAGES = {
    "pantry.py": PYTHON,
    "pantry.go": GO,
    "Pantry.java": JAVA,
    "pantry.rs": RUST,
    "pantry.ex": ELIXIR,
}


def mined(repo, files):
    repo.having(files)
    opened = repository.open_repo(repo.path)
    tree = repository.resolve(opened, "HEAD").tree
    return mining.mine(opened, tree, generator("some/thing", 1)).pairs


def of_kind(pairs, kind):
    return [pair for pair in pairs if pair.kind == kind]


@pytest.mark.parametrize("path", LANGUAGES)
def test_documentation_is_taken_out_of_the_code_it_is_about(repo, path):
    pairs = of_kind(mined(repo, {path: LANGUAGES[path]}), "documentation")
    found = [pair for pair in pairs if "on the shelf" in pair.query]
    assert found
    for pair in found:
        assert "too old" in pair.query
        assert "shelves" in pair.text
        assert "too old" not in pair.text
        assert "throw" not in pair.text


def test_the_code_is_a_chunk_as_the_index_has_it(repo):
    pair = next(p for p in mined(repo, {"pantry.py": PYTHON}) if "throw away" in p.query)
    source = cut("pantry.py", "python", PYTHON)
    assert source is not None
    own = source.chunks[pair.chunk]
    assert all(
        line.strip() in PYTHON[own.start : own.end].decode() for line in pair.text.splitlines()
    )
    assert pair.scope == source.scope(pair.chunk)
    assert "Pantry" in (*pair.scope, *pair.text.split(":")[0].split())


def test_a_remark_inside_is_taken_out_too(repo):
    (pair,) = of_kind(mined(repo, {"pantry.py": PYTHON}), "remark")
    assert pair.query == "the oldest entries go first when there is no room left"
    assert "while len(self.shelves)" in pair.text
    assert "oldest entries" not in pair.text


def test_a_name_leads_to_where_it_is_defined(repo):
    pairs = of_kind(mined(repo, {"pantry.go": GO}), "name")
    assert {pair.path for pair in pairs} == {"pantry.go"}
    assert any("remember" in pair.query.lower() for pair in pairs)


def test_a_paragraph_that_names_a_definition_leads_to_it(repo):
    prose = "# Use\n\nCall `remember` whenever a server has answered, so that nobody asks again.\n"
    pairs = of_kind(mined(repo, {"pantry.py": PYTHON, "README.md": prose * 3}), "prose")
    assert {pair.path for pair in pairs} == {"pantry.py"}
    assert "whenever a server has answered" in pairs[0].query


@pytest.mark.parametrize(
    "path", ["tests/test_pantry.py", "vendor/pantry.py", "examples/pantry.py", "pantry_pb2.py"]
)
def test_tests_and_the_code_of_others_are_left_out(repo, path):
    assert mined(repo, {path: PYTHON}) == []


def test_what_repeats_its_query_is_no_pair(repo):
    echo = PYTHON.replace(
        b"return answer", b'raise Full("the oldest entries go first when there is no room left")'
    )
    assert of_kind(mined(repo, {"pantry.py": echo}), "remark") == []


def test_the_same_repository_gives_the_same_pairs(repo):
    files = {**LANGUAGES, "README.md": "Call `remember` when a server has answered the call.\n"}
    first = mined(repo, files)
    assert first == mined(repo, {})
    assert len(first) > len(LANGUAGES)


# ---------------------------------------------------------------- commits


def changed(repo):
    opened = repository.open_repo(repo.path)
    found = repository.resolve(opened, "HEAD")
    assert found.commit is not None
    sources = mining.mine(opened, found.tree, generator("some/thing", 1)).sources
    return changes.changed(opened, found.commit, sources, generator("some/thing", 1))


def test_the_subject_of_a_commit_leads_to_the_lines_that_are_left_of_it(repo):
    repo.having({"pantry.py": PYTHON})
    grown = (
        PYTHON
        + b"""
    def forget(self, address):
        shelf = self.shelves.pop(address, None)
        if shelf is not None:
            self.notify_listeners(address, shelf)
        return shelf
"""
    )
    repo.write("pantry.py", grown)
    repo.commit("pantry: tell listeners when an answer is dropped (#12)")
    (pair,) = changed(repo)
    assert pair.query.endswith("tell listeners when an answer is dropped")
    assert "notify_listeners" in pair.text


def test_a_commit_whose_lines_are_gone_is_no_pair(repo):
    repo.having({"pantry.py": PYTHON})
    repo.write("pantry.py", PYTHON.replace(b"shelves", b"boards_of_oak"))
    repo.commit("Name the shelves after what they are made of")
    repo.write("pantry.py", PYTHON)
    repo.commit("wip")
    assert changed(repo) == []


@pytest.mark.parametrize(
    "subject", ["Merge branch 'main'", "Bump serde from 1.0 to 1.1", "fix typo", "v1.2.3", "wip"]
)
def test_chores_are_no_queries(subject):
    assert wording.subject(subject, bare=True) == ""


@pytest.mark.parametrize(
    ("subject", "query"),
    [
        ("fix(http1): close idle connections (#431)", "close idle connections"),
        ("[core] Retry when the `lock` is held", "Retry when the lock is held"),
    ],
)
def test_a_subject_loses_its_prefix_and_number(subject, query):
    assert wording.subject(subject, bare=True) == query


def test_documents_of_others_are_not_read(repo):
    text = "Nothing but words, and more than enough of them to be read. " * 5
    repo.having({"README.md": text, "vendor/lib/README.md": text})
    opened = repository.open_repo(repo.path)
    tree = repository.resolve(opened, "HEAD").tree
    assert [path for path, _ in prose_of(opened, tree)] == ["README.md"]
