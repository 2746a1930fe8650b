"""The attributes of paths, decided by the .gitattributes files of the tree they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from gitsearch.git import regular_file
from gitsearch.git.blobs import read_blobs
from gitsearch.git.repo import Repo
from gitsearch.git.trees import object_store, private_index
from gitsearch.records import TreeEntry

NAMES = frozenset(
    {
        "search",
        "linguist-generated",
        "linguist-vendored",
        "linguist-documentation",
        "binary",
        "diff",
    }
)
FILE = b".gitattributes"
# git reads the file of a symbolic link as little as we do.
FILE_MODES = (0o100644, 0o100755)
# A file that names none of them cannot decide any: a macro has to name what it stands for.
WORDS = (b"search", b"linguist-", b"binary", b"diff")
UNSPECIFIED = "unspecified"
# git ignores an attributes file that is larger.
MOST_BYTES = 100 << 20


def attributes(
    repo: Repo, entries: Iterable[TreeEntry], contents: Mapping[str, bytes] | None = None
) -> dict[bytes, dict[str, str]]:
    """Which of our attributes each path has: "set", "unset" or a value; never an empty dict.

    What is checked out, the user's own file and the machine's have no say; `info/attributes` of
    the repository has, as in git. `contents` holds blobs that git does not store, by id.
    """
    entries = list(entries)
    files = _files(repo, entries, contents or {})
    if not files and not _matters(info_attributes(repo)):
        return {}
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="git-search-") as name:
        folder = Path(name)
        store = object_store(repo, folder)
        for file in files:
            if contents and file.oid in contents:
                repo.run("hash-object", "-w", "--stdin", stdin=contents[file.oid], env=store)
        env = private_index(repo, folder, files) | {
            **store,
            "GIT_ATTR_NOSYSTEM": "1",
            # empty: wherever git looks for a file of the working tree, there is none
            "GIT_WORK_TREE": str(folder),
        }
        out = repo.run(
            *("-C", str(folder), "-c", "core.attributesFile=/dev/null"),
            *("check-attr", "--cached", "--all", "-z", "--stdin"),
            stdin=b"".join(entry.path + b"\0" for entry in entries),
            env=env,
        )
    return _parse(out)


def _files(repo: Repo, entries: list[TreeEntry], contents: Mapping[str, bytes]) -> list[TreeEntry]:
    """The attribute files among the entries, unless none of them matters."""
    files = [
        entry
        for entry in entries
        if entry.path.rpartition(b"/")[2] == FILE and entry.mode in FILE_MODES
    ]
    oids = list(dict.fromkeys(e.oid for e in files if e.oid not in contents))
    texts = {entry.oid: contents[entry.oid] for entry in files if entry.oid in contents}
    texts |= {oid: data for oid, data in read_blobs(repo, oids) if data is not None}
    if any(_matters(text) for text in texts.values()):
        # an absent one would end git where it may not be fetched
        return [entry for entry in files if entry.oid in texts]
    return []


def _matters(text: bytes) -> bool:
    return any(word in text for word in WORDS)


def info_attributes(repo: Repo) -> bytes:
    """The repository's own attributes file, which no tree holds; b"" without one."""
    try:
        return regular_file.read(repo.common_dir / "info" / "attributes", MOST_BYTES)
    except OSError:
        return b""


def _parse(out: bytes) -> dict[bytes, dict[str, str]]:
    fields = out.split(b"\0")
    found: dict[bytes, dict[str, str]] = {}
    for path, raw_name, raw_value in zip(fields[:-1:3], fields[1::3], fields[2::3], strict=True):
        name, value = raw_name.decode("utf-8", "replace"), raw_value.decode("utf-8", "replace")
        if name in NAMES and value != UNSPECIFIED:
            found.setdefault(path, {})[name] = value
    return found
