"""Versions of derived data: a row or a view of another version is made anew."""

from __future__ import annotations

# Chunks and facts of a blob (extract/):
# 1: first version
# 2: packages, namespaces, computed and embedded imports
# 3: files that are named by a path that is put together, modules that macros bring
# 4: the lines of a chunk end where only closing lines follow
# 5: Agda, Typst and texts whose parsing would take too much work are cut by lines
# 6: large files in Scala, F#, PureScript, Julia and D are parsed
# 7: functions of C++ behind a macro
# 8: what stands behind a macro of C and C++ that opens or closes a block, such as a namespace
# 9: texts that are not UTF-8, where a query reads such a byte
EXTRACT_VERSION = 10

# Terms of identifiers (features/identifiers, features/term_counts):
# 1: first version
# 2: composed and decomposed letters are one, marks belong to words, characters and pairs of those
#    of scripts without blanks
TOKEN_VERSION = 2

# The arrays of a segment (index/segment):
# 1: first version
# 2: postings in steps, words of paths by file, vectors of 4 bits, views of many segments
# 3: the term that is a symbol's whole name
# 4: test_functions.bash is no test, every .bats is one; history.go is no changelog
# 5: vectors of 8 bits
# 6: as before; earlier programs read no file that says its own name
# 7: vectors of 4 bits again, of 16 levels without 0
# 8: words of a file that are no terms
# 9: terms of each file, no longer the bits of each code
VIEW_VERSION = 9

FACTS_VERSION = f"{EXTRACT_VERSION}.{TOKEN_VERSION}"

# Entries of a filter of words (features/whole_words, store/bloom):
# 1: first version
WORDS_VERSION = 1

# The words of descriptions beside a view (index/described_words, index/described_files):
# 1: first version
DESCRIBED_VERSION = 1

# What is indexed of a commit, and the arrays of a segment of history (index/commit_documents,
# index/history_segment):
# 1: first version
# 2: commits whose change is not known are marked
HISTORY_VERSION = 2

# The lines of an exported index (index/shared_file, index/shared_facts):
# 1: first version
SHARE_VERSION = 1

# The tables of `export` (commands/exported_tables, index/tables_import):
# 1: first version
# 2: commits
# 3: all that a parser found: `extract`, `hint`, `forced`; `end`, `signature_end` and `parent` of
#    definitions
EXPORT_VERSION = 3
