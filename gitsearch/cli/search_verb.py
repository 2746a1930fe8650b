"""A query from its words to the exit code."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from gitsearch.cli.invocation import current_session
from gitsearch.cli.option_parser import (
    GitCommand,
    Item,
    Opt,
    UnknownOptionError,
    flag,
    fraction,
    number,
    one_of,
    valued,
)
from gitsearch.cli.options import (
    AMOUNT,
    FILTERS,
    HOW,
    OTHER,
    OUTPUT,
    TREE,
    at,
    cached,
    count,
    help_option,
    json_flag,
    repositories,
    repository_names,
    terminal_options,
    tests,
    trace_option,
    version_option,
)
from gitsearch.cli.removal_search import is_removal_search, search_removals
from gitsearch.cli.terminal import Terminal, asked_by_person, folder_of, read_by_person, survey
from gitsearch.errors import UsageError
from gitsearch.git_conventions import boolean
from gitsearch.render.presentation import Form, Only, Presentation
from gitsearch.settings import (
    ANY,
    AUTO,
    BY_RANK,
    CONTENTS,
    COUNTS,
    EXTENDED,
    FILES,
    FIXED,
    LEAST_BUDGET,
    LITERAL,
    MODES,
    PERL,
    READERS,
    REFRESH,
    RESULTS,
    SORTS,
    WITHOUT,
    SearchRequest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.index.session import Session
    from gitsearch.reports.search import SearchReport

FOUND, NOT_FOUND = 0, 1

_CONTEXT = ("context", "before_context", "after_context", "function_context")
_SHOWN = {"files": FILES, "counts": COUNTS, "silent": ANY}

SYNOPSIS = (
    "[<options>] <query words>... [-- <pathspec>...]",
    "<verb> [<options>] [<argument>]",
)
# The options that say how the exact text is read.
_SYNTAXES = {"fixed_strings": FIXED, "extended_regexp": EXTENDED, "perl_regexp": PERL}
_EXCLUSIVE = (
    ("at", "cached"),
    ("at", "untracked"),
    ("cached", "untracked"),
    ("json", "jsonl"),
    ("names_only", "count"),
    ("null", "json"),
    ("null", "jsonl"),
    *(("interactive", other) for other in ("budget", "next_page", "quiet", "vimgrep")),
    *(
        (form, other)
        for form in ("interactive", "vimgrep")
        for other in ("json", "jsonl", "names_only", "count", "null")
    ),
    *combinations(_SYNTAXES, 2),
    *(
        ("only_matching", other)
        for other in (
            *("invert_match", "names_only", "files_without_match", "count", "json", "jsonl"),
            *("vimgrep", "interactive", "budget", "max_lines", "explain", *_CONTEXT),
        )
    ),
    *(
        ("files_without_match", other)
        for other in (
            *("names_only", "count", "quiet", "vimgrep", "interactive", "budget", "grep"),
            *("changed", "removed", "repositories", "submodules"),
        )
    ),
    *(("interactive", where) for where in ("repositories", "submodules")),
    ("changed", "removed"),
)


class _SearchCommand(GitCommand):
    """The command for a query, which people type as they type other searches of text."""

    def read(self, words: Sequence[str]) -> Iterator[Item]:
        """Each thing among the words; of a foreign option the refusal says what is the same."""
        try:
            yield from super().read(words)
        except UnknownOptionError as error:
            from gitsearch.cli.foreign_options import INSTEAD

            error.hint = INSTEAD.get(error.option, error.hint)
            raise


@cache
def command() -> GitCommand:
    """The command for a query; it takes half a millisecond to make."""
    return _SearchCommand(
        "",
        _run,
        _options(),
        synopsis=SYNOPSIS,
        summary="Find code by meaning and by name, in any revision, offline.",
        pathspecs=True,
    )


def _run(**given: Any) -> int:
    _check(given)
    look = presentation_of(given, person=read_by_person())
    with current_session() as session:
        given = _with_range(session, given)
        request = request_of(given)
        if is_removal_search(given):
            return search_removals(session, request, given)
        highlighted = look.form in ("blocks", "lines", "vimgrep") and not look.nul
        highlighted |= look.form == "matches"
        request = replace(request, highlighted=highlighted)
        shown = _SHOWN.get(look.form) or look.only
        if given["files_without_match"]:
            shown = WITHOUT
        if shown != RESULTS:
            request = replace(request, shown=shown)
            if request.max_lines is None:
                # no line of code is going to be shown, so none needs to be read
                request = replace(request, max_lines=0)
        if given["interactive"]:
            return _pick(session, request, look, given)
        report = _ask(session, request)
        unclear = request.syntax == EXTENDED or len(request.pathspecs) > 1 or not report.counts
        if unclear and look.form != "silent":
            from gitsearch.cli.search_advice import advice

            said = advice(session, command(), click.get_current_context().obj, request, report)
            report = report._replace(warnings=(*report.warnings, *said))
    if look.form == "json":
        from gitsearch.cli import search_actions

        context = click.get_current_context()
        asked = search_actions.actions(command(), context.obj, report)
        report = report._replace(actions=tuple(asked))
    if look.form != "silent":
        _show(session, request, report, look, given)
    # a page of files that were all on pages before is not the end
    return FOUND if report.counts or report.more else NOT_FOUND


def _pick(
    session: Session, request: SearchRequest, look: Presentation, given: dict[str, Any]
) -> int:
    """Let the user choose from the results."""
    if not asked_by_person():
        raise UsageError("-I asks which result to open, and this is no terminal", "leave -I out")
    from gitsearch.cli.picker import Picker

    color = "never" if given["no_color"] else given["color"]
    terminal = survey(session, color, paging=False, linking=request.in_working_tree)
    look = _shown_on(terminal, look, _folder(session, request, look, given))
    picker = Picker(session, request, look, _ask)
    return FOUND if picker.run() else NOT_FOUND


def _with_range(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Take the first word that is a range of revisions for the value of a bare --changed.

    As `git search --changed main... words`: a value that may be left out stands behind "=", and
    what people type stands behind a space.
    """
    name = "changed" if given["changed"] == "" else "removed"
    words = given["words"] or ()
    many = given["repositories"] or given["submodules"]
    if given[name] == "" and not many and any(".." in word for word in words):
        from gitsearch.commands.line_ranges import is_range

        for place, word in enumerate(words):
            if is_range(session, word):
                return {**given, name: word, "words": words[:place] + words[place + 1 :]}
    return given


