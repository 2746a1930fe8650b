"""Removed code, and its new place, in real repositories."""

import pytest

from gitsearch.commands import defining_lines
from gitsearch.commands import removed_code as command
from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.removed_code import removed_code, removed_definitions
from tests.unit.commands.asked import session

RETRY = """def wait_before_retry(attempt):
    \"\"\"Pause longer after each failed attempt.\"\"\"
    return min(2**attempt, 60)
"""
TAXES = "".join(f"TAX_{number} = {number}\n" for number in range(20))
BILL = "def invoice_total(orders):\n    return sum(order.price for order in orders)\n"


@pytest.fixture
def repo(repo):
    repo.having({"net/retry.py": RETRY, "shop/bill.py": BILL, "main.py": "import net\n"})
    repo.replace("net/retry.py", "60", "90")
    repo.commit("Pause longer")
    return repo


def removed(repo, text, *pathspecs, **options):
    options = {"refresh": "wait", "lines": 40, **options}
    return removed_code(session(repo.path), HistoryRequest(text, pathspecs, **options)).results


def definitions(repo, name, at=None):
    repo.git("config", "search.refresh", "wait")
    return removed_definitions(session(repo.path), name, at).results


def test_the_commit_that_removed_code_is_found_with_the_code(repo):
    last = repo.rev()
    repo.remove("net/retry.py")
    gone = repo.commit("Clean up (#4)")
    repo.having({"other.py": "retry = None  # a pause after each attempt\n"})
    (found, *_) = removed(repo, "pause after failed attempts")
    assert (found.commit, found.last, found.path) == (gone, last, "net/retry.py")
    assert (found.references, found.replaced_by) == (("#4",), None)
    assert found.text == RETRY.replace("60", "90").rstrip("\n")


def test_the_end_of_a_shallow_clone_is_said(repo, tmp_path):
    repo.remove("net/retry.py")
    repo.commit("Clean up")
    repo.write("README", "words\n")
    repo.commit("Words")
    clone = session(repo.clone(tmp_path / "shallow", "--depth=1").path)
    report = removed_code(clone, HistoryRequest("pause longer", refresh="wait"))
    assert report.results == ()
    assert report.warnings == ("this clone is shallow: its history ends after 1 commit",)


def test_a_large_commit_is_looked_at_though_many_small_ones_have_some_of_the_words(
    repo, monkeypatch
):
    monkeypatch.setattr(command, "_LOOKED_AT", 8)
    for number in range(10):
        repo.write(f"net/pause{number}.py", f"# pause after attempts {number}\n")
        repo.commit(f"Pause after attempts {number}")
    repo.write("taxes.py", TAXES * 20)
    repo.commit("Taxes")
    repo.remove("taxes.py")
    repo.remove("net/retry.py")
    gone = repo.commit("Clean up")
    (found, *_) = removed(repo, "pause longer after failed attempts")
    assert found.commit == gone


def test_what_was_moved_is_followed_to_its_file(repo):
    repo.write("net/policy.py", "# Policies.\n\n\n" + RETRY.replace("60", "90") + BILL)
    repo.write("net/retry.py", "# See policy.\n")
    moved = repo.commit("Move")
    (found, *_) = removed(repo, "pause after failed attempts")
    assert (found.commit, found.path, found.replaced_by) == (
        moved,
        "net/retry.py",
        "net/policy.py",
    )
    (found,) = definitions(repo, "wait_before_retry")
    assert (found.commit, found.replaced_by) == (moved, "net/policy.py")


def test_what_only_moved_within_its_file_is_not_gone(repo):
    repo.write("shop/bill.py", "TAX = 2\n\n\n" + BILL)
    repo.commit("Tax")
    assert "shop/bill.py" not in [one.path for one in removed(repo, "invoice total of orders")]
    assert definitions(repo, "invoice_total") == ()


def test_definitions_that_went_are_found_by_name_the_newest_first(repo):
    repo.remove("shop/bill.py")
    first = repo.commit("Away")
    repo.having({"shop/bill.py": BILL})
    repo.write("shop/bill.py", "print(invoice_total)\n")
    second = repo.commit("Away again")
    assert [one.commit for one in definitions(repo, "shop.bill.invoice_total")] == [second, first]
    assert [one.commit for one in definitions(repo, "invoice_total", at=first)] == [first]
    assert definitions(repo, "invoice_total")[1].text == BILL.rstrip("\n")
    assert definitions(repo, "invoice") == ()


def test_what_is_defined_elsewhere_has_moved_even_if_it_was_rewritten(repo):
    repo.write("net/retry.py", "")
    repo.write("net/policy.py", "def wait_before_retry(attempt, most=60):\n    return most\n")
    repo.commit("Rewrite")
    (found, *_) = removed(repo, "pause after failed attempts")
    assert (found.path, found.replaced_by) == ("net/retry.py", "net/policy.py")


def test_the_place_is_that_in_the_last_commit_that_had_the_code(repo):
    repo.rename("shop/bill.py", "shop/invoices.py")
    repo.write("shop/invoices.py", TAXES + BILL)
    repo.commit("Rename")
    last = repo.rev()
    repo.rename("shop/invoices.py", "shop/orders.py")
    repo.write("shop/orders.py", TAXES)
    repo.commit("Rename and shrink")
    (found, *_) = removed(repo, "invoice total")
    assert (found.last, found.path, found.start, found.end) == (last, "shop/invoices.py", 21, 22)
    shown = repo.git("show", f"{found.last}:{found.path}").split("\n")
    assert shown[found.start - 1 : found.end] == BILL.rstrip("\n").split("\n")


