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
    assert report.warnings == ("this clone is shallow: its history ends after 2 commits",)
