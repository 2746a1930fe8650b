"""Where results go, and what stands in each: figures, commit, machine, command."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def git(*args: str, cwd: Path = ROOT) -> str:
    """What git prints, without the last newline."""
    done = subprocess.run(
        ["git", *args],
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="surrogateescape",  # paths are bytes
        check=False,
    )
    if done.returncode:
        sys.exit(f"git {' '.join(args)} in {cwd}: {done.stderr.strip()}")
    return done.stdout.removesuffix("\n")


def _argument(given: str) -> str:
    """An argument as it was given, a folder by its last name: where it lies is our affair."""
    return Path(given).name if given.startswith("/") else given


def short_commit() -> str:
    """The commit that is measured; a program that differs from it must not go by its name."""
    return git("rev-parse", "--short=10", "HEAD") + ("-modified" if modified() else "")


def modified() -> list[str]:
    """Files of the program and of the measurement that are not as committed."""
    found = git("status", "--porcelain", "--", "gitsearch", "bench", "pyproject.toml")
    names = [line[3:] for line in found.splitlines()]
    return [name for name in names if not name.startswith("bench/results")]


def machine() -> dict[str, Any]:
    """What the figures depend on besides the program.

    numpy is asked for its version without importing it: the programs that start others must stay
    small (see `processes`).
    """
    return {
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)) if _LINUX else os.cpu_count(),
        "processor": _processor(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10**6,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "git": git("--version").removeprefix("git version "),
    }


_LINUX = sys.platform == "linux"


def _processor() -> str:
    if not _LINUX:
        return platform.processor()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def write(name: str, figures: dict[str, Any], out: Path | None = None) -> Path:
    """File the figures as JSON; the default place says program and commit."""
    path = out or RESULTS / f"{name}-{short_commit()}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "bench": name,
        "commit": git("rev-parse", "HEAD"),
        "modified": modified(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "command": [
            "python",
            "-m",
            ".".join(Path(sys.argv[0]).resolve().relative_to(ROOT).with_suffix("").parts),
            *map(_argument, sys.argv[1:]),
        ],
        **figures,
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"filed: {path}", file=sys.stderr)
    return path


def ends(command: list[str], cwd: Path, environment: dict[str, str], limit: float) -> bool:
    """Run a command that gets and tells nothing; False if it does not end within `limit` seconds.

    environment: variables beside those of this process.
    """
    try:
        subprocess.run(
            command,
            cwd=cwd,
            env=os.environ | environment,
            check=False,
            timeout=limit,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return False
    return True


def write_oracle(
    out: Path, checkout: Path, functions: list[list[Any]], tests: dict[str, Any]
) -> None:
    """File what ran in which tests, for `bench.impact_by_definition`.

    `functions` are lists of path, name, line and test files; `tests` says which test files were
    run: `files`, or the folder `tests`.
    """
    revision = git("rev-parse", "HEAD", cwd=checkout)
    oracle = {"revision": revision, **tests, "functions": functions}
    out.write_text(json.dumps(oracle, separators=(",", ":")), "utf-8")
    print(f"{len(functions)} functions")


def table(head: list[str], rows: list[list[str]], *, left: int = 1) -> str:
    """A Markdown table, columns after the first `left` ones flush right, padded to be read raw."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = []
    for row in (head, None, *rows):
        cells = []
        for i, width in enumerate(widths):
            if row is None:
                cells.append("-" * width if i < left else "-" * (width - 1) + ":")
            else:
                cells.append(row[i].ljust(width) if i < left else row[i].rjust(width))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
