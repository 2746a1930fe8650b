"""Definitions, imports and references found in TSX."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
import React, { type FC } from 'react';
interface Props { title: string }
export const Card: FC<Props> = ({ title }) => <Box><h1>{title}</h1><ui.Line/></Box>;
export function App() { return <Card title="x"/>; }
"""

CASE = Case(
    "tsx",
    SOURCE,
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
)


class TestTSX(CaseChecks):
    case = CASE
