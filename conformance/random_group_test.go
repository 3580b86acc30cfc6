package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Random kernels with group copies between LDS and global memory, waits and barriers.
// A model below knows the rules that the specification has for them: it keeps the
// generator from breaking one, runs the kernel one work-item at a time, and says whether
// the kernel breaks a rule once a wait or a barrier is taken out. The first must give
// the same bits under every schedule, and the second a finding.

const (
	groupItems = 12 // of a work-group
	groupWords = 96 // of LDS, and of the group's part of global memory
	groupSlots = 3  // variables for events
)

// side is one of the two memories.
type side int

const (
	local side = iota
	global
)

// groupStep is a step that all work-items of a group make.
type groupStep struct {
	op    string // "copy", "wait", "barrier", "read", "write"; "show" reads, for the host
	dim   int    // of a copy
	dst   side   // of a copy; of a read or write, the memory
	slot  int    // of a copy and a wait; groupSlots stands for all
	join  bool   // the copy joins the event of its slot
	box   [2]box // destination and source of a copy
	elems [3]int // elements of a line, lines, planes
	// Work-item i reads or writes the word off + (i × a) mod n.
	off, a, n int
	k         uint32
}

// box is how a copy goes through one memory, in words.
type box struct{ off, elem, line, plane int }

// words returns the words of a side in the order in which they are copied.
func (s *groupStep) words(which int) []int {
	b := s.box[which]
	var out []int
	for p := range s.elems[2] {
		for l := range s.elems[1] {
			for e := range s.elems[0] {
				out = append(out, b.off+p*b.plane+l*b.line+e*b.elem)
			}
		}
	}
	return out
}

// groupSection is a number of steps that are made trips times. It ends with waits for all
// events and a barrier.
type groupSection struct {
	steps []groupStep
	trips int
}

// word is what the model knows of a word of memory.
type word struct {
	writer, reader int // work-item that did since the last barrier; 0 nobody, -1 several; else number + 1
	dst, src       int // copies in flight that have it as destination or source
}

// transfer is a copy in flight.
type transfer struct {
	event    int
	step     *groupStep
	dst, src []int
}

// groupModel runs steps one after the other. broken says that a rule was broken.
type groupModel struct {
	words  [2][groupWords]word
	memory [2][groupWords]uint32
	acc    [groupItems]uint32
	slots  [groupSlots]int // events; 0 is none
	events int
	flight []transfer
	broken bool
	racy   bool // work-items use a word without a barrier: nothing is certain any more
}

func (s *groupStep) word(i int) int { return s.off + i*s.a%s.n }

// step makes one step.
func (m *groupModel) step(s *groupStep) {
	switch s.op {
	case "copy":
		m.copy(s)
	case "wait":
		for i := range m.slots {
			if s.slot == i || s.slot == groupSlots {
				m.wait(m.slots[i])
				m.slots[i] = 0
			}
		}
	case "barrier":
		for i := range m.words {
			for j := range m.words[i] {
				m.words[i][j].reader, m.words[i][j].writer = 0, 0
			}
		}
	default:
		for i := range groupItems {
			at := s.word(i)
			w := &m.words[s.dst][at]
			write := s.op == "write"
			m.broken = m.broken || w.dst > 0 || (write && w.src > 0)
			m.racy = m.racy || (w.writer != 0 && w.writer != i+1) || (write && w.reader != 0 && w.reader != i+1)
			mark := &w.reader
			if write {
				mark = &w.writer
				m.memory[s.dst][at] = m.acc[i] ^ s.k
			} else if s.op == "read" {
				m.acc[i] = m.acc[i]*31 + m.memory[s.dst][at] + s.k
			}
			if *mark != 0 && *mark != i+1 {
				*mark = -1
			} else {
				*mark = i + 1
			}
		}
	}
}

