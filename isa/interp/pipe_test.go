package interp

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

func newPipeBuilder() *builder {
	b := newBuilder()
	b.k.UsesPipes = true
	return b
}

// pipe appends a pipe instruction. Sizes that are not there are those of q.
func (b *builder) pipe(dst isa.Reg, a isa.PipeAccess) int {
	if a.Scope == 0 {
		a.Scope = isa.ScopeInvocation
	}
	b.k.PipeAccesses = append(b.k.PipeAccesses, a)
	return b.emit(isa.Inst{Op: isa.OpPipe, Dst: dst, Imm: uint32(len(b.k.PipeAccesses) - 1)})
}

// block appends a blocking operation as a block of its own, and returns the
// pc of the pipe instruction. The next block is the one behind it.
func (b *builder) block(a isa.PipeAccess, zero isa.Reg) int {
	a.Blocking = true
	self := len(b.k.Blocks)
	ok, c := b.reg(isa.I32), b.reg(isa.B1)
	pc := b.pipe(ok, a)
	b.op(isa.OpEq, isa.I32, c, ok, zero)
	in := isa.Inst{Op: isa.OpBrCond, A: c, Flags: isa.FlagWait, Imm: uint32(len(b.k.PipeAccesses) - 1)}
	in.SetTargets(self+1, self)
	b.emit(in)
	return pc
}

