package isa

import "testing"

func TestMemoryOrder(t *testing.T) {
	for _, c := range []struct {
		scope     Scope
		semantics uint32
		text      string
	}{
		{ScopeWorkgroup, 0x110, "seqcst workgroup local"},
		{ScopeDevice, 0x204, "release device global"},
		{ScopeDevice, 0x302, "acquire device global local"},
		{ScopeSubgroup, 0x808, "acqrel subgroup image"},
		{ScopeCrossDevice, 0, "relaxed crossdevice"},
		{ScopeInvocation + 7, 0, "relaxed invocation"},
	} {
		o := OrderOf(c.scope, c.semantics)
		for _, op := range []Op{OpAtomic, OpFence, OpBarrier} {
			in := Inst{Op: op}
			if op == OpBarrier {
				in.Imm = uint32(ScheduleLinear)
			}
			in.SetOrder(o)
			if got := in.Order(); got != o || got.String() != c.text || !got.valid() {
				t.Errorf("%s: order %q, want %q", op, got, c.text)
			}
			if op == OpBarrier && in.Schedule() != ScheduleLinear {
				t.Errorf("an order changes the schedule of a barrier to %s", in.Schedule())
			}
		}
	}
	in := Inst{Op: OpLoad, Imm: 7}
	if in.Order() != 0 {
		t.Errorf("a load has the order %s", in.Order())
	}
}
