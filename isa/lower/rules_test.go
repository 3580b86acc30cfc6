package lower_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// A rule is one instruction and what it computes. It is run in three forms
// that take different roads through the lowering and the engine: operands that
// differ by work-item ("lanes"), operands that are the same for all ("uniform")
// and operands that are constants of the module ("constants", so that the
// lowering folds it).

// ty is a scalar type of the module.
type ty struct {
	kind byte // i, f or b
	bits int
}

func ti(bits int) ty { return ty{'i', bits} }
func tf(bits int) ty { return ty{'f', bits} }

var tb = ty{'b', 1}

func (t ty) name() string {
	if t.kind == 'b' {
		return "%bool"
	}
	return fmt.Sprintf("%%%c%d", t.kind, t.bits)
}

// size is what the type takes in memory.
func (t ty) size() int {
	n := 1
	for n*8 < t.bits {
		n *= 2
	}
	return n
}

func (t ty) mask() uint64 { return 1<<(t.bits-1)<<1 - 1 }

// sx is the value as a signed number.
func (t ty) sx(x uint64) int64 { return int64(x<<(64-t.bits)) >> (64 - t.bits) }

type rule struct {
	name string
	// inst has RES for the result, TYPE for its type and A_, B_, C_, D_ for operands.
	inst            string
	res             ty
	args            []ty
	scalar          [4]bool // operands that stay scalars in the vector form
	reduce          bool    // the result is a scalar in the vector form; want sees all operands in a row
	deco            string  // decoration of the result, RES for its id
	member          int     // the result is a structure of two; 1 or 2 for the member that is meant
	noVec, noScalar bool
	valid           func(a []uint64) bool
	want            func(a []uint64) uint64
	inputs          []uint64 // values to be tried instead of the edges of the type
	near            func(got, want uint64) bool
}

// edges are values of a type where instructions go wrong.
func edges(t ty) []uint64 {
	switch t.kind {
	case 'b':
		return []uint64{0, 1}
	case 'f':
		switch t.bits {
		case 16:
			return []uint64{0, 0x8000, 1, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3e00, 0x4100, 0xc248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0x3555, 0x5640}
		case 32:
			return []uint64{0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40200000, 0xc0490fdb,
				0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fa00001, 0x3eaaaaab, 0x42c80000}
		}
		return []uint64{0, 1 << 63, 1, 0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff8000000000000,
			0x4004000000000000, 0xc00921fb54442d18, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
			0x7ff4000000000001, 0x3fd5555555555555, 0x4059000000000000}
	}
	m := t.mask()
	top := m>>1 + 1
	list := []uint64{0, 1, 2, 3, 5, 0x53 & m, 0xdeadbeefcafef00d & m, top - 1, top, top + 1, m, m - 1, m - 4, 0x0123456789abcdef & m}
	slices.Sort(list)
	return slices.Compact(list)
}

// tuples are the operands that a rule is tried with.
func (r *rule) tuples() [][]uint64 {
	out := [][]uint64{nil}
	for _, t := range r.args {
		list := edges(t)
		if r.inputs != nil && t.kind != 'b' {
			list = r.inputs
		}
		if len(r.args) > 2 && len(list) > 7 {
			// Every second one, so that the number stays small.
			var few []uint64
			for i := 0; i < len(list); i += 2 {
				few = append(few, list[i])
			}
			list = few
		}
		var next [][]uint64
		for _, o := range out {
			for _, x := range list {
				next = append(next, append(slices.Clone(o), x))
			}
		}
		out = next
	}
	if r.valid != nil {
		out = slices.DeleteFunc(out, func(a []uint64) bool { return !r.valid(a) })
	}
	return out
}

// writer writes a module with one kernel for a rule.
type writer struct {
	head, decos, types, body strings.Builder
	seen                     map[string]bool
	id                       int
}

func (w *writer) next() string { w.id++; return fmt.Sprintf("%%t%d", w.id) }

