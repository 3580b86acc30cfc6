package isa

// Program is a compiled module: kernels and what they share.
type Program struct {
	Kernels []*Kernel // in the module's order
	Globals []Global  // program-scope variables and constants
	Pipes   []Pipe    // pipe storages
	Files   []string  // source file names; Files[0] is ""
	// Functions are the names of functions that places name; Functions[0] is "".
	Functions []string

	// Shared has, where Shares is set, the kernels whose code for memory that the host shares is another: that has OpPtrAddress
	// and OpPtrAt. The names are those of Kernels.
	Shares bool
	Shared []*Kernel

	// ForDebug has the kernels as debuggers run them, with Kernel.Debug; none in most programs. The names are those of
	// Kernels.
	ForDebug []*Kernel

	// Refused has the kernels of the module that cannot be run, and why.
	Refused []Refused

	// Physical32 says that pointers take 4 bytes in memory.
	Physical32 bool

	Meta ProgramMeta
}

// Kernel returns the kernel of the given name, or nil.
func (p *Program) Kernel(name string) *Kernel {
	for _, k := range p.Kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Refused is a kernel that was left out of a program.
type Refused struct {
	Name   string
	Reason error
}

// Global is a program-scope variable: memory that lives as long as the program.
type Global struct {
	Name     string
	Size     uint64
	Align    uint32
	Elem     Elem
	ReadOnly bool
	Init     []byte // shorter than Size means zeros behind
	Relocs   []Reloc
}

// Reloc is a pointer inside an initializer: the 8 (or, in a Physical32
// program, 4) bytes at Offset are to hold the address of Globals[Global] plus
// Addend; or, with Pipe set, 8 bytes the handle of Pipes[Global].
type Reloc struct {
	Offset uint64
	Global int
	Addend int64
	Pipe   bool
}

// Kernel is the code of one kernel with every call inlined.
type Kernel struct {
	Name   string
	Params []Param

	// Code holds the blocks one after the other; Blocks[b] says where b is.
	// Block 0 is the entry. A loop's blocks are contiguous and the block that
	// jumps back is its last.
	Code   []Inst
	Blocks []Block

	// Register files.
	NumScalar int
	NumVector [NumBanks]int

	// ScalarInit is what the first len(ScalarInit) scalar registers hold when a
	// wave starts: constants, and zero for those that ParamRegs and GlobalRegs
	// fill at launch.
	ScalarInit []uint64
	ParamRegs  []ParamReg
	GlobalRegs []GlobalReg
	// Undefined and UndefinedRegs say which registers hold undefined bits, and where these come from.
	Undefined     []Undefined
	UndefinedRegs []UndefinedReg

	// Private is each lane's own memory, Local the work-group's LDS that the
	// module declares. Pointers to local kernel arguments name the allocations
	// that follow, in the order of the parameters. Allocation n of a pointer is
	// element n-1.
	Private []Alloc
	Local   []Alloc

	Switches []SwitchTable
	Printfs  []Printf
	Locs     []Loc // Locs[0] is the zero Loc
	// Debug is what a debugger knows of the source, of a kernel that was lowered for it; nil for others.
	Debug *DebugInfo

	// WideAccesses are the accesses of the module that loads and stores are parts of.
	WideAccesses []WideAccess

	// Checks are what OpCheck asks.
	Checks []Check

	GroupCopies []GroupCopy
	LaneCopies  []LaneCopy
	// ImageAccesses has what the image instructions do.
	ImageAccesses []ImageAccess
	PipeAccesses  []PipeAccess
	// PipeRegs are the pipe storages that the kernel names. AnyPipe says that it
	// also takes storages from memory, which may be any of the program's.
	PipeRegs []PipeReg
	AnyPipe  bool
	// MarkSequences is the number of sequences of async marks. Each function
	// body, as inlined, that marks or waits has one; bodies that are never in
	// execution together share it.
	MarkSequences int

	ReqdLocalSize  [3]uint32 // zeros when the module does not say
	LocalSizeHint  [3]uint32
	ReqdSubgroup   uint32 // sub-group size that the kernel runs with; 0 when the module does not say
	UsesBarrier    bool
	UsesPrintf     bool
	UsesPipes      bool // as arguments or of the program, whether anything moves or not
	UsesAsync      bool // group copies or their waits, lane copies or async marks
	UsesClock      bool // reads the logical clock
	OrderDependent bool // work-groups can see each other's order (atomics whose result is used …)

	Meta KernelMeta
	// Specialized is what the kernel was compiled for; nil for every launch.
	Specialized *Specialization
}

// Block is a run of instructions that ends in its only terminator:
// Code[Start:End].
type Block struct {
	Start, End int
	// Loop is the number of loops around the block.
	Loop int
	// Name is what the block is called in the module, for people.
	Name string
}

// ParamKind says how an argument reaches a kernel.
type ParamKind uint8

// The kinds of parameters.
const (
	ParamValue   ParamKind = iota // bytes by value, a struct passed by a ByVal pointer included
	ParamGlobal                   // a pointer to global or constant memory
	ParamLocal                    // a pointer to LDS; the launch gives the size
	ParamImage                    // an image
	ParamSampler                  // a sampler, the 64 bits of a memory.Sampler
	ParamPipe                     // a pipe
)

// Param is a kernel's parameter.
type Param struct {
	Name     string
	TypeName string // OpenCL C type, or the SPIR-V type where that is not known
	Kind     ParamKind
	Size     uint64 // bytes of a ParamValue; of the pointee, or 0, for a pointer
	Align    uint32
	ReadOnly bool // const or constant memory
	Constant bool // a pointer to constant memory
	// Restrict says that what is modified through the pointer is accessed through no other.
	Restrict bool
	Image    ImageParam
	Pipe     PipeParam
}

// ImageParam is what a kernel wants of an image.
type ImageParam struct {
	Dim           ImageDim
	Array         bool
	Depth         bool // of the channel order depth, and of no other
	Reads, Writes bool
}

// ParamReg says that Scalar starts as Size bytes of a parameter's value,
// zero-extended; a pointer parameter's value is its 64-bit pointer.
type ParamReg struct {
	Scalar int
	Param  int
	Offset uint64
	Size   uint8
}

// GlobalReg says that Scalar starts as the address of Globals[Global].
type GlobalReg struct {
	Scalar int
	Global int
}

// Alloc is a piece of private or local memory.
type Alloc struct {
	Name  string
	Size  uint64
	Align uint32
	Elem  Elem
	// Param is 1 + the number of the ParamValue whose bytes a lane's copy
	// starts as, 0 for none. Private memory only.
	Param int
	Loc   uint32
	// PerItem says that Size is what each work-item of the enqueued work-group
	// needs; the allocation holds that for all of them. Local memory only.
	PerItem bool
	// Padding is what no member has of each element, in kernels lowered for checks, by offset.
	Padding []Padding
}

// Elem is the type of a variable's elements, for people: that of an array's
// elements, or of the variable itself.
type Elem struct {
	TypeName string // as Param.TypeName; "" when it is not known
	Size     uint64 // bytes from one element to the next
}

// SwitchTable maps values to blocks. Values are zero-extended bit patterns of
// the selector's type, in ascending order.
type SwitchTable struct {
	Default int
	Values  []uint64
	Targets []int
}

// Printf is one printf call: its format and what to print. Where the format is not a constant of the module,
// FormatInMemory is set, and Args begins with the pointer to it.
type Printf struct {
	Format         string
	FormatInMemory bool
	Args           []PrintfArg
}

// PrintfArg is an argument: Regs has one register an element (several for a
// vector). A string is a constant of the module, already read: Str, with IsString set.
// InMemory is set for a pointer that leads to a string where the conversion is %s.
type PrintfArg struct {
	Type     Type
	Regs     []Reg
	IsString bool
	Str      string
	InMemory bool
}

// PointerBits returns the pointer to the start of allocation i (an index into
// Private or Local, or the position of a local pointer parameter behind
// Local) as package memory lays pointers out: the space in the top 4 bits,
// i+1 in the next 20, the offset in the low 40.
func PointerBits(s Space, i int) uint64 {
	return uint64(s)<<60 | uint64(i+1)<<40
}

// MaxSubgroup is the largest sub-group size, in lanes.
const MaxSubgroup = 128

// SubgroupSize says whether sub-groups may have n lanes: a power of two up to MaxSubgroup.
func SubgroupSize(n int) bool { return n > 0 && n <= MaxSubgroup && n&(n-1) == 0 }
