package emu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// DeviceOptions shape a device. The zero value is a sensible device.
type DeviceOptions struct {
	// SubgroupSize is the number of lanes of a sub-group, for kernels that do not
	// require a number: a power of two from 1 to 128; 0 is 32.
	SubgroupSize int
	// FixedSubgroups makes SubgroupSize the only size. A kernel that requires
	// another one is refused; without it, it runs with its own.
	FixedSubgroups bool
	// WaveLanes is the number of lanes that an engine runs in lockstep, a
	// multiple of SubgroupSize up to 4096; 0 chooses for each launch: a whole
	// work-group, up to 1024, or fewer where registers and private memory of a loop would not
	// stay in caches. Result.WaveLanes says which. No kernel can see it.
	WaveLanes int
	// Workers is the number of goroutines that run work-groups, except in a program built with
	// Go's race detector, where one does (see scheduler.Serial); 0 is the
	// number of CPUs. No kernel can see it.
	Workers int
	// Engine is one of [Engines], or "auto" or "" for the best of them. In that case a kernel begins on
	// "interp", until machine code is worth its while.
	//
	// With "compare", a launch runs on "interp", and again from the same memory on "native". Where the two
	// leave different memory, pipes, output, counters or findings, the result has the finding E-ENGINEDIFF,
	// which says what differs and, where that can be found out, in which work-group and who wrote it on
	// "interp". Memory and result are those of "interp". NewDevice fails where "native" is not available. A
	// launch that "native" would leave to "interp" as a whole fails with an error that wraps
	// [ErrNotCompared].
	Engine string

	// Poison is the seed of what memory holds that nobody has written, and what undefined values are, instead of
	// zero: LDS, private memory, buffers of [Device.NewBuffer]. 0 leaves them zero. Programs that rely on zeros show it.
	Poison uint64

	// Validate is how many launches of each kernel are validated, the first ones; 0 is what the environment variable
	// LOCKSTEP_VALIDATE says, and none without it. The kernel then runs on "interp" in the form that it has behind each pass of its
	// compilation, always from the same memory, and as machine code if the device's engine makes any. Where a pass
	// changes memory or output, the result has the finding E-PASSDIFF, which names the pass; E-ENGINEDIFF is about
	// machine code. The launch then runs as it does otherwise, and Result.Validation says what was compared. Results
	// that the language leaves undefined, or that depend on the order of work-items, may differ: see [Validation].
	// Launches with Check, with pipes, or with another memory model than that of all launches are not validated.
	Validate int

	// MaxWorkGroupSize is the number of work-items of a work-group at most; 0
	// is 1024.
	MaxWorkGroupSize int
	// LocalMemory is the LDS of a work-group, in bytes; 0 is 64 KiB.
	LocalMemory uint64
	// MaxMemory is the global memory, in bytes, program-scope variables
	// included. 0 is three quarters of the memory that the machine, the process's control
	// group and its limits had left when the process made its first device, or 4 GiB where the system does
	// not say. Memory is taken from the host when it is allocated. What does not fit is
	// refused with a [*LimitError] before it is taken.
	MaxMemory uint64
	// MaxAlloc is the size of one buffer at most; 0 is MaxMemory.
	MaxAlloc uint64
	// MaxVariables is what the program-scope variables of one program may take,
	// in bytes; 0 is 64 MiB. A module says how much it wants, so this limit is
	// lower than the one for what the host asks for.
	MaxVariables uint64
	// MaxPrivate is the private memory of a work-item, in bytes; 0 is 1 MiB.
	MaxPrivate uint64

	// DMAEngines is the number of engines of a work-group that move the bytes of
	// asynchronous copies, up to 64; 0 is 2. DMAQueueDepth is the number of copies that can
	// wait for each of them, up to 1024; 0 is 16. DMABytesPerStep is what an engine moves in a
	// tick when copies complete paced, up to 1 MiB; 0 is 64.
	DMAEngines, DMAQueueDepth, DMABytesPerStep int
}

