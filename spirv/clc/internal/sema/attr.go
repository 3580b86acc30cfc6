package sema

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Attr is one attribute of __attribute__((...)).
type Attr struct {
	Name string // without the underscores around it
	Pos  source.Pos
	Args []AttrArg
}

// AttrArg is an argument of an attribute: an expression or a type.
type AttrArg struct {
	X    tree.Expr
	Type types.Qual
	Pos  source.Pos
}

// AttrShape says how the arguments of an attribute are read.
type AttrShape uint8

// The shapes.
const (
	UnknownAttr AttrShape = iota // warned about, its arguments skipped
	IgnoredAttr                  // known, of no meaning here, its arguments skipped
	ExprAttr                     // expressions
	TypeAttr                     // one type
)

// AttrName returns the name of an attribute without underscores around it.
func AttrName(spelling string) string {
	if len(spelling) > 4 && strings.HasPrefix(spelling, "__") && strings.HasSuffix(spelling, "__") {
		return spelling[2 : len(spelling)-2]
	}
	return spelling
}

// Shape returns how the arguments of an attribute are read.
func Shape(name string) AttrShape {
	switch name {
	case "reqd_work_group_size", "work_group_size_hint", "intel_reqd_sub_group_size", "opencl_unroll_hint", "aligned",
		"ext_vector_type", "vector_size", "packed", "overloadable", "always_inline", "noinline", "unused", "pure",
		"const", "convergent", "noreturn", "warn_unused_result", "fallthrough", "address_space", "nosvm", "deprecated",
		"opencl_global", "opencl_local", "opencl_constant", "opencl_private", "opencl_generic", "maybe_unused":
		return ExprAttr
	case "vec_type_hint":
		return TypeAttr
	case "alias", "annotate", "alloc_size", "artificial", "assume_aligned", "cold", "constructor", "destructor",
		"diagnose_if", "enable_if", "error", "flatten", "format", "format_arg", "gnu_inline", "hot", "ifunc", "kernel",
		"leaf", "malloc", "may_alias", "minsize", "mode", "no_builtin", "no_instrument_function", "no_sanitize",
		"nodebug", "nomerge", "nonnull", "nothrow", "optnone", "returns_nonnull", "returns_twice", "section",
		"sentinel", "tls_model", "transparent_union", "type_visibility", "unavailable", "used", "visibility", "warning",
		"weak", "weakref", "cleanup", "common", "nocommon", "noduplicate", "noescape", "nocf_check", "availability",
		"enum_extensibility", "flag_enum", "designated_init", "no_split_stack", "no_stack_protector",
		"no_profile_instrument_function", "stdcall", "cdecl", "naked", "pass_object_size", "internal_linkage",
		"loader_uninitialized", "not_tail_called", "disable_tail_calls", "musttail", "nomips16", "xray_never_instrument",
		"xray_always_instrument", "amdgpu_flat_work_group_size", "amdgpu_waves_per_eu", "amdgpu_num_sgpr",
		"amdgpu_num_vgpr", "opencl_intel_required_subgroup_size":
		return IgnoredAttr
	}
	return UnknownAttr
}

// UnknownAttribute says that an attribute is not known.
func (c *Checker) UnknownAttribute(name string, pos source.Pos) {
	c.Diags.Warnf("unknown-attributes", pos, "unknown attribute '%s' ignored", name)
}

// argCount checks how many arguments an attribute has.
func (c *Checker) argCount(a *Attr, low, high int) bool {
	n := len(a.Args)
	if n >= low && n <= high {
		return true
	}
	plural := func(n int) string {
		if n == 1 {
			return ""
		}
		return "s"
	}
	switch {
	case low == high && low == 0:
		c.Diags.Errorf(a.Pos, "'%s' attribute takes no arguments", a.Name)
	case low == high && low == 1:
		c.Diags.Errorf(a.Pos, "'%s' attribute takes one argument", a.Name)
	case low == high:
		c.Diags.Errorf(a.Pos, "'%s' attribute requires exactly %d argument%s", a.Name, low, plural(low))
	case n > high:
		c.Diags.Errorf(a.Pos, "'%s' attribute takes no more than %d argument%s", a.Name, high, plural(high))
	default:
		c.Diags.Errorf(a.Pos, "'%s' attribute takes at least %d argument%s", a.Name, low, plural(low))
	}
	return false
}

