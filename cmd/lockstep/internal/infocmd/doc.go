// Package infocmd is lockstep info: what is in a module, as text and as a document of JSON: kernels, parameters with
// structures and packets, specialization constants, pipes, opcodes, and a command line for each kernel to begin with.
//
// Modules come from package loader. [Forms] has the same for those who ask for arguments, package launch and the page of
// the playground. It compiles no kernel, but asks the lowering which instructions there are.
package infocmd
