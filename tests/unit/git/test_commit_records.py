"""Metadata of commits."""

from gitsearch.git.commit_records import authored_changes, newest_commits, read_commits
from gitsearch.git.repo import open_repo


def test_authors_are_those_of_the_mailmap(repo):
    repo.write(".mailmap", "Ann Lee <ann@example.org> <author@example.com>\n")
    first = repo.commit("The subject\n\nThe body.\n")
    record = read_commits(open_repo(repo.path), [first])[first]
    assert (record.author, record.email) == ("Ann Lee", "ann@example.org")
    assert (record.subject, record.message) == ("The subject", "The subject\n\nThe body.")
    assert record.date == "2023-11-14T22:13:20+00:00"
    assert record.seconds == 1_700_000_000


def test_a_message_of_another_encoding_is_read(repo):
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.write("message", "Gr\xfc\xdfe".encode("latin-1"))
    repo.git("commit", "-q", "--allow-empty", "-F", "message")
    told = repo.rev()
    content = repo.run("cat-file", "commit", told).stdout
    untold = repo.git(
        *("hash-object", "-t", "commit", "-w", "--stdin"),
        stdin=content.replace(b"encoding ISO-8859-1\n", b""),
    )
    found = read_commits(open_repo(repo.path), [told, untold])
    assert found[told].subject == "Grüße"
    assert found[untold].subject == "Gr\ufffd\ufffde"


def test_no_commit_is_asked_for_without_a_process(repo):
    assert read_commits(open_repo(repo.path), []) == {}


def test_changes_have_their_author_and_paths(repo):
    repo.having({"a": "1\n", "b\nc": "2\n"})
    repo.commit_staged("nothing")
    repo.branch("topic")
    repo.having({"d": "1\n"})
    repo.checkout("main")
    repo.having({"a": "2\n"})
    repo.merge("topic")
    found = authored_changes(open_repo(repo.path), repo.rev(), 10)
    assert [one.paths for one in found] == [(b"a",), (b"d",), (), (b"a", b"b\nc")]
    assert {(one.author, one.email) for one in found} == {("A. Author", "author@example.com")}
    assert found[0].date.startswith("2023-11-14T22:1")
    assert len(authored_changes(open_repo(repo.path), repo.rev(), 2)) == 2


def test_the_newest_commits_are_as_many_as_asked_for(repo):
    ids = [repo.commit() for _ in range(4)]
    assert newest_commits(open_repo(repo.path), repo.rev(), 2) == ids[:1:-1]
