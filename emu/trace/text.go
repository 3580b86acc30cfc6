package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TextOptions say how much of a trace WriteText shows. What it leaves out it
// counts.
type TextOptions struct {
	// Width is that of the picture, in characters; 0 is 80, less than 40 is 40.
	Width int
	// MaxGroups is the number of work-groups whose timelines and pictures are
	// shown; 0 is 4. The summary is about all of them.
	MaxGroups int
	// MaxLines is the number of lines of a group's timeline; 0 is 1000.
	MaxLines int
}

func (o TextOptions) withDefaults() TextOptions {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.Width, 80)
	o.Width = max(o.Width, 40)
	def(&o.MaxGroups, 4)
	def(&o.MaxLines, 1000)
	return o
}

// WriteText writes the trace for a terminal: for each work-group what happened
// at which tick, and a picture of it; then a summary of all groups.
func (r *Recorder) WriteText(w io.Writer, opt TextOptions) error {
	t := &textWriter{r: r, w: bufio.NewWriterSize(w, 64<<10), opt: opt.withDefaults(), shown: make(map[string]bool)}
	t.header()
	for i := range r.groups {
		if i == t.opt.MaxGroups {
			t.printf("\n%s more: not shown, but counted below\n", counted(len(r.groups)-i, "work-group"))
			break
		}
		t.index = i
		t.group(&r.groups[i])
	}
	t.summary()
	if r.full {
		t.printf("\n%s\n", r.limitNotice())
	}
	return t.w.Flush()
}

// textWriter writes a trace. Errors stay in w until it is flushed.
type textWriter struct {
	r     *Recorder
	w     *bufio.Writer
	opt   TextOptions
	shown map[string]bool // lines of source that the reader has seen, by position
	index int             // of the group that is written
}

func (t *textWriter) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

// counted is "1 copy" or "2 copies".
func counted[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxText is how much of a text from a module goes into a line, in bytes.
const maxText = 160

// clean makes text from a module fit for one line of a terminal.
func clean(s string) string {
	bad := func(r rune) bool { return r == utf8.RuneError || r != ' ' && !unicode.IsPrint(r) }
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case bad(r):
			return utf8.RuneError
		}
		return r
	}, s)
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func (t *textWriter) header() {
	info := &t.r.info
	if t.r.set {
		t.headerOfSet()
		return
	}
	t.printf("kernel %s: %s work-items in work-groups of %s, schedule %s", clean(info.Kernel), size(info.Global[:]), size(info.Local[:]), info.Schedule)
	if info.Seed != 0 {
		t.printf(", seed %d", info.Seed)
	}
	if info.Order != "" {
		t.printf("\nwork-items of a group are numbered in the order %s of their local ids", clean(info.Order))
	}
	t.printf("\ntime is counted in ticks: one for each instruction of a wave, more where it waits for a copy\n")
	t.engines(info)
}

// engines says what moves the copies, where there are some.
func (t *textWriter) engines(info *LaunchInfo) {
	if t.r.Transfers() == 0 {
		return
	}
	t.printf("%s for each work-group, room for %s waiting at each", counted(max(info.Engines, 0), "DMA engine"), counted(max(info.QueueDepth, 0), "copy"))
	if info.Completion == "paced" {
		t.printf("; each moves %s a tick", finding.Bytes(uint64(max(info.BytesPerStep, 0))))
	}
	t.printf("\n")
}

// maxHeader is the number of launches that the header of a set lists.
const maxHeader = 16

// headerOfSet says what runs together.
func (t *textWriter) headerOfSet() {
	r, info := t.r, &t.r.info
	together := countedAs(len(r.launches), "launch", "launches") + " together"
	if len(r.launches) == 1 {
		together = "1 launch"
	}
	t.printf("%s, schedule %s", together, info.Schedule)
	if info.Seed != 0 {
		t.printf(", seed %d", info.Seed)
	}
	t.printf("\n")
	for i := range r.launches {
		if i == maxHeader {
			t.printf("  %d more\n", len(r.launches)-i)
			break
		}
		l := &r.launches[i]
		if l.Global == [3]uint64{1, 1, 1} {
			t.printf("  %d  %s: 1 work-item\n", i, clean(l.Kernel))
			continue
		}
		t.printf("  %d  %s: %s work-items in work-groups of %s\n", i, clean(l.Kernel), size(l.Global[:]), size(l.Local[:]))
	}
	t.printf("time is counted in ticks: one for each instruction of a wave; waves and launches take turns\n")
	t.engines(info)
}

// size writes the dimensions of something as "64×8".
func size[N uint32 | uint64](d []N) string {
	for len(d) > 1 && d[len(d)-1] == 1 {
		d = d[:len(d)-1]
	}
	return strings.ReplaceAll(extent(d), ",", "×")
}

// line is a line of a timeline.
type line struct {
	tick uint64
	rank int // at the same tick
	who  string
	what string
	pc   int // -1: no place
}

// whatWidth is the width of the column that says what happened. Longer texts
// push the place to the right.
const whatWidth = 56

// group writes the timeline and the picture of a work-group.
func (t *textWriter) group(g *group) {
	name := g.name()
	if t.r.set {
		name = t.r.label(g.launch) + ", " + name
	}
	t.printf("\n%s: %s, ticks %d to %d", name, counted(g.items, "work-item"), g.start, g.end)
	if !g.over {
		t.printf(", not over")
	}
	t.printf("\n\n")
	lines := t.r.pipeLines(t.index, g.lines())
	if len(lines) == 0 {
		return
	}
	t.printf("%8s  %-8s  %-*s  %s\n", "tick", "who", whatWidth, "what", "where")
	for i := range lines {
		if i == t.opt.MaxLines {
			t.printf("%8s  %s more\n", "…", counted(len(lines)-i, "line"))
			break
		}
		t.line(g.launch, &lines[i])
	}
	t.printf("\n")
	t.picture(g)
}

