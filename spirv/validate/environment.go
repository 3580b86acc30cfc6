package validate

import (
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// checkEnvironment checks what a module says about itself: capabilities, memory model, imported
// instruction sets (OpenCL SPIR-V environment specification, sections 2.1 to 2.3).
func (c *checker) checkEnvironment() {
	c.gatherCapabilities()
	if !c.capabilities[spirv.CapabilityKernel] {
		c.failModule("capability-kernel", "the module does not declare the capability Kernel; only OpenCL modules are supported")
	}
	c.checkExtensions()
	c.checkMemoryModel()
	for _, in := range c.insts {
		if in.Op() == spirv.OpExtInstImport {
			c.checkImport(in)
		}
	}
	if len(c.errs) > 0 {
		return
	}
	for _, in := range c.insts {
		c.checkCapabilities(in)
	}
}

// gatherCapabilities closes the declared capabilities under implication (section 3.2.31).
func (c *checker) gatherCapabilities() {
	var todo []spirv.Capability
	for _, in := range c.insts {
		if in.Op() == spirv.OpCapability {
			todo = append(todo, spirv.Capability(in.Operand(0)))
		}
	}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.capabilities[k] {
			continue
		}
		c.capabilities[k] = true
		if e, ok := spirv.KindCapability.Value(uint32(k)); ok {
			todo = append(todo, e.Capabilities...)
		}
		if k == spirv.CapabilityBlockingPipesALTERA {
			todo = append(todo, spirv.CapabilityPipes) // SPV_INTEL_blocking_pipes; the grammar does not say it
		}
	}
}

// checkExtensions refuses the capabilities of Intel's sub-group extensions, and of blocking pipes, in
// modules that do not declare the extension: environments accept them from no others
// (cl_intel_spirv_subgroups, section 7.1.X; SPV_INTEL_blocking_pipes, "the following OpExtension must be
// present"). Of other capabilities every driver takes the declaration as enough.
func (c *checker) checkExtensions() {
	declared := map[string]bool{}
	for _, in := range c.insts {
		if in.Op() == spirv.OpExtension {
			declared[in.StringOperand(0)] = true
		}
	}
	for _, in := range c.insts {
		if in.Op() != spirv.OpCapability {
			continue
		}
		switch k := spirv.Capability(in.Operand(0)); k {
		case spirv.CapabilitySubgroupShuffleINTEL, spirv.CapabilitySubgroupBufferBlockIOINTEL,
			spirv.CapabilitySubgroupImageBlockIOINTEL, spirv.CapabilitySubgroupImageMediaBlockIOINTEL, spirv.CapabilityBlockingPipesALTERA:
			e, _ := spirv.KindCapability.Value(uint32(k))
			if !slices.ContainsFunc(e.Extensions, func(x string) bool { return declared[x] }) {
				c.fail("capability-extension", in, "the capability %s needs the extension %s, which the module does not declare", k, strings.Join(e.Extensions, " or "))
			}
		}
	}
}

func (c *checker) checkMemoryModel() {
	n := 0
	for _, in := range c.insts {
		if in.Op() != spirv.OpMemoryModel {
			continue
		}
		n++
		if n > 1 {
			c.fail("memory-model", in, "the module has two OpMemoryModel instructions")
			continue
		}
		switch a := spirv.AddressingModel(in.Operand(0)); a {
		case spirv.AddressingModelPhysical32:
			c.addressBits = 32
		case spirv.AddressingModelPhysical64:
			c.addressBits = 64
		default:
			c.fail("memory-model", in, "the addressing model is %s, but OpenCL modules have Physical32 or Physical64", a)
		}
		if mm := spirv.MemoryModel(in.Operand(1)); mm != spirv.MemoryModelOpenCL {
			c.fail("memory-model", in, "the memory model is %s, but OpenCL modules have OpenCL", mm)
		}
	}
	if n == 0 {
		c.failModule("memory-model", "the module has no OpMemoryModel")
	}
}

