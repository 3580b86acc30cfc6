#include "textflag.h"

// func call(code uintptr, arg unsafe.Pointer)
//
// Go's assembly convention lets a function change all registers but the stack and frame pointers. The
// assembler saves the frame pointer of a function with a frame.
TEXT ·call(SB), NOSPLIT, $8-16
	MOVQ code+0(FP), AX
	MOVQ arg+8(FP), DI
	CALL AX
	VZEROUPPER
	RET
