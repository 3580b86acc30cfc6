package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

const atomicSection = "6.15.12"

// legacy returns the rows of an atomic function of OpenCL C 1.x: atomic_NAME of 32 bits, and atom_NAME of the
// extensions.
func legacy(name, params string, e Emit, help string) []Def {
	over := Over{Of: dwords, N: n1}
	return []Def{
		{Name: "atomic_" + name, Sig: "T(@volatile T*" + params + ")", Over: over, Spaces: Shared, Emit: e,
			Section: atomicSection, Help: help},
		{Name: "atom_" + name, Sig: "T(@volatile T*" + params + ")", Over: over, Spaces: Shared, Emit: e,
			Ext: "cl_khr_global_int32_base_atomics", Help: help},
		{Name: "atom_" + name, Sig: "T(@volatile T*" + params + ")", Over: Over{Of: qwords, N: n1},
			Spaces: Shared, Emit: e,
			Ext: "cl_khr_int64_base_atomics", Help: help},
	}
}

// explicit returns the rows of an atomic function of OpenCL C 2.0 in its two forms: sequentially consistent, and
// with order and scope.
func explicit(d Def, params, orders string) []Def {
	d.Section, d.Since = atomicSection, max(d.Since, lang.CL20)
	e := d
	d.Sig = params + ")"
	e.Name += "_explicit"
	e.Sig = params + orders + "); " + params + orders + ", scope)"
	e.Help = d.Help[:len(d.Help)-1] + ", with memory order and scope."
	return []Def{d, e}
}

// fetch returns the rows of a read-modify-write operation.
func fetch(name, help string, e Emit, exts ...Def) []Def {
	full := Def{Name: "atomic_" + name, Over: Over{Of: dwords | qwords, N: n1}, Spaces: AtomSpace, Emit: e,
		Help: help}
	out := explicit(full, "T(@volatile atomic T*, T", ", order")
	for _, x := range exts {
		full.Over, full.Spaces, full.Since, full.Ext, full.Secondary = x.Over, x.Spaces, x.Since, x.Ext, x.Secondary
		out = append(out, explicit(full, x.Sig, ", order")...)
	}
	return out
}

const floatAtomics = "cl_ext_float_atomics"

var (
	// floatAtoms are atomic floats; all address spaces have overloads of their own in each version.
	floatAtoms = Def{Sig: "T(@volatile atomic T*, T", Over: Over{Of: reals, N: n1}, Spaces: SharedAny,
		Ext: floatAtomics}
	halfAtoms = Def{Sig: "T(@volatile atomic T*, T", Over: Over{Of: halfs, N: n1}, Spaces: SharedAny,
		Ext: floatAtomics}
	realAtoms = Def{Sig: "T(@volatile atomic T*, T", Over: Over{Of: floats | doubles, N: n1},
		Spaces: AtomSpace}
	// The pointer-sized types, whose operand is of the other sign. A number that is neither, as 1 of type int, means
	// the overload whose operand has the type of the object.
	addAtoms  = Def{Sig: "uintptr(@volatile atomic uintptr*, ptrdiff", Spaces: AtomSpace, Secondary: true}
	uptrAtoms = Def{Sig: "uintptr(@volatile atomic uintptr*, intptr", Spaces: Shared, Since: lang.CL30, Secondary: true}
	ptrAtoms  = Def{Sig: "intptr(@volatile atomic intptr*, uintptr", Spaces: Shared, Since: lang.CL30, Secondary: true}
)

var (
	opAdd  = atomic(spirv.OpAtomicFAddEXT, spirv.OpAtomicIAdd, spirv.OpAtomicIAdd)
	opSub  = atomic(spirv.OpAtomicFAddEXT, spirv.OpAtomicISub, spirv.OpAtomicISub)
	opMin  = atomic(spirv.OpAtomicFMinEXT, spirv.OpAtomicSMin, spirv.OpAtomicUMin)
	opMax  = atomic(spirv.OpAtomicFMaxEXT, spirv.OpAtomicSMax, spirv.OpAtomicUMax)
	opAnd  = atomic(0, spirv.OpAtomicAnd, spirv.OpAtomicAnd)
	opOr   = atomic(0, spirv.OpAtomicOr, spirv.OpAtomicOr)
	opXor  = atomic(0, spirv.OpAtomicXor, spirv.OpAtomicXor)
	opXchg = atomic(spirv.OpAtomicExchange, spirv.OpAtomicExchange, spirv.OpAtomicExchange)
	opInc  = atomic(0, spirv.OpAtomicIIncrement, spirv.OpAtomicIIncrement)
	opDec  = atomic(0, spirv.OpAtomicIDecrement, spirv.OpAtomicIDecrement)
)

