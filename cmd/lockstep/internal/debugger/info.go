package debugger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// subjects are what info shows.
var subjects = []struct {
	name string
	show func(c *Console)
}{
	{"breakpoints", (*Console).infoBreakpoints},
	{"locals", func(c *Console) { c.infoVariables(debug.ScopeLocals) }},
	{"args", func(c *Console) { c.infoVariables(debug.ScopeArguments) }},
	{"lds", func(c *Console) { c.infoVariables(debug.ScopeLDS) }},
	{"globals", func(c *Console) { c.infoVariables(debug.ScopeGlobals) }},
	{"registers", (*Console).infoRegisters},
	{"lanes", (*Console).infoLanes},
	{"waves", (*Console).infoWaves},
	{"barriers", (*Console).infoBarriers},
	{"copies", (*Console).infoCopies},
	{"groups", (*Console).infoGroups},
	{"kernels", (*Console).infoKernels},
	{"pipes", (*Console).infoPipes},
	{"buffers", (*Console).infoBuffers},
	{"functions", func(c *Console) { c.printf("%s\n", strings.Join(c.Session.Functions(), "\n")) }},
	{"files", func(c *Console) { c.printf("%s\n", strings.Join(c.Session.Files(), "\n")) }},
	{"checkpoints", (*Console).infoCheckpoints},
	{"output", func(c *Console) { c.printf("%s\n", strings.TrimSuffix(string(c.Session.Output()), "\n")) }},
	{"findings", (*Console).infoFindings},
	{"display", func(c *Console) { _ = c.addDisplay(context.Background(), "") }},
}

func subjectNames() (list []string) {
	for _, s := range subjects {
		list = append(list, s.name)
	}
	return list
}

// info shows a subject, by the beginning of its name.
func (c *Console) info(args string) error {
	if args == "" {
		return usagef("info shows %s", strings.Join(subjectNames(), ", "))
	}
	for _, s := range subjects {
		if strings.HasPrefix(s.name, args) {
			s.show(c)
			return nil
		}
	}
	return usagef("info knows no %q; it shows %s", args, strings.Join(subjectNames(), ", "))
}

func (c *Console) infoBreakpoints() {
	s := c.Session
	off := func(on bool) string {
		if on {
			return ""
		}
		return ", disabled"
	}
	for _, b := range s.Breakpoints() {
		c.printf("%d: breakpoint at %s, %s%s\n", b.Number, c.breakText(b), counted(int(b.Hits), "hit"), off(b.Enabled))
	}
	for _, w := range s.Watchpoints() {
		if w.Pipe() {
			c.printf("%d: watchpoint on pipe %s, %s, %s%s\n", w.Number, w.Text, w.Type, counted(int(w.Hits), "hit"), off(w.Enabled))
			continue
		}
		c.printf("%d: watchpoint on %s, %s, %s%s\n", w.Number, w.Text, w.Type, counted(int(w.Hits), "hit"), off(w.Enabled))
	}
	if len(s.Breakpoints())+len(s.Watchpoints()) == 0 {
		c.printf("no breakpoints\n")
	}
}

func (c *Console) infoVariables(scope debug.VariableScope) {
	it, ok := c.Session.Current()
	n := 0
	if ok {
		for _, v := range c.Session.Variables(it.Number, c.Session.Frame()) {
			if v.Scope != scope {
				continue
			}
			n++
			if v.Err != nil {
				c.printf("%s: %v\n", v.Name, v.Err)
				continue
			}
			c.printf("%s = %s\n", v.Value.Type.Declaration(v.Name), c.text(v.Value, ""))
		}
	}
	if n == 0 {
		c.printf("no %s\n", scope)
	}
}

func (c *Console) infoRegisters() {
	it, _ := c.Session.Current()
	for _, r := range c.Session.Registers(it.Number) {
		digits := 2 * r.Type.Bytes()
		if r.Type == isa.B1 {
			digits = 1
		}
		c.printf("%-5s 0x%0*x\n", r.Name, digits, r.Bits)
	}
}

