package main

import (
	"encoding/binary"
	"encoding/gob"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// talk starts a lockstep worker in this process and gives a function that asks it.
func talk(t *testing.T) func(request) response {
	t.Helper()
	toWorker, in := io.Pipe()
	out, fromWorker := io.Pipe()
	done := make(chan error, 1)
	go func() {
		w := worker{index: -1}
		done <- w.serve(toWorker, fromWorker)
	}()
	t.Cleanup(func() {
		in.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	enc, dec := gob.NewEncoder(in), gob.NewDecoder(out)
	return func(q request) response {
		t.Helper()
		var a response
		if err := enc.Encode(&q); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// TestWorker runs a kernel through the protocol: its first run and what is left
// after a measurement are both the reference's bits.
func TestWorker(t *testing.T) {
	ask := talk(t)
	k, l := kernels.Find("saxpy"), bench.Saxpy(512)
	want, err := reference(k, l)
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(request{Op: opOpen, Session: 7, Kernel: k.Name, Launch: l}); a.Error != "" || a.Build <= 0 {
		t.Fatalf("open: %+v", a)
	}
	for range 2 {
		a := ask(request{Op: opFirst, Session: 7})
		if got := agreement(k, want, a.Outputs); a.Error != "" || got != sameBits {
			t.Errorf("first: %s %s", a.Error, got)
		}
		if a := ask(request{Op: opMeasure, Session: 7}); a.Error != "" || len(a.Times) != 1 {
			t.Errorf("measure without a budget: %+v", a)
		}
	}
	if a := ask(request{Op: opMeasure, Session: 7, Budget: 10 * time.Millisecond}); a.Error != "" || len(a.Times) == 0 {
		t.Errorf("measure: %+v", a)
	}
	if a := ask(request{Op: opClose, Session: 7}); a.Error != "" {
		t.Error(a.Error)
	}
	for what, q := range map[string]request{
		"no session 7": {Op: opMeasure, Session: 7},
		"no kernel":    {Op: opOpen, Kernel: "nothing"},
		"argument 0":   {Op: opOpen, Kernel: "saxpy", Launch: kernels.Launch{Args: []string{"f32:x"}}},
	} {
		if a := ask(q); !strings.Contains(a.Error, what) {
			t.Errorf("error %q does not say %q", a.Error, what)
		}
	}
}

// TestWorkerSource runs a kernel that is built from source, and compiles.
func TestWorkerSource(t *testing.T) {
	ask := talk(t)
	k, l := kernels.Find("saxpy"), bench.Saxpy(512)
	want, err := reference(k, l)
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(request{Op: opOpen, Session: 1, Kernel: k.Name, Launch: l, FromSource: true}); a.Error != "" {
		t.Fatalf("open: %+v", a)
	}
	if a := ask(request{Op: opFirst, Session: 1}); a.Error != "" || agreement(k, want, a.Outputs) != sameBits {
		t.Errorf("first: %+v", a)
	}
	if a := ask(request{Op: opClose, Session: 1}); a.Error != "" {
		t.Error(a.Error)
	}
	if a := ask(request{Op: opSource, Source: k.Source(), Runs: 3}); a.Error != "" || len(a.Times) != 3 {
		t.Errorf("compile: %+v", a)
	}
	if a := ask(request{Op: opSource, Source: "kernel void f(", Runs: 1}); !strings.Contains(a.Error, "source.cl:1:") {
		t.Errorf("error %q does not name the place", a.Error)
	}
}

func TestAgreement(t *testing.T) {
	floats := func(v ...float32) []byte {
		b, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	exact := &kernels.Kernel{Outputs: []int{1}}
	near := &kernels.Kernel{Outputs: []int{1}, Tolerance: &kernels.Tolerance{Ulps: 1, Bits: 32}}
	next := math.Nextafter32(2, 3)
	const far = 2 + 0x1p-17 // 32 ulp
	want := []buffer{{argspec.F32, floats(1, 2)}}
	for _, c := range []struct {
		kernel *kernels.Kernel
		got    [][]byte
		want   string
	}{
		{exact, [][]byte{floats(1, 2)}, sameBits},
		{near, [][]byte{floats(1, 2)}, sameBits},
		{near, [][]byte{floats(1, next)}, "1 ulp"},
		{exact, [][]byte{floats(1, next)}, differs + " in argument 1, element 1: 0x40000001, not 0x40000000"},
		{near, [][]byte{floats(1, next+0x1p-21)}, "3 ulp of the largest"},
		{near, [][]byte{floats(1+0x1p-21, next)}, "2 ulp of the largest"},
		{near, [][]byte{floats(1, far)}, differs + " in argument 1, element 1: 0x40000020, not 0x40000000"},
		{near, [][]byte{floats(1, float32(math.NaN()))}, differs + " in argument 1, element 1: 0x7fc00000, not 0x40000000"},
		{near, [][]byte{floats(1)}, differs + ": argument 1 has 4 bytes, not 8"},
		{near, nil, differs + ": 0 buffers, not 1"},
	} {
		if got := agreement(c.kernel, want, c.got); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
