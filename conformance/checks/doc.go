// Package checks holds small kernels that judge the checks of a launch (emu.Launch.Check): faulty
// ones, each with the one finding that must be made about it, and right ones that only look faulty,
// about which nothing may be found.
//
// A kernel is one source file in the folder faulty or right. Its comment says what is wrong with
// it, or why nothing is, with the section of the specification where that is subtle ("API" is the
// OpenCL API specification, "C" that of OpenCL C). Legacy atomic operations count as of the scope of
// the device: C calls them equivalent to those of the scope of a work-group, which no kernel that
// counts in global memory has ever taken them for. Lines that start with //! say how it is
// launched (see [Parse]), and a comment "find E-RACE" at the end of a line says that a finding of
// that code belongs there. Where a fault has two sides, as a race has, both lines say so, and the
// finding may name either of them first.
//
// The verdicts come from the specification alone, never from running lockstep. What the checks do
// not find yet stands in pending.txt; the test fails when an entry there is found, so that the list
// only becomes shorter.
//
// The tests also judge mutants of correct kernels, which package mutants makes. The file mutants.txt lists those about which nothing is
// found, with the reason.
//
// Sources come from the package's own files and from other packages' kernels; verdicts go to its
// tests only.
package checks