// spans returns numbers in short: "0-3, 7".
func spans(list []int) string {
	list = slices.Clone(list)
	slices.Sort(list)
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// states are the letters of states of lanes.
var states = map[debug.LaneState]byte{debug.LaneActive: '#', debug.LaneWaits: 'w', debug.LaneBarrier: 'b', debug.LanePipe: 'p', debug.LaneHeld: 'h', debug.LaneEnded: '.'}

func (c *Console) infoWaves() {
	for _, w := range c.Session.Waves() {
		mark := " "
		if w.Turn {
			mark = ">"
		}
		mask := make([]byte, 0, len(w.State))
		for _, s := range w.State {
			mask = append(mask, states[s])
		}
		at := "no lane can run"
		if w.Next >= 0 {
			at = "next " + placeOf(c.Session.PlaceOf(w.Next))
		}
		c.printf("%swave %d, work-items %d-%d: %s  %s\n", mark, w.Number, w.First, w.First+w.Lanes-1, mask, at)
	}
	pipes := ""
	if len(c.Session.Pipes()) > 0 {
		pipes = ", p at a pipe"
	}
	c.printf("lanes: # active, w waits for others, b at a barrier%s, . ended\n", pipes)
}

// infoLanes groups the lanes of the wave by what they do.
func (c *Console) infoLanes() {
	it, ok := c.Session.Current()
	if !ok {
		c.printf("no work-group runs\n")
		return
	}
	w := c.Session.Waves()[it.Wave]
	type key struct {
		state debug.LaneState
		pc    int
	}
	by := map[key][]int{}
	var keys []key
	for lane := range w.State {
		k := key{w.State[lane], w.PC[lane]}
		if by[k] == nil {
			keys = append(keys, k)
		}
		by[k] = append(by[k], lane)
	}
	for _, k := range keys {
		at := ""
		if k.pc >= 0 {
			at = fmt.Sprintf(" at %s, instruction %d", placeOf(c.Session.PlaceOf(k.pc)), k.pc)
		}
		c.printf("lanes %s: %s%s\n", spans(by[k]), k.state, at)
	}
}

func (c *Console) infoBarriers() {
	list := c.Session.Barriers()
	for _, b := range list {
		what := "work-group"
		if b.Scope == isa.ScopeSubgroup {
			what = "sub-group"
		}
		c.printf("barrier of the %s at %s: work-items %s wait", what, placeOf(c.Session.PlaceOf(b.PC)), spans(b.Items))
		if len(b.Missing) > 0 {
			c.printf("; %s have not come", spans(b.Missing))
		}
		c.printf("\n")
	}
	if len(list) == 0 {
		c.printf("nobody waits at a barrier\n")
	}
}

func (c *Console) infoCopies() {
	copies, marks := c.Session.Copies()
	for i := range copies {
		t := &copies[i]
		c.printf("copy %d: %s at %s, %d bytes from %s to %s", t.ID, t.Name, placeOf(c.Session.PlaceOf(t.PC)), t.Bytes,
			c.Session.PointerText(t.Src), c.Session.PointerText(t.Dst))
		if t.Event != 0 {
			c.printf(", event %d", t.Event)
		}
		c.printf(", issued at tick %d\n", t.Issued)
	}
	for _, m := range marks {
		c.printf("mark of wave %d at %s: work-items %s, for its copies up to %d\n", m.Wave, placeOf(c.Session.PlaceOf(m.PC)), spans(m.Items), m.UpTo)
	}
	if len(copies)+len(marks) == 0 {
		c.printf("no copies are in flight\n")
	}
}

func (c *Console) infoGroups() {
	over, all := c.Session.Groups()
	c.printf("%d of %s are over", over, counted(int(all), "work-group"))
	if it, ok := c.Session.Current(); ok && !c.Session.Several() {
		c.printf("; %s runs", c.id(it.Group))
	}
	c.printf("\n")
}

func (c *Console) infoBuffers() {
	for _, b := range c.Session.Buffers() {
		c.printf("%s: %s, %s\n", b.Name, counted(int(b.Bytes), "byte"), b.TypeName)
	}
}

func (c *Console) infoCheckpoints() {
	n, bytes := c.Session.Checkpoints()
	if off, size := c.Session.HistoryOff(); off {
		c.printf("no checkpoints: memory of %d bytes is more than they may take (-checkpoints)\n", size)
		return
	}
	c.printf("%s, %d KiB\n", counted(n, "checkpoint"), bytes>>10)
}

func (c *Console) infoFindings() {
	list := c.Session.Findings()
	if len(list.Findings) == 0 {
		c.printf("no findings\n")
		return
	}
	c.printf("%s", list.Format(finding.Style{}))
}
