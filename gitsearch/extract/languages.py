"""The table of languages, and detection of the language of a file.

To support a language, add a row; to extract its symbols and imports too, add a folder of queries
of the same name. A language is named like its grammar in the language pack where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gitsearch.extract.ambiguous_extensions import AMBIGUOUS, by_first_bytes, by_head, interpreter
from gitsearch.records import LexicalSyntax

TEXT = "text"

# First bytes that decide the language of an ambiguous extension: shebang, licence, some includes.
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table of languages.

    Extensions are written without the dot. All names are in lower case; a file name in capitals
    matches in capitals only. `content` is code (what a program is made of: style sheets, schemas
    and queries too), docs (prose for people), config (settings of tools and builds) or data (all
    the rest). `aliases` are other names of the language that users may type.
    """

    name: str
    grammar: str | None
    content: str
    syntax: LexicalSyntax
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


# Block comments that the column "comments" names by how they begin: the regular expression of the
# start, and the end.
_BLOCK_COMMENTS = {
    "/*": (r"/\*", "*/"),
    "{-": (r"\{-", "-}"),
    "(*": (r"\(\*", "*)"),
    "/-": (r"/-", "-/"),
    "{": (r"\{", "}"),
    "{#": (r"\{#", "#}"),
    "<#": (r"<#", "#>"),
    "<!--": (r"<!--", "-->"),
    "--[[": (r"--\[\[", "]]"),
    "--[=[": (r"--\[=\[", "]=]"),
    "--[==[": (r"--\[==\[", "]==]"),
    "=begin": (r"^=begin\b", "\n=end"),
}
_TRIPLE_QUOTES = {'triple"': '"""', "triple'": "'''"}
_NOT_LINE_COMMENTS = {*_BLOCK_COMMENTS, *_TRIPLE_QUOTES, "nested", "character"}

