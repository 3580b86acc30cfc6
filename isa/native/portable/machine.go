package portable

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// vec is what a vector register holds, the lowest bits first.
type vec [8]uint64

// get returns the element of size bytes with number i.
func (v *vec) get(size, i int) uint64 {
	if size == 8 {
		return v[i]
	}
	at := i * size
	return v[at/8] >> (at % 8 * 8) & (1<<(8*size) - 1)
}

// set changes an element.
func (v *vec) set(size, i int, x uint64) {
	if size == 8 {
		v[i] = x
		return
	}
	at := i * size
	shift, ones := at%8*8, uint64(1)<<(8*size)-1
	v[at/8] = v[at/8]&^(ones<<shift) | x&ones<<shift
}

// machine is the registers of a processor.
type machine struct {
	code    *Code
	vectors []vec
	masks   []uint64
	general [17]uint64 // by amd64.Reg; that of NoReg is 0
	flags   flags
}

// flags are those of the processor that conditions look at.
type flags struct{ carry, zero, sign, overflow, parity bool }

// holds says whether a condition holds (SDM volume 1, appendix B).
func (f *flags) holds(c amd64.Cond) bool {
	var is bool
	switch c &^ 1 {
	case amd64.Overflow:
		is = f.overflow
	case amd64.Below:
		is = f.carry
	case amd64.Equal:
		is = f.zero
	case amd64.BelowEqual:
		is = f.carry || f.zero
	case amd64.Sign:
		is = f.sign
	case amd64.ParityEven:
		is = f.parity
	case amd64.Less:
		is = f.sign != f.overflow
	case amd64.LessEqual:
		is = f.zero || f.sign != f.overflow
	}
	return is == (c&1 == 0)
}

// State is what registers hold between two runs of a function that goes on where it was: virtual registers
// have no place in a frame.
type State struct{ m machine }

// NewState returns registers that hold zeros.
func (c *Code) NewState() *State {
	return &State{machine{code: c, vectors: make([]vec, c.vectors), masks: make([]uint64, c.masks)}}
}

// SetGeneral gives a general register a value.
func (s *State) SetGeneral(r amd64.Reg, x uint64) { s.m.general[r] = x }

// Run runs the function from its beginning until it returns, with arg in RDI and registers as they are.
func (c *Code) Run(s *State, arg unsafe.Pointer) {
	m := &s.m
	m.general[amd64.RDI] = uint64(uintptr(arg))
	for at := 0; ; {
		if at < 0 || at >= len(c.steps) {
			panic(fmt.Sprintf("portable: control leaves the function at instruction %d of %d", at, len(c.steps)))
		}
		s := &c.steps[at]
		at++
		switch s.jump {
		case jumpNone:
			s.do(m, &s.inst)
		case jumpAlways:
			at = s.to
		case jumpIf:
			if m.flags.holds(s.cond) {
				at = s.to
			}
		case jumpIndirect:
			at = int(uintptr(m.read(&s.inst.args[0], amd64.B64)) - c.base)
		case jumpOut:
			runtime.KeepAlive(arg)
			runtime.KeepAlive(c)
			return
		}
	}
}

// argKind is the kind of an operand.
type argKind uint8

const (
	argReg argKind = iota
	argVec
	argMask
	argImm
	argMem
	argScattered // memory with a vector as index
	argLabel     // until the function is finished
	argConstant  // likewise
)

// arg is an operand.
type arg struct {
	kind   argKind
	reg    int // or the base of an address
	index  int
	scale  uintptr
	disp   uintptr
	spread bool // one element for all lanes
	label  amd64.Label
}

// inst is an instruction with its operands, the modifiers apart.
type inst struct {
	args     []arg
	imm      int64
	pred     int // the number of the mask register plus 1, or 0
	zeroes   bool
	rounding amd64.Rounding
	width    amd64.Width
	size     amd64.Size
	cond     amd64.Cond
}

// pointer makes an address of the machine a pointer. It is that of memory which somebody else holds: the frame
// and what is reached from there.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// load reads memory of 1, 2, 4 or 8 bytes.
//
//go:norace
func load(p uintptr, size int) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(pointer(p)))
	case 2:
		return uint64(binary.LittleEndian.Uint16((*[2]byte)(pointer(p))[:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32((*[4]byte)(pointer(p))[:]))
	}
	return binary.LittleEndian.Uint64((*[8]byte)(pointer(p))[:])
}

// store writes memory of 1, 2, 4 or 8 bytes.
//
//go:norace
func store(p uintptr, size int, x uint64) {
	switch size {
	case 1:
		*(*uint8)(pointer(p)) = uint8(x)
	case 2:
		binary.LittleEndian.PutUint16((*[2]byte)(pointer(p))[:], uint16(x))
	case 4:
		binary.LittleEndian.PutUint32((*[4]byte)(pointer(p))[:], uint32(x))
	default:
		binary.LittleEndian.PutUint64((*[8]byte)(pointer(p))[:], x)
	}
}

// address is where an operand in memory is.
func (m *machine) address(a *arg) uintptr {
	return uintptr(m.general[a.reg]) + uintptr(m.general[a.index])*a.scale + a.disp
}

// element is where an element of an operand with a vector index is, whose indices have size bytes.
func (m *machine) element(a *arg, index *vec, size, i int) uintptr {
	return uintptr(m.general[a.reg]) + uintptr(signed(size, index.get(size, i)))*a.scale + a.disp
}

// signed is a number of size bytes with its sign.
func signed(size int, x uint64) int64 {
	shift := 64 - 8*size
	return int64(x<<shift) >> shift
}

// read returns what a general operand, or the number of the instruction, holds.
func (m *machine) read(a *arg, s amd64.Size) uint64 {
	switch a.kind {
	case argMem:
		return load(m.address(a), int(s/8))
	}
	return m.general[a.reg] & ones(s)
}

// value is read for an operand that may be a number.
func (m *machine) value(i *inst, n int) uint64 {
	if i.args[n].kind == argImm {
		return uint64(i.imm) & ones(i.size)
	}
	return m.read(&i.args[n], i.size)
}

// write changes a general operand. Of 32 bits, the upper half of a register becomes 0, of fewer, the rest
// stays (SDM volume 1, 3.4.1.1).
func (m *machine) write(a *arg, s amd64.Size, x uint64) {
	if a.kind == argMem {
		store(m.address(a), int(s/8), x)
		return
	}
	switch s {
	case amd64.B64, amd64.B32:
		m.general[a.reg] = x & ones(s)
	default:
		m.general[a.reg] = m.general[a.reg]&^ones(s) | x&ones(s)
	}
}

// ones is a number of s bits that are all set.
func ones(s amd64.Size) uint64 { return ^uint64(0) >> (64 - s) }
