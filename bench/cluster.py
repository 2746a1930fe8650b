"""Measure a cluster of this machine, and check its answers and the model of docs/scale.md.

    python -m bench.cluster index FOLDER SOURCES...
    python -m bench.cluster questions FOLDER [--questions N] [--asked N] [--kill N] [--sample N]
    python -m bench.cluster matches FOLDER [--lines N]

FOLDER is made: clones and indexes. SOURCES are repositories, or folders with some. They are
indexed by tasks on two processors and, from nothing, by one process. Questions made from them are
asked of two shards, one shard is killed in the middle, and each answer is compared with that of
one process, whole. Then a sample is asked of 1, 2, 4 and 8 shards, of which the processor time is
taken from /proc. `matches`: two repositories are made, with N lines that match exact text, and
asked in two shards and by one process, each question by a program of its own.

Files the figures in bench/results/. A cluster must be up.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from random import Random
from statistics import mean, median, quantiles
from typing import Any

from bench import filing, inprocess
from gitsearch.cli.application import run
from gitsearch.cli.questions import Questions
from gitsearch.cluster import indexing, operations, ray_tasks
from gitsearch.cluster.catalog import Catalog
from gitsearch.git.clones import repositories_in
from gitsearch.index.child_processes import PROCESSORS

_SHARDS = (1, 2, 4, 8)

# The word of made repositories, and the lines of each of their files.
_WORD, _LINES_IN_FILE = "needle", 10_000


def main() -> None:
    args = _parser().parse_args()
    folder = args.folder.resolve()
    ray_tasks.connect(args.address)
    figures: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    if args.part == "index":
        sources = [clone for source in args.sources for clone in repositories_in(source)]
        alone = _OneProcess(folder, sources)
        figures |= _indexed(folder, sources)
        figures["process_cpu_s"] = alone.seconds()
        busiest = figures["tasks_cpu_busiest_s"]
        figures["speedup_cpu"] = round(figures["process_cpu_s"] / busiest, 2)
    elif args.part == "matches":
        figures |= _matches(folder, args.lines, args.address)
    else:
        texts = _questions(folder, args.questions)
        figures |= _asked(folder, texts, args.asked, args.kill)
        print(json.dumps(figures, indent=1), flush=True)
        figures |= _actors(folder, texts[: args.sample])
    figures["load_after"] = os.getloadavg()[0]
    print(json.dumps(figures, indent=1), flush=True)
    filing.write(f"cluster-{args.part}", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("part", choices=("index", "questions", "matches"))
    add("folder", type=Path)
    add("sources", type=Path, nargs="*")
    add("--address", help="of the cluster; default: that of this machine")
    add("--questions", type=int, default=300, help="different ones; default: %(default)s")
    add("--asked", type=int, default=1000, help="in all; default: %(default)s")
    add("--kill", type=int, default=500, help="before which; default: %(default)s")
    add("--sample", type=int, default=40, help="asked of more shards; default: %(default)s")
    add("--lines", type=int, default=1_000_000, help="that match; default: %(default)s")
    add("--out", type=Path, help="where to file the figures")
    return parser


# ---------------------------------------------------------------- index


def _indexed(folder: Path, sources: list[Path]) -> dict[str, Any]:
    """Index by tasks on two processors, then by one process: seconds and processor time."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "list"
    file.write_text("\n".join(map(str, sources)), encoding="utf-8")
    started = time.perf_counter()
    done = operations.index(folder, file, 2, lambda _: None)
    took = time.perf_counter() - started
    catalog = Catalog.read(folder)
    keys = [
        {blob.key for blob in indexing.fetched(catalog.clone(one.name), one.source).blobs}
        for one in catalog.entries
        if one.shard is not None
    ]
    distinct = len(set().union(*keys))
    return {
        "repositories": done.repositories,
        "chunks": done.chunks,
        "files": sum(map(len, keys)),
        "different_blobs": distinct,
        "extracted": done.extracted,
        "extracted_twice": max(0, done.extracted - distinct),
        "said": list(done.said),
        "index_mb": round(sum(_size(catalog.clone(one.name)) for one in catalog.entries) / 1e6),
        "tasks_s": round(took, 1),
        "tasks_cpu_s": round(sum(done.seconds), 1),
        # of the longest first, each to the worker that is free: by processor time
        "tasks_cpu_busiest_s": round(_makespan(done.seconds, 2), 1),
    }


