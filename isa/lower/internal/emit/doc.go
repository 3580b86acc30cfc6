// Package emit writes the bytecode of a kernel that has gone through its passes.
//
// [Bytecode] takes a [Form]: SSA over scalars whose blocks have their order, and whose values are known to differ by lane
// or to be the same for all of them (isa/ssa, Func.Diverge). It assigns registers (regs.go), orders the copies into phis
// (moves.go), leads branches around blocks that do nothing (empty.go), finds what is done with the program's pipes
// (pipeuses.go), and fills in the form's isa.Kernel (emit.go).
//
// It is no pass: it knows neither the module that a kernel comes from nor the pipeline, and changes no value.
// isa/lower calls it with what it has built, and hands the kernel on to engines.
package emit
