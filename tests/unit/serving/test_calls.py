"""Calls are answered in order on the main thread, and end when they are cancelled."""

import threading
import time
from functools import partial

import pytest

from gitsearch.serving.calls import Calls

Answers = Calls[object]


def served(calls, client):
    """Answer calls on this thread while `client` makes them on another one."""
    failures = []

    def run():
        try:
            client()
        except BaseException as error:  # noqa: BLE001  said below
            failures.append(error)
        finally:
            calls.end()

    thread = threading.Thread(target=run)
    with calls.cancelling():
        thread.start()
        calls.answer()
    thread.join()
    assert not failures, failures


def test_a_call_that_is_cancelled_ends_and_the_next_one_is_answered():
    calls, begun, told = Answers(), threading.Event(), []

    def endless():
        begun.set()
        # one long sleep would not end if the signal came just before it
        for _ in range(6000):
            time.sleep(0.01)

    def client():
        first, second = calls.add(endless), calls.add(lambda: "answer")
        begun.wait(10)
        calls.cancel(first)
        told.append(second.answer.result(10))
        assert first.answer.done()

    assert threading.current_thread() is threading.main_thread()
    served(calls, client)
    assert told == ["answer"]


def test_a_call_that_is_cancelled_before_its_turn_is_not_begun():
    calls, held, begun = Answers(), threading.Event(), []

    def client():
        first = calls.add(lambda: held.wait(10))
        second, third = calls.add(lambda: begun.append("second")), calls.add(lambda: "answer")
        calls.cancel(second)
        held.set()
        assert third.answer.result(10) == "answer"
        assert first.answer.result(10)

    served(calls, client)
    assert begun == []


def test_a_call_that_is_cancelled_too_late_disturbs_no_other():
    calls, told = Answers(), []

    def client():
        for number in range(50):
            call = calls.add(partial(int, number))
            told.append(call.answer.result(10))
            calls.cancel(call)

    served(calls, client)
    assert told == list(range(50))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_no_client_has_asked_for_ends_the_server(error):
    calls = Answers()

    def fails():
        raise error

    call = calls.add(fails)
    with pytest.raises(error), calls.cancelling():
        calls.answer()
    assert call.answer.done()