class _OneProcess:
    """The same repositories, indexed meanwhile by one process with one child that extracts.

    Its processor time counts, which does not depend on what else the machine does.
    """

    def __init__(self, folder: Path, sources: list[Path]) -> None:
        self._folder = folder / "alone"
        for source in sources:
            ignored = shutil.ignore_patterns("search")
            shutil.copytree(source, self._folder / source.name, symlinks=True, ignore=ignored)
        env = {**os.environ, PROCESSORS: "1", "PYTHONPATH": str(filing.ROOT)}
        words = ["-m", "gitsearch", "index", "--in", ".", "--at", "HEAD", "-q"]
        self._process = subprocess.Popen(
            [sys.executable, "-P", *words],
            cwd=self._folder,
            env=env,
            stdout=subprocess.DEVNULL,
        )

    def seconds(self) -> float:
        """Wait for it, and return its processor time with that of its children."""
        _, code, used = os.wait4(self._process.pid, 0)
        self._process.returncode = code
        assert code == 0
        shutil.rmtree(self._folder)
        return round(used.ru_utime + used.ru_stime, 1)


def _makespan(seconds: tuple[float, ...], workers: int) -> float:
    filled = [0.0] * workers
    for one in sorted(seconds, reverse=True):
        filled[filled.index(min(filled))] += one
    return max(filled)


def _size(clone: Path) -> int:
    return sum(path.stat().st_size for path in (clone / "search").rglob("*") if path.is_file())


# ---------------------------------------------------------------- questions


