"""The messages of commits."""

from gitsearch.git.commit_messages import messages
from gitsearch.git.repo import open_repo


def test_messages_come_in_the_order_of_the_ids(repo):
    said = ["one\n\nbody commit 123\n", "zw\u00f6lf \u2603", "three"]
    ids = []
    for number, message in enumerate(said):
        repo.write("a", str(number))
        ids.append(repo.commit(message))
    wanted = [ids[2], ids[0], ids[1]]
    assert messages(open_repo(repo.path), wanted) == [said[2], said[0].strip(), said[1]]
    assert messages(open_repo(repo.path), []) == []
