package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// asyncTypes are types and constants for calls of asynchronous copies.
const asyncTypes = `%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%v4 = OpTypeVector %uint 4
%event = OpTypeEvent
%none = OpConstantNull %event
%gb = OpTypePointer CrossWorkgroup %uchar
%lb = OpTypePointer Workgroup %uchar
%pb = OpTypePointer Function %uchar
%pe = OpTypePointer Function %event
%up = OpTypeUntypedPointerKHR CrossWorkgroup
%ul = OpTypeUntypedPointerKHR Workgroup
%lw = OpTypePointer Workgroup %uint
%words = OpConstantNull %v4
%l = OpConstantNull %lb
%lu = OpConstantNull %lw
%ug = OpConstantNull %up
%ulds = OpConstantNull %ul
%priv = OpConstantNull %pb
%list = OpConstantNull %pe
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c8 = OpConstant %uint 8
%l4 = OpConstant %ulong 4
%h1 = OpConstant %ushort 1
%b1 = OpConstant %uchar 1
`

// asyncCall is a kernel that calls the imported function name.
func asyncCall(name, result string, args ...string) string {
	var fn, params, vals string
	for i, a := range args {
		t, v, _ := strings.Cut(a, " ")
		fn += " " + t
		params += fmt.Sprintf("%%a%d = OpFunctionParameter %s\n", i, t)
		vals += " " + v
	}
	return head + "OpDecorate %imp LinkageAttributes \"" + name + "\" Import\n" + types + asyncTypes +
		"%if = OpTypeFunction " + result + fn + "\n%imp = OpFunction " + result + " None %if\n" + params + "OpFunctionEnd\n" +
		begin + "%o = OpBitcast %gb %out\n%gu = OpUConvert %ulong %g\n%r = OpFunctionCall " + result + " %imp" + vals + "\n" + end
}

