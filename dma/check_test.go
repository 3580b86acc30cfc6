package dma

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Instructions of the scenarios below.
const (
	pcCopy = 10 + iota
	pcCopy2
	pcWait
	pcAccess
	pcMark
	pcWaitMark
	pcLane
	pcLane2
)

// script makes scenarios short: 64 work-items in two waves, each of which is a
// sub-group; a clock of its own.
type script struct {
	*bed
	t   *testing.T
	now uint64
}

var both = [2]Items{some(0, 0, 32), some(1, 32, 32)}

// group has both waves encounter a copy; wave 1 second.
func (s *script) group(c *Copy, event uint64) (e uint64) {
	for _, it := range both {
		e = s.part(c, event, it)
	}
	return e
}

func (s *script) part(c *Copy, event uint64, it Items) uint64 {
	s.now++
	e, _, f := s.GroupCopy(s.now, c, event, it)
	if f != nil {
		s.t.Fatal(f)
	}
	return e
}

func (s *script) wait(e uint64) {
	for _, it := range both {
		s.waitPart(e, it)
	}
}

func (s *script) waitPart(e uint64, it Items) { s.now++; s.now += s.GroupWait(s.now, pcWait, e, it) }

func (s *script) read(item int, p memory.Pointer) {
	s.now++
	s.Access(s.now, pcAccess, memory.AccessRead, item, p, 4)
}

func (s *script) write(item int, p memory.Pointer) {
	s.now++
	s.Access(s.now, pcAccess, memory.AccessWrite, item, p, 4)
}

// lane has a wave copy 4 bytes for each of its items.
func (s *script) lane(pc, wave int, dst, src memory.Pointer) { s.lanes(pc, wave, dst, src, 4, true) }

func (s *script) lanes(pc, wave int, dst, src memory.Pointer, step int64, async bool) {
	s.now++
	var d, r [32]memory.Pointer
	for i := range d {
		d[i], r[i] = dst.Add(int64(i)*step), src.Add(int64(i)*step)
		if src == ZeroFill {
			r[i] = ZeroFill
		}
	}
	c := &LaneCopy{PC: pc, Name: "load.to.lds", Async: async, Store: dst.Space() == memory.SpaceGlobal, Size: 4}
	if _, _, f := s.LaneCopy(s.now, c, both[wave], d[:], r[:]); f != nil {
		s.t.Fatal(f)
	}
}

func (s *script) mark(wave int) { s.now++; s.Mark(s.now, pcMark, 0, both[wave]) }

func (s *script) settle(wave, n int) {
	s.now++
	s.now += s.WaitMark(s.now, pcWaitMark, 0, n, both[wave])
}

func (s *script) barrier() { s.now++; s.Barrier(s.now) }

