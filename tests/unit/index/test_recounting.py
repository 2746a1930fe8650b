"""Words are counted anew from the text of known chunks: the same words as when they were cut."""

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest

from gitsearch.commands.gc import collect
from gitsearch.extract.languages import hint
from gitsearch.git import repo as repository
from gitsearch.index import extraction_pool
from gitsearch.index.fact_columns import BlobKey, Cut, counted, extract_columns
from gitsearch.index.recorded_facts import recounted
from gitsearch.store import layout, sections
from gitsearch.store.facts_db import FactsDb
from tests.unit.commands.asked import (
    Aside,
    answers,
    fresh_answers,
    indexed,
    opened,
    quiet_answers,
    searched,
    session,
)
from tests.unit.features.models import write_model

ROOT = Path(__file__).parents[3]
SOURCES = ("gitsearch/index/*.py", "gitsearch/cli/*.py", "docs/*.md", "*.toml", "hooks/*",
           "gitsearch/extract/queries/*/*.scm", "tests/templates/*.txt", "share/**/*")  # fmt: skip
NAMES = {"c": "c", "go": "go", "java": "java", "python": "py", "ruby": "rb", "rust": "rs",
         "typescript": "ts", "markdown": "md", "header": "h", "test_python": "py"}  # fmt: skip


def real_files():
    """Files of this project and of the sample, under names that tell their language."""
    found = sorted({path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()})
    for number, path in enumerate(found):
        name = path.name
        if path.parent.name == "templates":
            name = f"{path.stem}.{NAMES[path.stem]}"
        yield BlobKey(f"{number:040}", hint(name.encode())), path.read_bytes()
    yield BlobKey("bad", "python"), b"def f():\n    return '\xff\xfe caf\xe9' # \xe2\x82\n" * 40
    deep = b"class A:\n  class B:\n    def c(self):\n" + b"        x = self.delay_of_b\n" * 60
    yield BlobKey("deep", "python"), deep


def by_text(counts):
    """Occurrences and weights of each chunk by the texts of the terms."""
    texts = np.asarray(counts.terms, object)[counts.term]
    every = list(zip(texts, counts.tf.tolist(), counts.weight.tolist(), strict=True))
    ends = counts.indptr.tolist()
    return [sorted(every[a:b]) for a, b in itertools.pairwise(ends)]


def test_known_chunks_are_counted_as_when_they_were_cut():
    blobs = list(real_files())
    found = extract_columns(blobs)
    assert len(set(found.languages)) > 8
    cut = []
    for number, (_, data) in enumerate(blobs):
        chunks, symbols = (
            {name: column[table["blob"] == number].tolist() for name, column in table.items()}
            for table in (found.chunks, found.symbols)
        )
        start, end, scope = (chunks[name] for name in ("start", "end", "scope"))
        cut.append((Cut(start, end, scope, symbols["name"], symbols["parent"]), data))
    assert any(scope >= 0 for one, _ in cut for scope in one.scope)
    again, absent = counted(cut)
    assert not absent.any()
    assert by_text(again) == by_text(found.terms)


def arrays_of(repo):
    """All views by name: arrays as lists with their types, and meta."""
    found = {}
    for file in sorted((repo.index_dir / layout.VIEWS).iterdir()):
        read = sections.read(file.parent.parent, f"views/{file.name}")
        arrays = {name: (str(a.dtype), a.tolist()) for name, a in read.arrays.items()}
        found[file.name] = arrays, read.meta
    return found


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False])
def test_a_view_from_the_record_is_that_of_the_first_index(sample, monkeypatch, alone):
    if not alone:
        monkeypatch.setattr(extraction_pool, "ALONE_BYTES", 0)
        monkeypatch.setattr(extraction_pool, "BATCH_FILES", 7)
    indexed(sample)
    first = arrays_of(sample)
    for file in (sample.index_dir / layout.VIEWS).iterdir():
        file.unlink()
    assert opened(sample).counters.files_parsed == 0
    again = arrays_of(sample)
    assert again.keys() == first.keys()
    for name, (arrays, meta) in again.items():
        assert meta == first[name][1]
        assert arrays.keys() == first[name][0].keys()
        for array, content in arrays.items():
            assert content == first[name][0][array], array


