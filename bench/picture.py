"""The picture of a comment: the report on a small change, rendered by a browser.

    npm install --prefix FOLDER puppeteer-core@24 @sparticuz/chromium@147
    python -m bench.picture FOLDER --environment VENV [--out docs/review.webp]

The Markdown is that of `git search report --md`, its HTML by cmarkgfm, which is GitHub's own
parser, under a style sheet that is like GitHub's; the browser is chromium.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import cmarkgfm

from bench import contenders
from bench.filing import ROOT
from bench.histories import said
from tests.builder import RepoBuilder

_PROGRAM = ROOT / "bench" / "picture.mjs"
_STYLE = """
body { margin: 0; padding: 16px; width: 820px; background: #fff; color: #1f2328;
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; overflow: hidden; }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px;
  color: #59636e; }
.head b { color: #1f2328; }
.bot { border: 1px solid #d1d9e0; border-radius: 2em; padding: 0 7px; font-size: 12px; }
.body { padding: 16px; }
p, ul, pre, details { margin: 0 0 12px; } ul { padding-left: 2em; }
h4 { margin: 16px 0 8px; font-size: 14px; } a { color: #0969da; text-decoration: none; }
code { background: #818b981f; border-radius: 6px; padding: .2em .4em; font-size: 85%;
  font-family: ui-monospace, Menlo, "DejaVu Sans Mono", monospace; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; }
pre code { background: none; padding: 0; }
"""

_COPIED = '''\
def parse_amount(text: str) -> int:
    """Cents of an amount as people write it: 1.234,50 or 1,234.50."""
    digits = [one for one in text if one.isdigit() or one in ".,"]
    if not digits:
        raise ValueError(f"no amount in {text!r}")
    last = max("".join(digits).rfind("."), "".join(digits).rfind(","))
    whole = "".join(one for one in digits[:last] if one.isdigit()) or "0"
    cents = "".join(digits[last + 1 :]).ljust(2, "0")[:2]
    return int(whole) * 100 + int(cents)
'''
_MAIN = {
    "CODEOWNERS": "/api/ @octo-org/web\n/shop/ @octo-org/shop\n",
    "shop/__init__.py": "",
    "shop/money.py": '"""Amounts in cents."""\n\n\n'
    'def format_price(cents: int) -> str:\n    return f"{cents / 100:.2f} EUR"\n\n\n' + _COPIED,
    "shop/tax.py": '"""Taxes by country."""\n\nRATES = {"de": 19, "fr": 20}\n\n\n'
    "def tax_of(cents: int, country: str) -> int:\n    return cents * RATES[country] // 100\n",
    "shop/invoice.py": "from shop.money import format_price\nfrom shop.tax import tax_of\n\n\n"
    "def total(lines: list[int], country: str) -> str:\n    net = sum(lines)\n"
    "    return format_price(net + tax_of(net, country))\n",
    "shop/cart.py": "from shop.invoice import total\n\n\nclass Cart:\n"
    "    def __init__(self) -> None:\n        self.lines: list[int] = []\n\n"
    '    def pay(self) -> str:\n        return total(self.lines, "de")\n',
    "api/__init__.py": "",
    "api/checkout.py": "from shop.cart import Cart\n\n\ndef checkout() -> str:\n"
    "    return Cart().pay()\n",
    "api/prices.py": "from shop.money import format_price\n\n\ndef price(cents: int) -> str:\n"
    "    return format_price(cents)\n",
    "tests/test_invoice.py": "from shop.invoice import total\n\n\ndef test_total():\n"
    '    assert total([100], "de") == "1.19 EUR"\n',
    "tests/test_checkout.py": "from api.checkout import checkout\n\n\ndef test_checkout():\n"
    '    assert checkout() == "0.00 EUR"\n',
    "docs/prices.md": "# Prices\n",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.picture",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("modules", type=Path, help="where npm has put chromium and puppeteer-core")
    parser.add_argument("--environment", type=Path, help="where git-search is installed")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "review.webp")
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        repo = _proposed(Path(folder) / "depot")
        words = ("report", "--base", "main", "--head", "feature", "--md")
        done = said(contenders.ours(args, repo.path, *words))
        _photograph(_page(done.stdout.decode()), args.modules, args.out, Path(folder))


def _proposed(path: Path) -> RepoBuilder:
    """A shop whose main branch has a short history, and a branch that breaks some of it."""
    repo = RepoBuilder(path)
    for name, text in _MAIN.items():
        repo.write(name, text)
    repo.commit("a shop")
    for number in range(5):
        repo.append("docs/prices.md", f"\nRule {number}.\n")
        repo.append("shop/money.py", f"\n# rule {number}\n")
        repo.commit(f"rule {number}")
    repo.branch("feature")
    repo.rename("shop/tax.py", "shop/vat.py")
    repo.replace(
        "shop/money.py", "format_price(cents: int)", "format_price(cents: int, currency: str)"
    )
    repo.write("api/amounts.py", _COPIED.replace("parse_amount", "read_amount"))
    repo.commit("taxes are called VAT")
    return repo


def _page(markdown: str) -> str:
    body = cmarkgfm.github_flavored_markdown_to_html(
        markdown, options=cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
    )
    return (
        f"<style>{_STYLE}</style><div class=comment><div class=head><b>github-actions</b> "
        f"<span class=bot>bot</span> commented</div><div class=body>{body}</div></div>"
    )


def _photograph(page: str, modules: Path, out: Path, folder: Path) -> None:
    file = folder / "page.json"
    file.write_text(json.dumps({"html": page, "out": str(out.absolute())}), encoding="utf-8")
    subprocess.run(["node", _PROGRAM, modules.absolute(), file], check=True)


if __name__ == "__main__":
    main()
