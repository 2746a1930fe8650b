"""Commits searched by meaning, in real repositories, good and bad."""

import pytest

from gitsearch.commands.commit_search import HistoryRequest
from gitsearch.commands.history import history
from gitsearch.errors import BadRevision, GitFailed, UsageError
from gitsearch.render import history_text, json_document
from gitsearch.render.color import Paint
from tests.unit.commands.asked import session


@pytest.fixture
def repo(repo):
    repo.having({"net/retry.py": "def wait(attempt):\n    return 2**attempt\n"})
    repo.replace("net/retry.py", "2**attempt", "min(2**attempt, 60)")
    repo.write("other.txt", "nothing of interest\n")
    repo.commit("Cap the pause at a minute (#12)")
    repo.having({"shop/bill.py": "def invoice_total(orders):\n    return sum(orders)\n"})
    return repo


def asked(repo, text, *pathspecs, folder="", **options):
    options = {"refresh": "wait", **options}
    request = HistoryRequest(text, pathspecs, **options)
    return history(session(repo.path / folder), request)


def subjects(report):
    return [one.subject for one in report.results]


def test_a_commit_is_found_by_its_message_and_shown_with_the_hunk_that_answers(repo):
    best = asked(repo, "capped pauses in min attempt").results[0]
    assert (best.subject, best.references) == ("Cap the pause at a minute (#12)", ("#12",))
    assert (best.path, best.start, best.end) == ("net/retry.py", 2, 2)
    assert best.text == "-    return 2**attempt\n+    return min(2**attempt, 60)"
    assert (best.author, best.date) == ("A. Author", "2023-11-14T22:14:20+00:00")


def test_a_commit_is_found_by_a_name_that_it_defines(repo):
    best = asked(repo, "InvoiceTotal").results[0]
    assert (best.path, best.legs["names"]) == ("shop/bill.py", 1)


def test_filters_are_those_of_git_log(repo):
    assert len(asked(repo, "pause").results) >= 2
    assert subjects(asked(repo, "orders", "shop")) == ["change"]
    assert subjects(asked(repo, "orders", ".", folder="shop")) == ["change"]
    assert "shop/bill.py" not in [
        one.path for one in asked(repo, "wait", ":(exclude)shop").results
    ]
    assert asked(repo, "pause", authors=("nobody",)).results == ()
    both = ("nobody", "A. Auth")
    assert asked(repo, "pause", authors=both).results == asked(repo, "pause").results
    assert asked(repo, "def", since="2023-11-14T22:15:10+00:00").results[0].path == "shop/bill.py"
    assert len(asked(repo, "wait", until="2023-11-14T22:13:30+00:00").results) == 1
    with pytest.raises(GitFailed):
        asked(repo, "pause", ":(nonsense)x")


def test_as_many_results_and_lines_as_asked_for(repo):
    assert len(asked(repo, "orders", most=1).results) == 1
    assert asked(repo, "orders", lines=1).results[0].text == "+def invoice_total(orders):"
    assert asked(repo, "orders", lines=0).results[0].text == ""


def test_an_older_commit_or_a_tag_is_asked_about(repo):
    repo.git("tag", "-a", "-m", "x", "v1", "HEAD~1")
    report = asked(repo, "sum of orders", at="v1")
    assert (report.rev, report.commit, report.window.commits) == ("v1", repo.rev("HEAD~1"), 2)
    assert "shop/bill.py" not in [one.path for one in report.results]


def test_a_commit_that_removes_is_shown_with_what_it_removed(repo):
    repo.remove("shop/bill.py")
    repo.commit("Clean up")
    best = next(one for one in asked(repo, "invoice total").results if one.subject == "Clean up")
    assert (best.path, best.start, best.end) == ("shop/bill.py", 0, 0)
    assert best.text.startswith("-def invoice_total(orders):")


def test_nothing_is_found_without_a_commit_or_a_word(repo):
    assert asked(repo, "...").results == ()
    repo.git("checkout", "-q", "--orphan", "fresh")
    with pytest.raises(BadRevision, match="no commit yet"):
        asked(repo, "x")
    with pytest.raises(BadRevision, match="names no commit"):
        asked(repo, "x", at="0" * 40)
    repo.git("config", "search.historyDepth", "-3")
    with pytest.raises(UsageError, match="historydepth"):
        asked(repo, "x", at="main")


def test_a_repository_with_long_ids(tmp_path):
    from tests.builder import RepoBuilder

    repo = RepoBuilder(tmp_path / "sha256", object_format="sha256")
    repo.having({"a.py": "def waiting():\n    pass\n"})
    assert asked(repo, "waiting").results[0].commit == repo.rev()


# ---------------------------------------------------------------- bad input

EVIL = "\x1b[31mred\x07 \u202eevil"


def raw_commit(repo, when, message, **lines):
    """A commit as nobody's git would write it."""
    who = f"{EVIL} <x@y>"
    content = f"tree {repo.rev('HEAD^{tree}')}\nparent {repo.rev()}\nauthor {who} {when}\n"
    content += f"committer {who} {when}\n\n"
    data = content.encode() + message
    oid = repo.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=data)
    repo.git("update-ref", "HEAD", oid)
    return oid


@pytest.mark.parametrize(
    "when",
    ["0 +0000", "4102444800 +0000", "1 +9999", "99999999999999999999 +0000", "-5 +0000", "x"],
)
def test_odd_dates_and_messages_are_found_and_harmless(repo, when):
    oid = raw_commit(repo, when, "Gr\xfc\xdfe aus \x1b]0;title\x07 Passau\n".encode("latin-1"))
    report = asked(repo, "aus Passau")
    assert report.results[0].commit == oid
    text = "".join(history_text.history(report, Paint()))
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert not {"\x1b", "\x07", "\u202e"} & set(json_document.dump(json_document.document(report)))
    assert asked(repo, "aus Passau") == report


def test_hunks_steer_no_terminal(repo):
    repo.having({"a\x1b.txt": f"passau {EVIL}\r\n"})
    text = "".join(history_text.history(asked(repo, "passau"), Paint()))
    assert "passau" in text
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(text)


def test_replaced_and_grafted_commits_are_answered_about(repo):
    repo.git("replace", "HEAD", "HEAD~1")
    assert asked(repo, "invoice total").results[0].path == "shop/bill.py"
    repo.git("replace", "-d", repo.rev())
    (repo.git_dir / "info").mkdir(exist_ok=True)
    (repo.git_dir / "info" / "grafts").write_text(f"{repo.rev()}\n")
    assert asked(repo, "invoice total").window.commits == 1


@pytest.mark.long
def test_a_huge_commit_stops_nobody(repo):
    repo.having({f"many/{n % 100}/{n}.txt": f"file {n}\n" for n in range(50_000)})
    repo.having({"hunk.txt": "a line of a hunk that is very long indeed\n" * 500_000})
    repo.having({"after.py": "def afterwards():\n    pass\n"})
    assert asked(repo, "afterwards").results[0].path == "after.py"
    assert asked(repo, "afterwards").commits_behind == 0
