package interp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// The oracle below runs random programs of pipe instructions lane by lane, with
// pipes that are lists of packets. A program is a list of steps; which lanes run
// a step, and with which operands, is in tables in memory.

const (
	oraclePrivate = 72 // bytes of a lane's private memory
	oracleLDS     = 600
	oracleGlobal  = 2000
	oracleSlots   = 3 // registers for reservations
	oracleLaunch  = 2
	oracleGroup   = 5
)

// oraclePipe is a pipe in the plainest way: its packets in order, each with what is
// being done to it.
type oraclePipe struct {
	pipe           *memory.Pipe
	capacity, size int
	packets        []*oraclePacket
	serial         uint64
	reservations   map[uint64]*oracleReservation
	handle         memory.Pointer
	align          uint32
}

type oraclePacket struct {
	data  []byte
	state int // 0 reserved to write, 1 can be read, 2 reserved to read, 3 gone
}

type oracleReservation struct {
	packets      []*oraclePacket
	write, open  bool
	kind         memory.OwnerKind
	group        uint64
	first, items int
}

func (p *oraclePipe) readable() (list []*oraclePacket) {
	for _, q := range p.packets {
		switch q.state {
		case 0:
			return list
		case 1:
			list = append(list, q)
		}
	}
	return list
}

func (p *oraclePipe) room() int {
	for len(p.packets) > 0 && p.packets[0].state == 3 {
		p.packets = p.packets[1:]
	}
	return p.capacity - len(p.packets)
}

func (p *oraclePipe) can(write bool) int {
	if write {
		return p.room()
	}
	return len(p.readable())
}

func (p *oraclePipe) reserve(write bool, n int, r oracleReservation) uint64 {
	if n == 0 || n > p.can(write) {
		return 0
	}
	list := p.readable()
	r.write, r.open = write, true
	for i := range n {
		if write {
			q := &oraclePacket{data: make([]byte, p.size)}
			p.packets = append(p.packets, q)
			r.packets = append(r.packets, q)
		} else {
			list[i].state = 2
			r.packets = append(r.packets, list[i])
		}
	}
	p.serial++
	id := uint64(p.handle.Alloc())<<40 | p.serial
	p.reservations[id] = &r
	return id
}

// oracleStep is an instruction and its operands by lane.
type oracleStep struct {
	op      isa.PipeOp
	scope   isa.Scope
	slot    int // where a reservation goes to
	mask    []bool
	pipe    []uint64
	ptr     []uint64
	reserve []uint64 // an id; or, when from is set, the register instead
	from    int      // the register, or -1
	index   []uint64
	count   []uint64
	bytes   []uint64
	align   []uint64
	pc      int
}

// pipeOracle is the state of the program.
type pipeOracle struct {
	lanes, size int // size is that of sub-groups
	pipes       []*oraclePipe
	private     [][]byte
	lds, global []byte
	readOnly    []byte
	slots       [oracleSlots][]uint64
	results     [][]uint64 // by step and lane
	// The allocations in global memory.
	globalPtr, readOnlyPtr memory.Pointer
}

func (o *pipeOracle) find(h uint64) *oraclePipe {
	for _, p := range o.pipes {
		if e := h - uint64(p.handle); e <= 2 {
			return p
		}
	}
	return nil
}

// bytes returns the n bytes at a pointer, or what is wrong with it.
func (o *pipeOracle) bytes(lane int, v uint64, n int, write bool) ([]byte, finding.Code) {
	p := memory.Pointer(v)
	var all []byte
	switch {
	case p.IsNearNull():
		return nil, finding.NullPointer
	case p.Space() == memory.SpacePrivate && p.Alloc() == 1:
		all = o.private[lane]
	case p.Space() == memory.SpaceLocal && p.Alloc() == 1:
		all = o.lds
	case p.Space() == memory.SpaceGlobal && p.Alloc() == o.globalPtr.Alloc():
		all = o.global
	case p.Space() == memory.SpaceGlobal && p.Alloc() == o.readOnlyPtr.Alloc():
		all = o.readOnly
	default:
		return nil, finding.BadPointer
	}
	off := p.Offset()
	switch {
	case off < 0 || off+int64(n) > int64(len(all)):
		return nil, finding.OutOfBounds
	case write && p.Alloc() == o.readOnlyPtr.Alloc() && p.Space() == memory.SpaceGlobal:
		return nil, finding.ReadOnly
	}
	return all[off:][:n], ""
}

