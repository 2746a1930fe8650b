"""When a Ctrl-C may be raised."""

from __future__ import annotations

from types import FrameType

_IMPORT_SYSTEM = "<frozen importlib._bootstrap>"


def importing(frame: FrameType | None) -> bool:
    """Return True if the frame, or one that called it, is of an import.

    An exception that a signal raises in an import of C code may become an ImportError, or end the
    process with what the library prints of it.
    """
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT_SYSTEM:
            return True
        frame = frame.f_back
    return False
