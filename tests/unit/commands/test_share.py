"""Indexes that are handed over: nothing is parsed again, and nothing is trusted."""

import gzip
import io
import os
import shutil

import msgspec
import pytest

from gitsearch import trace
from gitsearch.commands.share import export, import_
from gitsearch.commands.verify import verify
from gitsearch.errors import BadRevision, BadShare, Unwritable
from gitsearch.index import facts_import
from gitsearch.index.shared_facts import SharedFacts
from tests.builder import RepoBuilder
from tests.sample import CACHE, LEXER, RETRY, UPLOAD, minified
from tests.unit.commands.asked import (
    Listener,
    answers,
    fresh_answers,
    indexed,
    searched,
    session,
    warm_parsers,
)
from tests.unit.index.fixtures import copy_of


def exported(repo, *revs, file="made.share"):
    warm_parsers()
    path = repo.path.parent / file
    return path, export(session(repo.path), str(path), revs or ["HEAD"])


def imported(repo, path, listener=None):
    warm_parsers()
    return import_(session(repo.path, listener), str(path))


@pytest.fixture(scope="module")
def template(tmp_path_factory, isolation):
    """A repository of three versions with an index of all of them; never to be changed."""
    warm_parsers()
    repo = RepoBuilder(tmp_path_factory.mktemp("template") / "origin")
    repo.having({
        "service/retry.py": RETRY.render("python"),
        "service/cache.go": CACHE.render("go"),
        "README.md": RETRY.render("markdown"),
        "cli/main.h": "int max(int a, int b);\n",
    })  # fmt: skip
    repo.git("tag", "v1")
    repo.append("service/retry.py", "\n\ndef give_up_early():\n    return None\n")
    repo.having({"web/lexer.ts": LEXER.render("typescript"), "web/lib.js": minified()})
    repo.git("tag", "v2")
    repo.remove("service/cache.go")
    repo.having({"service/upload.rs": UPLOAD.render("rust"), "empty.py": ""})
    repo.git("tag", "v3")
    for rev in ("v1", "v2", "v3"):
        indexed(repo, at=rev)
    return repo


@pytest.fixture(scope="module")
def made(template):
    """The exported index of its HEAD: the bytes, and the report."""
    path, report = exported(template)
    return path.read_bytes(), report


@pytest.fixture(scope="module")
def right(template):
    """What is answered from an index that was made here."""
    return answers(template)


@pytest.fixture
def origin(template, tmp_path):
    """A copy of the repository with its index."""
    return copy_of(template, tmp_path / "origin")


@pytest.fixture
def clone(origin):
    """A copy of the repository without an index."""
    shutil.rmtree(origin.index_dir)
    return origin


@pytest.fixture
def share(made, tmp_path):
    path = tmp_path / "made.share"
    path.write_bytes(made[0])
    return path


def counts_of(action):
    before = dict(trace._counts)
    report = action()
    return report, {name: count - before.get(name, 0) for name, count in trace._counts.items()}


def changed(data, change):
    """A file in which each line of a blob is changed."""
    first, *lines = gzip.decompress(data).splitlines(keepends=True)
    blobs = [msgspec.json.decode(line) for line in lines]
    for blob in blobs:
        change(blob)
    return gzip.compress(first + b"".join(msgspec.json.encode(blob) + b"\n" for blob in blobs))


# ---------------------------------------------------------------- what comes of it


def test_an_imported_index_answers_as_one_that_was_made_here(clone, share, made, right):
    report, counts = counts_of(lambda: imported(clone, share))
    assert counts.get("files parsed", 0) == 0
    assert (report.added, report.refused, report.files_parsed) == (report.blobs, 0, 0)
    assert (report.known, report.dropped) == (0, 0)
    assert report.sampled > 0
    assert report.blobs == made[1].blobs
    assert report.trees == (made[1].trees[0].tree,)
    found, counts = counts_of(lambda: answers(clone))
    assert counts.get("files parsed", 0) == 0
    assert found == right
    assert verify(session(clone.path)).problems == ()


def test_an_import_again_finds_everything_known(clone, share):
    imported(clone, share)
    before = (clone.index_dir / "index.duckdb").read_bytes()
    report = imported(clone, share)
    assert (report.added, report.known) == (0, report.blobs)
    assert (clone.index_dir / "index.duckdb").read_bytes() == before


