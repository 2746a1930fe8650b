"""From checkouts to the pairs that are trained on and the questions that measure, kept on disk."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch import extract
from gitsearch.features import identifiers
from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.git import repo as repository
from gitsearch.index import fact_columns
from training import changes, examples, held, mining, questions, sources, wording
from training.examples import Example
from training.held import HeldOut
from training.mining import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

    import numpy as np

    from gitsearch.git.repo import Repo
    from training.listing import Entry
    from training.questions import Question
    from training.sources import Source


# The modules that decide what is mined, beside the package that cuts files.
_MINING = (changes, held, mining, sources, wording, fact_columns, identifiers)

# Those that decide, with the questions, what is made of these.
_WRITING = (mining, sources, wording, questions)


class Gathered(NamedTuple):
    """Pairs with the repository of each, and what measures."""

    pairs: list[Pair]
    repositories: list[str]
    held: list[HeldOut]


def gather(
    found: Sequence[tuple[Entry, Repo]], folder: Path, seed: int, jobs: int = 1
) -> Gathered:
    """Mine each repository, or read what this program mined from the same revision before.

    jobs: processes that mine; what is mined does not depend on it.
    """
    whole = Gathered([], [], [])
    for entry, mined in _each(found, folder, seed, _MINING, _mined, jobs=jobs):
        if entry.held_out:
            whole.held.append(HeldOut(*mined))
        else:
            whole.pairs.extend(Pair(*row) for row in mined)
            whole.repositories.extend([entry.name] * len(mined))
    return whole


def gather_examples(
    found: Sequence[tuple[Entry, Repo]], folder: Path, seed: int
) -> list[tuple[Entry, list[Example]]]:
    """The examples of each repository for the reader, mined or kept as the pairs are."""
    model = Model(PACKAGED)

    def drawn(entry: Entry, repo: Repo, seed: int) -> list[Example]:
        order = mining.generator(entry.name, seed)
        return examples.examples(*_pairs(entry, repo, order), model, order)

    each = _each(found, folder, seed, (*_MINING, examples), drawn)
    return [(entry, [Example(*row) for row in rows]) for entry, rows in each]


def gather_written(
    found: Sequence[tuple[Entry, Repo]], folder: Path, seed: int
) -> list[tuple[Entry, list[Example]]]:
    """The examples of each repository that come of written questions, mined or kept."""
    model = Model(PACKAGED)
    written = _written()

    def asked(entry: Entry, repo: Repo, seed: int) -> list[Example]:
        order = mining.generator(entry.name, seed)
        cut, own = _asked(entry, repo, written, mining.FILES, order)
        return examples.with_others(cut, own, model, order)

    modules = (*_WRITING, examples)
    each = _each(found, folder / "written", seed, modules, asked, (questions.QUESTIONS,))
    return [(entry, [Example(*row) for row in rows]) for entry, rows in each]


def gather_asked(
    found: Sequence[tuple[Entry, Repo]], folder: Path, seed: int, jobs: int = 1
) -> Gathered:
    """The written questions about what is trained on, with their chunks, made or kept."""
    whole = Gathered([], [], [])
    written = _written()

    def asked(entry: Entry, repo: Repo, seed: int) -> list[Pair]:
        return _asked(entry, repo, written, 0, mining.generator(entry.name, seed))[1]

    trained = [(entry, repo) for entry, repo in found if not entry.held_out]
    data = (questions.QUESTIONS,)
    for entry, rows in _each(trained, folder / "asked", seed, _WRITING, asked, data, jobs):
        whole.pairs.extend(Pair(*row) for row in rows)
        whole.repositories.extend([entry.name] * len(rows))
    return whole


def _written() -> dict[str, list[Question]]:
    """The written questions by repository."""
    written: dict[str, list[Question]] = {}
    for one in questions.read(questions.QUESTIONS):
        written.setdefault(one.repository, []).append(one)
    return written


def _asked(
    entry: Entry,
    repo: Repo,
    written: Mapping[str, Sequence[Question]],
    most: int,
    order: np.random.Generator,
) -> tuple[list[Source], list[Pair]]:
    """The written questions about a repository, and so many of its files beside theirs."""
    own = written.get(entry.name, ())
    tree = repository.resolve(repo, entry.revision).tree
    files = {one.path for one in own}
    cut = list(sources.code_of(repo, tree, most, order, files)) if own else []
    return cut, questions.pairs(cut, own)


def _each(
    found: Sequence[tuple[Entry, Repo]],
    folder: Path,
    seed: int,
    modules: Sequence[ModuleType],
    make: Callable[[Entry, Repo, int], object],
    data: Sequence[Path] = (),
    jobs: int = 1,
) -> Iterator[tuple[Entry, Any]]:
    """Yield the result of `make` for each repository, kept as JSON in a folder.

    modules, data: decide beside the package that cuts files what it gives.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = _digest([*_program(modules), *data])

    def kept(entry: Entry) -> Path:
        return folder / f"{entry.folder}-{entry.revision}-{seed}-{program}.json"

    def keep(missing: Sequence[tuple[Entry, Repo]]) -> None:
        for entry, repo in missing:
            written = kept(entry).with_suffix(".part")
            written.write_text(json.dumps(make(entry, repo, seed)), encoding="utf-8")
            written.replace(kept(entry))

    missing = [one for one in found if not kept(one[0]).is_file()]
    _on_processes(keep, missing, max(jobs, 1))
    # What a process that ended early has left is made here, where its error is the program's.
    keep([one for one in missing if not kept(one[0]).is_file()])
    for entry, _ in found:
        yield entry, json.loads(kept(entry).read_text(encoding="utf-8"))


def _on_processes(work: Callable[[Sequence[Any]], None], items: Sequence[Any], jobs: int) -> None:
    """Do some work with a share of the items in each of so many processes, this one among them."""
    shares = [items[i::jobs] for i in range(jobs)]
    if jobs == 1:
        work(items)
        return
    fork = multiprocessing.get_context("fork")  # the work needs no pickling then
    helpers = [fork.Process(target=work, args=(share,)) for share in shares[1:]]
    with warnings.catch_warnings():
        # other threads are those of numpy, which a helper does not use
        warnings.simplefilter("ignore", DeprecationWarning)
        for one in helpers:
            one.start()
    try:
        work(shares[0])
    except BaseException:
        for one in helpers:
            one.terminate()
        raise
    finally:
        for one in helpers:
            one.join()


def _program(modules: Sequence[ModuleType]) -> Iterator[Path]:
    """The files whose content decides what is mined."""
    yield Path(__file__)
    yield from (Path(str(module.__file__)) for module in modules)
    for path in sorted(Path(extract.__file__).parent.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path


def _digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def _mined(entry: Entry, repo: Repo, seed: int) -> list[Pair] | HeldOut:
    sources, pairs = _pairs(entry, repo, mining.generator(entry.name, seed))
    return held.held_out(entry.name, sources, pairs) if entry.held_out else pairs


def _pairs(
    entry: Entry, repo: Repo, order: np.random.Generator
) -> tuple[list[Source], list[Pair]]:
    """The files of a repository, and all pairs that they and the commits give."""
    tree = repository.resolve(repo, entry.revision).tree
    mined = mining.mine(repo, tree, order)
    changed = changes.changed(repo, entry.revision, mined.sources, order)
    return mined.sources, [*mined.pairs, *changed]
