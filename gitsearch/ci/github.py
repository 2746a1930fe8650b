"""The few calls of GitHub's REST API that a comment takes; the only use of urllib3.

One at a time and patient, as GitHub asks of its clients: what is limited is tried again when
GitHub says so, what failed on its side a moment later, and each time after a longer one. All
pauses together have a bound. A call that failed may have been carried out: making a comment is
repeated only after a look for it.
"""

from __future__ import annotations

import re
import secrets
import time
from email.utils import mktime_tz, parsedate_tz
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode
from urllib.request import getproxies, proxy_bypass

import msgspec
import urllib3

from gitsearch import __version__
from gitsearch.ci.event import Owner, Pull, decoded
from gitsearch.errors import Refused, SearchError, Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitsearch.ci.event import Run

# https://docs.github.com/rest/about-the-rest-api/api-versions
_VERSION = "2022-11-28"
_TRIES = 4
_PAGE = 100
_PAGES = 100
# Seconds of one call, and all that a run waits: beyond, the summary has to do.
_TIMEOUT = 30.0
_PATIENCE = 180.0
# A limit without a word on its end: GitHub asks for a minute, and twice as long each time.
_BLIND = 60.0
_PAUSE = 1.0
# What a token may not do; GitHub also hides what a token may not see.
FORBIDDEN = frozenset({401, 403, 404})
_LIMITED = frozenset({403, 429})
_OURS_FAILED = 500
_FINE = range(200, 300)
_REDIRECTS = 3
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_NO_DATE = "0"


class Comment(msgspec.Struct, frozen=True):
    """A comment on a pull request; the account of its author may be gone."""

    id: int
    html_url: str
    body: str = ""
    user: Author | None = None


class Author(msgspec.Struct, frozen=True):
    """Who wrote a comment; the type is User, Bot or Organization."""

    login: str
    type: str


class _Detail(msgspec.Struct):
    message: str = ""


class _Problem(msgspec.Struct):
    message: str = ""
    errors: list[_Detail | str] = []

    def __str__(self) -> str:
        said = [one if isinstance(one, str) else one.message for one in self.errors]
        return ": ".join(filter(None, [self.message, *said]))


class _Answer(NamedTuple):
    data: bytes
    more: bool


class _Undecided(Unanswered):
    """A call that changes something has failed, and may have been carried out all the same."""

    def __init__(self, message: str, answer: urllib3.BaseHTTPResponse | None) -> None:
        super().__init__(message)
        self.answer = answer


