package lower

import (
	"context"
	"reflect"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Stage is a kernel as it would be if its passes ended early: its intermediate form behind a pass, as
// bytecode. All stages of a kernel do the same, unless a pass is wrong.
type Stage struct {
	// Pass is the one that is the last, "" for none, and Number its place among all of them, from 1 on.
	Pass   string
	Number int
	// Before has the passes ahead of it, in the form that [PassMachinery.Parse] reads.
	Before string
	// Program holds the kernel alone, as that of [Compiler.Kernel] does. It is nil where the kernel cannot
	// run yet: a later pass does what it needs.
	Program *isa.Program
}

// Stages lowers a kernel again and again, each time with one pass more, and returns what differs from the
// stage before; the first one has no pass between those that always run. The number is that of all passes.
// shared asks for kernels as [Compiler.SharedKernel] makes them. The passes run without those who watch them.
// The error is that of [Compiler.Kernel] with all passes.
//
// The form of a pass is not kept and written as bytecode: writing changes it. The lowering does the same each
// time, so that to end it early is the same.
func (c *Compiler) Stages(ctx context.Context, name string, shared bool) (list []Stage, passes int, err error) {
	opt := &c.opt
	machinery, dump := opt.Passes, opt.Dump
	opt.Dump = nil
	defer func() { opt.Passes, opt.Dump = machinery, dump }()
	ssaPasses := append(machinery.Frontend.Flat(), machinery.Finalize.Flat()...)
	all := append(ssaPasses, machinery.Late.Flat()...)
	for n := range len(all) + 1 {
		s := Stage{Number: n}
		if n > 0 {
			s.Pass, s.Before = all[n-1], strings.Join(all[:n-1], ",")
		}
		opt.Passes = machinery.upTo(all[:min(n, len(ssaPasses))], all[min(n, len(ssaPasses)):n])
		if shared {
			s.Program, err = c.SharedKernel(ctx, name, false)
		} else {
			s.Program, err = c.Kernel(ctx, name)
		}
		if err != nil && (ctx.Err() != nil || n == len(all)) {
			return nil, 0, err
		}
		if s.Program != nil && (len(list) == 0 || !reflect.DeepEqual(list[len(list)-1].Program.Kernels[0], s.Program.Kernels[0])) {
			list = append(list, s)
		}
	}
	return list, len(all), nil
}

// CheckedStage is [Compiler.CheckedKernel], or that of [Compiler.SharedKernel], without the passes between
// those that always run: what checks find in it is no fault of a pass.
func (c *Compiler) CheckedStage(ctx context.Context, name string, shared bool) (*isa.Program, error) {
	opt := &c.opt
	machinery, dump := opt.Passes, opt.Dump
	opt.Passes, opt.Dump = machinery.upTo(nil, nil), nil
	defer func() { opt.Passes, opt.Dump = machinery, dump }()
	if shared {
		return c.SharedKernel(ctx, name, true)
	}
	return c.CheckedKernel(ctx, name)
}

// upTo returns a machinery with some of the passes of m, which nobody watches and which prepares no bodies of
// functions with passes that have not had their turn.
func (m *PassMachinery) upTo(ssaPasses, late []string) *PassMachinery {
	list := func(names []string) (p Pipeline) {
		for _, name := range names {
			p = append(p, Step{Pass: name})
		}
		return p
	}
	return &PassMachinery{Finalize: list(ssaPasses), Late: list(late), passes: m.passes, byName: m.byName, plain: true}
}
