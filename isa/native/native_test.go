package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/memory"
)

// sets has the features that the engine is tested with, by name.
var sets = []struct {
	name     string
	features amd64.Features
}{
	{"avx2", amd64.AVX2},
	{"avx512", amd64.AVX2 | amd64.AVX512 | amd64.VBMI | amd64.VBMI2 | amd64.BITALG | amd64.VPOPCNTDQ},
}

// each runs a test on the engine for each instruction set that the machine has, beside other such tests.
func each(t *testing.T, f func(t *testing.T, e Engine)) {
	t.Helper()
	t.Parallel()
	eachAlone(t, func(t *testing.T, e Engine) {
		t.Parallel()
		f(t, e)
	})
}

// eachAlone is each for a test that no other may run beside.
func eachAlone(t *testing.T, f func(t *testing.T, e Engine)) {
	t.Helper()
	if _, err := New(); err != nil {
		t.Skip(err)
	}
	host, err := codemem.Host()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sets {
		if s.name == "avx512" && host&amd64.AVX512 == 0 {
			continue
		}
		if testing.Short() && host&amd64.AVX512 != 0 && len(t.Name())%2 != i {
			continue // half of the tests run on one, half on the other
		}
		t.Run(s.name, func(t *testing.T) {
			f(t, Engine{features: host & s.features, failed: func(err error) { t.Error(err) }})
		})
	}
}

// lanes is the number of work-items of the tests: two chunks and a part of a third.
const lanes = 150

// program is a kernel under construction. Buffer n, a pointer in scalar register n, has
// 8 bytes a lane; the last is for results.
type program struct {
	k *isa.Kernel
}

const (
	buffers = 6
	bufMask = 4
	bufOut  = 5
	lane    = 0 // vd0 is the global id
)

func newProgram() *program {
	p := &program{k: &isa.Kernel{Name: "test", Locs: []isa.Loc{{}}, NumScalar: buffers, ScalarInit: make([]uint64, buffers),
		Params: []isa.Param{{Kind: isa.ParamValue, Size: 8}}}}
	for i := range buffers {
		p.k.ParamRegs = append(p.k.ParamRegs, isa.ParamReg{Scalar: i, Size: 8})
	}
	p.k.NumVector[isa.Bank64] = 1
	p.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I64, Dst: isa.V(lane), Imm: uint32(isa.BuiltinGlobalID)})
	return p
}

func (p *program) emit(in isa.Inst) {
	k := p.k
	if n := len(k.Blocks); n == 0 || k.Blocks[n-1].End != 0 {
		k.Blocks = append(k.Blocks, isa.Block{Start: len(k.Code)})
	}
	k.Code = append(k.Code, in)
	if in.Op.IsTerminator() {
		k.Blocks[len(k.Blocks)-1].End = len(k.Code)
	}
}

func (p *program) vector(t isa.Type) isa.Reg {
	n := &p.k.NumVector[t.Bank()]
	*n++
	return isa.V(*n - 1)
}

// halve makes the lanes of a group as few as elements of 64 bits have room for.
func (p *program) halve() {
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: p.vector(isa.I64), A: isa.V(lane)})
}

// constant returns a scalar register that holds v in each launch; parameter one of
// which the engine does not know that.
func (p *program) constant(v uint64) isa.Reg {
	p.k.ScalarInit = append(p.k.ScalarInit, v)
	p.k.NumScalar = max(p.k.NumScalar, len(p.k.ScalarInit))
	return isa.S(len(p.k.ScalarInit) - 1)
}

func (p *program) parameter(v uint64) isa.Reg {
	r := p.constant(v)
	p.k.ParamRegs = append(p.k.ParamRegs, isa.ParamReg{Scalar: r.Index(), Param: 0, Size: 8})
	return r
}

// load gives a vector register the elements of a buffer.
func (p *program) load(buffer int, t isa.Type) isa.Reg {
	if t == isa.B1 {
		x, zero := p.load(buffer, isa.I32), p.constant(0)
		one, low := p.vector(isa.I32), p.constant(1)
		p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: one, A: x, B: low})
		m := p.vector(isa.B1)
		p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: m, A: one, B: zero})
		return m
	}
	r := p.vector(t)
	p.emit(isa.Inst{Op: isa.OpLoad, Type: t, Space: isa.SpaceGlobal, Dst: r, A: isa.S(buffer), B: isa.V(lane), Idx: isa.Idx64, Scale: 8})
	return r
}

// store writes a register's elements to the results.
func (p *program) store(r isa.Reg, t isa.Type) {
	if t == isa.B1 {
		x := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: x, A: r, B: p.constant(5), C: p.constant(9)})
		r, t = x, isa.I32
	}
	p.emit(isa.Inst{Op: isa.OpStore, Type: t, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: r})
}

