package lower_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// Random integer expressions over ids, memory and constants, most of them of 64
// bits: what is computed in fewer bits, or becomes a part of an address, changes
// no bit of any result.

// The launch, and the table that kernels read.
var (
	exprGlobal = [2]uint64{16, 6}
	exprLocal  = [2]uint64{8, 3}
)

const (
	exprItems = 16 * 6
	exprTable = 64
)

// item is a work-item.
type item struct {
	lid, gid, wg [2]uint64
	x            uint64 // what it has read from the table at its own place
}

// expr is an integer expression: an operation of SPIR-V, or a leaf.
type expr struct {
	op   string
	bits int // of the result
	args []*expr
	c    uint64 // of a constant
	dim  int    // of an id
}

func signed(x uint64, bits int) int64 { return int64(x<<(64-bits)) >> (64 - bits) }

// eval is the reference.
func (e *expr) eval(it *item, table []uint32) uint64 {
	var a [3]uint64
	n := 0
	for i, x := range e.args {
		a[i] = x.eval(it, table)
		n = x.bits
	}
	mask := ^uint64(0) >> (64 - e.bits)
	pick := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	switch e.op {
	case "const":
		return e.c & mask
	case "lid":
		return it.lid[e.dim]
	case "gid":
		return it.gid[e.dim]
	case "wg":
		return it.wg[e.dim]
	case "own":
		return it.x
	case "uniform":
		return uint64(table[e.c])
	case "OpUConvert":
		return a[0] & mask
	case "OpSConvert":
		return uint64(signed(a[0], n)) & mask
	case "OpIAdd":
		return (a[0] + a[1]) & mask
	case "OpISub":
		return (a[0] - a[1]) & mask
	case "OpIMul":
		return (a[0] * a[1]) & mask
	case "OpBitwiseAnd":
		return a[0] & a[1]
	case "OpBitwiseOr":
		return a[0] | a[1]
	case "OpBitwiseXor":
		return a[0] ^ a[1]
	case "OpNot":
		return ^a[0] & mask
	case "OpSNegate":
		return -a[0] & mask
	case "OpShiftLeftLogical":
		return a[0] << a[1] & mask
	case "OpShiftRightLogical":
		return a[0] >> a[1]
	case "OpShiftRightArithmetic":
		return uint64(signed(a[0], e.bits)>>a[1]) & mask
	case "OpUDiv":
		return a[0] / a[1]
	case "OpUMod":
		return a[0] % a[1]
	case "OpSDiv":
		return uint64(signed(a[0], n)/signed(a[1], n)) & mask
	case "OpSRem":
		return uint64(signed(a[0], n)%signed(a[1], n)) & mask
	case "OpSMod":
		y := signed(a[1], n)
		return uint64((signed(a[0], n)%y+y)%y) & mask
	case "u_min":
		return min(a[0], a[1])
	case "u_max":
		return max(a[0], a[1])
	case "s_min":
		return uint64(min(signed(a[0], n), signed(a[1], n))) & mask
	case "s_max":
		return uint64(max(signed(a[0], n), signed(a[1], n))) & mask
	case "OpSelect":
		// Of the comparison that is the first operand.
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	case "OpIEqual":
		return pick(a[0] == a[1])
	case "OpINotEqual":
		return pick(a[0] != a[1])
	case "OpULessThan":
		return pick(a[0] < a[1])
	case "OpULessThanEqual":
		return pick(a[0] <= a[1])
	case "OpSLessThan":
		return pick(signed(a[0], n) < signed(a[1], n))
	case "OpSGreaterThanEqual":
		return pick(signed(a[0], n) >= signed(a[1], n))
	}
	panic(e.op)
}