def test_only_what_is_not_recorded_is_added(clone, share, right):
    indexed(clone, at="v1")
    report = imported(clone, share)
    assert report.added > 0
    assert report.known > 0
    assert report.added + report.known == report.blobs
    assert answers(clone) == right


def test_files_that_the_file_lacks_are_parsed(clone, share):
    clone.write("later.py", "def written_later():\n    return 1\n")
    clone.commit()
    report = imported(clone, share)
    assert report.files_parsed == 1
    assert report.added == report.blobs
    assert answers(clone) == fresh_answers(clone)


def test_blobs_that_are_not_here_are_dropped(clone, share, repo):
    repo.having({"service/mine.py": "def of_another_repository():\n    return 1\n"})
    report = imported(repo, share)
    assert (report.added, report.dropped) == (0, report.blobs)
    assert report.files_parsed == 1
    assert searched(repo, "another repository").results


def test_facts_of_other_trees_serve_when_they_are_asked_for(clone, template):
    path, report = exported(template, "v3", "v1", "v1^{tree}", "v2", file="more.share")
    assert len(report.trees) == 4
    assert imported(clone, path).added == report.blobs
    for rev in ("v1", "v2"):
        assert indexed(clone, at=rev).files_parsed == 0
        assert answers(clone, at=rev) == answers(template, at=rev)


def test_an_index_may_come_before_the_first_commit(clone, share, tmp_path, right):
    fresh = RepoBuilder(tmp_path / "fresh")
    fresh.git("fetch", "-q", f"file://{clone.path}", "main")
    report = imported(fresh, share)
    assert report.added == report.blobs
    fresh.git("reset", "-q", "--hard", "FETCH_HEAD")
    found, counts = counts_of(lambda: answers(fresh))
    assert counts.get("files parsed", 0) == 0
    assert found == right


def test_an_index_of_smaller_files_takes_it_too(clone, share, right):
    clone.git("config", "search.maxFileSize", "500")
    report = imported(clone, share)
    assert report.dropped > 0
    assert report.added + report.dropped == report.blobs
    clone.git("config", "--unset", "search.maxFileSize")
    assert answers(clone) == right


def test_sha256_is_as_good(tmp_path):
    repo = RepoBuilder(tmp_path / "one", object_format="sha256")
    repo.having({"a.py": "def some_function():\n    return 1\n"})
    path, _ = exported(repo)
    other = repo.clone(tmp_path / "other")
    report = imported(other, path)
    assert (report.added, report.files_parsed) == (1, 0)


# ---------------------------------------------------------------- export


def test_the_same_tree_gives_the_same_bytes(clone, made):
    # here the tree is not indexed yet; the other record has the blobs of older trees first
    assert exported(clone)[0].read_bytes() == made[0]
    assert exported(clone)[0].read_bytes() == made[0]


def test_edited_files_are_not_exported(origin, made):
    origin.append("README.md", "edited, and not committed\n")
    assert exported(origin)[0].read_bytes() == made[0]


def test_nothing_is_left_of_an_export_that_fails(origin, tmp_path):
    with pytest.raises(BadRevision):
        exported(origin, "no-such-branch")
    with pytest.raises(Unwritable, match="cannot write"):
        export(session(origin.path), str(tmp_path), ["HEAD"])
    assert [path.name for path in tmp_path.iterdir()] == [origin.path.name]


def test_a_stream_has_the_bytes_of_the_file(clone, made):
    kept = []

    def output(pieces):
        kept.extend(pieces)
        return len(b"".join(kept))

    stream = io.BytesIO(made[0])
    assert import_(session(clone.path), "-", stream).added == made[1].blobs
    assert export(session(clone.path), "-", ["HEAD"], output).bytes == len(made[0])
    assert b"".join(kept) == made[0]


# ---------------------------------------------------------------- files that lie


def unwritten(repo):
    return not repo.index_dir.exists()


def test_a_file_whose_facts_are_not_what_parsing_finds_is_refused(clone, share, made):
    def lie(blob):
        # plausible: no definition, and one chunk
        blob["chunks"], blob["symbols"] = [sum(blob["chunks"])] * bool(blob["chunks"]), []

    share.write_bytes(changed(made[0], lie))
    with pytest.raises(BadShare, match=r"is forged.* nothing was imported") as refused:
        imported(clone, share)
    assert refused.value.hint == "git search index makes the index from the repository"
    assert unwritten(clone)


