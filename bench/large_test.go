package bench

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// large is a module with one kernel whose size or control flow is beyond what people write: what generators and
// compilers make at -O0, and graphs on which an analysis may take the square of their size.
type large struct {
	name string
	n    int // of whatever there are many
	body func(n int) string
}

// mostPerByte bounds what compilation allocates in all, what is freed on the way included, for each byte of a module.
const mostPerByte = 110

var larges = []large{
	{"nested-ifs", 24000, nestedIfs},
	{"nested-loops", 20000, nestedLoops},
	{"random-branches", 16000, randomBranches},
	{"switch", 100000, bigSwitch},
	{"straight-line", 257000, straightLine},
	{"variables", 100000, variables},
}

// each writes f of the numbers below n.
func each(n int, f func(s *strings.Builder, i int)) string {
	var s strings.Builder
	for i := range n {
		f(&s, i)
	}
	return s.String()
}

// decision ends block i with a branch on what it loads: to one block where it is large, and to another.
const decision = "%%b%[1]d = OpLabel\n%%x%[1]d = OpLoad %%uint %%out Aligned|Volatile 4\n%%y%[1]d = OpIAdd %%uint %%x%[1]d %%g\n" +
	"%%t%[1]d = OpUGreaterThan %%bool %%y%[1]d %%c7\nOpBranchConditional %%t%[1]d %%%[2]s%[3]d %%%[4]s%[5]d\n"

func nestedIfs(n int) string {
	return "OpBranch %b0\n" + each(n, func(s *strings.Builder, i int) { fmt.Fprintf(s, decision, i, "b", i+1, "e", i) }) +
		fmt.Sprintf("%%b%d = OpLabel\nOpStore %%out %%g\nOpBranch %%e%d\n", n, n-1) +
		each(n, func(s *strings.Builder, i int) {
			if fmt.Fprintf(s, "%%e%d = OpLabel\n", n-1-i); i < n-1 {
				fmt.Fprintf(s, "OpBranch %%e%d\n", n-2-i)
			}
		})
}

func nestedLoops(n int) string {
	before := func(i int) string {
		if i == 0 {
			return "entry"
		}
		return fmt.Sprint("d", i-1)
	}
	return "OpBranch %h0\n" + each(n, func(s *strings.Builder, i int) {
		fmt.Fprintf(s, "%%h%[1]d = OpLabel\n%%i%[1]d = OpPhi %%uint %%c0 %%%[2]s %%n%[1]d %%l%[1]d\n%%k%[1]d = OpULessThan %%bool %%i%[1]d %%g\n"+
			"OpBranchConditional %%k%[1]d %%d%[1]d %%z%[1]d\n%%d%[1]d = OpLabel\nOpStore %%out %%i%[1]d\n", i, before(i))
		if i < n-1 {
			fmt.Fprintf(s, "OpBranch %%h%d\n", i+1)
		} else {
			fmt.Fprintf(s, "OpBranch %%l%d\n", i)
		}
	}) + each(n, func(s *strings.Builder, k int) {
		i := n - 1 - k
		fmt.Fprintf(s, "%%l%[1]d = OpLabel\n%%n%[1]d = OpIAdd %%uint %%i%[1]d %%c1\nOpBranch %%h%[1]d\n%%z%[1]d = OpLabel\n", i)
		if i > 0 {
			fmt.Fprintf(s, "OpBranch %%l%d\n", i-1)
		}
	})
}

func randomBranches(n int) string {
	seed := uint32(1)
	return "OpBranch %b0\n" + each(n, func(s *strings.Builder, i int) {
		seed = seed*1664525 + 1013904223
		if to := i + 1 + int(seed>>8)%(n-i); to == i+1 {
			fmt.Fprintf(s, "%%b%d = OpLabel\nOpBranch %%b%d\n", i, i+1)
		} else {
			fmt.Fprintf(s, decision, i, "b", to, "b", i+1)
		}
	}) + fmt.Sprintf("%%b%d = OpLabel\nOpStore %%out %%g\n", n)
}

