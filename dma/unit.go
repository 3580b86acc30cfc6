package dma

// Unit is the DMA engines of one work-group, and what checks their use. It is
// made once for each worker of a launch and used again for every group. One
// goroutine at a time may use it.
//
// Its memory is bounded, whatever a kernel does: the queue holds Engines × (1 +
// QueueDepth) transfers; work-items can be 2^16 group copies apart; a
// wave remembers 4096 outstanding async marks; checks know the last 4096
// outstanding transfers, of lane copies 2^18 lanes, the first MiB of LDS, and
// up to 4 MiB of global memory between two barriers. What each of the limits does is said where it is; of those of
// checks the sink is told ([Sink]).
type Unit struct {
	cfg   Config
	group Group
	now   uint64
	rng   random

	queue []*transfer // in flight, in the order of issue
	room  int         // for how many
	free  []*transfer
	busy  []uint64 // until which tick, by engine

	id    uint64 // of the last transfer
	event uint64 // the last one given out
	match matcher

	waves []waveState
	used  int      // waves that were used since Reset
	done  []uint64 // by work-item: lane copies of its wave that it knows to be done

	scratch  transfer // a copy that is made at once
	checker  checker
	deferred bool // copies may be outstanding in memory: not Early
}

// MaxItems is the most work-items that a group has; more count as so many.
const MaxItems = 1 << 20

// New returns a unit, ready for [Unit.Reset].
func New(cfg Config) *Unit {
	cfg = cfg.normal()
	return &Unit{cfg: cfg, room: cfg.Engines * (1 + cfg.QueueDepth), busy: make([]uint64, cfg.Engines), deferred: cfg.Completion != Early}
}

// Reset begins a work-group. What the one before left is dropped.
func (u *Unit) Reset(g Group) {
	g.Items = min(max(g.Items, 0), MaxItems)
	g.SubgroupSize = max(g.SubgroupSize, 1)
	u.Abort()
	u.group, u.now = g, g.Clock
	u.rng = random(mix(u.cfg.Seed) ^ mix(g.Linear+1))
	clear(u.busy)
	u.id, u.event = 0, 0
	u.match.reset(g.Items)
	u.resetMarks()
	if u.cfg.Check {
		u.checker.reset(&u.group, u.cfg.Sink)
	}
}

// Immediate says whether each copy is made as soon as it is issued, and nobody is told of anything: then there is nothing to wait
// for, and time does not matter.
func (u *Unit) Immediate() bool { return !u.deferred && !u.cfg.Check && u.cfg.Tracer == nil }

// Even says whether all work-items have encountered the same group copies, so that a barrier changes nothing for them.
func (u *Unit) Even() bool { return u.match.n == 0 }

// Next begins the next work-group, with this number, which is otherwise like the one before.
func (u *Unit) Next(linear uint64) {
	g := u.group
	g.Linear = linear
	u.Reset(g)
}

// Active says whether something is in flight or under check, so that
// [Unit.Advance] and [Unit.Access] have something to do.
func (u *Unit) Active() bool { return len(u.queue) > 0 || u.cfg.Check }

// Barrier says that a barrier opened which orders all live items of the group.
func (u *Unit) Barrier(now uint64) { u.BarrierFor(now, true, true) }

// BarrierFor is Barrier for one that orders accesses to global memory or to LDS only, or neither.
func (u *Unit) BarrierFor(now uint64, global, local bool) {
	u.Advance(now)
	if u.cfg.Check {
		u.checkBarrier(global, local)
	}
	u.match.barrier()
}

// End says that the group is over. What is in flight completes; it returns the
// tick at which that is done.
func (u *Unit) End(now uint64) (end uint64) {
	u.Advance(now)
	if u.cfg.Check {
		u.checkEnd()
	}
	u.match.barrier()
	switch u.cfg.Completion {
	case Seeded:
		until := u.now
		for len(u.queue) > 0 {
			until = max(until, u.run(int(u.rng.below(uint64(len(u.queue))))))
		}
		u.now = until
	default:
		u.waitFor(func(*transfer) bool { return true })
	}
	return u.now
}

// Abort ends the group after a fault: what is in flight is dropped.
func (u *Unit) Abort() {
	for i, t := range u.queue {
		u.give(t)
		u.queue[i] = nil
	}
	u.queue = u.queue[:0]
	if u.cfg.Check {
		u.checker.drop()
	}
}
