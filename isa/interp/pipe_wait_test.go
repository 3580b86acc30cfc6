package interp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// pipeKernel is a builder with what kernels of these tests have in common: a
// pipe of 4-byte packets, private memory for one, and the lane.
type pipeKernel struct {
	*builder
	mem                   *memory.Global
	p                     *memory.Pipe
	handle, x, four, zero isa.Reg
	lane                  isa.Reg
}

func newPipeKernel(t testing.TB, capacity uint32) *pipeKernel {
	b := &pipeKernel{builder: newPipeBuilder(), mem: memory.NewGlobal(1 << 20)}
	b.p = testPipe(t, b.mem, memory.PipeOptions{Name: "p", PacketBytes: 4, PacketAlign: 4, Capacity: capacity})
	b.k.Private = []isa.Alloc{{Name: "x", Size: 4, Align: 4}}
	b.handle, b.x = b.constant(uint64(b.p.Handle())), b.constant(isa.PointerBits(isa.SpacePrivate, 0))
	b.four, b.zero = b.constant(4), b.constant(0)
	b.lane = b.reg(isa.I32)
	b.builtin(isa.BuiltinLocalID, isa.I32, b.lane)
	return b
}

// access returns an operation on the pipe, with the private packet.
func (b *pipeKernel) access(op isa.PipeOp) isa.PipeAccess {
	a := isa.PipeAccess{Name: op.String(), Op: op, Scope: isa.ScopeInvocation, Pipe: b.handle, PacketBytes: b.four, PacketAlign: b.four}
	if op == isa.PipeRead || op == isa.PipeWrite {
		a.Pointer = b.x
	}
	return a
}

// start makes a wave of n lanes.
func (b *pipeKernel) start(t testing.TB, n int) (engine.Wave, *engine.Group) {
	t.Helper()
	g := group(t, pipes(b.launch(b.mem, n), b.p))
	w := b.compile(t).NewWave(n)
	w.Start(g, 0, n)
	return w, g
}

// put writes n packets into the pipe.
func (b *pipeKernel) put(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		if b.p.Put(binary.LittleEndian.AppendUint32(nil, uint32(i)+1)) != 1 {
			t.Fatal("the pipe is full")
		}
	}
}

func expect(t testing.TB, w engine.Wave, want engine.Stop) {
	t.Helper()
	if got := w.Run(0); got != want {
		t.Fatalf("stopped with %d, want %d; fault %+v", got, want, w.Fault())
	}
}

// waiting returns where lanes wait at pipes.
func waiting(w engine.Wave) (list []string) {
	w.Piping(func(pc int, pipe memory.Pointer, lanes []int) {
		list = append(list, fmt.Sprintf("%d %s %v", pc, pipe, lanes))
	})
	return list
}

// oddOnes branches: lanes with an odd number to t0, the others to t1.
func (b *pipeKernel) oddOnes(t0, t1 int) {
	one := b.constant(1)
	bit, odd := b.reg(isa.I32), b.reg(isa.B1)
	b.op(isa.OpAnd, isa.I32, bit, b.lane, one)
	b.op(isa.OpEq, isa.I32, odd, bit, one)
	b.brCond(odd, t0, t1)
}

