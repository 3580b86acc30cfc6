package isa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ProgramMeta is what a program carries besides its kernels: the module metadata
// of the ComputeMux compiler specification ("Metadata").
type ProgramMeta struct {
	// OpenCL is the version of OpenCL C that the module is compatible with
	// (opencl.ocl.version); the zero Version when it does not say, which is to be
	// taken for 1.2.
	OpenCL Version
	// SchedulingParams names the scheduling parameters of the target
	// (mux-scheduling-params), which ScheduledFn.Params of kernels count.
	SchedulingParams []string
}

// Version is a version of OpenCL C.
type Version struct{ Major, Minor uint8 }

// String returns "2.0", and "" for the zero Version.
func (v Version) String() string {
	if v == (Version{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// KernelMeta is what a kernel carries besides its code and what [Kernel] has of
// its own: the function metadata and attributes of the ComputeMux compiler
// specification ("Metadata", "Function Attributes"). The required work-group and
// sub-group sizes are Kernel.ReqdLocalSize and Kernel.ReqdSubgroup.
type KernelMeta struct {
	// MaxWorkDim is the largest number of dimensions that a launch may have
	// (max_work_dim), 0 when the module does not say: 3.
	MaxWorkDim uint32
	// Inner says that no launch may start the kernel (mux-kernel without
	// "entry-point"): it is there to be named by others.
	Inner bool
	// OrigName is the name of the function that the kernel was made from
	// (mux-orig-fn), BaseName the one that names of further versions are made
	// from (mux-base-fn-name, see [Kernel.VersionName]); "" is the kernel's own name.
	OrigName, BaseName string
	// LocalMemory is the LDS that the kernel declares, in bytes, without what
	// its arguments bring (mux-local-mem-usage). It is computed.
	LocalMemory uint64
	// Order says which work-items are neighbours (mux-work-item-order).
	Order WorkItemOrder
	// Barriers is the schedule of work-group barriers that have none of their own
	// (mux-barrier-schedule): see [Inst.Schedule].
	Barriers BarrierSchedule
	// Subgroups says that something in the code depends on sub-groups; when it is
	// false the kernel has the attribute mux-no-subgroups. It is computed.
	Subgroups bool
	// DegenerateSubgroups says that a work-group is one sub-group
	// (mux-degenerate-subgroups): known from the required sizes, or asked for by
	// the module, and then launches of larger work-groups are refused.
	DegenerateSubgroups bool

	// Scheduled has the scheduling parameters of the kernel (mux_scheduled_fn);
	// nil for none.
	Scheduled *ScheduledFn
	// Wrapper says how the kernel was stitched together from others
	// (codeplay_ca_wrapper); nil when it was not.
	Wrapper *Wrapper
	// VectorForms are the kernels that are this one for wider waves
	// (codeplay_ca_vecz.base), VectorOf is the one that this one is a form of
	// (codeplay_ca_vecz.derived), VectorFailed the widths for which there can be
	// none (codeplay_ca_vecz.base.fail).
	VectorForms  []VectorLink
	VectorOf     *VectorLink
	VectorFailed []VectorOptions
}

// ScheduledFn has indices of parameters of a kernel: of the pointers to the
// work-item info and to the work-group info, and of up to two more that a target
// has use for. -1 stands for a parameter that the kernel does not have.
type ScheduledFn struct{ Params []int32 }

// VectorOptions are the options of a vectorization: the width in lanes, which is
// that of a wave here.
type VectorOptions struct {
	Width    uint32 // lanes; of a scalable width, those of its unit
	Scalable bool
	Dim      uint8 // dimension along which lanes are neighbours: 0, 1 or 2
	// Predicated says that lanes without a work-item are masked, so that no tail
	// is needed.
	Predicated bool
}

// String returns "16", "16,dim=1", "vscale*4,predicated".
func (o VectorOptions) String() string {
	s := fmt.Sprint(o.Width)
	if o.Scalable {
		s = "vscale*" + s
	}
	if o.Dim != 0 {
		s += fmt.Sprintf(",dim=%d", o.Dim)
	}
	if o.Predicated {
		s += ",predicated"
	}
	return s
}

// VectorLink links a kernel with one that is the same for other waves.
type VectorLink struct {
	Options VectorOptions
	Kernel  string // its name
}

// Wrapper says of what a kernel consists that was stitched together: the main
// part, which takes whole waves, and the tail for the rest.
type Wrapper struct {
	Main VectorOptions
	Tail *VectorOptions // nil for none
}

// WorkItemOrder says in which order a work-group's work-items follow each other:
// dimensions from the innermost to the outermost. Neighbours in that order share
// a sub-group.
type WorkItemOrder uint8

// The orders (utils_work_item_order_e).
const (
	OrderXYZ WorkItemOrder = iota
	OrderXZY
	OrderYXZ
	OrderYZX
	OrderZXY
	OrderZYX
	NumWorkItemOrders
)

var orderDims = [NumWorkItemOrders][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// Dims returns the dimensions, the innermost first.
func (o WorkItemOrder) Dims() [3]int {
	if o >= NumWorkItemOrders {
		return orderDims[OrderXYZ]
	}
	return orderDims[o]
}

// String returns "xyz", "zyx" and so on.
func (o WorkItemOrder) String() string {
	if o >= NumWorkItemOrders {
		return fmt.Sprintf("order(%d)", uint8(o))
	}
	d := o.Dims()
	return string([]byte{"xyz"[d[0]], "xyz"[d[1]], "xyz"[d[2]]})
}

// ParseWorkItemOrder reads what [WorkItemOrder.String] writes.
func ParseWorkItemOrder(s string) (WorkItemOrder, error) {
	for o := range NumWorkItemOrders {
		if o.String() == s {
			return o, nil
		}
	}
	return 0, fmt.Errorf("work-item order %q; there are xyz, xzy, yxz, yzx, zxy, zyx", s)
}

// Item returns the local id of the work-item that is number n, from 0, in a
// work-group of the given size.
func (o WorkItemOrder) Item(size [3]uint32, n uint64) (id [3]uint32) {
	d := o.Dims()
	inner, middle := uint64(max(size[d[0]], 1)), uint64(max(size[d[1]], 1))
	id[d[0]] = uint32(n % inner)
	id[d[1]] = uint32(n / inner % middle)
	id[d[2]] = uint32(n / inner / middle)
	return id
}

// Linear returns the local linear id, in which x always is the innermost
// dimension, of the work-item that is number n.
func (o WorkItemOrder) Linear(size [3]uint32, n uint64) uint64 {
	if o == OrderXYZ {
		return n
	}
	id := o.Item(size, n)
	return (uint64(id[2])*uint64(size[1])+uint64(id[1]))*uint64(size[0]) + uint64(id[0])
}

// BarrierSchedule says in which order work-items go on behind a barrier of the
// work-group, up to the next barrier or to their end (the region of the barrier).
type BarrierSchedule uint8

// The schedules (BarrierSchedule of the ComputeMux compiler).
const (
	// ScheduleUnordered is any order: waves side by side, as the launch's
	// schedule says.
	ScheduleUnordered BarrierSchedule = iota
	// ScheduleOnce runs the region for the first work-item only, and takes the
	// others to where that one comes. The region must be the same for all of
	// them, and no value of it may be used outside.
	ScheduleOnce
	// ScheduleScalarTail runs whole sub-groups first, and then the work-items
	// of a sub-group that is not whole.
	ScheduleScalarTail
	// ScheduleLinear runs the work-items in their order, one after the other:
	// sub-groups as a whole where the kernel has operations across lanes.
	ScheduleLinear
	NumBarrierSchedules
)

var scheduleNames = [NumBarrierSchedules]string{"unordered", "once", "scalar-tail", "linear"}

// String returns the schedule's name.
func (s BarrierSchedule) String() string {
	if s < NumBarrierSchedules {
		return scheduleNames[s]
	}
	return fmt.Sprintf("schedule(%d)", uint8(s))
}

// ParseBarrierSchedule reads what [BarrierSchedule.String] writes.
func ParseBarrierSchedule(s string) (BarrierSchedule, error) {
	for i, n := range scheduleNames {
		if n == s {
			return BarrierSchedule(i), nil
		}
	}
	return 0, fmt.Errorf("barrier schedule %q; there are %s", s, strings.Join(scheduleNames[:], ", "))
}

// Schedule returns the schedule of a work-group barrier: the low bits of Imm.
func (in *Inst) Schedule() BarrierSchedule {
	if in.Op != OpBarrier {
		return ScheduleUnordered
	}
	return BarrierSchedule(in.Imm & (1<<orderShift - 1))
}

// Base returns the name that names of further versions of the kernel are made
// from.
func (k *Kernel) Base() string {
	if k.Meta.BaseName != "" {
		return k.Meta.BaseName
	}
	return k.Name
}

// Orig returns the name of the function that the kernel was made from.
func (k *Kernel) Orig() string {
	if k.Meta.OrigName != "" {
		return k.Meta.OrigName
	}
	return k.Name
}

// VersionName returns the name of a further version of the kernel: its base
// name and the suffix, with a full stop in between. Versions of versions have no
// suffix upon a suffix. Who makes the version sets its BaseName to k.Base() and
// its OrigName to k.Orig().
func (k *Kernel) VersionName(suffix string) string { return k.Base() + "." + suffix }

// Specialization is what a kernel was compiled for: a launch that differs cannot
// run it. What is nil was left open.
type Specialization struct {
	// Dim is the number of dimensions, 0 when it was left open.
	Dim int
	// Global is the number of work-items, Offset that of the first, Local the
	// work-group size; 1, 0 and 1 in unused dimensions.
	Global, Offset *[3]uint64
	Local          *[3]uint32
	// Args has the values of parameters of kind ParamValue.
	Args []SpecializedArg
}

// SpecializedArg is the value of a parameter: all its bytes.
type SpecializedArg struct {
	Param int
	Value []byte
}

// Clone returns a copy that shares nothing; nil for nil.
func (s *Specialization) Clone() *Specialization {
	if s == nil {
		return nil
	}
	c := &Specialization{Dim: s.Dim, Args: slices.Clone(s.Args)}
	for i := range c.Args {
		c.Args[i].Value = slices.Clone(c.Args[i].Value)
	}
	if s.Global != nil {
		v := *s.Global
		c.Global = &v
	}
	if s.Offset != nil {
		v := *s.Offset
		c.Offset = &v
	}
	if s.Local != nil {
		v := *s.Local
		c.Local = &v
	}
	return c
}

// Arg returns the value of a parameter; nil when it was left open.
func (s *Specialization) Arg(param int) []byte {
	if s == nil {
		return nil
	}
	for i := range s.Args {
		if s.Args[i].Param == param {
			return s.Args[i].Value
		}
	}
	return nil
}

// ParseVectorOptions reads what [VectorOptions.String] writes.
func ParseVectorOptions(s string) (VectorOptions, error) {
	var o VectorOptions
	parts := strings.Split(s, ",")
	width, scalable := strings.CutPrefix(parts[0], "vscale*")
	n, err := strconv.ParseUint(width, 10, 32)
	if err != nil || n == 0 {
		return o, fmt.Errorf("vectorization %q: the width is a number of lanes from 1 on", s)
	}
	o.Width, o.Scalable = uint32(n), scalable
	for _, p := range parts[1:] {
		switch p {
		case "dim=0", "dim=1", "dim=2":
			o.Dim = p[4] - '0'
		case "predicated":
			o.Predicated = true
		default:
			return o, fmt.Errorf("vectorization %q: %q is neither dim=0 to dim=2 nor predicated", s, p)
		}
	}
	return o, nil
}

// UsesSubgroups says whether anything in the code depends on sub-groups.
func (k *Kernel) UsesSubgroups() bool {
	for i := range k.Code {
		in := &k.Code[i]
		switch op := in.Op; {
		case op >= OpShuffle && op <= OpBlockStore, op == OpImageBlockRead, op == OpImageBlockWrite:
			return true
		case op == OpBuiltin && Builtin(in.Imm) >= BuiltinSubgroupSize && Builtin(in.Imm) <= BuiltinSubgroupLocalID:
			return true
		case op == OpBarrier && Scope(in.Imm2) == ScopeSubgroup:
			return true
		case op == OpPipe && int(in.Imm) < len(k.PipeAccesses) && k.PipeAccesses[in.Imm].Scope == ScopeSubgroup:
			return true
		}
	}
	return false
}
