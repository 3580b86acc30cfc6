package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// This file writes what a set of launches adds to a trace in Chrome's format.

// headerOfSet describes the launches and the pipes.
func (c *chromeWriter) headerOfSet() {
	o := &c.line
	list := func(key string, n int, each func(i int)) {
		o.key(key)
		o.b = append(o.b, '[')
		for i := range n {
			if i > 0 {
				o.b = append(o.b, ',')
			}
			o.b = append(o.b, '{')
			each(i)
			o.close()
		}
		o.b = append(o.b, ']')
	}
	list("launches", len(c.r.launches), func(i int) {
		l := &c.r.launches[i]
		o.str("kernel", l.Kernel)
		o.str("global", extent(l.Global[:]))
		o.str("local", extent(l.Local[:]))
		o.str("groups", extent(l.Groups[:]))
	})
	list("pipes", len(c.r.pipes.infos), func(i int) {
		p := &c.r.pipes.infos[i]
		o.str("name", p.Name)
		o.num("packet_bytes", uint64(p.PacketBytes))
		o.num("capacity", uint64(p.Capacity))
		o.num("packets_before", p.before())
	})
}

// together writes a set: each launch is a process, with the waves of its
// work-groups and their DMA engines as threads; one more process has the pipes,
// with a counter for each, and threads for what is written to it and read from it.
func (c *chromeWriter) together() {
	r := c.r
	next := make([]int, len(r.launches)) // thread of each launch
	groups := make([]int, len(r.launches))
	for i := range r.launches {
		c.metadata("process", r.label(i), i+1, 0, i+1)
		next[i] = 1
	}
	for i := range r.groups {
		groups[r.groups[i].launch]++
	}
	first := make([]int, len(r.groups)) // thread of each group
	for i := range r.groups {
		g := &r.groups[i]
		prefix := ""
		if l := &r.launches[g.launch]; groups[g.launch] > 1 || l.Groups[0] > 1 || l.Groups[1] > 1 || l.Groups[2] > 1 {
			prefix = g.name() + " "
		}
		first[i] = next[g.launch]
		next[g.launch] = c.threads(g.launch+1, first[i], prefix, g)
	}
	c.waits(first)
	c.pipes(len(r.launches)+1, first)
	c.sorted()
}

// waits gathers the waits at pipes. Those of a wave nest: where one goes on
// longer than another that began before, it is drawn from there on.
func (c *chromeWriter) waits(first []int) {
	r := c.r
	end := r.lastTick()
	order := make([]int, len(r.pipes.waits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		v, w := &r.pipes.waits[a], &r.pipes.waits[b]
		return cmp.Or(cmp.Compare(v.from, w.from), -cmp.Compare(v.until(end), w.until(end)))
	})
	type thread struct{ group, wave int }
	open := make(map[thread][]uint64) // the ends of the waits around
	for _, i := range order {
		w := &r.pipes.waits[i]
		at := thread{w.group, w.wave}
		from, to := w.from, w.until(end)
		around := open[at]
		for n := len(around); n > 0 && around[n-1] < to; n-- {
			from, around = max(from, around[n-1]), around[:n-1]
		}
		open[at] = append(around, to)
		if from < to {
			c.add(from, to-from, rankTurn, func() { c.pipeWait(w, from, to, w.launch+1, first[w.group]+w.wave) })
		}
	}
}

