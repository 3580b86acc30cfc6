package memory

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// Shadow says which bits of an allocation are undefined, and where they come from: the shadow memory of Memcheck
// (Seward and Nethercote, "Using Valgrind to Detect Undefined Value Errors with Bit-Precision", USENIX 2005) with the
// origins of MemorySanitizer (Stepanov and Serebryany, CGO 2015). While nothing is undefined it takes no memory;
// otherwise a bit a bit, and, once undefined bits have been stored, an [OriginID] for each 4 bytes. It is safe for use
// from several goroutines. A nil Shadow is that of an allocation without undefined bits that never gets any.
type Shadow struct {
	left atomic.Int64 // bytes that have undefined bits

	mu    sync.Mutex
	size  uint64
	raw   []byte     // the bits, with those of flip inverted; nil for zeros
	flip  byte       // all ones where the allocation began undefined: its shadow is zero then
	from  []OriginID // by word of 4 bytes; 0 is start
	start OriginID
}

// newShadow returns the shadow of size bytes that are defined.
func newShadow(size uint64) *Shadow { return &Shadow{size: size} }

// Defined says whether no bit is undefined.
func (s *Shadow) Defined() bool { return s == nil || s.left.Load() == 0 }

// Reset makes all bits undefined, or defined. Undefined ones come from start.
func (s *Shadow) Reset(undefined bool, start OriginID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.raw)
	clear(s.from)
	s.start = start
	if s.flip = 0; undefined {
		s.flip = 0xff
		s.left.Store(int64(s.size))
		return
	}
	s.left.Store(0)
}

// SetStart says where bits come from that were undefined at the start.
func (s *Shadow) SetStart(start OriginID) {
	s.mu.Lock()
	s.start = start
	s.mu.Unlock()
}

// grow makes room for bits.
func (s *Shadow) grow() {
	if s.raw == nil {
		s.raw = make([]byte, s.size)
	}
}

// inside says whether n bytes at off lie in the allocation.
func (s *Shadow) inside(off, n uint64) bool { return off <= s.size && n <= s.size-off }

// Any says whether any of n bytes at off has undefined bits.
func (s *Shadow) Any(off, n uint64) bool {
	if s.Defined() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inside(off, n) && s.any(off, n)
}

func (s *Shadow) any(off, n uint64) bool {
	if s.raw == nil {
		return s.flip != 0 && n > 0
	}
	b := s.raw[off : off+n]
	word := uint64(s.flip) * 0x0101010101010101
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b) != word {
			return true
		}
	}
	for _, x := range b {
		if x != s.flip {
			return true
		}
	}
	return false
}

// AnyOf says whether any of n bytes, at most 8, at any of the offsets has undefined bits.
func (s *Shadow) AnyOf(offsets []uint64, n uint64) bool {
	if s.Defined() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raw == nil {
		return s.flip != 0
	}
	word := uint32(s.flip) * 0x01010101
	for _, off := range offsets {
		switch {
		case !s.inside(off, n):
		case n == 4:
			if binary.LittleEndian.Uint32(s.raw[off:]) != word {
				return true
			}
		case s.any(off, n):
			return true
		}
	}
	return false
}

// DefineAt is Define for n bytes at each of the offsets.
func (s *Shadow) DefineAt(offsets []uint64, n uint64) {
	if s.Defined() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grow()
	gone := int64(0)
	for _, off := range offsets {
		if !s.inside(off, n) {
			continue
		}
		for i := range s.raw[off : off+n] {
			if p := &s.raw[off+uint64(i)]; *p != s.flip {
				*p = s.flip
				gone++
			}
		}
	}
	s.left.Add(-gone)
}

// Define makes all bits of n bytes at off defined.
func (s *Shadow) Define(off, n uint64) {
	if s.Defined() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.inside(off, n) || !s.any(off, n) {
		return
	}
	s.grow()
	gone := int64(0)
	for b := s.raw[off : off+n]; len(b) > 0; b = b[1:] {
		if len(b) >= 8 && s.flip != 0 && binary.LittleEndian.Uint64(b) == 0 {
			binary.LittleEndian.PutUint64(b, ^uint64(0))
			gone += 8
			b = b[7:]
			continue
		}
		if b[0] != s.flip {
			b[0] = s.flip
			gone++
		}
	}
	s.left.Add(-gone)
}

