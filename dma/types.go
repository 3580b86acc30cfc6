package dma

import (
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// NumArgs is the number of operands of a group copy, without the event.
const NumArgs = 12

// Numbers of the operands in Copy.Args: those of isa.CopyArg.
const (
	argDst = iota
	argDstOffset
	argSrc
	argSrcOffset
	argElemBytes
	argElems
	argLines
	argPlanes
	argSrcLine
	argSrcPlane
	argDstLine
	argDstPlane
)

var argNames = [NumArgs]string{"destination", "destination offset", "source", "source offset", "bytes per element",
	"elements", "lines", "planes", "source line length", "source plane area", "destination line length", "destination plane area"}

// CopySpec is what does not change from one execution of a group copy to the
// next. It is made once and not written to again.
type CopySpec struct {
	// Name is what the module calls the copy: "GroupAsyncCopy2D2D".
	Name string
	// Dim is 1, 2 or 3. In a copy of one dimension the line lengths are the
	// distances from element to element.
	Dim int
	// Has says which operands there are. Of the others, offsets are 0,
	// bytes of an element, lines and planes 1, and lengths and areas leave no gap.
	Has [NumArgs]bool
}

// Copy is one execution of a group copy.
type Copy struct {
	PC   int // of the instruction
	Spec *CopySpec
	// Args are the operands in the order of isa.CopyArg, without the event.
	// Lengths, offsets and areas count elements and have no sign.
	Args [NumArgs]uint64
}

// LaneCopy describes a copy that each active work-item makes for itself.
type LaneCopy struct {
	PC    int
	Name  string // the imported function
	Async bool   // outstanding until a wait; otherwise done at once
	Store bool   // from LDS to global memory
	Size  int    // bytes of a work-item
}

// ZeroFill as the source of a work-item's copy writes zeros: what a buffer
// resource reads outside of its bounds. It is a pointer into no address space.
const ZeroFill memory.Pointer = 0xf << (memory.OffsetBits + memory.AllocBits)

// Group is a work-group as the unit needs to know it.
type Group struct {
	Linear       uint64 // number in the launch; part of the seed
	Items        int    // work-items
	SubgroupSize int
	Memory       *memory.Global
	LDS          *memory.Local // nil for none
	Clock        uint64        // tick at which the group begins
	// Races is told of what copies do to global memory, with Config.Check; nil is nobody.
	Races Races
}

// Races finds data races between copies and other work-groups.
type Races interface {
	// Copy says that a copy begins, of the whole group or of a work-item for each of its parts, and returns its
	// number; 0 is no copy.
	Copy(pc int, whole bool) uint32
	// Issue says that a work-item comes to a copy, and returns whether Copied is to be called for it.
	Issue(n uint32, item int) bool
	// Copied says that a copy reads or writes size bytes at p for a work-item.
	Copied(n uint32, kind memory.Access, item int, p memory.Pointer, size uint64)
	// Waited says that a work-item has waited for a copy.
	Waited(n uint32, item int)
	// Forget says that there will be no more calls of Waited for a copy.
	Forget(n uint32)
	// Plain says that a work-item reads or writes size bytes at p by a copy that is over at once.
	Plain(pc int, kind memory.Access, item int, p memory.Pointer, size uint64)
}

// Items are work-items of one wave: First+i for each bit i that is set in Mask,
// bit 0 of the first word being 0. Mask is read during the call only.
type Items struct {
	Wave  int
	First int
	Mask  []uint64
}

// Transfer is a copy as sinks and tracers see it.
type Transfer struct {
	ID   uint64 // from 1 in each work-group, in the order of issue
	PC   int    // of the instruction that issued it
	Name string // what the module calls the copy
	// Items are the work-items that issued it: so far, for a group copy that
	// not all have encountered yet. Wave is the wave that did so first.
	Items    finding.Spans
	Wave     int
	Dst, Src memory.Pointer // where the first line starts
	Bytes    uint64         // that it moves in all
	// Lines and Planes are 1 and 1 for a lane copy, and as the operands have
	// it for a group copy; elements with gaps between them are lines.
	Lines, Planes uint64
	Event         uint64 // that it belongs to; 0 for a lane copy
	Async         bool   // false for a lane copy that is done at once
	Engine        int
	// Issued, Start and Done are ticks: when the copy was issued, when its
	// first byte moved and when its last one had. Start and Done are 0 until
	// they are known.
	Issued, Start, Done uint64
	// Moved is how many bytes have arrived, of a transfer that [Unit.Outstanding] returns; 0 elsewhere.
	Moved uint64
}

// Sink takes findings.
type Sink interface {
	// Finding counts a finding at instruction pc that n work-items have a part
	// in, the first of them item. It returns where to put the particulars
	// when it is the first with this code and pc, else nil. It may be called for the same
	// code and instruction many times in one work-group.
	Finding(code finding.Code, pc, item, n int) *Detail
	// Missed says that checks forget something for which there is no room. It may be called many times.
	Missed(m Missed)
}

// Missed is what the checks of a launch had no room for, so that they may have missed findings.
type Missed uint8

// The parts of Missed.
const (
	MissedUses      Missed = 1 << iota // of memory between two barriers: [finding.AsyncRace]
	MissedTransfers                    // that are outstanding, the oldest: other findings about copies
)

// Detail has the particulars of a finding. What does not apply is empty.
type Detail struct {
	// Access, Pointer and Size are the access that went wrong. For overlapping
	// transfers and races they say what the new transfer does there.
	Access  memory.Access
	Pointer memory.Pointer
	Size    uint64
	// Transfers are the transfers that it is about; the new one first, where
	// there are two. Engine and ticks, which depend on when bytes move, are 0.
	Transfers []Transfer
	// Sets are the operands that work-items gave to one copy, those of the
	// first to come first.
	Sets []OperandSet
	// Did and DidNot are the work-items that encountered a copy, or a wait, and
	// those that did not.
	Did, DidNot finding.Spans
	// Wait says that they are about the wait.
	Wait bool
	// WaitN is the operand of the wait, after the mark at instruction MarkPC,
	// that would have ordered the access behind a lane copy. MarkPC is -1
	// where there is no mark after the copy.
	WaitN, MarkPC int
	// Barrier says that a work-group barrier has to follow the wait, since another
	// sub-group made the copy.
	Barrier bool
	// Other is who used the memory before.
	Other *Party
	// Text says what the code alone does not.
	Text string
}

// OperandSet is a set of operands that work-items gave to a copy.
type OperandSet struct {
	Items finding.Spans
	PC    int
	Name  string
	Args  []NamedArg
}

// NamedArg is an operand.
type NamedArg struct {
	Name    string
	Value   uint64
	Pointer bool // Value is a memory.Pointer
}

// Party is somebody else who used the memory that a finding is about.
type Party struct {
	Item, PC int
	Access   memory.Access
}

// Tracer is told what happens when. It may keep the transfers that it gets.
type Tracer interface {
	// Issue is called when a transfer is issued: all is known but Start and Done.
	Issue(t *Transfer)
	// Complete is called when it is done.
	Complete(t *Transfer)
	// Mark is called when work-items append a mark to sequence seq; items are
	// valid during the call.
	Mark(now uint64, pc, wave, seq int, items Items)
	// Wait is called when a wait is over that began at tick from. What says
	// what was waited for: "event 3", "marks ≤ 1", "room in the queue".
	// For marks, the wait is for the wave's async lane copies up to number upTo,
	// counted from 1 in each work-group; otherwise upTo is 0.
	Wait(from, to uint64, pc, wave int, what string, upTo uint64)
}