// TestChecks runs scenarios, right and wrong, under all completions.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name string
		want string // findings
		run  func(s *script)
	}{
		{"copy, wait, read", "", func(s *script) {
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
			s.read(40, s.tile)
			s.read(3, s.in)
		}},
		{"the source may be read", "", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.read(0, s.in)
			s.read(0, s.tile.Add(64))
			s.write(0, s.tile.Add(64))
			s.write(0, s.in.Add(64))
			s.wait(e)
		}},
		{"read before the wait", "E-ASYNCREAD@13", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.read(40, s.tile.Add(60))
			s.wait(e)
		}},
		{"read before the own wait", "E-ASYNCREAD@13", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.waitPart(e, both[0])
			s.read(0, s.tile)
			s.read(40, s.tile)
			s.waitPart(e, both[1])
		}},
		{"read behind another event's wait", "E-ASYNCREAD@13", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			e2 := s.group(linear(pcCopy2, s.tile2, s.in, 64), 0)
			s.wait(e2)
			s.read(0, s.tile)
			s.wait(e)
		}},
		{"one event for two copies", "", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy2, s.tile2, s.in, 64), e)
			s.wait(e)
			s.read(0, s.tile)
			s.read(0, s.tile2)
		}},
		{"joined after the wait", "E-ASYNCREAD@13", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.wait(e)
			s.group(linear(pcCopy2, s.tile2, s.in, 64), e)
			s.read(0, s.tile)
			s.read(0, s.tile2)
			s.wait(e)
		}},
		{"an atomic operation on the destination", "E-ASYNCWRITE@13", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.Access(s.now, pcAccess, memory.AccessAtomic, 1, s.tile, 4)
			s.wait(e)
		}},
		{"write to the source", "E-ASYNCWRITE@13", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.write(40, s.in.Add(63))
			s.wait(e)
		}},
		{"between the lines", "", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 4, argDstLine: 16, argSrcLine: 32}
			e := s.group(a.copy(pcCopy, 2), 0)
			s.write(0, s.tile.Add(8))
			s.write(0, s.tile.Add(12))
			s.write(0, s.in.Add(8))
			s.write(0, s.in.Add(28))
			s.wait(e)
		}},
		{"in the last line of the last plane", "E-ASYNCREAD@13", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 3, argPlanes: 3, argDstLine: 16, argDstPlane: 64, argSrcLine: 8}
			e := s.group(a.copy(pcCopy, 3), 0)
			s.read(0, s.tile.Add(40)) // between planes
			s.read(0, s.tile.Add(2*64+2*16+8))
			s.read(0, s.tile.Add(2*64+2*16+7))
			s.wait(e)
		}},
		{"copies overlap", "E-ASYNCOVERLAP@11", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy2, s.tile.Add(60), s.in.Add(128), 64), e)
			s.wait(e)
		}},
		{"copies write alike", "", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy2, s.tile.Add(32), s.in.Add(32), 64), e)
			s.wait(e)
		}},
		{"copies read the same", "", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy2, s.tile2, s.in, 64), e)
			s.wait(e)
		}},
		{"a copy reads what another writes", "E-ASYNCOVERLAP@11", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy2, s.out, s.tile, 16), e)
			s.wait(e)
		}},
		{"a copy writes what another reads", "E-ASYNCOVERLAP@11", func(s *script) {
			e := s.group(linear(pcCopy, s.out, s.tile, 64), 0)
			s.group(linear(pcCopy2, s.tile, s.in, 16), e)
			s.wait(e)
		}},
		{"interleaved lines do not overlap", "", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 16, argDstLine: 16, argSrcLine: 8}
			e := s.group(a.copy(pcCopy, 2), 0)
			a[argDst], a[argSrc] = a[argDst]+8, a[argSrc]+512
			s.group(a.copy(pcCopy2, 2), e)
			s.wait(e)
		}},
		{"interleaved lines that touch", "E-ASYNCOVERLAP@11", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 16, argDstLine: 16, argSrcLine: 8}
			e := s.group(a.copy(pcCopy, 2), 0)
			a[argDst], a[argSrc] = a[argDst]+7, a[argSrc]+512
			s.group(a.copy(pcCopy2, 2), e)
			s.wait(e)
		}},
		{"one after the other", "", func(s *script) {
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
			s.wait(s.group(linear(pcCopy2, s.tile, s.in.Add(64), 64), 0))
		}},
		{"a copy onto itself", "E-ASYNCOVERLAP@10", func(s *script) {
			s.wait(s.group(linear(pcCopy, s.in.Add(32), s.in, 64), 0))
		}},
		{"written without a barrier", "E-ASYNCRACE@10", func(s *script) {
			s.write(40, s.tile.Add(8))
			s.wait(s.group(linear(pcCopy, s.out, s.tile, 64), 0))
		}},
		{"written by the one who comes first", "E-ASYNCRACE@10", func(s *script) {
			s.write(0, s.tile.Add(8))
			s.wait(s.group(linear(pcCopy, s.out, s.tile, 64), 0))
		}},
		{"written behind the one who comes first", "E-ASYNCRACE@10", func(s *script) {
			e := s.part(linear(pcCopy, s.out, s.tile, 64), 0, both[0])
			s.write(40, s.tile.Add(8))
			s.write(41, s.tile.Add(12))
			s.part(linear(pcCopy, s.out, s.tile, 64), 0, both[1])
			s.wait(e)
		}},
		{"read behind the one who comes first", "E-ASYNCRACE@10", func(s *script) {
			e := s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.read(40, s.tile.Add(8))
			s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[1])
			s.wait(e)
		}},
		{"written, then a barrier", "", func(s *script) {
			s.write(40, s.tile)
			s.barrier()
			s.wait(s.group(linear(pcCopy, s.out, s.tile, 64), 0))
		}},
		{"source in global memory written without a barrier", "E-ASYNCRACE@10", func(s *script) {
			s.write(40, s.in.Add(8))
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
		}},
		{"source in global memory written behind the one who comes first", "E-ASYNCRACE@10", func(s *script) {
			e := s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.write(40, s.in.Add(8))
			s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[1])
			s.wait(e)
		}},
		{"target in global memory read without a barrier", "E-ASYNCRACE@10", func(s *script) {
			s.read(40, s.out)
			s.wait(s.group(linear(pcCopy, s.out, s.tile, 64), 0))
		}},
		{"source in global memory read without a barrier", "", func(s *script) {
			s.read(40, s.in)
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
		}},
		{"global memory, then a barrier", "", func(s *script) {
			s.write(40, s.in)
			s.read(40, s.out)
			s.barrier()
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
			s.wait(s.group(linear(pcCopy2, s.out, s.tile, 64), 0))
		}},
		{"read, then copied out", "", func(s *script) {
			s.read(40, s.tile)
			s.wait(s.group(linear(pcCopy, s.out, s.tile, 64), 0))
		}},
		{"read without a barrier", "E-ASYNCRACE@10", func(s *script) {
			s.read(40, s.tile)
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
		}},
		{"beside it without a barrier", "", func(s *script) {
			s.write(40, s.tile.Add(64))
			s.write(40, s.tile.Add(12))
			s.wait(s.group(linear(pcCopy, s.tile.Add(16), s.in, 48), 0))
		}},
		{"a stride of 0", "E-ASYNCLINE@10", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argSrcLine: 0}
			s.wait(s.group(a.copy(pcCopy, 1), 0))
		}},
		{"a line length too small", "E-ASYNCLINE@10", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 2, argDstLine: 7, argSrcLine: 8}
			s.wait(s.group(a.copy(pcCopy, 2), 0))
		}},
		{"a plane area too small", "E-ASYNCPLANE@10", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 2, argPlanes: 2, argDstLine: 8, argSrcLine: 8, argDstPlane: 16, argSrcPlane: 15}
			s.wait(s.group(a.copy(pcCopy, 3), 0))
		}},
		{"the smallest lengths", "", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 2, argPlanes: 2, argDstLine: 8, argSrcLine: 8, argDstPlane: 16, argSrcPlane: 16}
			s.wait(s.group(a.copy(pcCopy, 3), 0))
		}},
		{"nothing has no lines", "", func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 0, argDstLine: 1, argSrcLine: 1}
			s.wait(s.group(a.copy(pcCopy, 2), 0))
		}},
		{"different operands", "E-ASYNCDIFF@10", func(s *script) {
			e := s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.part(linear(pcCopy, s.tile, s.in, 60), 0, both[1])
			s.wait(e)
		}},
		{"different events", "E-ASYNCDIFF@11", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.part(linear(pcCopy2, s.tile2, s.in, 64), e, both[0])
			s.part(linear(pcCopy2, s.tile2, s.in, 64), 0, both[1])
			s.wait(e)
		}},
		{"different instructions", "E-ASYNCDIFF@11", func(s *script) {
			e := s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.part(linear(pcCopy2, s.tile, s.in, 64), 0, both[1])
			s.wait(e)
		}},
		{"half a copy", "E-ASYNCPART@10", func(s *script) {
			e := s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.waitPart(e, both[0])
		}},
		{"half a copy before a barrier", "E-ASYNCPART@10", func(s *script) {
			e := s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.waitPart(e, both[0])
			s.barrier()
			s.wait(s.group(linear(pcCopy2, s.tile2, s.in, 64), 0))
		}},
		{"half a wait", "E-ASYNCPART@12", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.waitPart(e, pick(0, 0, 1))
			s.barrier()
			s.read(40, s.tile) // known to be done: someone waited, and then a barrier
		}},
		{"nobody waits", "E-ASYNCNOWAIT@10", func(s *script) {
			s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.barrier()
			s.barrier()
		}},
		{"nobody waits for nothing", "E-ASYNCNOWAIT@10", func(s *script) {
			s.group(linear(pcCopy, s.tile, s.in, 0), 0)
		}},
		{"not waited for behind a barrier", "E-ASYNCREAD@13 E-ASYNCNOWAIT@10", func(s *script) {
			s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.barrier()
			s.read(0, s.tile)
		}},
		{"no event", "E-ASYNCEVENT@12", func(s *script) {
			s.wait(s.group(linear(pcCopy, s.tile, s.in, 64), 0))
			s.wait(2)
		}},
		{"joins no event", "E-ASYNCEVENT@10", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 1<<40)
			s.group(linear(pcCopy2, s.tile2, s.in, 64), 0)
			s.wait(1)
			s.GroupWait(s.now, 99, e, both[0])
			s.GroupWait(s.now, 99, e, both[1])
			s.sink.list = s.sink.list[:1] // the wait for what is no event is one more finding
		}},
		{"the null event", "E-ASYNCEVENT@12", func(s *script) { s.wait(0) }},

		{"lane copy, mark, wait, read", "", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.settle(0, 0)
			s.read(0, s.tile)
			s.read(31, s.tile)
			s.barrier()
			s.read(40, s.tile)
		}},
		{"lane copy, read", "E-ASYNCREAD@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.read(0, s.tile)
		}},
		{"lane copy, mark, read", "E-ASYNCREAD@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.read(5, s.tile.Add(20))
			s.settle(0, 0)
		}},
		{"lane copy, a wait that counts one mark too many", "E-ASYNCREAD@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.settle(0, 1)
			s.read(0, s.tile)
		}},
		{"lane copy behind the mark", "E-ASYNCREAD@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.lane(pcLane2, 0, s.tile2, s.in)
			s.settle(0, 0)
			s.read(0, s.tile)
			s.read(0, s.tile2)
		}},
		{"lane copy, the other sub-group without a barrier", "E-ASYNCRACE@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.settle(0, 0)
			s.read(40, s.tile)
		}},
		{"lane copy, the other sub-group before a wait", "E-ASYNCREAD@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.barrier()
			s.read(40, s.tile)
			s.settle(0, 0)
		}},
		{"lane copy over what the other sub-group has read", "E-ASYNCRACE@13", func(s *script) {
			s.read(40, s.tile)
			s.lane(pcLane, 0, s.tile, s.in)
		}},
		{"lane copy over what the own sub-group has read", "", func(s *script) {
			s.read(4, s.tile)
			s.lane(pcLane, 0, s.tile, s.in)
		}},
		{"lane store of what the other sub-group has written", "E-ASYNCRACE@13", func(s *script) {
			s.write(40, s.tile)
			s.lane(pcLane, 0, s.out, s.tile)
		}},
		{"lane store of what the other sub-group has read", "", func(s *script) {
			s.read(40, s.tile)
			s.lane(pcLane, 0, s.out, s.tile)
		}},
		{"write to the source of a lane store", "E-ASYNCWRITE@13", func(s *script) {
			s.lane(pcLane, 0, s.out, s.tile)
			s.write(2, s.tile.Add(8))
		}},
		{"source of a lane load, written before it", "E-ASYNCRACE@13", func(s *script) {
			s.write(40, s.in.Add(8))
			s.lane(pcLane, 0, s.tile, s.in)
		}},
		{"source of a lane load, written behind its wait", "E-ASYNCRACE@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.settle(0, 0)
			s.write(40, s.in.Add(8))
		}},
		{"write to the source of a lane load", "E-ASYNCRACE@13", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.write(40, s.in.Add(8))
		}},
		{"zeros have no source", "", func(s *script) {
			s.lane(pcLane, 0, s.tile, ZeroFill)
			s.write(40, s.in.Add(8))
			s.read(40, s.tile2)
		}},
		{"lane copies overlap", "E-ASYNCOVERLAP@17", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.lane(pcLane2, 0, s.tile.Add(124), s.in.Add(256))
		}},
		{"lane copies that write alike", "", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.lane(pcLane2, 1, s.tile.Add(4), s.in.Add(4))
			s.lane(pcLane2, 0, s.tile2, ZeroFill)
			s.lane(pcLane2, 1, s.tile2, ZeroFill)
		}},
		{"lanes of one copy overlap", "E-ASYNCOVERLAP@16", func(s *script) {
			s.lanes(pcLane, 0, s.tile, s.in, 2, true)
			s.sink.list = nil // those write alike
			s.now++
			d, r := make([]memory.Pointer, 32), make([]memory.Pointer, 32)
			for i := range d {
				d[i], r[i] = s.tile2.Add(int64(i^1)*3), s.in.Add(int64(i)*4)
			}
			s.LaneCopy(s.now, &LaneCopy{PC: pcLane, Name: "load", Async: true, Size: 4}, both[0], d, r)
		}},
		{"interleaved lanes do not overlap", "", func(s *script) {
			s.lanes(pcLane, 0, s.tile, s.in, 8, true)
			s.lanes(pcLane2, 1, s.tile.Add(4), s.in.Add(4), 8, true)
		}},
		{"a lane copy reads what a group copy writes", "E-ASYNCOVERLAP@16", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.lane(pcLane, 0, s.out, s.tile)
			s.wait(e)
		}},
		{"a group copy writes what a lane copy writes", "E-ASYNCOVERLAP@10", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.wait(s.group(linear(pcCopy, s.tile.Add(100), s.in, 64), 0))
		}},
		{"a group copy of what lane copies brought", "E-ASYNCRACE@10", func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.settle(0, 0)
			s.wait(s.group(linear(pcCopy, s.out, s.tile, 64), 0))
		}},
		{"a lane copy that is done at once", "", func(s *script) {
			s.lanes(pcLane, 0, s.tile, s.in, 4, false)
			s.read(0, s.tile)
			s.read(9, s.tile)
		}},
		{"a lane copy at once into an outstanding one", "E-ASYNCWRITE@16", func(s *script) {
			e := s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.lanes(pcLane, 0, s.tile, s.in, 4, false)
			s.wait(e)
		}},
		{"operands that are not uniform", "E-ASYNCUNIFORM@16", func(s *script) {
			s.NotUniform(pcLane, "load.to.lds", "LDS base", 32, 35, uint64(s.tile), uint64(s.tile2), true)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var first []*found
			every(t, func(t *testing.T, cfg Config) {
				s := &script{bed: newBed(t, cfg, 64, 32), t: t}
				c.run(s)
				s.End(s.now)
				s.want(t, c.want)
				if first == nil {
					first = s.sink.list
				} else if diff := cmp.Diff(first, s.sink.list); diff != "" {
					t.Errorf("%v finds other things than early:\n%s", cfg.Completion, diff)
				}
				// The next group knows nothing of this one.
				s.sink.list = nil
				s.begin(1, 64, 32)
				s.read(40, s.tile)
				s.write(0, s.in)
				s.End(s.now)
				s.want(t, "")
			})
		})
	}
}

