"""What the program is measured on is never trained on, under whatever name it is found."""

import json
from pathlib import Path

import pytest

from training import listing
from training.listing import BadList, Entry, Refusal

ROOT = Path(__file__).parents[3]
HEAD = "url\trevision\tlicence\tuse\n"


def refusal(names=(), roots=None):
    return Refusal(frozenset(names), roots or {})


@pytest.fixture
def checkout(repo):
    """A repository with two commits in a folder of checkouts, and its row in a list."""
    target = repo.path.parent / "checkouts" / "someone+widget"
    target.parent.mkdir()
    repo.having({"a.py": "x = 1\n"}).having({"a.py": "x = 2\n"})
    repo.path.rename(target)
    repo.path = target
    entry = Entry("https://example.com/someone/widget", repo.rev(), "MIT", "trained on")
    return repo, entry, target.parent


def test_the_committed_list_is_whole_and_refuses_nothing_of_its_own():
    entries, refused = listing.read_list(), listing.read_refusal()
    assert len({entry.name.lower() for entry in entries}) == len(entries) > 100
    assert [entry for entry in entries if refused.by_name(entry.name)] == []
    assert all(len(entry.revision) == 40 for entry in entries)
    permissive = {
        "MIT",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "ISC",
        "Unlicense",
        "Zlib",
    }
    assert {one for entry in entries for one in entry.licence.split(" or ")} <= permissive
    assert sum(entry.held_out for entry in entries) >= 8


def test_the_repositories_of_our_own_cases_are_refused():
    cases = (ROOT / "bench" / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    names = {json.loads(line)["repo"] for line in cases}
    refused = listing.read_refusal()
    assert [name for name in names if refused.by_name(name) is None] == []


def test_every_refused_first_commit_belongs_to_a_refused_name():
    refused = listing.read_refusal()
    assert {name.lower() for name in refused.roots.values()} <= refused.names
    assert len(refused.roots) > 100


@pytest.mark.parametrize("name", ["pallets/jinja", "Pallets/Jinja", "somebody/jinja"])
def test_a_name_is_refused_with_any_capitals_and_owner(name):
    assert "measured on" in refusal(["pallets/jinja"]).by_name(name)


def test_another_name_is_not_refused():
    assert refusal(["pallets/jinja"]).by_name("pallets/werkzeug") is None


def test_a_checkout_of_the_list_is_opened(checkout):
    _, entry, folder = checkout
    assert [found for found, _ in listing.opened([entry], folder, refusal())] == [entry]


def test_a_renamed_fork_is_told_by_its_first_commit(checkout):
    repo, entry, folder = checkout
    first = repo.git("rev-list", "--max-parents=0", "HEAD")
    with pytest.raises(BadList, match=f"same commit as pallets/jinja: {first}"):
        listing.opened([entry], folder, refusal(roots={first: "pallets/jinja"}))


def test_a_refused_checkout_beside_the_list_stops_the_training(checkout):
    _, entry, folder = checkout
    (folder / "fork+jinja").mkdir()
    with pytest.raises(BadList, match="fork/jinja has the name of pallets/jinja"):
        listing.opened([entry], folder, refusal(["pallets/jinja"]))


def test_absence_is_said_by_name(checkout):
    _, entry, folder = checkout
    refused = refusal(["pallets/jinja", "redis/redis"])
    lines = listing.absence(listing.opened([entry], folder, refused), refused)
    assert lines[0] == "1 repositories: 1 MIT"
    assert lines[1].endswith("pallets/jinja redis/redis")


def test_a_checkout_that_is_not_there_is_named(tmp_path):
    entry = Entry("https://example.com/some/thing", "0" * 40, "MIT", "trained on")
    with pytest.raises(BadList, match=r"some\+thing"):
        listing.opened([entry], tmp_path, refusal())


@pytest.mark.parametrize(
    "text",
    ["", "url\n", HEAD + "https://x/a/b\tabc\tMIT\n", HEAD + "https://x/a/b\tabc\tMIT\tlater\n"],
)
def test_a_list_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "list.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(BadList, match=r"list\.tsv"):
        listing.read_list(tmp_path / "list.tsv")
