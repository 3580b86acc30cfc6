package emu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// pipeName returns what a pipe that the launch holds is called: its own name,
// or that of the argument.
func (p *prepared) pipeName(m *memory.Pipe) string {
	if m.Name() != "" {
		return m.Name()
	}
	for i := range p.args {
		if h := p.args[i].pipe; h != nil && h.mem == m {
			_, name := argumentObject(&finding.Object{}, p.launch.Kernel, i)
			return name
		}
	}
	return ""
}

// pipe returns the set's pipe with that handle, whichever end it is of, or nil.
func (r *setRun) pipe(h memory.Pointer) *setPipe {
	m := r.launches[0].launch.Memory.Pipe(h)
	if i, ok := r.index[m]; ok {
		return r.pipes[i]
	}
	return nil
}

// called returns "pipe NAME" for a handle.
func (r *setRun) called(h memory.Pointer) string {
	if q := r.pipe(h); q != nil && q.name != "" {
		return "pipe " + q.name
	}
	return "a pipe without a name"
}

// label names a launch of the set.
func (r *setRun) label(i int) string {
	if i < 0 || i >= len(r.launches) {
		return "an earlier launch"
	}
	name := r.launches[i].Kernel.code.Name
	for j, p := range r.launches {
		if j != i && p.Kernel.code.Name == name {
			return fmt.Sprintf("kernel %s (launch %d)", name, i)
		}
	}
	return "kernel " + name
}

// packets returns a number of packets.
func packets(n uint64) string {
	if n == 1 {
		return "1 packet"
	}
	return fmt.Sprintf("%d packets", n)
}

// pipeFault describes a wrong use of a pipe.
func (p *prepared) pipeFault(out *finding.Finding, f *scheduler.Fault, places *places) {
	fault := *f.Pipe
	if q := p.set.pipe(fault.Handle); q != nil {
		fault.Pipe = q.name
	}
	d, _ := finding.Describe(f.Code)
	out.Message, out.Detail = d.Title, fault.Error()
	r := &fault.Reservation
	if r.ID == 0 {
		return
	}
	if f.Code == finding.PipeOpen {
		holds := "holds"
		if r.Owner.Items > 1 {
			holds, out.WorkItem = "hold", nil
		}
		out.Parties = append(out.Parties, finding.Party{Does: fmt.Sprintf("%s %s, of which packet %d of the pipe is the first", holds, packets(r.N), r.First), Items: ownerItems(r)})
		return
	}
	if f.Code != finding.PipeIndex && f.Code != finding.PipeUnwritten && fault.Mistake == memory.ReserveUnknown {
		return
	}
	party := finding.Party{Does: "reserved " + packets(r.N), Items: ownerItems(r)}
	if r.Owner.Launch != p.launch.Index || r.Owner.Group != f.Group.Linear {
		party.Does, party.Items = fmt.Sprintf("reserved by %s", p.set.owner(r)), nil
	}
	if r.Owner.Launch == p.launch.Index {
		party.Place = places.at(p.launch.Kernel, r.PC)
	}
	out.Parties = append(out.Parties, party)
}

// pipePointer describes a value that is no pipe where one is asked for, or a
// pipe where memory is.
func (p *prepared) pipePointer(out *finding.Finding, f *memory.Fault, what string) {
	switch {
	case f.Expected != memory.SpacePipe:
		out.Message = what + " through the handle of a pipe"
		out.Detail = "at " + f.Pointer.String()
		if p.set != nil && p.set.pipe(f.Pointer) != nil {
			out.Detail = "at " + p.set.called(f.Pointer)
		}
		out.Detail += ", which only pipe operations take"
	case p.holds(f.Pointer):
		out.Message = what + " through a value that is no end of a pipe"
		out.Detail = fmt.Sprintf("at %s%+d", p.set.called(f.Pointer), f.Pointer.Offset())
	case p.launch.Memory.Pipe(f.Pointer) != nil:
		out.Message = what + " through a pipe that the kernel was not given"
		out.Detail = "at " + f.Pointer.String()
	default:
		out.Message = what + " through a value that is no pipe"
		out.Detail = fmt.Sprintf("at %#x", uint64(f.Pointer))
	}
}

