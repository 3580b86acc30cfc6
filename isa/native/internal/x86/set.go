package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/vm"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// file is a file of registers of the processor.
type file int

const (
	FileVec  file = iota // vectors
	FileMask             // masks, of AVX-512
	files
)

// set is an instruction set of the processor: what the compiler has to know of it, apart from the emitters
// of instructions.
type set interface {
	// bits is the size of a vector register.
	Bits() int
	// file says where the values of a bank are.
	File(b isa.Bank) file
	// broadcasts says whether instructions give one element in memory to all lanes.
	Broadcasts() bool

	// enter makes the execution mask of a group, of which RegTemp has the bits.
	enter(c *Compiler)
	// EnterFrom makes that of the present group in a run that has several in registers. RegTemp changes.
	EnterFrom(c *Compiler)
	// freeze gives d the elements of x in the lanes that run.
	Freeze(c *Compiler, t isa.Type, d, x amd64.Vec)
	// MaxHomes bounds the registers that hold values of a region from trip to trip, which leaves some for
	// what lies between.
	MaxHomes() int
	// mix gives d the odd elements of 32 bits of x.
	Mix(c *Compiler, w amd64.Width, d, x amd64.Vec)
	// lower puts the lower halves of elements of 64 bits next to each other.
	lower(c *Compiler, d, x amd64.Vec)
	// spread gives all elements of x what a general register holds.
	Spread(c *Compiler, t isa.Type, x amd64.Vec, r amd64.Reg)
	// loadBool loads booleans into their register.
	loadBool(c *Compiler, v *Value)
	// storeBool puts booleans into the register file: of all lanes if they
	// are dense, otherwise of those that run. Here and in the methods below, RegTemp
	// and RegAddress change.
	storeBool(c *Compiler, v *Value)
	// storeSome puts the elements of the lanes that run into the register file.
	storeSome(c *Compiler, v *Value)
	// storeNarrow puts elements of 8 or 16 bits into the register file: of all lanes if
	// they are dense, otherwise of those that run.
	storeNarrow(c *Compiler, v *Value)
	// canonical makes the NaNs in a register canonical.
	Canonical(c *Compiler, t isa.Type, x amd64.Vec)
	// jumpIfAny goes to l if any of lanes runs. These, and what runningOnly leaves, are a mask register or a
	// vector.
	jumpIfAny(c *Compiler, lanes amd64.Operand, l amd64.Label)
	runningOnly(c *Compiler, lanes amd64.Operand)
	// every says how many registers there are, and how wide vectors are.
	Every() (vectors, masks int, w amd64.Width)

	// part prepares for lanes that part: the lanes of the group that run are kept where [set.Only] does not
	// change them. ReservePart makes the register for that.
	ReservePart(c *Compiler)
	Part(c *Compiler)
	// only has the execution mask tell those of the lanes that run for which m is true, or all of them if m
	// is [isa.None].
	Only(c *Compiler, m isa.Reg)
	// UnlessAny goes to l if the execution mask has no lane.
	UnlessAny(c *Compiler, l amd64.Label)
	// LanesWhere puts the bits of the lanes for which m is true into a general register: with running of those
	// that run.
	LanesWhere(c *Compiler, r amd64.Reg, m isa.Reg, running bool)
	// all has the execution mask tell all lanes.
	All(c *Compiler)
	// addLanes adds 1 to the elements of 32 bits of sum in the lanes for which m is true. ones has all bits
	// set.
	AddLanes(c *Compiler, sum, ones amd64.Vec, m isa.Reg)
	// MoveUnder stores the elements of a register to m, one next to the other, for the lanes for which
	// lanes is true.
	MoveUnder(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec, lanes isa.Reg)
	// halve puts the lower halves of a group's elements of 64 bits, which lie at low and at high, into d, and
	// goes to l if one of a lane that runs is 2³¹ or more. It changes x.
	Halve(c *Compiler, d, x amd64.Vec, low, high amd64.Mem, l amd64.Label)
	// StoreHalf puts half of the elements of x, of 32 bits, as those of 64 bits to m: of all lanes if they are
	// dense, otherwise of those that run. It changes d.
	StoreHalf(c *Compiler, m amd64.Mem, d, x amd64.Vec, half int, dense bool)

	// equal goes to l unless a and b are equal in lanes that run. It changes a.
	Equal(c *Compiler, t isa.Type, a, b amd64.Vec, l amd64.Label)
	// beyond goes to l if x is more, as an unsigned number, than the limit in a lane that runs. The limit,
	// which is less than 2³¹, is an element in memory or a vector.
	Beyond(c *Compiler, t isa.Type, x amd64.Vec, limit amd64.Operand, l amd64.Label)
	// unequal makes elements of d, of 64 bits, that differ from those of x a number. It changes x.
	Unequal(c *Compiler, d, x amd64.Vec, n uint64)
	// exchange makes elements of d, of 64 bits, another number where those of x are n. It changes x.
	exchange(c *Compiler, d, x amd64.Vec, n, other uint64)
	// above makes elements of d, of 64 bits, a number where those of x are more than a limit, as signed numbers.
	// It changes x.
	Above(c *Compiler, d, x amd64.Vec, limit, n uint64)
	// tag gives elements of d, of 64 bits, the bits of a mask that those of x have.
	Tag(c *Compiler, d, x amd64.Vec, mask uint64)
	// sarLong shifts elements of 64 bits to the right, with their signs.
	sarLong(c *Compiler, d, x amd64.Vec, n uint64)
	// zero goes to l if x is 0 in a lane that runs.
	zero(c *Compiler, t isa.Type, x amd64.Vec, l amd64.Label)
	// gather loads elements of type t by indices of type it for the lanes that run, and zeros for the others.
	Gather(c *Compiler, t, it isa.Type, d amd64.Vec, m amd64.Mem)
	// scatter stores the elements of the lanes that run at m plus the indices in x, of the same ones the
	// last.
	scatter(c *Compiler, t, it isa.Type, m amd64.Mem, x, v amd64.Vec)
	// MoveSome stores the elements of the lanes that run, one next to the other, and touches no other memory.
	MoveSome(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec)
	// moveShort stores elements of 8 or 16 bits of all lanes, one next to the other.
	MoveShort(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec)
	// moveNarrow is that for the lanes that run. It goes to l where it cannot, as some lanes do not
	// run, before it has done anything.
	moveNarrow(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec, l amd64.Label)
}

// SetOf returns the set that a processor with the given features has.
func SetOf(f amd64.Features) set {
	if f&amd64.AVX512 == 0 {
		return avx2{}
	}
	return avx512{}
}

// regSpill has the address of the spill slots.
const regSpill = amd64.RBP

// targetOf returns the registers that hold values: the others have a meaning that is said where their names
// are declared.
func targetOf(f amd64.Features) vm.Target {
	t := vm.Target{Width: amd64.Y, Base: regSpill, Load: Field(wave.FrameSpill)}
	if f&amd64.AVX512 != 0 {
		t.Width = amd64.Z
		t.Registers[vm.Masks] = 1<<8 - 1<<firstBool
		t.Registers[vm.Vectors] = 1<<32 - 1
		return t
	}
	t.Registers[vm.Vectors] = 1<<VecTemp - 1
	return t
}
