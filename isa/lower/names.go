package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Modules call functions that they only import. names is the one table of
// those that are turned into instructions; whatever is not in it is refused by
// its name.
var names = map[string]func(b *builder, args [][]*value, rt *typ) []*value{
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

	"barrier":            groupBarrier,
	"work_group_barrier": groupBarrier,
	"sub_group_barrier": func(b *builder, _ [][]*value, _ *typ) []*value {
		b.controlBarrier(isa.ScopeSubgroup)
		return nil
	},
	"mem_fence":              fence,
	"read_mem_fence":         fence,
	"write_mem_fence":        fence,
	"atomic_work_item_fence": fence,
}

func groupBarrier(b *builder, _ [][]*value, _ *typ) []*value {
	b.controlBarrier(isa.ScopeWorkgroup)
	return nil
}

func fence(b *builder, _ [][]*value, _ *typ) []*value {
	v := b.f.newValue(isa.OpFence, isa.Void, isa.Void)
	v.imm2 = uint8(isa.ScopeDevice)
	b.add(v)
	return nil
}

// zeroArg is a built-in function without arguments.
func zeroArg(bi spirv.BuiltIn) func(*builder, [][]*value, *typ) []*value {
	return func(b *builder, args [][]*value, rt *typ) []*value {
		if len(args) != 0 || !rt.scalar().IsInt() {
			b.fail("a call of %s takes no arguments and gives an integer", bi)
		}
		return []*value{b.builtin(bi, 0, rt.scalar())}
	}
}

// dimArg is a built-in function of a dimension.
func dimArg(bi spirv.BuiltIn) func(*builder, [][]*value, *typ) []*value {
	return func(b *builder, args [][]*value, rt *typ) []*value {
		if len(args) != 1 || len(args[0]) != 1 || !args[0][0].typ.IsInt() || !rt.scalar().IsInt() {
			b.fail("a call of %s takes a dimension and gives an integer", bi)
		}
		d, s := args[0][0], rt.scalar()
		if d.isConst() {
			if d.imm > 2 {
				return []*value{b.outside(bi, s)}
			}
			return []*value{b.builtin(bi, int(d.imm), s)}
		}
		r := b.outside(bi, s)
		for i := 2; i >= 0; i-- {
			r = b.sel(s, b.cmp(isa.OpEq, d.typ, d, b.imm(d.typ, uint64(i))), b.builtin(bi, i, s), r)
		}
		return []*value{r}
	}
}

// importName returns the name of a function without a body: that under which it
// is imported, or else the one that it has for people.
func (m *module) importName(id spirv.ID) string {
	if w, ok := m.decoration(id, spirv.DecorationLinkageAttributes); ok {
		if s, _, ok := spirv.DecodeString(w); ok {
			return s
		}
	}
	return m.names[id]
}

// imported calls a function that the module has no body for.
func (b *builder) imported(in spirv.Inst, f *function, args [][]*value, rt *typ) []*value {
	name := b.m.importName(f.def.ResultID())
	g := names[plainName(name)]
	if g == nil {
		if out, ok := b.clFunction(in, f, name, args, rt); ok && (rt.kind == kindVoid || len(out) == rt.flat) {
			return out
		}
		b.fail("calls function %q, which the module does not define and lockstep does not know", name)
	}
	out := g(b, args, rt)
	if len(out) != rt.flat && rt.kind != kindVoid {
		b.fail("the call of %q does not have the result that the function gives", name)
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
