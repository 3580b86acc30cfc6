package lower_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// A random program works on a few 32-bit variables of each work-item. It is a
// list of blocks; the same list is run by a loop in Go, one work-item at a
// time, and as a kernel, in waves of several widths. What the lowering may get
// wrong (phis, promotion, uniform values in loops that lanes leave at
// different times, the order of blocks, registers) changes some result.

const (
	progVars = 6
	progSize = 96 // work-items; not a multiple of 64, so that waves end in the middle
)

type progOp struct {
	kind    int // see run; 8 to 11 are operations across lanes, see text
	d, a, b int
	c       uint32
}

// Operations with pipes: one takes a token of the program out of its pipe and
// puts it back, so that work-items wait for each other; one does that only if
// there is a token; one reads a pipe that is always empty.
const (
	opToken = 12 + iota
	opTry
	opNone

	token = 12345
)

// Operations with memory: a work-item has progWords words of its own where its result goes in the end. One is stored
// to, or loaded from, at a place that c says, or the variable a if c is odd.
const (
	opPut = 15 + iota
	opGet

	progWords = 4
)

type progBlock struct {
	ops []progOp
	// term: 0 branch, 1 conditional on vars[v]&mask, 2 switch on vars[v]&3, 3 return
	term, v int
	mask    uint32
	to      []int
}

type program struct {
	blocks []progBlock
	input  []uint32
	tokens int // in the pipe of opToken; 0 for a program without pipes
}

// run is the reference: work-item id from the first block to a return.
func (p *program) run(id uint32) (v [progVars]uint32, ok bool) {
	v[0] = id
	var words [progWords]uint32
	b := 0
	for range 20000 {
		for _, o := range p.blocks[b].ops {
			switch o.kind {
			case 0:
				v[o.d] = v[o.a] + v[o.b]
			case 1:
				v[o.d] = v[o.a] ^ v[o.b]
			case 2:
				v[o.d] = v[o.a]*v[o.b] + o.c
			case 3:
				v[o.d] = v[o.a] + o.c
			case 4:
				v[o.d] = v[o.a] >> (o.c & 31)
			case 5:
				v[o.d] = o.c
			case 6:
				v[o.d] = p.input[v[o.a]&63]
			case 7:
				if v[o.a] < v[o.b] {
					v[o.d] = v[o.a]
				} else {
					v[o.d] = o.c
				}
			case opPut:
				*o.word(&words, &v) = v[o.b]
				v[o.d] = v[o.b]
			case opGet:
				v[o.d] = *o.word(&words, &v)
			case opToken:
				v[o.d] = v[o.a] + token
			case opTry:
				v[o.d] = v[o.b] + o.c
			case opNone:
				v[o.d] = v[o.b] + ^uint32(0)
			}
		}
		t := &p.blocks[b]
		switch t.term {
		case 0:
			b = t.to[0]
		case 1:
			if v[t.v]&t.mask != 0 {
				b = t.to[0]
			} else {
				b = t.to[1]
			}
		case 2:
			b = t.to[min(int(v[t.v]&3), len(t.to)-1)]
		case 3:
			return v, true
		}
	}
	return v, false
}

// word returns the word that an operation with memory is about.
func (o *progOp) word(words *[progWords]uint32, v *[progVars]uint32) *uint32 {
	if o.c%2 == 1 {
		return &words[v[o.a]%progWords]
	}
	return &words[o.c/2%progWords]
}

// useMemory makes operations with memory of others.
func (p *program) useMemory(r *rand.Rand) {
	for b := range p.blocks {
		for i := range p.blocks[b].ops {
			// Counters of loops are made by other kinds.
			if o := &p.blocks[b].ops[i]; (o.kind <= 2 || o.kind == 7) && r.IntN(2) == 0 {
				o.kind = opPut + min(r.IntN(3), 1)
			}
		}
	}
}