// argInt returns a constant argument of an attribute.
func (c *Checker) argInt(a *Attr, i int) (int64, bool) {
	x := a.Args[i].X
	if x == nil || x.Info().Type.IsInvalid() {
		return 0, false
	}
	if x.Info().Type.IsInteger() {
		if v, ok := c.FoldInt(x); ok {
			return int64(v), true
		}
	}
	if len(a.Args) == 1 {
		c.Diags.Errorf(a.Args[i].Pos, "'%s' attribute requires an integer constant", a.Name)
	} else {
		c.Diags.Errorf(a.Args[i].Pos, "'%s' attribute requires parameter %d to be an integer constant", a.Name, i)
	}
	return 0, false
}

// alignment returns what an attribute aligned asks for.
func (c *Checker) alignment(a *Attr) int64 {
	if !c.argCount(a, 0, 1) {
		return 0
	}
	if len(a.Args) == 0 {
		return 16 // what clang calls the greatest useful alignment of SPIR
	}
	n, ok := c.argInt(a, 0)
	if !ok {
		return 0
	}
	switch {
	case n <= 0 || n&(n-1) != 0:
		c.Diags.Errorf(a.Args[0].Pos, "requested alignment is not a power of 2")
		return 0
	case n > 1<<32:
		c.Diags.Errorf(a.Args[0].Pos, "requested alignment must be 4294967296 bytes or smaller")
		return 0
	}
	return n
}

// ignored says that an attribute has no meaning where it stands.
func (c *Checker) ignored(a *Attr) {
	switch a.Name {
	case "packed":
		c.Diags.Warnf("ignored-attributes", a.Pos, "'%s' attribute ignored", a.Name)
	case "overloadable":
		c.Diags.Errorf(a.Pos, "'%s' attribute only applies to functions", a.Name)
	case "opencl_unroll_hint":
		c.Diags.Errorf(a.Pos, "'%s' attribute cannot be applied to a declaration", a.Name)
	case "reqd_work_group_size", "work_group_size_hint", "vec_type_hint", "intel_reqd_sub_group_size", "noinline",
		"pure", "const", "noreturn":
		c.Diags.Warnf("ignored-attributes", a.Pos, "'%s' attribute only applies to functions", a.Name)
	}
}

// tagAttrs applies attributes to a structure or union.
func (c *Checker) tagAttrs(s *types.Struct, attrs []Attr) {
	for i := range attrs {
		a := &attrs[i]
		switch a.Name {
		case "packed":
			s.Packed = true
		case "aligned":
			s.MinAlign = max(s.MinAlign, c.alignment(a))
		default:
			c.ignored(a)
		}
	}
}

// fieldAttrs applies attributes to a member.
func (c *Checker) fieldAttrs(f *types.Field, attrs []Attr) {
	for i := range attrs {
		a := &attrs[i]
		switch a.Name {
		case "packed":
			f.Packed = true
		case "aligned":
			f.Align = max(f.Align, c.alignment(a))
		default:
			c.ignored(a)
		}
	}
}

// varAttrs applies attributes to a variable or parameter.
func (c *Checker) varAttrs(v *tree.Var, attrs []Attr) {
	for i := range attrs {
		a := &attrs[i]
		switch a.Name {
		case "unused", "maybe_unused":
			v.MaybeUnused = true
		case "aligned":
			v.Align = max(v.Align, c.alignment(a))
		case "nosvm":
			c.Diags.Warnf("ignored-attributes", a.Pos,
				"'nosvm' attribute is deprecated and ignored in OpenCL C version %s", c.versionName())
		default:
			c.ignored(a)
		}
	}
}

