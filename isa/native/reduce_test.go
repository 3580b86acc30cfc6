package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// reduce takes instructions out of a program on which the engines do not agree, as long as they
// still do not, so that a person can read it. It returns the last difference.
func (p *generated) reduce(e Engine, c setting, difference string) string {
	program := &isa.Program{Kernels: []*isa.Kernel{p.kernel}}
	if c.Quantum == 0 {
		c.Quantum = 1000 // ends loops that do not end any more
	}
	differs := func(k *isa.Kernel) string {
		program.Kernels[0] = k
		reference, err := interp.Engine{}.Compile(program, k)
		if err != nil {
			return ""
		}
		code, err := e.Compile(program, k)
		if err != nil {
			return ""
		}
		q := *p
		q.kernel = k
		return q.compare(reference, code, c)
	}
	if differs(p.kernel) == "" {
		return difference // not in this setting
	}
	tries := 2000
	for size := 64; size > 0 && tries > 0; size /= 2 {
		for pc := len(p.kernel.Code) - 1; pc >= 0; pc -= size {
			k := without(p.kernel, pc-size+1, pc)
			if k == nil || !p.sound(k) {
				continue
			}
			tries--
			if d := differs(k); d != "" {
				p.kernel, difference = k, d
			}
		}
	}
	return difference
}

// without returns a kernel without the instructions [first, last], terminators excepted; nil if none is left
// out.
func without(k *isa.Kernel, first, last int) *isa.Kernel {
	n := *k
	n.Code, n.Blocks = nil, slices.Clone(k.Blocks)
	for i, b := range k.Blocks {
		n.Blocks[i].Start = len(n.Code)
		for pc := b.Start; pc < b.End; pc++ {
			if pc < first || pc > last || pc == b.End-1 {
				n.Code = append(n.Code, k.Code[pc])
			}
		}
		n.Blocks[i].End = len(n.Code)
	}
	if len(n.Code) == len(k.Code) {
		return nil
	}
	return &n
}

// sound says whether no register is read that has no value.
func (p *generated) sound(k *isa.Kernel) bool {
	type register struct {
		bank  isa.Bank
		index int
	}
	for _, b := range k.Blocks {
		written := map[register]bool{}
		for pc := b.Start; pc < b.End; pc++ {
			ok := true
			reads := func(r isa.Reg, t isa.Type) {
				if r.IsVector() && r.Index() >= p.passing[t.Bank()] && !written[register{t.Bank(), r.Index()}] {
					ok = false
				}
			}
			dst, t := k.Operands(&k.Code[pc], reads)
			if !ok {
				return false
			}
			if dst.IsVector() {
				written[register{t.Bank(), dst.Index()}] = true
			}
		}
	}
	return true
}
