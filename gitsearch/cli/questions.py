"""Questions that one process answers one after another: commands, and their answers in JSON."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from gitsearch import trace
from gitsearch.cli.verb_names import VERBS, without_escape_hatch
from gitsearch.errors import InternalError, SearchError, UsageError, brief
from gitsearch.render.output import AnswerStream
from gitsearch.serving.answer import Answer

if TYPE_CHECKING:
    from gitsearch.cli.invocation import Runner
    from gitsearch.commands.tree_selection import SessionOpener
    from gitsearch.serving.mcp_server import ToolAnswer
    from gitsearch.serving.tools import Tool

# The exit code of a command that was interrupted.
_INTERRUPTED = 130

# Tells a program that git shows its output to a person, in a pager.
_PAGED = "GIT_PAGER_IN_USE"


class Questions:
    """Answers commands that only ask, each as a process of its own would with `--json`.

    What is expensive stays open in between: the mapped views, the model and a git process. An
    answer is never older than its question, see `index.kept_open`.
    """

    def __init__(
        self, run: Runner, *, confined: bool = False, opener: SessionOpener | None = None
    ) -> None:
        """`run` runs a command; `confined`: only the repository of the first one is asked.

        opener: opens the session of each question, in place of one that keeps what it opens.
        """
        from gitsearch.commands.tree_selection import session_opener

        self._run_command = run
        self._opener = opener or session_opener(confined=confined)
        # whoever reads the answers is a program
        os.environ.pop(_PAGED, None)

    def answer(self, words: Sequence[str]) -> Answer:
        """The answer to `git search WORDS --json`; raises KeyboardInterrupt."""
        trace.restart()
        if any("\0" in word for word in words):
            return refusal(UsageError("an argument cannot hold a NUL"))
        if not all(map(_can_be_encoded, words)):
            return refusal(
                UsageError(
                    "an argument holds half a character: a surrogate without the other one",
                    r"such a character has two escapes: \ud83d\ude00",
                )
            )
        code, text = self._run(_in_json(words))
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
        if not text.startswith("{"):
            return refusal(UsageError(f"'{brief(' '.join(words))}' has no answer in JSON"))
        return Answer(text, code)

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolAnswer:
        """The answer to a call of a tool; raises KeyboardInterrupt."""
        from gitsearch.render import tool_text
        from gitsearch.serving.mcp_server import ToolAnswer

        try:
            answer = self.answer(tool.command(arguments))
        except UsageError as error:
            answer = refusal(error)
        except Exception as error:  # noqa: BLE001  a bug in one answer leaves the others
            answer = refusal(InternalError.of(error))
        document = tool_text.shortened(json.loads(answer.text))
        if answer.refused:
            # what the command says of itself, in the words of the tool
            told = document["error"]
            told["message"] = tool.in_parameters(told["message"])
            told["hint"] = tool.in_parameters(without_escape_hatch(told["hint"]))
        text = tool_text.text(tool.name, document, arguments)
        return ToolAnswer(text, document, answer.refused)

    def prepare(self) -> None:
        """Load what most questions need."""
        from gitsearch.commands.search import load

        load()

    def _run(self, words: list[str]) -> tuple[int, str]:
        printed = io.BytesIO()
        with _interruptible_afterwards(), redirect_stdout(AnswerStream(printed)):
            code = self._run_command(words, self._opener)
            return code, printed.getvalue().decode("utf-8")


def _in_json(words: Sequence[str]) -> list[str]:
    """The command with `--json`, where no word after it is taken for another."""
    place = 1 if words and words[0] in VERBS else 0
    return [*words[:place], "--json", *words[place:]]


def _can_be_encoded(word: str) -> bool:
    """Return True for what the argument of a process can be; bytes that are no text can."""
    try:
        os.fsencode(word)
    except UnicodeEncodeError:
        return False
    return True


def refusal(error: SearchError) -> Answer:
    """The answer that is an error."""
    from gitsearch.render import json_document

    return Answer(json_document.dump(json_document.refusal(error)), error.exit_code)


@contextmanager
def _interruptible_afterwards() -> Iterator[None]:
    """Take Ctrl-C back from a command that has left it to the system."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL is not handler:
            signal.signal(signal.SIGINT, handler)
