"""Why lines are as they are, asked as people ask, in real repositories."""

import pytest

from gitsearch.commands import why as why_command
from gitsearch.errors import BadPath, BadRevision, GitFailed, UsageError
from tests.unit.commands.asked import session, warm_parsers

FIRST = "def wait(attempt):\n    return 2**attempt\n\n\ndef send(request):\n    return request\n"


@pytest.fixture
def repo(repo):
    repo.write("net/retry.py", FIRST)
    repo.commit("Add sending (#1)")
    repo.replace("net/retry.py", "2**attempt", "min(2**attempt, 60)")
    repo.commit("Cap the pause of wait at a minute\n\nSee KAFKA-7.")
    repo.write("README", "words\n")
    repo.commit("Say how long the pause of wait is")
    return repo


def why(repo, target, folder="", **options):
    warm_parsers()
    return why_command.why(session(repo.path / folder), why_command.WhyRequest(target, **options))


def shares(report):
    return [(one.subject, one.lines, one.share) for one in report.exact]


def test_a_symbol_has_the_commits_of_its_lines(repo):
    report = why(repo, "net/retry.py:wait")
    assert report.lines == ("net/retry.py", 1, 2, "wait")
    assert shares(report) == [
        ("Cap the pause of wait at a minute", 1, 0.5),
        ("Add sending (#1)", 1, 0.5),
    ]
    assert [one.references for one in report.exact] == [("KAFKA-7",), ("#1",)]
    assert {one.label for one in report.exact} == {"exact"}


def test_commits_about_the_same_follow_as_inferred(repo):
    report = why(repo, "net/retry.py:wait")
    assert [one.subject for one in report.related] == ["Say how long the pause of wait is"]
    assert report.related[0].label == "inferred"
    assert why(repo, "net/retry.py:5,6").related == ()


def test_lines_and_whole_files_are_asked_about(repo):
    assert why(repo, "net/retry.py:2").lines == ("net/retry.py", 2, 2, None)
    assert why(repo, "net/retry.py:5,6").lines == ("net/retry.py", 5, 6, None)
    assert why(repo, "net/retry.py:5-6").lines == ("net/retry.py", 5, 6, None)
    assert why(repo, "net/retry.py:5:9").lines == ("net/retry.py", 5, 5, None)
    assert why(repo, "retry.py", folder="net").lines == ("net/retry.py", 1, 6, None)
    assert why(repo, "net/retry.py:5,600").lines[1:3] == (5, 6)


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_a_file_that_git_takes_to_be_unchanged_is_as_in_head(repo, flag):
    warning = (f"'net/retry.py' is looked at as in HEAD: in git's index it has the flag {flag}",)
    known = why(repo, "net/retry.py:send"), why(repo, "net/retry.py:5,6")
    repo.git("update-index", f"--{flag}", "net/retry.py")
    repo.write("net/retry.py", "# edited\n\n" * 20 + FIRST)
    asked = why(repo, "net/retry.py:send"), why(repo, "net/retry.py:5,6")
    assert [report._replace(warnings=()) for report in asked] == list(known)
    assert {report.warnings for report in asked} == {warning}
    assert why(repo, "net/retry.py:send", at="HEAD").warnings == ()


def test_a_path_with_a_colon_is_a_path(repo):
    repo.write("a:2", "one\ntwo\n")
    repo.commit("colon")
    assert why(repo, "a:2").lines == ("a:2", 1, 2, None)
    assert why(repo, "a:2:1").lines == ("a:2", 1, 1, None)


def test_a_path_that_git_quotes_is_the_file_of_its_own_lines(repo):
    repo.write("pl/café.py", "x = 1\n")
    repo.commit("accent")
    report = why(repo, "pl/café.py")
    assert [one.path for one in report.exact] == ["pl/café.py"]


def test_lines_of_an_older_commit(repo):
    report = why(repo, "net/retry.py:wait", at="HEAD~2")
    assert shares(report) == [("Add sending (#1)", 2, 1.0)]
    assert report.tree.rev == "HEAD~2"


def test_what_is_not_committed_is_counted(repo):
    repo.append("net/retry.py", "# later\n")
    repo.write("new.py", "x = 1\n")
    repo.git("add", "new.py")
    report = why(repo, "net/retry.py:6,7")
    assert (report.uncommitted, report.tree.dirty) == (1, 2)
    assert shares(report) == [("Add sending (#1)", 1, 0.5)]
    assert (why(repo, "new.py").exact, why(repo, "new.py").uncommitted) == ((), 1)


