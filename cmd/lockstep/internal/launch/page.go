//go:build !browser

package launch

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/picture"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

//go:embed page.html
var pageHTML string

// pageTemplate escapes all that it is given.
var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// Limits of a page: a longer file shows the lines that did something only, a longer line its beginning.
const (
	maxPageLines = 5000
	maxPageLine  = 500
)

// page is what -report shows.
type page struct {
	Title    string
	Command  string
	Result   string
	Failed   bool
	Facts    []pageFact
	Columns  []string // of the counts beside lines, those that some line has
	Files    []*pageFile
	Findings []pageFinding // without a line
	Figures  []*picture.Figure
}

// Span is how many columns a table has besides the first.
func (p *page) Span() int { return len(p.Columns) + 1 }

type pageFact struct{ Name, Value string }

// pageFile is a source, or the instructions of a kernel without one. Lines are in order; a gap stands where some are
// left out.
type pageFile struct {
	Name   string
	Kernel string // whose instructions these are; "" for a source
	Lines  []*pageLine

	byNumber map[uint32]*pageLine
}

type pageLine struct {
	Number   uint32
	Gap      bool
	Text     string
	Heat     uint64     // 0 for none, else 1 to 9
	Cells    []pageCell // by column; none for a line without counts
	Findings []pageFinding
}

// pageCell is a count beside a line.
type pageCell struct {
	Text string
	Bad  bool // it is much, of what costs time
}

// The counts beside a line, in the order of the page.
const (
	cellExecuted = iota
	cellInstructions
	cellIdle
	cellBarrier
	cellMoved
	cellConflicts
	cellMeeting
	cellCopies
	pageCells
)

// pageColumns are the heads of the counts.
var pageColumns = [pageCells]string{
	"executed", "instructions", "idle lanes", "barrier wait", "bytes used of moved", "bank conflicts", "lanes at one address", "copies overlap",
}

type pageFinding struct {
	Severity finding.Severity
	Text     string
}

// writePage writes what -report asks for.
func (r *Run) writePage(env *cmdline.Env, res *outcome) error {
	if r.o.report == "" {
		return nil
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, r.page(env, res)); err != nil {
		return err
	}
	if err := cmdline.WriteFile(env, r.o.report, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}); err != nil {
		return fmt.Errorf("-report %s: %w", r.o.report, err)
	}
	return nil
}

// page collects what a page shows.
func (r *Run) page(env *cmdline.Env, res *outcome) *page {
	p := &page{Command: cmdline.Printable(r.again()), Result: "no findings"}
	var names []string
	for _, l := range r.Launches {
		names = append(names, cmdline.Printable(l.Kernel.Name()))
	}
	p.Title = "kernel " + strings.Join(names, ", ")
	if len(res.Findings.Findings) > 0 {
		p.Result, p.Failed = countFindings(&res.Findings), true
	}
	p.facts(r, res)
	counts, complete := r.trace.Lines()
	if !complete {
		p.Facts = append(p.Facts, pageFact{"counts", "not all is counted: there were more kinds of access, or more events of copies, than are kept"})
	}
	for _, c := range res.Findings.Partial {
		p.Facts = append(p.Facts, pageFact{"checks", c.Text()})
	}
	for i := range counts {
		if c := &counts[i]; c.Line > 0 {
			p.line(c.File, "", c.Line, c.Source)
		} else if c.Word > 0 {
			p.line("", c.Kernel, c.Word, c.Instruction)
		}
	}
	for i := range res.Findings.Findings {
		f := &res.Findings.Findings[i]
		one := pageFinding{f.Severity, f.Text()}
		switch {
		case f.Place.File != "" && f.Place.Line != 0:
			l := p.line(f.Place.File, "", f.Place.Line, f.Place.Source)
			l.Findings = append(l.Findings, one)
		case f.Place.Word != 0 && f.Kernel != "":
			l := p.line("", f.Kernel, f.Place.Word, f.Place.Instruction)
			l.Findings = append(l.Findings, one)
		default:
			p.Findings = append(p.Findings, one)
		}
	}
	p.count(counts)
	for _, f := range p.Files {
		if f.Kernel != "" {
			f.Name = fmt.Sprintf("instructions of kernel %s: the module has no lines for them; compile it with -gline-tables-only, or -g", cmdline.Printable(f.Kernel))
			f.instructions()
			continue
		}
		f.complete(r.sourceLines(env, f.Name))
		f.Name = cmdline.Printable(f.Name)
	}
	p.columns()
	p.Figures = picture.Figures(r.trace, counts)
	return p
}

