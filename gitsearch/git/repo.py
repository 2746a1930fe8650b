"""The gateway to git: open a repository, run its plumbing, resolve revisions, read settings."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gitsearch import trace
from gitsearch.errors import (
    BadRevision,
    GitFailed,
    NotARepository,
    SearchError,
    UsageError,
    nearest,
    typed,
)
from gitsearch.git import plain_repo, regular_file
from gitsearch.records import Revision

# git takes no lock that a user's command could meet, fetches nothing (versions before 2.39.4 do
# not know GIT_NO_LAZY_FETCH, but all know that no protocol is allowed), prompts for nothing,
# ignores replace refs, and prints English messages.
FIXED = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
# No command of the configuration runs: no hook, and no file system monitor, which git runs when it
# reads an index. Only `git status` is run without these options.
NO_COMMANDS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
# The location of the repository, as set by a hook or `git --git-dir`: git is asked once, and then
# told explicitly. GIT_INDEX_FILE is kept: a relative one is relative to the top, where git runs.
LOCATION = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX"})
# What else may be said of that repository, and not of another one (`git rev-parse
# --local-env-vars`).
APART = LOCATION | frozenset(
    {
        *("GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
        *("GIT_NAMESPACE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE"),
    }
)
# Variables that would change the meaning of git's answers.
DROPPED = frozenset({"GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_ATTR_SOURCE"})

# A separator of sections: rev-parse prints unknown options, and no absolute path has such a line.
FENCE = "--//"
# --show-cdup, unlike --show-toplevel, does not fail without a working tree; after --revs-only
# a HEAD that has no commit yet is left out instead of being an error.
LAYOUT = (
    *("rev-parse", "--path-format=absolute"),
    *("--is-bare-repository", "--is-inside-work-tree", "--show-object-format"),
    *(FENCE, "--git-common-dir", FENCE, "--absolute-git-dir", FENCE, "--show-prefix"),
    *(FENCE, "--show-cdup", FENCE, "--revs-only", "HEAD^{commit}", "HEAD^{tree}"),
)
SECTIONS = 6
FACTS = 3
COMMIT_AND_TREE = 2
ID_TYPE_SIZE = 3
# What is said of a repository without a commit, and revisions that are HEAD or reached from it.
NO_COMMIT = "HEAD has no commit yet"
_FROM_HEAD = re.compile(r"(?:HEAD|@)(?:[~^@:]|$)")
# What to do about a revision that names nothing, and is like no name.
LIST_NAMES = "`git branch -a` and `git tag` list the names"
# Answers "<id> <type> <size>", or "<name> missing", to the name of an object.
OBJECT_TYPES = ("cat-file", "--batch-check")
HEX_SIZE = {b"sha1": 40, b"sha256": 64}
# The most bytes of a configuration file that are read.
CONFIG_BYTES = 16 << 20
# git reads these files whenever it looks for changes, and blocks if one is a named pipe.
READ_BY_GIT = ("info/attributes", "info/exclude")
# The settings that are used, as git matches their names.
SETTINGS = (
    r"^(search|color|include|includeif)\.|^core\.(pager|quotepath)$|^pager\.search$"
    r"|^remote\.origin\.url$|^blame\.ignorerevsfile$|^core\.attributesfile$"
)
CONFIG = ("config", "-z", "--get-regexp", SETTINGS)
# Where git may have been built to look for the settings of the system, below its own folder.
SYSTEM_CONFIG = ("etc/gitconfig", "share/git-core/gitconfig")


class Running:
    """A running git process; `result` waits for its output, `cancel` ends it."""

    __slots__ = ("_args", "_ok", "_process")

    def __init__(
        self, process: subprocess.Popen[bytes], args: tuple[str, ...], ok: tuple[int, ...]
    ) -> None:
        self._process = process
        self._args = args
        self._ok = ok

    def result(self, stdin: bytes | None = None, timeout: float | None = None) -> bytes:
        """Return the output of the process. Raises GitFailed with git's message if it fails.

        timeout: seconds after which it is ended, which is a failure too.
        """
        try:
            out, err = self._process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired:
            self.cancel()
            raise GitFailed(f"git was not done after {timeout:g} seconds") from None
        except BaseException:
            self.cancel()
            raise
        if self._process.returncode not in self._ok:
            raise failure(self._args, self._process.returncode, err)
        return out

    def cancel(self) -> None:
        """Kill the process."""
        end(self._process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            # buffered input has no reader any more
            with suppress(BrokenPipeError):
                pipe.close()


class GitEnded(Exception):
    """A process of git ended before it answered a request."""


class IdleProcesses:
    """Processes of git that wait for requests, by their arguments; they end with this object.

    After a fork they remain the parent's: the child starts its own.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, *tuple[str, ...]], subprocess.Popen[bytes]] = {}
        weakref.finalize(self, _end_own, self._waiting)

    def take(self, args: tuple[str, ...]) -> subprocess.Popen[bytes] | None:
        """Return a process that nobody else uses now; None if there is none."""
        process = self._waiting.pop((os.getpid(), *args), None)
        if process is None or process.poll() is None:
            return process
        end(process)
        return None

    def keep(self, args: tuple[str, ...], process: subprocess.Popen[bytes]) -> None:
        """Keep a process for the next request; a second one with these arguments is ended."""
        if self._waiting.setdefault((os.getpid(), *args), process) is not process:
            end(process)

    def end(self, but: tuple[str, ...] | None = None) -> None:
        """End the processes that wait now, but for those with these arguments."""
        kept = {key: process for key, process in self._waiting.items() if key[1:] == but}
        _end_own({key: self._waiting[key] for key in self._waiting.keys() - kept.keys()})
        # in place: the finalizer knows this dictionary
        self._waiting.clear()
        self._waiting.update(kept)


