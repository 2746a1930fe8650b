// Prints, a line of JSON for each folder given: what its files import, and their package clauses.
// After the word -uses also which file of the folder uses a name that another one declares, as the
// type checker sees it.
package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

type file struct {
	Package string
	Imports []string
}

type folder struct {
	Dir   string
	Files map[string]file
	Uses  [][2]string
}

// Only the standard library is known; what comes from anywhere else stays without a type.
type standard struct{ inner types.Importer }

func (s standard) Import(path string) (*types.Package, error) {
	if strings.Contains(strings.Split(path, "/")[0], ".") || path == "C" {
		return nil, errors.New("elsewhere")
	}
	return s.inner.Import(path)
}

func main() {
	out := json.NewEncoder(os.Stdout)
	set := token.NewFileSet()
	known := standard{importer.ForCompiler(set, "source", nil)}
	dirs := os.Args[1:]
	checked := len(dirs) > 0 && dirs[0] == "-uses"
	if checked {
		dirs = dirs[1:]
	}
	for _, dir := range dirs {
		found, packages := look(set, dir)
		for _, files := range packages {
			if checked {
				found.Uses = append(found.Uses, uses(set, known, files)...)
			}
		}
		out.Encode(found)
	}
}

func look(set *token.FileSet, dir string) (folder, map[string][]*ast.File) {
	found := folder{Dir: dir, Files: map[string]file{}}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	sort.Strings(names)
	packages := map[string][]*ast.File{}
	for _, name := range names {
		one, _ := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if one == nil {
			continue
		}
		facts := file{Package: one.Name.Name}
		for _, spec := range one.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			facts.Imports = append(facts.Imports, path)
		}
		found.Files[filepath.Base(name)] = facts
		packages[one.Name.Name] = append(packages[one.Name.Name], one)
	}
	return found, packages
}

func uses(set *token.FileSet, known types.Importer, files []*ast.File) [][2]string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{
		Importer:                 known,
		Error:                    func(error) {},
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
	}
	checked, _ := config.Check("p", set, files, info)
	edges := map[[2]string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != checked || !object.Pos().IsValid() {
			continue
		}
		from := filepath.Base(set.Position(ident.Pos()).Filename)
		to := filepath.Base(set.Position(object.Pos()).Filename)
		if from != to {
			edges[[2]string{from, to}] = true
		}
	}
	var list [][2]string
	for edge := range edges {
		list = append(list, edge)
	}
	return list
}
