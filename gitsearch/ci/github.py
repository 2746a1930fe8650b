"""The requests to GitHub's REST API that a comment needs; the only use of urllib3.

One request at a time, as GitHub asks of its clients: a rate-limited one is repeated when GitHub
says so, one that failed on its side after a pause that doubles each time. All pauses together are
bounded. A request that failed may have been carried out: a comment is created again only after a
look for it.
"""

from __future__ import annotations

import re
import secrets
import time
from email.utils import mktime_tz, parsedate_tz
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from urllib.request import getproxies, proxy_bypass

import msgspec
import urllib3

from gitsearch import __version__
from gitsearch.ci.runner import Owner, Pull, decoded
from gitsearch.errors import Refused, SearchError, Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitsearch.ci.runner import Run

# https://docs.github.com/rest/about-the-rest-api/api-versions
_VERSION = "2022-11-28"
_TRIES = 4
_PER_PAGE = 100
_MAX_PAGES = 100
# Seconds of one request, and of all pauses of a run: beyond, the summary has to do.
_TIMEOUT = 30.0
_MAX_WAIT = 180.0
# A limit of unknown length: GitHub asks for a minute, and twice as long each time.
_UNKNOWN_LIMIT = 60.0
_PAUSE = 1.0
# The token lacks a permission; GitHub also hides what a token may not read.
FORBIDDEN = frozenset({401, 403, 404})
_TOO_MANY_REQUESTS = 429
_RATE_LIMITED = frozenset({403, _TOO_MANY_REQUESTS})
_SERVER_ERROR = 500
_SUCCESS = range(200, 300)
_REDIRECTS = 3
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class Comment(msgspec.Struct, frozen=True):
    """A comment on a pull request; the account of its author may be deleted."""

    id: int
    html_url: str
    body: str = ""
    user: Author | None = None


class Author(msgspec.Struct, frozen=True):
    """The author of a comment; the type is User, Bot or Organization."""

    login: str
    type: str


class _Detail(msgspec.Struct):
    message: str = ""


class _Problem(msgspec.Struct):
    message: str = ""
    errors: list[_Detail | str] = []

    def __str__(self) -> str:
        details = [error if isinstance(error, str) else error.message for error in self.errors]
        return ": ".join(filter(None, [self.message, *details]))


class _MaybeDone(Unanswered):
    """A POST request has failed, and may have been carried out all the same."""

    def __init__(self, message: str, response: urllib3.BaseHTTPResponse | None) -> None:
        super().__init__(message)
        self.response = response


