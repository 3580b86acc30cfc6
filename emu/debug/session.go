package debug

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Errors of a session.
var (
	ErrEnded      = errors.New("the launch has ended")
	ErrBeginning  = errors.New("this is the beginning of the launch")
	ErrNoItem     = errors.New("no such work-item")
	ErrItemBegins = errors.New("the work-item begins here")
	ErrNoHistory  = errors.New("there is no way back")
	// ErrNotDebugged is wrapped by the error for launches that cannot run in a debugger.
	ErrNotDebugged = emu.ErrNotDebugged
)

// Options shape a session.
type Options struct {
	// Checkpoints is how many bytes checkpoints may take; 0 is DefaultCheckpoints.
	Checkpoints int64
	// Spacing is how many instructions there are between two checkpoints at first; 0 is DefaultSpacing.
	Spacing uint64
}

// Reason says why a session stopped.
type Reason uint8

// The reasons.
const (
	ReasonBegin      Reason = iota // the launch is about to begin
	ReasonStep                     // a step is done
	ReasonBreakpoint               // see Stop.Breakpoints
	ReasonWatchpoint               // see Stop.Watches
	ReasonFinding                  // see Stop.Findings
	ReasonItemEnded                // the work-item, or wave, that was stepped has ended
	ReasonEnded                    // the launch is over
	ReasonPaused                   // the context ended
)

// Stop is why and where a session stopped.
type Stop struct {
	Reason      Reason
	Breakpoints []int // numbers
	Watches     []WatchHit
	Findings    []finding.Finding // that are new
	Tick        uint64
	Stepped     bool // a step is done, whatever else has happened
}

// Session is a launch in a debugger, or several that run together or one after the other. One goroutine at a
// time may use it. Of several, a work-group is looked at whose launch Launch and what else there is of one
// are about: the one that has its turn, unless SelectGroup was called.
type Session struct {
	launch  *emu.Debugging
	stepper scheduler.Stepping
	d       *engine.Debug
	mem     *memory.Global
	cancel  *atomic.Bool
	codes   []*code // of all launches
	*code           // of the launch that is looked at

	waves   []engine.Debuggable // of the group that runs
	turn    int                 // which of them, or -1
	item    int                 // the work-item in its group that is looked at
	frame   int                 // of that
	stopped Stop
	begin   uint64 // the tick of the first line
	ended   bool

	breakpoints []*Breakpoint
	watches     []*Watchpoint
	numbers     int

	skip    uint64 // the tick at which nothing is asked, for it was stopped there
	asks    asker  // what before and after ask; see run.go
	going   asker  // what the last run forwards asked, for Resume
	hits    []*Breakpoint
	written []WatchHit
	telling *[]engine.Access // takes accesses; nil in most runs
	history history
	seen    int // findings that were told
}

// New prepares a session for a launch. It holds the launch's device until Close. The error is that of
// [emu.Debug].
func New(ctx context.Context, l *emu.Launch, opt Options) (*Session, error) {
	one := *l
	if one.Check || one.Memory == emu.MemoryWeak {
		return nil, fmt.Errorf("launch with checks or weak memory %w", ErrNotDebugged)
	}
	set := emu.Set{Schedule: l.Schedule, KeepGoing: l.KeepGoing, MaxOutput: l.MaxOutput, MaxFindings: l.MaxFindings, Reproduce: l.Reproduce, Launches: []emu.Launch{one}}
	return NewSets(ctx, []emu.Set{set}, opt)
}

