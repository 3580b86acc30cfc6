package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/mathfn"
	"github.com/lockstep-gpu/lockstep/isa/native/portable"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// eachPortable runs a test on engines whose machine form package portable runs, for each instruction set, and
// with virtual registers as well as with those of the processor. No processor has a part in it.
func eachPortable(t *testing.T, f func(t *testing.T, e Engine)) {
	t.Helper()
	if !portable.Supported() {
		t.Skip(portable.ErrUnsupported)
	}
	for _, set := range sets {
		for _, virtual := range []bool{false, true} {
			name := set.name
			if virtual {
				name += ", virtual registers"
			}
			t.Run(name, func(t *testing.T) {
				e := portableEngine(set.features, virtual)
				e.failed = func(err error) { t.Error(err) }
				f(t, e)
			})
		}
	}
}

// TestPortablePrograms runs random programs in package portable and on package interp.
func TestPortablePrograms(t *testing.T) {
	n := amount(6, 12, 200)
	eachPortable(t, func(t *testing.T, e Engine) {
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			checkProgram(t, e, &source{state: uint64(seed) * 0x2545f4914f6cdd1d})
		}
	})
}

// TestPortableKernels runs random kernels in the shape that people give them.
func TestPortableKernels(t *testing.T) {
	count := amount(4, 8, 100)
	programs, texts := make([]*isa.Program, count), make([]string, count)
	for i := range programs {
		texts[i] = newWritten(sourceOf(i), fmt.Sprint("k", i)).spirvText(i%4 > 0)
		module, err := asm.Assemble(texts[i], asm.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, texts[i])
		}
		programs[i] = lowered(t, module)
	}
	eachPortable(t, func(t *testing.T, e Engine) {
		for i, program := range programs {
			newWritten(sourceOf(i), fmt.Sprint("k", i)).check(t, e, program, program.Kernels[0], texts[i])
		}
	})
}

// TestPortableCallouts runs functions that are sure of few results and leave the others to Go, in code that has
// more values than there are registers.
func TestPortableCallouts(t *testing.T) {
	for _, f := range mathfn.Functions32 {
		if f, ok := f.(*mathfn.Function32); ok {
			before := f.Settled
			f.Settled = 25
			defer func() { f.Settled = before }()
		}
	}
	every := amount(16, 8, 1)
	eachPortable(t, func(t *testing.T, e Engine) {
		calls := portableCalls.Load()
		for n, in := range mathInsts() {
			if n%every != 0 {
				continue
			}
			r, p := rand.New(rand.NewPCG(uint64(n), 9)), newProgram()
			var others []isa.Reg
			for i := range 40 {
				others = append(others, p.load(i%4, in.Type))
			}
			for i, x := range []*isa.Reg{&in.A, &in.B, &in.C}[:len(mathfn.OperandsOf(&in))] {
				*x = p.load(i, in.Type)
			}
			in.Dst = p.load(bufOut, in.Type)
			p.emit(in)
			for _, x := range others {
				p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: in.Dst, A: in.Dst, B: x})
			}
			p.store(in.Dst, in.Type)
			p.emit(isa.Inst{Op: isa.OpRet})
			check(t, e, p.k, r, nil, mathName(&in), func(*[buffers][]uint64) {})
		}
		if portableCalls.Load() == calls {
			t.Error("nothing called out")
		}
	})
}