// TestPipeOvertake has lanes that wait for packets which other lanes of the wave
// write behind them.
func TestPipeOvertake(t *testing.T) {
	b := newPipeKernel(t, 3)
	b.oddOnes(1, 3)
	read := b.block(b.access(isa.PipeRead), b.zero)
	b.br(4)
	b.block(b.access(isa.PipeWrite), b.zero)
	b.ret()
	const n = 16
	w, _ := b.start(t, n)
	expect(t, w, engine.StopPipe)
	if got := waiting(w); len(got) != 1 || got[0] != fmt.Sprintf("%d pipe:1+0 [1 3 5 7 9 11 13 15]", read) {
		t.Fatal(got)
	}
	expect(t, w, engine.StopPipe) // nothing has changed
	if !w.Overtake() {
		t.Fatal("nobody to go on")
	}
	expect(t, w, engine.StopPipe)
	if b.p.Len() != 3 || len(waiting(w)) != 2 {
		t.Fatalf("%d packets; %v", b.p.Len(), waiting(w))
	}
	for runs := 0; ; runs++ {
		s := w.Run(0)
		if s == engine.StopDone {
			break
		}
		if s != engine.StopPipe || runs > n {
			t.Fatalf("run %d: stop %d", runs, s)
		}
		if got := waiting(w); len(got) == 2 && w.(*wave).pipes.overtake == false {
			t.Fatalf("lanes wait at %v", got)
		}
	}
	if _, written := b.p.Moved(); written != n/2 || b.p.Len() != 0 || w.(*wave).pipes.overtake {
		t.Errorf("%d packets written, %d left, overtaking %v", written, b.p.Len(), w.(*wave).pipes.overtake)
	}
	if w.Overtake() {
		t.Error("overtaken after the end")
	}
	// Each lane counts once, however often it tried: four instructions, three of
	// the wait, a branch for one half of them and the return.
	if c := w.Counters(); c.LaneOps != 4*n+3*n+n/2+n {
		t.Errorf("counters %+v", *c)
	}
}

// TestPipeTogether sees that lanes which get packets one after the other come
// together behind the wait.
func TestPipeTogether(t *testing.T) {
	b := newPipeKernel(t, 64)
	b.br(1)
	b.block(b.access(isa.PipeRead), b.zero)
	v := b.reg(isa.I32)
	b.op(isa.OpAdd, isa.I32, v, b.lane, b.lane)
	b.ret()
	var first engine.Counters
	for _, at := range []int{1, 3, 64} {
		b.p.Reset()
		w, _ := b.start(t, 64)
		for sent := 0; ; {
			s := w.Run(0)
			if s == engine.StopDone {
				break
			}
			if s != engine.StopPipe || sent >= 64 {
				t.Fatalf("stop %d, %d sent", s, sent)
			}
			for range 3 {
				if s := w.Run(0); s != engine.StopPipe { // tries that change nothing
					t.Fatal("stop", s)
				}
			}
			n := min(at, 64-sent)
			b.put(t, n)
			sent += n
		}
		c := *w.Counters()
		// Of the blocks only that of the wait runs several times.
		if want := uint64(2 + (64+at-1)/at); c.Blocks != want {
			t.Errorf("%d at a time: %d blocks, want %d", at, c.Blocks, want)
		}
		if first.Waves == 0 {
			first = c
		}
		if c.LaneOps != first.LaneOps {
			t.Errorf("%d at a time: %d lane operations, %d before", at, c.LaneOps, first.LaneOps)
		}
	}
}

// TestPipeHandles lets lanes of one instruction wait at different pipes.
func TestPipeHandles(t *testing.T) {
	b := newPipeKernel(t, 64)
	q := testPipe(t, b.mem, memory.PipeOptions{Name: "q", PacketBytes: 4, PacketAlign: 4, Capacity: 64})
	table, _ := b.mem.Alloc("table", 4*8, false)
	for i, h := range []memory.Pointer{b.p.Handle() + 1, q.Handle(), q.Handle() + 1, b.p.Handle() + 1} {
		binary.LittleEndian.PutUint64(b.mem.Lookup(table.Alloc()).Data[i*8:], uint64(h))
	}
	h := b.reg(isa.I64)
	b.load(isa.I64, isa.SpaceGlobal, h, b.constant(uint64(table)), b.lane, isa.IdxU32, 8)
	b.br(1)
	a := b.access(isa.PipeRead)
	a.Pipe = h
	pc := b.block(a, b.zero)
	b.ret()
	g := group(t, pipes(b.launch(b.mem, 4), b.p, q))
	w := b.compile(t).NewWave(4)
	w.Start(g, 0, 4)
	expect(t, w, engine.StopPipe)
	want := []string{fmt.Sprintf("%d pipe:1+1 [0 3]", pc), fmt.Sprintf("%d pipe:2+0 [1]", pc), fmt.Sprintf("%d pipe:2+1 [2]", pc)}
	if got := waiting(w); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	q.Put(make([]byte, 8))
	expect(t, w, engine.StopPipe)
	if got := waiting(w); !slices.Equal(got, want[:1]) {
		t.Errorf("%q, want %q", got, want[:1])
	}
	// A wave that is started again has forgotten all that.
	b.put(t, 2)
	q.Put(make([]byte, 8))
	w.Start(g, 0, 4)
	if got := waiting(w); len(got) != 0 || w.Overtake() {
		t.Errorf("%q at the start", got)
	}
	expect(t, w, engine.StopDone)
}

