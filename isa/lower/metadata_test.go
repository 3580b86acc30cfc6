package lower_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// attributed is a module whose kernel f has the given attributes; %g is a
// function with a barrier that it calls.
func attributed(t testing.TB, decorations ...string) *spirv.Module {
	t.Helper()
	text := `OpCapability Addresses
OpCapability Kernel
OpCapability Groups
OpCapability KernelAttributesINTEL
OpExtension "SPV_INTEL_kernel_attributes"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f"
OpExecutionMode %f LocalSize 8 2 1
OpExecutionMode %f LocalSizeHint 4 1 1
OpExecutionMode %f MaxWorkDimINTEL 2
OpSource OpenCL_C 200000
` + strings.Join(decorations, "\n") + `
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c10 = OpConstant %uint 10
%c264 = OpConstant %uint 264
%pg = OpTypePointer CrossWorkgroup %uint
%pw = OpTypePointer Workgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg %uint
%vfn = OpTypeFunction %void
%lds = OpVariable %pw Workgroup
%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%n = OpFunctionParameter %uint
%entry = OpLabel
%v = OpVariable %pf Function
OpStore %v %n
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %c0 %entry %next %body
%more = OpULessThan %bool %i %c10
OpLoopMerge %exit %body None
OpBranchConditional %more %body %exit
%body = OpLabel
%next = OpIAdd %uint %i %c1
%call = OpFunctionCall %void %g
%x = OpLoad %uint %v
%y = OpIMul %uint %x %c3
OpStore %v %y
OpBranch %head
%exit = OpLabel
%z = OpLoad %uint %v
OpStore %lds %z
%s = OpGroupIAdd %uint %c3 Reduce %z
OpControlBarrier %c2 %c2 %c264
%w = OpLoad %uint %lds
%sum = OpIAdd %uint %s %w
OpStore %out %sum
OpReturn
OpFunctionEnd
%g = OpFunction %void None %vfn
%ge = OpLabel
OpControlBarrier %c2 %c2 %c264
OpReturn
OpFunctionEnd
`
	data, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Validate(m, validate.Options{}).Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

func on(id string, attributes ...string) []string {
	var list []string
	for _, a := range attributes {
		list = append(list, fmt.Sprintf("OpDecorate %%%s UserSemantic %q", id, a))
	}
	return list
}

// everything has each attribute.
func everything() []string {
	return append(on("f", "opencl.ocl.version=3,0", "mux-scheduling-params=info,group", "mux_scheduled_fn=-1,1",
		"codeplay_ca_wrapper=16,predicated;1", "codeplay_ca_vecz.base=8,dim=1;f.v8", "codeplay_ca_vecz.base=vscale*2;f.sv2",
		"codeplay_ca_vecz.derived=4;f.scalar", "codeplay_ca_vecz.base.fail=32", "mux-kernel=entry-point", "mux-orig-fn=orig",
		"mux-base-fn-name=base mux-local-mem-usage=4  mux-work-item-order=yxz", "mux-barrier-schedule=linear",
		"mux-degenerate-subgroups", "intel_reqd_sub_group_size=16", "max_work_dim=2", "reqd_work_group_size=8,2,1", "somebody's own"),
		on("g", "mux-barrier-schedule=scalar-tail")...)
}

// checkEverything checks that a program has what everything says.
func checkEverything(t *testing.T, what string, p *isa.Program) {
	t.Helper()
	if want := (isa.ProgramMeta{OpenCL: isa.Version{Major: 3}, SchedulingParams: []string{"info", "group"}}); !reflect.DeepEqual(p.Meta, want) {
		t.Errorf("%s: the program has %+v", what, p.Meta)
	}
	k := p.Kernels[0]
	want := isa.KernelMeta{
		MaxWorkDim: 2, OrigName: "orig", BaseName: "base", LocalMemory: 4, Order: isa.OrderYXZ, Barriers: isa.ScheduleLinear,
		Subgroups: true, DegenerateSubgroups: true,
		Scheduled: &isa.ScheduledFn{Params: []int32{-1, 1}},
		Wrapper:   &isa.Wrapper{Main: isa.VectorOptions{Width: 16, Predicated: true}, Tail: &isa.VectorOptions{Width: 1}},
		VectorForms: []isa.VectorLink{{Options: isa.VectorOptions{Width: 8, Dim: 1}, Kernel: "f.v8"},
			{Options: isa.VectorOptions{Width: 2, Scalable: true}, Kernel: "f.sv2"}},
		VectorOf:     &isa.VectorLink{Options: isa.VectorOptions{Width: 4}, Kernel: "f.scalar"},
		VectorFailed: []isa.VectorOptions{{Width: 32}},
	}
	if diff := cmp.Diff(want, k.Meta); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	if k.ReqdLocalSize != [3]uint32{8, 2, 1} || k.LocalSizeHint != [3]uint32{4, 1, 1} || k.ReqdSubgroup != 16 {
		t.Errorf("%s: local size %v, hint %v, sub-groups of %d", what, k.ReqdLocalSize, k.LocalSizeHint, k.ReqdSubgroup)
	}
	if k.VersionName("v16") != "base.v16" || k.Orig() != "orig" {
		t.Errorf("%s: names %s, %s", what, k.VersionName("v16"), k.Orig())
	}
	var schedules []string
	for i := range k.Code {
		if in := &k.Code[i]; in.Op == isa.OpBarrier {
			schedules = append(schedules, in.Schedule().String())
		}
	}
	if got := strings.Join(schedules, " "); got != "scalar-tail linear" {
		t.Errorf("%s: barriers %s", what, got)
	}
	if k.Meta.Subgroups != k.UsesSubgroups() {
		t.Errorf("%s: sub-groups %v", what, k.Meta.Subgroups)
	}
}

// TestMetadataKept runs each pass alone, in each pipeline, and checks that
// metadata and attributes are what the module says.
func TestMetadataKept(t *testing.T) {
	src := attributed(t, everything()...)
	passes := lower.NewPassMachinery().Passes()
	for _, p := range passes {
		if p.Fixed() {
			continue
		}
		m := lower.NewPassMachinery()
		m.Finalize = nil
		if p.Bytecode() {
			m.Late = lower.Pipeline{{Pass: p.Name}}
		} else {
			m.Finalize = lower.Pipeline{{Pass: p.Name}}
		}
		prog, err := lower.Program(src, lower.Options{Passes: m, VerifyEach: true})
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		checkEverything(t, "pass "+p.Name, prog)
	}
	for _, passes := range []string{"", "default", "repeat<3>(default)"} {
		m := lower.NewPassMachinery()
		if err := m.SetPasses(passes); err != nil {
			t.Fatal(err)
		}
		prog, err := lower.Program(src, lower.Options{Passes: m})
		if err != nil {
			t.Fatalf("%q: %v", passes, err)
		}
		checkEverything(t, fmt.Sprintf("passes %q", passes), prog)
	}
	var b strings.Builder
	prog, err := lower.Program(src, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "attributes.isa", b.String())
}

// TestSubgroupsAttribute checks that what a late pass adds shows in the attributes.
func TestSubgroupsAttribute(t *testing.T) {
	src := load(t, "testdata/divergent-exit.spvasm")
	p, err := lower.Program(src, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Kernels[0].Meta.Subgroups {
		t.Fatal("the kernel uses sub-groups")
	}
	m := lower.NewPassMachinery()
	if err := m.Register(lower.Pass{Name: "elect", Kernel: func(_ *isa.Program, k *isa.Kernel) error {
		k.NumVector[isa.BankMask]++
		k.Code = append([]isa.Inst{{Op: isa.OpElect, Dst: isa.V(k.NumVector[isa.BankMask] - 1)}}, k.Code...)
		for i := range k.Blocks {
			k.Blocks[i].End++
			if i > 0 {
				k.Blocks[i].Start++
			}
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	m.Late = lower.Pipeline{{Pass: "elect"}}
	if p, err = lower.Program(src, lower.Options{Passes: m}); err != nil {
		t.Fatal(err)
	}
	if !p.Kernels[0].Meta.Subgroups {
		t.Error("the attribute does not show that a pass has brought sub-groups in")
	}
	for _, x := range []struct {
		subgroup   int
		degenerate bool
	}{{0, false}, {8, false}, {16, true}, {32, true}} {
		p, err := lower.Program(attributed(t), lower.Options{SubgroupSize: x.subgroup})
		if err != nil {
			t.Fatal(err)
		}
		if m := p.Kernels[0].Meta; m.DegenerateSubgroups != x.degenerate || !m.Subgroups {
			t.Errorf("work-groups of 16 and sub-groups of %d: %+v", x.subgroup, m)
		}
	}
}

// TestAttributesOfSPIRV checks what SPIR-V has words of its own for.
func TestAttributesOfSPIRV(t *testing.T) {
	p, err := lower.Program(attributed(t), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k := p.Kernels[0]
	if p.Meta.OpenCL.String() != "2.0" || k.Meta.MaxWorkDim != 2 || k.ReqdLocalSize != [3]uint32{8, 2, 1} || k.Meta.Inner {
		t.Errorf("OpenCL %s, %+v", p.Meta.OpenCL, k.Meta)
	}
	if k.VersionName("x") != "f.x" || k.Orig() != "f" {
		t.Errorf("names %s, %s", k.VersionName("x"), k.Orig())
	}
}

func TestAttributeErrors(t *testing.T) {
	for _, x := range []struct{ attr, want string }{
		{"mux-work-item-order=xyy", `work-item order "xyy"`},
		{"mux-barrier-schedule=random", `barrier schedule "random"`},
		{"mux-colour=red", "unknown"},
		{"mux-work-item-order=xyz mux-work-item-order=zyx", "given twice"},
		{"mux-kernel=main", "entry-point or nothing"},
		{"mux-orig-fn=", "empty"},
		{"mux-no-subgroups=1", "no value"},
		{"mux-local-mem-usage=-1", "a number from 1"},
		{"mux-local-mem-usage=0", "a number from 1"},
		{"max_work_dim=4", "a number from 1 to 3"},
		{"max_work_dim=1", "the execution mode says 2"},
		{"reqd_work_group_size=8,2", "2 numbers"},
		{"reqd_work_group_size=8,2,2", "the execution mode says"},
		{"intel_reqd_sub_group_size=x", "a number from 1"},
		{"opencl.ocl.version=2", "1 numbers"},
		{"mux_scheduled_fn=1", "1 numbers"},
		{"codeplay_ca_wrapper=0", "the width"},
		{"codeplay_ca_wrapper=8;dim=3", "the width"},
		{"codeplay_ca_vecz.base=8", "the name of the other function"},
		{"codeplay_ca_vecz.base.fail=8,dim=3", "neither"},
	} {
		_, err := lower.Program(attributed(t, on("f", x.attr)...), lower.Options{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.attr, err, x.want)
		}
	}
	_, err := lower.Program(attributed(t, on("f", "codeplay_ca_vecz.derived=2;a", "codeplay_ca_vecz.derived=4;b")...), lower.Options{})
	if err == nil || !strings.Contains(err.Error(), "one other at most") {
		t.Errorf("derived twice: %v", err)
	}
}
