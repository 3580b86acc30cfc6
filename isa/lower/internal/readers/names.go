package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Modules call functions that they only import. names is the one table of
// those that are turned into instructions; whatever is not in it is refused by
// its name.
var names = map[string]func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value{
	"get_work_dim":            zeroArg(spirv.BuiltInWorkDim),
	"get_global_linear_id":    zeroArg(spirv.BuiltInGlobalLinearId),
	"get_local_linear_id":     zeroArg(spirv.BuiltInLocalInvocationIndex),
	"get_global_id":           dimArg(spirv.BuiltInGlobalInvocationId),
	"get_local_id":            dimArg(spirv.BuiltInLocalInvocationId),
	"get_group_id":            dimArg(spirv.BuiltInWorkgroupId),
	"get_num_groups":          dimArg(spirv.BuiltInNumWorkgroups),
	"get_local_size":          dimArg(spirv.BuiltInWorkgroupSize),
	"get_enqueued_local_size": dimArg(spirv.BuiltInEnqueuedWorkgroupSize),
	"get_global_size":         dimArg(spirv.BuiltInGlobalSize),
	"get_global_offset":       dimArg(spirv.BuiltInGlobalOffset),

	"get_sub_group_size":          zeroArg(spirv.BuiltInSubgroupSize),
	"get_max_sub_group_size":      zeroArg(spirv.BuiltInSubgroupMaxSize),
	"get_num_sub_groups":          zeroArg(spirv.BuiltInNumSubgroups),
	"get_enqueued_num_sub_groups": zeroArg(spirv.BuiltInNumEnqueuedSubgroups),
	"get_sub_group_id":            zeroArg(spirv.BuiltInSubgroupId),
	"get_sub_group_local_id":      zeroArg(spirv.BuiltInSubgroupLocalInvocationId),
	"get_sub_group_eq_mask":       maskArg(spirv.BuiltInSubgroupEqMask),
	"get_sub_group_ge_mask":       maskArg(spirv.BuiltInSubgroupGeMask),
	"get_sub_group_gt_mask":       maskArg(spirv.BuiltInSubgroupGtMask),
	"get_sub_group_le_mask":       maskArg(spirv.BuiltInSubgroupLeMask),
	"get_sub_group_lt_mask":       maskArg(spirv.BuiltInSubgroupLtMask),

	"__spirv_BuiltInWorkDim":               zeroArg(spirv.BuiltInWorkDim),
	"__spirv_BuiltInGlobalLinearId":        zeroArg(spirv.BuiltInGlobalLinearId),
	"__spirv_BuiltInLocalInvocationIndex":  zeroArg(spirv.BuiltInLocalInvocationIndex),
	"__spirv_BuiltInGlobalInvocationId":    dimArg(spirv.BuiltInGlobalInvocationId),
	"__spirv_BuiltInLocalInvocationId":     dimArg(spirv.BuiltInLocalInvocationId),
	"__spirv_BuiltInWorkgroupId":           dimArg(spirv.BuiltInWorkgroupId),
	"__spirv_BuiltInNumWorkgroups":         dimArg(spirv.BuiltInNumWorkgroups),
	"__spirv_BuiltInWorkgroupSize":         dimArg(spirv.BuiltInWorkgroupSize),
	"__spirv_BuiltInEnqueuedWorkgroupSize": dimArg(spirv.BuiltInEnqueuedWorkgroupSize),
	"__spirv_BuiltInGlobalSize":            dimArg(spirv.BuiltInGlobalSize),
	"__spirv_BuiltInGlobalOffset":          dimArg(spirv.BuiltInGlobalOffset),

	"__spirv_BuiltInSubgroupSize":              zeroArg(spirv.BuiltInSubgroupSize),
	"__spirv_BuiltInSubgroupMaxSize":           zeroArg(spirv.BuiltInSubgroupMaxSize),
	"__spirv_BuiltInNumSubgroups":              zeroArg(spirv.BuiltInNumSubgroups),
	"__spirv_BuiltInNumEnqueuedSubgroups":      zeroArg(spirv.BuiltInNumEnqueuedSubgroups),
	"__spirv_BuiltInSubgroupId":                zeroArg(spirv.BuiltInSubgroupId),
	"__spirv_BuiltInSubgroupLocalInvocationId": zeroArg(spirv.BuiltInSubgroupLocalInvocationId),

	"__spirv_ControlBarrier": func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		if len(args) != 3 || len(args[0]) != 1 || !args[0][0].IsConst() {
			b.Fail("a control barrier takes a constant scope of execution, a scope of memory, and semantics")
		}
		b.ControlBarrier(isa.Scope(min(args[0][0].Imm, 255)), b.OrderOf(args[1][0], args[2][0]))
		return nil
	},
	"__spirv_MemoryBarrier": func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		if len(args) != 2 || len(args[0]) != 1 || len(args[1]) != 1 {
			b.Fail("a memory barrier takes a scope and semantics")
		}
		return build.AddFence(b, b.OrderOf(args[0][0], args[1][0]))
	},

	"barrier":                groupBarrier,
	"work_group_barrier":     groupBarrier,
	"sub_group_barrier":      subgroupBarrier,
	"mem_fence":              fence(isa.OrderAcquire | isa.OrderRelease),
	"read_mem_fence":         fence(isa.OrderAcquire),
	"write_mem_fence":        fence(isa.OrderRelease),
	"atomic_work_item_fence": itemFence,
}

