package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Pipeline is a list of passes to run over each kernel, one after the other.
type Pipeline []Step

// Step is a pass, or a list of passes to run again and again.
type Step struct {
	Pass string // its name; "" for a repetition
	// Repeat is how often Of runs, at least once.
	Repeat int
	Of     Pipeline
}

// String returns the pipeline in the form that [PassMachinery.Parse] reads:
// names separated by commas, and repeat<N>(…).
func (p Pipeline) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p Pipeline) write(b *strings.Builder) {
	for i, s := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		if s.Pass != "" {
			b.WriteString(s.Pass)
			continue
		}
		fmt.Fprintf(b, "repeat<%d>(", s.Repeat)
		s.Of.write(b)
		b.WriteByte(')')
	}
}

// standard says whether the default pipeline runs, and nothing ahead of it.
func (m *PassMachinery) standard() bool {
	return m == standard || !m.plain && len(m.Frontend) == 0 && slices.Equal(m.Finalize.Flat(), m.Default().Flat())
}

// Flat returns the passes in the order in which they run.
func (p Pipeline) Flat() []string {
	var names []string
	for _, s := range p {
		if s.Pass != "" {
			names = append(names, s.Pass)
			continue
		}
		part := s.Of.Flat()
		for range s.Repeat {
			names = append(names, part...)
		}
	}
	return names
}

// Limits of a pipeline's text.
const (
	maxPipelineText  = 1 << 16
	maxPipelineDepth = 16
	maxPipelineSteps = 10000 // repetitions counted
)

// PipelineError says what is wrong with the text of a pipeline.
type PipelineError struct {
	Text   string
	Offset int // in bytes
	Reason string
}

// Error says where the pipeline is wrong.
func (e *PipelineError) Error() string {
	const most = 24
	rest := e.Text[min(e.Offset, len(e.Text)):]
	if rest == "" {
		return fmt.Sprintf("pass pipeline, at its end: %s", e.Reason)
	}
	if len(rest) > most {
		rest = rest[:most] + "…"
	}
	return fmt.Sprintf("pass pipeline, byte %d, at %q: %s", e.Offset, rest, e.Reason)
}

// pipelineParser reads
//
//	pipeline = [ element { "," element } ]
//	element  = NAME | "default" | "repeat" "<" NUMBER ">" "(" pipeline ")"
//
// with spaces anywhere but in names and numbers. It is the syntax of LLVM's
// -passes as far as it fits: every pass here works on one kernel, so that there
// is nothing to nest passes in for their sake.
type pipelineParser struct {
	m     *PassMachinery
	text  string
	at    int
	depth int
	most  int // steps that may still come, repetitions counted
}

func (p *pipelineParser) fail(at int, format string, args ...any) error {
	return &PipelineError{Text: p.text, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

func (p *pipelineParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take skips c, if it comes next.
func (p *pipelineParser) take(c byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// word reads a name or a number.
func (p *pipelineParser) word() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && nameByte(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

// nameByte says whether c may be part of a pass's name.
func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// list reads elements up to the end, or to a closing parenthesis. times is how
// often the list runs.
func (p *pipelineParser) list(times int) (Pipeline, error) {
	var out Pipeline
	p.space()
	if p.at == len(p.text) || p.text[p.at] == ')' {
		return out, nil
	}
	for {
		more, err := p.element(times)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
		if !p.take(',') {
			return out, nil
		}
	}
}

func (p *pipelineParser) element(times int) (Pipeline, error) {
	p.space()
	start := p.at
	name := p.word()
	switch name {
	case "":
		return nil, p.fail(start, "the name of a pass is expected")
	case "default":
		d := p.m.Default()
		if err := p.spend(start, times*len(d.Flat())); err != nil {
			return nil, err
		}
		return d, nil
	case "repeat":
		return p.repeat(start, times)
	}
	pass, ok := p.m.Lookup(name)
	switch {
	case !ok:
		return nil, p.fail(start, "there is no pass %q; there are %s", name, strings.Join(p.m.names(), ", "))
	case pass.fixed:
		return nil, p.fail(start, "the pass %q always runs and cannot be part of a pipeline", name)
	}
	if err := p.spend(start, times); err != nil {
		return nil, err
	}
	return Pipeline{{Pass: name}}, nil
}

func (p *pipelineParser) spend(at, n int) error {
	if p.most -= n; p.most < 0 {
		return p.fail(at, "the pipeline has more than %d passes, repetitions counted", maxPipelineSteps)
	}
	return nil
}

func (p *pipelineParser) repeat(start, times int) (Pipeline, error) {
	if !p.take('<') {
		return nil, p.fail(p.at, "a number of times is expected: repeat<2>(…)")
	}
	at := p.at
	word := p.word()
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > maxPipelineSteps || strconv.Itoa(n) != word {
		return nil, p.fail(at, "a number of times from 1 to %d is expected", maxPipelineSteps)
	}
	if !p.take('>') || !p.take('(') {
		return nil, p.fail(p.at, "a list of passes in parentheses is expected: repeat<%d>(…)", n)
	}
	if p.depth++; p.depth > maxPipelineDepth {
		return nil, p.fail(start, "repetitions are nested more than %d deep", maxPipelineDepth)
	}
	if times*n > maxPipelineSteps {
		return nil, p.fail(start, "the pipeline has more than %d passes, repetitions counted", maxPipelineSteps)
	}
	of, err := p.list(times * n)
	if err != nil {
		return nil, err
	}
	p.depth--
	if !p.take(')') {
		return nil, p.fail(p.at, "a closing parenthesis or a comma is expected")
	}
	return Pipeline{{Repeat: n, Of: of}}, nil
}
