package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// WriteChrome writes the trace in Chrome's trace event format (the JSON object
// form), which ui.perfetto.dev and chrome://tracing open. A work-group is a
// process; its waves and the engines that move its transfers are threads. One
// tick is written as one microsecond.
//
//   - A turn of a wave is a slice; what it issues and what it waits for are
//     slices inside, async marks are instants.
//   - A transfer is a slice from its first byte to its last, one tick at least.
//     Transfers of an engine that overtake each other get threads of their own.
//   - A work-group barrier that opens is an instant of the process.
//   - Arrows lead from the issue of a transfer to the transfer, and from the
//     transfer that ended a wait to the wait.
//
// The same launch gives the same bytes. Timestamps ascend within the file.
func (r *Recorder) WriteChrome(w io.Writer) error {
	c := &chromeWriter{r: r, w: bufio.NewWriterSize(w, 64<<10)}
	c.header()
	if r.set {
		c.together()
	} else {
		for i := range r.groups {
			c.group(i+1, &r.groups[i])
		}
	}
	if r.full {
		c.notice()
	}
	c.w.WriteString("\n]}\n")
	return c.w.Flush()
}

// limitNotice says that a trace is not whole.
func (r *Recorder) limitNotice() string {
	return fmt.Sprintf("the trace ends here: its limit of %d events was reached", r.max)
}

// chromeWriter writes a trace. Errors stay in w until it is flushed.
type chromeWriter struct {
	r     *Recorder
	w     *bufio.Writer
	line  object
	list  []entry // gathered, and not written yet
	flows uint64
	any   bool // an event was written
}

// object is a JSON object in the making. Fields come in the order of the calls.
type object struct{ b []byte }

func (o *object) open() { o.b = append(o.b[:0], '{') }

func (o *object) key(k string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = appendString(o.b, k)
	o.b = append(o.b, ':')
}

func (o *object) str(k, v string) {
	o.key(k)
	o.b = appendString(o.b, v)
}

func (o *object) num(k string, v uint64) {
	o.key(k)
	o.b = strconv.AppendUint(o.b, v, 10)
}

func (o *object) nums(k string, vs []int) {
	o.key(k)
	o.b = append(o.b, '[')
	for i, v := range vs {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = strconv.AppendInt(o.b, int64(v), 10)
	}
	o.b = append(o.b, ']')
}

func (o *object) args() {
	o.key("args")
	o.b = append(o.b, '{')
}

func (o *object) close() { o.b = append(o.b, '}') }

// appendString appends a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029':
			b = fmt.Appendf(b, "\\u%04x", c)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return append(b, '"')
}

// flush writes the object as an event.
func (c *chromeWriter) flush() {
	if c.any {
		c.w.WriteByte(',')
	}
	c.any = true
	c.w.WriteByte('\n')
	c.w.Write(c.line.b)
}

func (c *chromeWriter) header() {
	info := &c.r.info
	o := &c.line
	o.open()
	o.str("displayTimeUnit", "ms")
	o.key("otherData")
	o.b = append(o.b, '{')
	o.str("clock", "logical: 1 tick is 1 µs here; a wave's instruction takes 1 tick, a wait for a copy as many as it waits")
	if c.r.set {
		c.headerOfSet()
	} else {
		o.str("kernel", info.Kernel)
		o.str("global", extent(info.Global[:]))
		o.str("local", extent(info.Local[:]))
		o.str("groups", extent(info.Groups[:]))
	}
	o.num("subgroup_size", uint64(max(info.SubgroupSize, 0)))
	o.str("schedule", info.Schedule)
	o.num("seed", info.Seed)
	o.str("completion", info.Completion)
	if info.Order != "" {
		o.str("work_item_order", info.Order)
	}
	o.num("dma_engines", uint64(max(info.Engines, 0)))
	o.num("dma_queue", uint64(max(info.QueueDepth, 0)))
	o.num("dma_step", uint64(max(info.BytesPerStep, 0)))
	o.num("events", uint64(c.r.events))
	if c.r.full {
		o.str("truncated", c.r.limitNotice())
	}
	o.close()
	o.key("traceEvents")
	o.b = append(o.b, '[')
	c.w.Write(o.b)
}

// extent writes the three dimensions of something: "64,1,1".
func extent[N uint32 | uint64](d []N) string {
	var words []string
	for _, n := range d {
		words = append(words, strconv.FormatUint(uint64(n), 10))
	}
	return strings.Join(words, ",")
}

// notice ends a trace that is not whole.
func (c *chromeWriter) notice() {
	var last uint64
	if n := len(c.r.groups); n > 0 {
		last = c.r.groups[n-1].end
	}
	pid := max(len(c.r.groups), 1)
	if c.r.set {
		last, pid = c.r.lastTick(), 1
		if len(c.r.groups) > 0 {
			pid = c.r.groups[0].launch + 1
		}
	}
	c.event("i", c.r.limitNotice(), "", last, pid, 1)
	c.line.str("s", "g")
	c.line.close()
	c.flush()
}

