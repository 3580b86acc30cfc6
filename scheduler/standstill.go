package scheduler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Standstill is what a work-group came to, of a set in which nobody can go on:
// for which pipes it waits, how they are, and who could have moved them.
type Standstill struct {
	Waits []PipeWait  // by instruction
	Pipes []PipeState // that Waits name, in the order in which they first do
	// Unstarted is the number of work-groups of the set that have not begun,
	// since the host's memory has no room for them beside the others.
	Unstarted uint64
}

// PipeWait is work-items of a work-group that wait at a pipe.
type PipeWait struct {
	PC    int            // instruction index in Kernel.Code
	Pipe  memory.Pointer // handle, with the end
	Write bool           // they wait for room; else for packets
	Items finding.Spans
	Group Group // that they are of; of a [SetStepper] only
}

// PipeState is how a pipe is, and who holds its ends.
type PipeState struct {
	Pipe             *memory.Pipe
	Len, Room        uint64               // packets that can be read and written
	Reading, Writing uint64               // packets in reservations
	Open             []memory.Reservation // at most maxOpen, without Touched
	Ends             []EndState           // launches in the order of the set, then the host's
}

// EndState is who holds an end of a pipe, and what it is doing.
type EndState struct {
	Launch        int // in the set; -1 for the host
	Reads, Writes bool
	State         HolderState
	// Groups is the number of work-groups that are over, of Total; Waits is where
	// the first of those in progress waits. Of launches only.
	Groups, Total uint64
	Group         Group
	Waits         []PipeWait
	// Faults is the number of work-items of the launch that faults ended.
	Faults uint64
	// Moved is how many packets the host's end moved in this set.
	Moved uint64
}

// HolderState is what somebody who holds an end of a pipe is doing.
type HolderState uint8

// The states.
const (
	HolderEnded   HolderState = iota // all its work-groups are over, or the host moves no more
	HolderWaits                      // a work-group waits at a pipe
	HolderBarrier                    // a work-group waits, some of it at a barrier and nobody at a pipe
	HolderReady                      // the host's end, which could move if the pipe let it
)

// maxOpen bounds the open reservations that a PipeState has.
const maxOpen = 4

// The patience of a set.
const (
	// spinQuantum is the shortest turn that tells whether a wave gets anywhere.
	spinQuantum = 32
	// spinTurns is how many turns of each group in progress may be spinning in
	// vain before the set looks for somebody else to run.
	spinTurns = 4
	// patience is how many rounds waves may run without moving a packet before
	// another work-group joins; it doubles each time.
	patience = 256
)

// moved notes that packets have moved.
func (s *set) moved() {
	s.spun, s.stale, s.patience, s.step = 0, 0, patience, 1
}

// spinning says whether it is time to look for somebody else who could move a
// packet: those who run only spin, or take very long.
func (s *set) spinning() bool {
	if s.stale >= s.patience {
		s.stale, s.patience = 0, s.patience*2
		return true
	}
	n := 0
	for _, m := range s.live {
		for _, w := range m.groups {
			n += w.n
		}
	}
	if s.spun < spinTurns*n+16 {
		return false
	}
	s.spun = 0
	return true
}

// unlock finds somebody who can go on where nobody could, or nobody got
// anywhere: first the lanes that were kept back until others of their wave have
// their packets, then work-groups that have not begun. If there are none, and
// nobody can run, the groups that wait end with faults.
func (s *set) unlock(stands bool) error {
	stuck, err := s.stuck(stands)
	if err != nil || !stuck {
		return err
	}
	list, err := s.deadlock()
	if err != nil {
		return err
	}
	s.dissolve(list)
	return nil
}

// stuck finds somebody who can go on, and says whether that has failed and nobody can run.
func (s *set) stuck(stands bool) (bool, error) {
	if s.overtake() {
		return false, nil
	}
	grown, err := s.grow()
	return !grown && stands, err
}

// dissolve ends groups that came to a deadlock.
func (s *set) dissolve(list []*worker) {
	for _, w := range list {
		s.next(w)
	}
	s.tidy()
	s.moved()
}

