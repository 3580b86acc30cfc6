package trace

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/memory"
)

// PipeInfo is what a recorder is told of a pipe before a set of launches begins.
type PipeInfo struct {
	Name        string
	Handle      memory.Pointer // without an end
	PacketBytes uint32
	Capacity    uint32 // packets
	// Read and Written are the numbers of packets that moved since the pipe was
	// made, and so the number of the next one.
	Read, Written uint64
}

// before returns the number of packets that can be read when the set begins.
func (p *PipeInfo) before() uint64 { return p.Written - min(p.Read, p.Written) }

// pipeLog keeps what happens to the pipes of a set.
type pipeLog struct {
	infos []PipeInfo
	index map[memory.Pointer]int // by handle
	runs  []packetRun
	waits []pipeWait

	last  [][2]int // by pipe: the last run of packets that were read, and written; -1 for none
	fresh int      // the runs from here on belong to the turn that has not ended
}

// waveWaits are the waits of a wave that its last turn ended or left, as indices.
type waveWaits struct {
	list []int
	turn uint64 // when that turn began
}

// host is the launch, group and wave of what the host does.
const host = -1

// packetRun is consecutive packets that a wave moves within one turn, or the
// host at a time: however many they are, they are one event of the trace.
type packetRun struct {
	launch, group, wave int
	pipe                int
	write               bool
	pc, item            int
	first, n            uint64
	from, to            uint64 // ticks of the first and the last
	turn                interval
}

// pipeWait is a wave's wait for packets or for room.
type pipeWait struct {
	launch, group, wave int
	pipe                int
	write               bool // for room
	pc, items           int
	from, to            uint64
	over                bool
}

// BeginSet forgets what the recorder has and starts the trace of launches that
// run together, with every pipe that some of them hold.
func (r *Recorder) BeginSet(launches []LaunchInfo, pipes []PipeInfo) {
	r.begins(append([]LaunchInfo(nil), launches...))
	r.set = true
	r.open = make(map[groupKey]int)
	l := &r.pipes
	l.infos = append([]PipeInfo(nil), pipes...)
	l.index = make(map[memory.Pointer]int)
	r.labels = labels(launches)
	l.last = make([][2]int, len(pipes))
	for i := range pipes {
		l.index[withoutEnd(pipes[i].Handle)] = i
		l.last[i] = [2]int{-1, -1}
	}
}

// withoutEnd is the handle of the pipe that p is an end of.
func withoutEnd(p memory.Pointer) memory.Pointer {
	return memory.MakePointer(p.Space(), p.Alloc(), 0)
}

// writeEnd is what the handle of a pipe's write end has for an offset.
const writeEnd = 2

// Launches returns the number of launches of the trace.
func (r *Recorder) Launches() int { return len(r.launches) }

// PacketsMoved returns the number of packets that were read and written in all.
func (r *Recorder) PacketsMoved() (read, written uint64) {
	for i := range r.pipes.runs {
		if run := &r.pipes.runs[i]; run.write {
			written += run.n
		} else {
			read += run.n
		}
	}
	return read, written
}

func (r *Recorder) resume(launch int, id [3]uint64) {
	r.launch, r.cur = max(launch, 0), -1
	if i, ok := r.open[groupKey{r.launch, id}]; ok {
		r.cur = i
	}
}

func (r *Recorder) packets(launch int, pipe memory.Pointer, write bool, pc, item int, first, n, now uint64) {
	l := &r.pipes
	at, ok := l.index[withoutEnd(pipe)]
	if !ok || n == 0 || r.full {
		return
	}
	group := r.cur
	if launch < 0 {
		launch, group, pc, item = host, host, -1, -1
	} else if group < 0 {
		return
	}
	side := 0
	if write {
		side = 1
	}
	if i := l.last[at][side]; i >= 0 {
		run := &l.runs[i]
		fits := run.group == group && run.first+run.n == first
		if launch == host {
			fits = fits && run.to == now
		} else {
			fits = fits && i >= l.fresh
		}
		if fits {
			run.n += n
			run.to = max(run.to, now)
			return
		}
	}
	if !r.room(1) {
		return
	}
	r.locate(launch, pc)
	l.last[at][side] = len(l.runs)
	l.runs = append(l.runs, packetRun{launch: launch, group: group, wave: host, pipe: at, write: write, pc: pc, item: item,
		first: first, n: n, from: now, to: now, turn: interval{now, now + 1}})
}

