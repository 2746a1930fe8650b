"""A cluster of this machine: indexed, asked, with a process killed, with bad input."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

from gitsearch.errors import NoCluster
from gitsearch.settings import SearchRequest
from tests.builder import RepoBuilder
from tests.e2e.hosts import CannotBeMade, hosts
from tests.sample import CACHE, METRIC, RETRY, SESSION

ray = pytest.importorskip("ray", reason="ray cannot be installed here")
from gitsearch.cluster.ray_tasks import Shard  # noqa: E402  which needs Ray

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PYTHON = [sys.executable, "-P"]

# Holds a cluster of two processors, until its standard input ends.
HOLDER = """
import sys, ray
ray.init(num_cpus=2, include_dashboard=False, _temp_dir=sys.argv[1], log_to_driver=False,
    logging_level="ERROR")
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
ray.shutdown()
"""

# Asks questions, each by the cluster and by one process, and kills a shard before one of them: at
# once, or before a later round of that question.
ASKER = """
import json, os, signal, sys
from pathlib import Path
from gitsearch.cli.application import run
from gitsearch.cli.questions import Questions
from gitsearch.cluster import operations, ray_tasks

folder, address, killed, questions = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
ray_tasks.connect(address)
call, kills = ray_tasks.RayShards.call, []

def kill():
    os.kill(ray_tasks.RayShards(Path(folder), 2).processes()[0], signal.SIGKILL)

def killing(self, calls):
    if kills and calls[0][1] == "made":
        kills.pop()()
    return call(self, calls)

ray_tasks.RayShards.call = killing
one = Questions(run)
opener = operations.opener(Path(folder))
many = Questions(run, opener=opener)
wrong = []
for number, question in enumerate(questions):
    if number == killed:
        kill()
        kills.append(kill)
    words = ["--in", folder + "/repositories", *json.loads(question)]
    answers = [asked.answer(words).text for asked in (many, one)]
    if answers[0] != answers[1]:
        wrong.append((question, *map(json.loads, answers)))
