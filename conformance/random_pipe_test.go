package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Random networks of kernels that pipes connect. Each pipe has one writer and one reader,
// and all wait until they get what they want, so that a network has one right result,
// whoever runs when (a Kahn process network). The generator makes one execution of all
// kernels, step by step, which shows that a network comes to its end; a model runs it with
// values. Then one step is made wrong, which lockstep must find.

const (
	netWords = 16  // of the largest packet
	netSlots = 3   // reservations that a kernel holds at a time
	netLanes = 4   // work-items of a kernel that works as a group
	netTries = 800 // of all loops of a kernel, where something is wrong
	netHost  = -1
)

// netChannel is a pipe.
type netChannel struct {
	words, capacity int
	writer, reader  int // kernels, or netHost
}

// host says that the host makes the pipe.
func (c *netChannel) host() bool { return c.writer == netHost || c.reader == netHost }

// netStep is a step of one kernel.
type netStep struct {
	kernel, channel int
	op              string // "read", "write", "reserve" or "commit"
	write           bool   // of a reserve or commit
	n               int    // packets of a reserve
	slot            int    // of a reserve or commit
	scope           int    // 0 of the work-item, 2 and 3 as in SPIR-V
	blocking        bool   // of a read or write
	order           []int  // of the packets of a reserve; of a group, the first lane's
	k               uint32
	wrong           string // what is wrong with the step, on purpose
}

// network is kernels and pipes, and an execution that they can have.
type network struct {
	lanes    []int // of each kernel
	channels []netChannel
	trace    []netStep
	trips    int  // of the trace
	starve   int  // channel that its reader reads once more at the end; -1 for none
	bounded  bool // those who try give up in the end
}

// netPacket is a packet in the model.
type netPacket [netWords]uint32

// netPipe is a pipe in the model: packets are numbered, as in the pipe's life.
type netPipe struct {
	done, read, written, reserved int
	packets                       map[int]netPacket
	held                          []*netHold
}

// netHold is a reservation.
type netHold struct {
	write     bool
	first, n  int
	committed bool
}

func (p *netPipe) room(capacity int) int { return p.done + capacity - p.reserved }
func (p *netPipe) ready() int            { return p.written - p.read }

// hold takes packets or room for them, which must be there.
func (p *netPipe) hold(write bool, n int) *netHold {
	h := &netHold{write: write, first: p.read, n: n}
	if write {
		h.first = p.reserved
		p.reserved += n
	} else {
		p.read += n
	}
	p.held = append(p.held, h)
	return h
}

// commit ends a reservation.
func (p *netPipe) commit(h *netHold) {
	h.committed = true
	for _, write := range []bool{false, true} {
		for {
			i := slices.IndexFunc(p.held, func(h *netHold) bool { return h.write == write })
			if i < 0 || !p.held[i].committed {
				break
			}
			if write {
				p.written += p.held[i].n
			} else {
				p.done += p.held[i].n
			}
			p.held = slices.Delete(p.held, i, i+1)
		}
	}
}

// netModel runs the trace.
type netModel struct {
	net     *network
	pipes   []netPipe
	slots   [][netSlots]*netHold // by kernel
	acc     [][netLanes]uint32
	feed    uint32   // the next word of what the host writes
	fed     []uint32 // what the host wrote
	drained []uint32 // what the host read
}

func newNetModel(n *network) *netModel {
	m := &netModel{net: n, pipes: make([]netPipe, len(n.channels)), slots: make([][netSlots]*netHold, len(n.lanes)), acc: make([][netLanes]uint32, len(n.lanes)), feed: 7}
	for i := range m.pipes {
		m.pipes[i].packets = map[int]netPacket{}
	}
	for i := range m.acc {
		for j := range m.acc[i] {
			m.acc[i][j] = uint32(100*i + j)
		}
	}
	return m
}

// can says whether a step can be made now.
func (m *netModel) can(s *netStep) bool {
	p, c := &m.pipes[s.channel], &m.net.channels[s.channel]
	switch s.op {
	case "read":
		return p.ready() >= 1
	case "write":
		return p.room(c.capacity) >= 1
	case "reserve":
		if m.slots[s.kernel][s.slot] != nil {
			return false
		}
		if s.write {
			return p.room(c.capacity) >= s.n
		}
		return p.ready() >= s.n
	}
	return m.slots[s.kernel][s.slot] != nil
}

