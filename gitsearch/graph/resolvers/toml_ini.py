"""Parsers of TOML and INI settings files that accept any content, in time linear in its size."""

from __future__ import annotations

import configparser
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

# Characters; a larger settings file is not written by people.
_MAX_LENGTH = 1 << 18

# Dots in one line. The time that tomllib takes for a dotted key grows with the square of their
# number: a line with 50,000 took 52 s.
_MAX_DOTS = 200

# In a line without a delimiter configparser scans each run of blanks from each of its positions:
# 200,000 blanks took minutes.
_BLANKS = re.compile(r"(?<=\S)[^\S\n]+")


def toml(text: str | None) -> dict[str, Any]:
    """Parse a TOML file; return {} if it is missing, too large or malformed."""
    if text is None or len(text) > _MAX_LENGTH:
        return {}
    if any(line.count(".") > _MAX_DOTS for line in text.splitlines()):
        return {}
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # a number of 5,000 digits raises ValueError, too
        return {}


def ini(text: str | None, wanted: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Parse an INI file; return the lines of each value by section and option.

    Only the sections in `wanted` are returned. The result is empty if the file is missing, too
    large or malformed.
    """
    if text is None or len(text) > _MAX_LENGTH:
        return {}
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(_BLANKS.sub(" ", text))
    except configparser.Error:
        return {}
    # parser.items() includes the options of the section DEFAULT in each section
    return {
        (section, option): [line.strip() for line in (value or "").splitlines()]
        for section in wanted
        if parser.has_section(section)
        for option, value in parser.items(section)
    }
