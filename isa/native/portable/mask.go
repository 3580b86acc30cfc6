package portable

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// ofMasks is an instruction on mask registers of size bits.
func ofMasks(args int, size amd64.Size, f func(a, b uint64) uint64) *entry {
	return &entry{args: args, do: func(_ *entry, m *machine, i *inst) {
		a, b := m.masks[i.args[1].reg], uint64(i.imm)&0xff
		if last := &i.args[args-1]; last.kind == argMask {
			b = m.masks[last.reg]
		}
		m.masks[i.args[0].reg] = f(a&ones(size), b&ones(size)) & ones(size)
	}}
}

// ofTest is KORTEST or KTEST: f says what is to be 0 for the zero flag and for the carry.
func ofTest(size amd64.Size, f func(a, b, ones uint64) (zero, carry uint64)) *entry {
	return &entry{args: 2, do: func(_ *entry, m *machine, i *inst) {
		z, c := f(m.masks[i.args[0].reg]&ones(size), m.masks[i.args[1].reg]&ones(size), ones(size))
		m.flags = flags{zero: z == 0, carry: c == 0}
	}}
}

func orTest(a, b, ones uint64) (zero, carry uint64)  { return a | b, (a | b) ^ ones }
func andTest(a, b, ones uint64) (zero, carry uint64) { return a & b, ^a & b }

// ofMove is KMOV of size bits.
func ofMove(size amd64.Size) *entry {
	return &entry{args: 2, do: func(_ *entry, m *machine, i *inst) {
		to, from, x := &i.args[0], &i.args[1], uint64(0)
		if from.kind == argMask {
			x = m.masks[from.reg] & ones(size)
		} else {
			x = m.read(from, size)
		}
		switch to.kind {
		case argMask:
			m.masks[to.reg] = x
		case argReg:
			m.write(to, max(size, amd64.B32), x)
		default:
			m.write(to, size, x)
		}
	}}
}

func xnor(a, b uint64) uint64 { return ^(a ^ b) }
func not(a, _ uint64) uint64  { return ^a }

func maskLeft(a, n uint64) uint64  { return a << n } // beyond the size there is nothing left
func maskRight(a, n uint64) uint64 { return a >> n }

// unpacked puts the lower halves of two masks next to each other.
func unpacked(half int) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return a<<half | b&(1<<half-1) }
}

// maskOps are the instructions on mask registers (SDM volume 2, KADDW to KXORW).
var maskOps = table{
	amd64.KMOVB: ofMove(8), amd64.KMOVW: ofMove(16), amd64.KMOVD: ofMove(32), amd64.KMOVQ: ofMove(64),
	amd64.KANDB: ofMasks(3, 8, and), amd64.KANDW: ofMasks(3, 16, and), amd64.KANDD: ofMasks(3, 32, and),
	amd64.KANDQ:  ofMasks(3, 64, and),
	amd64.KANDNB: ofMasks(3, 8, andn), amd64.KANDNW: ofMasks(3, 16, andn), amd64.KANDND: ofMasks(3, 32, andn),
	amd64.KANDNQ: ofMasks(3, 64, andn),
	amd64.KORB:   ofMasks(3, 8, or), amd64.KORW: ofMasks(3, 16, or), amd64.KORD: ofMasks(3, 32, or),
	amd64.KORQ:  ofMasks(3, 64, or),
	amd64.KXORB: ofMasks(3, 8, xor), amd64.KXORW: ofMasks(3, 16, xor), amd64.KXORD: ofMasks(3, 32, xor),
	amd64.KXORQ:  ofMasks(3, 64, xor),
	amd64.KXNORB: ofMasks(3, 8, xnor), amd64.KXNORW: ofMasks(3, 16, xnor), amd64.KXNORD: ofMasks(3, 32, xnor),
	amd64.KXNORQ: ofMasks(3, 64, xnor),
	amd64.KADDB:  ofMasks(3, 8, add), amd64.KADDW: ofMasks(3, 16, add), amd64.KADDD: ofMasks(3, 32, add),
	amd64.KADDQ: ofMasks(3, 64, add),
	amd64.KNOTB: ofMasks(2, 8, not), amd64.KNOTW: ofMasks(2, 16, not), amd64.KNOTD: ofMasks(2, 32, not),
	amd64.KNOTQ:    ofMasks(2, 64, not),
	amd64.KUNPCKBW: ofMasks(3, 16, unpacked(8)), amd64.KUNPCKWD: ofMasks(3, 32, unpacked(16)),
	amd64.KUNPCKDQ: ofMasks(3, 64, unpacked(32)),
	amd64.KSHIFTLB: ofMasks(3, 8, maskLeft), amd64.KSHIFTLW: ofMasks(3, 16, maskLeft),
	amd64.KSHIFTLD: ofMasks(3, 32, maskLeft),
	amd64.KSHIFTLQ: ofMasks(3, 64, maskLeft), amd64.KSHIFTRB: ofMasks(3, 8, maskRight),
	amd64.KSHIFTRW: ofMasks(3, 16, maskRight),
	amd64.KSHIFTRD: ofMasks(3, 32, maskRight), amd64.KSHIFTRQ: ofMasks(3, 64, maskRight),
	amd64.KORTESTB: ofTest(8, orTest), amd64.KORTESTW: ofTest(16, orTest), amd64.KORTESTD: ofTest(32, orTest),
	amd64.KORTESTQ: ofTest(64, orTest),
	amd64.KTESTB:   ofTest(8, andTest), amd64.KTESTW: ofTest(16, andTest), amd64.KTESTD: ofTest(32, andTest),
	amd64.KTESTQ: ofTest(64, andTest),
}