// TestAsyncRefusals compares what is said about asynchronous copies that cannot
// be lowered.
func TestAsyncRefusals(t *testing.T) {
	core := func(s string) string { return kernelText("", asyncTypes, s) }
	set := func(s string) string {
		return strings.Replace(kernelText("", asyncTypes, s), "OpMemoryModel", "%set = OpExtInstImport \"NonSemantic.Codeplay.GroupAsyncCopies\"\nOpMemoryModel", 1)
	}
	const (
		amd  = "llvm.amdgcn."
		size = "%uint %c4"
		zero = "%uint %c0"
		lane = "%uint %g"
		gb   = "%gb %o"
		lb   = "%lb %l"
	)
	var b strings.Builder
	for _, c := range []struct{ name, text string }{
		{"scope of a copy", core("%e = OpGroupAsyncCopy %event %c3 %lu %out %l4 %l4 %none\n")},
		{"scope of a copy that is no constant", core("%e = OpGroupAsyncCopy %event %g %lu %out %l4 %l4 %none\n")},
		{"scope of a wait", core("OpGroupWaitEvents %c1 %c1 %list\n")},
		{"copy of elements of unknown size", core("%e = OpGroupAsyncCopy %event %c2 %ulds %ug %l4 %l4 %none\n")},
		{"kernel argument that is an event", head + types + asyncTypes + "%fe = OpTypeFunction %void %event\n%f = OpFunction %void None %fe\n%a = OpFunctionParameter %event\n%entry = OpLabel\n" + end},
		{"instruction of the set", set("%e = OpExtInst %event %set 3 %l\n")},
		{"result of the set", set("%e = OpExtInst %v4 %set 1 %l %l4 %out %l4 %l4 %l4 %l4 %l4 %l4 %none\n")},

		{"operand of the set that is no pointer", set("%e = OpExtInst %event %set 1 %l4 %l4 %out %l4 %l4 %l4 %l4 %l4 %l4 %none\n")},
		{"operand of the set that is no event", set("%e = OpExtInst %event %set 1 %lu %l4 %out %l4 %l4 %l4 %l4 %l4 %l4 %words\n")},
		{"operand of the set that is no integer", set("%e = OpExtInst %event %set 1 %lu %lu %out %l4 %l4 %l4 %l4 %l4 %l4 %none\n")},
		{"copy from what is no pointer", core("%e = OpGroupAsyncCopy %event %c2 %lu %l4 %l4 %l4 %none\n")},
		{"copy of pointers", core("%e = OpGroupAsyncCopy %event %c2 %lu %out %out %l4 %none\n")},
		{"copy whose result is a vector", core("%e = OpGroupAsyncCopy %v4 %c2 %lu %out %l4 %l4 %none\n")},
		{"wait for pointers", core("OpGroupWaitEvents %c2 %out %list\n")},
		{"wait for no list", core("OpGroupWaitEvents %c2 %c1 %c1\n")},
		{"copy of too few arguments", asyncCall("_Z21async_work_group_copyPU3AS3hPU3AS1Khm", "%event", lb, gb, "%ulong %l4")},
		{"copy of no pointer", asyncCall("_Z21async_work_group_copyPU3AS3hPU3AS1Khm9ocl_event", "%event", "%uint %g", gb, "%ulong %l4", "%event %none")},
		{"copy whose event is a vector", asyncCall("_Z21async_work_group_copyPU3AS3hPU3AS1Khm9ocl_event", "%event", lb, gb, "%ulong %l4", "%v4 %words")},
		{"copy whose event is too small", asyncCall("__mux_dma_read_1D", "%event", lb, gb, "%ulong %l4", "%ushort %h1")},
		{"copy whose result is no event", asyncCall("__mux_dma_read_1D", "%ushort", lb, gb, "%ulong %l4", "%event %none")},
		{"copy without a result", asyncCall("_Z21async_work_group_copyPU3AS3hPU3AS1Khm9ocl_event", "%void", lb, gb, "%ulong %l4", "%event %none")},
		{"copy of untyped pointers", asyncCall("async_work_group_copy", "%event", "%ul %ulds", "%up %ug", "%ulong %l4", "%event %none")},
		{"copy from global to global memory", asyncCall("_Z21async_work_group_copyPU3AS1hPU3AS1Khm9ocl_event", "%event", gb, gb, "%ulong %l4", "%event %none")},
		{"copy to private memory", asyncCall("__mux_dma_write_1D", "%event", "%pb %priv", lb, "%ulong %l4", "%event %none")},
		{"read that writes", asyncCall("__mux_dma_read_1D", "%event", gb, lb, "%ulong %l4", "%event %none")},
		{"write that reads", asyncCall("__mux_dma_write_1D", "%event", lb, gb, "%ulong %l4", "%event %none")},
		{"copy of the set from local to local memory", set("%e = OpExtInst %event %set 1 %lu %l4 %lu %l4 %l4 %l4 %l4 %l4 %l4 %none\n")},
		{"count that is no integer", asyncCall("__mux_dma_read_1D", "%event", lb, gb, "%gb %o", "%event %none")},
		{"wait of too many arguments", asyncCall("_Z17wait_group_eventsiP9ocl_event", "%void", "%uint %c1", "%pe %list", "%uint %c1")},
		{"wait without a list", asyncCall("__mux_dma_wait", "%void", "%uint %c1", "%uint %c1")},
		{"scope of a copy by name", asyncCall("__spirv_GroupAsyncCopy", "%event", "%uint %c3", lb, gb, "%ulong %l4", "%ulong %l4", "%event %none")},
		{"scope of a wait by name that is no constant", asyncCall("__spirv_GroupWaitEvents", "%void", lane, "%uint %c1", "%pe %list")},
		{"scope that is missing", asyncCall("__spirv_GroupWaitEvents", "%void")},

		{"lane copy of too few arguments", asyncCall(amd+"load.to.lds.p1", "%void", gb, lb, size, zero)},
		{"lane copy of 8 bytes", asyncCall(amd+"load.async.to.lds.p1", "%void", gb, lb, "%uint %c8", zero, zero)},
		{"lane copy of a size that is no constant", asyncCall(amd+"global.load.lds", "%void", gb, lb, lane, zero, zero)},
		{"lane copy with an offset that is no constant", asyncCall(amd+"global.load.async.lds", "%void", gb, lb, size, lane, zero)},
		{"lane copy with a cache policy that is no constant", asyncCall(amd+"global.load.async.to.lds.b32", "%void", gb, lb, zero, lane)},
		{"lane copy of no pointer", asyncCall(amd+"load.to.lds.p0", "%void", lane, lb, size, zero, zero)},
		{"lane copy to private memory", asyncCall(amd+"load.to.lds.p1", "%void", gb, "%pb %priv", size, zero, zero)},
		{"lane copy of no resource", asyncCall(amd+"raw.buffer.load.lds", "%void", lane, lb, size, zero, zero, zero, zero)},
		{"lane copy whose offset is no integer", asyncCall(amd+"raw.ptr.buffer.load.async.lds", "%void", "%ulong %gu", lb, size, "%v4 %words", zero, zero, zero)},
		{"struct lane copy without an index", asyncCall(amd+"struct.buffer.load.async.lds", "%void", "%v4 %words", lb, size, zero, zero, zero, zero)},
		{"overload that does not exist", asyncCall(amd+"load.to.lds.p5", "%void", gb, lb, size, zero, zero)},
		{"mark with stages", asyncCall(amd+"asyncmark", "%void", "%uint %c1")},
		{"wait for marks with stages", asyncCall(amd+"wait.asyncmark", "%void", "%ushort %h1", "%uint %c1")},
		{"wait for marks without a count", asyncCall(amd+"wait.asyncmark", "%void")},
		{"wait for a number of marks that is no constant", asyncCall(amd+"wait.asyncmark", "%void", lane)},
	} {
		_, err := lower.Program(decode(t, c.text), lower.Options{})
		var le *lower.Error
		if err == nil {
			t.Errorf("%s: no error", c.name)
		} else if !errors.As(err, &le) {
			t.Errorf("%s: %v is no *lower.Error", c.name, err)
		}
		fmt.Fprintf(&b, "%s:\n\t%v\n", c.name, err)
	}
	golden(t, "async-refusals.txt", b.String())
}

