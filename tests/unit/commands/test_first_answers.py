"""Answers before there is an index: from the files that are most likely to have them."""

import shutil

import pytest

from gitsearch.commands.define import define
from gitsearch.commands.exists import exists
from gitsearch.commands.outline import outline
from gitsearch.commands.refs import references
from gitsearch.git import background_process
from gitsearch.index import first_view
from tests.unit.commands.asked import QUERIES, indexed, opened, searched, session, warm_parsers

NAMES = (
    *("compute_delay", "computeDelay", "RetryPolicy", "RetryPolicy.compute_delay"),
    *("retry_policy.RetryPolicy", "nothing_of_it", "main", "MAX", "max", ""),
    *(
        "RetryPolicy::compute_delay",
        "A#max",
        "==",
        "operator==",
        "a b",
        "$max",
        "max?",
        "\udce9x",
        "\u093e",
    ),
)

# Git cannot look for them, so no file can be chosen: the index is made at once.
WITHOUT_WORDS = ("", "==", "\u093e")

# With it the lines of a file are so long that it counts as generated.
LONG_LINE = "# " + "a b " * 3000 + "\n"


@pytest.fixture
def hurried(sample, monkeypatch):
    """A repository that would take long to index, and what is started in the background."""
    monkeypatch.setattr(first_view, "_SOON_INDEXED", 0)
    monkeypatch.setattr(first_view, "FILES", 8)
    monkeypatch.delenv("CI", raising=False)
    started = []
    monkeypatch.setattr(background_process, "start", lambda _, *words: started.append(words))
    return sample, started


def test_some_files_answer_and_the_rest_is_pending(hurried):
    repo, started = hurried
    report = searched(repo, "compute the delay before a retry")
    assert "service/retry_policy.py" in {one.path for one in report.results}
    covered = report.coverage
    assert 0 < covered.searchable <= 8
    assert covered.tracked == covered.searchable + sum(covered.skipped.values()) + covered.pending
    assert covered.tracked == len(repo.git("ls-files").splitlines())
    assert started == [("index", "--background", "--at", repo.rev("HEAD^{tree}"))]
    (said,) = report.warnings
    assert said.startswith(f"answered from {covered.tracked - covered.pending} of")
    assert said.endswith("the index is being made: git search status")


@pytest.mark.parametrize("query", QUERIES)
def test_once_the_index_is_there_it_answers(hurried, query):
    repo, started = hurried
    searched(repo, query)
    indexed(repo)
    before = len(started)
    report = searched(repo, query)
    assert report == searched(repo, query, refresh="wait")
    assert report.coverage.pending == 0
    assert len(started) == before


def test_ci_leaves_nothing_behind_unless_it_is_asked_for(hurried, monkeypatch):
    repo, started = hurried
    monkeypatch.setenv("CI", "true")
    report = searched(repo, "retry")
    assert report.coverage.pending
    assert started == []
    assert report.warnings[0].endswith("git search index makes the rest searchable")
    assert not repo.index_dir.exists()
    repo.git("config", "search.refresh", "soon")
    searched(repo, "retry")
    assert len(started) == 1


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        ({"tests": "only"}, "test"),
        ({"languages": ("go",)}, ".go"),
        ({"pathspecs": ("service",)}, "service/"),
    ],
)
def test_filters_choose_among_the_files_that_pass(hurried, options, fits):
    repo, _ = hurried
    paths = {one.path for one in searched(repo, "retry delay", **options).results}
    assert paths
    assert all(fits in path for path in paths)


def test_edited_files_are_among_what_is_searched_and_counted_once(hurried):
    repo, _ = hurried
    repo.write("service/retry_policy.py", "def brand_new_pause(): ...\n")
    report = searched(repo, "brand_new_pause")
    assert report.results[0].path == "service/retry_policy.py"
    assert report.coverage.tracked == len(repo.git("ls-files").splitlines())


