package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native"
)

// CompileTimes compiles a kernel's bytecode on an engine, again and again, and
// returns how long each took: what the first launch of a kernel adds to the
// making of its program. The error says whether there is such an engine.
func CompileTimes(k *kernels.Kernel, name string, runs int) (times []time.Duration, err error) {
	var e engine.Engine = interp.Engine{}
	if name == (native.Engine{}).Name() {
		if e, err = native.New(); err != nil {
			return nil, err
		}
	} else if name != e.Name() {
		return nil, fmt.Errorf("no engine %q", name)
	}
	module, err := k.Binary(Variant)
	if err != nil {
		return nil, err
	}
	device, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	program, err := device.NewProgram(module.Code, emu.ProgramOptions{Kernels: []string{k.Entry}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", module.File, err)
	}
	for _, code := range program.ISA().Kernels {
		if code.Name != k.Entry {
			continue
		}
		for range runs {
			begin := time.Now()
			if _, err := e.Compile(program.ISA(), code); err != nil {
				return nil, fmt.Errorf("%s: %w", module.File, err)
			}
			times = append(times, time.Since(begin))
		}
		return times, nil
	}
	return nil, fmt.Errorf("%s has no kernel %q", module.File, k.Entry)
}
