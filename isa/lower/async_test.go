package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// TestMarkPasses compares kernels as they stand before and after the passes that
// drop async marks and waits.
func TestMarkPasses(t *testing.T) {
	var b strings.Builder
	before := ""
	text(t, load(t, "testdata/async-marks.spvasm"), lower.Options{Dump: func(kernel, pass, text string) {
		switch pass {
		case "asyncwaits":
			fmt.Fprintf(&b, "== %s: before\n%s\n== %s: after asyncwaits\n%s\n", kernel, before, kernel, text)
		case "asyncmarks":
			fmt.Fprintf(&b, "== %s: after asyncmarks\n%s\n", kernel, text)
		}
		before = text
	}})
	golden(t, "async-marks.passes", b.String())
}

// count returns how many instructions of a kernel have the opcode.
func count(k *isa.Kernel, op isa.Op) (n int) {
	for _, in := range k.Code {
		if in.Op == op {
			n++
		}
	}
	return n
}

// TestKeepMarks checks that the two passes can be turned off.
func TestKeepMarks(t *testing.T) {
	m := load(t, "testdata/async-marks.spvasm")
	for _, c := range []struct {
		keep                           bool
		kernel                         string
		marks, waits, scopes, sequence int
	}{
		{false, "bar", 2, 1, 0, 1}, {true, "bar", 3, 1, 1, 2},
		{false, "pipeline", 4, 3, 0, 1}, {true, "pipeline", 5, 6, 0, 1},
		{false, "branches", 3, 2, 0, 1}, {true, "branches", 3, 4, 0, 1},
		{false, "calls", 5, 3, 2, 2}, {true, "calls", 6, 5, 3, 2},
	} {
		p, err := lower.Program(m, lower.Options{KeepMarks: c.keep})
		if err != nil {
			t.Fatal(err)
		}
		k := p.Kernel(c.kernel)
		got := [4]int{count(k, isa.OpAsyncMark), count(k, isa.OpAsyncWait), count(k, isa.OpAsyncScope), k.MarkSequences}
		if want := [4]int{c.marks, c.waits, c.scopes, c.sequence}; got != want || !k.UsesAsync {
			t.Errorf("%s, KeepMarks %v: %v marks, waits, scopes and sequences, want %v", c.kernel, c.keep, got, want)
		}
	}
}

