package clcjudge

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/internal/differ"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

var corpus = flag.String("corpus", "", "a directory of OpenCL projects, one in each folder: compile their sources both ways, run and compare")

// TestCorpus compiles real sources with both compilers, and runs the kernels with arguments that package
// differ makes. A source gets the newest version of the language that one of the compilers takes it in, and
// finds headers beside it and in the folders above it. A file OPTIONS in the folder of a project has options
// for both compilers.
func TestCorpus(t *testing.T) {
	if *corpus == "" {
		t.Skip("takes a directory: -corpus DIR")
	}
	projects, err := os.ReadDir(*corpus)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range projects {
		if p.IsDir() {
			t.Run(p.Name(), func(t *testing.T) { judgeProject(t, filepath.Join(*corpus, p.Name())) })
		}
	}
}

// tally counts what became of the sources of a project.
type tally struct {
	files, both, neither, ours, theirs, foreign, compared, refused, faulted, different int
}

func judgeProject(t *testing.T, dir string) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".cl") || strings.HasSuffix(path, ".ocl")) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	n := tally{files: len(files)}
	for _, f := range files {
		n.file(t, dir, f)
	}
	t.Logf("%+v", n)
}

// file judges one source.
func (n *tally) file(t *testing.T, root, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var include, options []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		include = append(include, dir)
		options = append(options, "-I", dir)
		if dir == root || len(dir) < 2 {
			break
		}
	}
	name := strings.TrimPrefix(path, root)
	own := clc.Options{Include: include, Open: func(name string) (string, bool) {
		b, err := os.ReadFile(name)
		return string(b), err == nil
	}}
	if text, err := os.ReadFile(filepath.Join(root, "OPTIONS")); err == nil {
		words := strings.Fields(string(text))
		if err := own.Add(words); err != nil {
			t.Fatal(err)
		}
		options = append(options, words...)
	}
	a := Own("clc", own)
	b := needClang(t, append(options, "-O0", "-fgnu89-inline", "-ffp-contract=on")...)
	opt := differ.Options{Timeout: 2e9}
	var said string
	for _, version := range []int{300, 200, 120} {
		found, count, err := Compare(context.Background(), a, b, string(text), version, opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 && found[0].Refusal {
			ours, theirs := strings.Contains(found[0].What, "clc: "), strings.Contains(found[0].What, b.Name+": ")
			if ours && theirs {
				said = found[0].What
				continue // perhaps in an older version
			}
			switch {
			case ours:
				n.theirs++
				t.Logf("%s at %d: refused here alone: %s", name, version, clipped(found[0].What))
			case found[0].Foreign:
				n.foreign++
			default:
				n.ours++
				t.Logf("%s at %d: refused there alone: %s", name, version, clipped(found[0].What))
			}
			return
		}
		n.both++
		n.compared += count.Compared
		n.refused += count.Refused
		n.faulted += count.Faulted
		for _, f := range found {
			n.different++
			t.Logf("%s at %d: kernel %s differs: %s", name, version, f.Kernel, clipped(f.What))
		}
		return
	}
	n.neither++
	if testing.Verbose() && said != "" {
		fmt.Fprintf(os.Stderr, "neither: %s: %s\n", name, clipped(said))
	}
}

func clipped(s string) string { return s[:min(len(s), 400)] }
