package vm

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// lanes is how many lanes of 32 bits a vector of the machine has.
const lanes = 16

// machine executes machine form, with virtual registers or with those of the processor: as much of it as the
// tests of this package use.
type machine struct {
	code      []step
	labels    map[amd64.Label]int
	constants map[amd64.Mem]uint32

	vectors map[amd64.Vec][lanes]uint32
	masks   map[amd64.Mask]uint64
	general map[amd64.Reg]uint64
	memory  map[place][lanes]uint32
	words   map[place]uint64 // of spilled masks
	zero    bool
}

// place is a place in memory.
type place struct {
	base amd64.Reg
	disp int32
}

// step is an instruction.
type step struct {
	kind     kind
	op       amd64.Op
	gen      amd64.Gen
	cond     amd64.Cond
	operands []amd64.Operand
	label    amd64.Label
}

func (m *machine) V(op amd64.Op, _ amd64.Width, operands ...amd64.Operand) {
	m.code = append(m.code, step{kind: kindVector, op: op, operands: append([]amd64.Operand(nil), operands...)})
}

func (m *machine) G(op amd64.Gen, _ amd64.Size, operands ...amd64.Operand) {
	m.code = append(m.code, step{kind: kindGeneral, gen: op, operands: operands})
}

func (m *machine) Jmp(l amd64.Label) { m.code = append(m.code, step{kind: kindJmp, label: l}) }

func (m *machine) Jcc(c amd64.Cond, l amd64.Label) {
	m.code = append(m.code, step{kind: kindJcc, cond: c, label: l})
}

func (m *machine) Bind(l amd64.Label) { m.labels[l] = len(m.code) }

func (m *machine) CMov(amd64.Cond, amd64.Size, amd64.Reg, amd64.Operand) {
	panic("no such instruction")
}
func (m *machine) Set(amd64.Cond, amd64.Operand) { panic("no such instruction") }
func (m *machine) Align(int)                     {}
func (m *machine) Note(string)                   {}
func (m *machine) Section(string)                {}

func newMachine(constants map[amd64.Mem]uint32) *machine {
	return &machine{labels: map[amd64.Label]int{}, constants: constants, vectors: map[amd64.Vec][lanes]uint32{}, masks: map[amd64.Mask]uint64{},
		general: map[amd64.Reg]uint64{}, memory: map[place][lanes]uint32{}, words: map[place]uint64{}}
}

// run executes the code until it returns.
func (m *machine) run(t *testing.T) {
	t.Helper()
	for at, n := 0, 0; at < len(m.code); n++ {
		if n > 1<<20 {
			t.Fatal("the code does not end")
		}
		s := &m.code[at]
		at++
		switch s.kind {
		case kindJmp:
			at = m.labels[s.label]
		case kindJcc:
			if m.zero == (s.cond == amd64.IsZero) {
				at = m.labels[s.label]
			}
		case kindGeneral:
			if s.gen == amd64.RET {
				return
			}
			m.onGeneral(t, s)
		default:
			m.onVector(t, s)
		}
	}
}

func (m *machine) onGeneral(t *testing.T, s *step) {
	t.Helper()
	r := s.operands[0].(amd64.Reg)
	switch s.gen {
	case amd64.MOV:
		m.general[r] = uint64(s.operands[1].(amd64.Imm))
	case amd64.DEC:
		m.general[r]--
		m.zero = m.general[r] == 0
	default:
		t.Fatalf("no instruction %v", s.gen)
	}
}

// at is the place that an operand names.
func at(m amd64.Mem) place { return place{m.Base, m.Disp} }

// vector is what an operand holds.
func (m *machine) vector(o amd64.Operand) [lanes]uint32 {
	if x, ok := o.(amd64.Vec); ok {
		return m.vectors[x]
	}
	return m.memory[at(o.(amd64.Mem))]
}

func (m *machine) onVector(t *testing.T, s *step) {
	t.Helper()
	o := s.operands
	under := uint64(1<<lanes - 1)
	if p, ok := o[len(o)-1].(amd64.Pred); ok {
		under = m.masks[p.Mask()]
	}
	set := func(f func(i int) uint32) {
		d := o[0].(amd64.Vec)
		old, x := m.vectors[d], [lanes]uint32{}
		for i := range x {
			if x[i] = old[i]; under>>i&1 != 0 {
				x[i] = f(i)
			}
		}
		m.vectors[d] = x
	}
	switch s.op {
	case amd64.VPADDD, amd64.VPSUBD, amd64.VPXORD, amd64.VPMULLD:
		a, b := m.vector(o[1]), m.vector(o[2])
		set(func(i int) uint32 {
			switch s.op {
			case amd64.VPADDD:
				return a[i] + b[i]
			case amd64.VPSUBD:
				return a[i] - b[i]
			case amd64.VPXORD:
				return a[i] ^ b[i]
			}
			return a[i] * b[i]
		})
	case amd64.VPTERNLOGD:
		d, a, b, table := m.vector(o[0]), m.vector(o[1]), m.vector(o[2]), uint32(o[3].(amd64.Imm))
		set(func(i int) (x uint32) {
			for n := range 32 {
				k := d[i]>>n&1<<2 | a[i]>>n&1<<1 | b[i]>>n&1
				x |= table >> k & 1 << n
			}
			return x
		})
	case amd64.VPBROADCASTD:
		x := m.constants[o[1].(amd64.Mem)]
		set(func(int) uint32 { return x })
	case amd64.VMOVDQA32, amd64.VMOVDQA64, amd64.VMOVDQU32, amd64.VMOVDQU64:
		x := m.vector(o[1])
		if to, ok := o[0].(amd64.Mem); ok {
			m.memory[at(to)] = x
			return
		}
		set(func(i int) uint32 { return x[i] })
	default:
		m.onMask(t, s)
	}
}

func (m *machine) onMask(t *testing.T, s *step) {
	t.Helper()
	o := s.operands
	mask := func(n int) uint64 { return m.masks[o[n].(amd64.Mask)] }
	switch s.op {
	case amd64.VPCMPUD:
		a, b, k := m.vector(o[1]), m.vector(o[2]), uint64(0)
		for i := range lanes {
			if a[i] < b[i] {
				k |= 1 << i
			}
		}
		m.masks[o[0].(amd64.Mask)] = k
	case amd64.KANDW:
		m.masks[o[0].(amd64.Mask)] = mask(1) & mask(2)
	case amd64.KORW:
		m.masks[o[0].(amd64.Mask)] = mask(1) | mask(2)
	case amd64.KXORW:
		m.masks[o[0].(amd64.Mask)] = mask(1) ^ mask(2)
	case amd64.KORTESTW:
		m.zero = mask(0)|mask(1) == 0
	case amd64.KMOVQ:
		switch to := o[0].(type) {
		case amd64.Mem:
			m.words[at(to)] = mask(1)
		case amd64.Mask:
			if from, ok := o[1].(amd64.Mem); ok {
				m.masks[to] = m.words[at(from)]
			} else {
				m.masks[to] = mask(1)
			}
		}
	default:
		t.Fatalf("no instruction %v", s.op)
	}
}
