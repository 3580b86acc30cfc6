package debug

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Pipe is a pipe of the launches that run.
type Pipe struct {
	Name        string // "" where it has none
	Handle      memory.Pointer
	Type        *Type // of packets; bytes where that is not known
	PacketBytes int
	Capacity    uint64
	Len, Room   uint64 // packets that can be read and written
	// Read and Written are how many packets have moved since the pipe was made.
	Read, Written uint64
	// Reading and Writing are packets, or room for them, in reservations that are open and behind them.
	Reading, Writing uint64
	Reservations     []Reservation
	Waits            []PipeWait
	Ends             []PipeEnd
}

// Reservation is a stretch of packets that belongs to its owner until it is committed.
type Reservation struct {
	Write   bool
	First   uint64 // packet, counted from the pipe's first one
	N       uint64
	Missing uint64 // of one to write: packets that nobody has written
	Launch  int
	Group   [3]uint64
	Kind    memory.OwnerKind
	Items   []int // of the group, that own it
	PC      int   // that made it
}

// PipeWait is work-items of a work-group that wait at a pipe.
type PipeWait struct {
	Launch int
	Group  [3]uint64
	Write  bool // for room; else for packets
	Items  []int
	PC     int
}

// PipeEnd is a launch, or the host, that has an end of a pipe.
type PipeEnd struct {
	Launch        int // -1 is the host
	Reads, Writes bool
	Ended         bool
}

// Packets are packets that somebody has moved.
type Packets struct {
	Pipe     string
	Write    bool
	First, N uint64
	Launch   int // -1 is the host
	// Values are the packets, the first of them at most.
	Values [][]byte
}

// maxHitPackets is how many packets a WatchHit has.
const maxHitPackets = 4

// Pipes returns the pipes of the launches that run.
func (s *Session) Pipes() (list []Pipe) {
	for _, m := range s.stepper.Pipes() {
		list = append(list, s.pipe(m))
	}
	return list
}

// FindPipe returns a pipe by its name.
func (s *Session) FindPipe(name string) (Pipe, bool) {
	for _, m := range s.stepper.Pipes() {
		if n := s.launch.Name(m.Handle()); n != "" && n == name {
			return s.pipe(m), true
		}
	}
	return Pipe{}, false
}

// PipeOf returns the pipe of a handle, whichever end it is of.
func (s *Session) PipeOf(h memory.Pointer) (Pipe, bool) {
	m := s.mem.Pipe(h)
	if m == nil || !slices.Contains(s.stepper.Pipes(), m) {
		return Pipe{}, false
	}
	return s.pipe(m), true
}

func (s *Session) pipe(m *memory.Pipe) Pipe {
	st := s.stepper.PipeState(m)
	p := Pipe{Name: s.launch.Name(m.Handle()), Handle: m.Handle(), Type: s.packetType(m), PacketBytes: int(m.PacketBytes()), Capacity: uint64(m.Capacity()),
		Len: st.Len, Room: st.Room, Reading: st.Reading, Writing: st.Writing}
	p.Read, p.Written = m.Moved()
	launches := s.stepper.Launches()
	for i := range st.Open {
		r := &st.Open[i]
		x := Reservation{Write: r.Write, First: r.First, N: r.N, Launch: r.Owner.Launch, Kind: r.Owner.Kind, PC: r.PC}
		if r.Write {
			x.Missing, _ = r.Missing()
		}
		if o := r.Owner.Launch; o >= 0 && o < len(launches) {
			x.Group = launches[o].GroupID(r.Owner.Group)
		}
		for i := range r.Owner.Items {
			x.Items = append(x.Items, r.Owner.First+i)
		}
		p.Reservations = append(p.Reservations, x)
	}
	for i := range st.Ends {
		e := &st.Ends[i]
		p.Ends = append(p.Ends, PipeEnd{e.Launch, e.Reads, e.Writes, e.State == scheduler.HolderEnded})
		for _, w := range e.Waits {
			x := PipeWait{Launch: e.Launch, Group: w.Group.ID, Write: w.Write, PC: w.PC}
			for _, span := range w.Items {
				for i := span[0]; i <= span[1]; i++ {
					x.Items = append(x.Items, int(i))
				}
			}
			p.Waits = append(p.Waits, x)
		}
	}
	return p
}

