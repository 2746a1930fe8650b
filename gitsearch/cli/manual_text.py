"""What the manual says beyond the options: blocks of text that it sets as roff or Markdown.

In texts, `backquotes` mark what is typed or printed literally.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Terms:
    """A list of terms, each with its explanation."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines shown as they are."""

    text: str


Block = Text | Terms | Code

DESCRIPTION: tuple[Block, ...] = (
    Text(
        "Finds code by meaning, by words and by the names of definitions, in the working tree or "
        "in any revision, and prints it ranked. All words before `--` are the query; quotes are "
        "not needed. After `--` come git pathspecs, magic included. Options may stand anywhere "
        "before `--`, and long ones may be shortened as long as they stay unique; `-n` and `-r` "
        "are accepted: lines are always numbered, and folders always searched to the bottom. Of a "
        "long query the first 256 different words count, and a warning says how many are left out."
    ),
    Text(
        "A name is found whether it is written in snake_case or camelCase, and by some of its "
        "words in any order. A query word that no file of the tree has is replaced by a word that "
        "differs by one letter (missing, added, wrong or swapped with the next), or by its "
        "British or American spelling. A line on standard error says so."
    ),
    Text(
        "With `-F`, `-E` or `-P`, or for a query that has quotes itself "
        "(`git search '\"try again\"'`), the answer is all lines that `git grep` finds: "
        "definitions first, then uses in code, in tests and in prose. Only `-k` or "
        "`search.maxCount` limits their number. Off a terminal they are printed as `git grep -n` "
        "prints them; `--sort path` also gives them its order. Several `-e`, or several lines of "
        "one query, are alternatives; a match lies within a line. `-c` counts lines. Files that "
        "the index skips are searched, too, and so are files that a sparse checkout leaves out, "
        "with their staged contents. For `-v` and `-L` all files are read. An escape that `-E` "
        "takes for a letter, such as `\\d`, is a warning."
    ),
    Text(
        "A query with metavariables, such as `throw new $ERROR($$$)`, is a pattern of code. "
        "`$NAME` stands for one node of the syntax tree, `$$$NAME` or `$$$` for any number. All "
        "matches are shown. The pattern is an expression, a statement, a definition, a member of "
        "a class or a type, whatever it can be; with a semicolon behind it a call is a statement. "
        "A pattern of a class or a function also matches definitions with modifiers, annotations, "
        "base classes, type parameters, `throws` or a result type that it lacks; of those that it "
        "has, all must be as they are in it. So `class $C { $$$ }` finds "
        "`public class A extends B { ... }`, and `public class $C { $$$ }` finds no "
        "`public final class`."
    ),
    Text(
        "The index is the folder `.git/search`; all worktrees share it. A search always answers "
        "for the present state of a named tree plus the edited files, never for an older state. "
        "Where an update of the index would take longer than about two seconds, as the first time "
        "in a large clone, the answer comes from the files that are most likely to matter and "
        "says how many they are. Another process then updates the index; under CI only if "
        "`search.refresh` is set. Only `ci`, which is for the GitHub Action, sends or fetches "
        "anything over the network."
    ),
    Text(
        "With `--changed` each result has a line that was added or edited, with `--removed` one "
        "that was taken away; `--removed` searches the old tree. Lines are those of `git diff`: a "
        "moved line counts, a renamed file is followed. Without a value, `--changed` compares "
        "HEAD with edited and staged files (`--cached`: with staged ones; `--untracked`: "
        "untracked files are new), and with `--at` it compares that revision with its first "
        "parent. `--changed=<rev>` compares with that revision instead, and `--removed=HEAD` "
        "finds what edits took away. `<A>..<B>` searches B; `<A>...<B>` compares B with the merge "
        "base. An end that is left out is HEAD. A word of the query that is a range of revisions "
        "is taken for the value: `git search --changed main... authentication`."
    ),
    Text(
        "`--removed` without a value asks where code went: it searches what edits, or any commit "
        "that HEAD (or `--at`) reaches, took away. The answer is that of `history --removed`: "
        "commits with the code, the last commit that had it (`last`; `path`, `start` and `end` "
        "are lines of it), and the file to which it moved, that defines its names now, or that "
        "has other lines in its place (`replaced_by`). Pathspecs, `-t`, `--content` and `--tests` "
        "are about the file that had it. Of each commit one part is shown, the one that matches "
        "most. All uncommitted changes count as one commit, without `commit`; `--removed=HEAD` "
        "searches all of them."
    ),
    Text(
        "With `--in` many repositories are searched as one: those in and below a folder (except "
        "hidden folders, links, and clones inside of clones), below each folder that a pattern "
        "matches, and those of a list, `@<name>`: the values of `search.repos.<name>`, or the "
        "lines of a file. Each has its own index and settings. Frequencies of words are those of "
        "all repositories together, so that scores can be compared; the order of the arguments "
        "changes nothing. A repository is named by the shortest end of its path that is unique. "
        "`--at` and pathspecs apply to each, from its top. What is no repository, is broken, or "
        "lacks the revision is counted and named, and the rest answers. With "
        "`--recurse-submodules` submodules are searched too, at the commits that git's index, or "
        "the tree of `--at`, names. With a range (`--changed=A..B`) they are not: its ends are "
        "commits of the superproject."
    ),
    Text(
        'A query whose first word is a verb is given with `-e`: `git search -e "status of the '
        'build"`.'
    ),
)

