package portable

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// general is an instruction on general registers.
type general struct {
	least, most int // operands
	do          func(*machine, *inst)
}

// generals has them by opcode (Intel SDM volume 2, the sections with their names).
var generals = map[amd64.Gen]general{
	amd64.ADD:  {2, 2, func(m *machine, i *inst) { m.write(&i.args[0], i.size, m.add(i, false, m.value(i, 1))) }},
	amd64.ADC:  {2, 2, func(m *machine, i *inst) { m.write(&i.args[0], i.size, m.add(i, m.flags.carry, m.value(i, 1))) }},
	amd64.SUB:  {2, 2, func(m *machine, i *inst) { m.write(&i.args[0], i.size, m.subtract(i, false, m.value(i, 1))) }},
	amd64.SBB:  {2, 2, func(m *machine, i *inst) { m.write(&i.args[0], i.size, m.subtract(i, m.flags.carry, m.value(i, 1))) }},
	amd64.CMP:  {2, 2, func(m *machine, i *inst) { m.subtract(i, false, m.value(i, 1)) }},
	amd64.AND:  {2, 2, func(m *machine, i *inst) { m.logic(i, m.value(i, 0)&m.value(i, 1)) }},
	amd64.OR:   {2, 2, func(m *machine, i *inst) { m.logic(i, m.value(i, 0)|m.value(i, 1)) }},
	amd64.XOR:  {2, 2, func(m *machine, i *inst) { m.logic(i, m.value(i, 0)^m.value(i, 1)) }},
	amd64.TEST: {2, 2, func(m *machine, i *inst) { m.logicFlags(i.size, m.value(i, 0)&m.value(i, 1)) }},
	amd64.MOV:  {2, 2, func(m *machine, i *inst) { m.write(&i.args[0], i.size, m.value(i, 1)) }},

	amd64.MOVZX8:  {2, 2, extend(amd64.B8, false)},
	amd64.MOVZX16: {2, 2, extend(amd64.B16, false)},
	amd64.MOVSX8:  {2, 2, extend(amd64.B8, true)},
	amd64.MOVSX16: {2, 2, extend(amd64.B16, true)},
	amd64.MOVSX32: {2, 2, extend(amd64.B32, true)},
	amd64.LEA: {2, 2, func(m *machine, i *inst) {
		m.write(&i.args[0], i.size, uint64(m.address(&i.args[1])))
	}},
	amd64.IMUL:   {2, 3, multiplySigned},
	amd64.POPCNT: {2, 2, popcnt},
	amd64.LZCNT:  {2, 2, count(func(x uint64, s amd64.Size) int { return bits.LeadingZeros64(x) - (64 - int(s)) })},
	amd64.TZCNT:  {2, 2, count(func(x uint64, s amd64.Size) int { return min(bits.TrailingZeros64(x), int(s)) })},

	amd64.INC: {1, 1, byOne((*machine).add)},
	amd64.DEC: {1, 1, byOne((*machine).subtract)},
	amd64.NEG: {1, 1, negate},
	amd64.NOT: {1, 1, func(m *machine, i *inst) { m.write(&i.args[0], i.size, ^m.read(&i.args[0], i.size)) }},
	amd64.MUL: {1, 1, multiply},
	amd64.DIV: {1, 1, divide}, amd64.IDIV: {1, 1, divideSigned},

	amd64.ROL: {2, 2, shift(rotate)}, amd64.ROR: {2, 2, shift(rotateRight)},
	amd64.SHL: {2, 2, shift(shiftLeft)}, amd64.SHR: {2, 2, shift(shiftRight)},
	amd64.SAR: {2, 2, shift(shiftArithmetic)},
	amd64.BT:  {2, 2, bit(nil)},
	amd64.BTS: {2, 2, bit(func(x, b uint64) uint64 { return x | b })},
	amd64.BTR: {2, 2, bit(func(x, b uint64) uint64 { return x &^ b })},
	amd64.BTC: {2, 2, bit(func(x, b uint64) uint64 { return x ^ b })},

	amd64.XCHG: {2, 2, exchange}, amd64.XADD: {2, 2, exchangeAdd}, amd64.CMPXCHG: {2, 2, compareExchange},
	amd64.CDQ: {0, 0, func(m *machine, i *inst) {
		m.write(&arg{kind: argReg, reg: int(amd64.RDX)}, i.size, uint64(signed(int(i.size/8), m.general[amd64.RAX]&ones(i.size))>>63))
	}},
	amd64.INT3:   {0, 0, func(*machine, *inst) { panic("portable: INT3: control is where it must not be") }},
	amd64.MFENCE: {0, 0, nothing}, amd64.PAUSE: {0, 0, nothing},
	amd64.PREFETCHT0: {1, 1, nothing}, amd64.PREFETCHT1: {1, 1, nothing}, amd64.PREFETCHT2: {1, 1, nothing},
	amd64.PREFETCHNTA: {1, 1, nothing}, amd64.PREFETCHW: {1, 1, nothing},
}

