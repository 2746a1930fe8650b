"""Configuration snippets with which agents start the MCP server."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from gitsearch.serving.mcp_server import NAME

# The top of the working tree: as an agent knows it, or as a path.
_WORKSPACE = "${workspaceFolder}"


class Place(NamedTuple):
    """Where an agent reads its servers, and in which form.

    file: where; key: of the servers; folder: of the repository, if the server is not started there
    anyway: "." stands for its path; more: of each server.
    """

    file: str
    key: str = "mcpServers"
    folder: str = ""
    more: tuple[tuple[str, str], ...] = ()


# By the documentation of each agent, November 2026.
PLACES = {
    "claude-code": Place(".mcp.json at the top of the repository"),
    "claude-desktop": Place("claude_desktop_config.json", folder="."),
    "codex": Place("~/.codex/config.toml", key="mcp_servers"),
    "cursor": Place(".cursor/mcp.json at the top of the repository", folder=_WORKSPACE),
    "gemini": Place(".gemini/settings.json at the top of the repository"),
    "vscode": Place(
        ".vscode/mcp.json at the top of the repository",
        key="servers",
        folder=_WORKSPACE,
        more=(("type", "stdio"),),
    ),
    "windsurf": Place("~/.codeium/windsurf/mcp_config.json", folder="."),
    "zed": Place("the settings of Zed, settings.json", key="context_servers", folder="."),
}


def snippet(agent: str, top: str) -> str:
    """The text to paste; `top` is the path of the repository."""
    place = PLACES[agent]
    folder = top if place.folder == "." else place.folder
    arguments = [*(["-C", folder] if folder else []), "search", "mcp"]
    if place.file.endswith(".toml"):
        words = ", ".join(map(json.dumps, arguments))
        return f'[{place.key}.{NAME}]\ncommand = "git"\nargs = [{words}]\n'
    server: dict[str, Any] = {**dict(place.more), "command": "git", "args": arguments}
    return json.dumps({place.key: {NAME: server}}, indent=2, ensure_ascii=False) + "\n"
