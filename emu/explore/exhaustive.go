package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Exhaustive is what is known of a launch all of whose interleavings were to be run: orders of single
// accesses to global and local memory by single work-items, up to equivalence. It stands for the outcomes
// under sequential consistency or, where memory is weak, for those of package memory/weak: then the values that loads
// return are enumerated, too.
type Exhaustive struct {
	// Executions is the number of interleavings that were run to their end: one of each class of equivalent
	// ones, and Redundant how many were begun and left when it was clear that they were equivalent to one
	// before.
	Executions int `json:"executions"`
	Redundant  int `json:"redundant"`
	// Cut is the number of those that were left because they had too many steps.
	Cut int `json:"cut"`
	// Complete says that there are no others.
	Complete bool `json:"complete"`
	// WorkItems and Steps are the number of work-items and the most steps of an interleaving.
	WorkItems int `json:"work_items"`
	Steps     int `json:"steps"`
	// Outcomes are in the order in which they were met.
	Outcomes []InterleavedOutcome `json:"outcomes"`
}

// InterleavedOutcome is an outcome of interleavings.
type InterleavedOutcome struct {
	ID         string            `json:"id"`
	Executions int               `json:"executions"`
	Completed  bool              `json:"completed"` // no fault ended a work-item
	Findings   []finding.Finding `json:"findings"`
	// Values are the elements of memory that not all outcomes have alike, up to maxShown.
	Values []Value `json:"values"`
	// Steps are those of the first interleaving.
	Steps []InterleavedStep `json:"steps"`
	// Choices are those of that interleaving, for [emu.ParseInterleaving].
	Choices string `json:"choices"`
}

// Value is an element of memory in the end.
type Value struct {
	Name  string `json:"name"`
	Index uint64 `json:"index"`
	Value string `json:"value"`
}

// InterleavedStep is an access of a work-item.
type InterleavedStep struct {
	WorkItem *finding.WorkItem `json:"work_item,omitempty"`
	Access   string            `json:"access"` // "read", "write", "atomic operation" or "fence"
	Name     string            `json:"name"`   // of the memory
	// Index is the element, where the size of elements is known, or else the byte.
	Index int64         `json:"index"`
	Place finding.Place `json:"place"`
	// Weak says what interleavings alone do not show: "old", a read returns another value than the last one; "earlier",
	// a write does not come last in modification order.
	Weak string `json:"weak,omitempty"`
}

// ExhaustiveOptions limit an enumeration. The zero value has the limits of the constants.
type ExhaustiveOptions struct {
	Executions int // that are run at most, redundant ones and those that are cut included; 0 is DefaultExecutions
	Steps      int // of an interleaving; 0 is DefaultSteps
	// Progress is told now and then how many were run, and how many outcomes there are.
	Progress func(executions, outcomes int)
	// brute runs all interleavings, equivalent ones too; for tests.
	brute bool
}

// The limits of an enumeration where nobody sets others.
const (
	DefaultExecutions = 1 << 20
	DefaultSteps      = 2000
)

// maxShown bounds the values of an outcome, and maxKept the bytes of memory that are kept of an outcome to
// find them.
const (
	maxShown = 16
	maxKept  = 1 << 16
)

// enumeration is an Exhaustive that is being made.
type enumeration struct {
	*interleavings
	items int // of a work-group
	next  []place
	steps []emu.Step // of the interleaving under way
	why   ending

	result   *Exhaustive
	outcomes map[string]int
	memory   [][]byte // of each outcome, or nil
	seen     []emu.Contents
	objects  []object
}

// Exhaustive runs all interleavings of the subject. The error wraps [emu.ErrNotInterleaved] for launches that
// cannot be run so: they have at most 64 work-items, sub-groups of one work-item, and neither pipes, images
// nor asynchronous copies. With an error of the context there is a result of what is known.
func (e *Explorer) Exhaustive(ctx context.Context, opt ExhaustiveOptions) (*Exhaustive, error) {
	if opt.Executions <= 0 {
		opt.Executions = DefaultExecutions
	}
	if opt.Steps <= 0 {
		opt.Steps = DefaultSteps
	}
	x := &enumeration{
		interleavings: &interleavings{brute: opt.brute, most: opt.Steps},
		result:        &Exhaustive{Outcomes: []InterleavedOutcome{}}, outcomes: map[string]int{},
	}
	for n, more := 0, true; more; n, more = n+1, x.again() {
		if n == opt.Executions || ctx.Err() != nil {
			x.show()
			return x.result, ctx.Err()
		}
		if err := x.one(ctx, e); err != nil {
			x.show()
			if ctx.Err() != nil {
				return x.result, ctx.Err()
			}
			return nil, err
		}
		if opt.Progress != nil {
			opt.Progress(n+1, len(x.result.Outcomes))
		}
	}
	x.result.Complete = x.result.Cut == 0
	x.show()
	return x.result, nil
}

