package debugger

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/memory"
)

// infoKernels lists the launches, and their work-groups in progress.
func (c *Console) infoKernels() {
	for _, l := range c.Session.Launches() {
		mark := " "
		if l.Looked {
			mark = ">"
		}
		state := "in progress"
		switch {
		case l.Over == l.All:
			state = "ended"
		case len(l.Groups) == 0:
			state = "not begun"
			if l.Over > 0 {
				state = "between work-groups"
			}
			if c.Session.Ended() {
				state = "not at its end"
			}
		}
		c.printf("%skernel %s, %d of its %s over, %s", mark, l.Label, l.Over, counted(int(l.All), "work-group"), state)
		if len(l.Groups) > 0 {
			var ids []string
			for i, g := range l.Groups {
				if i == shownGroups {
					ids = append(ids, fmt.Sprintf("and %d more", len(l.Groups)-i))
					break
				}
				id := c.id(g.ID)
				if g.Turn {
					id += ", which has its turn"
				}
				ids = append(ids, id)
			}
			c.printf(": %s", strings.Join(ids, "; "))
		}
		c.printf("\n")
	}
}

// shownGroups is how many work-groups of a kernel are listed.
const shownGroups = 8

// labels are the names of launches.
func (c *Console) labels() (list []string) {
	for _, l := range c.Session.Launches() {
		list = append(list, l.Label)
	}
	return list
}

// kernel looks at a kernel, or lists them.
func (c *Console) kernel(_ context.Context, args string) error {
	words := strings.Fields(args)
	var id *[3]uint64
	switch {
	case len(words) == 0:
		c.infoKernels()
		return nil
	case len(words) == 3 && words[1] == "group":
		x, err := ids(words[2])
		if err != nil {
			return err
		}
		id = &x
	case len(words) != 1:
		return usagef("kernel takes NAME, or NAME group X,Y,Z")
	}
	n, err := c.Session.FindLaunch(words[0])
	if err != nil {
		return err
	}
	if err := c.Session.SelectGroup(n, id); err != nil {
		return err
	}
	c.where()
	return nil
}

// pipe returns the pipe that a name means: that of a parameter, or of the command.
func (c *Console) pipe(name string) (debug.Pipe, bool) {
	if p, ok := c.Session.FindPipe(name); ok {
		return p, true
	}
	v, err := c.Session.Evaluate(name)
	if err != nil {
		return debug.Pipe{}, false
	}
	return c.Session.PipeValue(v)
}

// shownPackets is how many packets info pipes shows.
const shownPackets = 8

// infoPipes shows the pipes: what is in them, who holds reservations, and who waits.
func (c *Console) infoPipes() {
	list := c.Session.Pipes()
	for i := range list {
		p := &list[i]
		name := p.Name
		if name == "" {
			name = "without a name"
		}
		c.printf("pipe %s of %s (%s): %s\n", name, p.Type, counted(p.PacketBytes, "byte"), c.Session.PipeText(*p, shownPackets))
		c.printf("  %d written, %d read\n", p.Written, p.Read)
		for _, line := range c.PipeLines(*p) {
			c.printf("  %s\n", line)
		}
	}
	if len(list) == 0 {
		c.printf("no pipes\n")
	}
}

// PipeLines says who holds the ends of a pipe, which reservations are open, and who waits, each in a line.
func (c *Console) PipeLines(p debug.Pipe) []string {
	lines := []string{c.ends(&p)}
	for j := range p.Reservations {
		r := &p.Reservations[j]
		to := "read"
		if r.Write {
			to = "write"
		}
		line := fmt.Sprintf("a reservation to %s %s from packet %d on, of %s, made at %s", to, counted(int(r.N), "packet"), r.First, c.owner(r), c.placeIn(r.Launch, r.PC))
		if r.Missing > 0 {
			line += fmt.Sprintf("; %d not written yet", r.Missing)
		}
		lines = append(lines, line)
	}
	if p.Reading > 0 || p.Writing > 0 {
		lines = append(lines, fmt.Sprintf("in reservations and behind them: %d to read, %d to write", p.Reading, p.Writing))
	}
	for j := range p.Waits {
		w := &p.Waits[j]
		what := "packets"
		if w.Write {
			what = "room"
		}
		lines = append(lines, fmt.Sprintf("kernel %s, group %s: %s for %s at %s", c.Session.Label(w.Launch), c.id(w.Group), waiting(w.Items), what, c.placeIn(w.Launch, w.PC)))
	}
	return lines
}

// waiting says who waits.
func waiting(items []int) string {
	if len(items) == 1 {
		return "work-item " + spans(items) + " waits"
	}
	return "work-items " + spans(items) + " wait"
}

// ends says who holds the ends of a pipe.
func (c *Console) ends(p *debug.Pipe) string {
	var writers, readers []string
	for _, e := range p.Ends {
		who := "the host"
		if e.Launch >= 0 {
			who = c.Session.Label(e.Launch)
		}
		if e.Ended {
			who += " (ended)"
		}
		if e.Writes {
			writers = append(writers, who)
		}
		if e.Reads {
			readers = append(readers, who)
		}
	}
	name := func(list []string) string {
		if len(list) == 0 {
			return "nobody"
		}
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("writers: %s; readers: %s", name(writers), name(readers))
}

// owner says whose a reservation is.
func (c *Console) owner(r *debug.Reservation) string {
	if r.Launch < 0 || r.Launch >= len(c.Session.Launches()) {
		return "an earlier launch"
	}
	who := fmt.Sprintf("group %s of kernel %s", c.id(r.Group), c.Session.Label(r.Launch))
	switch r.Kind {
	case memory.OwnerItem:
		return fmt.Sprintf("work-item %s in %s", spans(r.Items), who)
	case memory.OwnerSubgroup:
		return fmt.Sprintf("the sub-group of work-items %s in %s", spans(r.Items), who)
	}
	return "the whole of " + who
}

// placeIn returns the place of an instruction of a launch's kernel.
func (c *Console) placeIn(launch, pc int) string { return placeOf(c.Session.PlaceIn(launch, pc)) }

// Moved says what packets went through a pipe, and who moved them.
func (c *Console) Moved(h debug.WatchHit) string {
	p := h.Packets
	verb := "was read from"
	if p.Write {
		verb = "was written to"
	}
	var values []string
	for _, v := range p.Values {
		values = append(values, c.Session.Text(debug.Value{Type: h.Type, Bytes: v}, 8))
	}
	if n := len(values); uint64(n) < p.N {
		values = append(values, fmt.Sprintf("… %d more", p.N-uint64(n)))
	}
	what := fmt.Sprintf("packet %d, %s, %s", p.First, strings.Join(values, ", "), verb)
	if p.N > 1 {
		what = fmt.Sprintf("packets %d-%d, %s, %s", p.First, p.First+p.N-1, strings.Join(values, ", "), strings.Replace(verb, "was", "were", 1))
	}
	if p.Launch < 0 {
		return fmt.Sprintf("%s pipe %s by the host", what, p.Pipe)
	}
	by := "work-item " + c.id(c.Session.Item(h.Item).Global)
	if c.Session.Several() {
		by += " of kernel " + c.Session.Label(p.Launch)
	}
	return fmt.Sprintf("%s pipe %s by %s", what, p.Pipe, by)
}