func (m *groupModel) copy(s *groupStep) {
	t := transfer{step: s, dst: s.words(0), src: s.words(1)}
	from := 1 - s.dst
	if s.join && m.slots[s.slot] != 0 {
		t.event = m.slots[s.slot]
	} else {
		m.events++
		t.event = m.events
		m.slots[s.slot] = t.event
	}
	values := make([]uint32, len(t.src))
	for i, at := range t.src {
		w := &m.words[from][at]
		m.broken = m.broken || w.dst > 0 || (from == local && w.writer != 0)
		m.racy = m.racy || w.writer != 0
		values[i] = m.memory[from][at]
	}
	for i, at := range t.dst {
		w := &m.words[s.dst][at]
		m.broken = m.broken || w.src > 0 || (s.dst == local && (w.writer != 0 || w.reader != 0))
		if w.dst > 0 {
			// Copies that bring the same bytes from the same place are in no
			// conflict; what counts as the same place is left open here.
			alike := m.alike(s.dst, at, t.src[i])
			m.broken, m.racy = m.broken || !alike, m.racy || alike
		}
		m.racy = m.racy || w.writer != 0 || w.reader != 0
		m.memory[s.dst][at] = values[i]
	}
	for _, at := range t.src {
		m.words[from][at].src++
	}
	for _, at := range t.dst {
		m.words[s.dst][at].dst++
	}
	m.flight = append(m.flight, t)
}

// alike says whether all copies in flight that write a word take it from the same place.
func (m *groupModel) alike(space side, dst, src int) bool {
	for _, t := range m.flight {
		for i, at := range t.dst {
			if t.step.dst == space && at == dst && t.src[i] != src {
				return false
			}
		}
	}
	return true
}

func (m *groupModel) wait(event int) {
	m.flight = slices.DeleteFunc(m.flight, func(t transfer) bool {
		if t.event != event {
			return false
		}
		for _, at := range t.dst {
			m.words[t.step.dst][at].dst--
		}
		for _, at := range t.src {
			m.words[1-t.step.dst][at].src--
		}
		return true
	})
}

// run makes all steps of a kernel for the group with the given global memory. What is
// in flight at the end was never waited for.
func (m *groupModel) run(sections []groupSection) {
	for i := range sections {
		for range sections[i].trips {
			for j := range sections[i].steps {
				m.step(&sections[i].steps[j])
			}
		}
	}
	m.broken = m.broken || len(m.flight) > 0
	// The kernel then hands out its LDS.
	for off := 0; off < groupWords; off += groupItems {
		m.step(&groupStep{op: "show", off: off, a: 1, n: groupItems})
	}
}

// randomStep draws a step.
func randomStep(r *rand.Rand) groupStep {
	s := groupStep{op: []string{"copy", "copy", "copy", "wait", "barrier", "read", "read", "write"}[r.IntN(8)], k: r.Uint32()}
	switch s.op {
	case "wait":
		s.slot = r.IntN(groupSlots + 1)
	case "read", "write":
		s.dst, s.n, s.a = side(r.IntN(2)), groupItems+r.IntN(8), 1
		if s.op == "read" {
			s.a = r.IntN(4)
		}
		s.off = r.IntN(groupWords - s.n)
	case "copy":
		s.dim, s.dst, s.slot, s.join = 1+r.IntN(3), side(r.IntN(2)), r.IntN(groupSlots), r.IntN(3) == 0
		s.elems = [3]int{1 + r.IntN(5), 1, 1}
		for d := 1; d < s.dim; d++ {
			s.elems[d] = r.IntN(4)
		}
		for i := range s.box {
			b := box{elem: 1}
			if s.dim == 1 && (i == 0) == (s.dst == global) {
				b.elem = 1 + r.IntN(3)
			}
			b.line = s.elems[0] + r.IntN(3)
			b.plane = s.elems[1]*b.line + r.IntN(3)
			s.box[i] = b
			last := 0
			if w := s.words(i); len(w) > 0 {
				last = slices.Max(w)
			}
			s.box[i].off = r.IntN(groupWords - last)
		}
	}
	return s
}