// NewSets prepares a session for sets of launches, one behind the other. It holds their device until Close.
// The error is that of [emu.Debug].
func NewSets(ctx context.Context, sets []emu.Set, opt Options) (*Session, error) {
	s := &Session{turn: -1, skip: math.MaxUint64}
	s.d = &engine.Debug{Limit: math.MaxUint64, Stop: s.before, After: nil}
	var err error
	if s.launch, err = emu.Debug(ctx, sets, emu.DebugHooks{Debug: s.d, Accesses: s.access, Packets: s.packets}); err != nil {
		return nil, err
	}
	s.stepper = s.launch.Stepper
	s.mem, s.cancel = s.launch.Memory(), s.stepper.Launch().Cancel
	s.loadCodes()
	s.history.init(s, opt)
	if err := s.first(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// first takes the launch to its first instruction.
func (s *Session) first() error {
	s.d.Limit = 0
	for {
		switch e := s.stepper.Run(); e {
		case scheduler.EventGroup:
			s.attend()
		case scheduler.EventStopped, scheduler.EventEnded:
			s.d.Limit = math.MaxUint64
			s.arrive(Stop{Reason: ReasonBegin})
			s.history.checkpoint()
			return s.firstLine()
		default:
			return fmt.Errorf("the launch did not begin: event %d", e)
		}
	}
}

// maxWrapper is the number of instructions of a wave before the first line that are passed at the beginning.
const maxWrapper = 64

// firstLine goes on to the first instruction that has a line, where the first one has none: translators wrap
// kernels in functions without lines.
func (s *Session) firstLine() error {
	it, ok := s.Current()
	if !ok || s.history.off || s.info.file == "" || s.PlaceOf(it.PC).Line != 0 {
		return nil
	}
	st := s.newStep(unit{StepInto, Lines, Lane})
	if s.run(context.Background(), asker{step: st}, maxWrapper) != outStopped || st.ended {
		_, err := s.GoTo(context.Background(), 0)
		s.stopped.Reason = ReasonBegin
		return err
	}
	s.begin = s.d.Tick
	s.arrive(Stop{Reason: ReasonBegin})
	return nil
}

// Close ends the session. Memory stays as it is.
func (s *Session) Close() { _ = s.End() }

// End is Close. The error is that of who drains pipes, see [emu.Pipe.Drain].
func (s *Session) End() error {
	if s.launch == nil {
		return nil
	}
	err := s.launch.Close()
	s.launch = nil
	return err
}

// Stopped returns why and where the session stopped last.
func (s *Session) Stopped() Stop { return s.stopped }

// Tick returns the time: how many instructions waves have issued.
func (s *Session) Tick() uint64 { return s.d.Tick }

// Ended says whether the launch is over.
func (s *Session) Ended() bool { return s.ended }

// Output returns what work-items have printed up to now.
func (s *Session) Output() []byte { return s.stepper.Output() }

// Failed returns why the launches could not come to their end though no kernel is to blame: the host's end of
// a pipe has failed; nil otherwise.
func (s *Session) Failed() error { return s.stepper.Err() }

// Findings returns what went wrong up to now.
func (s *Session) Findings() finding.List { return s.launch.Findings() }

// Launch returns the launch, as the engines have it.
func (s *Session) Launch() *engine.Launch { return s.stepper.Launch() }

// Dim returns the number of dimensions of the launch.
func (s *Session) Dim() int { return s.launch.Dim() }

// Counters returns what the launch has done, but for the group that runs.
func (s *Session) Counters() (c engine.Counters) {
	for _, r := range s.stepper.Results() {
		c.Add(&r.Counters)
	}
	return c
}

// Groups returns how many work-groups of all launches are over, and how many there are.
func (s *Session) Groups() (over, all uint64) {
	for i := range s.stepper.Launches() {
		o, a := s.stepper.Over(i)
		over, all = over+o, all+a
	}
	return over, all
}

// arrive notes where the session has stopped, and looks at the work-item that matters there.
func (s *Session) arrive(stop Stop) {
	s.attend()
	if stop.Tick = s.d.Tick; stop.Reason == ReasonEnded {
		s.ended, s.waves, s.turn = true, nil, -1
	} else {
		s.ended = false
	}
	s.stopped, s.skip, s.frame = stop, s.d.Tick, 0
	if len(s.waves) == 0 {
		s.item = 0
		return
	}
	if s.turn >= 0 && !s.activeIn(s.turn, s.item) {
		s.item = s.firstActive(s.turn)
	}
	s.item = min(s.item, s.items()-1)
}

// items returns the number of work-items of the group that runs.
func (s *Session) items() int {
	n := 0
	for _, w := range s.waves {
		_, k := w.Items()
		n += k
	}
	return n
}

// activeIn says whether a work-item of the group is active in a wave.
func (s *Session) activeIn(wave, item int) bool {
	first, n := s.waves[wave].Items()
	if item < first || item >= first+n {
		return false
	}
	state, _ := s.waves[wave].Lane(item - first)
	return state == engine.LaneActive
}

// firstActive returns the first work-item that is active in a wave, or its first.
func (s *Session) firstActive(wave int) int {
	first, n := s.waves[wave].Items()
	for i := range n {
		if state, _ := s.waves[wave].Lane(i); state == engine.LaneActive {
			return first + i
		}
	}
	return first
}

// waveOf returns the wave of a work-item of the group, and its lane there.
func (s *Session) waveOf(item int) (w engine.Debuggable, wave, lane int) {
	for i, w := range s.waves {
		if first, n := w.Items(); item >= first && item < first+n {
			return w, i, item - first
		}
	}
	return nil, -1, -1
}

// Item is a work-item of the group that runs.
type Item struct {
	Number        int // in the group
	Global, Local [3]uint64
	Group         [3]uint64
	Wave, Lane    int // the wave in the group, and the lane there
	Subgroup      int
	State         engine.LaneState
	PC            int // its next instruction; -1 for none
}

// Current returns the work-item that is looked at, and whether there is one.
func (s *Session) Current() (Item, bool) {
	if len(s.waves) == 0 {
		return Item{Wave: -1, PC: -1}, false
	}
	return s.Item(s.item), true
}

// Item returns a work-item of the group that runs.
func (s *Session) Item(number int) Item {
	g, _ := s.stepper.Group()
	l := g.Launch
	it := Item{Number: number, Group: g.ID, PC: -1}
	local := s.kernel.Meta.Order.Item(g.Size, uint64(number))
	for d := range 3 {
		it.Local[d] = uint64(local[d])
		it.Global[d] = l.Offset[d] + g.ID[d]*uint64(l.Local[d]) + it.Local[d]
	}
	w, wave, lane := s.waveOf(number)
	it.Wave, it.Lane = wave, lane
	it.Subgroup = number / l.SubgroupSize
	if w != nil {
		it.State, it.PC = w.Lane(lane)
	}
	return it
}

// Items returns all work-items of the group that runs.
func (s *Session) Items() []Item {
	list := make([]Item, s.items())
	for i := range list {
		list[i] = s.Item(i)
	}
	return list
}

// Select looks at a work-item of the group that runs, by its number there.
func (s *Session) Select(item int) error {
	if item < 0 || item >= s.items() {
		return fmt.Errorf("work-item %d of %d in the work-group: %w", item, s.items(), ErrNoItem)
	}
	s.item, s.frame = item, 0
	return nil
}

// SelectGlobal looks at the work-item with a global id, which must be in the group that runs.
func (s *Session) SelectGlobal(id [3]uint64) error {
	for i := range s.items() {
		if it := s.Item(i); it.Global == id {
			return s.Select(i)
		}
	}
	return fmt.Errorf("work-item (%d,%d,%d) is not in the work-group that runs: %w", id[0], id[1], id[2], ErrNoItem)
}

// SelectWave looks at the first active work-item of a wave.
func (s *Session) SelectWave(wave int) error {
	if wave < 0 || wave >= len(s.waves) {
		return fmt.Errorf("wave %d of %d: %w", wave, len(s.waves), ErrNoItem)
	}
	return s.Select(s.firstActive(wave))
}

// newFindings returns the findings that were not told yet.
func (s *Session) newFindings() []finding.Finding {
	list := s.launch.Findings().Findings
	if len(list) <= s.seen {
		return nil
	}
	fresh := slices.Clone(list[s.seen:])
	s.seen = len(list)
	return fresh
}
