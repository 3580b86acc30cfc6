package lower

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
func (m *module) semantics(id spirv.ID) []attribute {
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
func (b *builder) metadata(id spirv.ID) {
	meta := &b.k.Meta
	for _, in := range b.m.modes[id] {
		if spirv.ExecutionMode(in.Operand(1)) == spirv.ExecutionModeMaxWorkDimINTEL {
			meta.MaxWorkDim = in.Operand(2)
		}
	}
	at := b.in
	seen := map[string]bool{}
	for _, a := range b.m.semantics(id) {
		b.in = a.in
		if seen[a.name] && !strings.HasPrefix(a.name, "codeplay_ca_vecz.") && attributes[a.name] != nil {
			b.fail("the attribute %q is given twice", a.name)
		}
		seen[a.name] = true
		read, ok := attributes[a.name]
		if !ok {
			if strings.HasPrefix(a.name, "mux-") || strings.HasPrefix(a.name, "mux_") || strings.HasPrefix(a.name, "codeplay_ca_") {
				b.fail("the attribute %q is unknown", a.name)
			}
			continue
		}
		if err := read(b, a.value); err != nil {
			b.fail("the attribute %q: %v", a.name, err)
		}
	}
	b.in = at
	if meta.MaxWorkDim > 3 {
		b.fail("at most %d dimensions; there are 3", meta.MaxWorkDim)
	}
}

// attributes has what reads the value of each attribute.
var attributes = map[string]func(*builder, string) error{
	"reqd_work_group_size": func(b *builder, s string) error {
		n, err := numbers(s, 3, 3, 1, 1<<32-1)
		if err != nil {
			return err
		}
		size := [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])}
		if was := b.k.ReqdLocalSize; was != [3]uint32{} && was != size {
			return fmt.Errorf("the execution mode says %v", was)
		}
		b.k.ReqdLocalSize = size
		return nil
	},
	"max_work_dim": func(b *builder, s string) error {
		n, err := numbers(s, 1, 1, 1, 3)
		if err != nil {
			return err
		}
		if was := b.k.Meta.MaxWorkDim; was != 0 && was != uint32(n[0]) {
			return fmt.Errorf("the execution mode says %d", was)
		}
		b.k.Meta.MaxWorkDim = uint32(n[0])
		return nil
	},
	"intel_reqd_sub_group_size": func(b *builder, s string) error {
		n, err := numbers(s, 1, 1, 1, 1<<16)
		if err != nil {
			return err
		}
		if was := b.k.ReqdSubgroup; was != 0 && was != uint32(n[0]) {
			return fmt.Errorf("the execution mode says %d", was)
		}
		b.k.ReqdSubgroup = uint32(n[0])
		return nil
	},
	"opencl.ocl.version": func(b *builder, s string) error {
		n, err := numbers(s, 2, 2, 0, 255)
		if err != nil {
			return err
		}
		b.m.prog.Meta.OpenCL = isa.Version{Major: uint8(n[0]), Minor: uint8(n[1])}
		return nil
	},
	"mux-scheduling-params": func(b *builder, s string) error {
		names := strings.Split(s, ",")
		if was := b.m.prog.Meta.SchedulingParams; was != nil && strings.Join(was, ",") != s {
			return fmt.Errorf("another kernel of the module has %q", strings.Join(was, ","))
		}
		b.m.prog.Meta.SchedulingParams = names
		return nil
	},
	"mux_scheduled_fn": func(b *builder, s string) error {
		n, err := numbers(s, 2, 4, -1<<31, 1<<31-1)
		if err != nil {
			return err
		}
		fn := &isa.ScheduledFn{}
		for _, x := range n {
			fn.Params = append(fn.Params, int32(max(x, -1)))
		}
		b.k.Meta.Scheduled = fn
		return nil
	},
	"codeplay_ca_wrapper": func(b *builder, s string) error {
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
		b.k.Meta.Wrapper = w
		return nil
	},
	"codeplay_ca_vecz.base": func(b *builder, s string) error {
		l, err := vectorLink(s)
		b.k.Meta.VectorForms = append(b.k.Meta.VectorForms, l)
		return err
	},
	"codeplay_ca_vecz.derived": func(b *builder, s string) error {
		if b.k.Meta.VectorOf != nil {
			return fmt.Errorf("a function is derived from one other at most")
		}
		l, err := vectorLink(s)
		b.k.Meta.VectorOf = &l
		return err
	},
	"codeplay_ca_vecz.base.fail": func(b *builder, s string) error {
		o, err := isa.ParseVectorOptions(s)
		b.k.Meta.VectorFailed = append(b.k.Meta.VectorFailed, o)
		return err
	},
	"mux-kernel": func(b *builder, s string) error {
		b.k.Meta.Inner = s == ""
		if s != "" && s != "entry-point" {
			return fmt.Errorf("%q; it is entry-point or nothing", s)
		}
		return nil
	},
	"mux-orig-fn":      func(b *builder, s string) error { return name(&b.k.Meta.OrigName, s) },
	"mux-base-fn-name": func(b *builder, s string) error { return name(&b.k.Meta.BaseName, s) },
	// An estimate; what the kernel takes is computed.
	"mux-local-mem-usage": func(_ *builder, s string) error {
		_, err := numbers(s, 1, 1, 1, 1<<62)
		return err
	},
	"mux-work-item-order": func(b *builder, s string) (err error) {
		b.k.Meta.Order, err = isa.ParseWorkItemOrder(s)
		return err
	},
	"mux-barrier-schedule": func(b *builder, s string) (err error) {
		b.k.Meta.Barriers, err = isa.ParseBarrierSchedule(s)
		return err
	},
	// Whether it is so follows from the code.
	"mux-no-subgroups":         flag,
	"mux-degenerate-subgroups": func(b *builder, s string) error { b.degenerate = true; return flag(b, s) },
}

// flag reads an attribute without a value.
func flag(_ *builder, s string) error {
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
func (b *builder) schedule() isa.BarrierSchedule {
	for i := len(b.stack) - 1; i >= 0; i-- {
		if s, ok := b.m.scheduleOf(b.stack[i]); ok {
			return s
		}
	}
	return isa.ScheduleUnordered
}

// scheduleOf returns the schedule of the barriers of a function, if it has one.
func (m *module) scheduleOf(id spirv.ID) (isa.BarrierSchedule, bool) {
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

// describe finds out from the finished bytecode what attributes say of it.
func describe(b *builder) {
	k := b.k
	if k.UsesPipes && b.f.Ordered {
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
	size, most := uint64(1), uint64(b.subgroupSize())
	for _, n := range k.ReqdLocalSize {
		size *= min(uint64(n), 1<<20)
	}
	m.DegenerateSubgroups = b.degenerate || m.Subgroups && size > 0 && size <= most
}
