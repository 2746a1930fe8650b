"""What a call to the MCP server costs beside a search within a process, and what the server keeps.

    python -m bench.mcp_calls REPOSITORY... [--questions N] [--rounds N] [--calls N]

Each repository is indexed where it lies. Its questions are asked in turn of a view that is open in
this process, as bench.inprocess does, and of a server as calls of `search`; what slows the machine
slows both. `more` is the median of the difference of the two. Then more calls are made, to see
if the server grows; and in a new clone without an index a server is started and asked once. Prints
the figures and files them in bench/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import IO, Any

import numpy as np

from bench import filing, inprocess
from bench.evaluation import Question, Variant, opened

_QUESTIONS = 30
_ROUNDS = 5
_CALLS = 1000
_COUNT = 10
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


class Server:
    """A server in a folder, and a client that speaks to it line by line."""

    def __init__(self, folder: Path) -> None:
        env = {**os.environ, "PYTHONPATH": str(filing.ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gitsearch", "mcp"],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._asked = 0
        self._request("initialize", _HELLO)
        self._send({"method": "notifications/initialized"})

    def search(self, text: str) -> dict[str, Any]:
        """The result of a call."""
        arguments = {"query": text, "max_results": _COUNT, "lines": 0}
        answer = self._request("tools/call", {"name": "search", "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        if result["isError"]:
            sys.exit(f"{text}: {result['content'][0]['text']}")
        return result

    def memory(self) -> float:
        """Resident megabytes."""
        command = ["ps", "-o", "rss=", "-p", str(self._process.pid)]
        return int(subprocess.check_output(command)) / 1000

    def processor_time(self) -> float:
        """Seconds of processor time of the server and of its children that have ended; Linux."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii")
        ticks = stat.rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """Go away, and wait until the server has noticed."""
        self._pipe(self._process.stdin).close()
        self._process.wait()

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        answer: dict[str, Any] = json.loads(self._pipe(self._process.stdout).readline())
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        pipe = self._pipe(self._process.stdin)
        pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        pipe.flush()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.mcp_calls",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    inprocess.add_arguments(parser, _QUESTIONS)
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="default: %(default)s")
    parser.add_argument("--calls", type=int, default=_CALLS, help="default: %(default)s")
    args = parser.parse_args()
    measured = []
    for folder in args.repositories:
        inprocess.update(folder)
        figures = {
            "repository": folder.resolve().name,
            "revision": filing.git("rev-parse", "HEAD", cwd=folder),
            **_warm(folder, inprocess.questions(folder, args.questions, args.seed), args),
            **_first(folder),
        }
        measured.append(figures)
        print("  ".join(f"{key} {value}" for key, value in figures.items()), flush=True)
    figures = {"questions": args.questions, "rounds": args.rounds, "calls": args.calls}
    filing.write("mcp-calls", {**figures, "repositories": measured}, args.out)


def _warm(folder: Path, asked: list[str], args: argparse.Namespace) -> dict[str, Any]:
    view = opened(folder, "HEAD")
    server = Server(folder)
    alone, called = [], []
    own = 0.0
    for turn in range(args.rounds + 1):
        for text in asked:
            started, own_started = time.perf_counter(), time.process_time()
            found = Question(view, text, _COUNT).answered(Variant("default"))
            between, own_ended = time.perf_counter(), time.process_time()
            result = server.search(text)
            ended = time.perf_counter()
            told = [hit["path"] for hit in result["structuredContent"]["results"]]
            if told != [hit.path for hit in found]:
                sys.exit(f"{folder}: the server answers otherwise: {text}")
            if turn:  # the first round reads what the others find in memory
                own += own_ended - own_started
                alone.append(between - started)
                called.append(ended - between)
    before, spent = server.memory(), server.processor_time()
    for number in range(args.calls):
        server.search(asked[number % len(asked)])
    after, spent = server.memory(), server.processor_time() - spent
    server.end()
    more = np.asarray(called) - np.asarray(alone)
    return {
        "chunks": int(view.live.sum()),
        "in_process_p50_ms": _ms(median(alone)),
        "in_process_cpu_ms": _ms(own / len(alone)),
        "call_p50_ms": _ms(median(called)),
        "call_p95_ms": _ms(float(np.percentile(called, 95))),
        "more_p50_ms": _ms(float(np.median(more))),
        "call_cpu_ms": _ms(spent / args.calls),
        "memory_mb": round(before, 1),
        "memory_after_more_calls_mb": round(after, 1),
    }


def _first(folder: Path) -> dict[str, float]:
    """Seconds until a server in a new clone is ready, and until its first answer."""
    with tempfile.TemporaryDirectory() as place:
        clone = Path(place, "clone")
        subprocess.run(["git", "clone", "-q", "-s", folder, clone], check=True)
        started = time.perf_counter()
        server = Server(clone)
        ready = time.perf_counter()
        server.search("where is the configuration read")
        ended = time.perf_counter()
        server.end()
    return {"ready_s": round(ready - started, 2), "first_answer_s": round(ended - ready, 2)}


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 2)


if __name__ == "__main__":
    main()
