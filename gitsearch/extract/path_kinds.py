"""What a path says about a file before it is read: a test, an example, generated, vendored, ...

Names are conventions, not facts, so nothing is left out for them but what is_generated_name finds;
ranking lowers the others, and lifts that when the query asks for them.
"""

from __future__ import annotations

from gitsearch.extract import languages
from gitsearch.extract.ambiguous_extensions import AMBIGUOUS

# One bit per kind, so that a view keeps the kinds of all its paths in one small array.
TEST = 1
EXAMPLE = 2
DOCS = 4
COMPAT = 8
BARREL = 16
DECLARATIONS = 32
VENDORED = 64
GENERATED = 128

KINDS: dict[str, int] = {
    "test": TEST,
    "example": EXAMPLE,
    "docs": DOCS,
    "compat": COMPAT,
    "barrel": BARREL,
    "declarations": DECLARATIONS,
    "vendored": VENDORED,
    "generated": GENERATED,
}


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


# Folders (in lower case) that say what all below them is. `t` is where Perl and git keep tests,
# `fixtures` and `testdata` hold the input of tests, `__snapshots__` their output.
_TEST_FOLDERS = _words("""
    test tests testing testsuite testsuites testcases testlib testutil testutils test-utils
    __tests__ __mocks__ __fixtures__ __snapshots__ unittest unittests spec specs t e2e
    testdata test-data test_data test-fixtures fixtures mocks androidtest functional-tests
    integration-tests integration_tests integrationtest integrationtests cypress
""")
# Code to read, not to run; _src as in FastAPI's docs_src.
_EXAMPLE_FOLDERS = _words("""
    example examples _example _examples sample samples demo demos docs_src doc_src tutorial
    tutorials playground playgrounds showcase cookbook quickstart quickstarts
""")
# Prose, and the code of the project's own site.
_DOCS_FOLDERS = _words("doc docs documentation man manual manuals wiki website javadoc rfcs")
# Kept for other versions than the one a reader cares for.
_COMPAT_FOLDERS = _words("""
    compat _compat compatibility legacy deprecated obsolete attic polyfill polyfills shims
""")
# Another project's code: what git-linguist calls vendored, of the names that say nothing else.
_VENDORED_FOLDERS = _words("""
    vendor vendors vendored _vendor _vendored third_party third-party thirdparty 3rdparty 3rd_party
    3rd-party extern external externals node_modules bower_components jspm_packages pods carthage
    godeps site-packages .yarn dist
""")
# Names that are another project's code only at the top: `deps/` in C projects.
_VENDORED_AT_TOP = (b"deps/",)

_FOLDERS: tuple[tuple[int, frozenset[bytes]], ...] = (
    (TEST, _TEST_FOLDERS),
    (EXAMPLE, _EXAMPLE_FOLDERS),
    (DOCS, _DOCS_FOLDERS),
    (COMPAT, _COMPAT_FOLDERS),
    (VENDORED, _VENDORED_FOLDERS),
)
_ANY_FOLDER: dict[bytes, int] = {word: kind for kind, words in _FOLDERS for word in words}

# Stems in lower case: the part of a name before its first dot.
# (not `testing`: a module of that name is shipped to those who write tests)
_TEST_STEMS = _words("test tests spec specs conftest testutil testutils testhelper")
_TEST_STARTS = (b"test_", b"tests_", b"test-", b"spec_helper", b"mock_")
_TEST_ENDS = (
    *(b"_test", b"_tests", b"-test", b"-tests", b"_spec", b"_specs", b"-spec", b"_unittest"),
    *(b"_mock", b"_mocks", b"_fixtures"),
)
# What scripts source: test_functions.bash is a library, and bats' tests end in .bats.
_SOURCED = _words("bash zsh")
# In the middle of a name: cart.test.ts, cart.spec.js, cart.cy.ts, cart.test-d.ts.
_TEST_MIDDLES = _words("test tests spec specs e2e cy test-d")
# CamelCase endings count only with their capital: `latest` is no test. Suite is Scala's, IT and
# TestCase are Java's names for integration and older tests.
_CAMEL_ENDS = (b"Test", b"Tests", b"Spec", b"Specs", b"TestCase", b"TestBase", b"TestSuite")
_CAMEL_ENDS_BY_EXTENSION = {b"scala": (b"Suite", b"Laws"), b"java": (b"IT", b"TestUtils")}
_CAMEL_FOLDERS = (b"Test", b"Tests", b"-test", b"-tests", b"_test", b"_tests", b".tests", b".test")

# Nearly every word of a project occurs in these, beside no code at all.
_DOCS_STEMS = _words("""
    changelog changes history news releases release-notes release_notes authors contributors
    license licence copying credits thanks code_of_conduct
""")
# With what they are of: LICENSE-MIT, CHANGELOG-2.x, Pro-Changes.
_RECORDS = (b"license-", b"licence-", b"changelog-", b"issue_template", b"pull_request_template")
_RECORD_ENDS = (b"-changes", b"-changelog", b"_changelog", b"-history")
_COMPAT_STEMS = _words("compat _compat legacy deprecated polyfill polyfills shim shims py3k")

# A package's front: often nothing but re-exports. Whether it is one, its content must say.
_BARRELS = _words("""
    index.js index.jsx index.mjs index.cjs index.ts index.tsx index.mts index.cts index.d.ts
    __init__.py __init__.pyi mod.rs lib.rs prelude.rs package-info.java module-info.java
    package.scala exports.ts exports.js
""")
_DECLARATION_ENDS = (b".d.ts", b".d.mts", b".d.cts")