func (w *writer) once(name, text string) string {
	if !w.seen[name] {
		w.seen[name] = true
		w.types.WriteString(name + " = " + text + "\n")
	}
	return name
}

func (w *writer) typ(t ty, n int) string {
	switch t.kind {
	case 'b':
		w.once("%bool", "OpTypeBool")
	case 'i':
		w.once(t.name(), fmt.Sprintf("OpTypeInt %d 0", t.bits))
	case 'f':
		w.once(t.name(), fmt.Sprintf("OpTypeFloat %d", t.bits))
	}
	if n == 1 {
		return t.name()
	}
	return w.once(fmt.Sprintf("%%v%d%s", n, t.name()[1:]), fmt.Sprintf("OpTypeVector %s %d", t.name(), n))
}

// mem is the type that t has in memory.
func mem(t ty) ty {
	if t.kind == 'b' {
		return ti(8)
	}
	return t
}

func (w *writer) pointer(t ty, n int) string {
	e := w.typ(mem(t), n)
	return w.once("%p_"+e[1:], "OpTypePointer CrossWorkgroup "+e)
}

func (w *writer) constant(t ty, x uint64) string {
	typ := w.typ(t, 1)
	name := fmt.Sprintf("%%c_%s_%x", typ[1:], x)
	if t.kind == 'b' {
		if x != 0 {
			return w.once(name, "OpConstantTrue %bool")
		}
		return w.once(name, "OpConstantFalse %bool")
	}
	// Raw words: every bit pattern, NaNs included, has to arrive.
	lit := fmt.Sprintf("!%d", uint32(x))
	if t.bits > 32 {
		lit += fmt.Sprintf(" !%d", uint32(x>>32))
	}
	return w.once(name, "OpConstant "+typ+" "+lit)
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.body, format+"\n", args...) }

// fromMem turns what was loaded into a value of type t.
func (w *writer) fromMem(t ty, n int, x string) string {
	if t.kind != 'b' {
		return x
	}
	zero := w.splat(ti(8), n, 0)
	r := w.next()
	w.line("%s = OpINotEqual %s %s %s", r, w.typ(t, n), x, zero)
	return r
}

func (w *writer) toMem(t ty, n int, x string) string {
	if t.kind != 'b' {
		return x
	}
	r := w.next()
	w.line("%s = OpSelect %s %s %s %s", r, w.typ(ti(8), n), x, w.splat(ti(8), n, 1), w.splat(ti(8), n, 0))
	return r
}

func (w *writer) splat(t ty, n int, x uint64) string {
	return w.vector(t, slices.Repeat([]uint64{x}, n))
}

func (w *writer) vector(t ty, x []uint64) string {
	if len(x) == 1 {
		return w.constant(t, x[0])
	}
	name := "%cv_" + w.typ(t, len(x))[1:]
	text := "OpConstantComposite " + w.typ(t, len(x))
	for _, c := range x {
		e := w.constant(t, c)
		name += fmt.Sprintf("_%x", c)
		text += " " + e
	}
	return w.once(name, text)
}

// apply writes the rule's instruction on the operands and returns its result.
func (w *writer) apply(r *rule, n int, ops []string) string {
	res := w.next()
	rn := n
	if r.reduce {
		rn = 1
	}
	typ := w.typ(r.res, rn)
	if r.member != 0 {
		typ = w.once("%pair"+typ[1:], "OpTypeStruct "+typ+" "+typ)
	}
	pairs := []string{"RES", res, "TYPE", typ}
	for i, o := range ops {
		pairs = append(pairs, string(rune('A'+i))+"_", o)
	}
	rep := strings.NewReplacer(pairs...)
	if r.deco != "" {
		for d := range strings.SplitSeq(r.deco, ";") {
			w.decos.WriteString("OpDecorate " + res + " " + d + "\n")
		}
	}
	w.line("%s", rep.Replace(r.inst))
	if r.member != 0 {
		x := w.next()
		w.line("%s = OpCompositeExtract %s %s %d", x, w.typ(r.res, rn), res, r.member-1)
		return x
	}
	return res
}

