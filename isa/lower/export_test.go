package lower

import "slices"

// CountSteps calls f with the steps of analyses for each kernel that is lowered, until the function that it returns is
// called.
func CountSteps(f func(int)) (end func()) {
	countSteps = f
	return func() { countSteps = nil }
}

// SetLeastPrepared sets the size from which on bodies are prepared, until the function that it returns is called.
func SetLeastPrepared(n int) (end func()) {
	was := leastPrepared
	leastPrepared = n
	return func() { leastPrepared = was }
}

// PreparedBodies returns the names of the functions whose bodies a kernel has copies of, in order.
func PreparedBodies(c *Compiler, kernel string) []string {
	m := c.mod
	ep := m.entries[c.at[kernel]]
	b := newBuilder(m)
	b.k.Name = ep.name
	f := m.funcs[ep.id]
	b.in = f.def
	b.cur = b.f.NewBlock("entry")
	args := b.params(f)
	b.choosePrepared(f)
	b.inline(f, args)
	names := []string{}
	for f, p := range b.bodyOf {
		if p != nil {
			names = append(names, m.names[f.def.ResultID()])
		}
	}
	slices.Sort(names)
	return names
}

// OffsetBits is what the lowering takes memory.OffsetBits to be.
const OffsetBits = offsetBits
