package debug

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// valuesModule is a module as optimizing compilers make them. Its variable x has a type, and DebugValues give
// it values between the lines 10 and 20 and behind line 20; a kernel stores 7 in line 10, 20 and 30.
const valuesModule = `
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float16Buffer
OpCapability Linkage
%%ext = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "k"
%%file = OpString "k.cl"
%%name = OpString "x"
%%kn = OpString "k"
%%na = OpString "a"
%%nb = OpString "b"
%%empty = OpString ""
%%uchar = OpTypeInt 8 0
%%ushort = OpTypeInt 16 0
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%float = OpTypeFloat 32
%%bool = OpTypeBool
%%v3 = OpTypeVector %%float 3
%%v2 = OpTypeVector %%uint 2
%%void = OpTypeVoid
%%pair = OpTypeStruct %%uint %%float
%%ptr = OpTypePointer CrossWorkgroup %%uint
%%pptr = OpTypePointer Function %%pair
%%fn = OpTypeFunction %%void %%ptr %%uint %%ulong %%v3
%%true = OpConstantTrue %%bool
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c7 = OpConstant %%uint 7
%%c8 = OpConstant %%uint 8
%%c16 = OpConstant %%uint 16
%%c32 = OpConstant %%uint 32
%%c64 = OpConstant %%uint 64
%%l9 = OpConstant %%ulong 9
%%f1 = OpConstant %%float 1.5
%%minus = OpConstant %%uchar 255
%%undef = OpUndef %%uint
%%both = OpConstantComposite %%pair %%c7 %%f1
%%none = OpExtInst %%void %%ext DebugInfoNone
%%src = OpExtInst %%void %%ext DebugSource %%file
%%cu = OpExtInst %%void %%ext DebugCompilationUnit 65536 5 %%src OpenCL_C
%%tint = OpExtInst %%void %%ext DebugTypeBasic %%name %%c32 Signed
%%tuint = OpExtInst %%void %%ext DebugTypeBasic %%name %%c32 Unsigned
%%tlong = OpExtInst %%void %%ext DebugTypeBasic %%name %%c64 Signed
%%tchar = OpExtInst %%void %%ext DebugTypeBasic %%name %%c8 Signed
%%tshort = OpExtInst %%void %%ext DebugTypeBasic %%name %%c16 Signed
%%tbool = OpExtInst %%void %%ext DebugTypeBasic %%name %%c8 Boolean
%%tfloat = OpExtInst %%void %%ext DebugTypeBasic %%name %%c32 Float
%%thalf = OpExtInst %%void %%ext DebugTypeBasic %%name %%c16 Float
%%tv3 = OpExtInst %%void %%ext DebugTypeVector %%tfloat 3
%%tv2 = OpExtInst %%void %%ext DebugTypeVector %%tint 2
%%tptr = OpExtInst %%void %%ext DebugTypePointer %%tint CrossWorkgroup None
%%tarr = OpExtInst %%void %%ext DebugTypeArray %%tint %%c7
%%ma = OpExtInst %%void %%ext DebugTypeMember %%na %%tint %%src 1 0 %%tpair %%c0 %%c32 None
%%mb = OpExtInst %%void %%ext DebugTypeMember %%nb %%tfloat %%src 1 0 %%tpair %%c32 %%c32 None
%%tpair = OpExtInst %%void %%ext DebugTypeComposite %%name Structure %%src 1 0 %%cu %%none %%c64 None %%ma %%mb
%%tfn = OpExtInst %%void %%ext DebugTypeFunction None %%none
%%f = OpExtInst %%void %%ext DebugFunction %%kn %%tfn %%src 1 0 %%cu %%empty FlagIsDefinition 2 %%k
%%x = OpExtInst %%void %%ext DebugLocalVariable %%name %%%s %%src 3 0 %%f None
%%deref = OpExtInst %%void %%ext DebugOperation Deref
%%plus = OpExtInst %%void %%ext DebugOperation Plus
%%less = OpExtInst %%void %%ext DebugOperation Minus
%%plus4 = OpExtInst %%void %%ext DebugOperation PlusUconst 4
%%swap = OpExtInst %%void %%ext DebugOperation Swap
%%xderef = OpExtInst %%void %%ext DebugOperation Xderef
%%stack = OpExtInst %%void %%ext DebugOperation StackValue
%%const3 = OpExtInst %%void %%ext DebugOperation Constu 3
%%low = OpExtInst %%void %%ext DebugOperation Fragment 0 32
%%high = OpExtInst %%void %%ext DebugOperation Fragment 32 32
%%odd = OpExtInst %%void %%ext DebugOperation Fragment 3 32
%%far = OpExtInst %%void %%ext DebugOperation Fragment 4096 32
%%e = OpExtInst %%void %%ext DebugExpression
%s
%%k = OpFunction %%void None %%fn
%%out = OpFunctionParameter %%ptr
%%n = OpFunctionParameter %%uint
%%m = OpFunctionParameter %%ulong
%%v = OpFunctionParameter %%v3
%%entry = OpLabel
%%local = OpVariable %%pptr Function %%both
%%s1 = OpExtInst %%void %%ext DebugScope %%f
OpLine %%file 10 1
OpStore %%out %%c7 Aligned 4
%s
OpLine %%file 20 1
OpStore %%out %%c7 Aligned 4
%s
OpLine %%file 30 1
OpStore %%out %%n Aligned 4
%%s2 = OpExtInst %%void %%ext DebugNoScope
OpReturn
OpFunctionEnd
`

