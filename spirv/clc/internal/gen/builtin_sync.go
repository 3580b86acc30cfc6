package gen

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// The values that memory_order and memory_scope have in programs, by the macros __ATOMIC_ and
// __OPENCL_MEMORY_SCOPE_, and what SPIR-V has for them.
var (
	orders = [...]uint64{0: 0, 1: uint64(spirv.MemorySemanticsAcquire),
		2: uint64(spirv.MemorySemanticsAcquire), 3: uint64(spirv.MemorySemanticsRelease),
		4: uint64(spirv.MemorySemanticsAcquireRelease), 5: sequential}
	// What only loads, such as a comparison that fails, cannot release, and what only stores cannot acquire.
	loadOrders  = [...]uint64{0: 0, 1: orders[1], 2: orders[2], 3: 0, 4: orders[2], 5: sequential}
	storeOrders = [...]uint64{0: 0, 1: 0, 2: 0, 3: orders[3], 4: orders[3], 5: sequential}
	scopes      = [...]uint64{0: uint64(spirv.ScopeInvocation), 1: uint64(spirv.ScopeWorkgroup),
		2: uint64(spirv.ScopeDevice),
		3: uint64(spirv.ScopeCrossDevice), 4: uint64(spirv.ScopeSubgroup)}
)

const sequential = uint64(spirv.MemorySemanticsSequentiallyConsistent)

// fenceBits are the bits of fence flags and what memory semantics have for them.
var fenceBits = [...]uint64{uint64(spirv.MemorySemanticsWorkgroupMemory),
	uint64(spirv.MemorySemanticsCrossWorkgroupMemory),
	uint64(spirv.MemorySemanticsImageMemory)}

// choose returns what a table has for an argument, which may be a constant: numbers that the table lacks give the
// last of it.
func (f *fn) choose(e tree.Expr, v spirv.ID, table []uint64) spirv.ID {
	last := len(table) - 1
	if x, ok := literal(e); ok {
		return f.bitsConst(32, table[min(x, uint64(last))])
	}
	r := f.bitsConst(32, table[last])
	for i := last - 1; i >= 0; i-- {
		is := f.op(spirv.OpIEqual, f.boolType(1), v, f.bitsConst(32, uint64(i)))
		r = f.op(spirv.OpSelect, f.intType(32), is, f.bitsConst(32, table[i]), r)
	}
	return r
}

// fenceSemantics returns the memory semantics of fence flags and an order; without flags there are none.
func (f *fn) fenceSemantics(e tree.Expr, flags, order spirv.ID, known uint64) spirv.ID {
	if x, ok := literal(e); ok && order == 0 {
		s := uint64(0)
		for i, b := range fenceBits {
			if x>>i&1 != 0 {
				s |= b
			}
		}
		if s == 0 {
			return f.bitsConst(32, 0)
		}
		return f.bitsConst(32, s|known)
	}
	if order == 0 {
		order = f.bitsConst(32, known)
	}
	s := order
	for i, b := range fenceBits {
		bit := f.op(spirv.OpBitwiseAnd, f.intType(32), flags, f.bitsConst(32, 1<<i))
		set := f.op(spirv.OpINotEqual, f.boolType(1), bit, f.bitsConst(32, 0))
		x := f.op(spirv.OpSelect, f.intType(32), set, f.bitsConst(32, b), f.bitsConst(32, 0))
		s = f.op(spirv.OpBitwiseOr, f.intType(32), s, x)
	}
	return s
}

// barrier is a barrier or a fence.
func (f *fn) barrier(c *tree.CallBuiltin, args []spirv.ID) {
	scope := f.scopeConst(spirv.ScopeWorkgroup)
	switch name := c.Sig.Name; name {
	case "mem_fence", "read_mem_fence", "write_mem_fence":
		order := map[string]spirv.MemorySemantics{"mem_fence": spirv.MemorySemanticsAcquireRelease,
			"read_mem_fence":  spirv.MemorySemanticsAcquire,
			"write_mem_fence": spirv.MemorySemanticsRelease}[name]
		f.do(spirv.OpMemoryBarrier, scope, f.fenceSemantics(c.Args[0], args[0], 0, uint64(order)))
	case "atomic_work_item_fence":
		scope = f.choose(c.Args[2], args[2], scopes[:])
		order := spirv.ID(0)
		known, ok := literal(c.Args[1])
		if known = orders[min(known, uint64(len(orders)-1))]; !ok {
			order = f.choose(c.Args[1], args[1], orders[:])
		} else if known == 0 {
			// A relaxed fence orders nothing.
			return
		}
		f.do(spirv.OpMemoryBarrier, scope, f.fenceSemantics(c.Args[0], args[0], order, known))
	default:
		group := scope
		if strings.HasPrefix(name, "sub_group") {
			f.capability(spirv.CapabilityGroups)
			group = f.scopeConst(spirv.ScopeSubgroup)
		}
		if len(args) == 2 {
			scope = f.choose(c.Args[1], args[1], scopes[:])
		}
		f.do(spirv.OpControlBarrier, group, scope, f.fenceSemantics(c.Args[0], args[0], 0, sequential))
	}
}

