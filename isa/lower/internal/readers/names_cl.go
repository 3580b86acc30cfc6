package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Compilers turn the functions of OpenCL C into instructions, but each of them
// leaves some as calls of an imported function with the Itanium-mangled name:
// the atomics and conversions of certain types, integer dot products, whatever
// a back end has no pattern for. Pointers have lost their pointee on the way,
// and integers their sign; the mangled parameter types still tell it.

// clCall is a call of a function of OpenCL C.
type clCall struct {
	in    spirv.Inst
	name  string // without the parameter types
	code  byte   // mangled scalar type of the first parameter, 0 when unknown
	codes string // mangled scalar types of all parameters
	// element is the size of what the first pointer parameter leads to as the
	// mangled name has it, or 0.
	element uint64
	args    [][]*ssa.Value
	types   []*build.Type
	rt      *build.Type
}

// clFunction turns the call of the function with this mangled name into
// instructions; false when it is none that OpenCL C has, or none without a
// type in its name where one is needed.
func clFunction(b *build.Builder, in spirv.Inst, f *build.Function, mangled string, args [][]*ssa.Value, rt *build.Type) ([]*ssa.Value, bool) {
	name := plainName(mangled)
	c := &clCall{in: in, name: name, args: args, rt: rt}
	if i := strings.Index(mangled, name); name != mangled && i >= 0 {
		c.codes = scalarCodes(mangled[i+len(name):])
		c.element = elementSize(mangled[i+len(name):])
	}
	if c.codes != "" {
		c.code = c.codes[0]
	}
	for _, p := range f.Params {
		c.types = append(c.types, b.Module.TypeOf(p.ResultType()))
	}
	for _, family := range [...]func(*build.Builder, *clCall) ([]*ssa.Value, bool){
		clAsync, clPipe, clImage, clImageBlock, clGroup, spirvGroup,
		clAtomic, clConvert, clDot, clAddress, clStandard,
	} {
		if out, ok := family(b, c); ok {
			return out, true
		}
	}
	return nil, false
}

// scalarCodes returns the letter of the scalar type of each parameter in
// Itanium-mangled parameter types, vectors and pointers looked through: "ij"
// for PU3AS1Dv4_iS_j is not known exactly, as a substitution (S_) repeats what
// came before; it is given as the letter before it. Half is 'D', a named type '?'.
func scalarCodes(s string) string {
	var out []byte
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case strings.IndexByte("PKVr", c) >= 0:
			i++
		case c == 'U':
			n, w := number(s[i+1:])
			i += 1 + w + n
		case strings.HasPrefix(s[i:], "Dv"):
			_, w := number(s[i+2:])
			i += 2 + w
			if i < len(s) && s[i] == '_' {
				i++
			}
		case strings.HasPrefix(s[i:], "Dh"):
			out = append(out, 'D')
			i += 2
		case c == 'S':
			for i++; i < len(s) && s[i] != '_'; i++ {
			}
			i++
			if len(out) > 0 {
				out = append(out, out[len(out)-1])
			}
		case c >= '0' && c <= '9':
			n, w := number(s[i:])
			out = append(out, '?')
			i += w + n
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out)
}

// number reads a decimal number: its value, limited, and its length.
func number(s string) (n, width int) {
	for width < len(s) && s[width] >= '0' && s[width] <= '9' {
		if n < 1<<16 {
			n = 10*n + int(s[width]-'0')
		}
		width++
	}
	return n, width
}

func signedCode(c byte) bool { return strings.IndexByte("casilx", c) >= 0 }
func floatCode(c byte) bool  { return strings.IndexByte("Dfd", c) >= 0 }
func intCode(c byte) bool    { return strings.IndexByte("cahstijlmxy", c) >= 0 }

// clAtomicOps has the read-modify-write functions by the last part of their
// name: for signed and unsigned integers and for floats, AtomicLoad where
// there is none.
var clAtomicOps = map[string]struct{ signed, unsigned, float isa.AtomicOp }{
	"add": {isa.AtomicAdd, isa.AtomicAdd, isa.AtomicFAdd}, "sub": {isa.AtomicSub, isa.AtomicSub, isa.AtomicLoad},
	"min": {isa.AtomicMinS, isa.AtomicMinU, isa.AtomicFMin}, "max": {isa.AtomicMaxS, isa.AtomicMaxU, isa.AtomicFMax},
	"and": {isa.AtomicAnd, isa.AtomicAnd, isa.AtomicLoad}, "or": {isa.AtomicOr, isa.AtomicOr, isa.AtomicLoad},
	"xor":  {isa.AtomicXor, isa.AtomicXor, isa.AtomicLoad},
	"xchg": {isa.AtomicXchg, isa.AtomicXchg, isa.AtomicXchg}, "exchange": {isa.AtomicXchg, isa.AtomicXchg, isa.AtomicXchg},
}

