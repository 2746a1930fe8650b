"""Constants of the ranking, with the source or the ablation of each (docs/ranking.md)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranking:
    """The constants of one ranking; `bench/quality` varies them one at a time."""

    # BM25 (Robertson and Zaragoza 2009), the usual values, as semble and prx take them
    k1: float = 1.5
    b: float = 0.75
    # weight of an inflected form of a question's word, relative to the word
    form: float = 0.5
    # weight of a word that the embedding finds near to it
    near: float = 0.25
    # what a chunk with such a word alone has of the word, in `coverage`
    near_coverage: float = 0.5

    # the least candidates of a leg (semble takes five for each of ten results)
    depth: int = 50
    # multiple of the depth up to which a leg goes if most candidates are tests or documents
    reach: int = 4

    # candidates of the sign-bit scan that are rescored: a number, plus a share of all chunks (the
    # first ten equal those of an exact search for 500 of 500 queries over 19,001 chunks:
    # bench/recall)
    scan: int = 4096
    scan_share: float = 1 / 256

    # weight of the cosine of the summed candidates of a file, against that of the chunk itself
    file_share: float = 0.07

    # the gated path term of the dense leg: weight x max(0, cosine - gate)
    path_weight: float = 0.3
    path_gate: float = 0.1

    # the least cosine, path term included, of a result for a query none of whose words occurs: the
    # best chunk has .54 or more in 97.6 % of 630 annotated queries, and in 4.6 % of made-up ones
    floor: float = 0.54

    # reciprocal rank fusion (Cormack et al. 2009): k, and the weight of the dense leg
    rrf_k: int = 60
    alpha_prose: float = 0.53
    alpha_symbol: float = 0.3
    # weight of the symbol leg, against the other two together: for a symbol query, for prose
    names_symbol: float = 1.0
    names_prose: float = 0.0

    # rerank 1: share of the best score added to the best chunk of the file with most evidence
    coherence: float = 0.7
    # the same for the chunks of one definition
    group: float = 0.3
    # rerank 2: boost of a chunk that defines a name of the query; factor if its file has the name
    definition: float = 4.0
    definition_stem: float = 1.5
    # the same for a question whose words are the parts of a name, in any order and inflection
    definition_words: float = 3.0
    # factor, instead, of a chunk with the definition of which a question wants the uses
    definition_used: float = 0.3
    # rerank 3: share of the query's words that must match the stem or folder, and the boost
    stem_share: float = 0.1
    stem_boost: float = 1.0
    # rerank 4: share of the best score added for the file with the best BM25 as a whole
    file: float = 0.5
    # the same for a chunk that has all terms of a query, and for one that belongs to a definition
    coverage: float = 0.4
    in_definition: float = 0.1
    # rerank 5: boost of a file that many of the best files are linked to, and how many of these
    # are considered
    link: float = 0.2
    link_files: int = 20
    # rerank 6: factors for kinds of files, multiplied
    test: float = 0.3
    example: float = 0.3
    docs: float = 0.3
    compat: float = 0.3
    barrel: float = 0.5
    declarations: float = 0.7
    vendored: float = 0.5
    # the same for files in other than programming languages
    prose: float = 0.3
    config: float = 0.3
    # factor of a chunk without the name that a query of several words is
    unnamed: float = 0.03
    # factor of documents, instead of `prose` and `docs`, for a question of use
    guide: float = 1.3
    # rerank 7: factor for each further chunk of a file: among the first results of a "how"
    # question, which several files answer; among those of other queries; among later results
    saturation_how: float = 0.55
    saturation: float = 0.9
    saturation_later: float = 0.95
    first_results: int = 10
    # the least cosine of two chunks that are twins, and the factor of all but the best of some
    twin_cosine: float = 0.95
    twin: float = 0.5


DEFAULT = Ranking()