@pytest.mark.parametrize("files", [1, 3, 512])
def test_the_record_is_counted_in_the_order_of_its_chunks(current, monkeypatch, files):
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", files)
    repo = repository.open_repo(current.path)
    with FactsDb(current.index_dir / layout.RECORD) as record:
        ids = record.query("select id from chunk order by id")["id"]
        wanted = record.execute(
            'select b.oid, c.start, c."end" from chunk c join blob b on b.id = c.blob'
            " order by c.id"
        )
        found_now = list(recounted(record, repo))
        counts = [one for many, _ in found_now for one in by_text(many)]
    assert not any(len(absent) for _, absent in found_now)
    assert len(counts) == len(ids)
    for (oid, start, end), found in zip(wanted, counts, strict=True):
        text = current.run("cat-file", "blob", oid).stdout[start:end].lower()
        held = [term for term, _, weight in found if term.encode() in text]
        assert held or not found


def test_a_record_without_blobs_has_nothing_to_count(repo):
    repo.write("logo.bin", b"\0" * 50)
    repo.commit()
    indexed(repo)
    opened_repo = repository.open_repo(repo.path)
    with FactsDb(repo.index_dir / layout.RECORD) as record:
        assert list(recounted(record, opened_repo)) == []


# ---------------------------------------------------------------- another model


@pytest.mark.long
def test_another_model_after_gc_embeds_what_is_left(current, tmp_path):
    current.write("gone.py", "def gone_for_good(): ...\n")
    current.commit()
    indexed(current)
    current.git("reset", "-q", "--hard", "HEAD~1")
    current.git("reflog", "expire", "--expire=now", "--all")
    assert collect(session(current.path)).blobs_dropped == 1
    model = write_model(tmp_path / "m", ["retry pause", "page"])
    current.git("config", "search.model", str(model))
    assert indexed(current).files_parsed == 0
    assert quiet_answers(current) == fresh_answers(current)
    current.git("config", "--unset", "search.model")
    assert indexed(current).files_parsed == 0
    assert quiet_answers(current) == fresh_answers(current)


# ---------------------------------------------------------------- text that git has lost


def lose(repo, oid):
    """Take a loose object away; returns where it lay and what it was."""
    file = repo.git_dir / "objects" / oid[:2] / oid[2:]
    held = file.with_name(f"{file.name}.away")
    file.rename(held)
    return file, held


@pytest.fixture
def lost(sample):
    """An indexed repository without its views, and one blob taken away."""
    packs = sample.git_dir / "objects" / "pack"
    aside = packs.rename(sample.git_dir / "packs")
    packs.mkdir()
    for pack in aside.glob("*.pack"):
        sample.git("unpack-objects", "-q", stdin=pack.read_bytes())
    indexed(sample)
    shutil.rmtree(sample.index_dir / layout.VIEWS)
    file, held = lose(sample, sample.rev("HEAD:service/retry_policy.py"))
    return sample, file, held


@pytest.mark.slow
def test_a_blob_that_vanished_is_no_reason_to_fail(lost):
    repo, _, _ = lost
    assert answers(repo) == fresh_answers(repo)
    found = searched(repo, "evict oldest page")
    assert found.results[0].path == "service/page_cache.py"
    assert found.coverage.skipped["absent"] == 1
    assert found.coverage == fresh_coverage(repo)
    assert opened(repo).counters.files_parsed == 0


def fresh_coverage(repo):
    with Aside(repo):
        return searched(repo, "retry").coverage


@pytest.mark.slow
def test_a_blob_that_vanished_and_came_back_is_searched_as_before(lost):
    repo, file, held = lost
    answers(repo)
    held.rename(file)
    assert answers(repo) == fresh_answers(repo)
    assert opened(repo).counters.files_parsed == 0


@pytest.mark.slow
def test_a_blob_that_was_away_when_the_model_changed_is_embedded_when_it_is_back(lost, tmp_path):
    repo, file, held = lost
    repo.git("config", "search.model", str(write_model(tmp_path / "m", ["retry pause", "page"])))
    answers(repo)
    held.rename(file)
    assert answers(repo) == fresh_answers(repo)


@pytest.mark.long
def test_models_may_change_again_after_a_blob_was_away(lost, tmp_path):
    repo, file, held = lost
    answers(repo)  # says that views are missing
    for name, words in (("one", ["retry pause", "page"]), ("two", ["page cache", "retry"])):
        repo.git("config", "search.model", str(write_model(tmp_path / name, words)))
        assert quiet_answers(repo) == fresh_answers(repo)
    held.rename(file)
    assert answers(repo) == fresh_answers(repo)
    repo.write("service/more.py", "def more_of_it(): ...\n")
    repo.commit()
    assert answers(repo) == fresh_answers(repo)
    repo.git("config", "search.model", str(tmp_path / "one"))
    assert quiet_answers(repo) == fresh_answers(repo)
    repo.git("config", "--unset", "search.model")
    assert quiet_answers(repo) == fresh_answers(repo)
