package cmdline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Flags is a set of flags that may stand before, between and after the
// positional arguments.
type Flags struct {
	*flag.FlagSet
	// Parts makes a command line of several: nil where there is one only.
	Parts *Parts
	// Read reads a file of arguments, which @FILE stands for; nil where there is
	// no such thing.
	Read func(path string) ([]byte, error)
	// Top are the words of the command line itself, @FILE among them, and InFiles
	// the flags that stand in such files; nil when there are none.
	Top     []string
	InFiles map[string]bool
	// Stdin says that standard input was such a file.
	Stdin bool
	// Source has the options for OpenCL C; nil for commands that take none.
	Source *SourceOptions
}

// Parts describes a command line of several parts, which a flag separates. Some
// flags, and positional arguments, belong to the part that they stand in.
type Parts struct {
	Separators []string        // the flags between parts, without a value
	Flags      map[string]bool // that belong to a part
	// Located is a list whose values' places in files end is told.
	Located string
	// End is called at the end of each part with what stands in it that is no
	// flag, where the part began, and where the values of located stand: "" on the
	// command line itself. Next is the separator behind the part, or "". After that
	// the part's flags are as if they were not given.
	End func(rest []string, from string, places []string, next string) error
}

// ErrHelp is what parse returns for -h.
var ErrHelp = errors.New("help requested")

// NewFlags returns a set without flags for a command.
func NewFlags(command string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(command, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	return f
}

// List is a flag that may be given several times.
type List []string

// String is for the flag package, which prints defaults with it.
func (l *List) String() string { return strings.Join(*l, " ") }

// Set appends a value.
func (l *List) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// List declares a flag that may be given several times.
func (f *Flags) List(name, usage string) *List {
	l := new(List)
	f.Var(l, name, usage)
	return l
}

// ParseWords reads args and returns those that are no flags. What follows "--" is
// positional; so is "-". Of a command line of parts nothing is returned.
func (f *Flags) ParseWords(args []string) ([]string, error) {
	words := make([]word, len(args))
	for i := range args {
		words[i].text = args[i]
	}
	p := parsing{f: f, help: "help " + f.Name(), words: words, seen: map[string]bool{}}
	for len(p.words) > 0 {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if f.Parts != nil {
		return nil, p.endPart("")
	}
	return p.rest, nil
}

// parsing is a command line that is being read.
type parsing struct {
	f     *Flags
	help  string
	words []word
	rest  []string
	seen  map[string]bool
	from  string // where the part began
	any   bool   // the part has a word
	at    []string
	count int // words that came from files
}

// take returns the next word.
func (p *parsing) take() word {
	w := p.words[0]
	p.words = p.words[1:]
	if w.from == "" {
		p.f.Top = append(p.f.Top, w.text)
	}
	return w
}

// fail is an error of a word.
func (p *parsing) fail(w word, format string, args ...any) error {
	from := ""
	if w.from != "" {
		from = w.from + ": "
	}
	return Usagef(p.help, "%s: %s%s", p.f.Name(), from, fmt.Sprintf(format, args...))
}

// positional notes a word that is no flag.
func (p *parsing) positional(w word) {
	p.begin(w)
	p.rest = append(p.rest, w.text)
}

// begin notes that the part has a word.
func (p *parsing) begin(w word) {
	if !p.any {
		p.any, p.from = true, w.from
	}
}

// next reads a flag with its value, or a word that is none.
func (p *parsing) next() error {
	f := p.f
	w := p.words[0]
	if path, ok := strings.CutPrefix(w.text, "@"); ok && f.Read != nil {
		return p.file(w, path)
	}
	p.take()
	if w.text == "--" {
		for len(p.words) > 0 {
			p.positional(p.take())
		}
		return nil
	}
	if w.text == "-" || !strings.HasPrefix(w.text, "-") {
		p.positional(w)
		return nil
	}
	if ok, err := p.option(w); ok || err != nil {
		p.begin(w)
		return err
	}
	name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(w.text, "-"), "-"), "=")
	if name == "h" || name == "help" {
		return ErrHelp
	}
	if f.Parts != nil && slices.Contains(f.Parts.Separators, name) {
		if hasValue {
			return p.fail(w, "-%s takes no value", name)
		}
		if err := p.endPart(name); err != nil {
			return err
		}
		p.begin(w)
		return nil
	}
	p.begin(w)
	fl := f.Lookup(name)
	if fl == nil {
		return p.fail(w, "%s", f.unknown(name))
	}
	if _, many := fl.Value.(*List); p.seen[name] && !many {
		return p.fail(w, "-%s is given twice", name)
	}
	p.seen[name] = true
	if w.from != "" {
		f.InFiles[name] = true
	}
	if b, ok := fl.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		if !hasValue {
			value = "true"
		}
	} else if !hasValue {
		if len(p.words) == 0 || p.words[0].from == "" && w.from != "" {
			what, _ := flag.UnquoteUsage(fl)
			return p.fail(w, "-%s needs a value: -%s %s", name, name, what)
		}
		value = p.take().text
	}
	if err := f.Set(name, value); err != nil {
		return p.fail(w, "-%s %s: not %s", name, value, kind(fl))
	}
	if f.Parts != nil && name == f.Parts.Located {
		p.at = append(p.at, w.from)
	}
	if g, ok := fl.Value.(flag.Getter); ok {
		if d, ok := g.Get().(time.Duration); ok && d < 0 {
			return p.fail(w, "-%s %s: must be positive: %s", name, value, kind(fl))
		}
	}
	return nil
}

