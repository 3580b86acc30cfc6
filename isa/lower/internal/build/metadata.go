package build

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Metadata and attributes of the ComputeMux compiler specification. SPIR-V has
// words of its own for some of them: execution modes and OpSource. For the others a
// module decorates the function with UserSemantic and a string, "NAME" or
// "NAME=VALUE", or several of them with spaces in between, with the names that the
// specification has. In OpenCL C that is __attribute__((annotate("…"))), of which
// translators may keep only one. Strings of other names are somebody else's business.

// attribute is a part of a UserSemantic string.
type attribute struct {
	in          spirv.Inst
	name, value string
}

// semantics returns what the UserSemantic strings of an id say.
func (m *Module) semantics(id spirv.ID) []attribute {
	var list []attribute
	for _, from := range append([]spirv.ID{id}, m.groups[id]...) {
		for _, in := range m.userSemantics[from] {
			for _, part := range strings.Fields(in.StringOperand(2)) {
				a := attribute{in: in}
				a.name, a.value, _ = strings.Cut(part, "=")
				list = append(list, a)
			}
		}
	}
	return list
}

// metadata reads what the module says about the entry point's function.
func (b *Builder) metadata(id spirv.ID) {
	meta := &b.Kernel.Meta
	for _, in := range b.Module.modes[id] {
		if spirv.ExecutionMode(in.Operand(1)) == spirv.ExecutionModeMaxWorkDimINTEL {
			meta.MaxWorkDim = in.Operand(2)
		}
	}
	at := b.In
	seen := map[string]bool{}
	for _, a := range b.Module.semantics(id) {
		b.In = a.in
		if seen[a.name] && !strings.HasPrefix(a.name, "codeplay_ca_vecz.") && attributes[a.name] != nil {
			b.Fail("the attribute %q is given twice", a.name)
		}
		seen[a.name] = true
		read, ok := attributes[a.name]
		if !ok {
			if strings.HasPrefix(a.name, "mux-") || strings.HasPrefix(a.name, "mux_") || strings.HasPrefix(a.name, "codeplay_ca_") {
				b.Fail("the attribute %q is unknown", a.name)
			}
			continue
		}
		if err := read(b, a.value); err != nil {
			b.Fail("the attribute %q: %v", a.name, err)
		}
	}
	b.In = at
	if meta.MaxWorkDim > 3 {
		b.Fail("at most %d dimensions; there are 3", meta.MaxWorkDim)
	}
}

// attributes has what reads the value of each attribute.
var attributes = map[string]func(*Builder, string) error{
	"reqd_work_group_size": func(b *Builder, s string) error {
		n, err := numbers(s, 3, 3, 1, 1<<32-1)
		if err != nil {
			return err
		}
		size := [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])}
		if was := b.Kernel.ReqdLocalSize; was != [3]uint32{} && was != size {
			return fmt.Errorf("the execution mode says %v", was)
		}
		b.Kernel.ReqdLocalSize = size
		return nil
	},
	"max_work_dim": func(b *Builder, s string) error {
		n, err := numbers(s, 1, 1, 1, 3)
		if err != nil {
			return err
		}
		if was := b.Kernel.Meta.MaxWorkDim; was != 0 && was != uint32(n[0]) {
			return fmt.Errorf("the execution mode says %d", was)
		}
		b.Kernel.Meta.MaxWorkDim = uint32(n[0])
		return nil
	},
	"intel_reqd_sub_group_size": func(b *Builder, s string) error {
		n, err := numbers(s, 1, 1, 1, 1<<16)
		if err != nil {
			return err
		}
		if was := b.Kernel.ReqdSubgroup; was != 0 && was != uint32(n[0]) {
			return fmt.Errorf("the execution mode says %d", was)
		}
		b.Kernel.ReqdSubgroup = uint32(n[0])
		return nil
	},
	"opencl.ocl.version": func(b *Builder, s string) error {
		n, err := numbers(s, 2, 2, 0, 255)
		if err != nil {
			return err
		}
		b.Module.Program.Meta.OpenCL = isa.Version{Major: uint8(n[0]), Minor: uint8(n[1])}
		return nil
	},
	"mux-scheduling-params": func(b *Builder, s string) error {
		names := strings.Split(s, ",")
		if was := b.Module.Program.Meta.SchedulingParams; was != nil && strings.Join(was, ",") != s {
			return fmt.Errorf("another kernel of the module has %q", strings.Join(was, ","))
		}
		b.Module.Program.Meta.SchedulingParams = names
		return nil
	},
	"mux_scheduled_fn": func(b *Builder, s string) error {
		n, err := numbers(s, 2, 4, -1<<31, 1<<31-1)
		if err != nil {
			return err
		}
		fn := &isa.ScheduledFn{}
		for _, x := range n {
			fn.Params = append(fn.Params, int32(max(x, -1)))
		}
		b.Kernel.Meta.Scheduled = fn
		return nil
	},
	"codeplay_ca_wrapper": func(b *Builder, s string) error {
		main, tail, both := strings.Cut(s, ";")
		w := &isa.Wrapper{}
		var err error
		if w.Main, err = isa.ParseVectorOptions(main); err != nil {
			return err
		}
		if both {
			o, err := isa.ParseVectorOptions(tail)
			if err != nil {
				return err
			}
			w.Tail = &o
		}
		b.Kernel.Meta.Wrapper = w
		return nil
	},
	"codeplay_ca_vecz.base": func(b *Builder, s string) error {
		l, err := vectorLink(s)
		b.Kernel.Meta.VectorForms = append(b.Kernel.Meta.VectorForms, l)
		return err
	},
	"codeplay_ca_vecz.derived": func(b *Builder, s string) error {
		if b.Kernel.Meta.VectorOf != nil {
			return fmt.Errorf("a function is derived from one other at most")
		}
		l, err := vectorLink(s)
		b.Kernel.Meta.VectorOf = &l
		return err
	},
	"codeplay_ca_vecz.base.fail": func(b *Builder, s string) error {
		o, err := isa.ParseVectorOptions(s)
		b.Kernel.Meta.VectorFailed = append(b.Kernel.Meta.VectorFailed, o)
		return err
	},
	"mux-kernel": func(b *Builder, s string) error {
		b.Kernel.Meta.Inner = s == ""
		if s != "" && s != "entry-point" {
			return fmt.Errorf("%q; it is entry-point or nothing", s)
		}
		return nil
	},
	"mux-orig-fn":      func(b *Builder, s string) error { return name(&b.Kernel.Meta.OrigName, s) },
	"mux-base-fn-name": func(b *Builder, s string) error { return name(&b.Kernel.Meta.BaseName, s) },
	// An estimate; what the kernel takes is computed.
	"mux-local-mem-usage": func(_ *Builder, s string) error {
		_, err := numbers(s, 1, 1, 1, 1<<62)
		return err
	},
	"mux-work-item-order": func(b *Builder, s string) (err error) {
		b.Kernel.Meta.Order, err = isa.ParseWorkItemOrder(s)
		return err
	},
	"mux-barrier-schedule": func(b *Builder, s string) (err error) {
		b.Kernel.Meta.Barriers, err = isa.ParseBarrierSchedule(s)
		return err
	},
	// Whether it is so follows from the code.
	"mux-no-subgroups":         flag,
	"mux-degenerate-subgroups": func(b *Builder, s string) error { b.degenerate = true; return flag(b, s) },
}

