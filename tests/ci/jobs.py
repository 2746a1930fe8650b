"""Jobs that run the Action on a pull request, each on a machine of its own, with one cache."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.builder import RepoBuilder
from tests.ci import pulls
from tests.ci.composite import Outcome, Runner
from tests.ci.hub import TOKEN, Hub
from tests.ci.pulls import PullRequest
from tests.installation import Installation

ACTION = Path(__file__).parents[2] / "action"


@dataclass
class Cache:
    """GitHub's cache as folders: a key is written once, and found by what it begins with."""

    folder: Path
    saved: list[str] = field(default_factory=list)

    def restore(self, given: Mapping[str, str], workspace: Path) -> Mapping[str, str]:
        """actions/cache/restore."""
        assert set(given) == {"path", "key", "restore-keys"}
        assert len(given["key"]) <= 512
        assert "," not in given["key"]
        newest = reversed(self.saved)
        prefixes = [given["key"], *filter(None, given["restore-keys"].splitlines())]
        found = next((key for key in newest if key.startswith(tuple(prefixes))), None)
        if given["key"] in self.saved:
            found = given["key"]
        if found is None:
            return {"cache-hit": ""}
        shutil.copytree(self.folder / found, workspace / given["path"])
        return {"cache-hit": str(found == given["key"]).lower(), "cache-matched-key": found}

    def save(self, given: Mapping[str, str], workspace: Path) -> Mapping[str, str]:
        """actions/cache/save."""
        assert set(given) == {"path", "key"}
        assert given["key"] not in self.saved
        shutil.copytree(workspace / given["path"], self.folder / given["key"])
        self.saved.append(given["key"])
        return {}


@dataclass
class Jobs:
    """Starts jobs."""

    installed: Installation
    hub: Hub
    cache: Cache
    folder: Path
    started: int = 0
    artifacts: dict[str, str] = field(default_factory=dict)

    def upload(self, given: Mapping[str, str], _: Path) -> Mapping[str, str]:
        """actions/upload-artifact, of one file."""
        assert set(given) == {"name", "path", "overwrite"}
        self.artifacts[given["name"]] = Path(given["path"]).read_text(encoding="utf-8")
        return {"artifact-url": f"https://github.example/artifacts/{given['name']}"}

    def run(
        self,
        workspace: Path,
        event: Mapping[str, str],
        *,
        inputs: Mapping[str, str] | None = None,
        install: bool = False,
    ) -> Outcome:
        """One job in a folder."""
        self.started += 1
        temporary = self.folder / f"runner-{self.started}"
        temporary.mkdir()
        stand_ins = {
            "actions/cache/restore": self.cache.restore,
            "actions/cache/save": self.cache.save,
            "actions/upload-artifact": self.upload,
        }
        if not install:
            stand_ins["install"] = lambda *_: {}
        environment = {
            **self.installed.environment(),
            "CI": "true",
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_REPOSITORY": self.hub.repository,
            "GITHUB_RUN_ID": "4711",
            "GITHUB_SERVER_URL": "https://github.example",
            **event,
        }
        runner = Runner(workspace, temporary, environment, stand_ins)
        return runner.run(ACTION, inputs or {}, TOKEN)

    def pull(self, pull: PullRequest, *, depth: int | None = 1, **inputs: str) -> Outcome:
        """The job of a pull request, in a fresh checkout."""
        clone = pulls.checked_out(
            pull.origin, self.folder / f"work-{self.started}", pull.merge, depth
        )
        self.hub.open_pull(7, pull.head, fork=pull.fork) if 7 not in self.hub.pulls else None
        self.hub.pulls[7]["head"]["sha"] = pull.head
        return self.run(clone.path, pulls.environment(pull, self.folder), inputs=inputs)

    def push(self, origin: RepoBuilder, **inputs: str) -> Outcome:
        """The job of a push to the default branch."""
        sha = origin.rev("main")
        clone = pulls.checked_out(origin, self.folder / f"work-{self.started}", sha)
        pull = PullRequest(origin, sha, sha, sha)
        event = pulls.environment(pull, self.folder) | {
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_REF": "refs/heads/main",
        }
        return self.run(clone.path, event, inputs=inputs)