// columns leaves out the counts that no line has.
func (p *page) columns() {
	var used [pageCells]bool
	for _, f := range p.Files {
		for _, l := range f.Lines {
			for i, c := range l.Cells {
				used[i] = used[i] || c.Text != ""
			}
		}
	}
	for i, name := range pageColumns {
		if used[i] {
			p.Columns = append(p.Columns, name)
		}
	}
	for _, f := range p.Files {
		for _, l := range f.Lines {
			cells := make([]pageCell, 0, len(p.Columns))
			for i := range pageCells {
				switch {
				case !used[i]:
				case l.Cells == nil:
					cells = append(cells, pageCell{})
				default:
					cells = append(cells, l.Cells[i])
				}
			}
			l.Cells = cells
		}
	}
}

// facts adds the summary of the run.
func (p *page) facts(r *Run, res *outcome) {
	add := func(name, format string, args ...any) {
		p.Facts = append(p.Facts, pageFact{name, fmt.Sprintf(format, args...)})
	}
	var total emu.Counters
	for i, one := range res.launches {
		total.Add(&one.Counters)
		name := "launch"
		if len(res.launches) > 1 {
			name += " " + fmt.Sprint(i)
		}
		add(name, "%s: %d of %s ran, of %s, sub-groups of %d, waves of %d lanes", cmdline.Printable(r.Launches[i].Kernel.Name()), one.GroupsRun,
			cmdline.Counted(one.Groups[0]*one.Groups[1]*one.Groups[2], "work-group"), cmdline.Dims(one.Local[:max(one.Dim, 1)]), one.SubgroupSize, one.WaveLanes)
	}
	add("schedule", "%s", r.Schedule.Name())
	add("instructions", "%d (one for a whole wave), %s", total.Instructions, cmdline.Counted(total.LaneOps, "lane operation"))
	add("memory", "%s, %s, %s of lanes", cmdline.Counted(total.Loads, "load"), cmdline.Counted(total.Stores, "store"), cmdline.Counted(total.Atomics, "atomic operation"))
	add("barriers", "%d", total.Barriers)
}

// line returns a line of a file, or an instruction of a kernel, which it adds where it is not there yet.
func (p *page) line(file, kernel string, number uint32, text string) *pageLine {
	var f *pageFile
	for _, known := range p.Files {
		if known.Name == file && known.Kernel == kernel {
			f = known
		}
	}
	if f == nil {
		f = &pageFile{Name: file, Kernel: kernel, byNumber: make(map[uint32]*pageLine)}
		p.Files = append(p.Files, f)
	}
	l := f.byNumber[number]
	if l == nil {
		l = &pageLine{Number: number}
		f.byNumber[number] = l
	}
	if l.Text == "" {
		l.Text = text
	}
	return l
}

