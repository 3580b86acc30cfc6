package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Random kernels with the copies that lanes make for themselves, async marks and waits,
// in divergent control flow and in functions. As with group copies a model knows the
// rules: each work-item has LDS words and words of global memory of its own, so that
// its own program order is all there is.

const (
	laneItems = 20 // of a work-group
	laneRows  = 6  // words of LDS, and of global memory, of a work-item
)

// laneStep is a step of those work-items that take part.
type laneStep struct {
	// op is "load", "store" (async, from LDS), "sync" (the load that is over at
	// once), "mark", "wait", "read", "write", "call" or "if".
	op       string
	row, mem int
	space    side // of a read or write
	n        int  // of a wait
	k        uint32
	steps    []laneStep // of a call or an if
	mod, rem int        // of an if: work-items whose number mod this is that
}

// laneOp is an asynchronous operation in flight.
type laneOp struct {
	number   int
	store    bool
	row, mem int
}

// laneModel is one work-item.
type laneModel struct {
	id     int
	row    [laneRows]uint32
	mem    [laneRows]uint32
	acc    uint32
	ops    int
	flight []laneOp
	broken bool
}

// run makes steps of one function body, whose marks it keeps in marks: the number of
// operations before each.
func (m *laneModel) run(steps []laneStep, marks *[]int) {
	for i := range steps {
		m.step(&steps[i], marks)
	}
}

func (m *laneModel) step(s *laneStep, marks *[]int) {
	// use says what an access breaks when an operation is in flight. Async operations that
	// bring the same bytes from the same place are in no conflict.
	use := func(space side, at int, write bool) {
		for _, o := range m.flight {
			alike := s.op == "store" && o.store || s.op == "load" && !o.store
			if alike && s.row == o.row && s.mem == o.mem {
				continue
			}
			dst, src := o.row, o.mem
			if o.store {
				dst, src = o.mem, o.row
			}
			dstSpace := local
			if o.store {
				dstSpace = global
			}
			if (space == dstSpace && at == dst) || (write && space != dstSpace && at == src) {
				m.broken = true
			}
		}
	}
	switch s.op {
	case "if":
		if m.id%s.mod == s.rem {
			m.run(s.steps, marks)
		}
	case "call":
		var own []int
		m.run(s.steps, &own)
	case "mark":
		*marks = append(*marks, m.ops)
	case "wait":
		if n := len(*marks); n > s.n {
			before := (*marks)[n-1-s.n]
			m.flight = slices.DeleteFunc(m.flight, func(o laneOp) bool { return o.number < before })
		}
	case "load", "sync":
		use(global, s.mem, false)
		use(local, s.row, true)
		m.row[s.row] = m.mem[s.mem]
		if s.op == "load" {
			m.flight = append(m.flight, laneOp{number: m.ops, row: s.row, mem: s.mem})
			m.ops++
		}
	case "store":
		use(local, s.row, false)
		use(global, s.mem, true)
		m.mem[s.mem] = m.row[s.row]
		m.flight = append(m.flight, laneOp{number: m.ops, store: true, row: s.row, mem: s.mem})
		m.ops++
	case "read":
		at, p := s.row, &m.row
		if s.space == global {
			at, p = s.mem, &m.mem
		}
		use(s.space, at, false)
		m.acc = m.acc*31 + p[at] + s.k
	case "write":
		at, p := s.row, &m.row
		if s.space == global {
			at, p = s.mem, &m.mem
		}
		use(s.space, at, true)
		p[at] = m.acc ^ s.k
	}
}

// copyOf returns a model that goes its own way from here.
func (m *laneModel) copyOf() *laneModel {
	c := *m
	c.flight = slices.Clone(m.flight)
	return &c
}

// laneGen draws steps that break no rule for any work-item.
type laneGen struct {
	r     *rand.Rand
	items []*laneModel
}

// steps draws the steps of a body for the work-items in active, whose marks are given.
func (g *laneGen) steps(active []int, marks [][]int, n, depth int) []laneStep {
	var out []laneStep
	for range n {
		s := laneStep{
			op:  []string{"load", "load", "load", "store", "sync", "mark", "mark", "wait", "read", "read", "write", "if", "call"}[g.r.IntN(13)],
			row: g.r.IntN(laneRows), mem: g.r.IntN(laneRows), space: side(g.r.IntN(2)), n: g.r.IntN(3), k: g.r.Uint32(),
		}
		switch s.op {
		case "if", "call":
			if depth == 0 {
				continue
			}
			in, own := active, make([][]int, laneItems)
			if s.op == "if" {
				s.mod = 2 + g.r.IntN(4)
				s.rem, own = g.r.IntN(s.mod), marks
				in = slices.DeleteFunc(slices.Clone(active), func(i int) bool { return i%s.mod != s.rem })
			}
			s.steps = g.steps(in, own, 1+g.r.IntN(6), depth-1)
			out = append(out, s)
			continue
		}
		next := make([]*laneModel, laneItems)
		broken := false
		for _, i := range active {
			next[i] = g.items[i].copyOf()
			seen := marks[i]
			next[i].step(&s, &seen)
			broken = broken || next[i].broken
		}
		if broken {
			continue
		}
		for _, i := range active {
			g.items[i] = next[i]
			if s.op == "mark" {
				marks[i] = append(marks[i], g.items[i].ops)
			}
		}
		out = append(out, s)
	}
	return out
}

