package emu

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// asyncReport writes a finding about asynchronous copies.
type asyncReport struct {
	*prepared
	out    *finding.Finding
	fault  *scheduler.Fault
	detail *dma.Detail
	places *places
}

// asyncFinding describes what a kernel did wrong with an asynchronous copy: the
// access or the copy, the copies that it has to do with and where those were
// issued, and what would have put them in order.
func (p *prepared) asyncFinding(out *finding.Finding, f *scheduler.Fault, places *places) {
	detail := *f.Async // of which a part is taken apart below
	r := asyncReport{p, out, f, &detail, places}
	switch f.Code {
	case finding.AsyncRead, finding.AsyncWrite:
		r.access()
	case finding.AsyncOverlap:
		r.overlap()
	case finding.AsyncRace:
		r.race()
	case finding.AsyncDiff, finding.AsyncUniform:
		r.operands()
	case finding.AsyncPart:
		r.part()
	case finding.AsyncEvent:
		r.event()
	case finding.AsyncNoWait:
		out.WorkItem = nil
		out.Message, out.Detail = "asynchronous copy that nobody waits for", r.group()
		r.copies("moves")
		r.orderedBy(r.wait() + " before the kernel ends")
	default: // lines and planes
		d, _ := finding.Describe(f.Code)
		out.Message, out.Detail = d.Title, f.Async.Text
		r.copies("moves")
	}
}

// access tells of a load, store or atomic operation ahead of a copy.
func (r *asyncReport) access() {
	d := r.detail
	r.out.Object, _ = r.objectAt(d.Pointer)
	r.out.Message = fmt.Sprintf("%s of %s ahead of an asynchronous copy", d.Access, finding.Bytes(d.Size))
	r.out.Detail = fmt.Sprintf("at %s, %s", r.at(d.Pointer), d.Text)
	r.copies("issued")
	r.orderedBy(r.wait() + " before this access")
}

// overlap tells of two copies, or one with itself.
func (r *asyncReport) overlap() {
	d := r.detail
	r.out.Object, _ = r.objectAt(d.Pointer)
	r.out.Detail = fmt.Sprintf("at %s, %s", r.at(d.Pointer), d.Text)
	if len(d.Transfers) < 2 {
		r.out.Message = "asynchronous copy overlaps itself"
		r.copies("moves")
		return
	}
	r.out.Message = "asynchronous copies overlap"
	// This one is where the finding is.
	r.party("moves", &d.Transfers[0], false)
	d.Transfers = d.Transfers[1:]
	r.copies("issued")
	r.orderedBy(r.wait() + " before this copy")
}

// race tells of memory that a copy and a work-item use without a barrier between them.
func (r *asyncReport) race() {
	d := r.detail
	r.out.Object, _ = r.objectAt(d.Pointer)
	before, by := "wrote", "written by"
	if d.Other.Access == memory.AccessRead {
		before, by = "read", "read by"
	}
	other := finding.Party{Does: by, WorkItem: r.workItem(&r.fault.Group, d.Other.Item), Place: r.places.at(r.launch.Kernel, d.Other.PC)}
	if len(d.Transfers) == 0 {
		r.out.Message = fmt.Sprintf("%s of %s beside an asynchronous copy without a barrier", d.Access, finding.Bytes(d.Size))
		r.out.Detail = fmt.Sprintf("at %s, which another sub-group's copy %s", r.at(d.Pointer), before)
	} else {
		does := "reads"
		if d.Access != memory.AccessRead {
			does = "fills"
		}
		r.out.Message = "asynchronous copy without a barrier"
		r.out.Detail = fmt.Sprintf("at %s, which it %s and a work-item %s", r.at(d.Pointer), does, before)
		r.copies("moves")
	}
	r.out.Parties = append(r.out.Parties, other)
	r.out.Parties = append(r.out.Parties, finding.Party{Does: "ordered by: a work-group barrier between the two"})
}

// operands tells of operands that had to be the same: by work-items that gave
// different ones, those that differ.
func (r *asyncReport) operands() {
	d := r.detail
	r.out.Message = "work-items give one asynchronous copy different operands"
	if r.fault.Code == finding.AsyncUniform {
		r.out.Message = "operand of an asynchronous copy differs within a sub-group"
	}
	if len(d.Sets) < 2 {
		return
	}
	a, b := &d.Sets[0], &d.Sets[1]
	var differ []string
	for _, set := range []*dma.OperandSet{a, b} {
		other := a
		if set == a {
			other = b
		}
		var list []string
		for _, arg := range set.Args {
			if i := indexArg(other.Args, arg.Name); i >= 0 && other.Args[i].Value == arg.Value {
				continue
			}
			value := fmt.Sprint(arg.Value)
			if arg.Pointer {
				value = r.at(memory.Pointer(arg.Value))
			}
			list = append(list, arg.Name+" "+value)
			if set == a {
				differ = append(differ, arg.Name)
			}
		}
		does := "made " + set.Name
		if len(list) > 0 {
			does = fmt.Sprintf("gave %s %s", set.Name, strings.Join(list, ", "))
		}
		party := finding.Party{Does: does, Items: set.Items}
		if a.PC != b.PC {
			party.Place = r.places.at(r.launch.Kernel, set.PC)
		}
		r.out.Parties = append(r.out.Parties, party)
	}
	if r.out.Detail = strings.Join(differ, ", "); r.out.Detail == "" {
		r.out.Detail = "they come to different instructions"
	}
}

