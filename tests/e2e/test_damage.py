"""Damaged or missing files of the index: it is said, the answer is right, the index healed."""

import json
import shutil
import struct
from pathlib import Path

import duckdb
import pytest

from tests.confinement import read_only, small

pytestmark = pytest.mark.long

QUERY = ("-k", "20", "pause", "before", "a", "failed", "request", "is", "sent", "again")

# Every kind of file in the index folder; the first group holds what answers are made of.
CONTENT = ("index.duckdb", "vectors-*", "views/*")
BESIDE = ("seal", "lock", "README", "CACHEDIR.TAG")


def files_of(index_dir: Path, kind: str) -> list[Path]:
    files = sorted(index_dir.glob(kind))
    assert files, f"no file of the index is called {kind}"
    return files


def results(done):
    """Data and not text: a failing comparison of long lines takes pytest minutes to explain."""
    return [json.loads(line) for line in done.stdout.splitlines()]


def answer(installed, repo):
    """The answer, and the lines on stderr."""
    done = installed.run("--jsonl", *QUERY, cwd=repo.path)
    assert done.returncode == 0, done.stderr + done.stdout[-400:]
    assert "Traceback" not in done.stderr
    return results(done), done.stderr.splitlines()


@pytest.fixture(scope="module")
def right_answer(installed, indexed_template):
    said, complaints = answer(installed, indexed_template)
    assert len(said) == 20
    assert complaints == []
    return said


def flip(file: Path, position: float) -> None:
    """Change one byte at or before a place; zeros are passed over, for they may only fill up."""
    data = bytearray(file.read_bytes())
    place = min(int(len(data) * position), len(data) - 1)
    while place and not data[place]:
        place -= 1
    data[place] ^= 0x55
    file.write_bytes(data)


def truncate(file: Path, share: float) -> None:
    with file.open("r+b") as handle:
        handle.truncate(int(file.stat().st_size * share))


def exchange(file: Path) -> None:
    file.write_bytes(b"something else\n" * 100)


DAMAGES = {
    "deleted": Path.unlink,
    "emptied": lambda file: truncate(file, 0),
    "truncated": lambda file: truncate(file, 0.6),
    "exchanged": exchange,
    "flipped at the start": lambda file: flip(file, 0),
    "flipped in the middle": lambda file: flip(file, 0.5),
    "flipped at the end": lambda file: flip(file, 1),
}
# Each is tried on every kind of file in long runs, and the first two otherwise.
EVERY_DAMAGE = [*DAMAGES][:2] + [
    pytest.param(name, marks=pytest.mark.long) for name in [*DAMAGES][2:]
]
SWEEP = {f"flipped at {n}/8": (lambda file, n=n: flip(file, n / 8)) for n in range(1, 8)}


def test_every_file_of_the_index_has_a_kind(indexed_template):
    folder = indexed_template.index_dir
    known = {file for kind in CONTENT + BESIDE for file in files_of(folder, kind)}
    assert {file for file in folder.rglob("*") if file.is_file()} == known


def assert_healed(installed, repo, right_answer):
    assert answer(installed, repo) == (right_answer, [])
    done = installed.run("verify", cwd=repo.path)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_answered(installed, repo, right_answer):
    """The answer is right, with at most one line about the index."""
    said, complaints = answer(installed, repo)
    assert said == right_answer
    assert complaints == complaints[:1]
    return complaints


def assert_survived(installed, repo, right_answer, files):
    """The answer is right; damage that the search did not say is found by `verify`."""
    if not assert_answered(installed, repo, right_answer):
        done = installed.run("verify", cwd=repo.path)
        report = done.stdout + done.stderr
        found = any(file.name in report for file in files)
        assert done.returncode != 0, "the damage was found by nobody"
        assert found, report
        done = installed.run("index", cwd=repo.path)
        assert done.returncode == 0
        assert len(done.stderr.splitlines()) == 1, done.stderr
    assert_healed(installed, repo, right_answer)


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("damage", EVERY_DAMAGE)
def test_damage_is_said_and_healed(installed, indexed, right_answer, kind, damage):
    files = files_of(indexed.index_dir, kind)
    for file in files:
        DAMAGES[damage](file)
    assert_survived(installed, indexed, right_answer, files)


@pytest.mark.long
@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("damage", SWEEP)
def test_one_flipped_byte_anywhere_is_said_or_harmless(
    installed, indexed, right_answer, kind, damage
):
    for file in files_of(indexed.index_dir, kind):
        SWEEP[damage](file)
    assert_answered(installed, indexed, right_answer)
    if installed.run("verify", cwd=indexed.path).returncode != 0:
        done = installed.run("index", cwd=indexed.path)
        assert done.returncode == 0
        assert len(done.stderr.splitlines()) <= 1
    assert_healed(installed, indexed, right_answer)


@pytest.mark.parametrize("kind", BESIDE)
@pytest.mark.parametrize("damage", ["deleted", "emptied", "exchanged"])
def test_files_beside_the_content_matter_to_nobody(installed, indexed, right_answer, kind, damage):
    for file in files_of(indexed.index_dir, kind):
        DAMAGES[damage](file)
    assert_answered(installed, indexed, right_answer)
    assert_healed(installed, indexed, right_answer)


