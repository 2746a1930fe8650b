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
