package debug

import (
	"context"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// LastAccesses returns the accesses to global and local memory of the instruction that was issued last, by
// work-item: none where there is no way back to before it, or the launch has ended.
func (s *Session) LastAccesses() (list []engine.Access) {
	tick := s.d.Tick
	if off, _ := s.HistoryOff(); off || tick == 0 || s.ended {
		return nil
	}
	looked, item, frame := s.running(), s.item, s.frame
	h := &s.history
	h.restore(h.at(tick - 1))
	s.run(context.Background(), asker{through: true}, tick-1)
	s.skip = tick - 1
	s.settle(asker{through: true})
	s.d.Tell, s.d.Limit, s.telling = true, tick, &list
	for s.d.Tick < tick && !s.ended {
		e := s.stepper.Run()
		if e != scheduler.EventGroup && e != scheduler.EventStopped {
			break
		}
		s.attend()
	}
	if s.running() != looked {
		list = nil
	}
	s.telling, s.asks = nil, asker{}
	s.d.Every, s.d.After, s.d.Tell = false, nil, false
	h.restore(h.at(tick))
	s.run(context.Background(), asker{through: true}, tick)
	s.stepper.Attend(looked.launch, looked.pos)
	s.attend()
	s.item, s.frame = item, frame
	s.skip = tick
	return list
}