def test_facts_that_contradict_their_text_are_made_anew(clone, share, made, monkeypatch, right):
    # of a file that is right where it is looked at
    monkeypatch.setattr(facts_import, "_sample", lambda _: [])
    forged = []

    def lie(blob):
        if blob["symbols"]:
            forged.append(blob["oid"])
            blob["symbols"][0][1] = "a_name_of_the_forger"

    share.write_bytes(changed(made[0], lie))
    report = imported(clone, share)
    assert report.refused == report.files_parsed == len(forged)
    assert report.added == report.blobs - len(forged)
    assert not searched(clone, "a_name_of_the_forger", mode="symbol").results
    assert answers(clone) == right


def test_facts_that_take_their_reader_down_are_made_anew(clone, share, monkeypatch, right):
    monkeypatch.setattr(facts_import, "_sample", lambda _: [])
    monkeypatch.setattr(SharedFacts, "parsed", lambda *_: os._exit(1))
    report = imported(clone, share)
    assert report.refused == report.files_parsed == report.blobs
    assert answers(clone) == right


def test_a_blob_that_stands_twice_is_refused(clone, share, made):
    first, line, *rest = gzip.decompress(made[0]).splitlines(keepends=True)
    share.write_bytes(gzip.compress(b"".join([first, line, line, *rest[1:]])))
    with pytest.raises(BadShare, match="twice"):
        imported(clone, share)
    assert unwritten(clone)


@pytest.mark.parametrize(
    "change",
    [
        lambda blob: blob.update(oid="HEAD"),
        lambda blob: blob.update(oid="1" * 40 + "\n"),
        lambda blob: blob.update(oid=blob["oid"].upper() + "A"),
        lambda blob: blob.update(chunks="all"),
        lambda blob: blob.pop("symbols"),
    ],
)
def test_a_line_that_is_none_is_named(clone, share, made, change):
    share.write_bytes(changed(made[0], change))
    with pytest.raises(BadShare, match=r"is damaged: line 2\b"):
        imported(clone, share)
    assert unwritten(clone)


def test_an_unknown_language_is_dropped(clone, share, made, right):
    hints = iter(["klingon", "?exe", "?\u0141", "?" + "h" * 999, "", "?ts\n"])
    share.write_bytes(changed(made[0], lambda blob: blob.update(hint=next(hints, blob["hint"]))))
    report = imported(clone, share)
    assert (report.dropped, report.files_parsed) == (6, 6)
    assert answers(clone) == right


def test_a_file_that_cannot_be_read_is_one_line(clone, tmp_path):
    with pytest.raises(BadShare, match="cannot read"):
        imported(clone, tmp_path / "missing")
    with pytest.raises(BadShare, match="is no folder of git search export"):
        imported(clone, tmp_path)
    assert unwritten(clone)


def test_the_files_that_are_parsed_to_check_cannot_be_foreseen(clone, share, monkeypatch):
    monkeypatch.setattr(facts_import, "_SAMPLE", 3)

    def sample_of():
        with share.open("rb") as stream:
            shared = facts_import.read(session(clone.path), stream, "x")
        return [key.oid for key in facts_import._sample(shared)]

    found = [tuple(sample_of()) for _ in range(9)]
    assert all(len(set(one)) == 3 for one in found)
    assert len(set(found)) > 1


# ---------------------------------------------------------------- what else may go wrong


def test_a_damaged_index_is_made_anew_with_what_is_imported(origin, share, right):
    record = origin.index_dir / "index.duckdb"
    record.write_bytes(record.read_bytes()[:5000])
    listener = Listener()
    report = imported(origin, share, listener)
    assert (report.added, report.files_parsed) == (report.blobs, 0)
    assert any("rebuilding" in note for note in listener.notes)
    assert answers(origin) == right


def test_an_import_needs_a_model_before_anything_else(clone, share, tmp_path):
    clone.git("config", "search.model", str(tmp_path))
    with pytest.raises(Exception, match="cannot be used"):
        imported(clone, share)
    assert unwritten(clone)