// TestPipeScalarWait waits with a condition in a scalar register.
func TestPipeScalarWait(t *testing.T) {
	b := newPipeKernel(t, 4)
	a := b.access(isa.PipeRead)
	a.Blocking = true
	b.br(1)
	ok := b.reg(isa.I32)
	b.pipe(ok, a)
	s, c := b.scalar(), b.scalar()
	b.op(isa.OpReadFirst, isa.I32, s, ok)
	b.op(isa.OpEq, isa.I32, c, s, b.zero)
	in := isa.Inst{Op: isa.OpBrCond, A: c, Flags: isa.FlagWait}
	in.SetTargets(2, 1)
	b.emit(in)
	b.ret()
	w, _ := b.start(t, 1)
	expect(t, w, engine.StopPipe)
	b.put(t, 1)
	expect(t, w, engine.StopDone)
}

// TestPipeBarrier has lanes that wait at pipes while others wait at a barrier.
func TestPipeBarrier(t *testing.T) {
	for _, scope := range []isa.Scope{isa.ScopeWorkgroup, isa.ScopeSubgroup} {
		b := newPipeKernel(t, 8)
		b.oddOnes(1, 2)
		b.block(b.access(isa.PipeRead), b.zero)
		b.barrier(scope, 3)
		b.ret()
		w, g := b.start(t, 8)
		g.Launch.SubgroupSize = 4
		expect(t, w, engine.StopPipe)
		if !w.Overtake() {
			t.Fatal("nobody to go on")
		}
		expect(t, w, engine.StopPipe)
		if w.Parked() != 4 || w.Live() != 8 || len(waiting(w)) != 1 {
			t.Fatalf("%d parked, %d live, %v", w.Parked(), w.Live(), waiting(w))
		}
		if w.Overtake() {
			t.Error("lanes at a barrier can go on")
		}
		b.put(t, 3)
		expect(t, w, engine.StopPipe)
		// The last lane still waits; a sub-group of which all have come goes on.
		parked, live := 7, 8
		if scope == isa.ScopeSubgroup {
			parked, live = 3, 4
		}
		if w.Parked() != parked || w.Live() != live {
			t.Errorf("scope %d: %d parked, %d live, want %d and %d", scope, w.Parked(), w.Live(), parked, live)
		}
		b.put(t, 1)
		if scope == isa.ScopeSubgroup {
			expect(t, w, engine.StopDone)
			continue
		}
		expect(t, w, engine.StopBarrier)
		if w.Parked() != 8 {
			t.Errorf("%d parked", w.Parked())
		}
		w.Open()
		expect(t, w, engine.StopDone)
	}
}

