package emu

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// maxRacePairs is how many further pairs of places a finding of a race names.
const maxRacePairs = 3

// raceReport makes findings of the data races of launches that ran together.
type raceReport struct {
	launches []*prepared
	benign   bool // leave out races between writes of the same value
}

// findings returns one finding for each piece of memory that work-items race for, by the launch that it is
// reported with, and why there may be more. Of the pairs of instructions it shows the last one in the kernel, as
// all orders of work-items lead to that.
func (r *raceReport) findings(d *race.Detector) (map[int][]finding.Finding, []finding.Partial) {
	type memoryOf struct {
		launch int // for LDS
		key    memory.Pointer
	}
	by := map[memoryOf][]*race.Race{}
	var order []memoryOf
	list, missed := d.Races()
	for _, x := range list {
		if r.benign && x.Same {
			continue
		}
		k := memoryOf{key: x.Pointer.Add(-x.Pointer.Offset())}
		if x.Pointer.Space() == memory.SpaceLocal {
			k.launch = x.A.Launch
		}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], x)
	}
	found := map[int][]finding.Finding{}
	for _, k := range order {
		races := by[k]
		main := races[0]
		for _, x := range races[1:] {
			if later(x, main) {
				main = x
			}
		}
		found[main.A.Launch] = append(found[main.A.Launch], r.finding(main, races))
	}
	return found, partial(missed)
}

// partial says what a detector of races had no room for.
func partial(missed race.Missed) (list []finding.Partial) {
	for _, m := range []struct {
		missed bool
		reason string
	}{
		{missed.Events, "the work-items of a launch synchronized too often for all of their accesses to be remembered"},
		{missed.Pairs, "too many pairs of instructions race for all to be remembered"},
		{missed.Accesses, "too many accesses that nothing orders reached one place of memory for all to be remembered"},
	} {
		if m.missed {
			list = append(list, finding.Partial{Code: finding.Race, Reason: m.reason})
		}
	}
	return list
}

// partialCopies says what checks of asynchronous copies had no room for.
func partialCopies(missed dma.Missed) (list []finding.Partial) {
	add := func(reason string, codes ...finding.Code) {
		for _, c := range codes {
			list = append(list, finding.Partial{Code: c, Reason: reason})
		}
	}
	if missed&dma.MissedUses != 0 {
		add("a work-group used more memory between two barriers than is remembered", finding.AsyncRace)
	}
	if missed&dma.MissedTransfers != 0 {
		add("a work-group had more outstanding copies than are remembered",
			finding.AsyncOverlap, finding.AsyncPart, finding.AsyncRace, finding.AsyncRead, finding.AsyncNoWait, finding.AsyncWrite)
	}
	return list
}

// later says whether one race is of instructions further behind in the kernel than another: of the last one
// first.
func later(x, y *race.Race) bool {
	x1, x2 := max(x.A.PC, x.B.PC), min(x.A.PC, x.B.PC)
	y1, y2 := max(y.A.PC, y.B.PC), min(y.A.PC, y.B.PC)
	return x1 > y1 || x1 == y1 && x2 > y2
}

// finding tells of a race, and of the others for the same memory.
func (r *raceReport) finding(x *race.Race, all []*race.Race) finding.Finding {
	p := r.launches[x.A.Launch]
	out := finding.Finding{
		Code: finding.Race, Severity: finding.Error, Kernel: p.Kernel.code.Name, Reproduce: p.reproduce(),
		Message: "data race", Groups: 1,
	}
	f := memory.Fault{Access: x.A.Access, Pointer: x.Pointer, Size: x.Size}
	object, name := p.objectAt(x.Pointer)
	out.Object, out.Access = object, access(&f, object)
	out.WorkItem, out.Place = r.workItem(&x.A), r.place(&x.A)
	what := fmt.Sprintf("%s of %s", x.A.Access, finding.Bytes(x.Size))
	if i := out.Access.Index; i != nil && name != "" {
		what = fmt.Sprintf("%s of %s", x.A.Access, indexed(name, *i))
	} else if name != "" {
		what += fmt.Sprintf(" at %s%+d", name, x.Pointer.Offset())
	}
	does := map[memory.Access]string{memory.AccessRead: "read by", memory.AccessWrite: "written by", memory.AccessAtomic: "atomic operation by"}[x.B.Access]
	out.Detail = fmt.Sprintf("%s, and nothing orders it with the %s by another work-item", what, x.B.Access)
	if x.Same {
		out.Detail += ", of the same value"
	}
	out.Parties = append(out.Parties, finding.Party{Does: does, WorkItem: r.workItem(&x.B), Place: r.place(&x.B)})
	out.Count = x.Bytes
	out.Notes = append(r.others(x, all), r.lost(x)...)
	out.Help = append(out.Help, r.help(x))
	p.advise(&out)
	return out
}

