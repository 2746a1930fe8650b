"""Questions are told apart by how many of their words the lines that answer have."""

from bench.yardsticks import Lines


def test_words_are_counted_in_the_lines_of_the_nearest_target(repo):
    repo.having(
        {
            "a.py": "import os\ndef retry_request(count):\n    sleep(count)\n",
            "b.py": "def again():\n    pass\n",
        }
    )
    checkouts = repo.path.parent
    case = {
        "repo": repo.path.name,
        "revision": "HEAD",
        "query": "where is a request retried after a count",
        "targets": [
            {"path": "b.py", "start": 1, "end": 2},
            {"path": "a.py", "start": 2, "end": 3},
        ],
    }
    yardstick = Lines(checkouts, checkouts, frozenset())
    # of request, retried, after and count two are there; "where is a" says nothing
    assert yardstick.in_common(case) == 0.5
    case["targets"] = case["targets"][:1]
    assert yardstick.in_common(case) == 0