// laneProgram draws a kernel.
func laneProgram(r *rand.Rand) []laneStep {
	g := &laneGen{r: r, items: make([]*laneModel, laneItems)}
	active, marks := make([]int, laneItems), make([][]int, laneItems)
	for i := range g.items {
		g.items[i], active[i] = &laneModel{id: i}, i
	}
	var init []laneStep
	for i := range laneRows {
		init = append(init, laneStep{op: "write", row: i, k: r.Uint32()})
	}
	steps := append(init, g.steps(active, marks, 12+r.IntN(25), 2)...)
	return append(steps, laneStep{op: "mark"}, laneStep{op: "wait"})
}

// laneText writes the kernel as SPIR-V. It gets the memory of all work-items, row by
// row, and a buffer for what they added up and, behind that, for their LDS, row by row.
func laneText(steps []laneStep) string {
	w := &assembly{known: map[uint32]bool{}}
	var functions strings.Builder
	bodies := 0
	labels := 0
	// A body is %lds (the work-item's first word), %base (the sub-group's) and %mem.
	var body func(steps []laneStep)
	row := func(p string, i int) string {
		return w.value("OpInBoundsPtrAccessChain %%local %s %s", p, w.constant(uint32(i*laneItems)))
	}
	mem := func(i int) string {
		return w.value("OpInBoundsPtrAccessChain %%global %%mem %s", w.constant(uint32(i*laneItems)))
	}
	body = func(steps []laneStep) {
		for i := range steps {
			s := &steps[i]
			switch s.op {
			case "if":
				labels++
				at := labels
				rest := w.value("OpUMod %%uint %%lid %s", w.constant(uint32(s.mod)))
				w.line("OpBranchConditional %s %%then%d %%join%d", w.value("OpIEqual %%bool %s %s", rest, w.constant(uint32(s.rem))), at, at)
				w.line("%%then%d = OpLabel", at)
				body(s.steps)
				w.line("OpBranch %%join%d", at)
				w.line("%%join%d = OpLabel", at)
			case "call":
				bodies++
				number := bodies
				name := fmt.Sprintf("%%body%d", number)
				w.value("OpFunctionCall %%void %s %%lds %%base %%mem %%lid %%acc", name)
				outer := w.b
				w.b = strings.Builder{}
				w.line("%s = OpFunction %%void None %%body", name)
				text := w.b.String()
				w.b = strings.Builder{}
				body(s.steps)
				text += laneParams + w.b.String() + "OpReturn\nOpFunctionEnd\n"
				w.b = outer
				// Each body has names of its own.
				for _, name := range []string{"%lds", "%base", "%mem", "%lid", "%acc", "%begin"} {
					text = replaceName(text, name, fmt.Sprintf("%s_%d", name, number))
				}
				functions.WriteString(text)
			case "load":
				if s.k%2 == 0 {
					w.value("OpFunctionCall %%void %%load %s %s %s %s %s", mem(s.mem), row("%base", s.row), w.constant(4), w.constant(0), w.constant(0))
				} else {
					w.value("OpFunctionCall %%void %%load_lane %s %s %s %s", mem(s.mem), row("%lds", s.row), w.constant(0), w.constant(0))
				}
			case "sync":
				w.value("OpFunctionCall %%void %%sync %s %s %s %s %s", mem(s.mem), row("%base", s.row), w.constant(4), w.constant(0), w.constant(0))
			case "store":
				w.value("OpFunctionCall %%void %%store_lane %s %s %s %s", mem(s.mem), row("%lds", s.row), w.constant(0), w.constant(0))
			case "mark":
				w.value("OpFunctionCall %%void %%mark")
			case "wait":
				w.value("OpFunctionCall %%void %%wait %%n%d", s.n)
			default:
				p := row("%lds", s.row)
				if s.space == global {
					p = mem(s.mem)
				}
				acc := w.value("OpLoad %%uint %%acc")
				if s.op == "write" {
					w.line("OpStore %s %s", p, w.value("OpBitwiseXor %%uint %s %s", acc, w.constant(s.k)))
					break
				}
				sum := w.value("OpIAdd %%uint %s %s", w.value("OpIMul %%uint %s %s", acc, w.constant(31)), w.value("OpLoad %%uint %s", p))
				w.line("OpStore %%acc %s", w.value("OpIAdd %%uint %s %s", sum, w.constant(s.k)))
			}
		}
	}
	body(steps)
	for i := range 1 + laneRows {
		value := "%last"
		if i == 0 {
			w.line("%%last = OpLoad %%uint %%acc")
		} else {
			value = w.value("OpLoad %%uint %s", row("%lds", i-1))
		}
		w.line("OpStore %s %s", w.value("OpInBoundsPtrAccessChain %%global %%out %s",
			w.value("OpIAdd %%uint %%lid %s", w.constant(uint32(i*laneItems)))), value)
	}
	w.line("OpReturn\nOpFunctionEnd")
	main := w.b.String()
	var consts strings.Builder
	w.constant(laneRows * laneItems)
	for _, k := range w.consts {
		fmt.Fprintf(&consts, "%%k%d = OpConstant %%uint %d\n", k, k)
	}
	for n := range 3 {
		fmt.Fprintf(&consts, "%%n%d = OpConstant %%ushort %d\n", n, n)
	}
	return strings.NewReplacer("CONSTANTS\n", consts.String(), "WORDS", fmt.Sprintf("%%k%d", laneRows*laneItems)).Replace(laneHead) + main + functions.String()
}