# Columns: name | comments | extensions | file names | interpreters | aliases. `name=grammar` where
# the two differ, `name=-` for a language without a grammar (chunks of lines). A row whose first
# column is empty continues the row above. The first language to claim an extension or file name
# has it; extensions that several languages share are decided in `ambiguous_extensions`.
#
# The column "comments" is given for code only. A key of _BLOCK_COMMENTS is a block comment, and
# `nested` says that block comments nest. `triple"` and `triple'` are strings in triple quotes that
# may span lines. `character` says that a single quote encloses one character, since it also begins
# a lifetime or a type variable, or is part of a name. Anything else is a regular expression of the
# start of a comment that ends with its line. It excludes what is no comment: in PHP `#[` begins an
# attribute, in Ruby `#{` an interpolation, `$#` is a variable of the shell, and in Haskell dashes
# may be part of an operator.
_TABLE = {
    "code": r"""
        python     | # triple" triple' | py pyi pyw pyt smk
                   | | | sconstruct sconscript snakefile wscript
                   | | | | python pypy | py
        javascript | // /* | js mjs cjs jsx es6 jsm | jakefile | node nodejs bun | js jsx
        typescript | // /* | ts mts cts | | ts-node deno | ts
        tsx        | // /* | tsx
        go         | // /* | go | | | golang
        rust       | // /* nested character | rs | | | rs
        java       | // /* triple" | java
        c          | // /* | c h
        cpp        | // /* | cpp cc cxx c++ hpp hh hxx h++ inl ipp ixx cppm tpp
                   | | txx tcc metal | | | c++
        csharp     | // /* triple" | cs csx cake | | | c# cs
        ruby       | #(?!\{) =begin | rb rake gemspec ru podspec jbuilder rabl thor rbi rbw
                   | | | gemfile rakefile guardfile vagrantfile podfile brewfile fastfile capfile
                   | | | dangerfile berksfile thorfile appraisals appfile matchfile .irbrc .pryrc
                   | | | .simplecov | ruby jruby rake macruby | rb
        php        | // /* #(?!\[) | php php3 php4 php5 php7 php8 phps phtml ctp | .php_cs | php
        kotlin     | // /* nested triple" | kt kts ktm | | | kt
        swift      | // /* nested triple" | swift | | swift
        scala      | // /* nested character triple" | scala sc sbt | | scala scala-cli amm
        elixir     | # triple" triple' | ex exs | | elixir iex | ex
        lua        | -- --[[ --[=[ --[==[ | lua nse rockspec wlua | .luacheckrc | lua luajit texlua
        haskell    | (?<!-)--++(?![!#-&*+./:<-@\\^~]) {- nested character
                   | | hs hs-boot hsc hsig | | runghc runhaskell stack cabal | hs
        zig        | // | zig zon
        bash       | (?<!\S)# | sh bash zsh ksh dash bats command ebuild eclass
                   | | | .bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv
                   | | | .zprofile .zlogin .zlogout .kshrc .envrc .xinitrc .xprofile bashrc zshrc
                   | | | pkgbuild apkbuild gradlew mvnw | sh bash zsh ksh dash ash mksh bats
                   | | | | | sh shell zsh
        actionscript | // /* | as
        ada        | -- character | ada adb ads
        agda       | -- {- nested | agda
        apex       | // /* | cls trigger
        arduino    | // /* | ino pde
        asm        | ; | s asm nasm a51 | | | assembly
        astro      | // /* <!-- | astro
        bicep      | // /* | bicep bicepparam
        bitbake    | (?<!\S)# | bb bbappend bbclass
        bsl        | // | bsl os
        cairo      | // | cairo
        capnp      | (?<!\S)# | capnp
        clarity    | ; | clar
        clojure    | ; | clj cljs cljc cljx edn boot | | bb clojure clj lein | clj
        cobol=-    | \*> | cob cbl cpy cobol
        commonlisp | ; | lisp lsp cl asd | | sbcl clisp ccl ecl | lisp
        css        | /* | css pcss postcss
        cuda       | // /* | cu cuh
        d          | // /* | d di | | rdmd dub
        dart       | // /* | dart | | dart
        elisp      | ; | el | .emacs .gnus cask | emacs | emacs-lisp
        elm        | -- {- nested | elm
        embeddedtemplate | <!-- | erb rhtml ejs eex | | | erb ejs
        erlang     | % | erl hrl escript xrl yrl | rebar.config rebar.config.script | escript | erl
        fennel     | ; | fnl | | fennel
        firrtl     | ; | fir
        fish       | (?<!\S)# | fish | | fish
        fortran    | ! | f90 f95 f03 f08 f18 f f77 for ftn fpp
        fsharp     | // (* character | fs fsx | | fsharpi | f#
        fsharp_signature | // (* character | fsi
        func       | ; | fc func
        gdscript   | (?<!\S)# | gd
        gleam      | // | gleam
        glsl       | // /* | glsl vert frag geom comp tesc tese vsh fsh rgen rchit rmiss vs
        graphql    | (?<!\S)# | graphql gql graphqls | | | gql
        groovy     | // /* | groovy gvy gsh gradle nf | jenkinsfile | groovy nextflow
        hack       | // /* | hack hhi | | hhvm
        hare       | // | ha
        haxe       | // /* | hx
        hcl        | // /* (?<!\S)# | hcl nomad | .terraform.lock.hcl
        heex       | <!-- | heex leex
        hlsl       | // /* | hlsl hlsli fx fxh cginc
        html       | // /* <!-- | html htm xht xhtml shtml
        ispc       | // /* | ispc isph
        janet      | ; | janet | | janet
        jsonnet    | // /* (?<!\S)# | jsonnet libsonnet
        julia      | (?<!\S)# | jl | | julia | jl
        llvm       | ; | ll
        luau       | -- --[[ --[=[ --[==[ | luau | | luau lune
        magik      | (?<!\S)# | magik
        matlab     | % | m | | octave
        netlinx    | // /* | axs axi
        nim        | (?<!\S)# | nim nims nimble | | nim
        nix        | // /* (?<!\S)# | nix | | nix-shell
        nqc        | // /* | nqc
        objc       | // /* | mm | | | objective-c
        ocaml      | (* nested character | ml | .ocamlinit | ocaml ocamlrun | ml
        ocaml_interface | (* nested character | mli
        odin       | // /* | odin
        pascal     | // (* { | pas dpr lpr dpk
        perl       | (?<!\S)# | pl pm psgi plx perl | cpanfile | perl
        pony       | // /* | pony
        powershell | (?<!\S)# <# | ps1 psm1 psd1 | | pwsh powershell | pwsh
        prisma     | // /* | prisma
        proto      | // /* | proto proto3 | | | protobuf
        puppet     | (?<!\S)# | pp
        purescript | -- {- nested | purs
        qmljs      | // /* | qml qbs | | | qml
        query      | ; | scm
        r          | (?<!\S)# | r | .rprofile NAMESPACE | rscript r littler
        racket     | ; | rkt rktd rktl scrbl | | racket
        re2c       | // /* | re2c
        rego       | (?<!\S)# | rego
        scheme     | ; | ss sld sps | | guile scheme csi gosh chez
        scss       | // /* | scss
        smali      | (?<!\S)# | smali
        smithy     | // /* | smithy
        solidity   | // /* | sol
        sparql     | (?<!\S)# | sparql rq
        sql        | -- /* | sql ddl dml psql pgsql mysql tsql pls pks pkb plsql
        squirrel   | // /* | nut
        starlark   | # triple" triple' | bzl star bazel sky
                   | | | BUILD WORKSPACE BUCK TARGETS tiltfile workspace.bzlmod | | bazel
        svelte     | // /* <!-- | svelte
        tablegen   | // /* | td
        tcl        | (?<!\S)# | tcl tk itcl sdc xdc exp | | tclsh wish expect
        terraform  | // /* (?<!\S)# | tf tfvars tofu | | | tf
        thrift     | // /* | thrift
        twig       | {# | twig
        ungrammar  | // | ungram
        uxntal     | | tal
        v          | // /* | | | v | vlang
        verilog    | // /* | v vh sv svh | | | systemverilog
        vhdl       | -- character | vhd vhdl vho
        vim        | | vim vmb | .vimrc _vimrc vimrc .gvimrc .exrc .ideavimrc | | vimscript viml
        vue        | // /* <!-- | vue
        wast       | ; | wast
        wat        | ; | wat
        wgsl       | // /* | wgsl
        yuck       | ; | yuck
        abap=-     | | abap
        antlr=-    | // /* | g4
        applescript=- | -- (* | applescript | | osascript
        autoconf=- | (?<!\S)# | m4 ac | | | m4
        awk=-      | (?<!\S)# | awk gawk | | awk gawk mawk nawk
        batch=-    | | bat cmd | | | bat
        coffeescript=- | (?<!\S)# | coffee litcoffee | cakefile | coffee
        coq=-      | (* nested
        crystal=-  | #(?!\{) =begin | cr | | crystal
        cue=-      | // /* | cue
        cython=-   | # triple" triple' | pyx pxd pxi
        dhall=-    | -- {- nested | dhall
        flatbuffers=- | // /* | fbs
        forth=-    | | fth 4th | | gforth
        gherkin=-  | (?<!\S)# | feature
        idl=-      | // /* | idl webidl aidl wit avdl pidl
        idris=-    | -- {- nested | idr
        jinja=-    | {# | jinja jinja2 j2 njk
        lean=-     | -- /- nested | lean
        less=-     | // /* | less
        literate_haskell=- | (?<!-)--++(?![!#-&*+./:<-@\\^~]) {- nested character | lhs
        mlir=-     | // | mlir
        nushell=-  | (?<!\S)# | nu | | nu
        parser=-   | // /* | y yy yacc l lex lalrpop lark pest peg ebnf bnf abnf | | | yacc lex
        prolog=-   | % | pro prolog plt | | swipl gprolog
        raku=-     | (?<!\S)# | raku rakumod p6 pm6 | | raku perl6
        razor=-    | // /* <!-- | cshtml razor
        reason=-   | // /* | re rei res resi | | | rescript
        robot=-    | (?<!\S)# | robot
        sass=-     | // /* | sass styl
        sed=-      | (?<!\S)# | sed | | sed gsed
        smalltalk=- | | st
        sml=-      | (* nested character | sml
        supercollider=- | // /* | scd
        tcsh=-     | (?<!\S)# | csh tcsh | .cshrc .tcshrc .login | csh tcsh
        template=- | | tpl mustache hbs handlebars liquid haml slim pug jade ftl gotmpl
        vala=-     | // /* | vala vapi
        vb=-       | | vb vbs bas frm
        """,
    "docs": """
        text=-     | | txt text
        asciidoc=- | | adoc asciidoc asc
        bibtex     | | bib
        latex      | | tex sty ltx latex dtx ins bbx cbx | | | tex
        man=-      | | man mdoc | | | roff
        markdown   | | md markdown mdown mkd mkdn mdx mdwn rmd qmd cheatmd ronn mdc | | | md
        mediawiki=- | | mediawiki wiki
        mermaid    | | mermaid mmd
        org        | | org
        pod=-      | | pod
        rst        | | rst rest | | | restructuredtext
        textile=-  | | textile
        typst      | | typ
        """,
    "config": """
        cabal=-    | | cabal | cabal.project cabal.config
        cmake      | | cmake | cmakelists.txt
        codeowners=- | | | codeowners
        conf=-     | | conf cnf cf sln pbxproj htaccess | procfile .htaccess
        cpon       | | cpon
        dockerfile | | dockerfile containerfile | dockerfile containerfile | | docker
        dtd        | | dtd
        gitattributes | | gitattributes | .gitattributes gitattributes
        gitignore  | | gitignore dockerignore
                   | | | .gitignore .dockerignore .npmignore .eslintignore .prettierignore .ignore
                   | | | .hgignore .helmignore .vercelignore .gcloudignore .bazelignore .rgignore
                   | | | .stylelintignore .git-blame-ignore-revs .fdignore .cvsignore | | ignore
        gn         | | gn gni | .gn
        gomod      | | | go.mod go.work
        hyprlang   | | | hyprland.conf hyprpaper.conf hyprlock.conf
        ini        | | ini cfg prefs desktop service socket timer mount target tres tscn
                   | | godot reg wrap
                   | | | .editorconfig .gitconfig .gitmodules gitconfig .flake8 .coveragerc
                   | | | .pylintrc pylintrc .npmrc .yarnrc .hgrc .pypirc
        json       | | json jsonc json5 webmanifest har avsc code-workspace mcmeta jsonld hjson
                   | | | composer.lock pipfile.lock flake.lock deno.lock bun.lock
                   | | | .babelrc .eslintrc .prettierrc .swcrc .jshintrc .bowerrc .stylelintrc
                   | | | .nycrc
                   | | | .lintstagedrc .releaserc .jscsrc .watchmanconfig .all-contributorsrc
        just=-     | | just | justfile .justfile earthfile
        kconfig    | | kconfig | kconfig config.in
        kdl        | | kdl
        linkerscript | | ld lds
        make       | | mk mak make am
                   | | | makefile gnumakefile bsdmakefile kbuild makefile.am makefile.in
                   | | | | make gmake
        meson      | | | meson.build meson_options.txt meson.options
        ninja      | | ninja
        properties | | properties env | .sdkmanrc DESCRIPTION
        puppetfile=- | | | puppetfile
        pymanifest | | | manifest.in
        qmldir     | | | qmldir
        readline   | | inputrc | .inputrc inputrc
        requirements | | | requirements.txt
        ron        | | ron
        textproto=- | | pbtxt textproto prototxt
        toml       | | toml | cargo.lock poetry.lock uv.lock pdm.lock pipfile pixi.lock gopkg.lock
        udev       | | rules
        xcompose   | | xcompose | .xcompose
        xml        | | xml xsd xsl xslt wsdl plist csproj fsproj vbproj vcxproj proj props targets
                   | | nuspec pom rss atom iml xib storyboard xaml resx xlf xliff ui qrc kml gpx
                   | | csl rels tmlanguage entitlements config dita xmi glade
        yaml       | | yaml yml eyaml cff sls yamllint
                   | | | .clang-format .clang-tidy .clangd pubspec.lock podfile.lock .gemrc | | yml
        """,
    "data": """
        beancount  | | beancount bean
        csv        | | csv
        sourcemap=json | | map
        diff=-     | | diff patch
        gosum      | | | go.sum go.work.sum
        jsonlines=- | | jsonl ndjson geojson topojson
        lockfile=- | | lock | yarn.lock gemfile.lock mix.lock
        log=-      | | log
        notebook=json | | ipynb
        pem        | | pem crt csr
        pgn        | | pgn
        po         | | po pot
        snapshot=- | | snap
        subtitles=- | | srt vtt
        svg=xml    | | svg
        tsv        | | tsv
        """,
}


