"""Classification of files by path: tests, examples, docs, generated, vendored, ...

Names are conventions, not facts. Only files for which `is_generated_name` is true are skipped; the
others have lower ranks, unless the query asks for their kind.
"""

from __future__ import annotations

from functools import lru_cache

from gitsearch.extract import languages
from gitsearch.extract.ambiguous_extensions import AMBIGUOUS

# One bit per kind, so that a view stores the kinds of all paths in one small array.
_NAMES = ("test", "example", "docs", "compat", "barrel", "declarations", "vendored", "generated")
KINDS = {name: 1 << bit for bit, name in enumerate(_NAMES)}
TEST, EXAMPLE, DOCS, COMPAT, BARREL, DECLARATIONS, VENDORED, GENERATED = KINDS.values()


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


# Folders (in lower case) that decide the kind of all files below them. `t` holds tests in Perl and
# git, `fixtures` and `testdata` the input of tests, `__snapshots__` their output.
_TEST_FOLDERS = _words("""
    test tests testing testsuite testsuites testcases testlib testutil testutils test-utils
    __tests__ __mocks__ __fixtures__ __snapshots__ unittest unittests spec specs t e2e
    testdata test-data test_data test-fixtures fixtures mocks androidtest functional-tests
    integration-tests integration_tests integrationtest integrationtests cypress
""")
# Code for readers; `docs_src` is the name in FastAPI.
_EXAMPLE_FOLDERS = _words("""
    example examples _example _examples sample samples demo demos docs_src doc_src tutorial
    tutorials playground playgrounds showcase cookbook quickstart quickstarts
""")
# Prose, and the code of the project's own site.
_DOCS_FOLDERS = _words("doc docs documentation man manual manuals wiki website javadoc rfcs")
# Code for versions other than the current one.
_COMPAT_FOLDERS = _words("""
    compat _compat compatibility legacy deprecated obsolete attic polyfill polyfills shims
""")
# Code of other projects: the names that git-linguist calls vendored, without ambiguous ones.
_VENDORED_FOLDERS = _words("""
    vendor vendors vendored _vendor _vendored third_party third-party thirdparty 3rdparty 3rd_party
    3rd-party extern external externals node_modules bower_components jspm_packages pods carthage
    godeps site-packages .yarn dist
""")
# A folder that is vendored only at the top level, in C projects.
_VENDORED_AT_TOP = b"deps/"

_KINDS_OF_FOLDERS = {
    **dict.fromkeys(_TEST_FOLDERS, TEST),
    **dict.fromkeys(_EXAMPLE_FOLDERS, EXAMPLE),
    **dict.fromkeys(_DOCS_FOLDERS, DOCS),
    **dict.fromkeys(_COMPAT_FOLDERS, COMPAT),
    **dict.fromkeys(_VENDORED_FOLDERS, VENDORED),
}

# Stems in lower case: the part of a name before its first dot.
# `testing` is not among them: a module of that name is part of the product, for writers of tests.
_TEST_STEMS = _words("test tests spec specs conftest testutil testutils testhelper")
_TEST_STARTS = (b"test_", b"tests_", b"test-", b"spec_helper", b"mock_")
_TEST_ENDS = (
    *(b"_test", b"_tests", b"-test", b"-tests", b"_spec", b"_specs", b"-spec", b"_unittest"),
    *(b"_mock", b"_mocks", b"_fixtures"),
)
# Extensions of libraries that scripts source, such as test_functions.bash; tests of bats end in
# .bats.
_SOURCED = _words("bash zsh")
# Words between the stem and the extension: cart.test.ts, cart.spec.js, cart.cy.ts, cart.test-d.ts.
_TEST_MIDDLES = _words("test tests spec specs e2e cy test-d")
# CamelCase endings match with their capital only: `latest` is not a test. `Suite` is a name of
# tests in Scala, `IT` of integration tests and `TestCase` of older tests in Java.
_CAMEL_ENDS = (b"Test", b"Tests", b"Spec", b"Specs", b"TestCase", b"TestBase", b"TestSuite")
_CAMEL_ENDS_BY_EXTENSION = {b"scala": (b"Suite", b"Laws"), b"java": (b"IT", b"TestUtils")}
_CAMEL_LANGUAGES = _words("java kt kts scala cs groovy swift php")
_CAMEL_FOLDERS = (b"Test", b"Tests", b"-test", b"-tests", b"_test", b"_tests", b".tests", b".test")

# These contain nearly every word of a project, and no code.
_DOCS_STEMS = _words("""
    changelog changes history news releases release-notes release_notes authors contributors
    license licence copying credits thanks code_of_conduct
""")
# The same with an addition: LICENSE-MIT, CHANGELOG-2.x, Pro-Changes.
_RECORDS = (b"license-", b"licence-", b"changelog-", b"issue_template", b"pull_request_template")
_RECORD_ENDS = (b"-changes", b"-changelog", b"_changelog", b"-history")
_COMPAT_STEMS = _words("compat _compat legacy deprecated polyfill polyfills shim shims py3k")

