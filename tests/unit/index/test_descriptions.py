"""Descriptions of chunks by a command of the user's: kept, bounded, and a source of words."""

import pytest

from gitsearch.commands.search import search
from gitsearch.commands.status import status
from gitsearch.git import background_process
from gitsearch.index import describer, descriptions
from gitsearch.index.descriptions import Descriptions, key_of, line_of
from gitsearch.index.fsck import problems
from gitsearch.settings import SearchRequest
from tests.unit.commands.asked import indexed, session

OVEN = "class Oven:\n    def heat(self, degrees):\n        self.degrees = degrees\n"
SINK = "class Sink:\n    def pour(self, water):\n        self.level = water\n"


@pytest.fixture
def started(monkeypatch):
    """The arguments of background processes, none of which is started."""
    calls = []
    monkeypatch.setattr(background_process, "start", lambda repo, *words: calls.append(words))
    monkeypatch.delenv("CI", raising=False)
    return calls


@pytest.fixture
def kitchen(repo, tmp_path, started):
    """A repository with a command that calls an oven a croissant machine, and counts its calls."""
    repo.having({"oven.py": OVEN, "sink.py": SINK}).commit("kitchen")
    script = tmp_path / "describe"
    script.write_text(
        "#!/bin/sh\n"
        f'text=$(cat); echo "$text" >> {tmp_path}/texts; echo call >> {tmp_path}/calls\n'
        'case $text in *Oven*) echo "bakes croissants";; *) echo "washes spoons";; esac\n'
    )
    script.chmod(0o755)
    describe_by(repo, str(script))
    return repo


def describe_by(repo, command):
    repo.git("config", "search.describeCommand", command)


def described(repo):
    """Describe HEAD as a background process does."""
    indexed(repo)
    return describer.describe(session(repo.path), [repo.rev("HEAD^{tree}")])


def calls(tmp_path):
    file = tmp_path / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def paths(repo, text, **options):
    report = search(session(repo.path), SearchRequest(text, mode="lexical", **options))
    return [one.path for one in report.results]


def test_words_of_descriptions_are_searched(kitchen, tmp_path):
    indexed(kitchen)
    assert paths(kitchen, "croissants") == []
    assert described(kitchen) == (2, 0, "")
    assert paths(kitchen, "croissants") == ["oven.py"]
    assert paths(kitchen, "croissant") == ["oven.py"]  # an inflected form
    assert paths(kitchen, "spoons") == ["sink.py"]
    assert set(paths(kitchen, "croissants in the sink")) == {"oven.py", "sink.py"}
    assert (tmp_path / "texts").read_text() == OVEN + SINK


def test_a_word_of_a_description_is_not_respelt(kitchen):
    kitchen.write("pan.py", "def spoonz():\n    return 1\n")
    kitchen.commit()
    described(kitchen)
    assert search(session(kitchen.path), SearchRequest("spoons")).respelt == ()
    assert set(paths(kitchen, "spoons")) == {"pan.py", "sink.py"}


def test_a_command_is_run_once_on_a_text(kitchen, tmp_path):
    described(kitchen)
    assert described(kitchen) == (0, 0, "")
    kitchen.rename("oven.py", "stove.py")
    kitchen.write("twin.py", OVEN)
    kitchen.commit()
    assert described(kitchen) == (0, 0, "")
    assert calls(tmp_path) == 2
    assert set(paths(kitchen, "croissants")) == {"stove.py", "twin.py"}
    for view in (kitchen.index_dir / "views").glob("*"):
        view.unlink()
    described(kitchen)
    assert calls(tmp_path) == 2
    assert set(paths(kitchen, "croissants")) == {"stove.py", "twin.py"}


def test_only_new_texts_are_described_after_a_commit(kitchen, tmp_path):
    for number in range(20):
        kitchen.write(f"f{number}.py", f"def f{number}():\n    return {number}\n")
    kitchen.commit()
    described(kitchen)
    kitchen.write("oven.py", OVEN.replace("degrees", "kelvin"))
    kitchen.commit()
    indexed(kitchen)
    assert "sink.py" in paths(kitchen, "spoons", max_count=99)
    assert paths(kitchen, "croissants") == []
    assert described(kitchen).calls == 1
    assert paths(kitchen, "croissants") == ["oven.py"]


def test_another_command_describes_anew(kitchen):
    described(kitchen)
    describe_by(kitchen, "cat >/dev/null; echo zebra")
    assert paths(kitchen, "croissants") == []
    assert described(kitchen).calls == 2
    assert paths(kitchen, "croissants") == []
    assert set(paths(kitchen, "zebra")) == {"oven.py", "sink.py"}


