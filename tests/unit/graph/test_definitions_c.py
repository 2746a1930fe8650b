"""Which definition of C and C++ may run which."""

from __future__ import annotations

import pytest

from gitsearch.commands.impact import ImpactRequest, impact
from tests.unit.commands.asked import session
from tests.unit.graph.definitions import edges

C_FILES = {
    "src/list.h": """
#ifndef LIST_H
#define LIST_H
typedef struct list_ { struct list_ *next; int (*compare)(int, int); } list;
list *list_make(int n);
int list_add(list *l, int n);
#define LIST_EACH(l) list_walk(l)
enum { LIST_MAX = 10 };
#endif
""",
    "src/list.c": """
#include "list.h"

static int grow(list *l) { return LIST_MAX; }

list *list_make(int n) { list *l = 0; list_add(l, n); return l; }
int list_add(list *l, int n) { return grow(l); }
""",
    "src/all.h": '#include "list.h"\n',
    "src/main.c": """
#include "all.h"

static int smaller(int a, int b);
static int grow(int n) { return n; }

int main(void) {
    list *l = list_make(1);
    sort(l, smaller);
    LIST_EACH(l);
    return l->compare(1, grow(2));
}

static int smaller(int a, int b) { return a < b; }
""",
    "src/apart.c": "static int grow(int n) { return n; }\nint list_walk(int l) { return 0; }\n",
}

CPP_FILES = {
    "include/shapes.h": """
#pragma once
#include "size.h"
namespace draw {
class Shape {
 public:
  virtual ~Shape() {}
  virtual int area() const = 0;
  int twice() const { return area() * 2; }
};

class Square : public Shape {
 public:
  explicit Square(int edge);
  int area() const override;
  bool operator==(const Square& other) const;

 private:
  int value(int factor) const;
  Size size_;
};
}  // namespace draw
""",
    "include/size.h": """
namespace draw {
struct Size { int value() const { return n; } int n = limit(); };
int limit();
template <typename T> T largest(const T& a) { return a; }
}
""",
    "src/shapes.cpp": """
#include "shapes.h"

namespace draw {
Square::Square(int edge) : size_(largest<Size>(Size{edge})) {}

int Square::area() const { return value(2); }
int Square::value(int factor) const { return this->size_.value() * factor; }
bool Square::operator==(const Square& other) const { return area() == other.area(); }
int limit() { return 3; }
}
""",
    "tests/shapes_test.cpp": """
#include "../include/shapes.h"

using namespace draw;

TEST(ShapesTest, Area) {
  draw::Square square(2);
  const Shape& shape = square;
  EXPECT_EQ(shape.twice(), square.area());
}

TEST_CASE("sizes") {
  auto other = std::make_unique<Square>(3);
  other->twice();
}
""",
}


def test_calls_of_c_go_through_declarations_and_what_headers_include(repo):
    found = edges(repo.having(C_FILES))
    assert {
        ("main", "call", "list_make"),
        ("list_make", "call", "list_add"),
        ("list_add", "call", "grow"),
        ("grow", "variable", "LIST_MAX"),
        ("main", "value", "smaller"),
        ("main", "call", "LIST_EACH"),
        ("list", "subclass", "list_"),
    } <= found
    # no header of the file declares it
    assert not [edge for edge in found if edge[2] == "list_walk"]


def test_a_declaration_leads_to_what_defines_it(repo):
    repo.having(C_FILES)
    assert {edge for edge in edges(repo) if edge[1] == "declaration"} == {
        ("list_make", "declaration", "list_make"),
        ("list_add", "declaration", "list_add"),
        ("smaller", "declaration", "smaller"),
    }


def test_members_of_classes_are_found_in_other_files(repo):
    found = edges(repo.having(CPP_FILES))
    assert {
        ("draw.Square", "subclass", "draw.Shape"),
        ("draw.Shape.area", "override", "draw.Square.area"),
        ("draw.Shape.twice", "call", "draw.Shape.area"),
        ("draw.Square.area", "declaration", "draw.Square.area"),
        ("draw.Square.area", "call", "draw.Square.value"),
        ("draw.Square.value", "call", "draw.Size.value"),
        ("draw.Square.Square", "call", "draw.largest"),
        ("draw.Square.Square", "declaration", "draw.Square.Square"),
        ("draw.Square", "constructor", "draw.Square.Square"),
        ("draw.Square", "special", "draw.Square.operator=="),
        ("draw.Size.n", "call", "draw.limit"),
        ("draw.limit", "declaration", "draw.limit"),
        ("ShapesTest.Area", "call", "draw.Square"),
        ("ShapesTest.Area", "call", "draw.Shape.twice"),
        ("ShapesTest.Area", "call", "draw.Square.area"),
    } <= found


