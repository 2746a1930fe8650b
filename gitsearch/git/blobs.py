"""Sizes and contents of blobs by id, streamed from one git process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import IO, TypeVar

from gitsearch.errors import GitFailed
from gitsearch.git.repo import OBJECT_TYPES, GitEnded, Repo, end, send

# Answers "<id> <type> <size>" and the content, or "<name> missing", to the name of an object.
CONTENTS = ("cat-file", "--batch")
# Lists the objects that this machine has; asks no promisor of a partial clone.
LIST_PRESENT = (
    "cat-file",
    "--batch-all-objects",
    "--batch-check=%(objectname)",
    "--unordered",
    "--buffer",
)
IDS_AT_ONCE = 4096
# Requests that are written before an answer is read: they fit into a pipe of every system.
FEW = 200

Environment = Mapping[str, str]
Answer = TypeVar("Answer")


def sizes(repo: Repo, oids: Iterable[str], env: Environment | None = None) -> dict[str, int]:
    """Return the size in bytes of each blob; missing objects and other types are left out."""
    distinct = list(dict.fromkeys(oids))
    answers = _ask(repo, distinct, env, OBJECT_TYPES, _read_size)
    return {oid: size for oid, size in answers if size is not None}


def read_blobs(
    repo: Repo, oids: Sequence[str], env: Environment | None = None
) -> Generator[tuple[str, bytes | None], None, None]:
    """Yield each id with its content, in the given order; None if missing, broken or no blob.

    One whole blob is in memory at a time; the caller leaves out large ones.
    """
    return _ask(repo, oids, env, CONTENTS, partial(_read_bytes, b"blob"))


def read_objects(
    repo: Repo, names: Sequence[str], kind: str
) -> Generator[tuple[str, bytes | None], None, None]:
    """Yield each name with the content of its object; None if missing, broken or of another kind.

    kind: "commit" or "tree".
    """
    return _ask(repo, names, None, CONTENTS, partial(_read_bytes, kind.encode("ascii")))


def read_one(repo: Repo, oid: str) -> bytes | None:
    """Return the content of one blob; None if it is missing, broken or no blob."""
    return dict(read_blobs(repo, [oid]))[oid]


def _ask(
    repo: Repo,
    names: Sequence[str],
    env: Environment | None,
    command: tuple[str, ...],
    read: Callable[[IO[bytes]], Answer | None],
) -> Generator[tuple[str, Answer | None], None, None]:
    # git ends at a broken object, and before 2.45 also at one that a partial clone lacks (it may
    # not fetch). The answer for that object is None, and another process continues after it.
    if any("\n" in name for name in names):
        # git would answer twice, and the answers to what follows would be taken for others
        raise GitFailed("the name of an object has a line feed")
    present: set[str] | None = None
    position = 0
    while position < len(names):
        asked = [name for name in names[position:] if present is None or name in present]
        try:
            with _answers(repo, command, asked, env) as out:
                for name in names[position:]:
                    answer = read(out) if present is None or name in present else None
                    position += 1
                    yield name, answer
        except GitEnded:
            yield names[position], None
            position += 1
            if present is None:
                # more missing objects are likely, and each costs a process: list what exists
                present = set(repo.run(*LIST_PRESENT, env=env).decode("ascii").split())


@contextmanager
def _answers(
    repo: Repo, command: tuple[str, ...], names: Sequence[str], env: Environment | None
) -> Iterator[IO[bytes]]:
    if len(names) <= FEW and env is None:
        with repo.requests(*command) as process:
            assert process.stdout is not None
            send(process, _lines(names))
            yield process.stdout
        return
    process = repo.pipe(*command, "--buffer", env=env)
    assert process.stdin is not None
    assert process.stdout is not None
    # writing from a thread keeps git busy: alternating requests and answers takes 4 times as long
    feeder = Thread(target=_feed, args=(process.stdin, names), daemon=True)
    feeder.start()
    try:
        yield process.stdout
    finally:
        process.kill()
        feeder.join()
        end(process)


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


def _feed(pipe: IO[bytes], names: Sequence[str]) -> None:
    with suppress(BrokenPipeError):
        for start in range(0, len(names), IDS_AT_ONCE):
            pipe.write(_lines(names[start : start + IDS_AT_ONCE]))
    with suppress(BrokenPipeError):
        pipe.close()


def _read_size(out: IO[bytes]) -> int | None:
    kind, size = _read_header(out)
    return size if kind == b"blob" else None


def _read_bytes(wanted: bytes, out: IO[bytes]) -> bytes | None:
    kind, size = _read_header(out)
    if size is None:
        return None
    data = out.read(size)
    if out.read(1) != b"\n":
        raise GitEnded
    return data if kind == wanted else None


def _read_header(out: IO[bytes]) -> tuple[bytes, int | None]:
    """The type and the size of an object; the size is None if it is missing."""
    header = out.readline()
    if not header.endswith(b"\n"):
        raise GitEnded
    _, *kind, size = header[:-1].split(b" ")
    return b" ".join(kind), int(size) if size.isdigit() else None
