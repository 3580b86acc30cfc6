package gen

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// builtin emits a call of a built-in function, and returns its value, 0 for void.
func (f *fn) builtin(c *tree.CallBuiltin) spirv.ID {
	var list [16]spirv.ID
	args := list[:0]
	for _, x := range c.Args {
		args = append(args, f.value(x))
	}
	f.at(c.Pos)
	f.halves(c.Sig)
	d := c.Sig.Def
	e := &d.Emit
	for _, x := range e.Caps {
		f.capability(x)
	}
	if e.Ext != "" {
		f.extension(e.Ext)
	}
	r := c.Sig.Result.Type
	switch e.Kind {
	case builtin.Std:
		f.widen(c, args)
		return f.ext(uint32(f.variant(c)), f.typeOf(r), args...)
	case builtin.Op:
		return f.op(spirv.Op(f.variant(c)), f.typeOf(r), args...)
	case builtin.Relation:
		t := c.Sig.Params[0].Type
		v := f.op(spirv.Op(e.Float), f.boolType(t.Lanes()), args...)
		if t.IsVector() {
			return f.boolToMask(v, r)
		}
		return f.boolToInt(v, r)
	case builtin.WorkItem:
		return f.workItem(c, args)
	case builtin.Group, builtin.Vote:
		return f.group(c, args)
	case builtin.Atomic:
		return f.atomic(c, args)
	case builtin.Import:
		return f.callImport(c, args)
	case builtin.None:
		return 0
	}
	return f.builtinCode(c, args)
}

// halves declares what computing with values of type half needs, if the function does.
func (f *fn) halves(s *builtin.Sig) {
	if s.Result.Type.Component().Kind == types.HalfKind {
		f.capability(spirv.CapabilityFloat16)
	}
	for _, p := range s.Params {
		if p.Component().Kind == types.HalfKind {
			f.capability(spirv.CapabilityFloat16)
		}
	}
}

// variant returns the instruction for the type of the first argument.
func (f *fn) variant(c *tree.CallBuiltin) uint16 {
	e := &c.Sig.Def.Emit
	if len(c.Sig.Params) == 0 {
		return e.Float
	}
	t := c.Sig.Params[0].Type
	if t.IsPointer() {
		t = t.Elem.Type
	}
	switch {
	case t.HasFloat():
		return e.Float
	case t.IsSigned():
		return e.Signed
	}
	return e.Unsigned
}

// widen makes vectors of scalar arguments where the result is a vector: its instruction has no scalars.
func (f *fn) widen(c *tree.CallBuiltin, args []spirv.ID) {
	n := c.Sig.Result.Type.Lanes()
	if n == 1 {
		return
	}
	for i, p := range c.Sig.Params {
		if p.IsArithmetic() {
			args[i] = f.splat(args[i], f.types.Vector(p.Base(), n), isConstant(c.Args[i]))
		}
	}
}

// splat returns a vector of one value; constant says that the value is a constant, so that the vector is one too.
func (f *fn) splat(v spirv.ID, to *types.Type, constant bool) spirv.ID {
	if constant {
		return f.splatConst(f.typeOf(to), v, to.Lanes())
	}
	var list [16]spirv.ID
	parts := list[:to.Lanes()]
	for i := range parts {
		parts[i] = v
	}
	return f.op(spirv.OpCompositeConstruct, f.typeOf(to), parts...)
}

// literal returns the value of an argument that is an integer constant.
func literal(e tree.Expr) (uint64, bool) {
	for {
		switch x := e.(type) {
		case *tree.IntLit:
			return x.Value, true
		case *tree.Convert:
			if x.Kind != tree.Integer && x.Kind != tree.NoOp || x.Type.Bits() != x.X.Info().Type.Bits() {
				return 0, false
			}
			e = x.X
		default:
			return 0, false
		}
	}
}

// workItem reads a built-in variable, of which a dimension is asked for if there is an argument.
func (f *fn) workItem(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	e := &c.Sig.Def.Emit
	r := c.Sig.Result.Type
	load := func(t *types.Type) spirv.ID {
		v := f.inputVar(spirv.BuiltIn(e.Float), f.typeOf(t))
		return f.op(spirv.OpLoad, f.typeOf(t), v, spirv.ID(spirv.MemoryAccessAligned),
			spirv.ID(f.types.AlignOf(t)))
	}
	if len(args) == 0 {
		return load(r)
	}
	all := f.types.Vector(r, 3)
	if d, ok := literal(c.Args[0]); ok {
		if d > 2 {
			return f.intConst(r, e.Other)
		}
		return f.op(spirv.OpCompositeExtract, f.typeOf(r), load(all), spirv.ID(d))
	}
	v := load(all)
	there := f.op(spirv.OpULessThan, f.boolType(1), args[0], f.bitsConst(32, 3))
	d := f.op(spirv.OpSelect, f.intType(32), there, args[0], f.bitsConst(32, 0))
	v = f.op(spirv.OpVectorExtractDynamic, f.typeOf(r), v, d)
	return f.op(spirv.OpSelect, f.typeOf(r), there, v, f.intConst(r, e.Other))
}

// callImport calls a function that the module imports.
func (f *fn) callImport(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	s := c.Sig
	types := []uint32{uint32(f.typeOf(s.Result.Type))}
	for _, p := range s.Params {
		types = append(types, uint32(f.typeOf(p.Type)))
	}
	name := importName(s, f.types.Config.AddressBits)
	id := f.byName[name]
	if id == 0 {
		if f.byName == nil {
			f.byName = map[string]spirv.ID{}
		}
		id = f.module.id()
		f.byName[name] = id
		f.declarations.op(spirv.OpFunction, types[0], uint32(id), 0, uint32(f.list(spirv.OpTypeFunction,
			false, types)))
		for _, p := range types[1:] {
			f.declarations.op(spirv.OpFunctionParameter, p, uint32(f.module.id()))
		}
		f.declarations.op(spirv.OpFunctionEnd)
		f.name(id, s.Name)
		f.linkage(id, name, spirv.LinkageTypeImport)
	}
	return f.op(spirv.OpFunctionCall, f.typeOf(s.Result.Type), append([]spirv.ID{id}, args...)...)
}

// importName returns the name that a function has in the modules which lockstep takes: LLVM's for AMDGPU's
// operations, else the mangled one.
func importName(s *builtin.Sig, bits int) string {
	if name, ok := strings.CutPrefix(s.Name, "__builtin_amdgcn_"); ok {
		name = "llvm.amdgcn." + strings.ReplaceAll(name, "_", ".")
		switch {
		case !strings.HasSuffix(name, ".to.lds"):
		case s.Params[0].Elem.Space() == types.Generic:
			name += ".p0"
		default:
			name += ".p1"
		}
		return name
	}
	// async_work_group_copy_2D2D and _3D3D: two pointers, then sizes.
	size := "m"
	if bits == 32 {
		size = "j"
	}
	dst, src := "PU3AS3v", "PU3AS1Kv"
	if s.Params[0].Elem.Space() == types.Global {
		dst, src = "PU3AS1v", "PU3AS3Kv"
	}
	return "_Z26" + s.Name + dst + size + src + strings.Repeat(size, len(s.Params)-4) + "9ocl_event"
}