// event starts the object of an event.
func (c *chromeWriter) event(ph, name, category string, ts uint64, pid, tid int) {
	o := &c.line
	o.open()
	o.str("ph", ph)
	o.str("name", name)
	if category != "" {
		o.str("cat", category)
	}
	o.num("ts", ts)
	o.num("pid", uint64(pid))
	o.num("tid", uint64(tid))
}

// metadata names and sorts a process or a thread.
func (c *chromeWriter) metadata(what, name string, pid, tid, index int) {
	o := &c.line
	o.open()
	o.str("ph", "M")
	o.str("name", what+"_name")
	o.num("pid", uint64(pid))
	if tid > 0 {
		o.num("tid", uint64(tid))
	}
	o.args()
	o.str("name", name)
	o.close()
	o.close()
	c.flush()
	o.open()
	o.str("ph", "M")
	o.str("name", what+"_sort_index")
	o.num("pid", uint64(pid))
	if tid > 0 {
		o.num("tid", uint64(tid))
	}
	o.args()
	o.num("sort_index", uint64(index))
	o.close()
	o.close()
	c.flush()
}

// entry is an event of the file before it is written: its place in the order,
// and what writes it.
type entry struct {
	ts, dur uint64
	rank    int // at the same time: slices, then the rest, then the arrows' ends
	write   func()
}

// The ranks.
const (
	rankTurn = iota
	rankSlice
	rankInstant
	rankArrow
	rankArrowEnd
)

// group writes a work-group as a process.
func (c *chromeWriter) group(pid int, g *group) {
	c.metadata("process", g.name(), pid, 0, pid)
	c.threads(pid, 1, "", g)
	c.sorted()
}

// sorted writes what was gathered, in the order of time.
func (c *chromeWriter) sorted() {
	slices.SortStableFunc(c.list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.ts, b.ts), cmp.Compare(a.rank, b.rank), cmp.Compare(b.dur, a.dur))
	})
	for i := range c.list {
		c.list[i].write()
	}
	c.list = c.list[:0]
}

func (c *chromeWriter) add(ts, dur uint64, rank int, write func()) {
	c.list = append(c.list, entry{ts, dur, rank, write})
}

// point is a tick in a thread of a process.
type point struct {
	ts       uint64
	pid, tid int
}

// flow gathers an arrow.
func (c *chromeWriter) flow(name, category string, from, to point) {
	c.flows++
	id := c.flows
	c.add(from.ts, 0, rankArrow, func() { c.arrow("s", name, category, id, from) })
	c.add(to.ts, 0, rankArrowEnd, func() { c.arrow("f", name, category, id, to) })
}

// threads gathers the events of a work-group, whose threads are numbered from
// base on and named with a prefix. It returns the number after the last one.
func (c *chromeWriter) threads(pid, base int, prefix string, g *group) (next int) {
	waves := g.waves()
	rows := g.rows()
	waveThread := func(wave int32) int { return base + max(int(wave), 0) }
	for i := range waves {
		c.metadata("thread", fmt.Sprintf("%swave %d", prefix, i), pid, base+i, base+i)
	}
	threads := make([]int, len(g.transfers)) // of each transfer
	for i := range rows {
		tid := base + waves + i
		c.metadata("thread", prefix+rows[i].name(), pid, tid, tid)
		for _, n := range rows[i].transfers {
			threads[n] = tid
		}
	}
	for i := range g.events {
		e := &g.events[i]
		tid := waveThread(e.wave)
		switch e.kind {
		case kindTurn:
			if e.from < e.to || !c.r.set {
				c.add(e.from, e.to-e.from, rankTurn, func() { c.turn(e, pid, tid) })
			}
		case kindIssue:
			t := &g.transfers[e.n]
			from, _ := g.shown(t)
			c.add(e.from, 1, rankSlice, func() { c.issue(g, int(e.n), pid, tid) })
			if t.completed {
				c.flow("issued", "dma", point{e.from, pid, tid}, point{from, pid, threads[e.n]})
			}
		case kindComplete:
			// The transfer's slice says it.
		case kindMark:
			c.add(e.from, 0, rankInstant, func() { c.mark(g, e, pid, tid) })
		case kindWait:
			// The instruction takes a tick even where there is nothing to wait for.
			c.add(e.from, e.to-e.from+1, rankSlice, func() { c.wait(g, e, pid, tid) })
			if n := g.ender(e); n >= 0 {
				from, to := g.shown(&g.transfers[n])
				c.flow("complete", "dma", point{max(from, to-1), pid, threads[n]}, point{e.to, pid, tid})
			}
		case kindBarrier:
			c.add(e.from, 0, rankInstant, func() { c.barrier(g, e, pid, base) })
		}
	}
	for i := range g.transfers {
		from, to := g.shown(&g.transfers[i])
		c.add(from, to-from, rankSlice, func() { c.transfer(g, i, from, to, pid, threads[i]) })
	}
	return base + waves + len(rows)
}

