package readers

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// The built-in functions of ComputeMux by their names (its compiler
// specification, "Mux builtins"): work-item functions, barriers and group
// operations. Those of groups are overloaded by type, so their names are made
// here from the lists of groups, operations and types. Types that scale with a
// vector length do not exist in SPIR-V.

// muxFunc is what a name of the table stands for.
type muxFunc = func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value

// muxNames has the functions by name.
var muxNames = makeMuxNames()

// muxType is a type that a function is overloaded for.
type muxType struct {
	name  string // mangled: i32, f64, v4i16
	t     isa.Type
	count int // of components
}

// muxTypes has the scalars, muxVectors those and the vectors of them.
var muxTypes, muxVectors = func() (s, v []muxType) {
	for t := isa.B1; t <= isa.F64; t++ {
		letter := "i"
		if t.IsFloat() {
			letter = "f"
		}
		s = append(s, muxType{fmt.Sprintf("%s%d", letter, t.Bits()), t, 1})
	}
	v = append(v, s...)
	for _, x := range s {
		for n := 1; n <= 16; n++ {
			v = append(v, muxType{fmt.Sprintf("v%d%s", n, x.name), x.t, n})
		}
	}
	return s, v
}()

// muxOps has the operations of reductions and scans.
var muxOps = []struct {
	name  string
	op    isa.ScanOp
	types isa.TypeSet
}{
	{"add", isa.ScanAdd, isa.SetInt}, {"fadd", isa.ScanFAdd, isa.SetFloats}, {"mul", isa.ScanMul, isa.SetInt}, {"fmul", isa.ScanFMul, isa.SetFloats},
	{"smin", isa.ScanMinS, isa.SetInt}, {"umin", isa.ScanMinU, isa.SetInt}, {"fmin", isa.ScanFMin, isa.SetFloats},
	{"smax", isa.ScanMaxS, isa.SetInt}, {"umax", isa.ScanMaxU, isa.SetInt}, {"fmax", isa.ScanFMax, isa.SetFloats},
	{"and", isa.ScanAnd, isa.SetInt | isa.SetBool}, {"or", isa.ScanOr, isa.SetInt | isa.SetBool}, {"xor", isa.ScanXor, isa.SetInt | isa.SetBool},
	{"logical_and", isa.ScanAnd, isa.SetBool}, {"logical_or", isa.ScanOr, isa.SetBool}, {"logical_xor", isa.ScanXor, isa.SetBool},
}

var muxKinds = []struct {
	name string
	kind isa.ScanKind
}{{"reduce", isa.ScanReduce}, {"scan_inclusive", isa.ScanInclusive}, {"scan_exclusive", isa.ScanExclusive}}

