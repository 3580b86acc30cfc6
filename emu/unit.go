package emu

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// unit is the bytecode of a module, for all programs that have it. A kernel is lowered when somebody first asks for it.
type unit struct {
	turn     chan struct{}   // has one token: whoever holds it lowers a kernel
	compiler *lower.Compiler // nil for a program that came as bytecode
	names    []string        // of the kernels, in the module's order
	kernels  map[string]*kernelCode
	checked  map[string]*kernelCode // for launches with checks
	// shared and sharedChecked are the same for devices whose memory the host shares.
	shared, sharedChecked map[string]*kernelCode
	debug                 map[string]*kernelCode // of a program that came as bytecode, for debuggers
	whole                 *isa.Program           // with all kernels, once there are all

	// latest has the variables, pipes and names of all kernels that have been lowered. Each of the programs that it
	// has been begins with those before it.
	latest atomic.Pointer[isa.Program]
}

// kernelCode is a kernel that has been lowered, or why it could not be.
type kernelCode struct {
	prog  *isa.Program // whose variables, pipes and names the code refers to by number
	code  *isa.Kernel
	stage string // of err
	err   error
}

// newUnit prepares a module for devices with this one's sub-group size and poison.
func newUnit(m *spirv.Module, opt ProgramOptions, d *Device) (*unit, error) {
	c, err := lower.NewCompiler(m, lower.Options{
		SpecConstants: opt.SpecConstants, KeepMarks: opt.KeepMarks, SubgroupSize: d.limits.SubgroupSize, Poison: d.poison,
		Specialize: opt.Specialize, Kernels: opt.Kernels, Passes: opt.Passes, VerifyEach: opt.VerifyEach,
	})
	if err != nil {
		return nil, &ModuleError{Stage: "lower", Err: err}
	}
	u := &unit{turn: make(chan struct{}, 1), compiler: c, names: c.Kernels(), kernels: map[string]*kernelCode{}, checked: map[string]*kernelCode{},
		shared: map[string]*kernelCode{}, sharedChecked: map[string]*kernelCode{}}
	u.latest.Store(c.Module())
	return u, nil
}

// wholeUnit is the unit of a program that came as bytecode, which has been verified.
func wholeUnit(p *isa.Program) *unit {
	u := &unit{turn: make(chan struct{}, 1), kernels: map[string]*kernelCode{}, whole: p}
	for _, k := range p.Kernels {
		u.names = append(u.names, k.Name)
		u.kernels[k.Name] = &kernelCode{prog: p, code: k}
	}
	if p.Shares {
		u.shared = maps.Clone(u.kernels)
		for _, k := range p.Shared {
			u.shared[k.Name] = &kernelCode{prog: p, code: k}
		}
	}
	u.debug = map[string]*kernelCode{}
	for _, k := range p.ForDebug {
		u.debug[k.Name] = &kernelCode{prog: p, code: k}
	}
	for i := range p.Refused {
		r := &p.Refused[i]
		u.names = append(u.names, r.Name)
		u.kernels[r.Name] = &kernelCode{stage: "lower", err: r.Reason}
	}
	u.latest.Store(p)
	return u
}

func (u *unit) acquire(ctx context.Context) error {
	select {
	case u.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case u.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kernel returns a kernel's code; nil when the module has no such kernel. The error is that of the context.
func (u *unit) kernel(ctx context.Context, name string) (*kernelCode, error) {
	if err := u.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-u.turn }()
	if k := u.kernels[name]; k != nil || !slices.Contains(u.names, name) {
		return k, nil
	}
	return u.lower(ctx, name, u.kernels, u.compiler.Kernel)
}

// checkedKernel returns the code of a kernel, which the module has, for launches with checks, on a device whose memory the host
// shares or on another: that of all launches where the program came as bytecode. The error is that of the context.
func (u *unit) checkedKernel(ctx context.Context, name string, shared bool) (*kernelCode, error) {
	if err := u.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-u.turn }()
	switch {
	case u.compiler == nil && shared:
		return u.shared[name], nil
	case u.compiler == nil:
		return u.kernels[name], nil
	}
	list, compile := u.checked, u.compiler.CheckedKernel
	if shared {
		list = u.sharedChecked
		compile = func(ctx context.Context, name string) (*isa.Program, error) {
			return u.compiler.SharedKernel(ctx, name, true)
		}
	}
	if k := list[name]; k != nil {
		return k, nil
	}
	return u.lower(ctx, name, list, compile)
}

// debugKernel returns the code of a kernel, which the module has, for debuggers. It is nil where the program came as bytecode
// without debug information. The error is that of the context.
func (u *unit) debugKernel(ctx context.Context, name string, shared bool) (*kernelCode, error) {
	if err := u.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-u.turn }()
	if u.compiler == nil {
		if k := u.debug[name]; k != nil && !shared {
			return k, nil
		}
		if k := u.kernels[name]; k != nil && k.code != nil && k.code.Debug != nil {
			return k, nil
		}
		return nil, nil
	}
	return u.lower(ctx, name, map[string]*kernelCode{}, func(ctx context.Context, name string) (*isa.Program, error) {
		return u.compiler.DebugKernel(ctx, name, shared)
	})
}