// step makes a step that can be made.
func (m *netModel) step(s *netStep) {
	p, words := &m.pipes[s.channel], m.net.channels[s.channel].words
	switch s.op {
	case "read", "write":
		h := p.hold(s.op == "write", 1)
		switch {
		case s.kernel == netHost && h.write:
			var packet netPacket
			for i := range words {
				m.feed = m.feed*1664525 + 1013904223
				packet[i] = m.feed
				m.fed = append(m.fed, m.feed)
			}
			p.packets[h.first] = packet
		case s.kernel == netHost:
			packet := p.packets[h.first]
			m.drained = append(m.drained, packet[:words]...)
		default:
			m.move(s, h, 0, 0)
		}
		p.commit(h)
	case "reserve":
		h := p.hold(s.write, s.n)
		m.slots[s.kernel][s.slot] = h
		if m.net.lanes[s.kernel] > 1 {
			for lane := range netLanes {
				m.move(s, h, (lane+s.order[0])%netLanes, lane)
			}
			break
		}
		for _, i := range s.order {
			m.move(s, h, i, 0)
		}
	case "commit":
		p.commit(m.slots[s.kernel][s.slot])
		m.slots[s.kernel][s.slot] = nil
	}
}

// move moves packet i of a reservation to or from a lane's sum.
func (m *netModel) move(s *netStep, h *netHold, i, lane int) {
	p, words, acc := &m.pipes[s.channel], m.net.channels[s.channel].words, &m.acc[s.kernel][lane]
	var packet netPacket
	if h.write {
		for j := range words {
			packet[j] = *acc ^ (s.k + uint32(j)*77)
		}
		p.packets[h.first+i] = packet
		*acc += s.k
		return
	}
	packet = p.packets[h.first+i]
	for j := range words {
		*acc = *acc*31 + packet[j]
	}
	*acc += s.k
}

// randomNetwork draws a network.
func randomNetwork(r *rand.Rand) *network {
	n := &network{trips: 1 + r.IntN(4), starve: -1, lanes: make([]int, 2+r.IntN(4))}
	kernels := len(n.lanes)
	for i := range n.lanes {
		if n.lanes[i] = 1; r.IntN(4) == 0 {
			n.lanes[i] = netLanes
		}
	}
	channel := func(writer, reader int) {
		c := netChannel{words: []int{1, 1, 2, 3, 5, netWords}[r.IntN(6)], capacity: 1 + r.IntN(3), writer: writer, reader: reader}
		if r.IntN(3) == 0 {
			c.capacity += r.IntN(12)
		}
		for _, k := range []int{writer, reader} {
			if k != netHost && n.lanes[k] > 1 {
				c.capacity += netLanes // so that it can be filled up to whole groups
			}
		}
		n.channels = append(n.channels, c)
	}
	for i := range kernels - 1 {
		channel(i, i+1)
	}
	for range r.IntN(kernels + 1) {
		channel(r.IntN(kernels), r.IntN(kernels))
	}
	if r.IntN(2) == 0 {
		channel(netHost, r.IntN(kernels))
	}
	if r.IntN(2) == 0 {
		channel(r.IntN(kernels), netHost)
	}
	m := newNetModel(n)
	take := func(s netStep) bool {
		if !m.can(&s) {
			return false
		}
		m.step(&s)
		n.trace = append(n.trace, s)
		return true
	}
	for range 20 + r.IntN(60) {
		take(n.randomStep(r, r.IntN(len(n.channels)), r.IntN(2) == 0))
		if k := r.IntN(kernels); r.IntN(2) == 0 {
			n.commit(m, k, r.IntN(netSlots), take)
		}
	}
	// In the end nothing is held and all pipes are empty.
	for k := range kernels {
		for slot := range netSlots {
			n.commit(m, k, slot, take)
		}
	}
	for i := range n.channels {
		for m.pipes[i].ready() > 0 {
			for _, write := range []bool{false, true} {
				s := n.randomStep(r, i, write)
				if s.op == "reserve" {
					s.slot = 0
				}
				if s.op == "commit" {
					continue
				}
				if taken := take(s); taken && s.op == "reserve" {
					n.commit(m, s.kernel, 0, take)
				} else if !taken {
					continue
				}
				break
			}
		}
	}
	return n
}

