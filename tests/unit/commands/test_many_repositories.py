"""One question to many repositories: which they are, and answers as of one."""

import json
import shutil
from itertools import permutations
from pathlib import Path

import pytest

from gitsearch.cli.application import run
from gitsearch.cli.questions import Questions
from gitsearch.commands.define import define, define_in
from gitsearch.commands.exists import exists_in
from gitsearch.commands.file_filter import FileFilter
from gitsearch.commands.refs import references, references_in
from gitsearch.commands.search import search
from gitsearch.errors import BadPattern, NotARepository, SearchError, UsageError
from gitsearch.git import background_process
from gitsearch.index import first_view
from gitsearch.settings import RepositoryNames, SearchRequest
from tests.builder import RepoBuilder
from tests.comparing import build_small
from tests.sample import CACHE, METRIC, RETRY, SESSION
from tests.unit.commands.asked import (
    QUERIES,
    indexed_each,
    searched,
    session,
    warm_parsers,
)

# Files of three repositories, none of which says a name that one of another defines.
FILES = {
    "shop": {"retry_policy.py": RETRY.render("python"), "README.md": "# Shop\n\nIt sells.\n"},
    "site": {"web/login-session.ts": SESSION.render("typescript")},
    "stats": {"internal/metric.go": METRIC.render("go"), "cache.rb": CACHE.render("ruby")},
}


@pytest.fixture(scope="module")
def template(isolation, tmp_path_factory):
    """A folder with three indexed repositories; never to be changed."""
    del isolation
    return indexed_each(tmp_path_factory.mktemp("work"), FILES)


@pytest.fixture
def three(template, tmp_path):
    """A copy of it."""
    return shutil.copytree(template, tmp_path / "work", symlinks=True)


def asked(folder, text, *named, **options):
    """The report of one question to many repositories."""
    warm_parsers()
    names = RepositoryNames(named or (".",))
    request = SearchRequest(text, repositories=names, **{"max_count": 20, **options})
    return search(session(folder), request)


def test_a_bare_one_has_no_edits_and_does_not_keep_others_from_answering(three):
    RepoBuilder.adopt(three / "shop").append("retry_policy.py", "\n\ndef fresh_delay(): ...\n")
    git = RepoBuilder.adopt(three / "site").git
    git("clone", "-q", "--bare", str(three / "site"), str(three / "bare.git"))
    report = asked(three, "fresh delay", changed="")
    assert [(one.repository, one.path) for one in report.results] == [("shop", "retry_policy.py")]
    (bare,) = report.unsearched
    assert Path(bare.folder).name == "bare.git"
    assert bare.reason == "without a working tree --changed wants a range"


def shown(report):
    return [(one.repository, one.path, one.start, one.score) for one in report.results]


def test_many_are_ranked_as_one_repository_with_all_of_their_files(three, tmp_path):
    files = {path: text for own in FILES.values() for path, text in own.items()}
    one = RepoBuilder(tmp_path / "one").having(files)
    for query in QUERIES:
        many = asked(three, query, explain=True)
        alone = searched(one, query)
        assert [own.repository for own in many.results] == [
            next(name for name, own in FILES.items() if result.path in own)
            for result in alone.results
        ]
        assert [own._replace(repository=None) for own in many.results] == list(alone.results)
        assert many.coverage == alone.coverage


def test_an_edit_in_one_of_many_is_seen_by_the_next_question(three, monkeypatch):
    monkeypatch.chdir(three)
    questions = Questions(run)
    words = ["--in", ".", "-e", "an edit that no repository has"]
    for name, path in (("shop", "README.md"), ("stats", "cache.rb"), ("shop", "retry_policy.py")):
        for _ in range(3):
            questions.answer(words)
        with (three / name / path).open("a", encoding="utf-8") as file:
            file.write("\n# an edit that no repository has\n")
        found = questions.answer(words)
        assert found == Questions(run).answer(words)
        edited = [one for one in json.loads(found.text)["results"] if one["path"] == path]
        assert any("that no repository has" in one["text"] for one in edited)
        RepoBuilder(three / name).git("checkout", "-q", "--", path)


def own_setting(folder, home):
    home.write_text("[search]\n\tmaxFileSize = 1\n", encoding="utf-8")


