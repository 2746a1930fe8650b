"""Who owns a path, by the rules that GitHub documents."""

import time

import pytest

from gitsearch.git import codeowners
from gitsearch.git.codeowners import MOST_BYTES, Owners, find

# The example of GitHub's documentation, comments left out but one at the end of a line.
DOCUMENTED = """\
# This is a comment.
*       @global-owner1 @global-owner2

*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.py", "@global-owner1 @global-owner2"),
        ("deep/er/a.py", "@global-owner1 @global-owner2"),
        ("a.js", "@js-owner"),
        ("src/a.js", "@js-owner"),
        ("src/a.go", "docs@example.com"),
        ("src/a.txt", "@octo-org/octocats"),
        ("build/logs/a/b.py", "@octocat"),
        ("x/build/logs2/a.py", "@global-owner1 @global-owner2"),
        ("docs/getting-started.md", "@doctocat"),
        ("scripts/artifacts/b.sh", "@doctocat @octocat"),
        ("deeply/nested/logs/a.py", "@octocat"),
        ("logs", "@octocat"),
        ("apps/web/a.py", "@octocat"),
        ("web/apps/a.py", "@octocat"),
        ("apps/github", ""),
        ("apps/github/a.py", ""),
        ("apps/github2/a.py", "@octocat"),
    ],
)
def test_the_documented_example(path, owners):
    assert Owners(DOCUMENTED).of(path) == tuple(owners.split())


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*", ["a", "a/b"], []),
        ("**", ["a", "a/b"], []),
        ("/**", ["a", "a/b"], []),
        ("/*", ["a"], ["a/b"]),
        ("*/", ["a/b", "a/b/c"], ["a"]),
        ("**/", ["a/b", "a/b/c"], ["a"]),
        ("/", [], ["a", "a/b"]),
        ("foo", ["foo", "foo/a", "a/foo", "a/foo/b"], ["foob", "a/bfoo", "FOO"]),
        ("/foo", ["foo", "foo/a/b"], ["a/foo"]),
        ("foo/", ["foo/a", "a/foo/b/c"], ["foo", "a/foo"]),
        ("/foo/", ["foo/a", "foo/b/c"], ["foo", "a/foo/b"]),
        ("foo/bar", ["foo/bar", "foo/bar/a"], ["a/foo/bar", "foo/a/bar"]),
        ("foo/bar/", ["foo/bar/a"], ["foo/bar", "a/foo/bar/b"]),
        ("foo/*", ["foo/a"], ["foo/a/b", "foo", "a/foo/b"]),
        ("foo/*/", ["foo/a/b"], ["foo/a"]),
        ("foo/*.md", ["foo/a.md", "foo/.md"], ["foo/a/b.md", "a/foo/b.md"]),
        ("foo/*/bar", ["foo/a/bar", "foo/a/bar/b"], ["foo/bar", "foo/a/b/bar"]),
        ("foo/**", ["foo/a", "foo/a/b"], ["foo", "a/foo/b"]),
        ("foo/**/", ["foo/a/b"], ["foo/a"]),
        ("**/foo", ["foo", "a/foo", "a/b/foo/c"], ["afoo"]),
        ("**/foo/bar", ["foo/bar", "a/foo/bar/b"], ["foo/a/bar"]),
        ("**/foo/*", ["foo/a", "b/foo/a"], ["foo/a/b"]),
        ("foo/**/bar", ["foo/bar", "foo/a/bar", "foo/a/b/bar/c"], ["foo/abar", "a/foo/bar"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c"], ["a/c/b", "x/a/b/c"]),
        ("**/*.md", ["a.md", "b/a.md"], ["a.mdx"]),
        ("*.js", ["a.js", "b/a.js", ".js"], ["a.jsx", "js"]),
        ("a*b*c", ["abc", "axbxc", "abbc/d"], ["ab", "acb", "abxcx"]),
        ("*aba*", ["aba", "xabab"], ["abba"]),
        ("a*a", ["aa", "aba"], ["a"]),
        ("fo?", ["foo", "fox", "a/foo"], ["fo", "fooo", "fo/"]),
        ("a?c*?f", ["abcdef", "abcxf"], ["abcf", "acdf"]),
        ("foo**bar", ["foobar", "fooxbar"], ["foo/bar"]),
        ("a.b", ["a.b"], ["axb"]),
        ("a+(b)|{c}$^", ["a+(b)|{c}$^"], ["a"]),
        ("Foo", ["Foo"], ["foo"]),
        (r"my\ file", ["my file"], ["my", "file"]),
        (r"a\#b", ["a#b"], ["a"]),
        (r"a\*b", ["a*b"], ["axb"]),
        (r"a\?b", ["a?b"], ["axb"]),
        (r"a\\b", ["a\\b"], ["ab"]),
        ("a#b", ["a#b"], ["a"]),
        ("Straße/*", ["Straße/a"], ["Strasse/a"]),
    ],
)
def test_a_pattern_matches_as_github_says(pattern, yes, no):
    owners = Owners(f"{pattern} @me")
    assert [path for path in yes if owners.of(path) != ("@me",)] == []
    assert [path for path in no if owners.of(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "# a @me",
        "  # a @me",
        "!a @me",
        "[ab] @me",
        "[ab @me",
        "a[0-9] @me",
        r"\#a @me",
        "a***b @me",
        "a//b @me",
        "a me",
        "a @me nobody",
        "a @me @org/",
        "a @me @org/team/more",
        "a @me user@host",
        "[Section]",
        "^[Optional section][2] @me",
        "a\0b @me",
    ],
)
def test_what_is_no_rule_is_skipped(line):
    owners = Owners(f"* @all\n{line}\nlast @last")
    assert owners.of("a") == owners.of("#a") == ("@all",)
    assert owners.of("last") == ("@last",)


def test_the_last_rule_that_matches_wins():
    assert Owners("a @one\n* @two").of("a") == ("@two",)
    assert Owners("* @two\na @one").of("a") == ("@one",)
    assert Owners("a @one\n* @two\na @three").of("a") == ("@three",)


def test_a_pattern_without_owners_takes_them_away():
    owners = Owners("/src/ @a\n/src/free/\n/src/free/mine @b\n/src/x # nobody @c\n")
    assert owners.of("src/a") == ("@a",)
    assert owners.of("src/free/a") == ()
    assert owners.of("src/free/mine") == ("@b",)
    assert owners.of("src/x") == ()


def test_a_line_may_end_as_on_windows_and_begin_with_a_mark():
    assert Owners("\ufeffa @one\r\n\tb   @two\t@three\r\n").of("a") == ("@one",)
    assert Owners("a @one\r\n\tb   @two\t@three\r\n").of("b") == ("@two", "@three")


def test_a_file_that_is_too_large_is_not_loaded():
    line = "* @all\n"
    most = Owners(line + "#" * (MOST_BYTES - len(line)))
    assert (most.too_large, most.of("a")) == (False, ("@all",))
    more = Owners(line + "#" * (MOST_BYTES - len(line) + 1))
    assert (more.too_large, more.of("a")) == (True, ())


def test_one_of_three_files_counts():
    every = ["docs/CODEOWNERS", "CODEOWNERS", ".github/CODEOWNERS", "src/CODEOWNERS"]
    assert find(every) == ".github/CODEOWNERS"
    assert find(every[:2]) == "CODEOWNERS"
    assert find(["docs/CODEOWNERS"]) == "docs/CODEOWNERS"
    assert find(["src/CODEOWNERS", "codeowners"]) is None
    assert find([]) is None


def took(text, paths):
    start = time.monotonic()
    owners = Owners(text)
    for path in paths:
        owners.of(path)
    return time.monotonic() - start


def test_a_pattern_is_tried_once_however_often_it_stands_there(monkeypatch):
    tried = []
    matches = codeowners._Rule.matches

    def counted(rule, names):
        tried.append(names)
        return matches(rule, names)

    monkeypatch.setattr(codeowners._Rule, "matches", counted)
    owners = Owners("*.js @a\n" * 1000 + "*.js @b\n")
    assert owners.of("src/x.jsx") == ()
    assert len(tried) == 1
    assert owners.of("src/x.js") == ("@b",)


# Each takes from some ms to a few seconds; a search that backtracks would take years.
@pytest.mark.parametrize(
    ("lines", "path"),
    [
        (["*a" * 1000 + "*b @me"], "a" * 250),
        (["?*" * 1000 + "b @me"], "a" * 250),
        (["**/a/" * 1000 + "b @me"], "/".join("a" * 2000)),
        (["a/" * 100_000 + "b @me"], "/".join("a" * 2000)),
        ([f"*{'a*' * (n % 50)}{n}* @me" for n in range(20_000)], "a" * 250),
        ([f"/src/{n % 500}/{n}/*.py @me" for n in range(100_000)], "src/7/507/a.js"),
    ],
    ids=["stars", "marks", "folders", "long", "many", "tree"],
)
@pytest.mark.long
def test_hostile_patterns_take_no_time(lines, path):
    assert took("\n".join(lines), [path] * 3) < 30