func indexArg(args []dma.NamedArg, name string) int {
	for i := range args {
		if args[i].Name == name {
			return i
		}
	}
	return -1
}

// part tells of a copy or a wait that some never come to.
func (r *asyncReport) part() {
	d := r.detail
	what := "asynchronous copy"
	if d.Wait {
		what = "wait for an asynchronous copy"
	}
	r.out.WorkItem = nil
	r.out.Message, r.out.Detail = what+" that some work-items never encounter", r.group()
	r.out.Parties = append(r.out.Parties, finding.Party{Does: "encountered it", Items: d.Did}, finding.Party{Does: "did not", Items: d.DidNot})
	if d.Wait {
		r.copies("issued")
	} else {
		r.copies("moves")
	}
}

// event tells of a value that is no event.
func (r *asyncReport) event() {
	d := r.detail
	r.out.Message = "wait for a value that is no event"
	if len(d.Sets) == 0 || len(d.Sets[0].Args) == 0 {
		return
	}
	set := &d.Sets[0]
	if set.Name != "" {
		r.out.Message = "asynchronous copy joins a value that is no event"
	}
	r.out.Detail = fmt.Sprintf("%#x", set.Args[0].Value)
	if set.Args[0].Value == 0 {
		r.out.Message, r.out.Detail = "wait for the null event", "which no copy made"
	}
}

// group names the work-group.
func (r *asyncReport) group() string {
	id := r.fault.Group.ID
	return fmt.Sprintf("in group (%d,%d,%d)", id[0], id[1], id[2])
}

// copies adds the copies as parties: with "moves" what the finding's own
// instruction copies, with "issued" who issued another one and where.
func (r *asyncReport) copies(does string) {
	for i := range r.detail.Transfers {
		r.party(does, &r.detail.Transfers[i], does == "issued")
	}
}

// party adds a copy as a party: who issued it, and where, if that is asked for.
func (r *asyncReport) party(does string, t *dma.Transfer, where bool) {
	p := finding.Party{}
	from := "zeros"
	if t.Src != dma.ZeroFill {
		from = r.at(t.Src)
	}
	p.Does = fmt.Sprintf("%s of %s from %s to %s", t.Name, finding.Bytes(t.Bytes), from, r.at(t.Dst))
	if !where {
		p.Does = "the copy: " + p.Does
		r.out.Parties = append(r.out.Parties, p)
		return
	}
	p.Does, p.Items = does+" "+p.Does, t.Items
	if t.Event != 0 {
		// A group copy is everybody's, whoever came to it first.
		p.Items = finding.Spans{{0, r.items() - 1}}
	}
	p.Place = r.places.at(r.launch.Kernel, t.PC)
	r.out.Parties = append(r.out.Parties, p)
}

// items returns how many work-items the group has.
func (r *asyncReport) items() uint64 {
	n := uint64(1)
	for _, s := range r.fault.Group.Size {
		n *= max(uint64(s), 1)
	}
	return n
}

// wait says what waits for the last of the copies.
func (r *asyncReport) wait() string {
	ts := r.detail.Transfers
	switch {
	case len(ts) == 0:
		return "a wait"
	case ts[len(ts)-1].Event == 0:
		if r.detail.MarkPC < 0 {
			return "asyncmark and wait.asyncmark(0)"
		}
		return fmt.Sprintf("wait.asyncmark(%d)", r.detail.WaitN)
	case strings.HasPrefix(ts[len(ts)-1].Name, "__mux_"):
		return "__mux_dma_wait on its event"
	}
	return "OpGroupWaitEvents on its event"
}

// orderedBy adds what would have put things in order; for a lane copy with a
// mark behind it, the place of that. A wait in another function than the mark's does not
// count it: that has a sequence of its own.
func (r *asyncReport) orderedBy(what string) {
	d := r.detail
	if d.Barrier {
		before, after, _ := strings.Cut(what, " before ")
		what = before + " and a work-group barrier before " + after
	}
	p := finding.Party{Does: "ordered by: " + what}
	if len(d.Transfers) > 0 && d.Transfers[len(d.Transfers)-1].Event == 0 && d.MarkPC >= 0 {
		p.Does += ", in the function of the mark"
		p.Place = r.places.at(r.launch.Kernel, d.MarkPC)
	}
	r.out.Parties = append(r.out.Parties, p)
}

// objectAt finds out what memory a pointer leads to, and what to call it; nil
// for none.
func (p *prepared) objectAt(ptr memory.Pointer) (*finding.Object, string) {
	f := memory.Fault{Pointer: ptr}
	n := ptr.Alloc()
	switch ptr.Space() {
	case memory.SpaceGlobal:
		r := p.launch.Memory.Lookup(n)
		if r == nil {
			return nil, ""
		}
		f.Region, f.RegionSize = r.Name, r.Size
	case memory.SpaceLocal:
		if n == 0 || uint64(n) > uint64(len(p.launch.LocalSizes)) {
			return nil, ""
		}
		f.RegionSize = p.launch.LocalSizes[n-1]
	default:
		return nil, ""
	}
	return p.object(&f)
}

// at names a place in memory: "tile+64".
func (p *prepared) at(ptr memory.Pointer) string {
	if _, name := p.objectAt(ptr); name != "" {
		return fmt.Sprintf("%s%+d", name, ptr.Offset())
	}
	return ptr.String()
}
