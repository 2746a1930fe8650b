"""Files that the history changes together."""

import pytest

from gitsearch.commands import changed_together as command
from gitsearch.commands.changed_together import ChangedTogetherRequest
from gitsearch.errors import BadPath, BadRevision
from tests.unit.commands.asked import session


def change(repo, *paths):
    for path in paths:
        known = (repo.path / path).exists()
        (repo.append if known else repo.write)(path, "x\n")
    repo.commit("change")


@pytest.fixture
def repo(repo):
    change(repo, "README.md")
    for _ in range(3):
        change(repo, "net/retry.py", "tests/test_retry.py", "log.md")
    for _ in range(6):
        change(repo, "log.md", "shop/bill.py")
    change(repo, "net/retry.py", "once.py")
    return repo


def asked(repo, path, folder="", **options):
    request = ChangedTogetherRequest(path, **options)
    return command.changed_together(session(repo.path / folder), request)


def found(report):
    return [(one.path, one.together, one.changes) for one in report.results]


def test_the_best_companion_changes_seldom_without(repo):
    report = asked(repo, "net/retry.py")
    assert report.changes == 4
    # what changed once with it is left out
    assert found(report) == [("tests/test_retry.py", 3, 3), ("log.md", 3, 9)]
    assert [one.score for one in report.results] == [0.866025, 0.5]


def test_a_folder_is_one_thing_and_paths_are_from_the_current_one(repo):
    assert found(asked(repo, "net")) == found(asked(repo, "net/retry.py"))
    assert asked(repo, "retry.py", "net").path == "net/retry.py"


def test_renames_are_followed_and_what_is_gone_is_not_shown(repo):
    repo.git("mv", "tests/test_retry.py", "tests/test_pause.py")
    repo.git("rm", "-q", "log.md")
    repo.commit("move")
    assert found(asked(repo, "net/retry.py")) == [("tests/test_pause.py", 3, 3)]
    assert len(found(asked(repo, "net/retry.py", at="HEAD~"))) == 2


def test_kinds_and_numbers_of_results(repo):
    assert found(asked(repo, "net/retry.py", tests="exclude")) == [("log.md", 3, 9)]
    assert found(asked(repo, "net/retry.py", tests="only", most=1)) == [
        ("tests/test_retry.py", 3, 3)
    ]


def test_large_landings_do_not_count(repo):
    before = found(asked(repo, "net/retry.py"))
    for _ in range(3):
        change(repo, "net/retry.py", *(f"many/{number}.txt" for number in range(40)))
    assert found(asked(repo, "net/retry.py")) == before


def test_refusals(repo, tmp_path):
    with pytest.raises(BadPath, match=r"no file 'net/retry\.pi' in HEAD"):
        asked(repo, "net/retry.pi")
    with pytest.raises(BadPath, match="outside"):
        asked(repo, "../x")
    with pytest.raises(BadRevision, match="is a tree"):
        asked(repo, "net", at="HEAD^{tree}")


def test_a_shallow_clone_says_where_it_ends(repo, tmp_path):
    repo.git("clone", "-q", "--depth=3", f"file://{repo.path}", str(tmp_path / "clone"))
    report = command.changed_together(
        session(tmp_path / "clone"), ChangedTogetherRequest("log.md")
    )
    assert report.warnings == ("this clone is shallow: its history ends after 3 commits",)


# ---------------------------------------------------------------- definitions

SHOP = """class Shop:
    limit = {limit}

    def total(self, cart):
        return sum(cart) * {total}

    def greet(self, name):
        return name * {greet}


TABLE = Shop(
    {table},
)
"""
BILL = "import shop\n\n\ndef bill(cart):\n    return shop.Shop().total(cart) + {bill}\n"
TEST = "import shop\n\n\ndef test_total():\n    assert shop.Shop().total([1]) == {test}\n"


def definitions(report):
    return [(f"{one.path}:{one.symbol}", one.together, one.changes) for one in report.results]


