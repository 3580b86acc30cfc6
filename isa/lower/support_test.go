package lower

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/readers"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// TestSupport has one of each state, and of each way in which it is found.
func TestSupport(t *testing.T) {
	for _, c := range []struct {
		op   spirv.Op
		want Support
	}{
		{spirv.OpIAdd, Support{Runs, ""}},
		{spirv.OpTypeInt, Support{Runs, ""}},
		{spirv.OpConstantNull, Support{Runs, ""}},
		{spirv.OpPhi, Support{Runs, ""}},
		{spirv.OpGroupFMulKHR, Support{Runs, ""}},
		{spirv.OpTypeMatrix, Support{Foreign, ""}},
		{spirv.OpTraceRayKHR, Support{Foreign, ""}},
		{spirv.OpAsmCallINTEL, Support{Refused, "blocks of inline assembly"}},
		{spirv.OpFixedSqrtALTERA, Support{Refused, "fixed-point numbers"}},
	} {
		if got := Instruction(c.op); got != c.want {
			t.Errorf("%s: %v, expected %v", c.op, got, c.want)
		}
	}
	for _, c := range []struct {
		k    spirv.Capability
		want Support
	}{
		{spirv.CapabilityAddresses, Support{Runs, ""}},
		{spirv.CapabilityVector16, Support{Runs, ""}},
		{spirv.CapabilityKernel, Support{Partly, "without OpTypeOpaque"}},
		{spirv.CapabilityDeviceEnqueue, Support{Refused, "kernels that enqueue kernels (enqueue_kernel, queue_t, clk_event_t)"}},
		{spirv.CapabilityOptNoneEXT, Support{Runs, "it has no effect"}},
		{spirv.CapabilityRayTracingKHR, Support{Foreign, ""}},
	} {
		if got := CapabilitySupport(c.k); got != c.want {
			t.Errorf("capability %s: %v, expected %v", c.k, got, c.want)
		}
	}
	for _, c := range []struct {
		name string
		want Support
	}{
		{"SPV_KHR_linkonce_odr", Support{Runs, ""}},
		{"SPV_INTEL_subgroups", Support{Runs, ""}},
		{"SPV_KHR_ray_tracing", Support{Foreign, ""}},
		{"SPV_INTEL_inline_assembly", Support{Refused, "blocks of inline assembly"}},
		{"SPV_EXAMPLE_unheard_of", Support{Missing, ""}},
	} {
		if got := ExtensionSupport(c.name); got != c.want {
			t.Errorf("extension %s: %v, expected %v", c.name, got, c.want)
		}
	}
}

// TestTablesAreApart checks that nothing is said to run and to be refused at once: what runs has no feature of its own
// but as a type that some places do not take.
func TestTablesAreApart(t *testing.T) {
	for op := range build.FeatureOf {
		if readers.Of(op) != nil || build.ConstantMakers[op] != nil {
			t.Errorf("%s is refused as %q, and has a reader", op, build.FeatureOf[op])
		}
	}
	for op := range framing {
		if readers.Of(op) != nil || build.TypeMakers[op] != nil || build.ConstantMakers[op] != nil {
			t.Errorf("%s is in two tables", op)
		}
	}
	for k := range hints {
		if plainCapabilities[k] || build.RefusedCapabilities[k] != "" {
			t.Errorf("capability %s is in two tables", k)
		}
	}
	for k := range plainCapabilities {
		if build.RefusedCapabilities[k] != "" || foreign(k) {
			t.Errorf("capability %s is in two tables", k)
		}
	}
}
