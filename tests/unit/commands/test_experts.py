"""Authors who know some code."""

import pytest

from gitsearch.commands import experts as experts_command
from gitsearch.commands.experts import ExpertsRequest
from gitsearch.errors import BadRevision
from tests.unit.commands.asked import session, warm_parsers


def commit(repo, name, message="change"):
    repo.git("add", "-A")
    author = f"{name} <{name.lower()}@example.com>"
    repo.git("commit", "-q", "-m", message, f"--author={author}")
    repo.tick()


@pytest.fixture
def repo(repo):
    repo.write("net/retry.py", "def pause(attempt):\n    return 2**attempt\n")
    repo.write("net/data.bin", b"\0\n\0\n" * 50)
    commit(repo, "Ann")
    repo.write("shop/bill.py", "def total(orders):\n    return sum(orders)\n")
    commit(repo, "Bob")
    repo.append("net/retry.py", "\n\ndef send():\n    pass\n")
    commit(repo, "Cem")
    return repo


def experts(repo, *words, folder="", **options):
    warm_parsers()
    request = ExpertsRequest(words, **options)
    return experts_command.experts(session(repo.path / folder), request)


def known(report):
    return [(one.author, one.lines, one.commits) for one in report.experts]


def test_a_file_that_git_takes_to_be_unchanged_is_as_in_head(repo):
    before = known(experts(repo, "net/retry.py"))
    repo.git("update-index", "--assume-unchanged", "net/retry.py")
    repo.write("net/retry.py", "edited = True\n")
    assert known(experts(repo, "net/retry.py")) == before


def test_authors_of_a_file_by_lines_and_commits(repo):
    report = experts(repo, "net/retry.py")
    assert known(report) == [("Cem", 4, 1), ("Ann", 2, 1)]
    assert [one.score for one in report.experts] == [0.583333, 0.416667]
    assert (report.path, report.query, report.files, report.blamed) == ("net/retry.py", None, 1, 1)
    assert report.experts[0].last == "2023-11-14T22:15:20+00:00"


def test_a_folder_is_all_of_its_text(repo):
    report = experts(repo, ".", folder="net")
    assert known(report) == [("Cem", 4, 1), ("Ann", 2, 1)]
    assert (report.path, report.files, report.blamed) == ("net", 2, 1)
    assert len(experts(repo, ".").experts) == 3


def test_a_query_asks_about_what_it_finds(repo):
    report = experts(repo, "sum", "of", "all", "orders", most=1)
    assert known(report) == [("Bob", 2, 1)]
    assert (report.query, report.path) == ("sum of all orders", None)


def test_names_are_those_of_the_mailmap(repo):
    one = "Cem Ay <cem@x.org>"
    repo.write(".mailmap", f"{one} <cem@example.com>\n{one} <ann@example.com>\n")
    assert known(experts(repo, "net/retry.py")) == [("Cem Ay", 6, 2)]


def test_who_only_committed_is_known_too(repo):
    repo.write("net/retry.py", "x = 1\n")
    commit(repo, "Bob")
    assert ("Ann", 0, 1) in known(experts(repo, "net/retry.py"))


def test_nobody_knows_what_is_not_there(repo):
    assert experts(repo, "zxqwv").experts == ()


def test_without_a_commit_nobody_knows(repo):
    repo.git("checkout", "-q", "--orphan", "fresh")
    with pytest.raises(BadRevision, match="no commit yet"):
        experts(repo, "net")
