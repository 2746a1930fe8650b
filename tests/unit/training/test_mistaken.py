"""Others of a question are chunks that the encoder itself takes for its answer."""

import itertools

import numpy as np
import pytest

from gitsearch.features.embedding import PACKAGED, Model
from training import mistaken, tuning
from training.examples import Example
from training.mining import Pair

THINGS = ("letter", "parcel", "ticket", "ledger", "packet", "folder", "basket", "bottle")
DEEDS = ("opens", "closes", "drops", "splits", "joins", "locks", "sorts", "parses", "writes")
TEXTS = [(thing, deed) for thing in THINGS for deed in DEEDS]
RECIPE = tuning.Recipe(seed=1, steps=4, batch=6, others=2, given=1)


def vectors(texts):
    """Texts are near that share their rarer letters."""
    found = np.zeros((len(texts), 26), np.float32)
    for i, text in enumerate(texts):
        for letter in text.lower():
            if letter.isalpha():
                found[i, ord(letter) - ord("a")] += 1
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    return found


def tokens(texts, longest):
    return [[len(text)] * min(longest, 3) for text in texts]


@pytest.fixture(scope="module")
def groups():
    pairs = [
        Pair("commit", f"{deed} a {thing}", f"  def {deed}():\n    {thing}", (deed,), thing, 0)
        for thing, deed in TEXTS
    ]
    pairs += [
        Pair("remark", f"the {thing} that one {deed}", f"{deed} {thing}", ("b", "A"), thing, 0)
        for thing, deed in TEXTS[:20]
    ]
    written = [
        Example("question", f"who {deed} it", f"{thing} {deed}\n{deed}", [f"x y\n{deed} {thing}"])
        for thing, deed in TEXTS[:12]
    ]
    return mistaken.groups({"o/n": pairs}, {"o/n": written}, np.random.default_rng(1))


@pytest.fixture
def sought(groups):
    sought = mistaken.Mistaken(groups, vectors, tokens, Model(PACKAGED))
    sought.look()
    assert sought.suffices()
    return sought


def test_chunks_without_their_comments_stand_apart(groups):
    whole, bare = groups
    assert {one.kind for one in whole.asked} == {"commit", "question"}
    assert {one.kind for one in bare.asked} == {"remark"}
    first = bare.asked[0]
    assert bare.chunks[first.answer].splitlines()[0].endswith(" A.b")
    commit = next(one for one in whole.asked if one.kind == "commit")
    assert whole.chunks[commit.answer].splitlines()[1].startswith("def ")
    written = [one for one in whole.asked if one.written]
    assert len(written) == 12
    assert all(len(one.given) == 1 for one in written)


def test_others_are_near_but_of_other_files_and_not_as_near_as_the_answer(groups):
    whole, _ = groups
    files = whole.files()
    static = vectors([one.query for one in whole.asked]), vectors(whole.chunks)
    cosines = static[0] @ static[1].T
    found = mistaken.near(whole, files, vectors, static)
    assert sum(map(len, found)) > len(found)
    for one, own, scores in zip(whole.asked, found, cosines, strict=True):
        assert all(files[i] != files[one.answer] for i in own)
        assert (scores[own] < scores[one.answer]).all()
        assert (np.diff(scores[own]) <= 1e-6).all()


def test_few_chunks_say_nothing_of_what_is_mistaken(groups):
    _, bare = groups
    assert len(bare.chunks) < 60
    none = np.zeros((0, 26)), np.zeros((0, 26))
    assert [len(one) for one in mistaken.near(bare, bare.files(), vectors, none)] == [0] * 20


def test_without_written_questions_there_are_no_steps(groups):
    mined = [
        group._replace(asked=[one for one in group.asked if not one.written]) for group in groups
    ]
    sought = mistaken.Mistaken(mined, vectors, tokens, Model(PACKAGED))
    sought.look()
    assert not sought.suffices()


def test_a_step_has_groups_of_each_sort(sought):
    steps = list(sought.alone(RECIPE))
    assert len(steps) == RECIPE.steps
    for step in steps:
        assert 8 <= len(step.queries) == len(step.answers) <= 8 * RECIPE.batch
        assert len(step.others) == RECIPE.others * len(step.queries)
        assert len(step.files) == len(step.answers) + len(step.others)


def test_together_each_question_has_its_own_others(sought):
    recipe = tuning.Recipe(seed=1, steps=3, batch=8, others=7, given=3)
    steps = list(sought.together(recipe))
    assert [len(step.queries) for step in steps] == [8] * 3
    assert [len(step.others) for step in steps] == [56] * 3
    again = sought.together(recipe)
    assert [step.files for step in itertools.islice(again, 3)] == [step.files for step in steps]
