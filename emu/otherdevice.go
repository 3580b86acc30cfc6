package emu

import (
	"fmt"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// On returns the program on another device with sub-groups of the same size. The module is neither decoded
// nor checked nor compiled again, and where [DeviceOptions].Engine names the same engine for both, that makes the code of a
// kernel once for both. Program-scope variables and pipes are the new program's own, with their initial values. The two programs
// do not depend on each other from then on: either may be closed first, and both may run at the same time.
// The error wraps a [*TargetError] for a device with sub-groups of another size, or is a [*ModuleError] of stage "allocate".
func (p *Program) On(d *Device) (*Program, error) {
	switch {
	case p == nil || p.dev == nil:
		return nil, fmt.Errorf("program: %w", ErrInvalid)
	case d == nil || d.engine == nil:
		return nil, fmt.Errorf("device: %w", ErrInvalid)
	}
	if made := p.dev.limits.SubgroupSize; made != d.limits.SubgroupSize {
		return nil, fmt.Errorf("program: %w", &TargetError{
			Made: binary.Target{Name: targetName, SubgroupSize: made}, Name: targetName, SubgroupSize: d.limits.SubgroupSize,
		})
	}
	q, err := d.newProgram(p.module, p.info, p.isa, ProgramOptions{Sources: p.sources})
	if err != nil {
		return nil, err
	}
	if d.engine.Name() == p.dev.engine.Name() && d.lazy == nil && p.dev.lazy == nil {
		for name, k := range q.kernels {
			k.made = p.kernels[name].made
		}
	}
	return q, nil
}

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
