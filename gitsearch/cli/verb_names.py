"""The first word: a verb, or the beginning of a query."""

from __future__ import annotations

from collections.abc import Sequence

VERBS = {
    "index": "build the index of a tree, or bring it up to date",
    "status": "say what is indexed, and what is skipped and why",
    "verify": "check each file under .git/search",
    "gc": "remove from the index what no tree needs any more",
    "share": "write the index of trees to one file, or take it from one",
    "export": "write the index of trees as tables (Parquet) for other programs",
    "sql": "query the index with read-only SQL (DuckDB)",
    "def": "list the definitions of a name",
    "refs": "list where a name is used, and which definition is meant",
    "outline": "show the structure of a file",
    "impact": "list what depends on files, symbols or folders, the likeliest first",
    "related": "list the code that is most like a file, or like the code at a line",
    "dup": "list new code that exists already, among edited, staged or committed changes",
    "context": "print what is needed to begin with a task or a place, within a budget of tokens",
    "map": "show the files that most others depend on, with what they define",
    "architecture": "show components, layers, entry points, hubs and cycles",
    "exists": "say if words are anywhere in the tree; exit 1 if one is not",
    "conventions": "show the repository's own rules for contributors and agents",
    "report": "say what a change breaks, touches, forgot and repeats",
    "history": "find commits by what they say and change",
    "why": "say which commits wrote some lines, and why",
    "experts": "list who knows a file, a folder, or what a query finds",
    "hooks": "install, remove or show the hooks that update the index",
    "batch": "answer many questions in one process, each a line of JSON",
    "mcp": "serve agents over the Model Context Protocol, on stdio",
    "serve": "serve a page and answers in JSON about many repositories, on this machine",
    "ci": "run a step of the GitHub Action, there or by hand",
    "help": "show the help of a verb",
}

# Verbs that are no questions: they change something, go on for long, or have no answer in JSON.
NO_QUESTIONS = frozenset(
    {"index", "gc", "share", "export", "hooks", "batch", "mcp", "serve", "ci", "help"}
)

_TO_SEARCH = "to search for these words: "

# What a shell reads inside double quotes.
_SPECIAL = frozenset('"$`\\!')


def escape_hatch(words: Sequence[str]) -> str:
    """The command that searches for words that begin with a verb."""
    text = " ".join(words)
    shown = f'"{text}"'
    if not _SPECIAL.isdisjoint(text):
        shown = "'" + text.replace("'", "'\\''") + "'"
    return f"{_TO_SEARCH}git search -e {shown}"


def without_escape_hatch(hint: str) -> str:
    """A hint without that command, which stands at its end."""
    return hint.partition(_TO_SEARCH)[0].removesuffix("; ")
