"""Settings of git config are read as git reads its own, and nonsense is refused by name."""

from pathlib import Path

import pytest

from gitsearch.commands.tree_selection import files_of, placed, select_tree
from gitsearch.errors import BadPath, NotARepository, UsageError
from gitsearch.index.session import settings_of
from gitsearch.settings import Settings
from tests.unit.commands.asked import searched, session


def test_without_settings_there_are_defaults():
    assert settings_of({}) == Settings()
    assert settings_of({"color.search": ["always"], "search.other": ["x"]}) == Settings()


def test_every_setting_is_read():
    found = settings_of(
        {
            "search.maxcount": ["7"],
            "search.mode": ["lexical"],
            "search.model": ["/models/code"],
            "search.maxfilesize": ["2m"],
            "search.refresh": ["off"],
            "search.describecommand": [" describe --short "],
        }
    )
    assert found == Settings(
        7,
        "lexical",
        "/models/code",
        2 << 20,
        "off",
        describe_command="describe --short",
        refresh_is_set=True,
        max_count_is_set=True,
    )


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("models/my code", "/top/models/my code"),
        ("../beside", "/top/../beside"),
        ("~/models", "/home/me/models"),
        ("~nobody-of-this-name/models", "/top/~nobody-of-this-name/models"),
        ("", ""),
    ],
)
def test_a_relative_folder_begins_at_the_top(monkeypatch, text, folder):
    monkeypatch.setenv("HOME", "/home/me")
    assert settings_of({"search.model": [text]}, Path("/top")).model == folder


def test_the_last_value_counts_and_the_case_of_a_key_does_not():
    assert settings_of({"search.maxCount": ["3", "9"]}).max_count == 9


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("10k", 10240), ("10K", 10240), ("1m", 1 << 20), ("1G", 1 << 30)]
)
def test_sizes_have_the_units_of_git(text, size):
    assert settings_of({"search.maxfilesize": [text]}).max_file_size == size


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *(
            ("search.maxcount", text)
            for text in ("", "0", "-1", "many", "1.5", "k", "1kk", "²", "0k")
        ),
        ("search.maxfilesize", "1t"),
        ("search.mode", "fast"),
        ("search.mode", ""),
        ("search.mode", "Hybrid"),
        ("search.refresh", "never"),
        ("search.refresh", "true"),
        ("color.search", "zzz"),
        ("color.search", "1t"),
    ],
)
def test_nonsense_is_refused_by_name(key, text):
    with pytest.raises(UsageError, match=f"git config {key}: '{text}'") as refused:
        settings_of({key: [text]})
    assert f"`git config --unset-all {key}`" in refused.value.hint


@pytest.mark.parametrize(("text", "enabled"), [("off", False), ("TRUE", True), ("1", True)])
def test_a_setting_of_hooks_is_a_boolean_of_git(repo, text, enabled):
    assert session(repo.path).hooks_enabled
    repo.git("config", "search.hooks", text)
    assert session(repo.path).hooks_enabled == enabled


def test_what_only_hooks_read_stops_no_search(current):
    current.git("config", "search.hooks", "zz")
    assert searched(current, "retry").results
    with pytest.raises(UsageError, match=r"git config search\.hooks: 'zz' is not true or false"):
        session(current.path).hooks_enabled  # noqa: B018


@pytest.mark.parametrize("text", ["auto", "Always", "NEVER", "true", "off", "", "1", "-2", "1k"])
def test_colours_that_git_takes_are_taken(text):
    assert settings_of({"color.search": [text]}) == Settings()


def test_settings_of_the_repository_count(current):
    current.git("config", "search.maxCount", "3")
    current.git("config", "search.mode", "lexical")
    report = searched(current, "retry", max_count=None)
    assert len(report.results) == 3
    assert report.mode == "lexical"
    assert searched(current, "retry", max_count=5, mode="symbol").mode == "symbol"
    current.git("config", "search.mode", "fast")
    with pytest.raises(UsageError):
        searched(current, "retry")


def test_outside_a_repository_there_is_nothing_to_ask(tmp_path):
    with pytest.raises(NotARepository):
        select_tree(session(tmp_path))


# ---------------------------------------------------------------- paths as written


def test_an_absolute_path_in_the_working_tree_is_one_from_its_top(repo, tmp_path):
    repo.having({"service/new.py": "", "README.md": ""})
    (tmp_path / "link").symlink_to(repo.path)
    repo.symlink("to_readme", "README.md")
    repo.commit()
    there = session(repo.path / "service").repo
    for top in (repo.path, tmp_path / "link"):
        assert placed(there, f"{top}/service/new.py") == "service/new.py"
        assert placed(there, f"{top}/docs/../service/") == "service"
        assert placed(there, str(top)) == ""
        # not what it leads to: it is a file of the repository itself
        assert placed(there, f"{top}/to_readme") == "to_readme"
    (tmp_path / "folder").symlink_to(repo.path / "service")
    assert placed(there, f"{tmp_path}/folder/new.py") == "service/new.py"
    for path in (f"{repo.path}-2/new.py", f"{repo.path}/../x", "/", str(tmp_path)):
        with pytest.raises(BadPath, match="is outside the repository"):
            placed(there, path)


def test_without_a_working_tree_every_absolute_path_is_outside(repo, tmp_path):
    repo.having({"service/new.py": ""})
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    with pytest.raises(BadPath, match="is outside the repository"):
        placed(session(bare.path).repo, f"{bare.path}/service/new.py")


# ---------------------------------------------------------------- a view read before the edits


def paths(opened):
    return {bytes(one.path) for one in files_of(opened).entries.values()}


def test_a_view_that_is_read_first_is_that_of_head_with_its_edits(current):
    current.write("service/added.py", "def added():\n    return 1\n")
    current.git("add", "-N", "service/added.py")
    selection = select_tree(session(current.path))
    selection.prepare()
    opened = selection.open()
    assert opened.tree.tree == current.rev("HEAD^{tree}")
    assert b"service/added.py" in paths(opened)
    assert opened.warnings == ()


def test_a_view_that_is_read_first_is_dropped_if_head_has_moved(current):
    before = session(current.path)
    old = before.head
    current.write("service/added.py", "def added():\n    return 1\n")
    current.commit()
    selection = select_tree(before)  # git status sees the new commit
    selection.prepare()
    opened = selection.open()
    assert old is not None
    assert opened.tree.commit == current.rev() != old.commit
    assert b"service/added.py" in paths(opened)


def test_a_damaged_view_is_healed_as_if_it_had_not_been_read_first(current):
    (view,) = (current.index_dir / "views").glob("*.view")
    data = view.read_bytes()
    view.chmod(0o644)
    view.write_bytes(data[: len(data) // 2])
    selection = select_tree(session(current.path))
    selection.prepare()
    assert paths(selection.open()) >= {b"README.md"}
    assert view.stat().st_size == len(data)
