package dma

import (
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