func nothing(*machine, *inst) {}

// result sets the flags that follow from a result (SDM volume 1, 3.4.3.1).
func (f *flags) result(s amd64.Size, x uint64) {
	f.zero, f.sign, f.parity = x&ones(s) == 0, x>>(s-1)&1 != 0, bits.OnesCount8(uint8(x))%2 == 0
}

func (m *machine) add(i *inst, carry bool, b uint64) uint64 {
	return m.sumFlags(i.size, m.read(&i.args[0], i.size), b, carry)
}

func (m *machine) subtract(i *inst, borrow bool, b uint64) uint64 {
	return m.differenceFlags(i.size, m.read(&i.args[0], i.size), b, borrow)
}

// sumFlags returns a+b, and sets the flags that follow from it.
func (m *machine) sumFlags(s amd64.Size, a, b uint64, carry bool) uint64 {
	c := uint64(0)
	if carry {
		c = 1
	}
	sum, over := bits.Add64(a, b, c)
	m.flags.result(s, sum)
	m.flags.carry = over != 0 || sum > ones(s)
	m.flags.overflow = (a^sum)&(b^sum)>>(s-1)&1 != 0
	return sum
}

// differenceFlags returns a-b, and sets the flags that follow from it.
func (m *machine) differenceFlags(s amd64.Size, a, b uint64, borrow bool) uint64 {
	c := uint64(0)
	if borrow {
		c = 1
	}
	d, under := bits.Sub64(a, b, c)
	m.flags.result(s, d)
	m.flags.carry = under != 0
	m.flags.overflow = (a^b)&(a^d)>>(s-1)&1 != 0
	return d
}

func (m *machine) logicFlags(s amd64.Size, x uint64) {
	m.flags.result(s, x)
	m.flags.carry, m.flags.overflow = false, false
}

func (m *machine) logic(i *inst, x uint64) {
	m.logicFlags(i.size, x)
	m.write(&i.args[0], i.size, x)
}

// extend is a move of fewer bits, with their sign or zeros in front.
func extend(from amd64.Size, sign bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		x := m.read(&i.args[1], from)
		if sign {
			x = uint64(signed(int(from/8), x))
		}
		m.write(&i.args[0], i.size, x)
	}
}

func multiplySigned(m *machine, i *inst) {
	n := int(i.size / 8)
	a, b := signed(n, m.value(i, len(i.args)-2)), signed(n, m.value(i, len(i.args)-1))
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
	x := signed(n, lo)
	m.flags.carry = uint64(x) != lo || hi != uint64(x>>63)
	m.flags.overflow = m.flags.carry
	m.write(&i.args[0], i.size, lo)
}

func multiply(m *machine, i *inst) {
	hi, lo := bits.Mul64(m.general[amd64.RAX]&ones(i.size), m.read(&i.args[0], i.size))
	if i.size < 64 {
		hi = lo >> i.size
	}
	m.general[amd64.RAX] = lo & ones(i.size)
	m.general[amd64.RDX] = hi
	m.flags.carry, m.flags.overflow = hi != 0, hi != 0
}

