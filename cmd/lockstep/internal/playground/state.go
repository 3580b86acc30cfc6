package playground

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Limits of what a state shows.
const (
	maxShown       = 256  // parts of a variable, elements of an array in one text
	maxTable       = 4096 // elements of a table
	defaultTable   = 64
	maxExpressions = 100
	maxDisassembly = 500
)

// letters are what masks have for the states of lanes, and names what items have.
var (
	letters = map[engine.LaneState]byte{debug.LaneActive: '#', debug.LaneWaits: 'w', debug.LaneBarrier: 'b', debug.LanePipe: 'p',
		debug.LaneHeld: 'h', debug.LaneEnded: '.'}
	laneNames = map[engine.LaneState]string{debug.LaneActive: "active", debug.LaneWaits: "waits", debug.LaneBarrier: "barrier",
		debug.LanePipe: "pipe", debug.LaneHeld: "held", debug.LaneEnded: "ended"}
)

// placeOf shows a place.
func placeOf(p debug.Place) Place {
	return Place{File: p.File, Line: p.Line, Column: p.Column, Function: p.Function}
}

// state shows where the session is.
func (d *session) state(view *View) *State {
	if view == nil {
		view = &View{}
	}
	s := d.Session
	l := s.Launch()
	st := &State{Session: d.number, Kernel: d.Kernel.Name(), Tick: s.Tick(), End: d.end, EndLimit: endLimit, Begun: true, Ended: s.Ended(),
		Dim: s.Dim(), Current: -1, Waves: []Wave{}, Items: []Item{}, Frames: []Frame{}, Variables: []Variable{}, Buffers: []Memory{}}
	if st.Ended && d.end == 0 {
		d.end, st.End = st.Tick, st.Tick
	}
	d.before, d.values = d.values, map[string]any{}
	d.because(st)
	if off, size := s.HistoryOff(); off {
		st.NoHistory = fmt.Sprintf("the buffers have %d bytes, which is too much for checkpoints", size)
	}
	st.GlobalSize = l.Global
	st.GroupsOver, st.Groups = s.Groups()
	st.Output = strings.ToValidUTF8(string(s.Output()), "\ufffd")
	st.Breakpoints = d.breakpoints()
	d.memories(st)
	d.together(st)
	if st.Ended {
		d.end = st.Tick
		d.finish(st)
		d.tables(st, view.Tables)
		return st
	}
	d.group(st)
	d.item(st, view)
	d.copies(st)
	st.Accesses = d.accesses()
	d.tables(st, view.Tables)
	return st
}

// finish shows what -out prints when the launch is over.
func (d *session) finish(st *State) {
	var b limited
	if err := d.WriteOuts(&b); err == nil {
		st.Outputs = strings.ToValidUTF8(b.String(), "\ufffd")
	}
}

// group shows the work-group that runs.
func (d *session) group(st *State) {
	s := d.Session
	if it, ok := s.Current(); ok {
		st.Current, st.Group = it.Number, it.Group
	}
	for _, w := range s.Waves() {
		one := Wave{Number: w.Number, First: w.First, Lanes: w.Lanes, Turn: w.Turn}
		if w.Next >= 0 {
			one.Next = placeOf(s.PlaceOf(w.Next))
		}
		var mask strings.Builder
		for _, state := range w.State {
			mask.WriteByte(letters[state])
		}
		one.Mask = mask.String()
		st.Waves = append(st.Waves, one)
	}
	for _, it := range s.Items() {
		one := Item{Number: it.Number, Global: it.Global, Local: it.Local, Wave: it.Wave, Lane: it.Lane, Subgroup: it.Subgroup, State: laneNames[it.State]}
		if it.PC >= 0 {
			one.Line = s.PlaceOf(it.PC).Line
		}
		for i := range st.LocalSize {
			st.LocalSize[i] = max(st.LocalSize[i], uint32(it.Local[i])+1)
		}
		st.Items = append(st.Items, one)
	}
	for _, b := range s.Barriers() {
		scope := "work-group"
		if b.Scope == isa.ScopeSubgroup {
			scope = "sub-group"
		}
		st.Barriers = append(st.Barriers, Barrier{Place: placeOf(s.PlaceOf(b.PC)), Scope: scope, Items: b.Items, Missing: append([]int{}, b.Missing...)})
	}
}

