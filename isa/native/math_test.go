package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/mathfn"
	"github.com/lockstep-gpu/lockstep/memory"
)

// mathInsts returns the instructions on F32 that are functions with machine code, in the order of their
// numbers.
func mathInsts() []isa.Inst {
	var list []isa.Inst
	for f := range uint32(clmath.NumFuncs) {
		for _, op := range []isa.Op{isa.OpMath1, isa.OpMath2, isa.OpMath3} {
			for _, flags := range []uint32{0, isa.MathStored, isa.MathHalf, isa.MathStored | isa.MathHalf} {
				in := isa.Inst{Op: op, Type: isa.F32, Imm: f | flags}
				if mathfn.Mathematics(amd64.AVX512, &in) != nil {
					list = append(list, in)
				}
			}
		}
	}
	return list
}

func mathName(in *isa.Inst) string {
	s := clmath.Func(in.Imm & 0xff).String()
	if in.Imm&isa.MathStored != 0 {
		s += "_stored"
	}
	if in.Imm&isa.MathHalf != 0 {
		s += "_half"
	}
	return s
}

// mathRig runs one instruction of a function on many lanes.
type mathRig struct {
	in      isa.Inst
	arity   int
	wave    engine.Wave
	group   engine.Group
	buffers [4][]byte // of the operands and the result
}

const rigLanes = 1024

