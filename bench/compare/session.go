package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/memory"
)

// session is one launch of a kernel on one implementation.
type session interface {
	// build is how long it took to make the kernel from its module or source.
	build() time.Duration
	// reset gives the buffers that the kernel writes their first contents.
	reset() error
	// run launches once, waits, and gives the time of the whole call.
	run() (time.Duration, error)
	// outputs copies the buffers that the kernel writes.
	outputs() ([][]byte, error)
	close() error
}

// implementation makes sessions. Only lockstep takes a number of workers, 0
// being as many as there are CPUs, and a size of sub-groups.
type implementation interface {
	open(k *kernels.Kernel, q *request) (session, error)
}

// lockstep is the implementation that is measured.
type lockstep struct{}

func (lockstep) open(k *kernels.Kernel, q *request) (session, error) {
	module, err := k.Binary(bench.Variant)
	if q.FromSource {
		module, err = bench.FromSource(k)
	}
	if err != nil {
		return nil, err
	}
	opt := emu.DeviceOptions{Workers: q.Workers, Engine: q.Engine, SubgroupSize: q.Subgroup}
	s, err := bench.OpenModule(k, module, q.Launch, opt)
	if err != nil {
		return nil, err
	}
	s.Check(q.Check)
	return &lockstepSession{Session: s}, nil
}

type lockstepSession struct {
	*bench.Session
	lanes  uint64 // operations of lanes in the last run
	shadow uint64 // bytes of shadow memory in the last run
}

func (s *lockstepSession) build() time.Duration       { return s.Build }
func (s *lockstepSession) reset() error               { return s.Reset() }
func (s *lockstepSession) outputs() ([][]byte, error) { return s.Outputs() }
func (s *lockstepSession) close() error               { return s.Close() }

func (s *lockstepSession) work() uint64 { return s.lanes }

func (s *lockstepSession) run() (time.Duration, error) {
	result, d, err := s.Run(context.Background())
	if err == nil {
		s.lanes, s.shadow = result.Counters.LaneOps, result.Shadow
	}
	return d, err
}

// opencl is a device of an OpenCL implementation.
type opencl struct{ device ocl.Device }

type openclSession struct {
	kernel  *kernels.Kernel
	launch  kernels.Launch
	args    []*argspec.Arg
	buffers []*ocl.Buffer // by argument; nil where it is no buffer
	images  []*ocl.Image  // by argument; nil where it is no image
	object  *ocl.Kernel
	queue   *ocl.Queue
	built   time.Duration
	release []func() error // in the order of making
}

// buildOptions are tried in turn: an implementation may lack the promise that
// division and square root are rounded correctly.
var buildOptions = []string{"-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", "-cl-std=CL1.2"}

func (o opencl) open(k *kernels.Kernel, q *request) (session, error) {
	return o.openSource(k, k.SourceFor(o.device.Extensions), q)
}

// openSource is open with another source that has the kernel.
func (o opencl) openSource(k *kernels.Kernel, source string, q *request) (_ session, err error) {
	if q.Workers != 0 || q.Subgroup != 0 {
		return nil, errors.New("workers and sub-groups can be chosen on lockstep only")
	}
	s := &openclSession{kernel: k, launch: q.Launch}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.args, err = bench.ParseArgs(q.Launch); err != nil {
		return nil, err
	}
	context, err := o.device.NewContext()
	if err != nil {
		return nil, err
	}
	s.release = append(s.release, context.Release)
	if s.queue, err = context.NewQueue(); err != nil {
		return nil, err
	}
	s.release = append(s.release, s.queue.Release)
	begin := time.Now()
	program, err := context.ProgramFromSource(source)
	if err != nil {
		return nil, err
	}
	s.release = append(s.release, program.Release)
	for _, options := range buildOptions {
		if err = program.Build(options); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if s.object, err = program.Kernel(k.Entry); err != nil {
		return nil, err
	}
	s.built = time.Since(begin)
	s.release = append(s.release, s.object.Release)
	s.buffers, s.images = make([]*ocl.Buffer, len(s.args)), make([]*ocl.Image, len(s.args))
	for i, a := range s.args {
		if err = s.setArgument(context, i, a); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return s, nil
}

// setArgument makes argument i and gives it to the kernel.
func (s *openclSession) setArgument(context *ocl.Context, i int, a *argspec.Arg) error {
	switch a.Kind {
	case argspec.Null:
		return s.object.SetBuffer(i, nil)
	case argspec.Local:
		return s.object.SetLocal(i, a.Count)
	case argspec.Value:
		return s.object.SetBytes(i, a.Data)
	case argspec.Sampler, argspec.Image:
		return s.setImage(context, i, a)
	}
	b, err := context.NewBuffer(len(a.Data))
	if err != nil {
		return err
	}
	s.buffers[i] = b
	s.release = append(s.release, b.Release)
	if err := s.queue.Write(b, a.Data); err != nil {
		return err
	}
	return s.object.SetBuffer(i, b)
}

// setImage makes argument i, a sampler or an image, and gives it to the kernel.
func (s *openclSession) setImage(context *ocl.Context, i int, a *argspec.Arg) error {
	if a.Kind == argspec.Sampler {
		sampler, err := context.NewSampler(a.Sampler.Normalized, int(a.Sampler.Addressing), a.Sampler.Linear)
		if err != nil {
			return err
		}
		s.release = append(s.release, sampler.Release)
		return s.object.SetSampler(i, sampler)
	}
	info := a.Image
	if info.Kind != memory.Image2D || info.Levels > 1 || info.Pitch != 0 {
		return errors.New("only plain images of two dimensions are timed")
	}
	format := ocl.ImageFormat{Order: uint32(info.Format.Order) + memory.OpenCLChannelOrder, Type: uint32(info.Format.Type) + memory.OpenCLChannelType}
	im, err := context.NewImage(ocl.Image2D, format, info.Width, info.Height, 1, 0, a.Data, nil)
	if err != nil {
		return err
	}
	s.images[i] = im
	s.release = append(s.release, im.Release)
	return s.object.SetImage(i, im)
}

func (s *openclSession) build() time.Duration { return s.built }

func (s *openclSession) reset() error {
	for _, i := range s.kernel.Outputs {
		if s.images[i] != nil {
			continue // kernels write all elements of an image
		}
		if err := s.queue.Write(s.buffers[i], s.args[i].Data); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return nil
}

func (s *openclSession) run() (time.Duration, error) {
	begin := time.Now()
	event, err := s.queue.Launch(s.object, s.launch.Global, s.launch.Local, s.launch.Offset)
	if err != nil {
		return 0, err
	}
	err = event.Wait()
	d := time.Since(begin)
	return d, errors.Join(err, event.Release())
}

func (s *openclSession) outputs() ([][]byte, error) {
	var out [][]byte
	for _, i := range s.kernel.Outputs {
		if s.images[i] != nil {
			data := make([]byte, len(s.args[i].Data))
			if err := s.queue.ReadImage(s.images[i], data); err != nil {
				return nil, fmt.Errorf("argument %d: %w", i, err)
			}
			out = append(out, data)
			continue
		}
		data := make([]byte, s.buffers[i].Size())
		if err := s.queue.Read(s.buffers[i], data); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		out = append(out, data)
	}
	return out, nil
}

func (s *openclSession) close() error {
	var failures []error
	for i := len(s.release) - 1; i >= 0; i-- {
		failures = append(failures, s.release[i]())
	}
	s.release = nil
	return errors.Join(failures...)
}
