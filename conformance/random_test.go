package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Random programs: any graph of basic blocks, loops with several entries
// included, over variables and arrays in private memory, with calls and atomics.
// Go code below runs the same program one work-item at a time; both must agree.

const (
	progVars  = 5  // variables of a function
	progArray = 8  // elements of its array
	progFuel  = 60 // blocks that a call may run
	progSums  = 4  // words of the buffer for atomic additions
)

// stmt is one assignment: dst = op(a, b), or a store or an atomic addition.
type stmt struct {
	op        string
	dst, a, b int // numbers of variables
	k         uint32
}

// block is a basic block: statements and where to go, by cond of variable on:
// nothing (1 target), a condition (2) or a switch (more).
type block struct {
	stmts   []stmt
	cond    string
	on      int
	k       uint32
	targets []int // blocks; len(blocks) of the function is its exit
}

// function is a graph of blocks. Its variables begin with its parameters and
// constants; it returns variable 0.
type function struct {
	init   [progVars]uint32 // first values of the variables behind the parameters
	params int
	blocks []block
}

// program is a kernel, last, and the functions that it may call.
type program struct{ functions []function }

var (
	progOps   = []string{"add", "sub", "mul", "and", "or", "xor", "shl", "shr", "sar", "div", "mod", "const", "load", "store", "byte", "wide", "count", "select", "half", "sum", "call"}
	progConds = []string{"ult", "slt", "eq", "bit"}
)

func randomProgram(r *rand.Rand) *program {
	p := &program{}
	for n := r.IntN(3); n >= 0; n-- {
		kernel := n == 0
		f := function{params: 2, blocks: make([]block, 1+r.IntN(12))}
		for i := range f.init {
			f.init[i] = r.Uint32() >> r.IntN(32)
		}
		for i := range f.blocks {
			b := &f.blocks[i]
			for range r.IntN(7) {
				s := stmt{op: progOps[r.IntN(len(progOps))], dst: r.IntN(progVars), a: r.IntN(progVars), b: r.IntN(progVars), k: r.Uint32() >> r.IntN(32)}
				if s.op == "call" && len(p.functions) == 0 {
					s.op = "xor"
				}
				if s.op == "call" {
					s.k = uint32(r.IntN(len(p.functions)))
				}
				b.stmts = append(b.stmts, s)
			}
			b.cond, b.on, b.k = progConds[r.IntN(len(progConds))], r.IntN(progVars), r.Uint32()>>r.IntN(32)
			b.targets = make([]int, 1+r.IntN(4))
			for j := range b.targets {
				if b.targets[j] = r.IntN(len(f.blocks)); r.IntN(7) == 0 {
					b.targets[j] = len(f.blocks)
				}
			}
		}
		if kernel {
			f.blocks[0].stmts = append(f.blocks[0].stmts, stmt{op: "const", dst: r.IntN(progVars), k: 1})
		}
		p.functions = append(p.functions, f)
	}
	return p
}

// state is what one call has.
type state struct {
	v     [progVars]uint32
	array [progArray]uint32
}

// run runs a function and returns its state at the exit.
func (p *program) run(f *function, args []uint32, sums *[progSums]uint32) *state {
	s := &state{v: f.init}
	copy(s.v[:], args)
	at := 0
	for fuel := progFuel; at < len(f.blocks) && fuel > 1; fuel-- {
		b := &f.blocks[at]
		for _, st := range b.stmts {
			p.step(s, st, sums)
		}
		x := s.v[b.on]
		switch n := len(b.targets); {
		case n == 1:
			at = b.targets[0]
		case n == 2:
			taken := map[string]bool{"ult": x < b.k, "slt": int32(x) < int32(b.k), "eq": x%5 == b.k%5, "bit": x>>(b.k%32)&1 != 0}[b.cond]
			at = b.targets[1]
			if taken {
				at = b.targets[0]
			}
		default:
			at = b.targets[min(int(x%uint32(n+1)), n-1)]
		}
	}
	return s
}

