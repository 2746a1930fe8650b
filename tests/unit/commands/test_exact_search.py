"""Exact text has the lines of `git grep`, whatever the tree, the pattern and the index."""

import os
import re
import shutil
import subprocess
from functools import partial
from typing import Any

import pytest

from gitsearch.cli.application import run
from gitsearch.commands import exact_files
from gitsearch.commands.budget import fitted
from gitsearch.commands.search import search
from gitsearch.errors import BadContinuation, BadPath, SearchError, UsageError
from gitsearch.git import background_process, line_grep
from gitsearch.render import search_answer
from gitsearch.render.presentation import Presentation
from gitsearch.settings import (
    BY_PATH,
    COUNTS,
    EXTENDED,
    FILES,
    FIXED,
    LITERAL,
    PERL,
    WITHOUT,
    SearchRequest,
)
from tests.builder import RepoBuilder
from tests.unit.commands.asked import indexed, session

LONG = "q" * 100
FILES_OF_TREE: dict[str, str | bytes] = {
    "src/needle.py": "def needle(x):\n    return x\n\n\nclass Needles:\n    pass\n",
    "src/use.py": "from needle import needle\n\n\n@needle\ndef other():\n    print(needle(1))\n",
    "tests/test_needle.py": "from needle import needle\n\n\ndef test_needle():\n    needle(1)\n",
    "README.md": "# Needle\n\nThe needle, na\u00efve; needle_case and cafe\u0301 needle.\n",
    "b\u00e4r.txt": "needle in an umlaut\n",
    'we"ird\n.txt': "needle in an odd name\nneedle again\n",
    "data.bin": b"\0needle\n",
    "late.txt": b"x" * 9000 + b"\n\0needle after NUL\n",
    "package-lock.json": '{"needle": "' + LONG + 'needleLock"}\n',
    "long.py": f'x = "{LONG}needleinside{LONG}"\n',
    "parts.py": "x = 'a1b2c3d4e5f6needle7a8b9c'\n",
    "crlf.txt": "needle\r\nother\r\n",
    "latin.txt": b"caf\xe9needle \xff needle\n",
    "no_end.txt": "last needle",
    "kelvin.txt": "\u212aelvin needle\n\u017fpecial\n",
    "wide.txt": "\u4f7f\u7528needle\u65b9\u6cd5 needle_\u65b9\n",
    "cut.txt": "needle " + "ab" * 20000 + "needlecut" + "ab" * 200 + "\n",
    "empty.txt": "",
    "vendored/x.js": "needle();\n",
    ".gitattributes": "vendored/** linguist-vendored\n*.svg -diff\n*.diffed diff\n",
    "art.svg": "needle in what is called binary\n",
    "bytes.diffed": b"needle\0in what is called text\n",
}
PATTERNS = (
    *("needle", "Needle", "kelvin", "special", "na\u00efve", "caf\u00e9", "cafe", "needleLock"),
    *("needleinside", "needlecut", "f6needle7", "def needle", "needle(", "\u65b9", "needle_"),
    *("x", "", "staged", "edited", "st needle", "nowhere_at_all", "NUL", "e\u0301 n", "\udcff"),
    "na\u00efve\nst needle",
)
EXPRESSIONS = (
    *("needle|staged", "n.*e", "^n", "needle$", "(needle|other)\\(", "needles?", "^def +needle"),
    *("[nN]eedle[a-z]+", "\\bneedle\\b", "needle{1}", "x*", "()", "needle.in", "(na.ve)+|edited"),
)
OF_PERL = (
    *(*EXPRESSIONS, "needle(?!s)", "(?<=def )needle", "(?:st|print\\()\\s*needle", "(?i)NEEDLE$"),
    *(
        "\\x6eeedle",
        "\\Qneedle(x)\\E",
        "f\\d[a-z]\\dneedle",
        "needle\\K[a-z]+",
        "(n)ee\\w+?\\b.*\\1",
    ),
    *(
        "[\\]n]eedle\\W",
        "special|kelvin",
        "(?<first>need)le",
        "need(*ACCEPT)xyz",
        "needle\\nst needle",
    ),
    "na\u00efve\nst +needle",
)
TREES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "working tree": ({}, []),
    "untracked": ({"untracked": True}, ["--untracked"]),
    "index": ({"cached": True}, ["--cached"]),
    "revision": ({"at": "HEAD"}, ["HEAD"]),
    "old revision": ({"at": "HEAD~1"}, ["HEAD~1"]),
    "tree": ({"at": "HEAD^{tree}"}, ["HEAD^{tree}"]),
}
FLAGS = ((), ("-i",), ("-w",), ("-i", "-w"))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A repository with every kind of file, edited, staged and untracked ones, and its index."""
    repo = RepoBuilder(tmp_path_factory.mktemp("mixed")).having(FILES_OF_TREE)
    repo.symlink("link.py", "src/use.py")
    repo.append("src/use.py", "needle = 2\n")
    repo.write("second.py", "needle = 'added by the second commit'\n")
    repo.commit()
    repo.append("src/needle.py", "needle = 'edited'\n")
    repo.remove("no_end.txt")
    repo.write("staged.txt", "a staged needle\n")
    repo.git("add", "staged.txt")
    repo.append("staged.txt", "st needle edited\n")
    repo.write("new.py", "def needle_new(): pass\n")
    indexed(repo)
    indexed(repo, at="HEAD~1")
    return repo


def by_git(repo, options, where, *more):
    """The output of `git grep`, without the name of a tree."""
    command = ["git", "grep", "-n", "-I", "-z", *options, *where, "--", *more]
    done = subprocess.run(
        list(map(os.fsencode, command)),
        cwd=repo.path,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    if not where or where[0].startswith("-"):
        return done.stdout
    prefix = f"{where[0]}:".encode()
    return done.stdout.removeprefix(prefix).replace(b"\n" + prefix, b"\n")


def asked(repo, text, one=None, **options):
    """The report of one search, in a session or a new one."""
    request = SearchRequest(text, **{"mode": LITERAL, "refresh": "off", **options})
    return search(one or session(repo.path), request)


def output(report):
    return b"".join(lines for _, lines in report.lines(nul=True))


def shown(report):
    return [(one.path, one.start, one.end, one.kind) for one in report.results]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("flags", FLAGS, ids="".join)
def test_the_lines_are_those_of_git_grep(mixed, monkeypatch, tree, flags):
    monkeypatch.setattr(exact_files, "_SHARE_OF_TREE", 1)
    options, where = TREES[tree]
    named = {"ignore_case": "-i" in flags, "word": "-w" in flags, **options}
    one = session(mixed.path)
    first, step = FLAGS.index(flags), 3 if flags else 1
    kinds = ((FIXED, "-F", PATTERNS), (EXTENDED, "-E", EXPRESSIONS), (PERL, "-P", OF_PERL))
    for syntax, kind, patterns in kinds:
        for text in patterns[first::step]:
            expected = by_git(mixed, [kind, *flags, "-e", text], where)
            by_path = asked(mixed, text, one, syntax=syntax, sort=BY_PATH, **named)
            assert output(by_path) == expected, text


@pytest.mark.parametrize("tree", TREES)
def test_ranked_lines_are_the_same_in_another_order(mixed, tree):
    options, where = TREES[tree]
    for text in ("needle", "x", "def needle"):
        expected = by_git(mixed, ["-F", "-e", text], where)
        ranked = asked(mixed, text, **options)
        assert output(ranked) != expected or expected.count(b"\n") < 2
        lines = sum(one.end - one.start + 1 for one in ranked.results)
        # a path has a line feed
        wanted = len(re.findall(rb"\0\d+\0", expected))
        assert lines == wanted == sum(file.results for file in ranked.counts)
        assert len(output(ranked)) == len(expected)


@pytest.mark.parametrize("tree", TREES)
def test_files_and_counts_are_those_of_git_grep(mixed, tree):
    options, where = TREES[tree]
    for text in ("needle", "staged", "nowhere_at_all"):
        lines = by_git(mixed, ["-F", "-c", "-e", text], where)
        name = f"{where[0]}:".encode() if where else b""
        for shown_as in (FILES, COUNTS):
            report = asked(mixed, text, shown=shown_as, sort=BY_PATH, **options)
            paths = [file.path for file in report.counts]
            assert [os.fsencode(path) for path in paths] == [
                record.removeprefix(name)
                for record in by_git(mixed, ["-F", "-l", "-e", text], where).split(b"\0")[:-1]
            ]
        found = b"".join(
            os.fsencode(file.path) + b"\0%d\n" % file.results for file in report.counts
        )
        assert found == lines


@pytest.mark.parametrize("tree", TREES)
def test_what_does_not_match_is_that_of_git_grep(mixed, tree):
    options, where = TREES[tree]
    for syntax, kind, text in ((FIXED, "-F", "needle"), (EXTENDED, "-E", "^x|$^")):
        pattern = [kind, "-e", text]
        lines = asked(mixed, text, syntax=syntax, invert=True, sort=BY_PATH, **options)
        assert output(lines) == by_git(mixed, ["-v", *pattern], where)
        assert [result.path for result in lines.results]
        report = asked(mixed, text, syntax=syntax, shown=WITHOUT, sort=BY_PATH, **options)
        name = f"{where[0]}:".encode() if where else b""
        assert [os.fsencode(file.path) for file in report.counts] == [
            record.removeprefix(name)
            for record in by_git(mixed, ["-L", *pattern], where).split(b"\0")[:-1]
        ]
        counted = asked(
            mixed, text, syntax=syntax, invert=True, shown=COUNTS, sort=BY_PATH, **options
        )
        assert b"".join(
            os.fsencode(file.path) + b"\0%d\n" % file.results for file in counted.counts
        ) == by_git(mixed, ["-v", "-c", *pattern], where)


def test_few_files_are_looked_at(mixed, monkeypatch):
    places = []
    grep = line_grep.lines

    def noted(repo, pattern, place):
        places.append(place)
        return grep(repo, pattern, place)

    monkeypatch.setattr(line_grep, "lines", noted)
    monkeypatch.setattr(exact_files, "_SHARE_OF_TREE", 1)
    asked(mixed, "class Needles")
    asked(mixed, "class Needles", at="HEAD")
    edited = {b"src/needle.py", b"staged.txt", b"no_end.txt"}
    doubtful = {b"README.md", b"kelvin.txt", b"cut.txt", b"late.txt"}
    working, old = (set(place.paths) for place in places)
    assert working - old == {b"staged.txt"}
    assert {b"src/needle.py"} <= old <= edited | doubtful | {b"bytes.diffed", b"data.bin"}


def test_without_an_index_all_files_answer_at_once(repo, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    started = []
    monkeypatch.setattr(background_process, "start", lambda _, *words: started.append(words))
    repo.having(FILES_OF_TREE)
    for _ in range(2):
        report = asked(repo, "needle", refresh="soon")
        assert report.coverage.pending == 0
        assert report.coverage.tracked == len(FILES_OF_TREE)
        assert sorted(output(report)) == sorted(by_git(repo, ["-F", "-e", "needle"], []))
    assert shown(report)[0] == ("src/needle.py", 1, 1, "definition")
    assert started == [("index", "--background", "--at", repo.rev("HEAD^{tree}"))] * 2
    assert not list(repo.path.glob(".git/search/views/*"))


def test_definitions_come_first_then_code_tests_and_prose(mixed):
    assert shown(asked(mixed, "needle(", at="HEAD"))[:2] == [
        ("src/needle.py", 1, 1, "definition"),
        ("tests/test_needle.py", 4, 4, "definition"),
    ]
    order = [path for path, *_ in shown(asked(mixed, "needle", at="HEAD"))]
    places = [order.index(path) for path in ("src/use.py", "README.md", "package-lock.json")]
    assert places == sorted(places)
    last_use = max(place for place, path in enumerate(order) if path == "src/use.py")
    assert last_use < [*order, ""].index("README.md")


def test_neighbouring_lines_are_one_result(mixed):
    report = asked(mixed, "needle", at="HEAD", pathspecs=('we"ird*',))
    (one,) = report.results
    assert (one.start, one.end, one.text) == (
        1,
        2,
        "needle in an odd name\nneedle again",
    )
    assert one.blob == mixed.git("rev-parse", 'HEAD:we"ird\n.txt')


def test_the_enclosing_definition_and_lines_around_are_told(mixed):
    (one,) = asked(mixed, "print(", at="HEAD", context=(1, 5)).results
    assert (one.symbol, one.first_shown, one.start) == ("other", 5, 6)
    assert one.text == "def other():\n    print(needle(1))\nneedle = 2"
    (whole,) = asked(mixed, "print(", at="HEAD", whole=True).results
    assert whole.text.splitlines()[-2:] == ["def other():", "    print(needle(1))"]


def test_lines_around_two_results_are_shown_once(mixed):
    first, second = (
        asked(
            mixed, "needle again|an odd", syntax=EXTENDED, sort=BY_PATH, context=(3, 3), at="HEAD"
        ).results[:1]
        * 2
    )
    assert first == second
    report = asked(
        mixed, "@needle|print", syntax=EXTENDED, at="HEAD", sort=BY_PATH, context=(2, 2)
    )
    numbers = [
        number
        for one in report.results
        for number in range(one.first_shown, one.first_shown + len(one.text.split("\n")))
    ]
    assert numbers == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        ({"languages": ("python",), "tests": "exclude"}, {"src/needle.py", "src/use.py"}),
        ({"tests": "only"}, {"tests/test_needle.py"}),
        ({"content": "docs", "pathspecs": ("*.md",)}, {"README.md"}),
        ({"pathspecs": ("src/u*",)}, {"src/use.py"}),
        ({"grep": "return|print"}, {"src/use.py"}),
    ],
)
def test_filters_hold(mixed, options, paths):
    found = asked(mixed, "needle", at="HEAD", **options)
    known = {"long.py", "parts.py", "second.py"} if "languages" in options else set()
    assert {one.path for one in found.results} - known == paths


def test_pages_together_are_the_whole_answer(mixed):
    whole = asked(mixed, "needle", at="HEAD")
    pages = [asked(mixed, "needle", at="HEAD", max_count=5)]
    while pages[-1].next:
        pages.append(asked(mixed, "needle", at="HEAD", max_count=5, page=pages[-1].next))
    assert [one for page in pages for one in page.results] == list(whole.results)
    assert b"".join(map(output, pages)) == output(whole)
    assert {len(page.results) for page in pages[:-1]} == {5}


@pytest.mark.parametrize("shown", [FILES, COUNTS])
@pytest.mark.parametrize("options", [{}, {"sort": "path"}, {"grep": "e"}], ids=str)
def test_pages_of_files_together_are_all_files(mixed, shown, options):
    options = {"at": "HEAD", "shown": shown, **options}
    whole = asked(mixed, "needle", **options)
    pages = [asked(mixed, "needle", max_count=2, **options)]
    while pages[-1].next:
        pages.append(asked(mixed, "needle", max_count=2, page=pages[-1].next, **options))
    assert [one for page in pages for one in page.counts] == list(whole.counts)
    assert len(pages) > 2
    assert {len(page.counts) for page in pages[:-1]} == {2}
    for other in ("results", WITHOUT):
        with pytest.raises(BadContinuation):
            asked(mixed, "needle", at="HEAD", shown=other, page=pages[0].next)


@pytest.mark.parametrize("form", ["files", "counts"])
def test_files_that_fit_into_a_budget(mixed, form):
    shown = {"files": FILES, "counts": COUNTS}[form]
    whole = asked(mixed, "needle", at="HEAD", shown=shown)
    report = asked(mixed, "needle", at="HEAD", shown=shown, budget=2000)
    look = Presentation(form=form, budget=2000)
    page = fitted(report, 2000, partial(search_answer.text, look=look))
    assert {one.path for one in page.counts} == {one.path for one in whole.counts}


@pytest.mark.parametrize(
    ("text", "syntax", "message"),
    [
        ("a(", EXTENDED, "Unmatched ( or \\("),
        ("[z-a]", EXTENDED, "Invalid range end"),
        ("a{2,1}", EXTENDED, "Invalid content of \\{\\}"),
        ("a\\", EXTENDED, "Trailing backslash"),
        ("a(", PERL, "missing closing parenthesis"),
    ],
)
def test_a_bad_expression_is_refused_with_the_words_of_git(mixed, text, syntax, message):
    with pytest.raises(UsageError) as refused:
        asked(mixed, text, syntax=syntax)
    assert refused.value.message == f"'{text}': {message}"


def test_a_pattern_with_a_nul_is_refused(mixed):
    with pytest.raises(UsageError, match="cannot hold a NUL"):
        asked(mixed, "a\0b")


def test_an_expression_that_takes_for_ever_is_ended(mixed, monkeypatch):
    monkeypatch.setattr(line_grep, "SECONDS", 1)
    with pytest.raises(SearchError, match="took more than 1 seconds") as refused:
        asked(mixed, "(a*b*)*(b*a*)*\\1\\2!", syntax=EXTENDED)
    assert refused.value.exit_code == 128


def test_an_expression_that_may_match_in_too_many_ways_is_refused(repo):
    repo.write("long.txt", "a" * 40 + "!.!\n")
    repo.commit()
    with pytest.raises(SearchError, match="too many ways in which") as refused:
        asked(repo, "(a|aa|\\w)+\\1+!!", syntax=PERL)
    assert refused.value.exit_code == 128


def test_a_git_without_expressions_of_perl_is_named(repo, tmp_path, monkeypatch):
    repo.write("a.txt", "needle\n")
    repo.commit()
    git = shutil.which("git")
    said = "fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE"
    script = f"""#!/bin/sh
