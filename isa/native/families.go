package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// families lists the families of instructions for AVX-512. An instruction belongs to one of them at most.
var families = [...]family{arithmetic, narrowArithmetic, divisions, conversions, builtins, accesses, atomics, mathematics, mathematics64, crossings, pointers}

// families2 lists the families for AVX2.
var families2 = [...]family{arithmetic2, narrow2, divisions, booleans2, conversions2, builtins, pointers, mathematics, mathematics64, accesses, atomics, crossings2}

// find returns the emitter of an instruction, or nil.
func find(f amd64.Features, in *isa.Inst) emitter {
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
