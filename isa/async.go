package isa

// GroupCopy is a copy between global memory and LDS that a work-group makes
// as one (OpGroupAsyncCopy, Codeplay.GroupAsyncCopies, __mux_dma_*). Dim says
// which operands count: 1 copies elements, each side with a stride of its own;
// 2 copies lines of elements, 3 planes of lines.
type GroupCopy struct {
	// Name is what the module calls it, for messages: "OpGroupAsyncCopy",
	// "GroupAsyncCopy2D2D", "__mux_dma_read_3D".
	Name string
	Dim  int
	// Args are the operands, all I64; None where the copy does not have one.
	Args [NumCopyArgs]Reg
}

// CopyArg is an operand of a [GroupCopy]. Lengths, offsets and areas count
// elements; sizes below 64 bits are zero-extended.
type CopyArg uint8

// The operands. Where one is absent, offsets are 0, ElemBytes, Lines and
// Planes 1, and a stride is what leaves no gap.
const (
	CopyDst       CopyArg = iota // pointer to the first element's allocation
	CopyDstOffset                // elements
	CopySrc                      // pointer
	CopySrcOffset                // elements
	CopyElemBytes                // bytes of an element
	CopyElems                    // elements of a line
	CopyLines                    // lines of a plane
	CopyPlanes                   //
	CopySrcLine                  // from line to line; from element to element when Dim is 1
	CopySrcPlane                 // from plane to plane
	CopyDstLine                  //
	CopyDstPlane                 //
	CopyEvent                    // event to join; 0 makes a new one
	NumCopyArgs
)

var copyArgNames = [NumCopyArgs]string{"dst", "dst_offset", "src", "src_offset", "element_bytes", "elements", "lines", "planes",
	"src_stride", "src_plane", "dst_stride", "dst_plane", "event"}

// String returns the operand's name in the text form.
func (a CopyArg) String() string { return copyArgNames[a] }

// LaneCopyKind says how a [LaneCopy] finds the global side.
type LaneCopyKind uint8

// The kinds.
const (
	LanePointer LaneCopyKind = iota // Global + Offset
	// LaneBuffer is a raw buffer: Resource + VOffset + SOffset + Offset. A lane
	// whose VOffset + Offset lies outside of the resource reads zero.
	LaneBuffer
	// LaneStruct is a structured buffer: Index × the resource's stride is added,
	// and the index is compared with the resource's record count.
	LaneStruct
)

// LaneCopy is a copy between global memory and LDS that each active lane makes
// for itself (AMDGPU's LDS DMA). Lane l of a sub-group uses the LDS address
// LDS + Offset + l × 4, or × 16 for sizes above 4.
type LaneCopy struct {
	Name string // the imported function, for messages
	Kind LaneCopyKind
	// Async leaves the copy outstanding until a wait; otherwise it is over
	// before the next instruction.
	Async bool
	// Store copies from LDS to global memory.
	Store bool
	// PerLane says that LDS is each lane's own address already.
	PerLane  bool
	Size     int   // bytes of a lane: 1, 2, 4, 8, 12 or 16
	Offset   int32 // bytes, added on both sides
	Volatile bool

	Global   Reg    // I64: the global pointer of LanePointer, or a resource's handle
	Resource [4]Reg // I32: the words of a buffer resource; None when Global is its handle
	LDS      Reg    // I64
	Index    Reg    // I32, LaneStruct only
	VOffset  Reg    // I32 bytes, LaneBuffer and LaneStruct
	SOffset  Reg    // I32 bytes, LaneBuffer and LaneStruct
}

// Regs calls f for each register that the copy reads, with its type and name.
func (c *GroupCopy) Regs(f func(r *Reg, t Type, what string)) {
	for i := range c.Args {
		if c.Args[i] != None {
			f(&c.Args[i], I64, CopyArg(i).String())
		}
	}
}

// Regs calls f for each register that the copy reads, with its type and name.
func (c *LaneCopy) Regs(f func(r *Reg, t Type, what string)) {
	use := func(r *Reg, t Type, what string) {
		if *r != None {
			f(r, t, what)
		}
	}
	use(&c.Global, I64, "global")
	for i := range c.Resource {
		use(&c.Resource[i], I32, "resource")
	}
	use(&c.LDS, I64, "lds")
	use(&c.Index, I32, "index")
	use(&c.VOffset, I32, "voffset")
	use(&c.SOffset, I32, "soffset")
}