// clAtomic reads the atomic functions of OpenCL C 1.x (atomic_add and its
// atom_add of the extensions) and of 2.0 (atomic_fetch_add, _explicit or not).
// Every access here is sequentially consistent: order and scope are for checks.
func clAtomic(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	op, ok := strings.CutPrefix(c.name, "atomic_")
	if !ok {
		if op, ok = strings.CutPrefix(c.name, "atom_"); !ok {
			return nil, false
		}
	}
	op = strings.TrimPrefix(strings.TrimSuffix(op, "_explicit"), "fetch_")
	if len(c.types) == 0 || c.types[0].Kind != build.KindPointer {
		return nil, false
	}
	sp := c.types[0].Space()
	order := clAtomicOrder(b, c, op)
	emit := func(result isa.Type, t isa.Type, a isa.AtomicOp, args ...*ssa.Value) *ssa.Value {
		switch t {
		case isa.I32, isa.I64, isa.F32, isa.F64:
		default:
			b.Fail("atomics on %s are not supported", t)
		}
		v := b.Func.NewValue(isa.OpAtomic, result, t, append([]*ssa.Value{c.args[0][0]}, args...)...)
		v.Imm2, v.Space, v.Imm = uint8(a), sp, uint64(order)
		return b.Add(v)
	}
	// operand returns argument i, which must be a scalar.
	operand := func(i int) (*ssa.Value, isa.Type) {
		if i >= len(c.types) || len(c.args[i]) != 1 {
			b.Fail("a call of %s has no scalar argument %d", c.name, i)
		}
		return c.args[i][0], c.types[i].Scalar()
	}
	if x, ok := clAtomicOps[op]; ok {
		v, t := operand(1)
		a := x.unsigned
		switch {
		case t.IsFloat() && op == "sub":
			a, v = isa.AtomicFAdd, b.Un(isa.OpFNeg, t, v)
		case t.IsFloat():
			a = x.float
		case signedCode(c.code):
			a = x.signed
		}
		if a == isa.AtomicLoad {
			b.Fail("%s of %s does not exist", c.name, t)
		}
		return []*ssa.Value{emit(t, t, a, v)}, true
	}
	switch op {
	case "inc", "dec":
		t, a := c.rt.Scalar(), isa.AtomicAdd
		if op == "dec" {
			a = isa.AtomicSub
		}
		if !t.IsInt() {
			b.Fail("%s of %s does not exist", c.name, t)
		}
		return []*ssa.Value{emit(t, t, a, b.Imm(t, 1))}, true
	case "load":
		t := c.rt.Scalar()
		return []*ssa.Value{emit(t, t, isa.AtomicLoad)}, true
	case "store", "init":
		v, t := operand(1)
		emit(isa.Void, t, isa.AtomicStore, v)
		return nil, true
	case "cmpxchg":
		cmp, t := operand(1)
		v, _ := operand(2)
		return []*ssa.Value{emit(t, t, isa.AtomicCmpXchg, v, cmp)}, true
	case "compare_exchange_strong", "compare_exchange_weak":
		at, _ := operand(1)
		v, t := operand(2)
		ea := build.MemoryAccess(c.types[1], nil)
		expected := b.LoadScalar(at, c.types[2], ea)
		old := emit(t, t, isa.AtomicCmpXchg, v, expected)
		b.StoreScalar(at, c.types[2], old, ea)
		it := isa.IntOf(t.Bits())
		return truth(b, b.Cmp(isa.OpEq, it, old, expected), c.rt), true
	case "flag_test_and_set":
		old := emit(isa.I32, isa.I32, isa.AtomicXchg, b.Imm(isa.I32, 1))
		return truth(b, b.Cmp(isa.OpNe, isa.I32, old, b.Imm(isa.I32, 0)), c.rt), true
	case "flag_clear":
		emit(isa.Void, isa.I32, isa.AtomicStore, b.Imm(isa.I32, 0))
		return nil, true
	}
	return nil, false
}

