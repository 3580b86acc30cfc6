package finding

// helps say what to do about a finding, by code, in words that fit every
// occurrence. Package emu adds what it knows of a certain one.
var helps = map[Code]string{
	OutOfBounds:       "test the index before the access, as in `if (i < n)`, or give a larger buffer",
	NullPointer:       "give an argument other than null, or test the pointer before the access",
	BadPointer:        "set the pointer before its use; a pointer to local or private memory ends with its work-group",
	UseAfterFree:      "release a buffer when every launch that uses it is over",
	ReadOnly:          "write to a buffer that the kernel may write to, in place of constant memory",
	Misaligned:        "access memory by a type of that alignment, or by vloadN and vstoreN, which align to the element",
	DivideByZero:      "test the divisor before the division, as in `b != 0 ? a / b : 0`",
	DivideOverflow:    "test for a divisor of -1, or divide in a wider type",
	ShiftRange:        "limit the amount, as in `x << (n & 31)`",
	PointerDifference: "subtract pointers into the same buffer only",
	WriteOnly:         "read from a buffer that the kernel may read from, or make this one readable",
	Restrict:          "leave out restrict, or give the parameters different buffers",
	IndexRange:        "compare the index with the number of elements before the access",
	IntegerOverflow:   "compute in an unsigned type where wrapping is meant, or in a wider one",
	ConvertRange:      "use convert_int_sat and its kin, or test the number before the conversion",
	Unreachable:       "return a value on each path of the function, and take back promises such as __builtin_unreachable",
	Aborted:           "read the message that the kernel left in its output",
	BarrierDeadlock:   "let every work-item of the group reach the same barrier: move it out of the condition",
	PartialBarrier:    "move the barrier out of the condition, and let no work-item return before the last barrier",
	GroupDiverged:     "move the operation out of the condition, so that every work-item of the group runs it",
	GroupUniform:      "compute the operand of values that are the same for the whole group",
	ShuffleLane:       "let the lane whose value is taken run the operation, too",
	ShuffleIndex:      "keep the lane below get_max_sub_group_size()",
	BlockDiverged:     "move the block access out of the condition, so that the whole sub-group runs it",
	BlockPartial:      "make the local size a multiple of the sub-group size",
	BlockAlign:        "align the pointer: to 4 bytes for a block read, to 16 for a block write",
	BlockElement:      "use an image with elements of at most four bytes, or a block access to a buffer",
	BlockX:            "make the x coordinate of the block write, in bytes, a multiple of four",
	BlockPitch:        "make the row pitch a multiple of 64 bytes and the origin one of 32",
	ImageBounds:       "compare the coordinates with get_image_width and get_image_height before the access",
	ImageFormat:       "use read_imagef, read_imagei or read_imageui as the image's format asks for",
	Sampler:           "use a sampler with the nearest filter for integers, and normalized coordinates for the repeating modes",
	NoProgress:        "let something in the loop change the condition that ends it",
	TimeLimit:         "allow more time, or look for a loop that never ends",
	EngineDiff:        "report it, with the module and the command; -engine interp gives the right results",

	Race:          "order the two accesses by a barrier, or make them atomic",
	DeadVariable:  "let the variable live as long as the pointer to it: declare it further out, or return its value",
	Uninitialized: "set the value before it is used, on every path",

	AsyncRead:    "wait for the copy before the read",
	AsyncWrite:   "wait for the copy before the write",
	AsyncOverlap: "wait for the first copy before the second is issued",
	AsyncRace:    "put barrier(CLK_LOCAL_MEM_FENCE) between the two",
	AsyncLine:    "make the line length at least the number of elements in a line",
	AsyncPlane:   "make the plane area at least the number of lines times the line length",
	AsyncDiff:    "give the same operands in all work-items of the group",
	AsyncPart:    "move the copy and its wait out of the condition, and let no work-item return before them",
	AsyncNoWait:  "wait for the event with wait_group_events",
	AsyncEvent:   "wait for the value that async_work_group_copy returned",
	AsyncUniform: "take the work-item's part out of the operand",

	PipeSize:      "give the pipe the packet type that the kernel declares",
	PipeDirection: "use one pipe for each direction",
	PipeReserve:   "test the id with is_valid_reserve_id, and commit it where it was made",
	PipeIndex:     "keep the index below the number of packets that were reserved",
	PipeOpen:      "commit every valid reservation, on every path",
	PipeUnwritten: "write every packet before the commit, or reserve fewer",
	PipeDeadlock:  "run the kernel that moves the pipe's other end beside this one, or make the pipe larger",
}

// Help returns what to do about findings of a code; "" where there is nothing
// to say.
func Help(c Code) string { return helps[c] }