// details runs a scenario and returns the finding with a code.
func details(t *testing.T, code finding.Code, run func(s *script)) *found {
	t.Helper()
	s := &script{bed: newBed(t, Config{Check: true}, 64, 32), t: t}
	run(s)
	s.End(s.now)
	return s.sink.get(t, code)
}

// TestDetails compares the particulars of one finding of each code.
func TestDetails(t *testing.T) {
	spans := func(from, to uint64) finding.Spans { return finding.Spans{{from, to}} }
	bed := newBed(t, Config{}, 64, 32)
	in, tile, tile2 := bed.in, bed.tile, bed.tile2
	group := Transfer{ID: 1, PC: pcCopy, Name: "copy1D", Items: spans(0, 63), Dst: tile, Src: in, Bytes: 64, Lines: 1, Planes: 1, Event: 1, Async: true}
	lane := Transfer{ID: 1, PC: pcLane, Name: "load.to.lds", Items: spans(0, 31), Dst: tile, Src: in, Bytes: 128, Lines: 1, Planes: 1, Async: true}
	of := func(t Transfer, f func(t *Transfer)) Transfer { f(&t); return t }
	arg := func(n uint64, event uint64) []NamedArg {
		return []NamedArg{{"destination", uint64(tile), true}, {"source", uint64(in), true}, {"elements", n, false}, {"event", event, false}}
	}
	for _, c := range []struct {
		code finding.Code
		run  func(s *script)
		want found
	}{
		{finding.AsyncRead, func(s *script) {
			s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.read(40, s.tile.Add(8))
			s.read(41, s.tile.Add(8))
		}, found{PC: pcAccess, Item: 40, N: 2, Detail: Detail{Access: memory.AccessRead, Pointer: tile.Add(8), Size: 4, MarkPC: -1, Text: "which the copy still fills", Transfers: []Transfer{group}}}},
		{finding.AsyncRead, func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.mark(0)
			s.mark(0)
			s.settle(0, 3)
			s.read(2, s.tile.Add(8))
		}, found{PC: pcAccess, Item: 2, N: 1, Detail: Detail{Access: memory.AccessRead, Pointer: tile.Add(8), Size: 4, WaitN: 2, MarkPC: pcMark, Text: "which the copy still fills", Transfers: []Transfer{lane}}}},
		{finding.AsyncWrite, func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.barrier()
			s.write(40, s.tile.Add(8))
		}, found{PC: pcAccess, Item: 40, N: 1, Detail: Detail{Access: memory.AccessWrite, Pointer: tile.Add(8), Size: 4, MarkPC: -1, Barrier: true, Text: "which the copy still fills", Transfers: []Transfer{lane}}}},
		{finding.AsyncOverlap, func(s *script) {
			s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy2, s.tile.Add(60), s.in.Add(128), 64), 0)
		}, found{PC: pcCopy2, Item: 0, N: 64, Detail: Detail{Access: memory.AccessWrite, Pointer: tile.Add(60), Size: 4, MarkPC: -1, Text: "which both write", Transfers: []Transfer{
			of(group, func(t *Transfer) {
				t.ID, t.PC, t.Items, t.Dst, t.Src, t.Event = 2, pcCopy2, spans(0, 31), tile.Add(60), in.Add(128), 2
			}), group}}}},
		{finding.AsyncRace, func(s *script) {
			s.write(40, s.tile.Add(8))
			s.group(linear(pcCopy, s.tile, s.in, 64), 0)
		}, found{PC: pcCopy, Item: 0, N: 64, Detail: Detail{Access: memory.AccessWrite, Pointer: tile.Add(8), Size: 1, MarkPC: -1,
			Other: &Party{40, pcAccess, memory.AccessWrite}, Transfers: []Transfer{of(group, func(t *Transfer) { t.Items = spans(0, 31) })}}}},
		{finding.AsyncRace, func(s *script) {
			s.lane(pcLane, 0, s.tile, s.in)
			s.mark(0)
			s.settle(0, 0)
			s.read(40, s.tile.Add(8))
		}, found{PC: pcAccess, Item: 40, N: 1, Detail: Detail{Access: memory.AccessRead, Pointer: tile.Add(8), Size: 4, MarkPC: -1, Other: &Party{2, pcLane, memory.AccessWrite}}}},
		{finding.AsyncLine, func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 2, argDstLine: 7, argSrcLine: 8}
			s.group(a.copy(pcCopy, 2), 0)
		}, found{PC: pcCopy, N: 64, Detail: Detail{MarkPC: -1, Text: "destination line length of 7, but lines of 8 elements",
			Transfers: []Transfer{of(group, func(t *Transfer) { t.Name, t.Items, t.Bytes, t.Lines, t.Event = "copy2D", spans(0, 31), 16, 2, 0 })}}}},
		{finding.AsyncPlane, func(s *script) {
			a := args{argDst: uint64(s.tile), argSrc: uint64(s.in), argElems: 8, argLines: 2, argPlanes: 2, argDstLine: 8, argSrcLine: 8, argSrcPlane: 15}
			s.group(a.copy(pcCopy, 3), 0)
		}, found{PC: pcCopy, N: 64, Detail: Detail{MarkPC: -1, Text: "source plane area of 15, but planes of 2 lines with a line length of 8",
			Transfers: []Transfer{of(group, func(t *Transfer) {
				t.Name, t.Items, t.Bytes, t.Lines, t.Planes, t.Event = "copy3D", spans(0, 31), 32, 2, 2, 0
			})}}}},
		{finding.AsyncDiff, func(s *script) {
			s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[0])
			s.part(linear(pcCopy, s.tile, s.in, 60), 0, both[1])
		}, found{PC: pcCopy, Item: 32, N: 32, Detail: Detail{MarkPC: -1, Transfers: []Transfer{of(group, func(t *Transfer) { t.Items = spans(0, 31) })},
			Sets: []OperandSet{{spans(0, 31), pcCopy, "copy1D", arg(64, 0)}, {spans(32, 63), pcCopy, "copy1D", arg(60, 0)}}}}},
		{finding.AsyncPart, func(s *script) {
			s.part(linear(pcCopy, s.tile, s.in, 64), 0, both[1])
		}, found{PC: pcCopy, Item: 32, N: 32, Detail: Detail{MarkPC: -1, Did: spans(32, 63), DidNot: spans(0, 31),
			Transfers: []Transfer{of(group, func(t *Transfer) { t.Items, t.Wave = spans(32, 63), 1 })}}}},
		{finding.AsyncPart, func(s *script) {
			s.waitPart(s.group(linear(pcCopy, s.tile, s.in, 64), 0), pick(0, 0, 6))
		}, found{PC: pcWait, Item: 1, N: 2, Detail: Detail{MarkPC: -1, Wait: true, Did: spans(1, 2), DidNot: finding.Spans{{0, 0}, {3, 63}}, Transfers: []Transfer{group}}}},
		{finding.AsyncNoWait, func(s *script) {
			s.group(linear(pcCopy, s.tile, s.in, 64), 0)
			s.group(linear(pcCopy, s.tile2, s.in, 64), 0)
		}, found{PC: pcCopy, Item: 0, N: 128, Detail: Detail{MarkPC: -1, Transfers: []Transfer{group}}}},
		{finding.AsyncEvent, func(s *script) { s.waitPart(7, both[1]) },
			found{PC: pcWait, Item: 32, N: 32, Detail: Detail{MarkPC: -1, Sets: []OperandSet{{spans(32, 63), pcWait, "", []NamedArg{{"event", 7, false}}}}}}},
		{finding.AsyncUniform, func(s *script) {
			s.NotUniform(pcLane, "load.to.lds", "LDS base", 32, 35, uint64(s.tile), uint64(s.tile2), true)
		}, found{PC: pcLane, Item: 32, N: 1, Detail: Detail{MarkPC: -1, Sets: []OperandSet{
			{spans(32, 32), pcLane, "load.to.lds", []NamedArg{{"LDS base", uint64(tile), true}}},
			{spans(35, 35), pcLane, "load.to.lds", []NamedArg{{"LDS base", uint64(tile2), true}}}}}}},
	} {
		c.want.Code = c.code
		got := details(t, c.code, c.run)
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.code, diff)
		}
	}
}

