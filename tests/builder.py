"""Real git repositories for tests: fixed authors, a clock that advances, one branch name."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests import prepared

FIRST_SECOND = 1_700_000_000
SECONDS_PER_COMMIT = 60


class RepoBuilder:
    """A git repository that is built step by step; every commit id is a constant of the steps."""

    def __init__(self, path: Path, *, bare: bool = False, object_format: str = "sha1") -> None:
        self.path = path
        self.clock = FIRST_SECOND
        path.mkdir(parents=True, exist_ok=True)
        options = ["--bare"] if bare else []
        self.git("init", "-q", "-b", "main", f"--object-format={object_format}", *options)

    @classmethod
    def adopt(cls, path: Path, clock: int = FIRST_SECOND) -> RepoBuilder:
        """Go on with a repository that exists."""
        builder = cls.__new__(cls)
        builder.path, builder.clock = path, clock
        return builder

    @property
    def git_dir(self) -> Path:
        """The absolute git directory (of this worktree)."""
        own = self.path / ".git"
        if own.is_dir():  # the usual case, for which no process is started
            return own.resolve()
        return Path(self.git("rev-parse", "--absolute-git-dir"))

    @property
    def index_dir(self) -> Path:
        """Where the search index of this repository lies."""
        own = self.path / ".git"
        if own.is_dir():
            return own.resolve() / "search"
        common = self.git("rev-parse", "--path-format=absolute", "--git-common-dir")
        return Path(common, "search")

    # ------------------------------------------------------------ git

    def run(
        self, *args: str | bytes, check: bool = True, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git here with the clock's time as both dates; a failure shows git's message."""
        when = f"{self.clock} +0000"
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            check=False,
        )
        if check and done.returncode:
            command = " ".join(os.fsdecode(arg) for arg in args)
            raise AssertionError(f"git {command}: {done.stderr.decode(errors='replace')}")
        return done

    def git(self, *args: str | bytes, stdin: bytes | None = None) -> str:
        """Run git and return what it printed, without the last line feed."""
        return os.fsdecode(self.run(*args, stdin=stdin).stdout).rstrip("\n")

    def rev(self, name: str = "HEAD") -> str:
        """The id that a revision names."""
        if name == "HEAD" and (head := self._head()):
            return head
        return self.git("rev-parse", "--verify", "--end-of-options", name)

    def _head(self) -> str:
        """The id of HEAD if it is in a file of this repository, as after each commit; else ""."""
        folder = self.path / ".git"
        try:
            head = os.fsdecode((folder / "HEAD").read_bytes())
            if head.startswith("ref: "):
                head = (folder / head.removeprefix("ref: ").rstrip("\n")).read_text("ascii")
        except OSError:
            return ""
        return "" if head.startswith("ref: ") else head.rstrip("\n")

    # ------------------------------------------------------------ files

    def file(self, path: str | bytes) -> Path:
        """The absolute place of a path of this repository (bytes: not UTF-8)."""
        return self.path / os.fsdecode(path)

    def write(self, path: str | bytes, content: str | bytes) -> Path:
        """Write a file with its folders; text is written as UTF-8 with the line ends it has."""
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        file.write_bytes(data)
        prepared.expect(os.fsencode(path), data)
        return file

    def having(self, files: Mapping[str, str | bytes]) -> Self:
        """Write files and commit them."""
        for path, content in files.items():
            self.write(path, content)
        self.commit()
        return self

    def replace(self, path: str, old: str, new: str) -> None:
        """Edit a file; what is replaced must be there."""
        text = self.file(path).read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        self.write(path, text.replace(old, new))

    def append(self, path: str, text: str) -> None:
        """Add text at the end of a file."""
        with self.file(path).open("a", encoding="utf-8", newline="") as file:
            file.write(text)

    def remove(self, path: str) -> None:
        """Delete a file or folder from the working tree."""
        file = self.file(path)
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink()

    def rename(self, old: str, new: str) -> None:
        """Move a file, its folders made."""
        self.file(new).parent.mkdir(parents=True, exist_ok=True)
        self.file(old).rename(self.file(new))

    def symlink(self, path: str, target: str) -> None:
        """Make a symbolic link."""
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    # ------------------------------------------------------------ history

    def tick(self) -> None:
        """Let the clock advance by one commit."""
        self.clock += SECONDS_PER_COMMIT

    def commit(self, message: str = "change") -> str:
        """Commit everything that is in the working tree, and return the commit's id."""
        self.git("add", "-A")
        return self.commit_staged(message)

    def commit_staged(self, message: str = "change") -> str:
        """Commit the index, empty or not, and return the commit's id."""
        self.git("commit", "-q", "--allow-empty", "-m", message)
        self.tick()
        return self.rev()

    def branch(self, name: str, at: str = "HEAD") -> None:
        """Make a branch and switch to it."""
        self.git("checkout", "-q", "-b", name, at)

    def checkout(self, rev: str) -> None:
        """Switch to a branch, or detach at another revision."""
        self.git("checkout", "-q", rev)

    def merge(self, branch: str) -> str:
        """Merge a branch with a merge commit, and return its id."""
        self.git("merge", "-q", "--no-ff", "-m", f"Merge branch '{branch}'", branch)
        self.tick()
        return self.rev()

    def revert(self, rev: str = "HEAD") -> str:
        """Revert a commit, and return the new commit's id."""
        self.git("revert", "--no-edit", rev)
        self.tick()
        return self.rev()

    # ------------------------------------------------------------ other repositories

    def clone(self, path: Path, *options: str, of: str = "") -> RepoBuilder:
        """Clone this repository, with options such as `--bare` or `--filter=blob:none`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("clone", "-q", *options, of or f"file://{self.path}", str(path))
        return RepoBuilder.adopt(path, self.clock)

    def worktree(self, path: Path, rev: str = "HEAD") -> RepoBuilder:
        """Add a linked worktree with a detached HEAD."""
        self.git("worktree", "add", "-q", "--detach", str(path), rev)
        return RepoBuilder.adopt(path, self.clock)
