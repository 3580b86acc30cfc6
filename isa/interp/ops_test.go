package interp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

var allTypes = []isa.Type{isa.B1, isa.I8, isa.I16, isa.I32, isa.I64, isa.F16, isa.F32, isa.F64}

// edge values of each type, as bits; random ones join them.
var edges = map[isa.Type][]uint64{
	isa.F16: {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfd00},
	isa.F32: {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0xbfc00000,
		0x40200000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 0x7f800001, 0x4f000000, 0x4effffff, 0xcf000000,
		0x5f000000, 0x5f7fffff, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x42fe0000, 0x43000000, 0x437f8000, 0x4b800001, 0x4b7fffff},
	isa.F64: {0, 1 << 63, 1, 1<<63 | 1, 1<<52 - 1, 1 << 52, 0x3ff << 52, 0xbff << 52, 0x3fe << 52, 0x3ff8 << 48, 0x7fefffffffffffff,
		0xffefffffffffffff, 0x7ff << 52, 0xfff << 52, 0x7ff8000000000001, 0xfff8 << 48, 0x7ff0000000000001, 0x41dfffffffc00000,
		0x41e0000000000000, 0x43e0000000000000, 0x43dfffffffffffff, 0x43f0000000000000, 0x43efffffffffffff, 0x47efffffe0000000,
		0x47effffff0000000, 0x47efffffefffffff, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x40effc0000000000,
		0x40effe0000000000, 0x4330000000000001, 0x4340000000000001, 0x380fffffffffffff},
}

// sample returns a value of type t: an edge or something random.
func sample(r *rand.Rand, t isa.Type) uint64 {
	switch {
	case t == isa.B1:
		return r.Uint64() & 1
	case t.IsFloat():
		e := edges[t]
		switch r.IntN(4) {
		case 0:
			return r.Uint64() & (1<<t.Bits() - 1)
		case 1: // near 1, where sums and products round
			one := map[isa.Type]uint64{isa.F16: 0x3c00, isa.F32: 0x3f800000, isa.F64: 0x3ff << 52}[t]
			return one + r.Uint64()>>(64-t.Bits()/2) + r.Uint64()>>63<<(t.Bits()-1)
		}
		return e[r.IntN(len(e))]
	}
	w := t.Bits()
	mask := ^uint64(0) >> (64 - w)
	switch r.IntN(5) {
	case 0:
		return uint64(int64(r.IntN(7)-3)) & mask
	case 1:
		return (1<<(w-1) + uint64(int64(r.IntN(5)-2))) & mask
	case 2:
		return uint64(r.IntN(w+2)) & mask
	case 3:
		return r.Uint64() & mask >> r.IntN(w)
	}
	return r.Uint64() & mask
}

// opTest runs one instruction for lanes under a mask and compares each lane
// with the oracle. Operand i is scalar if shape has bit i.
type opTest struct {
	in    isa.Inst
	types []isa.Type // of the operands
	dst   isa.Type
	shape int
}

// kernel returns a kernel that runs the instruction for the lanes with a set
// bit in mask register 0 and leaves the others waiting.
func (o *opTest) kernel() (*isa.Kernel, isa.Inst) {
	b := newBuilder()
	cond := b.reg(isa.B1)
	in := o.in
	all := true
	for i, p := range []*isa.Reg{&in.A, &in.B, &in.C, &in.D} {
		if i >= len(o.types) {
			break
		}
		if o.shape>>i&1 != 0 {
			*p = b.constant(0)
		} else {
			*p = b.reg(o.types[i])
			all = false
		}
	}
	in.Dst = b.reg(o.dst)
	if all && in.Flags&isa.FlagVolatile != 0 { // the test's sign for a scalar destination
		in.Dst = b.scalar()
	}
	b.brCond(cond, 1, 2)
	b.emit(in)
	b.br(2)
	b.ret()
	return b.k, in
}

func (o *opTest) run(t *testing.T, r *rand.Rand, lanes int, active func(lane int) bool) {
	t.Helper()
	k, in := o.kernel()
	c, err := Engine{}.Compile(&isa.Program{}, k)
	if err != nil {
		t.Fatal(err)
	}
	w := c.NewWave(lanes).(*wave)
	l := &engine.Launch{Kernel: k, Scalars: k.ScalarInit, SubgroupSize: 32}
	w.Start(&engine.Group{Launch: l, Size: [3]uint32{uint32(lanes), 1, 1}}, 0, lanes)
	regs := []isa.Reg{in.A, in.B, in.C, in.D}[:len(o.types)]
	nonzero := in.Op >= isa.OpDivS && in.Op <= isa.OpModS
	for i, reg := range regs {
		for lane := range words(lanes) * 64 {
			v := sample(r, o.types[i])
			for nonzero && i == 1 && v == 0 {
				v = sample(r, o.types[i])
			}
			if in.Op == isa.OpBitInsert && i >= 2 || (in.Op == isa.OpBitExtractS || in.Op == isa.OpBitExtractU) && i >= 1 {
				v = uint64(r.IntN(in.Type.Bits() + 1))
				if i == len(regs)-1 { // offset and count stay inside
					off := w.reg(regs[i-1], o.types[i], lane/64, lane%64)
					v = uint64(r.IntN(in.Type.Bits() - int(off) + 1))
				}
			}
			if reg.IsScalar() && lane > 0 {
				break
			}
			w.setReg(reg, o.types[i], lane/64, lane%64, v)
		}
	}
	old := make([]uint64, lanes)
	for lane := range lanes {
		w.setReg(isa.V(0), isa.B1, lane/64, lane%64, boolBit(active(lane)))
		if in.Dst.IsVector() {
			old[lane] = sample(r, o.dst)
			w.setReg(in.Dst, o.dst, lane/64, lane%64, old[lane])
		}
	}
	if s := w.Run(0); s != engine.StopDone {
		t.Fatalf("%s: wave stopped with %d (%+v)", k.InstText(&in), s, w.Fault())
	}
	for lane := range lanes {
		x := make([]uint64, len(regs))
		for i, reg := range regs {
			x[i] = w.reg(reg, o.types[i], lane/64, lane%64)
		}
		got := w.reg(in.Dst, o.dst, lane/64, lane%64)
		if !active(lane) {
			if in.Dst.IsVector() && in.Flags&isa.FlagDense == 0 && got != old[lane] {
				t.Fatalf("%s: lane %d does not run, but changed from %#x to %#x", k.InstText(&in), lane, old[lane], got)
			}
			continue
		}
		if want := oracle(&in, x); got != want {
			t.Fatalf("%s: lane %d: %#x gives %#x, want %#x", k.InstText(&in), lane, x, got, want)
		}
	}
}

