"""An MCP server on stdin and stdout; the only use of the package `mcp`, the SDK of the protocol.

The SDK's event loop has a thread of its own; calls are answered on the main thread. One that the
client cancels ends, and so does the one that runs when the client has gone.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch import __version__
from gitsearch.serving.calls import Calls

if TYPE_CHECKING:
    from types import TracebackType

    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    from gitsearch.serving.tools import Tool

NAME = "git-search"


class ToolAnswer(NamedTuple):
    """The answer to a call: text for the model, and the document that it was made from."""

    text: str
    document: dict[str, Any]
    refused: bool


# Answers a tool with these arguments; raises KeyboardInterrupt.
CallAnswerer = Callable[["Tool", Mapping[str, Any]], ToolAnswer]


class Server:
    """Serves one client, from its first message until it has gone."""

    def __init__(self, tools: Sequence[Tool], answerer: CallAnswerer) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._answerer = answerer
        self._calls: Calls[ToolAnswer] = Calls()
        self._ready = threading.Event()
        self._failure: BaseException | None = None

    def run(self, prepare: Callable[[], None]) -> None:
        """Serve until standard input ends; call it on the main thread.

        prepare: done once while the client introduces itself.
        """
        # a daemon, and so are the threads that it starts: one may read from a client for ever
        listener = threading.Thread(target=self._listen, name="mcp", daemon=True)
        with self._calls.cancelling():
            listener.start()
            self._ready.wait()
            if self._failure is None:
                prepare()
            self._calls.answer()
        if self._failure is not None:
            raise self._failure

    # ------------------------------------------------------------ the thread of the SDK

    def _listen(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001  it is raised where the server was started
            if not _client_is_gone(error):
                self._failure = error
        finally:
            self._ready.set()
            self._calls.end()

    async def _serve(self) -> None:
        from mcp.server.lowlevel import Server as Protocol
        from mcp.server.stdio import stdio_server

        protocol: Protocol[Any] = Protocol(
            NAME,
            version=__version__,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        # nothing is reported to anybody, whatever else is installed
        protocol.middleware.clear()
        async with stdio_server() as (messages, answers):
            self._ready.set()
            try:
                options = protocol.create_initialization_options()
                await protocol.run(_Messages(messages, answers), answers, options)
            except BaseException:
                # the SDK goes on reading, which may take for ever, when nobody reads our answers
                self._calls.end()
                raise

    async def _list_tools(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        import mcp_types as types

        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.text,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(read_only_hint=True),
                )
                for tool in self._tools.values()
            ]
        )

    async def _call_tool(
        self, _: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        import mcp_types as types
        from mcp.shared.exceptions import MCPError

        tool = self._tools.get(asked.name)
        if tool is None:
            names = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"no tool '{asked.name}'; there are {names}")
        call = self._calls.add(partial(self._answerer, tool, asked.arguments or {}))
        try:
            answer = await asyncio.wrap_future(call.answer)
        except asyncio.CancelledError:
            self._calls.cancel(call)
            raise
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=answer.document,
            is_error=answer.refused,
        )


class _Messages:
    """The messages of a client; a line that is none is answered with an error, and left out."""

    def __init__(
        self,
        lines: ReadStream[SessionMessage | Exception],
        answers: WriteStream[SessionMessage],
    ) -> None:
        self._lines = lines
        self._answers = answers

    async def receive(self) -> SessionMessage:
        return await self._message(self._lines.receive)

    async def aclose(self) -> None:
        await self._lines.aclose()

    def __aiter__(self) -> _Messages:
        return self

    async def __anext__(self) -> SessionMessage:
        return await self._message(self._lines.__anext__)

    async def __aenter__(self) -> _Messages:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _message(
        self, read: Callable[[], Awaitable[SessionMessage | Exception]]
    ) -> SessionMessage:
        import mcp_types as types

        while True:
            item = await read()
            if isinstance(item, Exception):
                refusal = _refusal(item)
            elif _is_request_without_id(item):
                refusal = _error(
                    types.INVALID_REQUEST, "the id of a request is a string or a whole number"
                )
            else:
                return item
            if refusal:
                await self._answers.send(refusal)


def _is_request_without_id(item: SessionMessage) -> bool:
    """Return True for a request whose id is missing, or none of MCP.

    The SDK reads it as a notification, which nobody answers; those of MCP are named as such.
    """
    import mcp_types as types

    message = item.message
    if not isinstance(message, types.JSONRPCNotification):
        return False
    return not message.method.startswith("notifications/")


def _refusal(error: Any) -> SessionMessage | None:
    """The answer to a line that is no message, if it is not empty.

    error: the error of pydantic that the SDK has met.
    """
    import mcp_types as types

    (first, *_) = error.errors()
    if not str(first["input"]).strip():
        return None
    if first["type"] == "json_invalid":
        message = f"this line is no JSON: {first['ctx']['error']}"
        return _error(types.PARSE_ERROR, message, _id_of(first["input"]))
    return _error(types.INVALID_REQUEST, "this line is no message of JSON-RPC 2.0")


def _id_of(line: Any) -> str | int | None:
    """The id of a message that only pydantic does not read, as for half a surrogate pair."""
    try:
        found = json.loads(line)["id"]
        str(found).encode()
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _error(code: int, message: str, own_id: str | int | None = None) -> SessionMessage:
    """An error for a message, by default for one whose id is not known."""
    import mcp_types as types
    from mcp.shared.message import SessionMessage

    data = types.ErrorData(code=code, message=message)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=own_id, error=data))


def _client_is_gone(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_client_is_gone, error.exceptions))
    return isinstance(error, BrokenPipeError | ConnectionResetError)