// holds says whether the launch has a pipe.
func (p *prepared) holds(h memory.Pointer) bool {
	m := p.launch.Memory.Pipe(h)
	return m != nil && slices.ContainsFunc(p.launch.Pipes, func(e engine.PipeEnd) bool { return e.Pipe == m })
}

// ownerItems returns the work-items for whom a reservation is.
func ownerItems(r *memory.Reservation) finding.Spans {
	first := uint64(max(r.Owner.First, 0))
	return finding.Spans{{first, first + uint64(max(r.Owner.Items, 1)) - 1}}
}

// owner names whom a reservation belongs to.
func (r *setRun) owner(res *memory.Reservation) string {
	o := &res.Owner
	who := r.label(o.Launch)
	if o.Launch < 0 || o.Launch >= len(r.launches) {
		return who
	}
	return fmt.Sprintf("group %s of %s", groupName(r.launches[o.Launch], o.Group), who)
}

// groupName returns the three dimensions of a work-group's id.
func groupName(p *prepared, linear uint64) string {
	g := &p.launch.Groups
	x, y := max(g[0], 1), max(g[1], 1)
	return fmt.Sprintf("(%d,%d,%d)", linear%x, linear/x%y, linear/x/y)
}

// waitsFor says what somebody waits for.
func (r *setRun) waitsFor(w *scheduler.PipeWait) string {
	if w.Write {
		return "to write to " + r.called(w.Pipe)
	}
	return "to read from " + r.called(w.Pipe)
}

// pipeWaits says which work-items of a group wait at pipes.
func (p *prepared) pipeWaits(waits []scheduler.PipeWait, places *places) []finding.Party {
	var ps []finding.Party
	for i := range waits {
		w := &waits[i]
		does := "wait "
		if w.Items.Len() == 1 {
			does = "waits "
		}
		ps = append(ps, finding.Party{Does: does + p.set.waitsFor(w), Items: w.Items, Place: places.at(p.launch.Kernel, w.PC)})
	}
	return ps
}

// maxParties bounds how many of those who could have moved a pipe a finding
// names, one by one.
const maxParties = 8

// standstill describes a group that waits at pipes with nobody left to move
// them: for what, how the pipes are, and who holds their other ends.
func (p *prepared) standstill(out *finding.Finding, f *scheduler.Fault, places *places) {
	s := f.Standstill
	out.WorkItem = nil
	out.Message = "endless wait " + p.set.waitsFor(&s.Waits[0])
	out.Detail = fmt.Sprintf("in group (%d,%d,%d)", f.Group.ID[0], f.Group.ID[1], f.Group.ID[2])
	out.Parties = append(p.pipeWaits(s.Waits, places), p.parties(f.Waiting, f.Ended, nil, places)...)
	for i := range s.Pipes {
		st := &s.Pipes[i]
		out.Parties = append(out.Parties, p.set.pipeState(st.Pipe, st.Len, st.Reading, st.Writing))
		for j := range st.Open {
			out.Parties = append(out.Parties, p.set.held(&st.Open[j], places))
		}
		reads, writes := false, false
		for j := range s.Waits {
			if p.launch.Memory.Pipe(s.Waits[j].Pipe) == st.Pipe {
				reads, writes = reads || !s.Waits[j].Write, writes || s.Waits[j].Write
			}
		}
		if reads {
			out.Parties = append(out.Parties, p.set.movers(st, true)...)
		}
		if writes {
			out.Parties = append(out.Parties, p.set.movers(st, false)...)
		}
	}
	if s.Unstarted > 0 {
		out.Parties = append(out.Parties, finding.Party{Does: fmt.Sprintf("%d work-groups have not begun: there is no memory to have them beside those that wait", s.Unstarted)})
	}
}

// pipeState says how full a pipe is.
func (r *setRun) pipeState(m *memory.Pipe, n, reading, writing uint64) finding.Party {
	s := fmt.Sprintf("%s: %d of %s", r.called(m.Handle()), n, packets(uint64(m.Capacity())))
	switch {
	case n == 0:
		s = fmt.Sprintf("%s: empty, of %s", r.called(m.Handle()), packets(uint64(m.Capacity())))
	case n == uint64(m.Capacity()):
		s = fmt.Sprintf("%s: full, of %s", r.called(m.Handle()), packets(n))
	}
	if reading > 0 {
		s += fmt.Sprintf("; room of %d in reservations to read or behind them", reading)
	}
	if writing > 0 {
		s += fmt.Sprintf("; %d in reservations to write or behind them", writing)
	}
	return finding.Party{Does: s}
}