// Load returns the undefined bits of n bytes at off, at most 8, and where the first word with such bits has them from.
func (s *Shadow) Load(off, n uint64) (undefined uint64, from OriginID) {
	if s.Defined() {
		return 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.inside(off, n) {
		return 0, 0
	}
	for i := range n {
		x := s.flip
		if s.raw != nil {
			x ^= s.raw[off+i]
		}
		if x != 0 && undefined == 0 {
			from = s.originAt(off + i)
		}
		undefined |= uint64(x) << (8 * i)
	}
	return undefined, from
}

func (s *Shadow) originAt(off uint64) OriginID {
	if s.from != nil && s.from[off/4] != 0 {
		return s.from[off/4]
	}
	return s.start
}

// Store says which bits of n bytes at off, at most 8, are undefined from now on, and where they come from.
func (s *Shadow) Store(off, n, undefined uint64, from OriginID) {
	if s == nil || undefined == 0 && s.left.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.inside(off, n) {
		return
	}
	s.grow()
	if undefined != 0 && s.from == nil {
		s.from = make([]OriginID, (s.size+3)/4)
	}
	more := int64(0)
	for i := range n {
		p, x := &s.raw[off+i], byte(undefined>>(8*i))
		if *p != s.flip {
			more--
		}
		if *p = x ^ s.flip; x != 0 {
			more++
			s.from[(off+i)/4] = from
		}
	}
	s.left.Add(more)
}

// Undefined calls f for each byte that has undefined bits, in ascending order, with where they come from.
func (s *Shadow) Undefined(f func(off uint64, bits byte, from OriginID)) {
	if s.Defined() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == nil {
		return // nobody has stored any
	}
	for off := range s.raw {
		if x := s.raw[off] ^ s.flip; x != 0 && s.from[off/4] != 0 {
			f(uint64(off), x, s.from[off/4])
		}
	}
}

// Untouched counts the elements of size bytes, from byte off on and before byte end, that nobody has written a byte of
// since they began undefined, and returns where the first of them is.
func (s *Shadow) Untouched(off, end, size uint64) (first, count uint64) {
	if s.Defined() {
		return 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flip == 0 {
		return 0, 0
	}
	for ; off < end && s.inside(off, size) && off+size <= end; off += size {
		if s.touched(off, size) {
			continue
		}
		if count++; count == 1 {
			first = off
		}
	}
	return first, count
}

// touched says whether any of n bytes at off has been written.
func (s *Shadow) touched(off, n uint64) bool {
	for i := off; i < off+n; i++ {
		if s.raw != nil && s.raw[i] != 0 || s.from != nil && s.from[i/4] != 0 {
			return true
		}
	}
	return false
}

// PoisonByte is what byte off of memory holds at first where that is not to be zero: a pattern that depends on the seed,
// which has no bytes of zero, so that no part of it looks as if it had been cleared.
func PoisonByte(seed, off uint64) byte {
	x := (seed + off>>3) * 0x9e3779b97f4a7c15
	x ^= x >> 31
	return byte(x>>(off&7*8)) | 1
}

// Poison fills memory with the pattern of [PoisonByte].
func Poison(data []byte, seed uint64) {
	for i := range data {
		data[i] = PoisonByte(seed, uint64(i))
	}
}

// OriginID names an [Origin] in a table; 0 is none.
type OriginID uint32

// OriginKind says what an [Origin] is.
type OriginKind uint8

// The kinds. Number says which one it is.
const (
	OriginValue   OriginKind = iota // a register: isa.Kernel.Undefined
	OriginPrivate                   // private memory: isa.Kernel.Private
	OriginLocal                     // LDS, by allocation
	OriginGlobal                    // global memory, by allocation
	OriginStore                     // an instruction, by its number, that copied undefined bits from Before to memory
)

// Origin is where undefined bits come from.
type Origin struct {
	Kind   OriginKind
	Owner  any // whose numbers they are: a kernel
	Number int
	Launch uint64
	Before OriginID // of an OriginStore
	// Padding says that the bits were between the members of a structure.
	Padding bool
	// Dead says that the variable's lifetime was over.
	Dead bool
}

// Origins is a table of origins. It is safe for use from several goroutines.
type Origins struct {
	mu   sync.Mutex
	ids  map[Origin]OriginID
	list []Origin
}

// maxOrigins bounds the table. Bits that would need more keep the origin that they had before.
const maxOrigins = 1 << 20

// ID returns the number of an origin.
func (t *Origins) ID(o Origin) OriginID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok := t.ids[o]; ok {
		return id
	}
	if len(t.list) == maxOrigins {
		return o.Before
	}
	if t.ids == nil {
		t.ids = map[Origin]OriginID{}
	}
	t.list = append(t.list, o)
	id := OriginID(len(t.list))
	t.ids[o] = id
	return id
}

// Of returns the origin of a number, which is not 0.
func (t *Origins) Of(id OriginID) Origin {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == 0 || int(id) > len(t.list) {
		return Origin{}
	}
	return t.list[id-1]
}

// maxCopies is how many copies of undefined bits are told from one another.
const maxCopies = 8

// Stored returns the origin of bits that an instruction stores, which come from another one. Stores that the bits have
// passed already are not told again.
func (t *Origins) Stored(o Origin, before OriginID) OriginID {
	for id, n := before, 0; id != 0; n++ {
		x := t.Of(id)
		if x.Kind != OriginStore {
			o.Padding = x.Padding
			break
		}
		if n == maxCopies || x.Number == o.Number && x.Owner == o.Owner && x.Launch == o.Launch {
			if n == 0 {
				return id
			}
			// What lies between the two is left out.
			return t.ID(Origin{Kind: OriginStore, Owner: o.Owner, Number: o.Number, Launch: o.Launch, Before: x.Before, Padding: x.Padding})
		}
		id = x.Before
	}
	o.Kind, o.Before = OriginStore, before
	return t.ID(o)
}

// Root returns where bits come from in the first place, and the stores that they have passed, the last one first.
func (t *Origins) Root(id OriginID) (root Origin, stores []Origin) {
	for range maxCopies + 2 {
		o := t.Of(id)
		if o.Kind != OriginStore {
			return o, stores
		}
		stores = append(stores, o)
		id = o.Before
	}
	return Origin{Kind: OriginStore}, stores
}
