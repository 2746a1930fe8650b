"""Questions of the page: the command that each becomes, and its answer with what a page shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.errors import InternalError, NotARepository, SearchError, UsageError, brief
from gitsearch.extract.languages import LANGUAGES, content_of
from gitsearch.git import forge, repo
from gitsearch.serving.highlighting import pieces

if TYPE_CHECKING:
    from gitsearch.git.forge import Forge
    from gitsearch.serving.answer import Answer, Answerer

# Characters of a parameter, results of a page, lines of each.
LONGEST = 4096
_MOST = 100
_SHOWN = 10
_LINES = 12

# The parameters of each kind of question.
PARAMETERS = {
    "repositories": (),
    "search": ("q", "repository", "type", "k", "edited", "continue"),
    "history": ("q", "repository", "k"),
    "impact": ("repository", "path", "line", "k"),
}

# How the addresses of the remotes of a repository are found, by its folder.
RemoteOf = Callable[[str], str]


class Reply(NamedTuple):
    """The status of HTTP and the document of an answer."""

    status: int
    document: dict[str, Any]


class WebQuestions:
    """Answers the questions of a page about the repositories that are served.

    where: the values of `--in`. Each question looks at HEAD of every repository, or with `edited`
    at the working trees.
    """

    def __init__(self, answerer: Answerer, where: Sequence[str], remote_of: RemoteOf) -> None:
        self._answerer = answerer
        self._where = [f"--in={value}" for value in where]
        self._remote_of = remote_of
        self._folders: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._forges: dict[str, Forge | None] = {}

    def reply(self, kind: str, pairs: Iterable[tuple[str, str]]) -> Reply:
        """Answer a question of a kind, a key of PARAMETERS, with the names and values given."""
        try:
            return getattr(self, f"_{kind}")(_checked(kind, pairs))  # type: ignore[no-any-return]
        except SearchError as error:
            return _refusal(400, error)
        except Exception as error:  # noqa: BLE001  a bug in one answer leaves the others
            return _refusal(500, InternalError.of(error))

    def _repositories(self, _: Mapping[str, str]) -> Reply:
        """The repositories that are served; a search for a word that none has lists them."""
        answer = self._answerer(
            [*self._where, "--at=HEAD", "--mode=symbol", "--max-lines=0", "-k1", "-e", "_"]
        )
        document = json.loads(answer.text)
        self._know(document)
        if "error" in document:
            return _reply(answer, document)
        found = [
            {"name": one["repository"], "commit": one["tree"]["commit"], **one["coverage"]}
            for one in document["repositories"]
        ]
        languages = sorted(name for name in LANGUAGES if content_of(name) == "code")
        told = {"repositories": found, "languages": languages, "warnings": document["warnings"]}
        return Reply(200, {"schema": 1, **told})

    def _search(self, given: Mapping[str, str]) -> Reply:
        edited = given.get("edited")
        if edited not in (None, "1"):
            raise UsageError(f"'edited' is 1 or left out, not '{brief(edited)}'", "edited=1")
        words = [*self._asked(given), f"-k{_count(given)}", f"--max-lines={_LINES}"]
        words.append("--reader=off")  # answers are shown while somebody types
        if edited is None:
            words.append("--at=HEAD")
        if given.get("type"):
            words.append(f"--type={given['type']}")
        if given.get("continue"):
            words.append(f"--continue={given['continue']}")
        answer = self._answerer([*words, f"-e{_text(given)}"])
        document = json.loads(answer.text)
        if "error" in document:
            return _reply(answer, document)
        commits = self._know(document, whole=not given.get("repository"))
        for result in document["results"]:
            result["repository"] = self._known_as(document, result["repository"])
            result["pieces"] = pieces(result["text"], result["language"])
            result["url"] = self._permalink(result, commits)
        document.pop("actions", None)
        return _reply(answer, document)

    def _history(self, given: Mapping[str, str]) -> Reply:
        words = ["history", *self._asked(given), f"-k{_count(given)}", f"--max-lines={_LINES}"]
        # a word that begins with a dash would be an option
        answer = self._answerer([*words, _text(given).lstrip("-") or "_"])
        document = json.loads(answer.text)
        for result in document.get("results", ()):
            result["repository"] = self._known_as(document, result["repository"])
        return _reply(answer, document)

    def _impact(self, given: Mapping[str, str]) -> Reply:
        name = given.get("repository", "")
        folder = self._folder(name)
        path = given.get("path", "")
        line = given.get("line", "")
        if not path or path.startswith("-") or not (line.isdecimal() or not line):
            raise UsageError("impact wants the path of a file, and may have a line")
        target = f"{path}:{line}" if line else path
        if not Path(folder).is_dir():
            raise NotARepository(f"'{brief(name)}' cannot be searched: there is no such folder")
        with chdir(folder):
            answer = self._answerer(["impact", "--at=HEAD", f"-k{_count(given)}", target])
        return _reply(answer, json.loads(answer.text))

    # ------------------------------------------------------------ repositories

    def _asked(self, given: Mapping[str, str]) -> list[str]:
        name = given.get("repository", "")
        return [f"--in={self._folder(name)}"] if name else self._where

    def _folder(self, name: str) -> str:
        if name not in self._folders:
            self._repositories({})
        if name not in self._folders:
            raise UsageError(f"no repository '{brief(name)}' is served")
        return self._folders[name]

    def _know(self, document: Mapping[str, Any], *, whole: bool = True) -> dict[str, str]:
        """Remember the folders of repositories; returns the commit of each, by its folder."""
        searched = document.get("repositories") or ()
        if whole:
            self._folders = {one["repository"]: one["folder"] for one in searched}
            self._names = {folder: name for name, folder in self._folders.items()}
        return {one["folder"]: one["tree"]["commit"] or "" for one in searched}

    def _known_as(self, document: Mapping[str, Any], name: str) -> str:
        """The name of a repository among all: an answer about some may have a shorter one."""
        for one in document.get("repositories") or ():
            if one["repository"] == name:
                return self._names.get(one["folder"], name)
        return name

    def _permalink(self, result: Mapping[str, Any], commits: Mapping[str, str]) -> str | None:
        folder = self._folders.get(result["repository"], "")
        if folder not in self._forges:
            self._forges[folder] = forge.forge_of(self._remote_of(folder))
        own, commit = self._forges[folder], commits.get(folder)
        if own is None or not commit:
            return None
        return own.permalink(commit, result["path"], result["start"], result["end"])


def _checked(kind: str, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The values by name; raises UsageError for a name that is unknown or given twice."""
    known = PARAMETERS[kind]
    given: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "it has none"
            raise UsageError(f"'{kind}' has no parameter '{brief(name)}'", there_are)
        if name in given:
            raise UsageError(f"'{name}' is given more than once")
        if len(value) > LONGEST:
            raise UsageError(f"'{name}' has more than {LONGEST} characters")
        if "\0" in value:
            raise UsageError(f"'{name}' cannot hold a NUL")
        given[name] = value
    return given


def _text(given: Mapping[str, str]) -> str:
    text = given.get("q", "").strip()
    if not text:
        raise UsageError("there is no query", "?q=words")
    return text


def _count(given: Mapping[str, str]) -> int:
    text = given.get("k", str(_SHOWN))
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        raise UsageError(f"'k' is a number from 1 to {_MOST}")
    return int(text)


def _refusal(status: int, error: SearchError) -> Reply:
    message = {"code": error.code, "message": error.message, "hint": error.hint}
    return Reply(status, {"schema": 1, "error": message})


def _reply(answer: Answer, document: dict[str, Any]) -> Reply:
    return Reply(400 if answer.refused else 200, document)


def remote_of(folder: str) -> str:
    """Return the address of the remote "origin" of the repository in a folder, or ""."""
    return (repo.config_at(Path(folder)).get("remote.origin.url") or [""])[-1]
