"""The output of `git grep` as columns, and the order of its lines."""

import numpy as np

from gitsearch.retrieval import line_ranking
from gitsearch.retrieval.line_ranking import CODE, PROSE, TEST, DefiningLines, FileTraits
from gitsearch.retrieval.matching_lines import parsed

PLAIN = b"a.py\x003\0first\na.py\x0012\0second\n\nb.md\x001\0\n"


def test_lines_are_read():
    lines = parsed(PLAIN)
    assert lines.paths == [b"a.py", b"b.md"]
    assert lines.ends.tolist() == [0, 2, 3]
    assert lines.numbers.tolist() == [3, 12, 1]
    assert [lines.text(line) for line in range(3)] == [b"first", b"second", b""]
    assert lines.printed == PLAIN.replace(b"\0", b":")


def test_nothing_is_no_line():
    assert len(parsed(b"")) == 0
    assert parsed(b"").paths == []


def test_line_feeds_in_paths_and_nuls_in_texts_do_not_matter():
    lines = parsed(b"\na\n\x001\0x\0y\n\na\n\x002\0z\n\nb\x007\0\0\n")
    assert lines.paths == [b"\na\n", b"b"]
    assert lines.numbers.tolist() == [1, 2, 7]
    assert [lines.text(line) for line in range(3)] == [b"x\0y", b"z", b"\0"]


def test_lines_that_are_left_out_take_their_files_along():
    lines = parsed(PLAIN).where(np.asarray([False, True, False]))
    assert (lines.paths, lines.numbers.tolist(), lines.is_whole) == ([b"a.py"], [12], False)


def ordered(kinds, defined=(), exact=(), named=None):
    """Numbers of the lines of three files with two matches each, in order."""
    output = b"\n".join(b"%c\x001\0x\n%c\x002\0y\n" % (name, name) for name in b"abc")
    lines = parsed(output)
    traits = FileTraits(
        np.asarray(kinds),
        np.asarray(named or [False] * 3),
        np.asarray([10, 10, 10]),
        np.diff(lines.ends),
    )
    definitions = DefiningLines(np.asarray(defined, np.int64), np.asarray(exact, bool))
    pieces = line_ranking.ranked(lines, traits, definitions)
    assert pieces.score.tolist() == sorted(pieces.score.tolist(), reverse=True)
    return line_ranking.single(pieces).first.tolist()


def test_code_comes_before_tests_and_prose():
    assert ordered([PROSE, TEST, CODE]) == [4, 5, 2, 3, 0, 1]


def test_a_file_of_the_name_comes_first_and_equal_ones_by_path():
    assert ordered([CODE, CODE, CODE], named=[False, False, True]) == [4, 5, 0, 1, 2, 3]


def test_definitions_come_first_whole_names_before_parts():
    assert ordered([CODE, CODE, TEST], [1, 3, 4], [False, True, True]) == [3, 4, 1, 0, 2, 5]


def test_a_result_is_a_run_of_neighbours():
    lines = parsed(b"a\x001\0x\na\x002\0x\na\x004\0x\n\nb\x005\0x\n")
    runs = line_ranking.runs(lines, line_ranking.by_path(lines))
    assert (runs.first.tolist(), runs.upto.tolist()) == ([0, 2, 3], [2, 3, 4])
    assert runs.file.tolist() == [0, 0, 1]