// either returns the rows of a function in the forms that all atomic types have, with one more for half.
func either(name, params, orders, help string, of kinds) []Def {
	d := Def{Name: name, Over: Over{Of: of &^ halfs, N: n1}, Spaces: AtomSpace, Emit: code(), Help: help}
	out := explicit(d, params, orders)
	if of&halfs != 0 {
		d.Over.Of, d.Spaces, d.Ext = halfs, SharedAny, floatAtomics
		out = append(out, explicit(d, params, orders)...)
	}
	return out
}

var atomicRows = join(
	legacy("add", ", T", opAdd, "Adds to an object; the old value."),
	legacy("sub", ", T", opSub, "Subtracts from an object; the old value."),
	legacy("xchg", ", T", opXchg, "Puts a value into an object; the old value."),
	[]Def{{Name: "atomic_xchg", Sig: "T(@volatile T*, T)", Over: Over{Of: floats, N: n1}, Spaces: Shared,
		Emit: opXchg, Section: atomicSection,
		Help: "Puts a float into an object; the old value."}},
	legacy("inc", "", opInc, "Adds 1 to an object; the old value."),
	legacy("dec", "", opDec, "Subtracts 1 from an object; the old value."),
	legacy("cmpxchg", ", T, T", code(),
		"Puts the second value into an object that has the first; the old value."),
	legacy("min", ", T", opMin, "Puts the smaller of object and value into the object; the old value."),
	legacy("max", ", T", opMax, "Puts the greater of object and value into the object; the old value."),
	legacy("and", ", T", opAnd, "Combines an object with a value by and; the old value."),
	legacy("or", ", T", opOr, "Combines an object with a value by or; the old value."),
	legacy("xor", ", T", opXor, "Combines an object with a value by exclusive or; the old value."),

	[]Def{
		{Name: "atomic_init", Sig: "void(@volatile atomic T*, T)",
			Over: Over{Of: dwords | qwords | floats | doubles, N: n1}, Spaces: AtomSpace,
			Emit: code(), Since: lang.CL20, Section: atomicSection,
			Help: "Gives an atomic object its first value, not atomically."},
		{Name: "atomic_work_item_fence", Sig: "void(flags, order, scope)", Emit: code(), Since: lang.CL20,
			Section: atomicSection,
			Help:    "Orders accesses before and behind it, in the kinds of memory, order and scope given."},
	},
	either("atomic_store", "void(@volatile atomic T*, T", ", order", "Stores a value.", dwords|qwords|reals),
	either("atomic_load", "T(@volatile atomic T*", ", order", "Loads a value.", dwords|qwords|reals),
	fetch("exchange", "Puts a value into an object; the old value.", opXchg, realAtoms, halfAtoms),
	explicit(Def{Name: "atomic_compare_exchange_{strong,weak}",
		Over: Over{Of: dwords | qwords | floats | doubles, N: n1}, Spaces: AtomSpaces, Emit: code(),
		Help: "Puts the value into an object that has what is expected, else stores what it has as expected; whether it had."},
		"bool(@volatile atomic T*, @T*, T", ", order, order"),
	fetch("fetch_add", "Adds to an object; the old value.", opAdd, floatAtoms, addAtoms),
	fetch("fetch_sub", "Subtracts from an object; the old value.", opSub, floatAtoms, addAtoms),
	fetch("fetch_or", "Combines an object with a value by or; the old value.", opOr, uptrAtoms, ptrAtoms),
	fetch("fetch_xor", "Combines an object with a value by exclusive or; the old value.", opXor, uptrAtoms,
		ptrAtoms),
	fetch("fetch_and", "Combines an object with a value by and; the old value.", opAnd, uptrAtoms, ptrAtoms),
	fetch("fetch_min", "Puts the smaller of object and value into the object; the old value.", opMin,
		floatAtoms, uptrAtoms, ptrAtoms),
	fetch("fetch_max", "Puts the greater of object and value into the object; the old value.", opMax,
		floatAtoms),
	explicit(Def{Name: "atomic_flag_test_and_set", Spaces: AtomSpace, Emit: code(),
		Help: "Sets a flag; whether it was set before."},
		"bool(@volatile atomic int*", ", order"),
	explicit(Def{Name: "atomic_flag_clear", Spaces: AtomSpace, Emit: code(), Help: "Clears a flag."},
		"void(@volatile atomic int*", ", order"),
)
