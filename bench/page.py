"""Measure how soon the page of `git search serve` has results after somebody has typed.

    python -m bench.page FOLDER [--questions N] [--rounds N] [--between MS]

FOLDER holds checkouts with their indexes. A server is started for all of them, and asked over HTTP
as the page asks: after each key and the page's pause, and the request before is given up. Times
are from the last key to the whole answer, with the pause; what a browser takes to draw it is not
in them. Files the figures in bench/results/.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from random import Random
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from bench import filing
from bench.many import mixed_questions, parser
from gitsearch.git.clones import repositories_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_QUESTIONS, _ROUNDS = 20, 3
# Repositories that questions are made from.
_SOURCES = 8
# Milliseconds between keys of somebody who types fast: 100 words a minute.
_BETWEEN = 120
_PAGE = filing.ROOT / "gitsearch" / "serving" / "page" / "page.js"
_WAIT = 60


def main() -> None:
    options = parser("python -m bench.page", __doc__, _QUESTIONS, _ROUNDS)
    options.add_argument(
        "--between", type=int, default=_BETWEEN, help="ms between keys (default: %(default)s)"
    )
    args = options.parse_args()
    folder, out = args.folder.resolve(), args.out and args.out.resolve()
    clones = list(repositories_in(folder))
    some = Random(args.seed).sample(clones, min(_SOURCES, len(clones)))
    asked = mixed_questions(some, args.questions, args.seed)
    pause = float(re.findall(r"const PAUSE = (\d+);", _PAGE.read_text(encoding="utf-8"))[0]) / 1e3
    server, address = _started(folder)
    try:
        for text in asked:
            _Asked(address, text).answer()
        whole, typed = [], []
        for text in asked * args.rounds:
            whole.append(_pasted(address, text, pause))
            typed.append(_typed(address, text, pause, args.between / 1e3))
    finally:
        server.kill()
        server.communicate()
    figures: dict[str, Any] = {
        "repositories": len(clones),
        "questions": len(asked),
        "rounds": args.rounds,
        "between_keys_ms": args.between,
        "pause_of_the_page_ms": round(pause * 1e3),
        **_percentiles("pasted", whole),
        **_percentiles("typed", typed),
    }
    print("  ".join(f"{key} {value}" for key, value in figures.items()))
    filing.write("page", figures, out)


def _started(folder: Path) -> tuple[subprocess.Popen[str], tuple[str, int]]:
    command = [sys.executable, "-P", "-m", "gitsearch", "serve", "--in", ".", "--listen", "0"]
    env = {**os.environ, "PYTHONPATH": str(filing.ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        sys.exit("the server does not start")
    host, _, port = line.removeprefix("http://").rstrip("/").rpartition(":")
    return process, (host, int(port))


class _Asked:
    """A search that the server is asked for; it may be given up."""

    def __init__(self, address: tuple[str, int], text: str) -> None:
        self._socket = socket.create_connection(address, timeout=_WAIT)
        host = f"{address[0]}:{address[1]}"
        path = f"/api/search?{urlencode({'q': text})}"
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        self._socket.sendall(head.encode("ascii"))

    def answer(self) -> dict[str, Any]:
        """Return the answer."""
        with self._socket, self._socket.makefile("rb") as file:
            raw = file.read()
        document: dict[str, Any] = json.loads(raw.partition(b"\r\n\r\n")[2])
        if "error" in document:
            sys.exit(f"the server refuses: {document['error']['message']}")
        return document

    def give_up(self) -> None:
        """Wait for the answer no more."""
        self._socket.close()


def _pasted(address: tuple[str, int], text: str, pause: float) -> float:
    """Seconds until the answer to a question that is there at once."""
    began = time.perf_counter()
    _Asked(address, text).answer()
    return pause + time.perf_counter() - began


def _typed(address: tuple[str, int], text: str, pause: float, between: float) -> float:
    """Seconds from the last key of a question that is typed to its answer."""
    asked: _Asked | None = None
    pressed = time.perf_counter()
    for end in range(1, len(text) + 1):
        if asked is not None:
            asked.give_up()
        # a key before the end of the pause begins it anew
        if between >= pause or end == len(text):
            _until(pressed + pause)
            asked = _Asked(address, text[:end])
        if end < len(text):
            _until(pressed + between)
            pressed = time.perf_counter()
    assert asked is not None
    asked.answer()
    return time.perf_counter() - pressed


def _until(moment: float) -> None:
    time.sleep(max(moment - time.perf_counter(), 0))


def _percentiles(name: str, took: Sequence[float]) -> dict[str, float]:
    return {
        f"{name}_p50_ms": round(median(took) * 1e3, 1),
        f"{name}_p95_ms": round(quantiles(took, n=20)[-1] * 1e3, 1),
    }


if __name__ == "__main__":
    main()
