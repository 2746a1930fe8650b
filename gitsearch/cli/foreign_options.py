"""Options of `git grep` and ripgrep that a search has under another name, or does not have."""

from __future__ import annotations

from collections.abc import Mapping

_FILES = "name files after --: git search <query> -- '*.c' ':!test'"
_BOTH = "--grep <regex> asks for lines that match it, too"
_LANGUAGES = "-t names languages, and pathspecs leave files out: -- ':!*.c'"

# What to do instead, by the name of the option.
INSTEAD: Mapping[str, str] = {
    "-m": "-k <n> limits the results",
    **dict.fromkeys(("-g", "--glob", "--include", "--exclude"), _FILES),
    **dict.fromkeys(("-T", "--type-not"), _LANGUAGES),
    **dict.fromkeys(("--heading", "--break"), "results have headings on a terminal"),
    **dict.fromkeys(("-p", "--show-function"), "-W shows the definition around a result"),
    **dict.fromkeys(("-a", "--text"), "`git grep -a` searches binary files"),
    **dict.fromkeys(("--and", "--all-match"), _BOTH),
    "--or": "several -e are alternatives with -F, -E or -P",
    "--not": "-v finds lines that do not match",
    **dict.fromkeys(("-G", "--basic-regexp"), "-E or -P finds a regular expression"),
    **dict.fromkeys(("-U", "--multiline"), "a match lies within a line"),
    **dict.fromkeys(("-x", "--line-regexp"), "with -E: '^(...)$'"),
}