func groupBarrier(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
	b.ControlBarrier(isa.ScopeWorkgroup, fenceFlags(b, args, isa.ScopeWorkgroup, isa.OrderAcquire|isa.OrderRelease))
	return nil
}

func subgroupBarrier(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
	b.ControlBarrier(isa.ScopeSubgroup, fenceFlags(b, args, isa.ScopeSubgroup, isa.OrderAcquire|isa.OrderRelease))
	return nil
}

// fence is mem_fence and its kin: fences of the work-group (OpenCL C 1.2, 6.12.9).
func fence(order isa.MemoryOrder) func(*build.Builder, [][]*ssa.Value, *build.Type) []*ssa.Value {
	return func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		return build.AddFence(b, fenceFlags(b, args, isa.ScopeWorkgroup, order))
	}
}

// itemFence is atomic_work_item_fence: flags, an order and a scope, with the numbers of OpenCL C.
func itemFence(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
	order := fenceFlags(b, args, isa.ScopeDevice, 0)
	if b.Module.Checked && order != isa.OrderAll {
		if len(args) < 3 || len(args[1]) != 1 || len(args[2]) != 1 {
			return build.AddFence(b, isa.OrderAll)
		}
		o := clOrder(b, args[1][0], args[2][0])
		order = (order | o).Within(o.Scope())
	}
	return build.AddFence(b, order)
}

// fenceFlags returns the memory order of a barrier or fence of OpenCL C, whose first argument is a set of
// CLK_LOCAL_MEM_FENCE (1), CLK_GLOBAL_MEM_FENCE (2) and CLK_IMAGE_MEM_FENCE (4). The scope of a barrier's second
// argument is left aside: the work-group's is the least.
func fenceFlags(b *build.Builder, args [][]*ssa.Value, s isa.Scope, order isa.MemoryOrder) isa.MemoryOrder {
	switch {
	case !b.Module.Checked:
		return 0
	case len(args) == 0 || len(args[0]) != 1:
		return isa.OrderAll
	case !args[0][0].IsConst():
		if order == 0 || args[0][0].Type != isa.I32 {
			return isa.OrderAll
		}
		return b.OrderOf(b.Imm(isa.I32, uint64(s)), semanticsOf(b, args[0][0], order))
	}
	order |= isa.OrderKnown | isa.MemoryOrder(s)
	for i, bit := range [...]isa.MemoryOrder{isa.OrderLocal, isa.OrderGlobal, isa.OrderImage} {
		if args[0][0].Imm>>i&1 != 0 {
			order |= bit
		}
	}
	return order
}

// semanticsOf returns the memory semantics of fence flags that are not constant, with an order.
func semanticsOf(b *build.Builder, flags *ssa.Value, order isa.MemoryOrder) *ssa.Value {
	const acquire, release, most = 0x2, 0x4, 0x7
	s := uint64(0)
	if order&isa.OrderAcquire != 0 {
		s |= acquire
	}
	if order&isa.OrderRelease != 0 {
		s |= release
	}
	if s == acquire|release {
		s = 0x8
	}
	// The semantics have Workgroup and CrossWorkgroup eight places above the flags, and Image nine.
	two := b.Bin(isa.OpShl, isa.I32, b.Bin(isa.OpAnd, isa.I32, flags, b.Imm(isa.I32, most>>1)), b.Imm(isa.I32, 8))
	image := b.Bin(isa.OpShl, isa.I32, b.Bin(isa.OpAnd, isa.I32, flags, b.Imm(isa.I32, most&^(most>>1))), b.Imm(isa.I32, 9))
	return b.Bin(isa.OpOr, isa.I32, b.Bin(isa.OpOr, isa.I32, two, image), b.Imm(isa.I32, s))
}