// bad returns what is wrong with a lane's operands, apart from its pointer.
func (o *pipeOracle) bad(s *oracleStep, lane int) finding.Code {
	h := s.pipe[lane]
	p := o.find(h)
	switch {
	case memory.Pointer(h).IsNearNull():
		return finding.NullPointer
	case p == nil:
		return finding.BadPointer
	case h-uint64(p.handle) == isa.PipeReadEnd && s.op.Writes(), h-uint64(p.handle) == isa.PipeWriteEnd && s.op.Reads():
		return finding.PipeDirection
	case int(uint32(s.bytes[lane])) != p.size || p.align != 0 && uint32(s.align[lane]) != p.align:
		return finding.PipeSize
	case s.reserve == nil:
		return ""
	}
	r := p.reservations[o.id(s, lane)]
	switch {
	case r == nil || !r.open || r.write != s.op.Writes() || r.group != oracleGroup || lane < r.first || lane >= r.first+r.items:
		return finding.PipeReserve
	case s.index != nil:
		if s.index[lane] >= uint64(len(r.packets)) {
			return finding.PipeIndex
		}
	case r.kind != oracleKind(s.scope):
		return finding.PipeReserve
	}
	return ""
}

func oracleKind(s isa.Scope) memory.OwnerKind {
	return map[isa.Scope]memory.OwnerKind{isa.ScopeInvocation: memory.OwnerItem, isa.ScopeSubgroup: memory.OwnerSubgroup, isa.ScopeWorkgroup: memory.OwnerGroup}[s]
}

func (o *pipeOracle) id(s *oracleStep, lane int) uint64 {
	if s.from >= 0 {
		return o.slots[s.from][lane]
	}
	return s.reserve[lane]
}

// pointerBad returns what is wrong with a lane's pointer.
func (o *pipeOracle) pointerBad(s *oracleStep, lane int) finding.Code {
	if s.ptr == nil {
		return ""
	}
	_, c := o.bytes(lane, s.ptr[lane], o.find(s.pipe[lane]).size, s.op.Reads())
	return c
}

// lane does a step for a lane and returns its result, or what is wrong.
func (o *pipeOracle) lane(s *oracleStep, lane int) (uint64, finding.Code) {
	if c := o.bad(s, lane); c != "" {
		return 0, c
	}
	p, write := o.find(s.pipe[lane]), s.op.Writes()
	move := func(q *oraclePacket) finding.Code {
		b, c := o.bytes(lane, s.ptr[lane], p.size, !write)
		if c != "" {
			return c
		}
		if write {
			copy(q.data, b)
		} else {
			copy(b, q.data)
		}
		return ""
	}
	switch s.op {
	case isa.PipeRead:
		list := p.readable()
		if len(list) == 0 {
			return 1<<32 - 1, ""
		}
		if c := move(list[0]); c != "" {
			return 0, c
		}
		list[0].state = 3
	case isa.PipeWrite:
		if p.room() == 0 {
			return 1<<32 - 1, ""
		}
		q := &oraclePacket{data: make([]byte, p.size), state: 1}
		if c := move(q); c != "" {
			return 0, c
		}
		p.packets = append(p.packets, q)
	case isa.PipeReserveRead, isa.PipeReserveWrite:
		r := oracleReservation{kind: oracleKind(s.scope), group: oracleGroup, first: lane, items: 1}
		switch s.scope {
		case isa.ScopeSubgroup:
			r.first = lane / o.size * o.size
			r.items = min(o.size, o.lanes-r.first)
		case isa.ScopeWorkgroup:
			r.first, r.items = 0, o.lanes
		}
		return p.reserve(write, int(min(s.count[lane], 1<<20)), r), ""
	case isa.PipeReservedRead, isa.PipeReservedWrite:
		return 0, move(p.reservations[o.id(s, lane)].packets[s.index[lane]])
	case isa.PipeCommitRead, isa.PipeCommitWrite:
		r := p.reservations[o.id(s, lane)]
		r.open = false
		for _, q := range r.packets {
			q.state++
		}
	case isa.PipeNumPackets:
		return uint64(len(p.readable())), ""
	case isa.PipeMaxPackets:
		return uint64(p.capacity), ""
	}
	return 0, ""
}

// oracleFault is what stops a program.
type oracleFault struct {
	code        finding.Code
	lane, lanes int
}

