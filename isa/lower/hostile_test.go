package lower_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// decode assembles text and checks it as far as lowering asks for.
func decode(t testing.TB, text string) *spirv.Module {
	t.Helper()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lowered compiles text and reports what it took.
func lowered(t testing.TB, text string, opt lower.Options) (*isa.Program, error) {
	t.Helper()
	m := decode(t, text)
	if err := validate.Validate(m, validate.Options{MaxErrors: 3}).Err(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	p, err := lower.Program(m, opt)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	n := 0
	if p != nil {
		for _, k := range p.Kernels {
			n += len(k.Code)
			if err := k.Verify(); err != nil {
				t.Error(err)
			}
		}
	}
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d bytes of text: %d instructions, %v, %d KiB allocated, error %v", len(text), n, took.Round(time.Millisecond), allocated>>10, err)
	if allocated > 1<<30 {
		t.Errorf("lowering allocated %d MiB", allocated>>20)
	}
	return p, err
}

const head = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
`

const types = `%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vec3 = OpTypeVector %ulong 3
%pin = OpTypePointer Input %vec3
%pg = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg
%vfn = OpTypeFunction %void
%gid = OpVariable %pin Input
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c7 = OpConstant %uint 7
`

const begin = `%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%entry = OpLabel
%g3 = OpLoad %vec3 %gid
%g64 = OpCompositeExtract %ulong %g3 0
%g = OpUConvert %uint %g64
`

const end = "OpReturn\nOpFunctionEnd\n"

func kernelText(decos, typs, body string) string {
	return head + decos + types + typs + begin + body + end
}

// lines writes one line for each i below n.
func lines(n int, f func(i int) string) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(f(i))
	}
	return s.String()
}

func straightLine(n int) string {
	return kernelText("", "", "%x0 = OpIAdd %uint %g %c1\n"+lines(n, func(i int) string {
		op := []string{"OpIAdd", "OpBitwiseXor", "OpIMul", "OpISub"}[i%4]
		return fmt.Sprintf("%%x%d = %s %%uint %%x%d %%%s\n", i+1, op, i, []string{"g", fmt.Sprint("x", i/2)}[i%2])
	})+fmt.Sprintf("OpStore %%out %%x%d\n", n))
}

// ifChain has n branches one after the other, all divergent, over a variable.
func ifChain(n int) string {
	return kernelText("", "", "OpBranch %b0\n"+lines(n, func(i int) string {
		prev := "%g"
		if i > 0 {
			prev = fmt.Sprintf("%%p%d", i-1)
		}
		return fmt.Sprintf(`%%b%[1]d = OpLabel
%%t%[1]d = OpUGreaterThan %%bool %[2]s %%c7
OpBranchConditional %%t%[1]d %%y%[1]d %%j%[1]d
%%y%[1]d = OpLabel
OpStore %%out %[2]s
%%z%[1]d = OpISub %%uint %[2]s %%c1
OpBranch %%j%[1]d
%%j%[1]d = OpLabel
%%p%[1]d = OpPhi %%uint %[2]s %%b%[1]d %%z%[1]d %%y%[1]d
OpBranch %%b%[3]d
`, i, prev, i+1)
	})+fmt.Sprintf("%%b%d = OpLabel\nOpStore %%out %%p%d\n", n, n-1))
}

// loopNest has n loops in each other, each left by lanes in different trips.
func loopNest(n int) string {
	var s strings.Builder
	s.WriteString("OpBranch %h0\n")
	for i := range n {
		pre := "%entry"
		if i > 0 {
			pre = fmt.Sprintf("%%d%d", i-1)
		}
		fmt.Fprintf(&s, `%%h%[1]d = OpLabel
%%i%[1]d = OpPhi %%uint %%c0 %[2]s %%n%[1]d %%l%[1]d
%%k%[1]d = OpULessThan %%bool %%i%[1]d %%g
OpBranchConditional %%k%[1]d %%d%[1]d %%x%[1]d
%%d%[1]d = OpLabel
OpStore %%out %%i%[1]d
OpBranch %[3]s
`, i, pre, map[bool]string{true: fmt.Sprintf("%%h%d", i+1), false: fmt.Sprintf("%%l%d", i)}[i < n-1])
	}
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&s, "%%l%[1]d = OpLabel\n%%n%[1]d = OpIAdd %%uint %%i%[1]d %%c1\nOpBranch %%h%[1]d\n%%x%[1]d = OpLabel\n", i)
		if i > 0 {
			fmt.Fprintf(&s, "OpBranch %%l%d\n", i-1)
		}
	}
	return kernelText("", "", s.String())
}

// switchFan has a switch of n cases, each with a block of its own.
func switchFan(n int) string {
	return kernelText("", "", "OpSwitch %g %j"+lines(n, func(i int) string { return fmt.Sprintf(" %d %%b%d", i, i) })+"\n"+
		lines(n, func(i int) string {
			return fmt.Sprintf("%%b%d = OpLabel\n%%x%[1]d = OpIAdd %%uint %%g %%c1\nOpStore %%out %%x%[1]d\nOpBranch %%j\n", i)
		})+
		"%j = OpLabel\n%r = OpPhi %uint %g %entry"+lines(n, func(i int) string { return fmt.Sprintf(" %%x%d %%b%d", i, i) })+"\nOpStore %out %r\n")
}

// crossing has n values that are all made before they are all used, in another block.
func crossing(n int) string {
	return kernelText("", "", lines(n, func(i int) string { return fmt.Sprintf("%%x%d = OpLoad %%uint %%out Aligned|Volatile 4\n", i) })+
		"%q = OpIEqual %bool %g %c7\nOpBranchConditional %q %a %b\n%a = OpLabel\nOpStore %out %c1\nOpStore %out %c0\nOpBranch %b\n%b = OpLabel\n"+
		lines(n, func(i int) string { return fmt.Sprintf("OpStore %%out %%x%d\n", i) }))
}

// leaving has n uniform values of one loop that are used behind it.
func leaving(n int) string {
	return kernelText("", "", `OpBranch %h
%h = OpLabel
%i = OpPhi %uint %c0 %entry %i1 %h
%i1 = OpIAdd %uint %i %c1
`+lines(n, func(i int) string { return fmt.Sprintf("%%x%d = OpLoad %%uint %%out Aligned|Volatile 4\n", i) })+`%k = OpULessThan %bool %i1 %g
OpBranchConditional %k %h %e
%e = OpLabel
`+lines(n, func(i int) string { return fmt.Sprintf("OpStore %%out %%x%d\n", i) }))
}

// markImports declares a mark, and a wait of any count.
const markImports = `%mark = OpFunction %void None %vfn
OpFunctionEnd
%wait = OpFunction %void None %wfn
%wn = OpFunctionParameter %uint
OpFunctionEnd
`

const markDecos = "OpDecorate %mark LinkageAttributes \"llvm.amdgcn.asyncmark\" Import\nOpDecorate %wait LinkageAttributes \"llvm.amdgcn.wait.asyncmark\" Import\n"

const markTypes = "%wfn = OpTypeFunction %void %uint\n%many = OpConstant %uint 60\n"

const waitTypes = "%event = OpTypeEvent\n%pe = OpTypePointer Function %event\n%list = OpConstantNull %pe\n%c2 = OpConstant %uint 2\n"

// markChain has n branches with a mark on one side, in a loop that waits once a
// trip: the number of marks rises slowly everywhere.
func markChain(n int) string {
	return head + markDecos + types + markTypes + markImports + begin + `OpBranch %h
%h = OpLabel
%i = OpPhi %uint %c0 %entry %i1 %l
%i1 = OpIAdd %uint %i %c1
%w = OpFunctionCall %void %wait %many
OpBranch %b0
` + lines(n, func(i int) string {
		return fmt.Sprintf(`%%b%[1]d = OpLabel
%%x%[1]d = OpLoad %%uint %%out Aligned|Volatile 4
%%t%[1]d = OpUGreaterThan %%bool %%x%[1]d %%c7
OpBranchConditional %%t%[1]d %%y%[1]d %%b%[2]d
%%y%[1]d = OpLabel
%%m%[1]d = OpFunctionCall %%void %%mark
OpBranch %%b%[2]d
`, i, i+1)
	}) + fmt.Sprintf("%%b%d = OpLabel\nOpBranch %%l\n%%l = OpLabel\n%%k = OpULessThan %%bool %%i1 %%g\nOpBranchConditional %%k %%h %%e\n%%e = OpLabel\n", n) + end
}

// markNest has n functions, each of which calls the next between its marks and
// its waits, so that every sequence has all that follow inside.
func markNest(n int) string {
	s := head + markDecos + types + markTypes + markImports + "%f0 = OpFunction %void None %vfn\n%e0 = OpLabel\n" + end
	s += lines(n, func(i int) string {
		return fmt.Sprintf(`%%f%[2]d = OpFunction %%void None %%vfn
%%e%[2]d = OpLabel
%%m%[2]d = OpFunctionCall %%void %%mark
%%a%[2]d = OpFunctionCall %%void %%f%[1]d
%%w%[2]d = OpFunctionCall %%void %%wait %%c0
`, i, i+1) + end
	})
	return s + begin + fmt.Sprintf("%%x = OpFunctionCall %%void %%f%d\n", n) + end
}

// pipeWaits is a row of blocking reads, each of a pipe of its own, with their
// waits in n/10 loops.
func pipeWaits(n int) string {
	return pipeKernel("", "", lines(n, func(i int) string {
		return fmt.Sprintf("%%link%d = OpConstantPipeStorage %%store 4 4 4294967295\n", i)
	}), "OpBranch %l0\n%l0 = OpLabel\n"+lines(n, func(i int) string {
		s := fmt.Sprintf("%%p%d = OpCreatePipeFromPipeStorage %%pr %%link%[1]d\nOpReadPipeBlockingALTERA %%p%[1]d %%at %%c4 %%c4\n", i)
		if i%10 == 9 {
			s += fmt.Sprintf("%%x%d = OpLoad %%uint %%out\n%%b%[1]d = OpIEqual %%bool %%x%[1]d %%c0\nOpBranchConditional %%b%[1]d %%l%[2]d %%l%[3]d\n%%l%[3]d = OpLabel\n", i, i/10, i/10+1)
		}
		return s
	}))
}

// storageChoices is a chain of blocks, each of which may replace the storage that
// comes from the one before, and reads it.
func storageChoices(n int) string {
	return pipeKernel("", "", "%s0 = OpConstantPipeStorage %store 4 4 1\n%other = OpConstantPipeStorage %store 4 4 1\n", "OpBranch %l0\n%l0 = OpLabel\n"+lines(n, func(i int) string {
		return fmt.Sprintf("%%b%[1]d = OpIEqual %%bool %%g %%c%[3]d\nOpBranchConditional %%b%[1]d %%m%[1]d %%l%[2]d\n%%m%[1]d = OpLabel\nOpMemoryBarrier %%c1 %%c0\nOpBranch %%l%[2]d\n"+
			"%%l%[2]d = OpLabel\n%%s%[2]d = OpPhi %%store %%s%[1]d %%l%[1]d %%other %%m%[1]d\n%%p%[1]d = OpCreatePipeFromPipeStorage %%pr %%s%[2]d\n"+
			"%%r%[1]d = OpReadPipe %%uint %%p%[1]d %%at %%c4 %%c4\n", i, i+1, []int{0, 1, 7}[i%3])
	}))
}

// TestComplexity lowers large kernels in doubling sizes. What comes out grows
// with what goes in; the times are logged, and the run as a whole ends.
func TestComplexity(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(int) string
		sizes  []int
		lo, hi float64 // instructions of bytecode for each step
	}{
		{"straight line", straightLine, []int{10000, 20000, 40000}, 0.9, 1.1},
		{"if chain", ifChain, []int{1250, 2500, 5000}, 3, 8},
		{"loop nest", loopNest, []int{50, 100, 200}, 6, 10},
		{"switch", switchFan, []int{2500, 5000, 10000}, 2, 5},
		{"crossing values", crossing, []int{5000, 10000, 20000}, 1.9, 2.1},
		{"marks", markChain, []int{2500, 5000, 10000}, 5, 7},
		{"marks in calls", markNest, []int{100, 200, 400}, 2.9, 3.1},
		{"waits for pipes", pipeWaits, []int{1000, 2000, 4000}, 4.5, 6.5},
		{"choices of pipes", storageChoices, []int{1000, 2000, 4000}, 6, 12},
		{"values that leave a loop", leaving, []int{5000, 10000, 20000}, 1.9, 3.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range c.sizes[:amount(1, 2, 3)] {
				p, err := lowered(t, c.make(n), lower.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if per := float64(len(p.Kernels[0].Code)) / float64(n); per < c.lo || per > c.hi {
					t.Errorf("%d steps give %d instructions, %.2f a step; expected %v to %v", n, len(p.Kernels[0].Code), per, c.lo, c.hi)
				}
			}
		})
	}
}

// callTree is a function that calls another twice, and so on.
func callTree(depth int, leaf string) string {
	s := head + types + "%gvar = OpVariable %pg CrossWorkgroup\n%f0 = OpFunction %void None %vfn\n%e0 = OpLabel\n" + leaf + end
	s += lines(depth, func(i int) string {
		return fmt.Sprintf("%%f%[2]d = OpFunction %%void None %%vfn\n%%e%[2]d = OpLabel\n%%a%[2]d = OpFunctionCall %%void %%f%[1]d\n%%b%[2]d = OpFunctionCall %%void %%f%[1]d\n", i, i+1) + end
	})
	return s + begin + fmt.Sprintf("%%x = OpFunctionCall %%void %%f%d\n", depth) + end
}

// TestHostile lowers modules that are small and mean much: each ends with an
// error, or with a program, after little work.
func TestHostile(t *testing.T) {
	double := func(first, op string, n int) string { // %t0, then %t(i+1) = op %ti %ti
		return first + lines(n, func(i int) string { return fmt.Sprintf("%%t%d = %s %%t%d %%t%d\n", i+1, op, i, i) })
	}
	doubleConst := func(first string, n int) string {
		return first + lines(n, func(i int) string {
			return fmt.Sprintf("%%k%d = OpConstantComposite %%t%[1]d %%k%[2]d %%k%[2]d\n", i+1, i)
		})
	}
	global := func(n int) string {
		return fmt.Sprintf("%%pt = OpTypePointer CrossWorkgroup %%t%d\n%%var = OpVariable %%pt CrossWorkgroup %%k%d\n", n, n)
	}
	use := "%vi = OpConvertPtrToU %ulong %var\n%vu = OpUConvert %uint %vi\nOpStore %out %vu\n"
	for _, c := range []struct {
		name, text, err string // err is part of the error, "" for none
	}{
		{"calls of empty functions", callTree(40, ""), "instructions with its calls inlined"},
		{"calls of functions that store", callTree(40, "OpStore %gvar %c1\n"), "instructions with its calls inlined"},
		{"calls", callTree(40, "OpMemoryBarrier %c1 %c0\n"), "instructions with its calls inlined"},
		{"deep types", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 34), ""), ""},
		{"a variable of a deep type", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 34)+"%kk = OpConstantNull %t34\n%k34 = OpUndef %t34\n"+global(34), use), ""},
		{"a type that is too large", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 40)+"%k40 = OpUndef %t40\n"+global(40), use), "size is out of range"},
		{"a constant of zeros", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 33)+doubleConst("%k0 = OpConstantComposite %t0 %c0 %c0\n", 33)+global(33), use), ""},
		{"a constant of ones", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 33)+doubleConst("%k0 = OpConstantComposite %t0 %c1 %c1\n", 33)+global(33), use), "initializer"},
		{"a constant with its one at the end", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 33)+"%n32 = OpConstantNull %t33\n%ta = OpTypeStruct %t33 %uint\n%ka = OpConstantComposite %ta %n32 %c1\n"+
			"%pt = OpTypePointer CrossWorkgroup %ta\n%var = OpVariable %pt CrossWorkgroup %ka\n", use), "bytes"},
		{"a constant of nulls", kernelText("", double("%t0 = OpTypeStruct %uint %uint\n", "OpTypeStruct", 33)+doubleConst("%k0 = OpConstantNull %t0\n", 33)+global(33), use), ""},
		{"a constant of nothing", kernelText("", double("%t0 = OpTypeStruct\n", "OpTypeStruct", 120)+doubleConst("%k0 = OpConstantComposite %t0\n", 120)+global(120), use), ""},
		{"a load of nothing", kernelText("", double("%t0 = OpTypeStruct\n", "OpTypeStruct", 120)+"%k120 = OpConstantNull %t120\n"+global(120), "%l = OpLoad %t120 %var\nOpStore %var %l\n"), ""},
		{"arrays of nothing", kernelText("", "%c4k = OpConstant %uint 4096\n%t0 = OpTypeStruct\n"+lines(40, func(i int) string { return fmt.Sprintf("%%t%d = OpTypeArray %%t%d %%c4k\n", i+1, i) })+
			"%pt = OpTypePointer CrossWorkgroup %t40\n%var = OpVariable %pt CrossWorkgroup\n", "%l = OpLoad %t40 %var\nOpStore %var %l\n"), ""},
		{"an array of 4 GiB in private memory", kernelText("", "%n = OpConstant %ulong 1073741824\n%t0 = OpTypeArray %uint %n\n%pt = OpTypePointer Function %t0\n", "%v = OpVariable %pt Function\n"), "too large"},
		{"a load of 4 GiB", kernelText("", "%n = OpConstant %ulong 1073741824\n%t0 = OpTypeArray %uint %n\n%pt = OpTypePointer CrossWorkgroup %t0\n%var = OpVariable %pt CrossWorkgroup\n", "%v = OpLoad %t0 %var\n"), "does not fit in registers"},
		{"an array of 2^63", kernelText("", "%n = OpConstant %ulong 9223372036854775807\n%t0 = OpTypeArray %uint %n\n%pt = OpTypePointer CrossWorkgroup %t0\n%var = OpVariable %pt CrossWorkgroup\n", use), "out of range"},
		{"inserts into a large value", kernelText("", "%n = OpConstant %uint 4096\n%t0 = OpTypeArray %uint %n\n%x0 = OpConstantNull %t0\n", lines(20000, func(i int) string {
			return fmt.Sprintf("%%x%d = OpCompositeInsert %%t0 %%g %%x%d %d\n", i+1, i, i%4096)
		})+"%r = OpCompositeExtract %uint %x20000 5\nOpStore %out %r\n"), "instructions with its calls inlined"},
		{"undefined large values", kernelText("", "%n = OpConstant %uint 4096\n%t0 = OpTypeArray %uint %n\n", lines(20000, func(i int) string {
			return fmt.Sprintf("%%x%d = OpUndef %%t0\n", i)
		})), "instructions with its calls inlined"},
		{"groups of decorations", kernelText(lines(5000, func(i int) string { return fmt.Sprintf("OpDecorate %%grp UserSemantic \"a%d\"\n", i) })+
			"%grp = OpDecorationGroup\n"+lines(5, func(j int) string {
			return "OpGroupDecorate %grp" + lines(1000, func(i int) string { return fmt.Sprintf(" %%x%d", j*1000+i) }) + "\n"
		}), "", lines(5000, func(i int) string { return fmt.Sprintf("%%x%d = OpIAdd %%uint %%g %%c1\n", i) })), ""},
		{"a wait for many events", kernelText("", waitTypes+"%most = OpConstant %uint 2147483647\n", lines(1000, func(int) string { return "OpGroupWaitEvents %c2 %most %list\n" })), ""},
		{"waits for 64 events", kernelText("", waitTypes+"%n64 = OpConstant %uint 64\n", lines(100000, func(int) string { return "OpGroupWaitEvents %c2 %n64 %list\n" })), "instructions with its calls inlined"},
		{"deep loops", loopNest(5000), ""},
		{"pipes of 2^52 bytes", pipeKernel("", "", "%link = OpConstantPipeStorage %store 1048576 1048576 4294967295\n", "%p = OpCreatePipeFromPipeStorage %pr %link\n%x = OpReadPipe %uint %p %at %c4 %c4\n"), ""},
		{"a table of pipes of 2^64 bytes", pipeKernel("", "", "%link = OpConstantPipeStorage %store 4294967295 1 4294967295\n%t0 = OpTypeStruct %store %store\n%k0 = OpConstantComposite %t0 %link %link\n%pt = OpTypePointer CrossWorkgroup %t0\n%var = OpVariable %pt CrossWorkgroup %k0\n",
			"%vi = OpConvertPtrToU %ulong %var\n"), "bytes are not supported"},
		{"a table of many pipes", pipeKernel("", "", double("%t0 = OpTypeStruct %store %store\n", "OpTypeStruct", 24)+"%link = OpConstantPipeStorage %store 4 4 4\n"+doubleConst("%k0 = OpConstantComposite %t0 %link %link\n", 24)+global(24), "%vi = OpConvertPtrToU %ulong %var\n%vu = OpUConvert %uint %vi\nOpStore %out %vu\n"), "constituents"},
		{"reservations of groups", pipeKernel("", "", "", lines(200000, func(i int) string {
			return fmt.Sprintf("%%i%d = OpGroupReserveReadPipePackets %%rid %%c2 %%in %%c1 %%c4 %%c4\n", i)
		})), "instructions with its calls inlined"},
		{"a large structure", kernelText("", "%t0 = OpTypeStruct"+strings.Repeat(" %uint", 16000)+"\n%k0 = OpConstantComposite %t0"+strings.Repeat(" %c1", 16000)+"\n"+
			lines(40, func(i int) string {
				return fmt.Sprintf("%%pt%d = OpTypePointer CrossWorkgroup %%t0\n%%var%[1]d = OpVariable %%pt%[1]d CrossWorkgroup %%k0\n", i)
			}), lines(40, func(i int) string {
			return fmt.Sprintf("%%vi%d = OpConvertPtrToU %%ulong %%var%[1]d\n%%vu%[1]d = OpUConvert %%uint %%vi%[1]d\nOpStore %%out %%vu%[1]d\n", i)
		})), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var opt lower.Options
			if testing.Short() {
				opt.MaxInstructions = 1 << 19
			}
			_, err := lowered(t, c.text, opt)
			var le *lower.Error
			switch {
			case c.err == "" && err != nil:
				t.Error(err)
			case c.err != "" && err == nil:
				t.Errorf("no error; expected one with %q", c.err)
			case err != nil && (!errors.As(err, &le) || !strings.Contains(err.Error(), c.err)):
				t.Errorf("error %v; expected one with %q", err, c.err)
			}
		})
	}
}