func (p *program) branch(cond isa.Reg, t0, t1 int) {
	in := isa.Inst{Op: isa.OpBrCond, A: cond}
	in.SetTargets(t0, t1)
	p.emit(in)
}

func (p *program) jump(t int) {
	in := isa.Inst{Op: isa.OpBr}
	in.SetTargets(t, 0)
	p.emit(in)
}

// outcome is what a run of a kernel leaves.
type outcome struct {
	Out      []uint64 // all buffers
	Counters engine.Counters
	Fault    *engine.Fault
}

// diff returns what another outcome has differently, "" for nothing. Only those that differ take go-cmp's
// long way.
func (o outcome) diff(got outcome) string {
	if slices.Equal(o.Out, got.Out) && o.Counters == got.Counters && sameFault(o.Fault, got.Fault) {
		return ""
	}
	return cmp.Diff(o, got)
}

// sameFault says whether two faults are the same, or both none.
func sameFault(a, b *engine.Fault) bool { return a == b || cmp.Equal(a, b) }

// compile prepares a kernel.
func compile(t testing.TB, e engine.Engine, k *isa.Kernel) engine.Code {
	t.Helper()
	c, err := e.Compile(&isa.Program{Kernels: []*isa.Kernel{k}}, k)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check runs a kernel on contents of the buffers and values of scalar registers, under each of
// masks, on both engines. prepare changes the contents.
func check(t *testing.T, e Engine, k *isa.Kernel, r *rand.Rand, values map[int]uint64, what string, prepare func(*[buffers][]uint64)) {
	t.Helper()
	checkCode(t, compile(t, interp.Engine{}, k), compile(t, e, k), k, r, values, what, prepare)
}

// checkCode is check for a kernel compiled for both engines.
func checkCode(t *testing.T, portable, native engine.Code, k *isa.Kernel, r *rand.Rand, values map[int]uint64, what string, prepare func(*[buffers][]uint64)) {
	t.Helper()
	for _, m := range masks {
		data := contents(r)
		for i := range data[bufMask] {
			data[bufMask][i] = 0
			if m.running(r, i) {
				data[bufMask][i] = 1
			}
		}
		prepare(data)
		want, got := run(t, portable, k, data, values), run(t, native, k, data, values)
		if diff := want.diff(got); diff != "" {
			t.Fatalf("%s, mask %s, scalars %x (-interp +native):\n%s", what, m.name, values, diff)
		}
	}
}

// run runs a kernel on contents of the buffers, in one wave.
func run(t testing.TB, c engine.Code, k *isa.Kernel, contents *[buffers][]uint64, scalars map[int]uint64) outcome {
	t.Helper()
	return runSubgroups(t, c, k, contents, scalars, 32)
}

// runSubgroups is run with sub-groups of a given size.
func runSubgroups(t testing.TB, c engine.Code, k *isa.Kernel, contents *[buffers][]uint64, scalars map[int]uint64, subgroup int) outcome {
	t.Helper()
	return runTimes(t, c, k, contents, scalars, subgroup, 1)
}

// runTimes is runSubgroups with the same wave started so many times, for one work-group after the other.
func runTimes(t testing.TB, c engine.Code, k *isa.Kernel, contents *[buffers][]uint64, scalars map[int]uint64, subgroup, times int) outcome {
	t.Helper()
	return runQuanta(t, c, k, contents, scalars, subgroup, times, 3)
}

// runQuanta is runTimes with so many back edges at a time, or 0 for no bound.
func runQuanta(t testing.TB, c engine.Code, k *isa.Kernel, contents *[buffers][]uint64, scalars map[int]uint64, subgroup, times, quantum int) outcome {
	t.Helper()
	r := idleRig(t)
	l := &engine.Launch{Kernel: k, Dim: 1, Global: [3]uint64{lanes, 1, 1}, Local: [3]uint32{lanes, 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: append([]uint64(nil), k.ScalarInit...), Memory: r.mem, SubgroupSize: subgroup}
	for i, out := range r.data {
		for j, v := range contents[i] {
			binary.LittleEndian.PutUint64(out[j*8:], v)
		}
		l.Scalars[i] = uint64(r.at[i])
	}
	for i, v := range scalars {
		l.Scalars[i] = v
	}
	w := c.NewWave(lanes)
	for range times {
		w.Start(&engine.Group{Launch: l, Size: l.Local, LDS: r.lds}, 0, lanes)
		for w.Run(quantum) == engine.StopQuantum {
		}
	}
	o := outcome{Out: make([]uint64, 0, buffers*lanes), Counters: *w.Counters(), Fault: w.Fault()}
	for _, out := range r.data {
		for j := range lanes {
			o.Out = append(o.Out, binary.LittleEndian.Uint64(out[j*8:]))
		}
	}
	rigs.Put(r)
	return o
}

// rig is the memory of a run, for the next one to use: all buffers are written before each.
type rig struct {
	mem  *memory.Global
	at   [buffers]memory.Pointer
	data [buffers][]byte
	lds  *memory.Local
}

var rigs sync.Pool

// idleRig returns a rig that nobody uses.
func idleRig(t testing.TB) *rig {
	t.Helper()
	if r, ok := rigs.Get().(*rig); ok {
		r.lds.Reset()
		return r
	}
	r := &rig{mem: memory.NewGlobal(1 << 30)}
	var err error
	for i := range buffers {
		if r.at[i], err = r.mem.Alloc("", lanes*8, false); err != nil {
			t.Fatal(err)
		}
		r.data[i] = r.mem.Lookup(r.at[i].Alloc()).Data
	}
	if r.lds, err = memory.NewLocal([]uint64{8 * lanes}, 1<<20); err != nil {
		t.Fatal(err)
	}
	return r
}

// specials are numbers at which operations are special: as integers, as floats, and as the
// limits of conversions.
var specials = func() []uint64 {
	list := []uint64{0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 1 << 31, 1<<31 - 1, 1<<32 - 1, 1 << 32, 1 << 63, 1<<63 - 1, ^uint64(0), ^uint64(0) - 1, 0x5555555555555555}
	floats := []float64{0, math.Copysign(0, -1), 0.25, 0.5, -0.5, 1, -1, 1.5, 2.5, -2.5, 0.49999999999999994, -0.9, 3.7, 1 << 23, 1<<23 + 1, 1 << 24, 1<<24 + 1, 1 << 31, -1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1,
		-1<<31 - 1, 1 << 52, 1<<53 + 2, 1 << 63, -1 << 63, 1 << 64, 1e30, -1e30, 1e300, math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-1030,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-130, math.Inf(1), math.Inf(-1), math.Pi,
		// Limits of integers of 8 and 16 bits, and of halves.
		127.5, 128, -128.5, -129, 255.5, 256, 32767.5, 32768, -32768.5, -32769, 65504, 65519, 65519.999, 65520, -65520, 65535.5, 65536, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.0000001p-25, -0x1p-25, 0x1p-26,
		1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-11 + 0x1p-50, 1 + 0x1p-11 + 0x1p-20, 0x1.ffcp-15, 0x1.ffdp-15, 0x1.0020000001p-14}
	for _, f := range floats {
		narrow := uint64(math.Float32bits(float32(f)))
		list = append(list, math.Float64bits(f), narrow|narrow<<32)
	}
	list = append(list, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000000123, 0x7ff4000000000000)
	for _, nan := range []uint64{0x7fc00000, 0x7f800001, 0xffc12345, 0xff800001} {
		list = append(list, nan|nan<<32)
	}
	for _, half := range []uint64{0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 1, 0x83ff, 0x400, 0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x3800, 0x3801, 0x4100, 0x7fff, 0x7f80, 0x8080, 0x80ff} {
		list = append(list, half*(1<<48+1<<32+1<<16+1))
	}
	return list
}()

// random returns a number that is often special.
func random(r *rand.Rand) uint64 {
	switch r.IntN(5) {
	case 0:
		return r.Uint64()
	case 4:
		return uint64(r.IntN(70))
	case 1:
		return math.Float64bits(r.NormFloat64() * 100)
	case 2:
		f := uint64(math.Float32bits(float32(r.NormFloat64() * 100)))
		return f | f<<32
	}
	return specials[r.IntN(len(specials))]
}

// contents fills the buffers.
func contents(r *rand.Rand) *[buffers][]uint64 {
	list := numbers()
	c := new([buffers][]uint64)
	for i := range c {
		at := r.IntN(len(list) - lanes)
		c[i] = slices.Clone(list[at:][:lanes])
	}
	return c
}

// numbers are what buffers hold: making new ones for each run takes longer than most runs.
var numbers = sync.OnceValue(func() []uint64 {
	r, list := rand.New(rand.NewPCG(1, 2)), make([]uint64, 1<<17)
	for i := range list {
		list[i] = random(r)
	}
	return list
})

// masks are the sets of lanes that run the instruction under test.
var masks = []struct {
	name    string
	running func(r *rand.Rand, i int) bool
}{
	{"all", func(*rand.Rand, int) bool { return true }},
	{"none", func(_ *rand.Rand, i int) bool { return i == 149 }},
	{"random", func(r *rand.Rand, i int) bool { return r.IntN(2) == 0 }},
	{"sparse", func(r *rand.Rand, i int) bool { return r.IntN(20) == 0 }},
	{"half", func(_ *rand.Rand, i int) bool { return i%64 < 32 }},
}

// instructions calls f for every instruction that may be part of a run, on
// every combination of types, kinds of operands and roundings.
func instructions(f func(name string, in isa.Inst, types [4]isa.Type, n int)) {
	types := []isa.Type{isa.B1, isa.I8, isa.I16, isa.I32, isa.I64, isa.F16, isa.F32, isa.F64}
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		info := op.Info()
		n := 0
		switch info.Shape {
		case isa.ShapeUnary, isa.ShapeConvert:
			n = 1
		case isa.ShapeBinary, isa.ShapeCompare, isa.ShapePtrDiff:
			n = 2
		case isa.ShapeTernary, isa.ShapeSelect:
			n = 3
		case isa.ShapeQuad:
			n = 4
		default:
			continue
		}
		switch op {
		case isa.OpReadFirst, isa.OpBroadcastFirst, isa.OpMath1, isa.OpMath2, isa.OpMath3:
			continue
		}
		for _, t := range types {
			if !info.Types.Has(t) {
				continue
			}
			sources := []isa.Type{isa.Void}
			if info.Shape == isa.ShapeConvert {
				sources = nil
				for _, s := range types {
					if info.Src.Has(s) {
						sources = append(sources, s)
					}
				}
			}
			for _, s := range sources {
				rounds := []isa.Round{isa.RoundDefault}
				if info.Shape == isa.ShapeConvert && (t.IsFloat() || s.IsFloat()) {
					rounds = append(rounds, isa.RoundRTE, isa.RoundRTZ, isa.RoundRTP, isa.RoundRTN)
				}
				operands := [4]isa.Type{t, t, t, t}
				switch info.Shape {
				case isa.ShapeSelect:
					operands[0] = isa.B1
				case isa.ShapeConvert:
					operands[0] = s
				}
				for _, r := range rounds {
					name := fmt.Sprintf("%s.%s", info.Name, t)
					if s != isa.Void {
						name += "." + s.String()
					}
					f(name+r.String(), isa.Inst{Op: op, Type: t, Type2: s, Flags: isa.Flags(0).WithRound(r)}, operands, n)
				}
			}
		}
	}
}

// TestInstructions runs each instruction on every kind of operands and under several
// execution masks, on this engine and on package interp.
func TestInstructions(t *testing.T) { each(t, testInstructions) }

func testInstructions(t *testing.T, e Engine) {
	accelerated := map[string]bool{}
	instructions(func(name string, in isa.Inst, types [4]isa.Type, n int) {
		t.Run(name, func(t *testing.T) { testInstruction(t, e, in, types, n) })
		in.Dst = isa.V(0)
		if plan.Movable(&in) && e.takes(&in) {
			accelerated[name] = true
		}
	})
	least := 555
	if e.features&amd64.AVX512 != 0 {
		least = 609
	}
	if len(accelerated) < least {
		t.Errorf("only %d instructions have machine code", len(accelerated))
	}
}

// testInstruction runs an instruction on operands of n types.
func testInstruction(t *testing.T, e Engine, in isa.Inst, types [4]isa.Type, n int) {
	r := rand.New(rand.NewPCG(1, uint64(in.Op)))
	shapes := 3 << (n - 1)
	if testing.Short() {
		shapes = 1
	}
	for shape := range shapes {
		if shape > 1 && (shape+int(in.Op))%amount(1, 2, 1) != 0 {
			continue
		}
		// Bit i of shape: operand i is scalar. The upper half has constants, all of them scalar.
		constant := shape >= 1<<n
		scalars := shape
		if constant {
			scalars = 1<<n - 1&^(shape&1)
		}
		p := newProgram()
		out := in.Type
		if in.Op.Info().Shape == isa.ShapeCompare {
			out = isa.B1
		}
		in := in
		regs := [4]*isa.Reg{&in.A, &in.B, &in.C, &in.D}
		values := map[int]uint64{}
		for i := range n {
			switch {
			case scalars>>i&1 == 0:
				*regs[i] = p.load(i, types[i])
			default:
				v := random(r)
				if bits := types[i].Bits(); bits < 64 {
					v &= 1<<bits - 1
				}
				if constant {
					*regs[i] = p.constant(v)
				} else {
					*regs[i] = p.parameter(v)
					values[regs[i].Index()] = v
				}
			}
		}
		in.Dst = p.load(bufOut, out)
		runs := p.load(bufMask, isa.B1)
		p.branch(runs, 1, 2)
		if shape&1 != 0 {
			p.halve()
		}
		p.emit(in)
		if x86.Narrow(out) {
			// What is above the number in a vector register is seen by the next instruction only.
			wide := p.vector(isa.I32)
			p.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I32, Type2: isa.IntOf(out.Bits()), Dst: wide, A: in.Dst})
			p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, Disp: 4, C: wide})
		}
		p.jump(2)
		p.store(in.Dst, out)
		p.emit(isa.Inst{Op: isa.OpRet})
		check(t, e, p.k, r, values, fmt.Sprintf("shape %b", shape), func(*[buffers][]uint64) {})
	}
}