// clAtomicOrder returns the memory order of an atomic function of OpenCL C: relaxed for those of 1.x, sequentially
// consistent for those of 2.0 (6.15.12.7) unless their last arguments say otherwise.
func clAtomicOrder(b *build.Builder, c *clCall, op string) isa.MemoryOrder {
	const seqCst = 0x10
	if !b.Module.Checked {
		return 0
	}
	operands := 2
	switch op {
	case "load", "flag_test_and_set", "flag_clear":
		operands = 1
	case "compare_exchange_strong", "compare_exchange_weak":
		operands = 3
	}
	explicit := strings.HasSuffix(c.name, "_explicit")
	switch {
	case explicit && len(c.args) > operands && len(c.args[operands]) == 1:
		device := b.Imm(isa.I32, 2)
		scope, last := device, len(c.args)-1
		if operands == 3 {
			operands++ // behind the order for success comes that for failure
		}
		if last > operands && len(c.args[last]) == 1 {
			scope = c.args[last][0]
		}
		return clOrder(b, c.args[min(operands, 3)][0], scope)
	case strings.HasPrefix(op, "flag_"), strings.HasPrefix(op, "compare_"), op == "load", op == "store", op == "exchange",
		strings.Contains(c.name, "_fetch_"):
		return isa.OrderOf(isa.ScopeDevice, seqCst)
	}
	return isa.OrderOf(isa.ScopeDevice, 0)
}

// truth gives a Boolean in the type that a function returns it in.
func truth(b *build.Builder, v *ssa.Value, t *build.Type) []*ssa.Value {
	if s := t.Scalar(); s.IsInt() && t.Kind == build.KindInt {
		v = b.Sel(s, v, b.Imm(s, 1), b.Imm(s, 0))
	}
	return []*ssa.Value{v}
}

// clTypes has the scalar types of OpenCL C by their name in conversions.
var clTypes = map[string]struct{ float, signed bool }{
	"char": {false, true}, "uchar": {}, "short": {false, true}, "ushort": {}, "int": {false, true}, "uint": {}, "long": {false, true}, "ulong": {},
	"half": {float: true}, "float": {float: true}, "double": {float: true},
}

var clRounds = map[string]isa.Round{"rte": isa.RoundRTE, "rtz": isa.RoundRTZ, "rtp": isa.RoundRTP, "rtn": isa.RoundRTN}

// clConvert reads convert_TYPE[n][_sat][_rtX] (OpenCL C 6.3.3).
func clConvert(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	rest, ok := strings.CutPrefix(c.name, "convert_")
	if !ok || len(c.args) != 1 || c.code == 0 {
		return nil, false
	}
	parts := strings.Split(rest, "_")
	dst, ok := clTypes[strings.TrimRight(parts[0], "0123456789")]
	if !ok {
		return nil, false
	}
	fl, sat := isa.Flags(0), false
	for _, p := range parts[1:] {
		r, round := clRounds[p]
		switch {
		case round:
			fl = fl.WithRound(r)
		case p == "sat":
			sat = true
		default:
			return nil, false
		}
	}
	ft, tt := c.types[0].Component(), c.rt.Component()
	if len(c.args[0]) != c.rt.Flat || floatCode(c.code) != (ft.Kind == build.KindFloat) || dst.float != (tt.Kind == build.KindFloat) ||
		intCode(c.code) != (ft.Kind == build.KindInt) || !dst.float && tt.Kind != build.KindInt {
		b.Fail("the types of the call of %s are not those that its name says", c.name)
	}
	var op spirv.Op
	switch from := signedCode(c.code); {
	case dst.float && ft.Kind == build.KindFloat:
		op = spirv.OpFConvert
	case dst.float && from:
		op = spirv.OpConvertSToF
	case dst.float:
		op = spirv.OpConvertUToF
	case ft.Kind == build.KindFloat && dst.signed:
		op = spirv.OpConvertFToS
	case ft.Kind == build.KindFloat:
		op = spirv.OpConvertFToU
	case sat && from && !dst.signed:
		op = spirv.OpSatConvertSToU
	case sat && !from && dst.signed:
		op = spirv.OpSatConvertUToS
	case from:
		op = spirv.OpSConvert
	default:
		op = spirv.OpUConvert
	}
	out := make([]*ssa.Value, c.rt.Flat)
	for i, x := range c.args[0] {
		out[i] = convertScalar(b, op, ft, tt, fl, sat, x)
	}
	return out, true
}

