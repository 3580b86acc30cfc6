package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/isa/binary"
)

// TestInfoJSON holds the part of the document that only compiled modules have; its
// layout and size change with the instruction set.
func TestInfoJSON(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	for _, c := range []struct {
		module string
		within bool
	}{{"", false}, {"-module", true}} {
		args := strings.Fields("compile spec.spvasm -subgroup 16 -spec 3=7 -o spec.lsb " + c.module)
		if _, stderr, status := w.run(context.Background(), args, nil); status != 0 {
			t.Fatal(stderr)
		}
		stdout, stderr, status := w.run(context.Background(), []string{"info", "-json", "spec.lsb"}, nil)
		if status != 0 {
			t.Fatal(stderr)
		}
		var doc infocmd.ModuleInfo
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatal(err)
		}
		b := doc.Binary
		if b == nil || b.Format != binary.FormatVersion || b.Layout != binary.Layout().String() || b.Target != "lockstep" || b.SubgroupSize != 16 || b.Module != c.within {
			t.Errorf("%q: %+v", c.module, b)
		}
		if doc.Bytes != len(w.written["spec.lsb"]) || len(doc.SpecConstants) != 2 || doc.SpecConstants[0].Value != "7" || doc.SpecConstants[1].Value != "false" {
			t.Errorf("%q: %d bytes, constants %+v", c.module, doc.Bytes, doc.SpecConstants)
		}
	}
	stdout, _, _ := w.run(context.Background(), []string{"info", "-json", "spec.spvasm"}, nil)
	if strings.Contains(stdout, `"binary"`) || strings.Contains(stdout, `"value"`) {
		t.Errorf("a module has what compiled ones have:\n%s", stdout)
	}
}

// TestBinaryStreams holds that binaries go through pipes, and are the same each time.
func TestBinaryStreams(t *testing.T) {
	w := &world{written: map[string][]byte{}}
	run := func(stdin []byte, line string) string {
		t.Helper()
		stdout, stderr, status := w.run(context.Background(), strings.Fields(line), stdin)
		if status != 0 {
			t.Fatalf("%s: %s", line, stderr)
		}
		return stdout
	}
	first := run(nil, "compile spec.spvasm -o -")
	run(nil, "compile spec.spvasm -o spec.lsb")
	if !bytes.Equal([]byte(first), w.written["spec.lsb"]) {
		t.Error("standard output gets other bytes than a file")
	}
	if got := run([]byte(first), "run - -global 3 -arg zero:u32:3 -out 0=-"); got != "0: 100 101 102\n" {
		t.Errorf("from standard input: %q", got)
	}
	module := run(nil, "link link-kernel.spvasm link-library.spvasm -o -")
	if got := run([]byte(module), "run - -global 2 -arg zero:u32:2 -out 0=-"); got != "0: 100 101\n" {
		t.Errorf("a linked module: %q", got)
	}
	for _, line := range []string{"compile spec.spvasm -o -", "link spec.spvasm -o -"} {
		var out, err bytes.Buffer
		env := &cmdline.Env{Stdout: &out, Stderr: &err, StdoutTerminal: true, Open: w.open, Create: w.create, Stat: w.stat}
		if status := Main(context.Background(), strings.Fields(line), env); status != cmdline.ExitUsage || out.Len() > 0 || !strings.Contains(err.String(), "terminal") {
			t.Errorf("%s: status %d, %q, %q", line, status, out.String(), err.String())
		}
	}
}

// TestApart: an output is told to be an input by whatever name.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	in, other := filepath.Join(dir, "in.spv"), filepath.Join(dir, "other.spv")
	if err := os.WriteFile(in, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(in, other); err != nil {
		t.Skip(err)
	}
	for out, ok := range map[string]bool{
		in: false, other: false, filepath.Join(dir, "new", "..", "in.spv"): false, filepath.Join(dir, "new.spv"): true, "-": true,
	} {
		if err := cmdline.Apart(System(), "link", out, []string{"-", in}); (err == nil) != ok {
			t.Errorf("%s: %v", out, err)
		}
	}
}