def test_the_body_behind_a_macro_is_code_of_the_file(repo):
    found = edges(repo.having(CPP_FILES))
    assert ("tests/shapes_test.cpp", "call", "draw.Square") in found
    assert ("tests/shapes_test.cpp", "call", "draw.Shape.twice") in found
    assert not [edge for edge in found if edge[0] == "other"]


MACRO_FILES = {
    "include/config.h": """
#pragma once
#define LIB_BEGIN_NAMESPACE \\
  namespace lib {           \\
  inline namespace v1 {
#define LIB_END_NAMESPACE }}
#define OTHER_NAMESPACE other __attribute__((visibility("hidden")))
#define OTHER_NAMESPACE_BEGIN(name) namespace name {
#define OTHER_NAMESPACE_END(name) }
#define INNER_NAMESPACE_BEGIN inline namespace v2 {
#define INNER_NAMESPACE_END }
""",
    "include/shapes.h": """
#pragma once
#include "config.h"

LIB_BEGIN_NAMESPACE

class Shape {
 public:
  int area() const;
  static int count();
};

int make(int n);
template <typename T> T largest(const T& a) { return a; }

namespace detail { inline int hidden() { return 1; } }

LIB_END_NAMESPACE
""",
    "include/more.h": """
#pragma once
#include "config.h"
namespace real {
INNER_NAMESPACE_BEGIN

struct Text { int size() const { return 1; } };
int join(int n);

INNER_NAMESPACE_END
}  // namespace real

OTHER_NAMESPACE_BEGIN(OTHER_NAMESPACE)
int apart(int n);
OTHER_NAMESPACE_END(OTHER_NAMESPACE)
""",
    "src/shapes.cpp": """
#include "../include/shapes.h"
LIB_BEGIN_NAMESPACE
int Shape::area() const { return count(); }
int Shape::count() { return 2; }
int make(int n) { return n; }
LIB_END_NAMESPACE
""",
    "src/user.cpp": """
#include "../include/shapes.h"
#include "../include/more.h"

int members() { lib::Shape s; return s.area(); }
int functions() { return lib::make(1); }
int of_class() { return lib::v1::Shape::count(); }
int templates() { return lib::largest<int>(1); }
int nested() { return lib::detail::hidden(); }
int inner() { real::Text t; return t.size() + real::join(2); }
int named() { return other::apart(2); }
""",
}


def test_what_stands_in_a_namespace_that_a_macro_opens_is_found_by_its_name(repo):
    found = edges(repo.having(MACRO_FILES))
    assert {
        ("members", "call", "Shape"),
        ("members", "call", "Shape.area"),
        ("functions", "call", "make"),
        ("of_class", "call", "Shape.count"),
        ("templates", "call", "largest"),
        ("nested", "call", "detail.hidden"),
        ("inner", "call", "real.Text"),
        ("inner", "call", "real.Text.size"),
        ("inner", "call", "real.join"),
        ("named", "call", "apart"),
        ("Shape.area", "call", "Shape.count"),
        ("Shape.area", "declaration", "Shape.area"),
        ("make", "declaration", "make"),
    } <= found


def test_a_macro_that_opens_a_namespace_is_used_where_it_stands(repo):
    found = edges(repo.having(MACRO_FILES))
    assert ("include/shapes.h", "call", "LIB_BEGIN_NAMESPACE") in found
    assert ("real", "call", "INNER_NAMESPACE_BEGIN") in found