// one runs one interleaving.
func (x *enumeration) one(ctx context.Context, e *Explorer) (err error) {
	if n := len(e.subject.Launches); n != 1 {
		return fmt.Errorf("%w: %d kernels that run together", emu.ErrNotInterleaved, n)
	}
	l, err := e.prepare(ctx, Config{SubgroupSize: 1, WaveLanes: 1, Schedule: emu.InOrder.String()}, "interp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.dev.Close()) }()
	if x.threads == 0 {
		if err := x.measure(l); err != nil {
			return err
		}
	}
	x.begin()
	x.steps, x.why = x.steps[:0], endedWhole
	texts := prints{}
	l.launches[0].Prints, l.launches[0].Interleave = texts.of(0), x
	res, err := e.run(ctx, l, nowhere{})
	if err != nil {
		return err
	}
	switch x.why {
	case endedCut:
		x.result.Cut++
		return nil
	case endedRedundant:
		x.result.Redundant++
		return nil
	}
	x.result.Executions++
	x.result.Steps = max(x.result.Steps, len(x.steps))
	held, err := l.dev.Contents()
	if err != nil {
		return err
	}
	return x.note(l, res, held, texts)
}

// measure finds out which threads there are.
func (x *enumeration) measure(l *launched) error {
	local, err := l.launches[0].Kernel.LocalSize(l.launches[0].Range)
	if err != nil {
		return err
	}
	groups := 1
	x.items = int(local[0]) * int(local[1]) * int(local[2])
	for d, n := range l.launches[0].Range.Global {
		size := uint64(local[d])
		if n/size >= maxThreads {
			return fmt.Errorf("%w: more than %d work-items", emu.ErrNotInterleaved, maxThreads)
		}
		groups *= int((n + size - 1) / size)
	}
	if x.threads = groups * x.items; x.threads > maxThreads {
		return fmt.Errorf("%w: %d work-groups of %d work-items are more than %d work-items", emu.ErrNotInterleaved, groups, x.items, maxThreads)
	}
	for t := range x.threads {
		x.group = append(x.group, t/x.items)
	}
	x.next = make([]place, x.threads)
	x.result.WorkItems = x.threads
	return nil
}

// thread is the number of the work-item of a step.
func (x *enumeration) thread(s *emu.Step) int { return int(s.Group)*x.items + s.Item }

// Choose is for emu.Chooser.
func (x *enumeration) Choose(pending []emu.Step) int {
	var enabled set
	for i := range pending {
		s := &pending[i]
		t := x.thread(s)
		enabled |= 1 << t
		p := s.Pointer
		object := uint64(p.Space())<<60 | uint64(p.Alloc())
		if p.Space() == memory.SpaceLocal {
			object |= s.Group << 32 // each work-group has its own
		}
		x.next[t] = place{object: object, from: p.Offset(), size: s.Bytes, write: s.Access != memory.AccessRead, seqCst: s.SeqCst}
	}
	t, why := x.choose(enabled, x.next)
	if t < 0 {
		x.why = why
		return -1
	}
	i := slices.IndexFunc(pending, func(s emu.Step) bool { return x.thread(&s) == t })
	x.steps = append(x.steps, pending[i])
	return i
}

// Pick is for emu.MemoryChoices.
func (x *enumeration) Pick(what emu.MemoryChoice, n int) int { return x.pick(what, n) }

// Stamp is for emu.MemoryChoices.
func (x *enumeration) Stamp() int { return x.depth }

// Ordered is for emu.MemoryChoices.
func (x *enumeration) Ordered(steps []int) bool { return x.ordered(steps) }

// choices are those of the interleaving under way.
func (x *enumeration) choices() string {
	var text emu.Interleaving
	list := func(p picks) (chosen []int) {
		for _, one := range p {
			chosen = append(chosen, one.chosen)
		}
		return chosen
	}
	text.Before = list(x.first)
	for _, n := range x.stack[:x.depth] {
		text.Steps = append(text.Steps, emu.InterleavedChoice{Group: uint64(n.chosen / x.items), Item: n.chosen % x.items, Picks: list(n.picks)})
	}
	return text.String()
}

// Opened is for emu.Chooser.
func (x *enumeration) Opened(group uint64) { x.opened(int(group)) }

// note counts an interleaving to its outcome.
func (x *enumeration) note(l *launched, res *ran, held []emu.Contents, texts prints) error {
	memory, err := memoryDigest(held, nil)
	if err != nil {
		return err
	}
	o := newOutcome(Run{}, res, memory, texts.digest(), true)
	at, ok := x.outcomes[o.ID]
	if ok {
		x.result.Outcomes[at].Executions++
		return nil
	}
	x.outcomes[o.ID] = len(x.result.Outcomes)
	one := InterleavedOutcome{ID: o.ID, Executions: 1, Completed: o.Completed, Findings: o.Findings, Values: []Value{}, Steps: []InterleavedStep{}, Choices: x.choices()}
	taken, err := l.launches[0].Taken(x.steps)
	if err != nil {
		return err
	}
	for i := range taken {
		t := &taken[i]
		s := InterleavedStep{WorkItem: t.WorkItem, Access: accessText(&x.steps[i]), Name: t.Name, Index: t.Offset, Place: t.Place}
		if t.Object != nil && t.Object.ElementBytes > 0 {
			s.Index /= int64(t.Object.ElementBytes)
		}
		for _, c := range x.stack[i].picks {
			switch {
			case c.chosen > 0 && c.what == emu.ChooseMessage:
				s.Weak = "old"
			case c.chosen > 0 && c.what == emu.ChoosePlace:
				s.Weak = "earlier"
			}
		}
		one.Steps = append(one.Steps, s)
	}
	x.result.Outcomes = append(x.result.Outcomes, one)
	return x.keep(l, o.Completed, held)
}

// accessText names what a step does.
func accessText(s *emu.Step) string {
	if s.Bytes == 0 {
		return "fence"
	}
	return s.Access.String()
}

// keep keeps the memory of an outcome, where that is small.
func (x *enumeration) keep(l *launched, completed bool, held []emu.Contents) error {
	var all []byte
	size := 0
	for i := range held {
		size += len(held[i].Data)
	}
	if size > maxKept || !completed {
		x.memory = append(x.memory, nil)
		return nil
	}
	for i := range held {
		all = append(all, held[i].Data...)
	}
	x.memory = append(x.memory, all)
	if x.objects != nil {
		return nil
	}
	for _, c := range held {
		o, name, err := l.object(c)
		if err != nil {
			return err
		}
		x.objects = append(x.objects, object{o, name, elementSize(o, len(c.Data))})
		x.seen = append(x.seen, emu.Contents{Data: make([]byte, len(c.Data))})
	}
	return nil
}

// show gives the outcomes the values in which they differ.
func (x *enumeration) show() {
	var first []byte
	for _, m := range x.memory {
		if first == nil {
			first = m
		}
	}
	base, shown := 0, 0
	for i := range x.seen {
		size := len(x.seen[i].Data)
		for at := 0; at < size && shown < maxShown; at += int(x.objects[i].size) {
			from, to := base+at, base+min(at+int(x.objects[i].size), size)
			if !slices.ContainsFunc(x.memory, func(m []byte) bool { return m != nil && string(m[from:to]) != string(first[from:to]) }) {
				continue
			}
			shown++
			for k, m := range x.memory {
				if m != nil {
					v := Value{x.objects[i].name, uint64(at) / x.objects[i].size, valueText(x.objects[i].Element, m[from:to])}
					x.result.Outcomes[k].Values = append(x.result.Outcomes[k].Values, v)
				}
			}
		}
		base += size
	}
}

// Agree says whether all interleavings that were run have the same outcome.
func (r *Exhaustive) Agree() bool { return len(r.Outcomes) <= 1 }

// OK says whether all interleavings were run, agree and have no findings.
func (r *Exhaustive) OK() bool {
	return r.Complete && r.Agree() && !slices.ContainsFunc(r.Outcomes, func(o InterleavedOutcome) bool { return len(o.Findings) > 0 })
}
