//go:build !browser

package cli

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native"
)

// write prints plans and machine code of kernels.
func (m machineCode) write(env *Env, p *isa.Program, list []*isa.Kernel) error {
	options := native.ListOptions{Processor: m.cpu, Offsets: true, Virtual: m.virtual}
	for i, k := range list {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if err := native.List(env.Stdout, p, k, options); err != nil {
			return fmt.Errorf("kernel %s: %w", printable(k.Name), err)
		}
	}
	return nil
}