def test_after_a_large_pull_the_nearest_view_is_the_base(hurried):
    repo, started = hurried
    indexed(repo, at="v0.2")
    report = searched(repo, "compute_delay")
    assert report.coverage.pending == 0 or report.warnings
    assert report.coverage.searchable > 8
    assert report.results == searched(repo, "compute_delay", refresh="wait").results
    assert started


def test_a_revision_that_nobody_indexed_is_answered_at_once(hurried):
    repo, started = hurried
    report = searched(repo, "retry", at="v0.2")
    assert report.coverage.pending
    assert report.results
    assert started[0][-1] == repo.rev("v0.2^{tree}")


@pytest.mark.long
def test_of_a_partial_clone_the_files_that_are_here_are_read(hurried, tmp_path):
    repo, _ = hurried
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "-b", "v0.2")
    absent = indexed(clone, at="origin/HEAD").coverage.skipped["absent"]
    assert absent
    expected = [define(session(clone.path), name, "origin/HEAD").symbols for name in NAMES]
    assert any(expected)
    shutil.rmtree(clone.index_dir)
    report = searched(clone, "retry", at="origin/HEAD")
    assert (report.coverage.skipped["absent"], bool(report.results)) == (absent, True)
    assert [define(session(clone.path), name, "origin/HEAD").symbols for name in NAMES] == expected


def test_a_word_of_a_partial_clone_is_sought_in_the_files_that_are_here(hurried, tmp_path):
    repo, _ = hurried
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "-b", "v0.2")
    words = ("compute_delay", "RetryPolicy", "zzqqxx")
    first = exists(session(clone.path), words, "origin/HEAD")
    indexed(clone, at="origin/HEAD")
    second = exists(session(clone.path), words, "origin/HEAD")
    assert first.unseen == second.unseen != {}
    assert [one.exists for one in first.words] == [one.exists for one in second.words]
    assert [one.exists for one in first.words] == [True, True, False]
    assert first.words[0].line is not None


def test_a_commit_of_empty_files_beside_one_that_is_known(sample):
    sample.write("a/__init__.py", "")
    sample.commit()
    indexed(sample)
    sample.write("b/__init__.py", "")
    sample.write("b/fresh_one.py", "def fresh_one(): ...\n")
    sample.commit()
    assert searched(sample, "fresh_one").results[0].path == "b/fresh_one.py"
    indexed(sample)
    assert searched(sample, "fresh_one").results[0].path == "b/fresh_one.py"


def test_a_slip_is_corrected(hurried):
    repo, _ = hurried
    for text in ("where is the dellay computed", "compute_delya", "RetryPolcy"):
        report = searched(repo, text)
        assert report.respelt == searched(repo, text, refresh="wait").respelt != (), text
        assert report.results, text
        shutil.rmtree(repo.index_dir)


@pytest.mark.parametrize("text", ["zzqqxx", "the of and", "x " * 300, "поиск слова", "\t"])
def test_odd_queries_are_answered(hurried, text):
    repo, _ = hurried
    report = searched(repo, text)
    assert report.coverage.pending


def uses(repo, name, at=None):
    """Return the references of a name, and the number of tracked files."""
    report = references(session(repo.path), name, at)
    assert report.coverage.pending == 0
    return report.references, report.coverage.tracked


def assert_same_uses(repo, names, at=None):
    """The same uses before there is an index and with it; some name has some."""
    first = {name: uses(repo, name, at) for name in names}
    assert not list(repo.index_dir.glob("views/*"))
    indexed(repo, at=at)
    for name, found in first.items():
        assert found == uses(repo, name, at), name
    assert any(found for found, _ in first.values())


