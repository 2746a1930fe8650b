"""Blobs are harvested in order, alone or by several processes, and no content stops the others."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from gitsearch.index import child_processes, extraction_pool
from gitsearch.index import fact_columns as harvesting
from gitsearch.index.fact_columns import BlobKey, extract_columns
from tests.sample import TOPICS


def blobs(count=40):
    for n in range(count):
        text = TOPICS[n % len(TOPICS)].render("python") + f"\nNUMBER_{n} = {n}\n"
        yield BlobKey(f"{n:040x}", "python"), text.encode()


def facts(found):
    """A harvest as plain values."""
    tables = (found.chunks, found.symbols)
    columns = [{name: column.tolist() for name, column in table.items()} for table in tables]
    counts = found.terms
    postings = [
        (counts.terms[term], tf, weight)
        for term, tf, weight in zip(
            counts.term.tolist(), counts.tf.tolist(), counts.weight.tolist(), strict=True
        )
    ]
    return (found.keys, found.languages, found.skips, found.sizes.tolist(), found.lines.tolist(),
            columns, postings, counts.indptr.tolist())  # fmt: skip


def all_facts(harvests):
    return [facts(one) for one in harvests]


def test_batches_are_cut_by_size_and_by_number(monkeypatch):
    everything = list(blobs())
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 7)
    found = list(extraction_pool.batches(everything))
    assert [len(batch) for batch in found] == [7, 7, 7, 7, 7, 5]
    assert [one for batch in found for one in batch] == everything
    monkeypatch.setattr(extraction_pool, "BATCH_BYTES", 5000)
    found = list(extraction_pool.batches(everything))
    assert [one for batch in found for one in batch] == everything
    assert all(sum(len(data) for _, data in batch[:-1]) < 5000 for batch in found)


def test_nothing_is_no_batch():
    assert list(extraction_pool.batches([])) == []
    assert list(extraction_pool.extracted([], 0)) == []


def test_halves_are_found_at_the_same_time_and_in_order(monkeypatch):
    everything = list(blobs())
    monkeypatch.setattr(extraction_pool, "SPARED_BYTES", 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    begun: list[int] = []
    first, second = extraction_pool.extract_in_parallel(
        everything, lambda: begun.append(os.getpid())
    )
    assert begun == [os.getpid()]
    assert len(first.keys) > 5 < len(second.keys)
    assert [*first.keys, *second.keys] == [key for key, _ in everything]
    right = [
        extract_columns(everything[: len(first.keys)]),
        extract_columns(everything[len(first.keys) :]),
    ]
    assert all_facts([first, second]) == all_facts(right)
    assert len(extraction_pool.extract_in_parallel(everything[:1], lambda: None)) == 1
    assert all_facts(extraction_pool.extract_in_parallel([], lambda: None)) == all_facts(
        [extract_columns([])]
    )


@pytest.mark.parametrize(
    ("hints", "parts"),
    [
        ("aaaa", ["aaaa"]),
        ("abab", ["aa", "bb"]),
        ("caab", ["aa", "bc"]),
        ("b", ["b"]),
        ("", [""]),
        ("a" * 80, ["a" * 40, "a" * 40]),
        ("aab" + "a" * 80, ["a" * 73, "a" * 9 + "b"]),
        ("b" * 200 + "a" * 99 + "b", ["a" * 99 + "b" * 19, "b" * 182]),
    ],
)
def test_files_of_one_language_stay_together_unless_they_are_many(monkeypatch, hints, parts):
    monkeypatch.setattr(extraction_pool, "PREPARED_BYTES", 64 << 10)
    batch = [(BlobKey(f"{n:040x}", hint), bytes(1 << 10)) for n, hint in enumerate(hints)]
    found = extraction_pool._parts(batch)
    assert ["".join(key.hint for key, _ in part) for part in found] == parts


def test_a_small_job_and_a_large_one_find_the_same(monkeypatch):
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 9)
    right = all_facts(map(extract_columns, extraction_pool.batches(blobs())))
    assert all_facts(extraction_pool.extracted(blobs(), 100)) == right
    assert all_facts(extraction_pool.extracted(blobs(), extraction_pool.ALONE_BYTES)) == right


def test_what_a_batch_holds_does_not_depend_on_its_neighbours():
    together = extract_columns(blobs(6))
    alone = [extract_columns([one]) for one in blobs(6)]
    assert together.languages == [name for one in alone for name in one.languages]
    assert together.chunks["start"].tolist() == [
        start for one in alone for start in one.chunks["start"].tolist()
    ]
    sizes = np.bincount(together.chunks["blob"], minlength=6).tolist()
    assert sizes == [len(one.chunks["blob"]) for one in alone]


@pytest.mark.slow
def test_a_worker_that_dies_costs_nothing_but_time(monkeypatch):
    forked = []
    fork = os.fork

    def noted():
        child = fork()
        forked.append(child)
        return child

    monkeypatch.setattr(os, "fork", noted)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 4)
    right = all_facts(map(extract_columns, extraction_pool.batches(blobs())))
    found = []
    for n, one in enumerate(extraction_pool.extracted(blobs(), extraction_pool.ALONE_BYTES)):
        found.append(facts(one))
        if n == 2:
            for child in forked[:2]:
                os.kill(child, signal.SIGKILL)
    assert found == right
    assert len(forked) > 2


@pytest.mark.long
def test_a_file_that_ends_its_process_is_cut_by_lines_and_no_other(monkeypatch):
    everything = list(blobs(12))
    fatal = everything[5][0].oid
    right = facts(extract_columns(everything, frozenset({fatal})))
    extract = harvesting.facts  # type: ignore[attr-defined]

    def dying(data, language, *, parsed, **named):
        if parsed and data == everything[5][1]:
            os.kill(os.getpid(), signal.SIGKILL)
        return extract(data, language, parsed=parsed, **named)

    monkeypatch.setattr(harvesting, "facts", dying)
    assert all_facts(extraction_pool.extracted(everything, 100)) == [right]
    assert all_facts(extraction_pool.extracted(everything, extraction_pool.ALONE_BYTES)) == [right]
    assert all_facts(extraction_pool.extract_in_parallel(everything, lambda: None)) == [right]


@pytest.mark.long
def test_what_takes_too_long_is_ended_and_too_much_of_it_is_not_tried(monkeypatch):
    everything = list(blobs(6))

    def endless(key, data):
        while key.oid == everything[2][0].oid:
            pass
        return key.oid

    monkeypatch.setattr(extraction_pool, "BATCH_SECONDS", 1)
    monkeypatch.setattr(extraction_pool, "FILE_SECONDS", 1)
    oids = [key.oid for key, _ in everything]
    assert list(extraction_pool.each(endless, everything, 100)) == [*oids[:2], None, *oids[3:]]
    monkeypatch.setattr(extraction_pool, "FAILED_SECONDS", 0.5)
    assert list(extraction_pool.each(endless, everything, 100)) == [
        *oids[:2],
        None,
        None,
        None,
        None,
    ]


def test_a_child_may_take_so_much_memory_and_no_more(monkeypatch):
    monkeypatch.setattr(child_processes, "MEMORY", 64 << 20)
    key = BlobKey("0" * 40, "text")
    assert list(extraction_pool.each(grown, [(key, b"1")], 100)) == [1 << 20]
    assert list(extraction_pool.each(grown, [(key, b"100")], 100)) == [None]


def grown(key, data):
    return len(bytearray(int(data) << 20))


def test_children_say_nothing_on_stderr(capfd):
    def loud(key, data):
        os.write(2, b"terminate called\n")
        return True

    assert list(extraction_pool.each(loud, [(BlobKey("0" * 40, "text"), b"")], 100)) == [True]
    assert capfd.readouterr().err == ""


def children():
    """The processes that this one has started and not waited for, those of other tests too."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # the name, in parentheses, may contain anything
            _, parent = stat.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid():
                found.add(stat.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_workers_are_gone_when_nobody_asks_any_more(monkeypatch):
    monkeypatch.setattr(extraction_pool, "BATCH_FILES", 2)
    before = children()
    harvests = extraction_pool.extracted(blobs(), extraction_pool.ALONE_BYTES)
    next(harvests)
    assert children() > before
    harvests.close()  # type: ignore[attr-defined]
    assert children() <= before
