"""Definitions, imports and references found in C."""

import pytest

from tests.unit.extract.queries.cases import Case, CaseChecks, definition_names

SOURCE = """\
/* License. */

#include <stdio.h>
#include "local.h"
#define MAX 10
#define ADD(a, b) ((a) + (b))
#ifdef X
static void cond_fn(void) { int local; }
#endif

/*
 * The point.
 */
typedef struct point {
	int x, *y; /* the x */
	int (*cb)(int a, void *data);
	struct { int anon; } nested;
} point_t;
struct fwd;
enum color { RED, GREEN = 2 };
typedef enum { A1 } ab_t;
typedef int (*handler_fn)(int, char *);
typedef unsigned long ulong_t;
static const char *names[] = { "a" };
int g1 = 1, *g2, g3[5];
struct point origin = { .x = 1 };
int (*fptr)(void) = NULL;
extern void *proto(struct point *p);

// Adds.
static inline struct point *add(int a,
				int b)
{
	static int sl;
	int undefd(void);
	obj->method(foo(1));
	return (other_t *)NULL;
}
static struct ops table = { .open = add, next };
"""

CASE = Case(
    "c",
    SOURCE,
    definitions="""
    5-5 macro MAX | #define MAX 10
    6-6 macro ADD | #define ADD(a, b)
    8-8 function cond_fn | static void cond_fn(void)
    14-18 struct point | struct point | The point.
    15-15 field point.x | int x, *y
    15-15 field point.y | int x, *y
    16-16 field point.cb | int (*cb)(int a, void *data)
    17-17 field point.nested | struct { int anon; } nested
    17-17 field point.nested.anon | int anon
    18-18 type point_t | point_t
    20-20 enum color | enum color
    20-20 enumerator color.RED | RED
    20-20 enumerator color.GREEN | GREEN = 2
    21-21 enum ab_t | typedef enum ab_t
    21-21 enumerator ab_t.A1 | A1
    22-22 type handler_fn | typedef int (*handler_fn)(int, char *)
    23-23 type ulong_t | typedef unsigned long ulong_t
    24-24 variable names | static const char *names[] = { "a" }
    25-25 variable g1 | int g1 = 1, *g2, g3[5]
    25-25 variable g2 | int g1 = 1, *g2, g3[5]
    25-25 variable g3 | int g1 = 1, *g2, g3[5]
    26-26 variable origin | struct point origin = { .x = 1 }
    27-27 variable fptr | int (*fptr)(void) = NULL
    28-28 function proto | extern void *proto(struct point *p)
    31-38 function add | static inline struct point *add(int a, int b) | Adds.
    39-39 variable table | static struct ops table = { .open = add, next }
    """,
    imports="""
    3 include <stdio.h>
    4 include local.h
    """,
    calls="""
    method:36 foo:36
    """,
    types="""
    fwd:19 point:26 point:28 point:31 other_t:37 ops:39
    """,
    names="""
    add:39 next:39
    """,
)


class TestC(CaseChecks):
    case = CASE


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("int f(int a) ATTRIBUTE;\n", ["function f"]),
        ("API int (*f)(int x) ATTRIBUTE;\n", ["function f"]),
        ("EXTERN(int) f(struct a **out);\n", ["function f"]),
        ("INLINE int f(void) { return 1; }\n", ["function f"]),
        ("#define A(a) do { /* none */ } while (0)\n", ["macro A"]),
        ("#define A { \\\n .x = 1 /* one */ \\\n}\n", ["macro A"]),
        ("API void (f) (state *s, int n);\n", ["function f"]),
        ("API const char *(f) (state *s);\n", ["function f"]),
    ],
)
def test_definitions_are_found_where_macros_make_errors(source, wanted):
    assert set(wanted) <= set(definition_names(source, "c"))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("void (f)(int);\n", ["function f"]),
        ("const char *(f)(int x);\n", ["function f"]),
        ("char *(f)(int x) { return 0; }\n", ["function f"]),
        ("API void (f) (state *s, int n);\n", ["function f"]),
        ("typedef void *(t)(int *a, void *p);\n", ["type t"]),
        ("static char **names[] = { 0 };\n", ["variable names"]),
        ("static void *(*f)(int) = g;\n", ["variable f"]),
        ("int (*f)(void), *g, **h[2];\n", ["variable f", "variable g", "variable h"]),
    ],
)
def test_names_in_parentheses_and_behind_stars_are_definitions(source, wanted):
    assert definition_names(source, "c") == wanted