// replaceName gives a name another one, and no name that merely begins with it.
func replaceName(text, old, name string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, old)
		if i < 0 {
			return out.String() + text
		}
		out.WriteString(text[:i])
		text = text[i+len(old):]
		if text != "" && (text[0] == '_' || text[0] >= '0' && text[0] <= '9') {
			out.WriteString(old)
		} else {
			out.WriteString(name)
		}
	}
}

const laneParams = `%lds = OpFunctionParameter %local
%base = OpFunctionParameter %local
%mem = OpFunctionParameter %global
%lid = OpFunctionParameter %uint
%acc = OpFunctionParameter %private
%begin = OpLabel
`

const laneHead = `OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int16
OpCapability Groups
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %kernel "kernel" %lid_var %lane_var
OpDecorate %lid_var BuiltIn LocalInvocationId
OpDecorate %lane_var BuiltIn SubgroupLocalInvocationId
OpDecorate %load LinkageAttributes "llvm.amdgcn.load.async.to.lds.p1" Import
OpDecorate %sync LinkageAttributes "llvm.amdgcn.load.to.lds.p1" Import
OpDecorate %load_lane LinkageAttributes "llvm.amdgcn.global.load.async.to.lds.b32" Import
OpDecorate %store_lane LinkageAttributes "llvm.amdgcn.global.store.async.from.lds.b32" Import
OpDecorate %mark LinkageAttributes "llvm.amdgcn.asyncmark" Import
OpDecorate %wait LinkageAttributes "llvm.amdgcn.wait.asyncmark" Import
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ushort = OpTypeInt 16 0
%v3uint = OpTypeVector %uint 3
%in_uint = OpTypePointer Input %uint
%in_v3uint = OpTypePointer Input %v3uint
%global = OpTypePointer CrossWorkgroup %uint
%local = OpTypePointer Workgroup %uint
%private = OpTypePointer Function %uint
CONSTANTS
%words = OpTypeArray %uint WORDS
%local_words = OpTypePointer Workgroup %words
%to_lds = OpTypeFunction %void %global %local %uint %uint %uint
%to_lane = OpTypeFunction %void %global %local %uint %uint
%marks = OpTypeFunction %void
%waits = OpTypeFunction %void %ushort
%body = OpTypeFunction %void %local %local %global %uint %private
%entry = OpTypeFunction %void %global %global
%lid_var = OpVariable %in_v3uint Input
%lane_var = OpVariable %in_uint Input
%words_var = OpVariable %local_words Workgroup
%load = OpFunction %void None %to_lds
%q1 = OpFunctionParameter %global
%q2 = OpFunctionParameter %local
%q3 = OpFunctionParameter %uint
%q4 = OpFunctionParameter %uint
%q5 = OpFunctionParameter %uint
OpFunctionEnd
%sync = OpFunction %void None %to_lds
%q6 = OpFunctionParameter %global
%q7 = OpFunctionParameter %local
%q8 = OpFunctionParameter %uint
%q9 = OpFunctionParameter %uint
%q10 = OpFunctionParameter %uint
OpFunctionEnd
%load_lane = OpFunction %void None %to_lane
%q11 = OpFunctionParameter %global
%q12 = OpFunctionParameter %local
%q13 = OpFunctionParameter %uint
%q14 = OpFunctionParameter %uint
OpFunctionEnd
%store_lane = OpFunction %void None %to_lane
%q15 = OpFunctionParameter %global
%q16 = OpFunctionParameter %local
%q17 = OpFunctionParameter %uint
%q18 = OpFunctionParameter %uint
OpFunctionEnd
%mark = OpFunction %void None %marks
OpFunctionEnd
%wait = OpFunction %void None %waits
%q19 = OpFunctionParameter %ushort
OpFunctionEnd
%kernel = OpFunction %void None %entry
%all = OpFunctionParameter %global
%out = OpFunctionParameter %global
%start = OpLabel
%acc = OpVariable %private Function
%lid3 = OpLoad %v3uint %lid_var
%lid = OpCompositeExtract %uint %lid3 0
%lane = OpLoad %uint %lane_var
%first = OpISub %uint %lid %lane
%mem = OpInBoundsPtrAccessChain %global %all %lid
%lds = OpInBoundsAccessChain %local %words_var %lid
%base = OpInBoundsAccessChain %local %words_var %first
OpStore %acc %lid
`

