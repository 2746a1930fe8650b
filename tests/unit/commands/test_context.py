"""`context`: what is needed to begin, and nothing beyond the budget."""

import json

import pytest

from gitsearch.commands.context import ContextRequest, context
from gitsearch.errors import BadPath, SmallBudget
from gitsearch.features.token_count import count
from gitsearch.git import background_process
from gitsearch.index import first_view
from gitsearch.render import context_text, json_document
from gitsearch.render.color import Paint
from gitsearch.reports.context import CODE, SIGNATURE
from tests.unit.commands.asked import session, warm_parsers

CART = '''"""A cart."""

from shop.prices import rounded


class Cart:
    """What somebody is about to buy."""

    def add_item(self, item, count=1):
        """Add an item to the cart."""
        self.items[item] = self.items.get(item, 0) + count

    def total_price(self):
        """The price of all items, rounded to cents."""
        return rounded(sum(item.price * count for item, count in self.items.items()))
'''
PRICES = '''def rounded(amount):
    """An amount of money, rounded to cents."""
    return round(amount, 2)
'''
CHECKOUT = """from shop.cart import Cart


def pay(cart: Cart, card):
    return card.charge(cart.total_price())
"""
TEST = """from shop.cart import Cart


def test_total_price_of_nothing():
    assert Cart().total_price() == 0
"""


@pytest.fixture
def shop(repo):
    """A shop, in which cart and ledger changed together three times."""
    warm_parsers()
    repo.write("AGENTS.md", "Run the tests with make.\n")
    repo.write("web/AGENTS.md", "Rules of the web.\n")
    repo.write("web/page.js", "export function page() { return 1 }\n")
    repo.write("shop/cart.py", CART)
    repo.write("shop/prices.py", PRICES)
    repo.write("shop/checkout.py", CHECKOUT)
    repo.write("shop/ledger.py", "ENTRIES = []\n")
    repo.write("tests/test_cart.py", TEST)
    for number in range(9):
        repo.write(f"other/thing{number}.py", f"def thing{number}():\n    return {number}\n")
        repo.write(f"gifts/gift{number}.py", f"TOTAL_PRICE = {number}  # round price of gifts\n")
    repo.commit("begin")
    for number in range(3):
        repo.append("shop/cart.py", f"# {number}\n")
        repo.append("shop/ledger.py", f"# {number}\n")
        repo.commit(f"step {number}")
    repo.append("other/thing3.py", "# seven\n")
    repo.commit("Round the price of vouchers")
    return repo


def text(report):
    return "".join(context_text.context(report, Paint()))


def document(report):
    return json_document.dump(json_document.context(report))


def asked(repo, *words, written=text, **options):
    return context(session(repo.path), ContextRequest(words, **options), written)


def of_kind(report, kind):
    return {item.path: item for item in report.items if item.kind == kind}


def test_a_task_gets_whole_definitions_with_what_is_around_them(shop):
    report = asked(shop, "round", "the total price of a cart")
    assert (report.query.task, report.query.path) == ("round the total price of a cart", None)
    lines = shop.file("shop/cart.py").read_text().splitlines()
    whole = [item for item in report.items if item.form == CODE and item.path == "shop/cart.py"]
    assert "Cart" in {(item.symbol or "").split(".")[0] for item in whole}
    for item in whole:
        assert item.text == "\n".join(lines[item.start - 1 : item.end]).rstrip()
        assert item.symbol in (None, "Cart") or item.within == (6, "class Cart")
        assert item.reason.startswith("has ")
        assert "cart" in item.reason


def test_tests_users_history_and_rules_come_with_a_reason(shop):
    report = asked(shop, "round the total price of a cart")
    assert "tests/test_cart.py" in of_kind(report, "test")
    assert "shop/ledger.py" in {item.path for item in report.items}
    past = of_kind(report, "changed-together")["other/thing3.py"]
    assert past.reason == f"changed by {shop.rev()[:8]} Round the price of vouchers"
    (rule,) = of_kind(report, "rule").values()
    assert (rule.path, rule.text) == ("AGENTS.md", "Run the tests with make.")


def test_a_definition_comes_with_what_uses_it_and_what_it_uses(shop):
    report = asked(shop, "shop/cart.py:total_price")
    assert report.query == (None, "shop/cart.py", "Cart.total_price")
    (place, *_) = report.items
    assert (place.symbol, place.form, place.within) == (
        "Cart.total_price",
        CODE,
        (6, "class Cart"),
    )
    user = of_kind(report, "user")["shop/checkout.py"]
    assert (user.start, user.symbol) == (5, "pay")
    assert (user.reason, user.text) == (
        "uses Cart.total_price",
        "return card.charge(cart.total_price())",
    )
    used = of_kind(report, "used")["shop/prices.py"]
    assert (used.symbol, used.form, used.text) == ("rounded", SIGNATURE, "def rounded(amount)")
    assert of_kind(report, "test")["tests/test_cart.py"].start == 5
    together = of_kind(report, "changed-together")["shop/ledger.py"]
    assert together.reason == "changed in 3 of 3 commits with shop/cart.py"