// divide is one of 32 or 64 bits.
func divide(m *machine, i *inst) {
	d := m.read(&i.args[0], i.size)
	hi, lo := m.general[amd64.RDX]&ones(i.size), m.general[amd64.RAX]&ones(i.size)
	if d <= hi {
		panic(fmt.Sprintf("portable: division of %#x:%#x by %#x", hi, lo, d))
	}
	if i.size == amd64.B32 {
		hi, lo = 0, hi<<32|lo
	}
	m.general[amd64.RAX], m.general[amd64.RDX] = bits.Div64(hi, lo, d)
}

func divideSigned(m *machine, i *inst) {
	n := int(i.size / 8)
	d, lo := signed(n, m.read(&i.args[0], i.size)), signed(n, m.general[amd64.RAX]&ones(i.size))
	if i.size == amd64.B32 {
		lo = int64(m.general[amd64.RDX]<<32 | m.general[amd64.RAX]&ones(32))
	} else if int64(m.general[amd64.RDX]) != lo>>63 {
		panic("portable: signed division of more than 64 bits") // nobody has a use for it
	}
	if d == 0 || d == -1 && lo == lo<<63 && lo != 0 {
		panic(fmt.Sprintf("portable: division of %d by %d", lo, d))
	}
	q := lo / d
	if signed(n, uint64(q)) != q {
		panic(fmt.Sprintf("portable: division of %d by %d", lo, d))
	}
	m.general[amd64.RAX], m.general[amd64.RDX] = uint64(q)&ones(i.size), uint64(lo%d)&ones(i.size)
}

func popcnt(m *machine, i *inst) {
	x := m.read(&i.args[1], i.size)
	m.flags = flags{zero: x == 0}
	m.write(&i.args[0], i.size, uint64(bits.OnesCount64(x)))
}

// count is LZCNT or TZCNT.
func count(f func(uint64, amd64.Size) int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		x := m.read(&i.args[1], i.size)
		n := uint64(f(x, i.size))
		m.flags.carry, m.flags.zero = x == 0, n == 0
		m.write(&i.args[0], i.size, n)
	}
}

// byOne is INC or DEC: the carry stays.
func byOne(by func(*machine, *inst, bool, uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		carry := m.flags.carry
		x := by(m, i, false, 1)
		m.flags.carry = carry
		m.write(&i.args[0], i.size, x)
	}
}

func negate(m *machine, i *inst) {
	x := m.read(&i.args[0], i.size)
	m.flags.result(i.size, -x)
	m.flags.carry, m.flags.overflow = x != 0, x&-x&ones(i.size)>>(i.size-1) != 0
	m.write(&i.args[0], i.size, -x)
}

// shift is a shift or rotation by a number or CL, which f does for a count that is not 0. It says what it
// shifts out last, and what the overflow flag is if the count is 1.
func shift(f func(m *machine, s amd64.Size, x uint64, n int) (y uint64, out, over bool)) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, most := uint64(i.imm), uint64(31)
		if i.args[1].kind == argReg {
			n = m.general[i.args[1].reg]
		}
		if i.size == amd64.B64 {
			most = 63
		}
		n &= most
		if n == 0 {
			m.write(&i.args[0], i.size, m.read(&i.args[0], i.size)) // 32 bits clear the upper half
			return
		}
		y, out, over := f(m, i.size, m.read(&i.args[0], i.size), int(n))
		m.flags.carry = out
		if n == 1 {
			m.flags.overflow = over
		}
		m.write(&i.args[0], i.size, y)
	}
}

func shiftLeft(m *machine, s amd64.Size, x uint64, n int) (y uint64, out, over bool) {
	y = x << n & ones(s)
	out = n <= int(s) && x>>(int(s)-n)&1 != 0
	m.flags.result(s, y)
	return y, out, (y>>(s-1)&1 != 0) != out
}

