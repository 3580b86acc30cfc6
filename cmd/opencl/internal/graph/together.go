package graph

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Group is queues whose commands may have to run together, as kernels do that pipes connect: one makes
// what the other takes.
//
// A command that is [Command.Together] parks when its turn comes. It runs when the host waits for
// something, or asks whether a command is over: it has put everything into the queues then that it wants
// to run. First, all commands run that can and were put before that moment. What is parked then runs
// together. So it is the order of the host's calls that says what runs together, and not the speed of
// commands.
type Group struct {
	// Run runs commands together, which are in the order in which they were put, and calls over with the
	// number of each that is over and its status, in this order, too. It is set before the first command.
	Run func(list []Work, over func(int, Status))

	count atomic.Uint64 // of the commands that were put into the queues
	held  atomic.Int64  // commands that run together and are not over
	limit atomic.Uint64 // of the call that is looked at
	moved atomic.Bool   // a command is over that is among those

	mu     sync.Mutex
	queues []*Queue
	parked []*Command
	calls  []uint64 // of the host that wait: how many commands had been put; ascending
	called uint64   // the last that was in calls
	busy   bool     // a goroutine looks at calls
	timer  *time.Timer
	armed  bool
	since  time.Time // the last command was parked
}

// indulgence is how long a parked command waits for a host that neither waits nor asks. It is long, since
// what the host has put into the queues until then is what runs together.
const indulgence = 100 * time.Millisecond

// Add makes the queue one of the group, before its first command.
func (g *Group) Add(q *Queue) {
	q.group = g
	q.stopped.L = &q.mu
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queues = append(g.queues, q)
}

// Remove takes out a queue that has no commands any more.
func (g *Group) Remove(q *Queue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queues, q); i >= 0 {
		g.queues = slices.Delete(g.queues, i, i+1)
	}
}

// Release lets commands run that are parked, or will be, and were put before. The host waits or asks.
func (g *Group) Release() {
	if g == nil || g.held.Load() == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release()
}

// release is Release for a locked group.
func (g *Group) release() {
	n := g.count.Load()
	if g.called >= n {
		return
	}
	g.called = n
	g.calls = append(g.calls, n)
	g.begin()
}

// begin has a goroutine look at the calls. The group is locked.
func (g *Group) begin() {
	if !g.busy {
		g.busy = true
		go g.work()
	}
}

// park takes a command whose turn has come.
func (g *Group) park(c *Command) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parked = append(g.parked, c)
	g.since = time.Now()
	switch {
	case c.number <= g.called: // the host waits already
		g.begin()
	case g.armed:
	case g.timer == nil:
		g.armed = true
		g.timer = time.AfterFunc(indulgence, g.late)
	default:
		g.armed = true
		g.timer.Reset(indulgence)
	}
}

// late releases commands that the host has left alone.
func (g *Group) late() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = false
	if len(g.parked) == 0 {
		return
	}
	if rest := indulgence - time.Since(g.since); rest > 0 {
		g.armed = true
		g.timer.Reset(rest)
		return
	}
	g.release()
}

// work runs what the host's calls let go, one call after the other.
func (g *Group) work() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		n := g.called // for those that came late
		if len(g.calls) > 0 {
			n = g.calls[0]
		} else if !slices.ContainsFunc(g.parked, func(c *Command) bool { return c.number <= n }) {
			g.busy = false
			return
		}
		queues := slices.Clone(g.queues)
		g.mu.Unlock()
		g.settle(queues, n)
		g.mu.Lock()
		if list := g.take(n); len(list) > 0 {
			g.mu.Unlock()
			g.run(list)
			g.mu.Lock()
		} else if len(g.calls) > 0 {
			g.calls = g.calls[1:]
		}
	}
}

// settle runs what can run among the first n commands, until there is nothing.
func (g *Group) settle(queues []*Queue, n uint64) {
	g.limit.Store(n)
	for again := true; again; again = g.moved.Load() {
		g.moved.Store(false)
		for _, q := range queues {
			q.settle(n)
		}
	}
}

// take takes the parked commands that are among the first n of the group, in their order. The group is
// locked.
func (g *Group) take(n uint64) []*Command {
	var list, rest []*Command
	for _, c := range g.parked {
		if c.number <= n {
			list = append(list, c)
		} else {
			rest = append(rest, c)
		}
	}
	g.parked = rest
	slices.SortFunc(list, func(a, b *Command) int { return int(int64(a.number - b.number)) })
	return list
}

// run runs commands together.
func (g *Group) run(list []*Command) {
	works := make([]Work, len(list))
	for i, c := range list {
		works[i] = c.work
		c.event.Set(Running)
	}
	g.Run(works, func(i int, s Status) { list[i].finish(s) })
}

// finish ends a command that was parked.
func (c *Command) finish(s Status) {
	q := c.queue
	q.group.held.Add(-1)
	c.end(s)
	if q.OutOfOrder {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.parked = false
	q.hire()
}

// settle runs what can run in the queue and is among the first n commands of the group. If somebody else runs
// commands, it has him stop behind the present one.
func (q *Queue) settle(n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wanted.Add(1)
	for q.running {
		q.stopped.Wait()
	}
	q.wanted.Add(-1)
	q.running = true
	for {
		c := q.head()
		// In a queue that is out of order, the first may be a late one, and others behind it not.
		if c == nil || c.number > n && (!q.OutOfOrder || !q.taken.has(n)) {
			break
		}
		q.taken.pop()
		q.mu.Unlock()
		c.execute()
		q.mu.Lock()
	}
	q.stop()
	q.hire()
}

// head returns the command that can run next, the first of those that are taken. The queue is locked, and
// it is the caller who runs commands.
func (q *Queue) head() *Command {
	if q.taken.first == nil || q.OutOfOrder && q.in.first != nil {
		q.taken.join(q.in)
		q.in = list{}
		q.came.Store(false)
	}
	if c := q.taken.first; c != nil && !q.parked && c.left.Load() == 0 {
		return c
	}
	return nil
}

// has says whether one of the first n commands of the group is in the list.
func (l *list) has(n uint64) bool {
	for c := l.first; c != nil; c = c.next {
		if c.number <= n {
			return true
		}
	}
	return false
}

// join puts the commands of another list behind those of this one.
func (l *list) join(o list) {
	switch {
	case o.first == nil:
	case l.first == nil:
		*l = o
	default:
		l.last.next = o.first
		l.last = o.last
	}
}
