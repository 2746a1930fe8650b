"""Answers to the tools of agents, as text that a language model reads: from their documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gitsearch.render.escape import folded, plain, quoted

Json = dict[str, Any]
Lines = Iterator[str]
Arguments = Mapping[str, Any]

# The most entries of each list of an answer: the rest would fill the memory of a model.
MOST = 100

# Lists of which a model gets all that was asked for.
_WHOLE = ("warnings", "results")

# Characters of a commit's id, and of the head of an enclosing definition.
_COMMIT = 7
_HEAD = 120


def shortened(document: Json) -> Json:
    """Return the document with its lists cut; `omitted` then says how many entries each lacks."""
    shown = dict(document)
    omitted = {
        key: len(value) - MOST
        for key, value in document.items()
        if isinstance(value, list) and key not in _WHOLE and len(value) > MOST
    }
    for key in omitted:
        shown[key] = document[key][:MOST]
    return shown | {"omitted": omitted} if omitted else shown


def text(tool: str, document: Json, asked: Arguments) -> str:
    """Return the text of a shortened document: entries, what to ask next, what was searched.

    asked: the arguments of the call; what to ask next is about the same tree.
    """
    if "error" in document:
        error = document["error"]
        return plain(f"{error['message']}; {error['hint']}" if error["hint"] else error["message"])
    render = _FORMS.get(tool, _unknown)
    lines = list(render(document))
    if tool in _NEXT:
        given = {name: value for name, value in asked.items() if value is not None}
        lines += _NEXT[tool](document, given)
    for name, count in document.get("omitted", {}).items():
        lines.append(f"... and {count:,} more {name}")
    lines += (f"note: {folded(warning)}" for warning in document.get("warnings", ()))
    return "\n".join([*lines, *_about(document)])


def _about(document: Json) -> Lines:
    """One line on the tree and on how much of it was searched."""
    tree, coverage = document.get("tree"), document.get("coverage")
    said = []
    if tree:
        edited = f" +{tree['dirty']:,} edited files" if tree["dirty"] else ""
        name = (tree["commit"] or tree["tree"] or "")[:_COMMIT]
        said.append(f"tree {folded(tree['rev'])} {name}{edited}")
    if coverage:
        files = f"{coverage['searchable']:,} of {coverage['tracked']:,} files searched"
        skipped = sum(coverage["skipped"].values())
        files += f", {skipped:,} skipped" if skipped else ""
        if coverage["pending"]:
            files += f", {coverage['pending']:,} not yet: ask again in a moment"
        said.append(files)
    if said:
        yield f"[{'; '.join(said)}]"


def _call(tool: str, **arguments: object) -> str:
    given = ", ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
    return plain(f"{tool}({given})")


def _next(*calls: str) -> str:
    return f"next: {'; '.join(calls)}"


def _tree(document: Json, asked: Arguments) -> Json:
    """The parameter that chooses the tree of an answer again; of a range it is not in the call."""
    rev = asked.get("rev", document["tree"]["rev"])
    return {"rev": rev} if "rev" in asked or rev != "HEAD" else {}


def _place(entry: Json) -> str:
    start, end = entry["start"], entry["end"]
    lines = f"{start}" if start == end else f"{start}-{end}"
    return f"{quoted(entry['path'])}:{lines}"


# ---------------------------------------------------------------- search


def _search(document: Json) -> Lines:
    for word in document["query"].get("respelt", ()):
        yield f"no file has '{folded(word['asked'])}'; searched for '{folded(word['taken'])}'"
    for result in document["results"]:
        symbol = result.get("symbol")
        name = f" {folded(result['kind'])} {folded(symbol)}" if symbol else ""
        unsure = " (uncertain)" if result.get("confidence") == "low" else ""
        yield f"{_place(result)}{name}{unsure}"
        yield from _code(result)


def _code(result: Json) -> Lines:
    """The lines of a result under the head of the definition that they lie in, and a blank one."""
    lines = result["text"].split("\n") if result.get("text") else []
    if not lines:
        return
    if result.get("context"):
        yield f"in {folded(result['context']['text'])[:_HEAD]}"
    first = int(result.get("text_start") or result["start"])
    yield from (plain(line.rstrip()) for line in lines)
    hidden = result["end"] - (first + len(lines) - 1)
    if hidden > 0:
        yield f"... {hidden} more lines"
    yield ""


def _after_search(document: Json, asked: Arguments) -> Lines:
    results, tree = document["results"], _tree(document, asked)
    if document.get("next"):
        # a token belongs to the whole question, filters and all
        yield _next(_call("search", **{**asked, "continue": document["next"]}))
    elif not results:
        words = document["query"]["text"].split()
        yield f"nothing found; {_next('other words', _call('exists', words=words, **tree))}"
    else:
        symbols = [result["symbol"] for result in results if result.get("symbol")]
        uses = [_references_of(symbols[0], tree)] if symbols else []
        yield _next(*uses, _call("outline", path=results[0]["path"], **tree))


def _references_of(name: str, tree: Json) -> str:
    return _call("symbol", name=name, find="references", **tree)


def _context(document: Json) -> Lines:
    for item in document["items"]:
        symbol = f" {folded(item['symbol'])}" if item["symbol"] else ""
        kind = folded(item["kind"])
        yield f"{_place(item)}{symbol} ({kind}: {folded(item['reason'])})"
        if item["form"] == "code":
            yield from _code(item)
        elif item["text"]:
            yield f"  {folded(item['text'])[:_HEAD]}"
    left_out = document["budget"]["left_out"]
    if left_out:
        yield f"... {left_out:,} more did not fit into {document['budget']['tokens']:,} tokens"
    if not document["items"]:
        yield "nothing found; next: other words"


# ---------------------------------------------------------------- names

# The parameters that restrict an answer to some files.
_FILES = frozenset({"paths", "tests"})


def _symbol(document: Json) -> Lines:
    if "references" in document:
        yield from _references(document)
        return
    for symbol in document["symbols"]:
        lines = {"path": symbol["path"], "start": symbol["line"], "end": symbol["end"]}
        yield f"{_place(lines)}: {folded(symbol['kind'])} {_head(symbol)}"


def _head(symbol: Json) -> str:
    """The signature, with the qualified name before it where it does not tell that."""
    signature, qualified = folded(symbol["signature"]), folded(symbol["qualified"])
    return signature if qualified in signature else f"{qualified}  {signature}".rstrip()


def _references(document: Json) -> Lines:
    for use in document["references"]:
        target = use["target"]
        meant = f" -> {quoted(target['path'])}:{target['line']}" if target else ""
        label = "" if target else f" ({folded(use['label'])})"
        place = f"{quoted(use['path'])}:{use['line']}"
        yield f"{place}: {folded(use['kind'])}{label}{meant}: {folded(use['text'])}"


def _after_symbol(document: Json, asked: Arguments) -> Lines:
    name, tree = asked["name"], _tree(document, asked)
    if document.get("symbols"):
        yield _next(_references_of(name, tree))
    elif not document.get("references"):
        found = "no uses found" if "references" in document else "not defined here"
        following = _call("search", query=name, **tree)
        if not _FILES.isdisjoint(asked):
            found += " in these files"
            others = {key: value for key, value in asked.items() if key not in _FILES}
            following = _call("symbol", **others)
        yield f"{found}; {_next(following)}"


def _outline(document: Json) -> Lines:
    for symbol in document["symbols"]:
        indent = "  " * symbol["depth"]
        yield f"{symbol['line']}-{symbol['end']} {indent}{folded(symbol['kind'])} {_head(symbol)}"
    if not document["symbols"]:
        yield "no definitions in this file"


# ---------------------------------------------------------------- changes


def _impact(document: Json) -> Lines:
    for file in document["dependents"]:
        label = f"{folded(file['resolution'])} {folded(file['label'])}"
        way = " > ".join(map(quoted, file["via"][1:]))
        test = " test" if file["test"] else ""
        yield f"{quoted(file['path'])}:{file['line']}: {folded(file['kind'])} {label}{test}: {way}"
    if not document["dependents"]:
        yield "nothing found that depends on this"
    if document["truncated"]:
        yield f"... and {document['truncated']:,} more dependents"
    if document["tests"]:
        yield f"tests to run: {' '.join(map(quoted, document['tests']))}"
    if document["unseen"]:
        first = document["unseen"][0]
        where = f"{quoted(first['path'])}:{first['line']}"
        count = len(document["unseen"]) + document.get("omitted", {}).get("unseen", 0)
        why = folded(first["reason"])
        yield f"{count:,} place{'s' * (count != 1)} may depend on anything, such as {where}: {why}"
    yield from _delta(document.get("delta") or {})


def _delta(delta: Json) -> Lines:
    for broken in delta.get("dangling", ()):
        place = f"{quoted(broken['path'])}:{broken['line']}"
        yield f"broken import {place}: {folded(broken['specifier'])}"
    for lost in delta.get("exports", ()):
        users = " ".join(f"{quoted(user['path'])}:{user['line']}" for user in lost["users"])
        name = f"{quoted(lost['path'])}: {folded(lost['symbol'])}"
        yield f"{folded(lost['change'])} {name}; used in: {users or 'no file'}"
    for files in delta.get("cycles", ()):
        yield f"new import cycle: {' > '.join(map(quoted, files))}"


def _similar(document: Json) -> Lines:
    for place in document.get("results", ()):
        yield _likeness(place)
    for copy in document.get("copies", ()):
        yield f"{_place(copy['new'])} exists already: {_likeness(copy['existing'])}"
    if not (document.get("results") or document.get("copies")):
        yield "nothing like it found"


def _likeness(place: Json) -> str:
    symbol = f" {folded(place['symbol'])}" if place["symbol"] else ""
    return f"{_place(place)}{symbol} ({place['score']:.2f})"


# ---------------------------------------------------------------- words and rules


def _exists(document: Json) -> Lines:
    for word in document["words"]:
        where = "nowhere"
        if word["exists"]:
            line = f":{word['line']}" if word["line"] else ""
            where = f"{quoted(word['path'])}{line}" if word["path"] else "yes"
        yield f"{folded(word['word'])}: {where}"
    for reason, count in document["unseen"].items():
        yield f"not looked at: {count:,} file{'s' * (count != 1)} ({folded(reason)})"


def _conventions(document: Json) -> Lines:
    if document["owners"]:
        yield f"owners: {' '.join(map(folded, document['owners']))}"
    for file in document["files"]:
        holds = f" for {quoted(file['scope'])}" if file["scope"] else ""
        yield f"{quoted(file['path'])} ({folded(file['kind'])}{holds})"
        for line in (file["text"] or "").splitlines():
            yield f"  {plain(line)}"
        if file["cut"]:
            yield "  ... read the file for the rest"
    if not document["files"]:
        yield "no rules found"


def _unknown(document: Json) -> Lines:
    yield json.dumps(document, ensure_ascii=False)


_FORMS: dict[str, Callable[[Json], Iterable[str]]] = {
    "search": _search,
    "context": _context,
    "symbol": _symbol,
    "outline": _outline,
    "impact": _impact,
    "similar": _similar,
    "exists": _exists,
    "conventions": _conventions,
}

_NEXT: dict[str, Callable[[Json, Arguments], Iterable[str]]] = {
    "search": _after_search,
    "symbol": _after_symbol,
}