// commit commits what a kernel holds in a slot.
func (n *network) commit(m *netModel, kernel, slot int, take func(netStep) bool) {
	h := m.slots[kernel][slot]
	if h == nil {
		return
	}
	for i := range m.pipes {
		if slices.Contains(m.pipes[i].held, h) {
			s := netStep{kernel: kernel, channel: i, op: "commit", write: h.write, slot: slot}
			for j := range n.trace { // the last reservation in the slot
				if t := &n.trace[j]; t.kernel == kernel && t.op == "reserve" && t.slot == slot {
					s.scope = t.scope
				}
			}
			take(s)
			return
		}
	}
}

// randomStep draws a step at one end of a channel.
func (n *network) randomStep(r *rand.Rand, channel int, write bool) netStep {
	c := &n.channels[channel]
	s := netStep{channel: channel, kernel: c.reader, op: "read", k: r.Uint32(), write: write}
	if write {
		s.kernel, s.op = c.writer, "write"
	}
	switch {
	case s.kernel == netHost:
		return s
	case n.lanes[s.kernel] > 1:
		s.op, s.n, s.scope, s.order = "reserve", netLanes, 2, []int{r.IntN(netLanes)}
	case r.IntN(3) == 0:
		s.op, s.n, s.scope = "reserve", 1+r.IntN(min(c.capacity, 5)), []int{0, 2, 3}[r.IntN(3)]
		s.order = r.Perm(s.n)
	default:
		s.blocking = r.IntN(2) == 0
	}
	s.slot = r.IntN(netSlots)
	return s
}

// text writes the kernels. Each gets the host's pipes among its channels, in order, and
// a buffer for its sums.
func (n *network) text() string {
	var head, types strings.Builder
	w := &assembly{known: map[uint32]bool{}}
	for k := range n.lanes {
		n.kernelText(w, &types, k)
	}
	head.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Groups\nOpCapability Int64\nOpCapability GenericPointer\nOpCapability Pipes\nOpCapability PipeStorage\nOpCapability BlockingPipesINTEL\n")
	head.WriteString("OpExtension \"SPV_INTEL_blocking_pipes\"\nOpMemoryModel Physical64 OpenCL\n")
	for k := range n.lanes {
		fmt.Fprintf(&head, "OpEntryPoint Kernel %%kernel%d \"kernel%d\" %%lid_var\n", k, k)
	}
	w.constant(netWords)
	head.WriteString("OpDecorate %lid_var BuiltIn LocalInvocationId\n%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%v3ulong = OpTypeVector %ulong 3\n%in_v3ulong = OpTypePointer Input %v3ulong\n")
	for _, k := range w.consts {
		fmt.Fprintf(&head, "%%k%d = OpConstant %%uint %d\n", k, k)
	}
	fmt.Fprintf(&head, "%%array = OpTypeArray %%uint %%k%d\n", netWords)
	head.WriteString("%private_array = OpTypePointer Function %array\n%private = OpTypePointer Function %uint\n%generic = OpTypePointer Generic %uint\n%global = OpTypePointer CrossWorkgroup %uint\n")
	head.WriteString("%read = OpTypePipe ReadOnly\n%write = OpTypePipe WriteOnly\n%reserve = OpTypeReserveId\n%private_reserve = OpTypePointer Function %reserve\n%storage = OpTypePipeStorage\n")
	for i := range n.channels {
		if c := &n.channels[i]; !c.host() {
			fmt.Fprintf(&head, "%%pipe%d = OpConstantPipeStorage %%storage %d 4 %d\n", i, 4*c.words, c.capacity)
		}
	}
	head.WriteString("%lid_var = OpVariable %in_v3ulong Input\n")
	seen := map[string]bool{}
	for line := range strings.Lines(types.String()) { // no type twice
		if !seen[line] {
			seen[line] = true
			head.WriteString(line)
		}
	}
	return head.String() + w.b.String()
}

