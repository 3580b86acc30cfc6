package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// maxRows is the number of waves that a picture shows.
const maxRows = 16

// The signs of a picture.
const (
	signRun     = '#'
	signIssue   = 'c'
	signMark    = 'm'
	signStall   = 'w'
	signParked  = '-'
	signIdle    = '.'
	signOver    = ' '
	signBarrier = '|'
	signSeveral = '+'
	signPipe    = 'p'
)

// meanings has the signs in the order of the legend.
var meanings = []struct {
	sign    byte
	meaning string
}{
	{signRun, "runs"},
	{signIssue, "issues a copy"},
	{signMark, "async mark"},
	{signStall, "waits for a copy"},
	{signParked, "waits at a barrier"},
	{signPipe, "waits at a pipe"},
	{signIdle, "idle"},
	{signBarrier, "a barrier opens"},
	{signSeveral, "several copies"},
}

// canvas maps the ticks of a group to columns.
type canvas struct {
	start, end uint64
	scale      uint64 // ticks of a column
	columns    int
}

func newCanvas(g *group, columns int) canvas {
	ticks := max(g.end-g.start, 1)
	c := canvas{start: g.start, end: g.end, scale: (ticks + uint64(columns) - 1) / uint64(columns)}
	c.columns = int((ticks + c.scale - 1) / c.scale)
	return c
}

// column is where a tick is drawn.
func (c *canvas) column(tick uint64) int {
	if tick < c.start {
		return 0
	}
	return int(min((tick-c.start)/c.scale, uint64(c.columns-1)))
}

// spread adds the ticks of [from, to) to the columns that they belong to.
func (c *canvas) spread(sums []uint64, from, to uint64) {
	from, to = max(from, c.start), min(to, c.start+c.scale*uint64(c.columns))
	for from < to {
		i := c.column(from)
		next := min(to, c.start+uint64(i+1)*c.scale)
		sums[i] += next - from
		from = next
	}
}

// waveRow is what a wave does, by columns.
type waveRow struct {
	run, stall, parked []uint64
	issue, mark        []bool
	ended              uint64 // tick, when known
	over               bool
	parkedSince        uint64
	parkedNow          bool
	piped              []uint64 // waits at a pipe
	pipedSince         uint64
	pipedNow           bool
}

// signRow is a row of a picture: a sign for each column.
type signRow struct {
	name   string
	signs  []byte
	engine bool // it is about copies, whose signs are the last digits of their numbers
	number int  // of the engine
}

// signRows returns the picture of the group: a row for each wave, up to maxRows, for barriers where there are any, and
// for each engine. More is the number of waves that are left out, which stand behind the first waves rows.
func (g *group) signRows(c *canvas) (rows []signRow, waves, more int) {
	list := make([]waveRow, min(g.waves(), maxRows))
	for i := range list {
		w := &list[i]
		w.run, w.stall, w.parked = make([]uint64, c.columns), make([]uint64, c.columns), make([]uint64, c.columns)
		w.piped = make([]uint64, c.columns)
		w.issue, w.mark = make([]bool, c.columns), make([]bool, c.columns)
	}
	barriers := []byte(strings.Repeat(" ", c.columns))
	anyBarrier := false
	for _, e := range g.byTime() {
		if e.kind == kindBarrier {
			barriers[c.column(e.from)] = signBarrier
			anyBarrier = true
			for i := range list {
				list[i].unpark(c, e.from)
			}
		}
		if e.wave < 0 || int(e.wave) >= len(list) {
			continue
		}
		w := &list[e.wave]
		switch e.kind {
		case kindTurn:
			c.spread(w.run, e.from, e.to)
			w.unpipe(c, e.from)
			w.pipedNow, w.pipedSince = e.stop == engine.StopPipe, e.to
			w.parkedNow, w.parkedSince = stops(e), e.to
			w.over, w.ended = ends(e), e.to
		case kindIssue:
			w.issue[c.column(e.from)] = true
		case kindMark:
			w.mark[c.column(e.from)] = true
		case kindWait:
			c.spread(w.stall, e.from, e.to)
		}
	}
	for i := range list {
		list[i].unpark(c, g.end)
		list[i].unpipe(c, g.end)
		rows = append(rows, signRow{name: fmt.Sprintf("wave %d", i), signs: list[i].draw(c)})
	}
	if anyBarrier {
		rows = append(rows, signRow{name: "barriers", signs: barriers})
	}
	g.drawEngines(c, func(engine int, signs []byte) {
		rows = append(rows, signRow{name: engineName(engine), signs: signs, engine: true, number: engine})
	})
	return rows, len(list), g.waves() - len(list)
}