func makeMuxNames() map[string]muxFunc {
	m := map[string]muxFunc{
		"__mux_isftz":              muxNo, // denormals are kept
		"__mux_usefast":            muxNo, // results are exact
		"__mux_isembeddedprofile":  muxNo,
		"__mux_mem_barrier":        muxBarrier(0, func(b *build.Builder, o isa.MemoryOrder) { build.AddFence(b, o) }),
		"__mux_work_group_barrier": muxBarrier(1, func(b *build.Builder, o isa.MemoryOrder) { b.ControlBarrier(isa.ScopeWorkgroup, o) }),
		"__mux_sub_group_barrier":  muxBarrier(1, func(b *build.Builder, o isa.MemoryOrder) { b.ControlBarrier(isa.ScopeSubgroup, o) }),
	}
	for name, f := range names {
		if strings.HasPrefix(name, "get_") {
			m["__mux_"+name] = f
		}
	}
	for _, t := range muxTypes {
		if t.t == isa.B1 {
			for name, op := range map[string]isa.ScanOp{"any": isa.ScanOr, "all": isa.ScanAnd} {
				m["__mux_sub_group_"+name+"_i1"] = muxScan(isa.ScopeSubgroup, isa.ScanReduce, op, t)
				m["__mux_work_group_"+name+"_i1"] = muxScan(isa.ScopeWorkgroup, isa.ScanReduce, op, t)
			}
		}
		for _, k := range muxKinds {
			for _, o := range muxOps {
				if o.types.Has(t.t) {
					suffix := k.name + "_" + o.name + "_" + t.name
					m["__mux_sub_group_"+suffix] = muxScan(isa.ScopeSubgroup, k.kind, o.op, t)
					m["__mux_work_group_"+suffix] = muxScan(isa.ScopeWorkgroup, k.kind, o.op, t)
				}
			}
		}
		m["__mux_sub_group_broadcast_"+t.name] = muxBroadcast(isa.ScopeSubgroup, t)
		m["__mux_work_group_broadcast_"+t.name] = muxBroadcast(isa.ScopeWorkgroup, t)
		m["__mux_sub_group_shuffle_"+t.name] = muxShuffle(spirv.OpSubgroupShuffleINTEL, t, 1)
		m["__mux_sub_group_shuffle_xor_"+t.name] = muxShuffle(spirv.OpSubgroupShuffleXorINTEL, t, 1)
		m["__mux_sub_group_shuffle_up_"+t.name] = muxShuffle(spirv.OpSubgroupShuffleUpINTEL, t, 2)
		m["__mux_sub_group_shuffle_down_"+t.name] = muxShuffle(spirv.OpSubgroupShuffleDownINTEL, t, 2)
	}
	for _, t := range muxVectors {
		if t.t == isa.B1 {
			m["__mux_vec_group_any_"+t.name] = muxVector(isa.ScanReduce, isa.ScanOr, t)
			m["__mux_vec_group_all_"+t.name] = muxVector(isa.ScanReduce, isa.ScanAnd, t)
		}
		for _, k := range muxKinds {
			for _, o := range muxOps {
				if o.types.Has(t.t) {
					m["__mux_vec_group_"+k.name+"_"+o.name+"_"+t.name] = muxVector(k.kind, o.op, t)
				}
			}
		}
		m["__mux_vec_group_broadcast_"+t.name] = muxPick(t)
	}
	return m
}

// muxBarrier is a barrier or fence with a scope and semantics behind so many
// other arguments. Constant ones must be of the enumerations MemScope and
// MemSemantics, which have the numbers of SPIR-V. Every barrier orders all
// memory for everybody, whatever they ask for; only checks look at them.
func muxBarrier(at int, f func(*build.Builder, isa.MemoryOrder)) muxFunc {
	return func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		v := muxInts(b, args, at, 2)
		const orders, memory = 0x1e, 0x380
		if scope := v[0]; scope.IsConst() && scope.Imm > uint64(isa.ScopeInvocation) {
			b.Fail("%d is no memory scope", scope.Imm)
		}
		if s := v[1]; s.IsConst() && (s.Imm&^(orders|memory) != 0 || s.Imm&orders&(s.Imm&orders-1) != 0) {
			b.Fail("%#x are no memory semantics: one order of 0x2, 0x4, 0x8 and 0x10, and memories of 0x80, 0x100 and 0x200", s.Imm)
		}
		f(b, b.OrderOf(v[0], v[1]))
		return nil
	}
}

func muxNo(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
	if len(args) != 0 || rt.Flat != 1 {
		b.Fail("the function takes no arguments and gives one value")
	}
	return []*ssa.Value{b.Imm(rt.Scalar(), 0)}
}

// muxValue checks that an argument is of a type, and returns it.
func muxValue(b *build.Builder, args [][]*ssa.Value, i int, t muxType) []*ssa.Value {
	if i >= len(args) || len(args[i]) != t.count || args[i][0].Type.Bits() != t.t.Bits() {
		b.Fail("argument %d of the function is no %s", i, t.name)
	}
	return args[i]
}

// muxInts checks that the arguments from i on are n integers, and returns them.
func muxInts(b *build.Builder, args [][]*ssa.Value, i, n int) []*ssa.Value {
	var out []*ssa.Value
	for _, a := range args[min(i, len(args)):] {
		if len(a) == 1 && a[0].Type.IsInt() {
			out = append(out, a[0])
		}
	}
	if len(args) != i+n || len(out) != n {
		b.Fail("the function takes %d arguments, integers from the one with number %d on", i+n, i)
	}
	return out
}