# The main module of a package, which often has re-exports only; its content decides that.
_BARRELS = _words("""
    index.js index.jsx index.mjs index.cjs index.ts index.tsx index.mts index.cts index.d.ts
    __init__.py __init__.pyi mod.rs lib.rs prelude.rs package-info.java module-info.java
    package.scala exports.ts exports.js
""")
# Files of TypeScript that say what others define.
DECLARATION_ENDS = (b".d.ts", b".d.mts", b".d.cts")

# Output of tools that resolve versions; it tells a reader nothing about the program.
_LOCK_FILES = _words("""
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    cargo.lock poetry.lock uv.lock pdm.lock pixi.lock pipfile.lock conda-lock.yml gemfile.lock
    composer.lock go.sum go.work.sum gopkg.lock glide.lock flake.lock mix.lock rebar.lock
    pubspec.lock podfile.lock package.resolved cartfile.resolved packages.lock.json
    paket.lock gradle.lockfile .terraform.lock.hcl stack.yaml.lock cabal.project.freeze
    module.bazel.lock chart.lock conan.lock shard.lock
    .pnp.cjs .pnp.loader.mjs gradlew gradlew.bat mvnw mvnw.cmd renv.lock
""")
# Output from other files: minified, bundled, compiled from a schema or a form.
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
    """Return True for names of lock files and minified, bundled or compiled output."""
    lower = path.lower()
    return lower.rpartition(b"/")[2] in _LOCK_FILES or lower.endswith(_GENERATED_ENDS)


def is_test(path: bytes) -> bool:
    """Return True for paths of tests by the conventions of common languages."""
    folder, _, name = path.rpartition(b"/")
    return _is_test_folder(folder) or _is_test_name(name)


@lru_cache(1 << 12)
def _is_test_folder(path: bytes) -> bool:
    return not _TEST_FOLDERS.isdisjoint(path.lower().split(b"/")) or any(
        folder.endswith(_CAMEL_FOLDERS) for folder in path.split(b"/")
    )


def is_record(path: bytes) -> bool:
    """Return True for changelogs, licences, lists of people and templates for issues."""
    *folders, name = path.lower().split(b"/")
    stem = name.partition(b".")[0]
    named = stem in _DOCS_STEMS or stem.startswith(_RECORDS) or stem.endswith(_RECORD_ENDS)
    return named or b"issue_template" in folders


def stem(path: bytes) -> bytes:
    """Return the name of a file without extensions and without what says that it is a test.

    cart.py, test_cart.py, CartTest.java, cart.spec.ts and cart.md have the stem `cart`. Case and
    dashes are folded.
    """
    name = path.rpartition(b"/")[2].lstrip(b".").partition(b".")[0]
    lower = name.lower()
    start = next((len(start) for start in _TEST_STARTS if lower.startswith(start)), 0)
    ends = (end for end in _TEST_ENDS if lower.endswith(end))
    camel = (end for end in _CAMEL_ENDS if name.endswith(end))
    last = len(name) - max(map(len, (*ends, *camel)), default=0)
    return (lower[start:last] or lower).replace(b"-", b"_")


def noise(path: bytes) -> int:
    """Return the kinds of a path as bits: TEST | EXAMPLE | DOCS | COMPAT | BARREL | ..."""
    lower = path.lower()
    *folders, name = lower.split(b"/")
    kinds = 0
    for folder in folders:
        kinds |= _KINDS_OF_FOLDERS.get(folder, 0)
    stem = name.partition(b".")[0]
    kinds |= DOCS * (stem in _DOCS_STEMS and not _is_code(name))
    kinds |= COMPAT * (stem in _COMPAT_STEMS)
    kinds |= BARREL * (name in _BARRELS)
    kinds |= DECLARATIONS * name.endswith(DECLARATION_ENDS)
    kinds |= VENDORED * lower.startswith(_VENDORED_AT_TOP)
    kinds |= TEST * is_test(path)
    return kinds | GENERATED * is_generated_name(path)


def _is_code(name: bytes) -> bool:
    """Return True for names of code: history.go and news.py, not HISTORY and NEWS.md."""
    if b"." in name and name.rpartition(b".")[2] in AMBIGUOUS:
        return True
    return languages.content_of(languages.decided_by_path(name)) == "code"


def _is_test_name(name: bytes) -> bool:
    stem, dot, rest = name.partition(b".")
    lower = stem.lower()
    *middles, extension = rest.split(b".")
    if lower in _TEST_STEMS or lower.endswith(_TEST_ENDS):
        return dot != b""
    if lower.startswith(_TEST_STARTS):
        return dot != b"" and extension not in _SOURCED
    if not _TEST_MIDDLES.isdisjoint(middles) or extension == b"bats":
        return True
    if stem.endswith((*_CAMEL_ENDS, *_CAMEL_ENDS_BY_EXTENSION.get(extension, ()))):
        return dot != b""
    # TestRunner.java is a test, Testament.java is not.
    return stem.startswith(b"Test") and stem[4:5].isupper() and extension in _CAMEL_LANGUAGES
