"""Answers about the past as lines."""

from gitsearch.render.color import Paint
from gitsearch.render.history_text import (
    experts,
    history,
    not_looked_at,
    removed,
    together,
    why,
)
from gitsearch.reports.history import BlamedLines, CommitShare, Expert, RelatedCommit, WhyReport
from tests.unit.render.reports import EXPERTS, HISTORY, REMOVED, TOGETHER, TREE, WHY


def test_commits_stand_with_their_share():
    assert "".join(why(WHY, Paint())) == (
        "src/a.py:3-10: wait\n"
        " 75.0%  aaaaaaaaaa 2023-11-14 Ann  Cap the pause  (#7)\n"
        " 12.5%  bbbbbbbbbb 2022-01-02 Bob  Add it (#1)  in src/old.py  (or older)\n"
        " 12.5%  not committed yet\n"
        "related, by what their messages say:\n"
        "  0.40  cccccccccc 2021-03-04 Cem  Document the pause\n"
    )


def test_found_commits_stand_with_their_hunk():
    assert "".join(history(HISTORY, Paint())) == (
        "aaaaaaaaaa 2023-11-14 Ann  Cap the pause  (#7)\n"
        "    src/a.py:2-3\n"
        "    -    pause = 2\n"
        "    +    pause = min(2, 60)\n"
        "    +    return pause\n"
        "bbbbbbbbbb 2022-01-02 Bob  Merge\n"
    )
    coloured = "".join(history(HISTORY, Paint(colour=True)))
    assert "\x1b[31m-    pause = 2\x1b[m" in coloured
    assert "\x1b[32m+    return pause\x1b[m" in coloured


def test_files_that_change_together_stand_with_their_numbers():
    assert "".join(together(TOGETHER, Paint())) == (
        "tests/test_a.py  (0.85: 5 of 7 changes, 5 of its own)\n"
        "src/b c.py  (0.38: 2 of 7 changes, 4 of its own)\n"
    )


def test_removed_code_stands_with_what_took_its_place():
    assert "".join(removed(REMOVED, Paint())) == (
        "aaaaaaaaaa 2023-11-14 Ann  Clean up\n"
        "    src/a.py:1-2  (last in bbbbbbbbbb, now src/new.py)\n"
        "    -def pause():\n"
        "    -    return 2\n"
    )


def test_authors_stand_with_what_they_know():
    assert "".join(experts(EXPERTS, Paint())) == (
        " 75.0%  Ann <ann@x.org>  12 lines, 1 commit, the last on 2023-11-14\n"
        " 25.0%  Bob <bob@x.org>  1 line, 0 commits\n"
    )
    assert list(not_looked_at(EXPERTS)) == ["the lines of 40 of 50 files were counted"]
    assert list(not_looked_at(EXPERTS._replace(blamed=50))) == []


def test_nothing_of_a_commit_steers_a_terminal():
    evil = "\x1b[31m\u202eevil\r\n"
    share = CommitShare("a" * 40, 1.0, 1, evil, evil, evil, (evil,), evil, False)
    related = RelatedCommit("a" * 40, 1.0, evil, evil, evil, (evil,))
    lines = BlamedLines(evil, 1, 1, evil)
    report = WhyReport(TREE, lines, (share,), (related,), 0, 0, ())
    expert = Expert(evil, evil, 1.0, 1, 1, evil)
    text = "".join((*why(report, Paint()), *experts(EXPERTS._replace(experts=(expert,)), Paint())))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\r" not in text
