package validate

// Level says which modules a rule is for.
type Level uint8

// The levels.
const (
	Load   Level = iota // what must hold for a module to be loaded
	Strict              // what the specification asks for beyond that
)

// String gives "load" or "strict".
func (l Level) String() string {
	if l == Strict {
		return "strict"
	}
	return "load"
}

// Rule is a rule that a module can break. Names never change their meaning.
type Rule struct {
	Name    string
	Level   Level
	Section string // of the SPIR-V Specification; "env" for the OpenCL SPIR-V Environment Specification
	Text    string // what the rule asks for
}

// Rules gives every rule, those of level Load first, each level in the order of checking. The slice is
// the caller's.
func Rules() []Rule { return append([]Rule(nil), rules[:]...) }

var rules = [...]Rule{
	{"header", Load, "2.3", "The id bound is above 0 and the instruction schema is 0."},
	{"instruction-unknown", Load, "3.3", "Every opcode is that of a known instruction."},
	{"grammar", Load, "2.3", "Instructions have the operands of the grammar, no more and no fewer."},
	{"enumerant", Load, "3.2", "Values and bits of enumerations are known."},
	{"ext-inst-number", Load, "3.3.4", "The imported instruction set has the instruction."},
	{"ext-inst-set", Load, "3.3.4", "OpExtInst uses an imported instruction set, and one that is known and of OpenCL."},
	{"id-bound", Load, "2.3", "Ids are above 0 and below the bound in the header."},
	{"id-unique", Load, "2.16.1", "No id is defined twice."},
	{"id-defined", Load, "2.16.1", "Every id is defined."},
	{"id-kind", Load, "2.16.1", "Ids name what the operand asks for: types, values, labels, functions and so on."},
	{"placement", Load, "2.4", "Instructions stand in a block or outside functions, where they belong."},
	{"function-frame", Load, "2.4", "Functions are OpFunction, parameters, blocks and OpFunctionEnd, one after the other."},
	{"block-terminator", Load, "2.2.5", "Blocks end in a branch, a return or OpUnreachable."},
	{"capability-kernel", Load, "env 2.2", "The module declares the capability Kernel."},
	{"memory-model", Load, "2.16.1", "There is one OpMemoryModel: Physical32 or Physical64, and OpenCL."},
	{"capability-missing", Load, "3.2.31", "What instructions, operands and widths need is among the declared capabilities."},
	{"capability-extension", Load, "3.2.31", "The capabilities of SPV_INTEL_subgroups, SPV_INTEL_media_block_io and SPV_INTEL_blocking_pipes are declared together with the extension."},
	{"type-forward", Load, "3.3.6", "OpTypeForwardPointer names a pointer type of its storage class."},
	{"type-recursion", Load, "2.8", "No type contains itself except behind a pointer: parts are declared first."},
	{"int-width", Load, "3.3.6", "Integers have 1 to 64 bits."},
	{"float-width", Load, "3.3.6", "Floating-point types have 16, 32 or 64 bits."},
	{"type-vector", Load, "3.3.6", "Vectors have 2 to 16 scalar components."},
	{"type-matrix", Load, "SPV_KHR_cooperative_matrix", "Cooperative matrices have numbers as components, and constants say how many."},
	{"type-array", Load, "3.3.6", "Arrays have elements of a size, and an integer constant of at least 1 as length."},
	{"type-member", Load, "3.3.6", "Members of structures have a size."},
	{"type-function", Load, "3.3.6", "Function types return void or a value, and take values."},
	{"type-image", Load, "env 2.4", "Image types are among those of OpenCL."},
	{"storage-class", Load, "env 2.5", "Storage classes are among those of OpenCL."},
	{"scope-semantics", Load, "3.2.27", "Scopes and memory semantics are 32-bit integers; constant ones have values of the enumeration."},
	{"constant-type", Load, "3.3.7", "Constants have the type that their instruction makes."},
	{"pipe-storage", Load, "3.3.23", "Pipe storages have packets of at least one byte, whose alignment divides their size."},
	{"constant-operand", Load, "3.3.7", "Constants are made of constants that stand before them, and of module-scope variables."},
	{"constant-operation", Load, "3.3.7", "OpSpecConstantOp carries out one of the operations allowed for kernels."},
	{"variable-type", Load, "3.3.8", "Variables have a pointer type, to a type with a size."},
	{"variable-storage", Load, "3.3.8", "The storage class of a variable is that of its type: Function in functions only, Generic never."},
	{"variable-initializer", Load, "3.3.8", "Initializers are constants or module-scope variables of the type of the variable."},
	{"builtin-type", Load, "env 2.9", "Built-in variables are Input or UniformConstant, and have the components of the built-in."},
	{"function-type", Load, "3.3.9", "Functions and parameters agree with the function type."},
	{"function-body", Load, "2.4", "Functions have a body, or are imported."},
	{"param-byval", Load, "3.2.19", "Parameters that are passed by value are pointers to a type with a size."},
	{"branch-condition", Load, "3.3.17", "Conditions of branches are Boolean; branch weights are two or none."},
	{"switch-selector", Load, "3.3.17", "Selectors are integers, and no switch has a literal twice."},
	{"branch-target", Load, "3.3.17", "Branches and merge instructions name blocks of their function."},
	{"branch-entry", Load, "2.16.2", "Nothing branches to the first block of a function."},
	{"return-type", Load, "3.3.17", "Returns agree with the type of the function."},
	{"phi-place", Load, "3.3.17", "OpPhi stands at the start of its block."},
	{"phi-type", Load, "3.3.17", "The values of an OpPhi have the type of its result."},
	{"phi-parents", Load, "3.3.17", "An OpPhi has one value for each block that branches to its block, and for no other."},
	{"operand-type", Load, "3.3", "Operands and results have the types that the instruction asks for."},
	{"ext-inst-type", Load, "3.3.4", "Operands and results of extended instructions have the types that the set asks for."},
	{"storage-write", Load, "3.2.7", "Nothing writes to UniformConstant and Input."},
	{"atomic-storage", Load, "env 2.8", "Atomic instructions work on memory that can be shared, or on Function and Private."},
	{"async-copy", Load, "3.3.21", "Asynchronous copies go between Workgroup and CrossWorkgroup."},
	{"access-qualifier", Load, "3.2.18", "Images and pipes are used as their access qualifier allows."},
	{"dominance", Load, "2.16.1", "Definitions dominate their uses."},
	{"call-signature", Load, "3.3.9", "Calls agree with the function that they name."},
	{"recursion", Load, "env 2.2", "No function calls itself, directly or through others."},
	{"entry-point", Load, "3.3.5", "Entry points are kernels with a name of their own, a body and no result; interfaces hold variables."},
	{"execution-mode", Load, "3.3.5", "Execution modes are those of an entry point, and ids among them are integer constants."},
	{"section-order", Strict, "2.4", "The sections of the module, and functions without a body, stand in order."},
	{"version", Strict, "1.7", "What is used is in the version of the module, or in an extension that it declares."},
	{"id-order", Strict, "2.16.1", "Ids are defined before they are used, where no forward reference is allowed."},
	{"type-unique", Strict, "2.8", "No type but structures, arrays and pointers is declared twice."},
	{"int-width-odd", Strict, "env 2.3", "Integers have 8, 16, 32 or 64 bits."},
	{"int-signedness", Strict, "env 2.3", "Integers are declared with signedness 0."},
	{"vector-count", Strict, "2.16.1", "Vectors have 2, 3, 4, 8 or 16 components."},
	{"convert-width", Strict, "3.3.11", "Conversions between integers, or between floating-point numbers, change the width."},
	{"operand-loose", Strict, "3.3.15", "OpAny and OpAll take vectors of Booleans; ldexp, pown and rootn take as many exponents as components; access chains point to what their indices lead to; OpConstantNull has no words behind; pipes are made from pipe storages; casts are not between Booleans and integers; pointers are converted and compared one by one; built-in variables are Input; variables outside functions are not Function; OpCompositeExtract takes components that a vector has."},
	{"pipe-operand", Strict, "3.3.23", "Pipe instructions give integers of 32 bits and take generic pointers; the alignment of a packet divides its size."},
	{"semantics-order", Strict, "3.2.27", "Memory semantics ask for one order at most."},
	{"block-order", Strict, "2.16.2", "Blocks stand after the block that dominates them."},
	{"variable-place", Strict, "2.4", "Variables of a function stand at the start of its first block."},
	{"merge-place", Strict, "3.3.17", "A merge instruction is the last but one of its block."},
	{"phi-parent-once", Strict, "3.3.17", "An OpPhi names each parent once."},
	{"entry-point-missing", Strict, "2.16.1", "A module without entry points declares the capability Linkage."},
	{"entry-point-interface", Strict, "3.3.5", "Entry points list the Input variables that they use, and from version 1.4 on all variables of the module that they use."},
	{"atomic-capability", Strict, "3.2.31", "64-bit atomics are declared with the capability Int64Atomics."},
	{"entry-point-called", Strict, "2.16.1", "No entry point is the target of a call."},
}
