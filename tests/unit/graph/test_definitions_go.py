"""Which definition of Go may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

FILES = {
    "go.mod": "module example.com/m\n\ngo 1.19\n",
    "store/store.go": (
        "package store\n\n"
        "type Reader interface {\n\tRead(n int) (*Row, error)\n\tCloser\n}\n\n"
        "type Closer interface{ Close() error }\n\n"
        "type base struct{ count int }\n\n"
        "func (b *base) Close() error { return nil }\n\n"
        "type Disk struct {\n\t*base\n\trows map[string]*Row\n}\n\n"
        "func New() (*Disk, error) { return &Disk{base: &base{}}, nil }\n\n"
        "func (d *Disk) Read(n int) (*Row, error) { return d.rows[key(n)], nil }\n\n"
        "type half struct{}\n\nfunc (h half) Read(n int) (*Row, error) { return nil, nil }\n"
    ),
    "store/row.go": (
        "package store\n\ntype Row struct{ Name string }\n\n"
        'func (r Row) Text() string { return r.Name }\n\nfunc key(n int) string { return "" }\n'
    ),
    "main.go": (
        'package main\n\nimport (\n\t"fmt"\n\tst "example.com/m/store"\n)\n\n'
        "func show(r st.Reader) {\n\trow, err := r.Read(1)\n\tif err != nil {\n"
        "\t\tfmt.Println(err)\n\t}\n\tfmt.Println(row.Text())\n}\n\n"
        "func run() {\n\td, _ := st.New()\n\tshow(d)\n\td.Close()\n}\n\n"
        "func all() { each(show) }\n\nfunc each(f func(st.Reader)) { f(nil) }\n\n"
        "func which(x any) {\n\tswitch v := x.(type) {\n\tcase *st.Row:\n\t\tv.Text()\n\t}\n}\n"
    ),
    "store/store_test.go": (
        'package store\n\nimport "testing"\n\n'
        'func TestKey(t *testing.T) {\n\tt.Run("x", func(t *testing.T) { key(1) })\n}\n'
    ),
}


def test_calls_in_a_package_and_across_packages(repo):
    found = edges(repo.having(FILES))
    assert {
        ("New", "call", "Disk"),
        ("New", "call", "base"),
        ("Disk.Read", "call", "key"),
        ("show", "call", "Reader.Read"),
        ("show", "call", "Row.Text"),
        ("show", "type", "Reader"),
        ("run", "call", "New"),
        ("run", "call", "show"),
        ("run", "call", "base.Close"),
        ("all", "value", "show"),
        ("which", "call", "Row.Text"),
        ("TestKey", "call", "key"),
    } <= found
    assert not [edge for edge in found if edge[1] == "dynamic"]


def test_an_interface_is_implemented_by_types_with_all_its_methods(repo):
    found = edges(repo.having(FILES))
    assert ("Reader.Read", "override", "Disk.Read") in found
    assert ("Closer.Close", "override", "base.Close") in found
    assert ("Reader.Read", "override", "half.Read") not in found


GENERIC = {
    "go.mod": "module example.com/m\n\ngo 1.21\n",
    "flag/flag.go": (
        "package flag\n\ntype Maker[T any] interface{ Make() T }\n\n"
        "type Base[T any, M Maker[T]] struct{ maker M }\n\n"
        "func (b *Base[T, M]) Set() T { return b.maker.Make() }\n\n"
        "type number struct{}\n\nfunc (n number) Make() int { return 1 }\n\n"
        "type Int = Base[int, number]\n\n"
        "type Pair[K, V any] struct{}\n\nfunc (p *Pair[K, V]) Put() {}\n\n"
        "func New[T any](size int) *Pair[T, T] { return nil }\n\n"
        "func Two[K, V any](size int) *Pair[K, V] { return nil }\n"
    ),
    "main.go": (
        'package main\n\nimport "example.com/m/flag"\n\n'
        "func alias() { f := flag.Int{}; f.Set() }\n\n"
        "func one() { p := flag.New[string](1); p.Put() }\n\n"
        "func two() { p := flag.Two[string, int](1); p.Put() }\n\n"
        "func none() { local[int](); table[0](1) }\n\n"
        "func local[T any]() {}\n\nvar table []func(int)\n"
    ),
}


def test_calls_of_generic_functions_and_what_they_return(repo):
    found = edges(repo.having(GENERIC))
    assert {
        ("one", "call", "New"),
        ("one", "call", "Pair.Put"),
        ("two", "call", "Two"),
        ("two", "call", "Pair.Put"),
        ("none", "call", "local"),
    } <= found


def test_a_name_for_a_generic_type_has_its_members_and_runs_those_of_its_arguments(repo):
    found = edges(repo.having(GENERIC))
    assert {
        ("Int", "subclass", "Base"),
        ("alias", "call", "Base.Set"),
        ("Int", "call", "number"),
        ("number", "callback", "number.Make"),
    } <= found


def test_a_field_of_a_struct_without_a_name_does_not_hide_a_package(repo):
    files = {
        "go.mod": "module example.com/m\n\ngo 1.21\n",
        "expr/expr.go": "package expr\n\nfunc Compile(text string) {}\n",
        "main_test.go": (
            'package main\n\nimport (\n\t"testing"\n\n\t"example.com/m/expr"\n)\n\n'
            "func TestCompile(t *testing.T) {\n"
            '\ttests := []struct{ expr string }{{expr: "1"}}\n'
            "\tfor _, tt := range tests {\n\t\texpr.Compile(tt.expr)\n\t}\n}\n"
        ),
    }
    assert ("TestCompile", "call", "Compile") in edges(repo.having(files))


def test_elements_of_a_type_that_is_a_slice_have_its_type(repo):
    files = {
        "go.mod": "module example.com/m\n\ngo 1.21\n",
        "row.go": (
            "package m\n\ntype Row struct{}\n\nfunc (r *Row) Text() {}\n\n"
            "type Rows []*Row\n\nfunc (r Rows) First() { r[0].Text() }\n\n"
            "func (r Rows) Each() {\n\tfor _, one := range r {\n\t\tone.Text()\n\t}\n}\n\n"
            "func (r Rows) All() { r.Each() }\n\n"
            "type Other struct{}\n\nfunc (o *Other) Text() {}\n"
        ),
    }
    found = edges(repo.having(files))
    assert {
        ("Rows.First", "call", "Row.Text"),
        ("Rows.Each", "call", "Row.Text"),
        ("Rows.All", "call", "Rows.Each"),
    } <= found
    assert not [edge for edge in found if edge[1] == "dynamic"]