class GitHub:
    """The API as one token sees it."""

    def __init__(self, run: Run, sleep: Callable[[float], None] = time.sleep) -> None:
        if not _REPOSITORY.fullmatch(run.repository):
            raise SearchError(f"GITHUB_REPOSITORY: '{run.repository}' is no owner/name")
        if not run.token:
            raise SearchError("no token was given", "set GITHUB_TOKEN")
        self._api = run.api
        self._at = f"{run.api}/repos/{run.repository}"
        self._headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {run.token}",
            "User-Agent": f"git-search/{__version__}",
            "X-GitHub-Api-Version": _VERSION,
        }
        self._sleep = sleep
        self._patience = _PATIENCE
        self._pool = _pool(run.api)

    # ------------------------------------------------------------ calls

    def login(self) -> str | None:
        """The account that the token belongs to; None for the token of an app."""
        try:
            return decoded(self._ask("GET", f"{self._api}/user").data, Owner, "user").login
        except Refused as error:
            if error.status in FORBIDDEN:
                return None
            raise

    def pull(self, number: int) -> Pull:
        """A pull request."""
        return decoded(self._ask("GET", f"{self._at}/pulls/{number}").data, Pull, "pull request")

    def pulls_from(self, owner: str, branch: str) -> list[Pull]:
        """The open pull requests of a branch, which may be one of a fork."""
        found = self._pages(f"{self._at}/pulls", {"state": "open", "head": f"{owner}:{branch}"})
        return [pull for data in found for pull in decoded(data, list[Pull], "pull requests")]

    def comments(self, number: int) -> list[Comment]:
        """All comments on a pull request, the oldest first."""
        found = self._pages(f"{self._at}/issues/{number}/comments", {})
        return [one for data in found for one in decoded(data, list[Comment], "comments")]

    def create(self, number: int, body: str, made: Callable[[], Comment | None]) -> Comment:
        """Make a comment; after Unanswered it may be there, or not.

        made: looks for the comment; asked after a pause, before a call that failed is repeated.
        """
        url = f"{self._at}/issues/{number}/comments"
        for count in range(_TRIES):
            try:
                return decoded(self._ask("POST", url, {"body": body}).data, Comment, "comment")
            except _Undecided as error:
                failure = error
            if count + 1 == _TRIES or not self._waited(_said(failure.answer, _growing(count))):
                break
            if (found := made()) is not None:
                return found
        raise failure

    def edit(self, comment: int, body: str) -> Comment:
        """Replace the text of a comment."""
        url = f"{self._at}/issues/comments/{comment}"
        return decoded(self._ask("PATCH", url, {"body": body}).data, Comment, "comment")

    def _pages(self, url: str, query: dict[str, str]) -> Iterator[bytes]:
        for page in range(1, _PAGES + 1):
            words = urlencode({**query, "per_page": str(_PAGE), "page": str(page)})
            answer = self._ask("GET", f"{url}?{words}")
            yield answer.data
            if not answer.more:
                return

    # ------------------------------------------------------------ one call

    def _ask(self, method: str, url: str, body: dict[str, str] | None = None) -> _Answer:
        """The answer of GitHub; raises Refused, or Unanswered when its patience is over."""
        problem = ""
        for count in range(_TRIES):
            response, problem = self._once(method, url, body)
            if response is None or response.status >= _OURS_FAILED:
                if method == "POST":
                    raise _Undecided(problem, response)
                wait = _said(response, _growing(count))
            elif _limited(response):
                wait = _said(response, _BLIND * 2**count)
            elif response.status in _FINE:
                return _Answer(response.data, 'rel="next"' in response.headers.get("Link", ""))
            else:
                raise Refused(response.status, problem)
            if count + 1 == _TRIES or not self._waited(wait):
                break
        raise Unanswered(problem)

    def _once(
        self, method: str, url: str, body: dict[str, str] | None
    ) -> tuple[urllib3.BaseHTTPResponse | None, str]:
        """One call, and what is wrong with its answer."""
        sent: dict[str, Any] = {} if body is None else {"json": body}
        # it follows redirects; when to ask again is decided above
        retries = urllib3.Retry(
            total=_REDIRECTS,
            connect=0,
            read=0,
            status=0,
            other=0,
            respect_retry_after_header=False,
        )
        try:
            response = self._pool.request(
                method, url, headers=self._headers, retries=retries, **sent
            )
        except urllib3.exceptions.HTTPError as error:
            return None, f"GitHub cannot be reached: {error}"
        try:
            told = str(msgspec.json.decode(response.data, type=_Problem))
        except (msgspec.MsgspecError, UnicodeError):
            told = response.reason or ""
        return response, told or str(response.status)

    def _waited(self, seconds: float) -> bool:
        """Wait, unless that is more than all calls together may."""
        if seconds > self._patience:
            return False
        self._patience -= seconds
        self._sleep(seconds)
        return True


def _growing(count: int) -> float:
    """The seconds of a pause after so many others: twice as long each time, and never in step."""
    return _PAUSE * float(2**count) * (1 + secrets.randbelow(1000) / 1000)


def _pool(api: str) -> urllib3.PoolManager:
    """Connections to the API, by way of the proxy that the environment names."""
    scheme, _, rest = api.partition("://")
    proxy = getproxies().get(scheme)
    if proxy and not proxy_bypass(rest.partition("/")[0]):
        return urllib3.ProxyManager(proxy, timeout=_TIMEOUT)
    return urllib3.PoolManager(timeout=_TIMEOUT)


def _limited(response: urllib3.BaseHTTPResponse) -> bool:
    """Whether GitHub refused because of how often it was asked, and not because of rights."""
    if response.status not in _LIMITED:
        return False
    headers = response.headers
    spent = headers.get("X-RateLimit-Remaining") == "0"
    return response.status == 429 or spent or "Retry-After" in headers


def _said(response: urllib3.BaseHTTPResponse | None, otherwise: float) -> float:
    """The seconds that an answer asks to wait."""
    headers = response.headers if response is not None else {}
    after = headers.get("Retry-After", "")
    if after.isdecimal():
        return float(after)
    if headers.get("X-RateLimit-Remaining") == "0":
        reset = headers.get("X-RateLimit-Reset", "")
        now = parsedate_tz(headers.get("Date", _NO_DATE))
        if reset.isdecimal() and now is not None:
            return max(0.0, float(reset) - mktime_tz(now))
    return otherwise