// TestPipeGiveWay spins until a packet is there: each trip that brings nothing is
// the last of its turn.
func TestPipeGiveWay(t *testing.T) {
	for _, op := range []isa.PipeOp{isa.PipeRead, isa.PipeReserveRead, isa.PipeNumPackets, isa.PipeWrite} {
		b := newPipeKernel(t, 2)
		a := b.access(op)
		ty := op.Result()
		if op == isa.PipeReserveRead {
			a.Count = b.constant(1)
		}
		b.br(1)
		ok, again := b.reg(ty), b.reg(isa.B1)
		b.pipe(ok, a)
		switch op {
		case isa.PipeRead, isa.PipeWrite:
			b.op(isa.OpNe, ty, again, ok, b.zero)
		default:
			b.op(isa.OpEq, ty, again, ok, b.zero)
		}
		b.brCond(again, 1, 2)
		b.ret()
		if op == isa.PipeWrite {
			b.put(t, 2)
		}
		w, g := b.start(t, 1)
		for range 5 {
			expect(t, w, engine.StopQuantum)
		}
		g.Launch.Cancel = new(atomic.Bool)
		g.Launch.Cancel.Store(true)
		expect(t, w, engine.StopCancelled)
		g.Launch.Cancel.Store(false)
		if op == isa.PipeWrite {
			b.p.Get(make([]byte, 4))
		} else {
			b.put(t, 1)
		}
		expect(t, w, engine.StopDone)
	}
	// A wave that gets on does not give way: it reads two packets where there
	// are more, and asks for others in vain.
	b := newPipeKernel(t, 200)
	empty := testPipe(t, b.mem, memory.PipeOptions{PacketBytes: 4, PacketAlign: 4, Capacity: 1})
	in := b.access(isa.PipeRead)
	in.Pipe = b.constant(uint64(empty.Handle()))
	loop(b.builder, 100, func(isa.Reg) {
		b.pipe(b.reg(isa.I32), in)
		b.pipe(b.reg(isa.I32), b.access(isa.PipeRead))
		b.pipe(isa.None, in)
	})
	b.put(t, 200)
	g := group(t, pipes(b.launch(b.mem, 2), b.p, empty))
	w := b.compile(t).NewWave(2)
	w.Start(g, 0, 2)
	expect(t, w, engine.StopDone)
}

// TestPipeMistakes uses reservations as they must not be used.
func TestPipeMistakes(t *testing.T) {
	const items = 8
	item := memory.PipeOwner{Kind: memory.OwnerItem, Items: 1}
	for _, c := range []struct {
		name   string
		id     func(p, q *memory.Pipe) uint64
		op     isa.PipeOp
		scope  isa.Scope
		want   memory.ReserveMistake
		lanes  int
		detail string
	}{
		{"invalid", func(p, q *memory.Pipe) uint64 { return 0 }, isa.PipeCommitWrite, isa.ScopeSubgroup, memory.ReserveInvalid, items, "invalid reservation id"},
		{"unknown", func(p, q *memory.Pipe) uint64 { return 12345 }, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveUnknown, items, "no reservation of pipe p (0x3039)"},
		{"not yet", func(p, q *memory.Pipe) uint64 { return 1<<40 | 1 }, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveUnknown, items, "no reservation"},
		{"other pipe", func(p, q *memory.Pipe) uint64 { return q.Reserve(true, 1, item, 0).ID }, isa.PipeCommitWrite, isa.ScopeInvocation, memory.ReserveOtherPipe, items, "of another pipe"},
		{"committed", func(p, q *memory.Pipe) uint64 {
			r := p.Reserve(true, 1, item, 0)
			defer p.Commit(r)
			return r.ID
		}, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveCommitted, items, "committed already"},
		{"direction", func(p, q *memory.Pipe) uint64 { return p.Reserve(true, 1, item, 0).ID }, isa.PipeReservedRead, isa.ScopeInvocation, memory.ReserveDirection, items, "a reservation to write"},
		{"item", func(p, q *memory.Pipe) uint64 { return p.Reserve(true, 1, item, 0).ID }, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveOwner, items - 1, "of another work-item"},
		{"launch", func(p, q *memory.Pipe) uint64 {
			return p.Reserve(true, 1, memory.PipeOwner{Kind: memory.OwnerGroup, Launch: 1, Items: items}, 0).ID
		}, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveOwner, items, "of another kernel"},
		{"group", func(p, q *memory.Pipe) uint64 {
			return p.Reserve(true, 1, memory.PipeOwner{Kind: memory.OwnerGroup, Group: 1, Items: items}, 0).ID
		}, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveOwner, items, "of another work-group"},
		{"sub-group", func(p, q *memory.Pipe) uint64 {
			return p.Reserve(true, 4, memory.PipeOwner{Kind: memory.OwnerSubgroup, First: 4, Items: 4}, 0).ID
		}, isa.PipeReservedWrite, isa.ScopeInvocation, memory.ReserveOwner, 4, "of another sub-group"},
		{"kind", func(p, q *memory.Pipe) uint64 {
			return p.Reserve(true, 1, memory.PipeOwner{Kind: memory.OwnerGroup, Items: items}, 0).ID
		}, isa.PipeCommitWrite, isa.ScopeInvocation, memory.ReserveKind, items, "that a work-group made, of 1 packet in pipe p, by a work-item"},
		{"kind of group", func(p, q *memory.Pipe) uint64 { return p.Reserve(true, 1, item, 0).ID }, isa.PipeCommitWrite, isa.ScopeWorkgroup, memory.ReserveKind, 1, "that a work-item made, of 1 packet in pipe p, by a work-group"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newPipeKernel(t, 16)
			q := testPipe(t, b.mem, memory.PipeOptions{Name: "q", PacketBytes: 4, PacketAlign: 4, Capacity: 16})
			a := b.access(c.op)
			a.Scope = c.scope
			a.Reserve = b.constant(c.id(b.p, q))
			if c.op == isa.PipeReservedRead || c.op == isa.PipeReservedWrite {
				a.Index, a.Pointer = b.zero, b.x
			}
			n := items
			if c.scope == isa.ScopeWorkgroup {
				n = 1
			}
			pc := b.pipe(isa.None, a)
			b.ret()
			l := pipes(b.launch(b.mem, n), b.p, q)
			l.SubgroupSize = 4
			f, _ := runGroup(t, b.compile(t), group(t, l), n)
			if f == nil || f.Code != finding.PipeReserve || f.PC != pc || f.Pipe == nil || f.Pipe.Mistake != c.want || f.Lanes != c.lanes || !strings.Contains(f.Pipe.Error(), c.detail) {
				t.Fatalf("fault %+v: %v", f, f.Pipe)
			}
		})
	}
}

