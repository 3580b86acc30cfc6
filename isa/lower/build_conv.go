package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// convert reads the conversion instructions (SPIR-V 3.49.11).
func (b *builder) convert(in spirv.Inst) {
	to := b.m.typeOf(in.ResultType())
	v, from := b.vals(spirv.ID(in.Operand(0)))
	switch in.Op() {
	case spirv.OpBitcast:
		b.set(in, b.bitcast(v, from, to)...)
		b.sameBounds(in.ResultID(), spirv.ID(in.Operand(0)))
		return
	case spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr:
		b.sameBounds(in.ResultID(), spirv.ID(in.Operand(0)))
		b.set(in, v...)
		return
	case spirv.OpGenericCastToPtrExplicit:
		sp := uint64(space(spirv.StorageClass(in.Operand(1))))
		tag := b.bin(isa.OpShrU, isa.I64, v[0], b.imm(isa.I64, 60))
		b.set1(in, b.sel(isa.I64, b.cmp(isa.OpEq, isa.I64, tag, b.imm(isa.I64, sp)), v[0], b.imm(isa.I64, 0)))
		return
	case spirv.OpConvertPtrToU:
		out := make([]*ssa.Value, len(v))
		for i := range v {
			out[i] = b.ptrToInt(v[i], to.component())
		}
		b.set(in, out...)
		return
	case spirv.OpConvertUToPtr:
		out := make([]*ssa.Value, len(v))
		for i := range v {
			out[i] = b.intToPtr(v[i], from.component())
		}
		b.set(in, out...)
		return
	}
	ft, tt := from.component(), to.component()
	fl := isa.Flags(0).WithRound(b.m.rounding(in.ResultID()))
	sat := b.m.decorated(in.ResultID(), spirv.DecorationSaturatedConversion)
	if len(v) != to.flat {
		b.fail("the operand has %d components, the result %d", len(v), to.flat)
	}
	out := make([]*ssa.Value, len(v))
	for i, x := range v {
		if ft.small != nil || tt.small != nil {
			out[i] = b.convertSmall(in.Op(), ft, tt, fl, sat, x, in.ResultID())
			continue
		}
		out[i] = b.convertScalar(in.Op(), ft, tt, fl, sat, x)
	}
	b.set(in, out...)
}

func (b *builder) convertScalar(op spirv.Op, ft, tt *typ, fl isa.Flags, sat bool, x *ssa.Value) *ssa.Value {
	fs, ts := ft.scalar(), tt.scalar()
	switch op {
	case spirv.OpUConvert:
		if sat {
			return b.saturate(x, ft, tt, false, false)
		}
		return b.norm(tt, b.resize(x, fs, ts))
	case spirv.OpSConvert:
		if sat {
			return b.saturate(x, ft, tt, true, true)
		}
		x = b.signed(ft, x)
		if ts.Bits() > fs.Bits() {
			x = b.conv(isa.OpSExt, ts, fs, x)
		} else {
			x = b.resize(x, fs, ts)
		}
		return b.norm(tt, x)
	case spirv.OpSatConvertSToU:
		return b.saturate(x, ft, tt, true, false)
	case spirv.OpSatConvertUToS:
		return b.saturate(x, ft, tt, false, true)
	case spirv.OpConvertSToF:
		return b.convFlags(isa.OpSToF, ts, fs, fl, b.signed(ft, x))
	case spirv.OpConvertUToF:
		return b.convFlags(isa.OpUToF, ts, fs, fl, x)
	case spirv.OpConvertFToS, spirv.OpConvertFToU:
		if sat {
			fl |= isa.FlagSat
		}
		o := isa.OpFToS
		if op == spirv.OpConvertFToU {
			o = isa.OpFToU
		}
		if !sat {
			b.checkToInt(op, fs, tt, fl, x)
		}
		if !tt.odd() {
			return b.convFlags(o, ts, fs, fl, x)
		}
		// An odd width: convert to 64 bits, then narrow.
		r := b.convFlags(o, isa.I64, fs, fl, x)
		wide := &typ{kind: kindInt, bits: 64}
		if sat {
			return b.saturate(r, wide, tt, op == spirv.OpConvertFToS, op == spirv.OpConvertFToS)
		}
		return b.norm(tt, b.resize(r, isa.I64, ts))
	case spirv.OpQuantizeToF16:
		return b.conv(isa.OpFToF, fs, isa.F16, b.conv(isa.OpFToF, isa.F16, fs, x))
	}
	// OpFConvert.
	if fs == ts {
		return x
	}
	return b.convFlags(isa.OpFToF, ts, fs, fl, x)
}

// saturate converts an integer to another type, clamping to its range.
func (b *builder) saturate(x *ssa.Value, ft, tt *typ, fromSigned, toSigned bool) *ssa.Value {
	fs, ts := ft.scalar(), tt.scalar()
	if fromSigned {
		x = b.signed(ft, x)
	}
	// The bounds of the target, in the source's terms.
	n := uint(tt.bits)
	if toSigned {
		n--
	}
	srcBits := uint(ft.bits)
	if fromSigned {
		srcBits--
	}
	if n < srcBits {
		hi := uint64(1)<<n - 1
		if fromSigned {
			x = b.bin(isa.OpMinS, fs, x, b.imm(fs, hi))
		} else {
			x = b.bin(isa.OpMinU, fs, x, b.imm(fs, hi))
		}
	}
	if fromSigned {
		switch {
		case !toSigned:
			x = b.bin(isa.OpMaxS, fs, x, b.imm(fs, 0))
		case n < srcBits:
			x = b.bin(isa.OpMaxS, fs, x, b.imm(fs, -(uint64(1)<<n)))
		}
	}
	if fromSigned && ts.Bits() > fs.Bits() {
		x = b.conv(isa.OpSExt, ts, fs, x)
	} else {
		x = b.resize(x, fs, ts)
	}
	return b.norm(tt, x)
}

