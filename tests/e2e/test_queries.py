"""Any words at all get an answer, or silence and exit 1: never a traceback, never a wait."""

# ruff: noqa: RUF001  letters of many scripts look alike

import unicodedata

import pytest

from tests.builder import RepoBuilder

# What a function is documented with, and words of it that somebody asks for.
DOCUMENTED = {
    "chinese": ("消息队列的管理器，负责重试失败的请求。", ["队列", "消息队列", "重试失败", "器"]),
    "japanese": (
        "失敗したリクエストを再試行するまでの待ち時間",
        ["再試行", "リクエスト", "待ち時間"],
    ),
    "korean": ("실패한 요청을 다시 시도하기 전의 대기 시간", ["요청", "대기 시간", "실패한"]),
    "thai": ("คิวข้อความที่ลองส่งคำขออีกครั้ง", ["ข้อความ", "คำขอ"]),
    "hindi": ("विफल अनुरोध का पुनः प्रयास", ["अनुरोध", "पुनः प्रयास"]),
    "arabic": ("إعادة محاولة الطلب الفاشل", ["محاولة", "الطلب الفاشل"]),
    "russian": ("Повтор неудачного запроса", ["повтор", "НЕУДАЧНОГО запроса"]),
    "greek": ("Επανάληψη αποτυχημένου αιτήματος", ["επανάληψη", "αιτήματος"]),
    "german": ("Wiederholt eine größere Menge früherer Anfragen", ["größere", "Früherer"]),
    "vietnamese": ("Thử lại yêu cầu không thành công", ["yêu cầu", "thành công"]),
}
CODE = "def step_{number}(value):\n    # {text}\n    return value + {number}\n"


@pytest.fixture(scope="module")
def scripts_template(installed, tmp_path_factory):
    """A file for each script; those with accents in decomposed letters, as some editors write."""
    repo = RepoBuilder(tmp_path_factory.mktemp("scripts") / "scripts")
    for number, (name, (text, _)) in enumerate(DOCUMENTED.items()):
        written = unicodedata.normalize("NFD", text) if number % 2 else text
        repo.write(f"src/{name}.py", CODE.format(number=number, text=written))
    repo.write("src/caf\u0065\u0301.py", "def cafe\u0301_au_lait():\n    return 1\n")
    for number in range(20):
        repo.write(f"src/other_{number}.py", f"def other_{number}(value):\n    return {number}\n")
    repo.commit()
    assert installed.run("index", cwd=repo.path).returncode == 0
    return repo


