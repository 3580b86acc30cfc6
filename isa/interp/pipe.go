package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// pipeState is what a wave needs for pipes; kernels without have none.
type pipeState struct {
	// The pipe that was looked up last, and its handle without an end.
	base memory.Pointer
	pipe *memory.Pipe
	// All pipes of launch, by handle without an end, where there are many.
	launch *engine.Launch
	pipes  map[memory.Pointer]*memory.Pipe

	// Lanes that wait at pipes: by code.waits, and at which pipe by lane.
	parked  []uint64
	nparked int
	handles []memory.Pointer
	// overtake says that others go on without those of over, until these have
	// their packets. See choose.
	overtake bool
	level    overtaking
	over     []uint64
	late     []uint64 // the sub-groups of over
	skew     []uint64 // sub-groups of which a part has overtaken the other
	absent   []uint64

	// What operations that do not block did since the last back-edge.
	failed, moved bool

	// For the lanes of a chunk: where their packets are in the ring, in bytes,
	// and a scalar pointer for all of them. With row set, the packets follow each other
	// from rowAt on, those of a run of lanes; at is not filled in.
	at, same [64]uint64
	row      bool
	rowAt    uint64
}

// newPipes returns the state for a wave of a number of chunks, or nil.
func (c *compiledKernel) newPipes(chunks int) *pipeState {
	if !c.kernel.UsesPipes {
		return nil
	}
	return &pipeState{parked: make([]uint64, len(c.waits)*chunks), over: make([]uint64, chunks), late: make([]uint64, chunks),
		skew: make([]uint64, chunks), absent: make([]uint64, chunks), handles: make([]memory.Pointer, chunks*64)}
}

// start forgets what the last wave did.
func (s *pipeState) start() {
	s.base, s.pipe = 0, nil
	if s.nparked != 0 {
		clear(s.parked)
		s.nparked = 0
	}
	clear(s.over)
	clear(s.late)
	clear(s.skew)
	s.overtake, s.failed, s.moved = false, false, false
}

// pipe decodes a pipe instruction.
func (d *decoder) pipe(in inst) {
	a := &d.kernel.PipeAccesses[in.imm]
	in.aux = &aux{pipe: a}
	if d.check && a.Scope == isa.ScopeSubgroup {
		c := in
		c.fn = checkPipeGroup
		d.emit(c)
	}
	in.fn = pipeLanes
	switch {
	case a.Scope == isa.ScopeSubgroup:
		in.fn = pipeGroups
		in.d = d.operand(in.src.Dst, isa.I64)
	case a.Pointer != isa.None && samePipe(a):
		in.fn = pipeMove
		in.d = d.operand(in.src.Dst, isa.I32)
		in.a, in.b, in.c = d.operand(a.Pointer, isa.I64), d.operand(a.Reserve, isa.I64), d.operand(a.Index, isa.I32)
	}
	d.emit(in)
}

// checkPipeGroup stands before an operation of a sub-group when Launch.Check is set.
func checkPipeGroup(w *wave, in *inst) {
	if in.src.Flags&isa.FlagUniform != 0 {
		w.checkDiverged(in, finding.GroupDiverged)
	}
	differs := func(k, i int) (what string) {
		fk, fi := w.lowestOf(k, i)
		in.aux.pipe.Regs(func(r *isa.Reg, t isa.Type, name string) {
			if what == "" && w.reg(*r, t, k, i) != w.reg(*r, t, fk, fi) {
				what = name
			}
		})
		return what
	}
	w.failWhere(in, finding.GroupUniform, func(k, i int) bool { return differs(k, i) != "" }, func(k, i int) string {
		return "the " + pipeOperands[differs(k, i)] + " is not that of the first lane"
	})
}

// pipeOperands has the operands of a group's operation, for people.
var pipeOperands = map[string]string{
	"pipe": "pipe", "reserve": "reservation", "count": "number of packets", "bytes": "size of a packet", "align": "alignment of a packet",
}

// pipeLanes does a pipe instruction, lane by lane.
func pipeLanes(w *wave, in *inst) {
	if w.group.Watch {
		w.advanceCopies(in.pc)
	}
	w.pipeFrom(in, 0)
}