// wraps says whether an addition, subtraction, multiplication or shift by a
// constant of 32 bits gives something else than unlimited integers.
func (e *expr) wraps(it *item, table []uint32, isSigned bool) bool {
	var a [2]int64
	for i, x := range e.args {
		a[i] = int64(x.eval(it, table))
		if isSigned && (i == 0 || e.op != "OpShiftLeftLogical") {
			a[i] = signed(uint64(a[i]), e.bits)
		}
	}
	r := map[string]int64{"OpIAdd": a[0] + a[1], "OpISub": a[0] - a[1], "OpIMul": a[0] * a[1], "OpShiftLeftLogical": a[0] << (a[1] & 31)}[e.op]
	if isSigned {
		return r != signed(uint64(r), e.bits)
	}
	return r != int64(uint32(r))
}

// promise decorates what does not wrap in the expression, of 32 bits.
func (w *exprWriter) promise(g *exprGen, e *expr, items []item, table []uint32) {
	for _, x := range e.args {
		w.promise(g, x, items, table)
	}
	switch e.op {
	case "OpIAdd", "OpISub", "OpIMul", "OpShiftLeftLogical":
	default:
		return
	}
	if e.bits != 32 || w.promised[e] {
		return
	}
	w.promised[e] = true
	for i, name := range []string{"NoUnsignedWrap", "NoSignedWrap"} {
		ok := g.IntN(4) > 0
		for j := range items {
			ok = ok && !e.wraps(&items[j], table, i == 1)
		}
		if ok {
			w.decos += fmt.Sprintf("OpDecorate %s %s\n", w.names[e], name)
		}
	}
}

// exprWriter writes expressions as SPIR-V.
type exprWriter struct {
	body   strings.Builder
	consts map[string]string
	names  map[*expr]string
	n      int

	decos    string
	promised map[*expr]bool
}

func (w *exprWriter) line(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%t%d", w.n)
	w.body.WriteString(name + " = " + fmt.Sprintf(format, args...) + "\n")
	return name
}

func (w *exprWriter) constant(bits int, c uint64) string {
	c &= ^uint64(0) >> (64 - bits)
	name := fmt.Sprintf("%%k%d_%d", bits, c)
	w.consts[name] = fmt.Sprintf("%s = OpConstant %%u%d %d\n", name, bits, c)
	return name
}

func (w *exprWriter) write(e *expr) string {
	if s, ok := w.names[e]; ok {
		return s
	}
	var a []string
	for _, x := range e.args {
		a = append(a, w.write(x))
	}
	list := strings.Join(a, " ")
	typ := fmt.Sprintf("%%u%d", e.bits)
	var s string
	switch e.op {
	case "const":
		s = w.constant(e.bits, e.c)
	case "lid", "gid", "wg":
		s = w.line("OpCompositeExtract %%u64 %%%s3 %d", e.op, e.dim)
	case "own":
		s = "%own"
	case "uniform":
		p := w.line("OpInBoundsPtrAccessChain %%pg %%in %s", w.constant(64, e.c))
		s = w.line("OpLoad %%u32 %s", p)
	case "u_min", "u_max", "s_min", "s_max":
		s = w.line("OpExtInst %s %%cl %s %s", typ, e.op, list)
	default:
		if e.bits == 1 {
			typ = "%bool"
		}
		s = w.line("%s %s %s", e.op, typ, list)
	}
	w.names[e] = s
	return s
}

// exprGen makes random expressions.
type exprGen struct {
	*rand.Rand
	pool []*expr // made before: some have several uses
}

func (g *exprGen) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *exprGen) constant(bits int) *expr {
	near := []uint64{0, 1, 2, 16, 17, 255, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63}
	c := near[g.IntN(len(near))] + uint64(g.IntN(5)) - 2
	if g.IntN(2) == 0 {
		c = uint64(g.IntN(100))
	}
	return &expr{op: "const", bits: bits, c: c & (^uint64(0) >> (64 - bits))}
}