// splitBarrier is one half of a barrier: the arrival releases, the wait acquires.
func (f *fn) splitBarrier(c *tree.CallBuiltin, args []spirv.ID) {
	f.extension("SPV_INTEL_split_barrier")
	f.capability(spirv.CapabilitySplitBarrierINTEL)
	o, order := spirv.OpControlBarrierArriveINTEL, spirv.MemorySemanticsRelease
	if strings.HasSuffix(c.Sig.Name, "_wait") {
		o, order = spirv.OpControlBarrierWaitINTEL, spirv.MemorySemanticsAcquire
	}
	group := f.scopeConst(spirv.ScopeWorkgroup)
	scope := group
	if len(args) == 2 {
		scope = f.choose(c.Args[1], args[1], scopes[:])
	}
	f.do(o, group, scope, f.fenceSemantics(c.Args[0], args[0], 0, uint64(order)))
}

// atomicPlace returns scope and semantics of an atomic function: those of OpenCL C 1.x are relaxed, those without
// arguments for them sequentially consistent on the device. first is the number of the argument with the order, and
// table has what the orders mean.
func (f *fn) atomicPlace(c *tree.CallBuiltin, args []spirv.ID, first int, table []uint64) (scope,
	semantics spirv.ID) {
	p := c.Sig.Params[0].Elem
	if p.Q&types.Atomic == 0 {
		scope = f.scopeConst(spirv.ScopeDevice)
		if p.Space() == types.Local {
			scope = f.scopeConst(spirv.ScopeWorkgroup)
		}
		return scope, f.bitsConst(32, 0)
	}
	scope, semantics = f.scopeConst(spirv.ScopeDevice), f.bitsConst(32, sequential)
	if !strings.HasSuffix(c.Sig.Name, "_explicit") {
		return scope, semantics
	}
	semantics = f.choose(c.Args[first], args[first], table)
	last := len(args) - 1
	if last > first && (last-first == 2 || c.Sig.Def.Spaces != builtin.AtomSpaces) {
		scope = f.choose(c.Args[last], args[last], scopes[:])
	}
	return scope, semantics
}

// wideAtoms declares what atomic operations on a type need.
func (f *fn) wideAtoms(t *types.Type) {
	if t.IsInteger() && t.Bits() == 64 {
		f.capability(spirv.CapabilityInt64Atomics)
	}
}

// atomic is an atomic instruction: exchange, read-modify-write.
func (f *fn) atomic(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	t := c.Sig.Params[0].Elem.Type
	o := spirv.Op(f.variant(c))
	typ := f.typeOf(t)
	f.wideAtoms(t)
	n := 1 // the number of operands
	if o != spirv.OpAtomicIIncrement && o != spirv.OpAtomicIDecrement {
		n = 2
	}
	scope, semantics := f.atomicPlace(c, args, n, orders[:])
	if n == 1 {
		return f.op(o, typ, args[0], scope, semantics)
	}
	v := args[1]
	switch o {
	case spirv.OpAtomicFAddEXT:
		f.floatAtoms(t, "SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float16_add",
			spirv.CapabilityAtomicFloat16AddEXT, spirv.CapabilityAtomicFloat32AddEXT,
			spirv.CapabilityAtomicFloat64AddEXT)
		if strings.Contains(c.Sig.Name, "_sub") {
			v = f.op(spirv.OpFNegate, typ, v)
		}
	case spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		const ext = "SPV_EXT_shader_atomic_float_min_max"
		f.floatAtoms(t, ext, ext,
			spirv.CapabilityAtomicFloat16MinMaxEXT, spirv.CapabilityAtomicFloat32MinMaxEXT,
			spirv.CapabilityAtomicFloat64MinMaxEXT)
	}
	return f.op(o, typ, args[0], scope, semantics, v)
}

// floatAtoms declares what operations on atomic floats need.
func (f *fn) floatAtoms(t *types.Type, ext, ext16 string, c16, c32, c64 spirv.Capability) {
	switch t.Kind {
	case types.HalfKind:
		f.extension(ext16)
		f.capability(c16)
	case types.FloatKind:
		f.extension(ext)
		f.capability(c32)
	default:
		f.extension(ext)
		f.capability(c64)
	}
}

