"""Pages as a browser shows them, where one is installed."""

import os
import shutil
import subprocess
from pathlib import Path

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def shown(page: str, folder: Path) -> str:
    """The document that a browser makes of a page; it is drawn, too, and loads nothing."""
    assert BROWSER is not None
    (folder / "page.html").write_text(page, encoding="utf-8")
    flags = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *(f"--user-data-dir={folder / 'profile'}", "--window-size=900,900"),
        *(f"--screenshot={folder / 'page.png'}", "--dump-dom"),
    )
    done = subprocess.run(
        [BROWSER, *flags, (folder / "page.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )
    assert (folder / "page.png").stat().st_size > 1000
    return done.stdout