// item shows the work-item that is looked at, and what the view asks for.
func (d *session) item(st *State, view *View) {
	s := d.Session
	if st.Current < 0 {
		return
	}
	for _, f := range s.Frames() {
		st.Frames = append(st.Frames, Frame{f.Function, placeOf(f.Place)})
	}
	st.Frame = s.Frame()
	for _, v := range s.Variables(st.Current, st.Frame) {
		one := Variable{Name: v.Name, Path: v.Name, Scope: v.Scope.String(), Line: v.Line}
		if v.Err != nil {
			one.Error = v.Err.Error()
		} else {
			d.fill(&one, v.Value, view.Expand)
		}
		d.changed(&one, st.Current)
		st.Variables = append(st.Variables, one)
	}
	if view.Registers {
		for _, r := range s.Registers(st.Current) {
			st.Registers = append(st.Registers, Register{r.Name, r.Type.String(), fmt.Sprintf("0x%x", r.Bits)})
		}
	}
	for i, text := range view.Watch {
		if i == maxExpressions {
			break
		}
		st.Watch = append(st.Watch, d.evaluate(text))
	}
	if view.All != "" {
		st.All = d.grid(view.All)
	}
	if n := min(view.Disassembly, maxDisassembly); n > 0 {
		d.disassembly(st, n)
	}
}

// fill shows a value, with its parts where a page has expanded it.
func (d *session) fill(v *Variable, value debug.Value, expand []string) {
	s := d.Session
	v.Type, v.Value, v.Parts = value.Type.String(), s.Text(value, 16), s.NumChildren(value)
	if !contains(expand, v.Path) {
		return
	}
	for _, c := range s.Children(value, 0, maxShown) {
		one := Variable{Name: c.Name, Path: pathOf(v.Path, c.Name)}
		if c.Err != nil {
			one.Error = c.Err.Error()
		} else {
			d.fill(&one, c.Value, expand)
		}
		v.Children = append(v.Children, one)
	}
}

// contains says whether a list has a path. Lists of more than maxExpressions are cut off.
func contains(list []string, path string) bool {
	for i, p := range list {
		if i == maxExpressions {
			break
		}
		if p == path {
			return true
		}
	}
	return false
}

// pathOf names a part of a variable.
func pathOf(of, part string) string {
	switch {
	case strings.HasPrefix(part, "["):
		return of + part
	case strings.HasPrefix(part, "*"):
		return "*(" + of + ")"
	}
	return of + "." + part
}

// looked names the kernel that is looked at: another one's variables are no changes.
func (d *session) looked() string { return d.Session.Label(d.Session.CurrentLaunch()) }

// changed marks a variable whose value is another one than in the state before.
func (d *session) changed(v *Variable, item int) {
	key := fmt.Sprintf("%s %d %d %s", d.looked(), item, d.Session.Frame(), v.Name)
	d.values[key] = v.Value
	if old, ok := d.before[key]; ok {
		v.Changed = old != v.Value
	}
}

// grid evaluates an expression for all work-items.
func (d *session) grid(text string) *Grid {
	g, err := d.Session.All(text, 8)
	to := &Grid{Expression: text, Size: g.Size, Cells: []Cell{}, Most: g.Most, Count: g.Count}
	if err != nil {
		to.Error = err.Error()
		return to
	}
	for _, c := range g.Cells {
		cell := Cell{Value: c.Text, Differs: c.Differs}
		if c.Err != nil {
			cell.Error = c.Err.Error()
		} else if n, err := strconv.ParseFloat(c.Text, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			cell.Number = &n
		}
		to.Cells = append(to.Cells, cell)
	}
	return to
}