// ofBits is an instruction on general registers that has a VEX prefix, of size bits: f of the last two
// operands, or of the last one and the number, and what it does to the flags.
func ofBits(args int, size amd64.Size, f func(m *machine, s amd64.Size, a, b uint64) uint64) *entry {
	return &entry{args: args, do: func(_ *entry, m *machine, i *inst) {
		a, b := m.read(&i.args[1], size), uint64(i.imm)&0xff
		if args == 3 && i.args[2].kind != argImm {
			b = m.read(&i.args[2], size)
		}
		m.write(&i.args[0], size, f(m, size, a, b))
	}}
}

func shlx(_ *machine, s amd64.Size, a, n uint64) uint64 { return a << (n % uint64(s)) }
func shrx(_ *machine, s amd64.Size, a, n uint64) uint64 { return a >> (n % uint64(s)) }

func sarx(_ *machine, s amd64.Size, a, n uint64) uint64 {
	return uint64(signed(int(s/8), a) >> (n % uint64(s)))
}

func rorx(_ *machine, s amd64.Size, a, n uint64) uint64 {
	n %= uint64(s)
	return a>>n | a<<(uint64(s)-n)
}

func (m *machine) bitFlags(s amd64.Size, x uint64, carry bool) {
	parity := m.flags.parity // undefined
	m.flags.result(s, x)
	m.flags.carry, m.flags.overflow, m.flags.parity = carry, false, parity
}

func andNot(m *machine, s amd64.Size, a, b uint64) uint64 {
	x := ^a & b
	m.bitFlags(s, x, false)
	return x
}

func blsr(m *machine, s amd64.Size, a, _ uint64) uint64 {
	x := a & (a - 1)
	m.bitFlags(s, x, a == 0)
	return x
}

func blsi(m *machine, s amd64.Size, a, _ uint64) uint64 {
	x := a & -a
	m.bitFlags(s, x, a != 0)
	return x
}

func blsmsk(m *machine, s amd64.Size, a, _ uint64) uint64 {
	x := a ^ (a - 1)
	m.bitFlags(s, x, a == 0)
	m.flags.zero = false
	return x
}

func bzhi(m *machine, s amd64.Size, a, b uint64) uint64 {
	n := b & 0xff
	x := a
	if n < uint64(s) {
		x &= 1<<n - 1
	}
	m.bitFlags(s, x, n > uint64(s)-1)
	return x
}

func pext(_ *machine, _ amd64.Size, a, mask uint64) (x uint64) {
	for n := 0; mask != 0; mask &= mask - 1 {
		x |= a >> bits.TrailingZeros64(mask) & 1 << n
		n++
	}
	return x
}

func pdep(_ *machine, _ amd64.Size, a, mask uint64) (x uint64) {
	for n := 0; mask != 0; mask &= mask - 1 {
		x |= a >> n & 1 << bits.TrailingZeros64(mask)
		n++
	}
	return x
}

// bitOps are the instructions of BMI1 and BMI2 (SDM volume 2, the sections with their names).
var bitOps = table{
	amd64.SHLX: ofBits(3, 32, shlx), amd64.SHLXQ: ofBits(3, 64, shlx), amd64.SHRX: ofBits(3, 32, shrx),
	amd64.SHRXQ: ofBits(3, 64, shrx),
	amd64.SARX:  ofBits(3, 32, sarx), amd64.SARXQ: ofBits(3, 64, sarx), amd64.RORX: ofBits(3, 32, rorx),
	amd64.RORXQ: ofBits(3, 64, rorx),
	amd64.ANDN:  ofBits(3, 32, andNot), amd64.ANDNQ: ofBits(3, 64, andNot), amd64.BLSR: ofBits(2, 32, blsr),
	amd64.BLSRQ: ofBits(2, 64, blsr),
	amd64.BLSI:  ofBits(2, 32, blsi), amd64.BLSIQ: ofBits(2, 64, blsi), amd64.BLSMSK: ofBits(2, 32, blsmsk),
	amd64.BLSMSKQ: ofBits(2, 64, blsmsk),
	amd64.BZHI:    ofBits(3, 32, bzhi), amd64.BZHIQ: ofBits(3, 64, bzhi), amd64.PEXT: ofBits(3, 32, pext),
	amd64.PEXTQ: ofBits(3, 64, pext),
	amd64.PDEP:  ofBits(3, 32, pdep), amd64.PDEPQ: ofBits(3, 64, pdep),
}
