package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// litmus is a launch of a kernel k with one buffer of 16 ints, v.
func litmus(source string, global, local uint64) *Explorer {
	return New(Subject{
		Programs: []func(context.Context, *emu.Device) (*emu.Program, error){func(_ context.Context, dev *emu.Device) (*emu.Program, error) {
			p, _, err := dev.BuildProgram(source, "")
			return p, err
		}},
		Launches: []Member{{Kernel: "k", Range: emu.NDRange{Global: []uint64{global}, Local: []uint64{local}}}},
		Args: func(dev *emu.Device) (*Arguments, error) {
			b, err := emu.NewBufferOf(dev, make([]int32, 16))
			return &Arguments{Of: [][]emu.Arg{{b}}}, err
		},
	})
}

// results are the values of v[8] and behind it, as many as are asked for, in each outcome: those that all
// outcomes have alike are 0.
func results(r *Exhaustive, n int) []string {
	var list []string
	for _, o := range r.Outcomes {
		v := make([]string, n)
		for i := range v {
			v[i] = "0"
		}
		for _, x := range o.Values {
			if x.Name == "v" && x.Index >= 8 && x.Index < 8+uint64(n) {
				v[x.Index-8] = x.Value
			}
		}
		list = append(list, strings.Join(v, ""))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// litmusTests are programs, a work-item of its own work-group each line, over v[0], x, and v[1], y; r0 and so
// on are v[8] and so on. Want has all results that sequential consistency allows, found by hand.
var litmusTests = []struct {
	name    string
	threads []string
	results int
	want    string
}{
	{"message passing", []string{"x = 1; y = 1;", "r0 = y; r1 = x;"}, 2, "00 01 11"},
	{"store buffering", []string{"x = 1; r0 = y;", "y = 1; r1 = x;"}, 2, "01 10 11"},
	{"load buffering", []string{"r0 = x; y = 1;", "r1 = y; x = 1;"}, 2, "00 01 10"},
	// What x and y hold in the end.
	{"two plus two writes", []string{"x = 1; y = 2;", "y = 1; x = 2;"}, 2, "12 21 22"},
	{"coherence of reads", []string{"x = 1; x = 2;", "r0 = x; r1 = x;"}, 2, "00 01 02 11 12 22"},
	{"coherence of a write and a read", []string{"x = 1; r0 = x;", "x = 2;"}, 1, "1 2"},
	{"coherence of a read and a write", []string{"r0 = x; x = 1;", "x = 2;"}, 1, "0 2"},
	{"read to write", []string{"x = 1;", "r0 = x; y = 1;", "r1 = y; r2 = x;"}, 3, "000 001 010 011 100 101 111"},
	{"independent reads of independent writes", []string{"x = 1;", "y = 1;", "r0 = x; r1 = y;", "r2 = y; r3 = x;"}, 4,
		"0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111"},
	{"S", []string{"x = 2; y = 1;", "r0 = y; x = 1;"}, 1, "0 1"},
	{"tickets", []string{"r0 = atomic_inc(&v[0]);", "r1 = atomic_inc(&v[0]);", "r2 = atomic_inc(&v[0]);"}, 3, "012 021 102 120 201 210"},
	{"lost update", []string{"x = x + 1;", "x = x + 1;"}, 0, ""},
}

func (l *litmusThreads) source() string {
	var b strings.Builder
	b.WriteString("#define x v[0]\n#define y v[1]\n")
	for i := range 8 {
		fmt.Fprintf(&b, "#define r%d v[%d]\n", i, 8+i)
	}
	b.WriteString("kernel void k(volatile global int *v) { switch (get_global_id(0)) {\n")
	for i, t := range *l {
		fmt.Fprintf(&b, "case %d: %s break;\n", i, t)
	}
	b.WriteString("} }\n")
	return b.String()
}

type litmusThreads []string

// TestLitmus holds that the outcomes of litmus tests are those of sequential consistency, none more and none
// missing: they are compared with those found by hand, and with all interleavings, one by one.
func TestLitmus(t *testing.T) {
	for _, c := range litmusTests {
		t.Run(c.name, func(t *testing.T) {
			threads := litmusThreads(c.threads)
			if c.name == "two plus two writes" {
				threads = litmusThreads{c.threads[0] + "barrier(CLK_GLOBAL_MEM_FENCE);", c.threads[1] + "barrier(CLK_GLOBAL_MEM_FENCE);"}
			}
			source, local := threads.source(), uint64(1)
			if c.name == "two plus two writes" {
				source = strings.Replace(strings.ReplaceAll(source, "barrier(CLK_GLOBAL_MEM_FENCE);", ""), "} }\n", "} barrier(CLK_GLOBAL_MEM_FENCE); if (get_global_id(0) == 0) { r0 = x; r1 = y; } }\n", 1)
				local = 2
			}
			e := litmus(source, uint64(len(c.threads)), local)
			got, err := e.Exhaustive(t.Context(), ExhaustiveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(results(got, c.results), " "); c.results > 0 && text != c.want {
				t.Errorf("results %s, want %s", text, c.want)
			}
			if testing.Short() && len(c.threads) > 3 {
				return // all interleavings of four threads take a second or two
			}
			all, err := e.Exhaustive(t.Context(), ExhaustiveOptions{brute: true})
			if err != nil {
				t.Fatal(err)
			}
			ids := func(r *Exhaustive) map[string]bool {
				m := map[string]bool{}
				for _, o := range r.Outcomes {
					m[o.ID] = true
				}
				return m
			}
			if !got.Complete || !all.Complete || !maps.Equal(ids(got), ids(all)) {
				t.Errorf("complete %t, %d outcomes; of all interleavings %d", got.Complete, len(got.Outcomes), len(all.Outcomes))
			}
			if got.Executions+got.Redundant > all.Executions {
				t.Errorf("%d interleavings and %d redundant ones, and there are %d in all", got.Executions, got.Redundant, all.Executions)
			}
			t.Logf("%d executions, %d redundant, of %d; %d outcomes", got.Executions, got.Redundant, all.Executions, len(got.Outcomes))
		})
	}
}

func TestExhaustive(t *testing.T) {
	for _, c := range []struct {
		name, body    string
		global, local uint64
		outcomes      int
		executions    int // 0 for any number
		findings      string
	}{
		{"own elements", "v[i] = i; v[i] += 1;", 4, 4, 1, 1, ""},
		{"local memory of each group", "tile[l] = i; barrier(CLK_LOCAL_MEM_FENCE); v[i] = tile[1 - l];", 4, 2, 1, 1, ""},
		{"without the barrier", "tile[l] = i; v[i] = tile[1 - l];", 2, 2, 2, 3, ""},
		{"atomic sum", "atomic_add(&v[0], i);", 4, 2, 1, 24, ""},
		{"a barrier in a loop", "for (int r = 0; r < 3; r++) { tile[l] = r; barrier(CLK_LOCAL_MEM_FENCE); v[i] += tile[1 - l]; barrier(CLK_LOCAL_MEM_FENCE); }", 2, 2, 1, 1, ""},
		{"output", "printf(\"%d\\n\", (int)i);", 3, 1, 1, 0, ""},
		{"a fault in some orders", "if (i == 1) v[0] = 1; else v[v[0] * 100] = 2;", 2, 1, 3, 3, "E-OOB"},
		{"a barrier that some miss in some orders", "if (i == 1) v[0] = 1; else if (v[0]) return; barrier(CLK_LOCAL_MEM_FENCE);", 2, 2, 2, 0, "E-BARRIERPART"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := litmus("kernel void k(volatile global int *v) { local int tile[2]; int i = get_global_id(0), l = get_local_id(0);\n"+c.body+" }", c.global, c.local)
			r, err := e.Exhaustive(t.Context(), ExhaustiveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			all, err := e.Exhaustive(t.Context(), ExhaustiveOptions{brute: true, Executions: 500})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Outcomes) != c.outcomes || c.executions != 0 && r.Executions != c.executions || !r.Complete || all.Complete && len(all.Outcomes) != c.outcomes {
				t.Errorf("%d outcomes of %d executions, complete %t; all %d interleavings have %d outcomes", len(r.Outcomes), r.Executions, r.Complete, all.Executions, len(all.Outcomes))
			}
			var codes []string
			for _, o := range r.Outcomes {
				for _, f := range o.Findings {
					codes = append(codes, string(f.Code))
				}
			}
			if text := strings.Join(codes, " "); text != c.findings {
				t.Errorf("findings %s, want %s", text, c.findings)
			}
		})
	}
}

// TestExhaustiveLimits holds what is said of enumerations that are not complete, and of launches that are
// refused.
func TestExhaustiveLimits(t *testing.T) {
	spin := litmus("kernel void k(volatile global int *v) { if (get_global_id(0) == 0) v[0] = 1; else while (v[0] == 0); }", 2, 1)
	r, err := spin.Exhaustive(t.Context(), ExhaustiveOptions{Steps: 20})
	if err != nil || r.Complete || r.Cut == 0 || len(r.Outcomes) != 1 || r.OK() {
		t.Errorf("a loop that waits: %+v, %v", r, err)
	}
	if r, err := spin.Exhaustive(t.Context(), ExhaustiveOptions{Executions: 3}); err != nil || r.Complete || r.Executions+r.Redundant+r.Cut != 3 {
		t.Errorf("three executions: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err = spin.Exhaustive(ctx, ExhaustiveOptions{Progress: func(n, _ int) {
		if n == 5 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || r.Complete {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
	for _, c := range []struct{ name, source, want string }{
		{"many work-items", "kernel void k(global int *v) {}", "work-items"},
		{"asynchronous copies", "kernel void k(global int *v) { local int a[4]; event_t e = async_work_group_copy(a, v, 4, 0); wait_group_events(1, &e); v[9] = a[0]; }", "asynchronous"},
	} {
		global := uint64(2)
		if c.name == "many work-items" {
			global = 65
		}
		if _, err := litmus(c.source, global, 1).Exhaustive(t.Context(), ExhaustiveOptions{}); !errors.Is(err, emu.ErrNotInterleaved) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
