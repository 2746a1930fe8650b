"""A deterministic repository of several languages with a history, as the tests search it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from string import Template

from tests.builder import RepoBuilder

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Topic:
    """What one module is about; the templates turn it into code of any language."""

    words: str
    action: str
    first: str
    second: str
    helper: str
    limit: int
    doc: str
    action_doc: str
    helper_doc: str

    def render(self, template: str) -> str:
        """The module in the language of a template."""
        text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
        return Template(text).substitute(self.names())

    def names(self) -> dict[str, str]:
        """Every spelling of the topic's words."""
        return {
            "words": self.words,
            "name": snake(self.words),
            "kebab": self.words.replace(" ", "-"),
            "lower": self.words.replace(" ", ""),
            "UPPER": snake(self.words).upper(),
            "Pascal": pascal(self.words),
            "Title": self.words.capitalize(),
            "action": snake(self.action),
            "Action": pascal(self.action),
            "actionCamel": camel(self.action),
            "first": snake(self.first),
            "First": pascal(self.first),
            "firstCamel": camel(self.first),
            "second": snake(self.second),
            "Second": pascal(self.second),
            "secondCamel": camel(self.second),
            "helper": snake(self.helper),
            "helperCamel": camel(self.helper),
            "limit": str(self.limit),
            "doc": self.doc,
            "action_doc": self.action_doc,
            "helper_doc": self.helper_doc,
        }


def snake(words: str) -> str:
    return words.replace(" ", "_")


def pascal(words: str) -> str:
    return "".join(word.capitalize() for word in words.split())


def camel(words: str) -> str:
    first, *rest = words.split()
    return first + pascal(" ".join(rest))


RETRY = Topic(
    "retry policy", "compute delay", "base delay", "max attempts", "clamp jitter", 5,
    "Decides how long to wait before a failed request is sent again.",
    "Returns the pause before the given attempt, growing exponentially.",
    "Keeps the random part of a pause below the ceiling.",
)  # fmt: skip
CACHE = Topic(
    "page cache", "evict oldest", "fill ratio", "capacity bytes", "round capacity", 4096,
    "Keeps recently read pages in memory so that the disk is left alone.",
    "Throws out the least recently used page when memory is short.",
    "Rounds a number of bytes to whole pages.",
)  # fmt: skip
SESSION = Topic(
    "login session", "refresh token", "idle minutes", "max devices", "bound lifetime", 12,
    "Holds who is signed in and until when the cookie is valid.",
    "Issues a new token before the old one expires.",
    "Shortens the lifetime of a cookie to what policy allows.",
)  # fmt: skip
INVOICE = Topic(
    "invoice total", "apply discount", "tax rate", "line count", "round cents", 500,
    "Adds up the lines of a bill with taxes and rebates.",
    "Subtracts a rebate from the sum before taxes are added.",
    "Rounds an amount of money to whole cents.",
)  # fmt: skip
SCHEDULE = Topic(
    "job schedule", "next run", "interval hours", "max overlap", "align to hour", 24,
    "Works out when a periodic task has to start.",
    "Finds the coming moment at which the task is due.",
    "Moves a moment to the full hour.",
)  # fmt: skip
LEXER = Topic(
    "token stream", "peek ahead", "tab width", "max depth", "limit column", 80,
    "Cuts source text into tokens for the expression parser.",
    "Looks at a later token without consuming it.",
    "Keeps the reported column within the line.",
)  # fmt: skip
UPLOAD = Topic(
    "blob upload", "resume part", "part megabytes", "parallel parts", "cap bandwidth", 16,
    "Sends big files to object storage in numbered parts.",
    "Continues an interrupted transfer at the first missing part.",
    "Throttles the bytes that are sent each second.",
)  # fmt: skip
METRIC = Topic(
    "latency histogram", "record sample", "bucket width", "bucket count", "saturate bucket", 64,
    "Counts how many requests took how long, for the dashboards.",
    "Adds one measured duration to its bucket.",
    "Puts a value that is too large into the last bucket.",
)  # fmt: skip