def _parse(table: dict[str, str]) -> dict[str, Language]:
    cells: dict[str, tuple[str, list[list[str]]]] = {}
    name = ""
    for content, rows in table.items():
        for row in filter(None, map(str.strip, rows.splitlines())):
            first, *rest = row.split("|")
            name = first.strip() or name
            columns = cells.setdefault(name, (content, [[], [], [], [], []]))[1]
            for column, cell in zip(columns, rest, strict=False):
                column += cell.split()
    languages = {}
    for key, (content, (comments, *columns)) in cells.items():
        name, _, grammar = key.partition("=")
        grammar_or_none = None if grammar == "-" else grammar or name
        syntax = _syntax(tuple(comments))
        languages[name] = Language(name, grammar_or_none, content, syntax, *map(tuple, columns))
    return languages


@cache
def _syntax(marks: tuple[str, ...]) -> LexicalSyntax:
    return LexicalSyntax(
        tuple(mark for mark in marks if mark not in _NOT_LINE_COMMENTS),
        tuple(_BLOCK_COMMENTS[mark] for mark in marks if mark in _BLOCK_COMMENTS),
        nested="nested" in marks,
        triple_quotes=tuple(_TRIPLE_QUOTES[mark] for mark in marks if mark in _TRIPLE_QUOTES),
        character="character" in marks,
    )