class TestNames:
    """Answers about a name or a path are complete without an index."""

    @pytest.mark.parametrize(
        "name",
        NAMES,
    )
    @pytest.mark.long
    def test_definitions(self, hurried, name):
        repo, _ = hurried
        first = define(session(repo.path), name, None)
        assert first.coverage.pending == 0
        indexed(repo)
        assert define(session(repo.path), name, None).symbols == first.symbols

    @pytest.mark.parametrize(
        ("name", "places", "used"),
        [
            ("valid?", ["a.rb:2"], ["a.rb:3", "b.rb:2"]),
            ("A#valid?", ["a.rb:2"], ["a.rb:3", "b.rb:2"]),
            ("VALID?", ["a.rb:2"], []),
            ("==", ["a.rb:5"], []),
            ("A.==", ["a.rb:5"], []),
            ("my-name", ["c.sh:1"], ["c.sh:2"]),
            ("f'", ["d.hs:1"], ["d.hs:2"]),
            ("r#type", ["e.rs:1"], []),
            ("~T", ["f.cpp:1"], []),
            ("T::operator->", ["f.cpp:2"], []),
            ("operator->", ["f.cpp:2"], []),
            ("valid", [], []),
        ],
    )
    def test_names_of_more_than_letters(self, repo, name, places, used):
        repo.having({
            "a.rb": "class A\n  def valid?(x)\n    x && valid?(1)\n  end\n  def ==(o) = o\nend\n",
            "b.rb": "require_relative 'a'\nA.new.valid?(2)\n",
            "c.sh": "my-name() { :; }\nmy-name\n",
            "d.hs": "f' = 1\ng = f'\n",
            "e.rs": "fn r#type() {}\n",
            "f.cpp": "T::~T() {}\nT* T::operator->() { return 0; }\n",
        })  # fmt: skip
        warm_parsers()
        for _ in range(2):
            symbols = define(session(repo.path), name, None).symbols
            assert [f"{one.path}:{one.line}" for one in symbols] == places
            assert [f"{one.path}:{one.line}" for one in uses(repo, name)[0]] == used
            indexed(repo)

    @pytest.mark.parametrize("name", ["compute_delay", "RetryPolicy", "nothing_of_it"])
    def test_definitions_after_a_large_pull(self, hurried, name):
        repo, _ = hurried
        indexed(repo, at="v0.2")
        first = define(session(repo.path), name, None)
        assert first.coverage.pending == 0
        indexed(repo)
        second = define(session(repo.path), name, None)
        assert first.symbols == second.symbols
        assert first.coverage.tracked == second.coverage.tracked

    def test_attributes_count_after_a_large_change(self, hurried):
        repo, _ = hurried
        repo.write(".gitattributes", "*_out.py -search\n*_pb2.py search\n")
        repo.commit()
        indexed(repo)
        repo.write("a_out.py", "def odd_name(): ...\n")
        repo.write("b.py", "def oddName(): ...\n")
        repo.write("c_pb2.py", f"def far_out(): ...\n{LONG_LINE}")
        for number in range(9):
            repo.write(f"d/{number}.py", f"value = {number}\n")
        repo.commit()
        names = ("odd_name", "far_out")
        first = [define(session(repo.path), name, None).symbols for name in names]
        assert [[one.path for one in own] for own in first] == [["b.py"], ["c_pb2.py"]]
        indexed(repo)
        assert [define(session(repo.path), name, None).symbols for name in names] == first

    @pytest.mark.parametrize("edit", ["# more\n", "*_more.py search\n", "*_pb2.py !search\n"])
    def test_edited_attributes_count(self, hurried, edit):
        repo, _ = hurried
        for name in ("a_pb2.py", "a_more.py"):
            repo.write(name, f"def of_{name[2:-3]}(): ...\n{LONG_LINE}")
        repo.write(".gitattributes", "*_pb2.py search\n")
        repo.commit()
        repo.write(".gitattributes", "*_pb2.py search\n" + edit)
        names = ("of_pb2", "of_more")
        first = [define(session(repo.path), name, None).symbols for name in names]
        assert any(first) == ("!" not in edit)
        indexed(repo)
        assert [define(session(repo.path), name, None).symbols for name in names] == first

    def test_what_a_partial_clone_lacks_after_a_large_pull_is_said(self, hurried, tmp_path):
        repo, _ = hurried
        clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "-b", "v0.2")
        indexed(clone)
        first = define(session(clone.path), "nothing_of_it", "origin/HEAD").coverage
        assert first.skipped["absent"]
        assert first.pending == 0
        indexed(clone, at="origin/HEAD")
        second = define(session(clone.path), "nothing_of_it", "origin/HEAD").coverage
        assert (first.tracked, first.skipped["absent"]) == (
            second.tracked,
            second.skipped["absent"],
        )

    def test_a_file_that_is_gone_from_git_is_named_without_its_text(self, hurried):
        repo, _ = hurried
        repo.write("a.py", "class Odd:\n    def name(self): ...\n")
        repo.commit()
        indexed(repo)
        oid = repo.rev("HEAD:a.py")
        (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
        (shown,) = define(session(repo.path), "Odd.name", "HEAD").symbols
        assert (shown.path, shown.line, shown.qualified) == ("a.py", 2, "Odd.name")
        assert (shown.signature, shown.doc) == ("", "")

    def test_a_generated_file_defines_nothing(self, hurried):
        repo, _ = hurried
        repo.write("made.py", f"def odd_name(): ...\n{LONG_LINE}")
        repo.write("other.py", "def oddName(): ...\n")
        repo.commit()
        first = define(session(repo.path), "odd_name", None)
        assert [one.path for one in first.symbols] == ["other.py"]
        indexed(repo)
        assert define(session(repo.path), "odd_name", None).symbols == first.symbols

    def test_an_outline(self, hurried):
        repo, _ = hurried
        first = outline(session(repo.path), "service/retry_policy.py", None)
        assert first.symbols
        indexed(repo)
        assert (
            outline(session(repo.path), "service/retry_policy.py", None).symbols == first.symbols
        )

    def test_words(self, hurried):
        repo, _ = hurried
        words = ("compute_delay", "zzqqxx")
        first = exists(session(repo.path), words, None)
        indexed(repo)
        second = exists(session(repo.path), words, None)
        assert [(one.exists, one.path, one.line) for one in first.words] == [
            (one.exists, one.path, one.line) for one in second.words
        ]

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.long
    def test_uses(self, hurried, name):
        repo, _ = hurried
        first = uses(repo, name)
        assert bool(list(repo.index_dir.glob("views/*"))) == (name in WITHOUT_WORDS)
        indexed(repo)
        assert first == uses(repo, name)

    @pytest.mark.long
    def test_uses_of_all_names(self, hurried):
        repo, _ = hurried
        names = set()
        for segment, file in opened(repo).view.each_file():
            for symbol in segment.symbols_of(file):
                names |= {segment.name(symbol), segment.qualified(symbol)}
        shutil.rmtree(repo.index_dir)
        assert_same_uses(repo, sorted(names))

    @pytest.mark.long
    def test_uses_in_edited_files(self, hurried):
        repo, _ = hurried
        repo.write(
            "service/retry_policy.py", "class RetryPolicy:\n    def compute_delay(self): ...\n"
        )
        repo.write(
            "service/page_cache.py",
            "from service.retry_policy import RetryPolicy\nRetryPolicy()\n",
        )
        repo.write(
            "service/added.py", "from service import retry_policy\nretry_policy.RetryPolicy()\n"
        )
        repo.git("add", "service/added.py")
        repo.remove("service/billing/invoice_total.py")
        assert_same_uses(repo, ("RetryPolicy", "compute_delay", "InvoiceTotal", "PageCache"))

    @pytest.mark.long
    def test_uses_at_a_revision(self, hurried):
        repo, _ = hurried
        assert_same_uses(repo, ("RetryPolicy", "compute_delay", "max_attempts"), at="v0.2")

    @pytest.mark.parametrize("name", ["RetryPolicy", "compute_delay", "log", "nothing_of_it"])
    @pytest.mark.parametrize("has_graph", [False, True])
    @pytest.mark.long
    def test_uses_after_a_large_pull(self, hurried, name, has_graph):
        repo, _ = hurried
        indexed(repo, at="v0.2")
        if has_graph:
            uses(repo, name, at="v0.2")
        first = uses(repo, name)
        indexed(repo)
        assert first == uses(repo, name)

    @pytest.mark.long
    def test_what_attributes_and_contents_say_of_files(self, hurried):
        repo, _ = hurried
        long = "#" * 9000 + "\n"
        for path, text in {
            "odd/defined.py": "def odd_name(): ...\n",
            "odd/long.py": f"from odd.defined import odd_name\nodd_name()  {long}",
            "odd/wanted.py": f"from odd.defined import odd_name\nodd_name()  {long}",
            "odd/left_out.py": "from odd.defined import odd_name\nodd_name()\n",
            "odd/copy.py": "from odd.defined import odd_name\nodd_name()\n",
            "odd/binary.py": "odd_name()\0\n",
            "odd/letters.py": "# \u00e9odd_name\nodd_name_\u00e9 = 1\n",
            "odd/mixed.py": "# \u00e9t\u00e9\nodd_name()\n",
            "odd/script": "#!/usr/bin/env python3\nfrom odd.defined import odd_name\nodd_name()\n",
            "odd/broken.py": "def (((\nodd_name(\n",
            "odd/header.h": "class odd_name {};\nodd_name x;\n",
            "odd/one.m": "odd_name * x;\n",
            "odd/notes.md": "odd_name\n",
            ".gitattributes": "odd/wanted.py search\nodd/left_out.py -search\n",
        }.items():
            repo.write(path, text)
        repo.symlink("odd/link.py", "defined.py")
        repo.commit()
        repo.write("odd/edited.py", "odd_name()\n")
        repo.git("add", "odd/edited.py")
        assert_same_uses(repo, ("odd_name", "odd_name_\u00e9", "oddName", "odd", "odd_name("))

    @pytest.mark.long
    def test_edited_attributes(self, hurried):
        repo, _ = hurried
        for path in ("odd/one.py", "odd/two.py", "odd/three.py"):
            repo.write(path, "def odd_name(): ...\n\nodd_name()\n")
        repo.write("odd/.gitattributes", "one.py -search\n")
        repo.commit()
        repo.append("odd/one.py", "odd_name()\n")
        first = define(session(repo.path), "odd_name", None).symbols
        assert_same_uses(repo, ("odd_name",))
        assert define(session(repo.path), "odd_name", None).symbols == first
        shutil.rmtree(repo.index_dir)
        repo.write("odd/.gitattributes", "two.py -search\n")
        first = define(session(repo.path), "odd_name", None).symbols
        assert_same_uses(repo, ("odd_name",))
        assert define(session(repo.path), "odd_name", None).symbols == first

    def test_edited_after_a_large_pull(self, hurried):
        repo, _ = hurried
        indexed(repo)
        for number in range(12):
            repo.write(f"odd/m{number}.py", f"def oddName(): ...\n\noddName({number})\n")
        repo.write("odd/exact.py", "def odd_name(): ...\n\nodd_name()\n")
        repo.commit()
        repo.write("odd/exact.py", "odd_name()\n")
        first = uses(repo, "odd_name"), define(session(repo.path), "odd_name", None).symbols
        indexed(repo)
        assert first == (
            uses(repo, "odd_name"),
            define(session(repo.path), "odd_name", None).symbols,
        )
        assert len(first[1]) == 12

    def test_uses_in_a_partial_clone(self, hurried, tmp_path):
        repo, _ = hurried
        clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "-b", "v0.2")
        assert_same_uses(
            clone, ("RetryPolicy", "compute_delay", "nothing_of_it"), at="origin/HEAD"
        )

    @pytest.mark.long
    def test_uses_in_a_bare_clone(self, hurried, tmp_path):
        repo, _ = hurried
        clone = repo.clone(tmp_path / "clone", "--bare")
        assert_same_uses(clone, ("RetryPolicy", "compute_delay", "nothing_of_it"))
