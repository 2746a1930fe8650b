"""The verb whose actions are the steps of the GitHub Action."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsearch.cli.invocation import YES, ChoiceVerb, current_session
from gitsearch.cli.option_parser import Opt, one_of
from gitsearch.cli.options import OTHER, OUTPUT
from gitsearch.errors import SearchError, UsageError

if TYPE_CHECKING:
    from gitsearch.ci.runner import Run, Steps

_ACTIONS = ("plan", "run", "comment")
_MODES = ("auto", "report", "comment")
_WHEN = ("changes", "always", "never")
_TRUTH = ("true", "false")


def _ci(**given: Any) -> int:
    from gitsearch.ci import runner
    from gitsearch.render.output import refuse

    about = runner.read(os.environ)
    steps = runner.Steps(about)
    with steps.quiet():
        try:
            _step(about, steps, given)
        except UsageError as error:
            # in here, where the runner takes no value that it quotes for a command
            refuse(error)
            return error.exit_code
        except SearchError as error:
            # a check that could not look has found nothing wrong
            steps.warning(f"{error.message}; {error.hint}" if error.hint else error.message)
    return YES


def _step(about: Run, steps: Steps, given: dict[str, Any]) -> None:
    action = given["words"][0]
    if action == "plan":
        from gitsearch.ci.plan import plan

        with current_session() as session:
            plan(session, given["mode"] or "auto", about, steps, cache=given["cache"] != "false")
    elif action == "run":
        from gitsearch.ci import run

        annotated = given["annotations"] == "true"
        asked = run.RunRequest(given["base"], _path(given["report"]), annotated)
        with current_session() as session:
            run.run(session, asked, about, steps)
    else:
        from gitsearch.ci import comment

        wish = comment.CommentRequest(
            _path(given["report"]),
            given["comment"] or comment.CommentRequest().when,
            given["marker"] or comment.CommentRequest().marker,
            given["author"] or "",
        )
        comment.comment(wish, about, steps)


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def ci_verb() -> ChoiceVerb:
    """`git search ci`."""
    return ChoiceVerb(
        "ci",
        _ci,
        [
            Opt(
                "--mode",
                section=OTHER,
                metavar="<mode>",
                accepts=one_of(_MODES),
                help="plan: auto (default): by the event; report: no comment; comment: nothing "
                "but the comment, for a workflow that has no code of forks",
            ),
            Opt(
                "--cache",
                section=OTHER,
                metavar="<true|false>",
                accepts=one_of(_TRUTH),
                help="plan: whether the index is kept between runs (default: true)",
            ),
            Opt(
                "--base",
                section=OTHER,
                metavar="<rev>",
                help="run: compare with where HEAD parted from this commit or branch (default: "
                "the base of the pull request)",
            ),
            Opt(
                "--report",
                section=OUTPUT,
                metavar="<file>",
                help="run: write the report there; comment: read it from there (default: a file "
                "in RUNNER_TEMP)",
            ),
            Opt(
                "--annotations",
                section=OUTPUT,
                metavar="<true|false>",
                accepts=one_of(_TRUTH),
                help="run: mark imports that lead nowhere in the changed files (default: false)",
            ),
            Opt(
                "--comment",
                section=OUTPUT,
                metavar="<when>",
                accepts=one_of(_WHEN),
                help="comment: changes (default): when there is something to say, or something "
                "was; always; never",
            ),
            Opt(
                "--marker",
                section=OUTPUT,
                metavar="<word>",
                help="comment: tells several comments on one pull request apart",
            ),
            Opt(
                "--author",
                section=OUTPUT,
                metavar="<login>",
                help="comment: who writes with this token, where that is an app of your own",
            ),
        ],
        argument="action",
        choices=_ACTIONS,
    )