OUTPUT: tuple[Block, ...] = (
    Text(
        "On a terminal, results stand under the path of their file, in order of rank: lines and "
        "symbol, then the numbered code with the query's words highlighted. After a line's number "
        "`:` marks the result itself, `-` lines around it, and `=` the definition that encloses "
        "it. git's pager and colours are used."
    ),
    Text("Otherwise each result is one line, unless lines of code were asked for:"),
    Code("path:start-end: signature"),
    Text("With `--in` or `--recurse-submodules` the name of the repository is before the path:"),
    Code("repository:path:start-end: signature"),
    Text(
        "In text, paths of results are relative to the current folder, as those of git grep "
        "are: `../tests/test_a.py`. With `--full-name` a search prints them from the top; JSON, "
        "Markdown and pictures always have them so, and so have answers about several "
        "repositories, `sql`, and the commands that run tests. `:/src/a.py`, given to a verb, "
        "is `src/a.py` at the top, as in a pathspec of git."
    ),
    Text(
        "Control characters are escaped (`\\x1b`, `\\u202e`). Paths are quoted as git quotes them "
        "with `core.quotePath=false`; in answers of exact text (`-F`, `-E`, `-P`) as `git "
        "grep` does, by the value of `core.quotePath`. With `-z` a NUL stands after each path, "
        "and paths are printed as they are (on a terminal they stay quoted)."
    ),
)