CHANGES = {
    "a commit": lambda folder, _: RepoBuilder.adopt(folder / "shop").having(
        {"new.py": "def compute_the_delay():\n    pass\n"}
    ),
    "another branch": lambda folder, _: RepoBuilder(folder / "stats").git(
        "checkout", "-q", "--orphan", "new"
    ),
    "a reference in the file of packed ones": lambda folder, _: [
        RepoBuilder(folder / "site").git(*words)
        for words in (("pack-refs", "--all"), ("update-ref", "HEAD", "HEAD"))
    ],
    "an edit": lambda folder, _: (folder / "stats" / "cache.rb").write_text("# a delay\n"),
    "a file that is gone": lambda folder, _: (folder / "shop" / "retry_policy.py").unlink(),
    "attributes beside the files": lambda folder, _: (
        (folder / "shop" / ".git" / "info").mkdir(exist_ok=True),
        (folder / "shop" / ".git" / "info" / "attributes").write_text("*.py -search\n"),
    ),
    "a setting of a repository": lambda folder, _: RepoBuilder(folder / "site").git(
        "config", "search.maxFileSize", "1"
    ),
    "a setting of the user": own_setting,
    "no index": lambda folder, _: shutil.rmtree(folder / "stats" / ".git" / "search"),
    "a damaged view": lambda folder, _: [
        file.write_bytes(file.read_bytes()[:-64] + bytes(64))
        for file in (folder / "shop" / ".git" / "search" / "views").glob("*.view")
    ],
    "a repository less": lambda folder, _: shutil.rmtree(folder / "site"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_seen_by_the_next_question(three, tmp_path, monkeypatch, name):
    home = tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home))
    monkeypatch.chdir(three)
    questions = Questions(run)
    words = ["--in", ".", "--refresh=wait", "-e", "compute the delay of a session"]
    # of a commit, which git's status does not correct
    at_head = [*words[:-2], "--at=HEAD", *words[-2:]]
    before = [questions.answer(words) for _ in range(4)]
    assert all(one == before[0] for one in before)
    questions.answer(at_head)
    CHANGES[name](three, home)
    assert questions.answer(words) == Questions(run).answer(words)
    assert questions.answer(at_head) == Questions(run).answer(at_head)
    # and what was found then is not kept beyond its time either
    RepoBuilder(three / "shop").git("config", "search.maxFileSize", "2")
    assert questions.answer(words) == Questions(run).answer(words) != before[0]


def test_the_order_in_which_they_are_named_changes_nothing(three):
    orders = [
        asked(three, "compute the delay before a retry", *named) for named in permutations(FILES)
    ]
    assert len(orders[0].results) > 3
    assert all(report == orders[0] for report in orders)


@pytest.mark.parametrize("query", QUERIES)
def test_the_answer_of_one_is_that_of_a_plain_search(three, query):
    plain = searched(RepoBuilder.adopt(three / "shop"), query, explain=False)
    report = asked(three, query, "shop")
    assert [own._replace(repository=None) for own in report.results] == list(plain.results)
    assert {own.repository for own in report.results} <= {"shop"}
    assert report.next == plain.next
    assert (report.tree, report.coverage, report.warnings) == (plain.tree, plain.coverage, ())


def test_each_repository_is_told_with_its_tree_and_coverage(three):
    shop = RepoBuilder.adopt(three / "shop")
    shop.append("README.md", "And it waits before a retry.\n")
    report = asked(three, "retry")
    assert [one.repository for one in report.repositories] == sorted(FILES)
    first = report.repositories[0]
    assert (first.folder, first.tree.commit, first.tree.dirty) == (str(shop.path), shop.rev(), 1)
    assert report.tree.dirty == 1
    assert report.coverage.tracked == sum(one.coverage.tracked for one in report.repositories)
    assert ("shop", "README.md") in {(own.repository, own.path) for own in report.results}
    assert {(file.repository, file.path) for file in report.counts} == {
        (own.repository, own.path) for own in report.results
    }


