from tests.unit.graph.projects import project


def test_every_folder_on_the_way_to_a_file_is_known() -> None:
    tree = project({"a/b/c/d.py": "", "a/x.py": "", "top.py": ""})
    assert tree.folders == {"": [2], "a": [1], "a/b": [], "a/b/c": [0]}


def test_only_files_of_the_tree_are_read() -> None:
    tree = project({"go.mod": "module m"})
    assert tree.text("go.mod") == "module m"
    assert tree.text("../../etc/passwd") is None
