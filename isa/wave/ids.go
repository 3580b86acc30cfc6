package wave

import "github.com/lockstep-gpu/lockstep/isa"

// The arrays of [Frame.IDs]: local ids by dimension, and what else differs by lane.
const (
	IDLocalLinear = 3 + iota
	IDSubgroupSize
	IDSubgroup
	IDSubgroupLocal
	NumIDs
)

// ArrayOf returns which of Frame.IDs has a built-in that differs by lane, or -1 if none has.
func ArrayOf(b isa.Builtin) int {
	switch {
	case b < isa.BuiltinGlobalID:
		return int(b)
	case b == isa.BuiltinLocalLinearID:
		return IDLocalLinear
	case b == isa.BuiltinSubgroupSize:
		return IDSubgroupSize
	case b == isa.BuiltinSubgroupID:
		return IDSubgroup
	case b == isa.BuiltinSubgroupLocalID:
		return IDSubgroupLocal
	}
	return -1
}
