package native

import (
	"sort"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// A register that is reserved for a place's values from trip to trip is idle between the last use of one
// value and the next: something else may be in it then.

// lent returns a register of a place that is idle, or -1.
func (r *region) lent() int {
	for n, owner := range r.owners {
		if r.pinned[fileVec]>>n&1 != 0 {
			continue
		}
		if v := r.holders[fileVec][n]; v != nil && v != owner {
			if !r.needed(v) {
				return n
			}
		} else if r.idle(owner) {
			return n
		}
	}
	return -1
}

// idle says whether a place's value is not used any more, and a new one will be there before lanes can leave.
func (r *region) idle(v *value) bool {
	if h := r.residentOf(v.place); h.frozen {
		return false
	}
	list := r.events[v.place]
	i := sort.Search(len(list), func(i int) bool { return list[i].at >= r.step })
	if i == len(list) || !list[i].write || list[i].at == r.step {
		return false
	}
	for _, s := range r.steps[r.step:list[i].at] {
		if s.inst < 0 {
			return false
		}
	}
	return true
}

// reclaim empties the register of a place, n, for a new value.
func (r *region) reclaim(owner *value, n int) {
	v := r.holders[fileVec][n]
	if v == nil || v == owner {
		return
	}
	v.reg = -1
	r.holders[fileVec][n] = nil
	if r.needed(v) {
		x := r.take(fileVec)
		t := typeOf(v.bank)
		r.V(opCopy.of(t), r.width(t), amd64.Vec(x), amd64.Vec(n))
		v.reg, r.holders[fileVec][x] = x, v
	}
}

// residentOf returns what is known of a place, of whatever group, that holds a value from trip to trip or
// behind the loop; nil of others.
func (r *region) residentOf(p place) *resident {
	for i := range r.list {
		if h := &r.list[i]; h.bank == p.bank && h.index == p.index {
			return h
		}
	}
	return nil
}
