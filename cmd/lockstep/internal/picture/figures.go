package picture

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// Limits of the figures of a page. The timelines are those of the first work-groups.
const (
	PageGroups      = 4
	timelineColumns = 280
	figureLines     = 12 // lines of the source
)

// Figures returns the pictures of a page.
func Figures(r *trace.Recorder, counts []trace.LineCounts) []*Figure {
	var list []*Figure
	add := func(f *Figure) {
		if f != nil {
			f.ID = fmt.Sprintf("figure%d", len(list)+1)
			list = append(list, f)
		}
	}
	timelines, left := r.Timelines(PageGroups, timelineColumns)
	for i := range timelines {
		f := timelineFigure(&timelines[i])
		if i == 0 {
			f.note("The clock counts an instruction of a wave as one tick, and more where a wave waits for a copy. Waves of a work-group take turns on it.")
		}
		if i == len(timelines)-1 && left > 0 {
			f.note("%s more, which are counted, but have no timeline here.", cmdline.Counted(left, "work-group"))
		}
		if i == len(timelines)-1 && r.Truncated() {
			f.note("The launch had more events than are kept (-trace-limit): the last part is missing.")
		}
		add(f)
	}
	add(lanesFigure(r.LaneStrips()))
	add(idleFigure(counts))
	add(bytesFigure(counts))
	banks := r.Banks()
	add(conflictsFigure(banks.Conflicts))
	add(banksFigure(banks.Words))
	memories := r.AccessMaps()
	for i := range memories {
		f := accessFigure(&memories[i], memories[0].Launch != memories[len(memories)-1].Launch)
		if i == 0 {
			f.note("Where neighbours access neighbours the picture is a diagonal, and where many work-items share memory it is a column.")
		}
		add(f)
	}
	return list
}

// activityClasses are the classes of activities, whose colours a page has.
var activityClasses = [trace.NumActivities]string{
	trace.ActivityRuns: "run", trace.ActivityIssue: "issue", trace.ActivityMark: "mark", trace.ActivityCopyWait: "wait", trace.ActivityBarrierWait: "parked",
	trace.ActivityPipeWait: "wait", trace.ActivityIdle: "idle", trace.ActivityBarrier: "barrier", trace.ActivityCopy: "copy", trace.ActivityCopies: "copies",
	trace.ActivityWaitsPackets: "wait", trace.ActivityWaitsRoom: "room", trace.ActivityGaveWay: "parked", trace.ActivityPipeLevel: "level",
}

// timelineFigure draws a timeline: a row for each wave, engine, launch or pipe.
func timelineFigure(t *trace.Timeline) *Figure {
	const row, gap = 18 * unit, 6 * unit
	ticks := max(t.End-t.Start, 1)
	f := &Figure{Kind: "timeline", Title: "Timeline of " + t.Name, Width: figureWidth / unit,
		Desc: fmt.Sprintf("%s, from tick %d to %d of the logical clock: a row for each of %s.", t.Name, t.Start, t.End, rowNames(t.Rows))}
	y := 4 * unit
	totals := make([][trace.NumActivities]uint64, len(t.Rows))
	for i := range t.Rows {
		one := &t.Rows[i]
		f.label(y+row/2, one.Name)
		f.rect(labelWidth, y, plotWidth, row, "track", "")
		for _, s := range one.Spans {
			totals[i][s.Activity] += s.To - s.From
			from, to := at(s.From-t.Start, ticks), at(min(s.To, t.End)-t.Start, ticks)
			if s.Activity == trace.ActivityIdle {
				continue
			}
			class, top, height := activityClasses[s.Activity], y, row
			tip := fmt.Sprintf("ticks %d to %d: %s", s.From, s.To, s.Activity)
			switch s.Activity {
			case trace.ActivityBarrier: // a line through all rows above
				to, top, height = from+unit, 4*unit, y+row-4*unit
			case trace.ActivityPipeLevel:
				height = row * s.Tenths / 10
				top = y + row - height
				tip = fmt.Sprintf("ticks %d to %d: about %d %% full", s.From, s.To, 10*s.Tenths)
			}
			f.rect(from, top, max(to-from, unit), height, class, tip)
			f.key(class, s.Activity.String())
		}
		y += row + gap
	}
	f.axis(y+8*unit, t.Start, t.End, "tick")
	f.ends(y + 14*unit)
	if t.More > 0 {
		f.note("%s more are left out.", cmdline.Counted(t.More, "row"))
	}
	return f
}

// rowNames is "wave 0, wave 1, … and barriers".
func rowNames(rows []trace.TimelineRow) string {
	var names []string
	for i := range rows {
		if len(rows) > 6 && i == 4 {
			names = append(names, "…")
		}
		if len(rows) <= 6 || i < 4 || i == len(rows)-1 {
			names = append(names, rows[i].Name)
		}
	}
	return cmdline.Enumerated(names)
}