// randomSections draws a kernel that breaks no rule.
func randomSections(r *rand.Rand) []groupSection {
	var out []groupSection
	all := groupStep{op: "wait", slot: groupSlots}
	barrier := groupStep{op: "barrier"}
	init := groupSection{trips: 1}
	for off := 0; off < groupWords; off += groupItems {
		init.steps = append(init.steps, groupStep{op: "write", off: off, a: 1, n: groupItems, k: r.Uint32()})
	}
	init.steps = append(init.steps, barrier)
	out = append(out, init)
	for range 1 + r.IntN(2) {
		s := groupSection{trips: 1 + r.IntN(3)}
		m := &groupModel{} // as a section begins: nothing in flight, nothing used
		for range 4 + r.IntN(14) {
			step := randomStep(r)
			// An event that is lost can never be waited for.
			if step.op == "copy" && m.slots[step.slot] != 0 {
				step.join = true
			}
			next := *m
			next.flight = slices.Clone(m.flight)
			if next.step(&step); next.broken || next.racy {
				continue
			}
			*m = next
			s.steps = append(s.steps, step)
		}
		s.steps = append(s.steps, all, barrier)
		out = append(out, s)
	}
	return out
}

// eventsOf returns, for each step of each section that waits, which slots of events may hold one then. The others are null
// whenever the kernel comes there, and a wait for a null event is a finding. Null says that a slot is null at a wait in
// one trip, and not in another: the kernel waits for a null event there.
func eventsOf(sections []groupSection) (waits map[[2]int][groupSlots]bool, null bool) {
	waits = make(map[[2]int][groupSlots]bool)
	first := make(map[[2]int][groupSlots]bool)
	var live [groupSlots]bool
	for i := range sections {
		for range sections[i].trips {
			for j := range sections[i].steps {
				switch st := &sections[i].steps[j]; st.op {
				case "copy":
					live[st.slot] = true
				case "wait":
					before, again := first[[2]int{i, j}]
					if !again {
						first[[2]int{i, j}] = live
					}
					at := waits[[2]int{i, j}]
					for k := range live {
						if st.slot == k || st.slot == groupSlots {
							null = null || again && before[k] != live[k]
							at[k] = at[k] || live[k]
							live[k] = false
						}
					}
					waits[[2]int{i, j}] = at
				}
			}
		}
	}
	return waits, null
}

