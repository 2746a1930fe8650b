"""Wrong words: one line that says what, which and what to do next, with the exit code of git."""

import json
import subprocess

import pytest

from tests.builder import RepoBuilder
from tests.unit.features.bad_models import bad_model


def refusal(done, code):
    """The one line of a refused command."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.endswith("\n")
    lines = done.stderr.splitlines()
    assert lines == lines[:1]
    assert "internal error" not in lines[0]
    return lines[0]


def refusal_as_data(done, code):
    """What a refused command says under --json."""
    assert done.returncode == code
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert set(document) == {"schema", "error"}
    assert document["schema"] == 1
    assert set(document["error"]) == {"code", "message", "hint"}
    return document["error"]


REFUSED = [
    (["--at", "nowhere", "retry"], "bad-revision", "nowhere"),
    (["--at", "HEAD~999", "retry"], "bad-revision", "HEAD~999"),
    (["--at", "v1.0:README.md", "retry"], "bad-revision", "v1.0:README.md"),
    (["--at", "--output=stray", "retry"], "bad-revision", "--output=stray"),
    (["retry", "--", "no/such/folder"], "bad-path", "no/such/folder"),
    (["retry", "--", ":(nonsense)x"], "bad-path", "nonsense"),
    (["retry", "--", "../outside"], "bad-path", "outside"),
    (["outline", "no/such/file.py"], "bad-path", "no/such/file.py"),
    (["conventions", "no/such/folder"], "bad-path", "no/such/folder"),
    (["exists", "--at", "nowhere", "retry"], "bad-revision", "nowhere"),
]


@pytest.mark.parametrize(("words", "code", "which"), REFUSED, ids=lambda value: str(value))
def test_what_names_nothing_is_refused_with_128(program, indexed, words, code, which):
    assert which in refusal(program.run(*words, cwd=indexed.path), 128)
    verb = words[0] in ("outline", "conventions", "exists")
    asked = [words[0], "--json", *words[1:]] if verb else ["--json", *words]
    error = refusal_as_data(program.run(*asked, cwd=indexed.path), 128)
    assert error["code"] == code
    assert which in error["message"]


def test_a_revision_is_no_option_for_git(installed, indexed):
    installed.run("--at", "--output=stray", "retry", cwd=indexed.path)
    assert not list(indexed.path.rglob("stray"))


@pytest.mark.parametrize(
    ("rev", "hint"), [("mian", "main"), ("metrcs", "metrics"), ("v1.1", "v1.0")]
)
def test_a_misspelt_revision_gets_the_nearest_name(program, indexed, rev, hint):
    assert hint in refusal(program.run("--at", rev, "retry", cwd=indexed.path), 128)


def test_a_misspelt_language_gets_the_nearest_name(installed, indexed):
    assert "python" in refusal(installed.run("-t", "pyhton", "retry", cwd=indexed.path), 129)


def test_a_language_that_is_like_none_comes_with_the_way_to_list_them(installed, indexed):
    error = refusal_as_data(installed.run("--json", "-t", "zz", "x", cwd=indexed.path), 129)
    assert error["code"] == "bad-language"
    query = error["hint"].split('"')[1]
    assert "python" in installed.run("sql", query, cwd=indexed.path).stdout.split()


USAGE = [
    ([], "query"),
    ([""], "query"),
    (["  ", "\t"], "query"),
    (["-e", ""], "query"),
    (["--", "service"], "query"),
    (["--frobnicate", "retry"], "--frobnicate"),
    (["-Q", "retry"], "-Q"),
    (["--max-count"], "--max-count"),
    (["--max-count", "many", "retry"], "many"),
    (["--max-count", "-1", "retry"], "-1"),
    (["--max-lines", "-1", "retry"], "-1"),
    (["--alpha", "2", "retry"], "2"),
    (["--alpha", "nan", "retry"], "nan"),
    (["--mode", "psychic", "retry"], "psychic"),
    (["--content", "poetry", "retry"], "poetry"),
    (["--tests", "sometimes", "retry"], "sometimes"),
    (["-t", "klingon", "retry"], "klingon"),
    (["--in", "", "retry"], "--in"),
    (["def", "--in", "", "retry"], "--in"),
    (["-t", "klingon", "-F", "retry"], "klingon"),
    (["--refresh", "never", "retry"], "never"),
    (["--grep", "(", "retry"], "("),
    (["--cached", "--at", "HEAD", "retry"], "--at"),
    (["outline"], "outline"),
    (["exists"], "exists"),
    (["exists", ""], "word"),
    (["exists", "two\nlines"], "line feed"),
    (["conventions", "a", "b"], "conventions"),
    (["def"], "def"),
    (["status", "surplus"], "surplus"),
    (["index", "--frobnicate"], "--frobnicate"),
    (["-F", "-E", "retry"], "-F and -E"),
    (["-F", "--mode", "lexical", "retry"], "-F and --mode lexical"),
    (["-i", "retry"], "-i is for exact text"),
    (["--sort", "path", "retry"], "--sort is for exact text"),
    (["--budget", "0", "retry"], "--budget"),
    (["--changed", "--removed", "retry"], "--changed and --removed"),
]


@pytest.mark.parametrize(("words", "which"), USAGE, ids=lambda value: str(value))
def test_wrong_usage_is_refused_with_129(program, indexed, words, which):
    found = program.run(*words, cwd=indexed.path)
    # an unknown option gets the usage lines below its own line, as in git
    line, *usage = found.stderr.splitlines()
    assert found.returncode == 129
    assert line.startswith("git search: ")
    assert which in line
    assert not usage or usage[0].startswith("usage: git search")


def test_wrong_usage_is_data_under_json(installed, indexed):
    error = refusal_as_data(
        installed.run("--json", "--mode", "psychic", "x", cwd=indexed.path), 129
    )
    assert error["code"] == "usage"
    assert "psychic" in error["message"]


def test_outside_a_repository_git_says_so(installed, tmp_path):
    assert "not a git repository" in refusal(installed.run("retry", cwd=tmp_path), 128)
    error = refusal_as_data(installed.run("--json", "retry", cwd=tmp_path), 128)
    assert error["code"] == "not-a-repository"


def test_a_repository_of_another_user_is_refused_in_gits_words(installed, indexed):
    # git's own switch for tests of its ownership check
    env = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    assert "dubious ownership" in refusal(installed.run("retry", cwd=indexed.path, env=env), 128)


@pytest.mark.parametrize("command", [("retry",), ("status",), ("index",), ("verify",), ("gc",)])
def test_an_empty_repository_is_no_error(installed, repo, command):
    done = installed.run(*command, cwd=repo.path)
    assert done.returncode == (1 if command == ("retry",) else 0), done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_found_is_exit_1_and_silence(installed, indexed):
    done = installed.run("--mode", "lexical", "qwertzuiop", cwd=indexed.path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("search.maxCount", "many"),
        ("search.mode", "psychic"),
        ("search.refresh", "never"),
        ("search.maxFileSize", "big"),
        ("color.search", "zzz"),
    ],
)
def test_a_bad_setting_is_named(installed, indexed, setting, value):
    done = installed.run("retry", cwd=indexed.path, config={setting: value})
    line = refusal(done, 129)
    assert setting.lower() in line.lower()
    assert value in line


# One that opening sees, and one that only reading all of it does.
MODELS = ["missing", "pointer for the table", "mapping beyond the table"]


def files_of(repo):
    """Every file of the index with its bytes."""
    found = sorted(path for path in repo.index_dir.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found}


@pytest.mark.parametrize("fault", MODELS)
def test_a_bad_model_is_one_line_and_the_index_stays(installed, indexed, tmp_path, fault):
    folder = tmp_path / "a model"
    reason = bad_model(folder, fault)
    before = files_of(indexed)
    done = installed.run("retry delay", cwd=indexed.path, config={"search.model": str(folder)})
    line = refusal(done, 128)
    assert f"'{folder}'" in line
    assert reason in line
    error = refusal_as_data(
        installed.run("--json", "x", cwd=indexed.path, config={"search.model": str(folder)}), 128
    )
    assert error["code"] == "bad-model"
    assert files_of(indexed) == before


VERBS = [
    ["status"],
    ["index"],
    ["index", "--rebuild"],
    ["gc"],
    ["share", "export", "made.share"],
    ["share", "import", "made.share"],
    ["def", "RetryPolicy"],
    ["outline", "service/retry_policy.py"],
    ["refs", "RetryPolicy"],
    ["impact", "service/retry_policy.py"],
    ["related", "service/retry_policy.py"],
    ["dup", "--changed=v0.1..v1.0"],
    ["map"],
    ["architecture"],
    ["exists", "RetryPolicy"],
    ["report", "--base", "v0.1"],
]


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_every_verb_refuses_a_bad_model_alike(program, indexed, tmp_path, words):
    reason = bad_model(tmp_path / "model", "mapping beyond the table")
    before = files_of(indexed)
    indexed.git("config", "search.model", str(tmp_path / "model"))
    line = refusal(program.run(*words, cwd=indexed.path), 128)
    assert f"'{tmp_path / 'model'}'" in line
    assert reason in line
    assert files_of(indexed) == before


@pytest.mark.parametrize(
    "words", [["verify"], ["sql", "select 1"], ["conventions"], ["hooks", "status"]], ids=" ".join
)
def test_what_needs_no_model_asks_for_none(program, indexed, words):
    indexed.git("config", "search.model", "/nowhere")
    assert program.run(*words, cwd=indexed.path).stderr == ""


@pytest.mark.parametrize("reader", ["head -n 1", "true", "exec <&-; sleep 0.2"])
def test_a_closed_pipe_is_silent(installed, indexed, reader):
    script = f"git search -k 50 the value of a setting | ({reader})"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=indexed.path,
        env=installed.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == (1 if reader == "head -n 1" else 0)


def test_a_closed_standard_output_is_no_traceback(installed, indexed):
    done = subprocess.run(
        ["bash", "-c", "git search retry >&-"],
        cwd=indexed.path,
        env=installed.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_a_full_standard_output_is_one_line(installed, indexed):
    done = subprocess.run(
        ["bash", "-c", "git search retry >/dev/full"],
        cwd=indexed.path,
        env=installed.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 128
    (line,) = done.stderr.splitlines()
    assert "space" in line


def test_a_query_that_begins_with_a_verb_is_given_with_e(installed, indexed):
    line = refusal(installed.run("outline", "of", "the", "retries", cwd=indexed.path), 129)
    assert "git search -e" in line
    done = installed.run("-e", "outline of the retries", cwd=indexed.path)
    assert done.returncode == 0


def test_a_query_that_is_not_utf8_is_searched(installed, indexed):
    done = installed.run(b"retry \xff delay", cwd=indexed.path)
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_very_long_query_is_searched(installed, indexed):
    done = installed.run("retry delay " * 5000, cwd=indexed.path)
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize("statement", ["drop table blob", "select nonsense", "copy blob to 'x'"])
def test_sql_only_reads(program, indexed, statement):
    done = program.run("sql", statement, cwd=indexed.path)
    refusal(done, 128)
    assert not list(indexed.path.glob("x"))
    assert program.run("verify", cwd=indexed.path).returncode == 0


def test_sql_reads_no_other_file(installed, indexed):
    secret = indexed.path / "secret.csv"
    secret.write_text("a,b\n1,2\n", encoding="utf-8")
    done = installed.run("sql", f"select * from '{secret}'", cwd=indexed.path)
    assert "1" not in refusal(done, 128).replace(str(secret), "")


def test_a_bare_repository_without_commits_answers_nothing(installed, tmp_path):
    bare = RepoBuilder(tmp_path / "bare.git", bare=True)
    assert installed.run("retry", cwd=bare.path).returncode == 1
