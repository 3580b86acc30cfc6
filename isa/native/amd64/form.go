package amd64

// form is one way to encode an operation: what Intel's manual has a line for, with VEX and EVEX on the same
// line.
type form struct {
	name  string // of the GNU assembler
	shape shape
	args  string // classes of the operands, one letter each: see classes
	pm    uint8  // mandatory prefix and opcode map
	op    uint8
	digit uint8 // what ModRM.reg holds where no operand does
	flags flags
	mem   tuple
}

// The letters of form.args. A capital is a register, a small letter a register or memory.
//
//	V v  vector of the instruction's width
//	H h  vector of half the width, at least xmm
//	Q q  vector of a quarter, at least xmm
//	E e  vector of an eighth, at least xmm
//	X x  xmm
//	Y y  ymm
//	K k  mask register
//	D d  general register, 32 bits
//	R r  general register, 64 bits
//	m    memory only
//	S s  memory with a vector index of the full (S) or half (s) width
//	i    number of 8 bits

// shape says which field of the encoding each operand goes to.
type shape uint8

const (
	shNone shape = iota
	shRM         // ModRM.reg, ModRM.rm
	shMR         // ModRM.rm, ModRM.reg
	shRVM        // ModRM.reg, vvvv, ModRM.rm
	shRMV        // ModRM.reg, ModRM.rm, vvvv
	shMVR        // ModRM.rm, vvvv, ModRM.reg
	shVM         // vvvv, ModRM.rm
	shM          // ModRM.rm
	shRVMR       // ModRM.reg, vvvv, ModRM.rm, upper half of an immediate
)

// pm: mandatory prefix in the low two bits, map above them.
const (
	pNo uint8 = iota
	p66
	pF3
	pF2

	m0F   = 1 << 2
	m0F38 = 2 << 2
	m0F3A = 3 << 2
)

// flags of a form.
type flags uint32

const (
	vex    flags = 1 << iota
	evex         // needs AVX512
	vw1          // VEX.W
	ew1          // EVEX.W
	b4           // embedded broadcast of 4 bytes
	b8           // embedded broadcast of 8 bytes
	er           // embedded rounding
	sae          // suppression of exceptions
	noK          // no predicate
	noZ          // a predicate can merge only
	mustK        // cannot do without a predicate
	scalar       // one element: the width does not matter
	vexL1        // VEX.L = 1 whatever the width
	noX          // not of 128 bits
	onlyZ        // of 512 bits only
	onlyY        // of 256 bits only
	twin         // the next form has the operands the other way round: shorter for some registers
	gather       // registers must differ; the mask is written, too
	rw           // the destination is an operand as well
	noDst        // only flags are written
	vbmi
	vbmi2
	bitalg
	vpopcnt

	w1 = vw1 | ew1
	ve = vex | evex
)

// tuple is how many bytes of memory the form touches: for the text form, and for the scaling of short
// displacements under EVEX (Intel SDM volume 2, 2.7.5 "Compressed displacement (disp8*N)").
type tuple uint8

const (
	tNone  tuple = iota
	tFull        // the vector, or one element under broadcast
	tHalf        // half of the vector, or one element under broadcast
	tQuart       // a quarter
	tEight       // an eighth
	t1           // so many bytes
	t2
	t4
	t8
	t16
	t32
)

// bytes is the size of the memory operand.
func (f *form) bytes(w Width, bcast bool) int {
	if bcast {
		if f.flags&b8 != 0 {
			return 8
		}
		return 4
	}
	switch f.mem {
	case tFull:
		return w.Bytes()
	case tHalf:
		return w.Bytes() / 2
	case tQuart:
		return w.Bytes() / 4
	case tEight:
		return w.Bytes() / 8
	case t1, t2, t4, t8, t16, t32:
		return 1 << (f.mem - t1)
	}
	return 0
}

// fits reports whether operand o can stand where class c is.
func fits(c byte, o Operand) bool {
	switch o := o.(type) {
	case Vec:
		switch c {
		case 'V', 'v', 'H', 'h', 'Q', 'q', 'E', 'e', 'X', 'x', 'Y', 'y':
			return o < 32
		}
	case Mask:
		return (c == 'K' || c == 'k') && o <= K7
	case Reg:
		switch c {
		case 'D', 'd', 'R', 'r':
			return o > NoReg && o <= R15
		}
	case Imm:
		return c == 'i' && -128 <= o && o <= 255
	case Mem:
		switch c {
		case 'S', 's':
			return o.kind == memVec
		case 'm', 'v', 'h', 'q', 'e', 'x', 'y', 'k', 'd', 'r':
			return o.kind != memVec
		}
	}
	return false
}