def _end_own(processes: dict[tuple[int, *tuple[str, ...]], subprocess.Popen[bytes]]) -> None:
    for (owner, *_), process in processes.items():
        if owner == os.getpid():
            end(process)


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository as seen from a folder of one of its worktrees.

    common_dir: shared by all worktrees; git_dir: of this worktree; worktree: None in a bare
    repository and inside a git directory; prefix: the current folder below the top with a "/" at
    its end, or ""; hexsz: digits of an object id; partial: True if it may be a partial clone;
    apart: it is not the one of the current folder, of which variables of the environment speak.
    """

    common_dir: Path
    git_dir: Path
    worktree: Path | None
    prefix: str
    hexsz: int
    bare: bool
    partial: bool
    apart: bool = False
    _idle: IdleProcesses = field(
        default_factory=IdleProcesses, init=False, compare=False, repr=False
    )

    @property
    def top(self) -> Path:
        """The folder in which git runs: the top of the working tree, else the git directory."""
        return self.worktree or self.git_dir

    @property
    def index_file(self) -> Path:
        """The index of git."""
        chosen = None if self.apart else os.environ.get("GIT_INDEX_FILE")
        return self.top / chosen if chosen else self.git_dir / "index"

    def environment(self) -> dict[str, str]:
        """Return the environment of a process that must find this repository from any folder."""
        where = {"GIT_DIR": str(self.git_dir)}
        if self.worktree is None:
            # otherwise git would take the folder in which it runs for the working tree
            where["GIT_IMPLICIT_WORK_TREE"] = "0"
        else:
            where["GIT_WORK_TREE"] = str(self.worktree)
        return environment((APART if self.apart else LOCATION) | DROPPED) | where

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run git at the top and return its output.

        ok: exit codes that are no failure. Raises GitFailed on others.
        """
        process = self.pipe(*args, env=env, stderr=True, stdin=stdin is not None)
        return Running(process, args, ok).result(stdin)

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> Running:
        """Start git at the top with the user's configuration; `result` waits for its output."""
        command = ("git", *args)
        own = {**self.environment(), **(env or {})}
        process = spawn(command, self.top, own, stdin=False, stderr=True)
        return Running(process, args, ok=(0,))

    def pipe(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bool = True,
        stderr: bool = False,
        stdout: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        """Start git with pipes that the caller reads and writes; stdout: or a file descriptor."""
        command = ("git", *NO_COMMANDS, *args)
        own = {**self.environment(), **(env or {})}
        return spawn(command, self.top, own, stdin=stdin, stderr=stderr, stdout=stdout)

    @contextmanager
    def requests(self, *args: str) -> Iterator[subprocess.Popen[bytes]]:
        """A process of git that answers one request after another, and is kept for the next block.

        The block reads every answer that it asked for. A block that raises ends the process.
        """
        process = self._idle.take(args) or self.pipe(*args)
        try:
            yield process
        except BaseException:
            end(process)
            raise
        self._idle.keep(args, process)

    def end_idle(self, but: tuple[str, ...] | None = None) -> None:
        """End the processes of git that wait for requests, but for those with these arguments."""
        self._idle.end(but)


def environment(without: frozenset[str] = DROPPED) -> dict[str, str]:
    """Return the environment of git processes, without the location of the repository."""
    return {name: value for name, value in os.environ.items() if name not in without} | FIXED


def spawn(
    command: tuple[str, ...],
    cwd: Path,
    env: dict[str, str],
    *,
    stdin: bool,
    stderr: bool,
    stdout: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """Start a process; without `stdin` it reads from /dev/null, never the caller's input.

    Raises GitFailed if git cannot be started, UsageError for an argument that cannot be passed.
    """
    trace.count("git processes")
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
            bufsize=1 << 20,
        )
    except OSError as error:
        if error.filename == command[0]:
            raise GitFailed("git is not on PATH", "install git 2.31 or later") from error
        raise GitFailed(f"git cannot be started: {error}") from error
    except ValueError as error:
        # a NUL, or half a surrogate pair, cannot be an argument of a process
        raise UsageError(f"an argument cannot be passed on to git: {error}") from error


def failure(args: tuple[str, ...], code: int, err: bytes) -> GitFailed:
    """Return the error of a failed git process: its first line, and the rest as the hint."""
    lines = [line.strip() for line in os.fsdecode(err).splitlines() if line.strip()]
    for prefix in ("fatal: ", "error: "):
        for i, line in enumerate(lines):
            if line.startswith(prefix):
                return GitFailed(line.removeprefix(prefix), " ".join(lines[i + 1 :]))
    message = lines[0] if lines else f"ended with code {code}"
    return GitFailed(f"git {args[0]}: {message}", " ".join(lines[1:]))


def without_links(path: str) -> str:
    """An absolute path with the links on its way followed, but not a link to a file at its end.

    That one may be a file of the repository itself.
    """
    if os.path.isdir(path):  # noqa: PTH112  a Path drops what `..` is applied to
        return os.path.realpath(path)
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118


# ---------------------------------------------------------------- open


def open_repo(cwd: Path) -> Repo:
    """Open the repository that git finds from a folder. Raises NotARepository."""
    return open_at_head(cwd)[0]


def open_at_head(cwd: Path, *, apart: bool = False) -> tuple[Repo, Revision | None]:
    """Open a repository and resolve HEAD, with one process of git at most; None if HEAD is unborn.

    apart: the repository of this very folder, whatever the environment says and whatever is above
    it. Raises NotARepository.
    """
    env = _environment_at(cwd, apart=apart)
    return _plain(cwd, env, apart=apart) or _asked(cwd, env, apart=apart)


def open_without_git(cwd: Path, *, apart: bool = False) -> tuple[Repo, Revision] | None:
    """Do what `open_at_head` does, if that takes no process of git; else return None."""
    return _plain(cwd, _environment_at(cwd, apart=apart), apart=apart)


def is_outside(cwd: Path) -> bool:
    """Return True if a folder is known to be in no repository, without a process of git."""
    return plain_repo.is_outside(cwd, environment())


def _environment_at(cwd: Path, *, apart: bool) -> dict[str, str]:
    """The environment in which git finds the repository of a folder."""
    if not apart:
        return environment()
    return environment(APART | DROPPED) | {"GIT_CEILING_DIRECTORIES": str(cwd.resolve().parent)}


def _plain(cwd: Path, env: dict[str, str], *, apart: bool) -> tuple[Repo, Revision] | None:
    found = plain_repo.find(cwd, env)
    if found is None:
        return None
    git_dir = Path(found.top, ".git")
    refuse_irregular(git_dir)
    repo = Repo(
        common_dir=git_dir,
        git_dir=git_dir,
        worktree=Path(found.top),
        prefix=found.prefix,
        hexsz=HEX_SIZE[b"sha1"],
        bare=False,
        partial=False,
        apart=apart,
    )
    return repo, Revision("HEAD", found.commit, found.tree)


def _asked(cwd: Path, env: dict[str, str], *, apart: bool) -> tuple[Repo, Revision | None]:
    process = spawn(("git", *LAYOUT), cwd, env, stdin=False, stderr=True)
    out, err = process.communicate()
    sections = out.split(f"{FENCE}\n".encode())
    if len(sections) != SECTIONS:
        error = failure(LAYOUT, process.returncode, err)
        raise NotARepository(error.message, error.hint)
    facts = sections[0].split()
    if len(facts) != FACTS or facts[2] not in HEX_SIZE:
        raise GitFailed("this git is too old", "install git 2.31 or later")
    common_dir, git_dir, prefix, up = (os.fsdecode(line[:-1]) for line in sections[1:5])
    refuse_irregular(Path(common_dir))
    # `up` is empty at the top and without a working tree, absolute if GIT_WORK_TREE is elsewhere
    has_worktree = facts[1] == b"true" or up
    worktree = Path(cwd, up).resolve() if has_worktree else None
    if worktree is not None and not os.path.isdir(worktree):  # noqa: PTH112  no error escapes
        raise NotARepository(
            f"the working tree '{worktree}' is not a folder",
            "GIT_WORK_TREE or core.worktree names it",
        )
    repo = Repo(
        common_dir=Path(common_dir),
        git_dir=Path(git_dir),
        worktree=worktree,
        prefix=prefix,
        hexsz=HEX_SIZE[facts[2]],
        bare=facts[0] == b"true",
        partial=_is_partial(Path(common_dir)),
        apart=apart,
    )
    ids = sections[5].decode("ascii").split()
    if len(ids) == COMMIT_AND_TREE:
        return repo, Revision("HEAD", ids[0], ids[1])
    return repo, head(repo)


def _is_partial(common_dir: Path) -> bool:
    # Asking git would take a second process. A false positive costs a little time, and a setting
    # in an included file shows at the first missing object.
    try:
        text = regular_file.read(common_dir / "config", CONFIG_BYTES).lower()
    except OSError:
        return False
    return b"promisor" in text or b"partialclone" in text


def refuse_irregular(common_dir: Path) -> None:
    """Raise NotARepository if git would block on a file, or read without end."""
    for name in READ_BY_GIT:
        path = f"{common_dir}/{name}"
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116  as a text it is quick
        except OSError:
            continue
        harmless = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        if not harmless and os.path.realpath(path) != os.devnull:
            raise NotARepository(f"'{path}' is not a regular file", "move it away")


# ---------------------------------------------------------------- revisions


def head(repo: Repo) -> Revision | None:
    """Resolve HEAD; None if it is unborn. Raises BadRevision if its commit or tree is missing."""
    revision = _look_up(repo, "HEAD")
    if revision is not None:
        return revision
    oid = repo.run("rev-parse", "--verify", "--quiet", "HEAD", ok=(0, 1)).decode("ascii").strip()
    if oid and repo.partial:
        raise BadRevision(*_not_fetched("HEAD"))
    if oid:
        raise BadRevision(f"HEAD is {oid}, which this repository does not hold", "run git fsck")
    return None


def resolve(repo: Repo, rev: str) -> Revision:
    """Resolve a revision to commit and tree; of a tree the commit is None. Raises BadRevision."""
    revision = _look_up(repo, rev)
    if revision is None and repo.partial and _names_a_commit(repo, rev):
        raise BadRevision(*_not_fetched(rev))
    if revision is None and _FROM_HEAD.match(rev) and head(repo) is None:
        raise BadRevision(NO_COMMIT, "`git commit` makes one")
    if revision is None and ".." in rev and ":" not in rev:
        raise BadRevision(f"'{rev}' is a range, and names no commit or tree", _of_range(rev))
    if revision is None:
        raise BadRevision(f"'{rev}' names no commit or tree", _similar(repo, rev))
    return revision


def _of_range(rev: str) -> str:
    from shlex import quote

    shown = quote(rev)
    return f"a range is for `git search --changed={shown}` and `git search impact --diff={shown}`"


def _not_fetched(rev: str) -> tuple[str, str]:
    """The message and the hint if a partial clone has a commit without its tree."""
    return (
        f"this partial clone lacks the tree of '{rev}'",
        f"`git ls-tree -r {typed(rev)}` fetches it",
    )


def _names_a_commit(repo: Repo, rev: str) -> bool:
    options = ("--verify", "--quiet", "--end-of-options")
    try:
        return bool(repo.run("rev-parse", *options, f"{rev}^{{commit}}", ok=(0, 1)))
    except SearchError:
        return False


def _look_up(repo: Repo, rev: str) -> Revision | None:
    # Revisions go through stdin, where nothing can be taken for an option. The id is peeled and
    # not the text, because `HEAD:folder` and `:/message` must not be followed by ^{tree}.
    try:
        asked = os.fsencode(rev)
    except UnicodeEncodeError:
        return None
    if b"\n" in asked or b"\0" in asked:
        return None
    try:
        with repo.requests(*OBJECT_TYPES) as process:
            oid, kind = _ask(process, asked, repo.hexsz)
            commit = oid
            if kind == "tag":
                commit, kind = _ask(process, f"{oid}^{{commit}}".encode(), repo.hexsz)
            tree = _ask(process, f"{oid}^{{tree}}".encode(), repo.hexsz)[0] if oid else ""
    except GitEnded:
        return None
    return Revision(rev, commit if kind == "commit" else None, tree) if tree else None


def _ask(process: subprocess.Popen[bytes], name: bytes, hexsz: int) -> tuple[str, str]:
    """Return id and type of an object by name; ("", "") if there is none."""
    assert process.stdout is not None
    send(process, name + b"\n")
    line = process.stdout.readline()
    if not line:
        raise GitEnded
    words = line.decode("utf-8", "replace").split()
    if len(words) == ID_TYPE_SIZE and len(words[0]) == hexsz and words[2].isdecimal():
        return words[0], words[1]
    return "", ""


def send(process: subprocess.Popen[bytes], requests: bytes) -> None:
    """Write requests to a process of git. Raises GitEnded if it does not read any more."""
    assert process.stdin is not None
    try:
        process.stdin.write(requests)
        process.stdin.flush()
    except BrokenPipeError:
        raise GitEnded from None


def _similar(repo: Repo, rev: str) -> str:
    refs = ("refs/heads", "refs/tags", "refs/remotes")
    try:
        out = repo.run("for-each-ref", "--format=%(refname:short)", *refs)
    except SearchError:
        return ""
    near = nearest(rev, os.fsdecode(out).splitlines())
    return near or LIST_NAMES


# ---------------------------------------------------------------- settings


def config(repo: Repo) -> dict[str, list[str]]:
    """Return the values of every setting that is used, in git's order, by its lower-case key."""
    return values_of(_printed(repo.run(*CONFIG, ok=(0, 1))))


def config_at(cwd: Path) -> dict[str, list[str]]:
    """Return the settings that hold in a folder which need not be in a repository."""
    process = spawn(("git", *CONFIG), cwd, environment(), stdin=False, stderr=True)
    return values_of(_printed(Running(process, CONFIG, (0, 1)).result()))


def config_files(repo: Repo) -> list[str]:
    """Return the files of a repository that git may read settings from.

    There are also `own_config_files`, and those that any of them includes.
    """
    return _files_of(repo, "config", "config.worktree")


def _files_of(repo: Repo, *names: str) -> list[str]:
    # hundreds of these belong to one question to many repositories: as texts they are quick
    folders = dict.fromkeys((str(repo.common_dir), str(repo.git_dir)))
    return [f"{folder}/{name}" for folder in folders for name in names]


def own_config_files() -> list[str]:
    """Return the files of the user and the system that git may read settings from."""
    home = os.path.expanduser("~")  # noqa: PTH111  as a text
    folder = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    own = [f"{folder}/git/config", f"{home}/.gitconfig"]
    if "GIT_CONFIG_GLOBAL" in os.environ:
        own = [os.environ["GIT_CONFIG_GLOBAL"]]
    system = [os.environ["GIT_CONFIG_SYSTEM"]] if "GIT_CONFIG_SYSTEM" in os.environ else []
    return [*system, *map(str, _system_files()), *own]


def attribute_files(repo: Repo) -> list[str]:
    """Return the files of a repository, outside of its working tree, with attributes."""
    return _files_of(repo, "info/attributes")


def own_attribute_files() -> list[str]:
    """Return the files of the user and the system that git may read attributes from.

    One more may be named by the setting core.attributesFile.
    """
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "git", "attributes")
    system = (path.with_name("gitattributes") for path in _system_files())
    return list(map(str, (own, *system)))


@cache
def _system_files() -> list[Path]:
    args = ("--exec-path",)
    process = spawn(("git", *args), Path("/"), environment(), stdin=False, stderr=True)
    programs = Path(os.fsdecode(Running(process, args, (0,)).result()).strip())
    # <prefix>/lib/git-core or <prefix>/libexec/git-core
    prefix = programs.parent.parent
    return [Path("/etc/gitconfig"), *(prefix / name for name in SYSTEM_CONFIG)]


def _printed(out: bytes) -> list[str]:
    return os.fsdecode(out).split("\0")[:-1]


def values_of(settings: Iterable[str]) -> dict[str, list[str]]:
    """Return the values of each key of settings as `git config -z` prints them, in order."""
    values: dict[str, list[str]] = {}
    for setting in settings:
        key, separator, value = setting.partition("\n")
        # a key without a value means true
        values.setdefault(key, []).append(value if separator else "true")
    return values
