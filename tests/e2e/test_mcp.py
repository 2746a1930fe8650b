"""The MCP server with the client of the protocol's SDK."""

import asyncio
import json
import os
import signal
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.comparing import EDITED, build_small, edit

# Nothing here takes so long, unless it hangs.
PATIENCE = 60
CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "pause before a failed request is sent again"},
    "context": {"task": "pause before a failed request", "budget": 1000},
    "symbol": {"name": "compute_delay"},
    "outline": {"path": EDITED},
    "impact": {"targets": [EDITED]},
    "similar": {"place": EDITED},
    "exists": {"words": ["compute_delay", "no_such_word"]},
    "conventions": {},
}
OUTSIDE: list[tuple[str, dict[str, Any]]] = [
    ("outline", {"path": "../other/a.py"}),
    ("outline", {"path": "/etc/passwd"}),
    ("search", {"query": "x", "paths": ["../other"]}),
    ("search", {"query": "x", "paths": ["/etc"]}),
    ("search", {"query": "x", "rev": "../other"}),
    ("context", {"task": "../other/a.py"}),
    ("impact", {"targets": ["../other"]}),
    ("similar", {"place": "../../other/a.py:1"}),
    ("conventions", {"path": "/etc"}),
]


@pytest.fixture(scope="module")
def template(installed, isolation, tmp_path_factory):
    repo = build_small(tmp_path_factory.mktemp("small") / "small")
    assert installed.run("index", "-q", cwd=repo.path).returncode == 0
    return repo


@asynccontextmanager
async def client(installed, repo, errors=Path(os.devnull), folder="."):
    """A session with a server in a folder of the repository, whose errors go into a file."""
    server = StdioServerParameters(
        command="git", args=["search", "mcp"], cwd=repo.path / folder, env=installed.environment()
    )
    with errors.open("w") as log:
        async with stdio_client(server, errlog=log) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


def talk(conversation):
    """Run a conversation to its end."""
    return asyncio.run(asyncio.wait_for(conversation, PATIENCE))


def words_of(result):
    (content,) = result.content
    return content.text


def test_an_agent_finds_its_way(installed, small, tmp_path):
    (small.path.parent / "other").mkdir()
    (small.path.parent / "other" / "a.py").write_text("x = 1\n", encoding="utf-8")
    log = tmp_path / "log"

    async def conversation():
        async with client(installed, small, log) as session:
            tools = (await session.list_tools()).tools
            assert [tool.name for tool in tools] == list(CALLS)
            for tool in tools:
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint
            for name, arguments in CALLS.items():
                result = await session.call_tool(name, arguments)
                assert not result.is_error
                assert result.structured_content["schema"] == 1
                assert f"tree HEAD {small.rev()[:7]}" in words_of(result) or name == "conventions"

            # what is edited, and committed, is seen by the next call
            asked = {"name": "compute_hasty_delay"}
            assert "not defined here" in words_of(await session.call_tool("symbol", asked))
            edit(small)
            edited = words_of(await session.call_tool("symbol", asked))
            assert f"{EDITED}:" in edited
            assert "+1 edited files" in edited
            small.commit()
            committed = words_of(await session.call_tool("symbol", asked))
            assert f"tree HEAD {small.rev()[:7]};" in committed

            # errors are answers, and nothing outside is shown
            for name, arguments in OUTSIDE:
                refused = await session.call_tool(name, arguments)
                assert refused.is_error
                assert refused.structured_content["error"]["message"]
            wrong = await session.call_tool("search", {"query": "x", "mode": "best"})
            assert wrong.is_error
            assert "'mode' is one of auto" in words_of(wrong)
            with pytest.raises(MCPError, match="no tool 'index'"):
                await session.call_tool("index", {})
            return await session.call_tool("search", CALLS["search"])

    found = talk(conversation())
    alone = installed.answer("--max-lines=20", "-e", CALLS["search"]["query"], cwd=small.path)
    for answer in (alone, found.structured_content):
        answer.pop("actions", None)  # they name the options of the command
    assert found.structured_content == alone
    assert log.read_text(encoding="utf-8") == ""


def test_paths_begin_at_the_top_wherever_it_was_started(installed, small):
    folder = str(Path(EDITED).parent)
    assert folder != "."

    async def conversation():
        async with client(installed, small, folder=folder) as session:
            shown = words_of(await session.call_tool("symbol", {"name": "compute_delay"}))
            assert f"{EDITED}:" in shown
            result = await session.call_tool("outline", {"path": EDITED})
            assert not result.is_error
            asked = {"name": "compute_delay", "find": "references", "paths": [folder]}
            assert not (await session.call_tool("symbol", asked)).is_error

    talk(conversation())


def test_a_first_answer_in_a_fresh_clone_does_not_wait_for_the_index(installed, small):
    for file in small.index_dir.rglob("*.view"):
        file.unlink()

    async def conversation():
        async with client(installed, small) as session:
            return await session.call_tool("search", {"query": "compute_delay"})

    assert not talk(conversation()).is_error


def messages(*requests):
    return b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in requests)


HELLO = (
    {
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        },
    },
    {"method": "notifications/initialized"},
)


def call(number, **arguments):
    params = {"name": "search", "arguments": {"query": "compute_delay", **arguments}}
    return {"id": number, "method": "tools/call", "params": params}


