"""Files with rules for contributors are known by their names."""

import pytest

from gitsearch.extract import convention_files


@pytest.mark.parametrize(
    ("path", "kind", "tool", "scope"),
    [
        ("CLAUDE.md", "agents", "Claude Code", ""),
        (".claude/CLAUDE.md", "agents", "Claude Code", ""),
        ("web/CLAUDE.md", "agents", "Claude Code", "web/"),
        (".claude/rules/style.md", "agents", "Claude Code", ""),
        ("AGENTS.md", "agents", "AGENTS.md", ""),
        ("a/b/AGENTS.md", "agents", "AGENTS.md", "a/b/"),
        ("GEMINI.md", "agents", "Gemini", ""),
        (".cursorrules", "agents", "Cursor", ""),
        (".cursor/rules/a.mdc", "agents", "Cursor", ""),
        ("web/.cursor/rules/deep/a.mdc", "agents", "Cursor", "web/"),
        (".github/copilot-instructions.md", "agents", "GitHub Copilot", ""),
        (".github/instructions/go.instructions.md", "agents", "GitHub Copilot", ""),
        (".windsurfrules", "agents", "Windsurf", ""),
        (".windsurf/rules/a.md", "agents", "Windsurf", ""),
        (".clinerules", "agents", "Cline", ""),
        (".clinerules/01-a.md", "agents", "Cline", ""),
        ("CONTRIBUTING.md", "contributing", "", ""),
        ("contributing.rst", "contributing", "", ""),
        ("CONTRIBUTING", "contributing", "", ""),
        (".github/CONTRIBUTING.md", "contributing", "", ""),
        ("docs/CONTRIBUTING.txt", "contributing", "", ""),
        ("lib/CONTRIBUTING.md", "contributing", "", "lib/"),
        ("lib/docs/CONTRIBUTING.md", "contributing", "", "lib/"),
        ("CODE_OF_CONDUCT.md", "conduct", "", ""),
        ("SECURITY.md", "security", "", ""),
        (".github/SECURITY.md", "security", "", ""),
        ("PULL_REQUEST_TEMPLATE.md", "template", "", ""),
        (".github/pull_request_template.md", "template", "", ""),
        (".github/PULL_REQUEST_TEMPLATE/fix.md", "template", "", ""),
        (".gitlab/merge_request_templates/Default.md", "template", "", ""),
        ("STYLE.md", "style", "", ""),
        ("docs/STYLEGUIDE.md", "style", "", ""),
        ("doc/coding-style.rst", "style", "", ""),
        (".editorconfig", "editor", "EditorConfig", ""),
        ("web/.editorconfig", "editor", "EditorConfig", "web/"),
        (".gitattributes", "attributes", "git", ""),
        ("ruff.toml", "lint", "Ruff", ""),
        (".flake8", "lint", "Flake8", ""),
        (".pylintrc", "lint", "Pylint", ""),
        ("pylintrc.toml", "lint", "Pylint", ""),
        (".eslintrc", "lint", "ESLint", ""),
        ("web/.eslintrc.json", "lint", "ESLint", "web/"),
        ("eslint.config.mjs", "lint", "ESLint", ""),
        (".prettierrc.yaml", "lint", "Prettier", ""),
        ("biome.json", "lint", "Biome", ""),
        ("rustfmt.toml", "lint", "rustfmt", ""),
        ("clippy.toml", "lint", "Clippy", ""),
        (".clang-format", "lint", "clang-format", ""),
        (".golangci.yml", "lint", "golangci-lint", ""),
        (".rubocop.yml", "lint", "RuboCop", ""),
        ("config/checkstyle/checkstyle.xml", "lint", "Checkstyle", ""),
        ("java/checkstyle/checkstyle.xml", "lint", "Checkstyle", "java/"),
        (".stylelintrc.json", "lint", "Stylelint", ""),
        (".pre-commit-config.yaml", "hooks", "pre-commit", ""),
        (".husky/pre-commit", "hooks", "Husky", ""),
    ],
)
def test_a_name_tells_kind_tool_and_folder(path, kind, tool, scope):
    assert convention_files.recognised(path) == (kind, tool, scope)


@pytest.mark.parametrize(
    "path",
    [
        *("README.md", "src/style.md", "guide/security.md", "contributing.py", "style.css"),
        *("agents.py", "src/agents.md.txt", ".cursor/settings.json", ".github/workflows/ci.yml"),
        *("eslint.config.d", "prettier.md", "checkstyle.py", "biome.md", ".husky/.gitignore"),
        *("docs/contributing-to-x.md", "CODEOWNERS", "clinerules/a.md", "a.cursorrules", ""),
    ],
)
def test_other_names_tell_nothing(path):
    assert convention_files.recognised(path) is None


@pytest.mark.parametrize(
    ("path", "text", "tools"),
    [
        ("pyproject.toml", "[tool.ruff]\nx=1\n[tool.ruff.lint]\n[tool.mypy]\n", "mypy, ruff"),
        ("a/setup.cfg", "[metadata]\n[flake8]\n", "flake8"),
        ("tox.ini", "[flake8]\n", "flake8"),
        ("package.json", '{\n  "name": "x",\n  "eslintConfig": {}\n}', "eslintConfig"),
        ("Cargo.toml", "[workspace.lints.rust]\n", "lints"),
    ],
)
def test_settings_in_files_with_other_purposes(path, text, tools):
    assert convention_files.recognised(path) is None
    assert convention_files.may_embed(path)
    found = convention_files.embedded(path, text.encode())
    assert found is not None
    assert (found.kind, found.tool) == ("lint", tools)
    assert convention_files.embedded(path, b'[project]\nname = "x"\n') is None


def test_every_kind_has_a_place_in_the_order():
    assert set(convention_files.KINDS) >= convention_files.PROSE
    assert not convention_files.may_embed("src/a.toml")
