package lower

// compact moves the values that are left to new memory, in the order of the blocks, when most of those that were made
// are gone. A kernel at -O0 loses two thirds of its values to promotion, and the others would keep the memory of all:
// passes go from value to value, and what takes their time is to wait for memory.
func (f *fn) compact() {
	n, args := 0, 0
	for _, b := range f.blocks {
		n += len(b.phis) + len(b.insts)
	}
	if f.held < 2*n+4096 {
		return
	}
	f.held = n
	slab := make([]value, 0, n)
	lists := make([]*value, 0, n)
	move := func(list []*value) []*value {
		from := len(lists)
		for _, v := range list {
			slab = append(slab, *v)
			m := &slab[len(slab)-1]
			if len(m.args) <= len(m.argv) {
				m.args = m.argv[:copy(m.argv[:], v.args)]
			} else {
				args += len(m.args)
			}
			v.repl = m
			lists = append(lists, m)
		}
		return lists[from:len(lists):len(lists)]
	}
	for _, b := range f.blocks {
		b.phis = move(b.phis)
		b.insts = move(b.insts)
	}
	more := make([]*value, 0, args)
	moved := func(v *value) *value {
		if v.repl != nil {
			return v.repl
		}
		return v
	}
	for i := range slab {
		v := &slab[i]
		if len(v.args) > len(v.argv) {
			from := len(more)
			more = append(more, v.args...)
			v.args = more[from:len(more):len(more)]
		}
		for j, a := range v.args {
			v.args[j] = moved(a)
		}
	}
	for _, b := range f.blocks {
		if b.cond != nil {
			b.cond = moved(b.cond)
		}
		if b.wait != nil {
			b.wait = moved(b.wait)
		}
	}
}
