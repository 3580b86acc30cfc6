package debug

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// ErrOptimizedOut is the error for an expression that needs a value which the module's compiler has not kept.
var ErrOptimizedOut = errors.New("the value has been optimized out")

// optimizedOut is the text of a value that is not there.
const optimizedOut = "<optimized out>"

// lost returns the value of a type of which nothing is left.
func lost(t *Type, item int) Value {
	n := min(t.Size, maxValue)
	return Value{Type: t, Bytes: make([]byte, n), lost: slices.Repeat([]bool{true}, int(max(n, 1))), item: item}
}

// Lost says whether nothing, and whether not all, of a value is left of what the source computes: the
// module's compiler has optimized it out.
func (v Value) Lost() (all, some bool) {
	return len(v.lost) > 0 && !slices.Contains(v.lost, false), slices.Contains(v.lost, true)
}

// whole returns a value that an operator needs, if all of it is there.
func whole(v Value, err error) (Value, error) {
	if _, some := v.Lost(); some && err == nil {
		return v, ErrOptimizedOut
	}
	return v, err
}

// cutLost is cut for what says which bytes are lost.
func cutLost(lost []bool, off, n uint64) []bool {
	switch {
	case lost == nil:
		return nil
	case off <= uint64(len(lost)) && n <= uint64(len(lost))-off:
		lost = lost[off : off+n]
	default:
		lost = slices.Repeat([]bool{true}, int(min(n, maxValue)))
	}
	if !slices.Contains(lost, true) {
		return nil
	}
	return lost
}

// shadow returns what a variable without memory has been given last.
func (v *evaluation) shadow(d *isa.DebugVar, t *Type) (Value, error) {
	s, n := v.s, t.Size
	if n > maxValue/4 {
		return lost(t, v.item), nil
	}
	size, pointer := isa.DebugShadowSize(n)
	at := place{kind: placePrivate, item: v.item, alloc: int(d.Index), off: d.Offset}
	p, err := s.readAt(at, int(size))
	if err != nil {
		return Value{Type: t, item: v.item}, err
	}
	states := p[n : 2*n]
	count := func(state isa.DebugState) (k uint64) {
		for _, x := range states {
			if isa.DebugState(x) == state {
				k++
			}
		}
		return k
	}
	if count(isa.DebugUnset) == n && d.Arg > 0 && d.At == 0 && int(d.Arg) <= len(s.kernel.Params) {
		return s.argument(int(d.Arg)-1, t, v.item), nil
	}
	x := Value{Type: t, Bytes: p[:n:n], item: v.item, copied: at}
	if k := count(isa.DebugInMemory); k > 0 {
		m, err := s.load(t, lead(memory.Pointer(binary.LittleEndian.Uint64(p[pointer:])), v.item), v.item)
		if k == n || err != nil {
			return m, err
		}
		for i, state := range states {
			if isa.DebugState(state) == isa.DebugInMemory {
				x.Bytes[i] = m.Bytes[i]
			}
		}
	}
	for i, state := range states {
		if st := isa.DebugState(state); st != isa.DebugKept && st != isa.DebugInMemory {
			if x.lost == nil {
				x.lost = make([]bool, n)
			}
			x.lost[i], x.Bytes[i] = true, 0
		}
	}
	return x, nil
}
