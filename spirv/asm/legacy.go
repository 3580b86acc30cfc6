package asm

import "github.com/lockstep-gpu/lockstep/spirv"

// The grammar keeps most names that were renamed as aliases. These are names that
// stood in an earlier revision of it, for the same value, and that it has dropped.
var (
	legacyOps = map[string]spirv.Op{
		"OpConstFunctionPointerINTEL": spirv.OpConstantFunctionPointerINTEL,
		"OpFunctionPointerINTEL":      spirv.OpConstantFunctionPointerINTEL,
		"OpExtInstWithForwardRefs":    spirv.OpExtInstWithForwardRefsKHR,
	}
	legacyEnumerants = map[spirv.OperandKind]map[string]string{
		spirv.KindCapability: {
			"FPMaxErrorDecorationINTEL":  "FPMaxErrorINTEL",
			"LongConstantCompositeINTEL": "LongCompositesINTEL",
		},
		spirv.KindDecoration: {
			"FPMaxErrorINTEL": "FPMaxErrorDecorationINTEL",
		},
		spirv.KindCooperativeMatrixOperands: {
			"None":                         "NoneKHR",
			"MatrixASignedComponents":      "MatrixASignedComponentsKHR",
			"MatrixBSignedComponents":      "MatrixBSignedComponentsKHR",
			"MatrixCSignedComponents":      "MatrixCSignedComponentsKHR",
			"MatrixResultSignedComponents": "MatrixResultSignedComponentsKHR",
			"SaturatingAccumulation":       "SaturatingAccumulationKHR",
		},
	}
)

// lookupOp finds an instruction by any of its names.
func lookupOp(name string) (spirv.Op, bool) {
	if op, ok := spirv.LookupOp(name); ok {
		return op, true
	}
	op, ok := legacyOps[name]
	return op, ok
}

// lookupEnumerant finds an enumerant by any of its names.
func lookupEnumerant(kind spirv.OperandKind, name string) (*spirv.Enumerant, bool) {
	if e, ok := kind.Named(name); ok {
		return e, true
	}
	if current, ok := legacyEnumerants[kind][name]; ok {
		return kind.Named(current)
	}
	return nil, false
}
