"""The queries of ten languages, each over one small source: all that is found in it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gitsearch.extract import symbols, syntax
from gitsearch.records import Structure


@dataclass(frozen=True)
class Case:
    """A source and what is found in it, a line for each definition and import.

    Definitions are written as lines, kind, qualified name | signature | doc; imports as line,
    kind, specifier, names; what is used as name:line.
    """

    language: str
    source: str
    definitions: str
    imports: str
    calls: str
    types: str = ""
    names: str = ""


PYTHON = """\
\"\"\"Module doc.\"\"\"
import os, sys as system
from . import x
from .m import (y, z as zz)
from q import *
from __future__ import annotations

# Tries before giving up,
# at most.
LIMIT: int = 5
a, b = 1, 2
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

JAVASCRIPT = """\
import def, {a, b as c} from './mod.js';
import * as ns from "pkg";
import 'side';
export {x, y as z} from './other';
export * from './all';
const fs = require('fs'), {readFile} = require("fs/promises");
/** Doc of foo.
 * @param a what */
export default function foo(a, b) { const local = 1; function nested() {} }
export const arrow = async (x) => { let q = 1; return call(x); };
const plain = function named() {};
function* gen() {}
export class K extends Base.Sub {
  static count = 0;
  #secret = 1;
  handler = () => {};
  constructor(a) { super(); this.m = function () {}; }
  async method(x) { return new Foo(x).bar(); }
  get prop() { return 1; }
}
exports.one = function () {};
module.exports = { three, four: function () {}, five() {}, seven: 7 };
K.prototype.proto = function (a) {};
K.stat = 5;
var LIMIT = 5, other;
let {d1, d2: d3} = obj, [e1] = arr;
const obj = { k: 1, fn: async function () {} };
for (let i = 0; i < 3; i++) {}
describe('x', () => { const v = 1; function helper() {} });
const el = <Foo.Bar a={b}><Comp /><div/></Foo.Bar>;
const lazy = import('./lazy');
import(`./a`); import(/* name */ './b'); import(`./${c}`); import(d, {}); import('./e' + f);
require.resolve('./g'); jest.mock('./h', () => 1); vi.importActual('./i'); vi.fn('./no');
new URL('./j', import.meta.url); new URL('./no', base); require(k);
/// <reference path="./l" />
"""

TYPESCRIPT = """\
import type { A } from './a';
import x = require("legacy");
@Component({ selector: 'x' })
export default abstract class Foo<T extends Bar> extends Base<T> implements I1, ns.I2 {
  private readonly a: string = 'x';
  constructor(private svc: Service) { super(); }
  abstract doIt(x: number): void;
  handler = (e: Event): void => {};
  @Input() inp: string;
}
/** An interface. */
export interface Iface extends Parent {
  prop: string;
  opt?: () => void;
  method(a: number): Promise<void>;
}
export type Alias<T> = { member: T };
export enum Color { Red = 1, Green, 'Blue' }
namespace NS.Inner { export const nv = 1; }
declare module 'ambient' { export function af(x: string): void; }
export function over(a: string): void;
export function over(a: any) { const l: Foo = 1; }
export const fn = <T,>(x: T): T => x;
declare let dv: string;
export const sat = { z: 1 } satisfies X;
"""

TSX = """\
import React, { type FC } from 'react';
interface Props { title: string }
export const Card: FC<Props> = ({ title }) => <Box><h1>{title}</h1><ui.Line/></Box>;
export function App() { return <Card title="x"/>; }
"""

GO = """\
// Package doc.
package main

import "fmt"
import (
	f "path/filepath"
	. "dot"
)

// Max is a limit.
const Max = 5

const (
	// A doc.
	A = iota
	B, C int = 1, 2
)

var v1, _ = 1, func() int { var loc int; return loc }
var (
	g1 int
)

// Server serves.
type Server struct {
	*Embedded
	// Addr doc.
	Addr, Port string `json:"a"`
	inner      struct{ deep int }
}

type (
	Handler interface {
		// Serve doc.
		Serve(w http.ResponseWriter, r *Request) error
	}
	Fn func(int) string
)
type Alias = Server

// Start starts.
//
// Second paragraph.
func (s *Server) Start(ctx context.Context, opts ...Option) (err error) {
	const local = 3
	s.helper().chain(ctx)
	return fmt.Errorf("x")
}
func (g Gen[T, K]) M()               {}
func Generic[T any](x []T) map[K]*T { return New[T](x) }
"""

