package engine

import (
	"cmp"
	"slices"
	"sync"
)

// Portable counts the instructions of launches that are done without machine code, by kernels that have some:
// those that machine code leaves to the reference engine, and all that waves do before they have machine
// code. Its methods may be called by many goroutines at the same time.
type Portable struct {
	mu    sync.Mutex
	insts map[int]*PortableInst
}

// PortableInst is one instruction of a kernel.
type PortableInst struct {
	PC    int    // its number in isa.Kernel.Code
	Times uint64 // how often it was done for a wave
	Lanes uint64 // the same, times the lanes that ran
}

// Add enters an instruction that so many lanes have done.
func (p *Portable) Add(pc, lanes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.insts == nil {
		p.insts = map[int]*PortableInst{}
	}
	in := p.insts[pc]
	if in == nil {
		in = &PortableInst{PC: pc}
		p.insts[pc] = in
	}
	in.Times++
	in.Lanes += uint64(lanes)
}

// Lanes is the sum of all, in the unit of Counters.LaneOps.
func (p *Portable) Lanes() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var sum uint64
	for _, in := range p.insts {
		sum += in.Lanes
	}
	return sum
}

// Insts lists the instructions, those first that most lanes did.
func (p *Portable) Insts() []PortableInst {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]PortableInst, 0, len(p.insts))
	for _, in := range p.insts {
		list = append(list, *in)
	}
	slices.SortFunc(list, func(a, b PortableInst) int {
		return cmp.Or(cmp.Compare(b.Lanes, a.Lanes), cmp.Compare(a.PC, b.PC))
	})
	return list
}