def test_edited_files_have_no_words_of_what_they_were(kitchen):
    described(kitchen)
    kitchen.write("oven.py", OVEN.replace("degrees", "kelvin"))
    assert paths(kitchen, "croissants") == []
    assert paths(kitchen, "croissants", at="HEAD") == ["oven.py"]


def test_without_a_command_nothing_is_made_or_read(kitchen):
    described(kitchen)
    kitchen.git("config", "--unset", "search.describeCommand")
    assert paths(kitchen, "croissants") == []
    assert described(kitchen) == (0, 0, "")


def test_a_view_is_the_same_with_and_without(kitchen):
    indexed(kitchen)
    before = {path.name: path.read_bytes() for path in kitchen.index_dir.glob("views/*")}
    described(kitchen)
    after = {path.name: path.read_bytes() for path in kitchen.index_dir.glob("views/*.view")}
    assert after == before


BAD = {
    "fails": "exit 1",
    "is missing": "/no/such/program",
    "binary": "printf 'croissants \\000\\377'",
    "escapes": "printf '\\033]0;croissants\\007'",
    "a control character": "printf 'croissants\\010'",
    "ten megabytes": "head -c 10000000 /dev/zero | tr '\\000' x",
    "without end": "yes croissants",
    "is killed": "kill -9 $$",
}


@pytest.mark.parametrize("command", BAD.values(), ids=BAD.keys())
def test_what_a_bad_command_says_costs_its_description(kitchen, command):
    describe_by(kitchen, f"cat >/dev/null; {command}")
    assert described(kitchen) == (2, 2, "")
    assert paths(kitchen, "croissants") == []
    assert paths(kitchen, "oven") == ["oven.py"]
    assert b"\033" not in (kitchen.index_dir / "descriptions").read_bytes()
    assert described(kitchen) == (0, 0, "")


def test_a_command_that_hangs_is_stopped(kitchen, monkeypatch):
    monkeypatch.setattr(describer, "CALL_SECONDS", 0.2)
    describe_by(kitchen, "sleep 1000")
    assert described(kitchen) == (2, 2, "")


def test_a_run_ends_when_the_command_fails_again_and_again(repo, started):
    for number in range(9):
        repo.write(f"f{number}.py", f"def f{number}():\n    return {number}\n")
    repo.commit()
    describe_by(repo, "exit 1")
    assert described(repo) == (5, 5, "the command failed 5 times in a row")
    assert described(repo).calls == 4


def test_a_run_is_bounded_and_the_next_one_goes_on(kitchen, monkeypatch):
    kitchen.write("tests/test_oven.py", "def test_oven():\n    assert bake()\n")
    kitchen.commit()
    monkeypatch.setattr(describer, "RUN_CALLS", 2)
    assert described(kitchen) == (2, 0, "the rest is left for the next run")
    assert paths(kitchen, "croissants") == ["oven.py"]
    assert status(session(kitchen.path)).descriptions == (2, 1, "")
    monkeypatch.setattr(describer, "RUN_SECONDS", -1.0)
    assert described(kitchen) == (0, 0, "the rest is left for the next run")
    monkeypatch.setattr(describer, "RUN_SECONDS", 300.0)
    assert described(kitchen) == (1, 0, "")
    assert status(session(kitchen.path)).descriptions == (3, 0, "")


def test_what_is_kept_is_bounded(kitchen, monkeypatch, started):
    monkeypatch.setattr(descriptions, "MOST_BYTES", 1)
    assert described(kitchen) == (1, 0, "as many descriptions are kept as may be")
    assert described(kitchen) == (0, 0, "")  # and none is asked for again
    paths(kitchen, "oven")
    assert started == []


def test_room_is_made_by_dropping_descriptions_of_what_is_gone(kitchen, monkeypatch):
    described(kitchen)
    kitchen.remove("oven.py")
    kitchen.write("pan.py", "def fry():\n    return 1\n")
    kitchen.commit()
    kept = (kitchen.index_dir / "descriptions").read_bytes()
    monkeypatch.setattr(descriptions, "MOST_BYTES", len(kept))
    assert described(kitchen) == (1, 0, "")
    assert len((kitchen.index_dir / "descriptions").read_bytes()) == len(kept) - len(
        "bakes croissants"
    ) + len("washes spoons")


def test_one_process_describes_at_a_time(kitchen, tmp_path):
    from gitsearch.store import layout, lock

    indexed(kitchen)
    with lock.alone(kitchen.index_dir, layout.DESCRIBER, 0.0):
        assert described(kitchen) == (0, 0, "another process describes code")
    assert calls(tmp_path) == 0


