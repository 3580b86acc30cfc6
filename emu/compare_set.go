package emu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// runCompared runs the launches together on the reference, and again from the same memory and pipes on the engine
// under test, and compares what they leave. The device is held, and the arguments are filled in.
func (r *setRun) runCompared(ctx context.Context, feeds []scheduler.Feed) (*SetResult, error) {
	first := r.launches[0]
	d := first.Kernel.prog.dev
	if len(feeds) > 0 {
		return nil, fmt.Errorf("engine %s: %w: what the host feeds to pipes and drains from them cannot be repeated", compareEngine, ErrNotCompared)
	}
	before, err := d.compareMemory()
	if err != nil {
		return nil, err
	}
	want, err := r.once(ctx, true)
	if !over(want, err) {
		return want, err
	}
	after := d.mem.Snapshot()
	before.Restore()
	got, gotErr := r.once(ctx, false)
	if !over(got, gotErr) {
		return got, gotErr
	}
	if f := r.difference(want, got, after); f != nil {
		want.Findings.Findings = append([]finding.Finding{*f}, want.Findings.Findings...)
		one := want.Launches[0]
		one.Findings.Findings = append([]finding.Finding{*f}, one.Findings.Findings...)
		err = &FindingsError{Findings: want.Findings}
	}
	after.Restore()
	return want, errors.Join(err, r.print(want))
}

// over says whether launches came to their end, perhaps with findings.
func over(res *SetResult, err error) bool {
	var f *FindingsError
	return res != nil && (err == nil || errors.As(err, &f) && f.Err == nil)
}

// once runs the launches on one of the engines. What they print is collected.
func (r *setRun) once(ctx context.Context, reference bool) (*SetResult, error) {
	with := *r
	if !reference {
		set := *r.set
		set.Trace, with.set = nil, &set
	}
	members, opt := r.members(), with.options(r.launches[0].Kernel.prog.dev)
	opt.Output = nil
	for i := range members {
		members[i].Output = nil
		members[i].Launch.Cancel.Store(false) // the run before may have ended at a fault
		if reference {
			members[i].Runner = r.launches[i].Kernel.reference
		}
	}
	start := time.Now()
	sr, err := scheduler.RunSet(ctx, members, nil, opt)
	if sr == nil {
		return nil, launchError(err)
	}
	return r.result(sr, nil, time.Since(start), err)
}

// print hands what was collected to those that want it.
func (r *setRun) print(res *SetResult) (err error) {
	hand := func(w io.Writer, text *[]byte) {
		if w != nil && err == nil {
			_, err = w.Write(*text)
			*text = nil
		}
	}
	hand(r.set.Output, &res.Output)
	for i, p := range r.launches {
		if r.own {
			hand(p.Output, &res.Launches[i].Output)
		}
	}
	if err != nil {
		return fmt.Errorf("printf output: %w", err)
	}
	return nil
}

// difference returns a finding about what differs, or nil. Memory is that of the engine under test, after that of
// the reference.
func (r *setRun) difference(want, got *SetResult, after *memory.Snapshot) *finding.Finding {
	changes := after.Changes()
	var others []diffText
	by := r.launches[0]
	for i := range want.Launches {
		list := resultDiff(want.Launches[i], got.Launches[i])
		if len(list) > 0 && len(others) == 0 {
			by = r.launches[i]
		}
		others = append(others, list...)
	}
	if string(want.Output) != string(got.Output) {
		others = append(others, diffText{"the output of printf", outputDiff(want.Output, got.Output)})
	}
	if len(changes) == 0 && len(others) == 0 {
		return nil
	}
	if len(changes) > 0 {
		for _, p := range r.launches {
			c := comparison{prepared: p}
			if ch := c.firstChange(changes); ch != &changes[0] || c.holds(ch.Pointer) {
				by = p
				break
			}
		}
	}
	c := comparison{prepared: by, after: after}
	f := c.describe(changes, others)
	return &f
}
