package debug

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// Errors of breakpoints.
var (
	ErrNoLine       = errors.New("there is no code")
	ErrNoFunction   = errors.New("no such function is part of the kernel")
	ErrNoBreakpoint = errors.New("no such breakpoint or watchpoint")
)

// Breakpoint is where a session stops: before an instruction at which a line or a function begins, or before
// a given one. A breakpoint is hit by a wave, once each time it comes there, if any of its active lanes is
// meant.
type Breakpoint struct {
	Number    int
	Enabled   bool
	Temporary bool // goes when it is hit

	File     string
	Line     int      // that has code; 0 for none
	Function string   // "" for none
	PCs      []int    // in ascending order; of the first kernel that has the place
	Kernels  []string // that have the place, where the session has several launches

	// Launch, when it is not nil, is the number of the only launch that is meant.
	Launch *int
	// Item, when it is not nil, is the only work-item that is meant, by its global id; Group the only
	// work-group.
	Item, Group *[3]uint64
	// Condition is an expression of OpenCL C; "" is true. It is evaluated for each active lane. One that is
	// wrong for a lane stops, and Wrong says why.
	Condition string
	Wrong     error
	// Ignore is how many hits do not stop. Hits counts all on the way forwards.
	Ignore, Hits uint64

	spots []spot // of each kernel
	focus int    // the work-item that was meant by the last hit
}

// spot is where a breakpoint is in a kernel's code.
type spot struct {
	code *code
	pcs  []int
	cond *Expr
}

// spotIn returns where the breakpoint is in a code, or nil.
func (b *Breakpoint) spotIn(c *code) *spot {
	for i := range b.spots {
		if b.spots[i].code == c {
			return &b.spots[i]
		}
	}
	return nil
}

// spots finds a place in the code of all kernels, or of those of a launch; that of the launch that is looked
// at comes first. find returns its instructions.
func (s *Session) spots(launch *int, find func() []int) (list []spot) {
	s.eachCode(func() {
		if launch != nil && s.codes[*launch] != s.code {
			return
		}
		if pcs := find(); len(pcs) > 0 {
			list = append(list, spot{code: s.code, pcs: pcs})
		}
	})
	return list
}

// begin returns the line where the function begins in which an instruction is; 0 where that is not known.
func (p *spot) begin(pc int) int {
	i, d := p.code.info, p.code.kernel.Debug
	for sc := i.scopeOf(p.code.kernel.Code[pc].Loc); sc != 0; sc = d.Scopes[sc].Parent {
		if d.Scopes[sc].Name != "" {
			return int(d.Scopes[sc].Line)
		}
	}
	return 0
}

// BreakLine sets a breakpoint at the first line with code from the given one on. "" is any file.
func (s *Session) BreakLine(file string, line int) (*Breakpoint, error) {
	return s.BreakLineIn(nil, file, line)
}

// BreakLineIn is BreakLine for the kernel of a launch, by its number; nil is any.
func (s *Session) BreakLineIn(launch *int, file string, line int) (*Breakpoint, error) {
	best := 0 // the first line with code of any kernel
	s.spots(launch, func() []int {
		if _, at := s.info.lineStarts(file, line); at > 0 && (best == 0 || at < best) {
			best = at
		}
		return nil
	})
	list := s.spots(launch, func() []int {
		pcs, at := s.info.lineStarts(file, max(best, line))
		if at != best {
			return nil
		}
		return pcs
	})
	if len(list) == 0 {
		return nil, fmt.Errorf("line %d of %s: %w at or behind it", line, orKernel(file, s.info.file), ErrNoLine)
	}
	if begin := list[0].begin(list[0].pcs[0]); best > line && begin > line {
		return nil, fmt.Errorf("line %d of %s: %w of this kernel before the function that begins at line %d", line, orKernel(file, s.info.file), ErrNoLine, begin)
	}
	return s.addBreakpoint(&Breakpoint{Line: best, Launch: launch, spots: list}), nil
}

func orKernel(file, kernel string) string {
	if file == "" {
		return kernel
	}
	return file
}

// BreakFunction sets a breakpoint at the first line of a function, wherever it was inlined.
func (s *Session) BreakFunction(name string) (*Breakpoint, error) {
	return s.BreakFunctionIn(nil, name)
}

// BreakFunctionIn is BreakFunction for the kernel of a launch, by its number; nil is any.
func (s *Session) BreakFunctionIn(launch *int, name string) (*Breakpoint, error) {
	list := s.spots(launch, func() []int { return s.info.functionStarts(name) })
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoFunction)
	}
	b := s.addBreakpoint(&Breakpoint{Function: name, Launch: launch, spots: list})
	b.Line = list[0].place(b.PCs[0]).Line
	return b, nil
}

// Place returns where in the source the breakpoint is.
func (b *Breakpoint) Place() Place { return b.spots[0].place(b.PCs[0]) }

// place returns where in the source an instruction of a spot's kernel comes from.
func (p *spot) place(pc int) Place { return p.code.info.placeAt(p.code.kernel.Code[pc].Loc) }