func (t *textWriter) line(launch int, l *line) {
	p := t.r.place(launch, l.pc)
	where := p.Position()
	if where == "" && l.pc >= 0 {
		where = clean(p.Instruction)
	}
	s := fmt.Sprintf("%8d  %-8s  %s", l.tick, l.who, l.what)
	if where != "" {
		pad := max(whatWidth-utf8.RuneCountInString(l.what), 0)
		s += strings.Repeat(" ", pad) + "  " + where
	}
	t.printf("%s\n", s)
	// The reader sees each line of source once, where it counts first.
	if source := strings.TrimSpace(clean(p.Source)); source != "" {
		key := fmt.Sprintf("%s:%d", p.File, p.Line)
		if !t.shown[key] {
			t.shown[key] = true
			t.printf("%20s| %s\n", "", source)
		}
	}
}

// The ranks of lines of the same tick: a barrier opens before anybody goes on,
// and a turn begins before what happens in it.
const (
	rankOpens = iota
	rankRuns
	rankDoes
)

// lines returns the group's timeline.
func (g *group) lines() []line {
	lines := make([]line, 0, len(g.events))
	sizes := g.sizes()
	for i := range g.events {
		e := &g.events[i]
		l := line{tick: e.from, rank: rankDoes, pc: int(e.pc), who: fmt.Sprintf("wave %d", e.wave)}
		switch e.kind {
		case kindTurn:
			l.rank = rankRuns
			l.what = fmt.Sprintf("runs to tick %d and %s", e.to, stopText(e.stop))
		case kindIssue:
			l.what = g.issueText(int(e.n))
			if t := &g.transfers[e.n]; t.event == 0 {
				l.what += part(t.items, sizes[e.wave])
			}
		case kindComplete:
			l.who = engineName(g.transfers[e.n].engine)
			l.what = g.completeText(int(e.n))
		case kindMark:
			l.what = "async mark"
			if e.n != 0 {
				l.what += fmt.Sprintf(" of sequence %d", e.n)
			}
			l.what += part(g.extras[e.extra].items, sizes[e.wave])
		case kindWait:
			l.what = g.waitText(e)
		case kindBarrier:
			l.rank, l.who = rankOpens, "group"
			l.what = "barrier opens: all work-items have arrived"
		}
		lines = append(lines, l)
	}
	byTick(lines)
	return lines
}

// byTick puts the lines of a timeline in order.
func byTick(lines []line) {
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.rank, b.rank))
	})
}

// sizes returns the number of work-items of each wave that ran.
func (g *group) sizes() map[int32]uint64 {
	sizes := make(map[int32]uint64)
	for i := range g.events {
		if e := &g.events[i]; e.kind == kindTurn {
			sizes[e.wave] = uint64(e.n)
		}
	}
	return sizes
}

// part says which work-items did something that not all of their wave did.
func part(items finding.Spans, wave uint64) string {
	if n := items.Len(); n == 0 || n == wave {
		return ""
	}
	return fmt.Sprintf(" (%s)", workItems(items))
}

func workItems(items finding.Spans) string {
	if items.Len() == 1 {
		return "work-item " + items.String()
	}
	return "work-items " + items.String()
}

func (g *group) issueText(n int) string {
	t := &g.transfers[n]
	s := fmt.Sprintf("issues copy %d: %s %s → %s", n+1, finding.Bytes(t.bytes), clean(t.source()), clean(t.target()))
	if t.planes > 1 {
		s += fmt.Sprintf(", %s of %s", counted(t.planes, "plane"), counted(t.lines, "line"))
	} else if t.lines > 1 && t.event != 0 {
		s += ", " + counted(t.lines, "line")
	}
	switch {
	case t.event != 0:
		s += fmt.Sprintf(" (event %d)", t.event)
	case !t.async:
		s += " (not asynchronous)"
	}
	return s
}

func (g *group) completeText(n int) string {
	t := &g.transfers[n]
	s := fmt.Sprintf("copy %d is complete", n+1)
	if d := t.done - min(t.issued, t.done); d > 0 {
		s += ", " + counted(d, "tick") + " after its issue"
		if moved := t.done - min(t.start, t.done); moved > 0 && moved < d {
			s += fmt.Sprintf(", %d of them moving", moved)
		}
	}
	return s
}

func (g *group) waitText(e *event) string {
	x := &g.extras[e.extra]
	s := "waits " + clean(waited(x.what))
	if len(x.asked) > 0 {
		s += ": " + copies(numbers(x.asked))
	}
	switch {
	case e.to > e.from:
		return s + fmt.Sprintf(", %s (to tick %d)", counted(e.to-e.from, "tick"), e.to)
	case len(x.asked) == 1:
		return s + ", which is complete"
	case len(x.asked) > 1:
		return s + ", which are complete"
	}
	return s + ": nothing is left to wait for"
}

// waited puts what a wait is about into a sentence: "for event 3", "until marks ≤ 1".
func waited(what string) string {
	if strings.HasPrefix(what, "marks") {
		return "until " + what
	}
	return "for " + what
}

// copies writes the numbers of copies as "copy 3" or "copies 1–4, 7".
func copies(ns []int) string {
	var s finding.Spans
	slices.Sort(ns)
	for _, n := range ns {
		s = s.Add(uint64(n))
	}
	if len(ns) == 1 {
		return "copy " + s.String()
	}
	return "copies " + s.String()
}
