package gen

import (
	"math"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// builtinCode emits the functions that are neither one instruction nor of a family.
func (f *fn) builtinCode(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	name := c.Sig.Name
	r := c.Sig.Result.Type
	switch {
	case strings.HasPrefix(name, "convert_"):
		return f.conversion(c, args[0])
	case strings.HasPrefix(name, "as_"):
		return f.asType(args[0], c.Sig.Params[0].Type, r)
	case strings.HasPrefix(name, "vload"), strings.HasPrefix(name, "vstore"):
		return f.vectorMove(c, args)
	case strings.HasPrefix(name, "dot"), strings.HasPrefix(name, "arm_dot"):
		return f.dot(c, args)
	case strings.HasPrefix(name, "intel_work_group_barrier_"):
		f.splitBarrier(c, args)
		return 0
	case strings.HasSuffix(name, "barrier"), strings.HasSuffix(name, "fence") && name != "get_fence":
		f.barrier(c, args)
		return 0
	case strings.HasPrefix(name, "atom"):
		return f.atomicCode(c, args)
	case strings.HasPrefix(name, "read_image"), strings.HasPrefix(name, "write_image"),
		strings.HasPrefix(name, "get_image"):
		return f.image(c, args)
	case strings.HasPrefix(name, "intel_sub_group_"):
		return f.blockIO(c, args)
	case strings.HasSuffix(name, "_pipe"), strings.HasPrefix(name, "get_pipe_"):
		return f.pipe(c, args)
	}
	switch name {
	case "nan":
		return f.ext(spirv.OpenCLStdNan, f.typeOf(r), args...)
	case "any", "all":
		t := c.Sig.Params[0].Type
		v := f.op(spirv.OpSLessThan, f.boolType(t.Lanes()), args[0], f.null(f.typeOf(t)))
		if t.IsVector() {
			o := spirv.OpAny
			if name == "all" {
				o = spirv.OpAll
			}
			v = f.op(o, f.boolType(1), v)
		}
		return f.boolToInt(v, r)
	case "select":
		t := c.Sig.Params[2].Type
		o := spirv.OpINotEqual
		if t.IsVector() {
			o = spirv.OpSLessThan
		}
		cond := f.op(o, f.boolType(t.Lanes()), args[2], f.null(f.typeOf(t)))
		return f.op(spirv.OpSelect, f.typeOf(r), cond, args[1], args[0])
	case "printf":
		return f.ext(spirv.OpenCLStdPrintf, f.typeOf(r), args...)
	case "to_global", "to_local", "to_private":
		f.capability(spirv.CapabilityGenericPointer)
		return f.op(spirv.OpGenericCastToPtrExplicit, f.typeOf(r), args[0], spirv.ID(class(r.Elem.Space())))
	case "get_fence":
		// The bits of the address spaces in memory semantics are those of fence flags, eight places further up.
		f.capability(spirv.CapabilityGenericPointer)
		v := f.op(spirv.OpGenericPtrMemSemantics, f.typeOf(r), args[0])
		return f.op(spirv.OpShiftRightLogical, f.typeOf(r), v, f.bitsConst(32, 8))
	case "async_work_group_copy", "async_work_group_strided_copy":
		f.capability(spirv.CapabilityKernel)
		stride := f.intConst(f.types.Size, 1)
		if len(args) == 5 {
			stride = args[3]
		}
		return f.op(spirv.OpGroupAsyncCopy, f.typeOf(r), f.scopeConst(spirv.ScopeWorkgroup), args[0],
			args[1], args[2], stride, args[len(args)-1])
	case "wait_group_events":
		f.do(spirv.OpGroupWaitEvents, f.scopeConst(spirv.ScopeWorkgroup), args[0], args[1])
		return 0
	case "is_valid_reserve_id":
		f.capability(spirv.CapabilityPipes)
		return f.op(spirv.OpIsValidReserveId, f.typeOf(r), args...)
	case "work_group_all", "work_group_any", "sub_group_all", "sub_group_any":
		f.capability(spirv.CapabilityGroups)
		scope, o := spirv.ScopeWorkgroup, spirv.OpGroupAny
		if name[0] == 's' {
			scope = spirv.ScopeSubgroup
		}
		if strings.HasSuffix(name, "all") {
			o = spirv.OpGroupAll
		}
		v := f.op(o, f.boolType(1), f.scopeConst(scope), f.isNot0(args[0], c.Sig.Params[0].Type))
		return f.boolToInt(v, r)
	case "work_group_broadcast":
		f.capability(spirv.CapabilityGroups)
		at := args[1]
		if n := len(args) - 1; n > 1 {
			at = f.op(spirv.OpCompositeConstruct, f.typeOf(f.types.Vector(f.types.Size, n)), args[1:]...)
		}
		return f.op(spirv.OpGroupBroadcast, f.typeOf(r), f.scopeConst(spirv.ScopeWorkgroup), args[0], at)
	}
	if rest, ok := strings.CutPrefix(name, "__builtin_"); ok {
		return f.clangBuiltin(c, rest, args)
	}
	f.fail(c.Pos, "the built-in function '%s' is not supported", name)
	return f.undef(f.typeOf(f.types.Int))
}

// clangBuiltin is a function that compilers of C have; name is what stands behind __builtin_.
func (f *fn) clangBuiltin(c *tree.CallBuiltin, name string, args []spirv.ID) spirv.ID {
	r := c.Sig.Result.Type
	switch {
	case name == "expect", name == "expect_with_probability":
		return args[0]
	case name == "memcpy", name == "memmove", name == "memset":
		return f.memoryCall(c, name, args)
	case name == "shufflevector":
		operands := args[:2:2]
		for _, x := range c.Args[2:] {
			v, _ := literal(x)
			operands = append(operands, spirv.ID(uint32(v)))
		}
		return f.op(spirv.OpVectorShuffle, f.typeOf(r), operands...)
	case name == "unreachable", name == "trap":
		f.do(spirv.OpUnreachable)
		f.block = 0
		return 0
	case strings.HasPrefix(name, "inf"), strings.HasPrefix(name, "huge_val"): // package sema folds calls of these
		return f.floatConst(r, math.Inf(1))
	case strings.HasPrefix(name, "nan"):
		return f.floatConst(r, math.NaN())
	case strings.HasPrefix(name, "bswap"):
		n := r.Bits() / 8
		v := f.types.Vector(f.types.UChar, n)
		order := []uint8{7, 6, 5, 4, 3, 2, 1, 0}
		x := f.op(spirv.OpBitcast, f.typeOf(v), args[0])
		return f.op(spirv.OpBitcast, f.typeOf(r), f.shuffle(x, v, order[8-n:]))
	}
	t := c.Sig.Params[0].Type
	switch {
	case strings.HasSuffix(name, "abs"):
		return f.ext(spirv.OpenCLStdSAbs, f.typeOf(r), args...)
	case strings.HasPrefix(name, "rotateright"):
		args[1] = f.op(spirv.OpSNegate, f.typeOf(t), args[1])
		return f.ext(spirv.OpenCLStdRotate, f.typeOf(r), args...)
	case strings.HasPrefix(name, "rotate"):
		return f.ext(spirv.OpenCLStdRotate, f.typeOf(r), args...)
	case strings.HasPrefix(name, "parity"):
		n := f.resize(f.ext(spirv.OpenCLStdPopcount, f.typeOf(t), args...), t, r)
		return f.op(spirv.OpBitwiseAnd, f.typeOf(r), n, f.intConst(r, 1))
	case strings.HasPrefix(name, "ffs"):
		n := f.resize(f.ext(spirv.OpenCLStdCtz, f.typeOf(t), args...), t, r)
		n = f.op(spirv.OpIAdd, f.typeOf(r), n, f.intConst(r, 1))
		return f.op(spirv.OpSelect, f.typeOf(r), f.isNot0(args[0], t), n, f.intConst(r, 0))
	}
	inst := map[string]uint32{"pop": spirv.OpenCLStdPopcount, "clz": spirv.OpenCLStdClz,
		"ctz": spirv.OpenCLStdCtz}[name[:3]]
	return f.resize(f.ext(inst, f.typeOf(t), args...), t, r)
}

// scopeConst returns the constant of a scope.
func (f *fn) scopeConst(s spirv.Scope) spirv.ID { return f.bitsConst(32, uint64(s)) }

// conversion is convert_TYPE.
func (f *fn) conversion(c *tree.CallBuiltin, v spirv.ID) spirv.ID {
	conv, _ := builtin.ParseConversion(c.Sig.Name)
	from, to := c.Sig.Params[0].Type, c.Sig.Result.Type
	if from == to {
		return v
	}
	a, b := from.Component(), to.Component()
	op := spirv.OpNop
	switch {
	case a.IsInteger() && b.IsInteger():
		switch {
		case conv.Sat && a.IsSigned() != b.IsSigned():
			if op = spirv.OpSatConvertUToS; a.IsSigned() {
				op = spirv.OpSatConvertSToU
			}
			return f.op(op, f.typeOf(to), v)
		case !conv.Sat || a.Bits() <= b.Bits():
			return f.resizeVector(v, from, to)
		}
		if op = spirv.OpUConvert; a.IsSigned() {
			op = spirv.OpSConvert
		}
		v = f.op(op, f.typeOf(to), v)
		f.decorate(v, spirv.DecorationSaturatedConversion)
		return v
	case a.IsInteger():
		if op = spirv.OpConvertUToF; a.IsSigned() {
			op = spirv.OpConvertSToF
		}
	case b.IsInteger():
		if op = spirv.OpConvertFToU; b.IsSigned() {
			op = spirv.OpConvertFToS
		}
	default:
		op = spirv.OpFConvert
	}
	v = f.op(op, f.typeOf(to), v)
	if conv.Sat {
		f.decorate(v, spirv.DecorationSaturatedConversion)
	}
	if mode, ok := roundings[conv.Round]; ok {
		f.decorate(v, spirv.DecorationFPRoundingMode, uint32(mode))
	}
	return v
}

// roundings are the rounding modes by the last part of a function's name.
var roundings = map[string]spirv.FPRoundingMode{
	"rte": spirv.FPRoundingModeRTE, "rtz": spirv.FPRoundingModeRTZ, "rtp": spirv.FPRoundingModeRTP,
	"rtn": spirv.FPRoundingModeRTN,
}

// asType is as_TYPE, which takes pointers too.
func (f *fn) asType(v spirv.ID, from, to *types.Type) spirv.ID {
	if from.IsPointer() {
		v, from = f.op(spirv.OpConvertPtrToU, f.typeOf(f.types.Size), v), f.types.Size
	}
	return f.reinterpret(v, from, to)
}

// vectorMove is a vector load or store.
func (f *fn) vectorMove(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	name, s := c.Sig.Name, c.Sig
	load := s.Result.Kind != types.VoidKind
	n := 1
	if load {
		n = s.Result.Lanes()
	} else {
		n = s.Params[0].Lanes()
	}
	half := strings.Contains(name, "_half")
	aligned := strings.HasPrefix(name, "vloada") || strings.HasPrefix(name, "vstorea")
	var inst uint32
	if load {
		switch {
		case aligned:
			inst = spirv.OpenCLStdVloadaHalfn
		case half && n == 1:
			return f.ext(spirv.OpenCLStdVloadHalf, f.typeOf(s.Result.Type), args...)
		case half:
			inst = spirv.OpenCLStdVloadHalfn
		default:
			inst = spirv.OpenCLStdVloadn
		}
		return f.ext(inst, f.typeOf(s.Result.Type), args[0], args[1], spirv.ID(n))
	}
	mode, rounded := spirv.FPRoundingMode(0), false
	if i := strings.LastIndexByte(name, '_'); i >= 0 {
		mode, rounded = roundings[name[i+1:]]
	}
	pick := func(plain, r uint32) {
		if inst = plain; rounded {
			inst = r
			args = append(args, spirv.ID(mode))
		}
	}
	switch {
	case aligned:
		pick(spirv.OpenCLStdVstoreaHalfn, spirv.OpenCLStdVstoreaHalfnR)
	case half && n == 1:
		pick(spirv.OpenCLStdVstoreHalf, spirv.OpenCLStdVstoreHalfR)
	case half:
		pick(spirv.OpenCLStdVstoreHalfn, spirv.OpenCLStdVstoreHalfnR)
	default:
		inst = spirv.OpenCLStdVstoren
	}
	f.ext(inst, f.typeOf(f.types.Void), args...)
	return 0
}

// dot is the dot product of floats, or of bytes.
func (f *fn) dot(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	name, t, r := c.Sig.Name, c.Sig.Params[0].Type, c.Sig.Result.Type
	typ := f.typeOf(r)
	if t.HasFloat() {
		if t.IsVector() {
			return f.op(spirv.OpDot, typ, args...)
		}
		return f.op(spirv.OpFMul, typ, args...)
	}
	f.extension("SPV_KHR_integer_dot_product")
	f.capability(spirv.CapabilityDotProduct)
	x, y := t.IsSigned(), c.Sig.Params[1].IsSigned()
	if _, packed, ok := strings.Cut(name, "4x8packed_"); ok {
		f.capability(spirv.CapabilityDotProductInput4x8BitPacked)
		x, y = packed[0] == 's', packed[1] == 's'
		args = append(args, spirv.ID(spirv.PackedVectorFormatPackedVectorFormat4x8Bit))
	} else if t.Bits() == 8 {
		f.capability(spirv.CapabilityDotProductInput4x8Bit)
	} else {
		f.capability(spirv.CapabilityDotProductInputAll)
	}
	if y && !x { // the signed factor comes first
		args[0], args[1] = args[1], args[0]
	}
	ops := [...]spirv.Op{spirv.OpUDot, spirv.OpSUDot, spirv.OpSDot}
	sum := spirv.ID(0)
	if name == "arm_dot_acc" {
		args, sum = args[:2], args[2]
	}
	if strings.Contains(name, "dot_acc_sat") {
		ops = [...]spirv.Op{spirv.OpUDotAccSat, spirv.OpSUDotAccSat, spirv.OpSDotAccSat}
	}
	n := 0
	for _, signed := range []bool{x, y} {
		if signed {
			n++
		}
	}
	v := f.op(ops[n], typ, args...)
	if sum != 0 {
		v = f.op(spirv.OpIAdd, typ, v, sum)
	}
	return v
}

// blockIO is a block read or write of Intel's sub-groups, of a buffer or of an image.
func (f *fn) blockIO(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	f.extension("SPV_INTEL_subgroups")
	name, r := c.Sig.Name, c.Sig.Result.Type
	read := r.Kind != types.VoidKind
	pick := func(r, w spirv.Op) spirv.Op {
		if read {
			return r
		}
		return w
	}
	var o spirv.Op
	switch {
	case strings.HasPrefix(name, "intel_sub_group_media_"):
		f.extension("SPV_INTEL_media_block_io")
		f.capability(spirv.CapabilitySubgroupImageMediaBlockIOINTEL)
		o = pick(spirv.OpSubgroupImageMediaBlockReadINTEL, spirv.OpSubgroupImageMediaBlockWriteINTEL)
		// The image is the last argument and the first operand.
		last := len(args) - 1
		args = append([]spirv.ID{args[last]}, args[:last]...)
	case c.Sig.Params[0].Kind == types.ImageKind:
		f.capability(spirv.CapabilitySubgroupImageBlockIOINTEL)
		o = pick(spirv.OpSubgroupImageBlockReadINTEL, spirv.OpSubgroupImageBlockWriteINTEL)
	default:
		f.capability(spirv.CapabilitySubgroupBufferBlockIOINTEL)
		o = pick(spirv.OpSubgroupBlockReadINTEL, spirv.OpSubgroupBlockWriteINTEL)
	}
	if read {
		return f.op(o, f.typeOf(r), args...)
	}
	f.do(o, args...)
	return 0
}

// pipe is a function of pipes. Instructions take the size and alignment of a packet behind the arguments.
func (f *fn) pipe(c *tree.CallBuiltin, args []spirv.ID) spirv.ID {
	f.capability(spirv.CapabilityPipes)
	packet := c.Sig.Params[0].Elem.Type
	f.memoryType(packet)
	args = append(args, f.bitsConst(32, uint64(f.types.SizeOf(packet))), f.bitsConst(32,
		uint64(f.types.AlignOf(packet))))
	name := c.Sig.Name
	scope := spirv.Scope(0)
	if rest, ok := strings.CutPrefix(name, "work_group_"); ok {
		name, scope = rest, spirv.ScopeWorkgroup
	} else if rest, ok := strings.CutPrefix(name, "sub_group_"); ok {
		name, scope = rest, spirv.ScopeSubgroup
	}
	ops := map[string][2]spirv.Op{
		"read_pipe":            {spirv.OpReadPipe, spirv.OpReservedReadPipe},
		"write_pipe":           {spirv.OpWritePipe, spirv.OpReservedWritePipe},
		"reserve_read_pipe":    {spirv.OpReserveReadPipePackets, spirv.OpGroupReserveReadPipePackets},
		"reserve_write_pipe":   {spirv.OpReserveWritePipePackets, spirv.OpGroupReserveWritePipePackets},
		"commit_read_pipe":     {spirv.OpCommitReadPipe, spirv.OpGroupCommitReadPipe},
		"commit_write_pipe":    {spirv.OpCommitWritePipe, spirv.OpGroupCommitWritePipe},
		"get_pipe_num_packets": {spirv.OpGetNumPipePackets},
		"get_pipe_max_packets": {spirv.OpGetMaxPipePackets},
	}[name]
	o := ops[0]
	if scope != 0 {
		o = ops[1]
		args = append([]spirv.ID{f.scopeConst(scope)}, args...)
	} else if len(args) == 6 {
		o = ops[1]
	}
	if r := c.Sig.Result.Type; r.Kind != types.VoidKind {
		return f.op(o, f.typeOf(r), args...)
	}
	f.do(o, args...)
	return 0
}
