"""Isolation and guards: no test sees the host's git, its home, its clock or the network."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import prepared
from tests.builder import FIRST_SECOND, RepoBuilder
from tests.installation import Installation, installed_program
from tests.sample import build_sample

# A shell starts its background jobs with Ctrl-C ignored, and every program in them inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("fixed", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=1000, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

os.register_at_fork(before=prepared.prepare)

# What must survive from the outside for processes to start at all.
KEPT = {"PATH", "TMPDIR", "SYSTEMROOT", "PYTHONHASHSEED", "COVERAGE_PROCESS_START", "TERM"}
# What pip needs to reach a package index; only the installation sees it.
KEPT_PREFIXES = ("PIP_", "SSL_CERT_", "REQUESTS_CA_", "HTTP", "http", "NO_PROXY", "no_proxy")

# Servers on this machine that tests have started themselves: host and port.
OWN_SERVERS: set[tuple[str, int]] = set()


class NetworkForbiddenError(AssertionError):
    """A test reached for the network."""


def isolated_environment(home: Path) -> dict[str, str]:
    """The whole environment of a test: nothing of the host's git, home, language or clock."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    when = f"{FIRST_SECOND} +0000"
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TEMPLATE_DIR": str(home / "no-template"),
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
        "GIT_AUTHOR_NAME": "A. Author",
        "GIT_AUTHOR_EMAIL": "author@example.com",
        "GIT_COMMITTER_NAME": "C. Committer",
        "GIT_COMMITTER_EMAIL": "committer@example.com",
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
    }


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")
    parser.addoption(
        "--prefix", type=Path, help="test the program of this environment instead of a built one"
    )


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the installed program as slow: a start costs as much as ten quick tests."""
    for item in items:
        if "installed" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def outside_environment() -> dict[str, str]:
    """What the installation may know of the host: how to reach a package index."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in KEPT or name == "HOME" or name.startswith(KEPT_PREFIXES)
    }


@pytest.fixture(scope="session", autouse=True)
def isolation(
    tmp_path_factory: pytest.TempPathFactory, outside_environment: dict[str, str]
) -> Iterator[Path]:
    """Replace the whole environment for the run; returns the empty home."""
    home = tmp_path_factory.mktemp("home")
    (home / "no-template").mkdir()
    # nearly all tests are about what comes before the reader, which would take most of their time
    config = "[init]\n\tdefaultBranch = main\n[search]\n\treader = off\n"
    # after each commit git would start a process, which finds nothing to do in what is so small
    config += "[maintenance]\n\tauto = false\n"
    (home / ".gitconfig").write_text(config, encoding="utf-8")
    environment = isolated_environment(home)
    with pytest.MonkeyPatch.context() as patch:
        for name in set(os.environ) - set(environment):
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        # what runs in the background yields to others for good: all later tests of this process
        patch.setattr(os, "nice", lambda _: 0)
        yield home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every connection raise, except to a server of the test itself."""

    def guard(method: Callable[..., object]) -> Callable[..., object]:
        def connect(self: socket.socket, address: object) -> object:
            if self.family in (socket.AF_INET, socket.AF_INET6) and address not in OWN_SERVERS:
                raise NetworkForbiddenError(f"a test connects to {address!r}")
            return method(self, address)

        return connect

    look_up = socket.getaddrinfo

    def resolve(host: Any, port: Any, *rest: Any, **named: Any) -> object:
        if (host, port) in OWN_SERVERS:
            return look_up(host, port, *rest, **named)
        raise NetworkForbiddenError(f"a test asks for the address of {host!r}")

    monkeypatch.setattr(socket.socket, "connect", guard(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guard(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.fixture(autouse=True)
def same_interrupt() -> Iterator[None]:
    """Restore the usual Ctrl-C: `sql` in the process of a test leaves that of the system."""
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def empty_home(isolation: Path) -> Iterator[None]:
    """Fail a test that leaves something in the home folder."""
    before = sorted(isolation.rglob("*"))
    yield
    assert sorted(isolation.rglob("*")) == before, "the test wrote into the home folder"


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    """An empty repository."""
    return RepoBuilder(tmp_path / "repo")


@pytest.fixture(scope="session")
def sample_template(tmp_path_factory: pytest.TempPathFactory, isolation: Path) -> RepoBuilder:
    """The sample repository, packed, built once; never to be changed."""
    repo = build_sample(tmp_path_factory.mktemp("sample") / "sample")
    repo.git("gc", "-q")  # each loose object would be a file to copy
    return repo


@pytest.fixture
def sample(sample_template: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A copy of the sample repository: several languages, 60 files, 30 commits; no index yet."""
    path = tmp_path / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    return RepoBuilder.adopt(path, sample_template.clock)


@pytest.fixture(scope="session")
def installed(
    request: pytest.FixtureRequest,
    isolation: Path,
    outside_environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Installation:
    """The program as a user has it: built from the checkout, in an environment of its own."""
    prefix = request.config.getoption("--prefix")
    if prefix:
        return Installation(prefix.absolute(), wheel=None)
    cache = getattr(request.config, "cache", None)  # absent with -p no:cacheprovider
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent  # all workers of a run use one
    folder /= "installed"
    folder.mkdir(exist_ok=True)
    return installed_program(
        checkout=request.config.rootpath,
        cache=cache.mkdir("installed") if cache else tmp_path_factory.mktemp("required"),
        environment=outside_environment,
        folder=folder,
    )


@pytest.fixture(scope="session")
def indexed_template(
    installed: Installation,
    sample_template: RepoBuilder,
    tmp_path_factory: pytest.TempPathFactory,
) -> RepoBuilder:
    """The sample repository with an index, built once; never to be changed."""
    path = tmp_path_factory.mktemp("indexed") / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    done = installed.run("index", cwd=path)
    assert done.returncode == 0, done.stderr
    return RepoBuilder.adopt(path, sample_template.clock)


@pytest.fixture
def indexed(indexed_template: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A copy of the sample repository with its index."""
    path = tmp_path / "indexed"
    shutil.copytree(indexed_template.path, path, symlinks=True)
    return RepoBuilder.adopt(path, indexed_template.clock)