def _check(given: dict[str, Any]) -> None:
    for first, second in _EXCLUSIVE:
        if given[first] not in _UNSET and given[second] not in _UNSET:
            names = " and ".join(_OPTION_NAMES.get(key, f"--{key}") for key in (first, second))
            raise UsageError(f"{names} cannot be used together")


_UNSET = (None, False, ())

_OPTION_NAMES = {
    "names_only": "-l",
    "count": "-c",
    "null": "-z",
    "interactive": "-I",
    "quiet": "-q",
    "next_page": "--continue",
    "repositories": "--in",
    "submodules": "--recurse-submodules",
    "fixed_strings": "-F",
    "extended_regexp": "-E",
    "perl_regexp": "-P",
    "invert_match": "-v",
    "only_matching": "-o",
    "context": "-C",
    "before_context": "-B",
    "after_context": "-A",
    "function_context": "-W",
    "max_lines": "--max-lines",
    "files_without_match": "-L",
}


def request_of(given: dict[str, Any]) -> SearchRequest:
    """The query with its options; raises UsageError where they do not make one."""
    mode = _mode(given)
    queries, words = given["query"] or (), given["words"] or ()
    if mode == LITERAL:
        # each is an alternative, as for git grep
        text = "\n".join((*queries, *([" ".join(words)] if words else [])))
    else:
        text = " ".join((*queries, *words)).strip()
    if not text and (mode != LITERAL or not (queries or words)):
        raise UsageError("no query given", "say what to look for, or see git search -h")
    around = given["context"] or 0
    before, after = given["before_context"], given["after_context"]
    return SearchRequest(
        text=text,
        pathspecs=given["pathspecs"],
        at=given["at"],
        cached=bool(given["cached"]),
        untracked=bool(given["untracked"]),
        mode=mode,
        grep=given["grep"],
        alpha=given["alpha"],
        rerank=not given["no_rerank"],
        reader=given["reader"],
        syntax=next((_SYNTAXES[name] for name in _SYNTAXES if given[name]), FIXED),
        ignore_case=bool(given["ignore_case"]),
        word=bool(given["word_regexp"]),
        invert=bool(given["invert_match"]),
        sort=given["sort"] or BY_RANK,
        changed=given["changed"],
        removed=given["removed"],
        languages=_languages(given["languages"] or ()),
        content=given["content"] or "all",
        tests=given["tests"] or "include",
        max_count=given["max_count"],
        max_lines=given["max_lines"],
        context=(around if before is None else before, around if after is None else after),
        whole=bool(given["function_context"]),
        refresh=given["refresh"],
        explain=bool(given["explain"]),
        budget=given["budget"],
        page=given["next_page"],
        repositories=repository_names(given),
    )


_OF_EXACT_TEXT = {
    "ignore_case": "-i",
    "word_regexp": "-w",
    "invert_match": "-v",
    "files_without_match": "-L",
    "only_matching": "-o",
    "sort": "--sort",
}