func (g *exprGen) make(bits, depth int) (e *expr) {
	if g.IntN(4) == 0 {
		for _, p := range g.pool {
			if p.bits == bits && g.IntN(3) == 0 {
				return p
			}
		}
	}
	defer func() { g.pool = append(g.pool, e) }()
	if depth == 0 {
		switch {
		case bits == 64 && g.IntN(2) == 0:
			return &expr{op: g.one("lid", "lid", "gid", "wg"), bits: 64, dim: g.IntN(2)}
		case bits == 32 && g.IntN(3) > 0:
			return &expr{op: g.one("own", "uniform"), bits: 32, c: uint64(g.IntN(exprTable))}
		case bits == 64:
			return &expr{op: g.one("OpUConvert", "OpSConvert"), bits: 64, args: []*expr{g.make([]int{8, 16, 32, 32}[g.IntN(4)], 0)}}
		case bits < 32:
			return &expr{op: "OpUConvert", bits: bits, args: []*expr{g.make(32, 0)}}
		}
		return g.constant(bits)
	}
	sub := func() *expr { return g.make(bits, g.IntN(depth)) }
	switch g.IntN(12) {
	case 0:
		return &expr{op: g.one("OpUConvert", "OpSConvert"), bits: bits, args: []*expr{g.make(map[int]int{32: 64, 64: 32}[bits], depth-1)}}
	case 1:
		return &expr{op: g.one("OpNot", "OpSNegate"), bits: bits, args: []*expr{sub()}}
	case 2:
		c := &expr{op: "const", bits: bits, c: uint64(g.IntN(bits))}
		return &expr{op: g.one("OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"), bits: bits, args: []*expr{sub(), c}}
	case 3:
		c := &expr{op: "const", bits: bits, c: uint64(1 + g.IntN(100))}
		return &expr{op: g.one("OpUDiv", "OpUMod", "OpSDiv", "OpSRem", "OpSMod"), bits: bits, args: []*expr{sub(), c}}
	case 4:
		return &expr{op: g.one("u_min", "u_max", "s_min", "s_max"), bits: bits, args: []*expr{sub(), sub()}}
	case 5:
		at := 32 << g.IntN(2)
		is := &expr{op: g.one("OpIEqual", "OpINotEqual", "OpULessThan", "OpULessThanEqual", "OpSLessThan", "OpSGreaterThanEqual"), bits: 1,
			args: []*expr{g.make(at, g.IntN(depth)), g.make(at, g.IntN(depth))}}
		if at == 64 && g.IntN(2) == 0 {
			// Something narrow, and something wide that is the same for all.
			wide := &expr{op: "OpUConvert", bits: 64, args: []*expr{{op: "uniform", bits: 32, c: uint64(g.IntN(exprTable))}}}
			is.args = []*expr{
				{op: g.one("OpUConvert", "OpSConvert"), bits: 64, args: []*expr{{op: "own", bits: 32}}},
				{op: "OpIMul", bits: 64, args: []*expr{wide, g.constant(64)}},
			}
		}
		return &expr{op: "OpSelect", bits: bits, args: []*expr{is, sub(), sub()}}
	case 6, 7:
		return &expr{op: g.one("OpIAdd", "OpISub", "OpIMul", "OpBitwiseAnd", "OpBitwiseOr"), bits: bits, args: []*expr{sub(), g.constant(bits)}}
	}
	return &expr{op: g.one("OpIAdd", "OpIAdd", "OpISub", "OpIMul", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"), bits: bits, args: []*expr{sub(), sub()}}
}

// place makes an expression whose values are places in the table, for all items.
func (g *exprGen) place(items []item, table []uint32) *expr {
	small := func(bits int) *expr {
		id := &expr{op: "lid", bits: 64, dim: g.IntN(2)}
		if bits == 32 {
			return &expr{op: "OpUConvert", bits: 32, args: []*expr{id}}
		}
		return id
	}
	k := func(bits, n int) *expr { return &expr{op: "const", bits: bits, c: uint64(g.IntN(n))} }
	for {
		bits := 32 << g.IntN(2)
		e := small(bits)
		for range 1 + g.IntN(4) {
			switch g.IntN(6) {
			case 0:
				e = &expr{op: "OpIMul", bits: bits, args: []*expr{e, k(bits, 8)}}
			case 1:
				e = &expr{op: "OpShiftLeftLogical", bits: bits, args: []*expr{e, k(bits, 4)}}
			case 2:
				e = &expr{op: g.one("OpBitwiseOr", "OpBitwiseXor"), bits: bits, args: []*expr{e, k(bits, 8)}}
			case 3:
				e = &expr{op: g.one("OpIAdd", "OpISub"), bits: bits, args: []*expr{e, k(bits, 20)}}
			case 4:
				e = &expr{op: g.one("OpIAdd", "OpISub"), bits: bits, args: []*expr{k(bits, 64), e}}
			case 5:
				e = &expr{op: g.one("OpIAdd", "OpISub"), bits: bits, args: []*expr{e, small(bits)}}
			}
		}
		if bits == 32 {
			e = &expr{op: g.one("OpUConvert", "OpSConvert"), bits: 64, args: []*expr{e}}
		}
		ok := true
		for i := range items {
			ok = ok && e.eval(&items[i], table) < exprTable
		}
		if ok {
			return e
		}
	}
}

func TestRandomExpressions(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		testExpressions(t, uint64(seed))
		if t.Failed() {
			return
		}
	}
}

func testExpressions(t *testing.T, seed uint64) {
	g := &exprGen{Rand: rand.New(rand.NewPCG(seed, 9))}
	table := make([]uint32, exprTable)
	tableBytes := make([]byte, 0, 4*exprTable)
	for i := range table {
		table[i] = g.Uint32()
		if g.IntN(3) == 0 {
			table[i] = uint32(int32(g.IntN(9) - 4))
		}
		tableBytes = binary.LittleEndian.AppendUint32(tableBytes, table[i])
	}
	items := make([]item, exprItems)
	for i := range items {
		it := &items[i]
		it.gid = [2]uint64{uint64(i) % exprGlobal[0], uint64(i) / exprGlobal[0]}
		for d := range 2 {
			it.lid[d], it.wg[d] = it.gid[d]%exprLocal[d], it.gid[d]/exprLocal[d]
		}
		it.x = uint64(table[(it.gid[0]*7+it.gid[1])%exprTable])
	}
	w := &exprWriter{consts: map[string]string{}, names: map[*expr]string{}, promised: map[*expr]bool{}}
	w.constant(64, 1)
	acc := w.constant(32, 0)
	want := make([]uint32, exprItems)
	mix := func(name string, of func(*item) uint32) {
		acc = w.line("OpIMul %%u32 %s %s", acc, w.constant(32, 31))
		acc = w.line("OpIAdd %%u32 %s %s", acc, name)
		for i := range want {
			want[i] = want[i]*31 + of(&items[i])
		}
	}
	for range 2 + g.IntN(4) {
		e := g.make(64, 1+g.IntN(5))
		name := w.write(e)
		mix(w.line("OpUConvert %%u32 %s", name), func(it *item) uint32 { return uint32(e.eval(it, table)) })
		if g.IntN(2) == 0 {
			high := w.line("OpShiftRightLogical %%u64 %s %s", name, w.constant(64, 32))
			mix(w.line("OpUConvert %%u32 %s", high), func(it *item) uint32 { return uint32(e.eval(it, table) >> 32) })
		}
		at := g.place(items, table)
		p := w.line("OpPtrAccessChain %%pg %%in %s", w.write(at))
		w.promise(g, at, items, table)
		mix(w.line("OpLoad %%u32 %s", p), func(it *item) uint32 { return table[at.eval(it, table)] })
	}
	mode := ""
	if g.IntN(2) == 0 {
		mode = fmt.Sprintf("OpExecutionMode %%f LocalSize %d %d 1\n", exprLocal[0], exprLocal[1])
	}
	text := exprHead + mode + w.decos + exprTypes
	for _, name := range slices.Sorted(maps.Keys(w.consts)) {
		text += w.consts[name]
	}
	text += exprFunction + exprOwn + w.body.String() + "OpStore %outp " + acc + "\nOpReturn\nOpFunctionEnd\n"
	for _, lanes := range []int{1, 32} {
		got := runExpressions(t, lanes, text, tableBytes)
		for i := range want {
			if x := binary.LittleEndian.Uint32(got[4*i:]); x != want[i] {
				t.Errorf("seed %d, waves of %d: work-item %d has %#x, want %#x\n%s", seed, lanes, i, x, want[i], text)
				return
			}
		}
	}
}

// runExpressions runs kernel f of a module over the launch, and returns what it stores.
func runExpressions(t *testing.T, lanes int, text string, table []byte) []byte {
	t.Helper()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	// The reference: it is the bytecode that is judged.
	dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: lanes, WaveLanes: lanes, Workers: 1, Engine: "interp"})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := dev.NewProgram(code, emu.ProgramOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer prog.Close()
	k, err := prog.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	out, err := emu.NewBufferOf(dev, make([]byte, 4*exprItems))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	in, err := emu.NewBufferOf(dev, table)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Free()
	l := emu.Launch{Kernel: k, Args: []emu.Arg{out, in}, Range: emu.NDRange{Global: exprGlobal[:], Local: exprLocal[:]}}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := emu.Read[byte](out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const exprHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %lidv %gidv %wgv
`

const exprTypes = `OpDecorate %lidv BuiltIn LocalInvocationId
OpDecorate %gidv BuiltIn GlobalInvocationId
OpDecorate %wgv BuiltIn WorkgroupId
%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%vec3 = OpTypeVector %u64 3
%pin = OpTypePointer Input %vec3
%pg = OpTypePointer CrossWorkgroup %u32
%fn = OpTypeFunction %void %pg %pg
%lidv = OpVariable %pin Input
%gidv = OpVariable %pin Input
%wgv = OpVariable %pin Input
%c7 = OpConstant %u64 7
%c16 = OpConstant %u64 16
%c63 = OpConstant %u64 63
`

const exprFunction = `%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%in = OpFunctionParameter %pg
%entry = OpLabel
`

const exprOwn = `%lid3 = OpLoad %vec3 %lidv
%gid3 = OpLoad %vec3 %gidv
%wg3 = OpLoad %vec3 %wgv
%gx = OpCompositeExtract %u64 %gid3 0
%gy = OpCompositeExtract %u64 %gid3 1
%gx7 = OpIMul %u64 %gx %c7
%g7 = OpIAdd %u64 %gx7 %gy
%g63 = OpBitwiseAnd %u64 %g7 %c63
%ownp = OpInBoundsPtrAccessChain %pg %in %g63
%own = OpLoad %u32 %ownp
%row = OpIMul %u64 %gy %c16
%lin = OpIAdd %u64 %row %gx
%outp = OpInBoundsPtrAccessChain %pg %out %lin
`

// TestStrength says which instructions are left of divisions, and of bits of words that are zero.
func TestStrength(t *testing.T) {
	const byteOf = "((global const uchar *)in)[g]"
	for _, x := range []struct {
		body string
		op   isa.Op
		want int
	}{
		{`s = ` + byteOf + ` % 64;`, isa.OpRemS, 0},
		{`s = ` + byteOf + ` % 64;`, isa.OpRemU, 0},
		{`s = ` + byteOf + ` % 63;`, isa.OpRemU, 1},
		{`s = (int)(in[g] & 255) / 16;`, isa.OpDivS, 0},
		{`s = (int)get_local_id(0) / 16 + n;`, isa.OpDivS, 0},
		{`s = (int)in[g] / 16;`, isa.OpDivS, 1},
		{`s = (int)in[g] % -16;`, isa.OpRemS, 1},
		{`uint4 votes = sub_group_ballot(in[g] < n); s = sub_group_ballot_exclusive_scan(votes);`, isa.OpBitExtractU, 1},
	} {
		got := 0
		for _, in := range kernelOf(t, x.body).Code {
			if in.Op == x.op {
				got++
			}
		}
		if got != x.want {
			t.Errorf("%s: %d of %v, expected %d", x.body, got, x.op, x.want)
		}
	}
}