// checkImport refuses extended instruction sets that nobody knows the meaning of. Sets whose
// instructions have no effect may be unknown.
func (c *checker) checkImport(in spirv.Inst) {
	name := in.StringOperand(0)
	set, ok := spirv.LookupExtInstSet(name)
	if !ok && !spirv.NonSemantic(name) {
		c.fail("ext-inst-set", in, "the extended instruction set %q is not known", clip(name))
	}
	// "The library can only be imported when the Kernel capability is specified."
	if ok && set.Name == groupAsyncCopies && !c.capabilities[spirv.CapabilityKernel] {
		c.fail("capability-kernel", in, "the extended instruction set %q needs the capability Kernel", name)
	}
}

// enabled reports whether one of the capabilities of a list is declared or implied.
func (c *checker) enabled(list []spirv.Capability) bool {
	for _, k := range list {
		if c.capabilities[k] {
			return true
		}
	}
	return len(list) == 0
}

// checkCapabilities checks that an instruction and the values among its operands are enabled.
func (c *checker) checkCapabilities(in spirv.Inst) {
	info, _ := in.Op().Info()
	if !c.enabled(info.Capabilities) && !(in.Op() == spirv.OpMatrixTimesScalar && c.capabilities[spirv.CapabilityCooperativeMatrixKHR]) {
		c.fail("capability-missing", in, "the instruction needs the capability %s", oneOf(info.Capabilities))
	}
	switch in.Op() {
	case spirv.OpExtInst:
		if c.effectless(in) {
			return
		}
	case spirv.OpCapability, spirv.OpConditionalCapabilityINTEL:
		return // the capabilities of a capability are those it implies
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		c.checkWidthCapability(in)
	case spirv.OpTypeVector:
		if n := in.Operand(1); n > 4 && !c.enabled([]spirv.Capability{spirv.CapabilityVector16, spirv.CapabilityLongVectorEXT}) {
			c.fail("capability-missing", in, "a vector of %d components needs the capability Vector16", n)
		}
	}
	if _, _, ok := plain(in); ok {
		return // an alignment needs no capability
	}
	for _, o := range c.parse(in) {
		switch o.Kind.Category() {
		case spirv.CategoryValueEnum:
			c.checkEnumerantCapability(in, o.Kind, o.Words[0])
		case spirv.CategoryBitEnum:
			for bit := range 32 {
				if mask := uint32(1) << bit; o.Words[0]&mask != 0 {
					c.checkEnumerantCapability(in, o.Kind, mask)
				}
			}
		}
	}
}

func (c *checker) checkEnumerantCapability(in spirv.Inst, kind spirv.OperandKind, value uint32) {
	e, ok := kind.Value(value)
	if !ok || c.enabled(e.Capabilities) {
		return
	}
	c.fail("capability-missing", in, "%s %s needs the capability %s", kind, e.Name, oneOf(e.Capabilities))
}

// checkWidthCapability checks sections 3.3.6, OpTypeInt and OpTypeFloat. Widths that no capability
// stands for are a matter of int-width.
func (c *checker) checkWidthCapability(in spirv.Inst) {
	var need []spirv.Capability
	width := in.Operand(0)
	switch {
	case in.Op() == spirv.OpTypeInt && width == 8:
		need = []spirv.Capability{spirv.CapabilityInt8}
	case in.Op() == spirv.OpTypeInt && width == 16:
		need = []spirv.Capability{spirv.CapabilityInt16}
	case in.Op() == spirv.OpTypeInt && width == 64:
		need = []spirv.Capability{spirv.CapabilityInt64}
	case in.Op() == spirv.OpTypeFloat && width == 16 && len(in.Operands()) == 1:
		need = []spirv.Capability{spirv.CapabilityFloat16, spirv.CapabilityFloat16Buffer}
	case in.Op() == spirv.OpTypeFloat && width == 64:
		need = []spirv.Capability{spirv.CapabilityFloat64}
	}
	if !c.enabled(need) {
		c.fail("capability-missing", in, "a width of %d needs the capability %s", width, oneOf(need))
	}
}

// oneOf lists capabilities of which one is enough.
func oneOf(list []spirv.Capability) string {
	s := ""
	for i, k := range list {
		if i > 0 {
			s += " or "
		}
		s += k.String()
	}
	return s
}
