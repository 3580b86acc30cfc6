package emu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// prelude begins a module with a kernel k that takes a pointer p to integers.
const prelude = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%char = OpTypeInt 8 0
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%c5 = OpConstant %int 5
%l0 = OpConstant %long 0
%l1 = OpConstant %long 1
%l64k = OpConstant %long 65537
%l1g = OpConstant %long 1073741824
%l4g = OpConstant %long 4294967296
%lmax = OpConstant %long 0xffffffffffffffff
%ptr = OpTypePointer CrossWorkgroup %int
%kt = OpTypeFunction %void %ptr
%ft = OpTypeFunction %int %int
`

const (
	kernelBegin = "%k = OpFunction %void None %kt\n%p = OpFunctionParameter %ptr\n%entry = OpLabel\n%x = OpLoad %int %p Aligned 4\n"
	kernelEnd   = "OpReturn\nOpFunctionEnd\n"
)

// withBody is a module whose kernel does what body says; decls stands before it.
func withBody(decls, body string) string {
	return prelude + decls + kernelBegin + body + kernelEnd
}

// withArray is a module that keeps a byte in an array of a storage class, at
// an index that is not known before.
func withArray(class, length string, initialized bool) string {
	decls := "%arr = OpTypeArray %char " + length + "\n%parr = OpTypePointer " + class + " %arr\n%pchar = OpTypePointer " + class + " %char\n"
	v := "%v = OpVariable %parr " + class
	if initialized {
		decls += "%init = OpConstantNull %arr\n"
		v += " %init"
	}
	body := "%i = OpUConvert %long %x\n%e = OpInBoundsPtrAccessChain %pchar %v %l0 %i\n"
	if class != "UniformConstant" {
		body += "%n = OpUConvert %char %x\nOpStore %e %n Volatile\n"
	}
	body += "%y = OpLoad %char %e Volatile\n%z = OpUConvert %int %y\nOpStore %p %z\n"
	if class == "Function" {
		// Variables stand before everything else.
		m := withBody(decls, body)
		return strings.Replace(m, "%entry = OpLabel\n", "%entry = OpLabel\n"+v+"\n", 1)
	}
	return withBody(decls+v+"\n", body)
}

// series is the text of n similar lines.
func series(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
		b.WriteByte('\n')
	}
	return b.String()
}

// words is the text of n similar words of one line.
func words(n int, word func(i int) string) string {
	return " " + strings.ReplaceAll(series(n, word), "\n", " ")
}

// nested declares types t1 to tn, each made from the one before, and t0.
func nested(n int, members string) string {
	return "%t0 = OpTypeStruct %int %int\n" + series(n, func(i int) string {
		return fmt.Sprintf("%%t%d = OpTypeStruct ", i+1) + strings.ReplaceAll(members, "%", fmt.Sprintf("%%t%d", i))
	})
}

// functions are f0 to fn, each calling the next one as often as calls says.
func functions(n, calls int) string {
	return series(n, func(i int) string {
		s := fmt.Sprintf("%%f%d = OpFunction %%int None %%ft\n%%a%d_0 = OpFunctionParameter %%int\n%%e%d = OpLabel\n", i, i, i)
		for c := range calls {
			s += fmt.Sprintf("%%a%d_%d = OpFunctionCall %%int %%f%d %%a%d_%d\n", i, c+1, i+1, i, c)
		}
		return s + fmt.Sprintf("OpReturnValue %%a%d_%d\nOpFunctionEnd", i, calls)
	}) + fmt.Sprintf("%%f%d = OpFunction %%int None %%ft\n%%last = OpFunctionParameter %%int\n%%elast = OpLabel\n%%sum = OpIAdd %%int %%last %%c1\nOpReturnValue %%sum\nOpFunctionEnd\n", n)
}

// TestHostileModules loads modules that want too much of something, and launches
// what can be loaded. Each must be refused for the right reason, or work.
func TestHostileModules(t *testing.T) {
	call := "%r = OpFunctionCall %int %f0 %x\nOpStore %p %r\n"
	for _, c := range []struct {
		name string
		text string
		load string // part of the error of loading; "" when it loads
		run  string // part of the error of the launch; "" when it runs
	}{
		{"1 GiB of private memory", withArray("Function", "%l1g", false), "", "private memory"},
		{"1 GiB of private memory with an initializer", withArray("Function", "%l1g", true), "initializer", ""},
		{"4 GiB of private memory", withArray("Function", "%l4g", false), "too large", ""},
		{"2^64-1 bytes of private memory", withArray("Function", "%lmax", false), "out of range", ""},
		{"no private memory", withArray("Function", "%l0", false), "type-array", ""},
		{"LDS beyond the limit", withArray("Workgroup", "%l64k", false), "", "local memory"},
		{"4 GiB of LDS", withArray("Workgroup", "%l4g", false), "", "local memory"},
		{"2^64-1 bytes of LDS", withArray("Workgroup", "%lmax", false), "out of range", ""},
		{"4 GiB of variables", withArray("CrossWorkgroup", "%l4g", false), "4294967296 bytes needed", ""},
		{"4 GiB of zeros", withArray("CrossWorkgroup", "%l4g", true), "4294967296 bytes needed", ""},
		{"2^64-1 bytes of variables", withArray("CrossWorkgroup", "%lmax", false), "out of range", ""},
		{"4 GiB of constants", withArray("UniformConstant", "%l4g", true), "4294967296 bytes needed", ""},
		{"2^64-1 bytes of constants", withArray("UniformConstant", "%lmax", true), "out of range", ""},
		{"arrays of arrays", withBody("%a0 = OpTypeArray %char %l1g\n"+series(8, func(i int) string { return fmt.Sprintf("%%a%d = OpTypeArray %%a%d %%l1g", i+1, i) })+
			"%pa = OpTypePointer CrossWorkgroup %a8\n%v = OpVariable %pa CrossWorkgroup\n", "%q = OpConvertPtrToU %long %v\n%z = OpUConvert %int %q\nOpStore %p %z\n"), "out of range", ""},
		{"a value of 1 GiB", withBody("%a = OpTypeArray %char %l1g\n%pa = OpTypePointer CrossWorkgroup %a\n", "%q = OpBitcast %pa %p\n%y = OpLoad %a %q\nOpStore %q %y\n"), "does not fit in registers", ""},
		{"an undefined value of 4 GiB", withBody("%a = OpTypeArray %char %l4g\n", "%u = OpUndef %a\n%y = OpCompositeExtract %char %u 5\n%z = OpUConvert %int %y\nOpStore %p %z\n"), "does not fit in registers", ""},
		{"a constant of 4 GiB", withBody("%a = OpTypeArray %char %l4g\n%u = OpConstantNull %a\n", "%y = OpCompositeExtract %char %u 5\n%z = OpUConvert %int %y\nOpStore %p %z\n"), "does not fit in registers", ""},
		{"a copy of 4 GiB", withBody("", "%q = OpInBoundsPtrAccessChain %ptr %p %l1\nOpCopyMemorySized %q %p %l4g\n"), "", "E-OOB"},
		{"recursion", withBody("", call) + "%f0 = OpFunction %int None %ft\n%a = OpFunctionParameter %int\n%e = OpLabel\n%y = OpFunctionCall %int %f0 %a\nOpReturnValue %y\nOpFunctionEnd\n", "recursion", ""},
		{"recursion of three", withBody("", call) + strings.Replace(functions(2, 1), "%sum = OpIAdd %int %last %c1", "%sum = OpFunctionCall %int %f0 %last", 1), "recursion", ""},
		{"calls without end", withBody("", call) + functions(600, 1), "nested more than", ""},
		{"types without end", withBody(nested(2000, "%")+"%pt = OpTypePointer Function %t2000\n", "%q = OpBitcast %pt %p\n%y = OpLoad %t2000 %q\n"), "nested more than", ""},
		{"a type that doubles", withBody(nested(60, "% %")+"%pt = OpTypePointer CrossWorkgroup %t60\n%v = OpVariable %pt CrossWorkgroup\n", "%q = OpConvertPtrToU %long %v\n%z = OpUConvert %int %q\nOpStore %p %z\n"), "out of range", ""},
		{"a value of a type that doubles", withBody(nested(24, "% %")+"%pt = OpTypePointer CrossWorkgroup %t24\n", "%q = OpBitcast %pt %p\n%y = OpLoad %t24 %q\nOpStore %q %y\n"), "does not fit in registers", ""},
		{"constants without end", withBody("%n0 = OpSpecConstantOp %int IAdd %c1 %c1\n"+series(2000, func(i int) string {
			return fmt.Sprintf("%%n%d = OpSpecConstantOp %%int IAdd %%n%d %%n%d", i+1, i, i)
		}), "OpStore %p %n2000\n"), "nested more than", ""},
		{"a type of itself", withBody("%a = OpTypeArray %a %c5\n", ""), "type-recursion", ""},
		{"a constant of itself", withBody("%n = OpSpecConstantOp %int IAdd %n %n\n", "OpStore %p %n\n"), "constant-operand", ""},
		{"a huge switch", withBody("", "OpSwitch %x %m"+words(16000, func(i int) string { return fmt.Sprintf("%d %%m", i) })+"\n%m = OpLabel\n"), "", ""},
		{"a long chain of blocks", withBody("", "OpBranch %b0\n"+series(10000, func(i int) string { return fmt.Sprintf("%%b%d = OpLabel\nOpBranch %%b%d", i, i+1) })+"%b10000 = OpLabel\n"), "", ""},
		{"many live values", withBody("", series(2000, func(i int) string { return fmt.Sprintf("%%v%d = OpLoad %%int %%p Volatile", i) })+
			series(2000, func(i int) string { return fmt.Sprintf("OpStore %%p %%v%d", i) })), "", ""},
		{"blocks that lead anywhere", withBody("", "%c = OpIEqual %bool %x %c0\nOpBranchConditional %c %b0 %b99\n"+series(100, func(i int) string {
			return fmt.Sprintf("%%b%d = OpLabel\nOpBranchConditional %%c %%b%d %%b%d", i, (i*7+1)%100, (i*13+5)%100)
		})+"%end = OpLabel\n"), "", "E-TIMEOUT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			module, err := asm.Assemble(c.text, asm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			measured(t, "the module", 64<<20, func() {
				loadAndRun(t, module, c.load, c.run)
			})
		})
	}
}

func loadAndRun(t *testing.T, module []byte, load, run string) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if load != "" {
		var me *emu.ModuleError
		if !errors.As(err, &me) || errors.Is(err, lower.ErrInternal) || !strings.Contains(err.Error(), load) {
			t.Errorf("error %v, want …%s…", err, load)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Range: sized(64, 64), Args: []emu.Arg{buffer(t, d, make([]int32, 16)...)}, Timeout: 10 * time.Second}
	if strings.Contains(run, "TIMEOUT") {
		l.Timeout = 20 * time.Millisecond
	}
	if _, err := l.Run(t.Context()); run == "" && err != nil || run != "" && (err == nil || !strings.Contains(err.Error(), run)) {
		t.Errorf("the launch: error %v, want …%s…", err, run)
	}
}

// TestTruncated cuts modules after every word.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"cl12", "huge"} {
		module, err := os.ReadFile("testdata/" + name + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(module); n += 4 {
			d := device(t, emu.DeviceOptions{})
			p, err := d.NewProgram(module[:n], emu.ProgramOptions{})
			var me *emu.ModuleError
			switch {
			case err == nil && len(p.Kernels()) > 0:
				t.Errorf("%s: %d bytes of %d have the kernels %q", name, n, len(module), p.Kernels())
			case err != nil && (!errors.As(err, &me) || errors.Is(err, lower.ErrInternal)):
				t.Errorf("%s: %d bytes of %d: %v", name, n, len(module), err)
			}
		}
	}
}

// TestHeaders puts nonsense into the header of a good module.
func TestHeaders(t *testing.T) {
	module, err := os.ReadFile("testdata/cl12.spv")
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	for _, c := range []struct {
		word  int
		value uint32
		want  string
	}{
		{0, 0, "magic"}, {0, 0xffffffff, "magic"}, {1, 0xffffffff, "version"}, {1, 0, "version"},
		{3, 0, "bound"}, {3, 1, "bound"}, {3, 5, "bound"},
		{3, 1 << 31, ""}, {3, 0xffffffff, ""}, // more ids than there are is allowed, and costs nothing
		{4, 0xffffffff, "schema"},
	} {
		bad := append([]byte(nil), module...)
		binary.LittleEndian.PutUint32(bad[4*c.word:], c.value)
		measured(t, fmt.Sprintf("header word %d = %#x", c.word, c.value), 16<<20, func() {
			_, err := d.NewProgram(bad, emu.ProgramOptions{})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("header word %d = %#x: error %v, want …%s…", c.word, c.value, err, c.want)
			}
		})
	}
}
