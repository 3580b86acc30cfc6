package validate

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// section is a part of the logical layout of a module (section 2.4).
type section int

const (
	sectionCapability section = iota
	sectionExtension
	sectionImport
	sectionMemoryModel
	sectionEntryPoint
	sectionExecutionMode
	sectionDebugSource
	sectionDebugName
	sectionDebugProcessed
	sectionAnnotation
	sectionGlobal
	sectionFunction
	sectionNone // the instruction may stand in several
)

func (s section) String() string {
	return [...]string{"capabilities", "extensions", "imported instruction sets", "memory model", "entry points",
		"execution modes", "strings and sources", "names", "processing steps", "decorations",
		"types, constants and variables", "functions"}[s]
}

func sectionOf(op spirv.Op) section {
	switch op {
	case spirv.OpCapability, spirv.OpConditionalCapabilityINTEL:
		return sectionCapability
	case spirv.OpExtension, spirv.OpConditionalExtensionINTEL:
		return sectionExtension
	case spirv.OpExtInstImport:
		return sectionImport
	case spirv.OpMemoryModel:
		return sectionMemoryModel
	case spirv.OpEntryPoint, spirv.OpConditionalEntryPointINTEL:
		return sectionEntryPoint
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		return sectionExecutionMode
	case spirv.OpString, spirv.OpSource, spirv.OpSourceContinued, spirv.OpSourceExtension:
		return sectionDebugSource
	case spirv.OpName, spirv.OpMemberName:
		return sectionDebugName
	case spirv.OpModuleProcessed:
		return sectionDebugProcessed
	case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString,
		spirv.OpDecorationGroup, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		return sectionAnnotation
	case spirv.OpFunction:
		return sectionFunction
	}
	if placeOf(op) == placeModule {
		return sectionGlobal
	}
	return sectionNone
}

// checkSections checks the order of the sections (section 2.4), and that functions without a body come
// before those with one.
func (c *checker) checkSections() {
	reached := sectionCapability
	bodies := false
	for _, in := range c.insts {
		s := sectionOf(in.Op())
		switch {
		case s == sectionNone:
		case s < reached:
			c.fail("section-order", in, "the instruction belongs to the section with the %s, but stands behind the start of the section with the %s", s, reached)
		default:
			reached = s
		}
		if in.Op() == spirv.OpFunction {
			body := len(c.functionOf[in.ResultID()].blocks) > 0
			if bodies && !body {
				c.fail("section-order", in, "functions without a body must stand before those with a body")
			}
			bodies = bodies || body
		}
	}
}

// checkDeclarations checks that what the module uses is in its version of SPIR-V, or that an extension
// is declared that brings it (section 1.7 and the table of each enumerant).
func (c *checker) checkDeclarations() {
	declared := map[string]bool{}
	for _, in := range c.insts {
		if in.Op() == spirv.OpExtension {
			declared[in.StringOperand(0)] = true
		}
	}
	available := func(since, until spirv.Version, extensions []string) bool {
		if since != 0 && since <= c.m.Version && (until == 0 || c.m.Version <= until) {
			return true
		}
		for _, e := range extensions {
			if declared[e] {
				return true
			}
		}
		// What neither a version nor an extension brings comes with its capability.
		return since == 0 && len(extensions) == 0
	}
	for _, in := range c.insts {
		info, _ := in.Op().Info()
		switch {
		case info.Until != 0 && c.m.Version > info.Until:
			c.fail("version", in, "the instruction was removed after version %s, but the module declares version %s", info.Until, c.m.Version)
		case !available(info.Since, info.Until, info.Extensions) && len(info.Capabilities) == 0:
			c.fail("version", in, "the instruction needs version %s, but the module declares version %s", info.Since, c.m.Version)
		}
		if in.Op() != spirv.OpCapability {
			continue
		}
		k := in.Operand(0)
		if e, ok := spirv.KindCapability.Value(k); ok && !available(e.Since, e.Until, e.Extensions) {
			c.fail("version", in, "the capability %s needs %s", e.Name, need(e))
		}
	}
}

// need says what brings a capability.
func need(e *spirv.Enumerant) string {
	if len(e.Extensions) > 0 {
		return "the extension " + e.Extensions[0]
	}
	return "version " + e.Since.String()
}

