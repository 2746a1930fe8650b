"""Definitions, imports and references found in Python."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
\"\"\"Module doc.\"\"\"
import os, sys as system
from . import x
from .m import (y, z as zz)
from q import *
from __future__ import annotations

# Tries before giving up,
# at most.
LIMIT: int = 5
a, b = 1, 2; (c, d) = 1, 2
x.y = 4
if a:
    import json
    flag = 1

type Alias = int | Other


@deco.rator(1)
@other
class Foo(Base, metaclass=Meta):
    \"\"\"Class doc.

    More.\"\"\"
    field: int = 3
    MAX = 2

    def __init__(self, a: int,
                 b=2):
        \"\"\"Init doc.\"\"\"
        self.a = a
        local = 3
        def inner(): pass

    @property
    async def prop(self) -> List[int]:
        return self.call().chain(x)

    class Nested:
        z = 1


def gen(*args, **kw):
    try:
        raise Failure
    except (ValueError, m.Error) as e:
        pass
import_module("a.b"), importlib.import_module(".c", __package__)
__import__(f"{a}.b")
"""

CASE = Case(
    "python",
    SOURCE,
    definitions="""
    10-10 constant LIMIT | LIMIT: int = 5 | Tries before giving up, at most.
    11-11 variable a | a, b = 1, 2
    11-11 variable b | a, b = 1, 2
    11-11 variable c | (c, d) = 1, 2
    11-11 variable d | (c, d) = 1, 2
    15-15 variable flag | flag = 1
    17-17 type Alias | type Alias = int | Other
    20-41 class Foo | class Foo(Base, metaclass=Meta) | Class doc.
    26-26 field Foo.field | field: int = 3
    27-27 constant Foo.MAX | MAX = 2
    29-34 constructor Foo.__init__ | def __init__(self, a: int, b=2) | Init doc.
    34-34 function Foo.__init__.inner | def inner()
    36-38 method Foo.prop | async def prop(self) -> List[int]
    40-41 class Foo.Nested | class Nested
    41-41 field Foo.Nested.z | z = 1
    44-48 function gen | def gen(*args, **kw)
    """,
    imports="""
    2 import os
    2 import sys
    3 from . x
    4 from .m y,z as zz
    5 from q *
    6 from __future__ annotations
    14 import json
    49 dynamic a.b
    49 dynamic .c __package__
    50 dynamic (f"{a}.b")
    """,
    calls="""
    rator:20 other:21 property:36 call:38 chain:38 import_module:49 __import__:50
    """,
    types="""
    int:10 int:17 Other:17 Base:22 int:26 int:29 List:37 int:37 Failure:46 ValueError:47
    """,
)


class TestPython(CaseChecks):
    case = CASE
