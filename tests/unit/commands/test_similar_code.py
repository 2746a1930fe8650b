"""Related code and copies, asked as people ask, in real repositories."""

import pytest

from gitsearch.commands import dup as dup_command
from gitsearch.commands import related as related_command
from gitsearch.errors import BadPath, BadRevision, SearchError
from tests.unit.commands.asked import session, warm_parsers

BILLS = '''"""Bills."""

from shop.mail import send


def total_of(orders, rate):
    """What all orders cost."""
    total = 0
    for order in orders:
        if order.cancelled or not order.lines:
            continue
        price = sum(line.price * line.amount for line in order.lines)
        if order.customer.is_member():
            price -= price * rate
        total += price + shipping_cost(order.address, order.weight)
    return round(total, 2)


def shipping_cost(address, weight):
    return 4 if address.near else 9
'''
COPY = """

def sum_up(bills, share):
    amount = 0
    for bill in bills:
        if bill.cancelled or not bill.lines:
            continue
        cost = sum(row.price * row.amount for row in bill.lines)
        if bill.customer.is_member():
            cost -= cost * share
        amount += cost + shipping_cost(bill.address, bill.weight)
    return round(amount, 2)
"""
FILES = {
    "shop/bills.py": BILLS,
    "shop/mail.py": "def send(address, text):\n    with connect() as server:\n"
    "        server.write(address, text)\n",
    "shop/config.py": "def read(path):\n    with open(path) as file:\n"
    "        return dict(line.split('=') for line in file)\n",
    "tests/test_bills.py": "from shop.bills import total_of\n\n\ndef test_total_of_orders():\n"
    "    assert total_of([], 0.5) == 0\n",
    "gen/api_pb2.py": "x = 1\n",
    "README.md": "# Shop\n\nBills with total_of orders and shipping_cost.\n",
    "logo.png": b"\x89PNG\0\0\0",
    "empty.py": "",
}


@pytest.fixture
def repo(repo):
    for path, content in FILES.items():
        repo.write(path, content)
    repo.commit()
    return repo


def dup(repo, **options):
    warm_parsers()
    return dup_command.dup(session(repo.path), dup_command.DupRequest(**options))


def related(repo, target, folder="", **options):
    warm_parsers()
    request = related_command.RelatedRequest(target, **options)
    return related_command.related(session(repo.path / folder), request)


def said(report):
    return [
        (one.new.path, one.new.symbol, one.existing.path, one.existing.symbol)
        for one in report.copies
    ]


FOUND = [("shop/report.py", "sum_up", "shop/bills.py", "total_of")]


# ---------------------------------------------------------------- copies


def test_a_renamed_copy_is_found_in_a_new_file(repo):
    repo.write("shop/report.py", '"""Reports."""\n' + COPY)
    repo.git("add", "-A")
    report = dup(repo)
    assert said(report) == FOUND
    (one,) = report.copies
    assert (one.new.start, one.new.end) == (4, 13)
    assert (one.existing.start, one.existing.end) == (6, 16)
    assert set(one.existing.why) == {"shape", "names", "renamed", "size"}
    assert 0.7 < one.existing.score < 1
    assert report.looked == 1
    assert said(dup(repo, threshold=0.999)) == []
    assert said(dup(repo, cached=True)) == FOUND


def test_what_is_staged_is_read_from_the_index(repo):
    repo.write("shop/report.py", COPY)
    repo.git("add", "-A")
    repo.write("shop/report.py", "x = 1\n")
    assert said(dup(repo, cached=True)) == FOUND
    assert said(dup(repo)) == []


def test_a_range_is_what_its_second_end_adds(repo):
    repo.branch("topic")
    repo.write("shop/report.py", COPY)
    repo.commit()
    repo.checkout("main")
    repo.append("shop/config.py", "\n\nDEBUG = True\n")
    repo.commit()
    assert said(dup(repo, changed="main...topic")) == FOUND
    assert said(dup(repo, changed="main..topic")) == FOUND
    assert said(dup(repo, changed="topic..main")) == []
    empty = dup(repo, changed="HEAD..HEAD")
    assert (empty.looked, empty.copies) == (0, ())
    with pytest.raises(BadRevision, match="nowhere"):
        dup(repo, changed="nowhere..main")


def test_of_a_single_revision_the_working_tree_is_what_is_new(repo):
    repo.write("shop/report.py", COPY)
    repo.commit()
    repo.append("shop/report.py", "\n\nDEBUG = True\n")
    assert said(dup(repo)) == []
    assert said(dup(repo, changed="HEAD~1")) == FOUND
    repo.write("shop/report.py", "DEBUG = True\n")
    assert said(dup(repo, changed="HEAD~1")) == []
    with pytest.raises(BadRevision, match="nowhere"):
        dup(repo, changed="nowhere")
    repo.git("config", "core.bare", "true")
    with pytest.raises(SearchError, match="without a working tree --changed wants a range"):
        dup(repo, changed="HEAD~1")


