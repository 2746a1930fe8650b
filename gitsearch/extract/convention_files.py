"""Recognition of files with rules for contributors, and of the folder that they apply to.

Names are compared without case, as GitHub compares them; CODEOWNERS, for which place and spelling
matter, is left to the caller. Settings inside a file with other purposes are found by content.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

# In the order of output.
KINDS = (
    *("agents", "contributing", "style", "owners", "template", "conduct", "security"),
    *("lint", "hooks", "editor", "attributes"),
)
PROSE = frozenset({"agents", "contributing", "style", "template", "conduct", "security"})


class RuleFile(NamedTuple):
    """A file with rules: its kind, its tool ("": none), the folder it applies to ("": all)."""

    kind: str
    tool: str
    scope: str


def _parse(table: str) -> dict[str, str]:
    """Return the first column of a table, by each word of the second one."""
    rows = (row.split(":") for row in table.strip().splitlines())
    return {word: first.strip() for first, words in rows for word in words.split()}


# Agents, and the files of their instructions. A folder of such files ends in "/", and applies to
# the folder that contains it.
_AGENTS = _parse("""
    AGENTS.md: agent.md agents.md agents.override.md
    Aider: .aider.conf.yml
    Amazon Q: .amazonq/rules/
    Augment: .augment/rules/
    Claude Code: claude.md .claude/rules/
    Cline: .clinerules .clinerules/
    Codex: codex.md
    Continue: .continue/rules/
    Crush: crush.md
    Cursor: .cursorrules .cursor/rules/
    Gemini: gemini.md
    GitHub Copilot: copilot-instructions.md .github/instructions/
    Goose: .goosehints
    Junie: .junie/
    Kiro: .kiro/steering/
    Qwen: qwen.md
    Roo Code: .roorules .roo/rules/
    Trae: .trae/rules/
    Warp: warp.md
    Windsurf: .windsurfrules .windsurf/rules/
    Zed: .rules
""")
_AGENT_FOLDERS = {place: tool for place, tool in _AGENTS.items() if place.endswith("/")}
_INSTRUCTIONS = (".md", ".mdc", ".txt")

# Top-level folders whose files apply to the whole repository.
_CONTAINERS = (".github", ".gitlab", ".claude", "docs", "doc")

_TEXTS = ("", ".md", ".markdown", ".rst", ".txt", ".adoc", ".org")
_DOCUMENTS = _parse("""
    contributing: contributing hacking
    conduct: code_of_conduct code-of-conduct
    template: pull_request_template
    style: styleguide style_guide style-guide code_style code-style codestyle coding_style
    style: coding-style codingstyle coding_standards coding-standards coding_guidelines
    style: coding-guidelines coding_conventions coding-conventions conventions
""")
# Below the top level, such a name is mostly a page about something else.
_AT_TOP = {"security": "security", "style": "style"}
_TEMPLATES = ("pull_request_template", "merge_request_templates")

# Linters and formatters, and the names of their settings; one that ends in "*" may have any of
# several extensions.
_SETTINGS = re.compile(r"(?:\.(?:[cm]?[jt]s|jsonc?|json5|ya?ml|toml|ini|cfg|xml|neon|conf))?$")
_LINTERS = _parse("""
    Bandit: .bandit
    Biome: biome.json biome.jsonc
    cargo-deny: deny.toml
    Checkstyle: .checkstyle checkstyle*
    clang-format: .clang-format _clang-format
    clang-tidy: .clang-tidy
    Clippy: .clippy.toml clippy.toml
    codespell: .codespellrc
    commitlint: .commitlintrc* commitlint.config*
    Credo: .credo.exs
    detekt: detekt*
    dprint: .dprint.json dprint.json
    ESLint: .eslintrc* eslint.config*
    Flake8: .flake8
    Fourmolu: fourmolu*
    golangci-lint: .golangci*
    hadolint: .hadolint*
    HLint: .hlint*
    isort: .isort.cfg
    lint-staged: .lintstagedrc* lint-staged.config*
    Luacheck: .luacheckrc
    markdownlint: .markdownlint* .markdownlint-cli2*
    mix format: .formatter.exs
    mypy: .mypy.ini mypy.ini
    Oxlint: .oxlintrc.json
    PHP CS Fixer: .php-cs-fixer.dist.php .php-cs-fixer.php
    PHP_CodeSniffer: .phpcs.xml .phpcs.xml.dist phpcs.xml phpcs.xml.dist
    PHPStan: phpstan.neon phpstan.neon.dist
    Prettier: .prettierignore .prettierrc* prettier.config*
    Psalm: psalm.xml
    Pylint: .pylintrc* pylintrc*
    Pyright: pyrightconfig.json
    RuboCop: .rubocop* .rubocop_todo*
    Ruff: .ruff.toml ruff.toml
    rustfmt: .rustfmt.toml rustfmt.toml
    Scalafix: .scalafix.conf
    Scalafmt: .scalafmt.conf
    ShellCheck: .shellcheckrc
    SQLFluff: .sqlfluff
    Standard: .standard.yml
    Stylelint: .stylelintrc* stylelint.config*
    StyLua: .stylua.toml stylua.toml
    swift-format: .swift-format
    SwiftFormat: .swiftformat
    SwiftLint: .swiftlint*
    Taplo: .taplo.toml taplo.toml
    typos: .typos.toml _typos.toml typos.toml
    Vale: .vale.ini
    yamllint: .yamllint*
    YAPF: .style.yapf