// TestPipeForeign refuses a pipe that the launch was not given.
func TestPipeForeign(t *testing.T) {
	b := newPipeKernel(t, 16)
	q := testPipe(t, b.mem, memory.PipeOptions{PacketBytes: 4, PacketAlign: 4, Capacity: 16})
	a := b.access(isa.PipeRead)
	a.Pipe = b.constant(uint64(q.Handle()) + isa.PipeReadEnd)
	b.pipe(isa.None, a)
	b.ret()
	w, _ := b.start(t, 3)
	expect(t, w, engine.StopFault)
	if f := w.Fault(); f.Code != finding.BadPointer || f.Lanes != 3 || f.Memory.Error() != "read of 4 bytes through a pipe that the kernel was not given (pipe:2+1)" {
		t.Errorf("fault %+v: %v", f, f.Memory)
	}
	b.k.UsesPipes = false
	if _, err := (Engine{}).Compile(&isa.Program{}, b.k); !errors.Is(err, isa.ErrMalformed) {
		t.Error(err)
	}
}

// TestPipeMany looks up the pipes of launches that have many, of two launches in turn.
func TestPipeMany(t *testing.T) {
	const n = 100
	b := newPipeKernel(t, 4)
	table, _ := b.mem.Alloc("table", n*8, false)
	var all []*memory.Pipe
	for i := range n {
		q := testPipe(t, b.mem, memory.PipeOptions{PacketBytes: 4, PacketAlign: 4, Capacity: uint32(i + 1)})
		binary.LittleEndian.PutUint64(b.mem.Lookup(table.Alloc()).Data[i*8:], uint64(q.Handle()))
		all = append(all, q)
	}
	h, v := b.reg(isa.I64), b.reg(isa.I32)
	b.load(isa.I64, isa.SpaceGlobal, h, b.constant(uint64(table)), b.lane, isa.IdxU32, 8)
	a := b.access(isa.PipeMaxPackets)
	a.Pipe = h
	pc := b.pipe(v, a)
	b.store(isa.I32, isa.SpaceGlobal, b.constant(uint64(table)), b.lane, isa.IdxU32, 8, v)
	b.ret()
	w := b.compile(t).NewWave(n)
	half := group(t, pipes(b.launch(b.mem, n), all[:n/2]...))
	w.Start(half, 0, n)
	expect(t, w, engine.StopFault)
	if f := w.Fault(); f.Code != finding.BadPointer || f.PC != pc || f.Lane != n/2 || f.Lanes != n/2 {
		t.Errorf("fault %+v", f)
	}
	w.Start(group(t, pipes(b.launch(b.mem, n), all...)), 0, n)
	expect(t, w, engine.StopDone)
	for i := range n {
		if got := binary.LittleEndian.Uint32(b.mem.Lookup(table.Alloc()).Data[i*8:]); got != uint32(i+1) {
			t.Errorf("pipe %d has capacity %d", i, got)
		}
	}
}

