package pp

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares the tokens and the diagnostics of each source in testdata with the text beside it.
func TestGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/*.cl")
	if err != nil || len(sources) == 0 {
		t.Fatal("there are no sources", err)
	}
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cfg := headers("deep.h", "#include \"deeper.h\"\n", "deeper.h", "// one line\n#define OUTER(x) INNER(x)\n#error in a header\n")
		cfg.Name = filepath.Base(path)
		opts, _ := diag.ParseOptions([]string{"-Wall", "-Wpedantic"})
		r := startWith(string(text), cfg, opts)
		var b strings.Builder
		if err := r.Print(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteString("----\n" + r.bag.Render(diag.Style{}))
		golden := strings.TrimSuffix(path, ".cl") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != string(want) {
			t.Errorf("%s: got\n%s", path, got)
		}
	}
}
