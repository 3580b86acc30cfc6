package emu

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/binary"
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
	if p.dev.poison != d.poison {
		return nil, fmt.Errorf("program: on a device with other poison: %w", ErrInvalid)
	}
	if made := p.dev.limits.SubgroupSize; made != d.limits.SubgroupSize {
		return nil, fmt.Errorf("program: %w", &TargetError{
			Made: binary.Target{Name: targetName, SubgroupSize: made}, Name: targetName, SubgroupSize: d.limits.SubgroupSize,
		})
	}
	q := &Program{dev: d, module: p.module, info: p.info, unit: p.unit, sources: p.sources, kernels: map[string]*Kernel{}, made: new(madeSet)}
	if d.engine.Name() == p.dev.engine.Name() && d.lazy == nil && p.dev.lazy == nil {
		q.made = p.made
	}
	if err := q.placeAll(context.Background()); err != nil {
		return nil, err
	}
	return q, nil
}
