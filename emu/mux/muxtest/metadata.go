package muxtest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/binary"
)

// markedText is kernel order(global uint *out), which puts the number of each work-item in
// its sub-group plus 1000 times that of the sub-group at its local linear id, and kernel
// tickets(global uint *out, global uint *counter), which draws a number for each work-item behind a
// barrier. ATTRIBUTES stands for what is said about them.
const markedText = `
OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int64
OpCapability SubgroupDispatch
OpCapability KernelAttributesINTEL
CAPABILITIES
OpExtension "SPV_INTEL_kernel_attributes"
OpMemoryModel ADDRESSING OpenCL
OpEntryPoint Kernel %order "order" %lid %sgid %sglid
OpEntryPoint Kernel %tickets "tickets" %lid
OpSource OpenCL_C 300000
OpDecorate %lid BuiltIn LocalInvocationIndex
OpDecorate %sgid BuiltIn SubgroupId
OpDecorate %sglid BuiltIn SubgroupLocalInvocationId
ATTRIBUTES
` + types + `
%uint_1000 = OpConstant %uint 1000
%acqrel = OpConstant %uint 264
%in_size = OpTypePointer Input %POINTER
%lid = OpVariable %in_size Input
%sgid = OpVariable %in_uint Input
%sglid = OpVariable %in_uint Input
%order_t = OpTypeFunction %void %guint
%tickets_t = OpTypeFunction %void %guint %guint
%order = OpFunction %void None %order_t
%oout = OpFunctionParameter %guint
%o0 = OpLabel
%o1 = OpLoad %POINTER %lid
%o2 = OpLoad %uint %sgid
%o3 = OpLoad %uint %sglid
%o4 = OpIMul %uint %o2 %uint_1000
%o5 = OpIAdd %uint %o4 %o3
%o6 = OpInBoundsPtrAccessChain %guint %oout %o1
OpStore %o6 %o5 Aligned 4
OpReturn
OpFunctionEnd
%tickets = OpFunction %void None %tickets_t
%tout = OpFunctionParameter %guint
%tcounter = OpFunctionParameter %guint
%t0 = OpLabel
%t1 = OpLoad %POINTER %lid
OpControlBarrier %uint_2 %uint_2 %acqrel
%t2 = OpAtomicIIncrement %uint %tcounter %uint_1 %uint_0
%t3 = OpInBoundsPtrAccessChain %guint %tout %t1
OpStore %t3 %t2 Aligned 4
OpReturn
OpFunctionEnd
`

// marked is the text with attributes: lines "KERNEL NAME=VALUE" for decorations, and other
// lines as they are.
func marked(attributes ...string) string {
	for i, a := range attributes {
		if kernel, text, ok := strings.Cut(a, " "); ok && !strings.HasPrefix(a, "Op") {
			attributes[i] = fmt.Sprintf("OpDecorate %%%s UserSemantic %q", kernel, text)
		}
	}
	return strings.Replace(markedText, "ATTRIBUTES", strings.Join(attributes, "\n"), 1)
}

// bytecode returns the program of a binary that a module makes.
func (r *run) bytecode(m mux.Module) *isa.Program {
	b, err := m.CreateBinary()
	r.ok(err)
	f, err := binary.Decode(b)
	r.ok(err)
	for _, refused := range f.Program.Refused {
		r.end("kernel %s is refused: %v", refused.Name, refused.Reason)
	}
	return f.Program
}

// everything has each piece of metadata and each attribute once.
var everything = []string{
	"order reqd_work_group_size=4,2,1", "order max_work_dim=2", "order opencl.ocl.version=3,0",
	"order mux-scheduling-params=work_item_info,work_group_info", "order mux_scheduled_fn=0,-1",
	"order codeplay_ca_wrapper=16;1", "order codeplay_ca_vecz.base=16;order.wide", "order codeplay_ca_vecz.derived=1;order.scalar",
	"order codeplay_ca_vecz.base.fail=vscale*4", "order mux-kernel=entry-point", "order mux-orig-fn=original",
	"order mux-base-fn-name=basic", "order mux-local-mem-usage=1", "order mux-work-item-order=yxz", "order mux-barrier-schedule=linear",
}

