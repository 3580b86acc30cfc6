package ssa

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Known is what a specialized kernel knows of its launch.
type Known struct {
	spec *isa.Specialization
	// value has the built-ins that are known, below has one more than the
	// largest value of others, 0 when that is not known.
	Exact map[isa.Builtin]uint64
	Below map[isa.Builtin]uint64
}

// NewKnown derives what follows from a specialization. subgroup is the size of a
// sub-group, 0 when it is not known.
func NewKnown(s *isa.Specialization, subgroup int) *Known {
	k := &Known{spec: s, Exact: map[isa.Builtin]uint64{}, Below: map[isa.Builtin]uint64{}}
	if s.Dim != 0 {
		k.Exact[isa.BuiltinWorkDim] = uint64(s.Dim)
	}
	items, even := uint64(1), s.Local != nil && s.Global != nil // every group is a whole one
	for d := range 3 {
		at := isa.Builtin(d)
		if s.Offset != nil {
			k.Exact[isa.BuiltinGlobalOffset+at] = s.Offset[d]
		}
		if s.Global != nil {
			k.Exact[isa.BuiltinGlobalSize+at] = s.Global[d]
			if s.Offset != nil {
				k.Below[isa.BuiltinGlobalID+at] = s.Offset[d] + s.Global[d]
			}
		}
		if s.Local == nil {
			even = false
			continue
		}
		n := uint64(s.Local[d])
		items *= n
		k.Exact[isa.BuiltinEnqueuedSize+at] = n
		k.Below[isa.BuiltinLocalID+at] = n
		k.Below[isa.BuiltinLocalSize+at] = n + 1
		if n == 1 {
			k.Exact[isa.BuiltinLocalSize+at] = 1
		}
		if s.Global == nil {
			continue
		}
		groups := s.Global[d] / n
		if s.Global[d]%n != 0 {
			groups++
			even = false
		} else {
			k.Exact[isa.BuiltinLocalSize+at] = n
		}
		k.Exact[isa.BuiltinNumGroups+at] = groups
		k.Below[isa.BuiltinGroupID+at] = groups
	}
	if s.Global != nil {
		if hi, lo := bits.Mul64(s.Global[0], s.Global[1]); hi == 0 {
			if hi, lo = bits.Mul64(lo, s.Global[2]); hi == 0 {
				k.Below[isa.BuiltinGlobalLinearID] = lo
			}
		}
	}
	if s.Local != nil {
		k.Below[isa.BuiltinLocalLinearID] = items
		if subgroup > 0 {
			n := (items + uint64(subgroup) - 1) / uint64(subgroup)
			k.Exact[isa.BuiltinNumEnqueuedSubgroups] = n
			k.Below[isa.BuiltinSubgroupID] = n
			if even {
				k.Exact[isa.BuiltinNumSubgroups] = n
				if items%uint64(subgroup) == 0 {
					k.Exact[isa.BuiltinSubgroupSize] = uint64(subgroup)
				}
			}
		}
	}
	if subgroup > 0 {
		k.Below[isa.BuiltinSubgroupLocalID] = uint64(subgroup)
	}
	for b, n := range k.Below {
		if n == 1 {
			k.Exact[b] = 0 // there is only one
		}
	}
	return k
}

// Arg returns the bits of a part of an argument.
func (k *Known) Arg(v *Value) (uint64, bool) {
	bytes := k.spec.Arg(int(v.Index))
	n := uint64(v.Type.Bytes())
	if bytes == nil || v.Imm+n > uint64(len(bytes)) {
		return 0, false
	}
	x := uint64(0)
	for i := v.Imm + n; i > v.Imm; i-- {
		x = x<<8 | uint64(bytes[i-1])
	}
	return x, true
}

// under returns one more than the largest value that v, an unsigned number, can
// have, as far as the launch tells; 0 when it does not.
func (k *Known) under(v *Value, depth int) uint64 {
	const deepest = 6
	if depth > deepest {
		return 0
	}
	of := func(x *Value) uint64 { return k.under(x, depth+1) }
	switch v.Op {
	case OpConst:
		return v.Imm + 1
	case isa.OpBuiltin:
		n := k.Below[isa.Builtin(v.Imm)]
		if b := v.Type.Bits(); b < 64 && n > 1<<b {
			return 0
		}
		return n
	case isa.OpZExt:
		return of(v.Args[0])
	case isa.OpSExt:
		// Nothing is negative that stays below the half.
		if n := of(v.Args[0]); n != 0 && n <= 1<<(v.Elem.Bits()-1) {
			return n
		}
	case isa.OpTruncate:
		if n := of(v.Args[0]); n != 0 && n <= 1<<v.Type.Bits() {
			return n
		}
	case isa.OpAnd:
		if c := v.Args[1]; c.IsConst() && v.Type != isa.B1 {
			n := c.Imm + 1
			if m := of(v.Args[0]); m != 0 && (n == 0 || m < n) {
				n = m
			}
			return n
		}
	case isa.OpShrU:
		if n := of(v.Args[0]); n != 0 && v.Args[1].IsConst() {
			return (n-1)>>(v.Args[1].Imm&uint64(v.Type.Bits()-1)) + 1
		}
	case isa.OpAdd, isa.OpMul:
		x, y := of(v.Args[0]), of(v.Args[1])
		if x == 0 || y == 0 {
			return 0
		}
		top, carry := bits.Add64(x-1, y-1, 0)
		if v.Op == isa.OpMul {
			carry, top = bits.Mul64(x-1, y-1)
		}
		if carry != 0 || top>>(v.Type.Bits()-1)>>1 != 0 {
			return 0
		}
		return top + 1
	}
	return 0
}

// Compare decides a comparison with a constant by the bounds of what is compared.
func (k *Known) Compare(v *Value) (result, ok bool) {
	c := v.Args[1]
	if !c.IsConst() || v.Elem == isa.B1 {
		return false, false
	}
	n := k.under(v.Args[0], 0)
	if n == 0 {
		return false, false
	}
	half := uint64(1) << (v.Elem.Bits() - 1)
	switch v.Op {
	case isa.OpLtS, isa.OpLeS:
		if n > half || c.Imm >= half {
			return false, false
		}
	case isa.OpEq, isa.OpNe:
		return v.Op == isa.OpNe, c.Imm >= n
	}
	if v.Op == isa.OpLeU || v.Op == isa.OpLeS {
		return true, n-1 <= c.Imm
	}
	return true, n-1 < c.Imm
}
