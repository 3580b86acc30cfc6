package mux

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// DescriptorType says what an argument is (mux_descriptor_info_type_e).
type DescriptorType uint8

// The types.
const (
	DescriptorBuffer       DescriptorType = iota + 1 // Buffer
	DescriptorImage                                  // Image
	DescriptorSampler                                // Sampler
	DescriptorPlainOldData                           // Data
	DescriptorSharedLocal                            // Size
	DescriptorNullBuffer                             // a null pointer
	DescriptorCustomBuffer                           // Data, for devices that take custom buffers
	DescriptorPipe                                   // Pipe; the text knows none
)

var descriptorNames = [...]string{"none", "buffer", "image", "sampler", "plain old data", "shared local buffer", "null buffer", "custom buffer", "pipe"}

// String returns the type in words.
func (t DescriptorType) String() string {
	if int(t) < len(descriptorNames) {
		return descriptorNames[t]
	}
	return fmt.Sprintf("DescriptorType(%d)", uint8(t))
}

// Descriptor is an argument of a kernel (mux_descriptor_info_t). Buffers, images and pipes
// may be left out where a kernel is only compiled.
type Descriptor struct {
	Type    DescriptorType
	Buffer  *emu.Buffer
	Image   *emu.Image
	Sampler emu.Sampler
	Pipe    *emu.Pipe
	Data    []byte // little endian, as the kernel sees it
	Size    uint64 // bytes of local memory
}

// NDRangeOptions say how a kernel is launched (mux_ndrange_options_t).
type NDRangeOptions struct {
	// Descriptors has the arguments, one for each parameter; nil leaves them open.
	// DescriptorsLength is their number.
	Descriptors       []Descriptor
	DescriptorsLength int
	// LocalSize is the work-group size; 1 in dimensions that are not used.
	LocalSize [3]uint64
	// GlobalOffset and GlobalSize have a number for each of Length dimensions.
	GlobalOffset, GlobalSize []uint64
	Length                   int
}

// check looks for what the specification calls invalid, in its order. customBuffers says
// whether the device takes them.
func (o *NDRangeOptions) check(customBuffers bool) error {
	switch {
	case o == nil:
		return fmt.Errorf("there are no options: %w", ErrInvalidValue)
	case o.Descriptors != nil && o.DescriptorsLength == 0:
		return ErrDescriptorsEmpty
	case o.Descriptors == nil && o.DescriptorsLength != 0:
		return ErrDescriptorsMissing
	case len(o.Descriptors) != o.DescriptorsLength:
		return fmt.Errorf("%d descriptors are given, and their number is %d: %w", len(o.Descriptors), o.DescriptorsLength, ErrInvalidValue)
	}
	if err := checkLocal(o.LocalSize); err != nil {
		return err
	}
	switch {
	case o.GlobalOffset == nil:
		return ErrGlobalOffset
	case o.GlobalSize == nil:
		return ErrGlobalSize
	case o.Length < 1 || o.Length > 3:
		return ErrDimensions
	case len(o.GlobalOffset) != o.Length:
		return fmt.Errorf("%d numbers for %d dimensions: %w", len(o.GlobalOffset), o.Length, ErrGlobalOffset)
	case len(o.GlobalSize) != o.Length:
		return fmt.Errorf("%d numbers for %d dimensions: %w", len(o.GlobalSize), o.Length, ErrGlobalSize)
	}
	for i := range o.Descriptors {
		if o.Descriptors[i].Type == DescriptorCustomBuffer && !customBuffers {
			return fmt.Errorf("descriptor %d: %w", i, ErrCustomBuffer)
		}
	}
	for d := o.Length; d < 3; d++ {
		if o.LocalSize[d] != 1 {
			return fmt.Errorf("the local size is %d in dimension %d of %d: %w", o.LocalSize[d], d, o.Length, ErrInvalidValue)
		}
	}
	return nil
}

// suits says which descriptor does not suit its parameter.
func (o *NDRangeOptions) suits(params []isa.Param) error {
	if o.Descriptors == nil {
		return nil
	}
	if len(o.Descriptors) != len(params) {
		return fmt.Errorf("%d descriptors for %d parameters: %w", len(o.Descriptors), len(params), ErrInvalidValue)
	}
	for i := range params {
		p, d := &params[i], &o.Descriptors[i]
		ok := false
		switch d.Type {
		case DescriptorPlainOldData, DescriptorCustomBuffer:
			ok = p.Kind == isa.ParamValue && uint64(len(d.Data)) == p.Size
		case DescriptorBuffer, DescriptorNullBuffer:
			ok = p.Kind == isa.ParamGlobal
		case DescriptorImage:
			ok = p.Kind == isa.ParamImage
		case DescriptorSampler:
			ok = p.Kind == isa.ParamSampler
		case DescriptorPipe:
			ok = p.Kind == isa.ParamPipe
		case DescriptorSharedLocal:
			ok = p.Kind == isa.ParamLocal && d.Size > 0
		}
		if !ok {
			return fmt.Errorf("descriptor %d, a %s of %d bytes, does not fit the parameter %q (%s, %d bytes): %w",
				i, d.Type, max(uint64(len(d.Data)), d.Size), p.Name, p.TypeName, p.Size, ErrInvalidValue)
		}
	}
	return nil
}

