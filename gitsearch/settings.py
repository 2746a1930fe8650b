"""Settings: the options of a search, and the limits read from git config."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

AUTO, HYBRID, LITERAL, STRUCTURAL = "auto", "hybrid", "literal", "structural"
MODES = (AUTO, HYBRID, "semantic", "lexical", "symbol", LITERAL, STRUCTURAL)
# How the text of exact search is read: as it is, or as one of two kinds of regular expression.
FIXED, EXTENDED, PERL = "fixed", "extended", "perl"
SORTS = BY_RANK, BY_PATH = ("rank", "path")
# What is shown of an answer: its results, files, their numbers of results, if there is any, or the
# files without any.
RESULTS, FILES, COUNTS, ANY, WITHOUT = "results", "files", "counts", "any", "without"
CONTENTS = ("all", "code", "docs", "config")
TESTS = ("include", "only", "exclude")
# An answer soon, and the index made meanwhile; the index first; an answer from what there is, and
# the index made meanwhile; an answer from what there is.
REFRESH = SOON, WAIT, BACKGROUND, OFF = ("soon", "wait", "background", "off")

# If the first results are read again: where it is installed and soon done is the default.
ON = "on"
READERS = (ON, OFF, AUTO)

# Peers stop at 1 MB (semble, mgrep) or 2 MB (zoekt); what is left out is counted and listed.
MAX_FILE_SIZE = 1 << 20
MAX_COUNT = 10
# The newest commits that a search of history looks at: all of most repositories.
HISTORY_DEPTH = 50_000

# Tokens in which a refusal fits.
LEAST_BUDGET = 64

# The most that may be asked for: results or lines; and bytes of a file, for offsets in it are
# kept in 32 bits.
MOST_SHOWN = 1_000_000
LARGEST_FILE = (1 << 31) - 1


def whole_number(text: str, low: int, high: int) -> int | None:
    """The number that ASCII digits give, if it is in a range; None for anything else.

    The length decides first: Python refuses to convert more than 4,300 digits.
    """
    digits = text.lstrip("0") or text[-1:]
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(high))):
        return None
    number = int(digits)
    return number if low <= number <= high else None


# Of a request, how an answer comes about, how much of it is shown, and how.
_FORM = frozenset(
    {
        *("max_count", "max_lines", "context", "whole", "refresh", "explain"),
        *("page", "budget", "shown", "highlighted"),
        # the names and trees of repositories say it
        "repositories",
    }
)


class Progress(Protocol):
    """The receiver of the progress of a long operation; rendering decides if it is shown."""

    def update(self, stage: str, done: int, total: int, data: int) -> None:
        """`done` of `total` files of a stage, with `data` bytes read so far."""

    def note(self, line: str) -> None:
        """One line for the user, on stderr."""

    def close(self) -> None:
        """The operation is over; leave the terminal clean."""


class Silent:
    """Progress that nobody looks at."""

    def update(self, stage: str, done: int, total: int, data: int) -> None:
        """Nothing."""

    def note(self, line: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class RepositoryNames(NamedTuple):
    """Names of repositories: folders, patterns and lists, and if submodules are added."""

    values: tuple[str, ...] = ()
    submodules: bool = False

    def __bool__(self) -> bool:
        return bool(self.values) or self.submodules


# No others than that of the current folder.
ALONE = RepositoryNames()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One query with its options, checked by the command line; None means the configured default.

    `at` and `cached` choose another tree than HEAD with the working tree; `context` is the
    number of lines (before, after) shown around a result, `whole` shows the enclosing definition.
    `syntax`, `ignore_case`, `word`, `invert` and `sort` are about the mode literal: the text is
    FIXED or a regular expression, letters match in either case, matches are whole words, and
    lines without a match are found. `changed` and
    `removed` are ranges of revisions; "" is from HEAD to the edited or staged files. `budget` is
    in tokens of a language model; `page` is the token that continues an answer. `shown` is
    what is shown of the answer, `highlighted` if what matched may be. `repositories` names
    others to search in place of that of the current folder.
    """

    text: str
    pathspecs: tuple[str, ...] = ()
    at: str | None = None
    cached: bool = False
    untracked: bool = False
    mode: str | None = None
    grep: str | None = None
    alpha: float | None = None
    rerank: bool = True
    reader: str | None = None
    syntax: str = FIXED
    ignore_case: bool = False
    word: bool = False
    invert: bool = False
    sort: str = BY_RANK
    changed: str | None = None
    removed: str | None = None
    languages: tuple[str, ...] = ()
    content: str = "all"
    tests: str = "include"
    max_count: int | None = None
    max_lines: int | None = None
    context: tuple[int, int] = (0, 0)
    whole: bool = False
    refresh: str | None = None
    explain: bool = False
    budget: int | None = None
    page: str | None = None
    shown: str = RESULTS
    highlighted: bool = False
    repositories: RepositoryNames = ALONE

    @property
    def question(self) -> dict[str, Any]:
        """The fields on which the order of all results depends, beside the tree."""
        return {name: value for name, value in asdict(self).items() if name not in _FORM}

    @property
    def of_many(self) -> bool:
        """Return True if other repositories are searched than that of the current folder."""
        return bool(self.repositories)

    @property
    def in_working_tree(self) -> bool:
        """Return True if the lines that are found are those of files in the working tree."""
        elsewhere = self.at is not None or self.cached or self.removed is not None
        return not elsewhere and ".." not in (self.changed or "")


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of git config that concern us, with defaults filled in.

    max_count_is_set, refresh_is_set: git config has a value.
    """

    max_count: int = MAX_COUNT
    mode: str = AUTO
    model: str = ""
    max_file_size: int = MAX_FILE_SIZE
    refresh: str = SOON
    history_depth: int = HISTORY_DEPTH
    describe_command: str = ""
    reader: str = AUTO
    refresh_is_set: bool = False
    max_count_is_set: bool = False