def test_a_branch_is_looked_up_in_each(three):
    for name in ("shop", "site"):
        repo = RepoBuilder.adopt(three / name)
        repo.git("checkout", "-q", "-b", "side")
        repo.having({"only_on_side.py": f"def wait_on_side_of_{name}():\n    return 1\n"})
        repo.git("checkout", "-q", "main")
    report = asked(three, "wait on side", at="side")
    assert {own.repository for own in report.results[:2]} == {"shop", "site"}
    assert report.results[0].path == "only_on_side.py"
    (stats,) = report.unsearched
    assert stats.folder == str(three / "stats")
    assert "'side' names no commit" in stats.reason
    assert report.warnings == (f"not searched: 1 ('{stats.folder}': {stats.reason})",)


@pytest.mark.parametrize(("count", "said"), [(1, ""), (2, ", nor 1 other"), (3, ", nor 2 others")])
def test_the_others_that_are_not_there_are_counted(three, count, said):
    where = [str(three / f"none{number}") for number in range(count)]
    with pytest.raises(SearchError) as refused:
        asked(three, "delay", *where)
    assert refused.value.message.endswith(f"there is no such folder{said}")


def test_filters_hold_in_each(three):
    report = asked(three, "metric of retries", languages=("go",))
    assert {own.path for own in report.results} == {"internal/metric.go"}
    report = asked(three, "metric of retries", pathspecs=("*.md", "*.go"))
    assert {own.language for own in report.results} == {"markdown", "go"}
    for mode in ("hybrid", "literal"):
        with pytest.raises(SearchError, match="no file matches") as refused:
            asked(three, "delay", mode=mode, pathspecs=("*.none",))
        assert refused.value.hint == "pathspecs apply to each repository, from its top"
    report = asked(three, "compute delay", languages=("sql",))
    assert not report.results
    assert [miss.option for miss in report.near_misses] == ["languages"]
    report = asked(three, "compute delay", grep="def compute_delay")
    assert {own.repository for own in report.results} == {"shop"}


def test_pages_follow_each_other(three):
    whole = asked(three, "compute the delay", max_count=3)
    assert whole.more
    following = asked(three, "compute the delay", max_count=3, page=whole.next)
    assert [own.rank for own in following.results] == [4, 5, 6][: len(following.results)]
    assert not set(shown(whole)) & set(shown(following))
    with pytest.raises(SearchError, match="belongs to an answer"):
        asked(three, "compute the delay", "shop", "site", max_count=3, page=whole.next)


# ---------------------------------------------------------------- which they are


def test_folders_patterns_and_lists_name_repositories(three, isolation, monkeypatch):
    config = three / "config"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    config.write_text(f'[search "repos"]\n\tWork = {three}/s[ht]*\n\twork = {three}/site\n')
    every = asked(three, "delay")
    assert asked(three / "shop", "delay", "@work") == every
    assert asked(three, "delay", "s*") == every
    (three / "mine").write_text("# my clones\n\nshop\nsi*\nstats\n")
    assert asked(three / "shop", "delay", "@../mine") == every
    with pytest.raises(UsageError, match="'@other' is neither"):
        asked(three, "delay", "@other")
    del isolation


def test_a_folder_in_a_setting_is_relative_to_the_top_of_its_repository(three):
    shop = RepoBuilder.adopt(three / "shop")
    (shop.path / "deep/er").mkdir(parents=True)
    bare = shop.clone(three / "bare.git", "--bare")
    for repo in (shop, bare):
        repo.git("config", "search.repos.near", "../site")
    for folder in (shop.path, shop.path / "deep/er", bare.path, bare.path / "objects"):
        report = asked(folder, "delay", "@near")
        assert [one.folder for one in report.repositories] == [str(three / "site")]
        assert report.unsearched == ()


def test_names_are_the_shortest_ends_of_paths(three):
    shutil.copytree(three / "shop", three / "old" / "shop")
    report = asked(three, "compute_delay", "old", ".")
    assert [one.repository for one in report.repositories] == [
        "old/shop",
        "site",
        "stats",
        "work/shop",
    ]


def test_what_is_no_repository_is_counted_and_the_rest_answers(three):
    (three / "empty").mkdir()
    broken = three / "broken"
    (broken / ".git").mkdir(parents=True)
    report = asked(three, "compute_delay", ".", "empty", "gone", "site", "none*")
    assert [one.repository for one in report.repositories] == ["shop", "site", "stats"]
    assert sorted(one.folder for one in report.unsearched) == sorted(
        [str(three / "empty"), "gone", "none*", str(broken)]
    )
    assert report.results[0].repository == "shop"
    assert report.warnings[0].startswith("not searched: 4 ('")
    assert report.warnings[1] == "1 repository was named more than once"
    for named in ("gone", "empty", "broken"):
        with pytest.raises(NotARepository):
            asked(three, "delay", named)