// groupText writes the kernel as SPIR-V with addresses of the given width. It gets the
// global memory of all groups, and a buffer for what work-items added up and, behind
// that, for the LDS of all groups.
func groupText(sections []groupSection, bits int) string {
	w := &assembly{known: map[uint32]bool{}}
	size := func(n int) string {
		w.constant(uint32(n))
		return fmt.Sprintf("%%n%d", n)
	}
	at := func(s side, index string) string {
		if s == local {
			return w.value("OpInBoundsAccessChain %%local %%lds %s", index)
		}
		return w.value("OpInBoundsPtrAccessChain %%global %%part %s", index)
	}
	slot := func(i int) string {
		return w.value("OpInBoundsAccessChain %%private_event %%events %s", w.constant(uint32(i)))
	}
	id := func(v string) string {
		x := w.value("OpCompositeExtract %%size %s 0", w.value("OpLoad %%v3size %s", v))
		if bits == 64 {
			x = w.value("OpUConvert %%uint %s", x)
		}
		return x
	}
	w.line("%%kernel = OpFunction %%void None %%entry")
	w.line("%%mem = OpFunctionParameter %%global")
	w.line("%%out = OpFunctionParameter %%global")
	w.line("%%start = OpLabel")
	w.line("%%events = OpVariable %%private_events Function")
	w.line("%%acc = OpVariable %%private Function")
	w.line("%%trip = OpVariable %%private Function")
	for i := range groupSlots {
		w.line("OpStore %s %%no_event", slot(i))
	}
	events, _ := eventsOf(sections)
	lid, group := id("%lid_var"), id("%group_var")
	w.line("%%part = OpInBoundsPtrAccessChain %%global %%mem %s", w.value("OpIMul %%uint %s %s", group, w.constant(groupWords)))
	item := w.value("OpIAdd %%uint %s %s", w.value("OpIMul %%uint %s %s", group, w.constant(groupItems)), lid)
	w.line("OpStore %%acc %s", item)
	load := func(p string) string { return w.value("OpLoad %%uint %s", p) }
	for i := range sections {
		s := &sections[i]
		w.line("OpStore %%trip %s", w.constant(0))
		w.line("OpBranch %%head%d", i)
		w.line("%%head%d = OpLabel", i)
		w.line("OpBranchConditional %s %%body%d %%next%d", w.value("OpULessThan %%bool %s %s", load("%trip"), w.constant(uint32(s.trips))), i, i)
		w.line("%%body%d = OpLabel", i)
		for j := range s.steps {
			st := &s.steps[j]
			switch st.op {
			case "barrier":
				w.line("OpControlBarrier %s %s %s", w.constant(2), w.constant(2), w.constant(0x310))
			case "wait":
				live := events[[2]int{i, j}]
				for first := 0; first < groupSlots; first++ {
					n := 0
					for first+n < groupSlots && live[first+n] {
						n++
					}
					if n == 0 {
						continue
					}
					w.line("OpGroupWaitEvents %s %s %s", w.constant(2), w.constant(uint32(n)), slot(first))
					for k := range n {
						w.line("OpStore %s %%no_event", slot(first+k))
					}
					first += n - 1
				}
			case "copy":
				event := "%no_event"
				if st.join {
					event = w.value("OpLoad %%event %s", slot(st.slot))
				}
				base := [2]string{local: w.value("OpInBoundsAccessChain %%local %%lds %s", w.constant(0)), global: "%part"}
				dst, src := st.box[0], st.box[1]
				var r string
				switch st.dim {
				case 1:
					r = w.value("OpGroupAsyncCopy %%event %s %s %s %s %s %s", w.constant(2),
						at(st.dst, w.constant(uint32(dst.off))), at(1-st.dst, w.constant(uint32(src.off))),
						size(st.elems[0]), size(max(dst.elem, src.elem)), event)
				case 2:
					r = w.value("OpExtInst %%event %%copies 1 %s %s %s %s %s %s %s %s %s %s", base[st.dst], size(dst.off), base[1-st.dst], size(src.off),
						size(4), size(st.elems[0]), size(st.elems[1]), size(src.line), size(dst.line), event)
				case 3:
					r = w.value("OpExtInst %%event %%copies 2 %s %s %s %s %s %s %s %s %s %s %s %s %s", base[st.dst], size(dst.off), base[1-st.dst], size(src.off),
						size(4), size(st.elems[0]), size(st.elems[1]), size(st.elems[2]), size(src.line), size(src.plane), size(dst.line), size(dst.plane), event)
				}
				w.line("OpStore %s %s", slot(st.slot), r)
			default:
				x := w.value("OpUMod %%uint %s %s", w.value("OpIMul %%uint %s %s", lid, w.constant(uint32(st.a))), w.constant(uint32(st.n)))
				p := at(st.dst, w.value("OpIAdd %%uint %s %s", x, w.constant(uint32(st.off))))
				if st.op == "write" {
					w.line("OpStore %s %s", p, w.value("OpBitwiseXor %%uint %s %s", load("%acc"), w.constant(st.k)))
					break
				}
				sum := w.value("OpIAdd %%uint %s %s", w.value("OpIMul %%uint %s %s", load("%acc"), w.constant(31)), load(p))
				w.line("OpStore %%acc %s", w.value("OpIAdd %%uint %s %s", sum, w.constant(st.k)))
			}
		}
		w.line("OpStore %%trip %s", w.value("OpIAdd %%uint %s %s", load("%trip"), w.constant(1)))
		w.line("OpBranch %%head%d", i)
		w.line("%%next%d = OpLabel", i)
	}
	w.line("OpStore %s %s", w.value("OpInBoundsPtrAccessChain %%global %%out %s", item), load("%acc"))
	dump := w.value("OpIAdd %%uint %s %s", w.value("OpIMul %%uint %s %s", group, w.constant(groupWords)), w.constant(2*groupItems))
	for off := 0; off < groupWords; off += groupItems {
		i := w.value("OpIAdd %%uint %s %s", lid, w.constant(uint32(off)))
		w.line("OpStore %s %s", w.value("OpInBoundsPtrAccessChain %%global %%out %s", w.value("OpIAdd %%uint %s %s", dump, i)), load(at(local, i)))
	}
	w.line("OpReturn")
	w.line("OpFunctionEnd")
	return groupHead(w, bits) + w.b.String()
}

