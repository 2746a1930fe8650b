"""Git attributes of paths, by the .gitattributes files of their own tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitsearch.git import regular_file
from gitsearch.git.blobs import read_blobs
from gitsearch.git.repo import Repo
from gitsearch.git.trees import object_store, private_index
from gitsearch.git_conventions import ATTRIBUTES_FILE, MODE_EXECUTABLE, MODE_FILE
from gitsearch.records import TreeEntry

NAMES = (
    *("search", "binary", "diff"),
    *("linguist-generated", "linguist-vendored", "linguist-documentation"),
)
# git does not read an attributes file that is a symbolic link.
FILE_MODES = (MODE_FILE, MODE_EXECUTABLE)
# A file without any of these words cannot set one of the attributes: a macro has to name what it
# expands to.
WORDS = (b"search", b"linguist-", b"binary", b"diff")
# git ignores an attributes file that is larger.
MOST_BYTES = 100 << 20


def attributes(
    repo: Repo, entries: Iterable[TreeEntry], contents: Mapping[str, bytes] | None = None
) -> dict[bytes, dict[str, str]]:
    """Return the attributes of `NAMES` of each path that has any: "set", "unset" or a value.

    The working tree, the user's file and the machine's are ignored; `info/attributes` of the
    repository counts, as in git. contents: blobs that git does not store, by id.
    """
    entries = list(entries)
    files = _files(repo, entries, contents or {})
    if not files and not _matters(info_attributes(repo)):
        return {}
    with temporary_index(repo, files) as (folder, env):
        for file in files:
            if contents and file.oid in contents:
                repo.run("hash-object", "-w", "--stdin", stdin=contents[file.oid], env=env)
        out = repo.run(
            *("-C", folder, "-c", "core.attributesFile=/dev/null"),
            *("check-attr", "--cached", "--all", "-z", "--stdin"),
            stdin=b"".join(entry.path + b"\0" for entry in entries),
            # the folder has no attributes file that git could find in the working tree
            env=env | {"GIT_ATTR_NOSYSTEM": "1", "GIT_WORK_TREE": folder},
        )
    return values_by_path(out, NAMES, ("unspecified",))


@contextmanager
def temporary_index(
    repo: Repo, entries: Iterable[TreeEntry]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Make an index with these entries and an object store, both in a temporary folder.

    Yields the folder, and the environment that selects both.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="git-search-") as name:
        folder = Path(name)
        yield name, private_index(repo, folder, entries) | object_store(repo, folder)


def _files(repo: Repo, entries: list[TreeEntry], contents: Mapping[str, bytes]) -> list[TreeEntry]:
    """The attribute files among the entries; [] if none of them can set an attribute of ours."""
    files = [
        entry
        for entry in entries
        if entry.path.rpartition(b"/")[2] == ATTRIBUTES_FILE and entry.mode in FILE_MODES
    ]
    oids = list(dict.fromkeys(entry.oid for entry in files if entry.oid not in contents))
    texts = {entry.oid: contents[entry.oid] for entry in files if entry.oid in contents}
    texts |= {oid: data for oid, data in read_blobs(repo, oids) if data is not None}
    if any(_matters(text) for text in texts.values()):
        # git would end at an absent one, as it may not fetch it
        return [entry for entry in files if entry.oid in texts]
    return []


def _matters(text: bytes) -> bool:
    return any(word in text for word in WORDS)


def info_attributes(repo: Repo) -> bytes:
    """Return the content of the repository's `info/attributes`; b"" if there is none."""
    try:
        return regular_file.read(f"{repo.common_dir}/info/attributes", MOST_BYTES)
    except OSError:
        return b""


def values_by_path(
    out: bytes, names: Collection[str], without: Collection[str]
) -> dict[bytes, dict[str, str]]:
    """Parse the output of `git check-attr -z`: the values of some attributes, by path and name.

    Values in `without` are left out.
    """
    fields = out.split(b"\0")
    values: dict[bytes, dict[str, str]] = {}
    for path, raw_name, raw_value in zip(fields[:-1:3], fields[1::3], fields[2::3], strict=True):
        name, value = raw_name.decode("utf-8", "replace"), raw_value.decode("utf-8", "replace")
        if name in names and value not in without:
            values.setdefault(path, {})[name] = value
    return values
