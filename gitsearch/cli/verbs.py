"""The verbs: those that look after the index are here, the others in `query_verbs`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsearch.cli import history_verbs, query_verbs
from gitsearch.cli.invocation import (
    NO,
    YES,
    Asked,
    ChoiceVerb,
    Verb,
    brush_of,
    current_runner,
    current_session,
    output,
    print_json,
    warn,
)
from gitsearch.cli.option_parser import flag, one_of, valued
from gitsearch.cli.options import (
    OTHER,
    OUTPUT,
    at,
    json_flag,
    no_pager,
    repositories,
    repository_names,
)
from gitsearch.cli.terminal import read_by_person, standard_input, survey
from gitsearch.cli.verb_names import VERBS, escape_hatch
from gitsearch.errors import SearchError, UsageError, brief

if TYPE_CHECKING:
    from gitsearch.ci.runner import Run, Steps

# In place of a file: standard output or input.
STANDARD = "-"


def verb(name: str) -> Verb:
    """The command of a verb."""
    return _BUILDERS[name]()


def _told(
    report: Any,
    given: dict[str, Any],
    text: Callable[[Any], Iterable[str]],
    *,
    quiet: bool | None = False,
) -> int:
    """Print what was done: as JSON if asked for, else its warnings and, unless quiet, its text."""
    from gitsearch.render import json_document

    if given["json"]:
        print_json(json_document.document(report))
        return YES
    warn(report.warnings)
    if not quiet:
        output(text(report))
    return YES


def _index(**given: Any) -> int:
    if given["history"]:
        if repository_names(given):
            raise UsageError("'index --history' looks at one repository")
        return _index_history(given)
    if given["background"]:
        from gitsearch.commands.index import index_in_background

        with current_session() as session:
            session.siblings = [Path(folder) for folder in given["beside"]]
            index_in_background(session, given["at"] or "HEAD")
        return YES
    from gitsearch.render import maintenance_text

    if names := repository_names(given):
        from gitsearch.commands.index import index_in

        with current_session() as session:
            many = index_in(
                session, names, given["at"], rebuild=given["rebuild"], dry_run=given["dry_run"]
            )
        return _told(many, given, maintenance_text.indexed_many, quiet=given["quiet"])
    from gitsearch.commands.index import index

    with current_session() as session:
        session.siblings = [Path(folder) for folder in given["beside"]]
        report = index(session, given["at"], rebuild=given["rebuild"], dry_run=given["dry_run"])
    return _told(report, given, maintenance_text.indexed, quiet=given["quiet"])


def _index_history(given: dict[str, Any]) -> int:
    from gitsearch.commands.history import index_history, index_history_in_background
    from gitsearch.render import history_text

    with current_session() as session:
        if given["background"]:
            index_history_in_background(session, given["at"])
            return YES
        report = index_history(session, given["at"])
    return _told(report, given, history_text.indexed, quiet=given["quiet"])


def _status(**given: Any) -> int:
    from gitsearch.commands.status import status
    from gitsearch.render import json_document, maintenance_text

    with current_session() as session:
        report = status(session, awaits_update=bool(given["check"]))
    code = NO if given["check"] and not report.current else YES
    if given["json"]:
        print_json(json_document.status(report, skipped=bool(given["skipped"])))
        return code
    warn(report.warnings)
    if given["skipped"]:
        terminal = survey(session, "never", paging=not given["no_pager"])
        terminal.show(maintenance_text.skipped(report, brush_of(Asked(session, report))))
    elif not given["check"]:
        output(maintenance_text.status(report))
    elif code == NO:
        warn([f"the index is behind {report.tree.rev}; git search index brings it up to date"])
    return code


def _verify(**given: Any) -> int:
    from gitsearch.commands.verify import verify
    from gitsearch.render import json_document, maintenance_text

    with current_session() as session:
        report = verify(session)
    if given["json"]:
        print_json(json_document.verified(report))
    else:
        output(maintenance_text.verified(report))
    return NO if report.problems else YES


def _gc(**given: Any) -> int:
    from gitsearch.commands.gc import collect
    from gitsearch.render import json_document, maintenance_text

    with current_session() as session:
        report = collect(session)
    if given["json"]:
        print_json(json_document.document(report))
    else:
        output(maintenance_text.collected(report))
    return YES


def _hooks(**given: Any) -> int:
    from gitsearch.commands import hooks

    action, everywhere = given["words"][0], bool(given["global"])
    if given["wait"] and action != "run":
        raise UsageError(f"'hooks {action}' has no --wait; only 'hooks run' starts a run")
    if everywhere and action not in ("install", "uninstall"):
        raise UsageError(f"'hooks {action}' has no --global; install and uninstall have")
    with current_session() as session:
        if action == "run":
            hooks.run(session, wait=bool(given["wait"]))
            return YES
        from gitsearch.render import json_document, maintenance_text

        if action == "install":
            report = hooks.install(session, everywhere=everywhere)
        elif action == "uninstall":
            report = hooks.uninstall(session, everywhere=everywhere)
        else:
            report = hooks.status(session)
    if given["json"]:
        print_json(json_document.document(report))
    else:
        output(maintenance_text.hooks(report))
    absent = any(hook.state == "absent" for hook in report.hooks)
    return NO if action == "status" and absent else YES


def _share(**given: Any) -> int:
    action, file = given["words"]
    if action == "export":
        return _export(file, given)
    if given["at"]:
        raise UsageError("'share import' has no --at; the file has its own trees")
    from gitsearch.commands.share import import_
    from gitsearch.render import maintenance_text

    with current_session() as session:
        report = import_(session, file, standard_input() if file == STANDARD else None)
    return _told(report, given, maintenance_text.imported)


def _export(file: str, given: dict[str, Any]) -> int:
    from gitsearch.commands.share import export
    from gitsearch.render import maintenance_text
    from gitsearch.render.output import write_bytes

    streams = file == STANDARD
    if streams and given["json"]:
        raise UsageError("--json and the file cannot both go to standard output")
    with current_session() as session:
        revs = given["at"] or ("HEAD",)
        report = export(session, file, revs, write_bytes if streams else None)
    return _told(report, given, maintenance_text.exported, quiet=streams)


def _tables(**given: Any) -> int:
    folder = given["parquet"]
    if not folder:
        raise UsageError("'export' wants --parquet=<folder>", escape_hatch(["export"]))
    from gitsearch.commands.export import export_tables
    from gitsearch.render import maintenance_text

    with current_session() as session:
        report = export_tables(
            session,
            repository_names(given),
            folder,
            given["at"] or "HEAD",
            text=bool(given["text"]),
        )
    return _told(report, given, maintenance_text.tables)


def _sql(**given: Any) -> int:
    import signal

    from gitsearch.render import json_document, sql_table

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # nothing is written; DuckDB waits for tasks that do not look whether they should end
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    names = repository_names(given)
    with current_session() as session:
        query = given["words"][0]
        if names:
            from gitsearch.commands.sql import sql_in

            report = sql_in(session, names, query)
        else:
            from gitsearch.commands.sql import sql

            report = sql(session, query)
    if given["json"]:
        print_json(json_document.document(report))
        return YES
    warn(report.warnings)
    terminal = survey(session, "never", paging=not given["no_pager"])
    terminal.show(sql_table.table(report, aligned=read_by_person()))
    return YES


def _batch(**_: Any) -> int:
    from gitsearch.cli.questions import Questions, refusal
    from gitsearch.serving.batch import answer_lines

    if sys.stdin is None:  # started with standard input closed, as by `<&-`
        return YES
    questions = Questions(current_runner())
    try:
        for line in answer_lines(sys.stdin.buffer, questions.answer, refusal):
            output([line])
    except OSError as error:
        raise SearchError(f"cannot read the questions: {error.strerror}") from error
    return YES


def _mcp(**given: Any) -> int:
    if given["print_config"]:
        return _print_configuration(given["print_config"])
    from gitsearch.cli.questions import Questions
    from gitsearch.serving.mcp_server import Server
    from gitsearch.serving.tools import TOOLS

    with current_session() as session:
        # refused here, where somebody may read it
        top = session.repo.worktree
    if top is not None:
        # answers have paths from the top, and what they name is asked about next
        os.chdir(top)
    if sys.stdin is None or sys.stdout is None:
        raise SearchError("'mcp' speaks on standard input and output, and one of them is closed")
    questions = Questions(current_runner(), confined=True)
    Server(TOOLS, questions.call).run(questions.prepare)
    return YES


def _serve(**given: Any) -> int:
    import secrets

    from gitsearch.cli.questions import Questions

    try:
        from gitsearch.serving.web_questions import WebQuestions, remote_of
        from gitsearch.serving.web_server import WebServer, address_of
    except ImportError as error:
        raise SearchError(
            f"'serve' needs the package {brief(str(error.name))}",
            "pip install 'git-semantic-search[serve]'",
        ) from None
    address = address_of("127.0.0.1:8417" if given["listen"] is None else given["listen"])
    token = "" if address.is_loopback else secrets.token_urlsafe()
    questions = Questions(current_runner())
    where = tuple(given["repositories"] or ()) or (".",)
    web = WebQuestions(questions.answer, where, remote_of)
    # refused here, where somebody may read it
    listed = web.reply("repositories", {})
    if "error" in listed.document:
        refusal = listed.document["error"]
        kind = UsageError if refusal["code"] == UsageError.code else SearchError
        raise kind(str(refusal["message"]), str(refusal.get("hint") or ""))
    warn(listed.document["warnings"])
    server = WebServer(web.reply, address, token)
    output([f"http://{server.address.shown}/{f'#token={token}' if token else ''}\n"])
    questions.prepare()
    server.run()
    return YES


def _serve_verb() -> Verb:
    where = "the address and port (default: 127.0.0.1:8417; port 0: any that is free)"
    listen = valued("--listen", "<address>:<port>", OTHER, where)
    return Verb("serve", _serve, [repositories()[0], listen])


def _print_configuration(agent: str) -> int:
    from gitsearch.serving.agent_configurations import PLACES, snippet

    with current_session() as session:
        output([snippet(agent, str(session.repo.top))])
    warn([f"this belongs into {PLACES[agent].file}"])
    return YES


def _mcp_verb() -> Verb:
    from gitsearch.serving.agent_configurations import PLACES

    text = f"print what to write into the configuration of an agent: {', '.join(PLACES)}"
    configuration = valued("--print-config", "<agent>", OUTPUT, text, one_of(tuple(PLACES)))
    return Verb("mcp", _mcp, [configuration])


def _help(**given: Any) -> int:
    from gitsearch.cli.help_text import full_help
    from gitsearch.cli.search_verb import command

    words = given["words"]
    if words and words[0] not in VERBS:
        raise UsageError(
            f"no verb '{words[0]}'",
            f"there are {', '.join(VERBS)}; {escape_hatch(['help', *words])}",
        )
    output([full_help(verb(words[0]) if words else command())])
    return YES


# ---------------------------------------------------------------- the GitHub Action


def _ci(**given: Any) -> int:
    from gitsearch.ci import runner
    from gitsearch.render.output import refuse

    steps = runner.Steps(runner.without_event(os.environ))
    with steps.quiet():
        try:
            _step(runner.read(os.environ), steps, given)
        except UsageError as error:
            # in here, where the runner takes no value that it quotes for a command
            refuse(error)
            return error.exit_code
        except SearchError as error:
            # a check that could not look has found nothing wrong
            steps.warning(error.line)
    return YES


def _step(workflow: Run, steps: Steps, given: dict[str, Any]) -> None:
    action, file = given["words"][0], Path(given["report"]) if given["report"] else None
    if action == "plan":
        from gitsearch.ci.plan import plan

        mode, cache = given["mode"] or "auto", given["cache"] != "false"
        with current_session() as session:
            plan(session, mode, workflow, steps, cache=cache)
    elif action == "run":
        from gitsearch.ci.run import RunRequest, run

        request = RunRequest(given["base"], file, given["annotations"] == "true")
        with current_session() as session:
            run(session, request, workflow, steps)
    else:
        from gitsearch.ci.post_comment import CommentRequest, comment

        default = CommentRequest()
        wish = CommentRequest(
            file,
            given["comment"] or default.when,
            given["marker"] or default.marker,
            given["author"] or "",
        )
        comment(wish, workflow, steps)


def _ci_verb() -> Verb:
    truth = one_of(("true", "false"))
    options = [
        valued(
            "--mode",
            "<mode>",
            OTHER,
            "plan: auto (default): depends on the event; report: no comment; comment: only the "
            "comment, for a workflow without the code of forks",
            one_of(("auto", "report", "comment")),
        ),
        valued(
            "--cache",
            "<true|false>",
            OTHER,
            "plan: keep the index between runs (default: true)",
            truth,
        ),
        valued(
            "--base",
            "<rev>",
            OTHER,
            "run: compare HEAD with its merge base with this commit or branch (default: the base "
            "of the pull request)",
        ),
        valued(
            "--report",
            "<file>",
            OUTPUT,
            "run: write the report to this file; comment: read it (default: a file in "
            "RUNNER_TEMP)",
        ),
        valued(
            "--annotations",
            "<true|false>",
            OUTPUT,
            "run: annotate broken imports in the changed files (default: false)",
            truth,
        ),
        valued(
            "--comment",
            "<when>",
            OUTPUT,
            "comment: changes (default): if there are findings, or were; always; never",
            one_of(("changes", "always", "never")),
        ),
        valued(
            "--marker",
            "<word>",
            OUTPUT,
            "comment: distinguishes several comments on one pull request",
        ),
        valued(
            "--author",
            "<login>",
            OUTPUT,
            "comment: the login that writes with this token, if it is an app of your own",
        ),
    ]
    return ChoiceVerb("ci", _ci, options, argument="action", choices=("plan", "run", "comment"))


# ---------------------------------------------------------------- options


def _index_verb() -> Verb:
    options = [
        at(),
        *repositories(),
        flag(
            "--history",
            OTHER,
            "index the commits that HEAD, or --at, reaches: for the verb history",
        ),
        flag("--rebuild", OTHER, "discard the index and build it anew"),
        flag("-n --dry-run", OTHER, "only report what would be done"),
        flag("-q --quiet", OUTPUT, "print nothing"),
        # given by a search that leaves it behind; beside: index folders of other clones
        flag("--background", OTHER, hidden=True),
        valued("--beside", "<folder>", OTHER, multiple=True, hidden=True),
        json_flag(),
    ]
    return Verb("index", _index, options)


def _status_verb() -> Verb:
    options = [
        flag("--skipped", OUTPUT, "list the files that are not searched, with the reason"),
        flag("--check", OUTPUT, "print nothing; exit with 1 if the index is behind the tree"),
        json_flag(),
        no_pager(),
    ]
    return Verb("status", _status, options)


def _share_verb() -> Verb:
    text = "export: the tree of this branch, tag or commit (default: HEAD); may be repeated"
    return ChoiceVerb(
        "share",
        _share,
        [at(text, multiple=True), json_flag()],
        argument="action",
        choices=("export", "import"),
        operand="file",
    )


def _tables_verb() -> Verb:
    options = [
        valued("--parquet", "<folder>", OUTPUT, "write Parquet files to this folder"),
        at(),
        *repositories(),
        flag("--text", OUTPUT, "also the texts of chunks"),
        json_flag(),
    ]
    return Verb("export", _tables, options)


def _hooks_verb() -> Verb:
    options = [
        flag(
            "--global",
            OTHER,
            "in your own configuration, for all repositories (git 2.54 and later)",
        ),
        flag("--wait", OTHER, "run: return when it is done"),
        json_flag(),
    ]
    actions = ("install", "uninstall", "status", "run")
    return ChoiceVerb("hooks", _hooks, options, argument="action", choices=actions)


_BUILDERS: dict[str, Callable[[], Verb]] = {
    "index": _index_verb,
    "status": _status_verb,
    "verify": lambda: Verb("verify", _verify, [json_flag()]),
    "gc": lambda: Verb("gc", _gc, [json_flag()]),
    "sql": lambda: Verb("sql", _sql, [*repositories(), json_flag(), no_pager()], argument="query"),
    "share": _share_verb,
    "export": _tables_verb,
    "hooks": _hooks_verb,
    "serve": _serve_verb,
    "ci": _ci_verb,
    **query_verbs.BUILDERS,
    **history_verbs.BUILDERS,
    "batch": lambda: Verb("batch", _batch, []),
    "mcp": _mcp_verb,
    "help": lambda: Verb("help", _help, [], optional="verb"),
}
