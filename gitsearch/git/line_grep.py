"""Lines that a pattern matches, by `git grep`: of the working tree, the index, or a tree.

git does the matching, so that the lines are those of the user's own `git grep`: what is binary,
and what a regular expression means, is the same. None of the user's settings for grep apply.
"""

from __future__ import annotations

import mmap
import os
import re
import signal
import subprocess
from contextlib import closing, contextmanager, suppress
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import GitFailed, SearchError, UsageError, brief
from gitsearch.git.repo import end, failure
from gitsearch.git.trees import GREP_ENVIRONMENT, batches, checked_ids, private_index
from gitsearch.settings import EXTENDED, FIXED, PERL

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from gitsearch.git.index_flags import FlaggedFile
    from gitsearch.git.repo import Repo

# Seconds for regular expressions of Perl, and for extended ones with references to groups, as all
# ways to match a line may be tried, or with counts of repetitions that make so many copies of
# their parts. In each of these 130 MB may be taken. All others take time in proportion to the
# text.
SECONDS = 20
_COPIES = 1000
_REFERENCE = re.compile(r"\\[1-9]")
_COUNTS = re.compile(r"\{([0-9]{1,9}),?([0-9]{0,9})\}")

_SETTINGS = ("-c", "submodule.recurse=false", "-c", "core.warnAmbiguousRefs=false")
_GREP = ("grep", "-z", "-I", "--no-color", "--no-column", "--full-name")
# What git paints is told by a colour that no text has; all but what matches is left as it is.
_COLOURS = tuple(
    argument
    for name in ("filename", "lineNumber", "separator", "selected", "context", "function")
    for argument in ("-c", f"color.grep.{name}=normal")
)
_PAINTING = ("-c", "color.grep.matchSelected=#010203", *_COLOURS)
_PAINTED, _RESET = b"\x1b[38;2;1;2;3m", b"\x1b[m"
_LINE = re.compile(rb"([^\0]*)\0(\d+)\0([^\n]*)\n")
_REFUSED = re.compile(r"(?:-e option|command line), ?")
# Of PCRE: limits of the ways to match a line that it tries, and a git that is made without it.
_TOO_MANY_WAYS = re.compile(r"pcre2_(?:jit_)?match failed with error code -(?:46|47|53|63)\b")
_NO_PERL = re.compile(r"cannot use Perl-compatible regexes")
_KINDS = {FIXED: "-F", EXTENDED: "-E", PERL: "-P"}
_FOUND, _NOTHING = 0, 1
_LONGEST = 100_000
_READ_AT_ONCE = 1 << 16

# All pages at once where the system can: all are going to be read.
_MAPPED = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)

# What git has printed; its slices are bytes.
Output = bytes | mmap.mmap


class Pattern(NamedTuple):
    """A text or a regular expression, by its syntax; line feeds separate alternatives.

    invert: it stands for the lines that do not match.
    """

    text: str
    syntax: str = FIXED
    ignore_case: bool = False
    word: bool = False
    invert: bool = False

    def arguments(self) -> tuple[str, ...]:
        """Return the options of `git grep`. Raises UsageError for a pattern with a NUL."""
        if "\0" in self.text:
            raise UsageError("a pattern cannot hold a NUL")
        flags = (("-i", self.ignore_case), ("-w", self.word), ("-v", self.invert))
        return (_KINDS[self.syntax], *(flag for flag, given in flags if given), "-e", self.text)

    def is_dangerous(self) -> bool:
        """Return True for an expression that may take for ever: others take linear time."""
        if self.syntax != EXTENDED:
            return self.syntax == PERL
        counts = (max(int(number or 0) for number in pair) for pair in _COUNTS.findall(self.text))
        return _REFERENCE.search(self.text) is not None or prod(counts) > _COPIES


class Place(NamedTuple):
    """Where lines are looked for: a commit or tree by its id, the index, or the working tree.

    paths: only these files. pathspecs: what they match, as typed in the current folder. stored:
    files of the working tree that are looked at as they are in the index, by path.
    """

    tree: str | None = None
    cached: bool = False
    untracked: bool = False
    paths: Sequence[bytes] | None = None
    pathspecs: Sequence[str] = ()
    stored: Mapping[bytes, FlaggedFile] = MappingProxyType({})