// sharedKernel returns the code of a kernel, which the module has, for a device whose memory the host shares. It is nil where the
// program came as bytecode without it. The error is that of the context.
func (u *unit) sharedKernel(ctx context.Context, name string) (*kernelCode, error) {
	if err := u.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-u.turn }()
	if u.compiler == nil {
		return u.shared[name], nil
	}
	if k := u.shared[name]; k != nil {
		return k, nil
	}
	return u.lower(ctx, name, u.shared, func(ctx context.Context, name string) (*isa.Program, error) {
		return u.compiler.SharedKernel(ctx, name, false)
	})
}

// lower lowers a kernel in one of two ways, and keeps it in the list of those that were lowered so. The caller has the unit's turn.
func (u *unit) lower(ctx context.Context, name string, list map[string]*kernelCode,
	compile func(context.Context, string) (*isa.Program, error)) (*kernelCode, error) {
	k := &kernelCode{stage: "lower"}
	k.prog, k.err = compile(ctx, name)
	if k.err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if k.err == nil {
		k.stage, k.err = "verify", k.prog.Verify()
	}
	if k.err == nil {
		k.code = k.prog.Kernels[0]
		u.latest.Store(k.prog)
	}
	list[name] = k
	return k, nil
}

// all lowers what has not been, and returns the program of all kernels. The error is that of the context.
func (u *unit) all(ctx context.Context) (*isa.Program, error) {
	for _, name := range u.names {
		if _, err := u.kernel(ctx, name); err != nil {
			return nil, err
		}
	}
	if err := u.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-u.turn }()
	if u.whole == nil {
		p := *u.latest.Load()
		p.Kernels, p.Refused = nil, nil
		for _, name := range u.names {
			if k := u.kernels[name]; k.err != nil {
				p.Refused = append(p.Refused, isa.Refused{Name: name, Reason: k.err})
			} else {
				p.Kernels = append(p.Kernels, k.code)
			}
		}
		u.whole = &p
	}
	return u.whole, nil
}

// withShared returns what all returns, with the kernels' code for devices whose memory the host shares. The error is that of the
// context, or says why there is none for a kernel that runs.
func (u *unit) withShared(ctx context.Context) (*isa.Program, error) {
	whole, err := u.all(ctx)
	if err != nil || whole.Shares || whole.Physical32 {
		return whole, err
	}
	if u.compiler == nil {
		return nil, fmt.Errorf("a program that came as a binary: %w", ErrNotShared)
	}
	var list []*isa.Kernel
	for _, k := range whole.Kernels {
		code, err := u.sharedKernel(ctx, k.Name)
		switch {
		case err != nil:
			return nil, err
		case code.err != nil:
			return nil, code.refused(k.Name)
		case converts(code.code):
			list = append(list, code.code)
		}
	}
	p := *u.latest.Load()
	p.Kernels, p.Refused, p.Shares, p.Shared = whole.Kernels, whole.Refused, true, list
	return &p, nil
}

// withDebug returns a program that has all kernels of the unit, with their code for debuggers. The error is that of the
// context, or says that the program came as bytecode without it.
func (u *unit) withDebug(ctx context.Context, whole *isa.Program) (*isa.Program, error) {
	var list []*isa.Kernel
	for _, k := range whole.Kernels {
		code, err := u.debugKernel(ctx, k.Name, false)
		switch {
		case err != nil:
			return nil, err
		case code == nil:
			return nil, fmt.Errorf("kernel %s %w: %s", k.Name, ErrNotDebugged, noDebugCode)
		case code.err != nil:
			continue // it runs, and only a debugger cannot run it
		}
		list = append(list, code.code)
	}
	p := *u.latest.Load()
	p.Kernels, p.Refused, p.Shares, p.Shared, p.ForDebug = whole.Kernels, whole.Refused, whole.Shares, whole.Shared, list
	return &p, nil
}

// noDebugCode says what is missing in a binary.
const noDebugCode = "it came as a binary without code for debuggers, which `lockstep compile -g` puts in"

// made is the code of a kernel on an engine, for all devices that have its program.
type made struct {
	once sync.Once
	code engine.Code
	err  error
}

// on returns the code, made by the first who asks for it.
func (m *made) on(e engine.Engine, p *isa.Program, k *isa.Kernel) (engine.Code, error) {
	m.once.Do(func() { m.code, m.err = e.Compile(p, k) })
	return m.code, m.err
}

// madeSet has the code of kernels on an engine, by name.
type madeSet struct {
	mu   sync.Mutex
	list map[string]*made
}

func (s *madeSet) of(name string) *made {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.list[name]
	if m == nil {
		if s.list == nil {
			s.list = map[string]*made{}
		}
		m = new(made)
		s.list[name] = m
	}
	return m
}

// refused returns the error for a kernel that cannot be run.
func (k *kernelCode) refused(name string) error {
	return &ModuleError{Stage: k.stage, Err: fmt.Errorf("kernel %s: %w", name, k.err)}
}
