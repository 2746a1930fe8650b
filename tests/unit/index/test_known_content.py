"""Content that was indexed once is never parsed or embedded again, wherever it turns up."""

import pytest

from gitsearch.index import facts_writer, segment_assembly, view_builder, view_store
from gitsearch.index.fact_columns import BlobKey, extract_columns
from tests.sample import RETRY
from tests.unit.commands.asked import answers, fresh_answers, indexed, recorded


def work(repo, **options):
    """(files parsed, terms embedded) to record the tree that is asked now."""
    counters = recorded(repo, **options).counters
    return counters.files_parsed, counters.terms_embedded


def test_a_first_index_parses_each_content_once(sample):
    report = indexed(sample)
    contents = set(sample.git("ls-tree", "-r", "--format=%(objectname)", "HEAD").split())
    assert 0 < report.files_parsed <= len(contents)
    assert (report.terms_embedded or 0) > 100
    assert report.bytes_read > 10_000
    assert work(sample) == (0, 0)


def test_a_branch_switch_costs_nothing(grown):
    grown.branch("old", "v0.1")
    for name in ("main", "old", "main", "v0.2"):
        grown.checkout(name)
        assert work(grown) == (0, 0)


@pytest.mark.slow
def test_a_branch_of_known_files_costs_nothing(grown):
    grown.branch("mixed", "v0.2")
    grown.git("checkout", "-q", "v1.0", "--", "service")
    grown.commit_staged()
    assert work(grown) == (0, 0)
    assert answers(grown) == fresh_answers(grown)


RENAMES = {
    "a file": ("service/retry_policy.py", "service/network/again.py"),
    "a folder": ("internal", "pkg/internal"),
    "a script": ("scripts/copy-backup", "scripts/nightly"),
    "a name that decides": ("Dockerfile", "docker/Dockerfile"),
    "a header": ("native/job_schedule.h", "include/schedule.h"),
    "a document": ("docs/retry-policy.md", "docs/again.md"),
    "a name that is not UTF-8": (b"docs/caf\xe9.md", "docs/cafe.md"),
}


@pytest.mark.slow
def test_a_rename_costs_nothing(grown):
    for what, (old, new) in RENAMES.items():
        grown.file(new).parent.mkdir(parents=True, exist_ok=True)
        grown.file(old).rename(grown.file(new))
        grown.commit()
        assert work(grown) == (0, 0), what
    assert answers(grown) == fresh_answers(grown)


@pytest.mark.slow
@pytest.mark.parametrize(
    "back",
    [
        *("revert", "reset"),
        *(pytest.param(back, marks=pytest.mark.slow) for back in ("checkout", "amend")),
    ],
)
def test_going_back_costs_nothing(grown, back):
    before = answers(grown)
    grown.write("service/retry_policy.py", RETRY.render("python").replace("attempt", "trial"))
    grown.commit()
    parsed, embedded = work(grown)
    assert parsed == 1
    assert embedded > 0
    if back == "revert":
        grown.revert()
    elif back == "reset":
        grown.git("reset", "-q", "--hard", "HEAD~1")
    elif back == "checkout":
        grown.checkout("HEAD~1")
    else:
        grown.git("checkout", "-q", "HEAD~1", "--", ".")
        grown.git("commit", "-q", "--amend", "--allow-empty", "-m", "as before")
    assert work(grown) == (0, 0)
    assert answers(grown) == before


@pytest.mark.slow
def test_a_merge_of_known_branches_costs_only_what_was_merged(grown):
    grown.branch("left", "v1.0")
    grown.append("service/retry_policy.py", "\nLEFT = 1\n")
    grown.commit()
    work(grown)
    grown.branch("right", "v1.0")
    grown.append("service/page_cache.py", "\nRIGHT = 1\n")
    grown.commit()
    work(grown)
    grown.merge("left")
    assert work(grown) == (0, 0)


def test_a_known_content_under_a_second_name_costs_nothing(grown):
    grown.write("service/copy.py", grown.file("service/retry_policy.py").read_bytes())
    grown.commit()
    assert work(grown) == (0, 0)


def test_a_changed_mode_costs_nothing(grown):
    grown.file("service/retry_policy.py").chmod(0o755)
    grown.commit()
    assert work(grown) == (0, 0)


def test_one_changed_file_is_one_parse_and_only_its_words(grown):
    grown.append("service/retry_policy.py", "\nUNHEARD_OF = zweiundvierzig\n")
    grown.commit()
    text = grown.file("service/retry_policy.py").read_bytes()
    terms = extract_columns([(BlobKey("", "python"), text)]).terms.terms
    assert {"unheard", "unheardof", "zweiundvierzig"} < set(terms)
    assert work(grown) == (1, len(terms))


def test_another_worktree_finds_everything_done(grown, tmp_path):
    assert work(grown.worktree(tmp_path / "other", "v0.2")) == (0, 0)


def test_a_lost_view_is_made_from_the_record(grown):
    before = answers(grown)
    for file in (grown.index_dir / "views").iterdir():
        file.unlink()
    assert work(grown) == (0, 0)
    assert answers(grown) == before


def test_skipped_contents_are_remembered_too(current):
    current.write("data.weird", b"\0" * 100)
    current.write("bundle.js", "var a=1;" * 2000)
    current.commit()
    indexed(current)
    current.rename("data.weird", "data/other.weird")
    current.rename("bundle.js", "lib/bundle.js")
    current.commit()
    assert work(current) == (0, 0)


@pytest.mark.slow
def test_a_content_that_is_another_language_elsewhere_is_parsed_for_it(current):
    current.write("service/retry_policy.rb", current.file("service/retry_policy.py").read_bytes())
    current.commit()
    assert work(current)[0] == 1
    assert answers(current) == fresh_answers(current)


@pytest.mark.slow
def test_facts_of_an_older_program_are_made_anew(current, monkeypatch):
    everything = indexed(current, dry_run=True, at="v1.0").coverage
    right = answers(current)
    users = [
        module
        for module in (segment_assembly, view_builder, view_store, facts_writer)
        if hasattr(module, "FACTS_VERSION")
    ]
    assert users
    for module in users:
        monkeypatch.setattr(module, "FACTS_VERSION", "99.99")
    again = indexed(current)
    assert again.files_parsed > everything.searchable / 2
    assert answers(current) == right
    assert work(current) == (0, 0)