// endPart hands a part out, behind which a separator stands, or nothing, and begins another.
func (p *parsing) endPart(next string) error {
	f := p.f
	if err := f.Parts.End(p.rest, p.from, p.at, next); err != nil {
		return err
	}
	p.rest, p.any, p.from, p.at = nil, false, "", nil
	var err error
	f.VisitAll(func(fl *flag.Flag) {
		if !f.Parts.Flags[fl.Name] {
			return
		}
		delete(p.seen, fl.Name)
		if l, ok := fl.Value.(*List); ok {
			*l = nil
		} else if e := fl.Value.Set(fl.DefValue); e != nil {
			err = e
		}
	})
	return err
}

// kind says what values a flag takes.
func kind(fl *flag.Flag) string {
	if t, ok := fl.Value.(interface{ Takes() string }); ok {
		return t.Takes()
	}
	g, ok := fl.Value.(flag.Getter)
	if !ok {
		return "a value it takes"
	}
	switch g.Get().(type) {
	case bool:
		return "true or false"
	case int, uint64:
		return "a whole number in its range"
	case time.Duration:
		return "a duration such as 500ms, 90s or 1m30s"
	}
	return "a value it takes"
}

// unknown says that there is no flag of that name, and which one may be meant.
func (f *Flags) unknown(name string) string {
	var names []string
	f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
	if f.Source != nil {
		for _, o := range clc.AllOptions() {
			if option := strings.TrimPrefix(o.Word(), "-"); len(option) > 1 {
				names = append(names, option)
			}
		}
	}
	msg := fmt.Sprintf("there is no flag -%s", name)
	if near := Nearest(name, names); near != "" {
		msg += "; did you mean -" + near + "?"
	}
	return msg
}

// Described lists the flags with what they mean.
func (f *Flags) Described() (list []Candidate) {
	f.VisitAll(func(fl *flag.Flag) {
		_, text := flag.UnquoteUsage(fl)
		list = append(list, Candidate{fl.Name, text})
	})
	return list
}

// UsageText lists the flags for the help text.
func (f *Flags) UsageText() string { return f.UsageTextOf("") }

// UsageTextOf is the part of usage about one flag, or with "" about all.
func (f *Flags) UsageTextOf(name string) string {
	var b strings.Builder
	f.VisitAll(func(fl *flag.Flag) {
		if name != "" && fl.Name != name {
			return
		}
		what, text := flag.UnquoteUsage(fl)
		head := "-" + fl.Name
		if what != "" {
			head += " " + what
		}
		lines := strings.Split(text, "\n")
		if len(head) < 18 {
			fmt.Fprintf(&b, "  %-18s  %s\n", head, lines[0])
		} else {
			fmt.Fprintf(&b, "  %s\n%22s%s\n", head, "", lines[0])
		}
		for _, line := range lines[1:] {
			fmt.Fprintf(&b, "%22s%s\n", "", line)
		}
	})
	return b.String()
}

// Given returns the first of these flags that stands on the command line, or "".
func (f *Flags) Given(names ...string) string {
	set := map[string]bool{}
	f.Visit(func(fl *flag.Flag) { set[fl.Name] = true })
	for _, name := range names {
		if set[name] {
			return name
		}
	}
	return ""
}

// Candidate is a word that may stand where the cursor is.
type Candidate struct{ Word, What string }

// OneModule returns the only positional argument of a command that takes one module.
func OneModule(c string, args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", Usagef("help "+c, "%s: no module given", c)
	case 1:
		return args[0], nil
	}
	return "", Usagef("help "+c, "%s: one module at a time; %q is one argument too many (lockstep cc and lockstep link make one of several)",
		c, args[1])
}

// The flags between the kernels of a command: a kernel behind WithFlag runs together with the one before it,
// and a kernel behind ThenFlag runs when all those before it have ended. The kernels between two thenFlags
// are a stage.
const (
	WithFlag = "with"
	ThenFlag = "then"
)