// packetType returns the type of a pipe's packets, as far as that is known: of a parameter that has it, or
// its bytes.
func (s *Session) packetType(m *memory.Pipe) *Type {
	name := s.launch.PipeType(m)
	if i := strings.LastIndexByte(name, ' '); i >= 0 && !strings.HasPrefix(name, "unsigned ") {
		name = name[i+1:] // behind qualifiers
	}
	var t *Type
	s.eachCode(func() {
		if t == nil && name != "" {
			if x := s.info.named(name); x != nil && x.Size == uint64(m.PacketBytes()) {
				t = x
			}
		}
	})
	if t == nil {
		byteType := s.info.base.byName["uchar"]
		t = &Type{Kind: isa.DebugArray, Elem: byteType, Count: uint64(m.PacketBytes()), Size: uint64(m.PacketBytes())}
	}
	return t
}

// Packets returns packets of a pipe that can be read: n at most, from the i-th oldest on.
func (s *Session) Packets(p Pipe, i, n uint64) (list []Value) {
	m := s.mem.Pipe(p.Handle)
	if m == nil {
		return nil
	}
	for read, _ := m.Moved(); n > 0 && i < m.Len(); i, n = i+1, n-1 {
		list = append(list, Value{Type: p.Type, Bytes: slices.Clone(m.Packet(read + i)), item: s.item})
	}
	return list
}

// PipeText shows a pipe in short: its packets, of which most are shown, at both ends.
func (s *Session) PipeText(p Pipe, most int) string {
	half := uint64(max(most/2, 1))
	var words []string
	add := func(list []Value) {
		for _, v := range list {
			words = append(words, s.Text(v, most))
		}
	}
	if p.Len <= 2*half+1 {
		add(s.Packets(p, 0, p.Len))
	} else {
		add(s.Packets(p, 0, half))
		words = append(words, fmt.Sprintf("… %d more …", p.Len-2*half))
		add(s.Packets(p, p.Len-half, half))
	}
	return fmt.Sprintf("%d of %d packets {%s}", p.Len, p.Capacity, strings.Join(words, ", "))
}

// WatchPipe sets a watchpoint at a pipe: a session stops behind an instruction that has read or written
// packets, and when the host has. Packets of reservations count when they are committed.
func (s *Session) WatchPipe(p Pipe, kind WatchKind) (*Watchpoint, error) {
	if s.mem.Pipe(p.Handle) == nil {
		return nil, fmt.Errorf("pipe %s %w: it is not there", p.Name, ErrNotWatched)
	}
	s.numbers++
	w := &Watchpoint{Number: s.numbers, Enabled: true, Kind: kind, Text: p.Name, Type: p.Type, pipe: p.Handle}
	s.watches = append(s.watches, w)
	return w, nil
}

// Pipe says whether the watchpoint is at a pipe.
func (w *Watchpoint) Pipe() bool { return w.pipe != 0 }

// packets is told of packets that move.
func (s *Session) packets(m scheduler.PacketMove) {
	if s.d.After == nil {
		return
	}
	for _, w := range s.watches {
		if !w.Enabled || w.pipe != m.Pipe || m.Write && w.Kind == WatchRead || !m.Write && w.Kind == WatchWrite {
			continue
		}
		if s.asks.record != nil {
			// Where the run has come to when it stops there: behind the instruction.
			tick := s.d.Tick
			if m.Launch >= 0 {
				tick++
			}
			s.asks.record(tick)
			continue
		}
		w.Hits++
		x := &Packets{Pipe: w.Text, Write: m.Write, First: m.First, N: m.N, Launch: m.Launch}
		if m.Launch >= 0 {
			x.Launch = s.stepper.Index()
		}
		for i := range min(m.N, maxHitPackets) {
			x.Values = append(x.Values, slices.Clone(s.mem.Pipe(m.Pipe).Packet(m.First+i)))
		}
		s.written = append(s.written, WatchHit{Number: w.Number, Item: m.Item, Items: 1, PC: m.PC, Type: w.Type, Packets: x})
	}
}

// isPipe says whether a name means a pipe.
func (s *Session) isPipe(name string) bool {
	_, ok := s.pipeVariable(name)
	return ok
}

// pipeVariable returns the pipe that a name means, as a value.
func (s *Session) pipeVariable(name string) (Value, bool) {
	for _, m := range s.stepper.Pipes() {
		if n := s.launch.Name(m.Handle()); n == name {
			return integer(&Type{Kind: isa.DebugHandle, Name: "pipe", Size: 8}, uint64(m.Handle())), true
		}
	}
	return Value{}, false
}

// PipeValue returns the pipe that a value is a handle of.
func (s *Session) PipeValue(v Value) (Pipe, bool) {
	if v.Type.strip().Kind != isa.DebugHandle || len(v.Bytes) != 8 {
		return Pipe{}, false
	}
	return s.PipeOf(memory.Pointer(v.word()))
}
