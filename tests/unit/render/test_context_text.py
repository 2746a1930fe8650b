from gitsearch.render import color
from gitsearch.render.color import Paint
from gitsearch.render.context_text import context
from gitsearch.render.json_document import context as document
from tests.unit.render.reports import CONTEXT


def test_items_stand_under_their_kind_with_reason_and_code():
    assert "".join(context(CONTEXT, Paint())) == (
        "# Places\n"
        "src/a b.py:10-12 Policy.retries - has retry\n"
        "4= class Policy\n"
        "    def retries(self):\n"
        "\n"
        "        return 3\\x1b\n"
        "src/c.py:3-9 wait - has later\n"
        "  def wait(n)\n"
        "\n"
        "# Tests\n"
        "tests/test_c.py:1 - named like src/c.py\n"
        "\n"
        "2 more did not fit into 400 tokens\n"
    )


def test_colours_only_add_to_the_text():
    plain = "".join(context(CONTEXT, Paint()))
    painted = "".join(context(CONTEXT, Paint(colour=True)))
    for code in (color.PATH, color.LINE, color.SEPARATOR, color.BOLD, color.DIM, color.RESET):
        painted = painted.replace(code, "")
    assert painted == plain


def test_what_is_around_an_item_is_an_object_or_not_there():
    first, second, _ = document(CONTEXT)["items"]
    assert first["context"] == {"line": 4, "text": "class Policy"}
    assert second.keys() == first.keys() - {"context"}
