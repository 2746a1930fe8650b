"""Make the embedding model from checkouts: mining, distillation, training, quantisation.

    python -m training.make CHECKOUTS --work DIR --out DIR [--begin MODEL] [--jobs N]

CHECKOUTS holds a clone, with its history, of every repository in training/repositories.tsv, as
owner+name. What is mined is kept in --work, and used again. The model is written to --out. The
same checkouts give the same bytes, with the same versions of the packages and on the same kind of
processor. With --begin the training goes on from a model that was made before, and its tokens
stay.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from gitsearch.errors import SearchError
from gitsearch.features.embedding import Model
from training import descent, held, listing, vocabulary, writing
from training.bags import Wordpieces, counted
from training.distil import first_table
from training.gather import Gathered, gather, gather_asked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scipy import sparse

PHRASES = Path(__file__).with_name("phrases.txt")

SEED = 1
DIMS = 128  # of the model; the first training has those of descent.Recipe

# The second training, in the dimensions of the model. A written question counts as so many pairs.
FURTHER = descent.Recipe(seed=SEED, epochs=1, dims=((DIMS, 1.0), (DIMS // 2, 0.3)))
WRITTEN = 20

# A token that occurs less often in all pairs together is left out, and spelt by pieces instead.
_SEEN = 1
# Chunks that `_sample` takes.
_SAMPLE = 40_000
_FEWEST = 4  # distinct tokens of a chunk that is trained on


class Teaches(Protocol):
    """What distillation asks of a sentence encoder."""

    def tokens(self) -> list[str]:
        """Its vocabulary, the most common tokens first."""

    def of_tokens(self, tokens: Sequence[str]) -> np.ndarray:
        """A vector a token: float32 (tokens, width)."""


class Bags(NamedTuple):
    """All pairs over the tokens of a vocabulary: CSR (pairs, tokens)."""

    queries: sparse.csr_matrix
    chunks: sparse.csr_matrix


class Begun(NamedTuple):
    """A vector a token: float32 (tokens, DIMS)."""

    tokens: list[str]
    table: np.ndarray


def main() -> None:
    """The command line."""
    args = _parser().parse_args()
    said = _Said()
    try:
        if args.begin:
            Model(args.begin).check()
        entries, refusal = listing.read_list(args.list), listing.read_refusal()
        found = listing.opened(entries, args.checkouts, refusal)
        for line in listing.absence(found, refusal):
            said(line)
        gathered = gather(found, args.work, SEED, args.jobs)
        asked = gather_asked(found, args.work, SEED, args.jobs)
        said(f"{len(gathered.pairs)} pairs, {len(asked.pairs)} of written questions")
        if args.begin:
            begun = Begun(*writing.read(args.begin))
        else:
            from training.teacher import Teacher

            begun = first(gathered, Teacher(), descent.Recipe(seed=SEED), said)
        make(begun, gathered, asked, FURTHER, args.out, said)
    except SearchError as error:
        sys.exit(f"training: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.make",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkouts", type=Path, help="clones of the repositories, as owner+name")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is mined")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--begin", type=Path, help="folder of such a model to go on from")
    parser.add_argument("--jobs", type=int, default=1, help="processes that mine")
    parser.add_argument("--list", type=Path, default=listing.LIST, help="another list")
    return parser


class _Said:
    """Prints what was done, and when."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, text: str) -> None:
        print(f"{time.monotonic() - self._started:6.0f} s  {text}", flush=True)


def first(
    gathered: Gathered,
    teacher: Teaches,
    recipe: descent.Recipe,
    say: Callable[[str], None],
    dims: int = DIMS,
) -> Begun:
    """Distil the teacher, train with these pairs, and narrow the table."""
    tokens = vocabulary.possible(teacher.tokens())
    tokens += vocabulary.words_of_code(gathered.pairs, gathered.repositories, frozenset(tokens))
    say(f"{len(tokens)} tokens")
    table = first_table(teacher.of_tokens(tokens), max(width for width, _ in recipe.dims))
    bags = bagged(gathered, Wordpieces(tokens))
    say("distilled")
    table = _trained(tokens, table, gathered, bags, recipe, say)
    table = writing.narrowed(table, _sample(bags, recipe.seed), dims)
    kept = vocabulary.seen(tokens, bags, _SEEN)
    return Begun([tokens[i] for i in kept], table[kept])


def make(
    begun: Begun,
    gathered: Gathered,
    asked: Gathered,
    recipe: descent.Recipe,
    out: Path,
    say: Callable[[str], None],
) -> None:
    """Go on with these pairs and written questions, and write the model."""
    tokens, table = begun
    whole = Gathered(
        gathered.pairs + asked.pairs * WRITTEN,
        gathered.repositories + asked.repositories * WRITTEN,
        gathered.held,
    )
    bags = bagged(whole, Wordpieces(tokens))
    table = _trained(tokens, table, whole, bags, recipe, say)
    table = writing.turned(table, _sample(bags, recipe.seed), recipe.seed)
    rows = np.vstack([np.zeros((1, table.shape[1]), np.float32), table])
    writing.write(out, [writing.UNKNOWN, *tokens], rows)
    say(f"{len(tokens)} tokens written to {out}")


def _trained(
    tokens: list[str],
    table: np.ndarray,
    gathered: Gathered,
    bags: Bags,
    recipe: descent.Recipe,
    say: Callable[[str], None],
) -> np.ndarray:
    """The table after a training; what is held out is asked before and now and then."""
    pieces = Wordpieces(tokens)

    def report(step: int, loss: float, table: np.ndarray) -> None:
        figures = held.measured(table, pieces, gathered.held)
        said = ", ".join(f"{kind} {value:.4f}" for kind, value in figures.items())
        say(f"step {step}, loss {loss:.3f}; held out: {said}")

    report(0, 0.0, table)
    return descent.train(table, _data(gathered, bags, pieces), recipe, report)


def _sample(bags: Bags, seed: int) -> sparse.csr_matrix:
    """Chunks whose vectors say in which directions texts differ."""
    order = np.random.default_rng(seed)
    return bags.chunks[order.permutation(bags.chunks.shape[0])[:_SAMPLE]]


def bagged(gathered: Gathered, pieces: Wordpieces) -> Bags:
    """Queries and chunks as the program weighs their words."""
    pairs = gathered.pairs
    return Bags(
        counted([one.query for one in pairs], None, pieces),
        counted([one.text for one in pairs], [one.scope for one in pairs], pieces),
    )


def _data(gathered: Gathered, bags: Bags, pieces: Wordpieces) -> descent.Data:
    """The pairs that have words on both sides, numbered by repository and file."""
    fit = np.diff(bags.queries.indptr) > 0
    fit &= np.diff(bags.chunks.indptr) >= _FEWEST
    chosen = np.flatnonzero(fit)
    repositories = [gathered.repositories[i] for i in chosen]
    files = [(gathered.repositories[i], gathered.pairs[i].path) for i in chosen]
    phrases = PHRASES.read_text(encoding="utf-8").splitlines()
    return descent.Data(
        bags.queries[chosen],
        bags.chunks[chosen],
        _numbered(repositories),
        _numbered(files),
        counted(phrases, None, pieces),
    )


def _numbered(labels: Sequence[object]) -> np.ndarray:
    numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    return np.asarray([numbers[label] for label in labels], np.int64)


if __name__ == "__main__":
    main()