// TestAsyncEvents passes events of every type that can be one.
func TestAsyncEvents(t *testing.T) {
	for _, typ := range []string{"%event %none", "%uint %c0", "%ulong %l4", "%pb %priv"} {
		result, _, _ := strings.Cut(typ, " ")
		got := textOf(t, asyncCall("__mux_dma_read_1D", result, "%lb %l", "%gb %o", "%ulong %l4", typ), lower.Options{})
		if !strings.Contains(got, "= groupcopy __mux_dma_read_1D dst 0 src s") {
			t.Errorf("%s:\n%s", typ, got)
		}
	}
}

// TestWaitLists waits for lists of different lengths: what is constant and short
// has no loop.
func TestWaitLists(t *testing.T) {
	for _, c := range []struct {
		count string
		waits int
		loop  bool
	}{
		{"%c0", 0, false}, {"%c3", 3, false}, {"%minus", 0, false}, {"%many", 1, true}, {"%g", 1, true},
	} {
		text := kernelText("", asyncTypes+"%many = OpConstant %uint 4000000\n%minus = OpConstant %uint 4294967295\n", "OpGroupWaitEvents %c2 "+c.count+" %list\n")
		got := textOf(t, text, lower.Options{})
		if n, loop := strings.Count(got, "groupwait"), strings.Contains(got, "loop depth 1"); n != c.waits || loop != c.loop {
			t.Errorf("a list of %s events: %d waits, loop %v\n%s", c.count, n, loop, got)
		}
	}
}

// TestUntypedCopy copies by OpUntypedGroupAsyncCopyKHR, which has the size of an
// element as an operand, and reads over OpUntypedPrefetchKHR.
func TestUntypedCopy(t *testing.T) {
	got := textOf(t, strings.Replace(kernelText("", asyncTypes, `%gl = OpUConvert %ulong %g
%e = OpUntypedGroupAsyncCopyKHR %event %c2 %ulds %ug %l4 %gl %gl %none
OpUntypedPrefetchKHR %ug %l4
%o = OpUntypedGroupAsyncCopyKHR %event %c2 %ug %ulds %l4 %gl %gl %e
`), "OpMemoryModel", "OpCapability UntypedPointersKHR\nOpMemoryModel", 1), lower.Options{})
	for _, want := range []string{"= groupcopy OpUntypedGroupAsyncCopyKHR dst 0 src 0 element_bytes 1 elements 4 lines vd", " src_stride vd0 dst_stride 4 ", " src_stride 4 dst_stride vd0 "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
