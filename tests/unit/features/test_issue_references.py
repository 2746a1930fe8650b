"""Names of issues and pull requests in messages."""

import pytest

from gitsearch.features.issue_references import references


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Fix a leak (#123)", ("#123",)),
        ("Merge pull request #45 from ann/topic\n\nCloses #12, fixes GH-7.", ("#45", "#12", "#7")),
        ("See merge request group/name!31", ("group/name!31",)),
        ("KAFKA-1234: close the log (#99)", ("KAFKA-1234", "#99")),
        ("as in pallets/flask#5", ("pallets/flask#5",)),
        ("see https://github.com/a/b/pull/17 for more", ("#17",)),
        ("https://gitlab.com/a/b/-/merge_requests/8", ("!8",)),
        ("twice #4 and #4", ("#4",)),
    ],
)
def test_what_names_an_issue_is_found(message, names):
    assert references(message) == names


@pytest.mark.parametrize(
    "message",
    ["the colour #123456789", "UTF-8 and SHA-256", "line&#39;s", "c#1x", "a-#0", "", "v1.2-3"],
)
def test_what_only_looks_like_one_is_not(message):
    assert references(message) == ()


def test_a_long_message_is_looked_at_up_to_a_bound():
    assert len(references(" ".join(f"#{number}" for number in range(1, 5000)))) == 20
