package readers

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// convert reads the conversion instructions (SPIR-V 3.49.11).
func convert(b *build.Builder, in spirv.Inst) {
	to := b.Module.TypeOf(in.ResultType())
	v, from := b.Vals(spirv.ID(in.Operand(0)))
	switch in.Op() {
	case spirv.OpBitcast:
		b.Set(in, bitcast(b, v, from, to)...)
		b.SameBounds(in.ResultID(), spirv.ID(in.Operand(0)))
		return
	case spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr:
		b.SameBounds(in.ResultID(), spirv.ID(in.Operand(0)))
		b.Set(in, v...)
		return
	case spirv.OpGenericCastToPtrExplicit:
		sp := uint64(build.Space(spirv.StorageClass(in.Operand(1))))
		tag := b.Bin(isa.OpShrU, isa.I64, v[0], b.Imm(isa.I64, 60))
		b.SetOne(in, b.Sel(isa.I64, b.Cmp(isa.OpEq, isa.I64, tag, b.Imm(isa.I64, sp)), v[0], b.Imm(isa.I64, 0)))
		return
	case spirv.OpConvertPtrToU:
		out := make([]*ssa.Value, len(v))
		for i := range v {
			out[i] = ptrToInt(b, v[i], to.Component())
		}
		b.Set(in, out...)
		return
	case spirv.OpConvertUToPtr:
		out := make([]*ssa.Value, len(v))
		for i := range v {
			out[i] = intToPtr(b, v[i], from.Component())
		}
		b.Set(in, out...)
		return
	}
	ft, tt := from.Component(), to.Component()
	fl := isa.Flags(0).WithRound(b.Module.Rounding(in.ResultID()))
	sat := b.Module.Decorated(in.ResultID(), spirv.DecorationSaturatedConversion)
	if len(v) != to.Flat {
		b.Fail("the operand has %d components, the result %d", len(v), to.Flat)
	}
	out := make([]*ssa.Value, len(v))
	for i, x := range v {
		if ft.Small != nil || tt.Small != nil {
			out[i] = convertSmall(b, in.Op(), ft, tt, fl, sat, x, in.ResultID())
			continue
		}
		out[i] = convertScalar(b, in.Op(), ft, tt, fl, sat, x)
	}
	b.Set(in, out...)
}

func convertScalar(b *build.Builder, op spirv.Op, ft, tt *build.Type, fl isa.Flags, sat bool, x *ssa.Value) *ssa.Value {
	fs, ts := ft.Scalar(), tt.Scalar()
	switch op {
	case spirv.OpUConvert:
		if sat {
			return saturate(b, x, ft, tt, false, false)
		}
		return b.Norm(tt, b.Resize(x, fs, ts))
	case spirv.OpSConvert:
		if sat {
			return saturate(b, x, ft, tt, true, true)
		}
		x = b.Signed(ft, x)
		if ts.Bits() > fs.Bits() {
			x = b.Conv(isa.OpSExt, ts, fs, x)
		} else {
			x = b.Resize(x, fs, ts)
		}
		return b.Norm(tt, x)
	case spirv.OpSatConvertSToU:
		return saturate(b, x, ft, tt, true, false)
	case spirv.OpSatConvertUToS:
		return saturate(b, x, ft, tt, false, true)
	case spirv.OpConvertSToF:
		return b.ConvFlags(isa.OpSToF, ts, fs, fl, b.Signed(ft, x))
	case spirv.OpConvertUToF:
		return b.ConvFlags(isa.OpUToF, ts, fs, fl, x)
	case spirv.OpConvertFToS, spirv.OpConvertFToU:
		if sat {
			fl |= isa.FlagSat
		}
		o := isa.OpFToS
		if op == spirv.OpConvertFToU {
			o = isa.OpFToU
		}
		if !sat {
			b.CheckToInt(op, fs, tt, fl, x)
		}
		if !tt.Odd() {
			return b.ConvFlags(o, ts, fs, fl, x)
		}
		// An odd width: convert to 64 bits, then narrow.
		r := b.ConvFlags(o, isa.I64, fs, fl, x)
		wide := &build.Type{Kind: build.KindInt, Bits: 64}
		if sat {
			return saturate(b, r, wide, tt, op == spirv.OpConvertFToS, op == spirv.OpConvertFToS)
		}
		return b.Norm(tt, b.Resize(r, isa.I64, ts))
	case spirv.OpQuantizeToF16:
		return b.Conv(isa.OpFToF, fs, isa.F16, b.Conv(isa.OpFToF, isa.F16, fs, x))
	}
	// OpFConvert.
	if fs == ts {
		return x
	}
	return b.ConvFlags(isa.OpFToF, ts, fs, fl, x)
}

// saturate converts an integer to another type, clamping to its range.
func saturate(b *build.Builder, x *ssa.Value, ft, tt *build.Type, fromSigned, toSigned bool) *ssa.Value {
	fs, ts := ft.Scalar(), tt.Scalar()
	if fromSigned {
		x = b.Signed(ft, x)
	}
	// The bounds of the target, in the source's terms.
	n := uint(tt.Bits)
	if toSigned {
		n--
	}
	srcBits := uint(ft.Bits)
	if fromSigned {
		srcBits--
	}
	if n < srcBits {
		hi := uint64(1)<<n - 1
		if fromSigned {
			x = b.Bin(isa.OpMinS, fs, x, b.Imm(fs, hi))
		} else {
			x = b.Bin(isa.OpMinU, fs, x, b.Imm(fs, hi))
		}
	}
	if fromSigned {
		switch {
		case !toSigned:
			x = b.Bin(isa.OpMaxS, fs, x, b.Imm(fs, 0))
		case n < srcBits:
			x = b.Bin(isa.OpMaxS, fs, x, b.Imm(fs, -(uint64(1)<<n)))
		}
	}
	if fromSigned && ts.Bits() > fs.Bits() {
		x = b.Conv(isa.OpSExt, ts, fs, x)
	} else {
		x = b.Resize(x, fs, ts)
	}
	return b.Norm(tt, x)
}