func (p *program) step(s *state, st stmt, sums *[progSums]uint32) {
	a, b := s.v[st.a], s.v[st.b]
	d := &s.v[st.dst]
	switch st.op {
	case "add":
		*d = a + b
	case "sub":
		*d = a - b
	case "mul":
		*d = a * b
	case "and":
		*d = a & b
	case "or":
		*d = a | b
	case "xor":
		*d = a ^ b ^ st.k
	case "shl":
		*d = a << (b % 32)
	case "shr":
		*d = a >> (b % 32)
	case "sar":
		*d = uint32(int32(a) >> (b % 32))
	case "div":
		*d = a / (b | 1)
	case "mod":
		*d = a % (b | 1)
	case "const":
		*d = st.k
	case "load":
		*d = s.array[a%progArray]
	case "store":
		s.array[a%progArray] = b
	case "byte":
		*d = uint32(int32(int8(a)))
	case "wide":
		hi, lo := bits.Mul32(a, b)
		*d = hi ^ lo
	case "count":
		*d = uint32(bits.OnesCount32(a))
	case "select":
		if a < b {
			*d = st.k
		} else {
			*d = a
		}
	case "half":
		*d = uint32(float32(a&0xffff) * 0.5)
	case "sum":
		sums[st.k%progSums] += a
	case "call":
		*d = p.run(&p.functions[st.k], []uint32{a, b}, sums).v[0]
	}
}

// assembly writes the program as SPIR-V.
type assembly struct {
	b      strings.Builder
	consts []uint32
	known  map[uint32]bool
	next   int
}

func (w *assembly) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// value writes an instruction and returns the name of its result.
func (w *assembly) value(format string, args ...any) string {
	w.next++
	name := fmt.Sprintf("%%t%d", w.next)
	w.line("%s = "+format, append([]any{name}, args...)...)
	return name
}

func (w *assembly) constant(k uint32) string {
	if !w.known[k] {
		w.known[k] = true
		w.consts = append(w.consts, k)
	}
	return fmt.Sprintf("%%k%d", k)
}

