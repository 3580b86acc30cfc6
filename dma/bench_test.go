package dma

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// benchGroup returns a unit with a work-group of one wave, a tile of 64 KiB in
// LDS and an image of 1 MiB in global memory.
func benchGroup(tb testing.TB, cfg Config) (u *Unit, tile, image memory.Pointer, all Items) {
	tb.Helper()
	g := memory.NewGlobal(1 << 21)
	image, err := g.Alloc("image", 1<<20, false)
	if err != nil {
		tb.Fatal(err)
	}
	lds, err := memory.NewLocal([]uint64{64 << 10}, 64<<10)
	if err != nil {
		tb.Fatal(err)
	}
	u = New(cfg)
	u.Reset(Group{Items: 64, SubgroupSize: 32, Memory: g, LDS: lds})
	return u, memory.MakePointer(memory.SpaceLocal, 1, 0), image, Items{Mask: []uint64{^uint64(0)}}
}

// copy2D returns a copy of lines × line bytes from an image of 4096 bytes a line
// into a tile without gaps.
func copy2D(tile, image memory.Pointer, line, lines uint64) *Copy {
	spec := &CopySpec{Name: "GroupAsyncCopy2D2D", Dim: 2}
	c := &Copy{Spec: spec}
	for i, v := range map[int]uint64{argDst: uint64(tile), argSrc: uint64(image), argElemBytes: 4, argElems: line / 4, argLines: lines, argSrcLine: 1024, argDstLine: line / 4} {
		spec.Has[i], c.Args[i] = true, v
	}
	return c
}

// BenchmarkTile compares copies of a tile of 64 KiB with Go's copy of as many
// bytes that lie together.
func BenchmarkTile(b *testing.B) {
	u, tile, image, all := benchGroup(b, Config{})
	b.Run("copy", func(b *testing.B) {
		dst, src := u.group.LDS.Lookup(1).Data, u.group.Memory.Lookup(image.Alloc()).Data[:64<<10]
		b.SetBytes(64 << 10)
		for b.Loop() {
			copy(dst, src)
		}
	})
	for _, s := range []struct {
		name        string
		line, lines uint64
	}{{"256x256", 256, 256}, {"64x1024", 1024, 64}, {"16x4096", 4096, 16}} {
		b.Run(s.name, func(b *testing.B) {
			c := copy2D(tile, image, s.line, s.lines)
			b.SetBytes(64 << 10)
			for b.Loop() {
				e, _, f := u.GroupCopy(0, c, 0, all)
				if f != nil {
					b.Fatal(f)
				}
				u.GroupWait(0, 0, e, all)
			}
		})
	}
}

// BenchmarkLaneCopy measures a load to LDS of 4 bytes for each of 64 lanes, a
// mark and a wait: from addresses that follow each other, and from ones that do not.
func BenchmarkLaneCopy(b *testing.B) {
	for _, cfg := range []Config{{}, {Completion: Late}, {Completion: Paced}, {Check: true, Sink: &testSink{}}} {
		for _, step := range []int64{4, 8} {
			name := cfg.Completion.String()
			if cfg.Check {
				name += " checked"
			}
			b.Run(fmt.Sprintf("%s/%d", name, step), func(b *testing.B) {
				u, tile, image, all := benchGroup(b, cfg)
				var dst, src [64]memory.Pointer
				for i := range dst {
					dst[i], src[i] = tile.Add(int64(i)*4), image.Add(int64(i)*step)
				}
				c := &LaneCopy{Async: true, Size: 4}
				b.SetBytes(256)
				now := uint64(0)
				for b.Loop() {
					now++
					u.LaneCopy(now, c, all, dst[:], src[:])
					u.Mark(now, 1, 0, all)
					now += u.WaitMark(now, 2, 0, 0, all)
				}
			})
		}
	}
}

// BenchmarkAccess measures the checks of a store to LDS by each of 64 work-items.
func BenchmarkAccess(b *testing.B) {
	u, tile, image, all := benchGroup(b, Config{Check: true, Sink: &testSink{}})
	u.GroupCopy(0, linear(0, tile.Add(1024), image, 1024), 0, all)
	b.SetBytes(256)
	for b.Loop() {
		for i := range 64 {
			u.Access(1, 1, memory.AccessWrite, i, tile.Add(int64(i)*4), 4)
		}
	}
}
