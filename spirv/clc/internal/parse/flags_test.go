package parse

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
)

// TestWarningNames looks whether package diag knows the names of all warnings that the parser and sema give: a name
// that it does not know cannot be switched off.
func TestWarningNames(t *testing.T) {
	warning := regexp.MustCompile(`(?:Warnf|Enabled|\bon)\("([^"]*)"`)
	found := 0
	for _, dir := range []string{".", "../sema"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range warning.FindAllStringSubmatch(string(text), -1) {
				found++
				if m[1] != "" && !diag.KnownWarning(m[1]) {
					t.Errorf("%s: no warning is called %q", name, m[1])
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d warnings found", found)
	}
}
