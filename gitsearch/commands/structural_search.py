"""Code with the shape of a pattern with metavariables, as ast-grep matches it."""

from __future__ import annotations

from collections import Counter
from itertools import starmap
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.pages import count_of, new_files, page_of
from gitsearch.commands.search_filters import filters_of
from gitsearch.commands.signatures import SIGNATURE
from gitsearch.errors import BadLanguage, BadPattern, UsageError, brief
from gitsearch.extract.languages import content_of, settled
from gitsearch.reports.search import FileCount, Result, SearchReport
from gitsearch.settings import FILES, MAX_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitsearch.commands.pattern_matches import FileMatches
    from gitsearch.commands.search_filters import Filters
    from gitsearch.extract.code_patterns import CodePattern
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.records import LineRanges
    from gitsearch.reports.code_match import CodeMatch
    from gitsearch.reports.pages import Page
    from gitsearch.settings import SearchRequest

# Matches where no number is asked for: the pattern `$X` matches every node.
MOST_MATCHES = 100_000

# Characters of a pattern.
_LONGEST_PATTERN = 10_000

# Processor time for the pattern in all languages, in seconds; usual ones take 0.01.
_PATTERN_SECONDS = 10

# Files or languages that a message names.
_NAMED = 3


def structural_search(session: Session, request: SearchRequest) -> SearchReport:
    """The matches of a pattern: all of them, if no number is asked for.

    In code first, then in tests and examples, then in documents, each by path and position. Raises
    SearchError.
    """
    filters = filters_of(session, request)
    selection = filters.selection
    with trace.stage("imports"):  # beside git, which looks for edited files
        from gitsearch.commands.pattern_files import PatternFiles, UnindexedFiles
        from gitsearch.commands.pattern_matches import matches

    try:
        patterns = _patterns(request, filters)
    except BaseException:
        selection.abandon()
        raise
    unindexed = UnindexedFiles()
    opened = selection.open(unindexed)
    files = PatternFiles(opened, filters.by_file(opened), unindexed.lacking(opened), filters)
    counts = files.languages()
    seen = [name for name in _by_count(patterns, counts) if counts[name]]
    usable = _usable(patterns, seen)
    pending = opened.view.coverage().pending
    page = page_of(request, opened.tree, opened.dirty, pending, lines=filters.lines)
    collected = _Results(request, page, _ranges(filters, opened))
    with trace.stage("matching"):
        candidates = files.with_words(usable)
        collected.take(matches(opened, candidates, usable, collected.enough))
    results = collected.results
    if not results and all(patterns[name].fault for name in seen or patterns):
        raise _no_pattern(request.text, patterns, seen or list(patterns))
    doubts = () if results else tuple(_doubts(request.text, patterns, counts))
    warnings = (
        *opened.warnings,
        *_unsearched(request, counts),
        *collected.warnings(),
        *doubts,
    )
    report = SearchReport(
        request.text,
        str(request.mode),
        opened.tree,
        opened.view.coverage(),
        tuple(results),
        new_files(
            starmap(FileCount, Counter(result.path for result in results).items()),
            collected.earlier,
        ),
        tuple(sorted({word for one in usable.values() for word in one.words})),
        (),
        warnings,
        page=page,
        more=collected.more,
        next=page.after([result.rank for result in results]) if collected.more else None,
        doubts=doubts,
    )
    return filters.told(report)


def _ranges(filters: Filters, opened: OpenView) -> list[LineRanges]:
    """The lines by path of which a match must have one: those that --grep matches, a change's."""
    ranges = [] if filters.lines is None else [filters.lines]
    if filters.by_grep:
        found = filters.grepped(opened)
        ranges.append({path: [(line, line) for line in lines] for path, lines in found.items()})
    return ranges


# ---------------------------------------------------------------- the pattern


