package tree

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Stmt is a statement.
type Stmt interface {
	// Place is where the statement begins.
	Place() source.Pos
}

// At is the place of a statement.
type At struct{ Pos source.Pos }

// Place returns the place.
func (a At) Place() source.Pos { return a.Pos }

// Block is { ... }: a scope.
type Block struct {
	At
	List []Stmt
	End  source.Pos // of the closing brace
	// NoContract says that FP_CONTRACT is off for what stands in the block itself.
	NoContract bool
}

// Null is an empty statement.
type Null struct {
	At
	Fallthrough bool // __attribute__((fallthrough)): for warnings
}

// ExprStmt is an expression whose value is thrown away.
type ExprStmt struct {
	At
	X Expr
}

// DeclStmt declares variables of a function. Variables of the storages StaticVar and LocalVar are in Unit.Vars too.
type DeclStmt struct {
	At
	Vars []*Var
}

// If is if (Cond) Then else Else; Else may be nil. Conditions are scalars, here and below.
type If struct {
	At
	Cond       Expr
	Then, Else Stmt
}

// Loop is any loop. A for has Init (nil, DeclStmt or ExprStmt), Cond (nil: for ever) and Post (or nil); a while has
// Cond; a do has Cond and After.
type Loop struct {
	At
	Init   Stmt
	Cond   Expr
	Post   Expr
	Body   Stmt
	After  bool  // Cond is tested behind the body
	For    bool  // written as for
	Unroll int64 // from opencl_unroll_hint and #pragma unroll: 0 nothing, 1 do not, n times, -1 as the compiler likes, -2 whole
	End    source.Pos
}

// Switch is a switch. Its labels are in Cases, and also in Body where they stand, at any depth.
type Switch struct {
	At
	X     Expr // an integer, promoted
	Body  Stmt
	Cases []*Case
}

// Case is a label of a switch with the statement behind it: case Low:, case Low ... High: or default:. Values are
// converted to the type of Switch.X, extended to 64 bits as its sign says.
type Case struct {
	At
	Default   bool
	Low, High uint64
	Stmt      Stmt
}

// Break leaves the innermost loop or switch.
type Break struct{ At }

// Continue goes on with the innermost loop.
type Continue struct{ At }

// Label is a label with the statement behind it.
type Label struct {
	At
	Name string
	Stmt Stmt
}

// Goto goes to a label of the function.
type Goto struct {
	At
	Label *Label
}

// Return leaves the function; X is nil or has the function's result type.
type Return struct {
	At
	X Expr
}

// Storage is where a variable lives.
type Storage uint8

// The storages.
const (
	AutoVar   Storage = iota // in a function, private
	ParamVar                 // a parameter
	StaticVar                // at program scope, or static in a function: global or constant
	LocalVar                 // local: one for each work-group, whichever function declares it
	ExternVar                // at program scope, defined in another module
)

// Var is a variable or parameter.
type Var struct {
	Name  string
	Type  types.Qual // with the address space that it lives in
	Init  Expr       // of the variable's unqualified type; nil for none
	Align int64      // from attributes; 0 for none
	Func  *Func      // the function that declares it, nil at program scope

	// TypeName is the type of a parameter as it is written, if SizeDependent is set: typedefs stay,
	// qualifiers of what is pointed to are left out ("size_t*").
	TypeName string
	// Written is the name that Type, or what it is made of, is written by; nil for none.
	Written *types.Typedef
	Pos     source.Pos

	// Gen and ID are package gen's: the number of a variable of Unit.Vars, and the id of a variable of a function.
	Gen int32
	ID  uint32
	num int32 // in packed bodies; 0 for none yet

	Storage Storage
	Static  bool // not visible to other modules
	// SizeDependent says that the type is written with size_t or its kin.
	SizeDependent bool
	// MaybeUnused is __attribute__((unused)).
	MaybeUnused bool
	// WasArray says that a parameter, which is a pointer, is written as an array.
	WasArray bool

	// Used and Assigned are for warnings; Taken says that the address is taken.
	Used, Assigned, Taken bool
}

// Attrs are the attributes of a function.
type Attrs struct {
	ReqdSize, SizeHint [3]uint32 // reqd_work_group_size, work_group_size_hint; 0 for none
	VecTypeHint        types.Qual
	SubGroupSize       uint32 // intel_reqd_sub_group_size
	AlwaysInline       bool
	NoInline           bool
	Pure, ConstFn      bool
	Convergent         bool
	NoReturn, Unused   bool
	Deprecated         bool
	MustUse            bool // warn_unused_result
}

// Func is a function of the program.
type Func struct {
	Name   string
	Symbol string // the name in the module: mangled for overloadable functions, else Name
	Type   *types.Type
	Pos    source.Pos
	Params []*Var // of the definition, else of the first declaration
	Body   *Block // nil without definition, and while it is packed: see Unit.Unpack
	Kernel bool
	Static bool
	Inline bool
	Extern bool
	Attrs  Attrs
	Labels []*Label
	Used   bool
	End    source.Pos

	// Overloadable says that the function may share its name with others.
	Overloadable bool
	// Calls has a CallSite for each function that the body calls, in the order of the first calls.
	Calls []CallSite

	// KernelCalled says that a kernel is called by other functions as well.
	KernelCalled bool

	// Gen is package gen's.
	Gen int

	packed string // the body, once Unit.Pack has packed it
	num    int32  // in packed bodies; 0 for none yet
}

// Defined reports whether the function has a body.
func (f *Func) Defined() bool { return f.Body != nil || f.packed != "" }

// CallSite is the first call of a function in another one, or in itself.
type CallSite struct {
	Func *Func
	Pos  source.Pos
}

// Unit is a translation unit.
type Unit struct {
	Files *source.Set
	Types *types.Table
	Vars  []*Var  // StaticVar, LocalVar and ExternVar, in the order in which they are declared
	Funcs []*Func // in the order in which they are first declared

	// Arena has the tree of the function at hand.
	Arena Arena

	packer packer
}
