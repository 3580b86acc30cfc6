//go:build !amd64

package codemem

import "unsafe"

// call is never reached: nothing can be loaded here.
func call(uintptr, unsafe.Pointer) {}