@pytest.mark.parametrize(
    ("name", "words"),
    [(name, words) for name, (_, asked) in DOCUMENTED.items() for words in asked],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_function_is_found_by_the_words_that_document_it(
    program, scripts_template, name, words, form
):
    asked = unicodedata.normalize(form, words)
    found = program.answer("-k", "3", asked, cwd=scripts_template.path)["results"]
    assert found[0]["path"] == f"src/{name}.py"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_with_an_accent_is_found_in_either_form(installed, scripts_template, form):
    name = unicodedata.normalize(form, "café_au_lait")
    (first, *_) = installed.answer(name, cwd=scripts_template.path)["results"]
    assert unicodedata.normalize("NFC", first["symbol"]) == "café_au_lait"
    done = installed.run("def", name, cwd=scripts_template.path)
    assert done.returncode == 0
    assert "lait" in done.stdout


ANYTHING = {
    "only stop words": "where is the",
    "one letter": "q",
    "punctuation": "!!! ??? ;; (){}",
    "dashes": "--- -- -",
    "underscores": "___ _",
    "emoji": "🚀 👩‍👩‍👧 🇩🇪",
    "marks alone": "\u0301\u0302",
    "control characters": "retry\x01\x1b[31m\x07\x7f",
    "right to left": "\u202eretry\u2066",
    "blanks of all kinds": "\u00a0\u2003\u200b\u3000 \ufeff",
    "half a surrogate pair": b"retry \xed\xa0\x80",
    "no UTF-8": b"\xff\xfe \xc3",
    "beyond the BMP": "𝒓𝒆𝒕𝒓𝒚 𠀋𠀋",
    "a regex": r"(.*)+[a-z]+?\d{3}$ (?<!x)",
    "a shell": "$(id) `id` \"'; rm -rf / #",
    "nearly a name": "a_" * 4000 + "a -",
    "one long word": "x" * 120_000,
    "many words": " ".join(f"w{i}ord" for i in range(10_000)),
    "many unknown scripts": "消息队列重试" * 5_000,
    "one word often": "retry " * 20_000,
}

# What standard error says beside the answer, in any mode and in the one that reads questions.
SAID = {"many words": ["words of the query were not looked at"]}
UNANSWERED = "nothing here seems to answer that"
SAID_OF_QUESTIONS = {
    "only stop words": [UNANSWERED],
    "a regex": [UNANSWERED, "if this is a regular expression"],
    "a shell": [UNANSWERED],
}


@pytest.mark.parametrize("what", ANYTHING)
@pytest.mark.parametrize("mode", ["auto", "symbol"])
@pytest.mark.long
def test_any_words_get_an_answer_or_silence(program, indexed, what, mode):
    done = program.run("--mode", mode, "-e", ANYTHING[what], cwd=indexed.path)
    assert done.returncode in (0, 1)
    assert bool(done.stdout) == (done.returncode == 0)
    said = SAID.get(what, SAID_OF_QUESTIONS.get(what, []) if mode == "auto" else [])
    lines = done.stderr.splitlines()
    assert len(lines) == len(said)
    assert all(words in line for words, line in zip(said, lines, strict=True))


@pytest.mark.parametrize("what", ["underscores", "one long word", "emoji", "marks alone"])
def test_what_holds_no_word_finds_nothing(program, indexed, what):
    done = program.run("-e", ANYTHING[what], cwd=indexed.path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_words_that_were_not_looked_at_are_counted_in_the_answer(installed, indexed):
    found = installed.answer(ANYTHING["many words"], cwd=indexed.path)
    (warning,) = found["warnings"]
    assert "last 9744 words" in warning
    done = installed.run("map", "--query", ANYTHING["many words"], cwd=indexed.path)
    assert "last 9744 words" in done.stderr


README = """# relay

Sends requests again and again.

## Installation

Get it with pip: `pip install relay`.

## Timeouts

Give `timeout=` in seconds to `send`; set `relay.timeout` for all requests.

## Colours

`--no-colour` turns them off.
"""
SENDER = """def send(request, timeout=30):
    return opened(request).wait(timeout)


def timeout_of(options):
    \"\"\"The timeout of a request, as the options set it.\"\"\"
    return float(options.get("timeout", 30))
"""


@pytest.fixture(scope="module")
def used_template(installed, tmp_path_factory):
    """A program with a README and a changelog that say what its code does."""
    repo = RepoBuilder(tmp_path_factory.mktemp("used") / "used")
    repo.write("README.md", README)
    repo.write("src/sender.py", SENDER)
    repo.write("CHANGELOG.md", "# Changes\n\n- set a timeout: how to set a timeout is new\n")
    for number in range(20):
        repo.write(f"src/other_{number}.py", f"def other_{number}(value):\n    return {number}\n")
    repo.commit()
    assert installed.run("index", cwd=repo.path).returncode == 0
    return repo


def test_who_asks_how_to_use_it_is_shown_the_readme_and_the_code_beside_it(
    installed, used_template
):
    found = installed.answer("how do I set a timeout", cwd=used_template.path)["results"]
    first = [one["path"] for one in found[:3]]
    assert first[0] == "README.md"
    assert "src/sender.py" in first
    assert "Timeouts" in found[0]["text"]


@pytest.mark.parametrize("words", ["where is the timeout set", "set timeout", "timeout handling"])
def test_who_asks_for_the_place_is_shown_the_code_first(installed, used_template, words):
    found = installed.answer(words, cwd=used_template.path)["results"]
    assert found[0]["path"] == "src/sender.py"
