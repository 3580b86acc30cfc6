package mux_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/isa/binary"
)

// codeSize finalizes saxpy with options and returns the instructions of its bytecode.
func codeSize(t *testing.T, options string) (int, error) {
	t.Helper()
	m, _ := newModule(t)
	if err := m.ParseOptions(options, mux.OptionsBuild); err != nil {
		t.Fatal(err)
	}
	d := deviceSPIRV(t)
	if _, err := m.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(t.Context()); err != nil {
		return 0, err
	}
	b, err := m.CreateBinary()
	if err != nil {
		t.Fatal(err)
	}
	f, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return len(f.Program.Kernel("saxpy").Code), nil
}

// TestBuiltinOptions: the options of lockstep's own compilers reach the lowering.
func TestBuiltinOptions(t *testing.T) {
	usual, err := codeSize(t, "")
	if err != nil {
		t.Fatal(err)
	}
	for options, same := range map[string]bool{
		"--verify-each --keep-marks": true, "--passes=default": true, "--max-instructions=100000": true,
		"-cl-opt-disable": false, "--passes=promote": false,
	} {
		n, err := codeSize(t, options)
		if err != nil || (n == usual) != same || n < usual {
			t.Errorf("%s: %d instructions (%v), without it %d", options, n, err, usual)
		}
	}
	if _, err := codeSize(t, "--max-instructions 2"); !errors.Is(err, mux.ErrFinalizeProgramFailure) {
		t.Errorf("two instructions are enough: %v", err)
	}
	m, _ := newModule(t)
	for options, want := range map[string]string{
		"--passes=nothing": "nothing", "--max-instructions=0": "no number from 1", "--max-instructions=x": "no number from 1",
	} {
		err := m.ParseOptions(options, mux.OptionsCompile)
		if !errors.Is(err, mux.ErrInvalidCompilerOptions) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", options, err)
		}
	}
}