// overtake lets lanes go on without those of their wave that wait at pipes.
func (s *set) overtake() bool {
	any := false
	for _, m := range s.live {
		for _, w := range m.groups {
			for i := range w.waves[:w.n] {
				v := &w.waves[i]
				if v.state == engine.StopPipe && v.Overtake() {
					v.overtook, v.state = true, engine.StopQuantum
					any = true
				}
			}
		}
	}
	return any
}

// grow makes further work-groups ones in progress, of one launch after the
// other: one, and each time that does not help twice as many.
func (s *set) grow() (bool, error) {
	grown := 0
	for ; grown < s.step; grown++ {
		m := s.nextToGrow()
		if m == nil {
			break
		}
		s.grown = m.index
		s.state += m.bytes
		if err := s.join(m); err != nil {
			return false, err
		}
	}
	s.step = min(s.step*2, 1<<20)
	return grown > 0, nil
}

// nextToGrow is the launch whose turn it is to get another group, or nil.
func (s *set) nextToGrow() *member {
	n := len(s.members)
	from, step := s.grown+1, 1
	switch s.opt.Order {
	case Reverse:
		from, step = s.grown+n-1, n-1
	case Seeded:
		from = int(s.rng.below(uint64(n)))
	}
	for i := range n {
		m := s.members[(from+i*step)%n]
		if !m.over && m.pos < m.launch.groups && m.bytes <= s.most-s.state {
			return m
		}
	}
	return nil
}

// deadlock records a fault for all groups that wait, which are to end, and returns them.
func (s *set) deadlock() (list []*worker, err error) {
	holders := make([]EndState, len(s.members))
	at := make([][]standing, len(s.members)) // of groups, in their order
	unstarted := uint64(0)
	for i, m := range s.members {
		h := &holders[i]
		h.Launch, h.Groups, h.Total = i, m.result.Groups, m.launch.groups
		unstarted += m.launch.groups - m.pos
		for _, f := range m.faults {
			if ends(f) != 0 {
				h.Faults += f.Count
			}
		}
		if m.over {
			continue
		}
		h.State, h.Group = HolderBarrier, m.groups[0].name()
		for _, w := range m.groups {
			st := w.whoWaits()
			at[i] = append(at[i], st)
			if h.State == HolderBarrier && len(st.pipes) > 0 {
				h.State, h.Group, h.Waits = HolderWaits, w.name(), st.pipes
			}
		}
	}
	for _, m := range s.live {
		for i, w := range m.groups {
			if len(at[m.index][i].pipes) == 0 {
				return nil, fmt.Errorf("internal error: a wave of kernel %s waits at no pipe", m.Kernel.Name)
			}
			w.deadlock(&at[m.index][i], holders, unstarted)
			list = append(list, w)
		}
	}
	return list, nil
}

// deadlock records that the group cannot go on.
func (w *worker) deadlock(at *standing, holders []EndState, unstarted uint64) {
	w.faulted = true
	n := 0
	lowest := at.pipes[0].Items[0][0]
	for i := range at.pipes {
		n += int(at.pipes[i].Items.Len())
		lowest = min(lowest, at.pipes[i].Items[0][0])
	}
	pc := at.pipes[0].PC
	e := w.faults.add(w.pos, finding.PipeDeadlock, pc, n, -1)
	if e == nil {
		return
	}
	e.Fault = engine.Fault{Code: finding.PipeDeadlock, PC: pc, Lane: int(lowest), Lanes: n}
	e.Group = w.name()
	e.Waiting, e.Ended = at.waiting, at.ended
	e.Standstill = &Standstill{Waits: at.pipes, Unstarted: unstarted}
	seen := map[*memory.Pipe]bool{}
	for i := range at.pipes {
		if p := w.pipe(at.pipes[i].Pipe); p != nil && !seen[p] {
			seen[p] = true
			e.Standstill.Pipes = append(e.Standstill.Pipes, w.set.pipeState(p, holders))
		}
	}
}