// step does a step for the lanes [first, end) of a wave.
func (o *pipeOracle) step(n int, s *oracleStep, first, end int) *oracleFault {
	group, lowest := -1, 0
	var v uint64
	of := func(lane int) int { // the lane that acts for another
		if s.scope != isa.ScopeSubgroup {
			return lane
		}
		for l := max(lane/o.size*o.size, first); ; l++ {
			if s.mask[l] {
				return l
			}
		}
	}
	for lane := first; lane < end; lane++ {
		if !s.mask[lane] {
			continue
		}
		if g := lane / o.size; s.scope != isa.ScopeSubgroup || g != group {
			group, lowest = g, lane
			var c finding.Code
			if v, c = o.lane(s, lowest); c != "" {
				f := &oracleFault{code: c, lane: lane}
				for l := lane; l < end; l++ {
					if s.mask[l] && (o.bad(s, of(l)) != "" || o.pointerBad(s, of(l)) != "") {
						f.lanes++
					}
				}
				return f
			}
		}
		switch {
		case s.op == isa.PipeReserveRead || s.op == isa.PipeReserveWrite:
			o.slots[s.slot][lane] = v
			o.results[n][lane] = v
		case s.op.Result() != isa.Void:
			o.results[n][lane] = v & (1<<32 - 1)
		}
	}
	return nil
}

// oracleCase is a program, the machine that it runs on, and the work-items
// [first, end) of the wave that runs it.
type oracleCase struct {
	o          *pipeOracle
	steps      []*oracleStep
	mem        *memory.Global
	first, end int
	want       *oracleFault
}

// randomOracle makes a case; faulty ones have wrong operands here and there.
func randomOracle(t testing.TB, r *rand.Rand) *oracleCase {
	c := &oracleCase{mem: memory.NewGlobal(1 << 24)}
	o := &pipeOracle{lanes: 1 + r.IntN(200), size: 1 << r.IntN(8)}
	c.o = o
	c.first = r.IntN(o.lanes) / o.size * o.size * r.IntN(2)
	c.end = o.lanes
	if r.IntN(2) == 0 {
		c.end = min(c.end, c.first+o.size*(1+r.IntN(4)))
	}
	faulty := r.IntN(2) == 0
	for i := range 1 + r.IntN(3) {
		opt := memory.PipeOptions{Name: fmt.Sprint("p", i), PacketBytes: []uint32{1, 2, 4, 8, 16, 3, 12, 32, 7}[r.IntN(9)], Capacity: uint32(1 + r.IntN(150))}
		if r.IntN(2) == 0 {
			opt.PacketAlign = 4
		}
		p := testPipe(t, c.mem, opt)
		q := &oraclePipe{pipe: p, handle: p.Handle(), capacity: int(opt.Capacity), size: int(opt.PacketBytes), align: opt.PacketAlign, reservations: map[uint64]*oracleReservation{}}
		// Start somewhere in the ring, with some packets.
		skip := r.IntN(q.capacity + 1)
		p.Move(true, uint64(skip))
		p.Move(false, uint64(skip))
		for range r.IntN(q.capacity + 1) {
			b := make([]byte, q.size)
			for j := range b {
				b[j] = byte(r.Uint32())
			}
			p.Put(b)
			q.packets = append(q.packets, &oraclePacket{data: b, state: 1})
		}
		o.pipes = append(o.pipes, q)
	}
	randomBytes := func(name string, n int, readOnly bool) (memory.Pointer, []byte) {
		p, err := c.mem.Alloc(name, uint64(n), readOnly)
		if err != nil {
			t.Fatal(err)
		}
		data := c.mem.Lookup(p.Alloc()).Data
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		return p, bytes.Clone(data)
	}
	o.globalPtr, o.global = randomBytes("global", oracleGlobal, false)
	o.readOnlyPtr, o.readOnly = randomBytes("constant", 300, true)
	o.lds = make([]byte, oracleLDS)
	for range o.lanes {
		o.private = append(o.private, make([]byte, oraclePrivate))
	}
	for i := range o.slots {
		o.slots[i] = make([]uint64, o.lanes)
	}
	// Somebody else's reservation.
	var foreign uint64
	if p := o.pipes[0]; r.IntN(2) == 0 && p.room() > 0 {
		w := p.pipe.Reserve(true, 1, memory.PipeOwner{Launch: oracleLaunch, Group: oracleGroup + 1, Items: o.lanes}, 0)
		foreign = p.reserve(true, 1, oracleReservation{group: oracleGroup + 1, items: o.lanes})
		if w == nil || w.ID != foreign {
			t.Fatalf("reservation %+v, want %#x", w, foreign)
		}
	}
	// The oracle runs each step at once, so that the next one can use its reservations.
	for n := range 3 + r.IntN(40) {
		s := c.randomStep(r, faulty, foreign)
		c.steps = append(c.steps, s)
		o.results = append(o.results, make([]uint64, o.lanes))
		if c.want = o.step(n, s, c.first, c.end); c.want != nil {
			break
		}
	}
	return c
}

