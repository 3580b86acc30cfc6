package finding

import (
	"slices"
	"strings"
)

// Code is a finding's stable name. Codes are never renamed or reused.
type Code string

// The codes.
const (
	OutOfBounds       Code = "E-OOB"           // access outside its allocation
	NullPointer       Code = "E-NULL"          // access through null
	BadPointer        Code = "E-POINTER"       // access through a value that is no pointer, or into the wrong address space
	UseAfterFree      Code = "E-FREED"         // access to a buffer that was released
	ReadOnly          Code = "E-READONLY"      // write to constant memory
	Misaligned        Code = "E-ALIGN"         // access not aligned to its type (with checks on)
	DivideByZero      Code = "E-DIV0"          // integer division or remainder by zero (with checks on)
	DivideOverflow    Code = "E-DIVOVF"        // most negative value divided by -1 (with checks on)
	PointerDifference Code = "E-PTRDIFF"       // difference of pointers into different allocations (with checks on)
	ShiftRange        Code = "E-SHIFT"         // shift by the width or more (with checks on)
	Uninitialized     Code = "E-UNINIT"        // a value that was never set decides something (with checks on)
	DeadVariable      Code = "E-DEAD"          // a private variable is read after its lifetime (with checks on)
	Unreachable       Code = "E-UNREACHABLE"   // OpUnreachable was reached
	Aborted           Code = "E-ABORT"         // the kernel ended the launch
	BarrierDeadlock   Code = "E-BARRIER"       // work-items of a group wait at different barriers
	PartialBarrier    Code = "E-BARRIERPART"   // a barrier that some work-items ended without reaching
	GroupDiverged     Code = "E-GROUPDIVERGED" // a group operation that some work-items of the group do not run
	GroupUniform      Code = "E-GROUPUNIFORM"  // an operand that must be the same for the group differs (with checks on)
	ShuffleLane       Code = "E-SHUFFLELANE"   // data of a lane that does not take part (with checks on)
	ShuffleIndex      Code = "E-SHUFFLERANGE"  // lane index out of range (with checks on)
	BlockDiverged     Code = "E-BLOCKDIVERGED" // block access that some work-items of the sub-group do not run (with checks on)
	BlockPartial      Code = "E-BLOCKPARTIAL"  // block access in a partial sub-group (with checks on)
	BlockAlign        Code = "E-BLOCKALIGN"    // block access not aligned (with checks on)
	BlockElement      Code = "E-BLOCKELEMENT"  // image block access to elements of more than four bytes (with checks on)
	BlockX            Code = "E-BLOCKX"        // image block write that begins inside of four bytes (with checks on)
	BlockPitch        Code = "E-BLOCKPITCH"    // image block access to an image whose buffer is not aligned as it must be (with checks on)
	ImageBounds       Code = "E-IMAGEBOUNDS"   // access outside of an image (with checks on)
	ImageFormat       Code = "E-IMAGEFORMAT"   // access to an image of another kind of numbers (with checks on)
	Sampler           Code = "E-SAMPLER"       // read with a sampler that is not for it (with checks on)
	TimeLimit         Code = "E-TIMEOUT"       // the time limit ended the launch
	NoProgress        Code = "E-ENDLESS"       // a loop that never ends (with checks on)
	Cancelled         Code = "E-CANCELLED"     // the caller ended the launch
	EngineDiff        Code = "E-ENGINEDIFF"    // engines that a launch ran on differ
	PassDiff          Code = "E-PASSDIFF"      // a pass of the compiler changes what a launch computes

	WriteOnly       Code = "E-WRITEONLY" // read from a write-only buffer
	Restrict        Code = "E-RESTRICT"  // memory of a restrict pointer accessed through another (with checks on)
	IndexRange      Code = "E-INDEX"     // index out of an array inside of an object, or of a vector (with checks on)
	IntegerOverflow Code = "E-OVERFLOW"  // signed arithmetic without room for its result (with checks on)
	ConvertRange    Code = "E-CONVERT"   // float converted to an integer that cannot hold it (with checks on)

	Race Code = "E-RACE" // accesses of two work-items that nothing orders (with checks on)

	AsyncRead    Code = "E-ASYNCREAD"    // read of what an asynchronous copy still fills
	AsyncWrite   Code = "E-ASYNCWRITE"   // write to either side of an outstanding copy
	AsyncOverlap Code = "E-ASYNCOVERLAP" // outstanding copies that overlap
	AsyncRace    Code = "E-ASYNCRACE"    // a copy's LDS used by other work-items without a barrier
	AsyncLine    Code = "E-ASYNCLINE"    // lines of a copy overlap
	AsyncPlane   Code = "E-ASYNCPLANE"   // planes of a copy overlap
	AsyncDiff    Code = "E-ASYNCDIFF"    // work-items give one copy different operands
	AsyncPart    Code = "E-ASYNCPART"    // not all work-items encounter a copy, or a wait
	AsyncNoWait  Code = "E-ASYNCNOWAIT"  // event that nobody waits for
	AsyncEvent   Code = "E-ASYNCEVENT"   // a value that is no event
	AsyncUniform Code = "E-ASYNCUNIFORM" // operand that must be the same for a sub-group differs

	PipeSize      Code = "E-PIPESIZE"      // packets of another size or alignment than the pipe's
	PipeDirection Code = "E-PIPEDIRECTION" // use of a pipe through its other end
	PipeReserve   Code = "E-PIPERESERVE"   // a value that is no reservation, or none to be used so
	PipeIndex     Code = "E-PIPEINDEX"     // packet index out of the reservation
	PipeOpen      Code = "E-PIPEOPEN"      // reservation that nobody commits
	PipeUnwritten Code = "E-PIPEUNWRITTEN" // reservation committed with packets that nobody wrote (with checks on)
	PipeDeadlock  Code = "E-PIPEDEADLOCK"  // all that is left waits at pipes
)