// pipe returns the launch's pipe with that handle, or nil.
func (w *worker) pipe(h memory.Pointer) *memory.Pipe {
	for _, p := range w.member.pipes {
		if own := p.Handle(); own.Space() == h.Space() && own.Alloc() == h.Alloc() {
			return p
		}
	}
	return nil
}

// pipeState says how a pipe is and who holds it.
func (s *set) pipeState(p *memory.Pipe, holders []EndState) PipeState {
	st := PipeState{Pipe: p, Len: p.Len(), Room: p.Room()}
	st.Reading, st.Writing = p.Held()
	p.Open(func(r *memory.Reservation) {
		if len(st.Open) < maxOpen {
			st.Open = append(st.Open, *r)
			st.Open[len(st.Open)-1].Touched = nil
		}
	})
	e := s.ends[p]
	for _, i := range e.members {
		h := holders[i]
		for _, end := range s.members[i].Pipes {
			if end.Pipe == p {
				h.Reads, h.Writes = h.Reads || end.Reads, h.Writes || end.Writes
			}
		}
		st.Ends = append(st.Ends, h)
	}
	for _, i := range e.feeds {
		f := s.feeds[i]
		h := EndState{Launch: -1, Reads: !f.Write, Writes: f.Write, Moved: f.moved}
		if !f.ended {
			h.State = HolderReady
		}
		st.Ends = append(st.Ends, h)
	}
	return st
}

// pipeWait returns the entry of a list for the work-items that wait at an
// instruction for a pipe.
func (w *worker) pipeWait(list *[]PipeWait, pc int, pipe memory.Pointer) *PipeWait {
	for i := range *list {
		if p := &(*list)[i]; p.PC == pc && p.Pipe == pipe {
			return p
		}
	}
	p := PipeWait{PC: pc, Pipe: pipe}
	if k := w.Kernel; pc >= 0 && pc < len(k.Code) && k.Code[pc].Op == isa.OpPipe {
		p.Write = k.PipeAccesses[k.Code[pc].Imm].Op.Writes()
	}
	*list = append(*list, p)
	return &(*list)[len(*list)-1]
}

// openReservations records the reservations that the group leaves behind.
func (w *worker) openReservations() {
	for _, p := range w.member.pipes {
		if reading, writing := p.Held(); reading+writing == 0 {
			continue
		}
		stale := w.set.ends[p].stale
		p.Open(func(r *memory.Reservation) {
			if r.Owner.Launch != w.Index || r.Owner.Group != w.group.Linear || stale[r.ID] {
				return
			}
			e := w.faults.add(w.pos, finding.PipeOpen, r.PC, 1, -1) // of a group too: it is one reservation
			if e == nil {
				return
			}
			f := &memory.PipeFault{
				Kind: memory.PipeFaultOpen, Op: "commit", Pipe: p.Name(), Handle: p.Handle(),
				PacketBytes: p.PacketBytes(), PacketAlign: p.PacketAlign(), ID: r.ID, By: r.Owner, Reservation: *r,
			}
			f.Reservation.Touched = nil
			e.Fault = engine.Fault{Code: finding.PipeOpen, PC: r.PC, Lane: r.Owner.First, Lanes: max(r.Owner.Items, 1), Pipe: f}
			e.Group = w.name()
		})
	}
}

// report takes a finding that does not end the wave.
func (w *worker) report(f *engine.Fault) {
	lane := -1
	if f.Undefined != nil {
		lane = f.Lane // the order of waves must not decide
	}
	e := w.faults.add(w.pos, f.Code, f.PC, max(f.Lanes, 1), lane)
	if e == nil {
		return
	}
	e.Fault = *f
	if f.Pipe != nil {
		p := *f.Pipe
		e.Pipe = &p
	}
	e.Group = w.name()
}

// sortPipes puts waits into the order of their instructions.
func sortPipes(list []PipeWait) {
	slices.SortFunc(list, func(a, b PipeWait) int { return cmp.Or(a.PC-b.PC, cmp.Compare(a.Pipe, b.Pipe)) })
}