def test_a_past_commit_that_only_moved_files_says_nothing(shop):
    shop.rename("other/thing5.py", "other/moved5.py")
    shop.commit("round the total price of a cart")
    report = asked(shop, "round the total price of a cart")
    assert not [item for item in report.items if shop.rev()[:8] in item.reason]


def test_a_line_means_the_definition_around_it_and_a_file_is_given_whole(shop):
    for place in ("11", "11:5", "9-11", "9,10"):
        assert asked(shop, f"shop/cart.py:{place}").query.symbol == "Cart.add_item"
    several = asked(shop, "shop/cart.py:9-15")
    assert several.query.symbol == "Cart.add_item, Cart.total_price"
    assert [one.symbol for one in several.items][:2] == ["Cart.add_item", "Cart.total_price"]
    report = asked(shop, "shop/prices.py")
    assert (report.items[0].start, report.items[0].text) == (1, PRICES.rstrip())
    assert "shop/cart.py" in of_kind(report, "user")


def test_a_large_file_is_given_by_its_definitions(shop):
    parts = [f"def part{i}():\n" + f"    return {i} + {i}\n" * 40 for i in range(30)]
    shop.write("shop/large.py", "\n\n".join(parts))
    shop.commit()
    report = asked(shop, "shop/large.py", budget=3000)
    places = [item for item in report.items if item.path == "shop/large.py"]
    assert {item.form for item in places} == {CODE, SIGNATURE}
    assert next(item for item in places if item.symbol == "part29").text == "def part29()"


@pytest.mark.parametrize("written", [text, document])
def test_the_budget_is_a_ceiling_for_all_that_is_printed(shop, written):
    every = asked(shop, "round the total price of a cart", written=written, budget=100_000)
    assert every.budget.left_out == 0
    smallest = 600 if written is document else 60
    for budget in (smallest, smallest + 77, 2 * smallest):
        report = asked(shop, "round the total price of a cart", written=written, budget=budget)
        assert count(written(report)) <= report.budget.used <= report.budget.tokens == budget
        assert report.items
        assert report.budget.left_out > 0
        for item in report.items:
            lines = shop.file(item.path).read_text().splitlines()[item.start - 1 : item.end]
            assert item.form != CODE or item.text == "\n".join(lines).rstrip(), "cut"


def test_a_budget_for_nothing_says_what_would_do(shop):
    with pytest.raises(SmallBudget) as refused:
        asked(shop, "round the total price of a cart", budget=0)
    least = int(refused.value.hint.rpartition(" ")[2])
    assert asked(shop, "round the total price of a cart", budget=least).items


def test_the_tree_may_be_another_one(shop):
    shop.replace("shop/prices.py", "rounded", "in_cents")
    shop.git("add", ".")
    assert asked(shop, "shop/prices.py:in_cents", cached=True).items
    assert asked(shop, "shop/prices.py:in_cents").tree.dirty == 1
    with pytest.raises(BadPath, match=r"no symbol 'in_cents' in 'shop/prices\.py'"):
        asked(shop, "shop/prices.py:in_cents", at="HEAD")


def test_tests_may_be_left_out_or_asked_for_alone(shop):
    task = "round the total price of a cart"
    assert not of_kind(asked(shop, task, tests="exclude"), "test")
    only = asked(shop, task, tests="only")
    assert {item.kind for item in only.items} <= {"test", "used", "rule"}
    assert of_kind(only, "test")


def test_what_is_no_path_is_a_task_unless_it_has_a_colon(shop):
    assert asked(shop, "shop/cart.py", "price").query.task == "shop/cart.py price"
    assert asked(shop, "Cart::total_price").query.task == "Cart::total_price"
    with pytest.raises(BadPath, match=r"no file 'shop/card\.py' in HEAD"):
        asked(shop, "shop/card.py:pay")


def test_a_line_that_the_file_does_not_have_is_refused(shop):
    for line in (0, 99999):
        with pytest.raises(BadPath, match=rf"'shop/cart\.py' has \d+ lines, and no line {line}"):
            asked(shop, f"shop/cart.py:{line}")


def test_nothing_is_found_for_words_of_nowhere(shop):
    report = asked(shop, "zzqxv wwkjq")
    assert (report.items, report.budget.left_out) == ((), 0)


def test_without_an_index_some_files_answer_at_once(shop, monkeypatch):
    monkeypatch.setattr(first_view, "_SOON_INDEXED", 0)
    monkeypatch.setattr(first_view, "FILES", 4)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(background_process, "start", lambda *_: None)
    report = asked(shop, "shop/cart.py:total_price")
    assert report.coverage.pending > 0
    assert report.items[0].symbol == "Cart.total_price"
    assert "what uses these places is said once the index is made" in report.warnings
    assert not list(shop.index_dir.glob("views/*.graph*"))


def test_json_has_the_items_with_their_places(shop):
    report = asked(shop, "shop/cart.py:total_price", written=document)
    shown = json.loads(document(report))
    assert list(shown) == [
        *("schema", "query", "tree", "coverage", "budget", "items", "warnings", "next"),
    ]
    assert shown["items"][0]["context"] == {"line": 6, "text": "class Cart"}
    assert "within" not in shown["items"][0]
