package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// blockCounts is how often sub-groups entered a block.
type blockCounts struct {
	end              int  // of the block
	barrier          bool // it ends at a barrier of the work-group
	subgroups, lanes uint64
}

func (r *Recorder) noteBlock(start, end, first, lanes int) {
	if r.subgroups == nil {
		return
	}
	at := site{r.launch, start}
	c := r.subgroups.blocks[at]
	if c == nil {
		c = &blockCounts{end: end, barrier: r.isBarrier(end - 1)}
		r.subgroups.blocks[at] = c
		for pc := start; pc < end; pc++ {
			r.locate(r.launch, pc)
		}
	}
	c.subgroups++
	c.lanes += uint64(lanes)
	r.noteTicks(first, uint64(end-start), lanes, c.barrier)
}

// lineCounts is what sub-groups issued for a line of the source.
type lineCounts struct {
	file, source        string
	line                uint32 // 0 if it is not known
	instructions, lanes uint64
}

// lineRows returns the lines of a launch in the order of the source.
func (r *Recorder) lineRows(launch int) []lineCounts {
	type position struct {
		file string
		line uint32
	}
	index := make(map[position]int)
	var rows []lineCounts
	for at, c := range r.subgroups.blocks {
		if at.launch != launch {
			continue
		}
		for pc := at.pc; pc < c.end; pc++ {
			p := r.places[site{launch, pc}]
			key := position{p.File, p.Line}
			i, ok := index[key]
			if !ok {
				i = len(rows)
				index[key] = i
				rows = append(rows, lineCounts{file: p.File, line: p.Line, source: p.Source})
			}
			rows[i].instructions += c.subgroups
			rows[i].lanes += c.lanes
		}
	}
	slices.SortFunc(rows, func(a, b lineCounts) int { return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	return rows
}

// WriteLanes writes, for a terminal, how many instructions sub-groups issued for each line of the source, and how many
// of their lanes were active. The recorder must have been made with [Options].Subgroups.
func (r *Recorder) WriteLanes(w io.Writer, opt TextOptions) error {
	t := &textWriter{r: r, w: bufio.NewWriterSize(w, 64<<10), opt: opt.withDefaults(), shown: make(map[string]bool)}
	if !t.subgroupHeader() {
		return t.w.Flush()
	}
	for i, info := range r.launches {
		rows := r.lineRows(i)
		if r.set {
			t.printf("\n%s\n", clean(r.labels[i]))
		}
		t.lineTable(rows, max(info.SubgroupSize, 1))
	}
	return t.w.Flush()
}

// lineTable writes a row a line of the source, and a row for all of them.
func (t *textWriter) lineTable(rows []lineCounts, subgroup int) {
	table := [][]string{{"where", "instructions", "active lanes", "of all"}}
	var sources []string
	cells := func(where string, instructions, lanes uint64) []string {
		return []string{where, fmt.Sprint(instructions), tenths(lanes, instructions), fmt.Sprintf("%d %%", percent(lanes, instructions*uint64(subgroup)))}
	}
	var instructions, lanes uint64
	for _, row := range rows {
		where := "elsewhere"
		if row.line > 0 {
			where = fmt.Sprintf("%s:%d", clean(row.file), row.line)
		}
		table = append(table, cells(where, row.instructions, row.lanes))
		sources = append(sources, strings.TrimSpace(clean(row.source)))
		instructions += row.instructions
		lanes += row.lanes
	}
	if instructions == 0 {
		t.printf("\nno instruction was issued\n")
		return
	}
	table = append(table, cells("all", instructions, lanes))
	t.printf("\ninstructions that sub-groups issue, and lanes that are active in them\n")
	t.table(table, append(sources, ""), 1)
}

// subgroupHeader writes the header of a text about sub-groups. It says whether the recorder knows anything of them.
func (t *textWriter) subgroupHeader() bool {
	if info := &t.r.info; t.r.set {
		t.headerOfSet()
	} else {
		t.printf("kernel %s: %s work-items in work-groups of %s, sub-groups of %d\n", clean(info.Kernel), size(info.Global[:]), size(info.Local[:]), info.SubgroupSize)
	}
	if t.r.subgroups == nil {
		t.printf("\nthe recorder was not made to count what sub-groups do\n")
	}
	return t.r.subgroups != nil
}

// table writes a table, whose first cells are its head. The first left columns hold text, the others numbers. Behind
// each row but the head stands its line of the source, unless that is empty.
func (t *textWriter) table(cells [][]string, sources []string, left int) {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			widths[i] = max(widths[i], len(c))
		}
	}
	for i, row := range cells {
		var b strings.Builder
		for j, c := range row {
			if j < left {
				fmt.Fprintf(&b, "  %-*s", widths[j], c)
			} else {
				fmt.Fprintf(&b, "  %*s", widths[j], c)
			}
		}
		t.printf("%s\n", strings.TrimRight(b.String(), " "))
		if i > 0 && sources[i-1] != "" {
			t.printf("    | %s\n", sources[i-1])
		}
	}
}
