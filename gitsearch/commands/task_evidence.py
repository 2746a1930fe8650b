"""Evidence on which files belong to a task: its words, past commits, names and uses."""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.commands.context_items import FoundUse, Span, chunk_span, file_span
from gitsearch.extract import path_kinds
from gitsearch.git import cochange, commit_messages
from gitsearch.reports.context import PLACE, TEST, TOGETHER, USER
from gitsearch.retrieval import engine, file_likelihood, filters, similar_messages
from gitsearch.retrieval.constants import DEFAULT
from gitsearch.retrieval.file_likelihood import Clue, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.git.cochange import History
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment
    from gitsearch.retrieval.file_likelihood import RankLikelihood
    from gitsearch.retrieval.query import Query

# Results of a search that are looked at, and of one among files of a kind.
_FOUND, _FOUND_OF_KIND = 100, 30
# Commits in which two files must have changed together to be said to.
_REPEATED = 2
# Past commits that are like the task.
_PRECEDENTS = 20
# More files with one stem have nothing to do with each other: index.ts, mod.rs.
_NAMESAKES = 8
# Characters of the id and of the subject of a commit that a reason has.
_ID, _SUBJECT = 8, 60


class TaskEvidence(Evidence):
    """Collects clues to files.

    spans: the best place that a search has found in a file; uses: a line of a file that uses one
    of the places, and the reason to give it.
    """

    def __init__(self, opened: OpenView) -> None:
        super().__init__()
        self._opened = opened
        self._view = opened.view
        self.spans: dict[bytes, Span] = {}
        self.uses: dict[bytes, tuple[FoundUse, str]] = {}

    def span(self, path: bytes) -> Span:
        """The lines of a file that matter: what a search has found there, or all of it."""
        return self.spans.get(path) or file_span(*self._searched[path])

    @cached_property
    def _searched(self) -> dict[bytes, tuple[Segment, int]]:
        """The files of the view that are searched, by path."""
        return {
            segment.path(file): (segment, file)
            for segment, file in self._view.each_file()
            if not segment.reason(file)
        }

    def _clue(self, path: bytes, likelihood: float, kind: str, reason: str) -> None:
        if likelihood > 0 and path in self._searched:
            kind = TEST if path_kinds.is_test(path) else kind
            self.add(path, Clue(likelihood, kind, reason))

    # ---------------------------------------------------------------- words of the task

    def search(self, query: Query, tests: str) -> list[Span]:
        """Search for a task, and among tests, documents and settings alone.

        Returns the results of the search, the best first.
        """
        found = self._ranked(query, _FOUND, tests=tests)
        self._by_rank(found, file_likelihood.SEARCH)
        if tests != "exclude":
            some = self._ranked(query, _FOUND_OF_KIND, tests="only")
            self._by_rank(some, file_likelihood.TESTS)
        if tests != "only":
            some = self._ranked(query, _FOUND_OF_KIND, content="docs", tests="exclude")
            self._by_rank(some, file_likelihood.DOCS)
            some = self._ranked(query, _FOUND_OF_KIND, content="config", tests="exclude")
            self._by_rank(some, file_likelihood.SETTINGS)
        return found

    def _ranked(
        self, query: Query, count: int, content: str = "all", tests: str = "include"
    ) -> list[Span]:
        mask = filters.by_file(self._view, content=content, tests=tests)
        # the likelihoods of ranks were fitted with five candidates of each leg for a result
        options = engine.Options(count=count, deeper=5 * count // DEFAULT.depth)
        hits = engine.search(self._view, query, mask, options)
        return [chunk_span(self._view, hit) for hit in hits]

    def _by_rank(self, spans: Sequence[Span], likelihood: RankLikelihood) -> None:
        first = {span.path: span for span in reversed(spans)}
        for rank, path in enumerate(dict.fromkeys(span.path for span in spans), 1):
            self.spans.setdefault(path, first[path])
            self._clue(path, likelihood.at(rank), PLACE, "")

    # ---------------------------------------------------------------- history

    def precedents(self, query: Query, history: History) -> None:
        """Add the files that past commits have changed whose messages are like a task."""
        messages = commit_messages.messages(self._opened.session.repo, history.commits)
        for precedent in similar_messages.SplitMessages(messages).similar(query, _PRECEDENTS):
            files = history.landings[precedent.number]
            if not 0 < len(files) <= cochange.LARGEST:
                continue  # none: all of its files were only moved
            subject = messages[precedent.number].partition("\n")[0][:_SUBJECT].strip()
            reason = f"changed by {history.commits[precedent.number][:_ID]} {subject}"
            likelihood = file_likelihood.of_past_commit(precedent.share, len(files))
            for path in sorted(files):
                self._clue(path, likelihood, TOGETHER, reason)

    def changed_together(self, seeds: Mapping[bytes, float], history: History) -> None:
        """Add the files that have changed in the same commits as the seeds."""
        for seed, likelihood in seeds.items():
            times, together = history.together(seed)
            for path, count in sorted(together.items()):
                if count < _REPEATED:
                    continue
                reason = f"changed in {count} of {times} commits with {os.fsdecode(seed)}"
                share = file_likelihood.of_changed_together(count, times)
                self._clue(path, likelihood * share, TOGETHER, reason)

    # ---------------------------------------------------------------- names and uses

    def namesakes(self, seeds: Mapping[bytes, float]) -> None:
        """Add the files that are named like a seed: its tests, headers, documents."""
        by_stem: dict[bytes, list[bytes]] = defaultdict(list)
        for path in self._searched:
            by_stem[path_kinds.stem(path)].append(path)
        for seed, likelihood in seeds.items():
            alike = by_stem[path_kinds.stem(seed)]
            if 1 < len(alike) <= _NAMESAKES:
                share = likelihood * file_likelihood.NAMED / (len(alike) - 1)
                for path in alike:
                    if path != seed:
                        self._clue(path, share, PLACE, f"named like {os.fsdecode(seed)}")

    def users(self, used: Span, likelihood: float, uses: Iterable[FoundUse]) -> None:
        """Add the files that use a definition or a file, each with a likelihood."""
        reason = f"uses {used.name or os.fsdecode(used.path)}"
        for use in uses:
            self.uses.setdefault(use.span.path, (use, reason))
            self._clue(use.span.path, likelihood, USER, reason)