// lanesFigure draws how many lanes are active over time; nil without sub-groups.
func lanesFigure(strips []trace.LaneStrip) *Figure {
	if len(strips) == 0 {
		return nil
	}
	const row, gap = 30 * unit, 8 * unit
	f := &Figure{Kind: "lanes", Title: "Active lanes over time", Width: figureWidth / unit}
	end := uint64(1)
	for i := range strips {
		end = max(end, strips[i].End)
	}
	y := 4 * unit
	var lanes, slots uint64
	launches := strips[0].Launch != strips[len(strips)-1].Launch
	for i := range strips {
		s := &strips[i]
		name := fmt.Sprintf("sub-group %d", s.Subgroup)
		if launches {
			name = s.Launch + ", " + name
		}
		f.label(y+row/2, name)
		f.rect(labelWidth, y, plotWidth, row, "track", "")
		for j := 0; j < len(s.Columns); {
			level := levelOf(s, j, row)
			next := j + 1
			for next < len(s.Columns) && levelOf(s, next, row) == level {
				next++
			}
			from, to := s.Columns[j].From, s.Columns[next-1].To
			x, w := at(from, end), max(at(to, end)-at(from, end), 2)
			if level.waits {
				f.rect(x, y, w, row, "parked", fmt.Sprintf("ticks %d to %d: waits at a barrier", from, to))
				f.key("parked", "waits at a barrier for other sub-groups")
			} else {
				f.rect(x, y+row-level.height, w, level.height, "run", fmt.Sprintf("ticks %d to %d: about %d of %d lanes are active", from, to, level.lanes, s.Size))
				f.key("run", "lanes that are active; above, lanes that idle")
			}
			for ; j < next; j++ {
				lanes += s.Columns[j].Lanes
				slots += s.Columns[j].Ticks * uint64(s.Size)
			}
		}
		y += row + gap
	}
	f.axis(y+8*unit, 0, end, "tick")
	f.ends(y + 14*unit)
	f.Desc = fmt.Sprintf("The part of the lanes that were active, for %s. %d %% of the lanes were active on average.", cmdline.Counted(len(strips), "sub-group"), 100*lanes/max(slots, 1))
	f.note("The first sub-groups of the first work-group of each launch. A full bar is all lanes of a sub-group; where lanes diverge, or a work-group does not fill a sub-group, it is lower: %d %% of the lanes were active on average.", 100*lanes/max(slots, 1))
	f.note("A tick is an instruction that a sub-group issues, as if each had a processor of its own.")
	return f
}

// laneLevel is how a column of a strip is drawn.
type laneLevel struct {
	waits  bool
	height int
	lanes  uint64
}

// levelOf returns the level of a column, in a row of a height.
func levelOf(s *trace.LaneStrip, column, row int) laneLevel {
	c := &s.Columns[column]
	if c.Ticks == 0 {
		return laneLevel{waits: true}
	}
	slots := c.Ticks * uint64(s.Size)
	return laneLevel{height: scaled(row, c.Lanes, slots), lanes: (c.Lanes + c.Ticks/2) / c.Ticks}
}

// bar is a row of a figure of bars: parts beside each other, and a text behind.
type bar struct {
	label, text string
	parts       []barPart
}

type barPart struct {
	n          uint64
	class, tip string
}

// bars draws bars below each other, the longest over the whole plot but for the texts.
func (f *Figure) bars(list []bar) {
	const row, gap, texts = 16 * unit, 7 * unit, 200 * unit
	var most uint64
	for i := range list {
		var n uint64
		for _, p := range list[i].parts {
			n += p.n
		}
		most = max(most, n)
	}
	scale := func(n uint64) int { return scaled(plotWidth-texts, n, most) }
	y := 4 * unit
	for i := range list {
		b := &list[i]
		f.label(y+row/2, b.label)
		var n uint64
		for _, p := range b.parts {
			if p.n == 0 {
				continue
			}
			from := scale(n)
			n += p.n
			f.rect(labelWidth+from, y, max(scale(n)-from, 5), row, p.class, p.tip)
		}
		f.text(labelWidth+scale(n)+8*unit, y+row/2+4*unit, "start soft", b.text)
		y += row + gap
	}
	f.ends(y)
}

// topLines returns the lines for which f is largest, those with 0 left out, in the order of the source, and how many
// more there are.
func topLines(counts []trace.LineCounts, f func(*trace.LineCounts) uint64) (list []*trace.LineCounts, more int) {
	for i := range counts {
		if f(&counts[i]) > 0 {
			list = append(list, &counts[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *trace.LineCounts) int { return cmp.Compare(f(b), f(a)) })
	if len(list) > figureLines {
		list, more = list[:figureLines], len(list)-figureLines
	}
	slices.SortStableFunc(list, func(a, b *trace.LineCounts) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Word, b.Word))
	})
	return list, more
}