type form int

const (
	lanes form = iota
	uniform
	constants
)

func (f form) String() string { return [...]string{"lanes", "uniform", "constants"}[f] }

// stride is how many elements a vector of n takes in memory.
func stride(n int) int {
	if n == 3 {
		return 4
	}
	return n
}

// module writes the kernel f(global RES *out, global A *a, …) for groups of n tuples.
func (r *rule) module(n int, f form, tuples [][]uint64) string {
	w := &writer{seen: map[string]bool{}}
	w.head.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int16\nOpCapability Int8\n" +
		"OpCapability Float16\nOpCapability Float64\nOpCapability Vector16\nOpCapability ArbitraryPrecisionIntegersINTEL\nOpCapability BitInstructions\n" +
		"OpExtension \"SPV_INTEL_arbitrary_precision_integers\"\nOpExtension \"SPV_KHR_bit_instructions\"\n" +
		"%cl = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %f \"f\" %gid\n")
	w.decos.WriteString("OpDecorate %gid BuiltIn GlobalInvocationId\n")
	w.once("%void", "OpTypeVoid")
	i64 := w.typ(ti(64), 1)
	w.once("%pin", "OpTypePointer Input "+w.typ(ti(64), 3))
	rn := n
	if r.reduce {
		rn = 1
	}
	width := func(i int) int {
		if r.scalar[i] {
			return 1
		}
		return n
	}
	params := w.pointer(r.res, rn)
	for i, t := range r.args {
		params += " " + w.pointer(t, width(i))
	}
	w.once("%fn", "OpTypeFunction %void "+params)
	w.once("%gid", "OpVariable %pin Input")
	w.line("%%f = OpFunction %%void None %%fn\n%%out = OpFunctionParameter %s", w.pointer(r.res, rn))
	for i, t := range r.args {
		w.line("%%in%d = OpFunctionParameter %s", i, w.pointer(t, width(i)))
	}
	w.line("%%entry = OpLabel\n%%g3 = OpLoad %s %%gid\n%%g = OpCompositeExtract %s %%g3 0", w.typ(ti(64), 3), i64)
	one := func(at string, group int) {
		var ops []string
		for i, t := range r.args {
			if f == constants {
				var v []uint64
				for c := range width(i) {
					v = append(v, tuples[group*n+c][i])
				}
				ops = append(ops, w.vector(t, v))
				continue
			}
			p, x := w.next(), w.next()
			w.line("%s = OpInBoundsPtrAccessChain %s %%in%d %s", p, w.pointer(t, width(i)), i, at)
			w.line("%s = OpLoad %s %s", x, w.typ(mem(t), width(i)), p)
			ops = append(ops, w.fromMem(t, width(i), x))
		}
		x := w.toMem(r.res, rn, w.apply(r, n, ops))
		p := w.next()
		w.line("%s = OpInBoundsPtrAccessChain %s %%out %s\nOpStore %s %s", p, w.pointer(r.res, rn), at, p, x)
	}
	if f == lanes {
		one("%g", 0)
	} else {
		for g := range len(tuples) / n {
			one(w.constant(ti(64), uint64(g)), g)
		}
	}
	w.line("OpReturn\nOpFunctionEnd")
	return w.head.String() + w.decos.String() + w.types.String() + w.body.String()
}

func pack(t ty, x []uint64) []byte {
	var b []byte
	size := mem(t).size()
	for _, v := range x {
		b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
	}
	return b
}

func unpack(t ty, b []byte) []uint64 {
	size := mem(t).size()
	out := make([]uint64, len(b)/size)
	for i := range out {
		var x [8]byte
		copy(x[:], b[i*size:(i+1)*size])
		out[i] = binary.LittleEndian.Uint64(x[:])
	}
	return out
}