// Limits are what a device can do, in OpenCL's terms.
type Limits struct {
	Engine           string    // name of the engine
	SubgroupSize     int       // lanes, of kernels that require no number; see SubgroupSizes
	FixedSubgroups   bool      // there is no other size than SubgroupSize
	WaveLanes        int       // lanes; 0 when it is chosen for each launch
	Workers          int       // goroutines
	MaxDimensions    int       // 3
	MaxWorkGroupSize int       // work-items
	MaxWorkItemSizes [3]uint64 // work-items of a group, by dimension
	LocalMemory      uint64    // bytes of a work-group
	GlobalMemory     uint64    // bytes
	MaxAlloc         uint64    // bytes
	MaxVariables     uint64    // bytes of a program's variables
	MaxPrivate       uint64    // bytes of a work-item
	MaxParameters    uint64    // bytes of all arguments of a kernel
	BaseAlign        int       // bytes; every buffer starts at a multiple
	DMAEngines       int       // of a work-group
	DMAQueueDepth    int       // copies that can wait for each engine
	DMABytesPerStep  int       // bytes of an engine in a tick
}

// SubgroupSizes returns the sub-group sizes that a kernel may require, in lanes, in rising order. One device
// runs kernels of different sizes.
func (l Limits) SubgroupSizes() []int {
	if l.FixedSubgroups {
		return []int{l.SubgroupSize}
	}
	var sizes []int
	for n := 1; isa.SubgroupSize(n); n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// maxParameters is the limit of the bytes of all by-value arguments.
const maxParameters = 64 << 10

// maxWaveLanes bounds the registers of one wave.
const maxWaveLanes = 4096

// maxDMAStep bounds what a DMA engine moves in a tick, in bytes.
const maxDMAStep = 1 << 20

// Device is a software GPU: memory, and engines that run kernels.
type Device struct {
	limits   Limits
	engine   engine.Engine
	lazy     engine.LazyCompiler // the same engine, if machine code is to be made late, or nil
	portable error               // why it is the portable one, if the caller leaves that to the device
	// reference is what launches are compared with (see compare.go), or nil.
	reference engine.Engine

	// turn has one token: whoever holds it runs a launch, or does what must not happen beside one. See beside.go.
	turn chan struct{}
	// mu guards what is allocated, buffers, images, and the fields below. With the token or without it, the host has it for what it
	// does; a launch has it until it begins, and again when it is over.
	mu      sync.Mutex
	held    bool     // who has mu has the token as well
	running bool     // a launch runs, without mu
	kept    [][]byte // memory that was freed meanwhile

	poison   uint64 // see DeviceOptions.Poison
	validate int    // see DeviceOptions.Validate
	// For launches with checks: where undefined bits come from, and how many launches there were.
	origins  memory.Origins
	launches uint64

	mem    *memory.Global
	svm    svmList
	shares atomic.Bool // there is, or was, shared virtual memory
	mapped int         // Buffer.Map, all together
	closed bool
}

// NewDevice makes a device.
func NewDevice(opt DeviceOptions) (*Device, error) {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def64 := func(v *uint64, d uint64) {
		if *v == 0 {
			*v = d
		}
	}
	def(&opt.SubgroupSize, 32)
	def(&opt.Workers, runtime.GOMAXPROCS(0))
	def(&opt.MaxWorkGroupSize, 1024)
	def(&opt.DMAEngines, dma.DefaultEngines)
	def(&opt.DMAQueueDepth, dma.DefaultQueueDepth)
	def(&opt.DMABytesPerStep, dma.DefaultBytesPerStep)
	def64(&opt.LocalMemory, 64<<10)
	def64(&opt.MaxMemory, hostMemory())
	def64(&opt.MaxAlloc, opt.MaxMemory)
	def64(&opt.MaxVariables, min(64<<20, opt.MaxMemory))
	def64(&opt.MaxPrivate, 1<<20)
	switch {
	case !isa.SubgroupSize(opt.SubgroupSize):
		return nil, fmt.Errorf("sub-group size %d is not a power of two from 1 to 128", opt.SubgroupSize)
	case opt.WaveLanes < 0 || opt.WaveLanes > maxWaveLanes || opt.WaveLanes%opt.SubgroupSize != 0:
		return nil, fmt.Errorf("waves of %d lanes: not a multiple of the sub-group size %d up to %d", opt.WaveLanes, opt.SubgroupSize, maxWaveLanes)
	case opt.Workers < 0 || opt.Workers > 4096:
		return nil, fmt.Errorf("%d workers: not a number from 1 to 4096", opt.Workers)
	case opt.MaxWorkGroupSize < 1 || opt.MaxWorkGroupSize > 1<<16:
		return nil, fmt.Errorf("work-groups of up to %d work-items: not a number from 1 to 65536", opt.MaxWorkGroupSize)
	case opt.LocalMemory > 1<<30:
		return nil, fmt.Errorf("%d bytes of local memory: more than 1 GiB", opt.LocalMemory)
	case opt.MaxMemory > memory.MaxSize:
		return nil, fmt.Errorf("%d bytes of memory: more than a pointer reaches, %d", opt.MaxMemory, uint64(memory.MaxSize))
	case opt.MaxAlloc > opt.MaxMemory:
		return nil, fmt.Errorf("buffers of up to %d bytes on a device with %d", opt.MaxAlloc, opt.MaxMemory)
	case opt.MaxPrivate > 1<<30:
		return nil, fmt.Errorf("%d bytes of private memory: more than 1 GiB", opt.MaxPrivate)
	case opt.DMAEngines < 1 || opt.DMAEngines > dma.MaxEngines:
		return nil, fmt.Errorf("%d DMA engines: not a number from 1 to %d", opt.DMAEngines, dma.MaxEngines)
	case opt.DMAQueueDepth < 1 || opt.DMAQueueDepth > dma.MaxQueueDepth:
		return nil, fmt.Errorf("DMA queues of %d copies: not a number from 1 to %d", opt.DMAQueueDepth, dma.MaxQueueDepth)
	case opt.DMABytesPerStep < 1 || opt.DMABytesPerStep > maxDMAStep:
		return nil, fmt.Errorf("%d bytes in a step of a DMA engine: not a number from 1 to %d", opt.DMABytesPerStep, maxDMAStep)
	}
	e, portable, err := findEngine(opt.Engine)
	if err != nil {
		return nil, err
	}
	validate, err := validateOption(opt.Validate)
	if err != nil {
		return nil, err
	}
	n, name := uint64(opt.MaxWorkGroupSize), e.Name()
	var reference engine.Engine
	if opt.Engine == compareEngine {
		name, reference = compareEngine, interp.Engine{}
	}
	d := &Device{
		poison: opt.Poison, validate: validate,
		limits: Limits{
			Engine:           name,
			SubgroupSize:     opt.SubgroupSize,
			FixedSubgroups:   opt.FixedSubgroups,
			WaveLanes:        opt.WaveLanes,
			Workers:          opt.Workers,
			MaxDimensions:    3,
			MaxWorkGroupSize: opt.MaxWorkGroupSize,
			MaxWorkItemSizes: [3]uint64{n, n, n},
			LocalMemory:      opt.LocalMemory,
			GlobalMemory:     opt.MaxMemory,
			MaxAlloc:         opt.MaxAlloc,
			MaxVariables:     opt.MaxVariables,
			MaxPrivate:       opt.MaxPrivate,
			MaxParameters:    maxParameters,
			BaseAlign:        memory.Alignment,
			DMAEngines:       opt.DMAEngines,
			DMAQueueDepth:    opt.DMAQueueDepth,
			DMABytesPerStep:  opt.DMABytesPerStep,
		},
		engine:   e,
		lazy:     lazyCompiler(opt.Engine, e),
		portable: portable, reference: reference,
		turn: make(chan struct{}, 1),
		mem:  memory.NewGlobal(opt.MaxMemory),
	}
	return d, nil
}

// Limits returns what the device can do; the zero Limits for a nil device.
func (d *Device) Limits() Limits {
	if d == nil {
		return Limits{}
	}
	return d.limits
}

// Close frees everything that the device holds. It waits for a running launch.
// Whatever belongs to the device is closed with it.
func (d *Device) Close() error {
	if err := d.acquire(context.Background()); err != nil {
		return err
	}
	defer d.release()
	d.closed = true
	d.mem = nil
	return nil
}

// acquire waits for the device's turn, so that no launch runs. Without an error, release must follow.
func (d *Device) acquire(ctx context.Context) error {
	if d == nil || d.turn == nil {
		return fmt.Errorf("device: %w", ErrInvalid)
	}
	select {
	case d.turn <- struct{}{}:
	default:
		select {
		case d.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.mu.Lock()
	d.held = true
	if d.closed {
		d.release()
		return fmt.Errorf("device: %w", ErrClosed)
	}
	return nil
}
