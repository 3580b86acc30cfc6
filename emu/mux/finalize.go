package mux

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// Finalize implements [Module].
func (m *BaseModule) Finalize(ctx context.Context) (*ProgramInfo, []PrintfDescriptor, error) {
	const call = "Module.Finalize"
	if err := m.enter(call); err != nil {
		return nil, nil, err
	}
	defer m.ctx.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, nil, failed(call, err, "")
	}
	switch {
	case m.source == nil:
		return nil, nil, failed(call, ErrNoProgram, "")
	case m.final != nil:
		if err := m.loadFinal(); err != nil {
			return nil, nil, failed(call, err, "")
		}
		return m.final.info, m.final.printfs, nil
	}
	f, err := m.finalize(ctx)
	if err != nil {
		return nil, nil, m.buildError(call, within(ErrFinalizeProgramFailure, err))
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, failed(call, err, "")
	}
	if err := m.held.take(programBytes(f.program)); err != nil {
		return nil, nil, failed(call, err, "")
	}
	for _, r := range f.program.Refused {
		m.AddDiagnostic(fmt.Sprintf("warning: kernel %q is left out: %v", r.Name, r.Reason))
	}
	m.final, m.image = f, nil
	m.kernels = map[string]Kernel{}
	return f.info, f.printfs, nil
}

// finalize lowers the program.
func (m *BaseModule) finalize(ctx context.Context) (*finalized, error) {
	s := m.source
	if err := s.load(); err != nil {
		return nil, err
	}
	if m.target.builtins != nil && len(s.info.Imports) > 0 {
		var err error
		if s, err = linkBuiltins(s, m.target.builtins); err != nil {
			return nil, err
		}
	}
	opt, err := m.lowerOptions()
	if err != nil {
		return nil, err
	}
	p, err := lower.ProgramContext(ctx, s.module, *opt)
	if err != nil {
		return nil, err
	}
	if err := m.target.device().checkLimits(p); err != nil {
		return nil, err
	}
	f := &finalized{source: s, program: p, lowering: opt}
	f.info, f.printfs = describe(s, p)
	return f, nil
}

// machinery makes what the passes run in: the front end's passes, what the finalize hook
// adds and changes, and the target's own passes.
func (m *BaseModule) machinery() (*PassMachinery, error) {
	m.lowering = Lowering{}
	if m.front == nil {
		// The program was deserialized.
		if err := m.initFrontEnd(m.source); err != nil {
			return nil, err
		}
	}
	pm := m.self.CreatePassMachinery()
	if pm == nil {
		return nil, errors.New("there is no pass machinery")
	}
	for _, p := range m.front.Passes() {
		if _, known := pm.Lookup(p.Name); !known {
			if err := pm.Register(p); err != nil {
				return nil, err
			}
		}
	}
	pm.Frontend = m.front.Frontend
	if err := m.self.InitializePassMachineryForFinalize(pm); err != nil {
		return nil, err
	}
	late, err := m.self.LateTargetPasses(pm)
	if err != nil {
		return nil, err
	}
	pm.Late = append(pm.Late, late...)
	return pm, nil
}

// lowerOptions has the hooks prepare the lowering.
func (m *BaseModule) lowerOptions() (*lower.Options, error) {
	pm, err := m.machinery()
	if err != nil {
		return nil, err
	}
	return &lower.Options{
		SubgroupSize: m.target.device().lanes(), Passes: pm,
		MaxInstructions: m.lowering.MaxInstructions, KeepMarks: m.lowering.KeepMarks, VerifyEach: m.lowering.VerifyEach,
	}, nil
}

// What parts of bytecode count for, in bytes. They are those of a 64-bit system, so that a
// limit is reached at the same place on all systems.
const (
	kernelBytes = 1024
	instBytes   = 64
	blockBytes  = 48
	globalBytes = 112
)

// programBytes is what bytecode counts for.
func programBytes(p *isa.Program) uint64 {
	var n uint64
	for i := range p.Globals {
		n += globalBytes + uint64(len(p.Globals[i].Init))
	}
	for _, k := range p.Kernels {
		n += kernelBytes + instBytes*uint64(len(k.Code)) + blockBytes*uint64(len(k.Blocks)) + 8*uint64(len(k.ScalarInit))
	}
	return n
}
