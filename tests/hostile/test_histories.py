"""Histories nobody would write: each verb that reads one answers, or says why not in one line."""

import pytest

from gitsearch.commands.changed_together import ChangedTogetherRequest, changed_together
from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.experts import ExpertsRequest, experts
from gitsearch.commands.history import history
from gitsearch.commands.removed_code import removed_code, removed_definitions
from gitsearch.commands.why import WhyRequest, why
from gitsearch.errors import SearchError
from gitsearch.render import history_text, json_document
from gitsearch.render.color import Paint
from tests.builder import RepoBuilder
from tests.unit.commands.asked import session, warm_parsers

CODE = "def invoice_total(orders):\n    return sum(order.price for order in orders)\n"
EVIL = "\x1b[31mred\x07 \u202eevil"
# What moves a cursor, rings, or writes from right to left.
STEERING = {"\x1b", "\x07", "\u202e", "\r", "\x9b"}


@pytest.fixture
def repo(repo):
    warm_parsers()
    repo.having({"shop/bill.py": CODE, "shop/tax.py": "RATE = 2\n"})
    repo.write("shop/tax.py", "RATE = 3\n")
    repo.append("shop/bill.py", "\n\n# later\n")
    repo.commit("Raise the rate of the total (#3)")
    repo.write("shop/bill.py", "invoice = None\n")
    repo.commit("Bill elsewhere")
    return repo


def verbs(at=None):
    words = HistoryRequest("total of invoices", at=at, refresh="wait")
    return {
        "history": lambda one: (history(one, words), history_text.history),
        "--removed": lambda one: (removed_code(one, words), history_text.removed),
        "def --removed": lambda one: (
            removed_definitions(one, "invoice_total", at),
            history_text.removed,
        ),
        "why": lambda one: (why(one, WhyRequest("shop/bill.py", at)), history_text.why),
        "experts": lambda one: (
            experts(one, ExpertsRequest(("shop",), at)),
            history_text.experts,
        ),
        "related --by change": lambda one: (
            changed_together(one, ChangedTogetherRequest("shop/bill.py", at)),
            history_text.together,
        ),
    }


def outcomes(repo, at=None):
    """By verb the report or the error; nothing of either steers a terminal."""
    said = {}
    for name, verb in verbs(at).items():
        try:
            report, rendered = verb(session(repo.path))
            text = "".join(rendered(report, Paint()))
            text += json_document.dump(json_document.document(report))
            said[name] = report
        except SearchError as error:
            text = f"{error.message} {error.hint or ''}"
            assert "\n" not in text, (name, text)
            said[name] = error
        assert not STEERING & set(text), name
    return said


def assert_answered(said, *refused):
    errors = {name for name, one in said.items() if isinstance(one, SearchError)}
    assert errors == set(refused), {name: str(said[name]) for name in errors}


def test_an_ordinary_history_is_answered_by_each_verb(repo):
    said = outcomes(repo)
    assert_answered(said)
    assert said["--removed"].results[0].subject == "Bill elsewhere"
    assert said["def --removed"].results[0].text == CODE.rstrip("\n") + "\n\n\n# later"


def test_a_shallow_clone_and_its_oldest_commit(repo, tmp_path):
    for depth in (1, 2):
        clone = tmp_path / str(depth)
        repo.git("clone", "-q", f"--depth={depth}", f"file://{repo.path}", str(clone))
        said = outcomes(RepoBuilder.adopt(clone))
        assert_answered(said)
        assert said["history"].window.commits == depth
        assert len(said["def --removed"].results) == depth - 1


def test_grafts_and_replaced_commits(repo):
    right = outcomes(repo)
    repo.git("replace", "HEAD", "HEAD~2")
    assert outcomes(repo) == right
    repo.git("replace", "-d", repo.rev())
    (repo.git_dir / "info").mkdir(exist_ok=True)
    grafts = repo.git_dir / "info" / "grafts"
    for text in (f"{repo.rev()}\n", f"{repo.rev()} {repo.rev('HEAD~2')}\n"):
        grafts.write_text(text)
        assert_answered(outcomes(repo))
    grafts.unlink()
    assert outcomes(repo) == right


@pytest.mark.parametrize(
    "when", ["0 +0000", "4102444800 +0000", "99999999999999999999 -2400", "x"]
)
def test_dates_names_and_messages_from_elsewhere(repo, when):
    who = f"{EVIL} <x\x1b@y>"
    repo.having({f"shop/{EVIL[:8]}.py": CODE + f"# {EVIL}\r\n", "shop/bill.py": CODE})
    content = f"tree {repo.rev('HEAD^{tree}')}\nparent {repo.rev('HEAD^')}\nauthor {who} {when}\n"
    content += f"committer {who} {when}\nencoding nonsense\n\n"
    data = content.encode() + "Gr\xfc\xdfe: total \x1b]0;title\x07\r of \x9b2J invoices\n".encode(
        "latin-1"
    )
    oid = repo.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=data)
    repo.git("update-ref", "HEAD", oid)
    said = outcomes(repo)
    assert_answered(said)
    assert said["history"].results[0].commit == oid


def test_a_repository_without_commits_is_refused(tmp_path):
    empty = RepoBuilder(tmp_path / "empty")
    assert_answered(outcomes(empty), *verbs())


def test_a_commit_that_a_rebase_has_left_behind_and_git_has_thrown_away(repo):
    repo.branch("topic", "HEAD~1")
    repo.write("shop/bill.py", "total = None\n")
    gone = repo.commit("Invoices have no total")
    assert_answered(outcomes(repo))
    assert_answered(outcomes(repo, gone))
    repo.run("rebase", "-q", "-X", "theirs", "main")
    right = outcomes(repo)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert_answered(outcomes(repo, gone), *verbs())
    assert outcomes(repo) == right
    assert_answered(right)


def test_a_commit_whose_objects_are_damaged_stops_nobody(repo):
    blob = repo.rev("HEAD~1:shop/tax.py")
    repo.having({"last.py": CODE})
    file = repo.git_dir / "objects" / blob[:2] / blob[2:]
    file.chmod(0o600)
    file.write_bytes(b"nonsense")
    said = outcomes(repo)
    assert_answered(said)
    assert "Raise the rate of the total (#3)" in [one.subject for one in said["history"].results]


@pytest.mark.long
def test_fifty_thousand_files_and_twenty_megabytes(repo):
    many = {f"shop/{n % 100}/{n}.txt": f"file {n}\n" for n in range(50_000)}
    repo.having({**many, "shop/bill.py": CODE})
    repo.having({"hunk.txt": "a line of a hunk that is very long indeed\n" * 500_000})
    repo.having({"line.txt": "one very long line " * 1_100_000})
    repo.remove("shop")
    repo.having({"shop/bill.py": "invoice = None\n"})
    said = outcomes(repo)
    assert_answered(said)
    assert said["history"].commits_behind == 0
    assert said["why"].exact[0].commit == repo.rev()