// arrow writes an end of an arrow: ph is "s" where it starts and "f" where it
// finishes. Either binds to the slice around it.
func (c *chromeWriter) arrow(ph, name, category string, id uint64, at point) {
	c.event(ph, name, category, at.ts, at.pid, at.tid)
	c.line.num("id", id)
	if ph == "f" {
		c.line.str("bp", "e")
	}
	c.line.close()
	c.flush()
}

// slice starts a slice's object and its arguments.
func (c *chromeWriter) slice(name, category string, from, dur uint64, pid, tid int) {
	c.event("X", name, category, from, pid, tid)
	c.line.num("dur", dur)
	c.line.args()
}

// done ends an object with arguments.
func (c *chromeWriter) done() {
	c.line.close()
	c.line.close()
	c.flush()
}

// where writes the place of an instruction.
func (c *chromeWriter) where(launch, pc int) {
	p := c.r.place(launch, pc)
	if s := p.Position(); s != "" {
		c.line.str("at", s)
	}
	if s := strings.TrimSpace(p.Source); s != "" {
		c.line.str("code", s)
	}
	if p.Instruction != "" {
		c.line.str("instruction", p.Instruction)
	}
}

func (c *chromeWriter) turn(e *event, pid, tid int) {
	c.slice("run", "wave", e.from, e.to-e.from, pid, tid)
	if e.n > 0 {
		c.line.str("work-items", itemRange(int(e.first), int(e.n)))
	}
	c.line.str("then", stopText(e.stop))
	c.done()
}

// itemRange writes consecutive work-items as "0–63".
func itemRange(first, n int) string {
	s := finding.Spans{{uint64(first), uint64(first + n - 1)}}
	return s.String()
}

// stopText says what a wave does when its turn is over.
func stopText(s engine.Stop) string {
	switch s {
	case engine.StopDone:
		return "ends"
	case engine.StopBarrier:
		return "waits at a barrier"
	case engine.StopQuantum:
		return "gives way to others"
	case engine.StopFault:
		return "faults"
	case engine.StopCancelled:
		return "is cancelled"
	case engine.StopPipe:
		return "waits at a pipe"
	}
	return fmt.Sprintf("stops (%d)", s)
}

func (c *chromeWriter) issue(g *group, n, pid, tid int) {
	t := &g.transfers[n]
	c.slice(fmt.Sprintf("issue copy %d", n+1), "dma", t.issued, 1, pid, tid)
	c.line.num("copy", uint64(n+1))
	c.line.str("name", t.name)
	if len(t.items) > 0 {
		c.line.str("work-items", t.items.String())
	}
	c.where(g.launch, t.pc)
	c.done()
}

func (c *chromeWriter) transfer(g *group, n int, from, to uint64, pid, tid int) {
	t := &g.transfers[n]
	name := fmt.Sprintf("copy %d", n+1)
	if !t.completed {
		name += " (not complete)"
	}
	c.slice(name, "dma", from, to-from, pid, tid)
	o := &c.line
	o.num("copy", uint64(n+1))
	o.str("name", t.name)
	o.num("bytes", t.bytes)
	o.num("lines", t.lines)
	if t.planes > 1 {
		o.num("planes", t.planes)
	}
	o.str("from", t.source())
	o.str("to", t.target())
	if t.event != 0 {
		o.num("event", t.event)
	}
	o.str("issued by", t.issuers())
	o.num("issued", t.issued)
	if t.completed {
		o.num("starts", t.start)
		o.num("complete", t.done)
	}
	c.where(g.launch, t.pc)
	c.done()
}

func (c *chromeWriter) mark(g *group, e *event, pid, tid int) {
	c.event("i", "asyncmark", "async", e.from, pid, tid)
	c.line.str("s", "t")
	c.line.args()
	c.line.num("sequence", uint64(max(e.n, 0)))
	if len(g.extras[e.extra].items) > 0 {
		c.line.str("work-items", g.extras[e.extra].items.String())
	}
	c.where(g.launch, int(e.pc))
	c.done()
}

func (c *chromeWriter) wait(g *group, e *event, pid, tid int) {
	c.slice("wait "+waited(g.extras[e.extra].what), "async", e.from, e.to-e.from+1, pid, tid)
	c.line.num("stall", e.to-e.from)
	c.line.nums("copies", numbers(g.extras[e.extra].asked))
	if n := g.ender(e); n >= 0 {
		c.line.num("ended by copy", uint64(n+1))
	}
	c.where(g.launch, int(e.pc))
	c.done()
}

func (c *chromeWriter) barrier(g *group, e *event, pid, tid int) {
	c.event("i", "barrier", "barrier", e.from, pid, tid)
	c.line.str("s", "p")
	c.line.args()
	c.where(g.launch, int(e.pc))
	c.done()
}