// run assembles text and runs its kernel f for n work-items on the buffers,
// and returns what the first buffer holds then.
func run(t *testing.T, dev *emu.Device, text string, n uint64, bufs ...[]byte) []byte {
	t.Helper()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	prog, err := dev.NewProgram(code, emu.ProgramOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer prog.Close()
	k, err := prog.Kernel("f")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var args []emu.Arg
	var first *emu.Buffer
	for _, b := range bufs {
		buf, err := emu.NewBufferOf(dev, b)
		if err != nil {
			t.Fatal(err)
		}
		defer buf.Free()
		if first == nil {
			first = buf
		}
		args = append(args, buf)
	}
	l := emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{Global: []uint64{n}}, Timeout: 20 * time.Second}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out, err := emu.Read[byte](first)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// check runs the rule in scalar form and as vectors of n.
func (r *rule) check(t *testing.T, dev *emu.Device, n int, f form) {
	t.Helper()
	tuples := r.tuples()
	if len(tuples) == 0 {
		t.Fatalf("%s: no operands", r.name)
	}
	if f != lanes && len(tuples) > 60 {
		// Spread over the list.
		var few [][]uint64
		for i := 0; i < len(tuples); i += len(tuples)/60 + 1 {
			few = append(few, tuples[i])
		}
		tuples = few
	}
	if n > 1 {
		// Components come from tuples next to each other; a scalar operand is
		// that of the group's first tuple.
		for len(tuples)%n != 0 {
			tuples = append(tuples, tuples[0])
		}
		for i := range tuples {
			tuples[i] = slices.Clone(tuples[i])
			for a, s := range r.scalar {
				if s && a < len(r.args) {
					tuples[i][a] = tuples[i/n*n][a]
				}
			}
		}
		if r.valid != nil {
			for i := 0; i < len(tuples); i++ {
				if !r.valid(tuples[i]) {
					copy(tuples[i], tuples[i/n*n])
				}
			}
		}
	}
	groups := len(tuples) / n
	rn := n
	if r.reduce {
		rn = 1
	}
	bufs := [][]byte{make([]byte, groups*stride(rn)*mem(r.res).size())}
	for a, at := range r.args {
		var v []uint64
		for g := range groups {
			w := n
			if r.scalar[a] {
				w = 1
			}
			for c := range stride(w) {
				v = append(v, tuples[g*n+min(c, w-1)][a])
			}
		}
		bufs = append(bufs, pack(at, v))
	}
	items := uint64(groups)
	if f != lanes {
		items = 1
	}
	text := r.module(n, f, tuples)
	got := unpack(r.res, run(t, dev, text, items, bufs...))
	for g := range groups {
		for c := range rn {
			a := tuples[g*n+c]
			if r.reduce {
				a = nil
				for k := range r.args {
					for c := range n {
						a = append(a, tuples[g*n+c][k])
					}
				}
			}
			x, want := got[g*stride(rn)+c], r.want(a)
			if x != want && (r.near == nil || !r.near(x, want)) {
				t.Errorf("%s, %s, vectors of %d: %#x gives %#x, want %#x", r.name, f, n, a, x, want)
				return
			}
		}
	}
}

// checkRules runs rules in all their forms.
func checkRules(t *testing.T, rules []rule) {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for i := range rules {
		r := &rules[i]
		if names[r.name] {
			t.Fatalf("two rules are called %s", r.name)
		}
		names[r.name] = true
		if !r.reduce && !r.noScalar {
			for f := range constants + 1 {
				r.check(t, dev, 1, f)
			}
		}
		if r.noVec {
			continue
		}
		width := []int{2, 3, 4}[i%3]
		r.check(t, dev, width, lanes)
		// By itself, each in every other rule.
		if *long || !testing.Short() && i%2 == 0 {
			r.check(t, dev, width, uniform)
		}
		if *long || !testing.Short() && i%2 == 1 {
			r.check(t, dev, width, constants)
		}
	}
}