// clOrder returns the scope and the order that values of memory_order and memory_scope of OpenCL C stand for.
func clOrder(b *build.Builder, order, scope *ssa.Value) isa.MemoryOrder {
	if !order.IsConst() || !scope.IsConst() {
		return isa.OrderAll
	}
	scopes := [...]isa.Scope{isa.ScopeInvocation, isa.ScopeWorkgroup, isa.ScopeDevice, isa.ScopeCrossDevice, isa.ScopeSubgroup}
	orders := map[uint64]uint32{0: 0, 1: 0x2, 2: 0x2, 3: 0x4, 4: 0x8, 5: 0x10} // memory_order has the numbers of C11
	s, ok := orders[order.Imm]
	if !ok || scope.Imm >= uint64(len(scopes)) {
		return isa.OrderAll
	}
	return isa.OrderOf(scopes[scope.Imm], s)
}

// zeroArg is a built-in function without arguments.
func zeroArg(bi spirv.BuiltIn) func(*build.Builder, [][]*ssa.Value, *build.Type) []*ssa.Value {
	return func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
		if len(args) != 0 || !rt.Scalar().IsInt() {
			b.Fail("a call of %s takes no arguments and gives an integer", bi)
		}
		return []*ssa.Value{b.Builtin(bi, 0, rt.Scalar())}
	}
}

// maskArg is a built-in function that gives a ballot.
func maskArg(bi spirv.BuiltIn) func(*build.Builder, [][]*ssa.Value, *build.Type) []*ssa.Value {
	return func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
		if len(args) != 0 || rt.Flat != isa.MaxBallotWords || rt.Component().Scalar() != isa.I32 {
			b.Fail("a call of %s takes no arguments and gives four 32-bit integers", bi)
		}
		out := make([]*ssa.Value, isa.MaxBallotWords)
		for d := range out {
			out[d] = b.LaneMask(bi, d)
		}
		return out
	}
}

// dimArg is a built-in function of a dimension.
func dimArg(bi spirv.BuiltIn) func(*build.Builder, [][]*ssa.Value, *build.Type) []*ssa.Value {
	return func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
		if len(args) != 1 || len(args[0]) != 1 || !args[0][0].Type.IsInt() || !rt.Scalar().IsInt() {
			b.Fail("a call of %s takes a dimension and gives an integer", bi)
		}
		d, s := args[0][0], rt.Scalar()
		if d.IsConst() {
			if d.Imm > 2 {
				return []*ssa.Value{b.Outside(bi, s)}
			}
			return []*ssa.Value{b.Builtin(bi, int(d.Imm), s)}
		}
		r := b.Outside(bi, s)
		for i := 2; i >= 0; i-- {
			r = b.Sel(s, b.Cmp(isa.OpEq, d.Type, d, b.Imm(d.Type, uint64(i))), b.Builtin(bi, i, s), r)
		}
		return []*ssa.Value{r}
	}
}

// importName returns the name of a function without a body: that under which it
// is imported, or else the one that it has for people.
func importName(m *build.Module, id spirv.ID) string {
	if w, ok := m.Decoration(id, spirv.DecorationLinkageAttributes); ok {
		if s, _, ok := spirv.DecodeString(w); ok {
			return s
		}
	}
	return m.Names[id]
}

// importHint says why a compiler leaves calls of a function that is not there, "" when that is not plain.
func importHint(name string) string {
	switch {
	case strings.HasPrefix(name, "llvm.vector.reduce."):
		return "; clang has made a vector of a loop: compile with -fno-vectorize -fno-slp-vectorize"
	case strings.HasPrefix(name, "llvm."):
		return "; it is an operation of LLVM that SPIR-V does not have: compile with -O1 or -O0"
	case plainName(name) == name && !strings.HasPrefix(name, "_") && !Resolves(name):
		return "; link the module that defines it, or make it static inline if it is an inline function"
	}
	return ""
}

// Imported calls a function that the module has no body for.
func Imported(b *build.Builder, in spirv.Inst, f *build.Function, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
	name := importName(b.Module, f.Def.ResultID())
	g := names[plainName(name)]
	if g == nil {
		g = muxNames[name]
	}
	if g == nil {
		if out, ok := clFunction(b, in, f, name, args, rt); ok && (rt.Kind == build.KindVoid || len(out) == rt.Flat) {
			return out
		}
		b.Fail("calls function %q, which is neither defined in the module nor a supported built-in function%s", name, importHint(name))
	}
	out := g(b, args, rt)
	if len(out) != rt.Flat && rt.Kind != build.KindVoid {
		b.Fail("the call of %q does not have the result that the function gives", name)
	}
	return out
}

// plainName takes the parameter types off an Itanium-mangled name of a plain
// function: _Z13get_global_idj is get_global_id.
func plainName(s string) string {
	rest, ok := strings.CutPrefix(s, "_Z")
	if !ok {
		return s
	}
	n, i := 0, 0
	for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' && n < 1<<16 {
		n = 10*n + int(rest[i]-'0')
		i++
	}
	if n == 0 || i+n > len(rest) {
		return s
	}
	return rest[i : i+n]
}
