package interp

import (
	"math"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// builder makes kernels for tests.
type builder struct {
	k    *isa.Kernel
	open bool
}

func newBuilder() *builder {
	return &builder{k: &isa.Kernel{Name: "test", Locs: []isa.Loc{{}}}}
}

// reg returns a new vector register for elements of type t.
func (b *builder) reg(t isa.Type) isa.Reg {
	n := &b.k.NumVector[t.Bank()]
	*n++
	return isa.V(*n - 1)
}

// scalar returns a new scalar register that is not initialised. Call it only
// after the last constant.
func (b *builder) scalar() isa.Reg {
	b.k.NumScalar++
	return isa.S(b.k.NumScalar - 1)
}

// constant returns a scalar register that holds v.
func (b *builder) constant(v uint64) isa.Reg {
	b.k.ScalarInit = append(b.k.ScalarInit, v)
	b.k.NumScalar = max(b.k.NumScalar, len(b.k.ScalarInit))
	return isa.S(len(b.k.ScalarInit) - 1)
}

func constF32(b *builder, f float32) isa.Reg { return b.constant(uint64(math.Float32bits(f))) }

// emit appends an instruction, and starts a block where one is due.
func (b *builder) emit(in isa.Inst) int {
	k := b.k
	if !b.open {
		k.Blocks = append(k.Blocks, isa.Block{Start: len(k.Code)})
		b.open = true
	}
	k.Code = append(k.Code, in)
	if in.Op.IsTerminator() {
		k.Blocks[len(k.Blocks)-1].End = len(k.Code)
		b.open = false
	}
	return len(k.Code) - 1
}

// op appends an operation of up to four operands.
func (b *builder) op(op isa.Op, t isa.Type, dst isa.Reg, src ...isa.Reg) int {
	in := isa.Inst{Op: op, Type: t, Dst: dst}
	for i, p := range []*isa.Reg{&in.A, &in.B, &in.C, &in.D} {
		if i < len(src) {
			*p = src[i]
		}
	}
	return b.emit(in)
}

// flags adds flags to the last instruction.
func (b *builder) flags(f isa.Flags) { b.k.Code[len(b.k.Code)-1].Flags |= f }

func (b *builder) builtin(n isa.Builtin, t isa.Type, dst isa.Reg) {
	b.emit(isa.Inst{Op: isa.OpBuiltin, Type: t, Dst: dst, Imm: uint32(n)})
}

func (b *builder) br(t int) {
	in := isa.Inst{Op: isa.OpBr}
	in.SetTargets(t, 0)
	b.emit(in)
}

func (b *builder) brCond(c isa.Reg, t0, t1 int) {
	in := isa.Inst{Op: isa.OpBrCond, A: c}
	in.SetTargets(t0, t1)
	b.emit(in)
}

func (b *builder) barrier(s isa.Scope, t int) {
	in := isa.Inst{Op: isa.OpBarrier, Imm2: uint8(s)}
	in.SetTargets(t, 0)
	b.emit(in)
}

func (b *builder) ret() { b.emit(isa.Inst{Op: isa.OpRet}) }

// load appends dst = space memory[a + x*scale].
func (b *builder) load(t isa.Type, s isa.Space, dst, a, x isa.Reg, idx isa.IdxType, scale uint32) int {
	return b.emit(isa.Inst{Op: isa.OpLoad, Type: t, Space: s, Dst: dst, A: a, B: x, Idx: idx, Scale: scale})
}

func (b *builder) store(t isa.Type, s isa.Space, a, x isa.Reg, idx isa.IdxType, scale uint32, v isa.Reg) int {
	return b.emit(isa.Inst{Op: isa.OpStore, Type: t, Space: s, A: a, B: x, Idx: idx, Scale: scale, C: v})
}

// compile compiles the kernel.
func (b *builder) compile(t testing.TB) engine.Code {
	t.Helper()
	c, err := Engine{}.Compile(&isa.Program{Kernels: []*isa.Kernel{b.k}}, b.k)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// launch describes a launch of one group of n work-items.
func (b *builder) launch(mem *memory.Global, n int) *engine.Launch {
	return &engine.Launch{
		Kernel: b.k, Dim: 1,
		Global: [3]uint64{uint64(n), 1, 1}, Local: [3]uint32{uint32(n), 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: b.k.ScalarInit, Memory: mem, SubgroupSize: 32,
	}
}

// group returns the only group of a launch.
func group(t testing.TB, l *engine.Launch) *engine.Group {
	t.Helper()
	lds, err := memory.NewLocal(l.LocalSizes, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Group{Launch: l, Size: l.Local, LDS: lds}
}

// runGroup runs a group in waves of the given width, opening barriers when all
// of them wait, and returns the first fault.
func runGroup(t testing.TB, c engine.Code, g *engine.Group, width int) (*engine.Fault, engine.Counters) {
	t.Helper()
	total := int(g.Size[0] * g.Size[1] * g.Size[2])
	var waves []engine.Wave
	for first := 0; first < total; first += width {
		w := c.NewWave(width)
		w.Start(g, first, min(width, total-first))
		waves = append(waves, w)
	}
	var sum engine.Counters
	count := func() engine.Counters {
		for _, w := range waves {
			sum.Add(w.Counters())
		}
		return sum
	}
	for {
		live := 0
		for _, w := range waves {
			switch s := w.Run(0); s {
			case engine.StopFault:
				return w.Fault(), count()
			case engine.StopDone, engine.StopBarrier:
				live += w.Live()
			default:
				t.Fatalf("wave stopped with %d", s)
			}
		}
		if live == 0 {
			return nil, count()
		}
		for _, w := range waves {
			w.Open()
		}
	}
}