// TestPipeChecks makes the findings that only checks make.
func TestPipeChecks(t *testing.T) {
	reserve := func(change func(b *pipeKernel, a *isa.PipeAccess)) (*engine.Fault, []*engine.Fault) {
		b := newPipeKernel(t, 16)
		four := b.constant(4)
		r, index := b.reg(isa.I64), b.reg(isa.I32)
		a := b.access(isa.PipeReserveWrite)
		a.Scope, a.Count = isa.ScopeSubgroup, four
		change(b, &a)
		b.pipe(r, a)
		b.flags(isa.FlagUniform)
		b.op(isa.OpAnd, isa.I32, index, b.lane, b.constant(2))
		w := b.access(isa.PipeReservedWrite)
		w.Reserve, w.Index, w.Pointer = r, index, b.x
		b.pipe(isa.None, w)
		c := b.access(isa.PipeCommitWrite)
		c.Scope, c.Reserve = isa.ScopeSubgroup, r
		b.pipe(isa.None, c)
		b.flags(isa.FlagUniform)
		b.ret()
		b.ret()
		l := pipes(b.launch(b.mem, 8), b.p)
		l.SubgroupSize, l.Check = 4, true
		g := group(t, l)
		var told []*engine.Fault
		g.Report = func(f *engine.Fault) { told = append(told, f) }
		f, _ := runGroup(t, b.compile(t), g, 8)
		return f, told
	}
	f, told := reserve(func(*pipeKernel, *isa.PipeAccess) {})
	if f != nil || len(told) != 2 {
		t.Fatalf("fault %+v, %d findings", f, len(told))
	}
	for i, f := range told {
		if f.Code != finding.PipeUnwritten || f.Lane != i*4 || f.Lanes != 1 || f.Pipe.Index != 1 || f.Pipe.Packets != 2 || f.Pipe.Reservation.N != 4 {
			t.Errorf("finding %+v: %v", f, f.Pipe)
		}
	}
	f, _ = reserve(func(b *pipeKernel, a *isa.PipeAccess) { a.Count = b.lane })
	if f == nil || f.Code != finding.GroupUniform || f.Lane != 1 || f.Lanes != 6 || f.Detail != "the number of packets is not that of the first lane" {
		t.Errorf("fault %+v", f)
	}
	f, _ = reserve(func(b *pipeKernel, _ *isa.PipeAccess) {
		c := b.reg(isa.B1)
		b.op(isa.OpLtU, isa.I32, c, b.lane, b.constant(3))
		b.brCond(c, 1, 2)
	})
	if f == nil || f.Code != finding.GroupDiverged || f.Lane != 0 || f.Lanes != 3 {
		t.Errorf("fault %+v", f)
	}
}

// packetLog is a tracer that keeps what it is told.
type packetLog []string

func (l *packetLog) Packets(pipe memory.Pointer, write bool, pc, item int, first, n, now uint64) {
	*l = append(*l, fmt.Sprintf("%s write %v pc %d item %d packets %d+%d at %d", pipe, write, pc, item, first, n, now))
}