def test_a_copy_in_the_same_file_counts(repo):
    repo.append("shop/bills.py", COPY)
    assert said(dup(repo)) == [("shop/bills.py", "sum_up", "shop/bills.py", "total_of")]


def test_a_copy_above_what_it_copies_is_the_new_one(repo):
    repo.write("shop/bills.py", BILLS.replace("\n\ndef total_of", COPY + "\n\ndef total_of", 1))
    assert said(dup(repo)) == [("shop/bills.py", "sum_up", "shop/bills.py", "total_of")]


def test_a_copy_of_what_stands_below_long_strings(repo):
    texts = "".join(
        f"\n\ndef text_{i}():\n    return {quotes}\n" + "    it's a line\n" * 9 + f"    {quotes}\n"
        for i, quotes in enumerate(['"""'] * 9)
    )
    repo.write("shop/bills.py", texts + BILLS)
    repo.commit()
    repo.write("shop/report.py", COPY)
    repo.git("add", "-A")
    assert said(dup(repo)) == FOUND


def test_code_that_is_moved_is_no_copy(repo):
    repo.write("shop/cost.py", BILLS)
    repo.remove("shop/bills.py")
    repo.git("add", "-A")
    assert said(dup(repo)) == []


def test_two_new_copies_of_each_other_are_said_once(repo):
    other = COPY.replace("cancelled", "void").replace("customer", "buyer")
    repo.remove("shop/bills.py")
    repo.commit()
    repo.write("shop/a.py", other)
    repo.write("shop/b.py", other.replace("sum_up", "add_up"))
    repo.git("add", "-A")
    assert said(dup(repo)) == [("shop/b.py", "add_up", "shop/a.py", "sum_up")]


def test_of_several_places_the_one_that_was_there_before_is_said(repo):
    for path in ("a.py", "z.py"):
        repo.write(path, COPY)
    repo.git("add", "-A")
    assert [(new, old) for new, _, old, _ in said(dup(repo))] == [
        ("a.py", "shop/bills.py"),
        ("z.py", "shop/bills.py"),
    ]


def test_copies_that_are_committed_already_are_not_said(repo):
    repo.write("shop/report.py", COPY)
    repo.commit()
    repo.append("shop/report.py", "\n\nLIMIT = 3\n")
    assert said(dup(repo)) == []
    # nor when they are only indented anew
    text = repo.file("shop/report.py").read_text()
    repo.write("shop/report.py", "if True:\n" + text.replace("\n", "\n    "))
    assert said(dup(repo)) == []


def test_tests_are_left_out_on_request(repo):
    repo.write("tests/test_report.py", COPY)
    repo.git("add", "-A")
    assert len(dup(repo).copies) == 1
    assert dup(repo, tests="exclude").copies == ()
    repo.write("shop/report.py", COPY)
    repo.git("add", "-A")
    assert dup(repo, tests="only").copies == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("gen/bills_pb2.py", COPY),
        ("vendor/bills.py", COPY),
        ("notes.md", "# Bills\n\n" + COPY),
        ("shop/doc.py", '"""\n' + COPY + '"""\n'),
        ("shop/doc.go", "/*\n" + COPY + "*/\npackage shop\n"),
        ("shop/short.py", "def shipping_cost(address, weight):\n    return 4\n"),
        ("shop/imports.py", "".join(f"from shop.bills import name_{i}\n" for i in range(40))),
        ("shop/licence.py", "# All rights reserved.\n" * 20),
        ("shop/table.py", "T = {\n" + "".join(f"    'a{i}': {i},\n" for i in range(60)) + "}\n"),
        ("data.bin", b"\0\1" * 99),
    ],
)
def test_what_everybody_has_is_ignored(repo, path, text):
    repo.write(path, text)
    repo.git("add", "-A")
    assert dup(repo).copies == ()


def test_without_a_commit_everything_is_new(repo, tmp_path):
    from tests.builder import RepoBuilder

    fresh = RepoBuilder(tmp_path / "fresh")
    assert dup(fresh).looked == dup(fresh, cached=True).looked == 0
    fresh.write("a.py", BILLS)
    fresh.write("b.py", COPY)
    fresh.git("add", "-A")
    assert said(dup(fresh, cached=True)) == [("b.py", "sum_up", "a.py", "total_of")]


@pytest.mark.slow
def test_the_same_answer_from_an_index_that_has_grown(repo):
    from tests.unit.commands.asked import Aside, recorded

    repo.write("shop/report.py", COPY)
    repo.commit()
    for number in range(3):
        repo.append("shop/config.py", f"\n\nLEVEL_{number} = {number}\n")
        repo.commit()
        recorded(repo)
    grown = dup(repo, changed="HEAD~4..HEAD"), related(repo, "shop/bills.py")
    with Aside(repo):
        assert (dup(repo, changed="HEAD~4..HEAD"), related(repo, "shop/bills.py")) == grown