RUST = """\
//! Crate doc.
use std::collections::HashMap;
use crate::a::{self, b::C, d as e, f::*};
pub use foo::Bar as Baz;
use glob::*;
extern crate libc;
mod sub;
pub mod inline { const K: u8 = 1; }

/// Doc of Point,
/// of two lines.
#[derive(Debug)]
pub struct Point<T: Trait> where T: Other {
    /// The x.
    pub x: Option<T>,
}
pub struct Tuple(pub i32, String);
pub enum Shape { Circle(f64), Rect { w: u32 } }
pub trait Draw: Base {
    const ID: u32;
    type Output;
    fn draw(&self) -> Self::Output;
}
impl<T> Point<T> {
    pub fn new(x: f64) -> Self { const LOCAL: u8 = 0; helper(x); make::<T>(); Vec::new() }
}
impl<T> Draw for a::Point<T> { fn draw(&self) -> u8 { self.x.abs(); println!("{}", fmt(x)); 1 } }
pub static GLOBAL: u8 = 0;
type Alias<T> = Result<T, Error>;
macro_rules! my_macro { ($x:expr) => { $x }; }
pub(crate) fn generic<T>(f: impl Fn(T) -> u8) -> Box<dyn Draw> { fn nested() {} Point { x: None } }
extern "C" { fn ffi(a: c_int); }
"""

JAVA = """\
package com.example.app;
import java.util.List;
import java.util.concurrent.*;
import static org.junit.Assert.assertEquals;

/**
 * Class doc. {@link Foo}
 *
 * @author x
 */
@Entity
@Table(name = "x")
public abstract class Foo<T extends Bar> extends Base<T> implements I1, pkg.I2 {
    /** The limit. */
    public static final int MAX = 5, MIN = 1;
    private List<String> items = new ArrayList<>();
    public Foo(int a) throws IOException { super(a); }
    @Override public <R> Map<String, R> method(List<? extends T> x) throws E1 {
        int local = 1;
        helper(x).chain();
        run(this::start);
        return Util.call(new Other() { void anon() {} });
    }
    abstract void abs();
    enum Color { RED, GREEN(1) { void m() {} }; private int v; }
    interface Inner { int K = 1; default void dm() {} }
    record Point(int x, int y) { Point { } }
    @interface Anno { String value() default "x"; }
}
"""

C = """\
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

CPP = """\
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

CSHARP = """\
using System.Collections.Generic;
using static System.Math;
using Alias = System.Text.StringBuilder;
namespace A.B
{
    /// <summary>
    /// The foo. See <see cref="Bar"/>.
    /// </summary>
    [Serializable]
    public abstract partial class Foo<T> : Base<T>, ns.IFoo where T : class
    {
        public const int Max = 5, Min = 1;
        private readonly List<T> _items = new List<T>();
        public static event EventHandler<Args> Changed;
        public string Name { get; set; } = "x";
        public Item Computed => _items.Count;
        public T this[int i] { get { return _items[i]; } }
        public Foo(int a) : base(a) { int local = 1; }
        ~Foo() { }
        [Obsolete("x")]
        public async Task<T> Method<U>(string a)
        {
            var l = new Other();
            void LocalFn(int q) { }
            l.Call().Chain<int>(x)?.Then();
            return Static.Do(() => { var z = 1; });
        }
        public static Foo<T> operator +(Foo<T> a, Foo<T> b) => a;
        private enum Inner { A, B = 2 }
        public struct S { public int X, Y; }
        public delegate void Handler(object s);
        public record Rec(int P);
    }
    public interface IFoo { void M(); }
}
"""