// disassembly shows the instructions around the next one.
func (d *session) disassembly(st *State, n int) {
	s := d.Session
	next := s.Item(st.Current).PC
	for _, in := range s.Disassemble(max(next-n/2, 0), n) {
		st.Disassembly = append(st.Disassembly, Instruction{PC: in.PC, Text: in.Text, Place: placeOf(in.Place), Next: in.PC == next})
	}
}

// memories lists buffers and LDS.
func (d *session) memories(st *State) {
	s := d.Session
	for _, b := range s.Buffers() {
		st.Buffers = append(st.Buffers, Memory{Name: b.Name, Type: b.TypeName, Element: elementOf(b.Value.Type, b.TypeName), Bytes: b.Bytes})
	}
	if st.Ended {
		return
	}
	it, ok := s.Current()
	if !ok {
		return
	}
	for _, v := range s.Variables(it.Number, s.Frame()) {
		if v.Scope == debug.ScopeLDS && v.Err == nil {
			st.LDS = append(st.LDS, Memory{Name: v.Name, Type: v.Value.Type.String(), Element: elementOf(v.Value.Type, ""), Bytes: v.Value.Type.Size})
		}
	}
}

// elements are the elements of -arg by the types of OpenCL C.
var elements = map[string]string{
	"char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32", "long": "i64", "ulong": "u64",
	"half": "f16", "float": "f32", "double": "f64", "bool": "u8", "size_t": "u64",
}

// elementOf returns the element of what a pointer leads to or an array or vector has: that behind typedefs, and that of
// an enumeration's integers. "u8" stands for what is no number.
func elementOf(t *debug.Type, name string) string {
	for range maxShown {
		if t == nil {
			break
		}
		switch t.Kind {
		case isa.DebugPointer, isa.DebugArray, isa.DebugVector, isa.DebugAlias:
			t = t.Elem
			continue
		case isa.DebugFloat:
			return fmt.Sprintf("f%d", 8*t.Size)
		case isa.DebugSigned:
			return fmt.Sprintf("i%d", 8*t.Size)
		case isa.DebugUnsigned:
			return fmt.Sprintf("u%d", 8*t.Size)
		}
		break
	}
	return elementOfName(name)
}

// elementOfName returns the element of a type such as "global const float4*", where no more is known than its name.
func elementOfName(name string) string {
	name, _, _ = strings.Cut(name, "[")
	fields := strings.Fields(strings.ReplaceAll(name, "*", " "))
	for i := len(fields) - 1; i >= 0; i-- {
		base := strings.TrimRight(fields[i], "0123456789")
		if fields[i] == "unsigned" {
			return "u32"
		}
		if e := elements[base]; e != "" {
			return e
		}
	}
	return "u8"
}

// tables shows pages of buffers and LDS.
func (d *session) tables(st *State, views []TableView) {
	for i, v := range views {
		if i == maxExpressions {
			return
		}
		st.Tables = append(st.Tables, d.table(st, &v))
	}
}