// clDot reads the integer dot products of OpenCL C 6.15.8: dot and dot_acc_sat
// of vectors of bytes, and of bytes packed into integers.
func clDot(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	name, packed := c.name, ""
	acc := false
	if rest, ok := strings.CutPrefix(name, "dot_acc_sat"); ok {
		acc, name = true, "dot"+rest
	}
	if rest, ok := strings.CutPrefix(name, "dot_4x8packed_"); ok {
		packed, _, _ = strings.Cut(rest, "_")
		name = "dot"
	}
	if name != "dot" || len(c.codes) < 2 || packed == "" && !intCode(c.code) || len(c.args) < 2 || acc && len(c.args) < 3 {
		return nil, false
	}
	sign := [2]bool{signedCode(c.codes[0]), signedCode(c.codes[1])}
	switch packed {
	case "":
	case "uu", "ss", "us", "su":
		sign = [2]bool{packed[0] == 's', packed[1] == 's'}
	default:
		return nil, false
	}
	d := dotProduct{t: wholeWidth(b, c.rt), signed: sign}
	for i := range d.x {
		d.x[i], d.ct[i] = c.args[i], c.types[i].Component()
	}
	if acc {
		d.acc = c.args[2]
	}
	return []*ssa.Value{integerDot(b, d, packed != "")}, true
}

// clAddress reads the functions that ask where a generic pointer leads.
func clAddress(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	if len(c.types) == 0 || c.types[0].Kind != build.KindPointer {
		return nil, false
	}
	p := c.args[0][0]
	in := func(s isa.Space) *ssa.Value {
		return b.Cmp(isa.OpEq, isa.I64, b.Bin(isa.OpShrU, isa.I64, p, b.Imm(isa.I64, 60)), b.Imm(isa.I64, uint64(s)))
	}
	to, ok := map[string]isa.Space{
		"__to_global": isa.SpaceGlobal, "__to_local": isa.SpaceLocal, "__to_private": isa.SpacePrivate,
		"to_global": isa.SpaceGlobal, "to_local": isa.SpaceLocal, "to_private": isa.SpacePrivate,
	}[c.name]
	switch {
	case ok && c.rt.Kind == build.KindPointer:
		return []*ssa.Value{b.Sel(isa.I64, in(to), p, b.Imm(isa.I64, 0))}, true
	case c.name == "get_fence" && c.rt.Kind == build.KindInt:
		// CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2; private memory has neither.
		s := c.rt.Scalar()
		return []*ssa.Value{b.Sel(s, in(isa.SpaceGlobal), b.Imm(s, 2), b.Sel(s, in(isa.SpaceLocal), b.Imm(s, 1), b.Imm(s, 0)))}, true
	}
	return nil, false
}

// clStandard reads the functions that are instructions of OpenCL.std.
func clStandard(b *build.Builder, c *clCall) ([]*ssa.Value, bool) {
	set, ok := spirv.LookupExtInstSet("OpenCL.std")
	if !ok || len(c.types) == 0 {
		return nil, false
	}
	name := strings.TrimPrefix(c.name, "__spirv_ocl_")
	ct := c.types[0].Component()
	var candidates []string
	switch {
	case floatCode(c.code) && ct.Kind == build.KindFloat:
		candidates = []string{name, map[string]string{"max": "fmax_common", "min": "fmin_common", "clamp": "fclamp"}[name]}
	case intCode(c.code) && ct.Kind == build.KindInt:
		prefix := "u_"
		if signedCode(c.code) {
			prefix = "s_"
		}
		candidates = []string{prefix + name, name}
	default:
		return nil, false
	}
	for _, n := range candidates {
		x, ok := set.InstNamed(n)
		if !ok || len(x.Operands) != len(c.args) {
			continue
		}
		switch c.rt.Kind {
		case build.KindInt, build.KindFloat, build.KindVector:
		default:
			return nil, false
		}
		openCL(b, c.in, x.Number, c.in.Operands()[1:])
		return b.Local(c.in.ResultID()), true
	}
	return nil, false
}