def _patterns(request: SearchRequest, filters: Filters) -> dict[str, CodePattern]:
    """The pattern in each language that passes the filters.

    Raises UsageError for a text that no parser is given, BadLanguage if no language passes.
    """
    from gitsearch.extract.code_patterns import GRAMMARS
    from gitsearch.index import child_processes

    text = request.text
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("a pattern must be text in UTF-8") from None
    if len(text) > _LONGEST_PATTERN:
        raise UsageError(f"a pattern has at most {_LONGEST_PATTERN:,} characters")
    languages = [language for language in GRAMMARS if filters.passes_language(language)]
    if not languages:
        asked = f"--type {','.join(request.languages)}" if request.languages else "--content docs"
        raise BadLanguage(f"no structural search with {asked}", f"it knows {', '.join(GRAMMARS)}")
    patterns: dict[str, CodePattern] | None
    patterns, _ = child_processes.forked(_parsed, (text, languages))
    if patterns is None:
        raise UsageError("the pattern takes a parser too much time or memory", "make it simpler")
    return patterns


def _parsed(task: tuple[str, list[str]]) -> dict[str, CodePattern]:
    """The pattern in some languages; called in a child process."""
    from gitsearch.extract import code_patterns
    from gitsearch.index import child_processes

    child_processes.limit(_PATTERN_SECONDS)
    text, languages = task
    return {language: code_patterns.parsed(text, language) for language in languages}


def _usable(patterns: Mapping[str, CodePattern], seen: Iterable[str]) -> dict[str, CodePattern]:
    """The pattern in the languages that see one.

    If none of those that were `seen` in the tree does, also in those where it may match without
    being one.
    """
    from gitsearch.extract.code_patterns import NOT_PARSED

    usable = {language: one for language, one in patterns.items() if not one.fault}
    if usable.keys().isdisjoint(seen):
        parts = (language for language in seen if patterns[language].fault == NOT_PARSED)
        usable |= {language: patterns[language] for language in parts}
    return usable


def _no_pattern(
    text: str, patterns: Mapping[str, CodePattern], names: Sequence[str]
) -> BadPattern:
    faults = " or ".join(dict.fromkeys(patterns[language].fault for language in names))
    hints = [*_literal_signs(text), "it must be one whole expression, statement or definition"]
    return BadPattern(f"'{brief(text)}' is no pattern of {_listed(names)}: {faults}", hints[0])


def _doubts(
    text: str, patterns: Mapping[str, CodePattern], counts: Mapping[str, int]
) -> Iterator[str]:
    """Why a pattern may have no match."""
    yield from _literal_signs(text)
    present = [name for name in _by_count(patterns, counts) if counts.get(name)]
    if faulty := [name for name in present if patterns[name].fault]:
        yield f"this is no pattern of {_counted(faulty, counts)}"
    if broken := [name for name in present if patterns[name].broken]:
        yield f"a part of the pattern does not parse in {_counted(broken, counts)}"


def _literal_signs(text: str) -> list[str]:
    """One line on what looks like a metavariable and is none."""
    from gitsearch.extract.code_patterns import not_metavariables

    if not (others := not_metavariables(text)):
        return []
    shown = ", ".join(f"'{brief(word)}'" for word in others[:_NAMED])
    verb = "stands for itself" if len(others) == 1 else "stand for themselves"
    return [f"{shown} {verb}: metavariables are $NAME, $$$NAME, $_ and $$$"]


def _unsearched(request: SearchRequest, counts: Mapping[str, int]) -> Iterator[str]:
    """One line for files without structural search.

    Of languages that were not asked for, only programming languages count.
    """
    from gitsearch.extract.code_patterns import GRAMMARS

    meant = [
        name
        for name in _by_count(counts, counts)
        if name not in GRAMMARS
        and name != "?"
        and (request.languages or content_of(name) == "code")
    ]
    if meant:
        yield f"no structural search in {_counted(meant, counts)}"


def _by_count(names: Iterable[str], counts: Mapping[str, int]) -> list[str]:
    return sorted(names, key=lambda name: (-counts.get(name, 0), name))


