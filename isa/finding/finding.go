package finding

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the kernel did what is undefined or cannot go on
	Warning Severity = "warning" // the result may be right, but not everywhere
)

// Finding is one thing that went wrong in a launch, or the same thing many
// times over at one instruction. Its JSON field names are stable.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	// Message is what happened, in a few words ("out-of-bounds write of 4
	// bytes"), and Detail what is to be said about this occurrence ("c[16] is past
	// the end: c has 16 elements of float (64 bytes)"). A Detail that starts with in
	// or after continues the Message; any other stands below the source.
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"`

	Kernel string `json:"kernel,omitempty"`
	// Object is the memory that it is about.
	Object *Object `json:"object,omitempty"`
	// Access is what was done to the memory, where it was one access.
	Access *Access `json:"access,omitempty"`
	// WorkItem is the first work-item that it happened to.
	WorkItem *WorkItem `json:"work_item,omitempty"`
	// Place is where in the module it happened.
	Place Place `json:"place"`
	// Parties are the others who have a part in it: the other side of a race,
	// the copy that was not waited for, the work-items that wait elsewhere.
	Parties []Party `json:"parties,omitempty"`

	// Notes are further sentences about it, and Help what to do about it.
	Notes []string `json:"notes,omitempty"`
	Help  []string `json:"help,omitempty"`

	// Count is the number of work-items that it happened to, in Groups
	// work-groups; where [Description.Repeats] holds, how often it happened, and where
	// [Description.Bytes] holds, how many bytes of memory it happened to. Both are at least
	// 1 in a list; what is shown is the first occurrence in the order of the schedule.
	Count  uint64 `json:"count"`
	Groups uint64 `json:"groups"`

	// Reproduce has the command line flags that make it happen again.
	Reproduce string `json:"reproduce,omitempty"`
}

// ObjectKind says what kind of memory a finding is about.
type ObjectKind string

// The kinds of objects.
const (
	ObjectArgument ObjectKind = "argument" // a buffer, or local memory, given as an argument
	ObjectVariable ObjectKind = "variable" // a program-scope variable or constant
	ObjectLocal    ObjectKind = "local"    // a work-group's variable in LDS
	ObjectPrivate  ObjectKind = "private"  // a work-item's variable
	ObjectBuffer   ObjectKind = "buffer"   // a buffer of the device that is not an argument
)

// Object is a piece of memory.
type Object struct {
	Kind ObjectKind `json:"kind"`
	// Index is the argument's number from 0; meaningful for arguments only.
	Index int    `json:"index"`
	Name  string `json:"name,omitempty"`
	Bytes uint64 `json:"bytes"`
	// Type is the argument's type in OpenCL C, with its address space.
	Type string `json:"type,omitempty"`
	// Element is the type of the elements and ElementBytes their distance; "" and
	// 0 where they are not known.
	Element      string `json:"element,omitempty"`
	ElementBytes uint64 `json:"element_bytes,omitempty"`
}

// Access is a load, a store or an atomic operation.
type Access struct {
	Operation string `json:"operation"` // "read", "write", "atomic" …
	Bytes     uint64 `json:"bytes"`
	// Offset is the first byte of the access, counted from the object's start; nil
	// where it is not known.
	Offset *int64 `json:"offset,omitempty"`
	// Index is the element that holds that byte; nil where elements are not known.
	Index *int64 `json:"index,omitempty"`
}

// WorkItem is a work-item's place in the launch. Global includes the offset.
type WorkItem struct {
	Global   [3]uint64 `json:"global"`
	Local    [3]uint64 `json:"local"`
	Group    [3]uint64 `json:"group"`
	SubGroup int       `json:"sub_group"`
	Lane     int       `json:"lane"` // in its sub-group
}

// Place is a place in a module.
type Place struct {
	// Word is the offset of the instruction in the module, in 32-bit words; 0
	// when it is not known.
	Word uint32 `json:"word,omitempty"`
	// Instruction is its text, as a disassembler has it, or only its opcode.
	Instruction string `json:"instruction,omitempty"`
	// File, Line and Column (from 1) are what the module's debug information
	// says; empty and 0 where it says nothing. Source is the text of that line.
	File   string `json:"file,omitempty"`
	Line   uint32 `json:"line,omitempty"`
	Column uint32 `json:"column,omitempty"`
	Source string `json:"source,omitempty"`
	// Function is the function that the instruction stands in: the kernel, or one
	// that was inlined. Calls are the calls that brought it there, the innermost
	// first; the last one is in the kernel.
	Function string `json:"function,omitempty"`
	Calls    []Call `json:"calls,omitempty"`
}

// Call is a call that was inlined. Column is 0 where the module's compiler
// inlined it, for modules do not tell it.
type Call struct {
	Function string `json:"function,omitempty"` // that calls
	File     string `json:"file,omitempty"`
	Line     uint32 `json:"line,omitempty"`
	Column   uint32 `json:"column,omitempty"`
	Source   string `json:"source,omitempty"`
}

// Party is somebody else who has a part in a finding.
type Party struct {
	// Does says what the party does or did: "wait", "have ended", "wrote 4
	// bytes at c+64". In the text it follows the work-items.
	Does string `json:"does"`
	// Items are the local linear ids of the party's work-items, within the work-group of
	// the finding; nil when WorkItem says who it is.
	Items Spans `json:"items,omitempty"`
	// WorkItem is the party when it is one work-item, of any group.
	WorkItem *WorkItem `json:"work_item,omitempty"`
	// Place is where the party is or was; it may be empty.
	Place Place `json:"place"`
}
