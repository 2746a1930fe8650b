"""The verbs: what each takes, which command answers it, how the answer is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gitsearch.cli import (
    ci_verbs,
    code_verbs,
    lookup_verbs,
    overview_verbs,
    report_verb,
    review_verbs,
)
from gitsearch.cli.invocation import (
    NO,
    YES,
    ChoiceVerb,
    Verb,
    current_session,
    output,
    print_json,
    warn,
)
from gitsearch.cli.option_parser import Opt
from gitsearch.cli.options import OTHER, OUTPUT, at, json_flag
from gitsearch.cli.terminal import read_by_person, survey
from gitsearch.cli.verb_names import VERBS, escape_hatch
from gitsearch.errors import UsageError


def verb(name: str) -> Verb:
    """The command of a verb."""
    return _BUILDERS[name]()


def _index(**given: Any) -> int:
    if given["background"]:
        from gitsearch.commands.index import index_in_background

        with current_session() as session:
            index_in_background(session, given["at"] or "HEAD")
        return YES
    from gitsearch.commands.index import index

    rebuild, dry_run = bool(given["rebuild"]), bool(given["dry_run"])
    with current_session() as session:
        report = index(session, given["at"], rebuild=rebuild, dry_run=dry_run)
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.document(report))
        return YES
    from gitsearch.render.maintenance_text import indexed

    warn(report.warnings)
    if not given["quiet"]:
        output(indexed(report))
    return YES


def _index_verb() -> Verb:
    return Verb(
        "index",
        _index,
        [
            at(),
            Opt("--rebuild", section=OTHER, is_flag=True, help="start afresh, trust nothing"),
            Opt(
                "-n", "--dry-run", section=OTHER, is_flag=True, help="only say what would be done"
            ),
            Opt("-q", "--quiet", section=OUTPUT, is_flag=True, help="print nothing"),
            Opt("--background", is_flag=True, hidden=True),  # what a search leaves behind
            json_flag(),
        ],
    )


def _status(**given: Any) -> int:
    from gitsearch.commands.status import status

    with current_session() as session:
        report = status(session)
    code = NO if given["check"] and not report.current else YES
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.status(report, skipped=bool(given["skipped"])))
        return code
    from gitsearch.render import maintenance_text

    warn(report.warnings)
    if given["skipped"]:
        survey(session, "never", paging=not given["no_pager"]).show(
            maintenance_text.skipped(report)
        )
    elif not given["check"]:
        output(maintenance_text.status(report))
    elif code == NO:
        warn([f"the index is behind {report.tree.rev}; git search index brings it up to date"])
    return code


def _status_verb() -> Verb:
    return Verb(
        "status",
        _status,
        [
            Opt(
                "--skipped",
                section=OUTPUT,
                is_flag=True,
                help="list the files that are not searchable, with the reason",
            ),
            Opt(
                "--check",
                section=OUTPUT,
                is_flag=True,
                help="print nothing; exit with 1 if the index is behind the tree",
            ),
            json_flag(),
            Opt("--no-pager", section=OUTPUT, is_flag=True, help="do not start a pager"),
        ],
    )


def _verify(**given: Any) -> int:
    from gitsearch.commands.verify import verify
    from gitsearch.render import maintenance_text

    with current_session() as session:
        report = verify(session)
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.verified(report))
    else:
        output(maintenance_text.verified(report))
    return NO if report.problems else YES


def _gc(**given: Any) -> int:
    from gitsearch.commands.gc import collect

    with current_session() as session:
        report = collect(session)
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.document(report))
        return YES
    from gitsearch.render import maintenance_text

    output(maintenance_text.collected(report))
    return YES


def _hooks(**given: Any) -> int:
    from gitsearch.commands import hooks

    action, everywhere = given["words"][0], bool(given["global"])
    with current_session() as session:
        if action == "run":
            hooks.run(session, wait=bool(given["wait"]))
            return YES
        if action == "install":
            report = hooks.install(session, everywhere=everywhere)
        elif action == "uninstall":
            report = hooks.uninstall(session, everywhere=everywhere)
        else:
            report = hooks.status(session)
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.document(report))
    else:
        from gitsearch.render import maintenance_text

        output(maintenance_text.hooks(report))
    absent = any(hook.state == "absent" for hook in report.hooks)
    return NO if action == "status" and absent else YES


def _hooks_verb() -> Verb:
    return ChoiceVerb(
        "hooks",
        _hooks,
        [
            Opt(
                "--global",
                section=OTHER,
                is_flag=True,
                help="in your own configuration, for all repositories (git 2.54 and later)",
            ),
            Opt("--wait", section=OTHER, is_flag=True, help="run: come back when it is done"),
            json_flag(),
        ],
        argument="action",
        choices=("install", "uninstall", "status", "run"),
    )


def _sql(**given: Any) -> int:
    import signal

    from gitsearch.commands.sql import sql

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # nothing is written; DuckDB waits for tasks that do not look whether they should end
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with current_session() as session:
        report = sql(session, given["words"][0])
    if given["json"]:
        from gitsearch.render import json_document

        print_json(json_document.document(report))
        return YES
    from gitsearch.render.sql_table import table

    terminal = survey(session, "never", paging=not given["no_pager"])
    terminal.show(table(report, aligned=read_by_person()))
    return YES


def _sql_verb() -> Verb:
    pager = Opt("--no-pager", section=OUTPUT, is_flag=True, help="do not start a pager")
    return Verb("sql", _sql, [json_flag(), pager], argument="query")


def _help(**given: Any) -> int:
    from gitsearch.cli.help_text import full_help
    from gitsearch.cli.search_verb import command

    words = given["words"]
    if not words:
        output([full_help(command())])
        return YES
    if words[0] not in VERBS:
        raise UsageError(
            f"no verb '{words[0]}'",
            f"there are {', '.join(VERBS)}; {escape_hatch(['help', *words])}",
        )
    output([full_help(verb(words[0]))])
    return YES


_BUILDERS: dict[str, Callable[[], Verb]] = {
    "index": _index_verb,
    "status": _status_verb,
    "verify": lambda: Verb("verify", _verify, [json_flag()]),
    "gc": lambda: Verb("gc", _gc, [json_flag()]),
    "sql": _sql_verb,
    "hooks": _hooks_verb,
    "ci": ci_verbs.ci_verb,
    **code_verbs.BUILDERS,
    **review_verbs.BUILDERS,
    **overview_verbs.BUILDERS,
    **lookup_verbs.BUILDERS,
    **report_verb.BUILDERS,
    "help": lambda: Verb("help", _help, [], optional="verb"),
}