def newer_header(file: Path) -> None:
    # magic of eight bytes, then the version as 32 bits
    data = bytearray(file.read_bytes())
    (version,) = struct.unpack_from("<I", data, 8)
    assert 0 < version < 1000
    struct.pack_into("<I", data, 8, version + 1)
    file.write_bytes(data)


def newer_record(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        found = connection.execute(
            "update meta set value = (value::int + 1)::varchar where key = 'record_version'"
            " returning value"
        ).fetchall()
    assert len(found) == 1


@pytest.mark.parametrize(
    ("kind", "newer"),
    [("index.duckdb", newer_record), ("vectors-*", newer_header), ("views/*", newer_header)],
)
def test_a_file_of_a_future_version_is_said_and_replaced(
    installed, indexed, right_answer, kind, newer
):
    files = files_of(indexed.index_dir, kind)
    for file in files:
        newer(file)
    assert_survived(installed, indexed, right_answer, files)


def test_an_index_that_is_gone_is_built_without_a_word(installed, indexed, right_answer):
    shutil.rmtree(indexed.index_dir)
    assert_healed(installed, indexed, right_answer)


@pytest.mark.parametrize("kept", ["index.duckdb", "vectors-*", "views/*"])
def test_one_kept_file_is_enough_to_start_from(installed, indexed, right_answer, kept):
    keep = set(files_of(indexed.index_dir, kept))
    for file in indexed.index_dir.rglob("*"):
        if file.is_file() and file not in keep:
            file.unlink()
    assert_answered(installed, indexed, right_answer)
    assert_healed(installed, indexed, right_answer)


@pytest.mark.parametrize("name", ["index.duckdb", "views", "lock", "seal"])
def test_a_folder_or_file_in_the_wrong_place_is_survived(installed, indexed, right_answer, name):
    place = indexed.index_dir / name
    if place.is_dir():
        shutil.rmtree(place)
        place.write_text("no folder", encoding="utf-8")
    else:
        place.unlink()
        place.mkdir()
        place.joinpath("inside").touch()
    assert_answered(installed, indexed, right_answer)


def test_leftovers_of_a_killed_writer_are_swept(installed, indexed, right_answer):
    stray = [
        indexed.index_dir / "seal.0123abcd.tmp",
        indexed.index_dir / "views" / "base.0123abcd.tmp",
    ]
    for file in stray:
        file.write_bytes(b"half of it")
    assert answer(installed, indexed) == (right_answer, [])
    assert installed.run("gc", cwd=indexed.path).returncode == 0
    assert not [file for file in stray if file.exists()]
    assert_healed(installed, indexed, right_answer)


# ---------------------------------------------------------------- places that cannot be written


def answer_confined(installed, repo, wrapper):
    done = installed.run("--jsonl", *QUERY, cwd=repo.path, wrapper=wrapper)
    assert done.returncode == 0, done.stderr + done.stdout[-400:]
    return results(done), done.stderr.splitlines()


def test_a_read_only_repository_is_searched_from_memory(installed, sample, right_answer):
    said, complaints = answer_confined(installed, sample, read_only(sample.git_dir))
    assert said == right_answer
    assert complaints == complaints[:1]
    assert "Read-only file system" in complaints[0] or "cannot write" in complaints[0]
    assert not sample.index_dir.exists()


def test_a_read_only_index_that_is_current_is_silent(installed, indexed, right_answer):
    assert answer(installed, indexed) == (right_answer, [])
    assert answer_confined(installed, indexed, read_only(indexed.git_dir)) == (right_answer, [])


def test_a_read_only_index_that_is_old_is_completed_in_memory(installed, indexed):
    indexed.write("service/extra.py", "def pause_before_a_failed_request_is_sent_again(): ...\n")
    for number in range(9):
        indexed.write(f"service/more_{number}.py", f"def more_{number}(): ...\n")
    indexed.commit("more than what needs no writing")
    said, complaints = answer_confined(installed, indexed, read_only(indexed.git_dir))
    assert len(complaints) == 1
    assert "service/extra.py" in {result["path"] for result in said}
    assert answer(installed, indexed) == (said, [])


def test_a_damaged_index_that_is_read_only_still_answers(installed, indexed, right_answer):
    for kind in CONTENT:
        for file in files_of(indexed.index_dir, kind):
            truncate(file, 0.5)
    said, complaints = answer_confined(installed, indexed, read_only(indexed.git_dir))
    assert said == right_answer
    assert complaints
    assert complaints == complaints[:2]


def test_index_says_that_it_cannot_write(installed, sample):
    done = installed.run("index", cwd=sample.path, wrapper=read_only(sample.git_dir))
    assert done.returncode == 128
    assert done.stderr.splitlines() == done.stderr.splitlines()[:1]
    assert "Read-only file system" in done.stderr


@pytest.mark.parametrize("size", ["4k", "32k", "256k", "1m", "2m"])
def test_a_full_disk_is_survived(installed, sample, right_answer, size):
    wrapper = small(sample.index_dir, size)
    said, complaints = answer_confined(installed, sample, wrapper)
    assert said == right_answer
    assert complaints == complaints[:1]
    if size == "4k":
        assert complaints
    assert_healed(installed, sample, right_answer)


def test_a_read_only_home_is_no_concern(installed, sample, isolation, right_answer):
    said, complaints = answer_confined(installed, sample, read_only(isolation))
    assert (said, complaints) == (right_answer, [])
