"""The program as a user has it: a wheel, installed by pip, started through git."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Long enough for a first index on a busy machine, short enough to notice a hang.
PATIENCE = 120.0
Command = list[str | Path]
DISTRIBUTION = "git-semantic-search"
PIP = ("-I", "-m", "pip", "--disable-pip-version-check")


@dataclass(frozen=True)
class Installation:
    """An environment with the program in it, and the wheel it came from."""

    prefix: Path
    wheel: Path | None

    @property
    def bin(self) -> Path:
        """The folder of the environment's programs."""
        return self.prefix / "bin"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.bin / "python"

    def environment(self, extra: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """The test's environment with the program on PATH; a value of None takes a name away."""
        path = os.pathsep.join([str(self.bin), os.environ["PATH"]])
        merged: dict[str, str | None] = {**os.environ, "PATH": path, **(extra or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def run(
        self,
        *args: str | bytes | Path,
        cwd: Path,
        env: Mapping[str, str | None] | None = None,
        input: str = "",
        config: Mapping[str, str] | None = None,
        wrapper: Sequence[str | Path] = (),
        timeout: float = PATIENCE,
    ) -> subprocess.CompletedProcess[str]:
        """Run `git -c <config> search <args>`, by way of a wrapper command if one is given."""
        options = [word for item in (config or {}).items() for word in ("-c", "=".join(item))]
        return subprocess.run(
            [*wrapper, "git", *options, "search", *args],
            cwd=cwd,
            env=self.environment(env),
            input=input,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=timeout,
            check=False,
        )

    def start(
        self, *args: str, cwd: Path, env: Mapping[str, str | None] | None = None
    ) -> subprocess.Popen[str]:
        """Start `git search <args>` in a process group of its own, as a shell would."""
        return subprocess.Popen(
            ["git", "search", *args],
            cwd=cwd,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
            start_new_session=True,
        )

    def answer(self, *args: str, cwd: Path, env: Mapping[str, str | None] | None = None) -> Any:
        """What `git search --json <args>` says, as data; the exit code must fit it."""
        return checked_answer(self.run("--json", *args, cwd=cwd, env=env))


def checked_answer(done: subprocess.CompletedProcess[str]) -> Any:
    """The document that `git search --json` printed; the exit code must fit it."""
    assert done.returncode in (0, 1), done.stderr
    document = json.loads(done.stdout)
    assert done.returncode == (0 if document["results"] else 1)
    return document


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold a lock file while other test runs may want the same folder."""
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def checked(command: Command, environment: Mapping[str, str]) -> None:
    """Run a command, and show all it said when it fails."""
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def dependencies_digest(checkout: Path, constraint: str | None) -> str:
    """A name for the set of required packages and the interpreter."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = Path(constraint).read_text(encoding="utf-8") if constraint else ""
    said = json.dumps([sys.version, project["dependencies"], pins])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def required_packages(
    wheel: Path, folder: Path, checkout: Path, environment: Mapping[str, str]
) -> Path:
    """An environment with what the wheel requires and without the wheel; kept between runs."""
    prefix = folder / dependencies_digest(checkout, environment.get("PIP_CONSTRAINT"))
    ready = prefix / "ready"
    with locked(folder / "lock"):
        if not ready.exists():
            shutil.rmtree(prefix, ignore_errors=True)
            checked([sys.executable, "-I", "-m", "venv", prefix], environment)
            python = prefix / "bin" / "python"
            checked([python, *PIP, "install", "-q", wheel], environment)
            checked([python, *PIP, "check"], environment)
            checked([python, *PIP, "uninstall", "-q", "-y", DISTRIBUTION], environment)
            ready.touch()
    return prefix


def installed_program(
    *, checkout: Path, cache: Path, environment: Mapping[str, str], folder: Path
) -> Installation:
    """Build the wheel of the checkout and install it into a new environment in a folder.

    What it requires comes from a second environment that is kept, because fetching it takes a
    minute; nothing of the tests' own environment is visible to the program. Of several processes
    that want the same folder the first installs, and the others wait for it.
    """
    prefix = folder / "environment"
    ready = folder / "ready"
    with locked(folder / "lock"):
        if not ready.exists():
            # what a process left behind that failed or was ended
            for path in (prefix, folder / "wheel"):
                shutil.rmtree(path, ignore_errors=True)
            _install(checkout, cache, environment, folder / "wheel", prefix)
            ready.touch()
    (wheel,) = (folder / "wheel").glob("*.whl")
    return Installation(prefix, wheel)


def _install(
    checkout: Path, cache: Path, environment: Mapping[str, str], wheels: Path, prefix: Path
) -> None:
    build: Command = [
        sys.executable,
        *PIP,
        "wheel",
        "-q",
        "--no-deps",
        "--wheel-dir",
        wheels,
        checkout,
    ]
    checked(build, environment)
    (wheel,) = wheels.glob("*.whl")
    required = required_packages(wheel, cache, checkout, environment)

    checked([sys.executable, "-I", "-m", "venv", "--without-pip", prefix], environment)
    libraries = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    (prefix / libraries / "required.pth").write_text(f"{required / libraries}\n", encoding="utf-8")
    pip: Command = [required / "bin" / "python", *PIP, "--python", prefix / "bin" / "python"]
    checked([*pip, "install", "-q", "--no-deps", wheel], environment)