JSON: tuple[Block, ...] = (
    Text("`--json` prints one document; `--jsonl` only its results, each on a line."),
    Code(
        """\
{"schema": 1,
 "query": {"text": "...", "mode": "hybrid"},
 "tree": {"rev": "HEAD", "commit": "<id>", "tree": "<id>", "dirty": 2},
 "coverage": {"tracked": 5690, "searchable": 5512,
              "skipped": {"binary": 120, "generated": 41, "too-large": 3,
                          "unreadable": 0, "absent": 14},
              "pending": 0},
 "complete": true,
 "results": [{"rank": 1, "path": "src/a.py", "start": 10, "end": 42,
              "blob": "<id>", "language": "python", "kind": "function",
              "symbol": "A.run", "score": 0.93,
              "legs": {"lexical": 1, "dense": 3, "symbol": null},
              "confidence": "high", "text": "..."}],
 "next": null, "actions": [{"argv": ["refs", "A.run"], "reason": "who uses A.run"}],
 "warnings": []}"""
    ),
    Text(
        "`tracked` is `searchable` plus the sum of `skipped` plus `pending`. `skipped` always has "
        "the five reasons above, and others where there are such files; exact text is searched in "
        "generated and large files, too. `legs` are the rankings that are combined: each has the "
        "rank of the result, or null if it does not rank it. In exact text and patterns of code "
        "none of the three does, and exact text has its rank as `literal`. Paths are relative to "
        "the top of the repository, lines count from 1. `confidence` says how likely the file of "
        "a result is right: when it was measured, .66 to .87 of `high` ones were, .25 to .38 of "
        "`medium`, .02 to .18 of `low`. Where nothing seems to answer a question all are `low`, "
        "and a warning says so. `next` is the token with which `--continue` gives the next page "
        "of the same answer. `actions` are what may be asked next: the words after `git search`, "
        "and why; `def`, `refs` and `exists` have them, too. These fields exist only where they "
        "apply:"
    ),
    Terms(
        (
            (
                "`path_b64`",
                "the bytes, in base64, of a path that is no UTF-8; `path` is lossy then",
            ),
            ("`text_start`", "the line at which `text` begins, where that is not `start`"),
            ("`context`", "`line` and `text` of the definition that encloses the result"),
            ("`explain`", "the factors of the score, with `--explain`"),
            (
                "`copies`",
                "with `--in`: `repository` and `path` of the other files with the same content; "
                "their lines are no results of their own",
            ),
            ("`reason`", "in `query`: why the form of the query led to its mode"),
            (
                "`budget`",
                "with `--budget`: the number of `tokens`, and how many results did not fit "
                "(`left_out`)",
            ),
            (
                "`reader`",
                "in `query`: true if a sentence encoder ordered the first results (`--reader`)",
            ),
            (
                "`respelt`",
                "in `query`: the words that no file has (`asked`), and what was searched for in "
                "their place (`taken`)",
            ),
            (
                "`changed`",
                "with `--changed` or `--removed`: the ids of both sides of the change (`from`; "
                "`to`, or `index`, or `working tree`), `removed`, and how many `files` and "
                "`lines` changed on the side that is searched",
            ),
            (
                "`repositories`",
                "with `--in` or `--recurse-submodules`: of each that was searched its name "
                "(`repository`, which results have too), `folder`, `tree` and `coverage`; "
                "`unsearched` has `folder` and `reason` of each that was not. `tree` has no ids "
                "if there are several repositories, and `coverage` is the sum",
            ),
            (
                "`files`",
                "in place of results with `-l` and `-c`: `path` and, with `-c`, `count` of each",
            ),
        )
    ),
    Text(
        "Other verbs print their own fields. Those that look at the code of one tree (`index`, "
        "`status`, `def`, `refs`, `outline`, `impact`, `related`, `dup`, `context`, `map`, "
        "`architecture`, `exists`) have `tree`, `coverage` and `warnings`, too; `related "
        "--by=change`, `why`, `experts` and `conventions` have `tree` and `warnings`; `history`, "
        "`--removed` without a range, `index --history`, `index --in`, `sql`, `share` and "
        "`export` have `warnings`; `report` has `coverage`, and `base` and `head` in place of a "
        "tree; `verify`, `gc` and `hooks` have none of the three. In `history`, `experts` and "
        "`--removed` without a range `query` is a text, and no object. A place is always an "
        "object with `path`. `report --json` has schema 3: before 3, dependents had no "
        "likelihood; before 2, users of a definition were pairs, and a similar place was nested "
        "in `place`."
    ),
    Text("An error is a document too, with the same exit code as without `--json`:"),
    Code('{"schema": 1, "error": {"code": "bad-revision", "message": "...", "hint": "..."}}'),
)

EXIT_STATUS: tuple[Block, ...] = (
    Terms(
        (
            ("0", "something was found, or the verb did its work"),
            (
                "1",
                "nothing was found; a word does not exist (`exists`); the index is behind "
                "(`status --check`) or damaged (`verify`); new code is a copy (`dup --strict`)",
            ),
            ("128", "refused or failed; one line says what, which, and what to do next"),
            ("129", "wrong usage"),
            ("130", "interrupted"),
        )
    ),
    Text("A pipe that is closed early, as `head` does, is no error."),
)

