package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// Engines returns the names that DeviceOptions.Engine takes on this machine:
// "auto", which is the last of the others; "interp", the portable engine; and, where the processor
// and the system are such that it can make machine code, "native". DeviceOptions.Engine takes "compare" there as well.
func Engines() []string {
	names := []string{"auto", interp.Engine{}.Name()}
	if e, err := nativeEngine(); err == nil {
		names = append(names, e.Name())
	}
	return names
}

// findEngine returns the engine of that name. The error says which there are, or
// why the native engine cannot work here. portable is why auto is not that one.
func findEngine(name string) (e engine.Engine, portable, err error) {
	switch name {
	case "", "auto":
		e, err := nativeEngine()
		if err != nil {
			return interp.Engine{}, err, nil
		}
		return e, nil, nil
	case interp.Engine{}.Name():
		return interp.Engine{}, nil, nil
	case nativeName, compareEngine:
		e, err := nativeEngine()
		if err != nil {
			return nil, nil, fmt.Errorf("engine %q: %w; use auto or interp", name, err)
		}
		return e, nil, nil
	}
	return nil, nil, fmt.Errorf("unknown engine %q; there are auto, interp, native, compare", name)
}
