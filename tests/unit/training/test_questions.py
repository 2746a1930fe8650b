"""Written questions are about places that are there, and about no repository that measures."""

import json
import lzma
from collections import Counter

import pytest

from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.git import repo as repository
from training import examples, gather, listing, mining, questions, reader, sources
from training.examples import Example
from training.questions import Question

FILES = {
    f"store/{noun}.py": "".join(
        f"def {verb}_{noun}(path, mode):\n"
        + "".join(f"    {noun}_{i} = {verb}(path, mode, {i})\n" for i in range(12))
        + f"    return {noun}_1\n\n\n"
        for verb in ("open", "read", "write", "close", "drop", "split")
    )
    for noun in ("letter", "parcel", "ticket", "ledger", "packet", "folder")
}
WORDS = "where is a package looked into"
ASKED = Question("some/thing", "store/parcel.py", 17, "question", WORDS)
LINE = json.dumps(
    {"repository": "some/thing", "path": "store/parcel.py", "line": 17, "question": WORDS}
)


@pytest.fixture
def cut(repo):
    repo.having(FILES)
    opened = repository.open_repo(repo.path)
    tree = repository.resolve(opened, "HEAD").tree
    return list(sources.code_of(opened, tree, 5, mining.generator("some/thing", 1), {ASKED.path}))


def test_a_question_goes_with_the_chunk_of_its_line(cut):
    (pair,) = questions.pairs(cut, [ASKED, ASKED._replace(path="store/gone.py")])
    assert pair.query == ASKED.query
    assert pair.text.startswith("def read_parcel")


def test_others_are_of_other_definitions(cut):
    found = examples.with_others(
        cut, questions.pairs(cut, [ASKED]), Model(PACKAGED), mining.generator("some/thing", 1)
    )
    assert [one.kind for one in found] == ["question"]
    assert examples.FEWEST <= len(found[0].others) <= examples.OTHERS
    assert not any("read_parcel" in other for other in found[0].others)


def test_examples_of_written_questions_are_kept(repo, tmp_path, monkeypatch):
    repo.having(FILES)
    entry = listing.Entry(
        "https://github.com/some/thing", repo.git("rev-parse", "HEAD"), "MIT", "trained on"
    )
    (tmp_path / "questions").write_bytes(lzma.compress(LINE.encode()))
    monkeypatch.setattr(questions, "QUESTIONS", tmp_path / "questions")
    found = [(entry, repository.open_repo(repo.path))]
    ((_, first),) = gather.gather_written(found, tmp_path / "work", 1)
    assert [one.query for one in first] == [ASKED.query]
    monkeypatch.setattr(questions, "pairs", None)
    assert gather.gather_written(found, tmp_path / "work", 1) == [(entry, first)]
    # others are made where there are other questions
    (tmp_path / "questions").write_bytes(lzma.compress(b""))
    with pytest.raises(TypeError):
        gather.gather_written(found, tmp_path / "work", 1)


def test_what_is_written_goes_with_half_as_much_that_was_mined():
    trained, held, alone = (
        listing.Entry(f"https://github.com/some/{name}", "0" * 40, "MIT", use)
        for name, use in (("one", "trained on"), ("two", "held out"), ("three", "trained on"))
    )
    mined = [Example("commit", f"m{i}", "answer", []) for i in range(20)]
    written = [Example("report", f"w{i}", "answer", []) for i in range(9)]
    lists = reader.mixed(
        [(trained, mined), (held, mined), (alone, mined)],
        [(trained, written), (held, written), (alone, [])],
        seed=1,
    )
    assert [one[:9] for one in lists] == [written, []]
    assert len({one.query for one in lists[0][9:]}) == 4
    assert {one.kind for one in lists[0][9:]} == {"commit"}


def test_what_was_written_is_about_repositories_that_train():
    written = questions.read(questions.QUESTIONS)
    known = {one.name for one in listing.read_list()}
    assert len(written) > 5000
    assert {one.repository for one in written} <= known
    assert {one.kind for one in written} == {"question", "report", "phrase"}
    assert max(Counter((one.repository, one.path, one.line) for one in written).values()) <= 3
    assert all(one.line > 0 and one.query == " ".join(one.query.split()) for one in written)
