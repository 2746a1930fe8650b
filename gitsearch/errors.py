"""Every refusal the user can meet, as one tree of exceptions.

SearchError                 exit 128: what, which, what to do next
|-- NotARepository          not inside a git repository, or git refuses to open it
|-- BadRevision             a revision that names no tree
|-- BadPath                 a path or pathspec that names nothing
|-- BadContinuation         a token of a page of another answer
|-- SmallBudget             a budget of tokens in which no answer fits
|-- BadModel                a model folder that cannot be used
|-- BadReader               a sentence encoder that cannot be used
|-- GitFailed               git itself failed; its own message is kept
|-- HooksRefused            a hook's file belongs to another program
|-- Busy                    another process holds what is needed, for longer than the deadline
|-- Damaged                 a file under .git/search does not hold what it should
|-- Unwritable              .git/search cannot be written
|-- Refused                 GitHub answered, and not with what was asked for
|-- Unanswered              GitHub was not reached, failed, or wants to be left alone
|-- NoCluster               a cluster, or a shard of one, that does not answer
|-- Foreign                 a comment of which nobody knows if it is ours
|-- Unfit                   a file that is no report of ours
|-- BadShare                a file that is no exported index, or one that cannot be used here
|-- BadCoverage             a file that does not say which test ran a line
`-- InternalError           a bug, and the place of it
UsageError                  exit 129: an option or argument that does not fit
|-- BadLanguage             a language that is not known, or not in this mode
`-- BadPattern              a text that is no pattern of code in any language of the tree
"""

from __future__ import annotations

import os
from collections.abc import Iterable

# Names that a hint offers.
_OFFERED = 3

# Characters of a value that a message shows.
_SHOWN = 60


class SearchError(Exception):
    """A refusal with one line for the user and the code that JSON answers carry.

    `message` says what and which, `hint` what to do next (may be empty).
    """

    code = "failed"
    exit_code = 128

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def line(self) -> str:
        """The message with the hint, if there is one."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


class NotARepository(SearchError):
    """Not inside a git repository, or one that git refuses to open."""

    code = "not-a-repository"


class BadRevision(SearchError):
    """A revision that names no tree."""

    code = "bad-revision"


class BadPath(SearchError):
    """A path or pathspec that names nothing in the tree."""

    code = "bad-path"


class BadContinuation(SearchError):
    """A continuation token that belongs to another answer, or to none."""

    code = "bad-continuation"


class SmallBudget(SearchError):
    """A budget of tokens in which no answer fits."""

    code = "small-budget"


class BadModel(SearchError):
    """A model folder that is missing, truncated or not Model2Vec."""

    code = "bad-model"


class BadReader(SearchError):
    """A sentence encoder that cannot be used."""

    code = "bad-reader"


class GitFailed(SearchError):
    """A git process failed; the message is git's own."""

    code = "git-failed"


class HooksRefused(SearchError):
    """A hook's file belongs to another program; `snippet` is what to paste there."""

    code = "hooks-refused"

    def __init__(self, message: str, hint: str, snippet: str) -> None:
        super().__init__(message, hint)
        self.snippet = snippet


class Busy(SearchError):
    """Another process holds a lock for longer than the deadline."""

    code = "busy"


class Damaged(SearchError):
    """A file under .git/search does not hold what it should; the caller heals it.

    `file` is its name relative to the folder, `reason` what is wrong with it.
    """

    code = "damaged"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}", "git search index --rebuild")
        self.file = file
        self.reason = reason

    def __reduce__(self) -> tuple[type[Damaged], tuple[str, str]]:
        return type(self), (self.file, self.reason)


class Unwritable(SearchError):
    """.git/search cannot be written: a read-only or full file system."""

    code = "unwritable"


class Refused(SearchError):
    """GitHub answered, and not with what was asked for; `status` is that of HTTP."""

    code = "github-refused"

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"GitHub says {status}: {message}")
        self.status = status


class Unanswered(SearchError):
    """GitHub was not reached, failed, or wants to be left alone; what was done is not known."""

    code = "github-unanswered"


class NoCluster(SearchError):
    """A cluster, or a shard of one, that does not answer."""

    code = "no-cluster"


class Foreign(SearchError):
    """A comment with our marker by an account that may or may not be us."""

    code = "foreign-comment"


class Unfit(SearchError):
    """A file that is no report of ours, or one that has been tampered with."""

    code = "unfit-report"


class BadShare(SearchError):
    """Files that are no exported index, are damaged or forged, or are of another version."""

    code = "bad-share"


class BadCoverage(SearchError):
    """A file that does not say which test ran a line, or not in a form that is read."""

    code = "bad-coverage"


class InternalError(SearchError):
    """A bug: an exception that nothing expects."""

    code = "internal"

    @classmethod
    def of(cls, error: BaseException) -> InternalError:
        """Return one line of an exception: its kind, its text, the innermost place of ours."""
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return cls(
            f"internal error: {text} ({_place(error)})",
            "with GITSEARCH_DEBUG=1 there is a traceback",
        )


class UsageError(SearchError):
    """An option or argument that does not fit; exit 129, as in git."""

    code = "usage"
    exit_code = 129


class BadLanguage(UsageError):
    """A language name that no file can have, or one that has no patterns."""

    code = "bad-language"


class BadPattern(UsageError):
    """A text that is no pattern of code in any language of the tree."""


def _place(error: BaseException) -> str:
    """The innermost line of ours that the error passed."""
    place, trace = "?", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        _, ours, below = code.co_filename.rpartition(f"gitsearch{os.sep}")
        if ours:
            place = f"gitsearch{os.sep}{below}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next
    return place


def nearest(asked: str, names: Iterable[str]) -> str:
    """A hint with the names that are most like the one asked for; empty where none is."""
    from difflib import get_close_matches

    return _meant(get_close_matches(asked, list(names), _OFFERED))


def nearest_path(asked: str, paths: Iterable[str]) -> str:
    """The same for a path: first the files of its name, wherever they are."""
    shown = list(paths)
    name = asked.rpartition("/")[2]
    same = [path for path in shown if path.rpartition("/")[2] == name]
    return _meant(same[:_OFFERED]) or nearest(asked, shown)


def _meant(names: list[str]) -> str:
    return "did you mean " + " or ".join(f"'{name}'" for name in names) + "?" if names else ""


def typed(*arguments: str) -> str:
    """Arguments as they can be typed at a shell: each is one word, and none is an option."""
    from shlex import quote

    dashed = any(argument.startswith("-") for argument in arguments)
    return " ".join((*(["--end-of-options"] * dashed), *map(quote, arguments)))


def bad_setting(key: str, text: str, wanted: str) -> UsageError:
    """The error for a value of a setting of git that makes no sense."""
    return UsageError(
        f"git config {key}: '{brief(text)}' is not {wanted}",
        f"set another value, or remove this one: `git config --unset-all {key}`",
    )


def brief(text: str) -> str:
    """A value for a message, cut where it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