LANGUAGES: dict[str, Language] = _parse(_TABLE)


def content_of(name: str) -> str:
    """Return the content of a language: code, docs, config or data; docs if it is not known."""
    language = LANGUAGES.get(name)
    return language.content if language else "docs"


def _claims(values: str) -> dict[str, str]:
    claims: dict[str, str] = {}
    for language in LANGUAGES.values():
        for value in getattr(language, values):
            claims.setdefault(value, language.name)
    return claims


# The keys are bytes, as paths are: encoding tens of thousands of paths would take longer.
_EXTENSIONS = {extension.encode(): name for extension, name in _claims("extensions").items()}
_FILENAMES = {filename.encode(): name for filename, name in _claims("filenames").items()}
_INTERPRETERS = _claims("interpreters")
_ALIASES = _claims("aliases")

# Suffixes behind the real extension: config.h.in, nginx.conf.template, .env.example.
_WRAPPERS = frozenset(b"in tmpl template example sample dist default orig bak old".split())


def decided_by_path(path: bytes) -> str:
    """Return the language if the path alone decides it, "" if the content has to be seen."""
    name = path.rpartition(b"/")[2]
    lower = name.lower()
    language = _FILENAMES.get(name) or _FILENAMES.get(lower)
    if language:
        return language
    stem, dot, extension = lower.rpartition(b".")
    if dot and extension not in AMBIGUOUS:
        language = _EXTENSIONS.get(extension)
        if language == TEXT and (b"requirements" in stem or b"constraints" in stem):
            return "requirements"
        if language:
            return language
        if extension in _WRAPPERS and stem:
            return decided_by_path(stem)
    return _by_variant(lower)