def test_a_search_starts_a_run_until_all_is_described(kitchen, started):
    indexed(kitchen)
    paths(kitchen, "oven")
    tree = kitchen.rev("HEAD^{tree}")
    assert started == [("index", "--background", "--at", tree)]
    started.clear()
    described(kitchen)
    paths(kitchen, "oven")
    paths(kitchen, "oven", refresh="off")
    assert started == []


def test_a_command_of_the_tree_is_not_run_and_status_says_so(kitchen, tmp_path):
    kitchen.git("config", "--unset", "search.describeCommand")
    kitchen.write("settings", f"[search]\n\tdescribeCommand = echo call >> {tmp_path}/calls\n")
    kitchen.git("config", "include.path", "../settings")
    assert "settings" in described(kitchen).said
    assert calls(tmp_path) == 0
    counts = status(session(kitchen.path)).descriptions
    assert counts is not None
    assert "settings" in counts.refusal


def test_verify_and_gc_know_the_files(kitchen):
    from gitsearch.index.garbage_collection import collect

    described(kitchen)
    store = session(kitchen.path).store
    assert list(problems(store, {})) == []
    collect(session(kitchen.path))
    assert paths(kitchen, "croissants") == ["oven.py"]
    (file,) = kitchen.index_dir.glob("views/*.described")
    data = bytearray(file.read_bytes())
    data[-128:] = bytes(byte ^ 255 for byte in data[-128:])
    file.write_bytes(data)
    assert [name for name, _ in problems(store, {})] == [f"views/{file.name}"]
    assert paths(kitchen, "croissants") == []
    assert described(kitchen).calls == 0
    assert paths(kitchen, "croissants") == ["oven.py"]


# ---------------------------------------------------------------- the file of descriptions


def test_lines_are_kept(tmp_path):
    kept = Descriptions(tmp_path)
    keys = [key_of("command", text) for text in (b"a", b"b", b"c")]
    for key, line in zip(keys, ("one", "", "été"), strict=True):
        assert kept.get(key) is None
        kept.add(key, line)
    assert [Descriptions(tmp_path).get(key) for key in keys] == ["one", "", "été"]
    assert key_of("other command", b"a") not in keys


@pytest.mark.parametrize("cut", [1, 3, 20, 40])
def test_a_line_that_is_cut_is_asked_for_again(tmp_path, cut):
    kept = Descriptions(tmp_path)
    first, last, next_one = (key_of("command", text) for text in (b"a", b"b", b"c"))
    kept.add(first, "one")
    kept.add(last, "two words")
    file = tmp_path / "descriptions"
    file.write_bytes(file.read_bytes()[:-cut])
    again = Descriptions(tmp_path)
    assert again.get(first) == "one"
    assert again.get(last) == ("two words" if cut == 1 else None)
    again.add(next_one, "three")
    assert Descriptions(tmp_path).get(next_one) == "three"


def test_what_is_no_line_of_ours_is_passed_over(tmp_path):
    kept = Descriptions(tmp_path)
    key = key_of("command", b"a")
    kept.add(key, "one")
    file = tmp_path / "descriptions"
    file.write_bytes(b"junk\n\xff\xfe\n" + file.read_bytes().replace(b"one", b"two"))
    assert Descriptions(tmp_path).get(key) is None


def test_another_kind_of_file_is_no_file(tmp_path):
    (tmp_path / "descriptions").mkdir()
    kept = Descriptions(tmp_path)
    kept.add(key_of("command", b"a"), "one")
    assert Descriptions(tmp_path).get(key_of("command", b"a")) == "one"


def test_a_file_that_is_too_large_is_begun_anew(tmp_path, monkeypatch):
    (tmp_path / "descriptions").write_bytes(b"x" * 300)
    monkeypatch.setattr(descriptions, "MOST_BYTES", 100)
    Descriptions(tmp_path).add(key_of("command", b"a"), "one")
    assert (tmp_path / "descriptions").stat().st_size < 100


def test_the_first_line_counts_and_has_a_bound():
    assert line_of(b"\n\n  one\ttwo  \nthree\n") == "one two"
    assert line_of("été 漢字\n".encode()) == "été 漢字"
    assert line_of(b"") == ""
    assert line_of(b"word " * 1000) == ("word " * 60).strip()
    assert line_of(b"\xff") is None
    assert line_of(b"\x1b[31mred") is None
    assert line_of("\u202e".encode()) == "\u202e"  # never shown
