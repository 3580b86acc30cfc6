package memory_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// modelPipe is a pipe in the plainest way: its packets in order, each with what
// is being done to it.
type modelPipe struct {
	capacity, size int
	packets        []modelPacket
}

type modelPacket struct {
	data  []byte
	state int
	of    uint64 // the reservation that has it
}

const (
	writing = iota // reserved, not committed
	ready
	reading // reserved, not committed
	gone
)

// readable returns the packets that can be read, as places in packets.
func (m *modelPipe) readable() (list []int) {
	for i, p := range m.packets {
		switch p.state {
		case writing:
			return list
		case ready:
			list = append(list, i)
		}
	}
	return list
}

func (m *modelPipe) room() int { return m.capacity - len(m.packets) }

func (m *modelPipe) trim() {
	for len(m.packets) > 0 && m.packets[0].state == gone {
		m.packets = m.packets[1:]
	}
}

// of returns the packets of a reservation.
func (m *modelPipe) of(id uint64) (list []*modelPacket) {
	for i := range m.packets {
		if p := &m.packets[i]; p.of == id && (p.state == writing || p.state == reading) {
			list = append(list, p)
		}
	}
	return list
}

func newPipe(t testing.TB, opt memory.PipeOptions) *memory.Pipe {
	t.Helper()
	p, err := memory.NewPipe(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPipeModel does random things to a pipe and to the model of one.
func TestPipeModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		size, capacity := 1+r.IntN(9), 1+r.IntN(40)
		if seed%10 == 0 {
			capacity = 150 + r.IntN(200) // sets of several words
		}
		p := newPipe(t, memory.PipeOptions{PacketBytes: uint32(size), Capacity: uint32(capacity)})
		if seed%2 == 0 {
			if _, err := memory.NewGlobal(1 << 20).AddPipe(p); err != nil {
				t.Fatal(err)
			}
		}
		m := &modelPipe{capacity: capacity, size: size}
		var open []uint64
		next := byte(0)
		fresh := func() []byte {
			b := make([]byte, size)
			for i := range b {
				next++
				b[i] = next | 1 // never 0
			}
			return b
		}
		version := p.Version()
		for step := range 400 {
			fail := func(format string, args ...any) {
				t.Helper()
				t.Fatalf("seed %d, step %d: %s", seed, step, fmt.Sprintf(format, args...))
			}
			changed := false
			switch r.IntN(8) {
			case 0: // single writes
				want := r.IntN(5)
				first, got := p.Write(uint64(want))
				if int(got) != min(want, m.room()) {
					fail("room for %d of %d, want %d", got, want, m.room())
				}
				for i := range got {
					b := fresh()
					copy(p.Packet(first+i), b)
					m.packets = append(m.packets, modelPacket{data: b, state: ready})
				}
				p.Wrote(first, got)
				changed = got > 0
			case 1: // single reads
				want, list := r.IntN(5), m.readable()
				first, got := p.Read(uint64(want))
				if int(got) != min(want, len(list)) {
					fail("%d of %d packets, want %d", got, want, len(list))
				}
				for i := range got {
					q := &m.packets[list[i]]
					if !bytes.Equal(p.Packet(first+i), q.data) {
						fail("packet %d: % x, want % x", i, p.Packet(first+i), q.data)
					}
					q.state = gone
				}
				p.Done(first, got)
				changed = got > 0
			case 2: // the host writes
				n := r.IntN(2 * capacity)
				var b []byte
				for range n {
					b = append(b, fresh()...)
				}
				put := min(n, m.room())
				for i := range put {
					m.packets = append(m.packets, modelPacket{data: b[i*size:][:size], state: ready})
				}
				if got := p.Put(append(b, make([]byte, size-1)...)); got != put {
					fail("Put %d, want %d", got, put)
				}
				changed = put > 0
			case 3: // the host reads
				list := m.readable()
				b := make([]byte, r.IntN(capacity+1)*size+r.IntN(size))
				want := min(len(list), len(b)/size)
				if got := p.Get(b); got != want {
					fail("Get %d, want %d", got, want)
				}
				for i := range want {
					q := &m.packets[list[i]]
					if !bytes.Equal(b[i*size:][:size], q.data) {
						fail("Get: packet %d: % x, want % x", i, b[i*size:][:size], q.data)
					}
					q.state = gone
				}
				changed = want > 0
			case 4, 5: // a reservation
				write, n := r.IntN(2) == 0, r.IntN(capacity/2+2)
				owner := memory.PipeOwner{Launch: r.IntN(3), Group: r.Uint64(), First: 3, Items: 1}
				res := p.Reserve(write, uint64(n), owner, step)
				list := m.readable()
				can := len(list)
				if write {
					can = m.room()
				}
				if (res != nil) != (n > 0 && n <= can) {
					fail("reservation of %d (write %v) where there are %d: %v", n, write, can, res)
				}
				if res == nil {
					break
				}
				if res.Owner != owner || res.PC != step || res.Write != write || int(res.N) != n || res.Committed || res.ID>>40 != uint64(p.Handle().Alloc()) {
					fail("reservation %+v", res)
				}
				for i := range n {
					if write {
						m.packets = append(m.packets, modelPacket{data: make([]byte, size), state: writing, of: res.ID})
					} else {
						q := &m.packets[list[i]]
						q.state, q.of = reading, res.ID
					}
				}
				open = append(open, res.ID)
				changed = true
			case 6: // an access
				if len(open) == 0 {
					break
				}
				id := open[r.IntN(len(open))]
				res, list := p.Reservation(id), m.of(id)
				if res == nil || int(res.N) != len(list) {
					fail("reservation %#x: %+v, want %d packets", id, res, len(list))
				}
				i := r.IntN(len(list))
				b := p.Packet(res.First + uint64(i))
				if res.Write {
					list[i].data = fresh()
					copy(b, list[i].data)
					res.Touch(uint64(i))
				} else if !bytes.Equal(b, list[i].data) {
					fail("reserved packet %d: % x, want % x", i, b, list[i].data)
				}
			case 7: // a commit
				if len(open) == 0 {
					break
				}
				i := r.IntN(len(open))
				id := open[i]
				open = append(open[:i], open[i+1:]...)
				res, list := p.Reservation(id), m.of(id)
				if res == nil {
					fail("no reservation %#x", id)
					return
				}
				if res.Write {
					missing, first := res.Missing()
					var want, wantFirst uint64
					for i, q := range list {
						if bytes.Equal(q.data, make([]byte, size)) {
							if want == 0 {
								wantFirst = uint64(i)
							}
							want++
						}
					}
					if missing != want || first != wantFirst {
						fail("missing %d from %d on, want %d from %d on", missing, first, want, wantFirst)
					}
				}
				p.Commit(res)
				for _, q := range list {
					if q.state == writing {
						q.state = ready
					} else {
						q.state = gone
					}
					q.of = 0
				}
				if p.Reservation(id) != nil || !p.WasReserved(id) || p.WasReserved(id+1<<20) {
					fail("after the commit of %#x: %v", id, p.Reservation(id))
				}
				changed = true
			}
			m.trim()
			if v := p.Version(); (v != version) != changed {
				fail("version %d, then %d; changed %v", version, v, changed)
			}
			version = p.Version()
			list := m.readable()
			if int(p.Len()) != len(list) || int(p.Room()) != m.room() || p.Can(false) != p.Len() || p.Can(true) != p.Room() {
				fail("%d packets and room for %d, want %d and %d", p.Len(), p.Room(), len(list), m.room())
			}
			count := 0
			p.Open(func(res *memory.Reservation) {
				count++
				if p.Reservation(res.ID) != res {
					fail("%#x is not found", res.ID)
				}
			})
			if count != len(open) {
				fail("%d open reservations, want %d", count, len(open))
			}
			if n := uint64(len(list)); n > 0 {
				first, last := p.Packets(p.Next(false), n)
				all := append(bytes.Clone(first), last...)
				for i, at := range list {
					if !bytes.Equal(all[i*size:][:size], m.packets[at].data) {
						fail("packet %d of %d: % x", i, n, all[i*size:][:size])
					}
				}
			}
		}
	}
}

