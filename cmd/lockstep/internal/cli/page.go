package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

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
	Files    []*pageFile
	Findings []pageFinding // without a line
}

type pageFact struct{ Name, Value string }

// pageFile is a source. Lines are in order; a gap stands where some are left out.
type pageFile struct {
	Name  string
	Lines []*pageLine

	byNumber map[uint32]*pageLine
}

type pageLine struct {
	Number                                           uint32
	Gap                                              bool
	Text                                             string
	Heat                                             uint64 // 0 for none, else 1 to 9
	Instructions, Lanes, CacheLines, Passes, Meeting string
	Idle                                             bool // most lanes were
	Findings                                         []pageFinding
}

type pageFinding struct {
	Severity finding.Severity
	Text     string
}

// writePage writes what -report asks for.
func (r *run) writePage(env *Env, res *outcome) error {
	if r.o.report == "" {
		return nil
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, r.page(env, res)); err != nil {
		return err
	}
	if err := writeFile(env, r.o.report, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}); err != nil {
		return fmt.Errorf("-report %s: %w", r.o.report, err)
	}
	return nil
}

// page collects what a page shows.
func (r *run) page(env *Env, res *outcome) *page {
	p := &page{Command: printable(r.again()), Result: "no findings"}
	var names []string
	for _, l := range r.launches {
		names = append(names, printable(l.kernel.Name()))
	}
	p.Title = "kernel " + strings.Join(names, ", ")
	if len(res.findings.Findings) > 0 {
		p.Result, p.Failed = countFindings(&res.findings), true
	}
	p.facts(r, res)
	counts, complete := r.trace.Lines()
	if !complete {
		p.Facts = append(p.Facts, pageFact{"accesses", "only the first kinds of access are counted, as in -explain memory"})
	}
	for _, c := range res.findings.Partial {
		p.Facts = append(p.Facts, pageFact{"checks", c.Text()})
	}
	for i := range counts {
		if counts[i].Line > 0 {
			p.line(counts[i].File, counts[i].Line, counts[i].Source)
		}
	}
	for i := range res.findings.Findings {
		f := &res.findings.Findings[i]
		one := pageFinding{f.Severity, f.Text()}
		if f.Place.File == "" || f.Place.Line == 0 {
			p.Findings = append(p.Findings, one)
			continue
		}
		l := p.line(f.Place.File, f.Place.Line, f.Place.Source)
		l.Findings = append(l.Findings, one)
	}
	p.count(counts)
	for _, f := range p.Files {
		f.complete(r.sourceLines(env, f.Name))
		f.Name = printable(f.Name)
	}
	return p
}

// facts adds the summary of the run.
func (p *page) facts(r *run, res *outcome) {
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
		add(name, "%s: %d of %s ran, of %s, sub-groups of %d, waves of %d lanes", printable(r.launches[i].kernel.Name()), one.GroupsRun,
			counted(one.Groups[0]*one.Groups[1]*one.Groups[2], "work-group"), dims(one.Local[:max(one.Dim, 1)]), one.SubgroupSize, one.WaveLanes)
	}
	add("schedule", "%s", r.schedule.Name())
	add("instructions", "%d (one for a whole wave), %s", total.Instructions, counted(total.LaneOps, "lane operation"))
	add("memory", "%s, %s, %s of lanes", counted(total.Loads, "load"), counted(total.Stores, "store"), counted(total.Atomics, "atomic operation"))
	add("barriers", "%d", total.Barriers)
}

// line returns a line of a file, which it adds where it is not there yet.
func (p *page) line(file string, number uint32, text string) *pageLine {
	var f *pageFile
	for _, known := range p.Files {
		if known.Name == file {
			f = known
		}
	}
	if f == nil {
		f = &pageFile{Name: file, byNumber: make(map[uint32]*pageLine)}
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
		if c.Line == 0 {
			p.Facts = append(p.Facts, pageFact{"without a line", counted(c.Instructions, "instruction") + " of sub-groups"})
			continue
		}
		l := p.line(c.File, c.Line, "")
		if c.Instructions > 0 {
			l.Heat = 1 + uint64(8*float64(c.Instructions)/float64(most))
			l.Instructions = fmt.Sprint(c.Instructions)
			l.Lanes = fmt.Sprintf("%.0f %%", 100*float64(c.Lanes)/float64(c.Room))
			l.Idle = c.Lanes < c.Room/2
		}
		if c.CacheLines > 0 {
			l.CacheLines = fmt.Sprintf("%d (%d)", c.CacheLines, c.CacheLinesAtBest)
		}
		if c.Passes > 0 {
			l.Passes = fmt.Sprintf("%d (%d)", c.Passes, c.PassesAtBest)
		}
		if c.Atomics > 0 {
			l.Meeting = fmt.Sprintf("%.1f", float64(c.Meeting)/float64(c.Atomics))
		}
	}
}

// sourceLines returns the lines of a source, or nil where there is none to read. A module may name any file of
// the machine: those outside of the folder are read only if they are on the command line.
func (r *run) sourceLines(env *Env, name string) []string {
	for _, l := range r.launches {
		if !filepath.IsLocal(name) && name != l.part.path {
			continue
		}
		if text, err := sources(env, l.part.path)(name); err == nil && utf8.Valid(text) {
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

// shownSource is a line of a source with blanks for tabs, and escapes for what does not show.
func shownSource(s string) string {
	s = printable(strings.ReplaceAll(s, "\t", "    "))
	if len(s) <= maxPageLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxPageLine], "") + "…"
}
