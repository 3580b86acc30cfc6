package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Variant is the variant of the kernels' modules that is timed.
const Variant = "O2"

// Session is one launch of a kernel on a device of its own, ready to run any
// number of times. It is used by one goroutine at a time.
type Session struct {
	// Build is how long it took to make the kernel from its module.
	Build time.Duration

	kernel  *kernels.Kernel
	device  *emu.Device
	program *emu.Program
	launch  emu.Launch
	args    []*argspec.Arg
	memory  []contents // by argument; nil where it is neither a buffer nor an image
}

// contents is a buffer or an image.
type contents interface {
	Size() uint64
	Bytes() ([]byte, error)
	SetBytes(p []byte) error
}

// wholeBuffer is a buffer as contents.
type wholeBuffer struct{ *emu.Buffer }

// SetBytes writes the whole buffer.
func (b wholeBuffer) SetBytes(p []byte) error {
	_, err := b.WriteAt(p, 0)
	return err
}

// Open makes the device, the kernel and its arguments.
func Open(k *kernels.Kernel, l kernels.Launch, opt emu.DeviceOptions) (*Session, error) {
	module, err := k.Binary(Variant)
	if err != nil {
		return nil, err
	}
	return OpenModule(k, module, l, opt)
}

// FromSource compiles the source of a kernel with package spirv/clc.
func FromSource(k *kernels.Kernel) (kernels.Binary, error) {
	return compile(k.Module+".cl", k.Source())
}

func compile(name, text string) (kernels.Binary, error) {
	res, err := clc.Compile(context.Background(), clc.Source{Name: name, Text: text}, clc.Options{})
	if err != nil {
		return kernels.Binary{}, err
	}
	return kernels.Binary{Variant: "source", File: name, Code: res.Module.Encode()}, nil
}

// OpenModule is Open with another module that has the kernel.
func OpenModule(k *kernels.Kernel, module kernels.Binary, l kernels.Launch, opt emu.DeviceOptions) (s *Session, err error) {
	s = &Session{kernel: k}
	if s.args, err = ParseArgs(l); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	if s.device, err = emu.NewDevice(opt); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.device.Close())
		}
	}()
	begin := time.Now()
	program, err := s.device.NewProgram(module.Code, emu.ProgramOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", module.File, err)
	}
	s.program = program
	kernel, err := program.Kernel(k.Entry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", module.File, err)
	}
	s.Build = time.Since(begin)
	s.launch = emu.Launch{Kernel: kernel, Range: emu.NDRange{Global: l.Global, Local: l.Local, Offset: l.Offset}}
	s.memory = make([]contents, len(s.args))
	for i, a := range s.args {
		arg, err := s.argument(i, a)
		if err != nil {
			return nil, fmt.Errorf("kernel %s, argument %d: %w", k.Name, i, err)
		}
		s.launch.Args = append(s.launch.Args, arg)
	}
	return s, nil
}

// ParseArgs reads the SPECs of a launch.
func ParseArgs(l kernels.Launch) ([]*argspec.Arg, error) {
	args := make([]*argspec.Arg, len(l.Args))
	for i, spec := range l.Args {
		a, err := argspec.Parse(spec, nil)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		args[i] = a
	}
	return args, nil
}

// argument makes the launch's argument i.
func (s *Session) argument(i int, a *argspec.Arg) (emu.Arg, error) {
	switch a.Kind {
	case argspec.Null:
		return emu.Null(), nil
	case argspec.Local:
		return emu.LocalBytes(uint64(a.Count)), nil
	case argspec.Value:
		return emu.Bytes(a.Data), nil
	case argspec.Sampler:
		return emu.Sampler{Normalized: a.Sampler.Normalized, Addressing: a.Sampler.Addressing, Linear: a.Sampler.Linear}, nil
	case argspec.Image:
		info := a.Image
		if info.Kind != emu.Image2D || info.Levels > 1 || info.Pitch != 0 {
			return nil, errors.New("only plain images of two dimensions are timed")
		}
		im, err := s.device.NewImage(emu.ImageDesc{Kind: info.Kind, Width: info.Width, Height: info.Height}, info.Format, emu.ImageOptions{})
		if err != nil {
			return nil, err
		}
		s.memory[i] = im
		return im, im.SetBytes(a.Data)
	}
	b, err := s.device.NewBuffer(uint64(len(a.Data)), emu.BufferOptions{ReadOnly: a.ReadOnly, WriteOnly: a.WriteOnly})
	if err != nil {
		return nil, err
	}
	s.memory[i] = wholeBuffer{b}
	_, err = b.WriteAt(a.Data, 0)
	return b, err
}

// Reset gives the buffers and images that the kernel writes their first contents again.
func (s *Session) Reset() error {
	for _, i := range s.kernel.Outputs {
		if err := s.memory[i].SetBytes(s.args[i].Data); err != nil {
			return fmt.Errorf("kernel %s, argument %d: %w", s.kernel.Name, i, err)
		}
	}
	return nil
}

// Check turns all checks on, or off again, for the launches from now on.
func (s *Session) Check(on bool) { s.launch.Check = on }

// Run launches the kernel once and waits for it. The time is that of the whole
// call.
func (s *Session) Run(ctx context.Context) (*emu.Result, time.Duration, error) {
	begin := time.Now()
	result, err := s.launch.Run(ctx)
	return result, time.Since(begin), err
}

// Outputs copies the buffers and images that the kernel writes, in the order of
// kernels.Kernel.Outputs.
func (s *Session) Outputs() ([][]byte, error) {
	var out [][]byte
	for _, i := range s.kernel.Outputs {
		b, err := s.memory[i].Bytes()
		if err != nil {
			return nil, fmt.Errorf("kernel %s, argument %d: %w", s.kernel.Name, i, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// Bytes is the size of all buffers and images together.
func (s *Session) Bytes() uint64 {
	var n uint64
	for _, m := range s.memory {
		if m != nil {
			n += m.Size()
		}
	}
	return n
}

// Close gives the device back.
func (s *Session) Close() error { return s.device.Close() }