// TestUnchecked checks that no finding comes without Config.Check.
func TestUnchecked(t *testing.T) {
	s := &script{bed: newBed(t, Config{Completion: Late}, 64, 32), t: t}
	s.part(linear(pcCopy, s.tile, s.in, 64), 1<<40, both[0])
	s.part(linear(pcCopy2, s.tile, s.in, 60), 0, both[1])
	s.read(0, s.tile)
	s.lane(pcLane, 0, s.tile, s.in)
	s.NotUniform(pcLane, "", "", 0, 1, 0, 1, false)
	s.wait(99)
	s.End(s.now)
	s.want(t, "")
}

// TestOneItem checks that a group of one work-item races with nobody.
func TestOneItem(t *testing.T) {
	b := newBed(t, Config{Check: true}, 1, 1)
	one := some(0, 0, 1)
	b.Access(0, 1, memory.AccessWrite, 0, b.tile, 4)
	e, _, _ := b.GroupCopy(1, linear(2, b.out, b.tile, 4), 0, one)
	b.GroupWait(2, 3, e, one)
	b.End(3)
	b.want(t, "")
}

// TestShadowLimit checks that LDS behind what is watched makes no trouble, and
// that epochs may run out.
func TestShadowLimit(t *testing.T) {
	lds, err := memory.NewLocal([]uint64{maxShadow - 8, 64, 64}, 2*maxShadow)
	if err != nil {
		t.Fatal(err)
	}
	s := &testSink{}
	u := New(Config{Check: true, Sink: s})
	u.Reset(Group{Items: 64, SubgroupSize: 32, LDS: lds})
	u.checker.shadow.epoch = [numKinds]uint32{^uint32(0), ^uint32(0)}
	for n, want := range []string{"E-ASYNCRACE@2", "E-ASYNCRACE@2", ""} {
		*s = testSink{}
		p := memory.MakePointer(memory.SpaceLocal, uint32(n+1), 0)
		if n == 0 {
			p = p.Add(maxShadow - 16)
		}
		u.Access(0, 1, memory.AccessWrite, 3, p.Add(4), 4)
		u.Barrier(0)
		u.Access(0, 1, memory.AccessWrite, 3, p, 4)
		e, _, _ := u.GroupCopy(0, linear(2, memory.MakePointer(memory.SpaceLocal, 3, 32), p, 8), 0, some(0, 0, 64))
		u.GroupWait(0, 3, e, some(0, 0, 64))
		if s.String() != want || (s.missed != 0) != (n == 2) {
			t.Errorf("allocation %d: %s, missed %d", n, s, s.missed)
		}
	}
}

