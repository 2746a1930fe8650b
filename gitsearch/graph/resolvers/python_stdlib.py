"""Modules of Python's standard library, of every version from 3.8 to 3.14.

`test` is left out, which is also the name of many projects' own tests, as are modules that were
removed early and have a common name (parser, formatter, symbol).
"""

from __future__ import annotations

# Packages with submodules. `code` is not one of them, so `code.utils` is not in the library.
_PACKAGES = """
_typeshed asyncio collections compression concurrent ctypes curses dbm distutils email encodings
ensurepip html http idlelib importlib json lib2to3 logging multiprocessing os pathlib pydoc_data
re sqlite3
string sysconfig tkinter turtledemo unittest urllib venv wsgiref xml xmlrpc zipfile zoneinfo
"""

_MODULES = """
__future__ __main__ _collections_abc _thread abc aifc annotationlib antigravity argparse
array ast asynchat asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile
calendar cgi cgitb chunk cmath cmd code codecs codeop colorsys compileall configparser contextlib
contextvars copy copyreg crypt csv dataclasses datetime decimal difflib dis doctest enum errno
faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt
getpass gettext glob graphlib grp gzip hashlib heapq hmac imaplib imghdr imp inspect io ipaddress
itertools keyword linecache locale lzma mailbox mailcap marshal math mimetypes mmap modulefinder
msilib msvcrt netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse ossaudiodev
pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats
pty pwd py_compile pyclbr pydoc pyexpat queue quopri random readline reprlib resource rlcompleter
runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
socketserver spwd sre_compile sre_constants sre_parse ssl stat statistics stringprep struct
subprocess sunau symtable sys syslog tabnanny tarfile telnetlib tempfile termios textwrap this
threading time timeit token tokenize tomllib trace traceback tracemalloc tty turtle types typing
unicodedata uu uuid warnings wave weakref webbrowser winreg winsound xdrlib zipapp zipimport zlib
"""

PACKAGES = frozenset(_PACKAGES.split())
MODULES = frozenset(_MODULES.split()) | PACKAGES
