package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Addressing says what a sampler reads outside of an image.
type Addressing = memory.Addressing

// The addressing modes of OpenCL (CL_ADDRESS_NONE and so on).
const (
	AddressNone           = memory.AddressNone
	AddressClampToEdge    = memory.AddressClampToEdge
	AddressClamp          = memory.AddressClamp
	AddressRepeat         = memory.AddressRepeat
	AddressMirroredRepeat = memory.AddressMirroredRepeat
)

// Sampler says how a kernel reads images, and is an argument for a parameter of type sampler_t. Its zero
// value reads the nearest element, at coordinates that count elements and are never outside.
type Sampler struct {
	Normalized bool // coordinates go from 0 to 1
	Addressing Addressing
	Linear     bool // mixes the nearest elements; otherwise the nearest one is read
	// MipLinear mixes the two nearest levels of detail of a mipmap. MinLod and MaxLod bound the level, in
	// steps of 2^-16; a MaxLod of 0, and one of 255 and more, is no bound.
	MipLinear      bool
	MinLod, MaxLod float32
}

// bits returns the sampler as kernels see it.
func (s Sampler) bits() memory.Sampler {
	st := memory.SamplerState{Normalized: s.Normalized, Addressing: s.Addressing, Linear: s.Linear, MipLinear: s.MipLinear, MinLod: s.MinLod, MaxLod: s.MaxLod}
	if st.MaxLod == 0 {
		st.MaxLod = 256
	}
	return st.Pack()
}

// String returns the sampler as SPECs of arguments have it: "linear,repeat,normalized".
func (s Sampler) String() string { return s.bits().String() }

// samplerArg is a sampler.
type samplerArg struct{}

func (s Sampler) argument() argument { return argument{kind: samplerArg{}, sampler: s} }

func (samplerArg) describe(*argument) string { return "a sampler" }

func (samplerArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamSampler }

func (samplerArg) check(a *argument, _ *Kernel, _ *isa.Param) (string, error) {
	switch s := a.sampler; {
	case s.Addressing >= memory.NumAddressings:
		return fmt.Sprintf("a sampler with the addressing mode %d given, which there is not", uint8(s.Addressing)), nil
	case !(s.MinLod >= 0) || !(s.MaxLod >= 0) || s.MaxLod != 0 && s.MaxLod < s.MinLod:
		return fmt.Sprintf("a sampler with levels of detail from %v to %v given", s.MinLod, s.MaxLod), nil
	}
	return "", nil
}

func (samplerArg) fill(p *prepared, i int) (uint64, error) {
	return uint64(p.args[i].sampler.bits()), nil
}
