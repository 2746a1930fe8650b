"""Hold the cases against their repositories.

    python -m bench.cases.checking CHECKOUTS [--write] [--questions]

For every case, those of howto.jsonl too: its lines are there and say something; they do not say
the words of the query themselves; the place it was taken from is there. Documents in which the
words stand, by which a search would find what is already known, are listed as `hidden`; --write
brings that list up to date. Of questions.jsonl and written.jsonl only the lines are looked at,
with --questions instead of all others. Reading the lines and deciding that they answer is left to
people.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from bench.cases import CASES, HOWTO, QUESTIONS, WRITTEN
from bench.cases.definitions import Checkout, words
from bench.filing import git

if TYPE_CHECKING:
    from collections.abc import Iterator

# So many words in a row are a quotation; of shorter queries all of them.
_QUOTED = 5
_PROSE = (".md", ".rst", ".adoc", ".txt", ".mdx", ".markdown", ".asciidoc", ".1", ".html")


def read(path: Path = CASES) -> list[dict[str, Any]]:
    """All cases, in the order of the file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def checkout_name(repo: str) -> str:
    """The folder of a repository among the checkouts."""
    return repo.replace("/", "+")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cases.checking",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkouts", type=Path, help="clones, named owner+name")
    parser.add_argument(
        "--write", action="store_true", help="bring the hidden documents up to date"
    )
    parser.add_argument("--questions", action="store_true", help="the questions to choose by")
    args = parser.parse_args()
    if args.questions:
        _check_places([*read(QUESTIONS), *read(WRITTEN)], args.checkouts)
    cases, wrong = read(), 0
    for case in cases:
        checkout = _at_revision(args.checkouts / checkout_name(case["repo"]), case["revision"])
        hidden = sorted(_quoting(case["query"], _documents(checkout.folder)))
        if args.write:
            case["hidden"] = hidden
        for complaint in _complaints(case, hidden, checkout):
            print(f"{case['id']}: {complaint}")
            wrong += 1
    if args.write:
        rows = [json.dumps(case, ensure_ascii=False) + "\n" for case in cases]
        CASES.write_text("".join(rows), encoding="utf-8")
    asked = read(HOWTO)
    for case in asked:
        checkout = _at_revision(args.checkouts / checkout_name(case["repo"]), case["revision"])
        for complaint in _misplaced([*case["targets"], *case["code"]], case["query"], checkout):
            print(f"{case['id']}: {complaint}")
            wrong += 1
    print(f"{len(cases) + len(asked)} cases, {wrong} complaints")
    sys.exit(wrong > 0)


def _check_places(cases: list[dict[str, Any]], checkouts: Path) -> NoReturn:
    """Say which lines are not there or quote their question, and exit."""
    wrong = 0
    for case in cases:
        checkout = _at_revision(checkouts / checkout_name(case["repo"]), case["revision"])
        for complaint in _misplaced(case["targets"], case["query"], checkout):
            print(f"{case['id']}: {complaint}")
            wrong += 1
    print(f"{len(cases)} questions, {wrong} complaints")
    sys.exit(wrong > 0)


@cache
def _at_revision(folder: Path, revision: str) -> Checkout:
    if git("rev-parse", "HEAD", cwd=folder) != revision:
        sys.exit(f"{folder} is not at {revision}")
    return Checkout(folder)


def _complaints(case: dict[str, Any], hidden: list[str], checkout: Checkout) -> Iterator[str]:
    yield from _misplaced(case["targets"], case["query"], checkout)
    for target in case["targets"]:
        if target["path"] in hidden:
            yield f"{target['path']} is a document"
    for path in _quoting(case["query"], _sources(checkout.folder)):
        if path not in {target["path"] for target in case["targets"]}:
            yield f"{path} quotes the query"
    if case.get("hidden") != hidden:
        yield f"hidden documents are {hidden}"
    yield from _unfounded(case, checkout)


def _misplaced(targets: list[dict[str, Any]], query: str, checkout: Checkout) -> Iterator[str]:
    """What is wrong with lines that are said to answer."""
    for target in targets:
        path = checkout.folder / target["path"]
        if not path.is_file():
            yield f"{target['path']} is not there"
            continue
        lines = path.read_text("utf-8", "replace").splitlines()
        if target["end"] > len(lines):
            yield f"{target['path']} ends before line {target['end']}"
            continue
        own = lines[target["start"] - 1 : target["end"]]
        if not own[0].strip() or not own[-1].strip():
            yield f"{target['path']}:{target['start']}-{target['end']} has a blank line at an end"
        if quotes(tuple(words("\n".join(own))), query):
            yield f"{target['path']}:{target['start']}-{target['end']} quotes the query"


def _unfounded(case: dict[str, Any], checkout: Checkout) -> Iterator[str]:
    source = case["source"]
    if "commit" in source:
        kind = git("cat-file", "-t", source["commit"], cwd=checkout.folder)
        if kind != "commit":
            yield f"{source['commit']} is no commit"
    if "path" in source:
        text = (checkout.folder / source["path"]).read_text("utf-8", "replace").splitlines()
        near = words(" ".join(text[source["line"] - 1 : source["line"] + 11]))
        missing = set(words(case["query"])) - set(near)
        if len(missing) > len(set(words(case["query"]))) / 3:
            yield f"{source['path']}:{source['line']} does not say {sorted(missing)}"


Texts = list[tuple[str, tuple[str, ...]]]


def _quoting(query: str, texts: Texts) -> Iterator[str]:
    return (path for path, text in texts if quotes(text, query))


@cache
def _documents(folder: Path) -> Texts:
    """The words of every document of a checkout."""
    return _texts(
        folder, [one for one in Checkout(folder).tracked if one.lower().endswith(_PROSE)]
    )


@cache
def _sources(folder: Path) -> Texts:
    """The words of every file of the program."""
    return _texts(folder, Checkout(folder).sources)


def _texts(folder: Path, paths: list[str]) -> Texts:
    return [(path, tuple(words((folder / path).read_text("utf-8", "replace")))) for path in paths]


def quotes(text: tuple[str, ...], query: str) -> bool:
    """Whether a text has some words of the query in a row."""
    asked = words(query)
    length = min(_QUOTED, len(asked))
    joined = f" {' '.join(text)} "
    return any(
        f" {' '.join(asked[i : i + length])} " in joined for i in range(len(asked) - length + 1)
    )


if __name__ == "__main__":
    main()