// checkOrder checks that ids are defined before they are used, in the order of the module, where the
// specification allows no forward reference (section 2.16.1).
func (c *checker) checkOrder() {
	forwardPointers := map[spirv.ID]bool{}
	for at, in := range c.insts {
		op := in.Op()
		switch op {
		case spirv.OpTypeForwardPointer:
			forwardPointers[spirv.ID(in.Operand(0))] = true
			continue
		case spirv.OpEntryPoint, spirv.OpExecutionMode, spirv.OpExecutionModeId, spirv.OpName, spirv.OpMemberName, spirv.OpDecorate,
			spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString, spirv.OpGroupDecorate,
			spirv.OpGroupMemberDecorate, spirv.OpPhi, spirv.OpBranch, spirv.OpLoopMerge, spirv.OpSelectionMerge,
			spirv.OpExtInstWithForwardRefsKHR:
			continue
		case spirv.OpExtInst:
			if c.effectless(in) {
				continue
			}
		}
		n := 0
		for _, o := range c.parse(in) {
			if o.Kind.Category() != spirv.CategoryID || o.Kind == spirv.KindIdResult {
				continue
			}
			want := idAny
			if o.Kind == spirv.KindIdRef {
				want = c.expected(in, n)
				n++
			}
			if c.index.At(o.ID()) < at || want == idLabel || want == idFunction || op == spirv.OpTypeStruct && forwardPointers[o.ID()] {
				continue
			}
			c.fail("id-order", in, "the module uses %%%d before it defines it", o.ID())
		}
	}
}

// checkStrictTypes checks widths, signedness and uniqueness of types (sections 2.8 and 2.16.1).
func (c *checker) checkStrictTypes() {
	for _, in := range c.insts {
		if !isType(in.Op()) || in.Op() == spirv.OpTypeForwardPointer {
			continue
		}
		t := c.typeOf(in.ResultID())
		if t.canon != t.id && t.op != spirv.OpTypePointer && t.op != spirv.OpTypeUntypedPointerKHR {
			c.fail("type-unique", in, "the module declares the same type as %%%d already", t.canon)
		}
		switch t.op {
		case spirv.OpTypeInt:
			if w := t.width; w != 8 && w != 16 && w != 32 && w != 64 && w != 4 && !c.capabilities[spirv.CapabilityArbitraryPrecisionIntegersALTERA] {
				c.fail("int-width-odd", in, "the integer type has %d bits, but must have 8, 16, 32 or 64", w)
			}
			if in.Operand(1) != 0 {
				c.fail("int-signedness", in, "the integer type has signedness 1, but integer types of kernels must have 0")
			}
		case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT:
			if n := t.count; n != 2 && n != 3 && n != 4 && n != 8 && n != 16 {
				c.fail("vector-count", in, "the vector type has %s, but must have 2, 3, 4, 8 or 16", count(int(n), "component"))
			}
		}
	}
}

// checkStrictOperands checks what single instructions ask for beyond what gives them a meaning.
func (c *checker) checkStrictOperands() {
	const orders = spirv.MemorySemanticsAcquire | spirv.MemorySemanticsRelease | spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsSequentiallyConsistent
	for _, l := range c.loose {
		c.fail("operand-loose", l.in, "%s", l.msg)
	}
	for _, in := range c.insts {
		switch in.Op() {
		case spirv.OpUConvert, spirv.OpSConvert, spirv.OpFConvert:
			if t := c.typeOf(in.ResultType()); t.width == c.valueType(spirv.ID(in.Operand(0))).width {
				c.fail("convert-width", in, "the operand %%%d and the result both have %d bits, so that there is nothing to convert", in.Operand(0), t.width)
			}
			continue
		case spirv.OpAny, spirv.OpAll:
			if t := c.valueType(spirv.ID(in.Operand(0))); !t.vector() || t.class != classBool {
				c.fail("operand-loose", in, "the operand %%%d is not a vector of Booleans", in.Operand(0))
			}
			continue
		case spirv.OpExtInst:
			c.checkLooseExtInst(in)
			continue
		case spirv.OpReadPipe, spirv.OpWritePipe, spirv.OpReservedReadPipe, spirv.OpReservedWritePipe, spirv.OpReserveReadPipePackets,
			spirv.OpReserveWritePipePackets, spirv.OpCommitReadPipe, spirv.OpCommitWritePipe, spirv.OpGroupReserveReadPipePackets,
			spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitReadPipe, spirv.OpGroupCommitWritePipe,
			spirv.OpGetNumPipePackets, spirv.OpGetMaxPipePackets, spirv.OpReadPipeBlockingALTERA, spirv.OpWritePipeBlockingALTERA:
			c.checkStrictPipe(in)
		}
		if placeOf(in.Op()) != placeBody {
			continue
		}
		for _, o := range c.parse(in) {
			if o.Kind != spirv.KindIdMemorySemantics {
				continue
			}
			if v, known := c.index.Constant(o.ID()); known && bits.OnesCount32(uint32(v)&uint32(orders)) > 1 {
				c.fail("semantics-order", in, "the memory semantics %s name several orders, but may name only one", spirv.MemorySemantics(v))
			}
		}
	}
}