// bigSwitch has its cases in several instructions, each of which holds 32,000 words at most.
func bigSwitch(n int) string {
	const most = 30000
	s := ""
	for first, k := 0, 0; first < n; first, k = first+most, k+1 {
		last := min(first+most, n)
		s += fmt.Sprintf("OpSwitch %%g %%j%d%s\n", k, each(last-first, func(s *strings.Builder, i int) { fmt.Fprintf(s, " %d %%b%[1]d", first+i) })) +
			each(last-first, func(s *strings.Builder, i int) {
				fmt.Fprintf(s, "%%b%[1]d = OpLabel\n%%x%[1]d = OpIMul %%uint %%g %%g\nOpStore %%out %%x%[1]d\nOpBranch %%j%[2]d\n", first+i, k)
			}) + fmt.Sprintf("%%j%d = OpLabel\n", k)
	}
	return s
}

func straightLine(n int) string {
	return "%x0 = OpIAdd %uint %g %c1\n" + each(n, func(s *strings.Builder, i int) {
		op := [...]string{"OpIAdd", "OpBitwiseXor", "OpIMul", "OpISub"}[i%4]
		other := "g"
		if i%2 == 1 {
			other = fmt.Sprint("x", i/2)
		}
		fmt.Fprintf(s, "%%x%d = %s %%uint %%x%d %%%s\n", i+1, op, i, other)
	}) + fmt.Sprintf("OpStore %%out %%x%d\n", n)
}

// variables is a row of private variables, each of which gets its value from the one before, as at -O0.
func variables(n int) string {
	return each(n, func(s *strings.Builder, i int) { fmt.Fprintf(s, "%%v%d = OpVariable %%pf Function\n", i) }) + "OpStore %v0 %g\n" +
		each(n-1, func(s *strings.Builder, i int) {
			fmt.Fprintf(s, "%%l%[1]d = OpLoad %%uint %%v%[1]d\n%%m%[1]d = OpIMul %%uint %%l%[1]d %%l%[1]d\nOpStore %%v%[2]d %%m%[1]d\n", i, i+1)
		}) + fmt.Sprintf("%%r = OpLoad %%uint %%v%d\nOpStore %%out %%r\n", n-1)
}

// module assembles the module.
func (l large) module(tb testing.TB) []byte {
	n := l.n
	if testing.Short() {
		n /= 20
	}
	body := l.body(n)
	first := "" // variables come before the other instructions of the first block
	if at := strings.LastIndex(body, "OpVariable"); at >= 0 {
		at += strings.IndexByte(body[at:], '\n') + 1
		first, body = body[:at], body[at:]
	}
	code, err := asm.Assemble(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vec3 = OpTypeVector %ulong 3
%pin = OpTypePointer Input %vec3
%pg = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg
%gid = OpVariable %pin Input
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c7 = OpConstant %uint 7
%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%entry = OpLabel
`+first+`%g3 = OpLoad %vec3 %gid
%g64 = OpCompositeExtract %ulong %g3 0
%g = OpUConvert %uint %g64
`+body+"OpReturn\nOpFunctionEnd\n", asm.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return code
}

// compile loads the module and compiles its kernel.
func (l large) compile(tb testing.TB, dev *emu.Device, module []byte) {
	p, err := dev.NewProgram(module, emu.ProgramOptions{})
	if err == nil {
		_, err = p.Kernel("f")
	}
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// allocates returns what compiling allocates in all, for each byte of the module.
func (l large) allocates(tb testing.TB, dev *emu.Device, module []byte) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l.compile(tb, dev, module)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(module))
}

// TestLarge holds the memory that the documentation promises.
func TestLarge(t *testing.T) {
	for _, l := range larges {
		t.Run(l.name, func(t *testing.T) {
			dev, err := emu.NewDevice(emu.DeviceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			module := l.module(t)
			per := l.allocates(t, dev, module)
			t.Logf("%d bytes, %.0f bytes allocated for each of them", len(module), per)
			if per > mostPerByte {
				t.Errorf("%.0f bytes are allocated for each byte of the module, %d at most", per, mostPerByte)
			}
		})
	}
}

// BenchmarkLarge is the time from a module to its kernel's bytecode.
func BenchmarkLarge(b *testing.B) {
	for _, l := range larges {
		b.Run(l.name, func(b *testing.B) {
			dev, err := emu.NewDevice(emu.DeviceOptions{})
			if err != nil {
				b.Fatal(err)
			}
			module := l.module(b)
			b.SetBytes(int64(len(module)))
			b.ReportAllocs()
			for b.Loop() {
				l.compile(b, dev, module)
			}
			b.ReportMetric(l.allocates(b, dev, module), "allocated/byte")
		})
	}
}
