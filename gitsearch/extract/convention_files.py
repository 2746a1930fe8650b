"""Recognition of files with rules for contributors, and of the folder that they apply to.

Names are compared without case, as GitHub compares them; CODEOWNERS, for which place and spelling
matter, is left to the caller. Settings inside a file with other purposes are found by content.
"""

from __future__ import annotations

import re
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


_AGENTS = {
    "agent.md": "AGENTS.md",
    "agents.md": "AGENTS.md",
    "agents.override.md": "AGENTS.md",
    "claude.md": "Claude Code",
    "codex.md": "Codex",
    "copilot-instructions.md": "GitHub Copilot",
    "crush.md": "Crush",
    "gemini.md": "Gemini",
    "qwen.md": "Qwen",
    "warp.md": "Warp",
    ".aider.conf.yml": "Aider",
    ".clinerules": "Cline",
    ".cursorrules": "Cursor",
    ".goosehints": "Goose",
    ".roorules": "Roo Code",
    ".rules": "Zed",
    ".windsurfrules": "Windsurf",
}

# Folders of instructions to one agent, which apply to the folder that contains them.
_AGENT_FOLDERS = {
    ".amazonq/rules": "Amazon Q",
    ".augment/rules": "Augment",
    ".claude/rules": "Claude Code",
    ".clinerules": "Cline",
    ".continue/rules": "Continue",
    ".cursor/rules": "Cursor",
    ".github/instructions": "GitHub Copilot",
    ".junie": "Junie",
    ".kiro/steering": "Kiro",
    ".roo/rules": "Roo Code",
    ".trae/rules": "Trae",
    ".windsurf/rules": "Windsurf",
}
_INSTRUCTIONS = (".md", ".mdc", ".txt")

# Top-level folders whose files apply to the whole repository.
_CONTAINERS = (".github", ".gitlab", ".claude", "docs", "doc")

_TEXTS = ("", ".md", ".markdown", ".rst", ".txt", ".adoc", ".org")
_DOCUMENTS = {
    "contributing": "contributing",
    "hacking": "contributing",
    "code_of_conduct": "conduct",
    "code-of-conduct": "conduct",
    "pull_request_template": "template",
    "styleguide": "style",
    "style_guide": "style",
    "style-guide": "style",
    "code_style": "style",
    "code-style": "style",
    "codestyle": "style",
    "coding_style": "style",
    "coding-style": "style",
    "codingstyle": "style",
    "coding_standards": "style",
    "coding-standards": "style",
    "coding_guidelines": "style",
    "coding-guidelines": "style",
    "coding_conventions": "style",
    "coding-conventions": "style",
    "conventions": "style",
}
# Below the top level, such a name is mostly a page about something else.
_AT_TOP = {"security": "security", "style": "style"}
_TEMPLATES = ("pull_request_template", "merge_request_templates")