def _counted(names: Iterable[str], counts: Mapping[str, int]) -> str:
    files = {name: "file" if counts[name] == 1 else "files" for name in names}
    return _listed([f"{name} ({counts[name]:,} {noun})" for name, noun in files.items()])


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


# ---------------------------------------------------------------- results


class _Results:
    """The results of a page, in order, at most as many as are wanted.

    ranges: lines by path, of each of which a match must have one. more: further results follow.
    earlier: the files of the pages before, if files are shown.
    """

    def __init__(self, request: SearchRequest, page: Page, ranges: Sequence[LineRanges]) -> None:
        self._request = request
        self._page = page
        self._ranges = ranges
        # what a budget of tokens cannot hold need not be looked for
        default = MAX_COUNT if request.budget else MOST_MATCHES
        self._most = count_of(request, default)
        self._rank = 0
        self._failed: list[bytes] = []
        self.results: list[Result] = []
        self.earlier: list[FileCount] = []
        self.more = False

    @property
    def enough(self) -> int:
        """The first matches of one file that can fill the page and tell if there are more."""
        on_page = self._page.before + self._most + 1
        return max(on_page, MOST_MATCHES) if self._ranges else on_page

    def take(self, found: Iterator[FileMatches]) -> None:
        """Make results of the matches in files, until there are enough."""
        for one in found:
            if one.matches is None:
                self._failed.append(one.file.path)
                continue
            shown = None
            for match in one.matches:
                if not self._is_on_page(one.file.path, match):
                    continue
                if len(self.results) == self._most:
                    self.more = True
                    return
                shown = shown or _ShownFile(one, self._request)
                self.results.append(shown.result(self._rank, match))

    def warnings(self) -> Iterator[str]:
        """One line on files that could not be searched, one if there are more matches."""
        if self._failed:
            paths = [path.decode("utf-8", "replace") for path in self._failed]
            yield f"not searched, as a parser could not be given them: {_listed(paths)}"
        if self.more and not (self._request.max_count or self._request.budget):
            yield f"there are more than these {self._most:,} matches; -k asks for more"

    def _is_on_page(self, path: bytes, match: CodeMatch) -> bool:
        """Return True for a match that passes the filter by lines and was on no page before."""
        for ranges in self._ranges:
            lines = ranges.get(path, ())
            if not any(match.start <= last and first <= match.end for first, last in lines):
                return False
        self._rank += 1
        is_new = self._rank > self._page.before or self._rank in self._page.left
        if not is_new and self._request.shown == FILES:
            self.earlier.append(FileCount(path.decode("utf-8", "surrogateescape"), 1))
        return is_new


class _ShownFile:
    """Makes results of the matches in one file."""

    def __init__(self, found: FileMatches, request: SearchRequest) -> None:
        self._found = found
        self._request = request
        self._path = found.file.path.decode("utf-8", "surrogateescape")
        self._language = settled(found.file.key.hint, found.data)
        text = found.data.decode("utf-8", "replace").removesuffix("\n")
        self._lines = [line.removesuffix("\r") for line in text.split("\n")]

    def result(self, rank: int, match: CodeMatch) -> Result:
        """The result of a match."""
        scope = self._found.scopes.around(match.start, match.end)
        first, last = match.start, match.end
        if self._request.whole and scope:
            first, last = scope.first, scope.last
        before, after = self._request.context
        first, last = max(1, first - before), last + after
        shown = self._lines[first - 1 : last][: self._request.max_lines]
        return Result(
            rank=rank,
            path=self._path,
            start=match.start,
            end=match.end,
            blob=self._found.file.key.oid,
            language=self._language,
            kind=match.kind,
            symbol=scope.qualified if scope else None,
            score=1.0,
            legs={},
            confidence="high",
            text="\n".join(shown),
            signature=self._lines[match.start - 1].strip()[:SIGNATURE],
            context=(scope.first, scope.signature) if scope and scope.first < first else None,
            first_shown=first,
            match=match,
        )
