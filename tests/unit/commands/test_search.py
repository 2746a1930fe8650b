"""What one result says: where, what, why, and the text as it is in the tree that was asked."""

import pytest

from gitsearch.errors import BadLanguage, BadPath, BadRevision, SearchError, UsageError
from gitsearch.extract import chunks
from tests.builder import RepoBuilder
from tests.sample import RETRY
from tests.unit.commands.asked import indexed, searched

TEXT = '''\
"""A module."""


class Policy:
    """How often a request is sent again."""

    first_delay = 1.5

    def compute_delay(self, attempt):
        """Return the pause."""
        value = self.first_delay * 2**attempt
        value = max(value, 0.0)
        value = min(value, 60.0)
        the_unique_word = value
        value = the_unique_word + 1
        value = the_unique_word + 2
        value = the_unique_word + 3
        value = the_unique_word + 4
        value = the_unique_word + 5
        value = the_unique_word + 6
        value = the_unique_word + 7
        value = the_unique_word + 8
        value = the_unique_word + 9
        value = the_unique_word + 10
        value = the_unique_word + 11
        value = the_unique_word + 12
        value = the_unique_word + 13
        value = the_unique_word + 14
        value = the_unique_word + 15
        value = the_unique_word + 16
        return value


def clamp(value):
    return value
'''


@pytest.fixture
def small(repo):
    repo.write("lib/policy.py", TEXT)
    repo.write("README.md", "# Policy\n\nHow often a request is sent again.\n")
    repo.commit()
    return repo


def first(repo, text, **options):
    return searched(repo, text, **options).results[0]


# ---------------------------------------------------------------- one result


def test_a_result_says_where_and_what(small):
    found = first(small, "clamp")
    assert (found.rank, found.path, found.language) == (1, "lib/policy.py", "python")
    assert (found.kind, found.symbol) == ("function", "clamp")
    assert found.signature == "def clamp(value)"
    assert found.blob == small.rev("HEAD:lib/policy.py")
    assert "    return value" in found.text
    assert found.score > 0
    assert set(found.legs) == {"lexical", "dense", "symbol"}
    assert found.legs["symbol"] == 1
    assert found.confidence in ("high", "medium")
    assert found.explain


def test_of_several_definitions_in_a_chunk_the_one_asked_for_is_shown(repo):
    repo.write(
        "a.py", "def first_of_two():\n    return 1\n\n\ndef second_of_two():\n    return 2\n"
    )
    repo.commit()
    found = first(repo, "second_of_two")
    assert (found.start, found.symbol) == (1, "second_of_two")
    assert found.signature == "def second_of_two()"
    assert first(repo, "secnd_of_two", whole=True).symbol == "second_of_two"


def test_a_mistyped_word_is_told(small):
    report = searched(small, "where is the unque_word clamped")
    assert report.respelt == (("unque_word", "unique_word"),)
    assert "unique_word" in report.words
    assert searched(small, "clamp").respelt == ()


def test_the_text_is_that_of_its_lines(current):
    for text in ("retry", "pause before a request", "page cache", "MAX"):
        for one in searched(current, text).results:
            raw = current.run("cat-file", "blob", one.blob).stdout.decode("utf-8", "replace")
            lines = raw.split("\n")[one.start - 1 : one.end]
            assert one.text == "\n".join(line.removesuffix("\r") for line in lines)
            assert one.first_shown == one.start
            assert one.text.strip()


def test_results_are_numbered_and_counted_by_file(current):
    report = searched(current, "retry policy", max_count=30)
    assert [one.rank for one in report.results] == list(range(1, 31))
    counts = {file.path: file.results for file in report.counts}
    assert sum(counts.values()) == 30
    assert all(counts[one.path] for one in report.results)
    assert list(counts) == list(dict.fromkeys(one.path for one in report.results))


def test_a_report_names_the_tree(small):
    commit, tree = small.rev("HEAD"), small.rev("HEAD^{tree}")
    named = searched(small, "clamp").tree
    assert (named.rev, named.commit, named.tree, named.dirty) == ("HEAD", commit, tree, 0)
    small.append("README.md", "more\n")
    assert searched(small, "clamp").tree.dirty == 1
    assert searched(small, "clamp", at="main").tree.rev == "main"
    bare_tree = searched(small, "clamp", at=tree).tree
    assert (bare_tree.commit, bare_tree.tree) == (None, tree)
    assert searched(small, "clamp", cached=True).tree.rev == "index"


