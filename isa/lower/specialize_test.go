package lower_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// rangeBuiltins are the built-in variables of three size_t.
var rangeBuiltins = []string{"LocalInvocationId", "GlobalInvocationId", "WorkgroupId", "NumWorkgroups", "WorkgroupSize", "EnqueuedWorkgroupSize", "GlobalSize", "GlobalOffset"}

// oneBuiltins are those of one 32-bit number.
var oneBuiltins = []string{"WorkDim", "SubgroupSize", "SubgroupMaxSize", "NumSubgroups", "NumEnqueuedSubgroups", "SubgroupId", "SubgroupLocalInvocationId"}

// wideBuiltins are those of one size_t.
var wideBuiltins = []string{"GlobalLinearId", "LocalInvocationIndex"}

// specialKernel returns a random kernel f(global uint *out, uint a, uint b, ulong c)
// that makes of built-ins and arguments three numbers for each work-item.
func specialKernel(r *rand.Rand) string {
	var head, types, body strings.Builder
	id := 0
	next := func() string { id++; return fmt.Sprintf("%%t%d", id) }
	head.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Groups\nOpCapability SubgroupDispatch\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %f \"f\"")
	types.WriteString(`%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vec3 = OpTypeVector %ulong 3
%pin3 = OpTypePointer Input %vec3
%pinl = OpTypePointer Input %ulong
%pini = OpTypePointer Input %uint
%pg = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg %uint %uint %ulong
%l3 = OpConstant %ulong 3
`)
	var decorations strings.Builder
	var pool []string // of numbers, 32 bits
	variable := func(i int, list, typ string) string {
		v := fmt.Sprintf("%%%s%d", list, i)
		fmt.Fprintf(&head, " %s", v)
		fmt.Fprintf(&types, "%s = OpVariable %s Input\n", v, typ)
		return v
	}
	var linear string
	for i, name := range rangeBuiltins {
		v := variable(i, "range", "%pin3")
		fmt.Fprintf(&decorations, "OpDecorate %s BuiltIn %s\n", v, name)
		x := next()
		fmt.Fprintf(&body, "%s = OpLoad %%vec3 %s\n", x, v)
		for d := range 3 {
			y, z := next(), next()
			fmt.Fprintf(&body, "%s = OpCompositeExtract %%ulong %s %d\n%s = OpUConvert %%uint %s\n", y, x, d, z, y)
			pool = append(pool, z)
		}
	}
	for i, name := range oneBuiltins {
		v := variable(i, "one", "%pini")
		fmt.Fprintf(&decorations, "OpDecorate %s BuiltIn %s\n", v, name)
		x := next()
		fmt.Fprintf(&body, "%s = OpLoad %%uint %s\n", x, v)
		pool = append(pool, x)
	}
	for i, name := range wideBuiltins {
		v := variable(i, "wide", "%pinl")
		fmt.Fprintf(&decorations, "OpDecorate %s BuiltIn %s\n", v, name)
		x, y := next(), next()
		fmt.Fprintf(&body, "%s = OpLoad %%ulong %s\n%s = OpUConvert %%uint %s\n", x, v, y, x)
		pool = append(pool, y)
		if name == "GlobalLinearId" {
			linear = x
		}
	}
	head.WriteString("\n")
	consts := map[uint32]bool{}
	num := func(c uint32) string {
		if !consts[c] {
			consts[c] = true
			fmt.Fprintf(&types, "%%n%d = OpConstant %%uint %d\n", c, c)
		}
		return fmt.Sprintf("%%n%d", c)
	}
	low, high := next(), next()
	fmt.Fprintf(&body, "%s = OpUConvert %%uint %%c\n%s = OpShiftRightLogical %%ulong %%c %%l32\n", low, high)
	types.WriteString("%l32 = OpConstant %ulong 32\n")
	high32 := next()
	fmt.Fprintf(&body, "%s = OpUConvert %%uint %s\n", high32, high)
	pool = append(pool, "%a", "%b", "%a", "%b", low, high32, num(1), num(2), num(7), num(uint32(r.IntN(40))))
	pick := func() string { return pool[r.IntN(len(pool))] }
	emit := func(format string, args ...any) string {
		t := next()
		fmt.Fprintf(&body, "%s = %s\n", t, fmt.Sprintf(format, args...))
		pool = append(pool, t)
		return t
	}
	cond := func() string {
		ops := []string{"OpULessThan", "OpSLessThan", "OpULessThanEqual", "OpSGreaterThan", "OpUGreaterThanEqual", "OpIEqual", "OpINotEqual"}
		t := next()
		fmt.Fprintf(&body, "%s = %s %%bool %s %s\n", t, ops[r.IntN(len(ops))], pick(), pick())
		return t
	}
	ops := func(n int) {
		for range n {
			x, y := pick(), pick()
			switch k := r.IntN(10); k {
			case 0, 1, 2, 3, 4, 5:
				emit("%s %%uint %s %s", []string{"OpIAdd", "OpISub", "OpIMul", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"}[k], x, y)
			case 6:
				emit("%s %%uint %s %s", []string{"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"}[r.IntN(3)], x, num(uint32(r.IntN(32))))
			case 7, 8:
				z := next()
				fmt.Fprintf(&body, "%s = OpIEqual %%bool %s %s\n", z, y, num(0))
				y = emit("OpSelect %%uint %s %s %s", z, num(1), y)
				emit("%s %%uint %s %s", []string{"OpUDiv", "OpUMod"}[r.IntN(2)], x, y)
			case 9:
				emit("OpSelect %%uint %s %s %s", cond(), x, y)
			}
		}
	}
	label := func(l string) { fmt.Fprintf(&body, "%s = OpLabel\n", l) }
	ops(6)
	for i := range 3 {
		scope := len(pool)
		v := fmt.Sprintf("%%var%d", i)
		fmt.Fprintf(&body, "OpStore %s %s\n", v, pick())
		if r.IntN(2) == 0 {
			c, then, join := cond(), next(), next()
			fmt.Fprintf(&body, "OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n", join, c, then, join)
			label(then)
			ops(3)
			fmt.Fprintf(&body, "OpStore %s %s\nOpBranch %s\n", v, pick(), join)
			label(join)
		} else {
			bound := emit("OpUMod %%uint %s %s", pick(), num(7))
			loop, more, cont, end := next(), next(), next(), next()
			fmt.Fprintf(&body, "OpStore %%i %s\nOpBranch %s\n", num(0), loop)
			label(loop)
			at := next()
			c := next()
			fmt.Fprintf(&body, "%s = OpLoad %%uint %%i\n%s = OpULessThan %%bool %s %s\nOpLoopMerge %s %s None\nOpBranchConditional %s %s %s\n", at, c, at, bound, end, cont, c, more, end)
			label(more)
			pool = append(pool, at)
			ops(2)
			old, sum := next(), next()
			fmt.Fprintf(&body, "%s = OpLoad %%uint %s\n%s = OpIAdd %%uint %s %s\nOpStore %s %s\nOpBranch %s\n", old, v, sum, old, pick(), v, sum, cont)
			label(cont)
			up := next()
			fmt.Fprintf(&body, "%s = OpIAdd %%uint %s %s\nOpStore %%i %s\nOpBranch %s\n", up, at, num(1), up, loop)
			label(end)
		}
		pool = pool[:scope]
		emit("OpLoad %%uint %s", v)
		ops(2)
	}
	base := next()
	fmt.Fprintf(&body, "%s = OpIMul %%ulong %s %%l3\n", base, linear)
	for i := range 3 {
		p, q := next(), next()
		fmt.Fprintf(&body, "%s = OpInBoundsPtrAccessChain %%pg %%out %s\n%s = OpInBoundsPtrAccessChain %%pg %s %s\nOpStore %s %s\n", p, base, q, p, num(uint32(i)), q, pool[len(pool)-1-i])
	}
	return head.String() + decorations.String() + types.String() + `%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%a = OpFunctionParameter %uint
%b = OpFunctionParameter %uint
%c = OpFunctionParameter %ulong
%entry = OpLabel
%var0 = OpVariable %pf Function
%var1 = OpVariable %pf Function
%var2 = OpVariable %pf Function
%i = OpVariable %pf Function
` + body.String() + "OpReturn\nOpFunctionEnd\n"
}

// specialLaunch is a random launch of such a kernel.
type specialLaunch struct {
	global, local, offset []uint64
	a, b                  uint32
	c                     uint64
}

func newSpecialLaunch(r *rand.Rand) specialLaunch {
	var l specialLaunch
	number := func() uint32 {
		if r.IntN(2) == 0 {
			return 1 << r.IntN(10)
		}
		return r.Uint32() >> r.IntN(32)
	}
	most := [3][2]int{{20, 8}, {6, 3}, {4, 2}}
	for d := range 1 + r.IntN(3) {
		n := uint64(1 + r.IntN(most[d][1]))
		g := uint64(1 + r.IntN(most[d][0]))
		if r.IntN(3) > 0 {
			g = n * (1 + g/n)
		}
		l.global, l.local, l.offset = append(l.global, g), append(l.local, n), append(l.offset, uint64(r.IntN(3)*r.IntN(100)))
	}
	l.a, l.b, l.c = number(), number(), uint64(number())<<32|uint64(number())
	return l
}

// some returns a specialization for some of what the launch is.
func (l *specialLaunch) some(r *rand.Rand) *isa.Specialization {
	s := &isa.Specialization{}
	three := func(list []uint64, rest uint64) *[3]uint64 {
		v := [3]uint64{rest, rest, rest}
		copy(v[:], list)
		return &v
	}
	if r.IntN(4) > 0 {
		s.Dim = len(l.global)
	}
	if r.IntN(4) > 0 {
		s.Global = three(l.global, 1)
	}
	if r.IntN(4) > 0 {
		v := three(l.local, 1)
		s.Local = &[3]uint32{uint32(v[0]), uint32(v[1]), uint32(v[2])}
	}
	if r.IntN(4) > 0 {
		s.Offset = three(l.offset, 0)
	}
	if r.IntN(3) > 0 {
		s.Args = append(s.Args, isa.SpecializedArg{Param: 1, Value: binary.LittleEndian.AppendUint32(nil, l.a)})
	}
	if r.IntN(3) > 0 {
		s.Args = append(s.Args, isa.SpecializedArg{Param: 3, Value: binary.LittleEndian.AppendUint64(nil, l.c)})
	}
	return s
}

func (l *specialLaunch) run(t *testing.T, code []byte, subgroup int, s *isa.Specialization) []uint32 {
	t.Helper()
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	opt := emu.ProgramOptions{}
	if s != nil {
		opt.Specialize = map[string]*isa.Specialization{"f": s}
	}
	p, err := d.NewProgram(code, opt)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(3)
	for _, g := range l.global {
		n *= g
	}
	out, err := emu.NewBufferOf(d, make([]uint32, n))
	if err != nil {
		t.Fatal(err)
	}
	launch := emu.Launch{Kernel: k, Args: []emu.Arg{out, emu.Value(l.a), emu.Value(l.b), emu.Value(l.c)}, Range: emu.NDRange{Global: l.global, Local: l.local, Offset: l.offset}}
	if _, err := launch.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := emu.Read[uint32](out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func checkSpecialized(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	text := specialKernel(r)
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	l := newSpecialLaunch(r)
	subgroup := 1 << r.IntN(5)
	s := l.some(r)
	want, got := l.run(t, code, subgroup, nil), l.run(t, code, subgroup, s)
	if !slices.Equal(want, got) {
		for i := range want {
			if want[i] != got[i] {
				t.Fatalf("seed %d: work-item %d has %d, specialized %d (number %d); launch %+v, sub-groups of %d, specialized for %+v\n%s", seed, i/3, want[i], got[i], i%3, l, subgroup, s, text)
			}
		}
	}
}

// TestSpecializedIsEqual compares specialized kernels with plain ones.
func TestSpecializedIsEqual(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 80
	}
	for seed := range uint64(n) {
		checkSpecialized(t, seed)
	}
}

// FuzzSpecialized does the same for seeds that the fuzzer thinks of.
func FuzzSpecialized(f *testing.F) {
	f.Add(uint64(3))
	f.Fuzz(func(t *testing.T, seed uint64) { checkSpecialized(t, seed) })
}

// TestSpecializedCode looks at what becomes of a kernel of which everything is
// known: if (gid < n) out[gid] = gid / w * w2 + gid % w with a loop.
func TestSpecializedCode(t *testing.T) {
	src := load(t, "testdata/specialize.spvasm")
	s := &isa.Specialization{
		Dim: 1, Global: &[3]uint64{256, 1, 1}, Local: &[3]uint32{64, 1, 1}, Offset: &[3]uint64{},
		Args: []isa.SpecializedArg{{Param: 1, Value: []byte{0, 1, 0, 0}}, {Param: 2, Value: []byte{16, 0, 0, 0}}},
	}
	golden(t, "specialize.isa", text(t, src, lower.Options{}))
	golden(t, "specialized.isa", text(t, src, lower.Options{Specialize: map[string]*isa.Specialization{"f": s}}))
}

// TestSpecializationRefused checks specializations that no launch can be.
func TestSpecializationRefused(t *testing.T) {
	src := load(t, "testdata/specialize.spvasm")
	for _, x := range []struct {
		s    isa.Specialization
		want string
	}{
		{isa.Specialization{Dim: 4}, "4 dimensions"},
		{isa.Specialization{Local: &[3]uint32{8, 0, 1}}, "local size 0 in dimension 1"},
		{isa.Specialization{Local: &[3]uint32{1 << 25, 1, 1}}, "local size"},
		{isa.Specialization{Global: &[3]uint64{8, 1, 1}, Offset: &[3]uint64{1<<64 - 1, 0, 0}}, "do not fit"},
		{isa.Specialization{Dim: 1, Global: &[3]uint64{8, 2, 1}}, "a size or an offset in dimension 1"},
		{isa.Specialization{Args: []isa.SpecializedArg{{Param: 9}}}, "parameter 9 of 3"},
		{isa.Specialization{Args: []isa.SpecializedArg{{Param: 0, Value: make([]byte, 8)}}}, "not passed by value"},
		{isa.Specialization{Args: []isa.SpecializedArg{{Param: 1, Value: make([]byte, 8)}}}, "8 bytes for parameter 1"},
		{isa.Specialization{Args: []isa.SpecializedArg{{Param: 1, Value: make([]byte, 4)}, {Param: 1, Value: make([]byte, 4)}}}, "two values"},
	} {
		_, err := lower.Program(src, lower.Options{Specialize: map[string]*isa.Specialization{"f": &x.s}})
		var le *lower.Error
		if !errors.As(err, &le) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, expected %q", x.s, err, x.want)
		}
	}
	if p, err := lower.Program(src, lower.Options{Kernels: []string{"f"}}); err != nil || len(p.Kernels) != 1 {
		t.Error(err)
	}
	if p, err := lower.Program(src, lower.Options{Kernels: []string{}}); err != nil || len(p.Kernels) != 0 {
		t.Error(err)
	}
}