GITATTRIBUTES = """\
*.pb.go linguist-generated
/vendor/** linguist-vendored
/private/** -search
*.png binary
"""
README = """\
# Depot

A service that stores files, bills for them and retries what fails.

Run `make run`; see `docs/` for the settings.
"""
LOGGER = """\
/** Writes one line a call to the console. */
export class Logger {
  constructor(private readonly name: string) {}

  debug(value: unknown): void {
    console.debug(`[${this.name}]`, value);
  }
}
"""
SCHEMA = """\
-- Customers and what they owe.
CREATE TABLE customer (id BIGINT PRIMARY KEY, email TEXT NOT NULL UNIQUE);

CREATE TABLE invoice (
    id BIGINT PRIMARY KEY,
    customer_id BIGINT NOT NULL REFERENCES customer (id),
    total_cents BIGINT NOT NULL CHECK (total_cents >= 0)
);
"""
PROTO = """\
syntax = "proto3";

package depot.v1;

// Stores and fetches files by name.
service Depot {
  rpc Store(StoreRequest) returns (StoreReply);
}

message StoreRequest {
  string name = 1;
  bytes content = 2;
}

message StoreReply {
  string etag = 1;
}
"""
GENERATED = """\
// Code generated by protoc-gen-go. DO NOT EDIT.
package depot

type StoreRequest struct {
	Name    string
	Content []byte
}
"""
MAKEFILE = "run:\n\tpython -m service\n\ntest:\n\tpytest\n\tgo test ./...\n"
DOCKERFILE = 'FROM python:3.13\nCOPY . /app\nWORKDIR /app\nCMD ["python", "-m", "service"]\n'
WORKFLOW = "name: test\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n"
SCRIPT = """\
#!/usr/bin/env bash
set -euo pipefail

# Copies the nightly backup to the other site.
copy_backup() {
    local target=$1
    rsync --archive backup/ "$target"
}

copy_backup "$@"
"""
LFS_POINTER = """\
version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89" * 4


def minified(size: int = 40_000) -> str:
    """One line of code without spaces, as a bundler writes it."""
    parts = [f"function f{n}(a,b){{return a*{n}+b}}" for n in range(size // 32)]
    return "".join(parts) + "\n"


def lock_file() -> str:
    """A lock file of some size, with the hashes that make it worthless to search."""
    lines = ["version = 1", ""]
    for n in range(40):
        digest = hashlib.sha256(str(n).encode()).hexdigest()
        lines += ["[[package]]", f'name = "package-{n}"', f'hash = "sha256:{digest}"', ""]
    return "\n".join(lines)


TOPICS = (RETRY, CACHE, SESSION, INVOICE, SCHEDULE, LEXER, UPLOAD, METRIC)


def build_crowd(path: Path, files: int) -> RepoBuilder:
    """A repository of many small modules in one commit, for what takes a while."""
    repo = RepoBuilder(path)
    for number in range(files):
        topic = TOPICS[number % len(TOPICS)]
        text = topic.render("python").replace(topic.names()["Pascal"], f"Part{number}")
        repo.write(f"part{number % 20}/{topic.names()['name']}_{number}.py", text)
    repo.commit("Many modules")
    return repo


def build_sample(path: Path) -> RepoBuilder:
    """Make the repository: about 60 files in 30 commits, with a branch that was merged."""
    repo = RepoBuilder(path)
    found_project(repo)
    grow_services(repo)
    develop_on_a_branch(repo)
    keep_house(repo)
    meet_odd_files(repo)
    return repo


def found_project(repo: RepoBuilder) -> None:
    """Commits 1-6: the Python service, its tests and documents."""
    repo.write("README.md", README)
    repo.write(".gitattributes", GITATTRIBUTES)
    repo.write("Makefile", MAKEFILE)
    repo.commit("Start the project")
    repo.write("service/__init__.py", '"""The depot service."""\n')
    repo.write("service/retry_policy.py", RETRY.render("python"))
    repo.write("service/page_cache.py", CACHE.render("python"))
    repo.commit("service: retries and the page cache")
    repo.write("tests/test_retry_policy.py", RETRY.render("test_python"))
    repo.write("tests/test_page_cache.py", CACHE.render("test_python"))
    repo.commit("tests: cover retries and the cache")
    repo.write("service/login_session.py", SESSION.render("python"))
    repo.write("service/invoice_total.py", INVOICE.render("python"))
    repo.commit("service: sessions and invoices")
    repo.write("docs/retry-policy.md", RETRY.render("markdown"))
    repo.write("docs/page-cache.md", CACHE.render("markdown"))
    repo.commit("docs: describe the settings")
    repo.write("db/schema.sql", SCHEMA)
    repo.write("config/settings.toml", "[retry]\nbase_delay = 1.5\nmax_attempts = 5\n")
    repo.write("config/logging.yaml", "level: info\nhandlers:\n  - console\n")
    repo.commit("db: customers and invoices")
    repo.git("tag", "v0.1")


def grow_services(repo: RepoBuilder) -> None:
    """Commits 7-14: other languages join."""
    repo.write("go.mod", "module example.com/depot\n\ngo 1.24\n")
    for topic in (RETRY, UPLOAD, METRIC):
        name = topic.names()["lower"]
        repo.write(f"internal/{name}/{name}.go", topic.render("go"))
    repo.commit("internal: the uploader in Go")
    repo.write("web/src/logger.ts", LOGGER)
    repo.write("web/src/login-session.ts", SESSION.render("typescript"))
    repo.write("web/src/retry-policy.ts", RETRY.render("typescript"))
    repo.write("web/package.json", '{"name": "depot-web", "private": true}\n')
    repo.commit("web: sessions in the browser")
    repo.write("web/index.html", "<!doctype html>\n<title>Depot</title>\n<h1>Files</h1>\n")
    repo.write("web/style.css", "body {\n  margin: 0;\n}\n\nh1 {\n  color: teal;\n}\n")
    repo.commit("web: a first page")
    repo.write("Cargo.toml", '[package]\nname = "depot"\nversion = "0.1.0"\n')
    repo.write(
        "src/lib.rs", "//! The storage engine.\n\npub mod page_cache;\npub mod token_stream;\n"
    )
    repo.write("src/page_cache.rs", CACHE.render("rust"))
    repo.write("src/token_stream.rs", LEXER.render("rust"))
    repo.commit("engine: pages and tokens in Rust")
    repo.write("native/job_schedule.c", SCHEDULE.render("c"))
    repo.write("native/job_schedule.h", SCHEDULE.render("header"))
    repo.write("native/token_stream.c", LEXER.render("c"))
    repo.write("native/token_stream.h", LEXER.render("header"))
    repo.commit("native: the scheduler")
    repo.write("billing/InvoiceTotal.java", INVOICE.render("java"))
    repo.write("billing/BlobUpload.java", UPLOAD.render("java"))
    repo.commit("billing: totals in Java")
    repo.write("lib/service/job_schedule.rb", SCHEDULE.render("ruby"))
    repo.write("lib/service/latency_histogram.rb", METRIC.render("ruby"))
    repo.commit("lib: schedules for the old workers")
    repo.replace("service/retry_policy.py", "1.5", "0.25")
    repo.replace("config/settings.toml", "1.5", "0.25")
    repo.commit("service: wait less before the first retry")
    repo.git("tag", "v0.2")


def develop_on_a_branch(repo: RepoBuilder) -> None:
    """Commits 15-20: a branch beside main, merged; a revert."""
    repo.branch("metrics")
    repo.write("service/latency_histogram.py", METRIC.render("python"))
    repo.write("tests/test_latency_histogram.py", METRIC.render("test_python"))
    repo.commit("service: latency histograms")
    repo.append(
        "service/latency_histogram.py", "\n\ndef percentile(p: float) -> float:\n    return p\n"
    )
    repo.commit("service: percentiles of the latency")
    repo.checkout("main")
    repo.write("proto/depot.proto", PROTO)
    repo.write("internal/depot/depot.pb.go", GENERATED)
    repo.commit("proto: the public interface")
    repo.merge("metrics")
    repo.replace("src/page_cache.rs", "1.5", "0.9")
    repo.commit("engine: fill pages to nine tenths")
    repo.revert()


def keep_house(repo: RepoBuilder) -> None:
    """Commits 21-26: renames, deletions, moves with changes."""
    repo.rename("service/invoice_total.py", "service/billing/invoice_total.py")
    repo.write("service/billing/__init__.py", '"""Money."""\n')
    repo.commit("service: billing is a package")
    repo.rename("native/token_stream.c", "native/lexer/token_stream.c")
    repo.rename("native/token_stream.h", "native/lexer/token_stream.h")
    repo.append("native/lexer/token_stream.c", "\n/* The lexer keeps no state. */\n")
    repo.commit("native: the lexer moves")
    repo.remove("lib/service/latency_histogram.rb")
    repo.commit("lib: drop the old histogram")
    repo.write("scripts/copy-backup", SCRIPT).chmod(0o755)
    repo.write("Dockerfile", DOCKERFILE)
    repo.write(".github/workflows/test.yml", WORKFLOW)
    repo.commit("scripts: nightly backups")
    repo.write("service/job_schedule.py", SCHEDULE.render("python"))
    repo.write("tests/test_job_schedule.py", SCHEDULE.render("test_python"))
    repo.write("service/blob_upload.py", UPLOAD.render("python"))
    repo.commit("service: schedules and uploads")
    repo.replace("internal/blobupload/blobupload.go", "= 16", "= 32")
    repo.commit("internal: allow more parallel parts")


def meet_odd_files(repo: RepoBuilder) -> None:
    """Commits 27-30: what real repositories hold besides code."""
    repo.write("poetry.lock", lock_file())
    repo.write("web/dist/bundle.min.js", minified())
    repo.write("vendor/left/pad.js", "module.exports = (s, n) => s.padStart(n);\n")
    repo.write("private/notes.md", "# Notes\n\nThe secret handshake is three knocks.\n")
    repo.commit("vendor: what the page needs")
    repo.write("web/logo.png", PNG)
    repo.write("data/model.bin", LFS_POINTER)
    repo.write("service/py.typed", "")
    repo.symlink("docs/latest", "retry-policy.md")
    repo.commit("web: a logo")
    repo.write("service/windows.py", "def line_ends():\r\n    return 'CRLF'\r\n")
    repo.write("service/latin.py", b'# -*- coding: latin-1 -*-\nCURRENCY = "\xa3 \xe9t\xe9"\n')
    repo.write(b"docs/caf\xe9.md", "# Coffee\n\nHow the machine in the kitchen is cleaned.\n")
    repo.write("docs/a b\tc.md", "# A name with blanks\n\nIt must be shown with care.\n")
    repo.commit("docs: names and encodings")
    repo.write("service/token_stream.py", LEXER.render("python"))
    repo.write("docs/token-stream.md", LEXER.render("markdown"))
    repo.append("README.md", "\nThe parser of expressions is in `service/token_stream.py`.\n")
    repo.commit("service: the expression parser")
    repo.git("tag", "v1.0")