func shiftRight(m *machine, s amd64.Size, x uint64, n int) (y uint64, out, over bool) {
	y = x >> n
	m.flags.result(s, y)
	return y, x>>(n-1)&1 != 0, x>>(s-1)&1 != 0
}

func shiftArithmetic(m *machine, s amd64.Size, x uint64, n int) (y uint64, out, over bool) {
	a := signed(int(s/8), x)
	y = uint64(a>>n) & ones(s)
	m.flags.result(s, y)
	return y, a>>(n-1)&1 != 0, false
}

func rotate(_ *machine, s amd64.Size, x uint64, n int) (y uint64, out, over bool) {
	n %= int(s)
	y = (x<<n | x>>(int(s)-n)) & ones(s)
	return y, y&1 != 0, (y>>(s-1)&1 != 0) != (y&1 != 0)
}

func rotateRight(_ *machine, s amd64.Size, x uint64, n int) (y uint64, out, over bool) {
	n %= int(s)
	y = (x>>n | x<<(int(s)-n)) & ones(s)
	top, next := y>>(s-1)&1 != 0, y>>(s-2)&1 != 0
	return y, top, top != next
}

// bit is BT and its like: the carry is the bit, f what becomes of the operand, if that changes.
func bit(f func(x, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		b := uint64(1) << (m.value(i, 1) % uint64(i.size))
		x := m.read(&i.args[0], i.size)
		m.flags.carry = x&b != 0
		if f != nil {
			m.write(&i.args[0], i.size, f(x, b))
		}
	}
}

// atomically applies f to memory in one step. Memory that is not aligned, which no atomic of the bytecode
// is, has no such step here.
func (m *machine) atomically(i *inst, f func(old uint64) uint64) (old uint64) {
	p := m.address(&i.args[0])
	if p%uintptr(i.size/8) != 0 {
		panic(fmt.Sprintf("portable: atomic access at %#x", p))
	}
	if i.size == amd64.B32 {
		for x := (*uint32)(pointer(p)); ; {
			if old := atomic.LoadUint32(x); atomic.CompareAndSwapUint32(x, old, uint32(f(uint64(old)))) {
				return uint64(old)
			}
		}
	}
	for x := (*uint64)(pointer(p)); ; {
		if old := atomic.LoadUint64(x); atomic.CompareAndSwapUint64(x, old, f(old)) {
			return old
		}
	}
}

func exchange(m *machine, i *inst) {
	x := m.read(&i.args[1], i.size)
	m.write(&i.args[1], i.size, m.atomically(i, func(uint64) uint64 { return x }))
}

func exchangeAdd(m *machine, i *inst) {
	x := m.read(&i.args[1], i.size)
	old := m.atomically(i, func(old uint64) uint64 { return old + x })
	m.sumFlags(i.size, old, x, false)
	m.write(&i.args[1], i.size, old)
}

func compareExchange(m *machine, i *inst) {
	x, want := m.read(&i.args[1], i.size), m.general[amd64.RAX]&ones(i.size)
	old := m.atomically(i, func(old uint64) uint64 {
		if old == want {
			return x
		}
		return old
	})
	m.differenceFlags(i.size, want, old, false)
	if old != want {
		m.write(&arg{kind: argReg, reg: int(amd64.RAX)}, i.size, old)
	}
}

// cmov is CMOVcc: of 32 bits, the upper half of the register is cleared even if the condition does not hold.
func cmov(m *machine, i *inst) {
	x := m.read(&i.args[1], i.size)
	if !m.flags.holds(i.cond) {
		x = m.read(&i.args[0], i.size)
	}
	m.write(&i.args[0], i.size, x)
}

// setcc is SETcc.
func setcc(m *machine, i *inst) {
	x := uint64(0)
	if m.flags.holds(i.cond) {
		x = 1
	}
	m.write(&i.args[0], amd64.B8, x)
}