// randomStep makes a step.
func (c *oracleCase) randomStep(r *rand.Rand, faulty bool, foreign uint64) *oracleStep {
	o := c.o
	n := o.lanes
	s := &oracleStep{op: isa.PipeOp(r.IntN(int(isa.NumPipeOps))), scope: isa.ScopeInvocation, slot: r.IntN(oracleSlots), from: -1, mask: make([]bool, n)}
	wrong := func(often int) bool { return faulty && r.IntN(25*n) < often }
	list := func(f func(lane int) uint64, wrongs ...uint64) []uint64 {
		v := make([]uint64, n)
		same := r.IntN(3) == 0
		for i := range v {
			v[i] = f(i)
			if same {
				v[i] = v[0]
			}
			if len(wrongs) > 0 && wrong(1) {
				v[i] = wrongs[r.IntN(len(wrongs))]
			}
		}
		return v
	}
	moves := s.op == isa.PipeRead || s.op == isa.PipeWrite || s.op == isa.PipeReservedRead || s.op == isa.PipeReservedWrite
	reserved := s.op >= isa.PipeReservedRead && s.op <= isa.PipeCommitWrite
	reserves := s.op == isa.PipeReserveRead || s.op == isa.PipeReserveWrite
	if !moves && (reserved || reserves) {
		s.scope = []isa.Scope{isa.ScopeInvocation, isa.ScopeSubgroup, isa.ScopeSubgroup, isa.ScopeWorkgroup}[r.IntN(4)]
	}
	// Which lanes run it: all, most, few, or one.
	percent := []int{100, 100, 90, 50, 10}[r.IntN(5)]
	for i := range s.mask {
		s.mask[i] = r.IntN(100) < percent
	}
	if s.scope == isa.ScopeWorkgroup {
		clear(s.mask)
		s.mask[c.first+r.IntN(c.end-c.first)] = true
	}
	p := o.pipes[r.IntN(len(o.pipes))]
	end := uint64(r.IntN(2))
	if end != 0 && s.op.Writes() {
		end = isa.PipeWriteEnd
	}
	mixed := r.IntN(4) == 0 // several pipes in one instruction
	of := make([]*oraclePipe, n)
	for i := range of {
		of[i] = p
		if mixed {
			of[i] = o.pipes[r.IntN(len(o.pipes))]
		}
	}
	s.pipe = make([]uint64, n)
	s.bytes, s.align = make([]uint64, n), make([]uint64, n)
	for i := range n {
		s.bytes[i], s.align[i] = uint64(of[i].size), uint64(of[i].align)
		s.pipe[i] = uint64(of[i].handle) + end
		if wrong(1) {
			s.pipe[i] = []uint64{0, 1, 0x1234, uint64(o.globalPtr), uint64(p.handle) + 3, uint64(p.handle) - 1, uint64(memory.MakePointer(memory.SpacePipe, 99, 1)),
				uint64(p.handle) + 3 - max(end, 1)}[r.IntN(8)]
		}
		if wrong(2) {
			s.pipe[i] = uint64(of[i].handle) + isa.PipeReadEnd
			if !s.op.Writes() {
				s.pipe[i] = uint64(of[i].handle) + isa.PipeWriteEnd
			}
		}
		if wrong(1) {
			s.bytes[i]++
		}
		if wrong(1) {
			s.align[i] *= 2
		}
	}
	if reserved {
		c.randomReservations(r, s, of, wrong, foreign)
	}
	if moves {
		s.ptr = c.randomPointers(r, of, wrong)
	}
	if reserves {
		size := 1 + r.IntN(3)
		if s.scope != isa.ScopeInvocation {
			size = 1 + r.IntN(2*o.size)
		}
		s.count = list(func(int) uint64 { return uint64(r.IntN(size + 1)) }, 1<<32-1)
	}
	return s
}