func metadataScenarios() []Scenario {
	metadata, attributes := []string{"MUX-19"}, []string{"MUX-20"}
	const section, functions = "Metadata", "Function Attributes"
	// launch runs a kernel in one work-group of this size and returns the result.
	launch := func(r *run, m mux.Module, kernel string, order emu.Order, local ...uint64) ([]uint32, error) {
		b, err := m.CreateBinary()
		r.ok(err)
		d := r.device()
		e, err := mux.LoadExecutable(d, b)
		r.ok(err)
		n := uint64(1)
		size := [3]uint64{1, 1, 1}
		for i, l := range local {
			size[i] = l
			n *= l
		}
		out := r.words(d, make([]uint32, n)...)
		args := []mux.Descriptor{buffer(out)}
		if kernel == "tickets" {
			args = append(args, buffer(r.words(d, 0)))
		}
		l, err := e.Launch(kernel, &mux.NDRangeOptions{Descriptors: args, DescriptorsLength: len(args), LocalSize: size,
			GlobalOffset: make([]uint64, len(local)), GlobalSize: local, Length: len(local)})
		r.ok(err)
		l.Schedule.Order = order
		if _, err := l.Run(background); err != nil {
			return nil, err
		}
		return emu.Read[uint32](out)
	}
	return []Scenario{
		{section, "carried from the program to the binary", metadata, Anything, func(r *run) {
			p := r.bytecode(r.finalized(marked(slices.Clone(everything)...)))
			k := p.Kernel("order")
			if p.Meta.OpenCL != (isa.Version{Major: 3}) || !slices.Equal(p.Meta.SchedulingParams, []string{"work_item_info", "work_group_info"}) {
				r.bad("the program has %+v", p.Meta)
			}
			wide, scalar := isa.VectorOptions{Width: 16}, isa.VectorOptions{Width: 1}
			switch m := &k.Meta; {
			case k.ReqdLocalSize != [3]uint32{4, 2, 1}, m.MaxWorkDim != 2:
				r.bad("the sizes are %d and %d", k.ReqdLocalSize, m.MaxWorkDim)
			case m.Scheduled == nil || !slices.Equal(m.Scheduled.Params, []int32{0, -1}):
				r.bad("the scheduled function is %+v", m.Scheduled)
			case m.Wrapper == nil || m.Wrapper.Main != wide || m.Wrapper.Tail == nil || *m.Wrapper.Tail != scalar:
				r.bad("the wrapper is %+v", m.Wrapper)
			case len(m.VectorForms) != 1 || m.VectorForms[0] != isa.VectorLink{Options: wide, Kernel: "order.wide"},
				m.VectorOf == nil || *m.VectorOf != isa.VectorLink{Options: scalar, Kernel: "order.scalar"}:
				r.bad("the links are %+v and %+v", m.VectorForms, m.VectorOf)
			case len(m.VectorFailed) != 1 || m.VectorFailed[0] != isa.VectorOptions{Width: 4, Scalable: true}:
				r.bad("the failures are %+v", m.VectorFailed)
			}
		}},
		{section, "execution modes and OpSource", metadata, Anything, func(r *run) {
			p := r.bytecode(r.finalized(marked("OpExecutionMode %tickets LocalSize 4 1 1", "OpExecutionMode %tickets MaxWorkDimINTEL 1",
				fmt.Sprintf("OpExecutionMode %%tickets SubgroupSize %d", max(r.env.Info.DeviceInfo().SubGroupSize, 1)))))
			k := p.Kernel("tickets")
			if k.ReqdLocalSize != [3]uint32{4, 1, 1} || k.Meta.MaxWorkDim != 1 || k.ReqdSubgroup != r.env.Info.DeviceInfo().SubGroupSize ||
				p.Meta.OpenCL != (isa.Version{Major: 3}) {
				r.bad("the sizes are %d, %d and %d, the version is %v", k.ReqdLocalSize, k.Meta.MaxWorkDim, k.ReqdSubgroup, p.Meta.OpenCL)
			}
			if o := p.Kernel("order"); o.ReqdLocalSize != [3]uint32{} || o.Meta.MaxWorkDim != 0 || o.ReqdSubgroup != 0 {
				r.bad("the other kernel has %d, %d and %d", o.ReqdLocalSize, o.Meta.MaxWorkDim, o.ReqdSubgroup)
			}
		}},
		{section, "required sizes are honoured", metadata, Anything, func(r *run) {
			m := r.finalized(marked("order reqd_work_group_size=4,2,1", "tickets max_work_dim=1"))
			if _, err := launch(r, m, "order", emu.InOrder, 4, 2, 1); err != nil {
				r.bad("work-groups of the required size: %v", err)
			}
			if _, err := launch(r, m, "order", emu.InOrder, 8, 1, 1); err == nil {
				r.bad("work-groups of another size run")
			}
			if _, err := launch(r, m, "tickets", emu.InOrder, 4); err != nil {
				r.bad("one dimension: %v", err)
			}
			if _, err := launch(r, m, "tickets", emu.InOrder, 4, 2); err == nil {
				r.bad("two dimensions run")
			}
		}},
		{section, "kept true by every pass", []string{"MUX-19", "MUX-20"}, Anything, func(r *run) {
			want := r.bytecode(r.finalized(marked(slices.Clone(everything)...))).Kernel("order")
			for _, pass := range r.module().CreatePassMachinery().Passes() {
				if pass.Fixed() || pass.Bytecode() {
					continue
				}
				spy, m := r.spied("")
				spy.only = pass.Name
				r.compile(m, marked(slices.Clone(everything)...))
				_, _, err := m.Finalize(background)
				r.ok(err)
				got := r.bytecode(m).Kernel("order")
				if !reflect.DeepEqual(got.Meta, want.Meta) || got.ReqdLocalSize != want.ReqdLocalSize || got.ReqdSubgroup != want.ReqdSubgroup {
					r.bad("after %s: %+v, want %+v", pass.Name, got.Meta, want.Meta)
				}
			}
		}},
		{functions, "mux-kernel", attributes, Anything, func(r *run) {
			m := r.finalized(marked("order mux-kernel=entry-point", "tickets mux-kernel"))
			info, _, err := m.Finalize(background)
			r.ok(err)
			if info.Kernel("order") == nil || info.Kernel("tickets") != nil {
				r.bad("the entry points are %+v", info.Kernels)
			}
			if p := r.bytecode(m); p.Kernel("order").Meta.Inner || !p.Kernel("tickets").Meta.Inner {
				r.bad("the kernels are not told apart")
			}
			if _, err := launch(r, m, "tickets", emu.InOrder, 4); err == nil {
				r.bad("a kernel that is no entry point runs")
			}
		}},
		{functions, "mux-orig-fn and mux-base-fn-name", attributes, Anything, func(r *run) {
			p := r.bytecode(r.finalized(marked("order mux-orig-fn=original", "order mux-base-fn-name=foo")))
			k := p.Kernel("order")
			if k.Orig() != "original" || k.Base() != "foo" || k.VersionName("pass2") != "foo.pass2" {
				r.bad("%q, %q, %q", k.Orig(), k.Base(), k.VersionName("pass2"))
			}
			if k := p.Kernel("tickets"); k.Orig() != "tickets" || k.Base() != "tickets" {
				r.bad("without attributes: %q, %q", k.Orig(), k.Base())
			}
		}},
		{functions, "mux-local-mem-usage", attributes, Anything, func(r *run) {
			p := r.bytecode(r.finalized(scaleText))
			if n, m := p.Kernel("fill").Meta.LocalMemory, p.Kernel("scale").Meta.LocalMemory; n != 64 || m != 0 {
				r.bad("%d and %d bytes, want 64 and 0", n, m)
			}
		}},
		{functions, "mux-work-item-order", attributes, Anything, func(r *run) {
			size := [3]uint64{3, 2, 4}
			for order := range isa.NumWorkItemOrders {
				m := r.finalized(marked("order mux-work-item-order=" + order.String()))
				got, err := launch(r, m, "order", emu.InOrder, size[:]...)
				r.ok(err)
				// Work-item number n of the order is in sub-group n / size.
				lanes := uint64(max(r.env.Info.DeviceInfo().SubGroupSize, 1))
				dims := order.Dims()
				for at, v := range got {
					id := [3]uint64{uint64(at) % size[0], uint64(at) / size[0] % size[1], uint64(at) / size[0] / size[1]}
					n := (id[dims[2]]*size[dims[1]]+id[dims[1]])*size[dims[0]] + id[dims[0]]
					if want := uint32(n/lanes*1000 + n%lanes); v != want {
						r.bad("order %v: work-item %d is %d, want %d", order, id, v, want)
						break
					}
				}
			}
		}},
		{functions, "mux-barrier-schedule", attributes, Anything, func(r *run) {
			const n = 40
			for _, order := range []emu.Order{emu.InOrder, emu.Reverse} {
				got, err := launch(r, r.finalized(marked("tickets mux-barrier-schedule=linear")), "tickets", order, n)
				r.ok(err)
				for i, v := range got {
					if v != uint32(i) {
						r.bad("linear, %v: work-item %d is number %d", order, i, v)
						break
					}
				}
				got, err = launch(r, r.finalized(marked("tickets mux-barrier-schedule=unordered")), "tickets", order, n)
				r.ok(err)
				slices.Sort(got)
				for i, v := range got {
					if v != uint32(i) {
						r.bad("unordered, %v: number %d is missing", order, i)
						break
					}
				}
			}
		}},
		{functions, "mux-no-subgroups", attributes, Anything, func(r *run) {
			p := r.bytecode(r.finalized(marked()))
			if !p.Kernel("order").Meta.Subgroups || p.Kernel("tickets").Meta.Subgroups {
				r.bad("%v for a kernel with sub-groups, %v for one without", !p.Kernel("order").Meta.Subgroups, !p.Kernel("tickets").Meta.Subgroups)
			}
		}},
		{functions, "mux-degenerate-subgroups", attributes, Anything, func(r *run) {
			m := r.finalized(marked("order mux-degenerate-subgroups"))
			if k := r.bytecode(m).Kernel("order"); !k.Meta.DegenerateSubgroups {
				r.bad("the attribute is gone")
			}
			lanes := uint64(max(r.env.Info.DeviceInfo().SubGroupSize, 1))
			if _, err := launch(r, m, "order", emu.InOrder, lanes); err != nil {
				r.bad("one sub-group: %v", err)
			}
			if _, err := launch(r, m, "order", emu.InOrder, 2*lanes); err == nil {
				r.bad("two sub-groups run")
			}
		}},
		{functions, "unknown ones are refused", attributes, Anything, func(r *run) {
			m := r.module()
			r.compile(m, marked("order mux-no-such-thing"))
			info, _, err := m.Finalize(background)
			r.ok(err)
			if info.Kernel("order") != nil || info.Kernel("tickets") == nil || !strings.Contains(r.diag.Log(), "mux-no-such-thing") {
				r.bad("kernels %+v and the log %q", info.Kernels, r.diag.Log())
			}
		}},
	}
}