// groupHead declares what the kernel uses.
func groupHead(w *assembly, bits int) string {
	w.constant(groupWords)
	w.constant(groupSlots)
	var head strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&head, format+"\n", args...) }
	line("OpCapability Addresses\nOpCapability Kernel")
	if bits == 64 {
		line("OpCapability Int64")
	}
	line(`%%copies = OpExtInstImport "NonSemantic.Codeplay.GroupAsyncCopies"`)
	line("OpMemoryModel Physical%d OpenCL", bits)
	line(`OpEntryPoint Kernel %%kernel "kernel" %%lid_var %%group_var`)
	line("OpDecorate %%lid_var BuiltIn LocalInvocationId\nOpDecorate %%group_var BuiltIn WorkgroupId")
	line("%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%event = OpTypeEvent\n%%uint = OpTypeInt 32 0")
	name := "%uint"
	if bits == 64 {
		line("%%ulong = OpTypeInt 64 0")
		name = "%ulong"
	}
	text := strings.NewReplacer("%size", name)
	for _, k := range w.consts {
		line("%%k%d = OpConstant %%uint %d", k, k)
		line("%s", text.Replace(fmt.Sprintf("%%n%d = OpConstant %%size %d", k, k)))
	}
	line("%s", text.Replace(fmt.Sprintf(`%%v3size = OpTypeVector %%size 3
%%in_v3size = OpTypePointer Input %%v3size
%%global = OpTypePointer CrossWorkgroup %%uint
%%local = OpTypePointer Workgroup %%uint
%%private = OpTypePointer Function %%uint
%%private_event = OpTypePointer Function %%event
%%event_array = OpTypeArray %%event %%k%d
%%private_events = OpTypePointer Function %%event_array
%%words = OpTypeArray %%uint %%k%d
%%local_words = OpTypePointer Workgroup %%words
%%entry = OpTypeFunction %%void %%global %%global
%%no_event = OpConstantNull %%event
%%lid_var = OpVariable %%in_v3size Input
%%group_var = OpVariable %%in_v3size Input
%%lds = OpVariable %%local_words Workgroup`, groupSlots, groupWords)))
	body := text.Replace(w.b.String())
	w.b.Reset()
	w.b.WriteString(body)
	return head.String()
}

// groupCase makes the case of a kernel, with what the model says of two groups.
func groupCase(name string, sections []groupSection, bits int, r *rand.Rand) (c *Case, broken, racy bool) {
	var mem, wantMem, wantOut, dump []byte
	for g := range 2 {
		m := &groupModel{}
		for i := range m.memory[global] {
			m.memory[global][i] = r.Uint32()
			mem = binary.LittleEndian.AppendUint32(mem, m.memory[global][i])
		}
		for i := range m.acc {
			m.acc[i] = uint32(g*groupItems + i)
		}
		m.run(sections)
		broken, racy = broken || m.broken, racy || m.racy
		for i := range groupWords {
			wantMem = binary.LittleEndian.AppendUint32(wantMem, m.memory[global][i])
			dump = binary.LittleEndian.AppendUint32(dump, m.memory[local][i])
		}
		for _, x := range m.acc {
			wantOut = binary.LittleEndian.AppendUint32(wantOut, x)
		}
	}
	wantOut = append(wantOut, dump...)
	list := func(b []byte) string { return "buf:u32:" + string(argspec.AppendList(nil, argspec.U32, b)) }
	return &Case{
		Name: name, Title: "a random kernel with group copies", Text: groupText(sections, bits), Check: ChecksOn,
		Steps: []Step{{Launches: []Launch{{
			Kernel: "kernel", Global: []uint64{2 * groupItems}, Local: []uint64{groupItems},
			Args:   []string{list(mem), fmt.Sprintf("zero:u32:%d", len(wantOut)/4)},
			Expect: []Expect{{Arg: 0, What: list(wantMem)}, {Arg: 1, What: list(wantOut)}},
		}}}},
	}, broken, racy
}