sys.stdout.buffer.write(json.dumps(wrong).encode())
"""

FILES = {
    "shop": {"retry_policy.py": RETRY.render("python"), "README.md": "# Shop\n\nIt sells.\n"},
    "fork": {"retry_policy.py": RETRY.render("python"), "README.md": "# Shop\n\nIt buys.\n"},
    "site": {"web/login-session.ts": SESSION.render("typescript"), "LICENSE": "Do it.\n"},
    "stats": {"metric.go": METRIC.render("go"), "cache.rb": CACHE.render("ruby")},
    "vendor": {"third/metric.go": METRIC.render("go"), "LICENSE": "Do it.\n"},
}

QUESTIONS = (
    ["pause before a failed request is sent again"],
    ["RetryPolicy"],
    ["compute_dleay"],
    ["who uses the retry policy"],
    ["--mode", "semantic", "count a metric"],
    ["--mode", "lexical", "session"],
    ["-t", "go", "counter"],
    ["--grep", "def ", "delay"],
    ["-k1", "retry"],
    ["metric", "--", "third"],
    ["-F", "return"],
    ["-F", "-k2", "return"],
    ["-F", "-i", "-w", "RETRY"],
    ["-F", "--sort", "path", "-t", "go", "return"],
    ["-E", "def [a-z_]+[(]", "--", "*.py"],
    ["-F", "no such text"],
    ["'def compute_delay'"],
    ["-E", "(("],
    ["return $X"],
    ["--mode", "structural", "-k2", "$F($$$A)"],
    ["--mode", "structural", "def $F($$$A) -> $T: $$$B"],
)


@pytest.fixture(scope="module")
def address(isolation):
    """The address of a cluster of this machine, which ends with the tests."""
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_AUTH_MODE", "token")
    patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    holder = subprocess.Popen(
        [*PYTHON, "-c", HOLDER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        yield holder.stdout.readline().strip()
    finally:
        holder.stdin.close()
        holder.wait(60)
        holder.stdout.close()
        patch.undo()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def sources(isolation, tmp_path_factory):
    """A folder with repositories; never to be changed."""
    folder = tmp_path_factory.mktemp("sources")
    for name, files in FILES.items():
        RepoBuilder(folder / name).having(files)
    return folder


@pytest.fixture
def ask(address, tmp_path):
    """A function that runs a verb of the cluster in a folder of the test."""
    return partial(ran, address, tmp_path)


def ran(address, folder, *words, ok=0, host=()):
    """Run a verb of the cluster in a folder; host: what begins a command of another host."""
    verb = ["-m", "gitsearch.cluster", "--address", address, "--folder", "c", *words]
    done = subprocess.run(
        [*host, *PYTHON, *verb],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == ok, done.stdout + done.stderr
    return done


def listed(tmp_path, sources, *more):
    file = tmp_path / "list"
    file.write_text("\n".join(["# five", *(str(sources / name) for name in FILES), *more]))
    return str(file)


def compared(folder, address, questions, killed=-1, host=()):
    """Return the questions with another answer than that of one process."""
    words = [str(folder), address, str(killed), *map(json.dumps, questions)]
    done = subprocess.run(
        [*host, *PYTHON, "-c", ASKER, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_list_is_indexed_once_and_answers_as_one_process_does(ask, sources, tmp_path, address):
    file = listed(tmp_path, sources)
    first = ask("index", file, "--shards", "2")
    # of seven different files none is extracted twice
    assert "5 repositories" in first.stdout
    assert "7 files extracted" in first.stdout
    again = ask("index", file)
    assert "; 0 files extracted" in again.stdout
    assert compared(tmp_path / "c", address, QUESTIONS) == []
    assert ask("up").stdout.startswith("2 shards")
    assert ask("status").stdout.count("process") == 2
    assert "retry_policy.py" in ask("search", "-k2", "retry policy").stdout
    found = ask("search", "-F", "-c", "def compute_delay").stdout
    assert found == "fork:retry_policy.py:1\nshop:retry_policy.py:1\n"
    assert ask("search", "-F", "no such text", ok=1).stdout == ""


def test_what_is_no_repository_is_a_line_and_the_rest_is_indexed(ask, sources, tmp_path):
    (tmp_path / "empty").mkdir()
    unborn = RepoBuilder(tmp_path / "unborn")
    site = str(sources / "site")
    more = [str(tmp_path / "empty"), str(unborn.path), f"{site}/../site", site, "/nowhere"]
    done = ask("index", listed(tmp_path, sources, *more), "--shards", "1")
    assert "5 repositories" in done.stdout
    assert "named more than once: 2" in done.stderr
    for said in ("empty", "unborn", "/nowhere"):
        assert said in done.stderr
    found = ask("search", "--json", "retry")
    assert len(json.loads(found.stdout)["unsearched"]) == 3
    assert "not searched" in ask("status").stderr


def test_a_new_commit_is_fetched_and_only_that_is_extracted(ask, sources, tmp_path, address):
    own = shutil.copytree(sources, tmp_path / "own", symlinks=True)
    file = listed(tmp_path, own)
    ask("index", file, "--shards", "2")
    shop = RepoBuilder.adopt(own / "shop")
    shop.write("brewing.py", "def brew_coffee():\n    return 'hot'\n")
    shop.commit("coffee")
    assert "; 1 files extracted" in ask("index", file).stdout
    assert "brewing.py" in ask("search", "brew coffee").stdout
    assert compared(tmp_path / "c", address, [["brew_coffee"], ["retry"]]) == []


def test_a_damaged_shard_and_one_without_disk_are_lines(ask, sources, tmp_path):
    file = listed(tmp_path, sources)
    ask("index", file, "--shards", "2")
    clones = tmp_path / "c" / "repositories"
    for view in (clones / "site").glob("search/views/*.view"):
        view.write_bytes(b"\0" * 64)
    shutil.rmtree(clones / "stats" / "objects")
    found = ask("search", "--json", "retry")
    document = json.loads(found.stdout)
    assert document["results"]
    assert any("stats" in one["folder"] for one in document["unsearched"])
    # the folder of another index is a file: nothing can be written there
    shutil.rmtree(clones / "vendor" / "search")
    (clones / "vendor" / "search").write_text("no folder")
    done = ask("index", file)
    assert "vendor" in done.stderr


def test_no_process_of_the_cluster_imports_from_the_current_folder(ask, sources, tmp_path):
    for name in ("gitsearch", "numpy", "duckdb", "pygit2", "tokenizers", "msgspec"):
        text = f"open({str(tmp_path / 'imported')!r}, 'a').write({name!r})\n"
        (tmp_path / f"{name}.py").write_text(text)
    ask("index", listed(tmp_path, sources), "--shards", "2")
    assert "retry_policy.py" in ask("search", "-k2", "retry policy").stdout
    assert not (tmp_path / "imported").exists()


def test_a_catalog_that_is_none_is_refused(ask, tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "catalog.json").write_text("[]")
    assert "is no catalog" in ask("search", "retry", ok=128).stderr
    (tmp_path / "c" / "catalog.json").write_text('{"version": 99}')
    assert "version 99" in ask("status", ok=128).stderr


def test_bad_words_are_refused(ask, tmp_path):
    assert "cannot be read" in ask("index", "nowhere", ok=129).stderr
    (tmp_path / "list").write_text("# nothing\n")
    assert "names no repository" in ask("index", "list", ok=128).stderr
    assert "--shards" in ask("index", "list", "--shards", "0", ok=129).stderr
    assert "only searches" in ask("search", "refs", "x", ok=129).stderr
    assert "takes no argument" in ask("up", "x", ok=129).stderr


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "127.0.0.1:x"])
def test_a_cluster_that_is_not_there_is_told_at_once(tmp_path, address):
    done = subprocess.run(
        [*PYTHON, "-m", "gitsearch.cluster", "--address", address, "status"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 128
    assert "no cluster answers" in done.stderr


def test_a_process_that_is_killed_loses_no_answer(ask, sources, tmp_path, address):
    ask("index", listed(tmp_path, sources), "--shards", "2")
    questions = [[f"retry {number}"] for number in range(40)]
    assert compared(tmp_path / "c", address, questions, killed=20) == []


def test_one_that_is_killed_between_lines_and_results_loses_none(ask, sources, tmp_path, address):
    ask("index", listed(tmp_path, sources), "--shards", "2")
    for killed in range(3):
        questions = [["-F", "return"], ["return $X"], ["-E", "-k3", "[r]eturn"]]
        assert compared(tmp_path / "c", address, questions, killed) == []


@pytest.fixture
def machines(isolation, monkeypatch):
    """Three hosts, each with a part of one cluster; the first one has no processor for it."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    try:
        with hosts(3) as made:
            for host in made:
                start_ray(host, made[0], folder)
            yield made
    except CannotBeMade as error:
        pytest.skip(f"no hosts can be made here: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def start_ray(host, head, folder):
    if host is head:
        part = ["--head", "--port=6379", "--num-cpus=0", "--include-dashboard=false"]
    else:
        part = [f"--address={head.address}:6379", "--num-cpus=1"]
    own = [f"--node-ip-address={host.address}", f"--temp-dir={folder}/{host.address}"]
    program = str(Path(sys.executable).with_name("ray"))
    subprocess.run(
        [*host.words, program, "start", *part, *own, "--disable-usage-stats"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def test_several_machines_answer_as_one_process_does_also_after_one_is_lost(
    machines, sources, tmp_path
):
    first, *others = machines
    address = f"{first.address}:6379"
    file = listed(tmp_path, sources)
    indexed = ran(address, tmp_path, "index", file, "--shards", "3", host=first.words)
    assert "5 repositories" in indexed.stdout
    folder = tmp_path / "c"
    assert compared(folder, address, QUESTIONS, host=first.words) == []
    for host in machines:
        assert any("Shard" in on for on in host.processes().values()), host.name
    others[0].kill()
    assert compared(folder, address, QUESTIONS, host=first.words) == []


def test_clones_that_are_lost_are_told_in_the_order_of_one_process(
    ask, sources, tmp_path, address
):
    ask("index", listed(tmp_path, sources), "--shards", "2")
    for name in ("vendor", "site", "fork"):
        objects = tmp_path / "c" / "repositories" / name / "objects"
        shutil.rmtree(objects)
        objects.mkdir()
    questions = [["retry"], ["-F", "return"], ["--mode", "structural", "return $X"]]
    assert compared(tmp_path / "c", address, questions) == []


def test_repositories_that_are_not_indexed_are_told_in_order(ask, tmp_path):
    for name in "cab":
        RepoBuilder(tmp_path / name)
    RepoBuilder(tmp_path / "one").having({"a.py": "x = 1\n"})
    (tmp_path / "list").write_text("c\none\na\nb\n")
    ask("index", "list", "--shards", "1")
    for words in (["x"], ["-F", "x = 1"]):
        document = json.loads(ask("search", "--json", *words).stdout)
        folders = [Path(one["folder"]).name for one in document["unsearched"]]
        assert folders == ["a", "b", "c"]


def test_a_catalog_that_is_gone_is_an_error_in_each_round(tmp_path):
    shard, request = Shard(str(tmp_path / "c"), 0), SearchRequest("x", mode="literal")
    rounds = (
        shard.open(request, None),
        shard.ask(request, None, "ranking", ()),
        shard.matches(request, "", None),
        shard.matches(request, "one", None),
        shard.made(request, []),
    )
    assert all(isinstance(answer, NoCluster) for answer in rounds)


def test_what_ray_prints_is_no_part_of_an_answer(tmp_path):
    program = """
import sys, threading
from gitsearch.cli.questions import Questions
from gitsearch.render.output import AnswerStream, write

def run(words, opener):
    prints = threading.Thread(target=print, args=("a worker died",))
    prints.start(); prints.join()
    write(["{}"])
    return 0

answer = Questions(run).answer(["x"])
sys.stdout = AnswerStream(sys.stdout.buffer)
print("it was started again")
write([answer.text])
"""
    done = subprocess.run(
        [*PYTHON, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "{}"
    assert done.stderr == "a worker died\nit was started again\n"