// specialization is what a compilation can build in.
func (o *NDRangeOptions) specialization() *isa.Specialization {
	s := &isa.Specialization{Dim: o.Length, Global: &[3]uint64{1, 1, 1}, Offset: &[3]uint64{}, Local: narrowed(o.LocalSize)}
	copy(s.Global[:], o.GlobalSize)
	copy(s.Offset[:], o.GlobalOffset)
	for i := range o.Descriptors {
		if d := &o.Descriptors[i]; d.Type == DescriptorPlainOldData || d.Type == DescriptorCustomBuffer {
			s.Args = append(s.Args, isa.SpecializedArg{Param: i, Value: slices.Clone(d.Data)})
		}
	}
	return s
}

func narrowed(local [3]uint64) *[3]uint32 {
	return &[3]uint32{uint32(local[0]), uint32(local[1]), uint32(local[2])}
}

// checkGroup says why a work-group of this size cannot be.
func (k *BaseKernel) checkGroup(local [3]uint64) error {
	sizes := k.sizes()
	for d := range local {
		if local[d] > sizes[d] {
			return fmt.Errorf("the local size is %d in dimension %d, it may be %d: %w", local[d], d, sizes[d], ErrInvalidValue)
		}
	}
	if n := items(local); n > k.device.MaxWorkGroupSize {
		return fmt.Errorf("the local size %v has %d work-items, there may be %d: %w", local, n, k.device.MaxWorkGroupSize, ErrInvalidValue)
	}
	if !k.allows(local) {
		return fmt.Errorf("the program does not allow the local size %v: %w", local, ErrInvalidValue)
	}
	return nil
}

// compile lowers the kernel alone.
func (k *BaseKernel) compile(s *isa.Specialization) (*isa.Program, error) {
	if err := k.source.load(); err != nil {
		return nil, err
	}
	opt := k.lowering
	opt.Specialize = map[string]*isa.Specialization{k.code.Name: s}
	opt.Kernels = []string{k.code.Name}
	p, err := lower.Program(k.source.module, opt)
	if err != nil {
		return nil, err
	}
	if p.Kernel(k.code.Name) == nil {
		return nil, fmt.Errorf("the program has no kernel %q", k.code.Name)
	}
	return p, nil
}

// PrecacheLocalSize implements [Kernel]: it compiles the kernel for the local size. A kernel
// keeps the programs for the last eight. CreateSpecializedKernel takes such a program when its
// options have no arguments by value, which would be worth more.
func (k *BaseKernel) PrecacheLocalSize(x, y, z uint64) error {
	const method = "PrecacheLocalSize"
	if err := k.enter(method); err != nil {
		return err
	}
	defer k.ctx.Unlock()
	local := [3]uint64{x, y, z}
	if err := checkLocal(local); err != nil {
		return k.failed(method, err, "")
	}
	if err := k.checkGroup(local); err != nil {
		// There is nothing to compile for a launch that will be refused.
		return k.query(method)
	}
	want := narrowed(local)
	if slices.ContainsFunc(k.precache, func(p precached) bool { return p.local == *want }) {
		return k.query(method)
	}
	p, err := k.compile(&isa.Specialization{Local: want})
	if err != nil {
		return k.failed(method, within(ErrCodeGeneration, err), "")
	}
	size := programBytes(p)
	if err := k.held.take(size); err != nil {
		return k.failed(method, err, "")
	}
	if len(k.precache) == maxPrecached {
		k.held.back(k.precache[0].bytes)
		k.precache = slices.Delete(k.precache, 0, 1)
	}
	k.precache = append(k.precache, precached{*want, p, size})
	return nil
}

// CreateSpecializedKernel implements [Kernel].
func (k *BaseKernel) CreateSpecializedKernel(ctx context.Context, options *NDRangeOptions) ([]byte, error) {
	const method = "CreateSpecializedKernel"
	if err := k.enter(method); err != nil {
		return nil, err
	}
	defer k.ctx.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, k.failed(method, err, "")
	}
	if err := options.check(k.device.CustomBuffers); err != nil {
		return nil, k.failed(method, err, "")
	}
	if err := options.suits(k.code.Params); err != nil {
		return nil, k.failed(method, err, "")
	}
	if err := k.checkGroup(options.LocalSize); err != nil {
		return nil, k.failed(method, err, "")
	}
	s := options.specialization()
	var p *isa.Program
	if len(s.Args) == 0 {
		for i := range k.precache {
			if k.precache[i].local == *s.Local {
				p = k.precache[i].program
			}
		}
	}
	if p == nil {
		var err error
		if p, err = k.compile(s); err != nil {
			return nil, k.failed(method, within(ErrCodeGeneration, err), "")
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, k.failed(method, err, "")
	}
	out, err := encodeProgram(k.device, k.source, p)
	if err != nil {
		return nil, k.failed(method, within(ErrCodeGeneration, err), "")
	}
	// The caller holds the binary from now on; what counts is that there was room.
	if err := k.scratch.take(programBytes(p) + uint64(len(out))); err != nil {
		return nil, k.failed(method, err, "")
	}
	k.scratch.drop()
	return out, nil
}