// lineName is what a figure calls a line.
func lineName(c *trace.LineCounts) string {
	switch {
	case c.Line > 0:
		return fmt.Sprintf("%s:%d", cmdline.Printable(path.Base(c.File)), c.Line)
	case c.Word > 0:
		return fmt.Sprintf("%s, word %d", cmdline.Printable(c.Kernel), c.Word)
	}
	return "elsewhere"
}

// moreLines says that a figure leaves lines out.
func (f *Figure) moreLines(more int) {
	if more > 0 {
		f.note("%s with less are left out; the table above has all.", cmdline.Counted(more, "line"))
	}
}

// idleFigure draws for each line how many places of lanes were active, and how many idle.
func idleFigure(counts []trace.LineCounts) *Figure {
	list, more := topLines(counts, func(c *trace.LineCounts) uint64 { return c.Room })
	if len(list) == 0 {
		return nil
	}
	f := &Figure{Kind: "idle", Title: "Lanes by line", Width: figureWidth / unit, Desc: "For each line, the lanes of the instructions that sub-groups issued: those that were active, and those that were idle."}
	f.key("run", "active")
	f.key("lost", "idle")
	var rows []bar
	for _, c := range list {
		rows = append(rows, bar{lineName(c), fmt.Sprintf("%d %% idle", Rounded(c.Room-c.Lanes, c.Room)), []barPart{
			{c.Lanes, "run", fmt.Sprintf("%d active lanes in %s", c.Lanes, cmdline.Counted(c.Instructions, "instruction"))}, {c.Room - c.Lanes, "lost", fmt.Sprintf("%d idle lanes", c.Room-c.Lanes)},
		}})
	}
	f.bars(rows)
	f.note("A bar is the lanes of all instructions of the line: the longer, the more work.")
	f.moreLines(more)
	return f
}

// bytesFigure draws for each line which part of the bytes that move was asked for.
func bytesFigure(counts []trace.LineCounts) *Figure {
	list, more := topLines(counts, (*trace.LineCounts).Moved)
	if len(list) == 0 {
		return nil
	}
	f := &Figure{Kind: "bytes", Title: "Bytes of global memory by line", Width: figureWidth / unit,
		Desc: fmt.Sprintf("For each line, the bytes that sub-groups asked for, of those in the cache lines of %d bytes that move for them.", trace.LineBytes)}
	f.key("copy", "asked for")
	f.key("lost", "moved besides")
	var rows []bar
	for _, c := range list {
		rows = append(rows, bar{lineName(c), fmt.Sprintf("%d of %d, %d %%", c.Asked, c.Moved(), Rounded(c.Asked, c.Moved())), []barPart{
			{c.Asked, "copy", fmt.Sprintf("%d bytes asked for", c.Asked)}, {c.Moved() - c.Asked, "lost", fmt.Sprintf("%d bytes moved besides", c.Moved()-c.Asked)},
		}})
	}
	f.bars(rows)
	f.note("Whole cache lines of %d bytes move. Lanes that access neighbours share lines; lanes that are far apart need one each, and use a part of it.", trace.LineBytes)
	f.moreLines(more)
	return f
}

// conflictsFigure draws how many accesses to local memory had how many conflicts; nil without accesses.
func conflictsFigure(conflicts map[uint64]uint64) *Figure {
	if len(conflicts) == 0 {
		return nil
	}
	f := &Figure{Kind: "conflicts", Title: "Bank conflicts", Width: figureWidth / unit, Desc: "How many accesses of sub-groups to local memory took how many passes more than needed."}
	var rows []bar
	var all, extra uint64
	numbers := slices.Sorted(maps.Keys(conflicts))
	for i, n := range numbers {
		label, class := fmt.Sprintf("%d extra", n), "lost"
		if n == 0 {
			label, class = "no conflict", "run"
		}
		all += conflicts[n]
		extra += n * conflicts[n]
		if i < figureLines {
			rows = append(rows, bar{label, accessCount(conflicts[n]), []barPart{{conflicts[n], class, ""}}})
		}
	}
	f.bars(rows)
	f.note("Accesses of sub-groups to local memory, by the passes over the banks that they took beyond those needed: %d extra passes in %d of them.", extra, all)
	if more := len(numbers) - figureLines; more > 0 {
		f.note("%s of passes are left out.", cmdline.Counted(more, "larger number"))
	}
	return f
}

