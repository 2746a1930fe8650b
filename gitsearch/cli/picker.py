"""Results to choose from, on a terminal: numbers open them in the editor, as with `git add -i`."""

from __future__ import annotations

import os
import re
import select
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.cli.editor import edit
from gitsearch.errors import BadPath, SearchError
from gitsearch.git import blobs
from gitsearch.render import color, pick_list
from gitsearch.render.output import refuse, say, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsearch.index.session import Session
    from gitsearch.render.presentation import Presentation
    from gitsearch.reports.search import Result, SearchReport
    from gitsearch.settings import SearchRequest

# Seconds after which a signal is looked for.
_LOOK = 0.5

_HELP = """\
<n>     open a result in the editor
p <n>   show the whole of a result
m       more results
l       list all results again
q       quit
"""
_NUMBER = re.compile(r"(p?)\s*([0-9]{1,9})", re.ASCII)


class Picker:
    """A conversation about the results of a search, until the user quits."""

    def __init__(
        self,
        session: Session,
        request: SearchRequest,
        look: Presentation,
        ask: Callable[[Session, SearchRequest], SearchReport],
    ) -> None:
        self._session = session
        # more lines of a result than the list has are shown on demand
        most = request.max_count or session.settings.max_count
        self._request = replace(request, max_lines=None, max_count=most)
        self._lines = pick_list.LINES if request.max_lines is None else request.max_lines
        self._look = look
        self._ask = ask
        self._results: list[Result] = []
        self._next: str | None = None
        self._brush = color.Paint.of(look)

    def run(self) -> bool:
        """Answer what is typed; returns False if nothing was found."""
        self._more(self._request)
        while self._results:
            typed = self._typed()
            if typed in (None, "q"):
                break
            if typed:
                self._answer(typed)
        return bool(self._results)

    def _typed(self) -> str | None:
        """Return the line that the user types, None at the end of the input."""
        more = "m, " if self._next else ""
        numbers = f"1-{len(self._results)}"
        write([self._brush(color.BOLD, f"Open which result [{numbers}, p, {more}l, q, ?]? ")])
        # a Ctrl-C that comes just before a read would be noticed after it
        while not select.select([sys.stdin], [], [], _LOOK)[0]:
            pass
        line = sys.stdin.readline()
        if not line:
            write(["\n"])
            return None
        return line.strip()

    def _answer(self, typed: str) -> None:
        chosen = _NUMBER.fullmatch(typed)
        if chosen and 0 < int(chosen[2]) <= len(self._results):
            result = self._results[int(chosen[2]) - 1]
            if chosen[1]:
                write(pick_list.whole(result, self._brush))
            else:
                self._open(result)
        elif typed == "m" and self._next:
            try:
                self._more(replace(self._request, page=self._next))
            except SearchError as error:
                refuse(error)
        elif typed == "l":
            self._list(0)
        else:
            write([_HELP])

    def _more(self, request: SearchRequest) -> None:
        from gitsearch.render import search_answer

        known = len(self._results)
        report = self._ask(self._session, request)
        for note in search_answer.notes(report, self._look):
            say(note)
        self._results += report.results
        self._next = report.next
        self._brush = color.Paint.of(self._look, report.words)
        self._list(known)

    def _list(self, first: int) -> None:
        results = self._results[first:]
        write(pick_list.entries(results, first + 1, self._lines, self._brush))

    def _open(self, result: Result) -> None:
        repo = self._session.repo
        try:
            if repo.worktree is not None and self._request.in_working_tree:
                edit(repo, repo.worktree / result.path, result.start)
                return
            # what is not in the working tree is shown, and cannot be edited
            data = blobs.read_one(repo, result.blob)
            if data is None:
                raise BadPath(f"the content of '{result.path}' is not in this clone")
            with tempfile.TemporaryDirectory(prefix="git-search-") as folder:
                copy = Path(folder, os.path.basename(result.path))  # noqa: PTH119
                copy.write_bytes(data)
                copy.chmod(0o400)
                edit(repo, copy, result.start)
        except SearchError as error:
            refuse(error)