// kernelText writes one kernel.
func (n *network) kernelText(w *assembly, types *strings.Builder, kernel int) {
	name, params := "%fn", ""
	var made []string
	for i := range n.channels {
		c := &n.channels[i]
		for _, end := range []struct {
			kernel int
			typ    string
		}{{c.reader, "read"}, {c.writer, "write"}} {
			if end.kernel == kernel && c.host() {
				name += "_" + end.typ
				params += " %" + end.typ
				made = append(made, fmt.Sprintf("%%%s%d_%d = OpFunctionParameter %%%s", end.typ, i, kernel, end.typ))
			}
		}
	}
	fmt.Fprintf(types, "%s = OpTypeFunction %%void%s %%global\n", name, params)
	w.line("%%kernel%d = OpFunction %%void None %s", kernel, name)
	for _, p := range made {
		w.line("%s", p)
	}
	w.line("%%out%d = OpFunctionParameter %%global\n%%start%d = OpLabel", kernel, kernel)
	local := func(s string) string { return fmt.Sprintf("%%%s_%d", s, kernel) }
	w.line("%s = OpVariable %%private_array Function", local("packet"))
	for _, v := range []string{"acc", "trip", "tries"} {
		w.line("%s = OpVariable %%private Function", local(v))
	}
	for i := range netSlots {
		w.line("%s = OpVariable %%private_reserve Function", local(fmt.Sprintf("slot%d", i)))
	}
	for i := range n.channels {
		c := &n.channels[i]
		if c.host() {
			continue
		}
		if c.reader == kernel {
			w.line("%%read%d_%d = OpCreatePipeFromPipeStorage %%read %%pipe%d", i, kernel, i)
		}
		if c.writer == kernel {
			w.line("%%write%d_%d = OpCreatePipeFromPipeStorage %%write %%pipe%d", i, kernel, i)
		}
	}
	lid := w.value("OpUConvert %%uint %s", w.value("OpCompositeExtract %%ulong %s 0", w.value("OpLoad %%v3ulong %%lid_var")))
	t := &netText{assembly: w, n: n, kernel: kernel, lid: lid, local: local}
	word := w.value("OpInBoundsAccessChain %%private %s %s", local("packet"), w.constant(0))
	t.pointer = w.value("OpPtrCastToGeneric %%generic %s", word)
	w.line("OpStore %s %s", local("acc"), w.value("OpIAdd %%uint %s %s", lid, w.constant(uint32(100*kernel))))
	w.line("OpStore %s %s", local("trip"), w.constant(0))
	w.line("OpStore %s %s", local("tries"), w.constant(0))
	w.line("OpBranch %%head%d\n%%head%d = OpLabel", kernel, kernel)
	w.line("OpBranchConditional %s %%body%d %%last%d", w.value("OpULessThan %%bool %s %s", t.load("trip"), w.constant(uint32(n.trips))), kernel, kernel)
	w.line("%%body%d = OpLabel", kernel)
	for i := range n.trace {
		if n.trace[i].kernel == kernel {
			t.step(&n.trace[i])
		}
	}
	w.line("OpStore %s %s", local("trip"), w.value("OpIAdd %%uint %s %s", t.load("trip"), w.constant(1)))
	w.line("OpBranch %%head%d\n%%last%d = OpLabel", kernel, kernel)
	if n.starve >= 0 && n.channels[n.starve].reader == kernel {
		t.step(&netStep{kernel: kernel, channel: n.starve, op: "read", blocking: true})
	}
	w.line("OpStore %s %s", w.value("OpInBoundsPtrAccessChain %%global %%out%d %s", kernel, lid), t.load("acc"))
	w.line("OpBranch %%end%d\n%%end%d = OpLabel\nOpReturn\nOpFunctionEnd", kernel, kernel)
}

// netText writes the steps of a kernel.
type netText struct {
	*assembly
	n       *network
	kernel  int
	lid     string
	pointer string // to the packet
	local   func(string) string
}

func (t *netText) load(v string) string { return t.value("OpLoad %%uint %s", t.local(v)) }

