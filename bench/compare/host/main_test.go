package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
)

const source = `kernel void raise(global float *x, float a) { x[get_global_id(0)] += a; }`

// TestRun runs a kernel on the system's first platform, where there is one.
func TestRun(t *testing.T) {
	lib, err := ocl.Load("")
	if err != nil {
		t.Skip(err)
	}
	platforms, err := lib.Platforms()
	if err != nil || len(platforms) == 0 {
		t.Skip("no platform")
	}
	if devices, err := platforms[0].Devices(); err != nil || len(devices) == 0 {
		t.Skip("no device")
	}
	dir := t.TempDir()
	kernel, out := filepath.Join(dir, "k.cl"), filepath.Join(dir, "x.bin")
	if err := os.WriteFile(kernel, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"", "0", kernel, "raise", "64", "16", "0=" + out, "iota:f32:64", "f32:0.5"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || len(got) != 256 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for i := range 64 {
		if v := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); v != float32(i)+0.5 {
			t.Errorf("element %d is %v", i, v)
		}
	}
	if err := run([]string{"", "0", kernel, "raise", "64", "16", "1=" + out, "iota:f32:64", "f32:0.5"}); err == nil || !strings.Contains(err.Error(), "argument 1 is no buffer") {
		t.Errorf("a value as output: %v", err)
	}
	if err := run([]string{"", "99", kernel, "raise", "64", "16", "0=" + out}); err == nil {
		t.Error("no error for a platform that is not there")
	}
}

func TestUsage(t *testing.T) {
	for _, words := range [][]string{nil, {"", "x", "k.cl", "k", "1", "1", "0=x"}, {"", "0", filepath.Join("no", "such.cl"), "k", "1", "1", "0=x"}} {
		if err := run(words); err == nil {
			t.Errorf("no error for %q", words)
		}
	}
}
