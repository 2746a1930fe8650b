"""The Action from its first step to its last, on real pull requests."""

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builder import RepoBuilder
from tests.ci import pulls
from tests.ci.hub import Fault
from tests.ci.jobs import ACTION, Cache, Jobs
from tests.ci.pulls import proposed

PREFIX = "git-search-v"


@pytest.fixture(scope="module")
def template(tmp_path_factory, isolation):
    """Main, and a branch that takes a module away which is imported still."""
    repo = RepoBuilder(tmp_path_factory.mktemp("origin") / "origin")
    repo.write("shop/__init__.py", "")
    repo.write("shop/price.py", "def price(item):\n    return item.cost * 2\n")
    repo.write(
        "shop/order.py",
        "from shop.price import price\n\n\ndef total(items):\n    return sum(map(price, items))\n",
    )
    repo.write("shop/basket.py", "from shop.order import total\n\nTOTAL = total\n")
    repo.write("tests/test_order.py", "from shop.order import total\n\nassert total\n")
    for number in range(20):
        repo.write(f"lib/part{number}.py", f"def part_{number}():\n    return {number}\n")
    repo.commit("start")
    repo.branch("feature")
    repo.remove("shop/price.py")
    repo.replace("lib/part3.py", "return 3", "return 33")
    repo.commit("no prices any more")
    repo.checkout("main")
    repo.write("README", "words\n")
    repo.commit("main goes on")
    return repo


@pytest.fixture
def origin(template, tmp_path):
    path = tmp_path / "origin"
    shutil.copytree(template.path, path, symlinks=True)
    return RepoBuilder.adopt(path, template.clock)


@pytest.fixture
def jobs(installed, hub, tmp_path):
    (tmp_path / "cache").mkdir()
    return Jobs(installed, hub, Cache(tmp_path / "cache"), tmp_path)


def ours(outcome):
    """Every command that the runner obeyed is one of ours."""
    return all(line.startswith(("::notice::", "::warning")) for line in outcome.commands)


def test_a_pull_request_gets_a_comment_and_a_summary(origin, jobs, hub):
    found = jobs.pull(proposed(origin))
    assert found.ran == ["install", "plan", "restore", "run", "picture", "link", "comment"]
    assert not found.failed
    assert not found.troubled, found.log
    (body,) = hub.bodies(7)
    assert "shop/order.py:1" in body
    assert "shop/price.py" in body
    assert "`main`" in body
    assert "`feature`" in body
    report, _, link = found.summary.strip().rpartition("\n")
    assert report.strip() in body
    assert link.endswith("(https://github.example/artifacts/git-search-impact-default)")
    picture = jobs.artifacts["git-search-impact-default"]
    assert picture.startswith("<!DOCTYPE html>")
    assert "shop/order.py" in picture
    assert found.outputs["comment-url"].endswith("#issuecomment-1")
    report = json.loads(Path(found.outputs["report"]).read_bytes())
    assert [one["path"] for one in report["changes"]] == ["lib/part3.py", "shop/price.py"]
    assert report["dangling"][0]["path"] == "shop/order.py"
    assert json.loads(found.outputs["changed-symbols"]) == ["shop/price.py:price"]
    assert ours(found)


@pytest.mark.long
def test_the_index_of_main_is_saved_once_and_read_by_a_pull_request(origin, jobs):
    first = jobs.push(origin)
    assert first.ran == ["install", "plan", "restore", "run", "save"]
    assert len(jobs.cache.saved) == 1
    kept = {file.suffix.rstrip("0123456789") for file in jobs.cache.folder.rglob("*")}
    assert {".view", ".duckdb", ".graph", ".shape"} <= kept
    again = jobs.push(origin)
    assert again.ran == ["install", "plan", "restore", "run"]
    found = jobs.pull(proposed(origin))
    assert "save" not in found.ran
    assert len(jobs.cache.saved) == 1
    assert found.steps["plan"]["prefix"] == first.steps["plan"]["prefix"]
    assert first.steps["plan"]["key"].startswith(f"{PREFIX}")


