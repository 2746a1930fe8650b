"""An exported index as one file: a gzip member with a line about it and a line for each blob.

docs/format.md, "Exported index", is normative. A file that is read may come from anybody: what it
unpacks to is bounded, and each line is decoded by a strict type before it is used.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import msgspec

from gitsearch.errors import BadShare, Unwritable, brief
from gitsearch.git_conventions import is_object_id
from gitsearch.index.versions import EXTRACT_VERSION, SHARE_VERSION
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The form of zlib that is a gzip member; the header that it writes has no name and no time.
_GZIP = 31
_LEVEL = 9

# Bytes that are read, and bytes that are unpacked, at a time.
_READ = 1 << 16
_PIECE = 1 << 20

# Bytes that a file may unpack to: that of kafka (70 MB of text) has 7 MB. And those of one line:
# a file of the size that git search indexes by default has less than 1 MB.
_MOST = 1 << 30
LONGEST = 1 << 26

_FORMAT = "git-search-share"
# What the content of a file of any version begins with.
_HEAD = f'{{"{_FORMAT}":'.encode()
_Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
_REMAKE = "git search share export makes one with this version"


class Header(msgspec.Struct, rename={"format": _FORMAT}, forbid_unknown_fields=True):
    """The first line. trees: ids of the trees of which the file has the blobs; blobs: how many."""

    format: _Number
    extract: _Number
    trees: list[str]
    blobs: _Number


class _Version(msgspec.Struct, rename={"format": _FORMAT}):
    """The part of the first line that every version has."""

    format: _Number


def packed(trees: list[str], lines: list[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file with the facts of these trees. Raises BadShare for too many."""
    header = Header(SHARE_VERSION, EXTRACT_VERSION, trees, len(lines))
    whole = [msgspec.json.encode(header), *lines]
    if sum(map(len, whole)) + len(whole) > _MOST:
        raise BadShare(
            f"an exported index has at most {_MOST >> 20} MB, unpacked; these trees need more",
            "export fewer trees",
        )
    deflater = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for line in whole:
        yield deflater.compress(line + b"\n")
    yield deflater.flush()


def write(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file beside its target and rename it when it is complete; returns its size in bytes.

    Raises Unwritable, also for a target that is no regular file.
    """
    target = Path(os.path.realpath(path))
    if layout.obstructed(target):
        raise Unwritable(f"cannot write '{path}': it is not a regular file")
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        try:
            with temporary.open("xb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error
    return size


class SharedFile:
    """An exported index that is read from a stream, once.

    name: of the file, for messages; header: its first line; size: bytes that were read so far.
    Nothing of a file may be used before its last line was read. Raises BadShare.
    """

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.name = name
        self.size = 0
        self._stream = stream
        self._lines = self._split()
        self.header = self._header(next(self._lines, b""))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the blobs, as they are unpacked, without their line feeds."""
        count = 0
        for line in self._lines:
            count += 1
            if count > self.header.blobs:
                raise self.damaged(f"it has more blobs than {self.header.blobs}")
            yield line
        if count < self.header.blobs:
            raise self.damaged(f"it has {count} blobs instead of {self.header.blobs}")

    def damaged(self, reason: str) -> BadShare:
        """Return the error for a file that is not as it was written."""
        return BadShare(f"'{self.name}' is damaged: {reason}", _REMAKE)

    def _foreign(self) -> BadShare:
        return BadShare(f"'{self.name}' is no file of git search share export")

    def _header(self, line: bytes) -> Header:
        try:
            version = msgspec.json.decode(line, type=_Version).format
        except ValueError:
            raise self._foreign() from None
        if version != SHARE_VERSION:
            which = "a newer" if version > SHARE_VERSION else "an older"
            raise BadShare(
                f"'{self.name}' was written by {which} version of git search: format {version}, "
                f"this version reads {SHARE_VERSION}",
                _REMAKE,
            )
        try:
            header = msgspec.json.decode(line, type=Header)
        except ValueError as error:
            raise self.damaged(f"its first line: {brief(str(error))}") from error
        if header.extract != EXTRACT_VERSION:
            raise BadShare(
                f"'{self.name}' was written by a version of git search that cuts and finds "
                f"otherwise: extraction {header.extract}, that of this version is "
                f"{EXTRACT_VERSION}",
                _REMAKE,
            )
        if not all(map(is_object_id, header.trees)):
            raise self.damaged("its first line names what is no tree")
        return header

    def _split(self) -> Iterator[bytes]:
        """Yield the lines of the content."""
        rest = bytearray()
        for piece in self._unpacked():
            rest += piece
            if b"\n" in piece:
                *whole, rest = rest.split(b"\n")
                yield from map(bytes, whole)
            if len(rest) >= LONGEST:
                raise self.damaged(f"a line has more than {LONGEST >> 20} MB")
        if rest:
            raise self.damaged("its last line has no end")

    def _unpacked(self) -> Iterator[bytes]:
        """Yield the content in pieces. The stream must be one gzip member and nothing else."""
        inflater = zlib.decompressobj(_GZIP)
        data = self._next()
        head = b""
        total = 0
        while not inflater.eof:
            # the head alone at first: unpacked together with what is damaged it would be lost
            most = len(_HEAD) - len(head) or _PIECE
            try:
                piece = inflater.decompress(data, most)
            except zlib.error as error:
                is_ours = head == _HEAD
                raise (self.damaged(str(error)) if is_ours else self._foreign()) from error
            if most < _PIECE:
                head += piece
            total += len(piece)
            if total > _MOST:
                raise self.damaged(f"it unpacks to more than {_MOST >> 20} MB")
            yield piece
            data = inflater.unconsumed_tail
            # after a whole piece there may be more of what was read before
            if not (data or len(piece) == most or inflater.eof):
                data = self._next()
                if not data:
                    raise self.damaged("it is cut short")
        if inflater.unused_data or self._next():
            raise self.damaged("something follows its end")

    def _next(self) -> bytes:
        try:
            data = self._stream.read(_READ)
        except OSError as error:
            raise BadShare(f"cannot read '{self.name}': {error.strerror}") from error
        self.size += len(data)
        return data