// text returns the program as a SPIR-V kernel f(global uint *out, global const uint *in).
func (p *program) text() string {
	var s strings.Builder
	id := 0
	next := func() string { id++; return fmt.Sprintf("%%t%d", id) }
	consts := map[uint32]bool{63: true, 264: true}
	for i := range uint32(progVars + 1) {
		consts[i] = true
	}
	for _, b := range p.blocks {
		consts[b.mask] = true
		for _, o := range b.ops {
			consts[o.c] = true
			consts[o.c&31] = true
		}
	}
	if p.tokens > 0 {
		s.WriteString("OpCapability PipeStorage\nOpCapability BlockingPipesALTERA\nOpExtension \"SPV_INTEL_blocking_pipes\"\n")
	}
	s.WriteString(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint4 = OpTypeVector %uint 4
%ulong = OpTypeInt 64 0
%vec3 = OpTypeVector %ulong 3
%pin = OpTypePointer Input %vec3
%pg = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg %pg
%gid = OpVariable %pin Input
`)
	for _, c := range slices.Sorted(maps.Keys(consts)) {
		fmt.Fprintf(&s, "%%c%d = OpConstant %%uint %d\n", c, c)
	}
	if p.tokens > 0 {
		fmt.Fprintf(&s, `%%pr = OpTypePipe ReadOnly
%%pw = OpTypePipe WriteOnly
%%ps = OpTypePipeStorage
%%token = OpConstant %%uint %d
%%tokens = OpConstantPipeStorage %%ps 4 4 %d
%%empty = OpConstantPipeStorage %%ps 4 4 1
`, token, p.tokens)
	}
	s.WriteString("%f = OpFunction %void None %fn\n%out = OpFunctionParameter %pg\n%in = OpFunctionParameter %pg\n%entry = OpLabel\n")
	for i := range progVars {
		fmt.Fprintf(&s, "%%v%d = OpVariable %%pf Function\n", i)
	}
	if p.tokens > 0 {
		s.WriteString("%packet = OpVariable %pf Function\n")
	}
	s.WriteString("%g3 = OpLoad %vec3 %gid\n%g64 = OpCompositeExtract %ulong %g3 0\n%g = OpUConvert %uint %g64\n")
	fmt.Fprintf(&s, "%%base = OpIMul %%uint %%g %%c%d\nOpStore %%v0 %%g\n", progVars)
	for i := 1; i < progVars; i++ {
		fmt.Fprintf(&s, "OpStore %%v%d %%c0\n", i)
	}
	if p.tokens > 0 {
		s.WriteString("%tr = OpCreatePipeFromPipeStorage %pr %tokens\n%tw = OpCreatePipeFromPipeStorage %pw %tokens\n%er = OpCreatePipeFromPipeStorage %pr %empty\n" +
			"OpStore %packet %token\n%first = OpIEqual %bool %g %c0\nOpBranchConditional %first %fill %b0\n%fill = OpLabel\n")
		for range p.tokens {
			s.WriteString("OpWritePipeBlockingALTERA %tw %packet %c4 %c4\n")
		}
	}
	s.WriteString("OpBranch %b0\n")
	load := func(v int) string {
		t := next()
		fmt.Fprintf(&s, "%s = OpLoad %%uint %%v%d\n", t, v)
		return t
	}
	for i, b := range p.blocks {
		fmt.Fprintf(&s, "%%b%d = OpLabel\n", i)
		for _, o := range b.ops {
			x, y, t := load(o.a), load(o.b), next()
			bin := func(op, a, b string) { fmt.Fprintf(&s, "%s = %s %%uint %s %s\n", t, op, a, b) }
			c := fmt.Sprintf("%%c%d", o.c)
			switch o.kind {
			case 0:
				bin("OpIAdd", x, y)
			case 1:
				bin("OpBitwiseXor", x, y)
			case 2:
				bin("OpIMul", x, y)
				u := next()
				fmt.Fprintf(&s, "%s = OpIAdd %%uint %s %s\n", u, t, c)
				t = u
			case 3:
				bin("OpIAdd", x, c)
			case 4:
				bin("OpShiftRightLogical", x, fmt.Sprintf("%%c%d", o.c&31))
			case 5:
				t = c
			case 6:
				bin("OpBitwiseAnd", x, "%c63")
				q, u := next(), next()
				fmt.Fprintf(&s, "%s = OpInBoundsPtrAccessChain %%pg %%in %s\n%s = OpLoad %%uint %s Aligned 4\n", q, t, u, q)
				t = u
			case 7:
				q, u := next(), next()
				fmt.Fprintf(&s, "%s = OpULessThan %%bool %s %s\n%s = OpSelect %%uint %s %s %s\n", q, x, y, u, q, x, c)
				t = u
			case 8:
				fmt.Fprintf(&s, "%s = OpGroupNonUniformBroadcastFirst %%uint %%c3 %s\n", t, x)
			case 9:
				fmt.Fprintf(&s, "%s = OpGroupNonUniformIAdd %%uint %%c3 Reduce %s\n", t, x)
			case 10:
				fmt.Fprintf(&s, "%s = OpGroupNonUniformShuffleXor %%uint %%c3 %s %%c%d\n", t, x, o.c&31)
			case 11:
				q, u := next(), next()
				fmt.Fprintf(&s, "%s = OpULessThan %%bool %s %s\n%s = OpGroupNonUniformBallot %%uint4 %%c3 %s\n", q, x, y, u, q)
				fmt.Fprintf(&s, "%s = OpGroupNonUniformBallotBitCount %%uint %%c3 InclusiveScan %s\n", t, u)
			case opPut, opGet:
				at, i, q := fmt.Sprintf("%%c%d", o.c/2%progWords), next(), next()
				if o.c%2 == 1 {
					at = next()
					fmt.Fprintf(&s, "%s = OpBitwiseAnd %%uint %s %%c%d\n", at, x, progWords-1)
				}
				fmt.Fprintf(&s, "%s = OpIAdd %%uint %%base %s\n%s = OpInBoundsPtrAccessChain %%pg %%out %s\n", i, at, q, i)
				if o.kind == opPut {
					fmt.Fprintf(&s, "OpStore %s %s Aligned 4\n", q, y)
					t = y
				} else {
					fmt.Fprintf(&s, "%s = OpLoad %%uint %s Aligned 4\n", t, q)
				}
			case opToken:
				s.WriteString("OpStore %packet %c0\nOpReadPipeBlockingALTERA %tr %packet %c4 %c4\n")
				u := next()
				fmt.Fprintf(&s, "%s = OpLoad %%uint %%packet\n%s = OpIAdd %%uint %s %s\n", u, t, x, u)
				s.WriteString("OpWritePipeBlockingALTERA %tw %packet %c4 %c4\n")
			case opTry:
				r, q, got, on := next(), next(), next(), next()
				fmt.Fprintf(&s, "%s = OpReadPipe %%uint %%tr %%packet %%c4 %%c4\n%s = OpIEqual %%bool %s %%c0\nOpBranchConditional %s %s %s\n", r, q, r, q, got, on)
				fmt.Fprintf(&s, "%s = OpLabel\n%s = OpWritePipe %%uint %%tw %%packet %%c4 %%c4\nOpBranch %s\n%s = OpLabel\n", got, next(), on, on)
				bin("OpIAdd", y, c)
			case opNone:
				u := next()
				fmt.Fprintf(&s, "%s = OpReadPipe %%uint %%er %%packet %%c4 %%c4\n%s = OpIAdd %%uint %s %s\n", u, t, y, u)
			}
			fmt.Fprintf(&s, "OpStore %%v%d %s\n", o.d, t)
		}
		switch b.term {
		case 0:
			fmt.Fprintf(&s, "OpBranch %%b%d\n", b.to[0])
		case 1:
			x, t, q := load(b.v), next(), next()
			fmt.Fprintf(&s, "%s = OpBitwiseAnd %%uint %s %%c%d\n%s = OpINotEqual %%bool %s %%c0\n", t, x, b.mask, q, t)
			fmt.Fprintf(&s, "OpBranchConditional %s %%b%d %%b%d\n", q, b.to[0], b.to[1])
		case 2:
			x, t := load(b.v), next()
			fmt.Fprintf(&s, "%s = OpBitwiseAnd %%uint %s %%c3\nOpSwitch %s %%b%d", t, x, t, b.to[len(b.to)-1])
			for i, to := range b.to[:len(b.to)-1] {
				fmt.Fprintf(&s, " %d %%b%d", i, to)
			}
			s.WriteByte('\n')
		case 3:
			s.WriteString("OpBranch %exit\n")
		}
	}
	s.WriteString("%exit = OpLabel\n")
	for i := range progVars {
		x, idx, q := load(i), next(), next()
		fmt.Fprintf(&s, "%s = OpIAdd %%uint %%base %%c%d\n%s = OpInBoundsPtrAccessChain %%pg %%out %s\nOpStore %s %s Aligned 4\n", idx, i, q, idx, q, x)
	}
	s.WriteString("OpReturn\nOpFunctionEnd\n")
	return s.String()
}

// ops makes straight-line code. Variable 5 is left alone: it counts down.
func randomOps(r *rand.Rand, n int) []progOp {
	var out []progOp
	for range n {
		o := progOp{kind: r.IntN(8), d: 1 + r.IntN(progVars-2), a: r.IntN(progVars - 1), b: r.IntN(progVars - 1), c: uint32(r.IntN(40))}
		out = append(out, o)
	}
	return out
}

// randomGraph makes a program whose control flow is any graph, irreducible
// ones included. Variable 5 is fuel: a block that finds it empty returns.
func randomGraph(r *rand.Rand) *program {
	n := 3 + r.IntN(8)
	p := &program{}
	ret := 2*n + 1
	p.blocks = append(p.blocks, progBlock{ops: []progOp{{kind: 5, d: 5, c: uint32(8 + r.IntN(24))}}, to: []int{1}})
	for i := range n {
		// A pair of blocks: take fuel, then work.
		p.blocks = append(p.blocks,
			progBlock{ops: []progOp{{kind: 3, d: 5, a: 5, c: ^uint32(0)}}, term: 1, v: 5, mask: 31, to: []int{2 + 2*i, ret}},
			progBlock{ops: randomOps(r, r.IntN(5)), term: r.IntN(3), v: r.IntN(progVars - 1), mask: 1 << r.IntN(4)})
		b := &p.blocks[len(p.blocks)-1]
		for range []int{1, 2, 4}[b.term] {
			b.to = append(b.to, 1+2*r.IntN(n))
		}
	}
	p.blocks = append(p.blocks, progBlock{term: 3})
	return p
}

// randomTree makes a program of nested ifs, loops with breaks and continues,
// and switches. Loops have trip counts that are the same for all work-items or
// differ between them.
func randomTree(r *rand.Rand) *program {
	p := &program{}
	add := func(b progBlock) int { p.blocks = append(p.blocks, b); return len(p.blocks) - 1 }
	var stmts func(depth int, brk, cont int, free []int) (first, last int)
	stmts = func(depth, brk, cont int, free []int) (int, int) {
		first := add(progBlock{ops: randomOps(r, r.IntN(4))})
		last := first
		join := func(to int) { p.blocks[last].term = 0; p.blocks[last].to = []int{to} }
		for range 1 + r.IntN(3) {
			v, mask := r.IntN(progVars-1), uint32(1)<<r.IntN(3)
			switch k := r.IntN(6); {
			case k == 0 && depth > 0: // if
				f, l := stmts(depth-1, brk, cont, free)
				next := add(progBlock{ops: randomOps(r, 2)})
				p.blocks[last].term, p.blocks[last].v, p.blocks[last].mask, p.blocks[last].to = 1, v, mask, []int{f, next}
				p.blocks[l].term, p.blocks[l].to = 0, []int{next}
				last = next
			case k == 1 && depth > 0: // if else
				f, l := stmts(depth-1, brk, cont, free)
				g, m := stmts(depth-1, brk, cont, free)
				next := add(progBlock{ops: randomOps(r, 1)})
				p.blocks[last].term, p.blocks[last].v, p.blocks[last].mask, p.blocks[last].to = 1, v, mask, []int{f, g}
				p.blocks[l].term, p.blocks[l].to = 0, []int{next}
				p.blocks[m].term, p.blocks[m].to = 0, []int{next}
				last = next
			case k <= 3 && depth > 0 && len(free) > 0: // loop over a variable of its own
				i := free[0]
				n := uint32(1 + r.IntN(5))
				pre := progOp{kind: 5, d: i, c: n}
				if r.IntN(2) == 0 {
					// A count that differs: id & 7, plus one so that it ends.
					pre = progOp{kind: 4, d: i, a: 0, c: uint32(3 + r.IntN(3))}
				}
				p.blocks[last].ops = append(p.blocks[last].ops, pre, progOp{kind: 3, d: i, a: i, c: 1})
				head := add(progBlock{})
				join(head)
				exit := add(progBlock{ops: randomOps(r, 1)})
				latch := add(progBlock{ops: []progOp{{kind: 3, d: i, a: i, c: ^uint32(0)}}, term: 0, to: []int{head}})
				f, l := stmts(depth-1, exit, latch, free[1:])
				p.protect(f, i)
				p.blocks[head].term, p.blocks[head].v, p.blocks[head].mask, p.blocks[head].to = 1, i, ^uint32(0), []int{f, exit}
				p.blocks[l].term, p.blocks[l].to = 0, []int{latch}
				last = exit
			case k == 4 && brk >= 0: // break or continue, sometimes
				to := brk
				if r.IntN(2) == 0 {
					to = cont
				}
				next := add(progBlock{ops: randomOps(r, 1)})
				p.blocks[last].term, p.blocks[last].v, p.blocks[last].mask, p.blocks[last].to = 1, v, mask, []int{to, next}
				last = next
			case k == 5 && depth > 0: // switch
				next := add(progBlock{ops: randomOps(r, 1)})
				var to []int
				for range 2 + r.IntN(3) {
					f, l := stmts(0, brk, cont, free)
					p.blocks[l].term, p.blocks[l].to = 0, []int{next}
					to = append(to, f)
				}
				p.blocks[last].term, p.blocks[last].v, p.blocks[last].to = 2, v, to
				last = next
			default:
				p.blocks[last].ops = append(p.blocks[last].ops, randomOps(r, 2)...)
			}
		}
		return first, last
	}
	_, last := stmts(3, -1, -1, []int{4, 3, 5})
	p.blocks[last].term = 3
	return p
}

// protect is called for the body of a loop over variable i: no operation from
// block first on may write it, but for counting down.
func (p *program) protect(first, i int) {
	for b := first; b < len(p.blocks); b++ {
		for o := range p.blocks[b].ops {
			op := &p.blocks[b].ops[o]
			if op.d == i && !(op.kind == 3 && op.a == i && op.c == ^uint32(0)) {
				op.d = 1
			}
		}
	}
}

func checkRandom(t *testing.T, seed uint64, graph bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	p := randomTree(r)
	if graph {
		p = randomGraph(r)
	}
	for range 64 {
		p.input = append(p.input, r.Uint32()>>r.IntN(32))
	}
	p.useMemory(r)
	p.compare(t, fmt.Sprintf("seed %d, graph %v", seed, graph))
}

// checkRandomPipes does the same for a program whose work-items wait for each
// other at a pipe in the middle of everything, and overtake each other there.
func checkRandomPipes(t *testing.T, seed uint64, graph bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 4))
	p := randomTree(r)
	if graph {
		p = randomGraph(r)
	}
	for range 64 {
		p.input = append(p.input, r.Uint32()>>r.IntN(32))
	}
	p.tokens = []int{1, 2, 3, 50}[r.IntN(4)]
	for b := range p.blocks {
		for i := range p.blocks[b].ops {
			// Counters of loops are made by other kinds.
			if o := &p.blocks[b].ops[i]; (o.kind <= 2 || o.kind == 7) && r.IntN(2) == 0 {
				o.kind = opToken + r.IntN(3)
			}
		}
	}
	p.compare(t, fmt.Sprintf("seed %d, graph %v", seed, graph))
}

// expected runs the program in Go and returns the variables of all work-items; nil
// when that takes too long.
func (p *program) expected() []uint32 {
	want := make([]uint32, progSize*progVars)
	for id := range uint32(progSize) {
		v, ok := p.run(id)
		if !ok {
			return nil
		}
		copy(want[id*progVars:], v[:])
	}
	return want
}

// compare runs the program in Go and as a kernel.
func (p *program) compare(t *testing.T, name string) {
	t.Helper()
	want := p.expected()
	if want == nil {
		return // takes too long
	}
	text := p.text()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	m := &randomModule{code: code}
	for _, shape := range [][2]int{{1, 1}, {8, 8}, {16, 64}, {32, 96}} {
		for _, engine := range enginesFor(shape[1]) {
			got := m.run(t, p.input, shape, engine)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s, engine %s, sub-groups of %d, waves of %d: work-item %d has variable %d = %#x, want %#x\n%s",
						name, engine, shape[0], shape[1], i/progVars, i%progVars, got[i], want[i], text)
				}
			}
		}
	}
}

// enginesFor returns the engines for waves of so many lanes: narrow ones are for the first only.
func enginesFor(waves int) []string {
	names := emu.Engines()[1:]
	if waves < 96 {
		return names[:1]
	}
	return names
}

// randomModule is a random program's module, which is compiled once for each sub-group size.
type randomModule struct {
	code   []byte
	passes *lower.PassMachinery // nil for the default
	made   map[int]*emu.Program // by sub-group size
}

// program returns the module's program on a device.
func (m *randomModule) program(dev *emu.Device) (*emu.Program, error) {
	size := dev.Limits().SubgroupSize
	if p := m.made[size]; p != nil {
		return p.On(dev)
	}
	opt := emu.ProgramOptions{Passes: m.passes}
	if m.passes != nil {
		// For launches that have nothing in common, so that passes run that leave other kernels alone.
		opt.Specialize = map[string]*isa.Specialization{"f": {}}
	}
	p, err := dev.NewProgram(m.code, opt)
	if m.made == nil {
		m.made = map[int]*emu.Program{}
	}
	m.made[size] = p
	return p, err
}

// run runs a program on a device with sub-groups and waves of the given
// sizes, on an engine, and returns the variables of all work-items.
func (m *randomModule) run(t *testing.T, input []uint32, shape [2]int, engine string) []uint32 {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, SubgroupSize: shape[0], WaveLanes: shape[1], Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := m.program(dev)
	if err != nil {
		t.Fatal(err)
	}
	k, err := prog.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	out, err := emu.NewBufferOf(dev, make([]uint32, progSize*progVars))
	if err != nil {
		t.Fatal(err)
	}
	in, err := emu.NewBufferOf(dev, input)
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Args: []emu.Arg{out, in}, Range: emu.NDRange{Global: []uint64{progSize}, Local: []uint64{progSize}}, Timeout: 20 * time.Second}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatalf("sub-groups of %d, waves of %d: %v", shape[0], shape[1], err)
	}
	got, err := emu.Read[uint32](out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// checkRandomGroups runs a random program with operations across lanes. What
// they give depends on which lanes of a sub-group are together, which the width
// of the wave must not show.
func checkRandomGroups(t *testing.T, seed uint64, graph bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	p := randomTree(r)
	if graph {
		p = randomGraph(r)
	}
	for range 64 {
		p.input = append(p.input, r.Uint32()>>r.IntN(32))
	}
	for b := range p.blocks {
		for i := range p.blocks[b].ops {
			// Counters of loops are made by other kinds.
			if o := &p.blocks[b].ops[i]; (o.kind <= 2 || o.kind == 7) && r.IntN(2) == 0 {
				o.kind = 8 + r.IntN(4)
			}
		}
	}
	text := p.text()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	m := &randomModule{code: code}
	for _, size := range []int{1, 4, 16, 64} {
		var want []uint32
		for _, waves := range []int{size, 2 * size, 128} {
			for _, engine := range enginesFor(waves) {
				got := m.run(t, p.input, [2]int{size, waves}, engine)
				if want == nil {
					want = got
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("seed %d, graph %v, sub-groups of %d: work-item %d has variable %d = %#x in waves of %d on engine %s, %#x in waves of %d\n%s",
							seed, graph, size, i/progVars, i%progVars, got[i], waves, engine, want[i], size, text)
					}
				}
			}
		}
	}
}

// TestRandomGroups runs random programs with operations across lanes in waves
// of several widths.
func TestRandomGroups(t *testing.T) {
	for seed := range uint64(amount(15, 25, 60)) {
		checkRandomGroups(t, seed, false)
		checkRandomGroups(t, seed, true)
	}
}

// TestRandomPrograms compares random programs with a loop in Go.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(amount(30, 80, 200)) {
		checkRandom(t, seed, false)
		checkRandom(t, seed, true)
	}
}

// TestRandomPipes compares random programs with pipes with a loop in Go.
func TestRandomPipes(t *testing.T) {
	for seed := range uint64(amount(15, 30, 80)) {
		checkRandomPipes(t, seed, false)
		checkRandomPipes(t, seed, true)
	}
}

// FuzzRandomPrograms does the same for seeds that the fuzzer thinks of.
func FuzzRandomPrograms(f *testing.F) {
	f.Add(uint64(1), true)
	f.Add(uint64(2), false)
	f.Fuzz(func(t *testing.T, seed uint64, graph bool) {
		checkRandom(t, seed, graph)
		checkRandomPipes(t, seed, graph)
	})
}

// checkPipeline runs a random program after passes that were drawn at random,
// any number of them in any order.
func checkPipeline(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	p := randomTree(r)
	if seed%3 == 0 {
		p = randomGraph(r)
	}
	for range 64 {
		p.input = append(p.input, r.Uint32()>>r.IntN(32))
	}
	p.useMemory(r)
	want := p.expected()
	if want == nil {
		return // takes too long
	}
	m := lower.NewPassMachinery()
	var names []string
	for _, pass := range m.Passes() {
		if !pass.Fixed() {
			names = append(names, pass.Name)
		}
	}
	var list []string
	for range r.IntN(12) {
		list = append(list, names[r.IntN(len(names))])
	}
	if seed%2 == 0 {
		list = append([]string{"promote", "simplify", "unroll"}, list...)
	}
	pipeline := strings.Join(list, ",")
	if err := m.SetPasses(pipeline); err != nil {
		t.Fatal(err)
	}
	text := p.text()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	got := (&randomModule{code: code, passes: m}).run(t, p.input, [2]int{8, 64}, "")
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("seed %d, passes %q: work-item %d has variable %d = %#x, want %#x\n%s", seed, pipeline, i/progVars, i%progVars, got[i], want[i], text)
		}
	}
}

// TestRandomPipelines checks that no pass relies on another that was before it.
func TestRandomPipelines(t *testing.T) {
	for seed := range uint64(amount(30, 60, 150)) {
		checkPipeline(t, seed)
	}
}

// checkSchedule runs a random program between two barriers under a barrier
// schedule: work-items do not share anything, so that it must not show.
func checkSchedule(t *testing.T, seed uint64, schedule string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	p := randomTree(r)
	if seed%2 == 0 {
		p = randomGraph(r)
	}
	for range 64 {
		p.input = append(p.input, r.Uint32()>>r.IntN(32))
	}
	want := p.expected()
	if want == nil {
		return // takes too long
	}
	const barrier = "OpControlBarrier %c2 %c2 %c264\n"
	text := p.text()
	text = strings.Replace(text, "%void = ", fmt.Sprintf("OpDecorate %%f UserSemantic \"mux-barrier-schedule=%s\"\n%%void = ", schedule), 1)
	text = strings.Replace(text, "OpBranch %b0\n", barrier+"OpBranch %b0\n", 1)
	text = strings.Replace(text, "%exit = OpLabel\n", "%exit = OpLabel\n"+barrier, 1)
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	for _, shape := range [][2]int{{8, 16}, {32, 96}} {
		got := (&randomModule{code: code}).run(t, p.input, shape, "")
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, %s, sub-groups of %d, waves of %d: work-item %d has variable %d = %#x, want %#x\n%s",
					seed, schedule, shape[0], shape[1], i/progVars, i%progVars, got[i], want[i], text)
			}
		}
	}
}

// TestRandomSchedules checks that lanes of a wave can go through a region one
// after the other.
func TestRandomSchedules(t *testing.T) {
	for seed := range uint64(amount(15, 25, 60)) {
		for _, s := range []string{"unordered", "linear", "scalar-tail"} {
			checkSchedule(t, seed, s)
		}
	}
}