// randomReservations chooses the reservations of a step, and the lanes that have
// one for it.
func (c *oracleCase) randomReservations(r *rand.Rand, s *oracleStep, of []*oraclePipe, wrong func(often int) bool, foreign uint64) {
	o := c.o
	n := o.lanes
	s.from, s.reserve = r.IntN(oracleSlots), make([]uint64, n)
	shared := r.IntN(3) == 0
	var last uint64
	for i := range n {
		s.reserve[i] = o.slots[s.from][i]
		if p := o.find(s.reserve[i]>>40<<40&^(15<<60) | uint64(memory.SpacePipe)<<60); s.reserve[i] != 0 && p != nil {
			s.pipe[i] += uint64(p.handle) - uint64(of[i].handle)
			s.bytes[i], s.align[i] = uint64(p.size), uint64(p.align)
			of[i] = p
			last = s.reserve[i]
		}
	}
	if shared && last != 0 {
		// All lanes use one reservation, which some of them may not.
		s.from = -1
		p := o.find(last>>40<<40 | uint64(memory.SpacePipe)<<60)
		for i := range n {
			s.pipe[i] += uint64(p.handle) - uint64(of[i].handle)
			s.bytes[i], s.align[i] = uint64(p.size), uint64(p.align)
			of[i], s.reserve[i] = p, last
		}
	}
	if s.index = nil; s.op < isa.PipeCommitRead {
		s.index = make([]uint64, n)
		kind := r.IntN(4)
		for i := range n {
			res := of[i].reservations[s.reserve[i]]
			if res == nil {
				continue
			}
			switch items := uint64(len(res.packets)); kind {
			case 0:
			case 1:
				s.index[i] = uint64(i) % items
			case 2:
				s.index[i] = items - 1
			default:
				s.index[i] = uint64(r.IntN(len(res.packets)))
			}
		}
	}
	act := func(lane int) int {
		if s.scope != isa.ScopeSubgroup {
			return lane
		}
		first := max(lane/o.size*o.size, c.first)
		for !s.mask[first] {
			first++
		}
		return first
	}
	good := make([]bool, n)
	for i := c.first; i < c.end; i++ {
		good[i] = s.mask[i] && o.bad(s, act(i)) == ""
	}
	copy(s.mask, good)
	for i := range n {
		if s.index != nil && wrong(2) {
			s.index[i] = []uint64{uint64(i), 1<<32 - 1, 1000}[r.IntN(3)]
			s.mask[i] = true
		}
		if wrong(1) {
			s.from = -1
			s.reserve[i] = []uint64{0, foreign, 7, ^uint64(0), last, s.reserve[0], 1<<40 | uint64(1+r.IntN(5))}[r.IntN(7)]
			s.mask[i] = true
		}
	}
}

// randomPointers makes the pointers of a step.
func (c *oracleCase) randomPointers(r *rand.Rand, of []*oraclePipe, wrong func(often int) bool) []uint64 {
	o := c.o
	n := o.lanes
	v := make([]uint64, n)
	shape := r.IntN(6)
	at := r.IntN(oraclePrivate - 32)
	for i := range v {
		size := of[i].size
		switch shape {
		case 0: // one place of each lane's own
			v[i] = uint64(memory.MakePointer(memory.SpacePrivate, 1, int64(at&^3)))
		case 1:
			v[i] = uint64(memory.MakePointer(memory.SpacePrivate, 1, int64(at)))
		case 2:
			v[i] = uint64(memory.MakePointer(memory.SpacePrivate, 1, int64(r.IntN(oraclePrivate-size+1))))
		case 3: // in a row, as far as that goes
			v[i] = uint64(memory.MakePointer(memory.SpaceLocal, 1, int64(i*size%(oracleLDS-size))))
		case 4:
			v[i] = uint64(o.globalPtr.Add(int64(r.IntN(oracleGlobal - size + 1))))
		default:
			v[i] = []uint64{uint64(o.globalPtr) + uint64(r.IntN(oracleGlobal-size+1)), uint64(memory.MakePointer(memory.SpacePrivate, 1, int64(at))),
				uint64(memory.MakePointer(memory.SpaceLocal, 1, int64(r.IntN(oracleLDS-size+1))))}[r.IntN(3)]
		}
		if wrong(4) {
			v[i] = []uint64{0, 8, uint64(o.readOnlyPtr), uint64(o.readOnlyPtr), uint64(o.readOnlyPtr), uint64(o.readOnlyPtr), uint64(o.globalPtr.Add(oracleGlobal)), uint64(o.globalPtr.Add(-1)), uint64(memory.MakePointer(memory.SpacePrivate, 1, oraclePrivate)),
				uint64(memory.MakePointer(memory.SpacePrivate, 9, 0)), uint64(memory.MakePointer(memory.SpaceLocal, 2, 0)), uint64(memory.MakePointer(memory.SpaceLocal, 1, -4)), 1 << 50,
				uint64(o.pipes[0].handle)}[r.IntN(14)]
		}
	}
	return v
}

