package debug

import (
	"bytes"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// The defaults of Options.
const (
	DefaultCheckpoints = 192 << 20
	DefaultSpacing     = 1 << 18
)

// pageSize is the size of a page of memory, in bytes.
const pageSize = 4096

// page is what a piece of memory was. Checkpoints share pages that are the same.
type page struct {
	data []byte
	refs int
}

// region is an allocation.
type region = memory.Region

// image is the bytes of an allocation.
type image struct {
	region *memory.Region
	pages  []*page
	refs   int
}

// checkpoint is the state of a launch at a tick.
type checkpoint struct {
	tick   uint64
	state  *scheduler.Saved
	images []*image
	edits  int // that have been made
}

// edit is a change that a person made.
type edit struct {
	tick  uint64
	apply func()
}

// history is the way back.
type history struct {
	s       *Session
	most    int64
	spacing uint64
	list    []*checkpoint // by tick
	last    uint64        // tick of the one that was made last
	bytes   int64
	off     bool // memory is too large
	size    int64

	edits   []edit
	applied int
}

func (h *history) init(s *Session, opt Options) {
	h.s, h.most, h.spacing = s, opt.Checkpoints, opt.Spacing
	if h.most == 0 {
		h.most = DefaultCheckpoints
	}
	h.each(func(r *region) { h.size += int64(len(r.Data)) })
	if h.spacing == 0 {
		// To look at all of memory should not take longer than to run from one checkpoint to the next.
		h.spacing = max(DefaultSpacing, uint64(h.size)/256)
	}
}

// each calls f for each piece of memory that kernels may change.
func (h *history) each(f func(r *region)) {
	h.s.mem.Each(func(_ uint32, r *memory.Region) {
		if !r.ReadOnly && len(r.Data) > 0 {
			f(r)
		}
	})
}

// due returns the tick at which the next checkpoint is to be made.
func (h *history) due() uint64 {
	if h.off {
		return math.MaxUint64
	}
	i := h.at(h.s.d.Tick)
	if i < 0 {
		return math.MaxUint64 // the first is being made
	}
	due := h.list[i].tick + h.spacing
	if i+1 < len(h.list) && (h.list[i+1].tick <= due+h.spacing/2 || h.bytes > h.most/8*7) {
		return math.MaxUint64 // there is one already, or no room for more in the past
	}
	if h.last <= h.s.d.Tick {
		due = max(due, h.last+h.spacing) // that may be gone again
	}
	return max(due, h.s.d.Tick+1)
}

// at returns the last checkpoint at or before a tick, -1 for none.
func (h *history) at(tick uint64) int {
	return sort.Search(len(h.list), func(i int) bool { return h.list[i].tick > tick }) - 1
}

// checkpoint makes one of the present state.
func (h *history) checkpoint() {
	tick := h.s.d.Tick
	i := h.at(tick)
	if h.off || i >= 0 && h.list[i].tick == tick {
		return
	}
	var before []*image
	if i >= 0 {
		before = h.list[i].images
	}
	c := &checkpoint{tick: tick, state: h.s.stepper.Save(), edits: h.applied}
	n := 0
	h.each(func(r *region) {
		var old *image
		if n < len(before) {
			old = before[n]
		}
		n++
		c.images = append(c.images, h.picture(r, old))
	})
	h.bytes += int64(c.state.Bytes())
	h.last = tick
	h.list = slices.Insert(h.list, i+1, c)
	h.thin()
}

// picture returns the bytes of an allocation, which shares with an older picture what has not changed.
func (h *history) picture(r *memory.Region, old *image) *image {
	im := &image{region: r, pages: make([]*page, (len(r.Data)+pageSize-1)/pageSize), refs: 1}
	same := old != nil
	for i := range im.pages {
		data := r.Data[i*pageSize : min((i+1)*pageSize, len(r.Data))]
		if old != nil && bytes.Equal(old.pages[i].data, data) {
			im.pages[i] = old.pages[i]
			continue
		}
		same = false
		im.pages[i] = h.page(data)
	}
	if same {
		old.refs++
		return old
	}
	for _, p := range im.pages {
		p.refs++
	}
	h.bytes += 8 * int64(len(im.pages))
	return im
}

var zeroPage = make([]byte, pageSize)

// page returns a page with those bytes.
func (h *history) page(data []byte) *page {
	if len(data) == pageSize && bytes.Equal(data, zeroPage) {
		return &page{data: zeroPage}
	}
	h.bytes += int64(len(data))
	return &page{data: slices.Clone(data)}
}

// drop gives the memory of a checkpoint back.
func (h *history) drop(i int) {
	c := h.list[i]
	h.bytes -= int64(c.state.Bytes())
	for _, im := range c.images {
		if im.refs--; im.refs > 0 {
			continue
		}
		h.bytes -= 8 * int64(len(im.pages))
		for _, p := range im.pages {
			if p.refs--; p.refs == 0 && &p.data[0] != &zeroPage[0] {
				h.bytes -= int64(len(p.data))
			}
		}
	}
	h.list = slices.Delete(h.list, i, i+1)
}

// thin drops checkpoints while they take too much memory: of those in the middle the one whose neighbours are
// closest, the more so the longer ago it is.
func (h *history) thin() {
	for h.bytes > h.most && len(h.list) > 2 {
		now := float64(h.list[len(h.list)-1].tick)
		best, least := 1, math.Inf(1)
		for i := 1; i+1 < len(h.list); i++ {
			gap := float64(h.list[i+1].tick - h.list[i-1].tick)
			if w := gap / (now - float64(h.list[i].tick) + float64(h.spacing)); w < least {
				best, least = i, w
			}
		}
		h.drop(best)
	}
	if h.bytes > h.most {
		h.off = true // not even the beginning and the newest
		for len(h.list) > 0 {
			h.drop(len(h.list) - 1)
		}
	}
}

// restore goes back to a checkpoint.
func (h *history) restore(i int) {
	c := h.list[i]
	for _, im := range c.images {
		for j, p := range im.pages {
			data := im.region.Data[j*pageSize:]
			data = data[:len(p.data)]
			if !bytes.Equal(data, p.data) {
				copy(data, p.data)
			}
		}
	}
	h.s.stepper.Restore(c.state)
	h.s.going = asker{} // a step knows waves that are no more
	h.applied = c.edits
	h.s.ended = false
	h.s.attend()
}

// nextEdit returns the tick at which a change is to be made again.
func (h *history) nextEdit() uint64 {
	if h.applied < len(h.edits) {
		return h.edits[h.applied].tick
	}
	return math.MaxUint64
}

// applyEdits makes the changes that are due.
func (h *history) applyEdits() {
	h.s.attend()
	for h.applied < len(h.edits) && h.edits[h.applied].tick <= h.s.d.Tick {
		h.edits[h.applied].apply()
		h.applied++
	}
}

// edit makes a change now, and again whenever the launch comes here. What was known of the time behind it is
// forgotten.
func (h *history) edit(change func()) {
	tick, group := h.s.d.Tick, h.s.running()
	apply := func() { h.s.within(group, change) }
	h.edits = append(h.edits[:h.applied:h.applied], edit{tick, apply})
	for len(h.list) > 0 && h.list[len(h.list)-1].tick > tick {
		h.drop(len(h.list) - 1)
	}
	h.applyEdits()
}

// Checkpoints returns how many checkpoints there are, and how many bytes they take.
func (s *Session) Checkpoints() (n int, bytes int64) { return len(s.history.list), s.history.bytes }

// HistoryOff says that memory is too large for checkpoints, so that there is no way back, and how many bytes
// it has.
func (s *Session) HistoryOff() (off bool, size int64) { return s.history.off, s.history.size }

// GoTo takes the launch to a tick: backwards, or forwards without stopping at anything but a finding.
func (s *Session) GoTo(ctx context.Context, tick uint64) (Stop, error) {
	if tick < s.d.Tick || s.ended && tick == s.d.Tick {
		if s.history.off {
			return s.stopped, ErrNoHistory
		}
		s.history.restore(s.history.at(tick))
		s.seen = 0
	}
	stop := Stop{Reason: ReasonStep}
	switch s.run(ctx, asker{}, tick) {
	case outEnded:
		stop.Reason = ReasonEnded
	case outPaused:
		stop.Reason = ReasonPaused
	case outFinding:
		stop.Reason = ReasonFinding
		stop.Findings = s.newFindings()
	}
	s.arrive(stop)
	s.seen = len(s.launch.Findings().Findings)
	return s.stopped, nil
}

// ReverseContinue goes back to where a breakpoint or a watchpoint was hit last, or to the beginning. Numbers
// of hits do not count on the way back.
func (s *Session) ReverseContinue(ctx context.Context) (Stop, error) {
	here, ended := s.d.Tick, s.ended
	return s.reverse(ctx, func(from, to uint64) (tick uint64, ok bool, out outcome) {
		out = s.run(ctx, asker{through: true, breaks: true, record: func(t uint64) {
			if t < here || ended {
				tick, ok = t, true
			}
		}}, to)
		return tick, ok, out
	}, asker{breaks: true})
}

// ReverseStep is Step backwards: to the beginning of the line that ran before, or of the present one from its
// middle. StepOver passes functions that were called, StepOut goes to before the call of the one that is looked at.
func (s *Session) ReverseStep(ctx context.Context, kind StepKind, u Unit, scope Scope) (Stop, error) {
	if len(s.waves) == 0 {
		if !s.ended {
			return s.stopped, ErrBeginning
		}
		return s.ReverseContinueTo(ctx, s.d.Tick-1)
	}
	st := newBackStep(s, unit{kind, u, scope})
	stop, err := s.reverse(ctx, st.search(ctx), asker{})
	if st.began {
		return s.stopped, ErrItemBegins
	}
	if err == nil && stop.Reason != ReasonBegin && scope == Lane && st.item < s.items() {
		s.item = st.item
	}
	return stop, err
}

// ReverseContinueTo goes back to a tick.
func (s *Session) ReverseContinueTo(ctx context.Context, tick uint64) (Stop, error) {
	if s.d.Tick <= s.begin {
		return s.stopped, ErrBeginning
	}
	return s.GoTo(ctx, tick)
}

// reverse looks for a tick in the stretches between checkpoints, from the last one back, and goes there.
// Search runs a stretch that has just been restored, up to a tick.
func (s *Session) reverse(ctx context.Context, search func(from, to uint64) (tick uint64, ok bool, out outcome), at asker) (Stop, error) {
	h := &s.history
	here, wasEnded, item := s.d.Tick, s.ended, s.item
	if h.off {
		return s.stopped, ErrNoHistory
	}
	if here <= s.begin {
		return s.stopped, ErrBeginning
	}
	for to := here; to > 0; {
		i := h.at(to - 1)
		from := h.list[i].tick
		h.restore(i)
		s.skip = math.MaxUint64
		tick, ok, out := search(from, to)
		if out == outPaused {
			break
		}
		if !ok {
			to = from
			continue
		}
		h.restore(h.at(tick))
		s.run(context.Background(), asker{through: true}, tick)
		return s.arriveBack(tick, at, item), nil
	}
	if ctx.Err() != nil {
		stop, err := s.GoTo(context.Background(), here)
		if wasEnded {
			_, _ = s.Finish(context.Background())
		}
		return stop, err
	}
	h.restore(0)
	s.run(context.Background(), asker{through: true}, s.begin)
	s.arrive(Stop{Reason: ReasonBegin})
	s.seen = 0
	return s.stopped, nil
}

// arriveBack notes where the way back has led, and which breakpoints are there.
func (s *Session) arriveBack(tick uint64, a asker, item int) Stop {
	stop := Stop{Reason: ReasonStep}
	s.item = item
	s.arrive(stop)
	s.item = min(max(item, 0), max(s.items()-1, 0))
	if a.breaks && len(s.waves) > 0 && s.turn >= 0 {
		w := s.waves[s.turn]
		pc := w.Next()
		s.asks.record = func(uint64) {} // hits do not count
		for _, b := range s.at[pc] {
			if s.hit(b, w, pc) {
				stop.Reason = ReasonBreakpoint
				stop.Breakpoints = append(stop.Breakpoints, b.Number)
				s.item = b.focus
			}
		}
		s.asks = asker{}
		if stop.Reason == ReasonStep {
			stop.Reason, stop.Watches = ReasonWatchpoint, append([]WatchHit(nil), s.writtenAt(tick)...)
			if len(stop.Watches) > 0 && stop.Watches[0].Item >= 0 {
				s.item = stop.Watches[0].Item
			}
		}
	}
	if s.turn >= 0 && !s.activeIn(s.turn, s.item) {
		s.item = s.firstActive(s.turn)
	}
	stop.Tick = s.d.Tick
	s.stopped = stop
	s.seen = len(s.launch.Findings().Findings)
	return stop
}

// backStep is a step backwards: it looks for where the line began that ran before.
type backStep struct {
	s    *Session
	unit unit
	item int
	wave int
	lane int
	pos  groupID
	here uint64
	from position

	began bool // there is nothing before

	// What is known of the stretches behind the one at hand: whether there was any instruction, and the
	// first's position.
	any   bool
	first position
	start uint64 // tick at which the run of first began, as far as is known
}

func newBackStep(s *Session, u unit) *backStep {
	b := &backStep{s: s, unit: u, item: s.item, pos: s.running(), here: s.d.Tick}
	w, wave, lane := s.waveOf(s.item)
	b.wave, b.lane = wave, lane
	state, pc := w.Lane(lane)
	if u.scope != Lane || state == engine.LaneEnded {
		pc = w.Next()
	}
	b.from = s.from(u, pc)
	return b
}

// mine says whether an instruction that is about to be issued is one of the history that is looked at.
func (b *backStep) mine(w engine.Debuggable, pc int) bool {
	s := b.s
	if s.running() != b.pos {
		return false
	}
	switch b.unit.scope {
	case Lane:
		if first, n := w.Items(); b.item < first || b.item >= first+n || !w.Executes(b.item-first) {
			return false
		}
	case Wave:
		if first, _ := w.Items(); first != b.firstOfWave() {
			return false
		}
	}
	to := s.info.positionOf(pc)
	if to.line == 0 && b.unit.unit == Lines {
		return false
	}
	inside := s.info.within(to.frame, b.from.frame)
	switch b.unit.kind {
	case StepOut:
		return !inside
	case StepOver:
		return !inside || to.frame == b.from.frame
	}
	return true
}

func (b *backStep) firstOfWave() int { return b.wave * b.s.stepper.WaveLanes() }

// same says whether two positions are of one run.
func (b *backStep) same(x, y position) bool {
	if b.unit.unit == Instructions {
		return false
	}
	return x.frame == y.frame && x.line == y.line && x.file == y.file
}

// search returns what reverse asks in each stretch, from the last one back.
func (b *backStep) search(ctx context.Context) func(from, to uint64) (uint64, bool, outcome) {
	return func(from, to uint64) (tick uint64, ok bool, out outcome) {
		any, breaks := false, false // in the stretch: any instruction, and any change of line
		var last, first position
		out = b.s.run(ctx, asker{through: true, passes: func(w engine.Debuggable, pc int) {
			if !b.mine(w, pc) {
				return
			}
			at := b.s.info.positionOf(pc)
			switch {
			case !any:
				any, first, tick = true, at, b.s.d.Tick
			case !b.same(last, at):
				breaks, tick = true, b.s.d.Tick
			}
			last = at
		}}, to)
		begins := b.s.history.begins(from, b.pos)
		if !any {
			if b.any && begins {
				return b.start, true, out
			}
			b.began = begins
			return b.here, begins, out
		}
		if b.any && !b.same(last, b.first) {
			return b.start, true, out // the run begins with the stretch behind
		}
		// The run begins here, or goes on in the stretch before.
		b.any, b.first, b.start = true, first, tick
		if breaks || begins || b.unit.unit == Instructions {
			return tick, true, out
		}
		return 0, false, out
	}
}

// begins says whether a work-group begins behind a checkpoint.
func (h *history) begins(tick uint64, g groupID) bool {
	return tick == 0 || !h.list[h.at(tick)].state.Begun(g.launch, g.pos)
}

// digest returns a number that two equal states share.
func (s *Session) digest() uint64 { return s.stepper.Save().Digest() }
