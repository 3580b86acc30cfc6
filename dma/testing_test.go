package dma

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// found is a finding that a test's sink has taken.
type found struct {
	Code     finding.Code
	PC, Item int
	N        int
	Detail   Detail
}

// testSink keeps findings by code and instruction, in the order in which they came.
type testSink struct {
	list   []*found
	missed Missed
}

func (s *testSink) Missed(m Missed) { s.missed |= m }

func (s *testSink) Finding(code finding.Code, pc, item, n int) *Detail {
	for _, f := range s.list {
		if f.Code == code && f.PC == pc {
			f.N += n
			return nil
		}
	}
	f := &found{Code: code, PC: pc, Item: item, N: n}
	s.list = append(s.list, f)
	return &f.Detail
}

// String lists the findings: "E-ASYNCREAD@7".
func (s *testSink) String() string {
	var list []string
	for _, f := range s.list {
		list = append(list, fmt.Sprintf("%s@%d", f.Code, f.PC))
	}
	return strings.Join(list, " ")
}

// get returns the finding with a code.
func (s *testSink) get(t *testing.T, code finding.Code) *found {
	t.Helper()
	for _, f := range s.list {
		if f.Code == code {
			return f
		}
	}
	t.Fatalf("no %s among: %s", code, s)
	return nil
}

// testTracer writes down what it is told.
type testTracer struct{ lines []string }

func (t *testTracer) logf(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *testTracer) Issue(x *Transfer) {
	t.logf("%d: issue %d %s pc %d items %s %d bytes event %d engine %d", x.Issued, x.ID, x.Name, x.PC, x.Items, x.Bytes, x.Event, x.Engine)
}

func (t *testTracer) Complete(x *Transfer) { t.logf("%d-%d: complete %d", x.Start, x.Done, x.ID) }

func (t *testTracer) Mark(now uint64, pc, wave, seq int, items Items) {
	t.logf("%d: mark pc %d wave %d seq %d items %s", now, pc, wave, seq, items.spans(1<<20))
}

func (t *testTracer) Wait(from, to uint64, pc, wave int, what string, upTo uint64) {
	t.logf("%d-%d: wait pc %d wave %d for %s", from, to, pc, wave, what)
}

// bed is a unit with memory around it: global buffers "in" and "out", which can
// be written, and "rom", which cannot; and two allocations of LDS.
type bed struct {
	*Unit
	sink   *testSink
	global *memory.Global
	lds    *memory.Local

	in, out, rom, tile, tile2 memory.Pointer
	events                    []uint64 // that a program has made
}

const (
	inBytes   = 4096
	tileBytes = 1024
)

func newBed(t testing.TB, cfg Config, items, subgroup int) *bed {
	t.Helper()
	b := &bed{sink: &testSink{}, global: memory.NewGlobal(1 << 20)}
	alloc := func(name string, readOnly bool) memory.Pointer {
		p, err := b.global.Alloc(name, inBytes, readOnly)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	b.in, b.out, b.rom = alloc("in", false), alloc("out", false), alloc("rom", true)
	var err error
	if b.lds, err = memory.NewLocal([]uint64{tileBytes, tileBytes}, 1<<16); err != nil {
		t.Fatal(err)
	}
	b.tile, b.tile2 = memory.MakePointer(memory.SpaceLocal, 1, 0), memory.MakePointer(memory.SpaceLocal, 2, 0)
	for i, p := range []memory.Pointer{b.in, b.out, b.rom, b.tile, b.tile2} {
		data := b.data(p)
		for j := range data {
			data[j] = byte(mix(uint64(i)<<32 | uint64(j)))
		}
	}
	cfg.Sink = b.sink
	b.Unit = New(cfg)
	b.begin(0, items, subgroup)
	return b
}

// begin resets the unit for a work-group.
func (b *bed) begin(linear uint64, items, subgroup int) {
	b.Reset(Group{Linear: linear, Items: items, SubgroupSize: subgroup, Memory: b.global, LDS: b.lds})
}

// data returns the allocation that p leads to.
func (b *bed) data(p memory.Pointer) []byte {
	if p.Space() == memory.SpaceLocal {
		return b.lds.Lookup(p.Alloc()).Data
	}
	return b.global.Lookup(p.Alloc()).Data
}

// image returns all memory.
func (b *bed) image() []byte {
	return slices.Concat(b.data(b.in), b.data(b.out), b.data(b.rom), b.data(b.tile), b.data(b.tile2))
}

// some returns n work-items from first on as those of a wave.
func some(wave, first, n int) Items {
	mask := make([]uint64, (n+63)/64)
	for i := range n {
		mask[i/64] |= 1 << (i % 64)
	}
	return Items{Wave: wave, First: first, Mask: mask}
}

// pick returns those of some(wave, first, 64) whose bit is set.
func pick(wave, first int, mask uint64) Items {
	return Items{Wave: wave, First: first, Mask: []uint64{mask}}
}

// args builds the operands of a group copy.
type args map[int]uint64

func (a args) copy(pc, dim int) *Copy {
	spec := &CopySpec{Name: fmt.Sprintf("copy%dD", dim), Dim: dim}
	c := &Copy{PC: pc, Spec: spec}
	for i, v := range a {
		spec.Has[i], c.Args[i] = true, v
	}
	return c
}

// linear returns a copy of n bytes in a row.
func linear(pc int, dst, src memory.Pointer, n uint64) *Copy {
	return args{argDst: uint64(dst), argSrc: uint64(src), argElems: n}.copy(pc, 1)
}

// every runs a test under all completions.
func every(t *testing.T, f func(t *testing.T, cfg Config)) {
	for _, c := range []Completion{Early, Late, Paced} {
		t.Run(c.String(), func(t *testing.T) { f(t, Config{Completion: c, Check: true}) })
	}
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { f(t, Config{Completion: Seeded, Seed: seed, Check: true}) })
	}
}

// want compares the findings with a list, and returns them.
func (b *bed) want(t *testing.T, list string) {
	t.Helper()
	if got := b.sink.String(); got != list {
		t.Errorf("findings: %q, want %q", got, list)
	}
}