// kernel makes the kernel of the program. It returns where its tables are: the results
// by step and lane, 8 bytes each, and the private memory by lane.
func (c *oracleCase) kernel(t testing.TB, r *rand.Rand) (b *builder, results, dump memory.Pointer) {
	n := c.o.lanes
	b = newPipeBuilder()
	b.k.Private = []isa.Alloc{{Name: "x", Size: oraclePrivate, Align: 16}}
	alloc := func(name string, size int) memory.Pointer {
		p, err := c.mem.Alloc(name, uint64(size), false)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	results, dump = alloc("results", len(c.steps)*n*8), alloc("dump", n*oraclePrivate)
	lane := b.reg(isa.I32)
	b.builtin(isa.BuiltinLocalID, isa.I32, lane)
	zero := b.constant(0)
	var slots [oracleSlots]isa.Reg
	for i := range slots {
		slots[i] = b.reg(isa.I64)
		b.op(isa.OpMov, isa.I64, slots[i], zero)
	}
	table := func(v []uint64) isa.Reg {
		p := alloc("table", n*8)
		data := c.mem.Lookup(p.Alloc()).Data
		for i, x := range v {
			binary.LittleEndian.PutUint64(data[i*8:], x)
		}
		return b.constant(uint64(p))
	}
	// operand makes a register of values: a scalar where they are the same, now and then.
	var scratch [7][2]isa.Reg
	for i := range scratch {
		scratch[i] = [2]isa.Reg{b.reg(isa.I64), b.reg(isa.I32)}
	}
	operand := func(i int, v []uint64, t isa.Type) isa.Reg {
		if v == nil {
			return isa.None
		}
		same := true
		for _, x := range v {
			same = same && x == v[0]
		}
		if same && r.IntN(4) != 0 {
			return b.constant(v[0])
		}
		dst := scratch[i][0]
		if t == isa.I32 {
			dst = scratch[i][1]
		}
		b.load(t, isa.SpaceGlobal, dst, table(v), lane, isa.IdxU32, 8)
		return dst
	}
	runs, mask := b.reg(isa.I64), b.reg(isa.B1)
	for n, s := range c.steps {
		m := make([]uint64, len(s.mask))
		for i, x := range s.mask {
			m[i] = b2u(x)
		}
		b.load(isa.I64, isa.SpaceGlobal, runs, table(m), lane, isa.IdxU32, 8)
		here := len(b.k.Blocks) - 1
		b.op(isa.OpNe, isa.I64, mask, runs, zero)
		b.brCond(mask, here+1, here+2)
		a := isa.PipeAccess{Name: "step", Op: s.op, Scope: s.scope, Pipe: operand(0, s.pipe, isa.I64), Pointer: operand(1, s.ptr, isa.I64),
			Index: operand(3, s.index, isa.I32), Count: operand(4, s.count, isa.I32), PacketBytes: operand(5, s.bytes, isa.I32), PacketAlign: operand(6, s.align, isa.I32)}
		if s.reserve != nil {
			if s.from >= 0 {
				a.Reserve = slots[s.from]
			} else {
				a.Reserve = operand(2, s.reserve, isa.I64)
			}
		}
		out := b.constant(uint64(results) + uint64(n*len(s.mask)*8))
		switch s.op.Result() {
		case isa.Void:
			s.pc = b.pipe(isa.None, a)
		case isa.I64:
			s.pc = b.pipe(slots[s.slot], a)
			b.store(isa.I64, isa.SpaceGlobal, out, lane, isa.IdxU32, 8, slots[s.slot])
		default:
			dst := scratch[r.IntN(len(scratch))][1] // it may be one of the operands
			s.pc = b.pipe(dst, a)
			b.store(isa.I32, isa.SpaceGlobal, out, lane, isa.IdxU32, 8, dst)
		}
		b.br(here + 2)
	}
	x, v := b.constant(isa.PointerBits(isa.SpacePrivate, 0)), b.reg(isa.I8)
	for i := range oraclePrivate {
		b.k.Code[b.load(isa.I8, isa.SpacePrivate, v, x, isa.None, isa.IdxNone, 0)].Disp = int32(i)
		b.k.Code[b.store(isa.I8, isa.SpaceGlobal, b.constant(uint64(dump)), lane, isa.IdxU32, oraclePrivate, v)].Disp = int32(i)
	}
	b.ret()
	return b, results, dump
}

// TestPipeOracle runs random programs on the engine and on the oracle.
func TestPipeOracle(t *testing.T) {
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 500
	}
	codes := map[finding.Code]int{}
	for seed := range seeds {
		runOracle(t, seed, codes)
	}
	for _, c := range []finding.Code{finding.NullPointer, finding.BadPointer, finding.OutOfBounds, finding.ReadOnly, finding.PipeSize, finding.PipeDirection, finding.PipeReserve, finding.PipeIndex, ""} {
		if codes[c] == 0 && !testing.Short() {
			t.Errorf("no program ended with %q", c)
		}
	}
}