def test_a_chunk_inside_a_definition_says_which(small):
    found = next(one for one in searched(small, "the_unique_word").results if "+ 7\n" in one.text)
    assert "def " not in found.text
    assert found.context == (9, "def compute_delay(self, attempt)")
    assert found.symbol == "Policy.compute_delay"


def test_a_signature_leaves_out_what_stands_above_it(repo):
    repo.write(
        "a.py", "@decorated\n@twice(1)\ndef shown_name(\n    value,\n) -> int:\n    return 1\n"
    )
    repo.commit()
    assert first(repo, "shown_name").signature == "def shown_name( value, ) -> int"


# ---------------------------------------------------------------- how much is shown


def test_context_is_shown_around_a_result(small):
    plain = first(small, "clamp", max_count=1)
    found = first(small, "clamp", max_count=1, context=(2, 1))
    assert (found.start, found.end) == (plain.start, plain.end)
    assert found.first_shown == plain.first_shown - 2
    lines = TEXT.split("\n")
    assert found.text.split("\n") == lines[found.first_shown - 1 : plain.end + 1][:-1]


def test_context_ends_with_the_file(small):
    found = first(small, "clamp", context=(1000, 1000))
    assert found.first_shown == 1
    assert found.text == TEXT.rstrip("\n")


def test_the_whole_definition_is_shown(small):
    found = next(
        one
        for one in searched(small, "the_unique_word", whole=True).results
        if one.symbol == "Policy.compute_delay"
    )
    assert found.first_shown <= 9
    assert "def compute_delay" in found.text
    assert "return value" in found.text
    assert found.context is None or found.context[0] < found.first_shown


@pytest.mark.parametrize("count", [0, 1, 3])
def test_lines_are_limited(small, count):
    for one in searched(small, "compute_delay", max_lines=count).results:
        assert len(one.text.splitlines()) <= count


ROUTES = """\
class BaseRoute:
    def matches(self, scope):
        return scope in self.known

    def handle(self, scope):
        scope.reply(self)


# A path and what answers it.
class Route(BaseRoute):
    def __init__(self, path, endpoint, name=None):
        self.path = path
        self.endpoint = endpoint
        self.name = name or endpoint.__name__

    def matches(self, scope):
        return scope.path == self.path

    def url_of(self, host):
        return host + self.path
"""


def test_a_definition_that_is_named_is_shown_from_its_comment_on(repo, monkeypatch):
    monkeypatch.setattr(chunks, "BUDGET", 240)
    monkeypatch.setattr(chunks.cut_tree, "__defaults__", (240,))
    repo.having({"routes.py": ROUTES})
    asked = first(repo, "BaseRoute")
    found = first(repo, "Route")
    assert (asked.start, asked.end) == (1, 10), "another chunk than this test is about"
    # eight lines fewer before it, as many more of it but for a blank one at the end
    assert (found.symbol, found.start, found.end, found.first_shown) == ("Route", 9, 17, 9)
    assert found.text.startswith("# A path and what answers it.\nclass Route(BaseRoute):\n")
    # the line that passes a filter is shown
    assert first(repo, "Route", grep="reply").start == 1


# ---------------------------------------------------------------- which tree


def test_the_text_is_that_of_the_tree_that_was_asked(small):
    small.replace("lib/policy.py", "1.5", "0.25")
    assert "0.25" in first(small, "first_delay").text
    assert "1.5" in first(small, "first_delay", at="HEAD").text
    assert "1.5" in first(small, "first_delay", cached=True).text
    small.git("add", "lib/policy.py")
    assert "0.25" in first(small, "first_delay", cached=True).text
    small.remove("lib/policy.py")
    assert "0.25" in first(small, "first_delay", cached=True).text
    assert not any(one.path == "lib/policy.py" for one in searched(small, "first_delay").results)


@pytest.mark.parametrize("rev", ["nowhere", "HEAD~99", "--all", "-h", "", "HEAD:lib/policy.py"])
def test_a_revision_that_names_no_tree_is_refused(small, rev):
    with pytest.raises(BadRevision):
        searched(small, "clamp", at=rev)


