package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// groupAsyncCopies is the one set whose name begins with NonSemantic although its instructions have an
// effect: the prefix makes tools accept it that do not know it. The name without it means the same.
const groupAsyncCopies = "NonSemantic.Codeplay.GroupAsyncCopies"

// checkExtInstNumber checks that OpExtInst names an imported set and a number that the set has.
func (c *checker) checkExtInstNumber(in spirv.Inst) {
	id := spirv.ID(in.Operand(0))
	def, ok := c.index.Def(id)
	if !ok || def.Op() != spirv.OpExtInstImport {
		c.fail("ext-inst-set", in, "%%%d is not an imported instruction set", id)
		return
	}
	set, ok := c.parser.Set(id)
	if !ok {
		return // checkImport judges the name
	}
	if _, ok := set.Inst(in.Operand(1)); !ok && !spirv.NonSemantic(set.Name) {
		c.fail("ext-inst-number", in, "%s has no instruction %d", set.Name, in.Operand(1))
	}
}

// checkExtInst checks the types of an extended instruction in a function.
func (c *checker) checkExtInst(in spirv.Inst) {
	set, ok := c.parser.Set(spirv.ID(in.Operand(0)))
	if !ok || c.effectless(in) {
		return
	}
	ids := c.idRefs(in)[1:] // after the set
	number := in.Operand(1)
	inst, _ := set.Inst(number)
	switch set.Name {
	case "OpenCL.std":
		if int(number) < len(openCLStd) && openCLStd[number] != "" {
			c.checkSignature("ext-inst-type", in, openCLStd[number], ids)
		}
		c.checkVectorMemory(in, number)
	case groupAsyncCopies:
		sig := signature("e p. z. p. z. z. z. z. z. z. e.")
		if number == spirv.CodeplayGroupAsyncCopiesGroupAsyncCopy3D3D {
			sig = "e p. z. p. z. z. z. z. z. z. z. z. z. e."
		}
		c.checkSignature("ext-inst-type", in, sig, ids)
		if dst, src := c.valueType(ids[0]), c.valueType(ids[2]); dst.pointer() && src.pointer() {
			c.checkAsyncPair(in, dst, src)
		}
	default:
		c.fail("ext-inst-set", in, "%s belongs to the instruction set %q, which OpenCL modules cannot use", inst.Name, set.Name)
	}
}

// checkVectorMemory checks what signatures cannot say about vector loads and stores: the literal count
// of components, and that the values are of single or double precision where memory holds half.
func (c *checker) checkVectorMemory(in spirv.Inst, number uint32) {
	switch number {
	case spirv.OpenCLStdVloadn, spirv.OpenCLStdVloadHalfn, spirv.OpenCLStdVloadaHalfn:
		if t := c.typeOf(in.ResultType()); uint64(in.Operand(4)) != uint64(t.count) {
			c.fail("ext-inst-type", in, "the literal number of components is %d, but the result has %d", in.Operand(4), t.count)
		}
	case spirv.OpenCLStdShuffle, spirv.OpenCLStdShuffle2:
		ids := c.idRefs(in)
		result, x, mask := c.typeOf(in.ResultType()), c.valueType(ids[1]), c.valueType(ids[len(ids)-1])
		if x != nil && mask != nil && (x.class != result.class || x.width != result.width || mask.count != result.count) {
			c.fail("ext-inst-type", in, "the vector has type %%%d, the mask type %%%d and the result type %%%d, which do not agree", x.id, mask.id, result.id)
		}
	case spirv.OpenCLStdUUpsample, spirv.OpenCLStdSUpsample:
		ids := c.idRefs(in)
		if result, hi := c.typeOf(in.ResultType()), c.valueType(ids[1]); hi != nil && result.width != 2*hi.width {
			c.fail("ext-inst-type", in, "the operands have %d bits, which is not half of the %d bits of the result", hi.width, result.width)
		}
	case spirv.OpenCLStdSelect:
		ids := c.idRefs(in)
		if result, cond := c.typeOf(in.ResultType()), c.valueType(ids[3]); cond != nil && result.width != cond.width {
			c.fail("ext-inst-type", in, "the condition has elements of %d bits, but the result has elements of %d bits", cond.width, result.width)
		}
	}
}

