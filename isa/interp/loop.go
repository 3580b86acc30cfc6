package interp

import "unsafe"

// What machine code of loops shares with this package, see [Frame].
const (
	FrameLoopSlot = unsafe.Offsetof(Frame{}.LoopSlot)
	FrameLoopSkip = unsafe.Offsetof(Frame{}.LoopSkip)
	FrameUndo     = unsafe.Offsetof(Frame{}.Undo)
)

// loopSkip is how many trips a loop is done without a slot that cannot be filled in.
const loopSkip = 64