// pipeFrom does a pipe instruction of each lane's own for all running lanes but
// the first of them, skip in number, which have done it.
func (w *wave) pipeFrom(in *inst, skip int) {
	a := in.aux.pipe
	dst, t := in.src.Dst, a.Op.Result()
	u := pipeUse{same: samePipe(a)}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			if skip > 0 {
				skip--
				continue
			}
			i := bits.TrailingZeros64(m)
			v, ok := w.pipeLane(in, k, i, &u)
			if !ok {
				w.pipeFault(in, k, i)
				return
			}
			if dst != isa.None {
				w.setReg(dst, t, k, i, v)
				if dst.IsScalar() {
					return
				}
			}
		}
	}
}

// pipeGroups does a pipe instruction once for each sub-group, whose lanes get
// its result: the id of a reservation, or nothing.
func pipeGroups(w *wave, in *inst) {
	if w.group.Watch {
		w.advanceCopies(in.pc)
	}
	n := w.subgroup()
	u := pipeUse{same: samePipe(in.aux.pipe)}
	var v uint64
	for k, m := range w.exec {
		for m != 0 {
			i := bits.TrailingZeros64(m)
			set := m
			if n < 64 {
				set &= (1<<n - 1) << (i &^ (n - 1))
			}
			m &^= set
			if n < maxSubgroup || k%2 == 0 || w.exec[k-1] == 0 {
				var ok bool
				if v, ok = w.pipeLane(in, k, i, &u); !ok {
					w.pipeFault(in, k, i)
					return
				}
			}
			if in.src.Dst != isa.None {
				fillLanes((*[64]uint64)(unsafe.Add(w.chunk(k), in.d)), set, v)
			}
		}
	}
}

// samePipe says whether all lanes use one pipe, with packets of one size.
func samePipe(a *isa.PipeAccess) bool {
	return a.Pipe.IsScalar() && a.PacketBytes.IsScalar() && a.PacketAlign.IsScalar()
}

// pipeUse is what a lane uses: the pipe, the reservation and its packet.
type pipeUse struct {
	// same says that pipe, once it is known, is good for the next lanes, too.
	same    bool
	handle  memory.Pointer
	pipe    *memory.Pipe
	reserve *memory.Reservation
	index   uint64
}

// pipeLane does an operation for a lane, or for the sub-group of which it is the
// lowest. ok is false, and nothing has happened, where that is not allowed.
func (w *wave) pipeLane(in *inst, k, i int, u *pipeUse) (result uint64, ok bool) {
	const none = 1<<32 - 1
	a := in.aux.pipe
	if f := w.pipeCheck(a, k, i, u); f != nil {
		return 0, false
	}
	p, s, write := u.pipe, w.pipes, a.Op.Writes()
	switch a.Op {
	case isa.PipeRead, isa.PipeWrite:
		if p.Can(write) == 0 {
			s.failed = s.failed || !a.Blocking
			if a.Blocking {
				s.handles[k*64+i] = u.handle
			}
			return none, true
		}
		if !w.packet(in, p, p.Next(write), write, k, i) {
			return 0, false
		}
		w.tracePackets(in, p, write, p.Move(write, 1), 1, k, i)
		w.tellPackets(p, write, k, i)
		s.moved = true
	case isa.PipeReservedRead, isa.PipeReservedWrite:
		if !w.packet(in, p, u.reserve.First+u.index, write, k, i) {
			return 0, false
		}
		if write {
			u.reserve.Touch(u.index)
		}
	case isa.PipeReserveRead, isa.PipeReserveWrite:
		count := uint64(uint32(w.reg(a.Count, isa.I32, k, i)))
		r := p.Reserve(write, count, w.pipeOwner(a.Scope, k, i), in.pc)
		if r == nil {
			s.failed = true
			return 0, true
		}
		s.moved = true
		return r.ID, true
	case isa.PipeCommitRead, isa.PipeCommitWrite:
		w.commit(in, u, k, i)
	case isa.PipeNumPackets:
		n := p.Len()
		if n == 0 || p.Room() == 0 {
			s.failed = true
		}
		return n, true
	case isa.PipeMaxPackets:
		return uint64(p.Capacity()), true
	}
	return 0, true
}

