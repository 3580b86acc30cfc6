// Package native is the engine that makes machine code: one function for each kernel, which runs it
// for a wave in the place of package interp.
//
// The function works on the wave of package interp, through a [wave.Frame], and does what package interp
// does: the same lanes run the same instructions in the same order as far as results show, so that results,
// counters, faults and schedules are the same to the bit. What it cannot do (an instruction without machine
// code, a barrier that some lanes are not at, an access that is not as it should be) is an exit: it says
// where it is and returns; package interp does that part with its own functions, finds out what is wrong if
// anything is, and calls the function again behind it.
//
// Kernels come in as bytecode (package isa), cut into parts by package plan ([plan.Plan]); code goes out
// through package amd64, which encodes it, and package codemem, which makes it executable. The engine exists
// on processors with AVX2 and what came with it (x86-64-v3) or AVX-512 (F, BW, CD, DQ and VL); elsewhere
// [New] returns an error that says why, and package interp does the work.
//
// A kernel may begin on package interp, and get machine code when that is worth its while
// ([Engine.CompileLater]).
//
// # From bytecode to bytes
//
// An addition of two vectors, v2 = add.i32 v0, v1, in the middle of a block goes this way:
//
//   - plan cuts the block into parts (plan/run.go). The instruction writes a vector register from registers,
//     [plan.Movable], and Engine.takes finds an emitter for it, so that it joins the
//     [plan.Run] in front of it. A scalar instruction would be a part of its own, and anything else an exit.
//   - builder (kernel.go) emits the blocks one after the other: what entering a block counts, its parts, its terminator
//     (control.go). In front of a run stands what finds the memory of its loads and stores (builder.slot).
//   - The compiler of runs (internal/x86, compile.go) emits the run: a loop over the chunks of the wave and, in a
//     chunk, over groups of lanes. For each group it goes through the instructions and calls their emitters, which the
//     families list (internal/emitters, families.go): for the addition, integer in emit.go.
//   - The emitter asks for its operands. Compiler.Load returns the virtual register that holds v0, and
//     emits a load from the register file if none does; Compiler.Vec returns a new one for the result. It
//     appends VPADDD to the machine form (package vm), and Compiler.Result notes which virtual register v2
//     is in now.
//   - At the end of the run the values that are live behind it go to the register file, under the execution
//     mask.
//   - When the function is complete, vm finds what is live where and chooses registers of the processor.
//     Values for which there are none go to spill slots (Frame.Spill).
//   - amd64 encodes the instructions, chooses the lengths of jumps, and puts constants behind them. codemem
//     copies the bytes into memory of their own and makes that executable. Both are the target called processor
//     (target.go); tests have another one, which runs the instructions in Go (package portable).
//
// Others go the same way as far as there is nothing more to them. What differs:
//
//   - An addition of floats, v2 = fadd.f32 v0, v1, has its emitter from float (internal/emitters/float.go). It takes
//     operands with any NaN and leaves any, which Compiler.ResultFloat notes (Value.Loose); who looks at bits asks Compiler.Load for them.
//   - A load at an index of each lane's own, v3 = load.i32 [global s0 + v2*4], is part of a run, too: [plan.Indexed].
//     shareSlots (plan/slots.go) gives it a slot, together with others behind the same pointer and index. builder.slot emits, in front of
//     the run, a comparison of the pointer with the one that the slot was filled in for; if they differ, the function returns with
//     [wave.ExitSlots], wave.resolve (interp/native.go) finds the allocation, and the function begins again at the same point. The emitter is
//     Compiler.gather (internal/x86/gather.go). An index that is beyond the limit in a lane that runs goes to Compiler.Refuse, an [wave.ExitPart]:
//     package interp then does all of the run from its beginning, and finds the fault.
//   - A store, store.i32 [global s0 + v2*4], v3, is a run of its own, which looks at the indices of a group of lanes and stores
//     its elements (Compiler.Scatter). If it is refused in a later group, package interp stores them again. An atomic operation
//     may not be repeated: it is a run of two loops (CompileRun, changesAtOnce), of which the first only looks at the indices and
//     may refuse, and the second may not. In a hyperblock stores have two passes as well: the first is part of the one over all
//     instructions (hyper.check), the second comes when that is over (hyper.commit). A refusal goes to the blocks, which stand
//     behind the hyperblock and begin anew.
//   - A loop whose block loads, and does nothing that shows, begins with a region: builder.regionAt says whether it can be one, and
//     what stays in registers from trip to trip (findHomes); region.trips emits one trip and a jump back. Loads find out in front
//     of the loop what they can of their indices (follow, lookFirst), and region.element emits them. Where one is beyond its limit,
//     what the lanes have done since the loop was entered is undone (region_undo.go), and the blocks do some trips.
//
// # Rules for emitters
//
// An emitter computes for all lanes of the group; what those that do not run hold is anything. It stays the
// same as long as it is in a register, but the register file has it only if the instruction is dense
// ([isa.FlagDense]).
//
// Values are loaded (Compiler.Load) before the code parts, and not on one of several ways: the load is
// emitted once, and later instructions rely on it. An emitter makes as many virtual registers as it likes
// (Compiler.Vec, Compiler.Mask), changes only its own, and may write one on several ways. What
// compiler.later emits comes behind the rest of the function and has the values that were there when it was
// called. Those vector and mask registers that have names (MaskExec, MaskTemp, VecTemp and so on) are no
// virtual ones and hold what is said where their names are declared, as all general registers do; RegTemp
// and RegAddress are free between two instructions.
//
// # Control
//
// Branches, lanes that part and come together again, and the count of back edges are machine code in
// general registers: what package interp has in wave.advance, wave.branch and wave.pick. Points number the
// places at which the function can begin: it jumps to the one that the frame names. It cannot be interrupted,
// so that it returns after a number of back edges (Frame.Fuel) that take some 100 µs, and also counts
// stretches of code without any.
//
// Where the wave is the whole of its work-group and the scheduler lets it (engine.Sweeper), a barrier to
// which all lanes have come is a jump, and the end of the kernel leads back to its entry, for the next
// work-group of the row (group.go). Only the group's id, what follows from it and LDS change on the way;
// kernels that need registers or private memory to be as at the start again go back to package interp in
// between.
//
// # Depth first
//
// Two kinds of pieces of a kernel are done for some groups of lanes from the beginning to the end, and then
// for the next, with values in registers. A region (region*.go) is an innermost loop that is a chain of
// blocks without stores to shared memory. A hyperblock (hyperblock.go, plan.Hyper) is what lies between
// barriers and loops: package plan makes one sequence of instructions of the blocks, with selections for
// lanes that part; the stores only look at their indices there, and take place in passes of their own behind
// it. Both stand in front of the blocks that they are for, and control falls through to these where something
// is not as it should be. Nothing has changed by then that the blocks read. Both compute indices of 64 bits in 32
// where bounds at run time allow it (plan/narrow.go, region_narrow.go).
//
// A hyperblock whose lanes all run, in rows, and whose indices are sums of ids and scalars is compiled twice.
// The first version (versioning.go) begins with a proof that all indices are within their limits and that no
// store overlaps with another access (versioning_bounds.go): it has nothing to look at in the groups, and
// stores in place. With AVX-512, conditions of several comparisons are one chain under masks in both
// (condition.go), and scalars stay in vector registers (spread.go).
//
// # Memory
//
// A load or store has a slot, which caches the allocation that its pointer led to last. The code in front of
// a run compares the upper half of the pointer, computes an address and a limit for indices, and the run
// compares indices with that. Another allocation is an exit that fills in the slot. Indices of a group that
// are consecutive make a move of a load, those that are all the same a broadcast, and those close together
// two moves and a permutation (gather.go and interleaved.go of internal/x86). Indices that differ by the same number in all lanes are
// looked at once (internal/x86/alike.go). Loads of four words side by side are emitted together, and where each lane has an
// index of its own its 16 bytes are loaded at once (adjacent.go).
//
// Reads and writes of images are parts without machine code: package interp does one for all lanes of the wave
// (interp/image_lanes.go).
//
// An instruction that writes memory is finished for all lanes of the wave before the next access to the same
// memory begins: lanes of a sub-group are in lockstep as far as memory shows it.
//
// A copy of the work-group has a slot for either side. Where it is made at once and not observed, it is a
// loop of moves (copy.go).
//
// # Instruction sets
//
// What the compiler of runs has to know of the two instruction sets, apart from the emitters of instructions,
// is behind one interface, set. Emitters of instructions that both sets have serve both: they ask the
// compiler for the width of a register, and for constants and scalars as operands. Those for AVX2 alone are
// in the files avx2*.go of internal/emitters, and their names end in 2.
//
// Regions and hyperblocks are the same for both. AVX2 has no mask registers: the lanes that a block of a
// hyperblock is for, and those that have not left a region, are vectors (internal/x86/avx2_part.go, region_idle.go). With
// 16 vector registers, fewer groups go through a region together, and a loop that would lose by it stays as it
// is (region.pays). Windows of near elements, interleaved accesses, functions of doubles in pairs, and most
// instructions across lanes but sums, booleans and shuffles are for AVX-512 only.
//
// # Lanes
//
// A group of lanes fills a vector register, of 512 or 256 bits, with the widest elements of the
// run: with AVX-512, 16 lanes where all have 32 bits, otherwise 8, with 32-bit elements in half
// a register; with AVX2, half as many. A boolean is a bit of a mask register with AVX-512, with AVX2 a lane
// of a vector register, all ones or all zeros. Groups in which no lane runs are left out; in others, all
// lanes compute, and the execution mask rules only what is stored.
//
// Instructions across lanes need the groups of their sub-group side by side. A run that has one emits
// the groups of a chunk, one after the other, between such instructions, and there it has them in registers
// as far as there is room. Sub-groups of 8 to 64 lanes, which lie inside a chunk, are done so.
//
// # Mathematics
//
// The single precision functions of package clmath are correctly rounded, so that
// machine code may compute them in its own way: in double precision, followed by a test whether
// the result is too near to the middle of two floats. Lanes of which it cannot tell the result,
// some in a million, it leaves to clmath: it puts its registers away, returns, and is called again.
// Some functions of double precision are done likewise, with pairs of doubles.
//
// # NaNs
//
// The bytecode has one NaN a type, the processor many. They differ only where
// its bits are used, so that a result of float arithmetic is made
// canonical when it leaves the run, and before instructions that do not compute with it
// as a float.
package native