// newMathRig makes a kernel with groups of 16 lanes, or, with indices of 64 bits, of 8.
func newMathRig(t testing.TB, e engine.Engine, in isa.Inst, index isa.IdxType) *mathRig {
	t.Helper()
	g := &mathRig{in: in, arity: len(mathfn.OperandsOf(&in))}
	p := &program{k: &isa.Kernel{Name: "test", Locs: []isa.Loc{{}}, NumScalar: 4, ScalarInit: make([]uint64, 4), Params: []isa.Param{{Kind: isa.ParamValue, Size: 8}}}}
	for i := range 4 {
		p.k.ParamRegs = append(p.k.ParamRegs, isa.ParamReg{Scalar: i, Size: 8})
	}
	id := p.vector(isa.I64)
	p.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I64, Dst: id, Imm: uint32(isa.BuiltinGlobalID)})
	if index == isa.IdxS32 {
		short := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: short, A: id})
		id = short
	}
	p.jump(1)
	size := in.Type.Bytes()
	for i, r := range []*isa.Reg{&in.A, &in.B, &in.C}[:g.arity] {
		*r = p.vector(in.Type)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: in.Type, Space: isa.SpaceGlobal, Dst: *r, A: isa.S(i), B: id, Idx: index, Scale: uint32(size)})
	}
	in.Dst = p.vector(in.Type)
	p.emit(in)
	p.emit(isa.Inst{Op: isa.OpStore, Type: in.Type, Space: isa.SpaceGlobal, A: isa.S(3), B: id, Idx: index, Scale: uint32(size), C: in.Dst})
	p.emit(isa.Inst{Op: isa.OpRet})
	code := compile(t, e, p.k)
	mem := memory.NewGlobal(1 << 30)
	l := &engine.Launch{Kernel: p.k, Dim: 1, Global: [3]uint64{rigLanes, 1, 1}, Local: [3]uint32{rigLanes, 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: append([]uint64(nil), p.k.ScalarInit...), Memory: mem, SubgroupSize: 32}
	for i := range g.buffers {
		p, err := mem.Alloc("", uint64(rigLanes*size), false)
		if err != nil {
			t.Fatal(err)
		}
		g.buffers[i] = mem.Lookup(p.Alloc()).Data
		l.Scalars[i] = uint64(p)
	}
	lds, err := memory.NewLocal(nil, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	g.wave = code.NewWave(rigLanes)
	g.group = engine.Group{Launch: l, Size: l.Local, LDS: lds}
	return g
}

// run computes results, for up to rigLanes operands.
func (g *mathRig) run(operands ...[]uint32) {
	for i, x := range operands {
		for j, v := range x {
			binary.LittleEndian.PutUint32(g.buffers[i][4*j:], v)
		}
	}
	g.start()
}

func (g *mathRig) start() {
	g.wave.Start(&g.group, 0, rigLanes)
	for g.wave.Run(1<<20) == engine.StopQuantum {
	}
}

func (g *mathRig) result(i int) uint32 { return binary.LittleEndian.Uint32(g.buffers[3][4*i:]) }

// mathResults returns what package clmath computes.
func mathResults(in *isa.Inst, operands ...[]uint32) []uint32 {
	f := interp.Math32(in)
	list := make([]uint32, len(operands[0]))
	for i := range list {
		var x [3]float32
		for j := range operands {
			x[j] = math.Float32frombits(operands[j][i])
		}
		list[i] = math.Float32bits(f(x[0], x[1], x[2]))
	}
	return list
}

// check compares with what package clmath computes.
func (g *mathRig) check(t *testing.T, operands ...[]uint32) {
	t.Helper()
	g.compare(t, mathResults(&g.in, operands...), operands...)
}

// compare compares with what there should be.
func (g *mathRig) compare(t *testing.T, results []uint32, operands ...[]uint32) {
	t.Helper()
	g.run(operands...)
	wrong := 0
	for i, want := range results {
		if got := g.result(i); got != want {
			var x [3]float32
			for j := range operands {
				x[j] = math.Float32frombits(operands[j][i])
			}
			t.Errorf("%s(%x) (%08x): got %08x %x, want %08x %x", mathName(&g.in), x[:g.arity], operands[0][i], got, math.Float32frombits(got), want, math.Float32frombits(want))
			if wrong++; wrong == 10 {
				t.FailNow()
			}
		}
	}
}

// mathOperands returns floats of all kinds: around each power of two, numbers that are special to some
// function, ordinary ones, random bits.
func mathOperands(r *rand.Rand, n int) []uint32 {
	var list []uint32
	both := func(b uint32) { list = append(list, b, b|1<<31) }
	for e := range uint32(256) {
		for _, m := range []uint32{0, 1, 0x3504f3, 0x3504f4, 0x400000, 0x7fffff} {
			both(e<<23 | m)
		}
	}
	for _, v := range mathPoints {
		b := math.Float32bits(float32(v))
		for d := uint32(0); d < 5; d++ {
			both(b + d - 2)
		}
	}
	for i := range 300 {
		both(math.Float32bits(float32(i)))
		both(math.Float32bits(float32(i) / 4))
	}
	for len(list) < n {
		switch r.IntN(4) {
		case 0:
			list = append(list, r.Uint32())
		case 1:
			list = append(list, math.Float32bits(float32(r.NormFloat64())))
		case 2:
			list = append(list, math.Float32bits(float32(r.NormFloat64()*30)))
		default:
			list = append(list, math.Float32bits(float32(math.Exp(r.NormFloat64()*10))))
		}
	}
	return list
}

// relate makes most pairs of operands such as meet: small integers, of which powers are in the middle of two
// floats, multiples, neighbours; and integers of all sizes where the second operand is one.
func relate(r *rand.Rand, in *isa.Inst, x, y []uint32) {
	f := func(v float32) uint32 { return math.Float32bits(v) }
	integer := clmath.WithInt32[in.Imm&0xff] != nil
	for i := range x {
		a := math.Float32frombits(x[i])
		switch r.IntN(8) {
		case 0:
			x[i], y[i] = f(float32(r.IntN(6000))), f(float32(r.IntN(9)-1)/2)
		case 1:
			x[i], y[i] = f(float32(r.IntN(200)-20)/8), f(float32(r.IntN(80)-40)/2)
		case 2, 3:
			b := math.Float32frombits(y[i])
			x[i] = f(b*float32(r.IntN(1<<r.IntN(30)))/2) + uint32(r.IntN(3)) - 1
		case 4:
			y[i] = f(a*(1+float32(r.IntN(9)-4)*0x1p-23)) ^ uint32(r.IntN(2))<<31
		case 5:
			y[i] = f(float32(math.Log(math.MaxFloat32) / math.Log(math.Abs(float64(a))) * float64(1-2*r.IntN(2)) * (0.98 + 0.25*r.Float64())))
		}
		if integer {
			v := int32(r.IntN(40) - 20)
			switch r.IntN(6) {
			case 0:
				v = int32(r.Uint32()) >> r.IntN(32)
			case 1:
				v = int32(math.Float32frombits(y[i]))
			case 2:
				v = []int32{math.MinInt32, math.MaxInt32, math.MinInt32 + 1, 0, 1, -1, 126, 127, 128, -126, -127, -149, -150, 276, 277, 278, -276}[r.IntN(17)]
			}
			y[i] = uint32(v)
		}
	}
}

// mathPoints are numbers near which some function changes its ways.
var mathPoints = []float64{0x1p-149, 0x1p-126, 0x1p-24, 0x1p-13, 0x1p-12, 0.25, 0.5, math.Pi / 4, 1, math.Pi / 2, 1.5, 2, 3, math.Pi, 4, 7, 10.25, 20, 38.6, 45, 64, 88.7, 87.3, 103.97, 104,
	126, 127, 128, 149, 150, 1000, 0x1p12, 0x1p19, 0x1p22, 0x1p23, 0x1p24, 0x1p30, 0x1p31, 0x1p126, math.MaxFloat32, math.Inf(1), math.E, math.Ln2, math.Log10E, 0.75, 0.6875}

// TestMath compares each function with package clmath, whose results are for all instruction sets and both
// sizes of groups.
func TestMath(t *testing.T) {
	t.Parallel()
	for _, in := range mathInsts() {
		t.Run(mathName(&in), func(t *testing.T) {
			t.Parallel()
			n := amount(1<<13, 1<<15, 1<<17)
			r := rand.New(rand.NewPCG(uint64(in.Imm), 1))
			var operands [][]uint32
			for range len(mathfn.OperandsOf(&in)) {
				x := mathOperands(r, n)
				if len(mathfn.OperandsOf(&in)) > 1 {
					r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
				}
				operands = append(operands, x)
			}
			if len(operands) == 2 {
				relate(r, &in, operands[0], operands[1])
			}
			results := mathResults(&in, operands...)
			eachAlone(t, func(t *testing.T, e Engine) {
				for _, index := range []isa.IdxType{isa.IdxS32, isa.Idx64} {
					g := newMathRig(t, e, in, index)
					for i := 0; i < len(results); i += rigLanes {
						end := min(i+rigLanes, len(results))
						var part [][]uint32
						for _, x := range operands {
							part = append(part, x[i:end])
						}
						g.compare(t, results[i:end], part...)
					}
				}
			})
		})
	}
}

// TestMathMasks runs each function under several execution masks, with scalar operands too, in runs that
// hold more values than there are registers.
func TestMathMasks(t *testing.T) { each(t, testMathMasks) }

// TestMathCallouts does the same with functions that are sure of few results, and leave the others to Go.
func TestMathCallouts(t *testing.T) {
	for _, f := range mathfn.Functions32 {
		if f, ok := f.(*mathfn.Function32); ok {
			before := f.Settled
			f.Settled = 25
			defer func() { f.Settled = before }()
		}
	}
	each(t, testMathMasks)
}

func testMathMasks(t *testing.T, e Engine) {
	for _, in := range append(mathInsts(), mathInsts64(e.features)...) {
		t.Run(fmt.Sprintf("%s.%s", mathName(&in), in.Type), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(in.Imm), 3))
			n, ft := len(mathfn.OperandsOf(&in)), in.Type
			for shape := range 1 << n {
				for i, crowd := range []int{0, 40} {
					if (shape+i+int(in.Imm))%amount(2, 2, 1) != 0 {
						continue
					}
					p := newProgram()
					in := in
					values := map[int]uint64{}
					regs := [3]*isa.Reg{&in.A, &in.B, &in.C}
					for i := range n {
						if shape>>i&1 == 0 {
							*regs[i] = p.load(i, ft)
							continue
						}
						v := random(r) & (1<<(ft.Bits()-1)<<1 - 1)
						*regs[i] = p.parameter(v)
						values[regs[i].Index()] = v
					}
					in.Dst = p.load(bufOut, ft)
					unit := uint64(math.Float32bits(1))
					if ft == isa.F64 {
						unit = math.Float64bits(1)
					}
					one := p.constant(unit)
					runs := p.load(bufMask, isa.B1)
					p.branch(runs, 1, 2)
					var others []isa.Reg
					for i := range crowd {
						x := p.vector(ft)
						from := in.Dst
						if i > 0 {
							from = others[i-1]
						}
						p.emit(isa.Inst{Op: isa.OpFAdd, Type: ft, Dst: x, A: from, B: one})
						others = append(others, x)
					}
					p.emit(in)
					for _, x := range others {
						p.emit(isa.Inst{Op: isa.OpFSub, Type: ft, Dst: in.Dst, A: in.Dst, B: x})
					}
					p.jump(2)
					p.store(in.Dst, ft)
					p.emit(isa.Inst{Op: isa.OpRet})
					check(t, e, p.k, r, values, fmt.Sprintf("shape %b", shape), func(*[buffers][]uint64) {})
				}
			}
		})
	}
}