def test_ignored_commits_are_said(repo):
    repo.write(".ignored", f"{repo.rev('HEAD~1')}\n")
    repo.git("config", "blame.ignoreRevsFile", ".ignored")
    report = why(repo, "net/retry.py:wait")
    assert (shares(report), report.ignored) == ([("Add sending (#1)", 2, 1.0)], 1)
    assert report.warnings == ("commits of blame.ignoreRevsFile changed 1 of these lines last",)
    repo.git("config", "blame.ignoreRevsFile", "absent")
    with pytest.raises(UsageError, match="'absent' is no list"):
        why(repo, "net/retry.py:wait")


def test_the_end_of_a_shallow_clone_is_said(repo, tmp_path):
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(clone))
    report = why_command.why(session(clone), why_command.WhyRequest("README"))
    assert [one.oldest for one in report.exact] == [True]
    assert report.warnings == ("this clone is shallow: lines of its oldest commits may be older",)


@pytest.mark.parametrize(
    "options", [("--filter=blob:none", "--no-checkout"), ("--filter=tree:0",)]
)
def test_a_partial_clone_says_what_fetches_the_versions_of_a_file(repo, tmp_path, options):
    clone = repo.clone(tmp_path / "clone", *options)
    with pytest.raises(GitFailed, match=r"lacks versions of 'net/retry\.py'") as raised:
        why(clone, "net/retry.py:2")
    assert raised.value.hint == "`git blame -w -C HEAD -- net/retry.py` fetches them"
    with pytest.raises(BadPath, match="has 6 lines"):
        why(repo.clone(tmp_path / "other", "--filter=blob:none"), "net/retry.py:700")
    clone.git(*raised.value.hint.split("`")[1].split()[1:])
    assert shares(why(clone, "net/retry.py:2")) == [("Cap the pause of wait at a minute", 1, 1.0)]


def test_a_bare_repository_answers_from_head(repo, tmp_path):
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare"))
    report = why_command.why(session(tmp_path / "bare"), why_command.WhyRequest("net/retry.py:2"))
    assert shares(report) == [("Cap the pause of wait at a minute", 1, 1.0)]


def test_an_empty_file_has_no_commits(repo):
    repo.write("empty", "")
    repo.commit()
    assert why(repo, "empty").exact == ()


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ("net/retri.py", BadPath, "no file 'net/retri.py' in HEAD"),
        ("net/retry.py:nothing", BadPath, "no symbol 'nothing' in 'net/retry.py'"),
        ("net/retri.py:wait", BadPath, "no file 'net/retri.py' in HEAD"),
        ("net/retry.py:70,80", BadPath, "'net/retry.py' has 6 lines, and no lines 70 to 80"),
        ("net/retry.py:9999", BadPath, "'net/retry.py' has 6 lines, and no line 9999"),
        ("net/retry.py:3,2", UsageError, "'3,2' is no range of lines"),
        ("net/retry.py:3-2", UsageError, "'3-2' is no range of lines"),
        ("net/retri.py:3:2", BadPath, "no file 'net/retri.py' in HEAD"),
        ("net/retry.py:0", UsageError, "'0' is no range of lines"),
        (f"net/retry.py:{'9' * 5000}", UsageError, "no file has a line 9999"),
        ("../x", BadPath, "'../x' is outside the repository"),
        ("net", BadPath, "'net' is a folder in HEAD"),
    ],
)
def test_what_is_not_there_is_refused(repo, target, error, message):
    with pytest.raises(error) as caught:
        why(repo, target)
    assert caught.value.message.startswith(message)


def test_a_submodule_is_refused(repo):
    oid = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},vendored")
    repo.git("commit", "-qm", "a submodule")
    with pytest.raises(BadPath, match="'vendored' is a submodule"):
        why(repo, "vendored")


def test_a_file_that_is_deleted_or_untracked_is_called_so(repo):
    repo.write("new.py", "x = 1\n")
    repo.remove("net/retry.py")
    for target, message in (
        ("new.py:1", "'new.py' is untracked"),
        ("net/retry.py", "'net/retry.py' is not in the working tree"),
        ("net/retry.py:wait", "'net/retry.py' is not in the working tree"),
    ):
        with pytest.raises(BadPath) as caught:
            why(repo, target)
        assert caught.value.message == message


def test_without_a_commit_there_is_no_history(repo, tmp_path):
    with pytest.raises(BadRevision, match="is a tree"):
        why(repo, "README", at=repo.rev("HEAD^{tree}"))
    repo.git("checkout", "-q", "--orphan", "fresh")
    with pytest.raises(BadRevision, match="no commit yet"):
        why(repo, "README")