def test_of_a_repository_of_somebody_else_git_says_what_to_do(three, monkeypatch, capsys):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.chdir(three)
    assert run(("--in", "shop", "delay")) == 128
    said = capsys.readouterr().err
    assert "cannot be searched: detected dubious ownership" in said
    assert f"git config --global --add safe.directory {three / 'shop'}" in said


def test_an_outer_repository_does_not_answer_for_a_broken_one(three):
    outer = RepoBuilder(three.parent).having({"compute_delay.py": "def compute_delay(): pass\n"})
    (outer.path / "x" / ".git").mkdir(parents=True)
    report = asked(three, "compute_delay", str(outer.path / "x"), "shop")
    assert {own.repository for own in report.results} == {"shop"}
    assert [one.folder for one in report.unsearched] == [str(outer.path / "x")]


def test_the_environment_of_a_hook_means_its_own_repository(three, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(three / "site" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(three / "site" / ".git" / "index"))
    report = asked(three / "site", "compute_delay", "../shop")
    assert report.results[0].path == "retry_policy.py"
    assert report.tree.dirty == 0


def test_a_rebase_and_clones_of_one_repository_are_said(three):
    shop = RepoBuilder.adopt(three / "shop")
    shop.git("clone", "-q", str(shop.path), str(three / "copy"))
    (shop.git_dir / "rebase-merge").mkdir()
    report = asked(three, "compute_delay", "shop", "copy")
    assert report.warnings[0] == "'shop' is in the middle of a rebase; its HEAD is searched"
    assert report.warnings[1] == "clones of one repository are searched each: 'copy', 'shop'"
    # what both have is one result
    assert {own.repository for own in report.results} == {"copy"}
    assert {copy.repository for own in report.results for copy in own.copies} == {"shop"}


def test_without_an_index_some_files_of_each_answer(three, monkeypatch):
    monkeypatch.setattr(first_view, "_SOON_INDEXED", 0)
    monkeypatch.setattr(first_view, "FILES", 1)
    monkeypatch.delenv("CI", raising=False)
    started = []
    monkeypatch.setattr(background_process, "start", lambda repo, *words: started.append(repo))
    for name in FILES:
        shutil.rmtree(three / name / ".git" / "search")
    report = asked(three, "retry policy, login session and page cache")
    assert {own.repository for own in report.results} == set(FILES)
    assert report.coverage.pending == 2
    assert [repo.top.name for repo in started] == ["shop", "site"][: len(started)]
    assert len(started) <= 2
    assert report.warnings[0].startswith("shop: answered from 1 of 2 files;")


def test_a_file_that_is_damaged_is_healed_in_its_repository(three):
    (view,) = (three / "site" / ".git" / "search" / "views").glob("*.view")
    before = asked(three, "compute the delay")
    view.write_bytes(view.read_bytes()[:-40])
    assert asked(three, "compute the delay") == before


def test_repositories_of_other_kinds_of_ids_are_ranked_together(three):
    RepoBuilder(three / "new", object_format="sha256").having({"a.py": RETRY.render("python")})
    report = asked(three, "RetryPolicy", refresh="wait")
    assert {len(own.blob) for own in report.results[:2]} == {40, 64}


def test_the_repository_stands_before_the_path(three, monkeypatch, capsys):
    monkeypatch.chdir(three)

    def printed(*words):
        code = run(("--in", ".", "-k2", *words, "compute_delay"))
        out, err = capsys.readouterr()
        return code, out, err

    code, out, err = printed()
    assert (code, err) == (0, "")
    assert out.startswith("shop:retry_policy.py:")
    assert printed("-l")[1] == "shop:retry_policy.py\n"
    assert printed("-lz")[1] == "shop:retry_policy.py\0"
    assert printed("-c")[1] == "shop:retry_policy.py:2\n"
    assert "\nshop:retry_policy.py\n" in "\n" + printed("--max-lines", "3")[1]
    assert printed("--budget", "300")[1].startswith("shop:")
    (first, *_) = map(json.loads, printed("--jsonl")[1].splitlines())
    assert (first["repository"], first["path"]) == ("shop", "retry_policy.py")
    document = json.loads(printed("--json")[1])
    assert [one["repository"] for one in document["repositories"]] == sorted(FILES)
    assert document["tree"] == {"rev": "HEAD", "commit": None, "tree": None, "dirty": 0}
    files = json.loads(printed("--json", "-c")[1])["files"]
    assert files == [{"repository": "shop", "path": "retry_policy.py", "count": 2}]
    assert run(("--in", "shop", "-q", "-t", "sql", "delay")) == 1
    assert run(("--in", "nowhere", "-q", "delay")) == 128
    assert run(("--in", ".", "-I", "delay")) == 129
    assert run(("--in", ".", "--mode", "structural", "return )")) == 129
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("git search: 'nowhere' cannot be searched: there is no such folder")
    assert all(line.startswith("git search: ") for line in said)


def test_a_process_that_answers_many_questions_sees_what_changed(three, monkeypatch):
    monkeypatch.chdir(three)
    questions = Questions(run)
    words = ["--in", ".", "-k3", "compute the delay"]
    before = questions.answer(words)
    assert questions.answer(words) == before
    RepoBuilder.adopt(three / "stats").having({"new.py": "def compute_the_delay():\n    pass\n"})
    after = questions.answer(words)
    assert after == Questions(run).answer(words)
    assert json.loads(after.text)["results"][0]["repository"] == "stats"
    shutil.rmtree(three / "shop")
    assert questions.answer(words) == Questions(run).answer(words)
    refused = Questions(run, confined=True).answer(words)
    assert json.loads(refused.text)["error"]["code"] == "not-a-repository"


# ---------------------------------------------------------------- exact text


def exact(folder, text, **options):
    return asked(folder, text, mode="literal", **{"max_count": None, **options})


def test_exact_text_of_all_repositories(three):
    RepoBuilder.adopt(three / "stats").having(
        {"use.py": "compute_delay()\n", "test_use.py": "compute_delay()\n"}
    )
    report = exact(three, "compute_delay", highlighted=True)
    alone = {
        name: searched(
            RepoBuilder.adopt(three / name), "compute_delay", mode="literal", max_count=None
        )
        for name in FILES
    }
    # those of each in their order, and all by score
    for name, own in alone.items():
        assert [
            (one.path, one.start, one.text) for one in report.results if one.repository == name
        ] == [(one.path, one.start, one.text) for one in own.results]
    scores = [one.score for one in report.results]
    assert scores == sorted(scores, reverse=True)
    assert [one.rank for one in report.results] == list(range(1, len(scores) + 1))
    assert report.results[0].kind == "definition"
    assert report.results[-1].path == "test_use.py"
    assert {(one.repository, one.path): one.results for one in report.counts} == {
        (name, one.path): one.results for name, own in alone.items() for one in own.counts
    }
    last = report.results[-1]
    assert list(report.spans(last.full_path, last.start)) == [(0, len("compute_delay"))]
    by_path = exact(three, "compute_delay", sort="path")
    assert [(one.repository, one.path) for one in by_path.results] == sorted(
        (one.repository, one.path) for one in by_path.results
    )
    assert exact(three, "compute_delay", pathspecs=("*use.py",)).unsearched == ()


def test_pages_of_exact_text_follow_each_other(three):
    every = exact(three, "return")
    assert len({one.repository for one in every.results}) > 1
    first = exact(three, "return", max_count=2)
    assert list(first.results) == list(every.results)[:2]
    following = exact(three, "return", max_count=2, page=first.next)
    assert list(following.results) == list(every.results)[2:4]


def test_pages_of_files_have_each_file_once(three):
    every = exact(three, "return", shown="files")
    token, files = None, []
    while True:
        report = exact(three, "return", max_count=2, page=token, shown="files")
        files += [(one.repository, one.path) for one in report.counts]
        token = report.next
        if token is None:
            break
    assert files == [(one.repository, one.path) for one in every.counts]
    assert len(files) == len(set(files)) > 2


def test_a_pattern_of_one_language_leaves_repositories_of_others_out(three):
    pattern = "def $NAME($$$A) -> $T: $$$B"
    report = asked(three, pattern, mode="structural", max_count=None)
    assert {one.repository for one in report.results} == {"shop"}
    assert [Path(one.folder).name for one in report.unsearched] == ["site", "stats"]
    assert report.unsearched[0].reason.startswith(f"'{pattern}' is no pattern of")
    with pytest.raises(BadPattern, match="is no pattern of python"):
        asked(three, "return )", mode="structural")


def test_exact_lines_begin_with_their_repository(three, monkeypatch, capsys):
    monkeypatch.chdir(three)

    def printed(*words):
        assert run(("--in", ".", "-F", *words, "def compute_delay")) == 0
        return capsys.readouterr().out

    (line,) = printed().splitlines()
    begin, number, text = line.split(":")[:2], line.split(":")[2], line.split(":", 3)[3]
    assert begin == ["shop", "retry_policy.py"]
    assert text.strip().startswith("def compute_delay(")
    assert printed("-l") == "shop:retry_policy.py\n"
    assert printed("-c") == "shop:retry_policy.py:1\n"
    assert printed("-z").startswith(f"shop:retry_policy.py\0{number}\0")
    assert f"shop:retry_policy.py:{number}:" in printed("-C1")
    (one,) = json.loads(printed("--json"))["results"]
    assert (one["repository"], one["path"]) == ("shop", "retry_policy.py")
    assert run(("--in", ".", "-F", "-q", "no such text")) == 1


# ---------------------------------------------------------------- names and words


def test_definitions_of_all_repositories(three, monkeypatch, capsys):
    RepoBuilder.adopt(three / "site").having({"lib.py": "class RetryPolicy:\n    pass\n"})
    RepoBuilder.adopt(three / "stats").having({"lib.py": "retry_policy = 1\n"})
    names = RepositoryNames((".",))
    report = define_in(session(three), names, "RetryPolicy", None)
    # the name in another spelling does not count where it is spelt so in any of them
    assert [(one.repository, one.path) for one in report.symbols] == [
        ("shop", "retry_policy.py"),
        ("site", "lib.py"),
    ]
    assert [one.repository for one in report.repositories or ()] == sorted(FILES)
    alone = define(session(three / "shop"), "RetryPolicy", None)
    assert report.symbols[0]._replace(repository=None) == alone.symbols[0]
    monkeypatch.chdir(three)
    assert run(("def", "--in", "s*", "RetryPolicy")) == 0
    out = capsys.readouterr().out
    assert out.startswith("shop:retry_policy.py:")
    assert "\nsite:lib.py:1: class RetryPolicy" in out
    assert run(("def", "--in", ".", "--json", "RetryPolicy")) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["repository"] for one in document["symbols"]] == ["shop", "site"]
    assert document["unsearched"] == []
    assert document["actions"] == []
    assert run(("def", "--json", "RetryPolicy")) == 128, "no repository is here"
    monkeypatch.chdir(three / "shop")
    capsys.readouterr()
    assert run(("def", "--json", "RetryPolicy")) == 0
    assert "repository" not in capsys.readouterr().out