// TestPipeLong reserves and commits behind a reservation that stays open, and
// expects the pipe to take no more memory for that.
func TestPipeLong(t *testing.T) {
	p := newPipe(t, memory.PipeOptions{PacketBytes: 4, Capacity: 1 << 20})
	first := p.Reserve(true, 1, memory.PipeOwner{}, 0).ID
	prev := p.Reserve(true, 1, memory.PipeOwner{}, 0).ID
	step := func() {
		// One is open at the end all the time, so that no neighbours are committed at once.
		r := p.Reserve(true, 1, memory.PipeOwner{}, 0).ID
		p.Commit(p.Reservation(prev))
		first, _ := p.Write(1)
		p.Wrote(first, 1)
		prev = r
	}
	for range 10_000 {
		step()
	}
	if n := testing.AllocsPerRun(10_000, step); n != 0 {
		t.Errorf("%v allocations a reservation", n)
	}
	p.Commit(p.Reservation(first))
	if n := p.Len(); n != 40_002 {
		t.Errorf("%d packets", n)
	}
	p.Commit(p.Reservation(prev))
	if reading, held := p.Held(); p.Len() != 40_004 || reading+held != 0 {
		t.Errorf("%d packets, %d and %d held", p.Len(), reading, held)
	}
	// Many are open, and committed from the last to the first.
	var ids []uint64
	for r := p.Reserve(false, 1, memory.PipeOwner{}, 0); r != nil; r = p.Reserve(false, 1, memory.PipeOwner{}, 0) {
		ids = append(ids, r.ID)
	}
	if len(ids) != 40_004 {
		t.Fatalf("%d reservations", len(ids))
	}
	for i := range ids {
		p.Commit(p.Reservation(ids[len(ids)-1-i]))
	}
	if p.Room() != 1<<20 {
		t.Errorf("room for %d", p.Room())
	}
	for n := 0; ; n++ {
		if p.Reserve(true, 1, memory.PipeOwner{}, 0) == nil {
			if n != memory.MaxReservations {
				t.Errorf("%d reservations", n)
			}
			break
		}
	}
	p.Reset()
	if p.Room() != 1<<20 || p.Len() != 0 {
		t.Errorf("after Reset room for %d, %d packets", p.Room(), p.Len())
	}
	if r := p.Reserve(true, 1, memory.PipeOwner{}, 0); r.ID != first {
		t.Errorf("id %#x after Reset, %#x at first", r.ID, first)
	}
}

