import pytest

from gitsearch.render.progress import Meter, figures

CLEAR = "\r\x1b[K"


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_nothing_is_drawn_before_anyone_has_waited(clock, capsys):
    meter = Meter(visible=True, clock=clock)
    clock.now = 0.29
    meter.update("indexing", 1, 10, 100)
    meter.close()
    assert capsys.readouterr().err == ""


def test_a_long_operation_draws_a_line_and_clears_it(clock, capsys):
    meter = Meter(visible=True, clock=clock)
    meter.update("indexing", 0, 10, 0)
    clock.now = 2.0
    meter.update("indexing", 5, 10, 40_000_000)
    meter.close()
    assert capsys.readouterr().err == (
        f"{CLEAR}indexing [############............]  50% 5/10 files, 20.0 MB/s, 2 s left{CLEAR}"
    )


def test_it_is_not_drawn_more_often_than_the_eye_sees(clock, capsys):
    meter = Meter(visible=True, clock=clock)
    for step in range(1000):
        clock.now = 1.0 + step / 1000
        meter.update("indexing", step, 1000, 0)
    assert capsys.readouterr().err.count(CLEAR) <= 11


def test_nothing_is_drawn_where_nobody_watches(clock, capsys):
    meter = Meter(visible=False, clock=clock)
    clock.now = 5.0
    meter.update("indexing", 5, 10, 0)
    meter.close()
    assert capsys.readouterr().err == ""


def test_a_note_stands_on_a_clean_line_and_is_harmless(clock, capsys):
    meter = Meter(visible=True, clock=clock)
    clock.now = 1.0
    meter.update("indexing", 5, 10, 0)
    capsys.readouterr()
    meter.note("healed \x1b[2J\nthe index")
    assert capsys.readouterr().err == f"{CLEAR}git search: healed \\x1b[2J the index\n"
    meter.close()
    assert capsys.readouterr().err == ""


def test_a_stage_has_its_own_speed(clock, capsys):
    meter = Meter(visible=True, clock=clock)
    meter.update("reading", 0, 10, 0)
    clock.now = 100.0
    meter.update("parsing", 0, 10, 0)
    clock.now = 101.0
    meter.update("parsing", 1, 10, 5_000_000)
    assert "5.0 MB/s, 9 s left" in capsys.readouterr().err


def test_a_line_fits_the_terminal(clock, capsys):
    meter = Meter(visible=True, clock=clock)
    clock.now = 1.0
    meter.update("x" * 500, 1, 10, 0)
    assert len(capsys.readouterr().err.removeprefix(CLEAR)) == 79


@pytest.mark.parametrize(
    ("figures_of", "line"),
    [
        (("a", 3, 0, 0, 1.0), "a 3 files"),
        (("a", 10, 10, 0, 1.0), f"a [{'#' * 24}] 100% 10/10 files"),
        (("a", 12, 10, 0, 1.0), f"a [{'#' * 24}] 100% 10/10 files"),
        (("a", 1, 100, 0, 1.0), f"a [{'.' * 24}]   1% 1/100 files, 1 min 39 s left"),
        (("a", 0, 10, 0, 0.0), f"a [{'.' * 24}]   0% 0/10 files"),
    ],
)
def test_figures_never_divide_by_nothing(figures_of, line):
    assert figures(*figures_of) == line