// picture draws the group: a row for each wave and each engine.
func (t *textWriter) picture(g *group) {
	const label = 10
	c := newCanvas(g, t.opt.Width-label)
	rows, waves, more := g.signRows(&c)
	used, digits := map[byte]bool{}, false
	t.printf("%s\n", c.axis(label))
	for i, row := range rows {
		if i == waves && more > 0 {
			t.printf("%s more\n", counted(more, "wave"))
		}
		for _, s := range row.signs {
			used[s] = true
		}
		digits = digits || row.engine
		t.printf("%-*s%s\n", label, row.name, strings.TrimRight(string(row.signs), " "))
	}
	if len(rows) == waves && more > 0 {
		t.printf("%s more\n", counted(more, "wave"))
	}
	var legend []string
	for _, m := range meanings {
		if used[m.sign] {
			legend = append(legend, fmt.Sprintf("%c %s", m.sign, m.meaning))
		}
	}
	if digits {
		legend = append(legend, "0–9 a copy moves: its number's last digit")
	}
	legend = append(legend, "a column is "+counted(c.scale, "tick"))
	t.legend(legend, label)
}

// legend writes the meanings of the signs, as many in a line as fit.
func (t *textWriter) legend(items []string, label int) {
	line := ""
	flush := func() {
		if line != "" {
			t.printf("%*s%s\n", label, "", line)
		}
		line = ""
	}
	for _, item := range items {
		if line != "" && label+len(line)+2+len(item) > t.opt.Width {
			flush()
		}
		if line != "" {
			line += "  "
		}
		line += item
	}
	flush()
}

// byTime returns the events in the order of their beginnings.
func (g *group) byTime() []*event {
	list := make([]*event, len(g.events))
	for i := range g.events {
		list[i] = &g.events[i]
	}
	slices.SortStableFunc(list, func(a, b *event) int {
		// A barrier that opens at a tick ends what was before.
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(barrierFirst(a), barrierFirst(b)))
	})
	return list
}

func barrierFirst(e *event) int {
	if e.kind == kindBarrier {
		return 0
	}
	return 1
}

func (w *waveRow) unpark(c *canvas, now uint64) {
	if w.parkedNow {
		c.spread(w.parked, w.parkedSince, now)
		w.parkedNow = false
	}
}

func (w *waveRow) unpipe(c *canvas, now uint64) {
	if w.pipedNow {
		c.spread(w.piped, w.pipedSince, now)
		w.pipedNow = false
	}
}

// draw picks a sign for each column: what takes no time but matters, then
// whatever took most of it.
func (w *waveRow) draw(c *canvas) []byte {
	signs := make([]byte, c.columns)
	for i := range signs {
		run := w.run[i] - min(w.stall[i], w.run[i])
		switch {
		case w.issue[i]:
			signs[i] = signIssue
		case w.mark[i]:
			signs[i] = signMark
		case w.stall[i] > 0 && w.stall[i] >= run:
			signs[i] = signStall
		case run > 0:
			signs[i] = signRun
		case w.parked[i] > 0:
			signs[i] = signParked
		case w.piped[i] > 0:
			signs[i] = signPipe
		case w.over && c.column(w.ended) <= i:
			signs[i] = signOver
		default:
			signs[i] = signIdle
		}
	}
	return signs
}

// drawEngines calls f with a row for each engine that had something to do. A
// column shows the copy that takes most of it, or that there are several at a time.
func (g *group) drawEngines(c *canvas, f func(engine int, signs []byte)) {
	rows := g.rows()
	for first := 0; first < len(rows); {
		signs := []byte(strings.Repeat(string(signIdle), c.columns))
		engine := rows[first].engine
		next := first
		for ; next < len(rows) && rows[next].engine == engine; next++ {
			for i, digit := range g.digits(&rows[next], c) {
				switch {
				case digit == 0:
				case signs[i] == signIdle:
					signs[i] = digit
				default:
					signs[i] = signSeveral
				}
			}
		}
		f(engine, signs)
		first = next
	}
}

// digits returns, for each column, the last digit of the number of the row's
// transfer that takes most of it; 0 where there is none.
func (g *group) digits(r *row, c *canvas) []byte {
	digits := make([]byte, c.columns)
	most := make([]uint64, c.columns)
	for _, n := range r.transfers {
		from, to := g.shown(&g.transfers[n])
		for i := c.column(from); i <= c.column(to-1); i++ {
			begin := c.start + uint64(i)*c.scale
			if ticks := min(to, begin+c.scale) - min(max(from, begin), to); ticks > most[i] {
				digits[i], most[i] = byte('0'+(n+1)%10), ticks
			}
		}
	}
	return digits
}

// axis writes ticks above the columns, one every twenty columns.
func (c *canvas) axis(label int) string {
	const every = 20
	s := fmt.Sprintf("%-*s", label, "tick")
	for i := 0; i < c.columns; i += every {
		if n := label + i - len(s); n >= 0 {
			s += strings.Repeat(" ", n) + fmt.Sprint(c.start+uint64(i)*c.scale)
		}
	}
	return s
}
