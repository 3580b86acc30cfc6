package isa

import "fmt"

// Pipe is a pipe storage of a program (OpConstantPipeStorage): one instance,
// which all kernels of the program share.
type Pipe struct {
	Name        string
	PacketBytes uint32
	PacketAlign uint32 // bytes, a power of two
	Capacity    uint32 // packets
}

// MaxPacketBytes is the size of the largest packet in bytes; it is that of package
// memory.
const MaxPacketBytes = 1 << 20

// PipeReg says that Scalar starts as the handle of Pipes[Pipe], and which of
// its ends the kernel uses, as far as that can be told.
type PipeReg struct {
	Scalar        int
	Pipe          int
	Reads, Writes bool
}

// PipeParam is what a kernel does with a pipe that it is given.
type PipeParam struct {
	Reads, Writes bool
}

// The ends of a pipe. A handle that has been made for one end of a pipe has the
// end in the offset of the pointer; 0 is a storage, or a pipe of both ends.
const (
	PipeReadEnd  = 1
	PipeWriteEnd = 2
)

// PipeOp is what an [OpPipe] does.
type PipeOp uint8

// The operations. The packets of a reservation are counted from 0; a
// reservation's id is never 0, which is the id that is not valid.
const (
	PipeRead          PipeOp = iota // takes a packet to Pointer; dst.i32 = 0, or -1 when there is none
	PipeWrite                       // puts the packet at Pointer; dst.i32 = 0, or -1 when there is no room
	PipeReserveRead                 // dst.i64 = reservation of Count packets, or 0
	PipeReserveWrite                // likewise, of room for them
	PipeReservedRead                // packet Index of reservation Reserve to Pointer; dst.i32 = 0, or -1
	PipeReservedWrite               // likewise from Pointer
	PipeCommitRead                  // the packets of Reserve are read
	PipeCommitWrite                 // the packets of Reserve are written
	PipeNumPackets                  // dst.i32 = packets that can be read
	PipeMaxPackets                  // dst.i32 = capacity
	NumPipeOps
)

var pipeOpNames = [NumPipeOps]string{"read", "write", "reserve_read", "reserve_write", "reserved_read", "reserved_write",
	"commit_read", "commit_write", "num_packets", "max_packets"}

// String returns the operation's name in the text form.
func (o PipeOp) String() string {
	if o < NumPipeOps {
		return pipeOpNames[o]
	}
	return fmt.Sprintf("pipe(%d)", uint8(o))
}

// Writes says whether the operation is one of a pipe's write end; PipeNumPackets
// and PipeMaxPackets are of either.
func (o PipeOp) Writes() bool {
	return o == PipeWrite || o == PipeReserveWrite || o == PipeReservedWrite || o == PipeCommitWrite
}

// Reads says whether the operation is one of a pipe's read end.
func (o PipeOp) Reads() bool { return o < PipeNumPackets && !o.Writes() }

// PipeAccess is what a pipe instruction does. Operands that it does not have
// are None. Each lane that runs it does so for itself, the lowest first; with
// Scope ScopeSubgroup the lanes of a sub-group do it once, with the operands of
// the lowest of them, and all get its result. With ScopeWorkgroup one lane of
// the work-group runs it for the group: the lowering sees to that.
type PipeAccess struct {
	Name  string // the instruction or function of the module, for messages
	Op    PipeOp
	Scope Scope // ScopeInvocation, ScopeSubgroup or ScopeWorkgroup
	// Blocking says that the block of the instruction ends in a conditional
	// branch with FlagWait, which lets the lanes that failed try again.
	Blocking bool

	Pipe        Reg // I64, the handle
	Pointer     Reg // I64, where a packet comes from or goes to
	Reserve     Reg // I64, the id of a reservation
	Index       Reg // I32, of a packet in its reservation
	Count       Reg // I32, packets
	PacketBytes Reg // I32
	PacketAlign Reg // I32
}

// Regs calls f for each register that the access reads, with its type and name.
func (a *PipeAccess) Regs(f func(r *Reg, t Type, what string)) {
	use := func(r *Reg, t Type, what string) {
		if *r != None {
			f(r, t, what)
		}
	}
	use(&a.Pipe, I64, "pipe")
	use(&a.Pointer, I64, "pointer")
	use(&a.Reserve, I64, "reserve")
	use(&a.Index, I32, "index")
	use(&a.Count, I32, "count")
	use(&a.PacketBytes, I32, "bytes")
	use(&a.PacketAlign, I32, "align")
}

// Result returns the type of what the operation gives; Void for nothing.
func (o PipeOp) Result() Type {
	switch o {
	case PipeReserveRead, PipeReserveWrite:
		return I64
	case PipeCommitRead, PipeCommitWrite:
		return Void
	}
	return I32
}

// check says what is wrong with the entry.
func (a *PipeAccess) check(n uint32) error {
	damaged := func(what string) error { return fmt.Errorf("pipe access %d: %s", n, what) }
	if a.Op >= NumPipeOps {
		return damaged("unknown operation")
	}
	moves := a.Op == PipeRead || a.Op == PipeWrite || a.Op == PipeReservedRead || a.Op == PipeReservedWrite
	reserved := a.Op >= PipeReservedRead && a.Op <= PipeCommitWrite
	for _, o := range []struct {
		r    Reg
		want bool
		what string
	}{
		{a.Pipe, true, "pipe"}, {a.Pointer, moves, "pointer"}, {a.Reserve, reserved, "reserve"},
		{a.Index, moves && reserved, "index"}, {a.Count, a.Op == PipeReserveRead || a.Op == PipeReserveWrite, "count"},
		{a.PacketBytes, true, "bytes"}, {a.PacketAlign, true, "align"},
	} {
		if (o.r != None) != o.want {
			return damaged("operand " + o.what + " is missing, or too many")
		}
	}
	switch a.Scope {
	case ScopeInvocation:
	case ScopeSubgroup, ScopeWorkgroup:
		if moves || !reserved && a.Count == None {
			return damaged("not an operation of a group")
		}
	default:
		return damaged("unknown scope")
	}
	if a.Blocking && a.Op != PipeRead && a.Op != PipeWrite {
		return damaged("does not block")
	}
	return nil
}

// text says what the access is.
func (a *PipeAccess) text() string {
	s := a.Op.String()
	switch a.Scope {
	case ScopeSubgroup:
		s = "subgroup " + s
	case ScopeWorkgroup:
		s = "workgroup " + s
	}
	if a.Blocking {
		s = "blocking " + s
	}
	return s
}