@pytest.fixture
def server(installed, small):
    """A server without a client of the SDK, to be spoken to byte by byte."""
    process: subprocess.Popen[bytes] = subprocess.Popen(
        [installed.bin / "git-search", "mcp"],
        cwd=small.path,
        env=installed.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    yield process
    process.kill()
    process.communicate()


def answers(out):
    return {answer["id"]: answer for answer in map(json.loads, out.splitlines())}


def test_when_the_client_has_gone_it_ends_at_once_and_quietly(server):
    # the answer is still being made when standard input ends
    out, err = server.communicate(messages(*HELLO, call(1)), timeout=PATIENCE)
    assert (server.returncode, err) == (0, b"")
    assert answers(out)[0]["result"]["serverInfo"]["name"] == "git-search"


def test_without_a_reader_it_ends_quietly(server):
    server.stdin.write(messages(*HELLO))
    server.stdin.flush()
    server.stdout.readline()
    server.stdout.close()
    server.stdin.write(messages(call(1)))
    server.stdin.flush()
    assert server.wait(PATIENCE) == 0
    assert server.stderr.read() == b""


def test_ctrl_c_ends_it(server):
    server.stdin.write(messages(*HELLO))
    server.stdin.flush()
    server.stdout.readline()
    os.killpg(server.pid, signal.SIGINT)
    assert server.wait(PATIENCE) == 130
    assert server.stderr.read() == b""


def test_garbage_is_refused_and_the_next_call_answered(server):
    server.stdin.write(messages(*HELLO))
    for line in (b"garbage\n", b"\n", b"[]\n", b"\xff\x00\n", b'{"jsonrpc": "2.0", "id": 5}\n'):
        server.stdin.write(line)
    broken = {"id": 6, "method": "tools/call", "params": {"name": 7}}
    server.stdin.write(messages(broken, {"id": 7, "method": "no/method"}, call(8)))
    server.stdin.flush()
    got: dict[int, Any] = {}
    refused = []
    while 8 not in got:
        (answer,) = answers(server.stdout.readline()).values()
        got[answer["id"]] = answer
        if answer["id"] is None:
            refused.append(answer["error"]["code"])
    assert refused == [-32700, -32600, -32700, -32600]
    assert "error" in got[6]
    assert "error" in got[7]
    assert not got[8]["result"]["isError"]


def test_a_call_with_half_a_character_is_refused_by_its_id(server):
    server.stdin.write(
        messages(*HELLO, call(7, query="x\ud83d"), call("e", query="\udc00"), call(8))
    )
    server.stdin.flush()
    got: dict[Any, Any] = {}
    while 8 not in got:
        got |= answers(server.stdout.readline())
    for number in (7, "e"):
        assert got[number]["error"]["code"] == -32700
        assert "hex escape" in got[number]["error"]["message"]


@pytest.mark.parametrize("odd", [1.5, None, True, {}, []])
def test_a_request_with_an_id_that_is_none_is_answered(server, odd):
    server.stdin.write(messages(*HELLO, {"id": odd, "method": "ping"}, call(8)))
    server.stdin.flush()
    got: dict[int | None, Any] = {}
    while 8 not in got:
        got |= answers(server.stdout.readline())
    assert got[None]["error"]["code"] == -32600
    assert not got[8]["result"]["isError"]


def test_a_cancelled_call_ends_and_others_are_answered(server):
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    server.stdin.write(messages(*HELLO, call(1), cancel, call(2)))
    server.stdin.flush()
    got: dict[int, Any] = {}
    while 2 not in got:
        got |= answers(server.stdout.readline())
    assert 1 not in got
    assert not got[2]["result"]["isError"]
    out, err = server.communicate(timeout=PATIENCE)
    assert (out, err, server.returncode) == (b"", b"", 0)


@pytest.mark.long
def test_two_servers_and_a_hook_at_once(installed, small):
    assert installed.run("hooks", "install", cwd=small.path).returncode == 0

    async def conversation():
        async with client(installed, small) as one, client(installed, small) as other:
            for number in range(5):
                edit(small, f"number_{number}")
                small.commit()  # its hook updates the index beside us
                asked = {"name": f"compute_number_{number}_delay"}
                both = await asyncio.gather(
                    one.call_tool("symbol", asked), other.call_tool("symbol", asked)
                )
                for found in both:
                    assert not found.is_error
                    assert f"{EDITED}:" in words_of(found)

    talk(conversation())
    done = installed.run("verify", cwd=small.path)
    assert done.returncode == 0, (done.stdout, done.stderr)


@pytest.mark.long
def test_memory_does_not_grow_with_the_number_of_calls(server, small):
    def resident():
        text = Path(f"/proc/{server.pid}/statm").read_text(encoding="ascii")
        return int(text.split()[1]) * os.sysconf("SC_PAGESIZE")

    def ask(first, count):
        for number in range(first, first + count):
            server.stdin.write(messages(call(number)))
            server.stdin.flush()
            assert not json.loads(server.stdout.readline())["result"]["isError"]

    server.stdin.write(messages(*HELLO))
    server.stdin.flush()
    server.stdout.readline()
    ask(1, 100)
    before = resident()
    ask(101, 400)
    assert resident() < before + (4 << 20)


def test_the_server_is_killed_and_nothing_is_broken(installed, server, small):
    server.stdin.write(messages(*HELLO, call(1)))
    server.stdin.flush()
    server.stdout.readline()
    server.kill()
    server.wait()
    assert installed.answer("compute_delay", cwd=small.path)["results"]


def test_outside_of_a_repository_it_refuses_in_one_line(installed, tmp_path):
    done = installed.run("mcp", cwd=tmp_path)
    assert done.returncode == 128
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