// pipeStates says how full the pipes of a launch are, now.
func (p *prepared) pipeStates() (ps []finding.Party) {
	if p.set == nil {
		return nil
	}
	seen := map[*memory.Pipe]bool{}
	for i := range p.launch.Pipes {
		m := p.launch.Pipes[i].Pipe
		if seen[m] {
			continue
		}
		if seen[m] = true; len(seen) > maxParties {
			ps = append(ps, finding.Party{Does: "and further pipes"})
			break
		}
		reading, writing := m.Held()
		ps = append(ps, p.set.pipeState(m, m.Len(), reading, writing))
	}
	return ps
}

// held tells of a reservation that is not committed.
func (r *setRun) held(res *memory.Reservation, at *places) finding.Party {
	to := "read"
	if res.Write {
		to = "write"
	}
	party := finding.Party{Does: fmt.Sprintf("held by a reservation of %s to %s, of %s", packets(res.N), to, r.owner(res))}
	if o := res.Owner.Launch; o >= 0 && o < len(r.launches) {
		if p := r.launches[o]; p.Kernel.prog == at.prog {
			party.Place = at.at(p.launch.Kernel, res.PC)
		}
	}
	return party
}

// movers tells of those who hold the end of a pipe that could have ended the
// wait, and what they are doing.
func (r *setRun) movers(st *scheduler.PipeState, write bool) (ps []finding.Party) {
	verb := "read from it"
	if write {
		verb = "write to it"
	}
	n := 0
	for i := range st.Ends {
		e := &st.Ends[i]
		if write && !e.Writes || !write && !e.Reads {
			continue
		}
		if n++; n <= maxParties {
			ps = append(ps, finding.Party{Does: "could " + verb + ": " + r.doing(e)})
		}
	}
	switch {
	case n == 0:
		ps = append(ps, finding.Party{Does: "nobody can " + verb + ": no launch that runs with this one has that end, nor does the host"})
	case n > maxParties:
		ps = append(ps, finding.Party{Does: fmt.Sprintf("and %d more", n-maxParties)})
	}
	// These count for no writer: without them "ended after 1 packet" would look
	// wrong to somebody who put five in.
	if before := r.before(st.Pipe); write && before > 0 {
		were := "were"
		if before == 1 {
			were = "was"
		}
		ps = append(ps, finding.Party{Does: fmt.Sprintf("%s %s in it before the kernels began", packets(before), were)})
	}
	return ps
}

// before returns how many packets a pipe held when the set began.
func (r *setRun) before(m *memory.Pipe) uint64 {
	i, known := r.index[m]
	if !known {
		return 0
	}
	return r.pipes[i].written - r.pipes[i].read
}

// doing says what the holder of an end is doing.
func (r *setRun) doing(e *scheduler.EndState) string {
	if e.Launch < 0 {
		who := "the host's drain"
		if e.Writes {
			who = "the host's feed"
		}
		if e.State == scheduler.HolderEnded {
			return fmt.Sprintf("%s, which has ended after %s", who, packets(e.Moved))
		}
		return who
	}
	s := r.label(e.Launch)
	switch e.State {
	case scheduler.HolderEnded:
		s += ", which has ended"
		if e.Faults > 0 {
			s += fmt.Sprintf(", %d of its work-items by a fault", e.Faults)
		}
	case scheduler.HolderBarrier:
		s += fmt.Sprintf(", of which group (%d,%d,%d) waits at a barrier", e.Group.ID[0], e.Group.ID[1], e.Group.ID[2])
	default:
		var list []string
		for i := range e.Waits {
			if what := r.waitsFor(&e.Waits[i]); len(list) == 0 || list[len(list)-1] != what {
				list = append(list, what)
			}
		}
		s += fmt.Sprintf(", of which group (%d,%d,%d) waits %s", e.Group.ID[0], e.Group.ID[1], e.Group.ID[2], strings.Join(list, " and "))
		if e.Groups > 0 {
			s += fmt.Sprintf(" after %d of %d groups have ended", e.Groups, e.Total)
		}
	}
	return s
}