def test_what_is_edited_is_gone_too_if_asked_for(repo):
    repo.remove("net/retry.py")
    repo.commit("Clean up")
    repo.write("shop/bill.py", "\n")
    (found, *_) = removed(repo, "invoice total", edits=True)
    assert (found.commit, found.last, found.subject) == (None, repo.rev(), "")
    assert (found.path, found.start, found.end) == ("shop/bill.py", 1, 2)
    assert found.text == BILL.rstrip("\n")
    assert removed(repo, "invoice total") == ()
    repo.git("add", "-A")
    assert removed(repo, "invoice total", edits=True)[0] == found
    assert removed(repo, "invoice total", "net", edits=True) == ()
    assert removed(repo, "pause after failed attempts", edits=True)[0].subject == "Clean up"


def test_the_code_is_of_files_that_pass(repo):
    repo.write("shop/bill.go", "func wait_before_retry() {\n}\n")
    repo.write("tests/test_retry.py", "def test_wait_before_retry():\n    wait_before_retry(1)\n")
    repo.commit()
    for path in ("net/retry.py", "shop/bill.go", "tests/test_retry.py"):
        repo.remove(path)
    repo.commit("All at once")

    def paths(*pathspecs, **options):
        return [one.path for one in removed(repo, "wait before retry", *pathspecs, **options)]

    assert paths("shop") == ["shop/bill.go"]
    assert paths("tests/*.py") == ["tests/test_retry.py"]
    assert paths(languages=("go",)) == ["shop/bill.go"]
    assert paths(tests="only") == ["tests/test_retry.py"]
    assert paths(content="docs") == []


def test_filters_and_bounds_are_those_of_history(repo):
    repo.remove("net/retry.py")
    repo.remove("shop/bill.py")
    repo.commit("Both")
    assert len(removed(repo, "pause after an attempt", most=1)) == 1
    assert removed(repo, "pause after an attempt", "main.py") == ()
    assert removed(repo, "pause after failed attempts", lines=1)[0].text == (
        "def wait_before_retry(attempt):"
    )


def test_a_merge_is_not_told_beside_the_commit_that_it_brings(repo):
    repo.branch("topic")
    repo.remove("net/retry.py")
    gone = repo.commit("Clean up")
    repo.checkout("main")
    repo.having({"x": "1\n"})
    repo.merge("topic")
    assert removed(repo, "wait before retry attempt pause")[0].commit == gone
    assert [one.commit for one in definitions(repo, "wait_before_retry")] == [gone]


MEMBERS = {
    "Shop.java": "class Shop {\n{}}\n",
    "Shop.cs": "class Shop {\n{}}\n",
    "shop.ts": "class Shop {\n{}}\n",
    "shop.c": "int other;\n{}",
    "shop.go": "package shop\n\ntype Shop struct{}\n{}",
    "shop.rb": "class Shop\n{}end\n",
    "shop.py": "import os\n{}",
}
SHOP = {
    "Shop.java": "  @Override\n  public int total(int x) throws Gone {\n    return x;\n  }\n",
    "Shop.cs": "    public int Total { get; set; }\n",
    "shop.ts": "  async total(x: number): Promise<number> {\n    return x\n  }\n",
    "shop.c": "static int\ntotal(int x)\n{\n  return x;\n}\n",
    "shop.go": "func (s *Shop) total() int {\n\treturn 1\n}\n",
    "shop.rb": "  def self.total\n    1\n  end\n",
    "shop.py": "total = 1\n",
}


@pytest.mark.parametrize("path", SHOP)
def test_a_definition_without_a_word_such_as_def_is_gone_too(repo, path):
    name = "Total" if path == "Shop.cs" else "total"
    used = {"use.ts": f"{name}(1);\n", "use.c": f"int f(void) {{\n  {name}(1);\n}}\n"}
    repo.having({path: MEMBERS[path].replace("{}", SHOP[path]), **used})
    repo.write("use.ts", "")
    repo.write("use.c", "")
    repo.commit("Uses")
    repo.write(path, MEMBERS[path].replace("{}", SHOP[path].replace("1", "2") + "\n"))
    repo.commit("Edit")
    repo.write(path, MEMBERS[path].replace("{}", ""))
    gone = repo.commit("Gone")
    assert [(one.commit, one.path) for one in definitions(repo, name)] == [(gone, path)]


def test_a_method_is_followed_to_another_file(repo):
    shop = MEMBERS["Shop.java"]
    repo.having(
        {"Shop.java": shop.replace("{}", SHOP["Shop.java"]), "Bill.java": "class Bill {}\n"}
    )
    repo.write("Shop.java", shop.replace("{}", ""))
    repo.write("Bill.java", "class Bill {\n" + SHOP["Shop.java"] + "}\n")
    repo.commit("Move")
    assert [one.replaced_by for one in definitions(repo, "total")] == ["Bill.java"]


def test_files_that_are_not_parsed_are_counted(repo, monkeypatch):
    monkeypatch.setattr(defining_lines, "_PARSED", 0)
    repo.having({path: MEMBERS[path].replace("{}", SHOP[path]) for path in ("shop.py", "shop.c")})
    repo.write("shop.py", "\n")
    repo.write("shop.c", "\n")
    repo.commit("Gone")
    repo.git("config", "search.refresh", "wait")
    report = removed_definitions(session(repo.path), "total", None)
    assert [one.path for one in report.results] == ["shop.py"]
    assert report.warnings[0].startswith("files of old commits that were not parsed: 1;")
