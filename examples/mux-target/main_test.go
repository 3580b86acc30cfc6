package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux/muxtest"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/binary"
)

// TestScenarios: the compiler keeps every rule that lockstep's own compilers keep.
func TestScenarios(t *testing.T) {
	if compilersErr != nil || len(compilers) != 2 {
		t.Fatalf("%d compilers, %v", len(compilers), compilersErr)
	}
	for _, section := range muxtest.Sections() {
		t.Run(section, func(t *testing.T) {
			for _, info := range compilers {
				muxtest.Section(t, section, muxtest.Env{Info: info, GetCompilers: GetCompilers})
			}
		})
	}
}

// TestBinary writes a binary as README.md does. The command line's tests run the commands of README.md.
func TestBinary(t *testing.T) {
	name := filepath.Join(t.TempDir(), "saxpy.lsb")
	if err := run(t.Context(), []string{"-o", name, "../saxpy/saxpy.cl"}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	runBinary(t, name)
}

// runBinary runs the binary, and looks for what the tiny passes did.
func runBinary(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := binary.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if k := f.Program.Kernel("saxpy"); len(k.Locs) != 1 || slices.ContainsFunc(k.Code, func(in isa.Inst) bool { return in.Loc != 0 }) {
		t.Error("the binary has the lines of the source")
	}
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.LoadBinary(data, emu.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("saxpy")
	if err != nil {
		t.Fatal(err)
	}
	x, err := emu.NewBufferOf(d, []float32{0, 1, 2, 3, 4, 5, 6, 7})
	if err != nil {
		t.Fatal(err)
	}
	y, err := emu.NewBufferOf(d, []float32{1, 1, 1, 1, 1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Run(t.Context(), emu.Range(8), emu.Value(float32(2)), x, y); err != nil {
		t.Fatal(err)
	}
	if got, err := emu.Read[float32](y); err != nil || !slices.Equal(got, []float32{1, 3, 5, 7, 9, 11, 13, 15}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestErrors: wrong arguments, and modules for larger devices.
func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "one source or SPIR-V module is wanted"},
		{[]string{"-compiler", "none", "../saxpy/saxpy.cl"}, "there is no compiler"},
		{[]string{"no-such-file"}, "no-such-file"},
		{[]string{"../saxpy/main.go"}, "program.cl:2:1: error: "},
		{[]string{"-options", "--max-code", "../saxpy/saxpy.cl"}, "--max-code wants a value"},
		{[]string{"-options", "--max-code=x", "../saxpy/saxpy.cl"}, `"x" is no number from 1 on`},
		{[]string{"-options", "--passes=simplify", "../saxpy/saxpy.cl"}, "not one of the compiler's options"},
		{[]string{"-compiler", "lockstep-sg8", "-options", "--max-code=1", "../saxpy/saxpy.cl"}, "not one of the compiler's options"},
	} {
		err := run(context.Background(), tc.args, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, want %q", tc.args, err, tc.want)
		}
	}
}
