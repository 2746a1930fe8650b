"""A GitHub of our own, on this machine: its answers and what it is asked fit the description.

The description is GitHub's (see cut_description). What it does not say is here by hand, from
GitHub's manual: who may do what, how long a text may be, pages, limits, headers. Whatever does not
fit is kept in `problems`, and a fixture lets no test pass over it.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from werkzeug.datastructures import Headers, ImmutableMultiDict

from tests import conftest
from tests.ci.cut_description import CUT

DESCRIPTION = json.loads(gzip.decompress(CUT.read_bytes()))
# How GitHub Enterprise Server has it.
PREFIX = "/api/v3"
TOKEN = "token-of-the-job"
JOBS = "github-actions[bot]"
LONGEST = 65_536
NOW = "Sun, 01 Mar 2026 12:00:00 GMT"
NOW_SECONDS = 1_772_366_400
VERSIONS = {"2022-11-28", "2026-03-10"}
USER = "private-user-response-with-public-profile-information"
MANUAL = "https://docs.github.com/rest"


@dataclass
class Asked:
    """A request, as the description is asked about it."""

    host_url: str
    path: str
    method: str
    parameters: RequestParameters
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Told:
    """An answer."""

    status_code: int
    data: bytes
    headers: Headers
    content_type: str = "application/json; charset=utf-8"


@dataclass
class Fault:
    """What goes wrong `times` times with requests of a method: a status, or no answer at all.

    done: what was asked for is done all the same.
    """

    method: str
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Server Error"
    times: int = 1
    done: bool = False
    silent: bool = False


@dataclass
class Hub:
    """The state of one repository, and what was asked of it."""

    repository: str = "octo-org/depot"
    writable: bool = True
    author: str = JOBS
    author_type: str = "Bot"
    page: int = 100
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    url: str = ""
    more: bool = False

    # ------------------------------------------------------------ what is there

    def open_pull(
        self, number: int, sha: str, branch: str = "feature", fork: str = "", base: str = "main"
    ) -> None:
        """Open a pull request, from a fork of that owner or from a branch of the repository."""
        owner, name = self.repository.split("/")
        pull = example("pull-request")
        # the example's team lacks a field that the description asks for
        pull |= {"number": number, "state": "open", "requested_teams": []}
        pull["head"] |= {"sha": sha, "ref": branch, "label": f"{fork or owner}:{branch}"}
        pull["head"]["repo"] |= {"full_name": f"{fork or owner}/{name}", "name": name}
        pull["head"]["repo"]["owner"]["login"] = fork or owner
        pull["base"]["ref"] = base
        pull["base"]["repo"]["full_name"] = self.repository
        self.pulls[number] = pull
        self.comments.setdefault(number, [])

    def comment(self, number: int, body: str, login: str, kind: str = "User") -> dict[str, Any]:
        """Have somebody comment."""
        found: dict[str, Any] = example("issue-comment")
        found["id"] = sum(map(len, self.comments.values())) + 1
        found["body"] = body
        found["user"] |= {"login": login, "type": kind}
        page = f"https://github.com/{self.repository}/pull/{number}"
        found["html_url"] = f"{page}#issuecomment-{found['id']}"
        self.comments[number].append(found)
        return found

    def bodies(self, number: int, login: str = JOBS) -> list[str]:
        """What an account has written on a pull request."""
        return [one["body"] for one in self.comments[number] if one["user"]["login"] == login]

    # ------------------------------------------------------------ what is asked

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """The status and the document for a request that fits the description."""
        here = f"/repos/{self.repository}"
        if path == "/user":
            return self._user()
        if not path.startswith(here + "/"):
            return 404, problem("Not Found")
        rest = path.removeprefix(here)
        if rest == "/pulls":
            return 200, self._page(self._pulls_from(query), query)
        if found := re.fullmatch(r"/pulls/(\d+)", rest):
            pull = self.pulls.get(int(found[1]))
            return (200, pull) if pull else (404, problem("Not Found"))
        if method == "GET":
            return 200, self._page(self.comments[number_in(rest)], query)
        if not self.writable:
            return 403, problem("Resource not accessible by integration")
        if len(body["body"]) > LONGEST:
            return 422, too_long()
        number = number_in(rest)
        if method == "POST":
            return 201, self.comment(number, body["body"], self.author, self.author_type)
        every = (one for several in self.comments.values() for one in several)
        (mine,) = (one for one in every if one["id"] == number)
        mine["body"] = body["body"]
        return 200, mine

    def _user(self) -> tuple[int, Any]:
        if self.author_type == "Bot":
            return 403, problem("Resource not accessible by integration")
        return 200, example(USER) | {"login": self.author, "user_view_type": "public"}

    def _pulls_from(self, query: dict[str, str]) -> list[Any]:
        return [
            simple(pull)
            for pull in self.pulls.values()
            if pull["state"] == query.get("state", "open")
            and query.get("head") in (None, pull["head"]["label"])
        ]

    def _page(self, items: list[Any], query: dict[str, str]) -> list[Any]:
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        size = min(size, self.page)
        self.more = page * size < len(items)
        return items[(page - 1) * size : page * size]

    def fault(self, method: str) -> Fault | None:
        """What goes wrong with this request."""
        for fault in self.faults:
            if fault.method == method and fault.times:
                fault.times -= 1
                return fault
        return None


# ---------------------------------------------------------------- documents


def example(name: str) -> Any:
    """An example of the description, to be changed."""
    return copy.deepcopy(DESCRIPTION["components"]["examples"][name]["value"])


def simple(pull: Any) -> Any:
    """A pull request as it stands in a list."""
    (found,) = example("pull-request-simple-items")
    for end in ("head", "base"):
        found[end] |= {name: pull[end][name] for name in ("sha", "ref", "label")}
        found[end]["repo"]["full_name"] = pull[end]["repo"]["full_name"]
        found[end]["repo"]["owner"]["login"] = pull[end]["repo"]["owner"]["login"]
    return found | {name: pull[name] for name in ("number", "state", "requested_teams")}


def number_in(path: str) -> int:
    """The one number among the parts of a path."""
    (number,) = filter(str.isdecimal, path.split("/"))
    return int(number)


def problem(message: str) -> Any:
    """A refusal."""
    return {"message": message, "documentation_url": MANUAL}


def too_long() -> Any:
    """What GitHub says of a comment that is too long."""
    told = {
        "resource": "IssueComment",
        "code": "unprocessable",
        "field": "data",
        "message": "Body is too long (maximum is 65536 characters)",
    }
    return {**problem("Validation Failed"), "errors": [told]}


# ---------------------------------------------------------------- the server


@cache
def described() -> OpenAPI:
    """The description, of a server of any name."""
    return OpenAPI.from_dict({**DESCRIPTION, "servers": [{"url": PREFIX}]})


def missing_headers(headers: Headers) -> list[str]:
    """What GitHub asks for in each request, beyond its description."""
    wanted = {
        "Authorization": headers.get("Authorization") == f"Bearer {TOKEN}",
        "Accept": headers.get("Accept") == "application/vnd.github+json",
        "User-Agent": headers.get("User-Agent", "").startswith("git-search/"),
        "X-GitHub-Api-Version": headers.get("X-GitHub-Api-Version") in VERSIONS,
    }
    return [name for name, fits in wanted.items() if not fits]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""

    def _answer(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = Headers(list(self.headers.items()))
        self.hub.calls.append((self.command, address.path.removeprefix(PREFIX)))
        parameters = RequestParameters(
            query=ImmutableMultiDict(query), header=headers, cookie=ImmutableMultiDict()
        )
        asked = Asked(
            f"http://{self.headers['Host']}",
            address.path,
            self.command.lower(),
            parameters,
            headers.get("Content-Type", ""),
            data,
        )
        found = [f"{self.command} {self.path}: no {name}" for name in missing_headers(headers)]
        try:
            described().validate_request(asked)
        except OpenAPIError as error:
            found.append(f"{self.command} {self.path}: {error!r} {error.__cause__!r}")
        self.hub.problems += found
        if found:
            self._send(599, problem("; ".join(found)), {})
            return
        path = address.path.removeprefix(PREFIX)
        self._decide(asked, path, query, json.loads(data) if data else None)

    def _decide(self, asked: Asked, path: str, query: dict[str, str], body: Any) -> None:
        self.hub.more = False
        fault = self.hub.fault(self.command)
        if fault is None or fault.done:
            status, document = self.hub.answer(self.command, path, query, body)
        if fault is not None:
            if fault.silent:
                self.close_connection = True
                return
            self._send(fault.status, problem(fault.message), fault.headers)
            return
        headers = {"X-RateLimit-Remaining": "999", "Date": NOW}
        if self.hub.more:
            page = int(query.get("page", 1)) + 1
            headers["Link"] = f'<{self.hub.url}{path}?page={page}>; rel="next"'
        self._check(asked, Told(status, json.dumps(document).encode(), Headers(headers)))
        self._send(status, document, headers)

    def _check(self, asked: Asked, told: Told) -> None:
        operation = DESCRIPTION["paths"]
        templates = [p for p in operation if _fits(p, asked.path.removeprefix(PREFIX))]
        known = operation[templates[0]][asked.method]["responses"] if templates else {}
        if str(told.status_code) not in known:
            return  # one of those that the description leaves out
        try:
            described().validate_response(asked, told)
        except OpenAPIError as error:
            self.hub.problems.append(f"answer of {asked.path}: {error!r} {error.__cause__!r}")

    def _send(self, status: int, document: Any, headers: dict[str, str]) -> None:
        data = json.dumps(document).encode()
        self.send_response_only(status)
        for name, value in {"Date": NOW, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _fits(template: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path) is not None


@contextmanager
def serving(hub: Hub) -> Any:
    """Answer requests until the end of the block; `hub.url` says where."""
    handler = type("Handler", (Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    host, port = str(server.server_address[0]), server.server_port
    hub.url = f"http://{host}:{port}{PREFIX}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    conftest.OWN_SERVERS.add((host, port))
    try:
        yield hub
    finally:
        conftest.OWN_SERVERS.discard((host, port))
        server.shutdown()
        thread.join()
        server.server_close()
