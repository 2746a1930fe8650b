"""Sizes and contents of blobs by id, streamed from one git process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import IO, TypeVar

from gitsearch.git.repo import Repo, end

FORMAT = "%(objecttype) %(objectsize)"
# Lists the objects that this machine has; asks no promisor of a partial clone.
LIST_PRESENT = (
    "cat-file",
    "--batch-all-objects",
    "--batch-check=%(objectname)",
    "--unordered",
    "--buffer",
)
IDS_AT_ONCE = 4096

Environment = Mapping[str, str]
Answer = TypeVar("Answer")


class _EndedError(Exception):
    """git ended before it answered."""


def sizes(repo: Repo, oids: Iterable[str], env: Environment | None = None) -> dict[str, int]:
    """Return the size in bytes of each blob; missing objects and other types are left out."""
    distinct = list(dict.fromkeys(oids))
    answers = _ask(repo, distinct, env, f"--batch-check={FORMAT}", _read_size)
    return {oid: size for oid, size in answers if size is not None}


def read_blobs(
    repo: Repo, oids: Sequence[str], env: Environment | None = None
) -> Generator[tuple[str, bytes | None], None, None]:
    """Yield each id with its content, in the given order; None if missing, broken or no blob.

    One whole blob is in memory at a time; the caller leaves out large ones.
    """
    return _ask(repo, oids, env, f"--batch={FORMAT}", _read_bytes)


def read_one(repo: Repo, oid: str) -> bytes | None:
    """Return the content of one blob; None if it is missing, broken or no blob."""
    return next(read_blobs(repo, [oid]))[1]


def _ask(
    repo: Repo,
    oids: Sequence[str],
    env: Environment | None,
    mode: str,
    read: Callable[[IO[bytes]], Answer | None],
) -> Generator[tuple[str, Answer | None], None, None]:
    # git ends at a broken object, and before 2.45 also at one that a partial clone lacks (it may
    # not fetch). The answer for that object is None, and another process continues after it.
    present: set[str] | None = None
    position = 0
    while position < len(oids):
        asked = [oid for oid in oids[position:] if present is None or oid in present]
        with _stream(repo, mode, asked, env) as out:
            try:
                for oid in oids[position:]:
                    answer = read(out) if present is None or oid in present else None
                    position += 1
                    yield oid, answer
            except _EndedError:
                yield oids[position], None
                position += 1
                if present is None:
                    # more missing objects are likely, and each costs a process: list what exists
                    present = set(repo.run(*LIST_PRESENT, env=env).decode("ascii").split())


@contextmanager
def _stream(
    repo: Repo, mode: str, oids: Sequence[str], env: Environment | None
) -> Iterator[IO[bytes]]:
    process = repo.pipe("cat-file", mode, "--buffer", env=env)
    assert process.stdin is not None
    assert process.stdout is not None
    # writing from a thread keeps git busy: alternating requests and answers takes 4 times as long
    feeder = Thread(target=_feed, args=(process.stdin, oids), daemon=True)
    feeder.start()
    try:
        yield process.stdout
    finally:
        process.kill()
        feeder.join()
        end(process)


def _feed(pipe: IO[bytes], oids: Sequence[str]) -> None:
    with suppress(BrokenPipeError):
        for start in range(0, len(oids), IDS_AT_ONCE):
            pipe.write("".join(f"{oid}\n" for oid in oids[start : start + IDS_AT_ONCE]).encode())
    with suppress(BrokenPipeError):
        pipe.close()


def _read_size(out: IO[bytes]) -> int | None:
    kind, size = _read_header(out)
    return size if kind == b"blob" else None


def _read_bytes(out: IO[bytes]) -> bytes | None:
    kind, size = _read_header(out)
    if size is None:
        return None
    data = out.read(size)
    if out.read(1) != b"\n":
        raise _EndedError
    return data if kind == b"blob" else None


def _read_header(out: IO[bytes]) -> tuple[bytes, int | None]:
    # "<type> <size>", or "<id> missing"
    header = out.readline()
    if not header.endswith(b"\n"):
        raise _EndedError
    kind, _, size = header[:-1].rpartition(b" ")
    return kind, int(size) if size.isdigit() else None
