package portable

import (
	"maps"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// entries has the instructions of [amd64.Assembler.V] by opcode.
var entries = union(integers, shifts, floats, comparisons, conversions, moves, permutes, maskOps, bitOps)

// table is a part of entries.
type table map[amd64.Op]*entry

func union(list ...table) table {
	all := table{}
	for _, t := range list {
		maps.Copy(all, t)
	}
	return all
}

// Knows says whether the package runs an instruction on vectors or masks in some form.
func Knows(op amd64.Op) bool {
	_, ok := entries[op]
	return ok
}

// KnowsGeneral says so of one on general registers.
func KnowsGeneral(op amd64.Gen) bool {
	_, ok := generals[op]
	return ok || op == amd64.RET || op == amd64.JMPR
}
