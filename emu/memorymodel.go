package emu

import (
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/memory/weak"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// MemoryModel says what loads may return.
type MemoryModel uint8

// The models.
const (
	// MemorySequential is memory that is sequentially consistent: a load returns what was stored last.
	MemorySequential MemoryModel = iota
	// MemoryWeak is the memory model of OpenCL, as package memory/weak has it: where no acquire and release, fence or
	// barrier orders them, a load may return what was stored before, stores may be met in another order, and loads may
	// be performed late. The launch runs on the engine "interp", one work-group after the other. In the order InOrder
	// of its schedule each load returns the oldest value that the model allows, in Reverse the newest, and in Seeded
	// all choices are drawn from the seed. What is read again and again becomes newer.
	MemoryWeak
)

// String returns "sequential" or "weak".
func (m MemoryModel) String() string {
	if m == MemoryWeak {
		return "weak"
	}
	return "sequential"
}

// ParseMemoryModel returns the model with the given name: "sequential" or "weak".
func ParseMemoryModel(name string) (MemoryModel, error) {
	switch name {
	case "sequential":
		return MemorySequential, nil
	case "weak":
		return MemoryWeak, nil
	}
	return 0, fmt.Errorf("unknown memory model %q; there are sequential and weak", name)
}

// ErrNotWeak is the error of launches with MemoryWeak that cannot run so: of kernels with pipes or asynchronous copies,
// whose bytes move without the model, and of bytecode, which has no memory orders.
var ErrNotWeak = errors.New("cannot run with weak memory")

// MemoryChoices decides what MemoryWeak leaves open. A [Chooser] that is one, too, does so for its launch; with
// another one, loads return the newest value.
type MemoryChoices = weak.Choices

// MemoryChoice is what a MemoryChoices decides.
type MemoryChoice = weak.What

// The choices: which message a load reads, 0 being the last one; where a write stands in modification order, 0 being
// at its end; whether a load is performed late.
const (
	ChooseMessage = weak.ReadFrom
	ChoosePlace   = weak.PlaceAt
	ChooseLate    = weak.PutOff
)

// weakly returns why the launch cannot run with weak memory, or nil.
func (p *prepared) weakly() error {
	k := p.Kernel
	refuse := func(why string) error { return fmt.Errorf("kernel %s %w: %s", k.code.Name, ErrNotWeak, why) }
	switch {
	case k.code.UsesPipes:
		return refuse("it has pipes")
	case k.code.UsesAsync:
		return refuse("it has asynchronous copies")
	case k.prog.unit.compiler == nil:
		return refuse("it was loaded as bytecode, which has no memory orders")
	}
	return nil
}

// model returns the memory of a launch with MemoryWeak; nil for others.
func (p *prepared) model() *weak.Model {
	if p.Memory != MemoryWeak {
		return nil
	}
	if c, ok := p.Interleave.(MemoryChoices); ok {
		return weak.New(c, false)
	}
	switch {
	case p.Interleave != nil, p.Schedule.Order == scheduler.Reverse:
		return weak.New(weak.Newest{}, true)
	case p.Schedule.Order == scheduler.Seeded:
		seed := weak.Seeded(p.Schedule.Seed)
		return weak.New(&seed, true)
	}
	return weak.New(weak.Oldest{}, true)
}