class GitHub:
    """The API of one repository, with one token."""

    def __init__(self, run: Run, sleep: Callable[[float], None] = time.sleep) -> None:
        if not _REPOSITORY.fullmatch(run.repository):
            raise SearchError(f"GITHUB_REPOSITORY: '{run.repository}' is not owner/name")
        if not run.token:
            raise SearchError("no token was given", "set GITHUB_TOKEN")
        self._api = run.api
        self._repository = f"{run.api}/repos/{run.repository}"
        self._headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {run.token}",
            "User-Agent": f"git-search/{__version__}",
            "X-GitHub-Api-Version": _VERSION,
        }
        self._sleep = sleep
        self._remaining_wait = _MAX_WAIT
        self._pool = _pool(run.api)

    def login(self) -> str | None:
        """Return the account of the token; None for the token of an app."""
        try:
            return decoded(self._request("GET", f"{self._api}/user").data, Owner, "user").login
        except Refused as error:
            if error.status in FORBIDDEN:
                return None
            raise

    def pull(self, number: int) -> Pull:
        """Return a pull request."""
        response = self._request("GET", f"{self._repository}/pulls/{number}")
        return decoded(response.data, Pull, "pull request")

    def pulls_from(self, owner: str, branch: str) -> list[Pull]:
        """Return the open pull requests of a branch, which may be one of a fork."""
        query = {"state": "open", "head": f"{owner}:{branch}"}
        pages = self._pages(f"{self._repository}/pulls", query)
        return [pull for data in pages for pull in decoded(data, list[Pull], "pull requests")]

    def comments(self, number: int) -> list[Comment]:
        """Return all comments on a pull request, the oldest first."""
        pages = self._pages(f"{self._repository}/issues/{number}/comments", {})
        return [each for data in pages for each in decoded(data, list[Comment], "comments")]

    def create(self, number: int, body: str, find: Callable[[], Comment | None]) -> Comment:
        """Create a comment and return it; after Unanswered it is unknown whether it exists.

        find: looks for the comment; called before a request that failed is repeated.
        """
        url = f"{self._repository}/issues/{number}/comments"
        for count in range(_TRIES):
            try:
                return decoded(self._request("POST", url, {"body": body}).data, Comment, "comment")
            except _MaybeDone as error:
                failure = error
            if count + 1 == _TRIES or not self._wait(_delay(failure.response, _pause(count))):
                break
            if (comment := find()) is not None:
                return comment
        raise failure

    def edit(self, comment: int, body: str) -> Comment:
        """Replace the text of a comment, and return it."""
        url = f"{self._repository}/issues/comments/{comment}"
        return decoded(self._request("PATCH", url, {"body": body}).data, Comment, "comment")

    def _pages(self, url: str, query: dict[str, str]) -> Iterator[bytes]:
        for page in range(1, _MAX_PAGES + 1):
            words = urlencode({**query, "per_page": str(_PER_PAGE), "page": str(page)})
            response = self._request("GET", f"{url}?{words}")
            yield response.data
            if 'rel="next"' not in response.headers.get("Link", ""):
                return

    def _request(
        self, method: str, url: str, body: dict[str, str] | None = None
    ) -> urllib3.BaseHTTPResponse:
        """Return a successful response; raises Refused, or Unanswered when the wait is over."""
        problem = ""
        for count in range(_TRIES):
            response, problem = self._request_once(method, url, body)
            if response is None or response.status >= _SERVER_ERROR:
                if method == "POST":
                    raise _MaybeDone(problem, response)
                delay = _delay(response, _pause(count))
            elif _is_rate_limited(response):
                delay = _delay(response, _UNKNOWN_LIMIT * 2**count)
            elif response.status in _SUCCESS:
                return response
            else:
                raise Refused(response.status, problem)
            if count + 1 == _TRIES or not self._wait(delay):
                break
        raise Unanswered(problem)

    def _request_once(
        self, method: str, url: str, body: dict[str, str] | None
    ) -> tuple[urllib3.BaseHTTPResponse | None, str]:
        """Return the response, None if there is none, and the error message of GitHub."""
        # urllib3 follows redirects only; the caller decides when to try again
        retries = urllib3.Retry(
            _REDIRECTS, connect=0, read=0, status=0, other=0, respect_retry_after_header=False
        )
        try:
            response = self._pool.request(
                method, url, headers=self._headers, retries=retries, json=body
            )
        except urllib3.exceptions.HTTPError as error:
            return None, f"GitHub cannot be reached: {error}"
        try:
            message = str(msgspec.json.decode(response.data, type=_Problem))
        except (msgspec.MsgspecError, UnicodeError):
            message = response.reason or ""
        return response, message or str(response.status)

    def _wait(self, seconds: float) -> bool:
        """Wait and return True, unless all pauses together would be too long."""
        if seconds > self._remaining_wait:
            return False
        self._remaining_wait -= seconds
        self._sleep(seconds)
        return True


def _pause(count: int) -> float:
    return _PAUSE * float(2**count) * (1 + secrets.randbelow(1000) / 1000)


def _pool(api: str) -> urllib3.PoolManager:
    scheme, _, rest = api.partition("://")
    proxy = getproxies().get(scheme)
    if proxy and not proxy_bypass(rest.partition("/")[0]):
        return urllib3.ProxyManager(proxy, timeout=_TIMEOUT)
    return urllib3.PoolManager(timeout=_TIMEOUT)


def _is_rate_limited(response: urllib3.BaseHTTPResponse) -> bool:
    if response.status not in _RATE_LIMITED:
        return False
    exhausted = response.headers.get("X-RateLimit-Remaining") == "0"
    return response.status == _TOO_MANY_REQUESTS or exhausted or "Retry-After" in response.headers


def _delay(response: urllib3.BaseHTTPResponse | None, otherwise: float) -> float:
    headers = response.headers if response is not None else {}
    after = headers.get("Retry-After", "")
    if after.isdecimal():
        return float(after)
    if headers.get("X-RateLimit-Remaining") == "0":
        reset = headers.get("X-RateLimit-Reset", "")
        now = parsedate_tz(headers.get("Date", "0"))
        if reset.isdecimal() and now is not None:
            return max(0.0, float(reset) - mktime_tz(now))
    return otherwise