// TestPipeTrace tells of packets that move.
func TestPipeTrace(t *testing.T) {
	b := newPipeKernel(t, 16)
	r := b.reg(isa.I64)
	w := b.pipe(isa.None, b.access(isa.PipeWrite))
	res := b.access(isa.PipeReserveRead)
	res.Scope, res.Count = isa.ScopeSubgroup, b.constant(3)
	b.pipe(r, res)
	com := b.access(isa.PipeCommitRead)
	com.Scope, com.Reserve = isa.ScopeSubgroup, r
	c := b.pipe(isa.None, com)
	b.ret()
	b.put(t, 2)
	g := group(t, pipes(b.launch(b.mem, 8), b.p))
	g.Launch.SubgroupSize = 4
	var log packetLog
	g.PipeTrace, g.Turn = &log, 1000
	if f, _ := runGroup(t, b.compile(t), g, 4); f != nil {
		t.Fatal(f)
	}
	want := packetLog{
		fmt.Sprintf("pipe:1+0 write true pc %d item 0 packets 2+4 at 1002", w), fmt.Sprintf("pipe:1+0 write false pc %d item 0 packets 0+3 at 1004", c),
		fmt.Sprintf("pipe:1+0 write true pc %d item 4 packets 6+4 at 1002", w), fmt.Sprintf("pipe:1+0 write false pc %d item 4 packets 3+3 at 1004", c),
	}
	if !slices.Equal(log, want) {
		t.Errorf("got  %q\nwant %q", log, want)
	}
}

// TestPipeWatch announces the packets that pipes move from and to memory which an
// asynchronous copy uses; those of moves that fail, not.
func TestPipeWatch(t *testing.T) {
	b := newPipeKernel(t, 4)
	b.k.UsesAsync = true
	in := place(t, b.mem, "in", numbers(64, 1))
	to, from, n, bytes := b.constant(local1), b.constant(uint64(in)), b.constant(16), b.constant(4)
	event := b.reg(isa.I64)
	c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
	c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems], c.Args[isa.CopyElemBytes] = to, from, n, bytes
	b.groupCopy(event, c)
	access := func(op isa.PipeOp, ptr isa.Reg) int {
		a := b.access(op)
		a.Pointer = ptr
		return b.pipe(isa.None, a)
	}
	access(isa.PipeRead, to) // in vain
	write := access(isa.PipeWrite, to)
	access(isa.PipeWrite, from) // only read by the copy, too
	access(isa.PipeWrite, b.x)
	read := access(isa.PipeRead, from)
	b.groupWait(event)
	access(isa.PipeRead, to)
	access(isa.PipeRead, b.x)
	b.ret()
	l := pipes(b.launch(b.mem, 1), b.p)
	l.LocalSizes, l.Check = []uint64{64}, true
	var r recorder
	g := asyncGroup(t, l, dma.Config{Check: true, Sink: &r})
	if f, _ := runGroup(t, b.compile(t), g, 8); f != nil {
		t.Fatalf("fault %+v", f)
	}
	g.DMA.End(0)
	want := []string{fmt.Sprintf("%s@%d", finding.AsyncRead, write), fmt.Sprintf("%s@%d", finding.AsyncWrite, read)}
	if !slices.Equal(r.findings, want) {
		t.Errorf("findings %v, want %v", r.findings, want)
	}
	if b.p.Len() != 0 {
		t.Errorf("%d packets are left", b.p.Len())
	}
}

// TestPipeFaultState faults in the middle: the lanes before have their packets,
// and nothing else has moved.
func TestPipeFaultState(t *testing.T) {
	b := newPipeKernel(t, 16)
	out, _ := b.mem.Alloc("out", 40, false)
	ptr := b.reg(isa.I64)
	b.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: ptr, A: b.constant(uint64(out)), B: b.lane, Idx: isa.IdxU32, Scale: 4})
	a := b.access(isa.PipeRead)
	a.Pointer = ptr
	b.pipe(isa.None, a)
	b.ret()
	b.put(t, 16)
	w, _ := b.start(t, 32)
	expect(t, w, engine.StopFault)
	// Lane 10 is the first that reaches past the end; all behind it would, too.
	if f := w.Fault(); f.Code != finding.OutOfBounds || f.Lane != 10 || f.Lanes != 22 || f.Memory.Region != "out" {
		t.Errorf("fault %+v", f)
	}
	if read, _ := b.p.Moved(); read != 10 {
		t.Errorf("%d packets read", read)
	}
	for i := range uint32(10) {
		if got := binary.LittleEndian.Uint32(b.mem.Lookup(out.Alloc()).Data[i*4:]); got != i+1 {
			t.Errorf("packet %d: %d", i, got)
		}
	}
}