// commit ends a reservation.
func (w *wave) commit(in *inst, u *pipeUse, k, i int) {
	r, l := u.reserve, w.group.Launch
	if l.Check && r.Write && w.group.Report != nil {
		if n, first := r.Missing(); n > 0 {
			f := w.newPipeFault(in.aux.pipe, memory.PipeFaultUnwritten, k, i, u)
			f.Packets, f.Index = n, first
			w.group.Report(&engine.Fault{Code: finding.PipeUnwritten, PC: in.pc, Lane: w.first + k*64 + i, Lanes: 1, Pipe: f})
		}
	}
	write, first, n := r.Write, r.First, r.N
	u.pipe.Commit(r)
	w.pipes.moved = true
	w.tracePackets(in, u.pipe, write, first, n, k, i)
	w.tellPackets(u.pipe, write, k, i)
}

// tracePackets tells the tracer which packets have moved.
func (w *wave) tracePackets(in *inst, p *memory.Pipe, write bool, first, n uint64, k, i int) {
	if t := w.group.PipeTrace; t != nil {
		t.Packets(p.Handle(), write, in.pc, w.first+k*64+i, first, n, w.now(in.pc))
	}
}

// packet copies a packet, by its number, from or to the memory of a lane. It
// says whether that is allowed.
func (w *wave) packet(in *inst, p *memory.Pipe, n uint64, write bool, k, i int) bool {
	ptr, size := memory.Pointer(w.reg(in.aux.pipe.Pointer, isa.I64, k, i)), uint64(p.PacketBytes())
	access := packetAccess(write)
	if w.check(ptr, ptr, memory.SpaceNone, size, access) != nil {
		return false
	}
	if u := w.group.DMA; w.group.Watch && u != nil && u.Active() && w.group.Launch.Check {
		w.announce(w.now(in.pc), in.pc, access, k, i, ptr, size)
	}
	if !write && w.shadow != nil {
		for j := range size {
			w.setShadow(ptr.Add(int64(j)), k, i, 1, 0, 0)
		}
	}
	b := p.Packet(n)
	if ptr.Space() != memory.SpacePrivate {
		data := w.region(ptr).Data[ptr.Offset():][:size]
		if write {
			copy(b, data)
		} else {
			copy(data, b)
		}
		return true
	}
	for j := range b {
		if at := ptr.Add(int64(j)); write {
			b[j] = uint8(w.peek(at, k, i, 1))
		} else {
			w.poke(at, k, i, 1, uint64(b[j]))
		}
	}
	return true
}

// packetAccess is what a write or read of a pipe does to the memory of a lane.
func packetAccess(write bool) memory.Access {
	if write {
		return memory.AccessRead
	}
	return memory.AccessWrite
}

// findPipe returns the pipe of a handle, or nil for one that the launch does not have.
func (w *wave) findPipe(h memory.Pointer) *memory.Pipe {
	end := h.Offset()
	if h.Space() != memory.SpacePipe || end < 0 || end > isa.PipeWriteEnd {
		return nil
	}
	s, base := w.pipes, h-memory.Pointer(end)
	if s.pipe != nil && s.base == base {
		return s.pipe
	}
	p := s.lookup(w.group.Launch, base)
	if p != nil {
		s.base, s.pipe = base, p
	}
	return p
}

// lookup returns the pipe of a launch with that handle, or nil.
func (s *pipeState) lookup(l *engine.Launch, base memory.Pointer) *memory.Pipe {
	const few = 16
	if len(l.Pipes) > few {
		if s.launch != l {
			s.launch, s.pipes = l, make(map[memory.Pointer]*memory.Pipe, len(l.Pipes))
			for i := range l.Pipes {
				s.pipes[l.Pipes[i].Pipe.Handle()] = l.Pipes[i].Pipe
			}
		}
		return s.pipes[base]
	}
	for i := range l.Pipes {
		if p := l.Pipes[i].Pipe; p.Handle() == base {
			return p
		}
	}
	return nil
}