def test_nothing_is_parsed_but_what_a_pull_request_changed(origin, jobs, installed, tmp_path):
    jobs.push(origin)
    origin.checkout("feature")
    origin.replace("lib/part4.py", "return 4", "return 44")
    origin.write("lib/more.py", "from lib.part4 import part_4\n")
    origin.commit()
    origin.checkout("main")
    pull = proposed(origin)
    clone = pulls.checked_out(origin, tmp_path / "clone", pull.merge)
    shutil.copytree(jobs.cache.folder / jobs.cache.saved[0], clone.path / ".git/search")
    done = installed.run(
        "ci", "run", "--trace=json", cwd=clone.path, env=pulls.environment(pull, tmp_path)
    )
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("{")]
    # two changed, one new, one gone
    assert json.loads(line)["counts"]["files parsed"] == 3
    assert "shop/order.py:1" in done.stdout


@pytest.mark.long
def test_the_report_is_the_same_with_a_cache_and_without(origin, jobs, hub):
    pull = proposed(origin)
    without = jobs.pull(pull)
    one = Path(without.outputs["report"]).read_bytes()
    jobs.push(origin)
    with_cache = jobs.pull(pull)
    assert Path(with_cache.outputs["report"]).read_bytes() == one
    assert [method for method, _ in hub.calls if method != "GET"] == ["POST"]


@pytest.mark.long
def test_the_second_push_edits_the_comment(origin, jobs, hub):
    jobs.pull(proposed(origin))
    origin.checkout("feature")
    origin.replace("shop/order.py", "from shop.price import price", "price = float")
    origin.commit("mended")
    origin.checkout("main")
    jobs.pull(proposed(origin))
    (body,) = hub.bodies(7)
    assert "shop/order.py:1" not in body


@pytest.mark.long
def test_two_workflows_comment_for_a_fork(origin, jobs, hub, tmp_path):
    pull = dataclasses.replace(proposed(origin), fork="octocat")
    hub.writable = False
    first = jobs.pull(pull, mode="report")
    assert first.ran == ["install", "plan", "restore", "run", "picture", "link"]
    assert hub.bodies(7) == []
    hub.writable = True
    hub.open_pull(7, pull.head, fork=pull.fork)
    empty = tmp_path / "no-checkout"
    empty.mkdir()
    event = pulls.environment(pull, tmp_path, "workflow_run")
    second = jobs.run(empty, event, inputs={"report": first.outputs["report"]})
    assert second.ran == ["install", "plan", "comment"]
    assert not second.troubled, second.log
    (body,) = hub.bodies(7)
    assert "shop/order.py:1" in body
    assert "runs/815" in body


@pytest.mark.long
def test_a_token_without_rights_is_no_failure(origin, jobs, hub):
    hub.writable = False
    found = jobs.pull(proposed(origin))
    assert not found.failed
    assert not found.troubled
    assert "the token has no permission to comment" in found.summary
    assert "shop/order.py:1" in found.summary


@pytest.mark.parametrize("headers", [{"Retry-After": "0"}])
@pytest.mark.parametrize("status", [429, pytest.param(500, marks=pytest.mark.long)])
def test_a_github_that_does_not_answer_is_no_failure(origin, jobs, hub, status, headers):
    hub.faults += [Fault(method, status, headers, times=99) for method in ("GET", "POST")]
    found = jobs.pull(proposed(origin))
    assert not found.troubled, found.log
    assert hub.bodies(7) == []
    assert "could not comment" in found.summary


def test_a_change_without_an_effect_is_silent(origin, jobs, hub):
    origin.branch("words", "main")
    origin.write("README", "other words\n")
    origin.commit("words")
    found = jobs.pull(proposed(origin, "words"))
    assert hub.bodies(7) == []
    assert "nothing to report" in found.summary
    assert found.outputs["comment-url"] == ""


def test_without_a_python_that_will_do_the_first_step_says_so(tmp_path, isolation):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "dirname", "env"):
        (programs / name).symlink_to(shutil.which(name) or "")
    old = programs / "python3"
    old.write_text("#!/bin/bash\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        [ACTION / "install"],
        env={"PATH": str(programs), "RUNNER_TEMP": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.startswith("::error::git search needs Python 3.11")