def test_uses_of_all_repositories(three):
    RepoBuilder.adopt(three / "site").having({"use.py": "policy = RetryPolicy()\n"})
    report = references_in(session(three), RepositoryNames((".", "gone")), "RetryPolicy", None)
    assert ("site", "use.py", 1) in {
        (one.repository, one.path, one.line) for one in report.references
    }
    alone = references(session(three / "shop"), "RetryPolicy", None)
    own = [one for one in report.references if one.repository == "shop"]
    assert [one._replace(repository=None) for one in own] == list(alone.references)
    assert [one.folder for one in report.unsearched] == ["gone"]

    def chosen(command, *pathspecs, **options):
        names = RepositoryNames((".",))
        which = FileFilter(pathspecs, **options)
        return command(session(three), names, "RetryPolicy", None, which)

    # a pathspec that matches in some of the repositories is right
    assert {one.repository for one in chosen(references_in, "use.py").references} == {"site"}
    first = chosen(references_in, max_count=1)
    assert first.references == report.references[:1]
    assert first.truncated == len(report.references) - 1
    assert chosen(define_in).symbols
    none = chosen(define_in, tests="only")
    assert (none.symbols, none.warnings[-1]) == ((), "1 definition was left out")


def test_words_of_all_repositories(three, monkeypatch, capsys):
    words = ("compute_delay", "zzz_nowhere")
    report = exists_in(session(three), RepositoryNames((".",)), words, None)
    assert [(one.word, one.exists, one.repository) for one in report.words] == [
        ("compute_delay", True, "shop"),
        ("zzz_nowhere", False, None),
    ]
    monkeypatch.chdir(three)
    assert run(("exists", "--in", ".", *words)) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("compute_delay: shop:retry_policy.py:")
    assert out[1] == "zzz_nowhere: no"
    with pytest.raises(UsageError):
        exists_in(session(three), RepositoryNames((".",)), ("",), None)


