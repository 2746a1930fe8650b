"""Settings files in TOML and INI as tables; whatever a file holds, in time linear in its size."""

from __future__ import annotations

import configparser
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

# Characters of a file that people write.
_LARGEST = 1 << 18

# The time that tomllib takes for a key with dots grows with the square of their number: a line of
# 50,000 took 52 s.
_DOTS = 200

# For a line without a delimiter configparser looks at each run of blanks from each of its places:
# 200,000 blanks took minutes.
_BLANKS = re.compile(r"(?<=\S)[^\S\n]+")


def toml(text: str | None) -> dict[str, Any]:
    """What a TOML file says; empty for anything else."""
    if text is None or len(text) > _LARGEST:
        return {}
    if any(line.count(".") > _DOTS for line in text.splitlines()):
        return {}
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # a number of 5,000 digits is a ValueError, too
        return {}


def ini(text: str | None, wanted: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """The lines of the values in some sections of an INI file, by section and option."""
    if text is None or len(text) > _LARGEST:
        return {}
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(_BLANKS.sub(" ", text))
    except configparser.Error:
        return {}
    # of all sections each would have all options of the section DEFAULT
    return {
        (section, option): [line.strip() for line in (value or "").splitlines()]
        for section in wanted
        if parser.has_section(section)
        for option, value in parser.items(section)
    }
