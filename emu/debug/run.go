package debug

import (
	"context"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// asker is what a run asks at instructions. The zero value asks nothing.
type asker struct {
	breaks bool  // breakpoints and watchpoints
	step   *step // nil for none
	// record, when it is not nil, is told of what would have stopped the run, which goes on then.
	record func(tick uint64)
	// passes, when it is not nil, is told of every instruction before it is issued.
	passes func(w engine.Debuggable, pc int)
	// through goes on behind findings, which were told before.
	through bool
}

// outcome is why a run came back.
type outcome uint8

const (
	outStopped outcome = iota // what was asked said so
	outUntil                  // the tick is there
	outFinding
	outEnded
	outPaused
)

// before is asked before an instruction.
func (s *Session) before(wave engine.Wave, pc int) bool {
	w := wave.(engine.Debuggable)
	a := &s.asks
	if a.passes != nil {
		a.passes(w, pc)
	}
	if s.d.Tick == s.skip {
		return false
	}
	stop := len(s.written) > 0 && a.record == nil
	if a.breaks {
		for _, b := range s.at[pc] {
			if s.hit(b, w, pc) {
				stop = true
				s.hits = append(s.hits, b)
			}
		}
	}
	if a.step != nil && a.step.before(w, pc) {
		stop = true
	}
	if stop && a.record != nil {
		a.record(s.d.Tick)
		s.hits = s.hits[:0]
		return false
	}
	return stop
}

// settle makes the engine ask where what a run asks can happen.
func (s *Session) settle(a asker) {
	s.asks = a
	s.hits, s.written = s.hits[:0], s.written[:0]
	watching := a.breaks && s.watching()
	s.d.After, s.d.Tell = nil, watching
	if watching {
		s.d.After = s.after
		s.remember()
	}
	s.place()
}

// place makes the engine ask in the blocks that have breakpoints of the group that runs.
func (s *Session) place() {
	a := &s.asks
	watching := s.d.After != nil
	s.d.Every = a.step != nil || a.passes != nil || watching && s.kernel.UsesAsync // bytes of copies may move at any time
	if !a.breaks {
		clear(s.d.Blocks)
		return
	}
	g, running := s.stepper.Group()
	for b := range s.d.Blocks {
		s.d.Blocks[b] = watching && s.storing[b]
	}
	for pc, list := range s.at {
		for _, b := range list {
			if b.Enabled && (!running || b.mayHit(g)) {
				s.d.Blocks[s.info.blockOf[pc]] = true
			}
		}
	}
}

// run goes on until what is asked for happens, or to a tick.
func (s *Session) run(ctx context.Context, a asker, until uint64) outcome {
	s.attendRunning()
	s.settle(a)
	defer func() { s.asks, s.d.Every, s.d.After, s.d.Tell = asker{}, false, nil, false }()
	if ctx.Err() != nil {
		return outPaused
	}
	if ctx.Done() != nil {
		set := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			s.cancel.Store(true)
			close(set)
		})
		defer func() {
			if !stop() {
				<-set // it is not to be set behind the run
			}
			s.cancel.Store(false)
		}()
	}
	for {
		due := s.history.due()
		s.d.Limit = min(until, due, s.history.nextEdit())
		e := s.stepper.Run()
		switch e {
		case scheduler.EventGroup:
			s.attend()
			if a.step != nil {
				a.step.newGroup()
			}
			s.place()
			if s.d.After != nil {
				s.remember()
			}
			if len(s.written) > 0 { // the host has moved packets
				return outStopped
			}
			continue
		case scheduler.EventFinding:
			if a.through && s.d.Tick < until {
				continue
			}
			return outFinding
		case scheduler.EventEnded:
			return outEnded
		case scheduler.EventCancelled:
			s.cancel.Store(false)
			if len(s.written) > 0 {
				return outStopped
			}
			return outPaused
		}
		tick := s.d.Tick
		if tick >= due {
			s.history.checkpoint()
		}
		switch {
		case len(s.hits) > 0 || len(s.written) > 0 || a.step != nil && a.step.done:
			return outStopped
		case tick >= s.history.nextEdit():
			s.history.applyEdits()
			if s.d.After != nil {
				s.remember()
			}
		case tick >= until:
			return outUntil
		}
	}
}