STORED_FILES = {
    "ops.h": """
#define NOTHING 0
struct ops { int (*open)(int); int (*close)(int); };
struct dev { const struct ops *ops; int (*notify)(int); struct ops own; };
typedef struct { const char *name; int (*run)(int); } command_t;
int declared(int n);
int register_dev(struct dev *d);
""",
    "driver.c": """
#include "ops.h"
static int my_open(int n) { return n; }
static int my_close(int n) { return n; }
static int first(int n) { return n; }
static int second(int n) { return n; }
static int my_notify(int n) { return n; }
static int add(int n) { return n; }
static int del(int n) { return n; }
static int own_open(int n) { return n; }
static int any_of_it(int n) { return n; }
int declared(int n) { return n; }

static const struct ops my_ops = { .open = my_open, .close = &my_close };
static const struct ops by_place = { first, /* the other */ (close_fn)second };
static command_t commands[] = { { "add", add }, [3] = { .name = "del", .run = del } };
struct dev one = { .own = { .open = own_open } };
int register_dev(struct dev *d) {
    d->ops = &(struct ops){ .close = declared };
    d->notify = my_notify;
    unknown(d)->notify = any_of_it;
    d->notify = NOTHING;
    return 0;
}
void replace(struct dev *d, int (*first)(int)) { d->notify = first; }
""",
    "user.c": """
#include "ops.h"
int opens(struct dev *d) { return d->ops->open(1); }
int closes(struct dev *d) { return d->ops->close(1); }
int notifies(struct dev *d) { return d->notify(1); }
int runs(command_t *c) { return c->run(2); }
int of_unknown(void) { return get()->run(3); }
""",
}


def test_a_call_through_a_field_reaches_what_is_stored_in_it(repo):
    found = edges(repo.having(STORED_FILES))
    assert {
        ("opens", "variable", "ops.open"),
        ("runs", "variable", "command_t.run"),
        ("notifies", "variable", "dev.notify"),
        ("of_unknown", "dynamic", ".run"),
    } <= found
    assert {edge for edge in found if edge[1] == "candidate"} == {
        ("ops.open", "candidate", "my_open"),
        ("ops.open", "candidate", "first"),
        ("ops.open", "candidate", "own_open"),
        ("ops.close", "candidate", "my_close"),
        ("ops.close", "candidate", "second"),
        ("ops.close", "candidate", "declared"),
        ("dev.notify", "candidate", "my_notify"),
        (".notify", "candidate", "my_notify"),
        ("command_t.run", "candidate", "add"),
        ("command_t.run", "candidate", "del"),
        (".run", "candidate", "add"),
        (".run", "candidate", "del"),
    }


def test_a_user_of_what_is_stored_in_a_field_goes_through_the_line_of_the_field(repo):
    repo.having(STORED_FILES)
    edges(repo)
    found = impact(session(repo.path), ImpactRequest(("driver.c:my_notify",)))
    lines = {(one.path, one.line): one.label for one in found.dependents}
    assert lines["ops.h", 4] == "certain"
    assert lines["user.c", 5] == "likely"


def test_fields_of_a_base_and_of_the_type_itself_are_not_told_apart_by_place(repo):
    repo.having(
        {
            "a.cpp": "struct Base { int (*first)(int); };\n"
            "struct Derived : Base { int (*second)(int); };\nstruct Same : Base {};\n"
            "int f(int n) { return n; }\nint g(int n) { return n; }\n"
            "Derived both = { f, g };\nSame same = { f };\n"
        }
    )
    found = {edge for edge in edges(repo) if edge[1] == "candidate"}
    assert found == {("Base.first", "candidate", "f")}


def test_what_a_constructor_takes_is_in_no_field_by_place(repo):
    repo.having(
        {
            "a.cpp": "struct A { A(int (*f)(int)); int (*g)(int); };\n"
            "struct B { int (*g)(int); };\n"
            "int stored(int n) { return n; }\n"
            "A a = { stored };\nB b = { stored };\n"
        }
    )
    found = {edge for edge in edges(repo) if edge[1] == "candidate"}
    assert found == {("B.g", "candidate", "stored")}


def stored_in(repo, types, values, path="a.cpp"):
    """Return the edges from fields to functions a, b and c, which an initializer stores."""
    functions = "".join(f"int {name}(int n) {{ return n; }}\n" for name in "abc")
    repo.having({path: f"{types}\n{functions}T t = {{ {values} }};\n"})
    return {edge for edge in edges(repo) if edge[1] == "candidate"}


@pytest.mark.parametrize(
    "middle",
    [
        "static int (*y)(int);",
        "union { int (*y)(int); int other; };",
        "struct { int (*y)(int); };",
        "#if WITH_Y\nint (*y)(int);\n#endif\n",
        "#ifdef WITH_Y\nint (*y)(int);\n#else\nint (*w)(int);\n#endif\n",
    ],
)
def test_no_field_is_known_by_place_from_one_on_that_may_be_listed_elsewhere(repo, middle):
    types = f"struct T {{ int (*x)(int); {middle} int (*z)(int); }};"
    assert stored_in(repo, types, "a, b, c") == {("T.x", "candidate", "a")}


