"""Cut GitHub's description of its API down to the paths that the Action calls.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    python -m tests.ci.cut_description package/generated/api.github.com.json

The same input gives the same bytes. Left out are the other paths, and what only they refer to.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

CUT = Path(__file__).with_name("api.github.com.json.gz")
REPOSITORY = "/repos/{owner}/{repo}"
PATHS = {
    "/user": ("get",),
    f"{REPOSITORY}/pulls": ("get",),
    f"{REPOSITORY}/pulls/{{pull_number}}": ("get",),
    f"{REPOSITORY}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{REPOSITORY}/issues/comments/{{comment_id}}": ("patch",),
}
REFERENCE = re.compile(r'"\$ref":\s*"#/components/(\w+)/([^"]+)"')


def cut(description: dict[str, Any]) -> dict[str, Any]:
    """The few paths with all that they refer to."""
    paths = {
        path: {
            name: item
            for name, item in description["paths"][path].items()
            if name in (*methods, "parameters")
        }
        for path, methods in PATHS.items()
    }
    components: dict[str, dict[str, Any]] = {}
    waiting = [paths]
    while waiting:
        for kind, name in REFERENCE.findall(json.dumps(waiting.pop())):
            if name not in components.setdefault(kind, {}):
                found = description["components"][kind][name]
                components[kind][name] = found
                waiting.append(found)
    info = {**description["info"], "x-cut-from": "@octokit/openapi 23.0.2 (MIT)"}
    return {
        "openapi": description["openapi"],
        "info": info,
        "servers": description["servers"],
        "paths": paths,
        "components": {
            kind: dict(sorted(items.items())) for kind, items in sorted(components.items())
        },
    }


def main(source: str) -> None:
    """Write the cut."""
    text = json.dumps(cut(json.loads(Path(source).read_text("utf-8"))), separators=(",", ":"))
    CUT.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
