"""The gateway to Ray: tasks that index, actors that answer. It places, retries and transports."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray
from ray import exceptions
from ray._private import services

from gitsearch.cluster import indexing
from gitsearch.cluster.catalog import Catalog
from gitsearch.commands.shard_answers import ShardAnswers
from gitsearch.commands.shards import Stale
from gitsearch.errors import NoCluster, SearchError
from gitsearch.render.output import AnswerStream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAMESPACE = "git-search"

# The folder that this program is imported from.
_PACKAGES = Path(__file__).parents[2]

# Seconds that a shard has for one round of a question, with what it takes to start it again.
_ROUND = 120.0

# Seconds that a cluster has to accept a connection.
_ANSWERS = 5.0

# Times that a task is tried again if its worker dies.
_RETRIES = 3


def connect(address: str | None) -> None:
    """Connect to a cluster: the one at an address, else that of this machine. Raises NoCluster.

    From then on only answers are written to standard output: a thread of Ray prints there what it
    says of a worker that has died, until the process ends.
    """
    if sys.stdout is not None and not isinstance(sys.stdout, AnswerStream):
        sys.stdout = AnswerStream(sys.stdout.buffer)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        _check(services.canonicalize_bootstrap_address(address or "auto"))
        # Ray lets workers import from the current folder first, which may be a stranger's
        with contextlib.chdir(_PACKAGES):
            ray.init(
                address=address or "auto",
                namespace=_NAMESPACE,
                log_to_driver=False,
                logging_level="ERROR",
                ignore_reinit_error=True,
            )
    except (OSError, ValueError, RuntimeError, exceptions.RayError) as error:
        where = f"at '{address}'" if address else "on this machine"
        raise NoCluster(
            f"no cluster answers {where}: {str(error).splitlines()[0]}",
            "python -P -m gitsearch.cluster up",
        ) from error


def _check(address: str | None) -> None:
    """Raise OSError if nothing listens at an address: Ray tries again for a quarter of an hour.

    The file that names the cluster of a machine stays when that is killed.
    """
    host, _, port = (address or "").rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), _ANSWERS).close()


def start() -> None:
    """Start a cluster of this machine alone, as `ray start --head` does; it stays.

    Whoever may use a cluster may run programs: it takes a token, which is in the home of the user.
    Raises NoCluster.
    """
    from ray.scripts import scripts

    if os.environ.get("RAY_AUTH_MODE") == "disabled":
        raise NoCluster(
            "RAY_AUTH_MODE=disabled would let everybody run programs here", "unset RAY_AUTH_MODE"
        )
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    words = ["--head", "--port=0", "--include-dashboard=false", "--disable-usage-stats"]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        scripts.get_auth_token.main(["--generate"], standalone_mode=False)
        scripts.start.main(words, standalone_mode=False)


def processors() -> int:
    """Return how many processors the cluster has."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def in_order_of_end(references: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the place and the result of each task as soon as it is done.

    The result is a SearchError if its worker died each time.
    """
    places = {reference: place for place, reference in enumerate(references)}
    left = list(references)
    while left:
        done, left = ray.wait(left, num_returns=1)
        for reference in done:
            yield places[reference], _result(reference)


def _result(reference: Any, seconds: float | None = None) -> Any:
    try:
        return ray.get(reference, timeout=seconds)
    except exceptions.RayTaskError:
        raise  # a mistake of ours
    except exceptions.RayError as error:
        return Stale(f"its worker is lost: {str(error).splitlines()[0]}")


_task = ray.remote(num_cpus=1, max_retries=_RETRIES)
fetched: Any = _task(indexing.fetched)
indexed: Any = _task(indexing.indexed)
indexed_common: Any = _task(indexing.indexed_common)


class Shard:
    """A shard of the catalog in a folder, as it is when a question begins."""

    def __init__(self, folder: str, number: int) -> None:
        self._folder = Path(folder)
        self._number = number
        self._read: tuple[int, int] | None = None
        self._answers = ShardAnswers({})

    def open(self, request: Any, model: Any) -> Any:
        """Begin a question, with the catalog as it is now: see `ShardAnswers.open`."""
        return self._refusal(anew=True) or self._answers.open(request, model)

    def ask(self, *question: Any) -> Any:
        """Answer one round: see `ShardAnswers.ask`."""
        return self._refusal() or self._answers.ask(*question)

    def matches(self, request: Any, after: str, count: int | None) -> Any:
        """Look for matches, at first with the catalog as it is now: see `ShardAnswers.matches`."""
        return self._refusal(anew=not after) or self._answers.matches(request, after, count)

    def made(self, *question: Any) -> Any:
        """Return some results of that: see `ShardAnswers.made`."""
        return self._refusal() or self._answers.made(*question)

    def process(self) -> int:
        """Return the id of the process."""
        return os.getpid()

    def _refusal(self, *, anew: bool = False) -> NoCluster | None:
        """Read the catalog, if it was not yet or must be read anew; why that fails, if it does."""
        try:
            if anew or self._read is None:
                self._refresh()
        except (SearchError, OSError) as error:
            return NoCluster(str(error))
        return None

    def _refresh(self) -> None:
        catalog = Catalog(self._folder)
        stat = catalog.file.stat()
        if self._read != (stat.st_mtime_ns, stat.st_ino):
            names = Catalog.read(self._folder).names(self._number)
            self._answers = ShardAnswers(names)
            self._read = stat.st_mtime_ns, stat.st_ino


# An actor keeps no processor to itself, which the tasks would lack; what it was asked when it died
# it is asked again. It asks for a byte of memory, for Ray hands an actor that needs nothing to a
# host at random, which spreads only those that it was handed: all may end up on one host.
_Actor: Any = ray.remote(
    num_cpus=0, memory=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD"
)(Shard)


class RayShards:
    """The actors of the shards of a folder; those that are not there yet are started."""

    def __init__(self, folder: Path, count: int) -> None:
        digest = blake2b(os.fsencode(folder), digest_size=8).hexdigest()
        self._actors = [
            _Actor.options(
                name=f"shard-{digest}-{number}", lifetime="detached", get_if_exists=True
            ).remote(str(folder), number)
            for number in range(count)
        ]

    def __len__(self) -> int:
        """Return the number of shards."""
        return len(self._actors)

    def call(self, calls: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        """Return the answers to calls, each a shard's number, a method and its arguments."""
        references = [
            getattr(self._actors[shard], method).options(max_task_retries=-1).remote(*arguments)
            for shard, method, arguments in calls
        ]
        return [_result(reference, _ROUND) for reference in references]

    def processes(self) -> list[int | SearchError]:
        """Return the ids of the processes."""
        return self.call([(number, "process", ()) for number in range(len(self))])

    def stop(self) -> None:
        """End the processes; they are started again when they are asked."""
        for actor in self._actors:
            ray.kill(actor)