// TestPipeAllocs expects reads, writes and reservations not to allocate.
func TestPipeAllocs(t *testing.T) {
	p := newPipe(t, memory.PipeOptions{PacketBytes: 4, Capacity: 100})
	var b [40]byte
	if n := testing.AllocsPerRun(100, func() {
		w := p.Reserve(true, 90, memory.PipeOwner{}, 0)
		p.Put(b[:])
		p.Commit(p.Reservation(w.ID))
		r := p.Reserve(false, 70, memory.PipeOwner{}, 0)
		p.Get(b[:])
		p.Commit(p.Reservation(r.ID))
		for p.Len() > 0 {
			p.Move(false, 1)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPipeOptions(t *testing.T) {
	for _, opt := range []memory.PipeOptions{
		{PacketBytes: 0, Capacity: 1}, {PacketBytes: memory.MaxPacketBytes + 1, Capacity: 1}, {PacketBytes: 4, PacketAlign: 3, Capacity: 1},
		{PacketBytes: 4}, {PacketBytes: memory.MaxPacketBytes, Capacity: 1<<32 - 1},
	} {
		if _, err := memory.NewPipe(opt); !errors.Is(err, memory.ErrPipe) {
			t.Errorf("%+v: error %v", opt, err)
		}
	}
	p := newPipe(t, memory.PipeOptions{Name: "p", PacketBytes: 12, PacketAlign: 4, Capacity: 3})
	if p.Name() != "p" || p.PacketBytes() != 12 || p.PacketAlign() != 4 || p.Capacity() != 3 || p.Bytes() != 36 || p.Handle() != 0 {
		t.Errorf("%+v", p)
	}
}

// TestPipeHandles enters pipes into a memory and takes them out again.
func TestPipeHandles(t *testing.T) {
	g := memory.NewGlobal(100)
	var list []*memory.Pipe
	for i := range 3 {
		p := newPipe(t, memory.PipeOptions{Name: fmt.Sprint(i), PacketBytes: 4, Capacity: 5})
		h, err := g.AddPipe(p)
		if err != nil || h != memory.MakePointer(memory.SpacePipe, uint32(i+1), 0) || p.Handle() != h {
			t.Fatal(h, err)
		}
		list = append(list, p)
	}
	if g.Used() != 60 || g.Pipe(list[1].Handle()+1) != list[1] || g.Pipe(0) != nil || g.Pipe(memory.MakePointer(memory.SpacePipe, 4, 0)) != nil ||
		g.Pipe(memory.MakePointer(memory.SpaceGlobal, 1, 0)) != nil {
		t.Errorf("used %d", g.Used())
	}
	big := newPipe(t, memory.PipeOptions{Name: "big", PacketBytes: 1, Capacity: 41})
	var limit *memory.LimitError
	if _, err := g.AddPipe(big); !errors.As(err, &limit) || limit.Used != 60 || limit.Size != 41 {
		t.Error(err)
	}
	h := list[1].Handle()
	if err := g.FreePipe(h); err != nil || g.Used() != 40 || g.Pipe(h) != nil || list[1].Handle() != 0 {
		t.Error(err, g.Used())
	}
	if err := g.FreePipe(h); !errors.Is(err, memory.ErrNoAlloc) {
		t.Error(err)
	}
	if again, err := g.AddPipe(big); err != nil || again != h {
		t.Error(again, err)
	}
	// Numbers above a page, which are taken from the lowest on.
	g = memory.NewGlobal(1 << 20)
	var handles []memory.Pointer
	for i := range 3000 {
		h, err := g.AddPipe(newPipe(t, memory.PipeOptions{PacketBytes: 1, Capacity: 1}))
		if err != nil || h.Alloc() != uint32(i+1) {
			t.Fatal(h, err)
		}
		handles = append(handles, h)
	}
	for _, i := range []int{2500, 7, 1023, 1024} {
		if err := g.FreePipe(handles[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []uint32{8, 1024, 1025, 2501, 3001} {
		if h, err := g.AddPipe(newPipe(t, memory.PipeOptions{PacketBytes: 1, Capacity: 1})); err != nil || h.Alloc() != want {
			t.Error(h, err, want)
		}
	}
}

// TestPipeFault reads what faults say.
func TestPipeFault(t *testing.T) {
	base := memory.PipeFault{Op: "read", Pipe: "p", Handle: memory.MakePointer(memory.SpacePipe, 1, 2), PacketBytes: 4, PacketAlign: 4, Bytes: 8, Align: 8,
		Reservation: memory.Reservation{ID: 5, N: 3, Write: true, Owner: memory.PipeOwner{Kind: memory.OwnerSubgroup, Group: 7}}, Index: 4, Packets: 2, ID: 1<<40 | 5}
	for _, c := range []struct {
		change func(f *memory.PipeFault)
		want   string
	}{
		{func(f *memory.PipeFault) {}, "read with packets of 8 bytes at pipe p, whose packets have 4 bytes"},
		{func(f *memory.PipeFault) { f.Bytes, f.Align, f.Pipe = 4, 1, "" }, "read with packets aligned to 1 byte at the pipe, whose packets are aligned to 4"},
		{func(f *memory.PipeFault) { f.Kind = memory.PipeFaultDirection }, "read at the write end of pipe p"},
		{func(f *memory.PipeFault) {
			f.Kind, f.Op, f.Handle = memory.PipeFaultDirection, "write", memory.MakePointer(memory.SpacePipe, 1, 1)
		}, "write at the read end of pipe p"},
		{func(f *memory.PipeFault) { f.Kind = memory.PipeFaultIndex }, "read of packet 4 of a reservation of 3 packets in pipe p"},
		{func(f *memory.PipeFault) { f.Kind = memory.PipeFaultOpen }, "a reservation of 3 packets to write in pipe p was not committed when its sub-group ended"},
		{func(f *memory.PipeFault) { f.Kind = memory.PipeFaultUnwritten }, "2 packets of a reservation of 3 in pipe p, packet 4 first, were not written before it was committed"},
		{func(f *memory.PipeFault) { f.Kind, f.Packets = memory.PipeFaultUnwritten, 1 }, "packet 4 of a reservation of 3 packets in pipe p was not written before it was committed"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveInvalid }, "read through the invalid reservation id, at pipe p"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveUnknown }, "read through a value that is no reservation of pipe p (0x10000000005)"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveOtherPipe }, "read through a reservation of another pipe (0x10000000005), at pipe p"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveCommitted }, "read through a reservation of pipe p that is committed already (0x10000000005)"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveDirection }, "read through a reservation to write, of 3 packets in pipe p"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveKind }, "read through a reservation that a sub-group made, of 3 packets in pipe p, by a work-item"},
		{func(f *memory.PipeFault) { f.Mistake = memory.ReserveOwner }, "read through a reservation of another work-group, of 3 packets in pipe p"},
		{func(f *memory.PipeFault) { f.Mistake, f.By.Group = memory.ReserveOwner, 7 }, "read through a reservation of another sub-group, of 3 packets in pipe p"},
		{func(f *memory.PipeFault) { f.Mistake, f.By.Launch = memory.ReserveOwner, 1 }, "read through a reservation of another kernel, of 3 packets in pipe p"},
	} {
		f := base
		c.change(&f)
		if f.Mistake != 0 || strings.Contains(c.want, "through") {
			f.Kind = memory.PipeFaultReserve
		}
		if got := f.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	for _, c := range []struct {
		f    memory.Fault
		want string
	}{
		{memory.Fault{Kind: memory.FaultPointer, Size: 4, Pointer: 77, Expected: memory.SpacePipe}, "read of 4 bytes through a value that is no pipe (0x4d)"},
		{memory.Fault{Kind: memory.FaultPointer, Size: 4, Pointer: memory.MakePointer(memory.SpacePipe, 9, 1), Expected: memory.SpacePipe},
			"read of 4 bytes through a pipe that the kernel was not given (pipe:9+1)"},
		{memory.Fault{Kind: memory.FaultPointer, Size: 4, Pointer: memory.MakePointer(memory.SpacePipe, 9, 1)}, "read of 4 bytes through the handle of a pipe (pipe:9+1)"},
	} {
		if got := c.f.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// BenchmarkPipe times the moves of single packets and of reservations.
func BenchmarkPipe(b *testing.B) {
	p := newPipe(b, memory.PipeOptions{PacketBytes: 4, Capacity: 256})
	b.Run("move", func(b *testing.B) {
		for i := range b.N {
			binary.LittleEndian.PutUint32(p.Packet(p.Move(true, 1)), uint32(i))
			p.Move(false, 1)
		}
	})
	b.Run("reserve", func(b *testing.B) {
		for range b.N {
			w := p.Reserve(true, 64, memory.PipeOwner{}, 0)
			for i := range w.N {
				w.Touch(i)
			}
			p.Commit(w)
			p.Commit(p.Reserve(false, 64, memory.PipeOwner{}, 0))
		}
	})
}