def lines(repo: Repo, pattern: Pattern, place: Place) -> Output:
    """Return `<path> NUL <line> NUL <text> LF` for each line, and a LF between two files."""
    return _output(repo, pattern, place, ("-n", "--break"))


def spans(repo: Repo, pattern: Pattern, place: Place) -> Iterator[tuple[bytes, int, int, int]]:
    """Yield what matches: path, 1-based line, and byte offsets in it of its start and its end."""
    # not by `-o --column`: of a second match on a line git prints another column
    output = _output(repo, pattern, place, ("-n", "--color=always"))
    at = 0
    while match := _LINE.match(output, at):
        for start, end_of_match in _painted(match[3]):
            yield match[1].lstrip(b"\n"), int(match[2]), start, end_of_match
        at = match.end()


def _painted(line: bytes) -> Iterator[tuple[int, int]]:
    """Yield the starts and ends of what is painted, in the line without the colours."""
    removed = at = 0
    while (begin := line.find(_PAINTED, at)) >= 0:
        stop = line.find(_RESET, begin)
        if stop < 0:
            return  # the text itself has the colour
        yield begin - removed, stop - removed - len(_PAINTED)
        removed += len(_PAINTED) + len(_RESET)
        at = stop + len(_RESET)


def _output(repo: Repo, pattern: Pattern, place: Place, options: Sequence[str]) -> Output:
    """Return all that git prints. It may be much, so git writes it to a file, which is mapped."""
    file = _unnamed_file()
    try:
        marked = 0
        with closing(_commands(repo, pattern, place, options)) as commands:
            for command in commands:
                if (size := os.fstat(file).st_size) > marked:
                    marked = size + os.write(file, b"\n")
                with _started(repo, pattern, command, stdout=file) as process:
                    _check(process, pattern)
        size = os.fstat(file).st_size
        output = mmap.mmap(file, size, _MAPPED, mmap.PROT_READ) if size else b""
    finally:
        os.close(file)
    return _of_paths(output, place.tree) if place.tree else output


def _unnamed_file() -> int:
    """Return the descriptor of a file without a name; on Linux it is in memory."""
    create = getattr(os, "memfd_create", None)
    if create is not None:
        with suppress(OSError):  # a system without it
            return int(create("git-grep"))
    with TemporaryFile() as file:
        return os.dup(file.fileno())


def files(
    repo: Repo, pattern: Pattern, place: Place, *, counted: bool = False, without: bool = False
) -> Iterator[tuple[bytes, int]]:
    """Yield the files with such lines as git finds them, and how many if `counted` (else 1).

    without: the files that have no such line.
    """
    option = "-L" if without else "-c" if counted else "-l"
    skip = len(place.tree) + len(":") if place.tree else 0
    with closing(_commands(repo, pattern, place, (option,))) as commands:
        for command in commands:
            with _started(repo, pattern, command) as process:
                for record in _records(process, b"\n" if counted else b"\0"):
                    path, _, count = record.partition(b"\0")
                    yield path[skip:], int(count or 1)
                _check(process, pattern)


def _of_paths(output: Output, tree: str) -> bytes:
    """Take the name of the tree, which git puts before each path, away."""
    name = f"{tree}:".encode()
    return output[:].removeprefix(name).replace(b"\n" + name, b"\n")


def _records(process: subprocess.Popen[bytes], ending: bytes) -> Iterator[bytes]:
    """Yield records as they arrive. A path may hold the line feed that ends a count."""
    assert process.stdout is not None
    rest = b""
    while part := os.read(process.stdout.fileno(), _READ_AT_ONCE):
        *records, rest = (rest + part).split(ending)
        before = b""
        for record in records:
            if ending == b"\n" and b"\0" not in record:
                before += record + ending
            else:
                yield before + record
                before = b""
        rest = before + rest


# ---------------------------------------------------------------- processes


class _Command(NamedTuple):
    arguments: tuple[str, ...]
    env: Mapping[str, str] = MappingProxyType({})


