"""An MCP server on stdin and stdout; the only use of the package `mcp`, the SDK of the protocol.

The SDK's event loop has a thread of its own. Calls are answered on the main thread, one after the
other: only there does Python let a signal end what runs, and only from there does the index fork.
A call that the client cancels ends as a command does at Ctrl-C, and so does the one that runs when
the client has gone.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch import __version__
from gitsearch.interrupts import importing

if TYPE_CHECKING:
    from types import FrameType

    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    from gitsearch.serving.tools import Tool

NAME = "git-search"


class ToolAnswer(NamedTuple):
    """The answer to a call: text for the model, and the document that it was made from."""

    text: str
    document: dict[str, Any]
    refused: bool


# Answers a tool with these arguments; raises KeyboardInterrupt.
CallAnswerer = Callable[["Tool", Mapping[str, Any]], ToolAnswer]


class _Call:
    """A call that waits for its answer."""

    def __init__(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        self.tool = tool
        self.arguments = arguments
        self.answer: Future[ToolAnswer] = Future()
        self.cancelled = False


class Server:
    """Serves one client, from its first message until it has gone."""

    def __init__(self, tools: Sequence[Tool], answerer: CallAnswerer) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._answerer = answerer
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._running: _Call | None = None
        # calls for which the main thread has been sent a signal that it has not handled yet
        self._signalled: deque[_Call] = deque()
        self._ready = threading.Event()
        self._failure: BaseException | None = None

    def run(self, prepare: Callable[[], None]) -> None:
        """Serve until standard input ends; call it on the main thread.

        prepare: done once while the client introduces itself.
        """
        # a daemon, and so are the threads that it starts: one may read from a client for ever
        listener = threading.Thread(target=self._listen, name="mcp", daemon=True)
        with self._cancelling():
            listener.start()
            self._ready.wait()
            if self._failure is None:
                prepare()
            self._answer_calls()
        if self._failure is not None:
            raise self._failure

    # ------------------------------------------------------------ the main thread

    def _answer_calls(self) -> None:
        while (call := self._calls.get()) is not None:
            if call.answer.set_running_or_notify_cancel():
                self._answer(call)

    def _answer(self, call: _Call) -> None:
        try:
            self._running = call
            answer = self._answerer(call.tool, call.arguments)
            self._running = None
        except KeyboardInterrupt:
            self._running = None
            if not call.cancelled:
                raise
            call.answer.set_exception(asyncio.CancelledError())
        else:
            call.answer.set_result(answer)

    @contextmanager
    def _cancelling(self) -> Iterator[None]:
        """Let the interrupts that are sent for a call end that call, and others the program."""
        before = signal.getsignal(signal.SIGINT)

        def interrupt(number: int, frame: FrameType | None) -> None:
            signalled = []
            with suppress(IndexError):
                while True:
                    signalled.append(self._signalled.popleft())
            if not signalled:
                if callable(before):
                    before(number, frame)
            elif self._running in signalled and not importing(frame):
                raise KeyboardInterrupt

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) is interrupt:
                signal.signal(signal.SIGINT, before)

    # ------------------------------------------------------------ the thread of the SDK

    def _listen(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001  it is raised where the server was started
            if not _client_is_gone(error):
                self._failure = error
        finally:
            self._ready.set()
            self._end()

    def _end(self) -> None:
        """Let the main thread end, whatever it is doing."""
        self._calls.put(None)
        if (call := self._running) is not None:
            self._cancel(call)

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
                await protocol.run(messages, answers, protocol.create_initialization_options())
            except BaseException:
                # the SDK goes on reading, which may take for ever, when nobody reads our answers
                self._end()
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
        call = _Call(tool, asked.arguments or {})
        self._calls.put(call)
        try:
            answer = await asyncio.wrap_future(call.answer)
        except asyncio.CancelledError:
            self._cancel(call)
            raise
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=answer.document,
            is_error=answer.refused,
        )

    def _cancel(self, call: _Call) -> None:
        """Interrupt the main thread if it answers this call."""
        call.cancelled = True
        if self._running is call:
            self._signalled.append(call)
            main = threading.main_thread().ident
            assert main is not None
            signal.pthread_kill(main, signal.SIGINT)


def _client_is_gone(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_client_is_gone, error.exceptions))
    return isinstance(error, BrokenPipeError | ConnectionResetError)
