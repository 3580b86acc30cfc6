package codemem

import "unsafe"

// call jumps to code with arg in RDI, and clears the upper halves of the vector registers afterwards: Go's
// own code mixes in instructions that are slow otherwise.
//
//go:noescape
func call(code uintptr, arg unsafe.Pointer)