// flag reads an attribute without a value.
func flag(_ *Builder, s string) error {
	if s != "" {
		return fmt.Errorf("%q, and it has no value", s)
	}
	return nil
}

func name(to *string, s string) error {
	if s == "" {
		return fmt.Errorf("the name is empty")
	}
	*to = s
	return nil
}

// numbers reads from least to most numbers in a range, separated by commas.
func numbers(s string, least, most int, low, high int64) ([]int64, error) {
	parts := strings.Split(s, ",")
	if len(parts) < least || len(parts) > most {
		return nil, fmt.Errorf("%q: %d numbers where %d to %d are expected", s, len(parts), least, most)
	}
	out := make([]int64, len(parts))
	for i, p := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(p), 10, 64)
		if err != nil || n < low || n > high {
			return nil, fmt.Errorf("%q: a number from %d to %d is expected", p, low, high)
		}
		out[i] = n
	}
	return out, nil
}

// vectorLink reads the options of a vectorization and the name of a kernel.
func vectorLink(s string) (isa.VectorLink, error) {
	opt, kernel, ok := strings.Cut(s, ";")
	o, err := isa.ParseVectorOptions(opt)
	if err == nil && (!ok || kernel == "") {
		err = fmt.Errorf("%q: the name of the other function is missing", s)
	}
	return isa.VectorLink{Options: o, Kernel: kernel}, err
}

// schedule returns the schedule of a work-group barrier at the current place:
// that of the innermost function around it that has one.
func (b *Builder) schedule() isa.BarrierSchedule {
	for i := len(b.stack) - 1; i >= 0; i-- {
		if s, ok := b.Module.scheduleOf(b.stack[i]); ok {
			return s
		}
	}
	return isa.ScheduleUnordered
}

// scheduleOf returns the schedule of the barriers of a function, if it has one.
func (m *Module) scheduleOf(id spirv.ID) (isa.BarrierSchedule, bool) {
	if s, ok := m.schedules[id]; ok {
		return s, s < isa.NumBarrierSchedules
	}
	for _, a := range m.semantics(id) {
		if a.name != "mux-barrier-schedule" {
			continue
		}
		s, err := isa.ParseBarrierSchedule(a.value)
		if err != nil {
			m.fail(a.in, "%v", err)
		}
		m.schedules[id] = s
		return s, true
	}
	m.schedules[id] = isa.NumBarrierSchedules
	return 0, false
}

// Describe finds out from the finished bytecode what attributes say of it.
func Describe(b *Builder) {
	k := b.Kernel
	if k.UsesPipes && b.Func.Ordered {
		// A work-item that waits for a packet would keep those behind it from
		// bringing it.
		panic(&Error{Reason: fmt.Sprintf("kernel %s uses pipes, and a barrier in it has a schedule (mux-barrier-schedule): the two do not go together", k.Name)})
	}
	m := &k.Meta
	m.LocalMemory = 0
	for i := range k.Local {
		if !k.Local[i].PerItem {
			m.LocalMemory += k.Local[i].Size
		}
	}
	m.Subgroups = b.knowsSubgroups || k.UsesSubgroups()
	size, most := uint64(1), uint64(b.SubgroupSize())
	for _, n := range k.ReqdLocalSize {
		size *= min(uint64(n), 1<<20)
	}
	m.DegenerateSubgroups = b.degenerate || m.Subgroups && size > 0 && size <= most
}
