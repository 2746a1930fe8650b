import pytest

from tests.unit.graph.projects import edges


@pytest.mark.parametrize(
    "written",
    [
        '"$(dirname "$0")/x.sh"',
        "`dirname $0`/x.sh",
        "${0%/*}/x.sh",
        '"${BASH_SOURCE[0]%/*}/x.sh"',
        '"${BASH_SOURCE%/*}"/x.sh',
        '"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/x.sh"',
        '"$BATS_TEST_DIRNAME/x.sh"',
    ],
)
def test_the_scripts_own_folder_is_known_however_it_is_written(written: str) -> None:
    files = {"a/m.sh": f". {written}\n", "a/x.sh": "", "b/x.sh": "", "x.sh": ""}
    assert edges(files, "a/m.sh") == {"a/x.sh": "resolved"}


@pytest.mark.parametrize("inner", ['cd "$(dirname "$0")/.." && pwd', 'dirname "$(dirname "$0")"'])
def test_a_folder_above_the_scripts_own_is_not_taken_for_it(inner: str) -> None:
    files = {"a/b/m.sh": f'. "$({inner})/lib/x.sh"\n', "a/lib/x.sh": ""}
    assert edges(files, "a/b/m.sh") == {"a/lib/x.sh": "resolved"}


def test_a_plain_path_starts_in_the_scripts_folder_or_one_above() -> None:
    files = {
        "a/b/m.sh": "source ./x.sh\n. lib/y.sh\nbuiltin source z\n",
        "a/b/x.sh": "",
        "lib/y.sh": "",
        "a/z": "",
        "x.sh": "",
    }
    assert edges(files, "a/b/m.sh") == {
        "a/b/x.sh": "resolved",
        "lib/y.sh": "resolved",
        "a/z": "resolved",
    }


def test_a_variable_leads_to_the_only_file_that_ends_so() -> None:
    files = {"t/m.sh": '. "$ROOT"/lib/x.sh\n', "src/lib/x.sh": ""}
    assert edges(files, "t/m.sh") == {"src/lib/x.sh": "resolved"}


def test_what_a_variable_stands_for_is_learned_from_its_other_uses() -> None:
    files = {
        "m.sh": '. "$LIB/x.sh"\n. "${LIB:-$D}/only.sh"\n',
        "a/x.sh": "",
        "b/x.sh": "",
        "b/only.sh": "",
    }
    assert edges(files, "m.sh") == {"b/x.sh": "resolved", "b/only.sh": "resolved"}


def test_one_variable_may_follow_another() -> None:
    files = {"m.sh": '. "$ROOT/$LIB/core/x.sh"\n', "lib/core/x.sh": ""}
    assert edges(files, "m.sh") == {"lib/core/x.sh": "resolved"}


def test_several_that_end_so_are_ambiguous() -> None:
    files = {"m.sh": ". $LIB/x.sh\n", "a/x.sh": "", "b/x.sh": ""}
    assert edges(files, "m.sh") == {"a/x.sh": "ambiguous", "b/x.sh": "ambiguous"}


def test_a_path_that_is_computed_is_unseen() -> None:
    files = {"m.sh": 'source "$1"\n. lib/$name.sh\nsource <(make)\n. lib/*.sh\n', "lib/a.sh": ""}
    assert edges(files, "m.sh") == {
        "$1": "computed-path",
        "lib/$name.sh": "computed-path",
        "<(make)": "computed-path",
        "lib/*.sh": "computed-path",
    }


def test_what_is_no_file_of_the_tree_is_nowhere() -> None:
    text = '. /etc/profile\n. ~/.bashrc\n. "$HOME/.bashrc"\n. ../../../x\n. missing.sh\n'
    assert edges({"m.sh": text, ".bashrc": "", "etc/profile": "", "x": ""}, "m.sh") == {}


def test_tests_load_helpers_with_and_without_their_ending() -> None:
    files = {
        "test/a.bats": "load test_helper\nload '../lib/y.bash'\nbats_load_library support\n",
        "test/test_helper.bash": "",
        "lib/y.bash": "",
        "vendor/support/load.bash": "",
        "run.sh": "load test_helper\n",
    }
    assert edges(files, "test/a.bats") == {
        "test/test_helper.bash": "resolved",
        "lib/y.bash": "resolved",
        "vendor/support/load.bash": "resolved",
    }
    assert edges(files, "run.sh") == {}


def test_odd_paths_lead_nowhere() -> None:
    odd = ["$(" * 50, "${", "$", "'", "\\", "$()/x", "${x}/../../../x", "..", "/", "$A/"]
    text = "".join(f'. "{one}"\n. {one}\n' for one in odd)
    found = edges({"a/m.sh": text, "a/y": ""}, "a/m.sh")
    assert set(found.values()) <= {"computed-path"}