// testPipe makes a pipe in a memory.
func testPipe(t testing.TB, mem *memory.Global, opt memory.PipeOptions) *memory.Pipe {
	t.Helper()
	p, err := memory.NewPipe(opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mem.AddPipe(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// pipes gives a launch its pipes.
func pipes(l *engine.Launch, list ...*memory.Pipe) *engine.Launch {
	for _, p := range list {
		l.Pipes = append(l.Pipes, engine.PipeEnd{Pipe: p, Handle: p.Handle(), Reads: true, Writes: true})
	}
	return l
}

// TestPipeBlocking lets a wave of readers wait until the host has written
// enough.
func TestPipeBlocking(t *testing.T) {
	const n = 100
	mem := memory.NewGlobal(1 << 20)
	p := testPipe(t, mem, memory.PipeOptions{Name: "p", PacketBytes: 4, PacketAlign: 4, Capacity: 64})
	out, _ := mem.Alloc("out", n*4, false)
	b := newPipeBuilder()
	b.k.Private = []isa.Alloc{{Name: "x", Size: 4, Align: 4}}
	pipe, x, to := b.constant(uint64(p.Handle())+isa.PipeReadEnd), b.constant(isa.PointerBits(isa.SpacePrivate, 0)), b.constant(uint64(out))
	four, zero := b.constant(4), b.constant(0)
	id, v := b.reg(isa.I32), b.reg(isa.I32)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.br(1)
	pc := b.block(isa.PipeAccess{Name: "read", Op: isa.PipeRead, Pipe: pipe, Pointer: x, PacketBytes: four, PacketAlign: four}, zero)
	b.load(isa.I32, isa.SpacePrivate, v, x, isa.None, isa.IdxNone, 0)
	b.store(isa.I32, isa.SpaceGlobal, to, id, isa.IdxU32, 4, v)
	b.ret()
	w := b.compile(t).NewWave(n)
	w.Start(group(t, pipes(b.launch(mem, n), p)), 0, n)
	sent := uint32(0)
	for {
		s := w.Run(0)
		if s == engine.StopDone {
			break
		}
		if s != engine.StopPipe {
			t.Fatal(s, w.Fault())
		}
		called := 0
		w.Piping(func(at int, h memory.Pointer, lanes []int) {
			called++
			if at != pc || h != p.Handle()+isa.PipeReadEnd || len(lanes) != n-int(sent) || lanes[0] != int(sent) || lanes[len(lanes)-1] != n-1 {
				t.Fatalf("waits at %d for %s: %v", at, h, lanes)
			}
		})
		if called != 1 {
			t.Fatal("Piping called", called)
		}
		if sent == 0 && w.Overtake() {
			t.Fatal("overtaken by nobody")
		}
		for range 7 {
			if sent < n {
				p.Put(binary.LittleEndian.AppendUint32(nil, sent*3))
				sent++
			}
		}
	}
	data := mem.Lookup(out.Alloc()).Data
	for i := range uint32(n) {
		if got := binary.LittleEndian.Uint32(data[i*4:]); got != i*3 {
			t.Fatalf("item %d read %d", i, got)
		}
	}
}

// BenchmarkPipe times reads and writes of packets, by 64 lanes at a time.
func BenchmarkPipe(b *testing.B) {
	const n, rounds = 64, 1024
	type shape struct {
		name  string
		space isa.Space
		op    isa.PipeOp
	}
	shapes := []shape{
		{"read/private", isa.SpacePrivate, isa.PipeRead}, {"write/private", isa.SpacePrivate, isa.PipeWrite},
		{"read/local", isa.SpaceLocal, isa.PipeRead}, {"write/local", isa.SpaceLocal, isa.PipeWrite},
		{"reserved_read/private", isa.SpacePrivate, isa.PipeReservedRead}, {"reserved_write/private", isa.SpacePrivate, isa.PipeReservedWrite},
		{"reserved_read/local", isa.SpaceLocal, isa.PipeReservedRead}, {"reserved_write/local", isa.SpaceLocal, isa.PipeReservedWrite},
	}
	for _, size := range []uint32{1, 2, 4, 8, 16, 64} {
		for _, s := range shapes {
			b.Run(fmt.Sprintf("%s/%d", s.name, size), func(b *testing.B) {
				mem := memory.NewGlobal(1 << 24)
				p := testPipe(b, mem, memory.PipeOptions{PacketBytes: size, Capacity: n*rounds + 17})
				k := newPipeBuilder()
				k.k.Private = []isa.Alloc{{Name: "x", Size: 64, Align: 16}}
				pipe, bytes, zero := k.constant(uint64(p.Handle())), k.constant(uint64(size)), k.constant(0)
				base, count := k.constant(isa.PointerBits(s.space, 0)), k.constant(n)
				id, ok, ptr, reserve := k.reg(isa.I32), k.reg(isa.I32), k.reg(isa.I64), k.reg(isa.I64)
				to := base
				k.builtin(isa.BuiltinLocalID, isa.I32, id)
				if s.space == isa.SpaceLocal {
					k.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: ptr, A: base, B: id, Idx: isa.IdxU32, Scale: size})
					to = ptr
				}
				a := isa.PipeAccess{Name: "move", Op: s.op, Pipe: pipe, Pointer: to, PacketBytes: bytes, PacketAlign: zero}
				if s.op == isa.PipeReservedRead || s.op == isa.PipeReservedWrite {
					r := isa.PipeAccess{Name: "reserve", Op: isa.PipeReserveRead, Scope: isa.ScopeSubgroup, Pipe: pipe, Count: count, PacketBytes: bytes, PacketAlign: zero}
					if s.op == isa.PipeReservedWrite {
						r.Op = isa.PipeReserveWrite
					}
					k.pipe(reserve, r)
					a.Reserve, a.Index = reserve, id
				}
				loop(k, rounds, func(isa.Reg) { k.pipe(ok, a) })
				l := pipes(k.launch(mem, n), p)
				l.LocalSizes, l.SubgroupSize = []uint64{n * 64}, n
				g := group(b, l)
				w := k.compile(b).NewWave(n)
				perLaneOp(b, n*rounds, func() {
					p.Reset()
					if s.op.Reads() {
						p.Move(true, n*rounds)
					}
					w.Start(g, 0, n)
					if s := w.Run(0); s != engine.StopDone {
						b.Fatal(s, w.Fault())
					}
				})
			})
		}
	}
}

// BenchmarkPipeReserve times reservations of one packet by each of 64 lanes, with
// the access and the commit, and those of a sub-group for all.
func BenchmarkPipeReserve(b *testing.B) {
	const n, rounds = 64, 256
	for _, scope := range []isa.Scope{isa.ScopeInvocation, isa.ScopeSubgroup} {
		b.Run(map[isa.Scope]string{isa.ScopeInvocation: "work-item", isa.ScopeSubgroup: "sub-group"}[scope], func(b *testing.B) {
			k := newPipeKernel(b, n)
			count, index := k.constant(1), k.zero
			if scope == isa.ScopeSubgroup {
				count, index = k.constant(n), k.lane
			}
			r, ok := k.reg(isa.I64), k.reg(isa.I32)
			access := func(op isa.PipeOp) isa.PipeAccess {
				a := k.access(op)
				switch op {
				case isa.PipeReservedRead, isa.PipeReservedWrite:
					a.Reserve, a.Index, a.Pointer = r, index, k.x
				case isa.PipeReserveRead, isa.PipeReserveWrite:
					a.Scope, a.Count = scope, count
				default:
					a.Scope, a.Reserve = scope, r
				}
				return a
			}
			loop(k.builder, rounds, func(isa.Reg) {
				for _, ops := range [][3]isa.PipeOp{{isa.PipeReserveWrite, isa.PipeReservedWrite, isa.PipeCommitWrite}, {isa.PipeReserveRead, isa.PipeReservedRead, isa.PipeCommitRead}} {
					k.pipe(r, access(ops[0]))
					k.pipe(ok, access(ops[1]))
					k.pipe(isa.None, access(ops[2]))
				}
			})
			w, g := k.start(b, n)
			g.Launch.SubgroupSize = n
			perLaneOp(b, n*rounds, func() {
				w.Start(g, 0, n)
				if s := w.Run(0); s != engine.StopDone {
					b.Fatal(s, w.Fault())
				}
			})
		})
	}
}