// values makes the module of a type, expressions and two lists of DebugValues.
func values(t testing.TB, typ string, first, second []string) []byte {
	t.Helper()
	var exprs []string
	count, seen := 0, map[string]bool{}
	body := func(list []string) string {
		var b strings.Builder
		for _, s := range list {
			operand, ops, _ := strings.Cut(s, " ")
			name := "e" + strings.NewReplacer(" ", "_", "%", "").Replace(ops)
			if ops == "" {
				name = "e"
			} else if !seen[name] {
				seen[name] = true
				exprs = append(exprs, fmt.Sprintf("%%%s = OpExtInst %%void %%ext DebugExpression %%%s", name, strings.ReplaceAll(ops, " ", " %")))
			}
			count++
			fmt.Fprintf(&b, "%%value%d = OpExtInst %%void %%ext DebugValue %%x %%%s %%%s\n", count, operand, name)
		}
		return b.String()
	}
	a, b := body(first), body(second)
	text := fmt.Sprintf(valuesModule, typ, strings.Join(exprs, "\n"), a, b)
	m, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// beginValues begins a session over the kernel k of a module with a buffer, 5, 1<<32+6 and (1, 2, 3).
func beginValues(module []byte, poison uint64) (*Session, func(), error) {
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 1, Poison: poison})
	if err != nil {
		return nil, nil, err
	}
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		return nil, nil, err
	}
	k, err := p.Kernel("k")
	if err != nil {
		return nil, nil, err
	}
	b, err := emu.NewBufferOf(d, []int32{40, 41})
	if err != nil {
		return nil, nil, err
	}
	var vector []byte
	for _, x := range []float32{1, 2, 3, 0} {
		vector = binary.LittleEndian.AppendUint32(vector, math.Float32bits(x))
	}
	s, err := New(context.Background(), &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{1}},
		Args: []emu.Arg{b, emu.Value(uint32(5)), emu.Value(uint64(1<<32 + 6)), emu.Bytes(vector)}}, Options{})
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return s, func() { s.Close(); d.Close() }, nil
}

// TestValues gives a variable without memory values in all forms that DebugValue has.
func TestValues(t *testing.T) {
	const out = "<optimized out>"
	list := func(s ...string) []string { return s }
	tests := []struct {
		name, typ     string
		first, second []string
		at20, at30    string
	}{
		{"value", "tint", list("n"), list("c7"), "5", "7"},
		{"undefined", "tint", list("n"), list("undef"), "5", out},
		{"none", "tint", list("none"), list("n"), out, "5"},
		{"not given", "tint", nil, list("n"), out, "5"},
		{"nothing", "tint", nil, nil, out, out},
		{"last counts", "tint", list("n", "c7"), list("undef", "c1"), "7", "1"},
		{"plus constant", "tint", list("n plus4 stack"), list("n plus4"), "9", "9"},
		{"plus", "tint", list("n const3 plus stack"), list("n const3 less stack"), "8", "2"},
		{"swap", "tint", list("n const3 swap less stack"), list("n const3 plus4 plus"), "-2", "12"},
		{"address space", "tint", list("n const3 swap xderef"), list("n plus4 const3 swap xderef stack"), "5", "9"},
		{"too few", "tint", list("n plus"), list("n swap"), out, out},
		{"float", "tfloat", list("f1"), list("f1 plus4"), "1.5", out},
		{"bits of a float", "tfloat", list("n"), nil, "7e-45", "7e-45"},
		{"narrow", "tint", list("minus"), list("m"), "-1", "6"},
		{"narrow without sign", "tuint", list("minus"), list("m"), "255", "6"},
		{"wide", "tlong", list("m"), list("c7"), "4294967302", "7"},
		{"bool", "tbool", list("true"), list("c0"), "true", "false"},
		{"char", "tchar", list("n plus4"), list("minus"), "9", "-1"},
		{"vector", "tv3", list("v"), list("v plus4"), "(1, 2, 3)", out},
		{"components", "tv2", list("c7 low"), list("n high"), "(7, " + out + ")", "(7, 5)"},
		{"structure", "tpair", list("both"), list("n low"), "{a = 7, b = 1.5}", "{a = 5, b = 1.5}"},
		{"parts", "tpair", list("f1 high"), list("undef high", "n plus4 low"), "{a = " + out + ", b = 1.5}", "{a = 9, b = " + out + "}"},
		{"odd part", "tpair", list("both", "n odd"), list("n far"), "{a = " + out + ", b = " + out + "}", "{a = " + out + ", b = " + out + "}"},
		{"pointer", "tptr", list("out"), list("out plus4 stack"), "&argument 0", "&argument 0+4"},
		{"memory", "tint", list("out deref"), list("out plus4 deref"), "7", "41"},
		{"private memory", "tpair", list("local deref"), list("c0 low"), "{a = 7, b = 1.5}", "{a = 0, b = 1.5}"},
		{"memory of a part", "tpair", list("local deref low"), list("n deref"), out, out},
		{"too small", "tv2", list("v"), list("n"), out, out},
		{"array", "tarr", list("c7"), list("c7 low", "n high"), out, "{7, 5, " + out + " (5 times)}"},
	}
	for _, test := range tests {
		for _, poison := range []uint64{0, 0x0101010101010101} {
			t.Run(fmt.Sprintf("%s %x", test.name, poison), func(t *testing.T) {
				s, done, err := beginValues(values(t, test.typ, test.first, test.second), poison)
				if err != nil {
					t.Fatal(err)
				}
				defer done()
				for i, want := range []string{test.at20, test.at30} {
					line := 20 + 10*i
					if _, err := s.BreakLine("k.cl", line); err != nil {
						t.Fatal(err)
					}
					if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
						t.Fatalf("%+v %v", stop, err)
					}
					v, err := s.Evaluate("x")
					if err != nil {
						t.Fatal(err)
					}
					if got := s.Text(v, 16); got != want {
						t.Errorf("line %d: x is %s, not %s", line, got, want)
					}
				}
			})
		}
	}
}