// ptrToInt gives the number of a pointer: all of it, or in a Physical32 module
// the form that it has in memory.
func (b *builder) ptrToInt(p *ssa.Value, t *typ) *ssa.Value {
	if b.m.ptrSize == 4 {
		return b.norm(t, b.resize(b.conv(isa.OpPtrPack32, isa.I32, isa.I64, p), isa.I32, t.scalar()))
	}
	return b.norm(t, b.resize(b.addressOf(p), isa.I64, t.scalar()))
}

func (b *builder) intToPtr(x *ssa.Value, t *typ) *ssa.Value {
	if b.m.ptrSize == 4 {
		return b.conv(isa.OpPtrUnpack32, isa.I64, isa.I32, b.resize(x, t.scalar(), isa.I32))
	}
	return b.atAddress(b.resize(x, t.scalar(), isa.I64))
}

// bitcast reinterprets the bits of v. Between scalars of one width nothing
// happens; otherwise the bits are cut into bytes' worth of the narrower
// component and put together again, lowest first.
func (b *builder) bitcast(v []*ssa.Value, from, to *typ) []*ssa.Value {
	fc, tc := from.component(), to.component()
	if fc.kind == kindPointer && tc.kind == kindPointer {
		return v
	}
	if fc.kind == kindPointer {
		// Pointers to integers: through one integer of the pointer's size each.
		it := &typ{kind: kindInt, bits: int(b.m.ptrSize * 8), flat: 1}
		out := make([]*ssa.Value, len(v))
		for i, p := range v {
			out[i] = b.ptrToInt(p, it)
		}
		return b.bitcast(out, vectorOf(it, len(v)), to)
	}
	if tc.kind == kindPointer {
		it := &typ{kind: kindInt, bits: int(b.m.ptrSize * 8), flat: 1}
		out := slices.Clone(b.bitcast(v, from, vectorOf(it, to.flat)))
		for i, x := range out {
			out[i] = b.intToPtr(x, it)
		}
		return out
	}
	if fc.kind == kindBool && tc.kind == kindBool {
		return v
	}
	// A vector of Booleans is as many bits, the first component the lowest: integers of one bit.
	bit := &typ{kind: kindInt, bits: 1, flat: 1}
	if fc.kind == kindBool {
		out := make([]*ssa.Value, len(v))
		for i, x := range v {
			out[i] = b.sel(isa.I8, x, b.imm(isa.I8, 1), b.imm(isa.I8, 0))
		}
		return b.bitcast(out, vectorOf(bit, len(v)), to)
	}
	if tc.kind == kindBool {
		out := slices.Clone(b.bitcast(v, from, vectorOf(bit, to.flat)))
		for i, x := range out {
			out[i] = b.cmp(isa.OpNe, isa.I8, x, b.imm(isa.I8, 0))
		}
		return out
	}
	fb, tb := fc.bits, tc.bits
	fs, ts := fc.scalar(), tc.scalar()
	switch {
	case fb == tb && len(v) == to.flat:
		return v
	case fb*len(v) != tb*to.flat:
		b.fail("the operand has %d bits, the result %d", fb*len(v), tb*to.flat)
	}
	fi, ti := isa.IntOf(fs.Bits()), isa.IntOf(ts.Bits())
	out := make([]*ssa.Value, 0, to.flat)
	switch {
	case fb > tb && fb%tb == 0:
		for _, x := range v {
			for k := 0; k < fb/tb; k++ {
				part := b.bin(isa.OpShrU, fi, x, b.imm(fi, uint64(k*tb)))
				out = append(out, b.norm(tc, b.resize(part, fi, ti)))
			}
		}
	case tb > fb && tb%fb == 0:
		n := tb / fb
		for i := 0; i < len(v); i += n {
			var sum *ssa.Value
			for k := 0; k < n; k++ {
				part := b.bin(isa.OpShl, ti, b.resize(v[i+k], fi, ti), b.imm(ti, uint64(k*fb)))
				if sum == nil {
					sum = part
				} else {
					sum = b.bin(isa.OpOr, ti, sum, part)
				}
			}
			out = append(out, sum)
		}
	default:
		// Neither width divides the other (vectors of three to two, say): bit by bit of the common divisor.
		g := gcd(fb, tb)
		mid := vectorOf(&typ{kind: kindInt, bits: g, flat: 1}, fb*len(v)/g)
		return b.bitcast(b.bitcast(v, from, mid), mid, to)
	}
	return out
}

// vectorOf returns the type of n values of a scalar type; one is no vector.
func vectorOf(t *typ, n int) *typ {
	if n == 1 {
		return t
	}
	return &typ{kind: kindVector, elem: t, count: uint64(n), flat: n}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