// wrongEnd says whether an operation is not one of the end that the handle is of.
func wrongEnd(h memory.Pointer, op isa.PipeOp) bool {
	return h.Offset() == isa.PipeReadEnd && op.Writes() || h.Offset() == isa.PipeWriteEnd && op.Reads()
}

// pipeBad is what is wrong with a use of a pipe: one of the two.
type pipeBad struct {
	memory *memory.Fault
	pipe   *memory.PipeFault
}

// pipeCheck fills in what a lane uses. It returns what is wrong with that, or nil.
func (w *wave) pipeCheck(a *isa.PipeAccess, k, i int, u *pipeUse) *pipeBad {
	if u.same && u.pipe != nil {
		return w.reserveCheck(a, k, i, u)
	}
	h := memory.Pointer(w.reg(a.Pipe, isa.I64, k, i))
	size, align := uint32(w.reg(a.PacketBytes, isa.I32, k, i)), uint32(w.reg(a.PacketAlign, isa.I32, k, i))
	u.handle, u.pipe = h, w.findPipe(h)
	p := u.pipe
	if p == nil {
		f := &memory.Fault{Kind: memory.FaultPointer, Pointer: h, Size: uint64(size), Expected: memory.SpacePipe}
		if a.Op.Writes() {
			f.Access = memory.AccessWrite
		}
		if h.IsNearNull() {
			f.Kind = memory.FaultNull
		}
		return &pipeBad{memory: f}
	}
	switch {
	case wrongEnd(h, a.Op):
		return &pipeBad{pipe: w.newPipeFault(a, memory.PipeFaultDirection, k, i, u)}
	case size != p.PacketBytes() || p.PacketAlign() != 0 && align != p.PacketAlign():
		return &pipeBad{pipe: w.newPipeFault(a, memory.PipeFaultSize, k, i, u)}
	}
	return w.reserveCheck(a, k, i, u)
}

// reserveCheck fills in the reservation that a lane uses, if it does, and its packet.
func (w *wave) reserveCheck(a *isa.PipeAccess, k, i int, u *pipeUse) *pipeBad {
	if a.Reserve == isa.None {
		return nil
	}
	id := w.reg(a.Reserve, isa.I64, k, i)
	u.reserve = u.pipe.Reservation(id)
	if mistake, wrong := w.wrongReserve(a, u, id, k, i); wrong {
		f := w.newPipeFault(a, memory.PipeFaultReserve, k, i, u)
		f.ID, f.Mistake = id, mistake
		return &pipeBad{pipe: f}
	}
	if a.Index == isa.None {
		return nil
	}
	if u.index = uint64(uint32(w.reg(a.Index, isa.I32, k, i))); u.index >= u.reserve.N {
		return &pipeBad{pipe: w.newPipeFault(a, memory.PipeFaultIndex, k, i, u)}
	}
	return nil
}

// wrongReserve says what is wrong with a reservation that a lane uses, which
// u.reserve is if it is open.
func (w *wave) wrongReserve(a *isa.PipeAccess, u *pipeUse, id uint64, k, i int) (memory.ReserveMistake, bool) {
	r := u.reserve
	if r == nil {
		switch {
		case id == 0:
			return memory.ReserveInvalid, true
		case u.pipe.WasReserved(id):
			return memory.ReserveCommitted, true
		}
		for j := range w.group.Launch.Pipes {
			if w.group.Launch.Pipes[j].Pipe.WasReserved(id) {
				return memory.ReserveOtherPipe, true
			}
		}
		return memory.ReserveUnknown, true
	}
	l, o, item := w.group.Launch, &r.Owner, w.first+k*64+i
	switch {
	case r.Write != a.Op.Writes():
		return memory.ReserveDirection, true
	case o.Launch != l.Index || o.Group != w.group.Linear || item < o.First || item >= o.First+o.Items:
		return memory.ReserveOwner, true
	case a.Index == isa.None && o.Kind != ownerKind(a.Scope):
		return memory.ReserveKind, true
	}
	return 0, false
}

