// Package validate judges SPIR-V modules by the rules of the OpenCL environment.
//
// It takes a decoded module and gives the list of the rules that the module breaks, each with a stable
// name (see [Rules]). There are two levels. [Load] is what the rest of the system relies on: after it,
// every id is defined and of the right kind, every operand has the type that its instruction asks for,
// control flow and calls are well formed, and definitions dominate their uses. It takes what real
// producers emit even where that bends a rule, as long as the meaning is clear: blocks in any order,
// merge instructions in odd places, variables anywhere in a function, odd integer widths, a parent that
// stands in an OpPhi once for each edge, conversions that keep the width, OpAny and OpAll of integers
// (whose sign bit counts), one exponent for all components of ldexp, pown and rootn, counts of 32 bits in
// OpGroupAsyncCopy with any addresses, pipes made from a pointer to what SYCL has for a storage, and
// whatever stands in debug information, whose operands are not even checked to be ids. [Strict] adds the
// rules that such modules break.
//
// Some translators write shapes that no version of SPIR-V allows but that have one meaning only. The level
// Load takes these too, and the strict rules operand-loose and merge-place report them:
//
//   - OpBitcast between a vector of Booleans and an integer with one bit for each of them, lowest first
//     (clang -O2 writes it for comparisons of vectors);
//   - OpConvertPtrToU, OpConvertUToPtr, OpPtrEqual and OpPtrNotEqual of vectors of pointers;
//   - built-in variables of storage class CrossWorkgroup (older compilers for SYCL);
//   - variables outside functions of storage class Function, if they have an initializer: they are constants
//     (llvm-spirv makes them of what initializes variables of a function);
//   - OpPhi behind the merge instruction of its block (llvm-spirv writes it for loops whose only block is
//     their latch).
//
// What it is not: it does not say whether this machine can run a module. An instruction that is sound
// but has no implementation passes here and is refused by name when it is lowered; the operands of
// instructions outside the OpenCL environment are checked only for being values.
//
// Time is near linear in the size of the module and memory is linear in it; nothing recurses on input.
// Validate never panics, whatever [spirv.Decode] accepted.
package validate