def _questions(folder: Path, count: int) -> list[str]:
    """Names and sentences of all repositories, of checkouts that are made for it."""
    clones = list(repositories_in(folder / "repositories"))
    each = -(-count // len(clones)) + 1
    found: list[str] = []
    with tempfile.TemporaryDirectory(dir=folder) as checkouts:
        for number, clone in enumerate(clones):
            checkout = Path(checkouts) / str(number)
            words = ["git", "clone", "--quiet", "--shared", str(clone), str(checkout)]
            # a clone may lack some files, which are not needed
            subprocess.run(words, check=False, stderr=subprocess.DEVNULL)
            found += inprocess.questions(checkout, each, 0)
    return Random(0).sample(list(dict.fromkeys(found)), count)


def _words(folder: Path, text: str) -> list[str]:
    return ["--in", str(folder / "repositories"), "-k10", "-e", text]


def _asked(folder: Path, texts: list[str], count: int, kill: int) -> dict[str, Any]:
    """Ask shards, of which one is killed; compare with one process, byte for byte."""
    one = Questions(run)
    started, used = time.perf_counter(), time.process_time()
    expected = {text: one.answer(_words(folder, text)).text for text in texts}
    figures: dict[str, Any] = {
        "process_question_ms": round((time.perf_counter() - started) / len(texts) * 1e3, 1),
        "process_question_cpu_ms": round((time.process_time() - used) / len(texts) * 1e3, 1),
    }
    many = Questions(run, opener=operations.opener(folder))
    shards = ray_tasks.RayShards(folder, 2)
    processes = shards.processes()
    took: list[float] = []
    wrong_before = wrong_after = 0
    for number in range(count):
        text = texts[number % len(texts)]
        if number == kill:
            assert isinstance(processes[0], int)
            os.kill(processes[0], signal.SIGKILL)
        started = time.perf_counter()
        differs = many.answer(_words(folder, text)).text != expected[text]
        took.append(time.perf_counter() - started)
        wrong_before += differs and number < len(texts)
        wrong_after += differs and number >= len(texts)
    return figures | {
        "questions": len(texts),
        "asked": count,
        "different_from_one_process": wrong_before,
        "different_after": wrong_after,
        "question_p50_ms": round(median(took) * 1e3, 1),
        "question_p95_ms": round(quantiles(took, n=20)[-1] * 1e3, 1),
        "slowest_after_the_kill_s": round(max(took[kill : kill + 20]), 2),
        "shards_that_are_others": sum(
            now != before for now, before in zip(shards.processes(), processes, strict=True)
        ),
    }


# ---------------------------------------------------------------- shards


def _actors(folder: Path, texts: list[str]) -> dict[str, Any]:
    """Processor time of a question to 1, 2, 4 and 8 shards of the same repositories."""
    figures: dict[str, Any] = {}
    for count in _SHARDS:
        own = folder.with_name(f"{folder.name}-{count}")
        own.mkdir(exist_ok=True)
        link = own / "repositories"
        if not link.is_symlink():
            link.symlink_to(folder / "repositories")
        catalog = Catalog.read(folder)
        indexed = {one.name: one.chunks for one in catalog.entries if one.shard is not None}
        shards = indexing.shards_of(indexed, {}, count)
        entries = tuple(replace(one, shard=shards.get(one.name)) for one in catalog.entries)
        replace(catalog, folder=own, shards=count, entries=entries).write()
        figures[f"shards_{count}"] = _of_shards(own, count, texts)
    return figures


def _of_shards(folder: Path, count: int, texts: list[str]) -> dict[str, float]:
    many = Questions(run, opener=operations.opener(folder))
    shards = ray_tasks.RayShards(folder, count)
    processes = [one for one in shards.processes() if isinstance(one, int)]
    for text in texts:  # what a question reads is in memory
        many.answer(_words(folder, text))
    of_shards: list[list[float]] = []
    asking, took = [], []
    for text in texts:
        before = list(map(_processor_time, processes))
        started, used = time.perf_counter(), time.process_time()
        many.answer(_words(folder, text))
        took.append(time.perf_counter() - started)
        asking.append(time.process_time() - used)
        after = list(map(_processor_time, processes))
        of_shards.append([b - a for a, b in zip(before, after, strict=True)])
    memory = [_resident(process) for process in processes]
    shards.stop()
    return {
        "question_p50_ms": round(median(took) * 1e3, 1),
        "asking_cpu_ms": round(mean(asking) * 1e3, 2),
        "shards_cpu_ms": round(mean(map(sum, of_shards)) * 1e3, 2),
        "busiest_shard_cpu_ms": round(mean(map(max, of_shards)) * 1e3, 2),
        "resident_mb_each": round(mean(memory) / 1e6, 1),
    }


def _processor_time(process: int) -> float:
    """Seconds of all threads of a process so far, to the nanosecond where the kernel counts it."""
    total = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def _resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


# ---------------------------------------------------------------- exact text


def _matches(folder: Path, count: int, address: str | None) -> dict[str, Any]:
    """Ask for a word that so many lines of two repositories have: bytes, seconds, memory."""
    sources = [folder / "sources" / name for name in ("a", "b")]
    for source in sources:
        _with_lines(source, count // len(sources))
    file = folder / "list"
    file.write_text("\n".join(map(str, sources)), encoding="utf-8")
    operations.index(folder, file, len(sources), lambda _: None)
    at = ["--address", address] if address else []
    programs = {
        "shards": ["gitsearch.cluster", *at, "--folder", str(folder), "search"],
        "process": ["gitsearch", "--in", str(folder / "repositories")],
    }
    figures: dict[str, Any] = {"lines": count}
    for words in (["-k1000"], ["-q"], ["-c"], []):
        each = {name: _program(own, [*words, "-F", _WORD]) for name, own in programs.items()}
        same = len({one.pop("digest") for one in each.values()}) == 1
        figures[" ".join(["-F", *words])] = each | {"same_bytes": same}
    return figures


def _with_lines(source: Path, count: int) -> None:
    """Make a repository of files with lines that match, none beside another."""
    source.mkdir(parents=True)
    for first in range(0, count, _LINES_IN_FILE):
        lines = range(first, min(first + _LINES_IN_FILE, count))
        text = "".join(f"a {_WORD} {number}\n\n" for number in lines)
        (source / f"{first}.txt").write_text(text, encoding="utf-8")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "lines"]):
        subprocess.run(["git", "-C", str(source), *words], check=True)


def _program(words: list[str], question: list[str]) -> dict[str, Any]:
    """Run a program: what it prints, how long it takes, and the most memory that it has."""
    env = {**os.environ, "PYTHONPATH": str(filing.ROOT)}
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", *words, *question], env=env, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    digest, size = blake2b(), 0
    while part := process.stdout.read(1 << 20):
        digest.update(part)
        size += len(part)
    _, process.returncode, used = os.wait4(process.pid, 0)
    return {
        "digest": digest.hexdigest(),
        "bytes": size,
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_s": round(used.ru_utime + used.ru_stime, 1),
        "resident_mb": round(used.ru_maxrss / 1024),
    }


if __name__ == "__main__":
    main()
