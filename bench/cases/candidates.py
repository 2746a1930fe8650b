"""What people wrote about code, with the lines they wrote about: candidates for cases.

    python -m bench.cases.candidates CHECKOUT [--kind KIND] [--seed N] [--most N] [--read]

From commits: small ones whose lines are still there at HEAD; the words are the subject and the
body, the lines those of the definitions that hold what is left of the change. From documentation:
sentences that name one definition of the program; the words are the sentence with that name taken
out. Issues come in by way of the commits that name one: their number is printed, the thread is
read elsewhere. A candidate is not a case: somebody reads it first (README.md).
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cases.definitions import Checkout, Place
from bench.filing import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A change of more than this is about several things.
_MOST_LINES = 40
_MOST_FILES = 2
_MOST_PLACES = 3
# Of the lines that a commit added, this share must be there still.
_LEFT = 0.6
# Subjects that tell nothing of what code does.
_CHORES = re.compile(
    r"\b(bump|typos?|release[ds]?|refactor\w*|lint\w*|style|format\w*|merge[ds]?|clean ?up\w*"
    r"|upgrade|dependenc\w+|deps|changelog|readme|docs?|docblocks?|comments?|tests?|specs?|ci"
    r"|rename[ds]?|revert\w*|version|cosmetic\w*|tweaks?|unused|warnings?|travis|whitespace"
    r"|imports?|simplify|phpstan|psalm|mypy|pylint|clippy|rubocop|checkstyle|nits?|sort|reorder"
    r"|annotations?|copyright|spelling|wording|deprecat\w+|indent\w*|empty lines?)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^\s*(\w+(\([^)]*\))?!?: |\[[^]]*\] ?)")
_TRAILER = re.compile(r"^([A-Z][\w-]+-by|git-svn-id): .*$", re.MULTILINE)
_NUMBER = re.compile(r"#(\d+)")
_PROSE = (".md", ".rst", ".adoc", ".txt", ".mdx", ".markdown", ".asciidoc")
_HISTORIES = re.compile(
    r"change|history|release|news|upgrad|authors|contribut|licen", re.IGNORECASE
)
_SPAN = re.compile(r"`+([^`\n]+)`+")
# A name alone, with what it belongs to, or called.
_NAME = re.compile(r"(?:[\w.:#@$\\>-]*[.:#@$\\>])?([A-Za-z_]\w{3,}[?!]?)(?:/\d)?(?:\(.*\))?")
_SENTENCE_WORDS = (5, 40)


@dataclass(frozen=True)
class Candidate:
    """Words of people and the places they may be about."""

    kind: str
    query: str
    source: str
    numbered: bool
    places: tuple[Place, ...]


def from_commits(
    checkout: Checkout, newest: int | None = None, drawn: tuple[int, int] | None = None
) -> Iterator[Candidate]:
    """Commits of which most lines are still there, the newest first; of the `newest` commits.

    `drawn`: only so many of them are looked at, drawn at random: how many, and the seed.
    """
    # other files are not counted, and a clone may lack the largest of them
    endings = sorted({f"*{Path(path).suffix}" for path in checkout.sources if Path(path).suffix})
    log = git(
        *("log", "--no-merges", "--numstat", "--format=%x01%H%x02%s%x02%b%x02"),
        *(() if newest is None else (f"-n{newest}",)),
        *("--", *endings),
        cwd=checkout.folder,
    )
    fitting = []
    entries = log.split("\1")[1:]
    for entry in entries:
        commit, subject, body, numbers = entry.split("\2")
        changed = _changed(numbers, checkout)
        few = 0 < len(changed) <= _MOST_FILES and sum(changed.values()) <= _MOST_LINES
        if few and not _CHORES.search(subject):
            fitting.append((commit, subject, body, changed))
    if drawn is not None:
        count, seed = drawn
        random.Random(seed).shuffle(fitting)
        del fitting[count:]
    # what is older than the commits that were read need not be told apart
    since = "" if newest is None or not entries else entries[-1].split("\2")[0] + ".."
    paths = sorted({path for *_, changed in fitting for path in changed})
    left = _left(checkout, paths, f"{since}HEAD")
    for commit, subject, body, changed in fitting:
        own = left.get(commit, {})
        if sum(map(len, own.values())) < _LEFT * max(1, sum(changed.values())):
            continue
        places = [one for path in own for one in checkout.around(path, own[path])]
        if len(places) > _MOST_PLACES:
            continue
        text = _PREFIX.sub("", subject)
        first = " ".join(_TRAILER.sub("", body).split())[:200]
        query = f"{text} | {first}" if first else text
        numbered = bool(_NUMBER.search(subject + body))
        yield Candidate("commit", query, commit[:12], numbered, tuple(places))


def _left(
    checkout: Checkout, paths: Sequence[str], commits: str
) -> dict[str, dict[str, list[int]]]:
    """The lines of these files at HEAD by which of the commits wrote them, and by file."""
    out: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        for line in git(
            *("blame", "-w", "--incremental", commits, "--", path), cwd=checkout.folder
        ).splitlines():
            found = re.fullmatch(r"([0-9a-f]{40,64}) \d+ (\d+) (\d+)", line)
            if found:
                first, count = int(found[2]), int(found[3])
                out[found[1]][path] += range(first, first + count)
    return out


def _changed(numbers: str, checkout: Checkout) -> dict[str, int]:
    """Lines added to each file of the program."""
    known = frozenset(checkout.sources)
    rows = (line.split("\t") for line in numbers.splitlines() if line.count("\t") == 2)
    return {path: int(added) for added, _, path in rows if path in known and added.isdigit()}


def from_documentation(checkout: Checkout) -> Iterator[Candidate]:
    """Sentences that name what is defined in one or two places."""
    for path in checkout.tracked:
        if not path.lower().endswith(_PROSE) or _HISTORIES.search(path):
            continue
        for line, sentence in _sentences(checkout.folder / path):
            for span in _SPAN.findall(sentence):
                named = _NAME.fullmatch(span)
                places = checkout.by_name.get(named[1], []) if named else []
                if 0 < len(places) <= 2:
                    query = sentence.replace(f"`{span}`", "…")
                    source = f"{path}:{line} {span}"
                    yield Candidate("documentation", query, source, False, tuple(places))
                    break


def _sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Sentences outside blocks of code, each with the line on which its paragraph begins."""
    inside, first, paragraph = False, 0, ""
    lines = path.read_text("utf-8", "replace").splitlines()
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
            continue
        if line.strip() and not inside and not line.startswith(("    ", "\t", "|", "#")):
            first, paragraph = first or number, f"{paragraph} {line.strip()}"
            continue
        for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*])", paragraph):
            least, most = _SENTENCE_WORDS
            if least <= len(sentence.split()) <= most:
                yield first, sentence.strip()
        first, paragraph = 0, ""


_KINDS = {"commit": from_commits, "documentation": from_documentation}


def main() -> None:
    args = _parser().parse_args()
    checkout = Checkout(args.checkout)
    for kind in [args.kind] if args.kind else _KINDS:
        found = list(_KINDS[kind](checkout))
        if args.numbered:
            found = [one for one in found if one.numbered]
        random.Random(args.seed).shuffle(found)
        for one in found[: args.most]:
            print(f"{one.source}  {one.query}")
            for place in one.places:
                print(f"    {place}")
                if args.read:
                    print(_indented(checkout.text(place)))


def _indented(text: str) -> str:
    return "\n".join(f"        {line}" for line in text.splitlines())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cases.candidates",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("checkout", type=Path, help="a clone with its history, clean")
    add("--kind", choices=_KINDS)
    add("--numbered", action="store_true", help="only what names an issue or pull request")
    add("--seed", type=int, default=0, help="of the order")
    add("--most", type=int, default=40, help="of a kind")
    add("--read", action="store_true", help="print the text of the places too")
    return parser


if __name__ == "__main__":
    main()