# ---------------------------------------------------------------- submodules


def superproject(tmp_path: Path) -> RepoBuilder:
    """A project with a submodule, which has one too, both behind their branches."""
    inner = RepoBuilder(tmp_path / "inner").having({"inner.py": "def innermost():\n    pass\n"})
    lib = build_small(tmp_path / "lib")
    allowed = ("-c", "protocol.file.allow=always")
    lib.git(*allowed, "submodule", "--quiet", "add", str(inner.path), "deep")
    lib.commit("with a submodule")
    top = RepoBuilder(tmp_path / "top").having({"main.py": "import lib\n"})
    top.git(*allowed, "submodule", "--quiet", "add", str(lib.path), "vendor/lib")
    top.git(*allowed, "submodule", "--quiet", "update", "--init", "--recursive")
    top.commit("with a submodule")
    RepoBuilder.adopt(top.path / "vendor/lib").having({"later.py": "def later_than_named(): 1\n"})
    return top


def test_submodules_are_searched_at_the_commits_that_are_named(tmp_path):
    top = superproject(tmp_path)
    report = asked_with_submodules(top, "innermost")
    assert [one.repository for one in report.repositories] == [
        "top",
        "top/vendor/lib",
        "top/vendor/lib/deep",
    ]
    assert (report.results[0].repository, report.results[0].path) == (
        "top/vendor/lib/deep",
        "inner.py",
    )
    lib = report.repositories[1]
    assert lib.tree.commit == top.rev("HEAD:vendor/lib") == lib.tree.rev
    found = asked_with_submodules(top, "later_than_named").results
    assert "later.py" not in {own.path for own in found}
    top.git("add", "vendor/lib")
    found = asked_with_submodules(top, "later_than_named").results
    assert found[0].path == "later.py"
    found = asked_with_submodules(top, "later_than_named", at="HEAD").results
    assert "later.py" not in {own.path for own in found}


