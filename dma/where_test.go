package dma

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// TestWhere checks which line a fault of a copy is said to be in.
func TestWhere(t *testing.T) {
	global := func(off int64) memory.Pointer { return memory.MakePointer(memory.SpaceGlobal, 1, off) }
	args := func(dim int, v map[int]uint64) *Copy {
		c := &Copy{Spec: &CopySpec{Dim: dim}}
		for i, x := range v {
			c.Args[i] = x
			c.Spec.Has[i] = true
		}
		return c
	}
	solid := args(1, map[int]uint64{argDst: 0, argSrc: uint64(global(0)), argElemBytes: 4, argElems: 8})
	strided := args(1, map[int]uint64{argDst: 0, argSrc: uint64(global(0)), argElemBytes: 4, argElems: 8, argSrcLine: 3})
	lines := args(2, map[int]uint64{argDst: uint64(global(4)), argSrc: uint64(global(0)), argSrcOffset: 2, argElemBytes: 4, argElems: 8, argLines: 5, argSrcLine: 10, argDstLine: 9})
	planes := args(3, map[int]uint64{argDst: 0, argSrc: uint64(global(0)), argElems: 8, argLines: 2, argPlanes: 3, argSrcLine: 10, argSrcPlane: 50})
	for _, c := range []struct {
		copy   *Copy
		access memory.Access
		at     memory.Pointer
		want   string
	}{
		{solid, memory.AccessRead, global(0), ""},
		{strided, memory.AccessRead, global(60), "element 5 of 8"},
		{lines, memory.AccessRead, global(8), "line 0 of 5"},
		{lines, memory.AccessRead, global(8 + 160), "line 4 of 5"},
		{lines, memory.AccessWrite, global(4 + 36*3), "line 3 of 5"},
		{lines, memory.AccessRead, global(0).Add(memory.FarOffset), ""},
		{planes, memory.AccessRead, global(0), "line 0 of 2 in plane 0 of 3"},
		{planes, memory.AccessRead, global(110), "line 1 of 2 in plane 2 of 3"},
		{args(2, map[int]uint64{argElems: 0, argLines: 3}), memory.AccessRead, global(0), ""},
		{args(2, map[int]uint64{argElems: 4, argLines: 3, argSrcLine: 0, argSrc: uint64(global(9))}), memory.AccessRead, global(9), "line 0 of 3"},
	} {
		if got := c.copy.Where(&memory.Fault{Access: c.access, Pointer: c.at}); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.access, c.at, got, c.want)
		}
	}
}