// pipes gathers what is to say of the pipes, in a process of its own, and the
// arrows along which the packets go.
func (c *chromeWriter) pipes(pid int, first []int) {
	r := c.r
	if len(r.pipes.infos) == 0 {
		return
	}
	c.metadata("process", "pipes", pid, 0, pid)
	threads := make([]int, len(r.pipes.runs))
	runs := r.runsByPipe()
	tid := 1
	for i := range r.pipes.infos {
		name := pipeName(&r.pipes.infos[i])
		for _, side := range []struct {
			write bool
			what  string
		}{{true, " written"}, {false, " read"}} {
			for n, row := range r.runRows(runs[i], side.write) {
				thread := name + side.what
				if n > 0 {
					thread += fmt.Sprintf(" (%d)", n+1)
				}
				c.metadata("thread", thread, pid, tid, tid)
				for _, k := range row {
					run, at := &r.pipes.runs[k], tid
					threads[k] = tid
					c.add(run.from, run.length(), rankTurn, func() { c.run(run, pid, at) })
				}
				tid++
			}
		}
	}
	// Counters belong to the process.
	for i := range r.pipes.infos {
		for _, l := range r.levelsOf(i, runs[i]) {
			c.add(l.tick, 0, rankInstant, func() { c.level(i, l, pid) })
		}
	}
	// An arrow leaves the turn in which packets were written, and ends in that
	// in which they were read. Where there is no turn, for the host, the pipe's row
	// stands for it.
	at := func(k int, tick uint64) point {
		run := &r.pipes.runs[k]
		if run.turn.from >= run.turn.to {
			return point{min(tick, run.from+run.length()-1), pid, threads[k]}
		}
		return point{min(max(tick, run.turn.from), run.turn.to-1), run.launch + 1, first[run.group] + run.wave}
	}
	for _, s := range r.ways() {
		write, read := &r.pipes.runs[s.write], &r.pipes.runs[s.read]
		from := at(s.write, write.to)
		to := at(s.read, max(read.from, from.ts))
		if write.group == read.group && write.wave == read.wave && write.turn == read.turn && write.launch != host || to.ts < from.ts {
			continue // a wave that reads what it has just written
		}
		c.flow("packets of "+pipeName(&r.pipes.infos[write.pipe]), "pipe", from, to)
	}
}

// length returns the ticks for which a run is drawn, at least one.
func (run *packetRun) length() uint64 { return max(run.to-run.from, 1) }

// runRows lays the runs of a pipe's end, one or the other of its runs, out in as few rows as they need, so that
// they do not overlap within one.
func (r *Recorder) runRows(runs []int, write bool) [][]int {
	var list []int
	for _, i := range runs {
		if r.pipes.runs[i].write == write {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(r.pipes.runs[a].from, r.pipes.runs[b].from) })
	var rows [][]int
	var ends []uint64
	for _, i := range list {
		run := &r.pipes.runs[i]
		at := 0
		for at < len(rows) && ends[at] > run.from {
			at++
		}
		if at == len(rows) {
			rows, ends = append(rows, nil), append(ends, 0)
		}
		rows[at] = append(rows[at], i)
		ends[at] = run.from + run.length()
	}
	return rows
}

func (c *chromeWriter) run(run *packetRun, pid, tid int) {
	c.slice(run.packetText(), "pipe", run.from, run.length(), pid, tid)
	o := &c.line
	o.num("packets", run.n)
	what := "read by"
	if run.write {
		what = "written by"
	}
	o.str(what, c.r.who(run))
	o.num("from tick", run.from)
	o.num("to tick", run.to)
	c.where(run.launch, run.pc)
	c.done()
}

// who names whoever moved packets: "fir, group (0,0,0), wave 0".
func (r *Recorder) who(run *packetRun) string {
	if run.launch == host {
		return r.label(host)
	}
	who := r.label(run.launch) + ", " + r.groups[run.group].name()
	if run.wave >= 0 {
		who += fmt.Sprintf(", wave %d", run.wave)
	}
	return who
}

func (c *chromeWriter) level(pipe int, l level, pid int) {
	c.event("C", "packets in "+pipeName(&c.r.pipes.infos[pipe]), "pipe", l.tick, pid, 0)
	c.line.args()
	c.line.num("packets", l.n)
	c.done()
}

func (c *chromeWriter) pipeWait(w *pipeWait, from, to uint64, pid, tid int) {
	c.slice("wait for "+w.needs(c.r), "pipe", from, to-from, pid, tid)
	c.line.num("work-items", uint64(max(w.items, 0)))
	c.where(w.launch, w.pc)
	c.done()
}