// all runs the instruction in every shape, under several masks.
func (o opTest) all(t *testing.T) {
	t.Run(fmt.Sprintf("%s.%s.%s", o.in.Op, o.in.Type, o.in.Type2), func(t *testing.T) {
		r := rand.New(rand.NewPCG(uint64(o.in.Op), uint64(o.in.Type)))
		for shape := range 1 << len(o.types) {
			o.shape = shape
			for _, dense := range []isa.Flags{0, isa.FlagDense} {
				test := o
				test.in.Flags |= dense
				if testing.Short() {
					test.run(t, r, 70, func(l int) bool { return dense != 0 || l%64 < 40 })
					continue
				}
				test.run(t, r, 130, func(int) bool { return true })
				test.run(t, r, 200, func(l int) bool { return l%64 < 40 && l != 3 })
				test.run(t, r, 70, func(l int) bool { return l%9 == 2 })
			}
			if shape == 1<<len(o.types)-1 {
				test := o
				test.in.Flags |= isa.FlagVolatile
				for range 30 {
					test.run(t, r, 5, func(l int) bool { return l%2 == 1 })
				}
			}
		}
	})
}

func same4(t isa.Type, n int) []isa.Type { return []isa.Type{t, t, t, t}[:n] }

// TestOperations compares every opcode that computes a value from registers
// with the oracle, for every type and kind of operands.
func TestOperations(t *testing.T) {
	for op := isa.OpMov; op < isa.NumOps; op++ {
		inf := op.Info()
		for _, typ := range allTypes {
			if !inf.Types.Has(typ) {
				continue
			}
			o := opTest{in: isa.Inst{Op: op, Type: typ}, dst: typ}
			switch inf.Shape {
			case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad:
				if op == isa.OpReadFirst || op == isa.OpBroadcastFirst || op == isa.OpMath1 || op == isa.OpMath2 || op == isa.OpMath3 {
					continue
				}
				o.types = same4(typ, 1+int(inf.Shape-isa.ShapeUnary))
			case isa.ShapeSelect:
				o.types = []isa.Type{isa.B1, typ, typ}
			case isa.ShapeCompare:
				o.types, o.dst = same4(typ, 2), isa.B1
			case isa.ShapeConvert:
				if op >= isa.OpPtrPack32 && op <= isa.OpPtrAt {
					continue
				}
				for _, src := range allTypes {
					if !inf.Src.Has(src) || src.IsInt() && typ.IsInt() && !widthFits(op, typ, src) {
						continue
					}
					for _, round := range []isa.Round{isa.RoundDefault, isa.RoundRTE, isa.RoundRTZ, isa.RoundRTP, isa.RoundRTN} {
						o.in.Type2, o.types = src, []isa.Type{src}
						o.in.Flags = isa.Flags(0).WithRound(round)
						o.all(t)
					}
				}
				continue
			default:
				continue
			}
			o.all(t)
		}
	}
}

// widthFits says whether an integer conversion goes the way its name says.
func widthFits(op isa.Op, dst, src isa.Type) bool {
	if op == isa.OpTruncate {
		return dst.Bits() < src.Bits()
	}
	return dst.Bits() > src.Bits()
}

// TestDivideByScalar tries divisors at which a reciprocal could be off by one.
func TestDivideByScalar(t *testing.T) {
	divisors := []uint32{1, 2, 3, 5, 6, 7, 9, 10, 641, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 2, 1<<32 - 1}
	for _, op := range []isa.Op{isa.OpDivU, isa.OpRemU} {
		for _, v := range divisors {
			b := newBuilder()
			d := b.constant(uint64(v))
			x, q := b.reg(isa.I32), b.reg(isa.I32)
			b.op(op, isa.I32, q, x, d)
			b.ret()
			w := b.compile(t).NewWave(256).(*wave)
			l := b.launch(nil, 256)
			w.Start(group(t, l), 0, 256)
			in := func(lane int) uint32 { // numbers around multiples of the divisor
				m := []uint32{0, 1, 2, 1<<32 - 1, (1<<32 - 1) / v, (1<<32 - 1) / v / 2, uint32(lane) * 0x9e3779b9}[lane%7]
				return m*v + uint32(lane/7%3) - 1
			}
			for lane := range 256 {
				w.setReg(x, isa.I32, lane/64, lane%64, uint64(in(lane)))
			}
			w.Run(0)
			for lane := range 256 {
				want := in(lane) / v
				if op == isa.OpRemU {
					want = in(lane) % v
				}
				if got := uint32(w.reg(q, isa.I32, lane/64, lane%64)); got != want {
					t.Fatalf("%s of %d and %d: %d, want %d", op, in(lane), v, got, want)
				}
			}
		}
	}
}
