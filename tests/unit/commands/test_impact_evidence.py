"""What history, names and folders say of dependents and tests, besides the graph."""

import pytest

from gitsearch import trace
from gitsearch.commands.impact import ImpactRequest, impact
from gitsearch.commands.report import ReportRequest, report
from gitsearch.graph.likelihood import CERTAIN_FROM, raised
from tests.unit.commands.asked import session, warm_parsers


def change(repo, *paths):
    for path in paths:
        known = (repo.path / path).exists()
        (repo.append if known else repo.write)(path, "// x\n")
    return repo.commit("change")


@pytest.fixture
def repo(repo):
    """A store whose tests reach it through a server, which nothing in them names."""
    repo.having(
        {
            "go.mod": "module m\n\ngo 1.22\n",
            "store/wal.go": "package store\n\nfunc Wal() int { return 1 }\n",
            "store/index.go": "package store\n\nfunc Index() int { return 2 }\n",
            "e2e/server_test.go": "package e2e\n",
            "e2e/wal_test.go": "package e2e\n",
            "e2e/other_test.go": "package e2e\n",
            "cmd/main.go": 'package main\n\nimport "m/store"\n\nfunc main() { store.Wal() }\n',
        }
    )
    repo.commit()
    for _ in range(4):
        change(repo, "store/wal.go", "e2e/server_test.go")
    change(repo, "store/index.go")
    return repo


def asked(repo, *targets, **options):
    warm_parsers()
    return impact(session(repo.path), ImpactRequest(targets, **options))


def test_tests_that_no_import_leads_to_are_found_by_history_and_by_name(repo):
    found = {file.path: file for file in asked(repo, "store/wal.go").dependents}
    assert found.keys() == {"cmd/main.go", "e2e/server_test.go", "e2e/wal_test.go"}
    changed, named = found["e2e/server_test.go"], found["e2e/wal_test.go"]
    assert (changed.kind, changed.via[1]) == ("changed-together", "store/wal.go")
    assert changed.evidence == (("changed-together", "store/wal.go", 0.6667, 4, 4),)
    assert [(one.kind, one.share) for one in named.evidence] == [("name", 0.5)]
    assert changed.likelihood == pytest.approx(0.7999 * 4 / 6, abs=1e-4)
    assert (changed.label, named.label) == ("likely", "likely")
    assert asked(repo, "store/index.go").tests == ()


def test_evidence_gives_the_order_of_what_the_graph_cannot_tell_apart(repo):
    repo.having(
        {
            f"use/{name}_test.go": f'package use\n\nimport "m/store"\n\nvar {name} = store.Wal\n'
            for name in ("aa", "bb", "cc")
        }
    )
    repo.commit()
    change(repo, "store/wal.go", "use/bb_test.go")
    tests = [test for test in asked(repo, "store/wal.go").tests if test.startswith("use/")]
    assert tests == ["use/bb_test.go", "use/aa_test.go", "use/cc_test.go"]


def test_the_change_that_is_asked_about_is_no_evidence(repo):
    change(repo, "store/index.go", "e2e/other_test.go")
    found = asked(repo, diff="HEAD~1..HEAD")
    told = {one for file in found.dependents for one in file.evidence}
    assert not [one for one in told if one.kind == "changed-together"]
    found = asked(repo, "store/index.go")
    assert [file.path for file in found.dependents if file.evidence] == ["e2e/other_test.go"]


def test_no_evidence_makes_a_dependent_certain():
    assert raised(0.1, [0.99] * 50) < CERTAIN_FROM
    assert raised(0.85, []) == 0.85
    assert 0.85 < raised(0.85, [0.5]) < 1
    assert raised(0.5, [0.5, 0.5]) == pytest.approx(0.5 + 0.2999 * 0.75)


def test_history_is_read_once_for_a_commit(repo):
    def landings_read():
        before = trace._counts.get("landings read", 0)
        found = asked(repo, "store/wal.go").dependents
        return found, trace._counts["landings read"] - before

    found, count = landings_read()
    assert count == 5
    assert landings_read() == (found, 0)


def test_a_report_asks_for_the_history_that_is_kept(repo):
    def landings_read():
        before = trace._counts.get("landings read", 0)
        found = report(session(repo.path), ReportRequest("HEAD~1", "HEAD"))
        return found, trace._counts.get("landings read", 0) - before

    found, count = landings_read()
    assert count == 4
    assert landings_read() == (found, 0)


def test_a_damaged_file_of_history_is_made_anew(repo):
    right = asked(repo, "store/wal.go").dependents
    (kept,) = repo.index_dir.glob("views/*.landings2")
    whole = kept.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1])):
        kept.write_bytes(damaged)
        assert asked(repo, "store/wal.go").dependents == right


def test_where_there_is_no_history_names_remain(repo, tmp_path):
    shallow = repo.clone(tmp_path / "shallow", "--depth=1", of=f"file://{repo.path}")
    found = asked(shallow, "store/wal.go").dependents
    assert asked(shallow, "store/wal.go").dependents == found  # of what is kept
    assert {file.path for file in found if file.evidence} == {"e2e/wal_test.go"}
    tree = repo.git("rev-parse", "HEAD^{tree}")
    found = asked(repo, "store/wal.go", at=tree).dependents
    assert {file.path for file in found if file.evidence} == {"e2e/wal_test.go"}