for word; do test "x$word" = x-P && echo '{said}' >&2 && exit 128; done
exec {git} "$@"
"""
    (tmp_path / "git").write_text(script)
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(UsageError) as refused:
        asked(repo, "ne+dle", syntax=PERL)
    assert refused.value.line == (
        "git is built without Perl-compatible regular expressions; use -E"
    )
    assert asked(repo, "ne+dle", syntax=EXTENDED).counts


def test_a_path_that_nothing_matches_is_refused(mixed):
    with pytest.raises(BadPath):
        asked(mixed, "needle", pathspecs=("nowhere/",))


def test_settings_of_git_do_not_matter(mixed):
    expected = output(asked(mixed, "needle(", sort=BY_PATH))
    for setting in (
        *("grep.patternType=perl", "grep.lineNumber=false", "grep.column=true"),
        *("grep.fullName=false", "color.ui=always", "color.grep=always", "submodule.recurse=true"),
    ):
        name, _, value = setting.partition("=")
        mixed.git("config", name, value)
        try:
            assert output(asked(mixed, "needle(", sort=BY_PATH)) == expected
        finally:
            mixed.git("config", "--unset", name)


def test_absent_blobs_of_a_partial_clone_are_said_and_not_fetched(mixed, tmp_path):
    mixed.git("config", "uploadpack.allowFilter", "true")
    url = mixed.path.as_uri()
    clone = mixed.clone(tmp_path / "partial", "--filter=blob:none", "--no-checkout", of=url)
    clone.git("config", "remote.origin.promisor", "true")
    report = asked(clone, "needle", at="HEAD")
    assert list(report.counts) == []
    assert report.warnings[0].endswith("files are not in this clone")


@pytest.fixture
def nested(repo):
    """A repository, indexed before it got another one in a folder and a link, both committed."""
    repo.having({f"f{number}.txt": "other\n" for number in range(20)})
    indexed(repo)
    inner = RepoBuilder(repo.path / "libs/inner").having(
        {"a.py": "def mango(): pass\n", ".gitignore": ".env\n"}
    )
    inner.write(".env", "mango\n")
    repo.symlink("link", "mango")
    repo.commit()
    return repo


@pytest.mark.parametrize("options", [{}, {"untracked": True}, {"cached": True}, {"at": "HEAD"}])
def test_files_in_a_submodule_and_targets_of_links_are_not_found(nested, monkeypatch, options):
    monkeypatch.setattr(exact_files, "_SHARE_OF_TREE", 1)
    report = asked(nested, "mango", **options)
    assert output(report) == b""
    coverage = report.coverage
    assert (coverage.skipped["submodule"], coverage.skipped["symlink"]) == (1, 1)
    assert (coverage.tracked, coverage.searchable) == (22, 20)


@pytest.fixture
def sparse(repo):
    """A repository of which a sparse checkout leaves out the folder `b`."""
    repo.having(
        {
            "a/x.py": "def kiwi_a(): pass\n",
            "b/y.py": "def kiwi_b(): pass\n",
            "c/z.py": "from b.y import kiwi_b\n",
        }
    )
    repo.git("sparse-checkout", "set", "a", "c")
    return repo


KIWIS = ["a/x.py", "b/y.py", "c/z.py"]


@pytest.mark.parametrize("with_index", [False, True])
@pytest.mark.parametrize("options", [{}, {"untracked": True}])
def test_what_a_sparse_checkout_leaves_out_is_found(sparse, with_index, options):
    if with_index:
        indexed(sparse)
    report = asked(sparse, "kiwi", sort=BY_PATH, **options)
    assert not (sparse.path / "b").exists()
    assert [one.path for one in report.results] == KIWIS
    assert output(report) == by_git(sparse, ["-F", "-e", "kiwi"], ["--cached"])
    hidden = report.results[1]
    assert (hidden.blob, hidden.symbol) == (sparse.rev("HEAD:b/y.py"), "kiwi_b")
    files = asked(sparse, "kiwi", shown=FILES, sort=BY_PATH, **options)
    assert [file.path for file in files.counts] == KIWIS
    below = asked(sparse, "kiwi", pathspecs=("b/",), **options)
    assert [one.path for one in below.results] == ["b/y.py"]


def test_staged_files_outside_a_sparse_checkout_are_as_staged(sparse):
    indexed(sparse)
    oid = sparse.git("hash-object", "-w", "--stdin", stdin=b"def kiwi_staged(): pass\n")
    sparse.git("update-index", "--cacheinfo", f"100644,{oid},b/y.py")
    sparse.git("update-index", "--skip-worktree", "b/y.py")
    (result,) = asked(sparse, "kiwi_staged").results
    assert (result.path, result.blob, result.symbol) == ("b/y.py", oid, "kiwi_staged")
    assert not asked(sparse, "def kiwi_b").results


def test_a_sparse_partial_clone_says_what_it_lacks(sparse, tmp_path):
    options = ("--filter=blob:none", "--sparse")
    clone = sparse.clone(tmp_path / "partial", *options)
    clone.git("sparse-checkout", "set", "a")
    clone.git("config", "remote.origin.url", "/nowhere")
    for _ in range(2):
        report = asked(clone, "kiwi")
        assert [one.path for one in report.results] == ["a/x.py"]
        lost = report.coverage.skipped["absent"]
        assert lost == 2 or report.warnings == ("2 of 3 files are not in this clone",)
        indexed(clone)


ZEBRAS = {
    "d/a.py": "def zebra_one():\n    return 1\n",
    "b.py": "def zebra_two():\n    return 2\n\n\n",
    "link.md": "a zebra\n",
    "gen_pb2.py": "def zebra_three():\n    return 3\n",
}


@pytest.mark.parametrize("is_committed", [True, False])
@pytest.mark.parametrize("rule", ["binary", "-search", "linguist-vendored", "search"])
def test_other_attributes_are_in_force_before_they_are_indexed(repo, rule, is_committed):
    repo.having(ZEBRAS | {".gitattributes": "d/* -search\ngen_pb2.py binary\n"})
    indexed(repo)
    repo.write(".gitattributes", f"d/* {rule}\n")
    if is_committed:
        repo.commit()
    before = asked(repo, "zebra")
    assert sorted(output(before)) == sorted(by_git(repo, ["-F", "-e", "zebra"], []))
    assert before.coverage.skipped["binary"] == (rule == "binary")
    assert before.coverage.tracked == len(ZEBRAS) + 1
    if not is_committed:
        repo.commit()
    indexed(repo)
    after = asked(repo, "zebra")
    assert list(after.results) == list(before.results)
    assert after.coverage == before.coverage


def test_a_commit_is_answered_alike_before_and_after_it_is_indexed(repo):
    repo.having(ZEBRAS)
    indexed(repo)
    repo.append("d/a.py", "\n\nzebra_four = 4\n")
    repo.write("c.py", "import b\n\n\nb.zebra_two()\n" + "x = 1\n" * 30)
    repo.commit()
    before = asked(repo, "zebra")
    indexed(repo)
    after = asked(repo, "zebra")
    assert list(after.results) == list(before.results)
    assert after.coverage == before.coverage


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
@pytest.mark.parametrize("with_index", [False, True])
@pytest.mark.parametrize("options", [{}, {"untracked": True}])
def test_flagged_files_are_as_in_the_index(repo, flag, with_index, options):
    repo.having({"c.py": "def conf_one(): pass\n", "e.py": "e = 1\n"})
    if with_index:
        indexed(repo)
    repo.git("update-index", f"--{flag}", "c.py")
    repo.write("c.py", "# changed\ndef conf_two(): pass\n")
    for _ in range(2):
        result = asked(repo, "conf_", **options).results[0]
        assert (result.path, result.symbol, result.start) == ("c.py", "conf_one", 1)
        assert result.blob == repo.rev("HEAD:c.py")
        assert not asked(repo, "conf_two", **options).results
        repo.append("e.py", "conf_x = 1\n")


def test_a_quoted_query_is_exact_text(mixed):
    report = search(session(mixed.path), SearchRequest('"def needle"', refresh="off"))
    assert report.mode == LITERAL
    assert report.text == "def needle"
    assert {one.path for one in report.results} == {"src/needle.py"}
    nothing = search(session(mixed.path), SearchRequest("'no such line'", refresh="off"))
    assert nothing.warnings == (
        "no line has this text; without the quotes it is searched for by meaning",
    )


@pytest.mark.parametrize("tree", [[], ["HEAD"]])
@pytest.mark.parametrize("pattern", ["needle|e", "x*", "\\bneedle|ing$", "na.ve"])
def test_what_matches_is_that_of_git_grep(mixed, monkeypatch, capsysbinary, tree, pattern):
    monkeypatch.chdir(mixed.path)
    words = ["-o", "-E", "-i", "--sort", "path", *[f"--at={rev}" for rev in tree], pattern]
    assert run(["-z", *words]) == 0
    expected = by_git(mixed, ["-o", "-E", "-i", "-e", pattern], tree)
    assert capsysbinary.readouterr().out == expected
    assert run(words) == 0
    command = ["grep", "-n", "-I", "-o", "-E", "-i", "-e", pattern, *tree]
    printed = subprocess.run(["git", *command], capture_output=True, check=True).stdout
    prefix = b"HEAD:" if tree else b""
    lines = [line.removeprefix(prefix).replace(b'"HEAD:', b'"') for line in printed.split(b"\n")]
    assert capsysbinary.readouterr().out.split(b"\n") == lines


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        ("def .*needle|^class N", ()),
        ("needle", ("-w",)),
        ("E+|x", ("-i", "-C1")),
        # what matches later on a line stands where the same text does not match
        ("\\bneedle|ing$", ()),
    ],
)
def test_colours_off_a_terminal_are_those_of_git(mixed, monkeypatch, capsysbinary, pattern, flags):
    monkeypatch.chdir(mixed.path)
    command = ("grep", "-n", "-I", *flags, "--color=always", "-E", "-e", pattern)
    painted = subprocess.run(["git", *command], capture_output=True, check=True).stdout
    words = (*flags, "--sort=path", "-E", pattern)
    assert run(("--color", *words)) == 0
    assert capsysbinary.readouterr().out == painted
    with_setting = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "color.ui"}
    for name, value in {**with_setting, "GIT_CONFIG_VALUE_0": "always"}.items():
        monkeypatch.setenv(name, value)
    assert run(words) == 0
    assert capsysbinary.readouterr().out == painted
    assert run(("-z", *words)) == 0
    assert b"\x1b[35m" not in capsysbinary.readouterr().out


def test_lists_of_editors_have_the_column_of_each_match(repo, monkeypatch, capsys):
    repo.having({"a.py": "needle xneedle, needle and needle\n"})
    monkeypatch.chdir(repo.path)
    assert run(("-w", "-F", "--vimgrep", "needle")) == 0
    columns = [line.split(":")[2] for line in capsys.readouterr().out.splitlines()]
    assert columns == ["1", "17", "28"]


def test_text_with_the_colour_by_which_matches_are_told_is_no_match(repo, monkeypatch, capsys):
    repo.having({"a.txt": "a needle and \x1b[38;2;1;2;3m no end\n"})
    monkeypatch.chdir(repo.path)
    assert run(("-F", "--vimgrep", "needle")) == 0
    assert [line.split(":")[:3] for line in capsys.readouterr().out.splitlines()] == [
        ["a.txt", "1", "3"]
    ]