// step writes one step.
func (t *netText) step(s *netStep) {
	c := &t.n.channels[s.channel]
	write := s.write || s.op == "write"
	pipe, end := fmt.Sprintf("%%read%d_%d", s.channel, t.kernel), "Read"
	if write {
		pipe, end = fmt.Sprintf("%%write%d_%d", s.channel, t.kernel), "Write"
	}
	size := t.constant(uint32(4*c.words)) + " " + t.constant(4)
	if s.wrong == "size" {
		size = t.constant(uint32(4*c.words+4)) + " " + t.constant(4)
	}
	group, scope := "", ""
	if s.scope != 0 {
		group, scope = "Group", t.constant(uint32(s.scope))+" "
	}
	slot := t.local(fmt.Sprintf("slot%d", s.slot))
	switch s.op {
	case "read", "write":
		if write {
			t.make(s, c)
		}
		if s.blocking {
			t.line("Op%sPipeBlockingINTEL %s %s %s", end, pipe, t.pointer, size)
		} else {
			t.try(func() string {
				return t.value("OpIEqual %%bool %s %s", t.value("Op%sPipe %%uint %s %s %s", end, pipe, t.pointer, size), t.constant(0))
			})
		}
		if !write {
			t.take(s, c)
		}
	case "reserve":
		t.try(func() string {
			id := t.value("Op%sReserve%sPipePackets %%reserve %s%s %s %s", group, end, scope, pipe, t.constant(uint32(s.n)), size)
			t.line("OpStore %s %s", slot, id)
			return t.value("OpIsValidReserveId %%bool %s", id)
		})
		id := t.value("OpLoad %%reserve %s", slot)
		for _, i := range s.order {
			index := t.constant(uint32(i))
			if s.wrong == "index" {
				index = t.constant(uint32(i + s.n))
			} else if t.n.lanes[t.kernel] > 1 {
				index = t.value("OpUMod %%uint %s %s", t.value("OpIAdd %%uint %s %s", t.lid, index), t.constant(netLanes))
			}
			if write {
				t.make(s, c)
			}
			if s.wrong != "unwritten" {
				t.value("OpReserved%sPipe %%uint %s %s %s %s %s", end, pipe, id, index, t.pointer, size)
			}
			if !write {
				t.take(s, c)
			}
		}
	case "commit":
		id := t.value("OpLoad %%reserve %s", slot)
		times := map[string]int{"": 1, "size": 1, "twice": 2}[s.wrong]
		for range times {
			t.line("Op%sCommit%sPipe %s%s %s %s", group, end, scope, pipe, id, size)
		}
		if s.wrong == "late" {
			t.line("Op%sCommit%sPipe %s%s %s %s", group, end, scope, pipe, id, size)
			t.value("OpReserved%sPipe %%uint %s %s %s %s %s", end, pipe, id, t.constant(0), t.pointer, size)
		}
	}
}

// try writes what is done until it succeeds; in a network where something is wrong, for a
// number of times, after which the kernel ends.
func (t *netText) try(do func() string) {
	t.next++
	n := t.next
	t.line("OpBranch %%try%d\n%%try%d = OpLabel", n, n)
	ok := do()
	if !t.n.bounded {
		t.line("OpBranchConditional %s %%done%d %%try%d", ok, n, n)
	} else {
		t.line("OpBranchConditional %s %%done%d %%again%d\n%%again%d = OpLabel", ok, n, n, n)
		tries := t.value("OpIAdd %%uint %s %s", t.load("tries"), t.constant(1))
		t.line("OpStore %s %s", t.local("tries"), tries)
		t.line("OpBranchConditional %s %%try%d %%end%d", t.value("OpULessThan %%bool %s %s", tries, t.constant(netTries)), n, t.kernel)
	}
	t.line("%%done%d = OpLabel", n)
}

// word is a pointer to a word of the packet.
func (t *netText) word(i int) string {
	return t.value("OpInBoundsAccessChain %%private %s %s", t.local("packet"), t.constant(uint32(i)))
}

// make makes the packet from the sum.
func (t *netText) make(s *netStep, c *netChannel) {
	for i := range c.words {
		t.line("OpStore %s %s", t.word(i), t.value("OpBitwiseXor %%uint %s %s", t.load("acc"), t.constant(s.k+uint32(i)*77)))
	}
	t.line("OpStore %s %s", t.local("acc"), t.value("OpIAdd %%uint %s %s", t.load("acc"), t.constant(s.k)))
}

// take adds the packet to the sum.
func (t *netText) take(s *netStep, c *netChannel) {
	for i := range c.words {
		sum := t.value("OpIMul %%uint %s %s", t.load("acc"), t.constant(31))
		t.line("OpStore %s %s", t.local("acc"), t.value("OpIAdd %%uint %s %s", sum, t.value("OpLoad %%uint %s", t.word(i))))
	}
	t.line("OpStore %s %s", t.local("acc"), t.value("OpIAdd %%uint %s %s", t.load("acc"), t.constant(s.k)))
}

