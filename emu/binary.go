package emu

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// BinaryOptions say what goes into a program's binary besides its bytecode.
type BinaryOptions struct {
	// Module puts the SPIR-V module in, so that findings show its instructions
	// and the source text that it holds. Without it they show bytecode; names,
	// files and lines are there in any case.
	Module bool
	// Shared puts the code in that kernels have where there is shared virtual memory. Without it they cannot run there:
	// [ErrNotShared].
	Shared bool
	// Debug puts the code in that debuggers run, with lines, variables and types. Without it kernels cannot run in a
	// debugger: [ErrNotDebugged].
	Debug bool
	// Notes belong to whoever asks for the binary; their names are unique.
	Notes []binary.Note
}

// Binary returns the compiled program as bytes, for [Device.LoadBinary]. The
// same program gives the same bytes.
func (p *Program) Binary(opt BinaryOptions) ([]byte, error) {
	if p == nil || p.unit == nil {
		return nil, fmt.Errorf("program: %w", ErrInvalid)
	}
	code, err := p.ISAContext(context.Background())
	if err != nil {
		return nil, err
	}
	if opt.Shared {
		if code, err = p.unit.withShared(context.Background()); err != nil {
			return nil, err
		}
	}
	if opt.Debug {
		if code, err = p.unit.withDebug(context.Background(), code); err != nil {
			return nil, err
		}
	}
	lim := &p.dev.limits
	f := &binary.File{
		Target: binary.Target{
			Name: targetName, SubgroupSize: lim.SubgroupSize, MaxWorkGroupSize: lim.MaxWorkGroupSize, LocalMemory: lim.LocalMemory,
		},
		Program: code, Info: p.info, Notes: slices.Clone(opt.Notes),
	}
	if opt.Module && p.module != nil {
		f.Module = p.module.Encode()
	}
	data, err := binary.Encode(f)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	return data, nil
}

// targetName is what binaries call this machine.
const targetName = "lockstep"

// LoadOptions say how a binary becomes a program.
type LoadOptions struct {
	// Sources returns the text of a source file, as in [ProgramOptions].
	Sources func(name string) ([]byte, error)
}

// BinaryError says why a binary cannot be loaded. Unwrap leads to the reason: an
// error of package isa/binary, or a [*TargetError].
type BinaryError struct{ Err error }

// Error gives "cannot load the binary: reason".
func (e *BinaryError) Error() string { return fmt.Sprintf("cannot load the binary: %v", e.Err) }

// Unwrap returns the reason.
func (e *BinaryError) Unwrap() error { return e.Err }

// TargetError is a binary that was made for another machine than the device.
type TargetError struct {
	// Made is what the binary was made for; Name and SubgroupSize are those of
	// the device.
	Made         binary.Target
	Name         string
	SubgroupSize int
}

// Error says what differs, and what to do.
func (e *TargetError) Error() string {
	if e.Made.Name != e.Name {
		return fmt.Sprintf("it was made for the target %q, not for %q; compile the module again", e.Made.Name, e.Name)
	}
	return fmt.Sprintf("its kernels that require no sub-group size were made for %d, the device has %d; set DeviceOptions.SubgroupSize to %d, or compile the module again",
		e.Made.SubgroupSize, e.SubgroupSize, e.Made.SubgroupSize)
}

// LoadBinary makes a program of a binary that [Program.Binary] has returned. It
// compiles nothing. The error is a [*BinaryError], or a [*ModuleError] of stage
// "allocate".
func (d *Device) LoadBinary(data []byte, opt LoadOptions) (*Program, error) {
	if d == nil || d.engine == nil {
		return nil, fmt.Errorf("device: %w", ErrInvalid)
	}
	f, err := binary.Decode(data)
	if err != nil {
		return nil, &BinaryError{Err: err}
	}
	return d.loadFile(f, opt)
}

// LoadFile is [Device.LoadBinary] for a binary that was decoded before. The file
// belongs to the program from now on, and must not be changed.
func (d *Device) LoadFile(f *binary.File, opt LoadOptions) (*Program, error) {
	if d == nil || d.engine == nil || f == nil || f.Program == nil {
		return nil, fmt.Errorf("device: %w", ErrInvalid)
	}
	if err := f.Program.Verify(); err != nil {
		return nil, &BinaryError{Err: err}
	}
	return d.loadFile(f, opt)
}

// loadFile is LoadFile for a program that has been verified.
func (d *Device) loadFile(f *binary.File, opt LoadOptions) (*Program, error) {
	if f.Target.Name != targetName || f.Target.SubgroupSize != d.limits.SubgroupSize {
		return nil, &BinaryError{Err: &TargetError{Made: f.Target, Name: targetName, SubgroupSize: d.limits.SubgroupSize}}
	}
	info := f.Info
	if info == nil {
		info = &spirv.Info{}
	}
	var m *spirv.Module
	if f.Module != nil {
		var err error
		if m, err = spirv.Decode(f.Module); err != nil {
			return nil, &BinaryError{Err: fmt.Errorf("its module: %w", err)}
		}
	}
	return d.newProgram(context.Background(), m, info, wholeUnit(f.Program), ProgramOptions{Sources: opt.Sources})
}