// text returns the module. The kernel gets the id of the work-item, a uniform value,
// a buffer for its variables and array, and one for the sums.
func (p *program) text() string {
	w := &assembly{known: map[uint32]bool{}}
	for i := range p.functions {
		p.function(w, i)
	}
	var head strings.Builder
	head.WriteString(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel "kernel" %gid_var
OpDecorate %gid_var BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%v3ulong = OpTypeVector %ulong 3
%in_v3ulong = OpTypePointer Input %v3ulong
%global = OpTypePointer CrossWorkgroup %uint
%private = OpTypePointer Function %uint
%half = OpConstant %float 0.5
%ulong_32 = OpConstant %ulong 32
`)
	for _, k := range w.consts {
		fmt.Fprintf(&head, "%%k%d = OpConstant %%uint %d\n", k, k)
	}
	fmt.Fprintf(&head, `%%array = OpTypeArray %%uint %%k%d
%%private_array = OpTypePointer Function %%array
%%helper = OpTypeFunction %%uint %%uint %%uint %%global
%%entry = OpTypeFunction %%void %%uint %%global %%global
%%gid_var = OpVariable %%in_v3ulong Input
`, progArray)
	return head.String() + w.b.String()
}

func (p *program) function(w *assembly, index int) {
	f := &p.functions[index]
	kernel := index == len(p.functions)-1
	exit := len(f.blocks)
	label := func(i int) string { return fmt.Sprintf("%%f%db%d", index, i) }
	v := func(i int) string { return fmt.Sprintf("%%f%dv%d", index, i) }
	array, fuel, sums := fmt.Sprintf("%%f%darray", index), fmt.Sprintf("%%f%dfuel", index), fmt.Sprintf("%%f%dsums", index)
	w.constant(progArray)
	if kernel {
		w.line("%%kernel = OpFunction %%void None %%entry")
		w.line("%%uniform = OpFunctionParameter %%uint")
		w.line("%%out = OpFunctionParameter %%global")
	} else {
		w.line("%%f%d = OpFunction %%uint None %%helper", index)
		w.line("%%f%dp0 = OpFunctionParameter %%uint", index)
		w.line("%%f%dp1 = OpFunctionParameter %%uint", index)
	}
	w.line("%s = OpFunctionParameter %%global", sums)
	w.line("%%f%dstart = OpLabel", index)
	for i := range progVars {
		w.line("%s = OpVariable %%private Function", v(i))
	}
	w.line("%s = OpVariable %%private Function", fuel)
	w.line("%s = OpVariable %%private_array Function", array)
	for i := range progArray {
		w.line("OpStore %s %s Aligned 4", w.value("OpInBoundsAccessChain %%private %s %s", array, w.constant(uint32(i))), w.constant(0))
	}
	for i := f.params; i < progVars; i++ {
		w.line("OpStore %s %s Aligned 4", v(i), w.constant(f.init[i]))
	}
	if kernel {
		gid := w.value("OpUConvert %%uint %s", w.value("OpCompositeExtract %%ulong %s 0", w.value("OpLoad %%v3ulong %%gid_var")))
		w.line("OpStore %s %s Aligned 4", v(0), gid)
		w.line("OpStore %s %%uniform Aligned 4", v(1))
	} else {
		w.line("OpStore %s %%f%dp0 Aligned 4", v(0), index)
		w.line("OpStore %s %%f%dp1 Aligned 4", v(1), index)
	}
	w.line("OpStore %s %s Aligned 4", fuel, w.constant(progFuel))
	w.line("OpBranch %s", label(0))
	load := func(i int) string { return w.value("OpLoad %%uint %s Aligned 4", v(i)) }
	for i := range f.blocks {
		b := &f.blocks[i]
		// One unit of fuel a block; without any left the function ends.
		w.line("%s = OpLabel", label(i))
		left := w.value("OpISub %%uint %s %s", w.value("OpLoad %%uint %s Aligned 4", fuel), w.constant(1))
		w.line("OpStore %s %s Aligned 4", fuel, left)
		w.line("OpBranchConditional %s %s %sbody", w.value("OpIEqual %%bool %s %s", left, w.constant(0)), label(exit), label(i))
		w.line("%sbody = OpLabel", label(i))
		for _, s := range b.stmts {
			if s.op == "store" {
				at := w.value("OpUMod %%uint %s %s", load(s.a), w.constant(progArray))
				w.line("OpStore %s %s Aligned 4", w.value("OpInBoundsAccessChain %%private %s %s", array, at), load(s.b))
				continue
			}
			if r := p.statement(w, s, load, array, sums); r != "" {
				w.line("OpStore %s %s Aligned 4", v(s.dst), r)
			}
		}
		switch n := len(b.targets); {
		case n == 1:
			w.line("OpBranch %s", label(b.targets[0]))
		case n == 2:
			w.line("OpBranchConditional %s %s %s", condition(w, b, load(b.on)), label(b.targets[0]), label(b.targets[1]))
		default:
			x := w.value("OpUMod %%uint %s %s", load(b.on), w.constant(uint32(n+1)))
			line := fmt.Sprintf("OpSwitch %s %s", x, label(b.targets[n-1]))
			for j := range n - 1 {
				line += fmt.Sprintf(" %d %s", j, label(b.targets[j]))
			}
			w.line("%s", line)
		}
	}
	w.line("%s = OpLabel", label(exit))
	if kernel {
		gid := w.value("OpCompositeExtract %%ulong %s 0", w.value("OpLoad %%v3ulong %%gid_var"))
		row := w.value("OpIMul %%uint %s %s", w.value("OpUConvert %%uint %s", gid), w.constant(progVars+progArray))
		for i := range progVars + progArray {
			value := ""
			if i < progVars {
				value = load(i)
			} else {
				value = w.value("OpLoad %%uint %s Aligned 4", w.value("OpInBoundsAccessChain %%private %s %s", array, w.constant(uint32(i-progVars))))
			}
			at := w.value("OpIAdd %%uint %s %s", row, w.constant(uint32(i)))
			w.line("OpStore %s %s Aligned 4", w.value("OpInBoundsPtrAccessChain %%global %%out %s", at), value)
		}
		w.line("OpReturn")
	} else {
		w.line("OpReturnValue %s", load(0))
	}
	w.line("OpFunctionEnd")
}

func condition(w *assembly, b *block, x string) string {
	switch b.cond {
	case "ult":
		return w.value("OpULessThan %%bool %s %s", x, w.constant(b.k))
	case "slt":
		return w.value("OpSLessThan %%bool %s %s", x, w.constant(b.k))
	case "eq":
		return w.value("OpIEqual %%bool %s %s", w.value("OpUMod %%uint %s %s", x, w.constant(5)), w.constant(b.k%5))
	}
	bit := w.value("OpShiftRightLogical %%uint %s %s", x, w.constant(b.k%32))
	return w.value("OpINotEqual %%bool %s %s", w.value("OpBitwiseAnd %%uint %s %s", bit, w.constant(1)), w.constant(0))
}

// statement writes a statement and returns its result, "" for none.
func (p *program) statement(w *assembly, s stmt, load func(int) string, array, sums string) string {
	binary := map[string]string{"add": "OpIAdd", "sub": "OpISub", "mul": "OpIMul", "and": "OpBitwiseAnd", "or": "OpBitwiseOr",
		"shl": "OpShiftLeftLogical", "shr": "OpShiftRightLogical", "sar": "OpShiftRightArithmetic", "div": "OpUDiv", "mod": "OpUMod"}
	a, b := load(s.a), load(s.b)
	switch s.op {
	case "shl", "shr", "sar":
		b = w.value("OpBitwiseAnd %%uint %s %s", b, w.constant(31))
	case "div", "mod":
		b = w.value("OpBitwiseOr %%uint %s %s", b, w.constant(1))
	case "xor":
		return w.value("OpBitwiseXor %%uint %s %s", w.value("OpBitwiseXor %%uint %s %s", a, b), w.constant(s.k))
	case "const":
		return w.constant(s.k)
	case "load":
		at := w.value("OpUMod %%uint %s %s", a, w.constant(progArray))
		return w.value("OpLoad %%uint %s Aligned 4", w.value("OpInBoundsAccessChain %%private %s %s", array, at))
	case "byte":
		return w.value("OpSConvert %%uint %s", w.value("OpUConvert %%uchar %s", a))
	case "wide":
		product := w.value("OpIMul %%ulong %s %s", w.value("OpUConvert %%ulong %s", a), w.value("OpUConvert %%ulong %s", b))
		high := w.value("OpUConvert %%uint %s", w.value("OpShiftRightLogical %%ulong %s %%ulong_32", product))
		return w.value("OpBitwiseXor %%uint %s %s", high, w.value("OpUConvert %%uint %s", product))
	case "count":
		return w.value("OpBitCount %%uint %s", a)
	case "select":
		return w.value("OpSelect %%uint %s %s %s", w.value("OpULessThan %%bool %s %s", a, b), w.constant(s.k), a)
	case "half":
		f := w.value("OpConvertUToF %%float %s", w.value("OpBitwiseAnd %%uint %s %s", a, w.constant(0xffff)))
		return w.value("OpConvertFToU %%uint %s", w.value("OpFMul %%float %s %%half", f))
	case "sum":
		at := w.value("OpInBoundsPtrAccessChain %%global %s %s", sums, w.constant(s.k%progSums))
		w.value("OpAtomicIAdd %%uint %s %s %s %s", at, w.constant(1), w.constant(0), a)
		return ""
	case "call":
		return w.value("OpFunctionCall %%uint %%f%d %s %s %s", s.k, a, b, sums)
	}
	return w.value("%s %%uint %s %s", binary[s.op], a, b)
}

// testProgram runs the random program of a seed and compares it with the reference.
func testProgram(t *testing.T, seed uint64) {
	t.Helper()
	const global, local, uniform = 40, 20, 7
	p := randomProgram(rand.New(rand.NewPCG(seed, 1)))
	var sums [progSums]uint32
	var want, total []byte
	for id := range uint32(global) {
		s := p.run(&p.functions[len(p.functions)-1], []uint32{id, uniform}, &sums)
		for _, x := range append(s.v[:], s.array[:]...) {
			want = binary.LittleEndian.AppendUint32(want, x)
		}
	}
	for _, x := range sums {
		total = binary.LittleEndian.AppendUint32(total, x)
	}
	list := func(b []byte) string { return "buf:u32:" + string(argspec.AppendList(nil, argspec.U32, b)) }
	c := &Case{
		Name: fmt.Sprintf("program-%d", seed), Title: "a random program", Text: p.text(),
		Steps: []Step{{Launches: []Launch{{
			Kernel: "kernel", Global: []uint64{global}, Local: []uint64{local},
			Args:   []string{fmt.Sprintf("u32:%d", uniform), fmt.Sprintf("zero:u32:%d", len(want)/4), fmt.Sprintf("zero:u32:%d", progSums)},
			Expect: []Expect{{Arg: 1, What: list(want)}, {Arg: 2, What: list(total)}},
		}}}},
	}
	m := &Matrix{Engines: engines(), SubGroups: []int{1, 8, 32}, Waves: []int{0, 1}, Workers: []int{1},
		Schedules: []emu.Schedule{{Order: emu.Seeded, Seed: seed}}}
	report, err := Run(context.Background(), []*Case{c}, Options{Matrix: m, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		var b bytes.Buffer
		if err := report.WriteText(&b, false); err != nil {
			t.Fatal(err)
		}
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("seed %d: %s", seed, &b)
	}
}

// TestRandomPrograms runs programs of fixed seeds; FuzzPrograms tries others.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(amount(15, 60, 200)) {
		testProgram(t, seed)
	}
}

func FuzzPrograms(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(testProgram)
}
