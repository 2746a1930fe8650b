"""A language server as a client sees it: requests over its standard input and output."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class LanguageServer:
    """One running server for one folder; a context manager that ends it.

    `settings` answers what the server asks for (`workspace/configuration`), by section.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, settings: Mapping[str, object]
    ) -> None:
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._settings = settings
        self._asked = 0
        uri = folder.as_uri()
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": folder.name}],
                "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}},
            },
        )
        self.tell("initialized", {})

    def __enter__(self) -> LanguageServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(30)

    def tell(self, method: str, params: object) -> None:
        """Send what is not answered."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> Any:
        """Send a request, serve what the server asks meanwhile, return its result."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._next()
            if "method" not in message and message["id"] == self._asked:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message.get("result")

    def wait_for(self, text: str) -> None:
        """Serve the server until it logs a message with this text."""
        while True:
            message = self._next()
            if (
                message.get("method") == "window/logMessage"
                and text in message["params"]["message"]
            ):
                return

    def _next(self) -> dict[str, Any]:
        """The next message, answered if it is a request."""
        message = self._read()
        if "method" in message and "id" in message:
            self._send({"id": message["id"], "result": self._answer(message)})
        return message

    def _answer(self, message: Mapping[str, Any]) -> object:
        if message["method"] != "workspace/configuration":
            return None
        return [self._settings.get(one.get("section")) for one in message["params"]["items"]]

    def _send(self, message: dict[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        pipe = cast("BinaryIO", self._process.stdin)
        pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        pipe.flush()

    def _read(self) -> dict[str, Any]:
        pipe = cast("BinaryIO", self._process.stdout)
        size = 0
        while line := pipe.readline().strip():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        if not size:
            raise RuntimeError("the language server ended")
        return cast("dict[str, Any]", json.loads(pipe.read(size)))
