package lower

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/readers"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Compiler lowers the kernels of a module one by one. What concerns the module as a whole is done once. It is
// not safe for concurrent use.
type Compiler struct {
	mod   *build.Module
	opt   Options
	names []string
	at    map[string]int // place in names and in mod.entries
}

// NewCompiler returns a compiler for the kernels of m, which must have passed validate.Load. It lowers none of them.
// The error is what is wrong with the module as a whole.
func NewCompiler(m *spirv.Module, opt Options) (c *Compiler, err error) {
	defer func() {
		if e := recovered(recover()); e != nil {
			c, err = nil, e
		}
	}()
	if opt.MaxInstructions == 0 {
		opt.MaxInstructions = DefaultMaxInstructions
	}
	if opt.Passes == nil {
		opt.Passes = standard
	}
	c = &Compiler{opt: opt, at: map[string]int{}}
	c.mod = build.NewModule(m, build.Options{
		SpecConstants: opt.SpecConstants, SubgroupSize: opt.SubgroupSize, MaxInstructions: opt.MaxInstructions, Specialize: opt.Specialize,
		KeepMarks: opt.KeepMarks, Poison: opt.Poison, Reader: readers.Of, Imported: readers.Imported, LeastPrepared: leastPrepared,
	})
	entries := c.mod.Entries
	c.mod.Entries = nil
	for _, ep := range entries {
		if _, ok := c.at[ep.Name]; ok {
			return nil, &Error{Op: "OpEntryPoint", Word: ep.Word, Reason: fmt.Sprintf("a second kernel is named %q", ep.Name)}
		}
		if opt.Kernels != nil && !slices.Contains(opt.Kernels, ep.Name) {
			continue
		}
		c.at[ep.Name] = len(c.names)
		c.names = append(c.names, ep.Name)
		c.mod.Entries = append(c.mod.Entries, ep)
	}
	return c, nil
}

// recovered returns the error that a panic of the lowering stands for; nil for nil.
func recovered(r any) error {
	switch r := r.(type) {
	case nil:
		return nil
	case *Error:
		return r
	case build.Cancelled:
		return r.Err
	case runtime.Error:
		return fmt.Errorf("lower: %w: %v", ErrInternal, r)
	}
	panic(r)
}

// Kernels returns the names of the kernels, in the module's order; those of Options.Kernels only, if that is not nil.
func (c *Compiler) Kernels() []string { return slices.Clone(c.names) }

// Module returns what is known of the program without its kernels.
func (c *Compiler) Module() *isa.Program {
	p := *c.mod.Program
	return &p
}

// Kernel lowers a kernel. The program that it returns holds this kernel alone, and the program-scope variables, pipes
// and names of this kernel and of those that have been lowered before: a variable has the same number in
// all of them. The program does not change when other kernels are lowered. The error is that of the
// context, or says why the kernel cannot run; other kernels may be lowered after either.
func (c *Compiler) Kernel(ctx context.Context, name string) (*isa.Program, error) {
	i, ok := c.at[name]
	if !ok {
		return nil, fmt.Errorf("lower: the module has no kernel %q", name)
	}
	m := c.mod
	m.Context = ctx
	defer func() { m.Context = nil }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k, err := c.tryKernel(m.Entries[i])
	if err != nil {
		return nil, err
	}
	if err := k.Verify(); err != nil {
		return nil, fmt.Errorf("lower: %w", err)
	}
	p := *m.Program
	p.Kernels = []*isa.Kernel{k}
	return &p, nil
}

// CheckedKernel is [Compiler.Kernel] for launches with checks: the kernel keeps what these need to know of the module
// and others do not, such as the memory order of atomic operations and barriers.
func (c *Compiler) CheckedKernel(ctx context.Context, name string) (*isa.Program, error) {
	c.mod.Checked = true
	defer func() { c.mod.Checked = false }()
	return c.Kernel(ctx, name)
}

// SharedKernel is [Compiler.Kernel], or [Compiler.CheckedKernel] if checked is set, for a device whose memory the host shares:
// in memory and as integers, pointers are what OpPtrAddress makes of them. Modules with addresses of 32 bits have their own.
func (c *Compiler) SharedKernel(ctx context.Context, name string, checked bool) (*isa.Program, error) {
	c.mod.Shared, c.mod.Checked = c.mod.PtrSize == 8, checked
	defer func() { c.mod.Shared, c.mod.Checked = false, false }()
	return c.Kernel(ctx, name)
}

// DebugKernel is [Compiler.Kernel] for a debugger: every variable stays in memory, each instruction has its place, and
// Kernel.Debug says what the module's debug information does, or as much as names of variables tell. No pass that
// optimizes runs, whatever Options has.
func (c *Compiler) DebugKernel(ctx context.Context, name string, shared bool) (*isa.Program, error) {
	c.mod.Debug, c.mod.Shared = true, shared && c.mod.PtrSize == 8
	defer func() { c.mod.Debug, c.mod.Shared = false, false }()
	return c.Kernel(ctx, name)
}

// Program lowers every kernel of m. The module must have passed
// validate.Load; one that has not gives an error as well, if a less helpful
// one.
func Program(m *spirv.Module, opt Options) (*isa.Program, error) {
	return ProgramContext(context.Background(), m, opt)
}

// ProgramContext is [Program] until the context ends, whose error it returns then.
func ProgramContext(ctx context.Context, m *spirv.Module, opt Options) (*isa.Program, error) {
	c, err := NewCompiler(m, opt)
	if err != nil {
		return nil, err
	}
	var kernels []*isa.Kernel
	var refused []isa.Refused
	for _, name := range c.names {
		p, err := c.Kernel(ctx, name)
		switch {
		case err == nil:
			kernels = append(kernels, p.Kernels[0])
		case ctx.Err() != nil, errors.Is(err, ErrInternal):
			return nil, err
		default:
			refused = append(refused, isa.Refused{Name: name, Reason: err})
		}
	}
	if len(kernels) == 0 && len(refused) > 0 {
		return nil, refused[0].Reason
	}
	p := c.mod.Program
	p.Kernels, p.Refused = kernels, refused
	return p, nil
}

// tryKernel lowers a kernel, and returns as an error what cannot be lowered in
// it, so that the module's other kernels can still run.
func (c *Compiler) tryKernel(ep build.Entry) (k *isa.Kernel, err error) {
	m := c.mod
	types, consts := m.TypeDepth, m.ConstDepth
	defer func() {
		if e := recovered(recover()); e != nil {
			k, err = nil, e
			m.TypeDepth, m.ConstDepth = types, consts
		}
	}()
	m.Options.Prepare = nil
	if c.opt.Passes.standard() {
		m.Options.Prepare = c.opt.prepare
	}
	b := m.Kernel(ep)
	passes := c.opt.Passes
	if m.Debug {
		passes = unoptimizing
	}
	if err := passes.run(b, &c.opt); err != nil {
		return nil, err
	}
	if countSteps != nil {
		countSteps(b.Func.Steps)
	}
	return b.Kernel, nil
}

// countSteps, where a test sets it, is told the steps of each kernel.
var countSteps func(int)
