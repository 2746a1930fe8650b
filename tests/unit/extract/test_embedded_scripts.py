"""The imports of scripts in component files."""

import pytest

from gitsearch.extract.facts import facts, structure


def imports(text, language="vue"):
    return [f"{i.line} {i.kind} {i.specifier}" for i in structure(text.encode(), language).imports]


def test_lines_are_those_of_the_file():
    text = "<p>\u00e4\n</p>\n<script>\nimport a from './a'</script>\n<script setup>import b from './b'\n</script>"
    assert imports(text) == ["4 import ./a", "5 import ./b"]


@pytest.mark.parametrize("language", ["vue", "svelte"])
@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("<script>", "const x = <T,>(y) => import('./a')"),
        ('<script lang="ts">', "const x = <T>y; import './a'"),
        ('<script lang="ts" setup generic="T">', "type X = import('./a').X"),
        ('<script lang="tsx">', "const x = <p>{y}</p>; import './a'"),
        ("<script lang='jsx'>", "const x = <p>it's</p>; import './a'"),
        ("<script>", "/* </p> */ import './a'"),
        ("<script>", "\"<script>\"; import './a'"),
    ],
)
def test_scripts_are_parsed_in_their_language(language, tag, code):
    (found,) = imports(f"<p>{{x}}</p>{tag}{code}</script><p/>", language)
    assert found.endswith("./a")


def test_only_scripts_are_parsed():
    text = "<template>import './no'</template><style>import './no'</style><script>import './a'</script>"
    assert imports(text) == ["1 import ./a"]


def test_relative_sources_are_imports():
    text = "<img src='./a.png'><img src='https://x/b.png'><script src='./c.ts'></script>"
    assert imports(text) == ["1 url ./a.png", "1 url ./c.ts"]


@pytest.mark.parametrize(
    "text",
    ["<script>", "<script></script>", "<script>import './a'", "<script" * 9999, "<script>" * 9999],
)
@pytest.mark.parametrize("language", ["vue", "svelte"])
def test_a_component_may_be_broken(language, text):
    assert len(imports(text, language)) <= 1


def test_definitions_and_chunks_stay_what_they_are():
    found = facts(b"<script>\nimport a from './a'\nfunction f() {}\n</script>\n", "vue")
    assert found.definitions == ()
    assert len(found.chunks) == 1