// TestShadowOfGlobalMemory checks what is watched of global memory: as much as there is room for in each epoch, and
// copies that reach much further than what was used.
func TestShadowOfGlobalMemory(t *testing.T) {
	const size = 1 << 28
	mem := memory.NewGlobal(size)
	p, err := mem.AllocBytes("big", make([]byte, size), false)
	if err != nil {
		t.Fatal(err)
	}
	lds, err := memory.NewLocal([]uint64{64}, 64)
	if err != nil {
		t.Fatal(err)
	}
	local := memory.MakePointer(memory.SpaceLocal, 1, 0)
	s := &testSink{}
	u := New(Config{Check: true, Sink: s})
	u.Reset(Group{Items: 64, SubgroupSize: 32, LDS: lds, Memory: mem})
	all := some(0, 0, 64)
	try := func(name string, src memory.Pointer, want string) {
		t.Helper()
		*s = testSink{}
		e, _, _ := u.GroupCopy(0, linear(2, local, src, 64), 0, all)
		u.GroupWait(0, 3, e, all)
		if s.String() != want {
			t.Errorf("%s: %s, want %s", name, s, want)
		}
	}
	// A quarter of the room is for words, half of it for bytes, which take four times as much.
	const perPage = shadowPage >> shadowWord
	const words, bytes, rest = maxGlobalCells / 4 / perPage, maxGlobalCells / 2 / shadowPage, maxGlobalCells / 4 / perPage
	page := func(n int) memory.Pointer { return p.Add(int64(n) * shadowPage) }
	for n := range words + bytes + rest + 1 {
		at, size := page(n), uint64(shadowPage)
		if n >= words && n < words+bytes {
			at, size = at.Add(3), 1
		}
		if s.missed != 0 {
			t.Fatalf("no room for page %d", n)
		}
		u.Access(0, 1, memory.AccessWrite, 3, at, size)
	}
	if n := u.checker.shadow.cells; n != maxGlobalCells || s.missed != MissedUses {
		t.Errorf("%d cells, missed %d", n, s.missed)
	}
	try("the first page", p, "E-ASYNCRACE@2")
	try("a byte", page(words), "E-ASYNCRACE@2")
	try("beside a byte", page(words).Add(4-64), "E-ASYNCRACE@2")
	try("a page that there was no room for", page(words+bytes+rest), "")
	u.Barrier(0)
	u.Access(0, 1, memory.AccessWrite, 3, p.Add(size-4), 4)
	try("a page of the epoch before", p, "")
	try("a page of this epoch", p.Add(size-64), "E-ASYNCRACE@2")
	// An access to all of it, as by a copy of bytes, and to far more than there is.
	u.Barrier(0)
	u.Access(0, 1, memory.AccessWrite, 3, p, size)
	u.Access(0, 1, memory.AccessWrite, 3, p, 1<<63)
	try("all of it", p, "E-ASYNCRACE@2")
	if at, _, ok := u.checker.shadow.find(useWrite, allocOf(p), 70, size-70, -1, false, 0); !ok || at != 70 {
		t.Errorf("found %v at %d", ok, at)
	}
}

func ExampleCompletion() {
	c, err := ParseCompletion("paced")
	fmt.Println(c, err)
	// Output: paced <nil>
}