// openCLStd holds the signatures of OpenCL.std by number (OpenCL Extended Instruction Set, section 2).
var openCLStd = [...]signature{
	spirv.OpenCLStdAcos: "f f=", spirv.OpenCLStdAcosh: "f f=", spirv.OpenCLStdAcospi: "f f=", spirv.OpenCLStdAsin: "f f=",
	spirv.OpenCLStdAsinh: "f f=", spirv.OpenCLStdAsinpi: "f f=", spirv.OpenCLStdAtan: "f f=", spirv.OpenCLStdAtanh: "f f=",
	spirv.OpenCLStdAtanpi: "f f=", spirv.OpenCLStdCbrt: "f f=", spirv.OpenCLStdCeil: "f f=", spirv.OpenCLStdCos: "f f=",
	spirv.OpenCLStdCosh: "f f=", spirv.OpenCLStdCospi: "f f=", spirv.OpenCLStdErfc: "f f=", spirv.OpenCLStdErf: "f f=",
	spirv.OpenCLStdExp: "f f=", spirv.OpenCLStdExp2: "f f=", spirv.OpenCLStdExp10: "f f=", spirv.OpenCLStdExpm1: "f f=",
	spirv.OpenCLStdFabs: "f f=", spirv.OpenCLStdFloor: "f f=", spirv.OpenCLStdLgamma: "f f=", spirv.OpenCLStdLog: "f f=",
	spirv.OpenCLStdLog2: "f f=", spirv.OpenCLStdLog10: "f f=", spirv.OpenCLStdLog1p: "f f=", spirv.OpenCLStdLogb: "f f=",
	spirv.OpenCLStdRint: "f f=", spirv.OpenCLStdRound: "f f=", spirv.OpenCLStdRsqrt: "f f=", spirv.OpenCLStdSin: "f f=",
	spirv.OpenCLStdSinh: "f f=", spirv.OpenCLStdSinpi: "f f=", spirv.OpenCLStdSqrt: "f f=", spirv.OpenCLStdTan: "f f=",
	spirv.OpenCLStdTanh: "f f=", spirv.OpenCLStdTanpi: "f f=", spirv.OpenCLStdTgamma: "f f=", spirv.OpenCLStdTrunc: "f f=",
	spirv.OpenCLStdHalfCos: "f f=", spirv.OpenCLStdHalfExp: "f f=", spirv.OpenCLStdHalfExp2: "f f=", spirv.OpenCLStdHalfExp10: "f f=",
	spirv.OpenCLStdHalfLog: "f f=", spirv.OpenCLStdHalfLog2: "f f=", spirv.OpenCLStdHalfLog10: "f f=", spirv.OpenCLStdHalfRecip: "f f=",
	spirv.OpenCLStdHalfRsqrt: "f f=", spirv.OpenCLStdHalfSin: "f f=", spirv.OpenCLStdHalfSqrt: "f f=", spirv.OpenCLStdHalfTan: "f f=",
	spirv.OpenCLStdNativeCos: "f f=", spirv.OpenCLStdNativeExp: "f f=", spirv.OpenCLStdNativeExp2: "f f=",
	spirv.OpenCLStdNativeExp10: "f f=", spirv.OpenCLStdNativeLog: "f f=", spirv.OpenCLStdNativeLog2: "f f=",
	spirv.OpenCLStdNativeLog10: "f f=", spirv.OpenCLStdNativeRecip: "f f=", spirv.OpenCLStdNativeRsqrt: "f f=",
	spirv.OpenCLStdNativeSin: "f f=", spirv.OpenCLStdNativeSqrt: "f f=", spirv.OpenCLStdNativeTan: "f f=",
	spirv.OpenCLStdDegrees: "f f=", spirv.OpenCLStdRadians: "f f=", spirv.OpenCLStdSign: "f f=",
	spirv.OpenCLStdNormalize: "f f=", spirv.OpenCLStdFastNormalize: "f f=",

	spirv.OpenCLStdAtan2: "f f= f=", spirv.OpenCLStdAtan2pi: "f f= f=", spirv.OpenCLStdCopysign: "f f= f=",
	spirv.OpenCLStdFdim: "f f= f=", spirv.OpenCLStdFmax: "f f= f=", spirv.OpenCLStdFmin: "f f= f=", spirv.OpenCLStdFmod: "f f= f=",
	spirv.OpenCLStdHypot: "f f= f=", spirv.OpenCLStdMaxmag: "f f= f=", spirv.OpenCLStdMinmag: "f f= f=",
	spirv.OpenCLStdNextafter: "f f= f=", spirv.OpenCLStdPow: "f f= f=", spirv.OpenCLStdPowr: "f f= f=",
	spirv.OpenCLStdRemainder: "f f= f=", spirv.OpenCLStdHalfDivide: "f f= f=", spirv.OpenCLStdHalfPowr: "f f= f=",
	spirv.OpenCLStdNativeDivide: "f f= f=", spirv.OpenCLStdNativePowr: "f f= f=", spirv.OpenCLStdFmaxCommon: "f f= f=",
	spirv.OpenCLStdFminCommon: "f f= f=", spirv.OpenCLStdStep: "f f= f=", spirv.OpenCLStdCross: "f f= f=",

	spirv.OpenCLStdFma: "f f= f= f=", spirv.OpenCLStdMad: "f f= f= f=", spirv.OpenCLStdFclamp: "f f= f= f=",
	spirv.OpenCLStdMix: "f f= f= f=", spirv.OpenCLStdSmoothstep: "f f= f= f=",

	spirv.OpenCLStdFract: "f f= po", spirv.OpenCLStdModf: "f f= po", spirv.OpenCLStdSincos: "f f= po",
	spirv.OpenCLStdFrexp: "f f= pO", spirv.OpenCLStdLgammaR: "f f= pO", spirv.OpenCLStdRemquo: "f f= f= pO",
	spirv.OpenCLStdIlogb: "i fc", spirv.OpenCLStdLdexp: "f f= iC", spirv.OpenCLStdPown: "f f= iC", spirv.OpenCLStdRootn: "f f= iC",
	spirv.OpenCLStdNan: "f ic", spirv.OpenCLStdDistance: "F f. f1", spirv.OpenCLStdFastDistance: "F f. f1",
	spirv.OpenCLStdLength: "F f.", spirv.OpenCLStdFastLength: "F f.",

	spirv.OpenCLStdSAbs: "i i=", spirv.OpenCLStdUAbs: "i i=", spirv.OpenCLStdClz: "i i=", spirv.OpenCLStdCtz: "i i=",
	spirv.OpenCLStdPopcount: "i i=",
	spirv.OpenCLStdSAbsDiff: "i i= i=", spirv.OpenCLStdUAbsDiff: "i i= i=", spirv.OpenCLStdSAddSat: "i i= i=",
	spirv.OpenCLStdUAddSat: "i i= i=", spirv.OpenCLStdSHadd: "i i= i=", spirv.OpenCLStdUHadd: "i i= i=", spirv.OpenCLStdSRhadd: "i i= i=",
	spirv.OpenCLStdURhadd: "i i= i=", spirv.OpenCLStdSMax: "i i= i=", spirv.OpenCLStdUMax: "i i= i=", spirv.OpenCLStdSMin: "i i= i=",
	spirv.OpenCLStdUMin: "i i= i=", spirv.OpenCLStdSMulHi: "i i= i=", spirv.OpenCLStdUMulHi: "i i= i=", spirv.OpenCLStdRotate: "i i= i=",
	spirv.OpenCLStdSSubSat: "i i= i=", spirv.OpenCLStdUSubSat: "i i= i=", spirv.OpenCLStdSMul24: "i i= i=", spirv.OpenCLStdUMul24: "i i= i=",
	spirv.OpenCLStdSClamp: "i i= i= i=", spirv.OpenCLStdUClamp: "i i= i= i=", spirv.OpenCLStdSMadHi: "i i= i= i=",
	spirv.OpenCLStdUMadHi: "i i= i= i=", spirv.OpenCLStdSMadSat: "i i= i= i=", spirv.OpenCLStdUMadSat: "i i= i= i=",
	spirv.OpenCLStdSMad24: "i i= i= i=", spirv.OpenCLStdUMad24: "i i= i= i=",
	spirv.OpenCLStdSUpsample: "i ic i1", spirv.OpenCLStdUUpsample: "i ic i1",

	spirv.OpenCLStdVloadn: "n z. pK", spirv.OpenCLStdVstoren: "v n. z. pL",
	spirv.OpenCLStdVloadHalf: "F z. pH", spirv.OpenCLStdVloadHalfn: "f z. pH", spirv.OpenCLStdVloadaHalfn: "f z. pH",
	spirv.OpenCLStdVstoreHalf: "v F. z. pH", spirv.OpenCLStdVstoreHalfR: "v F. z. pH", spirv.OpenCLStdVstoreHalfn: "v f. z. pH",
	spirv.OpenCLStdVstoreHalfnR: "v f. z. pH", spirv.OpenCLStdVstoreaHalfn: "v f. z. pH", spirv.OpenCLStdVstoreaHalfnR: "v f. z. pH",

	spirv.OpenCLStdShuffle: "n n. i.", spirv.OpenCLStdShuffle2: "n n. n1 i.", spirv.OpenCLStdPrintf: "u p. *",
	spirv.OpenCLStdPrefetch: "v p. z.", spirv.OpenCLStdBitselect: "n n= n= n=", spirv.OpenCLStdSelect: "n n= n= ic",
}
