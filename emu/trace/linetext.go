package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// lineColumns are groups of columns of the table of [Recorder.WriteLines]. A group that has nothing to say is left out.
var lineColumns = []struct {
	what  string // that there is none of
	heads []string
	any   func(*LineCounts) bool
	cells func(*LineCounts) []string
}{
	{
		"", []string{"executed", "idle"}, func(*LineCounts) bool { return true },
		func(c *LineCounts) []string {
			executed := ""
			if c.Executions > 0 {
				executed = fmt.Sprint(c.Executions)
			}
			if c.Room == 0 {
				return []string{executed, ""}
			}
			return []string{executed, fmt.Sprintf("%d %%", percent(c.Room-c.Lanes, c.Room))}
		},
	},
	{
		"waits at barriers", []string{"at barriers", "ticks waited"}, func(c *LineCounts) bool { return c.Arrivals > 0 },
		func(c *LineCounts) []string { return []string{fmt.Sprint(c.Arrivals), fmt.Sprint(c.BarrierTicks)} },
	},
	{
		"bank conflicts", []string{"LDS passes", "conflicts"}, func(c *LineCounts) bool { return c.Passes > 0 },
		func(c *LineCounts) []string { return []string{fmt.Sprint(c.Passes), fmt.Sprint(c.Conflicts())} },
	},
	{
		"accesses to global memory", []string{"bytes asked", "moved", "used"}, func(c *LineCounts) bool { return c.CacheLines > 0 },
		func(c *LineCounts) []string {
			return []string{fmt.Sprint(c.Asked), fmt.Sprint(c.Moved()), fmt.Sprintf("%d %%", percent(c.Asked, c.Moved()))}
		},
	},
	{
		"atomic operations", []string{"atomics", "lanes", "at one address"}, func(c *LineCounts) bool { return c.Atomics > 0 },
		func(c *LineCounts) []string {
			return []string{fmt.Sprint(c.Atomics), tenths(c.AtomicLanes, c.Atomics), tenths(c.Meeting, c.Atomics)}
		},
	},
	{
		"asynchronous copies", []string{"copies", "bytes", "in flight", "overlap", "waited"}, func(c *LineCounts) bool { return c.Copies+c.Waits > 0 },
		func(c *LineCounts) []string {
			cells := []string{"", "", "", "", ""}
			if c.Copies > 0 {
				cells = []string{fmt.Sprint(c.Copies), fmt.Sprint(c.CopyBytes), fmt.Sprint(c.Flight), fmt.Sprintf("%d (%d %%)", c.Overlap, percent(c.Overlap, c.Flight)), ""}
			}
			if c.Waits > 0 {
				cells[4] = fmt.Sprint(c.WaitTicks)
			}
			return cells
		},
	},
}

// WriteLines writes, for a terminal, a table of [Recorder.Lines]. Of lines that are known to be in a file, it shows the
// source.
func (r *Recorder) WriteLines(w io.Writer, opt TextOptions) error {
	t := &textWriter{r: r, w: bufio.NewWriterSize(w, 64<<10), opt: opt.withDefaults(), shown: make(map[string]bool)}
	rows, complete := r.Lines()
	if len(rows) == 0 {
		t.printf("counts by line: no instruction was issued\n")
		return t.w.Flush()
	}
	var all LineCounts
	for i := range rows {
		all.add(&rows[i])
	}
	head := []string{"counts by line"}
	var none []string
	columns := lineColumns[:0:0]
	for _, c := range lineColumns {
		if !c.any(&all) {
			none = append(none, c.what)
			continue
		}
		columns = append(columns, c)
		head = append(head, c.heads...)
	}
	table := [][]string{head}
	var sources []string
	add := func(where, source string, row *LineCounts) {
		cells := []string{where}
		for _, c := range columns {
			if c.any(row) {
				cells = append(cells, c.cells(row)...)
			} else {
				cells = append(cells, make([]string, len(c.heads))...)
			}
		}
		table, sources = append(table, cells), append(sources, source)
	}
	lines := false
	for i := range rows {
		row := &rows[i]
		lines = lines || row.Line > 0
		where, source := row.where()
		add(where, source, row)
	}
	add("all", "", &all)
	t.table(table, sources, 1)
	if len(none) > 0 {
		t.printf("  none: %s\n", strings.Join(none, ", "))
	}
	if !lines {
		t.printf("  the module has no line information; compile it with -gline-tables-only, or -g, for counts by line\n")
	}
	if !complete {
		t.printf("  %s\n", incomplete)
	}
	return t.w.Flush()
}

// incomplete says that counts are not of everything.
const incomplete = "not all is counted: there were more kinds of access, or more events of asynchronous copies, than are kept"

// where names the line or the instruction, and returns its text.
func (c *LineCounts) where() (where, source string) {
	switch {
	case c.Line > 0:
		return fmt.Sprintf("%s:%d", clean(c.File), c.Line), strings.TrimSpace(clean(c.Source))
	case c.Word > 0:
		return fmt.Sprintf("%s, word %d", clean(c.Kernel), c.Word), clean(c.Instruction)
	}
	return "elsewhere", ""
}
