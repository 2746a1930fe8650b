"""`git search serve`: real requests to a real server, and the page in a browser."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from gitsearch.cli.application import run
from tests import conftest
from tests.builder import RepoBuilder
from tests.sample import RETRY, SESSION
from tests.unit.commands.asked import indexed, warm_parsers

FILES = {
    "shop": {"retry_policy.py": RETRY.render("python"), "use.py": "import retry_policy\n"},
    "site": {
        "web/session.ts": SESSION.render("typescript"),
        "bad.py": "def evil():\n    '''<img src=x onerror=alert(1)><script>alert(2)</script>'''\n",
    },
}


@pytest.fixture(scope="module")
def folder(isolation, tmp_path_factory):
    """Two indexed repositories."""
    made = tmp_path_factory.mktemp("served")
    for name, files in FILES.items():
        indexed(RepoBuilder(made / name).having(files))
    RepoBuilder.adopt(made / "shop").git(
        "remote", "add", "origin", "https://user:secret@github.com/acme/shop.git"
    )
    del isolation
    warm_parsers()
    return made


def started(folder, *words, stderr=None):
    """A server, and how it is asked: a function that returns the answer."""
    command = [sys.executable, "-P", "-m", "gitsearch", "serve", "--in", ".", *words]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True
    )
    assert process.stdout is not None
    address, _, token = process.stdout.readline().strip().partition("#token=")
    address = address.replace("0.0.0.0", "127.0.0.1")
    port = int(address.rstrip("/").rpartition(":")[2])
    conftest.OWN_SERVERS.add(("127.0.0.1", port))

    def ask(path, method="GET", **headers):
        own = {"Authorization": f"Bearer {token}"} if token else {}
        asked = urllib.request.Request(address + path, headers=own | headers, method=method)
        try:
            answer = urllib.request.urlopen(asked, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return SimpleNamespace(
                status=answer.status, headers=answer.headers, text=answer.read().decode()
            )

    return SimpleNamespace(process=process, address=address, token=token, ask=ask)


@pytest.fixture(scope="module")
def server(folder):
    made = started(folder, "--listen", "127.0.0.1:0")
    yield made
    made.process.kill()
    made.process.communicate()


def asked(server, kind, **parameters):
    answer = server.ask(f"api/{kind}?{urlencode(parameters)}")
    return answer.status, json.loads(answer.text)


def test_a_search_has_what_the_command_has(server, folder, monkeypatch, capsys):
    status, document = asked(server, "search", q="compute the delay", k=3)
    assert status == 200
    monkeypatch.chdir(folder)
    words = ("--in", ".", "--at=HEAD", "-k3", "--json", "--max-lines=12", "compute the delay")
    assert run(words) == 0
    own = json.loads(capsys.readouterr().out)
    for one, right in zip(document["results"], own["results"], strict=True):
        assert "".join(text for _, text in one.pop("pieces")) == one["text"]
        url = one.pop("url")
        assert one == right
        assert (
            url is None
            if one["repository"] == "site"
            else url.startswith(
                f"https://github.com/acme/shop/blob/{own['repositories'][0]['tree']['commit']}/"
            )
        )
    assert "secret" not in json.dumps(document)


def test_filters_and_pages(server):
    _, first = asked(server, "search", q="session", repository="site", k=1)
    assert [one["repository"] for one in first["results"]] == ["site"]
    _, second = asked(
        server, "search", q="session", repository="site", k=1, **{"continue": first["next"]}
    )
    assert second["results"][0]["rank"] == 2
    _, typed = asked(server, "search", q="session", type="python")
    assert {one["language"] for one in typed["results"]} <= {"python"}


def test_history_impact_and_repositories(server):
    _, listed = asked(server, "repositories")
    assert [one["name"] for one in listed["repositories"]] == ["shop", "site"]
    assert "python" in listed["languages"]
    status, found = asked(server, "history", q="change")
    assert status == 200
    assert {one["repository"] for one in found["results"]} == {"shop", "site"}
    assert found["commit"] is None
    _, impact = asked(server, "impact", repository="shop", path="retry_policy.py")
    assert [one["path"] for one in impact["dependents"]] == ["use.py"]


def test_what_is_edited_is_found_if_asked_for(server, folder):
    new = folder / "site" / "new.py"
    new.write_text("def zebra_crossing():\n    return 1\n")
    RepoBuilder.adopt(folder / "site").git("add", "-N", "new.py")
    try:
        assert asked(server, "search", q="zebra_crossing")[1]["results"] == []
        _, edited = asked(server, "search", q="zebra_crossing", edited=1)
        assert edited["results"][0]["path"] == "new.py"
    finally:
        RepoBuilder.adopt(folder / "site").git("reset", "-q")
        new.unlink()


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("search", {}),
        ("search", {"q": "x", "k": "0"}),
        ("search", {"q": "x", "k": "1000"}),
        ("search", {"q": "x" * 5000}),
        ("search", {"q": "a\0b"}),
        ("search", {"q": "x", "repository": "../.."}),
        ("search", {"q": "x", "type": "no language"}),
        ("search", {"q": "x", "continue": "no token"}),
        ("search", {"q": "x", "limit": "3"}),
        ("history", {}),
        ("impact", {"repository": "shop", "path": "--at=HEAD"}),
        ("impact", {"repository": "shop", "path": "../site/bad.py"}),
        ("impact", {"repository": "shop", "path": "use.py", "line": "x"}),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(server, kind, parameters):
    status, document = asked(server, kind, **parameters)
    assert status == 400
    assert document["error"]["message"]
    assert "\n" not in document["error"]["message"]


def test_a_query_that_looks_like_an_option_is_none(server):
    for query in ("--help", "-k3 --json", "--in=/"):
        for kind in ("search", "history"):
            status, document = asked(server, kind, q=query)
            assert status == 200, document
            assert isinstance(document["results"], list)


def test_a_repository_that_is_gone_leaves_the_others(server, folder):
    assert asked(server, "repositories")[0] == 200
    (folder / "shop").rename(folder / "moved")
    try:
        status, document = asked(server, "impact", repository="shop", path="use.py")
        assert (status, document["error"]["code"]) == (400, "not-a-repository")
        said = document["error"]["message"]
        assert said == "'shop' cannot be searched: there is no such folder"
        assert asked(server, "search", q="session", repository="site")[0] == 200
    finally:
        (folder / "moved").rename(folder / "shop")
    assert asked(server, "impact", repository="shop", path="use.py")[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:80"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_other_sites_get_nothing(server, headers, status):
    answer = server.ask("api/repositories", **headers)
    assert answer.status == status
    assert not any(name.lower().startswith("access-control") for name in answer.headers)
    if status != 200:
        assert "shop" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(server, method):
    assert server.ask("api/repositories", method=method).status == 405


def test_each_answer_forbids_what_the_page_does_not_need(server):
    for path in ("", "page.js", "page.css", "api/repositories", "nowhere", "../etc/passwd"):
        answer = server.ask(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert server.ask("nowhere").status == 404
    page = server.ask("").text
    assert "style=" not in page
    assert "onclick" not in page


def test_another_address_takes_a_token(folder):
    made = started(folder, "--listen", "0.0.0.0:0")
    try:
        assert len(made.token) > 20
        assert made.ask("api/repositories").status == 200
        assert made.ask("api/repositories", Authorization="").status == 401
        assert made.ask("api/repositories", Authorization="Bearer x").status == 401
        assert made.ask("api/repositories", Authorization=f"Basic {made.token}").status == 401
        assert made.ask("api/repositories", Authorization=f"bearer {made.token}").status == 200
        assert made.ask("api/search?q=a&q=b").status == 400
        # the page itself has nothing of the repositories
        assert made.ask("", Authorization="").status == 200
        made.process.send_signal(signal.SIGINT)
        assert made.process.wait(60) == 130
    finally:
        made.process.kill()
        made.process.communicate()


def test_a_question_that_is_given_up_leaves_no_word(folder):
    made = started(folder, "--listen", "127.0.0.1:0", stderr=subprocess.PIPE)
    host, _, port = made.address.removeprefix("http://").rstrip("/").rpartition(":")
    try:
        for number in range(30):
            with socket.create_connection((host, int(port))) as given_up:
                path = f"/api/search?q=retry+policy+{number}"
                given_up.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
                time.sleep(0.001 * number)
        assert asked(made, "search", q="retry policy")[1]["results"]
        made.process.send_signal(signal.SIGINT)
        assert made.process.communicate(timeout=60) == ("", "")
    finally:
        made.process.kill()
        made.process.communicate()


@pytest.mark.parametrize("listen", ["nowhere", "1.2.3", "127.0.0.1:70000", "x:80", ""])
def test_an_address_that_is_none_is_refused(folder, monkeypatch, capsys, listen):
    monkeypatch.chdir(folder)
    assert run(("serve", "--in", ".", f"--listen={listen}")) == 129
    assert capsys.readouterr().err.count("\n") == 1


def test_a_port_that_is_taken_is_refused(server, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    port = server.address.rstrip("/").rpartition(":")[2]
    assert run(("serve", "--in", ".", "--listen", port)) == 128
    assert "cannot listen at 127.0.0.1" in capsys.readouterr().err
    assert run(("serve", "--in", "nothing", "--listen", "0")) == 128
    assert run(("serve", "--in", "", "--listen", "0")) == 129


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_page_in_a_browser(server, tmp_path):
    page = f"{server.address}#{urlencode({'q': 'evil'})}"
    done = subprocess.run(
        [
            *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu"),
            *(f"--user-data-dir={tmp_path}", "--virtual-time-budget=8000", "--dump-dom", page),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert "site:bad.py:1-2" in done.stdout
    assert '<span class="k">def</span>' in done.stdout
    # what a repository says is text
    assert "&lt;script&gt;alert(2)" in done.stdout
    assert "<img" not in done.stdout
    assert done.stdout.count("<script") == 1
