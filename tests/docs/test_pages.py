"""The pages hang together: links lead somewhere, modules and reasons are all named."""

import re

import pytest

from tests.docs.pages import ROOT, page, table

PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("bench/*.md"))
)
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def anchors(text):
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def test_there_are_pages_to_check():
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"} <= set(PAGES)
    assert len(DECISIONS) > 4


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    for link in re.findall(r"\]\(([^)]+)\)", page(name)):
        if link.startswith(("http://", "https://")):
            continue
        target, _, anchor = link.partition("#")
        place = (ROOT / name).parent / target if target else ROOT / name
        assert place.exists(), link
        if anchor:
            assert anchor in anchors(place.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_decisions_have_one_form(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(path.stem[:4])}. ")
    wanted = ["Context", "Decision", "What was refused", "Measurement"]
    assert re.findall(r"^## (.*)$", text, re.M) == wanted


def test_every_module_stands_in_the_table_of_layers():
    rows = table(page("docs/architecture.md"), "Layers")
    for package in sorted((ROOT / "gitsearch").iterdir()):
        if not (package / "__init__.py").exists():
            continue
        (cell,) = [modules for layer, _, modules in rows if layer == package.name]
        named = set(re.findall(r"`(\w+)`", cell))
        assert named == {path.stem for path in package.glob("*.py")} - {"__init__"}, package.name
    singles = {path.stem for path in (ROOT / "gitsearch").glob("*.py")}
    layers = {row[0] for row in rows}
    assert singles - {"__init__", "__main__"} <= layers


def test_every_module_stands_in_the_table_of_tests():
    rows = [
        (re.findall(r"[\w/]+", modules), tests)
        for modules, tests in table(page("docs/architecture.md"), "Tests")
    ]
    named = {module for modules, _ in rows for module in modules}
    package = ROOT / "gitsearch"
    assert [name for name in named if not (package / name).is_dir()] == [
        name for name in named if (package / f"{name}.py").is_file()
    ]
    for path in package.rglob("*.py"):
        module = path.relative_to(package).with_suffix("")
        if module.name != "__init__":
            assert named & {str(module), *map(str, module.parents)}, module
    for modules, tests in rows:
        paths = re.findall(r"tests/[\w/.]+", tests)
        assert paths, modules
        assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_reason_to_skip_a_file_is_explained(installed, indexed):
    explained = set()
    for names, _ in table(page("README.md"), "Coverage and limits"):
        explained.update(re.findall(r"[\w-]+", names))
    skipped = installed.answer("retry", cwd=indexed.path)["coverage"]["skipped"]
    assert len(skipped) > 7
    assert set(skipped) <= explained
