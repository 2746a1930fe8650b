"""Permalinks: what the addresses of remotes mean, and what means nothing."""

import pytest

from gitsearch.git.forge import forge_of

COMMIT = "1" * 40


@pytest.mark.parametrize(
    ("remote", "permalink"),
    [
        ("https://github.com/o/r.git", f"https://github.com/o/r/blob/{COMMIT}/a/b.py#L3-L5"),
        ("git@github.com:o/r.git", f"https://github.com/o/r/blob/{COMMIT}/a/b.py#L3-L5"),
        ("ssh://git@github.com:22/o/r", f"https://github.com/o/r/blob/{COMMIT}/a/b.py#L3-L5"),
        ("https://u:secret@github.com/o/r", f"https://github.com/o/r/blob/{COMMIT}/a/b.py#L3-L5"),
        (
            "https://gitlab.example.org/g/s/r.git/",
            f"https://gitlab.example.org/g/s/r/-/blob/{COMMIT}/a/b.py#L3-5",
        ),
        (
            "https://codeberg.org/o/r",
            f"https://codeberg.org/o/r/src/commit/{COMMIT}/a/b.py#L3-L5",
        ),
        (
            "git@bitbucket.org:o/r.git",
            f"https://bitbucket.org/o/r/src/{COMMIT}/a/b.py#lines-3:5",
        ),
    ],
)
def test_the_address_of_lines(remote, permalink):
    forge = forge_of(remote)
    assert forge is not None
    assert forge.permalink(COMMIT, "a/b.py", 3, 5) == permalink


def test_one_line_and_odd_paths_are_quoted():
    forge = forge_of("https://github.com/o/r")
    assert forge is not None
    assert forge.permalink(COMMIT, "a b/\udcffé#?.py", 3, 3).endswith(
        f"/{COMMIT}/a%20b/%FF%C3%A9%23%3F.py#L3"
    )


@pytest.mark.parametrize(
    "remote",
    [
        *("", "/srv/git/r.git", "../r", "file:///r", "https://example.org/o/r"),
        *("javascript:alert(1)//github.com/x", "https://github.com", "https://git hub.com/o/r"),
        *("https://github.com.evil/o\n/r", 'https://"github.com/o/r', "https://notgithub.com/o/r"),
    ],
)
def test_what_is_no_known_forge(remote):
    assert forge_of(remote) is None