def test_a_folder_of_a_revision_is_a_tree(small):
    found = first(small, "clamp", at="HEAD:lib")
    assert found.path == "policy.py"


@pytest.mark.parametrize(
    "place",
    [
        *("worktree", "git directory"),
        *(pytest.param(place, marks=pytest.mark.slow) for place in ("bare", "folder")),
    ],
)
def test_every_place_of_a_repository_gives_the_same_answer(small, tmp_path, place):
    right = searched(small, "compute_delay").results
    folder = ""
    if place == "worktree":
        repo = small.worktree(tmp_path / "other")
    elif place == "bare":
        repo = small.clone(tmp_path / "bare.git", "--bare")
    else:
        repo, folder = small, "lib" if place == "folder" else ".git"
    assert searched(repo, "compute_delay", folder=folder).results == right


def test_a_repository_of_sha256_is_searched(tmp_path):
    repo = RepoBuilder(tmp_path / "new", object_format="sha256")
    repo.write("a.py", RETRY.render("python"))
    repo.commit()
    found = first(repo, "compute_delay")
    assert len(found.blob) == 64
    assert "def compute_delay" in found.text
    repo.append("a.py", "\nEDITED = 1\n")
    assert "EDITED" in first(repo, "EDITED").text


def test_an_empty_repository_has_nothing(repo):
    report = searched(repo, "anything")
    assert report.results == ()
    assert report.coverage.tracked == 0
    assert report.tree.commit is None
    repo.commit()
    assert searched(repo, "anything").results == ()


def test_names_that_are_not_utf8_come_through(current):
    found = {one.path for one in searched(current, "coffee machine", rerank=False).results}
    assert b"docs/caf\xe9.md".decode("utf-8", "surrogateescape") in found


def test_a_query_that_is_not_utf8_is_no_problem(current):
    assert searched(current, "retry\udce9 policy").results


# ---------------------------------------------------------------- filters


def paths(repo, text="retry", **options):
    return {one.path for one in searched(repo, text, max_count=100, **options).results}


def test_pathspecs_are_those_of_git(current):
    assert all(path.startswith("web/") for path in paths(current, pathspecs=("web",)))
    assert paths(current, pathspecs=("*.go",)) >= {"internal/retrypolicy/retrypolicy.go"}
    assert not any(path.endswith(".py") for path in paths(current, pathspecs=(":!*.py",)))
    assert paths(current, pathspecs=(":(glob)**/retry*.py",)) == {
        "service/retry_policy.py"
    }  # fmt: skip
    assert paths(current, folder="service", pathspecs=("retry_policy.py",)) == {
        "service/retry_policy.py"
    }
    assert "web/src/retry-policy.ts" in paths(current, folder="service", pathspecs=(":/web",))


@pytest.mark.parametrize("spec", ["nowhere", ":(bad)x", "*.nothing"])
def test_a_pathspec_that_matches_nothing_is_refused(current, spec):
    with pytest.raises(BadPath):
        paths(current, pathspecs=(spec,))


def test_pathspecs_reach_dirty_and_untracked_files(current):
    current.write("fresh/retry.py", "def retry_fresh(): ...\n")
    with pytest.raises(BadPath):
        paths(current, pathspecs=("fresh",))
    assert paths(current, pathspecs=("fresh",), untracked=True) == {"fresh/retry.py"}
    current.git("add", "-N", "fresh/retry.py")
    assert paths(current, pathspecs=("fresh",)) == {"fresh/retry.py"}


@pytest.mark.parametrize("name", ["python", "py", "Python", ".py"])
def test_a_language_has_several_names(current, name):
    found = paths(current, languages=(name,))
    assert found
    assert all(path.endswith(".py") for path in found)


def test_several_languages_add_up(current):
    found = searched(current, "retry", languages=("go", "typescript"), max_count=100).results
    assert {one.language for one in found} == {"go", "typescript"}


def test_an_unknown_language_is_refused_with_a_near_one(current):
    with pytest.raises(BadLanguage, match="pythn") as caught:
        paths(current, languages=("pythn",))
    assert "python" in caught.value.hint


