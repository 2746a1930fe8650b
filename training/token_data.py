"""Write the data of gitsearch.features.token_count: ``python -m training.token_data``.

tiktoken is asked for cl100k_base. It downloads its file, or takes it from TIKTOKEN_CACHE_DIR, and
verifies the SHA-256. Which characters are letters and numbers is asked of tiktoken, too: Python's
own tables depend on its version.
"""

from __future__ import annotations

import zlib
from itertools import groupby

import tiktoken

from gitsearch.features.token_count import DATA, SEPARATOR


def tokens(encoding: tiktoken.Encoding) -> bytes:
    """Return the tokens in the order of their ranks: 256 single bytes, then the separated others.

    Raises ValueError if they cannot be written like this.
    """
    ordered = encoding.token_byte_values()
    by_rank = sorted(ordered, key=encoding.encode_single_token)
    single, others = by_rank[:256], by_rank[256:]
    if {len(token) for token in single} != {1} or any(SEPARATOR in token for token in others):
        raise ValueError(f"{encoding.name} has tokens that this format cannot hold")
    return b"".join(single) + SEPARATOR.join(others)


def classes() -> str:
    """Return the first code point of each run of letters (L), numbers (N) or others (-)."""
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    letters, numbers = (_matched(rf"\p{{{kind}}}+", characters) for kind in "LN")

    def kind(character: str) -> str:
        return "L" if character in letters else "N" if character in numbers else "-"

    runs = [next(run) for _, run in groupby(characters, kind)]
    return "".join(f"{ord(first):04x} {kind(first)}\n" for first in runs)


def _matched(pattern: str, characters: list[str]) -> set[str]:
    """Return the characters that tiktoken's regular expressions match."""
    single = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding(
        "bytes", pat_str=pattern, mergeable_ranks=single, special_tokens={}
    )
    return set(encoding.decode(encoding.encode_ordinary("".join(characters))))


def main() -> None:
    """Write both files."""
    encoding = tiktoken.get_encoding("cl100k_base")
    (DATA / "tokens.zlib").write_bytes(zlib.compress(tokens(encoding), 9))
    (DATA / "classes.txt").write_text(classes(), "ascii")


if __name__ == "__main__":
    main()
