package grade

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/checks"
	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// trial is a run of an exercise, with its arguments as they were read.
type trial struct {
	*checks.Case
	list []argument
}

// argument is one of the arguments of all launches.
type argument struct {
	launch int // of all launches of the run
	kernel string
	index  int
	name   string // of the parameter
	spec   *argspec.Arg
	// buffer is where checks.Outcome.Buffers has the contents, and -1 of what is no buffer.
	buffer int
}

// newTrial reads the flags of a run.
func newTrial(r *course.Run) (*trial, error) {
	c, err := checks.Parse("run", "//! run "+r.Flags)
	if err != nil {
		return nil, err
	}
	t := &trial{Case: c}
	shared := map[string]*argspec.Arg{}
	place := map[string]int{}
	for i, b := range c.Buffers {
		if shared[b.Name], err = argspec.Parse(b.Spec, nil); err != nil {
			return nil, err
		}
		place[b.Name] = i
	}
	buffers, launches := len(c.Buffers), 0
	for _, step := range c.Steps {
		for _, l := range step {
			for i, text := range l.Args {
				a := argument{launch: launches, kernel: l.Kernel, index: i, buffer: -1}
				name, ok := strings.CutPrefix(text, "pipe:")
				if ok && slices.ContainsFunc(c.Pipes, func(p checks.Named) bool { return p.Name == name }) {
					a.spec = &argspec.Arg{Kind: argspec.Pipe}
				} else if a.spec, err = argspec.Parse(text, &argspec.Options{SharedBuffers: true}); err != nil {
					return nil, fmt.Errorf("-arg %s: %w", text, err)
				}
				switch {
				case a.spec.Shared != "":
					a.buffer = place[a.spec.Shared]
					a.spec = shared[a.spec.Shared]
				case a.spec.Kind == argspec.Buffer:
					a.buffer = buffers
					buffers++
				}
				t.list = append(t.list, a)
			}
			launches++
		}
	}
	return t, nil
}

// args are the arguments for the reference function.
func (t *trial) args() *course.Args {
	a := &course.Args{}
	for i := range t.list {
		a.Data = append(a.Data, t.list[i].spec.Data)
	}
	return a
}

// name gives the arguments the names of the parameters.
func (t *trial) name(prog *emu.Program) {
	for i := range t.list {
		a := &t.list[i]
		a.name = fmt.Sprintf("argument %d", a.index)
		if k, err := prog.Kernel(a.kernel); err == nil {
			if params := k.Params(); a.index < len(params) && params[a.index].Name != "" {
				a.name = params[a.index].Name
			}
		}
		if slices.ContainsFunc(t.list, func(b argument) bool { return b.kernel == a.kernel && b.launch != a.launch }) {
			a.name = fmt.Sprintf("kernel %d's %s", a.launch, a.name)
		}
	}
}

// compare returns the first element that is not what it should be, or nil.
func (t *trial) compare(w *course.Want, out *checks.Outcome) (*Difference, error) {
	a := &t.list[w.Arg]
	if a.buffer < 0 || a.buffer >= len(out.Buffers) || len(out.Buffers[a.buffer]) != len(w.Data) {
		return nil, fmt.Errorf("argument %d is no buffer of %d bytes", w.Arg, len(w.Data))
	}
	got, size := out.Buffers[a.buffer], a.spec.Type.Size()
	element := func(data []byte, i int) []byte { return data[i*size : (i+1)*size] }
	d := &Difference{Argument: a.name, Elements: len(w.Data) / size, Index: -1}
	if w.AnyOrder {
		return d.anyOrder(a.spec.Type, got, w.Data), nil
	}
	for i := range d.Elements {
		if bytes.Equal(element(got, i), element(w.Data, i)) {
			continue
		}
		d.Count++
		if d.Index < 0 {
			d.Index = i
			d.Got, d.Want = text(a.spec.Type, element(got, i)), text(a.spec.Type, element(w.Data, i))
		}
	}
	if d.Count == 0 {
		return nil, nil
	}
	for i := range t.list {
		b := &t.list[i]
		if b.buffer >= 0 && b.launch == a.launch && b.buffer != a.buffer && b.spec.Count == d.Elements && !b.spec.Undefined {
			d.Inputs = append(d.Inputs, Input{b.name, text(b.spec.Type, element(b.spec.Data, d.Index))})
		}
	}
	return d, nil
}

// anyOrder returns the least element that does not stand in a buffer as often as it should, or nil.
func (d *Difference) anyOrder(t argspec.Type, got, want []byte) *Difference {
	size := t.Size()
	count := map[string]int{}
	for i := range d.Elements {
		count[string(want[i*size:(i+1)*size])]++
		count[string(got[i*size:(i+1)*size])]--
	}
	for i := range d.Elements {
		e := want[i*size : (i+1)*size]
		if n := count[string(e)]; n > 0 {
			if d.Count == 0 {
				d.Want, d.Missing = text(t, e), true
			}
			d.Count += n
			count[string(e)] = 0
		}
	}
	if d.Count == 0 {
		return nil
	}
	return d
}

// text is an element as people write it.
func text(t argspec.Type, element []byte) string { return string(argspec.AppendValue(nil, t, element)) }
