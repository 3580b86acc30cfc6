package mux

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/emu"
)

// Executable is a binary on a device (mux_executable_t).
type Executable struct{ program *emu.Program }

// LoadExecutable loads a binary of Module.CreateBinary or Kernel.CreateSpecializedKernel
// (muxCreateExecutable). The error wraps [ErrInvalidValue] and that of package emu.
func LoadExecutable(device *emu.Device, binary []byte) (*Executable, error) {
	p, err := device.LoadBinary(binary, emu.LoadOptions{})
	if err != nil {
		return nil, failed("LoadExecutable", within(ErrInvalidValue, err), "")
	}
	return &Executable{p}, nil
}

// Program returns the program that the binary became.
func (e *Executable) Program() *emu.Program { return e.program }

// Close frees the program's variables.
func (e *Executable) Close() error { return e.program.Close() }

// Launch returns the launch of a kernel as options say (muxCreateKernel and
// muxCommandNDRange). Every parameter needs its descriptor, with buffer, image or pipe. Kernels
// that pipes connect run as an [emu.Set] of their launches. Errors:
// those of Kernel.CreateSpecializedKernel about options; [ErrNoKernel].
func (e *Executable) Launch(kernel string, options *NDRangeOptions) (*emu.Launch, error) {
	const call = "Executable.Launch"
	k, err := e.program.Kernel(kernel)
	if err != nil {
		return nil, failed(call, within(ErrNoKernel, err), "")
	}
	if err := options.check(true); err != nil {
		return nil, &Error{Call: call, Object: kernel, Err: err}
	}
	code := e.program.ISA().Kernel(kernel)
	if options.Descriptors == nil && len(code.Params) > 0 {
		return nil, &Error{Call: call, Object: kernel, Err: ErrDescriptorsMissing}
	}
	if err := options.suits(code.Params); err != nil {
		return nil, &Error{Call: call, Object: kernel, Err: err}
	}
	args := make([]emu.Arg, len(options.Descriptors))
	for i := range options.Descriptors {
		switch d := &options.Descriptors[i]; d.Type {
		case DescriptorPlainOldData, DescriptorCustomBuffer:
			args[i] = emu.Bytes(d.Data)
		case DescriptorSharedLocal:
			args[i] = emu.LocalBytes(d.Size)
		case DescriptorNullBuffer:
			args[i] = emu.Null()
		case DescriptorBuffer:
			if d.Buffer == nil {
				return nil, &Error{Call: call, Object: kernel, Err: fmt.Errorf("descriptor %d has no buffer: %w", i, ErrInvalidValue)}
			}
			args[i] = d.Buffer
		case DescriptorImage:
			if d.Image == nil {
				return nil, &Error{Call: call, Object: kernel, Err: fmt.Errorf("descriptor %d has no image: %w", i, ErrInvalidValue)}
			}
			args[i] = d.Image
		case DescriptorSampler:
			args[i] = d.Sampler
		case DescriptorPipe:
			if d.Pipe == nil {
				return nil, &Error{Call: call, Object: kernel, Err: fmt.Errorf("descriptor %d has no pipe: %w", i, ErrInvalidValue)}
			}
			args[i] = d.Pipe
		}
	}
	n := options.Length
	return &emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{
		Global: options.GlobalSize[:n], Offset: options.GlobalOffset[:n], Local: options.LocalSize[:n],
	}}, nil
}