// checkLooseExtInst finds the scalar exponent of a vector, which the SPIR-V back end of clang emits.
func (c *checker) checkLooseExtInst(in spirv.Inst) {
	set, ok := c.parser.Set(spirv.ID(in.Operand(0)))
	if !ok || set.Name != "OpenCL.std" {
		return
	}
	switch in.Operand(1) {
	case spirv.OpenCLStdLdexp, spirv.OpenCLStdPown, spirv.OpenCLStdRootn:
		if t := c.valueType(spirv.ID(in.Operand(3))); t.count != c.typeOf(in.ResultType()).count {
			c.fail("operand-loose", in, "the exponent %%%d has %s, but the result has %d", in.Operand(3), count(t.count, "component"), c.typeOf(in.ResultType()).count)
		}
	}
}

// checkStrictBlocks checks the places of instructions in blocks and of blocks in functions.
func (c *checker) checkStrictBlocks() {
	called := map[spirv.ID]bool{}
	for _, f := range c.functions {
		for _, call := range f.calls {
			called[spirv.ID(call.Operand(0))] = true
		}
		for i := range f.blocks {
			c.checkBlockOrder(f, i)
			c.checkBlockPlaces(f, i)
		}
	}
	entries := 0
	for _, in := range c.insts {
		if in.Op() == spirv.OpEntryPoint {
			entries++
		}
		if in.Op() == spirv.OpEntryPoint && called[spirv.ID(in.Operand(1))] {
			c.fail("entry-point-called", in, "the call is to %%%d, but entry points must not be called", in.Operand(1))
		}
	}
	if entries == 0 && !c.capabilities[spirv.CapabilityLinkage] {
		c.failModule("entry-point-missing", "the module has no entry point and does not declare the capability Linkage")
	}
}

// checkBlockOrder checks that a block stands after the block that dominates it (section 2.16.2).
func (c *checker) checkBlockOrder(f *function, i int) {
	if d := f.blocks[i].idom; d > i {
		c.fail("block-order", c.insts[f.blocks[i].first], "the block must stand behind block %%%d, which dominates it", f.blocks[d].label)
	}
}

func (c *checker) checkBlockPlaces(f *function, i int) {
	b := &f.blocks[i]
	first := true // only variables so far
	for at := b.first + 1; at <= b.last; at++ {
		in := c.insts[at]
		switch in.Op() {
		case spirv.OpVariable, spirv.OpUntypedVariableKHR:
			if i != 0 || !first {
				c.fail("variable-place", in, "variables of a function must stand at the start of its first block")
			}
		case spirv.OpLine, spirv.OpNoLine, spirv.OpNop, spirv.OpExtInst:
		case spirv.OpPhi:
			c.checkPhiParentsOnce(in)
			first = false
		case spirv.OpLoopMerge, spirv.OpSelectionMerge:
			if at != b.last-1 {
				c.fail("merge-place", in, "a merge instruction must be the last but one of its block")
			}
			first = false
		default:
			first = false
		}
	}
}

// checkPhiParentsOnce checks that an OpPhi names each parent once (section 3.3.17).
func (c *checker) checkPhiParentsOnce(in spirv.Inst) {
	seen := map[uint32]bool{}
	for ops := in.Operands(); len(ops) >= 2; ops = ops[2:] {
		if seen[ops[1]] {
			c.fail("phi-parent-once", in, "OpPhi names the parent %%%d twice", ops[1])
		}
		seen[ops[1]] = true
	}
}
