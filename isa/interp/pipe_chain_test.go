package interp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// chainStage makes the kernel of a stage: each lane takes as many packets as
// table says, by blocking reads of one pipe, and hands x*3+stage on to the
// next by blocking writes. Lanes with an odd number take another way between.
func chainStage(t testing.TB, mem *memory.Global, from, to *memory.Pipe, counts []int, stage int) *builder {
	table, err := mem.Alloc("counts", uint64(len(counts))*4, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range counts {
		binary.LittleEndian.PutUint32(mem.Lookup(table.Alloc()).Data[i*4:], uint32(n))
	}
	b := newPipeBuilder()
	b.k.Private = []isa.Alloc{{Name: "x", Size: 4, Align: 4}}
	in, out := b.constant(uint64(from.Handle())+isa.PipeReadEnd), b.constant(uint64(to.Handle())+isa.PipeWriteEnd)
	x, four, zero, one, three := b.constant(isa.PointerBits(isa.SpacePrivate, 0)), b.constant(4), b.constant(0), b.constant(1), b.constant(3)
	plus := b.constant(uint64(stage))
	lane, left, v, bit, c := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, lane)
	b.load(isa.I32, isa.SpaceGlobal, left, b.constant(uint64(table)), lane, isa.IdxU32, 4)
	b.op(isa.OpNe, isa.I32, c, left, zero)
	b.brCond(c, 1, 7)
	b.block(isa.PipeAccess{Name: "read", Op: isa.PipeRead, Pipe: in, Pointer: x, PacketBytes: four, PacketAlign: four}, zero)
	b.load(isa.I32, isa.SpacePrivate, v, x, isa.None, isa.IdxNone, 0)
	b.op(isa.OpMul, isa.I32, v, v, three)
	b.op(isa.OpAnd, isa.I32, bit, v, one)
	b.op(isa.OpNe, isa.I32, c, bit, zero)
	b.brCond(c, 3, 4)
	b.op(isa.OpSub, isa.I32, left, left, zero)
	b.br(4)
	// Packets that are odd come here later than the others.
	b.op(isa.OpAdd, isa.I32, v, v, plus)
	b.store(isa.I32, isa.SpacePrivate, x, isa.None, isa.IdxNone, 0, v)
	b.br(5)
	b.block(isa.PipeAccess{Name: "write", Op: isa.PipeWrite, Pipe: out, Pointer: x, PacketBytes: four, PacketAlign: four}, zero)
	b.op(isa.OpSub, isa.I32, left, left, one)
	b.op(isa.OpNe, isa.I32, c, left, zero)
	b.brCond(c, 1, 7)
	b.ret()
	return b
}

// TestPipeChain sends packets through chains of stages, in random turns. A third
// of them are rings, with fewer packets than lanes: those that have one must go
// on ahead of those that wait.
func TestPipeChain(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 30
	}
	overtaken := 0
	for seed := range seeds {
		overtaken += runChain(t, seed)
	}
	if overtaken == 0 {
		t.Error("no wave was ever overtaken")
	}
}

func runChain(t *testing.T, seed uint64) (overtaken int) {
	r := rand.New(rand.NewPCG(seed, 3))
	mem := memory.NewGlobal(1 << 20)
	packets, stages := 1+r.IntN(300), 1+r.IntN(4)
	newPipe := func(capacity int) *memory.Pipe {
		return testPipe(t, mem, memory.PipeOptions{PacketBytes: 4, PacketAlign: 4, Capacity: uint32(capacity)})
	}
	ring, tokens := seed%3 == 0, packets
	if ring {
		tokens = min(packets, 1+r.IntN(1+r.IntN(10)))
	}
	list := []*memory.Pipe{newPipe(tokens)}
	for i := range uint32(tokens) {
		list[0].Put(binary.LittleEndian.AppendUint32(nil, i))
	}
	type member struct {
		engine.Wave
		in, out  *memory.Pipe
		versions [2]uint64
		state    engine.Stop
	}
	var waves []*member
	for s := range stages {
		var next *memory.Pipe
		switch {
		case s < stages-1:
			next = newPipe(1 + r.IntN(1+r.IntN(100)))
		case ring:
			next = list[0]
		default:
			next = newPipe(packets)
		}
		lanes := 1 + r.IntN(150)
		counts := make([]int, lanes)
		for range packets {
			counts[r.IntN(1+r.IntN(lanes))]++
		}
		in := list[len(list)-1]
		list = append(list, next)
		b := chainStage(t, mem, in, next, counts, s)
		l := pipes(b.launch(mem, lanes), in, next)
		g := group(t, l)
		c := b.compile(t)
		width := 32 * (1 + r.IntN(6))
		for first := 0; first < lanes; first += width {
			w := c.NewWave(width)
			w.Start(g, first, min(width, lanes-first))
			waves = append(waves, &member{Wave: w, in: in, out: next, state: engine.StopQuantum})
		}
	}
	for {
		var can []*member
		done := 0
		for _, m := range waves {
			switch {
			case m.state == engine.StopDone:
				done++
			case m.state == engine.StopQuantum, m.versions != [2]uint64{m.in.Version(), m.out.Version()}:
				can = append(can, m)
			}
		}
		if done == len(waves) {
			break
		}
		if len(can) == 0 {
			for _, m := range waves {
				if m.state == engine.StopPipe && m.Overtake() {
					overtaken++
					can = append(can, m)
				}
			}
			if len(can) == 0 {
				t.Fatalf("seed %d: a standstill", seed)
			}
		}
		m := can[r.IntN(len(can))]
		// The versions before: a wave may itself move what its lanes wait for.
		m.versions = [2]uint64{m.in.Version(), m.out.Version()}
		m.state = m.Run(r.IntN(4))
		if m.state == engine.StopFault {
			t.Fatalf("seed %d: fault %+v", seed, m.Fault())
		}
		waitingLanes := 0
		m.Piping(func(_ int, h memory.Pointer, lanes []int) {
			waitingLanes += len(lanes)
			if h != m.in.Handle()+isa.PipeReadEnd && h != m.out.Handle()+isa.PipeWriteEnd {
				t.Fatalf("seed %d: waits at %s", seed, h)
			}
		})
		if (m.state == engine.StopPipe) && waitingLanes == 0 || waitingLanes > m.Live() {
			t.Fatalf("seed %d: %d of %d wait after stop %d", seed, waitingLanes, m.Live(), m.state)
		}
	}
	var want []uint32
	for i := range uint32(tokens) {
		v, rounds := i, 1
		if ring {
			rounds = packets
		}
		for range rounds {
			for s := range uint32(stages) {
				v = v*3 + s
			}
		}
		want = append(want, v)
	}
	var got []uint32
	var b [4]byte
	for list[stages].Get(b[:]) == 1 {
		got = append(got, binary.LittleEndian.Uint32(b[:]))
	}
	slices.Sort(want)
	slices.Sort(got)
	if ring && tokens > 1 {
		// Which token goes round how often is a matter of the turns.
		if read, written := list[0].Moved(); len(got) != tokens || read != uint64(packets+tokens) || written != read {
			t.Fatalf("seed %d: %d of %d tokens, %d packets read and %d written for %d", seed, len(got), tokens, read, written, packets)
		}
		return overtaken
	}
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: %s", seed, fmt.Sprint(got, " want ", want))
	}
	return overtaken
}