// BreakInstruction sets a breakpoint at an instruction of the bytecode.
func (s *Session) BreakInstruction(pc int) (*Breakpoint, error) {
	if pc < 0 || pc >= len(s.kernel.Code) {
		return nil, fmt.Errorf("instruction %d of %d: %w", pc, len(s.kernel.Code), ErrNoLine)
	}
	return s.addBreakpoint(&Breakpoint{Line: s.PlaceOf(pc).Line, spots: []spot{{code: s.code, pcs: []int{pc}}}}), nil
}

func (s *Session) addBreakpoint(b *Breakpoint) *Breakpoint {
	s.numbers++
	b.Number, b.Enabled = s.numbers, true
	s.breakpoints = append(s.breakpoints, b)
	b.PCs = b.spots[0].pcs
	b.File = b.spots[0].place(b.PCs[0]).File
	for i := range b.spots {
		p := &b.spots[i]
		if s.Several() && !slices.Contains(b.Kernels, p.code.kernel.Name) {
			b.Kernels = append(b.Kernels, p.code.kernel.Name)
		}
		for _, pc := range p.pcs {
			p.code.at[pc] = append(p.code.at[pc], b)
		}
	}
	return b
}

// SetCondition gives a breakpoint a condition, "" for none. The error says what is wrong with the expression
// at the place of the breakpoint.
func (s *Session) SetCondition(b *Breakpoint, text string) error {
	list := slices.Clone(b.spots)
	now := s.code
	defer func() { s.code = now }()
	for i := range list {
		p := &list[i]
		if p.cond = nil; text == "" {
			continue
		}
		s.code = p.code
		var err error
		if p.cond, err = s.CompileAt(text, p.pcs[0]); err != nil {
			return err
		}
	}
	b.Condition, b.spots, b.Wrong = text, list, nil
	return nil
}

// Breakpoints returns the breakpoints, by number.
func (s *Session) Breakpoints() []*Breakpoint { return s.breakpoints }

// Breakpoint returns a breakpoint by its number.
func (s *Session) Breakpoint(number int) (*Breakpoint, error) {
	for _, b := range s.breakpoints {
		if b.Number == number {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%d: %w", number, ErrNoBreakpoint)
}

// Delete removes a breakpoint or a watchpoint.
func (s *Session) Delete(number int) error {
	for i, b := range s.breakpoints {
		if b.Number != number {
			continue
		}
		s.breakpoints = slices.Delete(slices.Clone(s.breakpoints), i, i+1)
		for _, p := range b.spots {
			for _, pc := range p.pcs {
				p.code.at[pc] = slices.DeleteFunc(slices.Clone(p.code.at[pc]), func(x *Breakpoint) bool { return x == b })
			}
		}
		return nil
	}
	for i, w := range s.watches {
		if w.Number == number {
			s.watches = slices.Delete(slices.Clone(s.watches), i, i+1)
			return nil
		}
	}
	return fmt.Errorf("%d: %w", number, ErrNoBreakpoint)
}

// mayHit says whether work-items of a group are meant.
func (b *Breakpoint) mayHit(g *engine.Group) bool {
	if b.Group != nil && *b.Group != g.ID {
		return false
	}
	_, ok := b.local(g)
	return ok
}

// local returns the local id in a group of the only work-item that is meant, and whether the group has any
// that is meant.
func (b *Breakpoint) local(g *engine.Group) (id [3]uint64, ok bool) {
	if b.Item == nil {
		return id, true
	}
	for d, x := range b.Item {
		base := g.Launch.Offset[d] + g.ID[d]*uint64(g.Launch.Local[d])
		if x < base || x >= base+uint64(g.Size[d]) {
			return id, false
		}
		id[d] = x - base
	}
	return id, true
}

// hit says whether a breakpoint stops a wave at an instruction.
func (s *Session) hit(b *Breakpoint, w engine.Debuggable, pc int) bool {
	g, _ := s.stepper.Group()
	if !b.Enabled || b.Group != nil && *b.Group != g.ID || b.Launch != nil && *b.Launch != s.stepper.Index() {
		return false
	}
	cond := b.spotIn(s.code).cond
	first, n := w.Items()
	from, to := 0, n
	if b.Item != nil {
		id, ok := b.local(g)
		if !ok {
			return false
		}
		item := s.number(g, id)
		if item < first || item >= first+n {
			return false
		}
		from, to = item-first, item-first+1
	}
	b.focus = -1
	for i := from; i < to; i++ {
		if !w.Executes(i) {
			continue
		}
		if cond != nil {
			ok, err := s.holds(cond, w, i, pc)
			if err != nil {
				b.Wrong = err
			} else if !ok {
				continue
			}
		}
		b.focus = first + i
		break
	}
	if b.focus < 0 {
		return false
	}
	if s.asks.record != nil {
		return true
	}
	b.Hits++
	return b.Hits > b.Ignore
}

// number returns the number in its group of a work-item, by its local id.
func (s *Session) number(g *engine.Group, id [3]uint64) int {
	dims := s.kernel.Meta.Order.Dims()
	n, step := uint64(0), uint64(1)
	for _, d := range dims {
		n += id[d] * step
		step *= uint64(g.Size[d])
	}
	return int(n)
}
