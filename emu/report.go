package emu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

func localPointer(n uint32) memory.Pointer { return memory.MakePointer(memory.SpaceLocal, n, 0) }

// report turns what the scheduler saw into findings, and adds those of data races. err is the scheduler's.
// The device is held.
func (p *prepared) report(res *Result, sr *scheduler.Result, err error, races []finding.Finding) {
	m := finding.Merger{Limit: p.MaxFindings}
	places := p.Kernel.prog.places()
	for i := range sr.Faults {
		m.Add(p.finding(&sr.Faults[i], places))
	}
	for i := range races {
		m.Add(races[i])
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		m.Add(p.stopped(finding.TimeLimit, "the time limit ended the launch", sr, places))
	case errors.Is(err, context.Canceled):
		m.Add(p.stopped(finding.Cancelled, "the launch was cancelled", sr, places))
	}
	res.Findings = m.List()
	if p.set == nil {
		hintAtLines(&res.Findings, p)
	}
}

// reproduce returns the command line that makes a finding happen again.
func (p *prepared) reproduce() string {
	flags := p.Schedule.String()
	if p.Memory == MemoryWeak {
		flags = join(flags, "-memory weak")
	}
	if p.Check {
		flags = join(flags, "-check")
		if p.Benign {
			flags = join(flags, "-benign")
		}
	}
	if p.Parallel == ParallelAlways {
		flags = join(flags, "-parallel always")
	}
	return join(p.Reproduce, flags)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// finding turns a fault into a finding.
func (p *prepared) finding(f *scheduler.Fault, places *places) finding.Finding {
	out := finding.Finding{
		Code: f.Code, Severity: finding.Error, Kernel: p.Kernel.code.Name,
		WorkItem: p.workItem(&f.Group, max(f.Lane, 0)), Place: places.at(p.launch.Kernel, f.PC),
		Count: f.Count, Groups: f.Groups, Reproduce: p.reproduce(),
	}
	switch {
	case f.Undefined != nil:
		p.uninitialized(&out, f, places)
	case f.Async != nil:
		p.asyncFinding(&out, f, places)
	case f.Pipe != nil:
		p.pipeFault(&out, f, places)
	case f.Standstill != nil:
		p.standstill(&out, f, places)
	case f.Memory != nil:
		p.memoryFault(&out, f.Memory)
		if f.Detail != "" {
			out.Detail = strings.TrimPrefix(out.Detail+", in "+f.Detail, ", ")
		}
	case f.Code == finding.BarrierDeadlock:
		out.WorkItem = nil
		out.Message = "work-items of a group wait at different barriers"
		out.Detail = fmt.Sprintf("in group (%d,%d,%d)", f.Group.ID[0], f.Group.ID[1], f.Group.ID[2])
		out.Parties = p.parties(f.Waiting, f.Ended, nil, places)
	case f.Code == finding.PartialBarrier:
		out.WorkItem = nil
		out.Message = "barrier that some work-items never reach"
		out.Detail = fmt.Sprintf("in group (%d,%d,%d)", f.Group.ID[0], f.Group.ID[1], f.Group.ID[2])
		out.Parties = p.parties(f.Waiting, f.Ended, nil, places)
	case f.Code == finding.GroupDiverged && f.Waiting != nil:
		out.WorkItem = nil
		out.Message = "an operation of the work-group that not all of its work-items run"
		out.Detail = fmt.Sprintf("in group (%d,%d,%d)", f.Group.ID[0], f.Group.ID[1], f.Group.ID[2])
		out.Parties = p.parties(f.Waiting, f.Ended, nil, places)
	case f.Code == finding.NoProgress:
		out.WorkItem = nil
		out.Message = "a loop that never ends"
		out.Detail = fmt.Sprintf("in group (%d,%d,%d): the same state comes back, and nobody has written anything", f.Group.ID[0], f.Group.ID[1], f.Group.ID[2])
		out.Parties = p.parties(f.Waiting, f.Ended, f.Running, places)
		out.Help = p.adviseSpins(f.Running, f.Group.Position+1)
	default:
		d, _ := finding.Describe(f.Code)
		out.Message = d.Title
		if f.Code != finding.DivideByZero { // whose title says it all
			out.Detail = f.Detail
		}
	}
	p.linearIDs(out.Parties, f.Group.Size)
	p.advise(&out)
	return out
}

// linearIDs makes local linear ids of the numbers of work-items, which are
// counted in the order of the kernel.
func (p *prepared) linearIDs(parties []finding.Party, size [3]uint32) {
	order := p.Kernel.code.Meta.Order
	if order == isa.OrderXYZ {
		return
	}
	for i := range parties {
		var ids []uint64
		for _, s := range parties[i].Items {
			for n := s[0]; n <= s[1]; n++ {
				ids = append(ids, order.Linear(size, n))
			}
		}
		slices.Sort(ids)
		var items finding.Spans
		for _, id := range ids {
			items = items.Add(id)
		}
		parties[i].Items = items
	}
}

// parties says who waits where, who runs and who has ended.
func (p *prepared) parties(waiting []scheduler.Waiting, ended finding.Spans, running []scheduler.Waiting, places *places) []finding.Party {
	var ps []finding.Party
	add := func(one, more string, items finding.Spans, pc int) {
		does := more
		if items.Len() == 1 {
			does = one
		}
		ps = append(ps, finding.Party{Does: does, Items: items, Place: places.at(p.launch.Kernel, pc)})
	}
	for _, w := range waiting {
		add("waits", "wait", w.Items, w.PC)
	}
	for _, r := range running {
		add("runs", "run", r.Items, r.PC)
	}
	if len(ended) > 0 {
		add("has ended", "have ended", ended, -1)
	}
	return ps
}

// whereabouts says where the work-items of a group were.
func (p *prepared) whereabouts(s *scheduler.Stopped, places *places) []finding.Party {
	ps := append(p.pipeWaits(s.Pipes, places), p.parties(s.Waiting, s.Ended, s.Running, places)...)
	p.linearIDs(ps, s.Group.Size)
	return ps
}

// stopped says what was going on when a launch was cancelled.
func (p *prepared) stopped(code finding.Code, message string, sr *scheduler.Result, places *places) finding.Finding {
	total := p.launch.Groups[0] * p.launch.Groups[1] * p.launch.Groups[2]
	f := finding.Finding{
		Code: code, Severity: finding.Error, Kernel: p.Kernel.code.Name, Message: message, Reproduce: p.reproduce(),
		Detail: fmt.Sprintf("after %d of %d work-groups", sr.Groups, total),
	}
	if len(sr.Stopped) > 0 {
		s := &sr.Stopped[0]
		f.Detail += fmt.Sprintf(", in group (%d,%d,%d)", s.Group.ID[0], s.Group.ID[1], s.Group.ID[2])
		f.Parties = append(p.whereabouts(s, places), p.pipeStates()...)
	}
	f.Help = p.adviseStopped(code, sr, total)
	p.advise(&f)
	return f
}

// workItem names the work-item of a group that has the given number.
func (p *prepared) workItem(g *scheduler.Group, lane int) *finding.WorkItem {
	id := p.Kernel.code.Meta.Order.Item(g.Size, uint64(lane))
	local := [3]uint64{uint64(id[0]), uint64(id[1]), uint64(id[2])}
	w := &finding.WorkItem{Local: local, Group: g.ID, SubGroup: lane / p.launch.SubgroupSize, Lane: lane % p.launch.SubgroupSize}
	for d := range 3 {
		w.Global[d] = p.launch.Offset[d] + g.ID[d]*uint64(p.launch.Local[d]) + local[d]
	}
	return w
}

// memoryFault describes a bad access and the memory that it was meant for.
func (p *prepared) memoryFault(out *finding.Finding, f *memory.Fault) {
	what := fmt.Sprintf("%s of %s", f.Access, finding.Bytes(f.Size))
	name := ""
	if f.HasRegion {
		out.Object, name = p.object(f)
		out.Access = access(f, out.Object)
	}
	at := "at " + f.Pointer.String()
	if name != "" {
		at = fmt.Sprintf("at %s%+d", name, f.Pointer.Offset())
		if f.Pointer.Offset() == memory.FarOffset {
			at = "at " + name // how far is not known
		}
	}
	switch f.Kind {
	case memory.FaultBounds:
		out.Message = "out-of-bounds " + what
		out.Detail = bounds(f, out.Object, name)
	case memory.FaultNull:
		if f.Expected == memory.SpacePipe {
			out.Message = what + " through a null pipe"
			break
		}
		out.Message = what + " through a null pointer"
		if off := f.Pointer.Offset(); off != 0 {
			out.Detail = fmt.Sprintf("at null%+d", off)
		}
	case memory.FaultFreed:
		out.Message = what + " in a released buffer"
		out.Detail = at
	case memory.FaultReadOnly:
		out.Message = what + " in read-only memory"
		out.Detail = at
	case memory.FaultWriteOnly:
		out.Message = what + " in write-only memory"
		out.Detail = at
	case memory.FaultAlign:
		out.Message = "misaligned " + what
		out.Detail = fmt.Sprintf("%s, which is no multiple of %d", at, cmp.Or(f.Align, f.Size))
	case memory.FaultPointer:
		if f.Expected == memory.SpaceResource {
			out.Message = what + " through a value that is no buffer resource"
			out.Detail = fmt.Sprintf("at %#x", uint64(f.Pointer))
			if _, name := p.object(f); name != "" {
				out.Detail = fmt.Sprintf("at %s%+d, which is memory itself", name, f.Pointer.Offset())
			}
			break
		}
		if f.Expected == memory.SpacePipe || p.launch.Memory.Pipe(f.Pointer) != nil {
			p.pipePointer(out, f, what)
			break
		}
		if f.Pointer.Space() == memory.SpaceResource {
			out.Message = what + " through the handle of a buffer resource"
			out.Detail = p.handle(f.Pointer) + ", which only AMDGPU's buffer operations take"
			break
		}
		if s := f.Pointer.Space(); f.Expected != memory.SpaceNone && s != f.Expected && s >= memory.SpaceGlobal && s <= memory.SpacePrivate {
			out.Message = fmt.Sprintf("%s in %s memory through a pointer to %s memory", what, f.Expected, s)
			out.Detail = at
			break
		}
		if f.IsAddress {
			out.Message = what + " through an address where no allocation is"
			break
		}
		out.Message = what + " through a value that is no pointer"
		out.Detail = fmt.Sprintf("at %#x", uint64(f.Pointer))
	}
}

// handle says which resource a handle stands for.
func (p *prepared) handle(h memory.Pointer) string {
	n := 0
	for i := range p.args {
		if p.args[i].kind == (resourceArg{}) && p.Kernel.code.Params[i].Kind != isa.ParamValue {
			if n++; n == int(h.Alloc()) {
				_, name := argumentObject(&finding.Object{}, p.launch.Kernel, i)
				return fmt.Sprintf("at %s%+d", name, h.Offset())
			}
		}
	}
	return "at " + h.String()
}

// noun is what an object without a name is called.
func noun(o *finding.Object) string {
	switch {
	case o == nil, o.Kind == finding.ObjectBuffer:
		return "buffer"
	case o.Kind == finding.ObjectArgument:
		return "buffer"
	}
	return "variable"
}

// object finds out what memory a pointer leads to, and what to call it.
func (p *prepared) object(f *memory.Fault) (o *finding.Object, name string) {
	k := p.launch.Kernel
	n := f.Pointer.Alloc()
	o = &finding.Object{Bytes: f.RegionSize}
	switch f.Pointer.Space() {
	case memory.SpaceGlobal:
		for i := range p.args {
			if b := p.args[i].buffer; b != nil && p.pointer(i).Alloc() == n {
				return argumentObject(o, k, i)
			}
			if im := p.args[i].image; im != nil && im.base.Alloc() == n {
				return argumentObject(o, k, i)
			}
		}
		for i, g := range p.Kernel.prog.globals {
			if g.Alloc() == n {
				v := &p.Kernel.prog.unit.latest.Load().Globals[i]
				o.Kind, o.Name = finding.ObjectVariable, v.Name
				setElem(o, &v.Elem)
				return o, o.Name
			}
		}
		o.Kind, o.Name = finding.ObjectBuffer, f.Region
	case memory.SpaceLocal:
		if int(n) <= len(k.Local) {
			// Compilers call it KERNEL.VARIABLE.
			o.Kind, o.Name = finding.ObjectLocal, strings.TrimPrefix(k.Local[n-1].Name, k.Name+".")
			setElem(o, &k.Local[n-1].Elem)
			return o, o.Name
		}
		rest := int(n) - len(k.Local)
		for i := range p.args {
			if p.args[i].kind == (localArg{}) {
				if rest--; rest == 0 {
					return argumentObject(o, k, i)
				}
			}
		}
	case memory.SpacePrivate:
		o.Kind = finding.ObjectPrivate
		if int(n) <= len(k.Private) {
			o.Name = k.Private[n-1].Name
			setElem(o, &k.Private[n-1].Elem)
		}
	}
	return o, o.Name
}

func argumentObject(o *finding.Object, k *isa.Kernel, i int) (*finding.Object, string) {
	p := &k.Params[i]
	o.Kind, o.Index, o.Name, o.Type = finding.ObjectArgument, i, p.Name, parameterType(p)
	if e := elementOf(p.TypeName); e != "" && p.Size != 0 && (p.Kind == isa.ParamGlobal || p.Kind == isa.ParamLocal) {
		o.Element, o.ElementBytes = e, p.Size
	}
	if o.Name == "" {
		return o, fmt.Sprintf("argument %d", i)
	}
	return o, o.Name
}