CONFIGURATION: tuple[Block, ...] = (
    Terms(
        (
            ("`search.maxCount`", "how many results are shown without `-k` (10), at most 1000000"),
            ("`search.mode`", "the mode without `--mode` (auto)"),
            (
                "`search.model`",
                "a local folder with a Model2Vec model, in place of the packaged one; "
                "a relative path begins at the top of the working tree",
            ),
            (
                "`search.maxFileSize`",
                "larger files are skipped, and counted; `k`, `m` and `g` as in git, below 2g (1m)",
            ),
            (
                "`search.repos.<name>`",
                "a folder with repositories, or a pattern, of the list `--in @<name>`; may be "
                "given several times. It is relative to the top of the working tree (of a bare "
                "repository, to its folder)",
            ),
            (
                "`search.historyDepth`",
                "how many commits `history` looks at, the newest ones (50000)",
            ),
            (
                "`search.describeCommand`",
                "a command that gets a chunk of code on its standard input and prints in one line "
                "what the code does; a search then finds the words of this line, too. It runs in "
                "the background, once for each text, and is read only from the configuration "
                "of the user, the system, or `.git` (none)",
            ),
            (
                "`search.reader`",
                "on, off or auto, without `--reader` (auto). In auto a sentence encoder reorders "
                "the first results of a question to one repository if onnxruntime is installed "
                "(`pip install 'git-semantic-search[reader]'`) and an answer takes about half a "
                "second: with up to 131072 chunks of code, and two processors. `mcp` and `batch` "
                "use it whatever the size, `serve` never",
            ),
            ("`search.refresh`", "soon, wait, background or off, without `--refresh` (soon)"),
            ("`search.hooks`", "false: installed hooks start nothing (true)"),
            ("`color.search`", "auto, always or never; without it `color.ui` decides"),
            (
                "`color.search.link`",
                "true: where there are colours, paths that a search prints are hyperlinks (OSC "
                "8); an address with `{path}`, `{line}` or `{host}`, such as "
                "`vscode://file{path}:{line}`, for other links (false)",
            ),
            ("`pager.search`", "false for no pager, or the pager to use"),
        )
    ),
)

ATTRIBUTES: tuple[Block, ...] = (
    Text("Read from the tree that is searched, not from the working tree:"),
    Terms(
        (
            ("`search`", "`-search` leaves a file out; `search` takes it in all the same"),
            ("`linguist-generated`, `linguist-vendored`", "files that are left out"),
            ("`linguist-documentation`", "a file that counts as documentation"),
            ("`binary`", "a file that is left out"),
        )
    ),
)

ENVIRONMENT: tuple[Block, ...] = (
    Terms(
        (
            ("`NO_COLOR`", "not empty: no colours, unless `--color` asks for them"),
            ("`GIT_PAGER`, `PAGER`", "the pager, by git's rules"),
            ("`GIT_EDITOR`, `VISUAL`, `EDITOR`", "the editor of `-I`, by git's rules"),
            (
                "`CI`",
                "not empty: no process updates the index in the background, unless "
                "`search.refresh` is set or `--refresh=background` is given; hooks start nothing",
            ),
            ("`GITSEARCH_DEBUG`, `GIT_TRACE2`", "set: an internal error comes with a traceback"),
        )
    ),
)

FILES: tuple[Block, ...] = (
    Terms(
        (
            (
                "`.git/search/`",
                "the index (in a bare repository `search/`); it may be deleted at any time, and "
                "the next search makes it again",
            ),
        )
    ),
)