// typeAttrs applies those attributes that make another type: ext_vector_type, vector_size, address spaces.
func (c *Checker) typeAttrs(t types.Qual, attrs []Attr) types.Qual {
	for i := range attrs {
		a := &attrs[i]
		switch a.Name {
		case "ext_vector_type", "vector_size":
			if c.argCount(a, 1, 1) {
				t.Type = c.vectorAttr(t.Type, a)
			}
		case "opencl_global":
			t.Q = c.addSpace(t.Q, types.Global, a.Pos)
		case "opencl_local":
			t.Q = c.addSpace(t.Q, types.Local, a.Pos)
		case "opencl_constant":
			t.Q = c.addSpace(t.Q, types.Constant, a.Pos)
		case "opencl_private":
			t.Q = c.addSpace(t.Q, types.Private, a.Pos)
		case "opencl_generic":
			t.Q = c.addSpace(t.Q, types.Generic, a.Pos)
		case "address_space":
			c.Diags.Errorf(a.Pos, "numbered address spaces are not supported: write __global, __local or __constant")
		}
	}
	return t
}

// vectorAttr returns the vector that ext_vector_type (a number of components) or vector_size (of bytes) makes.
func (c *Checker) vectorAttr(elem *types.Type, a *Attr) *types.Type {
	n, ok := c.argInt(a, 0)
	if !ok || elem.IsInvalid() {
		return elem
	}
	if !elem.IsArithmetic() || elem.Kind == types.EnumKind || elem.Kind == types.BoolKind {
		c.Diags.Errorf(a.Pos, "invalid vector element type '%s'", elem)
		return elem
	}
	if a.Name == "vector_size" {
		size := c.Types.SizeOf(elem)
		if n%size != 0 {
			c.Diags.Errorf(a.Pos, "vector size not an integral multiple of component size")
			return elem
		}
		n /= size
	}
	switch n {
	case 0:
		c.Diags.Errorf(a.Pos, "zero vector size")
		return elem
	case 2, 3, 4, 8, 16:
		return c.Types.Vector(elem, int(n))
	}
	c.Diags.Errorf(a.Pos, "vectors of %d components are not supported: OpenCL C has 2, 3, 4, 8 and 16", n)
	return elem
}

// funcAttrs applies attributes to a function. Those that only kernels have are checked at the end of the unit.
func (c *Checker) funcAttrs(f *tree.Func, attrs []Attr) {
	for i := range attrs {
		a := &attrs[i]
		switch a.Name {
		case "reqd_work_group_size":
			c.sizeAttr(f, a, &f.Attrs.ReqdSize)
		case "work_group_size_hint":
			c.sizeAttr(f, a, &f.Attrs.SizeHint)
		case "intel_reqd_sub_group_size":
			c.subGroupAttr(f, a)
		case "vec_type_hint":
			c.hintAttr(f, a)
		case "overloadable": // DeclareFunc has looked for it
		case "always_inline":
			f.Attrs.AlwaysInline = true
		case "noinline":
			f.Attrs.NoInline = true
		case "pure":
			f.Attrs.Pure = true
		case "const":
			f.Attrs.ConstFn = true
		case "convergent":
			f.Attrs.Convergent = true
		case "noreturn":
			f.Attrs.NoReturn = true
		case "unused", "maybe_unused":
			f.Attrs.Unused = true
		case "deprecated":
			f.Attrs.Deprecated = true
		case "warn_unused_result":
			f.Attrs.MustUse = true
		case "aligned":
			c.alignment(a)
		default:
			c.ignored(a)
		}
	}
}