@pytest.mark.parametrize(
    "several",
    [
        "int y[2];",
        "int *y[2];",
        "int **y[2];",
        "char y[2][3];",
        "char *y[2];",
        "int (*y[2])(int);",
        "struct pair y;",
        "struct { int p; int q; } y;",
        "int y, w[2];",
    ],
)
def test_no_field_is_known_by_place_behind_one_that_may_be_listed_without_braces(repo, several):
    types = (
        "struct pair { int p; int q; };\n"
        f"typedef struct {{ int (*x)(int); {several} int (*z)(int); int (*last)(int); }} T;"
    )
    assert stored_in(repo, types, "a, 1, 2, b", "a.c") == {("T.x", "candidate", "a")}


@pytest.mark.parametrize(
    "whole",
    [
        "char y[2];",
        "unsigned char y[];",
        "struct pair *y;",
        "int (*y)[2];",
        "static int y(int n); int w;",
        "struct named { int p; }; int w;",
    ],
)
def test_fields_are_known_by_place_behind_one_that_is_listed_as_one_value(repo, whole):
    types = f"struct pair {{ int p; }};\nstruct T {{ int (*x)(int); {whole} int (*z)(int); }};"
    assert stored_in(repo, types, 'a, "y", b') == {
        ("T.x", "candidate", "a"),
        ("T.z", "candidate", "b"),
    }


@pytest.mark.parametrize("between", [".z = b, c", "\n#ifdef OTHER\nb,\n#else\nc,\n#endif\n a"])
def test_no_field_is_known_by_place_behind_a_field_that_is_named_or_a_directive(repo, between):
    types = "struct T { int (*x)(int); int (*y)(int); int (*z)(int); int (*last)(int); };"
    found = stored_in(repo, types, f"a, {between}")
    assert found - {("T.z", "candidate", "b")} == {("T.x", "candidate", "a")}


def test_a_field_that_becomes_static_is_no_longer_known_by_place(repo):
    tail = "int a(int n) { return n; }\nint b(int n) { return n; }\nT t = { a, b };\n"
    types = "struct T { int (*x)(int); int (*y)(int); };\n"
    repo.having({"t.h": types, "a.cpp": '#include "t.h"\n' + tail})
    assert ("T.y", "candidate", "b") in edges(repo)
    repo.having({"t.h": types.replace("; int", "; static int")})
    assert {edge for edge in edges(repo) if edge[1] == "candidate"} == {("T.x", "candidate", "a")}


def test_a_call_of_what_no_included_header_declares_leads_to_the_headers_that_do(repo):
    repo.having(
        {
            "src/list.h": "int list_make(int n);\nint list_free(void);\n",
            "src/old.h": "int list_free(void);\n",
            "src/list.c": '#include "list.h"\nint list_make(int n) { return n; }\n',
            "src/hidden.c": "int hidden(void) { return 1; }\n",
            "tests/list_test.c": """
#include "made_by_the_build.h"
int main(void) { run(list_make); list_free(); return list_make(hidden()); }
""",
        }
    )
    found = edges(repo)
    assert {edge for edge in found if edge[0] == "main"} == {
        ("main", "declaration", "list_make"),
        ("main", "declaration", "list_free"),
    }
    dependents = impact(session(repo.path), ImpactRequest(("src/list.c:2",))).dependents
    assert ("tests/list_test.c", "certain") in [(one.path, one.label) for one in dependents]


def test_a_function_may_be_declared_by_the_name_of_a_type(repo):
    repo.having(
        {
            "list.h": "typedef int order(int, int);\nextern order by_name;\n",
            "list.c": """
#include "list.h"
static order by_size;
int by_name(int a, int b) { return a - b; }
static int by_size(int a, int b) { return a - b; }
int sorted(void) { return sort(&by_size); }
""",
            "main.c": '#include "list.h"\nint main(void) { return by_name(1, 2); }\n',
        }
    )
    assert {
        ("main", "variable", "by_name"),
        ("by_name", "declaration", "by_name"),
        ("sorted", "value", "by_size"),
    } <= edges(repo)