// ownerKind returns who makes the reservations of a scope.
func ownerKind(s isa.Scope) memory.OwnerKind {
	switch s {
	case isa.ScopeSubgroup:
		return memory.OwnerSubgroup
	case isa.ScopeWorkgroup:
		return memory.OwnerGroup
	}
	return memory.OwnerItem
}

// pipeOwner returns the owner of what a lane reserves.
func (w *wave) pipeOwner(s isa.Scope, k, i int) memory.PipeOwner {
	g := w.group
	o := memory.PipeOwner{Kind: ownerKind(s), Launch: g.Launch.Index, Group: g.Linear, First: w.first + k*64 + i, Items: 1}
	switch s {
	case isa.ScopeSubgroup:
		first, end := w.extent(k, i)
		o.First, o.Items = w.first+first, end-first
	case isa.ScopeWorkgroup:
		o.First, o.Items = 0, int(g.Size[0]*g.Size[1]*g.Size[2])
	}
	return o
}

// newPipeFault describes what a lane uses.
func (w *wave) newPipeFault(a *isa.PipeAccess, kind memory.PipeFaultKind, k, i int, u *pipeUse) *memory.PipeFault {
	p := u.pipe
	f := &memory.PipeFault{Kind: kind, Op: pipeOps[a.Op], Pipe: p.Name(), Handle: u.handle, PacketBytes: p.PacketBytes(), PacketAlign: p.PacketAlign(),
		Bytes: uint32(w.reg(a.PacketBytes, isa.I32, k, i)), Align: uint32(w.reg(a.PacketAlign, isa.I32, k, i)),
		By: w.pipeOwner(a.Scope, k, i), Index: u.index}
	if u.reserve != nil {
		f.Reservation = *u.reserve
		f.Reservation.Touched = nil
	}
	return f
}

// pipeOps has the operations as people read them in a finding.
var pipeOps = [isa.NumPipeOps]string{
	isa.PipeRead: "read", isa.PipeWrite: "write", isa.PipeReserveRead: "reservation to read", isa.PipeReserveWrite: "reservation to write",
	isa.PipeReservedRead: "read", isa.PipeReservedWrite: "write", isa.PipeCommitRead: "commit of a read", isa.PipeCommitWrite: "commit of a write",
	isa.PipeNumPackets: "query", isa.PipeMaxPackets: "query",
}

// pipeFault ends the wave at lane i of chunk k. The lanes before it have done
// what they had to; those behind it that would fault count, too.
func (w *wave) pipeFault(in *inst, k, i int) {
	a, from := in.aux.pipe, k*64+i
	var first *pipeBad
	set, _ := w.lanesWhere(func(k, i int) bool {
		if k*64+i < from {
			return false
		}
		if a.Scope == isa.ScopeSubgroup {
			k, i = w.lowestOf(k, i)
		}
		var u pipeUse
		bad := w.pipeCheck(a, k, i, &u)
		if bad == nil && a.Pointer != isa.None {
			ptr := memory.Pointer(w.reg(a.Pointer, isa.I64, k, i))
			if f := w.check(ptr, ptr, memory.SpaceNone, uint64(u.pipe.PacketBytes()), packetAccess(a.Op.Writes())); f != nil {
				bad = &pipeBad{memory: f}
			}
		}
		if first == nil {
			first = bad
		}
		return bad != nil
	})
	f := engine.Fault{PC: in.pc, Memory: first.memory, Pipe: first.pipe}
	if first.memory != nil {
		f.Code = faultCodes[first.memory.Kind]
	} else {
		f.Code = pipeCodes[first.pipe.Kind]
	}
	w.fail(f, set)
}

var pipeCodes = [...]finding.Code{
	memory.PipeFaultSize:      finding.PipeSize,
	memory.PipeFaultDirection: finding.PipeDirection,
	memory.PipeFaultReserve:   finding.PipeReserve,
	memory.PipeFaultIndex:     finding.PipeIndex,
	memory.PipeFaultOpen:      finding.PipeOpen,
	memory.PipeFaultUnwritten: finding.PipeUnwritten,
}