// kernelOnly reports an attribute of a function that is no kernel.
func (c *Checker) kernelOnly(f *tree.Func, a *Attr) bool {
	if f.Kernel {
		return true
	}
	c.Diags.Errorf(f.Pos, "attribute '%s' can only be applied to an OpenCL kernel function", a.Name)
	return false
}

func (c *Checker) twice(a *Attr) {
	c.Diags.Warnf("ignored-attributes", a.Pos, "attribute '%s' is already applied with different arguments", a.Name)
}

// size32 returns a constant argument of an attribute that is greater than 0.
func (c *Checker) size32(a *Attr, i int) (uint32, bool) {
	n, ok := c.argInt(a, i)
	switch {
	case !ok:
		return 0, false
	case n == 0:
		c.Diags.Errorf(a.Pos, "'%s' attribute must be greater than 0", a.Name)
		return 0, false
	case n < 0:
		c.Diags.Errorf(a.Args[i].Pos,
			"'%s' attribute requires a non-negative integral compile time constant expression", a.Name)
		return 0, false
	case n > 1<<32-1:
		c.Diags.Errorf(a.Args[i].Pos, "integer constant expression evaluates to value %d that cannot be represented "+
			"in a 32-bit unsigned integer type", n)
		return 0, false
	}
	return uint32(n), true
}

func (c *Checker) sizeAttr(f *tree.Func, a *Attr, to *[3]uint32) {
	if !c.argCount(a, 3, 3) || !c.kernelOnly(f, a) {
		return
	}
	var v [3]uint32
	for i := range v {
		n, ok := c.size32(a, i)
		if !ok {
			return
		}
		v[i] = n
	}
	if to[0] != 0 && *to != v {
		c.twice(a)
	}
	*to = v
}

func (c *Checker) subGroupAttr(f *tree.Func, a *Attr) {
	if !c.argCount(a, 1, 1) || !c.kernelOnly(f, a) {
		return
	}
	n, ok := c.size32(a, 0)
	if !ok {
		return
	}
	if f.Attrs.SubGroupSize != 0 && f.Attrs.SubGroupSize != n {
		c.twice(a)
	}
	f.Attrs.SubGroupSize = n
}

func (c *Checker) hintAttr(f *tree.Func, a *Attr) {
	if !c.argCount(a, 1, 1) || !c.kernelOnly(f, a) {
		return
	}
	t := a.Args[0].Type
	if t.Type == nil {
		c.Diags.Errorf(a.Args[0].Pos, "expected a type")
		return
	}
	if t.IsInvalid() {
		return
	}
	if !t.IsVector() && !t.IsArithmetic() || t.Component().Kind == types.BoolKind {
		c.Diags.Errorf(a.Pos, "a non-vector or non-vectorizable scalar type is an invalid argument to attribute "+
			"'vec_type_hint'")
		return
	}
	if old := f.Attrs.VecTypeHint; old.Type != nil && old.Type != t.Type {
		c.twice(a)
	}
	f.Attrs.VecTypeHint = t.Unqual()
}

// hasAttr reports whether an attribute is among others.
func hasAttr(attrs []Attr, name string) bool {
	for i := range attrs {
		if attrs[i].Name == name {
			return true
		}
	}
	return false
}

// UnrollHint returns what opencl_unroll_hint asks for, as tree.Loop.Unroll has it.
func (c *Checker) UnrollHint(a *Attr) int64 {
	if !c.argCount(a, 0, 1) {
		return 0
	}
	if len(a.Args) == 0 {
		return -1
	}
	x := a.Args[0].X
	if x == nil || x.Info().Type.IsInvalid() {
		return 0
	}
	n, ok := uint64(0), false
	if x.Info().Type.IsInteger() {
		n, ok = c.FoldInt(x)
	}
	if !ok || int64(n) <= 0 || int64(n) > 1<<31-1 {
		c.Diags.Errorf(a.Args[0].Pos, "'%s' attribute requires a positive integral compile time constant expression",
			a.Name)
		return 0
	}
	return int64(n)
}