def test_a_submodule_that_is_not_there_is_said(tmp_path):
    top = superproject(tmp_path)
    top.git("submodule", "--quiet", "deinit", "--force", "vendor/lib")
    report = asked_with_submodules(top, "main")
    assert [one.repository for one in report.repositories] == ["top"]
    (lib,) = report.unsearched
    assert lib.reason == "this submodule is not checked out: git submodule update --init"


@pytest.mark.parametrize("mode", ["hybrid", "literal", "structural"])
def test_a_range_is_one_of_the_superproject(tmp_path, mode):
    top = superproject(tmp_path)
    text = "import $A" if mode == "structural" else "import"
    top.having({"main.py": "import lib\nimport other\n"})
    for option in ("changed", "removed"):
        for value in ("HEAD~1..HEAD", "HEAD~1...HEAD"):
            report = asked_with_submodules(top, text, mode=mode, **{option: value})
            found = {(one.repository, one.path) for one in report.results}
            assert found == ({("top", "main.py")} if option == "changed" else set())
            assert [one.repository for one in report.repositories] == ["top"]
            assert {one.reason for one in report.unsearched} == {
                f"--{option}={value} is a range of the superproject, and this is a submodule: "
                "ask in its folder"
            }
    with pytest.raises(UsageError, match="and --at cannot be used together"):
        asked_with_submodules(top, text, mode=mode, changed="HEAD~1..HEAD", at="HEAD")


def asked_with_submodules(top, text, **options):
    warm_parsers()
    return search(
        session(top.path),
        SearchRequest(text, repositories=RepositoryNames(submodules=True), **options),
    )