// TestUsesAsync checks that kernels without copies say so.
func TestUsesAsync(t *testing.T) {
	for file, want := range map[string]bool{"lds": false, "group-copy": true, "lds-dma": true} {
		p, err := lower.Program(load(t, "testdata/"+file+".spvasm"), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Kernels {
			if k.UsesAsync != want {
				t.Errorf("%s: UsesAsync is %v", k.Name, k.UsesAsync)
			}
		}
	}
}

// TestAsyncClang lowers what compilers make of OpenCL C: clang with the SPIR-V
// translator, and clang with its own back end, where they are installed.
func TestAsyncClang(t *testing.T) {
	compilers(t, "testdata/async.cl", "-gline-tables-only", "--spirv-allow-unknown-intrinsics=llvm.amdgcn", func(t *testing.T, _, module string) {
		p, err := lower.Program(load(t, module), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkAsyncModule(t, p)
	})
}

// checkAsyncModule checks the kernels of testdata/async.cl.
func checkAsyncModule(t *testing.T, p *isa.Program) {
	t.Helper()
	for _, c := range []struct {
		kernel string
		// Group copies, waits for events, lane copies, marks, waits for marks.
		want [5]int
		list []string // what every copy is
	}{
		{"events", [5]int{4, 3, 0, 0, 0}, []string{"element_bytes 16 elements 16 event 0", "element_bytes 16 elements 16 src_stride 3 event 0",
			"element_bytes 2 elements 16 dst_stride 5 event 0", "element_bytes 1 elements 16 event s"}},
		{"boxes", [5]int{2, 2, 0, 0, 0}, []string{"elements 64 event 0", "elements 32 lines 8 src_stride 36 dst_stride 128 event s"}},
		{"unknown", [5]int{1, 1, 0, 0, 0}, []string{"element_bytes 4 elements 16 event 0"}},
		{"lanes", [5]int{0, 0, 3, 3, 2}, []string{"size 16 global", "size 4 global", "size 4 offset 256 global"}},
	} {
		k := p.Kernel(c.kernel)
		if k == nil {
			t.Errorf("no kernel %s", c.kernel)
			continue
		}
		got := [5]int{count(k, isa.OpGroupCopy), count(k, isa.OpGroupWait), count(k, isa.OpLaneCopy),
			count(k, isa.OpAsyncMark), count(k, isa.OpAsyncWait)}
		if got != c.want {
			t.Errorf("%s has %v operations, want %v:\n%s", c.kernel, got, c.want, k.Text(p))
		}
		i := 0
		for pc := range k.Code {
			if op := k.Code[pc].Op; op != isa.OpGroupCopy && op != isa.OpLaneCopy {
				continue
			}
			if text := k.InstText(&k.Code[pc]); i < len(c.list) && !strings.Contains(text, c.list[i]) {
				t.Errorf("%s: copy %d is %q, want %q", c.kernel, i, text, c.list[i])
			}
			i++
		}
		if len(k.Private) > 0 && c.kernel != "unknown" {
			t.Errorf("%s keeps %d variables in memory:\n%s", c.kernel, len(k.Private), k.Text(p))
		}
	}
}

// TestEventValues keeps events in every kind of value and variable that there is,
// with both addressing models: what is waited for is what was copied, and nothing
// stays in memory.
func TestEventValues(t *testing.T) {
	const source = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel PhysicalBITS OpenCL
OpEntryPoint Kernel %f "f"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%size = OpTypeInt BITS 0
%event = OpTypeEvent
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%n = OpConstant %size 8
%one = OpConstant %size 1
%pair = OpTypeArray %event %c2
%rec = OpTypeStruct %uint %pair %event
%pg = OpTypePointer CrossWorkgroup %uint
%pl = OpTypePointer Workgroup %uint
%prec = OpTypePointer Function %rec
%pevent = OpTypePointer Function %event
%none = OpConstantNull %event
%nothing = OpConstantNull %rec
%two = OpConstantComposite %pair %none %none
%fn = OpTypeFunction %void %pg %pl %uint
%rfn = OpTypeFunction %rec %rec %event %prec
%turn = OpFunction %rec None %rfn
%tr = OpFunctionParameter %rec
%te = OpFunctionParameter %event
%tp = OpFunctionParameter %prec
%tb = OpLabel
%t1 = OpCompositeInsert %rec %te %tr 1 1
OpStore %tp %t1
OpReturnValue %t1
OpFunctionEnd
%f = OpFunction %void None %fn
%g = OpFunctionParameter %pg
%l = OpFunctionParameter %pl
%x = OpFunctionParameter %uint
%entry = OpLabel
%v = OpVariable %prec Function %nothing
%w = OpVariable %prec Function
%u = OpUndef %event
%k = OpIEqual %bool %x %c1
%e = OpGroupAsyncCopy %event %c2 %l %g %n %one %u
%r0 = OpCompositeConstruct %rec %x %two %e
%r1 = OpFunctionCall %rec %turn %r0 %e %v
OpSelectionMerge %join None
OpBranchConditional %k %then %join
%then = OpLabel
%r2 = OpLoad %rec %v
OpStore %w %r2
OpBranch %join
%join = OpLabel
%r3 = OpPhi %rec %r1 %entry %r2 %then
%e3 = OpCompositeExtract %event %r3 1 1
%q = OpInBoundsAccessChain %pevent %w %c1 %c0
OpStore %q %e3
OpGroupWaitEvents %c2 %c1 %q
OpReturn
OpFunctionEnd
`
	for _, bits := range []string{"64", "32"} {
		p, err := lower.Program(decode(t, strings.ReplaceAll(source, "BITS", bits)), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k := p.Kernels[0]
		text := k.Text(p)
		if len(k.Private) > 0 || count(k, isa.OpGroupCopy) != 1 || count(k, isa.OpGroupWait) != 1 || count(k, isa.OpSelect) != 0 || len(k.Blocks) != 1 {
			t.Errorf("%s bits:\n%s", bits, text)
		}
		if !strings.Contains(text, "elements 8 event 0\n") {
			t.Errorf("%s bits: the copy does not make an event of its own:\n%s", bits, text)
		}
	}
}
