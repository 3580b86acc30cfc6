package playground

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds that a page downloads no package that it has no use for.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("go", "list", "-deps", "-tags", "browser", ".")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	const module = "github.com/lockstep-gpu/lockstep/"
	if !slices.Contains(deps, module+"cmd/lockstep/internal/launch") {
		t.Errorf("the page does not import what runs kernels: %q", deps)
	}
	for _, unwanted := range []string{
		"net", "net/url", "os/signal", "os/exec", "regexp", "html/template", "encoding/xml", module + "cmd/lockstep/internal/cli",
		module + "internal/hostrun", module + "isa/native", module + "emu/mux/clang", module + "conformance",
	} {
		if slices.Contains(deps, unwanted) {
			t.Errorf("the page imports %s", unwanted)
		}
	}
}