// table shows a page.
func (d *session) table(st *State, v *TableView) Table {
	s := d.Session
	t := Table{Name: v.Name, Element: v.Element, First: v.First, Values: []string{}}
	fail := func(format string, args ...any) Table {
		t.Error = fmt.Sprintf(format, args...)
		return t
	}
	var pointer memory.Pointer
	var bytes uint64
	found := false
	for _, b := range s.Buffers() {
		if b.Name == v.Name {
			pointer, bytes, found = b.Pointer, b.Bytes, true
			if t.Element == "" {
				t.Element = elementOf(b.Value.Type, b.TypeName)
			}
			break
		}
	}
	if !found && !st.Ended && st.Current >= 0 {
		for _, x := range s.Variables(st.Current, st.Frame) {
			if p, ok := x.Value.At(); ok && x.Name == v.Name && x.Err == nil {
				pointer, bytes, found = p, x.Value.Type.Size, true
				if t.Element == "" {
					t.Element = elementOf(x.Value.Type, "")
				}
			}
		}
	}
	if !found {
		return fail("there is no memory %s", v.Name)
	}
	typ, ok := argspec.ParseType(t.Element)
	if !ok {
		return fail("there is no type %s", t.Element)
	}
	size := uint64(typ.Size())
	t.Count = bytes / size
	count := v.Count
	if count <= 0 {
		count = defaultTable
	}
	if v.First >= t.Count {
		return t
	}
	n := min(uint64(count), maxTable, t.Count-v.First)
	data, err := s.ReadMemory(pointer.Add(int64(v.First*size)), int(n*size))
	if err != nil {
		return fail("%v", err)
	}
	for i := range n {
		text := string(argspec.AppendValue(nil, typ, data[i*size:(i+1)*size]))
		t.Values = append(t.Values, text)
		key := fmt.Sprintf("table %s %s %s %d", d.looked(), t.Name, t.Element, v.First+i)
		d.values[key] = text
		if old, ok := d.before[key]; ok && old != text {
			t.Changed = append(t.Changed, int(i))
		}
	}
	return t
}

// copies shows copies in flight and async marks.
func (d *session) copies(st *State) {
	s := d.Session
	copies, marks := s.Copies()
	for i := range copies {
		t := &copies[i]
		st.Copies = append(st.Copies, Copy{Number: int(t.ID), Place: placeOf(s.PlaceOf(t.PC)), Wave: t.Wave, Bytes: t.Bytes, Moved: t.Moved, Issued: t.Issued,
			Text: fmt.Sprintf("%s: %d bytes from %s to %s", t.Name, t.Bytes, s.PointerText(t.Src), s.PointerText(t.Dst))})
	}
	for _, m := range marks {
		st.Marks = append(st.Marks, Mark{Wave: m.Wave, Place: placeOf(s.PlaceOf(m.PC)), Text: fmt.Sprintf("for copies up to %d, of work-items %v", m.UpTo, m.Items)})
	}
}

// accesses shows what the instruction that was issued last has accessed: the lanes of each sub-group together.
func (d *session) accesses() []Access {
	s := d.Session
	type key struct {
		pc, subgroup int
		kind         memory.Access
		space        memory.Space
		bytes        uint64
	}
	type access struct {
		key
		lanes     []int
		addresses []memory.Pointer
	}
	var list []*access
	byKey := map[key]*access{}
	size := max(s.Launch().SubgroupSize, 1)
	for _, a := range s.LastAccesses() {
		if a.Returned || a.Pointer.Space() != memory.SpaceGlobal && a.Pointer.Space() != memory.SpaceLocal {
			continue
		}
		it := s.Item(a.Item)
		k := key{a.PC, it.Subgroup, a.Kind, a.Pointer.Space(), a.Bytes}
		at := byKey[k]
		if at == nil {
			at = &access{key: k}
			byKey[k] = at
			list = append(list, at)
		}
		at.lanes, at.addresses = append(at.lanes, it.Lane%size), append(at.addresses, a.Pointer)
	}
	var shown []Access
	for _, a := range list {
		p := s.PlaceOf(a.pc)
		one := Access{File: p.File, Line: p.Line, Column: p.Column, Kernel: d.Kernel.Name(), Kind: accessKinds[a.kind], Space: spaceName(a.space),
			Bytes: a.bytes, Count: 1, Subgroup: a.subgroup, Size: size}
		one.segments(a.space, a.bytes, a.lanes, a.addresses, func(q memory.Pointer) string {
			name, _, _ := strings.Cut(s.PointerText(q), "+")
			return name
		})
		if len(one.Lanes) > 0 {
			one.Memory = one.Lanes[0].Memory
		}
		shown = append(shown, one)
	}
	return shown
}
