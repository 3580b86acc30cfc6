package gen

import "github.com/lockstep-gpu/lockstep/spirv"

// memoKey is an instruction: opcode and number of operands, then the operands, of which there are at most three.
type memoKey [4]uint32

// memo has the ids of instructions that a module has once. It is asked for nearly each instruction that is made, and
// is faster than a map: open addressing over a power of two of slots.
type memo struct {
	slots []memoSlot
	count int
}

type memoSlot struct {
	key memoKey
	id  spirv.ID
}

func (k *memoKey) hash() uint32 {
	h := k[0]*0x9e3779b1 ^ k[1]
	h = h*0x85ebca6b ^ k[2]
	h = h*0xc2b2ae35 ^ k[3]
	h *= 0x9e3779b1
	return h ^ h>>15
}

// find returns the id of an instruction, 0 if there is none.
func (m *memo) find(k *memoKey) spirv.ID {
	if m.slots == nil {
		return 0
	}
	mask := uint32(len(m.slots) - 1)
	for i := k.hash() & mask; ; i = (i + 1) & mask {
		s := &m.slots[i]
		if s.id == 0 || s.key == *k {
			return s.id
		}
	}
}

// add adds an instruction that find does not find.
func (m *memo) add(k *memoKey, id spirv.ID) {
	if 2*m.count >= len(m.slots) {
		old := m.slots
		m.slots, m.count = make([]memoSlot, max(128, 2*len(old))), 0
		for i := range old {
			if s := &old[i]; s.id != 0 {
				m.add(&s.key, s.id)
			}
		}
	}
	mask := uint32(len(m.slots) - 1)
	i := k.hash() & mask
	for m.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	m.slots[i] = memoSlot{*k, id}
	m.count++
}
