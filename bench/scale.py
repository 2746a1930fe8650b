"""Compose one large repository from many checkouts, with a history on top.

    python -m bench.scale FOLDER CHECKOUT... [--files N] [--commits N] [--seed N]

Each checkout becomes a top-level folder, and a commit. The commits after those edit, add, rename
and delete a few files each. The same checkouts, seed and limits give the same commits. With
--files, whole folders are taken, the same mix of all checkouts at each size, until there are so
many files; what a smaller repository has, a larger one has too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import IO, TYPE_CHECKING

from bench import contenders, filing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COMMITS = 120
_LARGEST = 1 << 20
_EPOCH, _HOUR = 1_700_000_000, 3600

# Commits touch so many files at most; most of them are edits.
_TOUCHED = 5
_DEEDS = ("edit",) * 6 + ("add",) * 2 + ("rename", "delete")
# Lines of a file that an edit repeats elsewhere in it.
_LINES = 3

# Bytes are kept as they are, whatever the checkouts' own attributes ask for.
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"

# A path in the repository and the file that it is made from, or its bytes once it was edited.
Files = dict[str, Path | bytes]


def main() -> None:
    args = _parser().parse_args()
    if args.folder.exists():
        sys.exit(f"{args.folder} exists")
    files = _taken(args.checkouts, args.files, args.largest)
    if not files:
        sys.exit("no files to take")
    filing.git("init", "-q", "-b", "main", str(args.folder))
    (args.folder / ".git" / "info" / "attributes").write_text(_ATTRIBUTES, encoding="utf-8")
    command = ["git", "fast-import", "--quiet", "--date-format=raw"]
    with subprocess.Popen(command, cwd=args.folder, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        history = _History(importer.stdin, files)
        history.found()
        history.go_on(args.commits, Random(args.seed))
    if importer.returncode:
        sys.exit(f"git fast-import: exit code {importer.returncode}")
    filing.git("reset", "-q", "--hard", cwd=args.folder)
    tracked, text = contenders.weighed(args.folder)
    head = filing.git("rev-parse", "HEAD", cwd=args.folder)
    size = f"{tracked} files, {text / 1e6:.1f} MB of text, {history.count} commits"
    print(f"{args.folder}: {size}, HEAD {head}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folder", type=Path, help="the repository to make")
    add("checkouts", nargs="+", type=Path, help="folders, with or without a .git of their own")
    add("--files", type=int, help="at most so many before the later commits (default: all)")
    add("--largest", type=int, default=_LARGEST, help="bytes of a file (default: %(default)s)")
    add("--commits", type=int, default=_COMMITS, help="later ones (default: %(default)s)")
    add("--seed", type=int, default=0)
    return parser


# ---------------------------------------------------------------- files


def _taken(checkouts: Sequence[Path], limit: int | None, largest: int) -> Files:
    """Files by path, in order: whole folders in the order of a hash, as long as they fit."""
    folders: dict[str, Files] = {}
    for checkout in sorted(checkouts, key=lambda one: one.resolve().name):
        for path, source in _walk(checkout.resolve(), largest):
            folders.setdefault(path.rpartition("/")[0], {})[path] = source
    out: Files = {}
    for folder in sorted(folders, key=_scattered):
        if limit is None or len(out) + len(folders[folder]) <= limit:
            out.update(folders[folder])
    return dict(sorted(out.items()))


def _scattered(folder: str) -> bytes:
    return hashlib.sha256(os.fsencode(folder)).digest()


def _walk(checkout: Path, largest: int) -> Iterator[tuple[str, Path]]:
    for top, folders, names in os.walk(checkout):
        # git refuses paths through a folder of this name
        folders[:] = [name for name in folders if name.lower() != ".git"]
        for name in names:
            source = Path(top, name)
            about = source.lstat()
            if stat.S_ISREG(about.st_mode) and about.st_size <= largest and name != ".git":
                yield f"{checkout.name}/{source.relative_to(checkout).as_posix()}", source


# ---------------------------------------------------------------- history


class _History:
    """Writes commits for git fast-import, and knows the files as of the last one."""

    def __init__(self, out: IO[bytes], files: Files) -> None:
        self._out = out
        self._files = files
        self.count = 0

    def found(self) -> None:
        """A commit a checkout, with its files."""
        present = ""
        for path in self._files:
            name = path.partition("/")[0]
            if name != present:
                self._commit(f"{name}: as it is")
                present = name
            self._write(path)

    def go_on(self, commits: int, random: Random) -> None:
        """Commits that touch a few files each."""
        for number in range(commits):
            self._commit(f"change {number + 1}")
            count = min(random.randint(1, _TOUCHED), len(self._files))
            for path in random.sample(sorted(self._files), count):
                self._touch(path, random.choice(_DEEDS), random)

    def _touch(self, path: str, deed: str, random: Random) -> None:
        if deed == "edit":
            lines = self._read(path).splitlines(keepends=True)
            start, place = (random.randrange(len(lines) + 1) for _ in range(2))
            lines[place:place] = lines[start : start + _LINES]
            self._files[path] = b"".join(lines)
            self._write(path)
            return
        folder, slash, name = path.rpartition("/")
        other = f"{folder}{slash}{self.count}_{name}"
        if deed == "add":
            lines = self._read(path).splitlines(keepends=True)
            self._files[other] = b"".join(lines[len(lines) // 2 :])
            self._write(other)
            return
        if deed == "rename":
            self._files[other] = self._read(path)
            self._write(other)
        del self._files[path]
        self._out.write(b"D %s\n" % _quoted(path))

    def _read(self, path: str) -> bytes:
        found = self._files[path]
        return found if isinstance(found, bytes) else found.read_bytes()

    def _commit(self, message: str) -> None:
        when = _EPOCH + _HOUR * self.count
        who = b"committer bench <bench@example.com> %d +0000\n" % when
        text = os.fsencode(message)
        self._out.write(b"commit refs/heads/main\n%sdata %d\n%s\n" % (who, len(text), text))
        self.count += 1

    def _write(self, path: str) -> None:
        data = self._read(path)
        place = _quoted(path)
        self._out.write(b"M 100644 inline %s\ndata %d\n%s\n" % (place, len(data), data))


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%s"' % raw


if __name__ == "__main__":
    main()