@pytest.mark.parametrize("mode", ["hybrid", "literal"])
def test_pathspecs_of_untracked_files_alone_are_refused_with_the_option(current, mode):
    current.write("fresh/delay.py", "retry = 1\n")
    with pytest.raises(BadPath, match="only untracked files match 'fresh'") as caught:
        paths(current, mode=mode, pathspecs=("fresh",))
    assert caught.value.hint == "`git add` them, or search with --untracked"
    for options in ({"at": "HEAD"}, {"cached": True}):
        with pytest.raises(BadPath, match="no file matches 'fresh'"):
            paths(current, mode=mode, pathspecs=("fresh",), **options)
    assert paths(current, mode=mode, pathspecs=("fresh",), untracked=True)


@pytest.mark.parametrize("mode", ["hybrid", "literal", "structural"])
def test_untracked_files_alone_are_said(repo, mode):
    repo.write("delay.py", "delay = 1\n")
    text = "$A = 1" if mode == "structural" else "delay"
    said = "there are only untracked files; --untracked searches them"
    assert searched(repo, text, mode=mode).warnings == (said,)
    assert searched(repo, text, mode=mode, untracked=True).results
    assert searched(repo, text, mode=mode, cached=True).warnings == ()
    repo.git("add", ".")
    assert said not in searched(repo, "nowhere", mode="literal").warnings
    repo.git("rm", "-q", "-f", "delay.py")
    assert searched(repo, text, mode=mode).warnings == ()


@pytest.mark.parametrize("mode", ["hybrid", "literal"])
def test_without_a_working_tree_there_is_no_index(repo, tmp_path, mode):
    repo.write("delay.py", "delay = 1\n")
    repo.commit()
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    with pytest.raises(SearchError, match="there is no index for --cached") as refused:
        searched(bare, "delay", mode=mode, cached=True)
    assert (refused.value.exit_code, refused.value.hint) == (
        128,
        "`--at HEAD` asks about the commit",
    )


def test_tests_and_contents_are_filtered(current):
    only = paths(current, tests="only")
    assert "tests/test_retry_policy.py" in only
    assert not any(path.startswith("service/") for path in only)
    assert not any(path.startswith("tests/") for path in paths(current, tests="exclude"))
    documents = paths(current, content="docs")
    assert "docs/retry-policy.md" in documents
    assert not any(path.endswith((".py", ".go", ".toml")) for path in documents)


@pytest.mark.parametrize("dirty", [False, True])
def test_a_regex_keeps_the_chunks_in_which_it_matches(current, dirty):
    if dirty:
        current.replace("service/retry_policy.py", "0.25", "0.75")
    wanted = "0.75" if dirty else "0.25"
    found = searched(current, "delay", grep=r"0\.[27]5", max_count=100).results
    assert found
    assert all(wanted in one.text or "1.5" not in one.text for one in found)
    assert all("0.25" in one.text or "0.75" in one.text for one in found)
    assert "service/retry_policy.py" in {one.path for one in found}


def test_a_regex_that_matches_nothing_finds_nothing(current):
    assert paths(current, grep="this is nowhere to be found") == set()


def test_a_bad_regex_is_refused(current):
    with pytest.raises(UsageError):
        paths(current, grep="(unclosed")


def test_filters_come_before_ranking(current):
    # far more files match the words than one result, and the filter keeps one of the last
    indexed(current)
    report = searched(
        current, "retry delay attempts pause", max_count=1, pathspecs=("Dockerfile",)
    )
    assert [one.path for one in report.results] in ([], ["Dockerfile"])
    (found,) = searched(current, "schedule", max_count=1, languages=("ruby",)).results
    assert found.language == "ruby"


def test_a_question_that_nothing_answers_is_called_so(small):
    asked = "how often tropical bananas ripen in greenhouses during winter"
    report = searched(small, asked)
    (warning,) = report.warnings
    assert "nothing here seems to answer that" in warning
    assert report.results
    assert {result.confidence for result in report.results} == {"low"}
    assert not searched(small, "how often a request is sent again").warnings
    assert not searched(small, asked, mode="semantic").warnings


def test_where_the_signature_of_a_result_is(repo):
    text = (
        "import functools\n\nlimit = 3\n\n\n@functools.cache\ndef pause_again():\n    return 1\n"
    )
    repo.having({"a.py": text, "b.md": "# Pause again\n\npause_again is here\n"})
    found = {one.path: one for one in searched(repo, "pause_again").results}
    assert (found["a.py"].start, found["a.py"].signature_line) == (1, 7)
    assert found["b.md"].signature_line == found["b.md"].start == 1