def _mode(given: dict[str, Any]) -> str | None:
    """The mode, by its name or its letter; raises UsageError where they contradict each other."""
    mode: str | None = given["mode"]
    letter = next((_OPTION_NAMES[name] for name in _SYNTAXES if given[name]), "")
    if letter and mode not in (None, AUTO, LITERAL):
        raise UsageError(f"{letter} and --mode {mode} cannot be used together")
    if letter or mode == LITERAL:
        return LITERAL
    for key, option in _OF_EXACT_TEXT.items():
        if given[key]:
            raise UsageError(f"{option} is for exact text", "add -F, -E or -P")
    return mode


def _languages(values: tuple[str, ...]) -> tuple[str, ...]:
    names = [name.strip().lower() for value in values for name in value.split(",")]
    if not all(names):
        raise UsageError("-t/--type wants names of languages, joined by commas")
    return tuple(dict.fromkeys(names))


def presentation_of(given: dict[str, Any], *, person: bool) -> Presentation:
    """The form of the answer, by the options and by whether a person reads it."""
    files = given["names_only"] or given["files_without_match"]
    only: Only = "files" if files else "counts" if given["count"] else "results"
    return Presentation(
        form=_form(given, person=person),
        nul=bool(given["null"]),
        verbatim=not person,
        explain=bool(given["explain"]),
        only=only,
        indent=person,
        budget=given["budget"],
        person=person,
        locations=given["max_lines"] == 0,
        with_context=any(given[name] for name in _CONTEXT),
    )


def _form(given: dict[str, Any], *, person: bool) -> Form:
    forms: tuple[tuple[str, Form], ...] = (
        ("quiet", "silent"),
        ("json", "json"),
        ("jsonl", "jsonl"),
        ("names_only", "files"),
        ("files_without_match", "files"),
        ("count", "counts"),
        ("vimgrep", "vimgrep"),
        ("only_matching", "matches"),
    )
    for name, form in forms:
        if given[name]:
            return form
    has_context = any(given[name] for name in _CONTEXT)
    if given["max_lines"] == 0 or (given["null"] and not has_context):
        return "lines"
    # whoever asks for lines of code gets them, terminal or not
    names = ("max_lines", *_CONTEXT)
    return "blocks" if person or any(given[name] for name in names) else "lines"


def _ask(session: Session, request: SearchRequest) -> SearchReport:
    from gitsearch.commands.search import search

    return search(session, request)


def _show(
    session: Session,
    request: SearchRequest,
    report: SearchReport,
    look: Presentation,
    given: dict[str, Any],
) -> None:
    from gitsearch.render import search_answer
    from gitsearch.render.output import say

    data = look.form in ("json", "jsonl")
    color = "never" if data or given["no_color"] or look.nul else given["color"]
    paging = not (data or given["no_pager"] or look.nul)
    terminal = survey(
        session, color, paging=paging, linking=request.in_working_tree and not request.of_many
    )
    look = _shown_on(terminal, look, _folder(session, request, look, given))
    if report.mode == LITERAL:
        wish = (session.own_config.get("core.quotepath") or ["true"])[-1]
        look = look._replace(quote_path=boolean(wish) is not False)
    if look.budget is not None:
        from gitsearch.commands.budget import fitted

        report = fitted(report, look.budget, lambda page: search_answer.text(page, look))
    for note in search_answer.notes(report, look):
        say(note)
    if not data and (report.mode == LITERAL or look.form == "vimgrep"):
        terminal.show_bytes(search_answer.lines(report, look))
    else:
        terminal.show(search_answer.pieces(report, look))


def _shown_on(terminal: Terminal, look: Presentation, folder: str) -> Presentation:
    return look._replace(colour=terminal.colour, links=terminal.links, folder=folder)


def _folder(
    session: Session, request: SearchRequest, look: Presentation, given: dict[str, Any]
) -> str:
    """The folder in which paths of text begin; those of several repositories begin at a top."""
    if request.of_many:
        return str(session.cwd) if look.form == "vimgrep" else ""
    return "" if given["full_name"] else folder_of(session)


# ---------------------------------------------------------------- options


def _lines(names: str, help: str) -> Opt:
    return valued(names, "<n>", AMOUNT, help, number(0))