// TestMathFull compares the functions of one operand that LOCKSTEP_MATH names, separated by commas, at all
// floats; "all" is all.
func TestMathFull(t *testing.T) {
	names := strings.Split(os.Getenv("LOCKSTEP_MATH"), ",")
	sort.Strings(names)
	if names[0] == "" {
		t.Skip("LOCKSTEP_MATH names no functions")
	}
	each(t, func(t *testing.T, e Engine) {
		for _, in := range mathInsts() {
			i := sort.SearchStrings(names, mathName(&in))
			if in.Op != isa.OpMath1 || names[0] != "all" && (i == len(names) || names[i] != mathName(&in)) {
				continue
			}
			t.Run(mathName(&in), func(t *testing.T) {
				g := newMathRig(t, e, in, isa.IdxS32)
				x := make([]uint32, rigLanes)
				for b := uint64(0); b < 1<<32; b += rigLanes {
					for i := range x {
						x[i] = uint32(b) + uint32(i)
					}
					g.check(t, x)
				}
			})
		}
	})
}

// mathRanges are ordinary operands.
var mathRanges = map[string][2]float64{"exp": {-80, 80}, "exp2": {-100, 100}, "exp10": {-30, 30}, "log": {0.001, 1000}, "log2": {0.001, 1000}, "log10": {0.001, 1000},
	"rsqrt": {0.001, 1000}, "acosh": {1, 100}, "erf": {-3, 3}, "erfc": {-3, 8}, "sin": {-100, 100}, "cos": {-100, 100}, "tan": {-100, 100}, "sinh": {-10, 10},
	"cosh": {-10, 10}, "atan": {-10, 10}, "asinh": {-10, 10}, "pow": {0.1, 10}}

// BenchmarkMath measures both engines, with a load for each operand and a store. The time is that of a lane.
func BenchmarkMath(b *testing.B) {
	n, err := New()
	if err != nil {
		b.Skip(err)
	}
	for _, in := range mathInsts() {
		for _, e := range []engine.Engine{n, interp.Engine{}} {
			b.Run(fmt.Sprintf("%s/%s", mathName(&in), e.Name()), func(b *testing.B) {
				g := newMathRig(b, e, in, isa.IdxS32)
				r, ok := mathRanges[mathName(&in)]
				if !ok {
					r = [2]float64{-0.99, 0.99}
				}
				x := make([]uint32, rigLanes)
				for i := range x {
					x[i] = math.Float32bits(float32(r[0] + (r[1]-r[0])*math.Mod(float64(i)*0.6180339887498949, 1)))
				}
				g.run([][]uint32{x, x, x}[:g.arity]...)
				b.ResetTimer()
				for range b.N/rigLanes + 1 {
					g.run()
				}
			})
		}
	}
}
