package emu

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// engines has every engine of this build, the best first.
var engines = []engine.Engine{interp.Engine{}}

// Engines returns the names that DeviceOptions.Engine takes: "auto", and the
// engines of this build, the best first.
func Engines() []string {
	names := []string{"auto"}
	for _, e := range engines {
		names = append(names, e.Name())
	}
	return names
}

func findEngine(name string) (engine.Engine, error) {
	for _, e := range engines {
		if name == e.Name() || name == "" || name == "auto" {
			return e, nil
		}
	}
	return nil, fmt.Errorf("unknown engine %q; there are %s", name, strings.Join(Engines(), ", "))
}