def _options() -> list[Opt]:
    """All options of a search, in the order of the help."""
    return [
        at(),
        cached(),
        flag("--untracked", TREE, "also search untracked files"),
        valued(
            "--changed",
            "[=<range>]",
            TREE,
            "only what <A>..<B> or <A>...<B> added, or what was added since <A> (default: HEAD)",
            bare="",
        ),
        valued(
            "--removed",
            "[=<range>]",
            TREE,
            "only what was taken away, in the old tree; without a range, by any commit",
            bare="",
        ),
        *repositories(),
        valued(
            "-e query",
            "<query>",
            HOW,
            "the query, if its first word is a verb or begins with a dash",
            multiple=True,
        ),
        valued(
            "--mode",
            "<mode>",
            HOW,
            "auto (default): depends on the form of the query; hybrid: words and meaning; "
            "semantic: meaning; lexical: words; symbol: names of definitions; literal: exact "
            "text, as -F; structural: every match of a pattern of code with metavariables",
            one_of(MODES),
        ),
        flag("-F --fixed-strings", HOW, "find this text exactly, in every line, as git grep -F"),
        flag("-E --extended-regexp", HOW, "find a regular expression, as git grep -E"),
        flag("-P --perl-regexp", HOW, "find a regular expression of Perl, as git grep -P"),
        flag("-i --ignore-case", HOW, "with -F, -E or -P: letters match in either case"),
        flag("-w --word-regexp", HOW, "with -F, -E or -P: only whole words"),
        flag("-v --invert-match", HOW, "with -F, -E or -P: lines that do not match"),
        valued(
            "--sort",
            "<by>",
            HOW,
            "with -F, -E or -P: rank (default): definitions, then uses, tests and documents; path",
            one_of(SORTS),
        ),
        valued("--grep", "<regex>", HOW, "only results with a line that git grep -E would match"),
        valued(
            "--alpha",
            "<0..1>",
            HOW,
            "weight of meaning against words (default: depends on the form of the query)",
            fraction,
        ),
        flag("--no-rerank", HOW, "keep the order of the fused rankings"),
        valued(
            "--reader",
            "<when>",
            HOW,
            "on, off or auto (default): a sentence encoder reorders the first results",
            one_of(READERS),
        ),
        valued(
            "-t --type languages",
            "<language>",
            FILTERS,
            "only these languages; may be repeated or joined by commas",
            multiple=True,
        ),
        valued(
            "--content", "<kind>", FILTERS, "all (default), code, docs or config", one_of(CONTENTS)
        ),
        tests(),
        count(),
        _lines("--max-lines", "at most <n> lines of each result; 0: locations only"),
        _lines("-A --after-context", "show <n> lines after each result"),
        _lines("-B --before-context", "show <n> lines before each result"),
        _lines("-C --context", "both; -<n> for short"),
        valued(
            "--budget",
            "<tokens>",
            AMOUNT,
            "print at most so many tokens of a language model (cl100k) in all: whole results, the "
            "best that fit, the others with --continue; exit 128 if none fits",
            number(LEAST_BUDGET),
        ),
        valued(
            "--continue next_page",
            "<token>",
            AMOUNT,
            "the next page of the answer that gave this token",
        ),
        flag("-W --function-context", AMOUNT, "show the whole enclosing definition"),
        flag("-l --name-only --files-with-matches names_only", OUTPUT, "print only paths"),
        flag(
            "-L --files-without-match",
            OUTPUT,
            "with -F, -E or -P: print the paths of files in which no line matches",
        ),
        flag("-o --only-matching", OUTPUT, "with -F, -E or -P: print only what matches"),
        flag(
            "-c --count",
            OUTPUT,
            "print the number of results (with -F, -E or -P: of lines) of each file",
        ),
        flag("-q --quiet", OUTPUT, "print nothing; exit with 0 if something is found, else 1"),
        # always so: for those who are used to type them
        flag("-n --line-number line_number", OUTPUT, "number lines", hidden=True),
        flag("-r recursive", OUTPUT, "search folders in folders", hidden=True),
        flag("-z --null", OUTPUT, "end paths with NUL and do not quote them"),
        flag("--full-name", OUTPUT, "print paths from the top, not from the current folder"),
        json_flag(),
        flag("--jsonl", OUTPUT, "print one JSON object for each result"),
        flag(
            "-I --interactive",
            OUTPUT,
            "number the results, and open the chosen ones in the editor of git",
        ),
        flag(
            "--vimgrep",
            OUTPUT,
            "print path:line:column:text for the list of an editor, with paths from the current "
            "folder",
        ),
        flag("--explain", OUTPUT, "show the factors of each score"),
        *terminal_options(),
        valued(
            "--refresh",
            "<how>",
            OTHER,
            "soon (default): if an update of the index would take longer than two seconds, "
            "answer from the files that are most likely to matter, and update it meanwhile; "
            "wait: update it first; background: never wait for it; off: answer from the index "
            "as it is",
            one_of(REFRESH),
        ),
        trace_option(),
        help_option(),
        version_option(),
    ]
