package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
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
	from, to            uint64   // ticks of the first and the last
	turn                interval // in which it was moved, where the trace has that
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
		first: first, n: n, from: now, to: now})
}

// pipeTurn keeps a turn of a wave of the group that runs: what moved meanwhile
// was its doing, and what it waited for before is over. A turn that was only a
// try is no event.
func (r *Recorder) pipeTurn(g *group, turn event) {
	l := &r.pipes
	moved := false
	for i := l.fresh; i < len(l.runs); i++ {
		if l.runs[i].launch != host {
			l.runs[i].wave, moved = int(turn.wave), true
		}
	}
	if moved || turn.from < turn.to || turn.stop != engine.StopPipe && turn.stop != engine.StopQuantum {
		if r.add(turn, 1) != nil {
			for i := l.fresh; i < len(l.runs); i++ {
				if l.runs[i].launch != host {
					l.runs[i].turn = interval{turn.from, turn.to}
				}
			}
		}
	}
	l.fresh = len(l.runs)
	if w := g.live.waits[int(turn.wave)]; w != nil {
		for _, i := range w.list {
			l.waits[i].to, l.waits[i].over = max(turn.from, l.waits[i].from), true
		}
		w.turn = turn.from
	}
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
	g.waits = max(g.waits, wave+1)
	g.end = max(g.end, now)
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

// until returns the tick at which a wait was over, or up to which it is known:
// the trace's last tick, end.
func (w *pipeWait) until(end uint64) uint64 {
	if w.over && w.to <= end {
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
	name := pipeName(&r.pipes.infos[w.pipe])
	if w.write {
		return "room in " + name
	}
	return "packets of " + name
}

// level is how many packets a pipe holds from a tick on.
type level struct {
	tick uint64
	n    uint64
}

// levels returns how full the pipe is over time, from tick 0 on: at most one
// level a tick. Of packets that move in a run it is known when the first and the
// last did; the others are taken to be evenly between them.
func (r *Recorder) levels(pipe int) []level { return r.levelsOf(pipe, r.runsByPipe()[pipe]) }

// runsByPipe returns the indices of each pipe's runs.
func (r *Recorder) runsByPipe() [][]int {
	list := make([][]int, len(r.pipes.infos))
	for i := range r.pipes.runs {
		at := &list[r.pipes.runs[i].pipe]
		*at = append(*at, i)
	}
	return list
}

// levelsOf is levels for the pipe's runs.
func (r *Recorder) levelsOf(pipe int, runs []int) []level {
	type step struct {
		tick  uint64
		write bool
		n     uint64
	}
	const most = 16 // steps of a run
	var steps []step
	for _, i := range runs {
		run := &r.pipes.runs[i]
		k := min(run.n, most, run.to-run.from+1)
		for j := range k {
			s := step{tick: run.from, write: run.write, n: run.n*(j+1)/k - run.n*j/k}
			if k > 1 {
				s.tick += (run.to - run.from) * j / (k - 1)
			}
			steps = append(steps, s)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		// What is written and read in a tick was written first.
		return cmp.Or(cmp.Compare(a.tick, b.tick), -cmp.Compare(rankWrite(a.write), rankWrite(b.write)))
	})
	info := &r.pipes.infos[pipe]
	now := info.before()
	list := []level{{0, now}}
	for _, s := range steps {
		if s.write {
			now += s.n
		} else {
			now -= min(s.n, now)
		}
		if last := &list[len(list)-1]; last.tick == s.tick {
			last.n = now
		} else {
			list = append(list, level{s.tick, now})
		}
	}
	for i := range list {
		list[i].n = min(list[i].n, uint64(info.Capacity))
	}
	return list
}

func rankWrite(write bool) int {
	if write {
		return 1
	}
	return 0
}

// stretch is packets that one run has written and another has read.
type stretch struct{ write, read int }

// ways returns, for each pipe, who read what whom has written: pairs of runs, in
// the order of the packets.
func (r *Recorder) ways() []stretch {
	sides := make([][2][]int, len(r.pipes.infos))
	for i := range r.pipes.runs {
		run := &r.pipes.runs[i]
		side := rankWrite(run.write)
		sides[run.pipe][side] = append(sides[run.pipe][side], i)
	}
	var list []stretch
	for _, s := range sides {
		reads, writes := s[0], s[1]
		for _, l := range s {
			slices.SortStableFunc(l, func(a, b int) int { return cmp.Compare(r.pipes.runs[a].first, r.pipes.runs[b].first) })
		}
		for len(reads) > 0 && len(writes) > 0 {
			read, write := &r.pipes.runs[reads[0]], &r.pipes.runs[writes[0]]
			readEnd, writeEnd := read.first+read.n, write.first+write.n
			if max(read.first, write.first) < min(readEnd, writeEnd) {
				list = append(list, stretch{writes[0], reads[0]})
			}
			if writeEnd <= readEnd {
				writes = writes[1:]
			} else {
				reads = reads[1:]
			}
		}
	}
	return list
}

// pipeLines adds to a group's timeline what it does with pipes.
func (r *Recorder) pipeLines(group int, lines []line) []line {
	if !r.set {
		return lines
	}
	for i := range r.pipes.runs {
		run := &r.pipes.runs[i]
		if run.group != group {
			continue
		}
		verb, to := "reads", "of"
		if run.write {
			verb, to = "writes", "to"
		}
		what := fmt.Sprintf("%s %s %s %s", verb, run.packetText(), to, pipeName(&r.pipes.infos[run.pipe]))
		if run.to > run.from {
			what += fmt.Sprintf(" (to tick %d)", run.to)
		}
		who := "group" // the trace ends before the turn does
		if run.wave >= 0 {
			who = fmt.Sprintf("wave %d", run.wave)
		}
		lines = append(lines, line{tick: run.from, rank: rankDoes, who: who, what: what, pc: run.pc})
	}
	end := r.lastTick()
	for i := range r.pipes.waits {
		w := &r.pipes.waits[i]
		if w.group != group {
			continue
		}
		what := "waits for " + w.needs(r)
		if to := w.until(end); !w.over {
			what += ", to the end"
		} else {
			what += fmt.Sprintf(", %s (to tick %d)", counted(to-w.from, "tick"), to)
		}
		lines = append(lines, line{tick: w.from, rank: rankDoes, who: fmt.Sprintf("wave %d", w.wave), what: what, pc: w.pc})
	}
	byTick(lines)
	return lines
}
