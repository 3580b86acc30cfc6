package native

import (
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestLongBlocks holds that machine code that comes back in the middle of a long block goes on there, however
// wide the wave is.
func TestLongBlocks(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		const n = 3000
		p := newProgram()
		x := p.vector(isa.I64)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: x, A: isa.V(lane)})
		for range n {
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I64, Dst: x, A: x, B: isa.V(lane)})
		}
		p.emit(isa.Inst{Op: isa.OpRet})
		code := compile(t, e, p.k)
		for _, width := range []int{64, 256, 704, 768, 4096} {
			l := &engine.Launch{Kernel: p.k, Dim: 1, Global: [3]uint64{uint64(width), 1, 1}, Local: [3]uint32{uint32(width), 1, 1}, Groups: [3]uint64{1, 1, 1},
				Scalars: slices.Clone(p.k.ScalarInit), Memory: memory.NewGlobal(1 << 20), SubgroupSize: 32}
			w := code.NewWave(width)
			w.Start(&engine.Group{Launch: l, Size: l.Local}, 0, width)
			if stop, done := w.Run(0), w.Counters().Instructions; stop != engine.StopDone || done != n+3 {
				t.Errorf("%d lanes: stop %d after %d instructions", width, stop, done)
			}
		}
	})
}
