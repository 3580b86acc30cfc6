package emu_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// metaHeader begins a module whose kernel f(global uint *out, global uint *mem)
// has the given attributes.
func metaHeader(attributes ...string) string {
	var s strings.Builder
	s.WriteString(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Groups
OpCapability SubgroupDispatch
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %lid %lsize %llin %sid %slid
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %lsize BuiltIn WorkgroupSize
OpDecorate %llin BuiltIn LocalInvocationIndex
OpDecorate %sid BuiltIn SubgroupId
OpDecorate %slid BuiltIn SubgroupLocalInvocationId
`)
	for _, a := range attributes {
		fmt.Fprintf(&s, "OpDecorate %%f UserSemantic %q\n", a)
	}
	s.WriteString(`%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vec3 = OpTypeVector %ulong 3
%pin3 = OpTypePointer Input %vec3
%pinl = OpTypePointer Input %ulong
%pini = OpTypePointer Input %uint
%pg = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %pg %pg
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c5 = OpConstant %uint 5
%c8 = OpConstant %uint 8
%c264 = OpConstant %uint 264
%c520 = OpConstant %uint 520
%l8 = OpConstant %ulong 8
%lid = OpVariable %pin3 Input
%lsize = OpVariable %pin3 Input
%llin = OpVariable %pinl Input
%sid = OpVariable %pini Input
%slid = OpVariable %pini Input
%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%mem = OpFunctionParameter %pg
%entry = OpLabel
%id3 = OpLoad %vec3 %lid
%x = OpCompositeExtract %ulong %id3 0
%y = OpCompositeExtract %ulong %id3 1
%z = OpCompositeExtract %ulong %id3 2
%n3 = OpLoad %vec3 %lsize
%nx = OpCompositeExtract %ulong %n3 0
%ny = OpCompositeExtract %ulong %n3 1
%zy = OpIMul %ulong %z %ny
%zy1 = OpIAdd %ulong %zy %y
%zyx = OpIMul %ulong %zy1 %nx
%me = OpIAdd %ulong %zyx %x
%item = OpUConvert %uint %me
`)
	return s.String()
}

func assembleMeta(t testing.TB, text string) []byte {
	t.Helper()
	data, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func metaKernel(t testing.TB, d *emu.Device, text string) *emu.Kernel {
	t.Helper()
	p, err := d.NewProgram(assembleMeta(t, text), emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// orderBody stores, at 8 words of each work-item by its own arithmetic, its place
// in its sub-group, its sub-group, its local linear id and the ticket that it drew.
const orderBody = `%at8 = OpIMul %ulong %me %l8
%t = OpAtomicIAdd %uint %mem %c1 %c520 %c1
%sidv = OpLoad %uint %sid
%slidv = OpLoad %uint %slid
%llinv = OpLoad %ulong %llin
%llini = OpUConvert %uint %llinv
%p0 = OpInBoundsPtrAccessChain %pg %out %at8
OpStore %p0 %slidv
%p1 = OpInBoundsPtrAccessChain %pg %p0 %c1
OpStore %p1 %sidv
%p2 = OpInBoundsPtrAccessChain %pg %p0 %c2
OpStore %p2 %llini
%p3 = OpInBoundsPtrAccessChain %pg %p0 %c3
OpStore %p3 %t
OpReturn
OpFunctionEnd
`

// TestWorkItemOrders checks, for each order, which work-items are neighbours in
// a sub-group, in which order they draw tickets, and that their ids are still theirs.
func TestWorkItemOrders(t *testing.T) {
	for o := range isa.NumWorkItemOrders {
		for _, local := range [][]uint64{{12}, {3, 5}, {4, 3, 5}, {8, 4, 2}} {
			for _, lanes := range []int{0, 8, 64} {
				d := device(t, emu.DeviceOptions{SubgroupSize: 8, WaveLanes: lanes})
				k := metaKernel(t, d, metaHeader("mux-work-item-order="+o.String())+orderBody)
				size, n := [3]uint32{1, 1, 1}, uint64(1)
				for i, s := range local {
					size[i] = uint32(s)
					n *= s
				}
				out, mem := buffer(t, d, make([]uint32, n*8)...), buffer(t, d, uint32(0))
				mustRun(t, &emu.Launch{Kernel: k, Args: []emu.Arg{out, mem}, Range: emu.NDRange{Global: local, Local: local}})
				got := contents[uint32](t, out)
				for i := range n {
					id := o.Item(size, i)
					linear := (uint64(id[2])*uint64(size[1])+uint64(id[1]))*uint64(size[0]) + uint64(id[0])
					want := []uint32{uint32(i % 8), uint32(i / 8), uint32(linear), uint32(i)}
					if row := got[linear*8:][:4]; !slices.Equal(row, want) {
						t.Errorf("order %s, local size %v, waves of %d: work-item %v has %d, expected %d", o, local, lanes, id, row, want)
					}
				}
			}
		}
	}
}

// TestOrderInFindings checks that a finding names the work-item by its own ids,
// and lists of work-items by local linear ids.
func TestOrderInFindings(t *testing.T) {
	d := device(t, emu.DeviceOptions{SubgroupSize: 8})
	fault := metaKernel(t, d, metaHeader("mux-work-item-order=yxz")+`%y1 = OpIEqual %bool %me %l8
OpSelectionMerge %end None
OpBranchConditional %y1 %bad %end
%bad = OpLabel
%p = OpInBoundsPtrAccessChain %pg %out %c520
OpStore %p %c1
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`)
	local := []uint64{4, 3}
	l := emu.Launch{Kernel: fault, Args: []emu.Arg{buffer(t, d, uint32(0)), buffer(t, d, uint32(0))}, Range: emu.NDRange{Global: local, Local: local}}
	var fe *emu.FindingsError
	if _, err := l.Run(context.Background()); !errors.As(err, &fe) {
		t.Fatal(err)
	}
	// Linear id 8 is (0,2), number 2 in the order of y and x.
	if w := fe.Findings.Findings[0].WorkItem; w.Local != [3]uint64{0, 2, 0} || w.Lane != 2 {
		t.Errorf("work-item %+v", w)
	}

	l.Trace = trace.New(trace.Options{})
	if _, err := l.Run(context.Background()); !errors.As(err, &fe) {
		t.Fatal(err)
	}
	for _, write := range []func(io.Writer) error{func(w io.Writer) error { return l.Trace.WriteText(w, trace.TextOptions{}) }, l.Trace.WriteChrome} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "yxz") {
			t.Errorf("the trace does not say how work-items are numbered:\n%s", b.String())
		}
	}
	l.Trace = nil

	parked := metaKernel(t, d, metaHeader("mux-work-item-order=yxz")+`%low = OpULessThan %bool %me %l8
OpSelectionMerge %end None
OpBranchConditional %low %wait %end
%wait = OpLabel
OpControlBarrier %c2 %c2 %c264
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`)
	l.Kernel, l.Check = parked, true
	res, err := l.Run(context.Background())
	if res == nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range res.Findings.Findings {
		if f.Code == finding.PartialBarrier {
			found = true
			if got := fmt.Sprint(f.Parties[0].Items, f.Parties[1].Items); got != "0–7 8–11" {
				t.Errorf("waiting and ended: %s", got)
			}
		}
	}
	if !found {
		t.Errorf("no finding about the barrier: %v", err)
	}
}

// barrierKernel is a kernel of three regions: what is behind its first barrier
// runs under a schedule, and is the text at hand.
func barrierKernel(schedule, region string, more ...string) string {
	attrs := append([]string{}, more...)
	return strings.Replace(metaHeader(attrs...), "%void = OpTypeVoid", "OpDecorate %g UserSemantic \"mux-barrier-schedule="+schedule+"\"\n%void = OpTypeVoid\n%vfn = OpTypeFunction %void", 1) +
		"%call = OpFunctionCall %void %g\n" + region + `OpControlBarrier %c2 %c2 %c264
%acc = OpLoad %uint %mem
%po = OpInBoundsPtrAccessChain %pg %out %me
%po2 = OpInBoundsPtrAccessChain %pg %po %c264
OpStore %po2 %acc
OpReturn
OpFunctionEnd
%g = OpFunction %void None %vfn
%ge = OpLabel
OpControlBarrier %c2 %c2 %c264
OpReturn
OpFunctionEnd
`
}

// fold is a region that changes memory step by step without atomics: its result
// tells in which order work-items went through it. It has a branch that differs by
// work-item and a uniform value that is used behind it.
const foldRegion = `%old = OpLoad %uint %mem
%w0 = OpInBoundsPtrAccessChain %pg %out %me
OpStore %w0 %old
%bit = OpBitwiseAnd %uint %item %c1
%odd = OpIEqual %bool %bit %c1
OpSelectionMerge %join None
OpBranchConditional %odd %then %join
%then = OpLabel
%twice = OpIMul %uint %old %c3
OpBranch %join
%join = OpLabel
%v = OpPhi %uint %old %entry %twice %then
%new = OpIAdd %uint %v %item
%new5 = OpIAdd %uint %new %c5
OpStore %mem %new5
`

// runBarriers runs a kernel in groups of n work-items and returns what it left.
func runBarriers(t *testing.T, text string, n uint64, opt emu.DeviceOptions, s emu.Schedule) (first, second []uint32, mem uint32) {
	t.Helper()
	d := device(t, opt)
	k := metaKernel(t, d, text)
	out, acc := buffer(t, d, make([]uint32, 600)...), buffer(t, d, uint32(1))
	mustRun(t, &emu.Launch{Kernel: k, Args: []emu.Arg{out, acc}, Range: emu.NDRange{Global: []uint64{n}, Local: []uint64{n}}, Schedule: s})
	got := contents[uint32](t, out)
	return got[:n], got[264:][:n], contents[uint32](t, acc)[0]
}

var barrierSchedules = []emu.Schedule{{}, {Order: emu.Reverse}, {Order: emu.Seeded, Seed: 7}}

// TestBarrierLinear checks that work-items go through a region one after the
// other, whatever the width of waves and the schedule of the launch.
func TestBarrierLinear(t *testing.T) {
	const n = 70
	want, acc := make([]uint32, n), uint32(1)
	for i := range want {
		want[i] = acc
		if i%2 == 1 {
			acc *= 3
		}
		acc += uint32(i) + 5
	}
	for _, lanes := range []int{8, 16, 128} {
		for _, s := range barrierSchedules {
			first, second, mem := runBarriers(t, barrierKernel("linear", foldRegion), n, emu.DeviceOptions{SubgroupSize: 8, WaveLanes: lanes}, s)
			if !slices.Equal(first, want) || mem != acc {
				t.Errorf("waves of %d, %v: memory %d and %d, expected %d and %d", lanes, s, first, mem, want, acc)
			}
			for i, x := range second {
				if x != acc {
					t.Errorf("waves of %d, %v: work-item %d reads %d behind the region, expected %d", lanes, s, i, x, acc)
				}
			}
		}
	}
	// Without the schedule a wave goes through in lockstep.
	first, _, _ := runBarriers(t, barrierKernel("unordered", foldRegion), n, emu.DeviceOptions{SubgroupSize: 8, WaveLanes: 128}, emu.Schedule{})
	if slices.Equal(first, want) || first[0] != first[n-1] {
		t.Errorf("unordered: %d", first)
	}
}

// ticketRegion draws a ticket for each work-item.
const ticketRegion = `%ticket = OpAtomicIAdd %uint %mem %c1 %c520 %c1
%w0 = OpInBoundsPtrAccessChain %pg %out %me
OpStore %w0 %ticket
`

// TestBarrierScalarTail checks that a sub-group that is not whole comes last,
// and goes through item by item.
func TestBarrierScalarTail(t *testing.T) {
	const n = 42
	reverse := emu.Schedule{Order: emu.Reverse}
	opt := emu.DeviceOptions{SubgroupSize: 16, WaveLanes: 16}
	tickets, _, _ := runBarriers(t, barrierKernel("unordered", ticketRegion), n, opt, reverse)
	if tickets[32] != 1 || tickets[41] != 10 {
		t.Errorf("unordered, waves in reverse: %d", tickets)
	}
	tickets, _, _ = runBarriers(t, barrierKernel("scalar-tail", ticketRegion), n, opt, reverse)
	for i := range 10 {
		if tickets[32+i] != uint32(33+i) {
			t.Errorf("work-item %d of the tail has ticket %d", 32+i, tickets[32+i])
		}
	}
	if tickets[16] != 1 || tickets[0] != 17 {
		t.Errorf("the whole sub-groups go in the order of the launch: %d", tickets)
	}
	// Item by item: the tail folds, what is ahead of it goes in lockstep.
	for _, lanes := range []int{16, 64} {
		first, _, _ := runBarriers(t, barrierKernel("scalar-tail", foldRegion), n, emu.DeviceOptions{SubgroupSize: 16, WaveLanes: lanes}, emu.Schedule{})
		acc := first[32]
		for i := 32; i < n; i++ {
			if first[i] != acc {
				t.Errorf("waves of %d: work-item %d of the tail reads %d, expected %d", lanes, i, first[i], acc)
			}
			if i%2 == 1 {
				acc *= 3
			}
			acc += uint32(i) + 5
		}
		if first[0] != first[15] {
			t.Errorf("waves of %d: a whole sub-group does not go in lockstep: %d", lanes, first)
		}
	}
}

// TestBarrierOnce checks that a region runs for one work-item only and that the
// others go on behind it.
func TestBarrierOnce(t *testing.T) {
	region := `%ticket = OpAtomicIAdd %uint %mem %c1 %c520 %c5
`
	for _, n := range []uint64{1, 20, 70} {
		for _, lanes := range []int{8, 128} {
			for _, s := range barrierSchedules {
				opt := emu.DeviceOptions{SubgroupSize: 8, WaveLanes: lanes}
				_, second, mem := runBarriers(t, barrierKernel("once", region), n, opt, s)
				if mem != 6 || second[0] != 6 || second[n-1] != 6 {
					t.Errorf("%d work-items, waves of %d, %v: memory %d, %d", n, lanes, s, mem, second)
				}
				_, _, mem = runBarriers(t, barrierKernel("unordered", region), n, opt, s)
				if mem != uint32(1+5*n) {
					t.Errorf("%d work-items, waves of %d, %v, unordered: memory %d", n, lanes, s, mem)
				}
			}
		}
	}
	// A value that the other work-items do not have is refused.
	leak := strings.Replace(barrierKernel("once", "%u = OpLoad %uint %mem\n"), "OpStore %po2 %acc", "OpStore %po2 %u", 1)
	_, err := device(t, emu.DeviceOptions{}).NewProgram(assembleMeta(t, leak), emu.ProgramOptions{})
	if err == nil || !strings.Contains(err.Error(), "is used outside") {
		t.Errorf("a value that leaves the region: %v", err)
	}
}

// TestBarrierScheduleEnds checks regions that end with the kernel, and groups of
// which some work-items have ended before.
func TestBarrierScheduleEnds(t *testing.T) {
	for _, schedule := range []string{"unordered", "once", "scalar-tail", "linear"} {
		text := metaHeader("mux-barrier-schedule="+schedule) + `%gone = OpULessThan %bool %me %l8
OpSelectionMerge %go None
OpBranchConditional %gone %stop %go
%stop = OpLabel
OpReturn
%go = OpLabel
OpControlBarrier %c2 %c2 %c264
%ticket = OpAtomicIAdd %uint %mem %c1 %c520 %c1
%w0 = OpInBoundsPtrAccessChain %pg %out %me
OpStore %w0 %ticket
OpReturn
OpFunctionEnd
`
		d := device(t, emu.DeviceOptions{SubgroupSize: 8, WaveLanes: 16})
		k := metaKernel(t, d, text)
		const n = 30
		out, acc := buffer(t, d, make([]uint32, n)...), buffer(t, d, uint32(1))
		l := emu.Launch{Kernel: k, Args: []emu.Arg{out, acc}, Range: emu.NDRange{Global: []uint64{n}, Local: []uint64{n}}}
		if res, err := l.Run(context.Background()); res == nil {
			t.Fatal(err)
		}
		want := make([]uint32, n)
		for i := range want[8:] {
			if want[8+i] = uint32(i) + 1; schedule == "once" && i > 0 {
				want[8+i] = 0
			}
		}
		if got := contents[uint32](t, out); !slices.Equal(got, want) {
			t.Errorf("%s: %d, expected %d", schedule, got, want)
		}
	}
}

// TestAttributesRefuse checks launches that the module's attributes rule out.
func TestAttributesRefuse(t *testing.T) {
	d := device(t, emu.DeviceOptions{SubgroupSize: 8, FixedSubgroups: true})
	run := func(attr string, local ...uint64) error {
		k := metaKernel(t, d, metaHeader(attr)+orderBody)
		n := uint64(1)
		for _, s := range local {
			n *= s
		}
		l := emu.Launch{Kernel: k, Args: []emu.Arg{buffer(t, d, make([]uint32, n*8)...), buffer(t, d, uint32(0))}, Range: emu.NDRange{Global: local, Local: local}}
		_, err := l.Run(context.Background())
		return err
	}
	for _, x := range []struct {
		attr  string
		local []uint64
		want  string
	}{
		{"max_work_dim=2", []uint64{2, 2}, ""},
		{"max_work_dim=1", []uint64{2, 2}, "2 dimensions, but the module allows 1"},
		{"reqd_work_group_size=4,2,1", []uint64{4, 2}, ""},
		{"reqd_work_group_size=4,2,1", []uint64{2, 4}, "requires [4 2]"},
		{"intel_reqd_sub_group_size=8", []uint64{8}, ""},
		{"intel_reqd_sub_group_size=16", []uint64{8}, "requires sub-groups of 16"},
		{"mux-degenerate-subgroups", []uint64{8}, ""},
		{"mux-degenerate-subgroups", []uint64{9}, "one sub-group"},
		{"mux-kernel=entry-point", []uint64{8}, ""},
		{"mux-kernel", []uint64{8}, "no entry point"},
	} {
		err := run(x.attr, x.local...)
		var re *emu.RangeError
		if x.want == "" && err != nil || x.want != "" && (!errors.As(err, &re) || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s, local size %v: %v, expected %q", x.attr, x.local, err, x.want)
		}
	}
}

// TestRequiredSubgroups runs kernels that require sizes of their own on one device.
func TestRequiredSubgroups(t *testing.T) {
	d := device(t, emu.DeviceOptions{SubgroupSize: 8})
	if got, want := d.Limits().SubgroupSizes(), []int{1, 2, 4, 8, 16, 32, 64, 128}; !slices.Equal(got, want) {
		t.Errorf("the device has sub-groups of %d, expected %d", got, want)
	}
	for _, size := range []int{0, 1, 16, 128} {
		attr, want := "max_work_dim=1", 8
		if size > 0 {
			attr, want = fmt.Sprintf("intel_reqd_sub_group_size=%d", size), size
		}
		k := metaKernel(t, d, metaHeader(attr)+orderBody)
		l := emu.Launch{Kernel: k, Args: []emu.Arg{buffer(t, d, make([]uint32, 64)...), buffer(t, d, uint32(0))}, Range: emu.NDRange{Global: []uint64{8}, Local: []uint64{8}}}
		res, err := l.Run(context.Background())
		if err != nil {
			t.Errorf("%s: %v", attr, err)
			continue
		}
		if res.SubgroupSize != want || k.Info().SubgroupSize != want {
			t.Errorf("%s: sub-groups of %d and %d, expected %d", attr, res.SubgroupSize, k.Info().SubgroupSize, want)
		}
	}
	narrow := device(t, emu.DeviceOptions{SubgroupSize: 8, WaveLanes: 8})
	k := metaKernel(t, narrow, metaHeader("intel_reqd_sub_group_size=16")+orderBody)
	_, err := k.Run(context.Background(), emu.Range(8), buffer(t, narrow, make([]uint32, 64)...), buffer(t, narrow, uint32(0)))
	if err == nil || !strings.Contains(err.Error(), "waves of 8") {
		t.Errorf("waves of half a sub-group: %v", err)
	}
}

// TestBarrierScalars checks values that are the same for all work-items in
// regions that those go through one after the other: one that is made ahead of the
// region and overwritten in it, and one that is made in the region, but not by the
// last work-item, which ends there.
func TestBarrierScalars(t *testing.T) {
	text := metaHeader("mux-barrier-schedule=linear") + `%before = OpIMul %ulong %nx %nx
OpControlBarrier %c2 %c2 %c264
%r = OpIAdd %ulong %me %before
%bit = OpBitwiseAnd %uint %item %c1
%odd = OpIEqual %bool %bit %c1
OpSelectionMerge %join None
OpBranchConditional %odd %then %join
%then = OpLabel
OpStore %mem %item
OpBranch %join
%join = OpLabel
%left = OpISub %ulong %nx %me
%lefti = OpUConvert %uint %left
%isLast = OpIEqual %bool %lefti %c1
OpSelectionMerge %go None
OpBranchConditional %isLast %stop %go
%stop = OpLabel
OpReturn
%go = OpLabel
%ny3 = OpIAdd %ulong %ny %l8
%inside = OpIMul %ulong %ny3 %nx
OpSelectionMerge %join2 None
OpBranchConditional %odd %then2 %join2
%then2 = OpLabel
OpStore %mem %item
OpBranch %join2
%join2 = OpLabel
%sum = OpIAdd %ulong %r %inside
OpControlBarrier %c2 %c2 %c264
%all = OpIAdd %ulong %sum %inside
%result = OpUConvert %uint %all
%po = OpInBoundsPtrAccessChain %pg %out %me
OpStore %po %result
OpReturn
OpFunctionEnd
`
	const n = 20
	for _, lanes := range []int{8, 64} {
		d := device(t, emu.DeviceOptions{SubgroupSize: 8, WaveLanes: lanes})
		k := metaKernel(t, d, text)
		out := buffer(t, d, make([]uint32, n)...)
		l := emu.Launch{Kernel: k, Args: []emu.Arg{out, buffer(t, d, uint32(0))}, Range: emu.NDRange{Global: []uint64{n}, Local: []uint64{n}}}
		if res, err := l.Run(context.Background()); res == nil {
			t.Fatal(err)
		}
		want := make([]uint32, n)
		for i := range want[:n-1] {
			want[i] = uint32(i) + n*n + 2*(1+8)*n
		}
		if got := contents[uint32](t, out); !slices.Equal(got, want) {
			t.Errorf("waves of %d: %d, expected %d", lanes, got, want)
		}
	}
}
