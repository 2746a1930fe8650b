"""Every number of the ranking, with its source or the ablation that chose it (docs/ranking.md)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranking:
    """The constants of one ranking; `bench/quality` varies them one at a time."""

    # BM25 (Robertson and Zaragoza 2009), the usual values, as semble and prx take them
    k1: float = 1.5
    b: float = 0.75
    # what another form of a word in a question is worth
    form: float = 0.5

    # candidates a leg: at least, and as a multiple of the results asked for (semble takes 5 x)
    depth: int = 50
    depth_factor: int = 5
    # and so many times that where most of them are tests or documents
    reach: int = 4

    # candidates of the sign-bit scan that are rescored: so many, and a share of all chunks (same
    # ten of the leg as with no scan for 1,000 of 1,000 queries over 19,202 chunks: bench/recall)
    scan: int = 4096
    scan_share: float = 1 / 64

    # share of the cosine of the candidates of a file together
    file_share: float = 0.07

    # the gated path term of the dense leg: weight x max(0, cosine - gate)
    path_weight: float = 0.3
    path_gate: float = 0.1

    # the least cosine, path term included, for a query of which no word occurs: over 630 annotated
    # queries the best chunk has .54 or more in 97.6 %, of made-up ones in 4.6 %
    floor: float = 0.54

    # reciprocal rank fusion (Cormack et al. 2009): k, and the weight of the dense leg
    rrf_k: int = 60
    alpha_prose: float = 0.53
    alpha_symbol: float = 0.3
    # weight of the names leg, against the other two together: for a name, for a question
    names_symbol: float = 1.0
    names_prose: float = 0.0

    # rerank 1: share of the best score added to chunks of the file with the most evidence
    coherence: float = 0.7
    # the same for the chunks of one definition
    group: float = 0.15
    # rerank 2: a chunk that defines a name the query gives, more when the file is named after it
    definition: float = 4.0
    definition_stem: float = 1.5
    # the same for a question whose words are those of a name, in any order and form
    definition_words: float = 3.0
    # rerank 3: share of the query's words that must match the stem or folder, and the boost
    stem_share: float = 0.1
    stem_boost: float = 1.0
    # rerank 4: share of the best score for the file that as a whole has most of the query
    file: float = 0.5
    # rerank 5: boost of a file that many of the best are linked to, and how many those are
    link: float = 0.3
    link_files: int = 20
    # rerank 6: factors for kinds of files, compounding
    test: float = 0.3
    example: float = 0.3
    docs: float = 0.3
    compat: float = 0.3
    barrel: float = 0.5
    declarations: float = 0.7
    vendored: float = 0.5
    # the same for what is written in other than programming languages
    prose: float = 0.3
    config: float = 0.3
    # documents, instead of `prose` and `docs`, where the question is how something is used
    guide: float = 1.3
    # rerank 7: factor for each further chunk of a file, among the first results (for a question
    # of how, which several files answer, and for others) and later
    saturation_how: float = 0.55
    saturation: float = 0.85
    saturation_later: float = 0.95
    first_results: int = 10


DEFAULT = Ranking()
