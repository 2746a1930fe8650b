"""Every use of a name in a text, and what it is written as."""

from gitsearch.extract.name_uses import uses

PYTHON = """\
from a import job, other as job
import lib as short
__all__ = ["job", "x"]
def run(first: "list[job]" = 1):
    first.job()  # job
    "job"
    send(job=2)
    return short.part.job, first().job
class Base(job):
    def job(self):
        return job
def wrap(job):
    return job
def outer():
    def job(): ...
    return job
[job for job in run]
f"{job}"
"""


def found(text, name, language="python"):
    return [(one.line, one.kind, one.owner) for one in uses(text.encode(), language, name)]


def test_each_token_is_a_use_but_for_what_binds_the_name():
    assert found(PYTHON, "job") == [
        (1, "import", None),
        (3, "export", None),
        (4, "type", None),
        (5, "call", "first"),
        (8, "name", "lib.part"),
        (8, "name", ""),
        (9, "type", None),
        (11, "name", None),
        (13, "name", None),
        (16, "name", None),
        (17, "name", None),
        (18, "name", None),
    ]


def test_names_that_are_bound_again_are_local():
    local = {one.line for one in uses(PYTHON.encode(), "python", "job") if one.local}
    assert local == {13, 16, 17}


def test_strings_that_are_read_as_types():
    text = 'x = cast("A", y)\nT = TypeVar("T", bound="A")\nF = Callable[["A"], "A"]\ng("A")\n'
    assert found(text, "A") == [(line, "type", None) for line in (1, 2, 3)]


def test_other_languages_need_no_query_of_their_own():
    text = "import { job } from './a'\n// job\nconst list = [job, 'job']\nx.job()\n"
    kinds = [(1, "import", None), (3, "name", None), (4, "call", "x")]
    assert found(text, "job", "typescript") == kinds


def test_a_name_that_require_binds_is_imported():
    text = "const { job, other: x } = require('./a')\nconst task = require('./b').job\njob(x)\n"
    kinds = [(1, "import", None), (2, "name", ""), (3, "call", None)]
    assert found(text, "job", "javascript") == kinds


def test_words_of_a_shell_are_uses_where_they_are_commands():
    assert found("job\necho job\n", "job", "bash") == [(1, "call", None)]


def test_the_scripts_of_a_component_are_read():
    text = "<template><job/></template>\n<script>\nimport { job } from './a'\njob()\n</script>\n"
    assert found(text, "job", "vue") == [(3, "import", None), (4, "call", None)]


def test_a_text_without_the_word_or_the_language_has_none():
    assert found("jobs = my_job\n", "job") == []
    assert found("job", "job", "markdown") == []
    assert found("job", "") == []


def test_uses_are_the_same_however_many_there_are():
    one = "def f(x):\n    return x.y(x)\n"
    few, many = uses(one.encode(), "python", "x"), uses((one * 40).encode(), "python", "x")
    assert [use[1:] for use in few] * 40 == [use[1:] for use in many]
    assert [use.line for use in many] == [2 * place + 2 for place in range(40)]


def test_very_many_other_names_of_one_take_linear_time():
    text = b"".join(b"import a.check as alias%d\n" % i for i in range(20_000))
    assert len(uses(text, "kotlin", "check")) == 20_000


def test_behind_self_or_super_the_enclosing_class_and_its_bases_are_told():
    text = (
        "class Inner(module.Base[int], Other, metaclass=Meta):\n"
        "    def job(self):\n"
        "        self.job(lambda: cls.job())\n"
        "        super().job()\n"
        "        self.part.job()\n"
        "    class Nested:\n"
        "        self.job()\n"
        "self.job()\n"
    )
    classes = {one.line: one.classes for one in uses(text.encode(), "python", "job")}
    assert classes == {
        3: ("Inner", "Base", "Other"),
        4: ("Inner", "Base", "Other"),
        5: (),
        7: ("Nested",),
        8: (),
    }


def test_what_joins_an_owner_and_a_name_depends_on_the_language():
    assert found("void f(T *a) { a->b->go(); N::go(); ::go(); go(); }", "go", "cpp") == [
        (1, "call", "b"),
        (1, "call", "N"),
        (1, "call", None),
    ]
    php = "<?php\n$this->go();\n$a->go();\nBox::go();\n'x' . go();\n"
    assert [owner for _, _, owner in found(php, "go", "php")] == ["this", "a", "Box", None]
    assert found("fn f() { m::go(); for i in 0..go {} }", "go", "rust") == [
        (1, "call", "m"),
        (1, "name", None),
    ]
    assert found("f(...go)", "go", "javascript") == [(1, "name", None)]


def test_the_receiver_of_a_method_of_go_has_its_type():
    text = b"package p\nfunc (b *Box) f() { b.do(); c.do() }\nfunc g(b *Box) { b.do() }\n"
    owners = [(one.owner, one.classes) for one in uses(text, "go", "do")]
    assert owners == [("b", ("Box",)), ("c", ()), ("b", ())]
