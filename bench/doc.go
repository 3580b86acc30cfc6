// Package bench holds what is measured: kernels with the sizes and inputs that
// they are timed with (Workloads), a Session that runs one of them on lockstep
// again and again, how long an engine compiles (CompileTimes), what
// asynchronous copies are held against (TileCopy, Pipelined), kernels that read
// and write images (ImageWorkloads), and sources for
// the compiler of OpenCL C (OrdinarySource, LargestSource). Its Go benchmarks
// time lockstep alone; the nested module compare runs the same workloads on
// lockstep and on other OpenCL implementations, checks that the results agree,
// and prints one table.
//
// The workloads of the set Fields are kernels of many fields, written as their
// programmers write them. They are there to be run and not to be worked on: half
// of all kernels, chosen by the lowest bit of the FNV-1a hash of their names
// ([Watched]), are watched, and no change is made to speed up one of these in
// particular. What machine code leaves to the reference engine is counted
// ([Session.Share]).
//
// The kernels and their inputs come from package conformance/kernels and from
// the SPECs of package argspec, so that every run sees the same bytes. The
// package decides nothing: what a time should be is compare's business, and no
// test depends on one.
package bench
