package plan

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// maxHalves bounds the vector registers of 64 bits of kernels whose loops are narrowed: there is room for a
// half of each in the register file.
const maxHalves = 8

// NarrowedLoop is a loop that computes in 32 bits instead of 64, as a hyperblock does (narrow.go). What a
// hyperblock looks at when it is entered, a loop has to look at whenever it changes.
type NarrowedLoop struct {
	// Code has the vector instructions of all parts, one after the other.
	Code []isa.Inst
	// Halves are the registers of 64 bits that hold values from trip to trip or behind the loop, and what has
	// their lower halves: each must be less than 2³¹ in the lanes that run when the loop is entered. Carried
	// says of which this must be looked at behind each trip.
	Halves  []Narrowed
	Carried []bool
	// Entry has the scalars that must be less than 2³¹ when the loop is entered, and Checked says, by part,
	// which scalars must be so where they are computed.
	Entry   []isa.Reg
	Checked []bool
}

// NarrowLoop returns how a loop can compute in 32 bits instead of 64: nil if it cannot, or if it has nothing
// of 64 bits. A trip is parts in their order, runs and scalar instructions, and lanes leave the loop for the
// blocks exits.
func (p *Plan) NarrowLoop(parts []*Part, exits []int) *NarrowedLoop {
	if n := p.Kernel.NumVector[isa.Bank64]; n == 0 || n > maxHalves || p.live == nil {
		return nil
	}
	m := &hyperMaker{planner: &planner{kernel: p.Kernel, layout: p.Layout, constants: p.constants}, h: &Hyper{}}
	for _, part := range parts {
		if part.Scalar != nil {
			m.h.Scalars = append(m.h.Scalars, *part)
		}
	}
	for _, guess := range [...]bool{false, true} {
		m.taken = [isa.NumBanks]int{}
		l := &loopNarrower{NarrowedLoop: &NarrowedLoop{Checked: make([]bool, len(parts))}, latest: map[isa.Reg]int{},
			long: map[int]bool{}, narrower: &narrower{hyperMaker: m, guess: guess, wide: map[int]bounds{}, word: map[int]bounds{},
				wideTerms: map[int]*Term{}, wordTerms: map[int]*Term{}, half: map[int]isa.Reg{}, read: map[int]bool{},
				double: map[int]bool{}}}
		if l.trip(parts) && l.finish(p, exits) {
			p.constants = m.constants
			return l.NarrowedLoop
		}
	}
	return nil
}

// loopNarrower narrows a loop.
type loopNarrower struct {
	*narrower
	*NarrowedLoop
	latest map[isa.Reg]int // by scalar, the last part so far that computes it
	long   map[int]bool    // what is written and may have more than 32 bits, of the keys of narrower.wide
}

// trip rewrites the instructions of a trip. It says whether that is possible.
func (l *loopNarrower) trip(parts []*Part) bool {
	for i, part := range parts {
		if part.Scalar != nil {
			l.latest[part.Scalar.Dst] = i
			continue
		}
		l.smalls = nil
		for _, in := range part.Run.Code {
			if !l.instruction(&in) || l.mixed || l.doubles {
				return false
			}
			l.Code = append(l.Code, in)
			if in.Dst.IsVector() {
				l.written(in.Dst)
			}
		}
		for _, x := range l.smalls {
			if at, ok := l.latest[x]; ok {
				l.Checked[at] = true
			} else if !slices.Contains(l.Entry, x) {
				l.Entry = append(l.Entry, x)
			}
		}
	}
	for _, x := range l.Entry {
		if at, ok := l.latest[x]; ok {
			l.Checked[at] = true // for the next trip
		}
	}
	return len(l.order) > 0
}

// written notes what has been written to a register, if that is a half.
func (l *loopNarrower) written(half isa.Reg) {
	for _, n := range l.order {
		if l.half[n] == half {
			l.long[n] = l.long[n] || !l.wide[n].in(wordBounds)
		}
	}
}

// finish finds the registers that live longer than a trip. It says whether their halves are enough.
func (l *loopNarrower) finish(p *Plan, exits []int) bool {
	indices := l.indices()
	for _, n := range l.order {
		b, written := l.wide[n]
		live := slices.ContainsFunc(exits, func(t int) bool { return p.Live(t, isa.Bank64, n) })
		if !l.read[n] && !live {
			continue
		}
		// Numbers that are no indices may soon be greater than they are at first.
		if written && (l.long[n] || l.read[n] && !indices[l.half[n]]) {
			return false
		}
		l.Halves = append(l.Halves, Narrowed{Wide: isa.V(n), Half: l.half[n]})
		l.Carried = append(l.Carried, written && l.read[n] && !b.in(small))
	}
	return true
}

// indices returns the registers that indices of loads are made of.
func (l *loopNarrower) indices() map[isa.Reg]bool {
	set := map[isa.Reg]bool{}
	for range 2 { // a trip and the one before
		for i := len(l.Code) - 1; i >= 0; i-- {
			in := &l.Code[i]
			switch {
			case in.Op == isa.OpLoad && in.Idx != isa.IdxNone && in.B.IsVector():
				set[in.B] = true
			case in.Dst.IsVector() && in.Type == isa.I32 && set[in.Dst]:
				l.kernel.Operands(in, func(r isa.Reg, t isa.Type) {
					if r.IsVector() && t == isa.I32 {
						set[r] = true
					}
				})
			}
		}
	}
	return set
}
