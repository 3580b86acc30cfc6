package mux

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// SPIRVDeviceInfo says which modules a device takes (spirv::DeviceInfo).
type SPIRVDeviceInfo struct {
	// Capabilities that a module may declare, and Extensions and ExtInstImports that it may
	// name. What a capability implies may be declared with it.
	Capabilities   []spirv.Capability
	Extensions     []string
	ExtInstImports []string

	AddressingModel spirv.AddressingModel
	MemoryModel     spirv.MemoryModel

	// Limits that the execution modes of a module are held to; 0 is no limit.
	MaxWorkGroupSize uint64
	MaxWorkItemSizes [3]uint64
	// SubGroupSize is the only one that a module may require; 0 for any.
	SubGroupSize uint32
}

// capabilities are those that the compiler knows the instructions of.
var capabilities = []spirv.Capability{
	spirv.CapabilityAddresses, spirv.CapabilityLinkage, spirv.CapabilityKernel, spirv.CapabilityVector16,
	spirv.CapabilityFloat16Buffer, spirv.CapabilityInt64, spirv.CapabilityInt64Atomics, spirv.CapabilityInt16, spirv.CapabilityInt8,
	spirv.CapabilityImageBasic, spirv.CapabilityImageReadWrite, spirv.CapabilityImageMipmap, spirv.CapabilityLiteralSampler,
	spirv.CapabilityImage1D, spirv.CapabilitySampled1D, spirv.CapabilityImageBuffer, spirv.CapabilitySampledBuffer, spirv.CapabilityGroups, spirv.CapabilityGenericPointer,
	spirv.CapabilitySubgroupDispatch, spirv.CapabilityPipes, spirv.CapabilityPipeStorage, spirv.CapabilityBlockingPipesALTERA,
	spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote, spirv.CapabilityGroupNonUniformArithmetic,
	spirv.CapabilityGroupNonUniformBallot, spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative,
	spirv.CapabilityGroupNonUniformClustered, spirv.CapabilityGroupNonUniformRotateKHR, spirv.CapabilityGroupNonUniformPartitionedNV,
	spirv.CapabilitySubgroupBallotKHR, spirv.CapabilitySubgroupVoteKHR, spirv.CapabilityGroupUniformArithmeticKHR,
	spirv.CapabilitySubgroupShuffleINTEL, spirv.CapabilitySubgroupBufferBlockIOINTEL, spirv.CapabilitySubgroupImageBlockIOINTEL,
	spirv.CapabilitySubgroupImageMediaBlockIOINTEL, spirv.CapabilityUntypedPointersKHR,
	spirv.CapabilityExpectAssumeKHR, spirv.CapabilityDotProduct, spirv.CapabilityDotProductInputAll, spirv.CapabilityDotProductInput4x8Bit,
	spirv.CapabilityDotProductInput4x8BitPacked, spirv.CapabilityKernelAttributesINTEL,
}

// extensions and instruction sets that the compiler knows. Sets whose names begin with
// NonSemantic. change nothing and are always allowed.
var (
	extensions = []string{
		"SPV_INTEL_blocking_pipes", "SPV_INTEL_kernel_attributes", "SPV_INTEL_media_block_io", "SPV_INTEL_subgroups", "SPV_KHR_expect_assume", "SPV_KHR_integer_dot_product", "SPV_KHR_linkonce_odr",
		"SPV_KHR_no_integer_wrap_decoration", "SPV_KHR_non_semantic_info", "SPV_KHR_shader_ballot", "SPV_KHR_subgroup_rotate",
		"SPV_KHR_subgroup_vote", "SPV_KHR_uniform_group_instructions", "SPV_KHR_untyped_pointers", "SPV_NV_shader_subgroup_partitioned",
	}
	extInstImports = []string{"Codeplay.GroupAsyncCopies", "OpenCL.DebugInfo.100", "OpenCL.std"}
)

// SPIRV returns which modules the compiler takes for the device.
func (d *DeviceInfo) SPIRV() SPIRVDeviceInfo {
	s := SPIRVDeviceInfo{
		Capabilities: slices.Clone(capabilities), Extensions: slices.Clone(extensions), ExtInstImports: slices.Clone(extInstImports),
		AddressingModel: spirv.AddressingModelPhysical64, MemoryModel: spirv.MemoryModelOpenCL,
		MaxWorkGroupSize: d.MaxWorkGroupSize, MaxWorkItemSizes: d.MaxWorkItemSizes, SubGroupSize: d.SubGroupSize,
	}
	if d.AddressBits == 32 {
		s.AddressingModel = spirv.AddressingModelPhysical32
	}
	if d.Half {
		s.Capabilities = append(s.Capabilities, spirv.CapabilityFloat16)
	}
	if d.Double {
		s.Capabilities = append(s.Capabilities, spirv.CapabilityFloat64)
	}
	return s
}

// check says what a module wants that the device does not have: the first such thing in
// the module's order. The error wraps ErrDeviceMismatch.
func (s *SPIRVDeviceInfo) check(info *spirv.Info) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrDeviceMismatch)
	}
	allowed := map[spirv.Capability]bool{}
	for _, c := range s.Capabilities {
		allow(allowed, c)
	}
	for _, c := range info.Capabilities {
		if !allowed[c] {
			return bad("the capability %s is not among those of the device", c)
		}
	}
	for _, e := range info.Extensions {
		if !slices.Contains(s.Extensions, e) {
			return bad("the extension %q is not among those of the device", e)
		}
	}
	for _, x := range info.ExtInstImports {
		if !spirv.NonSemantic(x.Name) && !slices.Contains(s.ExtInstImports, x.Name) {
			return bad("the instruction set %q is not among those of the device", x.Name)
		}
	}
	if info.AddressingModel != s.AddressingModel {
		return bad("the addressing model is %s, that of the device %s", info.AddressingModel, s.AddressingModel)
	}
	if info.MemoryModel != s.MemoryModel {
		return bad("the memory model is %s, that of the device %s", info.MemoryModel, s.MemoryModel)
	}
	for i := range info.EntryPoints {
		if err := s.checkEntryPoint(&info.EntryPoints[i], bad); err != nil {
			return err
		}
	}
	return nil
}

