package argument

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// buffer is a buffer, or a buffer resource over one.
type buffer struct{}

func (buffer) Noun(a *argspec.Arg) string {
	if a.Resource != nil {
		return "a buffer resource"
	}
	return "a buffer"
}

// resourceBytes is the size of a buffer resource by value.
const resourceBytes = 16

func (buffer) Suits(a *argspec.Arg, p *emu.Param) bool {
	return p.Kind == isa.ParamGlobal || p.Kind == isa.ParamValue && p.Size == resourceBytes && a.Resource != nil
}

func (buffer) Make(dev *emu.Device, a *argspec.Arg, o Options) (*Made, error) {
	b, err := NewBuffer(dev, a, o)
	if err != nil {
		return nil, err
	}
	if r := a.Resource; r != nil {
		return &Made{Arg: emu.Resource(b, r.Stride, r.Records), Buffer: b}, nil
	}
	return &Made{Arg: b, Buffer: b}, nil
}

// NewBuffer makes the buffer of an argument.
func NewBuffer(dev *emu.Device, a *argspec.Arg, o Options) (*emu.Buffer, error) {
	opt := emu.BufferOptions{Name: o.Name, ReadOnly: a.ReadOnly, WriteOnly: a.WriteOnly, Undefined: a.Undefined}
	data := a.Data
	if o.Take {
		a.Data = nil
		return dev.NewBufferFrom(data, opt)
	}
	b, err := dev.NewBuffer(uint64(len(data)), opt)
	if err != nil || a.Undefined {
		return b, err
	}
	if _, err := b.WriteAt(data, 0); err != nil {
		return nil, errors.Join(err, b.Free())
	}
	return b, nil
}