# ---------------------------------------------------------------- related code


def test_the_files_that_are_most_like_a_file(repo):
    report = related(repo, "shop/bills.py")
    assert report.target.path == "shop/bills.py"
    assert (report.target.start, report.target.end) == (1, 20)
    assert report.results[0].path == "tests/test_bills.py"
    assert "shop/bills.py" not in {one.path for one in report.results}
    # code only, each file once, by score
    assert "README.md" not in {one.path for one in report.results}
    scores = [one.score for one in report.results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len({one.path for one in report.results}) == len(report.results)


def test_files_that_changed_together_are_related_though_they_are_not_alike(repo):
    before = [one.path for one in related(repo, "shop/bills.py").results]
    repo.having({"far/away.py": "QUITE = {'other': 'words'}\n", "tests/test_far.py": "X = 1\n"})
    for number in range(6):
        repo.append("shop/bills.py", f"\n\nRATE_{number} = {number}\n")
        repo.append("far/away.py", f"more_{number} = None\n")
        repo.append("tests/test_far.py", f"more_{number} = None\n")
        repo.commit()
    found = {one.path: one for one in related(repo, "shop/bills.py", most=30).results}
    assert "far/away.py" not in before[:3]
    assert [*found].index("far/away.py") < 3
    assert found["far/away.py"].why["changes"] > 0.8
    assert all("changes" not in found[path].why for path in ("shop/mail.py",))
    assert all(0 <= one.score <= 1 for one in found.values())
    # what changed together is of code, and passes the filter
    without = related(repo, "shop/bills.py", most=30, tests="exclude").results
    assert "tests/test_far.py" not in [one.path for one in without]
    # before these commits, and of a tree, nothing is known of them
    assert "changes" not in str(related(repo, "shop/bills.py", at="HEAD~6").results)
    assert "changes" not in str(related(repo, "shop/bills.py", at="HEAD^{tree}").results)
    # a place is compared by what it says
    assert "changes" not in str(related(repo, "shop/bills.py:9").results)


def test_as_many_as_are_asked_for_without_tests(repo):
    assert len(related(repo, "shop/bills.py", most=1).results) == 1
    paths = {one.path for one in related(repo, "shop/bills.py", tests="exclude").results}
    assert "tests/test_bills.py" not in paths
    assert "shop/mail.py" in paths


def test_a_line_means_the_definition_around_it(repo):
    repo.write("shop/report.py", COPY)
    repo.commit()
    report = related(repo, "shop/bills.py:9")
    assert (report.target.symbol, report.target.start) == ("total_of", 6)
    assert report.results[0].path == "shop/report.py"
    for place in ("6-15", "9,10", "9:5"):
        assert related(repo, f"shop/bills.py:{place}").results == report.results
    several = related(repo, "shop/bills.py:4-20")
    assert (several.target.symbol, several.target.start, several.target.end) == (None, 4, 20)
    assert several.results[0].path == "shop/report.py"
    # outside of all the lines that are kept together
    above = related(repo, "bills.py:2", folder="shop").target
    assert (above.path, above.start) == ("shop/bills.py", 1)


def test_another_tree(repo):
    repo.remove("shop/bills.py")
    assert related(repo, "shop/bills.py", at="HEAD").results
    assert related(repo, "shop/bills.py", cached=True).results
    with pytest.raises(BadPath, match=r"'shop/bills\.py' is not in the working tree") as refused:
        related(repo, "shop/bills.py")
    assert refused.value.hint == "HEAD has it: add `--at HEAD`"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("shop/bill.py", "no file 'shop/bill.py' in HEAD"),
        ("shop/bills.py:99", "'shop/bills.py' has 20 lines, and no line 99"),
        ("shop/bills.py:0", "'shop/bills.py' has 20 lines, and no line 0"),
        ("logo.png", "'logo.png' is not searched: binary"),
        ("logo.png:1", "'logo.png' is not searched: binary"),
        ("shop", "'shop' is a folder in HEAD"),
        (".", "the top of the repository is a folder"),
        ("../x", "'../x' is outside the repository"),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(repo, target, message):
    with pytest.raises(BadPath) as refusal:
        related(repo, target)
    assert refusal.value.message == message


def test_the_nearest_names_are_a_hint(repo):
    with pytest.raises(BadPath) as refusal:
        related(repo, "shop/bill.py")
    assert "'shop/bills.py'" in refusal.value.hint


def test_an_empty_file_is_like_nothing(repo):
    assert related(repo, "empty.py").results == ()