def _by_variant(name: bytes) -> str:
    """Return the language of names such as Dockerfile.dev, Makefile-linux or .env.production."""
    for separator in (b".", b"-", b"_"):
        first, separated, _ = name.partition(separator)
        if separated and first in _FILENAMES:
            return _FILENAMES[first]
    return "properties" if name.startswith(b".env.") else ""


def detect(path: bytes, head: bytes) -> str:
    """Return the language of a file by its path and its first bytes, TEXT if nothing else fits.

    Two hundred bytes are enough for a `#!` line; more of them decide more of the `.h` files.
    """
    language = decided_by_path(path)
    extension = telling_extension(path)
    if not language and extension in AMBIGUOUS:
        language = by_head(extension, head)
    return language or _INTERPRETERS.get(interpreter(head)) or by_first_bytes(head) or TEXT


def hint(path: bytes) -> str:
    """Return the language of a path; where the content decides, "?" and an ambiguous extension."""
    language = decided_by_path(path)
    if language:
        return language
    extension = telling_extension(path)
    return "?" + (extension.decode("latin-1") if extension in AMBIGUOUS else "")


def settled(hinted: str, data: bytes) -> str:
    """Return the language of a content, given the `hint` of its path."""
    if not hinted.startswith("?"):
        return hinted
    return detect(b"x." + hinted[1:].encode("latin-1"), data[:_HEAD])


def telling_extension(path: bytes) -> bytes:
    """Return the extension in lower case, without a suffix such as `.in` or `.orig` behind it."""
    stem, _, extension = path.rpartition(b"/")[2].lower().rpartition(b".")
    return stem.rpartition(b".")[2] if extension in _WRAPPERS else extension


def named(word: str) -> str | None:
    """Return the language with this name, alias or extension, None if there is none."""
    wanted = word.lower().lstrip(".")
    if wanted in LANGUAGES:
        return wanted
    return _ALIASES.get(wanted) or _EXTENSIONS.get(wanted.encode(errors="surrogateescape"))
