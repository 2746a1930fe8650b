"""Definitions, imports and references found in Haskell."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
module Data.Foo (bar) where

import Data.List (sort, nub)
import qualified Data.Map as M

-- | What bar does.
bar :: Int -> Maybe Int
bar 0 = Nothing
bar x = Just (go x)
  where go y = y + 1

(<+>) :: Int -> Int -> Int
a <+> b = helper' a b

data Baz a = Baz { field1 :: a, field2 :: !Int } | Qux Int
newtype N = N { unN :: Int }
type Alias a = Maybe a
class Eq a => Shape a where
  area :: a -> Double
instance Shape Int where
  area x = fromIntegral x
helper' = M.insert
"""

CASE = Case(
    "haskell",
    SOURCE,
    definitions="""
    7-10 function bar | bar :: Int -> Maybe Int | What bar does.
    12-13 function <+> | (<+>) :: Int -> Int -> Int
    15-15 type Baz | data Baz a = Baz { field1 :: a, field2 :: !Int } | Qux Int
    15-15 constructor Baz.Baz | Baz
    15-15 field Baz.field1 | field1 :: a
    15-15 field Baz.field2 | field2 :: !Int
    15-15 constructor Baz.Qux | Qux Int
    16-16 type N | newtype N = N { unN :: Int }
    16-16 constructor N.N | N
    16-16 field N.unN | unN :: Int
    17-17 type Alias | type Alias a = Maybe a
    18-19 class Shape | class Eq a => Shape a where
    19-19 method Shape.area | area :: a -> Double
    21-21 method Shape.area | area x
    22-22 function helper' | helper'
    """,
    imports="""
    1 module Data.Foo
    3 import Data.List sort,nub
    4 import Data.Map
    """,
    calls="""
    Just:9 go:9 helper':13 fromIntegral:21 insert:22
    """,
    types="""
    Int:7 Maybe:7 Int:12 Int:15 Int:16 Maybe:17 Eq:18 Double:19 Int:20
    """,
)


class TestHaskell(CaseChecks):
    case = CASE