VERB_NOTES: dict[str, str] = {
    "index": "`--dry-run` only counts what there is to do. With `--in` many repositories are "
    "indexed, one after the other; what clones, forks and copies have in common is parsed once "
    "(`files_known` in the JSON).",
    "status": "What the index lacks is pending. So is a small change, such as an ordinary "
    "commit, that searches read themselves instead of indexing it. `--check` is for scripts: no "
    "output, exit 1 if the index is behind the tree. An update that is at work then, or that a "
    "hook has asked for, is waited for, up to a minute.",
    "verify": "Exit 1 if a file is damaged. The next search repairs the index. Temporary files "
    "of a writer that was killed (`leftovers` in the JSON) are no damage: the next writer "
    "removes them.",
    "gc": "No answer changes. Blobs that only past commits have are kept while they are few; "
    "what is needed again later is computed again. Updates that hooks start do this by "
    "themselves.",
    "share": "The file holds what a parser found in the blobs of the trees. It serves any model "
    "and any revision that has some of the blobs. `export` first indexes what is not indexed "
    "yet, and overwrites an existing file. `import` treats the file as data from anybody: it "
    "checks it, indexes HEAD and records the rest, and drops blobs that are not in this clone. "
    "`-` is standard output, or input. `import` also takes a folder that `export --parquet` "
    "wrote: the tables of the repository with the name of this one's folder, or the only ones.",
    "export": "Writes files, chunks, terms, vectors, definitions, commits, uses of names and "
    "edges of the dependency graph of a tree (HEAD without edited files, or `--at`), for DuckDB, "
    "Polars, pandas or Spark. Each table is a folder, with a partition for each repository. "
    "docs/format.md describes the tables and their version. What is not indexed yet is indexed "
    "first; existing tables of a repository are replaced.",
    "sql": "The record, the database of the index, is a DuckDB file: `.git/search/index.duckdb`. "
    "Off a terminal, columns are separated by tabs. With `--in` the tables hold the rows of all "
    "records, and begin with a column `repository`.",
    "def": "The name may be qualified: `Repo.run`. Prints `path:line: kind name  signature`. "
    "What follows `--` are pathspecs; "
    "with `-k` the answer ends with the number of others, `truncated` in JSON. "
    "With `--removed`: the commits that removed a line which defines the last part of the name, "
    "the newest first, each with the code and the file that defines it now, if the commit moved "
    "it.",
    "refs": "The name may be qualified: `Repo.run`, `module.function`. Words in comments and "
    "strings are no uses. A use is resolved where imports lead to one definition of the name, "
    "ambiguous where they lead to several, and else known by name only. For a qualified name, "
    "uses that can only mean other definitions of its last part are left out; `package.function` "
    "also means a function at the top of a module in the folder of the package. With `--in` "
    "imports lead into other repositories, too, by the name of the package that these publish "
    "(`package` in the JSON): a name in package.json, pyproject.toml, setup.cfg, setup.py or "
    "Cargo.toml, the module of go.mod, a Java package. What follows `--` are pathspecs of the "
    "files with the uses: `git search refs run --tests exclude -k 20 -- src`. With `-k` the "
    "answer ends with the number of others, `truncated` in JSON.",
    "outline": "Prints the lines, the kind, the name and the signature of each definition.",
    "impact": "A target is a file, a folder, `PATH:SYMBOL` or `PATH:LINES`: `10`, `10-20`, "
    "`10,20`, or a line and a column, `10:5`. Each dependent comes "
    "with the likelihood that it runs the target, the label that follows from it, and the "
    "import, or the use of a name, that leads to the next file on the way to the target; a use "
    "that may mean something else is `ambiguous`. In Python, TypeScript, JavaScript, Go, Java, "
    "Rust, C, C++, C#, Kotlin, Ruby and PHP uses of definitions are followed, in other languages "
    "imports of files (`granularity` in the JSON). Then come the tests among the dependents, a "
    "command that runs those that are certain or likely, and what could not be resolved: "
    "computed imports, languages whose imports are not read, and files that are not read, such "
    "as generated ones. With `--diff`, or `--cached` and no path, the targets are the files that "
    "changed. With `--coverage` tests that ran the target are certain. The file is the data file "
    "or JSON report of coverage.py with contexts, lcov with names of tests, XML of JaCoCo, or a "
    "profile of go that is named after its test. Data about another content of a file is "
    "ignored, and a message says so. With `--in` the path is that of a file in one of the "
    "repositories. Files of the others that import its package, directly or not, are dependents, "
    "too, by imports of files and names in them; tests to run and what could not be resolved are "
    "those of the first repository. Exit 1 if nothing depends on the target.",
    "related": "Of a file: the files most like it, by the vectors and the rarest words of their "
    "chunks, each with its best chunk, and those that changed together with it in the newest "
    "2000 landings (`changes`, a fifth of the score). A landing is a commit among the first "
    "parents; a merge is one. With `PATH:LINES`: the chunks that are most like the function "
    "around them, or else the chunk at the line, or the lines. With `--by=change`: the files "
    "that changed most often together with a file or folder, and seldom without, among the newest "
    "2000 landings "
    "(`window`). Landings of more than 30 files do not count; renames without edits are "
    "followed. The score is `together`, divided by the root of the product of both numbers of "
    "changes.",
    "dup": "Compares new functions, and other new lines, with all code of the tree. New is what "
    "was added in edited files (without options), in the index of git (`--cached`), in a range "
    "(`--changed=A..B`) or since a revision (`--changed=A`). `shape`: what both have in the same "
    "order, whatever their names; `names`: the share of equal names, by their rarity; `renamed`: "
    "whether the others were renamed one for one; `size`: how much the shape says alone. What "
    "the change takes away elsewhere is moved, not copied. Left out are imports, comments, "
    "tables, short bodies, generated and vendored files. Exit 1 if nothing is found, except as a "
    "check.",
    "report": "The most severe first: broken imports and uses of removed definitions, changed "
    "definitions and their users, what depends on the change, the tests among that, new import "
    "cycles, code that exists already, and files that usually change together with these. Then "
    "come people who know the code, if CODEOWNERS does not name an owner of each file "
    "(`reviewers`), and what could not be resolved or searched. The change is that of a pull "
    "request: from the commit where `--head` parted from `--base`. Without `--base` that is the "
    "default branch of the remote, else a local `main`, `master`, `trunk` or `develop`. Exit 1, "
    "and no output, if there is nothing to report; with `--check`, exit 1 if the change breaks "
    "something.",
    "map": "Files are ranked by PageRank over resolved imports and uses of names. Each file has "
    "a minimum of rank; the first files that have half of the rank beyond it are the `core`, and "
    "with the `significant` ones they have nine tenths. Tests, examples, documentation and "
    "vendored code are `peripheral` and come last. A file that does not fit into the budget is "
    "left out whole. With paths or a query, ranks are those of random walks that start there: "
    "they show what this code depends on.",
    "context": "A task is words, as in an issue or the subject of a commit. One word that is a "
    "file of the tree, `PATH:SYMBOL` or `PATH:LINES` is a place. Each item comes with the reason "
    "why it is given: `place` (whole definitions, with the signature of what encloses them; by "
    "signature alone if the budget has no room), `used` (what they use), `user` (lines that use "
    "them), `test`, `changed-together` (files that history connects with them or with the task) "
    "and `rule` (instructions for agents, how to contribute, settings of linters). Files are "
    "given in the order of how likely the task is to touch them; unlikely ones are left out even "
    "if there is room. The budget holds for all that is printed, with warnings and without "
    "colours: an item that does not fit is left out whole, and counted. With `--json`, `form` "
    "says what the `text` of an item is: `code` (all lines from `start` to `end`), `signature`, "
    "`line` (the one that uses something) or nothing; `context` is the definition around the "
    "lines. Before there is an index, the answer comes from some files, without users of the "
    "places. Exit 1 if nothing is found, 128 if the budget is too small for any item.",
    "architecture": "Components are groups of files with more imports among them than to others "
    "(Leiden clustering), named after the folder that holds most of them. Each is a layer above "
    "those it needs; components that need each other share a layer. An `entry` point imports "
    "others and is not imported, a `leaf` is imported and imports none, a `hub` is among the "
    "tenth of files with the most of both, all others are `peripheral`. Tests, examples, "
    "documentation and vendored code belong to no component.",
    "exists": "Exit 0 if every word exists, 1 if one does not. A word is what `git grep -F -w` "
    "takes for one: spelt as given, between characters that are no ASCII letter, digit or "
    "underscore. It may hold punctuation and blanks. All files of the tree count, also those "
    "that a search skips, and binary ones. Prints `word: path:line` or `word: no`. A bloom "
    "filter over all text files is made when it is first needed. If it lacks a word, only binary "
    "and very large files are searched for the word; if it has it, all files are. With `--quick` "
    "nothing is searched, what was not looked at is counted, and `likely` is wrong for one in "
    "fifty words that are not there.",
    "conventions": "Instructions for agents (`CLAUDE.md`, `AGENTS.md`, `.cursor/rules` and their "
    "like), `CONTRIBUTING`, style guides, `CODEOWNERS`, templates, settings of linters and "
    "formatters, hooks, `.editorconfig`, `.gitattributes`: each file with its kind, the folder "
    "it is for and its size, and of prose the first headings or lines. With a path, those that "
    "apply to it, the nearest first, and its owners by GitHub's rules. No index is needed. Exit "
    "1 if there is none. With `--json`, `text` is the text, and `cut` marks what `--max-bytes` "
    "leaves out.",
    "history": "A commit is found by the words of its message and of the lines that it changes, "
    "by their meaning, and by the paths and definitions that it touches. Each is shown with the "
    "hunk that has the rarest words of the query. `start` and `end` are lines of the new side; "
    "of a hunk that only removes lines, they are the line before it. A merge counts with its "
    "change against the first parent. The newest commits that `--at` reaches are searched, at "
    "most `search.historyDepth` (`window`). Those that are not indexed yet are counted "
    "(`commits_behind`, and `complete` is false) and indexed meanwhile. Of a commit whose files a "
    "partial clone lacks only the message is searched; a message says so, and `complete` is "
    "false. `--since`, `--until`, `--author` and pathspecs are those of git-log(1). With "
    "`--removed` come the commits that took away what the query means: where it stood, the last "
    "commit that had it, the file to which it went, and its lines.",
    "why": "`PATH:SYMBOL`, or `PATH:LINES` as in `impact`, mean lines. Each commit comes with "
    "its share of the lines and the issues and pull requests that its message names. Blame "
    "follows moved and copied lines into other files, ignores changes of white space, and "
    "honours `blame.ignoreRevsFile`. Then come commits with similar messages, which may have "
    "something to do with the lines (`label` `inferred`; that of blame is `exact`). A message "
    "says where blame ends in a shallow clone, and how many lines an ignored commit was the last "
    "to change (`ignored`). `uncommitted` counts lines that no commit has.",
    "experts": "One word that is a file or folder of the tree is a path, all else is a query. An "
    "author's score is the mean of two shares: of the present lines of these files, or of what "
    "the query finds, and of the commits that changed the files, among the newest 2000 without "
    "merges (`window`). Of a folder only the 40 files that changed last are counted for lines, "
    "and a message says of how many. Names are those of `.mailmap`.",
    "hooks": "The action is `install`, `uninstall`, `status` (exit 1 if a hook is not installed) "
    "or `run`, which the hooks start: it updates the index for HEAD of every worktree, in the "
    "background. No answer depends on hooks. `git config search.hooks false` turns them off.",
    "batch": 'A question is a line such as `{"argv": ["def", "Repo.run"]}`: the words after `git '
    "search`, for a search or any verb that only asks. Its answer is one line, what the command "
    'prints with `--json`. An `"id"` of the question, a string or a whole number, is repeated '
    "before the other fields. A line that is refused is answered with the error and its number "
    'as `"line"`; the exit code stays 0. docs/agents.md has more.',
    "mcp": "The server is for the repository in which it was started. It answers about HEAD and "
    "edited files as they are at the time of a call, and changes nothing but the index. "
    "docs/agents.md describes the tools, and where agents are configured.",
    "serve": "Serves the repositories that `--in` names (default: that of the current folder) "
    "until Ctrl-C, at the address that it prints: a page to search in, with code, history and "
    "impact, and the same as JSON below /api/. It searches HEAD of each, and edited files if the "
    "question asks for them. Only this machine is answered, and only the page of the server "
    "itself. Another address needs a token, which is part of the address that is printed. "
    "Nothing can be changed. It needs `pip install 'git-semantic-search[serve]'`; docs/serve.md "
    "has more.",
    "ci": "The action is `plan` (which steps are for this event, and the key of the cache), "
    "`run` (updates the index, compares the pull request with its base, writes the report, the "
    "summary and the outputs) or `comment` (posts a report, or edits the comment that is there). "
    "Facts about the run are read from the environment that GitHub sets; by hand, outputs and "
    "the summary are printed. This is the only verb that uses a network: `run` fetches the base "
    "into a shallow clone, `comment` calls GitHub's API. What goes wrong is a warning and exit 0.",
    "help": "Without a verb, the help of a search.",
}