// Description says what a code means, for people: the command line's help, and
// whoever meets a code in a log.
type Description struct {
	Code Code
	// Title is a few words, Text one or two sentences. Text says what the
	// specifications have to say about it and what to do.
	Title, Text string
	// Checked says that the finding is made only when checks are on.
	Checked bool
	// Repeats says that work-items go on after it, so that it can happen to one
	// again and again: it is counted by occurrence.
	Repeats bool
	// Bytes says that it is about memory: the bytes of it are counted that it happened to.
	Bytes bool
}

var descriptions = map[Code]Description{
	OutOfBounds: {Title: "access outside its allocation",
		Text: "A load, store, copy or atomic operation reached before the start or past the end of the buffer or variable that its pointer came from. The memory was not touched. Compare the index with the size that the finding names."},
	NullPointer: {Title: "access through a null pointer",
		Text: "The pointer was null: an argument given as null, or a pointer variable that was never set."},
	BadPointer: {Title: "access through a value that is no pointer",
		Text: "The address names no allocation of this launch, or one of another address space: a cast integer, uninitialized memory read as a pointer, or a pointer to local or private memory that outlived its work-group."},
	UseAfterFree: {Title: "access to a released buffer",
		Text: "The pointer leads to a buffer that the host has released. Keep the buffer until every launch that uses it is over."},
	ReadOnly: {Title: "write to constant memory",
		Text: "The kernel stored to memory in the constant address space (UniformConstant), or to a buffer that was made read-only; with checks on also through a parameter that the module declares NoWrite."},
	Misaligned: {Title: "access not aligned to its type",
		Text:    "The address is not a multiple of the access's alignment, which OpenCL leaves undefined (OpenCL C 6.3.5). lockstep does the access as it stands; devices may not.",
		Checked: true},
	DivideByZero: {Title: "integer division by zero",
		Text:    "The divisor of an integer division or remainder was 0: undefined in SPIR-V (3.49.13), an unspecified value in OpenCL C (6.4). Without checks the quotient and the remainder have all bits set, as on most GPUs, and such divisions are counted. Test the divisor first.",
		Checked: true},
	DivideOverflow: {Title: "integer division overflows",
		Text:    "The most negative value was divided by -1: undefined in SPIR-V (3.49.13). Without checks the quotient is the dividend and the remainder 0.",
		Checked: true},
	ShiftRange: {Title: "shift by the width or more",
		Text:    "The shift amount is not less than the width of the value: undefined in SPIR-V (3.49.14), though OpenCL C takes the amount modulo the width. Without checks lockstep does the same.",
		Checked: true},
	PointerDifference: {Title: "difference of pointers into different buffers",
		Text:    "Two pointers were subtracted that do not lead into the same buffer or variable: undefined (OpPtrDiff, SPIR-V 3.49.8; C 6.5.6). Without checks the difference is not 0, and has no other meaning.",
		Checked: true},
	DeadVariable: {Title: "a variable is used after its lifetime",
		Text:    "A pointer leads to a variable of a block that has ended, or of a function that has returned, and what the variable held is read, or something is stored there: undefined (C99 6.2.4). The finding stands at the store, where it is read, or where the value matters, and names the declaration. Modules say with OpLifetimeStart and OpLifetimeStop when variables of blocks live; those of clang -O0 do not, so that only variables of functions are found in them. Writes through such a pointer are not found.",
		Checked: true},
	Uninitialized: {Title: "an uninitialized value decides something",
		Text:    "A value that was never set decides a branch, an address, a divisor, what is printed, a copy or a pipe operation, or it is left in a buffer when the launch ends; or the host reads elements of a buffer that nobody has written, as -out does. Private and local memory, and buffers that the host never wrote, have undefined contents at first (OpenCL C 6.7, OpenCL 5.2.1). Bits are followed one by one through arithmetic and memory, so that copying undefined bits, or the padding of a structure, is no finding. Without checks they are 0, or what -poison makes of them.",
		Checked: true, Repeats: true},
	WriteOnly: {Title: "read from a write-only buffer",
		Text: "The kernel read from a buffer that was made write-only (CL_MEM_WRITE_ONLY): undefined (OpenCL 5.2.1). An atomic operation reads, too."},
	Restrict: {Title: "memory of a restrict pointer accessed in another way",
		Text:    "A work-item accessed the same memory through a parameter that is restrict and through another one, and wrote it in one of the two: undefined (C99 6.7.3.1), for the compiler may take the two for different memory. Different work-items may do so. Only accesses whose pointer is plainly computed from one parameter are looked at.",
		Checked: true},
	IndexRange: {Title: "index out of range",
		Text:    "An index is negative, or not less than the number of elements of the array, or components of the vector, that it goes into, and memory was accessed there: undefined (C99 6.5.6, and J.2, which names a[1][7] of int a[4][5]). The access stays inside of its buffer or variable, in another member or row; one that does not is E-OOB. Only indexes that the module still tells apart are looked at: compilers that optimize may have made sums of bytes of them.",
		Checked: true},
	IntegerOverflow: {Title: "signed integer overflow",
		Text:    "The result of a signed addition, subtraction, multiplication or negation has no room in its type: undefined in C99 (6.5), and promised not to happen by the module (NoSignedWrap). Without checks the result wraps. Compute in an unsigned type where wrapping is meant, as hashes and random numbers do, or in a wider one. Vectors and unsigned integers wrap. Modules that were made with LLVM are not looked at, for LLVM may compute what the source does not.",
		Checked: true},
	ConvertRange: {Title: "conversion to an integer that cannot hold the number",
		Text:    "A float that is a NaN, or whose integral part has no room in the integer type, was converted to it without saturation: undefined in SPIR-V (3.49.11) and C99 (6.3.1.4), implementation-defined in OpenCL C (6.4.3.3). Without checks the result is the low bits of the saturated value, and 0 for a NaN. Use convert_int_sat and its kin, or test the number first. Modules that were made with LLVM are not looked at, for LLVM may compute what the source does not.",
		Checked: true},
	Unreachable: {Title: "unreachable code was reached",
		Text: "The kernel executed OpUnreachable: the compiler was promised that control never comes here, for instance by __builtin_unreachable or a function without a return."},
	Aborted: {Title: "the kernel ended the launch",
		Text: "The kernel executed OpAbortKHR (SPV_KHR_abort), as programs do that have found an error of their own. The launch ends; what the kernel gave as a message is part of its output. Work-items that had not come to the end may have stored anything or nothing."},
	BarrierDeadlock: {Title: "work-items wait at different barriers",
		Text: "Every work-item of the group that has not ended waits at a barrier, but not all at the same one, so that none can go on. A barrier must be reached by all work-items of a work-group or by none (OpenCL C 6.15.8)."},
	PartialBarrier: {Title: "a barrier that some work-items never reach",
		Text: "A barrier opened for the work-items that were left, while others of the group had ended without reaching it: undefined (OpenCL C 6.15.8). lockstep counts work-items that ended as gone and goes on, as most devices do. Move the barrier out of the condition, or let every work-item stay until the last barrier."},
	GroupDiverged: {Title: "a group operation that not all of its group run",
		Text: "Some work-items of the sub-group or work-group run a group operation that others do not: undefined for OpGroup* and for the sub_group_ and work_group_ functions, which all work-items of the group must reach (SPIR-V 3.49.21). In a sub-group the operation takes the work-items that run it, and only checks report this; in a work-group the launch ends or, where the others have ended, goes on without them. Move the operation out of the condition, or use the non-uniform ones (cl_khr_subgroup_non_uniform_arithmetic)."},
	GroupUniform: {Title: "an operand differs that is one for the group",
		Text:    "An operand that must be the same for all work-items of the sub-group differs between them, for instance the lane that a broadcast takes its value from or the pointer of a block access. Without checks each work-item uses its own lane index, and a block access the pointer of its lowest lane.",
		Checked: true},
	ShuffleLane: {Title: "data of a lane that does not take part",
		Text:    "A shuffle or broadcast takes the value of a lane that does not run it, because it is in another branch, has ended, or does not exist in a partial sub-group: undefined (SPV_INTEL_subgroups, OpGroupNonUniformShuffle). Without checks the value is 0.",
		Checked: true},
	ShuffleIndex: {Title: "lane index out of range",
		Text:    "A shuffle or broadcast names a lane past the maximum sub-group size, or past the window of two sub-groups that OpSubgroupShuffleUpINTEL and OpSubgroupShuffleDownINTEL have, or a broadcast in a work-group names a local id that no work-item has: undefined. Without checks the value is 0.",
		Checked: true},
	BlockDiverged: {Title: "block access that not all of the sub-group run",
		Text:    "A block read or write stands in control flow that is not uniform in the sub-group: undefined (SPV_INTEL_subgroups). Without checks the work-items that run it access their elements behind the pointer of the lowest of them.",
		Checked: true},
	BlockPartial: {Title: "block access in a partial sub-group",
		Text:    "The sub-group of a block read or write has fewer work-items than the maximum sub-group size: undefined (SPV_INTEL_subgroups). Make the local size a multiple of the sub-group size. Without checks the work-items that exist access their elements.",
		Checked: true},
	BlockAlign: {Title: "block access not aligned",
		Text:    "The pointer of a block read must be a multiple of 4 bytes, that of a block write a multiple of 16 (SPV_INTEL_subgroups). Sub-buffers count with their origin. Without checks the access is done as it stands.",
		Checked: true},
	BlockElement: {Title: "block access to image elements of more than four bytes",
		Text:    "The elements of the image are larger than four bytes: undefined in SPV_INTEL_subgroups. Without checks a row counts four bytes for each element, and what lies behind them is out of reach. Use an image with smaller elements, or a block access to a buffer.",
		Checked: true},
	BlockX: {Title: "image block write inside of four bytes",
		Text:    "The x coordinate of an image block write, which counts bytes, is not a multiple of four: undefined in SPV_INTEL_subgroups, although reads may begin anywhere. Without checks the bytes are written where the coordinate says.",
		Checked: true},
	BlockPitch: {Title: "block access to an image of a buffer that is not aligned for it",
		Text:    "The image is a view of a buffer, and its row pitch is not a multiple of 64 bytes, or its origin not one of 32: undefined in SPV_INTEL_subgroups. Without checks lockstep makes the access all the same.",
		Checked: true},
	Sampler: {Title: "read with a sampler that is not for it",
		Text:    "OpenCL leaves open what the read gives (OpenCL C 6.15.15): integer coordinates take a sampler without normalized coordinates that reads the nearest element; images of integers are read with a nearest filter; and the modes repeat and mirrored_repeat take normalized coordinates. Without checks integer coordinates and images of integers are read as if the filter were nearest and, with integer coordinates, not normalized; without normalized coordinates the repeating modes read the edge.",
		Checked: true},
	ImageBounds: {Title: "access outside of an image",
		Text:    "The coordinates of a read without sampler, of a read with a sampler whose addressing mode is none, or of a write lie outside of the image, or a coordinate is an infinity or a NaN: undefined (OpenCL C 6.15.15). Without checks a read gives the border colour, zeros with an alpha of one where the format has no alpha, and a write is dropped. Block accesses are reported only between the end of a row of elements smaller than four bytes and the place where the extension checks; they then read zeros and write nothing.",
		Checked: true},
	ImageFormat: {Title: "access to an image of another kind of numbers",
		Text:    "The kernel reads or writes floats where the image holds integers, integers where it holds floats or normalized numbers, or integers of the other sign: undefined (OpenCL C 6.15.15). Without checks a read of the other kind gives zeros and a write of it is dropped; the image's format decides the sign.",
		Checked: true},
	TimeLimit: {Title: "the time limit ended the launch",
		Text: "The kernel ran longer than allowed. The finding says where work-items were when the time was over. Usual reasons are a loop that never ends, a loop in which lanes of one sub-group wait for each other, and a loop that waits for a work-group that has not begun; for the last two the finding names the flag that lets the kernel go on. With -check, many loops that never end are found without waiting for the limit (E-ENDLESS)."},
	NoProgress: {Title: "a loop that never ends",
		Text:    "The work-items of a group came back to a state in which they had been, and all memory was as it had been then: without anybody else they go on so for ever. A loop that waits for a work-group that has not begun is one as well, as OpenCL does not promise that work-groups run at the same time (OpenCL API 3.2.1), and so is one in which work-items of a sub-group wait for each other. The finding names the loop. A loop that counts without end is none; -timeout ends that.",
		Checked: true},
	Cancelled: {Title: "the launch was cancelled",
		Text: "The caller cancelled the launch before it was over. Memory holds what the kernel had written by then."},
	EngineDiff: {Title: "engines differ",
		Text: "A launch ran on two engines from the same memory (-engine compare), and they left different memory, pipes, output, counters or findings. That is a mistake of lockstep, not of the kernel: please report it, with the module and the command. The work-item is the one that wrote the first byte that differs on the reference. Memory and results are those of the reference. As a warning: the engines agree where work-groups run one after the other, so that most likely work-groups race."},
	PassDiff: {Title: "passes differ",
		Text: "A launch was validated (LOCKSTEP_VALIDATE): the kernel ran in the form that it has behind each pass of its compilation, always from the same memory, and behind the pass that is named it left different memory or output, or a fault. That is a mistake of lockstep, not of the kernel: please report it, with the module and the command. The finding is made only where checks find nothing wrong with the kernel, and the order of its work-items does not decide about its results."},
	Race: {Title: "data race",
		Text:    "Two work-items access the same bytes, at least one of them writes, not both are atomic operations, and nothing orders the two: the result is undefined (OpenCL 3.3.6.2). Barriers order the work-items of a group, for the memory that their flags name; work-groups are ordered by atomic operations with release and acquire only. That the work-items of a sub-group run together orders nothing. An asynchronous copy accesses global memory from the work-item that comes to it first until one waits for it. The finding does not depend on which of the two was first. Writes of the same value are races, too; -benign leaves them out.",
		Checked: true, Bytes: true},
	AsyncRead: {Title: "read of what an asynchronous copy still fills",
		Text:    "A work-item read memory that an asynchronous copy writes to, and nothing orders the read behind the copy: it may see old bytes, new ones or both. Wait for the copy first: OpGroupWaitEvents on its event, or an asyncmark after it and a wait.asyncmark that counts it. The finding comes from what the kernel waits for, not from when the bytes moved, so every schedule gives it.",
		Checked: true, Repeats: true},
	AsyncWrite: {Title: "write to memory that an asynchronous copy still uses",
		Text:    "A work-item wrote to the source or the destination of an asynchronous copy that it had not waited for. The copy may take the old bytes or the new ones, or overwrite what was written. Wait for the copy before its memory is used for something else.",
		Checked: true, Repeats: true},
	AsyncOverlap: {Title: "asynchronous copies overlap",
		Text:    "Two asynchronous copies that are outstanding at the same time write the same bytes, or one writes what the other reads, or a copy's source and destination overlap. Copies may be done in any order, and their lines too. Wait for the first one before the second is issued.",
		Checked: true, Repeats: true},
	AsyncRace: {Title: "memory of an asynchronous copy used without a barrier",
		Text:    "A work-item wrote to, or read, memory that a copy of others uses, and neither a work-group barrier whose flags name that memory nor atomic operations that could order the two lie between: a copy synchronizes nothing by itself (GroupAsyncCopy: \"does not perform any implicit synchronization\"). A group copy may begin as soon as one work-item encounters it; a lane copy is ordered with its own sub-group only. Put a barrier between the two.",
		Checked: true, Repeats: true},
	AsyncLine: {Title: "lines of an asynchronous copy overlap",
		Text:    "The line length of a copy's source or destination is smaller than the number of elements in a line, or the stride of a one-dimensional copy is 0: undefined. Lengths and strides count elements, from the start of one line to the start of the next.",
		Checked: true},
	AsyncPlane: {Title: "planes of an asynchronous copy overlap",
		Text:    "The plane area of a copy's source or destination is smaller than the number of lines times the line length: undefined. Areas count elements, from the start of one plane to the start of the next.",
		Checked: true},
	AsyncDiff: {Title: "work-items give one asynchronous copy different operands",
		Text:    "A group copy is made once for the whole work-group, so every work-item must encounter it with the same operands; otherwise the results are undefined. lockstep makes the copy that the first work-item to come asks for. The finding shows both sets; operands that depend on a work-item's id are the usual reason.",
		Checked: true},
	AsyncPart: {Title: "not all work-items encounter an asynchronous copy or its wait",
		Text:    "A group copy, and a wait for its event, must be encountered by all work-items of the work-group or by none; otherwise the results are undefined. Move the copy or the wait out of the condition, and let no work-item return before it.",
		Checked: true},
	AsyncNoWait: {Title: "asynchronous copy that nobody waits for",
		Text:    "The work-group ended without a wait for the event of a copy. Whether the copy is done by then is undefined, and local memory may be somebody else's before it is. Wait for every event with OpGroupWaitEvents (wait_group_events).",
		Checked: true},
	AsyncEvent: {Title: "a value that is no event",
		Text:    "A wait, or a copy that is to join an event, was given a value that no copy of this work-group returned: an event variable that was never set, or an integer made into one. Such a wait waits for nothing.",
		Checked: true},
	AsyncUniform: {Title: "operand that must be the same for a sub-group differs",
		Text:    "The local base address, the scalar offset and the resource of a load to LDS are scalars on the GPU: one value for the whole sub-group. The kernel computed different ones for its work-items; the first active one's is used. Take the work-item's part out of the operand: the LDS address already has the lane's place added, the vector offset and the index may differ.",
		Checked: true},
	PipeSize: {Title: "packets of another size than the pipe's",
		Text: "The size or the alignment of packets that an instruction gives is not that of the pipe: undefined (OpReadPipe: \"Packet Size\" and \"Packet Alignment\" are those of the pipe). Nothing was moved. Give the pipe the packets of the type that the kernel declares; a pipe of the host takes any alignment."},
	PipeDirection: {Title: "use of a pipe through its other end",
		Text: "A kernel reads at the write end of a pipe, or writes at its read end. A pipe argument is read_only or write_only (OpenCL C 6.15.17); a kernel that does both needs two pipes, or a pipe storage of the program with an end of either kind."},
	PipeReserve: {Title: "a value that is no reservation",
		Text: "A reservation id was used that is not one, or cannot be used here: never returned by a reservation, the invalid id, of another pipe or direction, of another work-item, sub-group or work-group, committed already, or committed by a function for another kind of owner (OpenCL C 6.15.17.6). Test ids with is_valid_reserve_id, and let the one that made a reservation commit it."},
	PipeIndex: {Title: "packet index out of the reservation",
		Text: "A read or write through a reservation names a packet that the reservation does not have: the index must be less than the number of packets that were reserved (OpenCL C 6.15.17.2). Nothing was moved."},
	PipeOpen: {Title: "reservation that nobody commits",
		Text: "A work-group ended with a reservation that was not committed: undefined (OpenCL C 6.15.17.6). Its packets are never read, or their room never free, and whatever is behind it in the pipe is held up for good. Commit every reservation that is valid, on every path."},
	PipeUnwritten: {Title: "reservation committed with packets that nobody wrote",
		Text:    "A reservation to write was committed before all its packets were written, so that their contents are undefined. lockstep makes them zeros. Write every index from 0 on, or reserve fewer packets.",
		Checked: true, Repeats: true},
	PipeDeadlock: {Title: "all that is left waits at pipes",
		Text: "Every work-item that has not ended waits to read from a pipe that is empty, to write to one that is full, or at a barrier for those that do, and nobody is left to change that. The finding says who waits for which pipe and who could have moved it: a kernel that ended or was not launched with them, packets held by a reservation that is not committed, or kernels that wait for each other. Larger pipes help where a cycle of kernels needs more packets under way than fit. A loop that tries a non-blocking operation again and again does not wait and is not found here: a time limit ends it, with E-TIMEOUT."},
}

// Describe returns the description of a code; ok is false for a code that does
// not exist.
func Describe(c Code) (d Description, ok bool) {
	d, ok = descriptions[c]
	d.Code = c
	return d, ok
}

// Codes returns every code, in alphabetical order.
func Codes() []Code {
	all := make([]Code, 0, len(descriptions))
	for c := range descriptions {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Code) int { return strings.Compare(string(a), string(b)) })
	return all
}
