package cli

import (
	"context"
	"flag"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
)

var everyModule = flag.Bool("every-module", false, "run the command lines that info suggests for all modules and sources of the repository")

// fillIn puts small numbers into the places of a command line that info leaves to the reader.
func fillIn(line string, k *infocmd.KernelInfo) []string {
	var args []string
	next := 0 // parameter
	for _, word := range strings.Fields(line)[1:] {
		last := ""
		if len(args) > 0 {
			last = args[len(args)-1]
		}
		switch {
		case last == "-global" && k.LocalSize != nil:
			word = cmdline.Dims(k.LocalSize)
		case last == "-global":
			word = "2"
		case last == "-arg":
			word = strings.NewReplacer("HEX", strings.Repeat("01", int(k.Args[next].Bytes)), "COUNT", "64", "BYTES", "1024", "WIDTH", "4", "HEIGHT", "4", "V", "1").Replace(word)
			next++
		case last == "-out":
			word = strings.Replace(word, "FILE", "image", 1)
		}
		args = append(args, word)
	}
	return args
}

// TestSuggestedCommands runs the command line that info suggests for each kernel of the examples and of the
// conformance kernels, with small numbers in it. The kernel may fault, as it gets any numbers; its arguments
// are accepted.
func TestSuggestedCommands(t *testing.T) {
	patterns := []string{"examples/*/*.cl", "conformance/kernels/src/*.cl", "conformance/kernels/spv/*.O2.spv"}
	if testing.Short() {
		patterns = patterns[:2]
	}
	if *everyModule {
		patterns = []string{"*/*.cl", "*/*/*.cl", "*/*/*/*.cl", "*/*/*/*/*.cl", "*/*/*.spv*", "*/*/*/*.spv*"}
	}
	var paths []string
	for _, p := range patterns {
		list, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, list...)
	}
	kernels := 0
	for _, path := range slices.Compact(paths) {
		path, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.ToSlash(path)
		w := &world{written: map[string][]byte{}}
		m, err := loader.Load(t.Context(), &cmdline.Env{Open: w.open, Stderr: io.Discard}, path)
		if err != nil {
			if !*everyModule {
				t.Error(err)
			}
			continue
		}
		info, sm, err := infocmd.Reflect(m)
		if err != nil {
			if !*everyModule {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		doc := infocmd.NewModuleInfo(m, info)
		doc.AddStructures(sm)
		doc.AddPipes(m)
		for i := range doc.Kernels {
			if doc.Unsupported(i) != "" {
				continue
			}
			kernels++
			args := append(fillIn(doc.RunLine(i), &doc.Kernels[i]), "-engine", "interp")
			switch {
			case strings.Contains(doc.RunLine(i), " pipe:"):
				args = append(args, "-timeout", "300ms") // some wait for the other end of a pipe for ever
			case *everyModule:
				args = append(args, "-timeout", "2s") // and some are endless
			}
			_, errs, status := w.run(context.Background(), args, nil)
			if status > 1 && (!*everyModule || strings.Contains(errs, "argument")) { // some modules are refused
				t.Errorf("lockstep %s: exit status %d\n%s", strings.Join(args, " "), status, errs)
			}
		}
	}
	if kernels < 200 {
		t.Errorf("%d kernels have been run, want at least 200", kernels)
	}
	t.Logf("%d kernels of %d modules", kernels, len(paths))
}
