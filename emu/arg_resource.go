package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// resourceArg is a buffer resource.
type resourceArg struct{}

// Resource is a buffer resource, which AMDGPU's buffer operations take instead
// of a pointer: records of stride bytes each, from the start of b; when stride
// is 0, records counts bytes. What lies outside reads as zero. A pointer
// parameter gets the resource's handle, which lives as long as the launch; a
// parameter of 16 bytes by value gets the four words. A stride of 16 KiB or more
// is refused.
func Resource(b *Buffer, stride uint16, records uint32) Arg {
	return argument{kind: resourceArg{}, buffer: b, stride: stride, records: records}
}

// resource returns what a resource argument stands for.
func (a *argument) resource() memory.Resource {
	return memory.Resource{Base: a.buffer.ptr, Stride: a.stride, Records: a.records}
}

// resourceBytes is the size of the words of a resource.
const resourceBytes = 16

// words returns the words of a resource as a kernel sees them.
func (a *argument) words() []byte {
	w := a.resource().Words()
	return encode(w[:])
}

func (resourceArg) describe(*argument) string { return "a buffer resource" }

func (resourceArg) suits(p *isa.Param) bool {
	return p.Kind == isa.ParamGlobal || p.Kind == isa.ParamValue && p.Size == resourceBytes
}

func (resourceArg) check(a *argument, k *Kernel, p *isa.Param) (string, error) {
	if a.stride >= memory.MaxStride {
		return fmt.Sprintf("a buffer resource with a stride of %d bytes given; it must be less than %d", a.stride, memory.MaxStride), nil
	}
	return bufferArg{}.check(a, k, p)
}

func (resourceArg) fill(p *prepared, i int) (uint64, error) {
	if _, err := (bufferArg{}).fill(p, i); err != nil {
		return 0, err
	}
	return p.addResource(i)
}

// addResource makes the resource of argument i ready, and returns its handle
// for a pointer parameter.
func (p *prepared) addResource(i int) (handle uint64, err error) {
	a := &p.args[i]
	if p.Kernel.code.Params[i].Kind == isa.ParamValue {
		p.launch.Values[i] = a.words()
		return 0, nil
	}
	h, err := p.launch.Memory.AddResource(a.resource())
	if err != nil {
		return 0, fmt.Errorf("kernel %s, argument %d: %w", p.Kernel.code.Name, i, err)
	}
	p.resources = append(p.resources, h)
	return uint64(h), nil
}

// dropResources takes the launch's resources out of the memory.
func (p *prepared) dropResources() {
	for _, h := range p.resources {
		// The launch has entered it, so that there is nothing to fail.
		_ = p.launch.Memory.FreeResource(h)
	}
	p.resources = nil
}