// asyncMatrix has every completion, for sub-groups and waves that are wide and narrow.
func asyncMatrix(seed uint64) *Matrix {
	return &Matrix{Engines: engines(), SubGroups: []int{1, 8}, Waves: []int{0, 1}, Workers: []int{1},
		Schedules: []emu.Schedule{{}, {Completion: emu.CompleteLate}, {Completion: emu.CompletePaced}, seeded(seed), {Order: emu.Reverse, Completion: emu.CompleteSeeded, Seed: seed}}}
}

// wantPass runs a case that must pass.
func wantPass(t *testing.T, c *Case, m *Matrix) {
	t.Helper()
	report, err := Run(context.Background(), []*Case{c}, Options{Matrix: m, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		var b bytes.Buffer
		if err := report.WriteText(&b, false); err != nil {
			t.Fatal(err)
		}
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s: %s", c.Name, &b)
	}
}

// wantFinding runs a case of which a finding must be made in every configuration whose code
// begins with one of those given.
func wantFinding(t *testing.T, c *Case, m *Matrix, what string, codes ...string) {
	t.Helper()
	r, err := c.resolve()
	if err != nil {
		t.Fatal(err)
	}
	trial := &trial{resolved: r, loader: &loader{}, check: true, timeout: defaultTimeout}
	defer trial.loader.close()
	if err := trial.prepare(); err != nil {
		t.Fatal(err)
	}
	for _, cfg := range m.Configs(c) {
		out, err := trial.launch(context.Background(), cfg)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if !slices.ContainsFunc(out.findings, func(f finding.Finding) bool {
			return slices.ContainsFunc(codes, func(code string) bool { return strings.HasPrefix(string(f.Code), code) })
		}) {
			var b bytes.Buffer
			if err := c.Write(&b); err != nil {
				t.Fatal(err)
			}
			t.Fatalf("%s, %s: nothing is reported with %v\n%s", c.Name, what, cfg, &b)
		}
	}
}

// testGroupCopies runs the random kernel of a seed, and the same without one of its waits
// or barriers where that breaks a rule. It says whether it did.
func testGroupCopies(t *testing.T, seed uint64) (broken bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	sections := randomSections(r)
	bits := 32 + 32*int(seed%2)
	name := fmt.Sprintf("group-copies-%d", seed)
	c, bad, racy := groupCase(name, sections, bits, r)
	if bad || racy {
		t.Fatalf("%s: the generator broke a rule", name)
	}
	m := asyncMatrix(seed)
	wantPass(t, c, m)

	type place struct{ section, step int }
	var places []place
	for i := range sections {
		for j := range sections[i].steps {
			if op := sections[i].steps[j].op; op == "wait" || op == "barrier" {
				places = append(places, place{i, j})
			}
		}
	}
	p := places[r.IntN(len(places))]
	gone := sections[p.section].steps[p.step].op
	sections[p.section].steps = slices.Delete(slices.Clone(sections[p.section].steps), p.step, p.step+1)
	c, broken, racy = groupCase(name, sections, bits, r)
	what := fmt.Sprintf("%s %d of section %d", gone, p.step, p.section)
	switch {
	case broken:
		wantFinding(t, c, m, "without "+what, "E-ASYNC")
	case !racy:
		c.Name += ", without " + what
		if _, null := eventsOf(sections); null {
			c.Check = ChecksOff
		}
		wantPass(t, c, m)
	}
	return broken
}

// randomCopies runs a test for kernels of fixed seeds. It says of each whether the
// kernel breaks a rule once something is left out, which at least one in share is
// to do: otherwise the seeds show little.
func randomCopies(t *testing.T, test func(t *testing.T, seed uint64) (broken bool), share int, left string) {
	n := uint64(amount(15, 30, 80))
	broken := 0
	for seed := range n {
		if test(t, seed) {
			broken++
		}
	}
	if broken < int(n)/share {
		t.Errorf("only %d of %d kernels break a rule without a %s", broken, n, left)
	}
}

// TestRandomGroupCopies runs kernels of fixed seeds; FuzzGroupCopies tries others.
func TestRandomGroupCopies(t *testing.T) {
	randomCopies(t, testGroupCopies, 4, "wait or a barrier")
}

func FuzzGroupCopies(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { testGroupCopies(t, seed) })
}