// others names other places that race for the same memory.
func (r *raceReport) others(x *race.Race, all []*race.Race) []string {
	at := func(q *race.Party) string {
		pl := r.place(q)
		return fmt.Sprintf("%s:%d", pl.File, pl.Line)
	}
	seen := map[string]bool{at(&x.A) + at(&x.B): true, at(&x.B) + at(&x.A): true}
	var notes []string
	for _, y := range all {
		a, b := at(&y.A), at(&y.B)
		if seen[a+b] || strings.HasPrefix(a, ":") {
			continue
		}
		seen[a+b], seen[b+a] = true, true
		if len(notes) == maxRacePairs {
			return append(notes, "and other pairs of lines")
		}
		notes = append(notes, fmt.Sprintf("the %s at %s races with the %s at %s, too", y.A.Access, a, y.B.Access, b))
	}
	return notes
}

// lost says what stands between the two and does not order them.
func (r *raceReport) lost(x *race.Race) []string {
	if !x.Barrier {
		return nil
	}
	what := x.Pointer.Space().String() + " memory"
	if x.Image {
		what = "images"
	}
	return []string{fmt.Sprintf("a barrier stands between the two, but its flags do not name %s, so that it does not order them", what)}
}

// help says what would order the two.
func (r *raceReport) help(x *race.Race) string {
	flag := "CLK_GLOBAL_MEM_FENCE"
	if x.Image {
		flag = "CLK_IMAGE_MEM_FENCE"
	}
	if x.Pointer.Space() == memory.SpaceLocal {
		flag = "CLK_LOCAL_MEM_FENCE"
	}
	atomic := x.A.Access == memory.AccessAtomic || x.B.Access == memory.AccessAtomic
	switch {
	case x.Barrier:
		return fmt.Sprintf("give the barrier the flag %s", flag)
	case x.A.Access == memory.AccessAtomic && x.B.Access == memory.AccessAtomic:
		return "give both atomic operations the scope memory_scope_device: theirs do not include each other"
	case atomic && x.A.Group == x.B.Group:
		return fmt.Sprintf("make both accesses atomic, or put barrier(%s) between them", flag)
	case atomic:
		return "make both accesses atomic"
	case x.A.Launch != x.B.Launch:
		return "kernels that run together are ordered by pipes and by atomic operations only: give them memory of their own"
	case x.A.Group != x.B.Group:
		return "no barrier orders work-groups: give each one memory of its own, make the accesses atomic, or make two kernels of this one"
	case x.A.PC == x.B.PC && x.A.Access == memory.AccessWrite:
		return "let each work-item write an element of its own, or one work-item for all, or use an atomic operation"
	}
	return fmt.Sprintf("put barrier(%s) between the two, where all work-items of the group reach it", flag)
}

// workItem names a work-item.
func (r *raceReport) workItem(q *race.Party) *finding.WorkItem {
	p := r.launches[q.Launch]
	l := &p.launch
	g := scheduler.Group{Linear: q.Group, ID: l.GroupID(q.Group)}
	for d := range g.Size {
		g.Size[d] = uint32(min(uint64(l.Local[d]), l.Global[d]-g.ID[d]*uint64(l.Local[d])))
	}
	return p.workItem(&g, q.Item)
}

func (r *raceReport) place(q *race.Party) finding.Place {
	p := r.launches[q.Launch]
	return p.Kernel.prog.places().at(p.launch.Kernel, q.PC)
}
