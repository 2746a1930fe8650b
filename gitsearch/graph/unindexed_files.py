"""The files of a tree whose view has only those that define a name: their words and their graph.

What the view lacks is told by git: which files have a word, and their contents. The answers are
those of the whole view.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.extract.languages import LANGUAGES, settled
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.features import identifiers
from gitsearch.git import trees
from gitsearch.graph import graph_builder
from gitsearch.graph.graph_builder import RESOLVERS, Node
from gitsearch.graph.graph_cache import newest
from gitsearch.graph.name_users import IndexedWords, is_code
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.index.file_selection import select_files
from gitsearch.index.tree_files import TreeFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.graph import Graph
    from gitsearch.index.file_selection import SelectedFile
    from gitsearch.index.open_view import OpenView

_WORD = re.compile(r"\w+")

# The language of a file of which nobody has asked what its content says.
_UNKNOWN = "text"


class UnindexedFiles:
    """The files of the tree of an open view that lacks some of them."""

    def __init__(self, opened: OpenView) -> None:
        repo, tree = opened.session.repo, opened.tree.tree
        assert tree is not None, "the view of no tree has all of its files"
        self._opened = opened
        self._view_nodes = graph_builder.nodes(opened.view)
        entries = trees.with_edits(trees.list_tree(repo, tree), opened.dirty)
        known = {node.path for node in self._view_nodes}
        selected = select_files(repo, entries.values(), opened.texts.edited)
        self._rest = {file.path: file for file in selected if file.path not in known}
        self._readable = [file for file in self._rest.values() if not file.reason]
        listed = [entries[file.path] for file in self._readable]
        limit = opened.session.settings.max_file_size
        self._files = TreeFiles(repo, tree, listed, limit)
        self._languages: dict[bytes, str] = {}
        self._known: dict[str, set[bytes]] = {}
        self._indexed = IndexedWords(opened.view)

    def paths_with(self, name: str) -> set[bytes]:
        """Return the paths of the files with the words of a name, as far as they may be code."""
        if name not in self._known:
            self._known[name] = self._indexed.paths_with(name) | set(self._rest_with(name))
        return self._known[name]

    def _rest_with(self, name: str) -> Iterator[bytes]:
        words = _WORD.findall(name)
        if not words:
            return
        longest = identifiers.longest(name)
        is_word = words == [name] and identifiers.compound(name) in chain(*identifiers.terms(name))
        numbers = self._files.with_word(max(words, key=len))
        sizes = self._files.sizes(numbers).tolist()
        found = [
            self._readable[number]
            for number, size in zip(numbers, sizes, strict=True)
            if size >= 0 and _may_be_code(self._readable[number].key.hint)
        ]
        texts = self._opened.texts.read([file.key.oid for file in found])
        for file in found:
            text = texts[file.key.oid]
            language = self._languages[file.path] = settled(file.key.hint, text)
            if skip_reason(text, language, forced=file.key.forced):
                continue
            # git has found the whole name as a word, unless other letters than those of ASCII
            # are around it
            if (is_word and text.isascii()) or _has_term(text, longest):
                yield file.path

    def graph(self, families: frozenset[str]) -> Graph:
        """Return the graph of all files, with the edges that some resolvers find.

        If there is a graph of another tree to begin with, it has those of all.
        """
        before = newest(self._opened.session.store) if families else None
        readable = self._sizes() if families else {}
        files = [*self._view_nodes, *(self._node(file, readable) for file in self._rest.values())]
        files.sort(key=lambda node: node.path)
        source = graph_builder.source_of(self._opened)
        asked = RESOLVERS if before else families
        with trace.stage("graph"):
            return graph_builder.build(files, source, before, families=asked)

    def _sizes(self) -> dict[bytes, int]:
        sizes = self._files.sizes(range(len(self._files))).tolist()
        return dict(zip(self._files.paths, sizes, strict=True))

    def _node(self, file: SelectedFile, sizes: dict[bytes, int]) -> Node:
        """A file as the index has it; of one that can be read extraction tells what it is."""
        oid, hint, forced = file.key
        searched = sizes.get(file.path, -1) >= 0
        language = hint if searched else self._languages.get(file.path, hint)
        if not searched and language.startswith("?"):
            language = _UNKNOWN
        return Node(file.path, oid, language, searched, forced)


def _may_be_code(language: str) -> bool:
    """Return True if a language, or what the content may decide on, can use a name."""
    return language not in LANGUAGES or is_code(language) or language in RESOLVER_OF


def _has_term(text: bytes, name: str) -> bool:
    """Return True if an identifier of a text has the words of a name, as postings tell it."""
    term = identifiers.compound(name)
    return any(
        term in words
        for word in set(identifiers.identifiers(text.decode("utf-8", "replace")))
        if term in identifiers.compound(word)
        for words in identifiers.terms(word)
    )