CASES = [
    Case(
        "python",
        PYTHON,
        definitions="""
        10-10 constant LIMIT | LIMIT: int = 5 | Tries before giving up, at most.
        11-11 variable a | a, b = 1, 2
        11-11 variable b | a, b = 1, 2
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
    ),
    Case(
        "javascript",
        JAVASCRIPT,
        definitions="""
        6-6 variable fs | fs = require('fs')
        6-6 variable readFile | {readFile} = require("fs/promises")
        9-9 function foo | export default function foo(a, b) | Doc of foo.
        9-9 function foo.nested | function nested()
        10-10 function arrow | export const arrow = async (x) =>
        11-11 function plain | const plain = function named()
        11-11 function plain.named | function named()
        12-12 function gen | function* gen()
        13-20 class K | export class K extends Base.Sub
        14-14 field K.count | static count = 0
        15-15 field K.#secret | #secret = 1
        16-16 method K.handler | handler = () =>
        17-17 constructor K.constructor | constructor(a)
        17-17 function K.constructor.m | this.m = function ()
        18-18 method K.method | async method(x)
        19-19 method K.prop | get prop()
        21-21 function one | exports.one = function ()
        22-22 property three | three
        22-22 method four | four: function ()
        22-22 method five | five()
        22-22 property seven | seven: 7
        23-23 method K.proto | K.prototype.proto = function (a)
        24-24 property K.stat | K.stat = 5
        25-25 constant LIMIT | LIMIT = 5
        25-25 variable other | other
        26-26 variable d1 | {d1, d2: d3} = obj
        26-26 variable d3 | {d1, d2: d3} = obj
        26-26 variable e1 | [e1] = arr
        27-27 variable obj | const obj = { k: 1, fn: async function () {} }
        27-27 property obj.k | k: 1
        27-27 method obj.fn | fn: async function ()
        29-29 function helper | function helper()
        30-30 variable el | const el = <Foo.Bar a={b}><Comp /><div/></Foo.Bar>
        31-31 variable lazy | const lazy = import('./lazy')
        """,
        imports="""
        1 import ./mod.js default as def,a,b as c
        2 import pkg * as ns
        3 import side
        4 export ./other x,y as z
        5 export ./all
        6 require fs
        6 require fs/promises readFile
        31 dynamic ./lazy
        32 dynamic ./a
        32 dynamic ./b
        32 computed ./${c}
        32 computed d
        32 computed './e' + f
        33 mock ./g
        33 mock ./h
        33 mock ./i
        34 url ./j
        34 computed k
        35 reference /// <reference path="./l" />
        """,
        calls="""
        require:6 call:10 Foo:18 bar:18 describe:29 Bar:30 Comp:30 resolve:33 mock:33 importActual:33 fn:33 URL:34 require:34
        """,
        types="""
        Sub:13
        """,
    ),
    Case(
        "typescript",
        TYPESCRIPT,
        definitions="""
        3-10 class Foo | export default abstract class Foo<T extends Bar> extends Base<T> implements I1, ns.I2
        5-5 field Foo.a | private readonly a: string = 'x'
        6-6 constructor Foo.constructor | constructor(private svc: Service)
        6-6 field Foo.constructor.svc | private svc: Service
        7-7 method Foo.doIt | abstract doIt(x: number): void
        8-8 method Foo.handler | handler = (e: Event): void =>
        9-9 field Foo.inp | inp: string
        12-16 interface Iface | export interface Iface extends Parent | An interface.
        13-13 property Iface.prop | prop: string
        14-14 property Iface.opt | opt?: () => void
        15-15 method Iface.method | method(a: number): Promise<void>
        17-17 type Alias | export type Alias<T> = { member: T }
        17-17 property Alias.member | member: T
        18-18 enum Color | export enum Color
        18-18 enumerator Color.Red | Red = 1
        18-18 enumerator Color.Green | Green
        18-18 enumerator Color.Blue | 'Blue'
        19-19 namespace NS.Inner | namespace NS.Inner
        19-19 variable NS.Inner.nv | export const nv = 1
        20-20 module ambient | declare module 'ambient'
        20-20 function ambient.af | export function af(x: string): void
        21-21 function over | export function over(a: string): void
        22-22 function over | export function over(a: any)
        23-23 function fn | export const fn = <T,>(x: T): T =>
        24-24 variable dv | declare let dv: string
        25-25 variable sat | export const sat = { z: 1 } satisfies X
        25-25 property sat.z | z: 1
        """,
        imports="""
        1 import ./a A
        2 require legacy
        20 augment ambient
        """,
        calls="""
        Component:3 Input:9
        """,
        types="""
        T:4 Bar:4 Base:4 I1:4 I2:4 Service:6 Event:8 Parent:12 Promise:15 T:17 Foo:22 T:23 X:25
        """,
    ),
    Case(
        "tsx",
        TSX,
        definitions="""
        2-2 interface Props | interface Props
        2-2 property Props.title | title: string
        3-3 function Card | export const Card: FC<Props> = ({ title }) =>
        4-4 function App | export function App()
        """,
        imports="""
        1 import react default as React,type FC
        """,
        calls="""
        Box:3 Line:3 Card:4
        """,
        types="""
        FC:3 Props:3
        """,
    ),
    Case(
        "go",
        GO,
        definitions="""
        11-11 constant Max | const Max = 5 | Max is a limit.
        15-15 constant A | A = iota | A doc.
        16-16 constant B | B, C int = 1, 2
        16-16 constant C | B, C int = 1, 2
        19-19 variable v1 | var v1, _ = 1, func() int { var loc int; return loc }
        21-21 variable g1 | g1 int
        25-30 struct Server | type Server struct | Server serves.
        28-28 field Server.Addr | Addr, Port string `json:"a"` | Addr doc.
        28-28 field Server.Port | Addr, Port string `json:"a"` | Addr doc.
        29-29 field Server.inner | inner struct{ deep int }
        29-29 field Server.inner.deep | deep int
        33-36 interface Handler | Handler interface
        35-35 method Handler.Serve | Serve(w http.ResponseWriter, r *Request) error | Serve doc.
        37-37 type Fn | Fn func(int) string
        39-39 type Alias | type Alias = Server
        44-48 method Server.Start | func (s *Server) Start(ctx context.Context, opts ...Option) (err error) | Start starts.
        49-49 method Gen.M | func (g Gen[T, K]) M()
        50-50 function Generic | func Generic[T any](x []T) map[K]*T
        """,
        imports="""
        2 package main
        4 import fmt
        6 import path/filepath f
        7 import dot .
        """,
        calls="""
        helper:46 chain:46 Errorf:47 New:50
        """,
        types="""
        int:16 int:19 int:21 Embedded:26 string:28 int:29 ResponseWriter:35 Request:35 error:35
        int:37 string:37 Server:39 Server:44 Context:44 Option:44 error:44 Gen:49 T:49 K:49
        any:50 T:50 K:50 New:50
        """,
    ),
    Case(
        "rust",
        RUST,
        definitions="""
        7-7 module sub | mod sub
        8-8 module inline | pub mod inline
        8-8 constant inline.K | const K: u8 = 1
        13-16 struct Point | pub struct Point<T: Trait> where T: Other | Doc of Point, of two lines.
        15-15 field Point.x | pub x: Option<T> | The x.
        17-17 struct Tuple | pub struct Tuple(pub i32, String)
        18-18 enum Shape | pub enum Shape
        18-18 enumerator Shape.Circle | Circle(f64)
        18-18 enumerator Shape.Rect | Rect { w: u32 }
        18-18 field Shape.Rect.w | w: u32
        19-23 trait Draw | pub trait Draw: Base
        20-20 constant Draw.ID | const ID: u32
        21-21 type Draw.Output | type Output
        22-22 method Draw.draw | fn draw(&self) -> Self::Output
        25-25 method Point.new | pub fn new(x: f64) -> Self
        27-27 method Point.draw | fn draw(&self) -> u8
        28-28 constant GLOBAL | pub static GLOBAL: u8 = 0
        29-29 type Alias | type Alias<T> = Result<T, Error>
        30-30 macro my_macro | macro_rules! my_macro
        31-31 function generic | pub(crate) fn generic<T>(f: impl Fn(T) -> u8) -> Box<dyn Draw>
        31-31 function generic.nested | fn nested()
        32-32 function ffi | fn ffi(a: c_int)
        """,
        imports="""
        2 use std::collections::HashMap
        3 use crate::a self,b::C,d as e,f::*
        4 alias foo::Bar Baz
        5 use glob *
        6 extern libc
        7 mod sub
        8 enter inline
        8 leave }
        """,
        calls="""
        helper:25 make:25 new:25 abs:27 println:27 fmt:27
        """,
        types="""
        T:13 Trait:13 Other:13 Option:15 T:15 String:17 Base:19 Output:22 T:24 Self:25 T:25
        Vec:25 T:27 Draw:27 T:29 Result:29 Error:29 T:31 Fn:31 Box:31 Draw:31 Point:31 c_int:32
        """,
    ),
    Case(
        "java",
        JAVA,
        definitions="""
        11-29 class Foo | public abstract class Foo<T extends Bar> extends Base<T> implements I1, pkg.I2 | Class doc. {@link Foo}
        15-15 constant Foo.MAX | public static final int MAX = 5, MIN = 1 | The limit.
        15-15 constant Foo.MIN | public static final int MAX = 5, MIN = 1 | The limit.
        16-16 field Foo.items | private List<String> items = new ArrayList<>()
        17-17 constructor Foo.Foo | public Foo(int a) throws IOException
        18-23 method Foo.method | public <R> Map<String, R> method(List<? extends T> x) throws E1
        22-22 method Foo.method.anon | void anon()
        24-24 method Foo.abs | abstract void abs()
        25-25 enum Foo.Color | enum Color
        25-25 enumerator Foo.Color.RED | RED
        25-25 enumerator Foo.Color.GREEN | GREEN(1) { void m() {} }
        25-25 method Foo.Color.GREEN.m | void m()
        25-25 field Foo.Color.v | private int v
        26-26 interface Foo.Inner | interface Inner
        26-26 constant Foo.Inner.K | int K = 1
        26-26 method Foo.Inner.dm | default void dm()
        27-27 class Foo.Point | record Point(int x, int y)
        27-27 field Foo.Point.x | int x
        27-27 field Foo.Point.y | int y
        27-27 constructor Foo.Point.Point | Point
        28-28 interface Foo.Anno | @interface Anno
        28-28 method Foo.Anno.value | String value() default "x"
        """,
        imports="""
        1 package com.example.app
        2 import java.util.List
        3 import java.util.concurrent *
        4 import org.junit.Assert.assertEquals
        13 qualified pkg.I2
        """,
        calls="""
        helper:20 chain:20 run:21 start:21 call:22
        """,
        types="""
        Entity:11 Table:12 T:13 Bar:13 Base:13 I1:13 pkg:13 I2:13 List:16 String:16 ArrayList:16
        IOException:17 Override:18 R:18 Map:18 String:18 List:18 T:18 E1:18 Util:22 Other:22
        String:28
        """,
    ),
    Case(
        "c",
        C,
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
    ),
    Case(
        "cpp",
        CPP,
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
    ),
    Case(
        "csharp",
        CSHARP,
        definitions="""
        4-35 namespace A.B | namespace A.B
        9-33 class A.B.Foo | public abstract partial class Foo<T> : Base<T>, ns.IFoo where T : class | The foo. See Bar.
        12-12 constant A.B.Foo.Max | public const int Max = 5, Min = 1
        12-12 constant A.B.Foo.Min | public const int Max = 5, Min = 1
        13-13 field A.B.Foo._items | private readonly List<T> _items = new List<T>()
        14-14 field A.B.Foo.Changed | public static event EventHandler<Args> Changed
        15-15 property A.B.Foo.Name | public string Name
        16-16 property A.B.Foo.Computed | public Item Computed
        17-17 property A.B.Foo.this | public T this[int i]
        18-18 constructor A.B.Foo.Foo | public Foo(int a) : base(a)
        19-19 method A.B.Foo.~Foo | ~Foo()
        20-27 method A.B.Foo.Method | public async Task<T> Method<U>(string a)
        24-24 function A.B.Foo.Method.LocalFn | void LocalFn(int q)
        28-28 method A.B.Foo.operator + | public static Foo<T> operator +(Foo<T> a, Foo<T> b)
        29-29 enum A.B.Foo.Inner | private enum Inner
        29-29 enumerator A.B.Foo.Inner.A | A
        29-29 enumerator A.B.Foo.Inner.B | B = 2
        30-30 struct A.B.Foo.S | public struct S
        30-30 field A.B.Foo.S.X | public int X, Y
        30-30 field A.B.Foo.S.Y | public int X, Y
        31-31 type A.B.Foo.Handler | public delegate void Handler(object s)
        32-32 class A.B.Foo.Rec | public record Rec(int P)
        32-32 property A.B.Foo.Rec.P | int P
        34-34 interface A.B.IFoo | public interface IFoo
        34-34 method A.B.IFoo.M | void M()
        """,
        imports="""
        1 using System.Collections.Generic
        2 using System.Math
        3 using System.Text.StringBuilder Alias
        """,
        calls="""
        Call:25 Chain:25 Then:25 Do:26
        """,
        types="""
        Serializable:9 Base:10 T:10 IFoo:10 List:13 T:13 EventHandler:14 Args:14 Item:16 T:17
        Obsolete:20 Task:21 T:21 Other:23 Chain:25 Foo:28 T:28
        """,
        names="""
        Static:26
        """,
    ),
]


def found(case: Case) -> Structure:
    data = case.source.encode()
    tree = syntax.parse(data, case.language)
    assert tree is not None
    assert not tree.root_node.has_error
    return symbols.structure(tree.root_node, data, case.language)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_the_table_is_whole():
    assert len({case.language for case in CASES}) == len(CASES) == 10


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_definitions(case):
    got = []
    for d in found(case).definitions:
        parts = [f"{d.first_line}-{d.last_line} {d.kind} {d.qualified}", d.signature, d.doc]
        got.append(" | ".join(filter(None, parts)))
    assert got == lines(case.definitions)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_imports(case):
    got = [f"{i.line} {i.kind} {i.specifier} {i.names}".rstrip() for i in found(case).imports]
    assert got == lines(case.imports)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
@pytest.mark.parametrize("kind", ["call", "type", "name"])
def test_references(case, kind):
    got = [f"{r.name}:{r.line}" for r in found(case).references if r.kind == kind]
    assert got == getattr(case, f"{kind}s").split()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_ranges_lie_in_each_other_and_in_the_text(case):
    data = case.source.encode()
    definitions = found(case).definitions
    assert list(definitions) == sorted(definitions, key=lambda d: d.start)
    for d in definitions:
        assert 0 <= d.start < d.signature_end <= d.end <= len(data)
        assert d.first_line == data.count(b"\n", 0, d.start) + 1
        assert d.name.encode() in data[d.start : d.end]
        if d.parent >= 0:
            assert definitions[d.parent].start <= d.start
            assert d.end <= definitions[d.parent].end


MACROS = [
    ("c", "int f(int a) ATTRIBUTE;\n", ["function f"]),
    ("c", "API int (*f)(int x) ATTRIBUTE;\n", ["function f"]),
    ("c", "EXTERN(int) f(struct a **out);\n", ["function f"]),
    ("c", "INLINE int f(void) { return 1; }\n", ["function f"]),
    ("c", "#define A(a) do { /* none */ } while (0)\n", ["macro A"]),
    ("c", "#define A { \\\n .x = 1 /* one */ \\\n}\n", ["macro A"]),
    ("c", "API void (f) (state *s, int n);\n", ["function f"]),
    ("c", "API const char *(f) (state *s);\n", ["function f"]),
    ("cpp", "class EXPORT A : public B { void f(); };\n", ["class A", "method A.f"]),
    ("cpp", "class EXPORT A final { int f; };\n", ["class A", "field A.f"]),
    ("cpp", "namespace a {\nBEGIN\nnamespace b {\nint c;\n}\nEND\n}\n",
     ["namespace a", "namespace a.b", "variable a.b.c"]),
    ("cpp", "struct S { int q GUARDED_BY(mu); };\n", ["struct S", "field S.q"]),
    ("cpp", "void f(int a) LOCKS(mu) { g(); }\n", ["function f"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "source", "wanted"), MACROS)
def test_definitions_are_found_where_macros_make_errors(language, source, wanted):
    data = source.encode()
    tree = syntax.parse(data, language)
    assert tree is not None
    definitions = symbols.structure(tree.root_node, data, language).definitions
    assert set(wanted) <= {f"{d.kind} {d.qualified}" for d in definitions}


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
    data = source.encode()
    tree = syntax.parse(data, "c")
    assert tree is not None
    definitions = symbols.structure(tree.root_node, data, "c").definitions
    assert [f"{d.kind} {d.qualified}" for d in definitions] == wanted
