"""Definitions, imports and references found in TypeScript."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
import type { A } from './a';
import x = require("legacy");
@Component({ selector: 'x' })
export default abstract class Foo<T extends Bar> extends Base<T> implements I1, ns.I2 {
  private readonly a: string = 'x';
  constructor(private svc: Service, public tag?: string) { super(); }
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

CASE = Case(
    "typescript",
    SOURCE,
    definitions="""
    3-10 class Foo | export default abstract class Foo<T extends Bar> extends Base<T> implements I1, ns.I2
    5-5 field Foo.a | private readonly a: string = 'x'
    6-6 constructor Foo.constructor | constructor(private svc: Service, public tag?: string)
    6-6 field Foo.constructor.svc | private svc: Service
    6-6 field Foo.constructor.tag | public tag?: string
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
)


class TestTypeScript(CaseChecks):
    case = CASE
