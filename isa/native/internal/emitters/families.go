package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/mathfn"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// families lists the families of instructions for AVX-512. An instruction belongs to one of them at most.
var families = [...]x86.Family{arithmetic, narrowArithmetic, divisions, conversions, builtins, x86.Accesses, atomics, mathfn.Mathematics, mathfn.Mathematics64, crossings, pointers}

// families2 lists the families for AVX2.
var families2 = [...]x86.Family{arithmetic2, narrow2, divisions, booleans2, conversions2, builtins, pointers, mathfn.Mathematics, mathfn.Mathematics64, x86.Accesses, atomics, crossings2}

// Find returns the emitter of an instruction, or nil.
func Find(f amd64.Features, in *isa.Inst) x86.Emitter {
	list := families[:]
	if f&amd64.AVX512 == 0 {
		list = families2[:]
	}
	for _, of := range list {
		if e := of(f, in); e != nil {
			return e
		}
	}
	return nil
}