func (s *SPIRVDeviceInfo) checkEntryPoint(e *spirv.EntryPoint, bad func(string, ...any) error) error {
	size := uint64(1)
	for i, n := range e.LocalSize {
		n := uint64(max(n, 1))
		if most := s.MaxWorkItemSizes[i]; most != 0 && n > most {
			return bad("kernel %q requires work-groups of %d work-items in dimension %d, the device has up to %d", e.Name, n, i, most)
		}
		// Each factor is below 2^32, and the product is looked at after each.
		if size *= n; s.MaxWorkGroupSize != 0 && size > s.MaxWorkGroupSize {
			return bad("kernel %q requires work-groups of %v work-items, the device has up to %d", e.Name, e.LocalSize, s.MaxWorkGroupSize)
		}
		if size > 1<<32 {
			return bad("kernel %q requires work-groups of %v work-items", e.Name, e.LocalSize)
		}
	}
	if e.SubgroupSize != 0 && s.SubGroupSize != 0 && e.SubgroupSize != s.SubGroupSize {
		return bad("kernel %q requires sub-groups of %d, the device has %d", e.Name, e.SubgroupSize, s.SubGroupSize)
	}
	return nil
}

// allow adds a capability and what it implies.
func allow(allowed map[spirv.Capability]bool, c spirv.Capability) {
	if allowed[c] {
		return
	}
	allowed[c] = true
	if e, ok := spirv.KindCapability.Value(uint32(c)); ok {
		for _, implied := range e.Capabilities {
			allow(allowed, implied)
		}
	}
}

// SpecializationEntry says where in SpecializationInfo.Data a value is.
type SpecializationEntry struct{ Offset, Size uint32 } // bytes

// SpecializationInfo has values for specialization constants (spirv::SpecializationInfo).
type SpecializationInfo struct {
	// Entries says by SpecId where the value is: as many bytes as the constant has, little
	// endian; one byte for a Boolean, which is true unless it is 0.
	Entries map[uint32]SpecializationEntry
	Data    []byte
}

// values returns the bits of the values by SpecId. The error wraps ErrSpecialization.
func (s *SpecializationInfo) values(constants map[uint32]SpecializableConstant) (map[uint32]uint64, error) {
	if s == nil || len(s.Entries) == 0 {
		return nil, nil
	}
	out := make(map[uint32]uint64, len(s.Entries))
	for _, id := range slices.Sorted(maps.Keys(s.Entries)) {
		bad := func(format string, args ...any) (map[uint32]uint64, error) {
			return nil, fmt.Errorf("SpecId %d: %s: %w", id, fmt.Sprintf(format, args...), ErrSpecialization)
		}
		e := s.Entries[id]
		c, ok := constants[id]
		switch {
		case !ok:
			return bad("the module has no such constant")
		case e.Size != c.size():
			return bad("a value of %d bytes, the constant has %d", e.Size, c.size())
		case uint64(e.Offset)+uint64(e.Size) > uint64(len(s.Data)):
			return bad("bytes %d to %d of %d", e.Offset, uint64(e.Offset)+uint64(e.Size), len(s.Data))
		}
		var v uint64
		for i, b := range s.Data[e.Offset : e.Offset+e.Size] {
			v |= uint64(b) << (8 * i)
		}
		if c.Type == SpecializationBool && v != 0 {
			v = 1
		}
		out[id] = v
	}
	return out, nil
}

// specialize returns m with other values of specialization constants. The module keeps
// the places of all its instructions, and m stays as it is.
func specialize(m *spirv.Module, info *spirv.Info, values map[uint32]uint64) *spirv.Module {
	if len(values) == 0 {
		return m
	}
	given := map[spirv.ID]uint64{}
	for i := range info.SpecConstants {
		c := &info.SpecConstants[i]
		if v, ok := values[c.SpecID]; ok {
			// What is narrower than a word stands in it sign-extended, if its type has
			// a sign (SPIR-V 2.2.1, Literal).
			if n := c.Number; n.Signed && n.Width < 32 && v>>(n.Width-1)&1 != 0 {
				v |= 1<<32 - 1<<n.Width
			}
			given[c.ID] = v
		}
	}
	out := *m
	out.Insts = slices.Clone(m.Insts)
	for i, in := range m.Insts {
		v, ok := given[in.ResultID()]
		if !ok {
			continue
		}
		words := slices.Clone(in.Words)
		switch op := in.Op(); op {
		case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
			to := spirv.OpSpecConstantFalse
			if v != 0 {
				to = spirv.OpSpecConstantTrue
			}
			words[0] = words[0]&^0xffff | uint32(to)
		case spirv.OpSpecConstant:
			for n := 3; n < len(words); n++ {
				words[n] = uint32(v)
				v >>= 32
			}
		default:
			continue
		}
		out.Insts[i].Words = words
	}
	return &out
}

// SPIRVModuleInfo is what a module that was compiled says of itself (spirv::ModuleInfo).
type SPIRVModuleInfo struct {
	*spirv.Info
	// Specialized are the SpecIds that were given values, in ascending order.
	Specialized []uint32
}