# Written by a tool that resolves versions; none tells a reader what the program does.
_LOCK_FILES = _words("""
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    cargo.lock poetry.lock uv.lock pdm.lock pixi.lock pipfile.lock conda-lock.yml gemfile.lock
    composer.lock go.sum go.work.sum gopkg.lock glide.lock flake.lock mix.lock rebar.lock
    pubspec.lock podfile.lock package.resolved cartfile.resolved packages.lock.json
    paket.lock gradle.lockfile .terraform.lock.hcl stack.yaml.lock cabal.project.freeze
    module.bazel.lock chart.lock conan.lock shard.lock
    .pnp.cjs .pnp.loader.mjs gradlew gradlew.bat mvnw mvnw.cmd renv.lock
""")
# Made from other files: minified, bundled, compiled from a schema or a form.
_GENERATED_ENDS = (
    *(b".min.js", b".min.mjs", b".min.cjs", b".min.css", b"-min.js", b"-min.css", b".bundle.js"),
    *(b".js.map", b".mjs.map", b".cjs.map", b".ts.map", b".css.map", b".tsbuildinfo", b".snap"),
    *(b".pb.go", b".pb.gw.go", b".pb.cc", b".pb.h", b".pb.c", b".pb.swift", b".pb.dart"),
    *(b"_pb2.py", b"_pb2.pyi", b"_pb2_grpc.py", b"_pb2_grpc.pyi", b"_pb.js", b"_pb.d.ts"),
    *(b"_pb.ts", b"_pb.rb", b"_grpc_pb.js", b"_grpc_pb.d.ts", b".pbobjc.h", b".pbobjc.m"),
    *(b".g.dart", b".freezed.dart", b".mocks.dart", b".gr.dart", b".pbjson.dart"),
    *(b".designer.cs", b".designer.vb", b".g.cs", b".g.i.cs", b".generated.cs", b".feature.cs"),
    *(b".generated.ts", b".generated.js", b".generated.go", b".generated.swift", b".generated.h"),
    *(b"_generated.go", b"_generated.rs", b"_generated.h", b"_generated.ts"),
    *(b"zz_generated.deepcopy.go", b".xcodeproj/project.pbxproj", b".tab.c", b".tab.h", b".yy.c"),
)


def is_generated_name(path: bytes) -> bool:
    """Tell lock files and what tools write (minified, bundled, compiled from schemas) by name."""
    lower = path.lower()
    return lower.rpartition(b"/")[2] in _LOCK_FILES or lower.endswith(_GENERATED_ENDS)


def is_test(path: bytes) -> bool:
    """Tell whether a file belongs to the tests by the customs of the common languages."""
    folder, _, name = path.rpartition(b"/")
    parts = folder.split(b"/")
    if not _TEST_FOLDERS.isdisjoint(folder.lower().split(b"/")):
        return True
    return _test_name(name) or any(part.endswith(_CAMEL_FOLDERS) for part in parts)


def is_record(path: bytes) -> bool:
    """Tell changelogs, licences, lists of people and forms to fill in: no guide to anything."""
    *folders, name = path.lower().split(b"/")
    stem = name.partition(b".")[0]
    named = stem in _DOCS_STEMS or stem.startswith(_RECORDS) or stem.endswith(_RECORD_ENDS)
    return named or b"issue_template" in folders


def noise(path: bytes) -> int:
    """Sum the kinds of a path, as bits: TEST | EXAMPLE | DOCS | COMPAT | BARREL | ..."""
    lower = path.lower()
    *folders, name = lower.split(b"/")
    kinds = 0
    for folder in folders:
        kinds |= _ANY_FOLDER.get(folder, 0)
    stem = name.partition(b".")[0]
    if stem in _DOCS_STEMS and not _is_code(name):
        kinds |= DOCS
    if stem in _COMPAT_STEMS:
        kinds |= COMPAT
    if name in _BARRELS:
        kinds |= BARREL
    if name.endswith(_DECLARATION_ENDS):
        kinds |= DECLARATIONS
    if lower.startswith(_VENDORED_AT_TOP):
        kinds |= VENDORED
    if is_test(path):
        kinds |= TEST
    if is_generated_name(path):
        kinds |= GENERATED
    return kinds


def _is_code(name: bytes) -> bool:
    """Tell history.go and news.py from HISTORY and NEWS.md, by the name alone."""
    language = languages.decided_by_path(name)
    shared = b"." in name and name.rpartition(b".")[2] in AMBIGUOUS
    return shared or (language != "" and languages.LANGUAGES[language].content == "code")


def _test_name(name: bytes) -> bool:
    stem, dot, rest = name.partition(b".")
    lower = stem.lower()
    *middles, extension = rest.split(b".")
    if lower in _TEST_STEMS or lower.endswith(_TEST_ENDS):
        return dot != b""
    if lower.startswith(_TEST_STARTS):
        return dot != b"" and extension not in _SOURCED
    if not _TEST_MIDDLES.isdisjoint(middles) or extension == b"bats":
        return True
    if stem.endswith(_CAMEL_ENDS) or stem.endswith(
        _CAMEL_ENDS_BY_EXTENSION.get(extension, (b"\n",))
    ):
        return dot != b""
    # TestRunner.java, but not Testament.java
    return stem.startswith(b"Test") and stem[4:5].isupper() and extension in _CAMEL_LANGUAGES


_CAMEL_LANGUAGES = _words("java kt kts scala cs groovy swift php")
