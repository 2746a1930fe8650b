"""The reader learns from questions, the chunks that answer, and chunks mistaken for these."""

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from gitsearch.commands import reader
from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.git import repo as repository
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.session import Session
from gitsearch.settings import Silent
from training import examples, mining, tuning
from training.examples import Example
from training.gather import gather_examples
from training.listing import Entry

VERBS = ("open", "read", "write", "parse", "close", "drop", "split", "join", "lock", "sort")
NOUNS = ("letter", "parcel", "ticket", "ledger", "packet", "folder")


def file_of(noun):
    """Documented functions of several chunks each; a remark in every one."""
    return "class Store:\n" + "".join(
        f"    def {verb}_{noun}(self, path, mode='rb', buffering=-1):\n"
        f'        """Try to {verb} one {noun} and tell the owner of it."""\n'
        + "".join(
            f"        {noun}_{i} = self.store.{verb}(path, mode, buffering, {i})\n"
            for i in range(9)
        )
        + f"        # nobody else may {verb} this {noun} as long as it is here\n"
        + f"        return self.finish(path, {noun}_1, {noun}_2)\n\n"
        for verb in VERBS
    )


@pytest.fixture
def store(repo):
    repo.having({f"store/{noun}.py": file_of(noun) for noun in NOUNS})
    return repository.open_repo(repo.path)


def drawn(store, seed=1):
    order = mining.generator("some/thing", seed)
    mined = mining.mine(store, repository.resolve(store, "HEAD").tree, order)
    return examples.examples(mined.sources, mined.pairs, Model(PACKAGED), order)


def test_what_does_not_answer_is_near_and_is_another_definition(store):
    found = drawn(store)
    documented = [one for one in found if one.kind == "documentation"]
    assert len(documented) > 10
    for one in documented:
        assert examples.FEWEST <= len(one.others) <= examples.OTHERS
        assert one.answer not in one.others
        assert all(one.query not in other for other in one.others)
    # others are of the same verb or noun much more often than by chance
    alike = [
        any(word in other for word in one.query.split()[2:5:2])
        for one in documented
        for other in one.others
    ]
    assert sum(alike) > 0.5 * len(alike)


def test_the_answer_lacks_its_comment_and_in_half_of_the_cases_so_do_the_others(store):
    documented = [one for one in drawn(store) if one.kind in ("documentation", "remark")]
    assert all(one.query not in one.answer for one in documented)
    commented = [
        "Try to" in text or "# nobody" in text for one in documented for text in one.others
    ]
    assert 0.1 < sum(commented) / len(commented) < 0.7


def test_texts_are_those_that_the_reader_sees(repo, store):
    seen = {text for one in drawn(store) for text in one.others if one.kind == "name"}
    session = Session(repo.path, Silent())
    opened = ViewOpener(session).open(session.resolve("HEAD"), [], "HEAD")
    (segment,) = opened.view.segments
    chunks = [segment.chunk(row) for row in range(int(opened.view.starts[-1]))]
    assert seen
    read = {reader.text_of(segment, chunk, None, opened.texts).strip() for chunk in chunks}
    assert {text.strip() for text in seen} <= read


def test_examples_are_kept_and_the_same_again(store, tmp_path):
    revision = repository.resolve(store, "HEAD").commit
    entry = Entry("https://example.com/o/n", revision or "", "MIT", "trained on")
    ((_, first),) = gather_examples([(entry, store)], tmp_path / "a", 1)
    (kept,) = Path(tmp_path / "a").iterdir()
    kept.write_text("[]", encoding="utf-8")
    assert gather_examples([(entry, store)], tmp_path / "a", 1) == [(entry, [])]
    assert gather_examples([(entry, store)], tmp_path / "b", 1) == [(entry, first)]
    assert isinstance(first[0], Example)


class Numbered:
    """A tokeniser that gives each text a number of its own."""

    def __init__(self):
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        assert longest > 0
        first = len(self.texts)
        self.texts += texts
        return [[first + i] for i in range(len(texts))]


def test_a_batch_is_of_one_repository_and_its_order_is_that_of_the_seed():
    recipe = tuning.Recipe(seed=1, batch=4, others=2)
    repositories = [
        [Example("name", one, one, [f"{one} {other}" for other in range(6)]) for one in own]
        for own in ([f"{letter} {i}" for i in range(9)] for letter in "ab")
    ]

    def first(seed):
        tokens = Numbered()
        steps = tuning.batches(repositories, tokens, dataclasses.replace(recipe, seed=seed))
        return [
            [[tokens.texts[i] for (i,) in some] for some in step[:3]]
            for step in itertools.islice(steps, 8)
        ]

    batches = first(1)
    for queries, answers, others in batches:
        assert len(answers) == len(queries) == 4
        assert len({text[0] for text in answers + others}) == 1
        # the others of a question stand in its place
        assert [text.rpartition(" ")[0] for text in others] == [
            one for one in answers for _ in range(2)
        ]
    assert first(1) == batches != first(2)
