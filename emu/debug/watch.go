package debug

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// ErrNotWatched is the error for what has no place in memory, or one that is too large.
var ErrNotWatched = errors.New("cannot be watched")

// maxWatched is the number of bytes that a watchpoint may have.
const maxWatched = 1 << 16

// WatchKind says which accesses hit a watchpoint.
type WatchKind uint8

// The kinds.
const (
	WatchWrite     WatchKind = iota // writes, of the same value too, by whoever it is
	WatchRead                       // reads, of global and local memory
	WatchReadWrite                  // both
)

// Watchpoint is a piece of memory whose accesses stop a session, behind the instruction.
type Watchpoint struct {
	Number  int
	Enabled bool
	Kind    WatchKind
	Text    string // of the expression that it was made of
	Type    *Type
	Hits    uint64

	pipe  memory.Pointer // handle of the pipe that is watched; 0 for memory
	at    place
	bytes int
	pos   groupID // of private memory: the work-group; of LDS, the launch
	value []byte  // what was there last
	seen  bool    // value is known
	by    []int   // work-items that have accessed it in the instruction at hand
}

// WatchHit is an access to watched memory.
type WatchHit struct {
	Number   int
	Item     int // the first work-item in its group that accessed it, as far as that is known
	Items    int // how many of the wave did so in the instruction
	PC       int
	Old, New []byte
	Type     *Type
	// Packets is what moved through a pipe that is watched; then Old and New are nil.
	Packets *Packets
}

// Watch sets a watchpoint at the memory that an expression names, for the work-item and the frame that are
// looked at. A private variable is that of this work-item; LDS is that of whichever work-group runs.
func (s *Session) Watch(text string, kind WatchKind) (*Watchpoint, error) {
	v, err := s.Evaluate(text)
	if err != nil {
		return nil, err
	}
	return s.WatchValue(text, v, kind)
}

// WatchValue sets a watchpoint at the memory of a value, which text names for people.
func (s *Session) WatchValue(text string, v Value, kind WatchKind) (*Watchpoint, error) {
	if all, _ := v.Lost(); all {
		return nil, fmt.Errorf("%s %w: %w", text, ErrNotWatched, ErrOptimizedOut)
	}
	if v.at.kind == placeNone && v.copied.kind == placePrivate {
		v.at = v.copied // which changes when the variable does
	}
	if v.at.kind == placeNone || v.at.kind == placeRegister || v.Bit.Bits > 0 {
		return nil, fmt.Errorf("%s %w: it is not in memory", text, ErrNotWatched)
	}
	n := len(v.Bytes)
	if n == 0 || n > maxWatched {
		return nil, fmt.Errorf("%s %w: it has %d bytes, and 1 to %d can be", text, ErrNotWatched, n, maxWatched)
	}
	if v.at.kind == placePrivate && kind != WatchWrite {
		return nil, fmt.Errorf("%s %w for reads: it is in private memory", text, ErrNotWatched)
	}
	s.numbers++
	w := &Watchpoint{Number: s.numbers, Enabled: true, Kind: kind, Text: text, Type: v.Type, at: v.at, bytes: n, pos: s.running()}
	s.watches = append(s.watches, w)
	return w, nil
}

// Watchpoints returns the watchpoints, by number.
func (s *Session) Watchpoints() []*Watchpoint { return s.watches }

// watching says whether any watchpoint is enabled.
func (s *Session) watching() bool {
	for _, w := range s.watches {
		if w.Enabled {
			return true
		}
	}
	return false
}

// means says whether the memory of a watchpoint is one that the work-group which is looked at can reach.
func (s *Session) means(w *Watchpoint) bool {
	switch {
	case w.at.kind == placePrivate:
		return s.running() == w.pos
	case w.at.kind == placeMemory && w.at.pointer.Space() == memory.SpaceLocal:
		return s.stepper.Index() == w.pos.launch
	}
	return true
}