def _commands(
    repo: Repo, pattern: Pattern, place: Place, options: Sequence[str]
) -> Generator[_Command, None, None]:
    """Yield each process that it takes to look at all files, which must end before the next."""
    grep = (*_SETTINGS, *_PAINTING, *_GREP, *options, *pattern.arguments())
    if place.paths is None:
        # without a pathspec, git would look below the current folder only
        here = ("-C", repo.prefix) if place.pathspecs else ()
        yield from _looks_at_all(repo, place, (*here, *grep))
    elif place.tree:
        (tree_id,) = checked_ids(place.tree)
        names = (f"{tree_id}:{os.fsdecode(path)}" for path in place.paths)
        for batch in batches(names):
            yield _Command((*grep, *batch, "--"))
    else:
        # git compares each path of the index with each name, without it only those beside them
        lying: list[str] = []
        stored: list[str] = []
        for path in place.paths:
            (stored if place.cached or path in place.stored else lying).append(os.fsdecode(path))
        for look, some in (("--no-index", lying), ("--cached", stored)):
            for batch in batches(some):
                yield _Command(("--literal-pathspecs", *grep, look, "--", *batch))


def _looks_at_all(
    repo: Repo, place: Place, grep: Sequence[str]
) -> Generator[_Command, None, None]:
    """Yield the processes for a whole tree, the whole index, or the whole working tree."""
    where = (*("--cached",) * place.cached, *("--untracked",) * place.untracked)
    tree = checked_ids(place.tree) if place.tree else ()
    apart: list[str] = []
    stored: Iterable[FlaggedFile] = place.stored.values()
    if place.untracked:
        # git looks at all that lies in the folders, whatever its index says
        apart = [
            f":(top,literal,exclude){name}"
            for name in map(os.fsdecode, place.stored)
            if os.path.lexists(repo.top / name)
        ]
    else:
        # git itself takes those that are assumed unchanged from the index
        stored = [file for file in stored if file.skipped]
    yield _Command((*grep, *where, *tree, "--", *place.pathspecs, *apart))
    if entries := [file.entry for file in stored]:
        with TemporaryDirectory(prefix="git-search-") as folder:
            env = private_index(repo, Path(folder), entries)
            yield _Command((*grep, "--cached", "--", *place.pathspecs), env)


@contextmanager
def _started(
    repo: Repo, pattern: Pattern, command: _Command, stdout: int = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    env = {**GREP_ENVIRONMENT, **command.env}
    try:
        process = repo.pipe(*command.arguments, env=env, stdin=False, stderr=True, stdout=stdout)
    except GitFailed as error:
        if sum(map(len, command.arguments)) > _LONGEST:
            raise UsageError("the pattern is too long for a command line") from error
        raise
    try:
        if pattern.is_dangerous():
            _bound(process)
        yield process
    finally:
        end(process)


def _check(process: subprocess.Popen[bytes], pattern: Pattern) -> None:
    """Wait for the end of a process. Raises SearchError if it fails."""
    assert process.stderr is not None
    said = process.stderr.read()
    code = process.wait()
    if code not in (_FOUND, _NOTHING):
        raise _explained(failure(("grep",), code, said), code, pattern)


def _bound(process: subprocess.Popen[bytes]) -> None:
    """Bound the processor time of a process, or where the system cannot, its time."""
    import resource

    limit = getattr(resource, "prlimit", None)  # of Linux
    if limit is not None:
        with suppress(OSError):  # it has ended
            limit(process.pid, resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        return
    from threading import Timer

    timer = Timer(SECONDS, process.kill)
    timer.daemon = True
    timer.start()


def _explained(error: GitFailed, code: int, pattern: Pattern) -> SearchError:
    """Return the error with what can be done about it."""
    shown = brief(pattern.text)
    if pattern.is_dangerous() and code in (-signal.SIGXCPU, -signal.SIGKILL):
        return SearchError(
            f"'{shown}' took more than {SECONDS} seconds",
            "ask for something simpler, or name fewer files",
        )
    if pattern.syntax == PERL and _TOO_MANY_WAYS.search(error.message):
        return SearchError(
            f"there are too many ways in which '{shown}' may match a line", "ask for less at once"
        )
    if pattern.syntax == PERL and _NO_PERL.search(error.message):
        return UsageError("git is built without Perl-compatible regular expressions", "use -E")
    if match := _REFUSED.match(error.message):
        of_perl = pattern.syntax == EXTENDED and "(?" in pattern.text
        hint = "(?...) is of Perl, which -P understands" if of_perl else error.hint
        return UsageError(error.message[match.end() :], hint)
    return error