// forward runs on and says why it stopped.
func (s *Session) forward(ctx context.Context, a asker) (Stop, error) {
	if s.ended {
		return s.stopped, ErrEnded
	}
	skip := s.skip
	out := s.run(ctx, a, math.MaxUint64)
	s.going = a
	stop := Stop{Stepped: a.step != nil && a.step.done}
	focus := -1
	switch out {
	case outEnded:
		stop.Reason = ReasonEnded
	case outPaused:
		stop.Reason = ReasonPaused
	case outFinding:
		stop.Reason, stop.Findings = ReasonFinding, s.newFindings()
	default:
		stepped := stop.Stepped
		stop, focus = s.told(a)
		stop.Stepped = stepped
	}
	s.arrive(stop)
	if out == outPaused && s.d.Tick != skip {
		s.skip = math.MaxUint64 // nothing was asked at the tick where it was interrupted
	}
	if st := a.step; stop.Reason == ReasonStep && st.unit.scope == Group && s.running() != st.group &&
		s.stepper.Attend(st.group.launch, st.group.pos) { // all of it waits, and another one has its turn
		s.attend()
		s.item = st.item
	}
	if focus >= 0 && focus < s.items() {
		s.item = focus
	}
	if stop.Reason == ReasonFinding && len(stop.Findings) > 0 {
		s.lookAtFinding()
	}
	return s.stopped, nil
}

// told says which breakpoints and watchpoints have stopped a run, or that a step is done, and whom to look
// at.
func (s *Session) told(a asker) (stop Stop, focus int) {
	focus = -1
	switch {
	case len(s.written) > 0:
		stop.Reason, stop.Watches = ReasonWatchpoint, append([]WatchHit(nil), s.written...)
		focus = stop.Watches[0].Item
	case len(s.hits) > 0:
		stop.Reason = ReasonBreakpoint
	case a.step != nil && a.step.ended:
		stop.Reason = ReasonItemEnded
	default:
		stop.Reason = ReasonStep
	}
	for _, b := range s.hits {
		stop.Breakpoints = append(stop.Breakpoints, b.Number)
		if focus < 0 {
			focus = b.focus
		}
		if b.Temporary {
			s.Delete(b.Number)
		}
	}
	if focus < 0 && a.step != nil && a.step.unit.scope == Lane && !a.step.ended {
		focus = a.step.item
	}
	return stop, focus
}

// lookAtFinding looks at the first work-item of the newest fault.
func (s *Session) lookAtFinding() {
	results := s.stepper.Results()
	if s.stepper.Index() >= len(results) {
		return
	}
	faults := results[s.stepper.Index()].Faults
	if len(faults) == 0 {
		return
	}
	if f := faults[len(faults)-1]; f.Lane >= 0 && f.Lane < s.items() {
		s.item = f.Lane
	}
}

// Continue goes on until a breakpoint or a watchpoint is hit, something goes wrong, or the launch ends. A
// context that ends stops it where it is.
func (s *Session) Continue(ctx context.Context) (Stop, error) {
	return s.forward(ctx, asker{breaks: true})
}

// Resume goes on with what was interrupted last: with a step that a breakpoint, a finding or the end of the
// context stopped before it was done, with its own work-item; otherwise as Continue.
func (s *Session) Resume(ctx context.Context) (Stop, error) {
	a := s.going
	if a.step == nil || a.step.done {
		a = asker{breaks: true}
	}
	return s.forward(ctx, a)
}

// Finish runs the launch to its end, whatever happens, unless a fault ends it or the context does.
func (s *Session) Finish(ctx context.Context) (Stop, error) {
	for {
		stop, err := s.forward(ctx, asker{})
		if err != nil || stop.Reason == ReasonEnded || stop.Reason == ReasonPaused {
			return stop, err
		}
	}
}

// storingBlocks returns, by block, whether it has an instruction that may change memory that can be watched.
func storingBlocks(k *isa.Kernel) []bool {
	list := make([]bool, len(k.Blocks))
	for b := range k.Blocks {
		for pc := k.Blocks[b].Start; pc < k.Blocks[b].End; pc++ {
			switch k.Code[pc].Op {
			case isa.OpStore, isa.OpAtomic, isa.OpMemCopy, isa.OpBlockStore, isa.OpImageWrite, isa.OpImageBlockWrite, isa.OpGroupCopy,
				isa.OpLaneCopy, isa.OpGroupWait, isa.OpAsyncWait, isa.OpPipe:
				list[b] = true
			}
		}
	}
	return list
}
