"""Definitions, imports and references found in C++."""

import pytest

from tests.unit.extract.queries.cases import Case, CaseChecks, definition_names

SOURCE = """\
#include <vector>
using std::string;
namespace a::b { int nsvar; }
/// Doc.
template <typename T, class U = int>
class Foo final : public Base<T>, private ns::Other {
 public:
  Foo() = default;
  explicit Foo(int x) : x_(x) { }
  virtual ~Foo();
  Foo& operator=(const Foo& o) { return *this; }
  operator bool() const { return true; }
  static constexpr int kMax = 5;
  int inline_method() const { auto l = [](int a) { int q = a; return q; }; Bar b(x_); return helper(b); }
  template <class V> V tmpl(V v);
  std::vector<int> vec_{}, *ptr_;
  int& ref_;
  using Alias = std::map<int, T>;
  enum class E : int { A, B = 2 };
  struct Nested { int n; };
};
template <typename T> void Foo<T>::pure(int a) const { Baz::call(1); b.m<int>(); tmpl<int>(3); new Qux<int>(); }
int Foo<int>::count = 0;
Foo::Foo(int x) : Base(x) { }
Foo::~Foo() {}
ns::Type* ns::Class::method(int a) { return nullptr; }
std::ostream& operator<<(std::ostream& os, const Foo& f) { return os; }
template <typename T> concept Addable = requires(T a) { a + a; };
extern "C" { void c_fn(int); }
auto trailing(int a) -> int { return a; }
struct Pod { int a; } pod_var;
TEST(FooTest, Bar) { int t; }
"""

CASE = Case(
    "cpp",
    SOURCE,
    definitions="""
    3-3 namespace a.b | namespace a::b
    3-3 variable a.b.nsvar | int nsvar
    5-21 class Foo | template <typename T, class U = int> class Foo final : public Base<T>, private ns::Other | Doc.
    8-8 constructor Foo.Foo | Foo() = default
    9-9 constructor Foo.Foo | explicit Foo(int x) : x_(x)
    10-10 method Foo.~Foo | virtual ~Foo()
    11-11 method Foo.operator= | Foo& operator=(const Foo& o)
    12-12 method Foo.operator bool | operator bool() const
    13-13 field Foo.kMax | static constexpr int kMax = 5
    14-14 method Foo.inline_method | int inline_method() const
    15-15 method Foo.tmpl | template <class V> V tmpl(V v)
    16-16 field Foo.vec_ | std::vector<int> vec_{}, *ptr_
    16-16 field Foo.ptr_ | std::vector<int> vec_{}, *ptr_
    17-17 field Foo.ref_ | int& ref_
    18-18 type Foo.Alias | using Alias = std::map<int, T>
    19-19 enum Foo.E | enum class E : int
    19-19 enumerator Foo.E.A | A
    19-19 enumerator Foo.E.B | B = 2
    20-20 struct Foo.Nested | struct Nested
    20-20 field Foo.Nested.n | int n
    22-22 method Foo.pure | template <typename T> void Foo<T>::pure(int a) const
    23-23 field Foo.count | int Foo<int>::count = 0
    24-24 constructor Foo.Foo | Foo::Foo(int x) : Base(x)
    25-25 method Foo.~Foo | Foo::~Foo()
    26-26 method ns.Class.method | ns::Type* ns::Class::method(int a)
    27-27 function operator<< | std::ostream& operator<<(std::ostream& os, const Foo& f)
    28-28 type Addable | template <typename T> concept Addable = requires(T a) { a + a; }
    29-29 function c_fn | void c_fn(int)
    30-30 function trailing | auto trailing(int a) -> int
    31-31 struct Pod | struct Pod
    31-31 field Pod.a | int a
    31-31 variable pod_var | pod_var
    32-32 method FooTest.Bar | TEST(FooTest, Bar)
    32-32 function TEST | TEST(FooTest, Bar)
    """,
    imports="""
    1 include <vector>
    2 using std::string
    """,
    calls="""
    helper:14 call:22 m:22 tmpl:22
    """,
    types="""
    T:5 U:5 Base:6 T:6 Other:6 Foo:11 Bar:14 x_:14 V:15 vector:16 map:18 T:18 T:22 Foo:22
    Qux:22 Foo:23 Type:26 ostream:27 Foo:27 T:28 FooTest:32
    """,
)


class TestCpp(CaseChecks):
    case = CASE


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("class EXPORT A : public B { void f(); };\n", ["class A", "method A.f"]),
        ("class EXPORT A final { int f; };\n", ["class A", "field A.f"]),
        (
            "namespace a {\nBEGIN\nnamespace b {\nint c;\n}\nEND\n}\n",
            ["namespace a", "namespace a.b", "variable a.b.c"],
        ),
        ("struct S { int q GUARDED_BY(mu); };\n", ["struct S", "field S.q"]),
        ("void f(int a) LOCKS(mu) { g(); }\n", ["function f"]),
    ],
)
def test_definitions_are_found_where_macros_make_errors(source, wanted):
    assert set(wanted) <= set(definition_names(source, "cpp"))
