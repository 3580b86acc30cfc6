package bench

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// Pipelined are the kernels that compute what kernel matmul does with tiles
// which asynchronous copies bring; each takes the launches of Product.
var Pipelined = []string{"matmul_events", "matmul_marks"}

// Product is a product of n by n matrices: the matrices, tiles and work-groups
// of Matmul as kernels take them that multiply any m by k by n elements.
func Product(n int) kernels.Launch {
	l := Matmul(n)
	size := fmt.Sprintf("u32:%d", n)
	l.Args = append(l.Args[:3:3], size, size, size)
	return l
}

// Sizes of the tiles that kernel tiles2d copies; a tile has 64 KiB.
const (
	tileLines = 64
	lineBytes = 1024
	TileBytes = tileLines * lineBytes
)

// Tiles is the launch of kernel tiles2d over a picture of across by down tiles.
// Each tile is copied twice: to local memory and from there.
func Tiles(across, down int) kernels.Launch {
	elements := across * down * TileBytes / 4
	return kernels.Launch{
		Global: []uint64{uint64(64 * down)}, Local: []uint64{64},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", elements), fmt.Sprintf("zero:u32:%d", elements), fmt.Sprintf("u32:%d", across)},
	}
}

// TileCopy does with Go's copy what kernel tiles2d does.
type TileCopy struct {
	// In and Out are pictures of Across by some number of tiles.
	In, Out []byte
	Across  int
	tile    [TileBytes]byte
}

// Lines copies the tiles line by line, each from and to the places that the
// kernel's copies use.
func (c *TileCopy) Lines() {
	width := c.Across * lineBytes
	for row := 0; row < len(c.In); row += tileLines * width {
		for t := row; t < row+width; t += lineBytes {
			for y := range tileLines {
				copy(c.tile[y*lineBytes:][:lineBytes], c.In[t+y*width:])
			}
			for y := range tileLines {
				copy(c.Out[t+y*width:], c.tile[y*lineBytes:][:lineBytes])
			}
		}
	}
}

// Blocks copies as many bytes, each 64 KiB of the picture with one copy to the
// tile and one from it: what copying could cost at the least.
func (c *TileCopy) Blocks() {
	for at := 0; at < len(c.In); at += TileBytes {
		copy(c.tile[:], c.In[at:])
		copy(c.Out[at:], c.tile[:])
	}
}