func runOracle(t *testing.T, seed uint64, codes map[finding.Code]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	c := randomOracle(t, r)
	o := c.o
	b, results, dump := c.kernel(t, r)
	l := b.launch(c.mem, o.lanes)
	for _, p := range o.pipes {
		pipes(l, p.pipe)
	}
	l.LocalSizes, l.SubgroupSize, l.Index = []uint64{oracleLDS}, o.size, oracleLaunch
	g := group(t, l)
	g.Linear = oracleGroup
	w := b.compile(t).NewWave(c.end - c.first + r.IntN(100))
	w.Start(g, c.first, c.end-c.first)
	want, stop := c.want, w.Run(0)
	f := w.Fault()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d (lanes %d to %d of %d, sub-groups of %d): %s", seed, c.first, c.end, o.lanes, o.size, fmt.Sprintf(format, args...))
	}
	switch {
	case (f == nil) != (want == nil):
		fail("fault %+v, want %+v", f, want)
	case (stop == engine.StopFault) != (f != nil) || f == nil && stop != engine.StopDone:
		fail("stopped with %d", stop)
	case f != nil:
		codes[want.code]++
		if f.Code != want.code || f.PC != c.steps[len(c.steps)-1].pc || f.Lane != want.lane || f.Lanes != want.lanes {
			fail("fault %+v, want %+v", f, want)
		}
	default:
		codes[""]++
		for n := range c.steps {
			for i, v := range o.results[n] {
				if got := binary.LittleEndian.Uint64(c.mem.Lookup(results.Alloc()).Data[(n*o.lanes+i)*8:]); got != v {
					fail("step %d (%s): lane %d has %#x, want %#x", n, c.steps[n].op, i, got, v)
				}
			}
		}
		for i, p := range o.private {
			if got := c.mem.Lookup(dump.Alloc()).Data[i*oraclePrivate:][:oraclePrivate]; !bytes.Equal(got, p) {
				fail("private memory of lane %d:\n% x, want\n% x", i, got, p)
			}
		}
	}
	if got := c.mem.Lookup(o.globalPtr.Alloc()).Data; !bytes.Equal(got, o.global) {
		fail("global memory differs")
	}
	if got := g.LDS.Lookup(1).Data; !bytes.Equal(got, o.lds) {
		fail("local memory differs")
	}
	for _, p := range o.pipes {
		list := p.readable()
		if int(p.pipe.Len()) != len(list) || int(p.pipe.Room()) != p.room() {
			fail("pipe %s: %d packets and room for %d, want %d and %d", p.pipe.Name(), p.pipe.Len(), p.pipe.Room(), len(list), p.room())
		}
		for i, q := range list {
			if got := p.pipe.Packet(p.pipe.Next(false) + uint64(i)); !bytes.Equal(got, q.data) {
				fail("pipe %s: packet %d: % x, want % x", p.pipe.Name(), i, got, q.data)
			}
		}
	}
}
