// Package argument makes arguments of launches of what package argspec has read: one interface, and one file
// for each kind of argument.
package argument

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa"
)

// Kind is a kind of argument.
type Kind interface {
	// Noun is what messages call an argument: "a buffer".
	Noun(a *argspec.Arg) string
	// Suits says whether a parameter takes the argument.
	Suits(a *argspec.Arg, p *emu.Param) bool
	// Make makes the argument on a device.
	Make(dev *emu.Device, a *argspec.Arg, o Options) (*Made, error)
}

// kinds has the kind for each of package argspec.
var kinds = map[argspec.Kind]Kind{
	argspec.Value: value{}, argspec.Buffer: buffer{}, argspec.Local: local{}, argspec.Null: null{},
	argspec.Image: image{}, argspec.Pipe: pipe{}, argspec.Sampler: sampler{},
}

// Of returns the kind of an argument.
func Of(a *argspec.Arg) Kind { return kinds[a.Kind] }

// Takes says what parameters of a kind take: "a buffer".
func Takes(k isa.ParamKind) string {
	return map[isa.ParamKind]string{
		isa.ParamValue: "a value", isa.ParamGlobal: "a buffer", isa.ParamLocal: "local memory",
		isa.ParamImage: "an image", isa.ParamSampler: "a sampler", isa.ParamPipe: "a pipe",
	}[k]
}

// Options say how an argument is made.
type Options struct {
	// Name is what findings call a buffer or image where no parameter names it.
	Name string
	// Size is that of the parameter, which a value is fitted to.
	Size uint64
	// Take gives the argument's data to the device: the host has them no longer.
	Take bool
}

// Made is an argument that was made, and what the host keeps of it.
type Made struct {
	Arg    emu.Arg
	Buffer *emu.Buffer // of a buffer, or the one that an image is a view of
	Image  *emu.Image  // of an image
}

// Bytes returns a copy of what a buffer or an image holds.
func (m *Made) Bytes() ([]byte, error) {
	if m.Image != nil {
		return m.Image.Bytes()
	}
	return m.Buffer.Bytes()
}

// Free releases the buffer and the image.
func (m *Made) Free() error {
	var err error
	if m.Image != nil {
		err = m.Image.Free()
	}
	if m.Buffer != nil {
		err = errors.Join(err, m.Buffer.Free())
	}
	return err
}