// ptrToInt gives the number of a pointer: all of it, or in a Physical32 module
// the form that it has in memory.
func ptrToInt(b *build.Builder, p *ssa.Value, t *build.Type) *ssa.Value {
	if b.Module.PtrSize == 4 {
		return b.Norm(t, b.Resize(b.Conv(isa.OpPtrPack32, isa.I32, isa.I64, p), isa.I32, t.Scalar()))
	}
	return b.Norm(t, b.Resize(b.AddressOf(p), isa.I64, t.Scalar()))
}

func intToPtr(b *build.Builder, x *ssa.Value, t *build.Type) *ssa.Value {
	if b.Module.PtrSize == 4 {
		return b.Conv(isa.OpPtrUnpack32, isa.I64, isa.I32, b.Resize(x, t.Scalar(), isa.I32))
	}
	return b.AtAddress(b.Resize(x, t.Scalar(), isa.I64))
}

// bitcast reinterprets the bits of v. Between scalars of one width nothing
// happens; otherwise the bits are cut into bytes' worth of the narrower
// component and put together again, lowest first.
func bitcast(b *build.Builder, v []*ssa.Value, from, to *build.Type) []*ssa.Value {
	fc, tc := from.Component(), to.Component()
	if fc.Kind == build.KindPointer && tc.Kind == build.KindPointer {
		return v
	}
	if fc.Kind == build.KindPointer {
		// Pointers to integers: through one integer of the pointer's size each.
		it := &build.Type{Kind: build.KindInt, Bits: int(b.Module.PtrSize * 8), Flat: 1}
		out := make([]*ssa.Value, len(v))
		for i, p := range v {
			out[i] = ptrToInt(b, p, it)
		}
		return bitcast(b, out, vectorOf(it, len(v)), to)
	}
	if tc.Kind == build.KindPointer {
		it := &build.Type{Kind: build.KindInt, Bits: int(b.Module.PtrSize * 8), Flat: 1}
		out := slices.Clone(bitcast(b, v, from, vectorOf(it, to.Flat)))
		for i, x := range out {
			out[i] = intToPtr(b, x, it)
		}
		return out
	}
	if fc.Kind == build.KindBool && tc.Kind == build.KindBool {
		return v
	}
	// A vector of Booleans is as many bits, the first component the lowest: integers of one bit.
	bit := &build.Type{Kind: build.KindInt, Bits: 1, Flat: 1}
	if fc.Kind == build.KindBool {
		out := make([]*ssa.Value, len(v))
		for i, x := range v {
			out[i] = b.Sel(isa.I8, x, b.Imm(isa.I8, 1), b.Imm(isa.I8, 0))
		}
		return bitcast(b, out, vectorOf(bit, len(v)), to)
	}
	if tc.Kind == build.KindBool {
		out := slices.Clone(bitcast(b, v, from, vectorOf(bit, to.Flat)))
		for i, x := range out {
			out[i] = b.Cmp(isa.OpNe, isa.I8, x, b.Imm(isa.I8, 0))
		}
		return out
	}
	fb, tb := fc.Bits, tc.Bits
	fs, ts := fc.Scalar(), tc.Scalar()
	switch {
	case fb == tb && len(v) == to.Flat:
		return v
	case fb*len(v) != tb*to.Flat:
		b.Fail("the operand has %d bits, the result %d", fb*len(v), tb*to.Flat)
	}
	fi, ti := isa.IntOf(fs.Bits()), isa.IntOf(ts.Bits())
	out := make([]*ssa.Value, 0, to.Flat)
	switch {
	case fb > tb && fb%tb == 0:
		for _, x := range v {
			for k := 0; k < fb/tb; k++ {
				part := b.Bin(isa.OpShrU, fi, x, b.Imm(fi, uint64(k*tb)))
				out = append(out, b.Norm(tc, b.Resize(part, fi, ti)))
			}
		}
	case tb > fb && tb%fb == 0:
		n := tb / fb
		for i := 0; i < len(v); i += n {
			var sum *ssa.Value
			for k := 0; k < n; k++ {
				part := b.Bin(isa.OpShl, ti, b.Resize(v[i+k], fi, ti), b.Imm(ti, uint64(k*fb)))
				if sum == nil {
					sum = part
				} else {
					sum = b.Bin(isa.OpOr, ti, sum, part)
				}
			}
			out = append(out, sum)
		}
	default:
		// Neither width divides the other (vectors of three to two, say): bit by bit of the common divisor.
		g := gcd(fb, tb)
		mid := vectorOf(&build.Type{Kind: build.KindInt, Bits: g, Flat: 1}, fb*len(v)/g)
		return bitcast(b, bitcast(b, v, from, mid), mid, to)
	}
	return out
}

// vectorOf returns the type of n values of a scalar type; one is no vector.
func vectorOf(t *build.Type, n int) *build.Type {
	if n == 1 {
		return t
	}
	return &build.Type{Kind: build.KindVector, Elem: t, Count: uint64(n), Flat: n}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