// laneCase makes the case of a kernel, with what the model says of each work-item.
func laneCase(name string, steps []laneStep, r *rand.Rand) (c *Case, broken bool) {
	var all, wantAll, wantOut [laneRows + 1][laneItems]uint32
	for i := range laneItems {
		m := &laneModel{id: i, acc: uint32(i)}
		for j := range m.mem {
			m.mem[j] = r.Uint32()
			all[j][i] = m.mem[j]
		}
		var marks []int
		m.run(steps, &marks)
		acc := m.acc
		// At the end the kernel hands out its LDS.
		for j := range laneRows {
			m.step(&laneStep{op: "read", row: j}, &marks)
		}
		broken = broken || m.broken
		wantOut[0][i] = acc
		for j := range laneRows {
			wantAll[j][i], wantOut[j+1][i] = m.mem[j], m.row[j]
		}
	}
	list := func(rows [][laneItems]uint32) string {
		var b []byte
		for i := range rows {
			for _, x := range rows[i] {
				b = binary.LittleEndian.AppendUint32(b, x)
			}
		}
		return "buf:u32:" + string(argspec.AppendList(nil, argspec.U32, b))
	}
	return &Case{
		Name: name, Title: "a random kernel with copies of lanes", Text: laneText(steps), Check: ChecksOn,
		Steps: []Step{{Launches: []Launch{{
			Kernel: "kernel", Global: []uint64{laneItems}, Local: []uint64{laneItems},
			Args:   []string{list(all[:laneRows]), fmt.Sprintf("zero:u32:%d", len(wantOut)*laneItems)},
			Expect: []Expect{{Arg: 0, What: list(wantAll[:laneRows])}, {Arg: 1, What: list(wantOut[:])}},
		}}}},
	}, broken
}

// without returns the steps without number n of those that mark or wait, and what it is;
// n counts down to the one, and below zero once it is gone.
func without(steps []laneStep, n *int) (rest []laneStep, what string) {
	for i := range steps {
		s := steps[i]
		if s.op == "mark" || s.op == "wait" {
			*n--
			if *n == -1 {
				what = s.op
				continue
			}
		}
		if len(s.steps) > 0 {
			inner, found := without(s.steps, n)
			s.steps = inner
			if found != "" {
				what = found
			}
		}
		rest = append(rest, s)
	}
	return rest, what
}

// testLaneCopies runs the random kernel of a seed, and the same without one of its marks
// or waits. It says whether that breaks a rule, which then is reported.
func testLaneCopies(t *testing.T, seed uint64) (broken bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	steps := laneProgram(r)
	name := fmt.Sprintf("lane-copies-%d", seed)
	c, bad := laneCase(name, steps, r)
	if bad {
		t.Fatalf("%s: the generator broke a rule", name)
	}
	m := asyncMatrix(seed)
	wantPass(t, c, m)
	m.KeepMarks = true
	m.Schedules = m.Schedules[1:2]
	wantPass(t, c, m)

	count := 1 << 30
	left := count
	without(steps, &left)
	n := r.IntN(count - left)
	what := fmt.Sprintf("mark or wait %d", n)
	steps, op := without(steps, &n)
	c, broken = laneCase(name+", without a "+op, steps, r)
	m = asyncMatrix(seed)
	if broken {
		wantFinding(t, c, m, "without "+what, "E-ASYNC")
	} else {
		wantPass(t, c, m)
	}
	return broken
}

// TestRandomLaneCopies runs kernels of fixed seeds; FuzzLaneCopies tries others.
func TestRandomLaneCopies(t *testing.T) {
	randomCopies(t, testLaneCopies, 5, "mark or a wait")
}

func FuzzLaneCopies(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { testLaneCopies(t, seed) })
}