# Settings whose name may have any of several extensions.
_SETTINGS = re.compile(r"(?:\.(?:[cm]?[jt]s|jsonc?|json5|ya?ml|toml|ini|cfg|xml|neon|conf))?$")
_STEMS = {
    ".commitlintrc": "commitlint",
    ".eslintrc": "ESLint",
    ".golangci": "golangci-lint",
    ".hadolint": "hadolint",
    ".hlint": "HLint",
    ".lintstagedrc": "lint-staged",
    ".markdownlint": "markdownlint",
    ".markdownlint-cli2": "markdownlint",
    ".prettierrc": "Prettier",
    ".pylintrc": "Pylint",
    ".rubocop": "RuboCop",
    ".rubocop_todo": "RuboCop",
    ".stylelintrc": "Stylelint",
    ".swiftlint": "SwiftLint",
    ".yamllint": "yamllint",
    "checkstyle": "Checkstyle",
    "commitlint.config": "commitlint",
    "detekt": "detekt",
    "eslint.config": "ESLint",
    "fourmolu": "Fourmolu",
    "lint-staged.config": "lint-staged",
    "prettier.config": "Prettier",
    "pylintrc": "Pylint",
    "stylelint.config": "Stylelint",
}
_NAMES = {
    ".bandit": "Bandit",
    ".checkstyle": "Checkstyle",
    ".clang-format": "clang-format",
    ".clang-tidy": "clang-tidy",
    ".clippy.toml": "Clippy",
    ".codespellrc": "codespell",
    ".credo.exs": "Credo",
    ".dprint.json": "dprint",
    ".flake8": "Flake8",
    ".formatter.exs": "mix format",
    ".isort.cfg": "isort",
    ".luacheckrc": "Luacheck",
    ".mypy.ini": "mypy",
    ".oxlintrc.json": "Oxlint",
    ".php-cs-fixer.dist.php": "PHP CS Fixer",
    ".php-cs-fixer.php": "PHP CS Fixer",
    ".phpcs.xml": "PHP_CodeSniffer",
    ".phpcs.xml.dist": "PHP_CodeSniffer",
    ".prettierignore": "Prettier",
    ".ruff.toml": "Ruff",
    ".rustfmt.toml": "rustfmt",
    ".scalafix.conf": "Scalafix",
    ".scalafmt.conf": "Scalafmt",
    ".shellcheckrc": "ShellCheck",
    ".sqlfluff": "SQLFluff",
    ".standard.yml": "Standard",
    ".style.yapf": "YAPF",
    ".stylua.toml": "StyLua",
    ".swift-format": "swift-format",
    ".swiftformat": "SwiftFormat",
    ".taplo.toml": "Taplo",
    ".typos.toml": "typos",
    ".vale.ini": "Vale",
    "_clang-format": "clang-format",
    "_typos.toml": "typos",
    "biome.json": "Biome",
    "biome.jsonc": "Biome",
    "clippy.toml": "Clippy",
    "deny.toml": "cargo-deny",
    "dprint.json": "dprint",
    "mypy.ini": "mypy",
    "phpcs.xml": "PHP_CodeSniffer",
    "phpcs.xml.dist": "PHP_CodeSniffer",
    "phpstan.neon": "PHPStan",
    "phpstan.neon.dist": "PHPStan",
    "psalm.xml": "Psalm",
    "pyrightconfig.json": "Pyright",
    "ruff.toml": "Ruff",
    "rustfmt.toml": "rustfmt",
    "stylua.toml": "StyLua",
    "taplo.toml": "Taplo",
    "typos.toml": "typos",
}
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
    lower, inside = name.lower(), folder.lower()
    agent = _agent(inside, lower)
    if agent:
        return RuleFile("agents", agent[0], _above(folder, agent[1]))
    if lower in _OTHERS:
        return RuleFile(*_OTHERS[lower], _scope(folder))
    tool = _NAMES.get(lower) or _STEMS.get(_SETTINGS.sub("", lower, count=1))
    if tool:
        return RuleFile("lint", tool, _beside(folder))
    if inside.rpartition("/")[2] == _HUSKY and not name.startswith("."):
        return RuleFile("hooks", "Husky", _above(folder, _HUSKY))
    kind = _document(inside, lower)
    return RuleFile(kind, "", _community(folder)) if kind else None


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


def _agent(folder: str, name: str) -> tuple[str, str] | None:
    """Return the agent that a file instructs, and the end of its folder that is its place only."""
    hidden = folder.startswith(".") or "/." in folder
    for below, tool in _AGENT_FOLDERS.items() if hidden else ():
        at = f"/{folder}/".find(f"/{below}/")
        if at >= 0 and name.endswith(_INSTRUCTIONS):
            return tool, folder[at:]
    if name not in _AGENTS:
        return None
    last = folder.rpartition("/")[2]
    return _AGENTS[name], last if last in (".claude", ".github") else ""


def _document(folder: str, name: str) -> str:
    if folder.rpartition("/")[2] in _TEMPLATES and name.endswith(_INSTRUCTIONS):
        return "template"
    stem, dot, ending = name.partition(".")
    if dot + ending not in _TEXTS:
        return ""
    at_top = folder in ("", *_CONTAINERS)
    return _DOCUMENTS.get(stem, "") or (_AT_TOP.get(stem, "") if at_top else "")


def _community(folder: str) -> str:
    """Return the folder that a document applies to: its own, or the one above `.github` etc."""
    names = folder.split("/")
    if names[-1].lower() in _TEMPLATES:
        names.pop()
    if names and names[-1].lower() in _CONTAINERS:
        names.pop()
    return _scope("/".join(names))


def _beside(folder: str) -> str:
    """Return the folder that settings apply to: their own, or the one above _SETTING_FOLDERS."""
    names = folder.split("/")
    while names and names[-1].lower() in _SETTING_FOLDERS:
        names.pop()
    return _scope("/".join(names))


def _above(folder: str, holding: str) -> str:
    return _scope(folder[: len(folder) - len(holding)].rstrip("/"))


def _scope(folder: str) -> str:
    return f"{folder}/" if folder else ""