// accessCount is "1 access" or "2 accesses".
func accessCount(n uint64) string {
	if n == 1 {
		return "1 access"
	}
	return fmt.Sprintf("%d accesses", n)
}

// banksFigure draws how many words were taken from each bank of local memory; nil for none.
func banksFigure(words [trace.Banks]uint64) *Figure {
	most := slices.Max(words[:])
	if most == 0 {
		return nil
	}
	const height = 90 * unit
	f := &Figure{Kind: "banks", Title: "Banks of local memory", Width: figureWidth / unit}
	least := slices.Min(words[:])
	f.Desc = fmt.Sprintf("How many words accesses took from each of the %d banks: from %d to %d.", trace.Banks, least, most)
	f.rect(labelWidth, 4*unit, plotWidth, height, "track", "")
	width := plotWidth / trace.Banks
	for i, n := range words {
		h := scaled(height, n, most)
		x := labelWidth + i*width
		f.rect(x+2*unit, 4*unit+height-h, width-4*unit, h, "run", fmt.Sprintf("bank %d: %d words", i, n))
		f.text(x+width/2, 4*unit+height+12*unit, "middle soft", fmt.Sprint(i))
	}
	f.text(labelWidth-8*unit, 4*unit+8*unit, "end soft", fmt.Sprint(most))
	f.text(labelWidth-8*unit, 4*unit+height+12*unit, "end soft", "bank")
	f.ends(4*unit + height + 18*unit)
	f.note("Words of %d bytes that accesses took from each bank, all in all. A bank delivers one word at a time: an access that wants several of one bank has conflicts, also where all banks are used alike in the end.", trace.BankBytes)
	return f
}

// accessClasses are the classes of accesses.
var accessClasses = [...]string{trace.AccessedRead: "copy", trace.AccessedWritten: "write", trace.AccessedBoth: "both", trace.AccessedAtomic: "atomic"}

var accessNames = [...]string{trace.AccessedRead: "reads", trace.AccessedWritten: "writes", trace.AccessedBoth: "reads and writes", trace.AccessedAtomic: "atomic operations"}

// accessFigure draws which work-item accessed which part of a piece of memory.
func accessFigure(m *trace.AccessMap, launches bool) *Figure {
	name := cmp.Or(cmdline.Printable(m.Memory), "a buffer without a name")
	f := &Figure{Kind: "accesses", Title: "Accesses to " + name, Width: figureWidth / unit}
	if launches {
		f.Title += " by " + m.Launch
	}
	columns := len(m.Rows[0].Cells)
	width := min(plotWidth/columns, 24*unit)
	height := 7 * unit
	if len(m.Rows) <= 16 {
		height = 16 * unit
	}
	y := 4 * unit
	f.rect(labelWidth, y, width*columns, height*len(m.Rows), "track", "")
	for i := range m.Rows {
		r := &m.Rows[i]
		if i == 0 || i == len(m.Rows)-1 || len(m.Rows) <= 16 || i%8 == 0 && i < len(m.Rows)-4 {
			f.label(y+height/2, fmt.Sprintf("work-item %d", r.Item))
		}
		for j := 0; j < columns; {
			next := j + 1
			for next < columns && r.Cells[next] == r.Cells[j] {
				next++
			}
			if kind := r.Cells[j]; kind != trace.AccessedNot {
				f.rect(labelWidth+j*width, y+5, max((next-j)*width-3, 5), height-unit, accessClasses[kind], "")
				f.key(accessClasses[kind], accessNames[kind])
			}
			j = next
		}
		y += height
	}
	f.text(labelWidth, y+12*unit, "start soft", fmt.Sprintf("byte %d", m.First))
	if columns > 8 {
		f.text(labelWidth+width*columns, y+12*unit, "end soft", fmt.Sprintf("byte %d", m.First+int64(m.Unit)*int64(columns)))
	}
	f.ends(y + 18*unit)
	f.Desc = fmt.Sprintf("Which of %s access which part of %s: %s of %s each, from byte %d on.", cmdline.Counted(len(m.Rows), "work-item"), name, cmdline.Counted(columns, "column"), cmdline.Counted(m.Unit, "byte"), m.First)
	f.note("A row is a work-item, a column %s.", cmdline.Counted(m.Unit, "byte"))
	if m.Local {
		f.note("Each work-group has local memory of its own.")
	}
	if last := m.Rows[len(m.Rows)-1].Item; m.Items > last+1 {
		f.note("The launch has %s; the first ones that access the memory are shown.", cmdline.Counted(m.Items, "work-item"))
	}
	if m.Cut {
		f.note("There were more accesses than a picture keeps.")
	}
	return f
}

// Rounded returns a of b in percent.
func Rounded(a, b uint64) uint64 { return (100*a + b/2) / max(b, 1) }