// count writes the counters beside the lines.
func (p *page) count(counts []trace.LineCounts) {
	most := uint64(1)
	for i := range counts {
		most = max(most, counts[i].Instructions)
	}
	for i := range counts {
		c := &counts[i]
		if c.Line == 0 && c.Word == 0 {
			p.Facts = append(p.Facts, pageFact{"without a line", cmdline.Counted(c.Instructions, "instruction") + " of sub-groups"})
			continue
		}
		l := p.line(c.File, c.Kernel, cmp.Or(c.Line, c.Word), "")
		set := func(cell int, bad bool, format string, args ...any) {
			if l.Cells == nil {
				l.Cells = make([]pageCell, pageCells)
			}
			l.Cells[cell] = pageCell{fmt.Sprintf(format, args...), bad}
		}
		if c.Instructions > 0 {
			l.Heat = 1 + 8*c.Instructions/most
			set(cellExecuted, false, "%d", c.Executions)
			set(cellInstructions, false, "%d", c.Instructions)
			set(cellIdle, c.Lanes < c.Room/2, "%d %%", picture.Rounded(c.Room-c.Lanes, c.Room))
		}
		if c.Arrivals > 0 {
			set(cellBarrier, false, "%d", c.BarrierTicks)
		}
		if c.CacheLines > 0 {
			set(cellMoved, 2*c.Asked < c.Moved(), "%d of %d", c.Asked, c.Moved())
		}
		if c.Passes > 0 {
			set(cellConflicts, c.Conflicts() > c.PassesAtBest, "%d", c.Conflicts())
		}
		if c.Atomics > 0 {
			tenths := (20*c.Meeting + c.Atomics) / (2 * c.Atomics)
			set(cellMeeting, 2*c.Meeting > c.AtomicLanes && c.Meeting > c.Atomics, "%d.%d", tenths/10, tenths%10)
		}
		switch {
		case c.Waits > 0:
			set(cellCopies, false, "waited %d", c.WaitTicks)
		case c.Copies > 0:
			set(cellCopies, false, "%d of %d", c.Overlap, c.Flight)
		}
	}
}

// sourceLines returns the lines of a source, or nil where there is none to read. A module may name any file of
// the machine: those outside of the folder are read only if they are on the command line.
func (r *Run) sourceLines(env *cmdline.Env, name string) []string {
	for _, l := range r.Launches {
		if !filepath.IsLocal(name) && name != l.Part.Path {
			continue
		}
		if text, err := loader.Sources(env, l.Part.Path)(name); err == nil && utf8.Valid(text) {
			return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
		}
	}
	return nil
}

// complete puts the lines in order, with the others of the file between them. A file that is not the one that
// was compiled, or is too long, has none to give.
func (f *pageFile) complete(text []string) {
	last, fits := uint32(0), len(text) <= maxPageLines
	for n, l := range f.byNumber {
		last = max(last, n)
		fits = fits && uint64(n) <= uint64(len(text)) && (l.Text == "" || strings.TrimSpace(l.Text) == strings.TrimSpace(text[n-1]))
	}
	if fits {
		last = uint32(len(text))
		for i, source := range text {
			n := uint32(i + 1)
			if f.byNumber[n] == nil {
				f.byNumber[n] = &pageLine{Number: n}
			}
			f.byNumber[n].Text = source
		}
	}
	previous := uint32(0)
	for _, n := range slices.Sorted(maps.Keys(f.byNumber)) {
		if n != previous+1 {
			f.Lines = append(f.Lines, &pageLine{Gap: true})
		}
		l := f.byNumber[n]
		l.Text = shownSource(l.Text)
		f.Lines = append(f.Lines, l)
		previous = n
	}
	if previous < last {
		f.Lines = append(f.Lines, &pageLine{Gap: true})
	}
}

// instructions puts the instructions in order.
func (f *pageFile) instructions() {
	for _, n := range slices.Sorted(maps.Keys(f.byNumber)) {
		l := f.byNumber[n]
		l.Text = shownSource(l.Text)
		f.Lines = append(f.Lines, l)
	}
}

// shownSource is a line of a source with blanks for tabs, and escapes for what does not show.
func shownSource(s string) string {
	s = cmdline.Printable(strings.ReplaceAll(s, "\t", "    "))
	if len(s) <= maxPageLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxPageLine], "") + "…"
}