def test_names_in_the_text_of_a_macro_are_used_but_for_members_and_texts(repo):
    repo.having(
        {
            "main.c": """
int get_size(int a) { return a; }
int make(int a) { return a; }
int next(int a) { return a; }
int told(int a) { return a; }
#define NEW make
#define CHECK(a) TEST(get_size, a->next, "told", 'm') /* make */
""",
        }
    )
    assert {edge for edge in edges(repo) if edge[1] != "import"} == {
        ("NEW", "call", "make"),
        ("CHECK", "value", "get_size"),
    }


CPP_VALUES = {
    "include/reader.h": """
namespace io {
class Source;
class Reader {
 public:
  Reader(int a);
  ~Reader();
  void read() { source_->next(); }
 private:
  void own();
  std::unique_ptr<Source> source_;
};
API const lib::Text& named(int a);
struct Box { Box(Box a) {} friend bool operator!(Box a); operator bool() { return true; } };
enum Flag { A };
}
""",
    "src/source.h": "namespace io { struct Source { void next(); }; }\n",
    "src/reader.cpp": """
#include "reader.h"
#include "source.h"
namespace io {
Reader::Reader(int a) {}
Reader::~Reader() { own(); }
void Reader::own() { source_->next(); }
void Source::next() {}
Box operator+(const Reader& a, int b) { return b; }
Reader& operator<<(Reader& a, const Box& b) { return a; }
Reader& operator<<(Reader& a, Flag b) { return a; }
}
""",
    "tests/reader_test.cpp": """
#ifdef WITH_MODULES
import io;
#else
#include "reader.h"
#endif
using namespace io;
class ReaderTest : public testing::Test {};
Reader load(int a) {
  Reader reader(a);
  io::Reader other(a);
  other.read();
  reader.read();
  return reader;
}
void many() { std::vector<Reader> readers; std::map<int, Box*> boxes; }
void joined(Reader a) { auto both = a | named(1); both.read(); }
TEST_F(ReaderTest, Loads) { load(1); }
""",
}


def test_a_value_that_may_be_read_as_a_declaration_is_one(repo):
    found = edges(repo.having(CPP_VALUES))
    assert {("load", "call", "io.Reader"), ("load", "call", "io.Reader.read")} <= found


def test_what_a_container_holds_is_made_and_what_it_points_to_is_not(repo):
    found = edges(repo.having(CPP_VALUES))
    assert {edge for edge in found if edge[0] == "many"} == {
        ("many", "call", "io.Reader"),
        ("many", "type", "io.Box"),
    }


def test_a_type_that_a_header_only_declares_is_known_where_it_is_included(repo):
    found = edges(repo.having(CPP_VALUES))
    assert ("io.Reader.own", "call", "io.Source.next") in found


def test_operators_and_destructors_run_where_there_is_an_instance(repo):
    found = edges(repo.having(CPP_VALUES))
    assert {edge for edge in found if edge[1] in ("special", "constructor")} == {
        ("io.Reader", "constructor", "io.Reader.Reader"),
        ("io.Reader", "constructor", "io.Reader.~Reader"),
        ("io.Box", "constructor", "io.Box.Box"),
        ("io.Box", "special", "io.Box.operator!"),
        ("io.Box", "special", "io.Box.operator bool"),
        ("io.Reader", "special", "io.operator+"),
        # of several operands that of the last type, which is not the one that is written to
        ("io.Box", "special", "io.operator<<"),
        ("io.Reader", "special", "io.operator<<"),
        ("io.Reader", "constructor", "io.Reader.source_"),
    }
    assert ("joined", "call", "io.Reader.read") in found


def test_a_macro_before_a_type_of_a_library_hides_no_function(repo):
    found = edges(repo.having(CPP_VALUES))
    assert ("joined", "call", "io.named") in found


def test_a_test_makes_its_fixture(repo):
    found = edges(repo.having(CPP_VALUES))
    assert ("ReaderTest.Loads", "call", "ReaderTest") in found


def test_a_declaration_in_a_function_and_functions_of_a_namespace(repo):
    repo.having(
        {
            "a.cpp": "struct P {};\nP helper(int);\nP helper(int x) { return P(); }\n"
            "void f() { P helper(int); helper(2); }\n",
            "b.hpp": "namespace n { inline int reset(int x) { return x; } }\n",
            "c.c": "int g(void) { return reset(3); }\n",
        }
    )
    found = edges(repo)
    assert ("f", "call", "helper") in found
    # a linker does not take the one for the other
    assert not [edge for edge in found if edge[0] == "g" and edge[1] == "declaration"]
