"""Settings files of other tools, made to take for ever or to be more than a parser takes."""

from __future__ import annotations

import json

import pytest

from tests.hostile.outcome import survived

SIZE = 200_000
NAMES = [f"d{number}" for number in range(SIZE // 8)]
SECTIONS = "\n".join(f"[s{number}]" for number in range(SIZE // 20))
DEFAULTS = "\n".join(f"k{number} = 1" for number in range(SIZE // 20))

# The file, the text of it, and a source file whose imports make the program read it.
CASES = {
    "a TOML key of many parts": ("Cargo.toml", "a" + ".a" * (SIZE // 2) + " = 1"),
    "a TOML table of many parts": ("Cargo.toml", "[a" + ".a" * (SIZE // 2) + "]"),
    "a TOML number of 5,000 digits": ("Cargo.toml", "a = " + "9" * 5000),
    "TOML arrays in arrays": ("pyproject.toml", "a = " + "[" * SIZE),
    "an INI line of blanks": ("setup.cfg", "[a]\nb" + " " * SIZE + "c"),
    "an INI line of other blanks": ("setup.cfg", "[a]\nb" + "\x1c" * SIZE + "c"),
    "INI defaults for many sections": ("setup.cfg", f"[DEFAULT]\n{DEFAULTS}\n{SECTIONS}"),
    "JSON in JSON": ("package.json", '{"a":' * (SIZE // 5)),
    "a JSON number of 5,000 digits": ("tsconfig.json", '{"a": ' + "9" * 5000 + "}"),
    "many folders of one prefix": (
        "composer.json",
        json.dumps({"autoload": {"psr-4": {"A\\": NAMES}}}),
    ),
    "a glob of many stars": ("Cargo.toml", '[workspace]\nmembers = ["' + "*a" * 3000 + '"]'),
    "many braces": ("package.json", json.dumps({"workspaces": ["{a,b}" * 200]})),
}
SOURCES = {
    "m.py": "from a.b import c\n",
    "m.rs": "use a::b;\n",
    "m.ts": 'import { b } from "a/b";\n',
    "m.php": "<?php\nuse A\\B;\n",
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.long
def test_settings_are_read_in_time_or_not_at_all(installed, repo, case):
    name, text = CASES[case]
    repo.write(name, text)
    for path, source in SOURCES.items():
        repo.write(path, source)
    repo.commit()
    for path in SOURCES:
        survived(installed, "impact", path, cwd=repo.path, codes={0, 1})