// muxScan is any, all, a reduction or a scan. Work-group functions take the
// identifier of a barrier first, which says nothing here.
func muxScan(s isa.Scope, kind isa.ScanKind, op isa.ScanOp, t muxType) muxFunc {
	return func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		at := 0
		if s == isa.ScopeWorkgroup {
			at = 1
		}
		x := muxValue(b, args, at, t)
		muxInts(b, args, at+1, 0)
		return scanAll(b, s, true, kind, op, t.t, x)
	}
}

func muxBroadcast(s isa.Scope, t muxType) muxFunc {
	return func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		if s == isa.ScopeWorkgroup {
			x := muxValue(b, args, 1, t)
			return workgroupBroadcast(b, t.t, x, muxInts(b, args, 2, 3))
		}
		x := muxValue(b, args, 0, t)
		lane := muxInts(b, args, 1, 1)[0]
		return shuffle(b, t.t, x, b.Resize(lane, lane.Type, isa.I32), isa.FlagUniform, isa.ShuffleSame)
	}
}

// muxShuffle is a shuffle of so many values, which are those of the instruction.
func muxShuffle(op spirv.Op, t muxType, values int) muxFunc {
	return func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
		g := groupCall{op: op, rt: rt}
		for i := range values {
			g.a, g.t = append(g.a, muxValue(b, args, i, t)), append(g.t, rt)
		}
		g.a, g.t = append(g.a, muxInts(b, args, values, 1)), append(g.t, nil)
		return groupOp(b, &g)
	}
}

// muxVector is an operation over the components of one lane, in ascending
// order. A scan gives as many components.
func muxVector(kind isa.ScanKind, op isa.ScanOp, t muxType) muxFunc {
	return func(b *build.Builder, args [][]*ssa.Value, rt *build.Type) []*ssa.Value {
		x := muxValue(b, args, 0, t)
		muxInts(b, args, 1, 0)
		acc := x[0]
		if t.t.IsFloat() {
			// A NaN becomes the canonical one, as in every scan.
			nan := scanIdentity(isa.ScanFMin, t.t) | 1<<(map[isa.Type]int{isa.F16: 9, isa.F32: 22, isa.F64: 51}[t.t])
			acc = b.Sel(t.t, b.FCmp(isa.OpFUno, t.t, acc, acc), b.Imm(t.t, nan), acc)
		}
		out := []*ssa.Value{acc}
		if kind == isa.ScanExclusive {
			out[0] = b.Imm(t.t, scanIdentity(op, t.t))
		}
		for _, v := range x[1:] {
			if kind == isa.ScanExclusive {
				out = append(out, acc)
			}
			acc = combine(b, op, t.t, acc, v)
			if kind == isa.ScanInclusive {
				out = append(out, acc)
			}
		}
		if kind == isa.ScanReduce {
			return []*ssa.Value{acc}
		}
		return out
	}
}

// muxPick is the broadcast of a component; 0 where it does not exist.
func muxPick(t muxType) muxFunc {
	return func(b *build.Builder, args [][]*ssa.Value, _ *build.Type) []*ssa.Value {
		x := muxValue(b, args, 0, t)
		i := muxInts(b, args, 1, 1)[0]
		r := b.Imm(t.t, 0)
		for c, v := range x {
			r = b.Sel(t.t, b.Cmp(isa.OpEq, i.Type, i, b.Imm(i.Type, uint64(c))), v, r)
		}
		return []*ssa.Value{r}
	}
}

// scanIdentity returns the bits of an operation's identity.
func scanIdentity(op isa.ScanOp, t isa.Type) uint64 {
	float := func(half, single, double uint64) uint64 {
		return map[isa.Type]uint64{isa.F16: half, isa.F32: single, isa.F64: double}[t]
	}
	ones := ^uint64(0) >> (64 - t.Bits())
	switch op {
	case isa.ScanMul:
		return 1
	case isa.ScanMinS:
		return ones >> 1
	case isa.ScanMaxS:
		return ones>>1 + 1
	case isa.ScanMinU, isa.ScanAnd:
		return ones
	case isa.ScanFMul:
		return float(0x3c00, 0x3f800000, 0x3ff<<52)
	case isa.ScanFMin:
		return float(0x7c00, 0x7f800000, 0x7ff<<52)
	case isa.ScanFMax:
		return float(0xfc00, 0xff800000, 0xfff<<52)
	}
	return 0
}
