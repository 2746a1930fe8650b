"""The HTTP server of `git search serve`; the only use of Starlette and uvicorn.

Requests are taken on a thread of their own, and questions are answered on the main thread. One
whose client has gone ends: somebody who types asks anew with each letter.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import socket
import threading
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from gitsearch.errors import SearchError, UsageError, brief
from gitsearch.serving.calls import Calls
from gitsearch.serving.web_questions import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from gitsearch.serving.web_questions import Reply

    # Answers a question of a kind with the names and values of its parameters.
    Replier = Callable[[str, Sequence[tuple[str, str]]], Reply]

_PAGE = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}

# Nothing but what this server sends is loaded or asked, and no other site shows the page.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
_UNAUTHORIZED, _FORBIDDEN = 401, 403


class Address(NamedTuple):
    """Where a server listens; port 0 is any that is free."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only programs of this machine reach it."""
        return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback

    @property
    def shown(self) -> str:
        """As it stands in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address_of(text: str) -> Address:
    """The address that `HOST:PORT`, `[HOST]:PORT` or `PORT` means. Raises UsageError."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    try:
        if host != "localhost":
            ipaddress.ip_address(host)
        if port.isascii() and port.isdecimal() and int(port) < 1 << 16:
            return Address(host, int(port))
    except ValueError:
        pass
    raise UsageError(
        f"'{brief(text)}' is no address to listen at", "127.0.0.1:8417, [::1]:8417 or a port"
    )


class WebServer:
    """Serves the page and its questions until it is interrupted.

    token: what each question must carry; "" for none.
    """

    def __init__(self, replier: Replier, address: Address, token: str = "") -> None:
        """Listen. Raises SearchError if that is not possible."""
        self._replier = replier
        self._token = token
        self._calls: Calls[Reply] = Calls()
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        try:
            self._socket = socket.create_server((address.host, address.port), family=family)
        except OSError as error:
            raise SearchError(
                f"cannot listen at {address.shown}: {error.strerror}", "--listen 127.0.0.1:0"
            ) from error
        self.address = Address(address.host, self._socket.getsockname()[1])

    def run(self) -> None:
        """Answer until Ctrl-C; raises KeyboardInterrupt."""
        server = uvicorn.Server(
            uvicorn.Config(
                self.application(),
                log_level="critical",
                access_log=False,
                lifespan="off",
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        thread = threading.Thread(target=server.run, args=([self._socket],), daemon=True)
        thread.start()
        try:
            with self._calls.cancelling():
                self._calls.answer()
        finally:
            server.should_exit = True
            thread.join(timeout=2)

    def application(self) -> ASGIApp:
        """The page, and a question of each kind below /api/, behind the checks."""
        routes = [Route(path, partial(_file, *file)) for path, file in _PAGE.items()]
        routes += [Route(f"/api/{kind}", partial(self._question, kind)) for kind in PARAMETERS]
        return _Guard(Starlette(routes=routes), self.address, self._token)

    async def _question(self, kind: str, request: Request) -> Response:
        call = self._calls.add(partial(self._replier, kind, request.query_params.multi_items()))
        answer = asyncio.ensure_future(asyncio.wrap_future(call.answer))
        gone = asyncio.ensure_future(_disconnected(request))
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not answer.done():
            self._calls.cancel(call)
            # nobody will look at how it ended
            answer.cancel()
            return Response(status_code=204)
        reply = answer.result()
        body = json.dumps(reply.document, ensure_ascii=True)
        return Response(body, reply.status, media_type="application/json")


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _file(name: str, kind: str, _: Request) -> Response:
    data = resources.files("gitsearch.serving").joinpath("page", name).read_bytes()
    return Response(data, media_type=kind)


class _Guard:
    """Lets through what a page of this server asks, and adds headers to each answer.

    Other sites are refused by Host and Origin, all methods but GET and HEAD by name, and
    questions without the token.
    """

    def __init__(self, app: ASGIApp, address: Address, token: str) -> None:
        self._app = app
        self._token = token
        self._hosts = {address.shown}
        if address.is_loopback:
            self._hosts |= {f"{name}:{address.port}" for name in _LOCAL_NAMES}
        # any name may lead to a server that listens at all addresses: the token tells
        self._any_host = (
            not address.is_loopback and ipaddress.ip_address(address.host).is_unspecified
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of HTTP; close a websocket."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), text.encode()) for name, text in _HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *own]}
            await send(message)

        refusal = self._refusal(scope)
        app = self._app if refusal is None else _refused(*refusal)
        await app(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        host = headers.get("host", [])
        if len(host) != 1 or not (self._any_host or host[0].lower() in self._hosts):
            return _FORBIDDEN, "this name is not that of the server"
        if any(origin != f"http://{host[0]}" for origin in headers.get("origin", [])):
            return _FORBIDDEN, "only the page of this server may ask"
        site = headers.get("sec-fetch-site", ["none"])
        is_question = scope["path"].startswith("/api/")
        if is_question and not {*site} <= {"none", "same-origin"}:
            return _FORBIDDEN, "only the page of this server may ask"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "there is nothing to change here"
        if self._token and is_question and not self._has_token(headers):
            return _UNAUTHORIZED, "a token is needed: open the address that the server printed"
        return None

    def _has_token(self, headers: Mapping[str, Sequence[str]]) -> bool:
        scheme, _, given = headers.get("authorization", [""])[0].partition(" ")
        # the time that it takes says nothing of the token
        same = hmac.compare_digest(given.strip().encode("latin-1"), self._token.encode())
        return scheme.lower() == "bearer" and same


def _refused(status: int, message: str) -> ASGIApp:
    document: dict[str, Any] = {"schema": 1, "error": {"code": "refused", "message": message}}
    return Response(json.dumps(document), status, media_type="application/json")