// netCase makes the case of a network with what the model says.
func (n *network) netCase(t *testing.T, name string) *Case {
	t.Helper()
	m := newNetModel(n)
	for range n.trips {
		for i := range n.trace {
			s := &n.trace[i]
			if !m.can(s) {
				t.Fatalf("%s: step %d of the trace cannot be made", name, i)
			}
			m.step(s)
		}
	}
	c := &Case{Name: name, Title: "a random network", Text: n.text(), Check: ChecksOn, Steps: make([]Step, 1)}
	step := &c.Steps[0]
	words := func(v []uint32) string {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		if len(b) == 0 {
			return none
		}
		return "buf:u32:" + string(argspec.AppendList(nil, argspec.U32, b))
	}
	step.Launches = make([]Launch, len(n.lanes))
	for k := range n.lanes {
		size := []uint64{uint64(n.lanes[k])}
		step.Launches[k] = Launch{Kernel: fmt.Sprintf("kernel%d", k), Global: size, Local: size}
	}
	for i := range n.channels {
		ch := &n.channels[i]
		if !ch.host() {
			continue
		}
		p := Pipe{Name: fmt.Sprintf("p%d", i), PacketBytes: uint32(4 * ch.words), Capacity: uint32(ch.capacity)}
		c.Pipes = append(c.Pipes, p)
		l := max(ch.reader, ch.writer)
		step.Launches[l].Args = append(step.Launches[l].Args, pipePrefix+p.Name)
		if ch.writer == netHost {
			step.Feed = append(step.Feed, Packets{p.Name, words(m.fed)})
		} else {
			step.Drain = append(step.Drain, p.Name)
			step.Packets = append(step.Packets, Packets{p.Name, words(m.drained)})
		}
	}
	for k := range n.lanes {
		l := &step.Launches[k]
		l.Args = append(l.Args, fmt.Sprintf("zero:u32:%d", n.lanes[k]))
		l.Expect = []Expect{{Arg: len(l.Args) - 1, What: words(m.acc[k][:n.lanes[k]])}}
	}
	return c
}

// spoil makes one step wrong, and returns what is wrong and the codes of which one is
// to be found; none when nothing suits.
func (n *network) spoil(r *rand.Rand) (what string, codes []string) {
	n.bounded = true
	what = []string{"size", "index", "twice", "late", "open", "unwritten", "starve"}[r.IntN(7)]
	if what == "starve" {
		var suits []int
		for i, c := range n.channels {
			if c.reader != netHost && n.lanes[c.reader] == 1 {
				suits = append(suits, i)
			}
		}
		if len(suits) == 0 {
			return what, nil
		}
		n.starve = suits[r.IntN(len(suits))]
		return what, []string{"E-PIPEDEADLOCK"}
	}
	var suits []int
	for i, s := range n.trace {
		ok := s.kernel != netHost
		switch what {
		case "index":
			ok = ok && s.op == "reserve"
		case "unwritten":
			ok = ok && s.op == "reserve" && s.write
		case "twice", "late", "open":
			ok = ok && s.op == "commit"
		}
		if ok {
			suits = append(suits, i)
		}
	}
	if len(suits) == 0 {
		return what, nil
	}
	at := suits[r.IntN(len(suits))]
	n.trace[at].wrong = what
	return fmt.Sprintf("%s at step %d", what, at), map[string][]string{
		"size": {"E-PIPESIZE"}, "index": {"E-PIPEINDEX"}, "twice": {"E-PIPERESERVE"}, "late": {"E-PIPERESERVE"},
		"open": {"E-PIPEOPEN", "E-PIPEDEADLOCK"}, "unwritten": {"E-PIPEUNWRITTEN"},
	}[what]
}

// testNetwork runs the random network of a seed, and the same with one step that is
// wrong. It says what was.
func testNetwork(t *testing.T, seed uint64) (wrong string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	n := randomNetwork(r)
	c := n.netCase(t, fmt.Sprintf("network-%d", seed))
	m := &Matrix{Engines: engines(), SubGroups: []int{1, 8}, Waves: []int{0, 1}, Workers: []int{1},
		Schedules: []emu.Schedule{{}, {Order: emu.Reverse}, seeded(seed), seeded(seed + 1)}}
	wantPass(t, c, m)
	what, codes := n.spoil(r)
	if codes == nil {
		return ""
	}
	c.Text = n.text()
	m.SubGroups, m.Waves, m.Schedules = m.SubGroups[1:], m.Waves[:1], []emu.Schedule{{}, seeded(seed)}
	wantFinding(t, c, m, what, codes...)
	return strings.Fields(what)[0]
}

// TestRandomNetworks runs networks of fixed seeds; FuzzNetworks tries others.
func TestRandomNetworks(t *testing.T) {
	n := uint64(amount(6, 25, 60))
	found := map[string]int{}
	for seed := range n {
		found[testNetwork(t, seed)]++
	}
	if n >= 25 && len(found) < 8 {
		t.Errorf("not everything went wrong once: %v", found)
	}
}

func FuzzNetworks(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { testNetwork(t, seed) })
}
