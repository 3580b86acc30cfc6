package emu

import (
	"sync"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Look tells where the work-items of a launch or a set are while it runs; see [Launch.Look]. The zero value
// is ready for use. It serves one launch, or one set, at a time, and its methods may be called from any
// goroutine. Asking changes nothing about the launch.
type Look struct {
	mu       sync.Mutex
	seen     *scheduler.Look
	launches []*prepared
}

// Whereabouts says where the work-items of a work-group are.
type Whereabouts struct {
	Kernel  string
	Group   [3]uint64
	Parties []finding.Party // work-items at one place, and what they do
}

// of makes the look that of launches, which are about to begin.
func (l *Look) of(launches []*prepared) *scheduler.Look {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.launches = new(scheduler.Look), launches
	return l.seen
}

// Ask asks the launch that runs where its work-items are. It does not wait for the answer.
func (l *Look) Ask() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen != nil {
		l.seen.Ask()
	}
}

// Answer returns the answer: a work-group that was running, or one of each launch of a set. It is nil until
// there is one.
func (l *Look) Answer() (list []Whereabouts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		return nil
	}
	for _, s := range l.seen.Answer() {
		p := l.launches[s.Launch]
		at := Whereabouts{Kernel: p.Kernel.code.Name, Group: s.Group.ID}
		at.Parties = p.whereabouts(&s.Stopped, p.Kernel.prog.places())
		list = append(list, at)
	}
	return list
}