@pytest.fixture
def shop(repo):
    """A history in which `total` changes with `bill` and with a test, and `greet` alone."""
    values = dict.fromkeys(("limit", "total", "greet", "table", "bill", "test"), 0)

    def edit(*names):
        values.update((name, values[name] + 1) for name in names)
        repo.write("shop.py", SHOP.format(**values))
        repo.write("bill.py", BILL.format(**values))
        repo.write("test_shop.py", TEST.format(**values))
        repo.commit(f"edit {names}")

    edit()
    for _ in range(3):
        edit("total", "bill")
        edit("greet")
    edit("total", "test")
    edit("total", "test", "table")
    edit("bill")
    return repo, edit


def test_definitions_change_together_in_the_same_file_and_in_others(shop):
    repo, _ = shop
    report = asked(repo, "shop.py:Shop.total")
    assert (report.path, report.symbol) == ("shop.py", "Shop.total")
    # the first commit wrote all of them
    assert report.changes == 6
    assert (
        definitions(report)
        == [
            ("bill.py:bill", 4, 5),
            ("test_shop.py:test_total", 3, 3),
        ][:: 1 if report.results[0].path == "bill.py" else -1]
    )
    assert {one.score for one in report.results} == {0.730297, 0.707107}
    assert definitions(asked(repo, "shop.py:total", tests="exclude")) == [("bill.py:bill", 4, 5)]


def test_a_line_means_its_definition_and_a_class_all_that_is_in_it(shop):
    repo, _ = shop
    assert asked(repo, "shop.py:5").symbol == "Shop.total"
    assert asked(repo, "shop.py:5:3").symbol == "Shop.total"
    report = asked(repo, "shop.py:Shop")
    assert report.changes == 9
    assert all(one.path != "shop.py" for one in report.results)


def test_what_stands_beside_a_definition_is_none_of_it(shop):
    repo, edit = shop
    before = asked(repo, "shop.py:greet").changes
    for _ in range(3):
        edit("table")
    assert asked(repo, "shop.py:greet").changes == before


def test_definitions_are_followed_through_renames_of_their_files(shop):
    repo, _ = shop
    before = definitions(asked(repo, "shop.py:total"))
    repo.git("mv", "shop.py", "store.py")
    repo.git("mv", "bill.py", "invoice.py")
    repo.commit("move")
    moved = definitions(asked(repo, "store.py:total"))
    assert moved == [(name.replace("bill.py", "invoice.py"), *counts) for name, *counts in before]


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        (
            "a.js",
            "class Shop {{\n  total(cart) {{\n    return cart * {0};\n  }}\n}}\n",
            "Shop.total",
        ),
        ("a.ts", "export const total = (cart) => {{\n  return cart * {0};\n}};\n", "total"),
        ("a.go", "package a\n\nfunc (s Shop) Total() int {{\n\treturn {0}\n}}\n", "Total"),
        ("A.java", "class A {{\n  public int total() {{\n    return {0};\n  }}\n}}\n", "A.total"),
        (
            "a.rs",
            "impl Shop {{\n    fn total() -> i32 {{\n        {0} + 1 + one\n    }}\n}}\n",
            "total",
        ),
        ("a.rb", "class Shop\n  def total\n    cart * {0}\n  end\nend\n", "Shop#total"),
        ("a.py", "import os\n\nTOTAL = os.cart + {0}\n", "TOTAL"),
        ("a.c", "int total(int cart)\n{{\n\treturn cart * {0};\n}}\n", "total"),
    ],
)
def test_the_definition_around_a_hunk_is_known_in_many_languages(repo, path, code, name):
    for number in range(3):
        repo.write(path, code.format(number))
        repo.write("bill.py", BILL.format(bill=number))
        repo.commit()
    report = asked(repo, "bill.py:bill")
    found = [one for one in report.results if one.path == path]
    assert (found[0].symbol or "").endswith(name.split(".")[-1].split("#")[-1])
    assert (found[0].together, found[0].changes) == (3, 3)


def test_refusals_of_definitions(shop):
    repo, _ = shop
    with pytest.raises(BadPath, match="no symbol 'totale'"):
        asked(repo, "shop.py:totale")
    with pytest.raises(BadPath, match=r"'shop\.py:9' is in no definition"):
        asked(repo, "shop.py:9")
    with pytest.raises(BadPath, match=r"no file 'shap\.py' in HEAD"):
        asked(repo, "shap.py:total")