""")
_OTHERS = {
    ".editorconfig": ("editor", "EditorConfig"),
    ".gitattributes": ("attributes", "git"),
    ".lefthook.yml": ("hooks", "Lefthook"),
    ".pre-commit-config.yaml": ("hooks", "pre-commit"),
    ".pre-commit-config.yml": ("hooks", "pre-commit"),
    "lefthook.yml": ("hooks", "Lefthook"),
}
# Folders whose settings apply to the folder that contains them.
_SETTING_FOLDERS = frozenset(
    {".config", ".github", "checkstyle", "config", "configs", "detekt", "lint", "linters"}
)
_HUSKY = ".husky"

# Files with other purposes, and the settings of linters and formatters in them.
_EMBEDDED = {
    "pyproject.toml": re.compile(
        rb"^\[tool\.(autopep8|black|codespell|djlint|flake8|isort|mypy|pylint|pyright|ruff|yapf)\b",
        re.MULTILINE,
    ),
    "setup.cfg": re.compile(
        rb"^\[(codespell|flake8|isort|mypy|pycodestyle|pylint|yapf)\b", re.MULTILINE
    ),
    "tox.ini": re.compile(rb"^\[(flake8|isort|pycodestyle|pylint)\b", re.MULTILINE),
    "package.json": re.compile(
        rb'^ {0,4}\t?"(commitlint|eslintConfig|lint-staged|prettier|stylelint|xo)"\s*:\s*[\[{"]',
        re.MULTILINE,
    ),
    "cargo.toml": re.compile(rb"^\[(?:workspace\.)?(lints)\b", re.MULTILINE),
}


def recognised(path: str) -> RuleFile | None:
    """Return the file with rules that a path names, None if the path alone proves none."""
    folder, _, name = path.rpartition("/")
    lower, inside = name.lower(), f"/{folder.lower()}/"
    last = inside.split("/")[-2]
    for place, agent in _AGENT_FOLDERS.items() if "/." in inside else ():
        start = inside.find(f"/{place}")
        if start >= 0 and lower.endswith(_INSTRUCTIONS):
            return RuleFile("agents", agent, _scope(folder[:start].rstrip("/")))
    if lower in _AGENTS:
        return RuleFile("agents", _AGENTS[lower], _scope(folder, (".claude", ".github")))
    if lower in _OTHERS:
        return RuleFile(*_OTHERS[lower], _scope(folder))
    linter = _LINTERS.get(lower) or _LINTERS.get(_SETTINGS.sub("", lower, count=1) + "*")
    if linter:
        # the folder above those that only hold settings
        return RuleFile("lint", linter, _scope(folder, *[_SETTING_FOLDERS] * inside.count("/")))
    if last == _HUSKY and not name.startswith("."):
        return RuleFile("hooks", "Husky", _scope(folder, (_HUSKY,)))
    kind = _document(inside, last, lower)
    return RuleFile(kind, "", _scope(folder, _TEMPLATES, _CONTAINERS)) if kind else None


def may_embed(path: str) -> bool:
    """Return True if a file may contain settings, which only its content tells."""
    return path.rpartition("/")[2].lower() in _EMBEDDED


def embedded(path: str, data: bytes) -> RuleFile | None:
    """Return the settings in a file for which `may_embed` is true, None if it has none."""
    folder, _, name = path.rpartition("/")
    tools = _EMBEDDED[name.lower()].findall(data)
    if not tools:
        return None
    names = ", ".join(sorted({tool.decode("ascii") for tool in tools}))
    return RuleFile("lint", names, _scope(folder))


def _document(folder: str, last: str, name: str) -> str:
    if last in _TEMPLATES and name.endswith(_INSTRUCTIONS):
        return "template"
    stem, dot, ending = name.partition(".")
    if dot + ending not in _TEXTS:
        return ""
    at_top = folder.strip("/") in ("", *_CONTAINERS)
    return _DOCUMENTS.get(stem, "") or (_AT_TOP.get(stem, "") if at_top else "")


def _scope(folder: str, *holders: Collection[str]) -> str:
    """Return the folder that a file applies to: its own, without each holder at the end of it."""
    names = folder.split("/")
    for holder in holders:
        if names and names[-1].lower() in holder:
            names.pop()
    return "".join(f"{name}/" for name in names if folder)
