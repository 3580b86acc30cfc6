package emu_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockstep-gpu/lockstep/emu"
)

const observed = `
global int seen[2];
constant int table[2] = {1, 2};
kernel void k(global int *out)
{
	size_t i = get_global_id(0);
	out[i] = table[i % 2];
	if (i == 3)
		atomic_add(&seen[1], 5);
	if (i % 2)
		printf("%d;", (int)i);
}`

// TestObserve watches the stores and the prints of a launch on each engine, and what memory holds in the end.
func TestObserve(t *testing.T) {
	for _, engine := range emu.Engines() {
		dev, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		prog, _, err := dev.BuildProgram(observed, "")
		if err != nil {
			t.Fatal(err)
		}
		k, err := prog.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out, err := emu.NewBufferOf(dev, make([]int32, 4))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dev.NewBuffer(8, emu.BufferOptions{Name: "constant", ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
		var stores, prints []string
		l := emu.Launch{Kernel: k, Args: []emu.Arg{out}, Range: emu.NDRange{Global: []uint64{4}, Local: []uint64{2}}, Schedule: emu.Schedule{Order: emu.Reverse}}
		l.Prints = func(item uint64, text []byte) { prints = append(prints, fmt.Sprintf("%d %s", item, text)) }
		if engine == "interp" {
			l.Accesses = func(s emu.Access) {
				if !s.Writes() {
					return
				}
				stores = append(stores, fmt.Sprintf("%d:%d+%d %v line %d", s.Allocation, s.Offset, s.Bytes, s.WorkItem().Global, s.Place().Line))
			}
		}
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []string{"3 3;", "1 1;"}; !slices.Equal(prints, want) {
			t.Errorf("engine %s: prints %q, want %q", engine, prints, want)
		}
		list, err := dev.Contents()
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]string{}
		for _, c := range list {
			o, name, err := l.Object(c)
			if err != nil {
				t.Fatal(err)
			}
			names[name] = fmt.Sprintf("%d %s %v", c.Allocation, o.Kind, c.Data)
		}
		seen, buffer := list[0].Allocation, list[len(list)-1].Allocation
		if want := fmt.Sprintf("%d variable [0 0 0 0 5 0 0 0]", seen); len(list) != 2 || names["seen"] != want {
			t.Errorf("engine %s: memory %v, want seen: %s", engine, names, want)
		}
		if want := fmt.Sprintf("%d argument [1 0 0 0 2 0 0 0 1 0 0 0 2 0 0 0]", buffer); names["out"] != want {
			t.Errorf("engine %s: memory %v, want out: %s", engine, names, want)
		}
		if engine != "interp" {
			if l.Accesses = func(emu.Access) {}; engine == "native" {
				if _, err := l.Run(t.Context()); !errors.Is(err, emu.ErrInvalid) {
					t.Errorf("engine %s announces stores: %v", engine, err)
				}
				l.Accesses, l.Interleave = nil, last{}
				if _, err := l.Run(t.Context()); !errors.Is(err, emu.ErrInvalid) {
					t.Errorf("engine %s interleaves: %v", engine, err)
				}
			}
			continue
		}
		slices.Sort(stores)
		var want []string
		for i := range 4 {
			want = append(want, fmt.Sprintf("%d:%d+4 [%d 0 0] line 7", buffer, 4*i, i))
		}
		want = append(want, fmt.Sprintf("%d:4+4 [3 0 0] line 9", seen))
		slices.Sort(want)
		if !slices.Equal(stores, want) {
			t.Errorf("stores %q, want %q", stores, want)
		}
	}
}

// last lets the last work-item go on, and notes the steps.
type last struct{ steps *[]emu.Step }

func (l last) Choose(pending []emu.Step) int {
	*l.steps = append(*l.steps, pending[len(pending)-1])
	return len(pending) - 1
}
func (last) Opened(uint64) {}

// TestInterleave orders the accesses of a launch, the last work-item first.
func TestInterleave(t *testing.T) {
	for _, lanes := range []int{1, 2} {
		dev, err := emu.NewDevice(emu.DeviceOptions{Engine: "interp", SubgroupSize: lanes})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		prog, _, err := dev.BuildProgram("kernel void k(volatile global int *v) { int i = get_global_id(0); v[0] = i; v[i + 1] = v[0]; }", "")
		if err != nil {
			t.Fatal(err)
		}
		k, err := prog.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		v, err := emu.NewBufferOf(dev, make([]int32, 4))
		if err != nil {
			t.Fatal(err)
		}
		var steps []emu.Step
		l := emu.Launch{Kernel: k, Args: []emu.Arg{v}, Range: emu.NDRange{Global: []uint64{3}, Local: []uint64{1}}, Interleave: last{&steps}}
		_, err = l.Run(t.Context())
		if lanes > 1 {
			if !errors.Is(err, emu.ErrNotInterleaved) {
				t.Errorf("sub-groups of %d: %v", lanes, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := emu.Read[int32](v); err != nil || !slices.Equal(got, []int32{0, 0, 1, 2}) {
			t.Errorf("memory %v, %v", got, err)
		}
		taken, err := l.Taken(steps)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for i := range taken {
			texts = append(texts, fmt.Sprintf("%d %v %s+%d", taken[i].WorkItem.Global[0], steps[i].Access, taken[i].Name, taken[i].Offset))
		}
		want := []string{"2 write v+0", "2 read v+0", "2 write v+12", "1 write v+0", "1 read v+0", "1 write v+8", "0 write v+0", "0 read v+0", "0 write v+4"}
		if !slices.Equal(texts, want) {
			t.Errorf("steps %q, want %q", texts, want)
		}
	}
}

func TestLocalSize(t *testing.T) {
	dev, err := emu.NewDevice(emu.DeviceOptions{Workers: 1}) // work-groups in y store to the same elements
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	prog, _, err := dev.BuildProgram(observed, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := prog.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []emu.NDRange{{Global: []uint64{4096}}, {Global: []uint64{12, 10}, Local: []uint64{4, 5}}} {
		got, err := k.LocalSize(r)
		if err != nil {
			t.Fatal(err)
		}
		out, err := dev.NewBuffer(1<<16, emu.BufferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if res, err := k.Run(t.Context(), r, out); err != nil || res.Local != got {
			t.Errorf("%+v: %v, %v; LocalSize says %v", r, res.Local, err, got)
		}
	}
	var wrong *emu.RangeError
	if _, err := k.LocalSize(emu.NDRange{}); !errors.As(err, &wrong) {
		t.Errorf("no dimensions: %v", err)
	}
	if _, err := (*emu.Kernel)(nil).LocalSize(emu.Range(1)); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no kernel: %v", err)
	}
}

// TestAccesses listens to a launch alone, and to the same launch twice in a set.
func TestAccesses(t *testing.T) {
	dev, err := emu.NewDevice(emu.DeviceOptions{Engine: "interp", SubgroupSize: 2, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	prog, _, err := dev.BuildProgram(`kernel void k(global int *p, global int *out)
{
	local int tile[2];
	int i = get_local_id(0);
	tile[i] = p[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = atomic_add(p, tile[1 - i]);
	printf("%d", work_group_reduce_add(i));
}`, "-cl-std=CL3.0")
	if err != nil {
		t.Fatal(err)
	}
	k, err := prog.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	launch := func(told map[uint64][]string, printed *string) emu.Launch {
		p, err := emu.NewBufferOf(dev, []int32{5, 7})
		if err != nil {
			t.Fatal(err)
		}
		out, err := emu.NewBufferOf(dev, make([]int32, 2))
		if err != nil {
			t.Fatal(err)
		}
		return emu.Launch{
			Kernel: k, Args: []emu.Arg{p, out}, Range: emu.NDRange{Global: []uint64{2}, Local: []uint64{2}},
			Prints: func(item uint64, text []byte) { *printed += fmt.Sprintf("%d:%s ", item, text) },
			Accesses: func(a emu.Access) {
				what := "writes"
				switch {
				case a.Returned:
					what = "returned"
				case a.Reads:
					what = "reads"
				case a.Atomic:
					what = "atomic"
				}
				name := ""
				if o, of := a.Object(); o != nil {
					name = " " + of
				}
				told[a.Item] = append(told[a.Item], fmt.Sprintf("%s%s+%d: %d", what, name, a.Offset, a.Value))
				if a.WorkItem().Global[0] != a.Item || a.Kernel() != "k" || a.Place().Line < 5 {
					t.Errorf("work-item %d: %+v", a.Item, a)
				}
			},
		}
	}
	want := map[uint64][]string{
		0: {"reads p+0: 5", "writes tile+0: 5", "reads tile+4: 7", "atomic p+0: 7", "returned+0: 5", "writes out+0: 5"},
		1: {"reads p+4: 7", "writes tile+4: 7", "reads tile+0: 5", "atomic p+0: 5", "returned+0: 12", "writes out+4: 12"},
	}
	compare := func(told map[uint64][]string, printed string) {
		t.Helper()
		if diff := cmp.Diff(want, told); diff != "" || printed != "0:1 1:1 " {
			t.Errorf("printed %q, accesses (-want +got):\n%s", printed, diff)
		}
	}
	told, printed := map[uint64][]string{}, ""
	l := launch(told, &printed)
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare(told, printed)
	var tolds [2]map[uint64][]string
	var prints [2]string
	var set emu.Set
	for i := range tolds {
		tolds[i] = map[uint64][]string{}
		set.Launches = append(set.Launches, launch(tolds[i], &prints[i]))
	}
	if _, err := set.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range tolds {
		compare(tolds[i], prints[i])
	}
}