// lie changes words of debug information, six bytes for each: which instruction and operand, and the word.
func lie(m *spirv.Module, changes []byte) {
	var at [][]uint32
	for _, in := range m.Insts {
		if in.Op() == spirv.OpExtInst && len(in.Operands()) > 2 {
			at = append(at, in.Operands()[2:])
		}
	}
	for ; len(changes) >= 6; changes = changes[6:] {
		ops := at[int(changes[0])%len(at)]
		ops[int(changes[1])%len(ops)] = binary.LittleEndian.Uint32(changes[2:])
	}
}

// showLies runs a module of values whose debug information is changed, and looks at all that there is. It
// says whether there was a session.
func showLies(t testing.TB, typ string, changes []byte) bool {
	m, err := spirv.Decode(values(t, typ, []string{"n plus4 stack", "v", "both", "local deref", "c7 high"}, []string{"out plus4 deref", "m low", "true"}))
	if err != nil {
		t.Fatal(err)
	}
	lie(m, changes)
	s, done, err := beginValues(m.Encode(), 0)
	if err != nil {
		return false
	}
	defer done()
	for !s.Ended() {
		for _, v := range s.Variables(0, 0) {
			if v.Err == nil {
				_ = s.Text(v.Value, 16)
				_ = s.Children(v.Value, 0, 8)
				_ = v.Value.Type.Describe()
			}
		}
		for _, e := range []string{"x + 1", "(long)x", "x.x", "x[0]", "*x", "x.a == 1", "&x", "x ? 1 : x", "min(x, 1)"} {
			if v, err := s.Evaluate(e); err == nil {
				_ = s.Text(v, 16)
			}
		}
		_, _ = s.Set("x", "1")
		if _, err := s.Step(context.Background(), StepInto, Instructions, Lane); err != nil {
			break
		}
	}
	return true
}

var lyingTypes = []string{"tint", "tpair", "tv3", "tptr", "tarr", "tbool"}

// TestValuesMayLie changes words of debug information at random: what comes of it is a session that shows
// variables, or an error.
func TestValuesMayLie(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 600
	if testing.Short() {
		n = 100
	}
	ran := 0
	for i := range n {
		var changes []byte
		for range 1 + r.IntN(3) {
			changes = append(changes, byte(r.Uint32()), byte(r.Uint32()))
			changes = binary.LittleEndian.AppendUint32(changes, []uint32{r.Uint32(), uint32(r.IntN(150)), uint32(r.IntN(12))}[r.IntN(3)])
		}
		if showLies(t, lyingTypes[i%len(lyingTypes)], changes) {
			ran++
		}
	}
	if ran < n/2 {
		t.Errorf("%d sessions of %d modules", ran, n)
	}
}

// FuzzDebugInformation is TestValuesMayLie with changes that the fuzzer makes.
func FuzzDebugInformation(f *testing.F) {
	for i := range lyingTypes {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{byte(3 * i), byte(i), 5, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, typ uint8, changes []byte) {
		showLies(t, lyingTypes[int(typ)%len(lyingTypes)], changes[:min(len(changes), 60)])
	})
}
