package lower

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// known is what a specialized kernel knows of its launch.
type known struct {
	spec *isa.Specialization
	// value has the built-ins that are known, below has one more than the
	// largest value of others, 0 when that is not known.
	value map[isa.Builtin]uint64
	below map[isa.Builtin]uint64
}

// newKnown derives what follows from a specialization. subgroup is the size of a
// sub-group, 0 when it is not known.
func newKnown(s *isa.Specialization, subgroup int) *known {
	k := &known{spec: s, value: map[isa.Builtin]uint64{}, below: map[isa.Builtin]uint64{}}
	if s.Dim != 0 {
		k.value[isa.BuiltinWorkDim] = uint64(s.Dim)
	}
	items, even := uint64(1), s.Local != nil && s.Global != nil // every group is a whole one
	for d := range 3 {
		at := isa.Builtin(d)
		if s.Offset != nil {
			k.value[isa.BuiltinGlobalOffset+at] = s.Offset[d]
		}
		if s.Global != nil {
			k.value[isa.BuiltinGlobalSize+at] = s.Global[d]
			if s.Offset != nil {
				k.below[isa.BuiltinGlobalID+at] = s.Offset[d] + s.Global[d]
			}
		}
		if s.Local == nil {
			even = false
			continue
		}
		n := uint64(s.Local[d])
		items *= n
		k.value[isa.BuiltinEnqueuedSize+at] = n
		k.below[isa.BuiltinLocalID+at] = n
		k.below[isa.BuiltinLocalSize+at] = n + 1
		if n == 1 {
			k.value[isa.BuiltinLocalSize+at] = 1
		}
		if s.Global == nil {
			continue
		}
		groups := s.Global[d] / n
		if s.Global[d]%n != 0 {
			groups++
			even = false
		} else {
			k.value[isa.BuiltinLocalSize+at] = n
		}
		k.value[isa.BuiltinNumGroups+at] = groups
		k.below[isa.BuiltinGroupID+at] = groups
	}
	if s.Global != nil {
		if hi, lo := bits.Mul64(s.Global[0], s.Global[1]); hi == 0 {
			if hi, lo = bits.Mul64(lo, s.Global[2]); hi == 0 {
				k.below[isa.BuiltinGlobalLinearID] = lo
			}
		}
	}
	if s.Local != nil {
		k.below[isa.BuiltinLocalLinearID] = items
		if subgroup > 0 {
			n := (items + uint64(subgroup) - 1) / uint64(subgroup)
			k.value[isa.BuiltinNumEnqueuedSubgroups] = n
			k.below[isa.BuiltinSubgroupID] = n
			if even {
				k.value[isa.BuiltinNumSubgroups] = n
				if items%uint64(subgroup) == 0 {
					k.value[isa.BuiltinSubgroupSize] = uint64(subgroup)
				}
			}
		}
	}
	if subgroup > 0 {
		k.below[isa.BuiltinSubgroupLocalID] = uint64(subgroup)
	}
	for b, n := range k.below {
		if n == 1 {
			k.value[b] = 0 // there is only one
		}
	}
	return k
}

// arg returns the bits of a part of an argument.
func (k *known) arg(v *value) (uint64, bool) {
	bytes := k.spec.Arg(int(v.index))
	n := uint64(v.typ.Bytes())
	if bytes == nil || v.imm+n > uint64(len(bytes)) {
		return 0, false
	}
	x := uint64(0)
	for i := v.imm + n; i > v.imm; i-- {
		x = x<<8 | uint64(bytes[i-1])
	}
	return x, true
}

// under returns one more than the largest value that v, an unsigned number, can
// have, as far as the launch tells; 0 when it does not.
func (k *known) under(v *value, depth int) uint64 {
	const deepest = 6
	if depth > deepest {
		return 0
	}
	of := func(x *value) uint64 { return k.under(x, depth+1) }
	switch v.op {
	case irConst:
		return v.imm + 1
	case isa.OpBuiltin:
		n := k.below[isa.Builtin(v.imm)]
		if b := v.typ.Bits(); b < 64 && n > 1<<b {
			return 0
		}
		return n
	case isa.OpZExt:
		return of(v.args[0])
	case isa.OpSExt:
		// Nothing is negative that stays below the half.
		if n := of(v.args[0]); n != 0 && n <= 1<<(v.elem.Bits()-1) {
			return n
		}
	case isa.OpTruncate:
		if n := of(v.args[0]); n != 0 && n <= 1<<v.typ.Bits() {
			return n
		}
	case isa.OpAnd:
		if c := v.args[1]; c.isConst() && v.typ != isa.B1 {
			n := c.imm + 1
			if m := of(v.args[0]); m != 0 && (n == 0 || m < n) {
				n = m
			}
			return n
		}
	case isa.OpShrU:
		if n := of(v.args[0]); n != 0 && v.args[1].isConst() {
			return (n-1)>>(v.args[1].imm&uint64(v.typ.Bits()-1)) + 1
		}
	case isa.OpAdd, isa.OpMul:
		x, y := of(v.args[0]), of(v.args[1])
		if x == 0 || y == 0 {
			return 0
		}
		top, carry := bits.Add64(x-1, y-1, 0)
		if v.op == isa.OpMul {
			carry, top = bits.Mul64(x-1, y-1)
		}
		if carry != 0 || top>>(v.typ.Bits()-1)>>1 != 0 {
			return 0
		}
		return top + 1
	}
	return 0
}

// compare decides a comparison with a constant by the bounds of what is compared.
func (k *known) compare(v *value) (result, ok bool) {
	c := v.args[1]
	if !c.isConst() || v.elem == isa.B1 {
		return false, false
	}
	n := k.under(v.args[0], 0)
	if n == 0 {
		return false, false
	}
	half := uint64(1) << (v.elem.Bits() - 1)
	switch v.op {
	case isa.OpLtS, isa.OpLeS:
		if n > half || c.imm >= half {
			return false, false
		}
	case isa.OpEq, isa.OpNe:
		return v.op == isa.OpNe, c.imm >= n
	}
	if v.op == isa.OpLeU || v.op == isa.OpLeS {
		return true, n-1 <= c.imm
	}
	return true, n-1 < c.imm
}
