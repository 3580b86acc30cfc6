package differ_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/internal/differ"
	"github.com/lockstep-gpu/lockstep/emu/mux/clang"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

const root = "../../.."

// sources returns the OpenCL C of the repository.
func sources(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".cl") && !strings.Contains(path, "/clc/internal/") &&
			!strings.Contains(path, "/cli/testdata/cl/") { // those are wrong, or need options
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 60 {
		t.Fatalf("found only %d sources", len(list))
	}
	return list
}

// compileFile compiles a file with the compiler of this repository.
func compileFile(path string, options ...string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	o := clc.Options{Open: func(name string) (string, bool) {
		text, err := os.ReadFile(name)
		return string(text), err == nil
	}}
	if err := o.Add(options); err != nil {
		return nil, err
	}
	res, err := clc.Compile(context.Background(), clc.Source{Name: path, Text: string(text)}, o)
	if err != nil {
		return nil, err
	}
	if err := validate.Validate(res.Module, validate.Options{}).Err(); err != nil {
		return nil, err
	}
	return res.Module.Encode(), nil
}

var withClang = flag.Bool("clang", false, "compare with the clang that is installed, too")

// TestRepositorySources compiles every source of the repository. Kernels of package kernels must leave the same memory
// as the modules that clang made of them and that are committed; with -clang, clang compiles the others now.
func TestRepositorySources(t *testing.T) {
	other := clang.New(clang.Options{})
	for _, path := range sources(t) {
		t.Run(strings.TrimPrefix(path, root+"/"), func(t *testing.T) {
			t.Parallel()
			ours, err := compileFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir, name := filepath.Split(path)
			theirs, err := os.ReadFile(filepath.Join(dir, "../spv", strings.TrimSuffix(name, ".cl")+".O0.spv"))
			if err != nil {
				if !*withClang {
					return
				}
				c, err := other.CompileFile(context.Background(), clang.File{Path: path, Args: []string{"-cl-std=CL3.0", "-O0"}})
				if err != nil { // operations of extensions that clang or the translator do not have
					t.Skipf("clang: %v", err)
				}
				theirs = c.SPIRV
			}
			compare(t, ours, theirs)
		})
	}
}

// compare runs the kernels of two modules.
func compare(t *testing.T, a, b []byte) {
	t.Helper()
	x, err := differ.Run(context.Background(), a, differ.Options{Integers: true})
	y, errY := differ.Run(context.Background(), b, differ.Options{Integers: true})
	if err != nil && errY != nil {
		t.Skipf("neither module can be run: %v", err)
	}
	if err := errors.Join(err, errY); err != nil {
		t.Fatal(err)
	}
	byName := map[string]differ.Outcome{}
	for _, o := range y {
		byName[o.Kernel] = o
	}
	if len(x) != len(y) {
		t.Errorf("%d kernels, clang makes %d", len(x), len(y))
	}
	for _, o := range x {
		if why := differ.Difference(o, byName[o.Kernel]); why != "" {
			t.Errorf("kernel %s (%s): %s", o.Kernel, strings.Join(o.Params, ", "), why)
		}
	}
}