// atomicCode emits the other atomic functions.
func (f *fn) atomicCode(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	name := strings.TrimSuffix(c.Sig.Name, "_explicit")
	t := c.Sig.Params[0].Elem.Type
	typ := f.typeOf(t)
	if name != "atomic_init" {
		f.wideAtoms(t)
	}
	switch name {
	case "atomic_init":
		f.do(spirv.OpStore, args[0], args[1], spirv.ID(spirv.MemoryAccessAligned),
			spirv.ID(f.types.AlignOf(t)))
		return 0
	case "atomic_load":
		scope, semantics := f.atomicPlace(c, args, 1, loadOrders[:])
		return f.op(spirv.OpAtomicLoad, typ, args[0], scope, semantics)
	case "atomic_store":
		scope, semantics := f.atomicPlace(c, args, 2, storeOrders[:])
		f.do(spirv.OpAtomicStore, args[0], scope, semantics, args[1])
		return 0
	case "atom_cmpxchg", "atomic_cmpxchg":
		scope, semantics := f.atomicPlace(c, args, 3, orders[:])
		return f.op(spirv.OpAtomicCompareExchange, typ, args[0], scope, semantics, semantics, args[2],
			args[1])
	case "atomic_flag_test_and_set":
		scope, semantics := f.atomicPlace(c, args, 1, orders[:])
		return f.op(spirv.OpAtomicFlagTestAndSet, f.boolType(1), args[0], scope, semantics)
	case "atomic_flag_clear":
		scope, semantics := f.atomicPlace(c, args, 1, storeOrders[:])
		f.do(spirv.OpAtomicFlagClear, args[0], scope, semantics)
		return 0
	case "atomic_compare_exchange_strong", "atomic_compare_exchange_weak":
		return f.compareExchange(c, args)
	}
	f.fail(c.Pos, "the built-in function '%s' is not supported", c.Sig.Name)
	return f.undef(typ)
}

// compareExchange stores what the object had where the expected value was: if they are the same, that changes
// nothing. The instruction is one of integers, so that floats go as their bits.
func (f *fn) compareExchange(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	t := c.Sig.Params[0].Elem.Type
	object, expected, desired := args[0], args[1], args[2]
	spaceOf := func(i int) types.Space { return c.Sig.Params[i].Elem.Space() }
	if t.IsFloat() {
		bits := f.types.SignedOf(t.Bits())
		cast := func(p spirv.ID, s types.Space) spirv.ID {
			return f.op(spirv.OpBitcast, f.pointerTo(types.Qual{Type: bits}.In(s)), p)
		}
		object, expected = cast(object, spaceOf(0)), cast(expected, spaceOf(1))
		desired = f.op(spirv.OpBitcast, f.typeOf(bits), desired)
		t = bits
		f.wideAtoms(t)
	}
	scope, equal := f.atomicPlace(c, args, 3, orders[:])
	unequal := equal
	if len(args) > 4 {
		unequal = f.choose(c.Args[4], args[4], loadOrders[:])
	}
	mask, align := spirv.ID(spirv.MemoryAccessAligned), spirv.ID(f.types.AlignOf(t))
	want := f.op(spirv.OpLoad, f.typeOf(t), expected, mask, align)
	// The weak form has no instruction in SPIR-V 1.4.
	old := f.op(spirv.OpAtomicCompareExchange, f.typeOf(t), object, scope, equal, unequal, desired, want)
	f.do(spirv.OpStore, expected, old, mask, align)
	return f.op(spirv.OpIEqual, f.boolType(1), old, want)
}

// group is an instruction of a work-group or sub-group.
func (f *fn) group(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	e := &c.Sig.Def.Emit
	var list [8]spirv.ID
	operands := append(list[:0], f.scopeConst(e.Scope))
	if e.Operation != builtin.NoOperation {
		operands = append(operands, spirv.ID(e.Operation))
	}
	if e.Kind == builtin.Vote {
		args[0] = f.isNot0(args[0], c.Sig.Params[0].Type)
	}
	operands = append(operands, args...)
	r := c.Sig.Result.Type
	o := spirv.Op(f.variant(c))
	truth := e.Kind == builtin.Vote && !r.IsVector()
	switch o {
	case spirv.OpGroupNonUniformElect, spirv.OpGroupNonUniformAllEqual, spirv.OpGroupNonUniformInverseBallot,
		spirv.OpGroupNonUniformBallotBitExtract:
		truth = true
	}
	if truth {
		return f.boolToInt(f.op(o, f.boolType(1), operands...), r)
	}
	return f.op(o, f.typeOf(r), operands...)
}