// now returns what is in the memory of a watchpoint, nil where it does not exist now.
func (s *Session) now(w *Watchpoint) []byte {
	if !s.means(w) {
		return nil
	}
	p, err := s.readAt(w.at, w.bytes)
	if err != nil {
		return nil
	}
	return p
}

// remember notes what watched memory holds.
func (s *Session) remember() {
	s.attend()
	for _, w := range s.watches {
		if w.pipe != 0 {
			continue
		}
		w.value = s.now(w)
		w.seen, w.by = w.value != nil, w.by[:0]
	}
}

// access is told of accesses to global and local memory.
func (s *Session) access(g *engine.Group, a engine.Access) {
	if a.Returned {
		return
	}
	if s.telling != nil {
		*s.telling = append(*s.telling, a)
		return
	}
	read := a.Kind == memory.AccessRead
	for _, w := range s.watches {
		if !w.Enabled || w.at.kind != placeMemory || !s.means(w) || read && w.Kind == WatchWrite || !read && a.Kind == memory.AccessWrite && w.Kind == WatchRead {
			continue
		}
		p, q := a.Pointer, w.at.pointer
		if p.Space() != q.Space() || p.Alloc() != q.Alloc() || p.Offset() >= q.Offset()+int64(w.bytes) || q.Offset() >= p.Offset()+int64(a.Bytes) {
			continue
		}
		w.by = append(w.by, a.Item)
	}
}

// after looks at watched memory behind an instruction.
func (s *Session) after(wave engine.Wave, pc int) bool {
	w := wave.(engine.Debuggable)
	for _, x := range s.watches {
		if !x.Enabled || x.pipe != 0 {
			continue
		}
		if x.at.kind == placePrivate && s.means(x) {
			if first, n := w.Items(); x.at.item < first || x.at.item >= first+n {
				continue
			}
		}
		now := s.now(x)
		changed := x.seen && now != nil && !bytes.Equal(now, x.value)
		if len(x.by) > 0 || changed && x.Kind != WatchRead {
			s.wrote(x, w, pc, now)
		}
		if changed || !x.seen {
			x.value = now
			x.seen = now != nil
		}
		x.by = x.by[:0]
	}
	return len(s.written) > 0
}

// wrote notes a hit.
func (s *Session) wrote(x *Watchpoint, w engine.Debuggable, pc int, now []byte) {
	if s.asks.record != nil {
		s.asks.record(s.d.Tick)
		return
	}
	x.Hits++
	h := WatchHit{Number: x.Number, PC: pc, Old: x.value, New: now, Type: x.Type, Items: len(x.by)}
	first, n := w.Items()
	switch {
	case len(x.by) > 0:
		h.Item = x.by[0]
	case x.at.kind == placePrivate:
		h.Item, h.Items = x.at.item, 1
	default:
		for i := range n {
			if w.Executes(i) {
				h.Item = first + i
				break
			}
		}
	}
	s.written = append(s.written, h)
}

// writtenAt returns the hits of watchpoints by the instruction before a tick at which the session stands.
func (s *Session) writtenAt(tick uint64) []WatchHit {
	if !s.watching() || tick == 0 {
		return nil
	}
	h := &s.history
	h.restore(h.at(tick - 1))
	s.run(context.Background(), asker{through: true}, tick-1)
	s.skip = tick - 1
	hits := make([]uint64, len(s.watches))
	for i, w := range s.watches {
		hits[i] = w.Hits
	}
	s.settle(asker{breaks: true})
	s.d.Limit = tick
	for s.d.Tick < tick && !s.ended {
		e := s.stepper.Run()
		if e == scheduler.EventEnded {
			break
		}
		if e == scheduler.EventGroup {
			s.attend()
			s.place()
			s.remember()
		}
	}
	list := append([]WatchHit(nil), s.written...)
	for i, w := range s.watches {
		w.Hits = hits[i]
	}
	s.hits, s.written, s.asks = s.hits[:0], s.written[:0], asker{}
	s.d.Every, s.d.After, s.d.Tell = false, nil, false
	s.attend()
	s.skip = s.d.Tick
	return list
}
