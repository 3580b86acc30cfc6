package groupcases

// sizes are the sub-group sizes that cases hold at.
var sizes = []int{1, 4, 8, 16, 32, 64, 128}

// launch is an ND-range of one dimension. Its last work-group may be partial.
type launch struct{ global, local int }

// The launches of the families: two work-groups of few or more work-items, one of
// which is partial, whose sub-groups are partial at sizes from 4 on; and one with sub-groups of up to 128
// lanes, with a partial one behind.
var (
	tiny  = launch{12, 7}
	small = launch{22, 18}
	wide  = launch{150, 150}
	full  = launch{128, 128}
)

// workgroups returns the work-items of each work-group by their global ids.
func (l launch) workgroups() [][]int {
	var out [][]int
	for i := 0; i < l.global; i += l.local {
		var g []int
		for j := i; j < min(i+l.local, l.global); j++ {
			g = append(g, j)
		}
		out = append(out, g)
	}
	return out
}

// subgroups returns the work-items of each sub-group, of all work-groups.
func (l launch) subgroups(size int) [][]int {
	var out [][]int
	for _, g := range l.workgroups() {
		out = append(out, chunks(g, size)...)
	}
	return out
}

func chunks(g []int, size int) [][]int {
	var out [][]int
	for ; len(g) > size; g = g[size:] {
		out = append(out, g[:size])
	}
	return append(out, g)
}

// each calls f for every work-item with its sub-group and its place there.
func (l launch) each(size int, f func(item int, group []int, lane int)) {
	for _, g := range l.subgroups(size) {
		for lane, item := range g {
			f(item, g, lane)
		}
	}
}

// scans holds the three results of an operation for each work-item.
type scans struct{ reduce, inclusive, exclusive []uint64 }

// scan combines the operands of the items in ascending order, one after the other.
// An exclusive scan does not apply the identity it begins with.
func (o *operation) scan(t scalar, x []uint64, groups [][]int) scans {
	out := scans{make([]uint64, len(x)), make([]uint64, len(x)), make([]uint64, len(x))}
	for _, g := range groups {
		var acc uint64
		for i, item := range g {
			if i == 0 {
				out.exclusive[item], acc = o.identity(t), x[item]
			} else {
				out.exclusive[item], acc = acc, o.combine(t, acc, x[item])
			}
			out.inclusive[item] = acc
		}
		for _, item := range g {
			out.reduce[item] = acc
		}
	}
	return out
}

// scanLanes is scan for lanes of sub-groups, or of parts of them: reductions go by halves.
func (o *operation) scanLanes(t scalar, x []uint64, l launch, groups [][]int) scans {
	out := o.scan(t, x, groups)
	for _, g := range groups {
		r := o.halve(t, x, l, g)
		for _, item := range g {
			out.reduce[item] = r
		}
	}
	return out
}

// halve combines the operands of lanes whose numbers differ by half of the largest sub-group first, then by
// half of that, and so on. A lane that is not there leaves the other as it is.
func (o *operation) halve(t scalar, x []uint64, l launch, g []int) uint64 {
	v := map[int]uint64{}
	for _, item := range g {
		v[item%l.local%sizes[len(sizes)-1]] = x[item]
	}
	for n := sizes[len(sizes)-1] / 2; n > 0; n /= 2 {
		for i := range n {
			upper, ok := v[i+n]
			if !ok {
				continue
			}
			if lower, ok := v[i]; ok {
				upper = o.combine(t, lower, upper)
			}
			v[i] = upper
		}
	}
	return v[0]
}

// scanWorkgroups combines within each sub-group, and then the sub-groups' results in
// ascending order.
func (o *operation) scanWorkgroups(t scalar, x []uint64, l launch, size int) scans {
	out := o.scanLanes(t, x, l, l.subgroups(size))
	for _, w := range l.workgroups() {
		var before uint64
		for i, g := range chunks(w, size) {
			total := out.reduce[g[0]]
			if i > 0 {
				for lane, item := range g {
					if lane == 0 {
						out.exclusive[item] = before
					} else {
						out.exclusive[item] = o.combine(t, before, out.exclusive[item])
					}
					out.inclusive[item] = o.combine(t, before, out.inclusive[item])
				}
				total = o.combine(t, before, total)
			}
			before = total
		}
		for _, item := range w {
			out.reduce[item] = before
		}
	}
	return out
}