// pipeTurn notes that a wave of the group that runs has had a turn: what moved
// meanwhile was its doing, and what it waited for before is over.
func (r *Recorder) pipeTurn(g *group, wave int, from, to uint64) {
	l := &r.pipes
	for i := l.fresh; i < len(l.runs); i++ {
		if run := &l.runs[i]; run.launch != host {
			run.wave, run.turn = wave, interval{from, to}
		}
	}
	l.fresh = len(l.runs)
	w := g.live.waits[wave]
	if w == nil {
		return
	}
	for _, i := range w.list {
		l.waits[i].to, l.waits[i].over = max(from, l.waits[i].from), true
	}
	w.turn = from
}

func (r *Recorder) waiting(wave, pc int, pipe memory.Pointer, items int, now uint64) {
	l := &r.pipes
	at, ok := l.index[withoutEnd(pipe)]
	g := r.current()
	if !ok || g == nil || r.full {
		return
	}
	w := g.live.waits[wave]
	if w == nil {
		w = &waveWaits{}
		g.live.waits[wave] = w
	}
	write := pipe.Offset() == writeEnd
	for _, i := range w.list {
		// A try that got nothing does not end a wait.
		old := &l.waits[i]
		if old.over && old.pc == pc && old.pipe == at && old.write == write && old.items == items && !r.movedBy(at, write, wave, w.turn) {
			old.over = false
			return
		}
	}
	if !r.room(1) {
		return
	}
	r.locate(r.launch, pc)
	w.list = slices.DeleteFunc(w.list, func(i int) bool { return l.waits[i].over })
	w.list = append(w.list, len(l.waits))
	l.waits = append(l.waits, pipeWait{launch: r.launch, group: r.cur, wave: wave, pipe: at, write: write, pc: pc, items: items, from: now})
}

// movedBy says whether a wave of the group that runs has moved a packet at that
// end since a tick.
func (r *Recorder) movedBy(pipe int, write bool, wave int, since uint64) bool {
	side := 0
	if write {
		side = 1
	}
	i := r.pipes.last[pipe][side]
	if i < 0 {
		return false
	}
	run := &r.pipes.runs[i]
	return run.group == r.cur && run.wave == wave && run.to >= since
}

// endWaits ends the waits of a group that is over.
func (r *Recorder) endWaits(g *group, now uint64) {
	for _, ww := range g.live.waits {
		for _, i := range ww.list {
			if w := &r.pipes.waits[i]; !w.over {
				w.to, w.over = max(now, w.from), true
			}
		}
	}
}

// lastTick returns the last tick of the trace.
func (r *Recorder) lastTick() uint64 {
	var end uint64
	for i := range r.groups {
		end = max(end, r.groups[i].end)
	}
	for i := range r.pipes.runs {
		end = max(end, r.pipes.runs[i].to)
	}
	return end
}

// until returns the tick at which a wait was over, or up to which it is known.
func (w *pipeWait) until(end uint64) uint64 {
	if w.over {
		return w.to
	}
	return max(end, w.from)
}

// labels names launches: by their kernels, and by their numbers where a kernel
// runs more than once.
func labels(launches []LaunchInfo) []string {
	count := make(map[string]int)
	for i := range launches {
		count[launches[i].Kernel]++
	}
	names := make([]string, len(launches))
	for i := range launches {
		names[i] = clean(launches[i].Kernel)
		if count[launches[i].Kernel] > 1 {
			names[i] += fmt.Sprintf(" (launch %d)", i)
		}
	}
	return names
}

// label names a launch, or the host.
func (r *Recorder) label(launch int) string {
	if launch < 0 || launch >= len(r.labels) {
		return "the host"
	}
	return r.labels[launch]
}

// packetText writes the numbers of packets as people count them within the set:
// "packet 3", "packets 3–10".
func (run *packetRun) packetText() string {
	if run.n == 1 {
		return fmt.Sprintf("packet %d", run.first)
	}
	return fmt.Sprintf("packets %d–%d", run.first, run.first+run.n-1)
}

// needs says what a wait is for.
func (w *pipeWait) needs(r *Recorder) string {
	name := clean(r.pipes.infos[w.pipe].Name)
	if w.write {
		return "room in " + name
	}
	return "packets of " + name
}
