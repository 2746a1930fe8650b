"""Definitions, imports and references found in Go."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
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

CASE = Case(
    "go",
    SOURCE,
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
)


class TestGo(CaseChecks):
    case = CASE
