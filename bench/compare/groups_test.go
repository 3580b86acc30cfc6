package main

import (
	"encoding/gob"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// localProcess is a process whose worker of lockstep runs in this one.
func localProcess(t *testing.T) *process {
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
	return &process{name: "local", in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out), timeout: time.Minute, cmd: &exec.Cmd{}}
}

// TestGroups measures the figures about sub-groups, each kernel against its
// reference first.
func TestGroups(t *testing.T) {
	c := &comparison{sizes: "small", runs: 1, implementations: []Implementation{{Name: interpreter}, {Name: pocl}}, processes: []*process{localProcess(t), nil}}
	figures, err := c.allGroups()
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != len(groupFigures) {
		t.Fatalf("%d figures, want %d", len(figures), len(groupFigures))
	}
	for i, f := range figures {
		t.Logf("%s: %.3g %s, %s: %s", f.Name, f.Value, f.Unit, f.Target, f.Detail)
		if f.Table != "groups, lockstep interp" || f.Value <= 0 || f.Target != groupFigures[i].goal(groupFigures[i].interp) || !strings.Contains(f.Detail, "at 128") {
			t.Errorf("%+v", f)
		}
	}
}

// TestGroupFigure holds which way a ratio goes, and which is measured for the target.
func TestGroupFigure(t *testing.T) {
	at := func(ms ...int) (list []*groupKernel) {
		for i := range groupSizes {
			d := time.Duration(ms[i]) * time.Millisecond
			list = append(list, &groupKernel{request: request{Kernel: "k"}, times: []time.Duration{d}, cpu: []time.Duration{d}})
		}
		return list
	}
	slow, fast := at(6, 1, 2, 8), at(2, 1, 1, 2)
	for _, c := range []struct {
		f       groupFigure
		on      string
		value   float64
		target  string
		verdict string
	}{
		{groupFigure{interp: 3}, interpreter, 3, "at most 3", holds},
		{groupFigure{interp: 4, avx512: 2.9}, nativeAVX512, 3, "at most 2.9", misses},
		{groupFigure{interp: 2, avx2: 6}, nativeAVX2, 3, "at most 6", holds},
		{groupFigure{speed: true, interp: 0.8}, interpreter, 1.0 / 3, "at least 0.8", misses},
		{groupFigure{speed: true, avx2: 0.3}, nativeAVX2, 1.0 / 3, "at least 0.3", holds},
	} {
		f := c.f.figure(c.on, slow, fast)
		if f.Value != c.value || f.Target != c.target || f.Verdict != c.verdict {
			t.Errorf("%+v: %+v", c.f, f)
		}
		want := "1 at 8, 2 at 64, 4 at 128"
		if c.f.speed {
			want = "1 at 8, 0.5 at 64, 0.25 at 128"
		}
		if !strings.HasSuffix(f.Detail, want) {
			t.Errorf("detail %q does not end in %q", f.Detail, want)
		}
	}
}
